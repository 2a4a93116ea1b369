// SPDX-License-Identifier: GPL-2.0-only
/*
 * Register sets; see sets.h.
 *
 * All accesses are to one Device memory region, so they stay in order without barriers, and no
 * memory is shared with the other side. Words are read one by one: a 64-bit access to the two words
 * of an EXT32 register may be split in any order (I1.1), and the read of the low word takes the
 * sample.
 *
 * Section numbers are those of the Arm ARM, DDI 0487 issue M.a.a.
 */
#include <linux/io.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/kernel.h>

#include <arch-model/pc-sample.h>
#include <arch-model/pmss-regs.h>

#include "sets.h"

static u32 pcs_read_word(const struct pcs_frame *frame, unsigned int reg)
{
	return readl_relaxed(frame->base + reg);
}

static void pcs_write_word(const struct pcs_frame *frame, unsigned int reg, u32 value)
{
	writel_relaxed(value, frame->base + reg);
}

/*
 * What all sets have: the management registers, whose names are those of the external PMU here. The
 * debug block has the same ones at the same offsets (K5.4, H9.2).
 */

/*
 * One register with EXT64, where an access to a half of it need not be supported (I5.3, I1.1). It
 * is not read of a block that is none of these.
 */
static u64 pcs_read_devaff(const struct pcs_frame *frame, u32 devarch)
{
	u64 low;

	switch (FIELD_GET(PMDEVARCH_ARCHPART, devarch)) {
	case PMDEVARCH_ARCHPART_PMU64:
	case PMDEVARCH_ARCHPART_PCS64:
		return readq_relaxed(frame->base + PMDEVAFF);
	case PMDEVARCH_ARCHPART_PMU32:
	case PMDEVARCH_ARCHPART_PCS32:
	case EDDEVARCH_ARCHPART_DEBUG:
		low = pcs_read_word(frame, PMDEVAFF0);
		return low | (u64)pcs_read_word(frame, PMDEVAFF1) << 32;
	default:
		return 0;
	}
}

void pcs_frame_read_ident(const struct pcs_frame *frame, struct pcs_ident *id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(id->ids.cidr); i++)
		id->ids.cidr[i] = pcs_read_word(frame, PMCIDR0 + 4 * i);
	id->ids.devarch = pcs_read_word(frame, PMDEVARCH);
	id->ids.devtype = pcs_read_word(frame, PMDEVTYPE);
	id->ids.devid = pcs_read_word(frame, PMDEVID);
	id->ids.devid1 = 0;
	if (FIELD_GET(PMDEVARCH_ARCHPART, id->ids.devarch) == EDDEVARCH_ARCHPART_DEBUG)
		id->ids.devid1 = pcs_read_word(frame, EDDEVID1);
	id->devaff = pcs_read_devaff(frame, id->ids.devarch);
}

bool pcs_frame_is_disabled(struct pcs_frame *frame)
{
	frame->authstatus = pcs_read_word(frame, PMAUTHSTATUS);
	return FIELD_GET(PMAUTHSTATUS_NSNID, frame->authstatus) == PMAUTHSTATUS_DISABLED;
}

/*
 * With the Software lock set, a memory-mapped read of PMPCSR takes no sample of the contexts
 * (I5.3, PMLSR; H9.2, EDLSR). Its state after power-up is "locked", and there is none with
 * FEAT_Debugv8p4, FEAT_DoPD or EXT64: SLI says.
 */
bool pcs_frame_unlock(struct pcs_frame *frame)
{
	frame->latched = false;
	frame->has_lock = pcs_read_word(frame, PMLSR) & PMLSR_SLI;
	if (!pcs_frame_is_locked(frame))
		return true;
	frame->was_locked = true;
	pcs_write_word(frame, PMLAR, PMLAR_KEY);
	return !pcs_frame_is_locked(frame);
}

bool pcs_frame_is_locked(const struct pcs_frame *frame)
{
	return frame->has_lock && (pcs_read_word(frame, PMLSR) & PMLSR_SLK);
}

/* The low word is never latched */
static bool pcs_shows_the_same(const struct pcs_regs *a, const struct pcs_regs *b)
{
	return a->pmpcsr >> 32 == b->pmpcsr >> 32 && a->pmcid1sr == b->pmcid1sr &&
	       a->pmcid2sr == b->pmcid2sr && a->pmvidsr == b->pmvidsr;
}

/*
 * coresight-cpu-debug closes the lock after each use, and a debugger may. Then the low word is of a
 * new sample and all else is of the one before. So if any other word is new, the lock is open. If
 * all others are as before, as they mostly are, the lock's status is read. A second read so soon
 * after the first might find no branch in between, and be UNKNOWN (H7.1.3): none is made.
 */
enum pcs_outcome pcs_frame_take(struct pcs_frame *frame, struct pcs_regs *regs,
				const struct pcs_regs *last)
{
	enum pcs_outcome outcome = frame->set->take(frame, regs);
	bool in_doubt;

	if (!frame->has_lock)
		return outcome;
	in_doubt = !frame->latched || pcs_shows_the_same(regs, last);
	frame->latched = outcome == PCS_SAMPLE;
	if (outcome != PCS_SAMPLE || !in_doubt || !pcs_frame_is_locked(frame))
		return outcome;

	frame->relocked = true;
	return pcs_frame_unlock(frame) ? PCS_NO_BRANCH : PCS_ERROR;
}

void pcs_frame_relock(struct pcs_frame *frame)
{
	if (!frame->was_locked)
		return;
	pcs_write_word(frame, PMLAR, 0);
	pcs_read_word(frame, PMLSR);
	frame->was_locked = false;
}

/*
 * PMAUTHSTATUS is optional. A block without it shows zeros (I5.3), which in NSNID mean that there
 * is no Non-secure state. This kernel runs in it, so they say nothing of what is prohibited.
 */
static bool pcs_can_be_prohibited(u32 auth)
{
	return !FIELD_GET(PMAUTHSTATUS_NSNID, auth) ||
	       FIELD_GET(PMAUTHSTATUS_NSNID, auth) == PMAUTHSTATUS_DISABLED ||
	       FIELD_GET(PMAUTHSTATUS_SNID, auth) == PMAUTHSTATUS_DISABLED ||
	       FIELD_GET(PMAUTHSTATUS_RLNID, auth) == PMAUTHSTATUS_DISABLED ||
	       FIELD_GET(PMAUTHSTATUS_RTNID, auth) == PMAUTHSTATUS_DISABLED;
}

/*
 * 0xFFFFFFFF stands for Debug state and for prohibited sampling, and the block does not say
 * which. But where the authentication interface allows sampling in every state that is
 * implemented, only Debug state is left.
 */
static enum pcs_outcome pcs_why_none(const struct pcs_frame *frame)
{
	if (pcs_can_be_prohibited(pcs_read_word(frame, PMAUTHSTATUS)))
		return PCS_PROHIBITED;
	return PCS_DEBUG;
}

/*
 * External PMU block, and the block that holds PC sampling alone (FEAT_PCSRv8p2)
 *
 * The block is open only if a branch retired since sampling became active (H7.1.3). Software cannot
 * see one case in which the values are UNKNOWN: the PE has left Debug state, or a state where
 * sampling is prohibited, and has not retired a branch since. Of another, no branch since the last
 * sample, it sees signs: pcs_is_old().
 */

static bool pcs_pmu_identify(struct pcs_frame *frame, const struct am_pcs_id *id)
{
	frame->has_control = id->has_ctl;
	return true;
}

/* All ones, RES0 bits included, are no register value: a bus that answers an error with ones. */
static enum pcs_outcome pcs_pmu_why_none(const struct pcs_frame *frame, u64 pmpcsr)
{
	return pmpcsr == ~0ULL ? PCS_ERROR : pcs_why_none(frame);
}

/* Secure EL0 at address 0 is no place to run: a bus that answers an error with zeros. */
static enum pcs_outcome pcs_pmu_judge(u64 pmpcsr)
{
	return pmpcsr ? PCS_SAMPLE : PCS_ERROR;
}

/* Without EL2 PMCID2SR and PMVIDSR are RES0 or UNKNOWN: not worth a read. */
static enum pcs_outcome pcs_take32(const struct pcs_frame *frame, struct pcs_regs *regs)
{
	u64 pmpcsr = pcs_read_word(frame, PMPCSR_LO);

	pmpcsr |= (u64)pcs_read_word(frame, PMPCSR_HI) << 32;
	if (pcs_is_none(pmpcsr))
		return pcs_pmu_why_none(frame, pmpcsr);

	regs->given = PCS_HAS_ALL;
	regs->el_by_address = false;
	regs->pmpcsr = pmpcsr;
	regs->pmcid1sr = pcs_read_word(frame, PMCID1SR);
	regs->pmcid2sr = 0;
	regs->pmvidsr = 0;
	if (frame->kernel->has_el2) {
		regs->pmcid2sr = pcs_read_word(frame, PMCID2SR);
		regs->pmvidsr = pcs_read_word(frame, PMVIDSR);
	}
	return pcs_pmu_judge(pmpcsr);
}

static enum pcs_outcome pcs_take64(const struct pcs_frame *frame, struct pcs_regs *regs)
{
	u64 pmpcsr = readq_relaxed(frame->base + PMPCSR);
	u64 joint;

	if (pcs_is_none(pmpcsr))
		return pcs_pmu_why_none(frame, pmpcsr);

	regs->given = PCS_HAS_ALL;
	regs->el_by_address = false;
	regs->pmpcsr = pmpcsr;
	joint = readq_relaxed(frame->base + PMVCIDSR);
	regs->pmcid1sr = FIELD_GET(PMVCIDSR_CONTEXTIDR_EL1, joint);
	regs->pmcid2sr = 0;
	regs->pmvidsr = 0;
	if (frame->kernel->has_el2) {
		regs->pmvidsr = FIELD_GET(PMVCIDSR_VMID, joint);
		joint = readq_relaxed(frame->base + PMCCIDSR);
		regs->pmcid2sr = FIELD_GET(PMCCIDSR_CONTEXTIDR_EL2, joint);
	}
	return pcs_pmu_judge(pmpcsr);
}

/*
 * PMPCSCTL.SS would make reads return the last snapshot, and EN = 0 suspends sampling until the
 * first read (H7.1.1.1).
 *
 * What was found is kept until it is put back: after an idle state that lost no power the register
 * holds what the driver wrote. Bits 63:32 are RES0. The register is read back to complete the write
 * while there is power.
 */
static void pcs_keep_control(struct pcs_frame *frame, u64 control)
{
	if (!frame->control_is_ours)
		frame->found_control = control & (PMPCSCTL_EN | PMPCSCTL_SS);
	frame->control_is_ours = true;
}

static void pcs_write_control32(const struct pcs_frame *frame, u32 value)
{
	pcs_write_word(frame, PMPCSCTL, value);
	pcs_read_word(frame, PMPCSCTL);
}

static void pcs_open32(struct pcs_frame *frame)
{
	if (!frame->has_control)
		return;
	pcs_keep_control(frame, pcs_read_word(frame, PMPCSCTL));
	pcs_write_control32(frame, PMPCSCTL_EN);
}

static bool pcs_close32(struct pcs_frame *frame)
{
	if (!frame->control_is_ours)
		return false;
	pcs_write_control32(frame, frame->found_control);
	frame->control_is_ours = false;
	return true;
}

static void pcs_write_control64(const struct pcs_frame *frame, u64 value)
{
	writeq_relaxed(value, frame->base + PMPCSCTL);
	readq_relaxed(frame->base + PMPCSCTL);
}

static void pcs_open64(struct pcs_frame *frame)
{
	if (!frame->has_control)
		return;
	pcs_keep_control(frame, readq_relaxed(frame->base + PMPCSCTL));
	pcs_write_control64(frame, PMPCSCTL_EN);
}

static bool pcs_close64(struct pcs_frame *frame)
{
	if (!frame->control_is_ours)
		return false;
	pcs_write_control64(frame, frame->found_control);
	frame->control_is_ours = false;
	return true;
}

/*
 * PMU snapshots (FEAT_PMUv3_SS with FEAT_PCSRv8p9): with PMPCSCTL.SS = 1 a Capture event captures
 * the PC, the Context IDs and all counters at once, and reads only return them (H7.1.1.1, D13.9).
 *
 * Without EL3's leave (MDCR_EL3.EPMSSAD) an access to these registers is an error response, and no
 * register says so: firmware has to. MDCR_EL3.PMSSE, MDCR_EL2.PMSSE and PMECR_EL1.SSE enable
 * Capture events. If they are disabled, a request is ignored, and the status and all other
 * registers stay as the last Capture event left them.
 */

/* How often the status is asked for: far longer than a capture takes, and the reader's own time */
#define PCS_CAPTURE_POLLS	64

static u64 pcs_read32(const struct pcs_frame *frame, unsigned int reg)
{
	u64 value = pcs_read_word(frame, reg);

	return value | (u64)pcs_read_word(frame, reg + 4) << 32;
}

static u64 pcs_read64(const struct pcs_frame *frame, unsigned int reg)
{
	return readq_relaxed(frame->base + reg);
}

static unsigned int pcs_saved_value(int counter)
{
	switch (counter) {
	case PCS_COUNTER_CYCLES:
		return PMCCNTSVR;
	case PCS_COUNTER_INSTRUCTIONS:
		return PMICNTSVR;
	default:
		return PMEVCNTSVR(counter);
	}
}

/* After the request: PCS_SAMPLE if the registers hold what they held at that moment */
static enum pcs_outcome pcs_captured(const struct pcs_frame *frame, struct pcs_regs *regs,
				     u64 (*read)(const struct pcs_frame *frame, unsigned int reg))
{
	unsigned int polls = 0, i;
	u64 status;

	do {
		if (polls++ == PCS_CAPTURE_POLLS)
			return PCS_ERROR;
		status = read(frame, PMSSCR);
	} while (status & PMSSCR_SS);
	if (status & PMSSCR_NC)
		return PCS_PROHIBITED;

	for (i = 0; i < PCS_NR_COUNTS; i++)
		if (frame->counter[i] != PCS_COUNTER_NONE)
			regs->saved[i] = read(frame, pcs_saved_value(frame->counter[i]));
	regs->captured = true;
	return PCS_SAMPLE;
}

/* A bus that answers an error with zeros looks like a capture up to the PC. */
static enum pcs_outcome pcs_with_pc(struct pcs_regs *regs, enum pcs_outcome outcome)
{
	if (outcome == PCS_ERROR)
		regs->captured = false;
	return outcome;
}

static enum pcs_outcome pcs_capture32(const struct pcs_frame *frame, struct pcs_regs *regs)
{
	enum pcs_outcome outcome;

	pcs_write_word(frame, PMSSCR, PMSSCR_SS);
	outcome = pcs_captured(frame, regs, pcs_read32);
	return outcome == PCS_SAMPLE ? pcs_with_pc(regs, pcs_take32(frame, regs)) : outcome;
}

static enum pcs_outcome pcs_capture64(const struct pcs_frame *frame, struct pcs_regs *regs)
{
	enum pcs_outcome outcome;

	writeq_relaxed(PMSSCR_SS, frame->base + PMSSCR);
	outcome = pcs_captured(frame, regs, pcs_read64);
	return outcome == PCS_SAMPLE ? pcs_with_pc(regs, pcs_take64(frame, regs)) : outcome;
}

/*
 * IMPLEMENTATION DEFINED snapshots, of Cortex-A55 to A78 and of Neoverse cores of their time (the
 * Technical Reference Manuals Arm 100442, 100798, 101779): words at the same place with another
 * layout, which no ID register tells. There is no VMID and no control of what takes a PC. The only
 * status is PMSSSR.NC, which is 1 until the first capture, and is about the counters alone. Later
 * captures show by the cycle counter.
 */
static u64 pcs_impdef_value(const struct pcs_frame *frame, int counter)
{
	if (counter == PCS_COUNTER_CYCLES)
		return pcs_read32(frame, PMCCNTSR_LO);
	return pcs_read_word(frame, PMEVCNTSR(counter));
}

static enum pcs_outcome pcs_take_impdef(const struct pcs_frame *frame, struct pcs_regs *regs)
{
	u64 pmpcsr = pcs_read32(frame, PMPCSSR_LO);

	if (pcs_is_none(pmpcsr))
		return pcs_pmu_why_none(frame, pmpcsr);
	regs->given = ARM_PCSAMPLE_HAS_CID1 | ARM_PCSAMPLE_HAS_CID2;
	regs->el_by_address = false;
	regs->pmpcsr = pmpcsr;
	regs->pmcid1sr = pcs_read_word(frame, PMCIDSSR);
	regs->pmcid2sr = frame->kernel->has_el2 ? pcs_read_word(frame, PMCID2SSR) : 0;
	regs->pmvidsr = 0;
	return pcs_pmu_judge(pmpcsr);
}

/*
 * Nothing says that a capture is over but the value of the cycle counter in it, which is looked at
 * for a few reads. Of a PE in WFI it stands still.
 */
#define PCS_IMPDEF_POLLS	4

static u32 pcs_request_impdef(const struct pcs_frame *frame)
{
	u32 before = pcs_read_word(frame, PMCCNTSR_LO), status;
	unsigned int polls = 0;

	pcs_write_word(frame, PMSSCR_IMPDEF, PMSSCR_IMPDEF_SS);
	do {
		status = pcs_read_word(frame, PMSSSR);
	} while (((status & PMSSSR_NC) || pcs_read_word(frame, PMCCNTSR_LO) == before) &&
		 ++polls < PCS_IMPDEF_POLLS);
	return status;
}

static enum pcs_outcome pcs_capture_impdef(const struct pcs_frame *frame, struct pcs_regs *regs)
{
	u32 status = pcs_request_impdef(frame);
	unsigned int i;

	if (status & PMSSSR_NC)
		return status == ~0U ? PCS_ERROR : PCS_PROHIBITED;
	for (i = 0; i < PCS_NR_COUNTS; i++)
		if (frame->counter[i] != PCS_COUNTER_NONE)
			regs->saved[i] = pcs_impdef_value(frame, frame->counter[i]);
	regs->captured = true;
	return pcs_with_pc(regs, pcs_take_impdef(frame, regs));
}

/*
 * If sampling is suspended, a read of PMPCSR makes it active (H7.1.1.1). Nothing says that an
 * IMPLEMENTATION DEFINED capture does, so that read is made before the first one. Its value may be
 * UNKNOWN, and is discarded.
 */
static void pcs_open_impdef(struct pcs_frame *frame)
{
	pcs_open32(frame);
	pcs_read_word(frame, PMPCSR_LO);
}

/* EN too: with it sampling need not be made active once more when SS goes */
static void pcs_open_snapshots32(struct pcs_frame *frame)
{
	pcs_keep_control(frame, pcs_read_word(frame, PMPCSCTL));
	pcs_write_control32(frame, PMPCSCTL_SS | PMPCSCTL_EN);
}

static void pcs_open_snapshots64(struct pcs_frame *frame)
{
	pcs_keep_control(frame, readq_relaxed(frame->base + PMPCSCTL));
	pcs_write_control64(frame, PMPCSCTL_SS | PMPCSCTL_EN);
}

/*
 * External debug block (FEAT_PCSRv8)
 *
 * With EDSCR.SC2 = 1 the registers hold what PMPCSR, PMCID1SR and PMCID2SR would, and no VMID. With
 * SC2 = 0 there is the VMID and no CONTEXTIDR_EL2, and EL0 looks like EL1 (H9.2). A kernel at EL2
 * needs the former, as its tasks are in CONTEXTIDR_EL2, one at EL1 the latter, which tells its
 * guests.
 *
 * Any read of EDPRSR clears bits that a debugger wants, and hangs some systems: nothing here needs
 * it, as the driver knows about power and locks from the PE itself.
 */

/*
 * EDCIDSR and EDVIDSR are optional (EDDEVID). Without EDVIDSR all samples have to be this kernel's,
 * which they are if there is neither EL2 nor a Secure state; the architecture allows it to be
 * missing only then.
 */
static bool pcs_debug_identify(struct pcs_frame *frame, const struct am_pcs_id *id)
{
	frame->has_control = id->has_sc2 && id->has_vid;
	frame->has_cid = id->has_cid;
	frame->has_vid = id->has_vid;
	frame->sc2 = frame->kernel->kernel == AM_KERNEL_VHE;
	if (frame->may_request)
		frame->requests = EDPRCR_CORENPDRQ | (id->in_core_domain ? 0 : EDPRCR_COREPURQ);
	if (!frame->has_vid)
		return !frame->kernel->has_el2 && !frame->has_el3;
	return frame->has_control || !frame->sc2;
}

/*
 * All ones in EDPCSR's high word and in EDVIDSR, of which one has RES0 bits whatever SC2 is: a bus
 * that answers an error with ones. Without EDVIDSR it looks like Debug state.
 */
static enum pcs_outcome pcs_debug_why_none(const struct pcs_frame *frame, u32 high, u32 vid)
{
	return high == ~0U && vid == ~0U ? PCS_ERROR : pcs_why_none(frame);
}

/* An Exception level that is not known is that of the half of the addresses: see pcs_world() */
static u64 pcs_debug_pmpcsr(const struct am_ed_sample *sample)
{
	unsigned int el = sample->pc & BIT_ULL(55) ? 1 : 0;
	u64 pmpcsr = sample->pc & PMPCSR_PC;

	if (sample->els == BIT_ULL(2))
		el = 2;
	else if (sample->els == BIT_ULL(3))
		el = 3;
	if (sample->state == PCS_STATE_NONSECURE)
		pmpcsr |= PMPCSR_NS;
	return pmpcsr | FIELD_PREP(PMPCSR_EL, el);
}

static enum pcs_outcome pcs_take_debug(const struct pcs_frame *frame, struct pcs_regs *regs)
{
	u32 low = pcs_read_word(frame, EDPCSR_LO);
	u32 high = pcs_read_word(frame, EDPCSR_HI);
	u32 cid = frame->has_cid ? pcs_read_word(frame, EDCIDSR) : 0;
	u32 vid = frame->has_vid ? pcs_read_word(frame, EDVIDSR) : 0;
	struct am_ed_sample sample;

	if (low == EDPCSR_LO_NONE)
		return pcs_debug_why_none(frame, high, vid);
	/* Address 0 is no place to run: a bus that answers an error with zeros. */
	if (!low && !high && !vid)
		return PCS_ERROR;

	regs->pmcid1sr = cid;
	regs->given = frame->has_cid ? ARM_PCSAMPLE_HAS_CID1 : 0;
	if (frame->sc2) {
		regs->pmpcsr = (u64)high << 32 | low;
		regs->pmcid2sr = vid;
		regs->pmvidsr = 0;
		regs->given |= ARM_PCSAMPLE_HAS_CID2;
		regs->el_by_address = false;
		return PCS_SAMPLE;
	}
	sample = am_ed_decode(low, high, frame->has_vid ? vid : EDVIDSR_NS, false, false, false);
	regs->pmpcsr = pcs_debug_pmpcsr(&sample);
	regs->pmcid2sr = 0;
	regs->pmvidsr = FIELD_GET(EDVIDSR_VMID, vid);
	regs->given |= frame->has_vid ? ARM_PCSAMPLE_HAS_VMID : 0;
	regs->el_by_address = sample.els & BIT_ULL(0);
	return PCS_SAMPLE;
}

/* The other bits are a debugger's */
static void pcs_write_sc2(const struct pcs_frame *frame, bool sc2)
{
	u32 edscr = pcs_read_word(frame, EDSCR) & ~EDSCR_SC2;

	pcs_write_word(frame, EDSCR, sc2 ? edscr | EDSCR_SC2 : edscr);
	pcs_read_word(frame, EDSCR);
}

/*
 * COREPURQ, which is not there with FEAT_DoPD, outlives the Core power domain, and a Cold reset
 * copies it to CORENPDRQ (H9.2). So what is found after the driver's own request says nothing about
 * others. CWRR, which would reset the PE, is written as 0. As all registers, this one is touched
 * only while the PE is known to have power.
 */
static void pcs_request_power(struct pcs_frame *frame)
{
	if (!frame->requests)
		return;
	if (!frame->power_is_ours)
		frame->found_requests = pcs_read_word(frame, EDPRCR) & frame->requests;
	frame->power_is_ours = true;
	pcs_write_word(frame, EDPRCR, frame->requests);
	pcs_read_word(frame, EDPRCR);
}

void pcs_frame_withdraw(struct pcs_frame *frame)
{
	if (!frame->power_is_ours)
		return;
	pcs_write_word(frame, EDPRCR, frame->found_requests);
	pcs_read_word(frame, EDPRCR);
	frame->power_is_ours = false;
}

static void pcs_open_debug(struct pcs_frame *frame)
{
	pcs_request_power(frame);
	if (!frame->has_control)
		return;
	if (!frame->control_is_ours)
		frame->found_control = pcs_read_word(frame, EDSCR) & EDSCR_SC2;
	frame->control_is_ours = true;
	pcs_write_sc2(frame, frame->sc2);
}

static bool pcs_close_debug(struct pcs_frame *frame)
{
	if (frame->control_is_ours)
		pcs_write_sc2(frame, frame->found_control);
	frame->control_is_ours = false;
	return false;
}

/*
 * The table
 */

#define PCS_EXT32							\
	.view = AM_PCS_VIEW_EXT32, .identify = pcs_pmu_identify,	\
	.open = pcs_open32, .take = pcs_take32, .close = pcs_close32

#define PCS_EXT64							\
	.view = AM_PCS_VIEW_EXT64, .identify = pcs_pmu_identify,	\
	.open = pcs_open64, .take = pcs_take64, .close = pcs_close64

static const struct pcs_set pcs_snapshots32 = {
	.name = "snapshot32",
	.source = ARM_PCSAMPLE_SOURCE_SNAPSHOT,
	.view = AM_PCS_VIEW_EXT32,
	.repeats_unknown = true,
	.wide = true,
	.open = pcs_open_snapshots32,
	.take = pcs_capture32,
	.close = pcs_close32,
};

static const struct pcs_set pcs_snapshots64 = {
	.name = "snapshot64",
	.source = ARM_PCSAMPLE_SOURCE_SNAPSHOT,
	.view = AM_PCS_VIEW_EXT64,
	.repeats_unknown = true,
	.wide = true,
	.open = pcs_open_snapshots64,
	.take = pcs_capture64,
	.close = pcs_close64,
};

/* Reads of PMPCSR go on to take samples, so what they need is left open */
static const struct pcs_set pcs_impdef_snapshots = {
	.name = "impdef",
	.source = ARM_PCSAMPLE_SOURCE_IMPDEF,
	.view = AM_PCS_VIEW_EXT32,
	.repeats_unknown = true,
	.open = pcs_open_impdef,
	.take = pcs_capture_impdef,
	.close = pcs_close32,
};

static const struct pcs_set pcs_sets[] = {
	{
		.name = "pmu32",
		.source = ARM_PCSAMPLE_SOURCE_PMU32,
		.snapshots = &pcs_snapshots32,
		.impdef = &pcs_impdef_snapshots,
		PCS_EXT32
	},
	{
		.name = "pmu64",
		.source = ARM_PCSAMPLE_SOURCE_PMU64,
		.snapshots = &pcs_snapshots64,
		PCS_EXT64
	},
	{
		.name = "frame32",
		.source = ARM_PCSAMPLE_SOURCE_FRAME32,
		.own_frame = true,
		PCS_EXT32
	},
	{
		.name = "frame64",
		.source = ARM_PCSAMPLE_SOURCE_FRAME64,
		.own_frame = true,
		PCS_EXT64
	},
	{
		.name = "debug",
		.source = ARM_PCSAMPLE_SOURCE_DEBUG,
		.view = AM_PCS_VIEW_ED,
		.repeats_unknown = true,
		.identify = pcs_debug_identify,
		.open = pcs_open_debug,
		.take = pcs_take_debug,
		.close = pcs_close_debug,
	},
};

const struct pcs_set *pcs_sets_find(const struct am_pcs_id *id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pcs_sets); i++)
		if (id->verdict.is == (int)pcs_sets[i].view &&
		    id->own_frame == pcs_sets[i].own_frame)
			return &pcs_sets[i];
	return NULL;
}
