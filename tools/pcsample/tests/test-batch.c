// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of arm_pcsample that share a record: each becomes what perf would have written for it.
 */
#include "unit.h"

#include "capture/batch.h"

#define PLAIN_TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
			 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW)

/* Bytes of a record without and with counts, and of those of kernels to come */
#define SHORT_RECORD	52
#define LONG_RECORD	76
#define LONGER_RECORD	92
#define PADDED_RECORD	80
#define MOST_RECORD	96

/* Bytes of a member in front of its record */
#define HEAD		36

/* How a record with a batch is made */
struct shape {
	bool cgroup;
	u16 nr, stride, record_size;
};

static const struct shape shapes[] = {
	{ false, 1, HEAD + SHORT_RECORD, SHORT_RECORD },
	{ false, 16, HEAD + SHORT_RECORD, SHORT_RECORD },
	{ true, 16, HEAD + SHORT_RECORD, SHORT_RECORD },
	{ false, 3, HEAD + LONG_RECORD, LONG_RECORD },
	{ true, 16, HEAD + LONG_RECORD, LONG_RECORD },
	{ true, 2, HEAD + LONG_RECORD + 24, LONG_RECORD },
	{ true, 2, HEAD + LONGER_RECORD, LONGER_RECORD },
	{ true, 20, HEAD + LONGER_RECORD + 4, LONGER_RECORD },
	{ true, 2, HEAD + PADDED_RECORD, PADDED_RECORD },
};

static struct sample_layout layout_of(const struct shape *s)
{
	struct perf_event_attr attr = { .sample_type = PLAIN_TYPE, .sample_id_all = 1 };
	struct sample_layout l;

	attr.sample_type |= s->cgroup ? PERF_SAMPLE_CGROUP : 0;
	sample_layout_init(&l, &attr);
	return l;
}

/* Values: all fields of all members differ, in all of their bytes */

struct value {
	u64 ip, period, cgroup;
	u32 pid, tid;
	u16 misc;
	u8 record[MOST_RECORD];
};

static struct value value_of(unsigned int i, u16 record_size)
{
	struct value v = {
		.ip = 0xffff800012345000ULL + i, .period = 0x0102030405060700ULL + i,
		.cgroup = 0x1112131415161700ULL + i, .pid = 0x21222300 + i, .tid = 0x31323300 + i,
		.misc = 0x4100 + i,
	};
	struct arm_pcsample_record hw = {
		.size = record_size, .attribution = 1, .has = 3, .target = 0x51525300 + i,
		.pmpcsr = 0x6162636465666700ULL + i, .planned = 0x7172737475767700ULL + i,
		.seq = 0x8182838485868700ULL + i, .pmcid1sr = 0x91929300 + i,
		.late = 0xfffffff0 + i, .reader = 0xa100 + i, .source = 6,
		.cycles = 0xb1b2b3b4b5b6b700ULL + i, .counted = 0xc1c2c3c4c5c6c700ULL + i,
	};
	unsigned int k;

	for (k = 0; k < sizeof(v.record); k++)
		v.record[k] = 0xd0 + i + k;
	memcpy(v.record, &hw, min(record_size, sizeof(hw)));
	return v;
}

static u64 load(const struct value *v, size_t offset, size_t size)
{
	u64 value = 0;

	memcpy(&value, v->record + offset, size);
	return value;
}

static void put_u16(struct perfdata_blob *b, u16 value)
{
	perfdata_blob_bytes(b, &value, sizeof(value));
}

static void put_header(struct perfdata_blob *b, u16 misc)
{
	perfdata_blob_u32(b, PERF_RECORD_SAMPLE);
	put_u16(b, misc);
	put_u16(b, 0);
}

/* The size of the record that begins at @start is known at its end */
static void end_record(struct perfdata_blob *b, size_t start)
{
	u16 size = b->size - start;

	assert_false(b->failed);
	memcpy(b->data + start + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

static void put_fixed(struct perfdata_blob *b, const struct value *v, u64 period)
{
	put_header(b, v->misc);
	perfdata_blob_u64(b, 0xe1e2e3e4e5e6e7e8ULL);
	perfdata_blob_u64(b, v->ip);
	perfdata_blob_u32(b, v->pid);
	perfdata_blob_u32(b, v->tid);
	perfdata_blob_u64(b, load(v, 16, 8) + load(v, 44, 4));
	perfdata_blob_u32(b, load(v, 4, 4));
	perfdata_blob_u32(b, 0);
	perfdata_blob_u64(b, period);
}

/* A sample as perf writes it */
static void put_plain(struct perfdata_blob *b, const struct shape *s, const struct value *v)
{
	u32 padded = (s->record_size + 4 + 7) / 8 * 8 - 4;
	static const u8 zeros[8];
	size_t start = b->size;

	put_fixed(b, v, v->period);
	perfdata_blob_u32(b, padded);
	perfdata_blob_bytes(b, v->record, s->record_size);
	perfdata_blob_bytes(b, zeros, padded - s->record_size);
	if (s->cgroup)
		perfdata_blob_u64(b, v->cgroup);
	end_record(b, start);
}

static void put_member(struct perfdata_blob *b, const struct shape *s, const struct value *v)
{
	size_t start = b->size;

	perfdata_blob_u64(b, v->ip);
	perfdata_blob_u32(b, v->pid);
	perfdata_blob_u32(b, v->tid);
	perfdata_blob_u64(b, v->period);
	perfdata_blob_u64(b, v->cgroup);
	put_u16(b, v->misc);
	put_u16(b, 0);
	perfdata_blob_bytes(b, v->record, s->record_size);
	while (b->size < start + s->stride)
		put_u16(b, 0xffff);
}

/* A record with a batch; the last of its members stands for it */
static void put_batch(struct perfdata_blob *b, const struct shape *s)
{
	u32 raw = s->record_size + 8 + s->nr * s->stride, padded = (raw + 4 + 7) / 8 * 8 - 4;
	struct value v = value_of(s->nr - 1, s->record_size);
	static const u8 zeros[8];
	unsigned int i;

	put_fixed(b, &v, v.period * s->nr);
	perfdata_blob_u32(b, padded);
	perfdata_blob_bytes(b, v.record, s->record_size);
	put_u16(b, s->nr);
	put_u16(b, s->stride);
	perfdata_blob_u32(b, 0);
	for (i = 0; i < s->nr; i++) {
		v = value_of(i, s->record_size);
		put_member(b, s, &v);
	}
	perfdata_blob_bytes(b, zeros, padded - raw);
	if (s->cgroup)
		perfdata_blob_u64(b, v.cgroup);
	end_record(b, 0);
}

/* Splits a copy that is just as large as the record, for AddressSanitizer */
static bool split(struct perfdata_blob *to, const struct shape *s, const struct perfdata_blob *b,
		  size_t size)
{
	struct sample_layout l = layout_of(s);
	u8 *copy = malloc(size);
	u16 short_size = size;
	bool ret;

	assert_non_null(copy);
	memcpy(copy, b->data, size);
	memcpy(copy + offsetof(struct perf_event_header, size), &short_size, sizeof(short_size));
	ret = batch_split(to, &l, (const void *)copy);
	free(copy);
	return ret;
}

/* They come behind what is there already */
static void test_split(void **state)
{
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct perfdata_blob b = { 0 }, to = { 0 }, expected = { 0 };

		put_batch(&b, &shapes[i]);
		perfdata_blob_u64(&to, 4711);
		perfdata_blob_u64(&expected, 4711);
		for (k = 0; k < shapes[i].nr; k++) {
			struct value v = value_of(k, shapes[i].record_size);

			put_plain(&expected, &shapes[i], &v);
		}
		assert_true(split(&to, &shapes[i], &b, b.size));
		assert_int_equal(to.size, expected.size);
		assert_memory_equal(to.data, expected.data, to.size);
		perfdata_blob_release(&b);
		perfdata_blob_release(&to);
		perfdata_blob_release(&expected);
	}
}

/* The tool finds in the samples what it finds in those of a driver without batches */
static void test_is_read(void **state)
{
	const struct shape s = { true, 2, HEAD + LONG_RECORD, LONG_RECORD };
	struct perfdata_blob b = { 0 }, to = { 0 };
	struct sample_layout l = layout_of(&s);
	struct arm_pcsample_record hw;
	const u8 *second;

	put_batch(&b, &s);
	assert_true(split(&to, &s, &b, b.size));
	second = to.data + rec_size(to.data);
	assert_int_equal(rec_misc(second), 0x4101);
	assert_true(sample_arm_record(&l, second, &hw));
	assert_int_equal(hw.seq, 0x8182838485868701ULL);
	assert_int_equal(hw.counted, 0xc1c2c3c4c5c6c701ULL);
	assert_int_equal(sample_cgroup(&l, second), 0x1112131415161701ULL);
	perfdata_blob_release(&b);
	perfdata_blob_release(&to);
}

/* What cannot be split is left alone */

static const struct shape whole = { true, 3, HEAD + SHORT_RECORD, SHORT_RECORD };

/* Places in a record of that shape: the size of the raw data, the record, the batch */
#define AT_RAW		56
#define AT_RECORD	60
#define AT_BATCH	(AT_RECORD + SHORT_RECORD)
#define AT_MEMBERS	(AT_BATCH + 8)

static void is_left(const struct perfdata_blob *b, size_t size)
{
	struct perfdata_blob to = { 0 };

	assert_false(split(&to, &whole, b, size));
	assert_int_equal(to.size, 0);
}

static void is_left_with(size_t at, u16 value)
{
	struct perfdata_blob b = { 0 };

	put_batch(&b, &whole);
	memcpy(b.data + at, &value, sizeof(value));
	is_left(&b, b.size);
	perfdata_blob_release(&b);
}

static void test_malformed(void **state)
{
	is_left_with(0, PERF_RECORD_MMAP);
	/* nr: none, one too many */
	is_left_with(AT_BATCH, 0);
	is_left_with(AT_BATCH, 4);
	is_left_with(AT_BATCH, 0xffff);
	/* stride: none, one too short, too long */
	is_left_with(AT_BATCH + 2, 0);
	is_left_with(AT_BATCH + 2, HEAD + SHORT_RECORD - 1);
	is_left_with(AT_BATCH + 2, HEAD + SHORT_RECORD + 1);
	is_left_with(AT_BATCH + 2, 0xffff);
	/* size of the record: none, too short, so long that no batch is behind it */
	is_left_with(AT_RECORD, 0);
	is_left_with(AT_RECORD, SHORT_RECORD - 1);
	is_left_with(AT_RECORD, 0xffff);
	/* size of the raw data: longer than the sample */
	is_left_with(AT_RAW, 0xffff);
}

/* Records that are too short for a time, in a batch that is right otherwise */
static void test_short_records(void **state)
{
	const struct shape shorter = { true, 3, HEAD + SHORT_RECORD - 8, SHORT_RECORD - 8 };
	struct perfdata_blob b = { 0 };

	put_batch(&b, &shorter);
	is_left(&b, b.size);
	perfdata_blob_release(&b);
}

/* The record ends anywhere, and the raw data with it, or the raw data alone */
static void test_truncated(void **state)
{
	const size_t end = AT_MEMBERS + 3 * (HEAD + SHORT_RECORD);
	struct perfdata_blob b = { 0 };
	u32 before, raw;
	size_t size;

	put_batch(&b, &whole);
	before = load32(b.data + AT_RAW);
	for (size = sizeof(struct perf_event_header); size < end; size++) {
		is_left(&b, size);
		if (size < AT_RECORD)
			continue;
		raw = size - AT_RECORD;
		memcpy(b.data + AT_RAW, &raw, sizeof(raw));
		is_left(&b, size);
		is_left(&b, b.size);
		memcpy(b.data + AT_RAW, &before, sizeof(before));
	}
	perfdata_blob_release(&b);
}

/* A driver without batches, or with one record for each sample */
static void test_no_batch(void **state)
{
	struct value v = value_of(0, SHORT_RECORD);
	struct perfdata_blob b = { 0 };

	put_plain(&b, &whole, &v);
	is_left(&b, b.size);
	perfdata_blob_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),	  cmocka_unit_test(test_is_read),
		cmocka_unit_test(test_malformed), cmocka_unit_test(test_short_records),
		cmocka_unit_test(test_truncated), cmocka_unit_test(test_no_batch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
