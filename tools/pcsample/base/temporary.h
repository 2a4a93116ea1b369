/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Temporary directories below TMPDIR, and write() until all bytes are written.
 */
#ifndef PCSAMPLE_BASE_TEMPORARY_H
#define PCSAMPLE_BASE_TEMPORARY_H

#include <stddef.h>

#include "base/error.h"

/** temporary_place() - the directory for temporary files: TMPDIR, or else /tmp */
const char *temporary_place(void);

/**
 * temporary_directory() - make a directory that only this user may enter
 * @path: receives its name
 * @size: bytes of @path
 * @prefix: of the name
 *
 * Return: 0, or a negative errno with a message in @err
 */
int temporary_directory(char *path, size_t size, const char *prefix, struct error *err);

/**
 * write_all() - write(2) until all is written
 *
 * Return: bytes written; fewer than @size only with errno set
 */
size_t write_all(int fd, const void *data, size_t size);

#endif /* PCSAMPLE_BASE_TEMPORARY_H */
