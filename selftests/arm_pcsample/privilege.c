// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may sample what: root, a user with only CAP_PERFMON, a user without capabilities, and root of
 * a user namespace, at each value of kernel.perf_event_paranoid. Each asks in its own process.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define NOBODY 65534

enum user { ROOT, PERFMON, USER, NAMESPACE };

static const char * const names[] = { "root", "CAP_PERFMON", "a user", "root of a namespace" };

/* Results of one process */
struct answers {
	int clock;		/* 0 or -errno of opening perf's own clock event on the CPU, */
	int everything;		/* and of our events, which exclude: nothing, */
	int user;		/* all but user space, */
	int hv;			/* the kernel, but not the hypervisor and other worlds */
	int ledger;		/* 0 or -errno of reading the ledger */
	int samples;
	int ids;		/* samples with a Context ID */
	volatile int refused;	/* times that an event was */
};

static int set_paranoid(int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	return pcs_write_path(PARANOID, text);
}

static bool keep_only_perfmon(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	if (prctl(PR_SET_KEEPCAPS, 1) || setresuid(NOBODY, NOBODY, NOBODY))
		return false;
	data[1].permitted = 1U << (CAP_PERFMON - 32);
	data[1].effective = 1U << (CAP_PERFMON - 32);
	return !syscall(SYS_capset, &header, data);
}

static bool become(enum user who)
{
	switch (who) {
	case ROOT:
		return true;
	case PERFMON:
		return keep_only_perfmon();
	case USER:
		return !setresuid(NOBODY, NOBODY, NOBODY);
	case NAMESPACE:
		if (setresuid(NOBODY, NOBODY, NOBODY) || unshare(CLONE_NEWUSER))
			return false;
		/* Only a dumpable process owns its /proc/self. */
		prctl(PR_SET_DUMPABLE, 1);
		/* All capabilities, in this namespace */
		return !pcs_write_path("/proc/self/uid_map", "0 65534 1");
	}
	return false;
}

static void count_ids(const struct pcs_sample *s, struct answers *a)
{
	a->samples++;
	a->ids += (s->raw.has & (ARM_PCSAMPLE_HAS_CID1 | ARM_PCSAMPLE_HAS_CID2)) ||
		  s->raw.pmcid1sr || s->raw.pmcid2sr;
}

/* As pcs_collect_for(), but without the ledger */
static void collect(struct pcs_event *event, struct answers *a)
{
	uint64_t end = pcs_now() + 5000000000ULL;
	struct pcs_sample s;

	pcs_enable(event);
	while (a->samples < 20 && pcs_now() < end) {
		pcs_sleep(20000000);
		while (pcs_next(event, &s))
			count_ids(&s, a);
	}
	pcs_disable(event);
}

static void ask(struct answers *a, int cpu)
{
	struct perf_event_attr attr;
	struct pcs_event *event;
	char text[512];
	int ret;
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(clock),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.disabled = 1,
	};

	a->clock = pcs_try(&clock, cpu);
	pcs_attr_init(&attr, 1000000);
	a->everything = pcs_try(&attr, cpu);
	attr.exclude_kernel = 1;
	a->hv = pcs_try(&attr, cpu);
	attr.exclude_hv = 1;
	a->user = pcs_try(&attr, cpu);
	ret = pcs_read_file("ledger/total", text, sizeof(text));
	a->ledger = ret < 0 ? ret : 0;
	if (a->user)
		return;
	event = pcs_open(&attr, cpu, 3);
	collect(event, a);
	pcs_close(event);
}

FIXTURE(privilege)
{
	struct answers *answers;
	int reader, target, before;
	pid_t load;
};

FIXTURE_SETUP(privilege)
{
	cpu_set_t readers, blocks;
	char text[16] = "";
	int fd, cpu;

	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	if (geteuid())
		SKIP(return, "needs root, to give it up");
	pcs_read_cpulist("cpumask", &readers);
	pcs_read_cpulist("caps/blocks", &blocks);
	self->reader = pcs_first_cpu(&readers);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		if (cpu != self->reader && CPU_ISSET(cpu, &blocks) &&
		    pcs_reader_of(cpu) == self->reader)
			self->target = cpu;
	fd = open(PARANOID, O_RDONLY);
	ASSERT_GE(fd, 0);
	ASSERT_GT(read(fd, text, sizeof(text) - 1), 0);
	close(fd);
	self->before = atoi(text);
	self->answers = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->answers);
	self->load = pcs_load_start(self->target, pcs_load_loop, 0);
}

FIXTURE_TEARDOWN(privilege)
{
	if (self->load)
		pcs_load_stop(self->load);
	set_paranoid(self->before);
}

static bool run(struct answers *answers, enum user who, int reader)
{
	int status;
	pid_t pid;

	memset(answers, 0, sizeof(*answers));
	pid = fork();
	if (!pid) {
		if (!become(who))
			_exit(4);
		ask(answers, reader);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void expect(struct __test_metadata *_metadata, const struct answers *a, enum user who,
		   int paranoid)
{
	bool has_right = who == ROOT || who == PERFMON;
	int open = has_right || paranoid <= 0 ? 0 : -EACCES;

	/*
	 * Debian's level 3 refuses everything to some users, which depends on the kernel: do as
	 * perf does.
	 */
	if (paranoid == 3 && who == PERFMON)
		open = a->clock;
	EXPECT_EQ(open, a->clock);

	TH_LOG("paranoid %d, %s: all %d, user %d, hv %d, ledger %d, %d samples, %d with IDs",
	       paranoid, names[who], a->everything, a->user, a->hv, a->ledger, a->samples, a->ids);
	EXPECT_EQ(open, a->everything);
	EXPECT_EQ(open, a->user);
	/*
	 * Out of tree, the driver cannot check what perf checks for the kernel, so it requires
	 * more.
	 */
	EXPECT_EQ(has_right || pcs_in_tree() ? open : -EACCES, a->hv);
	EXPECT_EQ(has_right ? 0 : -EACCES, a->ledger);
	if (open)
		return;
	EXPECT_GT(a->samples, 5);
	EXPECT_EQ(has_right ? a->samples : 0, a->ids);
}

TEST_F_TIMEOUT(privilege, who_may_what, 120)
{
	int paranoid;
	enum user who;

	for (paranoid = -1; paranoid <= 3; paranoid++) {
		ASSERT_EQ(0, set_paranoid(paranoid));
		for (who = ROOT; who <= NAMESPACE; who++) {
			ASSERT_TRUE(run(self->answers, who, self->reader))
				TH_LOG("%s could not ask", names[who]);
			expect(_metadata, self->answers, who, paranoid);
		}
	}
}

/* The rights are those of the process that opened the event, not of the one that reads samples. */
TEST_F(privilege, of_who_opened)
{
	struct perf_event_attr attr;
	struct pcs_event *event;
	int status;
	pid_t pid;

	pcs_attr_init(&attr, 1000000);
	memset(self->answers, 0, sizeof(*self->answers));
	pid = fork();
	if (!pid) {
		event = pcs_open(&attr, self->reader, 3);
		if (!become(USER))
			_exit(4);
		collect(event, self->answers);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ASSERT_EQ(0, status);
	EXPECT_GT(self->answers->samples, 5);
	EXPECT_EQ(self->answers->samples, self->answers->ids);
}

static void be_refused(struct answers *a, int cpu)
{
	struct perf_event_attr attr;

	if (!become(USER))
		_exit(4);
	pcs_attr_init(&attr, 1000000);
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	while (pcs_try(&attr, cpu) == -EACCES)
		a->refused++;
	_exit(5);
}

/*
 * An event that is refused changes nothing on the way: neither clocks nor CPUs, whose blocks the
 * driver opens for an event, nor the readers, which cannot be chosen while there is one. A driver
 * that leaves the question of the right to perf has events for a large part of the time here: a
 * tenth of the writes or more fail then. With PREEMPT_RT nearly all do, as perf waits for RCU to
 * refuse an event, which takes 20 ms.
 */
TEST_F_TIMEOUT(privilege, none_means_no_effect, 60)
{
	int busy = 0, writes, status;
	char readers[64];
	pid_t pid;

	ASSERT_GT(pcs_read_file("readers", readers, sizeof(readers)), 0);
	ASSERT_EQ(0, set_paranoid(2));
	self->answers->refused = 0;
	pid = fork();
	if (!pid)
		be_refused(self->answers, self->reader);
	for (writes = 0; (self->answers->refused < 100 || writes < 200) &&
	     !waitpid(pid, &status, WNOHANG); writes++)
		busy += pcs_write_file("readers", readers) == -EBUSY;
	EXPECT_GE(self->answers->refused, 100);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, busy);
}

TEST_HARNESS_MAIN
