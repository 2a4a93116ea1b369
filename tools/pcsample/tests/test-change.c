// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does pcsample diff call noise a change in at most 5 % of comparisons, and does it find changes?
 *
 * Simulates two recordings of the same program: a Markov chain over 200 rows whose shares fall as
 * 1/k. It stays in its row from one sample to the next with a given probability. There are 1,000
 * comparisons for each case. If each is wrong with probability 0.05, more than 75 are wrong in one
 * of 3,900 runs (binomial; the standard deviation is 6.9). The seed is fixed.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "profile/change.h"
#include "tests/chain.h"

#define ROWS		200
#define COMPARISONS	1000
#define WRONG_MAX	75

/* The sum of the shares up to each row; for each 1/1024 of the sum, the first row in it */
static double cumulated[ROWS];
static u8 first_row[1024];

/* Shares in proportion to 1/k, but that of the first row is @factor times as large */
static void set_shares(double factor)
{
	double sum = 0;
	int k, i;

	for (k = 0; k < ROWS; k++) {
		sum += (k ? 1.0 : factor) / (k + 1);
		cumulated[k] = sum;
	}
	for (k = 0; k < ROWS; k++)
		cumulated[k] /= sum;
	cumulated[ROWS - 1] = 1;
	for (i = 0, k = 0; i < ARRAY_SIZE(first_row); i++) {
		while (cumulated[k] * ARRAY_SIZE(first_row) < i)
			k++;
		first_row[i] = k;
	}
}

static int draw_row(void)
{
	double x = chain_uniform();
	int row = first_row[(int)(x * ARRAY_SIZE(first_row))];

	while (cumulated[row] < x)
		row++;
	return row;
}

static void record_once(struct change_side *side, unsigned int n, double stay)
{
	const double scale = chain_scale(1 - stay);
	unsigned int in_block[ROWS] = { 0 }, k, b;
	u64 left, run = 0, part;
	int row = 0;

	memset(side, 0, ROWS * sizeof(*side));
	for (b = 0; b < CHANGE_BLOCKS; b++) {
		for (left = n / CHANGE_BLOCKS; left; left -= part) {
			if (!run) {
				row = draw_row();
				run = chain_run(scale);
			}
			part = min(run, left);
			run -= part;
			in_block[row] += part;
		}
		for (k = 0; k < ROWS; k++) {
			side[k].count += in_block[k];
			side[k].squares += (u64)in_block[k] * in_block[k];
			in_block[k] = 0;
		}
	}
	for (k = 0; k < ROWS; k++)
		side[k].exposure = n;
}

/* Return: number of rows that changed; @first says whether the first row is one of them */
static unsigned int compare(const struct change_side *a, const struct change_side *b,
			    unsigned int n, bool *first)
{
	double p[ROWS];
	unsigned int nr = 0, changed = 0, k;

	for (k = 0; k < ROWS; k++) {
		if (a[k].count + b[k].count < CHANGE_SAMPLES_MIN)
			continue;
		p[nr++] = change_test(&a[k], &b[k], (a[k].count + b[k].count) / (double)n).p;
	}
	assert_int_equal(change_holm(p, nr), 0);
	for (k = 0; k < nr; k++)
		changed += p[k] < 0.05;
	*first = p[0] < 0.05;
	return changed;
}

static void check_noise(unsigned int n, double stay, unsigned int ratio)
{
	static struct change_side a[ROWS], b[ROWS];
	unsigned int wrong = 0, i;
	bool first;

	set_shares(1);
	for (i = 0; i < COMPARISONS; i++) {
		record_once(a, n, stay);
		record_once(b, n * ratio, stay);
		wrong += !!compare(a, b, n + n * ratio, &first);
	}
	print_message("%u samples, stay %g, ratio %u: %u of %u comparisons wrong\n", n, stay, ratio,
		      wrong, COMPARISONS);
	if (wrong > WRONG_MAX)
		fail_msg("%u samples, stay %g: a change in %u of %u", n, stay, wrong, COMPARISONS);
}

static void test_noise_is_no_change(void **state)
{
	check_noise(3200, 0, 1);
	check_noise(6400, 0.5, 1);
	check_noise(6400, 0.9, 1);
	check_noise(12800, 0.98, 1);
}

static void test_other_length(void **state)
{
	check_noise(3200, 0.5, 4);
}

/* The first row's share rises from 17 % to 21 %: 64,000 samples, an eighth of them independent */
static void test_changes_are_found(void **state)
{
	static struct change_side a[ROWS], b[ROWS];
	unsigned int found = 0, i;
	bool first;

	for (i = 0; i < 200; i++) {
		set_shares(1);
		record_once(a, 64000, 0.78);
		set_shares(1.3);
		record_once(b, 64000, 0.78);
		compare(a, b, 128000, &first);
		found += first;
	}
	assert_true(found >= 195);
}

/*
 * A single row needs no correction for many rows: by chance alone, p is below P in a fraction P of
 * all comparisons
 */
static void test_single_row(void **state)
{
	static struct change_side a[ROWS], b[ROWS];
	unsigned int below = 0, outside = 0, i;
	struct change c;

	set_shares(1);
	for (i = 0; i < 4000; i++) {
		record_once(a, 3200, 0.5);
		record_once(b, 3200, 0.5);
		c = change_test(&a[0], &b[0], (a[0].count + b[0].count) / 6400.0);
		below += c.p < 0.05;
		outside += c.low > 0 || c.high < 0;
	}
	print_message("p < 0.05 in %.2f %%, interval without 0 in %.2f %%\n", below / 40.0,
		      outside / 40.0);
	assert_in_range(below, 4000 * 3 / 100, 4000 * 6 / 100);
	assert_in_range(outside, 4000 * 3 / 100, 4000 * 7 / 100);
}

/*
 * p.adjust(, "holm") of R gives the same. For 10 and 30 samples 2 * pbinom(10, 40, 0.5) is 0.0022;
 * Student's t is more cautious.
 */
static void test_known_values(void **state)
{
	struct change_side a = { 10, 10, 100 }, b = { 30, 30, 100 };
	double p[] = { 0.01, 0.04, 0.03, 0.005 };
	struct change c;

	/* Squares as independent samples have them, evenly spread over the blocks */
	a.squares = 10 * 31.0 / 32 + 10 * 10 / 32.0 + 0.5;
	b.squares = 30 * 31.0 / 32 + 30 * 30 / 32.0 + 0.5;
	c = change_test(&a, &b, 0);
	assert_true(fabs(c.delta - 0.2) < 0.000000001);
	assert_true(c.p > 0.0015 && c.p < 0.006);
	assert_int_equal(change_holm(p, 4), 0);
	assert_true(fabs(p[3] - 0.02) < 0.000000001 && fabs(p[0] - 0.03) < 0.000000001);
	assert_true(fabs(p[2] - 0.06) < 0.000000001 && fabs(p[1] - 0.06) < 0.000000001);
}

static void test_edges(void **state)
{
	struct change_side none = { 0, 0, 1 }, few = { 12, 12, 1 }, burst = { 200, 20000, 1 };
	struct change_side all = { 3200, 320000, 1 };
	struct change c;

	c = change_test(&none, &none, 0);
	assert_true(c.p == 1 && c.delta == 0);
	c = change_test(&none, &few, 0.01);
	assert_true(c.p < 0.01 && c.low > 0);
	/* 200 samples in two blocks count as two: they prove nothing */
	c = change_test(&none, &burst, 0.01);
	assert_true(c.p > 0.1);
	/* All samples are in this row in both recordings */
	c = change_test(&all, &all, 1);
	assert_true(c.p > 0.99 && isfinite(c.low) && isfinite(c.high));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_values),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_single_row),
		cmocka_unit_test(test_noise_is_no_change),
		cmocka_unit_test(test_other_length),
		cmocka_unit_test(test_changes_are_found),
	};

	return cmocka_run_group_tests_name("change", tests, NULL, NULL);
}
