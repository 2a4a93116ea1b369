/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FEAT_TRBE: management events that really happen. Faults of the buffer's
 * translation regime; and with FEAT_TRBE_EXC each kind of event, recorded and
 * taken where the controls say.
 */
#include "suites.h"
#include "trace.h"

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
    bool irq;

    trace_run(el, 300);
    irq = trace_disable();
    sr = read_reg(TRBSR_EL1);
    if (wrong(sr == expected && ran_to_end() &&
              (ec ? read_reg(TRBPTR_EL1) == va : read_reg(TRBPTR_EL1) > va) &&
              irq == !!ec)) {
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
        { "stage 2 address size, level 1", 1, TABLE | BIT(45), 0x01 },
        { "stage 2 address size, level 2", 2, TABLE | BIT(45), 0x02 },
        { "stage 2 address size, level 3", 3, PAGE_DESC | BIT(45) | S2_NORMAL,
          0x03 },
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

/*
 * Taken. A program is traced at @el into the buffer of EL1, or of EL2 if @e2tb
 * is 0, until the event happens.
 */

enum how { BUFFER, TRIGGER, STAGE1, STAGE2, GRANULE, INJECTED };

static const struct event {
    const char *name;
    enum how how;
    u8 ec;
    u8 mss;
    u64 mode;
    u64 flags;                  /* TRBSR_ELx beside IRQ, EC and MSS */
    u8 level;                   /* of the descriptor */
    u64 desc;
} events[] = {
    { "full", BUFFER, TRB_EC_OTHER, TRB_BSC_FILLED,
      TRBLIMITR_FILL | TRBLIMITR_TM_IGNORE, TRBSR_S | TRBSR_WRAP, 0, 0 },
    { "wrapped", BUFFER, TRB_EC_OTHER, 0,
      TRBLIMITR_WRAP | TRBLIMITR_TM_IGNORE, TRBSR_WRAP, 0, 0 },
    { "stopped by the trigger", TRIGGER, TRB_EC_OTHER, TRB_BSC_TRIGGER,
      TRBLIMITR_FILL | TRBLIMITR_TM_STOP, TRBSR_S | TRBSR_TRG, 0, 0 },
    { "trigger", TRIGGER, TRB_EC_OTHER, 0,
      TRBLIMITR_FILL | TRBLIMITR_TM_IRQ, TRBSR_TRG, 0, 0 },
    { "stage 1 address size", STAGE1, TRB_EC_S1, 0x03, TRBLIMITR_TM_IGNORE,
      TRBSR_S, 3, PAGE_DESC | BIT(45) | S1_NORMAL },
    { "stage 1 translation", STAGE1, TRB_EC_S1, 0x07, TRBLIMITR_TM_IGNORE,
      TRBSR_S, 3, 0 },
    { "stage 1 permission", STAGE1, TRB_EC_S1, 0x0f, TRBLIMITR_TM_IGNORE,
      TRBSR_S, 3, PAGE_DESC | BIT(30) | S1_NORMAL | AP_RO },
    { "stage 1 External abort on walk", STAGE1, TRB_EC_S1, 0x17,
      TRBLIMITR_TM_IGNORE, TRBSR_S, 2, TABLE | NOWHERE },
    { "stage 2 address size", STAGE2, TRB_EC_S2, 0x03, TRBLIMITR_TM_IGNORE,
      TRBSR_S, 3, PAGE_DESC | BIT(45) | S2_NORMAL },
    { "stage 2 translation", STAGE2, TRB_EC_S2, 0x07, TRBLIMITR_TM_IGNORE,
      TRBSR_S, 3, 0 },
    { "stage 2 permission", STAGE2, TRB_EC_S2, 0x0f, TRBLIMITR_TM_IGNORE,
      TRBSR_S, 3, PAGE_DESC | BIT(30) | (S2_NORMAL & ~S2_RW) | S2_RO },
    { "stage 2 External abort on walk", STAGE2, TRB_EC_S2, 0x17,
      TRBLIMITR_TM_IGNORE, TRBSR_S, 2, TABLE | NOWHERE },
    { "Granule Protection Fault", GRANULE, TRB_EC_S1, 0x28,
      TRBLIMITR_TM_IGNORE, TRBSR_S, 0, GPI_ROOT },
    { "GPC fault", GRANULE, TRB_EC_GPC, 0, TRBLIMITR_TM_IGNORE, TRBSR_S, 0,
      GPI_INVALID },
    /* A CPU with FEAT_TRBE_EXC ignores External aborts on writes. */
    { "External abort", INJECTED, TRB_EC_S1, 0x10, TRBLIMITR_TM_IGNORE,
      TRBSR_S, 0, 0 },
    { "IMPLEMENTATION DEFINED", INJECTED, TRB_EC_IMPDEF, 0x05,
      TRBLIMITR_TM_IGNORE, TRBSR_S, 0, 0 },
};

struct taken {
    unsigned int trbee, el2_ee, el2_ke, tge, e2tb, el1_ee, el1_ke, pm, el;
};

/*
 * Trace is allowed there. The stage 1 tables are not for EL0, nor has a buffer
 * of EL2 a stage 2.
 */
static bool can_happen(const struct event *ev, const struct taken *p)
{
    unsigned int owner_el = p->e2tb ? 1 : 2;

    if (!reachable(p->el, p->tge, NONSECURE) || p->el > owner_el ||
        (p->tge && owner_el == 1)) {
        return false;
    }
    switch (ev->how) {
    case STAGE1:
        return p->el || owner_el == 2;
    case STAGE2:
        return owner_el == 1;
    case GRANULE:
        return features.rme;
    default:
        return true;
    }
}

/* Enables the buffer with what is needed for the event. */
static void prepare_event(const struct event *ev, const struct taken *p)
{
    u64 va = BASE;

    switch (ev->how) {
    case TRIGGER:
        trigger_at(30);
        break;
    case STAGE1:
        stage1_on(p->e2tb ? 1 : 2, ev->level, ev->desc);
        va = WINDOW;
        break;
    case STAGE2:
        stage2_on(ev->level, ev->desc);
        va = WINDOW;
        break;
    case INJECTED:
        write_reg(TRBINJ_EL1, FIELD(ev->ec, TRBSR_EC_SHIFT) | ev->mss);
        break;
    default:
        break;
    }
    trace_enable(va, va + PAGE, ev->mode);
    if (ev->how == GRANULE) {
        granules_on();
        granule_set(BASE, ev->desc);
    }
}

static void point_taken(const struct event *ev, const struct taken *p)
{
    int expected_recorded, recorded, expected_el, taken_el;
    bool expected_irq, irq, ok;
    u64 sr;

    reset_controls();
    set_hcr(p->tge ? HCR_TGE : 0);
    write_reg(mdcr_el3, MDCR_EL3_BASE | FIELD(p->trbee, MDCR_EL3_TRBEE_SHIFT));
    write_reg(mdcr_el2, PMU_COUNTERS | FIELD(p->e2tb, MDCR_EL2_E2TB_SHIFT));
    write_reg(TRFCR_EL1, TRFCR_ExTRE | TRFCR_E0TRE |
              FIELD(p->el1_ee, TRFCR_EE_SHIFT) | (p->el1_ke ? TRFCR_KE : 0));
    write_reg(TRFCR_EL2, TRFCR_ExTRE | TRFCR_E0TRE |
              FIELD(p->el2_ee, TRFCR_EE_SHIFT) | (p->el2_ke ? TRFCR_KE : 0));
    prepare_event(ev, p);
    expected_recorded = expect_recording_el(ev->ec, ev->mss);
    run_el(p->el, p->pm ? SPSR_PM : 0, branches,
           ev->how == BUFFER ? OVERFLOW(1) : 300);
    irq = trace_disable();
    if (ev->how == GRANULE) {
        granules_off();
    }

    recorded = recorded_el();
    sr = recorded > 0 ? trbsr(recorded) : 0;
    expect_trbe(p->el, p->pm, &expected_el, &expected_irq);
    taken_el = profiling_taken() ? record[0].el : 0;
    ok = recorded == expected_recorded && irq == expected_irq &&
         taken_el == expected_el &&
         sr == (TRBSR_IRQ | ev->flags | ev->mss |
                FIELD(ev->ec, TRBSR_EC_SHIFT));
    if (taken_el) {
        ok &= record[0].esr == ESR_PROFILING(2, 0) &&
              !(record[0].vector & 0x180) &&
              record[0].elr > (u64)branches &&
              record[0].elr < (u64)branches_end;
    } else {
        ok &= ran_to_end();
    }
    if (wrong(ok)) {
        print("# %s at EL%u: TRBEE %u EL2.EE %u KE %u TGE %u E2TB %u EL1.EE %u "
              "KE %u PM %u: expected TRBSR_EL%d, EL%d irq %u, got TRBSR_EL%d "
              "0x%lx, EL%d irq %u; ESR 0x%lx ELR branches+0x%lx\n", ev->name,
              p->el, p->trbee, p->el2_ee, p->el2_ke, p->tge, p->e2tb,
              p->el1_ee, p->el1_ke, p->pm, expected_recorded, expected_el,
              expected_irq, recorded, sr, taken_el, irq, record[0].esr,
              record[0].elr - (u64)branches);
    }
    stages_off();
}

void suite_taken(void)
{
    static const u8 ee[] = { 0, 1, 3 };
    struct taken p;

    suite_start("events that happen: where they are recorded, and taken");
    for (u32 i = 0; i < 3 * 3 * 2 * 2 * 2 * 2 * 2 * 2 * 3; i++) {
        u32 n = i;

        p.el = n % 3, n /= 3;
        p.pm = n % 2, n /= 2;
        p.el1_ke = n % 2, n /= 2;
        p.el1_ee = n % 2 ? 3 : 0, n /= 2;
        p.e2tb = n % 2 ? 3 : 0, n /= 2;
        p.tge = n % 2, n /= 2;
        p.el2_ke = n % 2, n /= 2;
        p.el2_ee = ee[n % 3], n /= 3;
        p.trbee = ee[n];
        for (unsigned int k = 0; k < ARRAY_SIZE(events); k++) {
            if (can_happen(&events[k], &p)) {
                point_taken(&events[k], &p);
            }
        }
    }
    suite_end();
}
