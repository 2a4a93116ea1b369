/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm PC-sample blocks: the PE as a block sees it
 *
 * Why a sample is coherent although the sampled vCPU runs on: a read of a register holds the BQL,
 * and so does the PE while it takes an exception or returns from one, from the first of the two EL
 * change hooks to the second. So no read finds a PE half in the old and half in the new Exception
 * level. Everywhere else PC, Exception level and contexts belong together: all but the PC change
 * only by an exception, or by a system register write at the Exception level that the sample shows.
 * There is one exception: a return from AArch32 EL1 or above. TCG stores the new PC before it asks
 * for the BQL, so a read in between has that PC with the old Exception level.
 * TCG stores the PC before each chained jump, so it is at most one translation block old: a block's
 * first instruction, or one that left the generated code.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/main-loop.h"
#include "hw/core/cpu.h"
#include "arm_pcsample_internal.h"
#include "target/arm/cpregs.h"
#include "target/arm/cpu-features.h"
#include "target/arm/internals.h"

/*
 * Power and locks
 */

/*
 * Has the PE called CPU_SUSPEND? QEMU does that as a WFI, with the PC after the HVC or SMC. The
 * caller holds the BQL, without which the PE does not wake up.
 */
static bool suspended(const ARMPCSampleBlock *b)
{
    CPUState *cs = CPU(b->cpu);
    CPUARMState *env = &b->cpu->env;
    uint8_t bytes[4];
    uint32_t insn;

    if (!cs->halted || !is_a64(env) ||
        cpu_memory_rw_debug(cs, env->pc - 4, bytes, sizeof(bytes), false)) {
        return false;
    }
    insn = ldl_le_p(bytes);
    return insn == 0xD4000002 || insn == 0xD4000003;
}

/* EDPRCR asks the power controller to leave the Core power domain alone: H9.2 */
static bool power_requested(const ARMPCSampleBlock *b)
{
    return b->board->power_request && b->edprcr;
}

static bool suspended_without_power(const ARMPCSampleBlock *b)
{
    return b->board->cpu_suspend && suspended(b) && !power_requested(b);
}

/* Retention loses nothing: H6.3 */
bool arm_pcsample_core_state_lost(const ARMPCSampleBlock *b)
{
    return b->cpu->power_state != PSCI_ON ||
           (b->board->suspend_state != SUSPEND_RETENTION && suspended_without_power(b));
}

bool arm_pcsample_core_powered(const ARMPCSampleBlock *b)
{
    return b->cpu->power_state == PSCI_ON && !suspended_without_power(b);
}

/* Do two blocks have the same Debug power domain? */
bool arm_pcsample_same_cluster(const ARMPCSampleBlock *a, const ARMPCSampleBlock *b)
{
    unsigned size = a->board->cluster;

    return CPU(a->cpu)->cpu_index / size == CPU(b->cpu)->cpu_index / size;
}

/* Is something true of the Core power domain of each PE in the cluster of a block? */
static bool whole_cluster(const ARMPCSampleBlock *b, bool (*is)(const ARMPCSampleBlock *))
{
    const ARMPCSampleState *s = b->board;

    for (unsigned i = 0; i < s->num_blocks; i++) {
        if (arm_pcsample_same_cluster(b, s->blocks[i]) && !is(s->blocks[i])) {
            return false;
        }
    }
    return true;
}

static bool core_unpowered(const ARMPCSampleBlock *b)
{
    return !arm_pcsample_core_powered(b);
}

bool arm_pcsample_debug_powered(const ARMPCSampleBlock *b)
{
    return !b->board->shared_power || !whole_cluster(b, core_unpowered);
}

bool arm_pcsample_debug_state_lost(const ARMPCSampleBlock *b)
{
    return b->board->shared_power && whole_cluster(b, arm_pcsample_core_state_lost);
}

bool arm_pcsample_os_locked(const ARMPCSampleBlock *b)
{
    return extract64(b->cpu->env.cp15.oslsr_el1, 1, 1);
}

/* DoubleLockStatus(): OSDLR_EL1.DLK has no effect while EDPRCR.CORENPDRQ is 1 (H6.5, D24.3) */
bool arm_pcsample_os_double_locked(const ARMPCSampleBlock *b)
{
    return (b->cpu->env.cp15.osdlr_el1 & 1) && !(b->edprcr & EDPRCR_CORENPDRQ);
}

/* Why registers of the Core power domain give an error response, or NULL: I3.1, H8.6 */
const char *arm_pcsample_off_error(const ARMPCSampleBlock *b)
{
    if (!arm_pcsample_core_powered(b)) {
        return "Core power domain is off";
    }
    return arm_pcsample_os_double_locked(b) ? "OS Double Lock" : NULL;
}

/* Likewise those that the OS Lock protects */
const char *arm_pcsample_core_error(const ARMPCSampleBlock *b)
{
    const char *why = arm_pcsample_off_error(b);

    return why || !arm_pcsample_os_locked(b) ? why : "OS Lock";
}

/*
 * CreatePCSample()
 */

/* HaveSecureState(): QEMU has no Secure-only PE */
bool arm_pcsample_have_secure_state(const ARMPCSampleBlock *b)
{
    return arm_feature(&b->cpu->env, ARM_FEATURE_EL3);
}

bool arm_pcsample_have_rme(const ARMPCSampleBlock *b)
{
    return cpu_isar_feature(aa64_rme, b->cpu);
}

/* ExternalNoninvasiveDebugAllowed() */
static bool sampling_allowed(const ARMPCSampleBlock *b, unsigned el,
                             ARMSecuritySpace ss)
{
    const ARMPCSampleState *s = b->board;
    CPUARMState *env = &b->cpu->env;

    if (!s->niden) {
        return false;
    }
    if (el == 0 && ss == ARMSS_Secure && extract64(env->cp15.sder, 1, 1) &&
        (!arm_el_is_aa64(env, 1) ||
         (arm_feature(env, ARM_FEATURE_EL3) && !arm_el_is_aa64(env, 3)))) {
        return true;
    }
    switch (ss) {
    case ARMSS_NonSecure:
        return true;
    case ARMSS_Secure:
        return s->spniden;
    case ARMSS_Realm:
        return s->rlpniden;
    case ARMSS_Root:
        return s->rtpniden;
    default:
        g_assert_not_reached();
    }
}

/* FEAT_VMID16 */
bool arm_pcsample_have_vmid16(const ARMPCSampleBlock *b)
{
    return FIELD_EX64(b->cpu->isar.id_aa64mmfr1, ID_AA64MMFR1, VMIDBITS) == 2;
}

static uint16_t current_vmid(const ARMPCSampleBlock *b)
{
    CPUARMState *env = &b->cpu->env;

    /* VTTBR_EL2 and the AArch32 VTTBR share their place; the latter has an 8-bit VMID */
    if (!arm_el_is_aa64(env, 2) || !arm_pcsample_have_vmid16(b) ||
        !extract64(env->cp15.vtcr_el2, 19, 1)) {
        return extract64(env->cp15.vttbr_el2, 48, 8);
    }
    return extract64(env->cp15.vttbr_el2, 48, 16);
}

static uint32_t current_contextidr(CPUARMState *env)
{
    if (arm_el_is_aa64(env, 1)) {
        return env->cp15.contextidr_el[1];
    }
    return A32_BANKED_CURRENT_REG_GET(env, contextidr);
}

/*
 * ThisInstrAddr(). What TCG has stored is the next instruction where a system call waits to be
 * taken, or where the PE is in WFI. Neither ends while the BQL is held, nor can more than one
 * begin, so this goes round twice at most.
 */
static uint64_t this_instr_addr(const ARMPCSampleBlock *b)
{
    CPUState *cs = CPU(b->cpu);
    CPUARMState *env = &b->cpu->env;
    bool a64 = is_a64(env);
    unsigned size = !a64 && env->thumb ? 2 : 4;         /* SVC, narrow WFI */
    uint64_t pc;
    uint32_t halted;
    int32_t excp;

    do {
        excp = qatomic_read(&cs->exception_index);
        halted = qatomic_read(&cs->halted);
        smp_rmb();
        pc = a64 ? qatomic_read(&env->pc) : qatomic_read(&env->regs[15]);
        smp_rmb();
    } while (excp != qatomic_read(&cs->exception_index) || halted != qatomic_read(&cs->halted));

    switch (excp) {
    case EXCP_SWI:
    case EXCP_HVC:
    case EXCP_SMC:
        /* TCG forgets the exception a moment after it was taken */
        return pc == b->vector ? pc : pc - (excp == EXCP_SWI ? size : 4);
    default:
        return halted ? pc - size : pc;
    }
}

/* Returns p->valid. There is no Debug state in QEMU, so Halted() is false. */
bool arm_pcsample_create(const ARMPCSampleBlock *b, ARMPCSample *p)
{
    ARMCPU *cpu = b->cpu;
    CPUARMState *env = &cpu->env;
    const uint64_t host = HCR_E2H | HCR_TGE;

    p->el = arm_current_el(env);
    p->ss = arm_security_space(env);
    p->valid = sampling_allowed(b, p->el, p->ss);
    p->rw = is_a64(env);
    p->pc = this_instr_addr(b);
    p->contextidr = current_contextidr(env);
    p->has_el2 = p->el != 3 && arm_is_el2_enabled(env);
    p->vmid = p->has_el2 ? current_vmid(b) : 0;
    p->contextidr_el2_known = p->has_el2 && arm_el_is_aa64(env, 2) &&
                              (cpu_isar_feature(aa64_vh, cpu) ||
                               cpu_isar_feature(aa64_debugv8p2, cpu));
    p->contextidr_el2 = env->cp15.contextidr_el[2];
    p->el0h = p->el == 0 && (arm_hcr_el2_eff(env) & host) == host;
    return p->valid;
}

/*
 * Sampling
 */

/* The PE left a state where sampling is prohibited or suspended: H7.1.3 */
void arm_pcsample_restarts(ARMPCSampleBlock *b, uint64_t pc)
{
    b->no_branch = true;
    b->restart_pc = pc;
}

static void pre_el_change(ARMCPU *cpu, void *opaque)
{
    ARMPCSampleBlock *b = opaque;
    ARMPCSample before;

    b->was_allowed = arm_pcsample_create(b, &before);
}

static void post_el_change(ARMCPU *cpu, void *opaque)
{
    ARMPCSampleBlock *b = opaque;
    ARMPCSample now;

    if (CPU(cpu)->exception_index >= 0) {
        b->vector = cpu->env.pc;
    }
    if (!b->was_allowed && arm_pcsample_create(b, &now)) {
        arm_pcsample_restarts(b, now.pc);
    }
}

/*
 * The Core power domain gets power back after a CPU_SUSPEND that lost its state. The PE goes on
 * with its registers, so it loses only what profiling software has to restore when an idle state
 * ends: the block, and the PMU, all of which arm_pmu of Linux restores in its CPU PM notifier.
 */
void arm_pcsample_resumes(ARMPCSampleBlock *b)
{
    CPUARMState *env = &b->cpu->env;

    arm_pcsample_powers_up(b);
    arm_pcsample_reset_pmu(b);
    if (b->board->suspend_state == SUSPEND_POWER_DOWN_LOCKED) {
        env->cp15.oslsr_el1 = deposit64(env->cp15.oslsr_el1, 1, 1, 1);
    }
}

/* On the thread of the PE, which has not executed anything since it slept */
static void wakes_up(ARMCPU *cpu, void *opaque)
{
    ARMPCSampleBlock *b = opaque;

    b->asleep = false;
    if (arm_pcsample_core_state_lost(b)) {
        arm_pcsample_resumes(b);
    }
}

void arm_pcsample_watch(ARMPCSampleBlock *b)
{
    arm_register_pre_el_change_hook(b->cpu, pre_el_change, b);
    arm_register_el_change_hook(b->cpu, post_el_change, b);
    arm_register_wake_up_hook(b->cpu, wakes_up, b);
}

/* fault=frozen: the first sample for ever */
static void freeze(ARMPCSampleBlock *b, ARMPCSample *p)
{
    if (!arm_pcsample_has_fault(b, FAULT_FROZEN)) {
        b->frozen = false;
        return;
    }
    if (!b->frozen && p->valid) {
        b->frozen_sample = *p;
        b->frozen = true;
    }
    if (b->frozen) {
        *p = b->frozen_sample;
    }
}

/* fault=relock */
static void close_lock_again(ARMPCSampleBlock *b)
{
    if (arm_pcsample_has_fault(b, FAULT_RELOCK) && ++b->reads % 256 == 0) {
        b->slk = b->board->software_lock;
    }
}

/*
 * A read of PMPCSR[31:0], PMPCSR[63:0] or EDPCSR[31:0], or a Capture event: what the PE offers, in
 * @p. The caller stores it in the registers unless the Software lock is closed.
 *
 * Branches are not counted. As long as the PC is where it was when sampling began, one read says
 * UNKNOWN, and all reads of a PE that has been in WFI since do.
 */
ARMPCSampleOutcome arm_pcsample_take(ARMPCSampleBlock *b, ARMPCSample *p)
{
    const ARMPCSampleState *s = b->board;
    bool first = b->first_read, halted = CPU(b->cpu)->halted, unknown;

    arm_pcsample_create(b, p);
    freeze(b, p);
    close_lock_again(b);
    if (!p->valid) {
        b->first_read = false;
        return PCSAMPLE_NONE;
    }

    /* H7.1.1.1: without side effects the lock leaves sampling suspended */
    if (!b->active && !b->on_capture) {
        b->active = !b->slk;
        b->first_read = false;
        arm_pcsample_restarts(b, p->pc);
        return s->first_read_none ? PCSAMPLE_NONE : PCSAMPLE_UNKNOWN;
    }

    b->first_read = false;
    unknown = (b->no_branch && p->pc == b->restart_pc) || (b->asleep && s->repeat_unknown);
    b->no_branch = b->no_branch && unknown && halted;
    b->asleep = halted;
    if (first && s->first_read_none) {
        return PCSAMPLE_NONE;
    }
    return unknown ? PCSAMPLE_UNKNOWN : PCSAMPLE_TAKEN;
}
