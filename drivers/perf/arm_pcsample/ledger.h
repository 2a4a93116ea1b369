/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ledger: what became of every planned read.
 *
 * planned comes from the clock (plan.h), the outcomes from counting them one by one. The sum
 * rule: planned is the sum of the outcomes. Nothing in the driver forces it; it is what tests
 * and users check.
 *
 * Pure: unit tests compile it in user space.
 */
#ifndef ARM_PCSAMPLE_LEDGER_H
#define ARM_PCSAMPLE_LEDGER_H

#include <arch-model/types.h>

/**
 * enum pcs_outcome - what became of a planned read
 * @PCS_SAMPLE: a sample was handed to perf
 * @PCS_FILTERED: read, but the event's filters exclude it
 * @PCS_IDLE: the target was powered off, or on its way there, and not touched
 * @PCS_PROHIBITED: no sample: the PE was where sampling is not allowed
 * @PCS_DEBUG: no sample although sampling is allowed everywhere: Debug state
 * @PCS_NO_BRANCH: not read, since the target has power but has not opened its block yet; or read,
 *	but the values may be UNKNOWN, be of two samples, or have an owner that cannot be told
 * @PCS_ERROR: the block cannot be read (OS lock, Software lock, error response)
 * @PCS_LATE: the reader came when the target's next read was due already
 * @PCS_PREEMPTED: the reader was over its budget, or its CPU had a vCPU loaded
 * @PCS_BUFFER_FULL: a sample for which the ring buffer had no room
 * @PCS_NR_OUTCOMES: number of outcomes
 * @PCS_BATCHED: no outcome: the sample waits in a batch, and becomes PCS_SAMPLE or PCS_BUFFER_FULL
 */
enum pcs_outcome {
	PCS_SAMPLE,
	PCS_FILTERED,
	PCS_IDLE,
	PCS_PROHIBITED,
	PCS_DEBUG,
	PCS_NO_BRANCH,
	PCS_ERROR,
	PCS_LATE,
	PCS_PREEMPTED,
	PCS_BUFFER_FULL,
	PCS_NR_OUTCOMES,
	PCS_BATCHED = PCS_NR_OUTCOMES
};

/**
 * struct pcs_ledger - account of one target, or of several added up
 * @planned: reads that were due
 * @outcome: what became of them, by enum pcs_outcome
 */
struct pcs_ledger {
	u64 planned;
	u64 outcome[PCS_NR_OUTCOMES];
};

/**
 * pcs_outcome_name() - name of an outcome in the user ABI
 * @outcome: below PCS_NR_OUTCOMES
 */
const char *pcs_outcome_name(enum pcs_outcome outcome);

/**
 * pcs_ledger_add() - add one account to another
 * @sum: added to
 * @ledger: added
 */
void pcs_ledger_add(struct pcs_ledger *sum, const struct pcs_ledger *ledger);

#endif /* ARM_PCSAMPLE_LEDGER_H */
