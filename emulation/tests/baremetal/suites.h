/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The suites, and what the model expects of the CPU
 */
#ifndef SUITES_H
#define SUITES_H

#include "baremetal.h"

/* Security states below EL3, and SCR_EL3 for them */
enum { NONSECURE, SECURE, SECURE_EL2, REALM, STATES };
static const u64 state_scr[STATES] = {
    SCR_NS, 0, SCR_EEL2, SCR_NSE | SCR_NS
};

/* Owning Security state of the trace buffer, and MDCR_EL3.{NSTBE,NSTB} for it */
enum { OWNER_NONSECURE, OWNER_SECURE, OWNER_REALM, OWNERS };
static const u64 owner_mdcr[OWNERS] = {
    FIELD(3, MDCR_EL3_NSTB_SHIFT), FIELD(1, MDCR_EL3_NSTB_SHIFT),
    FIELD(3, MDCR_EL3_NSTB_SHIFT) | MDCR_EL3_NSTBE
};

static inline unsigned int owner_of(unsigned int state)
{
    return state == NONSECURE ? OWNER_NONSECURE :
           state == REALM ? OWNER_REALM : OWNER_SECURE;
}

static inline bool has_owner(unsigned int owner)
{
    return owner != OWNER_REALM || features.rme;
}

static const char *const el_name[] = { "EL0", "EL1", "EL2", "EL3" };

/*
 * The PE cannot be at EL1 with TGE, nor at EL2 if that is disabled, nor in
 * Realm state without FEAT_RME.
 */
static inline bool reachable(unsigned int el, unsigned int tge,
                             unsigned int state)
{
    return !(el == 1 && tge && state != SECURE) &&
           !(el == 2 && state == SECURE) &&
           !(state == REALM && !features.rme);
}

/* pmu.c */
void suite_d13_1(void);
void suite_pm(void);
void suite_overflow(void);
void suite_signals(void);
/* sync.c */
void suite_d13_2(void);
void suite_sync(void);
/* trbe-route.c */
void suite_d6_record(void);
void suite_d6_deliver(void);
/* trbe-buffer.c */
void suite_buffer(void);
/* trbe-events.c */
void suite_faults(void);
void suite_taken(void);
/* access.c */
void suite_access(void);
void suite_prohibited(void);

/*
 * expect.c: what the model says for the registers as they are now. Called at
 * EL3, for a PE that is at @el with PSTATE.PM = @pm and those registers.
 */

/* A PMU overflow is signalled: exception to *@target_el or 0, level of PMUIRQ */
void expect_pmu(unsigned int el, bool pm, int *target_el, bool *irq);

/* Counter @n counts. */
bool expect_counts(unsigned int el, unsigned int n);

/* Counter @n, at @value, overflows with the next event. */
bool expect_overflow(unsigned int n, u64 value);

/*
 * Instructions retire, with PM clear and counting on; bit i of @events is set
 * if the i-th generates counter 0's event: which one overflows it, and which
 * one is the first to set PSTATE.PPEND; -1 if none does
 */
void expect_sample(unsigned int el, u64 events, int *overflow, int *sample);

/*
 * PSTATE.PPEND after a return from @el to @new_el with this SPSR_ELx. @counted:
 * the return generates counter 0's event
 */
enum ppend { PPEND_0, PPEND_1, PPEND_EITHER };
enum ppend expect_ppend(unsigned int el, bool pm, unsigned int new_el, u64 spsr,
                        bool counted);

/* Level whose TRBSR_ELx records an event with this EC, and FSC or BSC */
int expect_recording_el(unsigned int ec, unsigned int fsc);

/* TRBSR_EL1 and TRBPTR_EL1 once so many bytes of trace were collected */
void expect_collect(u64 bytes, u64 *trbsr, u64 *trbptr);

/* TRBSR_ELx.IRQ as they are: exception to *@target_el or 0, level of TRBIRQ */
void expect_trbe(unsigned int el, bool pm, int *target_el, bool *irq);

#endif
