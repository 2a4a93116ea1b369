// SPDX-License-Identifier: GPL-2.0-only
#include "lib/in-order.h"
#include "lib/radix.h"

void in_order_init(struct in_order *o, struct session *s)
{
	memset(o, 0, sizeof(*o));
	o->s = s;
}

void in_order_deinit(struct in_order *o)
{
	free(o->item);
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
	o->item[o->nr++] = (struct in_order_item){ time, pos };
	o->newest = max(o->newest, time);
	return 0;
}

/* Read to the end of a round. Return: 1, 0 at the end of the file, -ENOMEM */
static int read_round(struct in_order *o)
{
	u64 start = o->pos;
	const u8 *rec;
	u32 type;

	for (; (rec = perfdata_next(o->s->pd, &o->pos)); start = o->pos) {
		type = rec_type(rec);
		if (type == PERFDATA_RECORD_FINISHED_ROUND)
			return 1;
		if (type == PERF_RECORD_SAMPLE && add_item(o, rec, start))
			return -ENOMEM;
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
	do {
		o->given = 0;
		more = read_round(o);
		if (more < 0)
			return more;
		if (radix_sort((void **)&o->item, o->nr, o->cap, sizeof(*o->item)))
			return -ENOMEM;
		o->given = more ? up_to(o, o->before) : o->nr;
		o->before = o->newest;
	} while (more && !o->given);
	*items = o->item;
	return o->given;
}
