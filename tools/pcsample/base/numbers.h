/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash table from the contents of an array's elements to their indexes. Unlike an idmap it keeps no
 * keys, as the array has them: four bytes a slot.
 */
#ifndef PCSAMPLE_BASE_NUMBERS_H
#define PCSAMPLE_BASE_NUMBERS_H

#include <stdbool.h>

#include "base/array.h"

#define NUMBERS_NONE (~0U)

/*
 * Open addressing, linear probing, at most three quarters full. A table filled with zeros is empty
 * and valid.
 */
struct numbers {
	u32 *slot;		/* index + 1; 0 is free */
	size_t nr_slots;
	size_t nr;
};

/**
 * numbers_find() - the index of an element
 * @hash: of what is looked for
 * @same: tells whether the element at an index is the one that is looked for
 *
 * Return: NUMBERS_NONE if there is none.
 */
static inline __attribute__((always_inline))
u32 numbers_find(const struct numbers *n, u64 hash,
		 bool (*same)(const void *array, u32 index, const void *key), const void *array,
		 const void *key)
{
	size_t s;

	if (!n->nr)
		return NUMBERS_NONE;
	for (s = hash & (n->nr_slots - 1); n->slot[s]; s = (s + 1) & (n->nr_slots - 1))
		if (same(array, n->slot[s] - 1, key))
			return n->slot[s] - 1;
	return NUMBERS_NONE;
}

static inline void numbers_place(u32 *slot, size_t nr_slots, u64 hash, u32 index)
{
	size_t s = hash & (nr_slots - 1);

	while (slot[s])
		s = (s + 1) & (nr_slots - 1);
	slot[s] = index + 1;
}

/**
 * numbers_add() - add the element behind the last one
 * @hash_at: hash of the element at an index
 *
 * Return: 0 or -ENOMEM.
 */
static inline __attribute__((always_inline))
int numbers_add(struct numbers *n, u64 hash, u64 (*hash_at)(const void *array, u32 index),
		const void *array)
{
	size_t want = n->nr_slots ? n->nr_slots * 2 : 64, i;
	u32 *slot;

	if (unlikely(n->nr + 1 > n->nr_slots / 4 * 3)) {
		slot = calloc(want, sizeof(*slot));
		if (!slot)
			return -ENOMEM;
		for (i = 0; i < n->nr; i++)
			numbers_place(slot, want, hash_at(array, i), i);
		free(n->slot);
		n->slot = slot;
		n->nr_slots = want;
	}
	numbers_place(n->slot, n->nr_slots, hash, n->nr++);
	return 0;
}

/* private: elements that begin with their key */
struct numbers_keys {
	const u8 *array;
	size_t size, key_size;
};

static inline u64 numbers_key_hash(const u8 *key, size_t size)
{
	return hash64(load64(key) ^ (size > 8 ? hash64(load64(key + size - 8)) : 0));
}

static inline u64 numbers_key_hash_at(const void *keys, u32 index)
{
	const struct numbers_keys *k = keys;

	return numbers_key_hash(k->array + index * k->size, k->key_size);
}

static inline bool numbers_same_key(const void *keys, u32 index, const void *key)
{
	const struct numbers_keys *k = keys;

	return !memcmp(k->array + index * k->size, key, k->key_size);
}

static inline __attribute__((always_inline))
u32 numbers_get_bytes(struct numbers *n, void **array, size_t *cap, size_t size, size_t key_size,
		      const void *element)
{
	struct numbers_keys keys = { *array, size, key_size };
	u64 hash = numbers_key_hash(element, key_size);
	u32 index = numbers_find(n, hash, numbers_same_key, &keys, element);

	if (index != NUMBERS_NONE)
		return index;
	if (mem_grow_bytes(array, cap, n->nr + 1, size))
		return NUMBERS_NONE;
	keys.array = *array;
	if (numbers_add(n, hash, numbers_key_hash_at, &keys))
		return NUMBERS_NONE;
	index = n->nr - 1;
	memcpy((char *)*array + index * size, element, size);
	return index;
}

/**
 * numbers_get() - the index of the element with a key; adds it behind the last one if there is none
 * @array: the array, which grows as by mem_grow()
 * @cap: number of elements that the array has room for
 * @last: the key's last member: it has all members up to this one, 8 to 16 bytes without padding
 * @element: what is added
 *
 * Return: NUMBERS_NONE if out of memory.
 */
#define numbers_get(n, array, cap, last, element) \
	numbers_get_bytes(n, (void **)(array), cap, sizeof(**(array)), \
			  offsetof(__typeof__(**(array)), last) + sizeof((*(array))->last), \
			  element)

static inline void numbers_deinit(struct numbers *n)
{
	free(n->slot);
	memset(n, 0, sizeof(*n));
}

#endif /* PCSAMPLE_BASE_NUMBERS_H */
