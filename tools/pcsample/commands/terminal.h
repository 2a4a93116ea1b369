/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output to a terminal: colours, pager, progress.
 */
#ifndef PCSAMPLE_COMMANDS_TERMINAL_H
#define PCSAMPLE_COMMANDS_TERMINAL_H

#include <stdbool.h>

#include "base/out.h"

/* WHEN of --color and of core.color */
enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/** color_when_parse() - "auto", "always" or "never"; 0 or -EINVAL */
int color_when_parse(const char *text, enum color_when *when);

/**
 * terminal_set_color() - turn colours on or off; call it before terminal_start_pager()
 * @when: COLOR_AUTO uses colours if standard output is a terminal other than "dumb", and NO_COLOR
 *	is not set (or empty)
 */
void terminal_set_color(enum color_when when);

/* SGR parameters: colour and intensity */
#define COLOR_RED	"31"
#define COLOR_GREEN	"32"
#define COLOR_FAINT	"2"
#define COLOR_BOLD	"1"

/* Begin text of a colour, if colours are on; end it with out_color_end() */
void out_color(struct out *o, const char *sgr);
void out_color_end(struct out *o);

/**
 * terminal_start_pager() - send standard output through a pager, if it is a terminal
 * @command: shell command, from the configuration; NULL to take $PCSAMPLE_PAGER, $PAGER, or less.
 *	"cat" or an empty text mean none.
 *
 * An exit handler waits for the pager, so that the program does not end before it. If the pager
 * cannot be run, standard output stays the terminal.
 */
void terminal_start_pager(const char *command);

/**
 * terminal_start_progress() - show progress on standard error, from the first second on
 *
 * Does nothing unless standard error is a terminal other than "dumb". Progress is a single line,
 * which is erased when the operation ends. If standard output is a terminal as well, or goes to one
 * through a pager, the first output ends progress for good. Call it before terminal_start_pager().
 */
void terminal_start_progress(void);

/**
 * output_end() - flush a command's standard output
 * @command: for the message, such as "pcsample report"
 *
 * If the reader closed the pipe, as head(1) does, print no message, but do not return success.
 *
 * Return: exit status.
 */
int output_end(struct out *o, const char *command);

/** output_check_at_exit() - at exit, fail if stdio could not write to standard output */
void output_check_at_exit(void);

#endif /* PCSAMPLE_COMMANDS_TERMINAL_H */
