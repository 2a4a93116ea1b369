// SPDX-License-Identifier: GPL-2.0-only
/*
 * Expanding tables; see table.h.
 */
#include "table.h"
#include "test.h"

bool am_cell_number(struct am_cell cell, u64 *number)
{
	unsigned int i, digit;

	*number = 0;
	if (cell.length < 3 || cell.text[0] != '0' || cell.text[1] != 'x')
		return false;
	for (i = 2; i < cell.length && cell.text[i] != ' '; i++) {
		digit = cell.text[i] <= '9' ? cell.text[i] - '0' : cell.text[i] - 'A' + 10;
		*number = *number << 4 | digit;
	}
	return true;
}

/* Does @row apply to @combination? */
static bool row_allows(const struct am_table *table, const struct am_row *row,
		       unsigned int combination)
{
	const struct am_table_input *input;
	unsigned int i, value;
	u64 allows;

	for (i = 0; table->inputs[i].name; i++) {
		input = &table->inputs[i];
		value = combination & ((1U << input->bits) - 1);
		combination >>= input->bits;
		allows = am_cell_values(row->cell[i], input->bits);
		REQUIRE(allows, "%.*s: not a value of %s", row->cell[i].length,
			row->cell[i].text, input->name);
		if (!(allows & 1ULL << value))
			return false;
	}
	return true;
}

static bool titles_are_right(const struct am_table *table, const struct am_row *row)
{
	unsigned int i, r;

	for (i = 0; table->inputs[i].name; i++)
		if (i >= row->inputs || !am_cell_is(row->cell[i], table->inputs[i].name))
			return false;
	for (r = 0; table->results[r]; r++)
		if (i + r >= row->cells || !am_cell_is(row->cell[i + r], table->results[r]))
			return false;
	return row->inputs == i && row->cells == i + r;
}

#define MAX_COMBINATIONS	1024

unsigned int am_table_expand(const struct am_table *table)
{
	static u8 given[MAX_COMBINATIONS];
	unsigned int bits = 0, n, r, i, missing = 0;
	const char *text = table->text, *is;
	struct am_row row;

	if (!am_table_line(&text, &row) || !titles_are_right(table, &row)) {
		am_test_fail(__FILE__, __LINE__, "unexpected columns");
		return 0;
	}
	for (i = 0; table->inputs[i].name; i++)
		bits += table->inputs[i].bits;
	for (n = 0; n < MAX_COMBINATIONS; n++)
		given[n] = 0;

	while (am_table_line(&text, &row)) {
		for (n = 0; n < 1U << bits; n++) {
			if (!row_allows(table, &row, n))
				continue;
			if (table->skip && table->skip(n))
				continue;
			REQUIRE(!given[n]++, "controls %#x: in two rows", n);
			for (r = 0; table->results[r]; r++) {
				is = table->model(n, r);
				EXPECT(am_cell_is(row.cell[i + r], is),
				       "controls %#x, %s: %s, table %.*s", n, table->results[r],
				       is, row.cell[i + r].length, row.cell[i + r].text);
			}
		}
	}
	for (n = 0; n < 1U << bits; n++) {
		if (table->skip && table->skip(n))
			continue;
		missing += !given[n];
	}
	return missing;
}
