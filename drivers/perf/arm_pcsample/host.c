// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel that this module is loaded into, as samples show it: its Exception level, its tasks,
 * its guests.
 */
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include <asm/cpufeature.h>
#include <asm/virt.h>

#include "arm_pcsample.h"

#if IS_ENABLED(CONFIG_KVM)
#include <linux/kvm_host.h>
#endif

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

/*
 * KVM on the reader's CPU
 *
 * Up to some kernel before 7.2 perf asks whether the CPU it runs on has a vCPU loaded and if so
 * takes cpumode from there, whatever the sample says. Nothing can be done about it from here
 * but not to sample then. Later kernels ask the event (exclude_guest) and do not export the
 * function.
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
