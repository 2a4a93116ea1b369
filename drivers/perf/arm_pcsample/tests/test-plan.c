// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the plan: the time of a round, and the number of rounds until a time, must agree, and
 * rounds are spread over all of their period.
 */
#include <stdlib.h>

#include "plan.h"
#include "test.h"

static const u64 periods[] = { 10000, 10001, 33333, 250000, 1000003, 99999989, PCS_PERIOD_MAX };

typedef void (*plan_fn)(const struct pcs_plan *plan);

static struct pcs_plan make_plan(u64 start, u64 period, u32 seed, bool dither)
{
	return (struct pcs_plan) {
		.start = start, .period = period, .seed = seed, .dither = dither,
	};
}

/* Call @fn for every shape of a plan, dithered and not. */
static void with_each_plan(plan_fn fn)
{
	struct pcs_plan plan;
	unsigned int p;

	for (p = 0; p < ARRAY_SIZE(periods); p++) {
		plan = make_plan(123456789, periods[p], 42, false);
		fn(&plan);
		plan = make_plan(0, periods[p], 0xFFFFFFFF, true);
		fn(&plan);
	}
}

static void check_period(const struct pcs_plan *plan)
{
	u64 round;

	for (round = 0; round < 500; round++) {
		u64 time = pcs_plan_time(plan, round);
		u64 begin = plan->start + round * plan->period;

		assert_true(time >= begin);
		assert_true(time < begin + plan->period);
	}
}

static void test_each_round_is_within_its_period(void **state)
{
	(void)state;
	with_each_plan(check_period);
}

static u64 count_due(const struct pcs_plan *plan, u64 now)
{
	u64 rounds = 0;

	while (pcs_plan_time(plan, rounds) <= now)
		rounds++;
	return rounds;
}

static void check_due(const struct pcs_plan *plan)
{
	u64 round;

	assert_int_equal(pcs_plan_due(plan, plan->start ? plan->start - 1 : 0),
			 plan->start ? 0 : count_due(plan, 0));
	for (round = 0; round < 100; round++) {
		u64 time = pcs_plan_time(plan, round);

		assert_int_equal(pcs_plan_due(plan, time), count_due(plan, time));
		assert_true(pcs_plan_due(plan, time) > round);
		if (time > plan->start)
			assert_true(pcs_plan_due(plan, time - 1) <= round);
	}
}

static void test_due_counts_the_rounds_up_to_now(void **state)
{
	(void)state;
	with_each_plan(check_due);
}

static void check_due_at_any_time(const struct pcs_plan *plan)
{
	int i;

	srandom(1);
	for (i = 0; i < 1000; i++) {
		u64 into = (u64)random() % (3 * plan->period);

		assert_int_equal(pcs_plan_due(plan, plan->start + into),
				 count_due(plan, plan->start + into));
	}
}

static void test_due_between_rounds(void **state)
{
	(void)state;
	with_each_plan(check_due_at_any_time);
}

/* A century later, in nanoseconds, both still agree. */
static void check_far_future(const struct pcs_plan *plan)
{
	u64 now = plan->start + 3155760000000000000ULL;
	u64 due = pcs_plan_due(plan, now);

	assert_true(pcs_plan_time(plan, due - 1) <= now);
	assert_true(pcs_plan_time(plan, due) > now);
}

static void test_a_century_does_not_overflow(void **state)
{
	(void)state;
	with_each_plan(check_far_future);
}

static void test_without_dither_rounds_are_evenly_spaced(void **state)
{
	struct pcs_plan plan;
	u64 round;

	(void)state;
	plan = make_plan(1000, 250000, 7, false);
	for (round = 0; round < 100; round++)
		assert_int_equal(pcs_plan_time(&plan, round), 1000 + round * 250000);
}

static void test_the_seed_makes_the_dither(void **state)
{
	struct pcs_plan a, b, c;
	int round, differ = 0;

	(void)state;
	a = make_plan(0, 250000, 7, true);
	b = make_plan(0, 250000, 7, true);
	c = make_plan(0, 250000, 8, true);
	for (round = 0; round < 100; round++) {
		assert_int_equal(pcs_plan_time(&a, round), pcs_plan_time(&b, round));
		differ += pcs_plan_time(&a, round) != pcs_plan_time(&c, round);
	}
	assert_true(differ > 95);
}

/*
 * The phase of rounds within their period must be uniform. 100,000 rounds in 10 bins: the standard
 * deviation of a bin is 95, so a correct generator fails this (8 sigma) less than once in 10^13.
 */
static void test_dither_is_uniform(void **state)
{
	unsigned int bin[10] = {}, i;
	struct pcs_plan plan;
	u64 round;

	(void)state;
	plan = make_plan(0, 1000000, 99, true);
	for (round = 0; round < 100000; round++)
		bin[pcs_plan_time(&plan, round) % 1000000 / 100000]++;
	for (i = 0; i < 10; i++)
		assert_in_range(bin[i], 10000 - 760, 10000 + 760);
}

/* Consecutive phases must be independent: correlation within 8 / sqrt(n). */
static void test_dither_is_independent(void **state)
{
	struct pcs_plan plan;
	double sum = 0, last = 0;
	const int n = 100000;
	int i;

	(void)state;
	plan = make_plan(0, 1000000, 5, true);
	for (i = 0; i < n; i++) {
		double x = pcs_plan_time(&plan, i) % 1000000 / 1e6 - 0.5;

		sum += x * last;
		last = x;
	}
	sum = sum / n * 12;		/* the variance of the phase is 1/12 */
	assert_true(sum < 8 / 316.0 && sum > -8 / 316.0);
}

/*
 * Known values of SplitMix64. Its outputs for state 0 are those of a plan with seed 0: round t
 * hashes the state (t + 1) * 0x9E3779B97F4A7C15. The period is a power of two, so the remainder is
 * the low bits.
 */
static void test_dither_is_splitmix64(void **state)
{
	static const u64 expected[] = {
		0xE220A8397B1DCDAFULL, 0x6E789E6AA1B965F4ULL, 0x06C45D188009454FULL,
		0xF88BB8A8724C81ECULL, 0x1B39896A51A8749BULL,
	};
	struct pcs_plan plan;
	unsigned int i;

	(void)state;
	plan = make_plan(0, 1ULL << 30, 0, true);
	for (i = 0; i < ARRAY_SIZE(expected); i++)
		assert_int_equal(pcs_plan_time(&plan, i) & ((1ULL << 30) - 1),
				 expected[i] & ((1ULL << 30) - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_round_is_within_its_period),
		cmocka_unit_test(test_due_counts_the_rounds_up_to_now),
		cmocka_unit_test(test_due_between_rounds),
		cmocka_unit_test(test_a_century_does_not_overflow),
		cmocka_unit_test(test_without_dither_rounds_are_evenly_spaced),
		cmocka_unit_test(test_the_seed_makes_the_dither),
		cmocka_unit_test(test_dither_is_uniform),
		cmocka_unit_test(test_dither_is_independent),
		cmocka_unit_test(test_dither_is_splitmix64),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
