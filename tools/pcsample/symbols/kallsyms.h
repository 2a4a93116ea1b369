/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own symbol list: /proc/kallsyms, or a copy kept in the recording.
 */
#ifndef PCSAMPLE_SYMBOLS_KALLSYMS_H
#define PCSAMPLE_SYMBOLS_KALLSYMS_H

#include "base/error.h"
#include "symbols/symtab.h"

/*
 * @text is the list, with a NUL behind each name. Symbols of one module are together and modules do
 * not overlap. @module[0] is the kernel proper. @mapped: if not 0, @text and @syms are in a mapped
 * file of that size, which begins with @text.
 */
struct kallsyms {
	char *text;
	size_t size, mapped;
	struct kallsyms_module {
		const char *name;	/* in @text, not terminated; NULL for the kernel */
		size_t name_len;
		u64 start, end;		/* of its code, from the first to behind the last symbol */
		size_t first, nr;	/* its symbols in @syms */
	} *module;
	size_t nr_modules, modules_cap;
	struct kallsyms_symbol {
		u64 addr;
		u32 name;		/* offset in @text */
		u32 rank;		/* enum symbol_rank */
	} *syms;
	size_t nr_syms, syms_cap;
	s64 shift;			/* added to an address, as the kernel has moved (KASLR) */
};

/**
 * kallsyms_parse() - read a symbol list
 * @text: from malloc(); belongs to @k from now on, and is freed on failure, too
 * @size: its bytes; there must be room for one more
 *
 * Return: 0; -EPERM if all addresses are 0, as the kernel shows them to users without the right to
 * see them; -EINVAL for anything that is no symbol list; -ENOMEM.
 */
int kallsyms_parse(struct kallsyms *k, char *text, size_t size, struct error *err);

/* As kallsyms_parse(), of a file */
int kallsyms_read(struct kallsyms *k, const char *path, struct error *err);

/**
 * kallsyms_find() - address of a symbol of the kernel proper
 *
 * Return: 0 if there is none.
 */
u64 kallsyms_find(const struct kallsyms *k, const char *name);

/**
 * kallsyms_symtab() - symbols of the kernel proper, or of a module
 * @module: name without brackets; NULL for the kernel
 *
 * Names stay in @k, which must outlive @st. Return: 0, -ENOENT if there is no such module, -ENOMEM.
 */
int kallsyms_symtab(const struct kallsyms *k, const char *module, struct symtab *st);

void kallsyms_deinit(struct kallsyms *k);

#endif /* PCSAMPLE_SYMBOLS_KALLSYMS_H */
