// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of a CPU that say where its Profiling exceptions go, as many as its kernel may
 * read. pcsample profexc list explains them.
 */
#include <linux/bits.h>

#include <asm/sysreg.h>
#include <asm/virt.h>

#include "arm_profexc.h"

/* By encoding: the oldest kernel that this builds for has no names for these */
#define PRX_TRFCR_EL1		sys_reg(3, 0, 1, 2, 1)
#define PRX_TRFCR_EL12		sys_reg(3, 5, 1, 2, 1)
#define PRX_PMECR_EL1		sys_reg(3, 0, 9, 14, 5)

static const char * const prx_register_names[PRX_NR_REGISTERS] = {
	[PRX_REG_ID_AA64PFR0_EL1]	= "ID_AA64PFR0_EL1",
	[PRX_REG_ID_AA64DFR0_EL1]	= "ID_AA64DFR0_EL1",
	[PRX_REG_ID_AA64DFR1_EL1]	= "ID_AA64DFR1_EL1",
	[PRX_REG_ID_AA64DFR2_EL1]	= "ID_AA64DFR2_EL1",
	[PRX_REG_HCR_EL2]		= "HCR_EL2",
	[PRX_REG_MDCR_EL2]		= "MDCR_EL2",
	[PRX_REG_PMECR_EL1]		= "PMECR_EL1",
	[PRX_REG_TRFCR_EL1]		= "TRFCR_EL1",
	[PRX_REG_TRFCR_EL2]		= "TRFCR_EL2",
};

const char *prx_register_name(enum prx_register which)
{
	return prx_register_names[which];
}

static void prx_have(struct prx_registers *registers, enum prx_register which, u64 value)
{
	registers->value[which] = value;
	registers->have |= BIT(which);
}

static void prx_read_ids(struct prx_registers *registers)
{
	prx_have(registers, PRX_REG_ID_AA64PFR0_EL1, read_sysreg_s(SYS_ID_AA64PFR0_EL1));
	prx_have(registers, PRX_REG_ID_AA64DFR0_EL1, read_sysreg_s(SYS_ID_AA64DFR0_EL1));
	prx_have(registers, PRX_REG_ID_AA64DFR1_EL1, read_sysreg_s(SYS_ID_AA64DFR1_EL1));
	prx_have(registers, PRX_REG_ID_AA64DFR2_EL1, read_sysreg_s(PRX_ID_AA64DFR2_EL1));
}

/* In a kernel at EL2 TRFCR_EL1 is the name of TRFCR_EL2. */
static void prx_read_trfcr(struct prx_registers *registers)
{
	u64 own = read_sysreg_s(PRX_TRFCR_EL1);

	if (!is_kernel_in_hyp_mode()) {
		prx_have(registers, PRX_REG_TRFCR_EL1, own);
		return;
	}
	prx_have(registers, PRX_REG_TRFCR_EL2, own);
	prx_have(registers, PRX_REG_TRFCR_EL1, read_sysreg_s(PRX_TRFCR_EL12));
}

/* How a source reports, as far as that was tried or has been seen: enum of its modes, 0: unknown */
static u8 prx_mode_seen(u8 source)
{
	if (prx_is_enabled_local(source))
		return ARM_PROFEXC_MODE_EXCEPTION;
	if (this_cpu_read(prx_cpu.last_mode[source]) == ARM_PROFEXC_MODE_IRQ)
		return ARM_PROFEXC_MODE_IRQ;
	return 0;
}

/**
 * prx_read_registers() - the registers of this CPU that route Profiling exceptions
 * @registers: filled
 *
 * A register is read only if this kernel writes it too: firmware or a hypervisor that does not
 * know it may answer a read with an Undefined Instruction exception.
 *
 * Context: the CPU, preemption disabled.
 */
void prx_read_registers(struct prx_registers *registers)
{
	const struct prx_features *features = this_cpu_ptr(&prx_cpu.features);

	*registers = (struct prx_registers) {};
	prx_read_ids(registers);
	if (is_kernel_in_hyp_mode()) {
		prx_have(registers, PRX_REG_HCR_EL2, read_sysreg(hcr_el2));
		prx_have(registers, PRX_REG_MDCR_EL2, read_sysreg(mdcr_el2));
	}
	if (prx_kernel_takes_exceptions()) {
		if (features->ebep)
			prx_have(registers, PRX_REG_PMECR_EL1, read_sysreg_s(PRX_PMECR_EL1));
		if (features->trbe_exc && features->trf)
			prx_read_trfcr(registers);
	}
	registers->pmu_mode = prx_mode_seen(ARM_PROFEXC_SOURCE_PMU);
	registers->trbe_mode = prx_mode_seen(ARM_PROFEXC_SOURCE_TRBE);
}
