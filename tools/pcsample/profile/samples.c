// SPDX-License-Identifier: GPL-2.0-only
#include "base/progress.h"
#include "base/radix.h"
#include "profile/samples.h"
#include "symbols/load.h"

/* Samples in the order of time */

void in_order_init(struct in_order *o, struct session *s)
{
	memset(o, 0, sizeof(*o));
	o->s = s;
}

void in_order_deinit(struct in_order *o)
{
	progress_end();
	free(o->item);
	free(o->older);
	free(o->start);
	free(o->run);
	free(o->part);
	free(o->block);
	free(o->other);
	memset(o, 0, sizeof(*o));
}

/* @nr: number of items in front of the run */
static int add_start(struct in_order *o, size_t nr)
{
	if (mem_grow(&o->start, &o->starts_cap, o->nr_starts + 1))
		return -ENOMEM;
	o->start[o->nr_starts++] = nr;
	return 0;
}

static u64 time_of(struct session *s, const struct sample_layout *l, const u8 *rec, u64 pos)
{
	if (rec_size(rec) < l->size)
		return 0;
	return l->time ? load64(rec + l->time) : session_time_at(s, pos);
}

static int add_item(struct in_order *o, const u8 *rec, u64 pos)
{
	const struct sample_layout *l = &o->s->pd->events[0].layout;
	u32 event = perfdata_event_of(o->s->pd, rec);
	u64 time;

	if (event != IDMAP_NONE)
		l = &o->s->pd->events[event].layout;
	time = time_of(o->s, l, rec, pos);
	if (mem_grow(&o->item, &o->cap, o->nr + 1))
		return -ENOMEM;
	if ((!o->nr || unlikely(time < o->item[o->nr - 1].time)) && add_start(o, o->nr))
		return -ENOMEM;
	o->item[o->nr++] = (struct in_order_item){ time, pos };
	o->newest = max(o->newest, time);
	return 0;
}

/* Add four samples of the same size, if they are in order. @before: time of the one before them */
static inline bool add_four(struct in_order_item *item, const u8 *rec, u64 pos, u64 size, u64 at,
			    u64 *before)
{
	u64 time, last = *before;
	bool later = true;
	int i;

#pragma GCC unroll 4
	for (i = 0; i < 4; i++, rec += size, pos += size) {
		time = load64(rec + at);
		later &= time >= last;
		last = time;
		item[i] = (struct in_order_item){ time, pos };
	}
	if (likely(later))
		*before = last;
	return later;
}

/*
 * As add_item(), for many samples of the only event: nearly all records of nearly all recordings.
 * Stops at a record that is no sample, or one that is too short. @pos: moved behind the samples
 */
static int add_items(struct in_order *o, const struct sample_layout *l, u64 *pos)
{
	const u8 *data = o->s->pd->data, *rec = data + *pos, *end = data + o->s->pd->data_size;
	/* Copies: the compiler must assume that storing an item changes the layout */
	const u64 least = l->size, at = l->time;
	u64 before = o->item[o->nr - 1].time, newest = o->newest, time, size;
	size_t nr = o->nr, cap = o->cap;
	struct in_order_item *item = o->item;

	while ((size = perfdata_sample(rec, end, least))) {
		time = load64(rec + at);
		if (unlikely(cap - nr < 5)) {
			if (mem_grow(&o->item, &o->cap, nr + 5))
				return -ENOMEM;
			item = o->item;
			cap = o->cap;
		}
		if (unlikely(time < before)) {
			newest = max(newest, before);
			if (add_start(o, nr))
				return -ENOMEM;
		}
		item[nr++] = (struct in_order_item){ time, rec - data };
		before = time;
		rec += size;
		while (cap - nr >= 4 && perfdata_samples_ahead(rec, end, size) &&
		       add_four(item + nr, rec, rec - data, size, at, &before)) {
			nr += 4;
			rec += 4 * size;
		}
	}
	o->nr = nr;
	o->newest = max(newest, before);
	*pos = rec - data;
	return 0;
}

/* Read to the end of a round. Return: 1, 0 at the end of the file, -ENOMEM */
static int read_round(struct in_order *o)
{
	struct perfdata *pd = o->s->pd;
	const struct sample_layout *l = pd->only < 0 ? NULL : &pd->events[pd->only].layout;
	u64 pos = o->pos, start;
	const u8 *rec;
	int ret = 0;
	u32 type;

	while (!ret) {
		/* add_items() needs a run, which add_item() begins */
		if (l && l->time && o->nr && add_items(o, l, &pos))
			return -ENOMEM;
		start = pos;
		rec = perfdata_next(pd, &pos);
		if (!rec)
			break;
		type = rec_type(rec);
		if (type == PERFDATA_RECORD_FINISHED_ROUND)
			ret = 1;
		else if (type == PERF_RECORD_SAMPLE)
			ret = add_item(o, rec, start);
	}
	o->pos = pos;
	return ret;
}

/* More runs than this do not come from the buffers of CPUs: sort without looking for runs */
#define RUNS_MAX 1024

/* Read a round, and add its runs */
static int add_round(struct in_order *o)
{
	struct in_order_item *swap = o->older;
	size_t cap = o->older_cap, i;
	int more;

	/* All that is left is of the last round */
	o->older = o->item;
	o->older_cap = o->cap;
	o->item = swap;
	o->cap = cap;
	/* This one is likely as long as the last */
	if (mem_grow(&o->item, &o->cap, o->nr))
		return -ENOMEM;
	o->nr = 0;
	o->nr_starts = 0;
	progress("putting in order", o->s->pd->path, o->pos, o->s->pd->data_size);
	o->limit = o->newest;
	more = read_round(o);
	if (more < 0)
		return more;
	o->ended = !more;
	if (o->ended)
		o->limit = UINT64_MAX;
	if (o->nr_starts > RUNS_MAX) {
		o->nr_starts = 1;
		if (radix_sort((void **)&o->item, o->nr, o->cap, sizeof(*o->item)))
			return -ENOMEM;
	}
	if (mem_grow(&o->run, &o->runs_cap, o->nr_runs + o->nr_starts) ||
	    mem_grow(&o->part, &o->parts_cap, o->nr_runs + o->nr_starts))
		return -ENOMEM;
	for (i = 0; i < o->nr_starts; i++)
		o->run[o->nr_runs++] = (struct in_order_run){
			o->item + o->start[i],
			o->item + (i + 1 < o->nr_starts ? o->start[i + 1] : o->nr),
		};
	return 0;
}

/* Merge two runs; of equal times those of @x come first. Return: the end of the merged items */
static struct in_order_item *merge(struct in_order_item *to, const struct in_order_run *x,
				   const struct in_order_run *y)
{
	const struct in_order_item *a = x->at, *b = y->at;
	bool second;

	while (a < x->end && b < y->end) {
		second = b->time < a->time;
		*to++ = second ? *b : *a;
		b += second;
		a += !second;
	}
	to = mempcpy(to, a, (x->end - a) * sizeof(*to));
	return mempcpy(to, b, (y->end - b) * sizeof(*to));
}

/* Merge @nr parts that have @all items. Return: the items, or NULL */
static const struct in_order_item *merge_parts(struct in_order *o, size_t nr, size_t all)
{
	struct in_order_item *to, *swap;
	struct in_order_run none;
	size_t i;

	if (nr > 1 && (mem_grow(&o->block, &o->block_cap, all) ||
		       mem_grow(&o->other, &o->other_cap, all)))
		return NULL;
	for (; nr > 1; nr = (nr + 1) / 2) {
		none = (struct in_order_run){ o->part[nr - 1].end, o->part[nr - 1].end };
		for (i = 0, to = o->block; i < nr; i += 2) {
			swap = merge(to, &o->part[i], i + 1 < nr ? &o->part[i + 1] : &none);
			o->part[i / 2] = (struct in_order_run){ to, swap };
			to = swap;
		}
		swap = o->block;
		o->block = o->other;
		o->other = swap;
	}
	return o->part[0].at;
}

/* About so many items are merged at a time */
#define BLOCK_ITEMS 4096

/* Return: the number of items in the next block; 0 if there is nothing up to o->limit */
static ssize_t next_block(struct in_order *o, const struct in_order_item **items)
{
	size_t step = BLOCK_ITEMS / (o->nr_runs + 1) + 16, i, n, kept = 0, nr = 0, all = 0;
	struct in_order_run *r;
	u64 limit = o->limit;

	/* The first @step items of a run go up to a time. Take the earliest such time */
	for (r = o->run; r < o->run + o->nr_runs; r++)
		if (r->end - r->at > step)
			limit = min(limit, r->at[step - 1].time);
	for (i = 0; i < o->nr_runs; i++) {
		r = &o->run[i];
		n = nr_up_to(r->at, r->end - r->at, time, limit);
		if (n)
			o->part[nr++] = (struct in_order_run){ r->at, r->at + n };
		all += n;
		r->at += n;
		if (r->at < r->end)
			o->run[kept++] = *r;
	}
	o->nr_runs = kept;
	if (!nr)
		return 0;
	*items = merge_parts(o, nr, all);
	return *items ? all : -ENOMEM;
}

ssize_t in_order_next(struct in_order *o, const struct in_order_item **items)
{
	ssize_t nr = next_block(o, items);

	while (!nr && !o->ended) {
		if (add_round(o))
			return -ENOMEM;
		nr = next_block(o, items);
	}
	return nr;
}

/* Looking them up */

struct walk {
	struct session *s;
	int event;
	const struct aggregate_filter *filter;
	bool full;			/* sample_is_full() for all events */
	struct resolver resolver;
	struct sample_seen seen[SAMPLES_GROUP];
};

static bool all_full(const struct perfdata *pd)
{
	size_t i;

	for (i = 0; i < pd->nr_events; i++)
		if (!sample_is_full(&pd->events[i].layout))
			return false;
	return true;
}

/*
 * Return: does the sample count? @e: its event; @full: sample_is_full(). It is a constant, so that
 * the compiler makes a function for full samples, which nearly all recordings have.
 */
static inline __attribute__((always_inline))
bool look_up(struct walk *w, const struct recorded_event *e, const u8 *rec, u64 pos,
	     struct sample_seen *seen, const bool full)
{
	struct dso *dso;

	/* Each CPU's samples are mostly one behind the other */
	__builtin_prefetch((const void *)((uintptr_t)rec + PERFDATA_AHEAD));
	if (unlikely(rec_size(rec) < e->layout.size))
		return false;
	seen->rec = rec;
	seen->event = e;
	resolve(&w->resolver, &e->layout, rec, pos, full, &seen->x);
	if (unlikely(w->filter) && !aggregate_passes(w->filter, e, rec, &seen->x))
		return false;
	dso = session_load_dso(w->s, seen->x.dso);
	seen->symtab = &dso->symtab;
	seen->bucket = symtab_bucket(seen->symtab, seen->x.addr);
	__builtin_prefetch(symtab_group(seen->symtab, seen->bucket));
	return true;
}

/* The event of a sample that may be of several; NULL if it does not count */
static const struct recorded_event *event_of(const struct walk *w, const u8 *rec)
{
	const struct perfdata *pd = w->s->pd;
	u32 event = perfdata_event_of(pd, rec);

	if (event == IDMAP_NONE || (w->event >= 0 && event != w->event))
		return NULL;
	return &pd->events[event];
}

/* Look up a group in steps, so that its cache misses overlap */
static size_t look_up_group(struct walk *w, const struct in_order_item *item, size_t nr)
{
	const struct perfdata *pd = w->s->pd;
	bool one = pd->only >= 0 && (w->event < 0 || w->event == pd->only);
	struct sample_seen *seen = w->seen, *end;
	const struct recorded_event *e;
	const u8 *data = pd->data;
	size_t i;

	if (w->full && one) {
		e = &pd->events[pd->only];
		for (i = 0; i < nr; i++)
			seen += look_up(w, e, data + item[i].pos, item[i].pos, seen, true);
	} else {
		for (i = 0; i < nr; i++) {
			e = event_of(w, data + item[i].pos);
			if (e)
				seen += look_up(w, e, data + item[i].pos, item[i].pos, seen,
						w->full);
		}
	}
	end = seen;
	for (seen = w->seen; seen < end; seen++) {
		seen->first = symtab_first(seen->symtab, seen->bucket);
		__builtin_prefetch(seen->first);
	}
	for (seen = w->seen; seen < end; seen++)
		seen->sym = symtab_find_from(seen->symtab, seen->first, seen->x.addr);
	return end - w->seen;
}

static int visit(struct walk *w, const struct in_order_item *item, size_t nr, samples_fn fn,
		 void *ctx)
{
	size_t i, n;
	int ret = 0;

	for (i = 0; i < nr && !ret; i += SAMPLES_GROUP) {
		n = look_up_group(w, item + i, min(nr - i, (size_t)SAMPLES_GROUP));
		ret = fn(ctx, &w->resolver, w->seen, n);
	}
	return ret;
}

static int visit_all(struct walk *w, samples_fn fn, void *ctx)
{
	const struct in_order_item *item;
	struct in_order order;
	ssize_t nr = 0;
	int ret = 0;

	in_order_init(&order, w->s);
	while (!ret && (nr = in_order_next(&order, &item)) > 0)
		ret = visit(w, item, nr, fn, ctx);
	in_order_deinit(&order);
	return ret ? ret : nr < 0 ? nr : 0;
}

/*
 * One event of many, such as perf record -e 'syscalls:*' has: who visits the samples of each event
 * would pass over all others each time. Their offsets take 8 bytes a sample, and unlike visit_all()
 * the event's items are all in memory, so a few events are not worth it.
 */
#define EVENTS_FEW 8

/* Add to the event's place in @place each sample's offset; without @offsets, count it there */
static void each_offset(struct perfdata *pd, size_t *place, u64 *offsets)
{
	u64 pos = 0, start;
	const u8 *rec;
	u32 event;

	for (start = pos; (rec = perfdata_next(pd, &pos)); start = pos) {
		if (rec_type(rec) != PERF_RECORD_SAMPLE)
			continue;
		event = perfdata_event_of(pd, rec);
		if (event == IDMAP_NONE)
			continue;
		if (offsets)
			offsets[place[event]] = start;
		place[event]++;
	}
}

/* Two passes: count the samples of each event, then put their offsets where it begins */
static int find_offsets(struct session *s)
{
	size_t nr = s->pd->nr_events, sum = 0, i;
	size_t *start = calloc(nr + 1, sizeof(*start)), *place = calloc(nr, sizeof(*place));
	u64 *offsets = NULL;

	if (start && place) {
		each_offset(s->pd, place, NULL);
		for (i = 0; i < nr; i++) {
			start[i] = sum;
			sum += place[i];
			place[i] = start[i];
		}
		start[nr] = sum;
		offsets = malloc((sum + 1) * sizeof(*offsets));
	}
	if (offsets)
		each_offset(s->pd, place, offsets);
	free(place);
	s->of_event = offsets;
	s->event_start = offsets ? start : NULL;
	if (!offsets)
		free(start);
	return offsets ? 0 : -ENOMEM;
}

static int visit_own(struct walk *w, samples_fn fn, void *ctx)
{
	struct session *s = w->s;
	const struct sample_layout *l = &s->pd->events[w->event].layout;
	struct in_order_item *item;
	const u64 *offset;
	size_t nr, i;
	int ret;

	if (!s->of_event && find_offsets(s))
		return -ENOMEM;
	offset = s->of_event + s->event_start[w->event];
	nr = s->event_start[w->event + 1] - s->event_start[w->event];
	item = malloc((nr + 1) * sizeof(*item));
	if (!item)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		item[i] = (struct in_order_item){
			time_of(s, l, s->pd->data + offset[i], offset[i]), offset[i]
		};
	ret = radix_sort((void **)&item, nr, nr + 1, sizeof(*item));
	if (!ret)
		ret = visit(w, item, nr, fn, ctx);
	free(item);
	return ret;
}

int samples_by_group(struct session *s, int event, const struct aggregate_filter *filter,
		     samples_fn fn, void *ctx)
{
	struct walk *w = calloc(1, sizeof(*w));
	int ret;

	if (!w)
		return -ENOMEM;
	w->s = s;
	w->event = event;
	w->filter = filter;
	w->full = all_full(s->pd);
	resolver_init(&w->resolver, s);
	if (event >= 0 && s->pd->only < 0 && s->pd->nr_events > EVENTS_FEW)
		ret = visit_own(w, fn, ctx);
	else
		ret = visit_all(w, fn, ctx);
	free(w);
	return ret;
}

/* One by one */

struct each {
	struct session *s;
	size_t chunk;			/* that the last sample was in */
	sample_fn fn;
	void *ctx;
};

/* Consecutive samples are mostly in the same chunk */
static size_t chunk_of(struct each *w, u64 pos)
{
	const u64 *chunk = w->s->chunk;

	if (pos < chunk[w->chunk] || pos >= chunk[w->chunk + 1])
		w->chunk = nr_up_to_bytes(chunk, w->s->nr_chunks, sizeof(*chunk), 0, pos) - 1;
	return w->chunk;
}

static int take_group(void *ctx, struct resolver *rs, struct sample_seen *seen, size_t nr)
{
	struct each *w = ctx;
	int ret = 0;
	size_t i;

	for (i = 0; i < nr && !ret; i++, seen++) {
		seen->weight = sample_weight(&seen->event->layout, seen->rec);
		seen->block = chunk_of(w, seen->rec - w->s->pd->data);
		seen->resolver = rs;
		ret = w->fn(w->ctx, seen);
	}
	return ret;
}

int each_sample(struct session *s, u32 event, const struct aggregate_filter *filter, sample_fn fn,
		void *ctx)
{
	struct each w = { .s = s, .fn = fn, .ctx = ctx };

	return samples_by_group(s, event, filter, take_group, &w);
}
