/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of the commands that sample (record, stat), and the loop that ends them in time.
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
 * @command: what follows the options; NULL if nothing does
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

/* To be a child of a command's argp; its input is a struct capture_options */
extern const struct argp capture_argp;

/**
 * capture_options_resolve() - from options to a configuration
 * @options: as parsed
 * @config: result
 * @err: message on failure
 *
 * The event is arm_pcsample where there is one, and its rate 4000 Hz; one of arm_profexc is sampled
 * each time. Without -a and -C, processes are sampled where some are given, by -p or as a command.
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
 * run_prepare() - catch the signals that end sampling, raise limits, make the child
 * @run: result
 * @options: as parsed
 * @err: message on failure
 */
int run_prepare(struct run *run, const struct capture_options *options, struct error *err);

/** run_tasks() - the processes to sample; @nr is how many */
const pid_t *run_tasks(const struct run *run, unsigned int *nr);

/** run_keep_away() - stay off the CPUs that are sampled, where there are others */
void run_keep_away(const struct capture *capture, const struct capture_config *config);

/** run_start() - let the child go; the deadline counts from here */
int run_start(struct run *run, struct error *err);

/** run_goes_on() - no signal, no deadline, and the child or one of the processes lives */
bool run_goes_on(struct run *run);

/**
 * run_finish() - end the child
 * @run: run
 * @status: exit status of the command itself
 *
 * From here on a second signal kills.
 *
 * Return: the exit status to end with: a child's that is not 0 is passed on
 */
int run_finish(struct run *run, int status);

#endif /* PCSAMPLE_COMMANDS_CAPTURE_OPTIONS_H */
