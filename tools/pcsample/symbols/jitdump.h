/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jit-PID.dump: generated code, written by the process that makes it.
 *
 * Format: tools/perf/Documentation/jitdump-specification.txt in Linux. The process maps the
 * start of the file executable, so that the recording names the file.
 */
#ifndef PCSAMPLE_SYMBOLS_JITDUMP_H
#define PCSAMPLE_SYMBOLS_JITDUMP_H

#include <stdbool.h>

#include "base/array.h"
#include "base/error.h"

/**
 * struct jitdump_code - a function from a time on
 * @time: CLOCK_MONOTONIC, ns
 * @addr: where it is in the process
 * @size: bytes, not 0
 * @offset: of its bytes in the file
 * @name: NULL for a function that was reported before and has moved
 */
struct jitdump_code {
	u64 time;
	u64 addr, size;
	u64 offset;
	const char *name;
};

/* Is this path one of a dump, as the format's writers name it? */
bool jitdump_is_path(const char *path);

/**
 * jitdump_read() - read a dump
 * @symfs: directory in front of @path; NULL for none
 * @pid: the process. Code of other processes in the file is left out, and so is a file that belongs
 *	neither to the user of the process, nor to root, nor to this user.
 * @mount_ns: mount namespace of the process, 0 if not known. If it is not ours, the file can be
 *	read as long as a process runs in it.
 * @fn: called for each function, in the order of the file; a result other than 0 ends the reading
 *
 * A dump may end anywhere: an incomplete last record is ignored.
 *
 * Return: 0; what @fn returned; or a negative errno with a line in @err.
 */
int jitdump_read(const char *path, const char *symfs, s32 pid, u64 mount_ns,
		 int (*fn)(const struct jitdump_code *code, void *ctx), void *ctx,
		 struct error *err);

/**
 * jitdump_open() - open what jitdump_read() reads
 * @packed: receives up to PATH_MAX bytes: the path of the file in an archive if it is from another
 *	mount namespace, so that files of equal paths stay apart; else ""
 *
 * Return: file descriptor, or a negative errno with a line in @err.
 */
int jitdump_open(const char *path, const char *symfs, s32 pid, u64 mount_ns, char *packed,
		 struct error *err);

/* The same of a dump in memory */
int jitdump_parse(const u8 *p, size_t size, s32 pid,
		  int (*fn)(const struct jitdump_code *code, void *ctx), void *ctx);

#endif /* PCSAMPLE_SYMBOLS_JITDUMP_H */
