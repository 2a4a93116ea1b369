/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writer of perf.data, into a file or a pipe. Functions are called in this order:
 *
 *	perfdata_writer_create()	opens; renames an older file, not a link to it, to PATH.old
 *	perfdata_write_events()		header, attributes, ids
 *	perfdata_write_record()		any number of times
 *	perfdata_write_feature()	any number of times, in any order
 *	perfdata_writer_finish()	features and the sizes in the header
 *	perfdata_writer_destroy()
 *
 * Every flush updates the size of the data in the header, so that pcsample and perf can read what a
 * killed recorder leaves. Readers recognize such a file by its lack of features.
 *
 * If the disk is full, the data is cut to complete records, and then further until the features
 * fit. Features that a report on the same machine does not need (files, kernel symbols, vDSO) are
 * dropped first.
 */
#ifndef PCSAMPLE_PERFDATA_WRITER_H
#define PCSAMPLE_PERFDATA_WRITER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "perfdata/format.h"

/**
 * struct perfdata_event - an event as the file describes it
 * @attr: as opened
 * @name: as `perf evlist` shows it
 * @ids: of each opened instance, as PERF_EVENT_IOC_ID gives them
 * @nr_ids: how many
 */
struct perfdata_event {
	struct perf_event_attr attr;
	const char *name;
	const u64 *ids;
	size_t nr_ids;
};

/*
 * A buffer to append to: the payload of a feature or of a record.
 *
 * If an allocation fails, @failed is set, and this and all later appends do nothing. So check it
 * once after a series of appends.
 */
struct perfdata_blob {
	u8 *data;
	size_t size;
	size_t room;
	bool failed;
};

void perfdata_blob_bytes(struct perfdata_blob *blob, const void *data, size_t size);
void perfdata_blob_u32(struct perfdata_blob *blob, u32 value);
void perfdata_blob_u64(struct perfdata_blob *blob, u64 value);
/* As struct perf_header_string: u32 length, and the text with its NUL, padded to 64 bytes */
void perfdata_blob_string(struct perfdata_blob *blob, const char *text);
void perfdata_blob_release(struct perfdata_blob *blob);

struct perfdata_writer;

/**
 * perfdata_writer_create() - open the output
 * @ret: the writer
 * @path: file name; "-" is standard output. Standard output, a file that is open elsewhere
 *	(/dev/fd/3), and anything but a regular file get the form of a pipe
 * @err: message on failure
 *
 * Return: 0, or a negative errno, such as that of open(2) or rename(2); -ENOTTY for a terminal
 */
int perfdata_writer_create(struct perfdata_writer **ret, const char *path, struct error *err);

/** perfdata_writer_data_size() - bytes of records accepted so far */
u64 perfdata_writer_data_size(const struct perfdata_writer *w);

/** perfdata_writer_size() - size of the file so far; for a pipe, bytes of records */
u64 perfdata_writer_size(const struct perfdata_writer *w);

/**
 * perfdata_write_events() - write the header and the events; call it before any other write
 * @w: writer
 * @events: the sampled event first
 * @nr: how many
 * @err: message on failure
 */
int perfdata_write_events(struct perfdata_writer *w, const struct perfdata_event *events,
			  unsigned int nr, struct error *err);

/**
 * perfdata_write_record() - append a record
 * @w: writer
 * @record: header.size bytes, a multiple of 8
 * @err: message on failure
 *
 * Return: 0, or a negative errno. After -ENOSPC, -EDQUOT and -EFBIG, the file lacks only some of
 * the last records, and perfdata_writer_finish() still makes it a valid file.
 */
int perfdata_write_record(struct perfdata_writer *w, const struct perf_event_header *record,
			  struct error *err);

/** perfdata_write_flush() - write(2) all buffered records */
int perfdata_write_flush(struct perfdata_writer *w, struct error *err);

/**
 * perfdata_write_feature() - add a feature section
 * @w: writer
 * @feature: enum perfdata_feature
 * @blob: payload; empty afterwards, as the writer takes its memory or frees it
 * @err: message on failure
 *
 * In a pipe the feature is written at once as a record: PERFDATA_RECORD_HEADER_FEATURE, or
 * PERFDATA_RECORD_EVENT_UPDATE for pcsample's own, which may need several. Build ids are records of
 * their own type.
 */
int perfdata_write_feature(struct perfdata_writer *w, unsigned int feature,
			   struct perfdata_blob *blob, struct error *err);

/**
 * perfdata_write_early() - write perf's features that were added so far as records as well
 *
 * In a file, features are sections at the end, which a killed recorder never writes. In a pipe
 * features are records anyway.
 */
int perfdata_write_early(struct perfdata_writer *w, struct error *err);

/**
 * perfdata_write_private() - write one of pcsample's own features as records, in either form
 * @w: writer; its events are written
 * @feature: PERFDATA_PCS_*
 * @data: payload
 * @size: bytes of it
 * @err: message on failure
 *
 * Use it for features that must survive a killed recorder.
 */
int perfdata_write_private(struct perfdata_writer *w, unsigned int feature, const void *data,
			   size_t size, struct error *err);

/**
 * perfdata_writer_finish() - make the file complete
 * @w: writer
 * @err: message on failure
 *
 * Return: 0; -ENODATA if features were left out as there was no space for them (@err says so), else
 * a negative errno
 */
int perfdata_writer_finish(struct perfdata_writer *w, struct error *err);

/** perfdata_writer_destroy() - close and free; NULL is allowed */
void perfdata_writer_destroy(struct perfdata_writer *w);

#endif /* PCSAMPLE_PERFDATA_WRITER_H */
