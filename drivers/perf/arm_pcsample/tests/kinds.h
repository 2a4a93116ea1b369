/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kinds of blocks that the hardware of hardware.h can be, changes of its PE, and the contents
 * that the model expects in a sample of the driver.
 */
#ifndef PCS_TEST_KINDS_H
#define PCS_TEST_KINDS_H

#include "hardware.h"
#include "sets.h"

/**
 * struct kind - a kind of block
 * @source: the register set that the driver uses for it
 * @kernel: the kernel that runs on the PE
 * @accesses: accesses for a sample; the one that latches comes first
 * @devarch: PMDEVARCH, EDDEVARCH
 * @devtype: PMDEVTYPE, EDDEVTYPE
 * @devid: PMDEVID, EDDEVID
 * @devid1: EDDEVID1
 * @feat: features of the PE
 * @impdef: its core has IMPLEMENTATION DEFINED snapshots
 */
struct kind {
	enum arm_pcsample_source source;
	enum am_kernel kernel;
	const char *accesses;
	u32 devarch, devtype, devid, devid1;
	u64 feat;
	bool impdef;
};

#define NR_KINDS	14

extern const struct kind kinds[NR_KINDS];

/* The set that takes IMPLEMENTATION DEFINED snapshots? */
static inline bool is_impdef(const struct pcs_set *set)
{
	return set->source == ARM_PCSAMPLE_SOURCE_IMPDEF;
}

static inline bool is_debug(const struct kind *kind)
{
	return kind->source == ARM_PCSAMPLE_SOURCE_DEBUG;
}

/* Make hw a block of this kind, out of reset; PE 0 at Non-secure EL1 */
void plug_in(const struct kind *kind);

/* The kernel that runs on its PE */
struct am_linux kernel_of(const struct kind *kind);

/* Change the PE and its authentication interface at random; an impossible state is undone. */
void change_pe(void);

void retire(const struct am_pcs_insn *insn);

/* Does the authentication interface allow sampling in every state of the PE? */
bool is_all_allowed(void);

/**
 * compare_sample() - fail unless a sample is the latest one of hw
 * @frame: the block
 * @regs: the sample that the driver has read
 */
void compare_sample(const struct pcs_frame *frame, const struct pcs_regs *regs);

#endif /* PCS_TEST_KINDS_H */
