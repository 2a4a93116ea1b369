/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm PC-sample blocks: registers of the external debug block (FEAT_PCSRv8)
 *
 * DDI 0487 issue M.a.a, H9.2 (registers), H8.6 (access permissions), J1.3 (EDPCSRlo[]). There is
 * what profiling needs: the sample registers, EDSCR.SC2, the OS Lock, the power request and status,
 * and identification. All registers are words; all else is RES0.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/log.h"
#include "arm_pcsample_internal.h"
#include "target/arm/cpu-features.h"
#include "target/arm/internals.h"

#define OSLAR               0x300
#define EDPRCR              0x310
#define EDDEVAFF0           0xFA8
#define EDDEVAFF1           0xFAC
#define EDAUTHSTATUS        0xFB8       /* DBGAUTHSTATUS_EL1 */
#define EDDEVARCH           0xFBC
#define EDDEVTYPE           0xFCC
#define EDPIDR4             0xFD0
#define EDCIDR3             0xFFC

/* EDSCR in Non-debug state: STATUS, and RW, which is RAO */
#define EDSCR_NON_DEBUG     (2 | 0xF << 10)

#define EDPRSR_SPD          BIT_ULL(1)
#define EDPRSR_SR           BIT_ULL(3)
#define EDPRSR_EDAD         BIT_ULL(7)
#define EDPRSR_EPMAD        BIT_ULL(9)

/*
 * Sample registers
 */

/* EDSCR.SC2 is there with EL2 and FEAT_Debugv8p1, which comes with FEAT_VHE */
static bool has_sc2(const ARMPCSampleBlock *b)
{
    return arm_feature(&b->cpu->env, ARM_FEATURE_EL2) && cpu_isar_feature(aa64_vh, b->cpu);
}

/* Fields that are RES0 are never UNKNOWN. Without EDVIDSR.HV there is no high word: H9.2. */
static void latch_unknown(ARMPCSampleBlock *b)
{
    uint32_t unknown = b->board->unknown;
    uint64_t vid = EDVIDSR_NS | EDVIDSR_HV;

    if (arm_feature(&b->cpu->env, ARM_FEATURE_EL2)) {
        vid |= EDVIDSR_E2 | (arm_pcsample_have_vmid16(b) ? EDVIDSR_VMID : 0xFF);
    }
    if (arm_feature(&b->cpu->env, ARM_FEATURE_EL3)) {
        vid |= EDVIDSR_E3;
    }
    b->vid = unknown & vid;
    if (b->sc2) {
        b->pc_hi = unknown & (EDPCSR_HI_NS | EDPCSR_HI_EL | EDPCSR_HI_PC);
    } else {
        b->pc_hi = b->vid & EDVIDSR_HV ? unknown : 0;
    }
    b->cid1 = unknown;
    b->cid2 = unknown;
}

/* EDSCR.SC2 = 1: EDPCSR has the Exception level, and EDVIDSR is CONTEXTIDR_EL2 */
static void latch_with_el(ARMPCSampleBlock *b, const ARMPCSample *p)
{
    b->pc_hi = FIELD_PREP(EDPCSR_HI_EL, p->el);
    if (p->rw) {
        b->pc_hi |= (p->pc >> 32) & EDPCSR_HI_PC;
    }
    if (p->ss & ARMSS_NonSecure) {
        b->pc_hi |= EDPCSR_HI_NS;
    }
    b->cid2 = p->contextidr_el2_known ? p->contextidr_el2 : b->board->unknown;
}

/* EDSCR.SC2 = 0: EDPCSR is all of the PC, and EDVIDSR says what it can of the state */
static void latch_with_vmid(ARMPCSampleBlock *b, const ARMPCSample *p)
{
    bool nonsecure = p->ss & ARMSS_NonSecure;

    b->pc_hi = p->rw ? p->pc >> 32 : 0;
    b->vid = 0;
    if (p->has_el2 && nonsecure && p->el < 2) {
        b->vid = p->vmid;
    }
    if (nonsecure) {
        b->vid |= EDVIDSR_NS;
    }
    if (p->el == 2) {
        b->vid |= EDVIDSR_E2;
    }
    if (p->el == 3 && p->rw) {
        b->vid |= EDVIDSR_E3;
    }
    if (b->pc_hi) {
        b->vid |= EDVIDSR_HV;
    }
}

/* EDPCSRlo[] */
static uint32_t read_edpcsr_lo(ARMPCSampleBlock *b)
{
    ARMPCSample p;
    ARMPCSampleOutcome outcome = arm_pcsample_take(b, &p);

    if (!b->slk) {
        if (outcome != PCSAMPLE_TAKEN) {
            latch_unknown(b);
        } else {
            b->cid1 = p.contextidr;
            if (b->sc2) {
                latch_with_el(b, &p);
            } else {
                latch_with_vmid(b, &p);
            }
        }
    }
    switch (outcome) {
    case PCSAMPLE_NONE:
        return EDPCSR_LO_NONE;
    case PCSAMPLE_UNKNOWN:
        return b->board->unknown;
    default:
        return p.pc;
    }
}

/* With EDDEVID.PCSample = 1 there is EDPCSR alone, with 2 also EDCIDSR, with 3 also EDVIDSR */
static uint32_t read_sample_reg(ARMPCSampleBlock *b, hwaddr offset)
{
    uint8_t pcsample = b->board->pcsample;

    switch (offset) {
    case EDPCSR_LO:
        return read_edpcsr_lo(b);
    case EDPCSR_HI:
        return b->pc_hi;
    case EDCIDSR:
        return pcsample >= EDDEVID_PCSAMPLE_PC_CID ? b->cid1 : 0;
    case EDVIDSR:
        if (pcsample < EDDEVID_PCSAMPLE_PC_CID_VID) {
            return 0;
        }
        return b->sc2 ? b->cid2 : b->vid;
    default:
        g_assert_not_reached();
    }
}

/*
 * Power and identification
 */

/*
 * A read clears the sticky bits, unless the Software lock is closed or the Core power domain has no
 * power. Then SPD says whether its state is lost, which retention keeps: the first choice of
 * H6.6.2.
 */
static uint32_t read_edprsr(ARMPCSampleBlock *b)
{
    uint64_t mdcr_el3 = b->cpu->env.cp15.mdcr_el3;
    uint32_t r = b->spd || arm_pcsample_core_state_lost(b) ? EDPRSR_SPD : 0;

    if (!arm_pcsample_core_powered(b)) {
        return r;
    }
    r |= EDPRSR_PU | (b->sr ? EDPRSR_SR : 0);
    if (arm_pcsample_os_locked(b)) {
        r |= EDPRSR_OSLK;
    }
    if (arm_pcsample_os_double_locked(b)) {
        r |= EDPRSR_DLK;
    }
    if (arm_pcsample_have_secure_state(b)) {
        r |= extract64(mdcr_el3, 20, 1) ? EDPRSR_EDAD : 0;
        r |= extract64(mdcr_el3, 21, 1) ? EDPRSR_EPMAD : 0;
    }
    if (!b->slk) {
        b->spd = false;
        b->sr = false;
    }
    return r;
}

/*
 * CORENPDRQ is in the Core power domain: without power, under the OS Lock and under the OS Double
 * Lock it is UNKNOWN/WI (H9.2, EDPRCR). Here it reads as 0 then.
 */
static uint64_t edprcr_ignored(const ARMPCSampleBlock *b)
{
    return arm_pcsample_core_error(b) ? EDPRCR_CORENPDRQ : 0;
}

static uint64_t read_edprcr(const ARMPCSampleBlock *b)
{
    return b->edprcr & ~edprcr_ignored(b);
}

/*
 * COREPURQ is in the Debug power domain, and powers a PE in CPU_SUSPEND. If the PE's state was
 * lost, that is a Cold reset, which copies COREPURQ to CORENPDRQ.
 */
static void write_edprcr(ARMPCSampleBlock *b, uint32_t value)
{
    bool lost = arm_pcsample_core_state_lost(b);
    uint64_t ignored = edprcr_ignored(b);

    value &= EDPRCR_COREPURQ | EDPRCR_CORENPDRQ;
    b->edprcr = (value & ~ignored) | (b->edprcr & ignored);
    if (lost && !arm_pcsample_core_state_lost(b)) {
        arm_pcsample_resumes(b);
    }
}

static void debug_cold_reset(ARMPCSampleBlock *b)
{
    b->sc2 = false;
    latch_unknown(b);
    b->spd = true;
    b->sr = true;
    b->edprcr &= EDPRCR_COREPURQ;
    if (b->edprcr) {
        b->edprcr |= EDPRCR_CORENPDRQ;
    }
}

static uint32_t eddevarch(const ARMPCSampleBlock *b)
{
    uint32_t r = 0x23B << 21 | (has_sc2(b) ? 7 : 6) << 12 | 0xA15;

    return arm_pcsample_has_fault(b, FAULT_DEVARCH) ? r : r | BIT(20);
}

static uint32_t read_management_reg(const ARMPCSampleBlock *b, hwaddr offset)
{
    bool none = arm_pcsample_has_fault(b, FAULT_DEVID);

    switch (offset) {
    case EDDEVAFF0:
        return arm_pcsample_devaff(b);
    case EDDEVAFF1:
        return arm_pcsample_devaff(b) >> 32;
    case EDLSR:
        return arm_pcsample_lsr(b);
    case EDAUTHSTATUS:
        return arm_pcsample_authstatus(b, true);
    case EDDEVARCH:
        return eddevarch(b);
    case EDDEVID1:
        return none ? 0 : b->board->pcsroffset;
    case EDDEVID:
        return none ? 0 : b->board->pcsample;
    case EDDEVTYPE:
        return arm_pcsample_has_fault(b, FAULT_DEVTYPE) ? 0x14 : 0x15;
    case EDPIDR4 ... EDCIDR3:
        return arm_pcsample_component_id(b, offset);
    default:
        return 0;
    }
}

/*
 * Accesses
 */

static bool is_sample_reg(hwaddr offset)
{
    return offset >= EDPCSR_LO && offset <= EDPCSR_HI;
}

/* H8.6: which registers answer though the PE is off, or its OS Lock is set */
static const char *debug_access_error(const ARMPCSampleBlock *b, hwaddr offset, unsigned size,
                                      MemTxAttrs attrs)
{
    const char *why;

    if (size != 4) {
        return "not a word";
    }
    if (offset >= 0xF00 || offset == EDPRCR || offset == EDPRSR) {
        return NULL;
    }
    why = arm_pcsample_core_error(b);
    if (why && offset == OSLAR && arm_pcsample_core_powered(b) &&
        !arm_pcsample_os_double_locked(b)) {
        return NULL;
    }
    if (!why && is_sample_reg(offset) && arm_pcsample_has_fault(b, FAULT_ERROR)) {
        return "sample register (fault)";
    }
    return why;
}

static uint64_t debug_read(ARMPCSampleBlock *b, hwaddr offset, unsigned size)
{
    if (offset >= 0xF00) {
        return read_management_reg(b, offset);
    }
    if (is_sample_reg(offset)) {
        return read_sample_reg(b, offset);
    }
    switch (offset) {
    case EDSCR:
        return EDSCR_NON_DEBUG | (b->sc2 ? EDSCR_SC2 : 0);
    case EDPRCR:
        return read_edprcr(b);
    case EDPRSR:
        return read_edprsr(b);
    default:
        return 0;
    }
}

static void debug_write(ARMPCSampleBlock *b, hwaddr offset, uint64_t data, unsigned size)
{
    CPUARMState *env = &b->cpu->env;

    if (offset == EDLAR) {
        arm_pcsample_write_lar(b, data);
        return;
    }
    if (b->slk) {
        return;                     /* H8.4: the lock makes all but EDLAR read-only */
    }
    switch (offset) {
    case EDSCR:
        b->sc2 = has_sc2(b) && (data & EDSCR_SC2);
        break;
    case OSLAR:
        env->cp15.oslsr_el1 = deposit64(env->cp15.oslsr_el1, 1, 1, data & 1);
        break;
    case EDPRCR:
        write_edprcr(b, data);
        break;
    default:
        qemu_log_mask(LOG_GUEST_ERROR, "arm-pcsample: write of read-only or reserved register "
                      "at 0x%03" HWADDR_PRIx "\n", offset);
    }
}

const ARMPCSampleSet arm_pcsample_debug = {
    .access_error = debug_access_error,
    .read = debug_read,
    .write = debug_write,
    .cold_reset = debug_cold_reset,
};
