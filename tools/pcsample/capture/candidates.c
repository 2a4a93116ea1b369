// SPDX-License-Identifier: GPL-2.0-only
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arm_pcsample/match.h>

#include "base/array.h"
#include "capture/candidates.h"
#include "capture/device-tree.h"

#define CPUS		"/sys/devices/system/cpu"

/* The map of one core, as Armv8 cores have it */
#define CORE_SIZE	0x100000
#define DEBUG_AT	0x10000
#define PMU_AT		0x30000

/* The map of a cluster of up to four, as Armv7 had it and some Cortex-A53 have */
#define CLUSTER_SIZE	0x10000
#define CLUSTER_CORES	4
#define DEBUG_STEP	0x2000
#define OTHER_STEP	0x1000

/*
 * The components that a node may describe: places in the first map, and of core 0 in the second; 0
 * if the second is no use: where debug blocks are described none has to be guessed.
 */
static const struct component {
	const char *compatible;
	unsigned int in_core, in_cluster;
} components[] = {
	{ "arm,coresight-etm4x", 0x40000, 0xC000 },
	{ "arm,coresight-cti-v8-arch", 0x20000, 0x8000 },
	{ "arm,coresight-cti", 0x20000, 0x8000 },
	{ "arm,coresight-cpu-debug", DEBUG_AT, 0 },
};

/* SoCs whose debug blocks are known to be at places that contradict both maps */
static const char *const unlike[] = { "rockchip,rk3588", "rockchip,rk3588s" };

/* In static memory, as nftw(3) passes no argument on */
static struct {
	const char *root;
	const struct cpus *without;
	struct candidate *c;
	unsigned int nr, max, unmapped;
} search;

/* From FEAT_PCSRv8p2 on it is the PMU block that samples */
static bool samples_by_debug(unsigned int cpu)
{
	char text[512];
	int len = property_read(text, sizeof(text), "%s" CPUS "/cpu%u/of_node/compatible",
				search.root, cpu);

	return pcs_match_core(text, len);
}

static bool by_core(const struct component *known, u64 at, bool pmu, u64 *address)
{
	if (at % CORE_SIZE != known->in_core || (!pmu && known->in_core == DEBUG_AT))
		return false;
	*address = at - known->in_core + (pmu ? PMU_AT : DEBUG_AT);
	return true;
}

/* Only for cores whose debug block samples: no other is known to have this map. */
static bool by_cluster(const struct component *known, u64 at, bool pmu, u64 *address)
{
	u64 offset = at % CLUSTER_SIZE, first = known->in_cluster;

	if (pmu || !first || offset < first || offset % OTHER_STEP ||
	    offset >= first + CLUSTER_CORES * OTHER_STEP)
		return false;
	*address = at - offset + (offset - first) / OTHER_STEP * DEBUG_STEP;
	return true;
}

/* The evidence of an address that another node has told already is added to that. */
static void add(unsigned int cpu, bool pmu, u64 address, const char *evidence)
{
	struct candidate *c;
	size_t used;

	for (c = search.c; c < search.c + search.nr; c++) {
		if (c->cpu != cpu || c->address != address)
			continue;
		used = strlen(c->evidence);
		snprintf(c->evidence + used, sizeof(c->evidence) - used, ", %s", evidence);
		return;
	}
	if (search.nr == search.max)
		return;
	*c = (struct candidate){ .cpu = cpu, .pmu = pmu, .address = address };
	snprintf(c->evidence, sizeof(c->evidence), "%s", evidence);
	search.nr++;
}

static void look_at_component(const struct component *known, const char *node)
{
	int cpu = node_cpu(search.root, node, search.without);
	u64 at, address;
	bool pmu;

	if (cpu < 0 || !node_address(node, &at))
		return;
	pmu = !samples_by_debug(cpu);
	if (!by_core(known, at, pmu, &address) && !by_cluster(known, at, pmu, &address))
		return;
	if (node_translate(search.root, node, &address))
		add(cpu, pmu, address, strrchr(node, '/') + 1);
	else
		search.unmapped++;
}

static int look_at_node(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	char node[PATH_MAX];
	unsigned int i;

	if (type != FTW_F || strcmp(path + ftw->base, "compatible"))
		return 0;
	snprintf(node, sizeof(node), "%.*s", ftw->base - 1, path);
	for (i = 0; i < ARRAY_SIZE(components); i++)
		if (property_has(path, components[i].compatible)) {
			look_at_component(&components[i], node);
			break;
		}
	return 0;
}

static int by_cpu(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

const char *candidates_unlike(const char *root)
{
	char path[PATH_MAX];
	unsigned int i;

	snprintf(path, sizeof(path), "%s" DEVICE_TREE "/compatible", root);
	for (i = 0; i < ARRAY_SIZE(unlike); i++)
		if (property_has(path, unlike[i]))
			return unlike[i];
	return NULL;
}

unsigned int candidates_find(const char *root, const struct cpus *without, struct candidate *c,
			     unsigned int max, unsigned int *unmapped)
{
	char path[PATH_MAX];

	search.root = root;
	search.without = without;
	search.c = c;
	search.nr = 0;
	search.max = max;
	search.unmapped = 0;
	*unmapped = 0;
	if (candidates_unlike(root))
		return 0;
	snprintf(path, sizeof(path), "%s" DEVICE_TREE, root);
	nftw(path, look_at_node, 16, FTW_PHYS);
	qsort(c, search.nr, sizeof(*c), by_cpu);
	*unmapped = search.unmapped;
	return search.nr;
}
