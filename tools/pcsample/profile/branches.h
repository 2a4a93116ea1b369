/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a branch stack records of a branch besides its addresses, in perf's words.
 */
#ifndef PCSAMPLE_PROFILE_BRANCHES_H
#define PCSAMPLE_PROFILE_BRANCHES_H

#include "profile/session.h"

/* "P" for predicted, "M" for mispredicted, "-" for not known; with an "N" appended: not taken */
const char *branch_prediction(u64 flags);

/*
 * Its kind: COND, CALL, ...; empty if it was not recorded. Kinds whose meaning depends on the
 * architecture get the name they have on the recorded machine.
 */
const char *branch_kind(const struct session *s, u64 flags);

/* Whether it was executed speculatively, and on the correct path; "-" if that was not recorded */
const char *branch_speculation(u64 flags);

#endif /* PCSAMPLE_PROFILE_BRANCHES_H */
