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

static struct am_verdict am_overflow_bits(const struct am_pe *pe, const struct am_pmu *pmu,
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

/* Rules: RQZJKS RFBGFH RNTZHW */
struct am_verdict am_pmu_overflow_bits(const struct am_pe *pe, const struct am_pmu *pmu,
				       unsigned int n)
{
	return am_pmu_agree(pe, pmu, am_overflow_bits, n);
}

static struct am_verdict am_chain(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	struct am_verdict bits = am_pmu_overflow_bits(pe, pmu, n);
	struct am_verdict range = am_pmu_range(pe, pmu, n), next = am_pmu_range(pe, pmu, n + 1);
	bool fzo = range.is == AM_RANGE_1 ? pmu->pmcr & PMCR_FZO :
					    pe->mdcr_el2 & MDCR_EL2_HPMFZO;

	if (n + 1 >= pmu->counters)
		return am_verdict_of(AM_CHAIN_NO, AM_WHY_PMU_NO_COUNTER, n + 1);
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

/* Rules: S3-c */
struct am_verdict am_pmu_chain(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return am_pmu_agree(pe, pmu, am_chain, n);
}

/* Does @value + @by overflow its low @bits? */
static bool am_sum_overflows(u64 value, u64 by, int bits)
{
	return bits == 64 ? value + by < value : by > 0xFFFFFFFF - (u32)value;
}

/* Rules: RQZJKS RFBGFH RNTZHW RHTPDY IFYVTD IRYCLJ */
struct am_increment am_pmu_increment(const struct am_pe *pe, struct am_pmu *pmu, unsigned int n,
				     u64 value, u64 by)
{
	struct am_verdict bits = am_pmu_overflow_bits(pe, pmu, n);
	struct am_increment result = { .value = value };

	if (bits.why == AM_WHY_PMU_NO_COUNTER)
		return result;
	/* All 64 bits count, wherever the overflow is; a narrow counter has only the low ones */
	result.value = value + by;
	if (am_pmu_width(pe, n) == 32)
		result.value = (u32)result.value;

	result.overflow = am_sum_overflows(value, by, bits.is == AM_RESERVED ? 64 : bits.is);
	if (bits.is == AM_RESERVED && result.overflow != am_sum_overflows(value, by, 32)) {
		result.overflow = false;
		result.either = true;
	}
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

/* Does the flag of a counter reach @what, and if not: what does it lack? */
static struct am_verdict am_overflow_at(const struct am_pe *pe, const struct am_pmu *pmu,
					enum am_overflow_for what, unsigned int n)
{
	struct am_verdict range = am_pmu_range(pe, pmu, n), enable;

	if (range.is == AM_RESERVED || !am_overflow_is_for(what, n, range.is))
		return am_verdict(false, AM_WHY_PMU_NO_OVERFLOW);
	if (!(pmu->pmovs & (1ULL << n)))
		return am_verdict(false, AM_WHY_PMU_NO_OVERFLOW);
	if (am_overflow_excludes_sync(what) && am_has_sync_set(pe, pmu, n))
		return am_verdict_of(false, AM_WHY_PMU_OVERFLOW_SYNC, n);
	if (!am_overflow_asks_enables(what))
		return am_verdict_of(true, AM_WHY_PMU_FLAG, n);
	if (!(pmu->pminten & (1ULL << n)))
		return am_verdict_of(false, AM_WHY_PMU_INTEN, n);
	enable = am_pmu_global_enable(pe, pmu, n);
	if (!enable.is)
		return enable;
	return am_verdict_of(true, AM_WHY_PMU_FLAG, n);
}

/* The argument of a decision: a use of overflow and a counter */
static unsigned int am_use_of(enum am_overflow_for what, unsigned int n)
{
	return what << 8 | n;
}

static struct am_verdict am_is_flagged(const struct am_pe *pe, const struct am_pmu *pmu,
				       unsigned int use)
{
	return am_overflow_at(pe, pmu, (enum am_overflow_for)(use >> 8), use & 0xFF);
}

/* Rules: RKBPMJ IHRJFC IYBSFJ IJMSPM IRYCLJ IXBXPG IZWQTX ILMKZN */
/* Reading: F1-19 F1-21 */
struct am_value am_pmu_overflows(const struct am_pe *pe, const struct am_pmu *pmu,
				 enum am_overflow_for what)
{
	struct am_value flags = am_known(0);
	unsigned int n;
	int flagged;

	for (n = 0; n <= AM_INSTRUCTION_COUNTER; n++) {
		flagged = am_pmu_agree(pe, pmu, am_is_flagged, am_use_of(what, n)).is;
		if (flagged == AM_RESERVED)
			flags.unknown |= 1ULL << n;
		else if (flagged)
			flags.value |= 1ULL << n;
	}
	return flags;
}

/* How far a flag came before something stopped it: the order of am_overflow_at() */
static unsigned int am_progress(enum am_why why)
{
	switch (why) {
	case AM_WHY_PMU_NO_OVERFLOW:
		return 0;
	case AM_WHY_PMU_OVERFLOW_SYNC:
		return 1;
	case AM_WHY_PMU_INTEN:
		return 2;
	default:
		return 3;
	}
}

static struct am_verdict am_overflow_for(const struct am_pe *pe, const struct am_pmu *pmu,
					 unsigned int what)
{
	struct am_verdict answer = am_verdict(false, AM_WHY_PMU_NO_OVERFLOW), counter;
	unsigned int n;

	for (n = 0; n <= AM_INSTRUCTION_COUNTER; n++) {
		counter = am_overflow_at(pe, pmu, (enum am_overflow_for)what, n);
		if (counter.is)
			return counter;
		if (am_progress(counter.why) > am_progress(answer.why))
			answer = counter;
	}
	return answer;
}

/* Rules: RKBPMJ IHRJFC IYBSFJ IJMSPM */
struct am_verdict am_pmu_overflow_for(const struct am_pe *pe, const struct am_pmu *pmu,
				      enum am_overflow_for what)
{
	return am_pmu_agree(pe, pmu, am_overflow_for, what);
}

/* Rules: IHRJFC IPFDLQ */
/* Reading: F1-22 */
struct am_verdict am_pmuirq(const struct am_pe *pe, const struct am_pmu *pmu)
{
	struct am_verdict route = am_pmu_route(pe, pmu);

	if (route.is != AM_DELIVERY_IRQ)
		return am_verdict_of(false, route.why, route.detail);
	return am_pmu_overflow_for(pe, pmu, AM_OVERFLOW_IRQ);
}

/* Rules: IPVBJQ IPFDLQ */
struct am_verdict am_pmu_cti_trigger(const struct am_pe *pe, const struct am_pmu *pmu)
{
	return am_pmu_overflow_for(pe, pmu, AM_OVERFLOW_IRQ);
}

/* Rules: ILMKZN */
struct am_verdict am_pmu_halts(const struct am_pe *pe, const struct am_pmu *pmu)
{
	if (!am_has(pe, AM_FEAT_PMUV3P9 | AM_FEAT_DEBUGV8P9))
		return am_verdict(false, AM_WHY_PMU_NO_HALT);
	if (!(pmu->edecr & EDECR_PME))
		return am_verdict(false, AM_WHY_PMU_PME);
	return am_pmu_overflow_for(pe, pmu, AM_OVERFLOW_HALT);
}

/* Does the overflow of a counter freeze BRBE, if BRBCR_EL1.FZP and BRBCR_EL2.FZP are these? */
static struct am_verdict am_freezes_brbe(const struct am_pe *pe, const struct am_pmu *pmu,
					 unsigned int fzp)
{
	unsigned int n;
	int range;

	for (n = 0; n <= AM_INSTRUCTION_COUNTER; n++) {
		if (!am_overflow_at(pe, pmu, AM_OVERFLOW_BRBE, n).is)
			continue;
		range = am_pmu_range(pe, pmu, n).is;
		/* Without EL2 there is one range and no BRBCR_EL2; every overflow freezes then */
		if (!am_has(pe, AM_FEAT_EL2) || (fzp & (range == AM_RANGE_1 ? 1 : 2)))
			return am_verdict_of(true, AM_WHY_PMU_FLAG, n);
	}
	return am_verdict(false, AM_WHY_PMU_NO_FREEZE);
}

/* Rules: IZWQTX IRYCLJ */
struct am_verdict am_pmu_freezes_brbe(const struct am_pe *pe, const struct am_pmu *pmu,
				      bool recording, bool fzp1, bool fzp2)
{
	if (!am_has(pe, AM_FEAT_BRBE) || !recording)
		return am_verdict(false, AM_WHY_PMU_NO_BRBE);
	return am_pmu_agree(pe, pmu, am_freezes_brbe, fzp1 | fzp2 << 1);
}
