/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm Trace Buffer Extension: FEAT_TRBE, FEAT_TRBE_EXC and FEAT_TRF
 *
 * CPU properties, off by default:
 *  + trbe: FEAT_TRBE
 *  + trbe-exc: FEAT_TRBEv1p1 and FEAT_TRBE_EXC, each of which needs the other
 *  + trbe-align: TRBIDR_EL1.Align, 0 to 11, default 6
 *  + trbe-inject-every, trbe-inject-syndrome: every so many bytes written to
 *    the buffer, a management event with the EC and MSS of this TRBSR_ELx
 *    value; both can be changed while the machine runs
 *  + trbe-inject-register: the IMPLEMENTATION DEFINED System register
 *    TRBINJ_EL1 (S3_0_C15_C12_0), accessible from EL1: the next byte written
 *    to the buffer causes the event that the TRBSR_ELx value written says
 *  + trbe-irq-gated: TRBSR_ELx.IRQ makes an exception or an interrupt only
 *    while TRBLIMITR_EL1.E is 1. R_MFMXQ and R_VSCDV do not ask for E, but a
 *    PE that does it this way differs in events that software makes up only
 * GPIO output "trbirq": TRBIRQ, level
 */
#ifndef TARGET_ARM_TRBE_H
#define TARGET_ARM_TRBE_H

#include "cpu.h"

/* ISS.FSC of the Profiling exception */
#define PROFEXC_FSC_TRBE        2

/* Controls of the trace buffer in MDCR_EL3, MDCR_EL2 and TRFCR_ELx */
#define MDCR_EL3_TRBEE_SHIFT    53
#define MDCR_EL3_NSTBE_SHIFT    26
#define MDCR_EL3_NSTB_SHIFT     24
#define MDCR_EL2_E2TB_SHIFT     24
#define TRFCR_E0TRE             (1ULL << 0)
#define TRFCR_ExTRE             (1ULL << 1)
#define TRFCR_CX                (1ULL << 3)
#define TRFCR_TS_SHIFT          5
#define TRFCR_TS                (3ULL << TRFCR_TS_SHIFT)
#define TRFCR_EE_SHIFT          8
#define TRFCR_EE                (3ULL << TRFCR_EE_SHIFT)
#define TRFCR_KE                (1ULL << 10)
#define TRFCR_DnVM              (1ULL << 11)

void trbe_realize(ARMCPU *cpu, Error **errp);
void trbe_reset(CPUARMState *env);
void trbe_emulate_firmware_reset(CPUARMState *env);

/* Level of TRBIRQ for the register state */
bool trbe_irq_level(CPUARMState *env);

/* A TRBE Profiling exception is enabled and pending. */
bool trbe_exception_pending(CPUARMState *env);

/* Exception level such an exception is taken to now; 0 if it is masked */
int trbe_exception_target(CPUARMState *env);

/* The owning Security state and Exception level of the trace buffer */
typedef struct TrbeOwner {
    ARMSecuritySpace space;
    int el;
} TrbeOwner;
TrbeOwner trbe_owner(CPUARMState *env);

bool trbe_enabled(CPUARMState *env);
bool trbe_running(CPUARMState *env);

/* Trace data from the trace unit, in program order */
void trbe_collect(CPUARMState *env, const uint8_t *data, size_t len);

/* Writes all data collected to the buffer. */
void trbe_flush(CPUARMState *env);

/* The trace unit detected its trigger condition. */
void trbe_detected_trigger(CPUARMState *env);

#endif
