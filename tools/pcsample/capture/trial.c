// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/cpu-progress.h"
#include "capture/frozen.h"
#include "capture/rings.h"
#include "capture/trial.h"

/* In each half frozen_watch_end() needs a second of CPU time and 100 samples of each CPU */
#define TRIAL_HZ	500
#define SHORTEST_NS	1500000000ULL
#define LONGEST_NS	10000000000ULL
#define PUMP_MS		50

/* The load */

struct load {
	pid_t *pid;
	unsigned int nr;
};

/* The child exits if the CPU is offline, or this process may not use it: then it has no load */
static void __attribute__((noreturn)) spin(int cpu)
{
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!set)
		_exit(1);
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	if (sched_setaffinity(0, size, set))
		_exit(1);
	setpriority(PRIO_PROCESS, 0, 19);
	for (;;)
		__asm__ volatile("" : : : "memory");
}

static void load_stop(struct load *load)
{
	unsigned int i;

	for (i = 0; i < load->nr; i++)
		kill(load->pid[i], SIGKILL);
	for (i = 0; i < load->nr; i++)
		waitpid(load->pid[i], NULL, 0);
	free(load->pid);
	memset(load, 0, sizeof(*load));
}

static int load_start(struct load *load, const struct cpus *cpus, struct error *err)
{
	int cpu;

	load->nr = 0;
	load->pid = calloc(cpus_count(cpus) + 1, sizeof(*load->pid));
	if (!load->pid)
		return error_set(err, -ENOMEM, "out of memory");
	cpus_for_each(cpu, cpus) {
		pid_t pid = fork();

		if (!pid)
			spin(cpu);
		if (pid < 0) {
			load_stop(load);
			return error_set(err, -EAGAIN, "cannot start a process for CPU %d", cpu);
		}
		load->pid[load->nr++] = pid;
	}
	return 0;
}

/* The samples */

static int take_record(void *arg, const struct perf_event_header *record, struct error *err)
{
	(void)err;
	frozen_watch_note(arg, record);
	return 0;
}

static void tell(void *arg, unsigned int cpu, const char *text)
{
	struct trial *trial = arg;

	if (cpus_empty(&trial->frozen))
		snprintf(trial->text, sizeof(trial->text), "%s", text);
	cpus_add(&trial->frozen, cpu);
}

/* A machine with a stuck CPU may not live for long. CPUs that it was to read give no samples. */
static u64 longest(const struct trial *trial)
{
	return cpus_empty(&trial->stuck) ? LONGEST_NS : SHORTEST_NS;
}

static bool is_over(const struct trial *trial, const struct frozen_watch *watch,
		    const struct cpus *cpus, u64 begin)
{
	u64 passed = now_ns() - begin;
	struct cpus undecided;

	if (passed < SHORTEST_NS || passed > longest(trial))
		return passed > longest(trial);
	frozen_watch_undecided(watch, cpus, &undecided);
	return cpus_empty(&undecided);
}

static int pump(const struct trial *trial, struct frozen_watch *watch, struct capture *capture,
		const struct cpus *cpus, struct error *err)
{
	u64 begin = now_ns();
	int ret;

	ret = capture_enable(capture, err);
	while (ret >= 0 && !is_over(trial, watch, cpus, begin))
		ret = capture_pump(capture, PUMP_MS, take_record, watch, err);
	capture_disable(capture);
	if (ret >= 0)
		ret = capture_drain(capture, take_record, watch, err);
	return ret < 0 ? ret : 0;
}

static int watch_half(struct trial *trial, struct capture *capture, struct error *err)
{
	struct cpus cpus = *capture_targets(capture), undecided;
	struct frozen_watch *watch;
	int ret, cpu;

	/* No time is accounted to a CPU that is stuck. */
	cpus_and_not(&cpus, &trial->stuck);
	ret = frozen_watch_create(&watch, &capture_events(capture)[0].attr, "", err);
	if (ret)
		return ret;
	ret = pump(trial, watch, capture, &cpus, err);
	if (!ret) {
		frozen_watch_undecided(watch, &cpus, &undecided);
		frozen_watch_end(watch, tell, trial);
		cpus_for_each(cpu, &undecided)
			cpus_add(&trial->silent, cpu);
	}
	frozen_watch_destroy(watch);
	return ret;
}

static int run_half(struct trial *trial, const struct capture_config *config, struct error *err)
{
	struct capture *capture;
	int ret;

	ret = capture_create(&capture, config, err);
	if (ret)
		return ret;
	ret = capture_open(capture, NULL, 0, err);
	if (!ret)
		ret = watch_half(trial, capture, err);
	capture_destroy(capture);
	return ret;
}

int trial_run(struct trial *trial, const struct cpus *busy, struct error *err)
{
	struct capture_config *config = calloc(1, sizeof(*config));
	struct cpus online, able = *busy;
	struct load load;
	int ret;

	memset(trial, 0, sizeof(*trial));
	if (!config)
		return error_set(err, -ENOMEM, "out of memory");
	config->root = "";
	config->freq = TRIAL_HZ;
	config->system_wide = true;
	config->hands_off = true;	/* no side-band: nothing is resolved */
	config->seed = 1;
	ret = event_parse(&config->event, "", PCSAMPLE_PMU, err);
	if (!ret)
		ret = liveness_watch("", &online, &trial->stuck, err);
	config->stay_off = trial->stuck;
	cpus_and_not(&able, &trial->stuck);
	if (!ret)
		ret = run_half(trial, config, err);
	if (!ret)
		ret = load_start(&load, &able, err);
	if (!ret) {
		ret = run_half(trial, config, err);
		load_stop(&load);
	}
	free(config);
	return ret;
}
