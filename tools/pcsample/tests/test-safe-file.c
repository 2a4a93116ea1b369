// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files with untrusted names: only regular files are opened, and they are read completely.
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/safe-file.h"
#include "tests/unit.h"

static char path[PATH_MAX];

static const char *in_temp(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", temp_dir, name);
	return path;
}

static void test_regular(void **state)
{
	struct stat st;
	size_t size;
	char *data;
	int fd;

	temp_text("file", "seven b");
	fd = regular_open(in_temp("file"), &st);
	assert_true(fd >= 0);
	assert_int_equal(st.st_size, 7);
	close(fd);
	assert_int_equal(regular_read(path, 7, &data, &size), 0);
	assert_int_equal(size, 7);
	assert_string_equal(data, "seven b");
	free(data);
	assert_int_equal(regular_read(path, 6, &data, &size), -EFBIG);
	assert_int_equal(regular_open(in_temp("none"), &st), -ENOENT);
}

/* Opening a FIFO for writing fails while nobody has it open for reading: nobody may have it open */
static void test_others_are_not_opened(void **state)
{
	struct stat st;
	size_t size;
	char *data;

	assert_int_equal(mkfifo(in_temp("fifo"), 0600), 0);
	assert_int_equal(regular_open(path, &st), -EINVAL);
	assert_int_equal(open(path, O_WRONLY | O_NONBLOCK), -1);
	assert_int_equal(errno, ENXIO);
	assert_int_equal(regular_open(temp_dir, &st), -EINVAL);
	assert_int_equal(regular_open("/dev/zero", &st), -EINVAL);
	assert_int_equal(regular_read("/dev/zero", 100, &data, &size), -EINVAL);
}

/* A sparse file is refused for its size, before anything is read */
static void test_limits(void **state)
{
	struct error err;
	size_t size;
	char *data;

	temp_text("hole", "");
	assert_int_equal(truncate(in_temp("hole"), 1LL << 42), 0);
	assert_int_equal(regular_read(path, 1 << 30, &data, &size), -EFBIG);
	assert_int_equal(process_file_open(path, -1, 1 << 30, &err), -EFBIG);
	assert_non_null(strstr(err.text, "expected up to 1073741824"));
}

static void test_links(void **state)
{
	char link[PATH_MAX];
	struct error err;
	struct stat st;
	int fd;

	temp_text("file", "x");
	snprintf(link, sizeof(link), "%s/link", temp_dir);
	assert_int_equal(symlink(in_temp("file"), link), 0);
	/* Links are followed for libraries */
	fd = regular_open(link, &st);
	assert_true(fd >= 0);
	close(fd);
	/* But not for files in /tmp, which anybody can make */
	assert_int_equal(process_file_open(link, -1, 100, &err), -ELOOP);
	assert_int_equal(symlink("/dev/null", in_temp("device")), 0);
	assert_int_equal(regular_open(path, &st), -EINVAL);
}

static void test_owners(void **state)
{
	struct error err;
	struct stat st;
	int fd;

	temp_text("file", "x");
	fd = process_file_open(in_temp("file"), -1, 100, &err);
	assert_true(fd >= 0);
	assert_false(fstat(fd, &st) || is_of_others(&st));
	close(fd);
	if (geteuid())
		return;
	assert_int_equal(chown(path, 12345, 12345), 0);
	assert_int_equal(process_file_open(path, -1, 100, &err), -EACCES);
	assert_non_null(strstr(err.text, "another user's"));
	/* Nor does it belong to the user of this process */
	assert_int_equal(process_file_open(path, getpid(), 100, &err), -EACCES);
	assert_int_equal(stat(path, &st), 0);
	assert_true(is_of_others(&st));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, temp_setup, temp_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_regular),
		TEST(test_others_are_not_opened),
		TEST(test_limits),
		TEST(test_links),
		TEST(test_owners),
	};

	return cmocka_run_group_tests_name("regular-file", tests, NULL, NULL);
}
