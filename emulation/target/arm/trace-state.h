/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace unit and trace buffer of a PE: state, part of ARMProfExcState
 */
#ifndef TARGET_ARM_TRACE_STATE_H
#define TARGET_ARM_TRACE_STATE_H

#define TRBE_FIFO_SIZE          512

/*
 * FEAT_TRBE, the Trace Buffer Unit.
 *
 * Invariants:
 *  - trace data goes fifo -> memory at ptr; what is in the fifo has been
 *    accepted from the trace unit but is not yet visible in ptr;
 *  - the fifo is empty whenever the unit is disabled or collection is stopped;
 *  - sr[n] is TRBSR_ELn; sr[0] is not used.
 */
typedef struct ARMTrbeState {
    uint64_t limitr;
    uint64_t ptr;
    uint64_t baser;
    uint64_t sr[4];
    uint64_t mar;
    uint64_t trg;
    uint64_t trfcr[3];          /* TRFCR_EL1 and TRFCR_EL2 */

    uint32_t fifo_used;
    uint8_t fifo[TRBE_FIFO_SIZE];

    /* Events that no guest can cause: CPU properties, and TRBINJ_EL1 */
    uint64_t inject;            /* as TRBSR_ELx, at the next byte; 0 is none */
    uint64_t inject_syndrome;   /* the same, but again and again, after ... */
    uint64_t inject_every;      /* ... this many bytes; 0 is never */
    uint64_t inject_count;
} ARMTrbeState;

/* Registers of the trace unit that hold what is written, see ete.c */
typedef enum EteReg {
    ETE_PRGCTLR,
    ETE_CONFIGR,
    ETE_AUXCTLR,
    ETE_EVENTCTL0R,
    ETE_EVENTCTL1R,
    ETE_RSR,
    ETE_TSCTLR,
    ETE_SYNCPR,
    ETE_CCCTLR,
    ETE_BBCTLR,
    ETE_TRACEIDR,
    ETE_VICTLR,
    ETE_VIIECTLR,
    ETE_VISSCTLR,
    ETE_CNTRLDVR0,
    ETE_CNTCTLR0,
    ETE_CNTVR0,
    ETE_RSCTLR2,
    ETE_RSCTLR3,
    ETE_CIDCCTLR0,
    ETE_VMIDCCTLR0,
    ETE_NUM_REGS
} EteReg;

/*
 * FEAT_ETE, the trace unit.
 *
 * Invariants:
 *  - tracing is what the trace stream says: program flow is being traced. It
 *    follows the registers and the Exception level at instruction boundaries;
 *  - start_pending: tracing, but where from is not yet known and nothing has
 *    been output since it began;
 *  - atoms are only held back while tracing.
 */
typedef struct ARMEteState {
    uint64_t reg[ETE_NUM_REGS];
    uint8_t claim;

    bool tracing;
    bool start_pending;
    bool needs_sync;            /* A-Sync before anything else */
    bool was_tracing;           /* before the exception now being taken */
    bool counter_at_zero;
    uint8_t atoms;
    uint8_t num_atoms;
    uint8_t context_el;         /* context the stream last told */
    uint32_t context_id;
    uint32_t context_vmid;
    uint32_t since_sync;        /* bytes */
    uint64_t block_pc;          /* start of the block being executed */
} ARMEteState;

#endif
