// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looking up tables with controls that are not all known; see table-rows.h.
 *
 * tables.h is made from arch-model/tables by to-c.sh.
 */
#include <arch-model/table.h>
#include <arch-model/table-rows.h>

#include "tables.h"

/* Controls and tables */

static const struct {
	const char *name;
	unsigned int bits;
} am_control_columns[AM_NR_CONTROLS] = {
	[AM_MDCR_EL3_PMEE]	= { "MDCR_EL3.PMEE", 2 },
	[AM_MDCR_EL3_TRBEE]	= { "MDCR_EL3.TRBEE", 2 },
	[AM_SCR_EL3_GPF]	= { "SCR_EL3.GPF", 1 },
	[AM_SCR_EL3_EA]	= { "SCR_EL3.EA", 1 },
	[AM_MDCR_EL2_PMEE]	= { "MDCR_EL2.PMEE", 2 },
	[AM_MDCR_EL2_E2TB]	= { "MDCR_EL2.E2TB", 2 },
	[AM_HCR_EL2_TGE]	= { "HCR_EL2.TGE", 1 },
	[AM_HCR_EL2_GPF]	= { "HCR_EL2.GPF", 1 },
	[AM_HCR_EL2_TEA]	= { "HCR_EL2.TEA", 1 },
	[AM_TRFCR_EL2_EE]	= { "TRFCR_EL2.EE", 2 },
	[AM_TRFCR_EL2_KE]	= { "TRFCR_EL2.KE", 1 },
	[AM_TRFCR_EL1_EE]	= { "TRFCR_EL1.EE", 2 },
	[AM_TRFCR_EL1_KE]	= { "TRFCR_EL1.KE", 1 },
	[AM_PMECR_EL1_PMEE]	= { "PMECR_EL1.PMEE", 2 },
	[AM_PMECR_EL1_KPME]	= { "PMECR_EL1.KPME", 1 },
	[AM_PSTATE_PM]		= { "PSTATE.PM", 1 },
};

const char *am_control_name(enum am_control control)
{
	return am_control_columns[control].name;
}

void am_controls_init(struct am_controls *controls)
{
	unsigned int i;

	*controls = (struct am_controls) {};
	for (i = 0; i < AM_NR_CONTROLS; i++)
		controls->may[i] = am_control_columns[i].bits == 1 ? 0x3 : 0xf;
}

static const struct {
	const char *name;
	const char *text;
} am_tables[AM_NR_TABLES] = {
	[AM_TABLE_D6_5]	= { "D6-5", table_d6_5 },
	[AM_TABLE_D6_6]	= { "D6-6", table_d6_6 },
	[AM_TABLE_D6_7]	= { "D6-7", table_d6_7 },
	[AM_TABLE_D6_8]	= { "D6-8", table_d6_8 },
	[AM_TABLE_D6_9]	= { "D6-9", table_d6_9 },
	[AM_TABLE_D6_10]	= { "D6-10", table_d6_10 },
	[AM_TABLE_D13_1]	= { "D13-1", table_d13_1 },
};

const char *am_table_name(enum am_manual_table table)
{
	return am_tables[table].name;
}

/* Reading a table */

#define AM_MAX_INPUTS	6

/**
 * struct am_open_table - a table that is being read
 * @text: what is left of it
 * @heading: its first line
 * @input: the controls that its columns before the double bar are of
 */
struct am_open_table {
	const char *text;
	struct am_row heading;
	enum am_control input[AM_MAX_INPUTS];
};

static bool am_find_control(struct am_cell cell, enum am_control *control)
{
	unsigned int i;

	for (i = 0; i < AM_NR_CONTROLS; i++) {
		if (am_cell_is(cell, am_control_columns[i].name)) {
			*control = i;
			return true;
		}
	}
	return false;
}

static unsigned int am_nr_results(const struct am_open_table *open)
{
	return open->heading.cells - open->heading.inputs;
}

/* Reads the first line; false if it cannot be understood */
static bool am_table_open(enum am_manual_table table, struct am_open_table *open)
{
	unsigned int i;

	open->text = am_tables[table].text;
	if (!am_table_line(&open->text, &open->heading) || open->heading.inputs > AM_MAX_INPUTS ||
	    am_nr_results(open) > AM_MAX_RESULTS)
		return false;
	for (i = 0; i < open->heading.inputs; i++)
		if (!am_find_control(open->heading.cell[i], &open->input[i]))
			return false;
	return true;
}

/**
 * struct am_open_row - a row, with its first cells understood
 * @allows: for each control of the table, the values for which the row applies
 * @result: the cells behind the double bar
 */
struct am_open_row {
	u8 allows[AM_MAX_INPUTS];
	const struct am_cell *result;
	struct am_row row;
};

/* 1: a row was read, 0: there is none left, -1: it cannot be understood */
static int am_next_row(struct am_open_table *open, struct am_open_row *row)
{
	unsigned int i;

	if (!am_table_line(&open->text, &row->row))
		return *open->text ? -1 : 0;
	if (row->row.inputs != open->heading.inputs || row->row.cells != open->heading.cells)
		return -1;
	for (i = 0; i < row->row.inputs; i++) {
		row->allows[i] = am_cell_values(row->row.cell[i],
						am_control_columns[open->input[i]].bits);
		if (!row->allows[i])
			return -1;
	}
	row->result = &row->row.cell[row->row.inputs];
	return 1;
}

/* May a row apply? No two rows of a table apply to the same values. */
static bool am_may_apply(const struct am_open_table *open, const struct am_open_row *row,
			 const struct am_controls *controls)
{
	unsigned int i;

	for (i = 0; i < open->heading.inputs; i++)
		if (!(row->allows[i] & controls->may[open->input[i]]))
			return false;
	return true;
}

/* What was seen */

static bool am_find_result(const struct am_open_table *open, const char *result,
			   unsigned int *column)
{
	for (*column = 0; *column < am_nr_results(open); (*column)++)
		if (am_cell_is(open->heading.cell[open->heading.inputs + *column], result))
			return true;
	return false;
}

/*
 * Is there a combination of controls for which @row applies, and @seen does while PSTATE.PM is 0?
 * A row allows each control a set of values whatever the others are, so that one can go control by
 * control.
 */
static bool am_go_together(const struct am_open_table *open, const struct am_open_row *row,
			   const struct am_open_row *seen, const struct am_controls *controls)
{
	unsigned int i;

	for (i = 0; i < open->heading.inputs; i++) {
		enum am_control control = open->input[i];

		if (control == AM_PSTATE_PM) {
			if (!(seen->allows[i] & 1))
				return false;
		} else if (!(row->allows[i] & seen->allows[i] & controls->may[control])) {
			return false;
		}
	}
	return true;
}

/* Does a row of a table agree with what was seen of the same? */
static bool am_agrees(enum am_manual_table table, const struct am_open_row *row,
		      const struct am_controls *controls)
{
	struct am_open_table open;
	struct am_open_row seen;
	unsigned int column;

	if (!controls->seen_result || controls->seen_table != table)
		return true;
	if (!am_table_open(table, &open) || !am_find_result(&open, controls->seen_result, &column))
		return false;
	while (am_next_row(&open, &seen) > 0)
		if (am_cell_is(seen.result[column], controls->seen_value) &&
		    am_go_together(&open, row, &seen, controls))
			return true;
	return false;
}

/* Looking up */

static void am_cell_copy(struct am_cell cell, char *to, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < cell.length && i + 1 < size; i++)
		to[i] = cell.text[i];
	to[i] = 0;
}

static void am_add_result(struct am_result *result, struct am_cell cell)
{
	if (am_cell_is((struct am_cell){ "-", 1 }, result->value))
		am_cell_copy(cell, result->value, sizeof(result->value));
	else if (!am_cell_is(cell, result->value))
		am_cell_copy((struct am_cell){ "?", 1 }, result->value, sizeof(result->value));
}

bool am_table_look_up(enum am_manual_table table, const struct am_controls *controls,
		      struct am_answer *answer)
{
	struct am_open_table open;
	struct am_open_row row;
	unsigned int i, number;
	int more;

	*answer = (struct am_answer) {};
	if (!am_table_open(table, &open))
		return false;
	answer->nr_results = am_nr_results(&open);
	for (i = 0; i < answer->nr_results; i++) {
		am_cell_copy(open.heading.cell[open.heading.inputs + i], answer->result[i].name,
			     sizeof(answer->result[i].name));
		answer->result[i].value[0] = '-';
	}

	for (number = 1; (more = am_next_row(&open, &row)) > 0; number++) {
		if (!am_may_apply(&open, &row, controls) || !am_agrees(table, &row, controls))
			continue;
		answer->rows |= 1ULL << number;
		for (i = 0; i < answer->nr_results; i++)
			am_add_result(&answer->result[i], row.result[i]);
	}
	return !more;
}

bool am_table_narrow(enum am_manual_table table, struct am_controls *controls, const char *result,
		     const char *value)
{
	struct am_controls without_pm = *controls;
	u8 allowed[AM_MAX_INPUTS] = {};
	struct am_open_table open;
	struct am_open_row row;
	unsigned int i, column;
	bool any = false;

	am_control_is(&without_pm, AM_PSTATE_PM, 0);
	if (!am_table_open(table, &open) || !am_find_result(&open, result, &column))
		return false;

	while (am_next_row(&open, &row) > 0) {
		if (!am_may_apply(&open, &row, &without_pm) ||
		    !am_cell_is(row.result[column], value))
			continue;
		any = true;
		for (i = 0; i < open.heading.inputs; i++)
			allowed[i] |= row.allows[i];
	}
	if (!any)
		return false;
	for (i = 0; i < open.heading.inputs; i++)
		if (open.input[i] != AM_PSTATE_PM)
			controls->may[open.input[i]] &= allowed[i];
	controls->seen_table = table;
	controls->seen_result = result;
	controls->seen_value = value;
	return true;
}
