// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU that nohz_full= keeps free of ticks stays free of them while another CPU samples it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

#define SECONDS	2

/* The lines of /proc/interrupts have a number for each CPU of its first line, or fewer. */
static int column_of(const char *heads, int cpu)
{
	int column = 0, n;

	while ((heads = strstr(heads, "CPU"))) {
		if (sscanf(heads++, "CPU%d", &n) == 1 && n == cpu)
			return column;
		column++;
	}
	return -1;
}

/* All interrupts of a CPU so far, IPIs among them */
static uint64_t interrupts_of(int cpu)
{
	FILE *f = fopen("/proc/interrupts", "r");
	uint64_t sum = 0, n;
	char line[4096];
	int column, i;

	if (!f || !fgets(line, sizeof(line), f))
		abort();
	column = column_of(line, cpu);
	while (fgets(line, sizeof(line), f)) {
		char *at = strchr(line, ':') + 1;

		for (n = 0, i = 0; i <= column; i++)
			n = strtoull(at, &at, 10);
		sum += n;
	}
	fclose(f);
	return sum;
}

static void count(const struct pcs_sample *s, void *arg)
{
	(*(int *)arg)++;
}

/* With ticks it has a hundred or more a second, as the slowest kernels are of 100 Hz. */
TEST(a_cpu_without_ticks_has_none)
{
	cpu_set_t targets, without_ticks;
	int cpu, reader, samples = 0;
	struct perf_event_attr attr;
	struct pcs_event *event;
	uint64_t before, after;
	pid_t pid;

	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	pcs_read_targets(&targets);
	pcs_read_system_cpus("nohz_full", &without_ticks);
	CPU_AND(&targets, &targets, &without_ticks);
	cpu = pcs_last_cpu(&targets);
	if (cpu < 0)
		SKIP(return, "no CPU that nohz_full= keeps free of ticks is read");
	reader = pcs_reader_of(cpu);
	pcs_pin(0, reader);
	pid = pcs_load_start(cpu, pcs_load_loop, 0);
	pcs_attr_init(&attr, 1000000);
	attr.config1 = 1ULL << cpu;
	event = pcs_open(&attr, reader, 6);
	/* The tick stops when the load is alone, and there is no more to do for its start. */
	pcs_sleep(1000000000);
	before = interrupts_of(cpu);
	pcs_collect_for(&event, 1, SECONDS * 1000000000ULL, count, &samples);
	after = interrupts_of(cpu);
	pcs_close(event);
	pcs_load_stop(pid);

	TH_LOG("%d samples, %" PRIu64 " interrupts", samples, after - before);
	EXPECT_GT(samples, 100);
	EXPECT_LT(after - before, SECONDS * 25);
}

TEST_HARNESS_MAIN
