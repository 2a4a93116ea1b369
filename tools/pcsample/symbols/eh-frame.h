/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where functions are that have no symbol: by the table that unwinders search.
 */
#ifndef PCSAMPLE_SYMBOLS_EH_FRAME_H
#define PCSAMPLE_SYMBOLS_EH_FRAME_H

#include "base/elf-file.h"

/* Return: 0, or a negative errno that ends the walk */
typedef int eh_frame_fn(void *ctx, u64 start, u64 size);

/**
 * eh_frame_walk() - call a function for each function that .eh_frame_hdr lists
 * @f: with contents, not a debug file
 * @fn: gets virtual address and bytes
 *
 * Entries in forms that compilers do not write for little-endian 64-bit machines are left out.
 *
 * Return: 0, or what @fn returned.
 */
int eh_frame_walk(const struct elf_file *f, eh_frame_fn *fn, void *ctx);

#endif /* PCSAMPLE_SYMBOLS_EH_FRAME_H */
