// SPDX-License-Identifier: GPL-2.0-only
/*
 * Identification of a block; see ident.h.
 */
#include <linux/kernel.h>

#include "ident.h"

/* From FEAT_Debugv8p2 on there is no FEAT_PCSRv8 (A2.2): sample registers are elsewhere. */
static bool pcs_is_debug_v8p2(const struct am_pcs_ids *ids)
{
	return FIELD_GET(PMDEVARCH_ARCHPART, ids->devarch) == EDDEVARCH_ARCHPART_DEBUG &&
	       FIELD_GET(PMDEVARCH_ARCHVER, ids->devarch) >= EDDEVARCH_ARCHVER_V8P2;
}

static enum pcs_ident_fault pcs_ident_fault(const struct am_pcs_id *model,
					    const struct am_pcs_ids *ids)
{
	switch (model->verdict.why) {
	case AM_WHY_ID_CIDR:
		return PCS_IDENT_CIDR;
	case AM_WHY_ID_DEVTYPE:
		return PCS_IDENT_DEVTYPE;
	case AM_WHY_ID_NONE:
		return pcs_is_debug_v8p2(ids) ? PCS_IDENT_V8P2 : PCS_IDENT_NO_PCSAMPLE;
	case AM_WHY_PCS_TOO_NEW:
		return PCS_IDENT_V8P2;
	case AM_WHY_ID_RESERVED:
		return PCS_IDENT_PCSAMPLE;
	case AM_WHY_ID_OFFSET:
		return PCS_IDENT_OFFSET;
	default:
		return PCS_IDENT_DEVARCH;
	}
}

/*
 * The PC of a FEAT_PMUv3_SS snapshot takes PMPCSCTL.SS. IMPLEMENTATION DEFINED ones have no VMID,
 * by which a kernel at EL1 tells its guests.
 */
static const struct pcs_set *pcs_ident_snapshots(const struct pcs_set *set,
						 const struct am_pcs_id *model,
						 const struct pcs_frame *frame)
{
	if (!frame->may_capture)
		return NULL;
	if (model->has_snapshot)
		return model->has_ctl ? set->snapshots : NULL;
	if (frame->kernel->has_el2 && frame->kernel->kernel != AM_KERNEL_VHE)
		return NULL;
	return frame->impdef_core ? set->impdef : NULL;
}

/*
 * What the user assumes is FEAT_PCSRv8p2, which has no control register. Where a block does not
 * sample after all it has no such registers, and reads of them as zeros count as errors.
 */
static struct am_pcs_ids pcs_ident_assume(const struct pcs_ident *id, struct pcs_frame *frame)
{
	struct am_pcs_ids ids = id->ids;

	frame->pcsample_is_assumed = frame->assumes_pcsample && pcs_ident_hides_pcsample(&ids);
	if (frame->pcsample_is_assumed)
		ids.devid |= FIELD_PREP(PMDEVID_PCSAMPLE, PMDEVID_PCSAMPLE_V8P2);
	return ids;
}

enum pcs_ident_fault pcs_ident_check(const struct pcs_ident *id, u64 mpidr,
				     struct pcs_frame *frame)
{
	struct am_pcs_ids ids = pcs_ident_assume(id, frame);
	struct am_pcs_id model = am_pcs_identify(&ids);
	const struct pcs_set *set = pcs_sets_find(&model);

	if (!set)
		return pcs_ident_fault(&model, &ids);
	if (!am_pcs_is_of_pe(id->devaff, mpidr))
		return PCS_IDENT_AFFINITY;
	if (!set->identify(frame, &model))
		return PCS_IDENT_WORLDS;
	frame->set = set;
	frame->reads = set;
	frame->snapshots = pcs_ident_snapshots(set, &model, frame);
	return PCS_IDENT_GOOD;
}
