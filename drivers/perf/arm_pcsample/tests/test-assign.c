// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the assignment of targets to readers.
 */
#include <stdlib.h>
#include <string.h>

#include "assign.h"
#include "test.h"

#define MAX 16

static int package[MAX], reader[MAX], load[MAX];
static bool is_reader[MAX], is_target[MAX];
static struct pcs_seats seats = { 0, package, is_reader, is_target, reader, load };

/* @nr CPUs in one package: all are targets, none is a reader */
static void set_up(int nr)
{
	int cpu;

	seats.nr_cpus = nr;
	for (cpu = 0; cpu < MAX; cpu++) {
		is_reader[cpu] = false;
		reader[cpu] = PCS_NOBODY;
		package[cpu] = 0;
		is_target[cpu] = cpu < nr;
	}
}

static void assert_readers(const char *expected)
{
	int cpu;

	for (cpu = 0; cpu < seats.nr_cpus; cpu++)
		assert_int_equal(reader[cpu], expected[cpu] == '-' ? PCS_NOBODY :
					      expected[cpu] - '0');
}

static void test_each_other(void **state)
{
	(void)state;
	set_up(2);
	is_reader[0] = true;
	is_reader[1] = true;
	pcs_assign(&seats);
	assert_readers("10");
}

static void test_one_reader_cannot_read_itself(void **state)
{
	(void)state;
	set_up(4);
	is_reader[2] = true;
	pcs_assign(&seats);
	assert_readers("22-2");
}

static void test_balance(void **state)
{
	(void)state;
	set_up(8);
	is_reader[0] = true;
	is_reader[4] = true;
	pcs_assign(&seats);
	assert_int_equal(load[0], 4);
	assert_int_equal(load[4], 4);
}

static void test_own_package_first(void **state)
{
	int cpu;

	(void)state;
	set_up(8);
	for (cpu = 4; cpu < 8; cpu++)
		package[cpu] = 1;
	is_reader[0] = true;
	is_reader[4] = true;
	pcs_assign(&seats);
	assert_readers("40000444");
}

static void test_only_targets(void **state)
{
	(void)state;
	set_up(4);
	is_target[1] = false;
	is_reader[0] = true;
	is_reader[1] = true;
	pcs_assign(&seats);
	assert_readers("1-00");
}

/* CPU 0 goes offline, CPU 2 reads instead; target 2 moves to the other reader, the rest stays. */
static void test_stand_in(void **state)
{
	int before, cpu;

	(void)state;
	set_up(4);
	is_reader[0] = true;
	is_reader[1] = true;
	pcs_assign(&seats);
	before = reader[3];
	is_reader[0] = false;
	is_reader[2] = true;
	pcs_assign(&seats);
	assert_int_equal(reader[2], 1);
	if (before == 1)
		assert_int_equal(reader[3], 1);
	for (cpu = 0; cpu < 4; cpu++)
		assert_int_not_equal(reader[cpu], cpu);
}

/* One of two CPUs that read each other goes offline: nobody can read the other one. */
static void test_the_last_two(void **state)
{
	(void)state;
	set_up(2);
	is_reader[1] = true;
	reader[0] = 1;
	reader[1] = 0;
	pcs_assign(&seats);
	assert_readers("1-");
}

/* After each change: no CPU reads itself, each CPU that can be read is, and the loads are right. */
static void test_random_changes(void **state)
{
	int round, cpu;

	(void)state;
	srandom(3);
	set_up(MAX);
	for (round = 0; round < 20000; round++) {
		int expected_load[MAX] = {}, other;

		is_reader[random() % MAX] = !(random() % 3);
		is_target[random() % MAX] = random() % 4;
		package[random() % MAX] = random() % 3;
		pcs_assign(&seats);

		for (cpu = 0; cpu < MAX; cpu++) {
			bool could = false;

			for (other = 0; other < MAX; other++)
				could |= is_reader[other] && other != cpu;
			if (reader[cpu] == PCS_NOBODY) {
				assert_false(is_target[cpu] && could);
				continue;
			}
			assert_true(is_target[cpu]);
			assert_true(is_reader[reader[cpu]]);
			assert_int_not_equal(reader[cpu], cpu);
			expected_load[reader[cpu]]++;
		}
		assert_memory_equal(load, expected_load, sizeof(load));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_other),
		cmocka_unit_test(test_one_reader_cannot_read_itself),
		cmocka_unit_test(test_balance),
		cmocka_unit_test(test_own_package_first),
		cmocka_unit_test(test_only_targets),
		cmocka_unit_test(test_stand_in),
		cmocka_unit_test(test_the_last_two),
		cmocka_unit_test(test_random_changes),
	};

	return cmocka_run_group_tests_name("assign", tests, NULL, NULL);
}
