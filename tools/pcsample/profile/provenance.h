/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a recording comes from: the machine, the recorder and its command line, the events.
 */
#ifndef PCSAMPLE_PROFILE_PROVENANCE_H
#define PCSAMPLE_PROFILE_PROVENANCE_H

#include "base/json.h"
#include "profile/session.h"

/**
 * provenance_print() - what the recording says, as lines of a head in perf's form
 * @all: with what takes many lines: which CPUs are siblings, and the memory of each node
 */
void provenance_print(struct out *o, const struct session *s, bool all);

/* All of it, as objects of name and value in an array @key */
void provenance_json(struct json *j, const char *key, const struct session *s);

#endif /* PCSAMPLE_PROFILE_PROVENANCE_H */
