// SPDX-License-Identifier: GPL-2.0-only
/*
 * The results of perf_event_open() and of an event's ioctls, for valid and invalid requests.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

FIXTURE(open)
{
	struct perf_event_attr attr;
	int reader;
};

FIXTURE_SETUP(open)
{
	cpu_set_t readers;

	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	pcs_read_cpulist("cpumask", &readers);
	self->reader = pcs_first_cpu(&readers);
	pcs_attr_init(&self->attr, 1000000);
}

FIXTURE_TEARDOWN(open)
{
}

#define TRY() pcs_try(&self->attr, self->reader)

#define MAX_RATE "/proc/sys/kernel/perf_event_max_sample_rate"

/* Is this kernel older than a release of Linux 6? */
static bool is_before(int release)
{
	struct utsname u;
	int major, minor;

	uname(&u);
	if (sscanf(u.release, "%d.%d", &major, &minor) != 2)
		return false;
	return major < 6 || (major == 6 && minor < release);
}

/* Linux 6.1, in which a driver cannot fill some fields of a sample */
static bool is_old_kernel(void)
{
	return is_before(3);
}

TEST_F(open, a_sampling_event)
{
	EXPECT_EQ(0, TRY());
}

TEST_F(open, a_counting_event)
{
	self->attr.sample_period = 0;
	self->attr.sample_type = 0;
	EXPECT_EQ(0, TRY());
}

TEST_F(open, a_task_is_refused)
{
	EXPECT_EQ(-EINVAL, pcs_try_open(&self->attr, 0, -1, -1, 0));
	EXPECT_EQ(-EINVAL, pcs_try_open(&self->attr, 0, self->reader, -1, 0));
}

TEST_F(open, a_cpu_that_does_not_read_is_refused)
{
	char before[64], one[16];
	int other = self->reader ? 0 : 1;

	ASSERT_GT(pcs_read_file("readers", before, sizeof(before)), 0);
	snprintf(one, sizeof(one), "%d", self->reader);
	ASSERT_EQ(0, pcs_write_file("readers", one));
	EXPECT_EQ(-EINVAL, pcs_try(&self->attr, other));
	EXPECT_EQ(0, pcs_write_file("readers", before));
}

TEST_F(open, unknown_config_bits_are_refused)
{
	cpu_set_t snapshots;
	int bit;

	pcs_read_cpulist("caps/snapshots", &snapshots);
	for (bit = 0; bit < 64; bit++) {
		int expected = -EINVAL;

		if (bit == 8 || bit == 9 || bit == 11)	/* jitter=1, jitter=2 and batch */
			expected = 0;
		if (bit == 10)				/* snapshot */
			expected = CPU_COUNT(&snapshots) ? 0 : -EOPNOTSUPP;
		self->attr.config = 1ULL << bit;
		EXPECT_EQ(expected, TRY())
			TH_LOG("config bit %d", bit);
	}
	self->attr.config = 3 << 8;
	EXPECT_EQ(-EINVAL, TRY());
	self->attr.config = 0;

	for (bit = 0; bit < 64; bit++) {
		self->attr.config2 = 1ULL << bit;
		EXPECT_EQ(bit < 32 ? 0 : -EINVAL, TRY())
			TH_LOG("config2 bit %d", bit);
	}
}

TEST_F(open, config3_and_config4_are_refused)
{
	struct {
		char attr[128];		/* PERF_ATTR_SIZE_VER7 */
		uint64_t config[2];	/* VER8 and VER9 */
	} wide = {};
	struct perf_event_attr *attr = (void *)&wide;
	int i, ret;

	memcpy(&wide, &self->attr, sizeof(wide.attr));
	for (i = 0; i < 2; i++) {
		/* A kernel that does not know the field refuses it, and writes its own size */
		attr->size = sizeof(wide);
		wide.config[i] = 1;
		ret = pcs_try(attr, self->reader);
		EXPECT_TRUE(ret == -EINVAL || ret == -E2BIG)
			TH_LOG("config%d: %d", 3 + i, ret);
		wide.config[i] = 0;
		EXPECT_EQ(0, pcs_try(attr, self->reader));
	}
}

/* A CPU that has not been online is none of caps/blocks; it may have a block all the same. */
TEST_F(open, a_target_without_a_block_is_refused)
{
	cpu_set_t blocks, present, online;
	int cpu;

	pcs_read_cpulist("caps/blocks", &blocks);
	pcs_read_system_cpus("present", &present);
	pcs_read_system_cpus("online", &online);
	for (cpu = 0; cpu < 64; cpu++) {
		if (CPU_ISSET(cpu, &present) && !CPU_ISSET(cpu, &online))
			continue;
		self->attr.config1 = 1ULL << cpu;
		EXPECT_EQ(CPU_ISSET(cpu, &blocks) ? 0 : -EINVAL, TRY())
			TH_LOG("targets bit %d", cpu);
	}
	self->attr.config1 = ~0ULL;
	if (CPU_COUNT(&blocks) < 64)
		EXPECT_EQ(-EINVAL, TRY());
}

TEST_F(open, periods)
{
	char text[32];
	uint64_t min;

	ASSERT_GT(pcs_read_file("caps/min_period", text, sizeof(text)), 0);
	min = strtoull(text, NULL, 10);
	self->attr.sample_period = min - 1;
	EXPECT_EQ(-EINVAL, TRY());
	self->attr.sample_period = 1;
	EXPECT_EQ(-EINVAL, TRY());
	self->attr.sample_period = min;
	EXPECT_EQ(0, TRY());
	self->attr.sample_period = 3600000000000ULL;
	EXPECT_EQ(0, TRY());
	self->attr.sample_period = 3600000000001ULL;
	EXPECT_EQ(-EINVAL, TRY());
	self->attr.sample_period = ~0ULL >> 1;
	EXPECT_EQ(-EINVAL, TRY());
}

/* perf lowers the highest frequency when samples take long, as they do on a busy host. */
TEST_F(open, frequencies)
{
	int common, highest, above;
	uint64_t rate;

	self->attr.freq = 1;
	self->attr.sample_freq = 1;
	EXPECT_EQ(0, TRY());
	do {
		rate = pcs_read_number(MAX_RATE);
		self->attr.sample_freq = rate < 4000 ? rate : 4000;
		common = TRY();
		self->attr.sample_freq = rate;
		highest = TRY();
		self->attr.sample_freq = rate + 1;
		above = TRY();
	} while (rate != pcs_read_number(MAX_RATE));
	EXPECT_EQ(0, common);
	EXPECT_EQ(0, highest);
	EXPECT_EQ(-EINVAL, above);
}

TEST_F(open, what_the_hardware_cannot_do)
{
	struct perf_event_attr good = self->attr;

	self->attr.precise_ip = 1;
	EXPECT_EQ(-EOPNOTSUPP, TRY());

	self->attr = good;
	self->attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	self->attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	EXPECT_EQ(-EOPNOTSUPP, TRY());

	self->attr = good;
	self->attr.sample_type |= PERF_SAMPLE_AUX;
	EXPECT_EQ(-EOPNOTSUPP, TRY());

	self->attr = good;
	self->attr.sigtrap = 1;		/* for events of a task only */
	self->attr.remove_on_exec = 1;
	EXPECT_EQ(-EINVAL, TRY());

	self->attr = good;
	self->attr.aux_output = 1;
	EXPECT_EQ(-EOPNOTSUPP, TRY());
}

TEST_F(open, every_sample_field_there_is)
{
	static const struct {
		uint64_t bit;
		bool needs_new_kernel;
	} fields[] = {
		{ PERF_SAMPLE_IP }, { PERF_SAMPLE_TID }, { PERF_SAMPLE_TIME }, { PERF_SAMPLE_ADDR },
		{ PERF_SAMPLE_READ }, { PERF_SAMPLE_CALLCHAIN }, { PERF_SAMPLE_ID },
		{ PERF_SAMPLE_CPU }, { PERF_SAMPLE_PERIOD }, { PERF_SAMPLE_STREAM_ID },
		{ PERF_SAMPLE_RAW }, { PERF_SAMPLE_WEIGHT }, { PERF_SAMPLE_WEIGHT_STRUCT },
		{ PERF_SAMPLE_DATA_SRC }, { PERF_SAMPLE_IDENTIFIER }, { PERF_SAMPLE_TRANSACTION },
		{ PERF_SAMPLE_PHYS_ADDR }, { PERF_SAMPLE_DATA_PAGE_SIZE },
		{ PERF_SAMPLE_REGS_USER, true }, { PERF_SAMPLE_STACK_USER, true },
		{ PERF_SAMPLE_REGS_INTR, true }, { PERF_SAMPLE_CGROUP, true },
		{ PERF_SAMPLE_CODE_PAGE_SIZE, true },
	};
	unsigned int i;

	self->attr.sample_regs_user = 1;
	self->attr.sample_regs_intr = 1;
	self->attr.sample_stack_user = 8;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		bool refused = fields[i].needs_new_kernel && is_old_kernel();

		/* Without cgroups perf itself refuses this one. */
		if (fields[i].bit == PERF_SAMPLE_CGROUP && access("/proc/cgroups", R_OK))
			continue;
		self->attr.sample_type = fields[i].bit;
		EXPECT_EQ(refused ? -EOPNOTSUPP : 0, TRY())
			TH_LOG("sample_type 0x%llx", (unsigned long long)fields[i].bit);
	}
}

TEST_F(open, filters_and_the_rest_of_attr)
{
	struct perf_event_attr good = self->attr;

	self->attr.exclude_user = 1;
	self->attr.exclude_kernel = 1;
	self->attr.exclude_hv = 1;
	self->attr.exclude_idle = 1;
	self->attr.exclude_host = 1;
	self->attr.exclude_guest = 0;
	EXPECT_EQ(0, TRY());

	self->attr = good;
	self->attr.inherit = 1;
	self->attr.write_backward = 1;
	self->attr.sample_id_all = 1;
	EXPECT_EQ(0, TRY());
}

TEST_F(open, a_group_of_two)
{
	int leader = pcs_try_open(&self->attr, -1, self->reader, -1, 0);
	int second;

	ASSERT_GE(leader, 0);
	self->attr.disabled = 0;
	second = pcs_try_open(&self->attr, -1, self->reader, leader, 0);
	EXPECT_GE(second, 0);
	close(second);
	close(leader);
}

TEST_F(open, the_period_of_an_open_event)
{
	int fd = pcs_try_open(&self->attr, -1, self->reader, -1, 0);
	uint64_t period = 9999;

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-1, ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
	EXPECT_EQ(EINVAL, errno);
	period = 10000;
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
	close(fd);
}

/* Enable the event for this long, and return the number of samples. */
static int samples_in(struct pcs_event *event, uint64_t ns)
{
	struct pcs_sample sample;
	int n = 0;

	pcs_enable(event);
	pcs_sleep(ns);
	pcs_disable(event);
	while (pcs_next(event, &sample))
		n++;
	return n;
}

/* A program that returns @keep: should perf write the sample? */
static int load_bpf(bool keep)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = keep },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr prog = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insns = (uintptr_t)insns,
		.insn_cnt = 2,
		.license = (uintptr_t)"GPL",
	};

	return syscall(SYS_bpf, BPF_PROG_LOAD, &prog, sizeof(prog));
}

/* A module on a kernel that does not export perf_event_overflow() would silently ignore it. */
TEST_F(open, bpf_programs_decide_or_are_refused)
{
	int keep;

	for (keep = 0; keep < 2; keep++) {
		int prog = load_bpf(keep), n;
		struct pcs_event *event;

		if (prog < 0)
			SKIP(return, "no BPF programs for perf events here: %s", strerror(errno));
		event = pcs_open(&self->attr, self->reader, 6);
		if (pcs_in_tree()) {
			ASSERT_EQ(0, ioctl(event->fd, PERF_EVENT_IOC_SET_BPF, prog));
			n = samples_in(event, 500000000);
			EXPECT_EQ(keep, n > 10)
				TH_LOG("%d samples with a program that returns %d", n, keep);
			EXPECT_TRUE(keep || !n);
		} else {
			EXPECT_EQ(-1, ioctl(event->fd, PERF_EVENT_IOC_SET_BPF, prog));
			EXPECT_EQ(EINVAL, errno);
		}
		pcs_close(event);
		close(prog);
	}
}

TEST_F(open, refresh_counts_samples)
{
	uint64_t end = pcs_now() + 10000000000ULL;
	struct pcs_account account;
	struct pcs_event *event;
	struct pcs_sample sample;
	int n = 0;

	if (!pcs_in_tree())
		SKIP(return, "perf does that for drivers of the kernel's tree alone");
	event = pcs_open(&self->attr, self->reader, 6);
	ASSERT_EQ(0, ioctl(event->fd, PERF_EVENT_IOC_REFRESH, 5));
	while (n < 5 && pcs_now() < end) {
		pcs_sleep(10000000);
		while (pcs_next(event, &sample))
			n++;
	}
	/* And no more samples than that */
	pcs_sleep(200000000);
	while (pcs_next(event, &sample))
		n++;
	EXPECT_EQ(5, n);
	pcs_close(event);
	pcs_read_account(-1, &account);
	EXPECT_EQ(0, pcs_account_gap(&account));
}

static bool set_max_rate(uint64_t rate)
{
	FILE *f = fopen(MAX_RATE, "w");
	bool done;

	if (!f)
		return false;
	done = fprintf(f, "%llu\n", (unsigned long long)rate) > 0;
	return !fclose(f) && done;
}

/* perf stops an event with more samples in a tick than allowed, until the next tick. */
TEST_F(open, a_fast_event_is_throttled)
{
	uint64_t before = pcs_read_number(MAX_RATE);
	struct pcs_account account;
	struct pcs_event *event;
	int n;

	if (!pcs_in_tree())
		SKIP(return, "perf does that for drivers of the kernel's tree alone");
	self->attr.sample_period = 50000;
	event = pcs_open(&self->attr, self->reader, 8);
	ASSERT_TRUE(set_max_rate(200));
	n = samples_in(event, 1000000000);
	EXPECT_TRUE(set_max_rate(before));
	/*
	 * The reader is idle but for its reads. There are at least 100 ticks a second, of which it
	 * gets some on a slow host. One sample is allowed in each, and the next one throttles.
	 */
	TH_LOG("%d samples, throttled %llu times", n, (unsigned long long)event->throttled);
	EXPECT_GT(event->throttled, 20);
	EXPECT_LE(n, 2 * event->throttled + 20);
	EXPECT_GT(n, 20);
	pcs_close(event);
	pcs_read_account(-1, &account);
	EXPECT_EQ(0, pcs_account_gap(&account));
}

/* The id of a tracepoint, or 0 */
static uint64_t tracepoint(const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
	return access(path, R_OK) ? 0 : pcs_read_number(path);
}

/* Run and sleep, so that time slices of any length end, for @ns */
static void work_and_sleep(uint64_t ns)
{
	uint64_t end = pcs_now() + ns;

	while (pcs_now() < end)
		pcs_sleep(100000);
}

/* A CPU that @reader reads */
static int target_of(int reader)
{
	cpu_set_t targets;
	int cpu;

	pcs_read_targets(&targets);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, &targets) && pcs_reader_of(cpu) == reader)
			return cpu;
	return -1;
}

/*
 * From Linux 6.16 on perf stops a whole group when one of its events gives too many samples, in the
 * context of that event. With cpu-clock this is a timer of the same CPU. With the tracepoint, which
 * counts ns, it is the scheduler, which holds its lock. All events go on at the next tick. One with
 * batches hands one over there, every other round.
 */
TEST_F_TIMEOUT(open, stopped_with_its_group, 120)
{
	struct perf_event_attr others[] = {
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK },
		{ .type = PERF_TYPE_TRACEPOINT, .config = tracepoint("sched/sched_stat_runtime") },
	};
	uint64_t before = pcs_read_number(MAX_RATE);
	struct pcs_account account;
	struct pcs_event *event;
	int other, n, i, round;
	pid_t pid;

	pcs_pin(0, self->reader);
	/* A CPU that idles may have no sample in 20 ms. */
	pid = pcs_load_start(target_of(self->reader), pcs_load_loop, 0);
	ASSERT_TRUE(set_max_rate(1000));
	self->attr.sample_period = 200000;
	for (i = 0; i < 2; i++) {
		uint64_t throttled = 0;

		if (others[i].type == PERF_TYPE_TRACEPOINT && !others[i].config)
			continue;
		others[i].size = sizeof(others[i]);
		others[i].sample_period = 10000;
		others[i].sample_type = PERF_SAMPLE_IP;
		for (round = 0; round < 10; round++) {
			self->attr.config = round % 2 ? PCS_BATCH : 0;
			event = pcs_open(&self->attr, self->reader, 6);
			other = pcs_try_open(&others[i], -1, self->reader, event->fd, 0);
			ASSERT_GE(other, 0);
			pcs_enable(event);
			work_and_sleep(30000000);
			pcs_disable(event);
			close(other);
			n = samples_in(event, 20000000);
			EXPECT_GT(n, 0)
				TH_LOG("%d, round %d: it does not go on", i, round);
			throttled += event->throttled;
			pcs_close(event);
		}
		TH_LOG("%d: stopped %llu times", i, (unsigned long long)throttled);
		if (!is_before(16))
			EXPECT_GT(throttled, 0);
	}
	pcs_load_stop(pid);
	EXPECT_TRUE(set_max_rate(before));
	pcs_read_account(-1, &account);
	EXPECT_EQ(0, pcs_account_gap(&account));
}

TEST_F(open, readers_do_not_change_under_an_event)
{
	int fd = pcs_try_open(&self->attr, -1, self->reader, -1, 0);
	char readers[64];

	ASSERT_GE(fd, 0);
	ASSERT_GT(pcs_read_file("readers", readers, sizeof(readers)), 0);
	EXPECT_EQ(-EBUSY, pcs_write_file("readers", readers));
	close(fd);
	EXPECT_EQ(0, pcs_write_file("readers", readers));
	EXPECT_EQ(-EINVAL, pcs_write_file("readers", "\n"));
	EXPECT_EQ(-EINVAL, pcs_write_file("readers", "x"));
	EXPECT_EQ(-ERANGE, pcs_write_file("readers", "100000"));
}

TEST_F(open, the_module_stays_while_there_is_an_event)
{
	int fd = pcs_try_open(&self->attr, -1, self->reader, -1, 0);

	ASSERT_GE(fd, 0);
	if (access("/sys/module/arm_pcsample/refcnt", R_OK))
		SKIP(return, "arm_pcsample is built in");
	EXPECT_EQ(-1, syscall(SYS_delete_module, "arm_pcsample", O_NONBLOCK));
	EXPECT_EQ(EAGAIN, errno);
	close(fd);
}

/*
 * A software event has been in a group with one of ours, and remains in its context. Unloading
 * waits for it: half a second would be long for a module that nothing keeps. In the kernel's tree
 * the context holds the module.
 */
TEST_F(open, unloading_waits_for_what_was_in_a_group)
{
	int leader, status;
	pid_t pid;

	if (access("/sys/module/arm_pcsample/refcnt", R_OK))
		SKIP(return, "arm_pcsample is built in");
	leader = pcs_open_former_leader(&self->attr, self->reader);
	ASSERT_GE(leader, 0);
	pid = pcs_unload_start(leader);
	ASSERT_GE(pid, 0);
	if (pcs_in_tree()) {
		ASSERT_TRUE(pcs_ends_within(pid, 10000, &status));
		EXPECT_EQ(EAGAIN, WEXITSTATUS(status));
		close(leader);
		EXPECT_EQ(0, syscall(SYS_delete_module, "arm_pcsample", O_NONBLOCK));
	} else {
		EXPECT_FALSE(pcs_ends_within(pid, 500, &status))
			TH_LOG("unloaded under an event, status %#x", status);
		close(leader);
		ASSERT_TRUE(pcs_ends_within(pid, 10000, &status));
		EXPECT_EQ(0, status);
	}
	EXPECT_EQ(0, system("modprobe arm_pcsample"));
}

/* What probes had made by then goes with the module. */
TEST_F(open, a_module_that_is_not_loaded_leaves_nothing)
{
	if (access("/sys/module/arm_pcsample/refcnt", R_OK))
		SKIP(return, "arm_pcsample is built in");
	ASSERT_EQ(0, system("rmmod arm_pcsample"));
	EXPECT_NE(0, system("modprobe arm_pcsample blocks=0"));
	EXPECT_NE(0, access(PCS_SYSFS, F_OK));
	EXPECT_EQ(0, system("modprobe arm_pcsample"));
}

/*
 * A block that a device has is given by hand, too: refused, and the device's region stays. Loading
 * and unloading so often takes 10 s with KASAN and lockdep, and many times that on a busy host.
 */
TEST_F_TIMEOUT(open, a_block_of_a_device_is_not_had_by_hand, 120)
{
	unsigned long long address = 0;
	char command[128], *end = "";
	glob_t devices;

	if (access("/sys/module/arm_pcsample/refcnt", R_OK))
		SKIP(return, "arm_pcsample is built in");
	if (!glob("/sys/bus/{platform,amba}/drivers/arm_pcsample/*.*", GLOB_BRACE, NULL, &devices))
		address = strtoull(strrchr(devices.gl_pathv[0], '/') + 1, &end, 16);
	if (*end != '.')
		SKIP(return, "no device of a device tree");
	globfree(&devices);
	snprintf(command, sizeof(command), "modprobe arm_pcsample blocks=0@%#llx", address);
	ASSERT_EQ(0, system("rmmod arm_pcsample"));
	EXPECT_EQ(0, system(command));
	EXPECT_EQ(0, system("dmesg | grep -q 'arm_pcsample.*request region'"));
	ASSERT_EQ(0, system("rmmod arm_pcsample"));
	EXPECT_NE(0, system("dmesg | grep 'free nonexistent resource'"));
	EXPECT_EQ(0, system("modprobe arm_pcsample"));
}

#define SPIN "/sys/module/pcs_spin/parameters/"

/* Does the CPU spin with its interrupts masked by now? */
static bool is_wedged(void)
{
	char state = 'N';
	int fd = open(SPIN "wedged", O_RDONLY);

	if (fd < 0 || read(fd, &state, 1) != 1)
		state = 'N';
	close(fd);
	return state == 'Y';
}

/* What became of an event that was opened while its target was stuck */
struct opened {
	volatile bool done;
	volatile int samples;
};

/* The event ends with the process, and may wait for the stuck CPU then. */
static void sample_stuck(struct perf_event_attr *attr, int reader, struct opened *opened)
{
	struct pcs_event *event = pcs_open(attr, reader, 6);

	opened->samples = samples_in(event, 300000000);
	opened->done = true;
	exit(0);
}

/*
 * A CPU that is stuck with its interrupts masked is sampled like any other. Nothing on the way
 * waits for it: not for its answer to an interrupt, nor for the end of an RCU grace period. The
 * driver gives it half a second to answer.
 */
TEST_F_TIMEOUT(open, a_cpu_that_is_stuck_is_sampled, 60)
{
	struct opened *opened = mmap(NULL, sizeof(*opened), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int target = target_of(self->reader);
	char command[64];
	uint64_t end;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, opened);
	ASSERT_GE(target, 0);
	snprintf(command, sizeof(command), "modprobe pcs_spin cpu=%d", target);
	if (system(command))
		SKIP(return, "no module pcs_spin (selftests/modules)");
	pcs_pin(0, self->reader);
	self->attr.config1 = 1ULL << target;
	ASSERT_EQ(0, pcs_write_path(SPIN "wedge", "1"));
	for (end = pcs_now() + 5000000000; !is_wedged() && pcs_now() < end;)
		;
	EXPECT_TRUE(is_wedged());
	pid = fork();
	if (!pid)
		sample_stuck(&self->attr, self->reader, opened);
	for (end = pcs_now() + 7000000000; !opened->done && pcs_now() < end;)
		pcs_sleep(10000000);
	EXPECT_TRUE(is_wedged());
	EXPECT_TRUE(opened->done);
	EXPECT_GT(opened->samples, 20);
	pcs_write_path(SPIN "wedge", "0");
	EXPECT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_EQ(0, syscall(SYS_delete_module, "pcs_spin", 0));
}

TEST_HARNESS_MAIN
