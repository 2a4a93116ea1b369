// SPDX-License-Identifier: GPL-2.0-only
#include "lib/hist.h"

#define FIRST_SLOTS	4096
#define HASH_HALF	0xffffffff00000000ULL

int hist_init(struct hist *h, unsigned int words)
{
	memset(h, 0, sizeof(*h));
	h->words = words;
	h->nr_slots = FIRST_SLOTS;
	h->slot = calloc(h->nr_slots, sizeof(*h->slot));
	return h->slot ? 0 : -ENOMEM;
}

void hist_deinit(struct hist *h)
{
	size_t i;

	for (i = 0; i < h->nr_pieces; i++)
		free(h->piece[i]);
	free(h->piece);
	free(h->slot);
	memset(h, 0, sizeof(*h));
}

static inline __attribute__((always_inline)) u64 hash_key(const u64 *key, const unsigned int words)
{
	u64 h = key[0];
	unsigned int i;

	/* A multiplication for each word, mixed once at the end */
	for (i = 1; i < words; i++)
		h = (h ^ (h >> 29)) * 0x9e3779b97f4a7c15ULL + key[i];
	return hash64(h);
}

static int grow_slots(struct hist *h)
{
	size_t nr = h->nr_slots * 2, i, s;
	u64 *slot = calloc(nr, sizeof(*slot)), hash;

	if (!slot)
		return -ENOMEM;
	for (i = 0; i < h->nr; i++) {
		hash = hash_key(hist_entry(h, i)->key, h->words);
		for (s = hash & (nr - 1); slot[s]; s = (s + 1) & (nr - 1))
			;
		slot[s] = (hash & HASH_HALF) | (i + 1);
	}
	free(h->slot);
	h->slot = slot;
	h->nr_slots = nr;
	return 0;
}

/* Room for HIST_BATCH more entries, so that a batch does not look for it */
static int reserve(struct hist *h)
{
	size_t most = h->nr + HIST_BATCH;
	struct hist_entry *piece;

	if (unlikely(2 * most > h->nr_slots) && grow_slots(h))
		return -ENOMEM;
	if (likely(most <= h->nr_pieces << HIST_PIECE_SHIFT))
		return 0;
	if (most > UINT32_MAX || mem_grow(&h->piece, &h->pieces_cap, h->nr_pieces + 1))
		return -ENOMEM;
	piece = aligned_alloc(sizeof(*piece), HIST_PIECE * sizeof(*piece));
	if (!piece)
		return -ENOMEM;
	h->piece[h->nr_pieces++] = piece;
	return 0;
}

static inline __attribute__((always_inline))
struct hist_entry *find_or_add(struct hist *h, const u64 *key, u64 hash, u32 block,
			       const unsigned int words)
{
	struct hist_entry *e;
	unsigned int i;
	u64 slot;
	size_t s;

	for (s = hash & (h->nr_slots - 1); (slot = h->slot[s]); s = (s + 1) & (h->nr_slots - 1)) {
		if ((slot ^ hash) & HASH_HALF)
			continue;
		e = hist_entry(h, (u32)slot - 1);
		for (i = 0; i < words && e->key[i] == key[i]; i++)
			;
		if (likely(i == words))
			return e;
	}
	e = hist_entry(h, h->nr);
	h->slot[s] = (hash & HASH_HALF) | ++h->nr;
	*e = (struct hist_entry){ .block = block };
	for (i = 0; i < words; i++)
		e->key[i] = key[i];
	return e;
}

static inline void close_block(struct hist_entry *e)
{
	e->count += e->in_block;
	e->squares += (u64)e->in_block * e->in_block;
	e->in_block = 0;
}

/* Ask for the memory of a batch, first of all slots, then of all entries */
static inline __attribute__((always_inline))
void prefetch(const struct hist *h, const u64 *hash, unsigned int n)
{
	unsigned int i;
	u64 slot;

	for (i = 0; i < n; i++)
		__builtin_prefetch(&h->slot[hash[i] & (h->nr_slots - 1)]);
	for (i = 0; i < n; i++) {
		slot = h->slot[hash[i] & (h->nr_slots - 1)];
		if (likely(slot))
			__builtin_prefetch(hist_entry(h, (u32)slot - 1), 1);
	}
}

static inline __attribute__((always_inline))
void add_batch(struct hist *h, const u64 *key, const u64 *weight, unsigned int n, u32 block,
	       const unsigned int words)
{
	struct hist_entry *e;
	u64 hash[HIST_BATCH];
	unsigned int i;

	for (i = 0; i < n; i++)
		hash[i] = hash_key(key + i * words, words);
	prefetch(h, hash, n);
	for (i = 0; i < n; i++) {
		e = find_or_add(h, key + i * words, hash[i], block, words);
		e->weight += weight[i];
		if (unlikely(e->block != block)) {
			close_block(e);
			e->block = block;
		}
		e->in_block++;
	}
}

int hist_add(struct hist *h, const u64 *key, const u64 *weight, unsigned int n, u32 block)
{
	if (reserve(h))
		return -ENOMEM;
	if (h->words == 2)
		add_batch(h, key, weight, n, block, 2);
	else
		add_batch(h, key, weight, n, block, HIST_WORDS_MAX);
	return 0;
}

void hist_close_blocks(struct hist *h)
{
	size_t i;

	for (i = 0; i < h->nr; i++)
		close_block(hist_entry(h, i));
}

static void merge_batch(struct hist *to, const struct hist *from, size_t first, unsigned int n)
{
	const struct hist_entry *f;
	struct hist_entry *e;
	u64 hash[HIST_BATCH];
	unsigned int i;

	for (i = 0; i < n; i++)
		hash[i] = hash_key(hist_entry(from, first + i)->key, to->words);
	prefetch(to, hash, n);
	for (i = 0; i < n; i++) {
		f = hist_entry(from, first + i);
		e = find_or_add(to, f->key, hash[i], 0, to->words);
		e->count += f->count;
		e->weight += f->weight;
		e->squares += f->squares;
	}
}

int hist_merge(struct hist *to, const struct hist *from, size_t first, size_t nr)
{
	size_t n;

	for (; nr; nr -= n, first += n) {
		n = min(nr, (size_t)HIST_BATCH);
		if (reserve(to))
			return -ENOMEM;
		merge_batch(to, from, first, n);
	}
	return 0;
}
