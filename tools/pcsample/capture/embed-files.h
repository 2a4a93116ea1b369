/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies files into a recording that a report could not find later: mapped files that are not at
 * their path here, as they are in a container or were deleted. When their processes are gone, so
 * are the files. Those with samples are copied (symbols/embedded-files.h reads them).
 *
 * A file is identified by its build-id. If it is not at its path, it is opened when it is first
 * seen: through its process or, if that has exited, through another process in the same mount
 * namespace. A file at its path is opened when its first sample is read, since it may be deleted
 * later. Files stay open until the end of the capture. Those that are not at their path then are
 * copied.
 */
#ifndef PCSAMPLE_CAPTURE_EMBED_FILES_H
#define PCSAMPLE_CAPTURE_EMBED_FILES_H

#include <linux/perf_event.h>

#include "base/file-ids.h"
#include "perfdata/writer.h"

struct capture_files;

/* @build_ids: must outlive it. Return: NULL if out of memory */
struct capture_files *capture_files_create(struct build_id_cache *build_ids);
void capture_files_destroy(struct capture_files *files);

/** capture_files_note() - follow the records of a capture, samples among them; 0 or -ENOMEM */
int capture_files_note(struct capture_files *files, const struct perf_event_header *record);

/**
 * capture_files_write() - write the section PERFDATA_PCS_FILES, if there is anything to keep
 * @left_out: receives the number of files with samples that are too large or too many
 */
int capture_files_write(const struct capture_files *files, struct perfdata_writer *w,
			unsigned int *left_out, struct error *err);

#endif /* PCSAMPLE_CAPTURE_EMBED_FILES_H */
