/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /tmp/perf-PID.map: symbols that a JIT compiler wrote for profilers.
 */
#ifndef PCSAMPLE_SYMBOLS_PERF_MAP_H
#define PCSAMPLE_SYMBOLS_PERF_MAP_H

#include "base/error.h"
#include "symbols/symtab.h"

/* Add the symbols of a map in memory and finish the table; other lines are left out */
int perf_map_parse(struct symtab *st, const char *p, size_t size);

/**
 * perf_map_load_process() - add the symbols of a process's map, /tmp/perf-PID.map
 * @symfs: directory in front of it; NULL: also where a process in namespaces of its own has it, if
 *	it still runs
 *
 * The file belongs to another user's process. It is read only if it is a regular file, not a link,
 * not larger than 1 GiB, and of the process's user, root or us.
 *
 * Return: 0; -ENOENT if there is none; another negative errno with a message.
 */
int perf_map_load_process(struct symtab *st, const char *symfs, s32 pid, struct error *err);

/**
 * perf_map_open_process() - open what perf_map_load_process() reads
 * @path: receives its name, up to PATH_MAX bytes
 *
 * Return: file descriptor, or a negative errno.
 */
int perf_map_open_process(const char *symfs, s32 pid, char *path, struct error *err);

#endif /* PCSAMPLE_SYMBOLS_PERF_MAP_H */
