// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares every field of a sample with the truth: the target runs a known loop in a pinned thread
 * with its own cgroup, and the reader runs another task, which differs in all fields.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

#define CGROUP "/sys/fs/cgroup/pcs_sample_fields"
#define PERIOD 1000000
#define TIME 1000000000ULL

static pid_t *loop_tid;		/* shared with the child: the TID of its second thread */

static void *second_thread(void *unused)
{
	*loop_tid = syscall(SYS_gettid);
	pcs_load_loop(0);
	return NULL;
}

/* A process whose loop is in its second thread, so that PID and TID differ */
static void two_threads(uint64_t unused)
{
	pthread_t thread;

	pthread_create(&thread, NULL, second_thread, NULL);
	for (;;)
		pause();
}

FIXTURE(fields)
{
	struct perf_event_attr attr;
	int target, reader;
	pid_t pid, tid;
	uint64_t cgroup;	/* 0: there are none here */
};

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		perror(path);
	close(fd);
}

/*
 * Move @pid to a cgroup that perf knows. Unless a controller was enabled once (systemd does that),
 * the kernel has no perf_event state for cgroups except the root.
 */
static uint64_t enter_cgroup(pid_t pid)
{
	struct stat st;
	char text[16];

	write_text("/sys/fs/cgroup/cgroup.subtree_control", "+pids");
	if ((mkdir(CGROUP, 0755) && errno != EEXIST) || stat(CGROUP, &st))
		return 0;
	snprintf(text, sizeof(text), "%d", pid);
	write_text(CGROUP "/cgroup.procs", text);
	return st.st_ino;
}

FIXTURE_SETUP(fields)
{
	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	self->target = pcs_first_target();
	self->reader = pcs_reader_of(self->target);

	pcs_attr_init(&self->attr, PERIOD);
	self->attr.config1 = 1ULL << self->target;
	self->attr.use_clockid = 1;
	self->attr.clockid = CLOCK_MONOTONIC;

	/* This process stays on the reader, so that a leak of the reader's values would show. */
	pcs_pin(0, self->reader);
	loop_tid = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	self->pid = pcs_load_start(self->target, two_threads, 0);
	while (!__atomic_load_n(loop_tid, __ATOMIC_ACQUIRE))
		pcs_sleep(1000000);
	self->tid = *loop_tid;
	self->cgroup = enter_cgroup(self->pid);
}

FIXTURE_TEARDOWN(fields)
{
	if (!self->pid)
		return;
	pcs_load_stop(self->pid);
	rmdir(CGROUP);
}

struct tally {
	struct pcs_event *event;
	pid_t pid, tid;
	uint64_t cgroup, begin, end, min_time;
	int target, reader;
	int all, loop;
	int wrong;
	char first_wrong[256];
};

static void __attribute__((format(printf, 2, 3))) wrong(struct tally *t, const char *fmt, ...)
{
	va_list ap;

	if (t->wrong++)
		return;
	va_start(ap, fmt);
	vsnprintf(t->first_wrong, sizeof(t->first_wrong), fmt, ap);
	va_end(ap);
}

/* Checks of every sample */
static void check_any(const struct pcs_sample *s, struct tally *t)
{
	const struct arm_pcsample_record *raw = &s->raw;

	t->all++;
	if (s->cpu != t->target)
		wrong(t, "cpu %u", s->cpu);
	if (!s->period || s->period % PERIOD)
		wrong(t, "period %llu", (unsigned long long)s->period);
	if (s->time < t->min_time || s->time < raw->planned + raw->late)
		wrong(t, "time %llu, planned %llu late %u", (unsigned long long)s->time,
		      (unsigned long long)raw->planned, raw->late);
	t->min_time = s->time;
	if (s->raw_size != raw->size || raw->size != offsetof(struct arm_pcsample_record, cycles))
		wrong(t, "raw size %u, its own %u", s->raw_size, raw->size);
	if (raw->target != t->target || raw->reader != t->reader)
		wrong(t, "raw target %u reader %u", raw->target, raw->reader);
	if (!(raw->has & ARM_PCSAMPLE_HAS_CID1))
		wrong(t, "has 0x%x", raw->has);
	if (!(raw->has & ARM_PCSAMPLE_HAS_CID2) && raw->pmcid2sr)
		wrong(t, "PMCID2SR 0x%x is not known", raw->pmcid2sr);
	if (raw->source < ARM_PCSAMPLE_SOURCE_PMU32 || raw->source > ARM_PCSAMPLE_SOURCE_DEBUG ||
	    raw->reserved)
		wrong(t, "source %u, reserved %u", raw->source, raw->reserved);
	if (s->pid == getpid())
		wrong(t, "the reader's own task");
}

/* Checks of a sample in the loop */
static void check_loop(const struct pcs_sample *s, struct tally *t)
{
	const struct arm_pcsample_record *raw = &s->raw;
	uint32_t cid = raw->attribution == ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL2 ? raw->pmcid2sr :
									      raw->pmcid1sr;

	t->loop++;
	if (s->pid != t->pid)
		wrong(t, "pid %d tid %d, not %d", s->pid, s->tid, t->pid);
	if ((s->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		wrong(t, "misc 0x%x", s->misc);
	/* Non-secure EL0: NS = 1, EL = 0 and RES0 bits, PMPCSR[63:56] */
	if (raw->pmpcsr >> 56 != 0x80 || (raw->pmpcsr & 0xFFFFFFFFFFFFFF) != s->ip)
		wrong(t, "PMPCSR 0x%llx", (unsigned long long)raw->pmpcsr);
	if (raw->attribution != ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL1 &&
	    raw->attribution != ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL2)
		wrong(t, "attribution %u", raw->attribution);
	if (cid != t->tid)
		wrong(t, "Context ID %u", cid);
}

static void check(const struct pcs_sample *s, void *arg)
{
	struct tally *t = arg;

	check_any(s, t);
	if (s->tid == t->tid && pcs_in_loop_a(s->ip))
		check_loop(s, t);
}

/* Run an event with the fixture's attr; most of its samples must be in the loop. */
static void run(struct __test_metadata *_metadata, struct perf_event_attr *attr, int target,
		int reader, pid_t pid, pid_t tid, pcs_each_fn each, struct tally *t)
{
	memset(t, 0, sizeof(*t));
	t->target = target;
	t->reader = reader;
	t->pid = pid;
	t->tid = tid;
	t->event = pcs_open(attr, reader, 6);
	t->begin = pcs_now();
	pcs_collect(&t->event, 1, TIME, each, t);
	t->end = pcs_now();
	pcs_close(t->event);

	EXPECT_EQ(0, t->wrong)
		TH_LOG("%d of %d samples wrong; the first: %s", t->wrong, t->all, t->first_wrong);
	EXPECT_GT(t->all, 100);
	EXPECT_GT(t->loop, t->all / 2)
		TH_LOG("%d of %d samples in the loop", t->loop, t->all);
}

#define RUN(each, t) \
	run(_metadata, &self->attr, self->target, self->reader, self->pid, self->tid, each, t)

TEST_F(fields, who_where_and_when)
{
	struct tally t;

	RUN(check, &t);
	EXPECT_GE(t.min_time, t.begin);
	EXPECT_LE(t.min_time, t.end);
}

static void check_chain(const struct pcs_sample *s, void *arg)
{
	bool user = (s->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
	uint64_t context = user ? PERF_CONTEXT_USER : PERF_CONTEXT_KERNEL;
	struct tally *t = arg;

	check(s, arg);
	if (s->nr_chain != 2 || s->chain[0] != context || s->chain[1] != s->ip)
		wrong(t, "chain of %llu, %llx", (unsigned long long)s->nr_chain,
		      s->nr_chain ? (unsigned long long)s->chain[0] : 0);
}

TEST_F(fields, call_chain_is_the_pc)
{
	struct tally t;

	self->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	RUN(check_chain, &t);
}

static void check_no_user_chain(const struct pcs_sample *s, void *arg)
{
	bool user = (s->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;

	check(s, arg);
	if (s->nr_chain != (user ? 0 : 2))
		wrong(arg, "chain of %llu", (unsigned long long)s->nr_chain);
}

TEST_F(fields, excluded_call_chain)
{
	struct tally t;

	self->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	self->attr.exclude_callchain_user = 1;
	RUN(check_no_user_chain, &t);
}

static bool is_old_kernel(void)
{
	struct utsname u;

	uname(&u);
	return !strncmp(u.release, "6.1.", 4);
}

static void check_no_regs(const struct pcs_sample *s, void *arg)
{
	check(s, arg);
	if (s->user_abi || s->intr_abi || s->stack_size || s->code_page_size || s->addr)
		wrong(arg, "user regs %llu, interrupt regs %llu, stack %llu, page %llu, addr %llx",
		      (unsigned long long)s->user_abi, (unsigned long long)s->intr_abi,
		      (unsigned long long)s->stack_size, (unsigned long long)s->code_page_size,
		      (unsigned long long)s->addr);
}

/* Registers, stack and pages could only be those of the reader, so there must be none. */
TEST_F(fields, no_registers_no_stack)
{
	struct tally t;

	if (is_old_kernel())
		SKIP(return, "this kernel cannot; see event_init");
	self->attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
				  PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_CODE_PAGE_SIZE |
				  PERF_SAMPLE_ADDR;
	self->attr.sample_regs_user = 0xFF;
	self->attr.sample_regs_intr = 0xFF;
	self->attr.sample_stack_user = 1024;
	RUN(check_no_regs, &t);
}

TEST_F(fields, stack_alone)
{
	struct tally t;

	if (is_old_kernel())
		SKIP(return, "this kernel cannot; see event_init");
	self->attr.sample_type |= PERF_SAMPLE_STACK_USER;
	self->attr.sample_stack_user = 1024;
	RUN(check_no_regs, &t);
}

static uint64_t expected_cgroup;

static void check_cgroup(const struct pcs_sample *s, void *arg)
{
	check(s, arg);
	if (pcs_in_loop_a(s->ip) && s->cgroup != expected_cgroup)
		wrong(arg, "cgroup %llu, not %llu", (unsigned long long)s->cgroup,
		      (unsigned long long)expected_cgroup);
}

TEST_F(fields, cgroup_of_the_sampled_task)
{
	struct tally t;

	if (is_old_kernel())
		SKIP(return, "this kernel cannot; see event_init");
	if (!self->cgroup)
		SKIP(return, "no cgroups at /sys/fs/cgroup");
	expected_cgroup = self->cgroup;
	self->attr.sample_type |= PERF_SAMPLE_CGROUP;
	RUN(check_cgroup, &t);
}

/* Of an event with batch, each member is the sample that one without would have given. */
static void check_each(const struct pcs_sample *s, pcs_each_fn check_one, void *arg)
{
	if (!pcs_each_member(s, check_one, arg))
		wrong(arg, "no members in %u bytes", s->raw_size);
}

static void check_members(const struct pcs_sample *s, void *arg)
{
	check_each(s, check, arg);
}

TEST_F(fields, members_of_batches)
{
	struct tally t;

	self->attr.config = PCS_BATCH;
	RUN(check_members, &t);
}

static void check_cgroups_of_members(const struct pcs_sample *s, void *arg)
{
	check_each(s, check_cgroup, arg);
}

/* Without PERF_SAMPLE_CGROUP there is none. */
TEST_F(fields, cgroups_of_members)
{
	struct tally t;

	self->attr.config = PCS_BATCH;
	expected_cgroup = 0;
	RUN(check_cgroups_of_members, &t);
	/* A SKIP would hide what has failed. */
	if (is_old_kernel() || !self->cgroup)
		return;
	expected_cgroup = self->cgroup;
	self->attr.sample_type |= PERF_SAMPLE_CGROUP;
	RUN(check_cgroups_of_members, &t);
}

static uint64_t last_count;

/* The count is that of the moment at which the reader looked at its only target. */
static void check_count(const struct pcs_sample *s, void *arg)
{
	uint64_t looked = s->raw.planned + s->raw.late;
	static uint64_t last_looked;

	check(s, arg);
	if (s->count <= last_count)
		wrong(arg, "count %llu after %llu", (unsigned long long)s->count,
		      (unsigned long long)last_count);
	/* The lateness saturates. */
	if (s->raw.late == UINT32_MAX)
		looked = 0;
	if (last_looked && looked && s->count - last_count != looked - last_looked)
		wrong(arg, "count is off by %lld",
		      (long long)(s->count - last_count - looked + last_looked));
	last_count = s->count;
	last_looked = looked;
}

TEST_F(fields, count_and_ids)
{
	struct tally t;

	self->attr.sample_type |= PERF_SAMPLE_READ | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				  PERF_SAMPLE_IDENTIFIER;
	last_count = 0;
	RUN(check_count, &t);
	EXPECT_GT(last_count, TIME / 2);
}

/* One field only, and none at all: the smallest samples */
TEST_F(fields, single_fields)
{
	static const uint64_t alone[] = { PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_CPU, 0 };
	struct pcs_sample sample;
	unsigned int i;

	for (i = 0; i < sizeof(alone) / sizeof(alone[0]); i++) {
		int n = 0, good = 0;
		struct pcs_event *event;

		self->attr.sample_type = alone[i];
		event = pcs_open(&self->attr, self->reader, 6);
		pcs_enable(event);
		pcs_sleep(TIME / 4);
		pcs_disable(event);
		while (pcs_next(event, &sample)) {
			n++;
			if (alone[i] == PERF_SAMPLE_IP)
				good += pcs_in_loop_a(sample.ip);
			else if (alone[i] == PERF_SAMPLE_TID)
				good += sample.pid == self->pid && sample.tid == self->tid;
			else if (alone[i] == PERF_SAMPLE_CPU)
				good += sample.cpu == self->target;
			else
				good++;
		}
		pcs_close(event);
		EXPECT_GT(n, 5);
		EXPECT_GT(good, n / 2)
			TH_LOG("sample_type 0x%llx: %d of %d good", (unsigned long long)alone[i],
			       good, n);
	}
}

TEST_HARNESS_MAIN
