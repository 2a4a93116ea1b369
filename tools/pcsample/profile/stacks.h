/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples as stacks, for viewers of stacks. PC samples have no call chains: the frames of their
 * stacks are process, object, function, and what was inlined into it.
 *
 * Stacks of samples with call chains are the process and each function of the chain, the outermost
 * caller first, with what was inlined into it. Callers are in different objects, so objects are no
 * frames then.
 */
#ifndef PCSAMPLE_PROFILE_STACKS_H
#define PCSAMPLE_PROFILE_STACKS_H

#include "base/numbers.h"
#include "profile/callchain.h"
#include "profile/samples.h"
#include "symbols/names.h"

enum stack_level { STACK_PROCESS, STACK_OBJECT, STACK_FUNCTION, STACK_INLINE };

#define STACK_ROOT (~0U)

/* Limit of stack_node.dso. The names of so many objects would take 7 GB. */
#define STACK_OBJECTS_MAX (1U << 27)

/**
 * struct stack_node - a frame and its callers; a node and its parents are a stack
 * @parent: index, always less than the node's own; or STACK_ROOT
 * @text: of the frame, an id in @texts
 * @dso: index; 0 for processes
 * @level: enum stack_level
 * @mode: PERF_RECORD_MISC_KERNEL, _USER, ... of the node's first sample
 *
 * Bit-fields, since a sample of 24 bytes may make three nodes.
 */
struct stack_node {
	u32 parent;
	u32 text;
	u32 dso : 27;
	u32 level : 2;
	u32 mode : 3;
};

/**
 * struct stacks - all stacks of a recording
 * @from: outermost level that is a frame
 * @inlined: add frames of inlined functions
 * @chains: add frames of callers, and none of objects
 *
 * @comms, @objects, @codes and @inlines map thread names, objects, functions and inlined functions
 * to ids of @texts. @depth is that of the stack that is being added; @path has room for the nodes
 * of the deepest one.
 */
struct stacks {
	struct session *s;
	enum stack_level from;
	bool inlined, chains;
	struct callchain chain;
	struct names names;
	struct intern texts;
	struct stack_node *node;
	size_t nr, cap;
	size_t depth;
	u32 *path;
	size_t path_cap;
	struct numbers by_frame;
	struct idmap codes;
	struct idmap comms;
	struct idmap objects;
	struct idmap inlines;
};

void stacks_init(struct stacks *st, struct session *s, enum stack_level from, bool inlined,
		 bool chains, bool demangle);
void stacks_deinit(struct stacks *st);

/**
 * stacks_add() - the stack of a sample
 * @ret: receives the index of its innermost node
 *
 * Return: 0 or -ENOMEM.
 */
int stacks_add(struct stacks *st, const struct sample_seen *sample, u32 *ret);

/**
 * stacks_add_other() - find or add the node "[other]" for nodes that are not shown by themselves
 * @node: one of them
 * @ret: receives "[other]", with the same parent
 *
 * Return: 0 or -ENOMEM.
 */
int stacks_add_other(struct stacks *st, u32 node, u32 *ret);

/**
 * stacks_path() - the nodes of a stack, the outermost first
 * @node: its innermost
 * @nr: receives how many there are
 *
 * Return: the nodes; valid until the next call.
 */
const u32 *stacks_path(struct stacks *st, u32 node, size_t *nr);

static inline const char *stacks_text(const struct stacks *st, u32 node)
{
	return intern_text(&st->texts, st->node[node].text);
}

#endif /* PCSAMPLE_PROFILE_STACKS_H */
