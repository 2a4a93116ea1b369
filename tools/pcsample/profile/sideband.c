// SPDX-License-Identifier: GPL-2.0-only
#include <linux/perf_event.h>
#include <sys/sysmacros.h>

#include "base/radix.h"
#include "profile/sideband.h"
#include "symbols/jitdump.h"

/* Longest chain of forks without exec; behind it, nothing of the ancestors' mappings is known */
#define EPOCH_DEPTH_MAX 256

/*
 * Limit of the pieces into which overlapping mappings are cut: PIECES_EACH for each mapping, and
 * PIECES_SHARED for all address spaces together. The kernel's mapping with modules in it takes
 * three pieces a module; but n mappings, each within the previous one, would take n * n.
 */
#define PIECES_EACH	4
#define PIECES_SHARED	(1U << 14)

void sideband_init(struct sideband *sb)
{
	memset(sb, 0, sizeof(*sb));
	sb->kernel.pid = -1;
	sb->pieces_left = PIECES_SHARED;
}

void sideband_deinit(struct sideband *sb)
{
	pool_deinit(&sb->pool);
	free(sb->process);
	free(sb->thread);
	free(sb->record);
	intern_deinit(&sb->comms);
	intern_deinit(&sb->cgroups);
	idmap_deinit(&sb->cgroup_ids);
	idmap_deinit(&sb->pids);
	idmap_deinit(&sb->tids);
}

int sideband_add(struct sideband *sb, const u8 *rec, u64 time)
{
	if (mem_grow(&sb->record, &sb->records_cap, sb->nr_records + 1))
		return -ENOMEM;
	sb->record[sb->nr_records++] = (struct sideband_record){ time, rec };
	return 0;
}

/* Processes and their epochs */

static struct process *get_process(struct sideband *sb, s32 pid)
{
	u32 index = idmap_element(&sb->pids, (u32)pid, &sb->process, &sb->nr_processes,
				  &sb->processes_cap);

	if (index == IDMAP_NONE)
		return NULL;
	sb->process[index].pid = pid;
	return &sb->process[index];
}

/* The previous address space of a process is unlikely to get more mappings: trim it */
static void end_epoch(struct sideband *sb, struct process *p)
{
	struct epoch *e = p->nr ? p->epoch[p->nr - 1].e : NULL;

	if (e)
		pool_trim(&sb->pool, &e->range, &e->cap, e->nr);
}

static struct epoch *new_epoch(struct sideband *sb, struct process *p, u64 since)
{
	struct epoch *e = pool_alloc(&sb->pool, sizeof(*e));

	end_epoch(sb, p);
	if (!e || pool_grow(&sb->pool, &p->epoch, &p->cap, p->nr + 1))
		return NULL;
	p->epoch[p->nr++] = (struct process_epoch){ since, e };
	return e;
}

static struct epoch *last_epoch(struct sideband *sb, struct process *p)
{
	return p->nr ? p->epoch[p->nr - 1].e : new_epoch(sb, p, 0);
}

static int add_range(struct sideband *sb, struct epoch *e, u64 start, u64 len, u64 birth, u64 shift,
		     u32 dso)
{
	if (!len)
		return 0;
	if (pool_grow(&sb->pool, &e->range, &e->cap, e->nr + 1))
		return -ENOMEM;
	e->range[e->nr] = (struct range){
		.start = start,
		.end = start + len < start ? UINT64_MAX : start + len,
		.birth = birth,
		.shift = shift,
		.dso = dso,
		.order = e->nr,
	};
	e->nr++;
	return 0;
}

/* Names of threads */

static struct thread_names *get_thread(struct sideband *sb, s32 tid)
{
	u32 index = idmap_element(&sb->tids, (u32)tid, &sb->thread, &sb->nr_threads,
				  &sb->threads_cap);

	return index == IDMAP_NONE ? NULL : &sb->thread[index];
}

static int add_name(struct sideband *sb, s32 tid, u32 comm, u64 since)
{
	struct thread_names *t = get_thread(sb, tid);

	if (!t || pool_grow(&sb->pool, &t->name, &t->cap, t->nr + 1))
		return -ENOMEM;
	t->name[t->nr++] = (struct thread_name){ since, comm };
	return 0;
}

u32 sideband_comm(const struct sideband *sb, s32 tid, u64 time, u64 *since, u64 *until)
{
	u32 index = idmap_get(&sb->tids, (u32)tid);
	const struct thread_names *t;
	size_t n;

	*since = 0;
	*until = TIME_MAX;
	if (index == IDMAP_NONE)
		return SIDEBAND_NO_COMM;
	t = &sb->thread[index];
	n = nr_up_to(t->name, t->nr, since, time);
	if (n < t->nr)
		*until = t->name[n].since;
	if (!n)
		return SIDEBAND_NO_COMM;
	*since = t->name[n - 1].since;
	return t->name[n - 1].comm;
}

/* Records, applied in the order of time */

struct apply {
	struct sideband *sb;
	struct dso_table *dsos;
	u16 tail;
	bool build_ids;
};

#define REC_PID		8
#define REC_TID		12

bool sideband_is_kernel_mapping(const u8 *rec)
{
	return (rec_type(rec) == PERF_RECORD_MMAP || rec_type(rec) == PERF_RECORD_MMAP2) &&
	       rec_size(rec) >= REC_TID &&
	       (load32(rec + REC_PID) == (u32)-1 ||
		(rec_misc(rec) & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL);
}

/* struct mmap and mmap2 of perf_event_open(2) */
#define MMAP_START	16
#define MMAP_LEN	24
#define MMAP_PGOFF	32
#define MMAP_NAME	40
#define MMAP2_MAJ	40
#define MMAP2_MIN	44
#define MMAP2_INODE	48
#define MMAP2_GENERATION 56
#define MMAP2_ID_SIZE	40
#define MMAP2_ID	44
#define MMAP2_NAME	72

#define KERNEL_MAP_NAME "[kernel.kallsyms]"

/* Is a build id in the record's place of device and inode? See has_build_id(), too. */
static bool read_build_id(const u8 *rec, struct build_id *id)
{
	if (!(rec_misc(rec) & PERF_RECORD_MISC_MMAP_BUILD_ID) || !rec[MMAP2_ID_SIZE] ||
	    rec[MMAP2_ID_SIZE] > BUILD_ID_MAX || rec[MMAP2_ID_SIZE + 1] ||
	    load16(rec + MMAP2_ID_SIZE + 2))
		return false;
	id->size = rec[MMAP2_ID_SIZE];
	memcpy(id->bytes, rec + MMAP2_ID, BUILD_ID_MAX);
	return true;
}

/*
 * Modules that are mapped later replace their part of the kernel's map. perf record 7.2 lists no
 * build ids in the header: these records alone have those of the kernel and its modules. All are
 * written by perf, with neither device nor inode.
 */
static int apply_kernel_mmap(struct apply *a, const u8 *rec, const char *name, size_t len, u64 time,
			     bool second)
{
	struct build_id id = { 0 };
	u64 start = load64(rec + MMAP_START), pgoff = load64(rec + MMAP_PGOFF);
	size_t kernel_len = sizeof(KERNEL_MAP_NAME) - 1;
	struct epoch *e = last_epoch(a->sb, &a->sb->kernel);
	int dso = DSO_INDEX_KERNEL;

	if (!e)
		return -ENOMEM;
	if (second)
		read_build_id(rec, &id);
	if (len >= kernel_len && !memcmp(name, KERNEL_MAP_NAME, kernel_len)) {
		if (id.size)
			a->sb->kernel_id = id;
		if (memchr(name, 0, len) && pgoff) {
			a->sb->kernel_ref_name = name + kernel_len;
			a->sb->kernel_ref_addr = pgoff;
		}
	} else {
		dso = dso_table_kernel_map(a->dsos, name, len, DSO_MODULE, &id);
		if (dso < 0)
			return dso;
	}
	return add_range(a->sb, e, start, load64(rec + MMAP_LEN), time, 0, dso);
}

/*
 * Does the record have a build id in place of device and inode? The bit alone does not tell: the
 * kernel (seen with 6.18) leaves it set when another event on the machine asked for build ids, and
 * perf 6.1 then dies of a build id of 254 bytes, which is a device number. perf inject writes build
 * ids into recordings that did not ask for them. There a size of 16 to 20 bytes is believed: as
 * device numbers these belong to drives that Linux has no driver for any more.
 */
#define NO_DEVICE	16
static bool has_build_id(const struct apply *a, const u8 *rec, struct build_id *id)
{
	struct build_id read;

	if (!read_build_id(rec, &read) || (!a->build_ids && read.size < NO_DEVICE))
		return false;
	*id = read;
	return true;
}

/* Each generated function is added as a mapping of its bytes in the dump, when it was generated */
struct jit {
	struct apply *a;
	struct epoch *e;
	u64 time;		/* of the mapping that tells of the dump */
	u32 dso;
};

static int add_jit_code(const struct jitdump_code *code, void *ctx)
{
	struct jit *jit = ctx;
	struct symtab *st = &jit->a->dsos->dso[jit->dso]->symtab;
	u64 birth = jit->a->sb->monotonic ? code->time : jit->time;
	u32 name;
	int ret = 0;

	if (code->name)
		ret = symtab_own_name(st, code->name, strlen(code->name), &name);
	if (!ret && code->name)
		ret = symtab_add(st, code->offset, code->size, code->offset + code->size, name,
				 SYM_RANK_GLOBAL);
	return ret ? ret : add_range(jit->a->sb, jit->e, code->addr, code->size, birth,
				     code->offset - code->addr, jit->dso);
}

static int apply_jitdump(struct apply *a, struct epoch *e, u32 dso, s32 pid, u64 time)
{
	struct jit jit = { a, e, time, dso };
	struct dso *d = a->dsos->dso[dso];
	struct error err = { "" };
	int ret;

	/* If the dump is mapped again, as after a fork, the parent's epoch has the ranges */
	if (d->problem || d->symtab.nr_added)
		return 0;
	d->pid = pid;
	ret = jitdump_read(d->path, a->sb->symfs, pid, d->mount_ns, add_jit_code, &jit, &err);
	if (err.text[0])
		dso_fail(d, ret, "%s", err.text);
	return ret == -ENOMEM ? ret : 0;
}

static int apply_mmap(struct apply *a, const u8 *rec, u64 time, bool second)
{
	u16 misc = rec_misc(rec), mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	u32 at = second ? MMAP2_NAME : MMAP_NAME;
	struct mapped_inode inode = { 0 };
	struct build_id id = { 0 };
	u64 start, len;
	struct process *p;
	const char *name;
	struct epoch *e;
	size_t name_len;
	s32 pid;
	int dso;

	if (rec_size(rec) < at + a->tail)
		return -EINVAL;
	name = (const char *)rec + at;
	name_len = rec_size(rec) - at - a->tail;
	pid = load32(rec + REC_PID);
	if (misc & PERF_RECORD_MISC_MMAP_DATA || mode == PERF_RECORD_MISC_GUEST_KERNEL ||
	    mode == PERF_RECORD_MISC_GUEST_USER)
		return 0;
	if (sideband_is_kernel_mapping(rec))
		return apply_kernel_mmap(a, rec, name, name_len, time, second);
	if (second && !has_build_id(a, rec, &id)) {
		inode.number = load64(rec + MMAP2_INODE);
		inode.generation = load64(rec + MMAP2_GENERATION);
		inode.device = makedev(load32(rec + MMAP2_MAJ), load32(rec + MMAP2_MIN));
	}
	start = load64(rec + MMAP_START);
	len = load64(rec + MMAP_LEN);
	p = get_process(a->sb, pid);
	e = p ? last_epoch(a->sb, p) : NULL;
	if (!e)
		return -ENOMEM;
	dso = dso_table_map(a->dsos, name, name_len, pid, p->mount_ns, &id, &inode);
	if (dso < 0)
		return dso;
	switch (a->dsos->dso[dso]->kind) {
	case DSO_FILE:
	case DSO_VDSO:
		return add_range(a->sb, e, start, len, time, load64(rec + MMAP_PGOFF) - start, dso);
	case DSO_JITDUMP:
		return apply_jitdump(a, e, dso, pid, time);
	default:
		return add_range(a->sb, e, start, len, time, 0, dso);
	}
}

static int apply_comm(struct apply *a, const u8 *rec, u64 time)
{
	struct process *p;
	int comm;

	if (rec_size(rec) < 16 + a->tail)
		return -EINVAL;
	comm = intern_add(&a->sb->comms, (const char *)rec + 16, rec_size(rec) - 16 - a->tail);
	if (comm < 0)
		return comm;
	if (rec_misc(rec) & PERF_RECORD_MISC_COMM_EXEC) {
		p = get_process(a->sb, load32(rec + REC_PID));
		if (!p || !new_epoch(a->sb, p, time))
			return -ENOMEM;
	}
	return add_name(a->sb, load32(rec + REC_TID), comm, time);
}

/* struct fork: pid, ppid, tid, ptid, time */
#define FORK_PPID	12
#define FORK_TID	16
#define FORK_PTID	20

static int fork_process(struct apply *a, s32 pid, s32 ppid, u64 time, bool share)
{
	struct process *p = get_process(a->sb, pid);
	struct epoch *e = p ? new_epoch(a->sb, p, time) : NULL, *from;
	u32 parent = idmap_get(&a->sb->pids, (u32)ppid);

	if (!e)
		return -ENOMEM;
	if (parent != IDMAP_NONE)
		p->mount_ns = a->sb->process[parent].mount_ns;
	if (!share || parent == IDMAP_NONE || !a->sb->process[parent].nr)
		return 0;
	from = last_epoch(a->sb, &a->sb->process[parent]);
	e->forked = time;
	while (from && !from->nr) {
		e->forked = min(e->forked, from->forked);
		from = from->parent;
	}
	if (!from || from->depth == EPOCH_DEPTH_MAX)
		return 0;
	e->parent = from;
	e->depth = from->depth + 1;
	return 0;
}

static int apply_fork(struct apply *a, const u8 *rec, u64 time)
{
	s32 pid, ppid, tid, ptid;
	u64 since, until;
	u32 comm;

	if (rec_size(rec) < 32)
		return -EINVAL;
	pid = load32(rec + REC_PID);
	ppid = load32(rec + FORK_PPID);
	tid = load32(rec + FORK_TID);
	ptid = load32(rec + FORK_PTID);
	/* perf synthesizes forks of what ran before it, with this bit: their own mappings follow */
	if (pid != ppid && fork_process(a, pid, ppid, time,
					!(rec_misc(rec) & PERF_RECORD_MISC_FORK_EXEC)))
		return -ENOMEM;
	comm = sideband_comm(a->sb, ptid, time, &since, &until);
	if (comm == SIDEBAND_NO_COMM || tid == ptid)
		return 0;
	return add_name(a->sb, tid, comm, time);
}

/* struct exit is as struct fork. Nearly every process ends with its first thread. */
static void apply_exit(struct apply *a, const u8 *rec)
{
	u32 process;

	if (rec_size(rec) < FORK_TID + sizeof(s32) ||
	    load32(rec + REC_PID) != load32(rec + FORK_TID))
		return;
	process = idmap_get(&a->sb->pids, load32(rec + REC_PID));
	if (process != IDMAP_NONE)
		end_epoch(a->sb, &a->sb->process[process]);
}

/* struct namespaces: pid, tid, nr, and device and inode of each, NET_NS_INDEX first */
#define NAMESPACES_NR	16
#define NAMESPACES_LINK	24

static int apply_namespaces(struct apply *a, const u8 *rec)
{
	const size_t link = sizeof(struct perf_ns_link_info);
	struct process *p;

	if (rec_size(rec) < NAMESPACES_LINK + (MNT_NS_INDEX + 1) * link + a->tail)
		return -EINVAL;
	/* A process has the namespaces of its first thread */
	if (load64(rec + NAMESPACES_NR) <= MNT_NS_INDEX ||
	    load32(rec + REC_PID) != load32(rec + REC_TID))
		return 0;
	p = get_process(a->sb, load32(rec + REC_PID));
	if (!p)
		return -ENOMEM;
	p->mount_ns = load64(rec + NAMESPACES_LINK + MNT_NS_INDEX * link +
			     offsetof(struct perf_ns_link_info, ino));
	return 0;
}

/* struct ksymbol: addr, len, type, flags, name */
#define KSYMBOL_LEN	16
#define KSYMBOL_FLAGS	22
#define KSYMBOL_NAME	24

static int add_program(struct sideband *sb, struct dso_table *dsos, u64 addr, u64 len, u64 time,
		       u32 dso)
{
	struct epoch *e = last_epoch(sb, &sb->kernel);
	struct symtab *st = &dsos->dso[dso]->symtab;

	/* Nearly every program has one symbol, and all its symbols have the name of the DSO */
	st->strings[0].p = dsos->dso[dso]->name;
	st->strings[0].size = strlen(st->strings[0].p) + 1;
	if (!e || (!st->nr_added && symtab_reserve(st, 1)) ||
	    symtab_add(st, addr, len, addr + len, 0, SYM_RANK_GLOBAL))
		return -ENOMEM;
	return add_range(sb, e, addr, len, time, 0, dso);
}

static int apply_ksymbol(struct apply *a, const u8 *rec, u64 time)
{
	u64 addr, len;
	int dso;

	if (rec_size(rec) < KSYMBOL_NAME + a->tail)
		return -EINVAL;
	addr = load64(rec + 8);
	len = load32(rec + KSYMBOL_LEN);
	dso = dso_table_kernel_map(a->dsos, (const char *)rec + KSYMBOL_NAME,
				   rec_size(rec) - KSYMBOL_NAME - a->tail, DSO_BPF, NULL);
	if (dso < 0)
		return dso;
	if (load16(rec + KSYMBOL_FLAGS) & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) {
		/* If the program was loaded before the recording, it was there from the start */
		if (a->dsos->dso[dso]->symtab.nr_added)
			return 0;
		time = 0;
	}
	return add_program(a->sb, a->dsos, addr, len, time, dso);
}

/* struct cgroup: id, path. The kernel does not reuse ids, but recorders may repeat a record */
#define CGROUP_ID	8
#define CGROUP_PATH	16

static int apply_cgroup(struct apply *a, const u8 *rec)
{
	const char *path = (const char *)rec + CGROUP_PATH;
	u64 id;
	int text;

	if (rec_size(rec) < CGROUP_PATH + a->tail)
		return -EINVAL;
	id = load64(rec + CGROUP_ID);
	if (idmap_get(&a->sb->cgroup_ids, id) != IDMAP_NONE)
		return 0;
	text = intern_add(&a->sb->cgroups, path, rec_size(rec) - CGROUP_PATH - a->tail);
	return text < 0 ? text : idmap_set(&a->sb->cgroup_ids, id, text);
}

static int apply_record(struct apply *a, const u8 *rec, u64 time)
{
	switch (rec_type(rec)) {
	case PERF_RECORD_MMAP:
		return apply_mmap(a, rec, time, false);
	case PERF_RECORD_MMAP2:
		return apply_mmap(a, rec, time, true);
	case PERF_RECORD_COMM:
		return apply_comm(a, rec, time);
	case PERF_RECORD_FORK:
		return apply_fork(a, rec, time);
	case PERF_RECORD_EXIT:
		apply_exit(a, rec);
		return 0;
	case PERF_RECORD_NAMESPACES:
		return apply_namespaces(a, rec);
	case PERF_RECORD_KSYMBOL:
		return apply_ksymbol(a, rec, time);
	case PERF_RECORD_CGROUP:
		return apply_cgroup(a, rec);
	}
	return 0;
}

/* Overlapping mappings */

static int by_birth(const void *x, const void *y)
{
	const struct range *a = x, *b = y;

	if (a->birth != b->birth)
		return a->birth < b->birth ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int by_start(const void *x, const void *y)
{
	const struct range *a = x, *b = y;

	return a->start != b->start ? (a->start < b->start ? -1 : 1) : by_birth(x, y);
}

/* Most address spaces have few ranges: insertion sort needs no call for each comparison */
#define FEW_RANGES	32

static void sort_ranges(struct epoch *e)
{
	struct range r;
	size_t i, k;

	if (e->nr > FEW_RANGES) {
		qsort(e->range, e->nr, sizeof(*e->range), by_start);
		return;
	}
	for (i = 1; i < e->nr; i++) {
		r = e->range[i];
		for (k = i; k && by_start(&e->range[k - 1], &r) > 0; k--)
			e->range[k] = e->range[k - 1];
		e->range[k] = r;
	}
}

static bool overlap(const struct epoch *e)
{
	size_t i;

	for (i = 1; i < e->nr; i++)
		if (e->range[i].start < e->range[i - 1].end)
			return true;
	return false;
}

/* Every start and end, once each, sorted */
static u64 *edges_of(const struct epoch *e, size_t *ret_nr)
{
	u64 *edge = reallocarray(NULL, e->nr, 2 * sizeof(*edge));
	size_t i, nr = 0;

	if (!edge)
		return NULL;
	for (i = 0; i < e->nr; i++) {
		edge[2 * i] = e->range[i].start;
		edge[2 * i + 1] = e->range[i].end;
	}
	qsort(edge, 2 * e->nr, sizeof(*edge), by_first_u64);
	for (i = 0; i < 2 * e->nr; i++)
		if (!nr || edge[i] != edge[nr - 1])
			edge[nr++] = edge[i];
	*ret_nr = nr;
	return edge;
}

/* Each value that is looked for is there */
static size_t edge_at(const u64 *edge, size_t nr, u64 value)
{
	return nr_up_to_bytes(edge, nr, sizeof(*edge), 0, value) - 1;
}

/* Count the pieces of a range. Return: 0 if that is more than @left and sb->pieces_left allow */
static size_t count_pieces(struct sideband *sb, const struct range *r, const u64 *edge,
			   size_t nr_edges, size_t *left)
{
	size_t nr = edge_at(edge, nr_edges, r->end) - edge_at(edge, nr_edges, r->start);
	size_t more = nr > *left ? nr - *left : 0;

	if (more > sb->pieces_left)
		return 0;
	sb->pieces_left -= more;
	*left -= nr - more;
	return nr;
}

/*
 * Leave out the ranges that would become too many pieces, and count the pieces of the others.
 * @before: receives, for each edge, how many pieces begin before it; filled with zeros at first
 */
static size_t place_pieces(struct sideband *sb, struct epoch *e, const u64 *edge, size_t nr_edges,
			   size_t *before, u64 *dropped)
{
	size_t left = PIECES_EACH * e->nr, i, k, n, nr = 0;
	struct range *r;

	for (r = e->range; r < e->range + e->nr; r++) {
		n = count_pieces(sb, r, edge, nr_edges, &left);
		*dropped += !n;
		if (!n)
			r->end = r->start;
		k = edge_at(edge, nr_edges, r->start);
		for (i = 0; i < n; i++)
			before[k + i]++;
		nr += n;
	}
	for (k = nr_edges, n = nr; k--; before[k] = n)
		n -= before[k];
	return nr;
}

/* Cut every range at every edge within it. Of pieces of equal birth, the one mapped last stays. */
static int cut_ranges(struct sideband *sb, struct epoch *e, u64 *dropped)
{
	size_t nr_edges = 0, i, k, nr = 0, kept = 0;
	u64 *edge = edges_of(e, &nr_edges);
	size_t *at = edge ? calloc(nr_edges, sizeof(*at)) : NULL;
	struct range *piece = NULL, *r;

	if (at) {
		qsort(e->range, e->nr, sizeof(*e->range), by_birth);
		nr = place_pieces(sb, e, edge, nr_edges, at, dropped);
		piece = pool_array(&sb->pool, nr, sizeof(*piece));
	}
	for (r = e->range; piece && r < e->range + e->nr; r++) {
		for (k = edge_at(edge, nr_edges, r->start); edge[k] < r->end; k++) {
			piece[at[k]] = *r;
			piece[at[k]].start = edge[k];
			piece[at[k]++].end = edge[k + 1];
		}
	}
	free(at);
	free(edge);
	if (!piece)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		if (i + 1 < nr && piece[i + 1].start == piece[i].start &&
		    piece[i + 1].birth == piece[i].birth)
			continue;
		piece[kept++] = piece[i];
	}
	e->range = piece;
	e->cap = nr;
	e->nr = kept;
	return 0;
}

static int finish_epoch(struct sideband *sb, struct epoch *e, u64 *dropped)
{
	size_t i;
	int ret;

	if (!e->nr)
		return 0;
	sort_ranges(e);
	if (overlap(e)) {
		ret = cut_ranges(sb, e, dropped);
		if (ret)
			return ret;
	}
	for (i = 0; i < e->nr; i++)
		e->range[i].sole = (!i || e->range[i - 1].start != e->range[i].start) &&
				   (i + 1 == e->nr || e->range[i + 1].start != e->range[i].start);
	return 0;
}

static int finish_process(struct sideband *sb, struct process *p, u64 *dropped)
{
	size_t i;
	int ret;

	for (i = 0; i < p->nr; i++) {
		ret = finish_epoch(sb, p->epoch[i].e, dropped);
		if (ret)
			return ret;
	}
	return 0;
}

/* Memory that the applied records have taken, including the table of DSOs */
static size_t taken(const struct sideband *sb, const struct dso_table *dsos)
{
	return pool_bytes(&sb->pool) + sb->processes_cap * sizeof(*sb->process) +
	       sb->threads_cap * sizeof(*sb->thread) + intern_bytes(&sb->comms) +
	       intern_bytes(&sb->cgroups) + idmap_bytes(&sb->pids) + idmap_bytes(&sb->tids) +
	       idmap_bytes(&sb->cgroup_ids) + dso_table_bytes(dsos);
}

/* After this many records, check how much memory they have taken */
#define LOOK_EACH 256

/* How many records ahead to prefetch: since the first pass they have left the caches */
#define AHEAD 16

int sideband_finish(struct sideband *sb, struct dso_table *dsos, const struct sample_layout *l,
		    bool build_ids, u64 *malformed)
{
	struct apply a = { sb, dsos, l->tail_size, build_ids };
	size_t i;
	int ret;

	ret = radix_sort((void **)&sb->record, sb->nr_records, sb->nr_records,
			 sizeof(*sb->record));
	for (i = 0; !ret && i < sb->nr_records; i++) {
		if (sb->most_bytes && i % LOOK_EACH == 0 && taken(sb, dsos) > sb->most_bytes) {
			sb->left_out = sb->nr_records - i;
			break;
		}
		/* two cache lines have all of a record but the end of a long name */
		if (i + AHEAD < sb->nr_records) {
			__builtin_prefetch(sb->record[i + AHEAD].rec);
			__builtin_prefetch(sb->record[i + AHEAD].rec + 64);
		}
		ret = apply_record(&a, sb->record[i].rec, sb->record[i].time);
		if (ret == -EINVAL) {
			++*malformed;
			ret = 0;
		}
	}
	free(sb->record);
	sb->record = NULL;
	sb->nr_records = 0;
	sb->records_cap = 0;
	for (i = 0; !ret && i < sb->nr_processes; i++)
		ret = finish_process(sb, &sb->process[i], malformed);
	return ret ? ret : finish_process(sb, &sb->kernel, malformed);
}

/* Number the kernel's ranges again, so that ranges added from here on replace what they overlap */
static struct epoch *reopen_kernel(struct sideband *sb)
{
	struct epoch *e = last_epoch(sb, &sb->kernel);
	size_t i;

	for (i = 0; e && i < e->nr; i++)
		e->range[i].order = i;
	return e;
}

int sideband_add_code(struct sideband *sb, const struct sideband_code *code, size_t nr)
{
	struct epoch *e = reopen_kernel(sb);
	u64 dropped = 0;
	size_t i;

	if (!e)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		if (add_range(sb, e, code[i].start, code[i].len, 0, code[i].shift, code[i].dso))
			return -ENOMEM;
	return finish_epoch(sb, e, &dropped);
}

int sideband_add_programs(struct sideband *sb, struct dso_table *dsos,
			  const struct sideband_program *program, size_t nr)
{
	struct epoch *e = reopen_kernel(sb);
	u64 dropped = 0;
	size_t i;
	int dso;

	if (!e)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		dso = dso_table_kernel_map(dsos, program[i].name, strlen(program[i].name), DSO_BPF,
					   NULL);
		if (dso < 0 || add_program(sb, dsos, program[i].start,
					   program[i].end - program[i].start, 0, dso))
			return -ENOMEM;
	}
	return finish_epoch(sb, e, &dropped);
}

/* Look-up */

const struct epoch *epoch_at(const struct process *p, u64 time, u64 *since,
			     u64 *until)
{
	size_t n = nr_up_to(p->epoch, p->nr, since, time);

	*until = n < p->nr ? p->epoch[n].since : TIME_MAX;
	if (!n)
		return NULL;
	*since = p->epoch[n - 1].since;
	return p->epoch[n - 1].e;
}

static const struct range *find_own(const struct epoch *e, u64 addr, u64 time)
{
	size_t n = nr_up_to(e->range, e->nr, start, addr);
	const struct range *r;

	if (!n)
		return NULL;
	r = &e->range[n - 1];
	if (addr >= r->end)
		return NULL;
	while (r->birth > time) {
		if (r == e->range || r[-1].start != r->start)
			return NULL;
		r--;
	}
	return r;
}

const struct range *epoch_find(const struct epoch *e, u64 addr, u64 time)
{
	const struct range *r;

	for (; e; e = e->parent) {
		r = find_own(e, addr, time);
		if (r)
			return r;
		time = min(time, e->forked);
	}
	return NULL;
}
