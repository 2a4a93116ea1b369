// SPDX-License-Identifier: GPL-2.0-only
#include "base/array.h"
#include "capture/order.h"

/* The trailer: pid and tid, time, CPU, identifier */
#define TRAILER_BYTES	(4 * sizeof(u64))
#define TRAILER_TIME	(3 * sizeof(u64))	/* from its end */

/* A record without a time keeps its place after the previous record */
static u64 time_of(const struct capture_order *order, const struct perf_event_header *record)
{
	if (record->size >= sizeof(*record) + TRAILER_BYTES)
		return load64((const u8 *)record + record->size - TRAILER_TIME);
	return order->nr ? order->item[order->nr - 1].time : 0;
}

int capture_order_add(struct capture_order *order, const struct perf_event_header *record)
{
	u64 time = time_of(order, record);

	if (mem_grow(&order->item, &order->cap, order->nr + 1))
		return -ENOMEM;
	order->item[order->nr++] = (struct capture_order_item){ time, order->records.size };
	perfdata_blob_bytes(&order->records, record, record->size);
	return order->records.failed ? -ENOMEM : 0;
}

static int compare_items(const void *a, const void *b)
{
	const struct capture_order_item *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

void capture_order_sort(struct capture_order *order)
{
	if (order->nr)
		qsort(order->item, order->nr, sizeof(*order->item), compare_items);
}

const struct perf_event_header *capture_order_next(struct capture_order *order, u64 until)
{
	const struct capture_order_item *item = order->item + order->given;

	if (order->given == order->nr || item->time > until)
		return NULL;
	order->given++;
	return (const void *)(order->records.data + item->at);
}

int capture_order_drop(struct capture_order *order)
{
	struct capture_order rest = { 0 };
	const struct perf_event_header *record;
	int ret = 0;

	while (!ret && (record = capture_order_next(order, UINT64_MAX)))
		ret = capture_order_add(&rest, record);
	/* The common case keeps its memory */
	if (!ret && !rest.nr) {
		order->nr = 0;
		order->given = 0;
		order->records.size = 0;
		return 0;
	}
	capture_order_deinit(order);
	*order = rest;
	return ret;
}

void capture_order_deinit(struct capture_order *order)
{
	perfdata_blob_release(&order->records);
	free(order->item);
	memset(order, 0, sizeof(*order));
}

bool capture_round_ends(struct capture_rounds *rounds, u64 began, u64 now)
{
	if (began < rounds->ended + rounds->age)
		return false;
	rounds->ended = now;
	return true;
}
