/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the PC Sample-based Profiling Extension does: when sampling is allowed and active, what a
 * sample holds, and what each read returns and changes.
 *
 * Arm DDI 0487 M.a.a, H7.1 with I5.3 (FEAT_PCSRv8p2, FEAT_PCSRv8p9: the external PMU block) and
 * H9.2 (FEAT_PCSRv8: the external debug block), D13.9 for snapshots. IMPLEMENTATION DEFINED
 * snapshots are those of the Technical Reference Manuals that pmss-regs.h names. The decode of a
 * sample that real hardware returned is in pc-sample.h.
 */
#ifndef ARCH_MODEL_PCSR_H
#define ARCH_MODEL_PCSR_H

#include <arch-model/pcs-identify.h>
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
 *	    suspended or prohibited, and since PMPCSCTL.SS was set to 1
 * @new_branch: a branch retired since the low word was read last, or captured last
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

/*
 * IMPLEMENTATION DEFINED snapshots
 *
 * The Technical Reference Manuals say: PMPCSSR holds what PMPCSR would at the time of the snapshot,
 * and a read of it takes no sample; PMSSCR.SS = 1 captures at once; PMSSSR.NC is about the counters
 * alone, 1 after Warm reset, written by each capture, and stays 1 if a security violation keeps the
 * counters from being captured; an access gets an error response only without power or with the OS
 * Double Lock.
 *
 * They leave open, and the model chooses: A capture samples as a read of PMPCSR would, with the
 * same rules for what is UNKNOWN and for the next sample, but leaves PMPCSR and the registers that
 * belong to it alone. The OS Lock and the Software Lock do not prevent it. Without a sample PMPCSSR
 * is as PMPCSR after such a read. Whether a capture makes suspended sampling active, as H7.1.1.1
 * says of reads, and what a security violation is, the caller chooses.
 */

/**
 * struct am_impdef_snapshot - registers of an IMPLEMENTATION DEFINED snapshot, but for the counters
 * @nc: PMSSSR.NC
 * @pmpcssr: PMPCSSR
 * @pmcidssr: PMCIDSSR
 * @pmcid2ssr: PMCID2SSR
 */
struct am_impdef_snapshot {
	bool nc;
	struct am_value pmpcssr;
	struct am_value pmcidssr;
	struct am_value pmcid2ssr;
};

/* Warm reset: all but PMSSSR is UNKNOWN, which the manuals do not say */
void am_impdef_reset(struct am_impdef_snapshot *snapshot);

/* Is a snapshot register accessible? Return: true, or false for an error response */
struct am_verdict am_impdef_accessible(const struct am_pe *pe, const struct am_pcs_access *access);

/**
 * am_impdef_capture() - a write of PMSSCR.SS = 1
 * @snapshot: filled
 * @pcsr: the state; PMPCSR and the other sample registers keep their values
 * @pe: the PE
 * @auth: the authentication interface
 * @activates: a capture makes suspended sampling active where it is allowed
 * @counts: the counters are captured, too
 *
 * Return: what a read of PMPCSR would have returned
 */
struct am_pcs_read am_impdef_capture(struct am_impdef_snapshot *snapshot, struct am_pcsr *pcsr,
				     const struct am_pe *pe, const struct am_auth *auth,
				     bool activates, bool counts);

/**
 * am_impdef_read() - read a word of a snapshot
 * @snapshot: the snapshot
 * @pe: the PE
 * @access: the access
 * @offset: of PMPCSSR_LO, PMPCSSR_HI, PMCIDSSR, PMCID2SSR or PMSSSR
 */
struct am_pcs_read am_impdef_read(const struct am_impdef_snapshot *snapshot, const struct am_pe *pe,
				  const struct am_pcs_access *access, unsigned int offset);

#endif /* ARCH_MODEL_PCSR_H */
