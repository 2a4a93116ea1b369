/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of the commands that sample (record, stat, top), and what ends their sampling.
 */
#ifndef PCSAMPLE_COMMANDS_CAPTURE_OPTIONS_H
#define PCSAMPLE_COMMANDS_CAPTURE_OPTIONS_H

#include <argp.h>

#include "capture/rings.h"
#include "capture/workload.h"

/**
 * struct capture_options - as given on the command line
 * @event: -e; NULL for the default
 * @default_event: of the command; NULL for arm_pcsample
 * @freq: -F, Hz
 * @period: -c, ns or events
 * @cpus: -C
 * @all_cpus: -a
 * @pids: -p
 * @nr_pids: how many
 * @all_user: --all-user
 * @all_kernel: --all-kernel
 * @no_dither: --no-dither
 * @has_seed: --seed was given
 * @seed: --seed
 * @pages: -m
 * @duration: --duration, ns; 0 for no end
 * @command: the command to run and its arguments, after the options; NULL if there is none
 */
struct capture_options {
	const char *event;
	const char *default_event;
	u64 freq;
	u64 period;
	struct cpus cpus;
	bool all_cpus;
	pid_t *pids;
	unsigned int nr_pids;
	bool all_user;
	bool all_kernel;
	bool no_dither;
	bool has_seed;
	u32 seed;
	unsigned int pages;
	u64 duration;
	char **command;
};

/* Read a time such as 10, 1.5s or 5m, in ns. Return: false if @text is no time */
bool capture_parse_duration(u64 *ns, const char *text);

/* Child parser for a command's argp; its input is a struct capture_options */
extern const struct argp capture_argp;

/**
 * capture_options_resolve() - turn options into a configuration
 * @options: as parsed
 * @config: result
 * @err: message on failure
 *
 * The default event is arm_pcsample; without that PMU it is an error. The default rate is 4000 Hz,
 * but every event of arm_profexc is sampled. Without -a and -C, sample the processes of -p or the
 * command, or all CPUs if neither is given.
 */
int capture_options_resolve(const struct capture_options *options, struct capture_config *config,
			    struct error *err);

/**
 * struct run - a command that samples until something ends it
 * @options: how long
 * @workload: the command that is sampled, if there is one
 * @deadline: CLOCK_MONOTONIC, ns; ~0 for none
 */
struct run {
	const struct capture_options *options;
	struct workload workload;
	u64 deadline;
};

/**
 * run_prepare() - make the child, catch the signals that end sampling, raise limits
 * @run: result
 * @options: as parsed
 * @err: message on failure
 */
int run_prepare(struct run *run, const struct capture_options *options, struct error *err);

/** run_tasks() - the processes to sample; @nr is how many */
const pid_t *run_tasks(const struct run *run, unsigned int *nr);

/** run_keep_away() - with arm_pcsample, run on CPUs that are not sampled, if there are any */
void run_keep_away(const struct capture *capture, const struct capture_config *config);

/** run_start() - let the child execute its command; --duration begins here */
int run_start(struct run *run, struct error *err);

/**
 * run_goes_on() - should sampling continue?
 *
 * It ends with a signal, after --duration, when the child ends, or when all processes of -p have.
 */
bool run_goes_on(struct run *run);

/**
 * run_finish() - end the child
 * @run: run
 * @status: exit status of pcsample so far
 *
 * From here on, a second SIGINT or SIGTERM ends the program at once.
 *
 * Return: the exit status to end with: the child's if it is not 0, else @status
 */
int run_finish(struct run *run, int status);

#endif /* PCSAMPLE_COMMANDS_CAPTURE_OPTIONS_H */
