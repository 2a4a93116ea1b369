// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the control registers say of a counter and of the exception, apart from what it counts: its
 * range, enable, type and mode, and where an overflow is routed; see pmu.h. Counting, overflow and
 * exception all start from here, and this file from none of them.
 */
#include <arch-model/control-regs.h>
#include <arch-model/pmu-regs.h>
#include <arch-model/pmu.h>

/* Ranges */

static unsigned int am_effective_epmn(const struct am_pe *pe, const struct am_pmu *pmu)
{
	if (!am_has(pe, AM_FEAT_PMUV3_EXTPMN))
		return pmu->counters;
	return FIELD_GET(PMCCR_EPMN, pmu->pmccr);
}

static bool am_epmn_is_reserved(const struct am_pe *pe, const struct am_pmu *pmu)
{
	return am_effective_epmn(pe, pmu) > pmu->counters;
}

static bool am_hpmn_is_reserved(const struct am_pe *pe, const struct am_pmu *pmu)
{
	unsigned int hpmn = FIELD_GET(MDCR_EL2_HPMN, pe->mdcr_el2);

	if (!am_has(pe, AM_FEAT_EL2))
		return false;
	if (!hpmn)
		return !am_has(pe, AM_FEAT_HPMN0);
	/* With FEAT_PMUv3_EXTPMN nothing above EPMN is reserved: it means EPMN */
	return !am_has(pe, AM_FEAT_PMUV3_EXTPMN) && hpmn > pmu->counters;
}

/* Rules: S3-a */
/* Reading: F1-21 M-10 */
struct am_verdict am_pmu_range(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	unsigned int epmn = am_effective_epmn(pe, pmu);
	unsigned int hpmn = FIELD_GET(MDCR_EL2_HPMN, pe->mdcr_el2);

	if (n == AM_CYCLE_COUNTER ||
	    (n == AM_INSTRUCTION_COUNTER && am_has(pe, AM_FEAT_PMUV3_ICNTR)))
		return am_verdict_of(AM_RANGE_1, AM_WHY_PMU_RANGE_1, n);
	if (n >= pmu->counters || pmu->counters > PMU_MAX_EVENT_COUNTERS)
		return am_verdict_of(AM_RESERVED, AM_WHY_PMU_NO_COUNTER, n);

	if (am_epmn_is_reserved(pe, pmu))
		return am_verdict_of(AM_RESERVED, AM_WHY_PMU_EPMN_RESERVED, epmn);
	if (n >= epmn)
		return am_verdict_of(AM_RANGE_3, AM_WHY_PMU_RANGE_3, n);
	if (!am_has(pe, AM_FEAT_EL2))
		return am_verdict_of(AM_RANGE_1, AM_WHY_PMU_RANGE_1, n);
	if (am_hpmn_is_reserved(pe, pmu))
		return am_verdict_of(AM_RESERVED, AM_WHY_PMU_HPMN_RESERVED, hpmn);
	if (n < hpmn)
		return am_verdict_of(AM_RANGE_1, AM_WHY_PMU_RANGE_1, n);
	return am_verdict_of(AM_RANGE_2, AM_WHY_PMU_RANGE_2, n);
}

/* Reserved partitions */

/* The answer of @decide if it is the same for each partition that hardware may choose */
static struct am_verdict am_agree(const struct am_pe *pe, const struct am_pmu *pmu,
				  am_pmu_decision *decide, unsigned int argument)
{
	bool any_epmn = am_epmn_is_reserved(pe, pmu);
	unsigned int epmn = any_epmn ? 0 : am_effective_epmn(pe, pmu), hpmn;
	unsigned int last = any_epmn ? pmu->counters : epmn;
	struct am_verdict answer = { .is = AM_RESERVED }, other;
	struct am_pmu chosen_pmu = *pmu;
	struct am_pe chosen = *pe;
	bool first = true;

	chosen.feat |= AM_FEAT_HPMN0;
	for (; epmn <= last; epmn++) {
		for (hpmn = 0; hpmn <= epmn; hpmn++) {
			chosen.mdcr_el2 &= ~MDCR_EL2_HPMN;
			chosen.mdcr_el2 |= FIELD_PREP(MDCR_EL2_HPMN, hpmn);
			chosen_pmu.pmccr &= ~PMCCR_EPMN;
			chosen_pmu.pmccr |= FIELD_PREP(PMCCR_EPMN, epmn);
			other = decide(&chosen, &chosen_pmu, argument);
			if (first)
				answer = other;
			first = false;
			if (other.is != answer.is)
				goto differ;
		}
	}
	return answer;
differ:
	if (any_epmn)
		return am_verdict_of(AM_RESERVED, AM_WHY_PMU_EPMN_RESERVED,
				     am_effective_epmn(pe, pmu));
	return am_verdict_of(AM_RESERVED, AM_WHY_PMU_HPMN_RESERVED,
			     FIELD_GET(MDCR_EL2_HPMN, pe->mdcr_el2));
}

/* Reading: M-10 */
struct am_verdict am_pmu_agree(const struct am_pe *pe, const struct am_pmu *pmu,
			       am_pmu_decision *decide, unsigned int argument)
{
	/* No register has fields for more counters */
	if (pmu->counters > PMU_MAX_EVENT_COUNTERS ||
	    !(am_epmn_is_reserved(pe, pmu) || am_hpmn_is_reserved(pe, pmu)))
		return decide(pe, pmu, argument);
	return am_agree(pe, pmu, decide, argument);
}

/* Enable */

static struct am_verdict am_enable_of(bool enabled, enum am_why why)
{
	return am_verdict_of(enabled, why, enabled);
}

static struct am_verdict am_global_enable(const struct am_pe *pe, const struct am_pmu *pmu,
					  unsigned int n)
{
	struct am_verdict range = am_pmu_range(pe, pmu, n);

	switch (range.is) {
	case AM_RANGE_1:
		return am_enable_of(pmu->pmcr & PMCR_E, AM_WHY_PMU_E);
	case AM_RANGE_2:
		return am_enable_of(pe->mdcr_el2 & MDCR_EL2_HPME, AM_WHY_PMU_HPME);
	case AM_RANGE_3:
		return am_enable_of(pmu->pmccr & PMCCR_EPME, AM_WHY_PMU_EPME);
	}
	return range;
}

/* Rules: S3-a */
struct am_verdict am_pmu_global_enable(const struct am_pe *pe, const struct am_pmu *pmu,
				       unsigned int n)
{
	return am_pmu_agree(pe, pmu, am_global_enable, n);
}

u64 am_pmu_type(const struct am_pmu *pmu, unsigned int n)
{
	if (n == AM_CYCLE_COUNTER)
		return pmu->pmccfiltr;
	if (n == AM_INSTRUCTION_COUNTER)
		return pmu->pmicfiltr;
	return pmu->pmevtyper[n];
}

/* Synchronous mode */

/* Rules: RSSVKV RFCXWT RKYPTP RGHRZF INPRDL */
/* Reading: F1-17 */
struct am_verdict am_pmu_is_sync(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	struct am_verdict range = am_pmu_range(pe, pmu, n);

	/* In whatever range it is */
	if (range.why == AM_WHY_PMU_NO_COUNTER)
		return range;
	if (!am_has(pe, AM_FEAT_SEBEP))
		return am_verdict(false, AM_WHY_PMU_NO_SEBEP);
	if (n == AM_CYCLE_COUNTER)
		return am_verdict(false, AM_WHY_PMU_CYCLES_NOT_SYNC);
	if (!(am_pmu_type(pmu, n) & PMEVTYPER_SYNC))
		return am_verdict_of(false, AM_WHY_PMU_SYNC_CLEAR, n);
	if (n != AM_INSTRUCTION_COUNTER && !(pmu->sync_events & (1U << n)))
		return am_verdict_of(false, AM_WHY_PMU_EVENT_NOT_SYNC, n);
	return am_verdict_of(true, AM_WHY_PMU_SYNC, n);
}

/* Routing */

/* The decision of one PMEE field that does not pass on */
static struct am_verdict am_pmee(unsigned int pmee, int target, enum am_why why,
				 enum am_why neither)
{
	if (pmee == AM_CTL_ON)
		return am_verdict_of(target, why, pmee);
	if (pmee == AM_CTL_OFF)
		return am_verdict_of(AM_DELIVERY_IRQ, why, pmee);
	return am_verdict_of(AM_DELIVERY_NONE, neither, pmee);
}

/* Rules: RGWLVY RCXBNL IPFDLQ IYBSFJ */
struct am_verdict am_pmu_route(const struct am_pe *pe, const struct am_pmu *pmu)
{
	unsigned int el3 = FIELD_GET(MDCR_EL3_PMEE, pe->mdcr_el3);
	unsigned int el2 = FIELD_GET(MDCR_EL2_PMEE, pe->mdcr_el2);
	unsigned int el1 = FIELD_GET(PMECR_PMEE, pmu->pmecr);

	if (!am_has(pe, AM_FEAT_EBEP))
		return am_verdict(AM_DELIVERY_IRQ, AM_WHY_PMU_NO_EBEP);
	if (am_has(pe, AM_FEAT_EL3) && el3 != AM_CTL_DELEGATE)
		return am_pmee(el3, AM_DELIVERY_EL3, AM_WHY_PMEE3,
			       AM_WHY_PMEE3_RESERVED);
	if (am_el2_enabled(pe) && el2 != AM_CTL_DELEGATE)
		return am_pmee(el2, AM_DELIVERY_EL2, AM_WHY_PMEE2,
			       AM_WHY_PMEE2_RESERVED);
	if (am_effective_tge(pe))
		return am_pmee(el1, AM_DELIVERY_EL2, AM_WHY_PMEE1_TGE,
			       AM_WHY_PMEE1_RESERVED);
	return am_pmee(el1, AM_DELIVERY_EL1, AM_WHY_PMEE1,
			       AM_WHY_PMEE1_RESERVED);
}
