// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who reads whom: the readers, also when CPUs come and go, and the events that they speak for.
 *
 * A ring buffer is written by one CPU, the one whose side-band goes there too. So while there are
 * events, targets and events move only away from a CPU that goes offline, like the events of an
 * uncore PMU.
 */
#include <linux/module.h>
#include <linux/sched/isolation.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "arm_pcsample.h"

static char *pcs_readers_param;
module_param_named(readers, pcs_readers_param, charp, 0444);
MODULE_PARM_DESC(readers, "List of the CPUs that read the others (default: two, spread over packages)");

/*
 * Readers; all under arm_pcsample.lock
 */

/* Who reads a CPU, unless the reader stands in for one that is not gone yet */
static int pcs_reader_now(int cpu)
{
	int reader = arm_pcsample.seats.reader[cpu];

	if (reader == PCS_NOBODY || arm_pcsample.stands_in_for[reader] != PCS_NOBODY)
		return PCS_NOBODY;
	return reader;
}

/* Let timers, and with them running events, follow. */
static void pcs_publish(void)
{
	int cpu;

	raw_spin_lock_irq(&arm_pcsample.ledger_lock);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		arm_pcsample.reader[cpu] = pcs_reader_now(cpu);
	raw_spin_unlock_irq(&arm_pcsample.ledger_lock);
	pcs_reader_replan();
}

/*
 * Recompute who reads whom for the readers, CPUs and blocks of now, and let running events follow.
 * If @afresh, ignore current assignments. With many CPUs this takes long (see assign.c), so it is
 * not done under a raw lock.
 */
static void pcs_reassign(bool afresh)
{
	struct pcs_seats *seats = &arm_pcsample.seats;
	int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		seats->is_target[cpu] = arm_pcsample.block[cpu] && arm_pcsample.block[cpu]->checked;
		seats->is_reader[cpu] = cpumask_test_cpu(cpu, &arm_pcsample.readers);
		if (afresh)
			seats->reader[cpu] = PCS_NOBODY;
	}
	pcs_assign(seats);
	pcs_publish();
}

/* Does the user keep a CPU free of such work? */
static bool pcs_is_isolated(int cpu)
{
	bool isolated;

	/* cpusets replace these masks while the kernel runs, from 7.0 on. */
	rcu_read_lock();
	isolated = !housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN) ||
		   !housekeeping_test_cpu(cpu, HK_TYPE_TICK);
	rcu_read_unlock();
	return isolated;
}

/*
 * A CPU that does not read yet, of the package of @gone if possible, to read in its place. An
 * isolated one only if there would be no reader at all.
 */
static int pcs_find_stand_in(int gone)
{
	bool last = cpumask_empty(&arm_pcsample.readers);
	int cpu, best = PCS_NOBODY, best_score = -1;

	for_each_cpu(cpu, &arm_pcsample.online) {
		bool isolated = pcs_is_isolated(cpu);
		int score;

		if (cpumask_test_cpu(cpu, &arm_pcsample.readers) || (isolated && !last))
			continue;
		score = 2 * !isolated +
			(arm_pcsample.seats.package[cpu] == arm_pcsample.seats.package[gone]);
		if (score > best_score) {
			best = cpu;
			best_score = score;
		}
	}
	return best;
}

/*
 * A reader leaves its place to another, or keeps it if there is none. A reader that itself stands
 * in for a CPU that is not gone yet passes that one's place on.
 */
static void pcs_leave_place(int cpu, int stand_in)
{
	int place = arm_pcsample.stands_in_for[cpu];

	if (place == PCS_NOBODY || stand_in == PCS_NOBODY)
		cpumask_set_cpu(cpu, &arm_pcsample.leaving);
	if (stand_in == PCS_NOBODY)
		return;
	arm_pcsample.stands_in_for[cpu] = PCS_NOBODY;
	arm_pcsample.stands_in_for[stand_in] = place == PCS_NOBODY ? cpu : place;
}

/* A CPU is not on its way any more. Returns who stood in for it, or PCS_NOBODY. */
static int pcs_end_leaving(int cpu)
{
	int i, stand_in = PCS_NOBODY;

	cpumask_clear_cpu(cpu, &arm_pcsample.leaving);
	for (i = 0; i < nr_cpu_ids; i++) {
		if (arm_pcsample.stands_in_for[i] != cpu)
			continue;
		arm_pcsample.stands_in_for[i] = PCS_NOBODY;
		stand_in = i;
	}
	return stand_in;
}

/* Without events: those that the user wants, and stand-ins for those of them that are offline. */
static void pcs_settle_readers(void)
{
	int cpu, stand_in;

	for_each_cpu(cpu, &arm_pcsample.leaving)
		pcs_end_leaving(cpu);
	cpumask_and(&arm_pcsample.readers, &arm_pcsample.wanted, &arm_pcsample.online);
	for_each_cpu_andnot(cpu, &arm_pcsample.wanted, &arm_pcsample.online) {
		stand_in = pcs_find_stand_in(cpu);
		if (stand_in != PCS_NOBODY)
			cpumask_set_cpu(stand_in, &arm_pcsample.readers);
	}
	pcs_reassign(true);
}

/*
 * Two CPUs, so that each is read by the other. They are on different packages, so that most reads
 * stay on a package. CPUs that the user keeps free of such work are left out.
 */
static void pcs_choose_readers(struct cpumask *readers)
{
	int cpu, first = PCS_NOBODY, second = PCS_NOBODY;

	for_each_cpu(cpu, &arm_pcsample.online) {
		if (pcs_is_isolated(cpu))
			continue;
		if (first == PCS_NOBODY)
			first = cpu;
		else if (second == PCS_NOBODY)
			second = cpu;
		else if (arm_pcsample.seats.package[second] == arm_pcsample.seats.package[first] &&
			 arm_pcsample.seats.package[cpu] != arm_pcsample.seats.package[first])
			second = cpu;
	}

	cpumask_clear(readers);
	cpumask_set_cpu(first == PCS_NOBODY ? cpumask_first(&arm_pcsample.online) : first, readers);
	if (second != PCS_NOBODY)
		cpumask_set_cpu(second, readers);
}

/**
 * pcs_get_readers() - the CPUs that read now
 * @readers: filled
 */
void pcs_get_readers(struct cpumask *readers)
{
	mutex_lock(&arm_pcsample.lock);
	cpumask_copy(readers, &arm_pcsample.readers);
	mutex_unlock(&arm_pcsample.lock);
}

/* Under arm_pcsample.lock */
static int pcs_want_readers(const struct cpumask *readers)
{
	if (cpumask_empty(readers) || !cpumask_subset(readers, &arm_pcsample.online))
		return -EINVAL;
	if (arm_pcsample.nr_events)
		return -EBUSY;
	cpumask_copy(&arm_pcsample.wanted, readers);
	pcs_settle_readers();
	return 0;
}

/**
 * pcs_set_readers() - change the readers
 * @readers: CPUs that shall read
 *
 * Return: 0, -EINVAL if @readers is empty or a CPU of it is offline, -EBUSY if there are events.
 */
int pcs_set_readers(const struct cpumask *readers)
{
	int ret;

	mutex_lock(&arm_pcsample.lock);
	ret = pcs_want_readers(readers);
	mutex_unlock(&arm_pcsample.lock);
	return ret;
}

/**
 * pcs_seats_cpu_online() - a CPU is up: it can read, and be read
 * @cpu: the CPU
 *
 * If it was going and did not go, it reads again in its own place.
 *
 * Return: the CPU from which its events have to be moved back, not under any lock of the driver, or
 * PCS_NOBODY.
 */
int pcs_seats_cpu_online(int cpu)
{
	int stand_in;

	lockdep_assert_held(&arm_pcsample.lock);
	cpumask_set_cpu(cpu, &arm_pcsample.online);
	arm_pcsample.seats.package[cpu] = topology_physical_package_id(cpu);
	if (!arm_pcsample.nr_events) {
		pcs_settle_readers();
		return PCS_NOBODY;
	}
	if (!cpumask_test_cpu(cpu, &arm_pcsample.leaving))
		return PCS_NOBODY;
	stand_in = pcs_end_leaving(cpu);
	if (stand_in != PCS_NOBODY) {
		cpumask_clear_cpu(stand_in, &arm_pcsample.readers);
		cpumask_clear_cpu(stand_in, &arm_pcsample.leaving);
	}
	cpumask_set_cpu(cpu, &arm_pcsample.readers);
	/*
	 * Without a stand-in the other readers have taken its targets, and would keep them. They do
	 * if its events have ended: perf ends them after pcs_cpu_offline(), before the CPU is gone.
	 */
	pcs_reassign(stand_in == PCS_NOBODY && pcs_reader_runs(cpu));
	return stand_in;
}

/**
 * pcs_seats_cpu_dead() - a CPU is gone: who stands in for it begins to read
 * @cpu: the CPU
 */
void pcs_seats_cpu_dead(int cpu)
{
	lockdep_assert_held(&arm_pcsample.lock);
	if (!cpumask_test_cpu(cpu, &arm_pcsample.leaving))
		return;
	pcs_end_leaving(cpu);
	pcs_publish();
}

/**
 * pcs_seats_cpu_offline() - a CPU goes: others read in its place
 * @cpu: the CPU
 *
 * If every other CPU that may read does so already, they share what it read. Its events stay and
 * end with the CPU: on another they would read what is read there already.
 *
 * Otherwise a stand-in gets its events and its targets, but reads none of these before
 * pcs_seats_cpu_dead(). Until then events of other PMUs, and software events outside of the groups
 * of its events, run on the CPU that goes, and those may write into the same ring buffers as its
 * events. perf's buffers have room for writers of one CPU.
 *
 * The driver cannot prevent that software events in groups of its events move with these and write
 * on the stand-in at once. If others that share their buffer still write on the CPU that goes, the
 * buffer may go silent.
 *
 * Several CPUs can be on their way at once: the file hotplug/target of a CPU stops it half way
 * (CONFIG_CPU_HOTPLUG_STATE_CONTROL).
 *
 * Return: the CPU to which its events have to be moved, not under any lock of the driver, or
 * PCS_NOBODY.
 */
int pcs_seats_cpu_offline(int cpu)
{
	int stand_in = PCS_NOBODY;

	lockdep_assert_held(&arm_pcsample.lock);
	cpumask_clear_cpu(cpu, &arm_pcsample.online);
	if (!cpumask_test_cpu(cpu, &arm_pcsample.readers))
		return PCS_NOBODY;

	cpumask_clear_cpu(cpu, &arm_pcsample.readers);
	if (!arm_pcsample.nr_events) {
		pcs_settle_readers();
		return PCS_NOBODY;
	}
	stand_in = pcs_find_stand_in(cpu);
	if (stand_in != PCS_NOBODY)
		cpumask_set_cpu(stand_in, &arm_pcsample.readers);
	pcs_leave_place(cpu, stand_in);
	pcs_reassign(false);
	return stand_in;
}

/**
 * pcs_seats_block_changed() - a CPU can be sampled from now on, or cannot any more
 *
 * When it returns, no event visits a CPU that cannot be sampled.
 */
void pcs_seats_block_changed(void)
{
	lockdep_assert_held(&arm_pcsample.lock);
	pcs_reassign(!arm_pcsample.nr_events);
}

/*
 * Events
 */

/**
 * pcs_is_reader() - does a CPU read?
 * @cpu: the CPU
 *
 * Context: process.
 */
bool pcs_is_reader(int cpu)
{
	bool is;

	mutex_lock(&arm_pcsample.lock);
	is = cpumask_test_cpu(cpu, &arm_pcsample.readers);
	mutex_unlock(&arm_pcsample.lock);
	return is;
}

/* Is there a block for each CPU of an event's mask, and a reader for any CPU? */
static int pcs_check_targets(u64 mask)
{
	bool any = false;
	int cpu;

	for (cpu = 0; cpu < 64; cpu++)
		if ((mask & BIT_ULL(cpu)) && (cpu >= nr_cpu_ids || !arm_pcsample.block[cpu]))
			return -EINVAL;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		any |= arm_pcsample.seats.reader[cpu] != PCS_NOBODY;
	return any ? 0 : -ENODEV;
}

static void pcs_release_blocks(int end)
{
	int cpu;

	for (cpu = 0; cpu < end; cpu++)
		if (arm_pcsample.block[cpu])
			pcs_block_release(arm_pcsample.block[cpu]);
}

static int pcs_hold_blocks(void)
{
	int cpu, ret;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		ret = arm_pcsample.block[cpu] ? pcs_block_hold(arm_pcsample.block[cpu]) : 0;
		if (ret) {
			pcs_release_blocks(cpu);
			return ret;
		}
	}
	return 0;
}

static void pcs_open_blocks(void)
{
	int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (arm_pcsample.block[cpu])
			pcs_block_open(arm_pcsample.block[cpu]);
}

/* Is there a block that is not able to take snapshots, or one that does not? */
static int pcs_check_snapshots(u64 mask)
{
	const struct pcs_block *block;
	bool any = false;
	int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		block = arm_pcsample.block[cpu];
		if (!block || !block->checked || !pcs_mask_has(mask, cpu))
			continue;
		if (!block->frame.snapshots || READ_ONCE(block->no_captures))
			return -EOPNOTSUPP;
		any = true;
	}
	return any ? 0 : -EOPNOTSUPP;
}

/*
 * May a block have lost its Capture events since it was opened? KVM on VHE takes MDCR_EL2.PMSSE
 * back when it puts a vCPU that was loaded then.
 */
static bool pcs_may_not_capture(const struct pcs_block *block)
{
	const struct pcs_host *host = &arm_pcsample.host;

	return READ_ONCE(block->no_captures) ||
	       (host->kvm && host->kernel.kernel == AM_KERNEL_VHE);
}

static void pcs_count_snapshots(int by)
{
	bool before = arm_pcsample.nr_snapshots;
	struct pcs_block *block;
	int cpu;

	WRITE_ONCE(arm_pcsample.nr_snapshots, arm_pcsample.nr_snapshots + by);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		block = arm_pcsample.block[cpu];
		if (block && block->frame.snapshots &&
		    (before != !!arm_pcsample.nr_snapshots ||
		     (by > 0 && pcs_may_not_capture(block))))
			pcs_block_reopen(block);
	}
}

static void pcs_end_event(bool snapshot)
{
	if (--arm_pcsample.nr_events) {
		if (snapshot)
			pcs_count_snapshots(-1);
		return;
	}
	/* Blocks that are let go need not go back to reads first. */
	if (snapshot && pcs_panic_wants_blocks())
		pcs_count_snapshots(-1);
	else if (snapshot)
		WRITE_ONCE(arm_pcsample.nr_snapshots, 0);
	pcs_release_blocks(nr_cpu_ids);
	pcs_settle_readers();
}

/* Of an event that has been counted */
static int pcs_start_snapshots(u64 mask)
{
	int ret;

	pcs_count_snapshots(1);
	/* Now it is known whether there are any. */
	ret = pcs_check_snapshots(mask);
	if (ret)
		pcs_end_event(true);
	return ret;
}

/**
 * pcs_event_opened() - an event is made
 * @cpu: its CPU
 * @targets_mask: CPUs to sample; 0 for all
 * @snapshot: its samples are PMU snapshots
 *
 * The first one makes the blocks ready to be read, and the first one that wants snapshots makes all
 * blocks take those. A block that could not be opened then may be so now, of which nobody tells the
 * driver: each event tries again.
 *
 * Return: 0; -EINVAL if @cpu is no reader, or the mask names a CPU without a block; -ENODEV if no
 * CPU can be sampled, as with a single CPU online; -EOPNOTSUPP if a CPU lacks the snapshots that
 * are wanted; or an error of pcs_block_hold().
 */
int pcs_event_opened(int cpu, u64 targets_mask, bool snapshot)
{
	int ret;

	mutex_lock(&arm_pcsample.lock);
	ret = -EINVAL;
	if (cpumask_test_cpu(cpu, &arm_pcsample.readers))
		ret = pcs_check_targets(targets_mask);
	if (!ret && !arm_pcsample.nr_events)
		ret = pcs_hold_blocks();
	if (!ret) {
		pcs_open_blocks();
		arm_pcsample.nr_events++;
		if (snapshot)
			ret = pcs_start_snapshots(targets_mask);
	}
	mutex_unlock(&arm_pcsample.lock);
	return ret;
}

/**
 * pcs_event_closed() - an event of pcs_event_opened() is gone
 * @snapshot: its samples were PMU snapshots
 *
 * With the last one the blocks are let go, and the CPUs read that the user wants.
 */
void pcs_event_closed(bool snapshot)
{
	mutex_lock(&arm_pcsample.lock);
	pcs_end_event(snapshot);
	mutex_unlock(&arm_pcsample.lock);
}

/*
 * Module
 */

/**
 * pcs_seats_free() - undo pcs_seats_alloc()
 */
void pcs_seats_free(void)
{
	kfree(arm_pcsample.seats.package);
	kfree(arm_pcsample.seats.is_reader);
	kfree(arm_pcsample.seats.is_target);
	kfree(arm_pcsample.seats.reader);
	kfree(arm_pcsample.seats.load);
	kfree(arm_pcsample.stands_in_for);
	kfree(arm_pcsample.reader);
}

/* For a CPU by CPU: nobody yet */
static int *pcs_alloc_nobody(void)
{
	int *cpus = kcalloc(nr_cpu_ids, sizeof(*cpus), GFP_KERNEL);
	int cpu;

	for (cpu = 0; cpus && cpu < nr_cpu_ids; cpu++)
		cpus[cpu] = PCS_NOBODY;
	return cpus;
}

/**
 * pcs_seats_alloc() - memory for what follows
 *
 * Return: 0 or -ENOMEM
 */
int pcs_seats_alloc(void)
{
	struct pcs_seats *seats = &arm_pcsample.seats;

	seats->nr_cpus = nr_cpu_ids;
	seats->package = kcalloc(nr_cpu_ids, sizeof(*seats->package), GFP_KERNEL);
	seats->is_reader = kcalloc(nr_cpu_ids, sizeof(*seats->is_reader), GFP_KERNEL);
	seats->is_target = kcalloc(nr_cpu_ids, sizeof(*seats->is_target), GFP_KERNEL);
	seats->reader = pcs_alloc_nobody();
	seats->load = kcalloc(nr_cpu_ids, sizeof(*seats->load), GFP_KERNEL);
	arm_pcsample.stands_in_for = pcs_alloc_nobody();
	arm_pcsample.reader = pcs_alloc_nobody();
	if (!seats->package || !seats->is_reader || !seats->is_target || !seats->reader ||
	    !seats->load || !arm_pcsample.stands_in_for || !arm_pcsample.reader) {
		pcs_seats_free();
		return -ENOMEM;
	}
	return 0;
}

/**
 * pcs_seats_init() - choose the first readers: those of the readers parameter, or two
 *
 * The CPUs that are online have been reported.
 *
 * Return: 0, -EINVAL if the parameter is no list of CPUs that are online, -ENOMEM.
 */
int pcs_seats_init(void)
{
	cpumask_var_t readers;
	int ret = 0;

	if (!zalloc_cpumask_var(&readers, GFP_KERNEL))
		return -ENOMEM;
	if (pcs_readers_param)
		ret = cpulist_parse(pcs_readers_param, readers);
	/* A CPU that is chosen does not go offline before it is wanted. */
	mutex_lock(&arm_pcsample.lock);
	if (!pcs_readers_param)
		pcs_choose_readers(readers);
	if (!ret)
		ret = pcs_want_readers(readers);
	mutex_unlock(&arm_pcsample.lock);
	if (ret)
		pr_err(PCS_NAME ": readers=%s: not a list of CPUs that are online\n",
		       pcs_readers_param ?: "");
	free_cpumask_var(readers);
	return ret;
}
