/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm trace unit, FEAT_ETE: a true trace of the branches of an AArch64 program
 *
 * Each branch that retires makes an atom, and an address if the target is not
 * in the instruction; exceptions and changes of context have their packets. A
 * decoder with the program at hand gets back exactly what was executed.
 *
 * The smallest unit that Linux and perf accept: one counter, two pairs of
 * resource selectors, no comparators, no cycle counting, no return stack. Its
 * clock, which the counter and the events go by, ticks once per traced branch.
 * Trace goes to the trace buffer of the same PE; there is no other sink, so
 * while that is not running nothing is generated. AArch32 is not traced.
 */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/main-loop.h"
#include "qapi/error.h"
#include "exec/exec-all.h"
#include "cpu.h"
#include "cpregs.h"
#include "cpu-features.h"
#include "internals.h"
#include "syndrome.h"
#include "target/arm/profexc.h"
#include "target/arm/trbe.h"
#include "target/arm/ete.h"

#define MDCR_EL3_RLTE           (1ULL << 0)

/* TRCPRGCTLR */
#define PRGCTLR_EN              (1ULL << 0)
/* TRCCONFIGR */
#define CONFIGR_CID             (1ULL << 6)
#define CONFIGR_VMID            (1ULL << 7)
#define CONFIGR_TS              (1ULL << 11)
#define CONFIGR_VMIDOPT         (1ULL << 15)
/* TRCVICTLR */
#define VICTLR_EVENT_MASK       0xff
#define VICTLR_SSSTATUS         (1ULL << 9)
#define VICTLR_EXLEVEL_S_SHIFT  16
#define VICTLR_EXLEVEL_NS_SHIFT 20
#define VICTLR_EXLEVEL_RL_SHIFT 24
/* TRCCNTCTLR0 */
#define CNTCTLR_CNTEVENT_SHIFT  0
#define CNTCTLR_RLDEVENT_SHIFT  8
#define CNTCTLR_RLDSELF         (1ULL << 16)
/* TRCRSCTLRn */
#define RSCTLR_GROUP_SHIFT      16
#define RSCTLR_GROUP_COUNTER    2
#define RSCTLR_INV              (1ULL << 20)
#define RSCTLR_PAIRINV          (1ULL << 21)
/* An event: TYPE and SEL */
#define EVENT_PAIR              (1U << 7)
#define EVENT_SEL_MASK          0x1f

/* Packet headers (D5.3) */
#define PKT_TRACE_INFO          0x01
#define PKT_TIMESTAMP           0x02
#define PKT_TRACE_ON            0x04
#define PKT_EXCEPTION           0x06
#define PKT_CONTEXT             0x81
#define PKT_ADDR_CTXT_64_IS0    0x85
#define PKT_ADDR_64_IS0         0x9d
#define PKT_ATOM_1              0xf6
#define PKT_ATOM_2              0xd8
#define PKT_ATOM_3              0xf8

/* Exception types (Table D4-19) */
enum {
    EXC_CALL = 2,
    EXC_TRAP = 3,
    EXC_SYSTEM_ERROR = 4,
    EXC_INST_DEBUG = 6,
    EXC_DATA_DEBUG = 7,
    EXC_ALIGNMENT = 10,
    EXC_INST_FAULT = 11,
    EXC_DATA_FAULT = 12,
    EXC_IRQ = 14,
    EXC_FIQ = 15,
};

/* Bits of @context byte of the packets that carry one */
#define CONTEXT_NSE             (1U << 3)
#define CONTEXT_SF              (1U << 4)
#define CONTEXT_NS              (1U << 5)
#define CONTEXT_V               (1U << 6)
#define CONTEXT_C               (1U << 7)

static ARMEteState *ete(CPUARMState *env)
{
    return &env->profexc.ete;
}

static uint64_t reg(CPUARMState *env, EteReg r)
{
    return ete(env)->reg[r];
}

/*
 * When to trace
 */

/* D6.3.5 and FEAT_TRF: trace is not prohibited at @el in the present state. */
static bool trace_allowed(CPUARMState *env, int el)
{
    const uint64_t *trfcr = env->profexc.trbe.trfcr;
    bool tge = arm_hcr_el2_eff(env) & HCR_TGE;
    ARMSecuritySpace space = arm_security_space(env);
    TrbeOwner o = trbe_owner(env);

    if (el == 3 || space != o.space || el > o.el || (tge && o.el == 1)) {
        return false;
    }
    if (arm_feature(env, ARM_FEATURE_EL3)) {
        if (space == ARMSS_Secure && !(env->cp15.mdcr_el3 & MDCR_STE)) {
            return false;
        }
        if (space == ARMSS_Realm && !(env->cp15.mdcr_el3 & MDCR_EL3_RLTE)) {
            return false;
        }
    }
    switch (el) {
    case 2:
        return trfcr[2] & TRFCR_ExTRE;
    case 1:
        return trfcr[1] & TRFCR_ExTRE;
    default:
        return trfcr[tge ? 2 : 1] & TRFCR_E0TRE;
    }
}

/*
 * Resources: selector 0 is always false, 1 always true; 2 and 3 can look at
 * whether counter 0 is at zero.
 */
static bool resource(CPUARMState *env, unsigned int sel)
{
    uint64_t r;
    bool active;

    if (sel < 2) {
        return sel;
    }
    if (sel > 3) {
        return false;
    }
    r = reg(env, sel == 2 ? ETE_RSCTLR2 : ETE_RSCTLR3);
    active = extract64(r, RSCTLR_GROUP_SHIFT, 4) == RSCTLR_GROUP_COUNTER &&
             (r & 1) && ete(env)->counter_at_zero;
    return active != !!(r & RSCTLR_INV);
}

static bool event(CPUARMState *env, unsigned int ev)
{
    unsigned int sel = ev & EVENT_SEL_MASK;

    if (ev & EVENT_PAIR) {
        bool either = resource(env, sel * 2) || resource(env, sel * 2 + 1);
        uint64_t even = sel == 1 ? reg(env, ETE_RSCTLR2) : 0;

        return either != !!(even & RSCTLR_PAIRINV);
    }
    return resource(env, sel);
}

static bool excluded_level(CPUARMState *env, int el)
{
    unsigned int shift;

    switch (arm_security_space(env)) {
    case ARMSS_NonSecure:
        shift = VICTLR_EXLEVEL_NS_SHIFT;
        break;
    case ARMSS_Realm:
        shift = VICTLR_EXLEVEL_RL_SHIFT;
        break;
    default:
        shift = VICTLR_EXLEVEL_S_SHIFT;
    }
    return extract64(reg(env, ETE_VICTLR), shift + el, 1);
}

static bool should_trace(CPUARMState *env)
{
    int el;

    if (!env->profexc.has_ete || !(reg(env, ETE_PRGCTLR) & PRGCTLR_EN) ||
        !trbe_running(env) || !is_a64(env)) {
        return false;
    }
    el = arm_current_el(env);
    return trace_allowed(env, el) && !excluded_level(env, el) &&
           (reg(env, ETE_VICTLR) & VICTLR_SSSTATUS) &&
           event(env, reg(env, ETE_VICTLR) & VICTLR_EVENT_MASK);
}

bool ete_wants_branches(CPUARMState *env)
{
    return should_trace(env);
}

/*
 * Packets
 */

static void put(CPUARMState *env, const uint8_t *data, size_t len)
{
    ete(env)->since_sync += len;
    trbe_collect(env, data, len);
}

static void put_byte(CPUARMState *env, uint8_t byte)
{
    put(env, &byte, 1);
}

/* A[0] is the oldest of the atoms. */
static void put_atoms(CPUARMState *env)
{
    ARMEteState *e = ete(env);
    static const uint8_t header[] = { 0, PKT_ATOM_1, PKT_ATOM_2, PKT_ATOM_3 };
    uint8_t packet;

    if (e->num_atoms) {
        packet = header[e->num_atoms] | e->atoms;
        e->num_atoms = e->atoms = 0;
        put_byte(env, packet);
    }
}

static void put_atom(CPUARMState *env, bool taken)
{
    ARMEteState *e = ete(env);

    e->atoms |= taken << e->num_atoms;
    if (++e->num_atoms == 3) {
        put_atoms(env);
    }
}

/* The 8 bytes of a long address of a 4-byte aligned instruction */
static uint8_t *long_address(uint8_t *p, uint64_t addr)
{
    *p++ = extract64(addr, 2, 7);
    *p++ = extract64(addr, 9, 7);
    for (int bit = 16; bit < 64; bit += 8) {
        *p++ = extract64(addr, bit, 8);
    }
    return p;
}

static void put_address(CPUARMState *env, uint64_t addr)
{
    uint8_t packet[9] = { PKT_ADDR_64_IS0 };

    long_address(packet + 1, addr);
    put(env, packet, sizeof(packet));
}

/* VMID or, by TRCCONFIGR.VMIDOPT, CONTEXTIDR_EL2 */
static uint32_t current_vmid(CPUARMState *env)
{
    if (!arm_is_el2_enabled(env)) {
        return 0;
    }
    if (reg(env, ETE_CONFIGR) & CONFIGR_VMIDOPT) {
        return env->cp15.contextidr_el[2];
    }
    return extract64(env->cp15.vttbr_el2, 48, 16);
}

static uint8_t *context(CPUARMState *env, uint8_t *p)
{
    ARMEteState *e = ete(env);
    uint8_t *info = p++;

    e->context_el = arm_current_el(env);
    e->context_id = env->cp15.contextidr_el[1];
    e->context_vmid = current_vmid(env);

    *info = e->context_el | CONTEXT_SF;
    switch (arm_security_space(env)) {
    case ARMSS_NonSecure:
        *info |= CONTEXT_NS;
        break;
    case ARMSS_Realm:
        *info |= CONTEXT_NS | CONTEXT_NSE;
        break;
    default:
        break;
    }
    if (reg(env, ETE_CONFIGR) & CONFIGR_VMID) {
        *info |= CONTEXT_V;
        stl_le_p(p, e->context_vmid);
        p += 4;
    }
    if (reg(env, ETE_CONFIGR) & CONFIGR_CID) {
        *info |= CONTEXT_C;
        stl_le_p(p, e->context_id);
        p += 4;
    }
    return p;
}

static void put_address_context(CPUARMState *env, uint64_t addr)
{
    uint8_t packet[18] = { PKT_ADDR_CTXT_64_IS0 };

    put(env, packet, context(env, long_address(packet + 1, addr)) - packet);
}

static void put_context_if_new(CPUARMState *env)
{
    ARMEteState *e = ete(env);
    uint8_t packet[10] = { PKT_CONTEXT };

    if (((reg(env, ETE_CONFIGR) & CONFIGR_CID) &&
         e->context_id != (uint32_t)env->cp15.contextidr_el[1]) ||
        ((reg(env, ETE_CONFIGR) & CONFIGR_VMID) &&
         e->context_vmid != current_vmid(env))) {
        put_atoms(env);
        put(env, packet, context(env, packet + 1) - packet);
    }
}

/* TRFCR_ELx.TS says which counter; EL2's zero leaves it to EL1. */
static uint64_t timestamp(CPUARMState *env)
{
    const uint64_t *trfcr = env->profexc.trbe.trfcr;
    unsigned int ts = 0;
    uint64_t now = gt_get_countervalue(env);

    if (arm_is_el2_enabled(env)) {
        ts = extract64(trfcr[2], TRFCR_TS_SHIFT, 2);
    }
    if (!ts) {
        ts = extract64(trfcr[1], TRFCR_TS_SHIFT, 2);
    }
    switch (ts) {
    case 3:
        return now;
    case 2:
        return now - gt_direct_access_timer_offset(env, GTIMER_PHYS);
    default:
        return arm_feature(env, ARM_FEATURE_EL2) ?
               now - env->cp15.cntvoff_el2 : now;
    }
}

static void put_timestamp(CPUARMState *env)
{
    uint8_t packet[10] = { PKT_TIMESTAMP };
    uint64_t ts;
    int n = 1;

    if (!(reg(env, ETE_CONFIGR) & CONFIGR_TS)) {
        return;
    }
    ts = timestamp(env);
    /* 7 bits a byte, least significant first; the ninth byte has 8. */
    while (n < 9 && ts >> 7) {
        packet[n++] = (ts & 0x7f) | 0x80;
        ts >>= 7;
    }
    packet[n++] = ts;
    put(env, packet, n);
}

/* @type: EXC_*; @pc: preferred exception return address */
static void put_exception(CPUARMState *env, unsigned int type, uint64_t pc)
{
    uint8_t packet[11] = { PKT_EXCEPTION, type << 1 | 1, PKT_ADDR_64_IS0 };

    long_address(packet + 3, pc);
    put(env, packet, sizeof(packet));
}

/*
 * Where decoding can begin. TRCSYNCPR.PERIOD is the logarithm of the bytes
 * between two of them; 0 asks for none but the first.
 */
static void put_sync(CPUARMState *env)
{
    static const uint8_t packet[] = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80,
        PKT_TRACE_INFO, 0
    };

    put(env, packet, sizeof(packet));
    ete(env)->since_sync = 0;
    ete(env)->needs_sync = false;
}

static bool sync_is_due(CPUARMState *env)
{
    unsigned int period = reg(env, ETE_SYNCPR) & 0x1f;

    return period && ete(env)->since_sync >> period;
}

/*
 * Program flow
 */

/* Trace begins, or goes on after a gap, with the instruction at @pc. */
static void start_at(CPUARMState *env, uint64_t pc)
{
    if (ete(env)->needs_sync || sync_is_due(env)) {
        put_sync(env);
    }
    put_byte(env, PKT_TRACE_ON);
    put_address_context(env, pc);
    put_timestamp(env);
    ete(env)->start_pending = false;
}

/* Follows a change of should_trace() that is no exception or return. */
void ete_state_changed(CPUARMState *env)
{
    ARMEteState *e = ete(env);
    bool now, unlock;

    if (!env->profexc.has_ete) {
        return;
    }
    assert(qemu_cpu_is_self(env_cpu(env)) || cpu_is_stopped(env_cpu(env)));
    if (!trbe_running(env)) {
        /* What comes next goes to another place, or after a loss. */
        e->needs_sync = true;
        e->num_atoms = e->atoms = 0;
    }
    now = should_trace(env);
    if (now == e->tracing) {
        return;
    }
    e->tracing = now;
    if (now) {
        e->start_pending = true;
    } else if (!e->start_pending) {
        put_atoms(env);
    }

    /*
     * An MSR ends its block and looks at the flags anew. A branch that filled
     * the buffer does not: leave the chain of blocks that report to us.
     */
    arm_rebuild_hflags(env);
    unlock = !bql_locked();
    if (unlock) {
        bql_lock();
    }
    cpu_interrupt(env_cpu(env), CPU_INTERRUPT_EXITTB);
    if (unlock) {
        bql_unlock();
    }
}

/* The clock ticks: counter 0, then the events that follow from it. */
static void tick(CPUARMState *env)
{
    ARMEteState *e = ete(env);
    uint64_t ctl = reg(env, ETE_CNTCTLR0);
    uint64_t *count = &e->reg[ETE_CNTVR0];
    bool at_zero = *count == 0;
    bool changed = at_zero != e->counter_at_zero;
    bool reload = event(env, extract64(ctl, CNTCTLR_RLDEVENT_SHIFT, 8)) ||
                  (at_zero && (ctl & CNTCTLR_RLDSELF));

    e->counter_at_zero = at_zero;
    if (event(env, reg(env, ETE_EVENTCTL0R) & 0xff)) {
        /* I_YRQCN: event 0 is the trigger condition. */
        trbe_detected_trigger(env);
    }
    if (reload) {
        *count = reg(env, ETE_CNTRLDVR0);
    } else if (!at_zero && event(env, extract64(ctl, CNTCTLR_CNTEVENT_SHIFT,
                                                8))) {
        (*count)--;
    }
    if (changed) {
        ete_state_changed(env);
    }
}

void ete_branch(CPUARMState *env, uint32_t insn_flags, uint64_t target)
{
    ARMEteState *e = ete(env);

    if (!e->tracing) {
        return;
    }
    if (e->start_pending) {
        start_at(env, e->block_pc);
    }
    put_atom(env, insn_flags & INSN_TAKEN);
    if (!(insn_flags & (INSN_IMMED | INSN_ISB))) {
        put_atoms(env);
        put_address(env, target);
    }
    put_context_if_new(env);
    tick(env);
    if (e->tracing && sync_is_due(env)) {
        put_atoms(env);
        put_sync(env);
        put_address_context(env, target);
        put_timestamp(env);
    }
}

/* The target and its context follow once the PE is there. */
void ete_exception_return(CPUARMState *env)
{
    if (ete(env)->tracing) {
        if (ete(env)->start_pending) {
            start_at(env, ete(env)->block_pc);
        }
        put_atom(env, true);
        put_atoms(env);
    }
}

static unsigned int exception_type(CPUState *cs)
{
    CPUARMState *env = cpu_env(cs);

    switch (cs->exception_index) {
    case EXCP_SWI:
    case EXCP_HVC:
    case EXCP_SMC:
        return EXC_CALL;
    case EXCP_IRQ:
    case EXCP_VIRQ:
    case EXCP_NMI:
    case EXCP_VINMI:
        return EXC_IRQ;
    case EXCP_FIQ:
    case EXCP_VFIQ:
    case EXCP_VFNMI:
        return EXC_FIQ;
    case EXCP_VSERR:
        return EXC_SYSTEM_ERROR;
    case EXCP_PROF:
        return EXC_INST_DEBUG;
    case EXCP_GPC:
        return syn_get_ec(env->exception.syndrome) == EC_GPC &&
               extract32(env->exception.syndrome, 20, 1) ?
               EXC_INST_FAULT : EXC_DATA_FAULT;
    }
    switch (syn_get_ec(env->exception.syndrome)) {
    case EC_INSNABORT:
    case EC_INSNABORT_SAME_EL:
    case EC_BTITRAP:
        return EXC_INST_FAULT;
    case EC_DATAABORT:
    case EC_DATAABORT_SAME_EL:
    case EC_PACFAIL:
        return EXC_DATA_FAULT;
    case EC_PCALIGNMENT:
    case EC_SPALIGNMENT:
        return EXC_ALIGNMENT;
    case EC_BREAKPOINT:
    case EC_BREAKPOINT_SAME_EL:
    case EC_SOFTWARESTEP:
    case EC_SOFTWARESTEP_SAME_EL:
    case EC_AA64_BKPT:
        return EXC_INST_DEBUG;
    case EC_WATCHPOINT:
    case EC_WATCHPOINT_SAME_EL:
        return EXC_DATA_DEBUG;
    default:
        return EXC_TRAP;
    }
}

static void before_el_change(ARMCPU *cpu, void *opaque)
{
    CPUARMState *env = &cpu->env;
    CPUState *cs = CPU(cpu);
    ARMEteState *e = ete(env);

    e->was_tracing = e->tracing && !e->start_pending;
    if (e->was_tracing && cs->exception_index >= 0) {
        put_atoms(env);
        /* perf dates the code before a timestamp by it. */
        put_timestamp(env);
        put_exception(env, exception_type(cs), env->pc);
    }
    e->was_tracing &= trbe_running(env);
    e->tracing = e->start_pending = false;
}

static void after_el_change(ARMCPU *cpu, void *opaque)
{
    CPUARMState *env = &cpu->env;
    ARMEteState *e = ete(env);

    e->tracing = should_trace(env);
    e->start_pending = false;
    if (!e->tracing) {
        return;
    }
    if (e->was_tracing && !e->needs_sync) {
        put_address_context(env, env->pc);
    } else {
        start_at(env, env->pc);
    }
}

void ete_synchronize(CPUARMState *env)
{
    if (env->profexc.has_ete) {
        put_atoms(env);
        trbe_flush(env);
    }
}

/*
 * System registers. Encoding: op0 2, op1 1, and CRn, op2, CRm from the offset
 */

static CPAccessResult access_trc(CPUARMState *env, const ARMCPRegInfo *ri,
                                 bool isread)
{
    int el = arm_current_el(env);
    bool e2h = arm_hcr_el2_eff(env) & HCR_E2H;

    if (el == 1 && FIELD_EX64(env->cp15.cpacr_el1, CPACR_EL1, TTA)) {
        return CP_ACCESS_TRAP_EL1;
    }
    if (el < 3 && arm_is_el2_enabled(env) &&
        (e2h ? FIELD_EX64(env->cp15.cptr_el[2], CPTR_EL2, TTA) :
               FIELD_EX64(env->cp15.cptr_el[2], HCPTR, TTA))) {
        return CP_ACCESS_TRAP_EL2;
    }
    if (el < 3 && arm_feature(env, ARM_FEATURE_EL3) &&
        FIELD_EX64(env->cp15.cptr_el[3], CPTR_EL3, TTA)) {
        return CP_ACCESS_TRAP_EL3;
    }
    return CP_ACCESS_OK;
}

/* These take effect at once; the architecture allows writes when idle only. */
static void trc_write(CPUARMState *env, const ARMCPRegInfo *ri,
                      uint64_t value)
{
    raw_write(env, ri, value);
    ete_state_changed(env);
}

static void trcprgctlr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                             uint64_t value)
{
    ARMEteState *e = ete(env);

    if (!(e->reg[ETE_PRGCTLR] & PRGCTLR_EN) && (value & PRGCTLR_EN)) {
        e->needs_sync = true;
        e->counter_at_zero = e->reg[ETE_CNTVR0] == 0;
    }
    e->reg[ETE_PRGCTLR] = value & PRGCTLR_EN;
    ete_state_changed(env);
}

static uint64_t trcstatr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    /* IDLE and PMSTABLE */
    return reg(env, ETE_PRGCTLR) & PRGCTLR_EN ? 0 : 3;
}

static uint64_t trcclaimset_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return 0xf;
}

static void trcclaimset_write(CPUARMState *env, const ARMCPRegInfo *ri,
                              uint64_t value)
{
    ete(env)->claim |= value & 0xf;
}

static uint64_t trcclaimclr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return ete(env)->claim;
}

static void trcclaimclr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                              uint64_t value)
{
    ete(env)->claim &= ~value;
}

#define FGT_TRC_BIT(NAME)       (FGT_HDFGRTR | R_HDFGRTR_EL2_##NAME##_SHIFT)

#define TRC_ENCODING(OFFSET)                                                 \
    .state = ARM_CP_STATE_AA64, .opc0 = 2, .opc1 = 1,                        \
    .crn = ((OFFSET) >> 9) & 7, .opc2 = ((OFFSET) >> 6) & 7,                 \
    .crm = ((OFFSET) >> 2) & 15, .accessfn = access_trc

#define TRC_RW(NAME, OFFSET, REG, FGT)                                       \
    { .name = NAME, TRC_ENCODING(OFFSET), .access = PL1_RW,                  \
      .fgt = FGT_TRC_BIT(FGT), .raw_writefn = raw_write,                     \
      .fieldoffset = offsetof(CPUARMState, profexc.ete.reg[REG]),            \
      .writefn = trc_write }

#define TRC_CONST(NAME, OFFSET, FGT, VALUE)                                  \
    { .name = NAME, TRC_ENCODING(OFFSET), .access = PL1_R,                   \
      .type = ARM_CP_CONST, .fgt = FGT_TRC_BIT(FGT), .resetvalue = VALUE }

static const ARMCPRegInfo ete_reginfo[] = {
    { .name = "TRCPRGCTLR", TRC_ENCODING(0x004), .access = PL1_RW,
      .fgt = FGT_TRC_BIT(TRCPRGCTLR), .raw_writefn = raw_write,
      .fieldoffset = offsetof(CPUARMState, profexc.ete.reg[ETE_PRGCTLR]),
      .writefn = trcprgctlr_write },
    { .name = "TRCSTATR", TRC_ENCODING(0x00c), .access = PL1_R,
      .type = ARM_CP_NO_RAW, .fgt = FGT_TRC_BIT(TRCSTATR),
      .readfn = trcstatr_read },
    TRC_RW("TRCCONFIGR", 0x010, ETE_CONFIGR, TRC),
    TRC_RW("TRCAUXCTLR", 0x018, ETE_AUXCTLR, TRCAUXCTLR),
    TRC_RW("TRCEVENTCTL0R", 0x020, ETE_EVENTCTL0R, TRC),
    TRC_RW("TRCEVENTCTL1R", 0x024, ETE_EVENTCTL1R, TRC),
    TRC_RW("TRCRSR", 0x028, ETE_RSR, TRC),
    TRC_RW("TRCTSCTLR", 0x030, ETE_TSCTLR, TRC),
    TRC_RW("TRCSYNCPR", 0x034, ETE_SYNCPR, TRC),
    /* No cycle counting, no branch broadcast, but Linux writes these anyway. */
    TRC_RW("TRCCCCTLR", 0x038, ETE_CCCTLR, TRC),
    TRC_RW("TRCBBCTLR", 0x03c, ETE_BBCTLR, TRC),
    TRC_RW("TRCTRACEIDR", 0x040, ETE_TRACEIDR, TRC),
    TRC_RW("TRCVICTLR", 0x080, ETE_VICTLR, TRCVICTLR),
    TRC_RW("TRCVIIECTLR", 0x084, ETE_VIIECTLR, TRC),
    TRC_RW("TRCVISSCTLR", 0x088, ETE_VISSCTLR, TRC),
    TRC_RW("TRCCNTRLDVR0", 0x140, ETE_CNTRLDVR0, TRC),
    TRC_RW("TRCCNTCTLR0", 0x150, ETE_CNTCTLR0, TRC),
    TRC_RW("TRCCNTVR0", 0x160, ETE_CNTVR0, TRCCNTVRn),
    TRC_RW("TRCRSCTLR2", 0x208, ETE_RSCTLR2, TRC),
    TRC_RW("TRCRSCTLR3", 0x20c, ETE_RSCTLR3, TRC),
    TRC_RW("TRCCIDCCTLR0", 0x680, ETE_CIDCCTLR0, TRC),
    TRC_RW("TRCVMIDCCTLR0", 0x688, ETE_VMIDCCTLR0, TRC),

    TRC_CONST("TRCIDR8", 0x180, TRCID, 0),
    TRC_CONST("TRCIDR9", 0x184, TRCID, 0),
    TRC_CONST("TRCIDR10", 0x188, TRCID, 0),
    TRC_CONST("TRCIDR11", 0x18c, TRCID, 0),
    TRC_CONST("TRCIDR12", 0x190, TRCID, 0),
    TRC_CONST("TRCIDR13", 0x194, TRCID, 0),
    /* RES1, COMMOPT, TSSIZE 64 bits */
    TRC_CONST("TRCIDR0", 0x1e0, TRCID, 0x28000001),
    /* Arm, ETE 1.0 */
    TRC_CONST("TRCIDR1", 0x1e4, TRCID, 0x4100fff0),
    /* IASIZE 64, CIDSIZE 32, VMIDSIZE 32, VMIDOPT */
    TRC_CONST("TRCIDR2", 0x1e8, TRCID, 0x20001088),
    TRC_CONST("TRCIDR4", 0x1f0, TRCID, 0x00010000),     /* NUMRSPAIR 1 */
    TRC_CONST("TRCIDR5", 0x1f4, TRCID, 0x10070000),     /* NUMCNTR 1 */
    TRC_CONST("TRCIDR6", 0x1f8, TRCID, 0),
    TRC_CONST("TRCIDR7", 0x1fc, TRCID, 0),
    /* OSLM: the PE OS Lock */
    TRC_CONST("TRCOSLSR", 0x304, TRCOSLSR, 0x10),
    { .name = "TRCCLAIMSET", TRC_ENCODING(0xfa0), .access = PL1_RW,
      .type = ARM_CP_NO_RAW, .fgt = FGT_TRC_BIT(TRCCLAIM),
      .readfn = trcclaimset_read, .writefn = trcclaimset_write },
    { .name = "TRCCLAIMCLR", TRC_ENCODING(0xfa4), .access = PL1_RW,
      .type = ARM_CP_NO_RAW, .fgt = FGT_TRC_BIT(TRCCLAIM),
      .readfn = trcclaimclr_read, .writefn = trcclaimclr_write },
    /* Non-secure non-invasive debug implemented and enabled */
    TRC_CONST("TRCAUTHSTATUS", 0xfb8, TRCAUTHSTATUS, 0xcc),
    /* Arm, present, ETE 1.0 */
    TRC_CONST("TRCDEVARCH", 0xfbc, TRC, 0x47705a13),
    TRC_CONST("TRCDEVID", 0xfc8, TRC, 0),
};

void ete_realize(ARMCPU *cpu, Error **errp)
{
    CPUARMState *env = &cpu->env;
    ARMISARegisters *isar = &cpu->isar;
    bool el3 = arm_feature(env, ARM_FEATURE_EL3);
    bool el2 = arm_feature(env, ARM_FEATURE_EL2);
    /* EXLEVEL_NS, EXLEVEL_S; CCITMIN 4 */
    ARMCPRegInfo idr3[] = {
        TRC_CONST("TRCIDR3", 0x1ec, TRCID,
                  4 | (el3 ? 0xb << 16 : 0) | (el2 ? 7 << 20 : 3 << 20)),
    };

    isar->id_aa64dfr0 = FIELD_DP64(isar->id_aa64dfr0, ID_AA64DFR0,
                                   TRACEVER, 1);
    define_arm_cp_regs(cpu, ete_reginfo);
    define_arm_cp_regs(cpu, idr3);
    arm_register_pre_el_change_hook(cpu, before_el_change, NULL);
    arm_register_el_change_hook(cpu, after_el_change, NULL);
}

void ete_reset(CPUARMState *env)
{
    ARMEteState *e = ete(env);

    memset(e, 0, sizeof(*e));
    e->needs_sync = true;
}
