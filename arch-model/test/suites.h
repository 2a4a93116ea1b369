/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All suites, for main.c on the host and kunit/arch-model-kunit.c in a kernel.
 */
#ifndef ARCH_MODEL_TEST_SUITES_H
#define ARCH_MODEL_TEST_SUITES_H

#include "test.h"

struct am_suite {
	const char *name;
	const struct am_test *tests;
};

extern const struct am_suite am_suites[];
extern const unsigned int am_suite_count;

#endif /* ARCH_MODEL_TEST_SUITES_H */
