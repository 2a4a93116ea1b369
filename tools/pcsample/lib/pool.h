/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for very many small things that all live equally long.
 */
#ifndef PCSAMPLE_LIB_POOL_H
#define PCSAMPLE_LIB_POOL_H

#include <arch-model/types.h>

/*
 * Things are cut off the front of the last block and never move; all of them are freed at once.
 * Blocks double up to a limit, so a small recording takes little. A pool filled with zeros is empty
 * and valid.
 */
struct pool {
	char *next;		/* in the last block */
	size_t left;		/* bytes from there on */
	char **block;
	size_t nr_blocks, blocks_cap;
	size_t block_bytes;	/* of the last one */
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
 * What an array leaves behind when it grows, less than it has then, stays until the pool goes.
 *
 * Return: 0 or -ENOMEM.
 */
int pool_grow_bytes(struct pool *p, void **array, size_t *cap, size_t need, size_t size);

#define pool_grow(p, array, cap, need) \
	pool_grow_bytes(p, (void **)(array), cap, need, sizeof(**(array)))

void pool_deinit(struct pool *p);

#endif /* PCSAMPLE_LIB_POOL_H */
