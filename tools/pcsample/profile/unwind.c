// SPDX-License-Identifier: GPL-2.0-only
#include "profile/unwind.h"
#include "symbols/cfi.h"

/* Machines: perf's numbers of registers, by those of DWARF */

static const u8 x86_64_regs[] = {
	/* rax rdx rcx rbx rsi rdi rbp rsp r8... */
	0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23,
};

static const u8 arm64_regs[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};

/*
 * @nr: number of general registers; where DWARF has a number for the program counter, it is this
 * @pc: perf's number of the program counter
 * @sp, @fp: DWARF's numbers of stack pointer and frame pointer
 * @link: DWARF's number of the register with the return address of a function that has not called
 *	another one; 0 if the machine has none
 * @code: bits of a code address; those above them may be a signature (FEAT_PAuth)
 */
static const struct machine {
	const char *arch, *alias;
	const u8 *regs;
	unsigned int nr, pc, sp, fp, link;
	u64 code;
} machines[] = {
	{ "x86_64", "amd64", x86_64_regs, ARRAY_SIZE(x86_64_regs), 8, 7, 6, 0, ~0ULL },
	{ "aarch64", "arm64", arm64_regs, ARRAY_SIZE(arm64_regs), 32, 31, 29, 30,
	  (1ULL << 48) - 1 },
};

static const struct machine *machine_of(const struct session *s)
{
	const char *arch = session_string(s, PERFDATA_ARCH);
	size_t i;

	for (i = 0; arch && i < ARRAY_SIZE(machines); i++)
		if (!strcmp(arch, machines[i].arch) || !strcmp(arch, machines[i].alias))
			return &machines[i];
	return NULL;
}

bool unwind_possible(const struct session *s)
{
	return HAVE_LIBDW && machine_of(s);
}

/* The state of a thread in a frame */

/*
 * @reg: values, by DWARF's numbers; @known has a bit for each register whose value is known
 * @called: @pc is a return address, not where code was interrupted
 */
struct state {
	const struct machine *m;
	const struct user_state *user;
	u64 stack_at;
	u64 pc, reg[CFI_REGS_MAX], known;
	bool called;
};

static bool knows(const struct state *st, unsigned int reg)
{
	return st->known >> reg & 1;
}

static void set(struct state *st, unsigned int reg, u64 value)
{
	st->reg[reg] = value;
	st->known |= 1ULL << reg;
}

/* On x86-64 DWARF has a number for the PC, which expressions of PLTs use */
static void set_pc(struct state *st, u64 pc)
{
	st->pc = pc & st->m->code;
	if (st->m->nr < CFI_REGS_MAX)
		set(st, st->m->nr, st->pc);
}

static bool read_stack(void *ctx, u64 addr, unsigned int size, u64 *value)
{
	const struct state *st = ctx;
	u64 at = addr - st->stack_at;

	if (at >= st->user->size || st->user->size - at < size)
		return false;
	*value = 0;
	memcpy(value, st->user->stack + at, size);
	return true;
}

/* perf stores the registers in the order of their bits */
static bool recorded(const struct sample_layout *l, const struct user_state *u, unsigned int reg,
		     u64 *value)
{
	if (!(l->user_regs >> reg & 1))
		return false;
	*value = load64(u->regs + 8 * __builtin_popcountll(l->user_regs & ((1ULL << reg) - 1)));
	return true;
}

static bool start(struct state *st, const struct machine *m, const struct sample_layout *l,
		  const struct user_state *u)
{
	unsigned int i;
	u64 v;

	*st = (struct state){ .m = m, .user = u };
	for (i = 0; i < m->nr; i++)
		if (recorded(l, u, m->regs[i], &v))
			set(st, i, v);
	st->stack_at = st->reg[m->sp];
	if (!recorded(l, u, m->pc, &v) || !knows(st, m->sp))
		return false;
	set_pc(st, v);
	return true;
}

/* To the caller, by call frame information */

static bool find_cfa(const struct state *st, const struct cfi_row *row, u64 *cfa)
{
	bool is_value;

	if (row->cfa.nr_ops)
		return cfi_compute(&row->cfa, st->reg, st->known, NULL, read_stack, (void *)st, cfa,
				   &is_value);
	*cfa = st->reg[row->reg] + row->offset;
	return knows(st, row->reg);
}

static bool apply(const struct state *st, const struct cfi_rule *rule, unsigned int reg, u64 cfa,
		  u64 *v)
{
	bool is_value;

	switch (rule->kind) {
	case CFI_SAME:
		*v = st->reg[reg];
		return knows(st, reg);
	case CFI_AT:
		/*
		 * At the end of a function, LLVM does not say that registers were popped. Their
		 * places are below the stack pointer then, and they have their values already.
		 */
		if (cfa + rule->value < st->reg[st->m->sp]) {
			*v = st->reg[reg];
			return knows(st, reg);
		}
		return read_stack((void *)st, cfa + rule->value, 8, v);
	case CFI_VALUE:
		*v = cfa + rule->value;
		return true;
	case CFI_REGISTER:
		*v = st->reg[rule->value];
		return knows(st, rule->value);
	case CFI_EXPRESSION:
		if (!cfi_compute(rule, st->reg, st->known, &cfa, read_stack, (void *)st, v,
				 &is_value))
			return false;
		return is_value || read_stack((void *)st, *v, 8, v);
	}
	return false;
}

/* Return: whether there is a caller */
static bool step_by_row(struct state *st, const struct cfi_row *row)
{
	struct state next = *st;
	unsigned int i;
	u64 cfa, v;

	if (!find_cfa(st, row, &cfa))
		return false;
	next.known = 0;
	for (i = 0; i < row->nr; i++)
		if (apply(st, &row->rule[i], i, cfa, &v))
			set(&next, i, v);
	/* Without a rule, the canonical frame address is the stack pointer of the caller */
	if (row->rule[st->m->sp].kind <= CFI_SAME)
		set(&next, st->m->sp, cfa);
	if (!knows(&next, row->return_address))
		return false;
	set_pc(&next, next.reg[row->return_address]);
	next.called = !row->signal;
	/* Only a leaf function may have no frame: in others an unchanged stack pointer is a loop */
	if (next.reg[st->m->sp] < st->reg[st->m->sp] ||
	    (next.reg[st->m->sp] == st->reg[st->m->sp] && st->called && next.called))
		return false;
	*st = next;
	return st->pc;
}

/*
 * Code without call frame information: the frame pointer is the address of the caller's frame
 * pointer, with the return address behind that
 */
static bool step_by_frame(struct state *st)
{
	const struct machine *m = st->m;
	u64 fp = st->reg[m->fp], caller = 0, ret;

	if (!knows(st, m->fp) || fp + 16 <= st->reg[m->sp] || !read_stack(st, fp + 8, 8, &ret))
		return false;
	read_stack(st, fp, 8, &caller);
	st->known = 0;
	set_pc(st, ret);
	set(st, m->fp, caller);
	set(st, m->sp, fp + 16);
	st->called = true;
	return st->pc;
}

static u32 symbol_at(struct session *s, const struct range *r, u64 ip)
{
	return symtab_find(&session_load_dso(s, r->dso)->symtab, ip + r->shift);
}

/*
 * On machines with a link register, leaf functions have no frame. Those of arm64's vDSO have no
 * call frame information either, and step_by_frame() would skip their caller: take it from the link
 * register. In any other function this register is of no use, and has the return address that is in
 * the frame, too, or an address in the function itself, left by a call.
 */
static bool step_by_link(struct state *st, struct session *s, struct resolver *rs,
			 const struct resolved *x, const struct range *at)
{
	const struct machine *m = st->m;
	u64 link = st->reg[m->link] & m->code, in_frame = 0;
	const struct range *r;

	if (st->called || !m->link || !knows(st, m->link) || !link)
		return false;
	read_stack(st, st->reg[m->fp] + 8, 8, &in_frame);
	if ((in_frame & m->code) == link)
		return false;
	r = resolve_address(rs, x, PERF_RECORD_MISC_USER, link - 1);
	if (r->dso == DSO_INDEX_UNKNOWN ||
	    (r->dso == at->dso && symbol_at(s, r, link - 1) == symbol_at(s, at, st->pc)))
		return false;
	set_pc(st, link);
	st->called = true;
	return true;
}

/*
 * Without call frame information, the register may be no frame pointer, and what is behind it no
 * return address. It is none if it is in no mapping, while those of the code before are known.
 */
static bool is_nowhere(const struct state *st, struct resolver *rs, const struct resolved *x,
		       const struct range *from)
{
	u64 ip = st->pc - st->called;

	return from->dso != DSO_INDEX_UNKNOWN &&
	       resolve_address(rs, x, PERF_RECORD_MISC_USER, ip)->dso == DSO_INDEX_UNKNOWN;
}

/* All frames */

static const struct cfi_row *row_of(struct unwinder *u, struct session *s, u32 dso, u64 addr)
{
	struct unwind_recent *r = &u->recent[(addr ^ dso << 7) % UNWIND_RECENT];

	if (r->dso != dso + 1 || r->addr != addr) {
		session_load_dso(s, dso);
		*r = (struct unwind_recent){ addr, dso + 1,
					     cfi_find(session_dso(s, dso), addr) };
	}
	return r->row;
}

/* A stack that was copied whole has no more frames than words */
static size_t frames_max(const struct user_state *user)
{
	return user->size / 8 + 2;
}

int unwind(struct unwinder *u, struct session *s, struct resolver *rs,
	   const struct sample_layout *l, const u8 *rec, const struct resolved *x)
{
	const struct machine *m = machine_of(s);
	const struct cfi_row *row;
	const struct range *r;
	struct user_state user;
	struct unwind_frame *f;
	struct state st;
	bool more = true;

	u->nr = 0;
	if (!HAVE_LIBDW || !m || !sample_user_state(l, rec, &user) || !start(&st, m, l, &user))
		return 0;
	while (more && u->nr < frames_max(&user)) {
		if (mem_grow(&u->frame, &u->cap, u->nr + 1))
			return -ENOMEM;
		f = &u->frame[u->nr++];
		f->ip = st.pc - st.called;
		r = resolve_address(rs, x, PERF_RECORD_MISC_USER, f->ip);
		f->dso = r->dso;
		f->addr = f->ip + r->shift;
		row = row_of(u, s, f->dso, f->addr);
		/*
		 * A signal handler returns to the first instruction of a trampoline. Call frame
		 * information begins one byte before it, but the trampoline's symbol does not.
		 */
		if (row && row->signal && st.called) {
			f->ip++;
			f->addr++;
		}
		/* Of 32-bit programs, only what was interrupted: see unwind_leaves_out() */
		if (user.abi != PERF_SAMPLE_REGS_ABI_64)
			break;
		more = row ? step_by_row(&st, row) :
		       step_by_link(&st, s, rs, x, r) || step_by_frame(&st);
		if (more && !row && is_nowhere(&st, rs, x, r))
			break;
	}
	return 0;
}

bool unwind_leaves_out(const struct session *s)
{
	const struct sample_layout *l;
	struct user_state user;
	const u8 *rec;
	u64 pos = 0;
	u32 event;
	size_t i;

	for (i = 0; i < s->pd->nr_events; i++)
		if (s->pd->events[i].attr.sample_type & PERF_SAMPLE_STACK_USER)
			break;
	if (i == s->pd->nr_events || !unwind_possible(s))
		return false;
	while ((rec = perfdata_next(s->pd, &pos))) {
		if (rec_type(rec) != PERF_RECORD_SAMPLE)
			continue;
		event = perfdata_event_of(s->pd, rec);
		l = &s->pd->events[event == IDMAP_NONE ? 0 : event].layout;
		if (rec_size(rec) >= l->size && sample_user_state(l, rec, &user) &&
		    user.abi == PERF_SAMPLE_REGS_ABI_32)
			return true;
	}
	return false;
}

void unwinder_deinit(struct unwinder *u)
{
	free(u->frame);
}
