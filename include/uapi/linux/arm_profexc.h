/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * User ABI of the arm_profexc perf PMU: event configuration and the raw record.
 *
 * Documentation/admin-guide/perf/arm_profexc.rst describes its use.
 */
#ifndef _UAPI_LINUX_ARM_PROFEXC_H
#define _UAPI_LINUX_ARM_PROFEXC_H

#include <linux/types.h>

/*
 * struct perf_event_attr
 *
 * config[7:0]   event, enum arm_profexc_class or ARM_PROFEXC_EVENT_*
 * config1[1:0]  mode, enum arm_profexc_mode: how it was delivered; 0 for either
 *
 * exclude_user, exclude_kernel and exclude_idle speak of what was interrupted. A counter counts
 * what its CPU, or its task, was interrupted by. With a period of N each Nth is a sample: its IP,
 * registers and call chain are those of the interrupted code.
 */

/**
 * enum arm_profexc_class - what happened
 * @ARM_PROFEXC_TRBE_FULL: the trace buffer was filled, and collection has stopped
 * @ARM_PROFEXC_TRBE_WRAP: the write pointer of the trace buffer wrapped in Wrap mode
 * @ARM_PROFEXC_TRBE_TRIGGER: a Trigger Event
 * @ARM_PROFEXC_TRBE_S1_FAULT: an MMU fault of stage 1 of a write to the trace buffer
 * @ARM_PROFEXC_TRBE_S2_FAULT: one of stage 2
 * @ARM_PROFEXC_TRBE_GPF: a Granule Protection Fault, of either stage
 * @ARM_PROFEXC_TRBE_GPC: another fault of a Granule Protection Check
 * @ARM_PROFEXC_TRBE_EXTERNAL_ABORT: an External abort, of either stage
 * @ARM_PROFEXC_TRBE_ALIGNMENT: an Alignment fault
 * @ARM_PROFEXC_TRBE_OTHER: another management event; @trbsr of the record tells
 * @ARM_PROFEXC_TRBE_IMPDEF: an IMPLEMENTATION DEFINED management event
 * @ARM_PROFEXC_PMU_ASYNC: counters overflowed
 * @ARM_PROFEXC_PMU_SYNC: the same in synchronous mode (FEAT_SEBEP); @pmiar names an instruction
 * @ARM_PROFEXC_SPE: Statistical Profiling, which no kernel reports so far
 * @ARM_PROFEXC_SPURIOUS: no cause was found
 */
enum arm_profexc_class {
	ARM_PROFEXC_TRBE_FULL = 0x01,
	ARM_PROFEXC_TRBE_WRAP = 0x02,
	ARM_PROFEXC_TRBE_TRIGGER = 0x03,
	ARM_PROFEXC_TRBE_S1_FAULT = 0x10,
	ARM_PROFEXC_TRBE_S2_FAULT = 0x11,
	ARM_PROFEXC_TRBE_GPF = 0x12,
	ARM_PROFEXC_TRBE_GPC = 0x13,
	ARM_PROFEXC_TRBE_EXTERNAL_ABORT = 0x14,
	ARM_PROFEXC_TRBE_ALIGNMENT = 0x15,
	ARM_PROFEXC_TRBE_OTHER = 0x1e,
	ARM_PROFEXC_TRBE_IMPDEF = 0x1f,
	ARM_PROFEXC_PMU_ASYNC = 0x20,
	ARM_PROFEXC_PMU_SYNC = 0x21,
	ARM_PROFEXC_SPE = 0x28,
	ARM_PROFEXC_SPURIOUS = 0x30,
};

/* Events of more than one class */
#define ARM_PROFEXC_EVENT_ANY		0x00
#define ARM_PROFEXC_EVENT_TRBE		0x40	/* all classes of the trace buffer */
#define ARM_PROFEXC_EVENT_PMU		0x41	/* synchronous and asynchronous */

/**
 * enum arm_profexc_mode - how the PE delivered it
 * @ARM_PROFEXC_MODE_EXCEPTION: by a Profiling exception
 * @ARM_PROFEXC_MODE_IRQ: by an interrupt, which may have been masked for a while
 */
enum arm_profexc_mode {
	ARM_PROFEXC_MODE_EXCEPTION = 1,
	ARM_PROFEXC_MODE_IRQ = 2,
};

/* Who reports; the values are ESR_ELx.ISS.FSC of a Profiling exception */
enum arm_profexc_source {
	ARM_PROFEXC_SOURCE_PMU = 0,
	ARM_PROFEXC_SOURCE_SPE = 1,
	ARM_PROFEXC_SOURCE_TRBE = 2,
};

/* struct arm_profexc_record.flags */
#define ARM_PROFEXC_FLAG_AARCH32	(1U << 0)	/* AArch32 code was interrupted */
#define ARM_PROFEXC_FLAG_WRAP		(1U << 1)	/* TRBSR.WRAP */
#define ARM_PROFEXC_FLAG_TRG		(1U << 2)	/* TRBSR.TRG */
#define ARM_PROFEXC_FLAG_STOPPED	(1U << 3)	/* TRBSR.S: collection has stopped */
#define ARM_PROFEXC_FLAG_HIDDEN		(1U << 4)	/* kernel addresses are withheld: 0 */

/**
 * struct arm_profexc_record - one event, the payload of PERF_SAMPLE_RAW
 * @size: bytes of this record that are valid; newer kernels append fields
 * @class: enum arm_profexc_class
 * @mode: enum arm_profexc_mode
 * @source: enum arm_profexc_source
 * @el: Exception level that was interrupted, 0 to 2
 * @record_el: the x of the TRBSR_ELx that recorded the event, 0 for other sources
 * @flags: ARM_PROFEXC_FLAG_*
 * @seq: number of this event on its CPU since the module was loaded, from 1: a gap is what the
 *	 perf event did not ask for, or had no room for
 * @pc: address of the instruction that was about to be executed
 * @pstate: PSTATE of the interrupted code, as in SPSR_ELx
 * @esr: ESR_ELx of the exception, 0 for an interrupt
 * @pmiar: PMIAR_EL1, for ARM_PROFEXC_PMU_SYNC; 0 for others
 * @pmovs: the counters whose overflow is reported: PMOVSSET_EL0 and PMINTENSET_EL1
 * @trbsr: TRBSR_ELx; this and what follows is 0 if @source is not the trace buffer
 * @trbptr: TRBPTR_EL1
 * @trbbaser: TRBBASER_EL1
 * @trblimitr: TRBLIMITR_EL1
 * @trbtrg: TRBTRG_EL1
 *
 * An event with exclude_kernel set gets no address of the kernel: @pmiar, @trbptr, @trbbaser and
 * the address in @trblimitr are 0 then, and ARM_PROFEXC_FLAG_HIDDEN is set.
 *
 * 92 bytes: with the u32 length that perf puts in front, a multiple of eight, so perf adds no
 * padding. The record is therefore only 4-byte aligned in a perf.data file: copy it out.
 */
struct arm_profexc_record {
	__u16 size;
	__u8 class;
	__u8 mode;
	__u8 source;
	__u8 el;
	__u8 record_el;
	__u8 flags;
	__u64 seq;
	__u64 pc;
	__u64 pstate;
	__u64 esr;
	__u64 pmiar;
	__u64 pmovs;
	__u64 trbsr;
	__u64 trbptr;
	__u64 trbbaser;
	__u64 trblimitr;
	__u32 trbtrg;
} __attribute__((packed, aligned(4)));

#endif /* _UAPI_LINUX_ARM_PROFEXC_H */
