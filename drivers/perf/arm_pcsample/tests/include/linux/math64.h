/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * 64-bit divisions, on the host that runs the tests; 32-bit kernels have no operator for them
 */
#ifndef LINUX_MATH64_H
#define LINUX_MATH64_H

#include <arch-model/types.h>

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

#endif /* LINUX_MATH64_H */
