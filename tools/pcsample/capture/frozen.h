/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detects register blocks whose samples stand still. A frozen block shows the same task for
 * ever; if somebody closed its Software lock, the same task with changing addresses. A CPU that
 * runs only one task looks alike, so the CPU time that the kernel accounted decides.
 */
#ifndef PCSAMPLE_CAPTURE_FROZEN_H
#define PCSAMPLE_CAPTURE_FROZEN_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/cpuset.h"
#include "base/error.h"

struct frozen_watch;

/**
 * frozen_watch_create() - begin to watch
 * @ret: takes the watch
 * @attr: of the event, which excludes nothing
 * @root: where /proc is below
 *
 * Return: 0, -ENOMEM, or what reading /proc gave.
 */
int frozen_watch_create(struct frozen_watch **ret, const struct perf_event_attr *attr,
			const char *root, struct error *err);

/** frozen_watch_note() - a record of the kernel; what is no sample is passed over */
void frozen_watch_note(struct frozen_watch *w, const struct perf_event_header *record);

/**
 * frozen_watch_undecided() - the CPUs of which frozen_watch_end() could not tell yet
 * @cpus: of these
 * @undecided: takes those that gave too few samples, or had too little time accounted: the host of
 *	an emulated CPU, or its hypervisor, may have let it run for a part of the time only
 */
void frozen_watch_undecided(const struct frozen_watch *w, const struct cpus *cpus,
			    struct cpus *undecided);

/**
 * frozen_watch_end() - the event was disabled
 * @tell: called with one line for each CPU whose samples cannot be of what ran
 * @arg: for @tell
 */
void frozen_watch_end(struct frozen_watch *w,
		      void (*tell)(void *arg, unsigned int cpu, const char *text), void *arg);

void frozen_watch_destroy(struct frozen_watch *w);

#endif /* PCSAMPLE_CAPTURE_FROZEN_H */
