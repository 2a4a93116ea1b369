/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan of one event: when its reader reads its targets, computed from the clock.
 *
 * Once a period there is a round: each target is read, in order. A dithered plan moves every round
 * by a pseudo-random part of the period. The offset is a function of (seed, round number) alone. So
 * the number of rounds due at any time follows from the clock, without state that a lost timer
 * could spoil, and anybody who knows the seed can repeat the computation.
 *
 *	period 0     period 1     period 2
 *	|     x      |x           |         x  |	x: a round, dithered
 *
 * A round may fall on any part of its period, and all targets are read in it. If each target had a
 * part of the period for itself, work that a target does once a period, such as its timer tick,
 * would be seen far too often in some targets and never in others.
 *
 * Pure: no clock, no MMIO, no locks; unit tests compile it in user space.
 */
#ifndef ARM_PCSAMPLE_PLAN_H
#define ARM_PCSAMPLE_PLAN_H

#include <arch-model/types.h>

/* Shortest and longest period of an event, ns */
#define PCS_PERIOD_MIN		10000ULL
#define PCS_PERIOD_MAX		3600000000000ULL

/**
 * struct pcs_plan - plan of one event from one start on
 * @start: clock at the start, ns
 * @period: ns between two rounds, PCS_PERIOD_MIN to PCS_PERIOD_MAX
 * @seed: of the dither
 * @dither: false: each round stands at the start of its period
 */
struct pcs_plan {
	u64 start;
	u64 period;
	u32 seed;
	bool dither;
};

/**
 * pcs_plan_time() - when a round is due
 * @plan: the plan
 * @round: number of the round
 *
 * Return: clock, ns. Later rounds are never earlier.
 */
u64 pcs_plan_time(const struct pcs_plan *plan, u64 round);

/**
 * pcs_plan_due() - how many rounds are due
 * @plan: the plan
 * @now: clock, ns
 *
 * Return: number of rounds whose pcs_plan_time() is not after @now: rounds 0 up to this number,
 * exclusive.
 */
u64 pcs_plan_due(const struct pcs_plan *plan, u64 now);

#endif /* ARM_PCSAMPLE_PLAN_H */
