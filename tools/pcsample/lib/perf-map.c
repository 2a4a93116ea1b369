// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/perf-map.h"

#define PERF_MAP_MAX_BYTES (1U << 30)

static char *read_file(const char *path, size_t *size, struct error *err)
{
	struct stat st;
	char *text = NULL;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		error_set(err, -errno, "%s: %s", path, strerror(errno));
		return NULL;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > PERF_MAP_MAX_BYTES) {
		error_set(err, -EINVAL, "%s: expected a regular file of up to 1 GiB", path);
		errno = EINVAL;
		goto out;
	}
	text = malloc(st.st_size + 1);
	for (*size = 0; text && *size < st.st_size; *size += n) {
		n = read(fd, text + *size, st.st_size - *size);
		if (n <= 0)
			break;
	}
out:
	close(fd);
	return text;
}

static const char *take_hex(const char *p, const char *end, u64 *v)
{
	const char *start = p;
	int digit;

	if (end - p > 2 && p[0] == '0' && p[1] == 'x')
		start = p += 2;
	for (*v = 0; p < end; p++) {
		if (*p >= '0' && *p <= '9')
			digit = *p - '0';
		else if ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'f')
			digit = (*p | 0x20) - 'a' + 10;
		else
			break;
		*v = *v << 4 | digit;
	}
	return p > start && p - start <= 16 && p < end && *p == ' ' ? p + 1 : NULL;
}

static int parse_map(struct symtab *st, const char *p, size_t size)
{
	const char *end = p + size, *eol, *at;
	u64 start, len;
	u32 name;
	int ret;

	for (; p < end && (eol = memchr(p, '\n', end - p)); p = eol + 1) {
		at = take_hex(p, eol, &start);
		at = at ? take_hex(at, eol, &len) : NULL;
		if (!at || at == eol || !len || start + len < start)
			continue;
		ret = symtab_own_name(st, at, eol - at, &name);
		if (!ret)
			ret = symtab_add(st, start, len, start + len, name, SYM_RANK_GLOBAL);
		if (ret)
			return ret;
	}
	return symtab_finish(st);
}

int perf_map_load(struct symtab *st, const char *path, struct error *err)
{
	size_t size;
	char *text;
	int ret;

	errno = ENOMEM;
	text = read_file(path, &size, err);
	if (!text)
		return -errno;
	ret = parse_map(st, text, size);
	free(text);
	return ret ? error_set(err, ret, "%s: %s", path, strerror(-ret)) : 0;
}
