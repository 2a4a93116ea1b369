// SPDX-License-Identifier: GPL-2.0-only
#include "lib/in-order.h"
#include "lib/progress.h"
#include "lib/radix.h"

void in_order_init(struct in_order *o, struct session *s)
{
	memset(o, 0, sizeof(*o));
	o->s = s;
}

void in_order_deinit(struct in_order *o)
{
	progress_end();
	free(o->item);
	free(o->other);
	free(o->run);
	memset(o, 0, sizeof(*o));
}

static int add_item(struct in_order *o, const u8 *rec, u64 pos)
{
	const struct sample_layout *l = &o->s->pd->events[0].layout;
	u32 event = perfdata_event_of(o->s->pd, rec);
	u64 time;

	if (event != IDMAP_NONE)
		l = &o->s->pd->events[event].layout;
	time = rec_size(rec) < l->size ? 0 : sample_u64(rec, l->time, pos);
	if (mem_grow(&o->item, &o->cap, o->nr + 1))
		return -ENOMEM;
	if (!o->nr || unlikely(time < o->item[o->nr - 1].time)) {
		if (mem_grow(&o->run, &o->runs_cap, o->nr_runs + 1))
			return -ENOMEM;
		o->run[o->nr_runs++] = o->nr;
	}
	o->item[o->nr++] = (struct in_order_item){ time, pos };
	o->newest = max(o->newest, time);
	return 0;
}

/* Read to the end of a round. Return: 1, 0 at the end of the file, -ENOMEM */
static int read_round(struct in_order *o)
{
	u64 pos = o->pos, start = pos;
	const u8 *rec;
	int ret = 0;
	u32 type;

	for (; !ret && (rec = perfdata_next(o->s->pd, &pos)); start = pos) {
		type = rec_type(rec);
		if (type == PERFDATA_RECORD_FINISHED_ROUND)
			ret = 1;
		else if (type == PERF_RECORD_SAMPLE)
			ret = add_item(o, rec, start);
	}
	o->pos = pos;
	return ret;
}

/* Two neighbouring runs, a and b, to one; of equal times those of a come first */
static void merge(struct in_order_item *to, const struct in_order_item *a,
		  const struct in_order_item *b, const struct in_order_item *end)
{
	const struct in_order_item *a_end = b;
	bool second;

	while (a < a_end && b < end) {
		second = b->time < a->time;
		*to++ = second ? *b : *a;
		b += second;
		a += !second;
	}
	memcpy(to, a, (a_end - a) * sizeof(*to));
	memcpy(to + (a_end - a), b, (end - b) * sizeof(*to));
}

/* More runs than that are no buffers of CPUs: what has no order is sorted without looking at it */
#define RUNS_MAX 1024

static int sort(struct in_order *o)
{
	struct in_order_item *swap;
	size_t i, nr, cap, end;

	if (o->nr_runs > RUNS_MAX) {
		o->nr_runs = 1;
		return radix_sort((void **)&o->item, o->nr, o->cap, sizeof(*o->item));
	}
	if (o->nr_runs > 1 && mem_grow(&o->other, &o->other_cap, o->nr))
		return -ENOMEM;
	while (o->nr_runs > 1) {
		for (i = 0, nr = 0; i < o->nr_runs; i += 2) {
			end = i + 2 < o->nr_runs ? o->run[i + 2] : o->nr;
			merge(o->other + o->run[i], o->item + o->run[i],
			      o->item + (i + 1 < o->nr_runs ? o->run[i + 1] : end), o->item + end);
			o->run[nr++] = o->run[i];
		}
		o->nr_runs = nr;
		swap = o->item;
		o->item = o->other;
		o->other = swap;
		cap = o->cap;
		o->cap = o->other_cap;
		o->other_cap = cap;
	}
	return 0;
}

static size_t up_to(const struct in_order *o, u64 time)
{
	size_t low = 0, high = o->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (o->item[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

ssize_t in_order_next(struct in_order *o, const struct in_order_item **items)
{
	int more;

	o->nr -= o->given;
	if (o->given)
		memmove(o->item, o->item + o->given, o->nr * sizeof(*o->item));
	o->nr_runs = !!o->nr;
	do {
		o->given = 0;
		progress("putting in order", o->s->pd->path, o->pos, o->s->pd->data_size);
		more = read_round(o);
		if (more < 0)
			return more;
		if (sort(o))
			return -ENOMEM;
		o->given = more ? up_to(o, o->before) : o->nr;
		o->before = o->newest;
	} while (more && !o->given);
	*items = o->item;
	return o->given;
}
