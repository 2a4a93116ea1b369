/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols of ELF files, by libelf.
 */
#ifndef PCSAMPLE_SYMBOLS_ELF_SYMBOLS_H
#define PCSAMPLE_SYMBOLS_ELF_SYMBOLS_H

#include "base/elf-file.h"
#include "symbols/debuginfod.h"
#include "symbols/dso.h"

/**
 * elf_symbols_load() - fill the table of a DSO from its file
 * @symfs: directory in front of the path, or NULL
 * @kept: files that the recording has
 * @server: to be asked for what is not here, or NULL
 *
 * Reads the mapped file, and separate debug files by build id and debug link. The mapped file is
 * taken from its path or from a running process, if it has the recorded build id (or inode, without
 * a build id). Otherwise a copy with that build id is used, from the recording or elsewhere.
 * Addresses are file offsets.
 *
 * Return: 0, or a negative errno with a line in dso->problem: -ESTALE if the file is not the
 * recorded one.
 */
int elf_symbols_load(struct dso *dso, const char *symfs, const struct kept_files *kept,
		     struct debug_server *server);

/**
 * elf_symbols_find() - which file is at a path now, for dso_table_check_guesses()
 *
 * Return: false also if its inode cannot be held against those in the kernel's records.
 */
bool elf_symbols_find(const char *path, struct dso *found);

/*
 * As elf_symbols_load(), of an image in memory that outlives the DSO: the vDSO, whose functions
 * without a symbol get one
 */
int elf_symbols_load_image(struct dso *dso, const u8 *image, size_t size, const char *symfs,
			   struct debug_server *server);

/* The file of a loaded DSO that has debug information; NULL if none has */
Elf *elf_symbols_debug(const struct dso *dso);

/* The same, if it has call frame information of its own: .debug_frame */
Elf *elf_symbols_frames(const struct dso *dso);

/* The address in that file of a file offset in the DSO. Return: false if there is none */
bool elf_symbols_to_debug(const struct dso *dso, u64 offset, u64 *vaddr);

/* A file of a loaded DSO: the one that was mapped, or its debug file; NULL if it was not found */
const struct elf_file *elf_symbols_file(const struct dso *dso, bool debug);

/* Close what elf_symbols_load() keeps open */
void elf_symbols_release(struct dso *dso);

#endif /* PCSAMPLE_SYMBOLS_ELF_SYMBOLS_H */
