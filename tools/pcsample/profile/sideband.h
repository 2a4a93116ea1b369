/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which process mapped what, when, and what its threads were called.
 *
 * Side-band records are all read before any sample, so a sample is looked up by (pid, address,
 * time) in any order and from any thread.
 */
#ifndef PCSAMPLE_PROFILE_SIDEBAND_H
#define PCSAMPLE_PROFILE_SIDEBAND_H

#include "base/arena.h"
#include "perfdata/reader.h"
#include "symbols/dso.h"

#define TIME_MAX UINT64_MAX

/**
 * struct range - code at an address of an address space, from a time on
 * @start: first address
 * @end: behind the last address
 * @birth: when it was mapped
 * @shift: added to an address it gives the DSO's address
 * @dso: index in the table of DSOs
 * @sole: nothing else was ever there
 */
struct range {
	u64 start, end;
	u64 birth;
	u64 shift;
	u32 dso;
	u32 sole : 1;
	u32 order : 31;		/* private: of mapping, until sideband_finish() */
};

/**
 * struct epoch - an address space from a fork or exec to the next
 * @range: sorted by start, then by birth. Ranges with the same start have the same end, others do
 *	not overlap: mappings over each other are cut into pieces when the side-band is complete.
 * @parent: where addresses that this epoch did not map itself are looked up, as of @forked: a fork
 *	shares its parent's past instead of copying it. NULL after exec.
 */
struct epoch {
	struct range *range;
	size_t nr, cap;
	struct epoch *parent;
	u64 forked;
	unsigned int depth;
};

/*
 * The times are next to each other, so that a search accesses no epoch but the one it finds.
 * @mount_ns: mount namespace by the latest record, 0 if not known; a DSO keeps the one it was
 *	mapped in.
 */
struct process {
	s32 pid;
	u64 mount_ns;
	struct process_epoch {
		u64 since;	/* when it began */
		struct epoch *e;
	} *epoch;		/* sorted by since */
	size_t nr, cap;
};

/* Names of a thread, sorted by time. TIDs are reused, so a fork may change the name, too. */
struct thread_names {
	struct thread_name {
		u64 since;
		u32 comm;
	} *name;
	size_t nr, cap;
};

/**
 * struct sideband - all of it
 * @comms: names of threads
 * @kernel: the kernel's address space, for all times
 */
struct sideband {
	struct intern comms;
	struct idmap pids, tids;
	struct process *process;
	size_t nr_processes, processes_cap;
	struct thread_names *thread;
	size_t nr_threads, threads_cap;
	struct process kernel;
	struct intern cgroups;		/* paths */
	struct idmap cgroup_ids;	/* from the kernel's id of a cgroup to that of its path */
	u64 kernel_ref_addr;	/* address of the symbol below when it was recorded; 0: not known */
	const char *kernel_ref_name;	/* in the file */
	struct build_id kernel_id;	/* in the record of the kernel's mapping, or size 0 */

	size_t most_bytes;	/* memory that records may take; set by the caller, 0: any */
	u64 left_out;		/* records that would have taken more */

	/* For jit-PID.dump files; set by the caller */
	bool monotonic;		/* times are of CLOCK_MONOTONIC, as in the dumps */
	const char *symfs;	/* directory in front of their paths */

	/* private: memory of all epochs, their ranges, and names */
	struct pool pool;
	size_t pieces_left;	/* for cutting overlapping mappings: PIECES_SHARED */

	/* private: the records, until they are sorted and applied */
	struct sideband_record {
		u64 time;
		const u8 *rec;
	} *record;
	size_t nr_records, records_cap;
};

void sideband_init(struct sideband *sb);
void sideband_deinit(struct sideband *sb);

/* Is this record for sideband_add()? */
static inline bool is_sideband(u32 type)
{
	return type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2 || type == PERF_RECORD_COMM ||
	       type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT ||
	       type == PERF_RECORD_NAMESPACES || type == PERF_RECORD_KSYMBOL ||
	       type == PERF_RECORD_CGROUP;
}

/* Is this a mapping of the host's kernel or of a module? */
bool sideband_is_kernel_mapping(const u8 *rec);

/**
 * sideband_add() - add a record; in any order
 * @rec: complete; must stay where it is until sideband_finish()
 *
 * Return: 0 or -ENOMEM.
 */
int sideband_add(struct sideband *sb, const u8 *rec, u64 time);

/**
 * sideband_finish() - apply all records in the order of their times
 * @l: layout of the event whose records end in the fewest fields; a name ends with a NUL before
 *	these, whatever the record's event is
 * @build_ids: an event asked for build ids in mappings
 * @malformed: incremented for each record that is left out as it is too short for its contents
 *
 * Return: 0 or -ENOMEM.
 */
int sideband_finish(struct sideband *sb, struct dso_table *dsos, const struct sample_layout *l,
		    bool build_ids, u64 *malformed);

/**
 * struct sideband_code - code of the kernel that no record told of
 * @shift: added to an address it gives that of the DSO's symbols
 */
struct sideband_code {
	u64 start, len;
	u64 shift;
	u32 dso;
};

/**
 * sideband_add_code() - add code of the kernel
 *
 * After sideband_finish(), and before the first look-up. Replaces what was mapped there; of @code
 * the later replaces the earlier. All other ranges are sorted again each time: add many at once.
 *
 * Return: 0 or -ENOMEM.
 */
int sideband_add_code(struct sideband *sb, const struct sideband_code *code, size_t nr);

/* A BPF program, a trampoline or the like: code of the kernel that is its own DSO */
struct sideband_program {
	u64 start, end;		/* start is first: by_first_u64() */
	const char *name;
};

/* As sideband_add_code(), but each program becomes a DSO of its own name */
int sideband_add_programs(struct sideband *sb, struct dso_table *dsos,
			  const struct sideband_program *program, size_t nr);

/**
 * epoch_at() - the address space of a process at a time
 * @since: receives the time from which the answer is valid
 * @until: receives the time until which it is
 *
 * Return: NULL if nothing is known of that process then.
 */
const struct epoch *epoch_at(const struct process *p, u64 time, u64 *since,
			     u64 *until);

/**
 * epoch_find() - what is at an address
 *
 * Return: NULL if no mapping is known there.
 */
const struct range *epoch_find(const struct epoch *e, u64 addr, u64 time);

/**
 * sideband_comm() - name of a thread at a time
 * @since: receives the time from which the answer is valid
 * @until: receives the time until which it is
 *
 * Return: id in sb->comms, or SIDEBAND_NO_COMM.
 */
#define SIDEBAND_NO_COMM (~0U)
u32 sideband_comm(const struct sideband *sb, s32 tid, u64 time, u64 *since, u64 *until);

/* In place of the id of a path: no cgroup was recorded; one was, but not its path */
#define CGROUP_NONE	(~0U)
#define CGROUP_UNKNOWN	(~0U - 1)

/* The id in sb->cgroups of a cgroup's path, or one of these; @id as in a sample */
static inline u32 sideband_cgroup(const struct sideband *sb, u64 id)
{
	u32 path;

	if (!id)
		return CGROUP_NONE;
	path = idmap_get(&sb->cgroup_ids, id);
	return path == IDMAP_NONE ? CGROUP_UNKNOWN : path;
}

static inline const struct process *sideband_process(const struct sideband *sb, s32 pid)
{
	u32 index = idmap_get(&sb->pids, (u32)pid);

	return index == IDMAP_NONE ? NULL : &sb->process[index];
}

#endif /* PCSAMPLE_PROFILE_SIDEBAND_H */
