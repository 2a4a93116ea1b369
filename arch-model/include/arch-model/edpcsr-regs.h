/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layout of the external debug block as far as PC sampling needs it (FEAT_PCSRv8): offsets and
 * fields, no behaviour. Arm DDI 0487 M.a.a, H9.2. All registers are accessed as words.
 */
#ifndef ARCH_MODEL_EDPCSR_REGS_H
#define ARCH_MODEL_EDPCSR_REGS_H

#include <arch-model/bits.h>

#define EDSCR				0x088
#define EDPCSR_LO			0x0A0
#define EDCIDSR				0x0A4
#define EDVIDSR				0x0A8
#define EDPCSR_HI			0x0AC	/* not next to the low word */
#define OSLAR				0x300	/* OSLAR_EL1: bit 0 is the OS Lock, no key */
#define EDPRCR				0x310
#define EDPRSR				0x314
#define EDDEVAFF0			0xFA8
#define EDDEVAFF1			0xFAC
#define EDLAR				0xFB0
#define EDLSR				0xFB4
#define DBGAUTHSTATUS			0xFB8	/* DBGAUTHSTATUS_EL1; fields as PMAUTHSTATUS */
#define EDDEVARCH			0xFBC
#define EDDEVID1			0xFC4
#define EDDEVID				0xFC8
#define EDDEVTYPE			0xFCC

/* EDSCR */
#define EDSCR_SC2			BIT_ULL(19)	/* EL2 and FEAT_Debugv8p1, else RES0 */

/* EDPRSR: bits that decide whether the Core power domain registers answer */
#define EDPRSR_PU			BIT_ULL(0)
#define EDPRSR_HALTED			BIT_ULL(4)
#define EDPRSR_OSLK			BIT_ULL(5)
#define EDPRSR_DLK			BIT_ULL(6)

/* EDPRCR, without FEAT_DoPD; with it COREPURQ is not there */
#define EDPRCR_CORENPDRQ		BIT_ULL(0)
#define EDPRCR_COREPURQ			BIT_ULL(3)

/* EDPCSR high word, EDSCR.SC2 == 1 */
#define EDPCSR_HI_PC			GENMASK_ULL(23, 0)
#define EDPCSR_HI_EL			GENMASK_ULL(30, 29)
#define EDPCSR_HI_NS			BIT_ULL(31)

/* EDVIDSR, EDSCR.SC2 == 0; with SC2 == 1 the register is CONTEXTIDR_EL2 */
#define EDVIDSR_VMID			GENMASK_ULL(15, 0)	/* [15:8]: FEAT_VMID16 */
#define EDVIDSR_HV			BIT_ULL(28)
#define EDVIDSR_E3			BIT_ULL(29)	/* EL3 using AArch64 */
#define EDVIDSR_E2			BIT_ULL(30)
#define EDVIDSR_NS			BIT_ULL(31)

/* EDPCSR[31:0] in Debug state, or where sampling is prohibited */
#define EDPCSR_LO_NONE			0xFFFFFFFFU

/* EDDEVID */
#define EDDEVID_PCSAMPLE		GENMASK_ULL(3, 0)
#define EDDEVID_PCSAMPLE_NONE		0
#define EDDEVID_PCSAMPLE_PC		1	/* Armv7.1: only the PC; reserved since Armv8 */
#define EDDEVID_PCSAMPLE_PC_CID		2
#define EDDEVID_PCSAMPLE_PC_CID_VID	3

#define EDDEVID_DEBUGPOWER		GENMASK_ULL(7, 4)
#define EDDEVID_DEBUGPOWER_DOPD		1	/* FEAT_DoPD */

/* EDDEVID1: the Armv7.1 values are those of DBGDEVID1 */
#define EDDEVID1_PCSROFFSET		GENMASK_ULL(3, 0)
#define EDDEVID1_PCSROFFSET_ISA		0	/* Armv7: offset, ISA in [1:0]; Armv8: no EDPCSR */
#define EDDEVID1_PCSROFFSET_NONE_ISA	1	/* Armv7.1: no offset, ISA in [1:0] */
#define EDDEVID1_PCSROFFSET_NONE	2	/* no offset, no ISA */

/* EDDEVARCH, EDDEVTYPE: fields as PMDEVARCH, PMDEVTYPE */
#define EDDEVARCH_ARCHPART_DEBUG	0xA15
#define EDDEVARCH_ARCHVER_V8		6
#define EDDEVARCH_ARCHVER_V8P1		7	/* FEAT_Debugv8p1 */
#define EDDEVARCH_ARCHVER_V8P2		8	/* FEAT_Debugv8p2: no FEAT_PCSRv8 any more */
#define EDDEVARCH_ARCHVER_V8P9		0xB	/* FEAT_Debugv8p9 */
#define EDDEVTYPE_DEBUG			0x15

/* OSLSR_EL1 */
#define OSLSR_OSLK			BIT_ULL(1)

/* EDLSR, as PMLSR */
#define EDLSR_SLI			BIT_ULL(0)
#define EDLSR_SLK			BIT_ULL(1)

#endif /* ARCH_MODEL_EDPCSR_REGS_H */
