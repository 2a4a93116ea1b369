/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all tests here include; cmocka wants its headers in this order.
 */
#ifndef PRX_TEST_H
#define PRX_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif /* PRX_TEST_H */
