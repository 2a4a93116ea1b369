/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One pass over all samples in the order of time, for output that needs each sample and not
 * counts. Samples are resolved in groups.
 */
#ifndef PCSAMPLE_PROFILE_SAMPLES_H
#define PCSAMPLE_PROFILE_SAMPLES_H

#include "profile/aggregate.h"

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

/**
 * struct sample_seen - a sample
 * @x: the thread and the code; the symbols of its DSO are loaded @symtab, @bucket: the symbols of
 * the DSO, and the bucket of the address in them
 * @sym: index in @symtab, or SYM_NONE
 * @rec: the record, and @pos where it is; @event is its event
 * @priv: for what is called with it
 * @weight: its period
 * @block: of stats.h, the session's chunk that it is in
 * @resolver: what looked it up, for its call chain
 *
 * The last three are for each_sample() only.
 */
struct sample_seen {
	struct resolved x;
	const struct symtab *symtab;
	const u32 *bucket;
	u32 sym;
	u64 pos;
	const u8 *rec;
	const struct recorded_event *event;
	void *priv;
	u64 weight;
	u32 block;
	struct resolver *resolver;
};

#define SAMPLES_GROUP 32

/* Takes up to SAMPLES_GROUP samples. Return: 0, or what ends the walk */
typedef int (*samples_fn)(void *ctx, struct resolver *rs, struct sample_seen *seen, size_t nr);

/**
 * samples_by_group() - call a function for each group of samples
 * @event: index, or -1 for the samples of all events
 * @filter: NULL for all samples
 *
 * Samples of no event, and those that are too short for theirs, are left out.
 *
 * Return: 0, -ENOMEM, or what @fn returned.
 */
int samples_by_group(struct session *s, int event, const struct aggregate_filter *filter,
		     samples_fn fn, void *ctx);

/* Return: 0, or a negative errno that ends the walk */
typedef int (*sample_fn)(void *ctx, const struct sample_seen *sample);

/* As samples_by_group(), sample by sample */
int each_sample(struct session *s, u32 event, const struct aggregate_filter *filter, sample_fn fn,
		void *ctx);

#endif /* PCSAMPLE_PROFILE_SAMPLES_H */
