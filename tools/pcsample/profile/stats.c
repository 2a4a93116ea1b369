// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "profile/stats.h"

/* The spread of fewer blocks is not used */
#define BLOCKS_MIN	8

/* 97.5 % quantile of the normal distribution */
#define NORMAL_QUANTILE	1.959964

/*
 * 97.5 % quantile of Student's t. Cornish-Fisher expansion around the normal quantile; within 0.5 %
 * from 5 degrees of freedom on.
 */
static double t_quantile(double freedom)
{
	const double z = NORMAL_QUANTILE, z2 = z * z;
	double g1 = z * (z2 + 1) / 4, g2 = z * (5 * z2 * z2 + 16 * z2 + 3) / 96;

	return z + g1 / freedom + g2 / (freedom * freedom);
}

static struct stats_interval wilson(double share, double n, double z)
{
	double z2 = z * z, centre = (share + z2 / (2 * n)) / (1 + z2 / n);
	double half = z / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n));

	return (struct stats_interval){ fmax(0, centre - half), fmin(1, centre + half), n };
}

/*
 * How many samples tell as much as one independent sample: computed from the spread of the blocks
 */
static double dependence(const struct stats_blocks *blocks, double share, u64 squares)
{
	double alone = blocks->samples * share * (1 - share), b = blocks->nr, spread;

	if (b < BLOCKS_MIN || !(alone > 0))
		return 1;
	/* sum of (c - share * n_i)^2 over the blocks, with sum of c * n_i = share * squares */
	spread = (squares - share * share * blocks->squares) * b / (b - 1);
	return fmax(1, spread / alone);
}

struct stats_interval stats_share(const struct stats_blocks *blocks, u64 count, u64 squares,
				  u64 weight)
{
	double n = blocks->samples, total = blocks->weight, z = NORMAL_QUANTILE;
	double p, w, ratio = 1, variation, effect;

	if (!blocks->samples)
		return (struct stats_interval){ 0, 1, 0 };
	p = count / n;
	w = total ? weight / total : p;
	variation = total ? n * blocks->weight_squares / (total * total) - 1 : 0;
	if (p > 0 && p < 1) {
		if (w > 0 && w < 1)
			ratio = w * (1 - w) / (p * (1 - p));
		variation -= (w - p) * (w - p) / (p * (1 - p));
	}
	effect = dependence(blocks, p, squares) * ratio + fmax(0, variation);
	if (blocks->nr >= BLOCKS_MIN)
		z = t_quantile(blocks->nr - 1);
	return wilson(w, fmax(n / effect, 1), z);
}
