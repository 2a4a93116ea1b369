// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attribution of samples; see attribution.h.
 */
#include <arch-model/pc-sample.h>

#include "attribution.h"

/*
 * Below a kernel at EL1, host and guests share EL1 and EL0 and are told apart by the VMID. KVM
 * keeps VMID 0 for the host, but firmware that enters the kernel at EL1 may leave any value in
 * VTTBR_EL2; so the host's VMID is what the driver saw when it ran on the PE itself.
 */
static bool pcs_is_foreign_vmid(const struct pcs_host *host, const struct pcs_regs *regs)
{
	return host->has_el2 && FIELD_GET(PMVIDSR_VMID, regs->pmvidsr) != regs->host_vmid;
}

enum pcs_world pcs_world(const struct pcs_host *host, const struct pcs_regs *regs, bool in_vcpu)
{
	unsigned int el = pcs_el(regs->pmpcsr);
	bool guest;

	if (pcs_state(regs->pmpcsr) != PCS_STATE_NONSECURE || el == 3)
		return PCS_WORLD_OTHER;

	if (el == 2)
		return host->kernel_el == 2 ? PCS_WORLD_KERNEL : PCS_WORLD_HYP;

	/*
	 * With VHE all of EL1 is guests. EL0 is the host's with TGE set and a guest's without,
	 * which no sample register shows (PMVIDSR is UNKNOWN in the first case, I5.3); so the
	 * task tells.
	 */
	if (host->kernel_el == 2)
		guest = el == 1 || in_vcpu;
	else
		guest = pcs_is_foreign_vmid(host, regs);

	if (el == 1)
		return guest ? PCS_WORLD_GUEST_KERNEL : PCS_WORLD_KERNEL;
	return guest ? PCS_WORLD_GUEST_USER : PCS_WORLD_USER;
}

bool pcs_has_task(const struct pcs_host *host, enum pcs_world world)
{
	if (!host->contextidr)
		return false;

	switch (world) {
	case PCS_WORLD_USER:
	case PCS_WORLD_KERNEL:
		return true;
	case PCS_WORLD_GUEST_USER:
	case PCS_WORLD_GUEST_KERNEL:
		return host->kernel_el == 2;
	case PCS_WORLD_HYP:
	case PCS_WORLD_OTHER:
		break;
	}
	return false;
}

enum arm_pcsample_attribution pcs_attribution(const struct pcs_host *host, enum pcs_world world)
{
	switch (world) {
	case PCS_WORLD_USER:
	case PCS_WORLD_KERNEL:
		if (!host->contextidr)
			break;
		return host->kernel_el == 2 ? ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL2 :
					      ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL1;
	case PCS_WORLD_GUEST_USER:
	case PCS_WORLD_GUEST_KERNEL:
		return ARM_PCSAMPLE_ATTR_VMID;
	case PCS_WORLD_OTHER:
		return ARM_PCSAMPLE_ATTR_OTHER_WORLD;
	case PCS_WORLD_HYP:
		break;
	}
	return ARM_PCSAMPLE_ATTR_NONE;
}

u8 pcs_known_fields(const struct pcs_host *host, const struct pcs_regs *regs,
		    enum pcs_world world)
{
	unsigned int el = pcs_el(regs->pmpcsr);
	u8 has = ARM_PCSAMPLE_HAS_CID1;

	/*
	 * PMCID2SR and PMVIDSR are UNKNOWN where EL2 is not enabled in the sampled state. In
	 * Secure state that is a control this kernel cannot see, and Root is EL3 (I5.3).
	 */
	if (!host->has_el2 || el == 3)
		return has;
	if (pcs_state(regs->pmpcsr) != PCS_STATE_NONSECURE &&
	    pcs_state(regs->pmpcsr) != PCS_STATE_REALM)
		return has;

	has |= ARM_PCSAMPLE_HAS_CID2;

	/* At EL0 with {E2H,TGE} = {1,1}, user space of a VHE kernel, the VMID is UNKNOWN. */
	if (el == 2 || (host->kernel_el == 2 && world == PCS_WORLD_USER))
		return has;
	return has | ARM_PCSAMPLE_HAS_VMID;
}

bool pcs_is_filtered(const struct pcs_filter *filter, enum pcs_world world, bool idle)
{
	switch (world) {
	case PCS_WORLD_USER:
		return filter->exclude_host || filter->exclude_user;
	case PCS_WORLD_KERNEL:
		return filter->exclude_host || filter->exclude_kernel ||
		       (idle && filter->exclude_idle);
	case PCS_WORLD_GUEST_USER:
		return filter->exclude_guest || filter->exclude_user;
	case PCS_WORLD_GUEST_KERNEL:
		return filter->exclude_guest || filter->exclude_kernel;
	case PCS_WORLD_HYP:
	case PCS_WORLD_OTHER:
		break;
	}
	return filter->exclude_host || filter->exclude_hv;
}
