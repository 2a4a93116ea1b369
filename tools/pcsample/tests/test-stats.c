// SPDX-License-Identifier: GPL-2.0-only
/*
 * Do 95 % intervals cover the truth in 93 to 97 % of simulated recordings?
 *
 * A recording is a Markov chain that stays in its state from one sample to the next with a given
 * probability, so that samples depend on each other. There are 4,000 recordings for each case: the
 * share of intervals that cover the truth has a standard error of 0.35 points. If the method covers
 * 95 %, the share is outside of 93 to 97 % in one of 6 * 10^7 runs. The seed is fixed.
 */
#include <setjmp.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "profile/stats.h"
#include "tests/chain.h"

/* How far rounding may move a share out of its interval */
#define ROUNDING	0.000000001

#define WEIGHT	1000000		/* mean, but for the samples of the code */

/**
 * struct recording - what is simulated
 * @share: probability of a sample to be in the code
 * @stay: probability that a sample repeats the one before it
 * @n: number of samples
 * @heavier: mean weight of the code's samples, as a multiple of that of others
 * @spread: weights are uniform from 1 - @spread to 1 + @spread of their mean
 */
struct recording {
	double share, stay;
	u64 n;
	double heavier, spread;
};

/* The code's true share of the weights */
static double truth(const struct recording *r)
{
	return r->share * r->heavier / (r->share * r->heavier + 1 - r->share);
}

/*
 * Sum of the weights of @n samples, which are all of the code (@hit) or all not; adds the sum of
 * their squares to @squares. For more than twelve samples, use the normal distribution for the sum
 * and the expected value for the squares.
 */
static u64 weights(const struct recording *r, bool hit, u64 n, double *squares)
{
	const double mean = WEIGHT * (hit ? r->heavier : 1);
	double off = 0, w;
	u64 i;

	if (n > 12 || !r->spread) {
		for (i = 0; i < 12 && r->spread; i++)
			off += chain_uniform() - 0.5;
		*squares += n * mean * mean * (1 + r->spread * r->spread / 3);
		return mean * (n + 2 * r->spread * off * sqrt(n / 12.0));
	}
	for (i = 0; i < n; i++) {
		w = 2 * r->spread * (chain_uniform() - 0.5);
		*squares += mean * mean * (1 + w) * (1 + w);
		off += w;
	}
	return mean * (n + off);
}

/*
 * A sample repeats the one before it, or is drawn anew. The probability to leave the code is (1 -
 * @r->stay) * (1 - @r->share), that to enter it (1 - @r->stay) * @r->share; the generator draws the
 * number of samples until then.
 */
static struct stats_interval record_once(const struct recording *r, u64 nr_blocks)
{
	const double leave[2] = {
		chain_scale((1 - r->stay) * r->share), chain_scale((1 - r->stay) * (1 - r->share))
	};
	struct stats_blocks blocks = { nr_blocks, r->n, (double)r->n * r->n / nr_blocks, 0, 0 };
	u64 count = 0, squares = 0, hits = 0, in_block, left, run = 0, part, heavy, b;
	bool hit = chain_uniform() >= r->share;
	struct stats_interval in;
	double share;

	for (b = 0; b < nr_blocks; b++) {
		in_block = 0;
		for (left = r->n / nr_blocks; left; left -= part) {
			if (!run) {
				hit = !hit;
				run = chain_run(leave[hit]);
			}
			part = min(run, left);
			run -= part;
			in_block += hit ? part : 0;
		}
		heavy = weights(r, true, in_block, &blocks.weight_squares);
		blocks.weight += heavy + weights(r, false, r->n / nr_blocks - in_block,
						 &blocks.weight_squares);
		hits += heavy;
		count += in_block;
		squares += in_block * in_block;
	}
	in = stats_share(&blocks, count, squares, hits);
	share = (double)hits / blocks.weight;
	assert_true(share > in.low - ROUNDING && share < in.high + ROUNDING);
	return in;
}

static void check_recording(const struct recording *r)
{
	unsigned int rounds = 4000, covered = 0, i;
	struct stats_interval in;

	for (i = 0; i < rounds; i++) {
		in = record_once(r, 64);
		covered += in.low <= truth(r) && truth(r) <= in.high;
	}
	if (covered < 0.93 * rounds || covered > 0.97 * rounds)
		fail_msg("share %g, stay %g, %lu samples, %g times as heavy, spread %g: "
			 "%u of %u covered", r->share, r->stay, (unsigned long)r->n, r->heavier,
			 r->spread, covered, rounds);
}

static void check(double share, double stay, u64 n)
{
	check_recording(&(struct recording){ share, stay, n, 1, 0 });
}

static void test_independent_samples(void **state)
{
	check(0.5, 0, 6400);
	check(0.1, 0, 6400);
	check(0.02, 0, 6400);
	check(0.002, 0, 64000);
}

static void test_samples_that_depend_on_each_other(void **state)
{
	check(0.5, 0.5, 6400);
	check(0.3, 0.9, 6400);
	check(0.1, 0.9, 12800);
	check(0.1, 0.98, 64000);
	check(0.02, 0.95, 64000);
}

/* Weights as of a dithered clock, of late readers, and of an event that is rarer in the code */
static void test_weights(void **state)
{
	static const struct recording recordings[] = {
		{ 0.3, 0, 3200, 1, 0.5 },	{ 0.3, 0, 3200, 1, 1 },
		{ 0.02, 0, 6400, 1, 1 },	{ 0.1, 0.9, 12800, 1, 1 },
		{ 0.1, 0, 3200, 3, 0 },		{ 0.5, 0, 3200, 3, 0 },
		{ 0.2, 0, 3200, 0.2, 0 },	{ 0.1, 0, 3200, 3, 1 },
		{ 0.1, 0.9, 12800, 3, 0.5 },	{ 0.3, 0.8, 12800, 0.3, 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++)
		check_recording(&recordings[i]);
}

static void test_effective_samples(void **state)
{
	const struct recording chain = { 0.3, 0.8, 64000, 1, 0 };
	double sum = 0;
	unsigned int i;

	/* a chain that stays with probability r is worth (1 - r) / (1 + r) of its samples */
	for (i = 0; i < 500; i++)
		sum += record_once(&chain, 64).effective;
	assert_true(fabs(sum / 500 / 64000 - 0.2 / 1.8) < 0.01);
}

/* The quantile that an interval of one half of @n independent samples was made with */
static double quantile_of(const struct stats_interval *in, double n)
{
	double half = (in->high - in->low) / 2;

	return 2 * half * sqrt(n) / sqrt(1 - 4 * half * half);
}

/* Tables of Student's t, 97.5 %, by degrees of freedom: one less than there are blocks */
static void test_few_blocks(void **state)
{
	static const struct { u64 blocks; double quantile; } cases[] = {
		{ 7, 1.9600 }, { 8, 2.3646 }, { 10, 2.2622 }, { 16, 2.1314 }, { 31, 2.0423 },
	};
	struct stats_blocks blocks;
	struct stats_interval in;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		u64 nr = cases[i].blocks, n = 100 * nr;

		blocks = (struct stats_blocks){ nr, n, 10000 * nr, n, n };
		in = stats_share(&blocks, n / 2, 2500 * nr, n / 2);
		assert_true(fabs(quantile_of(&in, n) / cases[i].quantile - 1) < 0.005);
	}
	/* All samples of half of the blocks: their spread counts from eight blocks on */
	blocks = (struct stats_blocks){ 8, 800, 80000, 800, 800 };
	in = stats_share(&blocks, 400, 40000, 400);
	assert_true(fabs(in.effective - 7) < 0.001);
	blocks = (struct stats_blocks){ 6, 600, 60000, 600, 600 };
	in = stats_share(&blocks, 300, 30000, 300);
	assert_true(fabs(in.effective - 600) < 0.001);
}

static void test_edges(void **state)
{
	struct stats_blocks none = { 0 }, few = { 4, 10, 30, 10, 10 };
	struct stats_blocks many = { 64, 6400, 640000, 6400, 6400 };
	struct stats_blocks one_heavy = { 64, 6400, 640000, 12800, 6399 + 6401.0 * 6401 };
	struct stats_interval in;

	in = stats_share(&none, 0, 0, 0);
	assert_true(in.low == 0 && in.high == 1 && in.effective == 0);
	in = stats_share(&few, 0, 0, 0);
	assert_true(in.low == 0 && in.high > 0.2 && in.high < 0.4);
	in = stats_share(&few, 10, 30, 10);
	assert_true(in.high > 0.999999 && in.low > 0.6 && in.low < 0.8);
	in = stats_share(&many, 6400, 640000, 6400);
	assert_true(in.high > 0.999999 && in.low > 0.999);
	/* 10 of 1,000 samples: 0.54 to 1.83 %, as peers.md has it */
	in = stats_share(&(struct stats_blocks){ 4, 1000, 250000, 1000, 1000 }, 10, 30, 10);
	assert_true(fabs(in.low - 0.0054) < 0.0001 && fabs(in.high - 0.0183) < 0.0001);
	/* All periods are 0; then one sample that has half of the time */
	in = stats_share(&(struct stats_blocks){ 4, 1000, 250000, 0, 0 }, 10, 30, 0);
	assert_true(fabs(in.low - 0.0054) < 0.0001 && fabs(in.high - 0.0183) < 0.0001);
	in = stats_share(&one_heavy, 1, 1, 6401);
	assert_true(in.low < 0.2 && in.high > 0.8);
	in = stats_share(&one_heavy, 6399, 639801, 6399);
	assert_true(in.low < 0.2 && in.high > 0.8);
	in = stats_share(&many, 64, 64, 0);
	assert_true(in.low == 0 && in.high > 0 && in.high < 0.05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_independent_samples),
		cmocka_unit_test(test_samples_that_depend_on_each_other),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_effective_samples),
		cmocka_unit_test(test_few_blocks),
		cmocka_unit_test(test_edges),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
