/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LINUX_MOD_DEVICETABLE_H
#define LINUX_MOD_DEVICETABLE_H

struct amba_id {
	unsigned int id;
	unsigned int mask;
	void *data;
};

#endif /* LINUX_MOD_DEVICETABLE_H */
