// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that enter deep idle states all the time: with CPU hotplug at the same time, and which of
 * the bursts between two idle states are seen.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

/* How often a CPU has been in an idle state deeper than WFI; -1 if there is none */
static int64_t deep_idles(int cpu)
{
	char path[80], text[32];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpuidle/state1/usage", cpu);
	file = fopen(path, "r");
	if (!file)
		return -1;
	if (!fgets(text, sizeof(text), file))
		text[0] = 0;
	fclose(file);
	return atoll(text);
}

FIXTURE(power)
{
	struct perf_event_attr attr;
	struct pcs_event *events[PCS_MAX_CPUS];
	cpu_set_t blocks;
	char readers[64];
	int target;	/* a CPU that is not a reader */
	pid_t load;
};

FIXTURE_SETUP(power)
{
	int cpu;

	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	pcs_read_cpulist("caps/blocks", &self->blocks);
	pcs_read_file("readers", self->readers, sizeof(self->readers));
	if (CPU_COUNT(&self->blocks) < 2)
		SKIP(return, "needs two CPUs");
	if (deep_idles(0) < 0)
		SKIP(return, "no idle state but WFI");
	ASSERT_EQ(0, pcs_write_file("readers", "0"));
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, &self->blocks))
			self->target = cpu;
	pcs_attr_init(&self->attr, 200000);
}

FIXTURE_TEARDOWN(power)
{
	if (self->load)
		pcs_load_stop(self->load);
	pcs_write_file("readers", self->readers);
}

/* Shared with the load: its CPU time in ns, and its bursts */
static volatile struct {
	uint64_t ran, bursts;
} *shared;

/* Run for 300 us, sleep for 700 us, and repeat */
static void bursts(uint64_t unused)
{
	struct timespec used;
	uint64_t begin;

	for (;;) {
		pcs_sleep(700000);
		for (begin = pcs_now(); pcs_now() - begin < 300000;)
			pcs_loop_a(50);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
		shared->ran = used.tv_sec * 1000000000ULL + used.tv_nsec;
		shared->bursts++;
	}
}

struct tally {
	pid_t pid;
	int all, own, unknown, snapshots;
};

static void count(const struct pcs_sample *s, void *arg)
{
	struct tally *t = arg;

	t->all++;
	t->own += s->pid == t->pid;
	t->snapshots += pcs_is_snapshot(s);
	/* The emulated machine has these values where the architecture says UNKNOWN */
	t->unknown += (uint32_t)s->raw.pmpcsr == 0xDEADC0DE || s->raw.pmcid1sr == 0xDEADC0DE;
}

static pid_t start_bursts(int target)
{
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED ? 0 : pcs_load_start(target, bursts, 0);
}

/*
 * 20,000 reads: the standard deviation of a share is at most 0.4 points, and the bound is ten times
 * that.
 *
 * Late reads count for no share, and the host of an emulated machine causes many: a thread of QEMU
 * fires the reader's timer, and more often waits for a host CPU while the target runs. So this test
 * needs a machine whose clock counts instructions (-icount): there only the driver makes reads
 * late, which is what it tests.
 */
static struct tally sample_bursts(struct __test_metadata *_metadata,
				  const struct perf_event_attr *attr, int target, pid_t load)
{
	struct pcs_event *events[PCS_MAX_CPUS];
	struct pcs_account before, after, since;
	struct tally t = { .pid = load };
	uint64_t begin, end, ran, nr_bursts;
	double read, share, truth;
	int64_t idles;
	int nr;

	ASSERT_NE(0, load);
	nr = pcs_open_all(attr, events);
	ASSERT_EQ(1, nr);

	pcs_read_account(target, &before);
	idles = deep_idles(target);
	begin = pcs_now();
	ran = shared->ran;
	nr_bursts = shared->bursts;
	pcs_collect_for(events, nr, 4000000000ULL, count, &t);
	end = pcs_now();
	ran = shared->ran - ran;
	nr_bursts = shared->bursts - nr_bursts;
	idles = deep_idles(target) - idles;
	pcs_read_account(target, &after);
	since = pcs_account_since(&before, &after);
	pcs_close(events[0]);

	read = since.planned - since.late - since.preempted - since.buffer_full;
	share = 100.0 * t.own / read;
	truth = 100.0 * ran / (end - begin);
	TH_LOG("%lu bursts, %ld deep idle states, %.0f reads: %.1f %% sampled, %.1f %% ran",
	       (unsigned long)nr_bursts, (long)idles, read, share, truth);
	TH_LOG("idle %lu, no_branch %lu, error %lu, late %lu", (unsigned long)since.idle,
	       (unsigned long)since.no_branch, (unsigned long)since.error,
	       (unsigned long)since.late);
	EXPECT_EQ(0, pcs_account_gap(&since));
	EXPECT_EQ(0, t.unknown);
	EXPECT_EQ(0, since.error);
	EXPECT_LT(since.late, since.planned / 100)
		TH_LOG("this machine's clock does not count instructions, or the driver is slow");
	EXPECT_GT(nr_bursts, 300);
	EXPECT_GT(idles, nr_bursts / 2);
	EXPECT_GT(since.idle, 0);
	EXPECT_LT(share - truth, 4.0);
	EXPECT_LT(truth - share, 4.0);
	return t;
}

TEST_F_TIMEOUT(power, bursts_between_deep_idle_states, 60)
{
	struct tally t;

	self->attr.config1 = 1ULL << self->target;
	self->load = start_bursts(self->target);
	t = sample_bursts(_metadata, &self->attr, self->target, self->load);
	EXPECT_EQ(0, t.snapshots);
}

/* A CPU without power cannot be asked whether it takes snapshots. */
TEST_F_TIMEOUT(power, bursts_between_deep_idle_states_by_snapshots, 60)
{
	struct tally t;
	pid_t awake = pcs_load_start(self->target, pcs_load_loop, 0);
	int ret = pcs_attr_init_snapshots(&self->attr, self->attr.sample_period, self->target, 0);

	pcs_load_stop(awake);
	if (ret) {
		ASSERT_FALSE(pcs_must_have_snapshots());
		SKIP(return, "no PMU snapshots here");
	}
	self->load = start_bursts(self->target);
	t = sample_bursts(_metadata, &self->attr, self->target, self->load);
	EXPECT_EQ(t.all, t.snapshots);
}

/* Each CPU but the reader's goes off and on, with deep idle states before and after. */
TEST_F_TIMEOUT(power, hotplug_with_deep_idle_states, 120)
{
	struct pcs_account before, after, since;
	struct tally t = {};
	int64_t idles = deep_idles(self->target);
	int nr, cpu, rounds, i;

	if (CPU_COUNT(&self->blocks) < 3)
		SKIP(return, "needs three CPUs");
	self->attr.sample_period = 50000;
	nr = pcs_open_all(&self->attr, self->events);
	for (i = 0; i < nr; i++)
		pcs_enable(self->events[i]);
	pcs_read_account(-1, &before);
	for (rounds = 0; rounds < 6; rounds++) {
		for (cpu = 1; cpu < PCS_MAX_CPUS; cpu++) {
			struct pcs_sample s;

			if (!CPU_ISSET(cpu, &self->blocks) || pcs_set_online(cpu, false))
				continue;
			pcs_sleep(2000000);
			ASSERT_EQ(0, pcs_set_online(cpu, true));
			for (i = 0; i < nr; i++)
				while (pcs_next(self->events[i], &s))
					count(&s, &t);
		}
	}
	for (i = 0; i < nr; i++)
		pcs_close(self->events[i]);
	pcs_read_account(-1, &after);
	since = pcs_account_since(&before, &after);
	TH_LOG("%d rounds, %ld deep idle states of CPU %d, %d samples, %lu idle", rounds,
	       (long)(deep_idles(self->target) - idles), self->target, t.all,
	       (unsigned long)since.idle);
	EXPECT_GT(t.all, 100);
	EXPECT_EQ(0, t.unknown);
	EXPECT_EQ(0, since.error);
	EXPECT_EQ(0, pcs_account_gap(&since));
}

TEST_HARNESS_MAIN
