// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "commands/call-graph.h"

/* Options */

static void parse_number(struct call_graph_options *o, const char *word, size_t n,
			 bool *threshold, struct argp_state *state)
{
	char *end;
	double share = strtod(word, &end) / 100;

	if ((!isdigit((unsigned char)*word) && *word != '.') || end != word + n)
		argp_error(state, "-g does not know '%.*s'; it takes graph, fractal or none, a "
			   "percentage, caller or callee, and percent, period or count", (int)n,
			   word);
	if (*threshold)
		argp_error(state, "-g has no limit of the number of branches: raise the "
			   "percentage");
	o->least = share;
	*threshold = true;
}

static void set_order(struct call_graph_options *o, bool up)
{
	o->up = up;
	o->ordered = true;
}

static void parse_word(struct call_graph_options *o, const char *word, size_t n, bool *threshold,
		       struct argp_state *state)
{
	if (text_is(word, n, "graph") || text_is(word, n, "fractal"))
		o->relative = *word == 'f';
	else if (text_is(word, n, "none"))
		o->on = false;
	else if (text_is(word, n, "caller") || text_is(word, n, "callee"))
		set_order(o, word[n - 1] == 'e');
	else if (text_is(word, n, "percent"))
		o->value = CALL_GRAPH_PERCENT;
	else if (text_is(word, n, "period"))
		o->value = CALL_GRAPH_PERIOD;
	else if (text_is(word, n, "count"))
		o->value = CALL_GRAPH_COUNT;
	else if (text_is(word, n, "flat") || text_is(word, n, "folded"))
		argp_error(state, "pcsample export -f folded prints call chains line by line");
	else if (text_is(word, n, "address") || text_is(word, n, "branch"))
		argp_error(state, "branches of -g are functions, not '%.*s'", (int)n, word);
	else if (!text_is(word, n, "function"))
		parse_number(o, word, n, threshold, state);
}

void call_graph_parse(struct call_graph_options *o, const char *how, struct argp_state *state)
{
	bool threshold = false;
	size_t n;

	o->on = true;
	o->ordered = !how;
	o->up = false;
	/* As in perf, an empty word is none */
	for (; how && *(how += strspn(how, ",")); how += n) {
		n = strcspn(how, ",");
		parse_word(o, how, n, &threshold, state);
	}
}

/* What a tree consists of */

/*
 * A branch has too few samples if the lower end of its interval is below this fraction of its
 * share. With ten independent samples, the lower end is there.
 */
#define FEW 0.5

struct drawing {
	struct out *o;
	struct report *r;
	const struct call_tree *tree;
	const struct call_graph_options *opt;
	bool *pipe;		/* by depth: does another branch follow below? Then draw a '|'. */
	size_t pipes_cap;
	unsigned int margin;
	int ret;
};

static struct stats_interval interval_of(const struct report *r, const struct call_node *n,
					 bool *few)
{
	const struct report_self counts = { n->weight, n->samples, n->squares };
	struct stats_interval in = report_interval(r, &counts);

	*few = in.low < FEW * report_share(r, 1, n->weight);
	return in;
}

static const struct call_func *func_of(const struct report *r, const struct call_node *n)
{
	return &r->a->paths.func[n->func];
}

/*
 * For code without a symbol, use the name of its object in brackets. Objects that are not files,
 * such as [vdso], have brackets already.
 */
static const char *name_of(struct report *r, const struct call_node *n, char *buf, size_t size)
{
	const struct call_func *f = func_of(r, n);
	const struct dso *dso = session_dso(r->s, f->dso);

	if (f->sym != SYM_NONE)
		return names_symbol(&r->names, dso, f->dso, f->sym);
	if (dso->name[0] == '[')
		return dso->name;
	snprintf(buf, size, "[%s]", dso->name);
	return buf;
}

/* The child that all samples of @n are in, or NULL */
static const struct call_node *only_child(const struct call_tree *t, const struct call_node *n)
{
	const struct call_node *child = &t->node[n->child];

	return n->nr == 1 && child->weight == n->weight && child->samples == n->samples ? child :
											   NULL;
}

/* Text */

static void print_margin(struct drawing *d)
{
	out_spaces(d->o, 12 + d->margin);
}

static void print_name(struct drawing *d, const struct call_node *n)
{
	char buf[NAME_MAX + 3];

	out_clean(d->o, name_of(d->r, n, buf, sizeof(buf)), 0);
	out_char(d->o, '\n');
}

static void print_value(struct drawing *d, const struct call_node *n, u64 total)
{
	switch (d->opt->value) {
	case CALL_GRAPH_PERCENT:
		out_fixed(d->o, total ? 100.0 * n->weight / total : 0, 2, 0);
		out_char(d->o, '%');
		return;
	case CALL_GRAPH_PERIOD:
		out_u64(d->o, n->weight, 0);
		return;
	case CALL_GRAPH_COUNT:
		out_u64(d->o, n->samples, 0);
		return;
	}
}

/* Draw the vertical lines of outer branches that continue below */
static void print_pipes(struct drawing *d, size_t depth)
{
	size_t i;

	print_margin(d);
	for (i = 0; i < depth; i++) {
		out_char(d->o, d->pipe[i] ? '|' : ' ');
		out_spaces(d->o, 10);
	}
}

static void print_arm(struct drawing *d, size_t depth, const struct call_node *n, u64 total,
		      bool few)
{
	print_pipes(d, depth - 1);
	out_char(d->o, d->pipe[depth - 1] ? '|' : ' ');
	out_text(d->o, "--");
	print_value(d, n, total);
	out_text(d->o, few ? "~-" : "--");
}

/* Print a branch up to where it divides or ends. Return: its last function */
static const struct call_node *print_functions(struct drawing *d, const struct call_node *n,
					       size_t depth, u64 total)
{
	bool few;

	interval_of(d->r, n, &few);
	print_arm(d, depth, n, total, few);
	print_name(d, n);
	while (only_child(d->tree, n)) {
		n = only_child(d->tree, n);
		print_pipes(d, depth);
		print_name(d, n);
	}
	return n;
}

/* In a relative tree, print a branch for the samples that no drawn branch has */
static void print_rest(struct drawing *d, size_t depth, u64 rest, u64 samples, u64 total)
{
	const struct call_node n = { .weight = rest, .samples = samples };

	if (!d->opt->relative || !rest || rest == total ||
	    (d->opt->value == CALL_GRAPH_COUNT && !samples))
		return;
	d->pipe[depth - 1] = false;
	print_arm(d, depth, &n, total, false);
	out_text(d->o, "[...]\n");
}

/* Return: whether a branch was printed */
static bool print_branches(struct drawing *d, const struct call_node *of, size_t depth, u64 total)
{
	const struct call_node *n = &d->tree->node[of->child], *end = n + of->nr, *last;
	u64 rest = total, samples = of->samples_below;

	if (mem_grow(&d->pipe, &d->pipes_cap, depth)) {
		d->ret = -ENOMEM;
		return false;
	}
	d->pipe[depth - 1] = true;
	for (; n < end && !d->ret; n++) {
		rest -= n->weight;
		samples -= n->samples;
		print_pipes(d, depth);
		out_char(d->o, '\n');
		d->pipe[depth - 1] = n + 1 < end || (d->opt->relative && rest);
		last = print_functions(d, n, depth, total);
		print_branches(d, last, depth + 1, d->opt->relative ? last->below : total);
	}
	if (!d->ret)
		print_rest(d, depth, rest, samples, total);
	return of->nr;
}

/*
 * Print the functions that all samples of the row have in common, one below the other.
 * @named: leave out the first one
 *
 * Return: the node at which the tree divides.
 */
static const struct call_node *print_trunk(struct drawing *d, bool named, bool *printed)
{
	const struct call_node *n = &d->tree->node[0];

	while (only_child(d->tree, n)) {
		n = only_child(d->tree, n);
		if (named) {
			named = false;
			continue;
		}
		print_margin(d);
		if (!*printed) {
			out_text(d->o, "|\n");
			print_margin(d);
			out_text(d->o, "---");
			d->margin += 3;
		}
		print_name(d, n);
		*printed = true;
	}
	return n;
}

/* The entry of row @i in @callers, which the trees belong to */
static u32 row_of(const struct report *r, size_t i)
{
	size_t at;

	if (r->rows == &r->a->callers)
		return r->row[i].entry;
	at = hist_find(&r->a->callers, report_entry(r, i)->key);
	return at == HIST_NONE ? CALL_NONE : at;
}

/* Return: 1, 0 if row @i is smaller than a branch may be, or -ENOMEM */
static int find_tree(const struct report *r, size_t i, struct call_tree *tree,
		     const struct call_graph_options *opt)
{
	/* More than all is enough, and a larger number would not fit */
	double least = fmin(opt->least, 2);
	const struct call_limit limit = {
		.least = opt->relative ? 0 : least * r->weight,
		.share = opt->relative ? least : 0,
	};
	u32 row = row_of(r, i);
	int ret;

	if (row == CALL_NONE || report_entry(r, i)->weight < limit.least)
		return 0;
	ret = call_tree_find(tree, &r->a->paths, row, &limit);
	return ret ? ret : 1;
}

int call_graph_print(struct out *o, struct report *r, size_t i, struct call_tree *tree,
		     const struct call_graph_options *opt, bool named)
{
	struct drawing d = { .o = o, .r = r, .tree = tree, .opt = opt };
	const struct call_node *n;
	int ret = find_tree(r, i, tree, opt);
	bool printed = false;

	if (ret <= 0)
		return ret;
	n = print_trunk(&d, named, &printed);
	if (print_branches(&d, n, 1, opt->relative ? tree->node[0].weight : r->weight))
		printed = true;
	if (printed)
		out_char(o, '\n');
	free(d.pipe);
	return d.ret;
}

/* JSON */

static void json_branches(struct json *j, struct report *r, const struct call_tree *tree,
			  const struct call_node *of)
{
	const struct call_node *n = &tree->node[of->child], *end = n + of->nr;
	struct stats_interval in;
	char buf[NAME_MAX + 3];
	bool few;

	json_array(j, "branches");
	for (; n < end; n++) {
		in = interval_of(r, n, &few);
		json_object(j, NULL);
		json_string(j, "symbol", name_of(r, n, buf, sizeof(buf)));
		json_string(j, "dso", session_dso(r->s, func_of(r, n)->dso)->name);
		json_fixed(j, "share", report_share(r, 1, n->weight), 6);
		json_fixed(j, "low", in.low, 6);
		json_fixed(j, "high", in.high, 6);
		json_bool(j, "few", few);
		json_u64(j, "samples", n->samples);
		json_u64(j, "period", n->weight);
		json_branches(j, r, tree, n);
		json_object_end(j);
	}
	json_array_end(j);
}

int call_graph_json(struct json *j, struct report *r, size_t i, struct call_tree *tree,
		    const struct call_graph_options *opt)
{
	int ret = find_tree(r, i, tree, opt);

	if (ret > 0)
		json_branches(j, r, tree, &tree->node[0]);
	return min(ret, 0);
}
