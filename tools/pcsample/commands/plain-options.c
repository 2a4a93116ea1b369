// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "commands/plain-options.h"

error_t plain_option(const struct plain_option *table, int key, char *arg,
		     struct argp_state *state)
{
	const struct plain_option *row = table;
	bool set = !(key & UNSET);
	void *member;

	while (row->kind != PLAIN_END && row->key != (key & ~UNSET))
		row++;
	member = (char *)state->input + row->offset;
	switch (row->kind) {
	case PLAIN_END:
		return ARGP_ERR_UNKNOWN;
	case PLAIN_FLAG:
		*(bool *)member = set;
		return 0;
	case PLAIN_WORD:
		*(const char **)member = set ? arg : NULL;
		return 0;
	case PLAIN_CHILD:
		state->child_inputs[0] = member;
		return 0;
	case PLAIN_REFUSED:
		argp_error(state, "unexpected argument '%s'%s", arg, row->hint);
		return EINVAL;
	}
	return ARGP_ERR_UNKNOWN;
}

bool plain_number(u64 *value, const char *text, u64 most, const char **end)
{
	char *behind;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &behind, 10);
	if (end)
		*end = behind;
	return !errno && *value <= most && (end || !*behind);
}
