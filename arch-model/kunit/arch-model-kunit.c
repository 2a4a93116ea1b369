// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the tests of test/ in a kernel, as one KUnit test with a parameter for each. Loading the
 * module runs it, and the kernel's log has the results.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/printk.h>

#include "suites.h"
#include "test.h"

unsigned long am_test_failures, am_test_points;

void am_test_fail(const char *file, int line, const char *format, ...)
{
	struct va_format text = { .fmt = format };
	va_list args;

	if (++am_test_failures > 10)
		return;
	va_start(args, format);
	text.va = &args;
	pr_info("        # %s:%d: %pV\n", kbasename(file), line, &text);
	va_end(args);
}

/* One test */
struct entry {
	const char *suite;
	const struct am_test *test;
};

/* The test after @prev, a struct entry, or the first; NULL after the last */
static const void *next_entry(const void *prev, char *description)
{
	static struct entry entry;
	static unsigned int suite;

	if (!prev) {
		suite = 0;
		entry.test = am_suites[0].tests;
	} else {
		entry.test++;
	}
	while (!entry.test->name) {
		if (++suite == am_suite_count)
			return NULL;
		entry.test = am_suites[suite].tests;
	}
	entry.suite = am_suites[suite].name;
	snprintf(description, KUNIT_PARAM_DESC_SIZE, "%s: %s", entry.suite, entry.test->name);
	return &entry;
}

static void run_entry(struct kunit *test)
{
	const struct entry *entry = test->param_value;

	am_test_failures = 0;
	am_test_points = 0;
	entry->test->run();
	KUNIT_EXPECT_EQ(test, am_test_failures, 0);
	KUNIT_EXPECT_EQ(test, am_test_points, entry->test->points);
}

static struct kunit_case arch_model_cases[] = {
	KUNIT_CASE_PARAM(run_entry, next_entry),
	{ }
};

static struct kunit_suite arch_model_suite = {
	.name = "arch-model",
	.test_cases = arch_model_cases,
};

kunit_test_suite(arch_model_suite);

MODULE_DESCRIPTION("Tests of the model of the Arm profiling architecture");
MODULE_LICENSE("GPL");
