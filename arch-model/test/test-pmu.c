// SPDX-License-Identifier: GPL-2.0-only
/*
 * The effects of an overflow, and the PMU Profiling exception: Tables D13-1, D13-2 and the events
 * of D14.7, and the rest of D13.3 compared with the shared pseudocode (pseudo-pmu.c).
 */
#include <arch-model/pmu.h>

#include "pseudo.h"
#include "table.h"
#include "tables.h"
#include "test-pmu.h"

/* A PE on which every control of the tables has an effect */
static const struct am_pe table_pe = {
	.feat = AM_FEAT_AA64 | AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_VHE | AM_FEAT_PMUV3P1 |
		AM_FEAT_PMUV3P5 | AM_FEAT_PMUV3P7 | AM_FEAT_PMUV3P9 | AM_FEAT_DEBUGV8P2 |
		AM_FEAT_HPMN0 | AM_FEAT_EBEP | AM_FEAT_SEBEP,
	.scr_el3 = SCR_EL3_NS,
};

/* Take the next @bits of a combination */
static u64 take(unsigned int *combination, unsigned int bits)
{
	u64 value = *combination & ((1U << bits) - 1);

	*combination >>= bits;
	return value;
}

/* Table D13-1 */

static const char *model_d13_1(unsigned int n, unsigned int result)
{
	static const char *const names[] = {
		[AM_DELIVERY_IRQ] = "IRQ",
		[AM_DELIVERY_NONE] = "Dis",
		[AM_DELIVERY_MASKED] = "Msk",
		[AM_DELIVERY_MASKED_PM] = "Msk",
		[AM_DELIVERY_EL1] = "EL1",
		[AM_DELIVERY_EL2] = "EL2",
		[AM_DELIVERY_EL3] = "EL3",
	};
	struct am_pe pe = table_pe;
	struct am_pmu pmu = { .counters = 1 };
	int is;

	pe.mdcr_el3 = take(&n, 2) << 40;
	pe.mdcr_el2 = take(&n, 2) << 40;
	pe.hcr_el2 = take(&n, 1) ? HCR_EL2_TGE : 0;
	pmu.pmecr = take(&n, 2);
	pmu.pmecr |= take(&n, 1) << 2;
	pe.pm = take(&n, 1);
	pe.el = 3 - result;
	is = am_pmu_delivery(&pe, &pmu).is;
	return is == AM_RESERVED ? "n/a" : names[is];
}

/* Rules: RGWLVY RSCBDZ IPFDLQ */
static void test_table_d13_1(void)
{
	const struct am_table table = {
		.text = table_d13_1,
		.inputs = (const struct am_table_input[]){
			{ "MDCR_EL3.PMEE", 2 }, { "MDCR_EL2.PMEE", 2 }, { "HCR_EL2.TGE", 1 },
			{ "PMECR_EL1.PMEE", 2 }, { "PMECR_EL1.KPME", 1 }, { "PSTATE.PM", 1 },
			{ NULL, 0 },
		},
		.results = (const char *const[]){ "EL3", "EL2", "EL1", "EL0", NULL },
		.model = model_d13_1,
	};
	unsigned int missing = am_table_expand(&table);

	/* If PMECR_EL1.PMEE decides, there is no row for 0b01, which is reserved as 0b10 is */
	REQUIRE(missing == 8, "%u combinations without a row", missing);
}

/* The exception, compared with the pseudocode */

/* Is the reason of a route or delivery true, by the pseudocode's functions? */
static bool delivery_why_holds(const struct am_pe *pe, const struct am_pmu *pmu,
			       struct am_verdict verdict)
{
	unsigned int pmee3 = ps_have_el(pe, 3) ? pe->mdcr_el3 >> 40 & 3 : 1;
	unsigned int pmee2 = ps_el2_enabled(pe) ? pe->mdcr_el2 >> 40 & 3 : 1;
	unsigned int pmee1 = pmu->pmecr & 3, target = ps_pmu_exception_enabled(pe, pmu);
	bool on3 = pmee3 == 1, on2 = on3 && pmee2 == 1, tge = ps_effective_tge(pe);
	bool masked = verdict.is == AM_DELIVERY_MASKED;

	switch (verdict.why) {
	case AM_WHY_PMU_NO_EBEP:
		return verdict.is == AM_DELIVERY_IRQ && !(pe->feat & AM_FEAT_EBEP);
	case AM_WHY_PMEE3:
		return verdict.detail == pmee3 &&
		       verdict.is == (pmee3 == 3 ? AM_DELIVERY_EL3 : AM_DELIVERY_IRQ);
	case AM_WHY_PMEE3_RESERVED:
		return verdict.detail == 2 && pmee3 == 2 && verdict.is == AM_DELIVERY_NONE;
	case AM_WHY_PMEE2:
		return on3 && verdict.detail == pmee2 &&
		       verdict.is == (pmee2 == 3 ? AM_DELIVERY_EL2 : AM_DELIVERY_IRQ);
	case AM_WHY_PMEE2_RESERVED:
		return on3 && verdict.detail == 2 && pmee2 == 2 && verdict.is == AM_DELIVERY_NONE;
	case AM_WHY_PMEE1:
		return on2 && !tge && verdict.detail == pmee1 &&
		       verdict.is == (pmee1 == 3 ? AM_DELIVERY_EL1 : AM_DELIVERY_IRQ);
	case AM_WHY_PMEE1_TGE:
		return on2 && tge && verdict.detail == pmee1 &&
		       verdict.is == (pmee1 == 3 ? AM_DELIVERY_EL2 : AM_DELIVERY_IRQ);
	case AM_WHY_PMEE1_RESERVED:
		return on2 && verdict.detail == pmee1 && (pmee1 == 1 || pmee1 == 2) &&
		       verdict.is == AM_DELIVERY_NONE;
	case AM_WHY_PMU_DEBUG_MASKED:
		return masked && pe->halted;
	case AM_WHY_PMU_ABOVE_TARGET:
		return masked && target < pe->el;
	case AM_WHY_PMU_EL2_DELEGATES:
		return masked && target == 2 && pe->el == 2 && pmee2 != 3;
	case AM_WHY_PMU_KPME:
		return masked && target == pe->el && !bit(pmu->pmecr, 2);
	case AM_WHY_PMU_PM:
		return verdict.is == AM_DELIVERY_MASKED_PM && target == pe->el && pe->pm;
	default:
		return false;
	}
}

static void expect_delivery(const struct am_pe *pe, const struct am_pmu *pmu)
{
	struct am_verdict route = am_pmu_route(pe, pmu), delivery = am_pmu_delivery(pe, pmu);
	unsigned int target = ps_pmu_exception_enabled(pe, pmu);
	bool masked = target != PS_DISABLED &&
		      ps_pmu_exception_masked(pe, pmu, target, pe->el, pe->pm);
	int expected = target != PS_DISABLED ? AM_DELIVERY_EL1 + (int)target - 1 :
		       ps_pmu_interrupt_enabled(pe, pmu) ? AM_DELIVERY_IRQ : AM_DELIVERY_NONE;

	EXPECT(route.is == expected && delivery_why_holds(pe, pmu, route),
	       "route: %d, reason %u, expected %d", route.is, route.why, expected);
	/* AM_DELIVERY_MASKED_PM: clearing PSTATE.PM would end the mask */
	if (masked)
		expected = pe->pm && !ps_pmu_exception_masked(pe, pmu, target, pe->el, false) ?
			   AM_DELIVERY_MASKED_PM : AM_DELIVERY_MASKED;
	EXPECT(delivery.is == expected && delivery_why_holds(pe, pmu, delivery),
	       "at EL%u: %d, reason %u, expected %d", pe->el, delivery.is, delivery.why, expected);
}

/* Set the controls of the exception from the low ten bits of @n */
static void set_exception(struct am_pe *pe, struct am_pmu *pmu, unsigned int n)
{
	pe->mdcr_el3 = take(&n, 2) << 40;
	pe->mdcr_el2 = (pe->mdcr_el2 & 0xFFFFFFFF) | take(&n, 2) << 40;
	pmu->pmecr = take(&n, 2);
	pmu->pmecr |= take(&n, 1) << 2;
	pe->pm = take(&n, 1);
	pe->halted = take(&n, 1);
	if (take(&n, 1))
		pe->feat |= AM_FEAT_EBEP;
}

/* Rules: RGWLVY RSCBDZ RCXBNL IYBSFJ IPFDLQ */
static void test_delivery(void)
{
	struct am_pe_walk walk = { .step = 0 };
	struct am_verdict verdict;
	struct am_pmu pmu = { .counters = 1 };
	struct am_pe pe;
	unsigned int n;

	while (next_state(&walk)) {
		pe = walk.pe;
		if (!walk.possible) {
			pe.feat |= AM_FEAT_EBEP;
			verdict = am_pmu_delivery(&pe, &pmu);
			EXPECT(verdict.is == AM_RESERVED && verdict.why == am_pe_check(&pe),
			       "impossible: %d", verdict.is);
			EXPECT_EQ(am_pmu_exception(&pe, &pmu).is, AM_RESERVED, "impossible");
			continue;
		}
		for (n = 0; n < 1024; n++) {
			pe.feat = walk.pe.feat;
			set_exception(&pe, &pmu, n);
			expect_delivery(&pe, &pmu);
		}
	}
}

/* Overflow conditions */

static const struct {
	enum am_overflow_for what;
	enum ps_overflow reason;
} asked[] = {
	{ AM_OVERFLOW_IRQ, PS_OVERFLOW_IRQ },
	{ AM_OVERFLOW_EXCEPTION, PS_OVERFLOW_EXCEPTION },
	{ AM_OVERFLOW_HALT, PS_OVERFLOW_EDBGRQ },
};

static void expect_overflows(const struct am_pe *pe, const struct am_pmu *pmu)
{
	unsigned int i;
	u64 flags;

	for (i = 0; i < ARRAY_LEN(asked); i++) {
		flags = am_pmu_overflows(pe, pmu, asked[i].what).value;
		EXPECT(flags == ps_check_pmu_overflow_condition(pe, pmu, asked[i].reason),
		       "condition %u: %#llx", i, (unsigned long long)flags);
	}
	EXPECT_EQ(am_pmu_overflows(pe, pmu, AM_OVERFLOW_FREEZE_1).value,
		  ps_should_pmu_freeze(pe, pmu, PS_R1), "freezes the first range");
	EXPECT_EQ(am_pmu_overflows(pe, pmu, AM_OVERFLOW_FREEZE_2).value,
		  ps_should_pmu_freeze(pe, pmu, PS_R2), "freezes the second range");
	EXPECT_EQ(am_pmu_overflows(pe, pmu, AM_OVERFLOW_BRBE).value,
		  ps_should_brbe_freeze(pe, pmu, true, true, true), "freezes branch recording");
}

static u64 seldom(u64 *random)
{
	return am_random(random) & am_random(random);
}

/* Flags, enables and SYNC bits are random; those of counter @c are bits 0 to 2 of @n */
static void set_overflow(struct am_pmu *pmu, u64 *random, unsigned int c, unsigned int n)
{
	u64 flag = 1ULL << c;
	unsigned int i;

	pmu->pmovs = (seldom(random) & ~flag) | put(n, 0, c);
	pmu->pminten = (am_random(random) & ~flag) | put(n, 1, c);
	for (i = 0; i < 31; i++)
		pmu->pmevtyper[i] = i == c ? put(n, 2, 58) : am_random(random);
	pmu->pmicfiltr = c == INSTRUCTIONS ? put(n, 2, 58) : am_random(random);
	pmu->pmccfiltr = c == CYCLES ? put(n, 2, 58) : am_random(random);
	pmu->sync_events = am_random(random);
	pmu->pmuserenr = am_random(random);
	pmu->pmuacr = am_random(random);
	pmu->pmcnten = am_random(random);
}

/* Rules: RKBPMJ IHRJFC IYBSFJ IJMSPM IRYCLJ IXBXPG IZWQTX ILMKZN */
/* Reading: F1-19 F1-21 */
static void test_overflow_conditions(void)
{
	struct am_pmu pmu = { .counters = 3 };
	struct am_pe pe = { .el = 1 };
	unsigned int f, n, k, draw;
	u64 random = 7;

	/* f: EL2, SEBEP, ICNTR, EXTPMN, BRBE; n: flag, INTEN, SYNC; E, HPME, EPME */
	for (f = 0; f < 32; f++) {
		pe.feat = AM_FEAT_AA64 | (f & 1 ? AM_FEAT_EL2 : 0) | (f & 2 ? AM_FEAT_SEBEP : 0) |
			  (f & 4 ? AM_FEAT_PMUV3_ICNTR : 0) | (f & 8 ? AM_FEAT_PMUV3_EXTPMN : 0) |
			  (f & 16 ? AM_FEAT_BRBE : 0);
		for (k = 0; k < ARRAY_LEN(kinds); k++) {
			for (n = 0; n < 64 * 4; n++) {
				set_overflow(&pmu, &random, kinds[k], n);
				pmu.pmcr = put(n, 3, 0);
				pe.mdcr_el2 = MDCR_EL2_OF_KINDS ^ put(n, 4, 7);
				pmu.pmccr = PMCCR_OF_KINDS ^ put(n, 5, 7);
				if (f & 16)
					expect_overflows(&pe, &pmu);
				else
					EXPECT(!am_pmu_freezes_brbe(&pe, &pmu, true, true, true).is,
					       "BRBE");
			}
		}
	}

	/* Each counter, with each partition */
	pe.feat |= AM_FEAT_HPMN0;
	for (n = 0; n < 32 * 32; n++) {
		pmu.counters = 31;
		pmu.pmccr = 0x80 | (n >> 5);
		pe.mdcr_el2 = put(n, 0, 7) | (n & 0x1F);
		for (draw = 0; draw < 4; draw++) {
			set_overflow(&pmu, &random, 0, n);
			expect_overflows(&pe, &pmu);
		}
	}
}

/* Is the reason true for which no overflow causes the exception? No flag may lack less. */
static bool overflow_why_holds(const struct am_pe *pe, const struct am_pmu *pmu,
			       struct am_verdict verdict)
{
	struct am_pmu enabled = *pmu;
	struct am_pe all = *pe;
	u64 flag = 1ULL << verdict.detail;

	enabled.pmcr |= 1;
	enabled.pmccr |= 0x80;
	all.mdcr_el2 |= 0x80;
	switch (verdict.why) {
	case AM_WHY_PMU_E:
	case AM_WHY_PMU_HPME:
	case AM_WHY_PMU_EPME:
		/* Only the global enable of its range is missing */
		return ps_check_pmu_overflow_condition(&all, &enabled, PS_OVERFLOW_EXCEPTION);
	case AM_WHY_PMU_INTEN:
		if (ps_check_pmu_overflow_condition(&all, &enabled, PS_OVERFLOW_EXCEPTION))
			return false;
		enabled.pminten |= flag;
		return ps_check_pmu_overflow_condition(&all, &enabled, PS_OVERFLOW_EXCEPTION) ==
		       flag;
	case AM_WHY_PMU_OVERFLOW_SYNC:
		enabled.pminten = ~0ULL;
		return (pmu->pmovs & flag) &&
		       !ps_check_pmu_overflow_condition(&all, &enabled, PS_OVERFLOW_EXCEPTION) &&
		       (ps_check_pmu_overflow_condition(&all, &enabled, PS_OVERFLOW_IRQ) & flag);
	case AM_WHY_PMU_NO_OVERFLOW:
		enabled.pminten = ~0ULL;
		return !ps_check_pmu_overflow_condition(&all, &enabled, PS_OVERFLOW_IRQ);
	default:
		return false;
	}
}

/* Rules: IHRJFC IPFDLQ IPVBJQ ILMKZN RKBPMJ RHLYTW IBBFCX IHJQJP IFNPMD RFHWMC */
/* Rules: IYZZVC ITSHPG IHVZKZ IBHLTG RGHRZF */
/* Reading: F1-22 */
static void test_signals(void)
{
	struct am_pe_walk walk = { .step = 0 };
	unsigned long seen[3] = { 0 };
	struct am_pmu pmu = { .counters = 3 };
	unsigned int n, draw, k, target;
	enum am_pmu_exception expected;
	struct am_verdict verdict;
	u64 random = 8, irq;
	struct am_pe pe;

	while (next_state(&walk)) {
		if (!walk.possible)
			continue;
		for (draw = 0; draw < 16; draw++) {
			pe = walk.pe;
			n = am_random(&random);
			set_exception(&pe, &pmu, n | n >> 10);
			pe.feat |= am_random(&random) & (AM_FEAT_SEBEP | AM_FEAT_PMUV3_ICNTR |
							 AM_FEAT_PMUV3_EXTPMN | AM_FEAT_PMUV3P9 |
							 AM_FEAT_DEBUGV8P9);
			k = kinds[am_random(&random) % ARRAY_LEN(kinds)];
			set_overflow(&pmu, &random, k, n >> 20);
			/* No flag at all, half of the time */
			if (n & 1 << 24)
				pmu.pmovs = 0;
			pmu.pmcr = am_random(&random);
			pe.mdcr_el2 |= MDCR_EL2_OF_KINDS;
			pmu.pmccr = PMCCR_OF_KINDS;
			pmu.edecr = am_random(&random);
			pe.ppend = !(am_random(&random) & 3);

			irq = ps_check_pmu_overflow_condition(&pe, &pmu, PS_OVERFLOW_IRQ);
			EXPECT(am_pmuirq(&pe, &pmu).is ==
			       (irq && ps_pmu_interrupt_enabled(&pe, &pmu)), "PMUIRQ");
			EXPECT(am_pmu_cti_trigger(&pe, &pmu).is == !!irq, "CTI");
			EXPECT(am_pmu_halts(&pe, &pmu).is == ps_check_pmu_halt(&pe, &pmu), "halt");

			expected = ps_check_for_pmu_exception(&pe, &pmu);
			target = ps_pmu_exception_enabled(&pe, &pmu);
			verdict = am_pmu_exception(&pe, &pmu);
			EXPECT(verdict.is == (int)expected, "exception: %d, expected %d",
			       verdict.is, expected);
			if (expected != AM_PMU_NO_EXCEPTION)
				EXPECT(verdict.detail == target && verdict.why ==
				       (expected == AM_PMU_SYNC ? AM_WHY_PMU_PPEND :
					AM_WHY_PMU_OVERFLOW), "to EL%u, reason %u",
				       verdict.detail, verdict.why);
			else if (target != PS_DISABLED &&
				 !ps_pmu_exception_masked(&pe, &pmu, target, pe.el, pe.pm))
				EXPECT(overflow_why_holds(&pe, &pmu, verdict),
				       "reason %u of no overflow", verdict.why);
			else
				EXPECT(verdict.why == am_pmu_delivery(&pe, &pmu).why &&
				       verdict.detail == am_pmu_delivery(&pe, &pmu).detail,
				       "reason %u of none", verdict.why);
			seen[expected]++;
		}
	}
	REQUIRE(seen[AM_PMU_NO_EXCEPTION] > 100 && seen[AM_PMU_ASYNC] > 100 &&
		seen[AM_PMU_SYNC] > 100, "%lu none, %lu asynchronous, %lu synchronous", seen[0],
		seen[1], seen[2]);

	/* A PMU without event counters still has the cycle counter */
	for (n = 0; n < 3; n++) {
		pe = table_pe;
		pe.mdcr_el3 = 1ULL << 40;
		pe.mdcr_el2 = 1ULL << 40;
		pmu = (struct am_pmu){ .counters = n, .pmcr = 1, .pmecr = 3 };
		pmu.pmovs = 1ULL << CYCLES;
		pmu.pminten = pmu.pmovs;
		verdict = am_pmu_exception(&pe, &pmu);
		EXPECT(verdict.is == AM_PMU_ASYNC && verdict.why == AM_WHY_PMU_OVERFLOW,
		       "%u counters: %d, reason %u", n, verdict.is, verdict.why);
	}
}

/* Rules: IZWQTX IRYCLJ */
static void test_brbe(void)
{
	struct am_pmu pmu = { .counters = 3, .pmccr = PMCCR_OF_KINDS };
	struct am_pe pe = { .el = 0 };
	bool allowed, fzp1, fzp2;
	unsigned int n, i;

	/* n: flags; recording, FZP of EL1 and EL2, EL2, BRBE, SYNC of PMICNTR */
	for (n = 0; n < 2048; n++) {
		pmu.pmovs = 0;
		for (i = 0; i < ARRAY_LEN(kinds); i++)
			pmu.pmovs |= put(n, i, kinds[i]);
		allowed = bit(n, 5);
		fzp1 = bit(n, 6);
		fzp2 = bit(n, 7);
		pe.feat = AM_FEAT_AA64 | AM_FEAT_PMUV3_ICNTR | AM_FEAT_PMUV3_EXTPMN |
			  AM_FEAT_SEBEP | (bit(n, 8) ? AM_FEAT_EL2 : 0) |
			  (bit(n, 9) ? AM_FEAT_BRBE : 0);
		pe.mdcr_el2 = MDCR_EL2_OF_KINDS;
		pmu.pmicfiltr = put(n, 10, 58);
		EXPECT(am_pmu_freezes_brbe(&pe, &pmu, allowed, fzp1, fzp2).is ==
		       !!ps_should_brbe_freeze(&pe, &pmu, allowed, fzp1, fzp2), "controls %#x", n);
	}
}

/* Increments */

static const u64 values[] = {
	0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 0x100000000, 0x1FFFFFFFF,
	0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFF00000000, 0xFFFFFFFFFFFFFFFE,
	0xFFFFFFFFFFFFFFFF, 0x0123456789ABCDEF,
};

static const u64 steps[8] = {
	0, 1, 2, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF,
};

static bool bits_why_holds(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n,
			   struct am_verdict verdict)
{
	bool enabled = ps_pmu_exception_enabled(pe, pmu) != PS_DISABLED;
	enum ps_range range = ps_get_pmu_counter_range(pe, pmu, n);

	switch (verdict.why) {
	case AM_WHY_PMU_SHORT:
		return verdict.is == 32 && n < 31 && !(pe->feat & AM_FEAT_PMUV3P5);
	case AM_WHY_PMU_LONG_INSTRUCTIONS:
		return verdict.is == 64 && n == INSTRUCTIONS;
	case AM_WHY_PMU_LONG_RANGE_3:
		return verdict.is == 64 && range == PS_R3;
	case AM_WHY_PMU_LONG_EBEP:
		return verdict.is == 64 && enabled && n < 31;
	case AM_WHY_PMU_LC_EBEP:
		return verdict.is == 64 && enabled && n == CYCLES;
	case AM_WHY_PMU_LC_RES1:
		return verdict.is == 64 && n == CYCLES && !(pe->feat & AM_FEAT_AA32);
	case AM_WHY_PMU_LP:
		return n < 31 && range == PS_R1 && verdict.is == (bit(pmu->pmcr, 7) ? 64 : 32) &&
		       verdict.detail == bit(pmu->pmcr, 7);
	case AM_WHY_PMU_HLP:
		return range == PS_R2 && verdict.is == (bit(pe->mdcr_el2, 26) ? 64 : 32) &&
		       verdict.detail == bit(pe->mdcr_el2, 26);
	case AM_WHY_PMU_LC:
		return n == CYCLES && verdict.is == (bit(pmu->pmcr, 6) ? 64 : 32) &&
		       verdict.detail == bit(pmu->pmcr, 6);
	default:
		return false;
	}
}

static void expect_increment(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n,
			     u64 value, u64 by)
{
	struct ps_increment expected = ps_increment(pe, pmu, n, value, by);
	struct am_pmu changed = *pmu;
	struct am_increment result = am_pmu_increment(pe, &changed, n, value, by);

	EXPECT(result.value == expected.value && result.overflow == expected.overflow,
	       "counter %u, %#llx + %#llx: %#llx, overflow %d", n, (unsigned long long)value,
	       (unsigned long long)by, (unsigned long long)result.value, result.overflow);
	/* The flag is set with the increment, and counting does not clear it */
	EXPECT_EQ(changed.pmovs, pmu->pmovs | (u64)expected.overflow << n, "PMOVSSET_EL0");
}

static bool chain_why_holds(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n,
			    struct am_verdict verdict)
{
	enum ps_range range = ps_get_pmu_counter_range(pe, pmu, n);

	switch (verdict.why) {
	case AM_WHY_PMU_NO_COUNTER:
		return verdict.is == AM_CHAIN_NO && verdict.detail == n + 1;
	case AM_WHY_PMU_ODD:
		return verdict.is == AM_CHAIN_NO && verdict.detail == n && (n & 1);
	case AM_WHY_PMU_RANGE_3:
		return verdict.is == AM_CHAIN_NO && verdict.detail == n && range == PS_R3;
	case AM_WHY_PMU_LP:
	case AM_WHY_PMU_HLP:
	case AM_WHY_PMU_LONG_EBEP:
		verdict.is = verdict.is == AM_CHAIN_NO ? 64 : 0;
		return bits_why_holds(pe, pmu, n, verdict);
	case AM_WHY_PMU_CHAIN_RANGES:
		return verdict.is == AM_CHAIN_EITHER && verdict.detail == n + 1 &&
		       range != ps_get_pmu_counter_range(pe, pmu, n + 1);
	case AM_WHY_PMU_CHAIN_FZO:
		return verdict.is == AM_CHAIN_EITHER && verdict.detail == n;
	case AM_WHY_PMU_CHAIN:
		return verdict.is == AM_CHAIN_YES && verdict.detail == n + 1;
	default:
		return false;
	}
}

static void expect_chain(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	struct ps_increment both = ps_increment(pe, pmu, n, 0xFFFFFFFFFFFFFFFF, 1);
	bool fzo = ps_get_pmu_counter_range(pe, pmu, n) == PS_R1 ? bit(pmu->pmcr, 9) :
								   bit(pe->mdcr_el2, 29);
	struct am_verdict verdict = am_pmu_chain(pe, pmu, n);
	int expected = AM_CHAIN_NO;

	if (both.chain == PS_UNDEFINED)
		expected = AM_CHAIN_EITHER;
	/* The pseudocode of CHAIN does not have freezing on overflow */
	if (both.chain == PS_TRUE)
		expected = fzo && (pe->feat & AM_FEAT_PMUV3P7) ? AM_CHAIN_EITHER : AM_CHAIN_YES;
	EXPECT(verdict.is == expected && chain_why_holds(pe, pmu, n, verdict),
	       "CHAIN of counter %u: %d, reason %u, expected %d", n, verdict.is, verdict.why,
	       expected);
}

/* Rules: RQZJKS RFBGFH RNTZHW RHTPDY IFYVTD IRYCLJ S3-c */
/* Reading: M-16 */
static void test_increment(void)
{
	static const u8 counters[] = { 0, 1, 2, 3, 4, 5, CYCLES, INSTRUCTIONS };
	struct am_pmu pmu = { .counters = 6 };
	struct am_verdict verdict;
	struct am_pe pe = { .el = 1 };
	unsigned int f, n, c, i;
	u64 random = 9;

	/* f: PMUv3p5, EBEP, AA32, EL2, EXTPMN, PMUv3p7; n: LP, LC, HLP, PMEE, FZO, HPMFZO */
	for (f = 0; f < 64; f++) {
		pe.feat = AM_FEAT_AA64 | AM_FEAT_PMUV3_ICNTR | (f & 1 ? AM_FEAT_PMUV3P5 : 0) |
			  (f & 2 ? AM_FEAT_EBEP : 0) | (f & 4 ? AM_FEAT_AA32 : 0) |
			  (f & 8 ? AM_FEAT_EL2 : 0) | (f & 32 ? AM_FEAT_PMUV3P7 : 0);
		/* FEAT_PMUv3_EXTPMN was introduced after FEAT_PMUv3p5 */
		pe.feat |= (f & 17) == 17 ? AM_FEAT_PMUV3_EXTPMN : 0;
		for (n = 0; n < 64; n++) {
			pmu.pmcr = put(n, 0, 7) | put(n, 1, 6) | put(n, 4, 9);
			pe.mdcr_el2 = 2 | put(n, 2, 26) | 1ULL << 40 | put(n, 5, 29);
			pmu.pmecr = n & 8 ? 3 : 0;
			pmu.pmccr = 4;
			for (c = 0; c < ARRAY_LEN(counters); c++) {
				pmu.pmovs = am_random(&random);
				verdict = am_pmu_overflow_bits(&pe, &pmu, counters[c]);
				EXPECT(bits_why_holds(&pe, &pmu, counters[c], verdict),
				       "counter %u: %d bits, reason %u", counters[c], verdict.is,
				       verdict.why);
				expect_chain(&pe, &pmu, counters[c]);
				for (i = 0; n < 16 && i < ARRAY_LEN(values) * 8; i++)
					expect_increment(&pe, &pmu, counters[c], values[i / 8],
							 steps[i % 8]);
			}
		}
	}

	/* Each partition: the counters of a pair in two ranges, and the last counter */
	pe.feat = AM_FEAT_AA64 | AM_FEAT_AA32 | AM_FEAT_EL2 | AM_FEAT_HPMN0 | AM_FEAT_PMUV3P5 |
		  AM_FEAT_PMUV3_EXTPMN;
	pmu.pmcr = 0;
	for (pmu.counters = 1; pmu.counters < 8; pmu.counters++) {
		for (n = 0; n < 64; n++) {
			pmu.pmccr = n / 8;
			pe.mdcr_el2 = n % 8;
			if (pmu.pmccr > pmu.counters || pe.mdcr_el2 > pmu.pmccr)
				continue;
			for (c = 0; c < pmu.counters; c++)
				expect_chain(&pe, &pmu, c);
			/* The number of event counters does not matter to the other two counters */
			verdict = am_pmu_overflow_bits(&pe, &pmu, CYCLES);
			EXPECT(bits_why_holds(&pe, &pmu, CYCLES, verdict),
			       "cycle counter: %d bits, reason %u", verdict.is, verdict.why);
		}
	}

	/* A 64-bit counter has no CHAIN; neither has one on a PE without AArch64 */
	pmu.counters = 6;
	pe.feat = AM_FEAT_AA32 | AM_FEAT_PMUV3P5;
	pe.aa32 = 3;
	for (n = 0; n < 2; n++) {
		pmu.pmcr = put(n, 0, 7);
		expect_chain(&pe, &pmu, 0);
	}

	pmu.pmcr = 0;
	pe.aa32 = 0;
	pe.feat = AM_FEAT_AA64 | AM_FEAT_EL2 | AM_FEAT_HPMN0 | AM_FEAT_PMUV3P5 |
		  AM_FEAT_PMUV3_EXTPMN;
	EXPECT_EQ(am_pmu_width(&pe, 0), 64, "width with FEAT_PMUv3p5");
	pe.feat &= ~AM_FEAT_AA64;
	EXPECT_EQ(am_pmu_width(&pe, 0), 64, "width in a PE without AArch64, reading M-16");
	pe.feat &= ~AM_FEAT_PMUV3P5;
	EXPECT_EQ(am_pmu_width(&pe, 0), 32, "width without");
	EXPECT_EQ(am_pmu_width(&pe, CYCLES), 64, "width of the cycle counter");
	EXPECT_EQ(am_pmu_width(&pe, INSTRUCTIONS), 64, "width of the instruction counter");

	/* No such counter: nothing changes */
	pmu.pmovs = 0;
	EXPECT_EQ(am_pmu_increment(&pe, &pmu, 7, 0xFFFFFFFF, 1).value, 0xFFFFFFFF, "no counter");
	EXPECT_EQ(am_pmu_overflow_bits(&pe, &pmu, 7).is, AM_RESERVED, "bits of none");
	pe.feat = AM_FEAT_AA64 | AM_FEAT_EL2;
	pe.mdcr_el2 = 0;
	EXPECT_EQ(am_pmu_chain(&pe, &pmu, 0).why, AM_WHY_PMU_HPMN_RESERVED, "HPMN reserved");

	/* Counter 1 is the first of the third range: EPMN decides for it */
	pe.feat = AM_FEAT_AA64 | AM_FEAT_PMUV3_EXTPMN;
	pmu.pmccr = 7;
	EXPECT_EQ(am_pmu_chain(&pe, &pmu, 0).why, AM_WHY_PMU_EPMN_RESERVED, "EPMN reserved");
}

/* Synchronous mode */

/* Rules: RXLMVX RKYPTP RGHRZF */
static void test_sync_events(void)
{
	static const char *const names[] = {
		[AM_SYNC_UNKNOWN] = "", [AM_SYNC_REQUIRED] = "Required",
		[AM_SYNC_RECOMMENDED] = "Recommended", [AM_SYNC_NEVER] = "Never",
	};
	struct am_pe brbe = { .feat = AM_FEAT_AA64 | AM_FEAT_SEBEP | AM_FEAT_BRBE };
	struct am_pe pe = { .feat = AM_FEAT_AA64 | AM_FEAT_SEBEP }, none = { .feat = AM_FEAT_AA64 };
	struct am_pe aa32 = { .feat = AM_FEAT_SEBEP, .aa32 = 0xF };
	static u8 listed[0x10000];
	const char *text = table_d14_7;
	struct am_verdict verdict, other;
	struct am_row row;
	unsigned int n;
	u64 event;

	for (n = 0; n < ARRAY_LEN(listed); n++)
		listed[n] = AM_SYNC_UNKNOWN;
	REQUIRE(am_table_line(&text, &row) && am_cell_is(row.cell[0], "Event") &&
		am_cell_is(row.cell[2], "Synchronous"), "unexpected columns");
	while (am_table_line(&text, &row)) {
		REQUIRE(am_cell_number(row.cell[0], &event) && event < ARRAY_LEN(listed),
			"not an event: %.*s", row.cell[0].length, row.cell[0].text);
		REQUIRE(!listed[event], "event %#llx twice", (unsigned long long)event);
		for (n = AM_SYNC_REQUIRED; n <= AM_SYNC_NEVER; n++)
			if (am_cell_is(row.cell[2], names[n]))
				listed[event] = n;
		if (am_cell_is(row.cell[2], "Required with FEAT_BRBE"))
			listed[event] = 0xFF;
		REQUIRE(listed[event], "not a kind: %.*s", row.cell[2].length, row.cell[2].text);
	}

	for (n = 0; n < ARRAY_LEN(listed); n++) {
		verdict = am_pmu_sync_event(&brbe, n);
		EXPECT(verdict.is == (listed[n] == 0xFF ? AM_SYNC_REQUIRED : listed[n]) &&
		       verdict.detail == n && verdict.why == (listed[n] ? AM_WHY_PMU_SYNC_EVENT :
							      AM_WHY_PMU_SYNC_IMPDEF),
		       "event %#x: %d, reason %u", n, verdict.is, verdict.why);
		verdict = am_pmu_sync_event(&pe, n);
		EXPECT(verdict.is == (listed[n] == 0xFF ? AM_SYNC_UNKNOWN : listed[n]) &&
		       verdict.why == (verdict.is ? AM_WHY_PMU_SYNC_EVENT : AM_WHY_PMU_SYNC_IMPDEF),
		       "event %#x without FEAT_BRBE: %d", n, verdict.is);
		other = am_pmu_sync_event(&aa32, n);
		EXPECT(verdict.is == other.is && verdict.why == other.why,
		       "event %#x without AArch64: %d", n, other.is);
		verdict = am_pmu_sync_event(&none, n);
		EXPECT(verdict.is == AM_SYNC_NEVER && verdict.why == AM_WHY_PMU_NO_SEBEP,
		       "event %#x without FEAT_SEBEP: %d", n, verdict.is);
	}
}

/* Rules: RSSVKV RFCXWT RKYPTP RGHRZF INPRDL IGQSRL */
/* Reading: F1-17 F1-19 */
static void test_sync_mode(void)
{
	struct am_pmu pmu = { .counters = 3, .pmccr = PMCCR_OF_KINDS };
	struct am_pe pe = { .el = 0 }, bare = { .aa32 = 0xF };
	struct am_verdict verdict;
	bool sebep, sync, supports;
	unsigned int n, c;
	enum am_why why;

	/* n: SEBEP, SYNC, the event supports it; counter */
	for (n = 0; n < 8 * ARRAY_LEN(kinds); n++) {
		c = kinds[n / 8];
		sebep = bit(n, 0);
		sync = bit(n, 1);
		supports = bit(n, 2);
		pe.feat = AM_FEAT_AA64 | AM_FEAT_PMUV3_ICNTR | AM_FEAT_PMUV3_EXTPMN |
			  AM_FEAT_EL2 | (sebep ? AM_FEAT_SEBEP : 0);
		pe.mdcr_el2 = MDCR_EL2_OF_KINDS;
		pmu.pmevtyper[0] = (u64)(c == 0 ? sync : !sync) << 58;
		pmu.pmevtyper[1] = (u64)(c == 1 ? sync : !sync) << 58;
		pmu.pmevtyper[2] = (u64)(c == 2 ? sync : !sync) << 58;
		pmu.pmicfiltr = (u64)(c == INSTRUCTIONS ? sync : !sync) << 58;
		pmu.pmccfiltr = (u64)sync << 58;
		pmu.sync_events = c < 31 ? (supports ? 1U << c : ~(1U << c)) : (supports ? ~0U : 0);

		verdict = am_pmu_is_sync(&pe, &pmu, c);
		why = !sebep ? AM_WHY_PMU_NO_SEBEP : c == CYCLES ? AM_WHY_PMU_CYCLES_NOT_SYNC :
		      !sync ? AM_WHY_PMU_SYNC_CLEAR : c != INSTRUCTIONS && !supports ?
		      AM_WHY_PMU_EVENT_NOT_SYNC : AM_WHY_PMU_SYNC;
		EXPECT(verdict.why == why && verdict.is == (why == AM_WHY_PMU_SYNC),
		       "counter %u: %d, reason %u", c, verdict.is, verdict.why);
		if (sebep && c != CYCLES)
			EXPECT_EQ(verdict.detail, c, "counter");

		EXPECT_EQ(am_pmu_is_precise(&pe, c, supports),
			  sebep && (c == INSTRUCTIONS || (c != CYCLES && supports)), "precise");
		bare.feat = sebep ? AM_FEAT_SEBEP : 0;
		EXPECT_EQ(am_pmu_is_precise(&bare, c, supports),
			  am_pmu_is_precise(&pe, c, supports), "precise with no other feature");
	}
	EXPECT_EQ(am_pmu_is_sync(&pe, &pmu, 3).is, AM_RESERVED, "no counter");
}

/* Can all conditions of RNZLVW be true, or must they, if each may be taken before or after? */
static void mix(unsigned int old, unsigned int new, bool *can, bool *must)
{
	unsigned int choice, conditions, i;

	*can = false;
	*must = true;
	for (choice = 0; choice < 16; choice++) {
		conditions = 0;
		for (i = 0; i < 4; i++)
			conditions |= (choice >> i & 1 ? new : old) & 1U << i;
		if (conditions == 0xF)
			*can = true;
		else
			*must = false;
	}
}

/* Conditions of RNZLVW on @c: INTEN; synchronous mode and enabled; flag; deliverable */
static void set_conditions(struct am_pe *pe, struct am_pmu *pmu, unsigned int c,
			   unsigned int conditions, unsigned int how)
{
	u64 flag = 1ULL << c;

	*pe = table_pe;
	pe->feat |= AM_FEAT_PMUV3_ICNTR;
	pe->mdcr_el3 = 1ULL << 40;
	pe->mdcr_el2 = 1ULL << 40 | 2;
	*pmu = (struct am_pmu){ .counters = 2, .pmcr = 1, .pmcnten = flag, .pmecr = 3 };
	pmu->pminten = conditions & 1 ? flag : ~flag;
	pmu->pmovs = conditions & 4 ? flag : ~flag;
	pmu->sync_events = 3;
	pmu->pmevtyper[c & 1] = c < 31 ? 1ULL << 58 : 0;
	pmu->pmicfiltr = c == INSTRUCTIONS ? 1ULL << 58 : 0;
	if (!(conditions & 2)) {
		/* One of the ways to fail it */
		switch (how % 4) {
		case 0:
			pmu->pmcr = 0;
			break;
		case 1:
			pmu->pmcnten = ~flag;
			break;
		case 2:
			pmu->pmevtyper[c & 1] = 0;
			pmu->pmicfiltr = 0;
			break;
		default:
			pmu->pmcr = 0;
			pmu->pmcnten = 0;
		}
	}
	if (!(conditions & 8)) {
		switch (how / 4 % 3) {
		case 0:
			pe->el = 1;		/* KPME is 0 */
			break;
		case 1:
			pmu->pmecr = 0;		/* disabled */
			break;
		default:
			pe->el = 2;		/* above the target */
		}
	}
}

/* Rules: RNZLVW IHMXCY RMQDPX INPRDL RGHRZF RKYPTP RHTPDY ITSHPG */
/* Reading: F1-18 M-11 M-15 F3-2 */
static void test_retire(void)
{
	static const u8 counters[] = { 0, 1, INSTRUCTIONS };
	struct am_pe pe, after;
	struct am_pmu pmu, pmu_after;
	struct am_retired insn;
	struct am_verdict verdict;
	unsigned int n, how, i, c;
	bool can, must, counted;
	int expected;

	/* n: conditions before and after, counted, exception; how they fail */
	for (n = 0; n < 1024; n++) {
		for (how = 0; how < 12; how++) {
			for (i = 0; i < ARRAY_LEN(counters); i++) {
				c = counters[i];
				set_conditions(&pe, &pmu, c, n & 15, how);
				set_conditions(&after, &pmu_after, c, n >> 4 & 15, how);
				counted = bit(n, 8);
				insn = (struct am_retired){ .exception = bit(n, 9) };
				insn.counted = counted ? 1ULL << c : ~(1ULL << c);
				mix(n & 15, n >> 4 & 15, &can, &must);
				expected = !counted || insn.exception || !can ?
					   AM_PPEND_UNCHANGED : must ? AM_PPEND_SET :
					   AM_PPEND_EITHER;
				verdict = am_pmu_retire(&pe, &pmu, &after, &pmu_after, &insn);
				EXPECT(verdict.is == expected, "counter %u, %#x, %u: %d, not %d", c,
				       n, how, verdict.is, expected);
				EXPECT(verdict.why == (expected == AM_PPEND_SET ?
				       AM_WHY_PMU_PENDS : expected == AM_PPEND_EITHER ?
				       AM_WHY_PMU_PENDS_EITHER : AM_WHY_PMU_PENDS_NOTHING),
				       "reason %u", verdict.why);
				if (expected != AM_PPEND_UNCHANGED)
					EXPECT_EQ(verdict.detail, c, "counter");
				/* The same for an exception return that does not unmask */
				insn.eret = true;
				if (bit(n, 3) || !bit(n, 7))
					EXPECT_EQ(am_pmu_retire(&pe, &pmu, &after, &pmu_after,
								&insn).is, expected, "return");
			}
		}
	}

	/* A return that unmasks the exception counts as masked, whichever way it unmasks */
	for (n = 0; n < 4; n++) {
		set_conditions(&pe, &pmu, 0, 7, 0);
		set_conditions(&after, &pmu_after, 0, 15, 0);
		if (n & 1) {
			pe.pm = true;
			pmu.pmecr = 7;
			pmu_after.pmecr = 7;
		}
		if (n & 2) {
			pe.feat &= ~AM_FEAT_AA64;
			pe.aa32 = 0xF;
			after.feat = pe.feat;
			after.aa32 = pe.aa32;
		}
		insn = (struct am_retired){ .counted = 1, .eret = true };
		verdict = am_pmu_retire(&pe, &pmu, &after, &pmu_after, &insn);
		EXPECT(verdict.is == AM_PPEND_UNCHANGED && verdict.why == AM_WHY_PMU_RETURN_UNMASKS,
		       "return that unmasks: %d, reason %u", verdict.is, verdict.why);
	}
	/* A return that enables the exception is like any other instruction */
	set_conditions(&pe, &pmu, 0, 7, 4);
	verdict = am_pmu_retire(&pe, &pmu, &after, &pmu_after, &insn);
	EXPECT_EQ(verdict.is, AM_PPEND_EITHER, "return that enables");

	/* A counter that must pend takes precedence over one that may */
	set_conditions(&pe, &pmu, 0, 15, 0);
	pmu.pmcnten = 3;
	pmu.pmovs = 3;
	pmu.pminten = 3;
	pmu.pmevtyper[1] = 1ULL << 58;
	pmu_after = pmu;
	pmu_after.pminten = 2;
	insn = (struct am_retired){ .counted = 3 };
	verdict = am_pmu_retire(&pe, &pmu, &pe, &pmu_after, &insn);
	EXPECT(verdict.is == AM_PPEND_SET && verdict.detail == 1, "two counters: %d, counter %u",
	       verdict.is, verdict.detail);
	/* Of two counters that may, the first is named */
	pmu_after.pminten = 0;
	verdict = am_pmu_retire(&pe, &pmu, &pe, &pmu_after, &insn);
	EXPECT(verdict.is == AM_PPEND_EITHER && verdict.detail == 0, "two that may: counter %u",
	       verdict.detail);

	pe.feat &= ~AM_FEAT_SEBEP;
	for (n = 0; n < 2; n++) {
		pe.aa32 = n ? 0xF : 0;
		verdict = am_pmu_retire(&pe, &pmu, &pe, &pmu, &insn);
		EXPECT(verdict.is == AM_PPEND_UNCHANGED && verdict.why == AM_WHY_PMU_NO_SEBEP,
		       "without FEAT_SEBEP: %d", verdict.is);
	}
}

/* Rules: RNZLVW RMQDPX INPRDL */
static void test_pmiar(void)
{
	static const u64 addresses[] = { 0, 4, 0xFFFF800012345678, 0x0000AAAA9BCDEF02, ~0ULL };
	struct am_value pmiar;
	unsigned int n, i;
	u64 old, new;

	for (n = 0; n < ARRAY_LEN(addresses) * ARRAY_LEN(addresses); n++) {
		old = addresses[n / ARRAY_LEN(addresses)] & ~3ULL;
		new = addresses[n % ARRAY_LEN(addresses)];
		EXPECT(am_same(am_pmu_pmiar(AM_PPEND_UNCHANGED, old, new), am_known(old)),
		       "PMIAR_EL1 is left alone");
		/* A T32 address may have bit 1 set, which PMIAR_EL1 has no room for */
		new = new / 4 * 4;
		pmiar = am_pmu_pmiar(AM_PPEND_SET, old, addresses[n % ARRAY_LEN(addresses)]);
		EXPECT(am_same(pmiar, am_known(new)), "PMIAR_EL1 is the address");
		pmiar = am_pmu_pmiar(AM_PPEND_EITHER, old, new);
		for (i = 0; i < 64; i++)
			EXPECT(bit(pmiar.unknown, i) == (bit(old, i) != bit(new, i)) &&
			       bit(pmiar.value, i) == (bit(old, i) && bit(new, i)),
			       "bit %u of PMIAR_EL1, one of two addresses", i);
	}
}

/* PSTATE.PPEND */

/* The cell of Table D13-2 for one side of an exception return */
static const char *masked_name(unsigned int target, bool masked)
{
	if (target == PS_DISABLED)
		return "Disabled";
	return masked ? "Masked" : "Unmasked";
}

static bool cell_covers(struct am_cell cell, const char *name)
{
	return am_cell_is(cell, name) || (am_cell_is(cell, "Disabled or masked") && name[0] != 'U');
}

/*
 * The entry of Table D13-2 for a return that counter 0 counts as a synchronous event, if the other
 * conditions of RNZLVW are true
 */
static const char *behavior_of_return(const struct am_pe *pe, const struct am_pmu *pmu,
				      unsigned int to_el, bool pm, bool restores)
{
	const struct am_retired eret = { .counted = 1, .eret = true };
	struct am_pmu counting = {
		.counters = 1, .pmcr = 1, .pmcnten = 1, .pminten = 1, .pmovs = 1,
		.pmevtyper = { 1ULL << 58 }, .sync_events = 1, .pmecr = pmu->pmecr,
	};
	struct am_pe before = *pe, after;

	before.mdcr_el2 |= 1;
	after = before;
	after.el = to_el;
	after.pm = pm;
	switch (am_pmu_retire(&before, &counting, &after, &counting, &eret).is) {
	case AM_PPEND_SET:
		return "PSTATE.PPEND might be set by RNZLVW.";
	case AM_PPEND_EITHER:
		return "Might be CONSTRAINED UNPREDICTABLE.";
	default:
		return restores ? "PSTATE.PPEND is set to SPSR_ELx.PPEND." :
				  "PSTATE.PPEND is set to 0.";
	}
}

static void expect_return(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int to_el,
			  bool pm)
{
	unsigned int target = ps_pmu_exception_enabled(pe, pmu), rows = 0;
	const char *text = table_d13_2, *before, *after, *behavior;
	struct am_pe returned = *pe;
	struct am_verdict verdict;
	struct am_row row;
	bool restores;

	/* An illegal return does not change the level */
	returned.el = to_el;
	if (!ps_is_possible(&returned))
		to_el = pe->el;

	verdict = am_ppend_return(pe, pmu, to_el, pm);
	restores = ps_exception_return_ppend(pe, pmu, false, to_el, pm);
	before = masked_name(target, target != PS_DISABLED &&
			     ps_pmu_exception_masked(pe, pmu, target, pe->el, pe->pm));
	after = masked_name(target, target != PS_DISABLED &&
			    ps_pmu_exception_masked(pe, pmu, target, to_el, pm));
	EXPECT(verdict.is == (restores ? AM_RETURN_RESTORE : AM_RETURN_CLEAR) &&
	       verdict.why == AM_WHY_PPEND_CASE, "%s, then %s: %d, reason %u", before, after,
	       verdict.is, verdict.why);

	behavior = behavior_of_return(pe, pmu, to_el, pm, restores);
	am_table_line(&text, &row);
	while (am_table_line(&text, &row)) {
		if (!cell_covers(row.cell[1], before) || !cell_covers(row.cell[2], after))
			continue;
		rows++;
		EXPECT(verdict.detail == (unsigned int)(row.cell[0].text[0] - '0') &&
		       am_cell_is(row.cell[3], behavior), "%s, then %s: case %u: %s", before,
		       after, verdict.detail, behavior);
	}
	REQUIRE(rows == 1, "%s, then %s: %u rows of Table D13-2", before, after, rows);
}

/* Rules: RBVBYS ICCQDC RGHRZF RMQDPX IBHLTG */
static void test_return(void)
{
	struct am_pe_walk walk = { .step = 0 };
	unsigned long cases[5] = { 0 };
	struct am_pmu pmu = { .counters = 1 };
	struct am_verdict verdict;
	unsigned int n, to_el, i;
	const char *text = table_d13_2;
	struct am_row row;
	struct am_pe pe;

	REQUIRE(am_table_line(&text, &row) && am_cell_is(row.cell[0], "Case") &&
		am_cell_is(row.cell[1], "Before return") &&
		am_cell_is(row.cell[2], "After return") &&
		am_cell_is(row.cell[3], "Behavior of return"), "unexpected columns");
	while (next_state(&walk)) {
		pe = walk.pe;
		pe.feat |= AM_FEAT_SEBEP;
		if (!walk.possible) {
			for (n = 0; n < 4; n++) {
				pe.pm = n & 1;
				pe.halted = n & 2;
				EXPECT_EQ(am_ppend_return(&pe, &pmu, 0, false).is, AM_RESERVED,
					  "impossible");
				EXPECT_EQ(am_ppend_debug_exit(&pe, &pmu, 0, false).is, AM_RESERVED,
					  "impossible");
				EXPECT_EQ(am_pmu_exception(&pe, &pmu).is, AM_RESERVED,
					  "impossible");
			}
			continue;
		}
		/* n: controls, PSTATE.PM; SPSR_ELx.PM */
		for (n = 0; n < 512; n++) {
			set_exception(&pe, &pmu, (n & 255) | 512);
			for (to_el = 0; to_el <= pe.el; to_el++) {
				expect_return(&pe, &pmu, to_el, n >> 8);
				cases[am_ppend_return(&pe, &pmu, to_el, n >> 8).detail]++;
			}
		}
	}
	for (i = 1; i <= 4; i++)
		REQUIRE(cases[i] > 100, "case %u: %lu times", i, cases[i]);

	pe = table_pe;
	pe.halted = true;
	verdict = am_ppend_return(&pe, &pmu, 0, false);
	EXPECT(verdict.is == AM_RESERVED && verdict.why == AM_WHY_PMU_DEBUG_MASKED, "Debug state");
	pe.halted = false;
	pe.feat &= ~AM_FEAT_SEBEP;
	verdict = am_ppend_return(&pe, &pmu, 0, false);
	EXPECT(verdict.is == AM_RETURN_CLEAR && verdict.why == AM_WHY_PMU_NO_SEBEP,
	       "without FEAT_SEBEP");
}

/* Rules: RBVBYS RGBQFX RNHRCY RGHRZF */
static void test_entry_and_debug(void)
{
	struct am_pe_walk walk = { .step = 0 };
	struct am_pmu pmu = { .counters = 1 };
	struct am_debug_ppend entry;
	struct am_verdict verdict;
	unsigned int n, to_el, target;
	bool sebep, ppend, restores;
	struct am_pe pe;
	u64 spsr;

	/* Exception entry: no other bit of SPSR_ELx changes */
	for (n = 0; n < 8; n++) {
		pe = table_pe;
		sebep = bit(n, 0);
		ppend = bit(n, 1);
		pe.feat &= ~(sebep ? 0 : AM_FEAT_SEBEP);
		pe.ppend = ppend;
		spsr = bit(n, 2) ? ~0ULL : 0;
		EXPECT_EQ(am_ppend_entry(&pe, spsr), !sebep ? spsr : ppend ?
			  spsr | 1ULL << 33 : spsr & ~(1ULL << 33), "SPSR_ELx");
		EXPECT_EQ(pe.ppend, ppend && !sebep, "PSTATE.PPEND");
	}

	/* Entry to Debug state, with and without AArch64 */
	for (n = 0; n < 32; n++) {
		pe = table_pe;
		pe.feat &= ~(bit(n, 0) ? 0 : AM_FEAT_SEBEP) & ~(bit(n, 4) ? AM_FEAT_AA64 : 0);
		pe.ppend = bit(n, 1);
		pe.aa32 = bit(n, 4) ? 0xF : bit(n, 2);
		pe.el = bit(n, 3);
		entry = am_ppend_debug_entry(&pe);
		EXPECT_EQ(entry.saved, (n & 3) == 3, "saved");
		EXPECT_EQ(entry.ppend, false, "PPEND");
		EXPECT_EQ(entry.unknown, bit(n, 0) && (pe.aa32 & 1) && !pe.el, "UNKNOWN");
	}

	/* Exit: from AArch32 to EL0, which no target is below, or from AArch64 to any level */
	while (next_state(&walk)) {
		if (!walk.possible || (walk.pe.aa32 & ~1))
			continue;
		pe = walk.pe;
		pe.feat |= AM_FEAT_EBEP;
		pe.mdcr_el3 = 3ULL << 40;
		pmu.pmecr = 7;
		verdict = am_ppend_debug_exit(&pe, &pmu, 0, false);
		EXPECT(verdict.is == AM_RETURN_CLEAR && verdict.why == AM_WHY_PMU_NO_SEBEP,
		       "exit from EL%u without FEAT_SEBEP", pe.el);
		pe = walk.pe;
		pe.feat |= AM_FEAT_SEBEP;
		for (n = 0; n < 256; n++) {
			set_exception(&pe, &pmu, (n & 127) | 768);
			target = ps_pmu_exception_enabled(&pe, &pmu);
			for (to_el = 0; to_el <= pe.el; to_el++) {
				restores = ps_exception_return_ppend(&pe, &pmu, true, to_el,
								     n >> 7);
				verdict = am_ppend_debug_exit(&pe, &pmu, to_el, n >> 7);
				EXPECT(verdict.is == (restores ? AM_RETURN_RESTORE :
						      AM_RETURN_CLEAR), "EL%u to EL%u: %d",
				       pe.el, to_el, verdict.is);
				EXPECT(restores ? verdict.why == AM_WHY_PPEND_DEBUG_EXIT :
				       target == PS_DISABLED ?
				       verdict.why == am_pmu_route(&pe, &pmu).why &&
				       verdict.detail == am_pmu_route(&pe, &pmu).detail :
				       verdict.why == AM_WHY_PMU_ABOVE_TARGET ||
				       verdict.why == AM_WHY_PMU_EL2_DELEGATES ||
				       verdict.why == AM_WHY_PMU_KPME ||
				       verdict.why == AM_WHY_PMU_PM, "reason %u", verdict.why);
			}
		}
	}
	pe.feat &= ~AM_FEAT_SEBEP;
	pmu.pmecr = 7;
	verdict = am_ppend_debug_exit(&pe, &pmu, 0, false);
	EXPECT_EQ(verdict.is, AM_RETURN_CLEAR, "exit without FEAT_SEBEP");
	EXPECT_EQ(verdict.why, AM_WHY_PMU_NO_SEBEP, "exit without FEAT_SEBEP");

	/* An invalid level in AArch32: there must be an answer, and no shift by too many bits */
	pe = table_pe;
	pe.aa32 = 0xF;
	pe.el = 255;
	EXPECT_EQ(am_ppend_debug_entry(&pe).unknown, false, "no such level");
	EXPECT_EQ(am_ppend_debug_exit(&pe, &pmu, 0, false).is, AM_RESERVED, "no such level");
}

/*
 * All states of a PE. Increments, chains, freezing of BRBE and PSTATE.PPEND depend on the Exception
 * level, EL2, AArch32 and PSTATE.PM only through the exception. A test at one Exception level would
 * not notice another dependence.
 */

/* Bits 0 to 3: the conditions of RNZLVW on counter @c, computed by the pseudocode's functions */
static unsigned int pends_conditions(const struct am_pe *pe, const struct am_pmu *pmu,
				     unsigned int c)
{
	enum ps_range range = ps_get_pmu_counter_range(pe, pmu, c);
	unsigned int target = ps_pmu_exception_enabled(pe, pmu);
	bool global = range == PS_R1 ? bit(pmu->pmcr, 0) : range == PS_R2 ? bit(pe->mdcr_el2, 7) :
		      range == PS_R3 && bit(pmu->pmccr, 7);
	bool sync = c == INSTRUCTIONS ? bit(pmu->pmicfiltr, 58) :
		    c < 31 && bit(pmu->pmevtyper[c], 58) && bit(pmu->sync_events, c);
	bool deliverable = target != PS_DISABLED &&
			   !ps_pmu_exception_masked(pe, pmu, target, pe->el, pe->pm);

	return bit(pmu->pminten, c) | (sync && global && bit(pmu->pmcnten, c)) << 1 |
	       bit(pmu->pmovs, c) << 2 | deliverable << 3;
}

static void expect_retire(const struct am_pe *pe, const struct am_pmu *pmu,
			  const struct am_pe *after, const struct am_pmu *pmu_after, u64 counted)
{
	struct am_retired insn = { .counted = counted };
	struct am_verdict verdict = am_pmu_retire(pe, pmu, after, pmu_after, &insn);
	int expected = AM_PPEND_UNCHANGED;
	unsigned int c;
	bool can, must;

	for (c = 0; c <= INSTRUCTIONS; c++) {
		if (!bit(counted, c) || ps_get_pmu_counter_range(pe, pmu, c) == PS_R_NONE)
			continue;
		mix(pends_conditions(pe, pmu, c), pends_conditions(after, pmu_after, c), &can,
		    &must);
		if (must)
			expected = AM_PPEND_SET;
		else if (can && expected == AM_PPEND_UNCHANGED)
			expected = AM_PPEND_EITHER;
	}
	EXPECT(verdict.is == expected, "at EL%u, counted %#llx: %d, expected %d", pe->el,
	       (unsigned long long)counted, verdict.is, expected);
	insn.exception = true;
	verdict = am_pmu_retire(pe, pmu, after, pmu_after, &insn);
	EXPECT(verdict.is == AM_PPEND_UNCHANGED && verdict.why == AM_WHY_PMU_PENDS_NOTHING,
	       "with an exception at EL%u: %d", pe->el, verdict.is);
}

/* A PMU with several counters that often pend an exception */
static void any_sync_pmu(struct am_pe *pe, struct am_pmu *pmu, u64 *random)
{
	unsigned int i, n = am_random(random);

	pe->feat |= AM_FEAT_PMUV3_ICNTR | AM_FEAT_HPMN0 | AM_FEAT_SEBEP | AM_FEAT_BRBE |
		    (am_random(random) & (AM_FEAT_PMUV3P5 | AM_FEAT_PMUV3P7 | AM_FEAT_AA32));
	/* FEAT_PMUv3_EXTPMN was introduced after FEAT_PMUv3p5 */
	pe->feat |= pe->feat & AM_FEAT_PMUV3P5 ? AM_FEAT_PMUV3_EXTPMN : 0;
	set_exception(pe, pmu, n | (n & 1024 ? 0 : 0x21F));
	pe->feat |= AM_FEAT_EBEP;
	pe->mdcr_el2 &= ~0xFFFFFFFFULL;
	pe->mdcr_el2 |= (am_random(random) & 0x24000080) | 0x80 | (n >> 12 & 3);
	pmu->counters = 6;
	pmu->pmccr = 0x80 | (4 + (n >> 14 & 1));
	pmu->pmcr = am_random(random) | 1;
	pmu->pmcnten = am_random(random) | am_random(random);
	pmu->pmovs = am_random(random) | am_random(random);
	pmu->pminten = am_random(random) | am_random(random);
	pmu->sync_events = am_random(random) | am_random(random);
	for (i = 0; i < 31; i++)
		pmu->pmevtyper[i] = am_random(random) | (n & 1 << 16 ? 1ULL << 58 : 0);
	pmu->pmicfiltr = am_random(random);
	pmu->pmccfiltr = am_random(random);
}

/* Rules: RQZJKS RNTZHW RFBGFH S3-c IZWQTX RNZLVW RMQDPX RHTPDY RGWLVY RSCBDZ */
static void test_all_states(void)
{
	static const u8 counters[] = { 0, 1, 2, 3, 4, 5, CYCLES, INSTRUCTIONS };
	struct am_pe_walk walk = { .step = 0 };
	struct am_pmu pmu = {}, pmu_after;
	unsigned long seen[3] = { 0 };
	struct am_pe pe, after;
	unsigned int draw, c;
	u64 random = 10, counted;
	bool fzp1, fzp2;

	while (next_state(&walk)) {
		if (!walk.possible)
			continue;
		for (draw = 0; draw < 16; draw++) {
			pe = walk.pe;
			any_sync_pmu(&pe, &pmu, &random);
			expect_delivery(&pe, &pmu);
			c = counters[am_random(&random) % ARRAY_LEN(counters)];
			expect_increment(&pe, &pmu, c,
					 values[am_random(&random) % ARRAY_LEN(values)],
					 steps[am_random(&random) % ARRAY_LEN(steps)]);
			expect_chain(&pe, &pmu, c);
			expect_overflows(&pe, &pmu);
			fzp1 = am_random(&random) & 1;
			fzp2 = am_random(&random) & 1;
			EXPECT(am_pmu_freezes_brbe(&pe, &pmu, true, fzp1, fzp2).is ==
			       !!ps_should_brbe_freeze(&pe, &pmu, true, fzp1, fzp2), "BRBE");

			/* Change nothing, or change something that the conditions depend on */
			after = pe;
			pmu_after = pmu;
			counted = seldom(&random) & 0x1FFFFFFFF;
			expect_retire(&pe, &pmu, &after, &pmu_after, counted);
			pmu_after.pminten ^= seldom(&random);
			pmu_after.pmcnten ^= seldom(&random);
			pmu_after.pmcr ^= am_random(&random) & 1;
			after.pm ^= am_random(&random) & 1;
			expect_retire(&pe, &pmu, &after, &pmu_after, counted);
			seen[am_pmu_retire(&pe, &pmu, &after, &pmu_after,
					   &(struct am_retired){ .counted = counted }).is]++;
		}
	}
	REQUIRE(seen[AM_PPEND_UNCHANGED] > 1000 && seen[AM_PPEND_SET] > 1000 &&
		seen[AM_PPEND_EITHER] > 1000, "%lu unchanged, %lu set, %lu either", seen[0],
		seen[1], seen[2]);
}

const struct am_test am_tests_pmu[] = {
	{ "Table D13-1", test_table_d13_1, 2016 },
	{ "enabled, masked, and for whom", test_delivery, 4082544 },
	{ "overflow conditions", test_overflow_conditions, 167936 },
	{ "interrupt, exception, CTI and halt", test_signals, 159363 },
	{ "freezing branch recording", test_brbe, 2048 },
	{ "increments", test_increment, 2032376 },
	{ "D14.7, synchronous events", test_sync_events, 262144 },
	{ "synchronous mode", test_sync_mode, 137 },
	{ "instructions that pend an exception", test_retire, 104301 },
	{ "overflow and retirement, all states", test_all_states, 509952 },
	{ "the address in PMIAR_EL1", test_pmiar, 1650 },
	{ "Table D13-2, PPEND on return", test_return, 4592802 },
	{ "PPEND on entry and in Debug state", test_entry_and_debug, 918418 },
	{ NULL, NULL, 0 },
};
