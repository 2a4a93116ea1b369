// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the Trace Buffer Unit's registers change as trace is collected; see trbe.h.
 * Written from the rules of D6.5, D6.2 and D6.4.
 */
#include <arch-model/control-regs.h>
#include <arch-model/trbe-regs.h>
#include <arch-model/trbe.h>

/* Modes and state */

/* Rules: IGYHBH IFZXSV */
struct am_verdict am_trbe_mode(const struct am_trbe *trbe)
{
	unsigned int fm = FIELD_GET(TRBLIMITR_FM, trbe->trblimitr);

	switch (fm) {
	case TRBLIMITR_FM_FILL:
		return am_verdict(AM_TRBE_FILL, AM_WHY_TRBE_FM);
	case TRBLIMITR_FM_WRAP:
		return am_verdict(AM_TRBE_WRAP, AM_WHY_TRBE_FM);
	case TRBLIMITR_FM_CIRCULAR:
		return am_verdict(AM_TRBE_CIRCULAR, AM_WHY_TRBE_FM);
	}
	return am_verdict_of(AM_RESERVED, AM_WHY_TRBE_FM_RESERVED, fm);
}

/* Rules: INGLLQ IJDWMT */
struct am_verdict am_trigger_mode(const struct am_trbe *trbe)
{
	unsigned int tm = FIELD_GET(TRBLIMITR_TM, trbe->trblimitr);

	switch (tm) {
	case TRBLIMITR_TM_STOP:
		return am_verdict(AM_TRIGGER_STOP, AM_WHY_TRBE_TM);
	case TRBLIMITR_TM_IRQ:
		return am_verdict(AM_TRIGGER_IRQ, AM_WHY_TRBE_TM);
	case TRBLIMITR_TM_IGNORE:
		return am_verdict(AM_TRIGGER_IGNORE, AM_WHY_TRBE_TM);
	}
	return am_verdict_of(AM_RESERVED, AM_WHY_TRBE_TM_RESERVED, tm);
}

static bool am_trbe_is_enabled(const struct am_pe *pe, const struct am_trbe *trbe)
{
	struct am_verdict owner = am_trbe_owner(pe);

	if (!am_has(pe, AM_FEAT_TRBE))
		return false;
	if (!trbe->self_hosted)
		return am_has(pe, AM_FEAT_TRBE_EXT) && (trbe->trblimitr & TRBLIMITR_XE);
	/* Reading: M-6 */
	return (trbe->trblimitr & TRBLIMITR_E) && !am_uses_aa32(pe, owner.is == 2 ? 2 : 1);
}

/* Does TRBSR_ELx stop collection when its S bit is 1? Its events must be for ELx then */
static bool am_trbsr_counts(const struct am_pe *pe, const struct am_trbe *trbe, unsigned int el)
{
	if (el == 1)
		return true;
	if (!am_has(pe, AM_FEAT_TRBE_EXC) || !trbe->self_hosted)
		return false;
	if (el == 2)
		return am_trbe_ee2(pe, trbe).is & AM_CTL_OWN;
	return am_has(pe, AM_FEAT_EL3) &&
	       (FIELD_GET(MDCR_EL3_TRBEE, pe->mdcr_el3) & AM_CTL_OWN);
}

/* Rules: IVCDNP IHJFLC */
struct am_verdict am_trbe_state(const struct am_pe *pe, const struct am_trbe *trbe)
{
	unsigned int el;

	if (!am_trbe_is_enabled(pe, trbe))
		return am_verdict(AM_TRBE_DISABLED, AM_WHY_TRBE_DISABLED);
	for (el = 1; el <= 3; el++)
		if ((trbe->trbsr[el] & TRBSR_S) && am_trbsr_counts(pe, trbe, el))
			return am_verdict_of(AM_TRBE_STOPPED, AM_WHY_TRBE_STOPPED, el);
	return am_verdict(AM_TRBE_RUNNING, AM_WHY_TRBE_RUNNING);
}

static u64 am_trbe_base(const struct am_trbe *trbe)
{
	return trbe->trbbaser & TRBBASER_BASE;
}

static u64 am_trbe_limit(const struct am_trbe *trbe)
{
	return trbe->trblimitr & TRBLIMITR_LIMIT;
}

static u64 am_trbe_granule(const struct am_trbe *trbe)
{
	return 1ULL << FIELD_GET(TRBIDR_ALIGN, trbe->trbidr);
}

/* RMSPSD: unsigned comparison, and one value of bits [63:56] for all three */
static bool am_trbe_in_range(const struct am_trbe *trbe)
{
	u64 base = am_trbe_base(trbe), limit = am_trbe_limit(trbe), top = 0xFFULL << 56;

	return trbe->trbptr >= base && trbe->trbptr < limit &&
	       !((trbe->trbptr ^ base) & top) && !((trbe->trbptr ^ limit) & top);
}

/* Rules: IKLRBB */
struct am_verdict am_trbe_check_pointer(const struct am_trbe *trbe)
{
	if (!am_trbe_in_range(trbe))
		return am_verdict(AM_TRBE_OUT_OF_RANGE, AM_WHY_TRBE_OUT_OF_RANGE);
	if (trbe->trbptr & (am_trbe_granule(trbe) - 1))
		return am_verdict(AM_TRBE_MISALIGNED, AM_WHY_TRBE_MISALIGNED);
	return am_verdict(AM_TRBE_VALID, AM_WHY_TRBE_ALIGNED);
}

/* Rules: IKLRBB IQQKZF */
struct am_verdict am_trbe_check_counter(const struct am_trbe *trbe)
{
	if (trbe->trbtrg & (am_trbe_granule(trbe) - 1))
		return am_verdict(AM_TRBE_MISALIGNED, AM_WHY_TRBE_MISALIGNED);
	return am_verdict(AM_TRBE_VALID, AM_WHY_TRBE_ALIGNED);
}

struct am_verdict am_trbe_writable(const struct am_trbe *trbe)
{
	u64 enable = trbe->self_hosted ? TRBLIMITR_E : TRBLIMITR_XE;

	if (trbe->trblimitr & enable)
		return am_verdict(false, AM_WHY_TRBE_ENABLED);
	return am_verdict(true, AM_WHY_TRBE_DISABLED);
}

/* Events */

static const struct am_trbe_effect am_trbe_nothing = { .recorded = 0 };

static struct am_trbe_effect am_trbe_impossible(enum am_why why)
{
	struct am_trbe_effect effect = am_trbe_nothing;

	effect.verdict = am_verdict(AM_RESERVED, why);
	return effect;
}

static struct am_trbe_effect am_trbe_unrecorded(enum am_why why)
{
	struct am_trbe_effect effect = am_trbe_nothing;

	effect.verdict = am_verdict(false, why);
	return effect;
}

/* What every management event does: TRBSR_ELx.IRQ */
static u64 *am_trbe_event(struct am_trbe *trbe, struct am_verdict record,
			  struct am_trbe_effect *effect)
{
	u64 *trbsr = &trbe->trbsr[record.is];

	*trbsr |= TRBSR_IRQ;
	effect->event = true;
	effect->recorded = record.is;
	effect->verdict = am_verdict_of(true, record.why, record.is);
	return trbsr;
}

/* The syndrome of an event that stops collection. MSS and MSS2 belong to EC: see M-7 */
static void am_trbe_stop(u64 *trbsr, unsigned int ec, u16 mss, u64 mss2,
			 struct am_trbe_effect *effect)
{
	*trbsr &= ~(TRBSR_EC | TRBSR_MSS | TRBSR_MSS2);
	*trbsr |= TRBSR_S | FIELD_PREP(TRBSR_EC, ec) | mss | mss2;
	effect->stopped = true;
}

/* An event with EC 0x00 that stops collection, unless something did before */
static void am_trbe_stop_other(const struct am_pe *pe, struct am_trbe *trbe, unsigned int bsc,
			       struct am_trbe_effect *effect)
{
	u64 *trbsr = am_trbe_event(trbe, am_trbe_record(pe, trbe, AM_TRBE_OTHER), effect);

	if (!(*trbsr & TRBSR_S))
		am_trbe_stop(trbsr, TRBSR_EC_OTHER, bsc, 0, effect);
}

/* Rules: RHLKSG INFZKS */
/* Reading: M-7 F3-3 */
struct am_trbe_effect am_trbe_other_event(const struct am_pe *pe, struct am_trbe *trbe,
					  unsigned int bsc)
{
	struct am_trbe_effect effect = am_trbe_nothing;

	if (bsc > TRBSR_BSC_SIZE)
		return am_trbe_impossible(AM_WHY_TRBE_BSC_RESERVED);
	if (!am_trbe_is_enabled(pe, trbe))
		return am_trbe_unrecorded(AM_WHY_TRBE_DISABLED);
	am_trbe_stop_other(pe, trbe, bsc, &effect);
	return effect;
}

/* Rules: RCHNSL ILKLHH */
struct am_trbe_effect am_trbe_impdef_event(const struct am_pe *pe, struct am_trbe *trbe,
					   bool enabled, u16 mss)
{
	struct am_trbe_effect effect = am_trbe_nothing;
	u64 *trbsr;

	if (!enabled)
		return am_trbe_unrecorded(AM_WHY_TRBE_IMPDEF_OFF);
	/* This one does not ask whether collection was stopped before */
	trbsr = am_trbe_event(trbe, am_trbe_record(pe, trbe, AM_TRBE_OTHER), &effect);
	am_trbe_stop(trbsr, TRBSR_EC_IMPDEF, mss, *trbsr & TRBSR_MSS2, &effect);
	return effect;
}

/* Triggers */

/* Rules: IHHLBM RXRRWP S1-a RLMQHK RMWWHM RMLZZW RXYPYF */
static void am_trbe_trigger_event(const struct am_pe *pe, struct am_trbe *trbe, u32 op,
				  struct am_trbe_effect *effect)
{
	effect->trb_trig = true;
	effect->trigger_op = op;
	if (am_trbe_state(pe, trbe).is != AM_TRBE_RUNNING)
		return;
	if (am_trigger_mode(trbe).is == AM_TRIGGER_IGNORE)
		return;
	trbe->flush = (struct am_flush){
		.pending = true,
		.stops = am_trigger_mode(trbe).is == AM_TRIGGER_STOP,
		.op = op,
	};
	effect->flush = true;
}

/* Rules: RBQTGW RQFGNQ IQQKZF RDHLQG */
static void am_trbe_count_down(const struct am_pe *pe, struct am_trbe *trbe, u32 bytes, u32 op,
			       struct am_trbe_effect *effect)
{
	if (!trbe->trbtrg || !bytes)
		return;
	trbe->trbtrg = trbe->trbtrg > bytes ? trbe->trbtrg - bytes : 0;
	if (!trbe->trbtrg)
		am_trbe_trigger_event(pe, trbe, op, effect);
}

/* Rules: RKSQJW RDHLQG IZGFSK RRWJNN RQFGNQ */
/* Reading: M-8 F1-20 */
struct am_trbe_effect am_trbe_detected_trigger(const struct am_pe *pe, struct am_trbe *trbe,
					       u32 op, u32 drained)
{
	struct am_verdict record = am_trbe_record(pe, trbe, AM_TRBE_OTHER);
	struct am_trbe_effect effect = am_trbe_nothing;
	u64 *trbsr = &trbe->trbsr[record.is];

	if (drained > am_trbe_granule(trbe))
		return am_trbe_impossible(AM_WHY_TRBE_DRAINED);
	if (am_trbe_state(pe, trbe).is == AM_TRBE_DISABLED)
		return am_trbe_unrecorded(AM_WHY_TRBE_DISABLED);
	if (*trbsr & TRBSR_TRG) {
		effect.verdict = am_verdict_of(false, AM_WHY_TRBE_TRIGGERED, record.is);
		return effect;
	}

	*trbsr |= TRBSR_TRG;
	effect.recorded = record.is;
	effect.verdict = am_verdict_of(true, record.why, record.is);
	if (trbe->trbtrg)
		am_trbe_count_down(pe, trbe, drained, op, &effect);
	else
		am_trbe_trigger_event(pe, trbe, op, &effect);
	return effect;
}

/* Rules: IYRQCN */
bool am_ete_is_trigger(unsigned int events)
{
	return events & 1;
}

/* Rules: RXRRWP S1-a IJLZDN IVPLRF IMCGFL INZYNN */
/* Reading: M-20 */
struct am_trbe_effect am_trbe_flush_done(const struct am_pe *pe, struct am_trbe *trbe)
{
	struct am_trbe_effect effect = am_trbe_nothing;
	bool stops = trbe->flush.stops;

	if (!trbe->flush.pending)
		return am_trbe_impossible(AM_WHY_TRBE_NO_FLUSH);
	trbe->flush = (struct am_flush){ .pending = false };

	if (stops)
		am_trbe_stop_other(pe, trbe, TRBSR_BSC_TRIGGER, &effect);
	else
		am_trbe_event(trbe, am_trbe_record(pe, trbe, AM_TRBE_OTHER), &effect);
	return effect;
}

/* Rules: IGPHHS RMLZZW */
bool am_trbe_op_may_finish(const struct am_trbe *trbe, u32 op)
{
	return !trbe->flush.pending || trbe->flush.op != op;
}

/* Collecting */

/* Rules: RMBSHC RVBDJZ RGDSTS */
static void am_trbe_wrap(const struct am_pe *pe, struct am_trbe *trbe,
			 struct am_trbe_effect *effect)
{
	struct am_verdict record = am_trbe_record(pe, trbe, AM_TRBE_OTHER);

	trbe->trbptr = am_trbe_base(trbe);
	trbe->trbsr[record.is] |= TRBSR_WRAP;
	effect->recorded = record.is;
	effect->trb_wrap = true;

	switch (am_trbe_mode(trbe).is) {
	case AM_TRBE_FILL:
		am_trbe_stop_other(pe, trbe, TRBSR_BSC_FILLED, effect);
		break;
	case AM_TRBE_CIRCULAR:
		break;
	default:	/* Wrap mode, and the reserved value as hardware may have it */
		am_trbe_event(trbe, record, effect);
	}
}

/* Rules: RMBSHC RBQTGW IVCDNP RMLZZW */
/* Reading: M-9 */
struct am_trbe_effect am_trbe_collect(const struct am_pe *pe, struct am_trbe *trbe, u32 op)
{
	struct am_verdict state = am_trbe_state(pe, trbe);
	struct am_verdict record = am_trbe_record(pe, trbe, AM_TRBE_OTHER);
	struct am_trbe_effect effect = am_trbe_nothing;

	if (state.is != AM_TRBE_RUNNING) {
		effect.verdict = am_verdict_of(AM_TRBE_DISCARDED, state.why, state.detail);
		return effect;
	}
	if (!am_trbe_in_range(trbe)) {
		effect.verdict = am_verdict(AM_TRBE_UNPREDICTABLE, AM_WHY_TRBE_OUT_OF_RANGE);
		return effect;
	}

	if (trbe->trbsr[record.is] & TRBSR_TRG)
		am_trbe_count_down(pe, trbe, 1, op, &effect);
	trbe->trbptr++;
	if (trbe->trbptr == am_trbe_limit(trbe))
		am_trbe_wrap(pe, trbe, &effect);
	effect.verdict = am_verdict(AM_TRBE_WRITTEN, AM_WHY_TRBE_RUNNING);
	return effect;
}

/* Faults */

/**
 * struct am_fsc_range - FSC values of one type of fault
 * @type: the type
 * @fsc: its first value
 * @values: number of values; 0 ends the table
 * @level: the level that @fsc means, those of the next values follow; NO_LEVEL: the type has none
 */
struct am_fsc_range {
	u8 type;
	u8 fsc;
	u8 values;
	s8 level;
};

#define NO_LEVEL	(-128)

/* TRBSR_ELx.FSC (D24.4.7) */
static const struct am_fsc_range am_fsc_ranges[] = {
	{ AM_FAULT_ADDRESS_SIZE, 0x00, 4, 0 },
	{ AM_FAULT_ADDRESS_SIZE, 0x29, 1, -1 },
	{ AM_FAULT_ADDRESS_SIZE, 0x2C, 1, -2 },
	{ AM_FAULT_TRANSLATION, 0x04, 4, 0 },
	{ AM_FAULT_TRANSLATION, 0x2A, 2, -2 },
	{ AM_FAULT_ACCESS_FLAG, 0x08, 4, 0 },
	{ AM_FAULT_PERMISSION, 0x0C, 4, 0 },
	{ AM_FAULT_EXTERNAL, 0x10, 1, NO_LEVEL },
	{ AM_FAULT_ASYNC_EXTERNAL, 0x11, 1, NO_LEVEL },
	{ AM_FAULT_EXTERNAL_WALK, 0x12, 6, -2 },
	{ AM_FAULT_PARITY_WALK, 0x1B, 1, -1 },
	{ AM_FAULT_ALIGNMENT, 0x21, 1, NO_LEVEL },
	{ AM_FAULT_GPF_WALK, 0x22, 6, -2 },
	{ AM_FAULT_GPF, 0x28, 1, NO_LEVEL },
	{ AM_FAULT_TLB_CONFLICT, 0x30, 1, NO_LEVEL },
	{ AM_FAULT_ATOMIC_UPDATE, 0x31, 1, NO_LEVEL },
	{ },
};

/* Rules: RQKLXR */
struct am_verdict am_fault_fsc(enum am_fault type, int level)
{
	const struct am_fsc_range *range;

	for (range = am_fsc_ranges; range->values; range++) {
		if (range->type != type)
			continue;
		if (range->level == NO_LEVEL)
			return am_verdict(range->fsc, AM_WHY_TRBE_FSC);
		if (level >= range->level && level < range->level + range->values)
			return am_verdict(range->fsc + level - range->level, AM_WHY_TRBE_FSC);
	}
	return am_verdict(AM_RESERVED, AM_WHY_TRBE_FSC_RESERVED);
}

/* Rules: RQKLXR */
struct am_verdict am_fault_of_fsc(unsigned int fsc)
{
	const struct am_fsc_range *range;

	for (range = am_fsc_ranges; range->values; range++) {
		if (fsc < range->fsc || fsc >= range->fsc + range->values)
			continue;
		if (range->level == NO_LEVEL)
			return am_verdict(range->type, AM_WHY_TRBE_FSC);
		return am_verdict_of(range->type, AM_WHY_TRBE_FSC,
				     fsc - range->fsc + range->level + 2);
	}
	return am_verdict_of(AM_RESERVED, AM_WHY_TRBE_FSC_RESERVED, fsc);
}

/* Rules: RYQMQK */
bool am_fault_is_mmu(enum am_fault type)
{
	switch (type) {
	case AM_FAULT_ALIGNMENT:
	case AM_FAULT_EXTERNAL:
	case AM_FAULT_ASYNC_EXTERNAL:
		return false;
	default:
		return true;
	}
}

static bool am_fault_is_gpc(enum am_fault type)
{
	return type == AM_FAULT_GPC || type == AM_FAULT_GPF || type == AM_FAULT_GPF_WALK;
}

/* Can a write generate this fault on this PE, in this mode? */
static enum am_why am_trbe_fault_check(const struct am_pe *pe, const struct am_trbe *trbe,
				       const struct am_trbe_fault *fault)
{
	if (fault->type == AM_FAULT_EXTERNAL || fault->type == AM_FAULT_ASYNC_EXTERNAL)
		return AM_WHY_TRBE_NO_FAULT;
	if (am_fault_is_gpc(fault->type) && !am_has(pe, AM_FEAT_RME))
		return AM_WHY_TRBE_NO_RME;
	/* In External mode the pointers are physical addresses: no walk (RNHTSY, RYQMQK) */
	if (!trbe->self_hosted && am_fault_is_mmu(fault->type) &&
	    (!am_fault_is_gpc(fault->type) || fault->type == AM_FAULT_GPF_WALK))
		return AM_WHY_TRBE_EXTERNAL_MODE;
	if (fault->type != AM_FAULT_GPC && am_fault_fsc(fault->type, fault->level).is < 0)
		return AM_WHY_TRBE_FSC_RESERVED;
	return AM_WHY_NONE;
}

/* Rules: RLYHGV RYCPZX */
static u64 am_trbe_mss2(const struct am_trbe_fault *fault)
{
	if (fault->type != AM_FAULT_PERMISSION)
		return 0;
	return (fault->stage2 && fault->top_level ? TRBSR_TOPLEVEL : 0) |
	       (fault->stage2 && fault->assured_only ? TRBSR_ASSUREDONLY : 0) |
	       (fault->overlay ? TRBSR_OVERLAY : 0) |
	       (fault->dirty_bit ? TRBSR_DIRTYBIT : 0);
}

/*
 * Rules: RFSPBK RQKLXR RYQMQK RFYBCG IDTKGB IGVGPB RLYHGV RYCPZX IZNPQG ILNXGR
 */
/* Reading: M-7 */
struct am_trbe_effect am_trbe_fault(const struct am_pe *pe, struct am_trbe *trbe,
				    const struct am_trbe_fault *fault)
{
	enum am_why impossible = am_trbe_fault_check(pe, trbe, fault);
	struct am_trbe_effect effect = am_trbe_nothing;
	unsigned int ec = fault->stage2 ? TRBSR_EC_STAGE2 : TRBSR_EC_STAGE1;
	struct am_verdict record;
	unsigned int fsc = 0;
	u64 *trbsr;

	if (impossible)
		return am_trbe_impossible(impossible);
	if (!am_trbe_is_enabled(pe, trbe))
		return am_trbe_unrecorded(AM_WHY_TRBE_DISABLED);
	if (fault->type == AM_FAULT_GPF)
		ec = TRBSR_EC_STAGE1;
	else if (fault->type == AM_FAULT_GPC)
		ec = TRBSR_EC_GPC;
	if (fault->type != AM_FAULT_GPC)
		fsc = am_fault_fsc(fault->type, fault->level).is;

	record = am_trbe_record(pe, trbe, am_trbe_class(pe, ec, fsc).is);
	if (record.is == AM_RESERVED)
		return am_trbe_impossible(record.why);
	if (trbe->trbsr[record.is] & TRBSR_S) {
		effect.verdict = am_verdict_of(false, AM_WHY_TRBE_STOPPED, record.is);
		return effect;
	}
	trbsr = am_trbe_event(trbe, record, &effect);
	am_trbe_stop(trbsr, ec, fsc, am_trbe_mss2(fault), &effect);
	if (fault->set_ea && (fault->type == AM_FAULT_EXTERNAL_WALK ||
			      fault->type == AM_FAULT_PARITY_WALK) && !am_has(pe, AM_FEAT_V9P3))
		*trbsr |= TRBSR_EA;
	trbe->trbptr = fault->address;
	return effect;
}

/* External aborts */

/* Rules: RXRLSC RNZTKV ITVKJR */
static struct am_trbe_effect am_trbe_reported_abort(const struct am_pe *pe, struct am_trbe *trbe,
						    const struct am_trbe_abort *abort, bool sync)
{
	struct am_trbe_effect effect = am_trbe_nothing;
	enum am_fault type = abort->walk ? AM_FAULT_EXTERNAL_WALK : AM_FAULT_EXTERNAL;
	unsigned int ec = abort->walk && abort->stage2 ? TRBSR_EC_STAGE2 : TRBSR_EC_STAGE1;
	int fsc = am_fault_fsc(sync ? type : AM_FAULT_ASYNC_EXTERNAL, abort->level).is;
	struct am_verdict record;
	u64 *trbsr;

	if (abort->gpt) {
		ec = TRBSR_EC_GPC;
		fsc = 0;
	}
	if (fsc < 0)
		return am_trbe_impossible(AM_WHY_TRBE_FSC_RESERVED);

	/* Before Armv9.3 there is no FEAT_TRBE_EXC: one register records everything */
	record = am_verdict(1, AM_WHY_TRBE_NO_EXC);
	trbsr = &trbe->trbsr[record.is];
	*trbsr |= TRBSR_EA;
	effect.recorded = record.is;
	effect.verdict = am_verdict_of(true, record.why, record.is);
	if (!(*trbsr & TRBSR_S)) {
		am_trbe_event(trbe, record, &effect);
		am_trbe_stop(trbsr, ec, fsc, 0, &effect);
	}
	if (sync)
		trbe->trbptr = abort->address;
	return effect;
}

/* Rules: RGQWBF IFRNZK IFBNFC RVKWPM ILNXGR INHQGS RNZTKV */
struct am_trbe_effect am_trbe_external_abort(const struct am_pe *pe, struct am_trbe *trbe,
					     const struct am_trbe_abort *abort,
					     enum am_abort_policy policy)
{
	struct am_trbe_effect effect = am_trbe_nothing;
	struct am_trbe_fault fault = {
		.type = abort->gpt ? AM_FAULT_GPC : AM_FAULT_EXTERNAL_WALK,
		.level = abort->level,
		.stage2 = abort->stage2,
		.set_ea = abort->set_ea,
		.address = abort->address,
	};

	if (abort->gpt && !am_has(pe, AM_FEAT_RME))
		return am_trbe_impossible(AM_WHY_TRBE_NO_RME);

	switch (policy) {
	case AM_ABORT_IGNORE:
		return am_trbe_unrecorded(AM_WHY_TRBE_ABORT_IGNORED);
	case AM_ABORT_SERROR:
		effect.verdict = am_verdict(false, AM_WHY_TRBE_ABORT_SERROR);
		effect.serror = true;
		return effect;
	case AM_ABORT_MMU_FAULT:
		if (!abort->walk && !abort->gpt)
			return am_trbe_impossible(AM_WHY_TRBE_ABORT_NO_WALK);
		return am_trbe_fault(pe, trbe, &fault);
	case AM_ABORT_SYNC:
	case AM_ABORT_ASYNC:
		if (am_has(pe, AM_FEAT_V9P3))
			return am_trbe_impossible(AM_WHY_TRBE_ABORT_V9P3);
		/* An asynchronous abort may arrive after the unit was disabled */
		if (policy == AM_ABORT_SYNC && !am_trbe_is_enabled(pe, trbe))
			return am_trbe_unrecorded(AM_WHY_TRBE_DISABLED);
		return am_trbe_reported_abort(pe, trbe, abort, policy == AM_ABORT_SYNC);
	}
	return am_trbe_impossible(AM_WHY_TRBE_ABORT_POLICY);
}

/* Priority */

/* Rules: IHJFLC RGTMJD */
bool am_trbe_is_synchronous(enum am_trbe_occurrence occurrence)
{
	switch (occurrence) {
	case AM_TRBE_ON_FAULT:
	case AM_TRBE_ON_SYNC_ABORT:
	case AM_TRBE_ON_WRAP:
		return true;
	default:
		return false;
	}
}

/* Rules: RMKCHT RGTMJD IBRLXK */
/* Reading: F3-2 */
struct am_verdict am_trbe_first(enum am_trbe_occurrence a, enum am_trbe_occurrence b)
{
	if (!am_trbe_is_synchronous(a) || !am_trbe_is_synchronous(b))
		return am_verdict(AM_RESERVED, AM_WHY_TRBE_UNORDERED);
	return am_verdict(a < b ? a : b, AM_WHY_TRBE_ORDERED);
}
