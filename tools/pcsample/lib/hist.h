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
 * @count: samples
 * @weight: sum of their periods
 * @squares: sum over the finished blocks of the square of the samples in the block
 * @block: the block that @in_block counts
 * @in_block: samples in that block
 * @key: hist->words of them
 *
 * A recording is cut into blocks of consecutive samples; how much the count varies from block to
 * block tells how much successive samples depend on each other (stats.h).
 */
struct hist_entry {
	u64 count;
	u64 weight;
	u64 squares;
	u32 block;
	u32 in_block;
	u64 key[];
};

/*
 * Entries are dense, in the order of first use, @stride bytes each. @slot is an index of them: open
 * addressing, linear probing, at most half full. A slot is 0 if free, else the upper half of the
 * key's hash and the number of the entry plus one.
 */
struct hist {
	u64 *slot;
	size_t nr_slots;
	u8 *entries;
	size_t nr, cap;
	unsigned int words;
	unsigned int stride;
};

/**
 * hist_init() - make an empty histogram
 * @words: u64 in a key, 1 to HIST_WORDS_MAX
 *
 * Return: 0 or -ENOMEM.
 */
int hist_init(struct hist *h, unsigned int words);
void hist_deinit(struct hist *h);

static inline struct hist_entry *hist_entry(const struct hist *h, size_t i)
{
	return (struct hist_entry *)(h->entries + i * h->stride);
}

#define HIST_BATCH 64

/**
 * hist_add() - count a batch of samples
 * @key: @n keys of h->words words, one behind the other; overwritten
 * @weight: @n periods
 * @n: up to HIST_BATCH
 * @block: number of the block all of them are in
 *
 * Return: 0 or -ENOMEM.
 */
int hist_add(struct hist *h, const u64 *key, const u64 *weight, unsigned int n, u32 block);

/**
 * hist_merge() - add the counts of another histogram with keys of the same number of words
 *
 * Both have their last blocks closed by it.
 */
int hist_merge(struct hist *to, struct hist *from);

/* Close the last block of every entry, so that @squares is complete */
void hist_close_blocks(struct hist *h);

#endif /* PCSAMPLE_LIB_HIST_H */
