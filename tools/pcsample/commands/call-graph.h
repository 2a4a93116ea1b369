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
 * @on: draw trees
 * @up: draw the callers of a row, not its callees
 * @ordered: the user chose caller or callee
 * @relative: shares are relative to the parent branch, not to all samples
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
 * Parse the argument of -g: any of the words in "graph,0.5,caller,function,percent", or NULL, which
 * means caller. An unknown word ends the program.
 */
void call_graph_parse(struct call_graph_options *o, const char *how, struct argp_state *state);

/**
 * call_graph_print() - print the tree of row @i
 * @tree: buffer; use the same for all rows of the report, filled with zeros at first
 * @named: the line of the row names the first function of the tree: leave it out
 *
 * Return: 0 or -ENOMEM.
 */
int call_graph_print(struct out *o, struct report *r, size_t i, struct call_tree *tree,
		     const struct call_graph_options *opt, bool named);

/* The same in JSON, as a member of the row's object; nothing if the row is below the limit */
int call_graph_json(struct json *j, struct report *r, size_t i, struct call_tree *tree,
		    const struct call_graph_options *opt);

#endif /* PCSAMPLE_COMMANDS_CALL_GRAPH_H */
