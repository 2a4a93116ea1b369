// SPDX-License-Identifier: GPL-2.0-only
#include "lib/each-sample.h"
#include "lib/in-order.h"

/* Groups, so that the memory that the look-ups wait for arrives together */
#define GROUP 32

struct walk {
	struct session *s;
	u32 event;
	const struct aggregate_filter *filter;
	struct resolver resolver;
	size_t chunk;			/* that the last sample was in */
	struct sample_seen seen[GROUP];
};

/* Samples that follow each other in time are in the same chunk, mostly */
static size_t chunk_of(struct walk *w, u64 pos)
{
	const u64 *chunk = w->s->chunk;
	size_t low = 0, high = w->s->nr_chunks - 1, middle;

	if (pos >= chunk[w->chunk] && pos < chunk[w->chunk + 1])
		return w->chunk;
	while (low < high) {
		middle = (low + high + 1) / 2;
		if (chunk[middle] <= pos)
			low = middle;
		else
			high = middle - 1;
	}
	w->chunk = low;
	return low;
}

/* Return: does the sample count? */
static bool look_up(struct walk *w, u64 pos, struct sample_seen *seen)
{
	const struct recorded_event *e = &w->s->pd->events[w->event];
	const u8 *rec = w->s->pd->data + pos;
	struct dso *dso;

	if (perfdata_event_of(w->s->pd, rec) != w->event || rec_size(rec) < e->layout.size)
		return false;
	resolve(&w->resolver, &e->layout, rec, pos, false, &seen->x);
	if (w->filter && !aggregate_passes(w->filter, &seen->x))
		return false;
	seen->weight = sample_weight(&e->layout, rec);
	seen->block = chunk_of(w, pos);
	seen->rec = rec;
	seen->layout = &e->layout;
	seen->resolver = &w->resolver;
	dso = w->s->dsos.dso[seen->x.dso];
	dso_load(&w->s->dsos, dso);
	__builtin_prefetch(symtab_bucket(&dso->symtab, seen->x.addr));
	return true;
}

static int take_group(struct walk *w, const struct in_order_item *item, size_t nr, sample_fn fn,
		      void *ctx)
{
	struct sample_seen *seen;
	size_t i, n = 0;
	int ret = 0;

	for (i = 0; i < nr; i++)
		n += look_up(w, item[i].pos, &w->seen[n]);
	for (i = 0; i < n && !ret; i++) {
		seen = &w->seen[i];
		seen->sym = symtab_find(&w->s->dsos.dso[seen->x.dso]->symtab, seen->x.addr);
		ret = fn(ctx, seen);
	}
	return ret;
}

int each_sample(struct session *s, u32 event, const struct aggregate_filter *filter, sample_fn fn,
		void *ctx)
{
	const struct in_order_item *item;
	struct walk *w = calloc(1, sizeof(*w));
	struct in_order order;
	ssize_t nr = 0, i;
	int ret = 0;

	if (!w)
		return -ENOMEM;
	w->s = s;
	w->event = event;
	w->filter = filter;
	resolver_init(&w->resolver, s);
	in_order_init(&order, s);
	while (!ret && (nr = in_order_next(&order, &item)) > 0)
		for (i = 0; i < nr && !ret; i += GROUP)
			ret = take_group(w, item + i, min(nr - i, (ssize_t)GROUP), fn, ctx);
	in_order_deinit(&order);
	free(w);
	return ret ? ret : nr < 0 ? nr : 0;
}
