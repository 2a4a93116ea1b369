/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds CPUs that no longer respond without sending them anything: their interrupt counts and CPU
 * times stand still.
 */
#ifndef PCSAMPLE_CAPTURE_CPU_PROGRESS_H
#define PCSAMPLE_CAPTURE_CPU_PROGRESS_H

#include "base/cpuset.h"
#include "base/error.h"

/**
 * struct liveness - counts of each CPU at one time
 * @interrupts: all interrupts that the CPU took, /proc/interrupts
 * @ticks: time that was accounted, idle time included, /proc/stat, in ticks of a user's clock
 * @idle: the part of @ticks without anything to run
 * @busy: the part with something to run; time stolen by a hypervisor is in neither
 * @nr: CPUs below this have entries
 */
struct liveness {
	u64 *interrupts;
	u64 *ticks;
	u64 *idle;
	u64 *busy;
	unsigned int nr;
};

/**
 * liveness_read() - read the present counts
 * @root: where /proc is below
 *
 * Return: 0, -ENOMEM, -EINVAL, or the error of reading.
 */
int liveness_read(struct liveness *l, const char *root, struct error *err);
void liveness_deinit(struct liveness *l);

/**
 * liveness_stuck() - find the CPUs of @online that did nothing between two readings
 *
 * A CPU that runs takes interrupts. For one that idles without interrupts, reading /proc/stat
 * accounts the idle time. A CPU for which neither count moves runs with interrupts masked, or is
 * held by something outside of Linux: firmware, a hypervisor, a debugger.
 */
void liveness_stuck(const struct liveness *before, const struct liveness *after,
		    const struct cpus *online, struct cpus *stuck);

/**
 * liveness_watch() - find the CPUs that do nothing for half a second
 * @root: where /proc and /sys are below
 * @online: receives the CPUs that are online
 * @stuck: receives those of them that did nothing; see liveness_stuck()
 *
 * Return: 0, or the error of reading.
 */
int liveness_watch(const char *root, struct cpus *online, struct cpus *stuck, struct error *err);

#endif /* PCSAMPLE_CAPTURE_CPU_PROGRESS_H */
