/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random chains, for simulated recordings. The seed is fixed.
 */
#ifndef PCSAMPLE_TESTS_CHAIN_H
#define PCSAMPLE_TESTS_CHAIN_H

#include <math.h>

#include "base/array.h"

static u64 chain_seed = 88172645463325252ULL;

/* A random number, 0 <= x < 1, by xorshift64 of Marsaglia, Xorshift RNGs (2003) */
static inline double chain_uniform(void)
{
	chain_seed ^= chain_seed << 13;
	chain_seed ^= chain_seed >> 7;
	chain_seed ^= chain_seed << 17;
	return (chain_seed >> 11) * (1.0 / (1ULL << 53));
}

/* The argument of chain_run() for an event of probability @p; 0 if the event always happens */
static inline double chain_scale(double p)
{
	return p < 1 ? 1 / log1p(-p) : 0;
}

/*
 * Number of samples up to and including the one in which an event happens, of the geometric
 * distribution, by inversion. A simulation so needs one random number a run instead of one a
 * sample.
 */
static inline u64 chain_run(double scale)
{
	return scale ? 1 + (u64)(log(1 - chain_uniform()) * scale) : 1;
}

#endif /* PCSAMPLE_TESTS_CHAIN_H */
