// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>

#include "profile/hist.h"

#define FIRST_SLOTS	4096

/* Entries never fill more than half of the slots, so a number plus one fits in one bit less */
static void set_slots(struct hist *h, u32 *slot, u32 nr)
{
	free(h->slot);
	h->slot = slot;
	h->nr_slots = nr;
	h->tag = ~(nr - 1);
}

int hist_init(struct hist *h, unsigned int words)
{
	u32 *slot = calloc(FIRST_SLOTS, sizeof(*slot));

	memset(h, 0, sizeof(*h));
	if (!slot)
		return -ENOMEM;
	h->words = words;
	set_slots(h, slot, FIRST_SLOTS);
	return 0;
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

/*
 * XOR both halves of the product, so that each bit of the words has an effect. A union, since GCC
 * 12 compiles a shift of the product to a store and a load.
 */
static inline u64 mix(u64 a, u64 b)
{
	union {
		__uint128_t whole;
		u64 half[2];
	} product = { (__uint128_t)a * b };

	return product.half[0] ^ product.half[1];
}

/*
 * The low bits of the hash choose the slot; the slot's tag is from its upper 32 bits, see tag_of().
 */
static inline __attribute__((always_inline)) u64 hash_key(const u64 *key, const unsigned int words)
{
	u64 h = mix(key[0] ^ 0x9e3779b97f4a7c15ULL, key[1] ^ 0xbf58476d1ce4e5b9ULL);

	if (words >= 4)
		h ^= mix(key[2] ^ 0x94d049bb133111ebULL, key[3] ^ 0xd6e8feb86659fd93ULL);
	if (words == HIST_WORDS_MAX)
		h ^= mix(key[4] ^ 0xa0761d6478bd642fULL, key[5] ^ 0xe7037ed1a0b428dbULL);
	return h;
}

static inline __attribute__((always_inline))
bool same_key(const u64 *a, const u64 *b, const unsigned int words)
{
	u64 differ = (a[0] ^ b[0]) | (a[1] ^ b[1]);

	if (words >= 4)
		differ |= (a[2] ^ b[2]) | (a[3] ^ b[3]);
	if (words == HIST_WORDS_MAX)
		differ |= (a[4] ^ b[4]) | (a[5] ^ b[5]);
	return !differ;
}

/* hist_entry(), with a constant stride */
static inline __attribute__((always_inline))
struct hist_entry *entry_at(u8 *const *pieces, size_t i, const unsigned int words)
{
	return (struct hist_entry *)(pieces[i >> HIST_PIECE_SHIFT] +
				     (i & (HIST_PIECE - 1)) * hist_stride(words));
}

static inline u32 tag_of(const struct hist *h, u64 hash)
{
	return (u32)(hash >> 32) & h->tag;
}

static int grow_slots(struct hist *h)
{
	u32 nr = h->nr_slots * 2, *slot, s;
	size_t i;
	u64 hash;

	slot = nr ? calloc(nr, sizeof(*slot)) : NULL;
	if (!slot)
		return -ENOMEM;
	mem_touch(slot, nr * sizeof(*slot));
	set_slots(h, slot, nr);
	for (i = 0; i < h->nr; i++) {
		hash = hash_key(hist_entry(h, i)->key, h->words);
		for (s = hash & (nr - 1); slot[s]; s = (s + 1) & (nr - 1))
			;
		slot[s] = tag_of(h, hash) | (u32)(i + 1);
	}
	return 0;
}

static int add_piece(struct hist *h)
{
	size_t size = HIST_PIECE * hist_stride(h->words);
	u8 *piece;

	if (mem_grow(&h->piece, &h->pieces_cap, h->nr_pieces + 1))
		return -ENOMEM;
	piece = aligned_alloc(HIST_LINE, size);
	if (!piece)
		return -ENOMEM;
	/* Most recordings fill only a little of the first piece */
	if (h->nr_pieces)
		mem_touch(piece, size);
	h->piece[h->nr_pieces++] = piece;
	return 0;
}

/* Make room for HIST_BATCH more entries, so that adding a batch need not check */
static int reserve(struct hist *h)
{
	size_t most = h->nr + HIST_BATCH;

	if (unlikely(2 * most > h->nr_slots) && grow_slots(h))
		return -ENOMEM;
	if (unlikely(most > h->nr_pieces << HIST_PIECE_SHIFT))
		return add_piece(h);
	return 0;
}

static inline __attribute__((always_inline))
struct hist_entry *find_or_add(struct hist *h, const u64 *key, u64 hash, u32 block,
			       const unsigned int words)
{
	u32 slot, s, mask = h->nr_slots - 1, tag_mask = h->tag, tag = tag_of(h, hash);
	struct hist_entry *found;
	unsigned int i;

	for (s = hash & mask; (slot = h->slot[s]); s = (s + 1) & mask) {
		if ((slot & tag_mask) != tag)
			continue;
		found = entry_at(h->piece, (slot & ~tag_mask) - 1, words);
		if (likely(same_key(found->key, key, words)))
			return found;
	}
	found = entry_at(h->piece, h->nr, words);
	h->nr++;
	h->slot[s] = tag | (u32)h->nr;
	*found = (struct hist_entry){ .block = block };
	for (i = 0; i < words; i++)
		found->key[i] = key[i];
	return found;
}

size_t hist_find(const struct hist *h, const u64 *key)
{
	u64 hash = hash_key(key, h->words);
	u32 slot, s, mask = h->nr_slots - 1, tag = tag_of(h, hash);

	for (s = hash & mask; (slot = h->slot[s]); s = (s + 1) & mask) {
		if ((slot & h->tag) != tag)
			continue;
		slot = (slot & ~h->tag) - 1;
		if (same_key(hist_entry(h, slot)->key, key, h->words))
			return slot;
	}
	return HIST_NONE;
}

/* Ask for the memory of a batch: of its slots, and then of its entries */

static inline __attribute__((always_inline))
u64 hash_of(const struct hist *h, const u64 *key, const unsigned int words)
{
	u64 hash = hash_key(key, words);

	__builtin_prefetch(&h->slot[hash & (h->nr_slots - 1)]);
	return hash;
}

/*
 * The slot of a key that is likely its own: the first, or the next one if the first has another
 * tag. Up to one sample in ten is not in its first slot, at random: no branch on that.
 */
static inline u32 likely_slot(const u32 *slots, u32 mask, u32 tag, u64 hash)
{
	bool differs = (slots[hash & mask] ^ (u32)(hash >> 32)) & tag;

	return slots[(hash + differs) & mask];
}

/* @guess: takes what is in the likely slot of each key: the right entry nearly always */
static inline __attribute__((always_inline))
void prefetch(const struct hist *h, const u64 *hash, struct hist_entry **guess, unsigned int n,
	      const unsigned int words)
{
	u32 *slots = h->slot, mask = h->nr_slots - 1, tag = h->tag, slot;
	u8 *const *pieces = h->piece;
	unsigned int i;

	for (i = 0; i < n; i++) {
		slot = likely_slot(slots, mask, tag, hash[i]) & ~tag;
		if (unlikely(!slot)) {
			guess[i] = NULL;
			continue;
		}
		guess[i] = entry_at(pieces, slot - 1, words);
		__builtin_prefetch(guess[i], 1);
		if (hist_stride(words) > HIST_LINE)
			__builtin_prefetch(&guess[i]->key[words - 1], 1);
	}
}

/*
 * With each sample of a block the square of their number grows by an odd number. One sample in five
 * is the first of its block, at random: no branch on that.
 */
static inline void count(struct hist_entry *e, u64 weight, u32 block)
{
	u32 in_block = (e->in_block & -(u32)(e->block == block)) + 1;

	e->weight += weight;
	e->block = block;
	e->in_block = in_block;
	e->counts.count++;
	e->counts.squares += 2ULL * in_block - 1;
}

static inline __attribute__((always_inline))
void add_batch(struct hist *h, const u64 *key, const u64 *weight, unsigned int n, u32 block,
	       const unsigned int words)
{
	struct hist_entry *guess[HIST_BATCH], *e;
	u64 hash[HIST_BATCH];
	unsigned int i;

	for (i = 0; i < n; i++)
		hash[i] = hash_of(h, key + i * words, words);
	prefetch(h, hash, guess, n, words);
	for (i = 0; i < n; i++, key += words) {
		e = guess[i];
		if (unlikely(!e || !same_key(e->key, key, words)))
			e = find_or_add(h, key, hash[i], block, words);
		count(e, weight[i], block);
	}
}

/* Separate functions: inlined into one, they would compete for registers */
#define ADD_BATCH(words)							\
static __attribute__((noinline))						\
void add_batch_##words(struct hist *h, const u64 *key, const u64 *weight,	\
		       unsigned int n, u32 block)				\
{										\
	add_batch(h, key, weight, n, block, words);				\
}

ADD_BATCH(2)
ADD_BATCH(4)
ADD_BATCH(6)

int hist_add(struct hist *h, const u64 *key, const u64 *weight, unsigned int n, u32 block)
{
	if (reserve(h))
		return -ENOMEM;
	if (h->words == 2)
		add_batch_2(h, key, weight, n, block);
	else if (h->words == 4)
		add_batch_4(h, key, weight, n, block);
	else
		add_batch_6(h, key, weight, n, block);
	return 0;
}

static void merge_batch(struct hist *to, const struct hist *from, size_t first, unsigned int n)
{
	struct hist_entry *guess[HIST_BATCH], *e;
	const struct hist_entry *more;
	u64 hash[HIST_BATCH];
	unsigned int i;

	for (i = 0; i < n; i++)
		hash[i] = hash_of(to, hist_entry(from, first + i)->key, to->words);
	prefetch(to, hash, guess, n, to->words);
	for (i = 0; i < n; i++) {
		more = hist_entry(from, first + i);
		e = find_or_add(to, more->key, hash[i], 0, to->words);
		e->weight += more->weight;
		e->counts.count += more->counts.count;
		e->counts.squares += more->counts.squares;
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
