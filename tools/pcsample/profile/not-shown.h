/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names what a recording contains and a command does not show.
 */
#ifndef PCSAMPLE_PROFILE_NOT_SHOWN_H
#define PCSAMPLE_PROFILE_NOT_SHOWN_H

#include "base/json.h"
#include "profile/session.h"

/* What a command shows besides the samples themselves */
enum {
	SHOWS_CHAINS = 1 << 0,
	SHOWS_FIELDS = 1 << 1,	/* of tracepoints */
	SHOWS_BRANCHES = 1 << 2,
	SHOWS_COUNTS = 1 << 3,	/* of PMU snapshots */
};

/* Gets a line without a newline, which is valid until the function returns */
typedef void not_shown_fn(const char *line, void *ctx);

/**
 * not_shown() - call @fn with a line for each kind of data that is not shown
 * @shows: SHOWS_*
 *
 * A line names the data and its events, and after a colon the command that shows it.
 */
void not_shown(const struct session *s, unsigned int shows, not_shown_fn *fn, void *ctx);

/* Print them as lines of a report's header. @of: put in front, with a colon, if it is not NULL */
void not_shown_print(struct out *o, const struct session *s, unsigned int shows, const char *of);

/* Add them as strings to the innermost array of @j */
void not_shown_json(struct json *j, const struct session *s, unsigned int shows);

/**
 * not_shown_instead() - say what a recording without samples has instead
 * @line: receives up to NOT_SHOWN_MAX bytes
 *
 * Return: false if it has samples, or neither a hardware trace nor counts of perf stat.
 */
bool not_shown_instead(const struct session *s, char *line);

/* The longest line, with its NUL */
#define NOT_SHOWN_MAX 512

#endif /* PCSAMPLE_PROFILE_NOT_SHOWN_H */
