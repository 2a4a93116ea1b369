/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that were mapped during a capture, with their build-ids: what perf lists as BUILD_ID.
 */
#ifndef PCSAMPLE_CAPTURE_MAPPED_DSOS_H
#define PCSAMPLE_CAPTURE_MAPPED_DSOS_H

#include <linux/perf_event.h>

#include "perfdata/writer.h"

struct dso_set;

/** dso_set_create() - make an empty set; NULL if out of memory */
struct dso_set *dso_set_create(void);

/** dso_set_note() - remember the file of a PERF_RECORD_MMAP2 that has a build-id */
int dso_set_note(struct dso_set *set, const struct perf_event_header *record);

/** dso_set_write() - write the feature section BUILD_ID */
int dso_set_write(const struct dso_set *set, struct perfdata_writer *w, struct error *err);

void dso_set_destroy(struct dso_set *set);

#endif /* PCSAMPLE_CAPTURE_MAPPED_DSOS_H */
