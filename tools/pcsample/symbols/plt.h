/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for the stubs of the procedure linkage table: they have no symbols, but each jumps to
 * one.
 */
#ifndef PCSAMPLE_SYMBOLS_PLT_H
#define PCSAMPLE_SYMBOLS_PLT_H

#include <libelf.h>

#include <arch-model/types.h>

/* Return: 0, or a negative errno that ends the walk */
typedef int (*plt_fn)(void *ctx, u64 start, u64 size, const char *name);

/**
 * plt_walk() - call a function for each stub of a program or library
 * @elf: with contents, not a debug file
 * @symbols: another file with symbols for the same addresses, for functions that no symbol table of
 *	@elf has; or NULL
 * @fn: gets virtual address, bytes, and the name of what the stub calls, as its file has it
 *
 * x86-64 and AArch64; others have no stubs.
 *
 * Return: 0, -ENOMEM, or what @fn returned.
 */
int plt_walk(Elf *elf, Elf *symbols, plt_fn fn, void *ctx);

#endif /* PCSAMPLE_SYMBOLS_PLT_H */
