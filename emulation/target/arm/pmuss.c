/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PMU snapshots (FEAT_PMUv3_SS); see pmuss.h
 */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qapi/error.h"
#include "cpu.h"
#include "cpregs.h"
#include "cpu-features.h"
#include "internals.h"
#include "target/arm/pmuss.h"

#include <arch-model/pmss-regs.h>

/*
 * Capture events: Table D13-10
 */

typedef enum Capture {
    CAPTURE_DISABLED,           /* PMSSCR_EL1.SS ignores writes */
    CAPTURE_PROHIBITED,         /* complete without a capture */
    CAPTURE_ALLOWED,
} Capture;

/* MDCR_EL3.PMSSE, MDCR_EL2.PMSSE or PMECR_EL1.SSE decides */
static Capture decide(unsigned int control)
{
    switch (control) {
    case 2:
        return CAPTURE_PROHIBITED;
    case 3:
        return CAPTURE_ALLOWED;
    default:
        return CAPTURE_DISABLED;
    }
}

/*
 * PMUCaptureEventEnabled() of J1.3: an EL2 or EL1 that uses AArch32 has no control that could
 * enable Capture events, so they are disabled where it is the one to decide.
 */
static Capture capture_enabled(CPUARMState *env)
{
    unsigned int el3 = extract64(env->cp15.mdcr_el3, MDCR_PMSSE_SHIFT, 2);
    unsigned int el2 = extract64(env->cp15.mdcr_el2, MDCR_PMSSE_SHIFT, 2);

    if (arm_feature(env, ARM_FEATURE_EL3) && el3 != 1) {
        return decide(el3);
    }
    if (arm_feature(env, ARM_FEATURE_EL2) && !arm_el_is_aa64(env, 2)) {
        return CAPTURE_DISABLED;
    }
    if (arm_feature(env, ARM_FEATURE_EL2) && el2 != 1) {
        return decide(el2);
    }
    if (!arm_el_is_aa64(env, 1)) {
        return CAPTURE_DISABLED;
    }
    return decide(extract64(env->profexc.pmecr_el1, PMECR_SSE_SHIFT, 2));
}

/* R_TSYTY; QEMU has no Debug state */
static Capture capture_allowed(CPUARMState *env)
{
    Capture capture = capture_enabled(env);

    if (capture == CAPTURE_ALLOWED && extract64(env->cp15.oslsr_el1, 1, 1)) {
        return CAPTURE_PROHIBITED;
    }
    return capture;
}

/* All counters at one moment: the vCPU counts on, but not what it reads */
static void copy_counters(CPUARMState *env)
{
    ARMPMUSnapshot *ss = &env->profexc.ss;

    pmu_op_start(env);
    for (unsigned int n = 0; n < pmu_num_counters(env); n++) {
        ss->value[n] = env->cp15.c14_pmevcntr[n];
    }
    ss->value[PMUSS_CYCLES] = env->cp15.c15_ccnt;
    pmu_op_finish(env);
}

void pmuss_write_pmsscr(CPUARMState *env, uint64_t value)
{
    ARMPMUSnapshot *ss = &env->profexc.ss;
    Capture capture = capture_allowed(env);

    if (!(value & PMSSCR_SS) || capture == CAPTURE_DISABLED) {
        return;
    }
    ss->nc = capture == CAPTURE_PROHIBITED;
    if (ss->nc) {
        return;
    }
    copy_counters(env);
    if (ss->captured) {
        ss->captured(ss->opaque);
    }
}

uint64_t pmuss_read_pmsscr(CPUARMState *env)
{
    return env->profexc.ss.nc ? PMSSCR_NC : 0;
}

/*
 * System registers
 */

/* @bit: in HDFG{R,W}TR2_EL2 */
static CPAccessResult access_ss(CPUARMState *env, bool isread, uint64_t bit)
{
    if (profexc_fgt2_traps(env, isread, bit)) {
        return CP_ACCESS_TRAP_EL2;
    }
    if (arm_current_el(env) < 3 && arm_feature(env, ARM_FEATURE_EL3) &&
        !(env->cp15.mdcr_el3 & MDCR_EL3_ENPMSS)) {
        return CP_ACCESS_TRAP_EL3;
    }
    return CP_ACCESS_OK;
}

static CPAccessResult access_pmsscr(CPUARMState *env, const ARMCPRegInfo *ri,
                                    bool isread)
{
    return access_ss(env, isread, BIT_ULL(7));
}

static CPAccessResult access_value(CPUARMState *env, const ARMCPRegInfo *ri,
                                   bool isread)
{
    unsigned int n = (ri->crm & 3) << 3 | ri->opc2;

    if (n != PMUSS_CYCLES && arm_current_el(env) == 1 &&
        arm_is_el2_enabled(env) && n >= (env->cp15.mdcr_el2 & MDCR_HPMN)) {
        return CP_ACCESS_TRAP_EL2;
    }
    return access_ss(env, isread, BIT_ULL(6));
}

static uint64_t pmsscr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return pmuss_read_pmsscr(env);
}

static void pmsscr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                         uint64_t value)
{
    pmuss_write_pmsscr(env, value);
}

static const ARMCPRegInfo pmsscr_reginfo = {
    .name = "PMSSCR_EL1", .state = ARM_CP_STATE_AA64,
    .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 13, .opc2 = 3,
    .access = PL1_RW, .accessfn = access_pmsscr,
    .type = ARM_CP_IO | ARM_CP_NO_RAW,
    .readfn = pmsscr_read, .writefn = pmsscr_write,
};

/* PMEVCNTSVR<n>_EL1; PMCCNTSVR_EL1 has the encoding of the 32nd */
static void define_value(ARMCPU *cpu, unsigned int n)
{
    g_autofree char *name = n == PMUSS_CYCLES ?
        g_strdup("PMCCNTSVR_EL1") : g_strdup_printf("PMEVCNTSVR%u_EL1", n);
    ARMCPRegInfo reg = {
        .name = name, .state = ARM_CP_STATE_AA64,
        .opc0 = 2, .opc1 = 0, .crn = 14, .crm = 8 | n >> 3, .opc2 = n & 7,
        .access = PL1_R, .accessfn = access_value, .type = ARM_CP_IO,
        .fieldoffset = offsetof(CPUARMState, profexc.ss.value[n]),
    };

    define_one_arm_cp_reg(cpu, &reg);
}

/*
 * Set-up
 */

void pmuss_realize(ARMCPU *cpu, Error **errp)
{
    ARMISARegisters *isar = &cpu->isar;

    if (!arm_feature(&cpu->env, ARM_FEATURE_PMU) ||
        !cpu_isar_feature(any_pmuv3p5, cpu)) {
        error_setg(errp, "pmu-ss=on needs a PMU with 64-bit counters: "
                   "use -cpu max, without pmu=off");
        return;
    }
    isar->id_aa64dfr0 = deposit64(isar->id_aa64dfr0, 16, 4, 1);
    define_one_arm_cp_reg(cpu, &pmsscr_reginfo);
    for (unsigned int n = 0; n < pmu_num_counters(&cpu->env); n++) {
        define_value(cpu, n);
    }
    define_value(cpu, PMUSS_CYCLES);
}

/* PMECR_EL1.SSE has a reset value only where EL1 is the highest level */
void pmuss_reset(CPUARMState *env)
{
    env->profexc.ss.nc = true;
    memset(env->profexc.ss.value, 0, sizeof(env->profexc.ss.value));
    env->profexc.pmecr_el1 &= ~PMECR_SSE;
}

void pmuss_emulate_firmware_reset(CPUARMState *env)
{
    if (!env->profexc.has_pmu_ss) {
        return;
    }
    if (arm_feature(env, ARM_FEATURE_EL3) && env->profexc.pmu_ss_delegated) {
        env->cp15.mdcr_el3 |= 1ULL << MDCR_PMSSE_SHIFT | MDCR_EL3_ENPMSS |
                              3ULL << MDCR_EL3_EPMSSAD_SHIFT;
    }
    if (arm_feature(env, ARM_FEATURE_EL2)) {
        env->cp15.mdcr_el2 |= 1ULL << MDCR_PMSSE_SHIFT;
    }
}
