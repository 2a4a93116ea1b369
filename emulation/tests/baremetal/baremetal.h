/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the bare-metal tests share: System registers, excursions to other
 * Exception levels, output, points counted
 */
#ifndef BAREMETAL_H
#define BAREMETAL_H

#include <stdbool.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define BIT(n)                  (1ULL << (n))
#define FIELD(value, shift)     ((u64)(value) << (shift))
#define ARRAY_SIZE(a)           (sizeof(a) / sizeof((a)[0]))

#define STR_(x)                 #x
#define STR(x)                  STR_(x)
#define read_reg(name)                                                       \
    ({                                                                       \
        u64 v_;                                                              \
        asm volatile("mrs %0, " STR(name) : "=r"(v_) : : "memory");          \
        v_;                                                                  \
    })
#define write_reg(name, value)                                               \
    asm volatile("msr " STR(name) ", %0" : : "r"((u64)(value)) : "memory")
#define isb()                   asm volatile("isb" : : : "memory")

/* Registers the assembler does not know */
#define PM                      S3_0_C4_C3_1
#define PMECR_EL1               S3_0_C9_C14_5
#define PMIAR_EL1               S3_0_C9_C14_7
#define HDFGRTR2_EL2            S3_4_C3_C1_0
#define HDFGWTR2_EL2            S3_4_C3_C1_1
#define HDFGRTR_EL2             S3_4_C3_C1_4
#define HDFGWTR_EL2             S3_4_C3_C1_5
#define TRBLIMITR_EL1           S3_0_C9_C11_0
#define TRBPTR_EL1              S3_0_C9_C11_1
#define TRBBASER_EL1            S3_0_C9_C11_2
#define TRBSR_EL1               S3_0_C9_C11_3
#define TRBMAR_EL1              S3_0_C9_C11_4
#define TRBTRG_EL1              S3_0_C9_C11_6
#define TRBIDR_EL1              S3_0_C9_C11_7
#define TRBSR_EL2               S3_4_C9_C11_3
#define TRBSR_EL12              S3_5_C9_C11_3
#define TRBSR_EL3               S3_6_C9_C11_3
#define TRBINJ_EL1              S3_0_C15_C12_0
#define TRFCR_EL1               S3_0_C1_C2_1
#define TRFCR_EL2               S3_4_C1_C2_1
#define TRFCR_EL12              S3_5_C1_C2_1
#define TRCPRGCTLR              S2_1_C0_C1_0
#define TRCCONFIGR              S2_1_C0_C4_0
#define TRCEVENTCTL0R           S2_1_C0_C8_0
#define TRCSYNCPR               S2_1_C0_C13_0
#define TRCVICTLR               S2_1_C0_C0_2
#define TRCCNTCTLR0             S2_1_C0_C4_5
#define TRCCNTVR0               S2_1_C0_C8_5
#define TRCRSCTLR2              S2_1_C1_C2_0
#define ID_AA64DFR2_EL1         S3_0_C0_C5_2
#define ICC_PMR_EL1             S3_0_C4_C6_0
#define ICC_SRE_EL1             S3_0_C12_C12_5
#define ICC_SRE_EL2             S3_4_C12_C9_5
#define ICC_SRE_EL3             S3_6_C12_C12_5
#define ICC_IGRPEN1_EL3         S3_6_C12_C12_7
#define GPTBR_EL3               S3_6_C2_C1_4
#define GPCCR_EL3               S3_6_C2_C1_6

/* SCR_EL3 */
#define SCR_NS                  BIT(0)
#define SCR_EA                  BIT(3)
#define SCR_HCE                 BIT(8)
#define SCR_RW                  BIT(10)
#define SCR_API_APK             (BIT(16) | BIT(17))
#define SCR_EEL2                BIT(18)
#define SCR_FGTEN               BIT(27)
#define SCR_GPF                 BIT(48)
#define SCR_FGTEN2              BIT(59)
#define SCR_NSE                 BIT(62)
/* HCR_EL2 */
#define HCR_VM                  BIT(0)
#define HCR_TGE                 BIT(27)
#define HCR_RW                  BIT(31)
#define HCR_E2H                 BIT(34)
#define HCR_TEA                 BIT(37)
#define HCR_GPF                 BIT(48)
/* HDFGRTR2_EL2, HDFGWTR2_EL2: 0 traps */
#define HDFGxTR2_PMSSCR_EL1     BIT(7)
#define HDFGRTR2_PMSSDATA       BIT(6)
/* MDCR_EL2, MDCR_EL3 */
#define MDCR_PMEE_SHIFT         40
#define MDCR_EL3_SPME           BIT(17)
#define MDCR_EL3_ENPM2          BIT(7)
#define MDCR_EL3_ENPMSS         BIT(44)
#define MDCR_TPM                BIT(6)
#define MDCR_EL2_HPME           BIT(7)
#define MDCR_EL3_TRBEE_SHIFT    53
#define MDCR_EL3_NSTB_SHIFT     24
#define MDCR_EL3_NSTBE          BIT(26)
#define MDCR_EL3_RLTE           BIT(0)
#define MDCR_EL3_TTRF           BIT(19)
#define MDCR_EL3_STE            BIT(18)
#define MDCR_EL2_E2TB_SHIFT     24
#define MDCR_EL2_TTRF           BIT(19)
/* PMECR_EL1 */
#define PMECR_PMEE_SHIFT        0
#define PMECR_KPME              BIT(2)
/* PMEVTYPER<n>_EL0 */
#define PMEVTYPER_P             BIT(31)     /* not at EL1 */
#define PMEVTYPER_U             BIT(30)     /* not at EL0 */
#define PMEVTYPER_NSH           BIT(27)     /* at EL2 */
#define PMEVTYPER_M             BIT(26)     /* at EL3: not equal to P */
#define PMEVTYPER_SYNC          BIT(58)
/* TRFCR_ELx */
#define TRFCR_E0TRE             BIT(0)
#define TRFCR_ExTRE             BIT(1)
#define TRFCR_EE_SHIFT          8
#define TRFCR_KE                BIT(10)
#define TRFCR_DnVM              BIT(11)
/* TRBLIMITR_EL1 */
#define TRBLIMITR_E             BIT(0)
#define TRBLIMITR_FILL          FIELD(0, 1)
#define TRBLIMITR_WRAP          FIELD(1, 1)
#define TRBLIMITR_CIRCULAR      FIELD(3, 1)
#define TRBLIMITR_TM_STOP       FIELD(0, 3)
#define TRBLIMITR_TM_IRQ        FIELD(1, 3)
#define TRBLIMITR_TM_IGNORE     FIELD(3, 3)
#define TRBLIMITR_NVM           BIT(5)
/* TRBSR_ELx */
#define TRBSR_MSS               0xffff
#define TRBSR_S                 BIT(17)
#define TRBSR_EA                BIT(18)
#define TRBSR_WRAP              BIT(20)
#define TRBSR_TRG               BIT(21)
#define TRBSR_IRQ               BIT(22)
#define TRBSR_EC_SHIFT          26
#define TRBSR_EC(sr)            (((sr) >> TRBSR_EC_SHIFT) & 0x3f)
#define TRB_EC_OTHER            0x00
#define TRB_EC_GPC              0x1e
#define TRB_EC_IMPDEF           0x1f
#define TRB_EC_S1               0x24
#define TRB_EC_S2               0x25
#define TRB_BSC_FILLED          1
#define TRB_BSC_TRIGGER         2
/* SPSR_ELx */
#define SPSR_DAIF               0x3c0
#define SPSR_I                  BIT(7)
#define SPSR_PM                 BIT(32)
#define SPSR_PPEND              BIT(33)
#define SPSR_EL0T               0x0
#define SPSR_AARCH32_USER       0x10
#define SPSR_ELH(el)            (((el) << 2) | 1)

#define ESR_EC(esr)             (((esr) >> 26) & 0x3f)
#define EC_SMC                  0x17
#define EC_MSR                  0x18
#define EC_PROFILING            0x3d
#define ESR_PROFILING(fsc, sync) (0xf6000000 | ((fsc) << 1) | (sync))

/* What the vectors noted, in the order in which exceptions were taken */
struct record {
    u64 el;                     /* taken to */
    u64 vector;                 /* offset from VBAR_ELx */
    u64 esr;
    u64 elr;
    u64 spsr;
    u64 far;
};

extern volatile u64 record_count;
extern struct record record[4];

void run_at(u64 spsr, const void *entry, u64 arg);
extern const char run_end[];
extern u64 run_x1;              /* x1 when the excursion ended */

/* Runs @entry(@arg) at @el with everything but PSTATE.PM masked. */
static inline void run_el(unsigned int el, u64 spsr_high, const void *entry,
                          u64 arg)
{
    run_at((el ? SPSR_ELH(el) : SPSR_EL0T) | SPSR_DAIF | spsr_high, entry,
           arg);
}

/* A Profiling exception was the first exception taken. */
static inline bool profiling_taken(void)
{
    return record_count && ESR_EC(record[0].esr) == EC_PROFILING;
}

/* The excursion ran to its end without any exception of its own. */
static inline bool ran_to_end(void)
{
    return record_count && record[0].elr - (u64)run_end <= 4;
}

/* Level of a PPI, by its INTID, at the redistributor */
bool ppi_level(unsigned int intid);

/*
 * PPIs are Non-secure Group 1, disabled until this enables one: it is taken
 * from Non-secure EL1 to EL1.
 */
void ppi_setup(void);
void ppi_enable(unsigned int intid, bool enable);
#define VECTOR_IRQ              0x280   /* from the same level, on SP_ELx */

#define INTID_PMUIRQ            23
#define INTID_TRBIRQ            31

/*
 * What the CPU has, by its ID registers; and by trying it, whether TRBSR_ELx.IRQ
 * means nothing while TRBLIMITR_EL1.E is 0
 */
struct features {
    bool ebep, sebep, pmu_ss, trbe, trbe_exc, ete, rme, fgt2;
    bool irq_gated;
};
extern struct features features;
void find_features(void);

/* After ppi_setup() */
void find_irq_gated(void);

/*
 * The controls every suite starts from: Non-secure below EL3, nothing trapped,
 * no Profiling exception enabled, no counter or trace running, PM set.
 */
void reset_controls(void);
void set_scr(u64 scr);
void set_hcr(u64 hcr);
#define SCR_BASE    (SCR_HCE | SCR_RW | SCR_FGTEN | SCR_FGTEN2 | SCR_API_APK)
#define MDCR_EL3_BASE   (MDCR_EL3_ENPM2 | MDCR_EL3_ENPMSS |                   \
                         FIELD(3, MDCR_EL3_NSTB_SHIFT))
#define MDCR_EL2_BASE   (FIELD(3, MDCR_EL2_E2TB_SHIFT) | PMU_COUNTERS)

/* PMCR_EL0.N of QEMU's CPUs, as MDCR_EL2.HPMN */
#define PMU_COUNTERS            6

/*
 * Output and result: a suite is a set of points; a point is right or wrong.
 */
void print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void suite_start(const char *name);
/* Counts a point; true if it is wrong and should be explained. */
bool wrong(bool ok);
void suite_end(void);
void finish(void) __attribute__((noreturn));

#endif
