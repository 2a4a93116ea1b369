/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm PC-sample blocks: registers of the external PMU block (FEAT_PCSRv8p2, FEAT_PCSRv8p9,
 * FEAT_PMUv3_SS), in the 32-bit view (EXT32) and the 64-bit view (EXT64), and of the frame that a
 * PE without a PMU has for PC sampling alone (H7.1.2, Table H7-1).
 *
 * Of the 64-bit view there are the sample registers, PMPCSCTL, the counters and their snapshot,
 * PMCFGR and the management registers; all else is RES0.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/log.h"
#include "arm_pcsample_internal.h"
#include <arch-model/pmss-regs.h>
#include "target/arm/cpregs.h"
#include "target/arm/cpu-features.h"
#include "target/arm/internals.h"
#include "target/arm/pmuss.h"

static bool has_pmu(const ARMPCSampleBlock *b)
{
    return b->board->pmu && arm_feature(&b->cpu->env, ARM_FEATURE_PMU);
}

/* FEAT_PMUv3_SS */
static bool has_snapshots(const ARMPCSampleBlock *b)
{
    return has_pmu(b) && b->cpu->env.profexc.has_pmu_ss;
}

/*
 * Sample registers
 */

static bool has_pmpcsctl(const ARMPCSampleBlock *b)
{
    return b->board->v8p9;
}

/* Without FEAT_VMID16 the upper half of a VMID is RES0, and never UNKNOWN: I5.3 */
static uint32_t unknown_vmid(const ARMPCSampleBlock *b)
{
    return b->board->unknown & (arm_pcsample_have_vmid16(b) ? PMVIDSR_VMID : 0xFF);
}

static void latch_unknown(ARMPCSampleBlock *b)
{
    uint64_t known = PMPCSR_NS | PMPCSR_EL | PMPCSR_PC;

    if (arm_pcsample_have_rme(b)) {
        known |= PMPCSR_NSE;
    }
    b->pc_lo = b->board->unknown;
    b->pc_hi = b->board->unknown & (known >> 32);
    b->cid1 = b->board->unknown;
    b->cid2 = b->board->unknown;
    b->vid = unknown_vmid(b);
}

static void latch_sample(ARMPCSampleBlock *b, const ARMPCSample *p)
{
    uint64_t hi = FIELD_PREP(PMPCSR_EL, p->el);

    if (p->rw) {
        hi |= p->pc & PMPCSR_PC;
    }
    if (p->ss & ARMSS_NonSecure) {
        hi |= PMPCSR_NS;            /* Realm is {NSE,NS} = 0b11 */
    }
    if (arm_pcsample_have_rme(b) && (p->ss & ARMSS_Root)) {
        hi |= PMPCSR_NSE;
    }
    b->pc_lo = p->pc;
    b->pc_hi = hi >> 32;
    b->cid1 = p->contextidr;
    b->cid2 = p->contextidr_el2_known ? p->contextidr_el2 : b->board->unknown;
    if (p->has_el2 && p->el < 2 && !p->el0h) {
        b->vid = p->vmid;
    } else {
        b->vid = unknown_vmid(b);
    }
}

/*
 * Read of PMPCSR[31:0]. If the Software lock is closed, the text of I5.3 and
 * the older pseudocode return a sample and change nothing else. Read_PMPCSR()
 * of issue M.a.a returns the word of the last unlocked read. The text is
 * followed.
 */
static uint32_t read_pmpcsr_lo(ARMPCSampleBlock *b)
{
    ARMPCSampleOutcome outcome;
    ARMPCSample p;
    uint32_t lo;

    if (b->on_capture) {
        return b->pc_lo;            /* H7.1.1.1: sampling on reads is disabled */
    }
    outcome = arm_pcsample_take(b, &p);
    switch (outcome) {
    case PCSAMPLE_NONE:
        lo = PMPCSR_LO_NONE;
        break;
    case PCSAMPLE_UNKNOWN:
        lo = b->board->unknown;
        break;
    default:
        lo = p.pc;
    }
    if (!b->slk) {
        if (outcome == PCSAMPLE_TAKEN) {
            latch_sample(b, &p);
        } else {
            latch_unknown(b);
        }
        b->pc_lo = lo;
    }
    return lo;
}

/* A Capture event with PMPCSCTL.SS = 1: without a sample the other registers stay (D13.9) */
static void capture(ARMPCSampleBlock *b)
{
    ARMPCSampleOutcome outcome;
    ARMPCSample p;

    if (!b->on_capture) {
        return;
    }
    outcome = arm_pcsample_take(b, &p);
    if (b->first_capture && b->board->first_read_none) {
        outcome = PCSAMPLE_NONE;
    }
    b->first_capture = false;
    switch (outcome) {
    case PCSAMPLE_NONE:
        b->pc_lo = PMPCSR_LO_NONE;
        break;
    case PCSAMPLE_UNKNOWN:
        latch_unknown(b);
        break;
    default:
        latch_sample(b, &p);
    }
}

/* A Capture event is of the PE: with node-fault=two-blocks both of its blocks take a sample */
static void pe_captured(void *opaque)
{
    const ARMPCSampleBlock *b = opaque;
    const ARMPCSampleState *s = b->board;

    for (unsigned i = 0; i < s->num_blocks; i++) {
        if (s->blocks[i]->cpu == b->cpu) {
            capture(s->blocks[i]);
        }
    }
}

static void pmu_watch(ARMPCSampleBlock *b)
{
    ARMPMUSnapshot *ss = &b->cpu->env.profexc.ss;

    if (has_snapshots(b) && has_pmpcsctl(b)) {
        ss->captured = pe_captured;
        ss->opaque = b;
    }
}

static uint32_t read_sample_reg(ARMPCSampleBlock *b, hwaddr offset)
{
    switch (offset) {
    case PMPCSR_LO:
    case PMPCSR_ALIAS_LO:
        return read_pmpcsr_lo(b);
    case PMPCSR_HI:
    case PMPCSR_ALIAS_HI:
        return b->pc_hi;
    case PMCID1SR:
    case PMCID1SR_ALIAS:
        return b->cid1;
    case PMVIDSR:
        return arm_feature(&b->cpu->env, ARM_FEATURE_EL2) ? b->vid : 0;
    case PMCID2SR:
        return b->cid2;
    default:
        return 0;
    }
}

/*
 * PMPCSCTL
 */

static uint32_t read_pmpcsctl(const ARMPCSampleBlock *b)
{
    uint32_t r = b->on_capture ? PMPCSCTL_SS : 0;

    if (has_pmpcsctl(b) && b->board->imp) {
        r |= PMPCSCTL_IMP | (b->active ? PMPCSCTL_EN : 0);
    }
    return r;
}

/*
 * EN = 0 suspends, and EN = 1 ends a suspension as a read does: what is sampled before the PE
 * retires a branch is UNKNOWN. So it is after SS = 1, which makes sampling active whatever EN is;
 * where EN cannot be written sampling then stays active.
 */
static void write_pmpcsctl(ARMPCSampleBlock *b, uint32_t value)
{
    bool was_active = b->active || b->on_capture;
    bool captures = has_snapshots(b) && (value & PMPCSCTL_SS);
    bool starts_to_capture = captures && !b->on_capture;
    ARMPCSample p;

    if (!has_pmpcsctl(b)) {
        return;
    }
    b->active = b->board->imp ? value & PMPCSCTL_EN : was_active || captures;
    b->on_capture = captures;
    b->first_capture = starts_to_capture || (captures && b->first_capture);
    if ((starts_to_capture || (b->active && !was_active)) && arm_pcsample_create(b, &p)) {
        arm_pcsample_restarts(b, p.pc);
    }
}

/*
 * Identification
 */

static uint32_t pmdevarch(const ARMPCSampleBlock *b)
{
    uint32_t r = FIELD_PREP(PMDEVARCH_ARCHITECT, PMDEVARCH_ARCHITECT_ARM);
    bool wide = b->board->ext64;

    if (has_pmu(b)) {
        r |= FIELD_PREP(PMDEVARCH_ARCHVER, 2) |
             FIELD_PREP(PMDEVARCH_ARCHPART,
                        wide ? PMDEVARCH_ARCHPART_PMU64 : PMDEVARCH_ARCHPART_PMU32);
    } else {
        r |= FIELD_PREP(PMDEVARCH_ARCHPART,
                        wide ? PMDEVARCH_ARCHPART_PCS64 : PMDEVARCH_ARCHPART_PCS32);
    }
    return arm_pcsample_has_fault(b, FAULT_DEVARCH) ? r : r | PMDEVARCH_PRESENT;
}

static uint32_t pmdevid(const ARMPCSampleBlock *b)
{
    if (arm_pcsample_has_fault(b, FAULT_DEVID)) {
        return PMDEVID_PCSAMPLE_NONE;
    }
    return has_pmpcsctl(b) ? PMDEVID_PCSAMPLE_V8P9 : PMDEVID_PCSAMPLE_V8P2;
}

static uint32_t pmdevtype(const ARMPCSampleBlock *b)
{
    if (arm_pcsample_has_fault(b, FAULT_DEVTYPE)) {
        return 0x14;
    }
    return FIELD_PREP(PMDEVTYPE_SUB, 1) | FIELD_PREP(PMDEVTYPE_MAJOR, has_pmu(b) ? 6 : 0);
}

static uint32_t read_management_reg(const ARMPCSampleBlock *b, hwaddr offset)
{
    switch (offset) {
    case PMDEVAFF0:
        return arm_pcsample_devaff(b);
    case PMDEVAFF1:
        return arm_pcsample_devaff(b) >> 32;
    case PMLSR:
        return arm_pcsample_lsr(b);
    case PMAUTHSTATUS:
        return arm_pcsample_authstatus(b, false);
    case PMDEVARCH:
        return pmdevarch(b);
    case PMDEVID:
        return FIELD_PREP(PMDEVID_PCSAMPLE, pmdevid(b)) |
               FIELD_PREP(PMDEVID_PMSS, has_snapshots(b) ? PMDEVID_PMSS_V3 : 0);
    case PMDEVTYPE:
        return pmdevtype(b);
    case PMPIDR4 ... PMCIDR3:
        return arm_pcsample_component_id(b, offset);
    default:
        return 0;                   /* reserved management registers are RES0: K5.4 */
    }
}

/*
 * PMU: the external view of the vCPU's own counters
 *
 * All PMU system registers of QEMU are ARM_CP_IO, so that the PE too accesses them with the BQL.
 */

#define PMEVCNTR(n)         (8 * (n))
#define PMCCNTR             0x0F8
#define PMEVTYPER(n)        (0x400 + 4 * (n))
#define PMCCFILTR_OFFSET    0x47C
#define PMCNTENCLR          0xC20
#define PMINTENCLR          0xC60
#define PMOVSCLR            0xC80
#define PMCR                0xE04

/* What an external view shows of PMCR_EL0: bits [31:11] are RAZ/WI (I5.3) */
#define PMCR_EXTERNAL       0x7FF

#define SYSREG(crn, op1, crm, op2) \
    ENCODE_AA64_CP_REG(CP_REG_ARM64_SYSREG_CP, crn, crm, 3, op1, op2)

/* Words of the map of Table I5-2 that are (half of) one system register */
static const struct {
    uint16_t offset;
    bool high;
    uint32_t key;
} pmu_words[] = {
    { 0x0F8, false, SYSREG(9, 3, 13, 0) },      /* PMCCNTR_EL0 */
    { 0x0FC, true, SYSREG(9, 3, 13, 0) },
    { 0x47C, false, SYSREG(14, 3, 15, 7) },     /* PMCCFILTR_EL0 */
    { 0xC00, false, SYSREG(9, 3, 12, 1) },      /* PMCNTENSET_EL0 */
    { 0xC20, false, SYSREG(9, 3, 12, 2) },      /* PMCNTENCLR_EL0 */
    { 0xC40, false, SYSREG(9, 0, 14, 1) },      /* PMINTENSET_EL1 */
    { 0xC60, false, SYSREG(9, 0, 14, 2) },      /* PMINTENCLR_EL1 */
    { 0xC80, false, SYSREG(9, 3, 12, 3) },      /* PMOVSCLR_EL0 */
    { 0xCA0, false, SYSREG(9, 3, 12, 4) },      /* PMSWINC_EL0 */
    { 0xCC0, false, SYSREG(9, 3, 14, 3) },      /* PMOVSSET_EL0 */
    { 0xE04, false, SYSREG(9, 3, 12, 0) },      /* PMCR_EL0 */
    { 0xE20, false, SYSREG(9, 3, 12, 6) },      /* PMCEID0 */
    { 0xE24, false, SYSREG(9, 3, 12, 7) },      /* PMCEID1 */
    { 0xE28, true, SYSREG(9, 3, 12, 6) },       /* PMCEID2 */
    { 0xE2C, true, SYSREG(9, 3, 12, 7) },       /* PMCEID3 */
    { 0xE40, false, SYSREG(9, 0, 14, 6) },      /* PMMIR */
};

/*
 * System register behind a word of the map. @high is set if the word is its upper half. Returns
 * NULL for a word that has none: reserved, or a counter that does not exist.
 */
static const ARMCPRegInfo *pmu_sysreg(const ARMPCSampleBlock *b, hwaddr offset, bool *high)
{
    GHashTable *regs = b->cpu->cp_regs;
    unsigned i, n;

    if (offset < 0x0F8) {                       /* PMEVCNTR<n>_EL0 */
        n = offset / 8;
        *high = offset & 4;
        return get_arm_cp_reginfo(regs, SYSREG(14, 3, 8 + n / 8, n % 8));
    }
    if (offset >= 0x400 && offset < 0x47C) {    /* PMEVTYPER<n>_EL0 */
        n = (offset - 0x400) / 4;
        *high = false;
        return get_arm_cp_reginfo(regs, SYSREG(14, 3, 12 + n / 8, n % 8));
    }
    for (i = 0; i < ARRAY_SIZE(pmu_words); i++) {
        if (pmu_words[i].offset == offset) {
            *high = pmu_words[i].high;
            return get_arm_cp_reginfo(regs, pmu_words[i].key);
        }
    }
    return NULL;
}

static uint64_t read_pmu_sysreg(CPUARMState *env, const ARMCPRegInfo *ri)
{
    if (!(ri->access & PL3_R)) {
        return 0;                   /* PMSWINC_EL0 is write-only */
    }
    return ri->readfn ? ri->readfn(env, ri) : read_raw_cp_reg(env, ri);
}

static void write_pmu_sysreg(CPUARMState *env, const ARMCPRegInfo *ri, uint64_t value)
{
    if ((ri->access & PL3_W) && !(ri->type & ARM_CP_CONST) && ri->writefn) {
        ri->writefn(env, ri, value);
    }
}

/* All of the register behind a word. In the 64-bit view a counter is single-copy atomic: I3.1.1. */
static uint64_t read_pmu_sysreg_at(const ARMPCSampleBlock *b, hwaddr offset)
{
    bool high;
    const ARMCPRegInfo *ri = pmu_sysreg(b, offset, &high);

    return ri ? read_pmu_sysreg(&b->cpu->env, ri) : 0;
}

static void write_pmu_sysreg_at(const ARMPCSampleBlock *b, hwaddr offset, uint64_t value)
{
    bool high;
    const ARMCPRegInfo *ri = pmu_sysreg(b, offset, &high);

    if (ri) {
        write_pmu_sysreg(&b->cpu->env, ri, value);
    }
}

/*
 * Cold reset of the PE's PMU: nothing is enabled, and all else is UNKNOWN. MDCR_EL2 and MDCR_EL3
 * stay as their Exception levels have set them.
 */
void arm_pcsample_reset_pmu(const ARMPCSampleBlock *b)
{
    CPUARMState *env = &b->cpu->env;

    if (!arm_feature(env, ARM_FEATURE_PMU)) {
        return;
    }
    write_pmu_sysreg_at(b, PMCR, 0);
    write_pmu_sysreg_at(b, PMCNTENCLR, UINT32_MAX);
    write_pmu_sysreg_at(b, PMINTENCLR, UINT32_MAX);
    write_pmu_sysreg_at(b, PMOVSCLR, UINT32_MAX);
    write_pmu_sysreg_at(b, PMCCNTR, b->board->unknown);
    write_pmu_sysreg_at(b, PMCCFILTR_OFFSET, b->board->unknown);
    for (unsigned n = 0; n < pmu_num_counters(env); n++) {
        write_pmu_sysreg_at(b, PMEVCNTR(n), b->board->unknown);
        write_pmu_sysreg_at(b, PMEVTYPER(n), b->board->unknown);
    }
    if (env->profexc.has_pmu_ss) {
        pmuss_reset(env);
    }
}

static uint32_t pmcfgr(const ARMPCSampleBlock *b)
{
    bool aa32 = cpu_isar_feature(aa64_aa32, b->cpu);

    /* EX = 1, CC = 1, SIZE = 64 bits; CCD (cycle counter prescaler) is RES1 with AArch32 */
    return (has_snapshots(b) ? BIT(22) : 0) |
           BIT(16) | (aa32 ? BIT(15) : 0) | BIT(14) | (0x3F << 8) |
           pmu_num_counters(&b->cpu->env);
}

/*
 * PMU snapshots
 */

static bool is_saved_value(hwaddr offset)
{
    return offset >= PMEVCNTSVR(0) && offset < PMICNTSVR;
}

static bool is_snapshot_reg(const ARMPCSampleBlock *b, hwaddr offset)
{
    return has_snapshots(b) && (is_saved_value(offset) || (offset & ~7) == PMSSCR);
}

static uint64_t snapshot_reg(const ARMPCSampleBlock *b, hwaddr offset)
{
    CPUARMState *env = &b->cpu->env;

    if (is_saved_value(offset)) {
        return env->profexc.ss.value[(offset - PMEVCNTSVR(0)) / 8];
    }
    return pmuss_read_pmsscr(env) |
           (arm_pcsample_has_fault(b, FAULT_CAPTURE) ? PMSSCR_SS : 0);
}

/*
 * IMPLEMENTATION DEFINED snapshots, as the Technical Reference Manuals of Cortex-A55 to A78 and of
 * Neoverse cores of their time have them (Arm 100442, 100798, 101779): words at 0x600 to 0x6F0, at
 * the place of FEAT_PMUv3_SS's registers and unlike them. PMSSSR is about the counters, and nothing
 * says whether there is a PC.
 */
static bool is_impdef_reg(const ARMPCSampleBlock *b, hwaddr offset)
{
    return b->board->impdef_snapshots && has_pmu(b) &&
           offset >= PMPCSSR_LO && offset <= PMSSCR_IMPDEF;
}

static void impdef_capture(ARMPCSampleBlock *b)
{
    CPUARMState *env = &b->cpu->env;
    ARMPCSampleOutcome outcome;
    ARMPCSample p;
    unsigned n;

    pmu_op_start(env);
    for (n = 0; n < pmu_num_counters(env); n++) {
        b->impdef.evcnt[n] = env->cp15.c14_pmevcntr[n];
    }
    b->impdef.ccnt = env->cp15.c15_ccnt;
    pmu_op_finish(env);
    b->impdef.ovs = env->cp15.c9_pmovsr;
    b->impdef.nc = false;

    /* PMPCSSR is what a read of PMPCSR would return, and that leaves a sample as it was */
    outcome = arm_pcsample_take(b, &p);
    if (outcome == PCSAMPLE_TAKEN) {
        uint64_t latched = deposit64(b->pc_lo, 32, 32, b->pc_hi);
        uint32_t cid1 = b->cid1, cid2 = b->cid2, vid = b->vid;

        latch_sample(b, &p);
        b->impdef.pc = deposit64(b->pc_lo, 32, 32, b->pc_hi);
        b->impdef.cid1 = b->cid1;
        b->impdef.cid2 = b->cid2;
        b->pc_lo = latched;
        b->pc_hi = latched >> 32;
        b->cid1 = cid1;
        b->cid2 = cid2;
        b->vid = vid;
    } else {
        b->impdef.pc = PMPCSR_LO_NONE;
    }
}

static void request_impdef(ARMPCSampleBlock *b)
{
    b->impdef.late = b->board->late_capture;
    if (!b->impdef.late) {
        impdef_capture(b);
    }
}

/* PMSSSR. With "late-capture" a capture that was requested comes after some reads. */
static uint32_t read_impdef_status(ARMPCSampleBlock *b)
{
    uint32_t status = b->impdef.nc ? PMSSSR_NC : 0;

    if (b->impdef.late && !--b->impdef.late) {
        impdef_capture(b);
    }
    return status;
}

static uint32_t read_impdef_reg(ARMPCSampleBlock *b, hwaddr offset)
{
    unsigned n = (offset - PMEVCNTSR(0)) / 4;

    switch (offset) {
    case PMPCSSR_LO:
        return b->impdef.pc;
    case PMPCSSR_HI:
        return b->impdef.pc >> 32;
    case PMCIDSSR:
        return b->impdef.cid1;
    case PMCID2SSR:
        return b->impdef.cid2;
    case PMSSSR:
        return read_impdef_status(b);
    case PMOVSSR:
        return b->impdef.ovs;
    case PMCCNTSR_LO:
        return b->impdef.ccnt;
    case PMCCNTSR_HI:
        return b->impdef.ccnt >> 32;
    default:
        return offset >= PMEVCNTSR(0) && n < pmu_num_counters(&b->cpu->env) ?
               b->impdef.evcnt[n] : 0;
    }
}

/* A bus master that says nothing of itself is Non-secure */
static ARMSecuritySpace space_of(MemTxAttrs attrs)
{
    return attrs.unspecified ? ARMSS_NonSecure : attrs.space;
}

/* AllowExternalPMSSAccess(): MDCR_EL3.EPMSSAD, whose values 01 and 10 are reserved without RME */
static bool snapshot_access_disabled(const ARMPCSampleBlock *b, MemTxAttrs attrs)
{
    CPUARMState *env = &b->cpu->env;
    unsigned epmssad = extract64(env->cp15.mdcr_el3, MDCR_EL3_EPMSSAD_SHIFT, 2);
    ARMSecuritySpace space = space_of(attrs);

    if (!arm_feature(env, ARM_FEATURE_EL3) || epmssad == 3) {
        return false;
    }
    if (!arm_pcsample_have_rme(b)) {
        return space != ARMSS_Secure;
    }
    return space != ARMSS_Root && !(epmssad == 1 && space == ARMSS_Realm) &&
           !(epmssad == 2 && space == ARMSS_Secure);
}

/* PMEVCNTR<n>_EL0 and PMCCNTR_EL0, which both views have at the same place */
static bool is_counter(hwaddr offset)
{
    return offset < 0x100;
}

static uint32_t read_pmu_reg(ARMPCSampleBlock *b, hwaddr offset)
{
    const ARMCPRegInfo *ri;
    bool high;
    uint64_t r;

    if (offset == PMCFGR) {
        return pmcfgr(b);
    }
    if (b->board->ext64 && !is_counter(offset)) {
        return 0;
    }
    ri = pmu_sysreg(b, offset, &high);
    if (!ri) {
        return 0;
    }
    r = read_pmu_sysreg(&b->cpu->env, ri);
    if (offset == PMCR) {
        r &= PMCR_EXTERNAL;
    }
    return high ? r >> 32 : r;
}

static void write_pmu_reg(ARMPCSampleBlock *b, hwaddr offset, uint32_t value)
{
    CPUARMState *env = &b->cpu->env;
    bool high;
    const ARMCPRegInfo *ri = pmu_sysreg(b, offset, &high);
    uint64_t v = value;

    if (!ri || offset >= 0xE08 || (b->board->ext64 && !is_counter(offset))) {
        return;
    }
    if (is_counter(offset)) {           /* a counter: the other half stays */
        v = deposit64(read_pmu_sysreg(env, ri), high ? 32 : 0, 32, value);
    }
    write_pmu_sysreg(env, ri, v);
}

/* AllowExternalPMUAccess(): MDCR_EL3.EPMAD, and with FEAT_RME EPMADE, too */
static bool pmu_access_disabled(const ARMPCSampleBlock *b, MemTxAttrs attrs)
{
    uint64_t mdcr_el3 = b->cpu->env.cp15.mdcr_el3;
    bool epmad = extract64(mdcr_el3, 21, 1);
    bool epmade = arm_pcsample_have_rme(b) && extract64(mdcr_el3, 2, 1);

    if (!arm_pcsample_have_secure_state(b)) {
        return false;
    }
    switch (space_of(attrs)) {
    case ARMSS_NonSecure:
        return epmad || epmade;
    case ARMSS_Realm:
        return epmad;
    case ARMSS_Secure:
        return epmade;
    default:
        return false;
    }
}

/*
 * Accesses
 */

static bool is_sample_reg(hwaddr offset)
{
    return offset >= PMPCSR_LO && offset <= PMCID2SR;
}

static bool is_management_reg(hwaddr offset)
{
    return offset >= 0xF00;
}

/* Registers that only the 64-bit view has as one */
static bool is_ext64_reg(hwaddr offset)
{
    switch (offset & ~7) {
    case PMVCIDSR:
    case PMCCIDSR:
    case PMPCSCTL:
    case PMCFGR:
    case PMDEVAFF:
        return true;
    default:
        return false;
    }
}

/*
 * Sizes: I1.1, I3.1. An access to two unrelated words is not supported, nor is one to half of a
 * 64-bit register of the 64-bit view unless "half-read" says so. All other management registers are
 * words in both.
 */
static const char *size_error(const ARMPCSampleBlock *b, hwaddr offset, unsigned size)
{
    const ARMPCSampleState *s = b->board;
    bool pc = (offset & ~7) == PMPCSR_LO || (offset & ~7) == PMPCSR_ALIAS_LO;
    bool counter = (has_pmu(b) && is_counter(offset)) || is_snapshot_reg(b, offset);

    if (size == 8) {
        if (pc) {
            return s->ext64 || s->wide_read != WIDE_ERROR ? NULL : "64-bit read of PMPCSR";
        }
        return counter || (s->ext64 && is_ext64_reg(offset)) ? NULL : "not a 64-bit register";
    }
    if (s->ext64 && !s->half_read && (pc || counter || is_ext64_reg(offset))) {
        return "half of a 64-bit register";
    }
    return NULL;
}

/* Permission tables of I3.1 and K5.4 */
static const char *pmu_access_error(const ARMPCSampleBlock *b, hwaddr offset, unsigned size,
                                    MemTxAttrs attrs)
{
    const char *why = size_error(b, offset, size);

    if (why || is_management_reg(offset)) {
        return why;
    }
    if (is_impdef_reg(b, offset)) {             /* "Core off" and "DoubleLock" alone */
        return arm_pcsample_off_error(b);
    }
    if (is_snapshot_reg(b, offset)) {           /* not the OS Lock's */
        why = arm_pcsample_off_error(b);
        return why || !snapshot_access_disabled(b, attrs) ? why : "MDCR_EL3.EPMSSAD";
    }
    why = arm_pcsample_core_error(b);
    if (why) {
        return why;
    }
    if (is_sample_reg(offset)) {
        return arm_pcsample_has_fault(b, FAULT_ERROR) ? "sample register (fault)" : NULL;
    }
    if (has_pmpcsctl(b) && (offset & ~7) == PMPCSCTL) {
        return NULL;
    }
    return pmu_access_disabled(b, attrs) ? "MDCR_EL3.EPMAD" : NULL;
}

static uint32_t read_word(ARMPCSampleBlock *b, hwaddr offset)
{
    if (is_management_reg(offset)) {
        return read_management_reg(b, offset);
    }
    if (is_sample_reg(offset)) {
        return read_sample_reg(b, offset);
    }
    if (offset == PMPCSCTL) {
        return read_pmpcsctl(b);
    }
    if (is_impdef_reg(b, offset)) {
        return read_impdef_reg(b, offset);
    }
    if (is_snapshot_reg(b, offset)) {
        return snapshot_reg(b, offset) >> (offset & 4 ? 32 : 0);
    }
    return has_pmu(b) ? read_pmu_reg(b, offset) : 0;
}

static uint64_t pmu_read(ARMPCSampleBlock *b, hwaddr offset, unsigned size)
{
    uint32_t lo, hi;

    if (size == 4) {
        return read_word(b, offset);
    }
    if (has_pmu(b) && is_counter(offset)) {
        return read_pmu_sysreg_at(b, offset);
    }
    if (is_sample_reg(offset) && !b->board->ext64 && b->board->wide_read == WIDE_HIGH_FIRST) {
        hi = read_word(b, offset + 4);
        lo = read_word(b, offset);
    } else {
        lo = read_word(b, offset);
        hi = read_word(b, offset + 4);
    }
    return deposit64(lo, 32, 32, hi);
}

static void pmu_write(ARMPCSampleBlock *b, hwaddr offset, uint64_t data, unsigned size)
{
    if (offset == PMLAR) {
        arm_pcsample_write_lar(b, data);
    } else if (is_impdef_reg(b, offset)) {      /* the Software lock has no effect */
        if (offset == PMSSCR_IMPDEF && (data & PMSSCR_IMPDEF_SS)) {
            request_impdef(b);
        }
    } else if (b->slk) {
        return;                     /* H8.4: the lock makes all but PMLAR read-only */
    } else if (offset == PMPCSCTL) {
        write_pmpcsctl(b, data);
    } else if (is_snapshot_reg(b, offset)) {
        if (offset == PMSSCR) {
            pmuss_write_pmsscr(&b->cpu->env, data);
        }
    } else if (is_management_reg(offset) || is_sample_reg(offset) || !has_pmu(b)) {
        qemu_log_mask(LOG_GUEST_ERROR, "arm-pcsample: write of read-only or reserved register "
                      "at 0x%03" HWADDR_PRIx "\n", offset);
    } else if (size == 8) {
        write_pmu_sysreg_at(b, offset, data);
    } else {
        write_pmu_reg(b, offset, data);
    }
}

const ARMPCSampleSet arm_pcsample_pmu = {
    .access_error = pmu_access_error,
    .read = pmu_read,
    .write = pmu_write,
    .cold_reset = latch_unknown,
    .watch = pmu_watch,
};
