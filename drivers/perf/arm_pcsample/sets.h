/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Register sets: the kinds of PC-sample blocks, and how each is read. The ID registers of a block
 * say which one it has; all else in the driver is the same for all sets.
 *
 * The caller holds the block's lock, and has made sure that the registers may be accessed.
 *
 * Unit tests compile it in user space, with registers of their own behind the accessors.
 */
#ifndef ARM_PCSAMPLE_SETS_H
#define ARM_PCSAMPLE_SETS_H

#include <arch-model/pcs-identify.h>
#include <linux/io.h>

#include "attribution.h"
#include "ledger.h"

/**
 * struct pcs_ident - identification registers of a block, as read
 * @ids: CIDR0 to CIDR3, DEVARCH, DEVTYPE, DEVID, and DEVID1 of a debug block
 * @devaff: PMDEVAFF, or DEVAFF1:DEVAFF0
 */
struct pcs_ident {
	struct am_pcs_ids ids;
	u64 devaff;
};

/**
 * struct pcs_frame - the registers of one block
 * @base: where they are
 * @kernel: the kernel that runs on the PE
 * @set: how they are used now; NULL until the block is identified
 * @reads: the set whose samples are taken by reads
 * @snapshots: the set whose samples are PMU snapshots; NULL if there are none
 * @may_capture: firmware lets this kernel take PMU snapshots, if there are any
 * @impdef_core: the PE is of a kind that has IMPLEMENTATION DEFINED ones
 * @has_el3: the PE has EL3, so that samples can be of Secure state
 * @assumes_pcsample: the user says that the external PMU block samples, whatever PMDEVID says
 * @pcsample_is_assumed: the user has said so, and PMDEVID says that it does not sample
 * @may_request: the user wants power to be requested, and this system does not forbid it
 * @counter: hardware counters that a snapshot is read for, by enum pcs_counter
 * @authstatus: PMAUTHSTATUS or DBGAUTHSTATUS_EL1, when pcs_frame_is_disabled() was asked last
 * @has_control: the control register is there: PMPCSCTL (FEAT_PCSRv8p9), or EDSCR.SC2
 * @has_cid: EDCIDSR is there
 * @has_vid: EDVIDSR is there
 * @sc2: EDSCR.SC2, as the driver wants it
 * @has_lock: the Software lock is there
 * @was_locked: it was set before the driver came, or since by somebody else
 * @relocked: it was set while the driver read samples
 * @latched: the registers hold the last sample that pcs_frame_take() took
 * @control_is_ours: the set's control register was written, and @found_control is what it held
 * @found_control: see @control_is_ours
 * @requests: bits of EDPRCR that are to be set while the block is used
 * @power_is_ours: they were, and @found_requests are those that were set before
 * @found_requests: see @power_is_ours
 *
 * Those that say what is there are valid with @set.
 */
struct pcs_frame {
	void __iomem *base;
	const struct am_linux *kernel;
	const struct pcs_set *set;
	const struct pcs_set *reads;
	const struct pcs_set *snapshots;
	bool may_capture;
	bool impdef_core;
	bool has_el3;
	bool assumes_pcsample;
	bool pcsample_is_assumed;
	bool may_request;
	int counter[PCS_NR_COUNTS];
	u32 authstatus;
	bool has_control;
	bool has_cid;
	bool has_vid;
	bool sc2;
	bool has_lock;
	bool was_locked;
	bool relocked;
	bool latched;
	bool control_is_ours;
	u64 found_control;
	u32 requests;
	bool power_is_ours;
	u32 found_requests;
};

/**
 * struct pcs_set - a register set
 * @name: its name in the log
 * @source: its name in the raw record
 * @view: its name in arch-model
 * @own_frame: the block holds PC sampling alone
 * @repeats_unknown: the idle task at the same place again is no sample (H9.2, D13.9)
 * @snapshots: the set of the same block that takes PMU snapshots, where it has them
 * @impdef: the one that takes IMPLEMENTATION DEFINED snapshots, where its core has those
 * @wide: the counters of a snapshot have 64 bits each
 * @identify: notes what of the set is optional and there. Returns false if its samples do not tell
 *	      @kernel from other worlds
 * @open: makes reads take samples. The Software lock is open, the PE may be another
 * @take: takes one sample. Returns PCS_SAMPLE, or PCS_PROHIBITED, PCS_DEBUG or PCS_ERROR
 * @close: leaves the control register as @open found it. Returns whether sampling may be suspended
 *	   now, so that only the PE itself can make it active again
 */
struct pcs_set {
	const char *name;
	enum arm_pcsample_source source;
	enum am_pcs_view view;
	bool own_frame;
	bool repeats_unknown;
	const struct pcs_set *snapshots;
	const struct pcs_set *impdef;
	bool wide;
	bool (*identify)(struct pcs_frame *frame, const struct am_pcs_id *id);
	void (*open)(struct pcs_frame *frame);
	enum pcs_outcome (*take)(const struct pcs_frame *frame, struct pcs_regs *regs);
	bool (*close)(struct pcs_frame *frame);
};

/**
 * pcs_sets_find() - the register set of a block
 * @id: what arch-model makes of the block's ID registers
 *
 * Return: the set, or NULL if the driver has none for it.
 */
const struct pcs_set *pcs_sets_find(const struct am_pcs_id *id);

/*
 * The registers that all sets have at the same place
 */

/**
 * pcs_frame_read_ident() - read the ID registers
 * @frame: the block; it may be anything
 * @id: filled
 */
void pcs_frame_read_ident(const struct pcs_frame *frame, struct pcs_ident *id);

/**
 * pcs_frame_is_disabled() - does the authentication interface forbid to sample this kernel?
 * @frame: the block; notes what that interface says
 */
bool pcs_frame_is_disabled(struct pcs_frame *frame);

/**
 * pcs_frame_unlock() - open the Software lock
 * @frame: the block
 *
 * Return: false if it stays shut.
 */
bool pcs_frame_unlock(struct pcs_frame *frame);

/**
 * pcs_frame_is_locked() - has somebody closed the Software lock since pcs_frame_unlock()?
 * @frame: the block
 */
bool pcs_frame_is_locked(const struct pcs_frame *frame);

/**
 * pcs_frame_take() - take one sample, though somebody else may close the Software lock
 * @frame: the block; its lock was opened
 * @regs: filled with a sample
 * @last: the one before
 *
 * Return: as &struct pcs_set.take does; PCS_NO_BRANCH if the lock was closed and is open again,
 * PCS_ERROR if it stays closed.
 */
enum pcs_outcome pcs_frame_take(struct pcs_frame *frame, struct pcs_regs *regs,
				const struct pcs_regs *last);

/**
 * pcs_frame_is_changed() - is there something to undo, unless power was lost since?
 * @frame: the block
 */
static inline bool pcs_frame_is_changed(const struct pcs_frame *frame)
{
	return frame->control_is_ours || frame->power_is_ours || frame->was_locked;
}

/**
 * pcs_frame_withdraw() - leave the power requests as they were found
 * @frame: the block; the Software lock is open, and the OS lock, too
 */
void pcs_frame_withdraw(struct pcs_frame *frame);

/**
 * pcs_frame_relock() - undo pcs_frame_unlock()
 * @frame: the block
 */
void pcs_frame_relock(struct pcs_frame *frame);

#endif /* ARM_PCSAMPLE_SETS_H */
