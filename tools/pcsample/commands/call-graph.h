/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report -g: a tree below each row, as perf report draws it.
 */
#ifndef PCSAMPLE_COMMANDS_CALL_GRAPH_H
#define PCSAMPLE_COMMANDS_CALL_GRAPH_H

#include <argp.h>

#include "base/json.h"
#include "profile/rows.h"

/**
 * struct call_graph_options - as given on the command line
 * @on: there are trees
 * @up: draw the callers of a row, not its callees
 * @ordered: the user chose @up
 * @relative: each share is of the branch that it is in, not of all samples
 * @least: smallest share of a branch
 * @value: what to print of a branch
 */
struct call_graph_options {
	bool on, up, ordered, relative;
	double least;
	enum { CALL_GRAPH_PERCENT, CALL_GRAPH_PERIOD, CALL_GRAPH_COUNT } value;
};

#define CALL_GRAPH_LEAST 0.005

/*
 * "graph,0.5,caller,function,percent", any of them; another word ends the program. NULL is -g
 * alone, which is caller.
 */
void call_graph_parse(struct call_graph_options *o, const char *how, struct argp_state *state);

/**
 * call_graph_print() - the tree of row @i
 * @tree: room for it, for all rows of the report; filled with zeros at first
 * @named: the line of the row begins with the function that the tree does
 *
 * Return: 0 or -ENOMEM.
 */
int call_graph_print(struct out *o, struct report *r, size_t i, struct call_tree *tree,
		     const struct call_graph_options *opt, bool named);

/* The same as a member of the row's object; nothing of a row that is smaller than a branch */
int call_graph_json(struct json *j, struct report *r, size_t i, struct call_tree *tree,
		    const struct call_graph_options *opt);

#endif /* PCSAMPLE_COMMANDS_CALL_GRAPH_H */
