// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel that this module is loaded into, as samples show it: its Exception level, its tasks,
 * its guests.
 */
#include <linux/bitfield.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#ifdef CONFIG_ARM64
#include <asm/cpufeature.h>
#include <asm/cputype.h>
#include <asm/sysreg.h>
#include <asm/virt.h>
#include <linux/perf/arm_pmu.h>
#endif

#include "arm_pcsample.h"

#ifndef PCS_IN_TREE
#include "kernel-api.h"
#if IS_ENABLED(CONFIG_KVM)
#include <linux/kvm_host.h>
#endif
#endif

#ifdef CONFIG_ARM64
/**
 * pcs_know_host() - what this kernel is
 * @host: filled
 */
void pcs_know_host(struct pcs_host *host)
{
	u64 pfr0 = read_sanitised_ftr_reg(SYS_ID_AA64PFR0_EL1);

	host->kernel = (struct am_linux) {
		.kernel = is_kernel_in_hyp_mode() ? AM_KERNEL_VHE : AM_KERNEL_EL1,
		.has_el2 = cpuid_feature_extract_unsigned_field(pfr0, ID_AA64PFR0_EL1_EL2_SHIFT),
		.names_tasks = IS_ENABLED(CONFIG_PID_IN_CONTEXTIDR),
	};
	host->kvm = IS_ENABLED(CONFIG_KVM);
}

/**
 * pcs_mpidr() - affinity of this CPU
 */
u64 pcs_mpidr(void)
{
	return read_cpuid_mpidr();
}

/**
 * pcs_read_mdrar() - MDRAR_EL1 of this CPU
 *
 * A read has no side effect. Hypervisors that trap it (MDCR_EL2.TDRA) answer with 0.
 */
u64 pcs_read_mdrar(void)
{
	return read_sysreg(mdrar_el1);
}

/* Not the kernel's names for them: these changed */
#define PCS_OSLSR_OSLK	BIT(1)
#define PCS_OSDLR_DLK	BIT(0)

/**
 * pcs_os_is_locked() - is the OS lock or the OS Double Lock of this CPU set?
 *
 * Either lock makes reads of the samples an error response (I3.1). Linux opens both before any code
 * that could call this. Which of the two frames of the PE could tell a reader is not this one, so
 * an external debugger that locks them later goes unnoticed.
 */
bool pcs_os_is_locked(void)
{
	return (read_sysreg(oslsr_el1) & PCS_OSLSR_OSLK) ||
	       (read_sysreg(osdlr_el1) & PCS_OSDLR_DLK);
}

/**
 * pcs_os_unlock() - open the OS lock of this CPU
 *
 * Linux has it open on each CPU that is online, and whoever shuts it to save the debug registers
 * opens it when that is done. Firmware that leaves it shut behind an idle state forgot to open it.
 * The OS Double Lock stays as it is: it is there for a power down.
 *
 * Return: whether neither lock is set now.
 */
bool pcs_os_unlock(void)
{
	write_sysreg(0, oslar_el1);
	isb();
	return !pcs_os_is_locked();
}

/* Not the kernel's names for these either: it may not have them yet */
#define PCS_SYS_PMECR_EL1	sys_reg(3, 0, 9, 14, 5)
#define PCS_PMECR_SSE		GENMASK_ULL(4, 3)
#define PCS_MDCR_EL2_PMSSE	GENMASK_ULL(31, 30)
#define PCS_DFR0_PMSS		GENMASK_ULL(19, 16)
#define PCS_DELEGATE		1
#define PCS_ALLOW		3

/**
 * pcs_allow_captures() - let PMU snapshots be taken of this CPU
 * @host: this kernel
 *
 * Capture events are disabled at reset, and by a kernel that knows nothing of them (RYWLFL). A
 * kernel at EL2 decides for EL2, too. Below another EL2 it is up to that: PMECR_EL1 traps to KVM,
 * which does not expect that. What EL3 has to say is known by the effect only. Left as it is when
 * the driver goes: a Capture event costs the PE nothing, and who could ask for one can also read
 * its counters.
 *
 * Context: on the CPU, IRQs disabled; firmware has said that it lets this kernel take snapshots, so
 * PMECR_EL1 does not trap to EL3 (MDCR_EL3.EnPM2).
 */
void pcs_allow_captures(const struct pcs_host *host)
{
	u64 pmecr;

	if (!FIELD_GET(PCS_DFR0_PMSS, read_cpuid(ID_AA64DFR0_EL1)))
		return;
	if (host->kernel.has_el2 && !is_kernel_in_hyp_mode())
		return;
	if (is_kernel_in_hyp_mode())
		sysreg_clear_set(mdcr_el2, PCS_MDCR_EL2_PMSSE,
				 FIELD_PREP(PCS_MDCR_EL2_PMSSE, PCS_DELEGATE));
	pmecr = read_sysreg_s(PCS_SYS_PMECR_EL1) & ~PCS_PMECR_SSE;
	write_sysreg_s(pmecr | FIELD_PREP(PCS_PMECR_SSE, PCS_ALLOW), PCS_SYS_PMECR_EL1);
	isb();
}

/**
 * pcs_core_has_snapshots() - does this CPU have IMPLEMENTATION DEFINED PMU snapshots?
 *
 * By its part number. The manuals of Cortex-A55, Cortex-A76 and Cortex-A78AE describe them, that of
 * Neoverse N2 lists them, and the others are of the same family.
 */
bool pcs_core_has_snapshots(void)
{
	static const u16 parts[] = {
		0xD05,	/* Cortex-A55 */
		0xD0A,	/* Cortex-A75 */
		0xD0B,	/* Cortex-A76 */
		0xD0C,	/* Neoverse N1 */
		0xD0D,	/* Cortex-A77 */
		0xD0E,	/* Cortex-A76AE */
		0xD40,	/* Neoverse V1 */
		0xD41,	/* Cortex-A78 */
		0xD42,	/* Cortex-A78AE */
		0xD44,	/* Cortex-X1 */
		0xD49,	/* Neoverse N2 */
		0xD4F,	/* Neoverse V2 */
	};
	u32 midr = read_cpuid_id();
	unsigned int i;

	if (MIDR_IMPLEMENTOR(midr) != ARM_CPU_IMP_ARM)
		return false;
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if (MIDR_PARTNUM(midr) == parts[i])
			return true;
	return false;
}

/**
 * pcs_core_has_el3() - does this CPU have EL3?
 */
bool pcs_core_has_el3(void)
{
	return cpuid_feature_extract_unsigned_field(read_cpuid(ID_AA64PFR0_EL1),
						    ID_AA64PFR0_EL1_EL3_SHIFT);
}

/**
 * pcs_core_is_qualcomm() - did Qualcomm design this CPU?
 */
bool pcs_core_is_qualcomm(void)
{
	return read_cpuid_implementor() == ARM_CPU_IMP_QCOM;
}
#else
/* To compile the rest elsewhere: the PE whose kernel can be told is one that runs arm64. */
void pcs_allow_captures(const struct pcs_host *host)
{
}

bool pcs_core_has_snapshots(void)
{
	return false;
}

bool pcs_core_has_el3(void)
{
	return false;
}

bool pcs_core_is_qualcomm(void)
{
	return false;
}

void pcs_know_host(struct pcs_host *host)
{
}

u64 pcs_mpidr(void)
{
	return 0;
}

u64 pcs_read_mdrar(void)
{
	return 0;
}

bool pcs_os_is_locked(void)
{
	return true;
}

bool pcs_os_unlock(void)
{
	return false;
}
#endif

#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)
/**
 * pcs_counter_number() - the hardware counter of an event of the CPU's PMU
 * @event: an event that counts
 *
 * Before Linux 6.12 the PMU's driver numbers the cycle counter 0, and event counters from 1.
 */
int pcs_counter_number(const struct perf_event *event)
{
	int index = READ_ONCE(event->hw.idx);

	if (index < 0)
		return PCS_COUNTER_NONE;
#if defined(PCS_IN_TREE) || PCS_HAVE_PMUV3_INDEX
	return index;
#else
	return index ? index - 1 : PCS_COUNTER_CYCLES;
#endif
}

/**
 * pcs_counter_mask() - the bits of its counter that an event of the CPU's PMU counts in
 * @event: the event
 */
u64 pcs_counter_mask(const struct perf_event *event)
{
	return event->hw.flags & ARMPMU_EVT_64BIT ? ~0ULL : U32_MAX;
}
#else
/* Nobody drives the PMU of a CPU. */
int pcs_counter_number(const struct perf_event *event)
{
	return PCS_COUNTER_NONE;
}

u64 pcs_counter_mask(const struct perf_event *event)
{
	return 0;
}
#endif

/**
 * pcs_find_task() - the task of a TID
 * @tid: in the init PID namespace; 0 for the idle task
 *
 * Context: under rcu_read_lock(), which the result lasts as long as.
 *
 * Return: the task, or NULL if it has gone.
 */
struct task_struct *pcs_find_task(u32 tid)
{
	if (!tid)
		return &init_task;
	return pid_task(find_pid_ns(tid, &init_pid_ns), PIDTYPE_PID);
}

/**
 * pcs_in_vcpu() - does a task run a guest now?
 * @tid: see pcs_find_task()
 *
 * Context: any.
 */
bool pcs_in_vcpu(u32 tid)
{
	struct task_struct *task;
	bool in_vcpu;

	rcu_read_lock();
	task = pcs_find_task(tid);
	in_vcpu = task && (READ_ONCE(task->flags) & PF_VCPU);
	rcu_read_unlock();
	return in_vcpu;
}

#ifndef PCS_IN_TREE
/*
 * KVM on the reader's CPU
 *
 * Up to some kernel before 7.2 perf asks whether the CPU it runs on has a vCPU loaded and if so
 * takes cpumode from there, whatever the sample says. The driver can only skip the sample then.
 * Later kernels ask the event (exclude_guest) and do not export the function.
 */
static struct kvm_vcpu *(*pcs_running_vcpu)(void);

/**
 * pcs_find_kvm() - prepare pcs_vcpu_is_loaded()
 */
void pcs_find_kvm(void)
{
#if IS_ENABLED(CONFIG_KVM)
	pcs_running_vcpu = symbol_get(kvm_get_running_vcpu);
#endif
}

/**
 * pcs_put_kvm() - undo pcs_find_kvm()
 */
void pcs_put_kvm(void)
{
#if IS_ENABLED(CONFIG_KVM)
	if (pcs_running_vcpu)
		symbol_put(kvm_get_running_vcpu);
#endif
}

/**
 * pcs_vcpu_is_loaded() - would perf take this CPU's vCPU for what was sampled?
 */
bool pcs_vcpu_is_loaded(void)
{
	return pcs_running_vcpu && pcs_running_vcpu();
}
#endif
