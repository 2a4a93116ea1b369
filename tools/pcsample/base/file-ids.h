/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Build-ids of the files that processes have mapped.
 */
#ifndef PCSAMPLE_BASE_FILE_IDS_H
#define PCSAMPLE_BASE_FILE_IDS_H

#include "base/build-id.h"

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

#endif /* PCSAMPLE_BASE_FILE_IDS_H */
