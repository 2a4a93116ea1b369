/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes recordings for tests. The writer shares no code with the tool's reader.
 */
#ifndef PCSAMPLE_TESTS_MKDATA_H
#define PCSAMPLE_TESTS_MKDATA_H

#include <stdbool.h>
#include <stddef.h>

#include "perfdata/format.h"

#define MKDATA_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
		     PERF_SAMPLE_PERIOD)

/* A recording under construction. The functions abort the test when out of memory. */
struct mkdata {
	struct perf_event_attr attr[64];
	unsigned int nr_attrs;
	u64 id[64];
	unsigned int tail;	/* event of the records that are not samples */
	u8 *data;
	size_t size;
	struct {
		unsigned int bit;
		const void *p;
		size_t size;
	} feature[16];
	unsigned int nr_features;
};

/* One event, cpu-clock with @sample_type at 1000 Hz */
void mkdata_init(struct mkdata *m, u64 sample_type);
void mkdata_deinit(struct mkdata *m);

/* Add another event; all events have ids then */
void mkdata_add_event(struct mkdata *m, u32 type, u64 config);

/* Add a record: the body, padded to 8, and the fields of sample_id_all */
void mkdata_record(struct mkdata *m, u32 type, u16 misc, const void *body, size_t size, s32 pid,
		   s32 tid, u64 time);

/* Add bytes between the records */
void mkdata_bytes(struct mkdata *m, const void *bytes, size_t size);

void mkdata_comm(struct mkdata *m, s32 pid, s32 tid, const char *comm, u64 time, bool exec);
void mkdata_fork(struct mkdata *m, s32 ppid, s32 ptid, s32 pid, s32 tid, u64 time);
void mkdata_mmap(struct mkdata *m, s32 pid, u64 start, u64 len, u64 pgoff, const char *path,
		 u64 time);
void mkdata_mmap_id(struct mkdata *m, s32 pid, u64 start, u64 len, u64 pgoff, const char *path,
		    const u8 *id, u64 time);
void mkdata_mmap_inode(struct mkdata *m, s32 pid, u64 start, u64 len, u64 pgoff, const char *path,
		       u32 maj, u32 min, u64 inode, u64 time);
void mkdata_kernel(struct mkdata *m, u64 start, u64 len, u64 ref, const char *path, u64 time);
void mkdata_kernel_id(struct mkdata *m, u64 start, u64 len, u64 ref, const char *path,
		      const u8 *id, u64 time);

struct mkdata_sample {
	u64 ip;
	s32 pid, tid;
	u64 time;
	u32 cpu;
	u64 period;
	u64 cgroup;
	u16 misc;		/* 0: PERF_RECORD_MISC_USER */
	unsigned int event;
	const u64 *chain;	/* with PERF_SAMPLE_CALLCHAIN */
	u64 nr_chain;
	const void *raw;	/* with PERF_SAMPLE_RAW */
	u32 raw_size;
};

void mkdata_sample(struct mkdata *m, const struct mkdata_sample *s);

/**
 * mkdata_compress() - replace all records so far by compressed records
 * @type: PERFDATA_RECORD_COMPRESSED or PERFDATA_RECORD_COMPRESSED2
 * @most: uncompressed bytes in each; a record may begin in one and end in the next
 *
 * One zstd stream, as perf record -z writes it, flushed at the end of each compressed record. Built
 * without zstd, it aborts.
 */
void mkdata_compress(struct mkdata *m, u32 type, size_t most);

/* Add a feature section; @p must remain valid until the file is written */
void mkdata_feature(struct mkdata *m, unsigned int bit, const void *p, size_t size);

/* The file's bytes, from malloc() */
u8 *mkdata_file(const struct mkdata *m, size_t *size);
u8 *mkdata_pipe(const struct mkdata *m, size_t *size);

/* Write bytes to a new file in the test's own directory; returns its name, static */
const char *mkdata_write(const u8 *p, size_t size);

#endif /* PCSAMPLE_TESTS_MKDATA_H */
