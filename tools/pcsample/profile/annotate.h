/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the samples of chosen functions, address by address.
 */
#ifndef PCSAMPLE_PROFILE_ANNOTATE_H
#define PCSAMPLE_PROFILE_ANNOTATE_H

#include "profile/aggregate.h"

/**
 * struct annotate_function - a chosen function and its samples
 * @dso, @sym: indexes
 * @address: the @nr addresses that have samples, ascending
 * @samples, @squares, @weight, @weight_squares: as in struct stats_blocks, of the function alone
 * @exact: samples whose address is exact by the kernel's word (PERF_RECORD_MISC_EXACT_IP)
 */
struct annotate_function {
	u32 dso, sym;
	struct annotate_address {
		u64 addr;		/* of the DSO; first: by_first_u64() */
		u64 samples, squares, weight;
	} *address;
	size_t nr, cap;
	u64 samples, squares, weight;
	double weight_squares;
	u64 exact;
};

/**
 * annotate_count() - count the samples of functions
 * @event: index
 * @function: @nr of them; @dso and @sym are given, the rest is filled in
 * @filter: NULL for all samples
 * @blocks: receives the number of blocks, for stats_share()
 */
int annotate_count(struct session *s, unsigned int event, struct annotate_function *function,
		   size_t nr, const struct aggregate_filter *filter, u64 *blocks,
		   struct error *err);
void annotate_deinit(struct annotate_function *function, size_t nr);

#endif /* PCSAMPLE_PROFILE_ANNOTATE_H */
