// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts of snapshots; see counts.h.
 */
#include <arch-model/bits.h>

#include "counts.h"

static bool pcs_looks_same(const struct pcs_look *a, const struct pcs_look *b)
{
	return a->counter == b->counter && a->since == b->since && a->count == b->count &&
	       a->start == b->start;
}

void pcs_counts_take(struct pcs_counts *counts, const struct pcs_look *before,
		     const struct pcs_look *after, const u64 *saved)
{
	unsigned int i;

	counts->valid = 0;
	for (i = 0; i < PCS_NR_COUNTS; i++) {
		if (before[i].counter == PCS_COUNTER_NONE || !pcs_looks_same(&before[i], &after[i]))
			continue;
		counts->valid |= BIT_ULL(i);
		counts->since[i] = before[i].since;
		counts->value[i] = before[i].count +
				   ((saved[i] - before[i].start) & before[i].mask);
	}
}

u8 pcs_counts_since(struct pcs_counts *last, const struct pcs_counts *now, u8 wanted, u64 *delta)
{
	static const u8 has[] = {
		[PCS_COUNT_CYCLES] = ARM_PCSAMPLE_HAS_CYCLES,
		[PCS_COUNT_INSTRUCTIONS] = ARM_PCSAMPLE_HAS_INSTRUCTIONS,
		[PCS_COUNT_EVENT] = ARM_PCSAMPLE_HAS_COUNTED,
	};
	u8 known = 0, torn = 0;
	unsigned int i;

	for (i = 0; i < PCS_NR_COUNTS; i++) {
		delta[i] = 0;
		if (!(wanted & last->valid & now->valid & BIT_ULL(i)) ||
		    last->since[i] != now->since[i])
			continue;
		if (now->value[i] < last->value[i]) {
			torn |= BIT_ULL(i);
			continue;
		}
		delta[i] = now->value[i] - last->value[i];
		known |= has[i];
	}
	if (now->valid) {
		*last = *now;
		last->valid &= ~torn;
	}
	return known;
}

bool pcs_counts_stand_still(const struct pcs_counts *last, const struct pcs_counts *now)
{
	return (last->valid & now->valid & BIT_ULL(PCS_COUNT_CYCLES)) &&
	       last->since[PCS_COUNT_CYCLES] == now->since[PCS_COUNT_CYCLES] &&
	       last->value[PCS_COUNT_CYCLES] == now->value[PCS_COUNT_CYCLES];
}
