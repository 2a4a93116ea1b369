/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash table from 64-bit numbers (pids, event ids) to indexes.
 */
#ifndef PCSAMPLE_BASE_IDMAP_H
#define PCSAMPLE_BASE_IDMAP_H

#include "base/array.h"

#define IDMAP_NONE (~0U)

/*
 * Open addressing, linear probing, at most half full. A table filled with zeros is empty and valid.
 */
struct idmap {
	struct idmap_slot {
		u64 key;
		u32 value;	/* index + 1; 0 is free */
	} *slots;
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

/* Add @key, or change its value. Return: 0 or -ENOMEM. */
static inline int idmap_set(struct idmap *map, u64 key, u32 value)
{
	struct idmap_slot *old = map->slots;
	size_t s, i, old_nr = map->nr_slots;

	if (2 * (map->nr + 1) > map->nr_slots) {
		map->nr_slots = old_nr ? old_nr * 2 : 64;
		map->slots = calloc(map->nr_slots, sizeof(*map->slots));
		if (!map->slots) {
			map->slots = old;
			map->nr_slots = old_nr;
			return -ENOMEM;
		}
		for (i = 0; i < old_nr; i++) {
			if (!old[i].value)
				continue;
			s = hash64(old[i].key) & (map->nr_slots - 1);
			while (map->slots[s].value)
				s = (s + 1) & (map->nr_slots - 1);
			map->slots[s] = old[i];
		}
		free(old);
	}
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

static inline void idmap_deinit(struct idmap *map)
{
	free(map->slots);
	memset(map, 0, sizeof(*map));
}

#endif /* PCSAMPLE_BASE_IDMAP_H */
