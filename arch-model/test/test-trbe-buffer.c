// SPDX-License-Identifier: GPL-2.0-only
/*
 * Collecting trace: compares the registers of the Trace Buffer Unit after each event with the
 * shared pseudocode (pseudo-trbe.c), and with the rules where the pseudocode says nothing.
 */
#include <arch-model/trbe-regs.h>
#include <arch-model/trbe.h>

#include "pseudo.h"
#include "table.h"
#include "tables.h"
#include "test.h"

#define BASE	0xFFFF800010000000ULL
#define LIMIT	0xFFFF800010002000ULL
#define TAG	0x0100000000000000ULL
#define FILL	0
#define WRAP	1
#define CIRC	3
#define STOP	0
#define INTR	1
#define IGNORE	3

static const struct am_pe plain_pe = {
	.feat = AM_FEAT_AA64 | AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_RME | AM_FEAT_SEL2 |
		AM_FEAT_RAS | AM_FEAT_NV | AM_FEAT_TRBE | AM_FEAT_TRBE_EXC | AM_FEAT_V9P3,
	.scr_el3 = SCR_EL3_NS,
	.mdcr_el3 = 3ULL << 24 | 1ULL << 53,	/* NSTB, TRBEE */
	.mdcr_el2 = 2ULL << 24,			/* E2TB: EL1 owns */
	.el = 1,
};

/* A unit with @room bytes left before the pointer wraps */
static struct am_trbe unit(unsigned int fm, unsigned int tm, unsigned int room)
{
	return (struct am_trbe){
		.self_hosted = true,
		.trblimitr = LIMIT | tm << 3 | fm << 1 | TRBLIMITR_E,
		.trbbaser = BASE,
		.trbptr = LIMIT - room,
		.trfcr_el2 = 1ULL << 8,
	};
}

static bool same_registers(const struct am_trbe *a, const struct am_trbe *b)
{
	return a->trbptr == b->trbptr && a->trbtrg == b->trbtrg && a->trbsr[1] == b->trbsr[1] &&
	       a->trbsr[2] == b->trbsr[2] && a->trbsr[3] == b->trbsr[3] &&
	       a->trblimitr == b->trblimitr && a->trbbaser == b->trbbaser;
}

/*
 * Set the controls so that other events are recorded in TRBSR_EL1, TRBSR_EL2 or TRBSR_EL3. Faults
 * are recorded elsewhere, where possible.
 */
static void record_in(struct am_pe *pe, struct am_trbe *trbe, unsigned int el)
{
	pe->mdcr_el3 = 3ULL << 24 | (el == 3 ? 3ULL : 2ULL) << 53;
	pe->scr_el3 |= SCR_EL3_GPF;
	trbe->trfcr_el2 = (el == 2 ? 3ULL : 1ULL) << 8;
}

/* Modes and state */

/* Rules: IGYHBH IFZXSV INGLLQ IJDWMT */
static void test_modes(void)
{
	static const int fm[] = { AM_TRBE_FILL, AM_TRBE_WRAP, AM_RESERVED, AM_TRBE_CIRCULAR };
	static const int tm[] = { AM_TRIGGER_STOP, AM_TRIGGER_IRQ, AM_RESERVED, AM_TRIGGER_IGNORE };
	struct am_verdict mode, trigger;
	struct am_trbe trbe = { .self_hosted = true };
	unsigned int n;

	for (n = 0; n < 16; n++) {
		trbe.trblimitr = (u64)(n & 3) << 1 | (u64)(n >> 2) << 3 | ~0x1FULL;
		mode = am_trbe_mode(&trbe);
		trigger = am_trigger_mode(&trbe);
		EXPECT(mode.is == fm[n & 3], "FM %u: %d", n & 3, mode.is);
		EXPECT(trigger.is == tm[n >> 2], "TM %u: %d", n >> 2, trigger.is);
		EXPECT_EQ(mode.why, mode.is < 0 ? AM_WHY_TRBE_FM_RESERVED : AM_WHY_TRBE_FM, "FM");
		EXPECT_EQ(mode.detail, mode.is < 0 ? 2 : 0, "FM");
		EXPECT_EQ(trigger.why, trigger.is < 0 ? AM_WHY_TRBE_TM_RESERVED : AM_WHY_TRBE_TM,
			  "TM");
		EXPECT_EQ(trigger.detail, trigger.is < 0 ? 2 : 0, "TM");
	}
}

/* Rules: IVCDNP */
/* Reading: M-6 */
static void test_state(void)
{
	struct am_pe_walk walk = { .step = 0 };
	struct am_verdict state;
	struct am_trbe trbe;
	struct am_pe pe;
	u64 random = 5, r;
	unsigned int n;
	int expected;

	while (am_pe_next(&walk)) {
		for (n = 0; n < 16; n++) {
			r = am_random(&random);
			pe = walk.pe;
			pe.feat |= (r & 7 ? AM_FEAT_TRBE : 0) |
				   (r >> 3 & 3 ? AM_FEAT_TRBE_EXC : 0) |
				   (r >> 5 & 1 ? AM_FEAT_TRBE_EXT : 0);
			pe.mdcr_el3 = r >> 6 & 3ULL << 24;
			pe.mdcr_el3 |= (r >> 10 & 3) << 53;
			pe.mdcr_el2 = (r >> 12 & 1) << 25;
			trbe = (struct am_trbe){
				.self_hosted = r >> 13 & 3,
				.trblimitr = (r >> 15 & 1) | (r >> 16 & 1) << 6,
				.trfcr_el1 = r, .trfcr_el2 = (r >> 17 & 3) << 8,
				.trbsr = { 0, !(r >> 19 & 7) << 17, !(r >> 22 & 3) << 17,
					   !(r >> 24 & 3) << 17 },
			};
			expected = ps_trace_buffer_running(&pe, &trbe) ? AM_TRBE_RUNNING :
				   ps_trace_buffer_enabled(&pe, &trbe) ? AM_TRBE_STOPPED :
				   AM_TRBE_DISABLED;
			state = am_trbe_state(&pe, &trbe);
			EXPECT(state.is == expected, "state %d, expected %d", state.is, expected);
			EXPECT_EQ(state.why, expected == AM_TRBE_RUNNING ? AM_WHY_TRBE_RUNNING :
				  expected == AM_TRBE_STOPPED ? AM_WHY_TRBE_STOPPED :
				  AM_WHY_TRBE_DISABLED, "reason");
			if (expected == AM_TRBE_STOPPED)
				EXPECT_EQ(trbe.trbsr[state.detail & 3] >> 17 & 1, 1, "stopped by");
		}
	}
}

/* Rules: IKLRBB IQQKZF */
static void test_programming(void)
{
	struct am_trbe trbe = unit(FILL, IGNORE, 0x1000);
	static const struct {
		u64 base;
		u64 pointer;
		u64 limit;
		enum am_trbe_pointer is;
	} rows[] = {
		{ BASE, BASE, LIMIT, AM_TRBE_VALID },
		{ BASE, LIMIT - 64, LIMIT, AM_TRBE_VALID },
		{ BASE, LIMIT - 1, LIMIT, AM_TRBE_MISALIGNED },
		{ BASE, BASE + 1, LIMIT, AM_TRBE_MISALIGNED },
		{ BASE, BASE + 32, LIMIT, AM_TRBE_MISALIGNED },
		{ BASE, LIMIT, LIMIT, AM_TRBE_OUT_OF_RANGE },
		{ BASE, BASE - 64, LIMIT, AM_TRBE_OUT_OF_RANGE },
		{ LIMIT, BASE, BASE, AM_TRBE_OUT_OF_RANGE },
		{ BASE, BASE, BASE, AM_TRBE_OUT_OF_RANGE },
		/* bits [63:56] must be the same in all three */
		{ TAG | 0x1000, TAG | 0x1000, 2 * TAG, AM_TRBE_OUT_OF_RANGE },
		{ 0x1000, TAG | 0x1000, TAG | 0x2000, AM_TRBE_OUT_OF_RANGE },
		{ TAG | 0x1000, TAG | 0x1000, TAG | 0x2000, AM_TRBE_VALID },
	};
	struct am_verdict verdict;
	unsigned int i, align;

	trbe.trbidr = 6 | ~0xFULL;	/* 64 bytes */
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		trbe.trbbaser = rows[i].base | 0xFFF;	/* RES0 */
		trbe.trbptr = rows[i].pointer;
		trbe.trblimitr = rows[i].limit | 1;
		verdict = am_trbe_check_pointer(&trbe);
		EXPECT(verdict.is == (int)rows[i].is, "row %u: %d", i, verdict.is);
		EXPECT_EQ(verdict.why, verdict.is == AM_TRBE_VALID ? AM_WHY_TRBE_ALIGNED :
			  verdict.is == AM_TRBE_MISALIGNED ? AM_WHY_TRBE_MISALIGNED :
			  AM_WHY_TRBE_OUT_OF_RANGE, "reason");
	}
	for (align = 0; align <= 11; align++) {
		trbe.trbidr = align;
		for (i = 0; i < 33; i++) {
			trbe.trbtrg = i < 32 ? 1U << i : 0;
			verdict = am_trbe_check_counter(&trbe);
			EXPECT_EQ(verdict.is, i < align ? AM_TRBE_MISALIGNED : AM_TRBE_VALID,
				  "counter");
			EXPECT_EQ(verdict.why, i < align ? AM_WHY_TRBE_MISALIGNED :
				  AM_WHY_TRBE_ALIGNED, "reason");
		}
	}
	/*
	 * While the unit is enabled, writes may be ignored: by E in Self-hosted mode, by XE in
	 * External mode
	 */
	for (i = 0; i < 8; i++) {
		trbe.self_hosted = i & 1;
		trbe.trblimitr = (i & 2 ? TRBLIMITR_E : 0) | (i & 4 ? TRBLIMITR_XE : 0);
		verdict = am_trbe_writable(&trbe);
		EXPECT_EQ(verdict.is, i & 1 ? !(i & 2) : !(i & 4), "writable");
		EXPECT_EQ(verdict.why, verdict.is ? AM_WHY_TRBE_DISABLED : AM_WHY_TRBE_ENABLED,
			  "reason");
	}
}

/* Against the pseudocode */

/*
 * Every register state that matters to a byte of trace or a Detected Trigger. Bits of @n: FM, TM,
 * TRG, IRQ, WRAP, S, enabled, last byte, recorded in (2), counter (2).
 */
#define STATES	(1 << 14)

static bool state_of(unsigned int n, struct am_pe *pe, struct am_trbe *trbe)
{
	static const u32 counters[] = { 0, 1, 2, 64 };
	unsigned int el = n >> 10 & 3;

	if (!el)
		return false;
	*pe = plain_pe;
	*trbe = unit(n & 3, n >> 2 & 3, n >> 9 & 1 ? 1 : 0x800);
	record_in(pe, trbe, el);
	/* Syndrome fields have junk, to show that an event leaves them unchanged */
	trbe->trbsr[1] = 0x0055AA0048000155;
	trbe->trbsr[2] = 0x0000000000000011;
	trbe->trbsr[3] = 0x00AA55009400002A;
	trbe->trbsr[el] &= ~(TRBSR_TRG | TRBSR_IRQ | TRBSR_WRAP | TRBSR_S);
	trbe->trbsr[el] |= (n >> 4 & 1 ? TRBSR_TRG : 0) | (n >> 5 & 1 ? TRBSR_IRQ : 0) |
			   (n >> 6 & 1 ? TRBSR_WRAP : 0) | (n >> 7 & 1 ? TRBSR_S : 0);
	if (!(n >> 8 & 1))
		trbe->trblimitr &= ~TRBLIMITR_E;
	trbe->trbtrg = counters[n >> 12 & 3];
	return true;
}

/* In the pseudocode a trace unit flush completes at once: do the same */
static void flush_at_once(const struct am_pe *pe, struct am_trbe *trbe,
			  struct am_trbe_effect *effect)
{
	struct am_trbe_effect done;

	if (!effect->flush)
		return;
	EXPECT_EQ(trbe->flush.pending, true, "flush");
	done = am_trbe_flush_done(pe, trbe);
	effect->event |= done.event;
	effect->stopped |= done.stopped;
	EXPECT_EQ(trbe->flush.pending, false, "flush");
}

/* The effect that the model returns must be what has changed in the registers */
static void expect_told(const struct am_trbe *before, const struct am_trbe *after,
			const struct am_trbe_effect *effect)
{
	bool irq = false, s = false, changed = false, wrap = false;
	unsigned int el;

	for (el = 1; el <= 3; el++) {
		irq |= !!(after->trbsr[el] & ~before->trbsr[el] & TRBSR_IRQ);
		s |= !!(after->trbsr[el] & ~before->trbsr[el] & TRBSR_S);
		wrap |= !!(after->trbsr[el] & ~before->trbsr[el] & TRBSR_WRAP);
		if (after->trbsr[el] != before->trbsr[el])
			EXPECT(effect->recorded == el || effect->flush, "recorded in TRBSR_EL%u",
			       el);
		changed |= after->trbsr[el] != before->trbsr[el];
	}
	EXPECT(!irq || effect->event, "TRBSR_ELx.IRQ was set");
	EXPECT(s == effect->stopped, "TRBSR_ELx.S");
	EXPECT(!wrap || effect->trb_wrap, "TRBSR_ELx.WRAP was set");
	EXPECT(!changed || effect->recorded || effect->flush, "nothing said to be recorded");
}

/* Rules: RMBSHC RVBDJZ RGDSTS RBQTGW RDHLQG RXRRWP S1-a RLMQHK IVCDNP RHLKSG */
/* Reading: M-7 M-9 F3-3 F1-20 */
static void test_collect(void)
{
	unsigned long both = 0, irq_differs = 0;
	struct am_trbe before, model, pseudo;
	struct am_trbe_effect effect;
	struct am_pe pe;
	unsigned int n, fm;
	bool running, wraps, triggers;

	for (n = 0; n < STATES; n++) {
		if (!state_of(n, &pe, &before))
			continue;
		model = before;
		pseudo = before;
		running = ps_trace_buffer_running(&pe, &before);
		wraps = running && before.trbptr + 1 == LIMIT;
		triggers = running && (n >> 4 & 1) && before.trbtrg == 1;
		fm = n & 3;

		effect = am_trbe_collect(&pe, &model, 7);
		EXPECT_EQ(effect.verdict.is, running ? AM_TRBE_WRITTEN : AM_TRBE_DISCARDED, "byte");
		EXPECT_EQ(effect.trb_wrap, wraps, "TRB_WRAP");
		EXPECT_EQ(effect.trb_trig, triggers, "TRB_TRIG");
		EXPECT_EQ(effect.trigger_op, triggers ? 7 : 0, "operation of the Trigger Event");
		EXPECT_EQ(effect.flush, triggers && (n >> 2 & 3) != IGNORE, "flush");
		EXPECT_EQ(effect.serror, false, "SError");
		flush_at_once(&pe, &model, &effect);
		expect_told(&before, &model, &effect);
		EXPECT_EQ(ps_collect_trace(&pe, &pseudo), running, "pseudocode");

		if (wraps && triggers && fm == FILL && (n >> 2 & 3) == STOP) {
			/* M-9: the buffer full event comes first, because the flush ends later */
			EXPECT_EQ(model.trbsr[n >> 10 & 3] & 0x3F, TRBSR_BSC_FILLED, "BSC");
			EXPECT_EQ(pseudo.trbsr[n >> 10 & 3] & 0x3F, TRBSR_BSC_TRIGGER, "BSC");
			both++;
			continue;
		}
		EXPECT(same_registers(&model, &pseudo), "state %#x", n);
	}
	EXPECT_EQ(both, 3 * 4, "wraps and triggers at once");

	/* F3-3: in the prose IRQ is set whatever S is; the pseudocode may be read differently */
	for (n = 0; n < 2; n++) {
		model = unit(FILL, STOP, 1);
		model.trbsr[1] = n ? TRBSR_S : 0;
		pseudo = model;
		effect = am_trbe_other_event(&plain_pe, &model, 2);
		ps_other_management_event(&plain_pe, &pseudo, 2);
		EXPECT_EQ(effect.event, true, "event");
		EXPECT_EQ(effect.stopped, !n, "stopped");
		EXPECT_EQ(!!(model.trbsr[1] & TRBSR_IRQ), true, "IRQ");
		EXPECT_EQ(model.trbsr[1] & 0x3F, n ? 0 : 2, "BSC");
		irq_differs += model.trbsr[1] != pseudo.trbsr[1];
	}
	EXPECT_EQ(irq_differs, 1, "reading F3-3");
	model = unit(FILL, STOP, 1);
	EXPECT_EQ(am_trbe_other_event(&plain_pe, &model, 5).verdict.why, AM_WHY_TRBE_BSC_RESERVED,
		  "BSC 5");
	EXPECT_EQ(am_trbe_other_event(&plain_pe, &model, 5).verdict.is, AM_RESERVED, "BSC 5");
	EXPECT_EQ(am_trbe_other_event(&plain_pe, &model, 4).recorded, 1, "BSC 4");
}

/* Rules: RKSQJW RDHLQG IZGFSK RXRRWP S1-a RLMQHK RMWWHM */
/* Reading: M-8 F1-20 */
static void test_detected_trigger(void)
{
	struct am_trbe before, model, pseudo;
	struct am_trbe_effect effect;
	unsigned long stopped = 0;
	struct am_pe pe;
	unsigned int n, el;
	bool running, enabled, fresh;

	for (n = 0; n < STATES; n++) {
		if (!state_of(n, &pe, &before))
			continue;
		el = n >> 10 & 3;
		model = before;
		pseudo = before;
		running = ps_trace_buffer_running(&pe, &before);
		enabled = ps_trace_buffer_enabled(&pe, &before);
		fresh = enabled && !(before.trbsr[el] & TRBSR_TRG);

		effect = am_trbe_detected_trigger(&pe, &model, 9, 0);
		EXPECT_EQ(effect.verdict.is, fresh, "TRG set");
		EXPECT_EQ(effect.verdict.why, !enabled ? AM_WHY_TRBE_DISABLED :
			  fresh ? am_trbe_record(&pe, &before, AM_TRBE_OTHER).why :
			  AM_WHY_TRBE_TRIGGERED, "reason");
		EXPECT_EQ(effect.verdict.detail, enabled ? el : 0, "TRBSR_ELx");
		EXPECT_EQ(effect.trb_trig, fresh && !before.trbtrg, "TRB_TRIG");
		EXPECT_EQ(effect.trigger_op, fresh && !before.trbtrg ? 9 : 0, "operation");
		EXPECT_EQ(effect.flush,
			  fresh && !before.trbtrg && running && (n >> 2 & 3) != IGNORE, "flush");
		flush_at_once(&pe, &model, &effect);
		expect_told(&before, &model, &effect);

		if (enabled && !running) {
			/*
			 * M-8: TRG is set while the unit is enabled, even if stopped; nothing else
			 * changes
			 */
			before.trbsr[el] |= TRBSR_TRG;
			EXPECT(same_registers(&model, &before), "stopped, state %#x", n);
			stopped++;
			continue;
		}
		ps_detected_trace_trigger(&pe, &pseudo);
		EXPECT(same_registers(&model, &pseudo), "state %#x", n);
	}
	EXPECT(stopped, "reading M-8 makes no difference");
}

/* Rules by example */

/* Rules: RMBSHC RVBDJZ RGDSTS IVCDNP INFZKS IHJFLC */
static void test_wrap(void)
{
	static const unsigned int modes[] = { FILL, WRAP, CIRC };
	struct am_trbe_effect effect;
	struct am_trbe trbe;
	unsigned int i, bytes, wraps;

	for (i = 0; i < ARRAY_LEN(modes); i++) {
		trbe = unit(modes[i], IGNORE, 0x2000);
		wraps = 0;
		for (bytes = 0; bytes < 3 * 0x2000; bytes++)
			wraps += am_trbe_collect(&plain_pe, &trbe, bytes + 1).trb_wrap;
		/*
		 * There is a TRB_WRAP event for each wrap of the pointer; Fill mode stops at the
		 * first
		 */
		EXPECT_EQ(wraps, modes[i] == FILL ? 1 : 3, "TRB_WRAP events");
		EXPECT_EQ(trbe.trbptr, BASE, "pointer");
		EXPECT_EQ(!!(trbe.trbsr[1] & TRBSR_WRAP), true, "WRAP");
		EXPECT_EQ(!!(trbe.trbsr[1] & TRBSR_IRQ), modes[i] != CIRC, "IRQ");
		EXPECT_EQ(!!(trbe.trbsr[1] & TRBSR_S), modes[i] == FILL, "S");
		EXPECT_EQ(trbe.trbsr[1] & 0x3F, modes[i] == FILL ? TRBSR_BSC_FILLED : 0, "BSC");
		effect = am_trbe_collect(&plain_pe, &trbe, 1);
		EXPECT_EQ(effect.verdict.why, modes[i] == FILL ? AM_WHY_TRBE_STOPPED :
			  AM_WHY_TRBE_RUNNING, "next byte");
		EXPECT_EQ(effect.verdict.detail, modes[i] == FILL, "stopped by TRBSR_EL1");
		EXPECT_EQ(trbe.trbptr, modes[i] == FILL ? BASE : BASE + 1, "next byte");
	}
	/* The pointer is outside the buffer: UNPREDICTABLE, and the model changes nothing */
	trbe = unit(FILL, IGNORE, 0x2001);
	effect = am_trbe_collect(&plain_pe, &trbe, 1);
	EXPECT_EQ(effect.verdict.is, AM_TRBE_UNPREDICTABLE, "out of range");
	EXPECT_EQ(effect.verdict.why, AM_WHY_TRBE_OUT_OF_RANGE, "out of range");
	EXPECT_EQ(trbe.trbptr, BASE - 1, "out of range");
}

/* Rules: IHHLBM RBQTGW IYRQCN RXRRWP */
static void test_trigger_counter(void)
{
	struct am_trbe_effect effect;
	unsigned int n, after;
	struct am_trbe trbe;

	EXPECT(am_ete_is_trigger(1) && am_ete_is_trigger(0xFF), "event 0");
	EXPECT(!am_ete_is_trigger(0) && !am_ete_is_trigger(0xFE), "not event 0");

	/* Counter zero keeps the trace before the trigger; half the buffer, as much after it */
	for (after = 0; after <= 0x1000; after += 0x1000) {
		trbe = unit(CIRC, STOP, 0x2000);
		trbe.trbtrg = after;
		for (n = 0; n < 0x3000; n++)
			am_trbe_collect(&plain_pe, &trbe, 1);
		EXPECT_EQ(trbe.trbtrg, after, "no Detected Trigger, no count");
		effect = am_trbe_detected_trigger(&plain_pe, &trbe, 2, 0);
		EXPECT_EQ(effect.trb_trig, !after, "Trigger Event");
		for (n = 0; n < after; n++)
			effect = am_trbe_collect(&plain_pe, &trbe, 3);
		EXPECT_EQ(effect.trb_trig, true, "Trigger Event");
		EXPECT_EQ(effect.flush, true, "flush");
		effect = am_trbe_flush_done(&plain_pe, &trbe);
		EXPECT_EQ(effect.stopped, true, "stopped");
		EXPECT_EQ(trbe.trbsr[1] & 0x3F, TRBSR_BSC_TRIGGER, "BSC");
		EXPECT_EQ(trbe.trbptr, BASE + (0x1000 + after) % 0x2000, "pointer");
		EXPECT_EQ(am_trbe_collect(&plain_pe, &trbe, 4).verdict.is, AM_TRBE_DISCARDED,
			  "end");
	}
}

/* Rules: RQFGNQ IQQKZF RDHLQG */
static void test_internal_buffer(void)
{
	struct am_trbe_effect effect;
	struct am_trbe trbe;

	/* 64 bytes a write: a Detected Trigger may subtract up to 64 more from the counter */
	trbe = unit(CIRC, INTR, 0x2000);
	trbe.trbidr = 6;
	trbe.trbtrg = 128;
	effect = am_trbe_detected_trigger(&plain_pe, &trbe, 1, 64);
	EXPECT_EQ(trbe.trbtrg, 64, "counter");
	EXPECT_EQ(effect.trb_trig, false, "Trigger Event");

	/* More than that is not permitted, and changes nothing */
	trbe.trbsr[1] = 0;
	effect = am_trbe_detected_trigger(&plain_pe, &trbe, 1, 65);
	EXPECT_EQ(effect.verdict.is, AM_RESERVED, "65 bytes");
	EXPECT_EQ(effect.verdict.why, AM_WHY_TRBE_DRAINED, "65 bytes");
	EXPECT_EQ(trbe.trbtrg, 64, "65 bytes");
	EXPECT_EQ(trbe.trbsr[1], 0, "65 bytes");

	/* Down to zero, or past it: a Trigger Event */
	effect = am_trbe_detected_trigger(&plain_pe, &trbe, 1, 64);
	EXPECT_EQ(effect.trb_trig, true, "Trigger Event");
	trbe = unit(CIRC, INTR, 0x2000);
	trbe.trbidr = 6;
	trbe.trbtrg = 32;
	effect = am_trbe_detected_trigger(&plain_pe, &trbe, 1, 64);
	EXPECT_EQ(effect.trb_trig, true, "Trigger Event");
	EXPECT_EQ(trbe.trbtrg, 0, "counter");

	/* Only the trigger that sets TRG subtracts, and only if the counter is not zero */
	trbe.trbtrg = 32;
	effect = am_trbe_detected_trigger(&plain_pe, &trbe, 1, 64);
	EXPECT_EQ(trbe.trbtrg, 32, "TRG was 1");
	EXPECT_EQ(effect.trb_trig, false, "TRG was 1");
}

/* Rules: RRWJNN RMLZZW RXYPYF IGPHHS IMCGFL */
static void test_trigger_operation(void)
{
	struct am_trbe_effect effect;
	struct am_trbe trbe;

	/* Counter zero: the operation of the Detected Trigger is held, if it has one */
	trbe = unit(CIRC, STOP, 0x2000);
	effect = am_trbe_detected_trigger(&plain_pe, &trbe, 42, 0);
	EXPECT_EQ(effect.trigger_op, 42, "operation");
	EXPECT_EQ(am_trbe_op_may_finish(&trbe, 42), false, "before the flush is complete");
	EXPECT_EQ(am_trbe_op_may_finish(&trbe, 41), true, "another operation");
	/* The trace of the operation itself is accepted before the flush completes */
	EXPECT_EQ(am_trbe_collect(&plain_pe, &trbe, 42).verdict.is, AM_TRBE_WRITTEN, "its trace");
	am_trbe_flush_done(&plain_pe, &trbe);
	EXPECT_EQ(am_trbe_op_may_finish(&trbe, 42), true, "after it");
	EXPECT_EQ(trbe.trbptr, BASE + 1, "pointer behind the last byte");

	trbe = unit(CIRC, STOP, 0x2000);
	effect = am_trbe_detected_trigger(&plain_pe, &trbe, 0, 0);
	EXPECT_EQ(effect.trb_trig, true, "asynchronous trigger");
	EXPECT_EQ(effect.trigger_op, 0, "no operation");

	/* Counting down: the operation is that of the byte that made the counter zero */
	trbe = unit(CIRC, STOP, 0x2000);
	trbe.trbtrg = 2;
	am_trbe_detected_trigger(&plain_pe, &trbe, 42, 0);
	am_trbe_collect(&plain_pe, &trbe, 43);
	effect = am_trbe_collect(&plain_pe, &trbe, 44);
	EXPECT_EQ(effect.trigger_op, 44, "operation");

	/* No flush can end before one begins */
	trbe = unit(CIRC, STOP, 0x2000);
	effect = am_trbe_flush_done(&plain_pe, &trbe);
	EXPECT_EQ(effect.verdict.is, AM_RESERVED, "no flush");
	EXPECT_EQ(effect.verdict.why, AM_WHY_TRBE_NO_FLUSH, "no flush");
	EXPECT_EQ(effect.event, false, "no flush");
}

/* Rules: IJLZDN IVPLRF INZYNN RXRRWP */
static void test_flush_window(void)
{
	struct am_trbe_fault fault = { .type = AM_FAULT_TRANSLATION, .level = 3, .stage2 = true };
	struct am_trbe_effect effect;
	struct am_pe pe = plain_pe;
	struct am_trbe trbe;
	unsigned int n;

	/* In the window before the flush ends, more trace is written and kept */
	trbe = unit(FILL, STOP, 3);
	am_trbe_detected_trigger(&pe, &trbe, 1, 0);
	EXPECT_EQ(am_trbe_collect(&pe, &trbe, 1).verdict.is, AM_TRBE_WRITTEN, "in the window");
	/* It may fill the buffer: then that event is recorded instead of the Trigger Event */
	am_trbe_collect(&pe, &trbe, 1);
	effect = am_trbe_collect(&pe, &trbe, 1);
	EXPECT_EQ(effect.stopped, true, "filled");
	effect = am_trbe_flush_done(&pe, &trbe);
	EXPECT_EQ(effect.event, true, "event");
	EXPECT_EQ(effect.stopped, false, "already stopped");
	EXPECT_EQ(trbe.trbsr[1] & 0x3F, TRBSR_BSC_FILLED, "BSC");

	/* An event in another TRBSR_ELx does not prevent the Trigger Event from being recorded */
	trbe = unit(FILL, STOP, 3);
	trbe.trfcr_el2 = 2ULL << 8;
	am_trbe_detected_trigger(&pe, &trbe, 1, 0);
	fault.address = trbe.trbptr;
	effect = am_trbe_fault(&pe, &trbe, &fault);
	EXPECT_EQ(effect.recorded, 2, "fault");
	effect = am_trbe_flush_done(&pe, &trbe);
	EXPECT_EQ(effect.recorded, 1, "Trigger Event");
	EXPECT_EQ(effect.stopped, true, "Trigger Event");
	EXPECT_EQ(trbe.trbsr[1] & 0x3F, TRBSR_BSC_TRIGGER, "BSC");
	EXPECT_EQ(trbe.trbsr[2] & 0x3F, 7, "FSC");

	/* IRQ on trigger: an interrupt, and collection continues */
	trbe = unit(CIRC, INTR, 0x2000);
	am_trbe_detected_trigger(&pe, &trbe, 1, 0);
	effect = am_trbe_flush_done(&pe, &trbe);
	EXPECT_EQ(effect.event, true, "IRQ on trigger");
	EXPECT_EQ(effect.stopped, false, "IRQ on trigger");
	EXPECT_EQ(trbe.trbsr[1], TRBSR_TRG | TRBSR_IRQ, "IRQ on trigger");
	for (n = 0; n < 10; n++)
		EXPECT_EQ(am_trbe_collect(&pe, &trbe, 2).verdict.is, AM_TRBE_WRITTEN, "goes on");
}

/* Rules: RXRRWP S1-a RLMQHK */
/* Reading: M-20 */
static void test_trigger_mode_changes(void)
{
	static const u8 modes[] = { STOP, INTR, IGNORE };
	struct am_trbe_effect effect;
	unsigned int before, after;
	struct am_trbe trbe;

	/* Software writes TRBLIMITR_EL1.TM while the flush of a Trigger Event is under way */
	for (before = 0; before < ARRAY_LEN(modes); before++)
		for (after = 0; after < ARRAY_LEN(modes); after++) {
			trbe = unit(CIRC, modes[before], 0x2000);
			effect = am_trbe_detected_trigger(&plain_pe, &trbe, 1, 0);
			EXPECT_EQ(effect.flush, modes[before] != IGNORE, "flush");
			if (!effect.flush)
				continue;
			trbe.trblimitr &= ~TRBLIMITR_TM;
			trbe.trblimitr |= modes[after] << 3;
			effect = am_trbe_flush_done(&plain_pe, &trbe);
			EXPECT_EQ(effect.event, true, "event");
			EXPECT_EQ(effect.stopped, modes[before] == STOP, "stopped");
			EXPECT_EQ(trbe.trbsr[1] & 0x3F, modes[before] == STOP ? 2 : 0, "BSC");
		}
}

/* K10.5.11, which IJSQPH and ISJWBD refer to: an interrupt at a watermark, while trace continues */
static void test_watermark(void)
{
	struct am_trbe_effect effect;
	struct am_trbe trbe;
	unsigned int n;

	/* Wrap mode: start where the watermark is the rest of the buffer */
	trbe = unit(WRAP, IGNORE, 0x800);
	for (n = 1; n < 0x800; n++)
		EXPECT_EQ(am_trbe_collect(&plain_pe, &trbe, 1).event, false, "before it");
	effect = am_trbe_collect(&plain_pe, &trbe, 1);
	EXPECT_EQ(effect.event && effect.trb_wrap, true, "at the watermark");
	EXPECT_EQ(am_trbe_collect(&plain_pe, &trbe, 1).verdict.is, AM_TRBE_WRITTEN, "goes on");

	/* Fill mode: the counter is the watermark, and software sets TRG */
	trbe = unit(FILL, INTR, 0x2000);
	trbe.trbtrg = 0x800;
	trbe.trbsr[1] = TRBSR_TRG;
	for (n = 1; n < 0x800; n++)
		EXPECT_EQ(am_trbe_collect(&plain_pe, &trbe, 1).trb_trig, false, "before it");
	effect = am_trbe_collect(&plain_pe, &trbe, 1);
	EXPECT_EQ(effect.trb_trig && effect.flush, true, "at the watermark");
	EXPECT_EQ(am_trbe_flush_done(&plain_pe, &trbe).event, true, "at the watermark");
	EXPECT_EQ(am_trbe_collect(&plain_pe, &trbe, 1).verdict.is, AM_TRBE_WRITTEN, "goes on");
	for (n = 0; n < 0x2000; n++)
		effect = am_trbe_collect(&plain_pe, &trbe, 1);
	EXPECT_EQ(trbe.trbsr[1] & 0x3F, TRBSR_BSC_FILLED, "and fills the buffer");
}

/* Faults */

static const char *const fault_names[] = {
	[AM_FAULT_ADDRESS_SIZE] = "Address size",
	[AM_FAULT_TRANSLATION] = "Translation",
	[AM_FAULT_ACCESS_FLAG] = "Access flag",
	[AM_FAULT_PERMISSION] = "Permission",
	[AM_FAULT_EXTERNAL] = "Synchronous External",
	[AM_FAULT_ASYNC_EXTERNAL] = "Asynchronous External",
	[AM_FAULT_EXTERNAL_WALK] = "Synchronous External, walk",
	[AM_FAULT_PARITY_WALK] = "Synchronous parity, walk",
	[AM_FAULT_ALIGNMENT] = "Alignment",
	[AM_FAULT_GPF_WALK] = "Granule Protection, walk",
	[AM_FAULT_GPF] = "Granule Protection",
	[AM_FAULT_TLB_CONFLICT] = "TLB conflict",
	[AM_FAULT_ATOMIC_UPDATE] = "Unsupported atomic update",
};

static const char *fsc_model(unsigned int fsc, unsigned int result)
{
	static const char *const levels[] = { "-2", "-1", "0", "1", "2", "3" };
	struct am_verdict fault = am_fault_of_fsc(fsc);

	if (fault.is < 0)
		return "reserved";
	if (!result)
		return fault_names[fault.is];
	/* A type without a level accepts any level */
	if (am_fault_fsc(fault.is, 9).is >= 0)
		return "-";
	return levels[fault.detail];
}

/* Rules: RQKLXR */
static void test_fsc(void)
{
	const struct am_table table = {
		.text = table_trbsr_fsc,
		.inputs = (const struct am_table_input[]){ { "FSC", 6 }, { NULL, 0 } },
		.results = (const char *const[]){ "Fault", "Level", NULL },
		.model = fsc_model,
	};
	struct am_verdict fault, fsc;
	unsigned int value, type, reserved, named = 0;
	int level;

	reserved = am_table_expand(&table);
	for (value = 0; value < 256; value++) {
		fault = am_fault_of_fsc(value);
		if (fault.is < 0) {
			reserved -= value < 64;
			EXPECT_EQ(fault.why, AM_WHY_TRBE_FSC_RESERVED, "reason");
			EXPECT_EQ(fault.detail, value, "reason");
			continue;
		}
		named++;
		EXPECT_EQ(fault.why, AM_WHY_TRBE_FSC, "reason");
		if (am_fault_fsc(fault.is, 9).is >= 0)
			EXPECT_EQ(fault.detail, 0, "level of a type without");
		/* and back from the fault to the FSC */
		fsc = am_fault_fsc(fault.is, (int)fault.detail - 2);
		EXPECT_EQ(fsc.is, value, "FSC of the fault that an FSC names");
		EXPECT_EQ(fsc.why, AM_WHY_TRBE_FSC, "reason");
	}
	EXPECT_EQ(reserved, 0, "reserved values beside those without a row");
	EXPECT_EQ(named, 39, "values that name a fault");

	/* Levels that do not exist for a type, and a type without an FSC */
	for (type = AM_FAULT_ADDRESS_SIZE; type <= AM_FAULT_GPC + 1; type++)
		for (level = -4; level < 6; level++) {
			fsc = am_fault_fsc(type, level);
			named -= fsc.is >= 0 && level >= -2 && level <= 3 &&
				 am_fault_fsc(type, 9).is < 0;
			if (fsc.is < 0)
				EXPECT_EQ(fsc.why, AM_WHY_TRBE_FSC_RESERVED, "reason");
			if (level < -2 || level > 3)
				EXPECT_EQ(fsc.is >= 0, am_fault_fsc(type, 9).is >= 0, "level");
		}
	EXPECT_EQ(named, 6, "types without a level");
}

/* Rules: RYQMQK */
static void test_mmu_faults(void)
{
	unsigned int type;

	for (type = AM_FAULT_ADDRESS_SIZE; type <= AM_FAULT_GPC; type++)
		EXPECT_EQ(am_fault_is_mmu(type), type != AM_FAULT_ALIGNMENT &&
			  type != AM_FAULT_EXTERNAL && type != AM_FAULT_ASYNC_EXTERNAL,
			  "MMU fault");
}

static const struct am_pe *const fault_pes[] = {
	&(const struct am_pe){ .feat = AM_FEAT_AA64 | AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_RME |
				       AM_FEAT_SEL2 | AM_FEAT_RAS | AM_FEAT_NV | AM_FEAT_TRBE |
				       AM_FEAT_TRBE_EXT | AM_FEAT_TRBE_EXC | AM_FEAT_V9P3,
			       .scr_el3 = SCR_EL3_NS, .mdcr_el3 = 3ULL << 24 | 1ULL << 53,
			       .mdcr_el2 = 2ULL << 24, .el = 1 },
	&(const struct am_pe){ .feat = AM_FEAT_AA64 | AM_FEAT_EL2 | AM_FEAT_TRBE |
				       AM_FEAT_TRBE_EXT,
			       .mdcr_el2 = 2ULL << 24, .el = 1 },
	&(const struct am_pe){ .feat = AM_FEAT_AA64 | AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_TRBE |
				       AM_FEAT_TRBE_EXT | AM_FEAT_TRBE_EXC | AM_FEAT_V9P3,
			       .scr_el3 = SCR_EL3_NS | SCR_EL3_EA,
			       .mdcr_el3 = 3ULL << 24 | 2ULL << 53, .mdcr_el2 = 2ULL << 24,
			       .el = 1 },
};

/* The fault with combination @n of level and flags */
static void expect_fault(const struct am_pe *pe, bool self_hosted, enum am_fault type,
			 unsigned int n)
{
	struct am_trbe before, model, pseudo;
	struct am_trbe_effect effect;
	struct am_trbe_fault fault;
	enum am_trbe_class class;
	unsigned int ec, mss2;
	bool gpc, possible;
	int level, fsc;

	level = (int)(n % 6) - 2;
	fault = (struct am_trbe_fault){
		.type = type, .level = level, .address = LIMIT - 0x123,
		.stage2 = n / 6 & 1, .top_level = n / 6 & 2,
		.assured_only = n / 6 & 4, .overlay = n / 6 & 8,
		.dirty_bit = n / 6 & 16, .set_ea = n / 6 & 32,
	};
	before = unit(FILL, STOP, 0x1000);
	before.self_hosted = self_hosted;
	before.trblimitr |= TRBLIMITR_XE;
	before.trfcr_el2 = 2ULL << 8;
	before.trbsr[1] = 0x0055AA0000000140 | TRBSR_TRG | (n / 6 & 64 ? TRBSR_S : 0);
	model = before;
	pseudo = before;
	effect = am_trbe_fault(pe, &model, &fault);

	gpc = type == AM_FAULT_GPC || type == AM_FAULT_GPF || type == AM_FAULT_GPF_WALK;
	fsc = type == AM_FAULT_GPC ? 0 : am_fault_fsc(type, level).is;
	possible = fsc >= 0 && type != AM_FAULT_EXTERNAL && type != AM_FAULT_ASYNC_EXTERNAL &&
		   (!gpc || am_has(pe, AM_FEAT_RME)) &&
		   (self_hosted || type == AM_FAULT_GPC || type == AM_FAULT_GPF ||
		    type == AM_FAULT_ALIGNMENT);
	if (!possible) {
		EXPECT_EQ(effect.verdict.is, AM_RESERVED, "impossible");
		EXPECT(same_registers(&model, &before), "impossible");
		return;
	}

	/* A GPF that is not on a walk is a stage 1 abort in any case */
	ec = type == AM_FAULT_GPC ? 0x1E : type == AM_FAULT_GPF || !fault.stage2 ? 0x24 : 0x25;
	mss2 = 0;
	if (type == AM_FAULT_PERMISSION) {
		/* TopLevel and AssuredOnly: only for stage 2 */
		mss2 |= fault.stage2 && fault.top_level ? 1 << 8 : 0;
		mss2 |= fault.stage2 && fault.assured_only ? 1 << 7 : 0;
		mss2 |= fault.overlay ? 1 << 6 : 0;
		mss2 |= fault.dirty_bit ? 1 << 5 : 0;
	}
	ps_debug_write_fault(pe, &pseudo, ec, fsc, mss2);
	if (!same_registers(&pseudo, &before)) {
		pseudo.trbptr = fault.address;
		if (fault.set_ea && !am_has(pe, AM_FEAT_V9P3) &&
		    (type == AM_FAULT_EXTERNAL_WALK || type == AM_FAULT_PARITY_WALK))
			pseudo.trbsr[effect.recorded & 3] |= TRBSR_EA;
	}
	EXPECT(same_registers(&model, &pseudo), "fault %u, level %d, %u", type, level, n);
	expect_told(&before, &model, &effect);
	EXPECT_EQ(effect.serror || effect.trb_wrap || effect.trb_trig || effect.flush, false,
		  "anything else");
	class = am_trbe_class(pe, ec, fsc).is;
	EXPECT_EQ(effect.verdict.why, effect.verdict.is ? am_trbe_record(pe, &before, class).why :
		  AM_WHY_TRBE_STOPPED, "reason");
}

/*
 * Rules: RFSPBK RQKLXR RYQMQK RLYHGV RYCPZX IZNPQG IGVGPB RFYBCG IDTKGB INFZKS
 */
/* Reading: M-7 */
static void test_faults(void)
{
	unsigned int n, p, type;

	for (p = 0; p < 2 * ARRAY_LEN(fault_pes); p++)
		for (type = AM_FAULT_ADDRESS_SIZE; type <= AM_FAULT_GPC; type++)
			for (n = 0; n < 6 * 128; n++)
				expect_fault(fault_pes[p / 2], p & 1, type, n);
}

/* Rules: RQKLXR RYQMQK */
static void test_impossible_faults(void)
{
	struct am_trbe_fault fault = { .type = AM_FAULT_EXTERNAL };
	struct am_pe pe = plain_pe;
	struct am_trbe trbe = unit(FILL, STOP, 0x1000);

	EXPECT_EQ(am_trbe_fault(&pe, &trbe, &fault).verdict.why, AM_WHY_TRBE_NO_FAULT, "reason");
	fault.type = AM_FAULT_ASYNC_EXTERNAL;
	EXPECT_EQ(am_trbe_fault(&pe, &trbe, &fault).verdict.why, AM_WHY_TRBE_NO_FAULT, "reason");
	fault.type = AM_FAULT_PERMISSION;
	fault.level = 4;
	EXPECT_EQ(am_trbe_fault(&pe, &trbe, &fault).verdict.why, AM_WHY_TRBE_FSC_RESERVED,
		  "reason");
	fault.level = 1;
	trbe.self_hosted = false;
	EXPECT_EQ(am_trbe_fault(&pe, &trbe, &fault).verdict.why, AM_WHY_TRBE_EXTERNAL_MODE,
		  "reason");
	pe.feat &= ~AM_FEAT_RME;
	fault.type = AM_FAULT_GPF;
	EXPECT_EQ(am_trbe_fault(&pe, &trbe, &fault).verdict.why, AM_WHY_TRBE_NO_RME, "reason");
	/* It is not defined which TRBSR_ELx records it: nothing is recorded */
	trbe = unit(FILL, STOP, 0x1000);
	trbe.trfcr_el2 = 2ULL << 8;
	pe.mdcr_el2 = 1ULL << 24;
	fault.type = AM_FAULT_PERMISSION;
	EXPECT_EQ(am_trbe_fault(&pe, &trbe, &fault).verdict.why, AM_WHY_TRBE_E2TB_RESERVED,
		  "reason");
	EXPECT_EQ(am_trbe_fault(&pe, &trbe, &fault).verdict.is, AM_RESERVED, "nobody's");
	EXPECT_EQ(trbe.trbptr, LIMIT - 0x1000, "TRBPTR_EL1");
	EXPECT_EQ(trbe.trbsr[1] | trbe.trbsr[2] | trbe.trbsr[3], 0, "TRBSR_ELx");
}

/* Rules: RFSPBK RHLKSG INFZKS */
static void test_disabled(void)
{
	static const struct am_trbe_fault fault = { .type = AM_FAULT_ALIGNMENT, .address = BASE };
	static const struct am_trbe_abort abort = { .address = BASE };
	struct am_trbe before = unit(FILL, STOP, 0x1000), trbe;
	struct am_trbe_effect effect[3];
	struct am_pe pe = plain_pe;
	unsigned int i, external;

	pe.feat &= ~AM_FEAT_V9P3;
	pe.feat |= AM_FEAT_TRBE_EXT;
	/* Disabled in Self-hosted mode, and in External mode, which has an enable of its own */
	for (external = 0; external < 2; external++) {
		before.self_hosted = !external;
		before.trblimitr = LIMIT | (external ? TRBLIMITR_E : TRBLIMITR_XE);
		trbe = before;
		effect[0] = am_trbe_fault(&pe, &trbe, &fault);
		effect[1] = am_trbe_other_event(&pe, &trbe, TRBSR_BSC_FILLED);
		effect[2] = am_trbe_external_abort(&pe, &trbe, &abort, AM_ABORT_SYNC);
		for (i = 0; i < ARRAY_LEN(effect); i++) {
			EXPECT_EQ(effect[i].verdict.is, false, "recorded while disabled");
			EXPECT_EQ(effect[i].verdict.why, AM_WHY_TRBE_DISABLED, "reason");
			EXPECT_EQ(effect[i].event || effect[i].stopped, false, "event");
		}
		EXPECT(same_registers(&trbe, &before), "registers of a disabled unit");
		/* An abort of a write from before the unit was disabled may still be reported */
		effect[0] = am_trbe_external_abort(&pe, &trbe, &abort, AM_ABORT_ASYNC);
		EXPECT_EQ(effect[0].verdict.is, true, "asynchronous abort");
		trbe = before;
		trbe.trblimitr |= TRBLIMITR_E | TRBLIMITR_XE;
		EXPECT_EQ(am_trbe_fault(&pe, &trbe, &fault).event, true, "enabled");
	}
}

/* External aborts */

/* The External abort with combination @n of level and flags */
static void expect_external_abort(const struct am_pe *pe, enum am_abort_policy policy,
				  unsigned int n)
{
	bool v9p3 = am_has(pe, AM_FEAT_V9P3), rme = am_has(pe, AM_FEAT_RME), walk, sync;
	struct am_trbe before, model, pseudo;
	struct am_trbe_effect effect;
	struct am_trbe_abort abort;
	unsigned int ec;
	int level, fsc;

	level = (int)(n % 6) - 2;
	abort = (struct am_trbe_abort){
		.walk = n / 6 & 1, .gpt = n / 6 & 2, .stage2 = n / 6 & 4,
		.set_ea = n / 6 & 8, .level = level, .address = LIMIT - 0x77,
	};
	before = unit(FILL, STOP, 0x1000);
	before.trbsr[1] = 0x0055AA0000000140 | (n / 6 & 16 ? TRBSR_S : 0);
	model = before;
	pseudo = before;
	effect = am_trbe_external_abort(pe, &model, &abort, policy);
	walk = abort.walk || abort.gpt;
	sync = policy == AM_ABORT_SYNC;
	EXPECT_EQ(effect.serror, policy == AM_ABORT_SERROR && effect.verdict.is >= 0, "SError");

	/* An impossible abort changes nothing */
	if (policy > AM_ABORT_ASYNC || (abort.gpt && !rme) ||
	    (policy >= AM_ABORT_SYNC && v9p3) ||
	    (policy == AM_ABORT_MMU_FAULT && !walk)) {
		EXPECT_EQ(effect.verdict.is, AM_RESERVED, "impossible");
		EXPECT_EQ(effect.verdict.why, abort.gpt && !rme ?
			  AM_WHY_TRBE_NO_RME : policy > AM_ABORT_ASYNC ?
			  AM_WHY_TRBE_ABORT_POLICY : policy >= AM_ABORT_SYNC ?
			  AM_WHY_TRBE_ABORT_V9P3 : AM_WHY_TRBE_ABORT_NO_WALK,
			  "reason");
		EXPECT(same_registers(&model, &before), "impossible");
		return;
	}
	if (policy == AM_ABORT_IGNORE || policy == AM_ABORT_SERROR) {
		EXPECT(same_registers(&model, &before), "no visible trace");
		EXPECT_EQ(effect.verdict.is, false, "recorded");
		EXPECT_EQ(effect.verdict.why, policy == AM_ABORT_IGNORE ?
			  AM_WHY_TRBE_ABORT_IGNORED :
			  AM_WHY_TRBE_ABORT_SERROR, "reason");
		return;
	}

	ec = abort.gpt ? 0x1E : abort.walk && abort.stage2 ? 0x25 : 0x24;
	fsc = abort.gpt ? 0 : abort.walk ? 0x14 + level : 0x10;
	if (policy == AM_ABORT_MMU_FAULT) {
		ps_debug_write_fault(pe, &pseudo, ec, fsc, 0);
		if (effect.event) {
			pseudo.trbptr = abort.address;
			if (abort.set_ea && !v9p3 && !abort.gpt)
				pseudo.trbsr[1] |= TRBSR_EA;
		}
	} else {
		if (policy == AM_ABORT_ASYNC && !abort.gpt)
			fsc = 0x11;
		ps_debug_write_external_abort(&pseudo, ec, fsc);
		if (sync)
			pseudo.trbptr = abort.address;
		EXPECT_EQ(effect.verdict.is, true, "recorded");
		EXPECT_EQ(effect.verdict.why, AM_WHY_TRBE_NO_EXC, "reason");
		EXPECT_EQ(effect.recorded, 1, "recorded");
	}
	EXPECT(same_registers(&model, &pseudo), "policy %u, abort %u", policy,
	       n);
	expect_told(&before, &model, &effect);
}

/* Rules: RGQWBF IFRNZK IFBNFC RVKWPM ILNXGR INHQGS RNZTKV RXRLSC ITVKJR */
static void test_external_aborts(void)
{
	struct am_trbe_effect effect;
	struct am_trbe_abort abort;
	unsigned int n, p, policy;
	struct am_trbe model;
	struct am_pe pe;

	for (p = 0; p < 4; p++) {
		pe = (struct am_pe){
			.feat = AM_FEAT_AA64 | AM_FEAT_EL2 | AM_FEAT_TRBE |
				(p & 1 ? AM_FEAT_V9P3 : 0) | (p & 2 ? AM_FEAT_RME : 0),
			.mdcr_el2 = 2ULL << 24, .el = 1,
		};
		for (policy = AM_ABORT_IGNORE; policy <= AM_ABORT_ASYNC + 1; policy++)
			for (n = 0; n < 6 * 32; n++)
				expect_external_abort(&pe, policy, n);
	}

	/* An asynchronous abort may come after another event, and after more trace */
	pe.feat = AM_FEAT_AA64 | AM_FEAT_TRBE;
	model = unit(FILL, STOP, 1);
	abort = (struct am_trbe_abort){ .address = BASE };
	am_trbe_collect(&pe, &model, 1);
	effect = am_trbe_external_abort(&pe, &model, &abort, AM_ABORT_ASYNC);
	EXPECT_EQ(effect.stopped || effect.event, false, "after another event");
	EXPECT_EQ(model.trbsr[1] & 0x3F, TRBSR_BSC_FILLED, "the first event's syndrome");
	EXPECT_EQ(!!(model.trbsr[1] & TRBSR_EA), true, "EA");
	/* A level that does not exist in a walk */
	abort = (struct am_trbe_abort){ .walk = true, .level = 4 };
	effect = am_trbe_external_abort(&pe, &model, &abort, AM_ABORT_SYNC);
	EXPECT_EQ(effect.verdict.is, AM_RESERVED, "level 4");
	EXPECT_EQ(effect.verdict.why, AM_WHY_TRBE_FSC_RESERVED, "level 4");
}

/* IMPLEMENTATION DEFINED events, and priority */

/* Rules: RCHNSL ILKLHH INFZKS RHLKSG */
static void test_impdef_event(void)
{
	struct am_trbe_effect effect;
	struct am_trbe before, trbe;
	struct am_pe pe = plain_pe;
	unsigned int el, n;

	for (el = 1; el <= 3; el++) {
		for (n = 0; n < 4; n++) {
			before = unit(FILL, STOP, 0x1000);
			record_in(&pe, &before, el);
			before.trbsr[el] = 0x0055AA0094000140 | TRBSR_TRG | (n & 1 ? TRBSR_S : 0);
			trbe = before;
			effect = am_trbe_impdef_event(&pe, &trbe, n & 2, 0xBEEF);
			expect_told(&before, &trbe, &(struct am_trbe_effect){
				.event = effect.event, .recorded = effect.recorded,
				.stopped = effect.stopped && !(n & 1) });
			if (!(n & 2)) {
				/* Off, as after reset */
				EXPECT(same_registers(&trbe, &before), "off");
				EXPECT_EQ(effect.verdict.is, false, "off");
				EXPECT_EQ(effect.verdict.why, AM_WHY_TRBE_IMPDEF_OFF, "off");
				EXPECT_EQ(effect.recorded, 0, "off");
				continue;
			}
			/* Stopped before or not; MSS2 keeps its value */
			EXPECT_EQ(trbe.trbsr[el],
				  0x0055AA007C00BEEF | TRBSR_TRG | TRBSR_S | TRBSR_IRQ,
				  "TRBSR_ELx");
			EXPECT_EQ(effect.recorded, el, "TRBSR_ELx");
			EXPECT_EQ(effect.verdict.is, true, "recorded");
			EXPECT_EQ(effect.stopped, true, "stopped");
		}
	}
}

/* Rules: RMKCHT IBRLXK RGTMJD IHJFLC */
/* Reading: F3-2 */
static void test_priority(void)
{
	static const bool synchronous[] = {
		[AM_TRBE_ON_FAULT] = true, [AM_TRBE_ON_SYNC_ABORT] = true,
		[AM_TRBE_ON_WRAP] = true, [AM_TRBE_ON_TRIGGER] = false,
		[AM_TRBE_ON_ASYNC_ABORT] = false, [AM_TRBE_ON_IMPDEF] = false,
	};
	struct am_verdict verdict;
	unsigned int a, b;

	/* Only events have a priority: the interrupt number and its priority do not matter */
	for (a = 0; a < ARRAY_LEN(synchronous); a++) {
		EXPECT_EQ(am_trbe_is_synchronous(a), synchronous[a], "synchronous");
		for (b = 0; b < ARRAY_LEN(synchronous); b++) {
			verdict = am_trbe_first(a, b);
			if (!synchronous[a] || !synchronous[b]) {
				EXPECT_EQ(verdict.is, AM_RESERVED, "order");
				EXPECT_EQ(verdict.why, AM_WHY_TRBE_UNORDERED, "order");
				continue;
			}
			EXPECT_EQ(verdict.is, a == AM_TRBE_ON_FAULT || b == AM_TRBE_ON_FAULT ?
				  AM_TRBE_ON_FAULT : a == AM_TRBE_ON_SYNC_ABORT ||
				  b == AM_TRBE_ON_SYNC_ABORT ? AM_TRBE_ON_SYNC_ABORT :
				  AM_TRBE_ON_WRAP, "order");
			EXPECT_EQ(verdict.why, AM_WHY_TRBE_ORDERED, "order");
		}
	}
}

/*
 * All states of a PE and of the unit: the effect must only depend on what the pseudocode depends
 * on. The tests above use one PE, and the other TRBSR_ELx are idle.
 */

/* Random state, with the pointer inside the buffer in more than half of the cases */
static void any_state(struct am_pe *pe, struct am_trbe *trbe, u64 *random)
{
	static const u64 pointers[] = { LIMIT - 1, LIMIT - 0x800, BASE, LIMIT - 1, LIMIT };
	static const u32 counters[] = { 0, 1, 2, 64 };
	const u64 flags = TRBSR_TRG | TRBSR_IRQ | TRBSR_WRAP | TRBSR_EA;
	u64 n = am_random(random);
	unsigned int el;

	pe->feat |= am_random(random) & (AM_FEAT_TRBE_EXC | AM_FEAT_TRBE_EXT | AM_FEAT_RAS |
					 AM_FEAT_NV | AM_FEAT_V9P3);
	pe->feat |= n & 7 ? AM_FEAT_TRBE : 0;
	pe->feat |= n & 8 ? AM_FEAT_TRBE_EXC : 0;
	pe->feat ^= n & 0x30 ? 0 : AM_FEAT_AA64;
	pe->mdcr_el3 = am_random(random);
	pe->mdcr_el2 = am_random(random);
	pe->scr_el3 |= am_random(random) & (SCR_EL3_GPF | SCR_EL3_EA);
	pe->hcr_el2 |= am_random(random) & (HCR_EL2_GPF | HCR_EL2_TEA);
	pe->pm = n & 0x40;
	pe->ppend = n & 0x80;
	pe->halted = !(n & 0x700);

	*trbe = unit(n >> 11 & 3, n >> 13 & 3, 0);
	trbe->self_hosted = n >> 15 & 3;
	trbe->trblimitr &= ~(n >> 17 & 7 ? 0ULL : TRBLIMITR_E);
	trbe->trblimitr |= n >> 20 & 3 ? TRBLIMITR_XE : 0;
	trbe->trbptr = pointers[(n >> 22 & 15) % ARRAY_LEN(pointers)];
	trbe->trbtrg = counters[n >> 26 & 3];
	trbe->trbidr = (n >> 28 & 7) | (n & 0xF0);
	trbe->trfcr_el1 = am_random(random);
	trbe->trfcr_el2 = am_random(random);
	for (el = 1; el <= 3; el++) {
		trbe->trbsr[el] = am_random(random) & (flags | TRBSR_EC | TRBSR_MSS | TRBSR_MSS2);
		trbe->trbsr[el] |= n >> (29 + 2 * el) & 3 ? 0 : TRBSR_S;
	}
}

static void expect_programming(const struct am_trbe *trbe)
{
	u64 granule = 1ULL << (trbe->trbidr & 15);
	bool inside = trbe->trbptr >= BASE && trbe->trbptr < LIMIT;

	EXPECT_EQ(am_trbe_check_pointer(trbe).is, !inside ? AM_TRBE_OUT_OF_RANGE :
		  trbe->trbptr % granule ? AM_TRBE_MISALIGNED : AM_TRBE_VALID, "pointer");
	EXPECT_EQ(am_trbe_check_counter(trbe).is,
		  trbe->trbtrg % granule ? AM_TRBE_MISALIGNED : AM_TRBE_VALID, "counter");
	EXPECT_EQ(am_trbe_writable(trbe).is,
		  !(trbe->trblimitr & (trbe->self_hosted ? 1 : 1 << 6)), "writable");
}

/* A byte of trace, which may be the last one of the buffer, and the last one of the counter */
static void expect_byte(const struct am_pe *pe, const struct am_trbe *before)
{
	unsigned int el = ps_report_trbe_event(pe, before, 0, 0);
	bool inside = before->trbptr >= BASE && before->trbptr < LIMIT;
	bool running = ps_trace_buffer_running(pe, before);
	bool triggers = running && (before->trbsr[el] & TRBSR_TRG) && before->trbtrg == 1;
	struct am_trbe model = *before, pseudo = *before;
	struct am_trbe_effect effect = am_trbe_collect(pe, &model, 7);

	flush_at_once(pe, &model, &effect);
	EXPECT_EQ(effect.verdict.is, !running ? AM_TRBE_DISCARDED : inside ? AM_TRBE_WRITTEN :
		  AM_TRBE_UNPREDICTABLE, "byte");
	if (!running || !inside) {
		EXPECT(same_registers(&model, before), "no byte was written");
		return;
	}
	EXPECT_EQ(effect.trb_trig, triggers, "TRB_TRIG");
	/* M-9, as above */
	if (triggers && before->trbptr + 1 == LIMIT && !(before->trblimitr & 0x1E))
		return;
	ps_collect_trace(pe, &pseudo);
	EXPECT(same_registers(&model, &pseudo), "a byte at EL%u", pe->el);
}

/* A Detected Trigger that subtracts @drained bytes from the counter */
static void expect_trigger(const struct am_pe *pe, const struct am_trbe *before, u32 drained)
{
	unsigned int el = ps_report_trbe_event(pe, before, 0, 0), tm = before->trblimitr >> 3 & 3;
	struct am_trbe model = *before, pseudo = *before;
	struct am_trbe_effect effect = am_trbe_detected_trigger(pe, &model, 9, drained);
	bool fresh, flush;

	flush_at_once(pe, &model, &effect);
	if (drained > 1U << (before->trbidr & 15)) {
		EXPECT_EQ(effect.verdict.is, AM_RESERVED, "drained");
		EXPECT(same_registers(&model, before), "too many were drained");
		return;
	}
	fresh = ps_trace_buffer_enabled(pe, before) && !(before->trbsr[el] & TRBSR_TRG);
	EXPECT_EQ(effect.verdict.is, fresh, "TRG set");
	if (fresh) {
		pseudo.trbsr[el] |= TRBSR_TRG;
		pseudo.trbtrg -= drained < pseudo.trbtrg ? drained : pseudo.trbtrg;
	}
	flush = fresh && ps_trace_buffer_running(pe, before) && tm != IGNORE && !pseudo.trbtrg &&
		(!before->trbtrg || drained);
	EXPECT_EQ(effect.flush, flush, "flush");
	if (flush && tm == STOP)
		ps_other_management_event(pe, &pseudo, 2);
	if (flush)
		pseudo.trbsr[el] |= TRBSR_IRQ;
	EXPECT(same_registers(&model, &pseudo), "a Detected Trigger at EL%u", pe->el);
}

/* Events from outside the unit; by reading F3-3, IRQ is set in any case */
static void expect_events(const struct am_pe *pe, const struct am_trbe *before, unsigned int n)
{
	unsigned int el = ps_report_trbe_event(pe, before, 0, 0), bsc = n % 6;
	bool enabled = ps_trace_buffer_enabled(pe, before), stops = n & 8, pending = n & 16;
	struct am_trbe model = *before, pseudo = *before;
	struct am_trbe_effect effect = am_trbe_other_event(pe, &model, bsc);

	EXPECT_EQ(effect.verdict.is, bsc > 4 ? AM_RESERVED : enabled, "other event");
	if (effect.verdict.is > 0) {
		ps_other_management_event(pe, &pseudo, bsc);
		pseudo.trbsr[el] |= TRBSR_IRQ;
	}
	EXPECT(same_registers(&model, &pseudo), "another event at EL%u", pe->el);

	model = *before;
	pseudo = *before;
	model.flush = (struct am_flush){ .pending = pending, .stops = stops, .op = 3 };
	EXPECT_EQ(am_trbe_op_may_finish(&model, 3), !pending, "operation of the flush");
	EXPECT_EQ(am_trbe_op_may_finish(&model, 4), true, "another operation");
	effect = am_trbe_flush_done(pe, &model);
	EXPECT_EQ(effect.verdict.is, pending ? true : AM_RESERVED, "flush");
	if (pending && stops)
		ps_other_management_event(pe, &pseudo, 2);
	if (pending)
		pseudo.trbsr[el] |= TRBSR_IRQ;
	EXPECT(same_registers(&model, &pseudo), "end of a flush at EL%u", pe->el);

	model = *before;
	pseudo = *before;
	effect = am_trbe_impdef_event(pe, &model, n & 32, 0xBEEF);
	EXPECT_EQ(effect.verdict.is, !!(n & 32), "IMPLEMENTATION DEFINED event");
	if (n & 32) {
		pseudo.trbsr[el] &= ~(TRBSR_EC | TRBSR_MSS);
		pseudo.trbsr[el] |= TRBSR_S | TRBSR_IRQ | 0x1FULL << 26 | 0xBEEF;
	}
	EXPECT(same_registers(&model, &pseudo), "IMPLEMENTATION DEFINED event at EL%u", pe->el);
}

/* Record a fault in the pseudocode's registers; false if it is impossible or not recorded */
static bool record_fault(const struct am_pe *pe, struct am_trbe *pseudo,
			 const struct am_trbe_fault *fault, bool *possible)
{
	bool gpc = fault->type == AM_FAULT_GPC, gpf = fault->type == AM_FAULT_GPF;
	bool walk = fault->type == AM_FAULT_EXTERNAL_WALK || fault->type == AM_FAULT_PARITY_WALK;
	int fsc = gpc ? 0 : am_fault_fsc(fault->type, fault->level).is;
	unsigned int ec = gpc ? 0x1E : gpf || !fault->stage2 ? 0x24 : 0x25, el;

	*possible = fsc >= 0 && fault->type != AM_FAULT_EXTERNAL &&
		    fault->type != AM_FAULT_ASYNC_EXTERNAL;
	if ((gpc || gpf || fault->type == AM_FAULT_GPF_WALK) && !(pe->feat & AM_FEAT_RME))
		*possible = false;
	if (!pseudo->self_hosted && !gpc && !gpf && fault->type != AM_FAULT_ALIGNMENT)
		*possible = false;
	if (!*possible || !ps_trace_buffer_enabled(pe, pseudo))
		return false;
	el = ps_report_trbe_event(pe, pseudo, ec, fsc);
	if (pseudo->trbsr[el] & TRBSR_S)
		return false;
	ps_debug_write_fault(pe, pseudo, ec, fsc, 0);
	pseudo->trbptr = fault->address;
	if (fault->set_ea && walk && !(pe->feat & AM_FEAT_V9P3))
		pseudo->trbsr[el] |= TRBSR_EA;
	return true;
}

static void expect_any_fault(const struct am_pe *pe, const struct am_trbe *before, unsigned int n)
{
	const struct am_trbe_fault fault = {
		.type = (enum am_fault)((n & 15) % (AM_FAULT_GPC + 1)),
		.level = (int)(n >> 4 & 7) - 2, .stage2 = n >> 7 & 1, .set_ea = n >> 8 & 1,
		.address = BASE + 0x123,
	};
	struct am_trbe model = *before, pseudo = *before;
	struct am_trbe_effect effect = am_trbe_fault(pe, &model, &fault);
	bool possible, recorded = record_fault(pe, &pseudo, &fault, &possible);

	EXPECT_EQ(effect.verdict.is, possible ? recorded : AM_RESERVED, "fault");
	EXPECT(same_registers(&model, &pseudo), "fault %u at EL%u", fault.type, pe->el);
}

static void expect_any_abort(const struct am_pe *pe, const struct am_trbe *before, unsigned int n)
{
	enum am_abort_policy policy = (enum am_abort_policy)((n & 7) % (AM_ABORT_ASYNC + 1));
	const struct am_trbe_abort abort = {
		.walk = n >> 3 & 1, .gpt = !(n >> 4 & 3), .stage2 = n >> 6 & 1,
		.level = (int)(n >> 7 & 7) - 2, .set_ea = n >> 10 & 1, .address = BASE + 0x321,
	};
	const struct am_trbe_fault fault = {
		.type = abort.gpt ? AM_FAULT_GPC : AM_FAULT_EXTERNAL_WALK, .level = abort.level,
		.stage2 = abort.stage2, .set_ea = abort.set_ea, .address = abort.address,
	};
	bool sync = policy == AM_ABORT_SYNC, walks = abort.walk && sync && !abort.gpt;
	struct am_trbe model = *before, pseudo = *before;
	struct am_trbe_effect effect = am_trbe_external_abort(pe, &model, &abort, policy);
	bool possible = !abort.gpt || (pe->feat & AM_FEAT_RME), recorded = false;

	if (policy >= AM_ABORT_SYNC) {
		possible &= !(pe->feat & AM_FEAT_V9P3);
		recorded = possible && (!sync || ps_trace_buffer_enabled(pe, before));
		if (recorded && walks && abort.level > 3) {
			recorded = false;
			possible = false;
		}
	} else if (possible && policy == AM_ABORT_MMU_FAULT) {
		possible = abort.walk || abort.gpt;
		if (possible)
			recorded = record_fault(pe, &pseudo, &fault, &possible);
	}
	if (recorded && policy >= AM_ABORT_SYNC) {
		ps_debug_write_external_abort(&pseudo, abort.gpt ? 0x1E :
					      abort.walk && abort.stage2 ? 0x25 : 0x24,
					      abort.gpt ? 0 : !sync ? 0x11 : !walks ? 0x10 :
					      0x14 + abort.level);
		pseudo.trbptr = sync ? abort.address : before->trbptr;
	}
	EXPECT_EQ(effect.verdict.is, possible ? recorded : AM_RESERVED, "External abort");
	EXPECT(same_registers(&model, &pseudo), "abort %#x at EL%u", n, pe->el);
}

/* If it is not defined who takes a fault, it changes nothing */
static void expect_no_owner(const struct am_pe *pe, const struct am_trbe *before)
{
	const struct am_trbe_fault fault = { .type = AM_FAULT_TRANSLATION, .level = 3 };
	struct am_trbe model = *before;
	struct am_trbe_effect effect;

	if (am_trbe_record(pe, before, AM_TRBE_S1_ABORT).is != AM_RESERVED ||
	    am_trbe_state(pe, before).is == AM_TRBE_DISABLED)
		return;
	effect = am_trbe_fault(pe, &model, &fault);
	EXPECT(effect.verdict.is == AM_RESERVED && same_registers(&model, before),
	       "a fault without an owner at EL%u", pe->el);
}

/* Rules: IVCDNP RMBSHC RBQTGW RKSQJW RHLKSG RXRRWP RCHNSL RQKLXR RYQMQK RFSPBK RXRLSC RGQWBF */
/* Reading: M-6 M-8 M-9 F3-3 */
static void test_all_states(void)
{
	struct am_pe_walk walk = { .step = 0 };
	unsigned int draw, el, n;
	enum pcs_state owner;
	struct am_trbe trbe;
	u64 random = 27;
	struct am_pe pe;

	while (am_pe_next(&walk)) {
		if (!walk.possible)
			continue;
		for (draw = 0; draw < 16; draw++) {
			pe = walk.pe;
			any_state(&pe, &trbe, &random);
			n = am_random(&random);
			expect_programming(&trbe);
			/* The pseudocode does not define AArch32 with a reserved owner */
			if (!ps_trace_buffer_owner(&pe, &owner, &el)) {
				expect_no_owner(&pe, &trbe);
				continue;
			}
			EXPECT_EQ(am_trbe_state(&pe, &trbe).is,
				  ps_trace_buffer_running(&pe, &trbe) ? AM_TRBE_RUNNING :
				  ps_trace_buffer_enabled(&pe, &trbe) ? AM_TRBE_STOPPED :
				  AM_TRBE_DISABLED, "state");
			expect_byte(&pe, &trbe);
			expect_trigger(&pe, &trbe, n & 3 ? n >> 2 & 255 : 0);
			expect_events(&pe, &trbe, n >> 10);
			expect_any_fault(&pe, &trbe, n >> 16);
			expect_any_abort(&pe, &trbe, am_random(&random));
		}
	}
}

const struct am_test am_tests_trbe_buffer[] = {
	{ "modes", test_modes, 96 },
	{ "running, all states", test_state, 449397 },
	{ "programming", test_programming, 832 },
	{ "a byte of trace, all states", test_collect, 149323 },
	{ "a Detected Trigger, all states", test_detected_trigger, 138817 },
	{ "wrapping", test_wrap, 30 },
	{ "the Trigger Counter", test_trigger_counter, 18 },
	{ "an internal buffer", test_internal_buffer, 11 },
	{ "who generated a Trigger Event", test_trigger_operation, 12 },
	{ "the flush window", test_flush_window, 23 },
	{ "the trigger mode changes", test_trigger_mode_changes, 27 },
	{ "watermarks", test_watermark, 4100 },
	{ "TRBSR_ELx.FSC", test_fsc, 755 },
	{ "MMU faults", test_mmu_faults, 14 },
	{ "faults, all types", test_faults, 261536 },
	{ "impossible faults", test_impossible_faults, 9 },
	{ "disabled", test_disabled, 24 },
	{ "External aborts, all choices", test_external_aborts, 22853 },
	{ "IMPLEMENTATION DEFINED events", test_impdef_event, 102 },
	{ "priority", test_priority, 78 },
	{ "everything, all states", test_all_states, 2128805 },
	{ NULL, NULL, 0 },
};
