// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a synchronous PMU exception whose address is not that of its overflow (FEAT_SEBEP).
 *
 * Writing to the parameter stale makes the first counter in synchronous mode overflow when the
 * writer is back in user space, with PSTATE.PPEND set there. The same happens if an exception was
 * pending when another one came and handled its overflow, and the counter overflows again before
 * the task runs: no address has been recorded in PMIAR_EL1 since. The counter must not count in the
 * kernel, and the writer must stay on its CPU.
 */
#include <linux/bits.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>

#include <asm/sysreg.h>

#define EVTYPE_SYNC	BIT_ULL(58)
#define PSTATE_PPEND	BIT_ULL(33)

static bool overflow_sync_counter(void)
{
	unsigned int i, nr = read_sysreg(pmcr_el0) >> 11 & 0x1f;

	for (i = 0; i < nr; i++) {
		write_sysreg(i, pmselr_el0);
		isb();
		if (!(read_sysreg(pmxevtyper_el0) & EVTYPE_SYNC) ||
		    !(read_sysreg(pmintenset_el1) & BIT_ULL(i)))
			continue;
		/* The value after an overflow; else the period is not over for perf */
		write_sysreg(0, pmxevcntr_el0);
		write_sysreg(BIT_ULL(i), pmovsset_el0);
		isb();
		return true;
	}
	return false;
}

static int pcs_ppend_stale(const char *value, const struct kernel_param *param)
{
	bool found;

	preempt_disable();
	found = overflow_sync_counter();
	preempt_enable();
	if (!found)
		return -ENOENT;

	task_pt_regs(current)->pstate |= PSTATE_PPEND;
	return 0;
}

static const struct kernel_param_ops pcs_ppend_stale_ops = { .set = pcs_ppend_stale };
module_param_cb(stale, &pcs_ppend_stale_ops, NULL, 0200);
MODULE_PARM_DESC(stale, "Have an overflow meet a PSTATE.PPEND that is older");

static int __init pcs_ppend_init(void)
{
	return 0;
}

static void __exit pcs_ppend_exit(void)
{
}

module_init(pcs_ppend_init);
module_exit(pcs_ppend_exit);

MODULE_DESCRIPTION("Makes a synchronous PMU exception with a stale address, for tests");
MODULE_LICENSE("GPL");
