/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * To whom a sample belongs, and who may see it. arch-model's linux-sample.h says what ran and which
 * task; this file turns that into what perf and users get.
 *
 * Pure: unit tests compile it in user space.
 */
#ifndef ARM_PCSAMPLE_ATTRIBUTION_H
#define ARM_PCSAMPLE_ATTRIBUTION_H

#include <arch-model/linux-sample.h>
#include <arch-model/types.h>
#include <linux/arm_pcsample.h>

#include "counts.h"

/**
 * struct pcs_host - what this kernel is, as far as its own samples show it
 * @kernel: which one it is, and whether it names its tasks in CONTEXTIDR
 * @kvm: it can run guests itself (CONFIG_KVM)
 */
struct pcs_host {
	struct am_linux kernel;
	bool kvm;
};

/* Exception level of the kernel */
static inline unsigned int pcs_kernel_el(const struct pcs_host *host)
{
	return host->kernel.kernel == AM_KERNEL_VHE ? 2 : 1;
}

/* All context registers; see &struct pcs_regs.given */
#define PCS_HAS_ALL	(ARM_PCSAMPLE_HAS_CID1 | ARM_PCSAMPLE_HAS_CID2 | ARM_PCSAMPLE_HAS_VMID)

/**
 * struct pcs_regs - one hardware sample, in the format of the external PMU's registers
 * @pmpcsr: PMPCSR; its low word is not 0xFFFFFFFF
 * @pmcid1sr: PMCID1SR
 * @pmcid2sr: PMCID2SR
 * @pmvidsr: PMVIDSR
 * @host_vmid: the VMID under which this PE runs the host, for a kernel at EL1
 * @source: enum arm_pcsample_source
 * @given: ARM_PCSAMPLE_HAS_*: which context registers the register set has; the others are 0
 * @el_by_address: the registers say EL0 or EL1 and not which; PMPCSR.EL is 1 if the address is in
 *	the upper half, the kernel's
 * @captured: the sample and @saved are of one snapshot, also if there is no PC in it
 * @saved: by enum pcs_counter: the hardware counters that were asked for
 * @counts: what that makes of the counts
 */
struct pcs_regs {
	u64 pmpcsr;
	u32 pmcid1sr;
	u32 pmcid2sr;
	u32 pmvidsr;
	u16 host_vmid;
	u8 source;
	u8 given;
	bool el_by_address;
	bool captured;
	u64 saved[PCS_NR_COUNTS];
	struct pcs_counts counts;
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
 * enum pcs_guests - how samples of guests are told from those of the host
 * @PCS_GUESTS_ABSENT: there are none: no EL2, or a kernel at EL2 without KVM
 * @PCS_GUESTS_VMID: by the VMID
 * @PCS_GUESTS_TASK: at EL0 by the task, which is a vCPU's
 * @PCS_GUESTS_UNKNOWN: at EL0 they cannot be told: that takes the task, and the kernel names no
 *	tasks
 */
enum pcs_guests {
	PCS_GUESTS_ABSENT,
	PCS_GUESTS_VMID,
	PCS_GUESTS_TASK,
	PCS_GUESTS_UNKNOWN,
};

enum pcs_guests pcs_guests(const struct pcs_host *host);

/* Name of an enum pcs_guests in the user ABI */
const char *pcs_guests_name(enum pcs_guests guests);

/**
 * pcs_filter_is_possible() - can samples be filtered as an event asks?
 * @host: this kernel
 * @filter: the filter
 *
 * Where guests cannot be told from the host, neither can be excluded without the other, unless no
 * EL0 is wanted at all.
 */
bool pcs_filter_is_possible(const struct pcs_host *host, const struct pcs_filter *filter);

/**
 * pcs_host_of() - this kernel, as far as a sample shows it
 * @host: this kernel
 * @regs: the sample
 *
 * Return: a copy of @host; it names no tasks if the register set lacks the Context ID that does.
 */
static inline struct pcs_host pcs_host_of(const struct pcs_host *host, const struct pcs_regs *regs)
{
	u8 task = pcs_kernel_el(host) == 2 ? ARM_PCSAMPLE_HAS_CID2 : ARM_PCSAMPLE_HAS_CID1;
	struct pcs_host shown = *host;

	shown.kernel.names_tasks = host->kernel.names_tasks && (regs->given & task);
	return shown;
}

/**
 * pcs_world() - what ran?
 * @host: this kernel, as pcs_host_of() has it
 * @regs: the sample; its Exception level is corrected where the task knows better
 * @in_vcpu: the task runs a guest (PF_VCPU)
 * @never_user: the task never runs in user space (PF_KTHREAD)
 *
 * Where the address tells EL0 from EL1: Linux lets neither run in the other's half. User space
 * faults in the upper half, and an instruction that faults is not sampled (H7.1). The lower half is
 * PXN for the kernel, with two exceptions: its identity map, in which a CPU enters or leaves a
 * state without power, and EFI runtime services, which a kernel thread calls.
 */
enum am_world pcs_world(const struct pcs_host *host, struct pcs_regs *regs, bool in_vcpu,
			bool never_user);

/* pcs_task_decides() below a kernel at EL2 */
bool pcs_task_decides_at_el2(const struct pcs_host *host, const struct pcs_regs *regs);

/**
 * pcs_task_decides() - must the task be asked whether it ran a guest?
 * @host: this kernel, as pcs_host_of() has it
 * @regs: the sample
 *
 * At EL0 below a kernel at EL2 (see am_linux_world()). The VMID of a guest is known there (I5.3),
 * and KVM gives no guest VMID 0. So samples with VMID 0 are the host's, as are all samples of a CPU
 * that has run no guest.
 */
static inline bool pcs_task_decides(const struct pcs_host *host, const struct pcs_regs *regs)
{
	return host->kernel.kernel == AM_KERNEL_VHE && pcs_task_decides_at_el2(host, regs);
}

/* A read that takes this many times as long as usual says nothing of the task */
#define PCS_TOO_LONG	4

/**
 * pcs_took_too_long() - could a task have entered its guest and left it again during a read?
 * @usual: what a read takes, a running mean, ns; 0 before the first one
 * @took: this one, ns
 *
 * A read takes less than the way into a guest and back, unless firmware, a hypervisor or a debugger
 * had the reader's PE meanwhile. Then it takes much longer than others. No such read raises the
 * mean by more than an eighth. But if all take longer from now on, as with a slower clock, the mean
 * follows them within tens of reads.
 */
static inline bool pcs_took_too_long(u64 *usual, u64 took)
{
	u64 mean = *usual ?: took;
	u64 counted = took < 2 * mean ? took : 2 * mean;

	*usual = mean - mean / 8 + counted / 8;
	return took > PCS_TOO_LONG * mean;
}

/* Is PMPCSR.EL certain? Of a guest or another Security state the address says nothing. */
static inline bool pcs_el_is_known(const struct pcs_regs *regs, enum am_world world)
{
	return !regs->el_by_address || world == AM_WORLD_USER || world == AM_WORLD_KERNEL;
}

/* Linux has no PID from here on (PID_MAX_LIMIT) */
#define PCS_NO_TID	(4U << 20)

/* Does a sample belong to a task of this kernel? */
bool pcs_has_task(const struct pcs_host *host, const struct pcs_regs *regs);

/**
 * pcs_is_unknown() - do the registers show that they are UNKNOWN?
 * @host: this kernel
 * @regs: the sample
 *
 * By EL2 on a PE without it, or by a Context ID that is no TID. Not by the latter if it does not
 * name tasks. The TID before the world: it costs a reader less, and is one as a rule.
 */
static inline bool pcs_is_unknown(const struct pcs_host *host, const struct pcs_regs *regs)
{
	if (pcs_el(regs->pmpcsr) == 2 && !host->kernel.has_el2)
		return true;
	return am_linux_tid(&host->kernel, regs->pmcid1sr, regs->pmcid2sr) >= PCS_NO_TID &&
	       pcs_has_task(host, regs);
}

/**
 * pcs_is_idle_again() - is the idle task at the same place again?
 * @host: this kernel
 * @regs: a sample
 * @last: the one before
 *
 * A PE that waits for an interrupt retires no branch, so this is what hardware mostly returns for
 * UNKNOWN. Not if the Context ID does not name tasks.
 */
bool pcs_is_idle_again(const struct pcs_host *host, const struct pcs_regs *regs,
		       const struct pcs_regs *last);

/**
 * pcs_attribution() - how the owner of a sample was found, for the raw record
 * @host: this kernel
 * @world: what ran
 */
enum arm_pcsample_attribution pcs_attribution(const struct pcs_host *host, enum am_world world);

/**
 * pcs_has() - &struct arm_pcsample_record.has of a sample
 * @host: this kernel
 * @regs: the sample
 * @world: what ran
 * @with_ids: whether Context IDs may be given away: they are TIDs of the init PID namespace
 *
 * Return: ARM_PCSAMPLE_HAS_*, ARM_PCSAMPLE_NO_EL, ARM_PCSAMPLE_MAY_BE_GUEST
 */
u8 pcs_has(const struct pcs_host *host, const struct pcs_regs *regs, enum am_world world,
	   bool with_ids);

/**
 * pcs_is_filtered() - does an event exclude a sample?
 * @filter: of the event
 * @world: what ran
 * @el_is_known: see pcs_el_is_known(); a guest's sample is neither user nor kernel without, and an
 *	event that excludes either does not get it
 * @idle: it was the idle task
 */
bool pcs_is_filtered(const struct pcs_filter *filter, enum am_world world, bool el_is_known,
		     bool idle);

#endif /* ARM_PCSAMPLE_ATTRIBUTION_H */
