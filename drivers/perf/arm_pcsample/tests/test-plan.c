// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the plan: the time of a read, and the number of reads until a time, must agree, and each
 * target is read once per period at a time of its own.
 */
#include <stdlib.h>

#include "plan.h"
#include "test.h"

static const u64 periods[] = { 10000, 10001, 33333, 250000, 1000003, 99999989, PCS_PERIOD_MAX };
static const u32 numbers[] = { 1, 2, 3, 5, 7, 64, 192, 511 };

typedef void (*plan_fn)(const struct pcs_plan *plan);

/* Call @fn for every shape of a plan, dithered and not. */
static void with_each_plan(plan_fn fn)
{
	struct pcs_plan plan;
	unsigned int p, n;

	for (p = 0; p < ARRAY_SIZE(periods); p++) {
		for (n = 0; n < ARRAY_SIZE(numbers); n++) {
			pcs_plan_init(&plan, 123456789, periods[p], numbers[n], 42, false);
			fn(&plan);
			pcs_plan_init(&plan, 0, periods[p], numbers[n], 0xFFFFFFFF, true);
			fn(&plan);
		}
	}
}

static void check_ticks(const struct pcs_plan *plan)
{
	assert_in_range(plan->nr_ticks, 1, plan->nr_targets);
	if (plan->nr_ticks > 1)
		assert_true(plan->period / plan->nr_ticks >= PCS_TICK_MIN);
	if (plan->nr_ticks < plan->nr_targets)
		assert_true(plan->period / (plan->nr_ticks + 1) < PCS_TICK_MIN);
}

static void test_ticks_are_many_but_not_too_close(void **state)
{
	(void)state;
	with_each_plan(check_ticks);
}

static void check_period(const struct pcs_plan *plan)
{
	u64 read, last = 0;

	for (read = 0; read < 5 * plan->nr_targets; read++) {
		u64 time = pcs_plan_time(plan, read);
		u64 begin = plan->start + read / plan->nr_targets * plan->period;

		assert_true(time >= begin);
		assert_true(time < begin + plan->period);
		assert_true(time >= last);
		last = time;
	}
}

static void test_each_read_is_within_its_period_and_in_order(void **state)
{
	(void)state;
	with_each_plan(check_period);
}

static u64 count_due(const struct pcs_plan *plan, u64 now)
{
	u64 reads = 0;

	while (pcs_plan_time(plan, reads) <= now)
		reads++;
	return reads;
}

static void check_due(const struct pcs_plan *plan)
{
	u64 read;

	assert_int_equal(pcs_plan_due(plan, plan->start ? plan->start - 1 : 0),
			 plan->start ? 0 : count_due(plan, 0));
	for (read = 0; read < 3 * plan->nr_targets; read++) {
		u64 time = pcs_plan_time(plan, read);

		assert_int_equal(pcs_plan_due(plan, time), count_due(plan, time));
		assert_true(pcs_plan_due(plan, time) > read);
		if (time > plan->start)
			assert_true(pcs_plan_due(plan, time - 1) <= read);
	}
}

static void test_due_counts_the_reads_up_to_now(void **state)
{
	(void)state;
	with_each_plan(check_due);
}

static void check_due_at_any_time(const struct pcs_plan *plan)
{
	int i;

	srandom(1);
	for (i = 0; i < 200; i++) {
		u64 into = (u64)random() % (3 * plan->period);

		assert_int_equal(pcs_plan_due(plan, plan->start + into),
				 count_due(plan, plan->start + into));
	}
}

static void test_due_between_reads(void **state)
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

static void check_reads_of(const struct pcs_plan *plan)
{
	u64 count[511] = {}, read;
	u32 target;

	for (read = 0; read < 2 * plan->nr_targets + 2; read++) {
		for (target = 0; target < plan->nr_targets; target++)
			assert_int_equal(pcs_plan_reads_of(plan, read, target), count[target]);
		count[read % plan->nr_targets]++;
	}
}

static void test_reads_of_a_target(void **state)
{
	(void)state;
	with_each_plan(check_reads_of);
}

static void test_without_dither_reads_are_evenly_spaced(void **state)
{
	struct pcs_plan plan;
	u64 read;

	(void)state;
	pcs_plan_init(&plan, 1000, 250000, 1, 7, false);
	for (read = 0; read < 100; read++)
		assert_int_equal(pcs_plan_time(&plan, read), 1000 + read * 250000);
}

static void test_the_seed_makes_the_dither(void **state)
{
	struct pcs_plan a, b, c;
	int read, differ = 0;

	(void)state;
	pcs_plan_init(&a, 0, 250000, 3, 7, true);
	pcs_plan_init(&b, 0, 250000, 3, 7, true);
	pcs_plan_init(&c, 0, 250000, 3, 8, true);
	for (read = 0; read < 100; read++) {
		assert_int_equal(pcs_plan_time(&a, read), pcs_plan_time(&b, read));
		differ += pcs_plan_time(&a, read) != pcs_plan_time(&c, read);
	}
	assert_true(differ > 95);
}

/*
 * The phase of reads within their period must be uniform. 100,000 reads in 10 bins: the standard
 * deviation of a bin is 95, so a correct generator fails this (8 sigma) less than once in 10^13.
 */
static void test_dither_is_uniform(void **state)
{
	unsigned int bin[10] = {}, i;
	struct pcs_plan plan;
	u64 read;

	(void)state;
	pcs_plan_init(&plan, 0, 1000000, 1, 99, true);
	for (read = 0; read < 100000; read++)
		bin[pcs_plan_time(&plan, read) % 1000000 / 100000]++;
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
	pcs_plan_init(&plan, 0, 1000000, 1, 5, true);
	for (i = 0; i < n; i++) {
		double x = pcs_plan_time(&plan, i) % 1000000 / 1e6 - 0.5;

		sum += x * last;
		last = x;
	}
	sum = sum / n * 12;		/* the variance of the phase is 1/12 */
	assert_true(sum < 8 / 316.0 && sum > -8 / 316.0);
}

/*
 * Known values of SplitMix64. Its outputs for state 0 are those of a plan with seed 0: tick t
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
	pcs_plan_init(&plan, 0, 1ULL << 30, 1, 0, true);
	for (i = 0; i < ARRAY_SIZE(expected); i++)
		assert_int_equal(pcs_plan_time(&plan, i) & ((1ULL << 30) - 1),
				 expected[i] & ((1ULL << 30) - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ticks_are_many_but_not_too_close),
		cmocka_unit_test(test_each_read_is_within_its_period_and_in_order),
		cmocka_unit_test(test_due_counts_the_reads_up_to_now),
		cmocka_unit_test(test_due_between_reads),
		cmocka_unit_test(test_a_century_does_not_overflow),
		cmocka_unit_test(test_reads_of_a_target),
		cmocka_unit_test(test_without_dither_reads_are_evenly_spaced),
		cmocka_unit_test(test_the_seed_makes_the_dither),
		cmocka_unit_test(test_dither_is_uniform),
		cmocka_unit_test(test_dither_is_independent),
		cmocka_unit_test(test_dither_is_splitmix64),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
