/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What to capture.
 */
#ifndef PCSAMPLE_CAPTURE_CONFIG_H
#define PCSAMPLE_CAPTURE_CONFIG_H

#include <stdbool.h>

#include "base/cpuset.h"
#include "capture/event.h"

/* Default of reads per second of each target, as perf's */
#define CAPTURE_DEFAULT_HZ	4000

/**
 * struct capture_config - what to capture
 * @root: where sysfs is below, "" for this system
 * @event: what is sampled
 * @freq: samples per second of each CPU; 0 to use @period
 * @period: between samples, in ns of target time where @event.in_ns, else in events
 * @cpus: CPUs to sample; empty for all. For arm_pcsample these are the targets.
 * @system_wide: sample whatever runs on those CPUs
 * @attach: the processes to sample run already; else they are about to exec
 * @seed: of arm_pcsample's dithered clock
 * @pages: pages of each sample ring, a power of two; 0 to let the capture choose
 * @hands_off: touch no CPU but the readers, not even to open side-band there: a CPU that is stuck
 *	with its interrupts masked would never answer
 * @stay_off: readers that must not be touched either; with @hands_off
 */
struct capture_config {
	const char *root;
	struct event_spec event;
	u64 freq;
	u64 period;
	struct cpus cpus;
	bool system_wide;
	bool attach;
	u32 seed;
	unsigned int pages;
	bool hands_off;
	struct cpus stay_off;
};

#endif /* PCSAMPLE_CAPTURE_CONFIG_H */
