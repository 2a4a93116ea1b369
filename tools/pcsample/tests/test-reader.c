// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader: valid files in all forms, and files damaged at every place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#if HAVE_ZSTD
#include <zstd.h>
#endif

#include "tests/rows.h"

static struct mkdata m;

static int setup(void **state)
{
	mkdata_init(&m, MKDATA_TYPE);
	return 0;
}

static int teardown(void **state)
{
	mkdata_deinit(&m);
	return 0;
}

static void sample(u64 ip, u64 time, unsigned int event)
{
	const struct mkdata_sample s = {
		.ip = ip, .pid = 10, .tid = 10, .time = time, .event = event,
	};

	mkdata_sample(&m, &s);
}

#define SAMPLES		5
#define SAMPLE_BYTES	(8 + 8 + 8 + 8 + 8 + 8)

static void fill(void)
{
	u64 i;

	mkdata_comm(&m, 10, 10, "prog", 0, false);
	mkdata_mmap(&m, 10, 0x1000, 0x10000, 0, "/none/lib.so", 0);
	for (i = 0; i < SAMPLES; i++)
		sample(0x1000 + i % 3, i + 1, 0);
}

#define FILLED "prog lib.so 0x0000000000000000 2\n" \
	       "prog lib.so 0x0000000000000001 2\n" \
	       "prog lib.so 0x0000000000000002 1\n"

static u64 count_samples(const char *rows)
{
	const char *p, *space;
	u64 n = 0;

	for (p = rows; p && *p; p = strchr(p, '\n') + 1) {
		space = memrchr(p, ' ', strchr(p, '\n') - p);
		n += strtoull(space, NULL, 10);
	}
	return n;
}

static void test_file_and_pipe(void **state)
{
	fill();
	assert_rows(&m, FILLED);
}

static void test_no_event_has_times(void **state)
{
	mkdata_deinit(&m);
	mkdata_init(&m, MKDATA_TYPE & ~PERF_SAMPLE_TIME);
	mkdata_comm(&m, 10, 10, "one", 0, false);
	sample(0x10, 0, 0);
	mkdata_comm(&m, 10, 10, "two", 0, true);
	sample(0x10, 0, 0);
	sample(0x10, 0, 0);
	assert_rows(&m, "one [unknown] 0x0000000000000010 1\n"
			"two [unknown] 0x0000000000000010 2\n");
}

static void test_two_events(void **state)
{
	struct session_options options = { .threads = 1 };
	struct aggregate a;
	struct session *s;
	struct report r;
	struct error err;
	size_t size;
	u8 *p;

	mkdata_add_event(&m, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	sample(0x10, 1, 0);
	sample(0x10, 2, 1);
	sample(0x20, 3, 1);
	m.id[0] = 77;		/* an id that no event has */
	sample(0x10, 4, 0);
	m.id[0] = 100;
	p = mkdata_file(&m, &size);
	assert_int_equal(session_open(&s, mkdata_write(p, size), &options, &err), 0);
	assert_int_equal(s->pd->nr_events, 2);
	assert_string_equal(s->pd->events[0].name, "cpu-clock");
	assert_string_equal(s->pd->events[1].name, "cycles");
	assert_int_equal(aggregate_run(&a, s, BY_EVENT | BY_SYM | BY_ADDR, NULL, &err), 0);
	assert_int_equal(a.samples, 3);
	assert_int_equal(a.stray, 1);
	assert_int_equal(report_init(&r, s, &a, 0, NULL, true), 0);
	assert_int_equal(r.samples, 1);
	report_deinit(&r);
	assert_int_equal(report_init(&r, s, &a, 1, NULL, true), 0);
	assert_int_equal(r.samples, 2);
	assert_int_equal(r.nr, 2);
	report_deinit(&r);
	aggregate_deinit(&a);
	session_close(s);
	free(p);
}

/* One event has the CPU in its samples and records, as tracepoints do; the other has not */
static void test_events_with_other_fields(void **state)
{
	unsigned int with;

	for (with = 0; with < 2; with++) {
		mkdata_deinit(&m);
		mkdata_init(&m, MKDATA_TYPE);
		mkdata_add_event(&m, PERF_TYPE_TRACEPOINT, 7);
		m.attr[!with].sample_type &= ~PERF_SAMPLE_CPU;
		m.tail = 0;
		mkdata_comm(&m, 10, 10, "one", 5, false);
		m.tail = 1;
		mkdata_comm(&m, 10, 10, "two", 20, true);
		mkdata_mmap(&m, 10, 0x1000, 0x1000, 0, "/nowhere/exactly", 21);
		m.tail = 0;
		mkdata_comm(&m, 10, 10, "three", 30, true);
		sample(0x10, 10, 0);
		sample(0x10, 15, 1);
		sample(0x1010, 25, 1);
		sample(0x10, 35, 0);
		assert_rows(&m, "one [unknown] 0x0000000000000010 2\n"
				"three [unknown] 0x0000000000000010 1\n"
				"two exactly 0x0000000000000010 1\n");
	}
}

static void test_unknown_records_are_skipped_and_counted(void **state)
{
	static const u8 body[40];
	struct session_options options = { .threads = 1 };
	struct session *s;
	struct error err;
	size_t size;
	u8 *p;

	fill();
	mkdata_record(&m, 40, 0, body, sizeof(body), 0, 0, 1);
	mkdata_record(&m, 200, 0, body, sizeof(body), 0, 0, 1);
	assert_rows(&m, FILLED);
	p = mkdata_file(&m, &size);
	assert_int_equal(session_open(&s, mkdata_write(p, size), &options, &err), 0);
	assert_int_equal(s->counts.unknown, 2);
	assert_int_equal(s->counts.samples, SAMPLES);
	session_close(s);
	free(p);
}

static void test_data_of_auxtrace_is_no_record(void **state)
{
	u64 auxtrace[5] = { 24 };
	u8 trace[24];

	mkdata_record(&m, PERFDATA_RECORD_AUXTRACE, 0, auxtrace, sizeof(auxtrace), 0, 0, 0);
	memset(trace, 0xff, sizeof(trace));
	mkdata_bytes(&m, trace, sizeof(trace));
	sample(0x10, 1, 0);
	assert_rows(&m, ":10 [unknown] 0x0000000000000010 1\n");
}

static void test_metadata(void **state)
{
	static const char meta[] = "version 1\nnote first\nperiod 100\nnote second one\n"
				   "period 250\ncut";
	struct perfdata *pd;
	struct error err;
	const char *text;
	size_t size, len;
	u64 v;
	u8 *p;

	sample(0x10, 1, 0);
	mkdata_feature(&m, PERFDATA_PCS_METADATA, meta, sizeof(meta) - 1);
	p = mkdata_file(&m, &size);
	assert_int_equal(perfdata_open(&pd, mkdata_write(p, size), &err), 0);
	assert_true(perfdata_meta_u64(pd, "period", &v));
	assert_int_equal(v, 250);
	text = perfdata_meta_nth(pd, "note", 1, &len);
	assert_memory_equal(text, "second one", 10);
	assert_int_equal(len, 10);
	assert_null(perfdata_meta_nth(pd, "note", 2, &len));
	assert_null(perfdata_meta(pd, "cut", &len));
	assert_null(perfdata_meta(pd, "perio", &len));
	assert_false(perfdata_meta_u64(pd, "note", &v));
	perfdata_close(pd);
	free(p);
}

/* An entry of PERFDATA_BUILD_ID; @says is the size that it says its build id has, or 0 for none */
struct id_entry {
	struct perfdata_build_id id;
	char path[16];
};

#define ID_ENTRY(bytes, misc_bits, says, name) {					\
	.id = { .header = { .size = (bytes), .misc = (misc_bits) |			\
			    ((says) ? PERFDATA_MISC_BUILD_ID_SIZE : 0) },		\
		.build_id = { [0 ... 19] = 7 }, .build_id_size = (says) },		\
	.path = name }

static void test_build_ids(void **state)
{
	static const struct id_entry entries[] = {
		ID_ENTRY(sizeof(entries[0]), PERF_RECORD_MISC_USER, 0, "/old"),
		ID_ENTRY(sizeof(entries[0]), PERF_RECORD_MISC_USER, 16, "/short"),
		/* A path without an end is skipped */
		ID_ENTRY(sizeof(entries[0]), PERF_RECORD_MISC_USER, 20, "/sixteen/letters"),
		ID_ENTRY(sizeof(entries[0]), PERF_RECORD_MISC_KERNEL, 255, "/long"),
		/* One that ends behind the section, or within its own fixed part, is the last */
		ID_ENTRY(sizeof(entries[0]) + 8, PERF_RECORD_MISC_USER, 20, "/behind"),
	};
	static const struct { int mode; u8 size; const char *path; } expected[] = {
		{ PERF_RECORD_MISC_USER, 20, "/old" }, { PERF_RECORD_MISC_USER, 16, "/short" },
		{ PERF_RECORD_MISC_KERNEL, 20, "/long" },
	};
	struct id_entry shorter[ARRAY_SIZE(entries)];
	const struct perfdata_span sections[] = {
		{ (const u8 *)entries, sizeof(entries) }, { (const u8 *)shorter, sizeof(shorter) },
		{ (const u8 *)entries, 4 * sizeof(entries[0]) },
	};
	struct build_id id;
	const char *path;
	struct perfdata pd = { 0 };
	unsigned int i, k;
	u64 pos;

	memcpy(shorter, entries, sizeof(entries));
	shorter[4].id.header.size = sizeof(shorter[4].id) - 8;
	for (k = 0; k < ARRAY_SIZE(sections); k++) {
		pd.feature[PERFDATA_BUILD_ID] = sections[k];
		pos = 0;
		for (i = 0; i < ARRAY_SIZE(expected); i++) {
			assert_int_equal(perfdata_next_build_id(&pd, &pos, &id, &path),
					 expected[i].mode);
			assert_int_equal(id.size, expected[i].size);
			assert_int_equal(id.bytes[0], 7);
			assert_string_equal(path, expected[i].path);
		}
		assert_int_equal(perfdata_next_build_id(&pd, &pos, &id, &path), -ENOENT);
	}
}

static void test_private_features_among_records(void **state)
{
	struct {
		u64 feature, id, size;
		char text[16];
	} part = { PERFDATA_PCS_METADATA, 100, 12, "version 1\nse" };
	struct perfdata *pd;
	struct error err;
	size_t size;
	u64 v;
	u8 *p;

	mkdata_record(&m, PERFDATA_RECORD_EVENT_UPDATE, 0, &part, sizeof(part), 0, 0, 0);
	strcpy(part.text, "ed 77\n");
	part.size = 6;
	mkdata_record(&m, PERFDATA_RECORD_EVENT_UPDATE, 0, &part, sizeof(part), 0, 0, 0);
	sample(0x10, 1, 0);
	p = mkdata_pipe(&m, &size);
	assert_int_equal(perfdata_open(&pd, mkdata_write(p, size), &err), 0);
	assert_true(perfdata_meta_u64(pd, "seed", &v));
	assert_int_equal(v, 77);
	assert_string_equal(pd->damage.text, "");
	perfdata_close(pd);
	free(p);
	/* In a file these records mean that the recorder ended before it wrote the features */
	p = mkdata_file(&m, &size);
	assert_int_equal(perfdata_open(&pd, mkdata_write(p, size), &err), 0);
	assert_true(perfdata_meta_u64(pd, "seed", &v));
	assert_non_null(strstr(pd->damage.text, "did not finish"));
	perfdata_close(pd);
	free(p);
}

#if HAVE_ZSTD
/* As perf writes them: one stream that is cut anywhere, with other records in between */
static void test_compressed_records(void **state)
{
	struct mkdata packed;
	size_t cut, size, room;
	ZSTD_inBuffer in;
	ZSTD_outBuffer out;
	ZSTD_CStream *c;
	static const u32 feature[5] = { 1, 1, 1, 1, 1 };
	char *rows;
	u8 *p, *z;

	fill();
	room = ZSTD_compressBound(m.size) + 1000;
	z = malloc(room);
	for (cut = 1; cut < m.size; cut += 31) {
		mkdata_init(&packed, MKDATA_TYPE);
		c = ZSTD_createCStream();
		ZSTD_initCStream(c, 1);
		for (in = (ZSTD_inBuffer){ m.data, cut, 0 }; in.size; ) {
			out = (ZSTD_outBuffer){ z, room, 0 };
			ZSTD_compressStream(c, &out, &in);
			ZSTD_flushStream(c, &out);
			mkdata_record(&packed, PERFDATA_RECORD_FINISHED_ROUND, 0, NULL, 0, 0, 0, 0);
			if (cut % 2) {
				/* the newer form has its unpadded size */
				memmove(z + 8, z, out.pos);
				memcpy(z, &(u64){ out.pos }, 8);
				mkdata_record(&packed, PERFDATA_RECORD_COMPRESSED2, 0, z,
					      out.pos + 8, 0, 0, 0);
			} else {
				p = malloc(out.pos + 8);
				((u32 *)p)[0] = PERFDATA_RECORD_COMPRESSED;
				((u16 *)p)[2] = 0;
				((u16 *)p)[3] = out.pos + 8;
				memcpy(p + 8, z, out.pos);
				mkdata_bytes(&packed, p, out.pos + 8);
				free(p);
			}
			if (in.size == m.size)
				break;
			in.size = m.size;
		}
		ZSTD_freeCStream(c);
		mkdata_feature(&packed, PERFDATA_COMPRESSED, feature, sizeof(feature));
		p = mkdata_file(&packed, &size);
		rows = rows_of(mkdata_write(p, size), 1, NULL, 0);
		assert_string_equal(rows, FILLED);
		free(rows);
		free(p);
		mkdata_deinit(&packed);
	}
	free(z);
}
#endif

/* A damaged file gives one line, and all samples before the damage */
static void check_truncated(const u8 *p, size_t size, size_t first_sample)
{
	char damage[600];
	size_t n, whole;
	char *rows;

	for (n = 0; n < size; n++) {
		damage[0] = '\0';
		rows = rows_of(mkdata_write(p, n), 1, damage, sizeof(damage));
		assert_true(damage[0] || rows);
		assert_null(strchr(damage, '\n'));
		if (n >= first_sample) {
			assert_non_null(rows);
			whole = min((n - first_sample) / SAMPLE_BYTES, (size_t)SAMPLES);
			assert_int_equal(count_samples(rows), whole);
		}
		free(rows);
	}
}

static void test_truncated_at_every_byte(void **state)
{
	static const char text[] = "\x40\0\0\0hello";
	size_t size, before;
	char damage[600];
	char *rows;
	u8 *p;

	fill();
	mkdata_feature(&m, PERFDATA_HOSTNAME, text, sizeof(text));
	p = mkdata_file(&m, &size);
	before = sizeof(struct perfdata_header) + 8 + sizeof(struct perfdata_attr) + m.size -
		 SAMPLES * SAMPLE_BYTES;
	check_truncated(p, size, before);
	/* Each truncation is reported */
	rows = rows_of(mkdata_write(p, before + 3 * SAMPLE_BYTES), 1, damage, sizeof(damage));
	assert_non_null(strstr(damage, "offset"));
	assert_non_null(strstr(damage, "expected"));
	free(rows);
	free(p);
	p = mkdata_pipe(&m, &size);
	check_truncated(p, size, size - SAMPLES * SAMPLE_BYTES);
	free(p);
}

/* Change each byte to two of the values in turn, with DAMAGE=all to all of them */
static void test_any_byte_may_be_anything(void **state)
{
	static const u8 values[] = { 0, 1, 7, 0x7f, 0x80, 0xff };
	const char *text = getenv("DAMAGE");
	bool all = text && !strcmp(text, "all");
	char damage[600];
	size_t size, i, v;
	u8 *p, was;

	fill();
	p = mkdata_file(&m, &size);
	for (i = 0; i < size; i++) {
		was = p[i];
		for (v = all ? 0 : i % 3; v < ARRAY_SIZE(values); v += all ? 1 : 3) {
			p[i] = values[v];
			damage[0] = '\0';
			/*
			 * with two threads for one value only: to start them takes longer than to
			 * read
			 */
			free(rows_of(mkdata_write(p, size), v ? 1 : 2, damage, sizeof(damage)));
			assert_null(strchr(damage, '\n'));
		}
		p[i] = was;
	}
	free(p);
}

static void expect_error(const void *p, size_t size, const char *part)
{
	char damage[600] = "";
	char *rows = rows_of(mkdata_write(p, size), 1, damage, sizeof(damage));

	assert_non_null(strstr(damage, part));
	free(rows);
}

static void test_messages(void **state)
{
	struct perfdata_header *h;
	size_t size;
	u8 *p;

	fill();
	p = mkdata_file(&m, &size);
	h = (void *)p;
	expect_error(p, 0, "offset 0: empty, expected PERFILE2");
	expect_error(p, 8, "offset 0: no perf.data");
	expect_error(p, 100, "offset 0: 100 bytes, expected a perf.data header of 104");
	/* The magic says the other byte order, which the rest of the file has not */
	h->magic = PERFDATA_MAGIC_SWAPPED;
	expect_error(p, size, "the file ends here, expected");
	h->magic = PERFDATA_MAGIC;
	h->data.size = 0;
	expect_error(p, size, "offset 48: the size of the data is 0, expected that of the records");
	h->data.size = size;
	expect_error(p, size, "the file ends here, expected");
	h->data.size = m.size;
	h->attr_size = 10;
	expect_error(p, size, "offset 16: attributes of 10 bytes");
	h->attr_size = sizeof(struct perfdata_attr);
	h->attrs.size = 0;
	expect_error(p, size, "offset 24: no event attributes");
	h->attrs.size = sizeof(struct perfdata_attr);
	p[h->data.offset + 6] = 4;	/* size of the first record */
	p[h->data.offset + 7] = 0;
	expect_error(p, size, "record of type 3 says it has 4 bytes, expected 8 or more");
	free(p);
}

/* The event of a sample that ends before its id, and behind which no memory is mapped */
static void test_sample_without_id(void **state)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	struct perf_event_header h = { .type = PERF_RECORD_SAMPLE };
	struct perfdata *pd;
	struct error err;
	size_t size;
	u8 *p, *map;

	mkdata_add_event(&m, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	p = mkdata_file(&m, &size);
	assert_int_equal(perfdata_open(&pd, mkdata_write(p, size), &err), 0);
	map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(mprotect(map + page, page, PROT_NONE), 0);
	for (h.size = sizeof(h); h.size < sizeof(h) + sizeof(u64); h.size++) {
		memcpy(map + page - h.size, &h, sizeof(h));
		assert_int_equal(perfdata_event_of(pd, map + page - h.size), IDMAP_NONE);
	}
	memcpy(map + page - h.size, &h, sizeof(h));
	memcpy(map + page - sizeof(u64), &m.id[1], sizeof(u64));
	assert_int_equal(perfdata_event_of(pd, map + page - h.size), 1);
	munmap(map, 2 * page);
	perfdata_close(pd);
	free(p);
}

/* The size of the data wraps around: the next record would be in this record or before it */
static void test_auxtrace_of_any_size(void **state)
{
	u64 auxtrace[5] = { 0 }, back;
	size_t size;
	u8 *p;

	for (back = 8; back <= 128; back += 8) {
		mkdata_deinit(&m);
		mkdata_init(&m, MKDATA_TYPE);
		auxtrace[0] = 0 - back;
		mkdata_record(&m, PERFDATA_RECORD_AUXTRACE, 0, auxtrace, sizeof(auxtrace), 0, 0, 0);
		p = mkdata_file(&m, &size);
		expect_error(p, size, "bytes, expected a record of type 71 and");
		free(p);
	}
}

static void test_files_that_are_none(void **state)
{
	struct perfdata *pd;
	struct error err;

	assert_int_equal(perfdata_open(&pd, "/none/perf.data", &err), -ENOENT);
	assert_string_equal(err.text, "/none/perf.data: No such file or directory");
	assert_int_equal(perfdata_open(&pd, "/tmp", &err), -EISDIR);
	assert_int_equal(perfdata_open(&pd, "/dev/null", &err), -EINVAL);
	assert_non_null(strstr(err.text, "offset 0: empty, expected PERFILE2"));
}

static void test_raw_and_callchain(void **state)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN |
			       PERF_SAMPLE_RAW,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED,
	};
	struct {
		struct perf_event_header h;
		u64 ip, nr_read, enabled, value[4], nr_chain, chain[2];
		u32 raw_size;
		u8 raw[12];
	} rec = {
		.h = { PERF_RECORD_SAMPLE, 0, sizeof(rec) },
		.nr_read = 2, .nr_chain = 2, .chain = { 7, 8 },
		.raw_size = 12, .raw = "hello world",
	};
	struct sample_layout l;
	const u8 *p;
	u64 nr;
	u32 n;
	u16 size;

	sample_layout_init(&l, &attr);
	p = sample_raw(&l, (u8 *)&rec, &n);
	assert_int_equal(n, 12);
	assert_string_equal((char *)p, "hello world");
	p = sample_callchain(&l, (u8 *)&rec, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(load64(p + 8), 8);
	/* The raw data must not reach beyond the record */
	for (size = 8; size < sizeof(rec); size++) {
		rec.h.size = size;
		assert_null(sample_raw(&l, (u8 *)&rec, &n));
	}
	rec.h.size = sizeof(rec);
	rec.raw_size = 13;
	assert_null(sample_raw(&l, (u8 *)&rec, &n));
	rec.nr_chain = 1ULL << 61;
	assert_null(sample_callchain(&l, (u8 *)&rec, &nr));
	rec.nr_read = 1ULL << 60;
	assert_null(sample_callchain(&l, (u8 *)&rec, &nr));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_file_and_pipe),
		TEST(test_no_event_has_times),
		TEST(test_two_events),
		TEST(test_events_with_other_fields),
		TEST(test_unknown_records_are_skipped_and_counted),
		TEST(test_data_of_auxtrace_is_no_record),
		TEST(test_metadata),
		TEST(test_build_ids),
		TEST(test_private_features_among_records),
#if HAVE_ZSTD
		TEST(test_compressed_records),
#endif
		TEST(test_truncated_at_every_byte),
		TEST(test_any_byte_may_be_anything),
		TEST(test_messages),
		TEST(test_sample_without_id),
		TEST(test_auxtrace_of_any_size),
		TEST(test_files_that_are_none),
		TEST(test_raw_and_callchain),
	};

	return cmocka_run_group_tests_name("perfdata", tests, NULL, NULL);
}
