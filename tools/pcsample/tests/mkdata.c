// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if HAVE_ZSTD
#include <zstd.h>
#endif

#include "tests/mkdata.h"

/*
 * Allocated size for an array of @size bytes: a power of two, because sanitizers copy at each
 * realloc()
 */
static size_t room(size_t size)
{
	size_t room = 4096;

	while (room <= size)
		room *= 2;
	return room;
}

static void append(u8 **p, size_t *size, const void *bytes, size_t n)
{
	if (!*p || room(*size + n) != room(*size))
		*p = realloc(*p, room(*size + n));
	if (!*p)
		abort();
	if (bytes)
		memcpy(*p + *size, bytes, n);
	else
		memset(*p + *size, 0, n);
	*size += n;
}

void mkdata_init(struct mkdata *m, u64 sample_type)
{
	memset(m, 0, sizeof(*m));
	m->nr_attrs = 1;
	m->id[0] = 100;
	m->attr[0] = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = 1000,
		.freq = 1,
		.sample_type = sample_type,
		.sample_id_all = 1,
	};
}

void mkdata_deinit(struct mkdata *m)
{
	free(m->data);
	memset(m, 0, sizeof(*m));
}

void mkdata_add_event(struct mkdata *m, u32 type, u64 config)
{
	unsigned int i;

	m->attr[m->nr_attrs] = m->attr[0];
	m->attr[m->nr_attrs].type = type;
	m->attr[m->nr_attrs].config = config;
	m->id[m->nr_attrs] = 100 + m->nr_attrs;
	m->nr_attrs++;
	for (i = 0; i < m->nr_attrs; i++)
		m->attr[i].sample_type |= PERF_SAMPLE_IDENTIFIER;
}

static void append_u64(u8 **p, size_t *size, u64 v)
{
	append(p, size, &v, 8);
}

void mkdata_record(struct mkdata *m, u32 type, u16 misc, const void *body, size_t size, s32 pid,
		   s32 tid, u64 time)
{
	struct perf_event_header h = { .type = type, .misc = misc };
	u64 st = m->attr[m->tail].sample_type;
	u8 *rec = NULL;
	size_t n = 0;

	append(&rec, &n, &h, sizeof(h));
	append(&rec, &n, body, size);
	append(&rec, &n, NULL, -n & 7);
	if (type < PERFDATA_RECORD_USER && m->attr[m->tail].sample_id_all) {
		if (st & PERF_SAMPLE_TID)
			append_u64(&rec, &n, (u64)(u32)tid << 32 | (u32)pid);
		if (st & PERF_SAMPLE_TIME)
			append_u64(&rec, &n, time);
		if (st & PERF_SAMPLE_ID)
			append_u64(&rec, &n, m->id[m->tail]);
		if (st & PERF_SAMPLE_CPU)
			append_u64(&rec, &n, 0);
		if (st & PERF_SAMPLE_IDENTIFIER)
			append_u64(&rec, &n, m->id[m->tail]);
	}
	h.size = n;
	memcpy(rec, &h, sizeof(h));
	append(&m->data, &m->size, rec, n);
	free(rec);
}

void mkdata_bytes(struct mkdata *m, const void *bytes, size_t size)
{
	append(&m->data, &m->size, bytes, size);
}

void mkdata_comm(struct mkdata *m, s32 pid, s32 tid, const char *comm, u64 time, bool exec)
{
	size_t length = strnlen(comm, 15);	/* of a task's name: TASK_COMM_LEN - 1 */
	char body[8 + 16] = { 0 };

	memcpy(body, &pid, 4);
	memcpy(body + 4, &tid, 4);
	memcpy(body + 8, comm, length);
	mkdata_record(m, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, body,
		      8 + length + 1, pid, tid, time);
}

void mkdata_fork(struct mkdata *m, s32 ppid, s32 ptid, s32 pid, s32 tid, u64 time)
{
	struct {
		s32 pid, ppid, tid, ptid;
		u64 time;
	} body = { pid, ppid, tid, ptid, time };

	mkdata_record(m, PERF_RECORD_FORK, 0, &body, sizeof(body), ppid, ptid, time);
}

/* In PERF_RECORD_MMAP2: device and inode, or a build id */
union mmap2_file {
	struct {
		u32 maj, min;
		u64 inode, generation;
	};
	struct {
		u8 id_size, pad[3], id[20];
	};
};

static void mmap2(struct mkdata *m, u16 misc, s32 pid, u64 start, u64 len, u64 pgoff,
		  const char *path, const union mmap2_file *file, u64 time)
{
	struct {
		s32 pid, tid;
		u64 start, len, pgoff;
		union mmap2_file file;
		u32 prot, flags;
		char path[4096];
	} body = {
		.pid = pid, .tid = pid, .start = start, .len = len, .pgoff = pgoff, .file = *file,
		.prot = 5, .flags = 2,
	};

	strncpy(body.path, path, sizeof(body.path) - 1);
	mkdata_record(m, PERF_RECORD_MMAP2, misc, &body,
		      sizeof(body) - sizeof(body.path) + strlen(path) + 1, pid, pid, time);
}

static void mmap2_id(struct mkdata *m, u16 misc, s32 pid, u64 start, u64 len, u64 pgoff,
		     const char *path, const u8 *id, u64 time)
{
	union mmap2_file file = { .id_size = 20 };

	memcpy(file.id, id, 20);
	m->attr[0].build_id = 1;
	misc |= 1 << 14;	/* PERF_RECORD_MISC_MMAP_BUILD_ID */
	mmap2(m, misc, pid, start, len, pgoff, path, &file, time);
}

void mkdata_mmap(struct mkdata *m, s32 pid, u64 start, u64 len, u64 pgoff, const char *path,
		 u64 time)
{
	mkdata_mmap_inode(m, pid, start, len, pgoff, path, 0, 0, 0, time);
}

void mkdata_mmap_inode(struct mkdata *m, s32 pid, u64 start, u64 len, u64 pgoff, const char *path,
		       u32 maj, u32 min, u64 inode, u64 time)
{
	const union mmap2_file file = { .maj = maj, .min = min, .inode = inode };

	mmap2(m, PERF_RECORD_MISC_USER, pid, start, len, pgoff, path, &file, time);
}

void mkdata_mmap_id(struct mkdata *m, s32 pid, u64 start, u64 len, u64 pgoff, const char *path,
		    const u8 *id, u64 time)
{
	mmap2_id(m, PERF_RECORD_MISC_USER, pid, start, len, pgoff, path, id, time);
}

void mkdata_kernel(struct mkdata *m, u64 start, u64 len, u64 ref, const char *path, u64 time)
{
	struct {
		s32 pid, tid;
		u64 start, len, pgoff;
		char path[4096];
	} body = { .pid = -1, .start = start, .len = len, .pgoff = ref };

	strncpy(body.path, path, sizeof(body.path) - 1);
	mkdata_record(m, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, &body,
		      sizeof(body) - sizeof(body.path) + strlen(path) + 1, -1, 0, time);
}

void mkdata_kernel_id(struct mkdata *m, u64 start, u64 len, u64 ref, const char *path,
		      const u8 *id, u64 time)
{
	mmap2_id(m, PERF_RECORD_MISC_KERNEL, -1, start, len, ref, path, id, time);
}

void mkdata_sample(struct mkdata *m, const struct mkdata_sample *s)
{
	struct perf_event_header h = {
		.type = PERF_RECORD_SAMPLE,
		.misc = s->misc ? s->misc : PERF_RECORD_MISC_USER,
	};
	u64 st = m->attr[s->event].sample_type;
	u8 *rec = NULL;
	size_t n = 0;

	append(&rec, &n, &h, sizeof(h));
	if (st & PERF_SAMPLE_IDENTIFIER)
		append_u64(&rec, &n, m->id[s->event]);
	append_u64(&rec, &n, s->ip);
	if (st & PERF_SAMPLE_TID)
		append_u64(&rec, &n, (u64)(u32)s->tid << 32 | (u32)s->pid);
	if (st & PERF_SAMPLE_TIME)
		append_u64(&rec, &n, s->time);
	if (st & PERF_SAMPLE_CPU)
		append_u64(&rec, &n, s->cpu);
	if (st & PERF_SAMPLE_PERIOD)
		append_u64(&rec, &n, s->period ? s->period : 1);
	if (st & PERF_SAMPLE_CALLCHAIN) {
		append_u64(&rec, &n, s->nr_chain);
		append(&rec, &n, s->chain, s->nr_chain * 8);
	}
	if (st & PERF_SAMPLE_RAW) {
		append(&rec, &n, &s->raw_size, 4);
		append(&rec, &n, s->raw, s->raw_size);
	}
	if (st & PERF_SAMPLE_CGROUP)
		append_u64(&rec, &n, s->cgroup);
	if (st & PERF_SAMPLE_DATA_PAGE_SIZE)
		append_u64(&rec, &n, 4096);
	if (st & PERF_SAMPLE_CODE_PAGE_SIZE)
		append_u64(&rec, &n, 65536);
	h.size = n;
	memcpy(rec, &h, sizeof(h));
	append(&m->data, &m->size, rec, n);
	free(rec);
}

#if HAVE_ZSTD
static void append_packed(u8 **p, size_t *size, u32 type, const void *packed, u64 nr)
{
	struct perf_event_header h = { .type = type };
	size_t at = *size;

	append(p, size, &h, sizeof(h));
	if (type == PERFDATA_RECORD_COMPRESSED2)
		append_u64(p, size, nr);
	append(p, size, packed, nr);
	if (type == PERFDATA_RECORD_COMPRESSED2)
		append(p, size, NULL, -nr & 7);
	h.size = *size - at;
	memcpy(*p + at, &h, sizeof(h));
}

void mkdata_compress(struct mkdata *m, u32 type, size_t most)
{
	/* version, zstd, level, ratio, ring */
	static const u32 feature[] = { 1, 1, 1, 1, 4096 };
	ZSTD_CCtx *c = ZSTD_createCCtx();
	ZSTD_outBuffer out = { NULL, ZSTD_compressBound(most) + 64, 0 };
	ZSTD_inBuffer in;
	size_t at, size = 0;
	u8 *p = NULL;

	out.dst = malloc(out.size);
	if (!c || !out.dst)
		abort();
	for (at = 0; at < m->size; at += in.size) {
		in = (ZSTD_inBuffer){ m->data + at, m->size - at, 0 };
		in.size = in.size < most ? in.size : most;
		out.pos = 0;
		if (ZSTD_compressStream2(c, &out, &in, ZSTD_e_flush))
			abort();
		append_packed(&p, &size, type, out.dst, out.pos);
	}
	ZSTD_freeCCtx(c);
	free(out.dst);
	free(m->data);
	m->data = p;
	m->size = size;
	mkdata_feature(m, PERFDATA_COMPRESSED, feature, sizeof(feature));
}
#else
void mkdata_compress(struct mkdata *m, u32 type, size_t most)
{
	abort();
}
#endif

void mkdata_feature(struct mkdata *m, unsigned int bit, const void *p, size_t size)
{
	m->feature[m->nr_features].bit = bit;
	m->feature[m->nr_features].p = p;
	m->feature[m->nr_features++].size = size;
}

u8 *mkdata_file(const struct mkdata *m, size_t *ret_size)
{
	struct perfdata_header h = {
		.magic = PERFDATA_MAGIC,
		.size = sizeof(h),
		.attr_size = sizeof(struct perfdata_attr),
	};
	struct perfdata_section s;
	struct perfdata_attr attr;
	size_t size = 0, table;
	unsigned int i;
	u8 *p = NULL;

	append(&p, &size, NULL, sizeof(h));
	append(&p, &size, m->id, m->nr_attrs * 8);
	h.attrs = (struct perfdata_section){ size, m->nr_attrs * sizeof(attr) };
	for (i = 0; i < m->nr_attrs; i++) {
		attr.attr = m->attr[i];
		attr.ids = (struct perfdata_section){ sizeof(h) + i * 8, 8 };
		append(&p, &size, &attr, sizeof(attr));
	}
	h.data = (struct perfdata_section){ size, m->size };
	append(&p, &size, m->data, m->size);
	table = size;
	append(&p, &size, NULL, m->nr_features * sizeof(s));
	for (i = 0; i < m->nr_features; i++) {
		s = (struct perfdata_section){ size, m->feature[i].size };
		memcpy(p + table + i * sizeof(s), &s, sizeof(s));
		append(&p, &size, m->feature[i].p, m->feature[i].size);
		h.features[m->feature[i].bit / 64] |= 1ULL << m->feature[i].bit % 64;
	}
	memcpy(p, &h, sizeof(h));
	*ret_size = size;
	return p;
}

u8 *mkdata_pipe(const struct mkdata *m, size_t *size)
{
	struct perfdata_pipe_header h = { PERFDATA_MAGIC, sizeof(h) };
	struct perf_event_header rec;
	unsigned int i;
	u8 *p = NULL;

	*size = 0;
	append(&p, size, &h, sizeof(h));
	for (i = 0; i < m->nr_attrs; i++) {
		rec = (struct perf_event_header){
			.type = PERFDATA_RECORD_HEADER_ATTR,
			.size = sizeof(rec) + sizeof(m->attr[i]) + 8,
		};
		append(&p, size, &rec, sizeof(rec));
		append(&p, size, &m->attr[i], sizeof(m->attr[i]));
		append(&p, size, &m->id[i], 8);
	}
	for (i = 0; i < m->nr_features; i++) {
		/* perf does not pad these, so the record after them is not aligned */
		rec = (struct perf_event_header){
			.type = PERFDATA_RECORD_HEADER_FEATURE,
			.size = sizeof(rec) + 8 + m->feature[i].size,
		};
		append(&p, size, &rec, sizeof(rec));
		append_u64(&p, size, m->feature[i].bit);
		append(&p, size, m->feature[i].p, m->feature[i].size);
	}
	append(&p, size, m->data, m->size);
	return p;
}

/* In memory: to truncate a file that was just written to disk takes longer than to read it */
const char *mkdata_write(const u8 *p, size_t size)
{
	static char path[32];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("perf.data", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, p, size, 0) != (ssize_t)size)
		abort();
	return path;
}
