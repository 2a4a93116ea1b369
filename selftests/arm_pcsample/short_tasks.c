// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks start and exit as fast as possible while they are sampled, so that a sample's task may be
 * exiting when the driver looks it up.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

static void *thread(void *unused)
{
	pcs_loop_a(20000);
	return NULL;
}

static void threads(uint64_t unused)
{
	for (;;) {
		pthread_t t[4];
		unsigned int i;

		for (i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, thread, NULL);
		for (i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
	}
}

static void forks(uint64_t unused)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			pcs_loop_a(20000);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void execs(uint64_t unused)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			execl("/proc/self/exe", "short_tasks", "--exit", NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
}

struct tally {
	int all, dead, user, lost_user;
};

static void count(const struct pcs_sample *s, void *arg)
{
	struct tally *t = arg;

	t->all++;
	t->dead += s->pid == -1;
	if ((s->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER) {
		t->user++;
		t->lost_user += s->pid <= 0 || s->tid <= 0;
	}
}

static void sample_them(struct __test_metadata *_metadata, void (*fn)(uint64_t unused))
{
	struct pcs_account before, after, since;
	struct pcs_event *events[PCS_MAX_CPUS];
	struct perf_event_attr attr;
	struct tally t = {};
	pid_t pids[PCS_MAX_CPUS];
	cpu_set_t blocks;
	int nr, cpu, fd, i;

	pcs_read_cpulist("caps/blocks", &blocks);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, &blocks))
			pids[cpu] = pcs_load_start(cpu, fn, 0);

	pcs_attr_init(&attr, 200000);
	/* Another lookup in the task, if the kernel allows the driver to do it */
	attr.sample_type |= PERF_SAMPLE_CGROUP;
	fd = pcs_try_open(&attr, -1, pcs_reader_of(pcs_first_cpu(&blocks)), -1, 0);
	if (fd >= 0)
		close(fd);
	else
		attr.sample_type &= ~PERF_SAMPLE_CGROUP;
	nr = pcs_open_all(&attr, events);
	pcs_read_account(-1, &before);
	pcs_collect(events, nr, 3000000000ULL, count, &t);
	pcs_read_account(-1, &after);
	since = pcs_account_since(&before, &after);
	for (i = 0; i < nr; i++)
		pcs_close(events[i]);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, &blocks))
			pcs_load_stop(pids[cpu]);

	TH_LOG("%d samples, %d of tasks that had gone; %d user samples, %d without a task",
	       t.all, t.dead, t.user, t.lost_user);
	EXPECT_EQ(0, pcs_account_gap(&since));
	EXPECT_EQ(t.all, since.sample);
	EXPECT_GT(t.all, 500);
	/*
	 * Code in user space belongs to a live task, which may exit before the lookup. That happens
	 * to 1 sample in 2000 if the emulated machine has the host for itself, and to 1 in 50 if
	 * the host runs other machines between the read and the lookup.
	 */
	EXPECT_LE(t.lost_user, t.user / 20);
	/* Only the last steps of an exit belong to a task that has been reaped. */
	EXPECT_LE(t.dead, t.all / 10);
}

FIXTURE(short_tasks)
{
};

FIXTURE_SETUP(short_tasks)
{
	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
}

FIXTURE_TEARDOWN(short_tasks)
{
}

TEST_F_TIMEOUT(short_tasks, threads, 60)
{
	sample_them(_metadata, threads);
}

TEST_F_TIMEOUT(short_tasks, forks, 60)
{
	sample_them(_metadata, forks);
}

TEST_F_TIMEOUT(short_tasks, execs, 60)
{
	sample_them(_metadata, execs);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--exit"))
		return 0;
	return test_harness_run(argc, argv);
}
