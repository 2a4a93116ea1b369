/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What branch stacks say of a branch beside its ends, in the words of perf.
 */
#ifndef PCSAMPLE_PROFILE_BRANCHES_H
#define PCSAMPLE_PROFILE_BRANCHES_H

#include "profile/session.h"

/* P it was predicted, M mispredicted, - not known; N behind them that it was not taken */
const char *branch_prediction(u64 flags);

/*
 * Its kind: COND, CALL, ...; empty if it was not recorded. Kinds that each architecture has for
 * itself are named by the recorded machine's.
 */
const char *branch_kind(const struct session *s, u64 flags);

/* What became of speculation; "-" if that was not recorded */
const char *branch_speculation(u64 flags);

#endif /* PCSAMPLE_PROFILE_BRANCHES_H */
