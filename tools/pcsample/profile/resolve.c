// SPDX-License-Identifier: GPL-2.0-only
#include "profile/resolve.h"

static const struct range no_range = { .start = 1 };
static const struct range unknown_range = { .dso = DSO_INDEX_UNKNOWN };
static const struct range hypervisor_range = { .dso = DSO_INDEX_HYPERVISOR };
static const struct range guest_range = { .dso = DSO_INDEX_GUEST };

static void forget_ranges(const struct range **range)
{
	size_t i;

	for (i = 0; i < RECENT_RANGES; i++)
		range[i] = &no_range;
}

void resolver_init(struct resolver *rs, const struct session *s)
{
	size_t i;

	memset(rs, 0, sizeof(*rs));
	rs->s = s;
	for (i = 0; i < NR_RECENT; i++) {
		rs->recent[i].since = TIME_MAX;		/* valid at no time */
		forget_ranges(rs->recent[i].range);
	}
	forget_ranges(rs->kernel);
	forget_ranges(rs->none);
	for (i = 0; i < NR_MODES; i++)
		rs->of_mode[i] = rs->none;
	rs->of_mode[PERF_RECORD_MISC_KERNEL] = rs->kernel;
	rs->of_mode[PERF_RECORD_MISC_USER] = NULL;
}

void resolve_thread(struct resolver *rs, struct recent *c, s32 pid, s32 tid, u64 time)
{
	const struct process *p = sideband_process(&rs->s->sb, pid);
	u64 since = time, until = TIME_MAX;

	c->pid = pid;
	c->tid = tid;
	c->comm = sideband_comm(&rs->s->sb, tid, time, &c->since, &c->until);
	if (c->comm == SIDEBAND_NO_COMM)
		c->comm = COMM_UNNAMED | (u32)tid;
	c->epoch = p ? epoch_at(p, time, &since, &until) : NULL;
	c->until = min(c->until, until);
	c->since = max(c->since, since);
	forget_ranges(c->range);
}

/*
 * May the range be kept for the next sample? Only if nothing else was ever at its addresses: it is
 * alone in its epoch, and no nearer epoch of the chain has ranges of its own.
 */
static bool keeps(const struct epoch *e, const struct range *r)
{
	if (!r->sole)
		return false;
	if (!e->nr && e->parent)
		e = e->parent;
	return r >= e->range && r < e->range + e->nr;
}

static const struct range *resolve_code(struct resolver *rs, struct recent *c, u16 mode, u64 ip,
					u64 time)
{
	const struct process *kernel = &rs->s->sb.kernel;
	const struct range *r;
	const struct epoch *e;

	switch (mode) {
	case PERF_RECORD_MISC_USER:
		e = c->epoch;
		break;
	case PERF_RECORD_MISC_KERNEL:
		e = kernel->nr ? kernel->epoch[0].e : NULL;
		break;
	case PERF_RECORD_MISC_HYPERVISOR:
		return &hypervisor_range;
	case PERF_RECORD_MISC_GUEST_KERNEL:
	case PERF_RECORD_MISC_GUEST_USER:
		return &guest_range;
	default:
		return &unknown_range;
	}
	r = e ? epoch_find(e, ip, time) : NULL;
	if (!r)
		return &unknown_range;
	if (keeps(e, r))
		*recent_range(rs, c, mode, ip) = r;
	return r;
}

const struct range *resolve_sample(struct resolver *rs, struct recent *c,
				   const struct sample_layout *l, const u8 *rec, u64 time,
				   u64 *ip, u16 *mode)
{
	const struct range *r = NULL;

	if (!*ip && rs->s->images.nr)
		r = images_find(&rs->s->images, l, rec, ip);
	if (!r)
		return resolve_code(rs, c, *mode, *ip, time);
	*mode = PERF_RECORD_MISC_HYPERVISOR;
	return r;
}

const struct range *resolve_address(struct resolver *rs, const struct resolved *x, u16 mode,
				    u64 addr)
{
	struct recent *c = &rs->recent[(u32)x->tid % NR_RECENT];
	const struct range *r;

	if (!recent_holds(c, x))
		resolve_thread(rs, c, x->pid, x->tid, x->time);
	r = *recent_range(rs, c, mode, addr);
	if (range_holds(r, addr, x->time))
		return r;
	return resolve_code(rs, c, mode, addr, x->time);
}

const struct range *resolve_before_exec(const struct resolver *rs, const struct resolved *x,
					u64 addr)
{
	const struct process *p = sideband_process(&rs->s->sb, x->pid);
	u64 since = 0, until, before;
	const struct epoch *e;

	e = p ? epoch_at(p, x->time, &since, &until) : NULL;
	if (!e || e->parent || !since)
		return NULL;
	e = epoch_at(p, since - 1, &before, &until);
	return e ? epoch_find(e, addr, since - 1) : NULL;
}

const struct range *resolve_branch(struct resolver *rs, const struct resolved *x, u64 addr,
				   u16 *mode)
{
	const struct range *r;

	if (x->mode != PERF_RECORD_MISC_USER && x->mode != PERF_RECORD_MISC_KERNEL) {
		*mode = x->mode;
		return resolve_address(rs, x, x->mode, addr);
	}
	*mode = PERF_RECORD_MISC_USER;
	r = resolve_address(rs, x, *mode, addr);
	if (r->dso != DSO_INDEX_UNKNOWN)
		return r;
	/* On 32-bit machines the top bit of an address does not tell whether it is the kernel's */
	r = resolve_address(rs, x, PERF_RECORD_MISC_KERNEL, addr);
	if (r->dso != DSO_INDEX_UNKNOWN || addr >> 63)
		*mode = PERF_RECORD_MISC_KERNEL;
	return r;
}
