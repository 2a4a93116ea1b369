/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of the manual themselves, as arch-model/tables/ has them typed:
 * what the row of a point says, and which rows have been walked
 */
#ifndef TABLES_H
#define TABLES_H

#include "baremetal.h"

enum table_id {
    D13_1, D13_2, D6_5, D6_6, D6_7, D6_8, D6_9, D6_10, NUM_TABLES
};

/*
 * What the row that speaks of these controls has in column @column; the row has
 * been walked then. Not a string: compare with says(). NULL if no row speaks of
 * them.
 * @controls: values of the columns before the double bar, in that order
 */
const char *table_cell(enum table_id id, const unsigned int *controls,
                       const char *column);

/* @cell, of table_cell(), is @text. */
bool says(const char *cell, const char *text);

/* ESR_ELx, TRBSR_ELx: @cell says "EL1" to "EL3": 1 to 3, else 0 */
int says_el(const char *cell);

/*
 * The case of Table D13-2, 1 to 4, for what two cells of Table D13-1 say about
 * before and after the return, and what it says about the return
 */
unsigned int table_d13_2_case(const char *before, const char *after,
                              const char **behaviour);

/* Each row of the tables that this CPU can be in is walked. */
void suite_rows(void);

#endif
