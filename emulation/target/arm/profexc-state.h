/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm Profiling exceptions: per-PE state, embedded in CPUARMState
 *
 * Kept apart from profexc.h because cpu.h includes it ahead of the definition
 * of CPUARMState.
 */
#ifndef TARGET_ARM_PROFEXC_STATE_H
#define TARGET_ARM_PROFEXC_STATE_H

#include "target/arm/trace-state.h"

/*
 * PMU events that count retired instructions and that this PE can therefore
 * count one by one (D14.7, "at-retirement events"). SW_INCR is not listed: the
 * write of PMSWINC_EL0 increments the counters itself.
 */
typedef enum RetiredEvent {
    RETIRED_INST,               /* 0x08 INST_RETIRED */
    RETIRED_PC_WRITE,           /* 0x0C PC_WRITE_RETIRED */
    RETIRED_BR_IMMED,           /* 0x0D BR_IMMED_RETIRED */
    RETIRED_BR_RETURN,          /* 0x0E BR_RETURN_RETIRED */
    RETIRED_BR,                 /* 0x21 BR_RETIRED */
    RETIRED_NUM
} RetiredEvent;

/*
 * What the last Capture event left (FEAT_PMUv3_SS, pmuss.c). @captured is
 * called with each one that captures, for the PC sample that goes with it.
 */
typedef struct ARMPMUSnapshot {
    bool nc;                    /* PMSSCR_EL1.NC; SS reads as 0 */
    uint64_t value[32];         /* PMEVCNTSVR<n>_EL1, PMCCNTSVR_EL1 */
    void (*captured)(void *opaque);
    void *opaque;
} ARMPMUSnapshot;

/*
 * Invariants:
 *  - the feature bits are set once, at realize; nothing else in here is used
 *    for a feature that is not set;
 *  - ppend is only set by an instruction at whose end the synchronous
 *    exception is enabled and unmasked (R_NZLVW), or by an exception return
 *    (R_BVBYS), so that it never outlives the instruction boundary it was set
 *    at: the exception, or another one that saves it in SPSR_ELx, is taken;
 *  - retired[e] counts events of this PE at every Exception level for which
 *    the translator emits the retirement hooks; limit[e] is not above the
 *    value of retired[e] at which a counter must be looked at.
 */
typedef struct ARMProfExcState {
    /* Features: CPU properties */
    bool has_ebep;
    bool has_sebep;
    bool has_trbe;
    bool has_trbe_exc;
    bool has_ete;
    bool has_pmu_ss;
    bool trbe_inject_register;
    bool trbe_irq_gated;
    bool ebep_delegated;
    bool trbe_exc_delegated;
    bool pmu_ss_delegated;
    uint8_t trbe_align;
    uint64_t cpus;
    uint64_t reset_pmecr;

    /* PSTATE.PM and PSTATE.PPEND; SPSR_ELx bits 32 and 33 */
    bool pm;
    bool ppend;

    /* Interrupt outputs and their levels; PMUIRQ is ARMCPU::pmu_interrupt */
    bool pmuirq;
    bool trbirq;
    qemu_irq trbirq_out;

    /* System registers */
    uint64_t pmecr_el1;
    uint64_t pmiar_el1;
    uint64_t hdfgrtr2_el2;
    uint64_t hdfgwtr2_el2;
    uint64_t hfgrtr2_el2;
    uint64_t hfgwtr2_el2;
    uint64_t hfgitr2_el2;
    uint64_t id_aa64dfr2;

    /* The instruction that has started but is not yet known to have retired */
    bool insn_started;
    bool insn_is_branch;
    uint64_t insn_pc;
    /* Address of the branch that is about to retire */
    uint64_t branch_pc;

    uint64_t retired[RETIRED_NUM];
    uint64_t limit[RETIRED_NUM];

    ARMPMUSnapshot ss;
    ARMTrbeState trbe;
    ARMEteState ete;
} ARMProfExcState;

#endif
