// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "commands/plain-options.h"

error_t plain_option(const struct plain_option *table, int key, char *arg,
		     struct argp_state *state)
{
	const struct plain_option *row = table;
	void *member;

	while (row->kind != PLAIN_END && row->key != key)
		row++;
	member = (char *)state->input + row->offset;
	switch (row->kind) {
	case PLAIN_END:
		return ARGP_ERR_UNKNOWN;
	case PLAIN_FLAG:
		*(bool *)member = true;
		return 0;
	case PLAIN_WORD:
		*(const char **)member = arg;
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
