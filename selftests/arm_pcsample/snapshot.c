// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples that are PMU snapshots: the PC, and the counts since the previous snapshot.
 *
 * The hardware must have them: "-cpu max,pmu-ss=on" and "v8p9=on" of the emulated machine. There a
 * cycle is a nanosecond, so that cycle counts can be compared with the clock.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

#define COUNTER(event)	((uint64_t)(event) << 32)

#define INST_RETIRED	0x08
#define CPU_CYCLES	0x11
#define BR_RETIRED	0x21
#define PC_WRITE	0x0C

#define PERIOD		1000000ULL
#define HAS_BOTH	(ARM_PCSAMPLE_HAS_CYCLES | ARM_PCSAMPLE_HAS_INSTRUCTIONS)
#define RECORD_OF_READ	offsetof(struct arm_pcsample_record, cycles)

/* Open an event: 0 or -errno */
static int try(struct perf_event_attr *attr, int reader, int group)
{
	int fd = pcs_try_open(attr, -1, reader, group, 0);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* CPUs that can take snapshots, and somebody reads */
static void read_snapshot_targets(cpu_set_t *targets)
{
	cpu_set_t read;

	pcs_read_cpulist("caps/snapshots", targets);
	pcs_read_targets(&read);
	CPU_AND(targets, targets, &read);
}

/* An event that takes snapshots; false if no CPU can */
static bool find_target(struct perf_event_attr *attr, int *target, int *reader)
{
	cpu_set_t targets;

	read_snapshot_targets(&targets);
	if (!CPU_COUNT(&targets))
		return false;
	*target = pcs_first_cpu(&targets);
	*reader = pcs_reader_of(*target);
	pcs_attr_init(attr, PERIOD);
	attr->config = PCS_SNAPSHOT;
	attr->config1 = 1ULL << *target;
	return true;
}

FIXTURE(snapshot)
{
	struct perf_event_attr attr;
	int target, reader;
};

FIXTURE_SETUP(snapshot)
{
	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	if (!find_target(&self->attr, &self->target, &self->reader)) {
		ASSERT_FALSE(pcs_must_have_snapshots());
		SKIP(return, "no CPU of this machine has PMU snapshots");
	}
	if (try(&self->attr, self->reader, -1) == -EOPNOTSUPP) {
		ASSERT_FALSE(pcs_must_have_snapshots());
		SKIP(return, "Capture events are disabled here");
	}
}

FIXTURE_TEARDOWN(snapshot)
{
}

/* Where the kernel cannot enable Capture events: at EL1 below an EL2 that does not pass them on */
FIXTURE(disabled)
{
	struct perf_event_attr attr;
	int target, reader;
};

FIXTURE_SETUP(disabled)
{
	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	if (!find_target(&self->attr, &self->target, &self->reader))
		SKIP(return, "no CPU of this machine has PMU snapshots");
	if (try(&self->attr, self->reader, -1) != -EOPNOTSUPP)
		SKIP(return, "Capture events are enabled here");
}

FIXTURE_TEARDOWN(disabled)
{
}

/*
 * Programs
 *
 * The slow loop reads the clock, which takes far longer than an instruction of the fast loop:
 * shares of time and shares of instructions are very different. The number of executed instructions
 * is in shared memory, without the last chunk.
 */

#define SLOW_CHUNK	20000		/* rounds of three instructions */
#define FAST_CHUNK	70000		/* of two */
#define CHUNKS		400		/* in a row */

struct truth {
	volatile uint64_t slow, fast;	/* instructions */
};

static struct truth *truth;

void snap_slow(uint64_t n);
extern const char snap_slow_end[];
#define SLOW_LOOP				\
	".globl	snap_slow, snap_slow_end\n"	\
	".type	snap_slow, %function\n"		\
	".balign 64\n"				\
	"snap_slow:\n"				\
	"	mrs	x1, cntvct_el0\n"	\
	"	subs	x0, x0, #1\n"		\
	"	b.ne	snap_slow\n"		\
	"	ret\n"				\
	"snap_slow_end:\n"

asm(".pushsection .text\n" SLOW_LOOP ".popsection\n");

static bool in_slow(uint64_t ip)
{
	return ip >= (uintptr_t)snap_slow && ip < (uintptr_t)snap_slow_end;
}

static void slow_and_fast(uint64_t unused)
{
	int i;

	for (;;) {
		for (i = 0; i < CHUNKS; i++) {
			snap_slow(SLOW_CHUNK);
			truth->slow += 3 * SLOW_CHUNK;
		}
		for (i = 0; i < CHUNKS; i++) {
			pcs_loop_a(FAST_CHUNK);
			truth->fast += 2 * FAST_CHUNK;
		}
	}
}

/*
 * What is known about the counts
 */

struct tally {
	int samples, without, slow, fast;
	uint64_t cycles, instructions, counted;		/* all */
	uint64_t slow_instructions, fast_instructions;
	double squares;					/* sum of squared counts of the loops */
	uint64_t fast_counted;
	uint64_t last;					/* when the last one was taken */
	int off_clock, wild;				/* cycles that are not the time */
	uint8_t expected;				/* ARM_PCSAMPLE_HAS_* */
	int wrong;
};

/*
 * The lateness of a sample is measured a moment after the snapshot. On a busy host that may be a
 * long moment for some samples; but more than a second is an error.
 */
static void check_clock(const struct pcs_sample *s, struct tally *t)
{
	uint64_t now = s->raw.planned + s->raw.late;
	int64_t off = (int64_t)(now - t->last) - (int64_t)s->raw.cycles;

	if (t->last && (s->raw.has & ARM_PCSAMPLE_HAS_CYCLES)) {
		t->off_clock += off < -100000 || off > 100000;
		t->wild += off < -1000000000 || off > 1000000000;
	}
	t->last = now;
}

static void count(const struct pcs_sample *s, void *arg)
{
	const struct arm_pcsample_record *raw = &s->raw;
	struct tally *t = arg;

	t->samples++;
	t->wrong += !pcs_is_snapshot(s) || raw->size != sizeof(*raw) ||
		    s->raw_size != sizeof(*raw) || raw->reserved;
	t->without += (raw->has & t->expected) != t->expected;
	check_clock(s, t);
	t->cycles += raw->cycles;
	t->instructions += raw->instructions;
	t->counted += raw->counted;
	if (in_slow(s->ip) || pcs_in_loop_a(s->ip))
		t->squares += (double)raw->instructions * raw->instructions;
	if (in_slow(s->ip)) {
		t->slow++;
		t->slow_instructions += raw->instructions;
	} else if (pcs_in_loop_a(s->ip)) {
		t->fast++;
		t->fast_instructions += raw->instructions;
		t->fast_counted += raw->counted;
	}
}

/*
 * Kish's effective sample size: as many samples of equal weight would have the same error. On a
 * busy host, where reads are late, 8,000 samples are worth 500 of these.
 */
static double effective_samples(const struct tally *t)
{
	double sum = t->slow_instructions + t->fast_instructions;

	return t->squares ? sum * sum / t->squares : 0;
}

/*
 * A share of 30 % in 2,000 samples has a standard deviation of 1 point, of which 3 are allowed; but
 * the loops alternate so slowly that most samples only add to what is known of one of them, and it
 * is less. The event is rarely off: what the program does meanwhile is in the truth alone.
 */
TEST_F_TIMEOUT(snapshot, weights_are_the_truth, 300)
{
	struct tally t = { .expected = HAS_BOTH };
	double real, executed, counted, by_weight, by_time;
	struct pcs_account before, after, since;
	struct truth first, last;
	struct pcs_event *event;
	pid_t pid;

	truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	ASSERT_NE(MAP_FAILED, (void *)truth);
	pid = pcs_load_start(self->target, slow_and_fast, 0);
	event = pcs_open(&self->attr, self->reader, 8);
	pcs_read_account(self->target, &before);
	first = *truth;
	while (effective_samples(&t) < 2000)
		pcs_collect(&event, 1, 8000000000, count, &t);
	last = *truth;
	pcs_read_account(self->target, &after);
	since = pcs_account_since(&before, &after);
	pcs_close(event);
	pcs_load_stop(pid);

	executed = last.slow - first.slow + last.fast - first.fast;
	real = (last.slow - first.slow) / executed;
	counted = t.instructions / executed;
	by_weight = t.slow_instructions;
	by_weight /= by_weight + t.fast_instructions;
	by_time = (double)t.slow / (t.slow + t.fast);
	TH_LOG("%d samples, which are %.0f of equal weight, %d without counts", t.samples,
	       effective_samples(&t), t.without);
	TH_LOG("the slow loop has %.2f %% of the instructions, %.2f %% by weight, %.2f %% by time",
	       100 * real, 100 * by_weight, 100 * by_time);
	TH_LOG("%.1f %% of the instructions were counted; %d times cycles were not the time",
	       100 * counted, t.off_clock);
	EXPECT_EQ(0, t.wrong);
	EXPECT_EQ(0, pcs_account_gap(&since));
	/* The kernel's are counted, too: 2 % more, and up to 16 % on a busy host. */
	EXPECT_GT(counted, 0.97);
	EXPECT_LT(counted, 1.5);
	EXPECT_LT(by_weight, real + 0.03);
	EXPECT_GT(by_weight, real - 0.03);
	/* The test only proves something if shares of time are different. */
	EXPECT_GT(by_time, real + 0.1);
	/* pcs_collect() starts the event again, and the first sample then has no counts. */
	EXPECT_LT(t.without, t.samples / 20);
	EXPECT_EQ(0, t.wild);
	EXPECT_LT(t.off_clock, t.samples / 5);
}

TEST_F_TIMEOUT(snapshot, a_counter_of_ones_own, 60)
{
	struct tally t = { .expected = HAS_BOTH | ARM_PCSAMPLE_HAS_COUNTED };
	struct pcs_event *event, *plain;
	pid_t pid = pcs_load_start(self->target, pcs_load_loop, 0);

	self->attr.config2 = COUNTER(BR_RETIRED);
	event = pcs_open(&self->attr, self->reader, 8);
	while (t.fast < 500)
		pcs_collect(&event, 1, 500000000, count, &t);
	EXPECT_EQ(0, t.wrong);
	EXPECT_LT(t.without, t.samples / 10);
	/* One in two instructions is a branch, apart from the kernel */
	EXPECT_GT(t.fast_counted, 0.45 * t.fast_instructions);
	EXPECT_LT(t.fast_counted, 0.55 * t.fast_instructions);

	/*
	 * There is one such counter: events with the same request, or none, are accepted; others
	 * are not.
	 */
	self->attr.config2 = COUNTER(PC_WRITE);
	EXPECT_EQ(-EBUSY, try(&self->attr, self->reader, -1));
	self->attr.config2 = COUNTER(BR_RETIRED);
	EXPECT_EQ(0, try(&self->attr, self->reader, -1));
	self->attr.config2 = 0;
	plain = pcs_open(&self->attr, self->reader, 8);
	t = (struct tally) { .expected = HAS_BOTH };
	while (t.fast < 100)
		pcs_collect(&plain, 1, 500000000, count, &t);
	EXPECT_EQ(0, t.counted);
	/* It is free when nobody wants it, whoever else takes snapshots. */
	pcs_close(event);
	self->attr.config2 = COUNTER(PC_WRITE);
	EXPECT_EQ(0, try(&self->attr, self->reader, -1));
	pcs_close(plain);
	EXPECT_EQ(0, try(&self->attr, self->reader, -1));
	pcs_load_stop(pid);
}

static void count_members(const struct pcs_sample *s, void *arg)
{
	struct tally *t = arg;

	t->wrong += !pcs_each_member(s, count, arg);
}

/*
 * Two events take the same snapshots for the same time, one with batch. What is counted does not
 * depend on that: the instructions of a cycle are the same for both. They are not if the host is
 * busy while only one of them is on, for up to some percent of the time.
 */
TEST_F_TIMEOUT(snapshot, members_of_batches_have_counts, 60)
{
	struct tally with = { .expected = HAS_BOTH }, without = { .expected = HAS_BOTH };
	pid_t pid = pcs_load_start(self->target, pcs_load_loop, 0);
	struct pcs_event *events[2];
	double of_members, of_samples;
	struct pcs_sample s;

	events[0] = pcs_open(&self->attr, self->reader, 8);
	self->attr.config |= PCS_BATCH;
	events[1] = pcs_open(&self->attr, self->reader, 8);
	pcs_enable(events[0]);
	pcs_enable(events[1]);
	while (with.fast < 1000 || without.fast < 1000) {
		pcs_sleep(20000000);
		while (pcs_next(events[0], &s))
			count(&s, &without);
		while (pcs_next(events[1], &s))
			count_members(&s, &with);
	}
	pcs_close(events[1]);
	pcs_close(events[0]);
	pcs_load_stop(pid);

	of_members = (double)with.instructions / with.cycles;
	of_samples = (double)without.instructions / without.cycles;
	TH_LOG("%d members, %d without counts, %d off the clock: %.3f instructions per cycle",
	       with.samples, with.without, with.off_clock, of_members);
	TH_LOG("%d samples, %d without counts, %d off the clock: %.3f instructions per cycle",
	       without.samples, without.without, without.off_clock, of_samples);
	EXPECT_EQ(0, with.wrong);
	EXPECT_EQ(0, with.wild);
	EXPECT_LT(with.off_clock, with.samples / 5);
	EXPECT_LT(with.without, with.samples / 10);
	EXPECT_GT(of_members, 0.9 * of_samples);
	EXPECT_LT(of_members, 1.1 * of_samples);
}

/* Waits for many reads, and runs for a few. */
static void wait_and_run(uint64_t unused)
{
	for (;;) {
		uint64_t end = pcs_now() + 5 * PERIOD;

		while (pcs_now() < end)
			pcs_loop_a(FAST_CHUNK);
		pcs_sleep(100 * PERIOD);
	}
}

/* In user space for many reads, and in the kernel for a few */
static void loop_and_call(uint64_t unused)
{
	for (;;) {
		uint64_t end = pcs_now() + 50 * PERIOD;

		while (pcs_now() < end)
			pcs_loop_a(FAST_CHUNK);
		end += 5 * PERIOD;
		while (pcs_now() < end)
			syscall(SYS_getppid);
	}
}

struct waits {
	uint64_t last;			/* seq of the last sample */
	int all, charged;
};

/*
 * A sample after ten reads or more without one. Its period is the time since the last read, and
 * includes what was missed: its cycles are at most two periods more, as reads are dithered.
 */
static void look_for_waits(const struct pcs_sample *s, void *arg)
{
	uint64_t last_read = s->raw.seq - s->period / PERIOD;
	struct waits *waits = arg;

	if ((s->raw.has & ARM_PCSAMPLE_HAS_CYCLES) && last_read >= waits->last + 10) {
		waits->all++;
		waits->charged += s->raw.cycles > s->period + 5 * PERIOD;
	}
	waits->last = s->raw.seq;
}

/*
 * What is counted up to a read without a PC, or with one that is filtered, is nobody's. A sample is
 * wrongly taken for one that was charged with it if its reader is held up for 3 ms between the
 * clock and the snapshot. These are next to each other, so half of the samples will not have that.
 */
static void expect_own_counts(struct __test_metadata *_metadata, struct perf_event_attr *attr,
			      int target, int reader, void (*load)(uint64_t))
{
	pid_t pid = pcs_load_start(target, load, 0);
	struct pcs_event *event = pcs_open(attr, reader, 8);
	struct pcs_account before, after, since;
	struct waits waits = {};

	pcs_read_account(target, &before);
	while (waits.all < 30)
		pcs_collect(&event, 1, 2000000000, look_for_waits, &waits);
	pcs_read_account(target, &after);
	since = pcs_account_since(&before, &after);
	pcs_close(event);
	pcs_load_stop(pid);
	TH_LOG("%" PRIu64 " reads filtered, %" PRIu64 " without a branch; %d waits, %d charged",
	       since.filtered, since.no_branch, waits.all, waits.charged);
	EXPECT_LT(waits.charged, waits.all / 2);
}

TEST_F_TIMEOUT(snapshot, counts_of_a_wait_belong_to_nobody, 120)
{
	/* The first read of each wait may have a PC. */
	self->attr.exclude_idle = 1;
	expect_own_counts(_metadata, &self->attr, self->target, self->reader, wait_and_run);
}

TEST_F_TIMEOUT(snapshot, counts_of_what_is_filtered_belong_to_nobody, 120)
{
	self->attr.exclude_user = 1;
	self->attr.exclude_hv = 1;
	expect_own_counts(_metadata, &self->attr, self->target, self->reader, loop_and_call);
}

/* Of all CPUs: which of them a column is of depends on who is online */
static uint64_t pmu_interrupts(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	char line[4096], *p, *end;
	uint64_t sum = 0;

	if (!f)
		return UINT64_MAX;
	while (fgets(line, sizeof(line), f)) {
		p = strchr(line, ':');
		if (!p || !strstr(p, "arm-pmu"))
			continue;
		for (p++;; p = end) {
			uint64_t count = strtoull(p, &end, 10);

			if (end == p)
				break;
			sum += count;
		}
	}
	fclose(f);
	return sum;
}

struct cycles {
	uint64_t sum;
	int narrow;
};

static void add_cycles(const struct pcs_sample *s, void *arg)
{
	struct cycles *cycles = arg;

	cycles->sum += s->raw.cycles;
	cycles->narrow += s->raw.source == ARM_PCSAMPLE_SOURCE_IMPDEF;
}

/*
 * A counter of 32 bits would interrupt the CPU whose cycles it counts twice in the time that this
 * test takes, as perf lets it go half of its way. IMPLEMENTATION DEFINED snapshots have no others.
 */
TEST_F_TIMEOUT(snapshot, counters_interrupt_nobody, 60)
{
	pid_t pid = pcs_load_start(self->target, pcs_load_loop, 0);
	struct pcs_event *event = pcs_open(&self->attr, self->reader, 8);
	uint64_t before = pmu_interrupts();
	struct cycles cycles = {};

	ASSERT_NE(UINT64_MAX, before);
	while (cycles.sum < 1ULL << 32)
		pcs_collect(&event, 1, 1000000000, add_cycles, &cycles);
	EXPECT_TRUE(cycles.narrow || pmu_interrupts() == before)
		TH_LOG("%" PRIu64 " interrupts", pmu_interrupts() - before);
	pcs_close(event);
	pcs_load_stop(pid);
}

/*
 * PMPCSCTL.SS is one bit for all events: while one of them asks for snapshots, all get snapshots.
 */

struct sources {
	int read, snapshot, other, wrong;
};

static void count_sources(const struct pcs_sample *s, void *arg)
{
	struct sources *n = arg;

	n->read += s->raw.source == ARM_PCSAMPLE_SOURCE_PMU32 ||
		   s->raw.source == ARM_PCSAMPLE_SOURCE_PMU64;
	n->snapshot += pcs_is_snapshot(s);
	n->wrong += s->raw.size != RECORD_OF_READ || (s->raw.has & HAS_BOTH);
}

static struct sources see_sources(struct pcs_event *event, uint64_t ns)
{
	struct sources n = {};

	while (n.read + n.snapshot < 200)
		pcs_collect(&event, 1, ns, count_sources, &n);
	return n;
}

TEST_F_TIMEOUT(snapshot, wins_over_reads, 60)
{
	pid_t pid = pcs_load_start(self->target, pcs_load_loop, 0);
	struct perf_event_attr reads = self->attr;
	struct pcs_account before, after, since;
	struct pcs_event *event, *snapshots;
	struct tally t = { .expected = HAS_BOTH };
	struct sources n;

	reads.config = 0;
	event = pcs_open(&reads, self->reader, 8);
	pcs_read_account(self->target, &before);
	n = see_sources(event, 300000000);
	EXPECT_EQ(0, n.snapshot + n.wrong);

	snapshots = pcs_open(&self->attr, self->reader, 8);
	n = see_sources(event, 300000000);
	EXPECT_EQ(0, n.read + n.wrong);
	while (t.fast < 200)
		pcs_collect(&snapshots, 1, 300000000, count, &t);
	EXPECT_EQ(0, t.wrong);
	EXPECT_LT(t.without, t.samples / 10);
	pcs_close(snapshots);

	n = see_sources(event, 300000000);
	EXPECT_EQ(0, n.snapshot + n.wrong);
	pcs_read_account(self->target, &after);
	since = pcs_account_since(&before, &after);
	EXPECT_EQ(0, pcs_account_gap(&since));
	EXPECT_EQ(0, since.error + since.prohibited + since.debug);
	pcs_close(event);
	pcs_load_stop(pid);
}

/* With panic_dump=1 the blocks are held without events, too. */
TEST_F_TIMEOUT(snapshot, ends_with_the_last_event, 60)
{
	pid_t pid = pcs_load_start(self->target, pcs_load_loop, 0);
	struct perf_event_attr reads = self->attr;
	struct pcs_event *event;
	struct sources n;

	reads.config = 0;
	event = pcs_open(&self->attr, self->reader, 8);
	n = see_sources(event, 100000000);
	EXPECT_EQ(0, n.read);
	pcs_close(event);
	event = pcs_open(&reads, self->reader, 8);
	n = see_sources(event, 100000000);
	EXPECT_EQ(0, n.snapshot + n.wrong);
	pcs_close(event);
	pcs_load_stop(pid);
}

/* A refused event does not change the others. */
TEST_F_TIMEOUT(disabled, reads_go_on, 60)
{
	pid_t pid = pcs_load_start(self->target, pcs_load_loop, 0);
	struct perf_event_attr reads = self->attr;
	struct pcs_event *event;
	struct sources n;
	int i;

	reads.config = 0;
	event = pcs_open(&reads, self->reader, 8);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-EOPNOTSUPP, try(&self->attr, self->reader, -1));
		n = see_sources(event, 300000000);
		EXPECT_EQ(0, n.snapshot + n.wrong);
	}
	pcs_close(event);
	pcs_load_stop(pid);
}

/*
 * The counters belong to perf. When events come, go and alternate, perf gives the driver's counters
 * to others and back: counts over such a change would not match the time.
 */

static int open_cpu_event(int cpu, uint64_t event, bool pinned, bool disabled)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = event, .pinned = pinned,
		.disabled = disabled,
	};

	return pcs_try_open(&attr, -1, cpu, -1, 0);
}

TEST_F_TIMEOUT(snapshot, no_count_spans_a_reprogrammed_counter, 120)
{
	pid_t pid = pcs_load_start(self->target, pcs_load_loop, 0);
	struct pcs_event *event = pcs_open(&self->attr, self->reader, 8);
	struct tally t = { .expected = HAS_BOTH };
	int fd[16], round, i;

	for (round = 0; round < 200; round++) {
		int nr = 1 + round % 16;

		/* A pinned event makes perf reschedule all events of the CPU. */
		for (i = 0; i < nr; i++)
			fd[i] = open_cpu_event(self->target, CPU_CYCLES, i == 0, false);
		pcs_collect_for(&event, 1, 20000000, count, &t);
		for (i = 0; i < nr; i++)
			if (fd[i] >= 0)
				close(fd[i]);
	}
	pcs_close(event);
	pcs_load_stop(pid);
	TH_LOG("%d samples, %d without counts, %d times cycles were not the time", t.samples,
	       t.without, t.off_clock);
	EXPECT_EQ(0, t.wrong);
	EXPECT_GT(t.samples, 1000);
	EXPECT_EQ(0, t.wild);
	EXPECT_LT(t.off_clock, t.samples / 5);
	EXPECT_LT(t.without, t.samples / 2);
}

/* Pinned events that use all counters of a CPU; perf accepts more of them than there are. */
struct hogs {
	int fd[32];
};

static void open_hogs(struct hogs *hogs, int cpu, uint64_t event, bool disabled)
{
	int n;

	for (n = 0; n < 32; n++)
		hogs->fd[n] = open_cpu_event(cpu, event, true, disabled);
}

static void enable_hogs(const struct hogs *hogs)
{
	int n;

	for (n = 0; n < 32; n++)
		if (hogs->fd[n] >= 0)
			ioctl(hogs->fd[n], PERF_EVENT_IOC_ENABLE, 0);
}

static void close_hogs(const struct hogs *hogs)
{
	int n;

	for (n = 0; n < 32; n++)
		if (hogs->fd[n] >= 0)
			close(hogs->fd[n]);
}

/* Open an event while all counters of its target that can count @event do so for others. */
static int try_without_counters(struct perf_event_attr *attr, int target, int reader,
				uint64_t event)
{
	struct hogs hogs;
	int ret;

	open_hogs(&hogs, target, event, false);
	ret = try(attr, reader, -1);
	close_hogs(&hogs);
	return ret;
}

/* The cycle counter counts no instructions. */
TEST_F(snapshot, needs_counters)
{
	static const uint64_t taken[] = { CPU_CYCLES, INST_RETIRED };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		int tries, ret = 0;

		/* The driver returns the counters of the previous event with a short delay. */
		for (tries = 0; tries < 100 && ret != -EBUSY; tries++) {
			pcs_sleep(20000000);
			ret = try_without_counters(&self->attr, self->target, self->reader,
						   taken[i]);
		}
		EXPECT_EQ(-EBUSY, ret)
			TH_LOG("no counter for event %#x", (unsigned int)taken[i]);
		EXPECT_EQ(0, try(&self->attr, self->reader, -1));
	}
}

/* Another CPU that can take snapshots, of a higher number than the fixture's target */
static bool find_other(const struct perf_event_attr *attr, int first, struct perf_event_attr *other,
		       int *target, int *reader)
{
	cpu_set_t targets;

	read_snapshot_targets(&targets);
	CPU_CLR(first, &targets);
	if (!CPU_COUNT(&targets))
		return false;
	*target = pcs_first_cpu(&targets);
	*reader = pcs_reader_of(*target);
	*other = *attr;
	other->config1 = 1ULL << *target;
	return true;
}

/* Only targets need counters. */
TEST_F(snapshot, needs_no_counters_of_others)
{
	struct perf_event_attr attr;
	int target, reader, tries, ret = 0, of_other = 0;
	struct hogs hogs;

	if (!find_other(&self->attr, self->target, &attr, &target, &reader))
		SKIP(return, "needs two CPUs with snapshots");
	/* As above: until the counters of the previous event have been returned */
	for (tries = 0; tries < 100 && ret != -EBUSY; tries++) {
		pcs_sleep(20000000);
		open_hogs(&hogs, self->target, CPU_CYCLES, false);
		ret = try(&self->attr, self->reader, -1);
		of_other = try(&attr, reader, -1);
		close_hogs(&hogs);
	}
	EXPECT_EQ(-EBUSY, ret);
	EXPECT_EQ(0, of_other);
}

TEST_F(snapshot, what_is_refused)
{
	struct perf_event_attr leader = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(leader),
		.config = PERF_COUNT_SW_CPU_CLOCK,
	};
	int fd = pcs_try_open(&leader, -1, self->reader, -1, 0);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EINVAL, try(&self->attr, self->reader, fd));
	close(fd);

	self->attr.sample_period = 0;
	EXPECT_EQ(-EINVAL, try(&self->attr, self->reader, -1));
	self->attr.sample_period = PERIOD;
	self->attr.config2 = COUNTER(BR_RETIRED);
	EXPECT_EQ(0, try(&self->attr, self->reader, -1));
	self->attr.config2 = 1ULL << 48;
	EXPECT_EQ(-EINVAL, try(&self->attr, self->reader, -1));
	self->attr.config = 0;
	self->attr.config2 = COUNTER(BR_RETIRED);
	EXPECT_EQ(-EINVAL, try(&self->attr, self->reader, -1));
}

/* A CPU that has just come back is sampled with counts. */
static void expect_counts(struct __test_metadata *_metadata, struct pcs_event *event, int target)
{
	struct tally t = { .expected = HAS_BOTH };
	pid_t pid = pcs_load_start(target, pcs_load_loop, 0);

	while (t.fast < 200)
		pcs_collect(&event, 1, 300000000, count, &t);
	EXPECT_EQ(0, t.wrong);
	EXPECT_LT(t.without, t.samples / 5);
	pcs_load_stop(pid);
}

/* When a CPU goes offline its counters are released; it gets new ones when it comes back. */
TEST_F_TIMEOUT(snapshot, a_target_that_goes_and_comes_back, 120)
{
	struct tally t = { .expected = HAS_BOTH };
	struct pcs_event *event = pcs_open(&self->attr, self->reader, 8);
	int round;

	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, pcs_set_online(self->target, false));
		pcs_collect_for(&event, 1, 50000000, count, &t);
		ASSERT_EQ(0, pcs_set_online(self->target, true));
		expect_counts(_metadata, event, self->target);
	}
	pcs_close(event);
}

/*
 * A CPU that comes back gets counters although others of a lower number can get none. That one lost
 * its own: perf schedules pinned events in the order in which they were opened, and older ones that
 * are enabled now take the counters.
 */
TEST_F_TIMEOUT(snapshot, comes_back_while_another_has_no_counters, 60)
{
	struct perf_event_attr attr;
	struct pcs_event *event;
	int target, reader;
	struct hogs hogs;

	if (!find_other(&self->attr, self->target, &attr, &target, &reader))
		SKIP(return, "needs two CPUs with snapshots");
	open_hogs(&hogs, self->target, CPU_CYCLES, true);
	event = pcs_open(&attr, reader, 8);
	enable_hogs(&hogs);
	EXPECT_EQ(-EBUSY, try(&self->attr, self->reader, -1));

	ASSERT_EQ(0, pcs_set_online(target, false));
	ASSERT_EQ(0, pcs_set_online(target, true));
	expect_counts(_metadata, event, target);
	pcs_close(event);
	close_hogs(&hogs);
}

TEST_HARNESS_MAIN
