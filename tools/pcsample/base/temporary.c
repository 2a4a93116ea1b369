// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/temporary.h"

const char *temporary_place(void)
{
	const char *place = getenv("TMPDIR");

	return place && place[0] ? place : "/tmp";
}

int temporary_directory(char *path, size_t size, const char *prefix, struct error *err)
{
	const char *place = temporary_place();

	if (snprintf(path, size, "%s/%s-XXXXXX", place, prefix) >= (int)size)
		return error_set(err, -ENAMETOOLONG, "%s: path too long; set TMPDIR", place);
	if (!mkdtemp(path))
		return error_set(err, -errno, "%s: no temporary directory: %s; set TMPDIR", place,
				 strerror(errno));
	return 0;
}

size_t write_all(int fd, const void *data, size_t size)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = write(fd, (const char *)data + done, size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (!n)
				errno = ENOSPC;
			break;
		}
		done += n;
	}
	return done;
}
