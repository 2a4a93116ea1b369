// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recordings of arm_profexc; see profexc.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profexc.h"
#include "profile/resolve.h"
#include "symbols/load.h"

/* Records */

const char *profexc_class_name(unsigned int class)
{
	static const char *const names[] = {
		[ARM_PROFEXC_TRBE_FULL] = "trbe_full",
		[ARM_PROFEXC_TRBE_WRAP] = "trbe_wrap",
		[ARM_PROFEXC_TRBE_TRIGGER] = "trbe_trigger",
		[ARM_PROFEXC_TRBE_S1_FAULT] = "trbe_s1_fault",
		[ARM_PROFEXC_TRBE_S2_FAULT] = "trbe_s2_fault",
		[ARM_PROFEXC_TRBE_GPF] = "trbe_gpf",
		[ARM_PROFEXC_TRBE_GPC] = "trbe_gpc",
		[ARM_PROFEXC_TRBE_EXTERNAL_ABORT] = "trbe_external_abort",
		[ARM_PROFEXC_TRBE_ALIGNMENT] = "trbe_alignment",
		[ARM_PROFEXC_TRBE_OTHER] = "trbe_other",
		[ARM_PROFEXC_TRBE_IMPDEF] = "trbe_impdef",
		[ARM_PROFEXC_PMU_ASYNC] = "pmu_async",
		[ARM_PROFEXC_PMU_SYNC] = "pmu_sync",
		[ARM_PROFEXC_SPE] = "spe",
		[ARM_PROFEXC_SPURIOUS] = "spurious",
	};

	return class < ARRAY_SIZE(names) && names[class] ? names[class] : "unknown";
}

const char *profexc_mode_name(unsigned int mode)
{
	if (mode == ARM_PROFEXC_MODE_EXCEPTION)
		return "exception";
	return mode == ARM_PROFEXC_MODE_IRQ ? "irq" : "unknown";
}

/* Summary */

/* Sequence numbers seen on a CPU */
struct cpu_seq {
	u64 first, last, seen;
};

struct summarizer {
	struct session *s;
	const struct aggregate_filter *filter;
	struct profexc_summary *sum;
	struct resolver resolver;
	struct cpu_seq *cpu;
	size_t nr_cpus, cpus_cap;
	struct idmap events;		/* class and mode to index in sum->event */
	struct idmap places;		/* DSO and symbol to index in sum->place */
};

static int add_event(struct summarizer *z, const struct arm_profexc_record *hw)
{
	struct profexc_summary *sum = z->sum;
	u32 index = idmap_element(&z->events, hw->class << 8 | hw->mode, &sum->event,
				  &sum->nr_events, &sum->events_cap);
	struct profexc_event *e;

	if (index == IDMAP_NONE)
		return -ENOMEM;
	e = &sum->event[index];
	e->class = hw->class;
	e->mode = hw->mode;
	e->events++;
	if (hw->el < ARRAY_SIZE(e->el))
		e->el[hw->el]++;
	return 0;
}

static int add_seq(struct summarizer *z, u32 cpu, u64 seq)
{
	struct cpu_seq *c;

	if (cpu >= NO_CPU)
		return 0;
	if (cpu >= z->nr_cpus) {
		if (mem_grow(&z->cpu, &z->cpus_cap, cpu + 1))
			return -ENOMEM;
		memset(z->cpu + z->nr_cpus, 0, (cpu + 1 - z->nr_cpus) * sizeof(*z->cpu));
		z->nr_cpus = cpu + 1;
	}
	c = &z->cpu[cpu];
	if (!c->seen || seq < c->first)
		c->first = seq;
	if (seq > c->last)
		c->last = seq;
	c->seen++;
	return 0;
}

static int add_place(struct summarizer *z, const struct resolved *x, u8 mode)
{
	struct profexc_summary *sum = z->sum;
	struct dso *dso = z->s->dsos.dso[x->dso];
	struct profexc_place *p;
	u32 sym, index;

	dso_load(&z->s->dsos, dso);
	sym = symtab_find(&dso->symtab, x->addr);
	index = idmap_element(&z->places, (u64)x->dso << 32 | sym, &sum->place, &sum->nr_places,
			      &sum->places_cap);
	if (index == IDMAP_NONE)
		return -ENOMEM;
	p = &sum->place[index];
	p->dso = x->dso;
	p->sym = sym;
	p->events++;
	p->exceptions += mode == ARM_PROFEXC_MODE_EXCEPTION;
	return 0;
}

static int add_sample(struct summarizer *z, const u8 *rec, u64 pos)
{
	struct perfdata *pd = z->s->pd;
	struct profexc_summary *sum = z->sum;
	struct arm_profexc_record hw;
	const struct sample_layout *l;
	struct resolved x;
	u32 event;

	event = perfdata_event_of(pd, rec);
	if (event == IDMAP_NONE || rec_size(rec) < pd->events[event].layout.size ||
	    strncmp(pd->events[event].name, "arm_profexc/", 12) ||
	    !sample_raw_record(&pd->events[event].layout, rec, &hw, sizeof(hw),
			       offsetof(struct arm_profexc_record, pmiar))) {
		sum->others++;
		return 0;
	}
	l = &pd->events[event].layout;
	resolve(&z->resolver, l, rec, pos, false, &x);
	if (!aggregate_passes(z->filter, &pd->events[event], rec, &x))
		return 0;
	if (!sum->events || x.time < sum->first)
		sum->first = x.time;
	if (x.time > sum->last)
		sum->last = x.time;
	sum->events++;
	if (add_event(z, &hw) || add_seq(z, x.cpu, hw.seq) || add_place(z, &x, hw.mode))
		return -ENOMEM;
	return 0;
}

static void add_missing(struct summarizer *z)
{
	size_t i;

	for (i = 0; i < z->nr_cpus; i++) {
		const struct cpu_seq *c = &z->cpu[i];

		if (!c->seen)
			continue;
		z->sum->nr_cpus++;
		/* A sequence restarts when the module is loaded again: nothing was lost then */
		if (c->last - c->first + 1 > c->seen)
			z->sum->missing += c->last - c->first + 1 - c->seen;
	}
}

static int compare_events(const void *a, const void *b)
{
	const struct profexc_event *x = a, *y = b;

	if (x->events != y->events)
		return x->events < y->events ? 1 : -1;
	return x->class != y->class ? x->class - y->class : x->mode - y->mode;
}

static int compare_places(const void *a, const void *b)
{
	const struct profexc_place *x = a, *y = b;

	if (x->events != y->events)
		return x->events < y->events ? 1 : -1;
	if (x->dso != y->dso)
		return x->dso < y->dso ? -1 : 1;
	return x->sym < y->sym ? -1 : x->sym > y->sym;
}

int profexc_summarize(struct session *s, const struct aggregate_filter *filter,
		      struct profexc_summary *sum)
{
	struct summarizer *z = calloc(1, sizeof(*z));
	u64 pos = 0, at = 0;
	const u8 *rec;
	int ret = 0;

	memset(sum, 0, sizeof(*sum));
	if (!z)
		return -ENOMEM;
	z->s = s;
	z->filter = filter;
	z->sum = sum;
	resolver_init(&z->resolver, s);
	while (!ret && (rec = perfdata_next(s->pd, &pos))) {
		if (rec_type(rec) == PERF_RECORD_SAMPLE)
			ret = add_sample(z, rec, at);
		at = pos;
	}
	add_missing(z);
	if (sum->nr_events)
		qsort(sum->event, sum->nr_events, sizeof(*sum->event), compare_events);
	if (sum->nr_places)
		qsort(sum->place, sum->nr_places, sizeof(*sum->place), compare_places);
	idmap_deinit(&z->events);
	idmap_deinit(&z->places);
	free(z->cpu);
	free(z);
	return ret;
}

void profexc_summary_deinit(struct profexc_summary *sum)
{
	free(sum->event);
	free(sum->place);
}
