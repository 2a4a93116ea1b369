/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call frame information of ELF files (.eh_frame, .debug_frame), by libdw: where a function keeps
 * the registers of its caller. libdw is asked once for each address; its answer is kept.
 */
#ifndef PCSAMPLE_SYMBOLS_CFI_H
#define PCSAMPLE_SYMBOLS_CFI_H

#include "symbols/dso.h"

/* Registers by their numbers in DWARF: 17 of x86-64, 32 of arm64 */
#define CFI_REGS_MAX	32

/**
 * enum cfi_rule_kind - where the caller's value of a register is
 * @CFI_UNDEFINED: it is lost
 * @CFI_SAME: in the register
 * @CFI_AT: in memory, at the canonical frame address (CFA) plus @value
 * @CFI_VALUE: it is the CFA plus @value
 * @CFI_REGISTER: in the register @value
 * @CFI_EXPRESSION: @ops compute it
 */
enum cfi_rule_kind {
	CFI_UNDEFINED, CFI_SAME, CFI_AT, CFI_VALUE, CFI_REGISTER, CFI_EXPRESSION,
};

struct cfi_rule {
	u8 kind;
	s64 value;
	const void *ops;	/* Dwarf_Op */
	size_t nr_ops;
};

/**
 * struct cfi_row - how to get from an address to the caller
 * @reg, @offset: the CFA is the value of this register plus this offset, if @cfa has no operations
 * @return_address: the register that has the return address
 * @nr: number of rules
 * @signal: the frame of a signal handler: the caller was interrupted, and did not call
 */
struct cfi_row {
	u8 reg, return_address, nr;
	bool signal;
	s64 offset;
	struct cfi_rule cfa;
	struct cfi_rule rule[CFI_REGS_MAX];
};

/**
 * cfi_find() - the row of an address
 * @dso: loaded
 * @addr: as its symbols have it
 *
 * May be called from several threads.
 *
 * Return: NULL if there is none, or libdw was not built in; valid as long as the DSO.
 */
const struct cfi_row *cfi_find(struct dso *dso, u64 addr);

/* Reads memory for cfi_compute(). Return: whether the value is known */
typedef bool cfi_read_fn(void *ctx, u64 addr, unsigned int size, u64 *value);

/**
 * cfi_compute() - compute an expression
 * @rule: one of CFI_EXPRESSION, or @cfa of a row
 * @reg, @known: values of registers, and a bit for each that is known
 * @cfa: the CFA; NULL when it is the CFA that is computed
 * @read: reads memory, called with @ctx
 * @address: receives the result
 * @is_value: receives whether the result is the value itself; else it is the address of the value
 *
 * Return: false if the expression is damaged, or needs something that is not known.
 */
bool cfi_compute(const struct cfi_rule *rule, const u64 *reg, u64 known, const u64 *cfa,
		 cfi_read_fn *read, void *ctx, u64 *address, bool *is_value);

void cfi_destroy(struct cfi *cfi);

#endif /* PCSAMPLE_SYMBOLS_CFI_H */
