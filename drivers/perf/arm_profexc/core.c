// SPDX-License-Identifier: GPL-2.0-only
/*
 * Observer of Profiling exceptions (FEAT_EBEP, FEAT_SEBEP, FEAT_TRBE_EXC), and of the interrupts
 * that come in their place where hardware, firmware or the kernel do not have them.
 *
 * It reads what the PMU and the trace buffer have to say before their drivers change anything,
 * and owns neither. Documentation/admin-guide/perf/arm_profexc.rst describes the use.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>

#include <asm/irq_regs.h>
#include <asm/sysreg.h>
#include <asm/virt.h>

#include "arm_profexc.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

DEFINE_PER_CPU(struct prx_cpu, prx_cpu);

/* Reports */

/**
 * prx_read_source() - read the registers of the source of an event
 * @record: @source and @mode are set
 *
 * Context: the CPU where it happened, before the owner of the source has changed anything.
 */
void prx_read_source(struct arm_profexc_record *record)
{
	switch (record->source) {
	case ARM_PROFEXC_SOURCE_PMU:
		record->pmovs = read_sysreg(pmovsset_el0) & read_sysreg(pmintenset_el1);
		break;
	case ARM_PROFEXC_SOURCE_TRBE:
		record->trbsr = read_sysreg_s(SYS_TRBSR_EL1);
		record->trbptr = read_sysreg_s(SYS_TRBPTR_EL1);
		record->trbbaser = read_sysreg_s(SYS_TRBBASER_EL1);
		record->trblimitr = read_sysreg_s(SYS_TRBLIMITR_EL1);
		record->trbtrg = read_sysreg_s(SYS_TRBTRG_EL1);
		/* A VHE kernel that takes exceptions reads TRBSR_EL2 by that name. */
		record->record_el = 1;
		if (record->mode == ARM_PROFEXC_MODE_EXCEPTION && is_kernel_in_hyp_mode())
			record->record_el = 2;
		break;
	}
}

static void prx_note_mode(const struct arm_profexc_record *record)
{
	u8 last = this_cpu_read(prx_cpu.last_mode[record->source]);

	if (last == record->mode)
		return;
	this_cpu_write(prx_cpu.last_mode[record->source], record->mode);
	if (last)
		this_cpu_inc(prx_cpu.switches);
	trace_profexc_mode(record->source, last, record->mode);
}

/**
 * prx_report() - count an event and show it to all who want to see it
 * @regs: what was interrupted
 * @record: @source and @mode are set, and the registers are read
 * @sync: see prx_classify()
 *
 * Context: the CPU where it happened, NMI or interrupts masked.
 */
void prx_report(struct pt_regs *regs, struct arm_profexc_record *record, bool sync)
{
	record->pc = regs->pc;
	record->pstate = regs->pstate;
	prx_classify(record, sync);
	record->seq = this_cpu_inc_return(prx_cpu.seq);
	this_cpu_inc(prx_cpu.count[record->mode][record->class]);
	if (record->source < PRX_NR_SOURCES)
		prx_note_mode(record);

	if (record->mode == ARM_PROFEXC_MODE_EXCEPTION)
		trace_profexc_taken(record);
	else
		trace_profexc_irq(record);
	if (record->source == ARM_PROFEXC_SOURCE_TRBE)
		trace_profexc_trbe(record);
	prx_pmu_report(regs, record);
}

/*
 * Interrupts. The names are those that arm_pmu and coresight-trbe request them by; the tracepoint
 * is just before the handler, for NMIs too.
 */

static bool prx_source_of_irq(const struct irqaction *action, u8 *source)
{
	if (!action->name)
		return false;
	if (!strcmp(action->name, "arm-pmu"))
		*source = ARM_PROFEXC_SOURCE_PMU;
	else if (!strcmp(action->name, "arm_trbe"))
		*source = ARM_PROFEXC_SOURCE_TRBE;
	else
		return false;
	return true;
}

/* arm_pmu drives PMUs of other architectures too, where the registers of PMUv3 are undefined. */
static bool prx_cpu_has(u8 source)
{
	if (source == ARM_PROFEXC_SOURCE_PMU)
		return this_cpu_read(prx_cpu.features.pmu);
	return this_cpu_read(prx_cpu.features.trbe);
}

static void prx_irq(void *data, int irq, struct irqaction *action)
{
	struct arm_profexc_record record = { .mode = ARM_PROFEXC_MODE_IRQ };
	struct pt_regs *regs = get_irq_regs();

	if (!regs || !prx_source_of_irq(action, &record.source) || !prx_cpu_has(record.source))
		return;
	prx_read_source(&record);
	prx_report(regs, &record, false);
}

static struct tracepoint *prx_irq_tracepoint;

/* The kernel does not export this one by its name. */
static void prx_find_tracepoint(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "irq_handler_entry"))
		prx_irq_tracepoint = tp;
}

static int prx_observe_irqs(void)
{
	for_each_kernel_tracepoint(prx_find_tracepoint, NULL);
	if (!prx_irq_tracepoint) {
		pr_err(PRX_NAME ": this kernel has no tracepoint irq_handler_entry\n");
		return -ENODEV;
	}
	return tracepoint_probe_register(prx_irq_tracepoint, prx_irq, NULL);
}

static void prx_ignore_irqs(void)
{
	tracepoint_probe_unregister(prx_irq_tracepoint, prx_irq, NULL);
	tracepoint_synchronize_unregister();
}

/* CPUs */

/**
 * prx_cpus_with() - the CPUs that have a feature, of those that were ever up
 * @cpus: filled
 * @has: the feature
 */
void prx_cpus_with(struct cpumask *cpus, bool (*has)(const struct prx_features *features))
{
	int cpu;

	cpumask_clear(cpus);
	for_each_possible_cpu(cpu)
		if (has(&per_cpu(prx_cpu, cpu).features))
			cpumask_set_cpu(cpu, cpus);
}

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

/* Says at load what there is, and what there should be and is not. */
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
	ret = prx_observe_irqs();
	if (ret)
		goto out_cpuhp;
	ret = prx_observe_exceptions();
	if (ret)
		goto out_irqs;
	ret = prx_pmu_register();
	if (ret)
		goto out_exceptions;
	prx_debugfs_create();
	prx_announce();
	return 0;

out_exceptions:
	prx_ignore_exceptions();
out_irqs:
	prx_ignore_irqs();
out_cpuhp:
	cpuhp_remove_state_nocalls(prx_cpuhp_state);
	return ret;
}

/* There are no perf events: each one holds the module. */
static void __exit prx_exit(void)
{
	prx_debugfs_remove();
	prx_pmu_unregister();
	prx_ignore_exceptions();
	prx_ignore_irqs();
	cpuhp_remove_state_nocalls(prx_cpuhp_state);
}

module_init(prx_init);
module_exit(prx_exit);

MODULE_DESCRIPTION("Observer of Arm Profiling exceptions");
MODULE_LICENSE("GPL");
