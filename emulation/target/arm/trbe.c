/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm Trace Buffer Extension: FEAT_TRBE, FEAT_TRBE_EXC and FEAT_TRF
 *
 * All of it runs on the thread of the PE, between instructions: the program's
 * own branches make the trace data, and writing it to memory goes through the
 * translation regime the registers say, so that faults are real ones.
 *
 * Choices where the architecture leaves one:
 *  - writes of the registers are ignored while the unit is enabled (R_DJMDD);
 *  - a pointer that is out of range stops collection with EC 0 and BSC 0,
 *    "access not allowed" (R_MGZWR);
 *  - Access flag and dirty state are managed in hardware if the regime says
 *    so: TRBIDR_EL1.F is 1;
 *  - an External abort on a write is reported by FEAT_TRBE, and ignored with
 *    FEAT_TRBE_EXC (R_GQWBF, I_NHQGS); one on a translation table walk is
 *    reported as an MMU fault;
 *  - the unit never rejects trace data.
 */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qapi/error.h"
#include "hw/irq.h"
#include "hw/qdev-core.h"
#include "exec/exec-all.h"
#include "cpu.h"
#include "cpregs.h"
#include "cpu-features.h"
#include "internals.h"
#include "target/arm/profexc.h"
#include "target/arm/trbe.h"
#include "target/arm/ete.h"

/* TRBLIMITR_EL1 */
#define TRBLIMITR_E             (1ULL << 0)
#define TRBLIMITR_FM            (3ULL << 1)
#define TRBLIMITR_FM_FILL       (0ULL << 1)
#define TRBLIMITR_FM_CIRCULAR   (3ULL << 1)
#define TRBLIMITR_TM            (3ULL << 3)
#define TRBLIMITR_TM_STOP       (0ULL << 3)
#define TRBLIMITR_TM_IGNORE     (3ULL << 3)
#define TRBLIMITR_NVM           (1ULL << 5)
#define TRBLIMITR_LIMIT         MAKE_64BIT_MASK(12, 52)

/* TRBSR_ELx */
#define TRBSR_MSS               MAKE_64BIT_MASK(0, 16)
#define TRBSR_S                 (1ULL << 17)
#define TRBSR_EA                (1ULL << 18)
#define TRBSR_WRAP              (1ULL << 20)
#define TRBSR_TRG               (1ULL << 21)
#define TRBSR_IRQ               (1ULL << 22)
#define TRBSR_EC_SHIFT          26
#define TRBSR_EC                (0x3fULL << TRBSR_EC_SHIFT)
#define TRBSR_MSS2              MAKE_64BIT_MASK(32, 24)

#define TRB_EC_OTHER            0x00
#define TRB_EC_GPC              0x1e
#define TRB_EC_STAGE1           0x24
#define TRB_EC_STAGE2           0x25
#define BSC_NOT_ALLOWED         0
#define BSC_FILLED              1
#define BSC_TRIGGER             2
#define FSC_EXTERNAL            0x10

/* TRBIDR_EL1 */
#define TRBIDR_P                (1ULL << 4)
#define TRBIDR_F                (1ULL << 5)
#define TRBIDR_EA_SHIFT         8
#define TRBIDR_EA_IGNORED       1

#define TRBBASER_BASE           MAKE_64BIT_MASK(12, 52)
#define TRBMAR_MASK             MAKE_64BIT_MASK(0, 10)
#define TRBTRG_MASK             MAKE_64BIT_MASK(0, 32)

/* Memory is written in units of this; a regime maps at least this much alike */
#define PAGE_BYTES              4096

/* The fifo is written out once this much is in it. */
#define FIFO_HIGH               256

static ARMTrbeState *trbe(CPUARMState *env)
{
    return &env->profexc.trbe;
}

/*
 * Effective values of the controls
 */

TrbeOwner trbe_owner(CPUARMState *env)
{
    TrbeOwner o = { .space = ARMSS_NonSecure, .el = 1 };

    if (arm_feature(env, ARM_FEATURE_EL3)) {
        if (!extract64(env->cp15.mdcr_el3, MDCR_EL3_NSTB_SHIFT + 1, 1)) {
            o.space = ARMSS_Secure;
        } else if (cpu_isar_feature(aa64_rme, env_archcpu(env)) &&
                   extract64(env->cp15.mdcr_el3, MDCR_EL3_NSTBE_SHIFT, 1)) {
            o.space = ARMSS_Realm;
        }
    }
    if (arm_is_el2_enabled_secstate(env, o.space) &&
        !extract64(env->cp15.mdcr_el2, MDCR_EL2_E2TB_SHIFT, 2)) {
        o.el = 2;
    }
    return o;
}

/* MDCR_EL3.TRBEE; without EL3, as if it delegated */
static unsigned int el3_trbee(CPUARMState *env)
{
    if (!arm_feature(env, ARM_FEATURE_EL3)) {
        return 1;
    }
    return extract64(env->cp15.mdcr_el3, MDCR_EL3_TRBEE_SHIFT, 2);
}

static unsigned int effective_el2_ee(CPUARMState *env)
{
    if (!env->profexc.has_trbe_exc || el3_trbee(env) == 0) {
        return 0;
    }
    if (!arm_is_el2_enabled(env)) {
        return 1;
    }
    return extract64(trbe(env)->trfcr[2], TRFCR_EE_SHIFT, 2);
}

/* 0 or 3: with FEAT_NV, which this PE has, 0b01 is as 0b00, 0b10 as 0b11. */
static unsigned int effective_el1_ee(CPUARMState *env)
{
    if (effective_el2_ee(env) == 0) {
        return 0;
    }
    return extract64(trbe(env)->trfcr[1], TRFCR_EE_SHIFT + 1, 1) ? 3 : 0;
}

bool trbe_enabled(CPUARMState *env)
{
    return env->profexc.has_trbe && (trbe(env)->limitr & TRBLIMITR_E) &&
           arm_el_is_aa64(env, trbe_owner(env).el);
}

bool trbe_running(CPUARMState *env)
{
    ARMTrbeState *t = trbe(env);

    if (!trbe_enabled(env) || (t->sr[1] & TRBSR_S)) {
        return false;
    }
    if (!env->profexc.has_trbe_exc) {
        return true;
    }
    return !((el3_trbee(env) & 2) && (t->sr[3] & TRBSR_S)) &&
           !((effective_el2_ee(env) & 2) && (t->sr[2] & TRBSR_S));
}

/*
 * Recording: R_BNQRP, Tables D6-5 to D6-7
 */

/* Level whose TRBSR_ELx records an event; @fsc counts for aborts only */
static int recording_el(CPUARMState *env, unsigned int ec, unsigned int fsc)
{
    bool s1 = ec == TRB_EC_STAGE1, s2 = ec == TRB_EC_STAGE2;
    bool gpc = ec == TRB_EC_GPC;
    bool gpf = (s1 || s2) && ((fsc >= 0x22 && fsc <= 0x28));
    bool external = (s1 || s2) &&
                    (fsc == FSC_EXTERNAL || (fsc >= 0x12 && fsc <= 0x17) ||
                     fsc == 0x1b);
    unsigned int el3_ee = el3_trbee(env), el2_ee = effective_el2_ee(env);
    uint64_t hcr = arm_hcr_el2_eff(env);

    if (!env->profexc.has_trbe_exc) {
        return 1;
    }
    if (el3_ee == 3 ||
        (el3_ee == 2 && (gpc || (gpf && (env->cp15.scr_el3 & SCR_GPF)) ||
                         (external && (env->cp15.scr_el3 & SCR_EA))))) {
        return 3;
    }
    if (el2_ee == 3 ||
        (el2_ee == 2 && (gpc || s2 || (s1 && trbe_owner(env).el == 2) ||
                         (gpf && (hcr & HCR_GPF)) ||
                         (external && (hcr & HCR_TEA))))) {
        return 2;
    }
    return 1;
}

/* "The Other event column of Table D6-7" */
static uint64_t *default_sr(CPUARMState *env)
{
    return &trbe(env)->sr[recording_el(env, TRB_EC_OTHER, 0)];
}

/* The event stops collection, unless something has stopped it already. */
static void stop_event(CPUARMState *env, unsigned int ec, uint64_t mss)
{
    uint64_t *sr = &trbe(env)->sr[recording_el(env, ec, mss & 0x3f)];

    *sr |= TRBSR_IRQ;
    if (!(*sr & TRBSR_S)) {
        *sr = (*sr & ~(TRBSR_EC | TRBSR_MSS | TRBSR_MSS2)) | TRBSR_S |
              ((uint64_t)ec << TRBSR_EC_SHIFT) | mss;
    }
}

/*
 * Writing to memory
 */

static ARMMMUIdx owning_regime(CPUARMState *env, const TrbeOwner *o)
{
    bool e2h = arm_hcr_el2_eff(env) & HCR_E2H;

    if (o->el == 2) {
        return e2h ? ARMMMUIdx_E20_2 : ARMMMUIdx_E2;
    }
    return ARMMMUIdx_E10_1;
}

/* Effective TRBLIMITR_EL1.nVM (R_FTWWP) */
static bool pointers_are_physical(CPUARMState *env, const TrbeOwner *o)
{
    if (env->profexc.has_trbe_exc && o->el == 1 &&
        arm_is_el2_enabled_secstate(env, o->space) &&
        (trbe(env)->trfcr[2] & TRFCR_DnVM)) {
        return false;
    }
    return trbe(env)->limitr & TRBLIMITR_NVM;
}

static ARMMMUIdx physical_regime(CPUARMState *env, const TrbeOwner *o)
{
    uint64_t hcr = arm_hcr_el2_eff(env);

    if (o->el == 1 && (hcr & (HCR_VM | HCR_DC))) {
        return o->space == ARMSS_Secure ? ARMMMUIdx_Stage2_S :
                                          ARMMMUIdx_Stage2;
    }
    switch (o->space) {
    case ARMSS_Secure:
        return ARMMMUIdx_Phys_S;
    case ARMSS_Realm:
        return ARMMMUIdx_Phys_Realm;
    default:
        return ARMMMUIdx_Phys_NS;
    }
}

static void mmu_fault(CPUARMState *env, const ARMMMUFaultInfo *fault)
{
    ARMMMUFaultInfo fi = *fault;
    bool on_gpt = fi.type == ARMFault_GPCFOnWalk ||
                  fi.type == ARMFault_GPCFOnOutput;

    if (on_gpt && fi.gpcf != GPCF_Fail) {
        /* A Granule Protection Check fault other than a GPF has no FSC. */
        stop_event(env, TRB_EC_GPC, 0);
    } else {
        stop_event(env, fi.stage2 ? TRB_EC_STAGE2 : TRB_EC_STAGE1,
                   arm_fi_to_lfsc(&fi) & 0x3f);
    }
}

/* True if TRBPTR_EL1 could be translated for a write. */
static bool translate(CPUARMState *env, GetPhysAddrResult *res)
{
    ARMTrbeState *t = trbe(env);
    TrbeOwner o = trbe_owner(env);
    ARMMMUFaultInfo fi = { 0 };
    ARMMMUIdx regime;

    if (pointers_are_physical(env, &o)) {
        if (t->ptr >> arm_pamax(env_archcpu(env))) {
            /* R_MXRFD, R_BRRRK: Address Size fault, level 0 */
            stop_event(env, TRB_EC_STAGE1, 0);
            return false;
        }
        regime = physical_regime(env, &o);
    } else {
        regime = owning_regime(env, &o);
    }
    if (get_phys_addr(env, t->ptr, MMU_DATA_STORE, 0, regime, res, &fi)) {
        mmu_fault(env, &fi);
        return false;
    }
    return true;
}

/* True if an event was injected in place of writing the next byte. */
static bool injected_event(CPUARMState *env)
{
    ARMTrbeState *t = trbe(env);
    uint64_t syndrome = t->inject;

    if (!syndrome && t->inject_every && t->inject_count >= t->inject_every) {
        t->inject_count = 0;
        syndrome = t->inject_syndrome;
    }
    t->inject = 0;
    if (!syndrome) {
        return false;
    }
    stop_event(env, extract64(syndrome, TRBSR_EC_SHIFT, 6),
               syndrome & (TRBSR_MSS | TRBSR_MSS2));
    return true;
}

static void external_abort(CPUARMState *env)
{
    if (!env->profexc.has_trbe_exc) {
        trbe(env)->sr[1] |= TRBSR_EA;
        stop_event(env, TRB_EC_STAGE1, FSC_EXTERNAL);
    }
}

/* The write pointer has reached the limit. */
static void wrap(CPUARMState *env)
{
    ARMTrbeState *t = trbe(env);

    t->ptr = t->baser;
    *default_sr(env) |= TRBSR_WRAP;
    switch (t->limitr & TRBLIMITR_FM) {
    case TRBLIMITR_FM_FILL:
        stop_event(env, TRB_EC_OTHER, BSC_FILLED);
        break;
    case TRBLIMITR_FM_CIRCULAR:
        break;
    default:
        *default_sr(env) |= TRBSR_IRQ;
    }
}

/* The Trigger Counter counts what is written. */
static bool counting_down(CPUARMState *env)
{
    return (*default_sr(env) & TRBSR_TRG) && trbe(env)->trg;
}

/*
 * Writes up to @len bytes, not across a page or the limit, and not more than
 * the Trigger Counter has left. Returns how many; 0 if an event stopped it.
 */
static size_t write_some(CPUARMState *env, const uint8_t *data, size_t len)
{
    ARMTrbeState *t = trbe(env);
    uint64_t limit = t->limitr & TRBLIMITR_LIMIT;
    bool counting = counting_down(env);
    GetPhysAddrResult res = { 0 };
    AddressSpace *as;

    if (t->ptr < t->baser || t->ptr >= limit ||
        (t->ptr ^ t->baser) >> 56 || (t->ptr ^ limit) >> 56) {
        stop_event(env, TRB_EC_OTHER, BSC_NOT_ALLOWED);
        return 0;
    }
    if (injected_event(env) || !translate(env, &res)) {
        return 0;
    }
    len = MIN(len, PAGE_BYTES - t->ptr % PAGE_BYTES);
    if (counting) {
        len = MIN(len, t->trg);
    }
    if (t->inject_every) {
        len = MIN(len, t->inject_every - t->inject_count);
        t->inject_count += len;
    }
    as = arm_addressspace(env_cpu(env), res.f.attrs);
    if (address_space_write(as, res.f.phys_addr, res.f.attrs, data, len) !=
        MEMTX_OK) {
        external_abort(env);
        if (!trbe_running(env)) {
            return 0;
        }
    }

    t->ptr += len;
    if (counting) {
        t->trg -= len;
    }
    if (t->ptr == limit) {
        wrap(env);
    }
    return len;
}

/* R_XRRWP and the rule after it, once the flush is complete */
static void trigger_event(CPUARMState *env)
{
    switch (trbe(env)->limitr & TRBLIMITR_TM) {
    case TRBLIMITR_TM_STOP:
        stop_event(env, TRB_EC_OTHER, BSC_TRIGGER);
        break;
    case TRBLIMITR_TM_IGNORE:
        break;
    default:
        *default_sr(env) |= TRBSR_IRQ;
    }
}

/*
 * Writes the fifo to the buffer: all of it, or else whole units of the
 * alignment. A Trigger Event on the way flushes the rest as well.
 */
static void drain(CPUARMState *env, bool all)
{
    ARMTrbeState *t = trbe(env);
    uint64_t unit = 1ULL << env->profexc.trbe_align;
    bool triggered = false;
    size_t done = 0;

    while (trbe_running(env)) {
        size_t left = t->fifo_used - done;
        bool counting = counting_down(env);
        size_t n;

        if (!all && !triggered) {
            /* As far as the last unit that is full */
            uint64_t end = (t->ptr + left) & -unit;

            left = end > t->ptr ? end - t->ptr : 0;
        }
        if (!left) {
            break;
        }
        n = write_some(env, t->fifo + done, left);
        done += n;
        triggered |= counting && !t->trg;
    }
    if (!trbe_running(env)) {
        done = t->fifo_used;
    }
    t->fifo_used -= done;
    memmove(t->fifo, t->fifo + done, t->fifo_used);

    if (triggered && trbe_enabled(env)) {
        trigger_event(env);
    }
    if (!trbe_running(env)) {
        t->fifo_used = 0;
    }
    profexc_update(env);
}

/* Bytes up to the limit or the Trigger Event, whichever comes first */
static uint64_t room(CPUARMState *env)
{
    ARMTrbeState *t = trbe(env);
    uint64_t limit = t->limitr & TRBLIMITR_LIMIT;
    uint64_t n = limit > t->ptr ? limit - t->ptr : 1;

    return counting_down(env) ? MIN(n, t->trg) : n;
}

/*
 * The byte that fills the buffer raises the event. In FILL mode the contents of
 * the fifo are lost then, which should be no more than the packet that was cut
 * off.
 */
void trbe_collect(CPUARMState *env, const uint8_t *data, size_t len)
{
    ARMTrbeState *t = trbe(env);

    while (len && trbe_running(env)) {
        size_t end = MIN(TRBE_FIFO_SIZE, room(env));
        /* What was held back at the trigger can be more than TRBTRG_EL1. */
        size_t n = MIN(len, end - MIN(end, t->fifo_used));

        memcpy(t->fifo + t->fifo_used, data, n);
        t->fifo_used += n;
        data += n;
        len -= n;
        if (t->fifo_used >= MIN(end, FIFO_HIGH)) {
            drain(env, t->fifo_used >= end);
        }
    }
}

void trbe_flush(CPUARMState *env)
{
    /* Data of an owner whose registers are not in context has to wait. */
    if (trbe(env)->fifo_used &&
        trbe_owner(env).space == arm_security_space_below_el3(env)) {
        drain(env, true);
    }
}

void trbe_detected_trigger(CPUARMState *env)
{
    ARMTrbeState *t = trbe(env);
    uint64_t *sr = default_sr(env);

    if (!trbe_running(env) || (*sr & TRBSR_TRG)) {
        return;
    }
    /* The Trigger Counter counts what is written after the trigger. */
    drain(env, false);
    *sr |= TRBSR_TRG;
    if (!t->trg && (t->limitr & TRBLIMITR_TM) != TRBLIMITR_TM_IGNORE) {
        drain(env, true);
        trigger_event(env);
        profexc_update(env);
    }
}

/*
 * Exception and interrupt: R_MFMXQ, R_VSCDV, Tables D6-8 to D6-10
 */

static bool irq_set(CPUARMState *env, int el)
{
    return (trbe(env)->sr[el] & TRBSR_IRQ) &&
           (!env->profexc.trbe_irq_gated ||
            (trbe(env)->limitr & TRBLIMITR_E));
}

bool trbe_irq_level(CPUARMState *env)
{
    return env->profexc.has_trbe && effective_el1_ee(env) == 0 &&
           irq_set(env, 1);
}

static bool pending_for(CPUARMState *env, int el)
{
    if (!irq_set(env, el)) {
        return false;
    }
    switch (el) {
    case 3:
        return arm_feature(env, ARM_FEATURE_EL3) && (el3_trbee(env) & 2);
    case 2:
        return effective_el2_ee(env) & 2;
    default:
        return effective_el1_ee(env) == 3;
    }
}

bool trbe_exception_pending(CPUARMState *env)
{
    return env->profexc.has_trbe_exc &&
           (pending_for(env, 3) || pending_for(env, 2) || pending_for(env, 1));
}

int trbe_exception_target(CPUARMState *env)
{
    ARMTrbeState *t = trbe(env);
    int el = arm_current_el(env);
    bool pm = env->profexc.pm;

    if (!env->profexc.has_trbe_exc || el == 3) {
        return 0;
    }
    if (pending_for(env, 3)) {
        return 3;
    }
    if (trbe_owner(env).space != arm_security_space(env)) {
        return 0;
    }
    if (pending_for(env, 2) &&
        (el < 2 || (effective_el2_ee(env) == 3 &&
                    (t->trfcr[2] & TRFCR_KE) && !pm))) {
        return 2;
    }
    if (pending_for(env, 1) &&
        (el == 0 || (el == 1 && (t->trfcr[1] & TRFCR_KE) && !pm))) {
        return arm_hcr_el2_eff(env) & HCR_TGE ? 2 : 1;
    }
    return 0;
}

/*
 * System registers
 */

static uint64_t field_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return CPREG_FIELD64(env, ri);
}

/* MDCR_EL3.{NSTBE,NSTB} give the registers to another Security state. */
static bool nstb_traps(CPUARMState *env)
{
    uint64_t mdcr = env->cp15.mdcr_el3, scr = env->cp15.scr_el3;

    return !extract64(mdcr, MDCR_EL3_NSTB_SHIFT, 1) ||
           extract64(mdcr, MDCR_EL3_NSTB_SHIFT + 1, 1) != !!(scr & SCR_NS) ||
           (cpu_isar_feature(aa64_rme, env_archcpu(env)) &&
            extract64(mdcr, MDCR_EL3_NSTBE_SHIFT, 1) != !!(scr & SCR_NSE));
}

static CPAccessResult access_trb(CPUARMState *env, const ARMCPRegInfo *ri,
                                 bool isread)
{
    int el = arm_current_el(env);

    if (el == 1 && arm_is_el2_enabled(env) &&
        !extract64(env->cp15.mdcr_el2, MDCR_EL2_E2TB_SHIFT, 1)) {
        return CP_ACCESS_TRAP_EL2;
    }
    if (el < 3 && arm_feature(env, ARM_FEATURE_EL3) && nstb_traps(env)) {
        return CP_ACCESS_TRAP_EL3;
    }
    return CP_ACCESS_OK;
}

static CPAccessResult access_trbsr_el2(CPUARMState *env,
                                       const ARMCPRegInfo *ri, bool isread)
{
    if (arm_current_el(env) == 2 && arm_feature(env, ARM_FEATURE_EL3) &&
        (nstb_traps(env) || el3_trbee(env) == 0)) {
        return CP_ACCESS_TRAP_EL3;
    }
    return CP_ACCESS_OK;
}

static bool el2_is_host(CPUARMState *env)
{
    return arm_hcr_el2_eff(env) & HCR_E2H;
}

static CPAccessResult access_trbsr_el12(CPUARMState *env,
                                        const ARMCPRegInfo *ri, bool isread)
{
    int el = arm_current_el(env);

    if (el > 1 && !el2_is_host(env)) {
        return CP_ACCESS_UNDEFINED;
    }
    if (el == 2 && arm_feature(env, ARM_FEATURE_EL3) && nstb_traps(env)) {
        return CP_ACCESS_TRAP_EL3;
    }
    return CP_ACCESS_OK;
}

static CPAccessResult access_trfcr(CPUARMState *env, const ARMCPRegInfo *ri,
                                   bool isread)
{
    int el = arm_current_el(env);

    if (el == 1 && (arm_mdcr_el2_eff(env) & MDCR_TTRF)) {
        return CP_ACCESS_TRAP_EL2;
    }
    if (el < 3 && arm_feature(env, ARM_FEATURE_EL3) &&
        (env->cp15.mdcr_el3 & MDCR_TTRF)) {
        return CP_ACCESS_TRAP_EL3;
    }
    return CP_ACCESS_OK;
}

static CPAccessResult access_trfcr_el12(CPUARMState *env,
                                        const ARMCPRegInfo *ri, bool isread)
{
    if (arm_current_el(env) > 1 && !el2_is_host(env)) {
        return CP_ACCESS_UNDEFINED;
    }
    return access_trfcr(env, ri, isread);
}

/* R_DJMDD: true, with a word to the log, if the write is not to take effect */
static bool write_ignored(CPUARMState *env, const ARMCPRegInfo *ri)
{
    if (!(trbe(env)->limitr & TRBLIMITR_E)) {
        return false;
    }
    qemu_log_mask(LOG_GUEST_ERROR, "write of %s ignored: TRBLIMITR_EL1.E is "
                  "1\n", ri->name);
    return true;
}

static uint64_t writable_bits(CPUARMState *env, const ARMCPRegInfo *ri)
{
    switch (ri->opc2) {
    case 2:
        return TRBBASER_BASE;
    case 3:
        return TRBSR_MSS2 | TRBSR_EC | TRBSR_IRQ | TRBSR_TRG | TRBSR_WRAP |
               TRBSR_S | TRBSR_MSS |
               (env->profexc.has_trbe_exc ? 0 : TRBSR_EA);
    case 4:
        return TRBMAR_MASK;
    case 6:
        return TRBTRG_MASK;
    default:
        return UINT64_MAX;
    }
}

static void trb_write(CPUARMState *env, const ARMCPRegInfo *ri,
                      uint64_t value)
{
    if (!write_ignored(env, ri)) {
        raw_write(env, ri, value & writable_bits(env, ri));
        profexc_update(env);
    }
}

static void trblimitr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                            uint64_t value)
{
    ARMTrbeState *t = trbe(env);

    if ((value & TRBLIMITR_E) && write_ignored(env, ri)) {
        return;
    }
    t->limitr = value & (TRBLIMITR_LIMIT | TRBLIMITR_NVM | TRBLIMITR_TM |
                         TRBLIMITR_FM | TRBLIMITR_E);
    if (!(value & TRBLIMITR_E)) {
        /* R_HNTLG: what was not flushed is lost. */
        t->fifo_used = 0;
    }
    profexc_update(env);
}

static uint64_t trbidr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    TrbeOwner o = trbe_owner(env);
    int el = arm_current_el(env);
    uint64_t idr = env->profexc.trbe_align | TRBIDR_F;

    if (env->profexc.has_trbe_exc) {
        idr |= TRBIDR_EA_IGNORED << TRBIDR_EA_SHIFT;
    }
    if (o.el > el || (el != 3 && o.space != arm_security_space(env))) {
        idr |= TRBIDR_P;
    }
    return idr;
}

/* Which of the registers the name TRBSR_EL1 means */
static uint64_t *trbsr_el1(CPUARMState *env)
{
    bool is_el2 = arm_current_el(env) == 2 && el2_is_host(env) &&
                  effective_el2_ee(env);

    return &trbe(env)->sr[is_el2 ? 2 : 1];
}

static uint64_t trbsr_el1_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return *trbsr_el1(env);
}

static void trbsr_el1_write(CPUARMState *env, const ARMCPRegInfo *ri,
                            uint64_t value)
{
    if (!write_ignored(env, ri)) {
        *trbsr_el1(env) = value & writable_bits(env, ri);
        profexc_update(env);
    }
}

static uint64_t *trfcr_el1(CPUARMState *env)
{
    bool is_el2 = arm_current_el(env) == 2 && el2_is_host(env);

    return &trbe(env)->trfcr[is_el2 ? 2 : 1];
}

static uint64_t trfcr_bits(CPUARMState *env, bool el2)
{
    uint64_t bits = TRFCR_E0TRE | TRFCR_ExTRE | TRFCR_TS;

    if (el2) {
        bits |= TRFCR_CX;
    }
    if (env->profexc.has_trbe_exc) {
        bits |= TRFCR_EE | TRFCR_KE | TRFCR_DnVM;
    }
    return bits;
}

static uint64_t trfcr_el1_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return *trfcr_el1(env);
}

static void trfcr_el1_write(CPUARMState *env, const ARMCPRegInfo *ri,
                            uint64_t value)
{
    uint64_t *reg = trfcr_el1(env);

    *reg = value & trfcr_bits(env, reg == &trbe(env)->trfcr[2]);
    profexc_update(env);
}

static void trfcr_write(CPUARMState *env, const ARMCPRegInfo *ri,
                        uint64_t value)
{
    raw_write(env, ri, value & trfcr_bits(env, ri->opc1 == 4));
    profexc_update(env);
}

static void trbinj_write(CPUARMState *env, const ARMCPRegInfo *ri,
                         uint64_t value)
{
    trbe(env)->inject = value;
}

#define FGT_TRB(REG)    (FGT_HDFGRTR | R_HDFGRTR_EL2_##REG##_EL1_SHIFT)

#define TRB_REG(NAME, OPC1, OPC2, FIELD, ...)                                \
    { .name = NAME, .state = ARM_CP_STATE_AA64,                              \
      .opc0 = 3, .opc1 = OPC1, .crn = 9, .crm = 11, .opc2 = OPC2,            \
      .fieldoffset = offsetof(CPUARMState, profexc.trbe.FIELD),              \
      .raw_writefn = raw_write, __VA_ARGS__ }

static const ARMCPRegInfo trbe_reginfo[] = {
    TRB_REG("TRBLIMITR_EL1", 0, 0, limitr, .access = PL1_RW,
            .accessfn = access_trb, .writefn = trblimitr_write,
            .fgt = FGT_TRB(TRBLIMITR)),
    TRB_REG("TRBPTR_EL1", 0, 1, ptr, .access = PL1_RW,
            .accessfn = access_trb, .writefn = trb_write,
            .fgt = FGT_TRB(TRBPTR)),
    TRB_REG("TRBBASER_EL1", 0, 2, baser, .access = PL1_RW,
            .accessfn = access_trb, .writefn = trb_write,
            .fgt = FGT_TRB(TRBBASER)),
    TRB_REG("TRBSR_EL1", 0, 3, sr[1], .access = PL1_RW,
            .accessfn = access_trb, .readfn = trbsr_el1_read,
            .raw_readfn = field_read, .writefn = trbsr_el1_write,
            .fgt = FGT_TRB(TRBSR)),
    TRB_REG("TRBMAR_EL1", 0, 4, mar, .access = PL1_RW,
            .accessfn = access_trb, .writefn = trb_write,
            .fgt = FGT_TRB(TRBMAR)),
    TRB_REG("TRBTRG_EL1", 0, 6, trg, .access = PL1_RW,
            .accessfn = access_trb, .writefn = trb_write,
            .fgt = FGT_TRB(TRBTRG)),
    { .name = "TRBIDR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 11, .opc2 = 7,
      .access = PL1_R, .type = ARM_CP_NO_RAW, .readfn = trbidr_read,
      .fgt = FGT_TRB(TRBIDR) },
};

static const ARMCPRegInfo trf_reginfo[] = {
    { .name = "TRFCR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 1, .crm = 2, .opc2 = 1,
      .access = PL1_RW, .accessfn = access_trfcr,
      .fgt = FGT_HDFGWTR | R_HDFGWTR_EL2_TRFCR_EL1_SHIFT,
      .nv2_redirect_offset = 0x880 | NV2_REDIR_NV1,
      .fieldoffset = offsetof(CPUARMState, profexc.trbe.trfcr[1]),
      .readfn = trfcr_el1_read, .raw_readfn = field_read,
      .writefn = trfcr_el1_write, .raw_writefn = raw_write },
};

static const ARMCPRegInfo trf_el2_reginfo[] = {
    { .name = "TRFCR_EL2", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 4, .crn = 1, .crm = 2, .opc2 = 1,
      .access = PL2_RW, .accessfn = access_trfcr,
      .fieldoffset = offsetof(CPUARMState, profexc.trbe.trfcr[2]),
      .writefn = trfcr_write, .raw_writefn = raw_write },
};

static const ARMCPRegInfo trf_vhe_reginfo[] = {
    { .name = "TRFCR_EL12", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 5, .crn = 1, .crm = 2, .opc2 = 1,
      .access = PL2_RW, .accessfn = access_trfcr_el12, .type = ARM_CP_ALIAS,
      .nv2_redirect_offset = 0x880 | NV2_REDIR_NO_NV1,
      .fieldoffset = offsetof(CPUARMState, profexc.trbe.trfcr[1]),
      .writefn = trfcr_write, .raw_writefn = raw_write },
};

static const ARMCPRegInfo trbe_exc_el2_reginfo[] = {
    TRB_REG("TRBSR_EL2", 4, 3, sr[2], .access = PL2_RW,
            .accessfn = access_trbsr_el2, .writefn = trb_write),
};

static const ARMCPRegInfo trbe_exc_vhe_reginfo[] = {
    TRB_REG("TRBSR_EL12", 5, 3, sr[1], .access = PL2_RW,
            .accessfn = access_trbsr_el12, .type = ARM_CP_ALIAS,
            .writefn = trb_write),
};

static const ARMCPRegInfo trbe_exc_el3_reginfo[] = {
    TRB_REG("TRBSR_EL3", 6, 3, sr[3], .access = PL3_RW,
            .writefn = trb_write),
};

static const ARMCPRegInfo trbinj_reginfo[] = {
    { .name = "TRBINJ_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 15, .crm = 12, .opc2 = 0,
      .access = PL1_RW,
      .fieldoffset = offsetof(CPUARMState, profexc.trbe.inject),
      .writefn = trbinj_write, .raw_writefn = raw_write },
};

/*
 * Set-up
 */

void trbe_realize(ARMCPU *cpu, Error **errp)
{
    CPUARMState *env = &cpu->env;
    ARMISARegisters *isar = &cpu->isar;
    bool el2 = arm_feature(env, ARM_FEATURE_EL2);
    bool el3 = arm_feature(env, ARM_FEATURE_EL3);
    bool exc = env->profexc.has_trbe_exc;

    if (env->profexc.trbe_align > 11) {
        error_setg(errp, "trbe-align=%u: TRBIDR_EL1.Align is at most 11",
                   env->profexc.trbe_align);
        return;
    }
    isar->id_aa64dfr0 = FIELD_DP64(isar->id_aa64dfr0, ID_AA64DFR0,
                                   TRACEBUFFER, exc ? 2 : 1);
    isar->id_aa64dfr0 = FIELD_DP64(isar->id_aa64dfr0, ID_AA64DFR0,
                                   TRACEFILT, 1);
    define_arm_cp_regs(cpu, trbe_reginfo);
    define_arm_cp_regs(cpu, trf_reginfo);
    if (el2) {
        define_arm_cp_regs(cpu, trf_el2_reginfo);
    }
    if (el2 && cpu_isar_feature(aa64_vh, cpu)) {
        define_arm_cp_regs(cpu, trf_vhe_reginfo);
    }
    if (exc) {
        env->profexc.id_aa64dfr2 = deposit64(0, 24, 4, 1);
        if (el2) {
            define_arm_cp_regs(cpu, trbe_exc_el2_reginfo);
        }
        if (el2 && cpu_isar_feature(aa64_vh, cpu)) {
            define_arm_cp_regs(cpu, trbe_exc_vhe_reginfo);
        }
        if (el3) {
            define_arm_cp_regs(cpu, trbe_exc_el3_reginfo);
        }
    }
    if (env->profexc.trbe_inject_register) {
        define_arm_cp_regs(cpu, trbinj_reginfo);
    }
}

void trbe_reset(CPUARMState *env)
{
    trbe(env)->fifo_used = 0;
    trbe(env)->inject_count = 0;
}

void trbe_emulate_firmware_reset(CPUARMState *env)
{
    if (!env->profexc.has_trbe) {
        return;
    }
    if (arm_feature(env, ARM_FEATURE_EL3)) {
        env->cp15.mdcr_el3 |= 3ULL << MDCR_EL3_NSTB_SHIFT;
        if (env->profexc.has_trbe_exc) {
            env->cp15.mdcr_el3 |= (uint64_t)env->profexc.trbe_exc_delegated <<
                                  MDCR_EL3_TRBEE_SHIFT;
        }
    }
    if (arm_feature(env, ARM_FEATURE_EL2)) {
        env->cp15.mdcr_el2 |= 3ULL << MDCR_EL2_E2TB_SHIFT;
        if (env->profexc.has_trbe_exc) {
            trbe(env)->trfcr[2] |= 1ULL << TRFCR_EE_SHIFT;
        }
    }
}
