// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that software makes, to see what comes of them: PMOVSSET_EL0 and, with the trace buffer
 * disabled, TRBSR_ELx.IRQ can be written (RHFTPJ, RMFMXQ).
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/workqueue.h>

#include <asm/barrier.h>
#include <asm/sysreg.h>

#include "arm_profexc.h"

#define PRX_PMCR_E	BIT_ULL(0)
#define PRX_PMCR_N	GENMASK_ULL(15, 11)

/* How long it may take until an event is reported */
#define PRX_INJECT_US	10000

/* A counter that is not in use, from the last on, as perf takes them from the first; or -1 */
static int prx_find_counter(u64 pmcr)
{
	u64 used = read_sysreg(pmcntenset_el0);
	int n;

	for (n = (int)FIELD_GET(PRX_PMCR_N, pmcr) - 1; n >= 0; n--)
		if (!(used & BIT_ULL(n)))
			return n;
	return -1;
}

static bool prx_is_in_use(int counter)
{
	return read_sysreg(pmcntenset_el0) & BIT_ULL(counter);
}

/*
 * The driver of the PMU finds the flag of a counter without an event, and clears it. An interrupt
 * is taken when interrupts are enabled again; perf may come to use the counter then, which makes
 * its registers perf's.
 */
static long prx_inject_pmu_local(void *unused)
{
	unsigned long flags;
	unsigned int us;
	u64 before, pmcr;
	int counter;

	preempt_disable();
	local_irq_save(flags);
	before = this_cpu_read(prx_cpu.seq);
	pmcr = read_sysreg(pmcr_el0);
	counter = prx_find_counter(pmcr);
	if (counter < 0) {
		local_irq_restore(flags);
		preempt_enable();
		return -EBUSY;
	}
	write_sysreg(BIT_ULL(counter), pmovsclr_el0);
	write_sysreg(BIT_ULL(counter), pmintenset_el1);
	write_sysreg(pmcr | PRX_PMCR_E, pmcr_el0);
	write_sysreg(BIT_ULL(counter), pmovsset_el0);
	isb();
	local_irq_restore(flags);

	for (us = 0; us < PRX_INJECT_US && this_cpu_read(prx_cpu.seq) == before; us++)
		udelay(1);

	local_irq_save(flags);
	if (!prx_is_in_use(counter)) {
		write_sysreg(BIT_ULL(counter), pmintenclr_el1);
		write_sysreg(BIT_ULL(counter), pmovsclr_el0);
	}
	if (!(pmcr & PRX_PMCR_E) && !read_sysreg(pmcntenset_el0))
		write_sysreg(pmcr, pmcr_el0);
	isb();
	local_irq_restore(flags);
	preempt_enable();
	return us < PRX_INJECT_US ? 0 : -ETIMEDOUT;
}

static long prx_inject_trbe_on_cpu(void *trbsr)
{
	return prx_inject_trbe_local(*(u64 *)trbsr);
}

static int prx_on_cpu(int cpu, long (*inject)(void *), void *arg)
{
	int ret = -ENXIO;

	cpus_read_lock();
	if (cpu_online(cpu))
		ret = work_on_cpu(cpu, inject, arg);
	cpus_read_unlock();
	return ret;
}

/**
 * prx_inject_pmu() - let a counter of a CPU seem to have overflowed
 * @cpu: the CPU
 *
 * Return: 0 if that was reported, by an exception or an interrupt; -ENXIO if the CPU is offline
 * or has no PMU, -EBUSY if all counters are in use, -ETIMEDOUT if nothing was reported.
 */
int prx_inject_pmu(int cpu)
{
	if (!per_cpu(prx_cpu, cpu).features.pmu)
		return -ENXIO;
	return prx_on_cpu(cpu, prx_inject_pmu_local, NULL);
}

/**
 * prx_inject_trbe() - let the trace buffer of a CPU report an event by an exception
 * @cpu: the CPU
 * @trbsr: the event, in terms of TRBSR_ELx
 *
 * An interrupt is not made: the driver of the trace buffer would look for a buffer that is not
 * there.
 *
 * Return: 0 if it was reported; -ENXIO if the CPU is offline or has no trace buffer, and the
 * errors of prx_own_trbe() and prx_inject_trbe_local().
 */
int prx_inject_trbe(int cpu, u64 trbsr)
{
	int ret;

	if (!per_cpu(prx_cpu, cpu).features.trbe)
		return -ENXIO;
	ret = prx_own_trbe();
	if (ret)
		return ret;
	ret = prx_on_cpu(cpu, prx_inject_trbe_on_cpu, &trbsr);
	prx_disown_trbe();
	return ret;
}
