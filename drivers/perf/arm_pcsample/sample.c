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
#include <linux/kernel.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

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

/**
 * pcs_record_size() - bytes of a raw record
 * @has_counts: it is one of a snapshot
 */
u16 pcs_record_size(bool has_counts)
{
	return has_counts ? sizeof(struct arm_pcsample_record) : PCS_RECORD_SIZE;
}

/*
 * perf puts a u32 length in front of the raw data and pads both together to eight bytes. The sizes
 * of the record leave nothing to pad.
 */
static void pcs_fill_raw(struct perf_sample_data *data, struct perf_raw_record *raw, void *bytes,
			 u32 size)
{
	BUILD_BUG_ON((PCS_RECORD_SIZE + sizeof(u32)) % sizeof(u64));
	BUILD_BUG_ON((sizeof(struct arm_pcsample_record) + sizeof(u32)) % sizeof(u64));
	BUILD_BUG_ON(sizeof(struct arm_pcsample_batch) % sizeof(u64));
	BUILD_BUG_ON(offsetof(struct arm_pcsample_member, record.cycles) % sizeof(u64));
	BUILD_BUG_ON(sizeof(struct arm_pcsample_member) % sizeof(u64));

	*raw = (struct perf_raw_record) {
		.frag = { .data = bytes, .size = size },
		.size = size,
	};
	data->raw = raw;
	data->sample_flags |= PERF_SAMPLE_RAW;
	pcs_add_dyn_size(data, sizeof(u32) + size);
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

/*
 * What ran
 *
 * Of a sample's 24 bytes a few bits say what ran and which registers are known. What they say is
 * worked out once for each event, and looked up from then on.
 */

/* PMPCSR.{NS,EL,NSE} and the RES0 bit among them; with three more bits the number of a view */
#define PCS_PMPCSR_STATE	GENMASK_ULL(63, 59)

static struct pcs_view *pcs_view_of(struct pcs_event *ev)
{
	const struct pcs_regs *regs = &ev->regs;
	const struct am_linux *kernel = &ev->owner.host.kernel;
	bool foreign = kernel->has_el2 &&
		       FIELD_GET(PMVIDSR_VMID, regs->pmvidsr) != regs->host_vmid;

	return &ev->view[FIELD_GET(PCS_PMPCSR_STATE, regs->pmpcsr) | foreign << 5 |
			 ev->owner.in_vcpu << 6 | kernel->names_tasks << 7];
}

#ifdef PCS_IN_TREE
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
#else
/* perf takes it from the registers that it gets, and knows user and kernel of this host only. */
static u16 pcs_misc(enum am_world world)
{
	return world == AM_WORLD_USER ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
}
#endif

static void pcs_fill_view(struct pcs_view *view, const struct pcs_event *ev, enum am_world world)
{
	const struct pcs_host *host = &ev->owner.host;
	struct pcs_regs all = { .pmpcsr = ev->regs.pmpcsr, .given = PCS_HAS_ALL };
	unsigned int i;

	*view = (struct pcs_view) {
		.is_filled = true,
		.world = world,
		.has = pcs_has(host, &all, world, ev->with_ids),
		.has_task = am_linux_has_task(&host->kernel, world),
		.attribution = pcs_attribution(host, world),
		.misc = pcs_misc(world),
	};
	for (i = 0; i < PCS_VIEW_NR; i++)
		if (pcs_is_filtered(&ev->filter, world, i & PCS_VIEW_EL_IS_KNOWN,
				    i & PCS_VIEW_IS_IDLE))
			view->filtered |= BIT(i);
}

static bool pcs_view_is_filtered(const struct pcs_view *view, const struct pcs_event *ev)
{
	unsigned int i = 0;

	if (pcs_el_is_known(&ev->regs, view->world))
		i |= PCS_VIEW_EL_IS_KNOWN;
	if (view->has_task && !ev->owner.tid)
		i |= PCS_VIEW_IS_IDLE;
	return view->filtered & BIT(i);
}

/* A task that never runs in user space is in the kernel: pcs_world() corrects the sample. */
static const struct pcs_view *pcs_look(struct pcs_event *ev, const struct task_struct *task)
{
	struct pcs_view *view = pcs_view_of(ev);
	bool never_user = ev->regs.el_by_address && task &&
			  (READ_ONCE(task->flags) & PF_KTHREAD);

	if (never_user)
		view = &ev->corrected;
	if (never_user || !view->is_filled)
		pcs_fill_view(view, ev, pcs_world(&ev->owner.host, &ev->regs, ev->owner.in_vcpu,
						  never_user));
	return view;
}

/*
 * Whose it is, and where
 */

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
static void pcs_fill_task(struct arm_pcsample_member *sample, const struct perf_event *event,
			  bool has_task, u32 tid, struct task_struct *task)
{
	sample->pid = -1;
	sample->tid = -1;
	if (task == &init_task) {
		sample->pid = 0;
		sample->tid = 0;
	} else if (task && event->ns == &init_pid_ns) {
		sample->pid = task->tgid;
		sample->tid = task->pid;
	} else if (task) {
		sample->pid = pcs_id_of(event, task, PIDTYPE_TGID);
		sample->tid = pcs_id_of(event, task, PIDTYPE_PID);
	} else if (has_task && event->ns == &init_pid_ns) {
		sample->tid = tid;
	}
	sample->cgroup = 0;
	if (event->attr.sample_type & PERF_SAMPLE_CGROUP)
		sample->cgroup = pcs_cgroup_id(task);
}

/*
 * No address is given for another world, as this kernel has no symbols for it, nor for a guest, as
 * it is not known which guest ran. The raw record has the address.
 */
static void pcs_fill_place(struct arm_pcsample_member *sample, const struct pcs_regs *regs,
			   const struct pcs_view *view)
{
	sample->ip = 0;
	if (view->world == AM_WORLD_USER || view->world == AM_WORLD_KERNEL)
		sample->ip = pcs_pc(regs->pmpcsr);
	sample->misc = view->misc;
	sample->reserved = 0;
}

/*
 * Output
 */

/*
 * The only sign of a record that found no room is that perf's count of lost samples moved. perf
 * counts a record, and @nr samples went with it. Returns whether there was room.
 */
static bool pcs_had_room(struct perf_event *event, s64 lost, u32 nr)
{
	if (atomic64_read(&event->lost_samples) == lost)
		return true;
	atomic64_add(nr - 1, &event->lost_samples);
	return false;
}

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
 */
static bool pcs_hand_over(struct pcs_event *ev, struct perf_sample_data *data,
			  struct pt_regs *regs, u32 nr)
{
	struct perf_event *event = ev->event;
	bool wanted = pcs_is_taken(event) || event->prog;
	s64 lost = atomic64_read(&event->lost_samples);
	bool was_stopped = event->hw.state & PERF_HES_STOPPED;
	u64 interrupts = event->hw.interrupts;

	if (time_after(jiffies, ev->samples_since)) {
		ev->samples_since = jiffies;
		event->hw.interrupts = 0;
	}
	if (perf_event_overflow(event, data, regs))
		mod_timer(&ev->tick, jiffies + 1);
	/* The last batch of an event that perf has throttled: by this mark perf lets it go on. */
	if (was_stopped)
		event->hw.interrupts = interrupts;
	return pcs_had_room(event, lost, nr) && wanted;
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
 */
static bool pcs_hand_over(struct pcs_event *ev, struct perf_sample_data *data,
			  struct pt_regs *regs, u32 nr)
{
	struct perf_event *event = ev->event;
	perf_overflow_handler_t output = READ_ONCE(event->overflow_handler);
	s64 lost = atomic64_read(&event->lost_samples);

	if (!pcs_is_taken(event))
		return false;
	event->pending_kill = POLL_IN;
	output(event, data, regs);
	return pcs_had_room(event, lost, nr);
}
#endif

/* @raw: of @size bytes, for events that want it. @nr: samples that the record stands for */
static enum pcs_outcome pcs_output(struct pcs_event *ev, const struct arm_pcsample_member *sample,
				   int cpu, u64 period, void *raw, u32 size, u32 nr)
{
	struct pcs_perf_sample *perf = &ev->perf;
	struct perf_sample_data *data = &perf->data;
	struct perf_event *event = ev->event;
	u64 sample_type = event->attr.sample_type;
	bool user = sample->misc == PERF_RECORD_MISC_USER;
	struct pt_regs *regs = &perf->regs;

#ifdef PCS_IN_TREE
	pcs_fill_regs(regs, sample->ip, user);

	perf_sample_data_init(data, 0, period);
	perf_sample_save_remote(data, sample->misc, cpu, sample->ip);
#else
	regs->pc = sample->ip;
	regs->pstate = user ? PSR_MODE_EL0t : PSR_MODE_EL1h;

	perf_sample_data_init(data, 0, period);
	data->ip = sample->ip;
	data->addr = 0;
	data->cpu_entry.cpu = cpu;
	data->cpu_entry.reserved = 0;
	data->code_page_size = 0;
	data->sample_flags |= PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |
			      PERF_SAMPLE_CODE_PAGE_SIZE;
	pcs_fill_no_regs(data, sample_type);
#endif
	data->tid_entry.pid = sample->pid;
	data->tid_entry.tid = sample->tid;
	data->cgroup = sample->cgroup;
	data->sample_flags |= PERF_SAMPLE_TID | PERF_SAMPLE_CGROUP;
	if (sample_type & PERF_SAMPLE_CALLCHAIN)
		pcs_fill_callchain(data, event, &perf->chain, user, sample->ip);
	if (ev->recorded)
		pcs_fill_raw(data, &perf->raw, raw, size);

	return pcs_hand_over(ev, data, regs, nr) ? PCS_SAMPLE : PCS_BUFFER_FULL;
}

/* UNKNOWN values are not given either: they may belong to any task. */
static void pcs_fill_record(struct pcs_event *ev, const struct pcs_view *view)
{
	const struct pcs_regs *regs = &ev->regs;
	struct arm_pcsample_record *record = &ev->sample->record;
	u8 has = view->has & (regs->given | ARM_PCSAMPLE_MAY_BE_GUEST);

	record->size = ev->record_size;
	record->attribution = view->attribution;
	if (!pcs_el_is_known(regs, view->world))
		has |= ARM_PCSAMPLE_NO_EL;
	record->has = ev->counts ? record->has | has : has;
	record->source = regs->source;
	record->reserved = 0;
	record->pmpcsr = regs->pmpcsr;
	record->pmcid1sr = has & ARM_PCSAMPLE_HAS_CID1 ? regs->pmcid1sr : 0;
	record->pmcid2sr = has & ARM_PCSAMPLE_HAS_CID2 ? regs->pmcid2sr : 0;
	record->pmvidsr = has & ARM_PCSAMPLE_HAS_VMID ? regs->pmvidsr : 0;
}

/*
 * Batches
 *
 * perf needs more instructions for a record than the driver for a sample. So samples that may wait
 * for each other share one. PERF_SAMPLE_RAW has them all; the rest of the record is of one of them,
 * for tools that do not unpack batches. It is chosen at random, as any other rule would favour
 * targets or moments. Each is chosen with the same probability, so all shares come out right if it
 * counts as often as there are samples in the batch.
 */

static struct arm_pcsample_batch *pcs_batch_head(const struct pcs_event *ev)
{
	return (void *)ev->batch->raw + ev->record_size;
}

static u16 pcs_batch_stride(const struct pcs_event *ev)
{
	return offsetof(struct arm_pcsample_member, record) + ev->record_size;
}

static struct arm_pcsample_member *pcs_batch_member(const struct pcs_event *ev, u32 i)
{
	return (void *)(pcs_batch_head(ev) + 1) + i * pcs_batch_stride(ev);
}

/**
 * pcs_batch_create() - let the samples of an event share records
 * @ev: the event, whose @record_size and @seed are set
 *
 * Context: may sleep.
 *
 * Return: 0 or -ENOMEM
 */
int pcs_batch_create(struct pcs_event *ev)
{
	ev->batch = kvzalloc(sizeof(*ev->batch), GFP_KERNEL);
	if (!ev->batch)
		return -ENOMEM;
	prandom_seed_state(&ev->batch->random, ev->seed);
	pcs_batch_head(ev)->stride = pcs_batch_stride(ev);
	ev->sample = pcs_batch_member(ev, 0);
	return 0;
}

static enum pcs_outcome pcs_batch_add(struct pcs_event *ev)
{
	struct pcs_batch *batch = ev->batch;
	const struct arm_pcsample_record *record = &ev->sample->record;

	if (!batch->nr++)
		batch->since = record->planned + record->late;
	ev->sample = (void *)ev->sample + pcs_batch_stride(ev);
	return PCS_BATCHED;
}

/**
 * pcs_batch_output() - hand a batch to perf
 * @ev: the event, in whose batch there is a sample
 *
 * Context: on the event's CPU, IRQs disabled; the ring buffer has one writer, this one.
 *
 * Return: PCS_SAMPLE or PCS_BUFFER_FULL, for all samples of the batch.
 */
enum pcs_outcome pcs_batch_output(struct pcs_event *ev)
{
	struct pcs_batch *batch = ev->batch;
	struct arm_pcsample_batch *head = pcs_batch_head(ev);
	u32 nr = batch->nr;
	u32 chosen = reciprocal_scale(prandom_u32_state(&batch->random), nr);
	const struct arm_pcsample_member *sample = pcs_batch_member(ev, chosen);
	void *end = pcs_batch_member(ev, nr);

	memcpy(batch->raw, &sample->record, ev->record_size);
	head->nr = nr;
	batch->nr = 0;
	ev->sample = pcs_batch_member(ev, 0);
	return pcs_output(ev, sample, sample->record.target, nr * sample->period, batch->raw,
			  end - (void *)batch->raw, nr);
}

/*
 * One sample
 */

/**
 * pcs_sample_output() - classify a sample and hand it to perf if the event wants it
 * @ev: the event, with the sample in its regs and owner; the Exception level may be corrected. If
 *	it is recorded, its record has what pcs_record_plan() and, of a snapshot,
 *	pcs_record_counts() put there
 * @cpu: the target
 * @period: time of the target that it stands for, ns
 *
 * Context: hard interrupt on the event's CPU, under rcu_read_lock(); the ring buffer has one
 * writer, this one.
 *
 * Return: PCS_SAMPLE, PCS_FILTERED or PCS_BUFFER_FULL; or PCS_BATCHED, and the sample waits for
 * pcs_batch_output().
 */
enum pcs_outcome pcs_sample_output(struct pcs_event *ev, int cpu, u64 period)
{
	struct arm_pcsample_member *sample = ev->sample;
	const struct pcs_view *view;
	struct task_struct *task = NULL;

	if (ev->owner.host.kernel.names_tasks)
		task = pcs_find_task(ev->owner.tid);
	view = pcs_look(ev, task);
	if (pcs_view_is_filtered(view, ev))
		return PCS_FILTERED;

	pcs_fill_place(sample, &ev->regs, view);
	pcs_fill_task(sample, ev->event, view->has_task, ev->owner.tid,
		      view->has_task ? task : NULL);
	sample->period = period;
	if (ev->recorded)
		pcs_fill_record(ev, view);
	if (ev->batch)
		return pcs_batch_add(ev);
	return pcs_output(ev, sample, cpu, period, &sample->record, ev->record_size, 1);
}
