// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "capture/device-tree.h"

int property_read(void *value, size_t size, const char *format, ...)
{
	char path[PATH_MAX];
	int len = -1;
	va_list ap;
	FILE *f;

	va_start(ap, format);
	vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	f = fopen(path, "re");
	if (f) {
		len = fread(value, 1, size, f);
		fclose(f);
	}
	return len;
}

bool property_has(const char *path, const char *wanted)
{
	char text[512];
	int len = property_read(text, sizeof(text) - 1, "%s", path), at;

	if (len < 0)
		return false;
	text[len] = '\0';
	for (at = 0; at < len; at += strlen(text + at) + 1)
		if (!strcmp(text + at, wanted))
			return true;
	return false;
}

u64 cells_value(const u8 *value, unsigned int nr)
{
	u64 number = 0;
	unsigned int i;

	for (i = 0; i < 4 * nr; i++)
		number = number << 8 | value[i];
	return number;
}

int node_cpu(const char *root, const char *node, const struct cpus *among)
{
	u8 wanted[4], phandle[4];
	int cpu;

	if (property_read(wanted, sizeof(wanted), "%s/cpu", node) != sizeof(wanted))
		return -1;
	cpus_for_each(cpu, among)
		if (property_read(phandle, sizeof(phandle),
				  "%s/sys/devices/system/cpu/cpu%d/of_node/phandle", root, cpu) ==
		    sizeof(phandle) && !memcmp(phandle, wanted, sizeof(phandle)))
			return cpu;
	return -1;
}

bool node_address(const char *node, u64 *address)
{
	u8 reg[16], nr[4];
	u64 cells;

	if (property_read(nr, sizeof(nr), "%s/../#address-cells", node) != sizeof(nr))
		return false;
	cells = cells_value(nr, 1);
	if (cells < 1 || cells > 2 ||
	    property_read(reg, sizeof(reg), "%s/reg", node) < (int)(4 * cells))
		return false;
	*address = cells_value(reg, cells);
	return true;
}
