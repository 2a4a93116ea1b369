/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FEAT_EBEP: Table D13-1, and what surrounds it
 */
#include "baremetal.h"
#include "suites.h"
#include "tables.h"

extern const char nops[], pm_payload[], overflow_payload[], overflow_after[];
asm(".text\n"
    "nops: nop; nop; nop; ret\n"
    /* PM as the register and both immediates have it; x0: where to put it */
    "pm_payload:\n"
    "mrs x1, S3_0_C4_C3_1\n"
    ".inst 0xd501421f\n"                /* MSR PM, #0 */
    "mrs x2, S3_0_C4_C3_1\n"
    ".inst 0xd501431f\n"                /* MSR PM, #1 */
    "mrs x3, S3_0_C4_C3_1\n"
    "mov x4, #-1\n"
    "msr S3_0_C4_C3_1, x4\n"
    "mrs x4, S3_0_C4_C3_1\n"
    "msr S3_0_C4_C3_1, xzr\n"
    "mrs x5, S3_0_C4_C3_1\n"
    "stp x1, x2, [x0]\n"
    "stp x3, x4, [x0, #16]\n"
    "str x5, [x0, #32]\n"
    "ret\n"
    /* R_HFTPJ: the exception is taken before the instruction after the ISB */
    "overflow_payload:\n"
    "mov x1, #1\n"
    "msr pmovsset_el0, x1\n"
    "isb\n"
    "overflow_after: nop\n"
    "ret\n");

/* Counter 0 has overflowed and signals it. */
static void pend_overflow(void)
{
    write_reg(pmcr_el0, 1);
    write_reg(pmintenset_el1, 1);
    write_reg(pmovsset_el0, 1);
    isb();
}

struct d13_1 {
    unsigned int el3_pmee, el2_pmee, tge, el1_pmee, kpme, pm, el, e2h, state;
};

/*
 * What happened is what the table has, which has nothing about the reserved
 * value 0b01 of PMECR_EL1.PMEE; "Dis" and "Msk" look alike.
 */
static bool is_as_d13_1(const struct d13_1 *p, int taken_el, bool irq)
{
    const unsigned int controls[] = {
        p->el3_pmee, p->el2_pmee, p->tge, p->el1_pmee, p->kpme, p->pm
    };
    const char *cell = table_cell(D13_1, controls, el_name[p->el]);

    if (!cell) {
        return p->el1_pmee == 1;
    }
    return says_el(cell) == taken_el && says(cell, "IRQ") == irq;
}

static void point_d13_1(const struct d13_1 *p)
{
    int expected_el, taken_el;
    bool expected_irq, irq, ok;

    reset_controls();
    set_scr(state_scr[p->state]);
    set_hcr((p->tge ? HCR_TGE : 0) | (p->e2h ? HCR_E2H : 0));
    write_reg(mdcr_el3, MDCR_EL3_BASE | FIELD(p->el3_pmee, MDCR_PMEE_SHIFT));
    write_reg(mdcr_el2, MDCR_EL2_BASE | FIELD(p->el2_pmee, MDCR_PMEE_SHIFT));
    write_reg(PMECR_EL1, p->el1_pmee | (p->kpme ? PMECR_KPME : 0));
    pend_overflow();

    irq = ppi_level(INTID_PMUIRQ);
    run_el(p->el, p->pm ? SPSR_PM : 0, nops, 0);
    taken_el = profiling_taken() ? record[0].el : 0;

    expect_pmu(p->el, p->pm, &expected_el, &expected_irq);
    ok = taken_el == expected_el && irq == expected_irq;
    if (taken_el) {
        ok &= record[0].esr == ESR_PROFILING(0, 0) &&
              record[0].elr == (u64)nops && !(record[0].vector & 0x180) &&
              !!(record[0].spsr & SPSR_PM) == p->pm;
    } else {
        ok &= ran_to_end();
    }
    /* The table is for an EL2 that is enabled. */
    if (p->state != SECURE) {
        ok &= is_as_d13_1(p, taken_el, irq);
    }
    if (wrong(ok)) {
        print("# EL3.PMEE %u EL2.PMEE %u TGE %u PMECR.PMEE %u KPME %u PM %u "
              "EL%u E2H %u state %u: expected EL%u irq %u, got EL%u irq %u; "
              "vector 0x%lx ESR 0x%lx ELR 0x%lx SPSR 0x%lx\n", p->el3_pmee,
              p->el2_pmee, p->tge, p->el1_pmee, p->kpme, p->pm, p->el, p->e2h,
              p->state, expected_el, expected_irq, taken_el, irq,
              record[0].vector, record[0].esr, record[0].elr, record[0].spsr);
    }
}

void suite_d13_1(void)
{
    struct d13_1 p;

    suite_start("D13-1: PMU exception, enabled and masked");
    for (u32 i = 0; i < 4 * 4 * 2 * 4 * 2 * 2 * 4 * 2 * STATES; i++) {
        u32 n = i;

        p.el = n % 4, n /= 4;
        p.pm = n % 2, n /= 2;
        p.kpme = n % 2, n /= 2;
        p.el1_pmee = n % 4, n /= 4;
        p.tge = n % 2, n /= 2;
        p.el2_pmee = n % 4, n /= 4;
        p.el3_pmee = n % 4, n /= 4;
        p.e2h = n % 2, n /= 2;
        p.state = n;
        if (reachable(p.el, p.tge, p.state)) {
            point_d13_1(&p);
        }
    }
    suite_end();
}

/*
 * PSTATE.PM
 */

static void point_pm_register(unsigned int el)
{
    static u64 seen[5];

    run_el(el, SPSR_PM, pm_payload, (u64)seen);
    if (el == 0) {
        if (wrong(record[0].elr == (u64)pm_payload &&
                  ESR_EC(record[0].esr) == 0)) {
            print("# PM at EL0: no UNDEF, ESR 0x%lx\n", record[0].esr);
        }
        return;
    }
    if (wrong(ran_to_end() && seen[0] == SPSR_PM && seen[1] == 0 &&
              seen[2] == SPSR_PM && seen[3] == SPSR_PM && seen[4] == 0)) {
        print("# PM at EL%u: 0x%lx 0x%lx 0x%lx 0x%lx 0x%lx\n", el, seen[0],
              seen[1], seen[2], seen[3], seen[4]);
    }
}

/* Any exception saves PM, then sets it: look at it from the vector. */
static void point_pm_entry(unsigned int el, unsigned int pm)
{
    run_el(el, pm ? SPSR_PM : 0, run_end, 0);
    if (wrong(ran_to_end() && !!(record[0].spsr & SPSR_PM) == pm &&
              record[record_count - 1].el == 3 &&
              (record_count == 1 ||
               (record[1].spsr & SPSR_PM)) && read_reg(PM) == SPSR_PM)) {
        print("# entry from EL%u, PM %u: SPSR 0x%lx, then PM 0x%lx\n", el, pm,
              record[0].spsr, read_reg(PM));
    }
}

void suite_pm(void)
{
    suite_start("PSTATE.PM: register, immediate, SPSR_ELx");
    reset_controls();
    for (unsigned int el = 0; el < 4; el++) {
        point_pm_register(el);
        point_pm_entry(el, 0);
        point_pm_entry(el, 1);
    }
    suite_end();
}

/*
 * Overflow
 */

/* The exception comes at the instruction after a context synchronisation. */
static void point_overflow_written(unsigned int el)
{
    reset_controls();
    write_reg(mdcr_el3, MDCR_EL3_BASE | FIELD(1, MDCR_PMEE_SHIFT));
    write_reg(mdcr_el2, MDCR_EL2_BASE | FIELD(el == 2 ? 3 : 1,
                                              MDCR_PMEE_SHIFT));
    write_reg(PMECR_EL1, 3 | PMECR_KPME);
    write_reg(pmcr_el0, 1);
    write_reg(pmuserenr_el0, 1);
    write_reg(pmintenset_el1, 1);
    run_el(el, 0, overflow_payload, 0);
    if (wrong(profiling_taken() &&
              record[0].elr > (u64)overflow_payload + 4 &&
              record[0].elr <= (u64)overflow_after)) {
        print("# R_HFTPJ at EL%u: ELR 0x%lx, expected up to 0x%lx; ESR 0x%lx\n",
              el, record[0].elr, (u64)overflow_after, record[0].esr);
    }
}

/*
 * Counter @n is at the value before an overflow of its low half: it overflows
 * there unless the exception is enabled, PMCR.LP, HLP or LC say otherwise.
 */
static void point_width(unsigned int n, bool enabled, bool is_long)
{
    bool cycles = n == 31, expected;
    u64 flags;

    reset_controls();
    write_reg(mdcr_el3, MDCR_EL3_BASE | MDCR_EL3_SPME |
              FIELD(enabled, MDCR_PMEE_SHIFT));
    /* The second range begins at counter 3. */
    write_reg(mdcr_el2, FIELD(3, MDCR_EL2_E2TB_SHIFT) | 3 | MDCR_EL2_HPME |
              FIELD(1, MDCR_PMEE_SHIFT) | (is_long ? BIT(26) : 0));
    write_reg(PMECR_EL1, 3);
    if (cycles) {
        write_reg(pmccfiltr_el0, 0);
        write_reg(pmccntr_el0, 0xffffffff);
    } else {
        write_reg(pmselr_el0, n);
        write_reg(pmxevtyper_el0, 0);           /* SW_INCR, at EL3 as well */
        write_reg(pmxevcntr_el0, 0xffffffff);
    }
    write_reg(pmcntenset_el0, BIT(n));
    write_reg(pmcr_el0, 1 | (is_long ? BIT(6) | BIT(7) : 0));
    expected = expect_overflow(n, 0xffffffff);
    write_reg(pmselr_el0, n);
    write_reg(pmswinc_el0, BIT(n));
    if (cycles) {
        for (u64 i = 0; i < 100000 && read_reg(pmccntr_el0) < BIT(32); i++) {
        }
    }
    flags = read_reg(pmovsset_el0);
    write_reg(pmcr_el0, 0);
    if (wrong(flags == (expected ? BIT(n) : 0))) {
        print("# width of counter %u, exception enabled %u, long %u: PMOVSSET "
              "0x%lx\n", n, enabled, is_long, flags);
    }
}

extern const u32 unmask_immediate[], unmask_register[];
extern const u32 aarch32_payload[];
asm(".text\n"
    "unmask_immediate: nop; .inst 0xd501421f; nop; ret\n"     /* MSR PM, #0 */
    "unmask_register: nop; msr S3_0_C4_C3_1, xzr; nop; ret\n"
    "aarch32_payload: .inst 0xe1a00000, 0xe1a00000, 0xef000000\n");

/* Pending at EL1 with PM set; the second instruction clears it. */
static void point_unmask(const char *what, const u32 *payload)
{
    reset_controls();
    write_reg(mdcr_el3, MDCR_EL3_BASE | FIELD(1, MDCR_PMEE_SHIFT));
    write_reg(mdcr_el2, MDCR_EL2_BASE | FIELD(1, MDCR_PMEE_SHIFT));
    write_reg(PMECR_EL1, 3 | PMECR_KPME);
    pend_overflow();
    run_el(1, SPSR_PM, payload, 0);
    if (wrong(profiling_taken() && record[0].elr == (u64)&payload[2] &&
              !(record[0].spsr & SPSR_PM))) {
        print("# unmasked by %s: ELR 0x%lx, expected 0x%lx; ESR 0x%lx SPSR "
              "0x%lx\n", what, record[0].elr, (u64)&payload[2], record[0].esr,
              record[0].spsr);
    }
}

/* AArch32 EL0: the vector is that of AArch32, and SPSR_ELx has no PM. */
static void point_aarch32(bool tge)
{
    reset_controls();
    write_reg(mdcr_el3, MDCR_EL3_BASE | FIELD(1, MDCR_PMEE_SHIFT));
    write_reg(mdcr_el2, MDCR_EL2_BASE | FIELD(1, MDCR_PMEE_SHIFT));
    write_reg(PMECR_EL1, 3);
    set_hcr(tge ? HCR_TGE : 0);
    pend_overflow();
    run_at(SPSR_DAIF | SPSR_AARCH32_USER, aarch32_payload, 0);
    if (wrong(profiling_taken() && record[0].el == (tge ? 2 : 1) &&
              record[0].esr == ESR_PROFILING(0, 0) &&
              record[0].elr == (u64)aarch32_payload &&
              (tge || record[0].vector == 0x600) &&
              !(record[0].spsr & (SPSR_PM | SPSR_PPEND)))) {
        print("# from AArch32, TGE %u: EL%lu vector 0x%lx ESR 0x%lx ELR 0x%lx "
              "SPSR 0x%lx\n", tge, record[0].el, record[0].vector,
              record[0].esr, record[0].elr, record[0].spsr);
    }
}

void suite_overflow(void)
{
    static const unsigned int counters[] = { 0, 2, 3, 5, 31 };

    suite_start("overflow: where, and how soon");
    for (unsigned int el = 0; el < 3; el++) {
        point_overflow_written(el);
    }
    point_unmask("MSR PM, #0", unmask_immediate);
    point_unmask("MSR PM, Xt", unmask_register);
    point_aarch32(false);
    point_aarch32(true);
    for (unsigned int i = 0; i < ARRAY_SIZE(counters); i++) {
        for (unsigned int n = 0; n < 4; n++) {
            point_width(counters[i], n & 1, n & 2);
        }
    }
    suite_end();
}

/*
 * Signals: PMUIRQ and the exception follow the global enables by range, and
 * only PMUIRQ the counters in synchronous mode (R_KBPMJ).
 */

static void point_signal(unsigned int n, bool e, bool hpme, bool sync)
{
    /* The second range begins at counter 3. */
    u64 mdcr = FIELD(3, MDCR_EL2_E2TB_SHIFT) | 3 |
               (hpme ? MDCR_EL2_HPME : 0);
    bool irq, expected_irq, irq_then;
    int no_el, expected_el;

    reset_controls();
    write_reg(pmselr_el0, n);
    write_reg(pmxevtyper_el0, 0);
    if (n != 31) {
        write_reg(pmxevtyper_el0, sync ? PMEVTYPER_SYNC : 0);
    }
    write_reg(PMECR_EL1, 3 | PMECR_KPME);
    write_reg(mdcr_el2, mdcr);
    write_reg(pmcr_el0, e);
    write_reg(pmintenset_el1, BIT(n));
    write_reg(pmovsset_el0, BIT(n));
    isb();
    irq = ppi_level(INTID_PMUIRQ);
    expect_pmu(0, false, &no_el, &expected_irq);

    write_reg(mdcr_el3, MDCR_EL3_BASE | FIELD(1, MDCR_PMEE_SHIFT));
    write_reg(mdcr_el2, mdcr | FIELD(1, MDCR_PMEE_SHIFT));
    expect_pmu(0, false, &expected_el, &irq_then);
    run_el(0, 0, nops, 0);
    if (wrong(irq == expected_irq && ppi_level(INTID_PMUIRQ) == irq_then &&
              profiling_taken() == (expected_el == 1))) {
        print("# counter %u E %u HPME %u SYNC %u: expected irq %u, exception "
              "%u, got irq %u exception %u\n", n, e, hpme, sync,
              expected_irq, expected_el == 1, irq, profiling_taken());
    }
}

void suite_signals(void)
{
    static const unsigned int counters[] = { 0, 2, 3, 5, 31 };

    suite_start("signals: counters, ranges, synchronous mode");
    for (unsigned int i = 0; i < ARRAY_SIZE(counters); i++) {
        for (unsigned int n = 0; n < 8; n++) {
            if (counters[i] != 31 || !(n & 4)) {
                point_signal(counters[i], n & 1, n & 2, n & 4);
            }
        }
    }
    suite_end();
}
