// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the driver does with device trees: prints a line for each tree that has nodes of PC-sample
 * blocks, found with the driver's own match code.
 *
 * Usage: boards DTB...
 *
 * Prints fields separated by tabs: file, board, SoC, cores, register set, enabled nodes, status,
 * addresses of the blocks by CPU, and cores by CPU. The last line is "total" with the numbers of
 * device trees, of those with blocks, and of failures. Each failure is a line on stderr: a tree
 * that cannot be read, or a node that the driver would refuse.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libfdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <arch-model/pmpcsr-regs.h>

#include "match.h"

#define MAX_CPUS	64

/**
 * struct board - a device tree
 * @file: its name
 * @fdt: the tree
 * @nr_cpus: CPUs in /cpus
 * @cpu: their nodes
 * @core: names of the cores; NULL if the core's debug block is not known to have PC samples
 * @address: address of each CPU's block; 0 if it has none
 * @kind: kind of block in its nodes; all nodes of a tree are of one kind
 * @nodes: number of blocks
 * @enabled: number of blocks that are not disabled
 * @failures: nodes that the driver would refuse
 */
struct board {
	const char *file;
	const void *fdt;
	unsigned int nr_cpus;
	int cpu[MAX_CPUS];
	const struct pcs_core *core[MAX_CPUS];
	u64 address[MAX_CPUS];
	enum pcs_node kind;
	unsigned int nodes;
	unsigned int enabled;
	unsigned int failures;
};

static const char *property(const struct board *b, int node, const char *name, int *len)
{
	const char *value = fdt_getprop(b->fdt, node, name, len);

	if (!value)
		*len = 0;
	return value;
}

static void fail(struct board *b, int node, const char *why)
{
	char path[256] = "?";

	fdt_get_path(b->fdt, node, path, sizeof(path));
	fprintf(stderr, "%s: %s: %s\n", b->file, path, why);
	b->failures++;
}

static void find_cpus(struct board *b)
{
	int cpus = fdt_path_offset(b->fdt, "/cpus"), node, len;

	if (cpus < 0)
		return;
	fdt_for_each_subnode(node, b->fdt, cpus) {
		const char *type = property(b, node, "device_type", &len);

		if (!type || strcmp(type, "cpu") || b->nr_cpus == MAX_CPUS)
			continue;
		type = property(b, node, "compatible", &len);
		b->core[b->nr_cpus] = pcs_match_core(type, len);
		b->cpu[b->nr_cpus++] = node;
	}
}

/* The CPU that a node names, or -1 */
static int cpu_of(const struct board *b, int node)
{
	int len, cpu;
	const fdt32_t *phandle = (const fdt32_t *)property(b, node, "cpu", &len);
	unsigned int i;

	if (len != sizeof(*phandle))
		return -1;
	cpu = fdt_node_offset_by_phandle(b->fdt, fdt32_to_cpu(*phandle));
	for (i = 0; i < b->nr_cpus; i++)
		if (b->cpu[i] == cpu)
			return i;
	return -1;
}

static u64 cells(const fdt32_t *cell, int n)
{
	return n == 2 ? (u64)fdt32_to_cpu(cell[0]) << 32 | fdt32_to_cpu(cell[1]) :
			fdt32_to_cpu(cell[0]);
}

/* Address and size of a block on its bus; false if it has no valid reg */
static bool block_reg(const struct board *b, int node, u64 *address, u64 *size)
{
	int parent = fdt_parent_offset(b->fdt, node), len;
	int na = fdt_address_cells(b->fdt, parent), ns = fdt_size_cells(b->fdt, parent);
	const fdt32_t *reg = (const fdt32_t *)property(b, node, "reg", &len);

	if (na < 1 || na > 2 || ns < 1 || ns > 2 || len < (na + ns) * 4)
		return false;
	*address = cells(reg, na);
	*size = cells(reg + na, ns);
	return true;
}

static bool has_clock(const struct board *b, int node)
{
	int len;

	return fdt_stringlist_search(b->fdt, node, "clock-names", "apb_pclk") >= 0 &&
	       property(b, node, "clocks", &len);
}

static void check_block(struct board *b, int node, enum pcs_node kind)
{
	int len, cpu = cpu_of(b, node);
	const char *status = property(b, node, "status", &len);
	u64 address, size;

	b->kind = kind;
	b->nodes++;
	b->enabled += !status || !strcmp(status, "okay") || !strcmp(status, "ok");

	if (cpu < 0)
		return fail(b, node, "names no CPU");
	if (b->address[cpu])
		return fail(b, node, "its CPU has a block already");
	if (!block_reg(b, node, &address, &size) || size < PCSR_BLOCK_SIZE)
		return fail(b, node, "reg is no block of 4 KiB");
	b->address[cpu] = address;
	if (kind != PCS_NODE_DEBUG)
		return;
	if (fdt_node_check_compatible(b->fdt, node, "arm,primecell"))
		return fail(b, node, "is not on the AMBA bus");
	if (!has_clock(b, node))
		return fail(b, node, "has no apb_pclk");
	if (!b->core[cpu])
		return fail(b, node, "is of a CPU that is not known to sample there");
}

/* "4 Cortex-A53, 2 Cortex-A72" */
static void print_cores(const struct board *b)
{
	const char *separator = "";
	unsigned int i, j, n;

	for (i = 0; i < b->nr_cpus; i++) {
		for (j = 0; j < i && b->core[j] != b->core[i]; j++)
			;
		if (j < i)
			continue;
		for (n = 0, j = i; j < b->nr_cpus; j++)
			n += b->core[j] == b->core[i];
		printf("%s%u %s", separator, n, b->core[i] ? b->core[i]->name : "other");
		separator = ", ";
	}
}

/* The last of the root's compatible strings that names a SoC, not a platform */
static const char *soc_of(const struct board *b)
{
	int n = fdt_stringlist_count(b->fdt, 0, "compatible");
	const char *name = "?";

	while (n-- > 0) {
		name = fdt_stringlist_get(b->fdt, 0, "compatible", n, NULL);
		if (strcmp(name, "arm,vexpress"))
			break;
	}
	return name;
}

/* What prevents the driver from using the nodes */
static const char *status_of(const struct board *b)
{
	int len;
	const char *compatible = property(b, 0, "compatible", &len);
	const struct pcs_soc *soc = pcs_match_soc(compatible, len);

	if (soc && soc->refused)
		return "refused";
	if (!b->enabled)
		return "disabled";
	return soc ? "enabled, with a warning" : "enabled";
}

static void print_board(const struct board *b)
{
	const char *name = strrchr(b->file, '/'), *model;
	unsigned int i;
	int len;

	model = property(b, 0, "model", &len);
	printf("%s\t%s\t%s\t", name ? name + 1 : b->file, model ? model : "?", soc_of(b));
	print_cores(b);
	printf("\t%s\t%u of %u\t%s\t",
	       b->kind == PCS_NODE_DEBUG ? "FEAT_PCSRv8" : "FEAT_PCSRv8p2", b->enabled, b->nodes,
	       status_of(b));
	for (i = 0; i < b->nr_cpus; i++)
		printf("%s%" PRIx64, i ? ":" : "", b->address[i]);
	putchar('\t');
	for (i = 0; i < b->nr_cpus; i++)
		printf("%s%s", i ? ":" : "", b->core[i] ? b->core[i]->compatible : "other");
	putchar('\n');
}

static bool read_board(struct board *b)
{
	enum pcs_node kind;
	int node, len;

	find_cpus(b);
	for (node = 0; node >= 0; node = fdt_next_node(b->fdt, node, NULL)) {
		const char *compatible = property(b, node, "compatible", &len);

		kind = pcs_match_node(compatible, len);
		if (kind != PCS_NODE_NONE)
			check_block(b, node, kind);
	}
	if (node != -FDT_ERR_NOTFOUND)
		fail(b, 0, fdt_strerror(node));
	return b->nodes;
}

/* Returns NULL, and prints why, if the file is not a device tree */
static const void *map_tree(const char *file, size_t *size)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC), err;
	const void *fdt = MAP_FAILED;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st)) {
		*size = st.st_size;
		fdt = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (fdt == MAP_FAILED)
		fprintf(stderr, "%s: %s\n", file, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (fdt == MAP_FAILED)
		return NULL;
	err = fdt_check_full(fdt, *size);
	if (err) {
		fprintf(stderr, "%s: %s\n", file, fdt_strerror(err));
		munmap((void *)fdt, *size);
		return NULL;
	}
	return fdt;
}

int main(int argc, char **argv)
{
	unsigned int trees = 0, with_blocks = 0, failures = 0;
	size_t size;

	for (char **file = argv + 1; *file; file++) {
		struct board b = { .file = *file };

		trees++;
		b.fdt = map_tree(*file, &size);
		if (!b.fdt) {
			failures++;
			continue;
		}
		if (read_board(&b)) {
			with_blocks++;
			print_board(&b);
		}
		failures += b.failures;
		munmap((void *)b.fdt, size);
	}
	printf("total\t%u\t%u\t%u\n", trees, with_blocks, failures);
	return argc < 2 ? 2 : failures != 0;
}
