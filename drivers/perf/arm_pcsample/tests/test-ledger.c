// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the ledger.
 */
#include "ledger.h"
#include "test.h"

/* The user ABI: these names, in this order */
static void test_names(void **state)
{
	static const char * const names[] = {
		"sample", "filtered", "idle", "prohibited", "debug", "no_branch", "error", "late",
		"preempted", "buffer_full",
	};
	unsigned int i;

	(void)state;
	assert_int_equal(PCS_NR_OUTCOMES, ARRAY_SIZE(names));
	for (i = 0; i < PCS_NR_OUTCOMES; i++)
		assert_string_equal(pcs_outcome_name(i), names[i]);
}

static void test_add(void **state)
{
	struct pcs_ledger sum = { .planned = 1000 }, one = { .planned = 7 };
	unsigned int i;

	(void)state;
	for (i = 0; i < PCS_NR_OUTCOMES; i++) {
		sum.outcome[i] = 100 * i;
		one.outcome[i] = i + 1;
	}
	pcs_ledger_add(&sum, &one);
	assert_int_equal(sum.planned, 1007);
	for (i = 0; i < PCS_NR_OUTCOMES; i++)
		assert_int_equal(sum.outcome[i], 101 * i + 1);
	assert_int_equal(one.planned, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_add),
	};

	return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
