// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the trace buffer of a CPU report a real management event: it traces a loop of its own, in
 * the kernel, into a buffer that is set up to fill up, wrap, get a trigger or fault. The kernel
 * takes the Profiling exception in that loop, and the owner of the exception finds a trace buffer
 * that nobody uses.
 *
 *	echo "1 full" >/sys/module/pcs_trace/parameters/make
 *
 * CPU, then full, wrap, trigger, stop or fault; or a TRBSR_ELx value in hexadecimal, the event that
 * the emulated trace buffer is to raise, by TRBINJ_EL1 of -cpu max,trbe-inject-register=on. Real
 * CPUs do not have that register, so pcs_trace.emulated=1 on the kernel's command line must say
 * that it exists.
 *
 * Only for trace buffers that raise exceptions: the driver does not expect an interrupt.
 */
#include <linux/bits.h>
#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include <asm/barrier.h>
#include <asm/sysreg.h>

/* By encoding, because kernels from 6.1 on must build this */
#define PCS_TRBLIMITR_EL1	sys_reg(3, 0, 9, 11, 0)
#define PCS_TRBPTR_EL1		sys_reg(3, 0, 9, 11, 1)
#define PCS_TRBBASER_EL1	sys_reg(3, 0, 9, 11, 2)
#define PCS_TRBSR_EL1		sys_reg(3, 0, 9, 11, 3)
#define PCS_TRBTRG_EL1		sys_reg(3, 0, 9, 11, 6)
#define PCS_TRBINJ_EL1		sys_reg(3, 0, 15, 12, 0)
#define PCS_TRFCR_EL1		sys_reg(3, 0, 1, 2, 1)
#define PCS_TRCPRGCTLR		sys_reg(2, 1, 0, 1, 0)
#define PCS_TRCCONFIGR		sys_reg(2, 1, 0, 4, 0)
#define PCS_TRCEVENTCTL0R	sys_reg(2, 1, 0, 8, 0)
#define PCS_TRCSYNCPR		sys_reg(2, 1, 0, 13, 0)
#define PCS_TRCVICTLR		sys_reg(2, 1, 0, 0, 2)
#define PCS_TRCVIIECTLR		sys_reg(2, 1, 0, 1, 2)
#define PCS_TRCCNTCTLR0		sys_reg(2, 1, 0, 4, 5)
#define PCS_TRCCNTVR0		sys_reg(2, 1, 0, 8, 5)
#define PCS_TRCRSCTLR2		sys_reg(2, 1, 1, 2, 0)

#define PCS_DFR0_TRACEVER	GENMASK_ULL(7, 4)
#define PCS_DFR0_TRACEBUFFER	GENMASK_ULL(47, 44)
#define PCS_TRFCR_EXTRE		BIT_ULL(1)
#define PCS_TRFCR_EE		GENMASK_ULL(9, 8)
#define PCS_TRFCR_KE		BIT_ULL(10)
#define PCS_TRBLIMITR_E		BIT_ULL(0)
#define PCS_TRBLIMITR_WRAP	BIT_ULL(1)
#define PCS_TRBLIMITR_TM_IRQ	BIT_ULL(3)
#define PCS_TRBLIMITR_TM_NONE	(3ULL << 3)

#define PCS_BUFFER_SIZE		PAGE_SIZE

/* An atom packet, one byte, is at most three branches: this overflows the buffer only once. */
#define PCS_BRANCHES		(4 * PCS_BUFFER_SIZE)
#define PCS_TRIGGER_AT		300

static bool emulated;
module_param(emulated, bool, 0444);
MODULE_PARM_DESC(emulated, "The CPUs have TRBINJ_EL1");

/**
 * struct pcs_trace - an event to be made
 * @mode: FM and TM of TRBLIMITR_EL1
 * @base: base of the buffer
 * @limit: end of the buffer
 * @trigger: make a trigger after PCS_TRIGGER_AT branches
 * @inject: value for TRBINJ_EL1, or 0
 */
struct pcs_trace {
	u64 mode;
	u64 base;
	u64 limit;
	bool trigger;
	u64 inject;
};

/* Traced until collection stops. A test looks for the interrupted PC in this function. */
static noinline void pcs_trace_branches(void)
{
	unsigned int i;

	for (i = 0; i < PCS_BRANCHES; i++)
		barrier();
}

static void pcs_trace_start_unit(const struct pcs_trace *trace)
{
	write_sysreg_s(0, PCS_TRCPRGCTLR);
	isb();
	write_sysreg_s(0, PCS_TRCCONFIGR);
	write_sysreg_s(0, PCS_TRCSYNCPR);
	write_sysreg_s(0, PCS_TRCVIIECTLR);
	write_sysreg_s(0x201, PCS_TRCVICTLR);		/* started, always, at each level */
	write_sysreg_s(0, PCS_TRCEVENTCTL0R);
	if (trace->trigger) {
		write_sysreg_s(2 << 16 | 1, PCS_TRCRSCTLR2);	/* counter 0 is at zero */
		write_sysreg_s(1, PCS_TRCCNTCTLR0);		/* counts always */
		write_sysreg_s(PCS_TRIGGER_AT, PCS_TRCCNTVR0);
		write_sysreg_s(2, PCS_TRCEVENTCTL0R);
	}
	write_sysreg_s(1, PCS_TRCPRGCTLR);
	isb();
}

static int pcs_trace_on_cpu(void *data)
{
	const struct pcs_trace *trace = data;
	u64 dfr0 = read_sysreg_s(SYS_ID_AA64DFR0_EL1), trfcr;
	unsigned long flags;

	if (!(dfr0 & PCS_DFR0_TRACEVER) || !(dfr0 & PCS_DFR0_TRACEBUFFER))
		return -ENXIO;
	trfcr = read_sysreg_s(PCS_TRFCR_EL1);
	if ((trfcr & PCS_TRFCR_EE) != PCS_TRFCR_EE || !(trfcr & PCS_TRFCR_KE))
		return -EOPNOTSUPP;

	/* Branches of an interrupt would fill the buffer; this does not mask the exception. */
	local_irq_save(flags);
	if (read_sysreg_s(PCS_TRBLIMITR_EL1) & PCS_TRBLIMITR_E) {
		local_irq_restore(flags);
		return -EBUSY;
	}
	write_sysreg_s(trace->base, PCS_TRBBASER_EL1);
	write_sysreg_s(trace->base, PCS_TRBPTR_EL1);
	write_sysreg_s(0, PCS_TRBSR_EL1);
	write_sysreg_s(0, PCS_TRBTRG_EL1);
	if (emulated)
		write_sysreg_s(trace->inject, PCS_TRBINJ_EL1);
	write_sysreg_s(trace->limit | trace->mode | PCS_TRBLIMITR_E, PCS_TRBLIMITR_EL1);
	isb();
	pcs_trace_start_unit(trace);
	write_sysreg_s(trfcr | PCS_TRFCR_EXTRE, PCS_TRFCR_EL1);
	isb();

	pcs_trace_branches();

	write_sysreg_s(trfcr, PCS_TRFCR_EL1);
	isb();
	asm volatile("hint #18; dsb nsh" ::: "memory");		/* TSB CSYNC */
	write_sysreg_s(0, PCS_TRCPRGCTLR);
	write_sysreg_s(0, PCS_TRBLIMITR_EL1);
	isb();
	local_irq_restore(flags);
	return 0;
}

static const struct {
	const char *name;
	u64 mode;
	bool trigger;
	bool fault;
} pcs_trace_kinds[] = {
	{ "full", PCS_TRBLIMITR_TM_NONE, false, false },
	{ "wrap", PCS_TRBLIMITR_WRAP | PCS_TRBLIMITR_TM_NONE, false, false },
	{ "trigger", PCS_TRBLIMITR_TM_IRQ, true, false },
	{ "stop", 0, true, false },
	{ "fault", PCS_TRBLIMITR_TM_NONE, false, true },
};

/* If the buffer ends beyond its memory it faults there: vmalloc() leaves a page unmapped. */
static int pcs_trace_make(unsigned int cpu, const char *kind)
{
	struct pcs_trace trace = { .mode = PCS_TRBLIMITR_TM_NONE };
	bool known = false, fault = false;
	unsigned int i;
	void *buffer;
	int ret;

	for (i = 0; i < ARRAY_SIZE(pcs_trace_kinds); i++) {
		if (strcmp(kind, pcs_trace_kinds[i].name))
			continue;
		known = true;
		trace.mode = pcs_trace_kinds[i].mode;
		trace.trigger = pcs_trace_kinds[i].trigger;
		fault = pcs_trace_kinds[i].fault;
	}
	if (!known && kstrtou64(kind, 16, &trace.inject))
		return -EINVAL;
	if (!known && !emulated)
		return -EOPNOTSUPP;

	buffer = vmalloc(PCS_BUFFER_SIZE);
	if (!buffer)
		return -ENOMEM;
	trace.base = (u64)buffer;
	trace.limit = trace.base + PCS_BUFFER_SIZE * (fault ? 2 : 1);
	ret = smp_call_on_cpu(cpu, pcs_trace_on_cpu, &trace, false);
	vfree(buffer);
	return ret;
}

static int pcs_trace_set(const char *line, const struct kernel_param *kp)
{
	unsigned int cpu;
	char kind[20];
	int ret = -ENXIO;

	if (sscanf(line, "%u %19s", &cpu, kind) != 2)
		return -EINVAL;
	cpus_read_lock();
	if (cpu < nr_cpu_ids && cpu_online(cpu))
		ret = pcs_trace_make(cpu, kind);
	cpus_read_unlock();
	return ret;
}

static const struct kernel_param_ops pcs_trace_ops = {
	.set = pcs_trace_set,
};
module_param_cb(make, &pcs_trace_ops, NULL, 0200);
MODULE_PARM_DESC(make, "CPU, and the event that its trace buffer is to report");

static int __init pcs_trace_init(void)
{
	return 0;
}

static void __exit pcs_trace_exit(void)
{
}

module_init(pcs_trace_init);
module_exit(pcs_trace_exit);

MODULE_DESCRIPTION("Makes events of the trace buffer, for tests of Profiling exceptions");
MODULE_LICENSE("GPL");
