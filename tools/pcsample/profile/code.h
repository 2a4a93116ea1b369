/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bytes of recorded code, if its file can still be found.
 */
#ifndef PCSAMPLE_PROFILE_CODE_H
#define PCSAMPLE_PROFILE_CODE_H

#include "profile/session.h"

/**
 * struct code_bytes - a piece of code
 * @p: its bytes, from malloc()
 * @size: how many
 * @vaddr: virtual address of the first, as the file or the kernel was linked or runs
 * @machine: EM_AARCH64, EM_X86_64, ...
 * @from: where the bytes come from, to be shown to the user
 */
struct code_bytes {
	u8 *p;
	size_t size;
	u64 vaddr;
	u16 machine;
	char from[512];
};

/**
 * code_read() - read code
 * @dso: index, loaded
 * @addr: first byte, as struct resolved has it
 * @size: bytes
 * @vmlinux: ELF file of the recorded kernel; NULL to use /proc/kcore where that kernel runs
 *
 * Return: 0; -ENOENT if the code is not found, -ESTALE if the recorded kernel does not run here, or
 * another negative errno, with a line in @err.
 */
int code_read(struct session *s, u32 dso, u64 addr, size_t size, const char *vmlinux,
	      struct code_bytes *ret, struct error *err);
void code_deinit(struct code_bytes *c);

#endif /* PCSAMPLE_PROFILE_CODE_H */
