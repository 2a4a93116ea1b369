/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif

#ifndef reciprocal_scale
#define reciprocal_scale(value, end) ((u32)(((u64)(value) * (end)) >> 32))
#endif
