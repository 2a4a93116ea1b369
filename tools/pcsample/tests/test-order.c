// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sorts side-band records of several rings by time.
 */
#include "unit.h"

#include "capture/order.h"

struct record {
	struct perf_event_header header;
	u64 number;
	u64 task, time, cpu, id;	/* the trailer */
};

static void add(struct capture_order *order, u64 number, u64 time)
{
	struct record r = { { .type = PERF_RECORD_FORK, .size = sizeof(r) },
			    .number = number, .time = time };

	assert_int_equal(capture_order_add(order, &r.header), 0);
}

static void gives(struct capture_order *order, u64 until, u64 number)
{
	const struct record *r = (const void *)capture_order_next(order, until);

	assert_non_null(r);
	assert_int_equal(r->number, number);
}

/* The ring of CPU 0 has a child's records; the fork is in that of CPU 1, which is read later */
static void test_rings(void **state)
{
	struct capture_order order = { 0 };

	add(&order, 2, 20);
	add(&order, 4, 40);
	add(&order, 1, 10);
	add(&order, 3, 30);
	capture_order_sort(&order);
	gives(&order, 100, 1);
	gives(&order, 100, 2);
	gives(&order, 100, 3);
	gives(&order, 100, 4);
	assert_null(capture_order_next(&order, 100));
	assert_int_equal(capture_order_drop(&order), 0);
	assert_null(capture_order_next(&order, 100));
	capture_order_deinit(&order);
}

/* A record waits for the next round if older ones may still come */
static void test_young(void **state)
{
	struct capture_order order = { 0 };

	add(&order, 1, 10);
	add(&order, 4, 40);
	add(&order, 3, 30);
	capture_order_sort(&order);
	gives(&order, 29, 1);
	assert_null(capture_order_next(&order, 29));
	assert_int_equal(capture_order_drop(&order), 0);
	add(&order, 5, 50);
	add(&order, 2, 25);
	capture_order_sort(&order);
	gives(&order, 49, 2);
	gives(&order, 49, 3);
	gives(&order, 49, 4);
	assert_null(capture_order_next(&order, 49));
	assert_int_equal(capture_order_drop(&order), 0);
	capture_order_sort(&order);
	gives(&order, UINT64_MAX, 5);
	capture_order_deinit(&order);
}

/* Records of equal time keep their order; one without a time stays behind the one before it */
static void test_equal_times(void **state)
{
	struct perf_event_header bare = { .type = PERF_RECORD_COMM, .size = sizeof(bare) };
	struct capture_order order = { 0 };

	assert_int_equal(capture_order_add(&order, &bare), 0);
	add(&order, 1, 10);
	assert_int_equal(capture_order_add(&order, &bare), 0);
	add(&order, 2, 10);
	capture_order_sort(&order);
	assert_int_equal(capture_order_next(&order, 0)->type, PERF_RECORD_COMM);
	gives(&order, 10, 1);
	assert_int_equal(capture_order_next(&order, 10)->type, PERF_RECORD_COMM);
	gives(&order, 10, 2);
	capture_order_deinit(&order);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rings),
		cmocka_unit_test(test_young),
		cmocka_unit_test(test_equal_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
