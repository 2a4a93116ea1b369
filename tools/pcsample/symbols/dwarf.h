/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source lines and inlined functions of addresses, from DWARF by libdw.
 */
#ifndef PCSAMPLE_SYMBOLS_DWARF_H
#define PCSAMPLE_SYMBOLS_DWARF_H

#include "symbols/dso.h"

/**
 * struct source_frame - a function that an address is in
 * @name: the linker's name if it is known, for demangle(), else the source's; NULL if not known
 * @file: NULL if not known
 * @dir: directory in which the compiler ran: a @file without a leading slash is relative to it;
 *	NULL if not known
 * @line: 0 if not known
 *
 * Texts live as long as the DSO.
 */
struct source_frame {
	const char *name;
	const char *file;
	const char *dir;
	u32 line;
};

#define SOURCE_FRAMES_MAX 32

/**
 * source_find() - functions and lines of an address
 * @dso: loaded, see dso_load()
 * @addr: as in struct resolved
 * @frame: receives up to SOURCE_FRAMES_MAX, the innermost inlined function first, the function that
 *	was not inlined last; each with the line in it
 *
 * The first call for a file reads its table of units; the first one for a unit reads all of the
 * unit. Two threads must not call it for the same DSO at a time.
 *
 * Return: number of frames; 0 if the file has no debug information about the address, or pcsample
 * was built without libdw.
 */
unsigned int source_find(struct dso *dso, u64 addr, struct source_frame *frame);

/* Is there debug information that source_find() would look into? @dso is loaded. */
bool source_known(const struct dso *dso);

/* Free what source_find() keeps */
struct source;
void source_destroy(struct source *src);

#endif /* PCSAMPLE_SYMBOLS_DWARF_H */
