// SPDX-License-Identifier: GPL-2.0-only
/*
 * The three questions that people ask: why does my counter not count, why does no interrupt or
 * exception come, why do I read all ones. Each answer is one sentence with what to do about it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <arch-model/pmpcsr-regs.h>
#include <arch-model/pmu-regs.h>
#include <arch-model/trbe-regs.h>
#include <arch-model/why-text.h>

#include "explain/questions.h"

/* What to do */

/**
 * struct remedy - what to do about a reason
 * @why: the reason
 * @text: a sentence; "%" is the number that the verdict carries
 */
struct remedy {
	enum am_why why;
	const char *text;
};

static const struct remedy remedies[] = {
	/* The state itself */
	{ AM_WHY_PE_NO_EL, "Check PSTATE.EL, and SCR_EL3.{NS,EEL2} for EL2." },
	{ AM_WHY_PE_STATE, "Check SCR_EL3: {NSE,NS} = {1,0} is reserved below EL3." },
	{ AM_WHY_PE_TGE, "Check PSTATE.EL: with HCR_EL2.TGE = 1 nothing runs at EL1." },
	{ AM_WHY_PE_AA32, "Check ELn.nRW: below AArch32 there is no AArch64." },
	{ AM_WHY_PE_NO_AA64, "Check ELn.nRW and AArch64." },

	/* Counting */
	{ AM_WHY_PMU_HPMN_RESERVED, "Write MDCR_EL2.HPMN, at EL2: 1 to the number of counters." },
	{ AM_WHY_PMU_EPMN_RESERVED,
	  "Let the debugger write PMCCR.EPMN: 0 to the number of counters." },
	{ AM_WHY_PMU_E, "Set PMCR_EL0.E to 1." },
	{ AM_WHY_PMU_HPME, "Set MDCR_EL2.HPME to 1, or MDCR_EL2.HPMN above the counter, at EL2." },
	{ AM_WHY_PMU_EPME, "Let the debugger set PMCCR.EPME to 1." },
	{ AM_WHY_PMU_DEBUG, "Let the PE leave Debug state." },
	{ AM_WHY_PMU_CNTEN, "Write 1 to PMCNTENSET_EL0[%]." },
	{ AM_WHY_PMU_EVENT_NOT_SYNC, "Clear PMEVTYPER%_EL0.SYNC, or count INST_RETIRED (0x08)." },
	{ AM_WHY_PMU_NO_SPME, "Let firmware set MDCR_EL3.SPME to 1, or count Non-secure state." },
	{ AM_WHY_PMU_MPMX, "Let firmware clear MDCR_EL3.MPMX; counters of EL2 are not affected." },
	{ AM_WHY_PMU_HPMD, "Clear MDCR_EL2.HPMD, or use a counter from MDCR_EL2.HPMN on." },
	{ AM_WHY_PMU_SCCD, "Let firmware clear MDCR_EL3.SCCD." },
	{ AM_WHY_PMU_HCCD, "Clear MDCR_EL2.HCCD, at EL2." },
	{ AM_WHY_PMU_MCCD, "Let firmware clear MDCR_EL3.MCCD." },
	{ AM_WHY_PMU_FZO, "Write 1 to PMOVSCLR_EL0[%], or clear PMCR_EL0.FZO." },
	{ AM_WHY_PMU_HPMFZO, "Write 1 to PMOVSCLR_EL0[%], or clear MDCR_EL2.HPMFZO." },
	{ AM_WHY_PMU_FZS, "Handle the event in PMBSR_EL% and clear its S bit, or PMCR_EL0.FZS." },
	{ AM_WHY_PMU_HPMFZS,
	  "Handle the event in PMBSR_EL% and clear its S bit, or MDCR_EL2.HPMFZS." },
	{ AM_WHY_PMU_FILTERED_EL0, "Clear the filter's U; NSU (RLU in Realm state) equal to U." },
	{ AM_WHY_PMU_FILTERED_EL1, "Clear the filter's P; NSK (RLK in Realm state) equal to P." },
	{ AM_WHY_PMU_FILTERED_EL2, "Set the filter's NSH; SH (Secure), RLH (Realm) unlike NSH." },
	{ AM_WHY_PMU_FILTERED_EL3, "Make the filter's M equal to P." },
	{ AM_WHY_PMU_VS, "Clear the filter's VS to count with and without Streaming SVE mode." },
	{ AM_WHY_PMU_VS_RESERVED, "Write 0, 1 or 2 to the filter's VS." },

	/* Overflow */
	{ AM_WHY_PMU_INTEN, "Write 1 to PMINTENSET_EL1[%]." },
	{ AM_WHY_PMU_NO_OVERFLOW,
	  "See whether the counter counts ('explain counting'); preload it to overflow sooner." },
	{ AM_WHY_PMU_OVERFLOW_SYNC, "Clear the filter's SYNC: a flag set by hand causes nothing." },
	{ AM_WHY_PMEE3_RESERVED, "Let firmware write 0, 1 or 3 to MDCR_EL3.PMEE." },
	{ AM_WHY_PMEE2_RESERVED, "Write 0, 1 or 3 to MDCR_EL2.PMEE, at EL2." },
	{ AM_WHY_PMEE1_RESERVED, "Write 0 (interrupt) or 3 (exception) to PMECR_EL1.PMEE." },
	{ AM_WHY_PMU_DEBUG_MASKED, "Let the PE leave Debug state." },
	{ AM_WHY_PMU_ABOVE_TARGET, "Wait: it is taken when the PE returns to a lower level." },
	{ AM_WHY_PMU_EL2_DELEGATES,
	  "Write 3 to MDCR_EL2.PMEE to take it at EL2; else it waits for EL1 or EL0." },
	{ AM_WHY_PMU_KPME, "Set PMECR_EL1.KPME to 1." },
	{ AM_WHY_PMU_PM, "Clear PSTATE.PM (MSR PM, #0)." },

	/* The trace buffer */
	{ AM_WHY_TRBE_NSTB_RESERVED, "Let firmware write 3 to MDCR_EL3.NSTB." },
	{ AM_WHY_TRBE_E2TB_RESERVED, "Write 0, 2 or 3 to MDCR_EL2.E2TB, at EL2." },
	{ AM_WHY_TRBE_TRBEE, "Read TRBSR_EL1 and TRBSR_EL2: EL3 takes no events." },
	{ AM_WHY_TRBE_TRBEE_OFF, "Let firmware write 1 to MDCR_EL3.TRBEE for exceptions." },
	{ AM_WHY_TRBE_DEBUG, "Let the PE leave Debug state." },
	{ AM_WHY_TRBE_AT_EL3, "Wait: it is taken when the PE leaves EL3." },
	{ AM_WHY_TRBE_AT_EL2, "Wait: it is taken at EL1 or EL0." },
	{ AM_WHY_TRBE_NOT_OWNING, "Wait: it is taken in the Security state that owns the buffer." },
	{ AM_WHY_TRBE_EE2_OWN, "Write 3 to TRFCR_EL2.EE to take it at EL2." },
	{ AM_WHY_TRBE_KE2, "Set TRFCR_EL2.KE to 1." },
	{ AM_WHY_TRBE_KE1, "Set TRFCR_EL1.KE to 1." },
	{ AM_WHY_TRBE_PM, "Clear PSTATE.PM (MSR PM, #0)." },

	/* Reads */
	{ AM_WHY_PCS_CORE_OFF,
	  "Keep the core powered: online, and with cpuidle.off=1 or EDPRCR.CORENPDRQ." },
	{ AM_WHY_PCS_DOUBLE_LOCK, "Clear OSDLR_EL1.DLK on the target." },
	{ AM_WHY_PCS_OS_LOCK,
	  "Write 0 to OSLAR_EL1 on the target, or at 0x300 of its debug block." },
	{ AM_WHY_PCS_DEBUG, "Let the debugger that halted the PE resume it." },
	{ AM_WHY_PCS_NOT_ENABLED,
	  "Let firmware or the board enable DBGEN or NIDEN; fuses may forbid it." },
	{ AM_WHY_PCS_STATE_DISABLED,
	  "Sample Non-secure state, or let firmware enable debug of that state (SPIDEN)." },
	{ AM_WHY_PCS_ON_SNAPSHOT, "Clear PMPCSCTL.SS, or capture first: write PMSSCR_EL1.SS = 1." },
	{ AM_WHY_PCS_ACTIVATED, "Read again after a branch, or set PMPCSCTL.EN to 1 beforehand." },
	{ AM_WHY_PCS_FIRST, "Read again: the first read after reset may give all ones." },
	{ AM_WHY_PCS_SAMPLE,
	  "See whether this is the block of a running PE: use 'explain frame'." },
};

static const char *remedy_of(enum am_why why)
{
	size_t i;

	for (i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++)
		if (remedies[i].why == why)
			return remedies[i].text;
	return "";
}

static void print_remedy(char *text, size_t size, enum am_why why, unsigned int detail)
{
	const char *remedy = remedy_of(why), *number = strchr(remedy, '%');

	if (number)
		snprintf(text, size, "%.*s%u%s", (int)(number - remedy), remedy, detail,
			 number + 1);
	else
		snprintf(text, size, "%s", remedy);
}

void conclude(const struct arch_answers *answers, const char *question, struct am_verdict verdict,
	      enum am_why mend, const char *format, ...)
{
	struct arch_answer a = {};
	va_list args;

	snprintf(a.question, sizeof(a.question), "%s", question);
	va_start(args, format);
	vsnprintf(a.answer, sizeof(a.answer), format, args);
	va_end(args);
	am_why_print(verdict, a.because, sizeof(a.because));
	snprintf(a.rule, sizeof(a.rule), "%s", am_why_rule(verdict.why));
	print_remedy(a.remedy, sizeof(a.remedy), mend, verdict.detail);
	answers->take(answers->ctx, &a);
}

/* Can the PE be in this state at all? If not, that is the only answer */
static bool is_possible(const struct arch_state *state, const struct arch_answers *answers)
{
	enum am_why why = am_pe_check(&state->pe);

	if (why)
		conclude(answers, "where is the PE?", am_verdict(AM_RESERVED, why), why,
			 "No PE can be in this state.");
	return !why;
}

/* Why does my counter not count? */

/*
 * The counters to explain: those that are enabled or have an event or a filter. If there is none,
 * all counters: the user may have forgotten to enable them.
 */
static u64 counters_in_use(const struct arch_state *state)
{
	const struct am_pmu *pmu = &state->pmu;
	u64 used = pmu->pmcnten, all = 1ULL << AM_CYCLE_COUNTER;
	unsigned int n;

	for (n = 0; n < pmu->counters; n++) {
		all |= 1ULL << n;
		if (pmu->pmevtyper[n])
			used |= 1ULL << n;
	}
	if (pmu->pmccfiltr)
		used |= 1ULL << AM_CYCLE_COUNTER;
	if (am_has(&state->pe, AM_FEAT_PMUV3_ICNTR))
		all |= 1ULL << AM_INSTRUCTION_COUNTER;
	if (pmu->pmicfiltr)
		used |= 1ULL << AM_INSTRUCTION_COUNTER;
	return used & all ? used & all : all;
}

static void name_counter(char *name, size_t size, unsigned int n)
{
	if (n == AM_CYCLE_COUNTER)
		snprintf(name, size, "The cycle counter");
	else if (n == AM_INSTRUCTION_COUNTER)
		snprintf(name, size, "The instruction counter");
	else
		snprintf(name, size, "Counter %u", n);
}

/* Might the event of a counter support synchronous mode? No register tells */
static bool may_be_sync(const struct arch_state *state, unsigned int n)
{
	int support;

	if (n >= AM_CYCLE_COUNTER)
		return false;
	support = am_pmu_sync_event(&state->pe, FIELD_GET(PMEVTYPER_EVTCOUNT,
							  state->pmu.pmevtyper[n])).is;
	return support == AM_SYNC_UNKNOWN || support == AM_SYNC_RECOMMENDED;
}

static void explain_one_counter(const struct arch_state *state, const struct arch_answers *answers,
				unsigned int n)
{
	struct am_verdict v = am_pmu_counts(&state->pe, &state->pmu, n);
	char question[64], name[40];

	name_counter(name, sizeof(name), n);
	snprintf(question, sizeof(question), "does %c%s count?", name[0] | ' ', name + 1);
	if (v.is == AM_RESERVED)
		conclude(answers, question, v, v.why, "%s may count or not.", name);
	else if (v.is)
		conclude(answers, question, v, AM_WHY_NONE, "%s counts.", name);
	else if (v.why == AM_WHY_PMU_EVENT_NOT_SYNC && may_be_sync(state, n))
		conclude(answers, question, v, v.why,
			 "%s does not count, unless the PE supports it.", name);
	else
		conclude(answers, question, v, v.why, "%s does not count at EL%u.", name,
			 state->pe.el);
}

void explain_counting(const struct arch_state *state, const struct arch_answers *answers)
{
	u64 used = counters_in_use(state);
	unsigned int n;

	if (!is_possible(state, answers))
		return;
	for (n = 0; n <= AM_INSTRUCTION_COUNTER; n++)
		if (used & (1ULL << n))
			explain_one_counter(state, answers, n);
}

/* Why does no interrupt or exception come? */

static void explain_pmu_interrupt(const struct arch_state *state,
				  const struct arch_answers *answers)
{
	static const char question[] = "does a PMU overflow arrive?";
	struct am_verdict delivery = am_pmu_delivery(&state->pe, &state->pmu), v;

	if (delivery.is == AM_DELIVERY_IRQ) {
		v = am_pmuirq(&state->pe, &state->pmu);
		if (v.is > 0)
			conclude(answers, question, v, AM_WHY_NONE,
				 "PMUIRQ is asserted: see the interrupt controller and PSTATE.I.");
		else
			conclude(answers, question, v, v.why, v.is ?
				 "PMUIRQ may be asserted or not." : "PMUIRQ is not asserted.");
		return;
	}
	if (delivery.is == AM_DELIVERY_NONE) {
		conclude(answers, question, delivery, delivery.why,
			 "Neither the interrupt nor the exception is enabled.");
		return;
	}
	v = am_pmu_overflow_for(&state->pe, &state->pmu, AM_OVERFLOW_EXCEPTION);
	if (v.is <= 0 && !state->pe.ppend)
		conclude(answers, question, v, v.why, "There is no overflow to take.");
	else if (am_is_taken(delivery.is))
		conclude(answers, question, delivery, AM_WHY_NONE, "It is taken to EL%d.",
			 delivery.is - AM_DELIVERY_EL1 + 1);
	else
		conclude(answers, question, delivery, delivery.why, "It is masked at EL%u.",
			 state->pe.el);
}

static void explain_trace_interrupt(const struct arch_state *state,
				    const struct arch_answers *answers, unsigned int el)
{
	struct am_verdict v = am_trbe_delivery(&state->pe, &state->trbe, el);
	char question[64];

	snprintf(question, sizeof(question), "does TRBSR_EL%u.IRQ arrive?", el);
	if (am_is_taken(v.is))
		conclude(answers, question, v, AM_WHY_NONE, "It is taken to EL%d.",
			 v.is - AM_DELIVERY_EL1 + 1);
	else if (v.is == AM_DELIVERY_IRQ)
		conclude(answers, question, v, AM_WHY_NONE,
			 "TRBIRQ is HIGH: see the interrupt controller and PSTATE.I.");
	else if (v.is == AM_DELIVERY_NONE)
		conclude(answers, question, v, v.why, "TRBSR_EL%u causes nothing.", el);
	else
		conclude(answers, question, v, v.why, "It is masked at EL%u.", state->pe.el);
}

void explain_interrupt(const struct arch_state *state, const struct arch_answers *answers)
{
	bool has_event = false;
	unsigned int el;

	if (!is_possible(state, answers))
		return;
	explain_pmu_interrupt(state, answers);
	for (el = 1; el <= 3; el++)
		if (state->trbe.trbsr[el] & TRBSR_IRQ) {
			explain_trace_interrupt(state, answers, el);
			has_event = true;
		}
	if (!has_event)
		conclude(answers, "does a trace buffer event arrive?", am_verdict(0, AM_WHY_NONE),
			 AM_WHY_NONE, "No event is recorded: IRQ is 0 in each TRBSR_ELx.");
}

/* Why do I read all ones? */

/* A prohibited read has the reason that am_pcs_allowed() gives */
static struct am_verdict reason_of_read(const struct arch_state *state,
					struct am_verdict read)
{
	if (read.why == AM_WHY_PCS_PROHIBITED)
		return am_pcs_allowed(&state->pe, &state->auth);
	return read;
}

void explain_all_ones(const struct arch_state *state, const struct arch_answers *answers)
{
	static const char question[] = "why does PMPCSR read as all ones?";
	struct am_pcs_access access = am_pcs_access_from_edprsr(state->edprsr);
	struct am_verdict mode = am_pcs_mode(&state->pe, &state->pcsr), v;
	struct am_pcsr pcsr = state->pcsr;
	struct am_pcs_read read;

	if (!is_possible(state, answers))
		return;
	/* Suspended sampling has no branches; otherwise assume the best case */
	pcsr.branch = mode.is != AM_PCS_SUSPENDED;
	pcsr.new_branch = pcsr.branch;
	pcsr.sample.valid = true;
	read = am_pmpcsr_read(&pcsr, &state->pe, &state->auth, &access, AM_PCS_REG_PC_LO);
	v = reason_of_read(state, read.verdict);
	switch (read.verdict.is) {
	case AM_PCS_ERROR:
		conclude(answers, question, v, v.why,
			 "The read is answered by an error, which many systems make all ones.");
		break;
	case AM_PCS_NONE:
		conclude(answers, question, v, v.why, "The PE gives no sample.");
		break;
	case AM_PCS_UNKNOWN:
		conclude(answers, question, v, v.why, "Sampling was suspended until this read.");
		break;
	case AM_PCS_LATCHED:
		conclude(answers, question, v, v.why, "Reads take no sample; none was captured.");
		break;
	default:
		conclude(answers, question, am_verdict(0, AM_WHY_NONE), v.why,
			 "These registers allow samples: no branch yet, or not this PE's block.");
	}
}
