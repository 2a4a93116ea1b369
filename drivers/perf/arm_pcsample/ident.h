/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the ID registers of a block say: is it a PC-sample block, of which kind, of which PE?
 *
 * Pure: unit tests compile it in user space.
 */
#ifndef ARM_PCSAMPLE_IDENT_H
#define ARM_PCSAMPLE_IDENT_H

#include <arch-model/types.h>

/**
 * struct pcs_ident - identification registers of a block, as read
 * @cidr: PMCIDR0 to PMCIDR3
 * @devarch: PMDEVARCH
 * @devtype: PMDEVTYPE
 * @devid: PMDEVID
 * @devaff: PMDEVAFF1:PMDEVAFF0
 */
struct pcs_ident {
	u32 cidr[4];
	u32 devarch;
	u32 devtype;
	u32 devid;
	u64 devaff;
};

/**
 * struct pcs_layout - how the registers of a block are reached
 * @wide: 64-bit registers (FEAT_PMUv3_EXT64), else two words (FEAT_PMUv3_EXT32)
 * @control: PMPCSCTL is there (FEAT_PCSRv8p9)
 */
struct pcs_layout {
	bool wide;
	bool control;
};

/**
 * enum pcs_ident_fault - why a block is refused
 * @PCS_IDENT_GOOD: it is not
 * @PCS_IDENT_CIDR: not a CoreSight component: nothing there, or something else
 * @PCS_IDENT_DEVARCH: not an Arm PMU or PC-sample block
 * @PCS_IDENT_DEVTYPE: PMDEVTYPE contradicts PMDEVARCH
 * @PCS_IDENT_NO_PCSAMPLE: an external PMU without PC sampling
 * @PCS_IDENT_AFFINITY: the block of another PE
 */
enum pcs_ident_fault {
	PCS_IDENT_GOOD,
	PCS_IDENT_CIDR,
	PCS_IDENT_DEVARCH,
	PCS_IDENT_DEVTYPE,
	PCS_IDENT_NO_PCSAMPLE,
	PCS_IDENT_AFFINITY,
};

/**
 * pcs_ident_check() - hold the ID registers against what this driver can read
 * @id: the registers
 * @mpidr: MPIDR_EL1 of the PE whose block this should be
 * @layout: filled if good
 *
 * Return: PCS_IDENT_GOOD or the first thing that does not fit.
 */
enum pcs_ident_fault pcs_ident_check(const struct pcs_ident *id, u64 mpidr,
				     struct pcs_layout *layout);

#endif /* ARM_PCSAMPLE_IDENT_H */
