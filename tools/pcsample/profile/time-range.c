// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <math.h>

#include "profile/time-range.h"

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

/* "25%" */
static int parse_part(const char **text, double *part)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	*part = strtod(*text, &end) / 100;
	if (*end != '%' || !(*part >= 0 && *part <= 1))
		return -EINVAL;
	*text = end + 1;
	return 0;
}

/* Of "10%/2" the "/2": the second of ten parts; without it the first */
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

static int parse_percent(struct time_range *r, const char **text)
{
	double part;

	r->percent = true;
	if (parse_part(text, &part))
		return -EINVAL;
	if (**text != '-')
		return parse_slice(r, text, part);
	r->part_from = part;
	(*text)++;
	return parse_part(text, &r->part_to) || r->part_to <= part ? -EINVAL : 0;
}

static int parse_times(struct time_range *r, const char **text)
{
	r->to = TIME_MAX;
	if (**text != ',' && parse_seconds(text, &r->from))
		return -EINVAL;
	if (**text == ',')
		(*text)++;
	if (**text && **text != ':' && parse_seconds(text, &r->to))
		return -EINVAL;
	return r->to < r->from ? -EINVAL : 0;
}

int time_range_parse(struct time_range *r, const char *text, const char **end)
{
	const char *percent = strchr(text, '%'), *colon = strchr(text, ':');
	int ret;

	memset(r, 0, sizeof(*r));
	if (percent && (!colon || percent < colon))
		ret = parse_percent(r, &text);
	else
		ret = parse_times(r, &text);
	if (end)
		*end = text;
	else if (*text)
		ret = -EINVAL;
	return ret;
}

void time_range_resolve(const struct time_range *r, u64 first, u64 last, u64 *from, u64 *to)
{
	double span = last - first;

	*from = r->from;
	*to = r->to;
	if (!r->percent)
		return;
	*from = first + (u64)(r->part_from * span);
	/* Parts exclude their end, so that each sample is in one; only the last part includes it */
	*to = r->part_to == 1 ? last : first + (u64)(r->part_to * span) - 1;
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
