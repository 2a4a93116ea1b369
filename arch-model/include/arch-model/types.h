/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Integer types of the kernel for code that is also compiled in user space.
 */
#ifndef ARCH_MODEL_TYPES_H
#define ARCH_MODEL_TYPES_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int32_t s32;
typedef int64_t s64;
#endif

#endif /* ARCH_MODEL_TYPES_H */
