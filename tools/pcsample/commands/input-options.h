/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of the commands that read a recording.
 */
#ifndef PCSAMPLE_COMMANDS_INPUT_OPTIONS_H
#define PCSAMPLE_COMMANDS_INPUT_OPTIONS_H

#include <argp.h>

#include "base/name-list.h"
#include "profile/aggregate.h"
#include "profile/time-range.h"

/* Message for when these options leave all samples out */
#define INPUT_NONE_CHOSEN \
	"no samples of these CPUs, processes, threads, commands, objects, times and fields"

/**
 * struct input_options - as given on the command line
 * @input: -i; NULL for the default, which input_open() finds
 * @session: --symfs, --kallsyms, --threads
 * @filter: -C, --pid, --tid; once the recording is open also --time, --comms and --dsos
 * @filtered: one of them was given
 * @times: --time, if @timed
 * @timed_elsewhere: the command has a --time of its own, and it was given
 * @comms, @dsos: names, or NULL
 * @demangle: false with --no-demangle
 * @archive: --archive
 * @fields: --filter
 */
struct input_options {
	const char *input;
	struct session_options session;
	struct image_option images[IMAGES_MAX];
	struct aggregate_filter filter;
	bool filtered;
	bool timed, timed_elsewhere;
	struct time_ranges times;
	struct name_list *comms, *dsos;
	bool demangle;
	const char *archive;
	const char *fields;
	bool *wanted[4];	/* private: @filter points to these */
	unsigned int nr_wanted;
	s32 *unnamed;		/* private, too */
	struct tracepoints *tracepoints[2];	/* one for each open recording */
	unsigned int nr_tracepoints;
};

/* Child parser; its input is a struct input_options, which it first fills with defaults */
extern const struct argp input_argp;

/* The same without -i and --time, for a command that takes recordings as arguments */
extern const struct argp input_pair_argp;

/* The same without options that choose samples, for a command that uses the whole recording */
extern const struct argp input_whole_argp;

/* Read the names in @arg of option @name, and replace those in @list; NULL for no names */
void parse_names(struct name_list **list, const char *name, const char *arg,
		 struct argp_state *state);

/*
 * Parse the argument of --time, and replace the ranges in @r; an invalid one ends the program.
 * @more: added to the message, for what the option can have besides
 */
void parse_time_option(struct time_ranges *r, const char *arg, const char *more,
		       struct argp_state *state);

/* Parse a percentage, 0 or more. Return: the share; an invalid argument ends the program */
double parse_percentage(const char *arg, struct argp_state *state);

/* Parse a number, 1 or more; an invalid argument ends the program */
size_t parse_count(const char *arg, struct argp_state *state);

/*
 * Open the fields of a recording's tracepoints, for @o->filter and BY_FIELDS.
 * input_options_deinit() closes them. Return: 0 or a negative errno.
 */
int input_tracepoints(struct input_options *o, struct session *s, struct error *err);

/* Free what @o owns. Call it after the sessions are closed. */
void input_options_deinit(struct input_options *o);

/**
 * input_open() - open the recording, or print why this failed
 * @command: for the message, "pcsample report"
 *
 * Sets @o->filter to the filter for this recording. Up to two may be open.
 *
 * Return: the session, or NULL.
 */
struct session *input_open(struct input_options *o, const char *command);

/* Refuse to replace the recording that was opened by the file @output. Return: 0 or -EEXIST */
int input_check_output(const struct input_options *o, const char *output, struct error *err);

/* Print to stderr what the recording has that @command does not show; @shows: SHOWS_* */
void input_tell_not_shown(const struct session *s, const char *command, unsigned int shows);

/**
 * input_close() - report damage and problems of debuginfod servers, and close the recording
 * @status: exit status so far
 *
 * Return: the exit status: EXIT_FAILED if the recording is damaged, else @status.
 */
int input_close(struct session *s, const char *command, int status);

#endif /* PCSAMPLE_COMMANDS_INPUT_OPTIONS_H */
