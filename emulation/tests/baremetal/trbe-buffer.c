/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FEAT_TRBE: the buffer modes, and the trigger
 */
#include "suites.h"
#include "trace.h"

/* All of so many pages is written and nothing behind them. */
static bool buffer_is_filled(unsigned int pages)
{
    u64 end = pages * PAGE;

    return trace_buffer[end - 1] != 0xee &&
           (pages == BUFFER_PAGES || trace_buffer[end] == 0xee);
}

static void point_not_full(void)
{
    setup_el1();
    trace_enable(BASE, LIMIT(1), TRBLIMITR_FILL | TRBLIMITR_TM_IGNORE);
    trace_run(1, 3000);
    check("not full", read_reg(TRBSR_EL1) == 0 &&
          read_reg(TRBPTR_EL1) > BASE + 1000 &&
          read_reg(TRBPTR_EL1) < BASE + 1100 &&
          buffer_is_trace(read_reg(TRBPTR_EL1)) && !ppi_level(INTID_TRBIRQ));
}

/* Bytes of trace that so many branches make: what a large buffer gets */
static u64 trace_size(u64 count)
{
    setup_el1();
    trace_enable(BASE, LIMIT(BUFFER_PAGES), TRBLIMITR_TM_IGNORE);
    trace_run(1, count);
    trace_disable();
    return read_reg(TRBPTR_EL1) - BASE;
}

/* As much as @pages hold goes through them, and a little or a lot more. */
static void point_mode(const char *what, u64 mode, unsigned int pages,
                       u64 count)
{
    u64 size = trace_size(count), sr, ptr;

    setup_el1();
    trace_enable(BASE, LIMIT(pages), mode | TRBLIMITR_TM_IGNORE);
    expect_collect(size, &sr, &ptr);
    trace_run(1, count);
    check(what, read_reg(TRBSR_EL1) == sr && read_reg(TRBPTR_EL1) == ptr &&
          buffer_is_filled(pages) &&
          ppi_level(INTID_TRBIRQ) == !!(sr & TRBSR_IRQ));
}

/* Branches in the trace from @from to @end, which is atoms but for its start */
static u64 branches_in_trace(u64 from, u64 end)
{
    /* A-Sync, Trace Info, Trace On, Address with Context */
    const u64 header = 12 + 2 + 1 + 10;
    u64 branches = 0;

    for (u64 i = from + header - BASE; i < end - BASE; i++) {
        u8 packet = trace_buffer[i];

        branches += packet >= 0xf8 ? 3 : (packet & 0xfc) == 0xd8 ? 2 :
                    (packet & 0xfe) == 0xf6;
    }
    return branches;
}

/* How the PE learns that the buffer is full */
enum report { BY_EXCEPTION, BY_INTERRUPT, BY_MASKED_INTERRUPT };

static void setup_report(enum report report)
{
    setup_el1();
    if (report == BY_EXCEPTION) {
        write_reg(mdcr_el3, MDCR_EL3_BASE | FIELD(1, MDCR_EL3_TRBEE_SHIFT));
        write_reg(TRFCR_EL2, FIELD(1, TRFCR_EE_SHIFT));
        write_reg(TRFCR_EL1, TRFCR_ExTRE | FIELD(3, TRFCR_EE_SHIFT) |
                  TRFCR_KE);
    }
}

static bool is_reported(enum report report)
{
    switch (report) {
    case BY_EXCEPTION:
        return profiling_taken() && record[0].el == 1 &&
               record[0].esr == ESR_PROFILING(2, 0);
    case BY_INTERRUPT:
        return record_count && record[0].el == 1 &&
               record[0].vector == VECTOR_IRQ;
    default:
        return ran_to_end();
    }
}

/*
 * A program of @count branches at EL1 fills the buffer with its trace. Returns
 * how many of those it executed until that was reported are not in the trace;
 * all interrupts are masked but for BY_INTERRUPT.
 */
static u64 branches_lost(enum report report, unsigned int pages, u64 from,
                         u64 count)
{
    u64 executed, traced;

    setup_report(report);
    trace_enable_from(BASE, from, LIMIT(pages),
                      TRBLIMITR_FILL | TRBLIMITR_TM_IGNORE);
    ppi_enable(INTID_TRBIRQ, true);
    executed = trace_run_unmasked(1, report == BY_INTERRUPT ? SPSR_I : 0,
                                  count);
    ppi_enable(INTID_TRBIRQ, false);
    traced = branches_in_trace(from, LIMIT(pages));
    if (wrong(is_reported(report) && executed >= traced)) {
        print("# report %u, buffer of %u pages, from 0x%lx on: %lu branches "
              "executed, %lu traced; EL%lu vector 0x%lx ESR 0x%lx\n", report,
              pages, from - BASE, executed, traced, record[0].el,
              record[0].vector, record[0].esr);
    }
    return executed - traced;
}

/*
 * At most one packet of atoms is lost where the buffer ends, wherever in the
 * stream that is. An exception loses no more than an interrupt does; and while
 * interrupts are masked, an interrupt all that comes.
 */
static void point_loss(unsigned int pages, u64 from)
{
    u64 count = OVERFLOW(pages), interrupt, masked, exception = 0;

    interrupt = branches_lost(BY_INTERRUPT, pages, from, count);
    masked = branches_lost(BY_MASKED_INTERRUPT, pages, from, count);
    if (features.trbe_exc) {
        exception = branches_lost(BY_EXCEPTION, pages, from, count);
    }
    if (wrong(interrupt <= 3 && exception <= interrupt && masked > 800)) {
        print("# buffer of %u pages, from 0x%lx on: lost are %lu branches by "
              "interrupt, %lu by masked interrupt, %lu by exception\n", pages,
              from - BASE, interrupt, masked, exception);
    }
}

/* The write pointer starts in the middle: only what is behind it is written. */
static void point_pointer(void)
{
    setup_el1();
    trace_enable_from(BASE, BASE + PAGE + 64, LIMIT(4),
                      TRBLIMITR_FILL | TRBLIMITR_TM_IGNORE);
    trace_run(1, 300);
    check("pointer", read_reg(TRBSR_EL1) == 0 &&
          read_reg(TRBPTR_EL1) > BASE + PAGE + 64 &&
          trace_buffer[PAGE + 63] == 0xee && trace_buffer[PAGE + 64] == 0);
}

/* A pointer outside the buffer stops collection (R_MGZWR). */
static void point_out_of_range(u64 ptr)
{
    setup_el1();
    trace_enable_from(BASE, ptr, LIMIT(1),
                      TRBLIMITR_FILL | TRBLIMITR_TM_IGNORE);
    trace_run(1, 300);
    check("out of range", read_reg(TRBSR_EL1) == (TRBSR_IRQ | TRBSR_S));
}

/* R_DJMDD: writes while enabled are ignored, except to disable. */
static void point_writes_ignored(void)
{
    setup_el1();
    trace_enable(BASE, LIMIT(1), TRBLIMITR_FILL | TRBLIMITR_TM_IGNORE);
    write_reg(TRBPTR_EL1, 0);
    write_reg(TRBBASER_EL1, 0);
    write_reg(TRBSR_EL1, TRBSR_IRQ);
    if (features.trbe_exc) {
        write_reg(TRBSR_EL2, TRBSR_IRQ);
        write_reg(TRBSR_EL3, TRBSR_IRQ);
    }
    write_reg(TRBTRG_EL1, 64);
    write_reg(TRBMAR_EL1, 0xff);
    write_reg(TRBLIMITR_EL1, TRBLIMITR_E);
    check("writes while enabled", read_reg(TRBPTR_EL1) == BASE &&
          read_reg(TRBBASER_EL1) == BASE && !trbsr(1) && !trbsr(2) &&
          !trbsr(3) && !read_reg(TRBTRG_EL1) && !read_reg(TRBMAR_EL1) &&
          read_reg(TRBLIMITR_EL1) == (LIMIT(1) | TRBLIMITR_TM_IGNORE |
                                      TRBLIMITR_E));
    write_reg(TRBLIMITR_EL1, 0);
    check("write that disables", read_reg(TRBLIMITR_EL1) == 0);
}

/*
 * Trigger
 */

/* @trg: bytes to go on for; trigger at branch @at */
static void trigger_setup(u64 trg, u64 at, u64 mode)
{
    setup_el1();
    write_reg(TRBTRG_EL1, trg);
    trigger_at(at);
    trace_enable(BASE, LIMIT(4), mode);
}

static void point_trigger_stop(u64 trg)
{
    u64 at = 3000, written;

    trigger_setup(trg, at, TRBLIMITR_FILL | TRBLIMITR_TM_STOP);
    trace_run(1, 20000);
    written = read_reg(TRBPTR_EL1) - BASE;
    /* What was held back at the trigger counts as after it: R_QFGNQ. */
    check("stop on trigger",
          read_reg(TRBSR_EL1) == (TRBSR_IRQ | TRBSR_TRG | TRBSR_S |
                                  TRB_BSC_TRIGGER) &&
          read_reg(TRBTRG_EL1) == 0 && written >= at / 3 + trg - 64 &&
          written < at / 3 + trg + 128 && ppi_level(INTID_TRBIRQ));
}

static void point_trigger_irq(u64 trg)
{
    trigger_setup(trg, 3000, TRBLIMITR_FILL | TRBLIMITR_TM_IRQ);
    trace_run(1, 20000);
    check("interrupt on trigger",
          read_reg(TRBSR_EL1) == (TRBSR_IRQ | TRBSR_TRG) &&
          read_reg(TRBPTR_EL1) > BASE + 6000);
}

static void point_trigger_ignore(u64 trg)
{
    trigger_setup(trg, 3000, TRBLIMITR_FILL | TRBLIMITR_TM_IGNORE);
    trace_run(1, 20000);
    check("ignore trigger", read_reg(TRBSR_EL1) == TRBSR_TRG &&
          read_reg(TRBTRG_EL1) == 0 && read_reg(TRBPTR_EL1) > BASE + 6000);
}

/* Full before the counter has run down: the Trigger Event adds nothing. */
static void point_trigger_late(void)
{
    trigger_setup(4 * PAGE, 3000, TRBLIMITR_FILL | TRBLIMITR_TM_STOP);
    trace_run(1, 12 * PAGE * 2);
    check("full before the trigger event",
          read_reg(TRBSR_EL1) == (TRBSR_IRQ | TRBSR_TRG | TRBSR_WRAP |
                                  TRBSR_S | TRB_BSC_FILLED));
}

void suite_buffer(void)
{
    suite_start("trace buffer: modes, pointer, trigger");
    point_not_full();
    for (unsigned int pages = 1; pages <= 3; pages++) {
        for (u64 more = 1; more <= 10000; more *= 10) {
            u64 count = 3 * PAGE * pages + more;

            point_mode("fill", TRBLIMITR_FILL, pages, count);
            point_mode("wrap", TRBLIMITR_WRAP, pages, count);
            point_mode("circular", TRBLIMITR_CIRCULAR, pages, count);
        }
    }
    for (u64 from = 0; from < 512; from += 64) {
        point_loss(1, BASE + from);
        point_loss(3, BASE + from);
    }
    point_pointer();
    point_out_of_range(BASE - PAGE);
    point_out_of_range(LIMIT(1));
    point_writes_ignored();
    for (u64 trg = 0; trg <= 2048; trg += 64) {
        point_trigger_stop(trg);
        point_trigger_irq(trg);
        point_trigger_ignore(trg);
    }
    point_trigger_late();
    suite_end();
}
