/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm Profiling exceptions: FEAT_EBEP, the register side of FEAT_SEBEP, and
 * how exceptions of the PMU and of the trace buffer are taken
 *
 * Unless it is synchronous, the exception works like a level-sensitive
 * interrupt whose routing and masks are its own. So it is modelled as one more
 * interrupt request of the CPU. The request says that an enabled exception is
 * pending; the main loop checks whether it is masked when it chooses a request.
 */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/main-loop.h"
#include "qapi/error.h"
#include "hw/irq.h"
#include "hw/qdev-core.h"
#include "system/tcg.h"
#include "exec/exec-all.h"
#include "migration/vmstate.h"
#include "cpu.h"
#include "cpregs.h"
#include "cpu-features.h"
#include "internals.h"
#include "syndrome.h"
#include "target/arm/profexc.h"
#include "target/arm/trbe.h"
#include "target/arm/ete.h"
#include "target/arm/pmuss.h"

/*
 * Routing: R_GWLVY, R_SCBDZ, Table D13-1
 */

typedef struct PMURoute {
    bool exception;             /* the exception is enabled ... */
    int target_el;              /* ... and is taken to this level */
    bool interrupt;             /* PMUIRQ is enabled */
} PMURoute;

/*
 * A reserved PMEE value disables both the exception and PMUIRQ: that is "Dis"
 * in Table D13-1, and one of the choices the pseudocode leaves open.
 */
static PMURoute pmu_route(CPUARMState *env)
{
    PMURoute r = { .exception = false };
    bool el2 = arm_is_el2_enabled(env);

    if (arm_feature(env, ARM_FEATURE_EL3)) {
        switch (extract64(env->cp15.mdcr_el3, MDCR_PMEE_SHIFT, 2)) {
        case 0:
            r.interrupt = true;
            return r;
        case 1:
            break;
        case 3:
            r.exception = true;
            r.target_el = 3;
            return r;
        default:
            return r;
        }
    }
    if (el2) {
        switch (extract64(env->cp15.mdcr_el2, MDCR_PMEE_SHIFT, 2)) {
        case 0:
            r.interrupt = true;
            return r;
        case 1:
            break;
        case 3:
            r.exception = true;
            r.target_el = 2;
            return r;
        default:
            return r;
        }
    }
    switch (env->profexc.pmecr_el1 & PMECR_PMEE) {
    case 0:
        r.interrupt = true;
        break;
    case 3:
        r.exception = true;
        r.target_el = el2 && (arm_hcr_el2_eff(env) & HCR_TGE) ? 2 : 1;
        break;
    }
    return r;
}

/* An enabled exception with route @r is masked at @el if PSTATE.PM is @pm. */
static bool pmu_masked(CPUARMState *env, const PMURoute *r, int el, bool pm)
{
    if (el > r->target_el) {
        return true;
    }
    if (el == 2 && r->target_el == 2 &&
        extract64(env->cp15.mdcr_el2, MDCR_PMEE_SHIFT, 2) != 3) {
        return true;
    }
    return el == r->target_el &&
           (pm || !(env->profexc.pmecr_el1 & PMECR_KPME));
}

bool profexc_pmu_enabled(CPUARMState *env)
{
    return env->profexc.has_ebep && pmu_route(env).exception;
}

bool profexc_pmu_unmasked(CPUARMState *env)
{
    PMURoute r;

    if (!env->profexc.has_ebep) {
        return false;
    }
    r = pmu_route(env);
    return r.exception &&
           !pmu_masked(env, &r, arm_current_el(env), env->profexc.pm);
}

/*
 * Counters whose overflow is signalled: enabled by the global control of their
 * range and by PMINTENSET, overflow flag set. Counters set to synchronous mode
 * drive PMUIRQ but not the asynchronous exception (R_KBPMJ).
 */
static uint64_t pmu_overflows(CPUARMState *env, bool for_exception)
{
    uint64_t set = env->cp15.c9_pmovsr & env->cp15.c9_pminten &
                   pmu_counter_mask(env);
    uint64_t first_range = UINT64_MAX;

    if (!set) {
        return 0;
    }
    if (arm_feature(env, ARM_FEATURE_EL2)) {
        unsigned int hpmn = env->cp15.mdcr_el2 & MDCR_HPMN;

        first_range = MAKE_64BIT_MASK(31, 1);
        if (hpmn) {
            first_range |= MAKE_64BIT_MASK(0, hpmn);
        }
        if (!(env->cp15.mdcr_el2 & MDCR_HPME)) {
            set &= first_range;
        }
    }
    if (!(env->cp15.c9_pmcr & PMCRE)) {
        set &= ~first_range;
    }
    if (for_exception && env->profexc.has_sebep) {
        for (unsigned int n = 0; n < pmu_num_counters(env); n++) {
            if (env->cp15.c14_pmevtyper[n] & PMEVTYPER_SYNC) {
                set &= ~BIT_ULL(n);
            }
        }
    }
    return set;
}

/*
 * Signals
 */

typedef struct Signals {
    bool pmuirq;
    bool trbirq;
    bool exception;
} Signals;

static Signals signals_now(CPUARMState *env)
{
    Signals s = { .exception = trbe_exception_pending(env) };

    if (env->profexc.has_ebep) {
        PMURoute r = pmu_route(env);

        if (r.interrupt) {
            s.pmuirq = pmu_overflows(env, false);
        } else if (r.exception) {
            s.exception |= env->profexc.ppend || pmu_overflows(env, true);
        }
    } else {
        /* pmu_update_irq() sets it. */
        s.pmuirq = env->profexc.pmuirq;
    }
    s.trbirq = trbe_irq_level(env);
    return s;
}

static bool signals_differ(CPUARMState *env, const Signals *s)
{
    return s->pmuirq != env->profexc.pmuirq ||
           s->trbirq != env->profexc.trbirq ||
           s->exception != !!(env_cpu(env)->interrupt_request &
                              CPU_INTERRUPT_PROF);
}

void profexc_update_signals(CPUARMState *env)
{
    CPUState *cs = env_cpu(env);
    Signals s;
    bool unlock;

    if (!profexc_active(env)) {
        return;
    }
    s = signals_now(env);
    if (!signals_differ(env, &s)) {
        return;
    }

    /* The overflow timer of another thread may be at it: look again. */
    unlock = !bql_locked();
    if (unlock) {
        bql_lock();
    }
    s = signals_now(env);
    if (s.pmuirq != env->profexc.pmuirq) {
        env->profexc.pmuirq = s.pmuirq;
        qemu_set_irq(env_archcpu(env)->pmu_interrupt, s.pmuirq);
    }
    if (s.trbirq != env->profexc.trbirq) {
        env->profexc.trbirq = s.trbirq;
        qemu_set_irq(env->profexc.trbirq_out, s.trbirq);
    }
    if (s.exception) {
        cpu_interrupt(cs, CPU_INTERRUPT_PROF);
    } else {
        cpu_reset_interrupt(cs, CPU_INTERRUPT_PROF);
    }
    if (unlock) {
        bql_unlock();
    }
}

void profexc_update(CPUARMState *env)
{
    if (profexc_active(env)) {
        profexc_update_signals(env);
        ete_state_changed(env);
    }
}

static uint32_t syn_profiling(unsigned int fsc, bool sync)
{
    return (EC_PROFILING << ARM_EL_EC_SHIFT) | ARM_EL_IL | (fsc << 1) | sync;
}

static bool pmu_takeable(CPUARMState *env)
{
    return profexc_pmu_unmasked(env) &&
           (env->profexc.ppend || pmu_overflows(env, true));
}

bool profexc_takeable(CPUARMState *env)
{
    return pmu_takeable(env) || trbe_exception_target(env);
}

bool profexc_select(CPUARMState *env, uint32_t *target_el)
{
    /* What the last instruction counted can make the exception synchronous. */
    profexc_settle_insn(env);

    if (pmu_takeable(env)) {
        *target_el = pmu_route(env).target_el;
        env->exception.syndrome = syn_profiling(PROFEXC_FSC_PMU,
                                                env->profexc.ppend);
        return true;
    }
    *target_el = trbe_exception_target(env);
    env->exception.syndrome = syn_profiling(PROFEXC_FSC_TRBE, false);
    return *target_el != 0;
}

/*
 * PSTATE and SPSR_ELx
 */

/*
 * PSTATE.PM exists with any of the features that have exceptions to mask
 * (D1.4, and what the pseudocode does with SPSR_ELx); the PM register and
 * MSR PM, #imm exist with FEAT_EBEP only.
 */
static bool pm_implemented(CPUARMState *env)
{
    return env->profexc.has_ebep || env->profexc.has_trbe_exc;
}

uint64_t profexc_exception_entry(CPUARMState *env)
{
    uint64_t spsr = 0;

    if (!pm_implemented(env)) {
        return 0;
    }
    /* AArch32 state has no PSTATE.PM to save. */
    if (is_a64(env) && env->profexc.pm) {
        spsr |= SPSR_PM;
    }
    if (env->profexc.ppend) {
        spsr |= SPSR_PPEND;
    }
    env->profexc.pm = true;
    env->profexc.ppend = false;
    return spsr;
}

/*
 * The conditions on PPEND are those before the return, for the Exception level
 * and PSTATE.PM after it (R_BVBYS, Table D13-2). The return instruction itself
 * may be counted: it sets PPEND only if the exception is unmasked before and
 * after, the choice R_MQDPX gives for case 3 being "treated as masked".
 */
void profexc_exception_return(CPUARMState *env, uint64_t spsr, int new_el)
{
    bool new_pm = spsr & PSTATE_nRW ? env->profexc.pm : !!(spsr & SPSR_PM);
    PMURoute r;
    bool masked, will_be_masked;

    ete_exception_return(env);
    if (!env->profexc.has_ebep) {
        if (profexc_counts_retired(env)) {
            profexc_retire_eret(env, false);
        }
        env->profexc.pm = new_pm;
        return;
    }
    r = pmu_route(env);
    masked = pmu_masked(env, &r, arm_current_el(env), env->profexc.pm);
    will_be_masked = pmu_masked(env, &r, new_el, new_pm);

    env->profexc.ppend = false;
    profexc_retire_eret(env, r.exception && !masked && !will_be_masked);
    if (env->profexc.has_sebep && r.exception && masked && !will_be_masked &&
        (spsr & SPSR_PPEND)) {
        env->profexc.ppend = true;
    }
    env->profexc.pm = new_pm;
}

/*
 * System registers
 */

static bool fgt2_implemented(CPUARMState *env)
{
    return arm_feature(env, ARM_FEATURE_EL2);
}

bool profexc_fgt2_traps(CPUARMState *env, bool isread, uint64_t bit)
{
    uint64_t fgt2 = isread ? env->profexc.hdfgrtr2_el2 :
                             env->profexc.hdfgwtr2_el2;

    if (arm_current_el(env) != 1 || !arm_is_el2_enabled(env)) {
        return false;
    }
    if (arm_feature(env, ARM_FEATURE_EL3) &&
        !(env->cp15.scr_el3 & SCR_FGTEN2)) {
        fgt2 = 0;
    }
    return !(fgt2 & bit);
}

/* The traps common to PMECR_EL1 and PMIAR_EL1; @bit in HDFG{R,W}TR2_EL2. */
static CPAccessResult access_pmu2(CPUARMState *env, bool isread, uint64_t bit)
{
    int el = arm_current_el(env);
    bool have_el3 = arm_feature(env, ARM_FEATURE_EL3);

    if (profexc_fgt2_traps(env, isread, bit) ||
        (el == 1 && arm_is_el2_enabled(env) &&
         (env->cp15.mdcr_el2 & MDCR_TPM))) {
        return CP_ACCESS_TRAP_EL2;
    }
    if (el < 3 && have_el3 &&
        (!(env->cp15.mdcr_el3 & MDCR_EL3_ENPM2) ||
         (env->cp15.mdcr_el3 & MDCR_TPM))) {
        return CP_ACCESS_TRAP_EL3;
    }
    return CP_ACCESS_OK;
}

static CPAccessResult access_pmecr(CPUARMState *env, const ARMCPRegInfo *ri,
                                   bool isread)
{
    return access_pmu2(env, isread, BIT_ULL(0));
}

static CPAccessResult access_pmiar(CPUARMState *env, const ARMCPRegInfo *ri,
                                   bool isread)
{
    return access_pmu2(env, isread, BIT_ULL(1));
}

static CPAccessResult access_fgt2(CPUARMState *env, const ARMCPRegInfo *ri,
                                  bool isread)
{
    if (arm_current_el(env) == 2 && arm_feature(env, ARM_FEATURE_EL3) &&
        !(env->cp15.scr_el3 & SCR_FGTEN2)) {
        return CP_ACCESS_TRAP_EL3;
    }
    return CP_ACCESS_OK;
}

static uint64_t pm_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return env->profexc.pm ? SPSR_PM : 0;
}

static void pm_write(CPUARMState *env, const ARMCPRegInfo *ri, uint64_t value)
{
    env->profexc.pm = value & SPSR_PM;
}

static uint64_t pmecr_fields(CPUARMState *env)
{
    return (env->profexc.has_ebep ? PMECR_KPME | PMECR_PMEE : 0) |
           (env->profexc.has_pmu_ss ? PMECR_SSE : 0);
}

static void pmecr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                        uint64_t value)
{
    /* Enabling the exception changes the width at which counters overflow. */
    pmu_op_start(env);
    env->profexc.pmecr_el1 = value & pmecr_fields(env);
    pmu_op_finish(env);
    profexc_update(env);
}

static void pmiar_write(CPUARMState *env, const ARMCPRegInfo *ri,
                        uint64_t value)
{
    env->profexc.pmiar_el1 = value & ~3ULL;
}

static const ARMCPRegInfo ebep_reginfo[] = {
    { .name = "PM", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 4, .crm = 3, .opc2 = 1,
      .access = PL1_RW, .type = ARM_CP_NO_RAW,
      .readfn = pm_read, .writefn = pm_write },
};

static const ARMCPRegInfo pmecr_reginfo[] = {
    { .name = "PMECR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 14, .opc2 = 5,
      .access = PL1_RW, .accessfn = access_pmecr, .type = ARM_CP_IO,
      .fieldoffset = offsetof(CPUARMState, profexc.pmecr_el1),
      .writefn = pmecr_write, .raw_writefn = raw_write },
};

static const ARMCPRegInfo sebep_reginfo[] = {
    { .name = "PMIAR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 14, .opc2 = 7,
      .access = PL1_RW, .accessfn = access_pmiar,
      .fieldoffset = offsetof(CPUARMState, profexc.pmiar_el1),
      .writefn = pmiar_write, .raw_writefn = raw_write },
};

/*
 * FEAT_FGT2. Of the registers whose accesses it can trap, this PE has
 * PMECR_EL1, PMIAR_EL1 and those of pmuss.c only.
 */
#define FGT2_REG(NAME, FIELD, CRM, OPC2, NV2)                                \
    { .name = NAME, .state = ARM_CP_STATE_AA64,                              \
      .opc0 = 3, .opc1 = 4, .crn = 3, .crm = CRM, .opc2 = OPC2,              \
      .access = PL2_RW, .accessfn = access_fgt2,                             \
      .nv2_redirect_offset = NV2,                                            \
      .fieldoffset = offsetof(CPUARMState, profexc.FIELD) }

static const ARMCPRegInfo fgt2_reginfo[] = {
    FGT2_REG("HDFGRTR2_EL2", hdfgrtr2_el2, 1, 0, 0x1a0),
    FGT2_REG("HDFGWTR2_EL2", hdfgwtr2_el2, 1, 1, 0x1b0),
    FGT2_REG("HFGRTR2_EL2", hfgrtr2_el2, 1, 2, 0x2c0),
    FGT2_REG("HFGWTR2_EL2", hfgwtr2_el2, 1, 3, 0x2c8),
    FGT2_REG("HFGITR2_EL2", hfgitr2_el2, 1, 7, 0x310),
};

/*
 * Set-up
 */

static void realize_ebep(ARMCPU *cpu, Error **errp)
{
    CPUARMState *env = &cpu->env;
    ARMISARegisters *isar = &cpu->isar;

    if (!arm_feature(env, ARM_FEATURE_PMU) ||
        !cpu_isar_feature(any_pmuv3p5, cpu)) {
        error_setg(errp, "ebep=on needs a PMU with 64-bit counters: "
                   "use -cpu max, without pmu=off");
        return;
    }
    isar->id_aa64dfr1 = deposit64(isar->id_aa64dfr1, 48, 4, 1);
    define_arm_cp_regs(cpu, ebep_reginfo);
    if (env->profexc.has_sebep) {
        isar->id_aa64dfr0 = FIELD_DP64(isar->id_aa64dfr0, ID_AA64DFR0,
                                       SEBEP, 1);
        define_arm_cp_regs(cpu, sebep_reginfo);
    }
}

static void realize_pmecr(ARMCPU *cpu)
{
    ARMISARegisters *isar = &cpu->isar;

    define_arm_cp_regs(cpu, pmecr_reginfo);
    if (fgt2_implemented(&cpu->env)) {
        isar->id_aa64mmfr0 = FIELD_DP64(isar->id_aa64mmfr0, ID_AA64MMFR0,
                                        FGT, 2);
        define_arm_cp_regs(cpu, fgt2_reginfo);
    }
}

static bool is_among_cpus(ARMCPU *cpu)
{
    int index = CPU(cpu)->cpu_index;

    return index < 0 || index > 63 ||
           extract64(cpu->env.profexc.cpus, index, 1);
}

/*
 * A CPU without the features beside others with them. It may not run what was
 * translated for those, in which ID registers are constants: to TCG it belongs
 * to another cluster than those that are in none.
 */
static void leave_out(ARMCPU *cpu)
{
    ARMProfExcState *pf = &cpu->env.profexc;

    pf->has_ebep = pf->has_sebep = false;
    pf->has_trbe = pf->has_trbe_exc = pf->has_ete = false;
    pf->has_pmu_ss = false;
    CPU(cpu)->cluster_index = 0;
}

void profexc_realize(ARMCPU *cpu, Error **errp)
{
    CPUARMState *env = &cpu->env;

    Error *err = NULL;

    /* Without the properties of profexc_add_properties() nothing is asked for. */
    if (!arm_feature(env, ARM_FEATURE_AARCH64)) {
        return;
    }
    if (env->profexc.has_sebep && !env->profexc.has_ebep) {
        error_setg(errp, "sebep=on needs ebep=on");
        return;
    }
    if (env->profexc.has_trbe_exc && !env->profexc.has_trbe) {
        error_setg(errp, "trbe-exc=on needs trbe=on");
        return;
    }
    if (env->profexc.has_ete && !env->profexc.has_trbe) {
        error_setg(errp, "ete=on needs trbe=on");
        return;
    }
    if (!(env->profexc.ebep_delegated && env->profexc.trbe_exc_delegated &&
          env->profexc.pmu_ss_delegated) &&
        !arm_feature(env, ARM_FEATURE_EL3)) {
        error_setg(errp, "ebep-delegated=off, trbe-exc-delegated=off and "
                   "pmu-ss-delegated=off need an EL3: use -M virt,secure=on");
        return;
    }
    if ((profexc_active(env) || env->profexc.has_pmu_ss) && !tcg_enabled()) {
        error_setg(errp, "ebep=on, trbe=on and pmu-ss=on need -accel tcg");
        return;
    }
    if (!is_among_cpus(cpu)) {
        leave_out(cpu);
        return;
    }
    if (env->profexc.has_ebep) {
        realize_ebep(cpu, &err);
    }
    if (!err && env->profexc.has_pmu_ss) {
        pmuss_realize(cpu, &err);
    }
    if (!err && profexc_has_pmecr(env)) {
        realize_pmecr(cpu);
    }
    if (!err && env->profexc.has_trbe) {
        trbe_realize(cpu, &err);
    }
    if (!err && env->profexc.has_ete) {
        ete_realize(cpu, &err);
    }
    error_propagate(errp, err);
}

void profexc_reset(CPUARMState *env)
{
    ARMProfExcState *pf = &env->profexc;

    /* The architecture gives PSTATE.PM no reset value. */
    pf->pm = true;
    pf->ppend = false;
    pf->insn_started = false;
    memset(pf->retired, 0, sizeof(pf->retired));
    memset(pf->limit, 0, sizeof(pf->limit));
    pmuss_reset(env);
    if (arm_feature(env, ARM_FEATURE_EL2) ||
        arm_feature(env, ARM_FEATURE_EL3)) {
        pf->pmecr_el1 = pf->reset_pmecr & pmecr_fields(env);
    }
    trbe_reset(env);
    ete_reset(env);
}

void profexc_emulate_firmware_reset(CPUARMState *env)
{
    trbe_emulate_firmware_reset(env);
    pmuss_emulate_firmware_reset(env);
    if (!profexc_has_pmecr(env)) {
        return;
    }
    if (arm_feature(env, ARM_FEATURE_EL3)) {
        env->cp15.scr_el3 |= SCR_FGTEN2;
        env->cp15.mdcr_el3 |= MDCR_EL3_ENPM2;
        if (env->profexc.has_ebep) {
            env->cp15.mdcr_el3 |= (uint64_t)env->profexc.ebep_delegated <<
                                  MDCR_PMEE_SHIFT;
        }
    }
    if (arm_feature(env, ARM_FEATURE_EL2)) {
        if (env->profexc.has_ebep) {
            env->cp15.mdcr_el2 |= 1ULL << MDCR_PMEE_SHIFT;
        }
        env->profexc.hdfgrtr2_el2 = UINT64_MAX;
        env->profexc.hdfgwtr2_el2 = UINT64_MAX;
    }
}

#define BOOL_PROPERTY(FIELD)                                                 \
    static bool get_##FIELD(Object *obj, Error **errp)                       \
    {                                                                        \
        return ARM_CPU(obj)->env.profexc.FIELD;                              \
    }                                                                        \
    static void set_##FIELD(Object *obj, bool value, Error **errp)           \
    {                                                                        \
        ARM_CPU(obj)->env.profexc.FIELD = value;                             \
    }

BOOL_PROPERTY(has_ebep)
BOOL_PROPERTY(has_sebep)
BOOL_PROPERTY(has_trbe)
BOOL_PROPERTY(has_trbe_exc)
BOOL_PROPERTY(has_ete)
BOOL_PROPERTY(has_pmu_ss)
BOOL_PROPERTY(trbe_inject_register)
BOOL_PROPERTY(trbe_irq_gated)
BOOL_PROPERTY(ebep_delegated)
BOOL_PROPERTY(trbe_exc_delegated)
BOOL_PROPERTY(pmu_ss_delegated)

void profexc_add_properties(Object *obj)
{
    ARMProfExcState *pf = &ARM_CPU(obj)->env.profexc;

    if (!arm_feature(&ARM_CPU(obj)->env, ARM_FEATURE_AARCH64)) {
        return;
    }
    object_property_add_bool(obj, "ebep", get_has_ebep, set_has_ebep);
    object_property_set_description(obj, "ebep",
        "PMU overflow as Profiling exception (FEAT_EBEP)");
    object_property_add_bool(obj, "sebep", get_has_sebep, set_has_sebep);
    object_property_set_description(obj, "sebep",
        "PMU overflow exception at the instruction (FEAT_SEBEP)");
    object_property_add_bool(obj, "trbe", get_has_trbe, set_has_trbe);
    object_property_set_description(obj, "trbe",
        "trace buffer (FEAT_TRBE)");
    object_property_add_bool(obj, "trbe-exc", get_has_trbe_exc,
                             set_has_trbe_exc);
    object_property_set_description(obj, "trbe-exc",
        "trace buffer events as Profiling exceptions (FEAT_TRBE_EXC)");
    object_property_add_bool(obj, "ete", get_has_ete, set_has_ete);
    object_property_set_description(obj, "ete", "trace unit (FEAT_ETE)");
    object_property_add_bool(obj, "pmu-ss", get_has_pmu_ss, set_has_pmu_ss);
    object_property_set_description(obj, "pmu-ss",
        "PMU snapshots (FEAT_PMUv3_SS)");

    pf->ebep_delegated = true;
    object_property_add_bool(obj, "ebep-delegated", get_ebep_delegated,
                             set_ebep_delegated);
    object_property_set_description(obj, "ebep-delegated",
        "firmware sets MDCR_EL3.PMEE to 1");
    pf->trbe_exc_delegated = true;
    object_property_add_bool(obj, "trbe-exc-delegated",
                             get_trbe_exc_delegated, set_trbe_exc_delegated);
    object_property_set_description(obj, "trbe-exc-delegated",
        "firmware sets MDCR_EL3.TRBEE to 1");
    pf->pmu_ss_delegated = true;
    object_property_add_bool(obj, "pmu-ss-delegated", get_pmu_ss_delegated,
                             set_pmu_ss_delegated);
    object_property_set_description(obj, "pmu-ss-delegated",
        "firmware opens MDCR_EL3.PMSSE, EnPMSS and EPMSSAD");

    object_property_add_uint64_ptr(obj, "pmecr-reset", &pf->reset_pmecr,
                                   OBJ_PROP_FLAG_READWRITE);
    object_property_set_description(obj, "pmecr-reset",
        "reset value of PMECR_EL1 where there is an EL2 or EL3");

    pf->cpus = UINT64_MAX;
    object_property_add_uint64_ptr(obj, "profexc-cpus", &pf->cpus,
                                   OBJ_PROP_FLAG_READWRITE);
    object_property_set_description(obj, "profexc-cpus",
        "bit n: CPU n has what ebep, sebep, trbe, trbe-exc, ete and pmu-ss ask for");

    pf->trbe_align = 6;
    object_property_add_uint8_ptr(obj, "trbe-align", &pf->trbe_align,
                                  OBJ_PROP_FLAG_READWRITE);
    object_property_add_uint64_ptr(obj, "trbe-inject-every",
                                   &pf->trbe.inject_every,
                                   OBJ_PROP_FLAG_READWRITE);
    object_property_add_uint64_ptr(obj, "trbe-inject-syndrome",
                                   &pf->trbe.inject_syndrome,
                                   OBJ_PROP_FLAG_READWRITE);
    object_property_add_bool(obj, "trbe-inject-register",
                             get_trbe_inject_register,
                             set_trbe_inject_register);
    object_property_add_bool(obj, "trbe-irq-gated", get_trbe_irq_gated,
                             set_trbe_irq_gated);
    qdev_init_gpio_out_named(DEVICE(obj), &pf->trbirq_out, "trbirq", 1);
}

/*
 * Migration
 */

static const VMStateDescription vmstate_ete = {
    .name = "cpu/profexc/ete",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT8(claim, ARMEteState),
        VMSTATE_BOOL(tracing, ARMEteState),
        VMSTATE_BOOL(start_pending, ARMEteState),
        VMSTATE_BOOL(needs_sync, ARMEteState),
        VMSTATE_BOOL(counter_at_zero, ARMEteState),
        VMSTATE_UINT8(atoms, ARMEteState),
        VMSTATE_UINT8(num_atoms, ARMEteState),
        VMSTATE_UINT8(context_el, ARMEteState),
        VMSTATE_UINT32(context_id, ARMEteState),
        VMSTATE_UINT32(context_vmid, ARMEteState),
        VMSTATE_UINT32(since_sync, ARMEteState),
        VMSTATE_UINT64(block_pc, ARMEteState),
        VMSTATE_END_OF_LIST()
    }
};

static bool profexc_needed(void *opaque)
{
    ARMCPU *cpu = opaque;

    return profexc_active(&cpu->env) || cpu->env.profexc.has_pmu_ss;
}

const VMStateDescription vmstate_profexc = {
    .name = "cpu/profexc",
    .version_id = 2,
    .minimum_version_id = 2,
    .needed = profexc_needed,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(env.profexc.pm, ARMCPU),
        VMSTATE_BOOL(env.profexc.ppend, ARMCPU),
        VMSTATE_BOOL(env.profexc.pmuirq, ARMCPU),
        VMSTATE_BOOL(env.profexc.insn_started, ARMCPU),
        VMSTATE_BOOL(env.profexc.insn_is_branch, ARMCPU),
        VMSTATE_UINT64(env.profexc.insn_pc, ARMCPU),
        VMSTATE_UINT64_ARRAY(env.profexc.retired, ARMCPU, RETIRED_NUM),
        VMSTATE_UINT64_ARRAY(env.profexc.limit, ARMCPU, RETIRED_NUM),
        VMSTATE_BOOL(env.profexc.trbirq, ARMCPU),
        VMSTATE_BOOL(env.profexc.ss.nc, ARMCPU),
        VMSTATE_UINT32(env.profexc.trbe.fifo_used, ARMCPU),
        VMSTATE_UINT8_ARRAY(env.profexc.trbe.fifo, ARMCPU, TRBE_FIFO_SIZE),
        VMSTATE_UINT64(env.profexc.trbe.inject_count, ARMCPU),
        VMSTATE_STRUCT(env.profexc.ete, ARMCPU, 1, vmstate_ete, ARMEteState),
        VMSTATE_END_OF_LIST()
    }
};
