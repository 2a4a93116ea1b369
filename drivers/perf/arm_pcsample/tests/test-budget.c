// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the budget: in any period of time the reader gets its share of the CPU, and no more.
 */
#include "budget.h"
#include "test.h"

/*
 * An event of the reader, which the timer runs. What it wants to read each time takes @cost ns, and
 * a read @read.
 */
struct sampler {
	u64 every, cost, read;
	u64 next, order;
	bool booked;
	u64 spent, runs, charged;
};

/*
 * What a handler costs beside its reads, what one costs that finds nothing left of the slice, and
 * what the interrupt costs that runs all that are due; ns
 */
#define LOOK	300
#define TURN	100
#define TICK	1000

static struct sampler *first_of(struct sampler *s, unsigned int nr)
{
	struct sampler *first = s;
	unsigned int i;

	/* Timers for the same time run in the order in which they were started */
	for (i = 1; i < nr; i++)
		if (s[i].next < first->next ||
		    (s[i].next == first->next && s[i].order < first->order))
			first = &s[i];
	return first;
}

static u64 reads_in(const struct sampler *s, u64 left)
{
	u64 whole = (left + s->read - 1) / s->read * s->read;

	return s->cost < whole ? s->cost : whole;
}

/* What reader.c does. Returns the time that it takes. */
static u64 run_handler(struct sampler *s, struct pcs_budget *budget, u64 begin,
		       unsigned int percent)
{
	u64 left = pcs_slice_left(budget, begin), work = 0, blocked = 0;
	bool paid, cut = false;

	if (left) {
		paid = pcs_budget_earn(budget, begin, percent, s->booked);
		if (paid)
			work = reads_in(s, left);
		cut = paid && work < s->cost;
		s->spent += work;
		s->runs += paid;
		s->charged += work + LOOK + TICK;
		pcs_slice_use(budget, begin, begin + work + LOOK);
		pcs_budget_spend(budget, work + LOOK + TICK);
		s->booked = budget->credit <= 0;
		if (s->booked)
			blocked = begin + pcs_budget_book(budget, percent);
		if (!cut)
			s->next = (begin / s->every + 1) * s->every;
	}
	if (s->next < pcs_slice_resumes(budget, left))
		s->next = pcs_slice_resumes(budget, left);
	if (s->next < blocked)
		s->next = blocked;
	return left ? work + LOOK : TURN;
}

/* For @seconds */
static void run_samplers(struct sampler *s, unsigned int nr, unsigned int percent,
			 unsigned int seconds)
{
	u64 now = 1, end = 1 + seconds * 1000000000ULL, order = 0;
	struct pcs_budget budget = { .last = 1 };
	unsigned int i;

	for (i = 0; i < nr; i++)
		s[i].next = s[i].every + 300 * i;
	while (now < end) {
		struct sampler *first = first_of(s, nr);

		if (first->next > now)
			now = first->next + TICK;
		now += run_handler(first, &budget, now, percent);
		first->order = ++order;
	}
}

static void test_a_cheap_handler_is_not_held_up(void **state)
{
	struct sampler s = { .every = 10000, .cost = 1000, .read = 500 };

	(void)state;
	run_samplers(&s, 1, 25, 10);
	assert_true(s.runs > 999000);
}

/* A handler that is longer than its interval cannot use more than it has between two pauses. */
static void test_a_dear_handler_is_held_to_its_share(void **state)
{
	unsigned int percent;

	(void)state;
	for (percent = 1; percent <= 95; percent++) {
		struct sampler s = { .every = 10000, .cost = 50000, .read = 500 };
		double share, most = percent / 100.0;

		run_samplers(&s, 1, percent, 10);
		share = s.charged / 1e10;
		assert_true(share <= most * 1.02 + 0.001);
		assert_true(share >= (most > 0.83 ? 0.83 : most) * 0.95);
	}
}

/*
 * Events want more than there is, all the time, in slices or in single reads. They get all of the
 * budget together, and none is starved. They need not get the same: where 15 fit into a slice and a
 * bit is left, the sixteenth has that bit of each.
 */
static void expect_fair(unsigned int nr, u64 cost, u64 every, unsigned int percent)
{
	u64 least = UINT64_MAX, most = 0, charged = 0, share = 10000000ULL * percent;
	struct sampler s[16] = {};
	unsigned int i;

	for (i = 0; i < nr; i++)
		s[i] = (struct sampler){ .every = every, .cost = cost, .read = 500 };
	run_samplers(s, nr, percent, 1);
	for (i = 0; i < nr; i++) {
		least = s[i].spent < least ? s[i].spent : least;
		most = s[i].spent > most ? s[i].spent : most;
		charged += s[i].charged;
	}
	assert_true(least > most / 10);
	assert_true(charged <= share * 102 / 100 + nr * (PCS_SLICE + LOOK + TICK));
	if (percent <= 60 && nr * (cost + LOOK + TICK) * 100 > 2 * every * percent)
		assert_true(charged >= share * 95 / 100);
}

static void test_events_of_a_reader_share_its_budget(void **state)
{
	static const u64 costs[] = { 500, 3000, 32000, 50000, 200000 };
	static const u64 every[] = { 10000, 100000, 250000 };
	static const unsigned int percents[] = { 1, 10, 25, 60, 95 };
	unsigned int nr, i, j, k;

	(void)state;
	for (nr = 2; nr <= 16; nr++)
		for (i = 0; i < ARRAY_SIZE(costs); i++)
			for (j = 0; j < ARRAY_SIZE(every); j++)
				for (k = 0; k < ARRAY_SIZE(percents); k++)
					expect_fair(nr, costs[i], every[j], percents[k]);
}

/*
 * One event wants all of the CPU, with many targets. Those that want little have most of that, and
 * one that comes seldom finds what it has booked the time before.
 */
static void test_a_greedy_event_leaves_the_others_their_turn(void **state)
{
	struct sampler s[8] = {};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(s); i++)
		s[i] = (struct sampler){ .every = 250000, .cost = 500, .read = 500 };
	s[3].every = 10000;
	s[3].cost = 50000;
	s[5].every = 10000000;
	run_samplers(s, ARRAY_SIZE(s), 25, 1);
	for (i = 0; i < ARRAY_SIZE(s); i++)
		assert_true(i == 3 || i == 5 || s[i].runs > 3000);
	assert_in_range(s[5].runs, 97, 100);
	assert_true(s[3].spent > 100000000);
}

static void test_credit_and_debt_are_bounded(void **state)
{
	struct pcs_budget budget = {};

	(void)state;
	assert_true(pcs_budget_earn(&budget, UINT64_MAX / 2, 95, false));
	assert_int_equal(budget.credit, PCS_BUDGET_WINDOW * 95 / 100);

	pcs_budget_spend(&budget, UINT64_MAX);
	pcs_budget_spend(&budget, UINT64_MAX);
	assert_int_equal(budget.credit, -PCS_BUDGET_WINDOW);
	/* in debt by 100 ms with 1 % of the CPU: wait ten seconds */
	assert_in_range(pcs_budget_book(&budget, 1), 10000200000ULL, 10000201000ULL);
}

static void test_what_is_booked_is_there_in_time(void **state)
{
	unsigned int percent;

	(void)state;
	for (percent = 1; percent <= 100; percent++) {
		struct pcs_budget budget = { .last = 5, .credit = -12345 };
		u64 first = pcs_budget_book(&budget, percent);
		u64 second = pcs_budget_book(&budget, percent);

		assert_true(second > first);
		/* Another event finds nothing meanwhile. */
		assert_false(pcs_budget_earn(&budget, 5 + first, percent, false));
		assert_true(pcs_budget_earn(&budget, 5 + first, percent, true));
		pcs_budget_spend(&budget, PCS_BOOKING);
		assert_true(pcs_budget_earn(&budget, 5 + second, percent, true));
		/* But for what the divisions have rounded */
		assert_in_range(budget.credit, PCS_BOOKING - 2, PCS_BOOKING + 2);
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
		if (pcs_slice_resumes(&budget, false) > now) {
			now = pcs_slice_resumes(&budget, false);
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
		assert_int_equal(pcs_slice_resumes(&budget, true), 0);
		now += 40000 + PCS_PAUSE;
	}
	now -= 1;
	assert_int_equal(pcs_slice_left(&budget, now), 10000);
	pcs_slice_use(&budget, now, now + 10000);
	assert_int_equal(pcs_slice_left(&budget, now + 10000 + PCS_PAUSE - 1), 0);
	assert_int_equal(pcs_slice_resumes(&budget, false), now + 10000 + PCS_PAUSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_cheap_handler_is_not_held_up),
		cmocka_unit_test(test_a_dear_handler_is_held_to_its_share),
		cmocka_unit_test(test_events_of_a_reader_share_its_budget),
		cmocka_unit_test(test_a_greedy_event_leaves_the_others_their_turn),
		cmocka_unit_test(test_credit_and_debt_are_bounded),
		cmocka_unit_test(test_what_is_booked_is_there_in_time),
		cmocka_unit_test(test_a_slice_has_an_end),
		cmocka_unit_test(test_a_slice_begins_anew_after_a_pause),
	};

	return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
