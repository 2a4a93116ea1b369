// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attribution of samples; see attribution.h.
 */
#include "attribution.h"

enum pcs_guests pcs_guests(const struct pcs_host *host)
{
	if (!host->kernel.has_el2)
		return PCS_GUESTS_ABSENT;
	if (host->kernel.kernel != AM_KERNEL_VHE)
		return PCS_GUESTS_VMID;
	if (!host->kvm)
		return PCS_GUESTS_ABSENT;
	return host->kernel.names_tasks ? PCS_GUESTS_TASK : PCS_GUESTS_UNKNOWN;
}

const char *pcs_guests_name(enum pcs_guests guests)
{
	static const char * const names[] = {
		[PCS_GUESTS_ABSENT] = "absent",
		[PCS_GUESTS_VMID] = "vmid",
		[PCS_GUESTS_TASK] = "task",
		[PCS_GUESTS_UNKNOWN] = "unknown",
	};

	return names[guests];
}

bool pcs_filter_is_possible(const struct pcs_host *host, const struct pcs_filter *filter)
{
	return pcs_guests(host) != PCS_GUESTS_UNKNOWN || filter->exclude_user ||
	       filter->exclude_host == filter->exclude_guest;
}

bool pcs_task_decides_at_el2(const struct pcs_host *host, const struct pcs_regs *regs)
{
	const struct am_linux *kernel = &host->kernel;

	if (pcs_guests(host) != PCS_GUESTS_TASK)
		return false;
	if ((regs->given & ARM_PCSAMPLE_HAS_VMID) && !FIELD_GET(PMVIDSR_VMID, regs->pmvidsr))
		return false;
	return am_linux_world(kernel, regs->pmpcsr, regs->pmvidsr, regs->host_vmid, false).is !=
	       am_linux_world(kernel, regs->pmpcsr, regs->pmvidsr, regs->host_vmid, true).is;
}

enum am_world pcs_world(const struct pcs_host *host, struct pcs_regs *regs, bool in_vcpu,
			bool never_user)
{
	enum am_world world = am_linux_world(&host->kernel, regs->pmpcsr, regs->pmvidsr,
					     regs->host_vmid, in_vcpu).is;

	if (world != AM_WORLD_USER || !regs->el_by_address || !never_user)
		return world;
	regs->pmpcsr |= FIELD_PREP(PMPCSR_EL, 1);
	return AM_WORLD_KERNEL;
}

static bool pcs_is_same(const struct pcs_regs *a, const struct pcs_regs *b)
{
	return a->pmpcsr == b->pmpcsr && a->pmcid1sr == b->pmcid1sr &&
	       a->pmcid2sr == b->pmcid2sr && a->pmvidsr == b->pmvidsr;
}

bool pcs_has_task(const struct pcs_host *host, const struct pcs_regs *regs)
{
	struct pcs_host shown = pcs_host_of(host, regs);
	enum am_world world = am_linux_world(&shown.kernel, regs->pmpcsr, regs->pmvidsr,
					     regs->host_vmid, false).is;

	return am_linux_has_task(&shown.kernel, world);
}

bool pcs_is_idle_again(const struct pcs_host *host, const struct pcs_regs *regs,
		       const struct pcs_regs *last)
{
	return !am_linux_tid(&host->kernel, regs->pmcid1sr, regs->pmcid2sr) &&
	       pcs_is_same(regs, last) && pcs_has_task(host, regs);
}

enum arm_pcsample_attribution pcs_attribution(const struct pcs_host *host, enum am_world world)
{
	switch (world) {
	case AM_WORLD_USER:
	case AM_WORLD_KERNEL:
		if (!host->kernel.names_tasks)
			break;
		return pcs_kernel_el(host) == 2 ? ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL2 :
						  ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL1;
	case AM_WORLD_GUEST_USER:
	case AM_WORLD_GUEST_KERNEL:
		return ARM_PCSAMPLE_ATTR_VMID;
	case AM_WORLD_OTHER:
		return ARM_PCSAMPLE_ATTR_OTHER_WORLD;
	case AM_WORLD_HYP:
		break;
	}
	return ARM_PCSAMPLE_ATTR_NONE;
}

u8 pcs_has(const struct pcs_host *host, const struct pcs_regs *regs, enum am_world world,
	   bool with_ids)
{
	unsigned int known = am_linux_known(&host->kernel, regs->pmpcsr, world);
	u8 has = 0;

	if (known & AM_KNOWN_VMID)
		has |= ARM_PCSAMPLE_HAS_VMID;
	if (with_ids && (known & AM_KNOWN_CID1))
		has |= ARM_PCSAMPLE_HAS_CID1;
	if (with_ids && (known & AM_KNOWN_CID2))
		has |= ARM_PCSAMPLE_HAS_CID2;
	has &= regs->given;
	if (!pcs_el_is_known(regs, world))
		has |= ARM_PCSAMPLE_NO_EL;
	if (world == AM_WORLD_USER && pcs_guests(host) == PCS_GUESTS_UNKNOWN)
		has |= ARM_PCSAMPLE_MAY_BE_GUEST;
	return has;
}

bool pcs_is_filtered(const struct pcs_filter *filter, enum am_world world, bool el_is_known,
		     bool idle)
{
	switch (world) {
	case AM_WORLD_USER:
		return filter->exclude_host || filter->exclude_user;
	case AM_WORLD_KERNEL:
		return filter->exclude_host || filter->exclude_kernel ||
		       (idle && filter->exclude_idle);
	case AM_WORLD_GUEST_USER:
		return filter->exclude_guest || filter->exclude_user ||
		       (!el_is_known && filter->exclude_kernel);
	case AM_WORLD_GUEST_KERNEL:
		return filter->exclude_guest || filter->exclude_kernel ||
		       (!el_is_known && filter->exclude_user);
	case AM_WORLD_HYP:
	case AM_WORLD_OTHER:
		break;
	}
	return filter->exclude_host || filter->exclude_hv;
}
