/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FEAT_SEBEP: Table D13-2, and whether a synchronous exception names the
 * instruction that was counted, for each event at each of its occurrences
 */
#include "suites.h"
#include "tables.h"

#define BR_RETIRED      0x21

/* PMEVTYPER<n>_EL0 filter that counts at @el only, of EL0 to EL3 */
static u64 only_at(unsigned int el)
{
    switch (el) {
    case 0:
        return PMEVTYPER_P;
    case 1:
        return PMEVTYPER_U | PMEVTYPER_M;
    case 2:
        return PMEVTYPER_U | PMEVTYPER_P | PMEVTYPER_NSH;
    default:
        return PMEVTYPER_U | PMEVTYPER_P | PMEVTYPER_M;
    }
}

/*
 * Table D13-2. A return from @from to @to, where PPEND shows: a synchronous
 * exception comes at once if it is 1, for it is only set where unmasked.
 */

struct excursion {
    u64 spsr;
    u64 elr;
};

extern const char return_from_el1[], return_from_el2[], return_from_el3[];
asm(".text\n"
    "return_from_el1: ldp x1, x2, [x0]; msr spsr_el1, x1; msr elr_el1, x2;"
    "                 eret\n"
    "return_from_el2: ldp x1, x2, [x0]; msr spsr_el2, x1; msr elr_el2, x2;"
    "                 eret\n"
    "return_from_el3: ldp x1, x2, [x0]; msr spsr_el3, x1; msr elr_el3, x2;"
    "                 eret\n");
static const char *const return_from[] = {
    0, return_from_el1, return_from_el2, return_from_el3
};

/*
 * @counted: counter 0, in synchronous mode and overflowed, counts branches at
 * @from, of which the return is the only one
 */
struct d13_2 {
    unsigned int el3_pmee, el2_pmee, tge, el1_pmee, kpme, pm, new_pm, ppend;
    unsigned int from, to, counted;
};

/* What Table D13-1 has for @el with PSTATE.PM = @pm */
static const char *d13_1_cell(const struct d13_2 *p, unsigned int el,
                              unsigned int pm)
{
    const unsigned int controls[] = {
        p->el3_pmee, p->el2_pmee, p->tge, p->el1_pmee, p->kpme, pm
    };

    return table_cell(D13_1, controls, el_name[el]);
}

/* What Table D13-2 makes of that, and where it leaves it to RNZLVW: anything */
static bool is_as_d13_2(const struct d13_2 *p, bool ppend)
{
    const char *before = d13_1_cell(p, p->from, p->pm), *behaviour;
    const char *after = d13_1_cell(p, p->to, p->new_pm);

    if (!before || !after) {
        return p->el1_pmee == 1;
    }
    if (!table_d13_2_case(before, after, &behaviour)) {
        return false;
    }
    if (says(behaviour, "PSTATE.PPEND is set to 0.")) {
        return !ppend;
    }
    if (says(behaviour, "PSTATE.PPEND is set to SPSR_ELx.PPEND.")) {
        return ppend == p->ppend;
    }
    return p->counted || !ppend;
}

static void point_d13_2(const struct d13_2 *p)
{
    static struct excursion x;
    u64 eret = (u64)return_from[p->from] + 12;
    enum ppend expected;
    bool ppend, ok;

    reset_controls();
    set_hcr(p->tge ? HCR_TGE : 0);
    write_reg(mdcr_el3, MDCR_EL3_BASE | MDCR_EL3_SPME |
              FIELD(p->el3_pmee, MDCR_PMEE_SHIFT));
    write_reg(mdcr_el2, MDCR_EL2_BASE | FIELD(p->el2_pmee, MDCR_PMEE_SHIFT));
    write_reg(PMECR_EL1, p->el1_pmee | (p->kpme ? PMECR_KPME : 0));
    if (p->counted) {
        write_reg(pmevtyper0_el0, BR_RETIRED | only_at(p->from) |
                  PMEVTYPER_SYNC);
        write_reg(pmcntenset_el0, 1);
        write_reg(pmintenset_el1, 1);
        write_reg(pmovsset_el0, 1);
        write_reg(pmcr_el0, 1);
    }

    x.spsr = (p->to ? SPSR_ELH(p->to) : SPSR_EL0T) | SPSR_DAIF |
             (p->new_pm ? SPSR_PM : 0) | (p->ppend ? SPSR_PPEND : 0);
    x.elr = (u64)run_end;
    expected = expect_ppend(p->from, p->pm, p->to, x.spsr, p->counted);
    run_el(p->from, p->pm ? SPSR_PM : 0, return_from[p->from], (u64)&x);
    write_reg(pmcr_el0, 0);

    ppend = profiling_taken();
    ok = (expected == PPEND_EITHER || ppend == (expected == PPEND_1)) &&
         is_as_d13_2(p, ppend);
    if (ppend) {
        /* Taking it moves PPEND to SPSR_ELx. */
        ok &= record[0].esr == ESR_PROFILING(0, 1) &&
              record[0].elr == (u64)run_end && (record[0].spsr & SPSR_PPEND);
    } else {
        ok &= ran_to_end() && !(record[0].spsr & SPSR_PPEND);
    }
    if (ppend && p->counted && !p->ppend) {
        ok &= read_reg(PMIAR_EL1) == eret;
    }
    if (wrong(ok)) {
        print("# return EL%u PM %u to EL%u PM %u PPEND %u counted %u; EL3.PMEE "
              "%u EL2.PMEE %u TGE %u PMECR.PMEE %u KPME %u: expected PPEND %u, "
              "got %u; ESR 0x%lx ELR 0x%lx SPSR 0x%lx PMIAR 0x%lx\n", p->from,
              p->pm, p->to, p->new_pm, p->ppend, p->counted, p->el3_pmee,
              p->el2_pmee, p->tge, p->el1_pmee, p->kpme, expected, ppend,
              record[0].esr, record[0].elr, record[0].spsr,
              read_reg(PMIAR_EL1));
    }
}

void suite_d13_2(void)
{
    struct d13_2 p;

    suite_start("D13-2: PSTATE.PPEND on an exception return");
    for (u32 i = 0; i < 2 * 4 * 4 * 4 * 2 * 2 * 2 * 2 * 2 * 4 * 3; i++) {
        u32 n = i;

        p.to = n % 4, n /= 4;
        p.from = 1 + n % 3, n /= 3;
        p.counted = n % 2, n /= 2;
        p.ppend = n % 2, n /= 2;
        p.new_pm = n % 2, n /= 2;
        p.pm = n % 2, n /= 2;
        p.kpme = n % 2, n /= 2;
        p.tge = n % 2, n /= 2;
        p.el1_pmee = n % 4, n /= 4;
        p.el2_pmee = n % 4, n /= 4;
        p.el3_pmee = n;
        if (p.to <= p.from && reachable(p.from, p.tge, NONSECURE) &&
            reachable(p.to, p.tge, NONSECURE)) {
            point_d13_2(&p);
        }
    }
    suite_end();
}

/*
 * The sampled instruction. A program whose instructions run in a known order;
 * counter 0 is set to overflow at the nth event, for every n and event.
 */

enum {
    INST = 1, BRANCH = 2, IMMED = 4, RETURN = 8, PC_WRITE = 16, SW_INCR = 32,
    MISPREDICTED = 64
};

extern const u32 start_program[], program[];
asm(".text\n"
    /* Counting starts here, so that none of the way here counts at EL3. */
    "start_program: msr pmcr_el0, x0\n"
    "program:\n"
    "0: mov x1, #3\n"
    "1: sub x1, x1, #1\n"
    "2: cbnz x1, 1b\n"
    "3: mov x9, x30\n"
    "4: bl 8f\n"
    "5: adr x2, 11f\n"
    "6: br x2\n"
    "7: nop\n"
    "8: tbz xzr, #0, 10f\n"
    "9: nop\n"
    "10: ret\n"
    "11: b.al 13f\n"
    "12: nop\n"
    "13: isb\n"
    "14: mov x3, #1\n"
    "15: msr pmswinc_el0, x3\n"
    "16: cbz x1, 17f\n"
    "17: cbnz x1, 1b\n"
    "18: dmb sy\n"
    "19: mov x30, x9\n"
    "20: ret\n");

#define LOOP    { 1, INST }, { 2, INST | BRANCH | IMMED | PC_WRITE }
static const struct step {
    u8 index;
    u8 events;
} steps[] = {
    { 0, INST },
    LOOP, LOOP,
    { 1, INST }, { 2, INST | BRANCH | IMMED },
    { 3, INST },
    { 4, INST | BRANCH | IMMED | PC_WRITE },
    { 8, INST | BRANCH | IMMED | PC_WRITE },
    { 10, INST | BRANCH | RETURN | PC_WRITE },
    { 5, INST },
    { 6, INST | BRANCH | PC_WRITE },
    { 11, INST | BRANCH | IMMED | PC_WRITE },
    { 13, INST },
    { 14, INST },
    { 15, INST | SW_INCR },
    { 16, INST | BRANCH | IMMED | PC_WRITE },
    { 17, INST | BRANCH | IMMED },
    { 18, INST },
    { 19, INST },
    { 20, INST | BRANCH | RETURN | PC_WRITE },
};

static const struct event {
    u16 number;
    u8 mask;
} events[] = {
    { 0x00, SW_INCR }, { 0x08, INST }, { 0x0c, PC_WRITE }, { 0x0d, IMMED },
    { 0x0e, RETURN }, { 0x21, BRANCH }, { 0x22, MISPREDICTED },
};

/* Address of step @i; the one after the last is the way back. */
static u64 step_pc(unsigned int i)
{
    return i < ARRAY_SIZE(steps) ? (u64)&program[steps[i].index] :
                                   (u64)run_end;
}

/* Overflow at the @n-th @ev, program at @el, exception to @target */
static void point_sync(const struct event *ev, unsigned int el,
                       unsigned int target, unsigned int n, bool sync)
{
    u64 expected_pc = 0, mask = 0, count, flags, pmiar;
    unsigned int seen = 0;
    int overflow, sample;
    bool ok;

    reset_controls();
    write_reg(mdcr_el3, MDCR_EL3_BASE | MDCR_EL3_SPME |
              FIELD(target == 3 ? 3 : 1, MDCR_PMEE_SHIFT));
    write_reg(mdcr_el2, MDCR_EL2_BASE | FIELD(target == 2 ? 3 : 1,
                                              MDCR_PMEE_SHIFT));
    write_reg(PMECR_EL1, 3 | PMECR_KPME);
    write_reg(pmuserenr_el0, 1);
    write_reg(pmevtyper0_el0, ev->number | only_at(el) |
              (sync ? PMEVTYPER_SYNC : 0));
    write_reg(pmevcntr0_el0, -(u64)n);
    write_reg(pmcntenset_el0, 1);
    write_reg(pmintenset_el1, 1);
    for (unsigned int i = 0; i < ARRAY_SIZE(steps); i++) {
        if (steps[i].events & ev->mask) {
            mask |= BIT(i);
            seen++;
        }
    }
    expect_sample(el, mask, &overflow, &sample);
    run_el(el, 0, start_program, 1);
    write_reg(pmcr_el0, 0);
    count = read_reg(pmevcntr0_el0);
    flags = read_reg(pmovsset_el0);
    pmiar = read_reg(PMIAR_EL1);

    if (sample >= 0) {
        expected_pc = step_pc(sample);
    }
    if (overflow < 0) {
        /*
         * Fewer events than that. The SMC at the end is executed, but with its
         * exception cannot be a sample. At the target, the vector counts too.
         */
        seen += el && ev->mask == INST;
        ok = ran_to_end() && !pmiar &&
             (target == el || (count == seen - (u64)n && flags == !count));
    } else {
        ok = profiling_taken() && record[0].el == target && flags == 1 &&
             record[0].esr == ESR_PROFILING(0, sync) &&
             record[0].elr == step_pc(overflow + 1) &&
             !!(record[0].spsr & SPSR_PPEND) == sync && pmiar == expected_pc;
    }
    if (wrong(ok)) {
        print("# event 0x%02x at EL%u to EL%u, n %u, SYNC %u: expected PMIAR "
              "0x%lx ELR 0x%lx, got 0x%lx 0x%lx; ESR 0x%lx SPSR 0x%lx count "
              "0x%lx\n", ev->number, el, target, n, sync, expected_pc,
              step_pc(overflow + 1), pmiar, record[0].elr, record[0].esr,
              record[0].spsr, count);
    }
}

/* An event that is not synchronous does not count with SYNC set (D13.5). */
static void point_not_synchronous(bool sync)
{
    u64 count;

    reset_controls();
    write_reg(mdcr_el3, MDCR_EL3_BASE | MDCR_EL3_SPME);
    write_reg(pmevtyper0_el0, 0x11 | (sync ? PMEVTYPER_SYNC : 0));
    write_reg(pmevcntr0_el0, 0);
    write_reg(pmcntenset_el0, 1);
    write_reg(pmcr_el0, 1);
    for (volatile u32 i = 0; i < 1000; i++) {
    }
    count = read_reg(pmevcntr0_el0);
    if (wrong((count != 0) == expect_counts(3, 0))) {
        print("# CPU_CYCLES with SYNC %u counts to %lu\n", sync, count);
    }
}

/*
 * Overflow while masked: no sample then. Unmasked, the next instruction of the
 * same kind is the sample (I_HMXCY).
 */
extern const u32 masked_program[];
asm(".text\n"
    "masked_program:\n"
    "0: cbz xzr, 1f\n"
    "1: cbz xzr, 2f\n"
    "2: nop\n"
    ".inst 0xd501421f\n"                /* MSR PM, #0 */
    "4: nop\n"
    "5: cbz xzr, 6f\n"
    "6: nop\n"
    "ret\n");

static void point_masked(void)
{
    reset_controls();
    write_reg(mdcr_el3, MDCR_EL3_BASE | FIELD(1, MDCR_PMEE_SHIFT));
    write_reg(mdcr_el2, MDCR_EL2_BASE | FIELD(1, MDCR_PMEE_SHIFT));
    write_reg(PMECR_EL1, 3 | PMECR_KPME);
    write_reg(pmevtyper0_el0, 0x21 | only_at(1) | PMEVTYPER_SYNC);
    write_reg(pmevcntr0_el0, -1ULL);
    write_reg(pmcntenset_el0, 1);
    write_reg(pmintenset_el1, 1);
    write_reg(pmcr_el0, 1);
    run_el(1, SPSR_PM, masked_program, 0);
    write_reg(pmcr_el0, 0);
    if (wrong(profiling_taken() &&
              record[0].esr == ESR_PROFILING(0, 1) &&
              record[0].elr == (u64)&masked_program[6] &&
              read_reg(PMIAR_EL1) == (u64)&masked_program[5])) {
        print("# masked overflow: ESR 0x%lx ELR 0x%lx PMIAR 0x%lx\n",
              record[0].esr, record[0].elr, read_reg(PMIAR_EL1));
    }
}

void suite_sync(void)
{
    suite_start("SEBEP: the sampled instruction");
    for (unsigned int e = 0; e < ARRAY_SIZE(events); e++) {
        for (unsigned int el = 0; el < 4; el++) {
            for (unsigned int target = el ? el : 1; target < 4; target++) {
                for (unsigned int n = 1; n < ARRAY_SIZE(steps) + 2; n++) {
                    point_sync(&events[e], el, target, n, true);
                    point_sync(&events[e], el, target, n, false);
                }
            }
        }
    }
    point_not_synchronous(true);
    point_not_synchronous(false);
    point_masked();
    suite_end();
}
