/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guesses where PC-sample blocks are that no firmware describes, from what the device tree has of
 * the other CoreSight components of the CPUs: trace units, cross triggers, debug blocks.
 *
 * These are at fixed distances from each other, in one of two maps:
 *
 *	each core has 0x100000 bytes: debug at 0x10000, cross trigger at 0x20000, PMU at 0x30000,
 *	trace unit at 0x40000 (Cortex-A53 TRM, Arm DDI 0500, 11-30; Cortex-A72 TRM, Arm 100095)
 *
 *	each cluster has 0x10000 bytes: of core n debug at n * 0x2000, cross trigger at 0x8000 +
 *	n * 0x1000, trace unit at 0xC000 + n * 0x1000 (device trees of hi6220 and msm8916)
 *
 * So the address of one component tells that of another, on the same bus. The ranges of the buses
 * above make a physical address of it, without which it is no use. The guess may be wrong: a SoC
 * may have another map, and firmware may forbid access. These addresses are only computed here;
 * nothing is read from them.
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
 * @address: physical
 * @evidence: names of these nodes
 */
struct candidate {
	unsigned int cpu;
	bool pmu;
	u64 address;
	char evidence[128];
};

/**
 * candidates_unlike() - is this a SoC where nothing can be guessed?
 * @root: where /proc and /sys are below
 *
 * Return: its name if its debug blocks are known to be in neither of the maps, or NULL.
 */
const char *candidates_unlike(const char *root);

/**
 * candidates_find() - look for places
 * @root: where /proc and /sys are below
 * @without: CPUs that lack a block; others are left out
 * @c: receives them, sorted by CPU
 * @max: room in @c
 * @unmapped: receives how many nodes tell a place that is left out, as no physical address is known
 *	of it
 *
 * Return: how many.
 */
unsigned int candidates_find(const char *root, const struct cpus *without, struct candidate *c,
			     unsigned int max, unsigned int *unmapped);

#endif /* PCSAMPLE_CAPTURE_CANDIDATES_H */
