/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PMU snapshots (FEAT_PMUv3_SS): a Capture event copies all counters of the PE
 * at one moment. Rules are those of D13.9 of the Arm Architecture Reference
 * Manual for A-profile, DDI 0487 issue M.a.a.
 *
 * CPU properties, off and on by default:
 *  + pmu-ss: FEAT_PMUv3_SS, with FEAT_FGT2 where there is an EL2. Adds the
 *    at-retirement PMU events, as sebep does. Of FEAT_PMUv3p9, which the
 *    architecture asks for with it, there is nothing.
 *  + pmu-ss-delegated: what stands in for firmware when QEMU boots a kernel
 *    allows Capture events, and accesses to what they leave, to lower Exception
 *    levels and to the external interface. Off needs an EL3.
 *
 * The external PMU block of "-device arm-pcsample" shows the same registers,
 * and takes a PC sample with each Capture event if its PMPCSCTL.SS says so.
 *
 * Not modelled: the PMU_SNAPSHOT event, and the freeze of branch records.
 */
#ifndef TARGET_ARM_PMUSS_H
#define TARGET_ARM_PMUSS_H

#include "cpu.h"

/* MDCR_EL3; PMSSE is at the same place in MDCR_EL2 */
#define MDCR_PMSSE_SHIFT        30
#define MDCR_EL3_ENPMSS         (1ULL << 44)
#define MDCR_EL3_EPMSSAD_SHIFT  45

#define PMECR_SSE_SHIFT         3
#define PMECR_SSE               (3ULL << PMECR_SSE_SHIFT)

/* PMCCNTSVR_EL1 among ARMPMUSnapshot::value[] */
#define PMUSS_CYCLES            31

void pmuss_realize(ARMCPU *cpu, Error **errp);
void pmuss_reset(CPUARMState *env);
void pmuss_emulate_firmware_reset(CPUARMState *env);

/* FEAT_FGT2 traps an access at EL1; @bit in HDFG{R,W}TR2_EL2. In profexc.c. */
bool profexc_fgt2_traps(CPUARMState *env, bool isread, uint64_t bit);

/*
 * A write to PMSSCR_EL1, by the PE or from outside. The Capture event is over
 * when this returns. Needs the BQL.
 */
void pmuss_write_pmsscr(CPUARMState *env, uint64_t value);
uint64_t pmuss_read_pmsscr(CPUARMState *env);

#endif
