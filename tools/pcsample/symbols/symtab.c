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
		while (++a < end && a->start == best->start)
			if (better(st, a, best))
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

/* So many that nearly every bucket has the start of one symbol or none */
#define BUCKETS_PER_SYMBOL 4

static int build_buckets(struct symtab *st)
{
	u64 span = st->syms[st->nr - 1].start - st->syms[0].start;
	u32 *bucket, i;
	u64 end;

	st->base = st->syms[0].start;
	while (span >> st->shift > BUCKETS_PER_SYMBOL * ((u64)st->nr + 16))
		st->shift++;
	st->nr_buckets = (span >> st->shift) + 1;
	st->bucket = mem_alloc_touched((st->nr_buckets + 2) * sizeof(*st->bucket));
	if (!st->bucket)
		return -ENOMEM;
	bucket = st->bucket;
	for (i = 0; i + 1 < st->nr; i++) {
		end = ((st->syms[i + 1].start - st->base - 1) >> st->shift) + 1;
		while (bucket < st->bucket + end)
			*bucket++ = i;
	}
	while (bucket < st->bucket + st->nr_buckets + 2)
		*bucket++ = i;
	return 0;
}

/* A table without symbols is static, as on some machines nearly all code has no symbols */
static void make_empty(struct symtab *st)
{
	static struct symbol syms[3] = {
		{ .start = 0 }, { .start = UINT64_MAX }, { .start = UINT64_MAX }
	};
	static u32 bucket[2];

	st->syms = syms;
	st->bucket = bucket;
	st->nr = 0;
	st->nr_buckets = 0;
}

static void free_symbols(struct symtab *st)
{
	if (!st->nr)
		return;
	free(st->syms);
	free(st->bucket);
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

const struct symbol *symtab_search(const struct symtab *st, const u32 *bucket, u64 addr)
{
	u32 i = bucket[0], last = bucket[1], mid;

	while (i < last) {
		mid = last - (last - i) / 2;
		if (st->syms[mid].start <= addr)
			i = mid;
		else
			last = mid - 1;
	}
	return &st->syms[i];
}

void symtab_deinit(struct symtab *st)
{
	free(st->added);
	free_symbols(st);
	free(st->own);
	memset(st, 0, sizeof(*st));
}
