// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs suites of tests on the host and prints TAP.
 *
 *	arch-model-test [SUITE]...	all suites, or those named
 *	arch-model-test --first		stop at the first failure, print nothing (for mutants)
 *	arch-model-test --counts	print the number of points of each test
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static const struct {
	const char *name;
	const struct am_test *tests;
} suites[] = {
	{ "layout", am_tests_layout },
	{ "pcsr", am_tests_pcsr },
	{ "pcsr-registers", am_tests_pcsr_registers },
	{ "trbe", am_tests_trbe },
	{ "trbe-buffer", am_tests_trbe_buffer },
	{ "why", am_tests_why },
};

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

static bool run(const char *suite, const struct am_test *test, unsigned int number)
{
	am_test_failures = 0;
	am_test_points = 0;
	test->run();
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

int main(int argc, char **argv)
{
	unsigned long points = 0, failed = 0;
	const struct am_test *test;
	unsigned int number = 0;
	size_t i;
	int arg;

	for (arg = 1; arg < argc; arg++) {
		stop_at_first |= !strcmp(argv[arg], "--first");
		print_counts |= !strcmp(argv[arg], "--counts");
	}
	if (stop_at_first && !freopen("/dev/null", "w", stdout))
		return EXIT_FAILURE;
	if (!print_counts)
		printf("TAP version 13\n");
	for (i = 0; i < ARRAY_LEN(suites); i++) {
		if (!is_wanted(suites[i].name, argc, argv))
			continue;
		for (test = suites[i].tests; test->name; test++) {
			failed += !run(suites[i].name, test, ++number);
			points += am_test_points;
		}
	}
	if (print_counts)
		return EXIT_SUCCESS;
	printf("1..%u\n# %lu points\n", number, points);
	return failed || !number ? EXIT_FAILURE : EXIT_SUCCESS;
}
