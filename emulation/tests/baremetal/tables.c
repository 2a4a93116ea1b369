/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suites.h"
#include "tables.h"

/* Made by arch-model/tables/to-c.sh: table_d13_1[] and so on, a row a line */
#include "tables-text.h"

#define MAX_COLUMNS     16

static struct table {
    const char *name;
    const char *text;
    u64 walked;                 /* bit n: row n, the first is 0 */
} tables[NUM_TABLES] = {
    [D13_1] = { "D13-1", table_d13_1, 0 },
    [D13_2] = { "D13-2", table_d13_2, 0 },
    [D6_5] = { "D6-5", table_d6_5, 0 },
    [D6_6] = { "D6-6", table_d6_6, 0 },
    [D6_7] = { "D6-7", table_d6_7, 0 },
    [D6_8] = { "D6-8", table_d6_8, 0 },
    [D6_9] = { "D6-9", table_d6_9, 0 },
    [D6_10] = { "D6-10", table_d6_10, 0 },
};

/* A line of a table: where its cells begin, and how many are controls */
struct row {
    const char *cell[MAX_COLUMNS];
    unsigned int cells;
    unsigned int controls;
};

static const char *read_row(const char *p, struct row *row)
{
    row->cells = row->controls = 0;
    for (p++; *p != '\n'; p++) {
        if (*p == '|') {
            row->controls = row->cells;
            continue;
        }
        while (*p == ' ') {
            p++;
        }
        row->cell[row->cells++] = p;
        while (*p != '|') {
            p++;
        }
    }
    return p + 1;
}

bool says(const char *cell, const char *text)
{
    while (*text && *cell == *text) {
        cell++;
        text++;
    }
    while (*cell == ' ') {
        cell++;
    }
    return !*text && *cell == '|';
}

int says_el(const char *cell)
{
    return says(cell, "EL1") ? 1 : says(cell, "EL2") ? 2 :
           says(cell, "EL3") ? 3 : 0;
}

/* "0b0X", "XX", "0", "!=0b00": does it allow @value? */
static bool allows(const char *cell, unsigned int value)
{
    bool negated = cell[0] == '!', equal = true;
    unsigned int bits = 0;

    if (negated) {
        cell += 2;
    }
    if (cell[1] == 'b') {
        cell += 2;
    }
    while (cell[bits] != ' ' && cell[bits] != '|') {
        bits++;
    }
    for (unsigned int i = 0; i < bits; i++) {
        unsigned int bit = (value >> (bits - 1 - i)) & 1;

        if (cell[i] != 'X' && cell[i] != (bit ? '1' : '0')) {
            equal = false;
        }
    }
    return equal != negated;
}

static bool row_allows(const struct row *row, const unsigned int *controls)
{
    for (unsigned int i = 0; i < row->controls; i++) {
        if (!allows(row->cell[i], controls[i])) {
            return false;
        }
    }
    return true;
}

const char *table_cell(enum table_id id, const unsigned int *controls,
                       const char *column)
{
    struct table *t = &tables[id];
    struct row titles, row;
    const char *p = read_row(t->text, &titles);
    unsigned int at = titles.controls;

    while (at < titles.cells && !says(titles.cell[at], column)) {
        at++;
    }
    for (unsigned int n = 0; at < titles.cells && *p; n++) {
        p = read_row(p, &row);
        if (row_allows(&row, controls)) {
            t->walked |= BIT(n);
            return row.cell[at];
        }
    }
    return 0;
}

/* What Table D13-2 calls it: "Disabled", "Masked", "Disabled or masked" ... */
static bool is_state(const char *cell, const char *d13_1)
{
    bool unmasked = says_el(d13_1), masked = says(d13_1, "Msk");

    if (says(cell, "Unmasked")) {
        return unmasked;
    }
    return says(cell, "Masked") ? masked : !unmasked;
}

unsigned int table_d13_2_case(const char *before, const char *after,
                              const char **behaviour)
{
    struct table *t = &tables[D13_2];
    struct row row;
    const char *p = read_row(t->text, &row);

    for (unsigned int n = 0; *p; n++) {
        p = read_row(p, &row);
        if (is_state(row.cell[1], before) && is_state(row.cell[2], after)) {
            t->walked |= BIT(n);
            *behaviour = row.cell[3];
            return row.cell[0][0] - '0';
        }
    }
    return 0;
}

static bool has_table(enum table_id id)
{
    switch (id) {
    case D13_1:
        return features.ebep;
    case D13_2:
        return features.sebep;
    case D6_5:
        return features.trbe_exc && features.rme;
    default:
        return features.trbe_exc;
    }
}

void suite_rows(void)
{
    suite_start("each row of the tables is walked");
    for (enum table_id id = 0; id < NUM_TABLES; id++) {
        struct row row;
        const char *p = read_row(tables[id].text, &row);

        for (unsigned int n = 0; has_table(id) && *p; n++) {
            p = read_row(p, &row);
            if (wrong(tables[id].walked & BIT(n))) {
                print("# Table %s: row %u is not\n", tables[id].name, n + 1);
            }
        }
    }
    suite_end();
}
