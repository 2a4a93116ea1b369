// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic-file.h"

/* mkostemp() makes files that only their owner may read; the result gets the usual permissions */
static int make_temporary(struct output_file *f)
{
	mode_t mask = umask(0);

	umask(mask);
	if (snprintf(f->temporary, sizeof(f->temporary), "%s.XXXXXX", f->path) >=
	    (int)sizeof(f->temporary))
		return -ENAMETOOLONG;
	f->fd = mkostemp(f->temporary, O_CLOEXEC);
	if (f->fd < 0)
		return -errno;
	if (fchmod(f->fd, 0666 & ~mask))
		return -errno;
	return 0;
}

int output_file_open(struct output_file *f, const char *path, bool binary, struct error *err)
{
	struct stat st;
	int ret = 0;

	f->path = path;
	f->temporary[0] = '\0';
	f->fd = STDOUT_FILENO;
	if (strcmp(path, "-") && !stat(path, &st) && !S_ISREG(st.st_mode)) {
		f->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		ret = f->fd < 0 ? -errno : 0;
	} else if (strcmp(path, "-")) {
		ret = make_temporary(f);
	}
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
	if (!failed && rename(f->temporary, f->path))
		failed = error_set(err, -errno, "%s: %s", f->path, strerror(errno));
	if (failed)
		unlink(f->temporary);
	return failed;
}
