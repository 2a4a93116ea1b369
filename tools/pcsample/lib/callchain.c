// SPDX-License-Identifier: GPL-2.0-only
#include "lib/callchain.h"

/* Linux 6.19 */
#define CONTEXT_USER_DEFERRED	((u64)-640)

/* No mode of code: what follows is no address */
#define NO_ADDRESSES		0xff

/* The chain of a PC sample is the PC */
bool callchain_recorded(const struct recorded_event *e)
{
	return e->attr.sample_type & PERF_SAMPLE_CALLCHAIN && !perfdata_event_is_pcsample(e);
}

int callchain_note(struct session *s, bool shown)
{
	bool recorded = false, copied = false;
	const struct recorded_event *e;
	size_t i;
	int ret = 0;

	for (i = 0; i < s->pd->nr_events; i++) {
		e = &s->pd->events[i];
		recorded |= callchain_recorded(e);
		copied |= e->attr.sample_type & PERF_SAMPLE_STACK_USER;
	}
	if (recorded && !shown)
		ret = session_note(s, "call chains were recorded, but callers are not shown here: "
				   "they are by report --children, script, and most formats of "
				   "export");
	if (recorded && copied && !ret)
		ret = session_note(s, "callers in user space were recorded as copies of the stack "
				   "(--call-graph dwarf), which are not read here: perf shows them");
	return ret;
}

void callchain_deinit(struct callchain *c)
{
	free(c->frame);
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
		/* a number that a record of a later type has beside the addresses */
		return NO_ADDRESSES;
	}
	return PERF_RECORD_MISC_CPUMODE_UNKNOWN;
}

static void look_up(struct callchain_frame *f, struct session *s, struct resolver *rs,
		    const struct resolved *x, u8 back)
{
	const struct range *r = resolve_address(rs, x, f->mode, f->ip - back);
	struct dso *dso = s->dsos.dso[r->dso];

	dso_load(&s->dsos, dso);
	f->back = back;
	f->addr = f->ip - back + r->shift;
	f->dso = r->dso;
	f->sym = symtab_find(&dso->symtab, f->addr);
}

/*
 * The call is before the address it returns to. But the kernel has a signal's handler return to the
 * first instruction of code that nothing is before.
 */
static void look_up_caller(struct callchain_frame *f, struct session *s, struct resolver *rs,
			   const struct resolved *x)
{
	struct callchain_frame at = *f;

	look_up(f, s, rs, x, 1);
	if (f->sym != SYM_NONE)
		return;
	look_up(&at, s, rs, x, 0);
	if (at.sym != SYM_NONE)
		*f = at;
}

/*
 * Addresses are of the context that the marker before them says, the first of each one where code
 * was interrupted or entered the kernel, the others where calls return to. Without a marker they
 * are the user's, as perf has it.
 */
int callchain_find(struct callchain *c, struct session *s, struct resolver *rs,
		   const struct sample_layout *l, const u8 *rec, const struct resolved *x)
{
	u8 mode = PERF_RECORD_MISC_USER;
	u64 nr = 0, i, ip;
	const u8 *p = sample_callchain(l, rec, &nr);
	struct callchain_frame *f;
	bool first = true;

	c->nr = 0;
	if (p && mem_grow(&c->frame, &c->cap, nr))
		return -ENOMEM;
	for (i = 0; p && i < nr; i++) {
		ip = load64(p + 8 * i);
		if (ip >= PERF_CONTEXT_MAX) {
			mode = mode_of(ip);
			first = true;
			continue;
		}
		if (mode == NO_ADDRESSES)
			continue;
		f = &c->frame[c->nr++];
		f->ip = ip;
		f->mode = mode;
		if (first || !ip)
			look_up(f, s, rs, x, 0);
		else
			look_up_caller(f, s, rs, x);
		first = false;
	}
	/* A sample in the kernel may have the user's chain alone */
	c->caller = c->nr && c->frame[0].mode == x->mode;
	return 0;
}
