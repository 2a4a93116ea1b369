/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Disassembly of arm64 and x86-64, by capstone.
 */
#ifndef PCSAMPLE_SYMBOLS_DISASM_H
#define PCSAMPLE_SYMBOLS_DISASM_H

#include <stdbool.h>

#include "base/array.h"
#include "base/error.h"

/**
 * struct instruction - one instruction, or bytes that cannot be decoded
 * @vaddr: its address
 * @size: bytes
 * @text: mnemonic and operands
 * @branches: execution may continue elsewhere than at the next instruction
 * @target: where a branch goes to, 0 if the instruction does not say
 */
struct instruction {
	u64 vaddr;
	u32 size;
	bool branches;
	u64 target;
	char text[200];
};

/**
 * disassemble() - decode instructions
 * @p: @size bytes at @vaddr
 * @machine: EM_AARCH64 or EM_X86_64
 * @intel: use the syntax of Intel instead of AT&T's
 * @ret: receives the instructions, from malloc(); each byte of the code is in one
 *
 * Return: how many; -EOPNOTSUPP without capstone, -ENOEXEC for another machine, -ENOMEM.
 */
ssize_t disassemble(const u8 *p, size_t size, u64 vaddr, u16 machine, bool intel,
		    struct instruction **ret, struct error *err);

#endif /* PCSAMPLE_SYMBOLS_DISASM_H */
