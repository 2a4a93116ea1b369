// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where CPUs hang when the kernel panics: what coresight-cpu-debug prints, for those who gave its
 * devices to this driver, and of every register set.
 *
 * By then CPUs that answer have been stopped, and are offline for that. Those that do not, as they
 * hang with interrupts masked, are left, and they are what the dump is for.
 */
#include <linux/delay.h>
#include <linux/moduleparam.h>
#include <linux/panic_notifier.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include <arch-model/pc-sample.h>

#include "arm_pcsample.h"

static bool pcs_panic_dump;
module_param_named(panic_dump, pcs_panic_dump, bool, 0444);
MODULE_PARM_DESC(panic_dump,
		 "At a panic print where CPUs hang; keeps the blocks on (default: no)");

/*
 * A register set that gives UNKNOWN without a branch since the last read may need another one, and
 * a reader that does not hang lets the lock go by then.
 */
#define PCS_PANIC_TRIES	3

static void pcs_tell(int cpu, struct pcs_regs *regs)
{
	const struct pcs_host host = pcs_host_of(&arm_pcsample.host, regs);
	u32 tid = am_linux_tid(&host.kernel, regs->pmcid1sr, regs->pmcid2sr);
	enum am_world world = pcs_world(&host, regs, false, false);
	bool has_task = host.kernel.names_tasks && am_linux_has_task(&host.kernel, world);
	unsigned long pc = pcs_pc(regs->pmpcsr);
	struct task_struct *task;

	rcu_read_lock();
	task = has_task ? pcs_find_task(tid) : NULL;
	if (world == AM_WORLD_KERNEL)
		pr_emerg(PCS_NAME ": CPU%d: %pS, task %d %s\n", cpu, (void *)pc, tid,
			 task ? task->comm : "?");
	else
		pr_emerg(PCS_NAME ": CPU%d: EL%u at 0x%lx, task %d %s\n", cpu,
			 pcs_el(regs->pmpcsr), pc, tid, task ? task->comm : "?");
	rcu_read_unlock();
}

/* Does not wait long for the block's lock: its holder may be one of the CPUs that hang. */
static void pcs_dump(int cpu, struct pcs_block *block)
{
	enum pcs_outcome outcome = PCS_NR_OUTCOMES;
	struct pcs_regs regs = {};
	unsigned int tries;

	for (tries = 0; tries < PCS_PANIC_TRIES; tries++) {
		pcs_block_try_read(block, &regs, &outcome);
		if (outcome != PCS_NR_OUTCOMES && outcome != PCS_NO_BRANCH)
			break;
		udelay(5);
	}
	if (outcome == PCS_SAMPLE)
		pcs_tell(cpu, &regs);
	else if (outcome == PCS_NR_OUTCOMES)
		pr_emerg(PCS_NAME ": CPU%d: its block is being read\n", cpu);
	else
		pr_emerg(PCS_NAME ": CPU%d: %s\n", cpu, pcs_outcome_name(outcome));
}

static int pcs_panic(struct notifier_block *nb, unsigned long action, void *message)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (cpu != raw_smp_processor_id() && READ_ONCE(arm_pcsample.block[cpu]))
			pcs_dump(cpu, arm_pcsample.block[cpu]);
	return NOTIFY_OK;
}

static struct notifier_block pcs_panic_nb = {
	.notifier_call = pcs_panic,
};

/**
 * pcs_panic_wants_blocks() - are blocks to be held ready to be read without an event?
 */
bool pcs_panic_wants_blocks(void)
{
	return pcs_panic_dump;
}

/**
 * pcs_panic_init() - dump at a panic, if the user wants that
 */
void pcs_panic_init(void)
{
	if (pcs_panic_dump)
		atomic_notifier_chain_register(&panic_notifier_list, &pcs_panic_nb);
}

/**
 * pcs_panic_exit() - undo pcs_panic_init()
 */
void pcs_panic_exit(void)
{
	if (pcs_panic_dump)
		atomic_notifier_chain_unregister(&panic_notifier_list, &pcs_panic_nb);
}
