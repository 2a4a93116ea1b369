/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The configuration file: defaults for the options of commands.
 *
 *	# comment
 *	[core]
 *	color = auto
 *	pager = less -S
 *	[report]
 *	sort = comm,sym
 *	addresses = true
 *
 * A section is a command, a key the long name of one of its options. The command line overrides
 * the file. pcsample-config(5) is the description for users.
 */
#ifndef PCSAMPLE_COMMANDS_CONFIG_H
#define PCSAMPLE_COMMANDS_CONFIG_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/**
 * struct config - the file, line by line
 * @path: where it is, for messages
 * @line: its settings in their order
 * @argv: the command line that config_apply() made, or NULL
 * @word: by setting, the word of @argv that was made of it, or NULL
 */
struct config {
	char *path;
	struct config_line {
		unsigned int number;
		char *section, *key, *value;
	} *line;
	size_t nr, cap;
	char **argv;
	char **word;
};

/**
 * config_read() - read the file
 * @config: result; empty if there is no file and @path is NULL
 * @path: NULL for $PCSAMPLE_CONFIG, else $XDG_CONFIG_HOME/pcsample/config, else
 *	~/.config/pcsample/config
 *
 * Return: 0; -EINVAL, with file and line in @err, or what opening gave.
 */
int config_read(struct config *config, const char *path, struct error *err);
void config_deinit(struct config *config);

/** config_get() - the last setting of section.key, or NULL */
const char *config_get(const struct config *config, const char *section, const char *key);

/**
 * config_apply() - add a command's settings to its command line
 * @section: name of the command
 * @argp: its options
 * @in_order: options end at the first word that is not an option
 * @argc, @argv: replaced if there are settings; the new words live as long as @config
 *
 * Settings come first, so that the command line overrides them. A setting whose option is on the
 * command line is left out.
 *
 * Return: 0; -EINVAL for a key that is no option, or a flag that is not true or false; -ENOMEM.
 */
int config_apply(struct config *config, const char *section, const struct argp *argp,
		 bool in_order, int *argc, char ***argv, struct error *err);

#endif /* PCSAMPLE_COMMANDS_CONFIG_H */
