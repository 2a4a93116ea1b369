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
 * terminal_set_color() - decide for all that follows; before terminal_start_pager()
 * @when: COLOR_AUTO is colours if standard output is a terminal other than "dumb", and NO_COLOR is
 *	not set (or empty)
 */
void terminal_set_color(enum color_when when);

/* SGR parameters: colour and intensity */
#define COLOR_RED	"31"
#define COLOR_GREEN	"32"
#define COLOR_FAINT	"2"
#define COLOR_BOLD	"1"

/* Colour for what follows, if there are colours; ends with out_color_end() */
void out_color(struct out *o, const char *sgr);
void out_color_end(struct out *o);

/**
 * terminal_start_pager() - send standard output through a pager, if it is a terminal
 * @command: shell command, from the configuration; NULL to take $PCSAMPLE_PAGER, $PAGER, or less.
 *	"cat" or an empty text mean none.
 *
 * The program ends with the pager: an exit handler waits for it. Without a pager that can be run
 * output goes where it went.
 */
void terminal_start_pager(const char *command);

/**
 * terminal_start_progress() - tell what takes longer than a second on standard error
 *
 * If that is a terminal other than "dumb". One line, which is gone before anything else comes;
 * where standard output is a terminal too, or goes to one through a pager, until it is written to.
 * Before terminal_start_pager().
 */
void terminal_start_progress(void);

/**
 * output_end() - write what is left of a command's standard output
 * @command: for the message, as "pcsample report"
 *
 * If the reader went away, as head(1) does, print no message, but do not return success.
 *
 * Return: exit status.
 */
int output_end(struct out *o, const char *command);

/** output_check_at_exit() - what went through stdio to standard output has to arrive as well */
void output_check_at_exit(void);

#endif /* PCSAMPLE_COMMANDS_TERMINAL_H */
