/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decode of one PC sample as hardware returned it. Inline and almost without branches: the
 * driver's timer runs this for each sample.
 *
 * Arm DDI 0487 M.a.a, I5.3 (PMPCSR, PMCID1SR, PMCID2SR, PMVIDSR) and H7.1; H9.2 for EDPCSR. The
 * rules by which hardware fills these registers are in pcsr.h.
 */
#ifndef ARCH_MODEL_PC_SAMPLE_H
#define ARCH_MODEL_PC_SAMPLE_H

#include <arch-model/edpcsr-regs.h>
#include <arch-model/pe.h>
#include <arch-model/pmpcsr-regs.h>
#include <arch-model/types.h>

/* External PMU block (FEAT_PCSRv8p2) */

/**
 * pcs_is_none() - does a read say that there is no sample?
 * @pmpcsr: PMPCSR, or its low word
 *
 * PMPCSR[31:0] is 0xFFFFFFFF in Debug state, where sampling is prohibited, and possibly on the
 * first read after reset or suspension (I5.3, H7.1.3). It is never a PC: A64 and A32 instructions
 * are word aligned and T32 ones halfword aligned.
 *
 * Rules: S0-d
 */
static inline bool pcs_is_none(u64 pmpcsr)
{
	return (u32)pmpcsr == PMPCSR_LO_NONE;
}

/**
 * pcs_pc() - virtual address of the sampled instruction
 * @pmpcsr: PMPCSR
 *
 * Only PC[55:0] is captured. Bit 55 selects the translation table (TTBR0 or TTBR1) for a regime
 * with two ranges, so extending it restores the canonical address; a tag in the top byte of a
 * branch target is never part of the PC (D4.1.4: the PC is loaded without the tag).
 */
static inline u64 pcs_pc(u64 pmpcsr)
{
	return (u64)((s64)(pmpcsr << 8) >> 8);
}

/**
 * pcs_el() - Exception level of a sample, 0 to 3
 * @pmpcsr: PMPCSR
 */
static inline unsigned int pcs_el(u64 pmpcsr)
{
	return FIELD_GET(PMPCSR_EL, pmpcsr);
}

/**
 * pcs_state() - Security state of a sample
 * @pmpcsr: PMPCSR; NSE is RES0 without FEAT_RME, so the answer is right with and without it
 */
static inline enum pcs_state pcs_state(u64 pmpcsr)
{
	return (enum pcs_state)(FIELD_GET(PMPCSR_NSE, pmpcsr) << 1 |
				FIELD_GET(PMPCSR_NS, pmpcsr));
}

/* External debug block (FEAT_PCSRv8), and Armv7 */

/**
 * struct am_ed_sample - a sample of the external debug block, decoded
 * @none: there is no sample; the rest is meaningless
 * @isa_reserved: the two low bits name no instruction set that has an address here (Armv7)
 * @els: bit n is set if the sample may be from ELn; with EDSCR.SC2 = 0 the registers do not tell
 *	 EL0 from EL1, nor EL3 using AArch32 from them
 * @state: Security state
 * @pc: address of the instruction
 */
struct am_ed_sample {
	bool none;
	bool isa_reserved;
	u8 els;
	enum pcs_state state;
	u64 pc;
};

/* Exception levels that EDVIDSR may mean, EDSCR.SC2 = 0 */
static inline u8 am_ed_els(u32 high, u32 edvidsr)
{
	if (edvidsr & EDVIDSR_E3)
		return BIT_ULL(3);
	if (edvidsr & EDVIDSR_E2)
		return BIT_ULL(2);
	/* E3 means EL3 using AArch64. A PC above 4 GiB is not from AArch32. */
	if (!(edvidsr & EDVIDSR_NS) && !high)
		return BIT_ULL(0) | BIT_ULL(1) | BIT_ULL(3);
	return BIT_ULL(0) | BIT_ULL(1);
}

/**
 * am_ed_decode() - decode a sample of the external debug block
 * @low: EDPCSR[31:0], read first
 * @high: EDPCSR[63:32]; 0 where EDVIDSR.HV is 0
 * @edvidsr: EDVIDSR; EDVIDSR_NS where the register is not implemented
 * @sc2: EDSCR.SC2, which decides the format of @high and @edvidsr
 * @isa_in_pc: bits [1:0] are the instruction set state, see struct am_pcs_id
 * @has_offset: the PC is 8 (A32) or 4 (T32) bytes ahead, see struct am_pcs_id
 *
 * Rules: S4-a
 */
static inline struct am_ed_sample am_ed_decode(u32 low, u32 high, u32 edvidsr, bool sc2,
					       bool isa_in_pc, bool has_offset)
{
	struct am_ed_sample sample = { .none = low == EDPCSR_LO_NONE };

	if (sc2) {
		sample.els = BIT_ULL(FIELD_GET(EDPCSR_HI_EL, high));
		sample.state = high & EDPCSR_HI_NS ? PCS_STATE_NONSECURE : PCS_STATE_SECURE;
		sample.pc = pcs_pc((u64)high << 32 | low);
	} else {
		sample.els = am_ed_els(high, edvidsr);
		sample.state = edvidsr & EDVIDSR_NS ? PCS_STATE_NONSECURE : PCS_STATE_SECURE;
		sample.pc = (u64)high << 32 | low;
	}

	if (!isa_in_pc)
		return sample;
	if (low & 1) {
		sample.pc = (u32)((low & ~1U) - (has_offset ? 4 : 0));
	} else if (low & 3) {
		sample.isa_reserved = true;
		sample.pc = low & ~3U;
	} else {
		sample.pc = (u32)(low - (has_offset ? 8 : 0));
	}
	return sample;
}

#endif /* ARCH_MODEL_PC_SAMPLE_H */
