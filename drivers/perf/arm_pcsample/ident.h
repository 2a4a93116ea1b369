/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the ID registers of a block say: is it a PC-sample block, of which kind, of which PE? The
 * rules are arch-model's.
 *
 * Pure: unit tests compile it in user space.
 */
#ifndef ARM_PCSAMPLE_IDENT_H
#define ARM_PCSAMPLE_IDENT_H

#include "sets.h"

/**
 * enum pcs_ident_fault - why a block is refused
 * @PCS_IDENT_GOOD: it is not
 * @PCS_IDENT_CIDR: not a CoreSight component: nothing there, or something else
 * @PCS_IDENT_DEVARCH: not an Arm PMU, PC-sample or debug block of a version that is known
 * @PCS_IDENT_DEVTYPE: DEVTYPE contradicts DEVARCH
 * @PCS_IDENT_PCSAMPLE: DEVID names a version of PC sampling that is reserved
 * @PCS_IDENT_OFFSET: EDDEVID1 says that the PC has an offset, which no Armv8 PE has
 * @PCS_IDENT_NO_PCSAMPLE: a block without PC sampling
 * @PCS_IDENT_V8P2: the debug block of a core of Armv8.2 or later, which samples in its external PMU
 *	block, if at all
 * @PCS_IDENT_WORLDS: its samples do not tell this kernel from other software on the PE
 * @PCS_IDENT_AFFINITY: the block of another PE
 */
enum pcs_ident_fault {
	PCS_IDENT_GOOD,
	PCS_IDENT_CIDR,
	PCS_IDENT_DEVARCH,
	PCS_IDENT_DEVTYPE,
	PCS_IDENT_PCSAMPLE,
	PCS_IDENT_OFFSET,
	PCS_IDENT_NO_PCSAMPLE,
	PCS_IDENT_V8P2,
	PCS_IDENT_WORLDS,
	PCS_IDENT_AFFINITY,
};

/**
 * pcs_ident_hides_pcsample() - is it an external PMU block that says that it has no PC sampling?
 * @ids: its ID registers
 *
 * Some manuals describe the sample registers and leave PMDEVID out, as that of Cortex-A78AE does.
 */
static inline bool pcs_ident_hides_pcsample(const struct am_pcs_ids *ids)
{
	u32 part = FIELD_GET(PMDEVARCH_ARCHPART, ids->devarch);

	return (part == PMDEVARCH_ARCHPART_PMU32 || part == PMDEVARCH_ARCHPART_PMU64) &&
	       FIELD_GET(PMDEVID_PCSAMPLE, ids->devid) == PMDEVID_PCSAMPLE_NONE;
}

/**
 * pcs_ident_check() - hold the ID registers against what this driver can read
 * @id: the registers
 * @mpidr: MPIDR_EL1 of the PE whose block this should be
 * @frame: gets its set, and what of it is there, if good
 *
 * Return: PCS_IDENT_GOOD or the first thing that does not fit.
 */
enum pcs_ident_fault pcs_ident_check(const struct pcs_ident *id, u64 mpidr,
				     struct pcs_frame *frame);

#endif /* ARM_PCSAMPLE_IDENT_H */
