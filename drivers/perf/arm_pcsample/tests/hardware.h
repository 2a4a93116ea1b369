/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hardware behind the accessors of include/linux/io.h: one block and its PE, as arch-model's
 * state machine has them. That says what each access returns and changes; an access that a driver
 * must not make fails the test, as does one that would get an error response. What the manual calls
 * UNKNOWN is a random number, and another one after each sample.
 */
#ifndef PCS_TEST_HARDWARE_H
#define PCS_TEST_HARDWARE_H

#include <arch-model/pcsr.h>

/* PMLSR, EDLSR */
#define LSR_OPEN	1
#define LSR_LOCKED	3

/**
 * struct hardware - one block and its PE
 * @ids: ID registers
 * @id: what the model makes of them
 * @pe: the PE
 * @auth: authentication interface
 * @pcsr: state of sampling
 * @sc2: EDSCR.SC2
 * @lsr: PMLSR, EDLSR
 * @lock_is_stuck: the Software lock does not open
 * @impdef: the block has IMPLEMENTATION DEFINED snapshots, whose PC and contexts are those of @pcsr
 * @sse: PMECR_EL1.SSE
 * @nc: PMSSCR_EL1.NC
 * @busy: how many more reads of PMSSCR_EL1.SS say that a capture is under way
 * @counter: PMU counters, by enum number of counts.h
 * @saved: the last snapshot of them
 * @off: the Core power domain is off
 * @no_clock: the clock of the block, or its power domain, is off
 * @os_lock: OSLSR_EL1.OSLK
 * @noise: what is UNKNOWN, from one sample to the next
 * @executes: called before each access that takes a sample: a PE that reads its own block executes
 *	      branches between two of them; may be NULL
 * @dead: the bus answers all sample registers with an error, as @dead_value
 * @dead_value: see @dead
 * @log: accesses made, as "r4:200 "
 * @log_len: length of @log
 */
struct hardware {
	struct am_pcs_ids ids;
	struct am_pcs_id id;
	struct am_pe pe;
	struct am_auth auth;
	struct am_pcsr pcsr;
	bool sc2;
	u32 lsr;
	bool lock_is_stuck;
	bool impdef;
	unsigned int sse;
	bool nc;
	unsigned int busy;
	u64 counter[33];
	u64 saved[33];
	struct am_pcs_sample snapshot;
	bool off;
	bool no_clock;
	bool os_lock;
	u64 noise;
	void (*executes)(void);
	bool dead;
	u64 dead_value;
	char log[2048];
	unsigned int log_len;
};

extern struct hardware hw;

/* The block's registers, for struct pcs_frame */
extern char hardware_block[0x1000];

/* Random numbers; the same ones in each run, and for each seed */
void seed_any(u64 seed);
u64 any(void);
bool chance(unsigned int percent);

void hardware_forget_log(void);

/* What a read of a sample register returns, and does to @pcsr, which need not be hw.pcsr */
struct am_pcs_read hardware_read(struct am_pcsr *pcsr, enum am_pcs_reg reg);

#endif /* PCS_TEST_HARDWARE_H */
