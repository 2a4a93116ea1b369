/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Archives as tar(1) reads them (POSIX ustar), compressed by zstd where it is built in.
 */
#ifndef PCSAMPLE_BASE_TAR_H
#define PCSAMPLE_BASE_TAR_H

#include <stdbool.h>
#include <stddef.h>

#include <arch-model/types.h>

#include "base/error.h"

struct tar_writer;

/**
 * tar_create() - start an archive
 * @ret: the writer
 * @path: its name; "-" for standard output. Until it is complete, it has another name in the same
 *	directory.
 * @compress: with zstd
 *
 * Return: 0; -EOPNOTSUPP for @compress without zstd, -ENOTTY for a terminal, or a negative errno.
 */
int tar_create(struct tar_writer **ret, const char *path, bool compress, struct error *err);

/**
 * tar_add() - add a file
 * @name: below the archive's root; up to 255 bytes in the form of ustar, else -ENAMETOOLONG
 * @data: its contents
 * @size: up to 8 GiB, else -EFBIG
 */
int tar_add(struct tar_writer *w, const char *name, const void *data, u64 size,
	    struct error *err);

/* As tar_add(), of an open file from its beginning */
int tar_add_fd(struct tar_writer *w, const char *name, int fd, struct error *err);

/** tar_finish() - end the archive and give it its name; @bytes receives its size */
int tar_finish(struct tar_writer *w, u64 *bytes, struct error *err);

/** tar_destroy() - free the writer; what was not finished is removed. NULL is allowed. */
void tar_destroy(struct tar_writer *w);

/**
 * tar_unpack() - unpack an archive into a directory
 * @path: archive, compressed or not; "-" for standard input
 * @dir: an open directory that is empty
 *
 * The archive is not trusted: only regular files are made, all below @dir, and existing files are
 * not opened. Links, devices and names with ".." are errors.
 *
 * Return: 0; -EINVAL if @path is no archive or is incomplete; or a negative errno.
 */
int tar_unpack(const char *path, int dir, struct error *err);

#endif /* PCSAMPLE_BASE_TAR_H */
