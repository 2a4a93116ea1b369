// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs suites of tests on the host and prints TAP.
 *
 *	arch-model-test [SUITE]...	all suites, or those named
 *	arch-model-test --first		stop at the first failure, print nothing, the shortest tests
 *					first (for mutants)
 *	arch-model-test --limit=N	end by SIGXCPU after N seconds of processor time
 *	arch-model-test --counts	print the number of points of each test
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "suites.h"
#include "test.h"

#define MAX_TESTS	1024

unsigned long am_test_failures, am_test_points;
static bool stop_at_first, print_counts;

void am_test_fail(const char *file, int line, const char *format, ...)
{
	va_list args;

	if (stop_at_first)
		exit(EXIT_FAILURE);
	if (++am_test_failures > 10)
		return;
	printf("# %s:%d: ", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

/* The tables that say where an event or exception goes, and all the points they have */
static const char *const routing_tables[] = {
	"Table D6-5", "Table D6-6", "Table D6-7", "Table D6-8", "Table D6-9", "Table D6-10",
	"Table D13-1",
};

#define ROUTING_POINTS	7760

static unsigned long routing_points;

static bool is_routing_table(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(routing_tables); i++)
		if (!strcmp(name, routing_tables[i]))
			return true;
	return false;
}

static bool run(const char *suite, const struct am_test *test, unsigned int number)
{
	am_test_failures = 0;
	am_test_points = 0;
	test->run();
	if (is_routing_table(test->name))
		routing_points += am_test_points;
	if (print_counts) {
		printf("%s\t%s\t%lu\n", suite, test->name, am_test_points);
		return true;
	}
	if (am_test_points != test->points) {
		if (stop_at_first)
			exit(EXIT_FAILURE);
		am_test_failures++;
		printf("# %lu points, expected %lu\n", am_test_points, test->points);
	}
	printf("%sok %u %s: %s, %lu points\n", am_test_failures ? "not " : "", number, suite,
	       test->name, am_test_points);
	if (am_test_failures > 10)
		printf("# %lu failures\n", am_test_failures);
	return !am_test_failures;
}

static bool is_wanted(const char *suite, int argc, char **argv)
{
	bool named = false;
	int i;

	for (i = 1; i < argc; i++) {
		if (argv[i][0] == '-')
			continue;
		if (!strcmp(argv[i], suite))
			return true;
		named = true;
	}
	return !named;
}

struct entry {
	const char *suite;
	const struct am_test *test;
};

static int shorter(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->test->points > y->test->points) - (x->test->points < y->test->points);
}

static void limit_time(const char *seconds)
{
	struct rlimit limit = { .rlim_cur = strtoul(seconds, NULL, 10) };

	limit.rlim_max = limit.rlim_cur + 1;
	setrlimit(RLIMIT_CPU, &limit);
}

int main(int argc, char **argv)
{
	static struct entry entries[MAX_TESTS];
	unsigned long points = 0, failed = 0;
	const struct am_test *test;
	unsigned int number = 0, n;
	size_t i;
	int arg;

	for (arg = 1; arg < argc; arg++) {
		stop_at_first |= !strcmp(argv[arg], "--first");
		print_counts |= !strcmp(argv[arg], "--counts");
		if (!strncmp(argv[arg], "--limit=", 8))
			limit_time(argv[arg] + 8);
	}
	if (stop_at_first && !freopen("/dev/null", "w", stdout))
		return EXIT_FAILURE;
	if (!print_counts)
		printf("TAP version 13\n");
	for (i = 0; i < am_suite_count; i++)
		for (test = am_suites[i].tests; test->name; test++) {
			if (!is_wanted(am_suites[i].name, argc, argv))
				continue;
			if (number == MAX_TESTS) {
				fprintf(stderr, "more than %u tests\n", MAX_TESTS);
				return EXIT_FAILURE;
			}
			entries[number++] = (struct entry){ am_suites[i].name, test };
		}
	if (stop_at_first)
		qsort(entries, number, sizeof(entries[0]), shorter);
	for (n = 0; n < number; n++) {
		failed += !run(entries[n].suite, entries[n].test, n + 1);
		points += am_test_points;
	}
	if (print_counts)
		return EXIT_SUCCESS;
	if (is_wanted("trbe", argc, argv) && is_wanted("pmu", argc, argv)) {
		failed += routing_points != ROUTING_POINTS;
		printf("%sok %u tables: Tables D6-5 to D6-10 and D13-1, %lu of %u points\n",
		       routing_points != ROUTING_POINTS ? "not " : "", ++number, routing_points,
		       ROUTING_POINTS);
	}
	printf("1..%u\n# %lu points\n", number, points);
	return failed || !number ? EXIT_FAILURE : EXIT_SUCCESS;
}
