// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <unistd.h>

#include "base/temporary.h"
#include "perfdata/groups.h"

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

/*
 * Limits on the size of the new records: a hostile sample of 64 KiB could name thousands of events,
 * and each would get a copy of its callers
 */
#define WRITTEN_TIMES	8
#define WRITTEN_LEAST	(1UL << 20)

#define BUFFER_SIZE	(1UL << 18)

/**
 * struct writer - writes the new records
 * @by_id: index in @last, by count_since()'s key: id, and thread if threads inherit the event
 * @last: the count in the previous sample
 */
struct writer {
	struct perfdata *pd;
	int fd;
	u8 *buffer;
	size_t used;
	u64 written;
	struct idmap by_id;
	u64 *last;
	size_t nr, cap;
};

static bool has_counts(const struct sample_layout *l)
{
	return l->type & PERF_SAMPLE_READ && l->read_format & PERF_FORMAT_ID;
}

static bool groups_recorded(const struct perfdata *pd)
{
	size_t i;

	for (i = 0; i < pd->nr_events; i++)
		if (has_counts(&pd->events[i].layout) && pd->events[i].nr_ids)
			return true;
	return false;
}

/* Bytes */

static int flush(struct writer *w)
{
	size_t n = w->used;

	w->used = 0;
	return write_all(w->fd, w->buffer, n) == n ? 0 : -errno;
}

static int put(struct writer *w, const void *p, size_t size)
{
	int ret = 0;

	w->written += size;
	if (w->written > WRITTEN_TIMES * w->pd->data_size + WRITTEN_LEAST)
		return -E2BIG;
	if (w->used + size > BUFFER_SIZE)
		ret = flush(w);
	if (ret || size > BUFFER_SIZE)
		return ret ? ret : write_all(w->fd, p, size) == size ? 0 : -errno;
	memcpy(w->buffer + w->used, p, size);
	w->used += size;
	return 0;
}

/* Counts */

/*
 * Layout of PERF_SAMPLE_READ in a sample.
 * @nr: number of values
 * @head: bytes before the values: in a group the number of values, and times
 * @each: bytes of a value and its fields
 * @id: offset of the id in these
 * @size: bytes in all
 */
struct counts {
	u64 nr;
	unsigned int head, each, id;
	u64 size;
};

static bool find_counts(const struct sample_layout *l, const u8 *rec, struct counts *c)
{
	u64 format = l->read_format, left = rec_size(rec) - l->size;
	unsigned int times = 8 * !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			     8 * !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	bool group = format & PERF_FORMAT_GROUP;

	*c = (struct counts){
		.nr = 1,
		.head = group ? 8 + times : 0,
		.each = 16 + (group ? 0 : times) + 8 * !!(format & PERF_FORMAT_LOST),
		.id = 8 + (group ? 0 : times),
	};
	if (left < c->head)
		return false;
	if (group)
		c->nr = load64(rec + l->size);
	if (c->nr > (left - c->head) / c->each)
		return false;
	c->size = c->head + c->nr * c->each;
	return true;
}

/* Compute the count since the previous sample. Threads that inherit an event each have a count. */
static int count_since(struct writer *w, const struct sample_layout *l, const u8 *rec, u32 event,
		       u64 id, u64 value, u64 *since)
{
	bool inherits = w->pd->events[event].attr.inherit && l->tid;
	u64 key = inherits ? hash64(id ^ hash64(load32(rec + l->tid + 4) + 1ULL)) : id;
	u32 at = idmap_element(&w->by_id, key, &w->last, &w->nr, &w->cap);

	if (at == IDMAP_NONE)
		return -ENOMEM;
	*since = value - w->last[at];
	w->last[at] = value;
	return 0;
}

/* Write the sample for the event of @id, with this period, and without the counts of the group */
static int put_sample(struct writer *w, const struct sample_layout *l, const u8 *rec,
		      const struct counts *c, u64 id, u64 period)
{
	u64 size = rec_size(rec), rest = l->size + c->size, none = 0;
	bool group = l->read_format & PERF_FORMAT_GROUP;
	u64 kept = group ? c->head : c->size, new_size;
	u8 head[sizeof(struct perf_event_header) + 128];
	u16 size_field;
	int ret;

	new_size = l->size + (l->period ? 0 : 8) + kept + size - rest;
	if (l->size > sizeof(head) || new_size > UINT16_MAX)
		return -E2BIG;
	memcpy(head, rec, l->size);
	size_field = new_size;
	memcpy(head + offsetof(struct perf_event_header, size), &size_field, sizeof(size_field));
	if (l->id)
		memcpy(head + l->id, &id, sizeof(id));
	if (l->period)
		memcpy(head + l->period, &period, sizeof(period));
	ret = put(w, head, l->size);
	if (!ret && !l->period)
		ret = put(w, &period, sizeof(period));
	if (!ret && group)
		ret = put(w, &none, sizeof(none));
	if (!ret)
		ret = put(w, rec + l->size + (group ? 8 : 0), kept - (group ? 8 : 0));
	return ret ? ret : put(w, rec + rest, size - rest);
}

static int put_group(struct writer *w, const struct sample_layout *l, const u8 *rec)
{
	const u8 *value = rec + l->size;
	struct counts c;
	u64 i, id, since = 0;
	u32 event;
	int ret = 0;

	/* Skip damaged samples */
	if (rec_size(rec) < l->size || !find_counts(l, rec, &c))
		return 0;
	value += c.head;
	for (i = 0; !ret && i < c.nr; i++, value += c.each) {
		id = load64(value + c.id);
		event = idmap_get(&w->pd->event_ids, id);
		/* In groups of perf, all events have the same sample_type, and values have ids */
		if (event == IDMAP_NONE || w->pd->events[event].layout.type != l->type ||
		    (!l->id && l != &w->pd->events[event].layout))
			continue;
		ret = count_since(w, l, rec, event, id, load64(value), &since);
		if (!ret && since)
			ret = put_sample(w, l, rec, &c, id, since);
	}
	return ret;
}

/* put_sample() appends a period to the fixed fields of samples that have none: adjust the layout */
static void add_periods(struct perfdata *pd)
{
	struct perf_event_attr attr;
	struct recorded_event *e;

	for (e = pd->events; e < pd->events + pd->nr_events; e++) {
		if (!has_counts(&e->layout) || e->layout.period)
			continue;
		attr = e->attr;
		attr.sample_type |= PERF_SAMPLE_PERIOD;
		sample_layout_init(&e->layout, &attr);
	}
}

static int write_records(struct perfdata *pd, int fd)
{
	struct writer w = { .pd = pd, .fd = fd, .buffer = malloc(BUFFER_SIZE) };
	const struct sample_layout *l;
	u64 pos = 0, start = 0;
	const u8 *rec;
	u32 event;
	int ret = w.buffer ? 0 : -ENOMEM;

	while (!ret && (rec = perfdata_next(pd, &pos))) {
		event = rec_type(rec) == PERF_RECORD_SAMPLE ? perfdata_event_of(pd, rec) :
							      IDMAP_NONE;
		l = event == IDMAP_NONE ? NULL : &pd->events[event].layout;
		if (l && has_counts(l))
			ret = put_group(&w, l, rec);
		else
			ret = put(&w, rec, pos - start);
		start = pos;
	}
	if (!ret)
		ret = flush(&w);
	free(w.buffer);
	free(w.last);
	idmap_deinit(&w.by_id);
	return ret;
}

int groups_deliver(struct perfdata *pd)
{
	struct error err = { "" };
	int fd, ret;

	if (!groups_recorded(pd))
		return 0;
	fd = perfdata_spool(&err);
	if (fd < 0)
		return 0;
	ret = write_records(pd, fd);
	if (!ret)
		ret = perfdata_replace(pd, fd);
	close(fd);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	add_periods(pd);
	pd->delivered = true;
	if (pd->nr_events > 1)
		pd->only = -1;
	return 0;
}
