// SPDX-License-Identifier: GPL-2.0-only
#include "lib/mem.h"
#include "lib/pool.h"

#define FIRST_BLOCK	(16UL << 10)
#define LARGEST_BLOCK	(1UL << 20)

static int add_block(struct pool *p, size_t size)
{
	size_t bytes = p->block_bytes ? min(2 * p->block_bytes, LARGEST_BLOCK) : FIRST_BLOCK;
	char *block;

	if (mem_grow(&p->block, &p->blocks_cap, p->nr_blocks + 1))
		return -ENOMEM;
	block = mem_alloc_touched(max(size, bytes));
	if (!block)
		return -ENOMEM;
	p->block[p->nr_blocks++] = block;
	p->block_bytes = bytes;
	p->next = block;
	p->left = max(size, bytes);
	return 0;
}

void *pool_alloc(struct pool *p, size_t size)
{
	void *ret;

	if (size > SIZE_MAX - 7)
		return NULL;
	size = ALIGN_UP(size, 8);
	if (unlikely(size > p->left) && add_block(p, size))
		return NULL;
	ret = p->next;
	p->next += size;
	p->left -= size;
	return memset(ret, 0, size);
}

int pool_grow_bytes(struct pool *p, void **array, size_t *cap, size_t need, size_t size)
{
	size_t want = *cap ? *cap : 8, bytes;
	void *grown;

	if (need <= *cap)
		return 0;
	while (want < need)
		if (__builtin_mul_overflow(want, (size_t)2, &want))
			return -ENOMEM;
	if (__builtin_mul_overflow(want, size, &bytes))
		return -ENOMEM;
	grown = pool_alloc(p, bytes);
	if (!grown)
		return -ENOMEM;
	if (*cap)
		memcpy(grown, *array, *cap * size);
	*array = grown;
	*cap = want;
	return 0;
}

void pool_deinit(struct pool *p)
{
	while (p->nr_blocks)
		free(p->block[--p->nr_blocks]);
	free(p->block);
	memset(p, 0, sizeof(*p));
}
