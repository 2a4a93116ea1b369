// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>

#include "base/array.h"
#include "commands/command.h"
#include "commands/habits.h"

/*
 * Keys of options without a letter. Each row of the list has two numbers that no command uses: an
 * even one for its option, and the next for the negative form --no-NAME.
 */
#define HABIT_FIRST		0x4000
#define HABIT_KEY(row)		(HABIT_FIRST + 2 * (row))
#define HABIT_NO_KEY(row)	(HABIT_KEY(row) + 1)

/**
 * struct habit - an option of perf
 * @name: NULL if the option is only a letter
 * @key: its letter, or HABIT_KEY()
 * @done: accepted without effect, since pcsample does the same anyway, or there is nothing to do
 * @text: if @done the reason, else what to use instead
 */
struct habit {
	const char *name;
	int key;
	bool done;
	const char *text;
};

/**
 * struct habit_key - a key of perf report --sort, or a field of perf script --fields
 * @field: a tracepoint of the recording may have a field of that name
 */
struct habit_key {
	const char *name;
	bool field;
	const char *text;
};

#include "habits-list.h"

static error_t answer(const struct habit *h, size_t nr, int key, struct argp_state *state)
{
	bool negative = key >= HABIT_FIRST && key & 1;
	size_t i;

	for (i = 0; i < nr; i++)
		if (h[i].key == key || (negative && HABIT_NO_KEY(i) == key))
			break;
	if (i == nr)
		return ARGP_ERR_UNKNOWN;
	if (h[i].done != negative)
		return 0;
	if (h[i].name)
		argp_failure(state, EXIT_USAGE, 0, "--%s%s: %s", negative ? "no-" : "", h[i].name,
			     h[i].text);
	else
		argp_failure(state, EXIT_USAGE, 0, "-%c: %s", key, h[i].text);
	return EINVAL;
}

static const struct habit_key *find_key(const struct habit_key *list, size_t nr, const char *name,
					size_t len)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (text_is(name, len, list[i].name))
			return &list[i];
	return NULL;
}

const char *habit_of_key(const char *key, size_t len, bool *field)
{
	const struct habit_key *k = find_key(habit_keys, ARRAY_SIZE(habit_keys), key, len);

	if (k)
		*field = k->field;
	return k ? k->text : NULL;
}

const char *habit_of_field(const char *field, size_t len)
{
	const struct habit_key *k = find_key(habit_fields, ARRAY_SIZE(habit_fields), field, len);

	return k ? k->text : NULL;
}

static error_t parse_report(int key, char *arg, struct argp_state *state)
{
	return answer(report_habits, ARRAY_SIZE(report_habits), key, state);
}

static error_t parse_script(int key, char *arg, struct argp_state *state)
{
	return answer(script_habits, ARRAY_SIZE(script_habits), key, state);
}

static error_t parse_annotate(int key, char *arg, struct argp_state *state)
{
	return answer(annotate_habits, ARRAY_SIZE(annotate_habits), key, state);
}

static error_t parse_diff(int key, char *arg, struct argp_state *state)
{
	return answer(diff_habits, ARRAY_SIZE(diff_habits), key, state);
}

const struct argp report_habits_argp = { .options = report_options, .parser = parse_report };
const struct argp script_habits_argp = { .options = script_options, .parser = parse_script };
const struct argp annotate_habits_argp = { .options = annotate_options, .parser = parse_annotate };
const struct argp diff_habits_argp = { .options = diff_options, .parser = parse_diff };
