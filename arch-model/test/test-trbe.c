// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trace buffer management events: tables D6-1 and D6-5 to D6-10, and the routing rules compared
 * with the shared pseudocode (pseudo-trbe.c).
 */
#include <arch-model/trbe.h>

#include "pseudo.h"
#include "table.h"
#include "tables.h"
#include "test.h"

#define IRQ	(1ULL << 22)
#define S	(1ULL << 17)

/* A PE and a unit on which every control of the tables has an effect; Non-secure owner */
static const struct am_pe table_pe = {
	.feat = AM_FEAT_AA64 | AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_VHE | AM_FEAT_RME |
		AM_FEAT_SEL2 | AM_FEAT_RAS | AM_FEAT_NV | AM_FEAT_V9P3 | AM_FEAT_EBEP |
		AM_FEAT_TRBE | AM_FEAT_TRBE_EXC,
	.scr_el3 = SCR_EL3_NS,
	.mdcr_el3 = 3ULL << 24,		/* NSTB */
};

static const struct am_trbe table_trbe = { .self_hosted = true };

/* Take the next @bits of a combination */
static u64 take(unsigned int *combination, unsigned int bits)
{
	u64 value = *combination & ((1U << bits) - 1);

	*combination >>= bits;
	return value;
}

/* Tables D6-5 to D6-7 */

static const char *record_name(const struct am_pe *pe, const struct am_trbe *trbe,
			       enum am_trbe_class class)
{
	static const char *const names[] = { "none", "EL1", "EL2", "EL3" };

	return names[am_trbe_record(pe, trbe, class).is];
}

static const char *record_model(unsigned int n, u64 scr_bit, u64 hcr_bit, bool short_table,
				enum am_trbe_class class)
{
	struct am_pe pe = table_pe;
	struct am_trbe trbe = table_trbe;

	pe.mdcr_el3 |= take(&n, 2) << 53;
	if (!short_table && take(&n, 1))
		pe.scr_el3 |= scr_bit;
	trbe.trfcr_el2 = take(&n, 2) << 8;
	pe.mdcr_el2 = take(&n, 2) << 24;
	if (!short_table && take(&n, 1))
		pe.hcr_el2 = hcr_bit;
	return record_name(&pe, &trbe, class);
}

static const char *model_d6_5(unsigned int n, unsigned int result)
{
	static const enum am_trbe_class classes[] = {
		AM_TRBE_S1_GPF, AM_TRBE_S2_GPF, AM_TRBE_GPC,
	};

	return record_model(n, SCR_EL3_GPF, HCR_EL2_GPF, false, classes[result]);
}

static const char *model_d6_6(unsigned int n, unsigned int result)
{
	static const enum am_trbe_class classes[] = {
		AM_TRBE_S1_EXTERNAL, AM_TRBE_S2_EXTERNAL,
	};

	return record_model(n, SCR_EL3_EA, HCR_EL2_TEA, false, classes[result]);
}

static const char *model_d6_7(unsigned int n, unsigned int result)
{
	static const enum am_trbe_class classes[] = {
		AM_TRBE_S1_ABORT, AM_TRBE_S2_ABORT, AM_TRBE_OTHER,
	};

	return record_model(n, 0, 0, true, classes[result]);
}

/* MDCR_EL2.E2TB = 0b01 is reserved, though the tables' XX includes it */
static bool e2tb_reserved_d6_5(unsigned int n)
{
	return (n >> 5 & 3) == 1;
}

static bool e2tb_defined_d6_5(unsigned int n)
{
	return !e2tb_reserved_d6_5(n);
}

static bool e2tb_reserved_d6_7(unsigned int n)
{
	return (n >> 4 & 3) == 1;
}

static bool e2tb_defined_d6_7(unsigned int n)
{
	return !e2tb_reserved_d6_7(n);
}

static const struct am_table table_5 = {
	.text = table_d6_5,
	.inputs = (const struct am_table_input[]){
		{ "MDCR_EL3.TRBEE", 2 }, { "SCR_EL3.GPF", 1 }, { "TRFCR_EL2.EE", 2 },
		{ "MDCR_EL2.E2TB", 2 }, { "HCR_EL2.GPF", 1 }, { NULL, 0 },
	},
	.results = (const char *const[]){ "GPF Stage 1", "GPF Stage 2", "GPC fault", NULL },
	.model = model_d6_5,
};

static const struct am_table table_6 = {
	.text = table_d6_6,
	.inputs = (const struct am_table_input[]){
		{ "MDCR_EL3.TRBEE", 2 }, { "SCR_EL3.EA", 1 }, { "TRFCR_EL2.EE", 2 },
		{ "MDCR_EL2.E2TB", 2 }, { "HCR_EL2.TEA", 1 }, { NULL, 0 },
	},
	.results = (const char *const[]){ "Stage 1", "Stage 2", NULL },
	.model = model_d6_6,
};

static const struct am_table table_7 = {
	.text = table_d6_7,
	.inputs = (const struct am_table_input[]){
		{ "MDCR_EL3.TRBEE", 2 }, { "TRFCR_EL2.EE", 2 }, { "MDCR_EL2.E2TB", 2 }, { NULL, 0 },
	},
	.results = (const char *const[]){
		"Other abort Stage 1", "Other abort Stage 2", "Other event", NULL,
	},
	.model = model_d6_7,
};

/* Expand a table in which no row covers a reserved field; @gaps combinations have no row */
static void expand(struct am_table table, bool (*skip)(unsigned int n), unsigned int gaps)
{
	unsigned int missing;

	table.skip = skip;
	missing = am_table_expand(&table);
	REQUIRE(missing == gaps, "%u combinations without a row, expected %u", missing, gaps);
}

/* Rules: IKKVYZ RBNQRP */
/* Reading: F1-23 */
static void test_table_d6_5(void)
{
	expand(table_5, e2tb_reserved_d6_5, 0);
}

/* Rules: IKKVYZ RBNQRP IFRNZK */
static void test_table_d6_6(void)
{
	expand(table_6, e2tb_reserved_d6_5, 0);
}

/* Rules: IKKVYZ RBNQRP */
static void test_table_d6_7(void)
{
	expand(table_7, e2tb_reserved_d6_7, 0);
}

/* The reserved value is covered by rows whose E2TB cell is XX, and by no other */
static void test_tables_reserved(void)
{
	expand(table_5, e2tb_defined_d6_5, 6);
	expand(table_6, e2tb_defined_d6_5, 6);
	expand(table_7, e2tb_defined_d6_7, 2);
}

/* Tables D6-8 to D6-10 */

/* The cell of an exception column */
static const char *delivery_name(const struct am_pe *pe, const struct am_trbe *trbe,
				 unsigned int trbsr)
{
	static const char *const names[] = {
		[AM_DELIVERY_IRQ] = "None",
		[AM_DELIVERY_NONE] = "None",
		[AM_DELIVERY_MASKED] = "C",
		[AM_DELIVERY_MASKED_PM] = "B",
		[AM_DELIVERY_EL1] = "EL1",
		[AM_DELIVERY_EL2] = "EL2",
		[AM_DELIVERY_EL3] = "EL3",
	};
	int is = am_trbe_delivery(pe, trbe, trbsr).is;

	return is == AM_RESERVED ? "n/a" : names[is];
}

static const char *model_d6_8(unsigned int n, unsigned int result)
{
	/* TRBIRQ has the same level at each Exception level: test all four */
	struct am_pe pe = table_pe;
	struct am_trbe trbe = table_trbe;

	pe.mdcr_el3 |= take(&n, 2) << 53;
	trbe.trfcr_el2 = take(&n, 2) << 8;
	pe.hcr_el2 = take(&n, 1) ? HCR_EL2_TGE : 0;
	trbe.trfcr_el1 = take(&n, 2) << 8;
	trbe.trfcr_el1 |= take(&n, 1) << 10;
	pe.pm = take(&n, 1);
	trbe.trbsr[1] = IRQ;
	if (!result)
		return am_trbirq(&pe, &trbe) ? "HIGH" : "LOW";
	pe.el = result - 1;
	return delivery_name(&pe, &trbe, 1);
}

static const char *model_d6_9(unsigned int n, unsigned int result)
{
	struct am_pe pe = table_pe;
	struct am_trbe trbe = table_trbe;

	pe.mdcr_el3 |= take(&n, 2) << 53;
	trbe.trfcr_el2 = take(&n, 2) << 8;
	trbe.trfcr_el2 |= take(&n, 1) << 10;
	pe.hcr_el2 = take(&n, 1) ? HCR_EL2_TGE : 0;
	pe.pm = take(&n, 1);
	trbe.trbsr[2] = IRQ;
	pe.el = result;
	return delivery_name(&pe, &trbe, 2);
}

static const char *model_d6_10(unsigned int n, unsigned int result)
{
	struct am_pe pe = table_pe;
	struct am_trbe trbe = table_trbe;

	pe.mdcr_el3 |= take(&n, 2) << 53;
	pe.hcr_el2 = take(&n, 1) ? HCR_EL2_TGE : 0;
	trbe.trbsr[3] = IRQ;
	pe.el = result;
	return delivery_name(&pe, &trbe, 3);
}

static const struct am_table table_8 = {
	.text = table_d6_8,
	.inputs = (const struct am_table_input[]){
		{ "MDCR_EL3.TRBEE", 2 }, { "TRFCR_EL2.EE", 2 }, { "HCR_EL2.TGE", 1 },
		{ "TRFCR_EL1.EE", 2 }, { "TRFCR_EL1.KE", 1 }, { "PSTATE.PM", 1 }, { NULL, 0 },
	},
	.results = (const char *const[]){ "IRQ", "EL0", "EL1", "EL2", "EL3", NULL },
	.model = model_d6_8,
};

/* Rules: IMTLSX RMFMXQ RVSCDV */
/* Reading: F1-14 */
static void test_table_d6_8(void)
{
	struct am_pe pe = table_pe;
	struct am_trbe trbe = table_trbe;
	unsigned int n, el;
	bool high, expected;

	expand(table_8, NULL, 0);

	/*
	 * The IRQ column applies to each Exception level. By its rows, LOW requires EE on
	 * everywhere.
	 */
	trbe.trbsr[1] = IRQ;
	for (n = 0; n < 512; n++) {
		pe.mdcr_el3 = table_pe.mdcr_el3 | (u64)(n & 3) << 53;
		trbe.trfcr_el2 = (u64)(n >> 2 & 3) << 8;
		pe.hcr_el2 = n >> 4 & 1 ? HCR_EL2_TGE : 0;
		trbe.trfcr_el1 = (u64)(n >> 5 & 3) << 8 | (u64)(n >> 7 & 1) << 10;
		pe.pm = n >> 8;
		expected = !((n & 3) && (n >> 2 & 3) && (n >> 6 & 1));
		for (el = 1; el < 4; el++) {
			pe.el = el;
			high = am_trbirq(&pe, &trbe);
			EXPECT(high == expected, "TRBIRQ at EL%u, controls %#x", el, n);
		}
	}
}

/* Rules: IMTLSX RMFMXQ */
static void test_table_d6_9(void)
{
	const struct am_table table = {
		.text = table_d6_9,
		.inputs = (const struct am_table_input[]){
			{ "MDCR_EL3.TRBEE", 2 }, { "TRFCR_EL2.EE", 2 }, { "TRFCR_EL2.KE", 1 },
			{ "HCR_EL2.TGE", 1 }, { "PSTATE.PM", 1 }, { NULL, 0 },
		},
		.results = (const char *const[]){ "EL0", "EL1", "EL2", "EL3", NULL },
		.model = model_d6_9,
	};

	expand(table, NULL, 0);
}

/* Rules: IMTLSX RMFMXQ */
static void test_table_d6_10(void)
{
	const struct am_table table = {
		.text = table_d6_10,
		.inputs = (const struct am_table_input[]){
			{ "MDCR_EL3.TRBEE", 2 }, { "HCR_EL2.TGE", 1 }, { NULL, 0 },
		},
		.results = (const char *const[]){ "EL0", "EL1", "EL2", "EL3", NULL },
		.model = model_d6_10,
	};

	expand(table, NULL, 0);
}

/* Table D6-1 */

static const char *model_d6_1(unsigned int n, unsigned int result)
{
	struct am_pe pe = table_pe;
	struct am_trbe trbe = table_trbe;

	trbe.trblimitr = take(&n, 1);
	trbe.trbsr[1] = take(&n, 1) ? S : 0;
	pe.mdcr_el3 |= take(&n, 2) << 53;
	trbe.trbsr[3] = take(&n, 1) ? S : 0;
	trbe.trfcr_el2 = take(&n, 2) << 8;
	trbe.trbsr[2] = take(&n, 1) ? S : 0;
	return am_trbe_state(&pe, &trbe).is == AM_TRBE_RUNNING ? "True" : "False";
}

/* Rules: IVCDNP */
static void test_table_d6_1(void)
{
	const struct am_table table = {
		.text = table_d6_1,
		.inputs = (const struct am_table_input[]){
			{ "TRBLIMITR_EL1.E", 1 }, { "TRBSR_EL1.S", 1 }, { "MDCR_EL3.TRBEE", 2 },
			{ "TRBSR_EL3.S", 1 }, { "TRFCR_EL2.EE", 2 }, { "TRBSR_EL2.S", 1 },
			{ NULL, 0 },
		},
		.results = (const char *const[]){ "Running", NULL },
		.model = model_d6_1,
	};

	expand(table, NULL, 0);
}

/* Against the pseudocode */

/* An EC and FSC for each class */
static const struct {
	u8 ec;
	u8 fsc;
} class_events[] = {
	[AM_TRBE_OTHER] = { 0x00, 0x02 },
	[AM_TRBE_S1_GPF] = { 0x24, 0x28 },
	[AM_TRBE_S1_EXTERNAL] = { 0x24, 0x10 },
	[AM_TRBE_S1_ABORT] = { 0x24, 0x07 },
	[AM_TRBE_S2_GPF] = { 0x25, 0x24 },
	[AM_TRBE_S2_EXTERNAL] = { 0x25, 0x15 },
	[AM_TRBE_S2_ABORT] = { 0x25, 0x0F },
	[AM_TRBE_GPC] = { 0x1E, 0x00 },
};

/* Rules: IKKVYZ */
static void test_classes(void)
{
	struct am_pe pe = table_pe;
	struct am_verdict verdict;
	unsigned int ec, fsc, rme;
	bool gpf, external;
	int expected;

	for (rme = 0; rme < 2; rme++) {
		pe.feat = table_pe.feat & ~(rme ? 0 : AM_FEAT_RME);
		for (ec = 0; ec < 64; ec++) {
			for (fsc = 0; fsc < 64; fsc++) {
				/* FSC patterns of ReportTRBEEvent() */
				gpf = rme && ((fsc & 0x3E) == 0x22 || (fsc & 0x3C) == 0x24 ||
					      fsc == 0x28);
				external = fsc == 0x10 || (fsc & 0x3E) == 0x12 ||
					   (fsc & 0x3C) == 0x14 || fsc == 0x1B;
				expected = AM_RESERVED;
				if (ec == 0x00 || ec == 0x1F)
					expected = AM_TRBE_OTHER;
				if (ec == 0x1E && rme)
					expected = AM_TRBE_GPC;
				if (ec == 0x24)
					expected = gpf ? AM_TRBE_S1_GPF : external ?
						   AM_TRBE_S1_EXTERNAL : AM_TRBE_S1_ABORT;
				if (ec == 0x25)
					expected = gpf ? AM_TRBE_S2_GPF : external ?
						   AM_TRBE_S2_EXTERNAL : AM_TRBE_S2_ABORT;
				verdict = am_trbe_class(&pe, ec, fsc);
				EXPECT(verdict.is == expected, "EC %#x, FSC %#x: %d", ec, fsc,
				       verdict.is);
				EXPECT(verdict.detail == ec && verdict.why == (expected < 0 ?
				       AM_WHY_TRBE_EC_RESERVED : AM_WHY_TRBE_CLASS),
				       "EC %#x: reason %u", ec, verdict.why);
			}
		}
	}
}

static const u64 profiles[] = {
	0, AM_FEAT_SECURE_ONLY, AM_FEAT_EL2, AM_FEAT_EL2 | AM_FEAT_SEL2 | AM_FEAT_SECURE_ONLY,
	AM_FEAT_EL3, AM_FEAT_EL3 | AM_FEAT_EL2, AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_SEL2,
	AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_RME,
	AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_RME | AM_FEAT_SEL2,
};

#define COMMON_FEAT	(AM_FEAT_AA64 | AM_FEAT_VHE | AM_FEAT_TRBE)

/* Is the reason of a recording true, by the pseudocode's functions? */
static bool record_why_holds(const struct am_pe *pe, const struct am_trbe *trbe,
			     enum am_trbe_class class, struct am_verdict verdict)
{
	unsigned int el3 = ps_have_el(pe, 3) ? pe->mdcr_el3 >> 53 & 3 : 1;
	unsigned int el2 = ps_effective_trfcr_el2_ee(pe, trbe), owner;
	bool gpf = class == AM_TRBE_S1_GPF || class == AM_TRBE_S2_GPF;
	bool external = class == AM_TRBE_S1_EXTERNAL || class == AM_TRBE_S2_EXTERNAL;
	enum pcs_state ss;

	ps_trace_buffer_owner(pe, &ss, &owner);
	switch (verdict.why) {
	case AM_WHY_TRBE_NO_EXC:
		return verdict.is == 1 && !(pe->feat & AM_FEAT_TRBE_EXC);
	case AM_WHY_TRBE_EXTERNAL_MODE:
		return verdict.is == 1 && !trbe->self_hosted;
	case AM_WHY_TRBE_EL3_ALL:
		return verdict.is == 3 && el3 == 3;
	case AM_WHY_TRBE_EL3_GPC:
		return verdict.is == 3 && el3 == 2 && class == AM_TRBE_GPC;
	case AM_WHY_TRBE_EL3_GPF:
		return verdict.is == 3 && el3 == 2 && gpf && (pe->scr_el3 >> 48 & 1);
	case AM_WHY_TRBE_EL3_EA:
		return verdict.is == 3 && el3 == 2 && external && (pe->scr_el3 >> 3 & 1);
	case AM_WHY_TRBE_EL2_ALL:
		return verdict.is == 2 && el2 == 3;
	case AM_WHY_TRBE_EL2_GPC:
		return verdict.is == 2 && el2 == 2 && class == AM_TRBE_GPC;
	case AM_WHY_TRBE_EL2_STAGE2:
		return verdict.is == 2 && el2 == 2 && class_events[class].ec == 0x25;
	case AM_WHY_TRBE_EL2_OWNER:
		return verdict.is == 2 && el2 == 2 && class_events[class].ec == 0x24 && owner == 2;
	case AM_WHY_TRBE_EL2_GPF:
		return verdict.is == 2 && el2 == 2 && class == AM_TRBE_S1_GPF && owner == 1 &&
		       (pe->hcr_el2 >> 48 & 1);
	case AM_WHY_TRBE_EL2_TEA:
		return verdict.is == 2 && el2 == 2 && class == AM_TRBE_S1_EXTERNAL && owner == 1 &&
		       (pe->hcr_el2 >> 37 & 1);
	case AM_WHY_TRBE_EL1:
		return verdict.is == 1 && el3 != 3 && el2 != 3;
	default:
		return false;
	}
}

static void expect_record(const struct am_pe *pe, const struct am_trbe *trbe)
{
	struct am_verdict verdict;
	unsigned int class, el, owner;
	enum pcs_state ss;
	bool defined = ps_trace_buffer_owner(pe, &ss, &owner);

	for (class = AM_TRBE_OTHER; class <= AM_TRBE_GPC; class++) {
		/* Without FEAT_RME there are no events of these classes */
		if (!am_has(pe, AM_FEAT_RME) && (class == AM_TRBE_GPC || class == AM_TRBE_S1_GPF ||
						 class == AM_TRBE_S2_GPF))
			continue;
		verdict = am_trbe_record(pe, trbe, class);
		if (verdict.is == AM_RESERVED) {
			/* Only if the owner decides: stage 1 faults with TRFCR_EL2.EE = 0b10 */
			EXPECT(!defined && class_events[class].ec == 0x24 &&
			       ps_effective_trfcr_el2_ee(pe, trbe) == 2 &&
			       (verdict.why == AM_WHY_TRBE_NSTB_RESERVED ||
				verdict.why == AM_WHY_TRBE_E2TB_RESERVED), "class %u reserved",
			       class);
			continue;
		}
		/*
		 * An undefined owner may be either one; the model has said so above where it
		 * matters
		 */
		if (!defined && class_events[class].ec == 0x24 &&
		    ps_effective_trfcr_el2_ee(pe, trbe) == 2 &&
		    verdict.is == 2)
			continue;
		el = ps_report_trbe_event(pe, trbe, class_events[class].ec,
					  class_events[class].fsc);
		EXPECT(verdict.is == (int)el, "class %u recorded for EL%d, expected %u", class,
		       verdict.is, el);
		EXPECT(record_why_holds(pe, trbe, class, verdict), "class %u: reason %u", class,
		       verdict.why);
	}
}

/* Rules: RBNQRP */
static void test_record(void)
{
	struct am_pe pe;
	struct am_trbe trbe;
	unsigned int n, f;

	/* n: TRBEE, EE, E2TB, NSTB, NSTBE, NS, EEL2, SCR.GPF, SCR.EA, HCR.GPF, HCR.TEA */
	for (f = 0; f < ARRAY_LEN(profiles); f++) {
		for (n = 0; n < 1U << 15; n++) {
			pe = (struct am_pe){
				.feat = COMMON_FEAT | AM_FEAT_TRBE_EXC | AM_FEAT_RAS | profiles[f],
				.mdcr_el3 = (u64)(n & 3) << 53 | (u64)(n >> 6 & 7) << 24,
				.mdcr_el2 = (u64)(n >> 4 & 3) << 24,
				.scr_el3 = (u64)(n >> 9 & 1) | (u64)(n >> 10 & 1) << 18 |
					   (u64)(n >> 11 & 1) << 48 | (u64)(n >> 12 & 1) << 3,
				.hcr_el2 = (u64)(n >> 13 & 1) << 48 | (u64)(n >> 14 & 1) << 37,
			};
			trbe = (struct am_trbe){
				.self_hosted = true,
				.trfcr_el2 = (u64)(n >> 2 & 3) << 8,
			};
			expect_record(&pe, &trbe);
		}
	}
}

/* The same with everything else that might matter set at random */
/* Rules: RBNQRP */
static void test_record_random(void)
{
	struct am_pe pe = { .feat = 0 };
	struct am_trbe trbe = { .self_hosted = false };
	u64 random = 3, r;
	unsigned int n;

	for (n = 0; n < 100000; n++) {
		r = am_random(&random);
		pe.feat = COMMON_FEAT | profiles[r % ARRAY_LEN(profiles)] |
			  (r >> 8 & 7 ? AM_FEAT_TRBE_EXC : 0) | (r >> 11 & 3 ? AM_FEAT_RAS : 0) |
			  (r >> 13 & 1 ? AM_FEAT_NV : 0);
		pe.halted = r >> 14 & 1;
		pe.el = r >> 16 & 3;
		trbe.self_hosted = r >> 18 & 7;
		pe.scr_el3 = am_random(&random) & ~SCR_EL3_NSE;
		pe.hcr_el2 = am_random(&random);
		pe.mdcr_el3 = am_random(&random);
		pe.mdcr_el2 = am_random(&random);
		trbe.trfcr_el2 = am_random(&random);
		trbe.trfcr_el1 = am_random(&random);
		expect_record(&pe, &trbe);
	}
}

/* Rules: SXLNJY */
static void test_owner(void)
{
	struct am_pe pe = { .feat = 0 };
	struct am_verdict verdict;
	enum pcs_state ss;
	unsigned int n, f, el;
	bool defined;

	for (f = 0; f < ARRAY_LEN(profiles); f++) {
		for (n = 0; n < 128; n++) {
			pe.feat = COMMON_FEAT | profiles[f];
			pe.mdcr_el3 = (u64)(n & 7) << 24;
			pe.mdcr_el2 = (u64)(n >> 3 & 3) << 24;
			pe.scr_el3 = (n >> 5 & 1 ? SCR_EL3_EEL2 : 0) |
				     (n >> 6 & 1 ? SCR_EL3_NS : 0);
			defined = ps_trace_buffer_owner(&pe, &ss, &el);
			verdict = am_trbe_owner(&pe);
			if (!defined) {
				EXPECT_EQ(verdict.is, AM_RESERVED, "owner, reserved");
				EXPECT(verdict.why == AM_WHY_TRBE_NSTB_RESERVED ||
				       verdict.why == AM_WHY_TRBE_E2TB_RESERVED, "reason");
				continue;
			}
			EXPECT_EQ(verdict.is, el, "owning Exception level");
			EXPECT_EQ(verdict.detail, ss, "owning Security state");
			if (verdict.why == AM_WHY_TRBE_NO_OWNING_EL2)
				EXPECT(!ps_have_el(&pe, 2) || !ps_is_secure_el2_enabled(&pe),
				       "reason");
			else
				EXPECT(verdict.why == AM_WHY_TRBE_E2TB &&
				       (n >> 3 & 3) != 1 && ps_have_el(&pe, 2), "reason");
		}
	}
	/* The reason tells a reserved state from a reserved level */
	pe.feat = COMMON_FEAT | AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_RME;
	pe.mdcr_el3 = 0;
	EXPECT_EQ(am_trbe_owner(&pe).why, AM_WHY_TRBE_NSTB_RESERVED, "no Secure state");
	pe.mdcr_el3 = 3ULL << 24;
	pe.mdcr_el2 = 1ULL << 24;
	EXPECT_EQ(am_trbe_owner(&pe).why, AM_WHY_TRBE_E2TB_RESERVED, "E2TB = 1");
}

/* Is the reason of a delivery true, by the pseudocode's functions? */
static bool delivery_why_holds(const struct am_pe *pe, const struct am_trbe *t, unsigned int x,
			       struct am_verdict verdict)
{
	unsigned int trbee = ps_have_el(pe, 3) ? pe->mdcr_el3 >> 53 & 3 : 1, owner;
	bool none = verdict.is == AM_DELIVERY_NONE || verdict.is == AM_DELIVERY_IRQ;
	bool masked = verdict.is == AM_DELIVERY_MASKED;
	enum pcs_state ss;

	ps_trace_buffer_owner(pe, &ss, &owner);
	switch (verdict.why) {
	case AM_WHY_TRBE_NO_EXC:
		return none && !(pe->feat & AM_FEAT_TRBE_EXC);
	case AM_WHY_TRBE_EXTERNAL_MODE:
		return none && !t->self_hosted;
	case AM_WHY_TRBE_TRBEE_OFF:
		return none && trbee == 0 && x < 3;
	case AM_WHY_TRBE_TRBEE:
		return none && trbee < 2 && x == 3 && verdict.detail == trbee;
	case AM_WHY_TRBE_NO_EL2:
		return none && x == 2 && !ps_el2_enabled(pe);
	case AM_WHY_TRBE_EE2:
		return none && ps_effective_trfcr_el2_ee(pe, t) < 2 &&
		       verdict.detail == (t->trfcr_el2 >> 8 & 3);
	case AM_WHY_TRBE_EE1:
		return none && x == 1 && (t->trfcr_el1 >> 8 & 3) == 0 && verdict.detail == 0;
	case AM_WHY_TRBE_EE1_RESERVED:
		return none && x == 1 && (t->trfcr_el1 >> 8 & 3) == 1 && verdict.detail == 1;
	case AM_WHY_TRBE_DEBUG:
		return masked && pe->halted;
	case AM_WHY_TRBE_AT_EL3:
		return masked && pe->el == 3;
	case AM_WHY_TRBE_AT_EL2:
		return masked && pe->el == 2 && x == 1;
	case AM_WHY_TRBE_NOT_OWNING:
		return masked && x < 3 && ps_security_state_at_el(pe, pe->el) != ss;
	case AM_WHY_TRBE_EE2_OWN:
		return masked && x == 2 && pe->el == 2 && (t->trfcr_el2 >> 8 & 3) == 2;
	case AM_WHY_TRBE_KE2:
		return masked && x == 2 && pe->el == 2 && !(t->trfcr_el2 >> 10 & 1);
	case AM_WHY_TRBE_KE1:
		return masked && x == 1 && pe->el == 1 && !(t->trfcr_el1 >> 10 & 1);
	case AM_WHY_TRBE_PM:
		return verdict.is == AM_DELIVERY_MASKED_PM && pe->pm && pe->el == x;
	case AM_WHY_TRBE_TAKEN_EL3:
		return verdict.is == AM_DELIVERY_EL3 && x == 3;
	case AM_WHY_TRBE_TAKEN_EL2:
		return verdict.is == AM_DELIVERY_EL2 && x == 2;
	case AM_WHY_TRBE_TAKEN_TGE:
		return verdict.is == AM_DELIVERY_EL2 && x == 1 && ps_effective_tge(pe);
	case AM_WHY_TRBE_TAKEN_EL1:
		return verdict.is == AM_DELIVERY_EL1 && x == 1 && !ps_effective_tge(pe);
	default:
		return false;
	}
}

static void expect_delivery(const struct am_pe *pe, const struct am_trbe *trbe)
{
	struct am_verdict verdict;
	struct am_pe other = *pe;
	unsigned int el, owner;
	enum pcs_state ss;

	if (!ps_trace_buffer_owner(pe, &ss, &owner) && pe->el < 3 && !pe->halted) {
		/* The owner is reserved: so is the answer, unless something else decides before */
		for (el = 1; el <= 2; el++) {
			verdict = am_trbe_delivery(pe, trbe, el);
			EXPECT(verdict.is == AM_DELIVERY_IRQ || verdict.is == AM_DELIVERY_NONE ||
			       (verdict.is == AM_RESERVED &&
				verdict.why == AM_WHY_TRBE_NSTB_RESERVED) ||
			       (pe->mdcr_el2 >> 24 & 3) == 1, "owner reserved: %d", verdict.is);
		}
		return;
	}
	EXPECT(am_trbe_pending(pe, trbe) == ps_check_for_trbe_exception(pe, trbe),
	       "exceptions at EL%u: %#x, expected %#x", pe->el, am_trbe_pending(pe, trbe),
	       ps_check_for_trbe_exception(pe, trbe));
	EXPECT(am_trbirq(pe, trbe) == ps_trbirq_level(pe, trbe), "TRBIRQ at EL%u", pe->el);
	EXPECT(am_trbirq_enabled(pe, trbe).is == (ps_effective_trfcr_el1_ee(pe, trbe) == 0),
	       "TRBIRQ enabled at EL%u", pe->el);
	for (el = 1; el <= 3; el++) {
		verdict = am_trbe_delivery(pe, trbe, el);
		EXPECT(delivery_why_holds(pe, trbe, el, verdict),
		       "TRBSR_EL%u at EL%u: %d, reason %u", el, pe->el, verdict.is, verdict.why);
		EXPECT((verdict.is == AM_DELIVERY_IRQ) ==
		       (el == 1 && ps_effective_trfcr_el1_ee(pe, trbe) == 0),
		       "TRBSR_EL%u at EL%u: %d", el, pe->el, verdict.is);
		/* MASKED_PM: it would be taken with PSTATE.PM = 0; MASKED: it would not */
		other.pm = !pe->pm;
		if (verdict.is == AM_DELIVERY_MASKED_PM)
			EXPECT(am_is_taken(am_trbe_delivery(&other, trbe, el).is), "not only PM");
		if (verdict.is == AM_DELIVERY_MASKED)
			EXPECT(!am_is_taken(am_trbe_delivery(&other, trbe, el).is), "PM too");
	}
}

/* Rules: RMFMXQ IMTLSX RVSCDV IWKGWP */
/* Reading: F1-14 F1-15 F1-16 */
static void test_delivery(void)
{
	struct am_pe_walk walk = { .step = 0 };
	struct am_trbe trbe;
	struct am_pe pe;
	unsigned int n;
	u64 random = 4;

	while (am_pe_next(&walk)) {
		/* AArch32 makes no difference here */
		if (walk.pe.aa32 > 1)
			continue;
		pe = walk.pe;
		pe.feat |= AM_FEAT_TRBE | AM_FEAT_TRBE_EXC;
		if (!walk.possible) {
			for (n = 1; n <= 3; n++)
				EXPECT_EQ(am_trbe_delivery(&pe, &table_trbe, n).is, AM_RESERVED,
					  "impossible");
			EXPECT_EQ(am_trbe_pending(&pe, &table_trbe), 0, "impossible");
			continue;
		}
		/* n: TRBEE, EE2, EE1, and PM; the other controls are random */
		for (n = 0; n < 128; n++) {
			u64 r = am_random(&random);

			pe.mdcr_el3 = (u64)(n & 3) << 53 | (r & 7) << 24;
			pe.pm = n >> 6;
			pe.halted = !(r >> 8 & 15);
			trbe = (struct am_trbe){
				.self_hosted = r >> 12 & 15,
				.trfcr_el2 = (u64)(n >> 2 & 3) << 8 | (r >> 16 & 1) << 10,
				.trfcr_el1 = (u64)(n >> 4 & 3) << 8 | (r >> 17 & 1) << 10,
				.trbsr = { 0, (r >> 18 & 1) << 22, (r >> 19 & 1) << 22,
					   (r >> 20 & 1) << 22 },
			};
			if (!(r >> 24 & 15))
				pe.feat &= ~AM_FEAT_TRBE_EXC;
			else
				pe.feat |= AM_FEAT_TRBE_EXC;
			expect_delivery(&pe, &trbe);
		}
	}
	EXPECT_EQ(am_trbe_delivery(&table_pe, &table_trbe, 0).why, AM_WHY_TRBE_NO_TRBSR,
		  "TRBSR_EL0");
	EXPECT_EQ(am_trbe_delivery(&table_pe, &table_trbe, 4).is, AM_RESERVED, "TRBSR_EL4");
	EXPECT_EQ(am_trbe_delivery(&table_pe, &table_trbe, 4).detail, 4, "TRBSR_EL4");
}

/* The values of the controls, as D6.5 discusses them */

static struct am_trbe trbe_with(unsigned int ee2, unsigned int ee1)
{
	struct am_trbe trbe = table_trbe;

	trbe.trfcr_el2 = (u64)ee2 << 8 | 1ULL << 10;
	trbe.trfcr_el1 = (u64)ee1 << 8 | 1ULL << 10;
	return trbe;
}

static struct am_pe pe_with(unsigned int trbee, unsigned int el)
{
	struct am_pe pe = table_pe;

	pe.mdcr_el3 |= (u64)trbee << 53;
	pe.mdcr_el2 = 2ULL << 24;	/* EL1 owns the buffer */
	pe.el = el;
	return pe;
}

/* Software at a higher level writes an event to TRBSR_ELx: who takes it? */
static void expect_injection(unsigned int trbee, unsigned int ee2)
{
	struct am_pe pe = pe_with(trbee, 1);
	struct am_trbe trbe = trbe_with(ee2, 3);

	trbe.trbsr[1] = IRQ;
	EXPECT_EQ(am_trbe_pending(&pe, &trbe), 1U << 1, "injected as exception");
	EXPECT_EQ(am_trbirq(&pe, &trbe), false, "injected as exception");
	trbe.trfcr_el1 = 0;
	EXPECT_EQ(am_trbe_pending(&pe, &trbe), 0, "injected as interrupt");
	EXPECT_EQ(am_trbirq(&pe, &trbe), true, "injected as interrupt");
}

/* Rules: IPRSXC */
static void test_delegated(void)
{
	struct am_pe pe = pe_with(1, 0);
	struct am_trbe trbe = trbe_with(1, 3);
	unsigned int class;

	/* All are recorded in TRBSR_EL1, whatever the fault and the other controls */
	pe.scr_el3 |= SCR_EL3_GPF | SCR_EL3_EA;
	pe.hcr_el2 |= HCR_EL2_GPF | HCR_EL2_TEA;
	for (class = AM_TRBE_OTHER; class <= AM_TRBE_GPC; class++)
		EXPECT_EQ(am_trbe_record(&pe, &trbe, class).is, 1, "TRBSR_ELx");
	/* No exception is taken to EL2 or EL3; TRFCR_EL1.EE selects exception or interrupt */
	trbe.trbsr[1] = IRQ;
	trbe.trbsr[2] = IRQ;
	trbe.trbsr[3] = IRQ;
	EXPECT_EQ(am_trbe_pending(&pe, &trbe), 1U << 1, "exception");
	trbe.trfcr_el1 = 0;
	EXPECT_EQ(am_trbe_pending(&pe, &trbe), 0, "interrupt");
	EXPECT_EQ(am_trbirq(&pe, &trbe), true, "interrupt");

	/* Only EL3 delegates: EL2 chooses */
	trbe = trbe_with(3, 3);
	for (class = AM_TRBE_OTHER; class <= AM_TRBE_GPC; class++)
		EXPECT_EQ(am_trbe_record(&pe, &trbe, class).is, 2, "TRBSR_ELx");
}

/* Rules: IHWBCW */
static void test_own_faults(void)
{
	struct am_pe pe = pe_with(2, 0);
	struct am_trbe trbe = trbe_with(2, 3);

	pe.scr_el3 |= SCR_EL3_GPF;
	EXPECT_EQ(am_trbe_record(&pe, &trbe, AM_TRBE_GPC).is, 3, "EL3 has priority");
	EXPECT_EQ(am_trbe_record(&pe, &trbe, AM_TRBE_S2_GPF).is, 3, "EL3 has priority");
	EXPECT_EQ(am_trbe_record(&pe, &trbe, AM_TRBE_S2_ABORT).is, 2, "a stage 2 fault");
	EXPECT_EQ(am_trbe_record(&pe, &trbe, AM_TRBE_S1_ABORT).is, 1, "a stage 1 fault");
	/* What trace software can cause on its own does not reach a higher level */
	EXPECT_EQ(am_trbe_record(&pe, &trbe, AM_TRBE_OTHER).is, 1, "no fake event");
	expect_injection(2, 2);
}

/* Rules: ICFYMJ */
static void test_hybrid(void)
{
	struct am_pe pe = pe_with(1, 0);
	struct am_trbe trbe = trbe_with(2, 3);

	EXPECT_EQ(am_trbe_record(&pe, &trbe, AM_TRBE_GPC).is, 2, "a GPC fault");
	EXPECT_EQ(am_trbe_record(&pe, &trbe, AM_TRBE_S2_ABORT).is, 2, "a stage 2 fault");
	EXPECT_EQ(am_trbe_record(&pe, &trbe, AM_TRBE_S1_ABORT).is, 1, "a stage 1 fault");
	EXPECT_EQ(am_trbe_record(&pe, &trbe, AM_TRBE_OTHER).is, 1, "other event");
	expect_injection(1, 2);
}

/* Rules: ITCNHM */
static void test_all_events(void)
{
	struct am_trbe trbe = trbe_with(3, 3);
	struct am_pe el3 = pe_with(3, 0), el2 = pe_with(1, 0);
	unsigned int class;

	for (class = AM_TRBE_OTHER; class <= AM_TRBE_GPC; class++) {
		EXPECT_EQ(am_trbe_record(&el3, &trbe, class).is, 3, "TRBEE = 3, and EL3 first");
		EXPECT_EQ(am_trbe_record(&el2, &trbe, class).is, 2, "EE = 3");
	}
	trbe.trbsr[3] = IRQ;
	EXPECT_EQ(am_trbe_pending(&el3, &trbe), 1U << 3, "taken to EL3");
	expect_injection(3, 3);
	expect_injection(1, 3);
}

/* Rules: IWKGWP */
static void test_external_mode_routing(void)
{
	struct am_pe pe = pe_with(3, 0);
	struct am_trbe trbe = trbe_with(3, 3);

	trbe.self_hosted = false;
	trbe.trbsr[1] = IRQ;
	trbe.trbsr[2] = IRQ;
	trbe.trbsr[3] = IRQ;
	EXPECT_EQ(am_trbe_pending(&pe, &trbe), 0, "exception in External mode");
	EXPECT_EQ(am_trbirq(&pe, &trbe), true, "TRBIRQ in External mode");
	EXPECT_EQ(am_trbe_record(&pe, &trbe, AM_TRBE_GPC).is, 1, "recorded in External mode");
	EXPECT_EQ(am_trbe_delivery(&pe, &trbe, 3).why, AM_WHY_TRBE_EXTERNAL_MODE, "reason");
	EXPECT_EQ(am_trbe_delivery(&pe, &trbe, 2).why, AM_WHY_TRBE_EXTERNAL_MODE, "reason");
}

/* Rules: IQPKBN */
static void test_target_and_owner(void)
{
	unsigned int n, target, targets[3] = { 0 };
	struct am_verdict owner, delivery;
	struct am_trbe trbe;
	struct am_pe pe;

	/* The target may be below, equal to and above the owner: all three occur */
	for (n = 0; n < 3 * 3 * 3 * 4; n++) {
		pe = pe_with(1 + n % 3, 0);
		trbe = trbe_with(1 + n / 3 % 3, 3);
		pe.mdcr_el2 = (u64)(n / 27 & 1) << 25;
		pe.hcr_el2 = n / 27 & 2 ? HCR_EL2_TGE : 0;
		owner = am_trbe_owner(&pe);
		delivery = am_trbe_delivery(&pe, &trbe, 1 + n / 9 % 3);
		if (!am_is_taken(delivery.is))
			continue;
		target = delivery.is - AM_DELIVERY_EL1 + 1;
		targets[target < owner.is ? 0 : target == owner.is ? 1 : 2]++;
	}
	EXPECT_EQ(targets[0], 9, "targets below the owner");
	EXPECT_EQ(targets[1], 30, "targets that are the owner");
	EXPECT_EQ(targets[2], 45, "targets above the owner");
}

/* Rules: DLRTBP RTPPCF */
static void test_trbirq(void)
{
	struct am_pe pe = table_pe;
	struct am_trbe trbe = table_trbe;
	unsigned int intid, ppis = 0;

	/* TRBIRQ is level-sensitive: it only depends on the present TRBSR_EL1.IRQ */
	EXPECT_EQ(am_trbirq(&pe, &trbe), false, "TRBSR_EL1.IRQ = 0");
	trbe.trbsr[1] = IRQ;
	EXPECT_EQ(am_trbirq(&pe, &trbe), true, "TRBSR_EL1.IRQ = 1");
	EXPECT_EQ(am_trbirq(&pe, &trbe), true, "still 1");
	trbe.trbsr[1] = ~IRQ;
	EXPECT_EQ(am_trbirq(&pe, &trbe), false, "0 again");
	trbe.trbsr[2] = IRQ;
	trbe.trbsr[3] = IRQ;
	EXPECT_EQ(am_trbirq(&pe, &trbe), false, "driven by another TRBSR_ELx");

	/* TRBIRQ may be any private interrupt, and no other */
	for (intid = 0; intid < 2048; intid++)
		ppis += am_is_ppi(intid);
	EXPECT_EQ(ppis, 16 + 64, "private interrupts");
	EXPECT(am_is_ppi(16) && am_is_ppi(31) && am_is_ppi(1056) && am_is_ppi(1119), "ends");
	EXPECT(!am_is_ppi(15) && !am_is_ppi(32) && !am_is_ppi(1055) && !am_is_ppi(1120), "beyond");
}

/* All states: AArch32, and the registers of the unit that do not decide the route */
/* Rules: RBNQRP SXLNJY RMFMXQ RVSCDV */
static void test_all_states(void)
{
	struct am_pe_walk walk = { .step = 0 };
	unsigned int draw, owner, ec, fsc;
	struct am_pe pe, other = table_pe;
	struct am_verdict verdict;
	u64 random = 28, r;
	struct am_trbe trbe;
	enum pcs_state ss;

	while (am_pe_next(&walk)) {
		if (!walk.possible)
			continue;
		for (draw = 0; draw < 16; draw++) {
			r = am_random(&random);
			pe = walk.pe;
			pe.feat |= AM_FEAT_TRBE | (r & 7 ? AM_FEAT_TRBE_EXC : 0) |
				   (am_random(&random) & (AM_FEAT_RAS | AM_FEAT_NV));
			if (pe.aa32 == 0xF && (r & 8))
				pe.feat &= ~AM_FEAT_AA64;
			pe.mdcr_el3 = am_random(&random);
			pe.mdcr_el2 = am_random(&random);
			pe.scr_el3 |= am_random(&random) & (SCR_EL3_GPF | SCR_EL3_EA);
			pe.hcr_el2 |= am_random(&random) & (HCR_EL2_GPF | HCR_EL2_TEA);
			pe.pm = r & 16;
			pe.halted = !(r & 0xE0);
			trbe = (struct am_trbe){
				.self_hosted = r & 0x700, .trblimitr = am_random(&random),
				.trfcr_el1 = am_random(&random), .trfcr_el2 = am_random(&random),
				.trbsr = { 0, am_random(&random), am_random(&random),
					   am_random(&random) },
			};
			expect_record(&pe, &trbe);
			expect_delivery(&pe, &trbe);
			EXPECT_EQ(am_trbe_ee2(&pe, &trbe).is,
				  ps_effective_trfcr_el2_ee(&pe, &trbe), "EE of EL2");
			verdict = am_trbe_owner(&pe);
			if (ps_trace_buffer_owner(&pe, &ss, &owner))
				EXPECT(verdict.is == (int)owner && verdict.detail == ss, "owner");
			else
				EXPECT_EQ(verdict.is, AM_RESERVED, "owner, reserved");
			ec = r & 0x800 ? 0x24 : r & 0x1000 ? 0x25 : r >> 13 & 63;
			fsc = r >> 19 & 63;
			other.feat = (table_pe.feat & ~AM_FEAT_RME) | (pe.feat & AM_FEAT_RME);
			EXPECT_EQ(am_trbe_class(&pe, ec, fsc).is,
				  am_trbe_class(&other, ec, fsc).is, "class");
		}
	}
}

const struct am_test am_tests_trbe[] = {
	{ "Table D6-5", test_table_d6_5, 576 },
	{ "Table D6-6", test_table_d6_6, 384 },
	{ "Table D6-7", test_table_d6_7, 144 },
	{ "Tables D6-5 to D6-7, E2TB reserved", test_tables_reserved, 332 },
	{ "Table D6-8", test_table_d6_8, 4096 },
	{ "Table D6-9", test_table_d6_9, 512 },
	{ "Table D6-10", test_table_d6_10, 32 },
	{ "Table D6-1", test_table_d6_1, 256 },
	{ "classes of events", test_classes, 16384 },
	{ "recording, all controls", test_record, 3317712 },
	{ "recording, at random", test_record_random, 1126767 },
	{ "owner", test_owner, 3222 },
	{ "exceptions and TRBIRQ, all states", test_delivery, 3677245 },
	{ "everything delegated", test_delegated, 19 },
	{ "own faults", test_own_faults, 9 },
	{ "the hybrid", test_hybrid, 8 },
	{ "all events taken", test_all_events, 25 },
	{ "External mode", test_external_mode_routing, 5 },
	{ "target and owner", test_target_and_owner, 3 },
	{ "TRBIRQ", test_trbirq, 8 },
	{ "everything, all states", test_all_states, 2903431 },
	{ NULL, NULL, 0 },
};
