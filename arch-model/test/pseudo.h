/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The second formulation of decisions, as the manual's shared pseudocode takes them (Arm DDI 0487
 * M.a.a, J1.1 and J1.3), in our words and with its function names. It shares only the description
 * of the PE and the register layout with the model, and no file of src/ may include it.
 */
#ifndef ARCH_MODEL_PSEUDO_H
#define ARCH_MODEL_PSEUDO_H

#include <arch-model/control-regs.h>
#include <arch-model/pcsr.h>
#include <arch-model/pe.h>
#include <arch-model/pmu.h>
#include <arch-model/trbe.h>

/* Security state and Exception levels */
bool ps_have_el(const struct am_pe *pe, unsigned int el);
bool ps_have_secure_state(const struct am_pe *pe);
bool ps_effective_scr_ns(const struct am_pe *pe);
bool ps_is_secure_el2_enabled(const struct am_pe *pe);
bool ps_el2_enabled(const struct am_pe *pe);
enum pcs_state ps_security_state_at_el(const struct am_pe *pe, unsigned int el);
bool ps_el_is_in_host(const struct am_pe *pe, unsigned int el);
bool ps_effective_tge(const struct am_pe *pe);
bool ps_is_possible(const struct am_pe *pe);

/* PC sampling */

/* Registers and state; UNKNOWN bits are flags, as in struct am_value */
struct ps_pcsr {
	bool valid;
	u64 pc;
	u8 el;
	bool rw;
	enum pcs_state ss;
	bool has_el2;
	u32 contextidr;
	struct am_value contextidr_el2;
	bool el0h;
	u16 vmid;

	bool ctl_en;
	bool ctl_imp;
	bool ctl_ss;
	bool impdef_suspended;

	struct am_value pmpcsr;
	struct am_value pmcid1sr;
	struct am_value pmcid2sr;
	struct am_value pmvidsr;
	struct am_value edpcsr_hi;
	struct am_value edcidsr;
	struct am_value edvidsr;
};

bool ps_external_noninvasive_debug_allowed(const struct am_pe *pe, const struct am_auth *auth);
bool ps_pcsr_suspended(const struct am_pe *pe, const struct ps_pcsr *s);
void ps_create_pc_sample(const struct am_pe *pe, const struct am_auth *auth,
			 const struct am_pcs_insn *insn, struct ps_pcsr *s);
struct am_value ps_read_pmpcsr(const struct am_pe *pe, struct ps_pcsr *s, bool memory_mapped,
			       bool slk);
struct am_value ps_read_edpcsr_lo(const struct am_pe *pe, struct ps_pcsr *s, bool memory_mapped,
				  bool slk, bool sc2, bool hv_if_zero);
enum am_capture ps_pmu_capture(const struct am_pe *pe, unsigned int sse, bool os_lock);
void ps_capture_pc(const struct am_pe *pe, struct ps_pcsr *s);

/* The older pseudocode of the first source document, where it differs */
void s0_create_pc_sample(const struct am_pe *pe, const struct am_auth *auth,
			 const struct am_pcs_insn *insn, struct ps_pcsr *s);
struct am_value s0_read_pmpcsr(const struct am_pe *pe, struct ps_pcsr *s, bool memory_mapped,
			       bool slk);

/* Trace buffer */

/* TraceBufferOwner(): false if a control field that it depends on is reserved */
bool ps_trace_buffer_owner(const struct am_pe *pe, enum pcs_state *ss, unsigned int *el);
unsigned int ps_effective_trfcr_el2_ee(const struct am_pe *pe, const struct am_trbe *t);
/* with FEAT_NV; 01 and 10 are CONSTRAINED UNPREDICTABLE without */
unsigned int ps_effective_trfcr_el1_ee(const struct am_pe *pe, const struct am_trbe *t);
unsigned int ps_report_trbe_event(const struct am_pe *pe, const struct am_trbe *t, unsigned int ec,
				  unsigned int fsc);
/* CheckForTRBEException(): bit n is set for route_to_eln */
unsigned int ps_check_for_trbe_exception(const struct am_pe *pe, const struct am_trbe *t);
bool ps_trbirq_level(const struct am_pe *pe, const struct am_trbe *t);
bool ps_trace_buffer_enabled(const struct am_pe *pe, const struct am_trbe *t);
bool ps_trace_buffer_running(const struct am_pe *pe, const struct am_trbe *t);
/* CollectTrace() of a byte whose write succeeds: was it written? */
bool ps_collect_trace(const struct am_pe *pe, struct am_trbe *t);
void ps_detected_trace_trigger(const struct am_pe *pe, struct am_trbe *t);
void ps_other_management_event(const struct am_pe *pe, struct am_trbe *t, unsigned int bsc);
/* DebugWriteFault() with the @ec and @fsc that it would compute; @mss2: bits 8 to 5 */
void ps_debug_write_fault(const struct am_pe *pe, struct am_trbe *t, unsigned int ec,
			  unsigned int fsc, unsigned int mss2);
void ps_debug_write_external_abort(struct am_trbe *t, unsigned int ec, unsigned int fsc);

/* Performance Monitors */

/* PMUCounterRange, or no such counter, or CONSTRAINED UNPREDICTABLE */
enum ps_range {
	PS_R_NONE,
	PS_R1,
	PS_R2,
	PS_R3,
	PS_R_UNDEFINED,
};

/* PMUOverflowCondition */
enum ps_overflow {
	PS_OVERFLOW_EXCEPTION,
	PS_OVERFLOW_BRBE_FREEZE,
	PS_OVERFLOW_FREEZE,
	PS_OVERFLOW_IRQ,
	PS_OVERFLOW_EDBGRQ,
};

/* A boolean that may be CONSTRAINED UNPREDICTABLE */
enum ps_answer {
	PS_FALSE,
	PS_TRUE,
	PS_UNDEFINED,
};

/* Instead of a target Exception level */
#define PS_DISABLED	0

enum ps_range ps_get_pmu_counter_range(const struct am_pe *pe, const struct am_pmu *pmu,
				       unsigned int n);

/* Flags that make the condition true; the pseudocode only tests whether there are any */
u64 ps_check_pmu_overflow_condition(const struct am_pe *pe, const struct am_pmu *pmu,
				    enum ps_overflow reason);
u64 ps_should_pmu_freeze(const struct am_pe *pe, const struct am_pmu *pmu, enum ps_range range);
u64 ps_should_brbe_freeze(const struct am_pe *pe, const struct am_pmu *pmu, bool allowed,
			  bool fzp1, bool fzp2);
bool ps_check_pmu_halt(const struct am_pe *pe, const struct am_pmu *pmu);
bool ps_spe_profiling_stopped(const struct am_pe *pe, const struct am_pmu *pmu);
bool ps_spe_freeze_on_event(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int idx);

/* CountPMUEvents(), and its local variable prohibited before the test of PMCR_EL0.DP */
bool ps_prohibited(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int idx);
enum ps_answer ps_count_pmu_events(const struct am_pe *pe, const struct am_pmu *pmu,
				   unsigned int idx, bool ignore_prohibition);

struct ps_increment {
	u64 value;
	bool overflow;
	enum ps_answer chain;
};

/* IncrementEventCounter(), IncrementCycleCounter() and IncrementInstructionCounter() */
struct ps_increment ps_increment(const struct am_pe *pe, const struct am_pmu *pmu,
				 unsigned int idx, u64 value, u64 by);

/* PMUExceptionEnabled(): the target Exception level, or PS_DISABLED */
unsigned int ps_pmu_exception_enabled(const struct am_pe *pe, const struct am_pmu *pmu);
bool ps_pmu_exception_masked(const struct am_pe *pe, const struct am_pmu *pmu,
			     unsigned int target_el, unsigned int from_el, bool pm);
bool ps_pmu_interrupt_enabled(const struct am_pe *pe, const struct am_pmu *pmu);
enum am_pmu_exception ps_check_for_pmu_exception(const struct am_pe *pe, const struct am_pmu *pmu);
/* ExceptionReturnPPEND(): is SPSR.PPEND copied to PSTATE.PPEND, if it is 1? */
bool ps_exception_return_ppend(const struct am_pe *pe, const struct am_pmu *pmu, bool restarting,
			       unsigned int target_eret, bool target_pm);

#endif /* ARCH_MODEL_PSEUDO_H */
