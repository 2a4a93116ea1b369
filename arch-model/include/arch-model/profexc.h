/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Profiling exceptions as such: how one is taken, whatever its source. Arm DDI 0487 M.a.a, D1.4,
 * D13.3.2, D6.5, D24.2.45.
 */
#ifndef ARCH_MODEL_PROFEXC_H
#define ARCH_MODEL_PROFEXC_H

#include <arch-model/pe.h>
#include <arch-model/types.h>
#include <arch-model/why.h>

/**
 * enum am_delivery - what comes of a Profiling exception at an Exception level
 * @AM_DELIVERY_IRQ: the exception is disabled, the interrupt request is enabled
 * @AM_DELIVERY_NONE: neither is enabled
 * @AM_DELIVERY_MASKED: enabled, and masked whatever PSTATE.PM says
 * @AM_DELIVERY_MASKED_PM: enabled, and masked by PSTATE.PM only
 * @AM_DELIVERY_EL1: enabled, and taken to EL1
 * @AM_DELIVERY_EL2: enabled, and taken to EL2
 * @AM_DELIVERY_EL3: enabled, and taken to EL3
 */
enum am_delivery {
	AM_DELIVERY_IRQ,
	AM_DELIVERY_NONE,
	AM_DELIVERY_MASKED,
	AM_DELIVERY_MASKED_PM,
	AM_DELIVERY_EL1,
	AM_DELIVERY_EL2,
	AM_DELIVERY_EL3,
};

/* Is it one of the deliveries that take the exception? */
static inline bool am_is_taken(int delivery)
{
	return delivery >= AM_DELIVERY_EL1;
}

/**
 * enum am_profexc_source - what caused a Profiling exception; the values are ESR_ELx.ISS.FSC
 * @AM_PROFEXC_PMU: a PMU overflow, or PSTATE.PPEND
 * @AM_PROFEXC_SPE: a Profiling Buffer management event
 * @AM_PROFEXC_TRBE: a trace buffer management event
 */
enum am_profexc_source {
	AM_PROFEXC_PMU = 0,
	AM_PROFEXC_SPE = 1,
	AM_PROFEXC_TRBE = 2,
};

/**
 * am_profexc_esr() - ESR_ELx of a Profiling exception: EC and ISS; IL is not modelled
 * @source: its cause
 * @synchronous: PSTATE.PPEND caused it; only the PMU's can be
 */
u64 am_profexc_esr(enum am_profexc_source source, bool synchronous);

/**
 * am_profexc_source() - the cause that an ESR_ELx names
 * @pe: the PE; a source that it does not implement is reserved
 * @esr: ESR_ELx
 *
 * Return: an enum am_profexc_source, AM_RESERVED if @esr is not of a Profiling exception or its
 * FSC is reserved. @detail is 1 for a synchronous one.
 */
struct am_verdict am_profexc_source(const struct am_pe *pe, u64 esr);

/**
 * am_profexc_vector() - offset from VBAR_ELx, x being the target
 * @pe: the PE before the exception
 * @target: target Exception level, not below the current one
 * @sp_elx: PSTATE.SP, which decides if the level does not change
 *
 * That of synchronous exceptions, for asynchronous Profiling exceptions too.
 */
unsigned int am_profexc_vector(const struct am_pe *pe, unsigned int target, bool sp_elx);

/**
 * am_profexc_priority() - priority among synchronous exceptions (D1.4), 1 is first
 * @synchronous: the exception is taken synchronously
 *
 * Return: the priority, or 0: IMPLEMENTATION DEFINED, as for each asynchronous exception
 */
unsigned int am_profexc_priority(bool synchronous);

/* Does PSTATE have PM: is it set by each exception entry and restored by each return? */
bool am_has_pm(const struct am_pe *pe);

/**
 * struct am_sync_point - a sequence after which a pending exception is certain
 * @observed: instruction A read the flag as 1, or wrote it 1; for trace also a TSB CSYNC
 *	      that synchronised the event
 * @synchronised: a Context synchronization event B followed in program order
 * @next: instruction C is the first after B
 * @deliverable: the exception is enabled and unmasked, and its other conditions hold, when C
 *		 starts
 */
struct am_sync_point {
	bool observed;
	bool synchronised;
	bool next;
	bool deliverable;
};

/**
 * enum am_when - when a deliverable asynchronous exception is taken
 * @AM_WHEN_NEVER: it is not deliverable
 * @AM_WHEN_FINITE: in finite time
 * @AM_WHEN_BEFORE_C: before instruction C completes
 */
enum am_when {
	AM_WHEN_NEVER,
	AM_WHEN_FINITE,
	AM_WHEN_BEFORE_C,
};

/* When is an asynchronous Profiling exception taken? Return: an enum am_when */
struct am_verdict am_profexc_when(const struct am_sync_point *point);

/**
 * am_is_ppi() - may a GIC interrupt ID be that of TRBIRQ or PMUIRQ?
 * @intid: INTID; 16 to 31 and, from GICv3.1 on, 1056 to 1119 are private to a PE
 *
 * The architecture gives TRBIRQ no number, and recommends 23 for PMUIRQ: firmware tells.
 */
bool am_is_ppi(unsigned int intid);

#endif /* ARCH_MODEL_PROFEXC_H */
