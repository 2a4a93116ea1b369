// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs suites of tests on the host and prints TAP.
 *
 *	arch-model-test [SUITE]...	all suites, or those named
 *	arch-model-test --counts	print points and processor time of each test
 *
 * For mutants, most of which fail a short test:
 *
 *	arch-model-test --first=FILE [--begin=TEST] [SUITE]...
 *					stop at the first failure or crash and print the test; exit
 *					status 1, or 2 if it exceeds its time limit. FILE has lines
 *					of seconds, a tab, and the name of a test, in the order in
 *					which they run; TEST runs first.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "suites.h"
#include "test.h"

#define MAX_TESTS	1024

#define TIMED_OUT	2

/**
 * struct entry - a test of a suite
 * @name: "SUITE: TEST"
 * @test: the test
 * @limit: limit of processor time in seconds, with --first
 * @place: tests run in ascending order of this
 */
struct entry {
	char name[200];
	const struct am_test *test;
	double limit;
	unsigned int place;
};

unsigned long am_test_failures, am_test_points;
static bool stop_at_first, print_counts;
static const struct entry *running;

static void stop(int status)
{
	if (write(STDOUT_FILENO, running->name, strlen(running->name)) < 0)
		_exit(EXIT_FAILURE);
	_exit(status);
}

static void stop_on_signal(int number)
{
	stop(number == SIGXCPU ? TIMED_OUT : EXIT_FAILURE);
}

void am_test_fail(const char *file, int line, const char *format, ...)
{
	va_list args;

	if (stop_at_first)
		stop(EXIT_FAILURE);
	if (++am_test_failures > 10)
		return;
	printf("# %s:%d: ", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

/* The tables that route events and exceptions; all of their points add up to ROUTING_POINTS */
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

static bool run(const struct entry *entry, unsigned int number)
{
	const struct am_test *test = entry->test;
	clock_t begin = clock();

	running = entry;
	am_test_failures = 0;
	am_test_points = 0;
	test->run();
	if (is_routing_table(test->name))
		routing_points += am_test_points;
	if (print_counts) {
		printf("%.6f\t%s\t%lu\n", (double)(clock() - begin) / CLOCKS_PER_SEC, entry->name,
		       am_test_points);
		return !am_test_failures;
	}
	if (am_test_points != test->points)
		am_test_fail(__FILE__, __LINE__, "%lu points, expected %lu", am_test_points,
			     test->points);
	if (stop_at_first)
		return true;
	printf("%sok %u %s, %lu points\n", am_test_failures ? "not " : "", number, entry->name,
	       am_test_points);
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

/* Set limits and order of the tests from a file, and run the one named @begin first */
static bool read_limits(struct entry *entries, unsigned int count, const char *path,
			const char *begin)
{
	FILE *file = fopen(path, "r");
	char line[300], name[200];
	unsigned int place, i;
	double limit;

	if (!file)
		return false;
	for (place = 1; fgets(line, sizeof(line), file); place++) {
		if (sscanf(line, "%lf\t%199[^\n]", &limit, name) != 2)
			continue;
		for (i = 0; i < count; i++)
			if (!strcmp(entries[i].name, name)) {
				entries[i].limit = limit;
				entries[i].place = begin && !strcmp(begin, name) ? 0 : place;
			}
	}
	fclose(file);
	return true;
}

static int earlier(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

static void limit_time(double seconds)
{
	struct rlimit limit;

	getrlimit(RLIMIT_CPU, &limit);
	limit.rlim_cur = (double)clock() / CLOCKS_PER_SEC + seconds + 1;
	setrlimit(RLIMIT_CPU, &limit);
}

static int run_until_failure(struct entry *entries, unsigned int count, const char *limits,
			     const char *begin)
{
	static const int signals[] = { SIGXCPU, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
	unsigned int n;

	if (!read_limits(entries, count, limits, begin)) {
		perror(limits);
		return EXIT_FAILURE;
	}
	stop_at_first = true;
	for (n = 0; n < ARRAY_LEN(signals); n++)
		signal(signals[n], stop_on_signal);
	qsort(entries, count, sizeof(entries[0]), earlier);
	for (n = 0; n < count; n++) {
		limit_time(entries[n].limit);
		run(&entries[n], n + 1);
	}
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	const char *limits = NULL, *begin = NULL;
	static struct entry entries[MAX_TESTS];
	unsigned long points = 0, failed = 0;
	const struct am_test *test;
	unsigned int number = 0, n;
	size_t i;
	int arg;

	for (arg = 1; arg < argc; arg++) {
		print_counts |= !strcmp(argv[arg], "--counts");
		if (!strncmp(argv[arg], "--first=", 8))
			limits = argv[arg] + 8;
		if (!strncmp(argv[arg], "--begin=", 8))
			begin = argv[arg] + 8;
	}
	for (i = 0; i < am_suite_count; i++)
		for (test = am_suites[i].tests; test->name; test++) {
			if (!is_wanted(am_suites[i].name, argc, argv))
				continue;
			if (number == MAX_TESTS) {
				fprintf(stderr, "more than %u tests\n", MAX_TESTS);
				return EXIT_FAILURE;
			}
			snprintf(entries[number].name, sizeof(entries[number].name), "%s: %s",
				 am_suites[i].name, test->name);
			entries[number++].test = test;
		}
	if (limits)
		return run_until_failure(entries, number, limits, begin);

	if (!print_counts)
		printf("TAP version 13\n");
	for (n = 0; n < number; n++) {
		failed += !run(&entries[n], n + 1);
		points += am_test_points;
	}
	if (print_counts)
		return failed ? EXIT_FAILURE : EXIT_SUCCESS;
	if (is_wanted("trbe", argc, argv) && is_wanted("pmu", argc, argv)) {
		failed += routing_points != ROUTING_POINTS;
		printf("%sok %u tables: Tables D6-5 to D6-10 and D13-1, %lu of %u points\n",
		       routing_points != ROUTING_POINTS ? "not " : "", ++number, routing_points,
		       ROUTING_POINTS);
	}
	printf("1..%u\n# %lu points\n", number, points);
	return failed || !number ? EXIT_FAILURE : EXIT_SUCCESS;
}
