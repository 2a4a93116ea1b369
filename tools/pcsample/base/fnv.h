/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hash that other programs can compute, too, for keys that leave this one: FNV-1a of 64 bits,
 * http://www.isthe.com/chongo/tech/comp/fnv
 */
#ifndef PCSAMPLE_BASE_FNV_H
#define PCSAMPLE_BASE_FNV_H

#include <stddef.h>

#include <arch-model/types.h>

#define FNV_START	0xcbf29ce484222325ULL
#define FNV_PRIME	0x100000001b3ULL

static inline u64 fnv_hash(const char *data, size_t size)
{
	u64 hash = FNV_START;
	size_t i;

	for (i = 0; i < size; i++)
		hash = (hash ^ (u8)data[i]) * FNV_PRIME;
	return hash;
}

#endif /* PCSAMPLE_BASE_FNV_H */
