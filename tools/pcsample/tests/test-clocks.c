// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages about a clock that was set during the recording.
 */
#include "unit.h"

#include "capture/clocks.h"

#define SECOND	1000000000LL

static void compare(s64 wall, s64 asleep, const char *said_wall, const char *said_asleep)
{
	const struct clocks before = { 1700000000 * SECOND, 5 * SECOND };
	const struct clocks after = { before.wall + wall, before.asleep + asleep };
	struct clocks_notes notes;

	clocks_compare(&before, &after, &notes);
	assert_int_equal(!!notes.wall[0], !!said_wall);
	assert_int_equal(!!notes.asleep[0], !!said_asleep);
	if (said_wall)
		assert_non_null(strstr(notes.wall, said_wall));
	if (said_asleep)
		assert_non_null(strstr(notes.asleep, said_asleep));
}

static void test_notes(void **state)
{
	compare(0, 0, NULL, NULL);
	compare(10000000, 1000, NULL, NULL);
	compare(-10000000, 0, NULL, NULL);
	compare(3600 * SECOND, 0, "forward by 3600.000 s", NULL);
	compare(-2 * SECOND, 0, "back by 2.000 s", NULL);
	/* While a machine is suspended, its time of day goes on */
	compare(30 * SECOND, 30 * SECOND, NULL, "for 30.000 s");
	compare(29 * SECOND, 30 * SECOND, "back by 1.000 s", "for 30.000 s");
}

static void test_nothing_happens(void **state)
{
	struct clocks_notes notes;
	struct clocks c, d;

	clocks_read(&c);
	clocks_read(&d);
	clocks_compare(&c, &d, &notes);
	assert_string_equal(notes.asleep, "");
	assert_true(c.wall > 1000000 * SECOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_nothing_happens),
	};

	return cmocka_run_group_tests_name("capture-clocks", tests, NULL, NULL);
}
