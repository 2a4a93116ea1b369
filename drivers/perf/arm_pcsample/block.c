// SPDX-License-Identifier: GPL-2.0-only
/*
 * One PC-sample block: locks and power -> one PC sample.
 *
 * Section numbers are those of the Arm ARM, DDI 0487 issue M.a.a.
 */
#include <linux/clk.h>
#include <linux/completion.h>
#include <linux/device.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/pm_runtime.h>
#include <linux/smp.h>

#include <arch-model/pc-sample.h>

#include "arm_pcsample.h"

/*
 * Reading, under block->lock
 */

static bool pcs_takes_snapshots(const struct pcs_block *block)
{
	return block->frame.set && block->frame.set == block->frame.snapshots;
}

/* What the counters of a snapshot count is looked at on both sides of it. */
static enum pcs_outcome pcs_take_snapshot(struct pcs_block *block, struct pcs_regs *regs)
{
	struct pcs_look before[PCS_NR_COUNTS], after[PCS_NR_COUNTS];
	enum pcs_outcome outcome;
	unsigned int i;

	pcs_counters_look(block->cpu, before);
	for (i = 0; i < PCS_NR_COUNTS; i++)
		block->frame.counter[i] = before[i].counter;
	regs->captured = false;
	/* Neither look is mixed up with the accesses to the registers. */
	mb();
	outcome = pcs_frame_take(&block->frame, regs, &block->last);
	/* As above */
	mb();
	pcs_counters_look(block->cpu, after);
	if (regs->captured)
		pcs_counts_take(&regs->counts, before, after, regs->saved);
	return outcome;
}

/*
 * A block that samples in the PMU block shows a PE in WFI by the same sample, time after time.
 * After the first one it may be UNKNOWN (I5.3), but if it is the one before, it is right: without a
 * branch the PE cannot have got away from there. It is given as a sample, since without it code
 * that runs between two waits would have their time.
 *
 * H7.1.3 can be read as if it were never UNKNOWN on a PE with FEAT_MOPS. All are asked: no sample
 * looks UNKNOWN that is not.
 */
static bool pcs_is_old(struct pcs_block *block, const struct pcs_regs *regs)
{
	if (pcs_is_unknown(block->host, regs))
		return true;
	return block->frame.set->repeats_unknown &&
	       (pcs_is_idle_again(block->host, regs, &block->last) ||
		pcs_counts_stand_still(&block->last.counts, &regs->counts));
}

/* What the next sample is compared with. Only a snapshot has counts. */
static void pcs_keep(struct pcs_block *block, const struct pcs_regs *regs)
{
	struct pcs_regs *last = &block->last;

	last->pmpcsr = regs->pmpcsr;
	last->pmcid1sr = regs->pmcid1sr;
	last->pmcid2sr = regs->pmcid2sr;
	last->pmvidsr = regs->pmvidsr;
	last->counts.valid = 0;
	if (regs->counts.valid)
		last->counts = regs->counts;
}

static enum pcs_outcome pcs_block_read_open(struct pcs_block *block, struct pcs_regs *regs)
{
	enum pcs_outcome outcome;

	if (pcs_takes_snapshots(block))
		outcome = pcs_take_snapshot(block, regs);
	else
		outcome = pcs_frame_take(&block->frame, regs, &block->last);
	regs->host_vmid = block->host_vmid;
	regs->source = block->frame.set->source;
	if (outcome != PCS_SAMPLE)
		return outcome;
	if (block->may_activate || pcs_is_old(block, regs))
		outcome = PCS_NO_BRANCH;
	block->may_activate = false;
	pcs_keep(block, regs);
	return outcome;
}

static enum pcs_outcome pcs_faulty(enum pcs_fault fault)
{
	return fault == PCS_FAULT_DISABLED ? PCS_PROHIBITED : PCS_ERROR;
}

static enum pcs_outcome pcs_block_read_locked(struct pcs_block *block, struct pcs_regs *regs)
{
	regs->counts.valid = 0;
	if (!pcs_power_is_on(&block->power))
		return PCS_IDLE;
	if (block->fault)
		return pcs_faulty(block->fault);
	if (!pcs_power_is_open(&block->power))
		return PCS_NO_BRANCH;
	return pcs_block_read_open(block, regs);
}

/**
 * pcs_block_read() - take one PC sample
 * @block: the block
 * @regs: the sample, valid if PCS_SAMPLE is returned; its counts whatever is returned
 *
 * Context: any, IRQs disabled.
 *
 * Return: PCS_SAMPLE, or why there is none: PCS_IDLE, PCS_PROHIBITED, PCS_DEBUG, PCS_NO_BRANCH
 * or PCS_ERROR.
 */
enum pcs_outcome pcs_block_read(struct pcs_block *block, struct pcs_regs *regs)
{
	enum pcs_outcome outcome;

	raw_spin_lock(&block->lock);
	outcome = pcs_block_read_locked(block, regs);
	raw_spin_unlock(&block->lock);
	return outcome;
}

/**
 * pcs_block_try_read() - the same where whoever holds the lock may never let it go
 * @block: the block
 * @regs: see pcs_block_read()
 * @outcome: what pcs_block_read() returns; left as it is if the lock is not free
 */
void pcs_block_try_read(struct pcs_block *block, struct pcs_regs *regs, enum pcs_outcome *outcome)
{
	if (raw_spin_trylock(&block->lock)) {
		*outcome = pcs_block_read_locked(block, regs);
		raw_spin_unlock(&block->lock);
	}
}

/*
 * Opening and closing, under block->lock
 *
 * After a reset or a suspension sampling must be activated, and the registers are UNKNOWN until the
 * PE has retired a branch (H7.1.1.1, H7.1.3). A PE that waits for an interrupt may never do so, and
 * a reader cannot tell. So the PE itself activates sampling and retires a branch before it releases
 * the lock. That lasts until it loses power, so that a CPU that never does, such as an isolated
 * one, is not asked again.
 */

static enum pcs_fault pcs_unlock(struct pcs_block *block)
{
	if (pcs_frame_is_disabled(&block->frame))
		return PCS_FAULT_DISABLED;
	return pcs_frame_unlock(&block->frame) ? PCS_FAULT_NONE : PCS_FAULT_SOFTWARE_LOCK;
}

/*
 * PMPCSCTL.SS is one bit, so while there is one event that wants snapshots, all samples of the
 * block are snapshots, if it takes any. The other events only want a PC, which a snapshot has, too.
 */
static bool pcs_wants_snapshots(const struct pcs_block *block)
{
	return block->frame.snapshots && !block->no_captures &&
	       READ_ONCE(arm_pcsample.nr_snapshots);
}

/*
 * The authentication interface first: where it prohibits sampling nothing else of the block is
 * touched. Then the Software lock: while it is shut no other register can be written.
 */
static bool pcs_prepare(struct pcs_block *block)
{
	struct pcs_frame *frame = &block->frame;

	block->fault = pcs_unlock(block);
	if (block->fault)
		return false;
	frame->set = pcs_wants_snapshots(block) ? frame->snapshots : frame->reads;
	frame->set->open(frame);
	return true;
}

/*
 * If sampling is suspended, a read makes it active (H7.1.1.1), and may itself return an UNKNOWN
 * value or 0xFFFFFFFF (I5.3): make that read here, and discard its value.
 */
static void pcs_activate(struct pcs_block *block)
{
	struct pcs_regs regs;

	/*
	 * A branch that cannot retire before the read has completed; the lock is released after it
	 */
	if (block->frame.set->take(&block->frame, &regs) != PCS_SAMPLE)
		cpu_relax();
	block->may_activate = false;
	pcs_power_event(&block->power, PCS_POWER_ACTIVATED);
}

/*
 * Is it known whether the OS lock is set? With it an access is an error response. It is known if
 * its CPU has looked since it last got power.
 */
static bool pcs_knows_os_lock(const struct pcs_block *block)
{
	return pcs_power_is_on(&block->power) && block->os_lock_is_known;
}

/*
 * From another CPU, if the PE does not answer: to see where it is stuck. The PE has reported that
 * it has power, and looked at its OS lock as it did, so the registers can be reached. If sampling
 * is suspended, the first read that is allowed to sample activates it: its value is discarded. What
 * is UNKNOWN until the PE retires a branch is so for ever if it never does. Snapshots need what
 * only the PE can allow.
 */
static void pcs_open_for_it(struct pcs_block *block)
{
	if (!pcs_power_is_on(&block->power) || pcs_power_is_open(&block->power))
		return;
	block->fault = block->os_locked ? PCS_FAULT_OS_LOCK : PCS_FAULT_NONE;
	if (block->fault || !pcs_knows_os_lock(block) || pcs_wants_snapshots(block) ||
	    !pcs_prepare(block))
		return;
	block->may_activate = !(block->power.done & PCS_DONE_ACTIVE);
	pcs_power_event(&block->power, PCS_POWER_ACTIVATED);
	pcs_power_event(&block->power, PCS_POWER_OPENED);
}

/*
 * Below a kernel at EL1 a guest is told from the host by its VMID. This CPU runs the host's kernel
 * now, so a sample of the kernel that it takes of itself carries the host's. A few tries, as the
 * sample need not be recent (H7.1); until there is one it is KVM's, 0.
 */
static void pcs_find_host(struct pcs_block *block)
{
	struct pcs_regs regs = {};
	unsigned int tries;

	if (block->host_is_known || block->secure_seen || pcs_kernel_el(block->host) != 1)
		return;
	for (tries = 0; tries < 16; tries++) {
		if (pcs_block_read_locked(block, &regs) != PCS_SAMPLE ||
		    pcs_el(regs.pmpcsr) != pcs_kernel_el(block->host))
			continue;
		if (pcs_state(regs.pmpcsr) != PCS_STATE_NONSECURE) {
			block->secure_seen = true;
			continue;
		}
		block->host_vmid = FIELD_GET(PMVIDSR_VMID, regs.pmvidsr);
		block->host_is_known = true;
		break;
	}
}

/*
 * Does a request make a Capture event? Where Capture events are disabled, a request is silently
 * ignored. This PE runs, so its cycle counter, if the driver has one yet, advances between two
 * captures. This proves once and for all that requests capture.
 */
static bool pcs_captures(struct pcs_block *block)
{
	struct pcs_regs first = {}, second = {};

	if (block->captures)
		return true;
	pcs_take_snapshot(block, &first);
	pcs_take_snapshot(block, &second);
	if (!first.captured || !second.captured ||
	    pcs_counts_stand_still(&first.counts, &second.counts))
		return false;
	block->captures = first.counts.valid & second.counts.valid & BIT(PCS_COUNT_CYCLES);
	return true;
}

static void pcs_open_snapshots(struct pcs_block *block)
{
	pcs_allow_captures(block->host);
	pcs_activate(block);
	if (pcs_captures(block))
		return;
	/* Then samples are reads after all. */
	block->no_captures = true;
	block->frame.set->close(&block->frame);
	pcs_power_event(&block->power, PCS_POWER_SUSPENDED_SAMPLING);
	if (pcs_prepare(block))
		pcs_activate(block);
}

/* On the PE itself */
static void pcs_look_at_os_lock(struct pcs_block *block)
{
	block->os_locked = pcs_os_is_locked();
	block->os_lock_is_known = true;
}

/* The OS lock is opened where it is set and in the way, and nowhere else. */
static bool pcs_open_os_lock(struct pcs_block *block)
{
	if (!block->os_locked)
		return true;
	block->os_locked = !pcs_os_unlock();
	block->os_unlocked |= !block->os_locked;
	return !block->os_locked;
}

/* On the PE itself */
static void pcs_open_here(struct pcs_block *block)
{
	if (!block->checked || !pcs_power_is_on(&block->power) ||
	    pcs_power_is_open(&block->power))
		return;
	if (!pcs_open_os_lock(block)) {
		block->fault = PCS_FAULT_OS_LOCK;
		return;
	}
	if (!pcs_prepare(block))
		return;
	if (pcs_takes_snapshots(block))
		pcs_open_snapshots(block);
	else if (!(block->power.done & PCS_DONE_ACTIVE))
		pcs_activate(block);
	pcs_power_event(&block->power, PCS_POWER_OPENED);
	pcs_find_host(block);
}

/*
 * Leave the block as it was found, where it can still be reached. One that is being removed is not
 * @checked any more, and one whose CPU was idle until now need not be open, but may hold what the
 * driver wrote: an idle state need not lose power.
 */
static void pcs_close(struct pcs_block *block)
{
	struct pcs_frame *frame = &block->frame;
	bool writable = true, suspended = false;

	if (!pcs_power_is_on(&block->power) || !frame->set)
		return;
	/* While the Software lock is shut, or the OS lock set, it is tried again the next time. */
	if (frame->control_is_ours || frame->power_is_ours)
		writable = pcs_frame_unlock(frame) && !block->os_locked;
	if (writable && pcs_knows_os_lock(block) && !pcs_frame_is_disabled(frame))
		suspended = frame->set->close(frame);
	/* With what could not be undone, the PE itself begins anew, too. */
	if (suspended || frame->control_is_ours)
		pcs_power_event(&block->power, PCS_POWER_SUSPENDED_SAMPLING);
	if (writable)
		pcs_frame_withdraw(frame);
	pcs_frame_relock(frame);
}

/*
 * Power
 */

static void pcs_block_power_locked(struct pcs_block *block, enum pcs_power_event event)
{
	bool here = smp_processor_id() == block->cpu;

	if (here)
		pcs_look_at_os_lock(block);
	switch (event) {
	case PCS_POWER_OFFLINE:
	case PCS_POWER_SUSPEND:
	case PCS_POWER_RELEASE:
	case PCS_POWER_GONE:
		pcs_close(block);
		break;
	default:
		break;
	}
	/* A CPU that goes to sleep with the machine need not report it. */
	if (event == PCS_POWER_SUSPEND)
		block->os_lock_is_known = false;
	pcs_power_event(&block->power, event);
	if (here)
		pcs_open_here(block);
}

/**
 * pcs_block_power() - something happens to the power of a block
 * @block: the block
 * @event: what happens; see enum pcs_power_event for whence it may be reported
 *
 * No read is in flight when this returns, and if @event takes the power away none begins before
 * another gives it. A block that the driver holds is opened by its CPU as soon as it has power.
 *
 * Context: any.
 */
void pcs_block_power(struct pcs_block *block, enum pcs_power_event event)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&block->lock, flags);
	pcs_block_power_locked(block, event);
	raw_spin_unlock_irqrestore(&block->lock, flags);
}

/*
 * Asking the PE
 *
 * Some things only the PE itself can do. One that is stuck with its interrupts masked is what a
 * user may be looking for, so nobody waits for its answer for long, nor with preemption disabled.
 * A late answer does what is still to do. It never touches a block that was left meanwhile.
 */

/* What takes no interrupt for so long is stuck: tools wait as long before they say so. */
#define PCS_ANSWER	msecs_to_jiffies(500)

/* Serializes questions; inside arm_pcsample.lock */
static DEFINE_MUTEX(pcs_asking);

static void pcs_answer(void *info)
{
	struct pcs_block *block = info;

	raw_spin_lock(&block->lock);
	if (block->farewell == PCS_POWER_NR_EVENTS) {
		pcs_look_at_os_lock(block);
		pcs_open_here(block);
		/* Another may have opened it meanwhile */
		pcs_find_host(block);
	} else {
		pcs_block_power_locked(block, block->farewell);
		block->farewell = PCS_POWER_NR_EVENTS;
	}
	raw_spin_unlock(&block->lock);
	complete(&block->answered);
}

/*
 * Runs pcs_answer() on the CPU of a block. Returns false if that CPU is offline, or does not answer
 * in time: then it will, as soon as it can, and is not asked again before.
 */
static bool pcs_ask(struct pcs_block *block)
{
	if (block->asked)
		block->asked = !try_wait_for_completion(&block->answered);
	if (!block->asked && smp_call_function_single_async(block->cpu, &block->question))
		return false;
	block->asked = !wait_for_completion_timeout(&block->answered, PCS_ANSWER);
	return !block->asked;
}

/**
 * pcs_block_init() - a block that was just found
 * @block: the block, all 0 but for what describes it
 */
void pcs_block_init(struct pcs_block *block)
{
	raw_spin_lock_init(&block->lock);
	pcs_power_init(&block->power);
	block->farewell = PCS_POWER_NR_EVENTS;
	init_completion(&block->answered);
	INIT_CSD(&block->question, pcs_answer, block);
}

/**
 * pcs_block_exit() - undo pcs_block_init()
 * @block: the block; nothing is asked of its CPU any more
 *
 * Waits until its CPU has answered what it was asked, for ever if it never does.
 *
 * Context: process.
 */
void pcs_block_exit(struct pcs_block *block)
{
	if (block->asked)
		wait_for_completion(&block->answered);
}

/*
 * Leaves the block from any CPU. Returns false if only the block's own CPU can do it: an idle state
 * keeps others off the registers, and need not lose what the driver wrote there. PMPCSCTL.EN would
 * stay 1, a power request made, and the Software lock open. Then that CPU is to be asked.
 */
static bool pcs_leave_remote(struct pcs_block *block, enum pcs_power_event event)
{
	unsigned long flags;
	bool can;

	raw_spin_lock_irqsave(&block->lock, flags);
	can = pcs_knows_os_lock(block) || !pcs_frame_is_changed(&block->frame);
	if (can)
		pcs_block_power_locked(block, event);
	else
		block->farewell = event;
	raw_spin_unlock_irqrestore(&block->lock, flags);
	return can;
}

/* What is left to do if the CPU is offline, or has not answered */
static void pcs_leave_for_it(struct pcs_block *block, enum pcs_power_event event)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&block->lock, flags);
	if (block->farewell != PCS_POWER_NR_EVENTS)
		pcs_block_power_locked(block, event);
	block->farewell = PCS_POWER_NR_EVENTS;
	raw_spin_unlock_irqrestore(&block->lock, flags);
}

/*
 * For PCS_POWER_RELEASE, PCS_POWER_SUSPEND and PCS_POWER_GONE, after which the clocks may stop. So
 * a CPU that is idle now is woken up to leave its block as it was found; when it wakes up by itself
 * it is too late. A CPU that is offline has left its block before.
 */
static void pcs_leave(struct pcs_block *block, enum pcs_power_event event)
{
	mutex_lock(&pcs_asking);
	if (!pcs_leave_remote(block, event)) {
		pcs_ask(block);
		pcs_leave_for_it(block, event);
	}
	mutex_unlock(&pcs_asking);
}

/**
 * pcs_block_gone() - leave a block for good, as it was found
 * @block: the block; its device is removed, or the kernel ends
 *
 * Context: process.
 */
void pcs_block_gone(struct pcs_block *block)
{
	pcs_leave(block, PCS_POWER_GONE);
}

static void pcs_complain(struct pcs_block *block)
{
	static const char * const faults[] = {
		[PCS_FAULT_DISABLED] =
			"non-invasive debug is disabled (NSNID of its AUTHSTATUS), it will give no samples",
		[PCS_FAULT_OS_LOCK] =
			"the OS lock does not open, or the OS Double Lock is set, its reads count as error",
		[PCS_FAULT_SOFTWARE_LOCK] =
			"the Software lock does not open, its reads count as error",
	};
	enum pcs_fault fault = READ_ONCE(block->fault);

	if (fault && fault != block->said)
		dev_warn(block->dev, "CPU%d: %s\n", block->cpu, faults[fault]);
	block->said = fault;

	/* No warning: it costs no sample. */
	if (READ_ONCE(block->os_unlocked) && !block->said_os_unlocked) {
		dev_notice(block->dev,
			   "CPU%d: the OS lock was set, by firmware or a debugger; it is opened\n",
			   block->cpu);
		block->said_os_unlocked = true;
	}
	if (READ_ONCE(block->frame.relocked) && !block->said_relocked) {
		dev_warn(block->dev,
			 "CPU%d: somebody else closes the Software lock; it is opened again\n",
			 block->cpu);
		block->said_relocked = true;
	}
	if (READ_ONCE(block->no_captures) && !block->said_no_captures) {
		dev_warn(block->dev, "CPU%d: no snapshots: %s\n", block->cpu,
			 block->frame.snapshots->source == ARM_PCSAMPLE_SOURCE_IMPDEF ?
			 "requests capture nothing" :
			 "Capture events are disabled (MDCR_EL3.PMSSE or MDCR_EL2.PMSSE)");
		block->said_no_captures = true;
	}
	if (block->secure_seen && !block->host_is_known && !block->said_secure) {
		dev_warn(block->dev,
			 "CPU%d: this kernel runs in Secure state: samples count as another world's\n",
			 block->cpu);
		block->said_secure = true;
	}
}

/* A CPU that goes offline now has no power any more, or gets none. */
static void pcs_ask_to_open(struct pcs_block *block)
{
	mutex_lock(&pcs_asking);
	if (!pcs_ask(block)) {
		raw_spin_lock_irq(&block->lock);
		pcs_open_for_it(block);
		raw_spin_unlock_irq(&block->lock);
	}
	mutex_unlock(&pcs_asking);
}

/**
 * pcs_block_open() - make a block that is held ready to be read, if its CPU has power
 * @block: the block
 *
 * If sampling is not active the CPU is asked to activate it, by an interrupt; if it has no power,
 * it does so itself when it gets some, and if it does not answer this CPU tries.
 *
 * Context: process, under arm_pcsample.lock.
 */
void pcs_block_open(struct pcs_block *block)
{
	bool ask;

	raw_spin_lock_irq(&block->lock);
	if (pcs_power_is_on(&block->power) && (block->power.done & PCS_DONE_ACTIVE) &&
	    !pcs_power_is_open(&block->power) && pcs_prepare(block))
		pcs_power_event(&block->power, PCS_POWER_OPENED);
	ask = pcs_power_is_on(&block->power) && !pcs_power_is_open(&block->power) &&
	      block->checked;
	if (ask && pcs_frame_is_disabled(&block->frame)) {
		block->fault = PCS_FAULT_DISABLED;
		ask = false;
	}
	raw_spin_unlock_irq(&block->lock);

	if (ask)
		pcs_ask_to_open(block);
	pcs_complain(block);
}

/**
 * pcs_block_reopen() - choose anew between reads and snapshots, for a block that is held
 * @block: the block
 *
 * Context: process, under arm_pcsample.lock.
 */
void pcs_block_reopen(struct pcs_block *block)
{
	raw_spin_lock_irq(&block->lock);
	pcs_close(block);
	pcs_power_event(&block->power, PCS_POWER_SUSPENDED_SAMPLING);
	block->no_captures = false;
	raw_spin_unlock_irq(&block->lock);
	pcs_block_open(block);
}

/*
 * Clocks and power domain
 */

static int pcs_start_clocks(struct pcs_block *block)
{
	int ret = clk_bulk_prepare_enable(block->nr_clocks, block->clocks);

	if (ret)
		dev_err(block->dev, "the clock does not start: %d\n", ret);
	block->clocked = !ret;
	return ret;
}

static void pcs_stop_clocks(struct pcs_block *block)
{
	if (block->clocked)
		clk_bulk_disable_unprepare(block->nr_clocks, block->clocks);
	block->clocked = false;
}

static int pcs_supply(struct pcs_block *block)
{
	int ret = pm_runtime_resume_and_get(block->dev);

	if (ret) {
		dev_err(block->dev, "the power domain does not come on: %d\n", ret);
		return ret;
	}
	ret = pcs_start_clocks(block);
	if (ret)
		pm_runtime_put(block->dev);
	return ret;
}

/**
 * pcs_block_hold() - keep the clocks and the power domain of a block on
 * @block: the block
 *
 * Context: process, under arm_pcsample.lock.
 *
 * Return: 0, or a negative errno of the clock or of the power domain; it is in the log then.
 */
int pcs_block_hold(struct pcs_block *block)
{
	int ret;

	if (block->holds++)
		return 0;
	ret = pcs_supply(block);
	if (ret) {
		block->holds--;
		return ret;
	}
	pcs_block_power(block, PCS_POWER_HOLD);
	return 0;
}

/**
 * pcs_block_release() - undo pcs_block_hold()
 * @block: the block; the last one closes it
 *
 * Context: process, under arm_pcsample.lock.
 */
void pcs_block_release(struct pcs_block *block)
{
	if (--block->holds)
		return;
	pcs_leave(block, PCS_POWER_RELEASE);
	pcs_complain(block);
	pcs_stop_clocks(block);
	pm_runtime_put(block->dev);
}

/**
 * pcs_block_suspend() - the machine is suspended: the power domain may go off although it is held
 * @block: the block
 *
 * Context: process, under arm_pcsample.lock.
 */
void pcs_block_suspend(struct pcs_block *block)
{
	pcs_leave(block, PCS_POWER_SUSPEND);
	pcs_stop_clocks(block);
}

/**
 * pcs_block_resume() - undo pcs_block_suspend()
 * @block: the block
 *
 * Context: process, under arm_pcsample.lock.
 *
 * Return: 0 or a negative errno; the block is not touched any more then.
 */
int pcs_block_resume(struct pcs_block *block)
{
	int ret = block->holds ? pcs_start_clocks(block) : 0;

	if (ret)
		return ret;
	pcs_block_power(block, PCS_POWER_RESUME);
	pcs_block_open(block);
	return 0;
}

/*
 * Attach
 */

struct pcs_attachment {
	struct pcs_block *block;
	bool looked;
	enum pcs_ident_fault fault;
	struct pcs_ident id;
	u64 mpidr;
};

/* On the block's own CPU: that it runs proves that the block has power. */
static void pcs_attach_local(void *info)
{
	struct pcs_attachment *at = info;
	struct pcs_block *block = at->block;

	raw_spin_lock(&block->lock);
	pcs_power_event(&block->power, PCS_POWER_ONLINE);
	at->looked = pcs_power_is_on(&block->power);
	if (at->looked) {
		pcs_frame_read_ident(&block->frame, &at->id);
		at->mpidr = pcs_mpidr();
		block->frame.impdef_core = pcs_core_has_snapshots();
		block->frame.has_el3 = pcs_core_has_el3();
		at->fault = pcs_ident_check(&at->id, at->mpidr, &block->frame);
	}
	if (at->looked && !at->fault) {
		/* For caps/authstatus, also if the OS lock is set */
		pcs_frame_is_disabled(&block->frame);
		block->checked = true;
		pcs_look_at_os_lock(block);
		pcs_open_here(block);
	}
	raw_spin_unlock(&block->lock);
}

static const struct pcs_block_names {
	const char *block, *prefix;
} pcs_block_names[] = {
	[PCS_NODE_PMU] = { "PMU", "PM" },
	[PCS_NODE_DEBUG] = { "debug block", "ED" },
	[PCS_NODE_BY_HAND] = { "PMU or debug block", "" },
};

/* Says in one line what is wrong, or has to be believed. */
static int pcs_refuse(const struct pcs_block *block, const struct pcs_attachment *at)
{
	const struct pcs_block_names *names = &pcs_block_names[block->node];
	const struct am_pcs_ids *ids = &at->id.ids;
	struct device *dev = block->dev;

	switch (at->fault) {
	case PCS_IDENT_GOOD:
		if (block->frame.pcsample_is_assumed)
			dev_warn(dev, "CPU%d: PMDEVID 0x%08x has no PC sampling; read all the same, by assume_pcsample=1\n",
				 block->cpu, ids->devid);
		return 0;
	case PCS_IDENT_CIDR:
		dev_err(dev, "no CoreSight component here (%sCIDR 0x%02x 0x%02x 0x%02x 0x%02x): wrong reg?\n",
			names->prefix, ids->cidr[0], ids->cidr[1], ids->cidr[2], ids->cidr[3]);
		break;
	case PCS_IDENT_DEVARCH:
		dev_err(dev, "not an external %s (%sDEVARCH 0x%08x): wrong reg?\n", names->block,
			names->prefix, ids->devarch);
		break;
	case PCS_IDENT_DEVTYPE:
		dev_err(dev, "not an external %s (%sDEVTYPE 0x%02x, %sDEVARCH 0x%08x): wrong reg?\n",
			names->block, names->prefix, ids->devtype, names->prefix, ids->devarch);
		break;
	case PCS_IDENT_PCSAMPLE:
		dev_err(dev, "CPU%d has PC sampling of an unknown version (%sDEVID 0x%08x)\n",
			block->cpu, names->prefix, ids->devid);
		break;
	case PCS_IDENT_OFFSET:
		dev_err(dev, "CPU%d samples the PC with an offset (EDDEVID1 0x%08x)\n", block->cpu,
			ids->devid1);
		break;
	case PCS_IDENT_NO_PCSAMPLE:
		dev_err(dev, "CPU%d's external %s has no PC sampling (%sDEVID 0x%08x)%s\n",
			block->cpu, names->block, names->prefix, ids->devid,
			pcs_ident_hides_pcsample(ids) ?
			": if the manual has PMPCSR, load this driver with assume_pcsample=1" : "");
		break;
	case PCS_IDENT_V8P2:
		dev_err(dev, "CPU%d is of Armv8.2 or later, where the external PMU samples and not the debug block (EDDEVARCH 0x%08x, EDDEVID 0x%08x): the address of its PMU frame is needed, in the device tree or as blocks=%d@ADDRESS\n",
			block->cpu, ids->devarch, ids->devid, block->cpu);
		break;
	case PCS_IDENT_WORLDS:
		dev_err(dev, "CPU%d's samples do not tell this kernel from what else runs there (EDDEVID 0x%08x)\n",
			block->cpu, ids->devid);
		break;
	case PCS_IDENT_AFFINITY:
		dev_err(dev, "the block of PE 0x%llx, not of CPU%d, which is 0x%llx: wrong cpu or reg?\n",
			at->id.devaff & PMDEVAFF_AFF, block->cpu, at->mpidr & PMDEVAFF_AFF);
		break;
	}
	return -ENXIO;
}

/**
 * pcs_block_attach() - see whether a block is what the device tree says
 * @block: the block; its CPU is online, and whoever reports events of that CPU can see it already
 *
 * Context: process, under arm_pcsample.lock and cpu_hotplug_lock.
 *
 * Return: 0 and @block->checked; -ENXIO if the registers do not match, or an error of
 * pcs_block_hold(): the log then has the reason; -EAGAIN while the machine is suspended.
 */
int pcs_block_attach(struct pcs_block *block)
{
	struct pcs_attachment at = { .block = block };
	int ret;

	/* CPUs come online before pcs_block_resume(), while a device cannot be resumed. */
	if (pcs_power_is_asleep(&block->power))
		return -EAGAIN;
	ret = pcs_block_hold(block);
	if (ret)
		return ret;
	smp_call_function_single(block->cpu, pcs_attach_local, &at, true);
	ret = at.looked ? pcs_refuse(block, &at) : -EAGAIN;
	if (!ret)
		pcs_complain(block);
	pcs_block_release(block);
	return ret;
}
