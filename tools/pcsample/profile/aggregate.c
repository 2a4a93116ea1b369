// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <arch-model/pc-sample.h>

#include "base/progress.h"
#include "profile/aggregate.h"
#include "profile/callchain.h"
#include "symbols/kernel-idle.h"
#include "symbols/load.h"

/*
 * The key:
 *	word 0	address; or inlined function 32, symbol 32
 *	word 1	comm 32, dso 24, mode 3, spare 3, inlined 1, named 1
 *	word 2	pid 32, tid 32
 *	word 3	cpu 16, vmid 16, event 16, spare 1, no vmid 2, idle 1, el 4, state 4, method 4
 *	word 4	file of the source 32, line 32
 *	word 5	cgroup 32, fields of tracepoints 32
 * With BY_BRANCHES instead
 *	word 4	source: address or symbol
 *	word 5	dso 24, cycles 16, spare 16, mode 3, in_tx 1, abort 1, mispredicted 1, predicted 1,
 *		named 1
 * A key has words 2 and 3 only if something in words 2 to 5 tells rows apart, and words 4 and 5
 * only if something in these does. All other fields are masked out, so that one loop serves all
 * keys.
 */
#define COMM_SHIFT	32
#define DSO_SHIFT	8
#define DSO_MAX		((1U << 24) - 1)
#define MODE_SHIFT	5
#define INLINED		2ULL
#define NAMED		1ULL
#define INLINED_SHIFT	32

#define CPU_SHIFT	48
#define VMID_SHIFT	32
#define EVENT_SHIFT	16
#define NO_VMID_SHIFT	13
#define IDLE		(1ULL << 12)
#define EL_SHIFT	8
#define STATE_SHIFT	4

#define FILE_SHIFT	32
#define CGROUP_SHIFT	32

#define FROM_DSO_SHIFT	40
#define CYCLES_SHIFT	24
#define IN_TX		(1ULL << 4)
#define ABORTED		(1ULL << 3)
#define MISPREDICTED	(1ULL << 2)
#define PREDICTED	(1ULL << 1)

/* NO_VMID and VMID_NOT_KNOWN are bits above those of a VMID */
static u64 vmid_bits(u32 vmid)
{
	return (u64)(vmid & 0xffff) << VMID_SHIFT | (u64)(vmid >> 16) << NO_VMID_SHIFT;
}

static u32 vmid_of_bits(u64 bits)
{
	return (bits >> VMID_SHIFT & 0xffff) | (bits >> NO_VMID_SHIFT & 3) << 16;
}

u32 aggregate_comm(const u64 *key)
{
	return key[1] >> COMM_SHIFT;
}

u32 aggregate_dso(const u64 *key)
{
	return key[1] >> DSO_SHIFT & DSO_MAX;
}

bool aggregate_named(const u64 *key)
{
	return key[1] & NAMED;
}

static void place_branch(const u64 *key, struct place *p)
{
	p->from.where = key[4];
	p->from.dso = key[5] >> FROM_DSO_SHIFT;
	p->from.mode = key[5] >> MODE_SHIFT & 7;
	p->from.named = key[5] & NAMED;
	p->cycles = key[5] >> CYCLES_SHIFT;
	p->in_tx = key[5] & IN_TX;
	p->aborted = key[5] & ABORTED;
	p->mispredicted = key[5] & MISPREDICTED;
	p->predicted = key[5] & PREDICTED;
}

void aggregate_place(const struct hist *h, const u64 *key, struct place *p)
{
	memset(p, 0, sizeof(*p));
	p->inlined = key[1] & INLINED ? key[0] >> INLINED_SHIFT : INLINED_NOTHING;
	p->where = key[1] & (INLINED | NAMED) ? (u32)key[0] : key[0];
	p->comm = aggregate_comm(key);
	p->dso = aggregate_dso(key);
	p->mode = key[1] >> MODE_SHIFT & 7;
	p->named = key[1] & NAMED;
	if (h->words < 4)
		return;
	p->pid = key[2] >> 32;
	p->tid = (u32)key[2];
	p->cpu = key[3] >> CPU_SHIFT & 0xffff;
	p->vmid = vmid_of_bits(key[3]);
	p->event = key[3] >> EVENT_SHIFT & 0xffff;
	p->idle = key[3] & IDLE;
	p->el = key[3] >> EL_SHIFT & 0xf;
	p->state = key[3] >> STATE_SHIFT & 0xf;
	p->method = key[3] & 0xf;
	if (h->words < 6)
		return;
	p->file = key[4] >> FILE_SHIFT;
	p->line = key[4];
	p->cgroup = key[5] >> CGROUP_SHIFT;
	p->fields = key[5];
	place_branch(key, p);
}

/* Samples that go through each step of the look-up together, so that their cache misses overlap */
struct batch {
	unsigned int n;
	u64 addr[HIST_BATCH];		/* in the DSO */
	const struct symtab *symtab[HIST_BATCH];
	u32 bucket[HIST_BATCH];
	const struct symbol *first[HIST_BATCH];	/* in the bucket */
	struct source_spot spot[HIST_BATCH];
	u64 weight[HIST_BATCH];
	u64 key[HIST_BATCH * HIST_WORDS_MAX];
};

/*
 * State for looking up the samples of a batch once more, for their call chains.
 *
 * @last: by entry of the histogram of callers, the number of the sample that it counted last
 */
struct callers {
	const u8 *rec[HIST_BATCH];
	const struct recorded_event *event[HIST_BATCH];
	struct resolved x[HIST_BATCH];
	struct callchain chain;
	u64 *last;
	size_t cap;
	u64 samples;
	struct call_step *step;		/* of a path, the innermost first */
	size_t nr_steps, steps_cap;
};

#define NOT_READ ((size_t)-1)

struct worker {
	struct session *s;
	const struct aggregate_filter *filter;
	unsigned int by;
	bool symbols, inlined, lines, source;	/* what to look up */
	bool raw, trees, branches;
	unsigned int counts;		/* OF_... */
	struct kernel_idle idle;	/* empty unless BY_IDLE */
	u64 mask[HIST_WORDS_MAX];
	u64 address_mask;		/* keeps word 0 of samples without a symbol */
	atomic_size_t *next_chunk;
	struct resolver resolver;
	struct batch batch;
	u64 *in_block;			/* samples of each event */
	struct callers *callers;	/* NULL unless BY_CALLERS, or a tree */
	size_t *new_from;		/* for each chunk read here, the first entry it made */
	struct aggregate a;
	int ret;
};

/* One sample */

static u64 hardware_bits(const struct sample_layout *l, const u8 *rec)
{
	struct arm_pcsample_record hw;

	if (!sample_arm_record(l, rec, &hw))
		return NO_EL << EL_SHIFT | NO_STATE << STATE_SHIFT | vmid_bits(NO_VMID) | NO_METHOD;
	return (u64)sample_el(&hw) << EL_SHIFT | (u64)pcs_state(hw.pmpcsr) << STATE_SHIFT |
	       vmid_bits(sample_vmid(&hw)) | (hw.attribution & 0xf);
}

/* @count: receives what OF_COUNTS chose, or 0. Return: does the sample have such a count? */
static bool hardware_count(const struct worker *w, const struct sample_layout *l, const u8 *rec,
			   u64 *count)
{
	struct arm_pcsample_record hw;
	bool has;

	if (!sample_arm_record(l, rec, &hw))
		hw = (struct arm_pcsample_record){ 0 };
	switch (w->counts) {
	case OF_CYCLES:
		has = hw.has & ARM_PCSAMPLE_HAS_CYCLES;
		*count = hw.cycles;
		break;
	case OF_INSTRUCTIONS:
		has = hw.has & ARM_PCSAMPLE_HAS_INSTRUCTIONS;
		*count = hw.instructions;
		break;
	default:
		has = hw.has & ARM_PCSAMPLE_HAS_COUNTED;
		*count = hw.counted;
	}
	if (!has)
		*count = 0;
	return has;
}

static int add_cpu(struct aggregate *a, u32 cpu)
{
	if (mem_grow(&a->cpu_samples, &a->cpus_cap, cpu + 1))
		return -ENOMEM;
	memset(a->cpu_samples + a->nr_cpus, 0,
	       (a->cpus_cap - a->nr_cpus) * sizeof(*a->cpu_samples));
	a->nr_cpus = a->cpus_cap;
	return 0;
}

static inline int count_cpu(struct aggregate *a, u32 cpu)
{
	if (unlikely(cpu >= a->nr_cpus)) {
		if (cpu >= NO_CPU)
			return 0;
		if (add_cpu(a, cpu))
			return -ENOMEM;
	}
	a->cpu_samples[cpu]++;
	return 0;
}

static bool in_list(const s32 *list, size_t nr, s32 value)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (list[i] == value)
			return true;
	return false;
}

static bool comm_passes(const struct aggregate_filter *f, u32 comm)
{
	if (comm & COMM_UNNAMED)
		return in_list(f->unnamed, f->nr_unnamed, comm & ~COMM_UNNAMED);
	return f->comms[comm];
}

static struct tracepoint_sample of_tracepoint(const struct recorded_event *e, const u8 *rec,
					      const struct resolved *x)
{
	return (struct tracepoint_sample){ .e = e, .rec = rec, .time = x->time, .cpu = x->cpu };
}

static bool fields_pass(struct tracepoints *t, const struct recorded_event *e, const u8 *rec,
			const struct resolved *x)
{
	const struct tracepoint_sample sample = of_tracepoint(e, rec, x);

	return tracepoints_pass(t, &sample);
}

static bool in_gap(const struct aggregate_filter *f, u64 time)
{
	size_t n = nr_up_to(f->gaps, f->nr_gaps, from, time);

	return n && time <= f->gaps[n - 1].to;
}

u64 aggregate_gaps(const struct aggregate_filter *f, u64 from, u64 to)
{
	const struct time_window *g;
	u64 sum = 0;

	/* From the last time before a gap to the first behind it, both of which count */
	for (g = f->gaps; g < f->gaps + f->nr_gaps && g->from <= to; g++)
		if (g->to >= from)
			sum += min(g->to + 1, to) - max(g->from - 1, from);
	return sum;
}

static bool is_of_tasks(const struct aggregate_filter *f, const struct resolved *x)
{
	return (!f->nr_pids || in_list(f->pids, f->nr_pids, x->pid)) &&
	       (!f->nr_tids || in_list(f->tids, f->nr_tids, x->tid));
}

/* Whatever task it is of */
static bool rest_passes(const struct aggregate_filter *f, const struct recorded_event *e,
			const u8 *rec, const struct resolved *x)
{
	return (e->layout.time || (!f->from && f->to == TIME_MAX)) &&
	       x->time >= f->from && x->time <= f->to && (!f->nr_gaps || !in_gap(f, x->time)) &&
	       (!f->nr_cpus || in_list((const s32 *)f->cpus, f->nr_cpus, x->cpu)) &&
	       (!f->comms || comm_passes(f, x->comm)) && (!f->dsos || f->dsos[x->dso]) &&
	       (!f->tracepoints || fields_pass(f->tracepoints, e, rec, x));
}

bool aggregate_passes(const struct aggregate_filter *f, const struct recorded_event *e,
		      const u8 *rec, const struct resolved *x)
{
	return is_of_tasks(f, x) && rest_passes(f, e, rec, x);
}

/* Fill words 4 and 5 of a key, except for the source line */
static int set_rare(struct worker *w, const struct recorded_event *e, const u8 *rec,
		    const struct resolved *x, u64 *key)
{
	const struct tracepoint_sample sample = of_tracepoint(e, rec, x);
	u32 fields = 0;
	int ret = 0;

	if (w->by & BY_FIELDS)
		ret = tracepoints_key(w->filter->tracepoints, &sample, &fields);
	key[4] = 0;
	key[5] = (u64)sideband_cgroup(&w->s->sb, sample_cgroup(&e->layout, rec)) << CGROUP_SHIFT |
		 fields;
	return ret;
}

static int finish_batch(struct worker *w, u32 block, bool simple);

/* Branches */

/* The source of a branch: words 4 and 5 of its key */
static void set_from(struct worker *w, const struct resolved *x, const u8 *branch, u64 *key)
{
	u64 flags = branch_flags(branch), addr = branch_from(branch);
	u16 mode;
	const struct range *r = resolve_branch(&w->resolver, x, addr, &mode);
	struct dso *dso = w->s->dsos.dso[r->dso];
	u32 sym = SYM_NONE, index = dso->alike;

	addr += r->shift;
	if (w->by & BY_SYM_FROM) {
		index = r->dso;
		dso_load(&w->s->dsos, dso);
		sym = symtab_find(&dso->symtab, addr);
	}
	key[4] = sym == SYM_NONE ? addr & w->address_mask : sym;
	key[5] = (u64)index << FROM_DSO_SHIFT | FIELD_GET(BRANCH_CYCLES, flags) << CYCLES_SHIFT |
		 (u64)mode << MODE_SHIFT | (sym != SYM_NONE) * NAMED |
		 !!(flags & BRANCH_IN_TX) * IN_TX | !!(flags & BRANCH_ABORT) * ABORTED |
		 !!(flags & BRANCH_MISPREDICTED) * MISPREDICTED |
		 !!(flags & BRANCH_PREDICTED) * PREDICTED;
}

static int take_branch(struct worker *w, const struct resolved *x, const u8 *branch, u32 event,
		       u32 block)
{
	struct batch *b = &w->batch;
	unsigned int n = b->n;
	u64 *key = b->key + n * w->a.hist.words;
	u16 mode;
	const struct range *r = resolve_branch(&w->resolver, x, branch_to(branch), &mode);
	struct dso *dso = w->s->dsos.dso[r->dso];

	b->weight[n] = 1;
	b->addr[n] = branch_to(branch) + r->shift;
	key[1] = (u64)x->comm << COMM_SHIFT | (u64)mode << MODE_SHIFT |
		 (w->symbols ? r->dso : dso->alike) << DSO_SHIFT;
	key[2] = (u64)(u32)x->pid << 32 | (u32)x->tid;
	key[3] = (u64)min(x->cpu, (u32)NO_CPU) << CPU_SHIFT | (u64)event << EVENT_SHIFT;
	set_from(w, x, branch, key);
	if (w->symbols) {
		dso_load(&w->s->dsos, dso);
		b->symtab[n] = &dso->symtab;
		b->bucket[n] = symtab_bucket(&dso->symtab, b->addr[n]);
	}
	w->a.blocks[event].weight_squares++;
	w->in_block[event]++;
	b->n = n + 1;
	return n + 1 == HIST_BATCH ? finish_batch(w, block, false) : 0;
}

static int take_branches(struct worker *w, const struct sample_layout *l, const u8 *rec,
			 const struct resolved *x, u32 event, u32 block)
{
	const u8 *branch;
	u64 nr, i;
	int ret = 0;

	if (!(l->type & PERF_SAMPLE_BRANCH_STACK))
		return 0;
	branch = sample_branches(l, rec, &nr);
	if (!branch) {
		w->a.malformed++;
		return 0;
	}
	for (i = 0; i < nr && !ret; i++)
		ret = take_branch(w, x, branch + i * BRANCH_SIZE, event, block);
	return ret;
}

/* A sample that is in no row, and in the total of its event */
static int take_other(struct worker *w, const struct sample_layout *l, const u8 *rec,
		      const struct resolved *x, u32 event)
{
	u64 samples = 1, weight = sample_weight(l, rec);

	if (w->counts)
		hardware_count(w, l, rec, &weight);
	w->a.left_out++;
	w->a.of_event[event]++;
	w->a.first = min(w->a.first, x->time);
	w->a.last = max(w->a.last, x->time);
	if (l->cpu && count_cpu(&w->a, x->cpu))
		return -ENOMEM;
	if (w->branches) {
		if (!(l->type & PERF_SAMPLE_BRANCH_STACK) || !sample_branches(l, rec, &samples))
			return 0;
		weight = samples;
		w->a.blocks[event].weight_squares += samples;
	} else {
		w->a.blocks[event].weight_squares += (double)weight * weight;
	}
	w->in_block[event] += samples;
	w->a.others[event].samples += samples;
	w->a.others[event].weight += weight;
	return 0;
}

/*
 * Count one sample. @simple: the case of nearly all recordings and reports: one event, samples with
 * address, thread and time, and a key of two words. It is a constant, so that the compiler makes a
 * function of its own for this case.
 */
static inline __attribute__((always_inline))
int take_sample(struct worker *w, const struct sample_layout *l, const u8 *rec, u64 pos, u32 event,
		u32 block, const bool simple)
{
	struct batch *b = &w->batch;
	unsigned int n = b->n;
	struct resolved x;
	struct dso *dso;
	u64 *key;

	if (unlikely(rec_size(rec) < l->size)) {
		w->a.malformed++;
		return 0;
	}
	resolve(&w->resolver, l, rec, pos, simple, &x);
	if (!simple && w->filter &&
	    !aggregate_passes(w->filter, &w->s->pd->events[event], rec, &x)) {
		if (w->filter->shares_of_all &&
		    rest_passes(w->filter, &w->s->pd->events[event], rec, &x))
			return take_other(w, l, rec, &x, event);
		w->a.left_out++;
		return 0;
	}
	if (!simple)
		w->a.of_event[event]++;
	b->weight[n] = sample_weight(l, rec);
	if (!simple && w->counts && !hardware_count(w, l, rec, &b->weight[n]))
		w->a.uncounted[event]++;
	if (!simple && !w->branches) {
		w->a.blocks[event].weight_squares += (double)b->weight[n] * b->weight[n];
		w->in_block[event]++;
	}
	if (unlikely(x.time < w->a.first))
		w->a.first = x.time;
	if (x.time > w->a.last)
		w->a.last = x.time;
	if (l->cpu && unlikely(count_cpu(&w->a, x.cpu)))
		return -ENOMEM;
	if (!simple && w->branches)
		return take_branches(w, l, rec, &x, event, block);

	key = b->key + n * (simple ? 2 : w->a.hist.words);
	b->addr[n] = x.addr;
	if (!simple && w->callers) {
		w->callers->rec[n] = rec;
		w->callers->event[n] = &w->s->pd->events[event];
		w->callers->x[n] = x;
	}
	/* Without symbols, objects of the same name are one row, as in perf */
	if (!simple && !w->symbols && !w->source)
		x.dso = w->s->dsos.dso[x.dso]->alike;
	key[1] = (u64)x.comm << COMM_SHIFT | x.dso << DSO_SHIFT |
		 (u32)x.mode << MODE_SHIFT;
	if (!simple && w->a.hist.words > 2) {
		key[2] = (u64)(u32)x.pid << 32 | (u32)x.tid;
		key[3] = (u64)min(x.cpu, (u32)NO_CPU) << CPU_SHIFT | (u64)event << EVENT_SHIFT |
			 (w->raw ? hardware_bits(l, rec) : 0) |
			 (x.mode == PERF_RECORD_MISC_KERNEL &&
			  kernel_idle_has(&w->idle, x.addr) ? IDLE : 0);
	}
	if (!simple && w->a.hist.words > 4 &&
	    set_rare(w, &w->s->pd->events[event], rec, &x, key))
		return -ENOMEM;
	if (simple || w->symbols || w->source) {
		dso = w->s->dsos.dso[x.dso];
		dso_load(&w->s->dsos, dso);
		b->symtab[n] = &dso->symtab;
		b->bucket[n] = symtab_bucket(&dso->symtab, x.addr);
		__builtin_prefetch(symtab_group(&dso->symtab, b->bucket[n]));
	}
	b->n = n + 1;
	return n + 1 == HIST_BATCH ? finish_batch(w, block, simple) : 0;
}

/* A batch: symbols, then counts */

static int find_source(struct worker *w, unsigned int n)
{
	struct batch *b = &w->batch;
	unsigned int i;
	u32 dso;
	int ret = 0;

	for (i = 0; i < n && !ret; i++) {
		dso = aggregate_dso(b->key + i * w->a.hist.words);
		ret = inlines_find(&w->s->inlines, w->s->dsos.dso[dso], dso, b->addr[i],
				   &b->spot[i]);
	}
	return ret;
}

/*
 * Code without a symbol may have its address in word 0, which leaves no room for the function. Such
 * code has no debug information that could name one.
 */
static void add_inlined(const struct worker *w, unsigned int i, u64 *key)
{
	u32 name = w->batch.spot[i].inlined;

	if (name == INLINED_NOTHING || (!(key[1] & NAMED) && key[0]))
		return;
	key[0] |= (u64)name << INLINED_SHIFT;
	key[1] |= INLINED;
}

/*
 * Code without a line is told apart by its place, whatever else is asked for: by the symbol and the
 * offset from its start, or by the address. Word 0 has the symbol already.
 *
 * Return: the bits of word 1 to keep for this.
 */
static u64 add_place(const struct worker *w, unsigned int i, u64 *key)
{
	const struct symtab *st = w->batch.symtab[i];
	u64 addr = w->batch.addr[i];

	if (key[1] & NAMED)
		key[4] |= (u32)(addr - st->syms[(u32)key[0]].start);
	else if (aggregate_dso(key) != DSO_INDEX_UNKNOWN)
		key[0] = addr;
	return (u64)DSO_MAX << DSO_SHIFT | NAMED;
}

/* Return: the bits of word 1 to keep in addition to the mask */
static u64 add_line(const struct worker *w, unsigned int i, u64 *key)
{
	const struct source_spot *spot = &w->batch.spot[i];
	u32 file = w->by & BY_SRCPATH ? spot->path : spot->file;

	key[4] = (u64)file << FILE_SHIFT;
	if (w->by & BY_SRCLINE && file == NO_SOURCE_FILE)
		return add_place(w, i, key);
	if (w->by & BY_SRCLINE)
		key[4] |= spot->line;
	/* The symbol was only looked for in case there is no line */
	if (!(w->by & BY_SYM)) {
		key[0] = w->batch.addr[i] & w->address_mask;
		key[1] &= ~NAMED;
	}
	return 0;
}

/* With one event: count for a batch what take_sample() else counts for each sample */
static void count_one_event(struct worker *w, unsigned int n, __uint128_t squares)
{
	u32 event = max(w->s->pd->only, 0);

	w->a.blocks[event].weight_squares += squares;
	w->in_block[event] += n;
	w->a.of_event[event] += n;
}

static inline __attribute__((always_inline))
void find_symbols(struct worker *w, unsigned int n, const bool simple)
{
	unsigned int words = simple ? 2 : w->a.hist.words, i, k;
	u64 mask = w->mask[1], address_mask = w->address_mask, weight = 0, keep, named, sym, *key;
	__uint128_t squares = 0;
	bool symbols = simple || w->symbols;
	struct batch *b = &w->batch;

	for (i = 0; symbols && i < n; i++) {
		b->first[i] = symtab_first(b->symtab[i], b->bucket[i]);
		__builtin_prefetch(b->first[i]);
	}
	for (i = 0; i < n; i++) {
		key = b->key + i * words;
		named = 0;
		sym = 0;
		if (symbols)
			named = symtab_find_mask(b->symtab[i], b->first[i], b->addr[i], &sym);
		key[0] = (sym & named) | (b->addr[i] & address_mask & ~named);
		key[1] |= named & NAMED;
		keep = !simple && w->lines ? add_line(w, i, key) : 0;
		if (!simple && w->inlined)
			add_inlined(w, i, key);
		key[1] &= mask | keep;
		for (k = 2; k < words; k++)
			key[k] &= w->mask[k];
		weight += b->weight[i];
		if (simple)
			squares += (__uint128_t)b->weight[i] * b->weight[i];
	}
	w->a.weight += weight;
	if (simple)
		count_one_event(w, n, squares);
}

/* Callers */

/*
 * Count the current sample for a key, unless an earlier frame has counted it for the same key.
 * @row: receives the number of the key's entry
 */
static int count_once(struct worker *w, const u64 *key, u64 weight, u32 block, u32 *row)
{
	struct hist *h = &w->a.callers;
	struct callers *c = w->callers;
	size_t at = hist_find(h, key), had = c->cap;

	if (at == HIST_NONE) {
		at = h->nr;
		if (mem_grow(&c->last, &c->cap, at + 1))
			return -ENOMEM;
		memset(c->last + had, 0, (c->cap - had) * sizeof(*c->last));
	}
	*row = at;
	if (c->last[at] == c->samples)
		return 0;
	c->last[at] = c->samples;
	return hist_add(h, key, &weight, 1, block);
}

/*
 * A frame takes 8 bytes of a recording, but a row for its address takes 200 bytes of memory. Beyond
 * this number of rows, code without a symbol counts for its object, as without BY_ADDR.
 */
#define CALLERS_EACH	32
#define CALLERS_LEAST	(1U << 13)

static void fold_frame(struct worker *w, u64 *key)
{
	const struct hist *h = &w->a.callers;

	if (likely(h->nr < w->s->pd->data_size / CALLERS_EACH + CALLERS_LEAST) || key[1] & NAMED ||
	    !key[0] || hist_find(h, key) != HIST_NONE)
		return;
	key[0] = 0;
	w->a.folded++;
}

/* Turn the key of a sample into that of a frame of its call chain */
static void set_frame(const struct worker *w, const struct callchain_frame *f, u64 *key)
{
	u32 dso = w->symbols ? f->dso : w->s->dsos.dso[f->dso]->alike;
	bool named = w->symbols && f->sym != SYM_NONE;

	key[0] = named ? f->sym : f->addr & w->address_mask;
	key[1] &= ~((u64)DSO_MAX << DSO_SHIFT | 7ULL << MODE_SHIFT | NAMED);
	key[1] |= ((u64)dso << DSO_SHIFT | (u64)f->mode << MODE_SHIFT | named) & w->mask[1];
}

static int find_chain(struct worker *w, unsigned int i)
{
	struct callers *c = w->callers;
	const struct recorded_event *e = c->event[i];

	c->chain.nr = 0;
	c->chain.caller = 0;
	if (!callchain_recorded(e))
		return 0;
	return callchain_find(&c->chain, w->s, &w->resolver, &e->layout, c->rec[i], &c->x[i]);
}

static int add_step(struct worker *w, u32 row, u32 dso, u32 sym)
{
	struct callers *c = w->callers;
	u32 func = call_func(&w->a.paths, dso, sym);

	if (func == CALL_NONE || mem_grow(&c->step, &c->steps_cap, c->nr_steps + 2))
		return -ENOMEM;
	c->step[c->nr_steps++] = (struct call_step){ w->by & BY_CALLERS ? row : CALL_NONE, func };
	return 0;
}

/* Add the step of the sampled code, which the chain need not contain */
static int add_first_step(struct worker *w, unsigned int i, u32 row)
{
	const struct callchain *chain = &w->callers->chain;
	const struct resolved *x = &w->callers->x[i];
	u32 sym;

	if (chain->caller)
		return add_step(w, row, chain->frame[0].dso, chain->frame[0].sym);
	sym = symtab_find(&session_load_dso(w->s, x->dso)->symtab, x->addr);
	return add_step(w, row, x->dso, sym);
}

static void turn_round(struct call_step *first, size_t nr)
{
	struct call_step *last = first + nr, swap;

	for (; first < --last; first++) {
		swap = *first;
		*first = *last;
		*last = swap;
	}
}

/* Put the path below @row alone, whatever other rows it goes through */
static int add_path_of(struct worker *w, u32 row, u64 weight, u32 block)
{
	struct callers *c = w->callers;
	size_t i;

	for (i = c->nr_steps++; i; i--)
		c->step[i] = (struct call_step){ CALL_NONE, c->step[i - 1].func };
	c->step[0] = (struct call_step){ row, CALL_NONE };
	return call_paths_add(&w->a.paths, c->step, c->nr_steps, weight, block);
}

/*
 * As in perf, the tree of a row shows what its code called. In samples that were taken in the row's
 * own code it called nothing: for these the tree shows the path that led there. @row: of the
 * sampled code
 */
static int add_called(struct worker *w, u32 row, u64 weight, u32 block)
{
	struct callers *c = w->callers;
	bool others = false;
	size_t i;
	int ret = 0;

	for (i = 0; i < c->nr_steps; i++) {
		if (c->step[i].row == row)
			c->step[i].row = CALL_NONE;
		others |= c->step[i].row != CALL_NONE;
	}
	if (others)
		ret = call_paths_add(&w->a.paths, c->step, c->nr_steps, weight, block);
	return ret ? ret : add_path_of(w, row, weight, block);
}

static int add_path(struct worker *w, u32 row, u64 weight, u32 block)
{
	struct callers *c = w->callers;

	if (w->by & BY_CALLED_TREE)
		turn_round(c->step, c->nr_steps);
	if (!(w->by & BY_CALLERS))
		return add_path_of(w, row, weight, block);
	if (w->by & BY_CALLED_TREE)
		return add_called(w, row, weight, block);
	return call_paths_add(&w->a.paths, c->step, c->nr_steps, weight, block);
}

static int count_callers(struct worker *w, unsigned int i, u32 block)
{
	struct callers *c = w->callers;
	unsigned int words = w->a.hist.words;
	u64 key[HIST_WORDS_MAX], weight = w->batch.weight[i];
	const struct callchain_frame *f;
	u32 self, row = CALL_NONE;
	size_t k;
	int ret;

	memcpy(key, w->batch.key + i * words, words * sizeof(*key));
	c->samples++;
	c->nr_steps = 0;
	ret = count_once(w, key, weight, block, &self);
	if (!ret)
		ret = find_chain(w, i);
	if (!ret && w->trees)
		ret = add_first_step(w, i, self);
	for (k = c->chain.caller; !ret && k < c->chain.nr; k++) {
		f = &c->chain.frame[k];
		set_frame(w, f, key);
		if (w->by & BY_CALLERS) {
			fold_frame(w, key);
			ret = count_once(w, key, weight, block, &row);
		}
		if (!ret && w->trees)
			ret = add_step(w, row, f->dso, f->sym);
	}
	return ret || !w->trees ? ret : add_path(w, self, weight, block);
}

static int finish_batch(struct worker *w, u32 block, bool simple)
{
	unsigned int n = w->batch.n, i;
	int ret = 0;

	if (!simple && w->source && find_source(w, n))
		return -ENOMEM;
	if (simple)
		find_symbols(w, n, true);
	else
		find_symbols(w, n, false);
	w->a.samples += n;
	w->batch.n = 0;
	for (i = 0; !simple && w->callers && i < n && !ret; i++)
		ret = count_callers(w, i, block);
	return ret ? ret : hist_add(&w->a.hist, w->batch.key, w->batch.weight, n, block);
}

/* A thread */

static void count_block(struct worker *w)
{
	struct stats_blocks *blocks = w->a.blocks;
	unsigned int e;
	u64 n;

	for (e = 0; e < w->s->pd->nr_events; e++) {
		n = w->in_block[e];
		blocks[e].nr += !!n;
		blocks[e].samples += n;
		blocks[e].squares += (double)n * n;
		w->in_block[e] = 0;
	}
}

static inline __attribute__((always_inline))
int read_chunk(struct worker *w, size_t chunk, const bool simple)
{
	u64 pos = w->s->chunk[chunk], end = w->s->chunk[chunk + 1], start, size;
	struct perfdata *pd = w->s->pd;
	u32 event = max(pd->only, 0);
	struct sample_layout only = pd->events[event].layout;
	const u8 *data = pd->data, *rec;
	int ret = 0;

	w->new_from[chunk] = w->a.hist.nr;
	for (start = pos; !ret; start = pos) {
		rec = data + start;
		size = perfdata_sample(rec, data + end, sizeof(struct perf_event_header));
		pos += size;
		if (unlikely(!size)) {
			rec = start < end ? perfdata_next(pd, &pos) : NULL;
			if (!rec)
				break;
			if (rec_type(rec) != PERF_RECORD_SAMPLE)
				continue;
		}
		if (!simple)
			event = perfdata_event_of(pd, rec);
		if (!simple && unlikely(event == IDMAP_NONE))
			w->a.stray++;
		else
			ret = take_sample(w, simple ? &only : &pd->events[event].layout, rec, start,
					  event, chunk, simple);
	}
	if (!ret)
		ret = finish_batch(w, chunk, simple);
	count_block(w);
	return ret;
}

static bool is_simple(const struct worker *w)
{
	const struct perfdata *pd = w->s->pd;
	const struct sample_layout *l = &pd->events[max(pd->only, 0)].layout;

	return pd->only >= 0 && w->a.hist.words == 2 && w->symbols && !w->source && !w->filter &&
	       !w->callers && !w->branches && !w->counts && sample_is_full(l);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	bool simple = is_simple(w);
	size_t chunk;

	while (!w->ret && (chunk = atomic_fetch_add(w->next_chunk, 1)) < w->s->nr_chunks) {
		progress("counting samples of", w->s->pd->path, chunk, w->s->nr_chunks);
		w->ret = simple ? read_chunk(w, chunk, true) : read_chunk(w, chunk, false);
	}
	return NULL;
}

static u64 bits(unsigned int by, unsigned int flag, u64 mask)
{
	return by & flag ? mask : 0;
}

static int init_worker(struct worker *w, struct session *s, unsigned int by,
		       const struct aggregate_filter *filter, atomic_size_t *next_chunk)
{
	unsigned int words;

	w->s = s;
	w->by = by;
	w->filter = filter;
	w->next_chunk = next_chunk;
	w->symbols = by & (BY_SYM | BY_SRCLINE);
	w->lines = by & (BY_SRCLINE | BY_SRCFILE);
	w->inlined = by & BY_INLINE;
	w->source = w->lines || w->inlined;
	w->trees = by & (BY_CALLED_TREE | BY_CALLERS_TREE);
	w->branches = by & BY_BRANCHES;
	w->counts = by & OF_COUNTS;
	w->raw = by & (BY_EL | BY_STATE | BY_VMID | BY_METHOD);
	w->address_mask = by & BY_ADDR ? ~0ULL : 0;
	w->mask[1] = bits(by, BY_COMM, ~0ULL << COMM_SHIFT) |
		     bits(by, BY_DSO | BY_SYM | BY_ADDR, (u64)DSO_MAX << DSO_SHIFT) |
		     bits(by, BY_SYM | BY_ADDR, 7 << MODE_SHIFT) |
		     bits(by, BY_SYM, NAMED) | bits(by, BY_INLINE, INLINED);
	w->mask[2] = bits(by, BY_PID, ~0ULL << 32) | bits(by, BY_TID, ~0ULL >> 32);
	w->mask[3] = bits(by, BY_CPU, 0xffffULL << CPU_SHIFT) |
		     bits(by, BY_VMID, vmid_bits(NO_VMID | VMID_NOT_KNOWN | 0xffff)) |
		     bits(by, BY_EVENT, 0xffffULL << EVENT_SHIFT) |
		     bits(by, BY_EL, 0xfULL << EL_SHIFT) |
		     bits(by, BY_STATE, 0xfULL << STATE_SHIFT) |
		     bits(by, BY_IDLE, IDLE) |
		     bits(by, BY_METHOD, 0xf);
	w->mask[4] = bits(by, BY_SRCLINE | BY_SRCFILE | BY_SYM_FROM, ~0ULL);
	w->mask[5] = bits(by, BY_CGROUP, ~0ULL << CGROUP_SHIFT) | bits(by, BY_FIELDS, UINT32_MAX) |
		     bits(by, BY_DSO_FROM | BY_SYM_FROM, ~0ULL << FROM_DSO_SHIFT) |
		     bits(by, BY_SYM_FROM, 7 << MODE_SHIFT | NAMED) |
		     bits(by, BY_CYCLES, 0xffffULL << CYCLES_SHIFT) | bits(by, BY_IN_TX, IN_TX) |
		     bits(by, BY_ABORT, ABORTED) | bits(by, BY_PREDICTED, MISPREDICTED | PREDICTED);
	resolver_init(&w->resolver, s);
	if (by & BY_IDLE)
		kernel_idle_find(&w->idle, &s->dsos);
	w->a.first = TIME_MAX;
	w->new_from = malloc((s->nr_chunks + 1) * sizeof(*w->new_from));
	if (!w->new_from)
		return -ENOMEM;
	memset(w->new_from, 0xff, s->nr_chunks * sizeof(*w->new_from));
	w->a.blocks = calloc(s->pd->nr_events, sizeof(*w->a.blocks));
	w->in_block = calloc(s->pd->nr_events, sizeof(*w->in_block));
	w->a.of_event = calloc(s->pd->nr_events, sizeof(*w->a.of_event));
	w->a.uncounted = calloc(s->pd->nr_events, sizeof(*w->a.uncounted));
	w->a.others = calloc(s->pd->nr_events, sizeof(*w->a.others));
	if (!w->a.blocks || !w->in_block || !w->a.of_event || !w->a.uncounted || !w->a.others)
		return -ENOMEM;
	if (by & BY_CALLERS || w->trees) {
		w->callers = calloc(1, sizeof(*w->callers));
		if (!w->callers)
			return -ENOMEM;
	}
	by &= ~(BY_COMM | BY_DSO | BY_SYM | BY_ADDR | BY_INLINE | BY_SRCPATH | BY_CALLERS |
		BY_CALLED_TREE | BY_CALLERS_TREE | OF_COUNTS);
	words = w->lines || by & (BY_CGROUP | BY_FIELDS | BY_BRANCHES) ? 6 : by ? 4 : 2;
	if (w->callers && hist_init(&w->a.callers, words))
		return -ENOMEM;
	return hist_init(&w->a.hist, words);
}

static void free_callers(struct callers *c)
{
	if (!c)
		return;
	callchain_deinit(&c->chain);
	free(c->last);
	free(c->step);
	free(c);
}

static int add_counts(struct aggregate *to, const struct aggregate *from, size_t nr_events)
{
	size_t i;

	to->samples += from->samples;
	to->weight += from->weight;
	to->left_out += from->left_out;
	to->stray += from->stray;
	to->malformed += from->malformed;
	to->first = min(to->first, from->first);
	to->last = max(to->last, from->last);
	if (from->nr_cpus > to->nr_cpus && add_cpu(to, from->nr_cpus - 1))
		return -ENOMEM;
	for (i = 0; i < nr_events; i++) {
		to->of_event[i] += from->of_event[i];
		to->uncounted[i] += from->uncounted[i];
		to->others[i].samples += from->others[i].samples;
		to->others[i].weight += from->others[i].weight;
		to->blocks[i].nr += from->blocks[i].nr;
		to->blocks[i].samples += from->blocks[i].samples;
		to->blocks[i].squares += from->blocks[i].squares;
		to->blocks[i].weight_squares += from->blocks[i].weight_squares;
	}
	for (i = 0; i < from->nr_cpus; i++)
		to->cpu_samples[i] += from->cpu_samples[i];
	return 0;
}

/*
 * Merge the entries of all workers in the order in which one worker alone would have made them, so
 * that the result does not depend on which worker read which chunk: chunk by chunk, the entries
 * that the chunk's reader made there. If another worker made the same entry in an earlier chunk, it
 * is there already, and counts are added to it.
 */
static int merge_hists(struct hist *to, struct worker *workers, unsigned int nr, size_t nr_chunks)
{
	size_t chunk, end, k;
	unsigned int i;
	int ret = hist_init(to, workers[0].a.hist.words);

	for (chunk = 0; !ret && chunk < nr_chunks; chunk++) {
		for (i = 0; workers[i].new_from[chunk] == NOT_READ; i++)
			;
		end = workers[i].a.hist.nr;
		for (k = chunk + 1; k < nr_chunks; k++) {
			if (workers[i].new_from[k] != NOT_READ) {
				end = workers[i].new_from[k];
				break;
			}
		}
		ret = hist_merge(to, &workers[i].a.hist, workers[i].new_from[chunk],
				 end - workers[i].new_from[chunk]);
	}
	return ret;
}

static int merge_workers(struct aggregate *a, struct worker *workers, unsigned int nr,
			 size_t nr_chunks)
{
	struct hist all = { 0 };
	unsigned int i;
	int ret = 0;

	for (i = 1; !ret && i < nr; i++)
		ret = add_counts(&workers[0].a, &workers[i].a, workers[0].s->pd->nr_events);
	if (!ret && nr > 1) {
		ret = merge_hists(&all, workers, nr, nr_chunks);
		hist_deinit(&workers[0].a.hist);
		workers[0].a.hist = all;
	} else if (!ret) {
		ret = call_paths_finish(&workers[0].a.paths);
	}
	*a = workers[0].a;
	memset(&workers[0].a, 0, sizeof(workers[0].a));
	return ret;
}

void aggregate_deinit(struct aggregate *a)
{
	hist_deinit(&a->hist);
	hist_deinit(&a->callers);
	call_paths_deinit(&a->paths);
	free(a->cpu_samples);
	free(a->blocks);
	free(a->of_event);
	free(a->uncounted);
	free(a->others);
	memset(a, 0, sizeof(*a));
}

static int note_folded(struct session *s, const struct aggregate *a)
{
	char text[160];

	if (!a->folded)
		return 0;
	snprintf(text, sizeof(text), "%" PRIu64 " frames without a symbol are shown by their "
		 "object alone: there are too many different addresses", a->folded);
	return session_add_note(s, text);
}

int aggregate_run(struct aggregate *a, struct session *s, unsigned int by,
		  const struct aggregate_filter *filter, struct error *err)
{
	/* Call paths need the samples in order, and libtraceevent is not thread-safe: one worker */
	const unsigned int ordered = BY_CALLERS | BY_CALLED_TREE | BY_CALLERS_TREE;
	bool alone = by & ordered || (filter && filter->tracepoints);
	unsigned int nr = alone ? 1 : max(s->options.threads, 1U), i;
	struct worker *workers = calloc(nr, sizeof(*workers));
	pthread_t *thread = calloc(nr, sizeof(*thread));
	atomic_size_t next_chunk = 0;
	int ret = workers && thread ? 0 : -ENOMEM;

	memset(a, 0, sizeof(*a));
	if (s->dsos.nr > DSO_MAX)
		ret = -E2BIG;
	for (i = 0; !ret && i < nr; i++)
		ret = init_worker(&workers[i], s, by, filter, &next_chunk);
	if (ret)
		goto out;
	for (i = 1; i < nr; i++)
		if (pthread_create(&thread[i], NULL, work, &workers[i]))
			break;
	nr = i;
	work(&workers[0]);
	for (i = 1; i < nr; i++)
		pthread_join(thread[i], NULL);
	progress_end();
	for (i = 0; !ret && i < nr; i++)
		ret = workers[i].ret;
	if (!ret)
		ret = merge_workers(a, workers, nr, s->nr_chunks);
	if (!ret)
		ret = note_folded(s, a);
	if (ret)
		goto out;
	a->by = by;
	a->part = filter && (filter->from || filter->to != TIME_MAX);
	if (filter && a->samples)
		a->gaps = aggregate_gaps(filter, a->first, a->last);
	for (i = 0; i < a->nr_cpus; i++)
		a->cpus_seen += !!a->cpu_samples[i];
out:
	for (i = 0; workers && i < nr; i++) {
		aggregate_deinit(&workers[i].a);
		free_callers(workers[i].callers);
		free(workers[i].new_from);
		free(workers[i].in_block);
	}
	if (ret)
		aggregate_deinit(a);
	free(workers);
	free(thread);
	if (ret)
		error_set(err, ret, ret == -E2BIG ? "too many shared objects" : "out of memory");
	return ret;
}
