// SPDX-License-Identifier: GPL-2.0-only
/*
 * Observer of Profiling exceptions (FEAT_EBEP, FEAT_SEBEP, FEAT_TRBE_EXC), and of the interrupts
 * that come in their place where hardware, firmware or the kernel do not have them.
 *
 * It reads the registers of the PMU and of the trace buffer before their drivers change anything,
 * and owns neither. This file loads and unloads the module and follows CPUs that come online.
 * Documentation/admin-guide/perf/arm_profexc.rst describes the use.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/module.h>

#include "arm_profexc.h"

/* Runs on the CPU. */
static int prx_cpu_online(unsigned int cpu)
{
	prx_read_features(this_cpu_ptr(&prx_cpu.features));
	return 0;
}

static bool prx_has_ebep(const struct prx_features *features)
{
	return features->ebep;
}

/* Log at load what is supported, and what is missing although the hardware has it. */
static void prx_announce(void)
{
	cpumask_var_t ebep, enabled;

	if (!prx_kernel_takes_exceptions()) {
		pr_info(PRX_NAME ": Profiling exceptions are not available on this system, observing interrupts\n");
		return;
	}
	if (!zalloc_cpumask_var(&ebep, GFP_KERNEL))
		return;
	if (!zalloc_cpumask_var(&enabled, GFP_KERNEL)) {
		free_cpumask_var(ebep);
		return;
	}

	prx_cpus_with(ebep, prx_has_ebep);
	cpumask_and(ebep, ebep, cpu_online_mask);
	prx_enabled_cpus(ARM_PROFEXC_SOURCE_PMU, enabled);
	if (!cpumask_empty(enabled))
		pr_info(PRX_NAME ": PMU overflows raise Profiling exceptions on CPUs %*pbl\n",
			cpumask_pr_args(enabled));
	if (cpumask_andnot(ebep, ebep, enabled))
		pr_warn(PRX_NAME ": PMU overflows raise interrupts on CPUs %*pbl, which have FEAT_EBEP: denied by firmware or hypervisor, or arm_pmuv3.profexc=0\n",
			cpumask_pr_args(ebep));
	free_cpumask_var(enabled);
	free_cpumask_var(ebep);
}

/* Module */

static int prx_cpuhp_state;

static int __init prx_init(void)
{
	int ret;

	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/arm/profexc:online", prx_cpu_online,
				NULL);
	if (ret < 0)
		return ret;
	prx_cpuhp_state = ret;
	ret = prx_observe();
	if (ret)
		goto out_cpuhp;
	ret = prx_pmu_register();
	if (ret)
		goto out_observe;
	prx_debugfs_create();
	prx_announce();
	return 0;

out_observe:
	prx_ignore();
out_cpuhp:
	cpuhp_remove_state_nocalls(prx_cpuhp_state);
	return ret;
}

/* There are no perf events: each one holds the module. */
static void __exit prx_exit(void)
{
	prx_debugfs_remove();
	prx_pmu_unregister();
	prx_ignore();
	cpuhp_remove_state_nocalls(prx_cpuhp_state);
}

module_init(prx_init);
module_exit(prx_exit);

MODULE_DESCRIPTION("Observer of Arm Profiling exceptions");
MODULE_LICENSE("GPL");
