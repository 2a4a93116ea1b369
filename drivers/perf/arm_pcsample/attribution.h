/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose is a sample? From the Exception level, Security state, Context IDs and VMID that the
 * hardware latched with the PC to the part of the system that ran, and its task.
 *
 * Pure: unit tests compile it in user space.
 */
#ifndef ARM_PCSAMPLE_ATTRIBUTION_H
#define ARM_PCSAMPLE_ATTRIBUTION_H

#include <arch-model/types.h>
#include <linux/arm_pcsample.h>

/**
 * struct pcs_host - what this kernel is, as far as its own samples show it
 * @kernel_el: Exception level of the kernel: 1, or 2 with VHE
 * @has_el2: EL2 is implemented: PMCID2SR and PMVIDSR may be known
 * @contextidr: the kernel writes the TID to CONTEXTIDR (CONFIG_PID_IN_CONTEXTIDR)
 */
struct pcs_host {
	u8 kernel_el;
	bool has_el2;
	bool contextidr;
};

/**
 * struct pcs_regs - one hardware sample
 * @pmpcsr: PMPCSR; its low word is not 0xFFFFFFFF
 * @pmcid1sr: PMCID1SR
 * @pmcid2sr: PMCID2SR
 * @pmvidsr: PMVIDSR
 * @host_vmid: the VMID under which this PE runs the host, for a kernel at EL1
 */
struct pcs_regs {
	u64 pmpcsr;
	u32 pmcid1sr;
	u32 pmcid2sr;
	u32 pmvidsr;
	u16 host_vmid;
};

/**
 * enum pcs_world - what ran on the PE
 * @PCS_WORLD_USER: user space of this kernel
 * @PCS_WORLD_KERNEL: this kernel
 * @PCS_WORLD_HYP: code at EL2 below a kernel at EL1: a hypervisor, KVM's part included
 * @PCS_WORLD_GUEST_USER: EL0 of a guest
 * @PCS_WORLD_GUEST_KERNEL: EL1 of a guest
 * @PCS_WORLD_OTHER: EL3, or Secure, Realm or Root state
 */
enum pcs_world {
	PCS_WORLD_USER,
	PCS_WORLD_KERNEL,
	PCS_WORLD_HYP,
	PCS_WORLD_GUEST_USER,
	PCS_WORLD_GUEST_KERNEL,
	PCS_WORLD_OTHER,
};

/**
 * struct pcs_filter - what an event wants to see, from perf_event_attr
 * @exclude_user: no EL0, of host or guest
 * @exclude_kernel: no kernel, of host or guest
 * @exclude_hv: nothing below or beside the kernel: EL2 under it, EL3, other Security states
 * @exclude_idle: not the idle task
 * @exclude_host: no host: user, kernel or hypervisor
 * @exclude_guest: no guests
 */
struct pcs_filter {
	bool exclude_user;
	bool exclude_kernel;
	bool exclude_hv;
	bool exclude_idle;
	bool exclude_host;
	bool exclude_guest;
};

/**
 * pcs_world() - what ran on the PE
 * @host: this kernel
 * @regs: the sample
 * @in_vcpu: the task that pcs_tid() names is running a guest (PF_VCPU)
 */
enum pcs_world pcs_world(const struct pcs_host *host, const struct pcs_regs *regs, bool in_vcpu);

/**
 * pcs_tid() - TID in the init PID namespace that the Context ID of this kernel holds
 * @host: this kernel
 * @regs: the sample
 *
 * Means something only where @host->contextidr is set and pcs_has_task() holds.
 */
static inline u32 pcs_tid(const struct pcs_host *host, const struct pcs_regs *regs)
{
	return host->kernel_el == 2 ? regs->pmcid2sr : regs->pmcid1sr;
}

/**
 * pcs_has_task() - does pcs_tid() name the task that ran?
 * @host: this kernel
 * @world: what ran
 *
 * A guest under a kernel at EL2 belongs to the task of its vCPU: CONTEXTIDR_EL2 stays the
 * host's. Under a kernel at EL1 the guest has replaced the host's Context ID by its own.
 */
bool pcs_has_task(const struct pcs_host *host, enum pcs_world world);

/**
 * pcs_attribution() - how the owner of a sample was found, for the raw record
 * @host: this kernel
 * @world: what ran
 */
enum arm_pcsample_attribution pcs_attribution(const struct pcs_host *host, enum pcs_world world);

/**
 * pcs_known_fields() - which fields of a sample are not UNKNOWN, for the raw record
 * @host: this kernel
 * @regs: the sample
 * @world: what ran
 *
 * Return: ARM_PCSAMPLE_HAS_*
 */
u8 pcs_known_fields(const struct pcs_host *host, const struct pcs_regs *regs,
		    enum pcs_world world);

/**
 * pcs_is_filtered() - does an event exclude a sample?
 * @filter: of the event
 * @world: what ran
 * @idle: it was the idle task
 */
bool pcs_is_filtered(const struct pcs_filter *filter, enum pcs_world world, bool idle);

#endif /* ARM_PCSAMPLE_ATTRIBUTION_H */
