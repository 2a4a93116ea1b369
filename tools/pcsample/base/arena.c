// SPDX-License-Identifier: GPL-2.0-only
#include "base/arena.h"
#include "base/array.h"

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
	p->bytes += max(size, bytes);
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

/* Arrays */

/* The smallest size class with room for @bytes; POOL_SIZES if there is none */
static unsigned int size_for(size_t bytes)
{
	unsigned int n = 0;

	while (n < POOL_SIZES && (size_t)POOL_ARRAY_MIN << n < bytes)
		n++;
	return n;
}

static void *take_array(struct pool *p, unsigned int n)
{
	struct pool_spare *spare = p->spare[n];

	if (!spare)
		return pool_alloc(p, (size_t)POOL_ARRAY_MIN << n);
	p->spare[n] = spare->next;
	return spare;
}

/* A trimmed array may hold a number of elements that fits no size class */
static bool is_trimmed(size_t cap, size_t size)
{
	return ((size_t)POOL_ARRAY_MIN << size_for(cap * size)) / size != cap;
}

static void leave_array(struct pool *p, void *array, size_t cap, size_t size)
{
	unsigned int n = size_for(cap * size);
	struct pool_spare *spare = array;

	if (!cap || is_trimmed(cap, size))
		return;
	spare->next = p->spare[n];
	p->spare[n] = spare;
}

int pool_grow_bytes(struct pool *p, void **array, size_t *cap, size_t need, size_t size)
{
	size_t bytes;
	unsigned int n;
	void *grown;

	if (likely(need <= *cap))
		return 0;
	if (__builtin_mul_overflow(need, size, &bytes))
		return -ENOMEM;
	n = size_for(bytes);
	grown = n < POOL_SIZES ? take_array(p, n) : NULL;
	if (!grown)
		return -ENOMEM;
	if (*cap)
		memcpy(grown, *array, *cap * size);
	leave_array(p, *array, *cap, size);
	*array = grown;
	*cap = ((size_t)POOL_ARRAY_MIN << n) / size;
	return 0;
}

/*
 * With room for one more element: should the array grow, leave_array() takes it for one of the size
 * class of @nr, than which it must not be shorter
 */
void *pool_array(struct pool *p, size_t nr, size_t size)
{
	return pool_alloc(p, (nr + 1) * size);
}

void pool_trim_bytes(struct pool *p, void **array, size_t *cap, size_t nr, size_t size)
{
	void *trimmed;

	if (nr == *cap || !is_trimmed(nr, size))
		return;
	trimmed = pool_alloc(p, nr * size);
	if (!trimmed)
		return;
	memcpy(trimmed, *array, nr * size);
	leave_array(p, *array, *cap, size);
	*array = trimmed;
	*cap = nr;
}

void pool_deinit(struct pool *p)
{
	while (p->nr_blocks)
		free(p->block[--p->nr_blocks]);
	free(p->block);
	memset(p, 0, sizeof(*p));
}
