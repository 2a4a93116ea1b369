// SPDX-License-Identifier: GPL-2.0-only
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "capture/candidates.h"

#define TREE		"/sys/firmware/devicetree/base"
#define CPUS		"/sys/devices/system/cpu"
#define TRACE_UNIT	"arm,coresight-etm4x"

/* Offsets in the map of one core */
#define CORE_SIZE	0x100000
#define DEBUG_AT	0x10000
#define PMU_AT		0x30000
#define TRACE_AT	0x40000

/* Cores whose debug block samples; from FEAT_PCSRv8p2 on it is the PMU block */
static const char *const debug_cores[] = {
	"arm,cortex-a35", "arm,cortex-a53", "arm,cortex-a57", "arm,cortex-a72", "arm,cortex-a73",
	"qcom,kryo",
};

/* In static memory, as nftw(3) passes no argument on */
static struct {
	const char *root;
	const struct cpus *without;
	struct candidate *c;
	unsigned int nr, max;
} search;

/* Read the bytes of a property, which need not be a text. Return: its length or -1 */
static int property(u8 *value, size_t size, const char *path)
{
	FILE *f = fopen(path, "re");
	int len = -1;

	if (f) {
		len = fread(value, 1, size, f);
		fclose(f);
	}
	return len;
}

/* The number in @nr cells, one or two, at @value */
static u64 cells(const u8 *value, unsigned int nr)
{
	u64 number = 0;
	unsigned int i;

	for (i = 0; i < 4 * nr; i++)
		number = number << 8 | value[i];
	return number;
}

bool property_has(const char *path, const char *wanted)
{
	char text[512];
	int len = property((u8 *)text, sizeof(text) - 1, path), at;

	if (len < 0)
		return false;
	text[len] = '\0';
	for (at = 0; at < len; at += strlen(text + at) + 1)
		if (!strcmp(text + at, wanted))
			return true;
	return false;
}

/* The CPU of a trace unit; false if it names none that lacks a block */
static bool find_cpu(const char *node, int len, unsigned int *cpu)
{
	u8 wanted[4], phandle[4];
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.*s/cpu", len, node);
	if (property(wanted, sizeof(wanted), path) != sizeof(wanted))
		return false;
	for (*cpu = 0; *cpu < CPUS_MAX; (*cpu)++) {
		if (!cpus_has(search.without, *cpu))
			continue;
		snprintf(path, sizeof(path), "%s" CPUS "/cpu%u/of_node/phandle", search.root, *cpu);
		if (property(phandle, sizeof(phandle), path) == sizeof(phandle) &&
		    !memcmp(phandle, wanted, sizeof(phandle)))
			return true;
	}
	return false;
}

/* Address of a node; false if it has none at which a trace unit would be */
static bool find_address(const char *node, int len, u64 *address)
{
	u8 reg[16], nr[4];
	char path[PATH_MAX];
	int size;

	snprintf(path, sizeof(path), "%.*s/../#address-cells", len, node);
	if (property(nr, sizeof(nr), path) != sizeof(nr) || cells(nr, 1) < 1 || cells(nr, 1) > 2)
		return false;
	snprintf(path, sizeof(path), "%.*s/reg", len, node);
	size = property(reg, sizeof(reg), path);
	if (size < (int)(4 * cells(nr, 1)))
		return false;
	*address = cells(reg, cells(nr, 1));
	return *address % CORE_SIZE == TRACE_AT;
}

static bool samples_by_debug(unsigned int cpu)
{
	char path[PATH_MAX];
	unsigned int i;

	snprintf(path, sizeof(path), "%s" CPUS "/cpu%u/of_node/compatible", search.root, cpu);
	for (i = 0; i < ARRAY_SIZE(debug_cores); i++)
		if (property_has(path, debug_cores[i]))
			return true;
	return false;
}

static int look_at_node(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	int len = ftw->base - 1;
	const char *name = path + len;
	struct candidate *c;
	unsigned int cpu;
	u64 address;

	if (type != FTW_F || strcmp(path + ftw->base, "compatible") || search.nr == search.max ||
	    !property_has(path, TRACE_UNIT) || !find_cpu(path, len, &cpu) ||
	    !find_address(path, len, &address))
		return 0;
	while (name > path && name[-1] != '/')
		name--;
	c = &search.c[search.nr++];
	c->cpu = cpu;
	c->pmu = !samples_by_debug(cpu);
	c->address = address - TRACE_AT + (c->pmu ? PMU_AT : DEBUG_AT);
	snprintf(c->evidence, sizeof(c->evidence), "%.*s", (int)(path + len - name), name);
	return 0;
}

static int by_cpu(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

unsigned int candidates_find(const char *root, const struct cpus *without, struct candidate *c,
			     unsigned int max)
{
	char path[PATH_MAX];

	search.root = root;
	search.without = without;
	search.c = c;
	search.nr = 0;
	search.max = max;
	snprintf(path, sizeof(path), "%s" TREE, root);
	nftw(path, look_at_node, 16, FTW_PHYS);
	qsort(c, search.nr, sizeof(*c), by_cpu);
	return search.nr;
}
