/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a PE and of its profiling units as text: registers, fields and features by the
 * names that the Arm manual gives them.
 */
#ifndef PCSAMPLE_EXPLAIN_STATE_H
#define PCSAMPLE_EXPLAIN_STATE_H

#include <arch-model/pcsr.h>
#include <arch-model/pe.h>
#include <arch-model/pmu.h>
#include <arch-model/trbe.h>

#include "base/error.h"

/**
 * struct arch_frame - ID registers of a block with sample registers
 * @pmdevarch: PMDEVARCH
 * @pmdevtype: PMDEVTYPE
 * @pmdevid: PMDEVID
 * @eddevid: EDDEVID
 * @eddevid1: EDDEVID1
 */
struct arch_frame {
	u64 pmdevarch;
	u64 pmdevtype;
	u64 pmdevid;
	u64 eddevid;
	u64 eddevid1;
};

/**
 * struct arch_sample - registers of a sample that was read
 * @pmpcsr: PMPCSR
 * @pmcid1sr: PMCID1SR
 * @pmcid2sr: PMCID2SR
 * @pmvidsr: PMVIDSR
 * @edpcsr_lo: EDPCSRlo
 * @edpcsr_hi: EDPCSRhi
 * @edvidsr: EDVIDSR
 * @edscr: EDSCR, of which SC2 matters
 * @kernel: enum am_kernel: the Linux kernel that was sampled
 * @host_vmid: VMID under which that kernel runs
 */
struct arch_sample {
	u64 pmpcsr;
	u64 pmcid1sr;
	u64 pmcid2sr;
	u64 pmvidsr;
	u64 edpcsr_lo;
	u64 edpcsr_hi;
	u64 edvidsr;
	u64 edscr;
	u8 kernel;
	u64 host_vmid;
};

/**
 * struct arch_state - all that a question may depend on
 * @pe: the PE
 * @auth: the authentication interface
 * @pcsr: PC sampling; PMPCSCTL and what it stands for where that is not implemented
 * @edprsr: EDPRSR: may the sample registers be accessed?
 * @sample: a sample that was read
 * @frame: ID registers
 * @trbe: the Trace Buffer Unit
 * @pmu: the PMU
 * @esr: ESR_ELx of an exception
 * @authstatus: PMAUTHSTATUS or DBGAUTHSTATUS_EL1; it decides @auth if it is not 0
 * @oslsr: OSLSR_EL1
 * @hpmn_given: the user set MDCR_EL2.HPMN; else it is the number of event counters, as after reset
 */
struct arch_state {
	struct am_pe pe;
	struct am_auth auth;
	struct am_pcsr pcsr;
	u64 edprsr;
	struct arch_sample sample;
	struct arch_frame frame;
	struct am_trbe trbe;
	struct am_pmu pmu;
	u64 esr;
	u64 authstatus;
	u64 oslsr;
	bool hpmn_given;
};

/**
 * enum arch_unit - which part of the state a name belongs to; a mask
 * @ARCH_PE: the PE: every question depends on it
 * @ARCH_SAMPLING: whether PC sampling is allowed and active
 * @ARCH_SAMPLE: a sample of an external PMU block
 * @ARCH_ED_SAMPLE: a sample of the external debug block
 * @ARCH_FRAME: ID registers
 * @ARCH_TRBE: the Trace Buffer Unit
 * @ARCH_PMU: the PMU
 * @ARCH_SYNDROME: the syndrome of an exception
 */
enum arch_unit {
	ARCH_PE = 1,
	ARCH_SAMPLING = 2,
	ARCH_SAMPLE = 4,
	ARCH_FRAME = 8,
	ARCH_TRBE = 16,
	ARCH_PMU = 32,
	ARCH_ED_SAMPLE = 64,
	ARCH_SYNDROME = 128,
};

/**
 * arch_state_init() - set the state from which the user's settings start
 * @state: the state
 *
 * A PE with EL2, EL3, AArch64 and each extension for profiling, but without FEAT_RME and
 * FEAT_PCSRv8; Non-secure, at EL1; self-hosted trace and all non-invasive debug are enabled; six
 * event counters. Each register is 0 otherwise.
 */
void arch_state_init(struct arch_state *state);

/**
 * arch_state_set() - set a register, a field or a feature
 * @state: the state
 * @units: enum arch_unit: where the name may be from
 * @word: NAME=VALUE: a register, REGISTER.FIELD, or FEAT_NAME; a number in C notation or 0b...
 * @err: what is wrong with it
 *
 * Return: 0, or -EINVAL
 */
int arch_state_set(struct arch_state *state, unsigned int units, const char *word,
		   struct error *err);

/**
 * arch_state_paste() - set each register that a text names, and ignore the rest of the text
 * @state: the state
 * @units: enum arch_unit: which names to take; the others are passed over
 * @text: lines that hold NAME=VALUE, NAME: VALUE or NAME VALUE, in any case, as debugfs, a debugger
 *	  or a kernel log print them
 *
 * Return: how many values were taken
 */
unsigned int arch_state_paste(struct arch_state *state, unsigned int units, const char *text);

/**
 * arch_state_settle() - work out what follows from what was given
 * @state: the state, before it is asked about
 *
 * The number of event counters and HPMN, the authentication interface by its status register, the
 * OS Lock, Debug state, and which events support synchronous mode.
 */
void arch_state_settle(struct arch_state *state);

/**
 * arch_state_each() - call back for each name
 * @units: enum arch_unit
 * @state: where to take values from
 * @each: gets @ctx, the name ("<n>" in the name of an array), the number of bits of the value, and
 *     the value, for an array that of its first member
 * @ctx: for @each
 */
void arch_state_each(unsigned int units, const struct arch_state *state,
		     void (*each)(void *ctx, const char *name, unsigned int bits, u64 value),
		     void *ctx);

#endif /* PCSAMPLE_EXPLAIN_STATE_H */
