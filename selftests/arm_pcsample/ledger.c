// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ledger: every planned read is accounted for, the plan follows the clock, and the outcomes in
 * the ledger are what happened.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

#define PERIOD 500000ULL

FIXTURE(ledger)
{
	struct perf_event_attr attr;
	struct pcs_event *events[PCS_MAX_CPUS];
	cpu_set_t targets;
	int target, reader;
	pid_t load;
};

FIXTURE_SETUP(ledger)
{
	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	pcs_read_targets(&self->targets);
	self->target = pcs_first_cpu(&self->targets);
	self->reader = pcs_reader_of(self->target);
	pcs_attr_init(&self->attr, PERIOD);
}

FIXTURE_TEARDOWN(ledger)
{
	if (self->load)
		pcs_load_stop(self->load);
}

/* For tests that want samples: a target that idles may have few, or none. */
static void keep_busy(struct _test_data_ledger *self)
{
	self->load = pcs_load_start(self->target, pcs_load_loop, 0);
}

static void expect_balance(struct __test_metadata *_metadata, const struct pcs_account *account)
{
	EXPECT_EQ(0, pcs_account_gap(account))
		TH_LOG("planned %" PRIu64 ", the outcomes %+" PRId64, account->planned,
		       -pcs_account_gap(account));
}

static void read_accounts(const cpu_set_t *cpus, struct pcs_account *accounts)
{
	int cpu;

	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, cpus))
			pcs_read_account(cpu, &accounts[cpu]);
}

struct tally {
	int n[PCS_MAX_CPUS];
	int all;
};

static void count(const struct pcs_sample *s, void *arg)
{
	struct tally *t = arg;

	t->all++;
	t->n[s->cpu]++;
}

TEST_F(ledger, the_plan_is_the_clocks)
{
	struct pcs_account before[PCS_MAX_CPUS], after, since;
	const struct pcs_event *event;
	struct tally t = {};
	int nr, cpu, i;

	read_accounts(&self->targets, before);
	nr = pcs_open_all(&self->attr, self->events);
	pcs_collect(self->events, nr, 1000000000, count, &t);

	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++) {
		if (!CPU_ISSET(cpu, &self->targets))
			continue;
		for (i = 0; i < nr && self->events[i]->cpu != pcs_reader_of(cpu); i++)
			;
		event = self->events[i];
		pcs_read_account(cpu, &after);
		since = pcs_account_since(&before[cpu], &after);
		expect_balance(_metadata, &since);
		/* One read in each period, at any time in it */
		EXPECT_GE(since.planned, pcs_shortest_time(event) / PERIOD)
			TH_LOG("CPU%d", cpu);
		EXPECT_LE(since.planned, pcs_longest_time(event) / PERIOD + 1)
			TH_LOG("CPU%d", cpu);
		/* perf has no reason to, though an idle reader has hardly a tick */
		EXPECT_EQ(0, event->throttled);
	}
	for (i = 0; i < nr; i++)
		pcs_close(self->events[i]);
}

TEST_F(ledger, samples_are_those_in_the_buffer)
{
	struct pcs_account before[PCS_MAX_CPUS], total_before, after, since, sum = {};
	struct tally t = {};
	int nr, cpu, i;

	pcs_read_account(-1, &total_before);
	read_accounts(&self->targets, before);
	nr = pcs_open_all(&self->attr, self->events);
	pcs_collect(self->events, nr, 1000000000, count, &t);
	for (i = 0; i < nr; i++)
		pcs_close(self->events[i]);

	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++) {
		if (!CPU_ISSET(cpu, &self->targets))
			continue;
		pcs_read_account(cpu, &after);
		since = pcs_account_since(&before[cpu], &after);
		EXPECT_EQ(t.n[cpu], since.sample)
			TH_LOG("CPU%d", cpu);
		sum.planned += since.planned;
		sum.sample += since.sample;
	}
	pcs_read_account(-1, &after);
	since = pcs_account_since(&total_before, &after);
	expect_balance(_metadata, &since);
	EXPECT_EQ(sum.planned, since.planned);
	EXPECT_EQ(sum.sample, since.sample);
	EXPECT_EQ(t.all, since.sample);
	EXPECT_GT(t.all, 100);
}

TEST_F(ledger, snapshots_of_a_running_event_balance)
{
	struct pcs_account account;
	int nr, i, unbalanced = 0;
	uint64_t last = 0, backward = 0;

	self->attr.sample_period = 100000;
	nr = pcs_open_all(&self->attr, self->events);
	for (i = 0; i < nr; i++)
		pcs_enable(self->events[i]);
	for (i = 0; i < 3000; i++) {
		pcs_read_account(i % 2 ? -1 : self->target, &account);
		unbalanced += pcs_account_gap(&account) != 0;
		if (i % 2) {
			backward += account.planned < last;
			last = account.planned;
		}
	}
	for (i = 0; i < nr; i++)
		pcs_close(self->events[i]);
	EXPECT_EQ(0, unbalanced);
	EXPECT_EQ(0, backward);
	pcs_read_account(-1, &account);
	expect_balance(_metadata, &account);
}

TEST_F(ledger, a_mask_leaves_the_other_targets_alone)
{
	struct pcs_account before[PCS_MAX_CPUS], after, since;
	struct tally t = {};
	int nr, cpu, i;

	keep_busy(self);
	read_accounts(&self->targets, before);
	self->attr.config1 = 1ULL << self->target;
	nr = pcs_open_all(&self->attr, self->events);
	pcs_collect(self->events, nr, 300000000, count, &t);
	for (i = 0; i < nr; i++)
		pcs_close(self->events[i]);

	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++) {
		if (!CPU_ISSET(cpu, &self->targets))
			continue;
		pcs_read_account(cpu, &after);
		since = pcs_account_since(&before[cpu], &after);
		expect_balance(_metadata, &since);
		EXPECT_EQ(cpu == self->target, since.planned > 300);
		EXPECT_EQ(cpu != self->target, since.planned == 0);
	}
	EXPECT_GT(t.n[self->target], 50);
	EXPECT_EQ(t.all, t.n[self->target]);
}

/* Switching on the second event stops and restarts the first one. */
TEST_F(ledger, two_events_at_once)
{
	struct pcs_account before, after, since;
	struct pcs_event *two[2];
	uint64_t least, most;
	struct tally t = {};
	int i;

	self->attr.config1 = 1ULL << self->target;
	pcs_read_account(self->target, &before);
	two[0] = pcs_open(&self->attr, self->reader, 6);
	self->attr.sample_period = 3 * PERIOD;
	two[1] = pcs_open(&self->attr, self->reader, 6);
	pcs_collect(two, 2, 1000000000, count, &t);
	pcs_read_account(self->target, &after);
	since = pcs_account_since(&before, &after);
	expect_balance(_metadata, &since);
	EXPECT_EQ(t.all, since.sample);
	/* The first event runs in two pieces; in between, the second one is switched on. */
	least = (pcs_shortest_time(two[0]) - (two[1]->on[1] - two[1]->on[0])) / PERIOD - 1 +
		pcs_shortest_time(two[1]) / (3 * PERIOD);
	most = pcs_longest_time(two[0]) / PERIOD + 2 +
	       pcs_longest_time(two[1]) / (3 * PERIOD) + 1;
	EXPECT_GE(since.planned, least);
	EXPECT_LE(since.planned, most);
	for (i = 0; i < 2; i++)
		pcs_close(two[i]);
}

/* The buffer has one page and nobody reads it: the ledger and perf count the same lost samples. */
TEST_F(ledger, full_buffer)
{
	struct pcs_account before, after, since;
	struct pcs_event *event;
	struct tally t = {};
	struct pcs_sample s;

	keep_busy(self);
	self->attr.config1 = 1ULL << self->target;
	self->attr.read_format = PERF_FORMAT_LOST;
	pcs_read_account(self->target, &before);
	event = pcs_open(&self->attr, self->reader, 0);
	pcs_enable(event);
	pcs_sleep(500000000);
	pcs_disable(event);
	while (pcs_next(event, &s))
		count(&s, &t);
	pcs_read_account(self->target, &after);
	since = pcs_account_since(&before, &after);
	expect_balance(_metadata, &since);
	EXPECT_GT(since.buffer_full, 0);
	EXPECT_EQ(t.all, since.sample);
	if (self->attr.read_format) {
		uint64_t values[2] = {};

		EXPECT_EQ(sizeof(values), read(event->fd, values, sizeof(values)));
		EXPECT_EQ(values[1], since.buffer_full);
	}
	pcs_close(event);
}

/* An event without a buffer cannot write samples. */
TEST_F(ledger, no_buffer)
{
	struct pcs_account before, after, since;
	int fd;

	keep_busy(self);
	self->attr.config1 = 1ULL << self->target;
	pcs_read_account(self->target, &before);
	fd = pcs_try_open(&self->attr, -1, self->reader, -1, 0);
	ASSERT_GE(fd, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pcs_sleep(100000000);
	close(fd);
	pcs_read_account(self->target, &after);
	since = pcs_account_since(&before, &after);
	expect_balance(_metadata, &since);
	EXPECT_GT(since.buffer_full, 0);
	EXPECT_EQ(0, since.sample);
}

TEST_F(ledger, filtered_reads)
{
	struct pcs_account before, after, since;
	struct pcs_event *event;
	struct tally t = {};

	keep_busy(self);
	self->attr.config1 = 1ULL << self->target;
	self->attr.exclude_host = 1;
	pcs_read_account(self->target, &before);
	event = pcs_open(&self->attr, self->reader, 6);
	pcs_collect(&event, 1, 300000000, count, &t);
	pcs_close(event);
	pcs_read_account(self->target, &after);
	since = pcs_account_since(&before, &after);
	expect_balance(_metadata, &since);
	EXPECT_EQ(0, t.all);
	EXPECT_EQ(0, since.sample);
	EXPECT_GT(since.filtered, 50);
}

/* The count is target time, and counting plans no reads. */
TEST_F(ledger, count_is_target_time)
{
	struct pcs_account before, after;
	struct pcs_event *event;
	uint64_t ns;

	self->attr.config1 = 1ULL << self->target;
	self->attr.sample_period = 0;
	pcs_read_account(-1, &before);
	event = pcs_open(&self->attr, self->reader, 0);
	pcs_enable(event);
	pcs_sleep(300000000);
	pcs_disable(event);
	ns = pcs_count(event);
	EXPECT_GE(ns, pcs_shortest_time(event));
	EXPECT_LE(ns, pcs_longest_time(event));
	pcs_close(event);
	pcs_read_account(-1, &after);
	EXPECT_EQ(before.planned, after.planned);
}

/* A reader with three targets counts three seconds in a second. */
TEST_F(ledger, count_is_the_time_of_all_targets)
{
	int targets_of[PCS_MAX_CPUS] = {}, nr, cpu, i;
	struct pcs_event *events[PCS_MAX_CPUS];
	cpu_set_t targets;

	pcs_read_targets(&targets);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, &targets))
			targets_of[pcs_reader_of(cpu)]++;

	self->attr.sample_period = 0;
	nr = pcs_open_all(&self->attr, events);
	for (i = 0; i < nr; i++)
		pcs_enable(events[i]);
	pcs_sleep(100000000);
	for (i = 0; i < nr; i++) {
		int of_reader = targets_of[events[i]->cpu];
		uint64_t ns;

		pcs_disable(events[i]);
		ns = pcs_count(events[i]);
		TH_LOG("reader %d has %d targets", events[i]->cpu, of_reader);
		EXPECT_GE(ns, of_reader * pcs_shortest_time(events[i]));
		EXPECT_LE(ns, of_reader * pcs_longest_time(events[i]));
		pcs_close(events[i]);
	}
}

static void set_budget(struct __test_metadata *_metadata, uint64_t percent)
{
	FILE *f = fopen("/sys/module/arm_pcsample/parameters/budget_percent", "w");

	ASSERT_NE(NULL, f);
	fprintf(f, "%" PRIu64 "\n", percent);
	fclose(f);
}

/* How many rounds of its loop this task completes in @ns */
static uint64_t rounds(uint64_t ns)
{
	uint64_t begin = pcs_now(), n;

	for (n = 0; pcs_now() - begin < ns; n++)
		pcs_loop_a(10000);
	return n;
}

/*
 * At the highest rate with a small budget, tasks still get the reader's CPU, and reads that are
 * left out for that are counted. An emulated CPU has no steady speed, and interrupts are expensive
 * on it: in the best of several tries, the task must get a fourth of its speed.
 */
TEST_F(ledger, the_budget_holds)
{
	uint64_t budget = pcs_read_number("/sys/module/arm_pcsample/parameters/budget_percent");
	struct pcs_account before, after, since;
	double share = 0;
	int tries;

	set_budget(_metadata, 5);
	pcs_pin(0, self->reader);
	self->attr.config1 = 1ULL << self->target;
	self->attr.sample_period = 10000;
	pcs_read_account(self->target, &before);
	for (tries = 0; tries < 4 && share < 0.5; tries++) {
		struct pcs_event *event = pcs_open(&self->attr, self->reader, 4);
		double alone = rounds(500000000), sampling;

		pcs_enable(event);
		sampling = rounds(500000000);
		pcs_close(event);
		if (sampling / alone > share)
			share = sampling / alone;
	}
	pcs_read_account(self->target, &after);
	since = pcs_account_since(&before, &after);
	set_budget(_metadata, budget);

	TH_LOG("%.0f %% of the rounds while reading; of %" PRIu64 " planned %" PRIu64 " preempted",
	       100 * share, since.planned, since.preempted);
	expect_balance(_metadata, &since);
	EXPECT_GT(since.planned, 45000);
	/* On a busy host the reader may hardly run, and so leave out nothing. */
	EXPECT_TRUE(since.preempted > 0 || since.late > since.planned / 2);
	EXPECT_GT(share, 0.25);
}

struct lateness {
	uint64_t most;
	int reads, stale;
};

static void count_stale(const struct pcs_sample *s, void *arg)
{
	struct lateness *l = arg;

	l->reads++;
	l->stale += s->raw.late > l->most;
}

/*
 * With a small budget the reader pauses for many periods. When it continues, it makes the latest of
 * the reads that are due; the earlier ones are useless and are only counted, as the target is seen
 * once. So no read is later than a period, except for delays by the host within an interrupt. Those
 * are rare; a reader that made up for missed reads would be late for most of its reads.
 */
TEST_F_TIMEOUT(ledger, a_late_reader_makes_the_newest_reads, 300)
{
	uint64_t budget = pcs_read_number("/sys/module/arm_pcsample/parameters/budget_percent");
	struct lateness l = { .most = 400000 };
	struct pcs_account before, after, since;
	struct pcs_event *event;
	int tries;

	self->attr.config = ARM_PCSAMPLE_JITTER_OFF << 8;
	self->attr.config1 = 1ULL << self->target;
	self->attr.sample_period = l.most / 2;
	set_budget(_metadata, 1);
	pcs_read_account(self->target, &before);
	event = pcs_open(&self->attr, self->reader, 6);
	for (tries = 0; tries < 200 && l.reads < 50; tries++)
		pcs_collect_for(&event, 1, 1000000000, count_stale, &l);
	pcs_close(event);
	pcs_read_account(self->target, &after);
	since = pcs_account_since(&before, &after);
	set_budget(_metadata, budget);

	TH_LOG("%d of %d reads were later than %" PRIu64 " us; %" PRIu64 " of %" PRIu64
	       " planned were not made", l.stale, l.reads, l.most / 1000,
	       since.preempted + since.late, since.planned);
	expect_balance(_metadata, &since);
	EXPECT_GE(l.reads, 50);
	EXPECT_GT(since.preempted, since.sample);
	EXPECT_LT(l.stale, l.reads / 2);
}

static uint64_t reads_made(const struct pcs_account *account)
{
	return account->planned - account->late - account->preempted;
}

/*
 * One reader has all the others as targets, and about eight times more reads to make than it can.
 * Which of them it makes must not depend on the number of the CPU. Each slice begins with the
 * target before which the last one ended, so that the numbers of reads differ by one. Those of a
 * reader that began anew with the first one differed by 25 percent. The targets are busy: for idle
 * ones a slice may be long enough, whoever is first.
 */
TEST_F_TIMEOUT(ledger, a_late_reader_is_fair, 60)
{
	struct pcs_account before[PCS_MAX_CPUS], after, since;
	uint64_t least = UINT64_MAX, most = 0, planned = 0, reads;
	pid_t load[PCS_MAX_CPUS] = {};
	char readers[64];
	int fd, cpu;

	if (CPU_COUNT(&self->targets) < 6)
		SKIP(return, "needs a reader of many targets");
	ASSERT_GT(pcs_read_file("readers", readers, sizeof(readers)), 0);
	ASSERT_EQ(0, pcs_write_file("readers", "0"));
	for (cpu = 1; cpu < PCS_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, &self->targets))
			load[cpu] = pcs_load_start(cpu, pcs_load_loop, 0);
	read_accounts(&self->targets, before);
	self->attr.sample_period = 10000;
	fd = pcs_try_open(&self->attr, -1, 0, -1, 0);
	EXPECT_GE(fd, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pcs_sleep(2000000000);
	close(fd);
	for (cpu = 1; cpu < PCS_MAX_CPUS; cpu++) {
		if (!CPU_ISSET(cpu, &self->targets))
			continue;
		pcs_read_account(cpu, &after);
		since = pcs_account_since(&before[cpu], &after);
		expect_balance(_metadata, &since);
		reads = reads_made(&since);
		planned = since.planned;
		least = reads < least ? reads : least;
		most = reads > most ? reads : most;
	}
	for (cpu = 1; cpu < PCS_MAX_CPUS; cpu++)
		if (load[cpu])
			pcs_load_stop(load[cpu]);
	EXPECT_EQ(0, pcs_write_file("readers", readers));

	TH_LOG("%" PRIu64 " to %" PRIu64 " reads of %" PRIu64 " planned", least, most, planned);
	EXPECT_GT(planned, 2 * most);
	EXPECT_GT(least, 100);
	EXPECT_GE(100 * least, 99 * most);
}

/*
 * Several events of one reader want more than its budget, and each for all of a slice. They take
 * turns. When an event waited for credit without booking it, others could find it first for ever:
 * in 2 s events made 272 to 10441 reads, on a machine whose clock counts instructions (-icount). A
 * host that is busy moves the timers enough to hide it.
 */
TEST_F_TIMEOUT(ledger, events_over_the_budget_take_turns, 60)
{
	uint64_t least = UINT64_MAX, most = 0, samples;
	struct pcs_event *events[6];
	struct pcs_sample s;
	uint64_t begin, end;
	char readers[64];
	int i, nr = 6;

	if (CPU_COUNT(&self->targets) < 6)
		SKIP(return, "needs a reader of many targets");
	ASSERT_GT(pcs_read_file("readers", readers, sizeof(readers)), 0);
	ASSERT_EQ(0, pcs_write_file("readers", "0"));
	self->attr.sample_period = 10000;
	for (i = 0; i < nr; i++) {
		events[i] = pcs_open(&self->attr, 0, 9);
		ASSERT_NE(NULL, events[i]);
	}
	for (i = 0; i < nr; i++)
		pcs_enable(events[i]);
	/* Only while there are all of them: on a busy host they start and end far apart. */
	begin = pcs_now();
	pcs_sleep(2000000000);
	end = pcs_now();
	for (i = 0; i < nr; i++)
		pcs_disable(events[i]);
	for (i = 0; i < nr; i++) {
		for (samples = 0; pcs_next(events[i], &s);)
			samples += s.raw.planned >= begin && s.raw.planned < end;
		pcs_close(events[i]);
		least = samples < least ? samples : least;
		most = samples > most ? samples : most;
	}
	EXPECT_EQ(0, pcs_write_file("readers", readers));

	TH_LOG("%d events, %" PRIu64 " to %" PRIu64 " samples", nr, least, most);
	EXPECT_GT(least, most / 2);
}

TEST_F(ledger, the_budget_is_a_percentage)
{
	static const char * const bad[] = { "0", "96", "-1", "x", "" };
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		FILE *f = fopen("/sys/module/arm_pcsample/parameters/budget_percent", "w");

		ASSERT_NE(NULL, f);
		setbuf(f, NULL);
		EXPECT_GT(0, fprintf(f, "%s\n", bad[i]))
			TH_LOG("budget_percent=%s was taken", bad[i]);
		fclose(f);
	}
}

TEST_HARNESS_MAIN
