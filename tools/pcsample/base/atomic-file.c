// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic-file.h"
#include "base/output-name.h"

/* mkostemp() makes files that only their owner may read; the result gets the usual permissions */
static int make_temporary(struct output_file *f)
{
	mode_t mask = umask(0);

	umask(mask);
	if (snprintf(f->temporary, sizeof(f->temporary), "%s.XXXXXX", f->real) >=
	    (int)sizeof(f->temporary))
		return -ENAMETOOLONG;
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
