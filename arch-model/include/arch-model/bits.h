/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bit and field macros for code that is compiled by kbuild, in user space and inside QEMU.
 *
 * In the kernel these are the kernel's own. Elsewhere the same names are given for unsigned
 * 32- and 64-bit masks; a name that the surrounding code base already defines is left alone.
 * (mask & -mask) is the lowest bit of a mask: dividing by that constant is a shift.
 */
#ifndef ARCH_MODEL_BITS_H
#define ARCH_MODEL_BITS_H

#ifdef __KERNEL__
#include <linux/bitfield.h>
#include <linux/bits.h>
#else
#ifndef BIT_ULL
#define BIT_ULL(nr)		(1ULL << (nr))
#endif
#ifndef GENMASK_ULL
#define GENMASK_ULL(h, l)	((~0ULL >> (63 - (h))) & (~0ULL << (l)))
#endif
#ifndef FIELD_GET
#define FIELD_GET(mask, reg)	(((reg) & (mask)) / ((mask) & -(mask)))
#endif
#ifndef FIELD_PREP
#define FIELD_PREP(mask, val)	(((unsigned long long)(val) * ((mask) & -(mask))) & (mask))
#endif
#endif

#endif /* ARCH_MODEL_BITS_H */
