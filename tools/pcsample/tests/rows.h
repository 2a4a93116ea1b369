/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of a recording's report, as text to compare.
 */
#ifndef PCSAMPLE_TESTS_ROWS_H
#define PCSAMPLE_TESTS_ROWS_H

#include "profile/rows.h"
#include "tests/mkdata.h"

/**
 * rows_of() - "COMM DSO SYMBOL SAMPLES\n" for each row, sorted as text
 * @damage: takes the line about damage; NULL if there must be none
 *
 * Return: from malloc(); NULL if the file cannot be opened, @damage then has the reason.
 */
char *rows_of(const char *path, unsigned int threads, char *damage, size_t size);

/* Write @m as a file and compare its rows */
void assert_rows(const struct mkdata *m, const char *expected);

/* Load the symbols of all DSOs of @m; there must be no problem, or one with this text */
void assert_no_problems(const struct mkdata *m);
void assert_problem(const struct mkdata *m, const char *text);

#endif /* PCSAMPLE_TESTS_ROWS_H */
