// SPDX-License-Identifier: GPL-2.0-only
/*
 * Register layouts, typed a second time from the register pages: name, high bit, low bit; or
 * name, value. The headers and this list were made apart, so that a slip in one shows.
 */
#include <arch-model/control-regs.h>
#include <arch-model/edpcsr-regs.h>
#include <arch-model/pmpcsr-regs.h>

#include "test.h"

struct field {
	const char *name;
	u64 mask;
	unsigned int high;
	unsigned int low;
};

struct constant {
	const char *name;
	u64 value;
	u64 expected;
};

#define F(name, high, low)	{ #name, name, high, low }
#define V(name, value)		{ #name, name, value }

static const struct field fields[] = {
	/* I5.3 */
	F(PMPCSR_NS, 63, 63), F(PMPCSR_EL, 62, 61), F(PMPCSR_NSE, 59, 59), F(PMPCSR_PC, 55, 0),
	F(PMVIDSR_VMID, 15, 0), F(PMVCIDSR_CONTEXTIDR_EL1, 31, 0), F(PMVCIDSR_VMID, 47, 32),
	F(PMCCIDSR_CONTEXTIDR_EL1, 31, 0), F(PMCCIDSR_CONTEXTIDR_EL2, 63, 32),
	F(PMPCSCTL_SS, 4, 4), F(PMPCSCTL_IMP, 1, 1), F(PMPCSCTL_EN, 0, 0),
	F(PMDEVID_PMSS, 7, 4), F(PMDEVID_PCSAMPLE, 3, 0),
	F(PMDEVARCH_ARCHITECT, 31, 21), F(PMDEVARCH_PRESENT, 20, 20), F(PMDEVARCH_REVISION, 19, 16),
	F(PMDEVARCH_ARCHVER, 15, 12), F(PMDEVARCH_ARCHPART, 11, 0),
	F(PMDEVTYPE_SUB, 7, 4), F(PMDEVTYPE_MAJOR, 3, 0),
	F(PMLSR_NTT, 2, 2), F(PMLSR_SLK, 1, 1), F(PMLSR_SLI, 0, 0),
	F(PMAUTHSTATUS_RTNID, 27, 26), F(PMAUTHSTATUS_RLNID, 15, 14),
	F(PMAUTHSTATUS_SNID, 7, 6), F(PMAUTHSTATUS_NSNID, 3, 2),

	/* H9.2 */
	F(EDSCR_SC2, 19, 19),
	F(EDPRSR_DLK, 6, 6), F(EDPRSR_OSLK, 5, 5), F(EDPRSR_HALTED, 4, 4), F(EDPRSR_PU, 0, 0),
	/* the manual numbers EDPCSR as one register: bits of the high word are 32 less */
	F(EDPCSR_HI_NS, 63 - 32, 63 - 32), F(EDPCSR_HI_EL, 62 - 32, 61 - 32),
	F(EDPCSR_HI_PC, 55 - 32, 0),
	F(EDVIDSR_NS, 31, 31), F(EDVIDSR_E2, 30, 30), F(EDVIDSR_E3, 29, 29), F(EDVIDSR_HV, 28, 28),
	F(EDVIDSR_VMID, 15, 0),
	F(EDDEVID_PCSAMPLE, 3, 0), F(EDDEVID1_PCSROFFSET, 3, 0),
	F(EDLSR_SLK, 1, 1), F(EDLSR_SLI, 0, 0),

	/* D24.2: SCR_EL3, HCR_EL2 */
	F(SCR_EL3_NSE, 62, 62), F(SCR_EL3_GPF, 48, 48), F(SCR_EL3_EEL2, 18, 18),
	F(SCR_EL3_EA, 3, 3),
	F(SCR_EL3_NS, 0, 0),
	F(HCR_EL2_GPF, 48, 48), F(HCR_EL2_TEA, 37, 37), F(HCR_EL2_E2H, 34, 34),
	F(HCR_EL2_TGE, 27, 27),

	/* D24.3: MDCR_EL2, MDCR_EL3, SDER32_EL3 */
	F(MDCR_EL2_PMEE, 41, 40), F(MDCR_EL2_HPMFZS, 36, 36), F(MDCR_EL2_PMSSE, 31, 30),
	F(MDCR_EL2_HPMFZO, 29, 29), F(MDCR_EL2_HLP, 26, 26), F(MDCR_EL2_E2TB, 25, 24),
	F(MDCR_EL2_HCCD, 23, 23), F(MDCR_EL2_HPMD, 17, 17), F(MDCR_EL2_HPME, 7, 7),
	F(MDCR_EL2_HPMN, 4, 0),
	F(MDCR_EL3_TRBEE, 54, 53), F(MDCR_EL3_PMSEE, 52, 51), F(MDCR_EL3_PMEE, 41, 40),
	F(MDCR_EL3_MPMX, 35, 35),
	F(MDCR_EL3_MCCD, 34, 34), F(MDCR_EL3_PMSSE, 31, 30), F(MDCR_EL3_NSTBE, 26, 26),
	F(MDCR_EL3_NSTB, 25, 24), F(MDCR_EL3_SCCD, 23, 23), F(MDCR_EL3_SPME, 17, 17),
	F(SDER_SUNIDEN, 1, 1),
};

static const struct constant constants[] = {
	/* I5.2, both views */
	V(PCSR_BLOCK_SIZE, 4096),
	V(PMPCSR_LO, 0x200), V(PMPCSR_HI, 0x204), V(PMCID1SR, 0x208), V(PMVIDSR, 0x20C),
	V(PMPCSR_ALIAS_LO, 0x220), V(PMPCSR_ALIAS_HI, 0x224), V(PMCID1SR_ALIAS, 0x228),
	V(PMCID2SR, 0x22C),
	V(PMPCSR, 0x200), V(PMVCIDSR, 0x208), V(PMPCSR_ALIAS, 0x220), V(PMCCIDSR, 0x228),
	V(PMCFGR, 0xE00), V(PMPCSCTL, 0xE50),
	V(PMDEVAFF0, 0xFA8), V(PMDEVAFF1, 0xFAC), V(PMLAR, 0xFB0), V(PMLSR, 0xFB4),
	V(PMAUTHSTATUS, 0xFB8), V(PMDEVARCH, 0xFBC), V(PMDEVID, 0xFC8), V(PMDEVTYPE, 0xFCC),
	V(PMPIDR4, 0xFD0), V(PMPIDR0, 0xFE0), V(PMPIDR1, 0xFE4), V(PMPIDR2, 0xFE8),
	V(PMPIDR3, 0xFEC), V(PMCIDR0, 0xFF0), V(PMCIDR1, 0xFF4), V(PMCIDR2, 0xFF8),
	V(PMCIDR3, 0xFFC),
	/* I5.3 */
	V(PMPCSR_LO_NONE, 0xFFFFFFFF),
	V(PMDEVID_PCSAMPLE_NONE, 0), V(PMDEVID_PCSAMPLE_V8P2, 1), V(PMDEVID_PCSAMPLE_V8P9, 2),
	V(PMDEVARCH_ARCHITECT_ARM, 0x23B),
	V(PMDEVARCH_ARCHPART_PCS32, 0xA10), V(PMDEVARCH_ARCHPART_PCS64, 0xA20),
	V(PMDEVARCH_ARCHPART_PMU32, 0xA16), V(PMDEVARCH_ARCHPART_PMU64, 0xA26),
	V(PMDEVTYPE_SUB_PE, 1), V(PMDEVTYPE_MAJOR_MISC, 0), V(PMDEVTYPE_MAJOR_PMU, 6),
	V(PMDEVAFF_AFF, 0xFF00FFFFFF), V(PMLAR_KEY, 0xC5ACCE55),
	V(PMAUTHSTATUS_NOT_IMPLEMENTED, 0), V(PMAUTHSTATUS_DISABLED, 2),
	V(PMAUTHSTATUS_ENABLED, 3),

	/* H9.2 */
	V(EDSCR, 0x088), V(EDPCSR_LO, 0x0A0), V(EDCIDSR, 0x0A4), V(EDVIDSR, 0x0A8),
	V(EDPCSR_HI, 0x0AC), V(EDPRSR, 0x314), V(EDLAR, 0xFB0), V(EDLSR, 0xFB4),
	V(EDDEVID1, 0xFC4), V(EDDEVID, 0xFC8),
	V(EDPCSR_LO_NONE, 0xFFFFFFFF),
	V(EDDEVID_PCSAMPLE_NONE, 0), V(EDDEVID_PCSAMPLE_PC, 1), V(EDDEVID_PCSAMPLE_PC_CID, 2),
	V(EDDEVID_PCSAMPLE_PC_CID_VID, 3),
	V(EDDEVID1_PCSROFFSET_ISA, 0), V(EDDEVID1_PCSROFFSET_NONE_ISA, 1),
	V(EDDEVID1_PCSROFFSET_NONE, 2),

	/* D24.3: 00 off, 01 the next Exception level decides, 10 own or prohibited, 11 on */
	V(AM_CTL_OFF, 0), V(AM_CTL_DELEGATE, 1), V(AM_CTL_OWN, 2), V(AM_CTL_ON, 3),
};

static void test_fields(void)
{
	unsigned int i, bit;
	u64 mask;

	for (i = 0; i < ARRAY_LEN(fields); i++) {
		mask = 0;
		for (bit = fields[i].low; bit <= fields[i].high; bit++)
			mask |= (u64)1 << bit;
		EXPECT_EQ(fields[i].mask, mask, fields[i].name);
	}
}

static void test_constants(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(constants); i++)
		EXPECT_EQ(constants[i].value, constants[i].expected, constants[i].name);
}

/* The macros themselves, as the tests and the tool have them outside the kernel */
static void test_macros(void)
{
	EXPECT_EQ(BIT_ULL(0), 1, "BIT_ULL");
	EXPECT_EQ(BIT_ULL(63), 0x8000000000000000, "BIT_ULL");
	EXPECT_EQ(GENMASK_ULL(63, 0), ~0ULL, "GENMASK_ULL");
	EXPECT_EQ(GENMASK_ULL(7, 4), 0xF0, "GENMASK_ULL");
	EXPECT_EQ(GENMASK_ULL(63, 32), 0xFFFFFFFF00000000, "GENMASK_ULL");
	EXPECT_EQ(FIELD_GET(GENMASK_ULL(15, 8), 0x123456), 0x34, "FIELD_GET");
	EXPECT_EQ(FIELD_PREP(GENMASK_ULL(15, 8), 0x34), 0x3400, "FIELD_PREP");
}

const struct am_test am_tests_layout[] = {
	{ "fields", test_fields, 75 },
	{ "offsets and values", test_constants, 71 },
	{ "macros", test_macros, 7 },
	{ NULL, NULL, 0 },
};
