/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What unit tests share: cmocka, and a directory for files.
 */
#ifndef PCSAMPLE_TESTS_UNIT_H
#define PCSAMPLE_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The running test's directory: made by temp_setup(), removed by temp_teardown() */
static char temp_dir[64];

static inline int temp_setup(void **state)
{
	strcpy(temp_dir, "/tmp/pcsample-test-XXXXXX");
	return mkdtemp(temp_dir) ? 0 : -1;
}

static inline int temp_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static inline int temp_teardown(void **state)
{
	return nftw(temp_dir, temp_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* Write a file below the directory, and make missing directories */
static inline void temp_write(const char *name, const void *data, size_t size)
{
	char path[PATH_MAX], *slash;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", temp_dir, name);
	for (slash = path + strlen(temp_dir) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static inline void temp_text(const char *name, const char *text)
{
	temp_write(name, text, strlen(text));
}

#endif /* PCSAMPLE_TESTS_UNIT_H */
