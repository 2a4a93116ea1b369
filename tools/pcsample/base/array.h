/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Growing arrays, unaligned loads, and words of a list.
 */
#ifndef PCSAMPLE_BASE_ARRAY_H
#define PCSAMPLE_BASE_ARRAY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <arch-model/types.h>

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define ALIGN_UP(x, a)		(((x) + (a) - 1) / (a) * (a))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)

#ifndef min
#define min(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
#endif

/* Are the @len bytes at @text the word? For words in a list such as "comm,dso" */
static inline bool text_is(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(text, word, len);
}

/**
 * mem_grow() - make room in an array
 * @array: address of the pointer to the elements; NULL at first
 * @cap: elements there is room for
 * @need: elements there must be room for
 * @size: bytes of an element
 *
 * Doubles, so that appending costs constant time each. Nothing changes on failure.
 *
 * Return: 0 or -ENOMEM.
 */
static inline int mem_grow_bytes(void **array, size_t *cap, size_t need, size_t size)
{
	size_t want;
	void *p;

	if (likely(need <= *cap))
		return 0;
	want = *cap ? *cap : 8;
	while (want < need)
		if (__builtin_mul_overflow(want, (size_t)2, &want))
			return -ENOMEM;
	p = reallocarray(*array, want, size);
	if (!p)
		return -ENOMEM;
	*array = p;
	*cap = want;
	return 0;
}

#define mem_grow(array, cap, need) \
	mem_grow_bytes((void **)(array), cap, need, sizeof(**(array)))

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* For less memory the call costs more than it saves */
#define MEM_TOUCH_MIN (128 << 10)

/**
 * mem_touch() - get pages for memory all of which is about to be written
 * @p: from malloc(); NULL is allowed
 *
 * One call replaces a page fault for each 4 KiB. Linux before 5.14 lacks MADV_POPULATE_WRITE: pages
 * are then faulted in as usual.
 */
static inline void mem_touch(void *p, size_t size)
{
	uintptr_t start = ALIGN_UP((uintptr_t)p, 4096);

	if (p && size >= MEM_TOUCH_MIN)
		madvise((void *)start, ((uintptr_t)p + size - start) & ~4095UL,
			MADV_POPULATE_WRITE);
}

/* malloc(), and mem_touch() */
static inline void *mem_alloc_touched(size_t size)
{
	void *p = malloc(size);

	mem_touch(p, size);
	return p;
}

static inline u16 load16(const void *p)
{
	u16 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline u32 load32(const void *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline u64 load64(const void *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline size_t nr_up_to_bytes(const void *array, size_t nr, size_t size, size_t offset,
				    u64 key)
{
	size_t low = 0, high = nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (load64((const u8 *)array + mid * size + offset) <= key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Number of elements whose @member is at most @key; a u64 by which @array is sorted */
#define nr_up_to(array, nr, member, key) \
	nr_up_to_bytes(array, nr, sizeof(*(array)), offsetof(__typeof__(*(array)), member), key)

/* For qsort() and bsearch(): compares elements by their first member, a u64 */
static inline int by_first_u64(const void *a, const void *b)
{
	u64 x = load64(a), y = load64(b);

	return (x > y) - (x < y);
}

/* Finalizer of MurmurHash3: every input bit reaches every output bit */
static inline u64 hash64(u64 x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	return x ^ (x >> 33);
}

#endif /* PCSAMPLE_BASE_ARRAY_H */
