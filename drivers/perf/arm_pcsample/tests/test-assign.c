// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of who reads whom.
 */
#include <stdlib.h>
#include <string.h>

#include "assign.h"
#include "test.h"

#define MAX 16

static int acting[MAX], package[MAX], reader[MAX], load[MAX];
static bool is_target[MAX];
static struct pcs_seats seats = { 0, acting, package, is_target, reader, load };

/* @nr CPUs, all targets, one package, nobody reads */
static void set_up(int nr)
{
	int cpu;

	seats.nr_cpus = nr;
	for (cpu = 0; cpu < MAX; cpu++) {
		acting[cpu] = PCS_NOBODY;
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
	acting[0] = 0;
	acting[1] = 1;
	assert_int_equal(pcs_assign(&seats), 0);
	assert_readers("10");
}

static void test_one_reader_cannot_read_itself(void **state)
{
	(void)state;
	set_up(4);
	acting[2] = 2;
	assert_int_equal(pcs_assign(&seats), 1);
	assert_readers("22-2");
}

static void test_balance(void **state)
{
	(void)state;
	set_up(8);
	acting[0] = 0;
	acting[4] = 4;
	assert_int_equal(pcs_assign(&seats), 0);
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
	acting[0] = 0;
	acting[4] = 4;
	assert_int_equal(pcs_assign(&seats), 0);
	assert_readers("40000444");
}

static void test_only_targets(void **state)
{
	(void)state;
	set_up(4);
	is_target[1] = false;
	acting[0] = 0;
	acting[1] = 1;
	assert_int_equal(pcs_assign(&seats), 0);
	assert_readers("1-00");
}

/* CPU 0 goes; 2 sits in for it, and the target 2 must go to the other reader, the rest stays. */
static void test_stand_in(void **state)
{
	int before, cpu;

	(void)state;
	set_up(4);
	acting[0] = 0;
	acting[1] = 1;
	pcs_assign(&seats);
	before = reader[3];
	acting[0] = 2;
	assert_int_equal(pcs_assign(&seats), 0);
	assert_int_equal(reader[2], 1);
	assert_int_equal(reader[3], before);
	for (cpu = 0; cpu < 4; cpu++)
		assert_int_not_equal(acting[reader[cpu]], cpu);
}

/* Both readers on one CPU: it is served by nobody, the others by one of them. */
static void test_shared_cpu(void **state)
{
	(void)state;
	set_up(2);
	acting[0] = 1;
	acting[1] = 1;
	reader[0] = 1;
	reader[1] = 0;
	assert_int_equal(pcs_assign(&seats), 1);
	assert_readers("1-");
}

/* Whatever happens: nobody reads itself, nobody is left out who could be read, no count is off. */
static void test_random_changes(void **state)
{
	int round, cpu;

	(void)state;
	srandom(3);
	set_up(MAX);
	for (round = 0; round < 20000; round++) {
		int unserved = 0, expected_load[MAX] = {}, returned, could;

		cpu = random() % MAX;
		acting[cpu] = random() % 3 ? random() % MAX : PCS_NOBODY;
		is_target[random() % MAX] = random() % 4;
		package[random() % MAX] = random() % 3;
		returned = pcs_assign(&seats);

		for (cpu = 0; cpu < MAX; cpu++) {
			int seat;

			could = false;
			for (seat = 0; seat < MAX; seat++)
				could |= acting[seat] != PCS_NOBODY && acting[seat] != cpu;
			if (reader[cpu] == PCS_NOBODY) {
				assert_false(is_target[cpu] && could);
				unserved += is_target[cpu];
				continue;
			}
			assert_true(is_target[cpu]);
			assert_int_not_equal(acting[reader[cpu]], PCS_NOBODY);
			assert_int_not_equal(acting[reader[cpu]], cpu);
			expected_load[reader[cpu]]++;
		}
		assert_int_equal(returned, unserved);
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
		cmocka_unit_test(test_shared_cpu),
		cmocka_unit_test(test_random_changes),
	};

	return cmocka_run_group_tests_name("assign", tests, NULL, NULL);
}
