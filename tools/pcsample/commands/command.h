/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands of pcsample. A command parses options and prints; libpcsample.a has file formats,
 * symbols and statistics.
 */
#ifndef PCSAMPLE_COMMANDS_COMMAND_H
#define PCSAMPLE_COMMANDS_COMMAND_H

#include <argp.h>
#include <stddef.h>

#include "base/error.h"

#define PCSAMPLE_VERSION "0.1"

/*
 * Exit status of every command. A usage error is 129 as in perf and git; `record -- COMMAND`
 * passes COMMAND's own status on.
 */
enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,	/* an error */
	EXIT_NOTHING = 2,	/* there were no samples, or a check failed */
	EXIT_USAGE = 129,
};

/**
 * struct command - a command, the first word of the command line
 * @run: runs the command, with "pcsample COMMAND" as argv[0]; returns the exit status
 * @argp: its options
 * @summary: its line in 'pcsample --help'
 */
struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const struct argp *argp;
	const char *summary;
	enum {
		PAGED = 1,		/* at a terminal, show the output in a pager */
		RUNS_COMMAND = 2,	/* options end at the first word of the command to run */
	} flags;
};

extern const struct command commands[];
extern const size_t nr_commands;

/* Print the message of a failed command, whose name is "pcsample COMMAND". Return: EXIT_FAILED */
int complain(const char *command, const struct error *err);

/* argv[0] is "pcsample COMMAND", for messages and --help. Return: exit status */
int cmd_report(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_archive(int argc, char **argv);
int cmd_completion(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_profexc(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_ship(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_stuck(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_version(int argc, char **argv);

/* cmd_record() for 'pcsample profexc record', whose default for -e is @event */
int record_profexc(int argc, char **argv, const char *event);

/* Options of each command: for --help, the configuration file and completion */
extern const struct argp report_argp;
extern const struct argp annotate_argp;
extern const struct argp archive_argp;
extern const struct argp completion_argp;
extern const struct argp diff_argp;
extern const struct argp doctor_argp;
extern const struct argp explain_argp;
extern const struct argp export_argp;
extern const struct argp list_argp;
extern const struct argp profexc_argp;
extern const struct argp record_argp;
extern const struct argp script_argp;
extern const struct argp ship_argp;
extern const struct argp stat_argp;
extern const struct argp stuck_argp;
extern const struct argp top_argp;
extern const struct argp version_argp;

#endif /* PCSAMPLE_COMMANDS_COMMAND_H */
