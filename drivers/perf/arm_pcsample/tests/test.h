/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmocka wants these in this order.
 */
#ifndef PCS_TEST_H
#define PCS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif /* PCS_TEST_H */
