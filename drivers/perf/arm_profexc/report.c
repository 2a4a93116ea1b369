// SPDX-License-Identifier: GPL-2.0-only
/*
 * Report an event: classify it by its registers, count it, and pass it to the tracepoints and to
 * the perf events.
 */
#include "arm_profexc.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

static void prx_note_mode(const struct arm_profexc_record *record)
{
	u8 last = this_cpu_read(prx_cpu.last_mode[record->source]);

	if (last == record->mode)
		return;
	this_cpu_write(prx_cpu.last_mode[record->source], record->mode);
	if (last)
		this_cpu_inc(prx_cpu.switches);
	trace_profexc_mode(record->source, last, record->mode);
}

/**
 * prx_report() - count an event and show it to all who want to see it
 * @regs: what was interrupted
 * @record: @source and @mode are set, and the registers are read
 * @sync: see prx_classify()
 *
 * Context: the CPU where it happened, NMI or interrupts masked.
 */
void prx_report(struct pt_regs *regs, struct arm_profexc_record *record, bool sync)
{
	record->pc = regs->pc;
	record->pstate = regs->pstate;
	prx_classify(record, sync);
	record->seq = this_cpu_inc_return(prx_cpu.seq);
	this_cpu_inc(prx_cpu.count[record->mode][record->class]);
	if (record->source < PRX_NR_SOURCES)
		prx_note_mode(record);

	if (record->mode == ARM_PROFEXC_MODE_EXCEPTION)
		trace_profexc_taken(record);
	else
		trace_profexc_irq(record);
	if (record->source == ARM_PROFEXC_SOURCE_TRBE)
		trace_profexc_trbe(record);
	prx_pmu_report(regs, record);
}
