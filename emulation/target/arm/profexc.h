/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm Profiling exceptions: what QEMU's own target/arm files call
 *
 * FEAT_EBEP takes a PMU overflow as an exception with ESR_ELx.EC 0x3D instead
 * of as the interrupt PMUIRQ, FEAT_SEBEP takes it at the instruction that
 * caused it. Rule and table numbers are those of the Arm Architecture
 * Reference Manual for A-profile, DDI 0487 issue M.a.a.
 *
 * CPU properties, all off by default:
 *  + ebep:  FEAT_EBEP (and with EL2 FEAT_FGT2, which it implies)
 *  + sebep: FEAT_SEBEP; needs ebep. Adds the at-retirement PMU events.
 *  + ebep-delegated, trbe-exc-delegated: what stands in for firmware when QEMU
 *    boots a kernel delegates the exceptions; on by default. Off leaves
 *    MDCR_EL3.PMEE or TRBEE at 0, so that interrupts come instead, which lower
 *    Exception levels can find out by their effect only. Off needs an EL3.
 *  + pmecr-reset: what a reset leaves in PMECR_EL1, of the fields that there
 *    are. Without an EL2 or EL3 it is 0, else UNKNOWN, and 0 by default.
 *  + profexc-cpus: bit n is CPU n; those whose bit is 0 have none of the
 *    features, for a machine of unequal CPUs. All ones by default.
 *  + trbe, trbe-exc, trbe-*: see trbe.h
 *  + pmu-ss, pmu-ss-delegated: see pmuss.h
 *  + ete: see ete.h
 */
#ifndef TARGET_ARM_PROFEXC_H
#define TARGET_ARM_PROFEXC_H

#include "cpu.h"

/* ESR_ELx for EC 0x3D: ISS.FSC names the source, ISS.SYNC is bit 0 */
#define EC_PROFILING            0x3d
#define PROFEXC_FSC_PMU         0

/* MDCR_EL3 and MDCR_EL2 */
#define MDCR_PMEE_SHIFT         40
#define MDCR_PMEE               (3ULL << MDCR_PMEE_SHIFT)
#define MDCR_EL3_ENPM2          (1ULL << 7)

#define SCR_FGTEN2              (1ULL << 59)

#define PMECR_KPME              (1ULL << 2)
#define PMECR_PMEE              3ULL

#define PMEVTYPER_SYNC          (1ULL << 58)

/* SPSR_ELx */
#define SPSR_PM                 (1ULL << 32)
#define SPSR_PPEND              (1ULL << 33)

/*
 * Set-up
 */

/* Adds the CPU properties; called for every AArch64 CPU object. */
void profexc_add_properties(Object *obj);

/*
 * Checks that the features asked for fit the CPU, sets the ID fields and
 * defines the System registers. Call before the ID registers are defined.
 */
void profexc_realize(ARMCPU *cpu, Error **errp);

void profexc_reset(CPUARMState *env);

/* EL3 controls as booting.rst asks of firmware, for a direct kernel boot. */
void profexc_emulate_firmware_reset(CPUARMState *env);

/* True if any feature here is on; false makes every other call a no-op. */
static inline bool profexc_active(CPUARMState *env)
{
    return env->profexc.has_ebep || env->profexc.has_trbe;
}

/* Both imply FEAT_FGT2 where there is an EL2. */
static inline bool profexc_has_pmecr(CPUARMState *env)
{
    return env->profexc.has_ebep || env->profexc.has_pmu_ss;
}

/* The at-retirement PMU events are there. */
static inline bool profexc_counts_retired(CPUARMState *env)
{
    return env->profexc.has_sebep || env->profexc.has_pmu_ss;
}

/*
 * Exceptions
 */

/*
 * Derives the levels of PMUIRQ and TRBIRQ and CPU_INTERRUPT_PROF from the
 * register state. Call after a change of the PMU, from any thread; takes the
 * BQL if needed.
 */
void profexc_update_signals(CPUARMState *env);

/*
 * The same, and whether the trace unit is tracing, which the PMU has no say in.
 * Call after a change of anything else they depend on, on the thread of the
 * PE: it changes the trace unit's state and the hflags without a lock.
 */
void profexc_update(CPUARMState *env);

/*
 * At an instruction boundary: profexc_takeable(), and if so fills in
 * env->exception.syndrome and *target_el.
 */
bool profexc_select(CPUARMState *env, uint32_t *target_el);

/* A Profiling exception is enabled, unmasked and pending. */
bool profexc_takeable(CPUARMState *env);

/*
 * Exception entry to AArch64: returns the bits of SPSR_ELx above PSTATE's
 * bit 31, then sets PSTATE.PM and clears PSTATE.PPEND.
 */
uint64_t profexc_exception_entry(CPUARMState *env);

/*
 * Exception return, called before PSTATE and the Exception level change.
 * @spsr: SPSR_ELx of the current Exception level
 * @new_el: where the return goes; the current one for an illegal return
 */
void profexc_exception_return(CPUARMState *env, uint64_t spsr, int new_el);

/*
 * PMU
 */

/* The PMU exception is enabled: Effective PMCR.{LC,LP} and HLP are 1. */
bool profexc_pmu_enabled(CPUARMState *env);

/* Bits of PMEVTYPER<n>_EL0 that this PE has beyond PMXEVTYPER_MASK. */
static inline uint64_t profexc_evtyper_mask(CPUARMState *env)
{
    return env->profexc.has_sebep && is_a64(env) ? PMEVTYPER_SYNC : 0;
}

/* False if the counter does not count for PMEVTYPER<n>_EL0 = @evtyper. */
bool profexc_may_count(CPUARMState *env, uint64_t evtyper);

/*
 * Counter of @event reaches its overflow after @more further events; called
 * whenever that becomes known for a counter that is counting.
 */
void profexc_arm_overflow(CPUARMState *env, uint16_t event, uint64_t more);

/* SW_INCR counter @n has counted the write at env->pc. */
void profexc_swinc_counted(CPUARMState *env, unsigned int n);

/* In helper.c: counter @counter counts events in the present state. */
bool pmu_counter_enabled(CPUARMState *env, uint8_t counter);

/* Rows of helper.c's pm_events[] (profexc-events.c.inc) */
bool retired_event_supported(CPUARMState *env);
uint64_t retired_inst_count(CPUARMState *env);
uint64_t retired_pc_write_count(CPUARMState *env);
uint64_t retired_br_immed_count(CPUARMState *env);
uint64_t retired_br_return_count(CPUARMState *env);
uint64_t retired_br_count(CPUARMState *env);
int64_t retired_ns_per_count(uint64_t count);

/*
 * Retirement
 *
 * The translator emits calls (tcg/profexc-translate.c.inc) if the TB flag
 * RETIRE says so. Branches are reported when they jump. Other instructions
 * are reported when the next one starts, or when an exception is taken that
 * is not theirs: an instruction that is restarted, or that faults, has not
 * retired.
 */
#define RETIRE_INSN             1   /* every instruction */
#define RETIRE_BRANCH           2   /* every branch */

/* What the translator knows about an instruction */
#define INSN_BRANCH             1   /* may change the flow of execution */
#define INSN_IMMED              2   /* target in the instruction */
#define INSN_COND               4
#define INSN_RETURN             8   /* RET and its forms */
#define INSN_ERET               16
#define INSN_ISB                32  /* not a branch to the PMU */
#define INSN_TAKEN              64

/* Value of TB flag RETIRE for the current state. */
unsigned int profexc_retire_flags(CPUARMState *env);

/* The PMU exception is enabled and unmasked in the present state. */
bool profexc_pmu_unmasked(CPUARMState *env);

/* The exception return retires; @may_pend: it may set PSTATE.PPEND. */
void profexc_retire_eret(CPUARMState *env, bool may_pend);

/* A PMU overflow flag or interrupt enable was set. */
void profexc_watch_overflowed(CPUARMState *env);

/* At an instruction boundary: the instruction before it has retired. */
void profexc_settle_insn(CPUARMState *env);

/* Settles the pending instruction before the exception in @cs is taken. */
void profexc_settle_exception(CPUState *cs);

extern const VMStateDescription vmstate_profexc;

#endif
