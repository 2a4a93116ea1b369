/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PCSAMPLE_BASE_CLOCK_H
#define PCSAMPLE_BASE_CLOCK_H

#include <time.h>

#include <arch-model/types.h>

/* Time of a clock in ns */
static inline u64 clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* The clock of samples: it never jumps, since nobody can set it */
static inline u64 now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif /* PCSAMPLE_BASE_CLOCK_H */
