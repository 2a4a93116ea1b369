// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a CPU says of itself: its features, and as many of the controls that route Profiling
 * exceptions as its kernel may read.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>

#include <asm/sysreg.h>
#include <asm/virt.h>

#include "arm_profexc.h"

/*
 * Fields by numbers of bits: the kernel's names for them have changed, or are newer than the
 * oldest kernel that this builds for.
 */
#define PRX_ID_AA64DFR2_EL1	sys_reg(3, 0, 0, 5, 2)
#define PRX_TRFCR_EL1		sys_reg(3, 0, 1, 2, 1)
#define PRX_TRFCR_EL12		sys_reg(3, 5, 1, 2, 1)
#define PRX_PMECR_EL1		sys_reg(3, 0, 9, 14, 5)

#define PRX_PFR0_EL3		GENMASK_ULL(15, 12)
#define PRX_DFR0_PMUVER		GENMASK_ULL(11, 8)
#define PRX_DFR0_PMUVER_IMPDEF	0xf
#define PRX_DFR0_SEBEP		GENMASK_ULL(27, 24)
#define PRX_DFR0_TRACEFILT	GENMASK_ULL(43, 40)
#define PRX_DFR0_TRACEBUFFER	GENMASK_ULL(47, 44)
#define PRX_DFR1_EBEP		GENMASK_ULL(51, 48)
#define PRX_DFR2_TRBE_EXC	GENMASK_ULL(27, 24)

#define PRX_PMECR_PMEE		GENMASK_ULL(1, 0)
#define PRX_PMECR_KPME		BIT_ULL(2)
#define PRX_TRFCR_EE		GENMASK_ULL(9, 8)
#define PRX_TRFCR_KE		BIT_ULL(10)
#define PRX_MDCR_E2TB		GENMASK_ULL(25, 24)
#define PRX_MDCR_PMEE		GENMASK_ULL(41, 40)
#define PRX_HCR_TGE		BIT_ULL(27)
#define PRX_HCR_TEA		BIT_ULL(37)
#define PRX_HCR_GPF		BIT_ULL(48)

/**
 * prx_read_features() - read the ID registers of this CPU
 * @features: filled
 */
void prx_read_features(struct prx_features *features)
{
	u64 dfr0 = read_sysreg_s(SYS_ID_AA64DFR0_EL1);
	u64 dfr1 = read_sysreg_s(SYS_ID_AA64DFR1_EL1);
	u64 dfr2 = read_sysreg_s(PRX_ID_AA64DFR2_EL1);
	unsigned int pmuver = FIELD_GET(PRX_DFR0_PMUVER, dfr0);

	*features = (struct prx_features) {
		.pmu = pmuver && pmuver != PRX_DFR0_PMUVER_IMPDEF,
		.sebep = FIELD_GET(PRX_DFR0_SEBEP, dfr0),
		.trf = FIELD_GET(PRX_DFR0_TRACEFILT, dfr0),
		.trbe = FIELD_GET(PRX_DFR0_TRACEBUFFER, dfr0),
		.ebep = FIELD_GET(PRX_DFR1_EBEP, dfr1),
		.trbe_exc = FIELD_GET(PRX_DFR2_TRBE_EXC, dfr2),
	};
}

/* Controls of EL2 and of EL3, as far as a kernel at EL2 knows them */
static void prx_read_el2(struct prx_controls *controls)
{
	u64 mdcr = read_sysreg(mdcr_el2), hcr = read_sysreg(hcr_el2);

	prx_control_is(controls, PRX_MDCR_EL2_PMEE, FIELD_GET(PRX_MDCR_PMEE, mdcr));
	prx_control_is(controls, PRX_MDCR_EL2_E2TB, FIELD_GET(PRX_MDCR_E2TB, mdcr));
	prx_control_is(controls, PRX_HCR_EL2_TGE, FIELD_GET(PRX_HCR_TGE, hcr));
	prx_control_is(controls, PRX_HCR_EL2_TEA, FIELD_GET(PRX_HCR_TEA, hcr));
	prx_control_is(controls, PRX_HCR_EL2_GPF, FIELD_GET(PRX_HCR_GPF, hcr));

	/* Where there is no EL3 its controls behave as if they passed on. */
	if (!FIELD_GET(PRX_PFR0_EL3, read_sysreg_s(SYS_ID_AA64PFR0_EL1))) {
		prx_control_is(controls, PRX_MDCR_EL3_PMEE, 1);
		prx_control_is(controls, PRX_MDCR_EL3_TRBEE, 1);
	}
}

static void prx_read_pmecr(struct prx_controls *controls)
{
	u64 pmecr = read_sysreg_s(PRX_PMECR_EL1);

	prx_control_is(controls, PRX_PMECR_EL1_PMEE, FIELD_GET(PRX_PMECR_PMEE, pmecr));
	prx_control_is(controls, PRX_PMECR_EL1_KPME, FIELD_GET(PRX_PMECR_KPME, pmecr));
}

static void prx_know_trfcr(struct prx_controls *controls, u64 trfcr, enum prx_control ee,
			   enum prx_control ke)
{
	prx_control_is(controls, ee, FIELD_GET(PRX_TRFCR_EE, trfcr));
	prx_control_is(controls, ke, FIELD_GET(PRX_TRFCR_KE, trfcr));
}

/* In a kernel at EL2 TRFCR_EL1 is the name of TRFCR_EL2. */
static void prx_read_trfcr(struct prx_controls *controls)
{
	u64 own = read_sysreg_s(PRX_TRFCR_EL1);

	if (!is_kernel_in_hyp_mode()) {
		prx_know_trfcr(controls, own, PRX_TRFCR_EL1_EE, PRX_TRFCR_EL1_KE);
		return;
	}
	prx_know_trfcr(controls, own, PRX_TRFCR_EL2_EE, PRX_TRFCR_EL2_KE);
	prx_know_trfcr(controls, read_sysreg_s(PRX_TRFCR_EL12), PRX_TRFCR_EL1_EE,
		       PRX_TRFCR_EL1_KE);
}

/* What the kernel has tried, or has got in the course of time, says what others have set. */
static void prx_learn(struct prx_controls *controls, u8 source)
{
	const char *el = is_kernel_in_hyp_mode() ? "EL2" : "EL1";
	enum prx_table table = PRX_TABLE_D13_1;
	const char *column = el, *says = el;

	if (source == ARM_PROFEXC_SOURCE_TRBE)
		table = is_kernel_in_hyp_mode() ? PRX_TABLE_D6_9 : PRX_TABLE_D6_8;

	if (!prx_is_enabled_local(source)) {
		if (this_cpu_read(prx_cpu.last_mode[source]) != ARM_PROFEXC_MODE_IRQ)
			return;
		says = "IRQ";
		if (source == ARM_PROFEXC_SOURCE_TRBE) {
			table = PRX_TABLE_D6_8;
			column = "IRQ";
			says = "HIGH";
		}
	}

	prx_narrow(table, controls, column, says);
}

/**
 * prx_read_controls() - what is known of the controls of this CPU
 * @controls: filled
 * @source: PMU or trace buffer, of which the CPU has the exception
 *
 * A register is read only if this kernel writes it too: firmware or a hypervisor that does not
 * know it may answer a read with an Undefined Instruction exception.
 *
 * Context: the CPU, preemption disabled.
 */
void prx_read_controls(struct prx_controls *controls, u8 source)
{
	const struct prx_features *features = this_cpu_ptr(&prx_cpu.features);

	prx_controls_init(controls);
	if (is_kernel_in_hyp_mode())
		prx_read_el2(controls);
	else
		prx_control_is(controls, PRX_HCR_EL2_TGE, 0);
	if (prx_kernel_takes_exceptions()) {
		if (features->ebep)
			prx_read_pmecr(controls);
		if (features->trbe_exc && features->trf)
			prx_read_trfcr(controls);
	}
	prx_learn(controls, source);
}
