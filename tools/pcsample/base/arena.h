/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocator for very many small objects that are all freed at once.
 */
#ifndef PCSAMPLE_BASE_ARENA_H
#define PCSAMPLE_BASE_ARENA_H

#include <arch-model/types.h>

/* An array has POOL_ARRAY_MIN << n bytes, n < POOL_SIZES, or is trimmed */
#define POOL_ARRAY_MIN	16
#define POOL_SIZES	48

/*
 * Allocations are taken from the front of the last block and never move; all are freed at once.
 * Blocks double up to a limit, so a small recording takes little. The memory that an array leaves
 * when it grows is used for other arrays. A pool filled with zeros is empty and valid.
 */
struct pool {
	struct pool_spare {
		struct pool_spare *next;
	} *spare[POOL_SIZES];	/* arrays left behind, of each size */
	char *next;		/* in the last block */
	size_t left;		/* bytes from there on */
	char **block;
	size_t nr_blocks, blocks_cap;
	size_t block_bytes;	/* of the last one */
	size_t bytes;		/* of all */
};

/**
 * pool_alloc() - memory filled with zeros
 * @size: bytes
 *
 * Return: aligned for any member of 8 bytes; NULL if there is no memory.
 */
void *pool_alloc(struct pool *p, size_t size);

/**
 * pool_grow() - as mem_grow(), in a pool
 *
 * The array moves; what is behind its elements is not filled with zeros.
 *
 * Return: 0 or -ENOMEM.
 */
int pool_grow_bytes(struct pool *p, void **array, size_t *cap, size_t need, size_t size);

#define pool_grow(p, array, cap, need) \
	pool_grow_bytes(p, (void **)(array), cap, need, sizeof(**(array)))

/**
 * pool_array() - an array for a known number of elements: its cap is @nr
 *
 * Return: NULL if there is no memory.
 */
void *pool_array(struct pool *p, size_t nr, size_t size);

/**
 * pool_trim() - leave an array of pool_grow() no more room than it needs
 * @nr: elements it has
 *
 * For arrays that are likely to be complete. The array moves; it may still grow.
 */
void pool_trim_bytes(struct pool *p, void **array, size_t *cap, size_t nr, size_t size);

#define pool_trim(p, array, cap, nr) \
	pool_trim_bytes(p, (void **)(array), cap, nr, sizeof(**(array)))

/* Bytes that the pool has allocated */
static inline size_t pool_bytes(const struct pool *p)
{
	return p->bytes;
}

void pool_deinit(struct pool *p);

#endif /* PCSAMPLE_BASE_ARENA_H */
