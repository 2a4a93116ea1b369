// SPDX-License-Identifier: GPL-2.0-only
/*
 * By what the AMBA bus tells the external debug blocks of the cores that match.c has.
 */
#include <linux/amba/bus.h>
#include <linux/module.h>

#include <arch-model/edpcsr-regs.h>

#include "arm_pcsample.h"

/* The peripheral ID without the revision, PIDR2[3:0]:PIDR1:PIDR0: designer and part number */
#define PCS_ID_MASK		0x000FFFFF
#define PCS_ID_ARM(part)	(0x000BB000 | (part))
#define PCS_ID_QUALCOMM(part)	(0x000F0000 | (part))

#define PCS_AMBA_ID(peripheral)	{ .id = (peripheral), .mask = PCS_ID_MASK }

/*
 * Where all CoreSight components of a core have one part number, DEVARCH and DEVTYPE must tell that
 * the component is the debug block. So it is with Kryo, and with Arm's cores from Cortex-A55 on.
 */
static struct amba_cs_uci_id pcs_debug_uci = {
	.devarch = 0x47700A15,		/* Armv8 debug, of any version */
	.devarch_mask = 0xFFF00FFF,
	.devtype = EDDEVTYPE_DEBUG,
};

#define PCS_AMBA_UCI(peripheral) \
	{ .id = (peripheral), .mask = PCS_ID_MASK, .data = &pcs_debug_uci }

const struct amba_id pcs_amba_ids[] = {
	PCS_AMBA_ID(PCS_ID_ARM(0xD04)),		/* Cortex-A35 */
	PCS_AMBA_ID(PCS_ID_ARM(0xD03)),		/* Cortex-A53 */
	PCS_AMBA_ID(PCS_ID_ARM(0xD07)),		/* Cortex-A57 */
	PCS_AMBA_ID(PCS_ID_ARM(0xD08)),		/* Cortex-A72 */
	PCS_AMBA_ID(PCS_ID_ARM(0xD09)),		/* Cortex-A73 */
	PCS_AMBA_UCI(PCS_ID_QUALCOMM(0x205)),	/* Kryo */
	PCS_AMBA_UCI(PCS_ID_QUALCOMM(0x211)),
	{}
};
MODULE_DEVICE_TABLE(amba, pcs_amba_ids);
