// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample COMMAND [OPTION...]: find the command and run it.
 */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "builtin.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
};

static const struct command commands[] = {
	{ "report", cmd_report, "which code the samples of a recording were in" },
#if HAVE_LIBPERF
	{ "record", cmd_record, "sample CPUs or a command into a perf.data" },
	{ "stat", cmd_stat, "what became of every planned read, and at which rate" },
#endif
	{ "doctor", cmd_doctor, "what works on this machine, and what helps where it does not" },
	{ "list", cmd_list, "events that can be sampled here" },
	{ "script", cmd_script, "every sample as text, in the order of time" },
	{ "version", cmd_version, "version and what was built in" },
};

#define for_each_command(c) \
	for ((c) = commands; (c) < commands + sizeof(commands) / sizeof(commands[0]); (c)++)

static void print_usage(FILE *to)
{
	const struct command *c;

	fprintf(to, "Usage: pcsample COMMAND [OPTION...]\n\n");
	for_each_command(c)
		fprintf(to, "  %-10s %s\n", c->name, c->summary);
	fprintf(to, "\n'pcsample COMMAND --help' lists the options of COMMAND.\n");
}

/* Number of single-character edits that turn @a into @b; both are short */
static unsigned int edit_distance(const char *a, const char *b)
{
	unsigned int row[32], diagonal, above, la = strlen(a), lb = strlen(b), i, j;

	if (la > 31 || lb > 31)
		return 31;
	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			above = row[j];
			row[j] = diagonal + (a[i - 1] != b[j - 1]);
			if (above + 1 < row[j])
				row[j] = above + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			diagonal = above;
		}
	}
	return row[lb];
}

static int unknown_command(const char *name)
{
	const struct command *c, *best = commands;

	for_each_command(c)
		if (edit_distance(name, c->name) < edit_distance(name, best->name))
			best = c;
	fprintf(stderr, "pcsample: '%s' is not a command", name);
	if (edit_distance(name, best->name) <= 2)
		fprintf(stderr, "; did you mean '%s'?\n", best->name);
	else
		fprintf(stderr, "; 'pcsample --help' lists them\n");
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	const struct command *c;
	char name[32];

	argp_err_exit_status = EXIT_USAGE;
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_usage(stdout);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return cmd_version(1, argv + 1);
	for_each_command(c) {
		if (strcmp(argv[1], c->name))
			continue;
		snprintf(name, sizeof(name), "pcsample %s", c->name);
		argv[1] = name;
		return c->run(argc - 1, argv + 1);
	}
	return unknown_command(argv[1]);
}
