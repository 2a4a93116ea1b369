// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/cfi.h"
#include "symbols/elf-symbols.h"

#if HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>

/**
 * struct cfi - call frame information of a DSO
 * @eh, @debug: .eh_frame and .debug_frame in libdw, or NULL
 * @dbg: of @debug
 * @frame: frames of libdw that own the operations of rows
 * @by_addr: index in @row of each address that was asked for
 * @row: the answers; NULL for an address without one
 *
 * libdw is not thread-safe: take the DSO's lock before calling it.
 */
struct cfi {
	Dwarf_CFI *eh;
	Dwarf_CFI *debug;
	Dwarf *dbg;
	void **frame;		/* Dwarf_Frame */
	size_t nr_frames, frames_cap;
	struct idmap by_addr;
	const struct cfi_row **row;
	size_t nr, cap;
};

static bool has_registers(u16 machine)
{
	return machine == EM_X86_64 || machine == EM_AARCH64;
}

static struct cfi *open_cfi(struct dso *dso)
{
	const struct elf_file *f = elf_symbols_file(dso, false);
	struct cfi *cfi = calloc(1, sizeof(*cfi));
	Elf *elf;

	if (!cfi || !f || !has_registers(f->machine))
		return cfi;
	cfi->eh = dwarf_getcfi_elf(f->elf);
	/*
	 * libdw unpacks all sections of a file before it reads one: call it only for a file that
	 * has the section
	 */
	elf = elf_symbols_frames(dso);
	if (elf)
		cfi->dbg = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (cfi->dbg)
		cfi->debug = dwarf_getcfi(cfi->dbg);
	return cfi;
}

void cfi_destroy(struct cfi *cfi)
{
	size_t i;

	if (!cfi)
		return;
	for (i = 0; i < cfi->nr; i++)
		free((void *)cfi->row[i]);
	for (i = 0; i < cfi->nr_frames; i++)
		free(cfi->frame[i]);
	free(cfi->row);
	free(cfi->frame);
	idmap_deinit(&cfi->by_addr);
	if (cfi->eh)
		dwarf_cfi_end(cfi->eh);
	if (cfi->dbg)
		dwarf_end(cfi->dbg);
	free(cfi);
}

/* What libdw says, as rows */

/* "register and offset" is the expression of nearly all frames */
static bool is_breg(const Dwarf_Op *op, u8 *reg, s64 *offset)
{
	if (op->atom >= DW_OP_breg0 && op->atom < DW_OP_breg0 + CFI_REGS_MAX) {
		*reg = op->atom - DW_OP_breg0;
		*offset = op->number;
		return true;
	}
	if (op->atom == DW_OP_bregx && op->number < CFI_REGS_MAX) {
		*reg = op->number;
		*offset = op->number2;
		return true;
	}
	return false;
}

static bool is_reg(const Dwarf_Op *op, s64 *reg)
{
	if (op->atom >= DW_OP_reg0 && op->atom < DW_OP_reg0 + CFI_REGS_MAX)
		*reg = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx && op->number < CFI_REGS_MAX)
		*reg = op->number;
	else
		return false;
	return true;
}

/*
 * libdw gives an offset from the frame's address as DW_OP_call_frame_cfa and, if it is not 0,
 * DW_OP_plus_uconst of it, modulo 2^64.
 */
static bool is_cfa_offset(const Dwarf_Op *op, size_t nr, s64 *offset)
{
	if (!nr || op[0].atom != DW_OP_call_frame_cfa)
		return false;
	*offset = nr > 1 ? op[1].number : 0;
	return nr == 1 || (nr == 2 && op[1].atom == DW_OP_plus_uconst);
}

/* @kept: set to true if the rule points into the frame of libdw, which must be kept then */
static void set_rule(struct cfi_rule *rule, const Dwarf_Op *own, const Dwarf_Op *ops, size_t nr,
		     bool *kept)
{
	bool value = nr && ops[nr - 1].atom == DW_OP_stack_value;

	if (!nr)
		rule->kind = ops == own ? CFI_UNDEFINED : CFI_SAME;
	else if (is_cfa_offset(ops, nr - value, &rule->value))
		rule->kind = value ? CFI_VALUE : CFI_AT;
	else if (nr == 1 && is_reg(ops, &rule->value))
		rule->kind = CFI_REGISTER;
	else if (ops == own)
		rule->kind = CFI_UNDEFINED;	/* libdw makes no others */
	else
		*rule = (struct cfi_rule){ CFI_EXPRESSION, 0, ops, nr };
	*kept |= rule->kind == CFI_EXPRESSION;
}

static bool fill_row(struct cfi_row *row, Dwarf_Frame *frame, u16 machine, bool *kept)
{
	Dwarf_Op own[3], *ops;
	Dwarf_Addr start, end;
	size_t nr;
	int i, ra;

	ra = dwarf_frame_info(frame, &start, &end, &row->signal);
	if (ra < 0 || ra >= CFI_REGS_MAX || dwarf_frame_cfa(frame, &ops, &nr) || !nr)
		return false;
	row->return_address = ra;
	if (nr != 1 || !is_breg(ops, &row->reg, &row->offset)) {
		row->cfa = (struct cfi_rule){ CFI_EXPRESSION, 0, ops, nr };
		*kept = true;
	}
	row->nr = machine == EM_X86_64 ? 17 : 32;
	for (i = 0; i < row->nr; i++) {
		if (dwarf_frame_register(frame, i, own, &ops, &nr))
			return false;
		set_rule(&row->rule[i], own, ops, nr, kept);
	}
	return true;
}

static struct cfi_row *make_row(struct cfi *cfi, Dwarf_CFI *from, u64 vaddr, u16 machine)
{
	struct cfi_row *row = NULL;
	Dwarf_Frame *frame;
	bool kept = false;

	if (!from || dwarf_cfi_addrframe(from, vaddr, &frame))
		return NULL;
	if (!mem_grow(&cfi->frame, &cfi->frames_cap, cfi->nr_frames + 1))
		row = calloc(1, sizeof(*row));
	if (row && !fill_row(row, frame, machine, &kept)) {
		free(row);
		row = NULL;
	}
	if (row && kept)
		cfi->frame[cfi->nr_frames++] = frame;
	else
		free(frame);
	return row;
}

/* If an address has no row, that is remembered, too, as NULL */
static const struct cfi_row *add_row(struct cfi *cfi, const struct dso *dso, u64 addr)
{
	const struct elf_file *f = elf_symbols_file(dso, false);
	const struct elf_segment *in = f ? elf_file_segment_of(f, addr) : NULL;
	struct cfi_row *row = NULL;
	u64 vaddr;

	if (in)
		row = make_row(cfi, cfi->eh, addr - in->offset + in->vaddr, f->machine);
	if (!row && cfi->debug && elf_symbols_to_debug(dso, addr, &vaddr))
		row = make_row(cfi, cfi->debug, vaddr, f ? f->machine : EM_NONE);
	if (mem_grow(&cfi->row, &cfi->cap, cfi->nr + 1) ||
	    idmap_set(&cfi->by_addr, addr, cfi->nr)) {
		free(row);
		return NULL;
	}
	cfi->row[cfi->nr++] = row;
	return row;
}

const struct cfi_row *cfi_find(struct dso *dso, u64 addr)
{
	const struct cfi_row *row = NULL;
	u32 found;

	if (dso->kind != DSO_FILE && dso->kind != DSO_VDSO && dso->kind != DSO_IMAGE)
		return NULL;
	pthread_mutex_lock(&dso->lock);
	if (!dso->cfi)
		dso->cfi = open_cfi(dso);
	if (dso->cfi) {
		found = idmap_get(&dso->cfi->by_addr, addr);
		row = found != IDMAP_NONE ? dso->cfi->row[found] : add_row(dso->cfi, dso, addr);
	}
	pthread_mutex_unlock(&dso->lock);
	return row;
}

/*
 * Expressions: DWARF 5, 2.5. They are untrusted. Expressions of registers begin with the frame's
 * address, for which libdw inserts an operation.
 */

#define DEPTH_MAX	64
#define STEPS_MAX	1000	/* they can jump back */

struct machine {
	u64 stack[DEPTH_MAX];
	unsigned int depth;
	bool failed;
	const u64 *reg, *cfa;
	u64 known;
	cfi_read_fn *read;
	void *ctx;
};

static void push(struct machine *m, u64 v)
{
	if (m->depth == DEPTH_MAX)
		m->failed = true;
	else
		m->stack[m->depth++] = v;
}

static u64 pop(struct machine *m)
{
	if (!m->depth) {
		m->failed = true;
		return 0;
	}
	return m->stack[--m->depth];
}

static u64 peek(struct machine *m, u64 below)
{
	if (below >= m->depth) {
		m->failed = true;
		return 0;
	}
	return m->stack[m->depth - 1 - below];
}

static void push_memory(struct machine *m, unsigned int size)
{
	u64 v = 0;

	if (!size || size > 8 || !m->read(m->ctx, pop(m), size, &v))
		m->failed = true;
	push(m, v);
}

static void push_register(struct machine *m, u8 reg, u64 offset)
{
	if (!(m->known >> reg & 1))
		m->failed = true;
	else
		push(m, m->reg[reg] + offset);
}

/* An operation of two values. @known: set to false if @atom is none of these */
static u64 compute(u8 atom, u64 a, u64 b, bool *known)
{
	switch (atom) {
	case DW_OP_plus:
		return a + b;
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_and:
		return a & b;
	case DW_OP_or:
		return a | b;
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_shl:
		return b > 63 ? 0 : a << b;
	case DW_OP_shr:
		return b > 63 ? 0 : a >> b;
	case DW_OP_shra:
		return (s64)a >> min(b, (u64)63);
	case DW_OP_eq:
		return a == b;
	case DW_OP_ne:
		return a != b;
	case DW_OP_lt:
		return (s64)a < (s64)b;
	case DW_OP_le:
		return (s64)a <= (s64)b;
	case DW_OP_gt:
		return (s64)a > (s64)b;
	case DW_OP_ge:
		return (s64)a >= (s64)b;
	}
	*known = false;
	return 0;
}

static bool binary(struct machine *m, u8 atom)
{
	bool known = true;
	u64 v;

	if (m->depth < 2)
		return false;
	v = compute(atom, peek(m, 1), peek(m, 0), &known);
	if (!known)
		return false;
	pop(m);
	pop(m);
	push(m, v);
	return true;
}

/* Operations that reorder the values on the stack. Return: whether @op is one of these */
static bool shuffle(struct machine *m, const Dwarf_Op *op)
{
	u64 a, b, c;

	switch (op->atom) {
	case DW_OP_dup:
		push(m, peek(m, 0));
		return true;
	case DW_OP_drop:
		pop(m);
		return true;
	case DW_OP_over:
		push(m, peek(m, 1));
		return true;
	case DW_OP_pick:
		push(m, peek(m, op->number));
		return true;
	case DW_OP_swap:
		a = pop(m);
		b = pop(m);
		push(m, a);
		push(m, b);
		return true;
	case DW_OP_rot:
		a = pop(m);
		b = pop(m);
		c = pop(m);
		push(m, a);
		push(m, c);
		push(m, b);
		return true;
	case DW_OP_neg:
		push(m, -pop(m));
		return true;
	case DW_OP_not:
		push(m, ~pop(m));
		return true;
	case DW_OP_abs:
		a = pop(m);
		push(m, (s64)a < 0 ? -a : a);
		return true;
	}
	return false;
}

static bool constant(struct machine *m, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		push(m, op->atom - DW_OP_lit0);
		return true;
	}
	switch (op->atom) {
	case DW_OP_addr:
	case DW_OP_const1u: case DW_OP_const1s:
	case DW_OP_const2u: case DW_OP_const2s:
	case DW_OP_const4u: case DW_OP_const4s:
	case DW_OP_const8u: case DW_OP_const8s:
	case DW_OP_constu: case DW_OP_consts:
		push(m, op->number);
		return true;
	}
	return false;
}

static void execute(struct machine *m, const Dwarf_Op *op)
{
	s64 offset;
	u8 reg;

	if (constant(m, op) || shuffle(m, op) || binary(m, op->atom))
		return;
	if (is_breg(op, &reg, &offset)) {
		push_register(m, reg, offset);
		return;
	}
	switch (op->atom) {
	case DW_OP_nop:
		return;
	case DW_OP_deref:
		push_memory(m, 8);
		return;
	case DW_OP_deref_size:
		push_memory(m, op->number);
		return;
	case DW_OP_plus_uconst:
		push(m, pop(m) + op->number);
		return;
	case DW_OP_call_frame_cfa:
		if (m->cfa)
			push(m, *m->cfa);
		else
			m->failed = true;
		return;
	}
	m->failed = true;
}

/* The target of a branch: its operand counts bytes from the end of the branch, which has 3 bytes */
static size_t target(const Dwarf_Op *ops, size_t nr, size_t from)
{
	u64 offset = ops[from].offset + 3 + (int16_t)ops[from].number;
	size_t i;

	for (i = 0; i < nr && ops[i].offset != offset; i++)
		;
	return i;
}

bool cfi_compute(const struct cfi_rule *rule, const u64 *reg, u64 known, const u64 *cfa,
		 cfi_read_fn *read, void *ctx, u64 *address, bool *is_value)
{
	struct machine m = {
		.reg = reg, .cfa = cfa, .known = known, .read = read, .ctx = ctx,
	};
	const Dwarf_Op *ops = rule->ops;
	size_t i = 0, steps;

	*is_value = false;
	for (steps = 0; i < rule->nr_ops && !m.failed && steps < STEPS_MAX; steps++) {
		if (ops[i].atom == DW_OP_skip || (ops[i].atom == DW_OP_bra && pop(&m))) {
			i = target(ops, rule->nr_ops, i);
			continue;
		}
		if (ops[i].atom == DW_OP_stack_value)
			*is_value = true;
		else if (ops[i].atom != DW_OP_bra)
			execute(&m, &ops[i]);
		i++;
	}
	*address = pop(&m);
	return !m.failed && steps < STEPS_MAX;
}

#else

const struct cfi_row *cfi_find(struct dso *dso, u64 addr)
{
	return NULL;
}

bool cfi_compute(const struct cfi_rule *rule, const u64 *reg, u64 known, const u64 *cfa,
		 cfi_read_fn *read, void *ctx, u64 *address, bool *is_value)
{
	return false;
}

void cfi_destroy(struct cfi *cfi)
{
}

#endif
