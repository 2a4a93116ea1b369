/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Visits all samples in the order of time, for output of single samples rather than counts.
 * Samples are looked up in groups.
 */
#ifndef PCSAMPLE_PROFILE_SAMPLES_H
#define PCSAMPLE_PROFILE_SAMPLES_H

#include "profile/aggregate.h"

struct in_order_item {
	u64 time;	/* first: radix_sort() */
	u64 pos;	/* of the sample in pd->data */
};

/*
 * A recorder writes the buffers of all CPUs one after the other, in rounds. If it marks the rounds
 * (PERF_RECORD_FINISHED_ROUND), no sample is older than the newest one of the round before the last
 * round, so only two rounds are kept in memory. Without marks all samples are, 16 bytes each.
 *
 * The samples of one buffer are in order already: a round consists of sorted runs. They are merged
 * a block at a time, which stays in the CPU's cache.
 */
struct in_order {
	struct session *s;
	u64 pos;
	struct in_order_item *item, *older;	/* the last round, the one before it */
	size_t nr, cap, older_cap;
	size_t *start, nr_starts, starts_cap;	/* where runs of @item begin */
	struct in_order_run {
		const struct in_order_item *at, *end;
	} *run, *part;		/* what is left of the runs; what of them is in a block */
	size_t nr_runs, runs_cap, parts_cap;
	struct in_order_item *block, *other;	/* to merge from one into the other */
	size_t block_cap, other_cap;
	u64 newest;		/* latest time that was read */
	u64 limit;		/* @newest when the last round began: what is older can be given */
	bool ended;
};

void in_order_init(struct in_order *o, struct session *s);
void in_order_deinit(struct in_order *o);

/**
 * in_order_next() - the next samples
 * @items: receives them, sorted; they are valid until the next call
 *
 * Return: how many there are; 0 at the end; -ENOMEM.
 */
ssize_t in_order_next(struct in_order *o, const struct in_order_item **items);

/**
 * struct sample_seen - a sample, looked up
 * @x: the thread and the code
 * @symtab, @bucket, @first: the symbols of its DSO, the bucket of the address in these, and
 *	symtab_first() of it
 * @sym: index in @symtab, or SYM_NONE
 * @rec: the record
 * @event: its event
 * @priv: not touched here; for the function that is called with the sample
 * @weight: its period
 * @block: number of its block (stats.h), which is the session's chunk that it is in
 * @resolver: the resolver that looked it up, for its call chain
 *
 * The last three are set by each_sample() only.
 */
struct sample_seen {
	struct resolved x;
	const struct symtab *symtab;
	u32 bucket;
	const struct symbol *first;
	u32 sym;
	const u8 *rec;
	const struct recorded_event *event;
	void *priv;
	u64 weight;
	u32 block;
	struct resolver *resolver;
};

#define SAMPLES_GROUP 32

/* Gets up to SAMPLES_GROUP samples. Return: 0, or a negative errno that ends the walk */
typedef int (*samples_fn)(void *ctx, struct resolver *rs, struct sample_seen *seen, size_t nr);

/**
 * samples_by_group() - call a function for each group of samples
 * @event: index, or -1 for the samples of all events
 * @filter: NULL for all samples
 *
 * Samples without an event, and those too short for their event's layout, are left out.
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
