/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detects register blocks that are frozen. A frozen block shows the same task for ever, or, if
 * somebody closed its Software lock, the same task with changing addresses. A CPU that runs only
 * one task looks the same, so the CPU time that the kernel accounted decides.
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
 * @ret: receives the watch
 * @attr: of the event, which must not exclude anything
 * @root: where /proc is below
 *
 * Return: 0, -ENOMEM, or what reading /proc gave.
 */
int frozen_watch_create(struct frozen_watch **ret, const struct perf_event_attr *attr,
			const char *root, struct error *err);

/** frozen_watch_note() - note a record of the kernel; all but samples are ignored */
void frozen_watch_note(struct frozen_watch *w, const struct perf_event_header *record);

/**
 * frozen_watch_undecided() - find CPUs for which frozen_watch_end() would have too little data
 * @cpus: the CPUs to look at
 * @undecided: receives those that gave too few samples, or had too little time accounted: the host
 *	of an emulated CPU, or a hypervisor, may have let it run for a part of the time only
 */
void frozen_watch_undecided(const struct frozen_watch *w, const struct cpus *cpus,
			    struct cpus *undecided);

/**
 * frozen_watch_end() - decide, after the event was disabled
 * @tell: called with one line for each CPU whose samples cannot be of what ran
 * @arg: for @tell
 */
void frozen_watch_end(struct frozen_watch *w,
		      void (*tell)(void *arg, unsigned int cpu, const char *text), void *arg);

void frozen_watch_destroy(struct frozen_watch *w);

#endif /* PCSAMPLE_CAPTURE_FROZEN_H */
