// SPDX-License-Identifier: GPL-2.0-only
#include <arch-model/pc-sample.h>

#include "profile/compare.h"
#include "profile/samples.h"
#include "profile/recording.h"
#include "profile/rows.h"
#include "profile/time-range.h"

/*
 * The key, of what is told apart:
 *	word 0	symbol 32, CPU 16, EL 8, level 8
 *	word 1	comm 32, DSO 32
 *	word 2	source line 32, cgroup 32
 *	word 3	0 24, state 8, VMID 32
 * Words 2 and 3 are there only if something in them tells rows apart. Names are ids in c->texts, so
 * that keys of both recordings can be compared.
 */
#define SYMBOL_SHIFT	32
#define CPU_SHIFT	16
#define EL_SHIFT	8
#define COMM_SHIFT	32
#define SRCLINE_SHIFT	32
#define STATE_SHIFT	32

/* What is in words 2 and 3 */
#define BY_MORE		(BY_SRCLINE | BY_CGROUP | BY_STATE | BY_VMID)

#define WORDS_MAX	4

/* Counting one recording. The maps translate ids of its session to ids in c->texts. */
struct counter {
	struct compare *c;
	struct compare_side *side;
	const struct aggregate_filter *filter;
	bool shares;			/* a sample weighs 1 */
	u64 block_ns;
	struct names names;
	struct idmap comm_id, dso_id, symbol_id;
	struct idmap *srcline_id;	/* by DSO and address */
	u32 block;
	unsigned int n;
	u64 key[WORDS_MAX * HIST_BATCH];
	u64 weight[HIST_BATCH];
};

static int comm_id(struct counter *k, const struct resolved *x)
{
	struct place place = { .comm = x->comm };
	char buf[REPORT_TEXT_MAX];

	return intern_key(&k->c->texts, &k->comm_id, x->comm,
			  report_comm(k->side->s, &place, buf));
}

static int symbol_id(struct counter *k, const struct sample_seen *sample)
{
	const struct session *s = k->side->s;
	u32 dso = sample->x.dso, sym = sample->sym;

	return intern_key(&k->c->texts, &k->symbol_id, (u64)dso << 32 | sym,
			  sym == SYM_NONE ? "[unknown]" :
			  names_symbol(&k->names, session_dso(s, dso), dso, sym));
}

/* Without directories, as two builds of a program have different ones */
static int srcline_id(struct counter *k, const struct sample_seen *sample)
{
	const struct resolved *x = &sample->x;
	u32 id = idmap_get(&k->srcline_id[x->dso], x->addr);
	struct session *s = k->side->s;
	struct place p = { .dso = x->dso };
	struct source_spot spot;

	if (id != IDMAP_NONE)
		return id;
	if (session_source(s, x->dso, x->addr, &spot))
		return -ENOMEM;
	p.file = spot.file;
	p.line = spot.line;
	p.named = sample->sym != SYM_NONE;
	p.where = p.named ? sample->sym : x->addr;
	if (p.file == NO_SOURCE_FILE && p.named)
		p.line = x->addr - sample->symtab->syms[sample->sym].start;
	return intern_add_key(&k->c->texts, &k->srcline_id[x->dso], x->addr,
			      report_srcline(&k->names, s, &p));
}

static u8 exception_level(const struct sample_layout *l, const u8 *rec)
{
	struct arm_pcsample_record hw;

	return sample_arm_record(l, rec, &hw) ? sample_el(&hw) : NO_EL;
}

/* Security state and VMID, as far as these tell rows apart */
static u64 state_and_vmid(unsigned int by, const struct sample_layout *l, const u8 *rec)
{
	struct arm_pcsample_record hw;
	u64 state = NO_STATE, vmid = NO_VMID;

	if (sample_arm_record(l, rec, &hw)) {
		state = pcs_state(hw.pmpcsr);
		vmid = sample_vmid(&hw);
	}
	return (by & BY_STATE ? state : NO_STATE) << STATE_SHIFT |
	       (by & BY_VMID ? vmid : NO_VMID);
}

/* No map: there are few paths, so intern_add() nearly always finds one that is there */
static int cgroup_id(struct counter *k, const struct sample_layout *l, const u8 *rec)
{
	const struct session *s = k->side->s;
	struct place p = { .cgroup = sideband_cgroup(&s->sb, sample_cgroup(l, rec)) };
	const char *text = report_cgroup(s, &p);

	return intern_add(&k->c->texts, text, strlen(text));
}

static int make_key(struct counter *k, const struct sample_seen *sample, u64 *key)
{
	const struct sample_layout *l = &sample->event->layout;
	const struct resolved *x = &sample->x;
	const u8 *rec = sample->rec;
	unsigned int by = k->c->by;
	struct place place = { .mode = x->mode };
	int comm = 0, dso = 0, symbol = 0, srcline = 0, cgroup = 0;

	if (by & BY_COMM)
		comm = comm_id(k, x);
	if (by & BY_DSO)
		dso = intern_key(&k->c->texts, &k->dso_id, x->dso,
				 k->side->s->dsos.dso[x->dso]->name);
	if (by & BY_SYM)
		symbol = symbol_id(k, sample);
	if (by & BY_SRCLINE)
		srcline = srcline_id(k, sample);
	if (by & BY_CGROUP)
		cgroup = cgroup_id(k, l, rec);
	if (comm < 0 || dso < 0 || symbol < 0 || srcline < 0 || cgroup < 0)
		return -ENOMEM;
	key[0] = (u64)symbol << SYMBOL_SHIFT |
		 (by & BY_CPU ? min(x->cpu, (u32)NO_CPU) : 0) << CPU_SHIFT |
		 (by & BY_EL ? exception_level(l, rec) : 0) << EL_SHIFT |
		 (by & BY_SYM ? report_level(&place) : 0);
	key[1] = (u64)comm << COMM_SHIFT | (u32)dso;
	if (k->side->hist.words == 2)
		return 0;
	key[2] = (u64)srcline << SRCLINE_SHIFT | (u32)cgroup;
	key[3] = by & (BY_STATE | BY_VMID) ? state_and_vmid(by, l, rec) : 0;
	return 0;
}

/* With each sample of a block the square of their weight grows */
static void spread_add(struct compare_spread *s, u64 weight, u32 block)
{
	double had = s->block == block ? s->in_block : 0;

	s->block = block;
	s->in_block = had + weight;
	s->squares += (2 * had + weight) * weight;
}

static int end_batch(struct counter *k)
{
	struct compare_side *side = k->side;
	size_t had = side->spread_cap;
	unsigned int i;

	if (hist_add(&side->hist, k->key, k->weight, k->n, k->block) ||
	    mem_grow(&side->spread, &side->spread_cap, side->hist.nr))
		return -ENOMEM;
	if (side->spread_cap > had)
		memset(side->spread + had, 0,
		       (side->spread_cap - had) * sizeof(*side->spread));
	for (i = 0; i < k->n; i++)
		spread_add(&side->spread[hist_find(&side->hist, k->key + i * side->hist.words)],
			   k->weight[i], k->block);
	k->n = 0;
	return 0;
}

static int count_sample(void *ctx, const struct sample_seen *sample)
{
	struct counter *k = ctx;
	u64 first = k->side->first, time = max(sample->x.time, first);
	u32 block;
	int ret;

	block = min((time - first - aggregate_gaps(k->filter, first, time)) / k->block_ns,
		    CHANGE_BLOCKS - 1ULL);
	if (block != k->block || k->n == HIST_BATCH) {
		ret = end_batch(k);
		if (ret)
			return ret;
		k->block = block;
	}
	ret = make_key(k, sample, k->key + k->side->hist.words * k->n);
	if (ret)
		return ret;
	k->weight[k->n] = k->shares ? 1 : sample->weight;
	k->side->samples++;
	k->side->weight += k->weight[k->n++];
	return 0;
}

static int count_all(struct counter *k)
{
	int ret = each_sample(k->side->s, k->side->event, k->filter, count_sample, k);

	return ret ? ret : end_batch(k);
}

/*
 * The time that rates refer to: from the first sample, for as long as the recording took, as far as
 * the filter does not exclude it
 */
static int find_times(struct compare_side *side, const struct aggregate_filter *f,
		      struct error *err)
{
	u64 first, last, ns = 0;

	if (!side->s->pd->events[side->event].layout.time)
		return error_set(err, -EINVAL, "%s: its samples have no times; record them (-T)",
				 side->s->pd->path);
	if (!session_span(side->s, &first, &last))
		return error_set(err, -ENODATA, "%s: no samples", side->s->pd->path);
	if (perfdata_meta_u64(side->s->pd, "duration", &ns) && ns > last - first)
		last = first + ns;
	side->first = max(first, f->from);
	last = min(last, f->to);
	if (last <= side->first && !f->from && f->to == TIME_MAX)
		return error_set(err, -ENODATA,
				 "%s: all samples are of the same time, so there are no rates",
				 side->s->pd->path);
	if (last > side->first)
		ns = last - side->first - aggregate_gaps(f, side->first, last);
	if (!ns)
		return error_set(err, -ENODATA, "%s: no samples of that time", side->s->pd->path);
	side->seconds = ns / 1e9;
	return 0;
}

static void deinit_counter(struct counter *k, const struct session *s)
{
	size_t i;

	for (i = 0; k && k->srcline_id && i < s->dsos.nr; i++)
		idmap_deinit(&k->srcline_id[i]);
	if (k) {
		idmap_deinit(&k->comm_id);
		idmap_deinit(&k->dso_id);
		idmap_deinit(&k->symbol_id);
		free(k->srcline_id);
	}
	free(k);
}

static int count_side(struct compare *c, unsigned int i, struct session *s,
		      const struct compare_options *o, struct error *err)
{
	struct compare_side *side = &c->side[i];
	struct counter *k = calloc(1, sizeof(*k));
	int ret;

	side->s = s;
	side->event = o->event[i];
	if (k)
		k->srcline_id = calloc(s->dsos.nr, sizeof(*k->srcline_id));
	if (!k || !k->srcline_id ||
	    hist_init(&side->hist, c->by & BY_MORE ? WORDS_MAX : 2)) {
		deinit_counter(k, s);
		return error_set(err, -ENOMEM, "out of memory");
	}
	ret = find_times(side, &o->filter[i], err);
	if (!ret) {
		k->c = c;
		k->side = side;
		k->filter = &o->filter[i];
		k->shares = o->shares;
		k->block_ns = max((u64)(side->seconds * 1e9) / CHANGE_BLOCKS, 1ULL);
		names_init(&k->names, o->demangle);
		ret = count_all(k);
		names_deinit(&k->names);
		if (ret)
			error_set(err, ret, "out of memory");
		else if (!side->samples)
			ret = error_set(err, -ENODATA, "%s: no samples of that kind", s->pd->path);
	}
	deinit_counter(k, s);
	return ret;
}

/* Units */

static int check_units(const struct compare *c, struct error *err)
{
	const struct recorded_event *a = compare_event(&c->side[0]);
	const struct recorded_event *b = compare_event(&c->side[1]);

	if (recording_in_ns(a) && recording_in_ns(b))
		return 0;
	if (a->attr.type == b->attr.type && a->attr.config == b->attr.config)
		return 0;
	return error_set(err, -EINVAL,
			 "%s and %s do not count the same; --normalize share compares shares of samples",
			 a->name, b->name);
}

/* Samples that all stand for nothing have no rate: weight_elsewhere() would be 0 */
static int check_weight(const struct compare_side *side, struct error *err)
{
	if (side->weight)
		return 0;
	return error_set(err, -ENODATA,
			 "%s: all periods are 0, so there are no rates; --normalize share compares shares of samples",
			 side->s->pd->path);
}

/* The weight of samples divided by this is their rate, or their share of all samples */
static double span_of(const struct compare_side *side, bool shares)
{
	return shares ? side->samples : side->seconds;
}

/* Rows */

static const char *text_of(const struct compare *c, unsigned int flag, u32 id)
{
	return c->by & flag ? intern_text(&c->texts, id) : NULL;
}

static double mean_weight(const struct compare_side *side, u32 entry)
{
	const struct hist_entry *e;

	if (entry == IDMAP_NONE)
		return 0;
	e = hist_entry(&side->hist, entry);
	return (double)e->weight / e->counts.count;
}

static u64 samples_of(const struct compare_side *side, u32 entry)
{
	return entry == IDMAP_NONE ? 0 : hist_counts(&side->hist, entry)->count;
}

/*
 * What a sample of a row would weigh in a recording that has none: as much, compared with the
 * samples of other rows, as in the recording that has the row. @entry: in that one, if it has it
 */
static double weight_elsewhere(const struct compare_side *has, u32 entry,
			       const struct compare_side *lacks)
{
	double mean = mean_weight(has, entry), all = (double)lacks->weight / lacks->samples;
	u64 samples = has->samples - samples_of(has, entry);
	double others = samples ? (has->weight - mean * samples_of(has, entry)) / samples : 0;

	return mean > 0 && others > 0 ? mean * all / others : all;
}

/*
 * A recording's side of a row: the heavier its samples are, the fewer of them there are at a rate.
 * Samples that stand for nothing are none. @other: the other recording, which may tell the weight
 */
static struct change_side side_of(const struct compare_side *side, u32 entry, double span,
				  const struct compare_side *other, u32 other_entry)
{
	double mean = mean_weight(side, entry);

	if (!(mean > 0))
		return (struct change_side){
			.exposure = span / weight_elsewhere(other, other_entry, side),
		};
	return (struct change_side){
		.count = samples_of(side, entry),
		.squares = side->spread[entry].squares / (mean * mean),
		.exposure = span / mean,
	};
}

/* @a, @b: entries of both sides, or IDMAP_NONE */
static int add_row(struct compare *c, const u64 *key, u32 a, u32 b, const double *span)
{
	const struct compare_side *side = c->side;
	struct change_side x = side_of(&side[0], a, span[0], &side[1], b);
	struct change_side y = side_of(&side[1], b, span[1], &side[0], a);
	struct compare_row *r;

	if (mem_grow(&c->row, &c->cap, c->nr + 1))
		return -ENOMEM;
	r = &c->row[c->nr++];
	*r = (struct compare_row){
		.symbol = text_of(c, BY_SYM, key[0] >> SYMBOL_SHIFT),
		.comm = text_of(c, BY_COMM, key[1] >> COMM_SHIFT),
		.dso = text_of(c, BY_DSO, (u32)key[1]),
		.srcline = c->by & BY_SRCLINE ? intern_text(&c->texts, key[2] >> SRCLINE_SHIFT) :
						NULL,
		.cgroup = c->by & BY_CGROUP ? intern_text(&c->texts, (u32)key[2]) : NULL,
		.level = key[0] & 0xff,
		.cpu = c->by & BY_CPU ? key[0] >> CPU_SHIFT & 0xffff : NO_CPU,
		.el = c->by & BY_EL ? key[0] >> EL_SHIFT & 0xff : NO_EL,
		.state = c->by & BY_STATE ? key[3] >> STATE_SHIFT & 0xff : NO_STATE,
		.vmid = c->by & BY_VMID ? (u32)key[3] : NO_VMID,
		.samples = { samples_of(&side[0], a), samples_of(&side[1], b) },
		.rate = { x.count / x.exposure, y.count / y.exposure },
	};
	r->change = change_test(&x, &y, (double)(x.count + y.count) /
				(side[0].samples + side[1].samples));
	r->p = 1;
	r->tested = x.count + y.count >= CHANGE_SAMPLES_MIN;
	return 0;
}

static u64 mixed_key(const struct hist *h, const u64 *key)
{
	u64 mixed = 0;
	unsigned int i;

	for (i = 0; i < h->words; i++)
		mixed = hash64(mixed) ^ key[i];
	return mixed;
}

/*
 * Index the entries of a histogram by key. The map has one word for a key, a hash; if two keys have
 * the same, the second takes the next number. find_entry() compares whole keys.
 */
static int index_entries(struct idmap *map, const struct hist *h)
{
	const struct hist_entry *e;
	size_t i;
	u64 mixed;

	for (i = 0; i < h->nr; i++) {
		e = hist_entry(h, i);
		mixed = mixed_key(h, e->key);
		while (idmap_get(map, mixed) != IDMAP_NONE)
			mixed++;
		if (idmap_set(map, mixed, i))
			return -ENOMEM;
	}
	return 0;
}

static u32 find_entry(const struct idmap *map, const struct hist *h, const u64 *key)
{
	u64 mixed = mixed_key(h, key);
	const struct hist_entry *e;
	u32 i;

	for (; (i = idmap_get(map, mixed)) != IDMAP_NONE; mixed++) {
		e = hist_entry(h, i);
		if (!memcmp(e->key, key, h->words * sizeof(*key)))
			return i;
	}
	return IDMAP_NONE;
}

static int join(struct compare *c, const double *span)
{
	const struct hist *a = &c->side[0].hist, *b = &c->side[1].hist;
	struct idmap of_a = { 0 }, of_b = { 0 };
	const u64 *key;
	size_t i;
	int ret;

	ret = index_entries(&of_a, a);
	if (!ret)
		ret = index_entries(&of_b, b);
	for (i = 0; !ret && i < a->nr; i++) {
		key = hist_entry(a, i)->key;
		ret = add_row(c, key, i, find_entry(&of_b, b, key), span);
	}
	for (i = 0; !ret && i < b->nr; i++) {
		key = hist_entry(b, i)->key;
		if (find_entry(&of_a, a, key) == IDMAP_NONE)
			ret = add_row(c, key, IDMAP_NONE, i, span);
	}
	idmap_deinit(&of_a);
	idmap_deinit(&of_b);
	return ret;
}

/* Verdicts */

static int correct(struct compare *c, unsigned int family)
{
	double *p = malloc((c->nr + 1) * sizeof(*p));
	size_t i, k = 0;
	int ret;

	if (!p)
		return -ENOMEM;
	for (i = 0; i < c->nr; i++)
		if (c->row[i].tested)
			p[c->nr_tested++] = c->row[i].change.p;
	ret = change_holm(p, c->nr_tested);
	for (i = 0; !ret && i < c->nr; i++) {
		if (!c->row[i].tested)
			continue;
		c->row[i].p = min(p[k++] * family, 1.0);
		c->nr_changed += c->row[i].p < COMPARE_LEVEL;
	}
	free(p);
	return ret;
}

static double magnitude(const struct compare_row *r)
{
	return r->change.delta < 0 ? -r->change.delta : r->change.delta;
}

static int compare_rows(const void *a, const void *b)
{
	const struct compare_row *x = a, *y = b;
	bool cx = x->p < COMPARE_LEVEL, cy = y->p < COMPARE_LEVEL;

	if (cx != cy)
		return cy - cx;
	return (magnitude(x) < magnitude(y)) - (magnitude(x) > magnitude(y));
}

int compare_run(struct compare *c, struct session *a, struct session *b,
		const struct compare_options *o, struct error *err)
{
	double span[2];
	unsigned int i;
	int ret;

	memset(c, 0, sizeof(*c));
	c->by = o->by;
	ret = count_side(c, 0, a, o, err);
	if (!ret)
		ret = count_side(c, 1, b, o, err);
	if (!ret && !o->shares)
		ret = check_units(c, err);
	for (i = 0; !ret && !o->shares && i < 2; i++)
		ret = check_weight(&c->side[i], err);
	if (ret)
		goto fail;
	for (i = 0; i < 2; i++) {
		span[i] = span_of(&c->side[i], o->shares);
		c->total[i] = c->side[i].weight / span[i];
	}
	ret = join(c, span);
	if (!ret)
		ret = correct(c, o->family);
	if (!ret) {
		qsort(c->row, c->nr, sizeof(*c->row), compare_rows);
		return 0;
	}
	error_set(err, ret, "out of memory");
fail:
	compare_deinit(c);
	return ret;
}

void compare_deinit(struct compare *c)
{
	hist_deinit(&c->side[0].hist);
	hist_deinit(&c->side[1].hist);
	free(c->side[0].spread);
	free(c->side[1].spread);
	intern_deinit(&c->texts);
	free(c->row);
	memset(c, 0, sizeof(*c));
}
