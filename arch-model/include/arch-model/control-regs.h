/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of the control registers of EL2 and EL3 that trace, sampling and counting share.
 * Arm DDI 0487 M.a.a, D24.2 and D24.3; the AArch32 registers G8.3. Layout only.
 *
 * HDCR is MDCR_EL2[31:0]. SDCR and SCR have the fields they share with MDCR_EL3 and SCR_EL3 in
 * the same bits, so the model reads either through one name.
 *
 * For code that does not see <asm/sysreg.h>: Linux defines some of these names itself.
 */
#ifndef ARCH_MODEL_CONTROL_REGS_H
#define ARCH_MODEL_CONTROL_REGS_H

#ifdef __ASM_SYSREG_H
#error "kernel code takes the layout of System registers from <asm/sysreg.h>"
#endif

#include <arch-model/bits.h>

/* SCR_EL3, SCR */
#define SCR_EL3_NS			BIT_ULL(0)
#define SCR_EL3_EA			BIT_ULL(3)
#define SCR_EL3_EEL2			BIT_ULL(18)
#define SCR_EL3_GPF			BIT_ULL(48)
#define SCR_EL3_NSE			BIT_ULL(62)

/* HCR_EL2 */
#define HCR_EL2_TGE			BIT_ULL(27)
#define HCR_EL2_E2H			BIT_ULL(34)
#define HCR_EL2_TEA			BIT_ULL(37)
#define HCR_EL2_GPF			BIT_ULL(48)

/* MDCR_EL2, HDCR */
#define MDCR_EL2_HPMN			GENMASK_ULL(4, 0)
#define MDCR_EL2_HPME			BIT_ULL(7)
#define MDCR_EL2_HPMD			BIT_ULL(17)
#define MDCR_EL2_HCCD			BIT_ULL(23)
#define MDCR_EL2_E2TB			GENMASK_ULL(25, 24)
#define MDCR_EL2_HLP			BIT_ULL(26)
#define MDCR_EL2_HPMFZO			BIT_ULL(29)
#define MDCR_EL2_PMSSE			GENMASK_ULL(31, 30)
#define MDCR_EL2_HPMFZS			BIT_ULL(36)
#define MDCR_EL2_PMEE			GENMASK_ULL(41, 40)

/* MDCR_EL3, SDCR */
#define MDCR_EL3_SPME			BIT_ULL(17)
#define MDCR_EL3_SCCD			BIT_ULL(23)
#define MDCR_EL3_NSTB			GENMASK_ULL(25, 24)
#define MDCR_EL3_NSTBE			BIT_ULL(26)
#define MDCR_EL3_PMSSE			GENMASK_ULL(31, 30)
#define MDCR_EL3_MCCD			BIT_ULL(34)
#define MDCR_EL3_MPMX			BIT_ULL(35)
#define MDCR_EL3_PMEE			GENMASK_ULL(41, 40)
#define MDCR_EL3_PMSEE			GENMASK_ULL(52, 51)
#define MDCR_EL3_TRBEE			GENMASK_ULL(54, 53)

/* SDER32_EL3, SDER */
#define SDER_SUNIDEN			BIT_ULL(1)

/* Two-bit controls that decide or pass on: TRBEE, PMEE, PMSSE and TRFCR_EL2.EE */
#define AM_CTL_OFF			0
#define AM_CTL_DELEGATE			1
#define AM_CTL_OWN			2
#define AM_CTL_ON			3

#endif /* ARCH_MODEL_CONTROL_REGS_H */
