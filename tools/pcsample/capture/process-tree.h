/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows forks, to know which processes descend from those to be sampled.
 *
 * arm_pcsample samples CPUs, not processes, so a capture of one command keeps the samples of its
 * processes and drops the others. Fork records must come before the samples that depend on them;
 * see order.h. A pid that is used again is distinguished by time.
 */
#ifndef PCSAMPLE_CAPTURE_PROCESS_TREE_H
#define PCSAMPLE_CAPTURE_PROCESS_TREE_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/idmap.h"

/* All zeros: empty. Each pid is a member or not from @since on, and was one or not before that */
struct process_tree {
	struct idmap by_pid;
	struct tree_pid {
		u64 since;
		bool member;
		bool before;
	} *pids;
	size_t nr;
	size_t cap;
};

/** process_tree_add() - add a process to be sampled with its descendants; 0 or -ENOMEM */
int process_tree_add(struct process_tree *tree, u32 pid);

/** process_tree_note() - follow a PERF_RECORD_FORK, skip all else; 0 or -ENOMEM */
int process_tree_note(struct process_tree *tree, const struct perf_event_header *record);

/** process_tree_has() - was @pid a member at @time? */
bool process_tree_has(const struct process_tree *tree, u32 pid, u64 time);

void process_tree_deinit(struct process_tree *tree);

#endif /* PCSAMPLE_CAPTURE_PROCESS_TREE_H */
