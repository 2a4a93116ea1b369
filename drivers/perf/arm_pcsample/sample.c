// SPDX-License-Identifier: GPL-2.0-only
/*
 * One PC sample -> PERF_RECORD_SAMPLE.
 *
 * perf fills a sample from the context it is called in, and here that is the reader's: its task,
 * its registers, its CPU. So every field that would come from there is filled in beforehand, or
 * left empty, and data->sample_flags tells the core to leave it alone.
 */
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

#include <arch-model/pc-sample.h>

#include "arm_pcsample.h"
#ifndef PCS_IN_TREE
#include "kernel-api.h"
#endif

/*
 * Fields
 */

#define PCS_SAMPLE_PLAIN							\
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |	\
	 PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_ID | PERF_SAMPLE_CPU |	\
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_RAW |		\
	 PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_IDENTIFIER |	\
	 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE)

#if PCS_HAVE_DYN_SIZE
/* What perf would look up where it runs */
#define PCS_SAMPLE_OF_CONTEXT							\
	(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR |	\
	 PERF_SAMPLE_CGROUP | PERF_SAMPLE_CODE_PAGE_SIZE)
#else
/* A kernel without data->dyn_size does so whatever is set. */
#define PCS_SAMPLE_OF_CONTEXT	0
#endif

/**
 * pcs_sample_type_is_supported() - can all fields be given without a lie?
 * @sample_type: attr.sample_type
 *
 * A list of what is known to be right, so that a field of a future kernel is refused.
 */
bool pcs_sample_type_is_supported(u64 sample_type)
{
	return !(sample_type & ~(PCS_SAMPLE_PLAIN | PCS_SAMPLE_OF_CONTEXT));
}

#if PCS_HAVE_DYN_SIZE
static void pcs_add_dyn_size(struct perf_sample_data *data, size_t size)
{
	data->dyn_size += size;
}
#else
static void pcs_add_dyn_size(struct perf_sample_data *data, size_t size)
{
}
#endif

/* A call chain of the sampled PC alone; layout of struct perf_callchain_entry */
struct pcs_callchain {
	u64 nr;
	u64 ip[2];
};

static void pcs_fill_callchain(struct perf_sample_data *data, const struct perf_event *event,
			       struct pcs_callchain *chain, bool user, u64 ip)
{
	bool excluded = user ? event->attr.exclude_callchain_user :
			       event->attr.exclude_callchain_kernel;

	chain->nr = excluded ? 0 : 2;
	chain->ip[0] = user ? PERF_CONTEXT_USER : PERF_CONTEXT_KERNEL;
	chain->ip[1] = ip;
	data->callchain = (struct perf_callchain_entry *)chain;
	data->sample_flags |= PERF_SAMPLE_CALLCHAIN;
	pcs_add_dyn_size(data, (1 + chain->nr) * sizeof(u64));
}

/* Without what a snapshot adds */
#define PCS_RECORD_SIZE		offsetof(struct arm_pcsample_record, cycles)

/*
 * perf puts a u32 length in front of the raw data and pads both together to eight bytes. The sizes
 * of the record leave nothing to pad.
 */
static void pcs_fill_raw(struct perf_sample_data *data, struct perf_raw_record *raw,
			 struct arm_pcsample_record *record)
{
	BUILD_BUG_ON((PCS_RECORD_SIZE + sizeof(u32)) % sizeof(u64));
	BUILD_BUG_ON((sizeof(*record) + sizeof(u32)) % sizeof(u64));

	*raw = (struct perf_raw_record) {
		.frag = { .data = record, .size = record->size },
		.size = record->size,
	};
	data->raw = raw;
	data->sample_flags |= PERF_SAMPLE_RAW;
	pcs_add_dyn_size(data, sizeof(u32) + record->size);
}

#ifndef PCS_IN_TREE
/* No registers and no stack: the sampled task's are not known, and the reader's are its own. */
static void pcs_fill_no_regs(struct perf_sample_data *data, u64 sample_type)
{
	if (sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)) {
		data->regs_user.abi = PERF_SAMPLE_REGS_ABI_NONE;
		data->regs_user.regs = NULL;
		data->sample_flags |= PERF_SAMPLE_REGS_USER;
	}
	if (sample_type & PERF_SAMPLE_REGS_USER)
		pcs_add_dyn_size(data, sizeof(u64));
	if (sample_type & PERF_SAMPLE_REGS_INTR) {
		data->regs_intr.abi = PERF_SAMPLE_REGS_ABI_NONE;
		data->regs_intr.regs = NULL;
		data->sample_flags |= PERF_SAMPLE_REGS_INTR;
		pcs_add_dyn_size(data, sizeof(u64));
	}
}
#endif

static u64 pcs_cgroup_id(struct task_struct *task)
{
#ifdef CONFIG_CGROUP_PERF
	if (task)
		return cgroup_id(task_css_check(task, perf_event_cgrp_id, 1)->cgroup);
#endif
	return 0;
}

/*
 * In the event's PID namespace; 0 if the task is in another one, and -1 if it has gone since it was
 * found. As perf_event_pid_type() has it.
 */
static u32 pcs_id_of(const struct perf_event *event, struct task_struct *task, enum pid_type type)
{
	u32 id = __task_pid_nr_ns(task, type, event->ns);

	return id || pid_alive(task) ? id : -1;
}

/*
 * A task that has exited has PID -1, and its former TID if that is meaningful to the owner of the
 * event, as in perf_event_pid(). Code that belongs to no task has PID -1, too.
 */
static void pcs_fill_task(struct perf_sample_data *data, const struct perf_event *event,
			  bool has_task, u32 tid, struct task_struct *task)
{
	data->tid_entry.pid = -1;
	data->tid_entry.tid = -1;
	if (task == &init_task) {
		data->tid_entry.pid = 0;
		data->tid_entry.tid = 0;
	} else if (task && event->ns == &init_pid_ns) {
		data->tid_entry.pid = task->tgid;
		data->tid_entry.tid = task->pid;
	} else if (task) {
		data->tid_entry.pid = pcs_id_of(event, task, PIDTYPE_TGID);
		data->tid_entry.tid = pcs_id_of(event, task, PIDTYPE_PID);
	} else if (has_task && event->ns == &init_pid_ns) {
		data->tid_entry.tid = tid;
	}
	data->sample_flags |= PERF_SAMPLE_TID;

	if (event->attr.sample_type & PERF_SAMPLE_CGROUP) {
		data->cgroup = pcs_cgroup_id(task);
		data->sample_flags |= PERF_SAMPLE_CGROUP;
	}
}

/*
 * Output
 */

/*
 * Is anybody there to take a sample? An event that was made inside the kernel has a handler of its
 * own, and by perf's mark an owner that is no task.
 */
static bool pcs_is_taken(const struct perf_event *event)
{
	return READ_ONCE(event->rb) || IS_ERR(READ_ONCE(event->owner));
}

#ifdef PCS_IN_TREE
/*
 * perf throttles an event that gives too many samples within a tick of this CPU, until the next
 * tick. A CPU that is idle between its reads has no ticks. So perf's count begins anew when a tick
 * would have come, and an event that is throttled gets a tick.
 *
 * The only signs of a sample that found no room are that the event's count of them moved, or that
 * nobody is there to take it.
 */
static bool pcs_hand_over(struct pcs_event *ev, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	struct perf_event *event = ev->event;
	bool wanted = pcs_is_taken(event) || event->prog;
	s64 lost = atomic64_read(&event->lost_samples);

	if (time_after(jiffies, ev->samples_since)) {
		ev->samples_since = jiffies;
		event->hw.interrupts = 0;
	}
	if (perf_event_overflow(event, data, regs))
		mod_timer(&ev->tick, jiffies + 1);
	return wanted && atomic64_read(&event->lost_samples) == lost;
}

static u16 pcs_misc(enum am_world world)
{
	static const u16 misc[] = {
		[AM_WORLD_USER] = PERF_RECORD_MISC_USER,
		[AM_WORLD_KERNEL] = PERF_RECORD_MISC_KERNEL,
		[AM_WORLD_HYP] = PERF_RECORD_MISC_HYPERVISOR,
		[AM_WORLD_GUEST_USER] = PERF_RECORD_MISC_GUEST_USER,
		[AM_WORLD_GUEST_KERNEL] = PERF_RECORD_MISC_GUEST_KERNEL,
		[AM_WORLD_OTHER] = PERF_RECORD_MISC_CPUMODE_UNKNOWN,
	};

	return misc[world];
}

/* What there is of the registers, for BPF programs */
static void pcs_fill_regs(struct pt_regs *regs, u64 ip, bool user)
{
	instruction_pointer_set(regs, ip);
#ifdef CONFIG_ARM64
	regs->pstate = user ? PSR_MODE_EL0t : PSR_MODE_EL1h;
#endif
}
#else
/*
 * perf_event_overflow() is not exported, so this calls what it would call. Without it there is no
 * throttling (the reader has a budget), no BPF program (pcs_event_init() refuses them), no SIGTRAP
 * (only for events of tasks), and no PERF_EVENT_IOC_REFRESH.
 *
 * The only signs of a sample that found no room are that the event's count of them moved, or that
 * nobody is there to take it.
 */
static bool pcs_hand_over(struct pcs_event *ev, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	struct perf_event *event = ev->event;
	perf_overflow_handler_t output = READ_ONCE(event->overflow_handler);
	s64 lost = atomic64_read(&event->lost_samples);

	if (!pcs_is_taken(event))
		return false;
	event->pending_kill = POLL_IN;
	output(event, data, regs);
	return atomic64_read(&event->lost_samples) == lost;
}
#endif

/*
 * What perf takes a sample from. Not on the stack: kernels that zero variables there, as Debian's
 * do (CONFIG_INIT_STACK_ALL_ZERO), would do so for each sample. perf reads none of @data but what
 * perf_sample_data_init() and data->sample_flags say is filled, with @chain and @raw if @data names
 * them, and of @regs what is set here; the rest stays 0. A CPU makes one sample at a time, in its
 * timer's interrupt.
 */
struct pcs_perf_sample {
	struct perf_sample_data data;
	struct pt_regs regs;
	struct pcs_callchain chain;
	struct perf_raw_record raw;
};

static DEFINE_PER_CPU(struct pcs_perf_sample, pcs_perf_sample);

static enum pcs_outcome pcs_output(struct pcs_event *ev, const struct pcs_regs *hw,
				   enum am_world world, bool has_task, u32 tid,
				   struct task_struct *task, int cpu, u64 period)
{
	struct perf_event *event = ev->event;
	u64 sample_type = event->attr.sample_type;
	bool user = world == AM_WORLD_USER;
	struct pcs_perf_sample *sample = this_cpu_ptr(&pcs_perf_sample);
	struct perf_sample_data *data = &sample->data;
	struct pt_regs *regs = &sample->regs;
	u64 ip = 0;

#ifdef PCS_IN_TREE
	/*
	 * No address is given for another world, as this kernel has no symbols for it, nor for a
	 * guest, as it is not known which guest ran. The raw record has the address.
	 */
	if (user || world == AM_WORLD_KERNEL)
		ip = pcs_pc(hw->pmpcsr);
	pcs_fill_regs(regs, ip, user);

	perf_sample_data_init(data, 0, period);
	perf_sample_save_remote(data, pcs_misc(world), cpu, ip);
	pcs_fill_task(data, event, has_task, tid, task);
#else
	/*
	 * perf knows user and kernel of this host only. An address of another world would be
	 * looked up in the wrong symbols: such samples have none, and the raw record tells.
	 */
	if (user || world == AM_WORLD_KERNEL)
		ip = pcs_pc(hw->pmpcsr);
	regs->pc = ip;
	regs->pstate = user ? PSR_MODE_EL0t : PSR_MODE_EL1h;

	perf_sample_data_init(data, 0, period);
	data->ip = ip;
	data->addr = 0;
	data->cpu_entry.cpu = cpu;
	data->cpu_entry.reserved = 0;
	data->code_page_size = 0;
	data->sample_flags |= PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |
			      PERF_SAMPLE_CODE_PAGE_SIZE;
	pcs_fill_task(data, event, has_task, tid, task);
	pcs_fill_no_regs(data, sample_type);
#endif
	if (sample_type & PERF_SAMPLE_CALLCHAIN)
		pcs_fill_callchain(data, event, &sample->chain, user, ip);
	if (ev->recorded)
		pcs_fill_raw(data, &sample->raw, &ev->record);

	return pcs_hand_over(ev, data, regs) ? PCS_SAMPLE : PCS_BUFFER_FULL;
}

/* UNKNOWN values are not given either: they may belong to any task. */
static void pcs_fill_record(struct pcs_event *ev, const struct pcs_regs *regs,
			    const struct pcs_host *host, enum am_world world)
{
	struct arm_pcsample_record *record = &ev->record;
	u8 has = pcs_has(host, regs, world, ev->with_ids);

	record->size = ev->counts ? sizeof(*record) : PCS_RECORD_SIZE;
	record->attribution = pcs_attribution(host, world);
	record->has = ev->counts ? record->has | has : has;
	record->source = regs->source;
	record->reserved = 0;
	record->pmpcsr = regs->pmpcsr;
	record->pmcid1sr = has & ARM_PCSAMPLE_HAS_CID1 ? regs->pmcid1sr : 0;
	record->pmcid2sr = has & ARM_PCSAMPLE_HAS_CID2 ? regs->pmcid2sr : 0;
	record->pmvidsr = has & ARM_PCSAMPLE_HAS_VMID ? regs->pmvidsr : 0;
}

/**
 * pcs_sample_output() - classify a sample and hand it to perf if the event wants it
 * @ev: the event. If it is recorded, its record has what pcs_record_plan() and, of a snapshot,
 *	pcs_record_counts() put there
 * @regs: the sample; its Exception level may be corrected
 * @owner: whose it is
 * @cpu: the target
 * @period: time of the target that it stands for, ns
 *
 * Context: hard interrupt on the event's CPU, under rcu_read_lock(); the ring buffer has one
 * writer, this one.
 *
 * Return: PCS_SAMPLE, PCS_FILTERED or PCS_BUFFER_FULL.
 */
enum pcs_outcome pcs_sample_output(struct pcs_event *ev, struct pcs_regs *regs,
				   const struct pcs_owner *owner, int cpu, u64 period)
{
	const struct pcs_host *host = &owner->host;
	enum pcs_outcome outcome = PCS_FILTERED;
	struct task_struct *task = NULL;
	enum am_world world;
	bool has_task;

	if (host->kernel.names_tasks)
		task = pcs_find_task(owner->tid);
	world = pcs_world(host, regs, owner->in_vcpu,
			  task && (READ_ONCE(task->flags) & PF_KTHREAD));
	has_task = am_linux_has_task(&host->kernel, world);

	if (!pcs_is_filtered(&ev->filter, world, pcs_el_is_known(regs, world),
			     has_task && !owner->tid)) {
		if (ev->recorded)
			pcs_fill_record(ev, regs, host, world);
		outcome = pcs_output(ev, regs, world, has_task, owner->tid,
				     has_task ? task : NULL, cpu, period);
	}
	return outcome;
}
