// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Trace Buffer Unit as the shared pseudocode has it (J1.3 shared/trace); see pseudo.h.
 *
 * In it a trace unit flush completes at once, and no write fails.
 */
#include "pseudo.h"

static unsigned int bits(u64 reg, unsigned int high, unsigned int low)
{
	return reg >> low & (~0ULL >> (63 - high + low));
}

static bool have_trbe_exc(const struct am_pe *pe, const struct am_trbe *t)
{
	return (pe->feat & AM_FEAT_TRBE_EXC) && t->self_hosted;
}

bool ps_trace_buffer_owner(const struct am_pe *pe, enum pcs_state *ss, unsigned int *el)
{
	bool rme = pe->feat & AM_FEAT_RME, defined = true;
	unsigned int state;

	if (ps_have_el(pe, 3)) {
		state = bits(pe->mdcr_el3, 25, 24);
		if (rme)
			state |= bits(pe->mdcr_el3, 26, 26) << 2;
		/* EffectiveMDCR_EL3_NSTB(): reserved values */
		if (rme && ((state & 6) == 4 || (!(pe->feat & AM_FEAT_SEL2) && !(state & 6))))
			defined = false;
	} else {
		state = pe->feat & AM_FEAT_SECURE_ONLY ? 1 : 3;
	}
	*ss = (state & 6) == 6 ? PCS_STATE_REALM : state & 2 ? PCS_STATE_NONSECURE :
	      PCS_STATE_SECURE;
	*el = 1;
	if (ps_have_el(pe, 2) && (*ss != PCS_STATE_SECURE || ps_is_secure_el2_enabled(pe))) {
		if (bits(pe->mdcr_el2, 25, 24) == 0)
			*el = 2;
		if (bits(pe->mdcr_el2, 25, 24) == 1)
			defined = false;
	}
	return defined;
}

unsigned int ps_effective_trfcr_el2_ee(const struct am_pe *pe, const struct am_trbe *t)
{
	if (!have_trbe_exc(pe, t))
		return 0;
	if (ps_have_el(pe, 3) && bits(pe->mdcr_el3, 54, 53) == 0)
		return 0;
	if (ps_have_el(pe, 2) && (ps_effective_scr_ns(pe) || ps_is_secure_el2_enabled(pe)))
		return bits(t->trfcr_el2, 9, 8);
	return 1;
}

unsigned int ps_effective_trfcr_el1_ee(const struct am_pe *pe, const struct am_trbe *t)
{
	unsigned int ee = bits(t->trfcr_el1, 9, 8);

	if (ps_effective_trfcr_el2_ee(pe, t) == 0)
		return 0;
	if (ee == 1 || ee == 2)
		ee = ee >> 1 ? 3 : 0;
	return ee;
}

unsigned int ps_report_trbe_event(const struct am_pe *pe, const struct am_trbe *t, unsigned int ec,
				  unsigned int fsc)
{
	bool s1 = ec == 0x24, s2 = ec == 0x25, gpc = false, gpf = false, ext, ea, tea;
	bool to_el3 = false, to_el2 = false;
	unsigned int el, ee2 = ps_effective_trfcr_el2_ee(pe, t);
	enum pcs_state ss;

	if (!have_trbe_exc(pe, t))
		return 1;
	if (pe->feat & AM_FEAT_RME) {
		gpc = ec == 0x1E;
		/* 10001x, 1001xx, 101000 */
		gpf = (s1 || s2) && ((fsc >> 1) == 0x11 || (fsc >> 2) == 9 || fsc == 0x28);
	}
	/* 010000, 01001x, 0101xx, 011011 */
	ext = (s1 || s2) && (fsc == 0x10 || (fsc >> 1) == 9 || (fsc >> 2) == 5 || fsc == 0x1B);
	ea = ps_have_el(pe, 3) && !pe->halted && (pe->scr_el3 >> 3 & 1);
	tea = ps_el2_enabled(pe) && (pe->feat & AM_FEAT_RAS) && (pe->hcr_el2 >> 37 & 1);
	ps_trace_buffer_owner(pe, &ss, &el);

	if (ps_have_el(pe, 3) && bits(pe->mdcr_el3, 54, 53) >= 2)
		to_el3 = bits(pe->mdcr_el3, 54, 53) == 3 || gpc ||
			 (gpf && (pe->scr_el3 >> 48 & 1)) || (ext && ea);
	if (ee2 >= 2)
		to_el2 = ee2 == 3 || (s1 && el == 2) || s2 || gpc ||
			 (gpf && (pe->hcr_el2 >> 48 & 1)) || (ext && tea);
	return to_el3 ? 3 : to_el2 ? 2 : 1;
}

unsigned int ps_check_for_trbe_exception(const struct am_pe *pe, const struct am_trbe *t)
{
	bool to_el3 = false, to_el2 = false, to_el1 = false, in_owning_ss, pending, masked;
	unsigned int el;
	enum pcs_state ss;

	if (!have_trbe_exc(pe, t))
		return 0;
	if (pe->halted)
		return 0;
	if (ps_have_el(pe, 3) && bits(pe->mdcr_el3, 54, 53) >= 2)
		to_el3 = (t->trbsr[3] >> 22 & 1) && pe->el != 3;

	ps_trace_buffer_owner(pe, &ss, &el);
	in_owning_ss = ps_security_state_at_el(pe, pe->el) == ss;

	if (ps_effective_trfcr_el2_ee(pe, t) >= 2) {
		pending = t->trbsr[2] >> 22 & 1;
		masked = !in_owning_ss || pe->el == 3 ||
			 (pe->el == 2 && (bits(t->trfcr_el2, 9, 8) != 3 ||
					  !(t->trfcr_el2 >> 10 & 1) || pe->pm));
		to_el2 = pending && !masked;
	}
	if (ps_effective_trfcr_el1_ee(pe, t) == 3) {
		pending = t->trbsr[1] >> 22 & 1;
		masked = !in_owning_ss || pe->el >= 2 ||
			 (pe->el == 1 && (!(t->trfcr_el1 >> 10 & 1) || pe->pm));
		if (ps_effective_tge(pe))
			to_el2 = to_el2 || (pending && !masked);
		else
			to_el1 = pending && !masked;
	}
	return to_el3 << 3 | to_el2 << 2 | to_el1 << 1;
}

bool ps_trbirq_level(const struct am_pe *pe, const struct am_trbe *t)
{
	return ps_effective_trfcr_el1_ee(pe, t) == 0 && (t->trbsr[1] >> 22 & 1);
}

bool ps_trace_buffer_enabled(const struct am_pe *pe, const struct am_trbe *t)
{
	unsigned int el;
	enum pcs_state ss;

	if (!(pe->feat & AM_FEAT_TRBE))
		return false;
	if (!t->self_hosted)
		return (pe->feat & AM_FEAT_TRBE_EXT) && (t->trblimitr >> 6 & 1);
	if (!(t->trblimitr & 1))
		return false;
	ps_trace_buffer_owner(pe, &ss, &el);
	return !(pe->aa32 >> el & 1);
}

bool ps_trace_buffer_running(const struct am_pe *pe, const struct am_trbe *t)
{
	bool stopped = t->trbsr[1] >> 17 & 1;

	if (!ps_trace_buffer_enabled(pe, t))
		return false;
	if (have_trbe_exc(pe, t)) {
		if (ps_have_el(pe, 3) && bits(pe->mdcr_el3, 54, 53) >= 2)
			stopped = stopped || (t->trbsr[3] >> 17 & 1);
		if (ps_effective_trfcr_el2_ee(pe, t) >= 2)
			stopped = stopped || (t->trbsr[2] >> 17 & 1);
	}
	return !stopped;
}

static void set_syndrome(u64 *trbsr, unsigned int ec, unsigned int mss, unsigned int mss2)
{
	*trbsr &= 0xFF00000003FF0000ULL;	/* keep all but MSS2, EC, MSS */
	*trbsr |= (u64)mss2 << 32 | (u64)ec << 26 | mss;
}

void ps_other_management_event(const struct am_pe *pe, struct am_trbe *t, unsigned int bsc)
{
	u64 *trbsr = &t->trbsr[ps_report_trbe_event(pe, t, 0, 0)];

	/* Indentation is lost in the text: assume that all that follows depends on the test of S */
	if (*trbsr >> 17 & 1)
		return;
	*trbsr |= 1ULL << 17 | 1ULL << 22;
	set_syndrome(trbsr, 0, bsc, 0);
}

static void flush_on_trigger_complete(const struct am_pe *pe, struct am_trbe *t)
{
	unsigned int tm = bits(t->trblimitr, 4, 3);

	if (tm == 0)
		ps_other_management_event(pe, t, 2);
	else if (tm != 3)
		t->trbsr[ps_report_trbe_event(pe, t, 0, 0)] |= 1ULL << 22;
}

bool ps_collect_trace(const struct am_pe *pe, struct am_trbe *t)
{
	unsigned int el = ps_report_trbe_event(pe, t, 0, 0), fm = bits(t->trblimitr, 2, 1);
	u64 next;

	if (!ps_trace_buffer_enabled(pe, t) || !ps_trace_buffer_running(pe, t))
		return false;

	if ((t->trbsr[el] >> 21 & 1) && t->trbtrg) {
		t->trbtrg--;
		if (!t->trbtrg && bits(t->trblimitr, 4, 3) != 3)
			flush_on_trigger_complete(pe, t);
	}
	next = t->trbptr + 1;
	if (next >> 12 == t->trblimitr >> 12) {
		next = t->trbbaser & ~0xFFFULL;
		t->trbsr[el] |= 1ULL << 20;
		if (fm == 0)
			ps_other_management_event(pe, t, 1);
		else if (fm != 3)
			t->trbsr[el] |= 1ULL << 22;
	}
	t->trbptr = next;
	return true;
}

void ps_detected_trace_trigger(const struct am_pe *pe, struct am_trbe *t)
{
	unsigned int el = ps_report_trbe_event(pe, t, 0, 0);

	if (!ps_trace_buffer_running(pe, t) || (t->trbsr[el] >> 21 & 1))
		return;
	t->trbsr[el] |= 1ULL << 21;
	if (!t->trbtrg && bits(t->trblimitr, 4, 3) != 3)
		flush_on_trigger_complete(pe, t);
}

void ps_debug_write_fault(const struct am_pe *pe, struct am_trbe *t, unsigned int ec,
			  unsigned int fsc, unsigned int mss2)
{
	u64 *trbsr = &t->trbsr[ps_report_trbe_event(pe, t, ec, fsc)];

	if (*trbsr >> 17 & 1)
		return;
	set_syndrome(trbsr, ec, fsc, mss2);
	*trbsr |= 1ULL << 22 | 1ULL << 17;
}

void ps_debug_write_external_abort(struct am_trbe *t, unsigned int ec, unsigned int fsc)
{
	u64 *trbsr = &t->trbsr[1];

	*trbsr |= 1ULL << 18;
	if (*trbsr >> 17 & 1)
		return;
	set_syndrome(trbsr, ec, fsc, 0);
	*trbsr |= 1ULL << 22 | 1ULL << 17;
}
