// SPDX-License-Identifier: GPL-2.0-only
#include "export/calls.h"

/*
 * The key:
 *	word 0	call
 *	word 1	comm 32, cgroup 32
 *	word 2	pid 32, tid 32
 *	word 3	cpu 32, event 16, spare 7, idle 1, mode 8
 */
#define KEY_WORDS	4
#define IDLE		(1ULL << 8)
#define EVENT_SHIFT	16

u32 calls_place(const struct calls *c, size_t entry, struct place *p)
{
	const u64 *key = hist_entry(&c->hist, entry)->key;
	const struct call *call = &c->call[key[0]];

	*p = (struct place){
		.comm = key[1] >> 32,
		.cgroup = key[1],
		.pid = key[2] >> 32,
		.tid = key[2],
		.cpu = key[3] >> 32,
		.idle = key[3] & IDLE,
		.mode = key[3],
		.event = (u16)(key[3] >> EVENT_SHIFT),
		.dso = call->dso,
		.where = call->addr,
		.el = NO_EL,
		.vmid = NO_VMID,
	};
	return key[0];
}

/* Find or add a call. @call: its caller; receives its own index */
static int add_call(struct calls *c, u32 *call, u32 dso, u64 addr)
{
	const struct call new = { *call, dso, addr };

	*call = numbers_get(&c->by_caller, &c->call, &c->cap, addr, &new);
	c->nr = c->by_caller.nr;
	return *call == NUMBERS_NONE ? -ENOMEM : 0;
}

static int count_sample(void *ctx, const struct sample_seen *sample)
{
	const struct resolved *x = &sample->x;
	struct session *s;
	struct calls *c = ctx;
	u64 key[KEY_WORDS];
	u32 call = CALL_NONE;
	size_t i;

	s = c->job->s;
	if (callchain_find(&c->chain, s, sample->resolver, &sample->event->layout, sample->rec, x))
		return -ENOMEM;
	for (i = c->chain.nr; i-- > c->chain.caller; )
		if (add_call(c, &call, c->chain.frame[i].dso, c->chain.frame[i].addr))
			return -ENOMEM;
	if (add_call(c, &call, x->dso, x->addr))
		return -ENOMEM;
	key[0] = call;
	key[1] = (u64)x->comm << 32 |
		 session_cgroup(s, &sample->event->layout, sample->rec);
	key[2] = (u64)(u32)x->pid << 32 | (u32)x->tid;
	key[3] = (u64)x->cpu << 32 | (u64)(u16)c->event << EVENT_SHIFT | x->mode;
	if (x->mode == PERF_RECORD_MISC_KERNEL && kernel_idle_has(&c->idle, x->addr))
		key[3] |= IDLE;
	return hist_add(&c->hist, key, &sample->weight, 1, 0);
}

int calls_find(struct calls *c, const struct export_job *job)
{
	size_t i;
	int ret;

	memset(c, 0, sizeof(*c));
	c->job = job;
	session_find_idle(job->s, &c->idle);
	ret = hist_init(&c->hist, KEY_WORDS);
	for (i = 0; !ret && i < job->nr_events; i++) {
		c->event = job->events[i];
		ret = each_sample(job->s, c->event, job->filter, count_sample, c);
	}
	return ret;
}

void calls_deinit(struct calls *c)
{
	free(c->call);
	numbers_deinit(&c->by_caller);
	callchain_deinit(&c->chain);
	hist_deinit(&c->hist);
	memset(c, 0, sizeof(*c));
}
