/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What became of a planned read: the words of the driver's ledger, as its files and the recordings
 * have them. tests/test-tables.c compares them with the driver's source.
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
 * struct outcome_text - an outcome in words
 * @name: in ledgers
 * @why: what to say when a recording has no sample for this reason; NULL for a sample
 */
struct outcome_text {
	const char *name, *why;
};

extern const struct outcome_text outcomes[NR_OUTCOMES];

/* Their sum: all reads that were due */
#define OUTCOME_PLANNED "planned"

#endif /* PCSAMPLE_PERFDATA_OUTCOMES_H */
