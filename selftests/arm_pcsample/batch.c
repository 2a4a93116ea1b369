// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples that share a record: the record and its members, when it is handed over, and the ledger.
 * That the members' fields are right is tested by sample_fields, their counts by snapshot.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

#define FAST	100000ULL		/* a full batch takes 3.2 ms */
#define MEDIUM	1000000ULL		/* one that is never full: 10 ms */
#define SLOW	100000000ULL		/* no two rounds share a record */

#define MAX_MEMBERS (1 << 20)

/*
 * Which member a record is of. The choice does not depend on what they are: of all records, as many
 * are of members with some property as the shares of such members in each record add up to.
 */
struct choice {
	double chosen, expected, variance;
};

/* What an event has given */
struct stream {
	struct pcs_event *event;
	int records, full, plain;
	int members;
	int kernel;				/* samples outside user space */
	int n[PCS_MAX_CPUS];			/* samples by target, those without batch too */
	uint64_t read[PCS_MAX_CPUS];		/* when the last one was read */
	uint64_t time;				/* of the last record */
	uint64_t first;				/* read of its first member; 0 if it was full */
	int old, early;
	struct choice half, loop, target;
	uint64_t *seq;				/* of all */
	int wrong;
	char first_wrong[192];
};

static void __attribute__((format(printf, 2, 3))) wrong(struct stream *s, const char *fmt, ...)
{
	va_list ap;

	if (s->wrong++)
		return;
	va_start(ap, fmt);
	vsnprintf(s->first_wrong, sizeof(s->first_wrong), fmt, ap);
	va_end(ap);
}

/* @with of @nr members have a property, and the chosen one or not. */
static void add_choice(struct choice *choice, bool chosen, unsigned int with, unsigned int nr)
{
	double share = (double)with / nr;

	choice->chosen += chosen;
	choice->expected += share;
	choice->variance += share * (1 - share);
}

/* Which member the record is of; -1 if it is of none or of several */
static int find_chosen(const struct pcs_sample *record, unsigned int nr)
{
	struct pcs_sample m;
	int chosen = -1;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		pcs_get_member(record, i, &m);
		if (memcmp(m.raw_data, record->raw_data, record->raw.size))
			continue;
		if (chosen >= 0)
			return -1;
		chosen = i;
	}
	return chosen;
}

static void look_at_choice(const struct pcs_sample *record, unsigned int nr, struct stream *s)
{
	int chosen = find_chosen(record, nr);
	unsigned int i, in_loop = 0, of_target = 0;
	struct pcs_sample m;

	if (chosen < 0) {
		wrong(s, "the record is not of one of its %u members", nr);
		return;
	}
	pcs_get_member(record, chosen, &m);
	if (record->ip != m.ip || record->pid != m.pid || record->tid != m.tid ||
	    record->cpu != m.cpu || record->misc != m.misc)
		wrong(s, "ip %" PRIx64 " pid %d tid %d cpu %u misc 0x%x; member %d of %u has %"
		      PRIx64 " %d %d %u 0x%x", record->ip, record->pid, record->tid, record->cpu,
		      record->misc, chosen, nr, m.ip, m.pid, m.tid, m.cpu, m.misc);
	if (record->period != nr * m.period)
		wrong(s, "period %" PRIu64 ", member %d of %u has %" PRIu64, record->period,
		      chosen, nr, m.period);

	add_choice(&s->half, chosen < nr / 2, nr / 2, nr);
	for (i = 0; i < nr; i++) {
		pcs_get_member(record, i, &m);
		in_loop += pcs_in_loop_a(m.ip);
		of_target += m.cpu % 2;
	}
	add_choice(&s->loop, pcs_in_loop_a(record->ip), in_loop, nr);
	add_choice(&s->target, record->cpu % 2, of_target, nr);
}

static void look_at_member(const struct pcs_sample *m, struct stream *s)
{
	uint64_t read = m->raw.planned + m->raw.late;

	if (m->cpu >= PCS_MAX_CPUS || s->members + s->plain == MAX_MEMBERS) {
		wrong(s, "a sample of CPU %u, after %d", m->cpu, s->members);
		return;
	}
	if (read < s->read[m->cpu])
		wrong(s, "CPU %u: a read at %" PRIu64 " after one at %" PRIu64, m->cpu, read,
		      s->read[m->cpu]);
	if (!m->period || m->period % s->event->attr.sample_period)
		wrong(s, "period of a member %" PRIu64, m->period);
	s->read[m->cpu] = read;
	s->seq[s->members + s->plain] = m->raw.seq;
	s->n[m->cpu]++;
	s->kernel += (m->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER;
}

/*
 * A batch goes out at the tick after which it would be too old at the next one, and that tick has
 * read its last member. From when a round was due the reader was late by no more than the member's
 * lateness and the rounds that it has missed.
 *
 * The one before it did not have to go out if this one was begun when that was not old: the tick
 * has not come earlier than it was to.
 */
static void look_at_age(const struct pcs_sample *record, unsigned int nr, struct stream *s)
{
	const struct perf_event_attr *attr = &s->event->attr;
	struct pcs_sample first, last;
	uint64_t late;

	pcs_get_member(record, 0, &first);
	pcs_get_member(record, nr - 1, &last);
	late = last.raw.late + last.period;
	if (attr->config & ARM_PCSAMPLE_JITTER_OFF << 8)
		late -= attr->sample_period;
	s->old += record->time > first.time + ARM_PCSAMPLE_BATCH_AGE + late;
	s->early += s->first && first.time <= s->first + ARM_PCSAMPLE_BATCH_AGE;
	s->first = nr < ARM_PCSAMPLE_BATCH_MAX ? first.time : 0;
}

static void look_at(const struct pcs_sample *record, struct stream *s)
{
	unsigned int nr = pcs_nr_members(record), i;
	struct pcs_sample m;

	if (record->time < s->time)
		wrong(s, "a record at %" PRIu64 " after %" PRIu64, record->time, s->time);
	s->time = record->time;
	if (!nr) {
		look_at_member(record, s);
		s->plain++;
		return;
	}
	for (i = 0; i < nr; i++) {
		pcs_get_member(record, i, &m);
		look_at_member(&m, s);
		if (m.time > record->time)
			wrong(s, "a record at %" PRIu64 " with a read at %" PRIu64, record->time,
			      m.time);
		s->members++;
	}
	look_at_choice(record, nr, s);
	look_at_age(record, nr, s);
	s->records++;
	s->full += nr == ARM_PCSAMPLE_BATCH_MAX;
}

static void drain(struct stream *s)
{
	struct pcs_sample record;

	while (pcs_next(s->event, &record))
		look_at(&record, s);
}

static void open_stream(struct stream *s, const struct perf_event_attr *attr, int reader,
			unsigned int order)
{
	memset(s, 0, sizeof(*s));
	s->event = pcs_open(attr, reader, order);
	s->seq = mmap(NULL, MAX_MEMBERS * sizeof(*s->seq), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s->seq == MAP_FAILED)
		abort();
}

/* For @ns, with the buffer emptied every 10 ms */
static void run_for(struct stream *s, uint64_t ns)
{
	uint64_t end = pcs_now() + ns;

	while (pcs_now() < end) {
		pcs_sleep(10000000);
		drain(s);
	}
}

static int by_seq(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Ends the stream */
static void expect_right(struct __test_metadata *_metadata, struct stream *s)
{
	int all = s->members + s->plain, twice = 0, i;

	qsort(s->seq, all, sizeof(*s->seq), by_seq);
	for (i = 1; i < all; i++)
		twice += s->seq[i] == s->seq[i - 1];
	EXPECT_EQ(0, twice)
		TH_LOG("%d of %d samples are there twice", twice, all);
	EXPECT_EQ(0, s->wrong)
		TH_LOG("%d of %d: %s", s->wrong, all, s->first_wrong);
	munmap(s->seq, MAX_MEMBERS * sizeof(*s->seq));
	pcs_close(s->event);
}

/*
 * Ledger: its change since the first look, and what was wrong in looks in between
 */

struct looks {
	int cpu;				/* -1: all */
	struct pcs_account first, last;
	int looks, unbalanced, backward;
	int64_t gap;
};

static void begin_looks(struct looks *l, int cpu)
{
	memset(l, 0, sizeof(*l));
	l->cpu = cpu;
	pcs_read_account(cpu, &l->first);
	l->last = l->first;
}

static void look(struct looks *l)
{
	struct pcs_account now;
	int64_t gap;

	pcs_read_account(l->cpu, &now);
	gap = pcs_account_gap(&now);
	if (gap && !l->unbalanced++)
		l->gap = gap;
	l->backward += now.planned < l->last.planned;
	l->last = now;
	l->looks++;
}

static struct pcs_account expect_looks(struct __test_metadata *_metadata, struct looks *l)
{
	look(l);
	EXPECT_EQ(0, l->unbalanced)
		TH_LOG("CPU %d: %d of %d looks, the first by %" PRId64, l->cpu, l->unbalanced,
		       l->looks, l->gap);
	EXPECT_EQ(0, l->backward)
		TH_LOG("CPU %d: %d of %d looks", l->cpu, l->backward, l->looks);
	return pcs_account_since(&l->first, &l->last);
}

/*
 * Tests
 */

FIXTURE(batch)
{
	struct perf_event_attr attr;
	cpu_set_t targets;
	int target, reader;
	pid_t load[PCS_MAX_CPUS];
	int away;			/* the CPU that a test takes offline */
};

FIXTURE_SETUP(batch)
{
	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	self->away = -1;
	pcs_read_targets(&self->targets);
	self->target = pcs_first_cpu(&self->targets);
	self->reader = pcs_reader_of(self->target);
	pcs_attr_init(&self->attr, FAST);
	self->attr.config = PCS_BATCH;
	self->attr.use_clockid = 1;
	self->attr.clockid = CLOCK_MONOTONIC;
}

FIXTURE_TEARDOWN(batch)
{
	int cpu;

	if (self->away >= 0)
		pcs_set_online(self->away, true);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		if (self->load[cpu])
			pcs_load_stop(self->load[cpu]);
}

/* A target that idles may have few samples, or none. */
static void load_one(struct _test_data_batch *self, void (*fn)(uint64_t arg))
{
	self->attr.config1 = 1ULL << self->target;
	self->load[self->target] = pcs_load_start(self->target, fn, 0);
}

static void load_all(struct _test_data_batch *self)
{
	int cpu;

	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, &self->targets))
			self->load[cpu] = pcs_load_start(cpu, pcs_load_70_30, 0);
}

/* Five standard deviations: a fair choice is that far off once in 1.7 million runs. */
static void expect_fair(struct __test_metadata *_metadata, const struct choice *choice,
			const char *what)
{
	double off = choice->chosen - choice->expected;

	TH_LOG("%s: %.0f records, %.1f are expected, with a variance of %.1f", what,
	       choice->chosen, choice->expected, choice->variance);
	EXPECT_LE(off * off, 25 * choice->variance);
}

/*
 * A choice that is always of the first half, or never, is 11 standard deviations off where the
 * variance is 30. The records of a reader with one target are all of its CPU.
 */
TEST_F_TIMEOUT(batch, a_record_is_of_one_of_its_members, 60)
{
	struct stream s;

	load_all(self);
	open_stream(&s, &self->attr, self->reader, 8);
	pcs_enable(s.event);
	while (s.full < 10 || s.half.variance < 30 || s.loop.variance < 10)
		run_for(&s, 100000000);
	pcs_disable(s.event);
	drain(&s);
	TH_LOG("%d records, %d of them full, %d members", s.records, s.full, s.members);
	EXPECT_EQ(0, s.plain);
	expect_fair(_metadata, &s.half, "of the first half");
	expect_fair(_metadata, &s.loop, "in the first loop");
	expect_fair(_metadata, &s.target, "of odd CPUs");
	expect_right(_metadata, &s);
}

/* All readers and targets: each sample is in one batch, and in the ledger when that is out. */
TEST_F_TIMEOUT(batch, members_are_the_ledgers, 60)
{
	struct stream streams[PCS_MAX_CPUS];
	struct looks of[PCS_MAX_CPUS], total;
	int nr = 0, cpu, i, round, all = 0;
	struct pcs_account since;
	cpu_set_t readers;

	load_all(self);
	begin_looks(&total, -1);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, &self->targets))
			begin_looks(&of[cpu], cpu);
	pcs_read_cpulist("cpumask", &readers);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, &readers))
			open_stream(&streams[nr++], &self->attr, cpu, 8);
	for (i = 0; i < nr; i++)
		pcs_enable(streams[i].event);
	for (round = 0; round < 1000; round++) {
		look(&total);
		for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
			if (CPU_ISSET(cpu, &self->targets))
				look(&of[cpu]);
		for (i = 0; i < nr; i++)
			drain(&streams[i]);
	}
	for (i = 0; i < nr; i++) {
		pcs_disable(streams[i].event);
		drain(&streams[i]);
	}

	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++) {
		int members = 0;

		if (!CPU_ISSET(cpu, &self->targets))
			continue;
		for (i = 0; i < nr; i++)
			members += streams[i].n[cpu];
		since = expect_looks(_metadata, &of[cpu]);
		EXPECT_EQ(members, since.sample)
			TH_LOG("CPU %d", cpu);
		EXPECT_GT(members, 100)
			TH_LOG("CPU %d", cpu);
		all += members;
	}
	since = expect_looks(_metadata, &total);
	EXPECT_EQ(all, since.sample);
	for (i = 0; i < nr; i++) {
		TH_LOG("reader %d: %d members in %d records", streams[i].event->cpu,
		       streams[i].members, streams[i].records);
		EXPECT_GT(streams[i].records, 10);
		EXPECT_EQ(0, streams[i].early);
		expect_right(_metadata, &streams[i]);
	}
}

static void run_until(struct stream *s, int records)
{
	pcs_enable(s->event);
	while (s->records < records)
		run_for(s, 100000000);
	pcs_disable(s->event);
	drain(s);
}

/*
 * The host may take the reader's CPU away within its interrupt, between a read and the record: some
 * records may look too old. None goes out early on any host.
 */
TEST_F_TIMEOUT(batch, no_member_waits_too_long, 60)
{
	struct stream s;

	self->attr.sample_period = MEDIUM;
	load_one(self, pcs_load_loop);
	open_stream(&s, &self->attr, self->reader, 6);
	run_until(&s, 100);
	TH_LOG("%d members in %d records, %d too old, %d too early", s.members, s.records, s.old,
	       s.early);
	EXPECT_LT(s.old, s.records / 4);
	EXPECT_EQ(0, s.early);
	expect_right(_metadata, &s);
}

/*
 * The next round comes too late for any member of this one: only where the host has not run the
 * reader for most of a period there are two of them in a record.
 */
TEST_F_TIMEOUT(batch, rounds_far_apart_share_nothing, 120)
{
	int targets = CPU_COUNT(&self->targets);
	struct stream s;

	load_all(self);
	self->attr.sample_period = SLOW;
	self->attr.config |= ARM_PCSAMPLE_JITTER_OFF << 8;
	open_stream(&s, &self->attr, self->reader, 6);
	run_until(&s, 20);
	TH_LOG("%d members in %d records, %d too old", s.members, s.records, s.old);
	EXPECT_LE(4 * s.members, 5 * s.records * targets);
	EXPECT_LT(s.old, s.records / 4);
	expect_right(_metadata, &s);
}

/* Until there is something in the batch, most of the time, as it is not full */
static void wait_for_members(void)
{
	uint64_t now = pcs_now();

	pcs_sleep(3 * MEDIUM + now % (5 * MEDIUM));
}

/*
 * What stops an event, or changes its period, hands its batch over. That there was one shows in a
 * record that is out early.
 */
TEST_F_TIMEOUT(batch, stops_with_nothing_left, 60)
{
	struct pcs_account since;
	struct looks looks;
	struct stream s;
	int round;

	self->attr.sample_period = MEDIUM;
	load_one(self, pcs_load_loop);
	begin_looks(&looks, self->target);
	open_stream(&s, &self->attr, self->reader, 6);
	for (round = 0; round < 30 || s.early < 5; round++) {
		uint64_t period = round % 2 ? MEDIUM : 2 * MEDIUM;

		pcs_enable(s.event);
		wait_for_members();
		ASSERT_EQ(0, ioctl(s.event->fd, PERF_EVENT_IOC_PERIOD, &period));
		look(&looks);
		wait_for_members();
		pcs_disable(s.event);
		drain(&s);
		look(&looks);
		EXPECT_EQ(s.members, looks.last.sample - looks.first.sample)
			TH_LOG("round %d", round);
	}
	TH_LOG("%d members in %d records, %d of them early", s.members, s.records, s.early);
	EXPECT_GT(s.members, 50);
	expect_right(_metadata, &s);
	since = expect_looks(_metadata, &looks);
	EXPECT_EQ(0, since.buffer_full);
}

/* An event that is closed has no buffer any more when it stops. */
TEST_F_TIMEOUT(batch, closes_with_nothing_left, 60)
{
	struct looks looks;
	int round;

	self->attr.sample_period = MEDIUM;
	load_one(self, pcs_load_loop);
	begin_looks(&looks, self->target);
	for (round = 0; round < 30; round++) {
		struct pcs_event *event = pcs_open(&self->attr, self->reader, 6);

		pcs_enable(event);
		wait_for_members();
		pcs_close(event);
		look(&looks);
	}
	EXPECT_GT(expect_looks(_metadata, &looks).buffer_full, 0);
}

/*
 * The buffer has room for one batch, and nobody empties it. Whoever counts what is lost counts
 * samples.
 */
TEST_F_TIMEOUT(batch, a_batch_without_room_is_all_its_members, 60)
{
	uint64_t values[2] = {};
	struct looks looks, total;
	struct pcs_account since;
	struct stream s;

	load_one(self, pcs_load_loop);
	self->attr.read_format = PERF_FORMAT_LOST;
	begin_looks(&looks, self->target);
	begin_looks(&total, -1);
	open_stream(&s, &self->attr, self->reader, 0);
	pcs_enable(s.event);
	while (looks.looks < 1000 ||
	       looks.last.buffer_full < looks.first.buffer_full + 10 * ARM_PCSAMPLE_BATCH_MAX) {
		look(&looks);
		look(&total);
	}
	pcs_disable(s.event);
	drain(&s);
	since = expect_looks(_metadata, &looks);
	ASSERT_EQ(sizeof(values), read(s.event->fd, values, sizeof(values)));
	TH_LOG("%d members, %" PRIu64 " lost", s.members, values[1]);
	EXPECT_EQ(s.members, since.sample);
	EXPECT_EQ(values[1], since.buffer_full);
	EXPECT_GT(s.members, 0);
	since = expect_looks(_metadata, &total);
	EXPECT_EQ(s.members, since.sample);
	expect_right(_metadata, &s);
}

/*
 * Batches of all readers are handed over when one of them goes offline, and when it comes back: its
 * own event moves, and the targets of the others change.
 */
TEST_F_TIMEOUT(batch, readers_come_and_go, 120)
{
	struct stream streams[PCS_MAX_CPUS];
	struct pcs_account since;
	struct looks looks;
	int nr = 0, all = 0, cpu, i, round;
	cpu_set_t readers;
	uint64_t end;

	pcs_read_cpulist("cpumask", &readers);
	if (CPU_COUNT(&readers) < 2)
		SKIP(return, "needs two readers");
	load_all(self);
	begin_looks(&looks, -1);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, &readers))
			open_stream(&streams[nr++], &self->attr, cpu, 8);
	for (i = 0; i < nr; i++)
		pcs_enable(streams[i].event);
	self->away = pcs_last_cpu(&readers);
	for (round = 0; round < 20; round++) {
		ASSERT_EQ(0, pcs_set_online(self->away, round % 2));
		for (end = pcs_now() + 20000000; pcs_now() < end;) {
			look(&looks);
			for (i = 0; i < nr; i++)
				drain(&streams[i]);
		}
	}
	for (i = 0; i < nr; i++) {
		pcs_disable(streams[i].event);
		drain(&streams[i]);
		all += streams[i].members;
		TH_LOG("event %d: %d members in %d records", i, streams[i].members,
		       streams[i].records);
	}
	since = expect_looks(_metadata, &looks);
	EXPECT_EQ(all, since.sample);
	EXPECT_GT(all, 100);
	for (i = 0; i < nr; i++)
		expect_right(_metadata, &streams[i]);
}

/* An event without batch has the same reader, target and period. */
TEST_F_TIMEOUT(batch, beside_an_event_without, 60)
{
	struct pcs_account since;
	struct stream with, without;
	struct looks looks;

	load_one(self, pcs_load_loop);
	self->attr.sample_period = 5 * FAST;
	begin_looks(&looks, self->target);
	open_stream(&with, &self->attr, self->reader, 8);
	self->attr.config = 0;
	open_stream(&without, &self->attr, self->reader, 8);
	pcs_enable(with.event);
	pcs_enable(without.event);
	while (with.members < 500 || without.plain < 500) {
		look(&looks);
		drain(&with);
		drain(&without);
	}
	pcs_disable(without.event);
	pcs_disable(with.event);
	drain(&with);
	drain(&without);
	since = expect_looks(_metadata, &looks);
	TH_LOG("%d members in %d records, and %d samples", with.members, with.records,
	       without.plain);
	EXPECT_EQ(0, with.plain);
	EXPECT_EQ(0, without.members);
	EXPECT_EQ(with.members + without.plain, since.sample);
	expect_right(_metadata, &with);
	expect_right(_metadata, &without);
}

/* What the event excludes is in the ledger at once, and in no batch. */
TEST_F_TIMEOUT(batch, filtered_reads_are_no_members, 60)
{
	struct pcs_account since;
	struct looks looks;
	struct stream s;

	load_one(self, pcs_load_mixed);
	self->attr.exclude_kernel = 1;
	begin_looks(&looks, self->target);
	open_stream(&s, &self->attr, self->reader, 8);
	pcs_enable(s.event);
	while (s.members < 500 || looks.last.filtered < looks.first.filtered + 500) {
		look(&looks);
		drain(&s);
	}
	pcs_disable(s.event);
	drain(&s);
	since = expect_looks(_metadata, &looks);
	TH_LOG("%d members in %d records; %" PRIu64 " reads filtered", s.members, s.records,
	       since.filtered);
	EXPECT_EQ(s.members, since.sample);
	EXPECT_EQ(0, s.kernel);
	expect_right(_metadata, &s);
}

/* Events of a group, which write to the buffer of the leader. Their seq are not those of one. */
static void drain_group(struct stream *s, uint64_t with_batch)
{
	struct pcs_sample record;

	while (pcs_next(s->event, &record)) {
		unsigned int nr = pcs_nr_members(&record);
		bool may_have = record.id == with_batch;

		if (may_have == !nr)
			wrong(s, "%u members of event %" PRIu64 ", not %" PRIu64, nr, record.id,
			      with_batch);
		s->plain += !nr;
		s->members += nr;
	}
}

static void run_group(struct __test_metadata *_metadata, struct _test_data_batch *self,
		      uint64_t leaders, uint64_t members)
{
	struct pcs_account since;
	uint64_t with_batch;
	struct looks looks;
	struct stream s;
	int member;

	self->attr.sample_type |= PERF_SAMPLE_ID;
	self->attr.config = leaders;
	begin_looks(&looks, self->target);
	open_stream(&s, &self->attr, self->reader, 8);
	self->attr.config = members;
	self->attr.disabled = 0;
	member = pcs_try_open(&self->attr, -1, self->reader, s.event->fd, 0);
	self->attr.disabled = 1;
	ASSERT_GE(member, 0);
	ASSERT_EQ(0, ioctl(member, PERF_EVENT_IOC_SET_OUTPUT, s.event->fd));
	ASSERT_EQ(0, ioctl(leaders ? s.event->fd : member, PERF_EVENT_IOC_ID, &with_batch));
	pcs_enable(s.event);
	while (s.plain < 500 || s.members < 500) {
		look(&looks);
		drain_group(&s, with_batch);
	}
	pcs_disable(s.event);
	drain_group(&s, with_batch);
	since = expect_looks(_metadata, &looks);
	EXPECT_EQ(s.members + s.plain, since.sample);
	EXPECT_EQ(0, s.wrong)
		TH_LOG("%d: %s", s.wrong, s.first_wrong);
	close(member);
	munmap(s.seq, MAX_MEMBERS * sizeof(*s.seq));
	pcs_close(s.event);
}

TEST_F_TIMEOUT(batch, in_a_group, 60)
{
	load_one(self, pcs_load_loop);
	self->attr.sample_period = 5 * FAST;
	run_group(_metadata, self, PCS_BATCH, 0);
	run_group(_metadata, self, 0, PCS_BATCH);
}

/*
 * perf throttles a group for a sample of one event, before it has read that sample (from Linux 6.16
 * on). The other event stops and hands its batch over at that moment.
 */
TEST_F_TIMEOUT(batch, throttled_in_a_group, 120)
{
	static const char max_rate[] = "/proc/sys/kernel/perf_event_max_sample_rate";
	char text[24];

	if (!pcs_in_tree())
		SKIP(return, "perf does that for drivers of the kernel's tree alone");
	snprintf(text, sizeof(text), "%" PRIu64, pcs_read_number(max_rate));
	load_one(self, pcs_load_loop);
	self->attr.sample_period = 5 * FAST;
	ASSERT_EQ(0, pcs_write_path(max_rate, "1000"));
	run_group(_metadata, self, PCS_BATCH, 0);
	run_group(_metadata, self, 0, PCS_BATCH);
	EXPECT_EQ(0, pcs_write_path(max_rate, text));
}

TEST_F(batch, what_is_refused)
{
	struct perf_event_attr attr = self->attr;

	EXPECT_EQ(0, pcs_try(&attr, self->reader));
	attr.sample_type &= ~PERF_SAMPLE_RAW;
	EXPECT_EQ(-EINVAL, pcs_try(&attr, self->reader));
	attr.sample_type = PERF_SAMPLE_RAW;
	EXPECT_EQ(0, pcs_try(&attr, self->reader));
	attr.sample_period = 0;
	EXPECT_EQ(-EINVAL, pcs_try(&attr, self->reader));
	attr.freq = 1;
	attr.sample_freq = 1000;
	EXPECT_EQ(0, pcs_try(&attr, self->reader));
}

TEST_HARNESS_MAIN
