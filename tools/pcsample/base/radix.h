/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stable sort by a 64-bit key, in time proportional to the number of items.
 */
#ifndef PCSAMPLE_BASE_RADIX_H
#define PCSAMPLE_BASE_RADIX_H

#include <stdbool.h>

#include "base/array.h"

#define RADIX_BITS 11
/* With few items, clearing and adding up the counts would be most of the work */
#define RADIX_FEW 1024
#define RADIX_BITS_OF_FEW 6

/**
 * radix_sort() - sort items whose first member is their u64 key
 * @items: address of the array, from malloc(); may be replaced by another
 * @nr: number of items
 * @room: number of items that there is room for, @nr or more; also in an array that replaces it
 * @size: bytes of an item, a constant, so that the copies are inlined
 *
 * Least significant digit first, over the digits in which the keys differ. On failure the array is
 * as it was.
 *
 * Return: 0 or -ENOMEM.
 */
static inline __attribute__((always_inline))
int radix_sort(void **items, size_t nr, size_t room, const size_t size)
{
	u64 lowest = UINT64_MAX, highest = 0, digit;
	u8 *from = *items, *to, *swap;
	unsigned int bits = nr < RADIX_FEW ? RADIX_BITS_OF_FEW : RADIX_BITS, shift;
	size_t count[1 << RADIX_BITS], mask = (1 << bits) - 1, i, n, sum;
	bool sorted = true;

	for (i = 0; i < nr; i++) {
		digit = load64(from + i * size);
		sorted &= digit >= highest;
		lowest = min(lowest, digit);
		highest = max(highest, digit);
	}
	if (sorted)
		return 0;
	to = reallocarray(NULL, room, size);
	if (!to)
		return -ENOMEM;
	mem_touch(to, nr * size);
	for (shift = 0; shift < 64 && (highest - lowest) >> shift; shift += bits) {
		memset(count, 0, (mask + 1) * sizeof(*count));
		for (i = 0; i < nr; i++) {
			digit = (load64(from + i * size) - lowest) >> shift;
			count[digit & mask]++;
		}
		for (sum = 0, i = 0; i <= mask; i++) {
			n = count[i];
			count[i] = sum;
			sum += n;
		}
		for (i = 0; i < nr; i++) {
			digit = (load64(from + i * size) - lowest) >> shift;
			n = count[digit & mask]++;
			memcpy(to + n * size, from + i * size, size);
		}
		swap = from;
		from = to;
		to = swap;
	}
	free(to);
	*items = from;
	return 0;
}

#endif /* PCSAMPLE_BASE_RADIX_H */
