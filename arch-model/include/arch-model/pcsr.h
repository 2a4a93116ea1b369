/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the PC Sample-based Profiling Extension does: when sampling is allowed and active, what a
 * sample holds, and what each read returns and changes.
 *
 * Arm DDI 0487 M.a.a, H7.1 with I5.3 (FEAT_PCSRv8p2, FEAT_PCSRv8p9: the external PMU block) and
 * H9.2 (FEAT_PCSRv8: the external debug block), D13.9 for snapshots. The decode of a sample that
 * real hardware returned is in pc-sample.h.
 */
#ifndef ARCH_MODEL_PCSR_H
#define ARCH_MODEL_PCSR_H

#include <arch-model/pc-sample.h>
#include <arch-model/pe.h>
#include <arch-model/types.h>
#include <arch-model/value.h>
#include <arch-model/why.h>

/**
 * am_pcs_check() - can an implementation have these features together?
 * @feat: AM_FEAT_*; only those of PC sampling and FEAT_Debugv8pX are looked at
 *
 * Return: AM_WHY_NONE if it can, else the reason why not
 */
enum am_why am_pcs_check(u64 feat);

/* Authentication */

/**
 * struct am_auth - what the IMPLEMENTATION DEFINED authentication interface says
 * @noninvasive: ExternalNoninvasiveDebugEnabled()
 * @secure: ExternalSecureNoninvasiveDebugEnabled()
 * @realm: ExternalRealmNoninvasiveDebugEnabled()
 * @root: ExternalRootNoninvasiveDebugEnabled()
 */
struct am_auth {
	bool noninvasive;
	bool secure;
	bool realm;
	bool root;
};

/**
 * struct am_auth_signals - the signals of the recommended authentication interface
 * @dbgen: DBGEN
 * @niden: NIDEN
 * @spiden: SPIDEN
 * @spniden: SPNIDEN
 * @rlpiden: RLPIDEN
 * @rtpiden: RTPIDEN
 */
struct am_auth_signals {
	bool dbgen;
	bool niden;
	bool spiden;
	bool spniden;
	bool rlpiden;
	bool rtpiden;
};

struct am_auth am_auth_from_signals(const struct am_pe *pe, const struct am_auth_signals *signals);

/**
 * am_auth_from_status() - the same as software sees it
 * @status: PMAUTHSTATUS or DBGAUTHSTATUS_EL1
 */
struct am_auth am_auth_from_status(u64 status);

/* Control */

/**
 * am_pcs_allowed() - is PC sampling allowed?
 * @pe: the PE
 * @auth: the authentication interface
 *
 * Return: true or false; not allowed is what H7.1 also calls prohibited.
 */
struct am_verdict am_pcs_allowed(const struct am_pe *pe, const struct am_auth *auth);

/**
 * enum am_pcs_mode - what makes the PE sample
 * @AM_PCS_SUSPENDED: nothing, until a read activates it
 * @AM_PCS_ON_READ: reads of PMPCSR[31:0] or PMPCSR[63:0]
 * @AM_PCS_ON_SNAPSHOT: PMU snapshot Capture events
 */
enum am_pcs_mode {
	AM_PCS_SUSPENDED,
	AM_PCS_ON_READ,
	AM_PCS_ON_SNAPSHOT,
};

struct am_pcsr;

/**
 * am_pcs_mode() - is sampling suspended, or active on reads or on snapshots?
 * @pe: the PE
 * @pcsr: its sampling state
 *
 * Return: an enum am_pcs_mode
 */
struct am_verdict am_pcs_mode(const struct am_pe *pe, const struct am_pcsr *pcsr);

/* The sample */

/**
 * struct am_pcs_insn - an instruction that can be sampled
 * @pc: its address
 * @branch: it is a branch, or an exception entry or return
 * @contextidr: CONTEXTIDR_EL1; CONTEXTIDR of the current Security state where EL1 uses AArch32
 * @contextidr_el2: CONTEXTIDR_EL2
 * @vmid: VTTBR_EL2.VMID, or VTTBR.VMID
 * @vs: VTCR_EL2.VS
 */
struct am_pcs_insn {
	u64 pc;
	bool branch;
	u32 contextidr;
	u32 contextidr_el2;
	u16 vmid;
	bool vs;
};

/**
 * struct am_pcs_sample - what a PE notes about an instruction
 * @valid: false where sampling is prohibited or the PE is in Debug state
 * @aa32: the instruction executed in AArch32 state
 * @has_el2: EL2 was enabled and the PE was below EL3
 * @el0_in_host: EL0 with {E2H,TGE} = {1,1}
 * @el: Exception level
 * @state: Security state
 * @vmid: VMID; meaningless without @has_el2
 * @pc: address
 * @contextidr: CONTEXTIDR_EL1 or CONTEXTIDR
 * @contextidr_el2: CONTEXTIDR_EL2, or UNKNOWN
 */
struct am_pcs_sample {
	bool valid;
	bool aa32;
	bool has_el2;
	bool el0_in_host;
	u8 el;
	enum pcs_state state;
	u16 vmid;
	u64 pc;
	u32 contextidr;
	struct am_value contextidr_el2;
};

/* CreatePCSample(): the sample that @insn makes while active */
struct am_pcs_sample am_pcs_create(const struct am_pe *pe, const struct am_auth *auth,
				   const struct am_pcs_insn *insn);

/* Registers */

/**
 * struct am_pcsr - sampling state and sample registers of one PE
 * @pmpcsctl: PMPCSCTL as it reads (FEAT_PCSRv8p9)
 * @suspended: the state where PMPCSCTL.EN does not hold it: no FEAT_PCSRv8p9, or IMP = 0
 * @branch: a branch retired since the PE left reset, Debug state, or a state where sampling is
 *	    suspended or prohibited
 * @new_branch: a branch retired since the low word was read last
 * @first: the low word was not read since reset
 * @obscured: an IMPLEMENTATION DEFINED mechanism that makes the sample registers UNKNOWN is on;
 *	      Cold reset turns it off
 * @sample: the latest sample
 * @pmpcsr: PMPCSR
 * @pmcid1sr: PMCID1SR, also PMVCIDSR[31:0] and PMCCIDSR[31:0]
 * @pmcid2sr: PMCID2SR, also PMCCIDSR[63:32]
 * @pmvidsr: PMVIDSR, also PMVCIDSR[63:32]
 * @edpcsr_hi: EDPCSR[63:32]
 * @edcidsr: EDCIDSR
 * @edvidsr: EDVIDSR
 *
 * A PE has the PM registers (FEAT_PCSRv8p2) or the ED registers (FEAT_PCSRv8), never both.
 */
struct am_pcsr {
	u64 pmpcsctl;
	bool suspended;
	bool branch;
	bool new_branch;
	bool first;
	bool obscured;
	struct am_pcs_sample sample;

	struct am_value pmpcsr;
	struct am_value pmcid1sr;
	struct am_value pmcid2sr;
	struct am_value pmvidsr;

	struct am_value edpcsr_hi;
	struct am_value edcidsr;
	struct am_value edvidsr;
};

/**
 * struct am_pcs_impdef - what an implementation chooses
 * @imp: PMPCSCTL.IMP: EN can be written
 * @suspended_at_reset: state at Warm reset where EN cannot
 */
struct am_pcs_impdef {
	bool imp;
	bool suspended_at_reset;
};

/**
 * am_pcsr_reset() - Warm reset, or Cold reset
 * @pcsr: the state
 * @pe: the PE
 * @impdef: the implementation's choices
 * @cold: the registers become UNKNOWN too
 */
void am_pcsr_reset(struct am_pcsr *pcsr, const struct am_pe *pe,
		   const struct am_pcs_impdef *impdef, bool cold);

/* A write of PMPCSCTL */
void am_pcsr_write_pmpcsctl(struct am_pcsr *pcsr, const struct am_pe *pe, u64 value);

/**
 * struct am_pcs_branch - a branch, or an exception
 * @exception: it is an exception
 * @taken: it branches; false for a conditional branch that fails its condition check
 * @target: where a taken branch goes
 * @next: address of the instruction after it
 * @vector: exception vector address
 */
struct am_pcs_branch {
	bool exception;
	bool taken;
	u64 target;
	u64 next;
	u64 vector;
};

/* The address that an implementation must be able to sample for @branch */
u64 am_pcs_branch_target(const struct am_pcs_branch *branch);

/**
 * am_pcsr_note_state() - the state of the PE changed
 * @pcsr: the state
 * @pe: the PE, after the change
 * @auth: the authentication interface
 *
 * Entering Debug state, or a state where sampling is prohibited, forgets the branches retired
 * before. To be called at each change of @pe, except where am_pcsr_retire() follows at once.
 */
void am_pcsr_note_state(struct am_pcsr *pcsr, const struct am_pe *pe, const struct am_auth *auth);

/**
 * am_pcsr_retire() - the PE executed an instruction that can be sampled
 * @pcsr: the state
 * @pe: the PE while it executed
 * @auth: the authentication interface
 * @insn: the instruction
 */
void am_pcsr_retire(struct am_pcsr *pcsr, const struct am_pe *pe, const struct am_auth *auth,
		    const struct am_pcs_insn *insn);

/* Accesses */

/**
 * enum am_pcs_reg - what an offset of a block names
 * @AM_PCS_REG_NONE: nothing, or nothing of that access size
 * @AM_PCS_REG_PC: PMPCSR, 64 bits
 * @AM_PCS_REG_PC_LO: PMPCSR[31:0], EDPCSR[31:0]
 * @AM_PCS_REG_PC_HI: PMPCSR[63:32], EDPCSR[63:32]
 * @AM_PCS_REG_CID1: PMCID1SR, EDCIDSR
 * @AM_PCS_REG_CID2: PMCID2SR
 * @AM_PCS_REG_VID: PMVIDSR, EDVIDSR
 * @AM_PCS_REG_VCID: PMVCIDSR
 * @AM_PCS_REG_CCID: PMCCIDSR
 * @AM_PCS_REG_CTL: PMPCSCTL; in the 32-bit view its low word, the high word is RES0
 * @AM_PCS_REG_IMPDEF: IMPLEMENTATION DEFINED
 * @AM_PCS_REG_MANAGEMENT: CoreSight management
 */
enum am_pcs_reg {
	AM_PCS_REG_NONE,
	AM_PCS_REG_PC,
	AM_PCS_REG_PC_LO,
	AM_PCS_REG_PC_HI,
	AM_PCS_REG_CID1,
	AM_PCS_REG_CID2,
	AM_PCS_REG_VID,
	AM_PCS_REG_VCID,
	AM_PCS_REG_CCID,
	AM_PCS_REG_CTL,
	AM_PCS_REG_IMPDEF,
	AM_PCS_REG_MANAGEMENT,
};

/**
 * enum am_pcs_view - where the sample registers are
 * @AM_PCS_VIEW_NONE: nowhere
 * @AM_PCS_VIEW_ED: external debug block (FEAT_PCSRv8)
 * @AM_PCS_VIEW_EXT32: external PMU block, 32-bit view
 * @AM_PCS_VIEW_EXT64: external PMU block, 64-bit view
 */
enum am_pcs_view {
	AM_PCS_VIEW_NONE,
	AM_PCS_VIEW_ED,
	AM_PCS_VIEW_EXT32,
	AM_PCS_VIEW_EXT64,
};

/**
 * struct am_pcs_id - what the ID registers of a block say
 * @verdict: is: enum am_pcs_view, or AM_RESERVED
 * @own_frame: the block holds PC sampling only (Table H7-1)
 * @has_ctl: FEAT_PCSRv8p9: PMPCSCTL is there
 * @has_cid: a Context ID register is there
 * @has_vid: the VMID register is there
 * @isa_in_pc: bits [1:0] of the low word are the instruction set state (Armv7)
 * @has_offset: the PC is 8 or 4 bytes ahead (Armv7)
 */
struct am_pcs_id {
	struct am_verdict verdict;
	bool own_frame;
	bool has_ctl;
	bool has_cid;
	bool has_vid;
	bool isa_in_pc;
	bool has_offset;
};

/* Identify a PMU block, or the own frame of PC sampling, by PMDEVARCH, PMDEVTYPE and PMDEVID */
struct am_pcs_id am_pcs_identify_pmu(u64 pmdevarch, u64 pmdevtype, u64 pmdevid);

/**
 * am_pcs_identify_ed() - identify an external debug block
 * @eddevid: EDDEVID, or DBGDEVID of Armv7
 * @eddevid1: EDDEVID1, or DBGDEVID1 of Armv7.1
 *
 * PCSROffset 0 means "offset" in Armv7 and "no EDPCSR" in Armv8; the block is believed in the
 * first sense if PCSample says that EDPCSR is there, as Linux does.
 */
struct am_pcs_id am_pcs_identify_ed(u64 eddevid, u64 eddevid1);

/**
 * am_pcs_register_at() - which register is at an offset?
 * @id: the block; nothing is there unless its verdict is a view
 * @offset: byte offset in the block
 * @bytes: access size, 4 or 8
 *
 * Return: an enum am_pcs_reg; AM_PCS_REG_NONE for an access that a driver must not make, which
 * includes the 64-bit access of the 32-bit view whose atomicity is IMPLEMENTATION DEFINED, and
 * the deprecated 32-bit access of the 64-bit view.
 */
enum am_pcs_reg am_pcs_register_at(const struct am_pcs_id *id, unsigned int offset,
				   unsigned int bytes);

/**
 * struct am_pcs_access - an access to the block from outside the PE
 * @memory_mapped: by the memory-mapped interface, the only one with a Software Lock
 * @software_locked: PMLSR.SLK or EDLSR.SLK
 * @core_off: the Core power domain is off or not accessible
 * @double_lock: the OS Double Lock is locked
 * @os_lock: OSLSR_EL1.OSLK
 * @oslo: PMCCR.OSLO (FEAT_PMUv3_EXTPMN)
 * @most_secure: made in the most secure state
 */
struct am_pcs_access {
	bool memory_mapped;
	bool software_locked;
	bool core_off;
	bool double_lock;
	bool os_lock;
	bool oslo;
	bool most_secure;
};

/* The access conditions that a read of EDPRSR shows; a wrong one answers with a bus error */
struct am_pcs_access am_pcs_access_from_edprsr(u64 edprsr);

/* Is a sample register accessible? Return: true, or false for an error response */
struct am_verdict am_pcs_accessible(const struct am_pe *pe, const struct am_pcs_access *access);

/**
 * enum am_pcs_outcome - what a read of the low word, or of 64-bit PMPCSR, came to
 * @AM_PCS_ERROR: an error response; nothing changed
 * @AM_PCS_NONE: 0xFFFFFFFF in the low word, the rest UNKNOWN
 * @AM_PCS_UNKNOWN: UNKNOWN, and the rest UNKNOWN
 * @AM_PCS_SAMPLE: a sample, the rest belongs to it
 * @AM_PCS_LATCHED: what an earlier access or a snapshot left; nothing changed
 */
enum am_pcs_outcome {
	AM_PCS_ERROR,
	AM_PCS_NONE,
	AM_PCS_UNKNOWN,
	AM_PCS_SAMPLE,
	AM_PCS_LATCHED,
};

/**
 * struct am_pcs_read - result of a read
 * @verdict: is: enum am_pcs_outcome
 * @value: the value read, 32 or 64 bits; 0 for an error
 * @may_be_none: the implementation may return 0xFFFFFFFF in the low word instead, with UNKNOWN
 *		 in the rest
 */
struct am_pcs_read {
	struct am_verdict verdict;
	struct am_value value;
	bool may_be_none;
};

/**
 * am_pmpcsr_read() - read a register of the PMU block
 * @pcsr: the state, which a read may change
 * @pe: the PE
 * @auth: the authentication interface
 * @access: the access
 * @reg: the register
 */
struct am_pcs_read am_pmpcsr_read(struct am_pcsr *pcsr, const struct am_pe *pe,
				  const struct am_auth *auth, const struct am_pcs_access *access,
				  enum am_pcs_reg reg);

/**
 * am_edpcsr_read() - read a register of the external debug block
 * @pcsr: the state, which a read may change
 * @pe: the PE
 * @auth: the authentication interface
 * @access: the access
 * @reg: the register
 * @sc2: EDSCR.SC2
 * @hv: EDVIDSR.HV of a sample whose high word is zero
 */
struct am_pcs_read am_edpcsr_read(struct am_pcsr *pcsr, const struct am_pe *pe,
				  const struct am_auth *auth, const struct am_pcs_access *access,
				  enum am_pcs_reg reg, bool sc2, bool hv);

/* Attribution to a task of Linux */

/**
 * enum am_task - where the TID of the Linux task is, if CONFIG_PID_IN_CONTEXTIDR is set
 * @AM_TASK_NOWHERE: no sample register holds it
 * @AM_TASK_CID1: PMCID1SR
 * @AM_TASK_CID1_PROCID: PMCID1SR[31:8]
 * @AM_TASK_CID2: PMCID2SR
 */
enum am_task {
	AM_TASK_NOWHERE,
	AM_TASK_CID1,
	AM_TASK_CID1_PROCID,
	AM_TASK_CID2,
};

/**
 * am_linux_task() - which Context ID names the task of a sample?
 * @kernel: the kernel that runs on the sampled PE
 * @has_el2: EL2 is implemented and enabled, so that PMVIDSR is known at EL1 and EL0
 * @pmpcsr: PMPCSR of the sample
 * @vmid: PMVIDSR of the sample
 * @host_vmid: VMID under which the kernel itself runs at EL1; KVM uses 0
 *
 * A kernel at EL2 keeps its TID in CONTEXTIDR_EL2 while a guest runs, so a guest's sample names
 * the task of the vCPU. Below a kernel at EL1, a guest replaces CONTEXTIDR_EL1 by its own; while
 * a hypervisor executes at EL2 the register may be either's.
 *
 * Return: an enum am_task
 */
struct am_verdict am_linux_task(enum am_kernel kernel, bool has_el2, u64 pmpcsr, u16 vmid,
				u16 host_vmid);

/* The same, worked out for the inline functions of pc-sample.h */
struct am_linux am_linux_of(enum am_kernel kernel, bool has_el2, u16 host_vmid);

/* Snapshots (FEAT_PMUv3_SS) */

/**
 * enum am_capture - PMU snapshot Capture events
 * @AM_CAPTURE_DISABLED: PMSSCR_EL1.SS ignores writes
 * @AM_CAPTURE_PROHIBITED: a Capture event completes without a capture: {NC,SS} = {1,0}
 * @AM_CAPTURE_ALLOWED: a Capture event captures: {NC,SS} = {0,0}
 */
enum am_capture {
	AM_CAPTURE_DISABLED,
	AM_CAPTURE_PROHIBITED,
	AM_CAPTURE_ALLOWED,
};

/**
 * am_capture_control() - are Capture events enabled and allowed?
 * @pe: the PE; MDCR_EL3.PMSSE and MDCR_EL2.PMSSE decide or pass on
 * @sse: PMECR_EL1.SSE
 * @os_lock: OSLSR_EL1.OSLK
 * @in_debug_state: the PE allows Capture events in Debug state, IMPLEMENTATION DEFINED
 *
 * Return: an enum am_capture; a reserved SSE counts as disabled.
 */
struct am_verdict am_capture_control(const struct am_pe *pe, unsigned int sse, bool os_lock,
				     bool in_debug_state);

/**
 * am_pcsr_capture() - what an allowed Capture event does to the sample registers
 * @pcsr: the state
 * @pe: the PE
 * @auth: the authentication interface
 *
 * Return: true if a sample was written
 */
struct am_verdict am_pcsr_capture(struct am_pcsr *pcsr, const struct am_pe *pe,
				  const struct am_auth *auth);

#endif /* ARCH_MODEL_PCSR_H */
