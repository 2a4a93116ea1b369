/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The idle functions of the kernel.
 */
#ifndef PCSAMPLE_SYMBOLS_KERNEL_IDLE_H
#define PCSAMPLE_SYMBOLS_KERNEL_IDLE_H

#include "symbols/dso.h"

#define KERNEL_IDLE_MAX 32

/**
 * struct kernel_idle - the functions
 * @start, @end: addresses as in struct resolved, @nr of them
 *
 * Code decides whether a sample is idle, not the task: the idle task also runs interrupts and
 * softirqs. A CPU without power is not sampled at all; the ledger counts that.
 */
struct kernel_idle {
	struct {
		u64 start, end;
	} range[KERNEL_IDLE_MAX];
	unsigned int nr;
};

/* Loads the kernel's symbols; without any, nothing is idle */
void kernel_idle_find(struct kernel_idle *k, struct dso_table *dsos);

static inline bool kernel_idle_has(const struct kernel_idle *k, u64 addr)
{
	unsigned int i;

	for (i = 0; i < k->nr; i++)
		if (addr >= k->range[i].start && addr < k->range[i].end)
			return true;
	return false;
}

#endif /* PCSAMPLE_SYMBOLS_KERNEL_IDLE_H */
