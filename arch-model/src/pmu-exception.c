// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU Profiling exception; see pmu.h. Written from the rules of D13.3.2 and D13.3.3.
 */
#include <arch-model/control-regs.h>
#include <arch-model/pmu-regs.h>
#include <arch-model/pmu.h>

/* Masked at an Exception level */

static unsigned int am_target_el(int delivery)
{
	return delivery - AM_DELIVERY_EL1 + 1;
}

/*
 * Would an exception enabled as @route says be masked at @el with this PM? AM_WHY_NONE: no.
 * RSCBDZ, but for Debug state.
 */
static enum am_why am_pmu_mask(const struct am_pe *pe, const struct am_pmu *pmu,
			       struct am_verdict route, unsigned int el, bool pm)
{
	unsigned int target = am_target_el(route.is);

	if (el > target)
		return AM_WHY_PMU_ABOVE_TARGET;
	if (el < target)
		return AM_WHY_NONE;
	if (el == 2 && FIELD_GET(MDCR_EL2_PMEE, pe->mdcr_el2) != AM_CTL_ON)
		return AM_WHY_PMU_EL2_DELEGATES;
	if (!(pmu->pmecr & PMECR_KPME))
		return AM_WHY_PMU_KPME;
	return pm ? AM_WHY_PMU_PM : AM_WHY_NONE;
}

/* Rules: RSCBDZ IPFDLQ */
struct am_verdict am_pmu_delivery(const struct am_pe *pe, const struct am_pmu *pmu)
{
	enum am_why impossible = am_pe_check(pe), why;
	struct am_verdict route = am_pmu_route(pe, pmu);

	if (impossible)
		return am_verdict(AM_RESERVED, impossible);
	if (!am_is_taken(route.is))
		return route;
	if (pe->halted)
		return am_verdict(AM_DELIVERY_MASKED, AM_WHY_PMU_DEBUG_MASKED);
	why = am_pmu_mask(pe, pmu, route, pe->el, pe->pm);
	if (why == AM_WHY_PMU_PM)
		return am_verdict(AM_DELIVERY_MASKED_PM, why);
	if (why)
		return am_verdict(AM_DELIVERY_MASKED, why);
	return route;
}

/* Rules: RKBPMJ RHLYTW IBBFCX IHJQJP IFNPMD RFHWMC IYZZVC ITSHPG IHVZKZ IBHLTG RGHRZF */
struct am_verdict am_pmu_exception(const struct am_pe *pe, const struct am_pmu *pmu)
{
	struct am_verdict delivery = am_pmu_delivery(pe, pmu), overflow;

	if (delivery.is == AM_RESERVED)
		return delivery;
	if (!am_is_taken(delivery.is))
		return am_verdict_of(AM_PMU_NO_EXCEPTION, delivery.why, delivery.detail);
	if (am_has(pe, AM_FEAT_SEBEP) && pe->ppend)
		return am_verdict_of(AM_PMU_SYNC, AM_WHY_PMU_PPEND, am_target_el(delivery.is));
	overflow = am_pmu_overflow_for(pe, pmu, AM_OVERFLOW_EXCEPTION);
	if (overflow.is > 0)
		return am_verdict_of(AM_PMU_ASYNC, AM_WHY_PMU_OVERFLOW,
				     am_target_el(delivery.is));
	return am_verdict_of(overflow.is ? AM_RESERVED : AM_PMU_NO_EXCEPTION, overflow.why,
			     overflow.detail);
}

/* Synchronous mode */

/**
 * struct am_event_range - events of one kind
 * @first: first event number
 * @last: last event number
 * @kind: enum am_sync_event
 */
struct am_event_range {
	u16 first;
	u16 last;
	u8 kind;
};

/* D14.7, and events that no instruction generates when it retires; AM_SYNC_UNKNOWN ends it */
static const struct am_event_range am_sync_events[] = {
	{ 0x0000, 0x0000, AM_SYNC_REQUIRED },		/* SW_INCR */
	{ 0x0008, 0x0008, AM_SYNC_REQUIRED },		/* INST_RETIRED */
	{ 0x0009, 0x0009, AM_SYNC_NEVER },		/* EXC_TAKEN */
	{ 0x000C, 0x000C, AM_SYNC_REQUIRED },		/* PC_WRITE_RETIRED */
	{ 0x000D, 0x000E, AM_SYNC_RECOMMENDED },	/* BR_IMMED_, BR_RETURN_RETIRED */
	{ 0x0011, 0x0011, AM_SYNC_NEVER },		/* CPU_CYCLES */
	{ 0x001E, 0x001E, AM_SYNC_NEVER },		/* CHAIN */
	{ 0x0021, 0x0022, AM_SYNC_REQUIRED },		/* BR_RETIRED, BR_MIS_PRED_RETIRED */
	{ 0x8107, 0x810D, AM_SYNC_RECOMMENDED },	/* branches by kind */
	{ 0x810F, 0x811E, AM_SYNC_RECOMMENDED },
	{ 0x811F, 0x811F, AM_SYNC_REQUIRED },		/* BRB_FILTRATE, with FEAT_BRBE */
	{ 0x8179, 0x8185, AM_SYNC_RECOMMENDED },
	{ 0x8235, 0x8237, AM_SYNC_RECOMMENDED },	/* memory of this or another socket */
	{ 0x823D, 0x823F, AM_SYNC_RECOMMENDED },
	{ 0x82A4, 0x82A4, AM_SYNC_RECOMMENDED },	/* instructions by type */
	{ 0x82A8, 0x82B1, AM_SYNC_RECOMMENDED },
	{ 0x82B4, 0x82BF, AM_SYNC_RECOMMENDED },	/* caches */
	{ 0x82C4, 0x82D1, AM_SYNC_RECOMMENDED },
	{ 0x82D4, 0x82E1, AM_SYNC_RECOMMENDED },
	{ 0x82E4, 0x82F7, AM_SYNC_RECOMMENDED },	/* caches and TLBs */
	{ 0x8304, 0x831F, AM_SYNC_RECOMMENDED },	/* snoops */
	{ .kind = AM_SYNC_UNKNOWN },
};

/* Rules: RXLMVX RKYPTP RGHRZF */
struct am_verdict am_pmu_sync_event(const struct am_pe *pe, unsigned int event)
{
	const struct am_event_range *range;

	if (!am_has(pe, AM_FEAT_SEBEP))
		return am_verdict(AM_SYNC_NEVER, AM_WHY_PMU_NO_SEBEP);
	for (range = am_sync_events; range->kind != AM_SYNC_UNKNOWN; range++) {
		if (event < range->first || event > range->last)
			continue;
		/* The one event that a feature makes required */
		if (event == 0x811F && !am_has(pe, AM_FEAT_BRBE))
			break;
		return am_verdict_of(range->kind, AM_WHY_PMU_SYNC_EVENT, event);
	}
	return am_verdict_of(AM_SYNC_UNKNOWN, AM_WHY_PMU_SYNC_IMPDEF, event);
}

/* Rules: IGQSRL RGHRZF */
bool am_pmu_is_precise(const struct am_pe *pe, unsigned int n, bool at_retirement)
{
	if (!am_has(pe, AM_FEAT_SEBEP))
		return false;
	return n == AM_INSTRUCTION_COUNTER || (n < AM_CYCLE_COUNTER && at_retirement);
}

/* What an instruction may change while it makes counter @n pend an exception: RMQDPX */
#define AM_PENDS_INTEN		BIT_ULL(0)
#define AM_PENDS_ENABLED	BIT_ULL(1)
#define AM_PENDS_OVERFLOW	BIT_ULL(2)
#define AM_PENDS_DELIVERABLE	BIT_ULL(3)
#define AM_PENDS_ALL		GENMASK_ULL(3, 0)

/* The conditions that hold; with @perhaps those too that a reserved HPMN or EPMN leaves open */
static unsigned int am_pmu_pends(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n,
				 bool perhaps)
{
	u64 flag = 1ULL << n;
	int enable = am_pmu_global_enable(pe, pmu, n).is;
	bool enabled = am_pmu_is_sync(pe, pmu, n).is > 0 && (pmu->pmcnten & flag) &&
		       (enable > 0 || (perhaps && enable == AM_RESERVED));
	bool deliverable = am_is_taken(am_pmu_delivery(pe, pmu).is);

	return (pmu->pminten & flag ? AM_PENDS_INTEN : 0) | (enabled ? AM_PENDS_ENABLED : 0) |
	       (pmu->pmovs & flag ? AM_PENDS_OVERFLOW : 0) |
	       (deliverable ? AM_PENDS_DELIVERABLE : 0);
}

/* An exception return that unmasks finds the exception masked: nothing UNPREDICTABLE in that */
static bool am_return_unmasks(const struct am_pe *pe, const struct am_pmu *pmu,
			      const struct am_pe *pe_after, const struct am_pmu *pmu_after)
{
	int before = am_pmu_delivery(pe, pmu).is;

	return (before == AM_DELIVERY_MASKED || before == AM_DELIVERY_MASKED_PM) &&
	       am_is_taken(am_pmu_delivery(pe_after, pmu_after).is);
}

/* Rules: RNZLVW IHMXCY RMQDPX INPRDL RGHRZF RKYPTP RHTPDY */
/* Reading: F1-18 M-11 M-15 F3-2 */
struct am_verdict am_pmu_retire(const struct am_pe *pe, const struct am_pmu *pmu,
				const struct am_pe *pe_after, const struct am_pmu *pmu_after,
				const struct am_retired *insn)
{
	struct am_verdict verdict = am_verdict(AM_PPEND_UNCHANGED, AM_WHY_PMU_PENDS_NOTHING);
	unsigned int n, before, after;

	if (!am_has(pe, AM_FEAT_SEBEP))
		return am_verdict(AM_PPEND_UNCHANGED, AM_WHY_PMU_NO_SEBEP);
	if (insn->exception)
		return am_verdict(AM_PPEND_UNCHANGED, AM_WHY_PMU_PENDS_NOTHING);
	if (insn->eret && am_return_unmasks(pe, pmu, pe_after, pmu_after))
		return am_verdict(AM_PPEND_UNCHANGED, AM_WHY_PMU_RETURN_UNMASKS);

	for (n = 0; n <= AM_INSTRUCTION_COUNTER; n++) {
		if (!(insn->counted & (1ULL << n)))
			continue;
		before = am_pmu_pends(pe, pmu, n, false);
		after = am_pmu_pends(pe_after, pmu_after, n, false);
		if ((before & after) == AM_PENDS_ALL)
			return am_verdict_of(AM_PPEND_SET, AM_WHY_PMU_PENDS, n);
		/* Old and new values may be mixed */
		before = am_pmu_pends(pe, pmu, n, true);
		after = am_pmu_pends(pe_after, pmu_after, n, true);
		if ((before | after) == AM_PENDS_ALL && verdict.is == AM_PPEND_UNCHANGED)
			verdict = am_verdict_of(AM_PPEND_EITHER, AM_WHY_PMU_PENDS_EITHER, n);
	}
	return verdict;
}

/* Rules: RNZLVW RMQDPX INPRDL */
struct am_value am_pmu_pmiar(enum am_ppend ppend, u64 before, u64 pc)
{
	u64 written = pc & PMIAR_ADDRESS;

	switch (ppend) {
	case AM_PPEND_SET:
		return am_known(written);
	case AM_PPEND_EITHER:
		return (struct am_value){ .value = before & written, .unknown = before ^ written };
	default:
		return am_known(before);
	}
}

/* PPEND on entry and return */

/* Rules: RBVBYS RGHRZF */
u64 am_ppend_entry(struct am_pe *pe, u64 spsr)
{
	if (!am_has(pe, AM_FEAT_SEBEP))
		return spsr;
	spsr &= ~SPSR_PPEND;
	if (pe->ppend)
		spsr |= SPSR_PPEND;
	pe->ppend = false;
	return spsr;
}

/* Rules: RBVBYS ICCQDC RGHRZF */
struct am_verdict am_ppend_return(const struct am_pe *pe, const struct am_pmu *pmu,
				  unsigned int to_el, bool pm)
{
	struct am_verdict before = am_pmu_delivery(pe, pmu);
	struct am_verdict route = am_pmu_route(pe, pmu);
	bool enabled = am_is_taken(route.is), unmasked = am_is_taken(before.is);
	bool unmasked_after = enabled && !am_pmu_mask(pe, pmu, route, to_el, pm);

	if (before.is == AM_RESERVED)
		return before;
	if (pe->halted)
		return am_verdict(AM_RESERVED, AM_WHY_PMU_DEBUG_MASKED);
	if (!am_has(pe, AM_FEAT_SEBEP))
		return am_verdict(AM_RETURN_CLEAR, AM_WHY_PMU_NO_SEBEP);
	if (unmasked)
		return am_verdict_of(AM_RETURN_CLEAR, AM_WHY_PPEND_CASE, unmasked_after ? 4 : 3);
	if (unmasked_after)
		return am_verdict_of(AM_RETURN_RESTORE, AM_WHY_PPEND_CASE, 2);
	return am_verdict_of(AM_RETURN_CLEAR, AM_WHY_PPEND_CASE, 1);
}

/* From Armv9 on, and with FEAT_SEBEP, no level but EL0 can use AArch32 */
static bool am_executes_aa32(const struct am_pe *pe)
{
	return !pe->el && am_uses_aa32(pe, 0);
}

/* Rules: RGBQFX RNHRCY RGHRZF */
struct am_debug_ppend am_ppend_debug_entry(const struct am_pe *pe)
{
	struct am_debug_ppend entry = { .saved = pe->ppend };

	if (!am_has(pe, AM_FEAT_SEBEP))
		entry.saved = false;
	else if (am_executes_aa32(pe))
		entry.unknown = true;
	return entry;
}

/* Rules: RGBQFX RNHRCY RGHRZF */
struct am_verdict am_ppend_debug_exit(const struct am_pe *pe, const struct am_pmu *pmu,
				      unsigned int to_el, bool pm)
{
	struct am_verdict route = am_pmu_route(pe, pmu);
	enum am_why impossible = am_pe_check(pe), mask;

	if (impossible)
		return am_verdict(AM_RESERVED, impossible);
	if (!am_has(pe, AM_FEAT_SEBEP))
		return am_verdict(AM_RETURN_CLEAR, AM_WHY_PMU_NO_SEBEP);
	if (!am_is_taken(route.is))
		return am_verdict_of(AM_RETURN_CLEAR, route.why, route.detail);
	/* RNHRCY does not ask about masking: from AArch32 it returns to EL0, which masks nothing */
	mask = am_pmu_mask(pe, pmu, route, to_el, pm);
	if (mask)
		return am_verdict(AM_RETURN_CLEAR, mask);
	return am_verdict(AM_RETURN_RESTORE, AM_WHY_PPEND_DEBUG_EXIT);
}
