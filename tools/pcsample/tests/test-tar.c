// SPDX-License-Identifier: GPL-2.0-only
/*
 * Archives: what is packed is unpacked, and nothing else. tests/archive.sh has what tar(1) reads.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/array.h"
#include "base/tar.h"
#include "base/text-file.h"

#define BLOCK	512

static char archive[PATH_MAX];

/* The archive is beside the directory "out", into which it is unpacked */
static int setup(void **state)
{
	int ret = temp_setup(state);

	snprintf(archive, sizeof(archive), "%s/archive", temp_dir);
	return ret;
}

static int unpack(void)
{
	char path[PATH_MAX];
	struct error err;
	int dir, ret;

	snprintf(path, sizeof(path), "%s/out", temp_dir);
	nftw(path, temp_remove, 16, FTW_DEPTH | FTW_PHYS);
	assert_int_equal(mkdir(path, 0755), 0);
	dir = open(path, O_RDONLY | O_DIRECTORY);
	assert_true(dir >= 0);
	ret = tar_unpack(archive, dir, &err);
	close(dir);
	return ret;
}

static void has_file(const char *name, const u8 *data, size_t size)
{
	char path[PATH_MAX], *found;
	size_t found_size;

	snprintf(path, sizeof(path), "%s/out/%s", temp_dir, name);
	assert_int_equal(sysfs_slurp(&found, &found_size, 1 << 20, path), 0);
	assert_int_equal(found_size, size);
	assert_memory_equal(found, data, size);
	free(found);
}

static struct tar_writer *create(bool compressed)
{
	struct tar_writer *w;
	struct error err;

	assert_int_equal(tar_create(&w, archive, compressed, &err), 0);
	return w;
}

static u64 finish(struct tar_writer *w)
{
	struct error err;
	struct stat st;
	u64 bytes;

	assert_int_equal(tar_finish(w, &bytes, &err), 0);
	tar_destroy(w);
	assert_int_equal(stat(archive, &st), 0);
	assert_int_equal(st.st_size, bytes);
	return bytes;
}

static void add(struct tar_writer *w, bool from_file, const char *name, const u8 *data, size_t size)
{
	char path[PATH_MAX];
	struct error err;
	int fd;

	if (!from_file) {
		assert_int_equal(tar_add(w, name, data, size, &err), 0);
		return;
	}
	temp_write("file", data, size);
	snprintf(path, sizeof(path), "%s/file", temp_dir);
	fd = open(path, O_RDONLY);
	assert_int_equal(tar_add_fd(w, name, fd, &err), 0);
	close(fd);
}

/* Of no byte and of many; blocks that are full, and that lack a byte; more than the buffers have */
static void test_contents(void **state)
{
	static const size_t sizes[] = {
		0, 1, BLOCK - 1, BLOCK, BLOCK + 1, (256 << 10) - BLOCK, 256 << 10, (512 << 10) + 1,
	};
	static u8 data[(512 << 10) + ARRAY_SIZE(sizes)];
	struct tar_writer *w;
	char name[16];
	size_t i, k;

	for (i = 0; i < sizeof(data); i++)
		data[i] = i / 3 ^ i / 1000;
	for (k = 0; k < 4; k++) {
		w = create(HAVE_ZSTD && k / 2);
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			snprintf(name, sizeof(name), "file/%zu", i);
			add(w, k % 2, name, data + i, sizes[i]);
		}
		finish(w);
		assert_int_equal(unpack(), 0);
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			snprintf(name, sizeof(name), "file/%zu", i);
			has_file(name, data + i, sizes[i]);
		}
	}
}

/* @first and @second letters, and if both are there a slash between them */
static char *name_of(char *name, size_t first, size_t second)
{
	memset(name, 'd', first);
	memset(name + first + 1, 'f', second);
	name[first] = second ? '/' : '\0';
	name[first + 1 + second] = '\0';
	return name;
}

/* The header has room for 100 bytes, and for 155 that end before a slash */
static void test_names(void **state)
{
	static const struct { size_t first, second; int ret; } cases[] = {
		{ 100, 0, 0 },		{ 101, 0, -ENAMETOOLONG },
		{ 10, 89, 0 },		{ 10, 90, 0 },
		{ 10, 100, 0 },		{ 10, 101, -ENAMETOOLONG },
		{ 155, 10, 0 },		{ 155, 100, 0 },
		{ 155, 101, -ENAMETOOLONG },	{ 156, 10, -ENAMETOOLONG },
	};
	struct tar_writer *w = create(false);
	char name[300];
	struct error err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (tar_add(w, name_of(name, cases[i].first, cases[i].second), "text", 4, &err) !=
		    cases[i].ret)
			fail_msg("%s: not %d", name, cases[i].ret);
	finish(w);
	assert_int_equal(unpack(), 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!cases[i].ret)
			has_file(name_of(name, cases[i].first, cases[i].second),
				 (const u8 *)"text", 4);
}

static void test_names_that_lead_out(void **state)
{
	static const char *const names[] = {
		"", "/", "/etc/passwd", ".", "..", "../x", "x/..", "x/../y", "x/./y", "x//y",
	};
	struct tar_writer *w = create(false);
	struct error err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(tar_add(w, names[i], "text", 4, &err), -EINVAL);
	/* These are only strange */
	assert_int_equal(tar_add(w, "...", "text", 4, &err), 0);
	assert_int_equal(tar_add(w, ".x/..y", "text", 4, &err), 0);
	finish(w);
	assert_int_equal(unpack(), 0);
	has_file(".x/..y", (const u8 *)"text", 4);
}

/* An archive has no file that exists already, and none in the place of a directory */
static void test_names_of_two_files(void **state)
{
	struct tar_writer *w;

	w = create(false);
	add(w, false, "x", (const u8 *)"first", 5);
	add(w, false, "x", (const u8 *)"other", 5);
	finish(w);
	assert_int_equal(unpack(), -EEXIST);
	has_file("x", (const u8 *)"first", 5);
	w = create(false);
	add(w, false, "x", (const u8 *)"first", 5);
	add(w, false, "x/y", (const u8 *)"other", 5);
	finish(w);
	assert_int_equal(unpack(), -ENOTDIR);
	has_file("x", (const u8 *)"first", 5);
}

/* Each byte of a header that is read, and an archive that ends at any block */
static void test_damage(void **state)
{
	char header[BLOCK], path[PATH_MAX];
	struct tar_writer *w = create(false);
	struct error err;
	unsigned int i;
	u64 bytes;
	int fd;

	assert_int_equal(tar_add(w, "a/file", "text", 4, &err), 0);
	bytes = finish(w);
	assert_int_equal(bytes, 4 * BLOCK);
	fd = open(archive, O_RDWR);
	assert_int_equal(pread(fd, header, sizeof(header), 0), sizeof(header));
	for (i = 0; i < sizeof(header); i++) {
		header[i] ^= 1;
		assert_int_equal(pwrite(fd, header, sizeof(header), 0), sizeof(header));
		/* behind the digits of the sum nothing is read */
		assert_int_equal(unpack(), i == 155 ? 0 : -EINVAL);
		header[i] ^= 1;
	}
	assert_int_equal(pwrite(fd, header, sizeof(header), 0), sizeof(header));
	/* Of the two blocks of zeros at the end, the first is enough */
	for (bytes -= BLOCK; ; bytes -= BLOCK / 2) {
		assert_int_equal(ftruncate(fd, bytes), 0);
		assert_int_equal(unpack(), bytes == 3 * BLOCK ? 0 : -EINVAL);
		if (!bytes)
			break;
	}
	close(fd);
	snprintf(path, sizeof(path), "%s/archive", temp_dir);
	assert_int_equal(remove(path), 0);
	assert_int_equal(unpack(), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_contents, setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_names_that_lead_out, setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_names_of_two_files, setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_damage, setup, temp_teardown),
	};

	return cmocka_run_group_tests_name("tar", tests, NULL, NULL);
}
