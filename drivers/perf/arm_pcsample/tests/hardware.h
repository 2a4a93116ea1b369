/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hardware behind the accessors of include/linux/io.h: one block and its PE, by arch-model's
 * state machine. That decides what each access returns and changes. A forbidden access fails the
 * test, as does one that would get an error response. An UNKNOWN value is a random number, which
 * changes with each sample.
 */
#ifndef PCS_TEST_HARDWARE_H
#define PCS_TEST_HARDWARE_H

#include <arch-model/pcsr.h>

/* PMLSR, EDLSR */
#define LSR_OPEN	1
#define LSR_LOCKED	3

/* EDPRCR */
#define CORENPDRQ	(1U << 0)
#define COREPURQ	(1U << 3)

/**
 * struct hardware - one block and its PE
 * @ids: ID registers
 * @id: how the model identifies them
 * @pe: the PE
 * @auth: authentication interface
 * @no_authstatus: there is no PMAUTHSTATUS: zeros in its place
 * @pcsr: state of sampling
 * @chosen: what the PE does where the architecture leaves it the choice
 * @sc2: EDSCR.SC2
 * @edprcr: EDPRCR
 * @lsr: PMLSR, EDLSR
 * @lock_is_stuck: the Software lock does not open
 * @impdef: the block has IMPLEMENTATION DEFINED snapshots
 * @activates: such a capture makes suspended sampling active
 * @ignores: a request for such a capture is ignored: PMSSSR.NC and all values stay as they are
 * @refuses: such a capture leaves the counters out: a security violation
 * @late: for how many reads of PMSSSR it is not over, the last included; 0: it is at once
 * @capture_in: for how many more it is not; 0: there is none in progress
 * @snapshot: what the last one left
 * @sse: PMECR_EL1.SSE
 * @nc: PMSSCR_EL1.NC
 * @busy: for how many more reads PMSSCR_EL1.SS says that a capture is in progress
 * @counter: PMU counters, by enum number of counts.h
 * @saved: their values at the last snapshot
 * @off: the Core power domain is off
 * @no_clock: the clock of the block, or its power domain, is off
 * @os_lock: OSLSR_EL1.OSLK
 * @double_lock: OSDLR_EL1.DLK
 * @noise: value of UNKNOWN fields, changed by each sample
 * @ones: enum am_pcs_reg of a register whose UNKNOWN fields are ones; 0 for none
 * @executes: called before each access that takes a sample, because a PE that reads its own block
 *     executes branches in between; may be NULL
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
	bool no_authstatus;
	struct am_pcsr pcsr;
	struct am_pcs_impdef chosen;
	bool sc2;
	u32 edprcr;
	u32 lsr;
	bool lock_is_stuck;
	bool impdef, activates, ignores, refuses;
	unsigned int late, capture_in;
	struct am_impdef_snapshot snapshot;
	unsigned int sse;
	bool nc;
	unsigned int busy;
	u64 counter[33];
	u64 saved[33];
	bool off;
	bool no_clock;
	bool os_lock;
	bool double_lock;
	u64 noise;
	unsigned int ones;
	void (*executes)(void);
	bool dead;
	u64 dead_value;
	char log[2048];
	unsigned int log_len;
};

extern struct hardware hw;

/* The block's registers, as the base address of struct pcs_frame */
extern char hardware_block[0x1000];

/* Random numbers, the same in each run with the same seed */
void seed_any(u64 seed);
u64 any(void);
bool chance(unsigned int percent);

void hardware_forget_log(void);

/* Cold reset of the PE: the Core power domain has lost its state */
void hardware_reset(void);

/* PMAUTHSTATUS, DBGAUTHSTATUS_EL1 */
u64 hardware_authstatus(void);

/* What a read of a sample register returns, and how it changes @pcsr, which need not be hw.pcsr */
struct am_pcs_read hardware_read(struct am_pcsr *pcsr, enum am_pcs_reg reg);

/* An IMPLEMENTATION DEFINED snapshot of the sample registers, of states that need not be hw's */
struct am_pcs_read hardware_capture_impdef(struct am_impdef_snapshot *snapshot,
					   struct am_pcsr *pcsr);

#endif /* PCS_TEST_HARDWARE_H */
