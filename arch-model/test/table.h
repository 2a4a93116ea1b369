/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of the source documents, with all combinations that their rows cover.
 */
#ifndef ARCH_MODEL_TEST_TABLE_H
#define ARCH_MODEL_TEST_TABLE_H

#include <arch-model/table.h>

/* The number at the begin of @cell, "0x..." */
bool am_cell_number(struct am_cell cell, u64 *number);

/**
 * struct am_table_input - a control of a table
 * @name: the column's title
 * @bits: width of the control, 1 or 2
 */
struct am_table_input {
	const char *name;
	unsigned int bits;
};

/**
 * struct am_table - how to expand a table, and what to compare it with
 * @text: the table
 * @inputs: its controls, ended by a NULL name. The controls of a combination are packed into one
 *     number, the first control in the lowest bits.
 * @results: titles of its result columns, ended by NULL
 * @skip: combinations to leave out in this run, or NULL; see am_table_expand()
 * @model: the model's answer for a combination and a result column, as the table writes it
 */
struct am_table {
	const char *text;
	const struct am_table_input *inputs;
	const char *const *results;
	bool (*skip)(unsigned int combination);
	const char *(*model)(unsigned int combination, unsigned int result);
};

/**
 * am_table_expand() - compare a table with the model, point by point
 * @table: the table
 *
 * Expands every don't-care. A point is one result column of one combination. Fails also if a column
 * is unknown, a cell cannot be parsed, or two rows have different results for a combination.
 *
 * Return: number of combinations that no row covers, without those that @table->skip leaves out
 */
unsigned int am_table_expand(const struct am_table *table);

#endif /* ARCH_MODEL_TEST_TABLE_H */
