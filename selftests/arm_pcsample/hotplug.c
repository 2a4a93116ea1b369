// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs go off and on while events run, targets and readers. A powered-down CPU must not be touched:
 * in the emulated machine that would be an abort.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

#define PERIOD 1000000ULL

FIXTURE(hotplug)
{
	struct perf_event_attr attr;
	struct pcs_event *events[PCS_MAX_CPUS];
	cpu_set_t blocks, readers;
	char readers_then[64];
	int nr_cpus;
	bool stand_in;	/* there is a CPU that reads in place of one that goes */
	int away;	/* the CPU that a test takes offline */
};

FIXTURE_SETUP(hotplug)
{
	int cpu;

	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	pcs_read_cpulist("caps/blocks", &self->blocks);
	pcs_read_cpulist("cpumask", &self->readers);
	pcs_read_file("readers", self->readers_then, sizeof(self->readers_then));
	self->nr_cpus = CPU_COUNT(&self->blocks);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		self->stand_in |= CPU_ISSET(cpu, &self->blocks) &&
				  !CPU_ISSET(cpu, &self->readers) && !pcs_is_isolated(cpu);
	self->away = -1;
	if (self->nr_cpus < 2)
		SKIP(return, "needs two CPUs");
	pcs_attr_init(&self->attr, PERIOD);
}

FIXTURE_TEARDOWN(hotplug)
{
	if (self->away >= 0)
		pcs_set_online(self->away, true);
}

struct tally {
	int n[PCS_MAX_CPUS];
	int by[PCS_MAX_CPUS];	/* by their readers */
	int own;	/* samples that a reader took of itself */
};

static void count(const struct pcs_sample *s, void *arg)
{
	struct tally *t = arg;

	t->n[s->cpu]++;
	t->by[s->raw.reader]++;
	t->own += s->raw.reader == s->cpu;
}

static void drain(struct pcs_event **events, int nr, struct tally *t)
{
	struct pcs_sample s;
	int i;

	for (i = 0; i < nr; i++)
		while (pcs_next(events[i], &s))
			if (t)
				count(&s, t);
}

static void spin_until(uint64_t end)
{
	while (pcs_now() < end)
		;
}

/*
 * Samples of the next 300 ms. A CPU that idles may give none: the registers of its block may be
 * UNKNOWN, or have no power. So this task runs on each CPU in turn.
 */
static struct tally look(struct pcs_event **events, int nr)
{
	uint64_t end = pcs_now() + 300000000;
	struct tally t = {};
	cpu_set_t all, one;
	int cpu;

	drain(events, nr, NULL);
	sched_getaffinity(0, sizeof(all), &all);
	for (cpu = 0; pcs_now() < end; cpu = (cpu + 1) % PCS_MAX_CPUS) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (!sched_setaffinity(0, sizeof(one), &one))
			spin_until(pcs_now() + 10000000);
	}
	sched_setaffinity(0, sizeof(all), &all);
	drain(events, nr, &t);
	return t;
}

static void expect_balance(struct __test_metadata *_metadata)
{
	struct pcs_account account;

	pcs_read_account(-1, &account);
	EXPECT_EQ(0, pcs_account_gap(&account));
}

/* Opens and enables events on all readers */
static int start(const struct perf_event_attr *attr, struct pcs_event **events)
{
	int nr = pcs_open_all(attr, events), i;

	for (i = 0; i < nr; i++)
		pcs_enable(events[i]);
	return nr;
}

static void stop(struct pcs_event **events, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		pcs_close(events[i]);
}

TEST_F(hotplug, a_target)
{
	struct pcs_account before, after, since;
	struct tally t;
	int nr;

	/* Choose a CPU that does not read, if there is one, and readers that remain */
	self->away = pcs_last_cpu(&self->blocks);
	if (CPU_ISSET(self->away, &self->readers))
		ASSERT_EQ(0, pcs_write_file("readers", "0"));
	nr = start(&self->attr, self->events);

	t = look(self->events, nr);
	EXPECT_GT(t.n[self->away], 5);

	ASSERT_EQ(0, pcs_set_online(self->away, false));
	pcs_read_account(self->away, &before);
	t = look(self->events, nr);
	pcs_read_account(self->away, &after);
	since = pcs_account_since(&before, &after);
	EXPECT_EQ(0, t.n[self->away]);
	EXPECT_EQ(0, since.sample);
	EXPECT_GT(since.idle, 5);
	EXPECT_EQ(since.planned, since.idle + since.late + since.preempted);
	expect_balance(_metadata);

	ASSERT_EQ(0, pcs_set_online(self->away, true));
	t = look(self->events, nr);
	EXPECT_GT(t.n[self->away], 5);

	stop(self->events, nr);
	expect_balance(_metadata);
	EXPECT_EQ(0, pcs_write_file("readers", self->readers_then));
}

/*
 * A reader goes offline. Others read its targets, each CPU that has another CPU to read it, and
 * each once a period. The reader comes back, and reads again after the events have ended.
 */
TEST_F(hotplug, a_reader)
{
	struct pcs_account before, after, since;
	char now[64];
	struct tally t;
	int nr, cpu;

	if (CPU_COUNT(&self->readers) < 2)
		SKIP(return, "needs two readers");
	self->away = pcs_last_cpu(&self->readers);
	nr = start(&self->attr, self->events);
	t = look(self->events, nr);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++) {
		if (CPU_ISSET(cpu, &self->blocks)) {
			EXPECT_GT(t.n[cpu], 5)
				TH_LOG("CPU%d at first", cpu);
		}
	}

	ASSERT_EQ(0, pcs_set_online(self->away, false));
	pcs_read_file("readers", now, sizeof(now));
	EXPECT_NE(0, strcmp(now, self->readers_then));
	t = look(self->events, nr);
	EXPECT_EQ(0, t.own);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++) {
		if (!CPU_ISSET(cpu, &self->blocks))
			continue;
		/* If one reader remains, nobody reads that one. */
		if (cpu != self->away && (self->stand_in || !CPU_ISSET(cpu, &self->readers))) {
			EXPECT_GT(t.n[cpu], 5)
				TH_LOG("CPU%d while %d is away", cpu, self->away);
		}
		EXPECT_LT(t.n[cpu], 400)
			TH_LOG("CPU%d read twice", cpu);
	}
	expect_balance(_metadata);

	ASSERT_EQ(0, pcs_set_online(self->away, true));
	pcs_read_account(self->away, &before);
	t = look(self->events, nr);
	pcs_read_account(self->away, &after);
	since = pcs_account_since(&before, &after);
	EXPECT_GT(t.n[self->away], 5);
	EXPECT_EQ(0, t.own);
	EXPECT_LE(since.planned, 400);

	stop(self->events, nr);
	expect_balance(_metadata);
	pcs_read_file("readers", now, sizeof(now));
	EXPECT_STREQ(self->readers_then, now);
	/* Everything is as it was at the begin. */
	nr = start(&self->attr, self->events);
	t = look(self->events, nr);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++) {
		if (CPU_ISSET(cpu, &self->blocks)) {
			EXPECT_GT(t.n[cpu], 5)
				TH_LOG("CPU%d at last", cpu);
		}
	}
	stop(self->events, nr);
}

/* The number of a state of CPU hotplug, or -1 */
static int hotplug_state(const char *name)
{
	FILE *f = fopen("/sys/devices/system/cpu/hotplug/states", "r");
	char line[128], text[64];
	int number, found = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%d: %63s", &number, text) == 2 && !strcmp(text, name))
			found = number;
	if (f)
		fclose(f);
	return found;
}

/* The last reader begins to go offline, but the callback @name fails, and so it stays. */
static void refuse_to_go(struct __test_metadata *_metadata, struct _test_data_hotplug *self,
			 const char *name)
{
	int away = pcs_last_cpu(&self->readers), state = hotplug_state(name);
	char path[64];
	FILE *f;

	ASSERT_GE(state, 0);
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/hotplug/fail", away);
	f = fopen(path, "w");
	ASSERT_NE(NULL, f);
	EXPECT_GT(fprintf(f, "%d\n", state), 0);
	ASSERT_EQ(0, fclose(f));
	self->away = away;
	EXPECT_EQ(-EAGAIN, pcs_set_online(away, false));
}

/*
 * A reader is going offline, its events have moved, and then the kernel cannot let it go: perf's
 * callback is made to fail. Everything is as before then.
 */
static void expect_all_as_before(struct __test_metadata *_metadata,
				 struct _test_data_hotplug *self)
{
	int nr, cpu, away = pcs_last_cpu(&self->readers);
	char then[64], now[64];
	struct tally t;

	pcs_read_file("readers", then, sizeof(then));
	nr = start(&self->attr, self->events);
	refuse_to_go(_metadata, self, "perf:online");
	t = look(self->events, nr);
	EXPECT_GT(t.by[away], 5);
	EXPECT_EQ(0, t.own);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++) {
		if (CPU_ISSET(cpu, &self->blocks)) {
			EXPECT_GT(t.n[cpu], 5)
				TH_LOG("CPU%d", cpu);
		}
		if (!CPU_ISSET(cpu, &self->readers)) {
			EXPECT_EQ(0, t.by[cpu])
				TH_LOG("by CPU%d", cpu);
		}
	}
	pcs_read_file("readers", now, sizeof(now));
	EXPECT_STREQ(then, now);
	stop(self->events, nr);
	expect_balance(_metadata);
}

/*
 * The events come back, since the other events of that CPU are there, which may share their ring
 * buffers.
 */
TEST_F(hotplug, a_reader_that_does_not_go_after_all)
{
	expect_all_as_before(_metadata, self);
}

/* All CPUs read, so none can stand in. Returns false if the last one would serve nobody. */
static bool let_all_read(struct __test_metadata *_metadata, struct _test_data_hotplug *self)
{
	char text[16];

	if (self->nr_cpus < 4 || self->nr_cpus % 2)
		return false;
	snprintf(text, sizeof(text), "0-%d", self->nr_cpus - 1);
	EXPECT_EQ(0, pcs_write_file("readers", text));
	pcs_read_cpulist("readers", &self->readers);
	return true;
}

/* Without a stand-in the events have not moved, but the targets have. */
TEST_F(hotplug, a_reader_without_a_stand_in_that_does_not_go)
{
	if (!let_all_read(_metadata, self))
		SKIP(return, "needs two pairs of CPUs");
	expect_all_as_before(_metadata, self);
	EXPECT_EQ(0, pcs_write_file("readers", self->readers_then));
}

/*
 * A later callback refuses, when perf has ended the events of the reader. The other readers keep
 * its targets.
 */
TEST_F(hotplug, a_reader_without_a_stand_in_that_stays_without_its_events)
{
	char then[64], now[64];
	struct tally t;
	int nr, cpu;

	if (!let_all_read(_metadata, self))
		SKIP(return, "needs two pairs of CPUs");
	pcs_read_file("readers", then, sizeof(then));
	nr = start(&self->attr, self->events);
	t = look(self->events, nr);
	EXPECT_GT(t.by[pcs_last_cpu(&self->readers)], 5);
	refuse_to_go(_metadata, self, "smpboot/threads:online");
	t = look(self->events, nr);
	EXPECT_EQ(0, t.by[self->away]);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++) {
		if (CPU_ISSET(cpu, &self->blocks)) {
			EXPECT_GT(t.n[cpu], 5)
				TH_LOG("CPU%d", cpu);
		}
	}
	stop(self->events, nr);
	expect_balance(_metadata);

	/* New events are as the first ones were. */
	pcs_read_file("readers", now, sizeof(now));
	EXPECT_STREQ(then, now);
	nr = start(&self->attr, self->events);
	t = look(self->events, nr);
	EXPECT_GT(t.by[self->away], 5);
	stop(self->events, nr);
	EXPECT_EQ(0, pcs_write_file("readers", self->readers_then));
}

/* The number of a CPU's package; -1 if the CPU is not online */
static int package_of(int cpu)
{
	char path[80];
	int package = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
		 cpu);
	f = fopen(path, "r");
	if (f && fscanf(f, "%d", &package) != 1)
		package = -1;
	if (f)
		fclose(f);
	return package;
}

/* By whom a CPU is read */
struct readers_of {
	int cpu;
	int near, far;	/* samples of it by readers of its package, and of others */
};

static void count_readers(const struct pcs_sample *s, void *arg)
{
	struct readers_of *of = arg;

	if (s->cpu != of->cpu)
		return;
	if (package_of(s->raw.reader) == package_of(of->cpu))
		of->near++;
	else
		of->far++;
}

/*
 * On a machine with two packages whose last CPU has not been online since the boot (maxcpus=): a
 * CPU keeps its reader while there are events, so the first choice has to be right.
 */
TEST_F(hotplug, a_cpu_that_comes_first_now_is_read_on_its_package)
{
	struct readers_of of = { .cpu = pcs_last_cpu(&self->blocks) + 1 };
	struct pcs_sample s;
	uint64_t end;
	int nr, i;

	if (package_of(of.cpu) >= 0 || package_of(of.cpu - 1) == package_of(0))
		SKIP(return, "needs two packages, and a last CPU that is offline");
	nr = start(&self->attr, self->events);
	ASSERT_EQ(0, pcs_set_online(of.cpu, true));
	ASSERT_EQ(package_of(of.cpu - 1), package_of(of.cpu));
	end = pcs_now() + 10000000000ULL;
	do {
		pcs_sleep(10000000);
		for (i = 0; i < nr; i++)
			while (pcs_next(self->events[i], &s))
				count_readers(&s, &of);
	} while (of.near + of.far < 100 && pcs_now() < end);
	EXPECT_GT(of.near, 5);
	EXPECT_EQ(0, of.far);
	stop(self->events, nr);
	expect_balance(_metadata);
	EXPECT_EQ(0, pcs_set_online(of.cpu, false));
}

/* What is in a buffer into which an event of cpu-clock writes, too */
struct writers {
	int away;	/* the CPU of the clock, and at first of our event */
	int ticks;	/* of the clock */
	int late;	/* those of them after the first sample by another CPU */
	bool by_another;
};

static void count_writers(struct pcs_event *event, struct writers *w)
{
	struct pcs_sample s;

	while (pcs_next(event, &s)) {
		bool of_clock = !s.raw.size;	/* no record of ours */

		w->by_another |= !of_clock && s.raw.reader != w->away;
		w->ticks += of_clock;
		w->late += of_clock && w->by_another;
	}
}

/*
 * A ring buffer has room for writers of one CPU. On a reader that goes offline an event of another
 * PMU writes into the buffer of ours. It has written its last sample before a stand-in writes the
 * first. A stand-in that begins as soon as it has the event is noticed in most rounds.
 */
TEST_F_TIMEOUT(hotplug, one_cpu_at_a_time_writes_a_buffer, 120)
{
	struct perf_event_attr clock_attr = {
		.size = sizeof(clock_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 50000,
	};
	struct writers w = {};
	int rounds, clock;
	uint64_t end;

	if (!self->stand_in)
		SKIP(return, "needs a third CPU that may read");
	self->away = pcs_last_cpu(&self->readers);
	w.away = self->away;
	self->attr.sample_period = 100000;
	clock_attr.sample_type = self->attr.sample_type;
	for (rounds = 0; rounds < 20; rounds++) {
		struct pcs_event *event = pcs_open(&self->attr, self->away, 8);

		clock = pcs_try_open(&clock_attr, -1, self->away, -1, 0);
		ASSERT_GE(clock, 0);
		ASSERT_EQ(0, ioctl(clock, PERF_EVENT_IOC_SET_OUTPUT, event->fd));
		pcs_enable(event);
		ASSERT_EQ(0, pcs_set_online(self->away, false));
		w.by_another = false;
		for (end = pcs_now() + 1000000000; !w.by_another && pcs_now() < end;)
			count_writers(event, &w);
		EXPECT_TRUE(w.by_another)
			TH_LOG("round %d: no sample of a stand-in", rounds);
		EXPECT_EQ(0, event->lost);
		close(clock);
		pcs_close(event);
		ASSERT_EQ(0, pcs_set_online(self->away, true));
	}
	TH_LOG("%d ticks in %d rounds, %d late", w.ticks, rounds, w.late);
	EXPECT_EQ(0, w.late);
	EXPECT_GT(w.ticks, 100);
	expect_balance(_metadata);
}

TEST_F(hotplug, a_reader_that_is_offline_cannot_be_chosen)
{
	char text[16];

	self->away = pcs_last_cpu(&self->blocks);
	snprintf(text, sizeof(text), "%d", self->away);
	ASSERT_EQ(0, pcs_set_online(self->away, false));
	EXPECT_EQ(-EINVAL, pcs_write_file("readers", text));
	ASSERT_EQ(0, pcs_set_online(self->away, true));
	self->away = -1;
	EXPECT_EQ(0, pcs_write_file("readers", self->readers_then));
}

/* Any CPU may be the only reader, and then reads the others. */
TEST_F(hotplug, every_cpu_as_the_only_reader)
{
	int reader, cpu;

	for (reader = 0; reader < PCS_MAX_CPUS; reader++) {
		char text[16];
		struct tally t;
		int nr;

		if (!CPU_ISSET(reader, &self->blocks))
			continue;
		snprintf(text, sizeof(text), "%d", reader);
		ASSERT_EQ(0, pcs_write_file("readers", text));
		nr = start(&self->attr, self->events);
		ASSERT_EQ(1, nr);
		t = look(self->events, nr);
		stop(self->events, nr);
		EXPECT_EQ(0, t.own);
		for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++) {
			if (CPU_ISSET(cpu, &self->blocks) && cpu != reader) {
				EXPECT_GT(t.n[cpu], 5)
					TH_LOG("CPU%d by %d", cpu, reader);
			}
		}
	}
	EXPECT_EQ(0, pcs_write_file("readers", self->readers_then));
	expect_balance(_metadata);
}

/* Each CPU goes off and on in turn, repeatedly, with events enabled */
TEST_F_TIMEOUT(hotplug, storm, 120)
{
	uint64_t end;
	int nr, cpu;

	self->attr.sample_period = 100000;
	nr = start(&self->attr, self->events);
	for (end = pcs_now() + 5000000000ULL; pcs_now() < end;) {
		for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++) {
			if (!CPU_ISSET(cpu, &self->blocks) || pcs_set_online(cpu, false))
				continue;
			self->away = cpu;
			drain(self->events, nr, NULL);
			ASSERT_EQ(0, pcs_set_online(cpu, true));
			expect_balance(_metadata);
		}
	}
	stop(self->events, nr);
	expect_balance(_metadata);
}

/*
 * A CPU loses power thousands of times a second while it is read as often as possible, so that
 * reads are in flight at that time: selftests/modules/pcs_storm.c turns them into aborts at once.
 */
#define CPU_PM	"/sys/module/pcs_storm/parameters/cpu_pm"

TEST_F_TIMEOUT(hotplug, power_is_lost_under_reads, 300)
{
	int target = pcs_last_cpu(&self->blocks), rounds, nr;
	struct pcs_account before, after, since;

	if (system("modprobe -q pcs_storm") || access(CPU_PM, W_OK))
		SKIP(return, "no module pcs_storm");
	self->attr.sample_period = 10000;
	self->attr.config1 = 1ULL << target;
	nr = start(&self->attr, self->events);
	pcs_read_account(target, &before);
	for (rounds = 0; rounds < 200; rounds++) {
		FILE *file = fopen(CPU_PM, "w");

		ASSERT_NE(NULL, file);
		fprintf(file, "%d", target);
		ASSERT_EQ(0, fclose(file));
		drain(self->events, nr, NULL);
	}
	pcs_read_account(target, &after);
	stop(self->events, nr);
	since = pcs_account_since(&before, &after);
	TH_LOG("%lu planned, %lu samples, %lu idle, %lu late", (unsigned long)since.planned,
	       (unsigned long)since.sample, (unsigned long)since.idle, (unsigned long)since.late);
	EXPECT_EQ(0, since.error);
	EXPECT_GT(since.idle, 0);
	expect_balance(_metadata);
}

/*
 * Groups are opened and closed on a reader while that CPU goes off and on. perf opens the second
 * event of a group with the context's mutex held, and takes the same mutex when it moves events to
 * another CPU. If the driver held a lock of its own there, all of CPU hotplug would hang. With
 * several openers, one of them is waiting for the mutex whenever CPU hotplug wants it: it gets the
 * mutex first, and then wants the lock.
 */
#define OPENERS 2

struct opener {
	struct perf_event_attr attr;
	int cpu;
	atomic_bool stop;
	atomic_int groups;
};

static void *open_groups(void *arg)
{
	struct opener *o = arg;

	while (!o->stop) {
		int leader = pcs_try_open(&o->attr, -1, o->cpu, -1, 0), sibling;

		/* The CPU is offline, or is no longer a reader. */
		if (leader < 0) {
			pcs_sleep(1000000);
			continue;
		}
		/* Repeat until the leader is moved: most of the time is then spent in this call */
		while (!o->stop) {
			sibling = pcs_try_open(&o->attr, -1, o->cpu, leader, 0);
			if (sibling < 0)
				break;
			close(sibling);
			o->groups++;
		}
		close(leader);
	}
	return NULL;
}

TEST_F_TIMEOUT(hotplug, groups_on_a_reader, 120)
{
	struct opener o = { .attr = self->attr };
	pthread_t threads[OPENERS];
	int rounds, before = 0, nr, i;
	uint64_t end;

	if (CPU_COUNT(&self->readers) < 2)
		SKIP(return, "needs two readers");
	self->away = pcs_last_cpu(&self->readers);
	o.cpu = self->away;

	/* Events on all CPUs keep the readers as they are. */
	nr = start(&self->attr, self->events);
	for (i = 0; i < OPENERS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, open_groups, &o));
	for (rounds = 0; rounds < 18; rounds++) {
		/*
		 * The CPU is a reader in each third round, and no longer in the others. A busy host
		 * may take long for the first groups: until then nobody waits for the mutex.
		 */
		if (rounds % 3 == 0)
			for (end = pcs_now() + 10000000000; o.groups < before + 20;) {
				ASSERT_LT(pcs_now(), end);
				pcs_sleep(1000000);
			}
		before = o.groups;
		ASSERT_EQ(0, pcs_set_online(self->away, false));
		ASSERT_EQ(0, pcs_set_online(self->away, true));
		/* Without events, the original readers are restored. */
		if (rounds % 3 == 2) {
			stop(self->events, nr);
			nr = start(&self->attr, self->events);
		}
	}
	o.stop = true;
	for (i = 0; i < OPENERS; i++)
		pthread_join(threads[i], NULL);
	stop(self->events, nr);
	EXPECT_GT(o.groups, 20);
	expect_balance(_metadata);
}

/*
 * A group with a software event as leader moves to another reader, and gets another member there.
 * Linux 6.1 would deadlock in perf, and block CPU hotplug, so the driver refuses that member. Other
 * kernels may accept it.
 */
TEST_F(hotplug, a_member_of_a_group_that_moved)
{
	struct perf_event_attr clock = {
		.size = sizeof(clock),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
	};
	int leader, first, second, third, reader;
	cpu_set_t readers;

	if (CPU_COUNT(&self->readers) < 2 || !self->stand_in)
		SKIP(return, "needs two readers and a third CPU that may read");
	self->away = pcs_last_cpu(&self->readers);
	leader = pcs_try_open(&clock, -1, self->away, -1, 0);
	ASSERT_GE(leader, 0);
	first = pcs_try_open(&self->attr, -1, self->away, leader, 0);
	ASSERT_GE(first, 0);
	second = pcs_try_open(&self->attr, -1, self->away, leader, 0);
	EXPECT_GE(second, 0);

	ASSERT_EQ(0, pcs_set_online(self->away, false));
	pcs_read_cpulist("cpumask", &readers);
	for (reader = 0; reader < CPU_SETSIZE; reader++)
		if (CPU_ISSET(reader, &readers) && !CPU_ISSET(reader, &self->readers))
			break;
	ASSERT_LT(reader, CPU_SETSIZE);
	third = pcs_try_open(&self->attr, -1, reader, leader, 0);
	if (third < 0)
		EXPECT_EQ(-EINVAL, third);
	ASSERT_EQ(0, pcs_set_online(self->away, true));
	if (third >= 0)
		close(third);
	close(second);
	close(first);
	close(leader);
	expect_balance(_metadata);
}

TEST_HARNESS_MAIN
