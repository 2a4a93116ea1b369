// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's interface for Profiling exceptions: patches/linux-7.3. Kernels without it take
 * none.
 */
#include <linux/cpu.h>
#include <linux/smp.h>

#include "arm_profexc.h"

#ifdef CONFIG_ARM64_PROFILING_EXC

#include <linux/delay.h>

#include <asm/cpufeature.h>
#include <asm/profexc.h>
#include <asm/sysreg.h>
#include <trace/events/profexc.h>

static_assert((int)PROFEXC_PMU == (int)ARM_PROFEXC_SOURCE_PMU);
static_assert((int)PROFEXC_TRBE == (int)ARM_PROFEXC_SOURCE_TRBE);

/**
 * prx_kernel_takes_exceptions() - can Profiling exceptions be taken at all?
 *
 * Return: true if the kernel knows them and all CPUs have what it needs.
 */
bool prx_kernel_takes_exceptions(void)
{
	return system_supports_profexc();
}

/* Observing */

static void (*prx_taken)(struct pt_regs *regs, struct arm_profexc_record *record, bool sync);

/* NMI context. The core looks at PPEND as well, which is as good as ISS.SYNC. */
static void prx_exception(void *unused, const struct profexc_info *info)
{
	struct arm_profexc_record record = {
		.source = info->source,
		.mode = ARM_PROFEXC_MODE_EXCEPTION,
		.esr = info->esr,
	};

	if (info->sync)
		record.pmiar = read_sysreg_s(SYS_PMIAR_EL1);
	prx_taken(info->regs, &record, info->sync);
}

/**
 * prx_observe_exceptions() - begin to see Profiling exceptions
 * @taken: called for each, on its CPU in NMI context, before the driver of the source
 *
 * Return: 0, also if none can come; or a negative errno.
 */
int prx_observe_exceptions(prx_taken_fn *taken)
{
	prx_taken = taken;
	return register_trace_profexc(prx_exception, NULL);
}

/* When this returns no report of an exception is under way. */
void prx_ignore_exceptions(void)
{
	unregister_trace_profexc(prx_exception, NULL);
	tracepoint_synchronize_unregister();
}

/* Does a source raise exceptions on this CPU? Its owner has tried it. Preemption is disabled. */
bool prx_is_enabled_local(u8 source)
{
	return profexc_enabled_local(source);
}

/* The trace buffer, where nobody else owns its exceptions */

static DEFINE_PER_CPU(bool, prx_trbe_taken);

static bool prx_trbe_handler(const struct profexc_info *info)
{
	if (!(read_sysreg_s(SYS_TRBSR_EL1) & TRBSR_EL1_IRQ))
		return false;
	write_sysreg_s(0, SYS_TRBSR_EL1);
	isb();
	this_cpu_write(prx_trbe_taken, true);
	return true;
}

static const struct profexc_ops prx_trbe_ops = {
	.handler = prx_trbe_handler,
};

/**
 * prx_own_trbe() - own the exceptions of all trace buffers, to make some
 *
 * Return: 0; -EBUSY if the driver of the trace buffers is bound, -EOPNOTSUPP if the kernel takes
 * no exceptions.
 */
int prx_own_trbe(void)
{
	return profexc_register(PROFEXC_TRBE, &prx_trbe_ops);
}

/* Undo prx_own_trbe() */
void prx_disown_trbe(void)
{
	profexc_unregister(PROFEXC_TRBE, &prx_trbe_ops);
}

/**
 * prx_inject_trbe_local() - let the trace buffer of this CPU report an event
 * @trbsr: the event, in terms of TRBSR_ELx; IRQ is set in any case
 *
 * Context: process, owner of the trace buffers, bound to a CPU with a trace buffer.
 *
 * Return: 0; -EBUSY if the trace buffer is enabled; -EOPNOTSUPP if this CPU does not have the
 * exception; -EPERM if firmware or a hypervisor owns the trace buffer, so that an access to its
 * registers would be trapped, or if it denies the exception, so that none was taken.
 */
int prx_inject_trbe_local(u64 trbsr)
{
	unsigned int us;
	int ret;

	preempt_disable();
	ret = -EPERM;
	if (read_sysreg_s(SYS_TRBIDR_EL1) & TRBIDR_EL1_P)
		goto out;
	ret = -EBUSY;
	if (read_sysreg_s(SYS_TRBLIMITR_EL1) & TRBLIMITR_EL1_E)
		goto out;
	ret = profexc_enable_local(PROFEXC_TRBE);
	if (ret)
		goto out;

	/*
	 * With the exception enabled the name may stand for another register, with anything in
	 * it. That may have been taken for an event by now, and been dealt with.
	 */
	write_sysreg_s(0, SYS_TRBSR_EL1);
	isb();
	this_cpu_write(prx_trbe_taken, false);
	write_sysreg_s(trbsr | TRBSR_EL1_IRQ, SYS_TRBSR_EL1);
	isb();
	for (us = 0; us < 1000 && !this_cpu_read(prx_trbe_taken); us++)
		udelay(1);
	ret = this_cpu_read(prx_trbe_taken) ? 0 : -EPERM;
	write_sysreg_s(0, SYS_TRBSR_EL1);
	isb();
	profexc_disable_local(PROFEXC_TRBE);
out:
	preempt_enable();
	return ret;
}

#else

bool prx_kernel_takes_exceptions(void)
{
	return false;
}

int prx_observe_exceptions(prx_taken_fn *taken)
{
	return 0;
}

void prx_ignore_exceptions(void)
{
}

bool prx_is_enabled_local(u8 source)
{
	return false;
}

int prx_own_trbe(void)
{
	return -EOPNOTSUPP;
}

void prx_disown_trbe(void)
{
}

int prx_inject_trbe_local(u64 trbsr)
{
	return -EOPNOTSUPP;
}

#endif

struct prx_enabled {
	struct cpumask *cpus;
	u8 source;
};

static void prx_ask_enabled(void *info)
{
	struct prx_enabled *enabled = info;

	if (prx_is_enabled_local(enabled->source))
		cpumask_set_cpu(smp_processor_id(), enabled->cpus);
}

/**
 * prx_enabled_cpus() - the CPUs on which a source raises exceptions now
 * @source: the source
 * @cpus: filled
 *
 * Context: process, may sleep.
 */
void prx_enabled_cpus(u8 source, struct cpumask *cpus)
{
	struct prx_enabled enabled = { .cpus = cpus, .source = source };

	cpumask_clear(cpus);
	on_each_cpu(prx_ask_enabled, &enabled, true);
}
