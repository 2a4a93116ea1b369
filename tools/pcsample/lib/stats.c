// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "lib/mem.h"
#include "lib/stats.h"

/*
 * 97.5 % quantile of Student's t. Cornish-Fisher expansion around the normal quantile; within 0.5 %
 * from 5 degrees of freedom on.
 */
static double t_quantile(double freedom)
{
	const double z = 1.959964, z2 = z * z;
	double g1 = z * (z2 + 1) / 4, g2 = z * (5 * z2 * z2 + 16 * z2 + 3) / 96;

	return z + g1 / freedom + g2 / (freedom * freedom);
}

static struct stats_interval wilson(double share, double n, double z)
{
	double z2 = z * z, centre = (share + z2 / (2 * n)) / (1 + z2 / n);
	double half = z / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n));

	return (struct stats_interval){ fmax(0, centre - half), fmin(1, centre + half), n };
}

struct stats_interval stats_share(const struct stats_blocks *blocks, u64 count, u64 squares)
{
	double n = blocks->samples, share = n ? count / n : 0, b = blocks->nr, spread, alone;

	if (!blocks->samples)
		return (struct stats_interval){ 0, 1, 0 };
	if (blocks->nr < 8)
		return wilson(share, n, 1.959964);
	/* sum of (c - share * n_i)^2 over the blocks, with sum of c * n_i = share * squares */
	spread = (squares - share * share * blocks->squares) * b / (b - 1);
	alone = n * share * (1 - share);
	if (alone > 0 && spread > alone)
		n *= alone / spread;
	return wilson(share, fmax(n, 1), t_quantile(b - 1));
}
