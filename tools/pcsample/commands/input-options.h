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

/* Why there are no samples, where these options left all of them out */
#define INPUT_NONE_CHOSEN \
	"no samples of these CPUs, processes, threads, commands, objects, times and fields"

/**
 * struct input_options - as given on the command line
 * @input: -i
 * @session: --symfs, --kallsyms, --threads
 * @filter: -C, --pid, --tid; once the recording is open also --time, --comms and --dsos
 * @filtered: one of them was given
 * @times: --time, if @timed
 * @comms, @dsos: names, or NULL
 * @demangle: not --no-demangle
 * @archive: --archive
 * @fields: --filter
 */
struct input_options {
	const char *input;
	struct session_options session;
	struct image_option images[IMAGES_MAX];
	struct aggregate_filter filter;
	bool filtered;
	bool timed;
	struct time_ranges times;
	struct name_list *comms, *dsos;
	bool demangle;
	const char *archive;
	const char *fields;
	bool *wanted[4];	/* private: what the filters point to */
	unsigned int nr_wanted;
	s32 *unnamed;		/* private, too */
	struct tracepoints *tracepoints[2];	/* of the recordings, of which two may be open */
	unsigned int nr_tracepoints;
};

/* Child parser; its input is a struct input_options, which it fills with defaults first */
extern const struct argp input_argp;

/* The same without -i and --time, for a command that takes recordings as arguments */
extern const struct argp input_pair_argp;

/* The same without choice of samples, for a command that takes the recording as a whole */
extern const struct argp input_whole_argp;

/* Read the names that the option @name has; they take the place of those in @list */
void parse_names(struct name_list **list, const char *name, const char *arg,
		 struct argp_state *state);

/* A percentage of the command line, 0 or more, as a share; another word ends the program */
double parse_percentage(const char *arg, struct argp_state *state);

/* A number of the command line from 1 up; another word ends the program */
size_t parse_count(const char *arg, struct argp_state *state);

/*
 * The fields of a recording's tracepoints, for its filter and for BY_FIELDS; they go with @o.
 * Return: 0 or a negative errno.
 */
int input_tracepoints(struct input_options *o, struct session *s, struct error *err);

/* Free what the lists of @o take. After the sessions are closed. */
void input_options_deinit(struct input_options *o);

/**
 * input_open() - open the recording, or say why not
 *
 * @o->filter is then that of this recording. Up to two may be open.
 *
 * @command: for the message, "pcsample report"
 *
 * Return: the session, or NULL.
 */
struct session *input_open(struct input_options *o, const char *command);

/* Say on stderr what @command does not show of the recording; @shows: SHOWS_* */
void input_tell_not_shown(const struct session *s, const char *command, unsigned int shows);

/**
 * input_close() - say what was damaged, and close
 * @status: exit status so far
 *
 * Return: the exit status.
 */
int input_close(struct session *s, const char *command, int status);

#endif /* PCSAMPLE_COMMANDS_INPUT_OPTIONS_H */
