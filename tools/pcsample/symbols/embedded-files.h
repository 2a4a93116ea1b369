/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that a recording contains (PERFDATA_PCS_FILES), as they may exist nowhere else any more.
 */
#ifndef PCSAMPLE_SYMBOLS_EMBEDDED_FILES_H
#define PCSAMPLE_SYMBOLS_EMBEDDED_FILES_H

#include "base/build-id.h"

/* The section, as it is in the recording; not trusted */
struct kept_files {
	const u8 *p;
	size_t size;
};

/**
 * kept_file_open() - open the file with a build id
 *
 * Return: file descriptor of a copy in memory; -ENOENT if there is none; or another negative errno.
 */
int kept_file_open(const struct kept_files *kept, const struct build_id *id);

#endif /* PCSAMPLE_SYMBOLS_EMBEDDED_FILES_H */
