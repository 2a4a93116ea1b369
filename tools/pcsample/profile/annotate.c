// SPDX-License-Identifier: GPL-2.0-only
#include "profile/annotate.h"
#include "symbols/load.h"

/* The key: word 0 is the address, word 1 the number of the function */

struct counter {
	struct session *s;
	unsigned int event;
	const struct aggregate_filter *filter;
	struct annotate_function *function;
	struct idmap by_symbol;
	struct resolver resolver;
	struct hist hist;
	u64 *in_block;		/* samples of each function in this block */
	unsigned int n;
	u64 key[2 * HIST_BATCH];
	u64 weight[HIST_BATCH];
};

static int end_batch(struct counter *k, u32 block)
{
	int ret = hist_add(&k->hist, k->key, k->weight, k->n, block);

	k->n = 0;
	return ret;
}

static int count_sample(struct counter *k, const u8 *rec, u64 pos, u32 block)
{
	const struct recorded_event *e = &k->s->pd->events[k->event];
	struct resolved x;
	struct dso *dso;
	u32 sym, f;

	if (perfdata_event_of(k->s->pd, rec) != k->event || rec_size(rec) < e->layout.size)
		return 0;
	resolve(&k->resolver, &e->layout, rec, pos, false, &x);
	if (k->filter && !aggregate_passes(k->filter, e, rec, &x))
		return 0;
	dso = k->s->dsos.dso[x.dso];
	dso_load(&k->s->dsos, dso);
	sym = symtab_find(&dso->symtab, x.addr);
	if (sym == SYM_NONE)
		return 0;
	f = idmap_get(&k->by_symbol, (u64)x.dso << 32 | sym);
	if (f == IDMAP_NONE)
		return 0;
	k->key[2 * k->n] = x.addr;
	k->key[2 * k->n + 1] = f;
	k->weight[k->n] = sample_weight(&e->layout, rec);
	k->function[f].samples++;
	k->function[f].weight += k->weight[k->n];
	k->function[f].weight_squares += (double)k->weight[k->n] * k->weight[k->n];
	k->function[f].exact += !!(rec_misc(rec) & PERF_RECORD_MISC_EXACT_IP);
	k->in_block[f]++;
	return ++k->n == HIST_BATCH ? end_batch(k, block) : 0;
}

static int count_block(struct counter *k, size_t block, size_t nr)
{
	u64 pos = k->s->chunk[block], start;
	const u8 *rec;
	int ret = 0;
	size_t i;

	while (!ret && pos < k->s->chunk[block + 1]) {
		start = pos;
		rec = perfdata_next(k->s->pd, &pos);
		if (!rec)
			break;
		if (rec_type(rec) == PERF_RECORD_SAMPLE)
			ret = count_sample(k, rec, start, block);
	}
	if (!ret)
		ret = end_batch(k, block);
	for (i = 0; i < nr; i++) {
		k->function[i].squares += k->in_block[i] * k->in_block[i];
		k->in_block[i] = 0;
	}
	return ret;
}

static int share_out(struct counter *k, size_t nr)
{
	const struct hist_counts *counts;
	struct annotate_function *f;
	const struct hist_entry *e;
	size_t i;

	for (i = 0; i < k->hist.nr; i++) {
		e = hist_entry(&k->hist, i);
		counts = hist_counts(&k->hist, i);
		f = &k->function[e->key[1]];
		if (mem_grow(&f->address, &f->cap, f->nr + 1))
			return -ENOMEM;
		f->address[f->nr++] = (struct annotate_address){
			.addr = e->key[0], .samples = counts->count,
			.squares = counts->squares, .weight = e->weight,
		};
	}
	for (i = 0; i < nr; i++)
		if (k->function[i].nr)
			qsort(k->function[i].address, k->function[i].nr,
			      sizeof(*k->function[i].address), by_first_u64);
	return 0;
}

int annotate_count(struct session *s, unsigned int event, struct annotate_function *function,
		   size_t nr, const struct aggregate_filter *filter, u64 *blocks,
		   struct error *err)
{
	struct counter *k = calloc(1, sizeof(*k));
	size_t i;
	int ret;

	if (!k)
		return error_set(err, -ENOMEM, "out of memory");
	k->s = s;
	k->event = event;
	k->filter = filter;
	k->function = function;
	k->in_block = calloc(nr + 1, sizeof(*k->in_block));
	resolver_init(&k->resolver, s);
	ret = k->in_block ? hist_init(&k->hist, 2) : -ENOMEM;
	for (i = 0; !ret && i < nr; i++)
		ret = idmap_set(&k->by_symbol, (u64)function[i].dso << 32 | function[i].sym, i);
	for (i = 0; !ret && i < s->nr_chunks; i++)
		ret = count_block(k, i, nr);
	*blocks = s->nr_chunks;
	if (!ret)
		ret = share_out(k, nr);
	hist_deinit(&k->hist);
	idmap_deinit(&k->by_symbol);
	free(k->in_block);
	free(k);
	if (ret)
		annotate_deinit(function, nr);
	return ret ? error_set(err, ret, "out of memory") : 0;
}

void annotate_deinit(struct annotate_function *function, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		free(function[i].address);
		function[i].address = NULL;
		function[i].nr = 0;
		function[i].cap = 0;
	}
}
