// SPDX-License-Identifier: GPL-2.0-only
/* Kinds of blocks, and the samples that the model expects of them; see kinds.h. */
#include <arch-model/control-regs.h>

#include "kinds.h"
#include "test.h"

#define V8	(AM_FEAT_AA64 | AM_FEAT_AA32 | AM_FEAT_EL3 | AM_FEAT_VMID16)
#define V8P1	(V8 | AM_FEAT_VHE | AM_FEAT_DEBUGV8P1)
#define V8P2	(V8P1 | AM_FEAT_PCSRV8P2)
#define V8P9	(V8P2 | AM_FEAT_PCSRV8P9 | AM_FEAT_DEBUGV8P4 | AM_FEAT_PMUV3_SS | AM_FEAT_MOPS)

const struct kind kinds[NR_KINDS] = {
	{ ARM_PCSAMPLE_SOURCE_PMU32, AM_KERNEL_EL1, "r4:200 r4:204 r4:208",
	  0x47702A16, 0x16, 1, 0, V8P2, false },
	{ ARM_PCSAMPLE_SOURCE_PMU32, AM_KERNEL_VHE, "r4:200 r4:204 r4:208 r4:22c r4:20c",
	  0x47702A16, 0x16, 1, 0, V8P2 | AM_FEAT_EL2, false },
	{ ARM_PCSAMPLE_SOURCE_PMU32, AM_KERNEL_EL1, "r4:200 r4:204 r4:208 r4:22c r4:20c",
	  0x47702A16, 0x16, 0x12, 0, V8P9 | AM_FEAT_EL2, false },
	{ ARM_PCSAMPLE_SOURCE_PMU64, AM_KERNEL_EL1, "r8:200 r8:208",
	  0x47702A26, 0x16, 1, 0, V8P2 | AM_FEAT_PMUV3_EXT64, false },
	{ ARM_PCSAMPLE_SOURCE_PMU64, AM_KERNEL_VHE, "r8:200 r8:208 r8:228",
	  0x47702A26, 0x16, 0x12, 0, V8P9 | AM_FEAT_EL2 | AM_FEAT_PMUV3_EXT64 | AM_FEAT_RME,
	  false },
	{ ARM_PCSAMPLE_SOURCE_FRAME32, AM_KERNEL_EL1, "r4:200 r4:204 r4:208 r4:22c r4:20c",
	  0x47700A10, 0x10, 1, 0, V8P2 | AM_FEAT_EL2, false },
	{ ARM_PCSAMPLE_SOURCE_FRAME64, AM_KERNEL_EL1, "r8:200 r8:208 r8:228",
	  0x47700A20, 0x10, 2, 0, V8P9 | AM_FEAT_EL2 | AM_FEAT_PMUV3_EXT64, false },
	/* Cortex-A53 to Cortex-A73: Armv8.0 */
	{ ARM_PCSAMPLE_SOURCE_DEBUG, AM_KERNEL_EL1, "r4:a0 r4:ac r4:a4 r4:a8",
	  0x47706A15, 0x15, 3, 2, V8 | AM_FEAT_PCSRV8 | AM_FEAT_EL2, false },
	/* Armv8.1, which has EDSCR.SC2 */
	{ ARM_PCSAMPLE_SOURCE_DEBUG, AM_KERNEL_EL1, "r4:a0 r4:ac r4:a4 r4:a8",
	  0x47707A15, 0x15, 3, 2, V8P1 | AM_FEAT_PCSRV8 | AM_FEAT_EL2, false },
	{ ARM_PCSAMPLE_SOURCE_DEBUG, AM_KERNEL_VHE, "r4:a0 r4:ac r4:a4 r4:a8",
	  0x47707A15, 0x15, 3, 2, V8P1 | AM_FEAT_PCSRV8 | AM_FEAT_EL2, false },
	/* Without EL2 and EL3, EDVIDSR may be missing, and EDCIDSR, too, as Armv7.1 allows */
	{ ARM_PCSAMPLE_SOURCE_DEBUG, AM_KERNEL_EL1, "r4:a0 r4:ac r4:a4",
	  0x47706A15, 0x15, 2, 2, (V8 & ~AM_FEAT_EL3) | AM_FEAT_PCSRV8, false },
	{ ARM_PCSAMPLE_SOURCE_DEBUG, AM_KERNEL_EL1, "r4:a0 r4:ac",
	  0x47706A15, 0x15, 1, 2, (V8 & ~AM_FEAT_EL3) | AM_FEAT_PCSRV8, false },
	/* Cortex-A55 to A78, Neoverse: the same reads as of the first two kinds */
	{ ARM_PCSAMPLE_SOURCE_PMU32, AM_KERNEL_EL1, "r4:200 r4:204 r4:208",
	  0x47702A16, 0x16, 1, 0, V8P2, true },
	{ ARM_PCSAMPLE_SOURCE_PMU32, AM_KERNEL_VHE, "r4:200 r4:204 r4:208 r4:22c r4:20c",
	  0x47702A16, 0x16, 1, 0, V8P2 | AM_FEAT_EL2, true },
};

void plug_in(const struct kind *kind)
{
	hw = (struct hardware){
		.ids = {
			.cidr = { 0x0D, 0x90, 0x05, 0xB1 },
			.devarch = kind->devarch,
			.devtype = kind->devtype,
			.devid = kind->devid,
			.devid1 = kind->devid1,
		},
		.pe = { .feat = kind->feat, .el = 1, .scr_el3 = SCR_EL3_NS },
		.auth = { .noninvasive = true },
		.chosen = { .imp = true, .suspended_at_reset = true },
		.impdef = kind->impdef,
	};
	hw.id = am_pcs_identify(&hw.ids);
	hardware_reset();
}

struct am_linux kernel_of(const struct kind *kind)
{
	return (struct am_linux){
		.kernel = kind->kernel,
		.has_el2 = kind->feat & AM_FEAT_EL2,
		.names_tasks = true,
	};
}

/* Change the PE at random; an impossible state is undone. */
void change_pe(void)
{
	struct am_pe before = hw.pe;

	switch (any() % 6) {
	case 0:
		hw.pe.el = any() % 4;
		break;
	case 1:
		hw.pe.scr_el3 = any() & (SCR_EL3_NS | SCR_EL3_NSE | SCR_EL3_EEL2);
		break;
	case 2:
		hw.pe.hcr_el2 = any() & (HCR_EL2_TGE | HCR_EL2_E2H);
		break;
	case 3:
		hw.pe.aa32 = any() % 2;
		break;
	case 4:
		hw.pe.halted = chance(20);
		break;
	case 5:
		hw.auth = (struct am_auth){
			.noninvasive = chance(90),
			.secure = chance(30),
			.realm = chance(30),
			.root = chance(30),
		};
		break;
	}
	if (am_pe_check(&hw.pe))
		hw.pe = before;
	am_pcsr_note_state(&hw.pcsr, &hw.pe, &hw.auth);
}

void retire(const struct am_pcs_insn *insn)
{
	am_pcsr_retire(&hw.pcsr, &hw.pe, &hw.auth, insn);
}

bool is_all_allowed(void)
{
	return hw.auth.noninvasive && (!am_has(&hw.pe, AM_FEAT_EL3) || hw.auth.secure) &&
	       (!am_has(&hw.pe, AM_FEAT_RME) || (hw.auth.realm && hw.auth.root));
}

/* A sample in the format of PMPCSR of an external PMU */
static u64 as_pmpcsr(const struct am_pcs_sample *sample)
{
	u64 pc = sample->aa32 ? (u32)sample->pc : sample->pc & PMPCSR_PC;

	return pc | FIELD_PREP(PMPCSR_EL, sample->el) |
	       FIELD_PREP(PMPCSR_NS, sample->state != PCS_STATE_SECURE);
}

/*
 * With EDSCR.SC2 = 0, EL0 and EL1 look the same (and EL3 using AArch32, which this PE does not
 * use). Without EDVIDSR every sample counts as the kernel's.
 */
static void compare_by_address(const struct pcs_regs *regs, const struct am_pcs_sample *sample)
{
	struct am_pcs_sample shown = *sample;
	u64 el = sample->pc & BIT_ULL(55) ? 1 : 0;

	if (regs->el_by_address) {
		assert_true(sample->el <= 1);
		shown.el = sample->aa32 ? 0 : el;
	}
	assert_int_equal(regs->pmpcsr, as_pmpcsr(&shown));
	if (regs->given & ARM_PCSAMPLE_HAS_VMID && sample->el <= 1 && sample->has_el2)
		assert_int_equal(regs->pmvidsr, sample->vmid);
}

static void compare_debug(const struct pcs_frame *frame, const struct pcs_regs *regs,
			  const struct am_pcs_sample *sample)
{
	if (frame->sc2) {
		assert_int_equal(regs->pmpcsr, as_pmpcsr(sample));
		assert_true(am_permits(sample->contextidr_el2, regs->pmcid2sr));
	} else {
		compare_by_address(regs, sample);
	}
	if (regs->given & ARM_PCSAMPLE_HAS_CID1)
		assert_int_equal(regs->pmcid1sr, sample->contextidr);
}

static void compare_pmu(const struct pcs_frame *frame, const struct pcs_regs *regs,
			const struct am_pcsr *now)
{
	u64 vmid = regs->pmvidsr & ~now->pmvidsr.unknown;

	assert_int_equal(regs->pmpcsr, now->pmpcsr.value);
	assert_int_equal(regs->pmcid1sr, now->pmcid1sr.value);
	if (!frame->kernel->has_el2)
		return;
	assert_true(am_permits(now->pmcid2sr, regs->pmcid2sr));
	assert_int_equal(vmid, now->pmvidsr.value);
}

static void compare_impdef(const struct pcs_frame *frame, const struct pcs_regs *regs)
{
	const struct am_impdef_snapshot *now = &hw.snapshot;

	assert_int_equal(regs->given, ARM_PCSAMPLE_HAS_CID1 | ARM_PCSAMPLE_HAS_CID2);
	assert_false(regs->el_by_address);
	assert_int_equal(regs->pmpcsr, now->pmpcssr.value);
	assert_int_equal(regs->pmcid1sr, now->pmcidssr.value);
	if (frame->kernel->has_el2)
		assert_true(am_permits(now->pmcid2ssr, regs->pmcid2sr));
}

void compare_sample(const struct pcs_frame *frame, const struct pcs_regs *regs)
{
	if (hw.id.verdict.is == AM_PCS_VIEW_ED)
		compare_debug(frame, regs, &hw.pcsr.sample);
	else if (is_impdef(frame->set))
		compare_impdef(frame, regs);
	else
		compare_pmu(frame, regs, &hw.pcsr);
}
