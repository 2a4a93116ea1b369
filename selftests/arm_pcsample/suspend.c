// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine is suspended while events run. No block is touched while its device is suspended, and
 * the events go on after that.
 *
 * Needs CONFIG_PM_DEBUG, by which the kernel goes part of the way and comes back, and for suspend
 * to idle a clock that wakes it up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

#define PM_TEST		"/sys/power/pm_test"
#define PM_TEST_DELAY	"/sys/module/suspend/parameters/pm_test_delay"
#define WAKEALARM	"/sys/class/rtc/rtc0/wakealarm"

#define PERIOD		1000000ULL

/* What samples: the event of each reader, while there is one */
struct run {
	struct perf_event_attr attr;
	struct pcs_event *events[PCS_MAX_CPUS];
	int nr;
};

FIXTURE(suspend)
{
	struct run run;
	char readers[64];
	cpu_set_t blocks;
	pid_t load[2];
	uint64_t delay;		/* PM_TEST_DELAY, s, as it was found */
};

FIXTURE_SETUP(suspend)
{
	int cpu;

	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	if (pcs_write_path(PM_TEST, "none"))
		SKIP(return, PM_TEST ": cannot be written");
	pcs_read_cpulist("caps/blocks", &self->blocks);
	if (!CPU_ISSET(0, &self->blocks) || !CPU_ISSET(1, &self->blocks))
		SKIP(return, "needs blocks of CPUs 0 and 1");
	self->delay = pcs_read_number(PM_TEST_DELAY);
	ASSERT_EQ(0, pcs_write_path(PM_TEST_DELAY, "1"));
	pcs_read_file("readers", self->readers, sizeof(self->readers));
	for (cpu = 0; cpu < 2; cpu++)
		self->load[cpu] = pcs_load_start(cpu, pcs_load_loop, 0);
	pcs_attr_init(&self->run.attr, PERIOD);
	/* Devices are resumed here, and not on CPU 1: it has to be asked to open its block. */
	pcs_pin(0, 0);
}

static void close_events(struct run *run)
{
	while (run->nr)
		pcs_close(run->events[--run->nr]);
}

FIXTURE_TEARDOWN(suspend)
{
	char delay[24];
	int cpu;

	/* Skipped: nothing was changed. */
	if (!self->load[0])
		return;
	close_events(&self->run);
	for (cpu = 0; cpu < 2; cpu++)
		pcs_load_stop(self->load[cpu]);
	pcs_write_file("readers", self->readers);
	pcs_write_path(PM_TEST, "none");
	snprintf(delay, sizeof(delay), "%lu", (unsigned long)self->delay);
	pcs_write_path(PM_TEST_DELAY, delay);
}

struct tally {
	int target, samples, unknown;
};

static void count(const struct pcs_sample *s, void *arg)
{
	struct tally *t = arg;

	t->samples += s->raw.target == t->target;
	/* The emulated machine has these values where the architecture says UNKNOWN */
	t->unknown += (uint32_t)s->raw.pmpcsr == 0xDEADC0DE || s->raw.pmcid1sr == 0xDEADC0DE;
}

static void take(struct run *run, struct tally *t)
{
	struct pcs_sample s;
	int i;

	for (i = 0; i < run->nr; i++)
		while (pcs_next(run->events[i], &s))
			count(&s, t);
}

/* Waits for 50 samples of a target that were not in the buffer before: for 20 s. */
static bool has_new_samples(struct run *run, struct tally *t)
{
	uint64_t end = pcs_now() + 20000000000ULL;
	int before;

	take(run, t);
	before = t->samples;
	do {
		pcs_sleep(10000000);
		take(run, t);
	} while (t->samples < before + 50 && pcs_now() < end);
	return t->samples >= before + 50;
}

static void open_events(struct run *run)
{
	int i;

	run->nr = pcs_open_all(&run->attr, run->events);
	for (i = 0; i < run->nr; i++)
		pcs_enable(run->events[i]);
}

/* "none": to the end. A timer of the machine's clock brings it back then. */
static int fall_asleep(const char *state, const char *level)
{
	int ret = pcs_write_path(PM_TEST, level);

	if (!ret && !strcmp(level, "none")) {
		pcs_write_path(WAKEALARM, "0");
		ret = pcs_write_path(WAKEALARM, "+2");
	}
	return ret ?: pcs_write_path("/sys/power/state", state);
}

/*
 * The event of CPU 0 goes on, as this CPU never goes offline, and so does CPU 1 as its target. The
 * reader also runs while devices are suspended, and finds its targets without power. After that,
 * new events of all readers find all blocks as they were, that of CPU 0 too.
 */
static void sleep_and_go_on(struct __test_metadata *_metadata, struct run *run,
			    const char *state, const char *level)
{
	struct tally across = { .target = 1 }, again = { .target = 0 };
	struct pcs_account before, after, since, all;

	pcs_read_account(-1, &all);
	pcs_read_account(1, &before);
	ASSERT_EQ(0, pcs_write_file("readers", "0"));
	open_events(run);
	ASSERT_EQ(1, run->nr);
	EXPECT_TRUE(has_new_samples(run, &across));
	EXPECT_EQ(0, fall_asleep(state, level));
	EXPECT_TRUE(has_new_samples(run, &across));
	close_events(run);
	pcs_read_account(1, &after);
	since = pcs_account_since(&before, &after);
	TH_LOG("%s, %s: CPU 1: %lu reads, %lu samples, %lu idle, %lu late", state, level,
	       (unsigned long)since.planned, (unsigned long)since.sample,
	       (unsigned long)since.idle, (unsigned long)since.late);
	EXPECT_GT(since.idle, 0);

	ASSERT_EQ(0, pcs_write_file("readers", "0-1"));
	open_events(run);
	EXPECT_TRUE(has_new_samples(run, &again));
	close_events(run);
	pcs_read_account(-1, &after);
	all = pcs_account_since(&all, &after);
	EXPECT_EQ(0, across.unknown + again.unknown);
	EXPECT_EQ(0, all.error);
	EXPECT_EQ(0, pcs_account_gap(&all));
}

TEST_F_TIMEOUT(suspend, to_idle, 60)
{
	sleep_and_go_on(_metadata, &self->run, "freeze", "none");
}

TEST_F_TIMEOUT(suspend, devices, 60)
{
	sleep_and_go_on(_metadata, &self->run, "freeze", "devices");
}

TEST_F_TIMEOUT(suspend, late_devices, 60)
{
	sleep_and_go_on(_metadata, &self->run, "freeze", "platform");
}

/* CPU 1 goes offline while devices are suspended, and comes back. */
TEST_F_TIMEOUT(suspend, processors, 60)
{
	sleep_and_go_on(_metadata, &self->run, "disk", "processors");
}

/* Then CPU 0 goes as far as CPU_CLUSTER_PM_ENTER, too. */
TEST_F_TIMEOUT(suspend, core, 60)
{
	sleep_and_go_on(_metadata, &self->run, "disk", "core");
}

/* The state of a process, a letter of ps, or 0 */
static char state_of(pid_t pid)
{
	char path[32], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%*d %*s %c", &state) != 1)
		state = 0;
	if (f)
		fclose(f);
	return state;
}

static bool comes_to_wait(pid_t pid)
{
	uint64_t end = pcs_now() + 20000000000ULL;

	do {
		if (state_of(pid) == 'I')
			return true;
		pcs_sleep(1000000);
	} while (pcs_now() < end);
	return false;
}

/* Who unloads the module may wait long for an event of others. That keeps no machine awake. */
TEST_F_TIMEOUT(suspend, while_the_module_waits_to_go, 90)
{
	int leader, status;
	pid_t pid;

	if (access("/sys/module/arm_pcsample/refcnt", R_OK) || pcs_in_tree())
		SKIP(return, "the module does not wait");
	leader = pcs_open_former_leader(&self->run.attr, 0);
	ASSERT_GE(leader, 0);
	pid = pcs_unload_start(leader);
	ASSERT_GT(pid, 0);
	EXPECT_TRUE(comes_to_wait(pid));
	EXPECT_EQ(0, fall_asleep("freeze", "freezer"));
	EXPECT_FALSE(pcs_ends_within(pid, 500, &status));
	close(leader);
	ASSERT_TRUE(pcs_ends_within(pid, 10000, &status));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, system("modprobe arm_pcsample"));
}

TEST_HARNESS_MAIN
