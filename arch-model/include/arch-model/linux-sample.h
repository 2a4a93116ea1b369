/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a Linux kernel makes of the PC samples of a PE that it runs on: what part of the system ran,
 * and which task. Not rules of Arm but of arm64 Linux, KVM and CONFIG_PID_IN_CONTEXTIDR; what the
 * sample registers hold is in pcsr.h, their fields in pc-sample.h.
 */
#ifndef ARCH_MODEL_LINUX_SAMPLE_H
#define ARCH_MODEL_LINUX_SAMPLE_H

#include <arch-model/pc-sample.h>
#include <arch-model/types.h>
#include <arch-model/why.h>

/**
 * enum am_kernel - the Linux kernel that runs on the sampled PE
 * @AM_KERNEL_EL1: arm64 at EL1, with or without a hypervisor (KVM nVHE included) at EL2
 * @AM_KERNEL_VHE: arm64 at EL2, HCR_EL2.E2H = 1: its CONTEXTIDR_EL1 is CONTEXTIDR_EL2
 * @AM_KERNEL_AA32: arm at EL1, which keeps an ASID in CONTEXTIDR[7:0]
 */
enum am_kernel {
	AM_KERNEL_EL1,
	AM_KERNEL_VHE,
	AM_KERNEL_AA32,
};

/**
 * struct am_linux - the kernel of a PE, as far as its samples show it
 * @kernel: which one
 * @has_el2: EL2 is implemented: PMCID2SR and PMVIDSR can be known
 * @names_tasks: the kernel writes TIDs to CONTEXTIDR (CONFIG_PID_IN_CONTEXTIDR)
 */
struct am_linux {
	enum am_kernel kernel;
	bool has_el2;
	bool names_tasks;
};

/**
 * enum am_world - what ran
 * @AM_WORLD_USER: user space of this kernel
 * @AM_WORLD_KERNEL: this kernel
 * @AM_WORLD_HYP: code at EL2 below a kernel at EL1: a hypervisor, KVM's part included
 * @AM_WORLD_GUEST_USER: EL0 of a guest
 * @AM_WORLD_GUEST_KERNEL: EL1 of a guest
 * @AM_WORLD_OTHER: EL3, or Secure, Realm or Root state
 */
enum am_world {
	AM_WORLD_USER,
	AM_WORLD_KERNEL,
	AM_WORLD_HYP,
	AM_WORLD_GUEST_USER,
	AM_WORLD_GUEST_KERNEL,
	AM_WORLD_OTHER,
};

/**
 * am_linux_world() - what ran?
 * @host: the kernel of the PE
 * @pmpcsr: PMPCSR of the sample; its low word is not 0xFFFFFFFF
 * @vmid: PMVIDSR of the sample
 * @host_vmid: VMID under which the PE runs @host and its user space. KVM keeps 0 for the host, but
 *	       firmware that enters the kernel at EL1 may leave any value in VTTBR_EL2
 * @in_vcpu: the task that am_linux_tid() names runs a guest (PF_VCPU)
 *
 * Below a kernel at EL1, host and guests share EL1 and EL0, and the VMID tells them apart. With VHE
 * all of EL1 is guests; EL0 is the host's with HCR_EL2.TGE set and a guest's without, which no
 * sample register shows, since PMVIDSR is UNKNOWN in the first case (I5.3): the task tells.
 *
 * Return: an enum am_world
 */
struct am_verdict am_linux_world(const struct am_linux *host, u64 pmpcsr, u32 vmid, u16 host_vmid,
				 bool in_vcpu);

/**
 * am_linux_has_task() - does am_linux_tid() name the task that ran?
 * @host: the kernel of the PE
 * @world: what ran
 *
 * A guest under a kernel at EL2 belongs to the task of its vCPU: CONTEXTIDR_EL2 stays the host's.
 * Under a kernel at EL1 a guest replaces CONTEXTIDR_EL1 by its own, and while a hypervisor executes
 * at EL2 the register may be either's.
 */
bool am_linux_has_task(const struct am_linux *host, enum am_world world);

/* TID in the init PID namespace, if am_linux_has_task() */
static inline u32 am_linux_tid(const struct am_linux *host, u32 pmcid1sr, u32 pmcid2sr)
{
	if (host->kernel == AM_KERNEL_VHE)
		return pmcid2sr;
	return host->kernel == AM_KERNEL_AA32 ? pmcid1sr >> 8 : pmcid1sr;
}

/* Sample registers whose value is not UNKNOWN */
#define AM_KNOWN_CID1		BIT_ULL(0)
#define AM_KNOWN_CID2		BIT_ULL(1)
#define AM_KNOWN_VMID		BIT_ULL(2)

/**
 * am_linux_known() - which context registers of a sample are certainly not UNKNOWN?
 * @host: the kernel of the PE
 * @pmpcsr: PMPCSR of the sample
 * @world: what ran
 *
 * PMCID2SR and PMVIDSR are UNKNOWN where EL2 is not enabled in the sampled state (I5.3). In Secure
 * state a control that @host cannot see decides, and Root is EL3.
 *
 * Return: AM_KNOWN_*
 */
unsigned int am_linux_known(const struct am_linux *host, u64 pmpcsr, enum am_world world);

#endif /* ARCH_MODEL_LINUX_SAMPLE_H */
