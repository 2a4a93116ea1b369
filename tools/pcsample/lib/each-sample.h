/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One sample after the other, in the order of time, for what cannot be said by counts.
 */
#ifndef PCSAMPLE_LIB_EACH_SAMPLE_H
#define PCSAMPLE_LIB_EACH_SAMPLE_H

#include "lib/aggregate.h"

/**
 * struct sample_seen - a sample
 * @x: the thread and the code; the symbols of its DSO are loaded
 * @sym: index in the symbols of the DSO, or SYM_NONE
 * @weight: its period
 * @block: of stats.h, the session's chunk that it is in
 * @rec: the record, @layout that of its event, and @resolver what looked it up: for its call chain
 */
struct sample_seen {
	struct resolved x;
	u32 sym;
	u64 weight;
	u32 block;
	const u8 *rec;
	const struct sample_layout *layout;
	struct resolver *resolver;
};

/* Return: 0, or a negative errno that ends the walk */
typedef int (*sample_fn)(void *ctx, const struct sample_seen *sample);

/**
 * each_sample() - call a function for each sample of an event
 * @event: index
 * @filter: NULL for all samples
 *
 * Return: 0, -ENOMEM, or what @fn returned.
 */
int each_sample(struct session *s, u32 event, const struct aggregate_filter *filter, sample_fn fn,
		void *ctx);

#endif /* PCSAMPLE_LIB_EACH_SAMPLE_H */
