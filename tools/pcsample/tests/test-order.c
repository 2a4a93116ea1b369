// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sorts side-band records of several rings by time, and ends rounds.
 */
#include "unit.h"

#include "base/array.h"
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

/*
 * Rounds, held against perf's rule: CPUs put samples into rings, each up to AGE_NS late, and a
 * reader empties the rings and writes markers.
 */

#define RINGS		3
#define AGE_NS		1000
#define PASSES		5000
#define PENDING_MAX	16
#define RING_MAX	65536

/* @pending: samples that wait for their record, the oldest first */
struct ring {
	u64 pending[PENDING_MAX], in_ring[RING_MAX];
	unsigned int nr_pending, nr;
};

/*
 * @newest: of all samples that were delivered. perf gives out what is up to @given at a marker, and
 * up to @next at the one after it.
 */
struct rounds_test {
	struct capture_rounds rounds;
	struct ring rings[RINGS];
	u64 now, late;
	u64 newest, next, given;
	unsigned int markers, out_of_order;
};

static void write_batch(struct ring *r)
{
	assert_true(r->nr + r->nr_pending <= RING_MAX);
	memcpy(r->in_ring + r->nr, r->pending, r->nr_pending * sizeof(*r->pending));
	r->nr += r->nr_pending;
	r->nr_pending = 0;
}

/* Let time pass, a nanosecond at a time. A sample is taken every 50 ns on average */
static void pass_time(struct rounds_test *t, unsigned int ns)
{
	struct ring *r;

	for (; ns; ns--, t->now++) {
		for (r = t->rings; r < t->rings + RINGS; r++) {
			if (r->nr_pending && t->now - r->pending[0] >= t->late)
				write_batch(r);
			if (random() % 50)
				continue;
			r->pending[r->nr_pending++] = t->now;
			if (r->nr_pending == PENDING_MAX || !t->late)
				write_batch(r);
		}
	}
}

static void deliver(struct rounds_test *t, u64 time)
{
	t->out_of_order += time < t->given;
	t->newest = max(t->newest, time);
}

/* Each ring takes time to read, in which samples come to the others */
static void pass(struct rounds_test *t)
{
	u64 began = t->now;
	struct ring *r;
	unsigned int i;

	for (r = t->rings; r < t->rings + RINGS; r++) {
		for (i = 0; i < r->nr; i++)
			deliver(t, r->in_ring[i]);
		r->nr = 0;
		pass_time(t, random() % 200);
	}
	/* Side-band is delivered up to this moment */
	deliver(t, t->now);
	pass_time(t, random() % 200);
	if (!capture_round_ends(&t->rounds, began, t->now))
		return;
	t->markers++;
	t->given = t->next;
	t->next = t->newest;
}

/* @late: how late samples can be; @age: what is said of that */
static struct rounds_test *run_passes(u64 late, u64 age)
{
	struct rounds_test *t = calloc(1, sizeof(*t));
	unsigned int i;

	assert_non_null(t);
	srandom(1);
	t->rounds.age = age;
	t->late = late;
	t->now = 1000000;
	for (i = 0; i < PASSES; i++) {
		pass(t);
		pass_time(t, random() % 16 ? random() % 100 : random() % 2000);
	}
	return t;
}

/* Where samples come at their time, each pass ends a round */
static void test_rounds_without_batches(void **state)
{
	struct rounds_test *t = run_passes(0, 0);

	assert_int_equal(t->markers, PASSES);
	assert_int_equal(t->out_of_order, 0);
	free(t);
}

static void test_rounds_with_batches(void **state)
{
	struct rounds_test *t = run_passes(AGE_NS, AGE_NS);

	assert_in_range(t->markers, PASSES / 10, PASSES / 2);
	assert_int_equal(t->out_of_order, 0);
	free(t);
	/* This test would notice */
	t = run_passes(AGE_NS, 0);
	assert_int_not_equal(t->out_of_order, 0);
	free(t);
}

/* A marker comes as soon as the age allows, however late the reader is */
static void test_markers(void **state)
{
	struct capture_rounds rounds = { .age = 100 };

	assert_true(capture_round_ends(&rounds, 1000, 1030));
	assert_false(capture_round_ends(&rounds, 1040, 1050));
	assert_false(capture_round_ends(&rounds, 1129, 5000));
	assert_true(capture_round_ends(&rounds, 1130, 5000));
	assert_false(capture_round_ends(&rounds, 5099, 5100));
	assert_true(capture_round_ends(&rounds, 5100, 5101));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rings),
		cmocka_unit_test(test_young),
		cmocka_unit_test(test_equal_times),
		cmocka_unit_test(test_rounds_without_batches),
		cmocka_unit_test(test_rounds_with_batches),
		cmocka_unit_test(test_markers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
