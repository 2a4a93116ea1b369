// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU arm_profexc: which events it accepts, what it counts, and its records. Events come from
 * the module's debugfs, and from overflows of the real PMU. The tests ask the module whether those
 * are exceptions or interrupts, and work for both.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/arm_profexc.h>

#include "kselftest_harness.h"

#define PMU	"/sys/bus/event_source/devices/arm_profexc/"
#define DEBUGFS	"/sys/kernel/debug/arm_profexc/"
#define RING_PAGES 16

/* Files */

/* Read a file without the newline; 0 or -errno */
static int read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t length;

	if (fd < 0)
		return -errno;
	length = read(fd, text, size - 1);
	close(fd);
	if (length < 0)
		return -errno;
	text[length] = 0;
	text[strcspn(text, "\n")] = 0;
	return 0;
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* Is a CPU in the list in a file of caps/? */
static bool in_caps(const char *name, int cpu)
{
	char path[128], text[256], *p = text;
	long first, last;

	snprintf(path, sizeof(path), PMU "caps/%s", name);
	if (read_file(path, text, sizeof(text)))
		return false;
	while (*p) {
		first = strtol(p, &p, 10);
		last = first;
		if (*p == '-')
			last = strtol(p + 1, &p, 10);
		if (cpu >= first && cpu <= last)
			return true;
		if (*p == ',')
			p++;
		else
			break;
	}
	return false;
}

static int mode_of_pmu(int cpu)
{
	return in_caps("pmu_exceptions", cpu) ? ARM_PROFEXC_MODE_EXCEPTION : ARM_PROFEXC_MODE_IRQ;
}

static int inject(const char *format, int cpu, uint64_t value)
{
	char line[64];

	snprintf(line, sizeof(line), format, cpu, (unsigned long long)value);
	return write_file(DEBUGFS "inject", line);
}

/* The sum of the lines of stats for a CPU that end in "NAME NUMBER"; @name NULL: the classes */
static uint64_t stats(int cpu, const char *name)
{
	char line[128], first[16], second[32], third[32];
	unsigned long long sum = 0, n;
	FILE *file = fopen(DEBUGFS "stats", "r");
	char prefix[16];

	if (!file)
		return 0;
	snprintf(prefix, sizeof(prefix), "cpu%d", cpu);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%15s %31s %31s %llu", first, second, third, &n) == 4) {
			if (!strcmp(first, prefix) && (!name || !strcmp(third, name)))
				sum += n;
		} else if (name && sscanf(line, "%15s %31s %llu", first, second, &n) == 3) {
			if (!strcmp(first, prefix) && !strcmp(second, name))
				sum += n;
		}
	}
	fclose(file);
	return sum;
}

/* Events */

static uint32_t pmu_type;

static void attr_init(struct perf_event_attr *attr, uint64_t event)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = pmu_type;
	attr->config = event;
	attr->exclude_guest = 1;
}

/* A file descriptor, or -errno */
static int try_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int try(struct perf_event_attr *attr)
{
	int fd = try_open(attr, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static int open_counter(uint64_t event, uint64_t mode, int cpu)
{
	struct perf_event_attr attr;

	attr_init(&attr, event);
	attr.config1 = mode;
	return try_open(&attr, -1, cpu);
}

static uint64_t count_of(int fd)
{
	uint64_t count = 0;

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		return UINT64_MAX;
	return count;
}

/* An event with a ring buffer */
struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	uint64_t lost;
};

struct sample {
	uint64_t ip;
	uint32_t cpu;
	uint32_t raw_size;
	struct arm_profexc_record raw;
};

static bool ring_open(struct ring *ring, struct perf_event_attr *attr, pid_t pid, int cpu)
{
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
	ring->lost = 0;
	ring->fd = try_open(attr, pid, cpu);
	if (ring->fd < 0)
		return false;
	ring->page = mmap(NULL, (RING_PAGES + 1) * getpagesize(), PROT_READ | PROT_WRITE,
			  MAP_SHARED, ring->fd, 0);
	return ring->page != MAP_FAILED;
}

static void ring_close(struct ring *ring)
{
	munmap(ring->page, (RING_PAGES + 1) * getpagesize());
	close(ring->fd);
}

static void ring_copy(struct ring *ring, uint64_t from, void *to, size_t size)
{
	const char *data = (char *)ring->page + getpagesize();
	size_t total = RING_PAGES * getpagesize();
	size_t i;

	for (i = 0; i < size; i++)
		((char *)to)[i] = data[(from + i) % total];
}

static bool ring_next(struct ring *ring, struct sample *sample)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	struct perf_event_header header;
	bool found = false;

	while (!found && tail < head) {
		ring_copy(ring, tail, &header, sizeof(header));
		if (header.type == PERF_RECORD_LOST) {
			uint64_t lost;

			ring_copy(ring, tail + sizeof(header) + 8, &lost, sizeof(lost));
			ring->lost += lost;
		} else if (header.type == PERF_RECORD_SAMPLE) {
			uint64_t at = tail + sizeof(header);

			ring_copy(ring, at, &sample->ip, 8);
			ring_copy(ring, at + 8, &sample->cpu, 4);
			ring_copy(ring, at + 16, &sample->raw_size, 4);
			ring_copy(ring, at + 20, &sample->raw, sizeof(sample->raw));
			found = true;
		}
		tail += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	return found;
}

/* The real PMU */

/* An event of cycles that overflows each @period; without a buffer it writes no samples */
static int open_cycles(pid_t pid, int cpu, uint64_t period)
{
	struct perf_event_attr attr;

	attr_init(&attr, PERF_COUNT_HW_CPU_CYCLES);
	attr.type = PERF_TYPE_HARDWARE;
	attr.sample_period = period;
	attr.disabled = 1;
	return try_open(&attr, pid, cpu);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Work in user space and kernel until the counter @fd reaches @least; false if it does not */
static bool work_until(int fd, uint64_t least)
{
	volatile unsigned int i;
	int rounds;

	for (rounds = 0; rounds < 200000 && count_of(fd) < least; rounds++) {
		for (i = 0; i < 10000; i++)
			;
		getppid();
	}
	return count_of(fd) >= least;
}

/* Fixture */

#define WATCHDOG "/proc/sys/kernel/nmi_watchdog"

FIXTURE(profexc)
{
	int nr_cpus;
	char watchdog[16];
};

FIXTURE_SETUP(profexc)
{
	char text[32];

	if (access(PMU, F_OK) && system("modprobe -q arm_profexc 2>/dev/null"))
		SKIP(return, "no module arm_profexc here");
	if (read_file(PMU "type", text, sizeof(text)))
		SKIP(return, "no PMU arm_profexc here");
	pmu_type = strtoul(text, NULL, 10);
	if (access(DEBUGFS "inject", W_OK))
		SKIP(return, "no debugfs, or not root");
	self->nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);

	/* The hard lockup detector is a perf event itself */
	if (read_file(WATCHDOG, self->watchdog, sizeof(self->watchdog)))
		self->watchdog[0] = 0;
	write_file(WATCHDOG, "0");
}

FIXTURE_TEARDOWN(profexc)
{
	if (self->watchdog[0])
		write_file(WATCHDOG, self->watchdog);
}

/* Events that are accepted */

TEST_F(profexc, named_events_are_accepted)
{
	DIR *dir = opendir(PMU "events");
	uint64_t seen[64] = {}, event;
	struct perf_event_attr attr;
	struct dirent *entry;
	int nr = 0, i;

	ASSERT_NE(NULL, dir);
	while ((entry = readdir(dir))) {
		char path[320], text[64];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), PMU "events/%s", entry->d_name);
		ASSERT_EQ(0, read_file(path, text, sizeof(text)));
		ASSERT_EQ(0, strncmp(text, "event=0x", 8));
		event = strtoull(text + 8, NULL, 16);
		for (i = 0; i < nr; i++)
			EXPECT_NE(seen[i], event);
		ASSERT_LT(nr, 64);
		seen[nr++] = event;
		attr_init(&attr, event);
		EXPECT_EQ(0, try(&attr))
			TH_LOG("%s", entry->d_name);
	}
	closedir(dir);
	EXPECT_EQ(18, nr);
}

TEST_F(profexc, other_configurations_are_refused)
{
	struct perf_event_attr attr;
	int bit;

	attr_init(&attr, 0x04);
	EXPECT_EQ(-EINVAL, try(&attr));
	for (bit = 8; bit < 64; bit++) {
		attr_init(&attr, 1ULL << bit);
		EXPECT_EQ(-EINVAL, try(&attr))
			TH_LOG("config bit %d", bit);
	}
	for (bit = 0; bit < 64; bit++) {
		attr_init(&attr, 0);
		attr.config1 = 1ULL << bit;
		EXPECT_EQ(bit < 2 ? 0 : -EINVAL, try(&attr))
			TH_LOG("config1 bit %d", bit);
		attr_init(&attr, 0);
		attr.config2 = 1ULL << bit;
		EXPECT_EQ(-EINVAL, try(&attr))
			TH_LOG("config2 bit %d", bit);
	}
	attr_init(&attr, 0);
	attr.config1 = 3;
	EXPECT_EQ(-EINVAL, try(&attr));
}

TEST_F(profexc, what_cannot_be_observed_is_refused)
{
	struct perf_event_attr attr;

	attr_init(&attr, 0);
	attr.precise_ip = 1;
	EXPECT_EQ(-EOPNOTSUPP, try(&attr));
	attr_init(&attr, 0);
	attr.exclude_host = 1;
	attr.exclude_guest = 0;
	EXPECT_EQ(-EOPNOTSUPP, try(&attr));
	attr_init(&attr, 0);
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	attr.sample_period = 1;
	EXPECT_GT(0, try(&attr));
}

TEST_F(profexc, lines_that_inject_refuses)
{
	static const char * const bad[] = {
		"pmu", "pmu x", "pmu 0 x", "pmu -1 0", "trbe 0", "trbe 0 x", "spe 0", "trbe",
		"pmu 0                                                                  ",
	};
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(-EINVAL, write_file(DEBUGFS "inject", bad[i]))
			TH_LOG("line %u", i);
	EXPECT_EQ(-ENXIO, inject("pmu %d", 100000, 0));
	EXPECT_EQ(-ENXIO, inject("trbe %d %llx", 100000, 0));
}

/* PMU overflows by debugfs */

TEST_F(profexc, an_overflow_counts_once)
{
	int cpu;

	for (cpu = 0; cpu < self->nr_cpus; cpu++) {
		int mode = mode_of_pmu(cpu);
		int any = open_counter(ARM_PROFEXC_EVENT_ANY, 0, cpu);
		int pmu = open_counter(ARM_PROFEXC_EVENT_PMU, mode, cpu);
		int async = open_counter(ARM_PROFEXC_PMU_ASYNC, 0, cpu);
		int other = open_counter(ARM_PROFEXC_EVENT_ANY, 3 - mode, cpu);
		int trbe = open_counter(ARM_PROFEXC_EVENT_TRBE, 0, cpu);
		uint64_t before = stats(cpu, "pmu_async"), seq = stats(cpu, "seq");

		ASSERT_LE(0, any);
		ASSERT_LE(0, trbe);
		ASSERT_EQ(0, inject("pmu %d", cpu, 0));
		EXPECT_EQ(1, count_of(any));
		EXPECT_EQ(1, count_of(pmu));
		EXPECT_EQ(1, count_of(async));
		EXPECT_EQ(0, count_of(other));
		EXPECT_EQ(0, count_of(trbe));
		EXPECT_EQ(before + 1, stats(cpu, "pmu_async"));
		EXPECT_EQ(seq + 1, stats(cpu, "seq"));
		close(any);
		close(pmu);
		close(async);
		close(other);
		close(trbe);
	}
}

TEST_F(profexc, an_overflow_counts_on_its_cpu)
{
	int fd;

	if (self->nr_cpus < 2)
		SKIP(return, "one CPU only");
	fd = open_counter(ARM_PROFEXC_EVENT_ANY, 0, 1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, inject("pmu %d", 0, 0));
	EXPECT_EQ(0, count_of(fd));
	close(fd);
}

TEST_F(profexc, filters_by_exception_level)
{
	struct perf_event_attr attr;
	int user, kernel;

	attr_init(&attr, ARM_PROFEXC_EVENT_PMU);
	attr.exclude_kernel = 1;
	user = try_open(&attr, -1, 0);
	ASSERT_LE(0, user);
	attr_init(&attr, ARM_PROFEXC_EVENT_PMU);
	attr.exclude_user = 1;
	kernel = try_open(&attr, -1, 0);
	ASSERT_LE(0, kernel);
	/* The kernel writes the flag, so the exception interrupts the kernel */
	ASSERT_EQ(0, inject("pmu %d", 0, 0));
	EXPECT_EQ(0, count_of(user));
	EXPECT_EQ(1, count_of(kernel));
	close(user);
	close(kernel);
}

TEST_F(profexc, records_of_overflows)
{
	struct perf_event_attr attr;
	struct sample sample;
	uint64_t seq = stats(0, "seq");
	struct ring ring;
	int i;

	attr_init(&attr, ARM_PROFEXC_EVENT_PMU);
	attr.sample_period = 1;
	ASSERT_TRUE(ring_open(&ring, &attr, -1, 0));
	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, inject("pmu %d", 0, 0));
	for (i = 0; i < 10; i++) {
		ASSERT_TRUE(ring_next(&ring, &sample));
		EXPECT_EQ(0, sample.cpu);
		EXPECT_EQ(sizeof(sample.raw), sample.raw_size);
		EXPECT_EQ(sizeof(sample.raw), sample.raw.size);
		EXPECT_EQ(ARM_PROFEXC_PMU_ASYNC, sample.raw.class);
		EXPECT_EQ(ARM_PROFEXC_SOURCE_PMU, sample.raw.source);
		EXPECT_EQ(mode_of_pmu(0), sample.raw.mode);
		EXPECT_NE(0, sample.raw.el);
		EXPECT_EQ(sample.raw.el, (sample.raw.pstate >> 2) & 3);
		EXPECT_EQ(sample.ip, sample.raw.pc);
		EXPECT_EQ(++seq, sample.raw.seq);
		EXPECT_NE(0, sample.raw.pmovs);
		EXPECT_EQ(0, sample.raw.pmiar);
		EXPECT_EQ(0, sample.raw.trbsr);
		EXPECT_EQ(0, sample.raw.record_el);
		EXPECT_EQ(0, sample.raw.flags);
		EXPECT_EQ(sample.raw.mode == ARM_PROFEXC_MODE_EXCEPTION ? 0x3d : 0,
			  sample.raw.esr >> 26);
	}
	EXPECT_FALSE(ring_next(&ring, &sample));
	EXPECT_EQ(0, ring.lost);
	ring_close(&ring);
}

TEST_F(profexc, each_nth_is_a_sample)
{
	struct perf_event_attr attr;
	struct sample sample;
	struct ring ring;
	int i, samples = 0;

	attr_init(&attr, ARM_PROFEXC_EVENT_ANY);
	attr.sample_period = 4;
	ASSERT_TRUE(ring_open(&ring, &attr, -1, 0));
	for (i = 0; i < 12; i++)
		ASSERT_EQ(0, inject("pmu %d", 0, 0));
	EXPECT_EQ(12, count_of(ring.fd));
	while (ring_next(&ring, &sample))
		samples++;
	EXPECT_EQ(3, samples);
	ring_close(&ring);
}

/* Real overflows */

TEST_F(profexc, overflows_of_a_task)
{
	int cycles, of_task, of_cpu, exceptions;

	pin(0);
	cycles = open_cycles(0, -1, 200000);
	if (cycles < 0)
		SKIP(return, "no PMU that overflows here: errno %d", -cycles);
	ASSERT_EQ(0, pmu_type == 0);
	of_cpu = open_counter(ARM_PROFEXC_EVENT_PMU, 0, 0);
	exceptions = open_counter(ARM_PROFEXC_EVENT_PMU, mode_of_pmu(0), 0);
	{
		struct perf_event_attr attr;

		attr_init(&attr, ARM_PROFEXC_EVENT_PMU);
		of_task = try_open(&attr, 0, -1);
	}
	ASSERT_LE(0, of_task);
	ioctl(cycles, PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_TRUE(work_until(of_task, 50));
	ioctl(cycles, PERF_EVENT_IOC_DISABLE, 0);
	/* No other counter runs, so all of these belong to this event */
	EXPECT_EQ(count_of(of_cpu), count_of(exceptions));
	EXPECT_LE(count_of(of_task), count_of(of_cpu));
	EXPECT_GE(count_of(of_task) + 3, count_of(of_cpu));
	close(cycles);
	close(of_task);
	close(of_cpu);
	close(exceptions);
}

/* There is one record for each sample of the PMU's own event, with the same address */
TEST_F(profexc, records_are_the_samples_of_the_pmu)
{
	struct perf_event_attr attr;
	struct ring cycles, seen;
	struct sample a, b;
	int samples = 0, others = 0, work;

	pin(0);
	attr_init(&attr, PERF_COUNT_HW_CPU_CYCLES);
	attr.type = PERF_TYPE_HARDWARE;
	attr.sample_period = 500000;
	attr.disabled = 1;
	if (!ring_open(&cycles, &attr, -1, 0))
		SKIP(return, "no PMU that overflows here");
	attr_init(&attr, ARM_PROFEXC_PMU_ASYNC);
	attr.sample_period = 1;
	ASSERT_TRUE(ring_open(&seen, &attr, -1, 0));
	work = open_counter(ARM_PROFEXC_PMU_ASYNC, 0, 0);
	ioctl(cycles.fd, PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_TRUE(work_until(work, 100));
	ioctl(cycles.fd, PERF_EVENT_IOC_DISABLE, 0);

	while (ring_next(&cycles, &a)) {
		/* An overflow just before the counter stops gives a record, but no sample */
		for (;;) {
			ASSERT_TRUE(ring_next(&seen, &b));
			if (b.ip == a.ip)
				break;
			others++;
		}
		samples++;
	}
	while (ring_next(&seen, &b))
		others++;
	EXPECT_GE(samples, 90);
	EXPECT_LE(others, 3);
	EXPECT_EQ(0, cycles.lost + seen.lost);
	ring_close(&cycles);
	ring_close(&seen);
	close(work);
}

/* Exceptions in user space and those in the kernel add up to those of the CPU */
TEST_F(profexc, filters_share_what_happens)
{
	struct perf_event_attr attr;
	int cycles, all, user, kernel;

	pin(0);
	cycles = open_cycles(-1, 0, 200000);
	if (cycles < 0)
		SKIP(return, "no PMU that overflows here: errno %d", -cycles);
	all = open_counter(ARM_PROFEXC_EVENT_PMU, 0, 0);
	attr_init(&attr, ARM_PROFEXC_EVENT_PMU);
	attr.exclude_kernel = 1;
	user = try_open(&attr, -1, 0);
	attr_init(&attr, ARM_PROFEXC_EVENT_PMU);
	attr.exclude_user = 1;
	kernel = try_open(&attr, -1, 0);
	ASSERT_LE(0, all);
	ASSERT_LE(0, user);
	ASSERT_LE(0, kernel);
	ioctl(cycles, PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_TRUE(work_until(user, 20));
	EXPECT_TRUE(work_until(kernel, 5));
	ioctl(cycles, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(count_of(all), count_of(user) + count_of(kernel));
	close(cycles);
	close(all);
	close(user);
	close(kernel);
}

/* Synchronous exceptions */

#define BR_RETIRED	0x21

/* The type of the PMU if it has precise events of two levels, which are synchronous exceptions */
static int type_of_precise_pmu(void)
{
	static const char devices[] = "/sys/bus/event_source/devices";
	DIR *dir = opendir(devices);
	struct dirent *entry;
	int type = -1;

	while (dir && type < 0 && (entry = readdir(dir))) {
		char path[320], text[32];

		if (strncmp(entry->d_name, "armv8_pmuv3", 11))
			continue;
		snprintf(path, sizeof(path), "%s/%s/caps/max_precise", devices, entry->d_name);
		if (read_file(path, text, sizeof(text)) || atoi(text) < 2)
			continue;
		snprintf(path, sizeof(path), "%s/%s/type", devices, entry->d_name);
		if (!read_file(path, text, sizeof(text)))
			type = atoi(text);
	}
	if (dir)
		closedir(dir);
	return type;
}

/* B, BL; B.cond; CBZ, CBNZ, TBZ, TBNZ; BR, BLR, RET */
static bool is_branch(uint32_t insn)
{
	return (insn & 0x7c000000) == 0x14000000 || (insn & 0xff000000) == 0x54000000 ||
	       (insn & 0x7c000000) == 0x34000000 || (insn & 0xfe000000) == 0xd6000000;
}

/* Each record names a branch of this program, the same one as the PMU's own sample */
TEST_F(profexc, synchronous_records_name_the_instruction)
{
	struct perf_event_attr attr;
	struct ring branches, seen;
	struct sample a, b;
	int type = type_of_precise_pmu(), samples = 0, work;

	if (type < 0 || !in_caps("pmu_exceptions", 0))
		SKIP(return, "no synchronous exceptions here");
	pin(0);
	attr_init(&attr, BR_RETIRED);
	attr.type = type;
	attr.precise_ip = 2;
	attr.exclude_kernel = 1;
	attr.sample_period = 10007;
	attr.disabled = 1;
	ASSERT_TRUE(ring_open(&branches, &attr, 0, -1));
	attr_init(&attr, ARM_PROFEXC_PMU_SYNC);
	attr.sample_period = 1;
	ASSERT_TRUE(ring_open(&seen, &attr, 0, -1));
	work = open_counter(ARM_PROFEXC_PMU_SYNC, ARM_PROFEXC_MODE_EXCEPTION, 0);
	ASSERT_LE(0, work);
	ioctl(branches.fd, PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_TRUE(work_until(work, 100));
	ioctl(branches.fd, PERF_EVENT_IOC_DISABLE, 0);

	while (ring_next(&branches, &a)) {
		ASSERT_TRUE(ring_next(&seen, &b));
		samples++;
		EXPECT_EQ(ARM_PROFEXC_PMU_SYNC, b.raw.class);
		EXPECT_EQ(ARM_PROFEXC_MODE_EXCEPTION, b.raw.mode);
		EXPECT_EQ(0x3d, b.raw.esr >> 26);
		EXPECT_EQ(1, b.raw.esr & 1);
		EXPECT_EQ(0, b.raw.el);
		ASSERT_EQ(0, b.raw.pmiar >> 48);
		EXPECT_EQ(a.ip, b.raw.pmiar);
		EXPECT_TRUE(is_branch(*(uint32_t *)b.raw.pmiar))
			TH_LOG("PMIAR 0x%llx", (unsigned long long)b.raw.pmiar);
	}
	EXPECT_FALSE(ring_next(&seen, &b));
	EXPECT_GE(samples, 100);
	EXPECT_EQ(0, branches.lost + seen.lost);
	ring_close(&branches);
	ring_close(&seen);
	close(work);
}

TEST_F(profexc, users_get_no_kernel_address)
{
	struct perf_event_attr attr;
	struct sample sample;
	struct ring ring;
	int cycles, samples = 0;

	pin(0);
	cycles = open_cycles(0, -1, 200000);
	if (cycles < 0)
		SKIP(return, "no PMU that overflows here: errno %d", -cycles);
	attr_init(&attr, ARM_PROFEXC_EVENT_PMU);
	attr.exclude_kernel = 1;
	attr.sample_period = 1;
	ASSERT_TRUE(ring_open(&ring, &attr, 0, -1));
	ioctl(cycles, PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_TRUE(work_until(ring.fd, 20));
	ioctl(cycles, PERF_EVENT_IOC_DISABLE, 0);
	while (ring_next(&ring, &sample)) {
		samples++;
		EXPECT_EQ(0, sample.raw.el);
		EXPECT_EQ(ARM_PROFEXC_FLAG_HIDDEN, sample.raw.flags & ARM_PROFEXC_FLAG_HIDDEN);
		EXPECT_EQ(0, sample.raw.pc >> 48);
		EXPECT_EQ(0, sample.raw.trbptr | sample.raw.trbbaser | sample.raw.trblimitr);
	}
	EXPECT_GE(samples, 20);
	close(cycles);
	ring_close(&ring);
}

TEST_F(profexc, stats_add_up)
{
	int cpu;

	for (cpu = 0; cpu < self->nr_cpus; cpu++)
		EXPECT_EQ(stats(cpu, "seq"), stats(cpu, NULL));
}

/* Trace buffer events by debugfs */

#define TRBSR_EC(ec)	((uint64_t)(ec) << 26)
#define TRBSR_TRG	(1ULL << 21)
#define TRBSR_WRAP	(1ULL << 20)
#define TRBSR_S		(1ULL << 17)
#define TRBSR_IRQ	(1ULL << 22)

static const struct {
	uint64_t trbsr;
	uint8_t class;
	uint8_t flags;
} trbe_events[] = {
	{ TRBSR_S | TRBSR_WRAP | 1, ARM_PROFEXC_TRBE_FULL,
	  ARM_PROFEXC_FLAG_STOPPED | ARM_PROFEXC_FLAG_WRAP },
	{ TRBSR_WRAP, ARM_PROFEXC_TRBE_WRAP, ARM_PROFEXC_FLAG_WRAP },
	{ TRBSR_TRG, ARM_PROFEXC_TRBE_TRIGGER, ARM_PROFEXC_FLAG_TRG },
	{ TRBSR_S | TRBSR_TRG | 2, ARM_PROFEXC_TRBE_TRIGGER,
	  ARM_PROFEXC_FLAG_STOPPED | ARM_PROFEXC_FLAG_TRG },
	{ TRBSR_EC(0x24) | TRBSR_S | 0x07, ARM_PROFEXC_TRBE_S1_FAULT, ARM_PROFEXC_FLAG_STOPPED },
	{ TRBSR_EC(0x25) | TRBSR_S | 0x0f, ARM_PROFEXC_TRBE_S2_FAULT, ARM_PROFEXC_FLAG_STOPPED },
	{ TRBSR_EC(0x24) | TRBSR_S | 0x28, ARM_PROFEXC_TRBE_GPF, ARM_PROFEXC_FLAG_STOPPED },
	{ TRBSR_EC(0x1e) | TRBSR_S, ARM_PROFEXC_TRBE_GPC, ARM_PROFEXC_FLAG_STOPPED },
	{ TRBSR_EC(0x25) | TRBSR_S | 0x10, ARM_PROFEXC_TRBE_EXTERNAL_ABORT,
	  ARM_PROFEXC_FLAG_STOPPED },
	{ TRBSR_EC(0x24) | TRBSR_S | 0x21, ARM_PROFEXC_TRBE_ALIGNMENT, ARM_PROFEXC_FLAG_STOPPED },
	{ TRBSR_EC(0x1f) | 0x1234, ARM_PROFEXC_TRBE_IMPDEF, 0 },
	{ 0, ARM_PROFEXC_TRBE_OTHER, 0 },
};

TEST_F(profexc, trace_buffer_events)
{
	unsigned int i;
	int cpu, ret;

	if (!in_caps("trbe_exc", 0) || !in_caps("ebep", 0)) {
		ret = inject("trbe %d %llx", 0, 0);
		EXPECT_TRUE(ret == -ENXIO || ret == -EOPNOTSUPP)
			TH_LOG("errno %d", -ret);
		SKIP(return, "CPU 0 has no exception of the trace buffer");
	}
	if (in_caps("trbe_exceptions", 0)) {
		EXPECT_EQ(-EBUSY, inject("trbe %d %llx", 0, 0));
		SKIP(return, "the driver of the trace buffers owns the exceptions");
	}
	/* A driver that has found them to be denied owns them as well */
	ret = inject("trbe %d %llx", 0, 0);
	if (ret == -EOPNOTSUPP || ret == -EPERM || ret == -EBUSY)
		SKIP(return, "the kernel or the firmware does not allow it: errno %d", -ret);
	for (cpu = 0; cpu < self->nr_cpus; cpu++) {
		struct perf_event_attr attr;
		struct sample sample;
		struct ring ring;

		attr_init(&attr, ARM_PROFEXC_EVENT_TRBE);
		attr.sample_period = 1;
		ASSERT_TRUE(ring_open(&ring, &attr, -1, cpu));
		for (i = 0; i < sizeof(trbe_events) / sizeof(trbe_events[0]); i++) {
			ASSERT_EQ(0, inject("trbe %d %llx", cpu, trbe_events[i].trbsr));
			ASSERT_TRUE(ring_next(&ring, &sample));
			EXPECT_EQ(trbe_events[i].class, sample.raw.class)
				TH_LOG("TRBSR 0x%llx", (unsigned long long)sample.raw.trbsr);
			EXPECT_EQ(trbe_events[i].flags, sample.raw.flags);
			EXPECT_EQ(trbe_events[i].trbsr | TRBSR_IRQ, sample.raw.trbsr);
			EXPECT_EQ(ARM_PROFEXC_MODE_EXCEPTION, sample.raw.mode);
			EXPECT_EQ(ARM_PROFEXC_SOURCE_TRBE, sample.raw.source);
			EXPECT_EQ(0x3d, sample.raw.esr >> 26);
			/* In the kernel, at the level that also records the event */
			EXPECT_EQ(sample.raw.el, sample.raw.record_el);
			EXPECT_FALSE(ring_next(&ring, &sample));
		}
		EXPECT_EQ(i, count_of(ring.fd));
		ring_close(&ring);
	}
}

/*
 * Real trace buffer events: the module pcs_trace traces a loop in the kernel, where the driver of
 * the trace buffers takes the exception
 */

#define MAKE	"/sys/module/pcs_trace/parameters/"

static const struct {
	const char *kind;
	uint8_t class;
	uint8_t flags;
	uint8_t ec;
} trbe_happenings[] = {
	{ "full", ARM_PROFEXC_TRBE_FULL, ARM_PROFEXC_FLAG_STOPPED | ARM_PROFEXC_FLAG_WRAP, 0 },
	{ "wrap", ARM_PROFEXC_TRBE_WRAP, ARM_PROFEXC_FLAG_WRAP, 0 },
	{ "trigger", ARM_PROFEXC_TRBE_TRIGGER, ARM_PROFEXC_FLAG_TRG, 0 },
	{ "stop", ARM_PROFEXC_TRBE_TRIGGER, ARM_PROFEXC_FLAG_STOPPED | ARM_PROFEXC_FLAG_TRG, 0 },
	{ "fault", ARM_PROFEXC_TRBE_S1_FAULT, ARM_PROFEXC_FLAG_STOPPED, 0x24 },
	/* By TRBINJ_EL1 of the emulated trace buffer */
	{ "9000000f", ARM_PROFEXC_TRBE_S1_FAULT, ARM_PROFEXC_FLAG_STOPPED, 0x24 },
	{ "94000007", ARM_PROFEXC_TRBE_S2_FAULT, ARM_PROFEXC_FLAG_STOPPED, 0x25 },
	{ "90000028", ARM_PROFEXC_TRBE_GPF, ARM_PROFEXC_FLAG_STOPPED, 0x24 },
	{ "78000000", ARM_PROFEXC_TRBE_GPC, ARM_PROFEXC_FLAG_STOPPED, 0x1e },
	{ "90000010", ARM_PROFEXC_TRBE_EXTERNAL_ABORT, ARM_PROFEXC_FLAG_STOPPED, 0x24 },
	{ "90000021", ARM_PROFEXC_TRBE_ALIGNMENT, ARM_PROFEXC_FLAG_STOPPED, 0x24 },
	{ "7c001234", ARM_PROFEXC_TRBE_IMPDEF, ARM_PROFEXC_FLAG_STOPPED, 0x1f },
};

/* Address of the traced function of pcs_trace; 0 if the kernel does not show it */
static uint64_t traced_function(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long address = 0, found = 0;
	char line[256], name[64];

	while (file && !found && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %*c %63s", &address, name) == 2 &&
		    !strcmp(name, "pcs_trace_branches"))
			found = address;
	if (file)
		fclose(file);
	return found;
}

TEST_F(profexc, trace_buffer_events_that_happen)
{
	uint64_t function;
	char emulated[8];
	unsigned int i;
	int cpu;

	if (!in_caps("trbe_exceptions", 0))
		SKIP(return, "no trace buffer raises exceptions");
	if (access(MAKE "make", W_OK) && system("modprobe -q pcs_trace 2>/dev/null"))
		SKIP(return, "no module pcs_trace here");
	ASSERT_EQ(0, read_file(MAKE "emulated", emulated, sizeof(emulated)));
	function = traced_function();
	ASSERT_NE(0, function);

	for (cpu = 0; cpu < self->nr_cpus; cpu++) {
		struct perf_event_attr attr;
		int user, other, events = 0;
		struct sample sample;
		struct ring ring;
		char line[32];

		attr_init(&attr, ARM_PROFEXC_EVENT_TRBE);
		attr.exclude_kernel = 1;
		user = try_open(&attr, -1, cpu);
		other = open_counter(ARM_PROFEXC_EVENT_TRBE, ARM_PROFEXC_MODE_IRQ, cpu);
		ASSERT_LE(0, user);
		ASSERT_LE(0, other);
		attr_init(&attr, ARM_PROFEXC_EVENT_TRBE);
		attr.sample_period = 1;
		ASSERT_TRUE(ring_open(&ring, &attr, -1, cpu));
		for (i = 0; i < sizeof(trbe_happenings) / sizeof(trbe_happenings[0]); i++) {
			const char *kind = trbe_happenings[i].kind;
			int counter = open_counter(trbe_happenings[i].class, 0, cpu);

			if (kind[0] >= '0' && kind[0] <= '9' && emulated[0] != 'Y')
				break;
			ASSERT_LE(0, counter);
			snprintf(line, sizeof(line), "%d %s", cpu, kind);
			ASSERT_EQ(0, write_file(MAKE "make", line))
				TH_LOG("%s", line);
			ASSERT_TRUE(ring_next(&ring, &sample))
				TH_LOG("%s: no record", line);
			events++;
			EXPECT_EQ(1, count_of(counter));
			EXPECT_EQ(trbe_happenings[i].class, sample.raw.class)
				TH_LOG("%s: TRBSR 0x%llx", line,
				       (unsigned long long)sample.raw.trbsr);
			EXPECT_EQ(trbe_happenings[i].flags, sample.raw.flags)
				TH_LOG("%s", line);
			EXPECT_EQ(trbe_happenings[i].ec, (sample.raw.trbsr >> 26) & 0x3f);
			EXPECT_EQ(ARM_PROFEXC_MODE_EXCEPTION, sample.raw.mode);
			EXPECT_EQ(ARM_PROFEXC_SOURCE_TRBE, sample.raw.source);
			EXPECT_EQ(0x3d, sample.raw.esr >> 26);
			EXPECT_EQ(cpu, sample.cpu);
			EXPECT_EQ(sample.raw.el, sample.raw.record_el);
			EXPECT_EQ(sample.ip, sample.raw.pc);
			EXPECT_TRUE(sample.raw.pc >= function && sample.raw.pc < function + 0x80)
				TH_LOG("%s: PC 0x%llx", line, (unsigned long long)sample.raw.pc);
			EXPECT_LE(sample.raw.trbbaser, sample.raw.trbptr);
			EXPECT_FALSE(ring_next(&ring, &sample))
				TH_LOG("%s: came twice", line);
			close(counter);
		}
		EXPECT_EQ(events, count_of(ring.fd));
		EXPECT_EQ(0, count_of(user));
		EXPECT_EQ(0, count_of(other));
		ring_close(&ring);
		close(user);
		close(other);
	}
}

/* CPUs that go offline */

static int set_online(int cpu, const char *online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return write_file(path, online);
}

TEST_F(profexc, a_cpu_that_goes_and_comes)
{
	int fd, mode;

	if (self->nr_cpus < 2 || access("/sys/devices/system/cpu/cpu1/online", W_OK))
		SKIP(return, "no CPU that can go");
	mode = mode_of_pmu(1);
	fd = open_counter(ARM_PROFEXC_EVENT_ANY, 0, 1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, inject("pmu %d", 1, 0));
	ASSERT_EQ(0, set_online(1, "0"));
	EXPECT_EQ(-ENXIO, inject("pmu %d", 1, 0));
	EXPECT_FALSE(in_caps("pmu_exceptions", 1));
	ASSERT_EQ(0, set_online(1, "1"));
	EXPECT_EQ(mode, mode_of_pmu(1));
	close(fd);

	fd = open_counter(ARM_PROFEXC_EVENT_ANY, mode, 1);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, inject("pmu %d", 1, 0));
	EXPECT_EQ(1, count_of(fd));
	close(fd);
}

TEST_HARNESS_MAIN
