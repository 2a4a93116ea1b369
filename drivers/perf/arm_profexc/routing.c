// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looking up tables with controls that are not all known; see routing.h.
 *
 * tables.h is made from arch-model/tables, where the tables are typed as the manual prints them: a
 * line is a row, cells stand between bars, a double bar separates controls from results.
 */
#include <arch-model/types.h>

#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <string.h>
#endif

#include "routing.h"
#include "tables.h"

/* Controls and tables */

static const struct {
	const char *name;
	unsigned int bits;
} prx_control_columns[PRX_NR_CONTROLS] = {
	[PRX_MDCR_EL3_PMEE]	= { "MDCR_EL3.PMEE", 2 },
	[PRX_MDCR_EL3_TRBEE]	= { "MDCR_EL3.TRBEE", 2 },
	[PRX_SCR_EL3_GPF]	= { "SCR_EL3.GPF", 1 },
	[PRX_SCR_EL3_EA]	= { "SCR_EL3.EA", 1 },
	[PRX_MDCR_EL2_PMEE]	= { "MDCR_EL2.PMEE", 2 },
	[PRX_MDCR_EL2_E2TB]	= { "MDCR_EL2.E2TB", 2 },
	[PRX_HCR_EL2_TGE]	= { "HCR_EL2.TGE", 1 },
	[PRX_HCR_EL2_GPF]	= { "HCR_EL2.GPF", 1 },
	[PRX_HCR_EL2_TEA]	= { "HCR_EL2.TEA", 1 },
	[PRX_TRFCR_EL2_EE]	= { "TRFCR_EL2.EE", 2 },
	[PRX_TRFCR_EL2_KE]	= { "TRFCR_EL2.KE", 1 },
	[PRX_TRFCR_EL1_EE]	= { "TRFCR_EL1.EE", 2 },
	[PRX_TRFCR_EL1_KE]	= { "TRFCR_EL1.KE", 1 },
	[PRX_PMECR_EL1_PMEE]	= { "PMECR_EL1.PMEE", 2 },
	[PRX_PMECR_EL1_KPME]	= { "PMECR_EL1.KPME", 1 },
	[PRX_PSTATE_PM]		= { "PSTATE.PM", 1 },
};

const char *prx_control_name(enum prx_control control)
{
	return prx_control_columns[control].name;
}

void prx_controls_init(struct prx_controls *controls)
{
	unsigned int i;

	memset(controls, 0, sizeof(*controls));
	for (i = 0; i < PRX_NR_CONTROLS; i++)
		controls->may[i] = prx_control_columns[i].bits == 1 ? 0x3 : 0xf;
}

static const struct {
	const char *name;
	const char *text;
} prx_tables[PRX_NR_TABLES] = {
	[PRX_TABLE_D6_5]	= { "D6-5", table_d6_5 },
	[PRX_TABLE_D6_6]	= { "D6-6", table_d6_6 },
	[PRX_TABLE_D6_7]	= { "D6-7", table_d6_7 },
	[PRX_TABLE_D6_8]	= { "D6-8", table_d6_8 },
	[PRX_TABLE_D6_9]	= { "D6-9", table_d6_9 },
	[PRX_TABLE_D6_10]	= { "D6-10", table_d6_10 },
	[PRX_TABLE_D13_1]	= { "D13-1", table_d13_1 },
};

const char *prx_table_name(enum prx_table table)
{
	return prx_tables[table].name;
}

/* Reading a table */

/* A piece of the text of a table, without the blanks around it */
struct prx_cell {
	const char *text;
	unsigned int length;
};

/* The cell at *@text, which is stepped over; false at the end of the line */
static bool prx_next_cell(const char **text, struct prx_cell *cell)
{
	const char *p = *text, *end;

	if (*p == '\n' || !*p)
		return false;
	for (end = p; *end != '|' && *end != '\n' && *end; end++)
		;
	*text = *end == '|' ? end + 1 : end;
	while (p < end && *p == ' ')
		p++;
	while (end > p && end[-1] == ' ')
		end--;
	*cell = (struct prx_cell){ .text = p, .length = end - p };
	return true;
}

static bool prx_cell_is(struct prx_cell cell, const char *text)
{
	return strlen(text) == cell.length && !memcmp(cell.text, text, cell.length);
}

static void prx_cell_copy(struct prx_cell cell, char *to, unsigned int size)
{
	unsigned int length = cell.length < size ? cell.length : size - 1;

	memcpy(to, cell.text, length);
	to[length] = 0;
}

/* The values that a cell, "0b0X" or "!=0b00", allows a control, bit by bit; 0: not understood */
static u8 prx_cell_allows(struct prx_cell cell, unsigned int bits)
{
	u8 all = bits == 1 ? 0x3 : 0xf, allowed = all;
	unsigned int i, value;
	bool not = false;

	if (cell.length > 2 && cell.text[0] == '!' && cell.text[1] == '=') {
		not = true;
		cell.text += 2;
		cell.length -= 2;
	}
	if (cell.length > 2 && cell.text[0] == '0' && cell.text[1] == 'b') {
		cell.text += 2;
		cell.length -= 2;
	}
	if (cell.length != bits)
		return 0;
	for (i = 0; i < bits; i++) {
		char digit = cell.text[i];

		if (digit == 'X')
			continue;
		if (digit != '0' && digit != '1')
			return 0;
		for (value = 0; value < 1U << bits; value++)
			if (((value >> (bits - 1 - i)) & 1) != (unsigned int)(digit - '0'))
				allowed &= ~(1U << value);
	}
	return not ? all & ~allowed : allowed;
}

#define PRX_MAX_INPUTS	6

/**
 * struct prx_columns - the heading of a table
 * @input: its controls
 * @nr_inputs: how many
 * @result: titles of its result columns
 * @nr_results: how many
 */
struct prx_columns {
	enum prx_control input[PRX_MAX_INPUTS];
	unsigned int nr_inputs;
	struct prx_cell result[PRX_MAX_RESULTS];
	unsigned int nr_results;
};

static bool prx_find_control(struct prx_cell cell, enum prx_control *control)
{
	unsigned int i;

	for (i = 0; i < PRX_NR_CONTROLS; i++) {
		if (prx_cell_is(cell, prx_control_columns[i].name)) {
			*control = i;
			return true;
		}
	}
	return false;
}

/* Reads the first line. The empty cell is what stands within the double bar. */
static bool prx_read_heading(const char **text, struct prx_columns *columns)
{
	struct prx_cell cell;
	bool results = false;

	columns->nr_inputs = 0;
	columns->nr_results = 0;
	if (*(*text)++ != '|')
		return false;
	while (prx_next_cell(text, &cell)) {
		if (!cell.length) {
			results = true;
		} else if (results) {
			if (columns->nr_results == PRX_MAX_RESULTS)
				return false;
			columns->result[columns->nr_results++] = cell;
		} else {
			if (columns->nr_inputs == PRX_MAX_INPUTS ||
			    !prx_find_control(cell, &columns->input[columns->nr_inputs++]))
				return false;
		}
	}
	return results;
}

/**
 * struct prx_row - a line of a table
 * @allows: for each of its controls, the values for which the row applies
 * @result: the cells after the double bar
 */
struct prx_row {
	u8 allows[PRX_MAX_INPUTS];
	struct prx_cell result[PRX_MAX_RESULTS];
};

/* 1: a row was read, 0: there is none left, -1: it cannot be understood */
static int prx_read_row(const char **text, const struct prx_columns *columns,
			struct prx_row *row)
{
	struct prx_cell cell;
	unsigned int i;

	if (**text == '\n')
		(*text)++;
	if (!**text)
		return 0;
	if (*(*text)++ != '|')
		return -1;
	for (i = 0; i < columns->nr_inputs; i++) {
		if (!prx_next_cell(text, &cell))
			return -1;
		row->allows[i] = prx_cell_allows(cell, prx_control_columns[columns->input[i]].bits);
		if (!row->allows[i])
			return -1;
	}
	if (!prx_next_cell(text, &cell) || cell.length)
		return -1;
	for (i = 0; i < columns->nr_results; i++)
		if (!prx_next_cell(text, &row->result[i]) || !row->result[i].length)
			return -1;
	return prx_next_cell(text, &cell) ? -1 : 1;
}

/* May a row apply? No two rows of a table apply to the same values. */
static bool prx_may_apply(const struct prx_columns *columns, const struct prx_row *row,
			  const struct prx_controls *controls)
{
	unsigned int i;

	for (i = 0; i < columns->nr_inputs; i++)
		if (!(row->allows[i] & controls->may[columns->input[i]]))
			return false;
	return true;
}

/* What was seen */

static bool prx_find_result(const struct prx_columns *columns, const char *result,
			    unsigned int *column)
{
	for (*column = 0; *column < columns->nr_results; (*column)++)
		if (prx_cell_is(columns->result[*column], result))
			return true;
	return false;
}

/*
 * Is there a combination of controls for which @row applies, and @seen does while PSTATE.PM is 0?
 * A row allows each control a set of values whatever the others are, so that one can go control by
 * control.
 */
static bool prx_go_together(const struct prx_columns *columns, const struct prx_row *row,
			    const struct prx_row *seen, const struct prx_controls *controls)
{
	unsigned int i;

	for (i = 0; i < columns->nr_inputs; i++) {
		enum prx_control control = columns->input[i];

		if (control == PRX_PSTATE_PM) {
			if (!(seen->allows[i] & 1))
				return false;
		} else if (!(row->allows[i] & seen->allows[i] & controls->may[control])) {
			return false;
		}
	}
	return true;
}

/* Does a row of a table agree with what was seen of the same? */
static bool prx_agrees(enum prx_table table, const struct prx_columns *columns,
		       const struct prx_row *row, const struct prx_controls *controls)
{
	const char *text = prx_tables[table].text;
	struct prx_columns heading;
	struct prx_row seen;
	unsigned int column;

	if (!controls->seen_result || controls->seen_table != table)
		return true;
	if (!prx_read_heading(&text, &heading) ||
	    !prx_find_result(columns, controls->seen_result, &column))
		return false;
	while (prx_read_row(&text, columns, &seen) > 0)
		if (prx_cell_is(seen.result[column], controls->seen_value) &&
		    prx_go_together(columns, row, &seen, controls))
			return true;
	return false;
}

/* Looking up */

static void prx_add_result(struct prx_result *result, struct prx_cell cell)
{
	if (prx_cell_is((struct prx_cell){ "-", 1 }, result->value))
		prx_cell_copy(cell, result->value, sizeof(result->value));
	else if (!prx_cell_is(cell, result->value))
		prx_cell_copy((struct prx_cell){ "?", 1 }, result->value, sizeof(result->value));
}

bool prx_look_up(enum prx_table table, const struct prx_controls *controls,
		 struct prx_answer *answer)
{
	const char *text = prx_tables[table].text;
	struct prx_columns columns;
	struct prx_row row;
	unsigned int i, number;
	int more;

	memset(answer, 0, sizeof(*answer));
	if (!prx_read_heading(&text, &columns))
		return false;
	answer->nr_results = columns.nr_results;
	for (i = 0; i < columns.nr_results; i++) {
		prx_cell_copy(columns.result[i], answer->result[i].name,
			      sizeof(answer->result[i].name));
		answer->result[i].value[0] = '-';
	}

	for (number = 1; (more = prx_read_row(&text, &columns, &row)) > 0; number++) {
		if (!prx_may_apply(&columns, &row, controls) ||
		    !prx_agrees(table, &columns, &row, controls))
			continue;
		answer->rows |= 1ULL << number;
		for (i = 0; i < columns.nr_results; i++)
			prx_add_result(&answer->result[i], row.result[i]);
	}
	return !more;
}

bool prx_narrow(enum prx_table table, struct prx_controls *controls, const char *result,
		const char *value)
{
	const char *text = prx_tables[table].text;
	struct prx_controls open = *controls;
	u8 allowed[PRX_MAX_INPUTS] = {};
	struct prx_columns columns;
	struct prx_row row;
	unsigned int i, column;
	bool any = false;

	prx_control_is(&open, PRX_PSTATE_PM, 0);
	if (!prx_read_heading(&text, &columns) || !prx_find_result(&columns, result, &column))
		return false;

	while (prx_read_row(&text, &columns, &row) > 0) {
		if (!prx_may_apply(&columns, &row, &open) ||
		    !prx_cell_is(row.result[column], value))
			continue;
		any = true;
		for (i = 0; i < columns.nr_inputs; i++)
			allowed[i] |= row.allows[i];
	}
	if (!any)
		return false;
	for (i = 0; i < columns.nr_inputs; i++)
		if (columns.input[i] != PRX_PSTATE_PM)
			controls->may[columns.input[i]] &= allowed[i];
	controls->seen_table = table;
	controls->seen_result = result;
	controls->seen_value = value;
	return true;
}
