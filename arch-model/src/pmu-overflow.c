// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an overflow is and does; see pmu.h. Written from the rules of D13.3.
 */
#include <arch-model/control-regs.h>
#include <arch-model/pmu-regs.h>
#include <arch-model/pmu.h>

/* Counters */

/* Rules: RQZJKS RFBGFH RNTZHW */
/* Reading: M-16 */
unsigned int am_pmu_width(const struct am_pe *pe, unsigned int n)
{
	if (n == AM_CYCLE_COUNTER || n == AM_INSTRUCTION_COUNTER)
		return 64;
	return am_has(pe, AM_FEAT_PMUV3P5) ? 64 : 32;
}

static struct am_verdict am_long_if(bool is_long, enum am_why why)
{
	return am_verdict_of(is_long ? 64 : 32, why, is_long);
}

/* Rules: RQZJKS RFBGFH RNTZHW IZNDRG */
struct am_verdict am_pmu_overflow_bits(const struct am_pe *pe, const struct am_pmu *pmu,
				       unsigned int n)
{
	struct am_verdict range = am_pmu_range(pe, pmu, n);
	bool exception = am_is_taken(am_pmu_route(pe, pmu).is);

	if (range.is == AM_RESERVED)
		return range;
	if (n == AM_INSTRUCTION_COUNTER)
		return am_verdict(64, AM_WHY_PMU_LONG_INSTRUCTIONS);
	if (n == AM_CYCLE_COUNTER) {
		if (!am_has(pe, AM_FEAT_AA32))
			return am_verdict(64, AM_WHY_PMU_LC_RES1);
		if (exception)
			return am_verdict(64, AM_WHY_PMU_LC_EBEP);
		return am_long_if(pmu->pmcr & PMCR_LC, AM_WHY_PMU_LC);
	}

	if (am_pmu_width(pe, n) == 32)
		return am_verdict(32, AM_WHY_PMU_SHORT);
	if (range.is == AM_RANGE_3)
		return am_verdict(64, AM_WHY_PMU_LONG_RANGE_3);
	if (exception)
		return am_verdict(64, AM_WHY_PMU_LONG_EBEP);
	if (range.is == AM_RANGE_2)
		return am_long_if(pe->mdcr_el2 & MDCR_EL2_HLP, AM_WHY_PMU_HLP);
	return am_long_if(pmu->pmcr & PMCR_LP, AM_WHY_PMU_LP);
}

/* Rules: S3-c */
struct am_verdict am_pmu_chain(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	struct am_verdict bits = am_pmu_overflow_bits(pe, pmu, n);
	struct am_verdict range = am_pmu_range(pe, pmu, n), next = am_pmu_range(pe, pmu, n + 1);
	bool fzo = range.is == AM_RANGE_1 ? pmu->pmcr & PMCR_FZO :
					    pe->mdcr_el2 & MDCR_EL2_HPMFZO;

	if (n + 1 >= pmu->counters)
		return am_verdict_of(AM_CHAIN_NO, AM_WHY_PMU_NO_COUNTER, n + 1);
	/* A reserved HPMN or EPMN is that of the lower counter in any case */
	if (bits.is == AM_RESERVED)
		return bits;
	if (n & 1)
		return am_verdict_of(AM_CHAIN_NO, AM_WHY_PMU_ODD, n);
	if (range.is == AM_RANGE_3)
		return am_verdict_of(AM_CHAIN_NO, range.why, n);
	if (bits.is == 64)
		return am_verdict_of(AM_CHAIN_NO, bits.why, bits.detail);
	if (range.is != next.is)
		return am_verdict_of(AM_CHAIN_EITHER, AM_WHY_PMU_CHAIN_RANGES, n + 1);
	if (am_has(pe, AM_FEAT_PMUV3P7) && fzo)
		return am_verdict_of(AM_CHAIN_EITHER, AM_WHY_PMU_CHAIN_FZO, n);
	return am_verdict_of(AM_CHAIN_YES, AM_WHY_PMU_CHAIN, n + 1);
}

/* Rules: RQZJKS RFBGFH RNTZHW RHTPDY IFYVTD IRYCLJ */
struct am_increment am_pmu_increment(const struct am_pe *pe, struct am_pmu *pmu, unsigned int n,
				     u64 value, u64 by)
{
	struct am_verdict bits = am_pmu_overflow_bits(pe, pmu, n);
	struct am_increment result = { .value = value };

	if (bits.is == AM_RESERVED)
		return result;
	/* All 64 bits count, wherever the overflow is; a narrow counter has only the low ones */
	result.value = value + by;
	if (bits.is == 64)
		result.overflow = result.value < value;
	else
		result.overflow = by > 0xFFFFFFFF - (u32)value;
	if (am_pmu_width(pe, n) == 32)
		result.value = (u32)result.value;
	if (result.overflow)
		pmu->pmovs |= 1ULL << n;
	return result;
}

/* Conditions */

static bool am_overflow_asks_enables(enum am_overflow_for what)
{
	return what == AM_OVERFLOW_IRQ || what == AM_OVERFLOW_EXCEPTION ||
	       what == AM_OVERFLOW_HALT;
}

/* Counters in synchronous mode have their own way to an exception, and freeze nothing */
static bool am_overflow_excludes_sync(enum am_overflow_for what)
{
	return what != AM_OVERFLOW_IRQ && what != AM_OVERFLOW_HALT;
}

static bool am_overflow_is_for(enum am_overflow_for what, unsigned int n, int range)
{
	if (am_overflow_asks_enables(what))
		return true;
	/* Freezing is about events: the cycle counter does not cause it */
	if (n == AM_CYCLE_COUNTER)
		return false;
	if (what == AM_OVERFLOW_FREEZE_1)
		return range == AM_RANGE_1;
	if (what == AM_OVERFLOW_FREEZE_2)
		return range == AM_RANGE_2;
	return range != AM_RANGE_3;
}

/* PMEVTYPER<n>_EL0.SYNC or PMICFILTR_EL0.SYNC, whether the event supports it or not */
static bool am_has_sync_set(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	enum am_why why = am_pmu_is_sync(pe, pmu, n).why;

	return why == AM_WHY_PMU_SYNC || why == AM_WHY_PMU_EVENT_NOT_SYNC;
}

/* Rules: RKBPMJ IHRJFC IYBSFJ IJMSPM IPPSLS IRYCLJ IXBXPG IZWQTX ILMKZN */
/* Reading: F1-19 F1-21 */
u64 am_pmu_overflows(const struct am_pe *pe, const struct am_pmu *pmu, enum am_overflow_for what)
{
	struct am_verdict range;
	unsigned int n;
	u64 flags = 0;

	for (n = 0; n <= AM_INSTRUCTION_COUNTER; n++) {
		range = am_pmu_range(pe, pmu, n);
		if (range.is == AM_RESERVED || !am_overflow_is_for(what, n, range.is))
			continue;
		if (!(pmu->pmovs & (1ULL << n)))
			continue;
		if (am_overflow_asks_enables(what) &&
		    (!(pmu->pminten & (1ULL << n)) || !am_pmu_global_enable(pe, pmu, n).is))
			continue;
		if (am_overflow_excludes_sync(what) && am_has_sync_set(pe, pmu, n))
			continue;
		flags |= 1ULL << n;
	}
	return flags;
}

/* Rules: IHRJFC IPFDLQ IPPSLS */
/* Reading: F1-22 */
bool am_pmuirq(const struct am_pe *pe, const struct am_pmu *pmu)
{
	return am_pmu_route(pe, pmu).is == AM_DELIVERY_IRQ &&
	       am_pmu_overflows(pe, pmu, AM_OVERFLOW_IRQ);
}

/* Rules: IPVBJQ IPFDLQ IPPSLS */
bool am_pmu_cti_trigger(const struct am_pe *pe, const struct am_pmu *pmu)
{
	return am_pmu_overflows(pe, pmu, AM_OVERFLOW_IRQ);
}

/* Rules: ILMKZN */
bool am_pmu_halts(const struct am_pe *pe, const struct am_pmu *pmu)
{
	return am_has(pe, AM_FEAT_PMUV3P9 | AM_FEAT_DEBUGV8P9) && (pmu->edecr & EDECR_PME) &&
	       am_pmu_overflows(pe, pmu, AM_OVERFLOW_HALT);
}

/* Rules: IZWQTX IRYCLJ */
bool am_pmu_freezes_brbe(const struct am_pe *pe, const struct am_pmu *pmu, bool recording,
			 bool fzp1, bool fzp2)
{
	u64 flags = am_pmu_overflows(pe, pmu, AM_OVERFLOW_BRBE);
	unsigned int n;

	if (!am_has(pe, AM_FEAT_BRBE) || !recording)
		return false;
	/* Without EL2 there is one range and no BRBCR_EL2; every overflow freezes then */
	if (!am_has(pe, AM_FEAT_EL2))
		return flags;
	for (n = 0; n <= AM_INSTRUCTION_COUNTER; n++) {
		if (!(flags & (1ULL << n)))
			continue;
		if (am_pmu_range(pe, pmu, n).is == AM_RANGE_1 ? fzp1 : fzp2)
			return true;
	}
	return false;
}
