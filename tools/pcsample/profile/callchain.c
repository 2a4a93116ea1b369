// SPDX-License-Identifier: GPL-2.0-only
#include "profile/callchain.h"

/* Linux 6.19 */
#define CONTEXT_USER_DEFERRED	((u64)-640)

/* Not a mode: what follows the marker is a number, not addresses */
#define NO_ADDRESSES		0xff

/* A PC sample has a chain of one frame, its PC */
bool callchain_recorded(const struct recorded_event *e)
{
	return e->attr.sample_type & PERF_SAMPLE_CALLCHAIN && !perfdata_event_is_pcsample(e);
}

void callchain_deinit(struct callchain *c)
{
	free(c->frame);
	if (c->unwinder)
		unwinder_deinit(c->unwinder);
	free(c->unwinder);
	memset(c, 0, sizeof(*c));
}

static u8 mode_of(u64 context)
{
	switch (context) {
	case PERF_CONTEXT_HV:
		return PERF_RECORD_MISC_HYPERVISOR;
	case PERF_CONTEXT_KERNEL:
		return PERF_RECORD_MISC_KERNEL;
	case PERF_CONTEXT_USER:
		return PERF_RECORD_MISC_USER;
	case PERF_CONTEXT_GUEST_KERNEL:
		return PERF_RECORD_MISC_GUEST_KERNEL;
	case PERF_CONTEXT_GUEST:
	case PERF_CONTEXT_GUEST_USER:
		return PERF_RECORD_MISC_GUEST_USER;
	case CONTEXT_USER_DEFERRED:
		/* add_deferred() reads the number */
		return NO_ADDRESSES;
	}
	return PERF_RECORD_MISC_CPUMODE_UNKNOWN;
}

/* The arguments of callchain_find() */
struct parts {
	struct callchain *c;
	struct session *s;
	struct resolver *rs;
	const struct sample_layout *l;
	const u8 *rec;
	const struct resolved *x;
};

static void set_place(struct callchain_frame *f, const struct parts *p, const struct range *r,
		      u8 back)
{
	struct dso *dso = session_load_dso(p->s, r->dso);

	f->back = back;
	f->addr = f->ip - back + r->shift;
	f->dso = r->dso;
	f->sym = symtab_find(&dso->symtab, f->addr);
}

static void look_up(struct callchain_frame *f, const struct parts *p, u8 back)
{
	set_place(f, p, resolve_address(p->rs, p->x, f->mode, f->ip - back), back);
}

/*
 * While the kernel loads a program, the registers of user space are those of the one that called
 * execve(): the first address of user space is in what was mapped before.
 */
static void look_up_first(struct callchain_frame *f, const struct parts *p)
{
	const struct range *r;

	look_up(f, p, 0);
	if (f->dso != DSO_INDEX_UNKNOWN || f->mode != PERF_RECORD_MISC_USER ||
	    p->x->mode != PERF_RECORD_MISC_KERNEL)
		return;
	r = resolve_before_exec(p->rs, p->x, f->ip);
	if (r)
		set_place(f, p, r, 0);
}

/*
 * The call is before the address that it returns to, so look up the byte before. But a signal
 * handler returns to the first instruction of the kernel's trampoline, and nothing is before that.
 */
static void look_up_caller(struct callchain_frame *f, const struct parts *p)
{
	struct callchain_frame at = *f;

	look_up(f, p, 1);
	if (f->sym != SYM_NONE)
		return;
	look_up(&at, p, 0);
	if (at.sym != SYM_NONE)
		*f = at;
}

static struct callchain_frame *add_frame(struct callchain *c, u64 ip, u8 mode)
{
	struct callchain_frame *f;

	if (mem_grow(&c->frame, &c->cap, c->nr + 1))
		return NULL;
	f = &c->frame[c->nr++];
	*f = (struct callchain_frame){ .ip = ip, .mode = mode };
	return f;
}

/*
 * --call-graph lbr: the CPU remembers the calls that have not returned, the latest first. The
 * target of the latest is in the sampled function, and the source of each is in a caller. Return:
 * 1; 0 if the sample has none; -ENOMEM.
 */
static int add_branches(const struct parts *p)
{
	struct callchain_frame *f;
	const u8 *branch;
	u64 nr, i;

	if (!(p->l->branch_type & PERF_SAMPLE_BRANCH_CALL_STACK))
		return 0;
	branch = sample_branches(p->l, p->rec, &nr);
	if (!branch || !nr)
		return 0;
	for (i = 0; i <= nr; i++) {
		f = add_frame(p->c, i ? branch_from(branch + BRANCH_SIZE * (i - 1)) :
				    branch_to(branch),
			      PERF_RECORD_MISC_USER);
		if (!f)
			return -ENOMEM;
		look_up(f, p, 0);
	}
	return 1;
}

static int add_unwound(const struct parts *p)
{
	struct callchain *c = p->c;
	const struct unwind_frame *u;
	struct callchain_frame *f;
	size_t i;

	if (!(p->l->type & PERF_SAMPLE_STACK_USER))
		return 0;
	if (!c->unwinder)
		c->unwinder = calloc(1, sizeof(*c->unwinder));
	if (!c->unwinder || unwind(c->unwinder, p->s, p->rs, p->l, p->rec, p->x))
		return -ENOMEM;
	for (i = 0; i < c->unwinder->nr; i++) {
		u = &c->unwinder->frame[i];
		f = add_frame(c, u->ip, PERF_RECORD_MISC_USER);
		if (!f)
			return -ENOMEM;
		f->addr = u->addr;
		f->dso = u->dso;
		f->sym = symtab_find(&session_load_dso(p->s, u->dso)->symtab, u->addr);
	}
	/* The chain still has what was sampled, as in perf */
	if (!unwind_possible(p->s) && p->x->mode == PERF_RECORD_MISC_USER) {
		f = add_frame(c, p->x->ip, PERF_RECORD_MISC_USER);
		if (!f)
			return -ENOMEM;
		look_up_first(f, p);
	}
	return 0;
}

/*
 * Markers (PERF_CONTEXT_KERNEL, ...) say which context the addresses behind them are of. The first
 * address of a context is where its code was interrupted or entered the kernel, the others are
 * return addresses. Addresses without a marker are of user space, as in perf.
 */
static int add_addresses(const struct parts *p, const u8 *chain, u64 nr)
{
	u8 mode = PERF_RECORD_MISC_USER;
	struct callchain_frame *f;
	bool first = true;
	u64 i, ip;
	int ret;

	for (i = 0; i < nr; i++) {
		ip = load64(chain + 8 * i);
		if (ip == PERF_CONTEXT_USER) {
			ret = add_branches(p);
			if (ret)
				return min(ret, 0);
		}
		if (ip >= PERF_CONTEXT_MAX) {
			mode = mode_of(ip);
			first = true;
			continue;
		}
		if (mode == NO_ADDRESSES)
			continue;
		f = add_frame(p->c, ip, mode);
		if (!f)
			return -ENOMEM;
		if (first)
			look_up_first(f, p);
		else if (!ip)
			look_up(f, p, 0);
		else
			look_up_caller(f, p);
		first = false;
	}
	return 0;
}

/* Linux 6.19: the user's chain is in a later record, found by the number behind the marker */
static int add_deferred(const struct parts *p, const u8 *chain, u64 nr)
{
	const u8 *later;
	u64 i;

	for (i = 0; i + 1 < nr; i++) {
		if (load64(chain + 8 * i) != CONTEXT_USER_DEFERRED)
			continue;
		later = session_deferred(p->s, p->x->tid, load64(chain + 8 * (i + 1)), &nr);
		return later ? add_addresses(p, later, nr) : 0;
	}
	return 0;
}

int callchain_find(struct callchain *c, struct session *s, struct resolver *rs,
		   const struct sample_layout *l, const u8 *rec, const struct resolved *x)
{
	const struct parts parts = { c, s, rs, l, rec, x };
	const u8 *chain;
	u64 nr = 0;
	int ret = 0;

	c->nr = 0;
	chain = sample_callchain(l, rec, &nr);
	if (chain)
		ret = add_addresses(&parts, chain, nr);
	if (chain && !ret && s->nr_deferred)
		ret = add_deferred(&parts, chain, nr);
	if (!ret)
		ret = add_unwound(&parts);
	if (s->options.max_stack)
		c->nr = min(c->nr, s->options.max_stack);
	/* A sample in the kernel may have a chain of user space only: then frame 0 is a caller */
	c->caller = c->nr && c->frame[0].mode == x->mode;
	return ret;
}
