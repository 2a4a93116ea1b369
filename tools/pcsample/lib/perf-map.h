/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /tmp/perf-PID.map: symbols that a run-time compiler wrote down for profilers.
 */
#ifndef PCSAMPLE_LIB_PERF_MAP_H
#define PCSAMPLE_LIB_PERF_MAP_H

#include "lib/error.h"
#include "lib/symtab.h"

/**
 * perf_map_load() - add the symbols of a perf map and finish the table
 *
 * The file belongs to another user's process. It is taken only if it is a regular file, not a link,
 * and not larger than 1 GiB; lines that are no "START SIZE NAME" are left out.
 *
 * Return: 0; -ENOENT if there is none; another negative errno with a message.
 */
int perf_map_load(struct symtab *st, const char *path, struct error *err);

/* The same of a map in memory */
int perf_map_parse(struct symtab *st, const char *p, size_t size);

/**
 * perf_map_load_process() - the map of a process: /tmp/perf-PID.map
 * @symfs: directory in front of it; NULL: also where a process in namespaces of its own has it, if
 *	it still runs
 *
 * A file of a user who is not the process's, nor root, nor ours is not read.
 *
 * Return: 0 or a negative errno.
 */
int perf_map_load_process(struct symtab *st, const char *symfs, s32 pid, struct error *err);

/**
 * perf_map_open_process() - open what perf_map_load_process() reads
 * @path: takes its name; PATH_MAX bytes
 *
 * Return: file descriptor, or a negative errno.
 */
int perf_map_open_process(const char *symfs, s32 pid, char *path, struct error *err);

#endif /* PCSAMPLE_LIB_PERF_MAP_H */
