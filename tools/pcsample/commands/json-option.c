// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>

#include "commands/json-option.h"

const struct argp_option json_options[] = {
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ 0 }
};

error_t json_option_parse(int key, char *arg, struct argp_state *state)
{
	bool *json = state->input;

	switch (key) {
	case 'j':
		*json = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument '%s'", arg);
		return EINVAL;
	}
	return ARGP_ERR_UNKNOWN;
}
