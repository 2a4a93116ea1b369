/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Includes of the unit tests of both modules, in the order that cmocka needs.
 */
#ifndef PCS_TEST_H
#define PCS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif /* PCS_TEST_H */
