// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample [OPTION...] COMMAND [OPTION...]: parse options before the command, and run the command.
 */
#include <argp.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/command.h"
#include "commands/config.h"
#include "commands/terminal.h"

const struct command commands[] = {
	{ "report", cmd_report, &report_argp, "print which code the samples of a recording were in",
	  PAGED },
#if HAVE_LIBPERF
	{ "record", cmd_record, &record_argp, "sample CPUs or a command into a perf.data",
	  RUNS_COMMAND },
	{ "stat", cmd_stat, &stat_argp, "count what became of the planned reads, and at which rate",
	  RUNS_COMMAND },
	{ "stuck", cmd_stuck, &stuck_argp,
	  "show where a CPU that no longer responds is executing", 0 },
#endif
	{ "diff", cmd_diff, &diff_argp,
	  "show what changed between two recordings, and what is noise", PAGED },
	{ "annotate", cmd_annotate, &annotate_argp,
	  "print instructions and source lines of functions, with their shares", PAGED },
	{ "archive", cmd_archive, &archive_argp,
	  "pack a recording with its files, to report it on another machine", 0 },
	{ "completion", cmd_completion, &completion_argp, "print completion for bash and zsh", 0 },
	{ "doctor", cmd_doctor, &doctor_argp,
	  "check what works on this machine, and how to repair what does not", 0 },
	{ "explain", cmd_explain, &explain_argp,
	  "explain what register values mean, and by which rule", PAGED },
	{ "export", cmd_export, &export_argp,
	  "convert a recording for a browser, pprof, speedscope and others", 0 },
	{ "list", cmd_list, &list_argp, "list the events that can be sampled here", PAGED },
	{ "profexc", cmd_profexc, &profexc_argp,
	  "show support for Profiling exceptions, and what they interrupted", RUNS_COMMAND },
	{ "script", cmd_script, &script_argp, "print every sample as text, in the order of time",
	  PAGED },
	{ "ship", cmd_ship, &ship_argp, "send a spool's files to the server of a fleet", 0 },
#if HAVE_LIBPERF && HAVE_NCURSES
	{ "top", cmd_top, &top_argp, "show live what the CPUs execute", RUNS_COMMAND },
#endif
	{ "version", cmd_version, &version_argp, "print the version and the optional features", 0 },
};

const size_t nr_commands = sizeof(commands) / sizeof(commands[0]);

#define for_each_command(c) for ((c) = commands; (c) < commands + nr_commands; (c)++)

static void print_usage(FILE *to)
{
	const struct command *c;

	fprintf(to, "Usage: pcsample [OPTION...] COMMAND [OPTION...]\n\n");
	for_each_command(c)
		fprintf(to, "  %-10s %s\n", c->name, c->summary);
	fprintf(to, "\n'pcsample COMMAND --help' lists its options. Options before COMMAND:\n\n"
		"      --color=WHEN   use colours: auto, always or never\n"
		"      --config=FILE  read FILE instead of ~/.config/pcsample/config\n"
		"      --no-pager     do not use a pager\n");
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

/* Options before the command */
struct globals {
	const char *color;
	const char *config;
	bool no_pager;
};

/* Parse "--NAME VALUE" or "--NAME=VALUE". Return: number of words used, 0 for another option */
static int take_value(char **argv, const char *name, const char **value)
{
	size_t len = strlen(name);

	if (strncmp(argv[0], name, len))
		return 0;
	*value = argv[0][len] == '=' ? argv[0] + len + 1 : argv[1];
	return argv[0][len] == '=' ? 1 : !argv[0][len] && argv[1] ? 2 : 0;
}

/* Return: index of the command, or -1 after a usage error */
static int parse_globals(struct globals *g, char **argv)
{
	int i = 1, n;

	for (; argv[i] && !strncmp(argv[i], "--", 2); i += n) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "--version"))
			return i;
		n = !strcmp(argv[i], "--no-pager");
		g->no_pager |= n;
		if (!n)
			n = take_value(argv + i, "--color", &g->color);
		if (!n)
			n = take_value(argv + i, "--config", &g->config);
		if (!n) {
			fprintf(stderr, "pcsample: '%s': no such option, or its value is missing; "
				"'pcsample --help' lists them\n", argv[i]);
			return -1;
		}
	}
	return i;
}

/* Set colours and pager by options, environment and configuration */
static int set_terminal(const struct globals *g, const struct config *config, bool paged)
{
	const char *text = g->color ? g->color : config_get(config, "core", "color");
	enum color_when when = COLOR_AUTO;

	if (text && color_when_parse(text, &when)) {
		fprintf(stderr, "pcsample: colour is auto, always or never, not '%s'\n", text);
		return EXIT_USAGE;
	}
	terminal_set_color(when);
	if (paged && !g->no_pager)
		terminal_start_pager(getenv("PCSAMPLE_PAGER") ? NULL :
				     config_get(config, "core", "pager"));
	return EXIT_OK;
}

static int run_command(const struct command *c, const struct globals *g, int argc, char **argv)
{
	struct error err = { "" };
	struct config config;
	char name[32];
	int ret;

	ret = config_read(&config, g->config, &err);
	snprintf(name, sizeof(name), "pcsample %s", c->name);
	argv[0] = name;
	if (!ret && c->argp)
		ret = config_apply(&config, c->name, c->argp, c->flags & RUNS_COMMAND, &argc, &argv,
				   &err);
	if (ret) {
		config_deinit(&config);
		return complain(name, &err);
	}
	/* No progress line beside the output of a program that the command runs */
	if (!(c->flags & RUNS_COMMAND))
		terminal_start_progress();
	ret = set_terminal(g, &config, c->flags & PAGED);
	ret = ret ? ret : c->run(argc, argv);
	config_deinit(&config);
	return ret;
}

/*
 * A mapped file became shorter. Only recordings should cause this: they are always mapped, and a
 * recorder may overwrite them. Other files are mapped only if no other user may shorten them
 * (base/safe-file.h).
 */
static void on_bus_error(int sig)
{
	static const char text[] = "pcsample: a file became shorter while it was read\n";
	ssize_t written;

	do {
		written = write(STDERR_FILENO, text, sizeof(text) - 1);
	} while (written < 0 && errno == EINTR);
	_exit(EXIT_FAILED);
}

/* Turn "COMMAND -h" and "help COMMAND" into "COMMAND --help" */
static void ask_for_help(char **argv)
{
	static char help[] = "--help";

	if (argv[1] && !strcmp(argv[0], "help")) {
		argv[0] = argv[1];
		argv[1] = help;
	} else if (argv[1] && !strcmp(argv[1], "-h")) {
		argv[1] = help;
	}
}

/*
 * Reserve closed standard descriptors: otherwise the next opened file would get their number, and
 * text would be written into it. Each is opened for the other direction, so that using it remains
 * an error.
 */
static void keep_streams_apart(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	struct globals g = { NULL };
	const struct command *c;
	int i;

	keep_streams_apart();
	argp_err_exit_status = EXIT_USAGE;
	output_check_at_exit();
	signal(SIGBUS, on_bus_error);
	i = parse_globals(&g, argv);
	if (i < 0)
		return EXIT_USAGE;
	if (!argv[i]) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	ask_for_help(argv + i);
	if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h") || !strcmp(argv[i], "help")) {
		print_usage(stdout);
		return EXIT_OK;
	}
	if (!strcmp(argv[i], "--version") || !strcmp(argv[i], "-V"))
		return cmd_version(1, argv + i);
	for_each_command(c)
		if (!strcmp(argv[i], c->name))
			return run_command(c, &g, argc - i, argv + i);
	return unknown_command(argv[i]);
}
