/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that a recording has brought along, PERFDATA_PCS_FILES: nobody may have them any more.
 */
#ifndef PCSAMPLE_LIB_KEPT_FILES_H
#define PCSAMPLE_LIB_KEPT_FILES_H

#include <stddef.h>

#include <arch-model/types.h>

/* Larger ones are not kept: a recording is made to be passed on */
#define KEPT_FILE_MAX	(64U << 20)

struct build_id;

/* The section, as it is in the recording; not trusted */
struct kept_files {
	const u8 *p;
	size_t size;
};

/**
 * kept_file_open() - the file with a build id
 *
 * Return: file descriptor of a copy in memory; -ENOENT if there is none; or another negative errno.
 */
int kept_file_open(const struct kept_files *kept, const struct build_id *id);

#endif /* PCSAMPLE_LIB_KEPT_FILES_H */
