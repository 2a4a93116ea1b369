/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading perf.data: files, pipes, directories, compressed records.
 *
 * The input is untrusted: every read is checked against the size of the file. Damage is
 * described in one line (struct perfdata.damage), and everything before it stays readable.
 */
#ifndef PCSAMPLE_PERFDATA_READER_H
#define PCSAMPLE_PERFDATA_READER_H

#include <stdbool.h>

#include "base/build-id.h"
#include "base/error.h"
#include "base/idmap.h"
#include "perfdata/format.h"
#include "perfdata/sample.h"
#include "perfdata/span.h"

/**
 * struct recorded_event - an event of the recording
 * @attr: fields that the file's version of the structure lacks are 0
 * @name: as given to the recorder, or made from type and config
 * @ids: sample ids of the event, one for each CPU or thread it was opened on
 * @layout: where the fields of its samples are
 */
struct recorded_event {
	struct perf_event_attr attr;
	char *name;
	u64 *ids;
	size_t nr_ids;
	struct sample_layout layout;
};

/**
 * struct perfdata - an open perf.data
 * @path: for messages
 * @part: of @path, for messages: "/data.0" of a directory, or ""
 * @directory: of `perf record --threads`, with the records of each thread in a file of its own
 * @data: the records; whole records follow each other from 0 to @data_size, except where
 *	perfdata_next() finds damage
 * @data_offset: of @data in the file, for messages
 * @unpacked: @data is a copy, because records were compressed, in several files, or of groups:
 *	offsets in it are not offsets in the file
 * @delivered: samples of groups are there for each of their events: groups.h
 * @events: what was recorded
 * @only: index of the event all samples are of; -1 if several can have some. perf adds an event
 *	that counts nothing ("dummy") for the side-band.
 * @mixed_tails: records that are not samples end in more fields for some events than for others
 * @least_tail: the event with the fewest of them
 * @feature: sections of the header; size 0 and p NULL if absent
 * @damage: one line about the first damage found; empty text if none
 */
struct perfdata {
	char *path;
	const char *part;
	bool directory;
	const u8 *data;
	u64 data_size;
	u64 data_offset;
	bool unpacked, delivered;
	bool pipe;
	struct recorded_event *events;
	size_t nr_events, events_cap;
	int only;
	bool mixed_tails;
	const struct sample_layout *least_tail;
	struct idmap event_ids;
	struct perfdata_span feature[PERFDATA_FEATURE_BITS];
	struct error damage;

	/* private */
	const u8 *map;
	u64 map_size;
	struct perfdata_span spool;	/* mapped; the unpacked records */
	struct perfdata_joined {
		u8 *p;
		size_t size, cap;
	} joined[PERFDATA_FEATURE_BITS], joined_ids;
	struct swapper *swapper;	/* of a recording of the other byte order */
};

/**
 * perfdata_open() - open a recording
 * @ret: takes it
 * @path: file or directory; "-" for standard input. Input that cannot be mapped, and records that
 *	are compressed or in a directory, go through an unlinked temporary file in $TMPDIR.
 *
 * A damaged file can be opened: check @damage after opening it and after reading its records.
 *
 * Return: 0, or a negative errno: -EINVAL if it is no perf.data at all.
 */
int perfdata_open(struct perfdata **ret, const char *path, struct error *err);
void perfdata_close(struct perfdata *pd);

/**
 * perfdata_file() - the files that a recording is
 * @i: from 0, the one with the header
 * @path: takes PATH_MAX bytes
 *
 * Return: false if the recording has no file @i.
 */
bool perfdata_file(const struct perfdata *pd, unsigned int i, char *path);

/**
 * perfdata_populate() - get all pages of the records, which are about to be read
 *
 * One call in place of a page fault for each 64 KiB; Linux before 5.14 does not have it, which does
 * no harm. It is faster than a reader of records, so it may run beside one.
 */
void perfdata_populate(const struct perfdata *pd);

/**
 * perfdata_damaged() - note damage at a record; it and what follows is not read again
 * @pos: offset in @pd->data
 * @format: what was found there and what was expected
 */
void perfdata_damaged(struct perfdata *pd, u64 pos, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* An unlinked file in $TMPDIR for records. Return: its descriptor, or a negative errno */
int perfdata_spool(struct error *err);

/* Read the records of a temporary file in place of @pd->data. Return: 0 or a negative errno */
int perfdata_replace(struct perfdata *pd, int fd);

/* Are an event's samples PC samples? */
bool perfdata_event_is_pcsample(const struct recorded_event *e);

/* In its perf_event_attr.config */
#define PCSAMPLE_SNAPSHOT	(1ULL << 10)

/* Are they PMU snapshots, with counts of what the CPU did since the one before? */
bool perfdata_event_has_counts(const struct recorded_event *e);

void perfdata_bad_record(struct perfdata *pd, u64 pos);

/*
 * Distance of the prefetch ahead of a reader of records. The hardware's own prefetch stops at the
 * end of each page, since the next page of the file may be any page of memory. Measured: 33 % less
 * for a bare walk, 10 % for a report; the same from 2 to 8 KiB.
 */
#define PERFDATA_AHEAD 4096

/**
 * perfdata_next() - the record at an offset
 * @pos: offset in @pd->data, 0 to start; moved behind the record
 *
 * Return: the record, whole; NULL at the end and at damage.
 */
static inline const u8 *perfdata_next(struct perfdata *pd, u64 *pos)
{
	const u64 header = sizeof(struct perf_event_header);
	u64 left = pd->data_size - *pos, size;
	const u8 *rec;

	if (unlikely(left < header))
		goto end;
	rec = pd->data + *pos;
	__builtin_prefetch((const void *)((uintptr_t)rec + PERFDATA_AHEAD));
	size = rec_size(rec);
	/* the smallest are below 0: header <= size <= left in one test */
	if (unlikely(size - header > left - header))
		goto end;
	if (unlikely(rec_type(rec) >= PERFDATA_RECORD_USER)) {
		size += perfdata_payload(rec);
		if (size > left)
			goto end;
	}
	*pos += size;
	return rec;
end:
	if (left)
		perfdata_bad_record(pd, *pos);
	return NULL;
}

/**
 * perfdata_sample() - is the record at @rec a sample?
 * @end: where records end; @rec may be behind it
 * @least: bytes of a sample, 8 or more
 *
 * What perfdata_next() does for most records, but for moving on.
 *
 * Return: its size; 0 for another record, or one that is too short or not whole.
 */
static inline u64 perfdata_sample(const u8 *rec, const u8 *end, s64 least)
{
	s64 left = end - rec;
	u64 size;

	if (unlikely(left < least))
		return 0;
	__builtin_prefetch((const void *)((uintptr_t)rec + PERFDATA_AHEAD));
	size = rec_size(rec);
	/* the smallest are below 0: least <= size <= left in one test */
	if (rec_type(rec) != PERF_RECORD_SAMPLE || size - least > (u64)(left - least))
		return 0;
	return size;
}

/**
 * perfdata_samples_ahead() - are the next four records samples of @size bytes, too?
 * @size: of the sample before @rec, 8 or more
 *
 * Samples of an event mostly have one size. So where the next ones are is known before the headers
 * in between are read, and no header waits for another.
 */
static inline bool perfdata_samples_ahead(const u8 *rec, const u8 *end, u64 size)
{
	const u64 header = size << 48 | PERF_RECORD_SAMPLE, misc = 0xffffULL << 32;
	u64 differ = 0;
	int i;

	if (unlikely(end - rec < (s64)(4 * size)))
		return false;
#pragma GCC unroll 4
	for (i = 0; i < 4; i++, rec += size) {
		__builtin_prefetch((const void *)((uintptr_t)rec + PERFDATA_AHEAD));
		differ |= load64(rec) ^ header;
	}
	return !(differ & ~misc);
}

/**
 * perfdata_event_of() - the event a sample belongs to
 * @rec: at least the layout's size
 *
 * Return: index into @pd->events; IDMAP_NONE if no event has the sample's id.
 */
static inline u32 perfdata_event_of(const struct perfdata *pd, const u8 *rec)
{
	const struct sample_layout *l = &pd->events[0].layout;

	if (likely(pd->only >= 0))
		return pd->only;
	if (!l->id)
		return 0;
	return idmap_get(&pd->event_ids, load64(rec + l->id));
}

const struct sample_layout *perfdata_tail_of_slow(const struct perfdata *pd, const u8 *rec);

/* The event that a record that is not a sample was written for, by whose fields it ends */
static inline const struct sample_layout *perfdata_tail_of(const struct perfdata *pd,
							   const u8 *rec)
{
	return likely(!pd->mixed_tails) ? &pd->events[0].layout : perfdata_tail_of_slow(pd, rec);
}

/**
 * perfdata_string() - a feature that is one string
 *
 * Return: the text, in the file; NULL if absent or damaged.
 */
const char *perfdata_string(const struct perfdata *pd, enum perfdata_feature feature);

/**
 * perfdata_strings() - call @fn for each string of a feature that is a list of strings
 */
void perfdata_strings(const struct perfdata *pd, enum perfdata_feature feature,
		      void (*fn)(const char *text, void *ctx), void *ctx);

/**
 * perfdata_meta() - look a key of pcsample's own metadata up
 * @len: takes the bytes of the value, which does not end in NUL
 *
 * Of several lines with the key the last one counts.
 *
 * Return: the value, in the file; NULL if there is none.
 */
const char *perfdata_meta(const struct perfdata *pd, const char *key, size_t *len);

/* As perfdata_meta(), the @nth line with the key, from 0 */
const char *perfdata_meta_nth(const struct perfdata *pd, const char *key, unsigned int nth,
			      size_t *len);

/* As perfdata_meta(), for a decimal number. Return: false if the key is missing */
bool perfdata_meta_u64(const struct perfdata *pd, const char *key, u64 *ret);

/**
 * perfdata_next_build_id() - go through the build ids that the recorder found when it had finished
 * @pos: 0 for the first, advanced
 * @id: takes the build id; size 0 if the entry has none
 * @path: takes the file name, in the file; it ends in NUL
 *
 * Return: PERF_RECORD_MISC_CPUMODE of the entry, or -ENOENT after the last one.
 */
int perfdata_next_build_id(const struct perfdata *pd, u64 *pos, struct build_id *id,
			   const char **path);

#endif /* PCSAMPLE_PERFDATA_READER_H */
