// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the budget: in any period of time the reader gets its share of the CPU, and no more.
 */
#include "budget.h"
#include "test.h"

/* Run a handler of @cost ns whenever the budget allows it, every @every ns, for 10 s. */
static double share_used(unsigned int percent, u64 cost, u64 every)
{
	struct pcs_budget budget = { .last = 1 };
	u64 now = 1, spent = 0, end = 10000000001ULL;

	while (now < end) {
		u64 wait;

		if (pcs_budget_earn(&budget, now, percent)) {
			pcs_budget_spend(&budget, cost);
			spent += cost;
		}
		wait = pcs_budget_wait(&budget, percent);
		now += wait > every ? wait : every;
	}
	return spent / 1e10;
}

static void test_a_cheap_handler_is_not_held_up(void **state)
{
	(void)state;
	assert_true(share_used(25, 2000, 10000) > 0.199);
}

static void test_a_dear_handler_is_held_to_its_share(void **state)
{
	unsigned int percent;

	(void)state;
	for (percent = 1; percent <= 95; percent++) {
		double share = share_used(percent, 50000, 10000);
		/* A handler that is longer than its interval cannot use more than the whole CPU. */
		double most = percent / 100.0 * 1.02 + 0.001;

		assert_true(share <= most);
		assert_true(share >= percent / 100.0 * 0.95);
	}
}

/*
 * Events of one CPU share its budget. Each waits only for the time that it asked for last: one that
 * comes while another has used up everything is rejected.
 */
static void test_events_of_a_reader_share_its_budget(void **state)
{
	const u64 cost = 50000, end = 1000000000;
	u64 next[8] = {}, now, spent = 0, away = 0;
	struct pcs_budget budget = {};
	unsigned int i;

	(void)state;
	for (now = 10000; now < end; now += 10000) {
		for (i = 0; i < ARRAY_SIZE(next); i++) {
			if (now < next[i])
				continue;
			if (pcs_budget_earn(&budget, now, 10)) {
				pcs_budget_spend(&budget, cost);
				spent += cost;
			} else {
				away++;
			}
			next[i] = now + pcs_budget_wait(&budget, 10);
		}
	}
	assert_true(away > 0);
	assert_in_range(spent, end / 10 * 95 / 100, end / 10 + cost);
}

/*
 * Events want more than there is, all the time, and looking whether there is credit costs, too.
 * A third of it at least is left for reads.
 */
static void test_looking_for_credit_leaves_some(void **state)
{
	const u64 look = 1000, reads = 2400, every = 10000, end = 1000000000;
	unsigned int nr, i, first;

	(void)state;
	for (nr = 1; nr <= 16; nr++) {
		struct pcs_budget budget = {};
		u64 next[16], now, useful = 0;

		for (i = 0; i < nr; i++)
			next[i] = every + 300 * i;
		for (now = 0; now < end;) {
			first = 0;
			for (i = 1; i < nr; i++)
				if (next[i] < next[first])
					first = i;
			now = next[first] > now ? next[first] : now;
			if (pcs_budget_earn(&budget, now, 25)) {
				pcs_budget_spend(&budget, reads + look);
				useful += reads;
				now += reads;
			} else {
				pcs_budget_spend(&budget, look);
			}
			now += look;
			next[first] = now + every;
			if (pcs_budget_wait(&budget, 25) > every)
				next[first] = now + pcs_budget_wait(&budget, 25);
		}
		assert_in_range(useful, end / 4 / 3, end / 4);
	}
}

static void test_credit_and_debt_are_bounded(void **state)
{
	struct pcs_budget budget = {};

	(void)state;
	assert_true(pcs_budget_earn(&budget, UINT64_MAX / 2, 95));
	assert_int_equal(budget.credit, PCS_BUDGET_WINDOW * 95 / 100);
	assert_int_equal(pcs_budget_wait(&budget, 95), 0);

	pcs_budget_spend(&budget, UINT64_MAX);
	pcs_budget_spend(&budget, UINT64_MAX);
	assert_int_equal(budget.credit, -PCS_BUDGET_WINDOW);
	/* in debt by 100 ms with 1 % of the CPU: wait ten seconds */
	assert_in_range(pcs_budget_wait(&budget, 1), 10005000000ULL, 10005001000ULL);
}

static void test_after_the_wait_there_is_credit(void **state)
{
	unsigned int percent;

	(void)state;
	for (percent = 1; percent <= 100; percent++) {
		struct pcs_budget budget = { .last = 5, .credit = -12345 };

		assert_true(pcs_budget_earn(&budget, 5 + pcs_budget_wait(&budget, percent),
					    percent));
	}
}

/*
 * @nr events, whose handlers want to make reads of @cost ns all the time: for how long do they
 * block others in one go? The clock only stands still while no handler runs.
 */
static u64 longest_go(unsigned int nr, u64 cost)
{
	struct pcs_budget budget = {};
	u64 now = 1000000, go = 0, longest = 0, reads = 0;
	unsigned int i, round;

	for (round = 0; round < 10000; round++) {
		u64 begin = now;

		/* One interrupt of the timer runs all expired handlers */
		for (i = 0; i < nr; i++) {
			u64 start = now, left = pcs_slice_left(&budget, now);

			if (!left)
				continue;
			for (; now < start + left; now += cost)
				reads++;
			pcs_slice_use(&budget, start, now);
		}
		/* If others had the CPU for less than a pause, the same go continues. */
		go += now - begin;
		if (go > longest)
			longest = go;
		if (pcs_slice_resumes(&budget) > now) {
			now = pcs_slice_resumes(&budget);
			go = 0;
		}
	}
	assert_true(reads >= round);
	return longest;
}

static void test_a_slice_has_an_end(void **state)
{
	static const u64 costs[] = { 1, 300, 5000, 49999, 50000, 120000 };
	unsigned int nr, i;

	(void)state;
	for (nr = 1; nr <= 64; nr *= 2)
		for (i = 0; i < ARRAY_SIZE(costs); i++)
			assert_in_range(longest_go(nr, costs[i]), 1, PCS_SLICE + costs[i]);
}

/* Short handlers with pauses in between are not delayed. */
static void test_a_slice_begins_anew_after_a_pause(void **state)
{
	struct pcs_budget budget = {};
	u64 now = 1000000;
	unsigned int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		assert_int_equal(pcs_slice_left(&budget, now), PCS_SLICE);
		assert_int_equal(pcs_slice_use(&budget, now, now + 40000), 40000);
		assert_int_equal(pcs_slice_resumes(&budget), 0);
		now += 40000 + PCS_PAUSE;
	}
	now -= 1;
	assert_int_equal(pcs_slice_left(&budget, now), 10000);
	pcs_slice_use(&budget, now, now + 10000);
	assert_int_equal(pcs_slice_left(&budget, now + 10000 + PCS_PAUSE - 1), 0);
	assert_int_equal(pcs_slice_resumes(&budget), now + 10000 + PCS_PAUSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_cheap_handler_is_not_held_up),
		cmocka_unit_test(test_a_dear_handler_is_held_to_its_share),
		cmocka_unit_test(test_events_of_a_reader_share_its_budget),
		cmocka_unit_test(test_looking_for_credit_leaves_some),
		cmocka_unit_test(test_credit_and_debt_are_bounded),
		cmocka_unit_test(test_after_the_wait_there_is_credit),
		cmocka_unit_test(test_a_slice_has_an_end),
		cmocka_unit_test(test_a_slice_begins_anew_after_a_pause),
	};

	return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
