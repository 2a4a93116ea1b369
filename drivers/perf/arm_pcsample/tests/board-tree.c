// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts the PC-sample blocks of a board's device tree into that of the emulated machine: nodes with
 * all properties, on the same buses, for CPUs of the same numbers.
 *
 * Usage: board-tree BOARD MACHINE RESULT
 *
 * MACHINE was made with node-fault=missing, and with gated-clock=on if the nodes have clocks. The
 * SoC's other devices do not exist, so a clock's phandle is replaced by that of the machine's gate,
 * and a power domain's by that of a node for selftests/modules/pcs_domain.c; specifiers are kept.
 * Disabled blocks are enabled, as by an overlay. The machine gets the board's compatible string,
 * and loses its PCIe and flash, because some SoCs have blocks at those addresses.
 */
#include <errno.h>
#include <fcntl.h>
#include <libfdt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <arch-model/types.h>

#include "match.h"

#define TREE_MAX	(1 << 20)
#define CELLS_MAX	64
#define GATE		"/pc-sample-clock"
#define DOMAIN		"pc-sample-power"

struct merge {
	const char *board;
	const void *from;
	void *to;
};

static void __attribute__((noreturn, format(printf, 2, 3)))
die(const char *what, const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "board-tree: %s: ", what);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

/* Return a result of libfdt, or exit if it is an error */
static int must(const struct merge *m, int ret)
{
	if (ret < 0)
		die(m->board, "%s", fdt_strerror(ret));
	return ret;
}

/* The value of a property of the board that is one cell, of which no more than @most is valid */
static u32 cell(const struct merge *m, int node, const char *name, u32 most)
{
	int len;
	const fdt32_t *value = fdt_getprop(m->from, node, name, &len);

	if (!value || len != sizeof(*value) || fdt32_ld(value) > most)
		die(m->board, "%s: no valid %s", fdt_get_name(m->from, node, NULL), name);
	return fdt32_ld(value);
}

/* Read a tree, with space for additions */
static void *read_tree(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC), ret;
	void *fdt = calloc(1, TREE_MAX);
	ssize_t size;

	size = fd < 0 || !fdt ? -1 : read(fd, fdt, TREE_MAX);
	if (size < 0)
		die(file, "%s", strerror(errno));
	close(fd);
	ret = fdt_check_full(fdt, size);
	if (!ret)
		ret = fdt_open_into(fdt, fdt, TREE_MAX);
	if (ret)
		die(file, "%s", fdt_strerror(ret));
	return fdt;
}

static void write_tree(const char *file, void *fdt)
{
	FILE *f = fopen(file, "w");

	fdt_pack(fdt);
	if (!f || fwrite(fdt, fdt_totalsize(fdt), 1, f) != 1 || fclose(f))
		die(file, "%s", strerror(errno));
}

/* The phandle of a node of the machine; creates one if there is none */
static u32 phandle_of(const struct merge *m, int node)
{
	u32 phandle = fdt_get_phandle(m->to, node);

	if (!phandle) {
		must(m, fdt_generate_phandle(m->to, &phandle));
		must(m, fdt_setprop_u32(m->to, node, "phandle", phandle));
	}
	return phandle;
}

/* The index of a CPU in /cpus; the number of CPUs if @wanted is none of them */
static int cpu_number(const void *fdt, int wanted)
{
	int cpus = fdt_path_offset(fdt, "/cpus"), node, n = 0;
	const char *type;

	fdt_for_each_subnode(node, fdt, cpus) {
		type = fdt_getprop(fdt, node, "device_type", NULL);
		if (!type || strcmp(type, "cpu"))
			continue;
		if (node == wanted)
			break;
		n++;
	}
	return n;
}

static int cpu_node(const struct merge *m, int number)
{
	int cpus = fdt_path_offset(m->to, "/cpus"), node;

	fdt_for_each_subnode(node, m->to, cpus)
		if (fdt_getprop(m->to, node, "device_type", NULL) &&
		    cpu_number(m->to, node) == number)
			return node;
	die(m->board, "the machine has no CPU %d", number);
}

/* Create a bus in the machine, with the properties that define addresses of nodes on it */
static int copy_bus(const struct merge *m, int node)
{
	static const char * const names[] = { "#address-cells", "#size-cells", "ranges" };
	const char *name = fdt_get_name(m->from, node, NULL);
	const void *value;
	int parent, bus, len;
	unsigned int i;

	if (!node)
		return 0;
	parent = copy_bus(m, must(m, fdt_parent_offset(m->from, node)));
	bus = fdt_subnode_offset(m->to, parent, name);
	if (bus >= 0)
		return bus;
	bus = must(m, fdt_add_subnode(m->to, parent, name));
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		value = fdt_getprop(m->from, node, names[i], &len);
		if (value)
			must(m, fdt_setprop(m->to, bus, names[i], value, len));
	}
	must(m, fdt_setprop_string(m->to, bus, "compatible", "simple-bus"));
	return bus;
}

/* "#clock-cells" of the board's provider; the machine's provider gets the same value */
static u32 cells_of(const struct merge *m, u32 phandle, const char *name, int provider)
{
	int node = must(m, fdt_node_offset_by_phandle(m->from, phandle));
	u32 cells = cell(m, node, name, CELLS_MAX);

	must(m, fdt_setprop_u32(m->to, provider, name, cells));
	return cells;
}

static int power_domain(const struct merge *m)
{
	int node = fdt_subnode_offset(m->to, 0, DOMAIN);

	if (node >= 0)
		return node;
	node = must(m, fdt_add_subnode(m->to, 0, DOMAIN));
	must(m, fdt_setprop_string(m->to, node, "compatible", "pcsample," DOMAIN));
	return node;
}

/* Let the references of a property, which is in the machine's tree already, point to @provider */
static void redirect(const struct merge *m, const char *path, const char *name, const char *cells,
		     int (*find)(const struct merge *m))
{
	const fdt32_t *value;
	fdt32_t copy[CELLS_MAX];
	int len, at;
	u32 to;

	value = fdt_getprop(m->to, must(m, fdt_path_offset(m->to, path)), name, &len);
	if (!value)
		return;
	if (len > (int)sizeof(copy))
		die(m->board, "%s: %s is too long", path, name);
	memcpy(copy, value, len);
	for (at = 0; at < len / 4;) {
		u32 from = fdt32_to_cpu(copy[at]);

		to = phandle_of(m, find(m));
		copy[at] = cpu_to_fdt32(to);
		at += 1 + cells_of(m, from, cells, find(m));
	}
	must(m, fdt_setprop(m->to, must(m, fdt_path_offset(m->to, path)), name, copy, len));
}

static int clock_gate(const struct merge *m)
{
	return must(m, fdt_path_offset(m->to, GATE));
}

static void copy_block(const struct merge *m, int node)
{
	int parent = copy_bus(m, must(m, fdt_parent_offset(m->from, node)));
	u32 cpu = cell(m, node, "cpu", ~0U), phandle;
	int to, property, len;
	const char *name;
	const void *value;
	char path[256];

	to = must(m, fdt_add_subnode(m->to, parent, fdt_get_name(m->from, node, NULL)));
	fdt_for_each_property_offset(property, m->from, node) {
		value = fdt_getprop_by_offset(m->from, property, &name, &len);
		if (strcmp(name, "phandle") && strcmp(name, "status"))
			must(m, fdt_setprop(m->to, to, name, value, len));
	}
	must(m, fdt_get_path(m->to, to, path, sizeof(path)));
	redirect(m, path, "clocks", "#clock-cells", clock_gate);
	redirect(m, path, "power-domains", "#power-domain-cells", power_domain);
	node = must(m, fdt_node_offset_by_phandle(m->from, cpu));
	phandle = phandle_of(m, cpu_node(m, cpu_number(m->from, node)));
	must(m, fdt_setprop_u32(m->to, must(m, fdt_path_offset(m->to, path)), "cpu", phandle));
}

static void remove_nodes(const struct merge *m, const char *compatible)
{
	int node;

	while ((node = fdt_node_offset_by_compatible(m->to, -1, compatible)) >= 0)
		must(m, fdt_del_node(m->to, node));
}

int main(int argc, char **argv)
{
	struct merge m;
	const char *text;
	int node, len;

	if (argc != 4) {
		fprintf(stderr, "Usage: %s BOARD MACHINE RESULT\n", argv[0]);
		return 2;
	}
	m = (struct merge) {
		.board = argv[1], .from = read_tree(argv[1]), .to = read_tree(argv[2]),
	};
	if (fdt_address_cells(m.from, 0) != fdt_address_cells(m.to, 0) ||
	    fdt_size_cells(m.from, 0) != fdt_size_cells(m.to, 0))
		die(m.board, "its root numbers addresses in another way");
	remove_nodes(&m, "pci-host-ecam-generic");
	remove_nodes(&m, "cfi-flash");
	text = fdt_getprop(m.from, 0, "compatible", &len);
	if (text)
		must(&m, fdt_setprop(m.to, 0, "compatible", text, len));
	text = fdt_getprop(m.from, 0, "model", &len);
	if (text)
		must(&m, fdt_setprop(m.to, 0, "model", text, len));
	for (node = 0; node >= 0; node = fdt_next_node(m.from, node, NULL)) {
		text = fdt_getprop(m.from, node, "compatible", &len);
		if (text && pcs_match_node(text, len) != PCS_NODE_NONE)
			copy_block(&m, node);
	}
	write_tree(argv[3], m.to);
	free((void *)m.from);
	free(m.to);
	return 0;
}
