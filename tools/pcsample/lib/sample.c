// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample.h"

/* Up to PERF_SAMPLE_WEIGHT_STRUCT, without AUX: what a later kernel adds may stand at the end */
#define SAMPLE_KNOWN	(((1ULL << 25) - 1) & ~(u64)PERF_SAMPLE_AUX)

void sample_layout_init(struct sample_layout *l, const struct perf_event_attr *attr)
{
	u64 type = attr->sample_type;
	u16 at = sizeof(struct perf_event_header), back = 0;

	memset(l, 0, sizeof(*l));
	l->type = type;
	l->read_format = attr->read_format;
	l->weight = attr->freq ? 1 : attr->sample_period;

#define FIELD(bit, member) do {		\
		if (type & (bit)) {	\
			member = at;	\
			at += 8;	\
		}			\
	} while (0)
	FIELD(PERF_SAMPLE_IDENTIFIER, l->id);
	FIELD(PERF_SAMPLE_IP, l->ip);
	FIELD(PERF_SAMPLE_TID, l->tid);
	FIELD(PERF_SAMPLE_TIME, l->time);
	FIELD(PERF_SAMPLE_ADDR, l->addr);
	FIELD(PERF_SAMPLE_ID, l->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		at += 8;
	FIELD(PERF_SAMPLE_CPU, l->cpu);
	FIELD(PERF_SAMPLE_PERIOD, l->period);
#undef FIELD
	l->size = at;
	if (type & PERF_SAMPLE_CGROUP && !(type & ~SAMPLE_KNOWN))
		l->cgroup = 8 + !!(type & PERF_SAMPLE_DATA_PAGE_SIZE) * 8 +
			    !!(type & PERF_SAMPLE_CODE_PAGE_SIZE) * 8;
	if (!attr->sample_id_all)
		return;

	/* The tail is TID TIME ID STREAM_ID CPU IDENTIFIER: take it from its end */
#define FIELD(bit, member) do {		\
		if (type & (bit)) {	\
			back += 8;	\
			member = back;	\
		}			\
	} while (0)
	FIELD(PERF_SAMPLE_IDENTIFIER, l->tail_id);
	FIELD(PERF_SAMPLE_CPU, l->tail_cpu);
	if (type & PERF_SAMPLE_STREAM_ID)
		back += 8;
	FIELD(PERF_SAMPLE_ID, l->tail_id);
	FIELD(PERF_SAMPLE_TIME, l->tail_time);
	FIELD(PERF_SAMPLE_TID, l->tail_tid);
#undef FIELD
	l->tail_size = back;
}

/* What is left of a record while its variable fields are taken off its front */
struct cursor {
	const u8 *p;
	u64 left;
};

static bool skip(struct cursor *c, u64 nr, u64 size)
{
	if (nr > c->left / size)
		return false;
	c->p += nr * size;
	c->left -= nr * size;
	return true;
}

static bool take_u64(struct cursor *c, u64 *v)
{
	if (c->left < 8)
		return false;
	*v = load64(c->p);
	return skip(c, 1, 8);
}

static bool skip_read(struct cursor *c, u64 format)
{
	u64 times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		    !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	u64 value = 1 + !!(format & PERF_FORMAT_ID) + !!(format & (1U << 4) /* PERF_FORMAT_LOST */);
	u64 nr;

	if (!(format & PERF_FORMAT_GROUP))
		return skip(c, value + times, 8);
	return take_u64(c, &nr) && skip(c, times, 8) && skip(c, nr, value * 8);
}

static bool at_callchain(const struct sample_layout *l, const u8 *rec,
			 struct cursor *c)
{
	if (rec_size(rec) < l->size)
		return false;
	c->p = rec + l->size;
	c->left = rec_size(rec) - l->size;
	return !(l->type & PERF_SAMPLE_READ) || skip_read(c, l->read_format);
}

const u8 *sample_callchain(const struct sample_layout *l, const u8 *rec,
			   u64 *nr)
{
	struct cursor c;

	if (!(l->type & PERF_SAMPLE_CALLCHAIN) || !at_callchain(l, rec, &c) || !take_u64(&c, nr) ||
	    *nr > c.left / 8)
		return NULL;
	return c.p;
}

const u8 *sample_raw(const struct sample_layout *l, const u8 *rec, u32 *size)
{
	struct cursor c;
	u64 nr;

	if (!(l->type & PERF_SAMPLE_RAW) || !at_callchain(l, rec, &c))
		return NULL;
	if (l->type & PERF_SAMPLE_CALLCHAIN && (!take_u64(&c, &nr) || !skip(&c, nr, 8)))
		return NULL;
	if (c.left < 4)
		return NULL;
	*size = load32(c.p);
	return *size <= c.left - 4 ? c.p + 4 : NULL;
}

bool sample_arm_record(const struct sample_layout *l, const u8 *rec,
		       struct arm_pcsample_record *ret)
{
	u32 size, has;
	const u8 *raw = sample_raw(l, rec, &size);

	if (!raw || size < sizeof(u16))
		return false;
	has = load16(raw);
	if (has < offsetof(struct arm_pcsample_record, planned) || has > size)
		return false;
	memset(ret, 0, sizeof(*ret));
	memcpy(ret, raw, min((size_t)has, sizeof(*ret)));
	return true;
}
