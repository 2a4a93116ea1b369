// SPDX-License-Identifier: GPL-2.0-only
/*
 * MDRAR_EL1 of each CPU: where the table of the debug components is, for people who look for blocks
 * that nothing describes. The driver never uses it: reading that table can hang a system, too.
 *
 * A parameter of the module, as there is no PMU while no block was found.
 */
#include <linux/cpumask.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>

#include "arm_pcsample.h"

/* Both under arm_pcsample.lock */
static DEFINE_PER_CPU(u64, pcs_mdrar);
static struct cpumask pcs_mdrar_is_known;

/**
 * pcs_rom_cpu_online() - note the register of this CPU
 *
 * Context: under arm_pcsample.lock; stays on the CPU.
 */
void pcs_rom_cpu_online(void)
{
	lockdep_assert_held(&arm_pcsample.lock);
	__this_cpu_write(pcs_mdrar, pcs_read_mdrar());
	cpumask_set_cpu(smp_processor_id(), &pcs_mdrar_is_known);
}

static bool pcs_mdrar_of(int cpu, u64 *value)
{
	if (!cpumask_test_cpu(cpu, &pcs_mdrar_is_known))
		return false;
	*value = per_cpu(pcs_mdrar, cpu);
	return true;
}

static int pcs_get_mdrar(char *buf, const struct kernel_param *kp)
{
	return pcs_show_values(buf, pcs_mdrar_of);
}

static const struct kernel_param_ops pcs_mdrar_ops = {
	.get = pcs_get_mdrar,
};
module_param_cb(mdrar, &pcs_mdrar_ops, NULL, 0444);
MODULE_PARM_DESC(mdrar, "MDRAR_EL1 of the CPUs: where the table of the debug components is");
