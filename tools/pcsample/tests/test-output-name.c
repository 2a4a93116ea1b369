// SPDX-License-Identifier: GPL-2.0-only
/*
 * Links as names of outputs: they lead to the file to write.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/output-name.h"
#include "tests/unit.h"

static int enter(void **state)
{
	return temp_setup(state) || chdir(temp_dir);
}

static int leave(void **state)
{
	return chdir("/") || temp_teardown(state);
}

static void check_name(const char *path, const char *name)
{
	char real[PATH_MAX], expected[PATH_MAX];

	assert_int_equal(output_name(path, real), 0);
	snprintf(expected, sizeof(expected), "%s/%s", temp_dir, name);
	assert_string_equal(real, expected);
}

static void test_not_a_link(void **state)
{
	char real[PATH_MAX], longest[PATH_MAX + 1] = "";

	assert_int_equal(output_name("new", real), 0);
	assert_string_equal(real, "new");
	assert_int_equal(output_name("/dev/null", real), 0);
	assert_string_equal(real, "/dev/null");
	memset(longest, 'x', PATH_MAX);
	assert_int_equal(output_name(longest, real), -ENAMETOOLONG);
}

/* Relative to its own directory, by way of another link */
static void test_link(void **state)
{
	temp_text("dir/file", "");
	assert_int_equal(symlink("file", "dir/link"), 0);
	assert_int_equal(symlink("dir/link", "link"), 0);
	check_name("link", "dir/file");
}

/* Nothing is made but what the caller makes */
static void test_new_file(void **state)
{
	char real[PATH_MAX];
	struct stat st;

	assert_int_equal(symlink("dir/new", "link"), 0);
	assert_int_equal(output_name("link", real), -ENOENT);
	assert_int_equal(mkdir("dir", 0755), 0);
	check_name("link", "dir/new");
	assert_int_equal(lstat("dir/new", &st), -1);
}

/* The text of such a link is the name of the file, but that file is somebody's */
static void test_open_file(void **state)
{
	char real[PATH_MAX], text[32];
	int fd;

	temp_text("file", "");
	fd = open("file", O_WRONLY);
	assert_true(fd >= 0);
	snprintf(text, sizeof(text), "/proc/self/fd/%d", fd);
	assert_int_equal(symlink(text, "link"), 0);
	assert_int_equal(output_name("link", real), 0);
	assert_string_equal(real, "");
	assert_int_equal(output_name(text, real), 0);
	assert_string_equal(real, "");
	close(fd);
	assert_int_equal(output_name("link", real), -ENOENT);
}

/* Only a link is another name of standard output */
static void test_stdout(void **state)
{
	int before = dup(STDOUT_FILENO), fd;
	bool link, named;

	temp_text("file", "");
	assert_int_equal(symlink("/proc/self/fd/1", "stdout"), 0);
	assert_int_equal(symlink("file", "link"), 0);
	assert_true(output_is_stdout("-"));
	assert_true(output_is_stdout("stdout"));
	assert_false(output_is_stdout("link"));
	assert_false(output_is_stdout("none"));
	fd = open("file", O_WRONLY);
	assert_int_equal(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
	link = output_is_stdout("link");
	named = output_is_stdout("file");
	assert_int_equal(dup2(before, STDOUT_FILENO), STDOUT_FILENO);
	close(fd);
	close(before);
	assert_true(link);
	assert_false(named);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(test_not_a_link),
		TEST(test_link),
		TEST(test_new_file),
		TEST(test_open_file),
		TEST(test_stdout),
	};

	return cmocka_run_group_tests_name("output-name", tests, NULL, NULL);
}
