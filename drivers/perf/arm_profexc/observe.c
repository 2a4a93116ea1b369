// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where events come in: Profiling exceptions, and the interrupts that come in their place. The
 * registers of the source are read here, before its driver changes anything.
 */
#include <linux/interrupt.h>
#include <linux/tracepoint.h>

#include <asm/irq_regs.h>
#include <asm/sysreg.h>
#include <asm/virt.h>

#include "arm_profexc.h"

/* Before the owner of the source changes anything. @record: source and mode are set */
static void prx_read_source(struct arm_profexc_record *record)
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

/* Exceptions */

/* NMI context */
static void prx_exception(struct pt_regs *regs, struct arm_profexc_record *record, bool sync)
{
	prx_read_source(record);
	prx_report(regs, record, sync);
}

/*
 * Interrupts
 *
 * The names are those that arm_pmu and coresight-trbe request them by. The tracepoint is just
 * before the handler, for NMIs too.
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

/**
 * prx_observe() - begin to see exceptions and interrupts
 *
 * Return: 0, also if no exception can come; or a negative errno.
 */
int prx_observe(void)
{
	int ret = prx_observe_irqs();

	if (ret)
		return ret;
	ret = prx_observe_exceptions(prx_exception);
	if (ret)
		prx_ignore_irqs();
	return ret;
}

/* Undo prx_observe(). When this returns no report is under way. */
void prx_ignore(void)
{
	prx_ignore_exceptions();
	prx_ignore_irqs();
}
