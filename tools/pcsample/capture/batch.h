/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Splits records of arm_pcsample that several samples share.
 *
 * Most of the time that a sample costs the reader's CPU is spent by perf, on its record. So the
 * driver can put up to ARM_PCSAMPLE_BATCH_MAX samples into one record (struct arm_pcsample_batch).
 * The recording gets a record for each of them, as without batches, so nothing that reads a
 * perf.data has to know about them.
 */
#ifndef PCSAMPLE_CAPTURE_BATCH_H
#define PCSAMPLE_CAPTURE_BATCH_H

#include <linux/arm_pcsample.h>
#include <linux/perf_event.h>
#include <stdbool.h>

#include "perfdata/sample.h"
#include "perfdata/writer.h"

/*
 * How much older than its record a sample can be, ns. The reader's timer keeps the driver's limit,
 * and it is late while the reader masks interrupts, or while a hypervisor does not run the reader:
 * 90 ms are allowed for that. They cost nothing, since record empties the rings every 100 ms. If a
 * timer is later still, perf may report records that are out of order.
 */
#define BATCH_OLDEST	(10ULL * ARM_PCSAMPLE_BATCH_AGE)

/**
 * batch_split() - append the samples of a record
 * @to: receives a PERF_RECORD_SAMPLE for each
 * @layout: of the event. It has IP, TID, TIME by CLOCK_MONOTONIC, CPU, PERIOD and RAW, no other
 *	field of variable size, and behind RAW at most CGROUP
 * @record: a record of the event
 *
 * Return: false if the record has no batch, or a damaged one; then nothing is appended. A sample
 * can be used as it is in either case: it stands for its batch.
 */
bool batch_split(struct perfdata_blob *to, const struct sample_layout *layout,
		 const struct perf_event_header *record);

#endif /* PCSAMPLE_CAPTURE_BATCH_H */
