/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call trees: below a row of a report, what its code called, or what called it.
 *
 * While samples are counted, the call chain of each sample becomes a path. Paths share their common
 * beginning: their outermost functions, or their innermost ones. The tree of a row merges what
 * follows the row in all paths that enter it.
 */
#ifndef PCSAMPLE_PROFILE_CALL_PATHS_H
#define PCSAMPLE_PROFILE_CALL_PATHS_H

#include "base/numbers.h"
#include "profile/session.h"

#define CALL_NONE	NUMBERS_NONE

/**
 * struct call_step - a function of a path
 * @row: entry of the histogram that has it, or CALL_NONE
 * @func: number from call_func(). CALL_NONE in front of a path: the whole path is below @row
 */
struct call_step {
	u32 row, func;
};

struct call_func {
	u32 dso, sym;
};

/**
 * struct call_place - a node of the tree of paths: paths with a common beginning share its nodes
 * @size: number of places in the subtree that begins here, itself included; they are consecutive
 * @weight, @samples: of all paths that end in the subtree
 * @counts: index of the first count of this place. Counts are sorted by place, so those of the
 *	subtree end where the counts of the first place behind it begin.
 */
struct call_place {
	struct call_step step;
	u32 size;
	u64 weight, samples;
	size_t counts;
};

/* Samples of a block that end in the same place */
struct call_count {
	u32 place, block;
	u64 samples, weight;
};

/**
 * struct call_paths - the paths of all samples
 * @func: functions; all code of an object that has no symbol is one function
 * @place: after call_paths_finish(), @nr places in depth-first order, and an end marker
 *
 * The others are private.
 */
struct call_paths {
	struct call_func *func;
	size_t funcs_cap;
	struct call_place *place;
	size_t nr;
	struct call_count *count;
	size_t nr_counts, counts_cap;
	struct call_path {
		struct call_step step;	/* first, with @parent: numbers_get() */
		u32 parent, block;
		u64 samples, weight;
	} *path;
	size_t paths_cap;
	struct numbers funcs, by_step;
};

void call_paths_deinit(struct call_paths *p);

/* The number of a function. Return: CALL_NONE without memory */
u32 call_func(struct call_paths *p, u32 dso, u32 sym);

/**
 * call_paths_add() - count a sample
 * @step: @nr of them
 * @block: never less than in the previous call
 *
 * Return: 0 or -ENOMEM.
 */
int call_paths_add(struct call_paths *p, const struct call_step *step, size_t nr, u64 weight,
		   u32 block);

/* No sample follows. Return: 0 or -ENOMEM. */
int call_paths_finish(struct call_paths *p);

/**
 * struct call_node - a function of a tree
 * @child: index of the first of @nr nodes below it, the heaviest first
 * @below, @samples_below: weight and samples of all paths that go on below this node, including
 *	those that are too small for a node
 * @squares: as in stats_share()
 * @member, @nr_members: private
 */
struct call_node {
	u32 func;
	u32 child, nr;
	u64 weight, samples, squares;
	u64 below, samples_below;
	size_t member, nr_members;
};

/* The tree of a row: node 0 is the row itself */
struct call_tree {
	struct call_node *node;
	size_t nr, cap;
	u32 *member;			/* private, as these */
	size_t nr_members, members_cap;
	struct call_found {
		u32 func, place;
	} *found;
	size_t nr_found, found_cap;
};

/* Smaller branches get no node: a weight, and a share of all branches with the same parent */
struct call_limit {
	u64 least;
	double share;
};

/**
 * call_tree_find() - build the tree of a row
 * @t: receives it, in place of an earlier one; filled with zeros at first
 * @p: finished
 *
 * Return: 0 or -ENOMEM.
 */
int call_tree_find(struct call_tree *t, const struct call_paths *p, u32 row,
		   const struct call_limit *limit);
void call_tree_deinit(struct call_tree *t);

#endif /* PCSAMPLE_PROFILE_CALL_PATHS_H */
