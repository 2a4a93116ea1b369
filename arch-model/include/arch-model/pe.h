/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PE that a question is about: what it implements, what it executes, and the control
 * registers of EL2 and EL3 that every part of the model looks at.
 */
#ifndef ARCH_MODEL_PE_H
#define ARCH_MODEL_PE_H

#include <arch-model/bits.h>
#include <arch-model/types.h>
#include <arch-model/why.h>

/* Implemented features; names are the manual's FEAT_ names (A2.2, A2.3) */
#define AM_FEAT_EL2		BIT_ULL(0)
#define AM_FEAT_EL3		BIT_ULL(1)
#define AM_FEAT_SECURE_ONLY	BIT_ULL(2)	/* no EL3, and the one Security state is Secure */
#define AM_FEAT_AA64		BIT_ULL(3)
#define AM_FEAT_AA32		BIT_ULL(4)
#define AM_FEAT_SEL2		BIT_ULL(5)
#define AM_FEAT_RME		BIT_ULL(6)
#define AM_FEAT_VHE		BIT_ULL(7)
#define AM_FEAT_VMID16		BIT_ULL(8)
#define AM_FEAT_NV		BIT_ULL(9)
#define AM_FEAT_RAS		BIT_ULL(10)
#define AM_FEAT_MOPS		BIT_ULL(11)
#define AM_FEAT_V9P3		BIT_ULL(12)	/* Armv9.3 */
#define AM_FEAT_DEBUGV8P1	BIT_ULL(13)
#define AM_FEAT_DEBUGV8P2	BIT_ULL(14)
#define AM_FEAT_DEBUGV8P4	BIT_ULL(15)
#define AM_FEAT_DEBUGV8P9	BIT_ULL(16)
#define AM_FEAT_PCSRV8		BIT_ULL(17)
#define AM_FEAT_PCSRV8P2	BIT_ULL(18)
#define AM_FEAT_PCSRV8P9	BIT_ULL(19)
#define AM_FEAT_PMUV3_EXT64	BIT_ULL(20)	/* else FEAT_PMUv3_EXT32 */
#define AM_FEAT_PMUV3_EXTPMN	BIT_ULL(21)
#define AM_FEAT_PMUV3_SS	BIT_ULL(22)
#define AM_FEAT_PMUV3_ICNTR	BIT_ULL(23)
#define AM_FEAT_PMUV3P1		BIT_ULL(24)
#define AM_FEAT_PMUV3P5		BIT_ULL(25)
#define AM_FEAT_PMUV3P7		BIT_ULL(26)
#define AM_FEAT_PMUV3P9		BIT_ULL(27)
#define AM_FEAT_PMUV3_SME	BIT_ULL(28)
#define AM_FEAT_HPMN0		BIT_ULL(29)
#define AM_FEAT_EBEP		BIT_ULL(30)
#define AM_FEAT_SEBEP		BIT_ULL(31)
#define AM_FEAT_BRBE		BIT_ULL(32)
#define AM_FEAT_SPEV1P2		BIT_ULL(33)
#define AM_FEAT_SPE_DPFZS	BIT_ULL(34)
#define AM_FEAT_SPE_EXC		BIT_ULL(35)
#define AM_FEAT_TRBE		BIT_ULL(36)
#define AM_FEAT_TRBE_EXT	BIT_ULL(37)
#define AM_FEAT_TRBE_EXC	BIT_ULL(38)

/**
 * enum pcs_state - Security state
 * @PCS_STATE_SECURE: Secure
 * @PCS_STATE_NONSECURE: Non-secure
 * @PCS_STATE_ROOT: Root (FEAT_RME)
 * @PCS_STATE_REALM: Realm (FEAT_RME)
 *
 * The values are {NSE,NS} as PMPCSR and SCR_EL3 hold them.
 */
enum pcs_state {
	PCS_STATE_SECURE = 0,
	PCS_STATE_NONSECURE = 1,
	PCS_STATE_ROOT = 2,
	PCS_STATE_REALM = 3,
};

/**
 * struct am_pe - a PE
 * @feat: AM_FEAT_*: what it implements
 * @scr_el3: SCR_EL3, or SCR where EL3 uses AArch32; ignored without EL3
 * @hcr_el2: HCR_EL2; ignored without EL2
 * @mdcr_el3: MDCR_EL3, or SDCR where EL3 uses AArch32; ignored without EL3
 * @mdcr_el2: MDCR_EL2, or HDCR; ignored without EL2
 * @sder: SDER32_EL3, or SDER where EL3 uses AArch32
 * @el: PSTATE.EL, 0 to 3
 * @aa32: bit n is set where ELn uses AArch32; bit 0 speaks of the EL0 that executes
 * @pm: PSTATE.PM
 * @ppend: PSTATE.PPEND
 * @halted: the PE is in Debug state
 *
 * The Security state is not a member: SCR_EL3 and @el decide it, see am_security_state().
 *
 * Any content is allowed. A state that no PE can be in is found by am_pe_check(), and each
 * decision function answers it with AM_RESERVED instead of asserting anything.
 */
struct am_pe {
	u64 feat;
	u64 scr_el3;
	u64 hcr_el2;
	u64 mdcr_el3;
	u64 mdcr_el2;
	u64 sder;
	u8 el;
	u8 aa32;
	bool pm;
	bool ppend;
	bool halted;
};

/* Are all features of @feat implemented? */
static inline bool am_has(const struct am_pe *pe, u64 feat)
{
	return (pe->feat & feat) == feat;
}

/* Does Exception level @el use AArch32? There is none above EL3 */
static inline bool am_uses_aa32(const struct am_pe *pe, unsigned int el)
{
	return el <= 3 && (pe->aa32 & (1U << el));
}

/**
 * am_pe_check() - can a PE be in this state?
 * @pe: the PE
 *
 * Return: AM_WHY_NONE if it can, else the reason why not: an Exception level that is not
 * implemented or enabled, EL1 while HCR_EL2.TGE is 1, a reserved Security state, AArch64 below
 * AArch32, or AArch64 without FEAT_AA64.
 */
enum am_why am_pe_check(const struct am_pe *pe);

/* Current Security state: that of @pe->el. {NSE,NS} = {1,0} below EL3 is reserved. */
enum pcs_state am_security_state(const struct am_pe *pe);

/* Effective value of SCR_EL3.NS: of the state below EL3, also while the PE is at EL3 */
bool am_effective_ns(const struct am_pe *pe);

/**
 * am_el2_enabled() - is EL2 implemented and enabled in the Security state that SCR_EL3 selects?
 * @pe: the PE
 *
 * At EL3 this speaks of the state below: "this applies even when the current Exception level is
 * EL3" (RBNQRP, RVSCDV).
 */
bool am_el2_enabled(const struct am_pe *pe);

/* Is EL2 enabled in Secure state, if the PE has that state? */
bool am_secure_el2_enabled(const struct am_pe *pe);

/* Effective value of HCR_EL2.TGE: 0 where EL2 is not enabled */
bool am_effective_tge(const struct am_pe *pe);

/* Would @el, 0 to 2, run as the host: {E2H} at EL2, {E2H,TGE} at EL0? */
bool am_el_is_in_host(const struct am_pe *pe, unsigned int el);

#endif /* ARCH_MODEL_PE_H */
