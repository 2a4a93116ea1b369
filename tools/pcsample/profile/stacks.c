// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <stdio.h>

#include "profile/rows.h"
#include "profile/stacks.h"
#include "symbols/dwarf.h"

void stacks_init(struct stacks *st, struct session *s, enum stack_level from, bool inlined,
		 bool chains, bool demangle)
{
	memset(st, 0, sizeof(*st));
	st->s = s;
	st->from = from;
	st->inlined = inlined;
	st->chains = chains;
	names_init(&st->names, demangle);
}

void stacks_deinit(struct stacks *st)
{
	names_deinit(&st->names);
	intern_deinit(&st->texts);
	callchain_deinit(&st->chain);
	numbers_deinit(&st->by_frame);
	idmap_deinit(&st->codes);
	idmap_deinit(&st->comms);
	idmap_deinit(&st->objects);
	idmap_deinit(&st->inlines);
	free(st->node);
	free(st->path);
	memset(st, 0, sizeof(*st));
}

/* Threads without a name are not remembered: each has another text, and few recordings have any */
static int comm_text(struct stacks *st, u32 comm)
{
	struct place p = { .comm = comm };
	char buf[REPORT_TEXT_MAX];
	const char *text;

	if (!(comm & COMM_UNNAMED))
		return intern_key(&st->texts, &st->comms, comm, report_comm(st->s, &p, buf));
	text = report_comm(st->s, &p, buf);
	return intern_add(&st->texts, text, strlen(text));
}

/*
 * Name of code without a symbol. In stacks without frames of objects it is the object's name in
 * brackets, which names like [vdso] have already.
 */
static const char *unknown_text(const struct stacks *st, u32 dso, char *buf, size_t size)
{
	const char *name = st->s->dsos.dso[dso]->name;

	if (!st->chains)
		return "[unknown]";
	if (name[0] == '[')
		return name;
	snprintf(buf, size, "[%s]", name);
	return buf;
}

static int function_text(struct stacks *st, u32 dso, u32 sym)
{
	char buf[NAME_MAX + 3];

	return intern_key(&st->texts, &st->codes, (u64)dso << 32 | sym,
			  sym == SYM_NONE ? unknown_text(st, dso, buf, sizeof(buf)) :
			  names_symbol(&st->names, st->s->dsos.dso[dso], dso, sym));
}

/*
 * Two nodes are the same if their parent and their frame are. A frame is a text at a level in an
 * object: different objects may have the same name, and functions in them, too.
 */
static u64 node_hash(const struct stack_node *n)
{
	return hash64(((u64)n->parent << 32 | n->text) ^ hash64((u64)n->level << 32 | n->dso));
}

static u64 hash_at(const void *nodes, u32 index)
{
	return node_hash((const struct stack_node *)nodes + index);
}

static bool same_node(const void *nodes, u32 index, const void *key)
{
	const struct stack_node *a = (const struct stack_node *)nodes + index, *b = key;

	return a->parent == b->parent && a->text == b->text && a->level == b->level &&
	       a->dso == b->dso;
}

/* @text: of the frame, an id; or -ENOMEM, which is returned */
static int push(struct stacks *st, u32 *node, int text, enum stack_level level, u32 dso, u8 mode)
{
	const struct stack_node new = {
		.parent = *node,
		.text = text,
		.dso = dso,
		.level = level,
		.mode = mode,
	};
	u64 hash = node_hash(&new);

	if (text < 0 || dso >= STACK_OBJECTS_MAX ||
	    mem_grow(&st->path, &st->path_cap, ++st->depth))
		return -ENOMEM;
	*node = numbers_find(&st->by_frame, hash, same_node, st->node, &new);
	if (*node != NUMBERS_NONE)
		return 0;
	if (mem_grow(&st->node, &st->cap, st->nr + 1) ||
	    numbers_add(&st->by_frame, hash, hash_at, st->node))
		return -ENOMEM;
	*node = st->nr++;
	st->node[*node] = new;
	return 0;
}

/* Outermost first */
static int push_inlined(struct stacks *st, u32 *node, u32 dso, u64 addr, u8 mode)
{
	struct inlines *in = &st->s->inlines;
	u32 chain[SOURCE_FRAMES_MAX], call, name;
	struct source_spot spot;
	unsigned int nr = 0;
	int text;

	if (inlines_find(in, st->s->dsos.dso[dso], dso, addr, &spot))
		return -ENOMEM;
	for (call = spot.call; call != INLINED_NOTHING; call = in->call[call].outer)
		chain[nr++] = call;
	while (nr--) {
		name = in->call[chain[nr]].name;
		text = intern_key(&st->texts, &st->inlines, name,
				  names_inlined(&st->names, in, name));
		if (push(st, node, text, STACK_INLINE, dso, mode))
			return -ENOMEM;
	}
	return 0;
}

static int push_function(struct stacks *st, u32 *node, u32 dso, u32 sym, u64 addr, u8 mode)
{
	if (push(st, node, function_text(st, dso, sym), STACK_FUNCTION, dso, mode) ||
	    (st->inlined && push_inlined(st, node, dso, addr, mode)))
		return -ENOMEM;
	return 0;
}

static int push_callers(struct stacks *st, u32 *node, const struct sample_seen *sample)
{
	const struct callchain_frame *f;
	size_t i;

	if (callchain_find(&st->chain, st->s, sample->resolver, &sample->event->layout, sample->rec,
			   &sample->x))
		return -ENOMEM;
	for (i = st->chain.nr; i-- > st->chain.caller; ) {
		f = &st->chain.frame[i];
		if (push_function(st, node, f->dso, f->sym, f->addr, f->mode))
			return -ENOMEM;
	}
	return 0;
}

static int push_object(struct stacks *st, u32 *node, const struct resolved *x)
{
	int text = intern_key(&st->texts, &st->objects, x->dso, st->s->dsos.dso[x->dso]->name);

	return push(st, node, text, STACK_OBJECT, x->dso, x->mode);
}

int stacks_add(struct stacks *st, const struct sample_seen *sample, u32 *ret)
{
	const struct resolved *x = &sample->x;
	u32 node = STACK_ROOT;

	st->depth = 0;
	if (st->from == STACK_PROCESS &&
	    push(st, &node, comm_text(st, x->comm), STACK_PROCESS, 0, 0))
		return -ENOMEM;
	if (st->chains && push_callers(st, &node, sample))
		return -ENOMEM;
	if (!st->chains && st->from <= STACK_OBJECT && push_object(st, &node, x))
		return -ENOMEM;
	if (push_function(st, &node, x->dso, sample->sym, x->addr, x->mode))
		return -ENOMEM;
	*ret = node;
	return 0;
}

int stacks_add_other(struct stacks *st, u32 node, u32 *ret)
{
	const struct stack_node n = st->node[node];
	static const char name[] = "[other]";
	int text = intern_add(&st->texts, name, strlen(name));

	*ret = n.parent;
	return push(st, ret, text, n.level, n.dso, n.mode);
}

const u32 *stacks_path(struct stacks *st, u32 node, size_t *nr)
{
	size_t at = st->path_cap;

	for (; node != STACK_ROOT; node = st->node[node].parent)
		st->path[--at] = node;
	*nr = st->path_cap - at;
	return st->path + at;
}
