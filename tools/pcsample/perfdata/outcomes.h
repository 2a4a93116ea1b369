/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can become of a planned read, by the names that the driver's ledger and recordings use.
 * tests/test-tables.c compares the names with the driver's source.
 */
#ifndef PCSAMPLE_PERFDATA_OUTCOMES_H
#define PCSAMPLE_PERFDATA_OUTCOMES_H

/* In the order of the driver's enum pcs_outcome */
enum outcome {
	OUTCOME_SAMPLE,
	OUTCOME_FILTERED,
	OUTCOME_IDLE,
	OUTCOME_PROHIBITED,
	OUTCOME_DEBUG,
	OUTCOME_NO_BRANCH,
	OUTCOME_ERROR,
	OUTCOME_LATE,
	OUTCOME_PREEMPTED,
	OUTCOME_BUFFER_FULL,
	NR_OUTCOMES
};

/**
 * struct outcome_text - texts for an outcome
 * @name: its name in ledgers
 * @why: message for a recording without samples for this reason; NULL for a sample
 */
struct outcome_text {
	const char *name, *why;
};

extern const struct outcome_text outcomes[NR_OUTCOMES];

/* In ledgers, the sum of all outcomes: the number of reads that were due */
#define OUTCOME_PLANNED "planned"

#endif /* PCSAMPLE_PERFDATA_OUTCOMES_H */
