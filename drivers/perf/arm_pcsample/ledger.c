// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ledger; see ledger.h.
 */
#include "ledger.h"

const char *pcs_outcome_name(enum pcs_outcome outcome)
{
	static const char * const names[PCS_NR_OUTCOMES] = {
		[PCS_SAMPLE]		= "sample",
		[PCS_FILTERED]		= "filtered",
		[PCS_IDLE]		= "idle",
		[PCS_PROHIBITED]	= "prohibited",
		[PCS_DEBUG]		= "debug",
		[PCS_NO_BRANCH]		= "no_branch",
		[PCS_ERROR]		= "error",
		[PCS_LATE]		= "late",
		[PCS_PREEMPTED]		= "preempted",
		[PCS_BUFFER_FULL]	= "buffer_full",
	};

	return names[outcome];
}

void pcs_ledger_add(struct pcs_ledger *sum, const struct pcs_ledger *ledger)
{
	unsigned int i;

	sum->planned += ledger->planned;
	for (i = 0; i < PCS_NR_OUTCOMES; i++)
		sum->outcome[i] += ledger->outcome[i];
}
