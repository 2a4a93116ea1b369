// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#if HAVE_ZSTD
#include <zstd.h>
#endif

#include "capture/rings.h"
#include "capture/embed-files.h"
#include "base/idmap.h"
#include "base/proc-files.h"
#include "base/safe-file.h"

/* Limits: files that are open at a time; bytes of all copied files, before compression */
#define FILES_MAX	1024
#define BYTES_MAX	(4ULL * KEPT_FILE_MAX)

/* File descriptors that are left to the rest of the recorder */
#define FDS_LEFT	128

/* Mappings of one process that are remembered */
#define SPACE_MAX	1024

/* Beginning of PERF_RECORD_MMAP2 with a build-id */
struct mapping {
	struct perf_event_header header;
	u32 pid, tid;
	u64 start, size, offset;
	u8 build_id_size, reserved[3];
	u8 build_id[20];
	u32 prot, flags;
	char name[];
};

/* Of PERF_RECORD_FORK and PERF_RECORD_EXIT */
struct task {
	struct perf_event_header header;
	u32 pid, ppid, tid;
};

/*
 * @fd: -1 if it is not open
 * @lost: when it was first seen, it was neither at its path nor elsewhere
 * @too_many: it was not opened because of FILES_MAX or FDS_LEFT
 * @index: in the list of the others
 */
struct file {
	struct build_id id;
	int fd;
	bool sampled, lost, too_many;
	u32 index;
	char name[];
};

/*
 * Where a process has mapped files that had no sample then, in the order of addresses; they do not
 * overlap. A child shares its parent's space until it maps such a file itself. exec does not empty
 * the space, as the samples before it are read after it: a file that is copied without need does no
 * harm.
 */
struct space {
	struct where {
		u64 start, end;
		u32 file;
	} *where;
	size_t nr, cap;
	u32 users;	/* processes */
};

/* In @by_pid, of a process that has exited */
#define NO_SPACE	(IDMAP_NONE - 1)

/* Samples may come up to a round behind the exit of their process, see capture/rings.h */
#define ROUNDS_BEHIND	2

/*
 * @tree: all struct file. @file: those of them that may be kept, @nr_open of them open. @free:
 * spaces without users
 */
struct capture_files {
	struct build_id_cache *build_ids;
	void *tree;
	struct file **file;
	size_t nr, cap, nr_open;
	struct idmap by_pid;	/* to an index in @space */
	struct space *space;
	size_t nr_spaces, spaces_cap;
	u32 *free;
	size_t nr_free, free_cap;
	struct gone {
		u32 pid, space;
		u64 round;
	} *gone;
	size_t nr_gone, gone_cap;
	u64 round;
};

struct capture_files *capture_files_create(struct build_id_cache *build_ids)
{
	struct capture_files *files = calloc(1, sizeof(*files));

	if (files)
		files->build_ids = build_ids;
	return files;
}

static void destroy_file(void *p)
{
	struct file *f = p;

	if (f->fd >= 0)
		close(f->fd);
	free(f);
}

void capture_files_destroy(struct capture_files *files)
{
	if (!files)
		return;
	tdestroy(files->tree, destroy_file);
	while (files->nr_spaces)
		free(files->space[--files->nr_spaces].where);
	free(files->space);
	free(files->free);
	free(files->gone);
	free(files->file);
	idmap_deinit(&files->by_pid);
	free(files);
}

/* Finding a file */

/* Return: file descriptor, or -1 if @path is now a different file */
static int open_if(const char *path, const struct build_id *id)
{
	struct build_id found = { .size = 0 };
	struct stat st;
	int fd = regular_open(path, &st);

	if (fd < 0)
		return -1;
	if (build_id_of_fd(&found, fd) && build_id_same(&found, id))
		return fd;
	close(fd);
	return -1;
}

static int find_elsewhere(const struct file *f, s32 pid)
{
	char path[PATH_MAX];
	unsigned int i;
	int fd = -1;

	if (live_file(LIVE_MAPPING, pid, 0, f->name, path))
		fd = open_if(path, &f->id);
	if (fd < 0 && live_file(LIVE_ROOT, pid, 0, f->name, path))
		fd = open_if(path, &f->id);
	for (i = 0; fd < 0 && live_file_of_namespace(i, f->name, path); i++)
		fd = open_if(path, &f->id);
	return fd;
}

/* The kernel gives out the lowest number that is free */
static bool leaves_fds(int fd)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > (rlim_t)fd + FDS_LEFT;
}

/* Open a file where it is, so that it can be copied when it is deleted. Return: is it open? */
static bool hold(struct capture_files *files, struct file *f, s32 pid, bool at_path)
{
	int fd = -1;

	f->too_many = files->nr_open == FILES_MAX;
	if (f->too_many)
		return false;
	if (at_path)
		fd = open_if(f->name, &f->id);
	if (fd < 0)
		fd = find_elsewhere(f, pid);
	if (fd >= 0 && !leaves_fds(fd)) {
		f->too_many = true;
		close(fd);
		fd = -1;
	}
	f->fd = fd;
	files->nr_open += fd >= 0;
	return fd >= 0;
}

static int compare_files(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	int c = memcmp(&x->id, &y->id, sizeof(x->id));

	return c ? c : strcmp(x->name, y->name);
}

static bool is_at_path(const struct capture_files *files, const struct file *f)
{
	struct build_id here;

	return build_id_of_path(files->build_ids, &here, f->name, 0) &&
	       build_id_same(&here, &f->id);
}

/*
 * The file of a container or a deleted one has to be opened while its process lives. Files at their
 * paths are many, and few of them get samples: those are opened at the first one.
 */
static int look_for(struct capture_files *files, struct file *f, s32 pid)
{
	f->lost = f->name[0] != '/' ||
		  (!is_at_path(files, f) && !hold(files, f, pid, false) && !f->too_many);
	if (f->lost)
		return 0;
	if (mem_grow(&files->file, &files->cap, files->nr + 1))
		return -ENOMEM;
	f->index = files->nr;
	files->file[files->nr++] = f;
	return 0;
}

/* Return: 0 with the file in @ret, or -ENOMEM */
static int file_of(struct capture_files *files, const struct mapping *m, struct file **ret)
{
	size_t len = strnlen(m->name, m->header.size - sizeof(*m));
	struct file *f = calloc(1, sizeof(*f) + len + 1), **found;

	if (!f)
		return -ENOMEM;
	f->fd = -1;
	f->id.size = min(m->build_id_size, (u8)sizeof(f->id.bytes));
	memcpy(f->id.bytes, m->build_id, f->id.size);
	memcpy(f->name, m->name, len);
	found = tsearch(f, &files->tree, compare_files);
	if (!found || *found != f) {
		free(f);
		*ret = found ? *found : NULL;
		return found ? 0 : -ENOMEM;
	}
	*ret = f;
	return look_for(files, f, m->pid);
}

/* Records */

/* Return: NULL if the process has no space */
static struct space *find_space(struct capture_files *files, u32 pid)
{
	u32 index = idmap_get(&files->by_pid, pid);

	return index == IDMAP_NONE || index == NO_SPACE ? NULL : &files->space[index];
}

/* Give a process its own copy of the space that it shared so far. Return: NULL without memory */
static struct space *make_space(struct capture_files *files, u32 pid)
{
	struct space *old = find_space(files, pid), new = { .users = 1 };
	u32 index, before = old ? old - files->space : 0;

	if (old && mem_grow(&new.where, &new.cap, old->nr))
		return NULL;
	if (!files->nr_free &&
	    (mem_grow(&files->space, &files->spaces_cap, files->nr_spaces + 1) ||
	     mem_grow(&files->free, &files->free_cap, files->nr_spaces + 1)))
		goto fail;
	index = files->nr_free ? files->free[files->nr_free - 1] : files->nr_spaces;
	if (idmap_set(&files->by_pid, pid, index))
		goto fail;
	if (files->nr_free)
		files->nr_free--;
	else
		files->nr_spaces++;
	if (old) {
		old = &files->space[before];
		old->users--;
		new.nr = old->nr;
		memcpy(new.where, old->where, old->nr * sizeof(*new.where));
	}
	files->space[index] = new;
	return &files->space[index];
fail:
	free(new.where);
	return NULL;
}

static struct space *space_of(struct capture_files *files, u32 pid)
{
	struct space *s = find_space(files, pid);

	return s && s->users == 1 ? s : make_space(files, pid);
}

/* The number of mappings that start below an address */
static size_t nr_below(const struct space *s, u64 addr)
{
	size_t low = 0, high = s->nr, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (s->where[middle].start < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of a process that mapped so much, keep what can still be of use; or start again */
static void make_room(struct capture_files *files, struct space *s)
{
	size_t i, n = 0;

	if (s->nr < SPACE_MAX)
		return;
	for (i = 0; i < s->nr; i++)
		if (!files->file[s->where[i].file]->sampled)
			s->where[n++] = s->where[i];
	s->nr = n < SPACE_MAX ? n : 0;
}

/* Replace what was mapped at these addresses before */
static int put_mapping(struct space *s, u64 start, u64 end, u32 file)
{
	size_t from = nr_below(s, start), to = nr_below(s, end);

	if (mem_grow(&s->where, &s->cap, s->nr + 1))
		return -ENOMEM;
	if (from)
		s->where[from - 1].end = min(s->where[from - 1].end, start);
	memmove(&s->where[from + 1], &s->where[to], (s->nr - to) * sizeof(*s->where));
	s->where[from] = (struct where){ start, end, file };
	s->nr += 1 - (to - from);
	return 0;
}

static int note_mapping(struct capture_files *files, const struct mapping *m)
{
	u64 end = m->start + m->size;
	struct space *s;
	struct file *f;

	if (m->header.size <= sizeof(*m) || !m->build_id_size ||
	    !(m->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) ||
	    (m->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		return 0;
	if (file_of(files, m, &f))
		return -ENOMEM;
	if (f->lost || f->sampled || end <= m->start)
		return 0;
	s = space_of(files, m->pid);
	if (!s)
		return -ENOMEM;
	make_room(files, s);
	return put_mapping(s, m->start, end, f->index);
}

static int add_gone(struct capture_files *files, u32 pid, const struct space *s)
{
	if (mem_grow(&files->gone, &files->gone_cap, files->nr_gone + 1))
		return -ENOMEM;
	files->gone[files->nr_gone++] = (struct gone){ pid, s - files->space, files->round };
	return 0;
}

static bool is_gone(const struct capture_files *files, u32 pid, const struct space *s)
{
	size_t i;

	for (i = 0; i < files->nr_gone; i++)
		if (files->gone[i].pid == pid && files->gone[i].space == s - files->space)
			return true;
	return false;
}

/* The pid may have belonged to a process whose exit was lost: drop what that one had mapped */
static int note_fork(struct capture_files *files, const struct task *fork)
{
	struct space *s;

	if (fork->header.size < sizeof(*fork) || fork->pid == fork->ppid)
		return 0;
	s = find_space(files, fork->pid);
	if (s && !is_gone(files, fork->pid, s) && add_gone(files, fork->pid, s))
		return -ENOMEM;
	if (s && idmap_set(&files->by_pid, fork->pid, NO_SPACE))
		return -ENOMEM;
	s = find_space(files, fork->ppid);
	if (!s)
		return 0;
	s->users++;
	return idmap_set(&files->by_pid, fork->pid, s - files->space);
}

static int note_exit(struct capture_files *files, const struct task *exit)
{
	struct space *s;

	if (exit->header.size < sizeof(*exit) || exit->pid != exit->tid)
		return 0;
	s = find_space(files, exit->pid);
	return s ? add_gone(files, exit->pid, s) : 0;
}

/* Return: false if other threads of the process still run: only its first one has exited */
static bool drop_space(struct capture_files *files, const struct gone *g)
{
	struct space *s = &files->space[g->space];

	/* Unless the pid is in use again */
	if (idmap_get(&files->by_pid, g->pid) == g->space) {
		if (live_threads(g->pid))
			return false;
		idmap_set(&files->by_pid, g->pid, NO_SPACE);
	}
	if (--s->users)
		return true;
	free(s->where);
	memset(s, 0, sizeof(*s));
	files->free[files->nr_free++] = g->space;
	return true;
}

static void end_round(struct capture_files *files)
{
	size_t i, n = 0;

	files->round++;
	for (i = 0; i < files->nr_gone; i++)
		if (files->round - files->gone[i].round < ROUNDS_BEHIND ||
		    !drop_space(files, &files->gone[i]))
			files->gone[n++] = files->gone[i];
	files->nr_gone = n;
}

static void note_sample(struct capture_files *files, const struct perf_event_header *record)
{
	u32 pid = sample_pid(record);
	const struct space *s = find_space(files, pid);
	u64 ip = sample_ip(record);
	size_t n = s ? nr_below(s, ip + 1) : 0;
	struct file *f;

	if (!n || ip >= s->where[n - 1].end)
		return;
	f = files->file[s->where[n - 1].file];
	if (!f->sampled && f->fd < 0)
		hold(files, f, pid, true);
	f->sampled = true;
}

int capture_files_note(struct capture_files *files, const struct perf_event_header *record)
{
	if (record->type == PERF_RECORD_MMAP2)
		return note_mapping(files, (const struct mapping *)record);
	if (!files->nr)
		return 0;
	switch (record->type) {
	case PERF_RECORD_FORK:
		return note_fork(files, (const struct task *)record);
	case PERF_RECORD_EXIT:
		return note_exit(files, (const struct task *)record);
	case PERF_RECORD_SAMPLE:
		note_sample(files, record);
		return 0;
	case PERFDATA_RECORD_FINISHED_ROUND:
		end_round(files);
	}
	return 0;
}

/* Writing */

static void put_bytes(struct perfdata_blob *blob, struct perfdata_kept_file *head, const char *data)
{
	static const u8 padding[8];
	const void *stored = data;
#if HAVE_ZSTD
	size_t bound = ZSTD_compressBound(head->size), n;
	void *packed = malloc(bound);

	n = packed ? ZSTD_compress(packed, bound, data, head->size, 3) : 0;
	if (n && !ZSTD_isError(n) && n < head->size) {
		head->stored = n;
		stored = packed;
	}
#endif
	perfdata_blob_bytes(blob, head, sizeof(*head));
	perfdata_blob_bytes(blob, stored, head->stored);
	perfdata_blob_bytes(blob, padding, -head->stored & 7);
#if HAVE_ZSTD
	free(packed);
#endif
}

/* Return: 0; -EFBIG; or another negative errno if it cannot be read, or has other contents now */
static int put_file(struct perfdata_blob *blob, const struct file *f, u64 *left)
{
	struct perfdata_kept_file head = { .build_id_size = f->id.size };
	struct build_id now;
	size_t size;
	char *data;
	int ret;

	if (!build_id_of_fd(&now, f->fd) || !build_id_same(&now, &f->id))
		return -ESTALE;
	ret = regular_read_fd(f->fd, min(*left, (u64)KEPT_FILE_MAX), &data, &size);
	if (ret)
		return ret;
	memcpy(head.build_id, f->id.bytes, f->id.size);
	head.size = size;
	head.stored = size;
	*left -= size;
	put_bytes(blob, &head, data);
	free(data);
	return 0;
}

int capture_files_write(const struct capture_files *files, struct perfdata_writer *w,
			unsigned int *left_out, struct error *err)
{
	struct perfdata_blob blob = { 0 };
	const struct file *f;
	u64 left = BYTES_MAX;
	size_t i;

	*left_out = 0;
	for (i = 0; i < files->nr; i++) {
		f = files->file[i];
		if (!f->sampled || (f->fd < 0 && !f->too_many) || is_at_path(files, f))
			continue;
		*left_out += f->too_many || put_file(&blob, f, &left) == -EFBIG;
	}
	if (!blob.size && !blob.failed)
		return 0;
	return perfdata_write_feature(w, PERFDATA_PCS_FILES, &blob, err);
}
