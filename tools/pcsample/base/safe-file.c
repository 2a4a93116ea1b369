// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/safe-file.h"

#define READ_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/*
 * Open for reading the file that was checked. Without /proc, open the path again and check that it
 * is the same file.
 */
static int open_looked_at(int fd, const char *path, struct stat *st)
{
	struct stat seen = *st;
	char self[32];
	int ret;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	ret = open(self, READ_FLAGS);
	if (ret < 0 && errno == ENOENT)
		ret = open(path, READ_FLAGS);
	if (ret < 0)
		return -errno;
	if (!fstat(ret, st) && st->st_dev == seen.st_dev && st->st_ino == seen.st_ino)
		return ret;
	close(ret);
	return -ESTALE;
}

/* @flags: O_NOFOLLOW or none */
static int open_regular(const char *path, int flags, struct stat *st)
{
	int fd = open(path, O_PATH | O_CLOEXEC | flags), ret;

	if (fd < 0)
		return -errno;
	if (fstat(fd, st))
		ret = -errno;
	else if (S_ISLNK(st->st_mode))
		ret = -ELOOP;
	else
		ret = S_ISREG(st->st_mode) ? open_looked_at(fd, path, st) : -EINVAL;
	close(fd);
	return ret;
}

int regular_open(const char *path, struct stat *st)
{
	return open_regular(path, 0, st);
}

int regular_read_fd(int fd, size_t limit, char **data, size_t *size)
{
	size_t room, used = 0;
	struct stat st;
	ssize_t n = 1;
	char *text;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_size < 0 || (u64)st.st_size > limit)
		return -EFBIG;
	room = st.st_size;
	text = mem_alloc_touched(room + 1);
	if (!text)
		return -ENOMEM;
	/* The file may grow or shrink meanwhile: read no more than its size when it was opened */
	while (used < room && n) {
		n = pread(fd, text + used, room - used, used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			n = -errno;
			free(text);
			return n;
		}
		used += n;
	}
	text[used] = '\0';
	*data = text;
	*size = used;
	return 0;
}

int regular_read(const char *path, size_t limit, char **data, size_t *size)
{
	struct stat st;
	int fd = regular_open(path, &st), ret;

	if (fd < 0)
		return fd;
	ret = regular_read_fd(fd, limit, data, size);
	close(fd);
	return ret;
}

bool is_of_others(const struct stat *st)
{
	return st->st_uid && st->st_uid != geteuid();
}

static bool owns(pid_t pid, const struct stat *st)
{
	struct stat process;
	char proc[32];

	snprintf(proc, sizeof(proc), "/proc/%d", pid);
	return pid > 0 && !stat(proc, &process) && process.st_uid == st->st_uid;
}

int process_file_check(int fd, pid_t pid, size_t limit, const char *path, struct error *err)
{
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		ret = error_set(err, -errno, "%s: %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		ret = error_set(err, -EINVAL, "%s: expected a regular file", path);
	else if ((u64)st.st_size > limit)
		ret = error_set(err, -EFBIG, "%s: %lld bytes, expected up to %zu", path,
				(long long)st.st_size, limit);
	else if (is_of_others(&st) && !owns(pid, &st))
		ret = error_set(err, -EACCES,
				"%s: is another user's, so it is not read; chown it", path);
	else
		return fd;
	close(fd);
	return ret;
}

int process_file_open(const char *path, pid_t pid, size_t limit, struct error *err)
{
	struct stat st;
	int fd = open_regular(path, O_NOFOLLOW, &st);

	if (fd == -EINVAL)
		return error_set(err, fd, "%s: expected a regular file", path);
	if (fd < 0)
		return error_set(err, fd, "%s: %s", path, strerror(-fd));
	return process_file_check(fd, pid, limit, path, err);
}
