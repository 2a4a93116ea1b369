/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Atomic output file: it gets its name when it is complete.
 */
#ifndef PCSAMPLE_BASE_ATOMIC_FILE_H
#define PCSAMPLE_BASE_ATOMIC_FILE_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

/**
 * struct output_file - an output being written
 * @fd: to write to
 * @path: as it was given; "-" is standard output
 * @real: name that it gets when it is complete: @path, or what this link leads to
 * @temporary: name until then; empty if the file is written in place, because it is not regular or
 *	somebody has it open, and while it is @unnamed
 * @unnamed: it has no name yet, so that nothing of it remains if the program is killed
 */
struct output_file {
	int fd;
	bool unnamed;
	const char *path;
	char real[PATH_MAX], temporary[PATH_MAX];
};

/**
 * output_file_open() - begin
 * @binary: refuse to write to a terminal
 *
 * Return: 0 or a negative errno: -ENOTTY for a terminal
 */
int output_file_open(struct output_file *f, const char *path, bool binary, struct error *err);

/**
 * output_file_close() - end
 * @failed: 0 to keep the file; else it is removed: the negative errno of a failure, whose message
 *	is in @err
 *
 * Return: @failed, or else 0 or a negative errno
 */
int output_file_close(struct output_file *f, int failed, struct error *err);

#endif /* PCSAMPLE_BASE_ATOMIC_FILE_H */
