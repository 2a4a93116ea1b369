// SPDX-License-Identifier: GPL-2.0-only
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/radix.h"
#include "symbols/plt.h"

/*
 * Linkers write stubs in many shapes and orders: with and without BTI, IBT and pointer
 * authentication, in one section or in three (.plt, .plt.got, .plt.sec). But each stub loads its
 * target from a slot of the GOT, and a relocation names the function of the slot. So read the code
 * of each stub to find its slot; a stub without one gets no name.
 */

/* A slot of the GOT */
struct slot {
	u64 addr;		/* first: radix_sort(), by_first_u64() */
	u64 target;		/* for IRELATIVE, the address of the resolver; else 0 */
	const char *name;	/* NULL: not known */
};

struct slots {
	Elf *elf;
	int machine;
	struct slot *slot;	/* sorted by addr */
	size_t nr, cap;
	bool irelative;
};

/* Slots, from relocations */

static u32 irelative_of(int machine)
{
	return machine == EM_AARCH64 ? R_AARCH64_IRELATIVE : R_X86_64_IRELATIVE;
}

/* A vtable also has relocations for functions, but is no slot of the GOT */
static bool is_got_slot(int machine, u32 type)
{
	if (machine == EM_AARCH64)
		return type == R_AARCH64_GLOB_DAT || type == R_AARCH64_JUMP_SLOT;
	return type == R_X86_64_GLOB_DAT || type == R_X86_64_JUMP_SLOT;
}

static int add_slot(struct slots *s, const GElf_Rela *rela, Elf_Data *symbols, size_t names)
{
	size_t index = GELF_R_SYM(rela->r_info);
	struct slot slot = { .addr = rela->r_offset };
	u32 type = GELF_R_TYPE(rela->r_info);
	GElf_Sym sym;

	if (is_got_slot(s->machine, type)) {
		if (!symbols || index > INT32_MAX || !gelf_getsym(symbols, index, &sym))
			return 0;
		slot.name = elf_strptr(s->elf, names, sym.st_name);
	} else if (type == irelative_of(s->machine)) {
		slot.target = rela->r_addend;
		s->irelative = true;
	} else {
		return 0;
	}
	if (mem_grow(&s->slot, &s->cap, s->nr + 1))
		return -ENOMEM;
	s->slot[s->nr++] = slot;
	return 0;
}

static int read_relocations(struct slots *s, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Scn *table = elf_getscn(s->elf, sh->sh_link);
	Elf_Data *data = elf_getdata(scn, NULL), *symbols = NULL;
	GElf_Shdr table_sh = { 0 };
	GElf_Rela rela;
	int ret = 0;
	size_t i;

	/* Statically linked programs have no such section */
	if (sh->sh_link && table && gelf_getshdr(table, &table_sh))
		symbols = elf_getdata(table, NULL);
	for (i = 0; data && !ret && i <= INT32_MAX && gelf_getrela(data, i, &rela); i++)
		ret = add_slot(s, &rela, symbols, table_sh.sh_link);
	return ret;
}

static int by_target(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->target > y->target) - (x->target < y->target);
}

/* Of several names of a function prefer the plain one: memcpy, not __new_memcpy */
static bool plainer(const char *a, const char *b)
{
	return !b || strspn(a, "_") < strspn(b, "_");
}

/* Several slots may have one target: the last one keeps the name, until share_names() */
static void name_target(struct slots *s, u64 target, const char *name)
{
	size_t n = nr_up_to(s->slot, s->nr, target, target);

	if (n && s->slot[n - 1].target == target && plainer(name, s->slot[n - 1].name))
		s->slot[n - 1].name = name;
}

static void share_names(struct slots *s)
{
	size_t i;

	for (i = s->nr; i-- > 1; )
		if (s->slot[i].target && s->slot[i - 1].target == s->slot[i].target)
			s->slot[i - 1].name = s->slot[i].name;
}

/* IRELATIVE calls a resolver to choose an implementation: it has the name of the function */
static void name_targets(struct slots *s, Elf *elf)
{
	Elf_Scn *scn = NULL;
	const char *name;
	Elf_Data *data;
	GElf_Shdr sh;
	GElf_Sym sym;
	size_t i;

	while (elf && (scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) ||
		    (sh.sh_type != SHT_SYMTAB && sh.sh_type != SHT_DYNSYM))
			continue;
		data = elf_getdata(scn, NULL);
		for (i = 1; data && i <= INT32_MAX && gelf_getsym(data, i, &sym); i++) {
			if (GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC || !sym.st_value)
				continue;
			name = elf_strptr(elf, sh.sh_link, sym.st_name);
			if (name)
				name_target(s, sym.st_value, name);
		}
	}
}

static int read_slots(struct slots *s, Elf *symbols)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int ret = 0;

	while (!ret && (scn = elf_nextscn(s->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA)
			ret = read_relocations(s, scn, &sh);
	if (ret || !s->nr)
		return ret;
	if (s->irelative) {
		qsort(s->slot, s->nr, sizeof(*s->slot), by_target);
		name_targets(s, s->elf);
		name_targets(s, symbols);
		share_names(s);
	}
	return radix_sort((void **)&s->slot, s->nr, s->cap, sizeof(*s->slot));
}

#define NAME_MAX_BYTES 32

/* Return: the name of the function of a slot, or NULL. If it has none, one is made up in @buf */
static const char *slot_name(const struct slots *s, u64 addr, char *buf)
{
	struct slot key = { .addr = addr }, *found = NULL;

	if (s->nr)
		found = bsearch(&key, s->slot, s->nr, sizeof(key), by_first_u64);
	if (!found)
		return NULL;
	if (found->name && found->name[0])
		return found->name;
	snprintf(buf, NAME_MAX_BYTES, "*ABS*+0x%llx", (unsigned long long)found->target);
	return buf;
}

/* Code */

/*
 * x86-64: "jmp *disp32(%rip)", ff 25, in entries of a fixed size. Any prefix of it and any landing
 * pad in front may be there: no entry has two such jumps.
 */
#define JUMP_BYTES 6

/* The next jump from @at on; @end if there is none. @name: of what it jumps to, or NULL */
static u64 next_jump(const struct slots *s, const u8 *p, u64 at, u64 end, u64 addr,
		     const char **name, char *buf)
{
	for (; at + JUMP_BYTES <= end; at++) {
		if (p[at] != 0xff || p[at + 1] != 0x25)
			continue;
		*name = slot_name(s, addr + at + JUMP_BYTES + (s32)load32(p + at + 2), buf);
		return at;
	}
	return end;
}

/* Static programs of GNU ld do not record the size: their sections have the shortest entries */
static u64 entry_size(const struct slots *s, const u8 *p, u64 size, u64 addr, u64 said)
{
	char buf[NAME_MAX_BYTES];
	const char *name = NULL;
	u64 at, last = size, least = 16;

	if (said == 8 || said == 16 || said == 32)
		return said;
	for (at = next_jump(s, p, 0, size, addr, &name, buf); at < size;
	     at = next_jump(s, p, at + JUMP_BYTES, size, addr, &name, buf)) {
		if (last < at && at - last == 8)
			least = 8;
		last = at;
	}
	return least;
}

static int walk_x86_64(const struct slots *s, const u8 *p, u64 size, u64 addr, u64 said,
		       plt_fn fn, void *ctx)
{
	u64 entry = entry_size(s, p, size, addr, said), at;
	char buf[NAME_MAX_BYTES];
	const char *name;
	int ret = 0;

	for (at = 0; !ret && at + entry <= size; at += entry) {
		name = NULL;
		next_jump(s, p, at, at + entry, addr, &name, buf);
		if (name)
			ret = fn(ctx, addr + at, entry, name);
	}
	return ret;
}

/* A64 instructions, Arm ARM C6.2: ADRP x16; LDR x17, [x16, #imm]; BR x17; BTI C; NOP */
#define A64_ADRP_X16		0x90000010
#define A64_ADRP_MASK		0x9f00001f
#define A64_LDR_X17_X16		0xf9400211
#define A64_LDR_MASK		0xffc003ff
#define A64_BR_X17		0xd61f0220
#define A64_BTI_C		0xd503245f
#define A64_NOP			0xd503201f

static u64 adrp_target(u32 insn, u64 pc)
{
	s64 imm = (s64)((u64)((insn >> 5 & 0x7ffff) << 2 | (insn >> 29 & 3)) << 43) >> 31;

	return (pc & ~0xfffULL) + imm;
}

static int walk_aarch64(const struct slots *s, const u8 *p, u64 size, u64 addr, plt_fn fn,
			void *ctx)
{
	u64 at, start = 0, page = 0, slot = 0;
	char buf[NAME_MAX_BYTES];
	const char *name;
	int ret = 0;
	u32 insn;

	for (at = 0; !ret && at + 4 <= size; at += 4) {
		insn = load32(p + at);
		if ((insn & A64_ADRP_MASK) == A64_ADRP_X16) {
			start = at && load32(p + at - 4) == A64_BTI_C ? at - 4 : at;
			page = adrp_target(insn, addr + at);
		} else if ((insn & A64_LDR_MASK) == A64_LDR_X17_X16) {
			slot = page + (insn >> 10 & 0xfff) * 8;
		} else if (insn == A64_BR_X17) {
			while (at + 8 <= size && load32(p + at + 4) == A64_NOP)
				at += 4;
			name = page ? slot_name(s, slot, buf) : NULL;
			if (name)
				ret = fn(ctx, addr + start, at + 4 - start, name);
			page = 0;
		}
	}
	return ret;
}

static int walk_section(const struct slots *s, Elf_Scn *scn, const GElf_Shdr *sh, plt_fn fn,
			void *ctx)
{
	Elf_Data *data = elf_rawdata(scn, NULL);

	if (!data || !data->d_buf)
		return 0;
	if (s->machine == EM_AARCH64)
		return walk_aarch64(s, data->d_buf, data->d_size, sh->sh_addr, fn, ctx);
	return walk_x86_64(s, data->d_buf, data->d_size, sh->sh_addr, sh->sh_entsize, fn, ctx);
}

/* .plt, .plt.got, .plt.sec, .iplt */
static bool is_plt(const char *name)
{
	return name && (!strcmp(name, ".plt") || !strncmp(name, ".plt.", 5) ||
			!strcmp(name, ".iplt"));
}

int plt_walk(Elf *elf, Elf *symbols, plt_fn fn, void *ctx)
{
	struct slots s = { .elf = elf };
	Elf_Scn *scn = NULL;
	bool ready = false;
	GElf_Ehdr ehdr;
	GElf_Shdr sh;
	size_t names;
	int ret = 0;

	if (!gelf_getehdr(elf, &ehdr) || elf_getshdrstrndx(elf, &names))
		return 0;
	s.machine = ehdr.e_machine;
	if (s.machine != EM_X86_64 && s.machine != EM_AARCH64)
		return 0;
	while (!ret && (scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS ||
		    !(sh.sh_flags & SHF_EXECINSTR) ||
		    !is_plt(elf_strptr(elf, names, sh.sh_name)))
			continue;
		if (!ready)
			ret = read_slots(&s, symbols);
		ready = true;
		if (!ret)
			ret = walk_section(&s, scn, &sh, fn, ctx);
	}
	free(s.slot);
	return ret;
}
