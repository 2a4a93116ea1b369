// SPDX-License-Identifier: GPL-2.0-only
#include "base/radix.h"
#include "symbols/symtab.h"

/* Touch memory for so many symbols at most: a damaged file may claim any number */
#define TOUCHED_MAX	((size_t)1 << 18)

int symtab_reserve(struct symtab *st, size_t nr)
{
	struct symtab_added *grown;

	if (st->nr_added + nr <= st->added_cap)
		return 0;
	grown = reallocarray(st->added, st->nr_added + nr, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	st->added = grown;
	st->added_cap = st->nr_added + nr;
	mem_touch(st->added + st->nr_added, min(nr, TOUCHED_MAX) * sizeof(*grown));
	return 0;
}

int symtab_own_name(struct symtab *st, const char *name, size_t len, u32 *ret)
{
	if (st->own_size + len + 1 > SYM_NAME_OFFSET_MASK)
		return -E2BIG;
	if (mem_grow(&st->own, &st->own_cap, st->own_size + len + 1))
		return -ENOMEM;
	*ret = SYM_NAME_OWN << SYM_NAME_TABLE_SHIFT | st->own_size;
	memcpy(st->own + st->own_size, name, len);
	st->own[st->own_size + len] = '\0';
	st->own_size += len + 1;
	st->strings[SYM_NAME_OWN].p = st->own;
	st->strings[SYM_NAME_OWN].size = st->own_size;
	return 0;
}

const char *symtab_name(const struct symtab *st, u32 index)
{
	u32 name = st->syms[index].name;
	const struct symtab_string_table *t = &st->strings[name >> SYM_NAME_TABLE_SHIFT];

	name &= SYM_NAME_OFFSET_MASK;
	return name < t->size ? t->p + name : "";
}

static unsigned int leading_underscores(const char *name)
{
	unsigned int n = 0;

	while (name[n] == '_')
		n++;
	return n;
}

static const char *added_name(const struct symtab *st, const struct symtab_added *a)
{
	const struct symtab_string_table *t = &st->strings[a->name >> SYM_NAME_TABLE_SHIFT];
	u32 offset = a->name & SYM_NAME_OFFSET_MASK;

	return offset < t->size ? t->p + offset : "";
}

/* Is @a a better name for their common address than @b? */
static bool better(const struct symtab *st, const struct symtab_added *a,
		   const struct symtab_added *b)
{
	unsigned int ua, ub;

	if (a->sized != b->sized)
		return a->sized;
	if (a->rank != b->rank)
		return a->rank > b->rank;
	ua = leading_underscores(added_name(st, a));
	ub = leading_underscores(added_name(st, b));
	if (ua != ub)
		return ua < ub;
	/* the plain name of several, as f of f and __pi_f */
	return strlen(added_name(st, a)) < strlen(added_name(st, b));
}

/* Are the bounds @a within a function that has a symbol? Several may describe its parts. */
static bool is_part_of(const struct symtab_added *a, const struct symtab_added *symbol)
{
	return a->rank == SYM_RANK_FRAME && symbol->sized &&
	       a->start - symbol->start < symbol->size;
}

_Static_assert(sizeof(struct symbol) <= sizeof(struct symtab_added), "build_syms() is in place");

/* The symbols take the place of what was added: each is written over what has been read */
static int build_syms(struct symtab *st)
{
	const struct symtab_added *a = st->added, *end = a + st->nr_added, *best;
	const struct symbol last = { .start = UINT64_MAX };
	struct symbol *to = (struct symbol *)st->added;
	u32 nr = 0, size;

	while (a < end) {
		best = a;
		while (++a < end && (a->start == best->start || is_part_of(a, best)))
			if (a->start == best->start && better(st, a, best))
				best = a;
		size = best->size;
		if (a < end)
			size = min((u64)size, a->start - best->start);
		to[nr++] = (struct symbol){ best->start, size, best->name };
	}
	to = realloc(st->added, (nr + 2UL) * sizeof(*to));
	if (!to)
		return -ENOMEM;
	st->added = NULL;
	to[nr] = last;
	to[nr + 1] = last;
	st->syms = to;
	st->nr = nr;
	return 0;
}

/* So many that hardly any bucket has the starts of two symbols */
#define BUCKETS_PER_SYMBOL 16

static int build_buckets(struct symtab *st)
{
	u64 span = st->syms[st->nr - 1].start - st->syms[0].start, b;
	struct symtab_buckets *group, *end;
	u32 i;

	st->base = st->syms[0].start;
	while (span >> st->shift > BUCKETS_PER_SYMBOL * ((u64)st->nr + 16))
		st->shift++;
	st->nr_buckets = (span >> st->shift) + 1;
	b = st->nr_buckets / SYMTAB_GROUP + 1;
	st->group = mem_alloc_touched(b * sizeof(*group));
	if (!st->group)
		return -ENOMEM;
	group = st->group;
	end = group + b;
	*group++ = (struct symtab_buckets){ 0 };
	for (i = 1; i < st->nr; i++) {
		/* The first bucket that begins at its start or behind it */
		b = ((st->syms[i].start - st->base - 1) >> st->shift) + 1;
		while (group <= st->group + b / SYMTAB_GROUP)
			*group++ = (struct symtab_buckets){ .first = i - 1 };
		/*
		 * One more, for this bucket and those behind it. Beyond 15 it overflows into these,
		 * which also have more than 15: what is there instead is smaller.
		 */
		group[-1].more += 0x11111111U << 4 * (b % SYMTAB_GROUP);
	}
	while (group < end)
		*group++ = (struct symtab_buckets){ .first = st->nr - 1 };
	return 0;
}

/* A table without symbols is static, as on some machines nearly all code has no symbols */
static void make_empty(struct symtab *st)
{
	static struct symbol syms[3] = {
		{ .start = 0 }, { .start = UINT64_MAX }, { .start = UINT64_MAX }
	};
	static struct symtab_buckets group;

	st->syms = syms;
	st->group = &group;
	st->nr = 0;
	st->nr_buckets = 0;
}

static void free_symbols(struct symtab *st)
{
	if (!st->nr)
		return;
	free(st->syms);
	free(st->group);
}

int symtab_finish(struct symtab *st)
{
	int ret = 0;

	if (st->nr_added) {
		ret = radix_sort((void **)&st->added, st->nr_added, st->nr_added,
				 sizeof(*st->added));
		if (!ret)
			ret = build_syms(st);
		if (!ret)
			ret = build_buckets(st);
	}
	if (ret)
		free_symbols(st);
	if (!st->nr || ret)
		make_empty(st);
	free(st->added);
	st->added = NULL;
	st->nr_added = 0;
	st->added_cap = 0;
	return ret;
}

const struct symbol *symtab_search(const struct symtab *st, const struct symbol *s, u64 addr)
{
	size_t left = st->syms + st->nr - s, step;

	/* It is likely near: double the steps first */
	for (step = 1; step < left && s[step].start <= addr; step *= 2) {
		s += step;
		left -= step;
	}
	for (; step; step /= 2) {
		if (step < left && s[step].start <= addr) {
			s += step;
			left -= step;
		}
	}
	return s;
}

void symtab_deinit(struct symtab *st)
{
	free(st->added);
	free_symbols(st);
	free(st->own);
	memset(st, 0, sizeof(*st));
}
