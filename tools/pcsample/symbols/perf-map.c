// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/safe-file.h"
#include "symbols/perf-map.h"

#define PERF_MAP_MAX_BYTES (1U << 30)

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

int perf_map_parse(struct symtab *st, const char *p, size_t size)
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

/* The pid that a process itself sees: that of the innermost PID namespace */
static s32 own_number(s32 pid)
{
	char path[32], line[256], *last;
	s32 number = pid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "NSpid:", 6))
			continue;
		last = strrchr(line, '\t');
		number = last ? atoi(last + 1) : pid;
		break;
	}
	if (f)
		fclose(f);
	return number;
}

/* In the process's own root directory, without leaving it */
static int open_in_root(s32 pid, s32 number)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS,
	};
	char path[32];
	int root, fd;

	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	snprintf(path, sizeof(path), "tmp/perf-%d.map", number);
	fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
	close(root);
	return fd;
}

int perf_map_open_process(const char *symfs, s32 pid, char *path, struct error *err)
{
	int fd;

	if (snprintf(path, PATH_MAX, "%s/tmp/perf-%d.map", symfs ? symfs : "", pid) >= PATH_MAX)
		return error_set(err, -ENAMETOOLONG, "%s: path too long", symfs);
	fd = process_file_open(path, pid, PERF_MAP_MAX_BYTES, err);
	if (fd != -ENOENT || symfs)
		return fd;
	fd = open_in_root(pid, own_number(pid));
	return fd < 0 ? -ENOENT : process_file_check(fd, pid, PERF_MAP_MAX_BYTES, path, err);
}

int perf_map_load_process(struct symtab *st, const char *symfs, s32 pid, struct error *err)
{
	char path[PATH_MAX], *text = NULL;
	size_t size;
	int ret, fd;

	fd = perf_map_open_process(symfs, pid, path, err);
	if (fd < 0)
		return fd;
	ret = regular_read_fd(fd, PERF_MAP_MAX_BYTES, &text, &size);
	if (!ret)
		ret = perf_map_parse(st, text, size);
	if (ret)
		error_set(err, ret, "%s: %s", path, strerror(-ret));
	free(text);
	close(fd);
	return ret;
}
