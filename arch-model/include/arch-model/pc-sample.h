/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decode of one PC sample as the external PMU block returns it (FEAT_PCSRv8p2).
 * Arm DDI 0487 issue M.a.a, I5.3 (PMPCSR, PMCID1SR, PMCID2SR, PMVIDSR) and H7.1.
 */
#ifndef ARCH_MODEL_PC_SAMPLE_H
#define ARCH_MODEL_PC_SAMPLE_H

#include <arch-model/pmpcsr-regs.h>
#include <arch-model/types.h>

/**
 * enum pcs_state - Security state of a sample
 * @PCS_STATE_SECURE: Secure
 * @PCS_STATE_NONSECURE: Non-secure
 * @PCS_STATE_ROOT: Root (FEAT_RME)
 * @PCS_STATE_REALM: Realm (FEAT_RME)
 *
 * The values are {NSE,NS} as PMPCSR holds them.
 */
enum pcs_state {
	PCS_STATE_SECURE = 0,
	PCS_STATE_NONSECURE = 1,
	PCS_STATE_ROOT = 2,
	PCS_STATE_REALM = 3,
};

/**
 * pcs_is_none() - does a read say that there is no sample?
 * @pmpcsr: PMPCSR, or its low word
 *
 * PMPCSR[31:0] is 0xFFFFFFFF in Debug state, where sampling is prohibited, and possibly on the
 * first read after reset or suspension (I5.3, H7.1.3). It is never a PC: A64 and A32 instructions
 * are word aligned and T32 ones halfword aligned.
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
	return (enum pcs_state)((FIELD_GET(PMPCSR_NSE, pmpcsr) << 1) | FIELD_GET(PMPCSR_NS, pmpcsr));
}

#endif /* ARCH_MODEL_PC_SAMPLE_H */
