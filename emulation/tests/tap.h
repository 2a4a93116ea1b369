/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Test Anything Protocol, version 13, on stdout */
#ifndef EMULATION_TESTS_TAP_H
#define EMULATION_TESTS_TAP_H

#include <stdbool.h>
#include <stdint.h>

/**
 * tap_ok() - report one test
 * @good: it passed
 * @format: what was tested; printf format
 *
 * Returns: @good
 */
bool tap_ok(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * tap_is() - report the test that two numbers are equal, and show them in hex if they are not
 * @got: the number under test
 * @want: what it ought to be
 * @format: what was tested; printf format
 *
 * Returns: they are equal
 */
bool tap_is(uint64_t got, uint64_t want, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/**
 * tap_note() - print a comment line
 * @format: printf format, without the end of line
 */
void tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * tap_bail() - end the program, because nothing further can be tested
 * @format: why; printf format
 */
void tap_bail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/**
 * tap_done() - print the plan
 *
 * Returns: exit status, 0 if all tests passed
 */
int tap_done(void);

#endif
