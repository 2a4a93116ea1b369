/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Trace Buffer Unit: where a management event is recorded, what becomes of it (exception or
 * interrupt), and how the unit's registers change as trace is collected.
 *
 * Arm DDI 0487 M.a.a, D6.5, with D6.2 for running, D6.4 for External mode.
 */
#ifndef ARCH_MODEL_TRBE_H
#define ARCH_MODEL_TRBE_H

#include <arch-model/pe.h>
#include <arch-model/profexc.h>
#include <arch-model/types.h>
#include <arch-model/why.h>

/**
 * struct am_flush - a trace unit flush that a Trigger Event initiated
 * @pending: it is not complete
 * @stops: the trigger mode was Stop on trigger at the Trigger Event: completion stops collection
 * @op: trace operation that generated the Trigger Event; 0 if none did
 */
struct am_flush {
	bool pending;
	bool stops;
	u32 op;
};

/**
 * struct am_trbe - registers and state of a Trace Buffer Unit
 * @self_hosted: self-hosted trace is enabled, SelfHostedTraceEnabled(); else External mode
 * @trblimitr: TRBLIMITR_EL1
 * @trbptr: TRBPTR_EL1, the current write pointer
 * @trbbaser: TRBBASER_EL1
 * @trbidr: TRBIDR_EL1
 * @trbtrg: TRBTRG_EL1, the Trigger Counter
 * @trbsr: TRBSR_EL1 to TRBSR_EL3 at 1 to 3; 0 is not used
 * @trfcr_el1: TRFCR_EL1
 * @trfcr_el2: TRFCR_EL2
 * @flush: a flush that is under way
 */
struct am_trbe {
	bool self_hosted;
	u64 trblimitr;
	u64 trbptr;
	u64 trbbaser;
	u64 trbidr;
	u32 trbtrg;
	u64 trbsr[4];
	u64 trfcr_el1;
	u64 trfcr_el2;
	struct am_flush flush;
};

/* Routing */

/* Effective value of TRFCR_EL2.EE: 0 to 3 */
struct am_verdict am_trbe_ee2(const struct am_pe *pe, const struct am_trbe *trbe);

/**
 * am_trbe_ee1() - Effective value of TRFCR_EL1.EE
 * @pe: the PE
 * @trbe: the unit
 *
 * Return: 0 (interrupt) or 3 (exception). 0b01 and 0b10 are reserved without FEAT_NV; they are
 * answered as FEAT_NV has them, by their high bit, and the reason says so.
 */
struct am_verdict am_trbe_ee1(const struct am_pe *pe, const struct am_trbe *trbe);

/**
 * am_trbe_owner() - who owns the trace buffer?
 * @pe: the PE
 *
 * Return: the owning Exception level, 1 or 2; @detail is the owning Security state (enum
 * pcs_state). AM_RESERVED if MDCR_EL3.{NSTBE,NSTB} or MDCR_EL2.E2TB is reserved. The owner is
 * also who must get the buffer's interrupt.
 */
struct am_verdict am_trbe_owner(const struct am_pe *pe);

/**
 * enum am_trbe_class - classes of management events that routing tells apart
 * @AM_TRBE_OTHER: other event, EC 0x00, and EC 0x1F
 * @AM_TRBE_S1_GPF: Granule Protection Fault reported as stage 1 abort
 * @AM_TRBE_S1_EXTERNAL: synchronous External abort reported as stage 1 abort
 * @AM_TRBE_S1_ABORT: other stage 1 abort
 * @AM_TRBE_S2_GPF: Granule Protection Fault reported as stage 2 abort
 * @AM_TRBE_S2_EXTERNAL: synchronous External abort reported as stage 2 abort
 * @AM_TRBE_S2_ABORT: other stage 2 abort
 * @AM_TRBE_GPC: Granule Protection Check fault that is not a GPF
 */
enum am_trbe_class {
	AM_TRBE_OTHER,
	AM_TRBE_S1_GPF,
	AM_TRBE_S1_EXTERNAL,
	AM_TRBE_S1_ABORT,
	AM_TRBE_S2_GPF,
	AM_TRBE_S2_EXTERNAL,
	AM_TRBE_S2_ABORT,
	AM_TRBE_GPC,
};

/**
 * am_trbe_class() - class of an event
 * @pe: the PE; without FEAT_RME there are no granule protection faults
 * @ec: TRBSR_ELx.EC
 * @fsc: TRBSR_ELx.FSC; ignored unless EC is a stage 1 or stage 2 abort
 *
 * Return: an enum am_trbe_class; AM_RESERVED for a reserved EC
 */
struct am_verdict am_trbe_class(const struct am_pe *pe, unsigned int ec, unsigned int fsc);

/**
 * am_trbe_record() - which TRBSR_ELx records an event?
 * @pe: the PE
 * @trbe: the unit
 * @class: class of the event. Bits that are no event, TRG and WRAP, go where AM_TRBE_OTHER goes.
 *
 * Return: 1, 2 or 3; AM_RESERVED if who owns the buffer decides and is reserved, which it never
 * does for AM_TRBE_OTHER
 */
struct am_verdict am_trbe_record(const struct am_pe *pe, const struct am_trbe *trbe,
				 enum am_trbe_class class);

/**
 * am_trbe_delivery() - what becomes of an event recorded in TRBSR_ELx?
 * @pe: the PE, at the Exception level where it executes
 * @trbe: the unit
 * @el: the x, 1 to 3
 *
 * Answers for TRBSR_ELx.IRQ = 1 whether it is or not; am_trbe_pending() asks the registers too.
 *
 * Return: an enum am_delivery; AM_RESERVED for an impossible state, and if the owning Security
 * state decides and is reserved. AM_DELIVERY_IRQ is possible for TRBSR_EL1 only.
 */
struct am_verdict am_trbe_delivery(const struct am_pe *pe, const struct am_trbe *trbe,
				   unsigned int el);

/**
 * am_trbe_pending() - TRBE Profiling exceptions that can be taken now
 * @pe: the PE
 * @trbe: the unit
 *
 * Return: bit n is set if one is to be taken to ELn. Which goes first is IMPLEMENTATION DEFINED.
 */
unsigned int am_trbe_pending(const struct am_pe *pe, const struct am_trbe *trbe);

/* Is TRBIRQ enabled? While it is not, it is LOW */
struct am_verdict am_trbirq_enabled(const struct am_pe *pe, const struct am_trbe *trbe);

/* Level of TRBIRQ: true is HIGH. It follows TRBSR_EL1.IRQ, and nothing of EL2 or EL3 */
bool am_trbirq(const struct am_pe *pe, const struct am_trbe *trbe);

/* Modes and state */

/**
 * enum am_trbe_mode - trace buffer mode, TRBLIMITR_EL1.FM
 * @AM_TRBE_FILL: stop when the pointer wraps
 * @AM_TRBE_WRAP: interrupt when it wraps, and go on
 * @AM_TRBE_CIRCULAR: go on
 */
enum am_trbe_mode {
	AM_TRBE_FILL,
	AM_TRBE_WRAP,
	AM_TRBE_CIRCULAR,
};

/* Trace buffer mode. The reserved value is answered AM_RESERVED; hardware may wrap */
struct am_verdict am_trbe_mode(const struct am_trbe *trbe);

/**
 * enum am_trigger_mode - trigger mode, TRBLIMITR_EL1.TM
 * @AM_TRIGGER_STOP: flush, stop and interrupt
 * @AM_TRIGGER_IRQ: flush and interrupt, and go on
 * @AM_TRIGGER_IGNORE: nothing but the TRB_TRIG event
 */
enum am_trigger_mode {
	AM_TRIGGER_STOP,
	AM_TRIGGER_IRQ,
	AM_TRIGGER_IGNORE,
};

/* Trigger mode. The reserved value is answered AM_RESERVED; hardware may interrupt */
struct am_verdict am_trigger_mode(const struct am_trbe *trbe);

/**
 * enum am_trbe_state - what the unit does with trace
 * @AM_TRBE_DISABLED: discards it, or gives it to an IMPLEMENTATION DEFINED bus
 * @AM_TRBE_STOPPED: enabled, collection is stopped: discards it
 * @AM_TRBE_RUNNING: collects it
 */
enum am_trbe_state {
	AM_TRBE_DISABLED,
	AM_TRBE_STOPPED,
	AM_TRBE_RUNNING,
};

/* What does the unit do? Return: an enum am_trbe_state; @detail is the TRBSR_ELx that stops it */
struct am_verdict am_trbe_state(const struct am_pe *pe, const struct am_trbe *trbe);

/**
 * enum am_trbe_pointer - what a pointer or counter is good for
 * @AM_TRBE_VALID: in range and aligned
 * @AM_TRBE_OUT_OF_RANGE: outside [Base, Limit), or base and limit are no buffer
 * @AM_TRBE_MISALIGNED: not a multiple of what TRBIDR_EL1.Align says
 */
enum am_trbe_pointer {
	AM_TRBE_VALID,
	AM_TRBE_OUT_OF_RANGE,
	AM_TRBE_MISALIGNED,
};

/* May software set the current write pointer so? A misaligned restart value is its to know */
struct am_verdict am_trbe_check_pointer(const struct am_trbe *trbe);

/* May software set the Trigger Counter so? */
struct am_verdict am_trbe_check_counter(const struct am_trbe *trbe);

/* May software write TRBPTR_EL1, TRBSR_ELx and their neighbours, other than TRBLIMITR_EL1? */
struct am_verdict am_trbe_writable(const struct am_trbe *trbe);

/* Collecting trace */

/**
 * enum am_trbe_fate - what became of a byte of trace
 * @AM_TRBE_WRITTEN: accepted and written
 * @AM_TRBE_DISCARDED: lost: disabled, or collection is stopped
 * @AM_TRBE_UNPREDICTABLE: the pointer is out of range: anything of RMGZWR, see the manual
 */
enum am_trbe_fate {
	AM_TRBE_WRITTEN,
	AM_TRBE_DISCARDED,
	AM_TRBE_UNPREDICTABLE,
};

/**
 * struct am_trbe_effect - all that an occurrence did
 * @verdict: is: an enum am_trbe_fate for a byte of trace; elsewhere true if something was
 *	     recorded. AM_RESERVED for input that cannot be: nothing changed then
 * @event: a management event was generated: TRBSR_ELx.IRQ was set
 * @stopped: it stopped collection: TRBSR_ELx.S was set
 * @recorded: the x of the TRBSR_ELx that changed, 0 if none did
 * @trb_wrap: the TRB_WRAP PMU event was generated
 * @trb_trig: the TRB_TRIG PMU event was generated: a Trigger Event occurred
 * @trigger_op: trace operation that generated the Trigger Event, 0 if none did
 * @flush: the unit asks the trace unit to flush; am_trbe_flush_done() ends that
 * @serror: an SError exception is taken
 *
 * Nothing else changes: no watchpoint, no Data Abort, no ESR or FAR.
 */
struct am_trbe_effect {
	struct am_verdict verdict;
	bool event;
	bool stopped;
	u8 recorded;
	bool trb_wrap;
	bool trb_trig;
	u32 trigger_op;
	bool flush;
	bool serror;
};

/**
 * am_trbe_collect() - the trace unit sends a byte, and its write succeeds
 * @pe: the PE
 * @trbe: the unit
 * @op: number of the trace operation that generated it, not 0
 */
struct am_trbe_effect am_trbe_collect(const struct am_pe *pe, struct am_trbe *trbe, u32 op);

/**
 * am_trbe_detected_trigger() - the trace unit detects a trigger condition
 * @pe: the PE
 * @trbe: the unit
 * @op: trace operation that generated the Detected Trigger, 0 if none did
 * @drained: by how much the Trigger Counter falls for bytes that an internal buffer holds;
 *	     0 to the size that TRBIDR_EL1.Align says
 */
struct am_trbe_effect am_trbe_detected_trigger(const struct am_pe *pe, struct am_trbe *trbe,
					       u32 op, u32 drained);

/* With FEAT_ETE: is the trigger condition among the events of the trace unit? Bit n is event n */
bool am_ete_is_trigger(unsigned int events);

/* The flush that a Trigger Event initiated is complete: not before its own trace was accepted */
struct am_trbe_effect am_trbe_flush_done(const struct am_pe *pe, struct am_trbe *trbe);

/* May trace operation @op be Microarchitecturally-finished, as far as flushes decide? */
bool am_trbe_op_may_finish(const struct am_trbe *trbe, u32 op);

/**
 * am_trbe_other_event() - an other management event, EC 0x00
 * @pe: the PE
 * @trbe: the unit
 * @bsc: TRBSR_ELx.BSC
 *
 * Nothing is recorded while the unit is disabled: each of these events comes from trace that it
 * receives, or from a Manual Stop in External mode, which D6.4.2 has for an enabled unit only.
 */
struct am_trbe_effect am_trbe_other_event(const struct am_pe *pe, struct am_trbe *trbe,
					  unsigned int bsc);

/**
 * am_trbe_impdef_event() - an IMPLEMENTATION DEFINED management event
 * @pe: the PE
 * @trbe: the unit
 * @enabled: the mechanism is on; reset leaves it off
 * @mss: TRBSR_ELx.MSS
 */
struct am_trbe_effect am_trbe_impdef_event(const struct am_pe *pe, struct am_trbe *trbe,
					   bool enabled, u16 mss);

/* Faults and External aborts */

/**
 * enum am_fault - types of fault of a write to the trace buffer
 * @AM_FAULT_ADDRESS_SIZE: Address Size fault
 * @AM_FAULT_TRANSLATION: Translation fault
 * @AM_FAULT_ACCESS_FLAG: Access Flag fault
 * @AM_FAULT_PERMISSION: Permission fault
 * @AM_FAULT_EXTERNAL: synchronous External abort of the write itself, reported to the unit
 * @AM_FAULT_ASYNC_EXTERNAL: asynchronous External abort, reported to the unit
 * @AM_FAULT_EXTERNAL_WALK: synchronous External abort on a translation table walk or update
 * @AM_FAULT_PARITY_WALK: synchronous parity or ECC error on the same
 * @AM_FAULT_ALIGNMENT: Alignment fault
 * @AM_FAULT_GPF_WALK: Granule Protection Fault on a walk or update
 * @AM_FAULT_GPF: Granule Protection Fault of the write itself
 * @AM_FAULT_TLB_CONFLICT: TLB Conflict fault
 * @AM_FAULT_ATOMIC_UPDATE: Unsupported atomic hardware update fault
 * @AM_FAULT_GPC: Granule Protection Check fault that is not a GPF, which has no FSC
 */
enum am_fault {
	AM_FAULT_ADDRESS_SIZE,
	AM_FAULT_TRANSLATION,
	AM_FAULT_ACCESS_FLAG,
	AM_FAULT_PERMISSION,
	AM_FAULT_EXTERNAL,
	AM_FAULT_ASYNC_EXTERNAL,
	AM_FAULT_EXTERNAL_WALK,
	AM_FAULT_PARITY_WALK,
	AM_FAULT_ALIGNMENT,
	AM_FAULT_GPF_WALK,
	AM_FAULT_GPF,
	AM_FAULT_TLB_CONFLICT,
	AM_FAULT_ATOMIC_UPDATE,
	AM_FAULT_GPC,
};

/**
 * struct am_trbe_fault - a fault of a write to the trace buffer
 * @type: its type
 * @level: translation level, -2 to 3, for the types that have one
 * @stage2: reported as a stage 2 abort, whether of the access or of a stage 1 walk; AM_FAULT_GPF
 *	    is always reported as a stage 1 abort
 * @top_level: a stage 2 Permission fault due to the TopLevel attribute
 * @assured_only: a stage 2 Permission fault due to the AssuredOnly attribute
 * @overlay: a Permission fault due to Overlay Permissions
 * @dirty_bit: a Permission fault due to dirty state
 * @set_ea: on an External abort of a walk, TRBSR_ELx.EA is set: IMPLEMENTATION DEFINED
 * @address: address of the write
 */
struct am_trbe_fault {
	enum am_fault type;
	int level;
	bool stage2;
	bool top_level;
	bool assured_only;
	bool overlay;
	bool dirty_bit;
	bool set_ea;
	u64 address;
};

/* An MMU fault is each of these but an Alignment fault, and neither External abort of the write */
bool am_fault_is_mmu(enum am_fault type);

/* TRBSR_ELx.FSC of a fault; AM_RESERVED where the type has no such level */
struct am_verdict am_fault_fsc(enum am_fault type, int level);

/**
 * am_fault_of_fsc() - the fault that an FSC names
 * @fsc: TRBSR_ELx.FSC
 *
 * Return: an enum am_fault; @detail is the level plus 2 for the types that have one. AM_RESERVED
 * for a reserved value.
 */
struct am_verdict am_fault_of_fsc(unsigned int fsc);

/*
 * A write to the trace buffer generates a fault, other than a reported External abort. There are
 * no writes while the unit is disabled: nothing is recorded then.
 */
struct am_trbe_effect am_trbe_fault(const struct am_pe *pe, struct am_trbe *trbe,
				    const struct am_trbe_fault *fault);

/**
 * enum am_abort_policy - what an implementation does with an External abort of a buffer write
 * @AM_ABORT_IGNORE: nothing
 * @AM_ABORT_SERROR: takes an SError exception
 * @AM_ABORT_MMU_FAULT: of a walk, update or GPT walk only: a synchronous MMU fault
 * @AM_ABORT_SYNC: reports it to the unit, which handles it synchronously; before Armv9.3
 * @AM_ABORT_ASYNC: reports it to the unit, which handles it asynchronously; before Armv9.3
 */
enum am_abort_policy {
	AM_ABORT_IGNORE,
	AM_ABORT_SERROR,
	AM_ABORT_MMU_FAULT,
	AM_ABORT_SYNC,
	AM_ABORT_ASYNC,
};

/**
 * struct am_trbe_abort - an External abort of a write to the trace buffer
 * @walk: on a translation table walk or update, else of the write itself
 * @gpt: on a Granule Protection Table fetch
 * @stage2: of a stage 2 walk
 * @level: of the walk, -2 to 3
 * @set_ea: where it becomes an MMU fault, TRBSR_ELx.EA is set: IMPLEMENTATION DEFINED
 * @address: address of the write
 */
struct am_trbe_abort {
	bool walk;
	bool gpt;
	bool stage2;
	int level;
	bool set_ea;
	u64 address;
};

/* A write to the trace buffer generates an External abort */
struct am_trbe_effect am_trbe_external_abort(const struct am_pe *pe, struct am_trbe *trbe,
					     const struct am_trbe_abort *abort,
					     enum am_abort_policy policy);

/* Priority */

/**
 * enum am_trbe_occurrence - what can raise a management event
 * @AM_TRBE_ON_FAULT: Alignment fault or MMU fault
 * @AM_TRBE_ON_SYNC_ABORT: External abort that is handled synchronously
 * @AM_TRBE_ON_WRAP: the pointer wrapped, in Fill or Wrap mode
 * @AM_TRBE_ON_TRIGGER: a Trigger Event, after its flush
 * @AM_TRBE_ON_ASYNC_ABORT: External abort that is handled asynchronously
 * @AM_TRBE_ON_IMPDEF: IMPLEMENTATION DEFINED
 */
enum am_trbe_occurrence {
	AM_TRBE_ON_FAULT,
	AM_TRBE_ON_SYNC_ABORT,
	AM_TRBE_ON_WRAP,
	AM_TRBE_ON_TRIGGER,
	AM_TRBE_ON_ASYNC_ABORT,
	AM_TRBE_ON_IMPDEF,
};

/* Does the event stop collection before any further trace is collected? */
bool am_trbe_is_synchronous(enum am_trbe_occurrence occurrence);

/**
 * am_trbe_first() - which of two synchronous events of one write is reported?
 * @a: one
 * @b: the other
 *
 * Return: the enum am_trbe_occurrence that is reported; AM_RESERVED where they are not ordered
 */
struct am_verdict am_trbe_first(enum am_trbe_occurrence a, enum am_trbe_occurrence b);

#endif /* ARCH_MODEL_TRBE_H */
