/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Making trace: a program of branches at some Exception level, traced into a
 * buffer
 */
#ifndef TRACE_H
#define TRACE_H

#include "baremetal.h"

#define PAGE            4096
#define BUFFER_PAGES    8

extern u8 trace_buffer[BUFFER_PAGES * PAGE];

#define BASE            ((u64)trace_buffer)
#define LIMIT(n)        (BASE + (n) * PAGE)

/* Branches that make more trace than @n pages hold, but not twice as much */
#define OVERFLOW(n)     (3 * PAGE * (n) + 1000)

/* EL1 owns the buffer and traces itself; TRBIRQ, no exception. */
void setup_el1(void);

/* The trigger comes at branch @at, by counter 0 of the trace unit. */
void trigger_at(u64 at);

/*
 * Empties the buffer, from @base to @limit, and enables the trace unit and
 * the buffer with the TRBLIMITR_EL1 bits @mode
 */
void trace_enable(u64 base, u64 limit, u64 mode);

/* The same, with the write pointer at @ptr */
void trace_enable_from(u64 base, u64 ptr, u64 limit, u64 mode);

/* Runs @count traced branches and TSB CSYNC at @el with PSTATE.PM set. */
void trace_run(unsigned int el, u64 count);

/*
 * The same with PSTATE.PM clear, and the bits @unmasked of PSTATE.DAIF. Returns
 * how many branches were executed until an exception ended it.
 */
u64 trace_run_unmasked(unsigned int el, u64 unmasked, u64 count);

/* What was traced: its first instruction, and the one after its last */
extern const char branches[], branches_end[];

/*
 * Disables trace unit and buffer. Returns whether TRBIRQ was asserted while the
 * buffer was still enabled.
 */
bool trace_disable(void);

/* TRBSR_ELx for x = 1 to 3; zero if there is none */
u64 trbsr(unsigned int el);

/* Level whose TRBSR_ELx alone is not zero; 0 if there is none, -1 if several */
int recorded_el(void);

/* Trace starts with A-Sync, and nothing is written past @end. */
bool buffer_is_trace(u64 end);

/* A point of which the registers of EL1's buffer tell */
void check(const char *what, bool ok);

#endif
