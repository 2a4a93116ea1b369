/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Second pass over a recording: resolves every sample and counts it.
 */
#ifndef PCSAMPLE_PROFILE_AGGREGATE_H
#define PCSAMPLE_PROFILE_AGGREGATE_H

#include "profile/call-paths.h"
#include "profile/hist.h"
#include "profile/resolve.h"
#include "profile/stats.h"
#include "profile/tracepoints.h"

/* What tells rows apart: samples that differ in one of these are counted separately */
enum {
	BY_COMM = 1 << 0,
	BY_DSO = 1 << 1,
	BY_SYM = 1 << 2,
	BY_ADDR = 1 << 3,	/* with BY_SYM only where there is no symbol */
	BY_PID = 1 << 4,
	BY_TID = 1 << 5,
	BY_CPU = 1 << 6,
	BY_EVENT = 1 << 7,
	BY_EL = 1 << 8,		/* Exception level, of the hardware sample */
	BY_STATE = 1 << 9,	/* Security state */
	BY_VMID = 1 << 10,
	BY_METHOD = 1 << 11,	/* how the process was found */
	BY_INLINE = 1 << 12,	/* innermost function that was inlined there */
	BY_IDLE = 1 << 13,	/* whether a function of the kernel's idle loop was sampled */
	BY_SRCLINE = 1 << 14,	/* source line; if there is none, the place in the code */
	BY_SRCFILE = 1 << 15,	/* source file */
	BY_SRCPATH = 1 << 16,	/* with these two, files of one name in several directories */
	BY_CGROUP = 1 << 17,
	BY_CALLERS = 1 << 18,	/* count a sample for all functions of its call chain, too */
	BY_CALLED_TREE = 1 << 19,	/* collect paths that begin with the outermost caller */
	BY_CALLERS_TREE = 1 << 20,	/* collect paths that begin with the sampled code */
	BY_FIELDS = 1 << 21,	/* fields of tracepoints, chosen by tracepoints_tell_apart() */
	/*
	 * Count each branch of the branch stacks instead of the sample. BY_DSO, BY_SYM and BY_ADDR
	 * are then of the branch's target. Not with BY_INLINE, _SRCLINE, _SRCFILE, _CGROUP,
	 * _CALLERS, _FIELDS, a tree, or what only hardware samples have (BY_EL to BY_METHOD).
	 */
	BY_BRANCHES = 1 << 22,
	BY_DSO_FROM = 1 << 23,
	BY_SYM_FROM = 1 << 24,
	BY_PREDICTED = 1 << 25,
	BY_IN_TX = 1 << 26,
	BY_ABORT = 1 << 27,
	BY_CYCLES = 1 << 28,
	/*
	 * Weigh a sample by what its CPU counted since the previous sample (a PMU snapshot),
	 * instead of by its period. At most one of these, and not with BY_BRANCHES.
	 */
	OF_CYCLES = 1 << 29,
	OF_INSTRUCTIONS = 1 << 30,
	OF_COUNTED = OF_CYCLES | OF_INSTRUCTIONS,	/* the event that the user chose */
};

/* Mask of these three */
#define OF_COUNTS OF_COUNTED

#define NO_EL		0xf
#define NO_STATE	0xf
#define NO_METHOD	0xf

/**
 * struct place - a key of the histogram, decoded; what the key does not tell apart is 0
 * @comm: as in struct resolved
 * @dso: index
 * @mode: PERF_RECORD_MISC_KERNEL, _USER, ...
 * @named: @where is a symbol's index; if false, @where is an address in the DSO, or 0
 * @from: with BY_BRANCHES, the same for the source of the branch. @from and the members after it
 *	share words of the key with @file, @line, @cgroup and @fields: with BY_BRANCHES only the
 *	former are valid, without it only the latter.
 * @inlined: name of a function that was inlined, an id in the session's inlines.names; or
 *	INLINED_NOTHING
 * @el: Exception level; EL_NOT_KNOWN, or NO_EL if it is no hardware sample
 * @state: enum pcs_state, or NO_STATE if it is no hardware sample
 * @method: enum arm_pcsample_attribution, or NO_METHOD
 * @vmid: VMID, NO_VMID or VMID_NOT_KNOWN
 * @idle: in code of the kernel that waits for an interrupt, see kernel_idle()
 * @file: of the source, an id in the session's inlines.files; or NO_SOURCE_FILE
 * @line: in @file. With BY_SRCLINE, if there is no @file: the offset from the start of the symbol
 *	that @dso and @where name.
 * @cgroup: as returned by sideband_cgroup()
 * @fields: of tracepoints, an id from tracepoints_key()
 */
struct place {
	u32 comm;
	u32 dso;
	u8 mode;
	bool named;
	u64 where;
	u32 inlined;
	s32 pid, tid;
	u32 cpu;
	u32 event;
	u8 el;
	u8 state;
	u8 method;
	bool idle;
	u32 vmid;
	u32 file, line;
	u32 cgroup;
	u32 fields;
	struct place_from {
		u64 where;
		u32 dso;
		u8 mode;
		bool named;
	} from;
	u16 cycles;
	bool predicted, mispredicted, in_tx, aborted;
};

/* Both times are in it */
struct time_window {
	u64 from, to;
};

/**
 * struct aggregate_filter - which samples count
 * @from: first time
 * @to: last time
 * @gaps: times in between that do not count, in their order, @nr_gaps of them
 * @cpus, @pids, @tids: only those; none given means all
 * @comms, @dsos: indexed by id and by DSO: true for those that count. NULL means all.
 * @unnamed: TIDs of threads without a name that count if @comms is given; 0 is swapper
 * @shares_of_all: samples of other @pids and @tids count in @others of the aggregate
 * @tracepoints: has the filter of fields, and the fields for BY_FIELDS; NULL for none
 */
struct aggregate_filter {
	u64 from, to;
	const struct time_window *gaps;
	size_t nr_gaps;
	const u32 *cpus;
	size_t nr_cpus;
	const s32 *pids;
	size_t nr_pids;
	const s32 *tids;
	size_t nr_tids;
	const bool *comms, *dsos;
	const s32 *unnamed;
	size_t nr_unnamed;
	bool shares_of_all;
	struct tracepoints *tracepoints;
};

/* How much of the time from @from to @to is in gaps of the filter, in ns */
u64 aggregate_gaps(const struct aggregate_filter *f, u64 from, u64 to);

/* Does a sample count? */
bool aggregate_passes(const struct aggregate_filter *f, const struct recorded_event *e,
		      const u8 *rec, const struct resolved *x);

/**
 * struct aggregate - the counts
 * @callers: with BY_CALLERS, counts of the code in all call chains: a sample counts once for each
 *	different row of its chain. Not with BY_INLINE, BY_SRCLINE and BY_SRCFILE.
 * @paths: with a tree: call paths of the entries of @callers. Without BY_CALLERS, @callers has
 *	only the code that was sampled.
 * @blocks: of each event; their @weight is not set
 * @by: BY_*
 * @others: of each event, what counts in @blocks, @first to @cpus_seen and @of_event, and is in no
 *	row
 * @samples: counted samples. With BY_BRANCHES this and @weight count branches.
 * @weight: sum of the periods of @samples, or of the counts that OF_COUNTS chose
 * @left_out: samples that the filter left out
 * @stray: samples of events that are not in the file's list; not counted
 * @folded: with BY_CALLERS and BY_ADDR: frames counted by object instead of by address, since there
 *	are too many addresses
 * @first, @last: times of the first and last sample
 * @cpu_samples: samples by CPU number, @nr_cpus of them
 * @cpus_seen: CPUs with samples
 * @part: only a part of the recording's time was to count
 * @gaps: ns between @first and @last that were not to count
 * @stray: samples of no event in the file's list, not counted
 * @folded: with BY_CALLERS and BY_ADDR, frames that count for their object, as there are too many
 *	different ones
 * @of_event: samples of each event that passed the filter. With BY_BRANCHES, all others count
 *	branches.
 * @uncounted: of each event, those of @samples without the chosen count; they weigh nothing
 */
struct aggregate {
	struct hist hist;
	struct hist callers;
	struct call_paths paths;
	struct stats_blocks *blocks;
	struct aggregate_others {
		u64 samples, weight;
	} *others;
	u64 *of_event;
	u64 *uncounted;
	unsigned int by;
	u64 samples;
	u64 weight;
	u64 left_out;
	u64 stray;
	u64 malformed;
	u64 folded;
	u64 first, last;
	u64 *cpu_samples;
	size_t nr_cpus, cpus_cap;
	unsigned int cpus_seen;
	bool part;
	u64 gaps;
};

/**
 * aggregate_run() - count all samples of a session
 * @by: BY_*
 * @filter: NULL for all samples
 *
 * Return: 0 or a negative errno.
 */
int aggregate_run(struct aggregate *a, struct session *s, unsigned int by,
		  const struct aggregate_filter *filter, struct error *err);
void aggregate_deinit(struct aggregate *a);

/* Decode a key */
void aggregate_place(const struct hist *h, const u64 *key, struct place *place);

/* Parts of it, for a pass over many rows */
u32 aggregate_comm(const u64 *key);
u32 aggregate_dso(const u64 *key);
bool aggregate_named(const u64 *key);

#endif /* PCSAMPLE_PROFILE_AGGREGATE_H */
