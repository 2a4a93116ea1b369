// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/text-file.h"
#include "capture/diagnose.h"
#include "commands/capture-options.h"
#include "commands/command.h"
#include "commands/plain-options.h"

/* Options */

enum { OPT_DURATION = 256, OPT_ALL_USER, OPT_ALL_KERNEL, OPT_NO_DITHER, OPT_SEED };

static const struct argp_option capture_option_table[] = {
	{ "all-cpus", 'a', NULL, 0, "sample everything that runs on all CPUs", 0 },
	{ "cpu", 'C', "LIST", 0, "sample these CPUs, such as 0-3,8", 0 },
	{ "pid", 'p', "PID,...", 0, "sample these processes", 0 },
	{ "event", 'e', "EVENT", 0,
	  "sample this event; 'pcsample list' lists them (default: arm_pcsample)", 0 },
	{ "freq", 'F', "HZ", 0, "take HZ samples per second of each CPU (default: 4000)", 0 },
	{ "count", 'c', "PERIOD", 0,
	  "sample once every PERIOD: a time such as 250us for a clock, else a number of events",
	  0 },
	{ "duration", OPT_DURATION, "TIME", 0, "stop after TIME, such as 10, 1.5s, 5m", 0 },
	{ "all-user", OPT_ALL_USER, NULL, 0, "exclude the kernel", 0 },
	{ "all-kernel", OPT_ALL_KERNEL, NULL, 0, "exclude user space", 0 },
	{ "mmap-pages", 'm', "PAGES", 0,
	  "set the size of each ring buffer (default: enough for two seconds)", 0 },
	{ "no-dither", OPT_NO_DITHER, NULL, 0, "arm_pcsample: read at exact intervals", 0 },
	{ "seed", OPT_SEED, "N", 0, "arm_pcsample: set the seed of the dithered clock", 0 },
	{ 0 }
};

struct unit {
	const char *name;
	double ns;
};

static const struct unit period_units[] = {
	{ "", 1 }, { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { NULL, 0 }
};

static const struct unit duration_units[] = {
	{ "", 1e9 }, { "ms", 1e6 }, { "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 }, { NULL, 0 }
};

/* Read a positive number followed by one of @units, in ns */
static bool parse_time(u64 *ns, const char *text, const struct unit *units)
{
	const struct unit *unit;
	double value;
	char *end;

	value = strtod(text, &end);
	if (end == text || !isdigit((unsigned char)end[-1]) || !(value > 0))
		return false;
	for (unit = units; unit->name; unit++) {
		if (strcmp(end, unit->name))
			continue;
		*ns = value * unit->ns < 1e18 ? value * unit->ns : 0;
		return *ns;
	}
	return false;
}

bool capture_parse_duration(u64 *ns, const char *text)
{
	return parse_time(ns, text, duration_units);
}

static bool parse_number(u64 *value, const char *text, u64 least, u64 most)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return !errno && end != text && !*end && isdigit((unsigned char)*text) && *value >= least &&
	       *value <= most;
}

/* Read a list such as "12,13" */
static void parse_pids(struct capture_options *o, char *list, struct argp_state *state)
{
	char *text, *rest = NULL;
	size_t cap = 0;
	u64 pid;

	free(o->pids);
	o->pids = NULL;
	o->nr_pids = 0;
	for (text = strtok_r(list, ",", &rest); text; text = strtok_r(NULL, ",", &rest)) {
		if (!parse_number(&pid, text, 1, INT32_MAX))
			argp_error(state, "-p %s: not the number of a process", text);
		if (mem_grow(&o->pids, &cap, o->nr_pids + 1))
			argp_failure(state, EXIT_FAILED, ENOMEM, "-p");
		o->pids[o->nr_pids++] = pid;
	}
	if (!o->nr_pids)	/* -p "$(pidof PROGRAM)" may be empty; do not sample everything */
		argp_error(state, "-p: no process is given");
}

static const struct plain_option plain[] = {
	SETS('a', struct capture_options, all_cpus),
	SETS(OPT_ALL_USER, struct capture_options, all_user),
	SETS(OPT_ALL_KERNEL, struct capture_options, all_kernel),
	SETS(OPT_NO_DITHER, struct capture_options, no_dither),
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct capture_options *o = state->input;
	u64 value;

	switch (key) {
	case 'C':
		if (cpus_parse(&o->cpus, arg) || cpus_empty(&o->cpus))
			argp_error(state, "-C %s: not a list of CPUs such as 0-3,8", arg);
		return 0;
	case 'e':
		if (o->event)
			argp_error(state, "-e %s: only one event is sampled at a time", arg);
		o->event = arg;
		return 0;
	case 'F':
		if (!parse_number(&o->freq, arg, 1, 1000000000))
			argp_error(state, "-F %s: not a frequency in Hz", arg);
		return 0;
	case 'c':
		if (!parse_time(&o->period, arg, period_units))
			argp_error(state,
				   "-c %s: not a period such as 250us, or a number of events", arg);
		return 0;
	case 'p':
		parse_pids(o, arg, state);
		return 0;
	case 'm':
		if (!parse_number(&value, arg, 1, 1U << 18) || (value & (value - 1)))
			argp_error(state, "-m %s: not a power of two of pages", arg);
		o->pages = value;
		return 0;
	case OPT_DURATION:
		if (!parse_time(&o->duration, arg, duration_units))
			argp_error(state, "--duration %s: not a time such as 10, 1.5s, 5m", arg);
		return 0;
	case OPT_SEED:
		if (!parse_number(&value, arg, 1, UINT32_MAX))
			argp_error(state, "--seed %s: not a number from 1 to %u", arg, UINT32_MAX);
		o->seed = value;
		o->has_seed = true;
		return 0;
	case ARGP_KEY_ARG:
		o->command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		if (o->freq && o->period)
			argp_error(state, "-F and -c exclude each other");
		if (o->nr_pids && (o->all_cpus || !cpus_empty(&o->cpus)))
			argp_error(state, "-p excludes -a and -C");
		if (o->all_user && o->all_kernel)
			argp_error(state, "--all-user and --all-kernel exclude each other");
		return 0;
	}
	return plain_option(plain, key, arg, state);
}

const struct argp capture_argp = {
	.options = capture_option_table,
	.parser = parse_option,
};

/* From options to a configuration */

static int choose_event(const struct capture_options *o, struct capture_config *config,
			struct error *err)
{
	const char *event = o->event ? o->event : o->default_event;
	int ret;

	if (!event &&
	    !sysfs_exists("%s/sys/bus/event_source/devices/" PCSAMPLE_PMU, config->root))
		return explain_no_pmu(config->root, err);
	ret = event_parse(&config->event, config->root, event ? event : PCSAMPLE_PMU, err);
	if (ret == -ENODEV && !strcmp(config->event.pmu, PCSAMPLE_PMU))
		return explain_no_pmu(config->root, err);
	if (ret)
		return ret;
	if (o->all_user || o->all_kernel) {
		config->event.exclude_kernel = o->all_user;
		config->event.exclude_user = o->all_kernel;
	}
	if (!o->no_dither)
		return 0;
	if (!event_is_pcsample(&config->event))
		return error_set(err, -EINVAL,
				 "--no-dither is for arm_pcsample: %s is not dithered",
				 config->event.name);
	return event_set_term(&config->event, config->root, "jitter", 2, err);
}

int capture_options_resolve(const struct capture_options *options, struct capture_config *config,
			    struct error *err)
{
	int ret;

	memset(config, 0, sizeof(*config));
	config->root = "";
	ret = choose_event(options, config, err);
	if (ret)
		return ret;
	config->freq = options->freq;
	config->period = options->period;
	if (!config->freq && !config->period) {
		if (event_is_profexc(&config->event))
			config->period = 1;
		else
			config->freq = CAPTURE_DEFAULT_HZ;
	}
	config->cpus = options->cpus;
	config->pages = options->pages;
	config->system_wide = options->all_cpus || !cpus_empty(&options->cpus) ||
			      (!options->command && !options->nr_pids);
	config->attach = options->nr_pids;
	config->seed = options->seed;
	while (!options->has_seed && !config->seed)
		if (getrandom(&config->seed, sizeof(config->seed), 0) != sizeof(config->seed))
			config->seed = time(NULL);
	return 0;
}

/* How long it runs */

static volatile sig_atomic_t stop_signal;

static void on_signal(int sig)
{
	if (sig != SIGCHLD)
		stop_signal = sig;
}

/*
 * Handlers are installed without SA_RESTART, so that a signal ends the wait for records. Ignore
 * SIGPIPE and SIGXFSZ: with these, write(2) returns an error instead of ending the program.
 */
static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
	struct sigaction action = { .sa_handler = on_signal }, before;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], &action, &before);
		if (signals[i] == SIGHUP && before.sa_handler == SIG_IGN)	/* nohup */
			sigaction(SIGHUP, &before, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int run_prepare(struct run *run, const struct capture_options *options, struct error *err)
{
	memset(run, 0, sizeof(*run));
	run->options = options;
	run->deadline = ~0ULL;
	if (options->command && workload_prepare(&run->workload, options->command, err))
		return -1;
	/* After the fork: the child keeps the signals and the limit that it was given */
	catch_signals();
	raise_file_limit();
	return 0;
}

const pid_t *run_tasks(const struct run *run, unsigned int *nr)
{
	if (run->options->nr_pids) {
		*nr = run->options->nr_pids;
		return run->options->pids;
	}
	*nr = run->workload.pid ? 1 : 0;
	return &run->workload.pid;
}

void run_keep_away(const struct capture *capture, const struct capture_config *config)
{
	struct cpus online, *away = &online;
	char text[CPUS_TEXT_MAX];
	cpu_set_t *set;
	int cpu;

	if (!event_is_pcsample(&config->event) ||
	    sysfs_read(text, sizeof(text), "/sys/devices/system/cpu/online") < 0 ||
	    cpus_parse(&online, text))
		return;
	cpus_and_not(away, capture_targets(capture));
	/* If every CPU is a target, run on those that read: they are disturbed anyway */
	if (cpus_empty(away))
		*away = *capture_cpus(capture);
	set = CPU_ALLOC(CPUS_MAX);
	if (!set)
		return;
	CPU_ZERO_S(CPU_ALLOC_SIZE(CPUS_MAX), set);
	cpus_for_each(cpu, away)
		CPU_SET_S(cpu, CPU_ALLOC_SIZE(CPUS_MAX), set);
	/* A cpuset may not allow these CPUs; then the affinity stays as it was */
	if (sched_setaffinity(0, CPU_ALLOC_SIZE(CPUS_MAX), set))
		errno = 0;
	CPU_FREE(set);
}

int run_start(struct run *run, struct error *err)
{
	if (run->options->duration)
		run->deadline = now_ns() + run->options->duration;
	if (!run->workload.pid)
		return 0;
	return workload_start(&run->workload, run->options->command[0], err);
}

static bool any_lives(const pid_t *pids, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!kill(pids[i], 0) || errno != ESRCH)
			return true;
	return false;
}

bool run_goes_on(struct run *run)
{
	const struct capture_options *o = run->options;

	if (stop_signal || now_ns() >= run->deadline)
		return false;
	if (run->workload.pid)
		return !workload_ended(&run->workload);
	return !o->nr_pids || any_lives(o->pids, o->nr_pids);
}

int run_finish(struct run *run, int status)
{
	bool counts;
	int child;

	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (!run->workload.pid)
		return status;
	/*
	 * The status of a command counts only if it ran, and if neither --duration nor an error
	 * here ended it
	 */
	counts = workload_started(&run->workload) &&
		 (stop_signal || workload_ended(&run->workload));
	workload_stop(&run->workload);
	if (!counts)
		return status;
	child = workload_exit_status(&run->workload);
	return child ? child : status;
}
