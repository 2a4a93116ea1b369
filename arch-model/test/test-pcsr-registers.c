// SPDX-License-Identifier: GPL-2.0-only
/*
 * PC sampling: the external debug block, and the decode of what hardware returns.
 */
#include <arch-model/pc-sample.h>
#include <arch-model/pcsr.h>

#include "pseudo.h"
#include "table.h"
#include "tables.h"
#include "test.h"

#define LOW_ONES	0xFFFFFFFFULL

static const struct am_auth allow = { true, true, true, true };
static const struct am_pcs_access plain = { .memory_mapped = true };

/* Features */

/* Rules: S4-j */
/* Reading: F1-10 */
static void test_features(void)
{
	unsigned int n;

	for (n = 0; n < 64; n++) {
		bool v8 = n & 1, v8p2 = n & 2, v8p9 = n & 4, d2 = n & 8, d4 = n & 16, rme = n & 32;
		u64 feat = (v8 ? AM_FEAT_PCSRV8 : 0) | (v8p2 ? AM_FEAT_PCSRV8P2 : 0) |
			   (v8p9 ? AM_FEAT_PCSRV8P9 : 0) | (d2 ? AM_FEAT_DEBUGV8P2 : 0) |
			   (d4 ? AM_FEAT_DEBUGV8P4 : 0) | (rme ? AM_FEAT_RME : 0);
		bool possible = !(v8 && (v8p2 || d2 || rme)) && !(v8p9 && (!v8p2 || !d4));

		EXPECT_EQ(am_pcs_check(feat) == AM_WHY_NONE, possible, "possible");
	}
	EXPECT_EQ(am_pcs_check(AM_FEAT_PCSRV8 | AM_FEAT_PCSRV8P2), AM_WHY_PCS_BOTH_FRAMES, "both");
	EXPECT_EQ(am_pcs_check(AM_FEAT_PCSRV8 | AM_FEAT_DEBUGV8P2), AM_WHY_PCS_TOO_NEW, "v8.2");
	EXPECT_EQ(am_pcs_check(AM_FEAT_PCSRV8P9 | AM_FEAT_DEBUGV8P4), AM_WHY_PCS_NO_V8P2, "v8p2");
	EXPECT_EQ(am_pcs_check(AM_FEAT_PCSRV8P9 | AM_FEAT_PCSRV8P2), AM_WHY_PCS_NO_DEBUGV8P4, "-");
}

/* External debug block */

static const struct am_pcs_insn insns[] = {
	{ .pc = 0xFFFF800012345678, .branch = true, .contextidr = 0x11112222,
	  .contextidr_el2 = 0x33334444, .vmid = 0x5566, .vs = true },
	{ .pc = 0x000000009BCDEF00, .branch = true, .contextidr = 0xFEDCBA98,
	  .contextidr_el2 = 0x76543210, .vmid = 0xA5C3, .vs = false },
};

static struct am_value read_ed(struct am_pcsr *pcsr, const struct am_pe *pe,
			       const struct am_pcs_access *access, enum am_pcs_reg reg, bool sc2,
			       bool hv)
{
	return am_edpcsr_read(pcsr, pe, &allow, access, reg, sc2, hv).value;
}

/* Rules: S4-j S0-a S0-c S0-d */
/* Reading: F1-2 M-4 */
static void test_ed_read(void)
{
	struct am_pe_walk walk = { .step = 0 };
	const struct am_value old = am_known(0x0BADCAFE);
	struct am_pcs_access access = { .memory_mapped = false };
	struct am_value value, pseudo;
	struct am_pcsr pcsr;
	struct ps_pcsr ps;
	struct am_pe pe;
	unsigned int n;
	bool sc2, hv, locked;

	while (am_pe_next(&walk)) {
		/* FEAT_PCSRv8 was removed in Armv8.2: no FEAT_SEL2, no FEAT_RME */
		if (!walk.possible || am_has(&walk.pe, AM_FEAT_SEL2) ||
		    am_has(&walk.pe, AM_FEAT_RME) || am_has(&walk.pe, AM_FEAT_SECURE_ONLY))
			continue;
		pe = walk.pe;
		pe.feat |= AM_FEAT_PCSRV8;
		/* FEAT_VHE and FEAT_Debugv8p1 were introduced together, see M-4 */
		if (am_has(&pe, AM_FEAT_VHE))
			pe.feat |= AM_FEAT_DEBUGV8P1;
		for (n = 0; n < 64; n++) {
			const struct am_pcs_insn *insn = &insns[n & 1];

			sc2 = n & 2 && am_has(&pe, AM_FEAT_EL2 | AM_FEAT_VHE);
			hv = n & 4;
			access.memory_mapped = n & 8;
			access.software_locked = n & 16;
			pe.halted = n & 32;
			locked = (n & 24) == 24;

			pcsr = (struct am_pcsr){ .edpcsr_hi = old, .edcidsr = old, .edvidsr = old };
			ps = (struct ps_pcsr){ .edpcsr_hi = old, .edcidsr = old, .edvidsr = old };
			am_pcsr_retire(&pcsr, &pe, &allow, insn);
			ps_create_pc_sample(&pe, &allow, insn, &ps);

			value = read_ed(&pcsr, &pe, &access, AM_PCS_REG_PC_LO, n & 2, hv);
			pseudo = ps_read_edpcsr_lo(&pe, &ps, access.memory_mapped,
						   access.software_locked, sc2, hv);
			EXPECT(am_same(value, pseudo), "EDPCSR[31:0] at EL%u", pe.el);
			value = read_ed(&pcsr, &pe, &access, AM_PCS_REG_PC_HI, sc2, hv);
			EXPECT(am_same(value, ps.edpcsr_hi), "EDPCSR[63:32] at EL%u", pe.el);
			value = read_ed(&pcsr, &pe, &access, AM_PCS_REG_CID1, sc2, hv);
			EXPECT(am_same(value, ps.edcidsr), "EDCIDSR at EL%u", pe.el);
			value = read_ed(&pcsr, &pe, &access, AM_PCS_REG_VID, sc2, hv);
			EXPECT(am_same(value, ps.edvidsr), "EDVIDSR at EL%u", pe.el);

			if (pe.halted || locked)
				continue;
			/* H9.2: without a new branch the value is UNKNOWN */
			value = read_ed(&pcsr, &pe, &access, AM_PCS_REG_PC_LO, sc2, hv);
			EXPECT_EQ(value.unknown, LOW_ONES, "EDPCSR[31:0] read again");
			EXPECT_EQ(pcsr.edvidsr.unknown, LOW_ONES, "EDVIDSR after that");
		}
	}
}

/* Rules: S0-c */
/* Reading: F1-2 M-2 */
static void test_software_lock(void)
{
	static const u64 none[] = { AM_FEAT_DEBUGV8P4, AM_FEAT_PMUV3_EXT64 };
	struct am_pe pe = { .feat = AM_FEAT_AA64 | AM_FEAT_PCSRV8P2, .el = 1 };
	struct am_pcs_access access = { .memory_mapped = true, .software_locked = true };
	struct am_value old = am_known(0x0BADCAFE), value, s0;
	struct am_pcsr start = { .pmcid1sr = old, .pmcid2sr = old, .pmvidsr = old }, pcsr;
	struct ps_pcsr ps = { .valid = false };
	unsigned int i;

	am_pcsr_retire(&start, &pe, &allow, &insns[0]);
	ps_create_pc_sample(&pe, &allow, &insns[0], &ps);

	/* Locked: the low word is as in the older pseudocode and I5.3, the rest is unchanged */
	pcsr = start;
	value = am_pmpcsr_read(&pcsr, &pe, &allow, &access, AM_PCS_REG_PC_LO).value;
	s0 = s0_read_pmpcsr(&pe, &ps, true, true);
	EXPECT(am_same(value, s0), "locked read: %#llx", (unsigned long long)value.value);
	EXPECT(am_same(pcsr.pmcid1sr, old), "PMCID1SR after a locked read");
	EXPECT_EQ(pcsr.new_branch, true, "a locked read takes the sample away");

	/* The lock does not apply: not a memory-mapped access, or no software lock */
	access.memory_mapped = false;
	am_pmpcsr_read(&pcsr, &pe, &allow, &access, AM_PCS_REG_PC_LO);
	s0_read_pmpcsr(&pe, &ps, false, true);
	EXPECT(am_same(pcsr.pmcid1sr, ps.pmcid1sr), "other interface: PMCID1SR");
	EXPECT(am_same(pcsr.pmpcsr, ps.pmpcsr), "other interface: PMPCSR");
	access.memory_mapped = true;
	for (i = 0; i < ARRAY_LEN(none); i++) {
		pe.feat = AM_FEAT_AA64 | AM_FEAT_PCSRV8P2 | none[i];
		pcsr = start;
		am_pmpcsr_read(&pcsr, &pe, &allow, &access, AM_PCS_REG_PC_LO);
		EXPECT_EQ(pcsr.pmcid1sr.value, 0x11112222, "no Software Lock: PMCID1SR");
	}
}

/* Capture events, by the table of D13.9 */

static const struct am_table_input capture_inputs[] = {
	{ "MDCR_EL3.PMSSE", 2 }, { "MDCR_EL2.PMSSE", 2 }, { "PMECR_EL1.SSE", 2 }, { NULL, 0 },
};

static const char *const capture_results[] = { "Capture Events", NULL };

static const char *capture_model(unsigned int combination, unsigned int result)
{
	static const char *const names[] = {
		[AM_CAPTURE_DISABLED] = "Disabled",
		[AM_CAPTURE_PROHIBITED] = "Prohibited",
		[AM_CAPTURE_ALLOWED] = "Allowed",
	};
	struct am_pe pe = {
		.feat = AM_FEAT_AA64 | AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_PMUV3_SS,
		.mdcr_el3 = (u64)(combination & 3) << 30,
		.mdcr_el2 = (u64)(combination >> 2 & 3) << 30,
	};

	return names[am_capture_control(&pe, combination >> 4, false, false).is];
}

/* Rules: S4-h */
static void test_table_d13_10(void)
{
	const struct am_table table = {
		.text = table_d13_10, .inputs = capture_inputs, .results = capture_results,
		.model = capture_model,
	};

	/* The one gap is the reserved PMECR_EL1.SSE = 0b01 */
	REQUIRE(am_table_expand(&table) == 1, "combinations without a row");
}

/* Decode */

/* Rules: S0-a */
static void test_decode(void)
{
	struct am_pe_walk walk = { .step = 0 };
	struct am_pcs_insn insn = insns[0];
	u64 random = 1, pmpcsr;
	struct am_pcsr pcsr = { .suspended = false };
	struct am_pe pe;

	while (am_pe_next(&walk)) {
		if (!walk.possible)
			continue;
		pe = walk.pe;
		pe.feat |= AM_FEAT_PCSRV8P2 | AM_FEAT_MOPS;
		/* Any address that a translation regime of 56 bits or less can have */
		insn.pc = (u64)((s64)(am_random(&random) << 8) >> 8) & ~3ULL;
		if (am_uses_aa32(&pe, pe.el))
			insn.pc = (u32)insn.pc;
		am_pcsr_retire(&pcsr, &pe, &allow, &insn);
		pmpcsr = am_pmpcsr_read(&pcsr, &pe, &allow, &plain, AM_PCS_REG_PC).value.value;
		EXPECT_EQ(pcs_is_none(pmpcsr), false, "none");
		EXPECT_EQ(pcs_pc(pmpcsr), insn.pc, "PC");
		EXPECT_EQ(pcs_el(pmpcsr), pe.el, "EL");
		EXPECT_EQ(pcs_state(pmpcsr), ps_security_state_at_el(&pe, pe.el), "state");
	}
}

/* Rules: S0-d */
static void test_decode_extremes(void)
{
	static const u64 high[] = { 0, 0x007FFFFF, 0x00800000, 0x00FFFFFF };
	unsigned int i, flags;
	u64 pc, expected;

	/* Bit 55 is the sign, whatever NS, EL, NSE and RES0 bits are */
	for (i = 0; i < ARRAY_LEN(high); i++)
		for (flags = 0; flags < 256; flags++) {
			pc = (u64)flags << 56 | high[i] << 32 | 0x12345678;
			expected = high[i] << 32 | 0x12345678;
			if (high[i] & 0x00800000)
				expected |= 0xFF00000000000000ULL;
			EXPECT_EQ(pcs_pc(pc), expected, "PC");
			EXPECT_EQ(pcs_el(pc), flags >> 5 & 3, "EL");
			EXPECT_EQ(pcs_state(pc), (flags >> 3 & 1) << 1 | flags >> 7, "state");
			EXPECT_EQ(pcs_is_none(pc), false, "none");
			EXPECT_EQ(pcs_is_none(pc | LOW_ONES), true, "none");
		}
	EXPECT_EQ(pcs_is_none(0xFFFFFFFE), false, "none");
	EXPECT_EQ(pcs_is_none(0x7FFFFFFF), false, "none");
}

/*
 * A second version of what Linux' coresight-cpu-debug computes for samples with an offset: if bit 0
 * is set it is Thumb, 4 bytes ahead; else it is Arm, 8 bytes ahead.
 */
static u32 armv7_pc(u32 pcsr, bool offset)
{
	if (pcsr & 1)
		return pcsr - 1 - 4 * offset;
	return pcsr - 8 * offset;
}

/* Rules: S4-a */
static void test_ed_decode(void)
{
	struct am_ed_sample sample;
	u32 high, vid, low;
	u64 random = 2, pc;
	unsigned int n;

	/* SC2 = 1: fields of the high word; EDVIDSR is a Context ID */
	for (n = 0; n < 256; n++) {
		high = (u32)am_random(&random) & 0x00FFFFFF;
		low = (u32)am_random(&random) & ~3U;
		pc = (u64)high << 32 | low;
		if (high & 0x800000)
			pc |= 0xFF00000000000000ULL;
		sample = am_ed_decode(low, high | n << 24, (u32)am_random(&random), true, false,
				      false);
		EXPECT_EQ(sample.pc, pc, "PC, SC2 = 1");
		EXPECT_EQ(sample.els, 1U << (n >> 5 & 3), "EL, SC2 = 1");
		EXPECT_EQ(sample.state, n >> 7, "state, SC2 = 1");
	}

	/* SC2 = 0: the whole high word is address; NS, E2, E3 are in EDVIDSR */
	for (n = 0; n < 16; n++) {
		vid = n << 28 | 0x1234;
		for (high = 0; high < 2; high++) {
			sample = am_ed_decode(0x1000, high ? 0xFFFF8000 : 0, vid, false, false,
					      false);
			EXPECT_EQ(sample.pc, high ? 0xFFFF800000001000 : 0x1000, "PC, SC2 = 0");
			EXPECT_EQ(sample.state, n >> 3, "state, SC2 = 0");
			EXPECT_EQ(sample.els, n & 2 ? 8 : n & 4 ? 4 : n & 8 || high ? 3 : 0xB,
				  "ELs, SC2 = 0");
			EXPECT_EQ(sample.none, false, "none");
		}
	}
	EXPECT_EQ(am_ed_decode(~0U, 0, 0, false, false, false).none, true, "none");
	EXPECT_EQ(am_ed_decode(~0U, 0, 0, true, true, true).none, true, "none");

	/* Armv7: instruction set in bits [1:0], with and without offset */
	for (n = 0; n < 4096; n++) {
		low = (u32)am_random(&random);
		sample = am_ed_decode(low, 0, EDVIDSR_NS, false, true, n & 1);
		/* The bits above these two may have any value */
		if ((low & 3) == 2) {
			EXPECT_EQ(sample.isa_reserved, true, "neither Arm nor Thumb");
			EXPECT_EQ(sample.pc, low - 2, "PC, neither Arm nor Thumb");
		} else {
			EXPECT_EQ(sample.isa_reserved, false, "Arm or Thumb");
			EXPECT_EQ(sample.pc, armv7_pc(low, n & 1), "PC, Armv7");
		}
	}
	EXPECT_EQ(am_ed_decode(0x1005, 0, 0, false, true, false).isa_reserved, false, "Thumb");
	EXPECT_EQ(am_ed_decode(0x1004, 0, 0, false, true, false).isa_reserved, false, "Arm");
	/* An offset wraps at 32 bits */
	EXPECT_EQ(am_ed_decode(4, 0, 0, false, true, true).pc, 0xFFFFFFFC, "PC, Armv7");
	/* Without instruction set bits, bits [1:0] are address bits */
	EXPECT_EQ(am_ed_decode(0x1001, 0, 0, false, false, true).pc, 0x1001, "PC, Armv8");
}

const struct am_test am_tests_pcsr_registers[] = {
	{ "features together", test_features, 68 },
	{ "read of EDPCSR, all states", test_ed_read, 1045760 },
	{ "Software Lock", test_software_lock, 7 },
	{ "Table D13-10", test_table_d13_10, 63 },
	{ "decode of what the model samples", test_decode, 31872 },
	{ "decode of PMPCSR", test_decode_extremes, 5122 },
	{ "decode of EDPCSR", test_ed_decode, 9094 },
	{ NULL, NULL, 0 },
};
