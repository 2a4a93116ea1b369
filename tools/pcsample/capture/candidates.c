// SPDX-License-Identifier: GPL-2.0-only
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arm_pcsample/match.h>

#include "capture/candidates.h"
#include "capture/device-tree.h"

#define CPUS		"/sys/devices/system/cpu"
#define TRACE_UNIT	"arm,coresight-etm4x"

/* Offsets in the map of one core */
#define CORE_SIZE	0x100000
#define DEBUG_AT	0x10000
#define PMU_AT		0x30000
#define TRACE_AT	0x40000

/* In static memory, as nftw(3) passes no argument on */
static struct {
	const char *root;
	const struct cpus *without;
	struct candidate *c;
	unsigned int nr, max;
} search;

/* From FEAT_PCSRv8p2 on it is the PMU block that samples */
static bool samples_by_debug(unsigned int cpu)
{
	char text[512];
	int len = property_read(text, sizeof(text), "%s" CPUS "/cpu%u/of_node/compatible",
				search.root, cpu);

	return pcs_match_core(text, len);
}

static int look_at_node(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	char node[PATH_MAX];
	struct candidate *c;
	int cpu;
	u64 address;

	if (type != FTW_F || strcmp(path + ftw->base, "compatible") || search.nr == search.max ||
	    !property_has(path, TRACE_UNIT))
		return 0;
	snprintf(node, sizeof(node), "%.*s", ftw->base - 1, path);
	cpu = node_cpu(search.root, node, search.without);
	if (cpu < 0 || !node_address(node, &address) ||
	    address % CORE_SIZE != TRACE_AT)
		return 0;
	c = &search.c[search.nr++];
	c->cpu = cpu;
	c->pmu = !samples_by_debug(cpu);
	c->address = address - TRACE_AT + (c->pmu ? PMU_AT : DEBUG_AT);
	snprintf(c->evidence, sizeof(c->evidence), "%s", strrchr(node, '/') + 1);
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
	snprintf(path, sizeof(path), "%s" DEVICE_TREE, root);
	nftw(path, look_at_node, 16, FTW_PHYS);
	qsort(c, search.nr, sizeof(*c), by_cpu);
	return search.nr;
}
