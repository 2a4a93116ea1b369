// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text-file.h"

/* Return: bytes read, fewer than @size only at the end of the file; or a negative errno */
static ssize_t read_all(int fd, char *data, size_t size)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = read(fd, data + done, size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += n;
	}
	return done;
}

static int read_text(char *text, size_t size, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read_all(fd, text, size - 1);
	close(fd);
	if (len < 0)
		return len;
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	text[len] = '\0';
	return len;
}

int sysfs_read(char *text, size_t size, const char *format, ...)
{
	char path[PATH_MAX];
	va_list ap;

	va_start(ap, format);
	vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	return read_text(text, size, path);
}

int sysfs_read_number(u64 *value, const char *format, ...)
{
	char path[PATH_MAX], text[64], *end;
	va_list ap;
	int len;

	va_start(ap, format);
	vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	len = read_text(text, sizeof(text), path);
	if (len < 0)
		return len;
	*value = strtoull(text, &end, 0);
	return end == text ? -EINVAL : 0;
}

bool sysfs_exists(const char *format, ...)
{
	char path[PATH_MAX];
	va_list ap;

	va_start(ap, format);
	vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	return !access(path, F_OK);
}

int sysfs_slurp(char **data, size_t *size, size_t limit, const char *path)
{
	size_t room = 16384, used = 0;
	char *text = NULL, *bigger;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (;;) {
		bigger = realloc(text, room + 1);
		n = bigger ? read_all(fd, bigger + used, room - used) : -ENOMEM;
		if (bigger)
			text = bigger;
		if (n < 0)
			break;
		used += n;
		if (used < room)
			break;
		if (used > limit) {
			n = -EFBIG;
			break;
		}
		room *= 2;
	}
	close(fd);
	if (n < 0) {
		free(text);
		return n;
	}
	text[used] = '\0';
	*data = text;
	*size = used;
	return 0;
}
