/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols by address.
 */
#ifndef PCSAMPLE_SYMBOLS_SYMTAB_H
#define PCSAMPLE_SYMBOLS_SYMTAB_H

#include <stdbool.h>

#include "base/array.h"

#define SYM_NONE (~0U)

/*
 * A name is the number of a string table in the top two bits and an offset in it below: names stay
 * in the file they came from until somebody prints them.
 */
#define SYM_NAME_TABLE_SHIFT	30
#define SYM_NAME_OFFSET_MASK	((1U << SYM_NAME_TABLE_SHIFT) - 1)
#define SYM_NAME_TABLES		4

struct symbol {
	u64 start;
	u32 size;
	u32 name;
};

/**
 * symbol_is_mapping() - is it one of the mapping symbols of the Arm ELF ABI?
 * @name: symbol
 *
 * "$x", "$d.suffix", ... (AAELF64 5.5.5) mark code and data and name nothing. The kernel lists
 * those of modules. No name of C is '$' and one of these letters alone.
 */
static inline bool symbol_is_mapping(const char *name)
{
	return name[0] == '$' && name[1] && strchr("xdat", name[1]) && (!name[2] || name[2] == '.');
}

/* Which of several symbols at one address names the code; higher is better */
enum symbol_rank {
	SYM_RANK_FRAME,		/* bounds without a name; none where a symbol has the code */
	SYM_RANK_LABEL,		/* no type, no size */
	SYM_RANK_LOCAL,
	SYM_RANK_WEAK,
	SYM_RANK_GLOBAL,
};

/*
 * SYMTAB_GROUP buckets, of a byte each: with 32 bytes of the kernel's code in a bucket, two symbols
 * rarely start in the same one, and the kernel's table takes 1.3 MB. More would cost page faults.
 */
#define SYMTAB_GROUP	8

struct symtab_buckets {
	u32 first;	/* the last symbol before those that @more counts */
	u32 more;	/* 4 bits a bucket: symbols behind @first; a smaller number if above 15 */
};

/*
 * While it is filled, symbols are in @added in any order. After symtab_finish(), @added is gone and
 *	syms is sorted by start, one symbol an address, and none reaches into the next;
 *	bucket b begins at base + (b << shift), for 0 <= b <= nr_buckets; symtab_first() gives the
 *	last symbol that starts at or before that, 0 if none does, or an earlier symbol if there
 *	are too many nearby to count;
 *	behind syms[nr - 1] are two that start at the last address, so that there is a next one.
 * So each address has a bucket and a symbol to begin with, without a test. In a table without
 * symbols, that symbol has no bytes.
 * A table filled with zeros is empty and valid before symtab_finish() and for symtab_find().
 */
struct symtab {
	u64 base;
	struct symtab_buckets *group;
	struct symbol *syms;
	u32 nr;
	u32 nr_buckets;
	unsigned int shift;

	struct symtab_string_table {
		const char *p;	/* the last byte is NUL */
		size_t size;
	} strings[SYM_NAME_TABLES];
	struct symtab_added {
		u64 start;	/* first, for radix_sort() */
		u32 size;	/* if it is not @sized: as far as it can reach */
		u32 name;
		u8 rank;
		bool sized;
	} *added;
	size_t nr_added, added_cap;
	char *own;		/* names that symtab_own_name() keeps: strings[own_table] */
	size_t own_size, own_cap;
};

/* The size that is known, or as far as it can reach */
static inline u32 symtab_size(u64 start, u64 size, u64 limit)
{
	u64 reach = size ? size : max(limit, start) - start;

	return min(reach, (u64)UINT32_MAX);
}

/**
 * symtab_add() - add a symbol
 * @size: 0 if not known: it then reaches to the next symbol or to @limit
 * @limit: end of the section the symbol is in
 * @name: see above; string table and offset must be in st->strings when a name is asked for
 *
 * Return: 0 or -ENOMEM.
 */
static inline int symtab_add(struct symtab *st, u64 start, u64 size, u64 limit, u32 name,
			     enum symbol_rank rank)
{
	if (mem_grow(&st->added, &st->added_cap, st->nr_added + 1))
		return -ENOMEM;
	st->added[st->nr_added++] = (struct symtab_added){
		.start = start,
		.size = symtab_size(start, size, limit),
		.name = name,
		.rank = rank,
		.sized = size,
	};
	return 0;
}

/* Make room for @nr more symbols, if their number is known; else the table doubles as it fills */
int symtab_reserve(struct symtab *st, size_t nr);

/* The string table of names that are not in a file */
#define SYM_NAME_OWN 3U

/**
 * symtab_own_name() - keep a name that is in no file
 *
 * Return: 0, or -ENOMEM, -E2BIG.
 */
int symtab_own_name(struct symtab *st, const char *name, size_t len, u32 *ret);

/**
 * symtab_finish() - sort what was added and build the index
 *
 * Return: 0 or -ENOMEM.
 */
int symtab_finish(struct symtab *st);

/* The bucket of an address, in a finished table */
static inline u32 symtab_bucket(const struct symtab *st, u64 addr)
{
	u64 b = (addr - st->base) >> st->shift;

	return min(b, (u64)st->nr_buckets);
}

static inline const struct symtab_buckets *symtab_group(const struct symtab *st, u32 bucket)
{
	return &st->group[bucket / SYMTAB_GROUP];
}

/* Where the search in a bucket begins */
static inline const struct symbol *symtab_first(const struct symtab *st, u32 bucket)
{
	const struct symtab_buckets *g = symtab_group(st, bucket);

	return st->syms + g->first + (g->more >> 4 * (bucket % SYMTAB_GROUP) & 15);
}

/* private: the symbol is @s or behind it */
const struct symbol *symtab_search(const struct symtab *st, const struct symbol *s, u64 addr);

/*
 * As symtab_find_from(), but without a branch: of stripped programs one address in three has no
 * symbol, at random. @found: receives the index of a symbol. Return: all bits set if the address is
 * in it, else 0
 */
static inline u64 symtab_find_mask(const struct symtab *st, const struct symbol *first, u64 addr,
				   u64 *found)
{
	const struct symbol *s = first;

	s += s[1].start <= addr;
	if (unlikely(s[1].start <= addr))
		s = symtab_search(st, first, addr);
	*found = s - st->syms;
	return -(u64)(addr - s->start < s->size);
}

/* As symtab_find(), for an address for which symtab_first() is known */
static inline u32 symtab_find_from(const struct symtab *st, const struct symbol *first, u64 addr)
{
	u64 found, mask = symtab_find_mask(st, first, addr, &found);

	return found | ~mask;
}

/**
 * symtab_find() - the symbol that covers an address
 *
 * Return: index in st->syms, or SYM_NONE.
 */
static inline u32 symtab_find(const struct symtab *st, u64 addr)
{
	if (!st->nr)
		return SYM_NONE;
	return symtab_find_from(st, symtab_first(st, symtab_bucket(st, addr)), addr);
}

/* Name of a symbol as its file has it, mangled */
const char *symtab_name(const struct symtab *st, u32 index);

void symtab_deinit(struct symtab *st);

#endif /* PCSAMPLE_SYMBOLS_SYMTAB_H */
