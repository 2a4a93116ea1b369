// SPDX-License-Identifier: GPL-2.0-only
/*
 * Assignment of targets to readers; see assign.h.
 *
 * Number of CPUs times number of targets steps, and run only when readers change. Where
 * there are hundreds of CPUs that is too long for a raw lock.
 */
#include "assign.h"

static bool pcs_can_serve(const struct pcs_seats *seats, int reader, int target)
{
	return reader != PCS_NOBODY && reader != target && seats->is_reader[reader];
}

static int pcs_best_reader(const struct pcs_seats *seats, int target)
{
	int cpu, best = PCS_NOBODY, best_load = 0;
	bool best_near = false;

	for (cpu = 0; cpu < seats->nr_cpus; cpu++) {
		bool near;

		if (!pcs_can_serve(seats, cpu, target))
			continue;
		near = seats->package[cpu] == seats->package[target];
		if (best == PCS_NOBODY || near > best_near ||
		    (near == best_near && seats->load[cpu] < best_load)) {
			best = cpu;
			best_near = near;
			best_load = seats->load[cpu];
		}
	}
	return best;
}

void pcs_assign(struct pcs_seats *seats)
{
	int target, reader;

	for (reader = 0; reader < seats->nr_cpus; reader++)
		seats->load[reader] = 0;

	for (target = 0; target < seats->nr_cpus; target++) {
		reader = seats->reader[target];
		if (seats->is_target[target] && pcs_can_serve(seats, reader, target))
			seats->load[reader]++;
		else
			seats->reader[target] = PCS_NOBODY;
	}

	for (target = 0; target < seats->nr_cpus; target++) {
		if (!seats->is_target[target] || seats->reader[target] != PCS_NOBODY)
			continue;
		reader = pcs_best_reader(seats, target);
		seats->reader[target] = reader;
		if (reader != PCS_NOBODY)
			seats->load[reader]++;
	}
}
