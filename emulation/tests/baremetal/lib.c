/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output on the UART of QEMU's virt machine, counting, end by semihosting
 */
#include <stdarg.h>
#include <stddef.h>
#include "baremetal.h"

#define UART_DR                 0x09000000
#define GICD_CTLR               0x08000000
#define GICD_CTLR_ENABLE_G1NS   BIT(1)
#define GICD_CTLR_ARE           (BIT(4) | BIT(5))
#define GICR_BASE               0x080a0000
#define GICR_WAKER              (GICR_BASE + 0x14)
#define GICR_IGROUPR0           (GICR_BASE + 0x10000 + 0x80)
#define GICR_ISENABLER0         (GICR_BASE + 0x10000 + 0x100)
#define GICR_ICENABLER0         (GICR_BASE + 0x10000 + 0x180)
#define GICR_ISPENDR0           (GICR_BASE + 0x10000 + 0x200)

/* Wrong points that are explained, per suite */
#define EXPLAIN_MAX             10

/* What a compiler calls of its own accord, freestanding or not */
void *memcpy(void *to, const void *from, size_t n)
{
    u8 *t = to;
    const u8 *f = from;

    while (n--) {
        *t++ = *f++;
    }
    return to;
}

void *memset(void *to, int value, size_t n)
{
    u8 *t = to;

    while (n--) {
        *t++ = value;
    }
    return to;
}

static u64 points, mismatches, suite_points, suite_mismatches;
static unsigned int suites;
static const char *suite_name;

static void put(char c)
{
    *(volatile u32 *)UART_DR = c;
}

static void print_number(u64 value, unsigned int base, int width, char pad)
{
    char digits[20];
    int n = 0;

    do {
        digits[n++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    for (int i = n; i < width; i++) {
        put(pad);
    }
    while (n) {
        put(digits[--n]);
    }
}

/* %s, %c, and with an optional 0, width and l's: %d (not negative), %u, %x */
void print(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    for (; *fmt; fmt++) {
        bool is_long = false;
        char pad = ' ';
        int width = 0;

        if (*fmt != '%') {
            put(*fmt);
            continue;
        }
        fmt++;
        if (*fmt == '0') {
            pad = '0';
        }
        while (*fmt >= '0' && *fmt <= '9') {
            width = width * 10 + *fmt++ - '0';
        }
        while (*fmt == 'l') {
            is_long = true;
            fmt++;
        }
        switch (*fmt) {
        case 's':
            for (const char *s = va_arg(ap, const char *); *s; s++) {
                put(*s);
            }
            break;
        case 'c':
            put(va_arg(ap, int));
            break;
        case 'd':
        case 'u':
        case 'x':
            print_number(is_long ? va_arg(ap, u64) : va_arg(ap, u32),
                         *fmt == 'x' ? 16 : 10, width, pad);
            break;
        default:
            put(*fmt);
        }
    }
    va_end(ap);
}

void set_scr(u64 scr)
{
    write_reg(scr_el3, scr | SCR_BASE);
    isb();
}

void set_hcr(u64 hcr)
{
    write_reg(hcr_el2, hcr | HCR_RW);
    isb();
}

struct features features;

void find_features(void)
{
    u64 dfr0 = read_reg(id_aa64dfr0_el1), dfr1 = read_reg(id_aa64dfr1_el1);

    features.sebep = (dfr0 >> 24) & 0xf;
    features.pmu_ss = (dfr0 >> 16) & 0xf;
    features.ebep = (dfr1 >> 48) & 0xf;
    features.trbe = (dfr0 >> 44) & 0xf;
    features.ete = (dfr0 >> 4) & 0xf;
    features.trbe_exc = (read_reg(ID_AA64DFR2_EL1) >> 24) & 0xf;
    features.rme = (read_reg(id_aa64pfr0_el1) >> 52) & 0xf;
    features.fgt2 = ((read_reg(id_aa64mmfr0_el1) >> 56) & 0xf) == 2;
}

static void reset_trace(void)
{
    if (features.ete) {
        write_reg(TRCPRGCTLR, 0);
        write_reg(TRCEVENTCTL0R, 0);
        write_reg(TRCSYNCPR, 0);
        write_reg(TRCCONFIGR, 0);
        write_reg(TRCVICTLR, 0x201);    /* SSSTATUS, event: always true */
    }
    if (!features.trbe) {
        return;
    }
    write_reg(TRFCR_EL1, 0);
    write_reg(TRFCR_EL2, 0);
    write_reg(TRBLIMITR_EL1, 0);
    isb();
    write_reg(TRBINJ_EL1, 0);
    write_reg(TRBSR_EL1, 0);
    if (features.trbe_exc) {
        write_reg(TRBSR_EL2, 0);
        write_reg(TRBSR_EL3, 0);
    }
    write_reg(TRBTRG_EL1, 0);
    isb();
}

static void reset_pmu(void)
{
    write_reg(pmcr_el0, 0);
    write_reg(pmcntenclr_el0, ~0ULL);
    write_reg(pmintenclr_el1, ~0ULL);
    write_reg(pmovsclr_el0, ~0ULL);
    write_reg(pmuserenr_el0, 0);
    if (features.ebep) {
        write_reg(PM, SPSR_PM);
    }
    if (features.ebep || features.pmu_ss) {
        write_reg(PMECR_EL1, 0);
    }
    if (features.fgt2) {
        write_reg(HDFGRTR2_EL2, ~0ULL);
        write_reg(HDFGWTR2_EL2, ~0ULL);
    }
    if (features.sebep) {
        write_reg(PMIAR_EL1, 0);
    }
}

void reset_controls(void)
{
    set_scr(SCR_NS);
    set_hcr(0);
    write_reg(mdcr_el3, MDCR_EL3_BASE);
    write_reg(mdcr_el2, MDCR_EL2_BASE);
    write_reg(cptr_el3, 0);
    write_reg(cptr_el2, 0);
    write_reg(cpacr_el1, 3 << 20);
    write_reg(sctlr_el1, 0x30d00800);
    write_reg(sctlr_el2, 0x30c50830);
    write_reg(HDFGRTR_EL2, 0);
    write_reg(HDFGWTR_EL2, 0);
    reset_pmu();
    reset_trace();
}

static void write_gic(u64 address, u32 value)
{
    *(volatile u32 *)address = value;
}

bool ppi_level(unsigned int intid)
{
    return *(volatile u32 *)GICR_ISPENDR0 & BIT(intid);
}

void ppi_setup(void)
{
    write_gic(GICD_CTLR, GICD_CTLR_ARE);
    write_gic(GICD_CTLR, GICD_CTLR_ARE | GICD_CTLR_ENABLE_G1NS);
    write_gic(GICR_WAKER, 0);
    write_gic(GICR_IGROUPR0, ~0U);
    write_gic(GICR_ICENABLER0, ~0U);
    set_scr(SCR_NS);
    write_reg(ICC_SRE_EL3, 0xf);
    isb();
    write_reg(ICC_SRE_EL2, 0xf);
    isb();
    write_reg(ICC_SRE_EL1, 1);
    isb();
    write_reg(ICC_PMR_EL1, 0xff);
    write_reg(ICC_IGRPEN1_EL3, 1);
    isb();
}

void find_irq_gated(void)
{
    if (!features.trbe) {
        return;
    }
    reset_controls();
    write_reg(TRBSR_EL1, TRBSR_IRQ);
    isb();
    features.irq_gated = !ppi_level(INTID_TRBIRQ);
    reset_controls();
}

void ppi_enable(unsigned int intid, bool enable)
{
    write_gic(enable ? GICR_ISENABLER0 : GICR_ICENABLER0, BIT(intid));
    asm volatile("dsb sy" : : : "memory");
}

void suite_start(const char *name)
{
    suite_name = name;
    suite_points = suite_mismatches = 0;
}

bool wrong(bool ok)
{
    suite_points++;
    if (ok) {
        return false;
    }
    return suite_mismatches++ < EXPLAIN_MAX;
}

void suite_end(void)
{
    print("%s %u %s: %lu points, %lu mismatches\n",
          suite_mismatches || !suite_points ? "not ok" : "ok", ++suites,
          suite_name, suite_points, suite_mismatches);
    points += suite_points;
    mismatches += suite_mismatches + !suite_points;
}

/* From the vectors: EL3 itself took an exception. */
void __attribute__((noreturn)) unexpected_exception(void);
void unexpected_exception(void)
{
    print("not ok %u %s: exception at EL3, ESR 0x%lx ELR 0x%lx FAR 0x%lx\n",
          ++suites, suite_name, read_reg(esr_el3), read_reg(elr_el3),
          read_reg(far_el3));
    mismatches++;
    finish();
}

void finish(void)
{
    static u64 block[2];

    print("1..%u\n", suites);
    print("cpu: %lu points, %lu mismatches\n", points, mismatches);
    block[0] = 0x20026;         /* ADP_Stopped_ApplicationExit */
    block[1] = mismatches != 0;
    register u64 op asm("x0") = 0x18;   /* SYS_EXIT */
    register u64 *arg asm("x1") = block;
    asm volatile("hlt #0xf000" : : "r"(op), "r"(arg) : "memory");
    for (;;) {
    }
}
