/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples of groups: {leader,member}:S of perf has the leader sample, and each sample has what all
 * events of the group have counted.
 */
#ifndef PCSAMPLE_PERFDATA_GROUPS_H
#define PCSAMPLE_PERFDATA_GROUPS_H

#include "perfdata/reader.h"

/**
 * groups_deliver() - make a sample for each event that counted
 *
 * As perf does: a sample of a group becomes one for each of its events that has counted since the
 * sample before, and the difference is its period. @pd->delivered is whether it was done: records
 * stay as they are if it would make them much more, or there is no place for them.
 *
 * Return: 0 or -ENOMEM.
 */
int groups_deliver(struct perfdata *pd);

#endif /* PCSAMPLE_PERFDATA_GROUPS_H */
