/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Register values of which some bits are architecturally UNKNOWN.
 *
 * UNKNOWN is a value of its own: a test must see that a rule gives no value, and may not pass
 * because the model happened to return what the hardware happened to hold.
 */
#ifndef ARCH_MODEL_VALUE_H
#define ARCH_MODEL_VALUE_H

#include <arch-model/bits.h>
#include <arch-model/types.h>

/**
 * struct am_value - a register value, bit by bit known or UNKNOWN
 * @value: the known bits; 0 where the bit is UNKNOWN, so that two values compare bit by bit
 * @unknown: 1 for each bit that may read as either
 */
struct am_value {
	u64 value;
	u64 unknown;
};

static inline struct am_value am_known(u64 value)
{
	return (struct am_value){ .value = value };
}

/* All bits of @mask are UNKNOWN, the others zero */
static inline struct am_value am_unknown(u64 mask)
{
	return (struct am_value){ .unknown = mask };
}

/* The low word of @value */
static inline struct am_value am_low(struct am_value value)
{
	return (struct am_value){ .value = (u32)value.value, .unknown = (u32)value.unknown };
}

/* The high word of @value */
static inline struct am_value am_high(struct am_value value)
{
	return (struct am_value){ .value = value.value >> 32, .unknown = value.unknown >> 32 };
}

/* Two words side by side; the upper halves of both are zero */
static inline struct am_value am_join(struct am_value high, struct am_value low)
{
	return (struct am_value){
		.value = high.value << 32 | low.value,
		.unknown = high.unknown << 32 | low.unknown,
	};
}

static inline bool am_same(struct am_value a, struct am_value b)
{
	return a.value == b.value && a.unknown == b.unknown;
}

/* Could hardware that @model describes have returned @seen? */
static inline bool am_permits(struct am_value model, u64 seen)
{
	return !((model.value ^ seen) & ~model.unknown);
}

#endif /* ARCH_MODEL_VALUE_H */
