// SPDX-License-Identifier: GPL-2.0-only
/*
 * Assignment of targets to readers; see assign.h.
 *
 * Number of readers times number of targets steps, and run only when readers change.
 */
#include "assign.h"

static bool pcs_can_serve(const struct pcs_seats *seats, int seat, int target)
{
	return seat != PCS_NOBODY && seats->acting[seat] != PCS_NOBODY &&
	       seats->acting[seat] != target;
}

static bool pcs_same_package(const struct pcs_seats *seats, int seat, int target)
{
	return seats->package[seats->acting[seat]] == seats->package[target];
}

static int pcs_best_reader(const struct pcs_seats *seats, int target)
{
	int seat, best = PCS_NOBODY, best_load = 0;
	bool best_near = false;

	for (seat = 0; seat < seats->nr_cpus; seat++) {
		bool near;

		if (!pcs_can_serve(seats, seat, target))
			continue;
		near = pcs_same_package(seats, seat, target);
		if (best == PCS_NOBODY || near > best_near ||
		    (near == best_near && seats->load[seat] < best_load)) {
			best = seat;
			best_near = near;
			best_load = seats->load[seat];
		}
	}
	return best;
}

int pcs_assign(struct pcs_seats *seats)
{
	int target, seat, unserved = 0;

	for (seat = 0; seat < seats->nr_cpus; seat++)
		seats->load[seat] = 0;

	for (target = 0; target < seats->nr_cpus; target++) {
		seat = seats->reader[target];
		if (seats->is_target[target] && pcs_can_serve(seats, seat, target))
			seats->load[seat]++;
		else
			seats->reader[target] = PCS_NOBODY;
	}

	for (target = 0; target < seats->nr_cpus; target++) {
		if (!seats->is_target[target] || seats->reader[target] != PCS_NOBODY)
			continue;
		seat = pcs_best_reader(seats, target);
		seats->reader[target] = seat;
		if (seat == PCS_NOBODY)
			unserved++;
		else
			seats->load[seat]++;
	}
	return unserved;
}
