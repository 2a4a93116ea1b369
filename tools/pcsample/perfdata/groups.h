/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples of groups: with perf record -e '{leader,member}:S' only the leader samples, and each of
 * its samples contains the counts of all events of the group.
 */
#ifndef PCSAMPLE_PERFDATA_GROUPS_H
#define PCSAMPLE_PERFDATA_GROUPS_H

#include "perfdata/reader.h"

/**
 * groups_deliver() - turn each sample of a group into samples of its events
 *
 * As in perf, each event whose count has changed since the previous sample gets a sample, with the
 * difference as its period. Sets @pd->delivered if this was done. The records stay as they are if
 * the new ones would take much more room, or no temporary file can be written.
 *
 * Return: 0 or -ENOMEM.
 */
int groups_deliver(struct perfdata *pd);

#endif /* PCSAMPLE_PERFDATA_GROUPS_H */
