/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FEAT_TRBE: the buffer modes, the trigger, and faults that really happen
 */
#include "suites.h"
#include "trace.h"

#define BASE        ((u64)trace_buffer)
#define LIMIT(n)    (BASE + (n) * PAGE)

/* Branches that make more trace than @n pages hold, but not twice as much */
#define OVERFLOW(n) (3 * PAGE * (n) + 1000)

/* EL1 owns and traces itself; TRBIRQ, no exception. */
static void setup_el1(void)
{
    reset_controls();
    write_reg(TRFCR_EL1, TRFCR_ExTRE);
}

static void check(const char *what, bool ok)
{
    if (wrong(ok)) {
        print("# %s: TRBSR 0x%lx TRBPTR base+0x%lx TRBTRG 0x%lx\n", what,
              read_reg(TRBSR_EL1), read_reg(TRBPTR_EL1) - BASE,
              read_reg(TRBTRG_EL1));
    }
}

/* Trace starts with A-Sync, and nothing is written past @end. */
static bool buffer_is_trace(u64 end)
{
    for (int i = 0; i < 11; i++) {
        if (trace_buffer[i]) {
            return false;
        }
    }
    for (u64 i = end - BASE; i < sizeof(trace_buffer); i++) {
        if (trace_buffer[i] != 0xee) {
            return false;
        }
    }
    return trace_buffer[11] == 0x80 && trace_buffer[end - 1 - BASE] != 0xee;
}

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
 * Trigger: event 0 when the counter, which counts branches, gets to zero
 */

/* @trg: bytes to go on for; trigger at branch @at */
static void trigger_setup(u64 trg, u64 at, u64 mode)
{
    setup_el1();
    write_reg(TRBTRG_EL1, trg);
    write_reg(TRCRSCTLR2, FIELD(2, 16) | 1);    /* counter 0 at zero */
    write_reg(TRCCNTCTLR0, 1);                  /* counts always */
    write_reg(TRCCNTVR0, at);
    write_reg(TRCEVENTCTL0R, 2);
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

/*
 * Faults. The program runs with the MMU of its regime on, RAM mapped as it is;
 * the buffer is at addresses of its own, whose descriptor is the variable.
 */

#define WINDOW      0x80000000ULL       /* where the buffer is mapped */
#define TABLE       3ULL
#define BLOCK       1ULL
#define PAGE_DESC   3ULL
#define AF          BIT(10)
#define AP_RO       BIT(7)
#define S2_RW       FIELD(3, 6)
#define S2_RO       FIELD(1, 6)
#define SH_INNER    FIELD(3, 8)
/* Stage 1: MAIR attribute 0 is Normal, 1 is Device; stage 2 has it in place */
#define S1_NORMAL   (AF | SH_INNER)
#define S1_DEVICE   (AF | FIELD(1, 2))
#define S2_NORMAL   (AF | SH_INNER | S2_RW | FIELD(0xf, 2))
#define S2_DEVICE   (AF | S2_RW | FIELD(1, 2))
#define NOWHERE     0x3f00000000ULL     /* no memory there */

static u64 s1_l1[512] __attribute__((aligned(PAGE)));
static u64 s1_l2[512] __attribute__((aligned(PAGE)));
static u64 s1_l3[512] __attribute__((aligned(PAGE)));
static u64 s2_l1[512] __attribute__((aligned(PAGE)));
static u64 s2_l2[512] __attribute__((aligned(PAGE)));
static u64 s2_l3[512] __attribute__((aligned(PAGE)));

/*
 * Identity for the first 2 GB, and the window: at @level of @l1 to @l3 its
 * descriptor is @desc, above that there are good ones.
 */
static void build_tables(u64 *l1, u64 *l2, u64 *l3, u64 device, u64 normal,
                         unsigned int level, u64 desc)
{
    l1[0] = BLOCK | device;
    l1[1] = BIT(30) | BLOCK | normal;
    l1[2] = (u64)l2 | TABLE;
    l2[0] = (u64)l3 | TABLE;
    for (unsigned int i = 0; i < BUFFER_PAGES; i++) {
        l3[i] = (BASE + i * PAGE) | PAGE_DESC | normal;
    }
    switch (level) {
    case 1:
        l1[2] = desc;
        break;
    case 2:
        l2[0] = desc;
        break;
    case 3:
        l3[0] = desc;
        break;
    }
}

/* 39-bit addresses, walks start at level 1; 40-bit physical ones */
#define TCR_T0SZ    25
#define TCR_IPS     2ULL
#define VTCR        (24 | FIELD(1, 6) | FIELD(2, 16) | BIT(31))

/* Stage 1 of the regime of EL@owner */
static void stage1_on(unsigned int owner, unsigned int level, u64 desc)
{
    build_tables(s1_l1, s1_l2, s1_l3, S1_DEVICE, S1_NORMAL, level, desc);
    if (owner == 1) {
        write_reg(mair_el1, 0x00ff);
        write_reg(tcr_el1, TCR_T0SZ | FIELD(TCR_IPS, 32) | BIT(23));
        write_reg(ttbr0_el1, s1_l1);
        write_reg(sctlr_el1, read_reg(sctlr_el1) | 1);
    } else {
        write_reg(mair_el2, 0x00ff);
        write_reg(tcr_el2, TCR_T0SZ | FIELD(TCR_IPS, 16) | BIT(23) | BIT(31));
        write_reg(ttbr0_el2, s1_l1);
        write_reg(sctlr_el2, read_reg(sctlr_el2) | 1);
    }
    isb();
    asm volatile("tlbi alle1; tlbi alle2; dsb sy; isb" : : : "memory");
}

static void stage2_on(unsigned int level, u64 desc)
{
    build_tables(s2_l1, s2_l2, s2_l3, S2_DEVICE, S2_NORMAL, level, desc);
    write_reg(vtcr_el2, VTCR);
    write_reg(vttbr_el2, s2_l1);
    set_hcr(HCR_VM);
    asm volatile("tlbi alle1; dsb sy; isb" : : : "memory");
}

static void stages_off(void)
{
    reset_controls();
    asm volatile("tlbi alle1; tlbi alle2; dsb sy; isb" : : : "memory");
}

/*
 * The buffer, enabled at @va, gets @ec and @fsc at its first byte when trace is
 * made; no event if @ec is 0.
 */
static void run_into_fault(const char *what, unsigned int el, u64 va,
                           unsigned int ec, unsigned int fsc)
{
    u64 sr, expected = ec ? TRBSR_IRQ | TRBSR_S | fsc |
                            FIELD(ec, TRBSR_EC_SHIFT) : 0;

    trace_run(el, 300);
    trace_disable();
    sr = read_reg(TRBSR_EL1);
    if (wrong(sr == expected && ran_to_end() &&
              (ec ? read_reg(TRBPTR_EL1) == va : read_reg(TRBPTR_EL1) > va) &&
              ppi_level(INTID_TRBIRQ) == !!ec)) {
        print("# %s: expected TRBSR 0x%lx, got 0x%lx, TRBPTR 0x%lx; ESR 0x%lx "
              "ELR 0x%lx FAR 0x%lx\n", what, expected, sr,
              read_reg(TRBPTR_EL1), record[0].esr, record[0].elr,
              record[0].far);
    }
    stages_off();
}

static void expect_fault(const char *what, unsigned int el, u64 va, u64 mode,
                         unsigned int ec, unsigned int fsc)
{
    trace_enable(va, va + 4 * PAGE, mode | TRBLIMITR_TM_IGNORE);
    run_into_fault(what, el, va, ec, fsc);
}

/* Descriptors that fault, at each level they can be at */
static void points_stage1(unsigned int owner)
{
    static const struct {
        const char *name;
        u8 level;
        u64 desc;
        u8 fsc;
    } faults[] = {
        { "translation, level 1", 1, 0, 0x05 },
        { "translation, level 2", 2, 0, 0x06 },
        { "translation, level 3", 3, 0, 0x07 },
        { "access flag, level 1", 1, BLOCK | BIT(30), 0x09 },
        { "access flag, level 2", 2, BLOCK | BIT(30), 0x0a },
        { "access flag, level 3", 3, PAGE_DESC | BIT(30), 0x0b },
        { "permission, level 1", 1, BLOCK | BIT(30) | S1_NORMAL | AP_RO,
          0x0d },
        { "permission, level 2", 2, BLOCK | BIT(30) | S1_NORMAL | AP_RO,
          0x0e },
        { "permission, level 3", 3, PAGE_DESC | BIT(30) | S1_NORMAL | AP_RO,
          0x0f },
        { "address size, level 1", 1, TABLE | BIT(45), 0x01 },
        { "address size, level 2", 2, TABLE | BIT(45), 0x02 },
        { "address size, level 3", 3, PAGE_DESC | BIT(45) | S1_NORMAL, 0x03 },
        { "External abort on walk, level 2", 1, TABLE | NOWHERE, 0x16 },
        { "External abort on walk, level 3", 2, TABLE | NOWHERE, 0x17 },
    };

    for (unsigned int i = 0; i < ARRAY_SIZE(faults); i++) {
        setup_el1();
        if (owner == 2) {
            write_reg(mdcr_el2, PMU_COUNTERS);
            write_reg(TRFCR_EL2, TRFCR_ExTRE);
        }
        stage1_on(owner, faults[i].level, faults[i].desc);
        expect_fault(faults[i].name, owner, WINDOW, TRBLIMITR_FILL,
                     TRB_EC_S1, faults[i].fsc);
    }
}

/* A pointer beyond what the regime translates */
static void points_stage1_range(void)
{
    setup_el1();
    stage1_on(1, 0, 0);
    expect_fault("beyond TTBR0", 1, BIT(40), TRBLIMITR_FILL, TRB_EC_S1, 0x04);
    setup_el1();
    expect_fault("beyond physical addresses, MMU off", 1, BIT(53),
                 TRBLIMITR_FILL, TRB_EC_S1, 0x00);
    setup_el1();
    expect_fault("beyond physical addresses, nVM", 1, BIT(53),
                 TRBLIMITR_FILL | TRBLIMITR_NVM, TRB_EC_S1, 0x00);
}

/* The second page of four is missing: trace up to there, fault at its start. */
static void point_second_page(void)
{
    u64 sr;

    setup_el1();
    stage1_on(1, 0, 0);
    s1_l3[1] = 0;
    trace_enable(WINDOW, WINDOW + 4 * PAGE, TRBLIMITR_TM_IGNORE);
    trace_run(1, OVERFLOW(1));
    trace_disable();
    sr = read_reg(TRBSR_EL1);
    if (wrong(sr == (TRBSR_IRQ | TRBSR_S | 0x07 |
                     FIELD(TRB_EC_S1, TRBSR_EC_SHIFT)) &&
              read_reg(TRBPTR_EL1) == WINDOW + PAGE &&
              buffer_is_trace(LIMIT(1)))) {
        print("# second page: TRBSR 0x%lx TRBPTR 0x%lx\n", sr,
              read_reg(TRBPTR_EL1));
    }
    stages_off();
}

static void points_stage2(void)
{
    static const struct {
        const char *name;
        u8 level;
        u64 desc;
        u8 fsc;
    } faults[] = {
        { "stage 2 translation, level 1", 1, 0, 0x05 },
        { "stage 2 translation, level 2", 2, 0, 0x06 },
        { "stage 2 translation, level 3", 3, 0, 0x07 },
        { "stage 2 access flag, level 3", 3,
          PAGE_DESC | BIT(30) | (S2_NORMAL & ~AF), 0x0b },
        { "stage 2 permission, level 1", 1,
          BLOCK | BIT(30) | (S2_NORMAL & ~S2_RW) | S2_RO, 0x0d },
        { "stage 2 permission, level 3", 3,
          PAGE_DESC | BIT(30) | (S2_NORMAL & ~S2_RW) | S2_RO, 0x0f },
        { "stage 2 External abort on walk, level 3", 2, TABLE | NOWHERE,
          0x17 },
    };

    for (unsigned int i = 0; i < ARRAY_SIZE(faults); i++) {
        /* Stage 1 off: the window is an intermediate physical address. */
        setup_el1();
        stage2_on(faults[i].level, faults[i].desc);
        expect_fault(faults[i].name, 1, WINDOW, TRBLIMITR_FILL, TRB_EC_S2,
                     faults[i].fsc);
        /* Stage 1 on, but not for the pointers */
        setup_el1();
        stage1_on(1, 1, 0);
        stage2_on(faults[i].level, faults[i].desc);
        expect_fault(faults[i].name, 1, WINDOW, TRBLIMITR_NVM, TRB_EC_S2,
                     faults[i].fsc);
    }
}

/*
 * nVM bypasses stage 1, where the window would fault, unless TRFCR_EL2.DnVM
 * forbids it (R_FTWWP).
 */
static void points_nvm(void)
{
    setup_el1();
    stage1_on(1, 1, 0);
    expect_fault("nVM", 1, BASE, TRBLIMITR_NVM, 0, 0);
    setup_el1();
    stage1_on(1, 1, 0);
    expect_fault("not nVM", 1, WINDOW, 0, TRB_EC_S1, 0x05);
    if (features.trbe_exc) {
        /* FEAT_TRBEv1p1, which comes with it */
        setup_el1();
        stage1_on(1, 1, 0);
        write_reg(TRFCR_EL2, TRFCR_DnVM);
        expect_fault("nVM, but DnVM", 1, WINDOW, TRBLIMITR_NVM, TRB_EC_S1,
                     0x05);
    }
}

/* Trace of EL1 and EL0 into a buffer that EL2 owns goes through EL2's MMU. */
static void points_owner_el2(void)
{
    for (unsigned int el = 0; el < 2; el++) {
        setup_el1();
        write_reg(mdcr_el2, PMU_COUNTERS);
        write_reg(TRFCR_EL1, TRFCR_ExTRE | TRFCR_E0TRE);
        stage1_on(2, 0, 0);
        expect_fault("EL2 owns", el, WINDOW, 0, 0, 0);
        setup_el1();
        write_reg(mdcr_el2, PMU_COUNTERS);
        write_reg(TRFCR_EL1, TRFCR_ExTRE | TRFCR_E0TRE);
        stage1_on(2, 3, 0);
        expect_fault("EL2 owns, fault", el, WINDOW, 0, TRB_EC_S1, 0x07);
    }
}

/*
 * Memory that is not there: ignored, as TRBIDR_EL1.EA says it is from Armv9.3
 * on; before that, reported by TRBSR_EL1.EA as well.
 */
static void point_external_abort(void)
{
    unsigned int ea = (read_reg(TRBIDR_EL1) >> 8) & 0xf;

    setup_el1();
    if (wrong(ea == features.trbe_exc)) {
        print("# TRBIDR_EL1.EA is %u\n", ea);
    }
    if (features.trbe_exc) {
        expect_fault("External abort on write", 1, NOWHERE, 0, 0, 0);
        return;
    }
    trace_enable(NOWHERE, NOWHERE + PAGE, TRBLIMITR_TM_IGNORE);
    trace_run(1, 300);
    check("External abort on write", read_reg(TRBPTR_EL1) == NOWHERE &&
          read_reg(TRBSR_EL1) == (TRBSR_IRQ | TRBSR_EA | TRBSR_S | 0x10 |
                                  FIELD(TRB_EC_S1, TRBSR_EC_SHIFT)));
}

/*
 * Granule protection: one table for the gigabyte that holds RAM, a nibble a
 * page; the other gigabytes are open to all.
 */
#define GPT_L0_SIZE     1024            /* 40-bit addresses, 1 GB each */
#define GPT_BLOCK_ANY   0xf1ULL
#define GPT_TABLE       3ULL
#define GPI_ANY         0xf
#define GPI_ROOT        0xa
#define GPI_INVALID     0x3
#define GPCCR_PPS_40    2ULL
#define GPCCR_GPC       BIT(16)

static u64 gpt_l0[GPT_L0_SIZE] __attribute__((aligned(8192)));
static u64 gpt_l1[BIT(30) / PAGE / 16] __attribute__((aligned(131072)));

static void granule_set(u64 addr, unsigned int gpi)
{
    unsigned int page = (addr & (BIT(30) - 1)) / PAGE;

    gpt_l1[page / 16] &= ~FIELD(0xf, page % 16 * 4);
    gpt_l1[page / 16] |= FIELD(gpi, page % 16 * 4);
}

static void granules_on(void)
{
    for (unsigned int i = 0; i < ARRAY_SIZE(gpt_l0); i++) {
        gpt_l0[i] = GPT_BLOCK_ANY;
    }
    for (unsigned int i = 0; i < ARRAY_SIZE(gpt_l1); i++) {
        gpt_l1[i] = ~0ULL;
    }
    gpt_l0[1] = (u64)gpt_l1 | GPT_TABLE;
    write_reg(GPTBR_EL3, (u64)gpt_l0 >> 12);
    /* Tables are Normal, Write-Back, Inner Shareable memory. */
    write_reg(GPCCR_EL3, GPCCR_PPS_40 | FIELD(1, 8) | FIELD(1, 10) |
              FIELD(3, 12) | GPCCR_GPC);
    isb();
    asm volatile("sys #6, c8, c7, #4; dsb sy; isb" : : : "memory");
}

static void granules_off(void)
{
    write_reg(GPCCR_EL3, 0);
    isb();
    asm volatile("sys #6, c8, c7, #4; dsb sy; isb" : : : "memory");
}

/* With the granule of @addr set to @gpi once the buffer is enabled at @va */
static void expect_granule_fault(const char *what, u64 va, u64 addr,
                                 unsigned int gpi, unsigned int ec,
                                 unsigned int fsc)
{
    trace_enable(va, va + 4 * PAGE, TRBLIMITR_TM_IGNORE);
    granules_on();
    granule_set(addr, gpi);
    run_into_fault(what, 1, va, ec, fsc);
    granules_off();
}

static void points_granule(void)
{
    setup_el1();
    expect_granule_fault("granule protection on", BASE, BASE, GPI_ANY, 0, 0);
    setup_el1();
    expect_granule_fault("Granule Protection Fault", BASE, BASE, GPI_ROOT,
                         TRB_EC_S1, 0x28);
    setup_el1();
    expect_granule_fault("invalid granule table entry", BASE, BASE,
                         GPI_INVALID, TRB_EC_GPC, 0);
    setup_el1();
    stage1_on(1, 0, 0);
    expect_granule_fault("Granule Protection Fault on walk, level 3", WINDOW,
                         (u64)s1_l3, GPI_ROOT, TRB_EC_S1, 0x27);
    setup_el1();
    stage2_on(0, 0);
    expect_granule_fault("Granule Protection Fault on stage 2 walk, level 3",
                         WINDOW, (u64)s2_l3, GPI_ROOT, TRB_EC_S2, 0x27);
}

void suite_faults(void)
{
    suite_start("trace buffer: faults of its translation regime");
    points_stage1(1);
    points_stage1(2);
    points_stage1_range();
    point_second_page();
    points_stage2();
    points_nvm();
    points_owner_el2();
    point_external_abort();
    if (features.rme) {
        points_granule();
    }
    suite_end();
}
