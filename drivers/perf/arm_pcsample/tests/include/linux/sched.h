/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks and their namespaces. What a task's ids are is up to a test.
 */
#ifndef PCS_TEST_SCHED_H
#define PCS_TEST_SCHED_H

#include <arch-model/types.h>
#include <stdbool.h>

#define PF_KTHREAD	0x00200000

struct pid_namespace {
	int level;
};

struct task_struct {
	int pid, tgid;
	unsigned int flags;
};

enum pid_type {
	PIDTYPE_PID,
	PIDTYPE_TGID,
};

extern struct task_struct init_task;
extern struct pid_namespace init_pid_ns;

u32 __task_pid_nr_ns(struct task_struct *task, enum pid_type type, struct pid_namespace *ns);
bool pid_alive(const struct task_struct *task);

#endif /* PCS_TEST_SCHED_H */
