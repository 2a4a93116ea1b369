// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory runs out: of each operation the first allocation fails, then the second one, and so on
 * until it makes no more. Each time the operation has to fail with ENOMEM, or to succeed all the
 * same. After it the same operation has to work, and the driver to sample all CPUs.
 *
 * The kernel has to inject faults: that of "scripts/get kernel-6.12-faults" does. It has KASAN and
 * lockdep, too. What they say is in its log, in which scripts/vm looks for it. kmemleak is asked
 * here.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pcs_perf.h"

#define PERIOD		10000000ULL	/* ns; with KASAN a read takes long */
#define PATIENCE	120000000000ULL	/* ns; nothing here takes a second on an idle host */
#define TIME_LIMIT	3600
#define MOST_FAULTS	2000		/* no operation makes as many allocations */

#define COUNTER(event)	((uint64_t)(event) << 32)
#define PC_WRITE	0x0C
#define BR_RETIRED	0x21

#define MODULE		"/sys/module/arm_pcsample/"
#define REBIND		"/sys/module/pcs_storm/parameters/rebind"
#define LEAKS		"/sys/kernel/debug/kmemleak"
#define DEVICES		"/sys/bus/{platform,amba}/drivers/arm_pcsample/*.*"

/*
 * Fault injection
 */

/* Allocations count that are made below a function in this range of addresses. */
struct range {
	uint64_t start, end;
};

#define ANYWHERE { 0, UINT64_MAX }
static const struct range anywhere = ANYWHERE;

static int set_filters(const char *name, uint64_t value)
{
	static const char * const kinds[] = { "failslab", "fail_page_alloc" };
	char path[96], text[32];
	int i, ret = 0;

	snprintf(text, sizeof(text), "%#" PRIx64, value);
	for (i = 0; i < 2 && !ret; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", kinds[i], name);
		ret = pcs_write_path(path, text);
	}
	return ret;
}

static int fail_within(const struct range *range)
{
	int ret = set_filters("require-start", range->start);

	return ret ?: set_filters("require-end", range->end);
}

/* By default only allocations that may not wait count, and of pages only several at once. */
static int count_all_allocations(void)
{
	static const struct {
		const char *path, *text;
	} settings[] = {
		{ "/sys/kernel/debug/failslab/verbose", "0" },
		{ "/sys/kernel/debug/failslab/ignore-gfp-wait", "0" },
		{ "/sys/kernel/debug/fail_page_alloc/verbose", "0" },
		{ "/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "0" },
		{ "/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "0" },
		{ "/sys/kernel/debug/fail_page_alloc/min-order", "0" },
	};
	unsigned int i;
	int ret = 0;

	for (i = 0; i < sizeof(settings) / sizeof(settings[0]) && !ret; i++)
		ret = pcs_write_path(settings[i].path, settings[i].text);
	return ret ?: fail_within(&anywhere);
}

/* The file by which allocations of a task fail; -1 if the kernel injects no faults */
static int open_fail_nth(const char *task)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/fail-nth", task);
	return open(path, O_RDWR | O_CLOEXEC);
}

static void set_fail_nth(int fd, unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(fd, text, len, 0) != len)
		ksft_exit_fail_msg("fail-nth: %s\n", strerror(errno));
}

/* The kernel counts down, and lets the allocation fail with which it comes to 0. */
static bool has_failed(int fd)
{
	char text[16] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) < 0)
		ksft_exit_fail_msg("fail-nth: %s\n", strerror(errno));
	return !atoi(text);
}

/* The functions of a module, or of the kernel itself if @module is NULL */
static struct range functions_of(const char *module)
{
	struct range range = { UINT64_MAX, 0 };
	char line[512], owner[64], type;
	uint64_t address;
	FILE *file = fopen("/proc/kallsyms", "r");

	while (file && fgets(line, sizeof(line), file)) {
		int words = sscanf(line, "%" SCNx64 " %c %*s [%63[^]]", &address, &type, owner);

		if (words != (module ? 3 : 2) || (type != 't' && type != 'T') ||
		    (module && strcmp(owner, module)))
			continue;
		range.start = address < range.start ? address : range.start;
		range.end = address > range.end ? address : range.end;
	}
	if (file)
		fclose(file);
	range.end += 4096;	/* of the last function there is the beginning alone */
	return range;
}

/*
 * The machine
 */

FIXTURE(faults)
{
	struct __test_metadata *metadata;
	char blocks[64], readers[64], snapshots[64];
	glob_t devices;
	int target, reader;		/* and who reads it */
	int away;			/* the CPU that goes offline */
	char file[256];			/* the module's, or one to be read */
	const char *parameters;		/* to load the module with */
	int own_fail_nth;		/* of this task */
	int log;
	const char *idle_status;	/* of the blocks' power without events */
	struct perf_event_attr attr;
	struct pcs_event *event;	/* that an operation has opened */
	struct pcs_event *running[PCS_MAX_CPUS];
	int nr_running;
};

#define machine	_test_data_faults

/**
 * struct operation - what is tried
 * @prepare: makes it possible, if something has to be done for that
 * @run: 0 or -errno; what it allocates may fail
 * @undo: what comes after a success, if anything
 * @repair: what comes after a failure, if anything
 * @fails_with: what a failure may be called, other than -ENOMEM
 * @with_events: events run meanwhile
 * @fail_nth: of the task that allocates; 0 for this one
 * @within: which of the allocations fail
 */
struct operation {
	void (*prepare)(struct machine *m);
	int (*run)(struct machine *m);
	void (*undo)(struct machine *m);
	void (*repair)(struct machine *m);
	int fails_with;
	bool with_events;
	int fail_nth;
	struct range within;
};

/* The first line of a file, "" if it cannot be read */
static void read_line(const char *path, char *line, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t len = fd < 0 ? 0 : read(fd, line, size - 1);

	line[len < 0 ? 0 : len] = 0;
	line[strcspn(line, "\n")] = 0;
	if (fd >= 0)
		close(fd);
}

/*
 * Do the lines of the log since the last call say why there is a device without the driver? Of a
 * probe that fails for want of memory the driver core says so, and devres of a region of addresses
 * for which it has no memory.
 */
static bool log_has_reason(int log)
{
	char record[2048];
	bool has = false;
	ssize_t len;

	for (;;) {
		len = read(log, record, sizeof(record) - 1);
		if (len < 0 && errno != EPIPE)	/* EPIPE: lines were lost */
			return has;
		record[len < 0 ? 0 : len] = 0;
		has |= strstr(record, "arm_pcsample failed with error -12") ||
		       strstr(record, "can't request region for resource");
	}
}

/* Offer the driver its devices. Those that it has are left alone. */
static void probe_all(struct machine *m)
{
	char path[256], *end;
	size_t i;

	for (i = 0; i < m->devices.gl_pathc; i++) {
		snprintf(path, sizeof(path), "%s", m->devices.gl_pathv[i]);
		end = strstr(path, "/drivers/");
		snprintf(end, path + sizeof(path) - end, "/drivers_probe");
		pcs_write_path(path, strrchr(m->devices.gl_pathv[i], '/') + 1);
	}
}

/* Runtime PM takes a block's power a moment after its last holder has gone. */
static bool blocks_are_let_go(struct machine *m)
{
	uint64_t deadline = pcs_now() + PATIENCE;
	char path[256], status[32];
	size_t i, idle;

	do {
		for (i = idle = 0; i < m->devices.gl_pathc; i++) {
			snprintf(path, sizeof(path), "%s/power/runtime_status",
				 m->devices.gl_pathv[i]);
			read_line(path, status, sizeof(status));
			idle += !strcmp(status, m->idle_status);
		}
	} while (idle < i && pcs_now() < deadline);
	return idle == i;
}

/* Is a sample what its event was opened for, after the first ones? */
static bool is_complete(const struct pcs_event *event, const struct pcs_sample *sample)
{
	uint8_t has = ARM_PCSAMPLE_HAS_CYCLES | ARM_PCSAMPLE_HAS_INSTRUCTIONS;

	if (!(event->attr.config & PCS_SNAPSHOT))
		return !pcs_is_snapshot(sample);
	if (event->attr.config2)
		has |= ARM_PCSAMPLE_HAS_COUNTED;
	return pcs_is_snapshot(sample) && (sample->raw.has & has) == has;
}

/* Run on a CPU until one of the events has a sample of it */
static bool is_sampled(struct pcs_event **events, int nr, int cpu)
{
	uint64_t deadline = pcs_now() + PATIENCE;
	struct pcs_sample sample;
	int i;

	pcs_pin(0, cpu);
	do {
		for (i = 0; i < nr; i++)
			while (pcs_next(events[i], &sample))
				if (sample.cpu == cpu && is_complete(events[i], &sample))
					return true;
	} while (pcs_now() < deadline);
	return false;
}

static void expect_balance(struct machine *m, int cpu)
{
	struct __test_metadata *_metadata = m->metadata;
	struct pcs_account account;

	pcs_read_account(cpu, &account);
	EXPECT_EQ(0, pcs_account_gap(&account))
		TH_LOG("the ledger of CPU%d", cpu);
}

/* Of each CPU that the events, which run, are to sample */
static void expect_samples(struct machine *m, struct pcs_event **events, int nr)
{
	struct __test_metadata *_metadata = m->metadata;
	uint64_t mask = events[0]->attr.config1;
	cpu_set_t blocks, all;
	int cpu;

	pcs_read_cpulist("caps/blocks", &blocks);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++) {
		if (!CPU_ISSET(cpu, &blocks) || (mask && !(mask & 1ULL << cpu)))
			continue;
		EXPECT_TRUE(is_sampled(events, nr, cpu))
			TH_LOG("no sample of CPU%d", cpu);
		expect_balance(m, cpu);
	}
	expect_balance(m, -1);
	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
}

static void start_events(struct machine *m)
{
	struct perf_event_attr attr;
	cpu_set_t readers;
	int cpu;

	pcs_attr_init(&attr, PERIOD);
	pcs_read_cpulist("cpumask", &readers);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++) {
		if (!CPU_ISSET(cpu, &readers))
			continue;
		m->running[m->nr_running] = pcs_open(&attr, cpu, 2);
		pcs_enable(m->running[m->nr_running++]);
	}
}

static void stop_events(struct machine *m)
{
	while (m->nr_running)
		pcs_close(m->running[--m->nr_running]);
}

/* Nothing is left of events: -EBUSY would be for one that was not closed. */
static void expect_idle(struct machine *m)
{
	struct __test_metadata *_metadata = m->metadata;
	char users[16];

	EXPECT_EQ(0, pcs_write_file("readers", m->readers));
	EXPECT_TRUE(blocks_are_let_go(m));
	read_line(MODULE "refcnt", users, sizeof(users));
	EXPECT_STREQ("0", users);
}

static void expect_works(struct machine *m)
{
	struct __test_metadata *_metadata = m->metadata;
	bool with_events = m->nr_running;
	char blocks[64];

	ASSERT_GE(pcs_read_file("caps/blocks", blocks, sizeof(blocks)), 0);
	ASSERT_STREQ(m->blocks, blocks);
	if (!with_events)
		start_events(m);
	expect_samples(m, m->running, m->nr_running);
	if (!with_events) {
		stop_events(m);
		expect_idle(m);
	}
}

/*
 * kmemleak reports what it has found in two scans, and only objects that are 5 s old by then. What
 * is still known to a register or a list that was just being changed is found in a later scan.
 */
static void expect_no_leaks(struct machine *m)
{
	struct __test_metadata *_metadata = m->metadata;
	char leaks[2048];
	int scans = 5;

	if (access(LEAKS, F_OK))
		return;
	pcs_sleep(6000000000ULL);
	ASSERT_EQ(0, pcs_write_path(LEAKS, "scan"));
	do {
		int fd = open(LEAKS, O_RDONLY);
		ssize_t len;

		ASSERT_EQ(0, pcs_write_path(LEAKS, "scan"));
		len = read(fd, leaks, sizeof(leaks) - 1);
		ASSERT_GE(len, 0);
		leaks[len] = 0;
		close(fd);
	} while (leaks[0] && --scans);
	EXPECT_EQ(0, leaks[0])
		TH_LOG("%s", leaks);
}

FIXTURE_SETUP(faults)
{
	struct utsname name;
	char pattern[256];
	glob_t found;

	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	self->own_fail_nth = open_fail_nth("thread-self");
	if (self->own_fail_nth < 0)
		SKIP(return, "this kernel injects no faults (CONFIG_FAULT_INJECTION)");
	ASSERT_EQ(0, count_all_allocations());
	ASSERT_EQ(0, access(LEAKS, F_OK) ? 0 : pcs_write_path(LEAKS, "clear"));

	self->metadata = _metadata;
	self->log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	ASSERT_GE(self->log, 0);
	lseek(self->log, 0, SEEK_END);
	pcs_read_file("caps/blocks", self->blocks, sizeof(self->blocks));
	pcs_read_file("caps/snapshots", self->snapshots, sizeof(self->snapshots));
	pcs_read_file("readers", self->readers, sizeof(self->readers));
	self->target = pcs_first_target();
	self->reader = pcs_reader_of(self->target);
	ASSERT_EQ(0, glob(DEVICES, GLOB_BRACE, NULL, &self->devices));

	uname(&name);
	snprintf(pattern, sizeof(pattern), "/lib/modules/%s/extra/arm_pcsample.ko", name.release);
	if (!glob(pattern, 0, NULL, &found))
		snprintf(self->file, sizeof(self->file), "%s", found.gl_pathv[0]);
	globfree(&found);
	self->idle_status = "suspended";
	pcs_attr_init(&self->attr, PERIOD);
}

FIXTURE_TEARDOWN(faults)
{
	fail_within(&anywhere);
}

/*
 * Each allocation of an operation
 */

/* Run it with one allocation that fails; returns whether one did. */
static bool run_with_fault(struct machine *m, const struct operation *op, unsigned int n)
{
	struct __test_metadata *_metadata = m->metadata;
	int fail_nth = op->fail_nth ?: m->own_fail_nth;
	bool failed;
	int ret;

	if (op->prepare)
		op->prepare(m);
	log_has_reason(m->log);
	ASSERT_EQ(0, fail_within(&op->within));
	set_fail_nth(fail_nth, n);
	ret = op->run(m);
	failed = has_failed(fail_nth);
	set_fail_nth(fail_nth, 0);
	ASSERT_EQ(0, fail_within(&anywhere));

	EXPECT_TRUE(!ret || (failed && (ret == -ENOMEM || ret == op->fails_with)))
		TH_LOG("allocation %u: %s", n, strerror(-ret));
	if (ret && op->repair)
		op->repair(m);
	if (!ret && op->undo)
		op->undo(m);
	return failed;
}

static void run_without_fault(struct machine *m, const struct operation *op)
{
	struct __test_metadata *_metadata = m->metadata;

	if (op->prepare)
		op->prepare(m);
	ASSERT_EQ(0, op->run(m));
	if (op->undo)
		op->undo(m);
}

static void fail_each_allocation(struct machine *m, const struct operation *op)
{
	struct __test_metadata *_metadata = m->metadata;
	unsigned int n = 0;
	bool failed;

	do {
		if (op->with_events)
			start_events(m);
		failed = run_with_fault(m, op, ++n);
		run_without_fault(m, op);
		expect_works(m);
		if (op->with_events) {
			stop_events(m);
			expect_idle(m);
		}
		if (!__test_passed(_metadata))
			TH_LOG("after allocation %u", n);
	} while (failed && __test_passed(_metadata) && n < MOST_FAULTS);
	EXPECT_FALSE(failed);
	EXPECT_GT(n, 1)
		TH_LOG("it allocates nothing");
	TH_LOG("%u allocations", n - 1);
	if (__test_passed(_metadata))
		expect_no_leaks(m);
}

/*
 * Events
 */

static int open_event(struct machine *m)
{
	return pcs_try_record(&m->attr, m->reader, 1, &m->event);
}

static bool counts(struct pcs_event *event)
{
	uint64_t deadline = pcs_now() + PATIENCE;

	while (!pcs_count(event) && pcs_now() < deadline)
		pcs_sleep(1000000);
	return pcs_count(event);
}

static void use_event(struct machine *m)
{
	struct __test_metadata *_metadata = m->metadata;

	pcs_enable(m->event);
	if (m->attr.sample_period)
		expect_samples(m, &m->event, 1);
	else
		EXPECT_TRUE(counts(m->event));
	pcs_close(m->event);
}

static const struct operation opening = {
	.run = open_event,
	.undo = use_event,
	.within = ANYWHERE,
};

TEST_F_TIMEOUT(faults, open_an_event, TIME_LIMIT)
{
	self->attr.config1 = 1ULL << self->target;
	fail_each_allocation(self, &opening);
}

TEST_F_TIMEOUT(faults, open_an_event_that_counts, TIME_LIMIT)
{
	self->attr.sample_period = 0;
	fail_each_allocation(self, &opening);
}

TEST_F_TIMEOUT(faults, open_an_event_beside_others, TIME_LIMIT)
{
	struct operation another = opening;

	another.with_events = true;
	self->attr.config1 = 1ULL << self->target;
	fail_each_allocation(self, &another);
}

/* While there is an event that counts something else, an event is refused with -EBUSY. */
static void change_counter(struct machine *m)
{
	bool other = m->attr.config2 == COUNTER(BR_RETIRED);

	m->attr.config2 = other ? COUNTER(PC_WRITE) : COUNTER(BR_RETIRED);
}

TEST_F_TIMEOUT(faults, open_an_event_with_snapshots, TIME_LIMIT)
{
	struct operation op = opening;

	if (!self->snapshots[0])
		SKIP(return, "no CPU of this machine has PMU snapshots");
	op.prepare = change_counter;
	self->attr.config = PCS_SNAPSHOT;
	self->attr.config1 = 1ULL << self->target;
	fail_each_allocation(self, &op);
}

/*
 * Files
 */

static int write_readers(struct machine *m)
{
	return pcs_write_file("readers", m->readers);
}

TEST_F_TIMEOUT(faults, write_readers, TIME_LIMIT)
{
	static const struct operation writing = { .run = write_readers, .within = ANYWHERE };

	fail_each_allocation(self, &writing);
}

static int read_file(struct machine *m)
{
	int fd = open(m->file, O_RDONLY), ret = 0;
	char text[4096] = "";	/* it has its pages before the kernel writes there */

	if (fd < 0)
		return -errno;
	if (read(fd, text, sizeof(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

TEST_F_TIMEOUT(faults, read_files, TIME_LIMIT)
{
	static const char * const patterns[] = {
		PCS_SYSFS "cpumask", PCS_SYSFS "caps/*", PCS_SYSFS "ledger/{total,cpu0}",
		MODULE "parameters/mdrar",
	};
	static const struct operation reading = { .run = read_file, .within = ANYWHERE };
	unsigned int n, i;
	glob_t files;
	size_t file;

	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		ASSERT_EQ(0, glob(patterns[i], GLOB_BRACE | (i ? GLOB_APPEND : 0), NULL, &files));
	for (file = 0; file < files.gl_pathc; file++) {
		snprintf(self->file, sizeof(self->file), "%s", files.gl_pathv[file]);
		for (n = 1; run_with_fault(self, &reading, n); n++)
			run_without_fault(self, &reading);
		EXPECT_GT(n, 1)
			TH_LOG("%s: nothing is allocated", self->file);
	}
	expect_works(self);
	expect_no_leaks(self);
}

/*
 * Blocks
 */

static int rebind_first(struct machine *m)
{
	return pcs_write_path(REBIND, "0");
}

static void expect_all_balance(struct machine *m)
{
	cpu_set_t blocks;
	int cpu;

	pcs_read_cpulist("caps/blocks", &blocks);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, &blocks))
			expect_balance(m, cpu);
	expect_balance(m, -1);
}

/* If a block is missing, the others are there, and have their accounts. */
static void complete(struct machine *m)
{
	expect_all_balance(m);
	probe_all(m);
}

/* The driver core does not pass on why a probe has failed, but logs it. */
static void bind_again(struct machine *m)
{
	struct __test_metadata *_metadata = m->metadata;

	EXPECT_TRUE(log_has_reason(m->log))
		TH_LOG("a block is missing, and the log does not say why");
	complete(m);
}

static void rebind_each(struct machine *m, bool with_events)
{
	struct operation op = {
		.run = rebind_first,
		.repair = bind_again,
		.fails_with = -EAGAIN,
		.with_events = with_events,
		.within = functions_of("arm_pcsample"),
	};

	fail_each_allocation(m, &op);
	system("rmmod pcs_storm");
}

TEST_F_TIMEOUT(faults, unbind_and_bind, TIME_LIMIT)
{
	if (system("modprobe -q pcs_storm") || access(REBIND, W_OK))
		SKIP(return, "no module pcs_storm here");
	rebind_each(self, false);
}

TEST_F_TIMEOUT(faults, unbind_and_bind_with_events, TIME_LIMIT)
{
	if (system("modprobe -q pcs_storm") || access(REBIND, W_OK))
		SKIP(return, "no module pcs_storm here");
	rebind_each(self, true);
}

/*
 * CPUs
 */

static int take_offline(struct machine *m)
{
	return pcs_set_online(m->away, false);
}

static int take_online(struct machine *m)
{
	return pcs_set_online(m->away, true);
}

static void be_offline(struct machine *m)
{
	struct __test_metadata *_metadata = m->metadata;

	ASSERT_EQ(0, take_offline(m));
}

static void be_online(struct machine *m)
{
	struct __test_metadata *_metadata = m->metadata;

	ASSERT_EQ(0, take_online(m));
}

static const struct operation going = {
	.run = take_offline,
	.undo = be_online,
	.with_events = true,
	.within = ANYWHERE,
};

static const struct operation coming = {
	.prepare = be_offline,
	.run = take_online,
	.repair = be_online,
	.with_events = true,
	.within = ANYWHERE,
};

/* With three CPUs or more the last one does not read. */
static int last_target(void)
{
	cpu_set_t blocks;

	pcs_read_cpulist("caps/blocks", &blocks);
	return pcs_last_cpu(&blocks);
}

TEST_F_TIMEOUT(faults, a_target_goes, TIME_LIMIT)
{
	self->away = last_target();
	fail_each_allocation(self, &going);
}

TEST_F_TIMEOUT(faults, a_target_comes, TIME_LIMIT)
{
	self->away = last_target();
	fail_each_allocation(self, &coming);
}

TEST_F_TIMEOUT(faults, a_reader_goes, TIME_LIMIT)
{
	self->away = self->reader ?: pcs_reader_of(self->reader);
	fail_each_allocation(self, &going);
}

/* What of the CPU's own bringing up is done on it */
static int open_fail_nth_of_hotplug(int cpu)
{
	char name[32], now[32], task[32];
	glob_t found;
	size_t i;
	int fd = -1;

	snprintf(name, sizeof(name), "cpuhp/%d", cpu);
	glob("/proc/[0-9]*/comm", 0, NULL, &found);
	for (i = 0; i < found.gl_pathc && fd < 0; i++) {
		read_line(found.gl_pathv[i], now, sizeof(now));
		if (strcmp(now, name))
			continue;
		snprintf(task, sizeof(task), "%d", atoi(found.gl_pathv[i] + strlen("/proc/")));
		fd = open_fail_nth(task);
	}
	globfree(&found);
	return fd;
}

TEST_F_TIMEOUT(faults, a_target_comes_and_its_own_thread_fails, TIME_LIMIT)
{
	struct operation op = coming;

	self->away = last_target();
	op.fail_nth = open_fail_nth_of_hotplug(self->away);
	ASSERT_GE(op.fail_nth, 0);
	fail_each_allocation(self, &op);
}

/*
 * A CPU comes, and there is no memory for its counters, which a work item makes. It is sampled
 * without counts, until the next event has counters made.
 */
TEST_F_TIMEOUT(faults, a_cpu_comes_and_gets_no_counters, TIME_LIMIT)
{
	const char *left = "/sys/kernel/debug/failslab/times";
	struct range driver = functions_of("arm_pcsample");
	struct pcs_event *waiting;

	if (!self->snapshots[0])
		SKIP(return, "no CPU of this machine has PMU snapshots");
	self->away = last_target();
	self->attr.config = PCS_SNAPSHOT;
	self->attr.config1 = 1ULL << self->away;
	self->reader = pcs_reader_of(self->away);
	waiting = pcs_open(&self->attr, self->reader, 8);
	be_offline(self);
	ASSERT_EQ(0, fail_within(&driver));
	ASSERT_EQ(0, pcs_write_path(left, "1000"));
	ASSERT_EQ(0, pcs_write_path("/sys/kernel/debug/failslab/probability", "100"));
	be_online(self);
	while (pcs_read_number(left) == 1000)
		pcs_sleep(1000000);
	ASSERT_EQ(0, pcs_write_path("/sys/kernel/debug/failslab/probability", "0"));
	ASSERT_EQ(0, pcs_write_path(left, "-1"));
	ASSERT_EQ(0, fail_within(&anywhere));

	ASSERT_EQ(0, open_event(self));
	use_event(self);
	self->event = waiting;
	use_event(self);
	expect_works(self);
	expect_no_leaks(self);
}

/*
 * The module
 */

static bool is_loaded(void)
{
	return !access(MODULE, F_OK);
}

static void unload(struct machine *m)
{
	struct __test_metadata *_metadata = m->metadata;

	if (is_loaded())
		ASSERT_EQ(0, syscall(SYS_delete_module, "arm_pcsample", O_NONBLOCK))
			TH_LOG("%s", strerror(errno));
}

static int load(struct machine *m)
{
	int fd = open(m->file, O_RDONLY | O_CLOEXEC);
	int ret = fd < 0 || syscall(SYS_finit_module, fd, m->parameters, 0) ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return ret;
}

static void expect_nothing(struct machine *m)
{
	struct __test_metadata *_metadata = m->metadata;
	glob_t left;

	EXPECT_FALSE(is_loaded());
	EXPECT_EQ(GLOB_NOMATCH, glob("/sys/bus/{event_source,platform}/devices/arm_pcsample*",
				     GLOB_BRACE, NULL, &left));
}

/*
 * Where the module will be is not known, but that it is close to the kernel, which has nothing else
 * that far below its own functions. -EINVAL is what the driver core says of a driver for whose
 * links in sysfs it has no memory.
 */
static void load_each(struct machine *m)
{
	struct __test_metadata *_metadata = m->metadata;
	struct range kernel = functions_of(NULL), now = functions_of("arm_pcsample");
	struct operation op = {
		.prepare = unload,
		.run = load,
		.undo = complete,
		.repair = expect_nothing,
		.fails_with = -EINVAL,
		.within = { kernel.start - (2ULL << 30), kernel.start },
	};

	ASSERT_LT(now.start, now.end);
	ASSERT_GE(now.start, op.within.start);
	ASSERT_LE(now.end, op.within.end);
	fail_each_allocation(m, &op);
}

TEST_F_TIMEOUT(faults, load_the_module, TIME_LIMIT)
{
	if (access(MODULE "refcnt", R_OK) || access(self->file, R_OK))
		SKIP(return, "arm_pcsample is no module here");
	self->parameters = "";
	load_each(self);
}

/* The block given by hand is one that has a device: another device for it is made, and refused. */
TEST_F_TIMEOUT(faults, load_the_module_with_parameters, TIME_LIMIT)
{
	char parameters[128];
	uint64_t address;

	if (access(MODULE "refcnt", R_OK) || access(self->file, R_OK))
		SKIP(return, "arm_pcsample is no module here");
	address = strtoull(strrchr(self->devices.gl_pathv[0], '/') + 1, NULL, 16);
	snprintf(parameters, sizeof(parameters), "panic_dump=1 readers=1-2 blocks=0@%#" PRIx64,
		 address);
	self->parameters = parameters;
	self->idle_status = "active";
	snprintf(self->readers, sizeof(self->readers), "1-2");
	load_each(self);
	unload(self);
	EXPECT_EQ(0, system("modprobe arm_pcsample"));
}

TEST_HARNESS_MAIN
