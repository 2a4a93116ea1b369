// SPDX-License-Identifier: GPL-2.0-only
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/text-file.h"
#include "capture/blocks.h"
#include "capture/device-tree.h"

#define CPUS		"/sys/devices/system/cpu"
#define ACPI_BLOCKS	"/sys/bus/acpi/devices/ARMHC503:*"
#define BY_HAND		"/sys/module/arm_pcsample/parameters/blocks"
#define BY_HAND_DEVICES	"/sys/bus/platform/devices/arm_pcsample.*.auto"
#define BY_HAND_DRIVER	"/sys/bus/platform/drivers/arm_pcsample"

/* The drivers that take such blocks, by their names on the bus that the device is of */
static const struct {
	const char *folder;
	const char *name;
} drivers[] = {
	{ "/sys/bus/amba/drivers/arm_pcsample", "arm_pcsample" },
	{ BY_HAND_DRIVER, "arm_pcsample" },
	{ "/sys/bus/amba/drivers/coresight-cpu-debug", "coresight-cpu-debug" },
	{ "/sys/bus/platform/drivers/coresight-debug-platform", "coresight-cpu-debug" },
};

/* In static memory, as nftw(3) passes no argument on */
static struct {
	const char *root;
	struct cpus present;
	struct block *b;
	unsigned int nr, max;
} search;

static struct block *add(enum pcs_node node, const char *name)
{
	struct block *b;

	if (search.nr == search.max)
		return NULL;
	b = &search.b[search.nr++];
	*b = (struct block){ .node = node, .cpu = -1 };
	snprintf(b->name, sizeof(b->name), "%s", name);
	return b;
}

/* The same file, by whatever path */
static bool is_same(const char *one, const char *other)
{
	struct stat a, b;

	return !stat(one, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool has_device_of(const char *folder, const char *node)
{
	char pattern[PATH_MAX];
	bool has = false;
	glob_t found;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s%s/*/of_node", search.root, folder);
	if (glob(pattern, 0, NULL, &found))
		return false;
	for (i = 0; i < found.gl_pathc && !has; i++)
		has = is_same(found.gl_pathv[i], node);
	globfree(&found);
	return has;
}

static const char *driver_of_node(const char *node)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(drivers); i++)
		if (has_device_of(drivers[i].folder, node))
			return drivers[i].name;
	return NULL;
}

static bool samples_by_debug(int cpu)
{
	char text[512];
	int len = property_read(text, sizeof(text), "%s" CPUS "/cpu%d/of_node/compatible",
				search.root, cpu);

	return pcs_match_core(text, len);
}

static bool is_disabled(const char *node)
{
	char path[PATH_MAX + sizeof("/status")];

	snprintf(path, sizeof(path), "%s/status", node);
	return sysfs_exists("%s", path) && !property_has(path, "okay") && !property_has(path, "ok");
}

static int look_at_node(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	char text[512], node[PATH_MAX];
	struct block *b;
	enum pcs_node kind;

	if (type != FTW_F || strcmp(path + ftw->base, "compatible"))
		return 0;
	kind = pcs_match_node(text, property_read(text, sizeof(text), "%s", path));
	if (kind == PCS_NODE_NONE)
		return 0;
	snprintf(node, sizeof(node), "%.*s", ftw->base - 1, path);
	b = add(kind, strrchr(node, '/') + 1);
	if (!b)
		return 1;
	b->cpu = node_cpu(search.root, node, &search.present);
	b->has_address = node_address(node, &b->address);
	b->disabled = is_disabled(node);
	b->driver = driver_of_node(node);
	if (kind == PCS_NODE_PMU)
		b->registers = "FEAT_PCSRv8p2";
	else if (b->cpu >= 0 && samples_by_debug(b->cpu))
		b->registers = "FEAT_PCSRv8";
	return 0;
}

/* The ACPI device of a block is below that of its CPU. */
static int acpi_cpu(const char *device)
{
	int cpu;

	cpus_for_each(cpu, &search.present)
		if (sysfs_exists("%s" CPUS "/cpu%d/firmware_node/%s", search.root, cpu, device))
			return cpu;
	return -1;
}

static const char *driver_of_acpi(const char *device)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(drivers); i++)
		if (sysfs_exists("%s%s/%s", search.root, drivers[i].folder, device))
			return drivers[i].name;
	return NULL;
}

static void find_acpi(void)
{
	char pattern[PATH_MAX];
	glob_t found;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s" ACPI_BLOCKS, search.root);
	if (glob(pattern, 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++) {
		struct block *b = add(PCS_NODE_DEBUG, strrchr(found.gl_pathv[i], '/') + 1);

		if (!b)
			break;
		b->acpi = true;
		b->cpu = acpi_cpu(b->name);
		b->driver = driver_of_acpi(b->name);
	}
	globfree(&found);
}

static int by_number(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	size_t at = strrchr(x, '/') + sizeof("arm_pcsample.") - x;

	return atoi(x + at) - atoi(y + at);
}

/*
 * The devices of the parameter's blocks, in its order: the driver makes them one after the other,
 * and the bus numbers them. The driver has those that it has not refused.
 */
static void find_devices_by_hand(glob_t *devices)
{
	char pattern[PATH_MAX];

	snprintf(pattern, sizeof(pattern), "%s" BY_HAND_DEVICES, search.root);
	if (glob(pattern, 0, NULL, devices))
		devices->gl_pathc = 0;
	else
		qsort(devices->gl_pathv, devices->gl_pathc, sizeof(*devices->gl_pathv), by_number);
}

static const char *driver_by_hand(const glob_t *devices, size_t n)
{
	if (n < devices->gl_pathc &&
	    sysfs_exists("%s" BY_HAND_DRIVER "%s", search.root, strrchr(devices->gl_pathv[n], '/')))
		return "arm_pcsample";
	return NULL;
}

static void find_by_hand(void)
{
	char text[8192], *rest = text, *place, *at;
	glob_t devices = { 0 };
	size_t n = 0;

	if (sysfs_read(text, sizeof(text), "%s" BY_HAND, search.root) <= 0)
		return;
	find_devices_by_hand(&devices);
	for (; (place = strsep(&rest, ",")); n++) {
		struct block *b;

		at = strchr(place, '@');
		b = at ? add(PCS_NODE_BY_HAND, "blocks=") : NULL;
		if (!b)
			continue;
		b->cpu = atoi(place);
		b->address = strtoull(at + 1, NULL, 16);
		b->has_address = true;
		b->driver = driver_by_hand(&devices, n);
	}
	globfree(&devices);
}

static int by_cpu(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return strcmp(x->name, y->name);
}

unsigned int blocks_find(const char *root, struct block *b, unsigned int max)
{
	char path[PATH_MAX], list[CPUS_TEXT_MAX];

	search.root = root;
	search.b = b;
	search.nr = 0;
	search.max = max;
	if (sysfs_read(list, sizeof(list), "%s" CPUS "/present", root) < 0 ||
	    cpus_parse(&search.present, list))
		memset(&search.present, 0, sizeof(search.present));
	snprintf(path, sizeof(path), "%s" DEVICE_TREE, root);
	nftw(path, look_at_node, 16, FTW_PHYS);
	find_acpi();
	find_by_hand();
	qsort(b, search.nr, sizeof(*b), by_cpu);
	return search.nr;
}

const char *block_kind(const struct block *b)
{
	switch (b->node) {
	case PCS_NODE_PMU:
		return "external PMU block";
	case PCS_NODE_DEBUG:
		return "external debug block";
	default:
		return "external PMU or debug block";
	}
}
