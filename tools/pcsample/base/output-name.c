// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/output-name.h"

static bool is_link(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * To open /dev/stdout again would give it a second file offset: what the shell wrote to a regular
 * file before, or writes afterwards, would be lost.
 */
bool output_is_stdout(const char *path)
{
	struct stat st, out;

	if (!strcmp(path, "-"))
		return true;
	return is_link(path) && !stat(path, &st) && !fstat(STDOUT_FILENO, &out) &&
	       is_same(&st, &out);
}

/* Links of /proc/PID/fd lead to an open file, whatever their text is: -ELOOP for these */
static int open_link(const char *path, int flags)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC,
		.mode = flags & O_CREAT ? 0600 : 0,
		.resolve = RESOLVE_NO_MAGICLINKS,
	};
	int fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

/* Somebody may change the link meanwhile: the name has to be that of @fd, which the kernel found */
static int name_opened(int fd, const char *path, char real[PATH_MAX])
{
	struct stat st, named;

	if (!realpath(path, real) || fstat(fd, &st) || lstat(real, &named))
		return -errno;
	return is_same(&st, &named) ? 0 : -ESTALE;
}

/* If the file does not exist, make it: it has a name then. Do not leave it behind empty. */
static int follow(const char *path, char real[PATH_MAX])
{
	int fd = open_link(path, O_PATH), ret;
	bool made = fd == -ENOENT;

	if (made)
		fd = open_link(path, O_WRONLY | O_CREAT);
	if (fd < 0)
		return fd;
	ret = name_opened(fd, path, real);
	close(fd);
	if (!ret && made && unlink(real))
		ret = -errno;
	return ret;
}

int output_name(const char *path, char real[PATH_MAX])
{
	size_t len = strlen(path);
	int ret;

	if (len >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(real, path, len + 1);
	if (!is_link(path))
		return 0;
	ret = follow(path, real);
	if (ret != -ELOOP)
		return ret;
	real[0] = '\0';
	return 0;
}
