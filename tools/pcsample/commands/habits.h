/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options of perf's commands that pcsample's commands do not have. An option that asks for what
 * pcsample does anyway is accepted; any other is refused with a line that names the replacement.
 * The list is habits.tbl.
 */
#ifndef PCSAMPLE_COMMANDS_HABITS_H
#define PCSAMPLE_COMMANDS_HABITS_H

#include <argp.h>
#include <stdbool.h>

/* Child parsers without an input, whose options are hidden */
extern const struct argp report_habits_argp;
extern const struct argp script_habits_argp;
extern const struct argp annotate_habits_argp;
extern const struct argp diff_habits_argp;

/**
 * habit_of_key() - what to use in place of a key of perf report --sort
 * @field: receives whether a field of a tracepoint may have this name
 *
 * Return: NULL if perf has no such key, or pcsample has it.
 */
const char *habit_of_key(const char *key, size_t len, bool *field);

/* The same of a field of perf script --fields */
const char *habit_of_field(const char *field, size_t len);

#endif /* PCSAMPLE_COMMANDS_HABITS_H */
