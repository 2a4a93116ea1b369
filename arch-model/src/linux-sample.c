// SPDX-License-Identifier: GPL-2.0-only
/*
 * What Linux makes of a sample; see linux-sample.h.
 */
#include <arch-model/linux-sample.h>
#include <arch-model/pmpcsr-regs.h>

/* EL0 or EL1 of Non-secure state */
static struct am_verdict am_host_or_guest(unsigned int el, bool is_guest, enum am_why why)
{
	if (el == 1)
		return am_verdict(is_guest ? AM_WORLD_GUEST_KERNEL : AM_WORLD_KERNEL, why);
	return am_verdict(is_guest ? AM_WORLD_GUEST_USER : AM_WORLD_USER, why);
}

struct am_verdict am_linux_world(const struct am_linux *host, u64 pmpcsr, u32 vmid, u16 host_vmid,
				 bool in_vcpu)
{
	unsigned int el = pcs_el(pmpcsr);
	bool is_foreign = host->has_el2 && FIELD_GET(PMVIDSR_VMID, vmid) != host_vmid;

	if (pcs_state(pmpcsr) != PCS_STATE_NONSECURE || el == 3)
		return am_verdict(AM_WORLD_OTHER, AM_WHY_WORLD_OTHER);
	if (host->kernel == AM_KERNEL_VHE) {
		if (el == 2)
			return am_verdict(AM_WORLD_KERNEL, AM_WHY_WORLD_VHE);
		if (el == 1)
			return am_host_or_guest(el, true, AM_WHY_WORLD_VHE_EL1);
		return am_host_or_guest(el, in_vcpu, in_vcpu ? AM_WHY_WORLD_VCPU :
								     AM_WHY_WORLD_NO_VCPU);
	}
	if (el == 2)
		return am_verdict(AM_WORLD_HYP, AM_WHY_WORLD_HYP);
	if (!host->has_el2)
		return am_host_or_guest(el, false, AM_WHY_WORLD_NO_EL2);
	return am_host_or_guest(el, is_foreign, is_foreign ? AM_WHY_WORLD_VMID :
								  AM_WHY_WORLD_HOST_VMID);
}

bool am_linux_has_task(const struct am_linux *host, enum am_world world)
{
	if (!host->names_tasks)
		return false;
	switch (world) {
	case AM_WORLD_USER:
	case AM_WORLD_KERNEL:
		return true;
	case AM_WORLD_GUEST_USER:
	case AM_WORLD_GUEST_KERNEL:
		return host->kernel == AM_KERNEL_VHE;
	case AM_WORLD_HYP:
	case AM_WORLD_OTHER:
		break;
	}
	return false;
}

unsigned int am_linux_known(const struct am_linux *host, u64 pmpcsr, enum am_world world)
{
	enum pcs_state state = pcs_state(pmpcsr);
	unsigned int el = pcs_el(pmpcsr);

	if (!host->has_el2 || el == 3)
		return AM_KNOWN_CID1;
	if (state != PCS_STATE_NONSECURE && state != PCS_STATE_REALM)
		return AM_KNOWN_CID1;
	if (el == 2)
		return AM_KNOWN_CID1 | AM_KNOWN_CID2;
	/* At EL0 with {E2H,TGE} = {1,1} the VMID is UNKNOWN: user space of a host at EL2 (I5.3) */
	if (el == 0 && (state == PCS_STATE_REALM ||
			(host->kernel == AM_KERNEL_VHE && world == AM_WORLD_USER)))
		return AM_KNOWN_CID1 | AM_KNOWN_CID2;
	return AM_KNOWN_CID1 | AM_KNOWN_CID2 | AM_KNOWN_VMID;
}
