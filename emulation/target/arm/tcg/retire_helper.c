/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Retired instructions: the at-retirement PMU events and FEAT_SEBEP
 *
 * QEMU counts instructions exactly only with -icount. A synchronous PMU
 * exception must name a counted instruction, and replace the next one. So the
 * translated code calls this file for each retired instruction or branch, at
 * Exception levels where a counter needs it.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "internals.h"
#include "cpu-features.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "target/arm/profexc.h"
#include "target/arm/ete.h"

/*
 * Events
 */

static const uint16_t event_number[RETIRED_NUM] = {
    [RETIRED_INST] = 0x08,
    [RETIRED_PC_WRITE] = 0x0c,
    [RETIRED_BR_IMMED] = 0x0d,
    [RETIRED_BR_RETURN] = 0x0e,
    [RETIRED_BR] = 0x21,
};

#define EVENT_SW_INCR           0x00
#define EVENT_BR_MIS_PRED       0x22    /* never: nothing here is predicted */

static int retired_event(uint16_t number)
{
    for (int e = 0; e < RETIRED_NUM; e++) {
        if (event_number[e] == number) {
            return e;
        }
    }
    return -1;
}

/* D14.7 makes it IMPLEMENTATION DEFINED which further events are synchronous */
static bool event_is_synchronous(uint16_t number)
{
    return number == EVENT_SW_INCR || number == EVENT_BR_MIS_PRED ||
           retired_event(number) >= 0;
}

static uint16_t counter_event(CPUARMState *env, unsigned int n)
{
    return env->cp15.c14_pmevtyper[n] & PMXEVTYPER_EVTCOUNT;
}

/* Counter @n is in synchronous mode (R_SSVKV). */
static bool counter_is_synchronous(CPUARMState *env, unsigned int n)
{
    return (env->cp15.c14_pmevtyper[n] & PMEVTYPER_SYNC) &&
           event_is_synchronous(counter_event(env, n));
}

bool profexc_may_count(CPUARMState *env, uint64_t evtyper)
{
    return !(evtyper & PMEVTYPER_SYNC) ||
           event_is_synchronous(evtyper & PMXEVTYPER_EVTCOUNT);
}

bool retired_event_supported(CPUARMState *env)
{
    return profexc_counts_retired(env);
}

int64_t retired_ns_per_count(uint64_t count)
{
    /* Not by a timer: limit[] says when the overflow comes. */
    return -1;
}

#define COUNT_FN(NAME, EVENT)                                                \
    uint64_t retired_##NAME##_count(CPUARMState *env)                        \
    {                                                                        \
        return env->profexc.retired[EVENT];                                  \
    }

COUNT_FN(inst, RETIRED_INST)
COUNT_FN(pc_write, RETIRED_PC_WRITE)
COUNT_FN(br_immed, RETIRED_BR_IMMED)
COUNT_FN(br_return, RETIRED_BR_RETURN)
COUNT_FN(br, RETIRED_BR)

unsigned int profexc_retire_flags(CPUARMState *env)
{
    unsigned int flags = ete_wants_branches(env) ? RETIRE_BRANCH : 0;

    if (!profexc_counts_retired(env)) {
        return flags;
    }
    for (unsigned int n = 0; n < pmu_num_counters(env); n++) {
        int e = retired_event(counter_event(env, n));

        if (e >= 0 && pmu_counter_enabled(env, n)) {
            flags |= e == RETIRED_INST ? RETIRE_INSN : RETIRE_BRANCH;
        }
    }
    if (!(flags & RETIRE_INSN)) {
        /* The instruction that stopped the counting is not counted later. */
        env->profexc.insn_started = false;
    }
    return flags;
}

/*
 * Overflow
 */

void profexc_arm_overflow(CPUARMState *env, uint16_t event, uint64_t more)
{
    int e = retired_event(event);
    uint64_t at;

    if (e < 0) {
        return;
    }
    at = env->profexc.retired[e] + more + 1;
    if (at > more && at < env->profexc.limit[e]) {
        env->profexc.limit[e] = at;
    }
}

/*
 * A counter in synchronous mode with its overflow flag and interrupt enable
 * set can pend the exception with each further event (I_HMXCY).
 */
void profexc_watch_overflowed(CPUARMState *env)
{
    uint64_t set = env->cp15.c9_pmovsr & env->cp15.c9_pminten;

    for (unsigned int n = 0; set && n < pmu_num_counters(env); n++) {
        int e = retired_event(counter_event(env, n));

        if ((set & BIT_ULL(n)) && e >= 0 && counter_is_synchronous(env, n)) {
            env->profexc.limit[e] = 0;
        }
    }
}

static void set_ppend(CPUARMState *env, uint64_t pc)
{
    env->profexc.ppend = true;
    env->profexc.pmiar_el1 = pc;
    profexc_update(env);
}

/* R_NZLVW, for the instruction at @pc that generated @events */
static void look_at_counters(CPUARMState *env, uint32_t events, uint64_t pc,
                             bool may_pend)
{
    bool unlock = !bql_locked();
    bool pend = false;

    if (unlock) {
        bql_lock();
    }
    for (int e = 0; e < RETIRED_NUM; e++) {
        if (events & BIT(e)) {
            env->profexc.limit[e] = UINT64_MAX;
        }
    }
    pmu_op_start(env);
    pmu_op_finish(env);
    profexc_watch_overflowed(env);

    for (unsigned int n = 0; n < pmu_num_counters(env); n++) {
        int e = retired_event(counter_event(env, n));

        pend |= e >= 0 && (events & BIT(e)) &&
                (env->cp15.c9_pmovsr & env->cp15.c9_pminten & BIT_ULL(n)) &&
                counter_is_synchronous(env, n) && pmu_counter_enabled(env, n);
    }
    if (pend && may_pend) {
        set_ppend(env, pc);
    }
    if (unlock) {
        bql_unlock();
    }
}

/*
 * The instruction at @pc has retired and generated @events, a bit mask.
 * @may_pend: it raised no exception, and the PMU exception is unmasked
 */
static void retire(CPUARMState *env, uint32_t events, uint64_t pc,
                   bool may_pend)
{
    ARMProfExcState *pf = &env->profexc;
    bool look = false;

    for (int e = 0; e < RETIRED_NUM; e++) {
        if (events & BIT(e)) {
            pf->retired[e]++;
            look |= pf->retired[e] >= pf->limit[e];
        }
    }
    if (unlikely(look)) {
        look_at_counters(env, events, pc, may_pend);
    }
}

void profexc_swinc_counted(CPUARMState *env, unsigned int n)
{
    if (env->profexc.has_sebep &&
        (env->cp15.c9_pmovsr & env->cp15.c9_pminten & BIT_ULL(n)) &&
        counter_is_synchronous(env, n) && profexc_pmu_unmasked(env)) {
        set_ppend(env, env->pc);
    }
}

/*
 * Instructions
 */

static void settle(CPUARMState *env, bool may_pend)
{
    if (env->profexc.insn_started) {
        env->profexc.insn_started = false;
        retire(env, BIT(RETIRED_INST), env->profexc.insn_pc, may_pend);
    }
}

void profexc_settle_insn(CPUARMState *env)
{
    settle(env, profexc_pmu_unmasked(env));
}

void profexc_settle_exception(CPUState *cs)
{
    CPUARMState *env = cpu_env(cs);

    if (!env->profexc.insn_started) {
        return;
    }
    switch (cs->exception_index) {
    case EXCP_SWI:
    case EXCP_HVC:
    case EXCP_SMC:
        /* Executed, but generates an exception: counted, cannot pend. */
        settle(env, false);
        break;
    case EXCP_IRQ:
    case EXCP_FIQ:
    case EXCP_VIRQ:
    case EXCP_VFIQ:
    case EXCP_NMI:
    case EXCP_VINMI:
    case EXCP_VFNMI:
    case EXCP_VSERR:
    case EXCP_PROF:
        profexc_settle_insn(env);
        break;
    default:
        /* A fault of the instruction itself, or of the next one's fetch */
        if (env->pc == env->profexc.insn_pc) {
            env->profexc.insn_started = false;
        } else {
            profexc_settle_insn(env);
        }
    }
}

/*
 * Instruction at @pc starts. The instruction seen before has retired, unless
 * it is this one again: QEMU restarts an instruction that it could not carry
 * out in the present context, which no branch is.
 */
void HELPER(retire_insn)(CPUARMState *env, uint64_t pc, uint32_t insn_flags)
{
    ARMProfExcState *pf = &env->profexc;

    if (pf->insn_started && (pf->insn_pc != pc || pf->insn_is_branch)) {
        profexc_settle_insn(env);
        if (unlikely(env_cpu(env)->interrupt_request & CPU_INTERRUPT_PROF) &&
            profexc_takeable(env)) {
            /* In place of this instruction */
            cpu_loop_exit_restore(env_cpu(env), GETPC());
        }
    }
    pf->insn_started = true;
    pf->insn_is_branch = insn_flags & INSN_BRANCH;
    pf->insn_pc = pc;
}

static uint32_t branch_events(uint32_t insn_flags)
{
    uint32_t events = 0;

    if (insn_flags & INSN_BRANCH) {
        events |= BIT(RETIRED_BR);
        if (!(insn_flags & INSN_COND) || (insn_flags & INSN_TAKEN)) {
            events |= BIT(RETIRED_PC_WRITE);
        }
    }
    if (insn_flags & INSN_IMMED) {
        events |= BIT(RETIRED_BR_IMMED);
    }
    if (insn_flags & INSN_RETURN) {
        events |= BIT(RETIRED_BR_RETURN);
    }
    return events;
}

/* @diff: how far a branch with an immediate target goes */
void HELPER(retire_branch)(CPUARMState *env, uint32_t insn_flags,
                           uint64_t diff)
{
    uint64_t pc = env->profexc.branch_pc;

    if (profexc_counts_retired(env)) {
        retire(env, branch_events(insn_flags), pc, profexc_pmu_unmasked(env));
    }
    ete_branch(env, insn_flags,
               insn_flags & (INSN_IMMED | INSN_ISB) ? pc + diff : env->pc);
}

void profexc_retire_eret(CPUARMState *env, bool may_pend)
{
    unsigned int flags = EX_TBFLAG_A64(env->hflags, RETIRE);

    if (flags & RETIRE_BRANCH) {
        retire(env, branch_events(INSN_BRANCH | INSN_ERET),
               env->profexc.branch_pc, may_pend);
    }
    settle(env, may_pend);
}

void HELPER(tsb)(CPUARMState *env)
{
    ete_synchronize(env);
}

void HELPER(msr_i_pm)(CPUARMState *env, uint32_t imm)
{
    env->profexc.pm = imm;
}
