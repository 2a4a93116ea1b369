/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that processes of a recording have mapped and that cannot be opened by their path: files
 * of containers, deleted files, and replaced ones. The kernel keeps them open while the process
 * lives.
 */
#ifndef PCSAMPLE_BASE_PROC_FILES_H
#define PCSAMPLE_BASE_PROC_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include <arch-model/types.h>

/* Where such a file may be found */
enum live_place {
	LIVE_MAPPING,		/* what the process has mapped under that path */
	LIVE_ROOT,		/* the path, as the process sees it */
	LIVE_NAMESPACE,		/* the path, as another process in its mount namespace sees it */
	NR_LIVE_PLACES
};

/**
 * live_file() - where to open a file
 * @pid: process that mapped it
 * @mount_ns: its mount namespace, the inode number of /proc/PID/ns/mnt; 0 if not known
 * @mapped: path that the recording has
 * @path: receives a path below /proc, up to PATH_MAX bytes
 *
 * Process numbers are reused, and the recording may be of another machine: the caller must check
 * that the file is the recorded one.
 *
 * Return: false if the file cannot be there.
 */
bool live_file(enum live_place place, s32 pid, u64 mount_ns, const char *mapped, char *path);

/**
 * live_file_of_namespace() - the path, as processes of another mount namespace see it
 * @i: number of the namespace, from 0, in no particular order
 *
 * Return: false if there are at most @i such namespaces.
 */
bool live_file_of_namespace(unsigned int i, const char *mapped, char *path);

/* Does a process have threads besides its first one, which may have exited? */
bool live_threads(s32 pid);

/* The mount namespace of a process, "self" for this one; 0 if it cannot be known */
u64 live_mount_ns(const char *pid);

#endif /* PCSAMPLE_BASE_PROC_FILES_H */
