/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hash table that counts samples by key.
 */
#ifndef PCSAMPLE_PROFILE_HIST_H
#define PCSAMPLE_PROFILE_HIST_H

#include "base/array.h"

#define HIST_WORDS_MAX 6

/*
 * A recording is cut into blocks of consecutive samples; how much a row's count varies from block
 * to block tells how much successive samples depend on each other (stats.h).
 *
 * Entries are changed at random, so the speed depends on how many cache lines that takes: one, with
 * keys of two and four words.
 */
struct hist_entry {
	u64 weight;		/* sum of periods */
	u32 block;		/* the block that @in_block counts */
	u32 in_block;		/* samples in that block */
	struct hist_counts {
		u64 count;	/* samples */
		u64 squares;	/* sum over blocks of the square of the samples in it */
	} counts;
	u64 key[];
};

/*
 * Entries are numbered in the order of first use and never move: they are in pieces of HIST_PIECE
 * entries of hist_stride() bytes. @slot is the hash index: open addressing, linear probing, at most
 * half full. A slot is 0 if free; else its low bits have the number of the entry plus one (half of
 * @nr_slots fits in the bits below that of @nr_slots), and the bits above them, those of @tag, have
 * bits of the key's hash.
 */
#define HIST_PIECE_SHIFT	14
#define HIST_PIECE		(1U << HIST_PIECE_SHIFT)

struct hist {
	u32 *slot;
	u32 nr_slots;
	u32 tag;		/* mask of a slot's hash bits */
	u8 **piece;
	size_t nr_pieces, pieces_cap;
	size_t nr;
	unsigned int words;
};

/**
 * hist_init() - make an empty histogram
 * @words: u64 in a key: 2, 4 or HIST_WORDS_MAX
 *
 * Return: 0 or -ENOMEM.
 */
int hist_init(struct hist *h, unsigned int words);
void hist_deinit(struct hist *h);

#define HIST_LINE 64

static inline size_t hist_stride(unsigned int words)
{
	size_t size = sizeof(struct hist_entry) + words * sizeof(u64);

	return max(size, (size_t)HIST_LINE);
}

static inline struct hist_entry *hist_entry(const struct hist *h, size_t i)
{
	return (struct hist_entry *)(h->piece[i >> HIST_PIECE_SHIFT] +
				     (i & (HIST_PIECE - 1)) * hist_stride(h->words));
}

static inline struct hist_counts *hist_counts(const struct hist *h, size_t i)
{
	return &hist_entry(h, i)->counts;
}

#define HIST_BATCH 64

/**
 * hist_add() - count a batch of samples
 * @key: @n keys of h->words words, one behind the other
 * @weight: @n periods
 * @n: up to HIST_BATCH
 * @block: number of the block all of them are in
 *
 * Return: 0 or -ENOMEM.
 */
int hist_add(struct hist *h, const u64 *key, const u64 *weight, unsigned int n, u32 block);

#define HIST_NONE ((size_t)-1)

/* The entry of a key, or HIST_NONE */
size_t hist_find(const struct hist *h, const u64 *key);

/**
 * hist_merge() - add entries of another histogram with keys of the same number of words
 * @first: the first entry
 * @nr: how many
 *
 * No block may have samples in both.
 *
 * Return: 0 or -ENOMEM.
 */
int hist_merge(struct hist *to, const struct hist *from, size_t first, size_t nr);

#endif /* PCSAMPLE_PROFILE_HIST_H */
