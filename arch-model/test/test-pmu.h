/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the tests of overflow and of counting.
 */
#ifndef ARCH_MODEL_TEST_PMU_H
#define ARCH_MODEL_TEST_PMU_H

#include <arch-model/pmu.h>

#include "test.h"

#define CYCLES		AM_CYCLE_COUNTER
#define INSTRUCTIONS	AM_INSTRUCTION_COUNTER

/* One event counter in each range, if the PE has it, and the two other counters */
static const u8 kinds[] = { 0, 1, 2, CYCLES, INSTRUCTIONS };

#define PMCCR_OF_KINDS		(0x80ULL | 2)		/* EPME, EPMN */
#define MDCR_EL2_OF_KINDS	(0x80ULL | 1)		/* HPME, HPMN */

static inline bool bit(u64 reg, unsigned int number)
{
	return reg >> number & 1;
}

/* Move bit @from of @n to bit @to */
static inline u64 put(unsigned int n, unsigned int from, unsigned int to)
{
	return (u64)(n >> from & 1) << to;
}

/* Go to the next state; skip those that only differ in HCR_EL2.E2H, which the PMU ignores */
static inline bool next_state(struct am_pe_walk *walk)
{
	while (am_pe_next(walk))
		if (!(walk->pe.hcr_el2 & 1ULL << 34) && !(walk->pe.feat & AM_FEAT_VHE))
			return true;
	return false;
}

#endif /* ARCH_MODEL_TEST_PMU_H */
