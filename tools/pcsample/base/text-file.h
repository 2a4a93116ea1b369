/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading the small text files of sysfs and procfs.
 *
 * Every path is below a root, which is "" on a running system; tests set it to a directory of
 * fixtures.
 */
#ifndef PCSAMPLE_BASE_TEXT_FILE_H
#define PCSAMPLE_BASE_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <arch-model/types.h>

/**
 * sysfs_read() - read a file as text
 * @text: receives the content, NUL-terminated, without white space at the end
 * @size: bytes of @text; a longer file is cut off
 * @format: printf-like path
 *
 * Return: length of the text, or a negative errno
 */
int sysfs_read(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * sysfs_read_number() - read a file that holds a number, decimal or with 0x
 * @value: the number
 * @format: printf-like path
 *
 * Return: 0, -EINVAL if there is no number, or the negative errno of open(2) or read(2)
 */
int sysfs_read_number(u64 *value, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** sysfs_exists() - is there such a path? */
bool sysfs_exists(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * sysfs_slurp() - read a file of any length, as procfs has them
 * @data: receives the content, NUL-terminated; the caller frees it
 * @size: bytes without the NUL
 * @limit: the most that is read; a longer file is -EFBIG
 * @path: path
 *
 * Return: 0 or a negative errno
 */
int sysfs_slurp(char **data, size_t *size, size_t limit, const char *path);

#endif /* PCSAMPLE_BASE_TEXT_FILE_H */
