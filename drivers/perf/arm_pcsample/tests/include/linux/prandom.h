/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pseudo-random numbers, as a test chooses them.
 */
#ifndef PCS_TEST_PRANDOM_H
#define PCS_TEST_PRANDOM_H

#include <arch-model/types.h>

struct rnd_state {
	u32 next;
};

static inline void prandom_seed_state(struct rnd_state *state, u64 seed)
{
	state->next = seed;
}

static inline u32 prandom_u32_state(struct rnd_state *state)
{
	return state->next;
}

#endif /* PCS_TEST_PRANDOM_H */
