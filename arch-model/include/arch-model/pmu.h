/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Performance Monitors: which counters count, what an overflow does, and the PMU Profiling
 * exception, asynchronous and synchronous.
 *
 * Arm DDI 0487 M.a.a, D13.3 (overflow, exceptions) and D13.5 (counting), with the register pages.
 */
#ifndef ARCH_MODEL_PMU_H
#define ARCH_MODEL_PMU_H

#include <arch-model/pe.h>
#include <arch-model/profexc.h>
#include <arch-model/types.h>
#include <arch-model/value.h>
#include <arch-model/why.h>

/* Counters, by their bit in PMOVSSET_EL0: 0 to 30 are event counters */
#define AM_CYCLE_COUNTER	31
#define AM_INSTRUCTION_COUNTER	32

/**
 * struct am_pmu - registers of a PMU
 * @counters: number of event counters, NUM_PMU_COUNTERS, 0 to 31
 * @pmcr: PMCR_EL0, or PMCR
 * @pmcnten: PMCNTENSET_EL0
 * @pmovs: PMOVSSET_EL0
 * @pminten: PMINTENSET_EL1
 * @pmecr: PMECR_EL1
 * @pmccr: PMCCR (FEAT_PMUv3_EXTPMN)
 * @pmccfiltr: PMCCFILTR_EL0
 * @pmicfiltr: PMICFILTR_EL0 (FEAT_PMUv3_ICNTR)
 * @pmevtyper: PMEVTYPER<n>_EL0
 * @pmuserenr: PMUSERENR_EL0, which nothing here depends on
 * @pmuacr: PMUACR_EL1, which nothing here depends on
 * @sync_events: bit n is set if the event that counter n counts supports synchronous mode;
 *		 IMPLEMENTATION DEFINED, see am_pmu_sync_event()
 * @edecr: EDECR
 * @pmblimitr: PMBLIMITR_EL1 (FEAT_SPEv1p2)
 * @pmbsr: PMBSR_EL1 to PMBSR_EL3 at 1 to 3; 0 is not used
 * @pmscr_el2: PMSCR_EL2 (FEAT_SPE_EXC)
 * @secure_noninvasive: ExternalSecureNoninvasiveDebugEnabled(), before FEAT_Debugv8p2
 * @streaming: PSTATE.SM (FEAT_PMUv3_SME)
 */
struct am_pmu {
	unsigned int counters;
	u64 pmcr;
	u64 pmcnten;
	u64 pmovs;
	u64 pminten;
	u64 pmecr;
	u64 pmccr;
	u64 pmccfiltr;
	u64 pmicfiltr;
	u64 pmevtyper[31];
	u64 pmuserenr;
	u64 pmuacr;
	u32 sync_events;
	u64 edecr;
	u64 pmblimitr;
	u64 pmbsr[4];
	u64 pmscr_el2;
	bool secure_noninvasive;
	bool streaming;
};

/* Counters and their ranges */

/**
 * enum am_pmu_range - who a counter belongs to
 * @AM_RANGE_1: the operating system: event counters below MDCR_EL2.HPMN, the cycle counter and
 *		the instruction counter
 * @AM_RANGE_2: the hypervisor: event counters from MDCR_EL2.HPMN on
 * @AM_RANGE_3: external software: event counters from PMCCR.EPMN on
 */
enum am_pmu_range {
	AM_RANGE_1,
	AM_RANGE_2,
	AM_RANGE_3,
};

/**
 * am_pmu_range() - range of a counter
 * @pe: the PE
 * @pmu: its PMU
 * @n: the counter
 *
 * Return: an enum am_pmu_range; AM_RESERVED if there is no such counter, and for event counters
 * whose range a reserved HPMN or EPMN leaves undefined
 */
struct am_verdict am_pmu_range(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n);

/* A question about a PMU: which counter, or which range, @argument says */
typedef struct am_verdict am_pmu_decision(const struct am_pe *pe, const struct am_pmu *pmu,
					  unsigned int argument);

/**
 * am_pmu_agree() - a decision, if MDCR_EL2.HPMN or PMCCR.EPMN may be reserved
 * @pe: the PE
 * @pmu: its PMU
 * @decide: the decision
 * @argument: for @decide
 *
 * With a reserved value hardware chooses who owns each event counter. Where @decide answers the
 * same for each choice that is the answer, else AM_RESERVED. All functions below ask so.
 */
struct am_verdict am_pmu_agree(const struct am_pe *pe, const struct am_pmu *pmu,
			       am_pmu_decision *decide, unsigned int argument);

/* Global enable control of counter @n: PMCR.E, MDCR_EL2.HPME or PMCCR.EPME */
struct am_verdict am_pmu_global_enable(const struct am_pe *pe, const struct am_pmu *pmu,
				       unsigned int n);

/* PMEVTYPER<n>_EL0 of an event counter, PMCCFILTR_EL0, or PMICFILTR_EL0 */
u64 am_pmu_type(const struct am_pmu *pmu, unsigned int n);

/* Does a counter count? */

/**
 * am_pmu_counts() - does counter @n count Attributable events, or cycles, in this state?
 * @pe: the PE
 * @pmu: its PMU
 * @n: the counter
 *
 * For Unattributable events it is IMPLEMENTATION DEFINED whether prohibition matters, and some
 * inaccuracy is permitted where the answer changes.
 *
 * Return: true or false; @detail is the counter, or the flag that froze it. AM_RESERVED where the
 * counter, its range or its filter is reserved.
 */
struct am_verdict am_pmu_counts(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n);

/* May counter @n count an Unattributable event? Return: true, false, or AM_RESERVED: IMPDEF */
struct am_verdict am_pmu_counts_unattributable(const struct am_pe *pe, const struct am_pmu *pmu,
					       unsigned int n);

/*
 * Is counting of Attributable events by counter @n prohibited in this state? For the cycle
 * counter: by an event counter of the first range, which stops it if PMCR.DP is 1.
 */
struct am_verdict am_pmu_prohibited(const struct am_pe *pe, const struct am_pmu *pmu,
				    unsigned int n);

/* Are the counters of @range frozen? Return: true or false; @detail is the flag that froze them */
struct am_verdict am_pmu_frozen(const struct am_pe *pe, const struct am_pmu *pmu,
				enum am_pmu_range range);

/* The same for freezing on overflow and on a Statistical Profiling event, apart */
struct am_verdict am_pmu_frozen_on_overflow(const struct am_pe *pe, const struct am_pmu *pmu,
					    enum am_pmu_range range);
struct am_verdict am_pmu_frozen_on_spe(const struct am_pe *pe, const struct am_pmu *pmu,
				       enum am_pmu_range range);

/* Overflow */

/* Width of counter @n: 32 or 64 */
unsigned int am_pmu_width(const struct am_pe *pe, unsigned int n);

/* Number of bits whose unsigned overflow sets the flag of counter @n: 32 or 64 */
struct am_verdict am_pmu_overflow_bits(const struct am_pe *pe, const struct am_pmu *pmu,
				       unsigned int n);

/**
 * enum am_chain - what a CHAIN event in the next counter sees of an overflow
 * @AM_CHAIN_NO: nothing
 * @AM_CHAIN_YES: one event
 * @AM_CHAIN_EITHER: CONSTRAINED UNPREDICTABLE
 */
enum am_chain {
	AM_CHAIN_NO,
	AM_CHAIN_YES,
	AM_CHAIN_EITHER,
};

/* Would an overflow of event counter @n count as CHAIN event in @n + 1? */
struct am_verdict am_pmu_chain(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n);

/**
 * struct am_increment - a counter and its overflow flag, which change together
 * @value: the counter
 * @overflow: the flag was set
 * @either: UNPREDICTABLE whether it was: reserved HPMN or EPMN. PMOVSSET_EL0 has it as it was
 */
struct am_increment {
	u64 value;
	bool overflow;
	bool either;
};

/**
 * am_pmu_increment() - a counter counts
 * @pe: the PE
 * @pmu: its PMU; PMOVSSET_EL0 changes
 * @n: the counter
 * @value: its value
 * @by: number of events
 */
struct am_increment am_pmu_increment(const struct am_pe *pe, struct am_pmu *pmu, unsigned int n,
				     u64 value, u64 by);

/**
 * enum am_overflow_for - what an overflow can do
 * @AM_OVERFLOW_IRQ: request an interrupt, if that is enabled; trigger the CTI in any case
 * @AM_OVERFLOW_EXCEPTION: an asynchronous PMU Profiling exception
 * @AM_OVERFLOW_HALT: an External Debug Request
 * @AM_OVERFLOW_FREEZE_1: freeze the counters of the first range
 * @AM_OVERFLOW_FREEZE_2: freeze the counters of the second range
 * @AM_OVERFLOW_BRBE: freeze branch recording
 */
enum am_overflow_for {
	AM_OVERFLOW_IRQ,
	AM_OVERFLOW_EXCEPTION,
	AM_OVERFLOW_HALT,
	AM_OVERFLOW_FREEZE_1,
	AM_OVERFLOW_FREEZE_2,
	AM_OVERFLOW_BRBE,
};

/**
 * am_pmu_overflows() - the counters whose overflow can do something
 * @pe: the PE
 * @pmu: its PMU
 * @what: what
 *
 * Return: PMOVSSET_EL0 bits of the counters whose flag is set and that no control excludes; UNKNOWN
 * where a reserved HPMN or EPMN leaves that undefined
 */
struct am_value am_pmu_overflows(const struct am_pe *pe, const struct am_pmu *pmu,
				 enum am_overflow_for what);

/**
 * am_pmu_overflow_for() - is there an overflow that can do something?
 * @pe: the PE
 * @pmu: its PMU
 * @what: what
 *
 * Return: true, @detail is the lowest counter; false, with what the set flag that comes furthest
 * lacks; AM_RESERVED where a reserved HPMN or EPMN leaves it undefined
 */
struct am_verdict am_pmu_overflow_for(const struct am_pe *pe, const struct am_pmu *pmu,
				      enum am_overflow_for what);

/* Level of PMUIRQ: true is asserted */
struct am_verdict am_pmuirq(const struct am_pe *pe, const struct am_pmu *pmu);

/* Level of the CTI's PMU overflow trigger event */
struct am_verdict am_pmu_cti_trigger(const struct am_pe *pe, const struct am_pmu *pmu);

/* Is an External Debug Request generated? (FEAT_PMUv3p9 and FEAT_Debugv8p9) */
struct am_verdict am_pmu_halts(const struct am_pe *pe, const struct am_pmu *pmu);

/**
 * am_pmu_freezes_brbe() - is a BRBE freeze event generated?
 * @pe: the PE
 * @pmu: its PMU
 * @recording: branch recording is allowed at this Exception level
 * @fzp1: BRBCR_EL1.FZP
 * @fzp2: BRBCR_EL2.FZP
 */
struct am_verdict am_pmu_freezes_brbe(const struct am_pe *pe, const struct am_pmu *pmu,
				      bool recording, bool fzp1, bool fzp2);

/* The PMU Profiling exception */

/**
 * am_pmu_route() - is the exception enabled, and for whom?
 * @pe: the PE; its Exception level and PSTATE.PM do not matter
 * @pmu: its PMU
 *
 * Return: AM_DELIVERY_IRQ, AM_DELIVERY_NONE, or AM_DELIVERY_EL1 to _EL3: the target. A reserved
 * PMEE is answered AM_DELIVERY_NONE, and the reason says so.
 */
struct am_verdict am_pmu_route(const struct am_pe *pe, const struct am_pmu *pmu);

/* What becomes of an overflow at the Exception level where the PE executes: enum am_delivery */
struct am_verdict am_pmu_delivery(const struct am_pe *pe, const struct am_pmu *pmu);

/**
 * enum am_pmu_exception - a PMU Profiling exception before the next instruction
 * @AM_PMU_NO_EXCEPTION: none
 * @AM_PMU_ASYNC: one, asynchronously: in finite time, see am_profexc_when()
 * @AM_PMU_SYNC: one, synchronously: in place of the next instruction
 */
enum am_pmu_exception {
	AM_PMU_NO_EXCEPTION,
	AM_PMU_ASYNC,
	AM_PMU_SYNC,
};

/* Is one to be taken? Return: an enum am_pmu_exception; @detail is the target Exception level */
struct am_verdict am_pmu_exception(const struct am_pe *pe, const struct am_pmu *pmu);

/* Synchronous mode (FEAT_SEBEP) */

/**
 * enum am_sync_event - does an event support synchronous mode?
 * @AM_SYNC_UNKNOWN: IMPLEMENTATION DEFINED, and there is no way to find out
 * @AM_SYNC_REQUIRED: yes
 * @AM_SYNC_RECOMMENDED: IMPLEMENTATION DEFINED; Arm recommends it
 * @AM_SYNC_NEVER: no, it is not attributable to an instruction that retires
 */
enum am_sync_event {
	AM_SYNC_UNKNOWN,
	AM_SYNC_REQUIRED,
	AM_SYNC_RECOMMENDED,
	AM_SYNC_NEVER,
};

/* Does @event, PMEVTYPER<n>_EL0.evtCount, support synchronous mode? */
struct am_verdict am_pmu_sync_event(const struct am_pe *pe, unsigned int event);

/* Is counter @n in synchronous mode? */
struct am_verdict am_pmu_is_sync(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n);

/**
 * am_pmu_is_precise() - is the value of counter @n precise when a precise exception is taken?
 * @pe: the PE
 * @n: the counter
 * @at_retirement: it counts an at-retirement event
 */
bool am_pmu_is_precise(const struct am_pe *pe, unsigned int n, bool at_retirement);

/**
 * struct am_retired - an instruction that retires
 * @counted: bit n is set if it generated an event that event counter n counts; bit 32 if the
 *	     instruction counter counted it
 * @exception: it generates an exception
 * @eret: it is an exception return
 */
struct am_retired {
	u64 counted;
	bool exception;
	bool eret;
};

/**
 * enum am_ppend - what an instruction does to PSTATE.PPEND and PMIAR_EL1
 * @AM_PPEND_UNCHANGED: nothing
 * @AM_PPEND_SET: PPEND is set, and PMIAR_EL1 is its address, see am_pmu_pmiar()
 * @AM_PPEND_EITHER: UNPREDICTABLE which of the two
 */
enum am_ppend {
	AM_PPEND_UNCHANGED,
	AM_PPEND_SET,
	AM_PPEND_EITHER,
};

/**
 * am_pmu_retire() - what a retiring instruction does to PSTATE.PPEND
 * @pe: the PE as the instruction found it
 * @pmu: its PMU, in the same way, but for flags that its own counting set
 * @pe_after: the PE as the instruction leaves it; @pe itself if it changes nothing
 * @pmu_after: the PMU as the instruction leaves it
 * @insn: the instruction
 *
 * Return: an enum am_ppend; @detail is the counter that decided. AM_RESERVED is impossible.
 */
struct am_verdict am_pmu_retire(const struct am_pe *pe, const struct am_pmu *pmu,
				const struct am_pe *pe_after, const struct am_pmu *pmu_after,
				const struct am_retired *insn);

/**
 * am_pmu_pmiar() - PMIAR_EL1 after an instruction retired
 * @ppend: what am_pmu_retire() says
 * @before: PMIAR_EL1 before
 * @pc: address of the instruction
 *
 * Return: its value. If it is UNPREDICTABLE whether PPEND is set, so is whether @pc is written: the
 * bits in which the two addresses differ are UNKNOWN.
 */
struct am_value am_pmu_pmiar(enum am_ppend ppend, u64 before, u64 pc);

/* Exception entry, AArch64, Non-debug state: what SPSR_ELx[33] becomes. PPEND becomes 0 */
u64 am_ppend_entry(struct am_pe *pe, u64 spsr);

/**
 * enum am_ppend_return - what an exception return does to PSTATE.PPEND
 * @AM_RETURN_CLEAR: sets it to 0
 * @AM_RETURN_RESTORE: sets it to SPSR_ELx.PPEND
 */
enum am_ppend_return {
	AM_RETURN_CLEAR,
	AM_RETURN_RESTORE,
};

/**
 * am_ppend_return() - exception return, AArch64, Non-debug state, legal or not
 * @pe: the PE before
 * @pmu: its PMU
 * @to_el: Exception level returned to; the current one for an illegal return
 * @pm: PSTATE.PM after: SPSR_ELx.PM
 *
 * Unless am_pmu_retire() says that the return itself sets PPEND.
 *
 * Return: an enum am_ppend_return, of SPSR_ELx.PPEND; @detail is the case of Table D13-2, 1 to 4.
 * AM_RESERVED in Debug state, which am_ppend_debug_exit() is for.
 */
struct am_verdict am_ppend_return(const struct am_pe *pe, const struct am_pmu *pmu,
				  unsigned int to_el, bool pm);

/**
 * struct am_debug_ppend - PPEND and its saved copy on entry to Debug state
 * @saved: value of DSPSR_EL0.PPEND, or DSPSR2.PPEND in AArch32 state
 * @ppend: value of PSTATE.PPEND; meaningless if @unknown
 * @unknown: PSTATE.PPEND is UNKNOWN
 */
struct am_debug_ppend {
	bool saved;
	bool ppend;
	bool unknown;
};

/* Entry to Debug state */
struct am_debug_ppend am_ppend_debug_entry(const struct am_pe *pe);

/**
 * am_ppend_debug_exit() - exit from Debug state
 * @pe: the PE, still in Debug state
 * @pmu: its PMU
 * @to_el: Exception level returned to
 * @pm: PSTATE.PM after
 *
 * Return: an enum am_ppend_return, of DSPSR_EL0.PPEND or DSPSR2.PPEND
 */
struct am_verdict am_ppend_debug_exit(const struct am_pe *pe, const struct am_pmu *pmu,
				      unsigned int to_el, bool pm);

#endif /* ARCH_MODEL_PMU_H */
