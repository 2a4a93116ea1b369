/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guesses where PC-sample blocks are that no firmware describes, from the device tree's trace
 * units.
 *
 * In the memory map that Arm's cores have, the CoreSight components of a core are at fixed
 * distances from each other (Cortex-A53 TRM, Arm DDI 0500, 11-30): debug at 0x10000, PMU at
 * 0x30000, trace unit at 0x40000. So the address of a trace unit tells the addresses of the others.
 * The guess may be wrong: a SoC may have another map, and firmware may forbid access. These
 * addresses are only computed here; nothing is read from them.
 */
#ifndef PCSAMPLE_CAPTURE_CANDIDATES_H
#define PCSAMPLE_CAPTURE_CANDIDATES_H

#include <stdbool.h>

#include <arch-model/types.h>

#include "base/cpuset.h"

/**
 * struct candidate - a place where a block may be
 * @cpu: whose block it would be
 * @pmu: an external PMU block, else an external debug block: it depends on the core which of the
 *	two has the PC-sample registers
 * @address: on the bus of the trace unit
 * @evidence: name of the trace unit's node
 */
struct candidate {
	unsigned int cpu;
	bool pmu;
	u64 address;
	char evidence[64];
};

/**
 * candidates_find() - look for places
 * @root: where /proc and /sys are below
 * @without: CPUs that lack a block; others are left out
 * @c: receives them, sorted by CPU
 * @max: room in @c
 *
 * Return: how many.
 */
unsigned int candidates_find(const char *root, const struct cpus *without, struct candidate *c,
			     unsigned int max);

#endif /* PCSAMPLE_CAPTURE_CANDIDATES_H */
