/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options that only set a member of the command's options: a flag, or the word behind the option.
 * A command lists them in a table; its parser handles the others and passes the rest to
 * plain_option().
 */
#ifndef PCSAMPLE_COMMANDS_PLAIN_OPTIONS_H
#define PCSAMPLE_COMMANDS_PLAIN_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include <arch-model/types.h>

/* A row of a table that ends with { 0 }. Use the macros below. */
struct plain_option {
	int key;
	size_t offset;
	enum { PLAIN_END, PLAIN_FLAG, PLAIN_WORD, PLAIN_CHILD, PLAIN_REFUSED } kind;
	const char *hint;
};

/*
 * As in perf, --no-NAME takes --NAME back: what counts is what follows. Its key is UNSET | the key
 * of --NAME. Only words of perf are listed, and no help shows them.
 */
#define UNSET			0x10000
#define TAKES_BACK(name, key)	{ (name), UNSET | (key), NULL, OPTION_HIDDEN, NULL, 0 }

/* @key sets @member of @type, a bool or a const char *; UNSET | @key sets it to false or NULL */
#define SETS(key, type, member) \
	{ (key), offsetof(type, member), \
	  _Generic(((type *)0)->member, bool : PLAIN_FLAG, const char * : PLAIN_WORD), NULL }

/* Pass @member of @type to the first child parser as its input */
#define CHILD_INPUT(type, member) \
	{ ARGP_KEY_INIT, offsetof(type, member), PLAIN_CHILD, NULL }

/* The command takes no argument; @hint is appended to the error message */
#define NO_ARGUMENTS(hint)	{ ARGP_KEY_ARG, 0, PLAIN_REFUSED, (hint) }

/* @hint for commands that read a recording */
#define INPUT_HINT "; a recording is given with -i"

/* Parse an option by @table; state->input is a struct of its @type. Return: as a parser of argp */
error_t plain_option(const struct plain_option *table, int key, char *arg,
		     struct argp_state *state);

/**
 * plain_number() - read a decimal number without a sign
 * @most: a larger number is none
 * @end: receives what is behind the number; NULL if nothing may be
 *
 * strtoul() alone takes "-18446744073709551615" for 1, and blanks.
 *
 * Return: false if @text does not begin with such a number.
 */
bool plain_number(u64 *value, const char *text, u64 most, const char **end);

#endif /* PCSAMPLE_COMMANDS_PLAIN_OPTIONS_H */
