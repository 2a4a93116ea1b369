// SPDX-License-Identifier: GPL-2.0-only
/*
 * Identification of a block; see ident.h.
 */
#include <linux/kernel.h>

#include "ident.h"

static enum pcs_ident_fault pcs_ident_fault(const struct am_pcs_id *model)
{
	switch (model->verdict.why) {
	case AM_WHY_ID_CIDR:
		return PCS_IDENT_CIDR;
	case AM_WHY_ID_DEVTYPE:
		return PCS_IDENT_DEVTYPE;
	case AM_WHY_ID_NONE:
		return PCS_IDENT_NO_PCSAMPLE;
	case AM_WHY_ID_RESERVED:
		return PCS_IDENT_PCSAMPLE;
	case AM_WHY_ID_OFFSET:
		return PCS_IDENT_OFFSET;
	default:
		return PCS_IDENT_DEVARCH;
	}
}

enum pcs_ident_fault pcs_ident_check(const struct pcs_ident *id, u64 mpidr,
				     struct pcs_frame *frame)
{
	struct am_pcs_id model = am_pcs_identify(&id->ids);
	const struct pcs_set *set = pcs_sets_find(&model);

	if (!set)
		return pcs_ident_fault(&model);
	if (!am_pcs_is_of_pe(id->devaff, mpidr))
		return PCS_IDENT_AFFINITY;
	if (!set->identify(frame, &model))
		return PCS_IDENT_WORLDS;
	frame->set = set;
	frame->reads = set;
	frame->snapshots = NULL;
	/* The PC of a snapshot takes PMPCSCTL.SS */
	if (model.has_snapshot && model.has_ctl && frame->may_capture)
		frame->snapshots = set->snapshots;
	return PCS_IDENT_GOOD;
}
