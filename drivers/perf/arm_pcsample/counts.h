/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What PMU counters did between two snapshots of them.
 *
 * The counters belong to perf. On the CPU of a counter it gives the counter to an event, takes it
 * away and writes to it at any time. Beside the counter it keeps the event's count, and the value
 * that the counter had when the count was last updated. The CPU that takes a snapshot of the
 * counter reads both before and after it. If perf changed neither meanwhile, the count at the
 * snapshot is exact, whatever the counter was programmed to and however often it wrapped. And if
 * the event has had its counter without a break since the last snapshot, the two counts differ by
 * all that happened in between.
 *
 * perf writes count and value one after the other, and the value before the counter. If the CPU is
 * held up between two of these, as by a hypervisor, for all of a snapshot, both looks agree on what
 * does not belong together. If that makes the count too low, it is below the one before: nothing is
 * made of this difference, nor of the next. If it makes it too high, as between the value and the
 * counter, this difference is given out, and nothing is made of the next. Nothing tells it from a
 * CPU that was busy for long.
 *
 * Pure: unit tests compile it in user space.
 */
#ifndef ARM_PCSAMPLE_COUNTS_H
#define ARM_PCSAMPLE_COUNTS_H

#include <arch-model/types.h>
#include <linux/arm_pcsample.h>

/**
 * enum pcs_counter - what is counted; each has its ARM_PCSAMPLE_HAS_* and its field in the record
 * @PCS_COUNT_CYCLES: CPU_CYCLES
 * @PCS_COUNT_INSTRUCTIONS: INST_RETIRED
 * @PCS_COUNT_EVENT: the event that the user chose
 * @PCS_NR_COUNTS: number of them
 */
enum pcs_counter {
	PCS_COUNT_CYCLES,
	PCS_COUNT_INSTRUCTIONS,
	PCS_COUNT_EVENT,
	PCS_NR_COUNTS
};

/* Numbers of hardware counters; event counters are 0 to 30 */
#define PCS_COUNTER_NONE		(-1)
#define PCS_COUNTER_CYCLES		31
#define PCS_COUNTER_INSTRUCTIONS	32

/**
 * struct pcs_look - a perf event that counts on the sampled CPU, looked at from another
 * @counter: its hardware counter, or PCS_COUNTER_NONE if it does not count now
 * @since: when perf gave it the counter, or later
 * @count: its count
 * @start: what the counter held when @count was brought up to date
 * @mask: bits of the counter that count
 */
struct pcs_look {
	int counter;
	u64 since;
	u64 count;
	u64 start;
	u64 mask;
};

/**
 * struct pcs_counts - counts of one moment
 * @valid: bit n is set if count n is known
 * @value: the counts, each since some moment of its own
 * @since: see struct pcs_look
 */
struct pcs_counts {
	u8 valid;
	u64 value[PCS_NR_COUNTS];
	u64 since[PCS_NR_COUNTS];
};

/**
 * pcs_counts_take() - counts of the moment of a snapshot
 * @counts: filled
 * @before: each event, before the snapshot
 * @after: and after it
 * @saved: each one's counter in the snapshot, where @before has one
 */
void pcs_counts_take(struct pcs_counts *counts, const struct pcs_look *before,
		     const struct pcs_look *after, const u64 *saved);

/**
 * pcs_counts_since() - what happened between two snapshots
 * @last: counts of the earlier one; on return those of @now, if it has any
 * @now: counts of the later one
 * @wanted: bit n is set where count n is asked for
 * @delta: filled where that is known, and 0 elsewhere
 *
 * Return: ARM_PCSAMPLE_HAS_* of what is known.
 */
u8 pcs_counts_since(struct pcs_counts *last, const struct pcs_counts *now, u8 wanted, u64 *delta);

/**
 * pcs_counts_stand_still() - has the CPU done nothing since the last snapshot?
 * @last: counts of the last snapshot
 * @now: counts of this one
 *
 * Either it did not run a single cycle, or this snapshot was not taken and the registers still hold
 * the last one. The registers do not say which.
 */
bool pcs_counts_stand_still(const struct pcs_counts *last, const struct pcs_counts *now);

#endif /* ARM_PCSAMPLE_COUNTS_H */
