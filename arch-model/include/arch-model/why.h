/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why a decision fell as it did: the rule, handle or table row that decided.
 *
 * Every decision function returns a struct am_verdict. The model names the reason only; the
 * sentence that goes with it is in arch-model/text/why.c, outside the freestanding part.
 */
#ifndef ARCH_MODEL_WHY_H
#define ARCH_MODEL_WHY_H

#include <arch-model/types.h>

/**
 * enum am_why - reason of a decision
 *
 * The text of each reason begins with its rule: the identifier of the manual, or the handle that
 * Documentation/conformance.md gives to a statement that has none. Reasons of one decision stand
 * in the order in which they are looked for.
 */
enum am_why {
	AM_WHY_NONE = 0,

	/* States no PE can be in: am_pe_check() */
	AM_WHY_PE_NO_EL,
	AM_WHY_PE_STATE,
	AM_WHY_PE_TGE,
	AM_WHY_PE_AA32,
	AM_WHY_PE_NO_AA64,

	/* Features that exclude each other: am_pcs_check() */
	AM_WHY_PCS_BOTH_FRAMES,
	AM_WHY_PCS_TOO_NEW,
	AM_WHY_PCS_NO_V8P2,
	AM_WHY_PCS_NO_DEBUGV8P4,

	/* Is PC sampling allowed? */
	AM_WHY_PCS_NOT_ENABLED,
	AM_WHY_PCS_NONSECURE,
	AM_WHY_PCS_NO_EL3,
	AM_WHY_PCS_STATE_ENABLED,
	AM_WHY_PCS_SUNIDEN,
	AM_WHY_PCS_STATE_DISABLED,

	/* Is PC sampling suspended or active? */
	AM_WHY_PCS_SS,
	AM_WHY_PCS_EN,
	AM_WHY_PCS_IMPDEF,

	/* Does an access reach a sample register? */
	AM_WHY_PCS_CORE_OFF,
	AM_WHY_PCS_DOUBLE_LOCK,
	AM_WHY_PCS_OS_LOCK,
	AM_WHY_PCS_OS_LOCK_IGNORED,
	AM_WHY_PCS_NO_REGISTER,
	AM_WHY_PCS_ACCESSIBLE,

	/* What does a read return? */
	AM_WHY_PCS_LATCHED,
	AM_WHY_PCS_ON_SNAPSHOT,
	AM_WHY_PCS_PROHIBITED,
	AM_WHY_PCS_DEBUG,
	AM_WHY_PCS_ACTIVATED,
	AM_WHY_PCS_NO_BRANCH,
	AM_WHY_PCS_OBSCURED,
	AM_WHY_PCS_SAME_BRANCH,
	AM_WHY_PCS_FIRST,
	AM_WHY_PCS_SAMPLE,

	/* Is a Capture event enabled and allowed, and what does it do to the sample registers? */
	AM_WHY_CAP_NO_SS,
	AM_WHY_CAP_EL3,
	AM_WHY_CAP_EL2,
	AM_WHY_CAP_EL1,
	AM_WHY_CAP_AA32,
	AM_WHY_CAP_EL1_RESERVED,
	AM_WHY_CAP_OS_LOCK,
	AM_WHY_CAP_DEBUG,
	AM_WHY_CAP_NOT_ON_SNAPSHOT,
	AM_WHY_CAP_NO_SAMPLE,
	AM_WHY_CAP_SAMPLED,

	/* What do the ID registers say? */
	AM_WHY_ID_CIDR,
	AM_WHY_ID_NOT_ARM,
	AM_WHY_ID_PART,
	AM_WHY_ID_ARCHVER,
	AM_WHY_ID_DEVTYPE,
	AM_WHY_ID_NONE,
	AM_WHY_ID_RESERVED,
	AM_WHY_ID_OFFSET,
	AM_WHY_ID_PMU_FRAME,
	AM_WHY_ID_OWN_FRAME,
	AM_WHY_ID_DEBUG_FRAME,

	/* What ran, as a Linux kernel sees it? */
	AM_WHY_WORLD_OTHER,
	AM_WHY_WORLD_VHE,
	AM_WHY_WORLD_VHE_EL1,
	AM_WHY_WORLD_VCPU,
	AM_WHY_WORLD_NO_VCPU,
	AM_WHY_WORLD_HYP,
	AM_WHY_WORLD_NO_EL2,
	AM_WHY_WORLD_VMID,
	AM_WHY_WORLD_HOST_VMID,

	/* What does an ESR_ELx say, and when is a Profiling exception taken? */
	AM_WHY_PROFEXC_NOT,
	AM_WHY_PROFEXC_FSC,
	AM_WHY_PROFEXC_SYNC,
	AM_WHY_PROFEXC_ASYNC,
	AM_WHY_WHEN_NOT_DELIVERABLE,
	AM_WHY_WHEN_SYNCHRONISED,
	AM_WHY_WHEN_FINITE,

	/* Effective values of TRFCR_EL2.EE and TRFCR_EL1.EE */
	AM_WHY_TRBE_NO_EXC,
	AM_WHY_TRBE_EXTERNAL_MODE,
	AM_WHY_TRBE_TRBEE_OFF,
	AM_WHY_TRBE_NO_EL2,
	AM_WHY_TRBE_EE2,
	AM_WHY_TRBE_EE1,
	AM_WHY_TRBE_EE1_RESERVED,

	/* Who owns the trace buffer? */
	AM_WHY_TRBE_NSTB_RESERVED,
	AM_WHY_TRBE_NO_OWNING_EL2,
	AM_WHY_TRBE_E2TB,
	AM_WHY_TRBE_E2TB_RESERVED,

	/* Where is an event recorded? */
	AM_WHY_TRBE_CLASS,
	AM_WHY_TRBE_EC_RESERVED,
	AM_WHY_TRBE_EL3_ALL,
	AM_WHY_TRBE_EL3_GPC,
	AM_WHY_TRBE_EL3_GPF,
	AM_WHY_TRBE_EL3_EA,
	AM_WHY_TRBE_EL2_ALL,
	AM_WHY_TRBE_EL2_GPC,
	AM_WHY_TRBE_EL2_STAGE2,
	AM_WHY_TRBE_EL2_OWNER,
	AM_WHY_TRBE_EL2_GPF,
	AM_WHY_TRBE_EL2_TEA,
	AM_WHY_TRBE_EL1,

	/* What becomes of it? */
	AM_WHY_TRBE_TRBEE,
	AM_WHY_TRBE_DEBUG,
	AM_WHY_TRBE_AT_EL3,
	AM_WHY_TRBE_AT_EL2,
	AM_WHY_TRBE_NOT_OWNING,
	AM_WHY_TRBE_EE2_OWN,
	AM_WHY_TRBE_KE2,
	AM_WHY_TRBE_KE1,
	AM_WHY_TRBE_PM,
	AM_WHY_TRBE_TAKEN_EL3,
	AM_WHY_TRBE_TAKEN_EL2,
	AM_WHY_TRBE_TAKEN_TGE,
	AM_WHY_TRBE_TAKEN_EL1,
	AM_WHY_TRBE_NO_TRBSR,

	/* What does the unit do? */
	AM_WHY_TRBE_FM,
	AM_WHY_TRBE_FM_RESERVED,
	AM_WHY_TRBE_TM,
	AM_WHY_TRBE_TM_RESERVED,
	AM_WHY_TRBE_DISABLED,
	AM_WHY_TRBE_ENABLED,
	AM_WHY_TRBE_STOPPED,
	AM_WHY_TRBE_RUNNING,
	AM_WHY_TRBE_OUT_OF_RANGE,
	AM_WHY_TRBE_MISALIGNED,
	AM_WHY_TRBE_ALIGNED,
	AM_WHY_TRBE_TRIGGERED,
	AM_WHY_TRBE_DRAINED,
	AM_WHY_TRBE_NO_FLUSH,
	AM_WHY_TRBE_BSC_RESERVED,
	AM_WHY_TRBE_IMPDEF_OFF,

	/* Faults and External aborts */
	AM_WHY_TRBE_FSC,
	AM_WHY_TRBE_FSC_RESERVED,
	AM_WHY_TRBE_NO_FAULT,
	AM_WHY_TRBE_NO_RME,
	AM_WHY_TRBE_ABORT_IGNORED,
	AM_WHY_TRBE_ABORT_SERROR,
	AM_WHY_TRBE_ABORT_NO_WALK,
	AM_WHY_TRBE_ABORT_V9P3,
	AM_WHY_TRBE_ABORT_POLICY,
	AM_WHY_TRBE_UNORDERED,
	AM_WHY_TRBE_ORDERED,

	/* Which range is a counter in, and what enables the range? */
	AM_WHY_PMU_NO_COUNTER,
	AM_WHY_PMU_EPMN_RESERVED,
	AM_WHY_PMU_HPMN_RESERVED,
	AM_WHY_PMU_RANGE_1,
	AM_WHY_PMU_RANGE_2,
	AM_WHY_PMU_RANGE_3,
	AM_WHY_PMU_E,
	AM_WHY_PMU_HPME,
	AM_WHY_PMU_EPME,

	/* Does a counter count? */
	AM_WHY_PMU_DEBUG,
	AM_WHY_PMU_CNTEN,
	AM_WHY_PMU_COUNTS,
	AM_WHY_PMU_UNATTRIBUTABLE,

	/* Is counting prohibited? */
	AM_WHY_PMU_RANGE_3_FREE,
	AM_WHY_PMU_NO_EL3,
	AM_WHY_PMU_NOT_SECURE,
	AM_WHY_PMU_SPME,
	AM_WHY_PMU_NO_SPME,
	AM_WHY_PMU_MPMX,
	AM_WHY_PMU_SUNIDEN,
	AM_WHY_PMU_HPMD,
	AM_WHY_PMU_AUTHENTICATED,

	/* What stops the cycle counter? */
	AM_WHY_PMU_SCCD,
	AM_WHY_PMU_HCCD,
	AM_WHY_PMU_MCCD,

	/* Is a range frozen? */
	AM_WHY_PMU_NOT_FROZEN,
	AM_WHY_PMU_FZO,
	AM_WHY_PMU_HPMFZO,
	AM_WHY_PMU_FZS,
	AM_WHY_PMU_HPMFZS,

	/* Does a filter exclude the event? */
	AM_WHY_PMU_FILTERED_EL0,
	AM_WHY_PMU_FILTERED_EL1,
	AM_WHY_PMU_FILTERED_EL2,
	AM_WHY_PMU_FILTERED_EL3,
	AM_WHY_PMU_VS_RESERVED,
	AM_WHY_PMU_VS,

	/* Where does a counter overflow, and who sees it? */
	AM_WHY_PMU_SHORT,
	AM_WHY_PMU_LONG_RANGE_3,
	AM_WHY_PMU_LONG_EBEP,
	AM_WHY_PMU_LP,
	AM_WHY_PMU_HLP,
	AM_WHY_PMU_LC,
	AM_WHY_PMU_LC_RES1,
	AM_WHY_PMU_LC_EBEP,
	AM_WHY_PMU_LONG_INSTRUCTIONS,
	AM_WHY_PMU_ODD,
	AM_WHY_PMU_CHAIN_RANGES,
	AM_WHY_PMU_CHAIN_FZO,
	AM_WHY_PMU_CHAIN,

	/* Is the PMU Profiling exception enabled, and for whom? */
	AM_WHY_PMU_NO_EBEP,
	AM_WHY_PMEE3,
	AM_WHY_PMEE3_RESERVED,
	AM_WHY_PMEE2,
	AM_WHY_PMEE2_RESERVED,
	AM_WHY_PMEE1_TGE,
	AM_WHY_PMEE1,
	AM_WHY_PMEE1_RESERVED,

	/* Is it masked, and is there one to take? */
	AM_WHY_PMU_DEBUG_MASKED,
	AM_WHY_PMU_ABOVE_TARGET,
	AM_WHY_PMU_EL2_DELEGATES,
	AM_WHY_PMU_KPME,
	AM_WHY_PMU_PM,
	AM_WHY_PMU_PPEND,
	AM_WHY_PMU_OVERFLOW,
	AM_WHY_PMU_NO_OVERFLOW,
	AM_WHY_PMU_FLAG,
	AM_WHY_PMU_OVERFLOW_SYNC,
	AM_WHY_PMU_INTEN,
	AM_WHY_PMU_NO_HALT,
	AM_WHY_PMU_PME,
	AM_WHY_PMU_NO_BRBE,
	AM_WHY_PMU_NO_FREEZE,

	/* Synchronous mode */
	AM_WHY_PMU_NO_SEBEP,
	AM_WHY_PMU_CYCLES_NOT_SYNC,
	AM_WHY_PMU_SYNC_CLEAR,
	AM_WHY_PMU_EVENT_NOT_SYNC,
	AM_WHY_PMU_SYNC,
	AM_WHY_PMU_SYNC_EVENT,
	AM_WHY_PMU_SYNC_IMPDEF,

	/* What does an instruction do to PSTATE.PPEND? */
	AM_WHY_PMU_RETURN_UNMASKS,
	AM_WHY_PMU_PENDS_NOTHING,
	AM_WHY_PMU_PENDS_EITHER,
	AM_WHY_PMU_PENDS,
	AM_WHY_PPEND_CASE,
	AM_WHY_PPEND_DEBUG_EXIT,

	AM_WHY_COUNT
};

/* A verdict for input that the architecture reserves or that cannot be; never an assertion */
#define AM_RESERVED	(-1)

/**
 * struct am_verdict - a decision and its reason
 * @is: the answer; each function says what it counts: a bool, an enum or an Exception level.
 *      AM_RESERVED where the input is reserved or impossible
 * @why: what decided
 * @detail: number that the reason's text speaks of: a counter, an Exception level, a field value
 */
struct am_verdict {
	int is;
	enum am_why why;
	unsigned int detail;
};

static inline struct am_verdict am_verdict(int is, enum am_why why)
{
	return (struct am_verdict){ .is = is, .why = why };
}

static inline struct am_verdict am_verdict_of(int is, enum am_why why, unsigned int detail)
{
	return (struct am_verdict){ .is = is, .why = why, .detail = detail };
}

#endif /* ARCH_MODEL_WHY_H */
