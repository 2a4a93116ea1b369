// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes perf.data and reads it back by nothing but its layout.
 */
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "perfdata/writer.h"

static char path[128];
static const u64 ids[] = { 100, 101, 102 };

struct test_record {
	struct perf_event_header header;
	u64 number;
	u64 filler[30];
};

/* A whole file in memory */
struct image {
	u8 *data;
	size_t size;
	const struct perfdata_header *header;
};

static struct image read_image(const char *name)
{
	struct image image = { 0 };
	FILE *f = fopen(name, "r");

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	image.size = ftell(f);
	image.data = malloc(image.size + 1);
	rewind(f);
	assert_int_equal(fread(image.data, 1, image.size, f), image.size);
	fclose(f);
	image.header = (const void *)image.data;
	return image;
}

static bool has_feature(const struct image *image, unsigned int feature)
{
	return image->header->features[feature / 64] >> (feature % 64) & 1;
}

/* Finds a feature's section as a reader does: by counting the bits below */
static struct perfdata_section section_of(const struct image *image, unsigned int feature)
{
	struct perfdata_section section;
	size_t at = image->header->data.offset + image->header->data.size;
	unsigned int i;

	assert_true(has_feature(image, feature));
	for (i = 0; i < feature; i++)
		at += has_feature(image, i) ? sizeof(section) : 0;
	memcpy(&section, image->data + at, sizeof(section));
	assert_true(section.offset + section.size <= image->size);
	return section;
}

static struct perfdata_writer *open_writer(void)
{
	struct perfdata_event events[2] = {
		{ .name = "cpu-clock", .ids = ids, .nr_ids = 2 },
		{ .name = "dummy:u", .ids = ids + 2, .nr_ids = 1 },
	};
	struct perfdata_writer *w;
	struct error err;

	snprintf(path, sizeof(path), "%s/perf.data", temp_dir);
	events[0].attr.size = sizeof(struct perf_event_attr);
	events[1].attr.size = sizeof(struct perf_event_attr);
	events[0].attr.config = 77;
	assert_int_equal(perfdata_writer_create(&w, path, &err), 0);
	assert_int_equal(perfdata_write_events(w, events, 2, &err), 0);
	return w;
}

static int put_record(struct perfdata_writer *w, u64 number, struct error *err)
{
	struct test_record record = { { .type = 9, .size = sizeof(record) }, .number = number };

	return perfdata_write_record(w, &record.header, err);
}

/* Checks that records are numbered 0, 1, 2... and returns how many there are */
static u64 count_records(const struct image *image)
{
	const struct test_record *record;
	u64 at, number = 0;

	for (at = 0; at < image->header->data.size; at += record->header.size) {
		record = (const void *)(image->data + image->header->data.offset + at);
		assert_int_equal(record->header.type, 9);
		assert_int_equal(record->header.size, sizeof(*record));
		assert_int_equal(record->number, number++);
	}
	assert_int_equal(at, image->header->data.size);
	return number;
}

static void put_text(struct perfdata_writer *w, unsigned int feature, const char *text)
{
	struct perfdata_blob blob = { 0 };
	struct error err;

	perfdata_blob_string(&blob, text);
	assert_int_equal(perfdata_write_feature(w, feature, &blob, &err), 0);
	assert_null(blob.data);
}

static void put_bytes(struct perfdata_writer *w, unsigned int feature, size_t size)
{
	struct perfdata_blob blob = { 0 };
	struct error err;
	size_t i;

	for (i = 0; i < size; i += 8)
		perfdata_blob_u64(&blob, i);
	assert_int_equal(perfdata_write_feature(w, feature, &blob, &err), 0);
}

static void test_file(void **state)
{
	struct perfdata_writer *w = open_writer();
	struct perfdata_section section;
	const struct perfdata_attr *attr;
	struct image image;
	struct error err;
	unsigned int i;

	put_text(w, PERFDATA_OSRELEASE, "6.12.0");
	for (i = 0; i < 10000; i++)
		assert_int_equal(put_record(w, i, &err), 0);
	put_text(w, PERFDATA_HOSTNAME, "board");
	assert_int_equal(perfdata_writer_finish(w, &err), 0);
	assert_int_equal(perfdata_writer_data_size(w), 10000 * sizeof(struct test_record));
	perfdata_writer_destroy(w);

	image = read_image(path);
	assert_int_equal(image.header->magic, PERFDATA_MAGIC);
	assert_int_equal(image.header->size, 104);
	assert_int_equal(image.header->attrs.size, 2 * image.header->attr_size);
	attr = (const void *)(image.data + image.header->attrs.offset);
	assert_int_equal(attr[0].attr.config, 77);
	assert_int_equal(attr[0].ids.size, 16);
	assert_memory_equal(image.data + attr[0].ids.offset, ids, 16);
	assert_int_equal(*(const u64 *)(image.data + attr[1].ids.offset), 102);
	assert_int_equal(count_records(&image), 10000);
	section = section_of(&image, PERFDATA_HOSTNAME);
	assert_int_equal(section.size, 4 + 64);
	assert_string_equal((const char *)image.data + section.offset + 4, "board");
	section = section_of(&image, PERFDATA_OSRELEASE);
	assert_string_equal((const char *)image.data + section.offset + 4, "6.12.0");
	assert_true(has_feature(&image, PERFDATA_EVENT_DESC));
	assert_false(has_feature(&image, PERFDATA_ARCH));
	free(image.data);
}

/* If the recorder is killed, what was flushed can be read */
static void test_killed(void **state)
{
	struct perfdata_writer *w = open_writer();
	struct image image;
	struct error err;
	unsigned int i;

	for (i = 0; i < 100; i++)
		put_record(w, i, &err);
	assert_int_equal(perfdata_write_flush(w, &err), 0);
	put_record(w, 100, &err);
	perfdata_writer_destroy(w);

	image = read_image(path);
	assert_int_equal(count_records(&image), 100);
	for (i = 0; i < PERFDATA_FEATURE_BITS; i++)
		assert_false(has_feature(&image, i));
	free(image.data);
}

static void test_old_is_kept(void **state)
{
	struct perfdata_writer *w;
	char old[160];
	struct error err;
	struct stat st;

	temp_text("perf.data", "the one before");
	snprintf(old, sizeof(old), "%s/perf.data.old", temp_dir);
	w = open_writer();
	assert_int_equal(perfdata_writer_finish(w, &err), 0);
	perfdata_writer_destroy(w);
	assert_int_equal(stat(old, &st), 0);
	assert_int_equal(st.st_size, strlen("the one before"));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void test_bad_output(void **state)
{
	struct perfdata_writer *w;
	struct error err;

	assert_int_equal(perfdata_writer_create(&w, temp_dir, &err), -EISDIR);
	assert_non_null(strstr(err.text, temp_dir));
	snprintf(path, sizeof(path), "%s/no/where", temp_dir);
	assert_int_equal(perfdata_writer_create(&w, path, &err), -ENOENT);
}

/* A limit of the file size acts as a full disk. */
static void limit_size(rlim_t size)
{
	struct rlimit limit = { .rlim_cur = size, .rlim_max = RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Record up to @nr records, and finish, which must return @finished. Return: records in the file */
static u64 fill_disk(rlim_t limit, unsigned int nr, int finished)
{
	struct perfdata_writer *w;
	struct image image;
	struct error err;
	unsigned int i;
	u64 left;
	int ret = 0;

	w = open_writer();
	put_text(w, PERFDATA_HOSTNAME, "board");
	put_bytes(w, PERFDATA_PCS_METADATA, 16000);
	put_bytes(w, PERFDATA_PCS_KALLSYMS, 400000);
	limit_size(limit);
	for (i = 0; i < nr && !ret; i++) {
		ret = put_record(w, i, &err);
		if (!ret && i % 1000 == 999)
			ret = perfdata_write_flush(w, &err);
	}
	if (ret)
		assert_int_equal(ret, -EFBIG);
	assert_int_equal(perfdata_writer_finish(w, &err), finished);
	limit_size(RLIM_INFINITY);
	perfdata_writer_destroy(w);

	image = read_image(path);
	assert_true(image.size <= limit);
	assert_true(has_feature(&image, PERFDATA_HOSTNAME));
	assert_int_equal(section_of(&image, PERFDATA_PCS_METADATA).size, 16000);
	assert_int_equal(has_feature(&image, PERFDATA_PCS_KALLSYMS), finished == 0);
	left = count_records(&image);
	free(image.data);
	return left;
}

static void test_full_disk(void **state)
{
	const u64 all = 2000000 / sizeof(struct test_record);
	u64 left;

	/* The disk fills up while recording: keep all but the space that the features need */
	left = fill_disk(2000000, 20000, -ENODATA);
	assert_in_range(left, all * 95 / 100, all);
	/* Full in the middle of the first buffer */
	left = fill_disk(100000, 20000, -ENODATA);
	assert_in_range(left, 100000 / sizeof(struct test_record) * 3 / 4,
			100000 / sizeof(struct test_record));
	/* Full only at the features: nothing is lost but kernel symbols */
	assert_int_equal(fill_disk(1000 * sizeof(struct test_record) + 100000, 1000, -ENODATA),
			 1000);
	/* With room for everything, all is kept */
	assert_int_equal(fill_disk(1000 * sizeof(struct test_record) + 500000, 1000, 0), 1000);
}

/* No room for embedded files: they are dropped first, and the message blames them alone */
static void test_no_room_for_files(void **state)
{
	struct perfdata_writer *w = open_writer();
	struct image image;
	struct error err;

	put_bytes(w, PERFDATA_PCS_KALLSYMS, 400000);
	put_bytes(w, PERFDATA_PCS_FILES, 400000);
	limit_size(500000);
	put_record(w, 0, &err);
	assert_int_equal(perfdata_writer_finish(w, &err), -ENODATA);
	limit_size(RLIM_INFINITY);
	perfdata_writer_destroy(w);
	assert_non_null(strstr(err.text, "files"));
	assert_null(strstr(err.text, "kernel"));
	image = read_image(path);
	assert_true(has_feature(&image, PERFDATA_PCS_KALLSYMS));
	assert_false(has_feature(&image, PERFDATA_PCS_FILES));
	free(image.data);
}

/* No room even for the features, after all records were cut off: no part of them remains */
static void test_no_room_at_all(void **state)
{
	struct perfdata_writer *w = open_writer();
	struct image image;
	struct error err;

	put_bytes(w, PERFDATA_PCS_METADATA, 16000);
	limit_size(2000);
	put_record(w, 0, &err);
	assert_int_equal(perfdata_writer_finish(w, &err), -EFBIG);
	limit_size(RLIM_INFINITY);
	perfdata_writer_destroy(w);
	image = read_image(path);
	assert_true(image.size <= 2000);
	assert_int_equal(image.size, image.header->data.offset);
	free(image.data);
}

/* The pipe form: 100,000 bytes of a private feature are split into several records */
static void test_pipe(void **state)
{
	const struct perf_event_header *record;
	struct perfdata_private part;
	struct perfdata_writer *w;
	char fifo[128], copy[128];
	size_t private = 0, at;
	unsigned int types[256] = { 0 };
	struct image image;
	struct error err;
	char command[400];
	FILE *cat;

	snprintf(fifo, sizeof(fifo), "%s/perf.data", temp_dir);
	snprintf(copy, sizeof(copy), "%s/copy", temp_dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	snprintf(command, sizeof(command), "cat %s > %s", fifo, copy);
	cat = popen(command, "r");
	assert_non_null(cat);
	w = open_writer();
	put_record(w, 0, &err);
	put_text(w, PERFDATA_HOSTNAME, "board");
	put_bytes(w, PERFDATA_PCS_KALLSYMS, 100000);
	put_bytes(w, PERFDATA_CMDLINE, 70000);	/* longer than a record: left out */
	assert_int_equal(perfdata_writer_finish(w, &err), 0);
	perfdata_writer_destroy(w);
	assert_int_equal(pclose(cat), 0);

	image = read_image(copy);
	assert_int_equal(image.header->magic, PERFDATA_MAGIC);
	assert_int_equal(image.header->size, 16);
	for (at = 16; at < image.size; at += record->size) {
		record = (const void *)(image.data + at);
		assert_true(record->size >= 8 && record->size % 8 == 0 &&
			    record->size <= image.size - at);
		types[record->type]++;
		if (record->type != PERFDATA_RECORD_EVENT_UPDATE)
			continue;
		memcpy(&part, record, sizeof(part));
		assert_int_equal(part.feature, PERFDATA_PCS_KALLSYMS);
		assert_int_equal(part.id, 100);
		assert_int_equal(*(const u64 *)(image.data + at + sizeof(part)), private);
		private += part.size;
	}
	assert_int_equal(at, image.size);
	assert_int_equal(private, 100000);
	assert_int_equal(types[PERFDATA_RECORD_HEADER_ATTR], 2);
	assert_int_equal(types[PERFDATA_RECORD_HEADER_FEATURE], 2);	/* EVENT_DESC, HOSTNAME */
	assert_int_equal(types[9], 1);
	free(image.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_file, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_killed, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_old_is_kept, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_bad_output, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_full_disk, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_no_room_for_files, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_no_room_at_all, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_pipe, temp_setup, temp_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
