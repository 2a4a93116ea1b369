/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The headers of an ELF file, read once and checked: the file is not trusted.
 */
#ifndef PCSAMPLE_BASE_ELF_FILE_H
#define PCSAMPLE_BASE_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>

#include "base/build-id.h"

/**
 * struct elf_segment - a segment that is loaded, PT_LOAD
 * @vaddr: virtual address
 * @offset: in the file
 * @size: bytes in memory; @file_size of them are in the file
 * @code: it is executable
 */
struct elf_segment {
	u64 vaddr, offset, size, file_size;
	bool code;
};

/**
 * struct elf_file - an open ELF file
 * @fd: -1 for an image in memory
 * @elf: for sections, symbols and DWARF; NULL if the file is not open
 * @image: memory that goes with the file, or NULL
 * @machine: EM_*
 * @id: its build id, or size 0
 * @base: lowest address that is loaded, 0 if nothing is
 * @load: @nr segments, in the order of the file. e_phnum is untrusted: reading stops at the first
 *	unreadable header, and at ELF_SEGMENTS_MAX.
 */
struct elf_file {
	int fd;
	Elf *elf;
	u8 *image;
	u16 machine;
	struct build_id id;
	u64 base;
	struct elf_segment *load;
	size_t nr, cap;
};

#define ELF_SEGMENTS_MAX	65536	/* /proc/kcore has one for each piece of memory */

/**
 * elf_file_open() - open a file by its path
 *
 * Only a regular file is opened: a recording may name a FIFO or a device. If other users may
 * shorten the file, it is read piece by piece instead of being mapped.
 *
 * Return: 0; -ENOEXEC if it is no ELF file; or another negative errno. @f is closed then.
 */
int elf_file_open(struct elf_file *f, const char *path);

/*
 * As elf_file_open(), of an open file, which is closed with @f. @map: no other user can shorten the
 * file, so it may be mapped
 */
int elf_file_open_fd(struct elf_file *f, int fd, bool map);

/* As elf_file_open(), of an image that outlives @f */
int elf_file_open_image(struct elf_file *f, const u8 *image, size_t size);

void elf_file_close(struct elf_file *f);

/*
 * A section by its name, or NULL. @sh receives its header, @data its bytes as they are in the file
 */
Elf_Scn *elf_file_section(const struct elf_file *f, const char *name, GElf_Shdr *sh,
			  Elf_Data **data);

/* The segment that has an address, or an offset, in the file; NULL if there is none */
const struct elf_segment *elf_file_segment(const struct elf_file *f, u64 vaddr);
const struct elf_segment *elf_file_segment_of(const struct elf_file *f, u64 offset);

#endif /* PCSAMPLE_BASE_ELF_FILE_H */
