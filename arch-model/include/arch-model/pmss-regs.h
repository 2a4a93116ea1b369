/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layout of PMU snapshots in the external PMU block: offsets and fields, no behaviour.
 *
 * FEAT_PMUv3_SS: Arm DDI 0487 M.a.a, I5.2 and I5.3. Before that feature Cortex-A55 to A78 and the
 * Neoverse cores of their generation have IMPLEMENTATION DEFINED snapshots at the same offsets with
 * another layout, and A72 some of them: the Technical Reference Manuals Arm 100442 (A55), 100798
 * (A76), 101779 (A78AE), 100095 (A72). No ID register tells them: a part number does.
 */
#ifndef ARCH_MODEL_PMSS_REGS_H
#define ARCH_MODEL_PMSS_REGS_H

#include <arch-model/bits.h>

/* FEAT_PMUv3_SS; in the EXT32 view two words each. The PC is in PMPCSR, with PMPCSCTL.SS = 1 */
#define PMEVCNTSVR(n)			(0x600 + 8 * (n))
#define PMCCNTSVR			0x6F8
#define PMICNTSVR			0x700
#define PMSSCR				0xE30

/* PMSSCR_EL1 */
#define PMSSCR_SS			BIT_ULL(0)	/* write 1: capture; reads 1 until done */
#define PMSSCR_NC			BIT_ULL(32)	/* nothing was captured */

/* IMPLEMENTATION DEFINED snapshots: words */
#define PMPCSSR_LO			0x600		/* fields as PMPCSR, no side effect */
#define PMPCSSR_HI			0x604
#define PMCIDSSR			0x608		/* CONTEXTIDR_EL1 */
#define PMCID2SSR			0x60C		/* CONTEXTIDR_EL2 */
#define PMSSSR				0x610
#define PMOVSSR				0x614
#define PMCCNTSR_LO			0x618
#define PMCCNTSR_HI			0x61C
#define PMEVCNTSR(n)			(0x620 + 4 * (n))	/* 32 bits each */
#define PMSSCR_IMPDEF			0x6F0		/* write only */

/* PMSSSR: 1 after Warm reset, overwritten by the first capture; about the counters alone */
#define PMSSSR_NC			BIT_ULL(0)
#define PMSSCR_IMPDEF_SS		BIT_ULL(0)

#endif /* ARCH_MODEL_PMSS_REGS_H */
