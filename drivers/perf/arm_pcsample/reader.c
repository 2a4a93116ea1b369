// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader: the timer of an event, which visits the event's targets as its plan says.
 *
 * An event is started, stopped and run by its timer on one CPU, all with IRQs disabled there; so
 * these three never meet, but where perf stops an event for a record that it is given. The event's
 * lock is for those who read its ledger from elsewhere.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include "arm_pcsample.h"
#include "budget.h"
#ifndef PCS_IN_TREE
#include "kernel-api.h"
#endif

/* Share of a reader's CPU */
static unsigned int pcs_budget_percent = 25;

static int pcs_set_budget_percent(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 1, 95);
}

static const struct kernel_param_ops pcs_budget_percent_ops = {
	.set = pcs_set_budget_percent,
	.get = param_get_uint,
};
module_param_cb(budget_percent, &pcs_budget_percent_ops, &pcs_budget_percent, 0644);
MODULE_PARM_DESC(budget_percent,
		 "Share of a reader's CPU that reading may take, 1 to 95 (default 25)");

/* Longest time that a reader has run with interrupts masked, ns */
static unsigned long pcs_longest_tick;
module_param_named(longest_tick, pcs_longest_tick, ulong, 0644);
MODULE_PARM_DESC(longest_tick,
		 "Longest time that a reader has run with interrupts masked, ns; can be set to 0");

/* What the interrupt itself costs beside the handler, about, ns */
#define PCS_TICK_COST	1000

/* One budget for all events of a CPU; only used by their timers there */
static DEFINE_PER_CPU(struct pcs_budget, pcs_budget);

/*
 * Accounts
 */

/* Of the reads before the last of @due the reader has missed these: it stayed away, or was late. */
static void pcs_settle_missed(const struct pcs_event *ev, struct pcs_ledger *ledger, u64 due)
{
	u64 missed = due - 1 - ledger->planned;
	u64 preempted = clamp(ev->blocked, ledger->planned, due - 1) - ledger->planned;

	ledger->outcome[PCS_PREEMPTED] += preempted;
	ledger->outcome[PCS_LATE] += missed - preempted;
}

/* @due reads of a target are due, and the last one gets @outcome. Under ev->lock. */
static void pcs_settle(const struct pcs_event *ev, struct pcs_target *target, u64 due,
		       enum pcs_outcome outcome)
{
	struct pcs_ledger *ledger = &target->ledger;

	if (ledger->planned < due - 1)
		pcs_settle_missed(ev, ledger, due);
	if (outcome == PCS_BATCHED)
		target->batched++;
	else
		ledger->outcome[outcome]++;
	ledger->planned = due;
}

/* Account for the reads that were made, all at once: the lock is taken once a round. */
static void pcs_settle_visited(struct pcs_event *ev)
{
	u32 i;

	raw_spin_lock(&ev->lock);
	for (i = 0; i < ev->nr_targets; i++) {
		struct pcs_target *target = &ev->target[i];

		if (target->ledger.planned < target->seen)
			pcs_settle(ev, target, target->seen, target->outcome);
	}
	raw_spin_unlock(&ev->lock);
}

/*
 * Hand the event's batch over, if there is one with samples, all of which are accounted for.
 *
 * This does not wait for a vCPU that this CPU has loaded (see pcs_vcpu_is_loaded()), which may take
 * long. The record is marked as a guest's then, for tools that do not unpack batches; its members
 * are right.
 */
static void pcs_flush(struct pcs_event *ev)
{
	enum pcs_outcome outcome;
	u32 i;

	if (!ev->batch || !ev->batch->nr)
		return;
	outcome = pcs_batch_output(ev);
	raw_spin_lock(&ev->lock);
	for (i = 0; i < ev->nr_targets; i++) {
		struct pcs_target *target = &ev->target[i];

		target->ledger.outcome[outcome] += target->batched;
		target->batched = 0;
	}
	raw_spin_unlock(&ev->lock);
}

/* @due rounds are due. */
static void pcs_set_due(struct pcs_event *ev, u64 due)
{
	if (due == ev->due)
		return;
	ev->planned = due == ev->due + 1 ? ev->next : pcs_plan_time(&ev->plan, due - 1);
	ev->next = pcs_plan_time(&ev->plan, due);
	ev->due = due;
}

/* None of the reads that are due is made. The timer has interrupts masked: a few additions each. */
static void pcs_settle_all(struct pcs_event *ev, u64 due, enum pcs_outcome outcome)
{
	u32 i;

	raw_spin_lock(&ev->lock);
	for (i = 0; i < ev->nr_targets; i++)
		if (ev->target[i].ledger.planned < due)
			pcs_settle(ev, &ev->target[i], due, outcome);
	raw_spin_unlock(&ev->lock);
	pcs_set_due(ev, due);
	ev->cut = false;
}

/* The plan ends at @now: close the accounts and carry them over. Under arm_pcsample.ledger_lock. */
static void pcs_close_accounts(struct pcs_event *ev, u64 now)
{
	u64 due = pcs_plan_due(&ev->plan, now);
	u32 i;

	pcs_settle_all(ev, due, now < ev->blocked_until ? PCS_PREEMPTED : PCS_LATE);
	for (i = 0; i < ev->nr_targets; i++) {
		struct pcs_target *target = &ev->target[i];

		pcs_ledger_add(&arm_pcsample.ledger[target->cpu], &target->ledger);
	}
	ev->seq += due * ev->nr_targets;
}

static void pcs_add_running(const struct pcs_event *ev, int cpu, struct pcs_ledger *sum)
{
	u32 i;

	if (!is_sampling_event(ev->event))
		return;
	for (i = 0; i < ev->nr_targets; i++) {
		if (cpu >= 0 && ev->target[i].cpu != cpu)
			continue;
		pcs_ledger_add(sum, &ev->target[i].ledger);
		sum->planned -= ev->target[i].batched;
	}
}

/**
 * pcs_ledger_snapshot() - account of a target, or of all
 * @cpu: the target, or -1 for all
 * @sum: filled
 *
 * Of events that run it takes in what was planned up to the last look of their reader at each
 * target, less the samples that wait in a batch, so that the sum rule holds in every snapshot.
 *
 * Context: any but the timer's.
 */
void pcs_ledger_snapshot(int cpu, struct pcs_ledger *sum)
{
	struct pcs_event *ev;
	unsigned long flags;
	int i;

	*sum = (struct pcs_ledger) {};
	raw_spin_lock_irqsave(&arm_pcsample.ledger_lock, flags);
	for (i = 0; i < nr_cpu_ids; i++)
		if (cpu < 0 || cpu == i)
			pcs_ledger_add(sum, &arm_pcsample.ledger[i]);
	list_for_each_entry(ev, &arm_pcsample.running, node) {
		raw_spin_lock(&ev->lock);
		pcs_add_running(ev, cpu, sum);
		raw_spin_unlock(&ev->lock);
	}
	raw_spin_unlock_irqrestore(&arm_pcsample.ledger_lock, flags);
}

/*
 * The timer
 */

/*
 * With VHE only the task tells a guest's EL0 from the host's, and the task may enter or leave its
 * guest after the PE was sampled. So its state is checked before the read, too, and must be the
 * same after it. The last sample names the task to check; if another task ran, there is a second
 * read. A task that enters its guest and leaves it again during the read, or the reverse, goes
 * unnoticed. Only a long read has the time for both, so a long one is made again, too.
 */
static enum pcs_outcome pcs_take(struct pcs_target *target, struct pcs_regs *regs,
				 struct pcs_owner *owner)
{
	unsigned int tries;

	for (tries = 0; tries < 2; tries++) {
		u32 asked = target->tid;
		u64 begin = asked ? ktime_get_ns() : 0;
		bool before = asked && pcs_in_vcpu(asked), decides;
		enum pcs_outcome outcome;

		outcome = pcs_block_read(arm_pcsample.block[target->cpu], regs);
		if (outcome != PCS_SAMPLE)
			return outcome;
		owner->host = pcs_host_of(&arm_pcsample.host, regs);
		owner->tid = am_linux_tid(&owner->host.kernel, regs->pmcid1sr, regs->pmcid2sr);
		decides = pcs_task_decides(&owner->host, regs);
		if (decides || asked)
			target->tid = owner->tid;
		owner->in_vcpu = decides && pcs_in_vcpu(owner->tid);
		if (!decides)
			return PCS_SAMPLE;
		if (owner->tid == asked && owner->in_vcpu == before &&
		    !pcs_took_too_long(&target->usual, ktime_get_ns() - begin))
			return PCS_SAMPLE;
	}
	return PCS_NO_BRANCH;
}

/*
 * What was counted since the last snapshot belongs to this sample. If the sample has no PC or is
 * filtered, these counts are dropped with it, so that no other code is charged with them.
 */
static void pcs_record_counts(struct pcs_event *ev, struct pcs_target *target)
{
	struct arm_pcsample_record *record = &ev->sample->record;
	u64 counted[PCS_NR_COUNTS];

	record->has = pcs_counts_since(&target->counts, &ev->regs.counts, ev->counts, counted);
	record->cycles = counted[PCS_COUNT_CYCLES];
	record->instructions = counted[PCS_COUNT_INSTRUCTIONS];
	record->counted = counted[PCS_COUNT_EVENT];
}

static void pcs_record_plan(struct pcs_event *ev, const struct pcs_target *target, u64 round,
			    u64 now)
{
	struct arm_pcsample_record *record = &ev->sample->record;

	record->planned = ev->planned;
	record->late = min_t(u64, now - record->planned, U32_MAX);
	record->seq = ev->seq + round * ev->nr_targets + (target - ev->target);
	record->target = target->cpu;
	record->reader = smp_processor_id();
}

/*
 * The sample's period is the target's time since its last read, so that a target whose reader is
 * late or short of budget keeps its weight among the others. This does not tell what ran while
 * reads were missed. If reads are missed in some code more often than in other code, its share is
 * wrong; the ledger shows how many were missed.
 */
static enum pcs_outcome pcs_sample(struct pcs_event *ev, struct pcs_target *target, u64 due,
				   u64 now)
{
	enum pcs_outcome outcome;

	outcome = pcs_take(target, &ev->regs, &ev->owner);
	if (ev->recorded && ev->counts)
		pcs_record_counts(ev, target);
	if (outcome != PCS_SAMPLE)
		return outcome;
	if (ev->recorded)
		pcs_record_plan(ev, target, due - 1, now);
	return pcs_sample_output(ev, target->cpu, (due - target->seen) * ev->plan.period);
}

static bool pcs_batch_is_full(const struct pcs_event *ev)
{
	return ev->batch && ev->batch->nr == ARM_PCSAMPLE_BATCH_MAX;
}

/*
 * A read is worth making as long as the target's next one is not due. So at most one read per
 * target is made, the last that is due, however late the timer is.
 *
 * Reads that do not fit into the slice wait for the next one: the time for which a reader masks
 * interrupts does not depend on the number of targets. The next slice begins with the target
 * before which this one ended. So a reader that is always late reads none of its targets less often
 * than the others.
 *
 * Returns the clock after the last read.
 */
static u64 pcs_visit_due(struct pcs_event *ev, u64 due, u64 now, u64 until)
{
	struct pcs_target *target = &ev->target[ev->turn], *end = &ev->target[ev->nr_targets];
	u32 left;

	pcs_set_due(ev, due);
	for (left = ev->nr_targets; left && !ev->stops && now < until; left--) {
		if (target->ledger.planned < due) {
			target->outcome = pcs_sample(ev, target, due, now);
			target->seen = due;
			if (pcs_batch_is_full(ev)) {
				pcs_settle_visited(ev);
				pcs_flush(ev);
			}
			now = ktime_get_ns();
		}
		if (++target == end)
			target = ev->target;
	}
	ev->turn = target - ev->target;
	pcs_settle_visited(ev);
	ev->cut = left;
	return now;
}

/* Interrupts were masked from @begin to @end, which cost @more ns beside that. */
static void pcs_spend(struct pcs_budget *budget, u64 begin, u64 end, u64 more)
{
	u64 used = pcs_slice_use(budget, begin, end);

	if (used > READ_ONCE(pcs_longest_tick))
		WRITE_ONCE(pcs_longest_tick, used);
	pcs_budget_spend(budget, end - begin + more);
}

static void pcs_work(struct pcs_event *ev, struct pcs_budget *budget, u64 begin, u64 left)
{
	unsigned int percent = READ_ONCE(pcs_budget_percent);
	u64 due = pcs_plan_due(&ev->plan, begin);
	bool paid = pcs_budget_earn(budget, begin, percent, ev->booked);
	u64 end;

	/* The count belongs to the sample. */
	if (ev->event->attr.sample_type & PERF_SAMPLE_READ)
		pcs_reader_update(ev, begin);

	if (!paid) {
		pcs_settle_all(ev, due, PCS_PREEMPTED);
		end = ktime_get_ns();
#ifndef PCS_IN_TREE
	} else if (pcs_vcpu_is_loaded()) {
		pcs_settle_all(ev, due, PCS_PREEMPTED);
		end = ktime_get_ns();
#endif
	} else {
		rcu_read_lock();
		end = pcs_visit_due(ev, due, begin, begin + left);
		rcu_read_unlock();
	}

	pcs_spend(budget, begin, end, PCS_TICK_COST);
	ev->booked = budget->credit <= 0;
	if (ev->booked) {
		ev->blocked_until = begin + pcs_budget_book(budget, percent);
		ev->blocked = pcs_plan_due(&ev->plan, ev->blocked_until);
	}
}

/* When the timer has something to do again */
static u64 pcs_next_tick(const struct pcs_event *ev, const struct pcs_budget *budget, bool worked)
{
	u64 resumes = pcs_slice_resumes(budget, worked);

	if (!ev->cut)
		resumes = max(resumes, ev->next);
	return max(resumes, ev->blocked_until);
}

/* Would the first sample of the batch be too old at the next tick? */
static bool pcs_batch_is_due(const struct pcs_event *ev, u64 next)
{
	return ev->batch && ev->batch->nr && next > ev->batch->since + ARM_PCSAMPLE_BATCH_AGE;
}

static void pcs_flush_due(struct pcs_event *ev, struct pcs_budget *budget, u64 next)
{
	u64 begin;

	if (!pcs_batch_is_due(ev, next))
		return;
	begin = ktime_get_ns();
	pcs_flush(ev);
	pcs_spend(budget, begin, ktime_get_ns(), 0);
}

static void pcs_stop(struct pcs_event *ev);

/* All samples are accounted for. Has perf stopped the event for one of them? Then it ends now. */
static bool pcs_was_stopped(struct pcs_event *ev)
{
	ev->is_busy = false;
	if (!ev->stops)
		return false;
	ev->stops = false;
	pcs_stop(ev);
	return true;
}

static enum hrtimer_restart pcs_tick(struct hrtimer *timer)
{
	struct pcs_event *ev = container_of(timer, struct pcs_event, timer);
	struct pcs_budget *budget = this_cpu_ptr(&pcs_budget);
	u64 begin = ktime_get_ns();
	u64 left = pcs_slice_left(budget, begin);
	u64 next;

	ev->is_busy = true;
	if (left)
		pcs_work(ev, budget, begin, left);
	next = pcs_next_tick(ev, budget, left);
	pcs_flush_due(ev, budget, next);
	if (pcs_was_stopped(ev))
		return HRTIMER_NORESTART;

	hrtimer_set_expires(timer, ns_to_ktime(next));
	return HRTIMER_RESTART;
}

/*
 * Start, stop, change
 */

/* Under arm_pcsample.ledger_lock. */
static bool pcs_is_target(const struct pcs_event *ev, int cpu)
{
	return arm_pcsample.reader[cpu] == smp_processor_id() &&
	       pcs_mask_has(ev->targets_mask, cpu);
}

/* Under arm_pcsample.ledger_lock: what the event samples is what its CPU serves now. */
static void pcs_begin(struct pcs_event *ev)
{
	bool sampling = is_sampling_event(ev->event);
	u64 now = ktime_get_ns();
	u32 n = 0;
	int cpu;

	/* Before there are targets: an NMI may bring the count up to date. */
	local64_set(&ev->event->hw.prev_count, now);
	raw_spin_lock(&ev->lock);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (pcs_is_target(ev, cpu))
			ev->target[n++] = (struct pcs_target) { .cpu = cpu };
	}
	ev->nr_targets = n;
	ev->due = 0;
	ev->turn = 0;
	ev->cut = false;
	ev->blocked_until = 0;
	ev->blocked = 0;
	if (n && sampling)
		ev->plan = (struct pcs_plan) {
			.start = now,
			.period = ev->event->hw.sample_period,
			.seed = ev->seed,
			.dither = ev->dither,
		};
	ev->next = pcs_plan_time(&ev->plan, 0);
	raw_spin_unlock(&ev->lock);

	if (n && sampling)
		hrtimer_start(&ev->timer, ns_to_ktime(ev->next), HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Under arm_pcsample.ledger_lock. If the timer's function is running, it is the caller, and will
 * not start the timer again: there is nothing to wait for.
 */
static void pcs_end(struct pcs_event *ev)
{
	u64 now = ktime_get_ns();

	if (ev->nr_targets && is_sampling_event(ev->event)) {
		hrtimer_try_to_cancel(&ev->timer);
		pcs_close_accounts(ev, now);
	}
	if (ev->booked)
		pcs_budget_unbook(this_cpu_ptr(&pcs_budget));
	ev->booked = false;
	pcs_reader_update(ev, now);
	raw_spin_lock(&ev->lock);
	ev->nr_targets = 0;
	raw_spin_unlock(&ev->lock);
}

#ifdef PCS_IN_TREE
/* The tick that comes with the timer is all that is wanted of it. */
static void pcs_have_ticked(struct timer_list *unused)
{
}
#endif

/**
 * pcs_reader_init_event() - prepare the reader's part of an event
 * @ev: the event
 */
void pcs_reader_init_event(struct pcs_event *ev)
{
	raw_spin_lock_init(&ev->lock);
	pcs_hrtimer_setup(&ev->timer, pcs_tick, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
#ifdef PCS_IN_TREE
	timer_setup(&ev->tick, pcs_have_ticked, TIMER_PINNED);
	ev->samples_since = jiffies;
#endif
}

#ifdef PCS_IN_TREE
/**
 * pcs_reader_exit_event() - undo pcs_reader_init_event()
 * @ev: the event, which is stopped
 *
 * Context: may sleep.
 */
void pcs_reader_exit_event(struct pcs_event *ev)
{
	timer_shutdown_sync(&ev->tick);
}
#endif

/**
 * pcs_reader_start() - start to sample, or only to count if the event has no period
 * @ev: the event
 *
 * Context: on the event's CPU, IRQs disabled.
 */
void pcs_reader_start(struct pcs_event *ev)
{
	raw_spin_lock(&arm_pcsample.ledger_lock);
	pcs_begin(ev);
	list_add_tail(&ev->node, &arm_pcsample.running);
	raw_spin_unlock(&arm_pcsample.ledger_lock);
}

/* In two steps, as perf is not called under the driver's locks */
static void pcs_stop(struct pcs_event *ev)
{
	pcs_flush(ev);
	raw_spin_lock(&arm_pcsample.ledger_lock);
	list_del(&ev->node);
	pcs_end(ev);
	raw_spin_unlock(&arm_pcsample.ledger_lock);
}

/**
 * pcs_reader_stop() - stop, with the accounts closed
 * @ev: the event
 *
 * A sample may be the one for which perf throttles the event, or the last that it is to give. Then
 * this is called with samples not yet accounted for, and whoever hands them over stops the event
 * when that is done.
 *
 * Context: on the event's CPU, IRQs disabled.
 */
void pcs_reader_stop(struct pcs_event *ev)
{
	if (ev->is_busy)
		ev->stops = true;
	else
		pcs_stop(ev);
}

/**
 * pcs_reader_update() - bring the event's count up to a time
 * @ev: the event; on its CPU
 * @now: clock, ns
 *
 * The count is target time: a second with three targets counts three seconds.
 *
 * Context: on the event's CPU; any, NMI too.
 */
void pcs_reader_update(struct pcs_event *ev, u64 now)
{
	u64 before = local64_xchg(&ev->event->hw.prev_count, now);

	local64_add((now - before) * ev->nr_targets, &ev->event->count);
}

/**
 * pcs_reader_runs() - does an event run on a CPU?
 * @cpu: the CPU
 *
 * Context: process.
 */
bool pcs_reader_runs(int cpu)
{
	struct pcs_event *ev;
	bool runs = false;

	raw_spin_lock_irq(&arm_pcsample.ledger_lock);
	list_for_each_entry(ev, &arm_pcsample.running, node)
		runs |= READ_ONCE(ev->event->oncpu) == cpu;
	raw_spin_unlock_irq(&arm_pcsample.ledger_lock);
	return runs;
}

/* An event of this CPU with samples in its batch, or NULL. It lasts until IRQs are enabled. */
static struct pcs_event *pcs_find_batched(void)
{
	struct pcs_event *ev, *found = NULL;

	raw_spin_lock(&arm_pcsample.ledger_lock);
	list_for_each_entry(ev, &arm_pcsample.running, node)
		if (READ_ONCE(ev->event->oncpu) == smp_processor_id() && ev->batch && ev->batch->nr)
			found = ev;
	raw_spin_unlock(&arm_pcsample.ledger_lock);
	return found;
}

/* The accounts of the batches are closed first, as perf is not called under the driver's locks. */
static void pcs_replan_local(void *unused)
{
	struct pcs_event *ev;

	while ((ev = pcs_find_batched())) {
		ev->is_busy = true;
		pcs_flush(ev);
		pcs_was_stopped(ev);
	}
	raw_spin_lock(&arm_pcsample.ledger_lock);
	list_for_each_entry(ev, &arm_pcsample.running, node) {
		if (READ_ONCE(ev->event->oncpu) != smp_processor_id())
			continue;
		pcs_end(ev);
		pcs_begin(ev);
	}
	raw_spin_unlock(&arm_pcsample.ledger_lock);
}

/**
 * pcs_reader_replan() - make all running events follow a change of arm_pcsample.reader
 *
 * When it returns no event visits a target that it does not serve any more. Only CPUs on which
 * events run are interrupted.
 *
 * Context: process, under arm_pcsample.lock.
 */
void pcs_reader_replan(void)
{
	static struct cpumask cpus;
	struct pcs_event *ev;

	cpumask_clear(&cpus);
	raw_spin_lock_irq(&arm_pcsample.ledger_lock);
	list_for_each_entry(ev, &arm_pcsample.running, node)
		cpumask_set_cpu(READ_ONCE(ev->event->oncpu), &cpus);
	raw_spin_unlock_irq(&arm_pcsample.ledger_lock);

	on_each_cpu_mask(&cpus, pcs_replan_local, NULL, true);
}
