/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Build-ids of the kernel, its modules and the files that processes have mapped.
 */
#ifndef PCSAMPLE_LIB_SYNTH_BUILDID_H
#define PCSAMPLE_LIB_SYNTH_BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <arch-model/types.h>

#define BUILD_ID_MAX	20

/* @size is 0 where there is no build-id */
struct build_id {
	u8 data[BUILD_ID_MAX];
	u8 size;
};

/**
 * build_id_from_notes() - find NT_GNU_BUILD_ID in ELF notes
 * @id: result
 * @notes: notes as of a 4-byte aligned PT_NOTE segment or /sys/kernel/notes; not trusted
 * @size: bytes of it
 *
 * Return: true if there is one
 */
bool build_id_from_notes(struct build_id *id, const void *notes, size_t size);

/** build_id_of_sysfs() - build-id in a notes file of sysfs */
bool build_id_of_sysfs(struct build_id *id, const char *path);

/**
 * build_id_of_fd() - build-id of an ELF file
 * @id: result
 * @fd: regular file, open for reading
 */
bool build_id_of_fd(struct build_id *id, int fd);

struct build_id_cache;

/** build_id_cache_create() - NULL without memory */
struct build_id_cache *build_id_cache_create(void);
void build_id_cache_destroy(struct build_id_cache *cache);

/**
 * build_id_of_path() - build-id of a file that belongs to another process
 * @cache: files already read, by device, inode and time of change
 * @id: result
 * @path: below /proc/PID/map_files or /proc/PID/root; what it leads to is not trusted: only a
 *	regular file is opened
 * @inode: which file it must be, 0 for any
 *
 * Return: true if it has a build-id
 */
bool build_id_of_path(struct build_id_cache *cache, struct build_id *id, const char *path,
		      u64 inode);

#endif /* PCSAMPLE_LIB_SYNTH_BUILDID_H */
