/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options of perf's commands that pcsample's do not have: accepted where that is what is done
 * anyway, else answered by a line that says what to use. The list is habits.tbl.
 */
#ifndef PCSAMPLE_COMMANDS_HABITS_H
#define PCSAMPLE_COMMANDS_HABITS_H

#include <argp.h>

/* Child parsers without an input, whose options are hidden */
extern const struct argp report_habits_argp;
extern const struct argp script_habits_argp;
extern const struct argp annotate_habits_argp;
extern const struct argp diff_habits_argp;

#endif /* PCSAMPLE_COMMANDS_HABITS_H */
