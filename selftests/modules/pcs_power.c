// SPDX-License-Identifier: GPL-2.0-only
/*
 * Emulates a low-power state in which a CPU loses what enables Profiling exceptions. Between the
 * notifications it does to PMECR_EL1, MDCR_EL2.PMEE and TRFCR_EL1 what firmware that powers down a
 * CPU does. The kernel has to restore them. TRBSR_EL1 gets a value that it may have after a reset,
 * which must not raise an interrupt that nobody handles.
 *
 * modprobe pcs_power does this once on every CPU; the parameter lost says how many had something to
 * lose.
 */
#include <linux/bits.h>
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/smp.h>

#include <asm/sysreg.h>
#include <asm/virt.h>

/* By encoding, because kernels from 6.1 on must build this */
#define PCS_ID_AA64DFR2_EL1	sys_reg(3, 0, 0, 5, 2)
#define PCS_PMECR_EL1		sys_reg(3, 0, 9, 14, 5)
#define PCS_TRFCR_EL1		sys_reg(3, 0, 1, 2, 1)
#define PCS_TRBSR_EL1		sys_reg(3, 0, 9, 11, 3)
#define PCS_MDCR_EL2		sys_reg(3, 4, 1, 1, 1)

#define PCS_DFR1_EBEP		GENMASK_ULL(51, 48)
#define PCS_DFR2_TRBE_EXC	GENMASK_ULL(27, 24)
#define PCS_MDCR_PMEE		GENMASK_ULL(41, 40)
#define PCS_TRFCR_KE_EE		GENMASK_ULL(10, 8)
#define PCS_TRBSR_IRQ		BIT_ULL(22)
#define PCS_TRBSR_S		BIT_ULL(17)

static int lost;
module_param(lost, int, 0444);
MODULE_PARM_DESC(lost, "CPUs that had Profiling exceptions to lose");

/* In a task: the interrupt controller's notifier loses the interrupt that is being handled */
static int pcs_power_lose(void *unused)
{
	bool ebep = read_sysreg_s(SYS_ID_AA64DFR1_EL1) & PCS_DFR1_EBEP;
	bool trbe_exc = read_sysreg_s(PCS_ID_AA64DFR2_EL1) & PCS_DFR2_TRBE_EXC;
	unsigned long flags;
	int ret;

	if (!ebep)
		return 0;

	local_irq_save(flags);
	ret = cpu_pm_enter();
	if (!ret) {
		write_sysreg_s(0, PCS_PMECR_EL1);
		if (is_kernel_in_hyp_mode())
			write_sysreg_s(read_sysreg_s(PCS_MDCR_EL2) & ~PCS_MDCR_PMEE, PCS_MDCR_EL2);
		if (trbe_exc) {
			write_sysreg_s(read_sysreg_s(PCS_TRFCR_EL1) & ~PCS_TRFCR_KE_EE,
				       PCS_TRFCR_EL1);
			/* With EE = 0 this is not TRBSR_EL2, even in a VHE kernel */
			isb();
			write_sysreg_s(PCS_TRBSR_IRQ | PCS_TRBSR_S, PCS_TRBSR_EL1);
		}
		isb();
		cpu_pm_exit();
	}
	local_irq_restore(flags);
	return ret ? ret : 1;
}

static int __init pcs_power_init(void)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		lost += smp_call_on_cpu(cpu, pcs_power_lose, NULL, false) == 1;
	cpus_read_unlock();
	return 0;
}

static void __exit pcs_power_exit(void)
{
}

module_init(pcs_power_init);
module_exit(pcs_power_exit);

MODULE_DESCRIPTION("Loses the controls of Profiling exceptions, for tests of the kernel");
MODULE_LICENSE("GPL");
