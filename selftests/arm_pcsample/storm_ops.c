// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operations of a storm. CPUs go off and on, and fail to do so. Several threads at once open,
 * change and close events, alone and in groups. Buffers are mapped and unmapped while they fill.
 * Settings change. Recorders are killed. The module, and single blocks, are removed and come back.
 * CPUs enter deep idle states. A guest runs, and a fork bomb explodes in a control group.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pcs_load.h"
#include "pcs_perf.h"
#include "storm.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define US		1000ULL
#define MS		1000000ULL

#define CPUS		"/sys/devices/system/cpu/"
#define MODULE		"/sys/module/arm_pcsample/"
#define STORM_MODULE	"/sys/module/pcs_storm/parameters/"
#define CGROUPS		"/sys/fs/cgroup/"
#define BOMB		CGROUPS "storm/"

/*
 * Files and programs
 */

/* Returns 0 or -errno */
static int write_text(const char *path, const char *format, ...)
{
	char text[64];
	int fd, len, ret;
	va_list ap;

	va_start(ap, format);
	len = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = write(fd, text, len) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

/* Returns the length, or -errno */
static int read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = read(fd, text, size - 1);
	ret = ret < 0 ? -errno : ret;
	close(fd);
	text[ret < 0 ? 0 : ret] = 0;
	return ret;
}

/* Start a program without output; it ends with the caller */
static pid_t start_program(char *const argv[])
{
	pid_t pid = fork();

	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execvp(argv[0], argv);
		_exit(127);
	}
	return pid;
}

static int run_program(char *const argv[])
{
	pid_t pid = start_program(argv);
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool is_program(const char *name)
{
	static const char * const folders[] = { "/usr/bin/", "/usr/sbin/", "/usr/local/bin/" };
	char path[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(folders); i++) {
		snprintf(path, sizeof(path), "%s%s", folders[i], name);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

/*
 * What there is here
 */

static int nr_cpus;
/* CPU hotplug states that may fail; @pmu_state is the index of the driver's, 0 if not found */
static int hotplug_states[256], nr_states, pmu_state;
static bool has_idle_state, has_storm_module, has_cgroup, is_module, has_kcsan;
static char readers_then[64], budget_then[16];

/*
 * The states that may fail while a CPU goes off: from cpu:teardown on. Linux does not allow an
 * earlier state to be set to fail while the CPU is on (write_cpuhp_fail()). If such a state was set
 * while another worker had the CPU off, Linux complains of a "DEAD callback error" when the CPU
 * goes off the next time.
 */
static void find_hotplug_states(void)
{
	FILE *states = fopen(CPUS "hotplug/states", "r");
	char line[128], name[96];
	bool may_fail = false;
	int number;

	while (states && fgets(line, sizeof(line), states)) {
		if (sscanf(line, "%d: %95s", &number, name) != 2)
			continue;
		may_fail |= !strcmp(name, "cpu:teardown");
		if (!may_fail || nr_states == (int)ARRAY_SIZE(hotplug_states))
			continue;
		if (strstr(name, "pcsample"))
			pmu_state = nr_states;
		hotplug_states[nr_states++] = number;
	}
	if (states)
		fclose(states);
}

static bool is_loaded_module(const char *name)
{
	FILE *modules = fopen("/proc/modules", "r");
	char line[256];
	bool found = false;

	while (modules && fgets(line, sizeof(line), modules))
		found |= !strncmp(line, name, strlen(name)) && line[strlen(name)] == ' ';
	if (modules)
		fclose(modules);
	return found;
}

/* Make a control group for the fork bomb */
static bool find_cgroup(void)
{
	if (access(CGROUPS "cgroup.controllers", R_OK))
		mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, NULL);
	write_text(CGROUPS "cgroup.subtree_control", "+pids");
	mkdir(BOMB, 0755);
	return !write_text(BOMB "pids.max", "40") && !access(BOMB "cgroup.kill", W_OK);
}

/* Let KCSAN report only races in functions of the driver. */
static void turn_kcsan_on(void)
{
	static const char kcsan[] = "/sys/kernel/debug/kcsan";
	FILE *symbols = fopen("/proc/kallsyms", "r");
	char line[256], name[128];

	while (symbols && fgets(line, sizeof(line), symbols))
		if (strstr(line, "[arm_pcsample]") && sscanf(line, "%*s %*s %127s", name) == 1)
			write_text(kcsan, "!%s", name);
	if (symbols)
		fclose(symbols);
	write_text(kcsan, "whitelist");
	write_text(kcsan, "on");
}

void storm_look_around(void)
{
	static char *const load[] = { "modprobe", "pcs_storm", NULL };

	nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	if (nr_cpus > PCS_MAX_CPUS)
		nr_cpus = PCS_MAX_CPUS;
	find_hotplug_states();
	has_idle_state = !access(CPUS "cpu0/cpuidle/state1/disable", W_OK);
	run_program(load);
	has_storm_module = !access(STORM_MODULE "rebind", W_OK);
	has_cgroup = find_cgroup();
	is_module = is_loaded_module("arm_pcsample");
	has_kcsan = !access("/sys/kernel/debug/kcsan", W_OK);
	if (has_kcsan)
		turn_kcsan_on();
	read_text(PCS_SYSFS "readers", readers_then, sizeof(readers_then));
	read_text(MODULE "parameters/budget_percent", budget_then, sizeof(budget_then));
}

static const char *missing_hotplug(void)
{
	return access(CPUS "cpu1/online", W_OK) ? "CPUs cannot be taken off" : NULL;
}

static const char *missing_failures(void)
{
	return access(CPUS "cpu1/hotplug/fail", W_OK) || !pmu_state ||
	       pmu_state == nr_states - 1 ? "no way to make CPU hotplug fail" : NULL;
}

static const char *missing_idle_state(void)
{
	return has_idle_state ? NULL : "no idle state that loses power";
}

static const char *missing_storm_module(void)
{
	return has_storm_module ? NULL : "no module pcs_storm";
}

/*
 * In 6.1, perf_pmu_unregister() holds pmus_lock while it waits for tasks that open events, and
 * opening a software event takes that lock. 6.12.117 drops it before it waits.
 */
static bool perf_deadlocks(void)
{
	unsigned int major, minor;
	struct utsname kernel;

	uname(&kernel);
	if (sscanf(kernel.release, "%u.%u", &major, &minor) != 2)
		return false;
	return major < 6 || (major == 6 && minor < 12);
}

static const char *missing_module(void)
{
	if (has_kcsan)
		return "KCSAN knows the driver's functions by address";
	if (perf_deadlocks())
		return "perf_pmu_unregister() of this kernel deadlocks with software events";
	return is_module ? NULL : "the driver is built in";
}

static const char *missing_kvm(void)
{
	return access("/dev/kvm", R_OK | W_OK) ? "no KVM" : NULL;
}

static const char *missing_cgroup(void)
{
	return has_cgroup ? NULL : "no control group that limits the number of tasks";
}

static const char *missing_perf(void)
{
	return is_program("perf") ? NULL : "no perf here";
}

static const char *missing_pcsample(void)
{
	return is_program("pcsample") ? NULL : "no pcsample here";
}

/*
 * Choose a CPU, most often one of the present readers: other CPUs refuse events, and most happens
 * at those of readers. The random numbers do not depend on who the readers are.
 */
static int draw_cpu(struct storm_step *step)
{
	unsigned int which = storm_draw(step, 4), cpu = storm_draw(step, nr_cpus), first, second;
	char text[64];
	int n;

	if (which == 3 || read_text(PCS_SYSFS "cpumask", text, sizeof(text)) <= 0)
		return cpu;
	n = sscanf(text, "%u%*1[,-]%u", &first, &second);
	if (n < 1)
		return cpu;
	return n > 1 && which ? second : first;
}

/*
 * CPUs come and go
 */

static int move_cpu(int cpu, bool online)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), CPUS "cpu%d/online", cpu);
	storm->moves_begun[cpu]++;
	ret = write_text(path, "%d", online);
	storm->moves_ended[cpu]++;
	return ret;
}

/* A state that is to fail when the CPU goes off must not fail when another worker brings it on. */
static int set_online(int cpu, bool online)
{
	int ret;

	if (online)
		pthread_mutex_lock(&storm->fail_lock[cpu]);
	ret = move_cpu(cpu, online);
	if (online)
		pthread_mutex_unlock(&storm->fail_lock[cpu]);
	return ret;
}

/* Did it move? The last CPU cannot go off, and another worker may move the same CPU. */
static bool expect_hotplug(int cpu, const char *what, int ret)
{
	if (ret && ret != -EBUSY && ret != -EAGAIN && ret != -EINVAL && ret != -ENODEV)
		storm_complain("CPU%d %s: %s", cpu, what, strerror(-ret));
	return !ret;
}

static bool do_off_on(struct storm_step *step)
{
	int cpu = draw_cpu(step);
	uint64_t away = storm_draw(step, 4) ? storm_draw(step, 2 * MS) : storm_draw(step, 60 * MS);
	bool went;

	storm_begin(step, "CPU%d off", cpu);
	went = expect_hotplug(cpu, "off", set_online(cpu, false));
	step->flight->since = 0;
	pcs_sleep(away);
	storm_begin(step, "CPU%d on, after %llu us", cpu, (unsigned long long)(away / US));
	return expect_hotplug(cpu, "on", set_online(cpu, true)) && went;
}

/*
 * Move a CPU and let it fail: at a state below the driver's when it goes off, and above it when it
 * comes on, so that the driver's own callback is rolled back. When it comes on, it must not fail at
 * perf:online or below. In 6.12 perf_event_open() accepts events from perf:prepare on; in 7.3 it
 * does not ("perf: Remove too early and redundant CPU hotplug handling"). perf_event_exit_cpu() of
 * perf:online removes events by a call to the CPU. If perf:online was not reached, only that of
 * perf:prepare runs, when the CPU is off and the call fails. The events remain in a context that is
 * active, and perf_remove_from_context() leaves them there, too, because it also calls that CPU.
 * Closing the events then frees what is still in the context's trees and among the timers.
 */
static int move_and_fail(int cpu, bool online, int state)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), CPUS "cpu%d/hotplug/fail", cpu);
	pthread_mutex_lock(&storm->fail_lock[cpu]);
	write_text(path, "%d", state);
	ret = move_cpu(cpu, online);
	write_text(path, "-1");
	pthread_mutex_unlock(&storm->fail_lock[cpu]);
	return ret;
}

static bool do_off_fails(struct storm_step *step)
{
	int cpu = draw_cpu(step), state = hotplug_states[storm_draw(step, pmu_state)];
	bool went;

	storm_begin(step, "CPU%d off, which fails at state %d", cpu, state);
	went = expect_hotplug(cpu, "off that fails", move_and_fail(cpu, false, state));
	storm_begin(step, "CPU%d on", cpu);
	return expect_hotplug(cpu, "on", set_online(cpu, true)) && !went;
}

static bool do_on_fails(struct storm_step *step)
{
	int cpu = draw_cpu(step), above = nr_states - pmu_state - 1;
	int state = hotplug_states[pmu_state + 1 + storm_draw(step, above)];
	bool went, came;

	storm_begin(step, "CPU%d off", cpu);
	went = expect_hotplug(cpu, "off", set_online(cpu, false));
	storm_begin(step, "CPU%d on, which fails at state %d", cpu, state);
	came = expect_hotplug(cpu, "on that fails", move_and_fail(cpu, true, state));
	storm_begin(step, "CPU%d on", cpu);
	return expect_hotplug(cpu, "on", set_online(cpu, true)) && went && !came;
}

static const struct storm_operation hotplug[] = {
	{ "hotplug", 6, missing_hotplug, do_off_on },
	{ "off-fails", 1, missing_failures, do_off_fails },
	{ "on-fails", 1, missing_failures, do_on_fails },
	{}
};

/*
 * Events. All threads share one table of them, so that one thread changes or closes what another
 * has opened or is about to map.
 */

#define NR_SLOTS 16

struct map {
	void *begin;
	size_t size;
};

/*
 * The CPU on which an event was opened, and how often that CPU had been moved by then. UINT64_MAX:
 * a move was about to begin. A CPU that fails to come on goes off again, and events may have been
 * opened on it in between.
 */
struct birth {
	int cpu;
	uint64_t moves;
};

static _Atomic int slot_fd[NR_SLOTS] = { [0 ... NR_SLOTS - 1] = -1 };
static struct birth slot_birth[NR_SLOTS];
/* Guards slot_fd and slot_birth: both are of one event, which is not closed meanwhile */
static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;
static struct map *_Atomic slot_map[NR_SLOTS];

static struct birth birth_on(int cpu)
{
	uint64_t ended = storm->moves_ended[cpu], begun = storm->moves_begun[cpu];

	return (struct birth){ cpu, begun == ended ? begun : UINT64_MAX };
}

static bool cpu_stayed(struct birth birth)
{
	return birth.moves == storm->moves_begun[birth.cpu];
}

static void put_event(unsigned int slot, int fd, struct birth birth)
{
	int old;

	pthread_mutex_lock(&slots_lock);
	old = atomic_exchange(&slot_fd[slot], fd);
	slot_birth[slot] = birth;
	pthread_mutex_unlock(&slots_lock);
	if (old >= 0)
		close(old);
}

static void put_nothing(unsigned int slot)
{
	put_event(slot, -1, (struct birth){});
}

/* A duplicate of the descriptor in @slot, so that the event cannot end */
static int get_event(unsigned int slot, struct birth *birth)
{
	int fd;

	pthread_mutex_lock(&slots_lock);
	fd = slot_fd[slot] < 0 ? -1 : fcntl(slot_fd[slot], F_DUPFD_CLOEXEC, 0);
	*birth = slot_birth[slot];
	pthread_mutex_unlock(&slots_lock);
	return fd;
}

static void put_map(unsigned int slot, struct map *map)
{
	struct map *old = atomic_exchange(&slot_map[slot], map);

	if (!old)
		return;
	munmap(old->begin, old->size);
	free(old);
}

static void close_all(void)
{
	unsigned int slot;

	for (slot = 0; slot < NR_SLOTS; slot++) {
		put_nothing(slot);
		put_map(slot, NULL);
	}
}

/* Close all events: an open one would keep the module. */
static void evict(void)
{
	if (storm->evict)
		close_all();
}

/* The PMU's type, or -1 if there is no PMU now */
static int pmu_type(void)
{
	char text[16];

	return read_text(PCS_SYSFS "type", text, sizeof(text)) > 0 ? atoi(text) : -1;
}

static uint64_t draw_period(struct storm_step *step)
{
	static const uint64_t periods[] = {
		0, 20 * US, 50 * US, 50 * US, 100 * US, 100 * US, 200 * US, 500 * US, MS, 10 * MS,
	};
	static const uint64_t odd[] = { 1, 10 * US, 3600000 * MS, UINT64_MAX / 2 };

	if (!storm_draw(step, 16))
		return odd[storm_draw(step, ARRAY_SIZE(odd))];
	return periods[storm_draw(step, ARRAY_SIZE(periods))];
}

/* Machines without snapshots refuse them. */
static void draw_snapshot(struct storm_step *step, struct perf_event_attr *attr)
{
	static const uint64_t counters[] = { 0, 0, 0x21, 0x0C };

	attr->config |= 1 << 10;
	attr->config2 |= counters[storm_draw(step, ARRAY_SIZE(counters))] << 32;
}

static void draw_attr(struct storm_step *step, struct perf_event_attr *attr)
{
	static const uint64_t sample_types[] = {
		PERF_SAMPLE_READ, PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_REGS_INTR, PERF_SAMPLE_CGROUP,
		PERF_SAMPLE_ADDR, PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID,
		PERF_SAMPLE_CODE_PAGE_SIZE, PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_WEIGHT,
	};

	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = pmu_type();
	attr->sample_period = draw_period(step);
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			    PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW;
	if (!storm_draw(step, 8))
		attr->sample_type |= sample_types[storm_draw(step, ARRAY_SIZE(sample_types))];
	if (attr->sample_type & PERF_SAMPLE_REGS_INTR)
		attr->sample_regs_intr = 1ULL << 32;	/* PC */
	if (!storm_draw(step, 4))
		attr->config1 = storm_draw(step, 1ULL << nr_cpus);
	if (!storm_draw(step, 64))
		attr->config1 = 1ULL << 63;
	attr->config = storm_draw(step, 16) ? 0 : storm_draw(step, 4) << 8;
	attr->config2 = storm_draw(step, 2) ? storm_draw(step, 1ULL << 32) : 0;
	if (!storm_draw(step, 6))
		draw_snapshot(step, attr);
	if (!storm_draw(step, 3))
		attr->config |= PCS_BATCH;
	attr->disabled = storm_draw(step, 2);
	attr->pinned = !storm_draw(step, 4);
	attr->exclusive = !storm_draw(step, 8);
	attr->exclude_user = !storm_draw(step, 6);
	attr->exclude_kernel = !storm_draw(step, 6);
	attr->exclude_hv = !storm_draw(step, 6);
	attr->exclude_idle = !storm_draw(step, 6);
	attr->exclude_host = !storm_draw(step, 12);
	attr->exclude_guest = storm_draw(step, 2);
	attr->read_format = storm_draw(step, 16);
	attr->wakeup_events = storm_draw(step, 4);
	attr->sample_id_all = 1;
	attr->comm = storm_draw(step, 2);
	attr->mmap = storm_draw(step, 2);
	attr->task = storm_draw(step, 2);
	attr->context_switch = storm_draw(step, 2);
}

/*
 * Only the clocks. For any other software event, perf_mmap_close() may drop the last reference with
 * mmap_lock held; that takes cpu_hotplug_lock (sw_perf_event_destroy()). CPU hotplug takes the
 * context's mutex under cpu_hotplug_lock, and perf_read() may take mmap_lock for a page fault under
 * that mutex.
 */
static void draw_software_attr(struct storm_step *step, struct perf_event_attr *attr)
{
	static const uint64_t configs[] = { PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK };

	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = configs[storm_draw(step, ARRAY_SIZE(configs))];
	attr->sample_period = storm_draw(step, 2) ? MS : 0;
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	attr->disabled = storm_draw(step, 2);
	attr->read_format = storm_draw(step, 16);
}

/* Allowed results of invalid requests, and of requests while the CPU or the PMU is away */
static void expect_open(int ret)
{
	static const int fine[] = {
		EINVAL, ENODEV, EOPNOTSUPP, ENOENT, EBUSY, ENXIO, EBADF, ESRCH,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fine); i++)
		if (ret == -fine[i])
			return;
	if (ret < 0)
		storm_complain("perf_event_open: %s", strerror(-ret));
}

static int open_event(struct perf_event_attr *attr, int cpu, int group)
{
	int ret = (int)attr->type < 0 ? -ENOENT : pcs_try_open(attr, -1, cpu, group, 0);

	expect_open(ret);
	return ret;
}

static bool do_open(struct storm_step *step)
{
	unsigned int slot = storm_draw(step, NR_SLOTS);
	int cpu = draw_cpu(step);
	struct birth birth = birth_on(cpu);
	struct perf_event_attr attr;
	int fd;

	draw_attr(step, &attr);
	storm_begin(step, "open on CPU%d, period %llu", cpu, attr.sample_period);
	fd = open_event(&attr, cpu, -1);
	put_event(slot, fd, birth);
	evict();
	return fd >= 0;
}

/*
 * Open a member of a group. When the leader's CPU goes off, perf removes the leader from its
 * context and dissolves the group. perf_event_open() accepts new members all the same (6.12, 7.3),
 * and the end of the leader does not dissolve the group again: perf_group_detach(). A member that
 * outlives its leader then writes to freed memory when it ends, whatever its PMU. So that member is
 * closed here, while the caller still holds the leader.
 */
static bool open_member(unsigned int slot, struct perf_event_attr *attr, int cpu, int leader,
			struct birth leaders)
{
	struct birth birth = birth_on(cpu);
	int fd = open_event(attr, cpu, leader);

	if (fd >= 0 && !cpu_stayed(leaders)) {
		close(fd);
		fd = -1;
	}
	put_event(slot, fd, birth);
	return fd >= 0;
}

/*
 * In 6.1 perf_event_open() moves a group that is led by a software event to the context of its
 * first hardware member. A second thread that opens such a member of the same group at that time
 * takes the mutex of this context twice: __perf_event_ctx_lock_double() looks at the leader's
 * context after it has been moved.
 */
static pthread_mutex_t strays_lock = PTHREAD_MUTEX_INITIALIZER;

/* The leader may be an event of another thread, which may be on another CPU */
static bool do_open_group(struct storm_step *step)
{
	unsigned int slot = storm_draw(step, NR_SLOTS), members = 1 + storm_draw(step, 3);
	bool stray = !storm_draw(step, 8), software = !storm_draw(step, 3);
	int cpu = draw_cpu(step), leader, opened = 0;
	struct birth birth = birth_on(cpu);
	struct perf_event_attr attr;

	if (software)
		draw_software_attr(step, &attr);
	else
		draw_attr(step, &attr);
	storm_begin(step, "open a group of %u on CPU%d%s", members + 1, cpu,
		    software ? ", led by a software event" : "");
	if (stray)
		pthread_mutex_lock(&strays_lock);
	leader = stray ? get_event(slot, &birth) : open_event(&attr, cpu, -1);
	while (members--) {
		unsigned int other = storm_draw(step, NR_SLOTS);

		if (storm_draw(step, 3))
			draw_attr(step, &attr);
		else
			draw_software_attr(step, &attr);
		if (leader >= 0 && other != slot)
			opened += open_member(other, &attr, cpu, leader, birth);
	}
	if (!stray)
		put_event(slot, leader, birth);
	else if (leader >= 0)
		close(leader);
	if (stray)
		pthread_mutex_unlock(&strays_lock);
	evict();
	return opened > 0;
}

/* Groups of two, opened and closed as fast as possible, to hit short moments of other workers */
static bool do_open_burst(struct storm_step *step)
{
	int cpu = draw_cpu(step), rounds = 10 + storm_draw(step, 90);
	struct perf_event_attr attr;
	bool opened = false;

	draw_attr(step, &attr);
	while (rounds-- && !storm->evict && !storm->stop) {
		int leader, sibling;

		storm_begin(step, "open and close a group on CPU%d, with %d to come", cpu, rounds);
		leader = open_event(&attr, cpu, -1);
		sibling = leader < 0 ? -1 : open_event(&attr, cpu, leader);
		opened |= sibling >= 0;
		if (sibling >= 0)
			close(sibling);
		if (leader >= 0)
			close(leader);
	}
	return opened;
}

/* Requests that must be refused: for a task, or for a control group */
static bool do_open_refused(struct storm_step *step)
{
	bool task = storm_draw(step, 2);
	int cpu = draw_cpu(step), dir = -1, fd;
	struct perf_event_attr attr;

	draw_attr(step, &attr);
	storm_begin(step, "open for a %s", task ? "task" : "control group");
	if (!task)
		dir = open(CGROUPS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (task)
		fd = pcs_try_open(&attr, 0, cpu, -1, 0);
	else
		fd = pcs_try_open(&attr, dir, cpu, -1, PERF_FLAG_PID_CGROUP);
	if (task && fd >= 0 && (int)attr.type >= 0)
		storm_complain("an event for a task was opened");
	if (dir >= 0)
		close(dir);
	if (fd >= 0)
		close(fd);
	return fd < 0;
}

static bool do_close(struct storm_step *step)
{
	unsigned int slot = storm_draw(step, NR_SLOTS);

	storm_begin(step, "close");
	put_nothing(slot);
	return true;
}

static bool do_ioctl(struct storm_step *step)
{
	int fd = slot_fd[storm_draw(step, NR_SLOTS)];
	int other = storm_draw(step, 4) ? slot_fd[storm_draw(step, NR_SLOTS)] : -1;
	bool group = !storm_draw(step, 3);
	uint64_t value = draw_period(step);
	struct perf_event_attr attr;
	int ret = 0;

	draw_attr(step, &attr);
	switch (storm_draw(step, 10)) {
	case 0:
	case 1:
		storm_begin(step, "PERF_EVENT_IOC_ENABLE");
		ret = ioctl(fd, PERF_EVENT_IOC_ENABLE, group);
		break;
	case 2:
		storm_begin(step, "PERF_EVENT_IOC_DISABLE");
		ret = ioctl(fd, PERF_EVENT_IOC_DISABLE, group);
		break;
	case 3:
		storm_begin(step, "PERF_EVENT_IOC_REFRESH");
		ret = ioctl(fd, PERF_EVENT_IOC_REFRESH, storm_draw(step, 100));
		break;
	case 4:
		storm_begin(step, "PERF_EVENT_IOC_RESET");
		ret = ioctl(fd, PERF_EVENT_IOC_RESET, group);
		break;
	case 5:
	case 6:
		storm_begin(step, "PERF_EVENT_IOC_PERIOD %llu", (unsigned long long)value);
		ret = ioctl(fd, PERF_EVENT_IOC_PERIOD, &value);
		break;
	case 7:
		storm_begin(step, "PERF_EVENT_IOC_SET_OUTPUT");
		ret = ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, other);
		break;
	case 8:
		storm_begin(step, "PERF_EVENT_IOC_PAUSE_OUTPUT");
		ret = ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, group);
		break;
	case 9:
		storm_begin(step, "PERF_EVENT_IOC_MODIFY_ATTRIBUTES");
		ret = ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr);
		break;
	}
	return !ret;
}

static bool do_read(struct storm_step *step)
{
	int fd = slot_fd[storm_draw(step, NR_SLOTS)];
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	uint64_t values[256];
	ssize_t len = -1;

	storm_begin(step, "read");
	if (fd >= 0)
		len = read(fd, values, sizeof(values));
	if (fd >= 0 && len < 0 && errno == EFAULT)
		storm_complain("read of an event: %s", strerror(errno));
	poll(&pollfd, 1, 0);
	return len >= 0;
}

static bool do_map(struct storm_step *step)
{
	unsigned int slot = storm_draw(step, NR_SLOTS), order = storm_draw(step, 6);
	int fd = slot_fd[storm_draw(step, NR_SLOTS)];
	bool writable = storm_draw(step, 3);
	struct map *map = malloc(sizeof(*map));

	if (!map)
		abort();
	storm_begin(step, "mmap of %u pages", 1 << order);
	map->size = sysconf(_SC_PAGESIZE) * (1 + (1 << order));
	map->begin = mmap(NULL, map->size, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED,
			  fd, 0);
	if (map->begin == MAP_FAILED) {
		free(map);
		return false;
	}
	put_map(slot, map);
	evict();
	return true;
}

static bool do_unmap(struct storm_step *step)
{
	unsigned int slot = storm_draw(step, NR_SLOTS);

	storm_begin(step, "munmap");
	put_map(slot, NULL);
	return true;
}

/* Let the open events run for a moment */
static bool do_nothing(struct storm_step *step)
{
	evict();
	pcs_sleep(storm_draw(step, 2 * MS));
	return true;
}

static const struct storm_operation events[] = {
	{ "open", 6, NULL, do_open },
	{ "group", 8, NULL, do_open_group },
	{ "burst", 2, NULL, do_open_burst },
	{ "refused", 1, NULL, do_open_refused },
	{ "close", 3, NULL, do_close },
	{ "ioctl", 8, NULL, do_ioctl },
	{ "read", 3, NULL, do_read },
	{ "map", 3, NULL, do_map },
	{ "unmap", 2, NULL, do_unmap },
	{ "pause", 4, NULL, do_nothing },
	{}
};

/*
 * Settings
 */

/* Offline CPUs cannot be readers, and while there are events the readers cannot change. */
static bool do_readers(struct storm_step *step)
{
	int first = storm_draw(step, nr_cpus), second = storm_draw(step, nr_cpus), ret;

	storm_begin(step, "readers %d,%d", first, second);
	ret = write_text(PCS_SYSFS "readers", "%d,%d", first, second);
	if (ret && ret != -EBUSY && ret != -EINVAL && ret != -ENOENT && ret != -ENODEV)
		storm_complain("readers: %s", strerror(-ret));
	return !ret;
}

static bool do_budget(struct storm_step *step)
{
	int percent = storm_draw(step, 110);
	int ret;

	storm_begin(step, "budget of %d %%", percent);
	ret = write_text(MODULE "parameters/budget_percent", "%d", percent);
	if (!ret && (percent < 1 || percent > 95))
		storm_complain("a budget of %d %% was taken", percent);
	return !ret;
}

/* Planned reads minus all outcomes in a file of the ledger; 0 if the file does not exist */
static int64_t ledger_gap(const char *path)
{
	char text[512], *line;
	int64_t gap = 0;
	bool first = true;

	if (read_text(path, text, sizeof(text)) <= 0)
		return 0;
	for (line = text; *line; line += strcspn(line, "\n") + 1) {
		long long value;

		if (sscanf(line, "%*s %lld", &value) != 1)
			return INT64_MAX;
		gap += first ? value : -value;
		first = false;
	}
	return gap;
}

/* Does an account add up? That of one block or, most often, of all. */
static bool check_ledger(int cpu)
{
	char path[96];
	int64_t gap;

	snprintf(path, sizeof(path), cpu < 0 ? PCS_SYSFS "ledger/total" : PCS_SYSFS "ledger/cpu%d",
		 cpu);
	gap = ledger_gap(path);
	if (gap)
		storm_complain("%s does not add up: %lld are missing", path, (long long)gap);
	return !gap;
}

static bool do_ledger(struct storm_step *step)
{
	int cpu = storm_draw(step, 3) ? -1 : (int)storm_draw(step, nr_cpus);

	storm_begin(step, "ledger");
	return check_ledger(cpu);
}

static void read_folder(const char *folder)
{
	char path[512], text[512];
	struct dirent *entry;
	DIR *dir = opendir(folder);

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s%s", folder, entry->d_name);
		read_text(path, text, sizeof(text));
	}
	if (dir)
		closedir(dir);
}

static bool do_sysfs(struct storm_step *step)
{
	static const char * const folders[] = {
		PCS_SYSFS, PCS_SYSFS "caps/", PCS_SYSFS "ledger/", PCS_SYSFS "format/",
		MODULE "parameters/",
	};
	const char *folder = folders[storm_draw(step, ARRAY_SIZE(folders))];

	storm_begin(step, "read all of %s", folder);
	read_folder(folder);
	return true;
}

static bool do_idle_state(struct storm_step *step)
{
	int cpu = storm_draw(step, nr_cpus);
	bool disable = !storm_draw(step, 4);
	char path[64];

	snprintf(path, sizeof(path), CPUS "cpu%d/cpuidle/state1/disable", cpu);
	storm_begin(step, "deep idle of CPU%d %s", cpu, disable ? "off" : "on");
	return !write_text(path, "%d", disable);
}

static bool do_cpu_pm(struct storm_step *step)
{
	int cpu = storm_draw(step, nr_cpus), ret;

	storm_begin(step, "notifications of power on CPU%d", cpu);
	ret = write_text(STORM_MODULE "cpu_pm", "%d", cpu);
	if (ret && ret != -ENXIO)
		storm_complain("cpu_pm of CPU%d: %s", cpu, strerror(-ret));
	return !ret;
}

/* There is none while the module is away. */
static bool do_rebind(struct storm_step *step)
{
	int number = storm_draw(step, nr_cpus), ret;

	storm_begin(step, "unbind and bind block %d", number);
	ret = write_text(STORM_MODULE "rebind", "%d", number);
	if (ret && (missing_module() || (ret != -ENODEV && ret != -EAGAIN)))
		storm_complain("unbind and bind block %d: %s", number, strerror(-ret));
	return !ret;
}

static bool do_wait(struct storm_step *step)
{
	pcs_sleep(storm_draw(step, 10 * MS));
	return true;
}

static const struct storm_operation settings[] = {
	{ "readers", 4, NULL, do_readers },
	{ "budget", 2, NULL, do_budget },
	{ "ledger", 4, NULL, do_ledger },
	{ "sysfs", 1, NULL, do_sysfs },
	{ "idle-state", 1, missing_idle_state, do_idle_state },
	{ "wait", 8, NULL, do_wait },
	{}
};

static const struct storm_operation devices[] = {
	{ "cpu-pm", 6, missing_storm_module, do_cpu_pm },
	{ "rebind", 2, missing_storm_module, do_rebind, true },
	{ "wait", 4, NULL, do_wait },
	{}
};

/*
 * The module
 */

static bool load_module(void)
{
	static char *const argv[] = { "modprobe", "arm_pcsample", NULL };

	return !run_program(argv);
}

/* Retry for up to a second, until nobody holds the module */
static bool unload_module(void)
{
	int tries;

	for (tries = 0; tries < 500; tries++) {
		if (!syscall(SYS_delete_module, "arm_pcsample", O_NONBLOCK))
			return true;
		if (errno != EAGAIN && errno != EBUSY) {
			storm_complain("unloading: %s", strerror(errno));
			return false;
		}
		pcs_sleep(2 * MS);
	}
	return false;
}

static bool do_reload(struct storm_step *step)
{
	uint64_t away = storm_draw(step, 3) ? 0 : storm_draw(step, 20 * MS);
	bool loaded = false;

	storm_begin(step, "unload the module");
	storm->evict = true;
	if (unload_module()) {
		pcs_sleep(away);
		storm_begin(step, "load the module");
		loaded = load_module();
		if (!loaded)
			storm_complain("the module does not load");
	}
	storm->evict = false;
	return loaded;
}

/* Let the open events run for some seconds, and then close all. */
static bool do_long_wait(struct storm_step *step)
{
	uint64_t end = pcs_now() + storm_draw(step, 2000 * MS);

	while (pcs_now() < end && !storm->stop)
		pcs_sleep(20 * MS);
	return true;
}

static const struct storm_operation modules[] = {
	{ "reload", 1, missing_module, do_reload },
	{ "wait", 4, NULL, do_long_wait },
	{}
};

/*
 * Processes: recorders, guests and what multiplies
 */

#define NR_CHILDREN 4

static pid_t children[NR_CHILDREN];
static bool is_own[NR_CHILDREN];	/* not perf or pcsample, which may find nothing to record */

static void kill_child(unsigned int slot)
{
	int status;

	if (children[slot] <= 0)
		return;
	kill(children[slot], SIGKILL);
	waitpid(children[slot], &status, 0);
	if (is_own[slot] && WIFEXITED(status) && WEXITSTATUS(status))
		storm_complain("child %u ended with status %d", slot, WEXITSTATUS(status));
	children[slot] = 0;
}

static void check_sample(const struct pcs_sample *s, void *unused)
{
	storm->samples++;
	if (s->cpu >= (unsigned int)nr_cpus || s->raw.target != s->cpu ||
	    s->raw.reader >= (unsigned int)nr_cpus || s->raw.reader == s->cpu)
		storm_complain("a sample of CPU%u, by %u of %u", s->cpu, s->raw.reader,
			       s->raw.target);
}

/* Open events on all readers; returns how many. The PMU may be away. */
static int open_recorder(struct pcs_event **recorder, uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = pmu_type(),
		.config = config,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
		.disabled = 1,
	};
	int nr = 0, cpu;

	for (cpu = 0; cpu < nr_cpus && (int)attr.type >= 0; cpu++)
		nr += !pcs_try_record(&attr, cpu, 4, &recorder[nr]);
	return nr;
}

/* With batches, the record is a sample by itself, too, of one of its members. */
static void check_record(const struct pcs_sample *s, uint64_t config)
{
	unsigned int nr = pcs_each_member(s, check_sample, NULL);

	if (!nr)
		check_sample(s, NULL);
	if (!nr != !(config & PCS_BATCH) || s->raw.target != s->cpu)
		storm_complain("config 0x%llx: a record of CPU%u, of %u, with %u members",
			       (unsigned long long)config, s->cpu, s->raw.target, nr);
}

/* Do what perf record does, and look at each sample, until killed */
static void record(uint64_t config, uint64_t period)
{
	struct pcs_event *recorder[PCS_MAX_CPUS];
	int nr = open_recorder(recorder, config, period), i;
	struct pcs_sample s;

	for (i = 0; i < nr; i++)
		pcs_enable(recorder[i]);
	for (;;) {
		pcs_sleep(5 * MS);
		if (storm->evict)
			_exit(0);
		for (i = 0; i < nr; i++) {
			while (pcs_next(recorder[i], &s))
				check_record(&s, config);
		}
	}
}

static void record_samples(uint64_t period)
{
	record(0, period);
}

static void record_batches(uint64_t period)
{
	record(PCS_BATCH, period);
}

static void start_child(unsigned int slot, void (*fn)(uint64_t arg), uint64_t arg)
{
	pid_t pid = fork();

	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(null, 1);
		dup2(null, 2);
		fn(arg);
		_exit(0);
	}
	children[slot] = pid;
	is_own[slot] = true;
}

static bool do_record(struct storm_step *step)
{
	unsigned int slot = storm_draw(step, 2);
	uint64_t period = 50 * US + storm_draw(step, MS);
	bool batches = storm_draw(step, 2);

	storm_begin(step, "kill -9 of recorder %u, and a new one%s", slot,
		    batches ? " of batches" : "");
	kill_child(slot);
	if (storm->evict)
		return false;
	start_child(slot, batches ? record_batches : record_samples, period);
	return true;
}

static bool do_perf(struct storm_step *step)
{
	static char *const argv[] = { "perf", "record", "-q", "-o", "/dev/null", "-F", "2000", "-a",
				      "-e", "arm_pcsample//", NULL };
	unsigned int slot = storm_draw(step, 2);

	storm_begin(step, "kill -9 of recorder %u, and perf record", slot);
	kill_child(slot);
	if (storm->evict)
		return false;
	children[slot] = start_program(argv);
	is_own[slot] = false;
	return true;
}

static bool do_pcsample(struct storm_step *step)
{
	static char *const argv[] = { "pcsample", "record", "-o", "/tmp/storm.data", "-F", "2000",
				      "-a", NULL };
	unsigned int slot = storm_draw(step, 2);

	storm_begin(step, "kill -9 of recorder %u, and pcsample record", slot);
	kill_child(slot);
	unlink("/tmp/storm.data");
	if (storm->evict)
		return false;
	children[slot] = start_program(argv);
	is_own[slot] = false;
	return true;
}

static bool do_kill(struct storm_step *step)
{
	unsigned int slot = storm_draw(step, 3);

	storm_begin(step, "kill -9 of child %u", slot);
	kill_child(slot);
	return true;
}

static void set_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);	/* the CPU may be offline */
}

static void run_guest(uint64_t arg)
{
	set_cpu(arg / 2);
	pcs_load_guest(arg % 2 ? PCS_PSTATE_EL0T : PCS_PSTATE_EL1H);
}

static bool do_guest(struct storm_step *step)
{
	unsigned int arg = storm_draw(step, 2 * nr_cpus);

	storm_begin(step, "a guest on CPU%u", arg / 2);
	kill_child(2);
	start_child(2, run_guest, arg);
	return true;
}

/* The kernel stops it at the group's limit, and do_bomb() ends it. */
static void fork_bomb(uint64_t unused)
{
	if (write_text(BOMB "cgroup.procs", "0"))
		_exit(0);
	for (;;) {
		if (fork() < 0)
			pcs_sleep(MS);
		pcs_loop_a(1000);
	}
}

static bool do_bomb(struct storm_step *step)
{
	uint64_t length = storm_draw(step, 100 * MS);

	storm_begin(step, "a fork bomb");
	start_child(3, fork_bomb, 0);
	pcs_sleep(length);
	write_text(BOMB "cgroup.kill", "1");
	kill_child(3);
	return true;
}

static bool do_medium_wait(struct storm_step *step)
{
	unsigned int slot;

	if (storm->evict)
		for (slot = 0; slot < 2; slot++)
			kill_child(slot);
	pcs_sleep(storm_draw(step, 40 * MS));
	return true;
}

static const struct storm_operation processes[] = {
	{ "recorder", 4, NULL, do_record },
	{ "perf", 1, missing_perf, do_perf },
	{ "pcsample", 1, missing_pcsample, do_pcsample },
	{ "kill", 3, NULL, do_kill },
	{ "guest", 2, missing_kvm, do_guest },
	{ "fork-bomb", 1, missing_cgroup, do_bomb },
	{ "wait", 12, NULL, do_medium_wait },
	{}
};

static void end_processes(void)
{
	unsigned int slot;

	for (slot = 0; slot < NR_CHILDREN; slot++)
		kill_child(slot);
	if (has_cgroup)
		write_text(BOMB "cgroup.kill", "1");
	unlink("/tmp/storm.data");
}

const struct storm_worker storm_workers[] = {
	{ "hotplug", 2, false, hotplug },
	{ "events", 3, true, events },
	{ "settings", 1, false, settings },
	{ "devices", 1, false, devices },
	{ "module", 1, false, modules },
	{ "processes", 1, false, processes, end_processes },
	{}
};

/*
 * CPUs that sleep and wake a thousand times a second; with an idle state that loses power, they
 * enter and leave that as often
 */

static void sleeper(int cpu)
{
	struct storm_step step = { .random = storm->seed + cpu };

	for (;;) {
		set_cpu(cpu);
		pcs_sleep(50 * US + storm_draw(&step, 1500 * US));
		pcs_loop_a(storm_draw(&step, 100000));
	}
}

void storm_start_sleepers(void)
{
	int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		pid_t pid = fork();

		if (pid < 0)
			abort();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			sleeper(cpu);
		}
	}
}

/*
 * Afterwards
 */

bool storm_cpus_come_online(struct storm_step *step)
{
	char path[64], online[64] = "", present[64] = "";
	int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		storm_begin(step, "CPU%d on at last", cpu);
		set_online(cpu, true);
		snprintf(path, sizeof(path), CPUS "cpu%d/cpuidle/state1/disable", cpu);
		write_text(path, "0");
	}
	read_text(CPUS "online", online, sizeof(online));
	read_text(CPUS "present", present, sizeof(present));
	if (strcmp(online, present))
		storm_complain("CPUs %.*s are online", (int)strcspn(online, "\n"), online);
	return !strcmp(online, present);
}

bool storm_ledger_adds_up(struct storm_step *step)
{
	bool ok = true;
	int cpu;

	storm_begin(step, "the ledger");
	for (cpu = -1; cpu < nr_cpus; cpu++)
		ok &= check_ledger(cpu);
	return ok;
}

bool storm_module_reloads(struct storm_step *step)
{
	int ret;

	write_text(MODULE "parameters/budget_percent", "%s", budget_then);
	storm_begin(step, "the last unload");
	if (missing_module()) {
		ret = write_text(PCS_SYSFS "readers", "%s", readers_then);
		if (ret)
			storm_complain("the readers of before, %s: %s", readers_then,
				       strerror(-ret));
		return !ret;
	}
	if (!unload_module()) {
		storm_complain("the module is held by something");
		return false;
	}
	storm_begin(step, "the last load");
	return load_module();
}

static void count(const struct pcs_sample *s, void *arg)
{
	unsigned int *seen = arg;

	seen[s->cpu]++;
}

#define ENOUGH_SAMPLES 5

static bool all_are_sampled(const unsigned int *seen)
{
	int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		if (seen[cpu] < ENOUGH_SAMPLES)
			return false;
	return true;
}

/* For the complaint about a CPU without samples: the outcomes of its reads, on one line */
static void read_account(int cpu, char *text, size_t size)
{
	char path[96];
	char *end;

	snprintf(path, sizeof(path), PCS_SYSFS "ledger/cpu%d", cpu);
	if (read_text(path, text, size) <= 0)
		snprintf(text, size, "no ledger");
	while ((end = strchr(text, '\n')))
		*end = ' ';
}

/* Are CPUs sampled that are busy? A CPU in a deep idle state has no sample to give. */
bool storm_cpus_are_sampled(struct storm_step *step)
{
	struct pcs_event *recorder[PCS_MAX_CPUS];
	unsigned int seen[PCS_MAX_CPUS] = {};
	pid_t loads[PCS_MAX_CPUS];
	char account[512];
	cpu_set_t blocks;
	int nr, cpu, tries;

	storm_begin(step, "sampling all CPUs at last");
	pcs_read_cpulist("caps/blocks", &blocks);
	nr = open_recorder(recorder, 0, MS);
	if (!nr) {
		storm_complain("no event can be opened");
		return false;
	}
	for (cpu = 0; cpu < nr_cpus; cpu++)
		loads[cpu] = pcs_load_start(cpu, pcs_load_loop, 0);
	for (tries = 0; tries < 20 && !all_are_sampled(seen); tries++)
		pcs_collect_for(recorder, nr, 500 * MS, count, seen);
	for (cpu = 0; cpu < nr_cpus; cpu++)
		pcs_load_stop(loads[cpu]);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		if (seen[cpu] >= ENOUGH_SAMPLES)
			continue;
		read_account(cpu, account, sizeof(account));
		storm_complain("CPU%d: %u samples, and %s block: %s", cpu, seen[cpu],
			       CPU_ISSET(cpu, &blocks) ? "a" : "no", account);
	}
	return all_are_sampled(seen);
}
