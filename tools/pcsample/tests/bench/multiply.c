// SPDX-License-Identifier: GPL-2.0-only
/*
 * multiply IN OUT N [BYTES]: write all records of IN N times, each time with later times. Programs
 * and process numbers are the same in each copy, as in a long recording, so that cost can be
 * compared. BYTES limits the size of the records; the last one is whole.
 *
 * Records that describe the state before the recording are written once, as in a real recording.
 */
#include <stdio.h>

#include "perfdata/reader.h"

struct copy {
	const struct sample_layout *l;
	FILE *out;
	u64 shift;
	bool first;
	u64 bytes, limit;
};

static void add(u8 *p, u64 shift)
{
	u64 v = load64(p) + shift;

	memcpy(p, &v, sizeof(v));
}

/*
 * Records are at most 64 KiB. With the data that belongs to it, as AUX data, one may be longer;
 * such a record has no time.
 */
static bool write_record(struct copy *c, const u8 *rec, u64 size)
{
	u8 copy[1 << 16];
	u64 time;

	if (c->bytes + size > c->limit)
		return false;
	c->bytes += size;
	if (size > sizeof(copy) || rec_type(rec) >= PERFDATA_RECORD_USER)
		return fwrite(rec, size, 1, c->out) == 1;
	memcpy(copy, rec, size);
	if (rec_type(rec) == PERF_RECORD_SAMPLE) {
		if (c->l->time && size >= c->l->size)
			add(copy + c->l->time, c->shift);
	} else {
		time = sample_tail_time(c->l, rec);
		if (!time && !c->first) {
			c->bytes -= size;
			return true;
		}
		if (time)
			add(copy + size - c->l->tail_time, c->shift);
	}
	return fwrite(copy, size, 1, c->out) == 1;
}

static bool write_copy(struct copy *c, struct perfdata *pd)
{
	u64 pos = 0, start = 0;
	const u8 *rec;

	while ((rec = perfdata_next(pd, &pos))) {
		if (!write_record(c, rec, pos - start))
			return false;
		start = pos;
	}
	return true;
}

/* The time from the first sample to the last, and 1 ms */
static u64 length(struct perfdata *pd, const struct sample_layout *l)
{
	u64 pos = 0, first = UINT64_MAX, last = 0, time;
	const u8 *rec;

	while ((rec = perfdata_next(pd, &pos))) {
		if (rec_type(rec) >= PERFDATA_RECORD_USER)
			continue;
		time = rec_type(rec) != PERF_RECORD_SAMPLE ? sample_tail_time(l, rec) :
		       rec_size(rec) < l->size ? 0 : sample_u64(rec, l->time, 0);
		if (time)
			first = min(first, time);
		last = max(last, time);
	}
	return last > first ? last - first + 1000000 : 1;
}

/* Header and attributes stay as they are in @pd; the features move to the new end of the records */
static int write_features(FILE *out, struct perfdata *pd, u64 end)
{
	u64 nr = 0, at;
	unsigned int i;

	for (i = 0; i < PERFDATA_FEATURE_BITS; i++)
		nr += !!pd->feature[i].p;
	at = end + nr * sizeof(struct perfdata_section);
	for (i = 0; i < PERFDATA_FEATURE_BITS; i++) {
		struct perfdata_section s = { at, pd->feature[i].size };

		if (pd->feature[i].p && fwrite(&s, sizeof(s), 1, out) != 1)
			return 1;
		at += pd->feature[i].size;
	}
	for (i = 0; i < PERFDATA_FEATURE_BITS; i++)
		if (pd->feature[i].size &&
		    fwrite(pd->feature[i].p, pd->feature[i].size, 1, out) != 1)
			return 1;
	return 0;
}

static int multiply(struct perfdata *pd, FILE *out, u64 times, u64 limit)
{
	struct copy c = {
		.l = &pd->events[max(pd->only, 0)].layout, .out = out, .limit = limit,
	};
	u64 step = length(pd, c.l), i;
	struct perfdata_header h;

	if (pd->pipe || pd->unpacked || fwrite(pd->map, pd->data_offset, 1, out) != 1)
		return 1;
	for (i = 0; i < times; i++) {
		c.shift = i * step;
		c.first = !i;
		if (!write_copy(&c, pd) && c.limit == UINT64_MAX)
			return 1;
	}
	if (write_features(out, pd, pd->data_offset + c.bytes))
		return 1;
	memcpy(&h, pd->map, sizeof(h));
	h.data.size = c.bytes;
	return fseek(out, 0, SEEK_SET) || fwrite(&h, sizeof(h), 1, out) != 1;
}

int main(int argc, char **argv)
{
	struct error err = { "" };
	struct perfdata *pd;
	FILE *out;
	int ret;

	if (argc < 4 || argc > 5) {
		fprintf(stderr, "usage: multiply IN OUT N [BYTES]\n");
		return 129;
	}
	if (perfdata_open(&pd, argv[1], &err)) {
		fprintf(stderr, "multiply: %s\n", err.text);
		return 1;
	}
	out = fopen(argv[2], "w");
	ret = !out || multiply(pd, out, strtoull(argv[3], NULL, 0),
			       argc > 4 ? strtoull(argv[4], NULL, 0) : UINT64_MAX);
	if (out && fclose(out))
		ret = 1;
	if (ret)
		fprintf(stderr, "multiply: %s: cannot write all of it\n", argv[2]);
	perfdata_close(pd);
	return ret;
}
