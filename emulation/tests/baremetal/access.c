/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may access which register and what a name stands for; where trace is
 * prohibited. Expectations are the tables here, written from the register
 * descriptions (D24.3 to D24.5) and from D6.3.5.
 */
#include "suites.h"
#include "trace.h"

/*
 * One read and one write of each register; x0 points to the value. An index is
 * a bit of a set in the table of traps.
 */
#define REGISTERS(X)                                                         \
    X(PM, S3_0_C4_C3_1)                                                      \
    X(PMECR_EL1, S3_0_C9_C14_5)                                              \
    X(PMIAR_EL1, S3_0_C9_C14_7)                                              \
    X(HDFGRTR2_EL2, S3_4_C3_C1_0)                                            \
    X(HDFGWTR2_EL2, S3_4_C3_C1_1)                                            \
    X(TRBLIMITR_EL1, S3_0_C9_C11_0)                                          \
    X(TRBPTR_EL1, S3_0_C9_C11_1)                                             \
    X(TRBBASER_EL1, S3_0_C9_C11_2)                                           \
    X(TRBSR_EL1, S3_0_C9_C11_3)                                              \
    X(TRBMAR_EL1, S3_0_C9_C11_4)                                             \
    X(TRBTRG_EL1, S3_0_C9_C11_6)                                             \
    X(TRBIDR_EL1, S3_0_C9_C11_7)                                             \
    X(TRBSR_EL2, S3_4_C9_C11_3)                                              \
    X(TRBSR_EL12, S3_5_C9_C11_3)                                             \
    X(TRBSR_EL3, S3_6_C9_C11_3)                                              \
    X(TRFCR_EL1, S3_0_C1_C2_1)                                               \
    X(TRFCR_EL2, S3_4_C1_C2_1)                                               \
    X(TRFCR_EL12, S3_5_C1_C2_1)                                              \
    X(TRCPRGCTLR, S2_1_C0_C1_0)                                              \
    X(TRCCNTVR0, S2_1_C0_C8_5)                                               \
    X(PMSSCR_EL1, S3_0_C9_C13_3)                                             \
    X(PMCCNTSVR_EL1, S2_0_C14_C11_7)                                         \
    X(PMEVCNTSVR0_EL1, S2_0_C14_C8_0)                                        \
    X(PMEVCNTSVR5_EL1, S2_0_C14_C8_5)

/* The names above are macros of baremetal.h, so not expanded here. */
#define INDEX(name, code)       REG_##name,
#define NAME(name, code)        #name,
#define STUBS(name, code)                                                    \
    "mrs x1, " #code "; str x1, [x0]; ret; nop\n"                            \
    "ldr x1, [x0]; msr " #code ", x1; ret; nop\n"

enum { REGISTERS(INDEX) NUM_REGS };
static const char *const reg_name[] = { REGISTERS(NAME) };

extern const u32 accesses[];
asm(".text\n"
    ".arch_extension rng\n"
    "accesses:\n"
    REGISTERS(STUBS));

static const void *access_stub(unsigned int reg, bool write)
{
    return &accesses[(reg * 2 + write) * 4];
}

#define R(name)     BIT(REG_##name)

#define TRB_EL1     (R(TRBLIMITR_EL1) | R(TRBPTR_EL1) | R(TRBBASER_EL1) |    \
                     R(TRBSR_EL1) | R(TRBMAR_EL1) | R(TRBTRG_EL1))
#define PMU2        (R(PMECR_EL1) | R(PMIAR_EL1))
#define FGT2        (R(HDFGRTR2_EL2) | R(HDFGWTR2_EL2))
#define TRC         (R(TRCPRGCTLR) | R(TRCCNTVR0))
#define PMSSDATA    (R(PMCCNTSVR_EL1) | R(PMEVCNTSVR0_EL1) |                  \
                     R(PMEVCNTSVR5_EL1))
#define PMSS        (R(PMSSCR_EL1) | PMSSDATA)
#define FROM_EL2    (R(TRBSR_EL2) | R(TRFCR_EL2) | FGT2)
#define FROM_EL3    R(TRBSR_EL3)
#define IF_HOST     (R(TRBSR_EL12) | R(TRFCR_EL12))
#define READ_ONLY   (R(TRBIDR_EL1) | PMSSDATA)

#define READS       1
#define WRITES      2
#define RW          3
#define EL1         BIT(1)
#define EL2         BIT(2)

/* Controls, one at a time, and what they trap */
enum control {
    NONE, HOST, EL2_TPM, EL3_TPM, EL3_NO_ENPM2, EL3_NO_FGTEN2,
    NO_READ_FGT2, NO_WRITE_FGT2, E2TB_TRAPS, E2TB_OWNS, NSTB_CLOSED,
    NSTB_SECURE, TRBEE_OFF, EL2_TTRF, EL3_TTRF, READ_FGT, WRITE_FGT,
    EL1_TTA, EL2_TTA, EL3_TTA, EL3_NO_ENPMSS, EL2_HPMN_5, NO_READ_PMSSCR,
    NO_WRITE_PMSSCR, NO_READ_PMSSDATA, NUM_CONTROLS
};

static const struct trap {
    enum control control;
    u32 regs;
    u8 from;
    u8 accesses;
    u8 to;
} traps[] = {
    { EL2_TPM, PMU2, EL1, RW, 2 },
    { EL3_TPM, PMU2, EL1 | EL2, RW, 3 },
    { EL3_NO_ENPM2, PMU2, EL1 | EL2, RW, 3 },
    { EL3_NO_FGTEN2, PMU2 | PMSS, EL1, RW, 2 },
    { EL3_NO_FGTEN2, FGT2, EL2, RW, 3 },
    { NO_READ_FGT2, PMU2 | PMSS, EL1, READS, 2 },
    { NO_WRITE_FGT2, PMU2 | PMSS, EL1, WRITES, 2 },
    { E2TB_TRAPS, TRB_EL1, EL1, RW, 2 },
    { E2TB_OWNS, TRB_EL1, EL1, RW, 2 },
    { NSTB_CLOSED, TRB_EL1, EL1 | EL2, RW, 3 },
    { NSTB_CLOSED, R(TRBSR_EL2), EL2, RW, 3 },
    { NSTB_SECURE, TRB_EL1, EL1 | EL2, RW, 3 },
    { NSTB_SECURE, R(TRBSR_EL2), EL2, RW, 3 },
    { TRBEE_OFF, R(TRBSR_EL2), EL2, RW, 3 },
    { EL2_TTRF, R(TRFCR_EL1), EL1, RW, 2 },
    { EL3_TTRF, R(TRFCR_EL1), EL1 | EL2, RW, 3 },
    { EL3_TTRF, R(TRFCR_EL2), EL2, RW, 3 },
    { READ_FGT, TRB_EL1 | R(TRBIDR_EL1) | TRC, EL1, READS, 2 },
    { WRITE_FGT, TRB_EL1 | R(TRFCR_EL1) | TRC, EL1, WRITES, 2 },
    { EL1_TTA, TRC, EL1, RW, 1 },
    { EL2_TTA, TRC, EL1 | EL2, RW, 2 },
    { EL3_TTA, TRC, EL1 | EL2, RW, 3 },
    { EL3_NO_ENPMSS, PMSS, EL1 | EL2, RW, 3 },
    { EL2_HPMN_5, R(PMEVCNTSVR5_EL1), EL1, READS, 2 },
    { NO_READ_PMSSCR, R(PMSSCR_EL1), EL1, READS, 2 },
    { NO_WRITE_PMSSCR, R(PMSSCR_EL1), EL1, WRITES, 2 },
    { NO_READ_PMSSDATA, PMSSDATA, EL1, READS, 2 },
};

static void write_fgt2(u64 reads, u64 writes)
{
    if (features.fgt2) {
        write_reg(HDFGRTR2_EL2, reads);
        write_reg(HDFGWTR2_EL2, writes);
    }
}

static void set_control(enum control control)
{
    reset_controls();
    write_reg(mdcr_el3, MDCR_EL3_BASE | FIELD(1, MDCR_EL3_TRBEE_SHIFT));
    switch (control) {
    case NONE:
        break;
    case HOST:
        set_hcr(HCR_E2H);
        break;
    case EL2_TPM:
        write_reg(mdcr_el2, MDCR_EL2_BASE | MDCR_TPM);
        break;
    case EL3_TPM:
        write_reg(mdcr_el3, read_reg(mdcr_el3) | MDCR_TPM);
        break;
    case EL3_NO_ENPM2:
        write_reg(mdcr_el3, read_reg(mdcr_el3) & ~MDCR_EL3_ENPM2);
        break;
    case EL3_NO_FGTEN2:
        write_reg(scr_el3, read_reg(scr_el3) & ~SCR_FGTEN2);
        break;
    case NO_READ_FGT2:
        write_fgt2(0, ~0ULL);
        break;
    case NO_WRITE_FGT2:
        write_fgt2(~0ULL, 0);
        break;
    case E2TB_TRAPS:
        write_reg(mdcr_el2, PMU_COUNTERS | FIELD(2, MDCR_EL2_E2TB_SHIFT));
        break;
    case E2TB_OWNS:
        write_reg(mdcr_el2, PMU_COUNTERS);
        break;
    case NSTB_CLOSED:
        write_reg(mdcr_el3, MDCR_EL3_ENPM2 | MDCR_EL3_ENPMSS |
                  FIELD(2, MDCR_EL3_NSTB_SHIFT) |
                  FIELD(1, MDCR_EL3_TRBEE_SHIFT));
        break;
    case NSTB_SECURE:
        write_reg(mdcr_el3, MDCR_EL3_ENPM2 | MDCR_EL3_ENPMSS |
                  FIELD(1, MDCR_EL3_NSTB_SHIFT) |
                  FIELD(1, MDCR_EL3_TRBEE_SHIFT));
        break;
    case TRBEE_OFF:
        write_reg(mdcr_el3, MDCR_EL3_BASE);
        break;
    case EL2_TTRF:
        write_reg(mdcr_el2, MDCR_EL2_BASE | MDCR_EL2_TTRF);
        break;
    case EL3_TTRF:
        write_reg(mdcr_el3, read_reg(mdcr_el3) | MDCR_EL3_TTRF);
        break;
    case READ_FGT:
        write_reg(HDFGRTR_EL2, ~0ULL);
        break;
    case WRITE_FGT:
        write_reg(HDFGWTR_EL2, ~0ULL);
        break;
    case EL1_TTA:
        write_reg(cpacr_el1, BIT(28));
        break;
    case EL2_TTA:
        write_reg(cptr_el2, BIT(20));
        break;
    case EL3_TTA:
        write_reg(cptr_el3, BIT(20));
        break;
    case EL3_NO_ENPMSS:
        write_reg(mdcr_el3, read_reg(mdcr_el3) & ~MDCR_EL3_ENPMSS);
        break;
    case EL2_HPMN_5:
        write_reg(mdcr_el2, FIELD(3, MDCR_EL2_E2TB_SHIFT) | 5);
        break;
    case NO_READ_PMSSCR:
        write_fgt2(~HDFGxTR2_PMSSCR_EL1, ~0ULL);
        break;
    case NO_WRITE_PMSSCR:
        write_fgt2(~0ULL, ~HDFGxTR2_PMSSCR_EL1);
        break;
    case NO_READ_PMSSDATA:
        write_fgt2(~HDFGRTR2_PMSSDATA, ~0ULL);
        break;
    case NUM_CONTROLS:
        break;
    }
    isb();
}

/* Registers that come with a feature this CPU lacks */
static u32 missing(void)
{
    u32 set = 0;

    if (!features.ebep) {
        set |= R(PM);
    }
    if (!features.ebep && !features.pmu_ss) {
        set |= R(PMECR_EL1);
    }
    if (!features.fgt2) {
        set |= FGT2;
    }
    if (!features.pmu_ss) {
        set |= PMSS;
    }
    if (!features.sebep) {
        set |= R(PMIAR_EL1);
    }
    if (!features.trbe) {
        set |= TRB_EL1 | R(TRBIDR_EL1) | R(TRFCR_EL1) | R(TRFCR_EL2) |
               R(TRFCR_EL12);
    }
    if (!features.trbe_exc) {
        set |= R(TRBSR_EL2) | R(TRBSR_EL12) | R(TRBSR_EL3);
    }
    if (!features.ete) {
        set |= TRC;
    }
    return set;
}

/* UNDEFINED at this Exception level, before any trap */
static bool is_undefined(enum control control, unsigned int reg,
                         unsigned int el, bool write)
{
    u32 set = BIT(reg);

    return el == 0 || (set & missing()) || (write && (set & READ_ONLY)) ||
           (el < 2 && (set & (FROM_EL2 | IF_HOST))) ||
           (el < 3 && (set & FROM_EL3)) ||
           (control != HOST && (set & IF_HOST));
}

static void point_access(enum control control, unsigned int reg,
                         unsigned int el, bool write)
{
    const void *stub = access_stub(reg, write);
    bool undefined = is_undefined(control, reg, el, write), ok;
    /* An UNDEF goes to the usual level, where it happened or EL1. */
    unsigned int to = undefined ? (el ? el : 1) : 0;
    u64 value = 0;

    if (!undefined) {
        for (unsigned int i = 0; i < ARRAY_SIZE(traps); i++) {
            if (traps[i].control == control && (traps[i].regs & BIT(reg)) &&
                (traps[i].from & BIT(el)) &&
                (traps[i].accesses & (write ? WRITES : READS))) {
                to = traps[i].to;
            }
        }
    }
    set_control(control);
    run_el(el, SPSR_PM, stub, (u64)&value);
    if (to) {
        ok = record[0].el == to && record[0].elr - (u64)stub <= 4 &&
             ESR_EC(record[0].esr) == (undefined ? 0 : EC_MSR);
    } else {
        ok = ran_to_end();
    }
    if (wrong(ok)) {
        print("# %s of %s at EL%u, control %u: expected %s EL%u; got EL%lu "
              "ESR 0x%lx ELR stub+0x%lx\n", write ? "write" : "read",
              reg_name[reg], el, control, undefined ? "UNDEF" : "trap to", to,
              record[0].el, record[0].esr, record[0].elr - (u64)stub);
    }
}

/*
 * Names. With distinct values in the registers of EL1, EL2 and EL3, what does
 * a name read at EL2 and EL3, and where does a write of it go?
 */

static u64 read_at(unsigned int el, unsigned int reg)
{
    u64 value = 0;

    run_el(el, SPSR_PM, access_stub(reg, false), (u64)&value);
    return value;
}

static void write_at(unsigned int el, unsigned int reg, u64 value)
{
    run_el(el, SPSR_PM, access_stub(reg, true), (u64)&value);
}

/* @stands_for: the level whose register the name means at @el */
static void point_name(const char *what, unsigned int el, unsigned int reg,
                       const u64 values[4], u64 new_value,
                       u64 (*get)(unsigned int el), unsigned int stands_for)
{
    u64 seen = read_at(el, reg);
    bool ok = ran_to_end() && seen == values[stands_for];

    write_at(el, reg, new_value);
    for (unsigned int i = 1; i < 4; i++) {
        if (values[i]) {
            ok &= get(i) == (i == stands_for ? new_value : values[i]);
        }
    }
    if (wrong(ok)) {
        print("# %s at EL%u, %s: expected that of EL%u, read 0x%lx; after a "
              "write 0x%lx 0x%lx\n", reg_name[reg], el, what, stands_for,
              seen, get(1), get(2));
    }
}

static u64 get_trfcr(unsigned int el)
{
    return el == 1 ? read_reg(TRFCR_EL1) : read_reg(TRFCR_EL2);
}

static void points_trbsr(unsigned int trbee, unsigned int ee, bool host)
{
    static const u64 values[4] = { 0, TRBSR_WRAP, TRBSR_TRG, TRBSR_S };
    static const struct {
        u8 el, reg;
    } names[] = {
        { 1, REG_TRBSR_EL1 }, { 2, REG_TRBSR_EL1 }, { 3, REG_TRBSR_EL1 },
        { 2, REG_TRBSR_EL12 }, { 3, REG_TRBSR_EL12 },
        { 2, REG_TRBSR_EL2 }, { 3, REG_TRBSR_EL2 }, { 3, REG_TRBSR_EL3 },
    };

    for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
        unsigned int reg = names[i].reg, el = names[i].el, stands_for = 1;

        if ((reg == REG_TRBSR_EL12 && !host) ||
            (reg == REG_TRBSR_EL2 && el == 2 && !trbee)) {
            continue;           /* UNDEFINED; trapped */
        }
        if (reg == REG_TRBSR_EL2 ||
            (reg == REG_TRBSR_EL1 && el == 2 && host && trbee && ee)) {
            stands_for = 2;
        } else if (reg == REG_TRBSR_EL3) {
            stands_for = 3;
        }
        reset_controls();
        set_hcr(host ? HCR_E2H : 0);
        write_reg(mdcr_el3, MDCR_EL3_BASE |
                  FIELD(trbee, MDCR_EL3_TRBEE_SHIFT));
        write_reg(TRFCR_EL2, FIELD(ee, TRFCR_EE_SHIFT));
        write_reg(TRBSR_EL1, values[1]);
        write_reg(TRBSR_EL2, values[2]);
        write_reg(TRBSR_EL3, values[3]);
        point_name(host ? "host" : "no host", el, reg, values, 0x3f, trbsr,
                   stands_for);
    }
}

static void points_trfcr(bool host)
{
    static const u64 values[4] = { 0, TRFCR_E0TRE, TRFCR_ExTRE, 0 };
    const u64 new_value = TRFCR_E0TRE | TRFCR_ExTRE;
    static const struct {
        u8 el, reg;
    } names[] = {
        { 1, REG_TRFCR_EL1 }, { 2, REG_TRFCR_EL1 }, { 3, REG_TRFCR_EL1 },
        { 2, REG_TRFCR_EL12 }, { 3, REG_TRFCR_EL12 },
        { 2, REG_TRFCR_EL2 }, { 3, REG_TRFCR_EL2 },
    };

    for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
        unsigned int reg = names[i].reg, el = names[i].el;
        bool el2 = reg == REG_TRFCR_EL2 ||
                   (reg == REG_TRFCR_EL1 && el == 2 && host);

        if (reg == REG_TRFCR_EL12 && !host) {
            continue;           /* UNDEFINED */
        }
        reset_controls();
        set_hcr(host ? HCR_E2H : 0);
        write_reg(TRFCR_EL1, values[1]);
        write_reg(TRFCR_EL2, values[2]);
        point_name(host ? "host" : "no host", el, reg, values, new_value,
                   get_trfcr, el2 ? 2 : 1);
    }
}

/* TRBIDR_EL1.P: not programmable where a higher level or another state owns */
static void point_programmable(unsigned int el, unsigned int state,
                               unsigned int owner, unsigned int e2tb)
{
    bool el2_owns = e2tb == 0 && (owner != OWNER_SECURE ||
                                  state == SECURE_EL2);
    bool expected, got;

    reset_controls();
    set_scr(state_scr[state]);
    write_reg(mdcr_el3, MDCR_EL3_ENPM2 | owner_mdcr[owner]);
    write_reg(mdcr_el2, PMU_COUNTERS | FIELD(e2tb, MDCR_EL2_E2TB_SHIFT));
    expected = (el2_owns ? 2 : 1) > el ||
               (el != 3 && owner_of(state) != owner);
    got = read_at(el, REG_TRBIDR_EL1) & BIT(4);
    if (wrong(got == expected)) {
        print("# TRBIDR_EL1.P at EL%u, state %u, owner %u, E2TB %u: %u\n",
              el, state, owner, e2tb, got);
    }
}

void suite_access(void)
{
    suite_start("registers: traps and names");
    for (unsigned int control = 0; control < NUM_CONTROLS; control++) {
        for (unsigned int reg = 0; reg < NUM_REGS; reg++) {
            for (unsigned int i = 0; i < 8; i++) {
                point_access(control, reg, i / 2, i & 1);
            }
        }
    }
    for (unsigned int i = 0; features.trbe_exc && i < 32; i++) {
        points_trbsr(i & 3, (i >> 2) & 3, i >> 4);
    }
    if (features.trbe) {
        points_trfcr(false);
        points_trfcr(true);
    }
    for (u32 i = 0; features.trbe && i < 3 * STATES * OWNERS * 2; i++) {
        unsigned int n = i, el, state, owner;

        el = 1 + n % 3, n /= 3;
        state = n % STATES, n /= STATES;
        owner = n % OWNERS, n /= OWNERS;
        if (reachable(el, false, state) && has_owner(owner)) {
            point_programmable(el, state, owner, n ? 3 : 0);
        }
    }
    suite_end();
}

/*
 * Where trace is prohibited: by the owner of the buffer, and by FEAT_TRF
 */

struct prohibited {
    unsigned int el, tge, state, el3_allows, owner, e2tb, trfcr1, trfcr2;
};

static bool trace_is_allowed(const struct prohibited *p)
{
    bool tge = p->tge && p->state != SECURE;
    /* The owner's state has an EL2 that is enabled. */
    bool owner_el2 = p->owner != OWNER_SECURE || p->state == SECURE_EL2;
    unsigned int owner_el = owner_el2 && p->e2tb == 0 ? 2 : 1;

    if (p->el == 3 || owner_of(p->state) != p->owner || p->el > owner_el ||
        (tge && owner_el == 1) ||
        (p->state != NONSECURE && !p->el3_allows)) {
        return false;
    }
    switch (p->el) {
    case 2:
        return p->trfcr2 & 2;
    case 1:
        return p->trfcr1 & 2;
    default:
        return (tge ? p->trfcr2 : p->trfcr1) & 1;
    }
}

static void point_prohibited(const struct prohibited *p)
{
    u64 base = (u64)trace_buffer;
    bool traced;

    reset_controls();
    set_scr(state_scr[p->state]);
    set_hcr(p->tge ? HCR_TGE : 0);
    write_reg(mdcr_el3, MDCR_EL3_ENPM2 | owner_mdcr[p->owner] |
              (p->el3_allows ? MDCR_EL3_STE | MDCR_EL3_RLTE : 0));
    write_reg(mdcr_el2, PMU_COUNTERS | FIELD(p->e2tb, MDCR_EL2_E2TB_SHIFT));
    write_reg(TRFCR_EL1, p->trfcr1);
    write_reg(TRFCR_EL2, p->trfcr2);
    write_reg(TRBBASER_EL1, base);
    write_reg(TRBPTR_EL1, base);
    write_reg(TRBLIMITR_EL1, (base + PAGE) | TRBLIMITR_TM_IGNORE |
              TRBLIMITR_E);
    write_reg(TRCPRGCTLR, 1);
    isb();
    trace_run(p->el, 30);
    traced = read_reg(TRBPTR_EL1) > base;
    trace_disable();
    if (wrong(traced == trace_is_allowed(p) && ran_to_end() && !trbsr(1))) {
        print("# trace at EL%u TGE %u state %u, EL3 allows %u, owner %u, "
              "E2TB %u, TRFCR_EL1 %u TRFCR_EL2 %u: %u; TRBSR 0x%lx\n",
              p->el, p->tge, p->state, p->el3_allows, p->owner, p->e2tb,
              p->trfcr1, p->trfcr2, traced, trbsr(1));
    }
}

void suite_prohibited(void)
{
    struct prohibited p;

    suite_start("where trace is prohibited");
    for (u32 i = 0; i < 4 * 2 * STATES * 2 * OWNERS * 3 * 4 * 4; i++) {
        u32 n = i;

        p.el = n % 4, n /= 4;
        p.tge = n % 2, n /= 2;
        p.state = n % STATES, n /= STATES;
        p.el3_allows = n % 2, n /= 2;
        p.owner = n % OWNERS, n /= OWNERS;
        p.trfcr1 = n % 4, n /= 4;
        p.trfcr2 = n % 4, n /= 4;
        p.e2tb = n ? n + 1 : 0;
        if (reachable(p.el, p.tge, p.state) && has_owner(p.owner)) {
            point_prohibited(&p);
        }
    }
    suite_end();
}
