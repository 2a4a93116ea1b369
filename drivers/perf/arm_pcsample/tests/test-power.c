// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the power state of a block. All sequences of events up to a length are compared with
 * what the events of the whole sequence say about power, without going through it step by step.
 */
#include <stdio.h>

#include "power.h"
#include "test.h"

#define MAX_EVENTS	16
#define MAX_SEQUENCE	10

struct sequence {
	unsigned int length;
	enum pcs_power_event event[MAX_SEQUENCE];
};

/* Is @event one of the @nr in @set? */
static bool is_in(enum pcs_power_event event, const enum pcs_power_event *set, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (set[i] == event)
			return true;
	return false;
}

/* The latest of the first @length events that is in @set; PCS_POWER_NR_EVENTS if none is */
static enum pcs_power_event latest(const struct sequence *s, unsigned int length,
				   const enum pcs_power_event *set, unsigned int nr)
{
	while (length-- > 0)
		if (is_in(s->event[length], set, nr))
			return s->event[length];
	return PCS_POWER_NR_EVENTS;
}

#define LATEST(s, length, ...)							\
	latest(s, length, (const enum pcs_power_event[]) { __VA_ARGS__ },	\
	       sizeof((const enum pcs_power_event[]) { __VA_ARGS__ }) /		\
	       sizeof(enum pcs_power_event))

/* After the first @length events, are power and clock certain? */
static bool is_powered(const struct sequence *s, unsigned int length)
{
	if (LATEST(s, length, PCS_POWER_ONLINE, PCS_POWER_OFFLINE) != PCS_POWER_ONLINE)
		return false;
	if (LATEST(s, length, PCS_POWER_ONLINE, PCS_POWER_IDLE_ENTER, PCS_POWER_IDLE_FAILED,
		   PCS_POWER_IDLE_EXIT) == PCS_POWER_IDLE_ENTER)
		return false;
	if (LATEST(s, length, PCS_POWER_ONLINE, PCS_POWER_IDLE_FAILED, PCS_POWER_IDLE_EXIT,
		   PCS_POWER_CLUSTER_ENTER, PCS_POWER_CLUSTER_FAILED,
		   PCS_POWER_CLUSTER_EXIT) == PCS_POWER_CLUSTER_ENTER)
		return false;
	if (LATEST(s, length, PCS_POWER_SUSPEND, PCS_POWER_RESUME) == PCS_POWER_SUSPEND)
		return false;
	if (LATEST(s, length, PCS_POWER_HOLD, PCS_POWER_RELEASE) != PCS_POWER_HOLD)
		return false;
	return LATEST(s, length, PCS_POWER_GONE) != PCS_POWER_GONE;
}

/* The first event that may undo what was done at @since; @length if there is none */
static unsigned int undone(const struct sequence *s, unsigned int since, unsigned int length,
			   bool by_release)
{
	static const enum pcs_power_event loses[] = {
		PCS_POWER_OFFLINE, PCS_POWER_IDLE_ENTER, PCS_POWER_CLUSTER_ENTER,
		PCS_POWER_SUSPEND, PCS_POWER_GONE, PCS_POWER_SUSPENDED_SAMPLING,
	};
	unsigned int i;

	for (i = since + 1; i < length; i++)
		if (is_in(s->event[i], loses, ARRAY_SIZE(loses)) ||
		    (by_release && s->event[i] == PCS_POWER_RELEASE))
			break;
	return i;
}

/* Was sampling activated when that was possible, and may nothing have ended it since? */
static bool is_active(const struct sequence *s, unsigned int length)
{
	unsigned int i;

	for (i = 0; i < length; i++)
		if (s->event[i] == PCS_POWER_ACTIVATED && is_powered(s, i) &&
		    undone(s, i, length, false) == length)
			return true;
	return false;
}

static bool is_open(const struct sequence *s, unsigned int length)
{
	unsigned int i;

	for (i = 0; i < length; i++)
		if (s->event[i] == PCS_POWER_OPENED && is_powered(s, i) && is_active(s, i) &&
		    undone(s, i, length, true) == length)
			return is_powered(s, length);
	return false;
}

static void check(const struct sequence *s, const struct pcs_power *power)
{
	bool on = is_powered(s, s->length);
	bool active = is_active(s, s->length);
	bool open = is_open(s, s->length);
	unsigned int i;

	if (pcs_power_is_on(power) == on && !!(power->done & PCS_DONE_ACTIVE) == active &&
	    pcs_power_is_open(power) == open && (!open || on))
		return;
	fprintf(stderr, "# off 0x%x done 0x%x, not on %d active %d open %d, after",
		power->off, power->done, on, active, open);
	for (i = 0; i < s->length; i++)
		fprintf(stderr, " %d", s->event[i]);
	fprintf(stderr, "\n");
	fail();
}

static void walk(struct sequence *s, const struct pcs_power *power, unsigned int depth)
{
	unsigned int event;

	check(s, power);
	if (!depth)
		return;
	for (event = 0; event < PCS_POWER_NR_EVENTS; event++) {
		struct pcs_power next = *power;

		s->event[s->length++] = event;
		pcs_power_event(&next, event);
		walk(s, &next, depth - 1);
		s->length--;
	}
}

/* From the initial state, and from that of a block being read: 1.1 million sequences each */
static void test_all_sequences(void **state)
{
	static const enum pcs_power_event ready[] = {
		PCS_POWER_ONLINE, PCS_POWER_HOLD, PCS_POWER_ACTIVATED, PCS_POWER_OPENED,
	};
	struct sequence s = {};
	struct pcs_power power;
	unsigned int i;

	(void)state;
	assert_int_equal(PCS_POWER_NR_EVENTS, MAX_EVENTS);
	pcs_power_init(&power);
	walk(&s, &power, 5);

	for (i = 0; i < ARRAY_SIZE(ready); i++) {
		s.event[s.length++] = ready[i];
		pcs_power_event(&power, ready[i]);
	}
	assert_true(pcs_power_is_open(&power));
	walk(&s, &power, 5);
}

static struct pcs_power after(const enum pcs_power_event *events, unsigned int nr)
{
	struct pcs_power power;
	unsigned int i;

	pcs_power_init(&power);
	for (i = 0; i < nr; i++)
		pcs_power_event(&power, events[i]);
	return power;
}

#define AFTER(...)								\
	after((const enum pcs_power_event[]) { __VA_ARGS__ },			\
	      sizeof((const enum pcs_power_event[]) { __VA_ARGS__ }) /		\
	      sizeof(enum pcs_power_event))

/* A CPU enters idle once more on its way offline. */
static void test_idle_on_the_way_out(void **state)
{
	struct pcs_power power = AFTER(PCS_POWER_ONLINE, PCS_POWER_HOLD, PCS_POWER_OFFLINE,
				       PCS_POWER_IDLE_ENTER, PCS_POWER_IDLE_EXIT);

	(void)state;
	assert_false(pcs_power_is_on(&power));
	pcs_power_event(&power, PCS_POWER_ONLINE);
	assert_true(pcs_power_is_on(&power));
}

/* A CPU starts to come online and fails, before the driver is told that it is up */
static void test_rolled_back_online(void **state)
{
	struct pcs_power power = AFTER(PCS_POWER_HOLD, PCS_POWER_IDLE_ENTER, PCS_POWER_IDLE_EXIT);

	(void)state;
	assert_false(pcs_power_is_on(&power));
	power = AFTER(PCS_POWER_HOLD, PCS_POWER_ONLINE, PCS_POWER_OFFLINE, PCS_POWER_IDLE_EXIT);
	assert_false(pcs_power_is_on(&power));
}

static void test_rolled_back_offline(void **state)
{
	struct pcs_power power = AFTER(PCS_POWER_HOLD, PCS_POWER_ONLINE, PCS_POWER_OFFLINE,
				       PCS_POWER_ONLINE);

	(void)state;
	assert_true(pcs_power_is_on(&power));
}

/* One CPU may report that the cluster enters a low-power state, and another one its end. */
static void test_another_cpu_wakes_the_cluster(void **state)
{
	struct pcs_power power = AFTER(PCS_POWER_HOLD, PCS_POWER_ONLINE, PCS_POWER_IDLE_ENTER,
				       PCS_POWER_CLUSTER_ENTER, PCS_POWER_IDLE_EXIT);

	(void)state;
	assert_true(pcs_power_is_on(&power));
}

/* A removed device remains removed, whatever its CPU does. */
static void test_gone_for_good(void **state)
{
	unsigned int event;

	(void)state;
	for (event = 0; event < PCS_POWER_NR_EVENTS; event++) {
		struct pcs_power power = AFTER(PCS_POWER_ONLINE, PCS_POWER_HOLD, PCS_POWER_GONE,
					       event, PCS_POWER_ONLINE, PCS_POWER_HOLD);

		assert_false(pcs_power_is_on(&power));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_sequences),
		cmocka_unit_test(test_idle_on_the_way_out),
		cmocka_unit_test(test_rolled_back_online),
		cmocka_unit_test(test_rolled_back_offline),
		cmocka_unit_test(test_another_cpu_wakes_the_cluster),
		cmocka_unit_test(test_gone_for_good),
	};

	return cmocka_run_group_tests_name("power", tests, NULL, NULL);
}
