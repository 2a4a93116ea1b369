// SPDX-License-Identifier: GPL-2.0-only
/*
 * The plan of one event; see plan.h.
 */
#include <linux/math64.h>

#include "plan.h"

/*
 * The output function of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators, 2014), used as a hash of (seed, round number).
 */
static u64 pcs_plan_hash(const struct pcs_plan *plan, u64 round)
{
	u64 z = ((u64)plan->seed << 32) ^ (round + 1);

	z *= 0x9E3779B97F4A7C15ULL;
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
	return z ^ (z >> 31);
}

u64 pcs_plan_time(const struct pcs_plan *plan, u64 round)
{
	u64 time = plan->start + round * plan->period;
	u64 dither;

	if (!plan->dither)
		return time;
	div64_u64_rem(pcs_plan_hash(plan, round), plan->period, &dither);
	return time + dither;
}

u64 pcs_plan_due(const struct pcs_plan *plan, u64 now)
{
	u64 round;

	if (now < plan->start)
		return 0;

	/* Every earlier round is due: it cannot be dithered out of its own period. */
	round = div64_u64(now - plan->start, plan->period);
	return round + (pcs_plan_time(plan, round) <= now);
}
