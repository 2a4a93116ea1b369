// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic-file.h"
#include "base/output-name.h"

/* Names are given by way of /proc */
static bool have_proc(void)
{
	return !access("/proc/self/fd", X_OK);
}

/* Make a file without a name in the directory. Return: is there one? Not all file systems can. */
static bool make_unnamed(struct output_file *f)
{
	char dir[PATH_MAX];
	char *slash;

	strcpy(dir, f->real);
	slash = strrchr(dir, '/');
	if (slash)
		slash[1] = '\0';
	f->fd = have_proc() ? open(slash ? dir : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
	f->unnamed = f->fd >= 0;
	return f->unnamed;
}

/* rename(2) replaces a file, linkat(2) does not: the file has a temporary name in between */
static int give_name(struct output_file *f)
{
	char self[40];
	unsigned int number = getpid(), i;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
	for (i = 0; i < 100; i++) {
		if (snprintf(f->temporary, sizeof(f->temporary), "%s.%06x", f->real, number + i) >=
		    (int)sizeof(f->temporary))
			errno = ENAMETOOLONG;
		else if (!linkat(AT_FDCWD, self, AT_FDCWD, f->temporary, AT_SYMLINK_FOLLOW))
			return 0;
		if (errno != EEXIST)
			break;
	}
	f->temporary[0] = '\0';
	return -errno;
}

/* mkostemp() makes files that only their owner may read; the result gets the usual permissions */
static int make_temporary(struct output_file *f)
{
	mode_t mask = umask(0);

	umask(mask);
	if (snprintf(f->temporary, sizeof(f->temporary), "%s.XXXXXX", f->real) >=
	    (int)sizeof(f->temporary))
		return -ENAMETOOLONG;
	if (make_unnamed(f)) {
		f->temporary[0] = '\0';
		return 0;
	}
	f->fd = mkostemp(f->temporary, O_CLOEXEC);
	if (f->fd < 0)
		return -errno;
	if (fchmod(f->fd, 0666 & ~mask))
		return -errno;
	return 0;
}

static int open_in_place(struct output_file *f, int flags)
{
	f->fd = open(f->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | flags);
	return f->fd < 0 ? -errno : 0;
}

static int open_file(struct output_file *f)
{
	struct stat st;
	int ret = output_name(f->path, f->real);

	if (ret)
		return ret;
	if (!f->real[0])
		return open_in_place(f, O_APPEND);
	if (!stat(f->real, &st) && !S_ISREG(st.st_mode))
		return open_in_place(f, 0);
	return make_temporary(f);
}

int output_file_open(struct output_file *f, const char *path, bool binary, struct error *err)
{
	int ret;

	f->path = path;
	f->unnamed = false;
	f->temporary[0] = '\0';
	f->fd = STDOUT_FILENO;
	ret = output_is_stdout(path) ? 0 : open_file(f);
	if (ret)
		return error_set(err, ret, "%s: %s", path, strerror(-ret));
	if (binary && isatty(f->fd))
		return error_set(err, -ENOTTY,
				 "refusing to write this format to a terminal: use -o FILE");
	return 0;
}

int output_file_close(struct output_file *f, int failed, struct error *err)
{
	if (f->unnamed && !failed) {
		failed = give_name(f);
		if (failed)
			error_set(err, failed, "%s: %s", f->path, strerror(-failed));
	}
	if (f->fd != STDOUT_FILENO && close(f->fd) && !failed)
		failed = error_set(err, -errno, "%s: %s", f->path, strerror(errno));
	if (!f->temporary[0])
		return failed;
	if (!failed && rename(f->temporary, f->real))
		failed = error_set(err, -errno, "%s: %s", f->path, strerror(errno));
	if (failed)
		unlink(f->temporary);
	return failed;
}
