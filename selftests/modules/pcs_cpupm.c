// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends the CPU PM notifications of an idle state that loses power, on one CPU. Each is between two
 * markers that emulation/plugins/insn-count.c recognizes, to count what the notified drivers
 * execute.
 *
 * Parameters: cpu; rounds, each of which is one enter and one exit.
 */
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/smp.h>

static int cpu;
module_param(cpu, int, 0444);
MODULE_PARM_DESC(cpu, "CPU to notify");

static int rounds = 16;
module_param(rounds, int, 0444);
MODULE_PARM_DESC(rounds, "How often (default 16)");

static __always_inline void pcs_mark_begin(void)
{
	asm volatile("hint #0x6e" : : : "memory");
}

static __always_inline void pcs_mark_end(void)
{
	asm volatile("hint #0x6f" : : : "memory");
}

/* In a task: the interrupt controller's notifier loses the interrupt that is being handled */
static int pcs_cpupm_notify(void *unused)
{
	unsigned long flags;
	int round, ret = 0;

	for (round = 0; round < rounds && !ret; round++) {
		local_irq_save(flags);
		pcs_mark_begin();
		ret = cpu_pm_enter();
		pcs_mark_end();
		if (!ret) {
			pcs_mark_begin();
			cpu_pm_exit();
			pcs_mark_end();
		}
		local_irq_restore(flags);
	}
	return ret;
}

static int __init pcs_cpupm_init(void)
{
	int ret;

	cpus_read_lock();
	ret = smp_call_on_cpu(cpu, pcs_cpupm_notify, NULL, false);
	cpus_read_unlock();
	return ret;
}

static void __exit pcs_cpupm_exit(void)
{
}

module_init(pcs_cpupm_init);
module_exit(pcs_cpupm_exit);

MODULE_DESCRIPTION("Notifies of an idle state without power, for tests of what that costs");
MODULE_LICENSE("GPL");
