/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples in the order of their times.
 */
#ifndef PCSAMPLE_LIB_IN_ORDER_H
#define PCSAMPLE_LIB_IN_ORDER_H

#include "lib/session.h"

struct in_order_item {
	u64 time;	/* first: radix_sort() */
	u64 pos;	/* of the sample in pd->data */
};

/*
 * A file has the buffers of all CPUs one after the other, round by round. A recorder that marks the
 * rounds promises that nothing in a round is older than what the round before the last one ended
 * with, so only two rounds are in memory. Without marks all samples are, 32 bytes each.
 *
 * @item[0..nr-1] are read and not yet given out. The samples of one buffer are in order already:
 * @item is a number of sorted runs, which begin at @run[0..nr_runs-1].
 */
struct in_order {
	struct session *s;
	u64 pos;
	struct in_order_item *item, *other;	/* other: to merge into */
	size_t nr, cap, other_cap, given;
	size_t *run, nr_runs, runs_cap;
	u64 newest;		/* time in what is read */
	u64 before;		/* newest when the last round began */
};

void in_order_init(struct in_order *o, struct session *s);
void in_order_deinit(struct in_order *o);

/**
 * in_order_next() - the next samples
 * @items: takes them, sorted; they hold until the next call
 *
 * Return: how many; 0 at the end; -ENOMEM.
 */
ssize_t in_order_next(struct in_order *o, const struct in_order_item **items);

#endif /* PCSAMPLE_LIB_IN_ORDER_H */
