/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a recording comes from: the machine, the recorder and its command line, the events.
 */
#ifndef PCSAMPLE_PROFILE_PROVENANCE_H
#define PCSAMPLE_PROFILE_PROVENANCE_H

#include "base/json.h"
#include "profile/session.h"

/**
 * provenance_print() - print it as header lines in perf's form
 * @all: also what takes many lines: which CPUs are siblings, and the memory of each node
 */
void provenance_print(struct out *o, const struct session *s, bool all);

/* Add all of it as an array @key of objects with name and value */
void provenance_json(struct json *j, const char *key, const struct session *s);

#endif /* PCSAMPLE_PROFILE_PROVENANCE_H */
