/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kinds of blocks that the hardware of hardware.h can be, what happens to its PE, and what the
 * model says that a sample of the driver must hold.
 */
#ifndef PCS_TEST_KINDS_H
#define PCS_TEST_KINDS_H

#include "hardware.h"
#include "sets.h"

/**
 * struct kind - a kind of block
 * @source: the set that the driver has for it
 * @kernel: the kernel of the PE
 * @accesses: that a sample takes, the one that latches first
 * @devarch: PMDEVARCH, EDDEVARCH
 * @devtype: PMDEVTYPE, EDDEVTYPE
 * @devid: PMDEVID, EDDEVID
 * @devid1: EDDEVID1
 * @feat: of the PE
 */
struct kind {
	enum arm_pcsample_source source;
	enum am_kernel kernel;
	const char *accesses;
	u32 devarch, devtype, devid, devid1;
	u64 feat;
};

#define NR_KINDS	12

extern const struct kind kinds[NR_KINDS];

static inline bool is_debug(const struct kind *kind)
{
	return kind->source == ARM_PCSAMPLE_SOURCE_DEBUG;
}

/* hw becomes a block of this kind, out of reset; PE 0 at Non-secure EL1 */
void plug_in(const struct kind *kind);

/* Cold reset of the PE: the Core power domain has lost its content */
void hardware_reset(void);

/* The kernel of its PE */
struct am_linux kernel_of(const struct kind *kind);

/* Random changes of the PE and of its authentication interface; one that cannot be is undone. */
void change_pe(void);

void retire(const struct am_pcs_insn *insn);

/* Does the authentication interface allow sampling wherever the PE may be? */
bool is_all_allowed(void);

/**
 * compare_sample() - fail unless a sample is the one that hw has taken last
 * @frame: the block
 * @regs: what the driver makes of it
 */
void compare_sample(const struct pcs_frame *frame, const struct pcs_regs *regs);

#endif /* PCS_TEST_KINDS_H */
