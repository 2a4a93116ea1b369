/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sorts side-band records by time.
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

#endif /* PCSAMPLE_CAPTURE_ORDER_H */
