/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the architecture model says about the state this PE is in
 */
#include <arch-model/pe.h>
#include <arch-model/pmu.h>
#include <arch-model/trbe.h>
#include "suites.h"

/* What QEMU's -cpu max has, besides what the ID registers tell */
#define FEAT_MAX    (AM_FEAT_EL2 | AM_FEAT_EL3 | AM_FEAT_AA64 |              \
                     AM_FEAT_AA32 | AM_FEAT_SEL2 | AM_FEAT_VHE |             \
                     AM_FEAT_VMID16 | AM_FEAT_NV | AM_FEAT_RAS |             \
                     AM_FEAT_V9P3 | AM_FEAT_DEBUGV8P1 | AM_FEAT_DEBUGV8P2 |  \
                     AM_FEAT_DEBUGV8P4 | AM_FEAT_PMUV3P1 | AM_FEAT_PMUV3P5)

static struct am_pe pe_at(unsigned int el, bool pm)
{
    return (struct am_pe) {
        .feat = FEAT_MAX | (features.rme ? AM_FEAT_RME : 0) |
                (features.ebep ? AM_FEAT_EBEP : 0) |
                (features.sebep ? AM_FEAT_SEBEP : 0) |
                (features.trbe ? AM_FEAT_TRBE : 0) |
                (features.trbe_exc ? AM_FEAT_TRBE_EXC : 0),
        .scr_el3 = read_reg(scr_el3),
        .hcr_el2 = read_reg(hcr_el2),
        .mdcr_el3 = read_reg(mdcr_el3),
        .mdcr_el2 = read_reg(mdcr_el2),
        .el = el,
        .pm = pm,
    };
}

static struct am_pmu pmu_now(const struct am_pe *pe)
{
    struct am_pmu pmu = {
        .counters = PMU_COUNTERS,
        .pmcr = read_reg(pmcr_el0),
        .pmcnten = read_reg(pmcntenset_el0),
        .pmovs = read_reg(pmovsset_el0),
        .pminten = read_reg(pmintenset_el1),
        .pmecr = read_reg(PMECR_EL1),
        .pmccfiltr = read_reg(pmccfiltr_el0),
    };

    for (unsigned int n = 0; n < PMU_COUNTERS; n++) {
        unsigned int event;

        write_reg(pmselr_el0, n);
        pmu.pmevtyper[n] = read_reg(pmxevtyper_el0);
        event = pmu.pmevtyper[n] & 0xffff;
        /*
         * IMPLEMENTATION DEFINED: all required events, and of those Arm
         * recommends the two that this PMU has.
         */
        if (am_pmu_sync_event(pe, event).is == AM_SYNC_REQUIRED ||
            event == 0x0d || event == 0x0e) {
            pmu.sync_events |= BIT(n);
        }
    }
    return pmu;
}

static struct am_trbe trbe_now(void)
{
    return (struct am_trbe) {
        .self_hosted = true,
        .trblimitr = read_reg(TRBLIMITR_EL1),
        .trbptr = read_reg(TRBPTR_EL1),
        .trbbaser = read_reg(TRBBASER_EL1),
        .trbidr = read_reg(TRBIDR_EL1),
        .trbtrg = read_reg(TRBTRG_EL1),
        .trbsr = {
            0, read_reg(TRBSR_EL1),
            features.trbe_exc ? read_reg(TRBSR_EL2) : 0,
            features.trbe_exc ? read_reg(TRBSR_EL3) : 0,
        },
        .trfcr_el1 = read_reg(TRFCR_EL1),
        .trfcr_el2 = read_reg(TRFCR_EL2),
    };
}

void expect_pmu(unsigned int el, bool pm, int *target_el, bool *irq)
{
    struct am_pe pe = pe_at(el, pm);
    struct am_pmu pmu = pmu_now(&pe);
    struct am_verdict exception = am_pmu_exception(&pe, &pmu);

    *target_el = exception.is == AM_PMU_ASYNC ? (int)exception.detail : 0;
    *irq = am_pmuirq(&pe, &pmu).is == true;
}

enum ppend expect_ppend(unsigned int el, bool pm, unsigned int new_el, u64 spsr,
                        bool counted)
{
    struct am_pe pe = pe_at(el, pm), after = pe_at(new_el, spsr & SPSR_PM);
    struct am_pmu pmu = pmu_now(&pe);
    struct am_verdict v = am_ppend_return(&pe, &pmu, new_el, spsr & SPSR_PM);
    struct am_retired eret = {
        .counted = counted && am_pmu_counts(&pe, &pmu, 0).is == true,
        .eret = true,
    };

    switch (am_pmu_retire(&pe, &pmu, &after, &pmu, &eret).is) {
    case AM_PPEND_SET:
        return PPEND_1;
    case AM_PPEND_EITHER:
        return PPEND_EITHER;
    default:
        return v.is == AM_RETURN_RESTORE && (spsr & SPSR_PPEND) ? PPEND_1 :
                                                                  PPEND_0;
    }
}

bool expect_counts(unsigned int el, unsigned int n)
{
    struct am_pe pe = pe_at(el, false);
    struct am_pmu pmu = pmu_now(&pe);

    return am_pmu_counts(&pe, &pmu, n).is == true;
}

bool expect_overflow(unsigned int n, u64 value)
{
    struct am_pe pe = pe_at(3, true);
    struct am_pmu pmu = pmu_now(&pe);

    return am_pmu_increment(&pe, &pmu, n, value, 1).overflow;
}

void expect_sample(unsigned int el, u64 events, int *overflow, int *sample)
{
    struct am_pe pe = pe_at(el, false);
    struct am_pmu pmu = pmu_now(&pe);
    u64 count = read_reg(pmevcntr0_el0);

    *overflow = *sample = -1;
    pmu.pmcr |= 1;
    if (am_pmu_counts(&pe, &pmu, 0).is != true) {
        return;
    }
    for (int i = 0; events >> i && *sample < 0; i++) {
        struct am_retired insn = { .counted = (events >> i) & 1 };

        if (insn.counted) {
            struct am_increment inc = am_pmu_increment(&pe, &pmu, 0, count, 1);

            count = inc.value;
            if (inc.overflow) {
                *overflow = i;
            }
        }
        if (am_pmu_retire(&pe, &pmu, &pe, &pmu, &insn).is == AM_PPEND_SET) {
            *sample = i;
        }
    }
}

int expect_recording_el(unsigned int ec, unsigned int fsc)
{
    struct am_pe pe = pe_at(1, true);
    struct am_trbe trbe = trbe_now();
    struct am_verdict class = am_trbe_class(&pe, ec, fsc);

    return am_trbe_record(&pe, &trbe, class.is).is;
}

void expect_trbe(unsigned int el, bool pm, int *target_el, bool *irq)
{
    struct am_pe pe = pe_at(el, pm);
    struct am_trbe trbe = trbe_now();
    unsigned int targets = am_trbe_pending(&pe, &trbe);

    /* IMPLEMENTATION DEFINED: the highest Exception level goes first. */
    *target_el = 0;
    for (int i = 1; i <= 3; i++) {
        if (targets & BIT(i)) {
            *target_el = i;
        }
    }
    *irq = am_trbirq(&pe, &trbe);
}

void expect_collect(u64 bytes, u64 *trbsr, u64 *trbptr)
{
    struct am_pe pe = pe_at(1, true);
    struct am_trbe trbe = trbe_now();

    while (bytes--) {
        am_trbe_collect(&pe, &trbe, 1);
    }
    *trbsr = trbe.trbsr[1];
    *trbptr = trbe.trbptr;
}
