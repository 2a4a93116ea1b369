/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the driver uses of perf's events and samples, with the user ABI of the host's own header.
 */
#ifndef PCS_TEST_PERF_EVENT_H
#define PCS_TEST_PERF_EVENT_H

#include <linux/device.h>
#include <linux/ptrace.h>
#include <signal.h>
#include_next <linux/perf_event.h>

struct pid_namespace;
struct perf_event;
struct perf_sample_data;
struct task_struct;

struct pmu {
	int unused;
};

typedef void (*perf_overflow_handler_t)(struct perf_event *event, struct perf_sample_data *data,
					struct pt_regs *regs);

struct perf_event {
	struct perf_event_attr attr;
	struct pid_namespace *ns;
	perf_overflow_handler_t overflow_handler;
	void *overflow_handler_context;
	void *rb;
	struct task_struct *owner;
	int pending_kill;
	long lost_samples;
};

#define atomic64_read(counter)		(*(counter))
#define atomic64_add(n, counter)	(*(counter) += (n))

struct perf_raw_record {
	struct {
		void *data;
		u32 size;
	} frag;
	u32 size;
};

struct perf_callchain_entry {
	u64 nr;
	u64 ip[];
};

struct perf_sample_data {
	u64 sample_flags, period, dyn_size;
	u64 ip, addr, cgroup, code_page_size;
	struct {
		u32 pid, tid;
	} tid_entry;
	struct {
		u32 cpu, reserved;
	} cpu_entry;
	struct perf_callchain_entry *callchain;
	struct perf_raw_record *raw;
	struct {
		u64 abi;
		struct pt_regs *regs;
	} regs_user, regs_intr;
};

static inline void perf_sample_data_init(struct perf_sample_data *data, u64 addr, u64 period)
{
	data->sample_flags = PERF_SAMPLE_PERIOD;
	data->addr = addr;
	data->period = period;
	data->dyn_size = 0;
}

#endif /* PCS_TEST_PERF_EVENT_H */
