// SPDX-License-Identifier: GPL-2.0-only
/*
 * One PC-sample block: layouts, locks and power -> one PC sample.
 *
 * Section numbers are those of the Arm ARM, DDI 0487 issue M.a.a.
 */
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/ktime.h>
#include <linux/smp.h>

#include <asm/cputype.h>
#include <asm/sysreg.h>

#include <arch-model/pc-sample.h>

#include "arm_pcsample.h"

/*
 * Reads of one unchanged context before the driver asks whether the block is frozen, and answers
 * of the scheduler against it, in succession, before it believes so.
 */
#define PCS_FROZEN_READS		1024
#define PCS_FROZEN_CONTRADICTIONS	16

/*
 * Registers
 *
 * All accesses are to one Device memory region, so they stay in order without barriers, and no
 * memory is shared with the other side. A word is read as a word: a 64-bit access to the two
 * words of an EXT32 register may be split in any order (I1.1), and reading the low word is what
 * takes the sample.
 */
static u32 pcs_read_word(const struct pcs_block *block, unsigned int reg)
{
	return readl_relaxed(block->base + reg);
}

static void pcs_write_word(const struct pcs_block *block, unsigned int reg, u32 value)
{
	writel_relaxed(value, block->base + reg);
}

/* Takes a sample; with EXT32 the rest of it must be fetched by pcs_fetch_rest_ext32() */
static u64 pcs_take_sample(const struct pcs_block *block)
{
	if (block->layout.wide)
		return readq_relaxed(block->base + PMPCSR);
	return pcs_read_word(block, PMPCSR_LO);
}

static u64 pcs_fetch_pc_high(const struct pcs_block *block, u64 pmpcsr)
{
	if (block->layout.wide)
		return pmpcsr;
	return pmpcsr | (u64)pcs_read_word(block, PMPCSR_HI) << 32;
}

static void pcs_fetch_contexts(const struct pcs_block *block, struct pcs_regs *regs)
{
	u64 joint;

	/* Without EL2 these are RES0 or UNKNOWN: not worth a read */
	regs->pmcid2sr = 0;
	regs->pmvidsr = 0;

	if (!block->layout.wide) {
		regs->pmcid1sr = pcs_read_word(block, PMCID1SR);
		if (pcs.host.has_el2) {
			regs->pmcid2sr = pcs_read_word(block, PMCID2SR);
			regs->pmvidsr = pcs_read_word(block, PMVIDSR);
		}
		return;
	}

	joint = readq_relaxed(block->base + PMVCIDSR);
	regs->pmcid1sr = FIELD_GET(PMVCIDSR_CONTEXTIDR_EL1, joint);
	if (pcs.host.has_el2) {
		regs->pmvidsr = FIELD_GET(PMVCIDSR_VMID, joint);
		joint = readq_relaxed(block->base + PMCCIDSR);
		regs->pmcid2sr = FIELD_GET(PMCCIDSR_CONTEXTIDR_EL2, joint);
	}
}

static u64 pcs_read_control(const struct pcs_block *block)
{
	if (block->layout.wide)
		return readq_relaxed(block->base + PMPCSCTL);
	return pcs_read_word(block, PMPCSCTL);
}

/* Bits 63:32 of PMPCSCTL are RES0. */
static void pcs_write_control(const struct pcs_block *block, u64 value)
{
	if (block->layout.wide)
		writeq_relaxed(value, block->base + PMPCSCTL);
	else
		pcs_write_word(block, PMPCSCTL, value);
}

/*
 * Opening a block after power-up
 */

/*
 * With the Software lock set, a memory-mapped read of PMPCSR takes no sample of the contexts
 * (I5.3, PMLSR). Its state after power-up is "locked", and there is none with FEAT_Debugv8p4,
 * FEAT_DoPD or EXT64: SLI says.
 */
static bool pcs_open_software_lock(const struct pcs_block *block)
{
	u32 lock = PMLSR_SLI | PMLSR_SLK;

	if ((pcs_read_word(block, PMLSR) & lock) != lock)
		return true;
	pcs_write_word(block, PMLAR, PMLAR_KEY);
	return !(pcs_read_word(block, PMLSR) & PMLSR_SLK);
}

/*
 * PMPCSCTL.SS would make reads return the last snapshot, and EN = 0 suspends sampling until the
 * first read (H7.1.1.1). Returns false if sampling was suspended.
 */
static bool pcs_activate(const struct pcs_block *block)
{
	u64 control;

	if (!block->layout.control)
		return true;
	control = pcs_read_control(block);
	if ((control & PMPCSCTL_SS) || !(control & PMPCSCTL_EN))
		pcs_write_control(block, PMPCSCTL_EN);
	return !(control & PMPCSCTL_IMP) || (control & PMPCSCTL_EN);
}

/*
 * Opens the block and discards the first sample: it may be 0xFFFFFFFF or UNKNOWN even if the PE
 * has long been running (I5.3), and it ends a suspension. After a suspension the next ones are
 * UNKNOWN too, until the PE has retired a branch (H7.1.3); of a PE that waits for an interrupt
 * that may take long, so this read is given up. Otherwise branches have been retired since reset,
 * as the kernel ran on the PE before it told this driver, and a moment is enough.
 *
 * Return: PCS_SAMPLE: go on and take one; else the outcome of this read.
 */
static enum pcs_outcome pcs_block_open(struct pcs_block *block)
{
	bool active;

	if (!pcs_open_software_lock(block)) {
		if (!block->warned)
			dev_warn(block->dev,
				 "CPU%d: the Software lock does not open, its reads count as error\n",
				 block->cpu);
		block->warned = true;
		return PCS_ERROR;
	}

	active = pcs_activate(block);
	pcs_take_sample(block);
	block->open = true;
	if (!active) {
		block->was_suspended = true;
		return PCS_NO_BRANCH;
	}
	udelay(1);
	return PCS_SAMPLE;
}

/*
 * Power
 */

/* Not the kernel's names for them: these changed */
#define PCS_OSLSR_OSLK	BIT(1)
#define PCS_OSDLR_DLK	BIT(0)

/**
 * pcs_block_power_up() - the CPU of a block has power
 * @block: the block
 *
 * Context: on that CPU, IRQs disabled.
 */
void pcs_block_power_up(struct pcs_block *block)
{
	/*
	 * Either lock makes reads of the samples an error response (I3.1), which the kernel does
	 * not survive on most systems. Linux opens both before any code that could call this.
	 */
	bool os_locked = (read_sysreg(oslsr_el1) & PCS_OSLSR_OSLK) ||
			 (read_sysreg(osdlr_el1) & PCS_OSDLR_DLK);

	raw_spin_lock(&block->lock);
	block->powered = true;
	block->os_locked = os_locked;
	block->open = false;
	block->warned = false;
	block->repeats = 0;
	raw_spin_unlock(&block->lock);
}

/**
 * pcs_block_power_down() - the CPU of a block is about to lose power
 * @block: the block
 *
 * No read is in flight when this returns, and none begins before pcs_block_power_up().
 *
 * Context: on that CPU, IRQs disabled.
 */
void pcs_block_power_down(struct pcs_block *block)
{
	raw_spin_lock(&block->lock);
	block->powered = false;
	raw_spin_unlock(&block->lock);
}

/*
 * Attach and detach
 */

static void pcs_read_ident(const struct pcs_block *block, struct pcs_ident *id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(id->cidr); i++)
		id->cidr[i] = pcs_read_word(block, PMCIDR0 + 4 * i);
	id->devarch = pcs_read_word(block, PMDEVARCH);
	id->devtype = pcs_read_word(block, PMDEVTYPE);
	id->devid = pcs_read_word(block, PMDEVID);
	id->devaff = pcs_read_word(block, PMDEVAFF0) | (u64)pcs_read_word(block, PMDEVAFF1) << 32;
}

/*
 * This CPU runs the host's kernel now, so a sample of the kernel that it takes of itself carries
 * the host's VMID. A few tries, as the sample need not be recent (H7.1).
 */
static u16 pcs_find_host_vmid(struct pcs_block *block)
{
	struct pcs_regs regs = {};
	unsigned int tries;

	for (tries = 0; tries < 16; tries++) {
		if (pcs_block_read(block, &regs) == PCS_SAMPLE &&
		    pcs_state(regs.pmpcsr) == PCS_STATE_NONSECURE &&
		    pcs_el(regs.pmpcsr) == pcs.host.kernel_el)
			return FIELD_GET(PMVIDSR_VMID, regs.pmvidsr);
	}
	return 0;
}

/**
 * pcs_block_attach() - see whether a block is what the device tree says, and get it ready
 * @block: the block
 * @id: the ID registers, for the message if they do not fit
 * @mpidr: MPIDR_EL1 of this CPU, likewise
 *
 * Context: on the block's own CPU, IRQs disabled: that it runs proves that the block has power.
 *
 * Return: PCS_IDENT_GOOD, or why it is refused.
 */
enum pcs_ident_fault pcs_block_attach(struct pcs_block *block, struct pcs_ident *id, u64 *mpidr)
{
	enum pcs_ident_fault fault;

	pcs_read_ident(block, id);
	*mpidr = read_cpuid_mpidr();
	fault = pcs_ident_check(id, *mpidr, &block->layout);
	if (fault)
		return fault;

	pcs_block_power_up(block);
	block->disabled = FIELD_GET(PMAUTHSTATUS_NSNID, pcs_read_word(block, PMAUTHSTATUS)) ==
			  PMAUTHSTATUS_DISABLED;
	block->host_vmid = pcs_find_host_vmid(block);
	block->checked = true;
	return PCS_IDENT_GOOD;
}

/**
 * pcs_block_detach() - leave the block as it was found
 * @block: the block; nobody reads it any more
 */
void pcs_block_detach(struct pcs_block *block)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&block->lock, flags);
	if (block->powered && block->open && block->was_suspended)
		pcs_write_control(block, 0);
	block->powered = false;
	raw_spin_unlock_irqrestore(&block->lock, flags);
}

/*
 * Reading
 */

static bool pcs_can_be_prohibited(u32 auth)
{
	return FIELD_GET(PMAUTHSTATUS_NSNID, auth) == PMAUTHSTATUS_DISABLED ||
	       FIELD_GET(PMAUTHSTATUS_SNID, auth) == PMAUTHSTATUS_DISABLED ||
	       FIELD_GET(PMAUTHSTATUS_RLNID, auth) == PMAUTHSTATUS_DISABLED ||
	       FIELD_GET(PMAUTHSTATUS_RTNID, auth) == PMAUTHSTATUS_DISABLED;
}

/*
 * 0xFFFFFFFF stands for Debug state and for prohibited sampling, and the block does not say
 * which. But where the authentication interface allows sampling in every state that is
 * implemented, only Debug state is left. All ones in the upper word too, RES0 bits included, is
 * no register value: a bus that answers an error with ones.
 */
static enum pcs_outcome pcs_why_none(const struct pcs_block *block, u64 pmpcsr)
{
	if (pcs_fetch_pc_high(block, pmpcsr) == ~0ULL)
		return PCS_ERROR;
	if (pcs_can_be_prohibited(pcs_read_word(block, PMAUTHSTATUS)))
		return PCS_PROHIBITED;
	return PCS_DEBUG;
}

static bool pcs_same_context(const struct pcs_regs *a, const struct pcs_regs *b)
{
	return (a->pmpcsr & PMPCSR_EL) == (b->pmpcsr & PMPCSR_EL) &&
	       a->pmcid1sr == b->pmcid1sr && a->pmcid2sr == b->pmcid2sr;
}

/*
 * A block that is frozen shows the same context for ever, and a Software lock that somebody
 * closed again shows the same context with a PC that moves. So does a CPU that runs one task; the
 * scheduler knows. Returns true if the sample is not to be believed.
 */
static bool pcs_is_frozen(struct pcs_block *block, const struct pcs_regs *regs)
{
	bool same = block->repeats && pcs_same_context(regs, &block->last);

	block->last = *regs;
	if (!same) {
		block->repeats = 1;
		block->contradictions = 0;
		block->since = ktime_get_ns();
		block->busy_since = pcs_busy_time(block->cpu);
		return false;
	}

	if (block->repeats < PCS_FROZEN_READS) {
		block->repeats++;
		return false;
	}
	if (!pcs_sample_is_impossible(block, regs)) {
		block->contradictions = 0;
		return false;
	}
	if (block->contradictions < PCS_FROZEN_CONTRADICTIONS) {
		block->contradictions++;
		return false;
	}

	if (!block->warned)
		dev_warn(block->dev,
			 "CPU%d: frozen at PMPCSR 0x%llx, its reads count as error (PMLSR 0x%x)\n",
			 block->cpu, regs->pmpcsr, pcs_read_word(block, PMLSR));
	block->warned = true;
	if (pcs_read_word(block, PMLSR) & PMLSR_SLK)
		block->open = false;
	return true;
}

static enum pcs_outcome pcs_block_read_locked(struct pcs_block *block, struct pcs_regs *regs)
{
	bool was_open = block->open;
	enum pcs_outcome outcome;
	u64 pmpcsr;

	if (!block->powered)
		return PCS_IDLE;
	if (block->os_locked)
		return PCS_ERROR;
	if (!was_open) {
		outcome = pcs_block_open(block);
		if (outcome != PCS_SAMPLE)
			return outcome;
	}

	pmpcsr = pcs_take_sample(block);
	if (pcs_is_none(pmpcsr)) {
		outcome = pcs_why_none(block, pmpcsr);
		return was_open || outcome == PCS_ERROR ? outcome : PCS_NO_BRANCH;
	}

	regs->pmpcsr = pcs_fetch_pc_high(block, pmpcsr);
	pcs_fetch_contexts(block, regs);
	regs->host_vmid = block->host_vmid;

	/* Secure EL0 at address 0 is no place to run: a bus that answers an error with zeros. */
	if (!regs->pmpcsr)
		return PCS_ERROR;
	return pcs_is_frozen(block, regs) ? PCS_ERROR : PCS_SAMPLE;
}

/**
 * pcs_block_forget() - nobody has read the block for a while
 * @block: the block
 *
 * What the CPU did meanwhile says nothing about the contexts that were read before and will be read
 * now: whether the block is frozen is asked from here on.
 *
 * Context: any, IRQs disabled.
 */
void pcs_block_forget(struct pcs_block *block)
{
	raw_spin_lock(&block->lock);
	block->repeats = 0;
	raw_spin_unlock(&block->lock);
}

/**
 * pcs_block_read() - take one PC sample
 * @block: the block
 * @regs: the sample, valid if PCS_SAMPLE is returned
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
