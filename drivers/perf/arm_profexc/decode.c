// SPDX-License-Identifier: GPL-2.0-only
/*
 * From registers to classes; see decode.h.
 */
#include <arch-model/pmu-regs.h>
#include <arch-model/trbe-regs.h>
#include <arch-model/trbe.h>

#include "decode.h"

/* Names */

static const char * const prx_class_names[PRX_NR_CLASSES] = {
	[ARM_PROFEXC_TRBE_FULL] = "trbe_full",
	[ARM_PROFEXC_TRBE_WRAP] = "trbe_wrap",
	[ARM_PROFEXC_TRBE_TRIGGER] = "trbe_trigger",
	[ARM_PROFEXC_TRBE_S1_FAULT] = "trbe_s1_fault",
	[ARM_PROFEXC_TRBE_S2_FAULT] = "trbe_s2_fault",
	[ARM_PROFEXC_TRBE_GPF] = "trbe_gpf",
	[ARM_PROFEXC_TRBE_GPC] = "trbe_gpc",
	[ARM_PROFEXC_TRBE_EXTERNAL_ABORT] = "trbe_external_abort",
	[ARM_PROFEXC_TRBE_ALIGNMENT] = "trbe_alignment",
	[ARM_PROFEXC_TRBE_OTHER] = "trbe_other",
	[ARM_PROFEXC_TRBE_IMPDEF] = "trbe_impdef",
	[ARM_PROFEXC_PMU_ASYNC] = "pmu_async",
	[ARM_PROFEXC_PMU_SYNC] = "pmu_sync",
	[ARM_PROFEXC_SPE] = "spe",
	[ARM_PROFEXC_SPURIOUS] = "spurious",
};

const char *prx_class_name(unsigned int class)
{
	return class < PRX_NR_CLASSES ? prx_class_names[class] : NULL;
}

static const char * const prx_mode_names[PRX_NR_MODES] = {
	[ARM_PROFEXC_MODE_EXCEPTION] = "exception",
	[ARM_PROFEXC_MODE_IRQ] = "irq",
};

const char *prx_mode_name(unsigned int mode)
{
	return mode < PRX_NR_MODES ? prx_mode_names[mode] : NULL;
}

static const char * const prx_source_names[PRX_NR_SOURCES] = {
	[ARM_PROFEXC_SOURCE_PMU] = "pmu",
	[ARM_PROFEXC_SOURCE_SPE] = "spe",
	[ARM_PROFEXC_SOURCE_TRBE] = "trbe",
};

const char *prx_source_name(unsigned int source)
{
	return source < PRX_NR_SOURCES ? prx_source_names[source] : NULL;
}

/* Classes */

/* EC is of stage 1 or stage 2 */
static u8 prx_fault_class(u64 trbsr, u8 stage)
{
	switch (am_fault_of_fsc(FIELD_GET(TRBSR_FSC, trbsr)).is) {
	case AM_FAULT_GPF:
	case AM_FAULT_GPF_WALK:
		return ARM_PROFEXC_TRBE_GPF;
	case AM_FAULT_EXTERNAL:
	case AM_FAULT_ASYNC_EXTERNAL:
	case AM_FAULT_EXTERNAL_WALK:
	case AM_FAULT_PARITY_WALK:
		return ARM_PROFEXC_TRBE_EXTERNAL_ABORT;
	case AM_FAULT_ALIGNMENT:
		return ARM_PROFEXC_TRBE_ALIGNMENT;
	}
	/* A reserved FSC too: of the fault itself, the stage is what is known. */
	return (trbsr & TRBSR_EA) ? ARM_PROFEXC_TRBE_EXTERNAL_ABORT : stage;
}

/* EC is that of other events. In Circular mode the pointer wraps without an event (RGDSTS). */
static u8 prx_buffer_class(u64 trbsr, u64 trblimitr)
{
	bool circular = FIELD_GET(TRBLIMITR_FM, trblimitr) == TRBLIMITR_FM_CIRCULAR;

	switch (FIELD_GET(TRBSR_BSC, trbsr)) {
	case TRBSR_BSC_FILLED:
		return ARM_PROFEXC_TRBE_FULL;
	case TRBSR_BSC_TRIGGER:
		return ARM_PROFEXC_TRBE_TRIGGER;
	case TRBSR_BSC_NOT_STOPPED:
		if (trbsr & TRBSR_S)
			break;
		if ((trbsr & TRBSR_WRAP) && !circular)
			return ARM_PROFEXC_TRBE_WRAP;
		if (trbsr & TRBSR_TRG)
			return ARM_PROFEXC_TRBE_TRIGGER;
		break;
	}
	return ARM_PROFEXC_TRBE_OTHER;
}

static u8 prx_trbe_class(u64 trbsr, u64 trblimitr)
{
	if (!(trbsr & TRBSR_IRQ))
		return ARM_PROFEXC_SPURIOUS;

	switch (FIELD_GET(TRBSR_EC, trbsr)) {
	case TRBSR_EC_GPC:
		return ARM_PROFEXC_TRBE_GPC;
	case TRBSR_EC_IMPDEF:
		return ARM_PROFEXC_TRBE_IMPDEF;
	case TRBSR_EC_STAGE1:
		return prx_fault_class(trbsr, ARM_PROFEXC_TRBE_S1_FAULT);
	case TRBSR_EC_STAGE2:
		return prx_fault_class(trbsr, ARM_PROFEXC_TRBE_S2_FAULT);
	case TRBSR_EC_OTHER:
		if (trbsr & TRBSR_EA)
			return ARM_PROFEXC_TRBE_EXTERNAL_ABORT;
		return prx_buffer_class(trbsr, trblimitr);
	}
	return ARM_PROFEXC_TRBE_OTHER;
}

/* PPEND survives the flag that it came from, so only that of an asynchronous one must be set */
static u8 prx_pmu_class(u64 pmovs, bool sync)
{
	if (sync)
		return ARM_PROFEXC_PMU_SYNC;
	return pmovs ? ARM_PROFEXC_PMU_ASYNC : ARM_PROFEXC_SPURIOUS;
}

static u8 prx_trbe_flags(u64 trbsr)
{
	return ((trbsr & TRBSR_WRAP) ? ARM_PROFEXC_FLAG_WRAP : 0) |
	       ((trbsr & TRBSR_TRG) ? ARM_PROFEXC_FLAG_TRG : 0) |
	       ((trbsr & TRBSR_S) ? ARM_PROFEXC_FLAG_STOPPED : 0);
}

void prx_classify(struct arm_profexc_record *record, bool sync)
{
	record->size = sizeof(*record);
	if (record->pstate & SPSR_M_AA32) {
		record->el = 0;
		record->flags |= ARM_PROFEXC_FLAG_AARCH32;
	} else {
		record->el = FIELD_GET(SPSR_M_EL, record->pstate);
	}

	switch (record->source) {
	case ARM_PROFEXC_SOURCE_PMU:
		record->class = prx_pmu_class(record->pmovs, sync);
		break;
	case ARM_PROFEXC_SOURCE_TRBE:
		record->class = prx_trbe_class(record->trbsr, record->trblimitr);
		record->flags |= prx_trbe_flags(record->trbsr);
		break;
	case ARM_PROFEXC_SOURCE_SPE:
		record->class = ARM_PROFEXC_SPE;
		break;
	default:
		record->class = ARM_PROFEXC_SPURIOUS;
	}
}

void prx_hide_kernel(struct arm_profexc_record *record)
{
	record->pmiar = 0;
	record->trbptr = 0;
	record->trbbaser = 0;
	record->trblimitr &= ~TRBLIMITR_LIMIT;
	if (record->el)
		record->pc = 0;
	record->flags |= ARM_PROFEXC_FLAG_HIDDEN;
}

/* Events */

#define PRX_CONFIG_EVENT	GENMASK_ULL(7, 0)
#define PRX_CONFIG1_MODE	GENMASK_ULL(1, 0)

static u64 prx_classes_between(unsigned int first, unsigned int last)
{
	unsigned int class;
	u64 classes = 0;

	for (class = first; class <= last; class++)
		if (prx_class_names[class])
			classes |= BIT_ULL(class);
	return classes;
}

static u64 prx_classes_of_event(unsigned int event)
{
	switch (event) {
	case ARM_PROFEXC_EVENT_ANY:
		return prx_classes_between(0, PRX_NR_CLASSES - 1);
	case ARM_PROFEXC_EVENT_TRBE:
		return prx_classes_between(ARM_PROFEXC_TRBE_FULL, ARM_PROFEXC_TRBE_IMPDEF);
	case ARM_PROFEXC_EVENT_PMU:
		return prx_classes_between(ARM_PROFEXC_PMU_ASYNC, ARM_PROFEXC_PMU_SYNC);
	}
	return prx_class_name(event) ? BIT_ULL(event) : 0;
}

bool prx_filter_parse(u64 config, u64 config1, struct prx_filter *filter)
{
	unsigned int mode = FIELD_GET(PRX_CONFIG1_MODE, config1);

	if ((config & ~PRX_CONFIG_EVENT) || (config1 & ~PRX_CONFIG1_MODE) || mode >= PRX_NR_MODES)
		return false;
	filter->classes = prx_classes_of_event(FIELD_GET(PRX_CONFIG_EVENT, config));
	filter->modes = mode ? 1U << mode : ~0;
	return filter->classes;
}

bool prx_wants(const struct prx_filter *filter, const struct arm_profexc_record *record,
	       bool idle)
{
	if (!(filter->classes & BIT_ULL(record->class)) ||
	    !(filter->modes & (1U << record->mode)))
		return false;
	if (idle && filter->exclude_idle)
		return false;
	return !(record->el ? filter->exclude_kernel : filter->exclude_user);
}
