// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the driver does with device trees: prints a line for each tree that has nodes of PC-sample
 * blocks, found with the driver's own match code.
 *
 * Usage: boards DTB...
 *
 * Prints fields separated by tabs: file, board, SoC, cores, register set, enabled nodes, status,
 * addresses of the blocks by CPU, and cores by CPU. The last line is "total" with the numbers of
 * device trees, of those with CPUs and blocks, and of failures. Each failure is a line on stderr: a
 * tree that cannot be read, or a node that the driver would refuse. The exit status is 1 then.
 */
#include <ctype.h>
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
 * @has_block: does the CPU have a block?
 * @bus: the node above each CPU's block
 * @address: address of each CPU's block on that bus; 0 if it has none
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
	bool has_block[MAX_CPUS];
	int bus[MAX_CPUS];
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

/* A tree may have any byte in a name or text: none may end a line, or control a terminal. */
static void print_text(FILE *f, const char *text)
{
	for (; *text; text++)
		putc(iscntrl((unsigned char)*text) ? '?' : *text, f);
}

static void fail(struct board *b, int node, const char *why)
{
	char path[256];

	/* Leaves a part of the path, without its end, if there is no room for it */
	if (fdt_get_path(b->fdt, node, path, sizeof(path)))
		strcpy(path, "a node with a long path");
	fprintf(stderr, "%s: ", b->file);
	print_text(stderr, path);
	fprintf(stderr, ": %s\n", why);
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
	cpu = fdt_node_offset_by_phandle(b->fdt, fdt32_ld(phandle));
	for (i = 0; i < b->nr_cpus; i++)
		if (b->cpu[i] == cpu)
			return i;
	return -1;
}

/* A bad tree need not be aligned. */
static u64 cells(const fdt32_t *cell, int n)
{
	return n == 2 ? fdt64_ld((const fdt64_t *)cell) : fdt32_ld(cell);
}

/* Address and size of a block on its bus; false if it has no valid reg */
static bool block_reg(const struct board *b, int node, int bus, u64 *address, u64 *size)
{
	int na = fdt_address_cells(b->fdt, bus), ns = fdt_size_cells(b->fdt, bus), len;
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

static bool overlap(u64 a, u64 b)
{
	return (a < b ? b - a : a - b) < PCSR_BLOCK_SIZE;
}

/* Linux lets one driver have a piece of memory, once. */
static bool is_taken(const struct board *b, int bus, u64 address)
{
	unsigned int i;

	for (i = 0; i < b->nr_cpus; i++)
		if (b->has_block[i] && b->bus[i] == bus && overlap(b->address[i], address))
			return true;
	return false;
}

static void check_block(struct board *b, int node, enum pcs_node kind)
{
	int len, cpu = cpu_of(b, node), bus = fdt_parent_offset(b->fdt, node);
	const char *status = property(b, node, "status", &len);
	u64 address, size;

	b->kind = kind;
	b->nodes++;
	b->enabled += !status || !strcmp(status, "okay") || !strcmp(status, "ok");

	if (cpu < 0)
		return fail(b, node, "names no CPU");
	if (b->has_block[cpu])
		return fail(b, node, "its CPU has a block already");
	if (!block_reg(b, node, bus, &address, &size) || size < PCSR_BLOCK_SIZE)
		return fail(b, node, "reg is no block of 4 KiB");
	if (is_taken(b, bus, address))
		return fail(b, node, "the block of another CPU is there");
	b->has_block[cpu] = true;
	b->bus[cpu] = bus;
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
	printf("%s\t", name ? name + 1 : b->file);
	print_text(stdout, model ? model : "?");
	putchar('\t');
	print_text(stdout, soc_of(b));
	putchar('\t');
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
	return b->nodes && b->nr_cpus;
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
		fprintf(stderr, "%s: cannot be read: %s\n", file, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (fdt == MAP_FAILED)
		return NULL;
	err = fdt_check_full(fdt, *size);
	if (err) {
		fprintf(stderr, "%s: no device tree: %s\n", file, fdt_strerror(err));
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
