// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the budget: over any time the reader gets its share, and no more.
 */
#include "budget.h"
#include "test.h"

/* Runs a handler of @cost ns whenever the budget lets it, every @every ns, for 10 s. */
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
		/* A handler longer than its interval cannot have more than all of the CPU. */
		double most = percent / 100.0 * 1.02 + 0.001;

		assert_true(share <= most);
		assert_true(share >= percent / 100.0 * 0.95);
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
	/* a tenth of a second in debt, at a hundredth of the CPU: ten seconds */
	assert_in_range(pcs_budget_wait(&budget, 1), 10000000000ULL, 10000001000ULL);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_cheap_handler_is_not_held_up),
		cmocka_unit_test(test_a_dear_handler_is_held_to_its_share),
		cmocka_unit_test(test_credit_and_debt_are_bounded),
		cmocka_unit_test(test_after_the_wait_there_is_credit),
	};

	return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
