/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source line and inlined functions of the addresses of samples, read from DWARF once an address.
 */
#ifndef PCSAMPLE_SYMBOLS_DWARF_CACHE_H
#define PCSAMPLE_SYMBOLS_DWARF_CACHE_H

#include "symbols/dso.h"

/**
 * struct inlined_call - a function that was inlined into another one
 * @outer: index of the call that contains it; INLINED_NOTHING if that is a function of its own
 * @name: id in @names, of the name as its file has it
 */
struct inlined_call {
	u32 outer;
	u32 name;
};

#define INLINED_NOTHING (~0U)

#define NO_SOURCE_FILE (~0U)

/**
 * struct source_spot - what the debug information says of an address
 * @call: index of the innermost function that was inlined there, or INLINED_NOTHING
 * @inlined: id of its name in @names, or INLINED_NOTHING
 * @path: id in @files of the line's file with its directories; or NO_SOURCE_FILE
 * @file: the same of its name without directories
 * @line: of the innermost function; 0 for code that belongs to no line
 */
struct source_spot {
	u32 call, inlined;
	u32 path, file;
	u32 line;
};

/*
 * Calls are a forest: functions that were inlined into each other in the same way are one call,
 * wherever their code is. @by_addr has a map for each DSO, from addresses to indexes in @spot.
 */
struct inlines {
	pthread_mutex_t lock;
	struct idmap *by_addr;
	size_t dsos_cap;
	struct source_spot *spot;
	size_t nr_spots, spots_cap;
	struct inlined_call *call;
	size_t nr, cap;
	struct idmap by_call;
	struct intern names, files;
};

void inlines_init(struct inlines *in);
void inlines_deinit(struct inlines *in);

/**
 * inlines_find() - look up an address in the debug information
 * @dso: has the index @dso_index, and its symbols are loaded
 * @addr: as in struct resolved
 *
 * May be called from several threads, if nothing else asks for the source of @dso.
 *
 * Return: 0 or -ENOMEM.
 */
int inlines_find(struct inlines *in, struct dso *dso, u32 dso_index, u64 addr,
		 struct source_spot *ret);

#endif /* PCSAMPLE_SYMBOLS_DWARF_CACHE_H */
