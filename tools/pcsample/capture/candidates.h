/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where PC-sample blocks may be that nothing describes: arithmetic on what the device tree says.
 *
 * A core's CoreSight components are at fixed distances from each other in the memory map that Arm
 * has cores laid out by (Cortex-A53 TRM, Arm DDI 0500, 11-30): debug at 0x10000, PMU at 0x30000,
 * trace unit at 0x40000. So a trace unit that is at such a place tells of the others. It may be
 * wrong: a SoC may have another map, and firmware may keep others out. Nothing here is read.
 */
#ifndef PCSAMPLE_CAPTURE_CANDIDATES_H
#define PCSAMPLE_CAPTURE_CANDIDATES_H

#include <stdbool.h>

#include <arch-model/types.h>

#include "base/cpuset.h"

/**
 * struct candidate - a place
 * @cpu: whose block it would be
 * @pmu: an external PMU block, else an external debug block: which of them samples, the core says
 * @address: as the bus of the trace unit numbers it
 * @evidence: the node of that unit
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
 * @c: takes them, by CPU
 * @max: room in @c
 *
 * Return: how many.
 */
unsigned int candidates_find(const char *root, const struct cpus *without, struct candidate *c,
			     unsigned int max);

#endif /* PCSAMPLE_CAPTURE_CANDIDATES_H */
