// SPDX-License-Identifier: GPL-2.0-only
#include "lib/report.h"
#include "lib/source.h"
#include "lib/stacks.h"

void stacks_init(struct stacks *st, struct session *s, enum stack_level from, bool inlined,
		 bool demangle)
{
	memset(st, 0, sizeof(*st));
	st->s = s;
	st->from = from;
	st->inlined = inlined;
	names_init(&st->names, demangle);
}

void stacks_deinit(struct stacks *st)
{
	names_deinit(&st->names);
	intern_deinit(&st->texts);
	idmap_deinit(&st->by_frame);
	idmap_deinit(&st->codes);
	idmap_deinit(&st->comms);
	idmap_deinit(&st->objects);
	idmap_deinit(&st->inlines);
	free(st->node);
	memset(st, 0, sizeof(*st));
}

/* The id of a text, remembered by what it is the text of */
static int text_id(struct stacks *st, struct idmap *known, u64 key, const char *text, u32 *ret)
{
	int id = intern_add(&st->texts, text, strlen(text));

	if (id < 0 || idmap_set(known, key, id))
		return -ENOMEM;
	*ret = id;
	return 0;
}

static int comm_text(struct stacks *st, u32 comm, u32 *ret)
{
	struct place p = { .comm = comm };
	char buf[REPORT_TEXT_MAX];

	*ret = idmap_get(&st->comms, comm);
	if (*ret != IDMAP_NONE)
		return 0;
	return text_id(st, &st->comms, comm, report_comm(st->s, &p, buf), ret);
}

static int object_text(struct stacks *st, u32 dso, u32 *ret)
{
	*ret = idmap_get(&st->objects, dso);
	if (*ret != IDMAP_NONE)
		return 0;
	return text_id(st, &st->objects, dso, st->s->dsos.dso[dso]->name, ret);
}

static int function_text(struct stacks *st, const struct sample_seen *sample, u32 *ret)
{
	u64 key = (u64)sample->x.dso << 32 | sample->sym;
	const char *name = "[unknown]";

	*ret = idmap_get(&st->codes, key);
	if (*ret != IDMAP_NONE)
		return 0;
	if (sample->sym != SYM_NONE)
		name = names_symbol(&st->names, st->s->dsos.dso[sample->x.dso], sample->x.dso,
				    sample->sym);
	return text_id(st, &st->codes, key, name, ret);
}

static int inlined_text(struct stacks *st, u32 name, u32 *ret)
{
	*ret = idmap_get(&st->inlines, name);
	if (*ret != IDMAP_NONE)
		return 0;
	return text_id(st, &st->inlines, name, names_inlined(&st->names, &st->s->inlines, name),
		       ret);
}

/*
 * The key of a node: its parent and its text. Two objects may have one name, so the object is in
 * place of the text of an object, and in place of the parent of an outermost function.
 */
#define IS_OBJECT		(1ULL << 31)
#define OUTERMOST_FUNCTION	(1ULL << 63)

static int push(struct stacks *st, u32 *node, u32 text, enum stack_level level, u32 dso, u8 mode)
{
	u64 key = (u64)(*node + 1) << 32 | text;
	u32 found;

	if (level == STACK_OBJECT)
		key = (u64)(*node + 1) << 32 | IS_OBJECT | dso;
	else if (level == STACK_FUNCTION && *node == STACK_ROOT)
		key = OUTERMOST_FUNCTION | (u64)dso << 32 | text;
	found = idmap_get(&st->by_frame, key);
	if (found != IDMAP_NONE) {
		*node = found;
		return 0;
	}
	if (mem_grow(&st->node, &st->cap, st->nr + 1) || idmap_set(&st->by_frame, key, st->nr))
		return -ENOMEM;
	st->node[st->nr] = (struct stack_node){
		.parent = *node,
		.text = text,
		.dso = dso,
		.level = level,
		.mode = mode,
	};
	*node = st->nr++;
	return 0;
}

/* Outermost first */
static int push_inlined(struct stacks *st, u32 *node, const struct sample_seen *sample)
{
	const struct resolved *x = &sample->x;
	struct inlines *in = &st->s->inlines;
	u32 chain[SOURCE_FRAMES_MAX], call, text;
	struct source_spot spot;
	unsigned int nr = 0;

	if (inlines_find(in, st->s->dsos.dso[x->dso], x->dso, x->addr, &spot))
		return -ENOMEM;
	for (call = spot.call; call != INLINED_NOTHING; call = in->call[call].outer)
		chain[nr++] = call;
	while (nr--)
		if (inlined_text(st, in->call[chain[nr]].name, &text) ||
		    push(st, node, text, STACK_INLINE, x->dso, x->mode))
			return -ENOMEM;
	return 0;
}

int stacks_add(struct stacks *st, const struct sample_seen *sample, u32 *ret)
{
	const struct resolved *x = &sample->x;
	u32 node = STACK_ROOT, text;

	if (st->from == STACK_PROCESS &&
	    (comm_text(st, x->comm, &text) || push(st, &node, text, STACK_PROCESS, 0, 0)))
		return -ENOMEM;
	if (st->from <= STACK_OBJECT &&
	    (object_text(st, x->dso, &text) ||
	     push(st, &node, text, STACK_OBJECT, x->dso, x->mode)))
		return -ENOMEM;
	if (function_text(st, sample, &text) ||
	    push(st, &node, text, STACK_FUNCTION, x->dso, x->mode) ||
	    (st->inlined && push_inlined(st, &node, sample)))
		return -ENOMEM;
	*ret = node;
	return 0;
}

int stacks_add_other(struct stacks *st, u32 node, u32 *ret)
{
	const struct stack_node n = st->node[node];
	static const char name[] = "[other]";
	int text = intern_add(&st->texts, name, strlen(name));

	if (text < 0)
		return text;
	*ret = n.parent;
	return push(st, ret, text, n.level, n.dso, n.mode);
}
