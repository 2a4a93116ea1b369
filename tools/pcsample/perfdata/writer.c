// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output-name.h"
#include "base/temporary.h"
#include "perfdata/writer.h"

#define BUFFER_SIZE	(1U << 20)

/* Record sizes are u16 and a multiple of 8 */
#define RECORD_MAX	0xfff8U

/*
 * On a full disk the file is cut to complete records. To find the end of one near the end of the
 * file, remember this many ends of records, at least this many bytes apart.
 */
#define NR_BOUNDARIES		32
#define BOUNDARY_DISTANCE	(1U << 20)

struct feature {
	u8 *data;
	size_t size;
	bool present;
};

/*
 * In a file, [header.data.offset, written) is on disk and ends at a record boundary. The records in
 * buffer[0, used) follow it.
 *
 * @failed is the negative errno of the first write that failed. After that no data is added, and
 * records in the buffer are lost.
 */
struct perfdata_writer {
	char *path;
	int fd;
	bool pipe;
	int failed;
	u8 *buffer;
	size_t used;
	u64 written;
	u64 boundaries[NR_BOUNDARIES];
	unsigned int nr_boundaries;
	u64 first_id;
	u64 data_size;
	struct perfdata_header header;
	struct feature features[PERFDATA_FEATURE_BITS];
};

/* Blobs */

void perfdata_blob_bytes(struct perfdata_blob *blob, const void *data, size_t size)
{
	size_t room;
	u8 *bigger;

	if (blob->failed || !size)
		return;
	if (size > blob->room - blob->size) {
		room = blob->size + size + blob->room / 2 + 64;
		bigger = realloc(blob->data, room);
		if (!bigger) {
			blob->failed = true;
			return;
		}
		blob->data = bigger;
		blob->room = room;
	}
	memcpy(blob->data + blob->size, data, size);
	blob->size += size;
}

void perfdata_blob_u32(struct perfdata_blob *blob, u32 value)
{
	perfdata_blob_bytes(blob, &value, sizeof(value));
}

void perfdata_blob_u64(struct perfdata_blob *blob, u64 value)
{
	perfdata_blob_bytes(blob, &value, sizeof(value));
}

static void blob_pad(struct perfdata_blob *blob, size_t align)
{
	static const u8 zeros[64];

	perfdata_blob_bytes(blob, zeros, -blob->size & (align - 1));
}

void perfdata_blob_string(struct perfdata_blob *blob, const char *text)
{
	static const u8 zeros[64];
	size_t len = strlen(text) + 1, padded = (len + 63) & ~(size_t)63;

	perfdata_blob_u32(blob, padded);
	perfdata_blob_bytes(blob, text, len);
	perfdata_blob_bytes(blob, zeros, padded - len);
}

void perfdata_blob_release(struct perfdata_blob *blob)
{
	free(blob->data);
	memset(blob, 0, sizeof(*blob));
}

/* Opening */

/*
 * As in perf, rename the previous recording to PATH.old; diff without arguments compares the two.
 * Unlike perf, do not rename a link: the next recording would be written elsewhere.
 */
static int keep_old(const char *path, struct error *err)
{
	struct stat st;
	char *old;
	int ret = 0;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	if (asprintf(&old, "%s.old", path) < 0)
		return error_set(err, -ENOMEM, "%s: out of memory", path);
	if (rename(path, old))
		ret = error_set(err, -errno, "%s: cannot rename to %s: %s", path, old,
				strerror(errno));
	free(old);
	return ret;
}

static int cannot_open(const struct perfdata_writer *w, int code, struct error *err)
{
	return error_set(err, code, "%s: cannot open for writing: %s", w->path, strerror(-code));
}

/* Only a file with a name can be replaced: append a stream to one that is open elsewhere */
static int open_file(struct perfdata_writer *w, struct error *err)
{
	char real[PATH_MAX];
	int ret = output_name(w->path, real);

	if (ret)
		return cannot_open(w, ret, err);
	w->pipe = !real[0];
	if (w->pipe) {
		w->fd = open(w->path, O_WRONLY | O_APPEND | O_CLOEXEC);
		return w->fd < 0 ? cannot_open(w, -errno, err) : 0;
	}
	ret = keep_old(real, err);
	if (ret)
		return ret;
	w->fd = open(w->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (w->fd >= 0)
		return 0;
	ret = -errno;
	if (ret == -EACCES)	/* a pipe or device that cannot be read */
		w->fd = open(w->path, O_WRONLY | O_CLOEXEC);
	return w->fd < 0 ? cannot_open(w, ret, err) : 0;
}

static int open_output(struct perfdata_writer *w, struct error *err)
{
	struct stat st;
	int ret = 0;

	w->pipe = output_is_stdout(w->path);
	if (!w->pipe)
		ret = open_file(w, err);
	else
		w->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (ret)
		return ret;
	if (w->fd < 0 || fstat(w->fd, &st))
		return cannot_open(w, -errno, err);
	if (isatty(w->fd))
		return error_set(err, -ENOTTY,
				 "%s: is a terminal; redirect it or name a file with -o", w->path);
	w->pipe |= !S_ISREG(st.st_mode);
	return 0;
}

int perfdata_writer_create(struct perfdata_writer **ret, const char *path, struct error *err)
{
	struct perfdata_writer *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return error_set(err, -ENOMEM, "%s: out of memory", path);
	w->fd = -1;
	w->path = strdup(path);
	w->buffer = malloc(BUFFER_SIZE);
	if (!w->path || !w->buffer)
		rc = error_set(err, -ENOMEM, "%s: out of memory", path);
	else
		rc = open_output(w, err);
	if (rc) {
		perfdata_writer_destroy(w);
		return rc;
	}
	*ret = w;
	return 0;
}

void perfdata_writer_destroy(struct perfdata_writer *w)
{
	unsigned int i;

	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	for (i = 0; i < PERFDATA_FEATURE_BITS; i++)
		free(w->features[i].data);
	free(w->buffer);
	free(w->path);
	free(w);
}

u64 perfdata_writer_data_size(const struct perfdata_writer *w)
{
	return w->data_size;
}

u64 perfdata_writer_size(const struct perfdata_writer *w)
{
	struct stat st;

	return w->pipe || fstat(w->fd, &st) ? w->data_size : (u64)st.st_size;
}

/* Writing */

static bool no_space(int code)
{
	return code == -ENOSPC || code == -EDQUOT || code == -EFBIG;
}

static int write_error(struct perfdata_writer *w, int code, struct error *err)
{
	w->failed = code;
	if (w->pipe)
		return error_set(err, code, "%s: %s", strcmp(w->path, "-") ? w->path :
				 "standard output", strerror(-code));
	return error_set(err, code, "%s: cannot write more than %llu bytes: %s", w->path,
			 (unsigned long long)w->written, strerror(-code));
}

/* Shorten the file to @size bytes and let the next write append there */
static int cut_file(struct perfdata_writer *w, u64 size)
{
	if (ftruncate(w->fd, size) || lseek(w->fd, size, SEEK_SET) < 0)
		return -errno;
	w->written = size;
	return 0;
}

/* How many of the first @size bytes of the buffer are complete records? */
static size_t whole_records(const struct perfdata_writer *w, size_t size)
{
	const struct perf_event_header *record;
	size_t at = 0;

	while (size - at >= sizeof(*record)) {
		record = (const void *)(w->buffer + at);
		if (record->size > size - at)
			break;
		at += record->size;
	}
	return at;
}

static void note_boundary(struct perfdata_writer *w)
{
	u64 last = 0;

	if (w->nr_boundaries)
		last = w->boundaries[(w->nr_boundaries - 1) % NR_BOUNDARIES];
	if (w->written - last >= BOUNDARY_DISTANCE || !last)
		w->boundaries[w->nr_boundaries++ % NR_BOUNDARIES] = w->written;
}

/*
 * perf refuses a file with a data size of 0 in its header. So keep the size up to date, in case the
 * recorder is killed. If this write fails, the size on disk remains the smaller one.
 */
static void update_data_size(struct perfdata_writer *w)
{
	const off_t at = offsetof(struct perfdata_header, data.size);
	u64 size = w->written - w->header.data.offset;

	if (!w->pipe && pwrite(w->fd, &size, sizeof(size), at) == sizeof(size))
		w->header.data.size = size;
}

int perfdata_write_flush(struct perfdata_writer *w, struct error *err)
{
	size_t done;
	int code;

	if (w->failed)
		return write_error(w, w->failed, err);
	if (!w->used)
		return 0;
	note_boundary(w);
	done = write_all(w->fd, w->buffer, w->used);
	if (done == w->used) {
		w->written += done;
		w->used = 0;
		update_data_size(w);
		return 0;
	}
	code = -errno;
	if (!w->pipe) {
		done = whole_records(w, done);
		cut_file(w, w->written + done);
	}
	w->used = 0;
	return write_error(w, code, err);
}

/* Write bytes that are no records: the header and the events */
static int write_raw(struct perfdata_writer *w, const void *data, size_t size, struct error *err)
{
	size_t done = write_all(w->fd, data, size);

	if (done < size)
		return write_error(w, -errno, err);
	w->written += done;
	return 0;
}

int perfdata_write_record(struct perfdata_writer *w, const struct perf_event_header *record,
			  struct error *err)
{
	int ret;

	if (w->failed)
		return write_error(w, w->failed, err);
	if (record->size > BUFFER_SIZE - w->used) {
		ret = perfdata_write_flush(w, err);
		if (ret)
			return ret;
	}
	memcpy(w->buffer + w->used, record, record->size);
	w->used += record->size;
	w->data_size += record->size;
	return 0;
}

/* Write @blob as a record of @type; its first 8 bytes are reserved for the header */
static int write_blob_record(struct perfdata_writer *w, unsigned int type,
			     struct perfdata_blob *blob, struct error *err)
{
	struct perf_event_header header = { .type = type };

	blob_pad(blob, 8);
	if (blob->failed)
		return error_set(err, -ENOMEM, "%s: out of memory", w->path);
	if (blob->size > RECORD_MAX)
		return error_set(err, -EMSGSIZE, "%s: record of type %u is too long: %zu bytes",
				 w->path, type, blob->size);
	header.size = blob->size;
	memcpy(blob->data, &header, sizeof(header));
	return perfdata_write_record(w, (void *)blob->data, err);
}

/* Events */

/* Append a struct perfdata_attr for each event. The ids of all events follow the header. */
static void attrs_for_file(struct perfdata_blob *blob, const struct perfdata_event *events,
			   unsigned int nr)
{
	struct perfdata_attr attr;
	u64 at = sizeof(struct perfdata_header);
	unsigned int i;

	for (i = 0; i < nr; i++) {
		attr.attr = events[i].attr;
		attr.ids.offset = at;
		attr.ids.size = events[i].nr_ids * sizeof(u64);
		at += attr.ids.size;
		perfdata_blob_bytes(blob, &attr, sizeof(attr));
	}
}

static int write_file_events(struct perfdata_writer *w, const struct perfdata_event *events,
			     unsigned int nr, struct error *err)
{
	struct perfdata_blob blob = { 0 };
	unsigned int i;
	int ret;

	w->header.magic = PERFDATA_MAGIC;
	w->header.size = sizeof(w->header);
	w->header.attr_size = sizeof(struct perfdata_attr);
	perfdata_blob_bytes(&blob, &w->header, sizeof(w->header));
	for (i = 0; i < nr; i++)
		perfdata_blob_bytes(&blob, events[i].ids, events[i].nr_ids * sizeof(u64));
	w->header.attrs.offset = blob.size;
	attrs_for_file(&blob, events, nr);
	w->header.attrs.size = blob.size - w->header.attrs.offset;
	w->header.data.offset = blob.size;
	if (blob.failed) {
		ret = error_set(err, -ENOMEM, "%s: out of memory", w->path);
	} else {
		memcpy(blob.data, &w->header, sizeof(w->header));
		ret = write_raw(w, blob.data, blob.size, err);
	}
	perfdata_blob_release(&blob);
	return ret;
}

static int write_pipe_event(struct perfdata_writer *w, const struct perfdata_event *event,
			    struct error *err)
{
	struct perfdata_blob blob = { 0 };
	int ret;

	perfdata_blob_u64(&blob, 0);
	perfdata_blob_bytes(&blob, &event->attr, sizeof(event->attr));
	perfdata_blob_bytes(&blob, event->ids, event->nr_ids * sizeof(u64));
	ret = write_blob_record(w, PERFDATA_RECORD_HEADER_ATTR, &blob, err);
	perfdata_blob_release(&blob);
	return ret;
}

static int write_pipe_events(struct perfdata_writer *w, const struct perfdata_event *events,
			     unsigned int nr, struct error *err)
{
	const struct perfdata_pipe_header header = {
		.magic = PERFDATA_MAGIC,
		.size = sizeof(header),
	};
	unsigned int i;
	int ret;

	ret = write_raw(w, &header, sizeof(header), err);
	for (i = 0; !ret && i < nr; i++)
		ret = write_pipe_event(w, &events[i], err);
	return ret;
}

static int describe_events(struct perfdata_writer *w, const struct perfdata_event *events,
			   unsigned int nr, struct error *err)
{
	struct perfdata_blob blob = { 0 };
	unsigned int i;

	perfdata_blob_u32(&blob, nr);
	perfdata_blob_u32(&blob, sizeof(struct perf_event_attr));
	for (i = 0; i < nr; i++) {
		perfdata_blob_bytes(&blob, &events[i].attr, sizeof(events[i].attr));
		perfdata_blob_u32(&blob, events[i].nr_ids);
		perfdata_blob_string(&blob, events[i].name);
		perfdata_blob_bytes(&blob, events[i].ids, events[i].nr_ids * sizeof(u64));
	}
	return perfdata_write_feature(w, PERFDATA_EVENT_DESC, &blob, err);
}

int perfdata_write_events(struct perfdata_writer *w, const struct perfdata_event *events,
			  unsigned int nr, struct error *err)
{
	int ret;

	if (!nr || !events[0].nr_ids)
		return error_set(err, -EINVAL, "%s: no event to write", w->path);
	w->first_id = events[0].ids[0];
	if (w->pipe)
		ret = write_pipe_events(w, events, nr, err);
	else
		ret = write_file_events(w, events, nr, err);
	return ret ? ret : describe_events(w, events, nr, err);
}

/* Features */

static bool is_private(unsigned int feature)
{
	return feature >= PERFDATA_PCS_METADATA;
}

int perfdata_write_private(struct perfdata_writer *w, unsigned int feature, const void *data,
			   size_t size, struct error *err)
{
	const size_t most = RECORD_MAX - sizeof(struct perfdata_private);
	struct perfdata_private header = { .feature = feature, .id = w->first_id };
	struct perfdata_blob blob = { 0 };
	size_t at = 0;
	int ret = 0;

	while (!ret && at < size) {
		header.size = size - at < most ? size - at : most;
		blob.size = 0;
		perfdata_blob_bytes(&blob, &header, sizeof(header));
		perfdata_blob_bytes(&blob, (const u8 *)data + at, header.size);
		ret = write_blob_record(w, PERFDATA_RECORD_EVENT_UPDATE, &blob, err);
		at += header.size;
	}
	perfdata_blob_release(&blob);
	return ret;
}

/* The entries of PERFDATA_BUILD_ID are records without a type */
static int write_build_id_records(struct perfdata_writer *w, struct perfdata_blob *payload,
				  struct error *err)
{
	struct perf_event_header *record;
	size_t at;
	int ret = 0;

	for (at = 0; !ret && at < payload->size; at += record->size) {
		record = (void *)(payload->data + at);
		record->type = PERFDATA_RECORD_HEADER_BUILD_ID;
		ret = perfdata_write_record(w, record, err);
	}
	return ret;
}

static int write_feature_record(struct perfdata_writer *w, unsigned int feature,
				struct perfdata_blob *payload, struct error *err)
{
	struct perfdata_blob blob = { 0 };
	int ret;

	if (is_private(feature))
		return perfdata_write_private(w, feature, payload->data, payload->size, err);
	if (feature == PERFDATA_BUILD_ID)
		return write_build_id_records(w, payload, err);
	if (payload->size > RECORD_MAX - 16)	/* leave out what is too long: no reader needs it */
		return 0;
	perfdata_blob_u64(&blob, 0);
	perfdata_blob_u64(&blob, feature);
	perfdata_blob_bytes(&blob, payload->data, payload->size);
	ret = write_blob_record(w, PERFDATA_RECORD_HEADER_FEATURE, &blob, err);
	perfdata_blob_release(&blob);
	return ret;
}

int perfdata_write_feature(struct perfdata_writer *w, unsigned int feature,
			   struct perfdata_blob *blob, struct error *err)
{
	struct feature *f = &w->features[feature];
	int ret = 0;

	if (blob->failed) {
		ret = error_set(err, -ENOMEM, "%s: out of memory for feature %u", w->path, feature);
	} else if (w->pipe) {
		ret = write_feature_record(w, feature, blob, err);
	} else {
		free(f->data);
		f->data = blob->data;
		f->size = blob->size;
		f->present = true;
		memset(blob, 0, sizeof(*blob));
	}
	perfdata_blob_release(blob);
	return ret;
}

int perfdata_write_early(struct perfdata_writer *w, struct error *err)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && !w->pipe && i < PERFDATA_PCS_METADATA; i++)
		if (w->features[i].present)
			ret = perfdata_write_private(w, PERFDATA_EARLY + i, w->features[i].data,
						     w->features[i].size, err);
	return ret;
}

/* Append the table of sections and the sections to @blob */
static void lay_out_features(const struct perfdata_writer *w, struct perfdata_blob *blob)
{
	struct perfdata_section section = { .offset = w->written };
	unsigned int i;

	for (i = 0; i < PERFDATA_FEATURE_BITS; i++)
		section.offset += w->features[i].present ? sizeof(section) : 0;
	for (i = 0; i < PERFDATA_FEATURE_BITS; i++) {
		if (!w->features[i].present)
			continue;
		section.size = w->features[i].size;
		perfdata_blob_bytes(blob, &section, sizeof(section));
		section.offset += section.size;
	}
	for (i = 0; i < PERFDATA_FEATURE_BITS; i++)
		if (w->features[i].present)
			perfdata_blob_bytes(blob, w->features[i].data, w->features[i].size);
}

/* Write the features behind the data; on failure, cut the file to the end of the data again */
static int write_features(struct perfdata_writer *w, size_t *size)
{
	struct perfdata_blob blob = { 0 };
	u64 end = w->written;
	int ret = 0;

	lay_out_features(w, &blob);
	if (blob.failed)
		ret = -ENOMEM;
	else if (write_all(w->fd, blob.data, blob.size) < blob.size)
		ret = -errno;
	*size = blob.size;
	perfdata_blob_release(&blob);
	if (ret)
		cut_file(w, end);
	return ret;
}

static bool drop_feature(struct perfdata_writer *w, unsigned int feature)
{
	bool dropped = w->features[feature].present;

	w->features[feature].present = false;
	return dropped;
}

/* Find the last end of a record at or before @limit */
static u64 last_record_end(const struct perfdata_writer *w, u64 limit)
{
	struct perf_event_header record;
	u64 at = w->header.data.offset;
	unsigned int i;

	for (i = 0; i < NR_BOUNDARIES; i++)
		if (w->boundaries[i] > at && w->boundaries[i] <= limit)
			at = w->boundaries[i];
	while (pread(w->fd, &record, sizeof(record), at) == sizeof(record) &&
	       record.size >= sizeof(record) && at + record.size <= limit)
		at += record.size;
	return at;
}

/* Cut off the last records, at least @size bytes of them. Return: false if there are none */
static bool drop_data(struct perfdata_writer *w, size_t size)
{
	u64 begin = w->header.data.offset;

	if (w->written <= begin)
		return false;
	size = size < w->written - begin ? size : w->written - begin;
	return !cut_file(w, last_record_end(w, w->written - size));
}

/*
 * On a full disk, first drop the features that a report on this machine does not need, then the
 * last data: without the other features no data could be understood.
 */
static int fit_features(struct perfdata_writer *w, struct error *err)
{
	bool files = false, kernel = false;
	size_t size;
	int ret;

	for (;;) {
		ret = write_features(w, &size);
		if (!no_space(ret))
			break;
		if (drop_feature(w, PERFDATA_PCS_FILES))
			files = true;
		else if (drop_feature(w, PERFDATA_PCS_KALLSYMS) ||
			 drop_feature(w, PERFDATA_PCS_VDSO))
			kernel = true;
		else if (!drop_data(w, size))
			break;
	}
	if (ret)
		return error_set(err, ret, "%s: cannot finish the file: %s", w->path,
				 strerror(-ret));
	if (files || kernel)
		return error_set(err, -ENODATA, "%s: no space to keep %s", w->path, kernel ?
				 "the kernel's symbols: report on this machine before it reboots" :
				 "deleted files and files of containers: their symbols are missing");
	return 0;
}

static int finish_file(struct perfdata_writer *w, struct error *err)
{
	unsigned int i;
	int dropped, ret;

	dropped = fit_features(w, err);
	if (dropped && dropped != -ENODATA)
		return dropped;
	w->header.data.size = w->written - w->header.data.offset;
	for (i = 0; i < PERFDATA_FEATURE_BITS; i++)
		if (w->features[i].present)
			w->header.features[i / 64] |= 1ULL << (i % 64);
	ret = pwrite(w->fd, &w->header, sizeof(w->header), 0);
	if (ret != sizeof(w->header))
		return error_set(err, -EIO, "%s: cannot write the header: %s", w->path,
				 ret < 0 ? strerror(errno) : "short write");
	return dropped;
}

int perfdata_writer_finish(struct perfdata_writer *w, struct error *err)
{
	int ret = perfdata_write_flush(w, err);

	if (ret && !no_space(ret))
		return ret;
	return w->pipe ? ret : finish_file(w, err);
}
