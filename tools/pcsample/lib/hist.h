/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting samples by key.
 */
#ifndef PCSAMPLE_LIB_HIST_H
#define PCSAMPLE_LIB_HIST_H

#include "lib/mem.h"

#define HIST_WORDS_MAX 4

/**
 * struct hist_entry - one key and what was counted under it
 * @key: hist->words of them, then zeros
 * @count: samples in the finished blocks
 * @weight: sum of their periods
 * @squares: sum over the finished blocks of the square of the samples in the block
 * @block: the block that @in_block counts
 * @in_block: samples in that block
 *
 * A recording is cut into blocks of consecutive samples; how much the count varies from block to
 * block tells how much successive samples depend on each other (stats.h).
 *
 * One cache line.
 */
struct hist_entry {
	u64 key[HIST_WORDS_MAX];
	u64 count;
	u64 weight;
	u64 squares;
	u32 block;
	u32 in_block;
};

/*
 * Entries are numbered in the order of first use and never move: they are in pieces of
 * HIST_PIECE. @slot is an index of them: open addressing, linear probing, at most half full. A slot
 * is 0 if free, else the upper half of the key's hash and the number of the entry plus one.
 */
#define HIST_PIECE_SHIFT	14
#define HIST_PIECE		(1U << HIST_PIECE_SHIFT)

struct hist {
	u64 *slot;
	size_t nr_slots;
	struct hist_entry **piece;
	size_t nr_pieces, pieces_cap;
	size_t nr;
	unsigned int words;
};

/**
 * hist_init() - make an empty histogram
 * @words: u64 in a key: 2 or HIST_WORDS_MAX
 *
 * Return: 0 or -ENOMEM.
 */
int hist_init(struct hist *h, unsigned int words);
void hist_deinit(struct hist *h);

static inline struct hist_entry *hist_entry(const struct hist *h, size_t i)
{
	return &h->piece[i >> HIST_PIECE_SHIFT][i & (HIST_PIECE - 1)];
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

/**
 * hist_merge() - add entries of another histogram with keys of the same number of words
 * @first: the first entry
 * @nr: how many
 *
 * The blocks of both must be closed.
 *
 * Return: 0 or -ENOMEM.
 */
int hist_merge(struct hist *to, const struct hist *from, size_t first, size_t nr);

/* Close the last block of every entry, so that counts and squares are complete */
void hist_close_blocks(struct hist *h);

#endif /* PCSAMPLE_LIB_HIST_H */
