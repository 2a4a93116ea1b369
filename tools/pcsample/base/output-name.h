/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the name of an output stands for: a link leads to the file to write, and is never replaced.
 */
#ifndef PCSAMPLE_BASE_OUTPUT_NAME_H
#define PCSAMPLE_BASE_OUTPUT_NAME_H

#include <limits.h>
#include <stdbool.h>

/* Is it "-", or a link to the file that standard output is, such as /dev/stdout? */
bool output_is_stdout(const char *path);

/**
 * output_name() - find the name of the file that is to be written
 * @path: of an output that is not standard output
 * @real: receives the name to create, rename or replace: @path, or what this link leads to. Empty
 *	for a link to a file that a process has open, such as /dev/fd/3: append to that file, as
 *	the process may write to it, too
 *
 * The kernel decides whether a link may be followed: not one that another user has made in /tmp.
 *
 * Return: 0, or a negative errno, such as -EACCES for such a link
 */
int output_name(const char *path, char real[PATH_MAX]);

#endif /* PCSAMPLE_BASE_OUTPUT_NAME_H */
