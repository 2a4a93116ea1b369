/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm external PMU block with PC Sample-based Profiling (FEAT_PCSRv8p2, EXT32 view)
 *
 * See include/hw/misc/arm_pcsample.h for the interface. Section numbers are those of the Arm
 * Architecture Reference Manual, DDI 0487 issue M.a.a.
 *
 * Why a sample is coherent although the sampled vCPU runs on: a read of a register holds the BQL,
 * and so do all exception entries and the two EL change hooks of an exception return. Between
 * those hooks the PE is half in the old and half in the new Exception level, so the first one
 * stores what the PE was and the block answers with that until the second one. Everywhere else
 * PC, Exception level and contexts belong together, because none but the PC can change without an
 * exception or a system register write at the very Exception level that the sample shows. TCG
 * stores the PC before each chained jump, so it is at most one translation block old: a block's
 * first instruction, or one that left the generated code.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/log.h"
#include "qapi/error.h"
#include "qapi/util.h"
#include "exec/address-spaces.h"
#include "hw/boards.h"
#include "exec/cpu-common.h"
#include "hw/core/cpu.h"
#include "hw/misc/arm_pcsample.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "system/device_tree.h"
#include "system/reset.h"
#include "system/tcg.h"
#include "target/arm/cpregs.h"
#include "target/arm/cpu-features.h"
#include "target/arm/internals.h"
#include "trace.h"

#include <libfdt.h>
#include <arch-model/pmpcsr-regs.h>

/* Values of the "fault" property */
enum {
    FAULT_NONE,
    FAULT_NO_BLOCK,     /* nothing answers: error response on every access */
    FAULT_DEVARCH,      /* PMDEVARCH.PRESENT = 0 */
    FAULT_DEVID,        /* PMDEVID.PCSample = 0: a PMU without PC sampling */
    FAULT_DEVTYPE,      /* PMDEVTYPE = 0x14: a cross-trigger interface */
    FAULT_CIDR,         /* component identification preamble is wrong */
    FAULT_DEVAFF,       /* PMDEVAFF is that of another PE */
    FAULT_LOCK,         /* the Software lock does not open */
    FAULT_ERROR,        /* sample registers give an error response */
    FAULT_FROZEN,       /* every read returns the same sample */
};

static const char *const arm_pcsample_faults[] = {
    [FAULT_NONE] = "none",
    [FAULT_NO_BLOCK] = "no-block",
    [FAULT_DEVARCH] = "devarch",
    [FAULT_DEVID] = "devid",
    [FAULT_DEVTYPE] = "devtype",
    [FAULT_CIDR] = "cidr",
    [FAULT_DEVAFF] = "devaff",
    [FAULT_LOCK] = "lock",
    [FAULT_ERROR] = "error",
    [FAULT_FROZEN] = "frozen",
};

/* Values of the "node-fault" property */
enum { NODE_GOOD, NODE_NO_CPU, NODE_TWO_BLOCKS, NODE_SMALL_REG };

static const char *const arm_pcsample_node_faults[] = {
    [NODE_GOOD] = "none",
    [NODE_NO_CPU] = "no-cpu",
    [NODE_TWO_BLOCKS] = "two-blocks",
    [NODE_SMALL_REG] = "small-reg",
};

/* Values of the "wide-read" property */
enum { WIDE_LOW_FIRST, WIDE_HIGH_FIRST, WIDE_ERROR };

static const char *const arm_pcsample_wide_reads[] = {
    [WIDE_LOW_FIRST] = "low-first",
    [WIDE_HIGH_FIRST] = "high-first",
    [WIDE_ERROR] = "error",
};

/* Values of the "error-response" property */
enum { ERROR_ABORT, ERROR_ZEROS, ERROR_ONES };

static const char *const arm_pcsample_error_responses[] = {
    [ERROR_ABORT] = "abort",
    [ERROR_ZEROS] = "zeros",
    [ERROR_ONES] = "ones",
};

#define ENUM_LOOKUP(name, names)                                                \
    static const QEnumLookup name##_lookup = {                                  \
        .array = names,                                                         \
        .size = ARRAY_SIZE(names),                                              \
    };

ENUM_LOOKUP(fault, arm_pcsample_faults)
ENUM_LOOKUP(node_fault, arm_pcsample_node_faults)

static bool has_fault(const ARMPCSampleBlock *b, int fault)
{
    const ARMPCSampleState *s = b->board;

    return s->faults.of_cpu[CPU(b->cpu)->cpu_index] == fault;
}

/*
 * "NAME[@CPU][:NAME[@CPU]]...": what is wrong with one vCPU's block, or with all of them. Returns
 * false if a name is none of @names or there is no such vCPU.
 */
static bool parse_faults(ARMPCSampleFaults *faults, unsigned num_cpus, const QEnumLookup *names,
                         Error **errp)
{
    g_auto(GStrv) words = g_strsplit(faults->text ?: "none", ":", -1);
    g_autofree int *of_cpu = g_new0(int, num_cpus);

    for (char **word = words; *word; word++) {
        char *at = strchr(*word, '@');
        unsigned cpu, first = 0, last = num_cpus - 1;
        int fault;

        if (at) {
            *at++ = '\0';
            if (qemu_strtoui(at, NULL, 10, &first) || first >= num_cpus) {
                error_setg(errp, "%s: there is no vCPU %s", TYPE_ARM_PCSAMPLE, at);
                return false;
            }
            last = first;
        }
        fault = qapi_enum_parse(names, *word, -1, errp);
        if (fault < 0) {
            return false;
        }
        for (cpu = first; cpu <= last; cpu++) {
            of_cpu[cpu] = fault;
        }
    }
    g_free(faults->of_cpu);
    faults->of_cpu = g_steal_pointer(&of_cpu);
    return true;
}

/*
 * The PE, as the block sees it
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

static bool core_powered(const ARMPCSampleBlock *b)
{
    return b->cpu->power_state == PSCI_ON && !(b->board->cpu_suspend && suspended(b));
}

static bool debug_powered(const ARMPCSampleBlock *b)
{
    return !b->board->shared_power || core_powered(b);
}

static bool os_locked(const ARMPCSampleBlock *b)
{
    return extract64(b->cpu->env.cp15.oslsr_el1, 1, 1);
}

static bool os_double_locked(const ARMPCSampleBlock *b)
{
    return b->cpu->env.cp15.osdlr_el1 & 1;
}

/* HaveSecureState(): QEMU has no Secure-only PE */
static bool have_secure_state(const ARMPCSampleBlock *b)
{
    return arm_feature(&b->cpu->env, ARM_FEATURE_EL3);
}

static bool have_rme(const ARMPCSampleBlock *b)
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

static uint16_t current_vmid(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;

    /* VTTBR_EL2 and the AArch32 VTTBR share their place; the latter has an 8-bit VMID */
    if (!arm_el_is_aa64(env, 2) ||
        FIELD_EX64(cpu->isar.id_aa64mmfr1, ID_AA64MMFR1, VMIDBITS) != 2 ||
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
    uint64_t pc;
    uint32_t halted;
    int32_t excp;

    if (!is_a64(env)) {
        return qatomic_read(&env->regs[15]);
    }
    do {
        excp = qatomic_read(&cs->exception_index);
        halted = qatomic_read(&cs->halted);
        smp_rmb();
        pc = qatomic_read(&env->pc);
        smp_rmb();
    } while (excp != qatomic_read(&cs->exception_index) || halted != qatomic_read(&cs->halted));

    switch (excp) {
    case EXCP_SWI:
    case EXCP_HVC:
    case EXCP_SMC:
        /* TCG forgets the exception a moment after it was taken */
        return pc == b->vector ? pc : pc - 4;
    default:
        return halted ? pc - 4 : pc;
    }
}

/* CreatePCSample(). There is no Debug state in QEMU, so Halted() is false. */
static void create_pc_sample(const ARMPCSampleBlock *b, ARMPCSample *p)
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
    p->vmid = p->has_el2 ? current_vmid(cpu) : 0;
    p->contextidr_el2_known = p->has_el2 && arm_el_is_aa64(env, 2) &&
                              (cpu_isar_feature(aa64_vh, cpu) ||
                               cpu_isar_feature(aa64_debugv8p2, cpu));
    p->contextidr_el2 = env->cp15.contextidr_el[2];
    p->el0h = p->el == 0 && (arm_hcr_el2_eff(env) & host) == host;
}

/* The PE left a state where sampling is prohibited: H7.1.3 */
static void sampling_restarts(ARMPCSampleBlock *b, uint64_t pc)
{
    b->no_branch = true;
    b->restart_pc = pc;
}

static void pre_el_change(ARMCPU *cpu, void *opaque)
{
    ARMPCSampleBlock *b = opaque;

    create_pc_sample(b, &b->before);
    b->el_changing = true;
}

static void post_el_change(ARMCPU *cpu, void *opaque)
{
    ARMPCSampleBlock *b = opaque;

    b->el_changing = false;
    if (CPU(cpu)->exception_index >= 0) {
        b->vector = cpu->env.pc;
    }
    if (!b->before.valid) {
        ARMPCSample now;

        create_pc_sample(b, &now);
        if (now.valid) {
            sampling_restarts(b, now.pc);
        }
    }
}

/*
 * Sample registers
 */

static void latch_unknown(ARMPCSampleBlock *b)
{
    uint64_t known = PMPCSR_NS | PMPCSR_EL | PMPCSR_PC;

    if (have_rme(b)) {
        known |= PMPCSR_NSE;
    }
    b->pmpcsr_hi = b->board->unknown & (known >> 32);
    b->pmcid1sr = b->board->unknown;
    b->pmcid2sr = b->board->unknown;
    b->pmvidsr = b->board->unknown & PMVIDSR_VMID;
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
    if (have_rme(b) && (p->ss & ARMSS_Root)) {
        hi |= PMPCSR_NSE;
    }
    b->pmpcsr_hi = hi >> 32;
    b->pmcid1sr = p->contextidr;
    b->pmcid2sr = p->contextidr_el2_known ? p->contextidr_el2 : b->board->unknown;
    if (p->has_el2 && p->el < 2 && !p->el0h) {
        b->pmvidsr = p->vmid;
    } else {
        b->pmvidsr = b->board->unknown & PMVIDSR_VMID;
    }
}

/*
 * Read of PMPCSR[31:0]. With the Software lock closed the text of I5.3 and the older pseudocode
 * return a sample and leave everything else alone; Read_PMPCSR() of issue M.a.a returns the word
 * of the last unlocked read instead. The text is followed.
 */
static uint32_t read_pmpcsr_lo(ARMPCSampleBlock *b)
{
    ARMPCSampleState *s = b->board;
    bool none = b->first_read && s->first_read_none;
    bool unknown;
    ARMPCSample p;

    if (b->el_changing) {
        p = b->before;
    } else {
        create_pc_sample(b, &p);
    }
    if (has_fault(b, FAULT_FROZEN)) {
        if (!b->frozen && p.valid) {
            b->frozen_sample = p;
            b->frozen = true;
        }
        if (b->frozen) {
            p = b->frozen_sample;
        }
    } else {
        b->frozen = false;
    }

    /*
     * Branches are not counted: as long as the PC is where it was when sampling became allowed,
     * one read says UNKNOWN.
     */
    unknown = b->no_branch && p.pc == b->restart_pc;
    b->first_read = false;
    if (p.valid) {
        b->no_branch = false;
    }

    if (!b->slk) {
        if (!p.valid || none || unknown) {
            latch_unknown(b);
        } else {
            latch_sample(b, &p);
        }
    }
    if (!p.valid || none) {
        return PMPCSR_LO_NONE;
    }
    return unknown ? s->unknown : p.pc;
}

static uint32_t read_sample_reg(ARMPCSampleBlock *b, hwaddr offset)
{
    switch (offset) {
    case PMPCSR_LO:
    case PMPCSR_ALIAS_LO:
        return read_pmpcsr_lo(b);
    case PMPCSR_HI:
    case PMPCSR_ALIAS_HI:
        return b->pmpcsr_hi;
    case PMCID1SR:
    case PMCID1SR_ALIAS:
        return b->pmcid1sr;
    case PMVIDSR:
        return arm_feature(&b->cpu->env, ARM_FEATURE_EL2) ? b->pmvidsr : 0;
    case PMCID2SR:
        return b->pmcid2sr;
    default:
        return 0;
    }
}

/*
 * Identification and lock
 */

static bool has_pmu(const ARMPCSampleBlock *b)
{
    return b->board->pmu && arm_feature(&b->cpu->env, ARM_FEATURE_PMU);
}

static uint32_t pmauthstatus(const ARMPCSampleBlock *b)
{
    const ARMPCSampleState *s = b->board;
    unsigned off = PMAUTHSTATUS_DISABLED;
    unsigned on = s->niden ? PMAUTHSTATUS_ENABLED : off;
    uint32_t r = FIELD_PREP(PMAUTHSTATUS_NSNID, on);

    if (have_secure_state(b)) {
        r |= FIELD_PREP(PMAUTHSTATUS_SNID, s->spniden ? on : off);
    }
    if (have_rme(b)) {
        r |= FIELD_PREP(PMAUTHSTATUS_RLNID, s->rlpniden ? on : off) |
             FIELD_PREP(PMAUTHSTATUS_RTNID, s->rtpniden ? on : off);
    }
    return r;
}

static uint32_t pmdevarch(const ARMPCSampleBlock *b)
{
    uint32_t r = FIELD_PREP(PMDEVARCH_ARCHITECT, PMDEVARCH_ARCHITECT_ARM);

    if (has_pmu(b)) {
        r |= FIELD_PREP(PMDEVARCH_ARCHVER, 2) |
             FIELD_PREP(PMDEVARCH_ARCHPART, PMDEVARCH_ARCHPART_PMU32);
    } else {
        r |= FIELD_PREP(PMDEVARCH_ARCHPART, PMDEVARCH_ARCHPART_PCS32);
    }
    return has_fault(b, FAULT_DEVARCH) ? r : r | PMDEVARCH_PRESENT;
}

static uint64_t pmdevaff(const ARMPCSampleBlock *b)
{
    uint64_t aff = arm_cpu_mp_affinity(b->cpu);

    if (has_fault(b, FAULT_DEVAFF)) {
        aff ^= 1;
    }
    return (aff & PMDEVAFF_AFF) | BIT_ULL(31);
}

static uint32_t read_management_reg(const ARMPCSampleBlock *b, hwaddr offset)
{
    /* Peripheral ID: designer Arm (JEP106 0x43B), part 0. Component class 9, CoreSight. */
    static const uint8_t pidr[] = { 0x00, 0xB0, 0x0B, 0x00 };
    static const uint8_t cidr[] = { 0x0D, 0x90, 0x05, 0xB1 };

    switch (offset) {
    case PMDEVAFF0:
        return pmdevaff(b);
    case PMDEVAFF1:
        return pmdevaff(b) >> 32;
    case PMLSR:
        return b->board->software_lock ? PMLSR_SLI | (b->slk ? PMLSR_SLK : 0) : 0;
    case PMAUTHSTATUS:
        return pmauthstatus(b);
    case PMDEVARCH:
        return pmdevarch(b);
    case PMDEVID:
        return FIELD_PREP(PMDEVID_PCSAMPLE, has_fault(b, FAULT_DEVID) ?
                          PMDEVID_PCSAMPLE_NONE : PMDEVID_PCSAMPLE_V8P2);
    case PMDEVTYPE:
        if (has_fault(b, FAULT_DEVTYPE)) {
            return 0x14;
        }
        return FIELD_PREP(PMDEVTYPE_SUB, 1) |
               FIELD_PREP(PMDEVTYPE_MAJOR, has_pmu(b) ? 6 : 0);
    case PMPIDR4:
        return 0x04;
    case PMPIDR0 ... PMPIDR3:
        return pidr[(offset - PMPIDR0) / 4];
    case PMCIDR0 ... PMCIDR3:
        return has_fault(b, FAULT_CIDR) ? 0 : cidr[(offset - PMCIDR0) / 4];
    default:
        return 0;                   /* reserved management registers are RES0: K5.4 */
    }
}

static void write_pmlar(ARMPCSampleBlock *b, uint32_t value)
{
    if (b->board->software_lock) {
        b->slk = value != PMLAR_KEY || has_fault(b, FAULT_LOCK);
    }
}

/*
 * PMU: the external view of the vCPU's own counters
 *
 * All PMU system registers of QEMU are ARM_CP_IO, so that the PE too accesses them with the BQL.
 */

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

static uint32_t pmcfgr(const ARMPCSampleBlock *b)
{
    bool aa32 = cpu_isar_feature(aa64_aa32, b->cpu);

    /* EX = 1, CC = 1, SIZE = 64 bits; CCD (cycle counter prescaler) is RES1 with AArch32 */
    return BIT(16) | (aa32 ? BIT(15) : 0) | BIT(14) | (0x3F << 8) |
           pmu_num_counters(&b->cpu->env);
}

static uint32_t read_pmu_reg(ARMPCSampleBlock *b, hwaddr offset)
{
    const ARMCPRegInfo *ri;
    bool high;
    uint64_t r;

    if (offset == PMCFGR) {
        return pmcfgr(b);
    }
    ri = pmu_sysreg(b, offset, &high);
    if (!ri) {
        return 0;
    }
    r = read_pmu_sysreg(&b->cpu->env, ri);
    return high ? r >> 32 : r;
}

static void write_pmu_reg(ARMPCSampleBlock *b, hwaddr offset, uint32_t value)
{
    CPUARMState *env = &b->cpu->env;
    bool high;
    const ARMCPRegInfo *ri = pmu_sysreg(b, offset, &high);
    uint64_t v = value;

    if (!ri || offset >= 0xE08) {
        return;
    }
    if (offset < 0x100) {           /* a counter: the other half stays */
        v = deposit64(read_pmu_sysreg(env, ri), high ? 32 : 0, 32, value);
    }
    write_pmu_sysreg(env, ri, v);
}

/* AllowExternalPMUAccess() for the Non-secure accesses that the guest's kernel makes */
static bool pmu_access_disabled(const ARMPCSampleBlock *b, MemTxAttrs attrs)
{
    uint64_t mdcr_el3 = b->cpu->env.cp15.mdcr_el3;

    return have_secure_state(b) && extract64(mdcr_el3, 21, 1) && !attrs.secure;
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

/* Permission tables of I3.1 and K5.4. Returns why the access gets an error response, or NULL. */
static const char *access_error(const ARMPCSampleBlock *b, hwaddr offset, MemTxAttrs attrs)
{
    if (has_fault(b, FAULT_NO_BLOCK)) {
        return "no block (fault)";
    }
    if (!debug_powered(b)) {
        return "Debug power domain is off";
    }
    if (is_management_reg(offset)) {
        return NULL;
    }
    if (!core_powered(b)) {
        return "Core power domain is off";
    }
    if (os_double_locked(b)) {
        return "OS Double Lock";
    }
    if (os_locked(b)) {
        return "OS Lock";
    }
    if (is_sample_reg(offset)) {
        return has_fault(b, FAULT_ERROR) ? "sample register (fault)" : NULL;
    }
    return pmu_access_disabled(b, attrs) ? "MDCR_EL3.EPMAD" : NULL;
}

static MemTxResult error_response(const ARMPCSampleBlock *b, hwaddr offset,
                                  uint64_t *data, const char *why)
{
    trace_arm_pcsample_error(CPU(b->cpu)->cpu_index, offset, why);
    switch (b->board->error_response) {
    case ERROR_ZEROS:
        *data = 0;
        return MEMTX_OK;
    case ERROR_ONES:
        *data = ~0ULL;
        return MEMTX_OK;
    default:
        *data = 0;
        return MEMTX_ERROR;
    }
}

static uint32_t read_word(ARMPCSampleBlock *b, hwaddr offset)
{
    if (is_management_reg(offset)) {
        return read_management_reg(b, offset);
    }
    if (is_sample_reg(offset)) {
        return read_sample_reg(b, offset);
    }
    return has_pmu(b) ? read_pmu_reg(b, offset) : 0;
}

/*
 * A doubleword that is one 64-bit register. I3.1: an access to two unrelated words is not
 * supported.
 */
static bool is_wide_reg(const ARMPCSampleBlock *b, hwaddr offset)
{
    if (offset == PMPCSR_LO || offset == PMPCSR_ALIAS_LO) {
        return b->board->wide_read != WIDE_ERROR;
    }
    return has_pmu(b) && offset <= 0x0F8;
}

static MemTxResult arm_pcsample_read(void *opaque, hwaddr offset, uint64_t *data,
                                     unsigned size, MemTxAttrs attrs)
{
    ARMPCSampleBlock *b = opaque;
    const char *why = access_error(b, offset, attrs);
    uint64_t lo, hi;

    if (why) {
        return error_response(b, offset, data, why);
    }
    if (size == 4) {
        *data = read_word(b, offset);
    } else if (!is_wide_reg(b, offset)) {
        qemu_log_mask(LOG_GUEST_ERROR, "arm-pcsample: 64-bit read at 0x%03" HWADDR_PRIx
                      ", which is not one 64-bit register\n", offset);
        return error_response(b, offset, data, "not a 64-bit register");
    } else if (is_sample_reg(offset) && b->board->wide_read == WIDE_HIGH_FIRST) {
        hi = read_word(b, offset + 4);
        lo = read_word(b, offset);
        *data = deposit64(lo, 32, 32, hi);
    } else {
        lo = read_word(b, offset);
        hi = read_word(b, offset + 4);
        *data = deposit64(lo, 32, 32, hi);
    }
    trace_arm_pcsample_read(CPU(b->cpu)->cpu_index, offset, *data, size);
    return MEMTX_OK;
}

static MemTxResult arm_pcsample_write(void *opaque, hwaddr offset, uint64_t data,
                                      unsigned size, MemTxAttrs attrs)
{
    ARMPCSampleBlock *b = opaque;
    const char *why = access_error(b, offset, attrs);

    trace_arm_pcsample_write(CPU(b->cpu)->cpu_index, offset, data, size);
    if (!why && size != 4 && !(has_pmu(b) && offset <= 0x0F8)) {
        why = "not a 64-bit register";
    }
    if (why) {
        return error_response(b, offset, &data, why);
    }
    if (offset == PMLAR) {
        write_pmlar(b, data);
    } else if (is_management_reg(offset) || is_sample_reg(offset) || !has_pmu(b)) {
        qemu_log_mask(LOG_GUEST_ERROR, "arm-pcsample: write of read-only or reserved register "
                      "at 0x%03" HWADDR_PRIx "\n", offset);
    } else if (!b->slk) {           /* H8.4: the Software lock makes all but PMLAR read-only */
        write_pmu_reg(b, offset, data);
        if (size == 8) {
            write_pmu_reg(b, offset + 4, data >> 32);
        }
    }
    return MEMTX_OK;
}

static const MemoryRegionOps arm_pcsample_ops = {
    .read_with_attrs = arm_pcsample_read,
    .write_with_attrs = arm_pcsample_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.min_access_size = 4,
    .impl.max_access_size = 8,
    .valid.min_access_size = 4,
    .valid.max_access_size = 8,
};

/*
 * The block as a device on a bus of its PE
 */

static void arm_pcsample_block_reset_hold(Object *obj, ResetType type)
{
    ARMPCSampleBlock *b = ARM_PCSAMPLE_BLOCK(obj);

    latch_unknown(b);
    b->first_read = true;
    b->no_branch = false;
    b->el_changing = false;
    b->frozen = false;
    if (b->board->shared_power) {
        b->slk = b->board->software_lock;
    }
}

static const VMStateDescription vmstate_arm_pcsample_block = {
    .name = TYPE_ARM_PCSAMPLE_BLOCK,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(pmpcsr_hi, ARMPCSampleBlock),
        VMSTATE_UINT32(pmcid1sr, ARMPCSampleBlock),
        VMSTATE_UINT32(pmcid2sr, ARMPCSampleBlock),
        VMSTATE_UINT32(pmvidsr, ARMPCSampleBlock),
        VMSTATE_BOOL(first_read, ARMPCSampleBlock),
        VMSTATE_BOOL(no_branch, ARMPCSampleBlock),
        VMSTATE_UINT64(restart_pc, ARMPCSampleBlock),
        VMSTATE_BOOL(slk, ARMPCSampleBlock),
        /* el_changing is false between translation blocks, and with it @before is dead */
        VMSTATE_END_OF_LIST()
    }
};

static void arm_pcsample_block_realize(DeviceState *dev, Error **errp)
{
    ARMPCSampleBlock *b = ARM_PCSAMPLE_BLOCK(dev);

    b->cpu = ARM_CPU(dev->parent_bus->parent);
    memory_region_init_io(&b->iomem, OBJECT(dev), &arm_pcsample_ops, b,
                          TYPE_ARM_PCSAMPLE_BLOCK, PCSR_BLOCK_SIZE);
    arm_register_pre_el_change_hook(b->cpu, pre_el_change, b);
    arm_register_el_change_hook(b->cpu, post_el_change, b);
}

static void arm_pcsample_block_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->realize = arm_pcsample_block_realize;
    dc->vmsd = &vmstate_arm_pcsample_block;
    dc->bus_type = TYPE_ARM_PCSAMPLE_BUS;
    dc->desc = "Arm external PMU block of one PE";
    dc->user_creatable = false;
    dc->hotpluggable = false;
    rc->phases.hold = arm_pcsample_block_reset_hold;
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
}

/*
 * The board: places the blocks and describes them to the guest
 */

static bool map_block(ARMPCSampleState *s, unsigned index, ARMCPU *cpu, Error **errp)
{
    hwaddr addr = s->base + index * s->stride;
    MemoryRegion *sysmem = get_system_memory();
    MemoryRegionSection there = memory_region_find(sysmem, addr, PCSR_BLOCK_SIZE);
    ARMPCSampleBlock *b;
    BusState *bus;

    if (there.mr) {
        error_setg(errp, "%s: block %u at 0x%" HWADDR_PRIx " overlaps '%s'; "
                   "choose another base or stride", TYPE_ARM_PCSAMPLE, index, addr,
                   memory_region_name(there.mr));
        memory_region_unref(there.mr);
        return false;
    }

    bus = QLIST_FIRST(&DEVICE(cpu)->child_bus);
    if (!bus || !object_dynamic_cast(OBJECT(bus), TYPE_ARM_PCSAMPLE_BUS)) {
        bus = qbus_new(TYPE_ARM_PCSAMPLE_BUS, DEVICE(cpu), "pc-sample");
        if (!qbus_realize(bus, errp)) {
            return false;
        }
    }
    b = ARM_PCSAMPLE_BLOCK(qdev_new(TYPE_ARM_PCSAMPLE_BLOCK));
    object_property_add_child(OBJECT(s), "block[*]", OBJECT(b));
    b->board = s;
    s->blocks[index] = b;
    if (!qdev_realize_and_unref(DEVICE(b), bus, errp)) {
        return false;
    }
    memory_region_add_subregion(sysmem, addr, &b->iomem);
    return true;
}

/* phandle of the device tree's node of a vCPU; it may have none yet */
static uint32_t cpu_phandle(void *fdt, int cpu_index)
{
    g_autofree char *path = g_strdup_printf("/cpus/cpu@%d", cpu_index);
    int node = fdt_path_offset(fdt, path);
    uint32_t phandle = node >= 0 ? fdt_get_phandle(fdt, node) : 0;

    if (!phandle && node >= 0) {
        phandle = qemu_fdt_alloc_phandle(fdt);
        qemu_fdt_setprop_cell(fdt, path, "phandle", phandle);
    }
    return phandle;
}

static void describe_block(const ARMPCSampleState *s, void *fdt, unsigned index)
{
    int cpu_index = CPU(s->blocks[index]->cpu)->cpu_index;
    hwaddr addr = s->base + index * s->stride;
    int fault = s->node_faults.of_cpu[cpu_index];
    g_autofree char *node = g_strdup_printf("/pc-sample@%" HWADDR_PRIx, addr);
    uint64_t size = PCSR_BLOCK_SIZE;

    if (fault == NODE_SMALL_REG) {
        size = PMPCSR_ALIAS_LO;
    }
    qemu_fdt_add_subnode(fdt, node);
    qemu_fdt_setprop_string(fdt, node, "compatible", "arm,pmu-pc-sample");
    qemu_fdt_setprop_sized_cells(fdt, node, "reg", 2, addr, 2, size);
    if (fault != NODE_NO_CPU) {
        qemu_fdt_setprop_cell(fdt, node, "cpu", cpu_phandle(fdt, cpu_index));
    }
}

/*
 * An idle state for all CPUs, entered by PSCI: standby with retention, so that CPU_SUSPEND returns
 * as it does in QEMU.
 */
static void describe_idle_state(void *fdt)
{
    const char *states = "/cpus/idle-states", *state = "/cpus/idle-states/cpu-retention";
    uint32_t phandle = qemu_fdt_alloc_phandle(fdt);
    CPUState *cs;

    qemu_fdt_add_subnode(fdt, states);
    qemu_fdt_setprop_string(fdt, states, "entry-method", "psci");
    qemu_fdt_add_subnode(fdt, state);
    qemu_fdt_setprop_string(fdt, state, "compatible", "arm,idle-state");
    qemu_fdt_setprop_cell(fdt, state, "arm,psci-suspend-param", 1);
    qemu_fdt_setprop_cell(fdt, state, "entry-latency-us", 1);
    qemu_fdt_setprop_cell(fdt, state, "exit-latency-us", 1);
    qemu_fdt_setprop_cell(fdt, state, "min-residency-us", 2);
    qemu_fdt_setprop_cell(fdt, state, "phandle", phandle);
    CPU_FOREACH(cs) {
        g_autofree char *path = g_strdup_printf("/cpus/cpu@%d", cs->cpu_index);

        qemu_fdt_setprop_cell(fdt, path, "cpu-idle-states", phandle);
    }
}

static void arm_pcsample_realize(DeviceState *dev, Error **errp)
{
    ARMPCSampleState *s = ARM_PCSAMPLE(dev);
    void *fdt = MACHINE(qdev_get_machine())->fdt;
    unsigned i, num_cpus = 0;
    Object *gicv3;
    CPUState *cs;

    CPU_FOREACH(cs) {
        num_cpus++;
    }
    if (!tcg_enabled()) {
        error_setg(errp, "%s needs TCG: under another accelerator the PE runs unseen",
                   TYPE_ARM_PCSAMPLE);
        return;
    }
    if (s->base % PCSR_BLOCK_SIZE || s->stride % PCSR_BLOCK_SIZE || !s->stride) {
        error_setg(errp, "%s: base and stride must be multiples of 0x%x",
                   TYPE_ARM_PCSAMPLE, PCSR_BLOCK_SIZE);
        return;
    }
    /*
     * Linux puts the redistributor to sleep with the PE if it may, and QEMU's has no wake request
     * that would end that.
     */
    gicv3 = object_resolve_path_type("", "arm-gicv3-common", NULL);
    if (s->cpu_suspend && gicv3 &&
        !object_property_get_bool(gicv3, "has-security-extensions", &error_abort)) {
        error_setg(errp, "%s: cpu-suspend needs a machine with gic-version=2 or secure=on",
                   TYPE_ARM_PCSAMPLE);
        return;
    }
    if (!parse_faults(&s->faults, num_cpus, &fault_lookup, errp) ||
        !parse_faults(&s->node_faults, num_cpus, &node_fault_lookup, errp)) {
        return;
    }
    if (s->unknown == PMPCSR_LO_NONE) {
        error_setg(errp, "%s: an UNKNOWN value of 0x%x would look like no sample",
                   TYPE_ARM_PCSAMPLE, s->unknown);
        return;
    }

    s->num_cpus = num_cpus;
    s->blocks = g_new0(ARMPCSampleBlock *, 2 * num_cpus);
    for (i = 0; i < num_cpus; i++) {
        if (!map_block(s, s->num_blocks++, ARM_CPU(qemu_get_cpu(i)), errp)) {
            return;
        }
    }
    for (i = 0; i < num_cpus; i++) {
        if (s->node_faults.of_cpu[i] == NODE_TWO_BLOCKS &&
            !map_block(s, s->num_blocks++, ARM_CPU(qemu_get_cpu(i)), errp)) {
            return;
        }
    }
    for (i = 0; fdt && i < s->num_blocks; i++) {
        describe_block(s, fdt, i);
    }
    if (fdt && s->cpu_suspend) {
        describe_idle_state(fdt);
    }
    /* A device without a bus is not reset with the machine unless it asks */
    qemu_register_resettable(OBJECT(dev));
}

/* Reset of the machine resets the Debug power domain; the PEs reset the Core power domain */
static void arm_pcsample_reset_hold(Object *obj, ResetType type)
{
    ARMPCSampleState *s = ARM_PCSAMPLE(obj);
    unsigned i;

    for (i = 0; i < s->num_blocks; i++) {
        s->blocks[i]->slk = s->software_lock;
    }
}

/* A signal of the authentication interface changes, perhaps while the PEs run */
static void set_signal(ARMPCSampleState *s, bool *signal, bool value)
{
    bool old = *signal;
    unsigned i;

    for (i = 0; i < s->num_blocks; i++) {
        ARMPCSample before, after;

        *signal = old;
        create_pc_sample(s->blocks[i], &before);
        *signal = value;
        create_pc_sample(s->blocks[i], &after);
        if (!before.valid && after.valid) {
            sampling_restarts(s->blocks[i], after.pc);
        }
    }
    *signal = value;
}

#define SIGNAL_PROPERTY(name)                                                   \
    static bool get_##name(Object *obj, Error **errp)                           \
    {                                                                           \
        return ARM_PCSAMPLE(obj)->name;                                         \
    }                                                                           \
                                                                                \
    static void set_##name(Object *obj, bool value, Error **errp)               \
    {                                                                           \
        set_signal(ARM_PCSAMPLE(obj), &ARM_PCSAMPLE(obj)->name, value);         \
    }

SIGNAL_PROPERTY(niden)
SIGNAL_PROPERTY(spniden)
SIGNAL_PROPERTY(rlpniden)
SIGNAL_PROPERTY(rtpniden)

#define ENUM_PROPERTY(name, names)                                              \
    ENUM_LOOKUP(name, names)                                                    \
                                                                                \
    static int get_##name(Object *obj, Error **errp)                            \
    {                                                                           \
        return ARM_PCSAMPLE(obj)->name;                                         \
    }                                                                           \
                                                                                \
    static void set_##name(Object *obj, int value, Error **errp)                \
    {                                                                           \
        ARM_PCSAMPLE(obj)->name = value;                                        \
    }

ENUM_PROPERTY(wide_read, arm_pcsample_wide_reads)
ENUM_PROPERTY(error_response, arm_pcsample_error_responses)

static char *get_fault(Object *obj, Error **errp)
{
    return g_strdup(ARM_PCSAMPLE(obj)->faults.text ?: "none");
}

static void set_fault(Object *obj, const char *value, Error **errp)
{
    ARMPCSampleState *s = ARM_PCSAMPLE(obj);
    ARMPCSampleFaults new = { .text = g_strdup(value) };

    /* Before realize nobody knows how many vCPUs there are */
    if (DEVICE(obj)->realized && !parse_faults(&new, s->num_cpus, &fault_lookup, errp)) {
        g_free(new.text);
        return;
    }
    g_free(s->faults.text);
    g_free(s->faults.of_cpu);
    s->faults = new;
}

static const Property arm_pcsample_properties[] = {
    DEFINE_PROP_UINT64("base", ARMPCSampleState, base, 0x09100000),
    DEFINE_PROP_UINT64("stride", ARMPCSampleState, stride, PCSR_BLOCK_SIZE),
    DEFINE_PROP_UINT32("unknown", ARMPCSampleState, unknown, 0xDEADC0DE),
    DEFINE_PROP_STRING("node-fault", ARMPCSampleState, node_faults.text),
    DEFINE_PROP_BOOL("software-lock", ARMPCSampleState, software_lock, true),
    DEFINE_PROP_BOOL("pmu", ARMPCSampleState, pmu, true),
    DEFINE_PROP_BOOL("cpu-suspend", ARMPCSampleState, cpu_suspend, false),
    DEFINE_PROP_BOOL("shared-power", ARMPCSampleState, shared_power, false),
    DEFINE_PROP_BOOL("first-read-none", ARMPCSampleState, first_read_none, true),
};

static void arm_pcsample_init(Object *obj)
{
    ARM_PCSAMPLE(obj)->niden = true;
}

static void arm_pcsample_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->realize = arm_pcsample_realize;
    dc->desc = "Arm external PMU blocks with PC Sample-based Profiling";
    dc->hotpluggable = false;
    rc->phases.hold = arm_pcsample_reset_hold;
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
    device_class_set_props(dc, arm_pcsample_properties);

    /* Not qdev properties, because they can change after realize */
    object_class_property_add_bool(klass, "niden", get_niden, set_niden);
    object_class_property_add_bool(klass, "spniden", get_spniden, set_spniden);
    object_class_property_add_bool(klass, "rlpniden", get_rlpniden, set_rlpniden);
    object_class_property_add_bool(klass, "rtpniden", get_rtpniden, set_rtpniden);
    object_class_property_add_str(klass, "fault", get_fault, set_fault);
    object_class_property_add_enum(klass, "wide-read", "ArmPCSampleWideRead",
                                   &wide_read_lookup, get_wide_read, set_wide_read);
    object_class_property_add_enum(klass, "error-response", "ArmPCSampleErrorResponse",
                                   &error_response_lookup, get_error_response,
                                   set_error_response);
}

static const TypeInfo arm_pcsample_types[] = {
    {
        .name = TYPE_ARM_PCSAMPLE_BUS,
        .parent = TYPE_BUS,
        .instance_size = sizeof(BusState),
    },
    {
        .name = TYPE_ARM_PCSAMPLE_BLOCK,
        .parent = TYPE_DEVICE,
        .instance_size = sizeof(ARMPCSampleBlock),
        .class_init = arm_pcsample_block_class_init,
    },
    {
        .name = TYPE_ARM_PCSAMPLE,
        .parent = TYPE_DEVICE,
        .instance_size = sizeof(ARMPCSampleState),
        .instance_init = arm_pcsample_init,
        .class_init = arm_pcsample_class_init,
    },
};

DEFINE_TYPES(arm_pcsample_types)
