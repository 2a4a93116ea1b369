/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FEAT_TRBE_EXC: Tables D6-5 to D6-10
 */
#include "suites.h"
#include "tables.h"
#include "trace.h"

/*
 * Tables D6-5 to D6-7: each kind of management event, where it is recorded.
 * The trace buffer raises the event at the first byte it is to write; that it
 * raises the real ones of its own accord is for trbe-buffer.c to show.
 */

static const struct kind {
    const char *name;
    u8 ec;
    u8 fsc;
    enum table_id table;
    const char *column;
} kinds[] = {
    { "stage 1 GPF", TRB_EC_S1, 0x28, D6_5, "GPF Stage 1" },
    { "stage 1 GPF on walk", TRB_EC_S1, 0x25, D6_5, "GPF Stage 1" },
    { "stage 2 GPF on walk", TRB_EC_S2, 0x24, D6_5, "GPF Stage 2" },
    { "GPC fault", TRB_EC_GPC, 0, D6_5, "GPC fault" },
    { "stage 1 External abort", TRB_EC_S1, 0x10, D6_6, "Stage 1" },
    { "stage 1 External abort on walk", TRB_EC_S1, 0x14, D6_6, "Stage 1" },
    { "stage 2 External abort on walk", TRB_EC_S2, 0x15, D6_6, "Stage 2" },
    { "stage 1 translation fault", TRB_EC_S1, 0x07, D6_7,
      "Other abort Stage 1" },
    { "stage 1 permission fault", TRB_EC_S1, 0x0f, D6_7,
      "Other abort Stage 1" },
    { "stage 2 permission fault", TRB_EC_S2, 0x0e, D6_7,
      "Other abort Stage 2" },
    { "IMPLEMENTATION DEFINED event", TRB_EC_IMPDEF, 0x05, D6_7,
      "Other event" },
    { "buffer full", TRB_EC_OTHER, TRB_BSC_FILLED, D6_7, "Other event" },
};

struct d6_record {
    unsigned int trbee, el2_ee, e2tb, scr_ea, scr_gpf, hcr_tea, hcr_gpf;
};

/* The level that the row of the registers as they are now has */
static int table_recording_el(const struct kind *kind,
                              const struct d6_record *p)
{
    bool gpf = kind->table == D6_5;
    u64 in_scr = gpf ? SCR_GPF : SCR_EA, in_hcr = gpf ? HCR_GPF : HCR_TEA;
    const unsigned int d6_5_or_6[] = {
        p->trbee, !!(read_reg(scr_el3) & in_scr), p->el2_ee, p->e2tb,
        !!(read_reg(hcr_el2) & in_hcr)
    };
    const unsigned int d6_7[] = { p->trbee, p->el2_ee, p->e2tb };
    const char *cell = table_cell(kind->table,
                                  kind->table == D6_7 ? d6_7 : d6_5_or_6,
                                  kind->column);

    return cell ? says_el(cell) : 0;
}

static void point_d6_record(const struct kind *kind,
                            const struct d6_record *p)
{
    u64 limit = (u64)trace_buffer + PAGE, sr = 0;
    int expected, got;

    reset_controls();
    set_scr(SCR_NS | (p->scr_ea ? SCR_EA : 0) | (p->scr_gpf ? SCR_GPF : 0));
    set_hcr((p->hcr_tea ? HCR_TEA : 0) | (p->hcr_gpf ? HCR_GPF : 0));
    write_reg(mdcr_el3, MDCR_EL3_BASE |
              FIELD(p->trbee, MDCR_EL3_TRBEE_SHIFT));
    write_reg(mdcr_el2, PMU_COUNTERS | FIELD(p->e2tb, MDCR_EL2_E2TB_SHIFT));
    write_reg(TRFCR_EL1, TRFCR_ExTRE);
    write_reg(TRFCR_EL2, FIELD(p->el2_ee, TRFCR_EE_SHIFT));
    if (kind->ec != TRB_EC_OTHER) {
        write_reg(TRBINJ_EL1, FIELD(kind->ec, TRBSR_EC_SHIFT) | kind->fsc);
    }
    trace_enable((u64)trace_buffer, limit, TRBLIMITR_FILL |
                 TRBLIMITR_TM_IGNORE);
    trace_run(1, kind->ec == TRB_EC_OTHER ? 3 * PAGE : 30);
    trace_disable();

    got = recorded_el();
    if (got > 0) {
        sr = trbsr(got);
    }
    expected = expect_recording_el(kind->ec, kind->fsc);
    if (wrong(got == expected && got == table_recording_el(kind, p) &&
              (sr & TRBSR_S) && (sr & TRBSR_IRQ) && TRBSR_EC(sr) == kind->ec &&
              (sr & TRBSR_MSS) == kind->fsc)) {
        print("# %s, TRBEE %u EL2.EE %u E2TB %u SCR.EA %u GPF %u HCR.TEA %u "
              "GPF %u: expected TRBSR_EL%d, got 0x%lx 0x%lx 0x%lx\n",
              kind->name, p->trbee, p->el2_ee, p->e2tb, p->scr_ea, p->scr_gpf,
              p->hcr_tea, p->hcr_gpf, expected, trbsr(1), trbsr(2), trbsr(3));
    }
}

static void points_d6_record(const struct kind *kind)
{
    static const u8 e2tb[] = { 0, 2, 3 };
    struct d6_record p;

    for (u32 i = 0; i < 4 * 4 * 3 * 16; i++) {
        u32 n = i;

        p.trbee = n % 4, n /= 4;
        p.el2_ee = n % 4, n /= 4;
        p.e2tb = e2tb[n % 3], n /= 3;
        p.scr_ea = n % 2, n /= 2;
        p.scr_gpf = n % 2, n /= 2;
        p.hcr_tea = n % 2, n /= 2;
        p.hcr_gpf = n % 2;
        point_d6_record(kind, &p);
    }
}

static void suite_d6_record_by(enum table_id table, const char *name)
{
    suite_start(name);
    for (unsigned int k = 0; k < ARRAY_SIZE(kinds); k++) {
        if (kinds[k].table == table) {
            points_d6_record(&kinds[k]);
        }
    }
    suite_end();
}

void suite_d6_record(void)
{
    /* Their EC and FSC do not exist without FEAT_RME. */
    if (features.rme) {
        suite_d6_record_by(D6_5, "D6-5: where granule faults are recorded");
    }
    suite_d6_record_by(D6_6, "D6-6: where External aborts are recorded");
    suite_d6_record_by(D6_7, "D6-7: where other events are recorded");
}

/*
 * Tables D6-8 to D6-10: TRBSR_ELx.IRQ set by software, as a higher Exception
 * level injects an event; one of them, or several at once. The trace buffer is
 * enabled after that, or not at all: these tables do not mention it.
 */

extern const char trace_nops[];
asm(".text\n"
    "trace_nops: nop; nop; nop; ret\n");

struct d6_deliver {
    unsigned int irqs, trbee, el2_ee, el2_ke, tge, el1_ee, el1_ke, pm, el;
    unsigned int state, owner;
    bool enabled;
};

static bool has_row(const struct d6_deliver *p)
{
    return p->state != SECURE && p->owner == owner_of(p->state) &&
           !(p->irqs & (p->irqs - 1));
}

/*
 * What happened is what the table of the one TRBSR_ELx.IRQ has, for a buffer
 * that belongs to the present Security state and an EL2 that is enabled.
 */
static bool is_as_tables(const struct d6_deliver *p, int taken_el, bool irq)
{
    const unsigned int d6_8[] = {
        p->trbee, p->el2_ee, p->tge, p->el1_ee, p->el1_ke, p->pm
    };
    const unsigned int d6_9[] = {
        p->trbee, p->el2_ee, p->el2_ke, p->tge, p->pm
    };
    const unsigned int d6_10[] = { p->trbee, p->tge };
    const char *cell;

    switch (p->irqs) {
    case BIT(1):
        cell = table_cell(D6_8, d6_8, "IRQ");
        if (!cell || says(cell, "HIGH") != irq) {
            return false;
        }
        cell = table_cell(D6_8, d6_8, el_name[p->el]);
        break;
    case BIT(2):
        cell = table_cell(D6_9, d6_9, el_name[p->el]);
        break;
    default:
        cell = table_cell(D6_10, d6_10, el_name[p->el]);
    }
    return cell && says_el(cell) == taken_el;
}

static void point_d6_deliver(const struct d6_deliver *p)
{
    int expected_el, taken_el;
    bool expected_irq, irq, ok;

    reset_controls();
    set_scr(state_scr[p->state]);
    set_hcr(p->tge ? HCR_TGE : 0);
    write_reg(mdcr_el3, MDCR_EL3_ENPM2 |
              owner_mdcr[p->owner] |
              FIELD(p->trbee, MDCR_EL3_TRBEE_SHIFT));
    write_reg(TRFCR_EL1, FIELD(p->el1_ee, TRFCR_EE_SHIFT) |
              (p->el1_ke ? TRFCR_KE : 0));
    write_reg(TRFCR_EL2, FIELD(p->el2_ee, TRFCR_EE_SHIFT) |
              (p->el2_ke ? TRFCR_KE : 0));
    write_reg(TRBSR_EL1, p->irqs & BIT(1) ? TRBSR_IRQ : 0);
    write_reg(TRBSR_EL2, p->irqs & BIT(2) ? TRBSR_IRQ : 0);
    write_reg(TRBSR_EL3, p->irqs & BIT(3) ? TRBSR_IRQ : 0);
    isb();
    if (p->enabled) {
        write_reg(TRBLIMITR_EL1, TRBLIMITR_E);
        isb();
    }

    irq = ppi_level(INTID_TRBIRQ);
    expect_trbe(p->el, p->pm, &expected_el, &expected_irq);
    if (features.irq_gated && !p->enabled) {
        expected_el = 0;
        expected_irq = false;
    }
    run_el(p->el, p->pm ? SPSR_PM : 0, trace_nops, 0);
    taken_el = profiling_taken() ? record[0].el : 0;

    ok = taken_el == expected_el && irq == expected_irq;
    if (taken_el) {
        ok &= record[0].esr == ESR_PROFILING(2, 0) &&
              record[0].elr == (u64)trace_nops &&
              !(record[0].vector & 0x180) &&
              !!(record[0].spsr & SPSR_PM) == p->pm;
    } else {
        ok &= ran_to_end();
    }
    if (has_row(p) && !(features.irq_gated && !p->enabled)) {
        ok &= is_as_tables(p, taken_el, irq);
    }
    if (wrong(ok)) {
        print("# IRQ bits 0x%x, E %u TRBEE %u EL2.EE %u KE %u TGE %u EL1.EE "
              "%u KE %u PM %u EL%u state %u owner %u: expected EL%d irq %u, "
              "got EL%d irq %u; vector 0x%lx ESR 0x%lx ELR 0x%lx SPSR "
              "0x%lx\n",
              p->irqs, p->enabled, p->trbee, p->el2_ee, p->el2_ke, p->tge, p->el1_ee,
              p->el1_ke, p->pm, p->el, p->state, p->owner, expected_el,
              expected_irq, taken_el, irq, record[0].vector, record[0].esr,
              record[0].elr, record[0].spsr);
    }
}

/* With @enabled other than irq_gated asks for, those that have a row only */
static void points_d6_deliver(unsigned int irqs, bool enabled)
{
    struct d6_deliver p = { .irqs = irqs, .enabled = enabled };

    for (u32 i = 0; i < 4 * 4 * 2 * 2 * 4 * 2 * 2 * 4 * STATES * OWNERS; i++) {
        u32 n = i;

        p.el = n % 4, n /= 4;
        p.pm = n % 2, n /= 2;
        p.el1_ke = n % 2, n /= 2;
        p.el1_ee = n % 4, n /= 4;
        p.tge = n % 2, n /= 2;
        p.el2_ke = n % 2, n /= 2;
        p.el2_ee = n % 4, n /= 4;
        p.trbee = n % 4, n /= 4;
        p.state = n % STATES, n /= STATES;
        p.owner = n;
        if (reachable(p.el, p.tge, p.state) && has_owner(p.owner) &&
            (enabled == features.irq_gated || has_row(&p))) {
            point_d6_deliver(&p);
        }
    }
}

void suite_d6_deliver(void)
{
    bool e = features.irq_gated;

    suite_start("D6-8: TRBSR_EL1.IRQ, exception or interrupt");
    points_d6_deliver(BIT(1), e);
    suite_end();
    suite_start("D6-9: TRBSR_EL2.IRQ, exception");
    points_d6_deliver(BIT(2), e);
    suite_end();
    suite_start("D6-10: TRBSR_EL3.IRQ, exception");
    points_d6_deliver(BIT(3), e);
    suite_end();
    suite_start("D6-8 to D6-10: several at once");
    points_d6_deliver(BIT(1) | BIT(2), e);
    points_d6_deliver(BIT(1) | BIT(3), e);
    points_d6_deliver(BIT(2) | BIT(3), e);
    points_d6_deliver(BIT(1) | BIT(2) | BIT(3), e);
    suite_end();
    suite_start(e ? "IRQ means nothing while E is 0" :
                "with E set after IRQ");
    points_d6_deliver(BIT(1), !e);
    points_d6_deliver(BIT(2), !e);
    points_d6_deliver(BIT(3), !e);
    suite_end();
}
