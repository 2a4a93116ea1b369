/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan of one event: when its reader reads which target, computed from the clock.
 *
 * A period is cut into ticks of equal length; the targets are spread over them in order, so that
 * each target is read once per period. A dithered plan moves every tick by a pseudo-random part of
 * its own length. The offset is a function of (seed, tick number) alone. So the number of reads due
 * at any time follows from the clock, without state that a lost timer could spoil, and anybody who
 * knows the seed can repeat the computation.
 *
 *	period 0            period 1
 *	|  tick 0 |  tick 1 |  tick 2 |  tick 3 |	2 ticks a period, 4 targets
 *	|    x    |x        |      x  |   x     |	x: reads of the tick, dithered
 *	 reads 0,1  reads 2,3 reads 4,5 reads 6,7
 *
 * Pure: no clock, no MMIO, no locks; unit tests compile it in user space.
 */
#ifndef ARM_PCSAMPLE_PLAN_H
#define ARM_PCSAMPLE_PLAN_H

#include <arch-model/types.h>

/* Shortest and longest period of an event, ns */
#define PCS_PERIOD_MIN		10000ULL
#define PCS_PERIOD_MAX		3600000000000ULL

/*
 * Ticks are not closer than this, ns, if a period has several: a timer interrupt costs the reader's
 * CPU as much as a few reads. A shorter period has one tick, and reads that need several slices
 * (budget.h) take an interrupt for each.
 */
#define PCS_TICK_MIN		100000ULL

/**
 * struct pcs_plan - plan of one event from one start on
 * @start: clock at the start, ns
 * @period: ns between two reads of a target, PCS_PERIOD_MIN to PCS_PERIOD_MAX
 * @nr_targets: reads per period, at least 1
 * @nr_ticks: ticks per period, 1 to @nr_targets
 * @seed: of the dither
 * @dither: false: each tick stands at the start of its interval
 *
 * Read number r is of target r % @nr_targets in period r / @nr_targets.
 */
struct pcs_plan {
	u64 start;
	u64 period;
	u32 nr_targets;
	u32 nr_ticks;
	u32 seed;
	bool dither;
};

/**
 * pcs_plan_init() - lay out a plan
 * @plan: to fill
 * @start: clock now, ns
 * @period: ns, within PCS_PERIOD_MIN and PCS_PERIOD_MAX
 * @nr_targets: at least 1
 * @seed: of the dither
 * @dither: whether to dither
 */
void pcs_plan_init(struct pcs_plan *plan, u64 start, u64 period, u32 nr_targets, u32 seed,
		   bool dither);

/**
 * pcs_plan_time() - when a read is due
 * @plan: the plan
 * @read: number of the read
 *
 * Return: clock, ns. Reads of one tick are due at the same time; later ticks are never earlier.
 */
u64 pcs_plan_time(const struct pcs_plan *plan, u64 read);

/**
 * pcs_plan_due() - how many reads are due
 * @plan: the plan
 * @now: clock, ns
 *
 * Return: number of reads whose pcs_plan_time() is not after @now: reads 0 up to this number,
 * exclusive. Always a whole number of ticks.
 */
u64 pcs_plan_due(const struct pcs_plan *plan, u64 now);

/**
 * pcs_plan_reads_of() - how many of the first reads are of one target
 * @plan: the plan
 * @reads: reads 0 up to this number, exclusive
 * @target: index of the target, below @plan->nr_targets
 */
u64 pcs_plan_reads_of(const struct pcs_plan *plan, u64 reads, u32 target);

#endif /* ARM_PCSAMPLE_PLAN_H */
