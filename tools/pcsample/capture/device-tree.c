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

/* False also for more than two cells: these are not a number alone, as the three of PCI */
static bool read_nr_cells(unsigned int *nr, const char *node, const char *property)
{
	u8 value[4];

	if (property_read(value, sizeof(value), "%s/%s", node, property) != sizeof(value))
		return false;
	*nr = cells_value(value, 1);
	return *nr == 1 || *nr == 2;
}

bool node_address(const char *node, u64 *address)
{
	unsigned int cells;
	u8 reg[16];

	if (!read_nr_cells(&cells, node, "../#address-cells") ||
	    property_read(reg, sizeof(reg), "%s/reg", node) < (int)(4 * cells))
		return false;
	*address = cells_value(reg, cells);
	return true;
}

/* As Linux does it: empty ranges are for buses that number as their parent, none for all others */
static bool to_parent(const char *bus, u64 *address)
{
	unsigned int child, parent, size, entry;
	u8 ranges[4096], *r;
	int len = property_read(ranges, sizeof(ranges), "%s/ranges", bus);
	u64 first;

	if (len <= 0)
		return !len;
	if (!read_nr_cells(&child, bus, "#address-cells") ||
	    !read_nr_cells(&parent, bus, "../#address-cells") ||
	    !read_nr_cells(&size, bus, "#size-cells"))
		return false;
	entry = 4 * (child + parent + size);
	for (r = ranges; r + entry <= ranges + len; r += entry) {
		first = cells_value(r, child);
		if (*address < first ||
		    *address - first >= cells_value(r + 4 * (child + parent), size))
			continue;
		*address += cells_value(r + 4 * child, parent) - first;
		return true;
	}
	return false;
}

bool node_translate(const char *root, const char *node, u64 *address)
{
	char tree[PATH_MAX], bus[PATH_MAX], *end;

	snprintf(tree, sizeof(tree), "%s" DEVICE_TREE, root);
	snprintf(bus, sizeof(bus), "%s", node);
	while ((end = strrchr(bus, '/'))) {
		*end = '\0';
		if (!strcmp(bus, tree))
			return true;
		if (!to_parent(bus, address))
			return false;
	}
	return false;
}
