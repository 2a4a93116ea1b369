/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of the commands that read a recording.
 */
#ifndef PCSAMPLE_INPUT_OPTIONS_H
#define PCSAMPLE_INPUT_OPTIONS_H

#include <argp.h>

#include "lib/aggregate.h"

/**
 * struct input_options - as given on the command line
 * @input: -i
 * @session: --symfs, --kallsyms, --threads
 * @filter: -C, --pid, --tid
 * @filtered: one of them was given
 * @demangle: not --no-demangle
 * @archive: --archive
 */
struct input_options {
	const char *input;
	struct session_options session;
	struct aggregate_filter filter;
	bool filtered;
	bool demangle;
	const char *archive;
};

/* Child parser; its input is a struct input_options, which it fills with defaults first */
extern const struct argp input_argp;

/* The same without -i, for a command that takes recordings as arguments */
extern const struct argp input_pair_argp;

/* A percentage of the command line, 0 or more, as a share; another word ends the program */
double parse_percentage(const char *arg, struct argp_state *state);

/* Free what the lists of @o take */
void input_options_deinit(struct input_options *o);

/**
 * input_open() - open the recording, or say why not
 * @command: for the message, "pcsample report"
 *
 * Return: the session, or NULL.
 */
struct session *input_open(struct input_options *o, const char *command);

/**
 * input_close() - say what was damaged, and close
 * @status: exit status so far
 *
 * Return: the exit status.
 */
int input_close(struct session *s, const char *command, int status);

#endif /* PCSAMPLE_INPUT_OPTIONS_H */
