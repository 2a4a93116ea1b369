/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of symbols as the source has them, each demangled once.
 */
#ifndef PCSAMPLE_SYMBOLS_NAMES_H
#define PCSAMPLE_SYMBOLS_NAMES_H

#include <stdbool.h>

#include "symbols/dwarf-cache.h"

struct names {
	bool demangle;
	struct idmap by_symbol;	/* DSO and symbol, or INLINED and a name, to index in @text */
	char **text;
	size_t nr, cap;
	char *line;		/* of report_srcline() */
	size_t line_cap;
};

void names_init(struct names *n, bool demangle);
void names_deinit(struct names *n);

/**
 * names_symbol() - the name of a symbol
 * @dso_index: of @dso, in its table
 * @sym: index in the DSO's symbols
 *
 * Return: lives as long as @n and the DSO.
 */
const char *names_symbol(struct names *n, const struct dso *dso, u32 dso_index, u32 sym);

/* As names_symbol(), of a function that was inlined; @name is an id in in->names */
const char *names_inlined(struct names *n, const struct inlines *in, u32 name);

#endif /* PCSAMPLE_SYMBOLS_NAMES_H */
