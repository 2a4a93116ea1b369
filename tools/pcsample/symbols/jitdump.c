// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/idmap.h"
#include "base/proc-files.h"
#include "base/safe-file.h"
#include "symbols/jitdump.h"

/* Limit: a dump of all code that a machine generates in days is smaller */
#define JITDUMP_MAX_BYTES (1UL << 30)

#define JITDUMP_MAGIC	0x4a695444	/* "DTiJ", little-endian */

/* magic, version, size of the header, machine, pad, pid: u32; timestamp, flags: u64 */
#define HEADER_SIZE	40
#define HEADER_VERSION	4
#define HEADER_TOTAL	8
#define HEADER_PID	20
#define HEADER_FLAGS	32
#define FLAG_ARCH_TIMESTAMP 1		/* a counter of the CPU in place of CLOCK_MONOTONIC */

/* A record: type, size: u32; timestamp: u64 */
#define RECORD_SIZE	16
enum { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO, CODE_CLOSE, CODE_UNWINDING_INFO };

/* pid, tid: u32; vma, address, size, index: u64; name; code */
#define LOAD_PID	16
#define LOAD_ADDR	32
#define LOAD_CODE_SIZE	40
#define LOAD_INDEX	48
#define LOAD_NAME	56

/* pid, tid: u32; vma, old address, new address, size, index: u64 */
#define MOVE_PID	16
#define MOVE_TO		40
#define MOVE_CODE_SIZE	48
#define MOVE_INDEX	56
#define MOVE_SIZE	64

bool jitdump_is_path(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t digits;

	if (!base || strncmp(base, "/jit-", 5))
		return false;
	digits = strspn(base + 5, "0123456789");
	return digits && !strcmp(base + 5 + digits, ".dump");
}

struct reader {
	const u8 *p;
	s32 pid;
	bool times;
	struct idmap offsets;	/* of code, by its index */
	int (*fn)(const struct jitdump_code *code, void *ctx);
	void *ctx;
};

static int give(struct reader *r, struct jitdump_code *code)
{
	if (!r->times)
		code->time = 0;
	if (!code->size || code->addr + code->size < code->addr)
		return 0;
	return r->fn(code, r->ctx);
}

static int take_load(struct reader *r, const u8 *rec, u32 size)
{
	struct jitdump_code code = { .time = load64(rec + 8) };
	const char *name = (const char *)rec + LOAD_NAME;
	size_t len;

	if (size <= LOAD_NAME || (r->pid >= 0 && (s32)load32(rec + LOAD_PID) != r->pid))
		return 0;
	len = strnlen(name, size - LOAD_NAME);
	code.addr = load64(rec + LOAD_ADDR);
	code.size = load64(rec + LOAD_CODE_SIZE);
	if (len == size - LOAD_NAME || code.size > size - LOAD_NAME - len - 1)
		return 0;
	code.name = name;
	code.offset = rec + LOAD_NAME + len + 1 - r->p;
	if (code.offset < UINT32_MAX &&
	    idmap_set(&r->offsets, load64(rec + LOAD_INDEX), code.offset))
		return -ENOMEM;
	return give(r, &code);
}

static int take_move(struct reader *r, const u8 *rec, u32 size)
{
	struct jitdump_code code = { .time = load64(rec + 8) };
	u32 offset;

	if (size < MOVE_SIZE || (r->pid >= 0 && (s32)load32(rec + MOVE_PID) != r->pid))
		return 0;
	offset = idmap_get(&r->offsets, load64(rec + MOVE_INDEX));
	if (offset == IDMAP_NONE)
		return 0;
	code.addr = load64(rec + MOVE_TO);
	code.size = load64(rec + MOVE_CODE_SIZE);
	code.offset = offset;
	return give(r, &code);
}

int jitdump_parse(const u8 *p, size_t size, s32 pid,
		  int (*fn)(const struct jitdump_code *code, void *ctx), void *ctx)
{
	struct reader r = { .p = p, .pid = pid, .fn = fn, .ctx = ctx };
	u64 at, left;
	u32 len;
	int ret = 0;

	if (size < HEADER_SIZE || load32(p) != JITDUMP_MAGIC || load32(p + HEADER_VERSION) != 1)
		return -EINVAL;
	r.times = !(load64(p + HEADER_FLAGS) & FLAG_ARCH_TIMESTAMP);
	for (at = load32(p + HEADER_TOTAL); !ret && at <= size; at += len) {
		left = size - at;
		len = left < RECORD_SIZE ? 0 : load32(p + at + 4);
		if (len < RECORD_SIZE || len > left || load32(p + at) == CODE_CLOSE)
			break;
		if (load32(p + at) == CODE_LOAD)
			ret = take_load(&r, p + at, len);
		else if (load32(p + at) == CODE_MOVE)
			ret = take_move(&r, p + at, len);
	}
	idmap_deinit(&r.offsets);
	return ret;
}

/* Open it as the process sees it, or as another one in the same mount namespace does */
static int open_in_namespace(const char *path, s32 pid, u64 mount_ns, struct error *err)
{
	static const enum live_place places[] = { LIVE_ROOT, LIVE_NAMESPACE };
	char live[PATH_MAX];
	struct error why;
	int fd = -ENOENT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		if (live_file(places[i], pid, mount_ns, path, live))
			fd = process_file_open(live, pid, JITDUMP_MAX_BYTES, &why);
		if (fd >= 0)
			return fd;
	}
	if (fd == -ENOENT)
		return error_set(err, fd, "%s: is in a container that no longer runs", path);
	*err = why;
	return fd;
}

int jitdump_open(const char *path, const char *symfs, s32 pid, u64 mount_ns, char *packed,
		 struct error *err)
{
	char full[PATH_MAX], live[PATH_MAX];
	struct error ignored;
	int fd;

	*packed = '\0';
	if (!live_file(LIVE_ROOT, pid, mount_ns, path, live))
		*live = '\0';
	if (!symfs && mount_ns && mount_ns != live_mount_ns("self")) {
		strcpy(packed, live);
		return open_in_namespace(path, pid, mount_ns, err);
	}
	if (snprintf(full, sizeof(full), "%s%s", symfs ? symfs : "", live) >= sizeof(full))
		return error_set(err, -ENAMETOOLONG, "%s: path too long", path);
	fd = symfs && *live ? process_file_open(full, pid, JITDUMP_MAX_BYTES, &ignored) : -ENOENT;
	if (fd >= 0) {
		strcpy(packed, live);
		return fd;
	}
	snprintf(full, sizeof(full), "%s%s", symfs ? symfs : "", path);
	return process_file_open(full, pid, JITDUMP_MAX_BYTES, err);
}

/* Read, not mapped: its writer may shorten it meanwhile */
int jitdump_read(const char *path, const char *symfs, s32 pid, u64 mount_ns,
		 int (*fn)(const struct jitdump_code *code, void *ctx), void *ctx,
		 struct error *err)
{
	char packed[PATH_MAX], *dump = NULL;
	size_t size;
	int fd, ret;

	fd = jitdump_open(path, symfs, pid, mount_ns, packed, err);
	if (fd < 0)
		return fd;
	ret = regular_read_fd(fd, JITDUMP_MAX_BYTES, &dump, &size);
	/* In a PID namespace of its own a process knows itself by another number */
	if (!ret && *packed && size >= HEADER_SIZE)
		pid = load32((u8 *)dump + HEADER_PID);
	if (!ret)
		ret = jitdump_parse((u8 *)dump, size, pid, fn, ctx);
	free(dump);
	close(fd);
	if (ret == -EINVAL)
		error_set(err, ret, "%s: expected a jitdump of version 1", path);
	else if (ret)
		error_set(err, ret, "%s: %s", path, strerror(-ret));
	return ret;
}
