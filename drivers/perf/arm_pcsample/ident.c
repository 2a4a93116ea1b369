// SPDX-License-Identifier: GPL-2.0-only
/*
 * Identification of a block; see ident.h. Arm DDI 0487 M.a.a, I5.3 and H7.1.2.
 */
#include <arch-model/pmpcsr-regs.h>

#include "ident.h"

#define PMDEVTYPE_SUB_PE		1
#define PMDEVTYPE_MAJOR_PMU		6
#define PMDEVTYPE_MAJOR_PCSAMPLE	0

/* PMCIDR0-3: the CoreSight preamble and class 9, "CoreSight component" */
static const u32 pcs_cidr[4] = { 0x0D, 0x90, 0x05, 0xB1 };

static bool pcs_is_coresight(const struct pcs_ident *id)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		if ((id->cidr[i] & 0xFF) != pcs_cidr[i])
			return false;
	return true;
}

enum pcs_ident_fault pcs_ident_check(const struct pcs_ident *id, u64 mpidr,
				     struct pcs_layout *layout)
{
	u32 major;

	if (!pcs_is_coresight(id))
		return PCS_IDENT_CIDR;

	if (FIELD_GET(PMDEVARCH_ARCHITECT, id->devarch) != PMDEVARCH_ARCHITECT_ARM ||
	    !(id->devarch & PMDEVARCH_PRESENT))
		return PCS_IDENT_DEVARCH;

	/* Only ARCHPART tells the two register views apart: PMCFGR does not (I5.3). */
	switch (FIELD_GET(PMDEVARCH_ARCHPART, id->devarch)) {
	case PMDEVARCH_ARCHPART_PMU32:
		layout->wide = false;
		major = PMDEVTYPE_MAJOR_PMU;
		break;
	case PMDEVARCH_ARCHPART_PMU64:
		layout->wide = true;
		major = PMDEVTYPE_MAJOR_PMU;
		break;
	case PMDEVARCH_ARCHPART_PCS32:
		layout->wide = false;
		major = PMDEVTYPE_MAJOR_PCSAMPLE;
		break;
	case PMDEVARCH_ARCHPART_PCS64:
		layout->wide = true;
		major = PMDEVTYPE_MAJOR_PCSAMPLE;
		break;
	default:
		return PCS_IDENT_DEVARCH;
	}

	if (FIELD_GET(PMDEVTYPE_SUB, id->devtype) != PMDEVTYPE_SUB_PE ||
	    FIELD_GET(PMDEVTYPE_MAJOR, id->devtype) != major)
		return PCS_IDENT_DEVTYPE;

	switch (FIELD_GET(PMDEVID_PCSAMPLE, id->devid)) {
	case PMDEVID_PCSAMPLE_NONE:
		return PCS_IDENT_NO_PCSAMPLE;
	case PMDEVID_PCSAMPLE_V8P2:
		layout->control = false;
		break;
	default:
		/* ID fields grow upwards: a later version has all that this one has (D24.1.3). */
		layout->control = true;
		break;
	}

	if ((id->devaff ^ mpidr) & PMDEVAFF_AFF)
		return PCS_IDENT_AFFINITY;

	return PCS_IDENT_GOOD;
}
