/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which CPUs still answer? Found without asking them: from what they have counted of themselves.
 */
#ifndef PCSAMPLE_LIB_LIVENESS_H
#define PCSAMPLE_LIB_LIVENESS_H

#include "lib/capture-cpus.h"
#include "lib/error.h"

/**
 * struct liveness - counts of each CPU at one time
 * @interrupts: all interrupts that the CPU took, /proc/interrupts
 * @ticks: time that was accounted, idle time included, /proc/stat, in ticks of a user's clock
 * @nr: CPUs below this have entries
 */
struct liveness {
	u64 *interrupts;
	u64 *ticks;
	unsigned int nr;
};

/**
 * liveness_read() - counts as they are now
 * @root: where /proc is below
 *
 * Return: 0, -ENOMEM, -EINVAL, or what reading gave.
 */
int liveness_read(struct liveness *l, const char *root, struct error *err);
void liveness_deinit(struct liveness *l);

/**
 * liveness_stuck() - the CPUs of @online that did nothing between two readings
 *
 * A CPU that runs takes interrupts, and one that idles without them has its idle time accounted by
 * whoever asks. One for which neither moves runs with interrupts masked, or is held by something
 * outside of Linux: firmware, a hypervisor, a debugger.
 */
void liveness_stuck(const struct liveness *before, const struct liveness *after,
		    const struct cpus *online, struct cpus *stuck);

#endif /* PCSAMPLE_LIB_LIVENESS_H */
