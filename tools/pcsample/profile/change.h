/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests whether a rate changed between two recordings, or differs by chance.
 */
#ifndef PCSAMPLE_PROFILE_CHANGE_H
#define PCSAMPLE_PROFILE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include <arch-model/types.h>

/* Blocks of equal time that a recording is cut into, see change_test() */
#define CHANGE_BLOCKS	32

/* A row with fewer samples in both recordings together is not tested */
#define CHANGE_SAMPLES_MIN	10

/**
 * struct change_side - what one recording says about a row
 * @count: samples of the row
 * @squares: sum over CHANGE_BLOCKS blocks of the square of the row's samples in it, where each
 *	sample counts as its weight over the mean weight of the row's samples
 * @exposure: what @count is divided by for the rate; more than 0
 */
struct change_side {
	u64 count;
	double squares;
	double exposure;
};

/**
 * struct change - the verdict
 * @delta: rate of the second minus rate of the first
 * @low, @high: 95 % interval of @delta
 * @p: probability of such a difference, or a greater one, if there was no change
 */
struct change {
	double delta, low, high, p;
};

/**
 * change_test() - compare a row of two recordings
 * @share: the row's share of the samples of both
 *
 * Successive samples depend on each other, so a count varies more than that of independent events
 * does. How much more is measured: the variance of the counts of blocks of equal time, over their
 * mean (an index of dispersion, by batch means). The counts are divided by it. It is never taken as
 * less than 1 - @share, its value for independent samples. Dependence over more than the length of
 * a block is not detected.
 *
 * The larger p of two tests counts: Student's t for the difference of the rates with that variance,
 * and the binomial test of the divided counts, which is valid for small counts, too.
 */
struct change change_test(const struct change_side *a, const struct change_side *b, double share);

/**
 * change_holm() - correct for the number of tests
 * @p: probabilities; replaced by those that take all @nr tests into account
 * @nr: how many
 *
 * Holm's step-down method: if nothing changed, one of the results is below 0.05 in at most 5 % of
 * comparisons, however the rows depend on each other.
 *
 * Return: 0 or -ENOMEM.
 */
int change_holm(double *p, size_t nr);

#endif /* PCSAMPLE_PROFILE_CHANGE_H */
