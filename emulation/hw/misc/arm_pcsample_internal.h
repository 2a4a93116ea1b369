/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the PC-sample blocks share:
 *   arm_pcsample.c          places the blocks, describes them to the guest, breaks them
 *   arm_pcsample_pe.c       the PE as a block sees it: power, locks, and what a read samples
 *   arm_pcsample_pmu.c      registers of the external PMU block, and of the own frame
 *   arm_pcsample_debug.c    registers of the external debug block
 *
 * See include/hw/misc/arm_pcsample.h for the interface. Section numbers are those of the Arm
 * Architecture Reference Manual, DDI 0487 issue M.a.a.
 */
#ifndef HW_MISC_ARM_PCSAMPLE_INTERNAL_H
#define HW_MISC_ARM_PCSAMPLE_INTERNAL_H

#include "exec/memattrs.h"
#include "hw/misc/arm_pcsample.h"

#include <arch-model/edpcsr-regs.h>
#include <arch-model/pmpcsr-regs.h>

/* Values of the "fault" property */
enum {
    FAULT_NONE,
    FAULT_NO_BLOCK,     /* nothing answers: error response on every access */
    FAULT_DEVARCH,      /* DEVARCH.PRESENT = 0 */
    FAULT_DEVID,        /* DEVID.PCSample = 0: no PC sampling */
    FAULT_DEVTYPE,      /* DEVTYPE = 0x14: a cross-trigger interface */
    FAULT_CIDR,         /* component identification preamble is wrong */
    FAULT_DEVAFF,       /* DEVAFF is that of another PE */
    FAULT_LOCK,         /* the Software lock does not open */
    FAULT_RELOCK,       /* somebody closes the Software lock after each 256 samples */
    FAULT_ERROR,        /* sample registers give an error response */
    FAULT_FROZEN,       /* every read returns the same sample */
    FAULT_CAPTURE,      /* PMSSCR_EL1.SS says for ever that a capture is not complete */
    FAULT_SLOW,         /* 8 of each 64 reads of registers take 0.1 ms */
};

/* Values of the "suspend-state" property */
enum { SUSPEND_RETENTION, SUSPEND_POWER_DOWN, SUSPEND_POWER_DOWN_LOCKED };

/* Values of the "wide-read" property */
enum { WIDE_LOW_FIRST, WIDE_HIGH_FIRST, WIDE_ERROR };

/**
 * struct ARMPCSampleSet - a register set
 * @access_error: why an access of 4 or 8 bytes, which the Debug power domain answers, gets an error
 *                response, or NULL if it does not
 * @read: a read of 4 or 8 bytes
 * @write: a write of 4 or 8 bytes
 * @cold_reset: Cold reset of what this set alone has in the Core power domain
 * @watch: called once, when the block has its PE; may be NULL
 */
struct ARMPCSampleSet {
    const char *(*access_error)(const ARMPCSampleBlock *b, hwaddr offset, unsigned size,
                                MemTxAttrs attrs);
    uint64_t (*read)(ARMPCSampleBlock *b, hwaddr offset, unsigned size);
    void (*write)(ARMPCSampleBlock *b, hwaddr offset, uint64_t data, unsigned size);
    void (*cold_reset)(ARMPCSampleBlock *b);
    void (*watch)(ARMPCSampleBlock *b);
};

extern const ARMPCSampleSet arm_pcsample_pmu, arm_pcsample_debug;

/* What a read of the low word came to */
typedef enum ARMPCSampleOutcome {
    PCSAMPLE_NONE,      /* 0xFFFFFFFF, the other registers are UNKNOWN */
    PCSAMPLE_UNKNOWN,   /* all are UNKNOWN */
    PCSAMPLE_TAKEN,
} ARMPCSampleOutcome;

/* arm_pcsample.c */
bool arm_pcsample_has_fault(const ARMPCSampleBlock *b, int fault);
void arm_pcsample_powers_up(ARMPCSampleBlock *b);

/* arm_pcsample_pe.c */
bool arm_pcsample_core_powered(const ARMPCSampleBlock *b);
bool arm_pcsample_core_state_lost(const ARMPCSampleBlock *b);
bool arm_pcsample_debug_powered(const ARMPCSampleBlock *b);
bool arm_pcsample_debug_state_lost(const ARMPCSampleBlock *b);
bool arm_pcsample_same_cluster(const ARMPCSampleBlock *a, const ARMPCSampleBlock *b);
bool arm_pcsample_os_locked(const ARMPCSampleBlock *b);
bool arm_pcsample_os_double_locked(const ARMPCSampleBlock *b);
const char *arm_pcsample_off_error(const ARMPCSampleBlock *b);
const char *arm_pcsample_core_error(const ARMPCSampleBlock *b);
bool arm_pcsample_have_secure_state(const ARMPCSampleBlock *b);
bool arm_pcsample_have_rme(const ARMPCSampleBlock *b);
bool arm_pcsample_have_vmid16(const ARMPCSampleBlock *b);
bool arm_pcsample_create(const ARMPCSampleBlock *b, ARMPCSample *p);
ARMPCSampleOutcome arm_pcsample_take(ARMPCSampleBlock *b, ARMPCSample *p);
void arm_pcsample_restarts(ARMPCSampleBlock *b, uint64_t pc);
void arm_pcsample_watch(ARMPCSampleBlock *b);
void arm_pcsample_resumes(ARMPCSampleBlock *b);

/* arm_pcsample_pmu.c */
void arm_pcsample_reset_pmu(const ARMPCSampleBlock *b);

/* Management registers that all sets have; arm_pcsample.c */
uint64_t arm_pcsample_devaff(const ARMPCSampleBlock *b);
uint32_t arm_pcsample_authstatus(const ARMPCSampleBlock *b, bool invasive);
uint32_t arm_pcsample_component_id(const ARMPCSampleBlock *b, hwaddr offset);
uint32_t arm_pcsample_lsr(const ARMPCSampleBlock *b);
void arm_pcsample_write_lar(ARMPCSampleBlock *b, uint32_t value);

#endif
