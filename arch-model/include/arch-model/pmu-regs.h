/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of the Performance Monitors registers, of the Profiling exception's controls and
 * syndrome, and of the Statistical Profiling registers that freeze counters.
 * Arm DDI 0487 M.a.a, D24.5, D24.7, D24.2.45, I5.3. Layout only.
 */
#ifndef ARCH_MODEL_PMU_REGS_H
#define ARCH_MODEL_PMU_REGS_H

#include <arch-model/bits.h>

/* PMEVTYPER<n>_EL0, n = 0 to 30 */
#define PMU_MAX_EVENT_COUNTERS		31

/* PMCR_EL0, PMCR */
#define PMCR_E				BIT_ULL(0)
#define PMCR_D				BIT_ULL(3)
#define PMCR_DP				BIT_ULL(5)
#define PMCR_LC				BIT_ULL(6)
#define PMCR_LP				BIT_ULL(7)
#define PMCR_FZO			BIT_ULL(9)
#define PMCR_N				GENMASK_ULL(15, 11)
#define PMCR_FZS			BIT_ULL(32)

/* PMECR_EL1 */
#define PMECR_PMEE			GENMASK_ULL(1, 0)
#define PMECR_KPME			BIT_ULL(2)
#define PMECR_SSE			GENMASK_ULL(4, 3)

/* PMIAR_EL1 */
#define PMIAR_ADDRESS			GENMASK_ULL(63, 2)	/* bits [1:0] are RES0 */

/* PMEVTYPER<n>_EL0, PMCCFILTR_EL0, PMICFILTR_EL0 */
#define PMEVTYPER_EVTCOUNT		GENMASK_ULL(15, 0)
#define PMEVTYPER_RLH			BIT_ULL(20)
#define PMEVTYPER_RLU			BIT_ULL(21)
#define PMEVTYPER_RLK			BIT_ULL(22)
#define PMEVTYPER_SH			BIT_ULL(24)
#define PMEVTYPER_M			BIT_ULL(26)
#define PMEVTYPER_NSH			BIT_ULL(27)
#define PMEVTYPER_NSU			BIT_ULL(28)
#define PMEVTYPER_NSK			BIT_ULL(29)
#define PMEVTYPER_U			BIT_ULL(30)
#define PMEVTYPER_P			BIT_ULL(31)
#define PMEVTYPER_VS			GENMASK_ULL(57, 56)	/* FEAT_PMUv3_SME */
#define PMEVTYPER_SYNC			BIT_ULL(58)		/* FEAT_SEBEP; not PMCCFILTR_EL0 */

/* PMCCR (FEAT_PMUv3_EXTPMN) */
#define PMCCR_EPMN			GENMASK_ULL(4, 0)
#define PMCCR_EPME			BIT_ULL(7)
#define PMCCR_OSLO			BIT_ULL(8)

/* EDECR */
#define EDECR_PME			BIT_ULL(4)

/* PMBLIMITR_EL1, PMBSR_ELx, PMSCR_EL2 */
#define PMBLIMITR_E			BIT_ULL(0)
#define PMBLIMITR_PMFZ			BIT_ULL(5)
#define PMBSR_S				BIT_ULL(17)
#define PMSCR_EE			GENMASK_ULL(9, 8)	/* FEAT_SPE_EXC */

/* SPSR_ELx, DSPSR_EL0; DSPSR2 holds bits [63:32] */
#define SPSR_M_EL			GENMASK_ULL(3, 2)
#define SPSR_M_AA32			BIT_ULL(4)
#define SPSR_PM				BIT_ULL(32)
#define SPSR_PPEND			BIT_ULL(33)
#define DSPSR2_PPEND			BIT_ULL(1)

/* ESR_ELx of a Profiling exception */
#define ESR_EC				GENMASK_ULL(31, 26)
#define ESR_EC_PROFILING		0x3D
#define ESR_PROFILING_FSC		GENMASK_ULL(5, 1)
#define ESR_PROFILING_SYNC		BIT_ULL(0)

#endif /* ARCH_MODEL_PMU_REGS_H */
