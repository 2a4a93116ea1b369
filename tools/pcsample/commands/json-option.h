/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --json of the commands that have no other option and take no argument.
 */
#ifndef PCSAMPLE_COMMANDS_JSON_OPTION_H
#define PCSAMPLE_COMMANDS_JSON_OPTION_H

#include <argp.h>

extern const struct argp_option json_options[];

/* The input is a bool */
error_t json_option_parse(int key, char *arg, struct argp_state *state);

#endif /* PCSAMPLE_COMMANDS_JSON_OPTION_H */
