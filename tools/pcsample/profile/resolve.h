/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the thread and the code of a sample.
 */
#ifndef PCSAMPLE_PROFILE_RESOLVE_H
#define PCSAMPLE_PROFILE_RESOLVE_H

#include "profile/session.h"

#define NO_CPU		0xffff

/* In place of a name's id, for a thread without a name: this bit and the low 31 bits of its TID */
#define COMM_UNNAMED	(1U << 31)

/**
 * struct resolved - a sample, looked up
 * @addr: of the code in its DSO, as its symbols have it
 * @comm: id in sb.comms, or COMM_UNNAMED and a TID
 * @dso: index in the session's table
 * @mode: PERF_RECORD_MISC_KERNEL, _USER, ...; _HYPERVISOR for all code of firmware images
 * @cpu: NO_CPU if not known
 */
struct resolved {
	u64 ip, addr, time;
	s32 pid, tid;
	u32 cpu, comm, dso;
	u16 mode;
};

/*
 * What was found for earlier samples of a thread: the next is likely in code that was seen before.
 * Threads whose TIDs are equal modulo NR_RECENT evict each other. @comm and @epoch are valid for
 * samples of @tid and @pid in @since..@until-1.
 *
 * @range is a direct-mapped cache of the ranges of @epoch that samples were in. A range is in it
 * only if nothing else was ever at its addresses; unused places have an empty range. The resolver
 * has another such cache for the kernel's ranges, and an empty one for other modes.
 */
#define RECENT_RANGES	32

struct recent {
	s32 pid, tid;
	u64 since, until;
	u32 comm;
	const struct epoch *epoch;
	const struct range *range[RECENT_RANGES];
};

#define NR_RECENT 64
#define NR_MODES (PERF_RECORD_MISC_CPUMODE_MASK + 1)

/* Each thread has its own; look-ups do not change the session */
struct resolver {
	const struct session *s;
	struct recent recent[NR_RECENT];
	const struct range *kernel[RECENT_RANGES], *none[RECENT_RANGES];
	const struct range **of_mode[NR_MODES];		/* NULL: that of the thread */
};

void resolver_init(struct resolver *rs, const struct session *s);

/* private: look up what is not in the caches. For code of a firmware image @ip and @mode change */
void resolve_thread(struct resolver *rs, struct recent *c, s32 pid, s32 tid, u64 time);
const struct range *resolve_sample(struct resolver *rs, struct recent *c,
				   const struct sample_layout *l, const u8 *rec, u64 time,
				   u64 *ip, u16 *mode);

/* By megabyte, as objects are mapped megabytes apart */
static inline const struct range **recent_range(struct resolver *rs, struct recent *c, u16 mode,
						u64 addr)
{
	const struct range **range = rs->of_mode[mode];

	range = range ? range : c->range;
	return &range[addr >> 20 & (RECENT_RANGES - 1)];
}

/* All of it is nearly always so: branches that are never taken cost less than to join conditions */
static inline bool recent_holds(const struct recent *c, const struct resolved *x)
{
	return load64(&c->pid) == load64(&x->pid) && x->time >= c->since && x->time < c->until;
}

static inline bool range_holds(const struct range *r, u64 addr, u64 time)
{
	return addr >= r->start && addr < r->end && r->birth <= time;
}

/**
 * resolve() - look up a sample
 * @l: layout of its event
 * @rec: the record; l->size bytes of it are readable
 * @pos: of the record; if its event records no time, session_time_at() is used
 * @full: sample_is_full(); a constant, for the hot loop
 */
static inline __attribute__((always_inline))
void resolve(struct resolver *rs, const struct sample_layout *l, const u8 *rec, u64 pos,
	     const bool full, struct resolved *x)
{
	const u64 ids = full ? load64(rec + l->tid) : sample_u64(rec, l->tid, UINT64_MAX);
	const struct range *r;
	struct recent *c;
	u16 mode;
	u64 ip;

	x->ip = full ? load64(rec + l->ip) : sample_u64(rec, l->ip, 0);
	/* At once: recent_holds() loads both, and would wait for two stores */
	memcpy(&x->pid, &ids, sizeof(ids));
	x->time = full || l->time ? load64(rec + l->time) : session_time_at(rs->s, pos);
	x->mode = rec_misc(rec) & PERF_RECORD_MISC_CPUMODE_MASK;
	c = &rs->recent[(u32)x->tid % NR_RECENT];
	/* Without this, compilers compute the places of some members from the index again */
	asm("" : "+r"(c));
	if (unlikely(!recent_holds(c, x)))
		resolve_thread(rs, c, x->pid, x->tid, x->time);
	x->comm = c->comm;
	r = *recent_range(rs, c, x->mode, x->ip);
	if (unlikely(!range_holds(r, x->ip, x->time))) {
		/* copies: @x stays in registers */
		ip = x->ip;
		mode = x->mode;
		r = resolve_sample(rs, c, l, rec, x->time, &ip, &mode);
		x->ip = ip;
		x->mode = mode;
	}
	x->cpu = sample_u32(rec, l->cpu, NO_CPU);
	x->dso = r->dso;
	x->addr = x->ip + r->shift;
}

/**
 * resolve_address() - look up another address for the thread of a sample
 * @x: the sample
 * @mode: PERF_RECORD_MISC_KERNEL, _USER, ... of the address
 *
 * Return: what was mapped there at the time of the sample.
 */
const struct range *resolve_address(struct resolver *rs, const struct resolved *x, u16 mode,
				    u64 addr);

/**
 * resolve_before_exec() - look up an address in what the process had mapped before its last exec
 *
 * Return: what was mapped there at that time; NULL if nothing was, or without an exec.
 */
const struct range *resolve_before_exec(const struct resolver *rs, const struct resolved *x,
					u64 addr);

/**
 * resolve_branch() - the same for source or target of a branch, which may enter or leave the kernel
 * @mode: receives that of the address
 */
const struct range *resolve_branch(struct resolver *rs, const struct resolved *x, u64 addr,
				   u16 *mode);

#endif /* PCSAMPLE_PROFILE_RESOLVE_H */
