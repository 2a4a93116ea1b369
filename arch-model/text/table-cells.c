// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading the tables of the source documents; see table.h.
 */
#include <arch-model/table.h>

static struct am_cell trim(const char *begin, const char *end)
{
	while (begin < end && *begin == ' ')
		begin++;
	while (begin < end && end[-1] == ' ')
		end--;
	return (struct am_cell){ .text = begin, .length = end - begin };
}

bool am_table_line(const char **text, struct am_row *row)
{
	const char *p = *text, *begin;

	row->cells = 0;
	row->inputs = 0;
	if (*p++ != '|')
		return false;
	while (*p && *p != '\n' && row->cells < AM_TABLE_COLUMNS) {
		for (begin = p; *p != '|' && *p != '\n'; p++)
			;
		if (begin == p)
			row->inputs = row->cells;
		else
			row->cell[row->cells++] = trim(begin, p);
		if (*p == '|')
			p++;
	}
	*text = *p ? p + 1 : p;
	return true;
}

bool am_cell_is(struct am_cell cell, const char *text)
{
	unsigned int i;

	for (i = 0; i < cell.length && text[i]; i++)
		if (cell.text[i] != text[i])
			return false;
	return i == cell.length && !text[i];
}

u64 am_cell_values(struct am_cell cell, unsigned int bits)
{
	const u64 all = ~0ULL >> (64 - (1 << bits));
	unsigned int i, value;
	u64 allowed = all;
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

		if (digit == 'X' || digit == 'x')
			continue;
		if (digit != '0' && digit != '1')
			return 0;
		for (value = 0; value < 1U << bits; value++)
			if ((value >> (bits - 1 - i) & 1) != (digit == '1'))
				allowed &= ~(1ULL << value);
	}
	return not ? all & ~allowed : allowed;
}
