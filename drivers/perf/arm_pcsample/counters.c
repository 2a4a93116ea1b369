// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU counters that snapshots read. While there are events with snapshot=1, the driver has
 * kernel-internal perf events for them, one of each kind on each CPU that can take snapshots.
 *
 * They are perf's, so that perf shares the hardware counters out among all who want some, saves
 * them over idle states and handles their overflow. They are pinned: an event that took turns with
 * others would count only now and then. Not the user's own events: those cannot be in a group with
 * one of another CPU, and where the driver looked for them they could be closed.
 *
 * This file takes perf's mutexes, so it must not be called under arm_pcsample.lock, nor when an
 * event is closed: closing may happen under mmap_lock, which perf_read() takes under a mutex of
 * perf's. So a work item gives counters back. It also gives a CPU that comes online new counters,
 * since perf took the old ones out of their context when the CPU went.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "arm_pcsample.h"

/* Outside of arm_pcsample.lock and of perf's mutexes */
static DEFINE_MUTEX(pcs_counters_mutex);

/**
 * struct pcs_counters - the events of one CPU
 * @event: by enum pcs_counter; NULL where there is none. Written under pcs_counters_mutex
 */
struct pcs_counters {
	struct perf_event __rcu *event[PCS_NR_COUNTS];
};

static struct pcs_counters *pcs_counters;
static atomic_t pcs_counters_users = ATOMIC_INIT(0);
/* Those of them that want PCS_COUNT_EVENT */
static atomic_t pcs_counted_users = ATOMIC_INIT(0);
/* The event of PCS_COUNT_EVENT, or 0; under pcs_counters_mutex, and fixed while it has users */
static u16 pcs_counted_event;

static struct perf_event *pcs_counter_event(int cpu, unsigned int i)
{
	return rcu_dereference_protected(pcs_counters[cpu].event[i],
					 lockdep_is_held(&pcs_counters_mutex));
}

static void pcs_release_counter(int cpu, unsigned int i)
{
	struct perf_event *event = pcs_counter_event(cpu, i);

	if (!event)
		return;
	RCU_INIT_POINTER(pcs_counters[cpu].event[i], NULL);
	/* A reader may be looking at it; perf frees events by RCU. */
	perf_event_release_kernel(event);
}

/*
 * Counts all worlds and levels that the PMU sees, and 64 bits where a snapshot has those, so that
 * it does not overflow and interrupt the CPU. Elsewhere perf would make 64 bits of two counters.
 * Whoever may open an event of a CPU may have its counts (perf_allow_cpu()).
 */
static struct perf_event *pcs_create_counter(int cpu, unsigned int i, const struct pcs_set *set)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.config1 = set->wide ? PCS_ARM_PMU_LONG : 0,
		.pinned = 1,
	};

	if (i == PCS_COUNT_INSTRUCTIONS)
		attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	if (i == PCS_COUNT_EVENT) {
		attr.type = PERF_TYPE_RAW;
		attr.config = pcs_counted_event;
	}
	return perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
}

/* -EBUSY: pinned events of others leave no counter */
static int pcs_add_counter(int cpu, unsigned int i, const struct pcs_set *set)
{
	struct perf_event *event = pcs_create_counter(cpu, i, set);
	long err = PTR_ERR_OR_ZERO(event);

	if (err)
		return err == -ENOENT ? -EOPNOTSUPP : err;
	if (READ_ONCE(event->state) == PERF_EVENT_STATE_ERROR) {
		perf_event_release_kernel(event);
		return -EBUSY;
	}
	rcu_assign_pointer(pcs_counters[cpu].event[i], event);
	return 0;
}

/* @set: the CPU's snapshots, or NULL if none are wanted */
static int pcs_settle_counter(int cpu, unsigned int i, const struct pcs_set *set)
{
	struct perf_event *event = pcs_counter_event(cpu, i);
	int ret;

	/* Off its context, as after its CPU went offline, it never counts again. */
	if (event && (!set || READ_ONCE(event->state) <= PERF_EVENT_STATE_OFF)) {
		pcs_release_counter(cpu, i);
		event = NULL;
	}
	if (!set || event)
		return 0;
	ret = pcs_add_counter(cpu, i, set);
	/* A PMU need not count instructions. A CPU that goes now comes back through the work. */
	return (i == PCS_COUNT_INSTRUCTIONS && ret == -EOPNOTSUPP) || ret == -ENODEV ? 0 : ret;
}

static const struct pcs_set *pcs_snapshots_of(int cpu)
{
	const struct pcs_set *set = NULL;
	const struct pcs_block *block;

	mutex_lock(&arm_pcsample.lock);
	block = arm_pcsample.block[cpu];
	if (block && block->checked && cpumask_test_cpu(cpu, &arm_pcsample.online))
		set = block->frame.snapshots;
	mutex_unlock(&arm_pcsample.lock);
	return set;
}

/*
 * Make all events what they should be, each whatever becomes of the others: a CPU that can get none
 * keeps no other from its own. Returns the first error of a CPU of the mask.
 */
static int pcs_settle_counters(u64 targets_mask)
{
	bool users = atomic_read(&pcs_counters_users);
	int cpu, err, ret = 0;
	unsigned int i;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		const struct pcs_set *set = users ? pcs_snapshots_of(cpu) : NULL;

		for (i = 0; i < PCS_NR_COUNTS; i++) {
			bool wanted = i != PCS_COUNT_EVENT || pcs_counted_event;

			err = pcs_settle_counter(cpu, i, wanted ? set : NULL);
			if (!ret && pcs_mask_has(targets_mask, cpu))
				ret = err;
		}
	}
	return ret;
}

/* Give back what nobody wants any more, and have what is missing */
static void pcs_tidy_counters(void)
{
	if (!atomic_read(&pcs_counted_users))
		pcs_counted_event = 0;
	pcs_settle_counters(0);
}

static void pcs_counters_work(struct work_struct *work)
{
	mutex_lock(&pcs_counters_mutex);
	pcs_tidy_counters();
	mutex_unlock(&pcs_counters_mutex);
}

static DECLARE_WORK(pcs_counters_worker, pcs_counters_work);

/**
 * pcs_counters_get() - have counters on the CPUs that snapshots can be taken of
 * @event: number of the event to count beside cycles and instructions, or 0
 * @targets_mask: CPUs that must have them; 0 for all
 *
 * Context: process, under no lock of the driver nor of perf.
 *
 * Return: 0; -EBUSY if another event is counted already, or no counter of a target is free;
 * -EOPNOTSUPP if a target's PMU does not count the event; or another error of perf's.
 */
int pcs_counters_get(u16 event, u64 targets_mask)
{
	int ret = -EBUSY;

	mutex_lock(&pcs_counters_mutex);
	/* First those of events of before, whose work has not run yet */
	pcs_tidy_counters();
	if (event && pcs_counted_event && event != pcs_counted_event)
		goto out_unlock;

	atomic_inc(&pcs_counters_users);
	if (event) {
		atomic_inc(&pcs_counted_users);
		pcs_counted_event = event;
	}
	ret = pcs_settle_counters(targets_mask);
	if (ret) {
		if (event)
			atomic_dec(&pcs_counted_users);
		atomic_dec(&pcs_counters_users);
		pcs_tidy_counters();
	}
out_unlock:
	mutex_unlock(&pcs_counters_mutex);
	return ret;
}

/**
 * pcs_counters_put() - undo pcs_counters_get()
 * @event: the same
 *
 * Context: any that may not take a lock.
 */
void pcs_counters_put(u16 event)
{
	bool last = event && atomic_dec_and_test(&pcs_counted_users);

	if (atomic_dec_and_test(&pcs_counters_users) || last)
		schedule_work(&pcs_counters_worker);
}

/**
 * pcs_counters_cpu_online() - a CPU is up, or its block was found
 */
void pcs_counters_cpu_online(void)
{
	if (atomic_read(&pcs_counters_users))
		schedule_work(&pcs_counters_worker);
}

/**
 * pcs_counters_look() - see what counts on a CPU
 * @cpu: the CPU
 * @look: filled, for each enum pcs_counter
 *
 * What perf changes at the same time comes out as a look that differs from the next one, unless the
 * CPU is held up in the middle of it: see counts.h.
 *
 * Context: any, IRQs disabled.
 */
void pcs_counters_look(int cpu, struct pcs_look *look)
{
	unsigned int i;

	rcu_read_lock();
	for (i = 0; i < PCS_NR_COUNTS; i++) {
		struct perf_event *event = rcu_dereference(pcs_counters[cpu].event[i]);

		look[i] = (struct pcs_look) { .counter = PCS_COUNTER_NONE };
		if (!event || READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE ||
		    READ_ONCE(event->hw.state))
			continue;
		look[i].counter = pcs_counter_number(event);
		look[i].mask = pcs_counter_mask(event);
		look[i].since = READ_ONCE(event->tstamp);
		look[i].count = local64_read(&event->count);
		look[i].start = local64_read(&event->hw.prev_count);
	}
	rcu_read_unlock();
}

/**
 * pcs_counters_alloc() - memory for what is above
 *
 * Return: 0 or -ENOMEM
 */
int pcs_counters_alloc(void)
{
	pcs_counters = kcalloc(nr_cpu_ids, sizeof(*pcs_counters), GFP_KERNEL);
	return pcs_counters ? 0 : -ENOMEM;
}

/**
 * pcs_counters_free() - undo pcs_counters_alloc()
 *
 * There are no events of ours any more, and no CPU comes online for the driver.
 */
void pcs_counters_free(void)
{
	flush_work(&pcs_counters_worker);
	kfree(pcs_counters);
}
