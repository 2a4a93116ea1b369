/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of the Trace Buffer Extension's System registers and of the trace filter registers.
 * Arm DDI 0487 M.a.a, D24.4. Layout only. The names leave out _EL1 where the registers of all
 * Exception levels have the field.
 */
#ifndef ARCH_MODEL_TRBE_REGS_H
#define ARCH_MODEL_TRBE_REGS_H

#include <arch-model/bits.h>

/* TRBLIMITR_EL1 */
#define TRBLIMITR_E			BIT_ULL(0)
#define TRBLIMITR_FM			GENMASK_ULL(2, 1)
#define TRBLIMITR_FM_FILL		0
#define TRBLIMITR_FM_WRAP		1
#define TRBLIMITR_FM_CIRCULAR		3
#define TRBLIMITR_TM			GENMASK_ULL(4, 3)
#define TRBLIMITR_TM_STOP		0
#define TRBLIMITR_TM_IRQ		1
#define TRBLIMITR_TM_IGNORE		3
#define TRBLIMITR_NVM			BIT_ULL(5)
#define TRBLIMITR_XE			BIT_ULL(6)		/* FEAT_TRBE_EXT */
#define TRBLIMITR_LIMIT			GENMASK_ULL(63, 12)

/* TRBBASER_EL1 */
#define TRBBASER_BASE			GENMASK_ULL(63, 12)

/* TRBTRG_EL1 */
#define TRBTRG_TRG			GENMASK_ULL(31, 0)

/* TRBIDR_EL1 */
#define TRBIDR_ALIGN			GENMASK_ULL(3, 0)	/* log2 of bytes */
#define TRBIDR_P			BIT_ULL(4)
#define TRBIDR_F			BIT_ULL(5)

/* TRBSR_EL1, TRBSR_EL2, TRBSR_EL3 */
#define TRBSR_MSS			GENMASK_ULL(15, 0)
#define TRBSR_BSC			GENMASK_ULL(5, 0)	/* EC == OTHER */
#define TRBSR_BSC_NOT_STOPPED		0		/* or access not allowed */
#define TRBSR_BSC_FILLED		1
#define TRBSR_BSC_TRIGGER		2
#define TRBSR_BSC_MANUAL		3		/* FEAT_TRBE_EXT */
#define TRBSR_BSC_SIZE			4
#define TRBSR_FSC			GENMASK_ULL(5, 0)	/* EC == STAGE1, STAGE2 */
#define TRBSR_S				BIT_ULL(17)
#define TRBSR_EA			BIT_ULL(18)		/* until Armv9.3 */
#define TRBSR_WRAP			BIT_ULL(20)
#define TRBSR_TRG			BIT_ULL(21)
#define TRBSR_IRQ			BIT_ULL(22)
#define TRBSR_DAT			BIT_ULL(23)		/* FEAT_TRBE_EXT, external view */
#define TRBSR_EC			GENMASK_ULL(31, 26)
#define TRBSR_EC_OTHER			0x00
#define TRBSR_EC_GPC			0x1E
#define TRBSR_EC_IMPDEF			0x1F
#define TRBSR_EC_STAGE1			0x24
#define TRBSR_EC_STAGE2			0x25
#define TRBSR_MSS2			GENMASK_ULL(55, 32)
#define TRBSR_DIRTYBIT			BIT_ULL(37)
#define TRBSR_OVERLAY			BIT_ULL(38)
#define TRBSR_ASSUREDONLY		BIT_ULL(39)
#define TRBSR_TOPLEVEL			BIT_ULL(40)

/* TRFCR_EL1, TRFCR_EL2 */
#define TRFCR_EE			GENMASK_ULL(9, 8)
#define TRFCR_KE			BIT_ULL(10)
#define TRFCR_DNVM			BIT_ULL(11)		/* TRFCR_EL2 */

#endif /* ARCH_MODEL_TRBE_REGS_H */
