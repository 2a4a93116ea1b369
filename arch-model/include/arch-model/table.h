/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading the tables of arch-model/tables, which are typed as the manual prints them: a line is a
 * row, cells stand between bars, a double bar separates controls from results. The first line holds
 * the titles. Not part of the freestanding model: link arch-model/text/table-cells.c.
 */
#ifndef ARCH_MODEL_TABLE_H
#define ARCH_MODEL_TABLE_H

#include <arch-model/types.h>

#define AM_TABLE_COLUMNS	16

/* A piece of the table's text, without the blanks around it */
struct am_cell {
	const char *text;
	unsigned int length;
};

/**
 * struct am_row - one line of a table
 * @cell: its cells
 * @inputs: number of cells before the double bar
 * @cells: number of cells
 */
struct am_row {
	struct am_cell cell[AM_TABLE_COLUMNS];
	unsigned int inputs;
	unsigned int cells;
};

/* Read the line at *@text and step over it; false at the end */
bool am_table_line(const char **text, struct am_row *row);

bool am_cell_is(struct am_cell cell, const char *text);

/**
 * am_cell_values() - the values that a cell allows its control
 * @cell: "0b0X", "xx", "!=0b00"
 * @bits: width of the control, 1 to 6
 *
 * Return: bit n is set for the value n; 0 if the cell cannot be understood
 */
u64 am_cell_values(struct am_cell cell, unsigned int bits);

#endif /* ARCH_MODEL_TABLE_H */
