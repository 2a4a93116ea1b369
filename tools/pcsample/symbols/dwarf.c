// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/dwarf.h"
#include "symbols/elf-symbols.h"

#if HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>

/*
 * libdw walks the tree of a unit again for each address, which takes hours in large programs. So
 * walk each unit once, and keep what is needed of it.
 */

/* Limit on the nesting of DIEs; no compiler comes near it */
#define DEPTH_MAX 512

/**
 * struct code - addresses of a function, or of a call that was inlined into it
 * @low: first address
 * @high: behind the last address
 * @depth: 0 for a function, 1 for what is inlined into it, ...
 * @die: offset in the debug information
 */
struct code {
	u64 low, high;
	u32 depth;
	Dwarf_Off die;
};

/*
 * @code is sorted by low, then by depth: behind the entry of a function are those of what was
 * inlined into it, up to the next function. Functions do not overlap.
 */
struct unit {
	u64 low, high;		/* one of its ranges; sorted by low: by_first_u64() */
	struct unit_code {
		Dwarf_Off die;
		bool read;
		struct code *code;
		size_t nr, cap;
	} *contents;
};

struct source {
	Dwarf *dbg;
	struct unit *unit;
	size_t nr, cap;
	struct unit_code **contents;
	size_t nr_contents, contents_cap;
};

/* The table of units */

static int add_unit(struct source *src, Dwarf_Die *cu)
{
	struct unit_code *c = calloc(1, sizeof(*c));
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	if (!c || mem_grow(&src->contents, &src->contents_cap, src->nr_contents + 1)) {
		free(c);
		return -ENOMEM;
	}
	c->die = dwarf_dieoffset(cu);
	src->contents[src->nr_contents++] = c;
	while ((at = dwarf_ranges(cu, at, &base, &low, &high)) > 0) {
		if (low >= high)
			continue;
		if (mem_grow(&src->unit, &src->cap, src->nr + 1))
			return -ENOMEM;
		src->unit[src->nr++] = (struct unit){ low, high, c };
	}
	return 0;
}

static int read_units(struct source *src)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	u8 type;
	int ret = 0;

	while (!ret && !dwarf_get_units(src->dbg, cu, &cu, NULL, &type, &die, NULL))
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			ret = add_unit(src, &die);
	if (src->nr)
		qsort(src->unit, src->nr, sizeof(*src->unit), by_first_u64);
	return ret;
}

static struct source *open_source(struct dso *dso)
{
	struct source *src = calloc(1, sizeof(*src));
	Elf *elf = elf_symbols_debug(dso);

	if (src && elf)
		src->dbg = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (src && src->dbg && read_units(src))
		src->nr = 0;
	return src;
}

void source_destroy(struct source *src)
{
	size_t i;

	if (!src)
		return;
	for (i = 0; i < src->nr_contents; i++) {
		free(src->contents[i]->code);
		free(src->contents[i]);
	}
	free(src->contents);
	free(src->unit);
	if (src->dbg)
		dwarf_end(src->dbg);
	free(src);
}

/* One unit */

static int add_code(struct unit_code *c, Dwarf_Die *die, u32 depth)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		if (low >= high)
			continue;
		if (mem_grow(&c->code, &c->cap, c->nr + 1))
			return -ENOMEM;
		c->code[c->nr++] = (struct code){ low, high, depth, dwarf_dieoffset(die) };
	}
	return 0;
}

/* Siblings in a loop, children by recursion */
static int walk(struct unit_code *c, Dwarf_Die *die, u32 depth, unsigned int level)
{
	Dwarf_Die child;
	int ret = 0, tag;
	u32 inside;

	do {
		tag = dwarf_tag(die);
		inside = depth;
		if (tag == DW_TAG_subprogram) {
			inside = 1;
			ret = add_code(c, die, 0);
		} else if (tag == DW_TAG_inlined_subroutine) {
			inside = depth + 1;
			ret = add_code(c, die, depth);
		}
		if (!ret && level < DEPTH_MAX && dwarf_haschildren(die) > 0 &&
		    !dwarf_child(die, &child))
			ret = walk(c, &child, inside, level + 1);
	} while (!ret && !dwarf_siblingof(die, die));
	return ret;
}

static int by_place(const void *x, const void *y)
{
	const struct code *a = x, *b = y;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->depth < b->depth ? -1 : a->depth > b->depth;
}

static void read_code(struct source *src, struct unit_code *c)
{
	Dwarf_Die cu, child;

	c->read = true;
	if (!dwarf_offdie(src->dbg, c->die, &cu) || dwarf_child(&cu, &child))
		return;
	if (walk(c, &child, 0, 0))
		c->nr = 0;
	if (c->nr)
		qsort(c->code, c->nr, sizeof(*c->code), by_place);
}

/* Look-up */

static const char *attr_string(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attr));
}

static const char *function_name(Dwarf_Die *die)
{
	const char *name = attr_string(die, DW_AT_linkage_name);

	if (!name)
		name = attr_string(die, DW_AT_MIPS_linkage_name);
	return name ? name : attr_string(die, DW_AT_name);
}

static void call_site(Dwarf_Die *cu, Dwarf_Die *die, struct source_frame *f)
{
	Dwarf_Word file = 0, line = 0;
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	size_t nr;

	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line) && line <= UINT32_MAX)
		f->line = line;
	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &file) &&
	    !dwarf_getsrcfiles(cu, &files, &nr) && file < nr)
		f->file = dwarf_filesrc(files, file, NULL, NULL);
}

static struct unit_code *find_unit(const struct source *src, u64 vaddr)
{
	size_t n = nr_up_to(src->unit, src->nr, low, vaddr);

	return n && vaddr < src->unit[n - 1].high ? src->unit[n - 1].contents : NULL;
}

/* The last function that begins at or before the address; NULL if it ends before it */
static const struct code *find_function(const struct unit_code *c, u64 vaddr)
{
	size_t n = nr_up_to(c->code, c->nr, low, vaddr);

	while (n && c->code[n - 1].depth)
		n--;
	return n && vaddr < c->code[n - 1].high ? &c->code[n - 1] : NULL;
}

/*
 * Outermost first. Calls of the same depth do not overlap, so at most one of each has the address
 */
static unsigned int find_chain(const struct unit_code *c, const struct code *f, u64 vaddr,
			       const struct code **chain)
{
	const struct code *end = c->code + c->nr;
	unsigned int nr = 1;

	chain[0] = f;
	for (f++; f < end && f->depth && f->low <= vaddr; f++)
		if (vaddr < f->high && f->depth == nr && nr < SOURCE_FRAMES_MAX)
			chain[nr++] = f;
	return nr;
}

static unsigned int fill_frames(struct source *src, struct unit_code *c, u64 vaddr,
				struct source_frame *frame)
{
	const struct code *function, *chain[SOURCE_FRAMES_MAX];
	unsigned int nr = 0, i;
	Dwarf_Die cu, die;
	Dwarf_Line *line;
	const char *dir;
	int number = 0;

	if (!dwarf_offdie(src->dbg, c->die, &cu))
		return 0;
	function = find_function(c, vaddr);
	if (function)
		nr = find_chain(c, function, vaddr, chain);
	memset(frame, 0, max(nr, 1U) * sizeof(*frame));
	dir = attr_string(&cu, DW_AT_comp_dir);
	for (i = 0; i < max(nr, 1U); i++)
		frame[i].dir = dir;
	for (i = 0; i < nr; i++) {
		if (!dwarf_offdie(src->dbg, chain[nr - 1 - i]->die, &die))
			continue;
		frame[i].name = function_name(&die);
		if (i + 1 < nr)
			call_site(&cu, &die, &frame[i + 1]);
	}
	line = dwarf_getsrc_die(&cu, vaddr);
	if (line) {
		frame[0].file = dwarf_linesrc(line, NULL, NULL);
		frame[0].line = dwarf_lineno(line, &number) ? 0 : number;
	}
	return nr ? nr : !!line;
}

bool source_known(const struct dso *dso)
{
	return elf_symbols_debug(dso);
}

unsigned int source_find(struct dso *dso, u64 addr, struct source_frame *frame)
{
	struct unit_code *c;
	u64 vaddr;

	if (!elf_symbols_to_debug(dso, addr, &vaddr))
		return 0;
	if (!dso->source)
		dso->source = open_source(dso);
	c = dso->source ? find_unit(dso->source, vaddr) : NULL;
	if (!c)
		return 0;
	if (!c->read)
		read_code(dso->source, c);
	return fill_frames(dso->source, c, vaddr, frame);
}
#else
bool source_known(const struct dso *dso)
{
	return false;
}

unsigned int source_find(struct dso *dso, u64 addr, struct source_frame *frame)
{
	return 0;
}

void source_destroy(struct source *src)
{
}
#endif
