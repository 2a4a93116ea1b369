/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading perf.data: files, pipes, directories, compressed records.
 *
 * The input is untrusted: every read is checked against the size of the file. The first damage is
 * described in one line (struct perfdata.damage); everything before it can be read.
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
 * @ids: sample ids of the event, one for each CPU or thread that it was opened for
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
 * @part: to append to @path in messages: a file of a directory such as "/data.0", or ""
 * @fd: the bytes that were recorded: the file, that of a directory with the header, or a copy of
 *	what cannot be mapped
 * @directory: @path is a directory of `perf record --threads`, with a file for each thread
 * @data: the records; whole records follow each other from 0 to @data_size, except where
 *	perfdata_next() finds damage
 * @data_offset: of @data in the file, for messages
 * @unpacked: @data is a copy, because records were compressed, in several files, or of groups:
 *	offsets in it are not offsets in the file
 * @delivered: groups_deliver() has replaced samples of groups
 * @events: the recorded events
 * @only: index of the event that all samples belong to; -1 if several events can have samples.
 *	perf adds an event that counts nothing ("dummy") for the side-band.
 * @mixed_tails: the sample_id_all fields at the end of records differ between events
 * @least_tail: layout of the event with the fewest of these fields
 * @feature: sections of the header; size 0 and p NULL if absent
 * @damage: one line about the first damage found; empty text if none
 */
struct perfdata {
	char *path;
	const char *part;
	int fd;
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

/* Does a recording begin with these eight bytes? */
bool perfdata_is_magic(u64 magic);

/**
 * perfdata_open() - open a recording
 * @ret: receives the recording
 * @path: file or directory; "-" for standard input. Input that cannot be mapped, and records that
 *	are compressed or in a directory, are copied to an unlinked temporary file in $TMPDIR.
 *
 * A damaged file can be opened: check @damage after opening it and after reading its records.
 *
 * Return: 0 or a negative errno: -EINVAL if it is not a perf.data, or its events are unusable.
 */
int perfdata_open(struct perfdata **ret, const char *path, struct error *err);
void perfdata_close(struct perfdata *pd);

/**
 * perfdata_file() - path of a file of a recording that is a directory
 * @i: index; file 0 has the header
 * @path: receives the path; PATH_MAX bytes
 *
 * Return: false if the recording has no file @i.
 */
bool perfdata_file(const struct perfdata *pd, unsigned int i, char *path);

/**
 * perfdata_populate() - map all pages of the records, before they are read
 *
 * Replaces a page fault for each 64 KiB by one call. Has no effect before Linux 5.14. It is faster
 * than a reader of records, so it may run in another thread beside one.
 */
void perfdata_populate(const struct perfdata *pd);

/**
 * perfdata_damaged() - note damage at a record; the records end there from now on
 * @pos: offset in @pd->data
 * @format: what was found there and what was expected
 */
void perfdata_damaged(struct perfdata *pd, u64 pos, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Create an unlinked file in $TMPDIR. Return: its descriptor, or a negative errno */
int perfdata_spool(struct error *err);

/* Read the records of a temporary file in place of @pd->data. Return: 0 or a negative errno */
int perfdata_replace(struct perfdata *pd, int fd);

/* Are an event's samples PC samples? */
bool perfdata_event_is_pcsample(const struct recorded_event *e);

/* Is it "dummy" of perf record, which counts nothing? */
bool perfdata_event_is_dummy(const struct recorded_event *e);

/* Can it have samples of its own? perf's "dummy" and the members of a group have none. */
bool perfdata_event_samples(const struct recorded_event *e);

/* attr.config of arm_pcsample: snapshot=1 */
#define PCSAMPLE_SNAPSHOT	(1ULL << 10)

/* Are they PMU snapshots, with what the CPU counted since the previous one? */
bool perfdata_event_has_counts(const struct recorded_event *e);

void perfdata_bad_record(struct perfdata *pd, u64 pos);

/*
 * Distance of the prefetch ahead of a reader of records. The hardware's own prefetch stops at the
 * end of each page, since the next page of the file may be any page of memory. Measured: a bare
 * walk takes 33 % less time, a report 10 %; distances from 2 to 8 KiB do not differ.
 */
#define PERFDATA_AHEAD 4096

/**
 * perfdata_next() - get the next record
 * @pos: offset of the record in @pd->data, 0 for the first; advanced behind it
 *
 * Return: the record, which is complete; NULL at the end and at damage.
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
	/* header <= size <= left in one test: a size below header wraps around */
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
 * @least: least size of a sample, 8 or more
 *
 * The part of perfdata_next() that most records need; it does not advance.
 *
 * Return: the sample's size; 0 for another record, or one that is too short or not complete.
 */
static inline u64 perfdata_sample(const u8 *rec, const u8 *end, s64 least)
{
	s64 left = end - rec;
	u64 size;

	if (unlikely(left < least))
		return 0;
	__builtin_prefetch((const void *)((uintptr_t)rec + PERFDATA_AHEAD));
	size = rec_size(rec);
	/* least <= size <= left in one test: a size below least wraps around */
	if (rec_type(rec) != PERF_RECORD_SAMPLE || size - least > (u64)(left - least))
		return 0;
	return size;
}

/**
 * perfdata_samples_ahead() - are the next four records samples of @size bytes, too?
 * @size: of the sample before @rec, 8 or more
 *
 * Most samples of an event have the same size. So the places of the next headers are known, and the
 * CPU can read all four at once, instead of waiting for each header to find the next.
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
 * perfdata_event_of() - find the event that a sample belongs to
 * @rec: the sample, of any size: some are asked for before short samples are found to be damage
 *
 * Return: index into @pd->events; IDMAP_NONE if no event has the sample's id, or if the sample is
 * too short for one.
 */
static inline u32 perfdata_event_of(const struct perfdata *pd, const u8 *rec)
{
	const struct sample_layout *l = &pd->events[0].layout;

	if (likely(pd->only >= 0))
		return pd->only;
	if (!l->id)
		return 0;
	if (unlikely(rec_size(rec) < l->id + sizeof(u64)))
		return IDMAP_NONE;
	return idmap_get(&pd->event_ids, load64(rec + l->id));
}

const struct sample_layout *perfdata_tail_of_slow(const struct perfdata *pd, const u8 *rec);

/* For a record that is not a sample: layout of the event whose sample_id_all fields it ends with */
static inline const struct sample_layout *perfdata_tail_of(const struct perfdata *pd,
							   const u8 *rec)
{
	return likely(!pd->mixed_tails) ? &pd->events[0].layout : perfdata_tail_of_slow(pd, rec);
}

/**
 * perfdata_string() - get a feature that is one string
 *
 * Return: the text, which lives as long as @pd; NULL if absent or damaged.
 */
const char *perfdata_string(const struct perfdata *pd, enum perfdata_feature feature);

/**
 * perfdata_strings() - call @fn for each string of a feature that is a list of strings
 */
void perfdata_strings(const struct perfdata *pd, enum perfdata_feature feature,
		      void (*fn)(const char *text, void *ctx), void *ctx);

/**
 * perfdata_meta() - look up a key of pcsample's own metadata
 * @len: receives the length of the value, which does not end with NUL
 *
 * If several lines have the key, the last one counts.
 *
 * Return: the value, which lives as long as @pd; NULL if there is none.
 */
const char *perfdata_meta(const struct perfdata *pd, const char *key, size_t *len);

/* As perfdata_meta(), the @nth line with the key, from 0 */
const char *perfdata_meta_nth(const struct perfdata *pd, const char *key, unsigned int nth,
			      size_t *len);

/* As perfdata_meta(), for a decimal number. Return: false if it is missing or no number */
bool perfdata_meta_u64(const struct perfdata *pd, const char *key, u64 *ret);

/**
 * perfdata_next_build_id() - walk through the build ids that the recorder collected at its end
 * @pos: 0 for the first, advanced
 * @id: receives the build id; size 0 if the entry has none
 * @path: receives the file name, which ends with NUL and lives as long as @pd
 *
 * Return: PERF_RECORD_MISC_CPUMODE of the entry, or -ENOENT after the last one.
 */
int perfdata_next_build_id(const struct perfdata *pd, u64 *pos, struct build_id *id,
			   const char **path);

#endif /* PCSAMPLE_PERFDATA_READER_H */
