// SPDX-License-Identifier: GPL-2.0-only
#include "capture/process-tree.h"

static int set_pid(struct process_tree *tree, u32 pid, u64 since, bool member)
{
	struct tree_pid *p;
	u32 index;

	if (!member && idmap_get(&tree->by_pid, pid) == IDMAP_NONE)
		return 0;
	index = idmap_element(&tree->by_pid, pid, &tree->pids, &tree->nr, &tree->cap);
	if (index == IDMAP_NONE)
		return -ENOMEM;
	p = &tree->pids[index];
	p->before = p->member;
	p->member = member;
	p->since = since;
	return 0;
}

int process_tree_add(struct process_tree *tree, u32 pid)
{
	return set_pid(tree, pid, 0, true);
}

int process_tree_note(struct process_tree *tree, const struct perf_event_header *record)
{
	struct {
		struct perf_event_header header;
		u32 pid, ppid, tid, ptid;
		u64 time;
	} fork;

	if (record->type != PERF_RECORD_FORK || record->size < sizeof(fork))
		return 0;
	memcpy(&fork, record, sizeof(fork));
	if (fork.pid == fork.ppid)	/* a thread */
		return 0;
	return set_pid(tree, fork.pid, fork.time, process_tree_has(tree, fork.ppid, fork.time));
}

bool process_tree_has(const struct process_tree *tree, u32 pid, u64 time)
{
	u32 index = idmap_get(&tree->by_pid, pid);
	const struct tree_pid *p;

	if (index == IDMAP_NONE)
		return false;
	p = &tree->pids[index];
	return time >= p->since ? p->member : p->before;
}

void process_tree_deinit(struct process_tree *tree)
{
	idmap_deinit(&tree->by_pid);
	free(tree->pids);
	memset(tree, 0, sizeof(*tree));
}
