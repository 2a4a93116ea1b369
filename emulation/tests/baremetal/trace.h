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

/* Disables trace unit and buffer. */
void trace_disable(void);

/* TRBSR_ELx for x = 1 to 3; zero if there is none */
u64 trbsr(unsigned int el);

/* Level whose TRBSR_ELx alone is not zero; 0 if there is none, -1 if several */
int recorded_el(void);

#endif
