/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Confidence intervals of shares.
 */
#ifndef PCSAMPLE_PROFILE_STATS_H
#define PCSAMPLE_PROFILE_STATS_H

#include <arch-model/types.h>

/**
 * struct stats_blocks - the recording in blocks of consecutive samples
 * @nr: blocks with samples
 * @samples: in all of them
 * @squares: sum of the squares of the samples in a block
 * @weight: sum of the samples' weights, their periods
 * @weight_squares: sum of the squares of the weights
 */
struct stats_blocks {
	u64 nr;
	u64 samples;
	double squares;
	u64 weight;
	double weight_squares;
};

struct stats_interval {
	double low, high;
	double effective;	/* independent samples that would tell as much */
};

/**
 * stats_share() - 95 % interval of a share
 * @blocks: all samples
 * @count: samples of the row, at most blocks->samples
 * @squares: sum over the blocks of the square of the row's samples in it
 * @weight: sum of the weights of the row's samples, at most blocks->weight
 *
 * The share is that of the weights, @weight / blocks->weight, and is in the interval.
 *
 * Successive samples depend on each other: code that runs for long is hit again and again. How much
 * shows in the spread of the row's share from block to block (batch means). Its ratio to the spread
 * of independent samples divides the sample count; the interval is Wilson's for that count, with
 * Student's t for the number of blocks in place of the normal quantile.
 *
 * Samples of different weights tell less than as many of equal weights. If the row has a share p of
 * the samples and a share w of the weights, the variance of w is w (1 - w) / n times
 * w (1 - w) / p (1 - p), by linearization. The rest of the variation of the weights, the square of
 * their coefficient of variation, is added (Kish 1965, 11.7, the effect of unequal weights).
 */
struct stats_interval stats_share(const struct stats_blocks *blocks, u64 count, u64 squares,
				  u64 weight);

#endif /* PCSAMPLE_PROFILE_STATS_H */
