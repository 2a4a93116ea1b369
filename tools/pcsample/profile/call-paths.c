// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "profile/call-paths.h"

void call_paths_deinit(struct call_paths *p)
{
	free(p->func);
	free(p->place);
	free(p->count);
	free(p->path);
	numbers_deinit(&p->funcs);
	numbers_deinit(&p->by_step);
	memset(p, 0, sizeof(*p));
}

/* Counting */

u32 call_func(struct call_paths *p, u32 dso, u32 sym)
{
	const struct call_func new = { dso, sym };

	return numbers_get(&p->funcs, &p->func, &p->funcs_cap, sym, &new);
}

/* Return: the path that goes on from @parent by @step */
static u32 find_path(struct call_paths *p, u32 parent, const struct call_step *step)
{
	const struct call_path new = { .parent = parent, .step = *step };
	u32 id = numbers_get(&p->by_step, &p->path, &p->paths_cap, parent, &new);

	p->nr = p->by_step.nr;
	return id;
}

static int end_block(struct call_paths *p, u32 at)
{
	struct call_path *path = &p->path[at];

	if (!path->samples)
		return 0;
	if (mem_grow(&p->count, &p->counts_cap, p->nr_counts + 1))
		return -ENOMEM;
	p->count[p->nr_counts++] = (struct call_count){
		.place = at, .block = path->block, .samples = path->samples,
		.weight = path->weight,
	};
	path->samples = 0;
	path->weight = 0;
	return 0;
}

int call_paths_add(struct call_paths *p, const struct call_step *step, size_t nr, u64 weight,
		   u32 block)
{
	u32 at = CALL_NONE;
	size_t i;

	for (i = 0; i < nr; i++) {
		at = find_path(p, at, &step[i]);
		if (at == CALL_NONE)
			return -ENOMEM;
	}
	if (at == CALL_NONE)
		return 0;
	if (p->path[at].block != block && end_block(p, at))
		return -ENOMEM;
	p->path[at].block = block;
	p->path[at].samples++;
	p->path[at].weight += weight;
	return 0;
}

/*
 * A path is always made after its parent. So a backward pass adds up the sizes of subtrees, and a
 * forward pass can put each path behind its parent and the siblings that were placed before it.
 * @next: by path, where its next child is placed; in the last element, the next path without parent
 */
static void place_paths(struct call_paths *p, u32 *next)
{
	struct call_place *to;
	struct call_path *path;
	u32 *size = next;	/* until a path is placed */
	size_t i, n;
	u32 *after;

	for (i = 0; i < p->nr; i++)
		size[i] = 1;
	for (i = p->nr; i--; )
		if (p->path[i].parent != CALL_NONE)
			size[p->path[i].parent] += size[i];
	next[p->nr] = 0;
	for (i = 0; i < p->nr; i++) {
		path = &p->path[i];
		n = size[i];
		after = &next[path->parent == CALL_NONE ? p->nr : path->parent];
		to = &p->place[*after];
		*to = (struct call_place){ .step = path->step, .size = n };
		next[i] = *after + 1;
		*after += n;
		path->block = to - p->place;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct call_count *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

static void place_counts(struct call_paths *p)
{
	const struct call_count *c = p->count, *end = p->count + p->nr_counts;
	struct call_place *at;
	size_t i, k;

	qsort(p->count, p->nr_counts, sizeof(*p->count), by_place);
	for (i = 0; i < p->nr; i++) {
		at = &p->place[i];
		at->counts = c - p->count;
		for (; c < end && c->place == i; c++) {
			at->samples += c->samples;
			at->weight += c->weight;
		}
	}
	p->place[p->nr].counts = p->nr_counts;
	/* Children are behind their parent, so going backwards their sums are complete */
	for (i = p->nr; i--; ) {
		at = &p->place[i];
		for (k = i + 1; k < i + at->size; k += p->place[k].size) {
			at->samples += p->place[k].samples;
			at->weight += p->place[k].weight;
		}
	}
}

int call_paths_finish(struct call_paths *p)
{
	u32 *next;
	size_t i;

	for (i = 0; i < p->nr; i++)
		if (end_block(p, i))
			return -ENOMEM;
	p->place = calloc(p->nr + 1, sizeof(*p->place));
	next = calloc(p->nr + 1, sizeof(*next));
	if (!p->place || !next) {
		free(next);
		return -ENOMEM;
	}
	place_paths(p, next);
	free(next);
	for (i = 0; i < p->nr_counts; i++)
		p->count[i].place = p->path[p->count[i].place].block;
	if (p->nr_counts)
		place_counts(p);
	return 0;
}

/* Trees */

void call_tree_deinit(struct call_tree *t)
{
	free(t->node);
	free(t->member);
	free(t->found);
	memset(t, 0, sizeof(*t));
}

static int find_place(struct call_tree *t, const struct call_paths *p, u32 place)
{
	if (mem_grow(&t->found, &t->found_cap, t->nr_found + 1))
		return -ENOMEM;
	t->found[t->nr_found++] = (struct call_found){ p->place[place].step.func, place };
	return 0;
}

static int find_children(struct call_tree *t, const struct call_paths *p, u32 place)
{
	size_t end = place + p->place[place].size, k;
	int ret = 0;

	for (k = place + 1; !ret && k < end; k += p->place[k].size)
		ret = find_place(t, p, k);
	return ret;
}

/*
 * Find where each path first enters the row. Functions in front of that point are not in the tree.
 */
static int find_row(struct call_tree *t, const struct call_paths *p, u32 row)
{
	const struct call_step *step;
	size_t i = 0;
	int ret = 0;

	while (!ret && i < p->nr) {
		step = &p->place[i].step;
		if (step->row != row) {
			i++;
			continue;
		}
		ret = step->func == CALL_NONE ? find_children(t, p, i) : find_place(t, p, i);
		i += p->place[i].size;
	}
	return ret;
}

static int by_function(const void *a, const void *b)
{
	const struct call_found *x = a, *y = b;

	if (x->func != y->func)
		return x->func < y->func ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static u64 sum_squares(const struct call_paths *p, const u32 *member, size_t nr)
{
	u64 in_block[SESSION_CHUNKS_MAX] = { 0 }, squares = 0;
	const struct call_count *c, *end;
	size_t i;

	for (i = 0; i < nr; i++) {
		c = p->count + p->place[member[i]].counts;
		end = p->count + p->place[member[i] + p->place[member[i]].size].counts;
		for (; c < end; c++)
			in_block[c->block] += c->samples;
	}
	for (i = 0; i < SESSION_CHUNKS_MAX; i++)
		squares += in_block[i] * in_block[i];
	return squares;
}

/* Add a node for places of the same function, if they weigh enough */
static int add_node(struct call_tree *t, const struct call_paths *p, const struct call_found *found,
		    size_t nr, u64 least)
{
	struct call_node n = { .func = found->func, .member = t->nr_members, .nr_members = nr };
	size_t i;

	for (i = 0; i < nr; i++) {
		n.weight += p->place[found[i].place].weight;
		n.samples += p->place[found[i].place].samples;
	}
	if (n.weight < least)
		return 0;
	if (mem_grow(&t->node, &t->cap, t->nr + 1) ||
	    mem_grow(&t->member, &t->members_cap, t->nr_members + nr))
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		t->member[t->nr_members++] = found[i].place;
	n.squares = sum_squares(p, t->member + n.member, nr);
	t->node[t->nr++] = n;
	return 0;
}

/* By weight; of equal ones the function that was seen first comes first */
static int by_weight(const void *a, const void *b)
{
	const struct call_node *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->func < y->func ? -1 : x->func > y->func;
}

/* Make the places that were found the nodes below node @of */
static int add_children(struct call_tree *t, const struct call_paths *p, size_t of,
			const struct call_limit *limit)
{
	size_t first = t->nr, i, k;
	u64 below = 0, samples = 0, least;
	int ret = 0;

	for (i = 0; i < t->nr_found; i++) {
		below += p->place[t->found[i].place].weight;
		samples += p->place[t->found[i].place].samples;
	}
	least = max(limit->least, (u64)ceil(limit->share * below));
	least = max(least, (u64)1);
	if (t->nr_found)
		qsort(t->found, t->nr_found, sizeof(*t->found), by_function);
	for (i = 0; !ret && i < t->nr_found; i = k) {
		for (k = i + 1; k < t->nr_found && t->found[k].func == t->found[i].func; k++)
			;
		ret = add_node(t, p, &t->found[i], k - i, least);
	}
	t->node[of].below = below;
	t->node[of].samples_below = samples;
	t->node[of].child = first;
	t->node[of].nr = t->nr - first;
	if (t->nr > first)
		qsort(t->node + first, t->nr - first, sizeof(*t->node), by_weight);
	return ret;
}

int call_tree_find(struct call_tree *t, const struct call_paths *p, u32 row,
		   const struct call_limit *limit)
{
	const struct call_node *n;
	size_t i, k;
	int ret;

	t->nr = 0;
	t->nr_members = 0;
	t->nr_found = 0;
	if (mem_grow(&t->node, &t->cap, 1))
		return -ENOMEM;
	t->node[t->nr++] = (struct call_node){ .func = CALL_NONE };
	ret = find_row(t, p, row);
	if (!ret)
		ret = add_children(t, p, 0, limit);
	t->node[0].weight = t->node[0].below;
	t->node[0].samples = t->node[0].samples_below;
	for (i = 1; !ret && i < t->nr; i++) {
		n = &t->node[i];
		t->nr_found = 0;
		for (k = 0; !ret && k < n->nr_members; k++)
			ret = find_children(t, p, t->member[n->member + k]);
		if (!ret)
			ret = add_children(t, p, i, limit);
	}
	return ret;
}
