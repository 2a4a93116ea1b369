// SPDX-License-Identifier: GPL-2.0-only
/*
 * What perf gets of a sample's task (sample.c), for an owner of the event in any PID namespace, and
 * while the task exits.
 */
#include <arch-model/pmpcsr-regs.h>
#include <linux/sched.h>

#include "arm_pcsample.h"
#include "test.h"

#define TARGET	3

/* Ids of the task in the first PID namespace, and in that of a container */
#define PID	1200
#define TID	1234
#define PID_IN	7
#define TID_IN	9

/* How the kernel shows -1 */
#define NONE	((u32)-1)

/* perf's TASK_TOMBSTONE: the owner of an event that was made in the kernel */
#define OF_KERNEL	((struct task_struct *)-1L)

struct task_struct init_task;
struct pid_namespace init_pid_ns;

static struct task_struct task = { .pid = TID, .tgid = PID };
static struct pid_namespace container, other;
static bool is_there;
/* For how many more questions the task lives; it exits while sample.c asks. */
static unsigned int lives;

static u32 pid, tid;

/* Taken since the last look */
static unsigned int taken;

struct task_struct *pcs_find_task(u32 number)
{
	if (!number)
		return &init_task;
	return is_there && number == TID ? &task : NULL;
}

static bool is_alive(void)
{
	if (lives)
		lives--;
	return lives;
}

u32 __task_pid_nr_ns(struct task_struct *of, enum pid_type type, struct pid_namespace *ns)
{
	assert_ptr_equal(of, &task);
	if (!is_alive() || ns != &container)
		return 0;
	return type == PIDTYPE_TGID ? PID_IN : TID_IN;
}

bool pid_alive(const struct task_struct *of)
{
	assert_ptr_equal(of, &task);
	return is_alive();
}

static void take(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	(void)event;
	(void)regs;
	taken++;
	assert_int_equal(data->cpu_entry.cpu, TARGET);
	assert_true(data->sample_flags & PERF_SAMPLE_TID);
	pid = data->tid_entry.pid;
	tid = data->tid_entry.tid;
}

/* A sample of user space, of a task by its number in the first namespace */
static enum pcs_outcome output(struct perf_event *event, u32 number)
{
	struct pcs_event ev = { .event = event };
	struct pcs_regs regs = { .pmpcsr = PMPCSR_NS | 0x400000 };
	struct pcs_owner owner = {
		.host.kernel = { .kernel = AM_KERNEL_VHE, .has_el2 = true, .names_tasks = true },
		.tid = number,
	};

	return pcs_sample_output(&ev, &regs, &owner, TARGET, 1000);
}

/* The same for an event that was made in the kernel */
static void sample(struct pid_namespace *ns, u32 number)
{
	struct perf_event event = { .ns = ns, .overflow_handler = take, .owner = OF_KERNEL };

	pid = 0xDEAD;
	tid = 0xDEAD;
	assert_int_equal(output(&event, number), PCS_SAMPLE);
}

static void test_ids(void **state)
{
	static const struct {
		struct pid_namespace *ns;
		u32 number;
		bool is_there;
		u32 pid, tid;
	} rows[] = {
		{ &init_pid_ns, TID, true, PID, TID },
		{ &container, TID, true, PID_IN, TID_IN },
		{ &other, TID, true, 0, 0 },
		/* It has exited; its number means nothing in another namespace. */
		{ &init_pid_ns, TID, false, NONE, TID },
		{ &container, TID, false, NONE, NONE },
		/* The idle task is the same everywhere. */
		{ &init_pid_ns, 0, false, 0, 0 },
		{ &container, 0, false, 0, 0 },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		is_there = rows[i].is_there;
		lives = 100;
		sample(rows[i].ns, rows[i].number);
		assert_int_equal(pid, rows[i].pid);
		assert_int_equal(tid, rows[i].tid);
	}
}

/* At whatever moment the task exits, an id of it is right, or -1, but not that of the idle task. */
static void test_a_task_that_goes(void **state)
{
	unsigned int last = 0, i;

	(void)state;
	is_there = true;
	for (i = 0; i < 6; i++) {
		lives = i;
		sample(&container, TID);
		assert_true(pid == PID_IN || pid == NONE);
		assert_true(tid == TID_IN || tid == NONE);
		last += tid == NONE;
	}
	/* The last times it lives on. */
	assert_in_range(last, 1, 5);
}

/* Nobody has the samples of a user's event without a buffer. The kernel's own has its handler. */
static void test_takers(void **state)
{
	struct perf_event event = { .ns = &init_pid_ns, .overflow_handler = take, .owner = &task };

	(void)state;
	is_there = true;
	lives = 100;
	/* As pcs_event_init() leaves an event that came without one */
	event.overflow_handler_context = &event;
	taken = 0;
	assert_int_equal(output(&event, TID), PCS_BUFFER_FULL);
	assert_int_equal(taken, 0);
	event.rb = &event;
	assert_int_equal(output(&event, TID), PCS_SAMPLE);
	assert_int_equal(taken, 1);
	event.rb = NULL;
	event.owner = OF_KERNEL;
	assert_int_equal(output(&event, TID), PCS_SAMPLE);
	assert_int_equal(taken, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_a_task_that_goes),
		cmocka_unit_test(test_takers),
	};

	return cmocka_run_group_tests_name("sample", tests, NULL, NULL);
}
