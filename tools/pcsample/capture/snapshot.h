/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes side-band records for what exists before the kernel begins to report changes: the kernel
 * and its modules, cgroups, processes, their threads and their executable mappings.
 *
 * Processes start and end while /proc is read. One that ends is left out; one that starts is in
 * the kernel's own records, which are enabled before the reading starts. All records made here
 * have time 0 and id 0, so they sort before all others.
 */
#ifndef PCSAMPLE_CAPTURE_SNAPSHOT_H
#define PCSAMPLE_CAPTURE_SNAPSHOT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/file-ids.h"
#include "base/error.h"

/**
 * typedef synth_sink - receives a record
 * @arg: of struct synth
 * @record: valid during the call
 * @err: message on failure
 *
 * Return: 0, or a negative errno that ends the synthesis
 */
typedef int (*synth_sink)(void *arg, const struct perf_event_header *record, struct error *err);

/**
 * struct synth - what is to be made, and what was seen
 * @root: where /proc, /sys and /lib are below, "" for this system
 * @trailer: bytes of the sample_id behind each record (attr.sample_id_all), a multiple of 8
 * @sink: receives the records
 * @arg: for @sink
 * @build_ids: cache of build-ids; NULL to do without build-ids
 * @nr_processes: how many were written
 * @nr_unreadable: how many of these have maps that this user may not read
 */
struct synth {
	const char *root;
	size_t trailer;
	synth_sink sink;
	void *arg;
	struct build_id_cache *build_ids;
	unsigned int nr_processes;
	unsigned int nr_unreadable;
};

/**
 * synth_kernel() - one record for the kernel image: [kernel.kallsyms]_text
 * @synth: parameters
 * @err: message on failure
 *
 * Return: 0; -EACCES if kallsyms hides its addresses from this user; or a negative errno
 */
int synth_kernel(struct synth *synth, struct error *err);

/**
 * synth_modules() - one record for each kernel module
 * @synth: parameters
 * @before: text of /proc/modules at an earlier call: modules in it are left out; may be NULL
 * @now: receives the present text, to be freed by the caller; may be NULL
 * @err: message on failure
 */
int synth_modules(struct synth *synth, const char *before, char **now, struct error *err);

/**
 * synth_cgroups() - one record for each cgroup of the hierarchy that PERF_SAMPLE_CGROUP is about
 *
 * Paths begin at the mount of the hierarchy, which in a container is only a part of the system's.
 *
 * Return: 0, also where no cgroups are mounted; or a negative errno
 */
int synth_cgroups(struct synth *synth, struct error *err);

/** synth_processes() - all processes */
int synth_processes(struct synth *synth, struct error *err);

/** synth_process() - one process; 0 also if it is gone */
int synth_process(struct synth *synth, pid_t pid, struct error *err);

/** synth_newborn() - a process that is about to exec, so that its maps do not matter */
int synth_newborn(struct synth *synth, pid_t pid, struct error *err);

/* Parsers, here for their tests */

/* A line of /proc/PID/maps; @path points into the line */
struct maps_line {
	u64 start, end, offset, inode;
	u32 major, minor;
	u32 prot;			/* PROT_* */
	u32 flags;			/* MAP_SHARED or MAP_PRIVATE */
	char *path;
};

/**
 * maps_line_parse() - read a line of /proc/PID/maps
 * @map: result
 * @line: without newline; "\012", which stands for a newline in a name, is undone in place
 *
 * Return: true if it is such a line
 */
bool maps_line_parse(struct maps_line *map, char *line);

/* A line of /proc/modules */
struct module_line {
	char name[64];
	u64 start, size;
};

bool module_line_parse(struct module_line *module, const char *line);

/* /proc/PID/stat as far as it is needed; @comm may hold any character */
struct stat_line {
	char comm[16];
	pid_t ppid;
};

bool stat_line_parse(struct stat_line *stat, const char *text);

#endif /* PCSAMPLE_CAPTURE_SNAPSHOT_H */
