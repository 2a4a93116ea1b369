/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints. The fields of an event are those of struct arm_profexc_record.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM arm_profexc

#if !defined(ARM_PROFEXC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define ARM_PROFEXC_TRACE_H

#include <linux/tracepoint.h>

#include <linux/arm_profexc.h>

#define prx_show_source(source)						\
	__print_symbolic(source,					\
			 { ARM_PROFEXC_SOURCE_PMU, "pmu" },		\
			 { ARM_PROFEXC_SOURCE_SPE, "spe" },		\
			 { ARM_PROFEXC_SOURCE_TRBE, "trbe" })

#define prx_show_mode(mode)						\
	__print_symbolic(mode,						\
			 { 0, "none" },					\
			 { ARM_PROFEXC_MODE_EXCEPTION, "exception" },	\
			 { ARM_PROFEXC_MODE_IRQ, "irq" })

#define prx_show_class(class)						\
	__print_symbolic(class,						\
			 { ARM_PROFEXC_TRBE_FULL, "trbe_full" },	\
			 { ARM_PROFEXC_TRBE_WRAP, "trbe_wrap" },	\
			 { ARM_PROFEXC_TRBE_TRIGGER, "trbe_trigger" },	\
			 { ARM_PROFEXC_TRBE_S1_FAULT, "trbe_s1_fault" },	\
			 { ARM_PROFEXC_TRBE_S2_FAULT, "trbe_s2_fault" },	\
			 { ARM_PROFEXC_TRBE_GPF, "trbe_gpf" },		\
			 { ARM_PROFEXC_TRBE_GPC, "trbe_gpc" },		\
			 { ARM_PROFEXC_TRBE_EXTERNAL_ABORT, "trbe_external_abort" },	\
			 { ARM_PROFEXC_TRBE_ALIGNMENT, "trbe_alignment" },	\
			 { ARM_PROFEXC_TRBE_OTHER, "trbe_other" },	\
			 { ARM_PROFEXC_TRBE_IMPDEF, "trbe_impdef" },	\
			 { ARM_PROFEXC_PMU_ASYNC, "pmu_async" },	\
			 { ARM_PROFEXC_PMU_SYNC, "pmu_sync" },		\
			 { ARM_PROFEXC_SPE, "spe" },			\
			 { ARM_PROFEXC_SPURIOUS, "spurious" })

DECLARE_EVENT_CLASS(profexc_delivered,
		    TP_PROTO(const struct arm_profexc_record *record),

		    TP_ARGS(record),

		    TP_STRUCT__entry(__field(u64, seq)
				     __field(u64, pc)
				     __field(u64, pstate)
				     __field(u64, esr)
				     __field(u64, pmovs)
				     __field(u64, pmiar)
				     __field(u8, source)
				     __field(u8, class)
				     __field(u8, el)),

		    TP_fast_assign(__entry->seq = record->seq;
				   __entry->pc = record->pc;
				   __entry->pstate = record->pstate;
				   __entry->esr = record->esr;
				   __entry->pmovs = record->pmovs;
				   __entry->pmiar = record->pmiar;
				   __entry->source = record->source;
				   __entry->class = record->class;
				   __entry->el = record->el;),

		    TP_printk("source=%s class=%s seq=%llu el=%u pc=0x%llx pstate=0x%llx esr=0x%llx pmovs=0x%llx pmiar=0x%llx",
			      prx_show_source(__entry->source),
			      prx_show_class(__entry->class), __entry->seq, __entry->el,
			      __entry->pc, __entry->pstate, __entry->esr, __entry->pmovs,
			      __entry->pmiar));

/* A Profiling exception was taken */
DEFINE_EVENT(profexc_delivered, profexc_taken,
	     TP_PROTO(const struct arm_profexc_record *record),
	     TP_ARGS(record));

/* An interrupt was taken in its place */
DEFINE_EVENT(profexc_delivered, profexc_irq,
	     TP_PROTO(const struct arm_profexc_record *record),
	     TP_ARGS(record));

/* What the trace buffer says, after either of the above */
TRACE_EVENT(profexc_trbe,
	    TP_PROTO(const struct arm_profexc_record *record),

	    TP_ARGS(record),

	    TP_STRUCT__entry(__field(u64, seq)
			     __field(u64, trbsr)
			     __field(u64, trbptr)
			     __field(u64, trbbaser)
			     __field(u64, trblimitr)
			     __field(u32, trbtrg)
			     __field(u8, class)
			     __field(u8, mode)
			     __field(u8, record_el)),

	    TP_fast_assign(__entry->seq = record->seq;
			   __entry->trbsr = record->trbsr;
			   __entry->trbptr = record->trbptr;
			   __entry->trbbaser = record->trbbaser;
			   __entry->trblimitr = record->trblimitr;
			   __entry->trbtrg = record->trbtrg;
			   __entry->class = record->class;
			   __entry->mode = record->mode;
			   __entry->record_el = record->record_el;),

	    TP_printk("class=%s mode=%s seq=%llu trbsr_el%u=0x%llx ec=0x%02llx mss=0x%04llx s=%llu wrap=%llu trg=%llu irq=%llu trbptr=0x%llx trbbaser=0x%llx trblimitr=0x%llx fm=%llu tm=%llu trbtrg=%u",
		      prx_show_class(__entry->class), prx_show_mode(__entry->mode), __entry->seq,
		      __entry->record_el, __entry->trbsr, (__entry->trbsr >> 26) & 0x3f,
		      __entry->trbsr & 0xffff, (__entry->trbsr >> 17) & 1,
		      (__entry->trbsr >> 20) & 1, (__entry->trbsr >> 21) & 1,
		      (__entry->trbsr >> 22) & 1, __entry->trbptr, __entry->trbbaser,
		      __entry->trblimitr, (__entry->trblimitr >> 1) & 3,
		      (__entry->trblimitr >> 3) & 3, __entry->trbtrg));

/* A source reports in another way than before on this CPU */
TRACE_EVENT(profexc_mode,
	    TP_PROTO(u8 source, u8 from, u8 to),

	    TP_ARGS(source, from, to),

	    TP_STRUCT__entry(__field(u8, source)
			     __field(u8, from)
			     __field(u8, to)),

	    TP_fast_assign(__entry->source = source;
			   __entry->from = from;
			   __entry->to = to;),

	    TP_printk("source=%s from=%s to=%s", prx_show_source(__entry->source),
		      prx_show_mode(__entry->from), prx_show_mode(__entry->to)));

#endif /* ARM_PROFEXC_TRACE_H */

/* Outside the guard: this is read again and again */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
