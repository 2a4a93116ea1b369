// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the counts between two snapshots, whatever perf does to the counters in between */
#include <stdlib.h>
#include <string.h>

#include <linux/arm_pcsample.h>

#include "counts.h"
#include "test.h"

#define ALL	(1 << PCS_COUNT_CYCLES | 1 << PCS_COUNT_INSTRUCTIONS | 1 << PCS_COUNT_EVENT)
#define HAS_ALL	(ARM_PCSAMPLE_HAS_CYCLES | ARM_PCSAMPLE_HAS_INSTRUCTIONS | ARM_PCSAMPLE_HAS_COUNTED)

static struct pcs_look look(int counter, u64 since, u64 count, u64 start, u64 mask)
{
	return (struct pcs_look){
		.counter = counter, .since = since, .count = count, .start = start, .mask = mask,
	};
}

static void all(struct pcs_look *looks, struct pcs_look one)
{
	unsigned int i;

	for (i = 0; i < PCS_NR_COUNTS; i++)
		looks[i] = one;
}

static void test_a_count(void **state)
{
	static const struct {
		u64 count, start, mask, saved, value;
	} rows[] = {
		{ 0, 0, ~0ULL, 5, 5 },
		{ 100, 40, ~0ULL, 50, 110 },
		/* The counter wrapped at 64 or at 32 bits; bits above do not belong to it */
		{ 0, 0xFFFFFFFFFFFFFFF0, ~0ULL, 0x10, 0x20 },
		{ 7, 0xFFFFFFF0, 0xFFFFFFFF, 0x10, 0x27 },
		{ 7, 0xFFFFFFFFFFFFFFF0, 0xFFFFFFFF, 0xABCD00000010, 0x27 },
		{ 0x500000000, 0x80000001, 0xFFFFFFFF, 0x80000000, 0x5FFFFFFFF },
	};
	struct pcs_look looks[PCS_NR_COUNTS];
	u64 saved[PCS_NR_COUNTS];
	struct pcs_counts counts;
	unsigned int i, n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		all(looks, look(3, 9, rows[i].count, rows[i].start, rows[i].mask));
		for (n = 0; n < PCS_NR_COUNTS; n++)
			saved[n] = rows[i].saved;
		pcs_counts_take(&counts, looks, looks, saved);
		assert_int_equal(counts.valid, ALL);
		for (n = 0; n < PCS_NR_COUNTS; n++) {
			assert_int_equal(counts.value[n], rows[i].value);
			assert_int_equal(counts.since[n], 9);
		}
	}
}

/* The counter was looked at after the snapshot, and has changed: its count is unknown. */
static void test_changed_meanwhile(void **state)
{
	const struct pcs_look before = look(3, 9, 100, 40, ~0ULL);
	const struct pcs_look after[] = {
		look(4, 9, 100, 40, ~0ULL), look(3, 10, 100, 40, ~0ULL),
		look(3, 9, 101, 40, ~0ULL), look(3, 9, 100, 41, ~0ULL),
		look(PCS_COUNTER_NONE, 9, 100, 40, ~0ULL),
	};
	struct pcs_look a[PCS_NR_COUNTS], b[PCS_NR_COUNTS];
	u64 saved[PCS_NR_COUNTS] = {};
	struct pcs_counts counts;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(after); i++) {
		all(a, before);
		all(b, before);
		b[PCS_COUNT_INSTRUCTIONS] = after[i];
		pcs_counts_take(&counts, a, b, saved);
		assert_int_equal(counts.valid, ALL & ~(1 << PCS_COUNT_INSTRUCTIONS));
	}
	all(a, look(PCS_COUNTER_NONE, 0, 0, 0, 0));
	pcs_counts_take(&counts, a, a, saved);
	assert_int_equal(counts.valid, 0);
}

static struct pcs_counts counts_of(u8 valid, u64 value, u64 since)
{
	struct pcs_counts counts = { .valid = valid };
	unsigned int i;

	for (i = 0; i < PCS_NR_COUNTS; i++) {
		counts.value[i] = value + i;
		counts.since[i] = since;
	}
	return counts;
}

static void test_between_two(void **state)
{
	const struct pcs_counts none = {}, later = counts_of(ALL, 150, 9);
	const struct pcs_counts one = counts_of(1 << PCS_COUNT_CYCLES, 120, 9);
	struct pcs_counts last = none;
	u64 delta[PCS_NR_COUNTS];

	(void)state;
	/* The first snapshot */
	assert_int_equal(pcs_counts_since(&last, &(struct pcs_counts){}, ALL, delta), 0);
	last = none;
	assert_int_equal(pcs_counts_since(&last, &later, ALL, delta), 0);
	assert_memory_equal(&last, &later, sizeof(last));

	last = counts_of(ALL, 100, 9);
	assert_int_equal(pcs_counts_since(&last, &later, ALL, delta), HAS_ALL);
	assert_int_equal(delta[PCS_COUNT_CYCLES], 50);
	assert_int_equal(delta[PCS_COUNT_EVENT], 50);
	assert_memory_equal(&last, &later, sizeof(last));

	/* Reprogrammed in between: unknown, and known again from here on */
	last = counts_of(ALL, 100, 8);
	assert_int_equal(pcs_counts_since(&last, &later, ALL, delta), 0);
	assert_int_equal(delta[PCS_COUNT_CYCLES], 0);
	assert_memory_equal(&last, &later, sizeof(last));

	/* Counts that were not asked for are not returned. */
	last = counts_of(ALL, 100, 9);
	assert_int_equal(pcs_counts_since(&last, &later, 1 << PCS_COUNT_CYCLES, delta),
			 ARM_PCSAMPLE_HAS_CYCLES);
	assert_int_equal(delta[PCS_COUNT_INSTRUCTIONS], 0);

	/* No snapshot in between: the next one counts from the last one. */
	last = counts_of(ALL, 100, 9);
	assert_int_equal(pcs_counts_since(&last, &none, ALL, delta), 0);
	assert_int_equal(pcs_counts_since(&last, &later, ALL, delta), HAS_ALL);
	assert_int_equal(delta[PCS_COUNT_INSTRUCTIONS], 50);

	/* One counter was missing in between. */
	last = counts_of(ALL, 100, 9);
	pcs_counts_since(&last, &one, ALL, delta);
	assert_int_equal(pcs_counts_since(&last, &later, ALL, delta), ARM_PCSAMPLE_HAS_CYCLES);
}

/*
 * The CPU is held up in the middle of an update by perf, for all of a snapshot: the value of the
 * counter is new, and the count is that of before. Or the value is new, and the counter has another
 * event's. Nothing is made of it, in whichever of the two differences it would be negative.
 */
static void test_torn(void **state)
{
	const struct pcs_counts low = counts_of(ALL, 50, 9), high = counts_of(ALL, 1ULL << 63, 9);
	const struct pcs_counts then = counts_of(ALL, 110, 9), later = counts_of(ALL, 150, 9);
	struct pcs_counts last = counts_of(ALL, 100, 9);
	u64 delta[PCS_NR_COUNTS];

	(void)state;
	assert_int_equal(pcs_counts_since(&last, &low, ALL, delta), 0);
	assert_int_equal(delta[PCS_COUNT_CYCLES], 0);
	assert_int_equal(pcs_counts_since(&last, &then, ALL, delta), 0);
	assert_int_equal(pcs_counts_since(&last, &later, ALL, delta), HAS_ALL);
	assert_int_equal(delta[PCS_COUNT_CYCLES], 40);

	last = high;
	assert_int_equal(pcs_counts_since(&last, &then, ALL, delta), 0);
	assert_int_equal(delta[PCS_COUNT_CYCLES], 0);
	assert_int_equal(pcs_counts_since(&last, &later, ALL, delta), 0);

	/* The others are not affected. */
	last = counts_of(ALL, 100, 9);
	last.value[PCS_COUNT_EVENT] = 1000;
	assert_int_equal(pcs_counts_since(&last, &later, ALL, delta),
			 HAS_ALL & ~ARM_PCSAMPLE_HAS_COUNTED);
}

static void test_stands_still(void **state)
{
	const struct pcs_counts last = counts_of(ALL, 100, 9), same = last;
	const struct pcs_counts later = counts_of(ALL, 101, 9), other = counts_of(ALL, 100, 10);
	const struct pcs_counts none = {};

	(void)state;
	assert_true(pcs_counts_stand_still(&last, &same));
	assert_false(pcs_counts_stand_still(&last, &later));
	assert_false(pcs_counts_stand_still(&last, &other));
	assert_false(pcs_counts_stand_still(&none, &none));
	assert_false(pcs_counts_stand_still(&last, &none));
}

/*
 * One event among others, at random. perf gives it 32-bit counters, takes them away, gives them to
 * others, and updates its count, at any time, even during a snapshot. Each count that is said to be
 * known must be right.
 */
struct perf {
	u64 counter[4];
	int used;			/* the event's counter, or -1 */
	u64 since, count, start;
	u64 truth;			/* everything that happened */
	u64 lost;			/* what happened while the event had no counter */
};

static u64 random_below(u64 limit)
{
	return (((u64)rand() << 31) ^ rand()) % limit;
}

static void happen(struct perf *perf)
{
	u64 n = random_below(rand() % 8 ? 1000 : 0xFFFFFFF0);

	perf->truth += n;
	if (perf->used >= 0)
		perf->counter[perf->used] = (u32)(perf->counter[perf->used] + n);
	else
		perf->lost += n;
	/* Other events count, too */
	n = (perf->used + 1 + rand() % 3) & 3;
	if ((int)n != perf->used)
		perf->counter[n] = (u32)(perf->counter[n] + random_below(0xFFFFFFFF));
}

static void update(struct perf *perf)
{
	u64 now;

	if (perf->used < 0)
		return;
	now = perf->counter[perf->used];
	perf->count += (now - perf->start) & 0xFFFFFFFF;
	perf->start = now;
}

static void change(struct perf *perf, u64 *clock)
{
	update(perf);
	switch (rand() % 4) {
	case 0:
		perf->used = -1;
		break;
	case 1:
		perf->used = rand() % 4;
		perf->since = ++*clock;
		perf->start = (u32)rand();
		perf->counter[perf->used] = perf->start;
		break;
	}
}

static struct pcs_look look_at(const struct perf *perf)
{
	if (perf->used < 0)
		return look(PCS_COUNTER_NONE, 0, 0, 0, 0);
	return look(perf->used, perf->since, perf->count, perf->start, 0xFFFFFFFF);
}

static void test_any_perf(void **state)
{
	struct pcs_look before[PCS_NR_COUNTS], after[PCS_NR_COUNTS];
	u64 delta[PCS_NR_COUNTS], saved[PCS_NR_COUNTS], clock = 0;
	struct perf perf = { .used = -1 };
	struct pcs_counts last = {}, now;
	u64 then = 0, lost_then = 0;
	unsigned int n, known = 0;

	(void)state;
	srand(4);
	for (n = 0; n < 200000; n++) {
		u64 at, lost;

		happen(&perf);
		if (rand() % 4 == 0)
			change(&perf, &clock);
		/* A 32-bit counter is updated before it can wrap twice. */
		update(&perf);
		all(before, look_at(&perf));
		if (rand() % 16 == 0)
			change(&perf, &clock);
		at = perf.truth;
		lost = perf.lost;
		saved[0] = before[0].counter < 0 ? 0 : perf.counter[before[0].counter];
		saved[1] = saved[0];
		saved[2] = saved[0];
		if (rand() % 16 == 0)
			change(&perf, &clock);
		all(after, look_at(&perf));

		pcs_counts_take(&now, before, after, saved);
		if (pcs_counts_since(&last, &now, ALL, delta)) {
			assert_int_equal(delta[0], at - then);
			assert_int_equal(lost, lost_then);
			known++;
		}
		if (now.valid) {
			then = at;
			lost_then = lost;
		}
	}
	assert_true(known > 50000 && known < 190000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_count),
		cmocka_unit_test(test_changed_meanwhile),
		cmocka_unit_test(test_between_two),
		cmocka_unit_test(test_torn),
		cmocka_unit_test(test_stands_still),
		cmocka_unit_test(test_any_perf),
	};

	return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
