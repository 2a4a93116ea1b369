// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which counters count: enabled, prohibited, frozen, filtered; see pmu.h. Written from the rules
 * of D13.5 and the register pages; the older issue of that section describes the same PMU without
 * the third range, the instruction counter, synchronous mode and FEAT_SPE_EXC.
 */
#include <arch-model/control-regs.h>
#include <arch-model/pmu-regs.h>
#include <arch-model/pmu.h>

/* Prohibition */

/* Counting where EL3 uses AArch32: SDCR.SPME, for Secure state and EL3 alike */
static struct am_verdict am_pmu_prohibited_secure_aa32(const struct am_pe *pe)
{
	if (pe->mdcr_el3 & MDCR_EL3_SPME)
		return am_verdict(false, AM_WHY_PMU_SPME);
	return am_verdict(true, AM_WHY_PMU_NO_SPME);
}

/* FEAT_PMUv3p7 at EL3 using AArch64 */
static struct am_verdict am_pmu_prohibited_el3(const struct am_pe *pe, enum am_pmu_range range)
{
	bool spme = pe->mdcr_el3 & MDCR_EL3_SPME, mpmx = pe->mdcr_el3 & MDCR_EL3_MPMX;

	if (!spme)
		return am_verdict(true, AM_WHY_PMU_NO_SPME);
	if (mpmx && range == AM_RANGE_1)
		return am_verdict(true, AM_WHY_PMU_MPMX);
	return am_verdict(false, AM_WHY_PMU_SPME);
}

/* Secure state below EL3, or, before FEAT_PMUv3p7, EL3 too; EL3 using AArch64 */
static struct am_verdict am_pmu_prohibited_secure(const struct am_pe *pe)
{
	if (pe->mdcr_el3 & MDCR_EL3_SPME)
		return am_verdict(false, AM_WHY_PMU_SPME);
	if (am_has(pe, AM_FEAT_PMUV3P7) && (pe->mdcr_el3 & MDCR_EL3_MPMX))
		return am_verdict(false, AM_WHY_PMU_SPME);
	return am_verdict(true, AM_WHY_PMU_NO_SPME);
}

/* By Security state and EL3 controls */
static struct am_verdict am_pmu_prohibited_by_state(const struct am_pe *pe,
						    enum am_pmu_range range)
{
	struct am_verdict verdict;

	if (!am_has(pe, AM_FEAT_EL3))
		return am_verdict(false, AM_WHY_PMU_NO_EL3);
	if (pe->el < 3 && am_security_state(pe) != PCS_STATE_SECURE)
		return am_verdict(false, AM_WHY_PMU_NOT_SECURE);

	if (am_uses_aa32(pe, 3))
		verdict = am_pmu_prohibited_secure_aa32(pe);
	else if (pe->el == 3 && am_has(pe, AM_FEAT_PMUV3P7))
		verdict = am_pmu_prohibited_el3(pe, range);
	else
		verdict = am_pmu_prohibited_secure(pe);

	/* EL1 uses AArch32 wherever EL3 does */
	if (verdict.is && pe->el == 0 && am_uses_aa32(pe, 1) && (pe->sder & SDER_SUNIDEN))
		return am_verdict(false, AM_WHY_PMU_SUNIDEN);
	return verdict;
}

/* Rules: S3-d */
/* Reading: F1-21 M-12 M-14 */
static struct am_verdict am_pmu_prohibited_in(const struct am_pe *pe, const struct am_pmu *pmu,
					      enum am_pmu_range range)
{
	struct am_verdict verdict;

	if (range == AM_RANGE_3)
		return am_verdict(false, AM_WHY_PMU_RANGE_3_FREE);

	verdict = am_pmu_prohibited_by_state(pe, range);
	if (!verdict.is && pe->el == 2 && am_has(pe, AM_FEAT_PMUV3P1) && range == AM_RANGE_1 &&
	    (pe->mdcr_el2 & MDCR_EL2_HPMD))
		verdict = am_verdict(true, AM_WHY_PMU_HPMD);
	if (verdict.is && !am_has(pe, AM_FEAT_DEBUGV8P2) && pmu->secure_noninvasive)
		return am_verdict(false, AM_WHY_PMU_AUTHENTICATED);
	return verdict;
}

static struct am_verdict am_prohibited(const struct am_pe *pe, const struct am_pmu *pmu,
				       unsigned int n)
{
	struct am_verdict range = am_pmu_range(pe, pmu, n);

	if (range.is == AM_RESERVED)
		return range;
	return am_pmu_prohibited_in(pe, pmu, (enum am_pmu_range)range.is);
}

/* Rules: S3-d */
struct am_verdict am_pmu_prohibited(const struct am_pe *pe, const struct am_pmu *pmu,
				    unsigned int n)
{
	return am_pmu_agree(pe, pmu, am_prohibited, n);
}

/* Freezing */

static struct am_verdict am_frozen_on_overflow(const struct am_pe *pe, const struct am_pmu *pmu,
					       unsigned int range)
{
	bool freezes = range == AM_RANGE_1 ? pmu->pmcr & PMCR_FZO :
					     pe->mdcr_el2 & MDCR_EL2_HPMFZO;
	struct am_verdict flag;

	if (!am_has(pe, AM_FEAT_PMUV3P7) || range == AM_RANGE_3 || !freezes)
		return am_verdict(false, AM_WHY_PMU_NOT_FROZEN);
	flag = am_pmu_overflow_for(pe, pmu, range == AM_RANGE_1 ? AM_OVERFLOW_FREEZE_1 :
								  AM_OVERFLOW_FREEZE_2);
	if (!flag.is)
		return am_verdict(false, AM_WHY_PMU_NOT_FROZEN);
	return am_verdict_of(true, range == AM_RANGE_1 ? AM_WHY_PMU_FZO : AM_WHY_PMU_HPMFZO,
			     flag.detail);
}

/* Rules: S3-c IXBXPG */
/* Reading: F1-21 */
struct am_verdict am_pmu_frozen_on_overflow(const struct am_pe *pe, const struct am_pmu *pmu,
					    enum am_pmu_range range)
{
	return am_pmu_agree(pe, pmu, am_frozen_on_overflow, range);
}

/* Is Statistical Profiling stopped? By which PMBSR_ELx; 0 if it is not */
static unsigned int am_spe_stopped(const struct am_pe *pe, const struct am_pmu *pmu)
{
	bool el3 = am_has(pe, AM_FEAT_EL3);
	unsigned int pmsee = el3 ? FIELD_GET(MDCR_EL3_PMSEE, pe->mdcr_el3) : AM_CTL_DELEGATE;
	unsigned int ee = FIELD_GET(PMSCR_EE, pmu->pmscr_el2);

	if (pmu->pmbsr[1] & PMBSR_S)
		return 1;
	if (!am_has(pe, AM_FEAT_SPE_EXC) || !pmsee)
		return 0;
	if ((pmsee & AM_CTL_OWN) && (pmu->pmbsr[3] & PMBSR_S))
		return 3;
	return am_el2_enabled(pe) && (ee & AM_CTL_OWN) && (pmu->pmbsr[2] & PMBSR_S) ? 2 : 0;
}

static bool am_highest_is_aa32(const struct am_pe *pe)
{
	unsigned int highest = am_has(pe, AM_FEAT_EL3) ? 3 : am_has(pe, AM_FEAT_EL2) ? 2 : 1;

	return am_uses_aa32(pe, highest);
}

/* Rules: S3-b */
/* Reading: F1-21 M-13 */
struct am_verdict am_pmu_frozen_on_spe(const struct am_pe *pe, const struct am_pmu *pmu,
				       enum am_pmu_range range)
{
	u64 freeze = PMBLIMITR_E | PMBLIMITR_PMFZ;
	unsigned int stopped = am_spe_stopped(pe, pmu);

	if (!am_has(pe, AM_FEAT_SPEV1P2) || range == AM_RANGE_3 || !stopped)
		return am_verdict(false, AM_WHY_PMU_NOT_FROZEN);
	/* The Effective value of PMBLIMITR_EL1.E is 0 then */
	if ((pmu->pmblimitr & freeze) != freeze || am_highest_is_aa32(pe))
		return am_verdict(false, AM_WHY_PMU_NOT_FROZEN);
	if (range == AM_RANGE_1 && (pmu->pmcr & PMCR_FZS))
		return am_verdict_of(true, AM_WHY_PMU_FZS, stopped);
	if (range == AM_RANGE_2 && (pe->mdcr_el2 & MDCR_EL2_HPMFZS))
		return am_verdict_of(true, AM_WHY_PMU_HPMFZS, stopped);
	return am_verdict(false, AM_WHY_PMU_NOT_FROZEN);
}

static struct am_verdict am_frozen(const struct am_pe *pe, const struct am_pmu *pmu,
				   unsigned int range)
{
	struct am_verdict overflow = am_frozen_on_overflow(pe, pmu, range);

	return overflow.is ? overflow : am_pmu_frozen_on_spe(pe, pmu, (enum am_pmu_range)range);
}

/* Rules: S3-b S3-c */
struct am_verdict am_pmu_frozen(const struct am_pe *pe, const struct am_pmu *pmu,
				enum am_pmu_range range)
{
	return am_pmu_agree(pe, pmu, am_frozen, range);
}

/* Filtering by Exception level and Security state, PMEVTYPER<n>_EL0 */

static bool am_is_filtered_el0(u64 type, const struct am_pe *pe)
{
	bool u = type & PMEVTYPER_U, el3 = am_has(pe, AM_FEAT_EL3);

	switch (am_security_state(pe)) {
	case PCS_STATE_NONSECURE:
		return u != (el3 && (type & PMEVTYPER_NSU));
	case PCS_STATE_REALM:
		return u != !!(type & PMEVTYPER_RLU);
	default:
		return u;
	}
}

static bool am_is_filtered_el1(u64 type, const struct am_pe *pe)
{
	bool p = type & PMEVTYPER_P, el3 = am_has(pe, AM_FEAT_EL3);

	switch (am_security_state(pe)) {
	case PCS_STATE_NONSECURE:
		return p != (el3 && (type & PMEVTYPER_NSK));
	case PCS_STATE_REALM:
		return p != !!(type & PMEVTYPER_RLK);
	default:
		return p;
	}
}

static bool am_is_filtered_el2(u64 type, const struct am_pe *pe)
{
	bool nsh = type & PMEVTYPER_NSH, el3 = am_has(pe, AM_FEAT_EL3);

	switch (am_security_state(pe)) {
	case PCS_STATE_NONSECURE:
		return !nsh;
	case PCS_STATE_REALM:
		return nsh == !!(type & PMEVTYPER_RLH);
	default:
		return nsh == (el3 && (type & PMEVTYPER_SH));
	}
}

static enum am_why am_why_filtered(unsigned int el)
{
	static const enum am_why reasons[] = {
		AM_WHY_PMU_FILTERED_EL0, AM_WHY_PMU_FILTERED_EL1, AM_WHY_PMU_FILTERED_EL2,
		AM_WHY_PMU_FILTERED_EL3,
	};

	return reasons[el & 3];
}

static struct am_verdict am_pmu_filtered(const struct am_pe *pe, const struct am_pmu *pmu,
					 unsigned int n)
{
	u64 type = am_pmu_type(pmu, n);
	unsigned int vs = FIELD_GET(PMEVTYPER_VS, type);
	bool p = type & PMEVTYPER_P, m = type & PMEVTYPER_M, filtered;

	switch (pe->el) {
	case 0:
		filtered = am_is_filtered_el0(type, pe);
		break;
	case 1:
		filtered = am_is_filtered_el1(type, pe);
		break;
	case 2:
		filtered = am_is_filtered_el2(type, pe);
		break;
	default:
		filtered = am_has(pe, AM_FEAT_AA64) ? m != p : p;
	}
	if (filtered)
		return am_verdict_of(true, am_why_filtered(pe->el), n);

	if (!am_has(pe, AM_FEAT_PMUV3_SME) || !vs)
		return am_verdict_of(false, AM_WHY_PMU_COUNTS, n);
	if (vs == 3)
		return am_verdict_of(AM_RESERVED, AM_WHY_PMU_VS_RESERVED, vs);
	if ((vs & 1) ? pmu->streaming : !pmu->streaming)
		return am_verdict_of(true, AM_WHY_PMU_VS, vs);
	return am_verdict_of(false, AM_WHY_PMU_COUNTS, n);
}

/* Counting */

/* What stops the cycle counter and no other; AM_WHY_NONE if nothing does */
static enum am_why am_cycles_stopped(const struct am_pe *pe)
{
	bool secure = am_has(pe, AM_FEAT_EL3) &&
		      (pe->el == 3 || am_security_state(pe) == PCS_STATE_SECURE);

	if (am_has(pe, AM_FEAT_PMUV3P5) && secure && (pe->mdcr_el3 & MDCR_EL3_SCCD))
		return AM_WHY_PMU_SCCD;
	if (am_has(pe, AM_FEAT_PMUV3P5) && pe->el == 2 && (pe->mdcr_el2 & MDCR_EL2_HCCD))
		return AM_WHY_PMU_HCCD;
	if (am_has(pe, AM_FEAT_PMUV3P7) && pe->el == 3 && !am_uses_aa32(pe, 3) &&
	    (pe->mdcr_el3 & MDCR_EL3_MCCD))
		return AM_WHY_PMU_MCCD;
	return AM_WHY_NONE;
}

/*
 * What stops counter @n of @range beside its enables and filters: for the cycle counter, what
 * would stop an event counter of the first range does so if PMCR.DP is 1. Prohibition is not
 * looked at unless @attributable. Only an answer of true has a reason.
 */
static struct am_verdict am_pmu_stopped(const struct am_pe *pe, const struct am_pmu *pmu,
					unsigned int n, enum am_pmu_range range, bool attributable)
{
	bool cycles = n == AM_CYCLE_COUNTER;
	bool dp = pmu->pmcr & PMCR_DP;
	enum am_why why = cycles ? am_cycles_stopped(pe) : AM_WHY_NONE;
	struct am_verdict verdict = { .is = false };

	if (why)
		return am_verdict_of(true, why, n);
	if (cycles && !dp)
		return verdict;

	verdict = am_pmu_prohibited_in(pe, pmu, range);
	if (verdict.is && attributable)
		return verdict;
	verdict = am_pmu_frozen_on_overflow(pe, pmu, range);
	if (verdict.is)
		return verdict;
	if (cycles && !am_has(pe, AM_FEAT_SPE_DPFZS))
		return verdict;
	return am_pmu_frozen_on_spe(pe, pmu, range);
}

static struct am_verdict am_pmu_counts_if(const struct am_pe *pe, const struct am_pmu *pmu,
					  unsigned int n, bool attributable)
{
	enum am_why impossible = am_pe_check(pe);
	struct am_verdict range = am_pmu_range(pe, pmu, n);
	struct am_verdict global = am_pmu_global_enable(pe, pmu, n);
	struct am_verdict verdict;

	if (impossible)
		return am_verdict(AM_RESERVED, impossible);
	if (range.is == AM_RESERVED)
		return range;
	if (pe->halted)
		return am_verdict_of(false, AM_WHY_PMU_DEBUG, n);
	if (!global.is)
		return global;
	if (!(pmu->pmcnten & (1ULL << n)))
		return am_verdict_of(false, AM_WHY_PMU_CNTEN, n);
	if (am_pmu_is_sync(pe, pmu, n).why == AM_WHY_PMU_EVENT_NOT_SYNC)
		return am_verdict_of(false, AM_WHY_PMU_EVENT_NOT_SYNC, n);

	verdict = am_pmu_stopped(pe, pmu, n, (enum am_pmu_range)range.is, attributable);
	if (verdict.is)
		return am_verdict_of(false, verdict.why, verdict.detail);
	verdict = am_pmu_filtered(pe, pmu, n);
	if (verdict.is == AM_RESERVED)
		return verdict;
	return am_verdict_of(!verdict.is, verdict.why, verdict.detail);
}

static struct am_verdict am_counts(const struct am_pe *pe, const struct am_pmu *pmu,
				   unsigned int n)
{
	return am_pmu_counts_if(pe, pmu, n, true);
}

/* Rules: S3-a S3-b S3-c S3-d S3-e */
/* Reading: F1-19 F1-21 M-12 */
struct am_verdict am_pmu_counts(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return am_pmu_agree(pe, pmu, am_counts, n);
}

static struct am_verdict am_counts_unattributable(const struct am_pe *pe, const struct am_pmu *pmu,
						  unsigned int n)
{
	struct am_verdict verdict = am_pmu_counts_if(pe, pmu, n, false);

	/* Only prohibition is about Attributable events, and cycles are no events */
	if (n == AM_CYCLE_COUNTER)
		return am_counts(pe, pmu, n);
	if (verdict.is > 0 && !am_counts(pe, pmu, n).is)
		return am_verdict_of(AM_RESERVED, AM_WHY_PMU_UNATTRIBUTABLE, n);
	return verdict;
}

/* Rules: S3-f */
struct am_verdict am_pmu_counts_unattributable(const struct am_pe *pe, const struct am_pmu *pmu,
					       unsigned int n)
{
	return am_pmu_agree(pe, pmu, am_counts_unattributable, n);
}
