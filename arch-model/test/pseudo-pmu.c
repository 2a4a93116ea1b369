// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Performance Monitors as the shared pseudocode has them (J1.1.1.23 to J1.1.1.47, J1.1.1.88,
 * J1.1.1.100, J1.3.1.75, J1.3.1.91 to J1.3.1.118); see pseudo.h.
 *
 * Where the pseudocode calls ConstrainUnpredictableBits() for a value, the answer here is "not
 * defined", except for reserved values of PMEE, which behave as Constraint_DISABLED.
 */
#include "pseudo.h"

#define CYCLES		31
#define INSTRUCTIONS	32

static unsigned int bits(u64 reg, unsigned int high, unsigned int low)
{
	return reg >> low & (~0ULL >> (63 - high + low));
}

static bool bit(u64 reg, unsigned int number)
{
	return reg >> number & 1;
}

static bool have(const struct am_pe *pe, u64 feature)
{
	return pe->feat & feature;
}

static bool have_aarch64(const struct am_pe *pe)
{
	return have(pe, AM_FEAT_AA64);
}

static bool el_using_aarch32(const struct am_pe *pe, unsigned int el)
{
	return bit(pe->aa32, el);
}

/* Ranges */

enum ps_range ps_get_pmu_counter_range(const struct am_pe *pe, const struct am_pmu *pmu,
				       unsigned int n)
{
	unsigned int epmn = pmu->counters, hpmn;

	if (n == CYCLES)
		return PS_R1;
	if (n == INSTRUCTIONS)
		return have(pe, AM_FEAT_PMUV3_ICNTR) ? PS_R1 : PS_R_NONE;
	if (n >= pmu->counters)
		return PS_R_NONE;

	/* EffectiveEPMN() */
	if (have(pe, AM_FEAT_PMUV3_EXTPMN)) {
		epmn = bits(pmu->pmccr, 4, 0);
		if (epmn > pmu->counters)
			return PS_R_UNDEFINED;
	}
	/* EffectiveHPMN() */
	hpmn = epmn;
	if (ps_have_el(pe, 2)) {
		hpmn = bits(pe->mdcr_el2, 4, 0);
		if (hpmn > epmn && have(pe, AM_FEAT_PMUV3_EXTPMN))
			hpmn = epmn;
		if (hpmn > epmn || (!have(pe, AM_FEAT_HPMN0) && !hpmn))
			return n < epmn ? PS_R_UNDEFINED : PS_R3;
	}

	if (n < hpmn)
		return PS_R1;
	return n < epmn ? PS_R2 : PS_R3;
}

static bool global_en(const struct am_pe *pe, const struct am_pmu *pmu, enum ps_range range)
{
	switch (range) {
	case PS_R1:
		return bit(pmu->pmcr, 0);
	case PS_R2:
		return bit(pe->mdcr_el2, 7);
	case PS_R3:
		return bit(pmu->pmccr, 7);
	default:
		return false;
	}
}

/* Overflow conditions */

static u64 overflow_condition(const struct am_pe *pe, const struct am_pmu *pmu,
			      enum ps_overflow reason, bool include_r1, bool include_r2,
			      bool include_r3)
{
	bool check_e = false, check_inten = false, exclude_cyc = false, exclude_sync = false;
	u64 ovsf = pmu->pmovs & 0x1FFFFFFFFULL;
	enum ps_range range;
	unsigned int idx;
	bool include;

	switch (reason) {
	case PS_OVERFLOW_EXCEPTION:
		check_e = true;
		check_inten = true;
		exclude_sync = have(pe, AM_FEAT_SEBEP);
		break;
	case PS_OVERFLOW_BRBE_FREEZE:
	case PS_OVERFLOW_FREEZE:
		exclude_cyc = true;
		exclude_sync = have(pe, AM_FEAT_SEBEP);
		break;
	case PS_OVERFLOW_IRQ:
	case PS_OVERFLOW_EDBGRQ:
		check_e = true;
		check_inten = true;
		break;
	}

	if (!have_aarch64(pe) || !have(pe, AM_FEAT_PMUV3_ICNTR))
		ovsf &= ~(1ULL << INSTRUCTIONS);
	for (idx = 0; idx < CYCLES; idx++) {
		range = ps_get_pmu_counter_range(pe, pmu, idx);
		include = (range == PS_R1 && include_r1) || (range == PS_R2 && include_r2) ||
			  (range == PS_R3 && include_r3);
		if (!include || (exclude_sync && bit(pmu->pmevtyper[idx], 58)) ||
		    (check_e && !global_en(pe, pmu, range)))
			ovsf &= ~(1ULL << idx);
	}
	if (exclude_cyc || !include_r1 || (check_e && !bit(pmu->pmcr, 0)))
		ovsf &= ~(1ULL << CYCLES);
	if (!include_r1 || (exclude_sync && bit(pmu->pmicfiltr, 58)) ||
	    (check_e && !bit(pmu->pmcr, 0)))
		ovsf &= ~(1ULL << INSTRUCTIONS);
	if (check_inten)
		ovsf &= pmu->pminten;
	return ovsf;
}

u64 ps_check_pmu_overflow_condition(const struct am_pe *pe, const struct am_pmu *pmu,
				    enum ps_overflow reason)
{
	return overflow_condition(pe, pmu, reason, true, true, true);
}

u64 ps_should_pmu_freeze(const struct am_pe *pe, const struct am_pmu *pmu, enum ps_range range)
{
	if (range == PS_R3)
		return 0;
	return overflow_condition(pe, pmu, PS_OVERFLOW_FREEZE, range == PS_R1, range == PS_R2,
				  false);
}

u64 ps_should_brbe_freeze(const struct am_pe *pe, const struct am_pmu *pmu, bool allowed,
			  bool fzp1, bool fzp2)
{
	if (!have(pe, AM_FEAT_BRBE) || !allowed)
		return 0;
	if (!ps_have_el(pe, 2))
		return overflow_condition(pe, pmu, PS_OVERFLOW_BRBE_FREEZE, true, true, false);
	return overflow_condition(pe, pmu, PS_OVERFLOW_BRBE_FREEZE, fzp1, fzp2, false);
}

bool ps_check_pmu_halt(const struct am_pe *pe, const struct am_pmu *pmu)
{
	if (!have(pe, AM_FEAT_DEBUGV8P9) || !have(pe, AM_FEAT_PMUV3P9))
		return false;
	return ps_check_pmu_overflow_condition(pe, pmu, PS_OVERFLOW_EDBGRQ) && bit(pmu->edecr, 4);
}

/* Freezing on a Statistical Profiling event */

bool ps_spe_profiling_stopped(const struct am_pe *pe, const struct am_pmu *pmu)
{
	unsigned int pmsee = bits(pe->mdcr_el3, 52, 51), ee;
	bool stopped = bit(pmu->pmbsr[1], 17);

	if (!have(pe, AM_FEAT_SPE_EXC))
		return stopped;
	if (ps_have_el(pe, 3) && (pmsee & 2))
		stopped |= bit(pmu->pmbsr[3], 17);

	/* EffectivePMSCR_EL2_EE() */
	if (ps_have_el(pe, 3) && pmsee == 0)
		ee = 0;
	else if (ps_have_el(pe, 2) && (ps_effective_scr_ns(pe) || ps_is_secure_el2_enabled(pe)))
		ee = bits(pmu->pmscr_el2, 9, 8);
	else
		ee = 1;
	if (ee & 2)
		stopped |= bit(pmu->pmbsr[2], 17);
	return stopped;
}

bool ps_spe_freeze_on_event(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int idx)
{
	bool freeze_on_event = bit(pmu->pmblimitr, 0) && bit(pmu->pmblimitr, 5);

	if (!have(pe, AM_FEAT_SPEV1P2) || !have(pe, AM_FEAT_PMUV3P7))
		return false;
	if (idx == CYCLES && !have(pe, AM_FEAT_SPE_DPFZS))
		return false;
	freeze_on_event = freeze_on_event && ps_spe_profiling_stopped(pe, pmu);
	switch (ps_get_pmu_counter_range(pe, pmu, idx)) {
	case PS_R1:
		return freeze_on_event && bit(pmu->pmcr, 32);
	case PS_R2:
		return freeze_on_event && bit(pe->mdcr_el2, 36);
	default:
		return false;
	}
}

/* Counting */

static bool prohibited_for_events(const struct am_pe *pe, const struct am_pmu *pmu,
				  enum ps_range range)
{
	enum pcs_state ss = ps_security_state_at_el(pe, pe->el);
	bool spme = bit(pe->mdcr_el3, 17), mpmx = bit(pe->mdcr_el3, 35);
	bool p7 = have(pe, AM_FEAT_PMUV3P7), prohibited = false;

	if (ps_have_el(pe, 3) && (ss == PCS_STATE_SECURE || pe->el == 3) && range != PS_R3) {
		if (!el_using_aarch32(pe, 3))
			prohibited = !spme && (!p7 || !mpmx);
		else
			prohibited = !spme;
		if (prohibited && pe->el == 0 &&
		    (el_using_aarch32(pe, 3) || el_using_aarch32(pe, 1)))
			prohibited = !bit(pe->sder, 1);
	}
	if (!prohibited && p7 && pe->el == 3 && have_aarch64(pe) && range != PS_R3)
		prohibited = mpmx && (!spme || range == PS_R1);
	if (!prohibited && pe->el == 2 && have(pe, AM_FEAT_PMUV3P1) && range == PS_R1)
		prohibited = bit(pe->mdcr_el2, 17);
	if (prohibited && !have(pe, AM_FEAT_DEBUGV8P2))
		prohibited = !pmu->secure_noninvasive;
	return prohibited;
}

bool ps_prohibited(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int idx)
{
	return prohibited_for_events(pe, pmu, ps_get_pmu_counter_range(pe, pmu, idx));
}

static bool cycles_prohibited(const struct am_pe *pe)
{
	enum pcs_state ss = ps_security_state_at_el(pe, pe->el);
	bool prohibited = false;

	if (have(pe, AM_FEAT_PMUV3P5)) {
		if (ps_have_el(pe, 3) && (ss == PCS_STATE_SECURE || pe->el == 3))
			prohibited |= bit(pe->mdcr_el3, 23);
		if (pe->el == 2)
			prohibited |= bit(pe->mdcr_el2, 23);
	}
	if (have(pe, AM_FEAT_PMUV3P7) && pe->el == 3 && have_aarch64(pe))
		prohibited |= bit(pe->mdcr_el3, 34);
	return prohibited;
}

static u64 filter_of(const struct am_pmu *pmu, unsigned int idx)
{
	switch (idx) {
	case INSTRUCTIONS:
		return pmu->pmicfiltr;
	case CYCLES:
		return pmu->pmccfiltr;
	default:
		return pmu->pmevtyper[idx];
	}
}

static bool is_filtered(const struct am_pe *pe, u64 filter)
{
	bool el3 = ps_have_el(pe, 3), rme = have(pe, AM_FEAT_RME);
	bool p = bit(filter, 31), u = bit(filter, 30);
	bool nsk = el3 && bit(filter, 29), nsu = el3 && bit(filter, 28);
	bool nsh = ps_have_el(pe, 2) && bit(filter, 27);
	bool m = el3 && have_aarch64(pe) && bit(filter, 26);
	bool sh = el3 && have(pe, AM_FEAT_SEL2) && bit(filter, 24);
	bool rlk = rme && bit(filter, 22), rlu = rme && bit(filter, 21);
	bool rlh = rme && bit(filter, 20);

	if (pe->el == 3)
		return have_aarch64(pe) ? m != p : p;
	switch (ps_security_state_at_el(pe, pe->el)) {
	case PCS_STATE_NONSECURE:
		return pe->el == 0 ? u != nsu : pe->el == 1 ? p != nsk : !nsh;
	case PCS_STATE_SECURE:
		return pe->el == 0 ? u : pe->el == 1 ? p : nsh == sh;
	default:
		return pe->el == 0 ? u != rlu : pe->el == 1 ? p != rlk : nsh == rlh;
	}
}

enum ps_answer ps_count_pmu_events(const struct am_pe *pe, const struct am_pmu *pmu,
				   unsigned int idx, bool ignore_prohibition)
{
	enum ps_range range = ps_get_pmu_counter_range(pe, pmu, idx);
	bool enabled, prohibited, frozen = false, filtered;
	unsigned int vs = bits(filter_of(pmu, idx), 57, 56);
	bool fz;

	if (range == PS_R_UNDEFINED || range == PS_R_NONE)
		return PS_UNDEFINED;

	enabled = global_en(pe, pmu, range) && bit(pmu->pmcnten, idx);
	/* PMEVTYPER_EL0[idx] is no register for the other two counters */
	if (have(pe, AM_FEAT_SEBEP) && idx < CYCLES && bit(pmu->pmevtyper[idx], 58) &&
	    !bit(pmu->sync_events, idx))
		enabled = false;

	prohibited = !ignore_prohibition && prohibited_for_events(pe, pmu, range);
	if (have(pe, AM_FEAT_PMUV3P7)) {
		fz = range == PS_R1 ? bit(pmu->pmcr, 9) : range == PS_R2 ? bit(pe->mdcr_el2, 29) :
		     false;
		frozen = (fz && ps_should_pmu_freeze(pe, pmu, range)) ||
			 ps_spe_freeze_on_event(pe, pmu, idx);
	}
	if (idx == CYCLES) {
		if (prohibited || frozen)
			enabled = enabled && !bit(pmu->pmcr, 5);
		prohibited = false;
		frozen = false;
		prohibited = cycles_prohibited(pe);
	}

	filtered = is_filtered(pe, filter_of(pmu, idx));
	if (pe->halted || !enabled || prohibited || filtered || frozen)
		return PS_FALSE;
	if (!have(pe, AM_FEAT_PMUV3_SME))
		return PS_TRUE;
	if (vs == 3)
		return PS_UNDEFINED;
	return pmu->streaming ? !(vs & 1) : !(vs & 2);
}

/* Increments */

/* Does a carry from bit @low - 1 change bits 64 to @low of @value + @by? */
static bool differs_from(u64 value, u64 by, unsigned int low)
{
	u64 sum = value + by;
	bool carry = sum < value;

	return carry || (low < 64 && value >> low != sum >> low);
}

struct ps_increment ps_increment(const struct am_pe *pe, const struct am_pmu *pmu,
				 unsigned int idx, u64 value, u64 by)
{
	bool enabled = ps_pmu_exception_enabled(pe, pmu) != PS_DISABLED;
	struct ps_increment result = { .chain = PS_FALSE };
	enum ps_range range = ps_get_pmu_counter_range(pe, pmu, idx), next;
	bool lp;

	result.value = value + by;
	switch (idx) {
	case INSTRUCTIONS:
		result.overflow = differs_from(value, by, 64);
		return result;
	case CYCLES:
		lp = enabled || bit(pmu->pmcr, 6);
		result.overflow = differs_from(value, by, have(pe, AM_FEAT_AA32) && !lp ? 32 : 64);
		return result;
	}

	if (have(pe, AM_FEAT_PMUV3P5)) {
		if (enabled)
			lp = true;
		else
			lp = range == PS_R1 ? bit(pmu->pmcr, 7) :
			     range == PS_R2 ? bit(pe->mdcr_el2, 26) : true;
	} else {
		lp = false;
		result.value &= 0xFFFFFFFF;
	}
	result.overflow = differs_from(value, by, lp ? 64 : 32);
	if (result.overflow && !(idx & 1) && idx + 1 < pmu->counters && !lp) {
		next = ps_get_pmu_counter_range(pe, pmu, idx + 1);
		result.chain = range == next ? PS_TRUE : PS_UNDEFINED;
	}
	return result;
}

/* The exception */

/* EffectivePMEE() of EL1: 0b01 is reserved there too */
static unsigned int effective_pmee(const struct am_pe *pe, const struct am_pmu *pmu,
				   unsigned int el, bool for_interrupt)
{
	unsigned int val = el == 1 ? bits(pmu->pmecr, 1, 0) :
			   el == 2 ? bits(pe->mdcr_el2, 41, 40) : bits(pe->mdcr_el3, 41, 40);

	if (val == 2 || (el == 1 && val == 1))
		val = for_interrupt ? 3 : 0;
	return val;
}

unsigned int ps_pmu_exception_enabled(const struct am_pe *pe, const struct am_pmu *pmu)
{
	unsigned int pmee_el3 = effective_pmee(pe, pmu, 3, false);
	unsigned int pmee_el2 = effective_pmee(pe, pmu, 2, false);

	if (!have(pe, AM_FEAT_EBEP))
		return PS_DISABLED;
	if (ps_have_el(pe, 3) && pmee_el3 != 1)
		return pmee_el3 == 3 ? 3 : PS_DISABLED;
	if (ps_el2_enabled(pe) && pmee_el2 != 1)
		return pmee_el2 == 3 ? 2 : PS_DISABLED;
	if (effective_pmee(pe, pmu, 1, false) != 3)
		return PS_DISABLED;
	return ps_el2_enabled(pe) && bit(pe->hcr_el2, 27) ? 2 : 1;
}

bool ps_pmu_exception_masked(const struct am_pe *pe, const struct am_pmu *pmu,
			     unsigned int target_el, unsigned int from_el, bool pm)
{
	if (pe->halted || target_el < from_el)
		return true;
	if (from_el == 2 && target_el == 2 && effective_pmee(pe, pmu, 2, false) != 3)
		return true;
	return target_el == from_el && (!bit(pmu->pmecr, 2) || pm);
}

bool ps_pmu_interrupt_enabled(const struct am_pe *pe, const struct am_pmu *pmu)
{
	unsigned int pmee_el3 = effective_pmee(pe, pmu, 3, true);
	unsigned int pmee_el2 = effective_pmee(pe, pmu, 2, true);

	if (!have(pe, AM_FEAT_EBEP))
		return true;
	if (ps_have_el(pe, 3) && pmee_el3 != 1)
		return pmee_el3 == 0;
	if (ps_el2_enabled(pe) && pmee_el2 != 1)
		return pmee_el2 == 0;
	return effective_pmee(pe, pmu, 1, true) == 0;
}

enum am_pmu_exception ps_check_for_pmu_exception(const struct am_pe *pe, const struct am_pmu *pmu)
{
	unsigned int target_el = ps_pmu_exception_enabled(pe, pmu);

	if (target_el == PS_DISABLED ||
	    ps_pmu_exception_masked(pe, pmu, target_el, pe->el, pe->pm))
		return AM_PMU_NO_EXCEPTION;
	if (have(pe, AM_FEAT_SEBEP) && pe->ppend)
		return AM_PMU_SYNC;
	return ps_check_pmu_overflow_condition(pe, pmu, PS_OVERFLOW_EXCEPTION) ? AM_PMU_ASYNC :
	       AM_PMU_NO_EXCEPTION;
}

bool ps_exception_return_ppend(const struct am_pe *pe, const struct am_pmu *pmu, bool restarting,
			       unsigned int target_eret, bool target_pm)
{
	struct am_pe running = *pe;
	unsigned int target = ps_pmu_exception_enabled(pe, pmu);
	bool masked_at_source = true;

	/* A PE that leaves Debug state is no longer Halted() */
	running.halted = false;
	if (!restarting)
		masked_at_source = target == PS_DISABLED ||
				   ps_pmu_exception_masked(pe, pmu, target, pe->el, pe->pm);
	return target != PS_DISABLED && masked_at_source &&
	       !ps_pmu_exception_masked(&running, pmu, target, target_eret, target_pm);
}
