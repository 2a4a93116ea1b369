/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a driver tells the AMBA bus of its devices, as the kernel's <linux/amba/bus.h> has it
 */
#ifndef LINUX_AMBA_BUS_H
#define LINUX_AMBA_BUS_H

struct amba_cs_uci_id {
	unsigned int devarch;
	unsigned int devarch_mask;
	unsigned int devtype;
	void *data;
};

#endif /* LINUX_AMBA_BUS_H */
