/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash table from 64-bit numbers (pids, event ids) to indexes.
 */
#ifndef PCSAMPLE_BASE_IDMAP_H
#define PCSAMPLE_BASE_IDMAP_H

#include "base/array.h"

#define IDMAP_NONE (~0U)

/*
 * Open addressing, linear probing, at most three quarters full. A table filled with zeros is empty
 * and valid. Slots are packed: a hostile recording has a key for every few of its bytes.
 */
struct idmap {
	struct idmap_slot {
		u64 key;
		u32 value;	/* index + 1; 0 is free */
	} __attribute__((packed, aligned(4))) *slots;
	size_t nr_slots;
	size_t nr;
};

static inline u32 idmap_get(const struct idmap *map, u64 key)
{
	size_t s;

	if (!map->nr)
		return IDMAP_NONE;
	for (s = hash64(key) & (map->nr_slots - 1); map->slots[s].value;
	     s = (s + 1) & (map->nr_slots - 1))
		if (map->slots[s].key == key)
			return map->slots[s].value - 1;
	return IDMAP_NONE;
}

/* Make room for @nr keys more. Return: 0 or -ENOMEM. */
static inline int idmap_reserve(struct idmap *map, size_t nr)
{
	size_t want = map->nr_slots ? map->nr_slots : 64, s, i;
	struct idmap_slot *slots;

	while (want / 4 * 3 < map->nr + nr)
		if (__builtin_mul_overflow(want, (size_t)2, &want))
			return -ENOMEM;
	if (want == map->nr_slots)
		return 0;
	slots = calloc(want, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	for (i = 0; i < map->nr_slots; i++) {
		if (!map->slots[i].value)
			continue;
		s = hash64(map->slots[i].key) & (want - 1);
		while (slots[s].value)
			s = (s + 1) & (want - 1);
		slots[s] = map->slots[i];
	}
	free(map->slots);
	map->slots = slots;
	map->nr_slots = want;
	return 0;
}

/* Add @key, or change its value. Return: 0 or -ENOMEM. */
static inline int idmap_set(struct idmap *map, u64 key, u32 value)
{
	size_t s;

	if (idmap_reserve(map, 1))
		return -ENOMEM;
	for (s = hash64(key) & (map->nr_slots - 1); map->slots[s].value;
	     s = (s + 1) & (map->nr_slots - 1))
		if (map->slots[s].key == key)
			break;
	if (!map->slots[s].value)
		map->nr++;
	map->slots[s].key = key;
	map->slots[s].value = value + 1;
	return 0;
}

/*
 * The index of the element of @key in an array of @nr elements; if there is none, one filled with
 * zeros is added. Return: IDMAP_NONE if out of memory.
 */
static inline u32 idmap_element_bytes(struct idmap *map, u64 key, void **array, size_t *nr,
				      size_t *cap, size_t size)
{
	u32 index = idmap_get(map, key);

	if (index != IDMAP_NONE)
		return index;
	if (mem_grow_bytes(array, cap, *nr + 1, size) || idmap_set(map, key, *nr))
		return IDMAP_NONE;
	memset((u8 *)*array + *nr * size, 0, size);
	return (*nr)++;
}

#define idmap_element(map, key, array, nr, cap) \
	idmap_element_bytes(map, key, (void **)(array), nr, cap, sizeof(**(array)))

static inline size_t idmap_bytes(const struct idmap *map)
{
	return map->nr_slots * sizeof(*map->slots);
}

static inline void idmap_deinit(struct idmap *map)
{
	free(map->slots);
	memset(map, 0, sizeof(*map));
}

#endif /* PCSAMPLE_BASE_IDMAP_H */
