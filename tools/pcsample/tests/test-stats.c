// SPDX-License-Identifier: GPL-2.0-only
/*
 * Do 95 % intervals cover the truth in 93 to 97 % of simulated recordings?
 *
 * A recording is a chain that stays in its state from one sample to the next with a given
 * probability, so that samples depend on each other over many. 4,000 recordings for each case: the
 * share of covered ones has a standard error of 0.35 points, so that a method that covers 95 %
 * leaves 93..97 in one of 10^8 runs. The seed is fixed.
 */
#include <setjmp.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lib/stats.h"

static u64 seed = 88172645463325252ULL;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ldexp(seed >> 11, -53);
}

/*
 * One recording of @n samples in @blocks blocks; the code is hit with probability @share, and a
 * sample is like the one before it with probability @stay.
 */
static struct stats_interval record_once(double share, double stay, u64 n, u64 nr_blocks)
{
	struct stats_blocks blocks = { nr_blocks, n, (double)n * n / nr_blocks };
	u64 count = 0, squares = 0, in_block = 0, i;
	int hit = uniform() < share;

	for (i = 0; i < n; i++) {
		if (uniform() >= stay)
			hit = uniform() < share;
		in_block += hit;
		if ((i + 1) % (n / nr_blocks) == 0) {
			count += in_block;
			squares += in_block * in_block;
			in_block = 0;
		}
	}
	return stats_share(&blocks, count, squares);
}

static double coverage(double share, double stay, u64 n)
{
	unsigned int rounds = 4000, covered = 0, i;
	struct stats_interval in;

	for (i = 0; i < rounds; i++) {
		in = record_once(share, stay, n, 64);
		covered += in.low <= share && share <= in.high;
	}
	return (double)covered / rounds;
}

static void check(double share, double stay, u64 n)
{
	double c = coverage(share, stay, n);

	if (c < 0.93 || c > 0.97)
		fail_msg("share %g, stay %g, %lu samples: %.3f covered", share, stay, n, c);
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

static void test_effective_samples(void **state)
{
	double sum = 0;
	unsigned int i;

	/* a chain that stays with probability r is worth (1 - r) / (1 + r) of its samples */
	for (i = 0; i < 500; i++)
		sum += record_once(0.3, 0.8, 64000, 64).effective;
	assert_true(fabs(sum / 500 / 64000 - 0.2 / 1.8) < 0.01);
}

static void test_edges(void **state)
{
	struct stats_blocks none = { 0, 0, 0 }, few = { 4, 10, 30 }, many = { 64, 6400, 640000 };
	struct stats_interval in;

	in = stats_share(&none, 0, 0);
	assert_true(in.low == 0 && in.high == 1);
	in = stats_share(&few, 0, 0);
	assert_true(in.low == 0 && in.high > 0.2 && in.high < 0.4);
	in = stats_share(&few, 10, 30);
	assert_true(in.high > 0.999999 && in.low > 0.6 && in.low < 0.8);
	in = stats_share(&many, 6400, 640000);
	assert_true(in.high > 0.999999 && in.low > 0.999);
	/* peers.md: 1,000 samples, 1 %: 0.54 to 1.83 % */
	in = stats_share(&(struct stats_blocks){ 4, 1000, 250000 }, 10, 30);
	assert_true(fabs(in.low - 0.0054) < 0.0001 && fabs(in.high - 0.0183) < 0.0001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_independent_samples),
		cmocka_unit_test(test_samples_that_depend_on_each_other),
		cmocka_unit_test(test_effective_samples),
		cmocka_unit_test(test_edges),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
