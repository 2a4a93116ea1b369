// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which counters count: Table D13-4, and the rest compared with CountPMUEvents() (pseudo-pmu.c).
 */
#include <arch-model/pmu.h>

#include "pseudo.h"
#include "table.h"
#include "tables.h"
#include "test-pmu.h"

/* Registers as the pseudocode must see them: SDCR and the like have 32 bits */
static struct am_pe as_pseudo(struct am_pe pe)
{
	if (pe.aa32 & 8)
		pe.mdcr_el3 = (u32)pe.mdcr_el3;
	return pe;
}

/* SPE has no effect if the highest level uses AArch32; the pseudocode does not say so */
static bool highest_uses_aa32(const struct am_pe *pe)
{
	return bit(pe->aa32, ps_have_el(pe, 3) ? 3 : ps_have_el(pe, 2) ? 2 : 1);
}

/* The states that may differ for counting: HCR_EL2 has no effect (see test_all_together()) */
static bool next_possible(struct am_pe_walk *walk)
{
	while (next_state(walk))
		if (walk->possible && !walk->pe.hcr_el2)
			return true;
	return false;
}

/* A few flags, at random */
static u64 seldom_flags(u64 *random)
{
	return am_random(random) & am_random(random) & am_random(random) & 0xFFFFFFFF;
}

/* Ranges and enables */

static bool range_why_holds(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n,
			    struct am_verdict verdict)
{
	switch (verdict.why) {
	case AM_WHY_PMU_NO_COUNTER:
		return verdict.is == AM_RESERVED && verdict.detail == n;
	case AM_WHY_PMU_EPMN_RESERVED:
		return verdict.is == AM_RESERVED && verdict.detail == (pmu->pmccr & 0x1F) &&
		       (pe->feat & AM_FEAT_PMUV3_EXTPMN) && verdict.detail > pmu->counters;
	case AM_WHY_PMU_HPMN_RESERVED:
		return verdict.is == AM_RESERVED && verdict.detail == (pe->mdcr_el2 & 0x1F) &&
		       (!verdict.detail || verdict.detail > pmu->counters);
	case AM_WHY_PMU_RANGE_1:
		return verdict.is == AM_RANGE_1 && verdict.detail == n;
	case AM_WHY_PMU_RANGE_2:
		return verdict.is == AM_RANGE_2 && verdict.detail == n;
	case AM_WHY_PMU_RANGE_3:
		return verdict.is == AM_RANGE_3 && verdict.detail == n;
	default:
		return false;
	}
}

/* Rules: S3-a */
/* Reading: M-10 F1-21 */
static void test_ranges(void)
{
	static const int expected[] = {
		[PS_R_NONE] = AM_RESERVED, [PS_R1] = AM_RANGE_1, [PS_R2] = AM_RANGE_2,
		[PS_R3] = AM_RANGE_3, [PS_R_UNDEFINED] = AM_RESERVED,
	};
	static const u8 counters[] = { 0, 1, 6, 30, 31 };
	struct am_pe pe = { .el = 1 };
	struct am_pmu pmu = { .counters = 0 };
	struct am_verdict verdict, global;
	unsigned int f, c, pmn, n;
	enum ps_range range;

	/* pmn: HPMN, EPMN */
	for (f = 0; f < 16; f++) {
		pe.feat = AM_FEAT_AA64 | (f & 1 ? AM_FEAT_EL2 : 0) | (f & 2 ? AM_FEAT_HPMN0 : 0) |
			  (f & 4 ? AM_FEAT_PMUV3_EXTPMN : 0) | (f & 8 ? AM_FEAT_PMUV3_ICNTR : 0);
		for (c = 0; c < ARRAY_LEN(counters); c++) {
			pmu.counters = counters[c];
			for (pmn = 0; pmn < 1024; pmn++) {
				pe.mdcr_el2 = pmn & 0x1F;
				pmu.pmccr = pmn >> 5;
				for (n = 0; n < 34; n++) {
					range = ps_get_pmu_counter_range(&pe, &pmu, n);
					verdict = am_pmu_range(&pe, &pmu, n);
					EXPECT(verdict.is == expected[range] &&
					       range_why_holds(&pe, &pmu, n, verdict),
					       "range of %u of %u, PMNs %#x: %d, reason %u", n,
					       pmu.counters, pmn, verdict.is, verdict.why);
				}
			}
		}
	}

	/* Each range has one enable; the other enables do not matter */
	pe.feat = AM_FEAT_AA64 | AM_FEAT_EL2 | AM_FEAT_PMUV3_EXTPMN | AM_FEAT_PMUV3_ICNTR;
	pmu.counters = 3;
	for (n = 0; n < 8 * ARRAY_LEN(kinds); n++) {
		pmu.pmcr = put(n, 0, 0);
		pe.mdcr_el2 = MDCR_EL2_OF_KINDS ^ put(n, 1, 7);
		pmu.pmccr = PMCCR_OF_KINDS ^ put(n, 2, 7);
		c = kinds[n / 8];
		global = am_pmu_global_enable(&pe, &pmu, c);
		EXPECT_EQ(global.is, c == 1 ? !bit(n, 1) : c == 2 ? !bit(n, 2) : bit(n, 0),
			  "global enable");
		EXPECT_EQ(global.why, c == 1 ? AM_WHY_PMU_HPME : c == 2 ? AM_WHY_PMU_EPME :
			  AM_WHY_PMU_E, "reason of a global enable");
		EXPECT_EQ(global.detail, global.is, "value of a global enable");
	}

	/* More counters than the registers have bits */
	pmu.counters = 32;
	EXPECT_EQ(am_pmu_range(&pe, &pmu, 0).is, AM_RESERVED, "32 event counters");
	EXPECT_EQ(am_pmu_range(&pe, &pmu, CYCLES).is, AM_RANGE_1, "cycles beside them");
	EXPECT_EQ(am_pmu_global_enable(&pe, &pmu, 0).is, AM_RESERVED, "enable of none");
}

/* Reserved partitions: the pseudocode is asked for each permitted one */

/**
 * struct asked - a question about a PMU whose HPMN or EPMN is reserved
 * @name: the question
 * @model: asks the model
 * @pseudo: asks the pseudocode, for a partition that is not reserved
 */
struct asked {
	const char *name;
	int (*model)(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n);
	int (*pseudo)(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n);
};

static int ask_counts(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return am_pmu_counts(pe, pmu, n).is;
}

static int ps_counts(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	static const int answers[] = {
		[PS_FALSE] = false, [PS_TRUE] = true, [PS_UNDEFINED] = AM_RESERVED,
	};

	return answers[ps_count_pmu_events(pe, pmu, n, false)];
}

static int ask_irq(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return am_pmuirq(pe, pmu).is;
}

static int ps_irq(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return !!ps_check_pmu_overflow_condition(pe, pmu, PS_OVERFLOW_IRQ);
}

static int ask_halt(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return am_pmu_halts(pe, pmu).is;
}

static int ps_halt(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return ps_check_pmu_halt(pe, pmu);
}

static int ask_freeze_1(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return am_pmu_frozen_on_overflow(pe, pmu, AM_RANGE_1).is;
}

static int ps_freeze_1(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return bit(pmu->pmcr, 9) && ps_should_pmu_freeze(pe, pmu, PS_R1);
}

static int ask_freeze_2(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return am_pmu_frozen(pe, pmu, AM_RANGE_2).is;
}

static int ps_freeze_2(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return bit(pe->mdcr_el2, 29) && ps_should_pmu_freeze(pe, pmu, PS_R2);
}

static int ask_brbe(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return am_pmu_freezes_brbe(pe, pmu, true, n & 1, n & 2).is;
}

static int ps_brbe(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return !!ps_should_brbe_freeze(pe, pmu, true, n & 1, n & 2);
}

static int ask_prohibited(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return am_pmu_prohibited(pe, pmu, n).is;
}

static int ask_bits(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return am_pmu_overflow_bits(pe, pmu, n).is;
}

/* Does adding 1 to 0xFFFFFFFF overflow? */
static int ps_bits(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return ps_increment(pe, pmu, n, 0xFFFFFFFF, 1).overflow ? 32 : 64;
}

static int ps_is_prohibited(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return ps_prohibited(pe, pmu, n);
}

static const struct asked counts_question = { "counts", ask_counts, ps_counts };

static const struct asked questions[] = {
	{ "counts", ask_counts, ps_counts },
	{ "prohibited", ask_prohibited, ps_is_prohibited },
	{ "bits", ask_bits, ps_bits },
	{ "PMUIRQ", ask_irq, ps_irq },
	{ "halt", ask_halt, ps_halt },
	{ "first range frozen", ask_freeze_1, ps_freeze_1 },
	{ "second range frozen", ask_freeze_2, ps_freeze_2 },
	{ "BRBE", ask_brbe, ps_brbe },
};

static bool is_reserved_partition(const struct am_pe *pe, const struct am_pmu *pmu)
{
	bool extpmn = pe->feat & AM_FEAT_PMUV3_EXTPMN;
	unsigned int hpmn = pe->mdcr_el2 & 0x1F;

	if (extpmn && (pmu->pmccr & 0x1F) > pmu->counters)
		return true;
	return (pe->feat & AM_FEAT_EL2) && ((!hpmn && !(pe->feat & AM_FEAT_HPMN0)) ||
					    (!extpmn && hpmn > pmu->counters));
}

/* The answer of the pseudocode for all partitions, or AM_RESERVED if they differ */
static int ps_agreed(const struct asked *asked, struct am_pe pe, struct am_pmu pmu, unsigned int n)
{
	bool any_epmn = (pe.feat & AM_FEAT_PMUV3_EXTPMN) && (pmu.pmccr & 0x1F) > pmu.counters;
	unsigned int epmn = (pe.feat & AM_FEAT_PMUV3_EXTPMN) ? pmu.pmccr & 0x1F : pmu.counters;
	unsigned int first = any_epmn ? 0 : epmn, last = any_epmn ? pmu.counters : epmn, hpmn;
	int agreed = -2, answer;

	pe.feat |= AM_FEAT_HPMN0;
	for (epmn = first; epmn <= last; epmn++)
		for (hpmn = 0; hpmn <= epmn; hpmn++) {
			pe.mdcr_el2 = (pe.mdcr_el2 & ~0x1FULL) | hpmn;
			pmu.pmccr = (pmu.pmccr & ~0x1FULL) | epmn;
			answer = asked->pseudo(&pe, &pmu, n);
			if (agreed != -2 && agreed != answer)
				return AM_RESERVED;
			agreed = answer;
		}
	return agreed;
}

/* Rules: S3-a IHRJFC IXBXPG IZWQTX ILMKZN RQZJKS */
/* Reading: M-10 */
static void test_reserved_partition(void)
{
	static const u8 counters[] = { 1, 2, 4, 6 };
	unsigned long seen[2] = { 0 };
	struct am_pmu pmu = { .counters = 0 };
	struct am_value flags;
	unsigned int draw, q, n, i;
	struct am_pe pe;
	u64 random = 77;
	int expected, is;

	for (draw = 0; draw < 8000; draw++) {
		n = am_random(&random);
		pe = (struct am_pe){
			.feat = AM_FEAT_AA64 | AM_FEAT_EL2 | AM_FEAT_PMUV3P7 | AM_FEAT_PMUV3P5 |
				AM_FEAT_PMUV3P1 | AM_FEAT_PMUV3P9 | AM_FEAT_DEBUGV8P9 |
				AM_FEAT_BRBE | (n & 1 ? AM_FEAT_PMUV3_EXTPMN : 0),
			.el = 1 + (n >> 1 & 1),
			.mdcr_el2 = am_random(&random) & 0xFFFFFFFF,
		};
		/*
		 * Filters are tested elsewhere. All event counters have a filter that lets them
		 * count.
		 */
		pmu = (struct am_pmu){
			.counters = counters[n >> 2 & 3],
			.pmcr = am_random(&random),
			.pmovs = seldom_flags(&random),
			.pminten = am_random(&random) | am_random(&random),
			.pmcnten = am_random(&random) | am_random(&random),
			.pmccr = am_random(&random) & 0xFF,
			.edecr = 0x10,
		};
		for (i = 0; i < 31; i++)
			pmu.pmevtyper[i] = 1ULL << 27;
		/* EPMN or HPMN larger than any number of counters, or HPMN zero */
		pmu.pmccr |= n & 1 ? 0x18 : 0;
		pe.mdcr_el2 |= 0x18;
		if (n & 16)
			pe.mdcr_el2 &= ~0x1FULL;
		for (q = 0; q < ARRAY_LEN(questions); q++) {
			i = q < 3 ? n >> 8 & (pmu.counters - 1) : n >> 8 & 3;
			expected = ps_agreed(&questions[q], pe, pmu, i);
			is = questions[q].model(&pe, &pmu, i);
			EXPECT(is == expected, "%s, %u of %u: %d, expected %d", questions[q].name,
			       i, pmu.counters, is, expected);
			seen[expected != AM_RESERVED]++;
		}
		/* Each flag on its own; flags that are 0 must not appear */
		flags = am_pmu_overflows(&pe, &pmu, AM_OVERFLOW_IRQ);
		EXPECT(!((flags.value | flags.unknown) & ~pmu.pmovs), "flags");
		EXPECT(!!flags.value == (am_pmuirq(&pe, &pmu).is == 1), "a certain flag");
		EXPECT(!(flags.value | flags.unknown) == !am_pmuirq(&pe, &pmu).is, "any flag");
	}
	REQUIRE(seen[0] > 5000 && seen[1] > 5000, "%lu without an answer, %lu with", seen[0],
		seen[1]);

	/* The reason names the reserved field and its value */
	pe = (struct am_pe){ .feat = AM_FEAT_AA64 | AM_FEAT_EL2, .el = 1, .mdcr_el2 = 9 };
	pmu = (struct am_pmu){ .counters = 4, .pmcr = 1, .pmcnten = 1, .pmovs = 1, .pminten = 1 };
	EXPECT_EQ(am_pmu_counts(&pe, &pmu, 0).why, AM_WHY_PMU_HPMN_RESERVED, "HPMN");
	EXPECT_EQ(am_pmu_counts(&pe, &pmu, 0).detail, 9, "HPMN");
	EXPECT_EQ(am_pmuirq(&pe, &pmu).is, AM_RESERVED, "PMUIRQ by PMCR.E or HPME");
	pe.mdcr_el2 |= 0x80;
	EXPECT_EQ(am_pmuirq(&pe, &pmu).is, true, "PMUIRQ by either");
	pe.feat |= AM_FEAT_PMUV3_EXTPMN;
	pmu.pmccr = 8;
	EXPECT_EQ(am_pmu_counts(&pe, &pmu, 0).why, AM_WHY_PMU_EPMN_RESERVED, "EPMN");
	EXPECT_EQ(am_pmu_counts(&pe, &pmu, 0).detail, 8, "EPMN");

	/* If a counter is enabled, its flag is the reason, whatever the rest of PMCR_EL0 is */
	pe.feat = AM_FEAT_AA64;
	for (n = 0; n < 64; n++) {
		pmu.pmcr = 1 | n << 1;
		EXPECT_EQ(am_pmuirq(&pe, &pmu).why, AM_WHY_PMU_FLAG, "PMUIRQ by a flag");
	}

	/*
	 * The counter counts in any case. Its flag is undefined where LP and HLP differ, also in
	 * AArch32.
	 */
	pe.feat = AM_FEAT_AA64 | AM_FEAT_EL2 | AM_FEAT_PMUV3P5;
	for (n = 0; n < 32; n++) {
		struct am_increment result;
		bool lp = n & 1, hlp = n & 2, wraps = n & 4, wraps_64 = n & 8;
		u64 value = (wraps_64 ? 0xFFFFFFFF00000000 : 0) | (wraps ? 0xFFFFFFFF : 5);

		pmu.pmcr = lp << 7;
		pmu.pmovs = 0;
		pe.mdcr_el2 = 9 | hlp << 26;
		pe.aa32 = n & 16 ? 0xF : 0;
		result = am_pmu_increment(&pe, &pmu, 0, value, 1);
		EXPECT_EQ(result.value, value + 1, "value");
		EXPECT_EQ(result.either, lp != hlp && wraps && !wraps_64, "either");
		EXPECT_EQ(result.overflow, wraps && (wraps_64 || (!lp && !hlp)), "overflow");
		EXPECT_EQ(pmu.pmovs, result.overflow, "PMOVSSET_EL0");
	}
}

static const char *model_d13_4(unsigned int n, unsigned int result)
{
	struct am_pe pe = {
		.feat = AM_FEAT_AA64 | AM_FEAT_EL2 | AM_FEAT_PMUV3_EXTPMN,
		.el = 1,
		.mdcr_el2 = 1 | put(n, 1, 7),
	};
	struct am_pmu pmu = {
		.counters = 3,
		.pmcr = put(n, 2, 0),
		.pmccr = 2 | put(n, 0, 7),
		.pmcnten = result ? 7 : 0,
	};
	unsigned int i;

	if (result)
		return am_pmu_counts(&pe, &pmu, result - 1).is ? "Enabled" : "Disabled";
	for (i = 0; i < 3; i++)
		if (am_pmu_counts(&pe, &pmu, i).is)
			return "Enabled";
	return "Disabled";
}

/* Rules: S3-a */
static void test_table_d13_4(void)
{
	const struct am_table table = {
		.text = table_d13_4,
		.inputs = (const struct am_table_input[]){
			{ "PMCCR.EPME", 1 }, { "HDCR.HPME", 1 }, { "PMCR.E", 1 }, { NULL, 0 },
		},
		.results = (const char *const[]){
			"PMCNTENSET.P[n] == 0", "First range", "Second range", "Third range", NULL,
		},
		.model = model_d13_4,
	};

	REQUIRE(!am_table_expand(&table), "a combination without a row");
}

/* Prohibition */

static bool prohibited_why_holds(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n,
				 struct am_verdict verdict)
{
	bool el3 = ps_have_el(pe, 3), aa32 = pe->aa32 & 8, p7 = pe->feat & AM_FEAT_PMUV3P7;
	enum pcs_state ss = ps_security_state_at_el(pe, pe->el);
	bool secure = el3 && (pe->el == 3 || ss == PCS_STATE_SECURE);
	bool spme = bit(pe->mdcr_el3, 17), mpmx = !aa32 && p7 && bit(pe->mdcr_el3, 35);
	enum ps_range range = ps_get_pmu_counter_range(pe, pmu, n);

	switch (verdict.why) {
	case AM_WHY_PMU_RANGE_3_FREE:
		return !verdict.is && range == PS_R3;
	case AM_WHY_PMU_NO_EL3:
		return !verdict.is && !el3;
	case AM_WHY_PMU_NOT_SECURE:
		return !verdict.is && el3 && !secure;
	case AM_WHY_PMU_SPME:
		return !verdict.is && secure && (spme || (mpmx && pe->el < 3));
	case AM_WHY_PMU_SUNIDEN:
		return !verdict.is && secure && pe->el == 0 && (pe->aa32 & 2) && bit(pe->sder, 1);
	case AM_WHY_PMU_AUTHENTICATED:
		return !verdict.is && !(pe->feat & AM_FEAT_DEBUGV8P2) && pmu->secure_noninvasive;
	case AM_WHY_PMU_NO_SPME:
		return verdict.is == 1 && secure && !spme && !(mpmx && pe->el < 3);
	case AM_WHY_PMU_MPMX:
		return verdict.is == 1 && pe->el == 3 && spme && mpmx && range == PS_R1;
	case AM_WHY_PMU_HPMD:
		return verdict.is == 1 && pe->el == 2 && bit(pe->mdcr_el2, 17) && range == PS_R1;
	default:
		return false;
	}
}

/* Rules: S3-d */
/* Reading: M-12 M-14 F1-21 */
static void test_prohibited(void)
{
	struct am_pe_walk walk = { .step = 0 };
	unsigned long seen[2] = { 0 };
	struct am_pmu pmu = { .counters = 3, .pmccr = PMCCR_OF_KINDS };
	struct am_pe pe, shown;
	struct am_verdict verdict;
	unsigned int n, k;

	/* n: SPME, MPMX, HPMD, SUNIDEN, authentication; PMUv3p1, PMUv3p7, Debugv8p2 */
	while (next_possible(&walk)) {
		for (n = 0; n < 256; n++) {
			pe = walk.pe;
			pe.mdcr_el3 = put(n, 0, 17) | put(n, 1, 35);
			pe.mdcr_el2 = MDCR_EL2_OF_KINDS | put(n, 2, 17);
			pe.sder = put(n, 3, 1);
			pmu.secure_noninvasive = bit(n, 4);
			pe.feat |= AM_FEAT_PMUV3_EXTPMN | AM_FEAT_PMUV3_ICNTR;
			pe.feat |= n & 32 ? AM_FEAT_PMUV3P1 : 0;
			pe.feat |= n & 64 ? AM_FEAT_PMUV3P7 : 0;
			pe.feat |= n & 128 ? AM_FEAT_DEBUGV8P2 : 0;
			shown = as_pseudo(pe);
			for (k = 0; k < ARRAY_LEN(kinds); k++) {
				verdict = am_pmu_prohibited(&pe, &pmu, kinds[k]);
				EXPECT(verdict.is == ps_prohibited(&shown, &pmu, kinds[k]) &&
				       prohibited_why_holds(&pe, &pmu, kinds[k], verdict),
				       "counter %u at EL%u, SCR %#llx, controls %#x: %d, reason %u",
				       kinds[k], pe.el, (unsigned long long)pe.scr_el3, n,
				       verdict.is, verdict.why);
				seen[verdict.is == 1]++;
			}
		}
	}
	REQUIRE(seen[0] > 100000 && seen[1] > 100000, "%lu allowed, %lu prohibited", seen[0],
		seen[1]);

	pe.feat = AM_FEAT_AA64;
	EXPECT_EQ(am_pmu_prohibited(&pe, &pmu, 3).why, AM_WHY_PMU_NO_COUNTER, "no counter");
	EXPECT_EQ(am_pmu_prohibited(&pe, &pmu, INSTRUCTIONS).is, AM_RESERVED, "no PMICNTR");
}

/* Freezing */

static void expect_frozen_on_overflow(const struct am_pe *pe, const struct am_pmu *pmu,
				      enum am_pmu_range range)
{
	static const enum ps_range ranges[] = { PS_R1, PS_R2, PS_R3 };
	u64 flags = ps_should_pmu_freeze(pe, pmu, ranges[range]);
	bool on = range == AM_RANGE_1 ? bit(pmu->pmcr, 9) :
		  range == AM_RANGE_2 ? bit(pe->mdcr_el2, 29) : false;
	struct am_verdict verdict = am_pmu_frozen_on_overflow(pe, pmu, range);
	bool expected = (pe->feat & AM_FEAT_PMUV3P7) && on && flags;

	EXPECT(verdict.is == expected, "range %u, flags %#llx: %d", range,
	       (unsigned long long)pmu->pmovs, verdict.is);
	if (!expected) {
		EXPECT_EQ(verdict.why, AM_WHY_PMU_NOT_FROZEN, "reason of not being frozen");
		return;
	}
	/* The verdict names the lowest of those flags */
	EXPECT(verdict.why == (range == AM_RANGE_1 ? AM_WHY_PMU_FZO : AM_WHY_PMU_HPMFZO) &&
	       bit(flags, verdict.detail) && !(flags & ((1ULL << verdict.detail) - 1)),
	       "flags %#llx: reason %u, flag %u", (unsigned long long)flags, verdict.why,
	       verdict.detail);
	EXPECT(am_pmu_frozen(pe, pmu, range).why == verdict.why, "frozen in all");
}

/* Rules: S3-c IXBXPG IRYCLJ RMQDPX */
/* Reading: F1-19 F1-21 */
static void test_frozen_on_overflow(void)
{
	static const u8 flags[] = { 0, 1, 2, CYCLES, INSTRUCTIONS };
	struct am_pmu pmu = { .counters = 3, .pmccr = PMCCR_OF_KINDS };
	struct am_pe pe = { .el = 1 };
	unsigned int f, n, i, range;

	/* f: PMUv3p7, SEBEP, EL2, ICNTR, EXTPMN; n: flags, SYNC bits, FZO, HPMFZO */
	for (f = 0; f < 32; f++) {
		pe.feat = AM_FEAT_AA64 | (f & 1 ? AM_FEAT_PMUV3P7 : 0) |
			  (f & 2 ? AM_FEAT_SEBEP : 0) | (f & 4 ? AM_FEAT_EL2 : 0) |
			  (f & 8 ? AM_FEAT_PMUV3_ICNTR : 0) | (f & 16 ? AM_FEAT_PMUV3_EXTPMN : 0);
		for (n = 0; n < 4096; n++) {
			pmu.pmovs = 0;
			for (i = 0; i < ARRAY_LEN(flags); i++)
				pmu.pmovs |= put(n, i, flags[i]);
			for (i = 0; i < 3; i++)
				pmu.pmevtyper[i] = put(n, 5 + i, 58);
			pmu.pmicfiltr = put(n, 8, 58);
			pmu.pmccfiltr = put(n, 9, 58);
			pmu.pmcr = put(n, 10, 9);
			pe.mdcr_el2 = MDCR_EL2_OF_KINDS | put(n, 11, 29);
			/* It does not matter whether the events support synchronous mode */
			pmu.sync_events = n;
			for (range = AM_RANGE_1; range <= AM_RANGE_3; range++)
				expect_frozen_on_overflow(&pe, &pmu, range);
		}
	}

	/* Each flag with each partition */
	pmu = (struct am_pmu){ .counters = 31, .pmcr = 1ULL << 9 };
	pe.feat = AM_FEAT_AA64 | AM_FEAT_PMUV3P7 | AM_FEAT_EL2 | AM_FEAT_HPMN0;
	for (n = 0; n < 33 * 32; n++) {
		pmu.pmovs = 1ULL << n / 32;
		pe.mdcr_el2 = 1ULL << 29 | (n & 0x1F);
		for (range = AM_RANGE_1; range <= AM_RANGE_3; range++)
			expect_frozen_on_overflow(&pe, &pmu, range);
	}
}

static bool spe_why_holds(const struct am_pe *pe, const struct am_pmu *pmu,
			  enum am_pmu_range range, struct am_verdict verdict)
{
	bool el3 = ps_have_el(pe, 3);
	unsigned int pmsee = pe->mdcr_el3 >> 51 & 3;

	if (!verdict.is)
		return verdict.why == AM_WHY_PMU_NOT_FROZEN;
	if (verdict.why != (range == AM_RANGE_1 ? AM_WHY_PMU_FZS : AM_WHY_PMU_HPMFZS))
		return false;
	if (verdict.detail < 1 || verdict.detail > 3 || !bit(pmu->pmbsr[verdict.detail], 17))
		return false;
	if (verdict.detail == 3)
		return el3 && (pmsee & 2);
	return verdict.detail == 1 || (ps_el2_enabled(pe) && bit(pmu->pmscr_el2, 9));
}

/* Rules: S3-b */
/* Reading: M-13 F1-21 */
static void test_frozen_on_spe(void)
{
	static const u64 profiles[] = {
		0, AM_FEAT_EL2, AM_FEAT_EL2 | AM_FEAT_SEL2 | AM_FEAT_SECURE_ONLY, AM_FEAT_EL3,
		AM_FEAT_EL3 | AM_FEAT_EL2, AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_SEL2,
	};
	struct am_pmu pmu = { .counters = 2 };
	unsigned long frozen = 0, without_p7 = 0;
	struct am_verdict verdict;
	struct am_pe pe = { .el = 1 };
	unsigned int p, f, n, range;
	bool expected, aa32;
	u8 all;

	/* f: SPEv1p2, PMUv3p7, SPE_EXC, NS, EEL2, AArch32; n: the registers */
	for (p = 0; p < ARRAY_LEN(profiles); p++) {
		for (f = 0; f < 64; f++) {
			pe.feat = AM_FEAT_AA64 | profiles[p] | (f & 1 ? AM_FEAT_SPEV1P2 : 0) |
				  (f & 2 ? AM_FEAT_PMUV3P7 : 0) | (f & 4 ? AM_FEAT_SPE_EXC : 0);
			pe.scr_el3 = put(f, 3, 0) | put(f, 4, 18);
			/* All implemented levels use AArch32, or all but the highest */
			all = profiles[p] & AM_FEAT_EL3 ? 0xF : profiles[p] ? 0x7 : 0x3;
			aa32 = f & 32;
			pe.aa32 = aa32 ? all : all >> 1;
			for (n = 0; n < 4096; n++) {
				pmu.pmblimitr = put(n, 0, 0) | put(n, 1, 5);
				pmu.pmbsr[1] = put(n, 2, 17);
				pmu.pmbsr[2] = put(n, 3, 17);
				pmu.pmbsr[3] = put(n, 4, 17);
				pe.mdcr_el3 = put(n, 5, 51) | put(n, 6, 52);
				pmu.pmscr_el2 = put(n, 7, 8) | put(n, 8, 9);
				pmu.pmcr = put(n, 9, 32);
				pe.mdcr_el2 = 1 | put(n, 10, 36);
				range = n >> 11 ? AM_RANGE_2 : AM_RANGE_1;
				if (range == AM_RANGE_2 && !(pe.feat & AM_FEAT_EL2))
					continue;
				verdict = am_pmu_frozen_on_spe(&pe, &pmu, range);
				expected = !aa32 && ps_spe_freeze_on_event(&pe, &pmu, range);
				/* M-13: the pseudocode requires FEAT_PMUv3p7 */
				if (!(pe.feat & AM_FEAT_PMUV3P7)) {
					pe.feat |= AM_FEAT_PMUV3P7;
					expected = !aa32 &&
						   ps_spe_freeze_on_event(&pe, &pmu, range);
					pe.feat &= ~AM_FEAT_PMUV3P7;
					without_p7 += expected;
				}
				EXPECT(verdict.is == expected &&
				       spe_why_holds(&pe, &pmu, range, verdict),
				       "profile %u, features %#x, controls %#x: %d", p, f, n,
				       verdict.is);
				EXPECT(am_pmu_frozen(&pe, &pmu, range).is == verdict.is,
				       "frozen in all");
				frozen += expected;
			}
		}
	}
	REQUIRE(frozen > 1000 && without_p7, "%lu frozen, M-13 %lu", frozen, without_p7);

	/* Nothing freezes counters of the third range */
	pe.feat |= AM_FEAT_SPEV1P2 | AM_FEAT_PMUV3P7 | AM_FEAT_PMUV3_EXTPMN;
	pmu.pmblimitr = 1 | 1 << 5;
	pmu.pmbsr[1] = 1 << 17;
	EXPECT_EQ(am_pmu_frozen(&pe, &pmu, AM_RANGE_3).is, false, "third range");
}

/* Counting */

static bool frozen_flag_holds(const struct am_pe *pe, const struct am_pmu *pmu,
			      enum ps_range range, unsigned int flag)
{
	return bit(ps_should_pmu_freeze(pe, pmu, range), flag);
}

static bool count_why_holds(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n,
			    struct am_verdict verdict)
{
	enum ps_range range = ps_get_pmu_counter_range(pe, pmu, n);
	bool dp = n != CYCLES || bit(pmu->pmcr, 5), el3 = pe->el == 3;
	u64 type = n == CYCLES ? pmu->pmccfiltr : n == INSTRUCTIONS ? pmu->pmicfiltr :
		   n < 31 ? pmu->pmevtyper[n] : 0;
	enum pcs_state ss = ps_security_state_at_el(pe, pe->el);

	switch (verdict.why) {
	case AM_WHY_PMU_COUNTS:
		return verdict.is == 1 && verdict.detail == n;
	case AM_WHY_PMU_VS_RESERVED:
		return verdict.is == AM_RESERVED && (type >> 56 & 3) == 3 && verdict.detail == 3;
	case AM_WHY_PMU_NO_COUNTER:
		return verdict.is == AM_RESERVED && verdict.detail == n && range == PS_R_NONE;
	case AM_WHY_PMU_EPMN_RESERVED:
	case AM_WHY_PMU_HPMN_RESERVED:
		return verdict.is == AM_RESERVED && range == PS_R_UNDEFINED;
	default:
		break;
	}

	if (verdict.is)
		return false;
	switch (verdict.why) {
	case AM_WHY_PMU_DEBUG:
		return pe->halted && verdict.detail == n;
	case AM_WHY_PMU_E:
		return range == PS_R1 && !bit(pmu->pmcr, 0) && !verdict.detail;
	case AM_WHY_PMU_HPME:
		return range == PS_R2 && !bit(pe->mdcr_el2, 7) && !verdict.detail;
	case AM_WHY_PMU_EPME:
		return range == PS_R3 && !bit(pmu->pmccr, 7) && !verdict.detail;
	case AM_WHY_PMU_CNTEN:
		return !bit(pmu->pmcnten, n) && verdict.detail == n;
	case AM_WHY_PMU_EVENT_NOT_SYNC:
		return bit(type, 58) && !bit(pmu->sync_events, n) && verdict.detail == n;
	case AM_WHY_PMU_NO_SPME:
	case AM_WHY_PMU_MPMX:
	case AM_WHY_PMU_HPMD:
		return dp && range != PS_R3 && ps_prohibited(pe, pmu, n);
	case AM_WHY_PMU_SCCD:
		return n == CYCLES && bit(pe->mdcr_el3, 23) && verdict.detail == n &&
		       (el3 || ss == PCS_STATE_SECURE);
	case AM_WHY_PMU_HCCD:
		return n == CYCLES && bit(pe->mdcr_el2, 23) && pe->el == 2 && verdict.detail == n;
	case AM_WHY_PMU_MCCD:
		return n == CYCLES && bit(pe->mdcr_el3, 34) && el3 && verdict.detail == n;
	case AM_WHY_PMU_FZO:
		return dp && range == PS_R1 && bit(pmu->pmcr, 9) &&
		       frozen_flag_holds(pe, pmu, PS_R1, verdict.detail);
	case AM_WHY_PMU_HPMFZO:
		return range == PS_R2 && bit(pe->mdcr_el2, 29) &&
		       frozen_flag_holds(pe, pmu, PS_R2, verdict.detail);
	case AM_WHY_PMU_FZS:
		return dp && range == PS_R1 && bit(pmu->pmcr, 32) &&
		       bit(pmu->pmbsr[verdict.detail & 3], 17);
	case AM_WHY_PMU_HPMFZS:
		return range == PS_R2 && bit(pe->mdcr_el2, 36) &&
		       bit(pmu->pmbsr[verdict.detail & 3], 17);
	case AM_WHY_PMU_FILTERED_EL0:
	case AM_WHY_PMU_FILTERED_EL1:
	case AM_WHY_PMU_FILTERED_EL2:
	case AM_WHY_PMU_FILTERED_EL3:
		return verdict.why == AM_WHY_PMU_FILTERED_EL0 + pe->el && verdict.detail == n;
	case AM_WHY_PMU_VS:
		return verdict.detail == (type >> 56 & 3) && (verdict.detail & 1) == pmu->streaming;
	default:
		return false;
	}
}

static void expect_count(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	struct am_pe shown = as_pseudo(*pe);
	struct am_verdict verdict = am_pmu_counts(pe, pmu, n);
	bool reserved = is_reserved_partition(&shown, pmu);
	int expected = reserved ? ps_agreed(&counts_question, shown, *pmu, n) :
				  ps_counts(&shown, pmu, n);

	/* For a reserved partition, the reason is that of one of the permitted partitions */
	EXPECT(verdict.is == expected &&
	       (reserved || count_why_holds(&shown, pmu, n, verdict)),
	       "counter %u at EL%u: %d, reason %u, expected %d", n, pe->el, verdict.is,
	       verdict.why, expected);
}

/* Everything is enabled, and nothing prevents counting */
static const struct am_pmu counting_pmu = {
	.counters = 3,
	.pmcr = 1,
	.pmcnten = 0x1FFFFFFFFULL,
	.pmccr = PMCCR_OF_KINDS,
};

/* Rules: S3-a S3-d */
static void test_filters(void)
{
	static const u8 places[] = { 31, 30, 29, 28, 27, 26, 24, 22, 21, 20 };
	struct am_pe_walk walk = { .step = 0 };
	struct am_pmu pmu = counting_pmu;
	unsigned int n, i, k = 0;
	struct am_pe pe;
	u64 type;

	/* n: a bit for each of P, U, NSK, NSU, NSH, M, SH, RLK, RLU and RLH */
	while (next_possible(&walk)) {
		pe = walk.pe;
		pe.feat |= AM_FEAT_PMUV3_EXTPMN | AM_FEAT_PMUV3_ICNTR;
		pe.mdcr_el2 = MDCR_EL2_OF_KINDS;
		pe.mdcr_el3 = 1ULL << 17;
		for (n = 0; n < 1024; n++) {
			type = 0;
			for (i = 0; i < ARRAY_LEN(places); i++)
				type |= put(n, i, places[i]);
			/* The other counters have the inverse filter */
			k = (k + 1) % ARRAY_LEN(kinds);
			for (i = 0; i < 3; i++)
				pmu.pmevtyper[i] = i == kinds[k] ? type : ~type & 0xFFFFFFFF;
			pmu.pmccfiltr = kinds[k] == CYCLES ? type : ~type & 0xFFFFFFFF;
			pmu.pmicfiltr = kinds[k] == INSTRUCTIONS ? type : ~type & 0xFFFFFFFF;
			expect_count(&pe, &pmu, kinds[k]);
		}
	}

	/* Streaming mode */
	pe = (struct am_pe){ .el = 1, .feat = AM_FEAT_AA64 };
	for (n = 0; n < 64; n++) {
		pe.feat = AM_FEAT_AA64 | AM_FEAT_PMUV3_ICNTR;
		pe.feat |= bit(n, 0) ? AM_FEAT_PMUV3_SME : 0;
		pmu.streaming = bit(n, 1);
		type = put(n, 2, 56) | put(n, 3, 57) | put(n, 4, 31);
		pmu.pmevtyper[0] = bit(n, 5) ? type : 0;
		pmu.pmccfiltr = type;
		pmu.pmicfiltr = type;
		expect_count(&pe, &pmu, 0);
		expect_count(&pe, &pmu, CYCLES);
		expect_count(&pe, &pmu, INSTRUCTIONS);
	}
}

/* Rules: S3-e */
/* Reading: M-12 F1-21 */
static void test_cycle_counter(void)
{
	struct am_pe_walk walk = { .step = 0 };
	struct am_pmu pmu = counting_pmu;
	struct am_pe pe;
	unsigned int n;

	/* n: SCCD, MCCD, HCCD, SPME, MPMX, HPMD, DP; frozen by FZO, by FZS; features */
	pmu.pmovs = 1;
	pmu.pmbsr[1] = 1 << 17;
	while (next_possible(&walk)) {
		for (n = 0; n < 4096; n++) {
			pe = walk.pe;
			pe.feat |= AM_FEAT_PMUV3P1 | AM_FEAT_SPEV1P2 | AM_FEAT_DEBUGV8P2;
			pe.feat |= n & 512 ? AM_FEAT_PMUV3P5 : 0;
			pe.feat |= n & 1024 ? AM_FEAT_PMUV3P7 : 0;
			pe.feat |= n & 2048 ? AM_FEAT_SPE_DPFZS : 0;
			pe.mdcr_el3 = put(n, 0, 23) | put(n, 1, 34) | put(n, 3, 17) | put(n, 4, 35);
			pe.mdcr_el2 = MDCR_EL2_OF_KINDS | put(n, 2, 23) | put(n, 5, 17);
			pmu.pmcr = 1 | put(n, 6, 5) | put(n, 7, 9) | put(n, 8, 32);
			/* Count at each level */
			pmu.pmccfiltr = 1ULL << 27;
			/* FEAT_SPE_DPFZS needs FEAT_PMUv3p7: see M-13 */
			if ((n & (1024 | 2048)) == 2048)
				continue;
			pmu.pmblimitr = highest_uses_aa32(&pe) ? 0 : 1 | 1 << 5;
			expect_count(&pe, &pmu, CYCLES);
		}
	}
}

/* More ones than zeros, or fewer */
static u64 often(u64 *random)
{
	return am_random(random) | am_random(random);
}

static u64 seldom(u64 *random)
{
	return am_random(random) & am_random(random);
}

/* Random registers, for a PE that can exist */
static void any_pmu(struct am_pe *pe, struct am_pmu *pmu, u64 *random)
{
	unsigned int i;

	pe->feat |= am_random(random) & (AM_FEAT_PMUV3_EXTPMN | AM_FEAT_HPMN0 | AM_FEAT_PMUV3P1 |
					 AM_FEAT_PMUV3P5 | AM_FEAT_PMUV3_SME | AM_FEAT_SEBEP |
					 AM_FEAT_SPE_EXC | AM_FEAT_DEBUGV8P2 |
					 AM_FEAT_PMUV3_ICNTR);
	pe->feat |= AM_FEAT_PMUV3P7 | AM_FEAT_SPEV1P2 | AM_FEAT_SPE_DPFZS;
	pe->mdcr_el3 = am_random(random);
	pe->mdcr_el2 = (often(random) & ~0x1FULL) | (am_random(random) & 7);
	pe->sder = am_random(random);
	pe->halted = !(am_random(random) & 31);

	*pmu = (struct am_pmu){ .counters = am_random(random) & 7 };
	pmu->pmcr = often(random) & ~(seldom(random) & (1ULL << 9 | 1ULL << 32));
	pmu->pmcnten = often(random) | often(random);
	/* Sometimes no flag at all, so that Statistical Profiling alone freezes */
	pmu->pmovs = am_random(random) & 3 ? seldom(random) & am_random(random) : 0;
	pmu->pmccr = often(random) & (0x80 | (am_random(random) & 7));
	for (i = 0; i < pmu->counters; i++)
		pmu->pmevtyper[i] = seldom(random);
	pmu->pmccfiltr = seldom(random);
	pmu->pmicfiltr = seldom(random);
	pmu->sync_events = often(random);
	pmu->pmblimitr = am_random(random);
	pmu->pmscr_el2 = am_random(random);
	for (i = 1; i < 4; i++)
		pmu->pmbsr[i] = seldom(random);
	pmu->secure_noninvasive = am_random(random) & 1;
	pmu->streaming = am_random(random) & 1;

	if (highest_uses_aa32(pe))
		pmu->pmblimitr = 0;
	/* Registers of a PE without AArch64 have 32 bits, and there are fewer of them */
	if (pe->aa32 == 0xF && (am_random(random) & 1)) {
		pe->feat &= ~(AM_FEAT_AA64 | AM_FEAT_PMUV3_ICNTR | AM_FEAT_PMUV3_SME |
			      AM_FEAT_SEBEP);
		pe->mdcr_el2 &= 0xFFFFFFFF;
		pmu->pmcr &= 0xFFFFFFFF;
	}
}

/* Rules: S3-a S3-b S3-c S3-d S3-e S3-f IRYCLJ */
/* Reading: F1-19 */
static void test_all_together(void)
{
	static const u8 counters[] = { 0, 1, 2, 3, 4, 5, 6, CYCLES, INSTRUCTIONS };
	struct am_pe_walk walk = { .step = 0 };
	unsigned long counted = 0, impdef = 0;
	struct am_verdict verdict, other;
	struct am_pmu pmu;
	struct am_pe pe, shown;
	enum ps_answer with, without;
	unsigned int n, k, c;
	u64 random = 6;

	while (am_pe_next(&walk)) {
		for (n = 0; n < 8; n++) {
			pe = walk.pe;
			any_pmu(&pe, &pmu, &random);
			k = am_random(&random) % ARRAY_LEN(counters);
			c = counters[k];
			if (!walk.possible) {
				verdict = am_pmu_counts(&pe, &pmu, c);
				EXPECT(verdict.is == AM_RESERVED &&
				       verdict.why == am_pe_check(&pe), "impossible");
				continue;
			}
			expect_count(&pe, &pmu, c);
			if (is_reserved_partition(&pe, &pmu))
				continue;

			/* Events that are not Attributable, and who may read the counters */
			shown = as_pseudo(pe);
			with = ps_count_pmu_events(&shown, &pmu, c, false);
			without = ps_count_pmu_events(&shown, &pmu, c, true);
			verdict = am_pmu_counts_unattributable(&pe, &pmu, c);
			if (c == CYCLES || with == without) {
				other = am_pmu_counts(&pe, &pmu, c);
				EXPECT(verdict.is == other.is &&
				       (verdict.why == other.why || !verdict.is),
				       "Unattributable: %d, reason %u", verdict.is, verdict.why);
			} else if (without == PS_TRUE) {
				EXPECT(verdict.is == AM_RESERVED && verdict.detail == c &&
				       verdict.why == AM_WHY_PMU_UNATTRIBUTABLE,
				       "Unattributable: %d, reason %u", verdict.is, verdict.why);
				impdef++;
			} else {
				EXPECT(verdict.is == AM_RESERVED &&
				       verdict.why == AM_WHY_PMU_VS_RESERVED,
				       "Unattributable: %d, reason %u", verdict.is, verdict.why);
			}
			verdict = am_pmu_counts(&pe, &pmu, c);
			pmu.pmuserenr = am_random(&random);
			pmu.pmuacr = am_random(&random);
			other = am_pmu_counts(&pe, &pmu, c);
			EXPECT(verdict.is == other.is && verdict.why == other.why,
			       "PMUSERENR_EL0 and PMUACR_EL1 matter");
			counted += verdict.is == 1;
		}
	}
	REQUIRE(counted > 1000 && impdef > 100, "%lu count, %lu IMPLEMENTATION DEFINED", counted,
		impdef);
}

/* Examples: single sentences of the manual */

/* Rules: S3-a S3-c S3-e */
static void test_examples(void)
{
	struct am_pe pe = { .feat = AM_FEAT_AA64 | AM_FEAT_PMUV3P7, .el = 0 };
	struct am_pmu pmu = counting_pmu;
	struct am_verdict verdict;

	pmu.counters = 4;
	EXPECT_EQ(am_pmu_counts(&pe, &pmu, 3).is, true, "counter 3");
	pmu.pmcr |= 1 << 9;
	pmu.pmovs = 1 << 3;
	verdict = am_pmu_counts(&pe, &pmu, 3);
	EXPECT(!verdict.is && verdict.why == AM_WHY_PMU_FZO && verdict.detail == 3,
	       "frozen by its own flag: %d, reason %u", verdict.is, verdict.why);

	/* The cycle counter goes on, and its own flag freezes nothing */
	EXPECT_EQ(am_pmu_counts(&pe, &pmu, CYCLES).is, true, "cycle counter without DP");
	pmu.pmcr |= 1 << 5;
	EXPECT_EQ(am_pmu_counts(&pe, &pmu, CYCLES).is, false, "cycle counter with DP");
	pmu.pmovs = 1ULL << CYCLES;
	EXPECT_EQ(am_pmu_counts(&pe, &pmu, CYCLES).is, true, "its own flag");
	EXPECT_EQ(am_pmu_counts(&pe, &pmu, 3).is, true, "and its neighbours");
}

const struct am_test am_tests_pmu_count[] = {
	{ "ranges and their enables", test_ranges, 2785403 },
	{ "reserved HPMN and EPMN", test_reserved_partition, 88198 },
	{ "Table D13-4", test_table_d13_4, 32 },
	{ "prohibited", test_prohibited, 1397762 },
	{ "frozen on overflow", test_frozen_on_overflow, 821336 },
	{ "frozen on a Statistical Profiling event", test_frozen_on_spe, 2621441 },
	{ "filters", test_filters, 1118400 },
	{ "cycle counter", test_cycle_counter, 3354624 },
	{ "all controls at once", test_all_together, 192512 },
	{ "examples", test_examples, 6 },
	{ NULL, NULL, 0 },
};
