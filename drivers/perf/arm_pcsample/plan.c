// SPDX-License-Identifier: GPL-2.0-only
/*
 * The plan of one event; see plan.h.
 *
 * No product below overflows: PCS_PERIOD_MAX * nr_ticks stays under 2^64 for up to 5 million
 * ticks a period, and there are no more ticks than CPUs.
 */
#include <linux/math64.h>

#include "plan.h"

void pcs_plan_init(struct pcs_plan *plan, u64 start, u64 period, u32 nr_targets, u32 seed,
		   bool dither)
{
	u64 ticks = div_u64(period, PCS_TICK_MIN);

	plan->start = start;
	plan->period = period;
	plan->nr_targets = nr_targets;
	plan->nr_ticks = ticks > nr_targets ? nr_targets : ticks ? ticks : 1;
	plan->seed = seed;
	plan->dither = dither;
}

/* Offset of the tick's interval from the start of its period; tick may be nr_ticks: the end */
static u64 pcs_tick_begin(const struct pcs_plan *plan, u32 tick)
{
	return div_u64(plan->period * tick, plan->nr_ticks);
}

/* First read of a tick, counted within the period; tick may be nr_ticks: the end */
static u32 pcs_tick_first_read(const struct pcs_plan *plan, u32 tick)
{
	return div_u64((u64)tick * plan->nr_targets + plan->nr_ticks - 1, plan->nr_ticks);
}

/*
 * The output function of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators, 2014), used as a hash of (seed, tick number).
 */
static u64 pcs_plan_hash(const struct pcs_plan *plan, u64 period_nr, u32 tick)
{
	u64 z = ((u64)plan->seed << 32) ^ (period_nr * plan->nr_ticks + tick + 1);

	z *= 0x9E3779B97F4A7C15ULL;
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
	return z ^ (z >> 31);
}

static u64 pcs_tick_time(const struct pcs_plan *plan, u64 period_nr, u32 tick)
{
	u64 begin = pcs_tick_begin(plan, tick);
	u64 length = pcs_tick_begin(plan, tick + 1) - begin;
	u64 time = plan->start + period_nr * plan->period + begin;
	u64 dither;

	if (!plan->dither)
		return time;
	div64_u64_rem(pcs_plan_hash(plan, period_nr, tick), length, &dither);
	return time + dither;
}

u64 pcs_plan_time(const struct pcs_plan *plan, u64 read)
{
	u64 period_nr;
	u32 index;

	period_nr = div_u64_rem(read, plan->nr_targets, &index);
	return pcs_tick_time(plan, period_nr,
			     div_u64((u64)index * plan->nr_ticks, plan->nr_targets));
}

u64 pcs_plan_due(const struct pcs_plan *plan, u64 now)
{
	u64 period_nr, into;
	u32 tick;

	if (now < plan->start)
		return 0;

	/* Every earlier tick is due: it cannot be dithered out of its own interval. */
	period_nr = div64_u64_rem(now - plan->start, plan->period, &into);
	/* The last tick with period * tick / nr_ticks <= into, rounded down as pcs_tick_begin() */
	tick = div64_u64((into + 1) * plan->nr_ticks - 1, plan->period);
	if (pcs_tick_time(plan, period_nr, tick) <= now)
		tick++;
	return period_nr * plan->nr_targets + pcs_tick_first_read(plan, tick);
}

u64 pcs_plan_reads_of(const struct pcs_plan *plan, u64 reads, u32 target)
{
	u64 periods;
	u32 rest;

	periods = div_u64_rem(reads, plan->nr_targets, &rest);
	return periods + (target < rest);
}
