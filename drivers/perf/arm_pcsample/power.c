// SPDX-License-Identifier: GPL-2.0-only
/*
 * The power state of a block; see power.h.
 */
#include "power.h"

/**
 * struct pcs_transition - what an event does to struct pcs_power
 * @set: reasons that it adds
 * @clear: reasons that it takes away
 * @forget: what is not so any more of what was done
 * @done: what is done
 */
struct pcs_transition {
	u8 set;
	u8 clear;
	u8 forget;
	u8 done;
};

#define PCS_DONE_ALL	(PCS_DONE_ACTIVE | PCS_DONE_OPEN)

/*
 * A PE that runs one of these has power, and so has its cluster: only the first CPU of a cluster
 * that wakes up reports the cluster's exit.
 */
#define PCS_OFF_RUNS	(PCS_OFF_IDLE | PCS_OFF_CLUSTER)

static const struct pcs_transition pcs_transitions[PCS_POWER_NR_EVENTS] = {
	[PCS_POWER_ONLINE] = { .clear = PCS_OFF_OFFLINE | PCS_OFF_RUNS },
	[PCS_POWER_OFFLINE] = { .set = PCS_OFF_OFFLINE, .forget = PCS_DONE_ALL },

	/*
	 * A CPU that goes offline idles on its way, so the end of an idle state is no reason to
	 * take it for online.
	 */
	[PCS_POWER_IDLE_ENTER] = { .set = PCS_OFF_IDLE, .forget = PCS_DONE_ALL },
	[PCS_POWER_IDLE_FAILED] = { .clear = PCS_OFF_RUNS },
	[PCS_POWER_IDLE_EXIT] = { .clear = PCS_OFF_RUNS },

	[PCS_POWER_CLUSTER_ENTER] = { .set = PCS_OFF_CLUSTER, .forget = PCS_DONE_ALL },
	[PCS_POWER_CLUSTER_FAILED] = { .clear = PCS_OFF_CLUSTER },
	[PCS_POWER_CLUSTER_EXIT] = { .clear = PCS_OFF_CLUSTER },

	[PCS_POWER_SUSPEND] = { .set = PCS_OFF_ASLEEP, .forget = PCS_DONE_ALL },
	[PCS_POWER_RESUME] = { .clear = PCS_OFF_ASLEEP },

	/* The Software lock is in the Debug power domain, the sampling state in the Core's. */
	[PCS_POWER_HOLD] = { .clear = PCS_OFF_UNHELD },
	[PCS_POWER_RELEASE] = { .set = PCS_OFF_UNHELD, .forget = PCS_DONE_OPEN },

	[PCS_POWER_GONE] = { .set = PCS_OFF_GONE, .forget = PCS_DONE_ALL },

	[PCS_POWER_ACTIVATED] = { .done = PCS_DONE_ACTIVE },
	[PCS_POWER_OPENED] = { .done = PCS_DONE_OPEN },
	[PCS_POWER_SUSPENDED_SAMPLING] = { .forget = PCS_DONE_ALL },
};

void pcs_power_init(struct pcs_power *power)
{
	*power = (struct pcs_power) { .off = PCS_OFF_OFFLINE | PCS_OFF_UNHELD };
}

void pcs_power_event(struct pcs_power *power, enum pcs_power_event event)
{
	const struct pcs_transition *t = &pcs_transitions[event];

	power->off = (power->off & ~t->clear) | t->set;
	power->done &= ~t->forget;

	/* Nothing can have been done to what must not be touched, or is not active. */
	if (power->off)
		return;
	if (t->done == PCS_DONE_OPEN && !(power->done & PCS_DONE_ACTIVE))
		return;
	power->done |= t->done;
}
