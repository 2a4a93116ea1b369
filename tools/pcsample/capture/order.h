/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sorts side-band records by time, and ends the rounds of a recording.
 *
 * Each CPU has a ring, and the rings are read one after the other. So a record of a process may be
 * read before the fork that made the process, which is in the ring of another CPU. Both are read in
 * the same round.
 */
#ifndef PCSAMPLE_CAPTURE_ORDER_H
#define PCSAMPLE_CAPTURE_ORDER_H

#include "perfdata/writer.h"

/* @item[0..nr-1] were read, and the first @given of them given out. All zeros: empty */
struct capture_order {
	struct perfdata_blob records;
	struct capture_order_item {
		u64 time;
		size_t at;		/* in @records */
	} *item;
	size_t nr, cap, given;
};

/* Add a record that was read; the records of a ring in their order. Return: 0 or -ENOMEM */
int capture_order_add(struct capture_order *order, const struct perf_event_header *record);

/* Sort the records, after those of all rings were added */
void capture_order_sort(struct capture_order *order);

/* The next record, if it is no later than @until; valid until the next one is added */
const struct perf_event_header *capture_order_next(struct capture_order *order, u64 until);

/* Drop the records that were given out. Return: 0 or -ENOMEM */
int capture_order_drop(struct capture_order *order);

void capture_order_deinit(struct capture_order *order);

/*
 * A marker at the end of a round tells a reader of the file how far it can put records in order:
 * when perf reads a marker, it gives out everything up to the newest record that stands before the
 * previous marker. So no record behind a marker may be older than a record before the previous one.
 *
 * Rings are emptied in passes. A pass gives what came to the rings since the previous pass began,
 * and nothing newer than its own end. A record that comes to a ring is up to @age older than that
 * moment. So behind a marker, everything is newer than the beginning of the pass before the marker,
 * less @age. That is enough if this pass began @age or more after the previous marker was written:
 * the newest record before that one is no newer than that one.
 *
 * @age: ns; 0 if records come to the rings at their time
 * @ended: time of the previous marker; 0: none
 */
struct capture_rounds {
	u64 age;
	u64 ended;
};

/*
 * May a marker follow the pass that began at @began? If so, it is written @now; if not, the round
 * goes on with the next pass.
 */
bool capture_round_ends(struct capture_rounds *rounds, u64 began, u64 now);

#endif /* PCSAMPLE_CAPTURE_ORDER_H */
