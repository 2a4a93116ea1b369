// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <math.h>

#include "profile/time-range.h"

#define BLANK " \t\n"

/* Parse seconds with up to nine decimals exactly: a double has too few digits for years in ns */
static int parse_seconds(const char **text, u64 *ns)
{
	u64 seconds = 0, part = 0, unit = 1000000000;
	const char *p = *text;

	if (!isdigit((unsigned char)*p))
		return -EINVAL;
	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(seconds, 10ULL, &seconds) ||
		    __builtin_add_overflow(seconds, (u64)(*p - '0'), &seconds))
			return -EINVAL;
	if (*p == '.')
		for (p++; isdigit((unsigned char)*p) && unit > 1; p++) {
			unit /= 10;
			part += unit * (*p - '0');
		}
	if (__builtin_mul_overflow(seconds, 1000000000ULL, &seconds) ||
	    __builtin_add_overflow(seconds, part, ns) || isdigit((unsigned char)*p))
		return -EINVAL;
	*text = p;
	return 0;
}

/* "25%" or ".5%" */
static int parse_part(const char **text, double *part)
{
	const char *p = *text + strspn(*text, BLANK);
	char *end;

	if (!isdigit((unsigned char)p[*p == '.']))
		return -EINVAL;
	*part = strtod(p, &end) / 100;
	if (*end != '%' || !(*part >= 0 && *part <= 1))
		return -EINVAL;
	*text = end + 1;
	return 0;
}

/* "10%/2": the second of ten parts */
static int parse_slice(struct time_range *r, const char **text, double part)
{
	unsigned long n = 1;
	char *end;

	if (**text == '/') {
		n = strtoul(*text + 1, &end, 10);
		if (!isdigit((unsigned char)(*text)[1]))
			return -EINVAL;
		*text = end;
	}
	r->part_from = (n - 1) * part;
	r->part_to = min(n * part, 1.0);
	/* Parts of 10 % are ten, whatever that is in binary */
	return n && part > 0 && n * part < 1.000000001 ? 0 : -EINVAL;
}

static struct time_range *add_range(struct time_ranges *r)
{
	if (mem_grow(&r->range, &r->cap, r->nr + 1))
		return NULL;
	memset(&r->range[r->nr], 0, sizeof(*r->range));
	return &r->range[r->nr++];
}

/* As perf: slices or spans, not both in a list, and "25%" stands alone */
static int parse_percents(struct time_ranges *r, const char *text)
{
	char kind = strchr(text, '/') ? '/' : strchr(text, '-') ? '-' : '\0';
	struct time_range *range;
	double part;

	r->percent = true;
	do {
		range = add_range(r);
		if (!range)
			return -ENOMEM;
		if (parse_part(&text, &part) || *text != kind)
			return -EINVAL;
		if (kind != '-') {
			if (parse_slice(range, &text, part))
				return -EINVAL;
			continue;
		}
		range->part_from = part;
		text++;
		if (parse_part(&text, &range->part_to) || range->part_to < part)
			return -EINVAL;
	} while (*text == ',' && *++text);
	return *text ? -EINVAL : 0;
}

/* As perf: in the order of time, without overlap, so only the last may have no end */
static int parse_times(struct time_ranges *r, const char *text)
{
	struct time_range *range;
	u64 before = 0;

	do {
		range = add_range(r);
		if (!range)
			return -ENOMEM;
		range->to = TIME_MAX;
		text += strspn(text, BLANK);
		if (*text != ',' && parse_seconds(&text, &range->from))
			return -EINVAL;
		if (*text++ != ',')
			return -EINVAL;
		text += strspn(text, BLANK);
		if (*text && parse_seconds(&text, &range->to))
			return -EINVAL;
		if (range->to < range->from || (r->nr > 1 && range->from <= before))
			return -EINVAL;
		before = range->to;
	} while (*text && strchr(BLANK, *text));
	return *text ? -EINVAL : 0;
}

int time_ranges_parse(struct time_ranges *r, const char *text)
{
	memset(r, 0, sizeof(*r));
	return strchr(text, '%') ? parse_percents(r, text) : parse_times(r, text);
}

void time_ranges_deinit(struct time_ranges *r)
{
	free(r->range);
	free(r->gaps);
	memset(r, 0, sizeof(*r));
}

static int compare_windows(const void *a, const void *b)
{
	u64 x = ((const struct time_window *)a)->from, y = ((const struct time_window *)b)->from;

	return x < y ? -1 : x > y;
}

/* Rounded as perf does, so that both choose the same samples */
static struct time_window window_of(const struct time_ranges *r, size_t i, u64 first, u64 last)
{
	const struct time_range *range = &r->range[i];
	double span = last - first;
	struct time_window w = { range->from, range->to };

	if (!r->percent)
		return w;
	w.from = first + (u64)round(range->part_from * span);
	w.to = first + (u64)round(range->part_to * span);
	/* Parts exclude their end, so that each sample is in one; only the last part includes it */
	w.to -= w.to > w.from && w.to != last;
	return w;
}

int time_ranges_resolve(struct time_ranges *r, u64 first, u64 last, struct aggregate_filter *f)
{
	struct time_window *w;
	size_t i;

	free(r->gaps);
	r->gaps = calloc(r->nr, sizeof(*r->gaps));
	if (!r->gaps)
		return -ENOMEM;
	w = r->gaps;
	for (i = 0; i < r->nr; i++)
		w[i] = window_of(r, i, first, last);
	qsort(w, r->nr, sizeof(*w), compare_windows);
	f->from = w[0].from;
	f->to = w[0].to;
	/* What is between them takes the place of those that are done */
	f->gaps = w;
	f->nr_gaps = 0;
	for (i = 1; i < r->nr; i++) {
		const struct time_window next = w[i];

		if (next.from > f->to && next.from - f->to > 1)
			w[f->nr_gaps++] = (struct time_window){ f->to + 1, next.from - 1 };
		f->to = max(f->to, next.to);
	}
	return 0;
}

static bool span_by_reading(struct session *s, u64 *first, u64 *last)
{
	struct perfdata *pd = s->pd;
	const struct sample_layout *l;
	u64 pos = 0, time;
	const u8 *rec;
	u32 event;

	*first = TIME_MAX;
	*last = 0;
	while (pos < s->chunk[s->nr_chunks] && (rec = perfdata_next(pd, &pos))) {
		if (rec_type(rec) != PERF_RECORD_SAMPLE)
			continue;
		event = perfdata_event_of(pd, rec);
		l = &pd->events[event == IDMAP_NONE ? 0 : event].layout;
		if (!l->time || rec_size(rec) < l->size)
			continue;
		time = load64(rec + l->time);
		*first = min(*first, time);
		*last = max(*last, time);
	}
	return *first <= *last;
}

bool session_span(struct session *s, u64 *first, u64 *last)
{
	struct perfdata_span f = s->pd->feature[PERFDATA_SAMPLE_TIME];

	if (f.size >= 16) {
		*first = load64(f.p);
		*last = load64(f.p + 8);
		if (*first && *first <= *last && *last < TIME_MAX)
			return true;
	}
	return span_by_reading(s, first, last);
}
