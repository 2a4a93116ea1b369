/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layout of the external PMU block as far as PC sampling needs it: offsets and fields, no
 * behaviour. Arm DDI 0487 issue M.a.a, I5.2 (map), I5.3 (fields), H7.1 (Table H7-1, the block
 * without a PMU). Names are the manual's.
 *
 * The drivers, the tool and the emulated hardware all take the layout from here; what a read
 * *does* is written twice, once in arch-model and once in emulation, so that the two readings of
 * the manual can disagree in a test.
 */
#ifndef ARCH_MODEL_PMPCSR_REGS_H
#define ARCH_MODEL_PMPCSR_REGS_H

#include <arch-model/bits.h>

#define PCSR_BLOCK_SIZE			0x1000

/* Sample registers, EXT32 view (FEAT_PMUv3_EXT32): two words each where 64 bits wide */
#define PMPCSR_LO			0x200
#define PMPCSR_HI			0x204
#define PMCID1SR			0x208
#define PMVIDSR				0x20C
#define PMPCSR_ALIAS_LO			0x220
#define PMPCSR_ALIAS_HI			0x224
#define PMCID1SR_ALIAS			0x228
#define PMCID2SR			0x22C

/* Sample registers, EXT64 view (FEAT_PMUv3_EXT64): 64-bit registers */
#define PMPCSR				0x200
#define PMVCIDSR			0x208
#define PMPCSR_ALIAS			0x220
#define PMCCIDSR			0x228
#define PMDEVAFF			0xFA8

/* Control and identification */
#define PMCFGR				0xE00
#define PMPCSCTL			0xE50
#define PMDEVAFF0			0xFA8
#define PMDEVAFF1			0xFAC
#define PMLAR				0xFB0
#define PMLSR				0xFB4
#define PMAUTHSTATUS			0xFB8
#define PMDEVARCH			0xFBC
#define PMDEVID				0xFC8
#define PMDEVTYPE			0xFCC
#define PMPIDR4				0xFD0
#define PMPIDR0				0xFE0
#define PMPIDR1				0xFE4
#define PMPIDR2				0xFE8
#define PMPIDR3				0xFEC
#define PMCIDR0				0xFF0
#define PMCIDR1				0xFF4
#define PMCIDR2				0xFF8
#define PMCIDR3				0xFFC

/* PMPCSR */
#define PMPCSR_NS			BIT_ULL(63)
#define PMPCSR_EL			GENMASK_ULL(62, 61)
#define PMPCSR_NSE			BIT_ULL(59)		/* FEAT_RME, else RES0 */
#define PMPCSR_PC			GENMASK_ULL(55, 0)

/* PMPCSR[31:0] in Debug state, or where sampling is prohibited */
#define PMPCSR_LO_NONE			0xFFFFFFFFU

/* PMVIDSR; PMVCIDSR and PMCCIDSR join two 32-bit registers */
#define PMVIDSR_VMID			GENMASK_ULL(15, 0)
#define PMVCIDSR_CONTEXTIDR_EL1		GENMASK_ULL(31, 0)
#define PMVCIDSR_VMID			GENMASK_ULL(47, 32)
#define PMCCIDSR_CONTEXTIDR_EL1		GENMASK_ULL(31, 0)
#define PMCCIDSR_CONTEXTIDR_EL2		GENMASK_ULL(63, 32)

/* PMPCSCTL (FEAT_PCSRv8p9) */
#define PMPCSCTL_EN			BIT_ULL(0)
#define PMPCSCTL_IMP			BIT_ULL(1)
#define PMPCSCTL_SS			BIT_ULL(4)

/* PMDEVID */
#define PMDEVID_PCSAMPLE		GENMASK_ULL(3, 0)
#define PMDEVID_PCSAMPLE_NONE		0
#define PMDEVID_PCSAMPLE_V8P2		1
#define PMDEVID_PCSAMPLE_V8P9		2
#define PMDEVID_PMSS			GENMASK_ULL(7, 4)
#define PMDEVID_PMSS_V3			1		/* FEAT_PMUv3_SS */

/* PMDEVARCH */
#define PMDEVARCH_ARCHITECT		GENMASK_ULL(31, 21)
#define PMDEVARCH_ARCHITECT_ARM		0x23B
#define PMDEVARCH_PRESENT		BIT_ULL(20)
#define PMDEVARCH_REVISION		GENMASK_ULL(19, 16)
#define PMDEVARCH_ARCHVER		GENMASK_ULL(15, 12)
#define PMDEVARCH_ARCHVER_PCSRV8P2	0	/* of the parts without a PMU */
#define PMDEVARCH_ARCHVER_PMUV3		2
#define PMDEVARCH_ARCHPART		GENMASK_ULL(11, 0)
#define PMDEVARCH_ARCHPART_PCS32	0xA10	/* PC sampling only, EXT32 */
#define PMDEVARCH_ARCHPART_PCS64	0xA20	/* PC sampling only, EXT64 */
#define PMDEVARCH_ARCHPART_PMU32	0xA16	/* PMUv3, EXT32 */
#define PMDEVARCH_ARCHPART_PMU64	0xA26	/* PMUv3, EXT64 */

/* PMDEVTYPE */
#define PMDEVTYPE_SUB			GENMASK_ULL(7, 4)
#define PMDEVTYPE_MAJOR			GENMASK_ULL(3, 0)
#define PMDEVTYPE_PCS			0x10	/* of a PE; PC sampling only */
#define PMDEVTYPE_PMU			0x16	/* of a PE; PMU */

/* PMCIDR0 to PMCIDR3, bits [7:0] of each: the preamble and class 9, a CoreSight component */
#define CORESIGHT_CIDR			0xB105900DU

/* PMDEVAFF0/1: a copy of MPIDR_EL1 */
#define PMDEVAFF_AFF			(GENMASK_ULL(39, 32) | GENMASK_ULL(23, 0))

/* Software lock */
#define PMLAR_KEY			0xC5ACCE55U
#define PMLSR_SLI			BIT_ULL(0)	/* lock implemented */
#define PMLSR_SLK			BIT_ULL(1)	/* locked */
#define PMLSR_NTT			BIT_ULL(2)	/* RES0: 32-bit access to PMLAR */

/* PMAUTHSTATUS: non-invasive fields, two bits each */
#define PMAUTHSTATUS_NSNID		GENMASK_ULL(3, 2)
#define PMAUTHSTATUS_SNID		GENMASK_ULL(7, 6)
#define PMAUTHSTATUS_RLNID		GENMASK_ULL(15, 14)
#define PMAUTHSTATUS_RTNID		GENMASK_ULL(27, 26)
#define PMAUTHSTATUS_NOT_IMPLEMENTED	0
#define PMAUTHSTATUS_DISABLED		2
#define PMAUTHSTATUS_ENABLED		3

#endif /* ARCH_MODEL_PMPCSR_REGS_H */
