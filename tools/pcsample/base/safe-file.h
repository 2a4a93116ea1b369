/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens files whose names come from somebody else: a recording, debug information, another
 * user's process.
 *
 * Such a name may lead to a FIFO, which blocks, to a device, which may act when it is opened, to an
 * endless file, or to a file that shrinks while it is read.
 */
#ifndef PCSAMPLE_BASE_SAFE_FILE_H
#define PCSAMPLE_BASE_SAFE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <arch-model/types.h>

#include "base/error.h"

/**
 * regular_open() - open a file for reading, if it is a regular one
 * @path: links are followed
 * @st: receives what fstat(2) says of it
 *
 * The type is checked before the file is opened: opening a FIFO or a device can block or have
 * effects.
 *
 * Return: file descriptor; -EINVAL if it is not a regular file, or another negative errno.
 */
int regular_open(const char *path, struct stat *st);

/**
 * regular_read() - read a regular file to its end
 * @limit: of its size
 * @data: receives its bytes and a NUL behind them, from malloc()
 * @size: receives their number
 *
 * Return: 0; as regular_open(); -EFBIG if it is longer, -ENOMEM.
 */
int regular_read(const char *path, size_t limit, char **data, size_t *size);

/* The same for an open file, from its beginning */
int regular_read_fd(int fd, size_t limit, char **data, size_t *size);

/**
 * process_file_check() - check that a file may be read as one of a process
 * @fd: @path, opened. Any user can create a file there, for example in /tmp
 * @pid: the process; -1 if there is none
 * @limit: of its size
 *
 * It has to be a regular file of the user who asks, of root, or of the user that the process runs
 * as.
 *
 * Return: @fd; or it is closed and the result is a negative errno with a message.
 */
int process_file_check(int fd, pid_t pid, size_t limit, const char *path, struct error *err);

/**
 * process_file_open() - open @path and check it by process_file_check(); it must not be a link
 *
 * Return: file descriptor, or a negative errno with a message.
 */
int process_file_open(const char *path, pid_t pid, size_t limit, struct error *err);

/* Does another user own it, who could shorten it while it is mapped? */
bool is_of_others(const struct stat *st);

#endif /* PCSAMPLE_BASE_SAFE_FILE_H */
