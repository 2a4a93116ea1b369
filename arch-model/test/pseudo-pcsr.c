// SPDX-License-Identifier: GPL-2.0-only
/*
 * PC sampling as the shared pseudocode has it (J1.3 shared/debug/samplebasedprofiling), and as
 * the older pseudocode had it where that differs; see pseudo.h.
 *
 * The pseudocode has no notion of branches: a sample is the last instruction. It does not check
 * whether an access is allowed either: M.a.a says so with each register.
 */
#include "pseudo.h"

#define ONES32	0xFFFFFFFFULL

static struct am_value known(u64 value)
{
	return (struct am_value){ value, 0 };
}

static struct am_value unknown(u64 mask)
{
	return (struct am_value){ 0, mask };
}

bool ps_external_noninvasive_debug_allowed(const struct am_pe *pe, const struct am_auth *auth)
{
	enum pcs_state ss = ps_security_state_at_el(pe, pe->el);

	if (!auth->noninvasive)
		return false;
	if ((pe->aa32 & 0xA) && pe->el == 0 && ss == PCS_STATE_SECURE && (pe->sder & 2))
		return true;
	switch (ss) {
	case PCS_STATE_NONSECURE:
		return true;
	case PCS_STATE_SECURE:
		return auth->secure;
	case PCS_STATE_REALM:
		return auth->realm;
	case PCS_STATE_ROOT:
		return auth->root;
	}
	return false;
}

bool ps_pcsr_suspended(const struct am_pe *pe, const struct ps_pcsr *s)
{
	if ((pe->feat & AM_FEAT_PMUV3_SS) && s->ctl_ss)
		return false;
	if ((pe->feat & AM_FEAT_PCSRV8P9) && s->ctl_imp)
		return !s->ctl_en;
	return s->impdef_suspended;
}

void ps_create_pc_sample(const struct am_pe *pe, const struct am_auth *auth,
			 const struct am_pcs_insn *insn, struct ps_pcsr *s)
{
	if (ps_pcsr_suspended(pe, s))
		return;

	s->valid = ps_external_noninvasive_debug_allowed(pe, auth) && !pe->halted;
	s->pc = insn->pc;
	s->el = pe->el;
	s->rw = !(pe->aa32 >> pe->el & 1);
	s->ss = ps_security_state_at_el(pe, pe->el);
	s->contextidr = insn->contextidr;
	s->has_el2 = pe->el != 3 && ps_el2_enabled(pe);
	s->vmid = 0;
	s->contextidr_el2 = unknown(ONES32);
	if (s->has_el2) {
		if (pe->aa32 & 4)
			s->vmid = insn->vmid & 0xFF;
		else if (!(pe->feat & AM_FEAT_VMID16) || !insn->vs)
			s->vmid = insn->vmid & 0xFF;
		else
			s->vmid = insn->vmid;
		if ((pe->feat & (AM_FEAT_VHE | AM_FEAT_DEBUGV8P2)) && !(pe->aa32 & 4))
			s->contextidr_el2 = known(insn->contextidr_el2);
	}
	s->el0h = pe->el == 0 && ps_el_is_in_host(pe, pe->el);
}

static void set_pc_sample(const struct am_pe *pe, struct ps_pcsr *s)
{
	u64 vmid_mask = pe->feat & AM_FEAT_VMID16 ? 0xFFFF : 0xFF;
	u64 reg = s->pc & ONES32;

	if (s->rw)
		reg |= s->pc & 0x00FFFFFF00000000ULL;
	reg |= (u64)s->el << 61;
	if (pe->feat & AM_FEAT_RME) {
		if (s->ss == PCS_STATE_ROOT || s->ss == PCS_STATE_REALM)
			reg |= 1ULL << 59;
		if (s->ss == PCS_STATE_NONSECURE || s->ss == PCS_STATE_REALM)
			reg |= 1ULL << 63;
	} else if (s->ss != PCS_STATE_SECURE) {
		reg |= 1ULL << 63;
	}
	s->pmpcsr = known(reg);
	s->pmcid1sr = known(s->contextidr);
	s->pmcid2sr = s->has_el2 ? s->contextidr_el2 : unknown(ONES32);
	if (s->has_el2 && s->el < 2 && !s->el0h)
		s->pmvidsr = known(s->vmid);
	else
		s->pmvidsr = unknown(vmid_mask);
}

static u64 unknown_high(const struct am_pe *pe)
{
	return 0xE0FFFFFF00000000ULL | (pe->feat & AM_FEAT_RME ? 1ULL << 59 : 0);
}

static void set_pcsr_unknown(const struct am_pe *pe, struct ps_pcsr *s)
{
	s->pmpcsr.value = ONES32;
	s->pmpcsr.unknown = unknown_high(pe);
	s->pmcid1sr = unknown(ONES32);
	s->pmcid2sr = unknown(ONES32);
	s->pmvidsr = unknown(pe->feat & AM_FEAT_VMID16 ? 0xFFFF : 0xFF);
}

struct am_value ps_read_pmpcsr(const struct am_pe *pe, struct ps_pcsr *s, bool memory_mapped,
			       bool slk)
{
	bool v8p9 = pe->feat & AM_FEAT_PCSRV8P9, ss = pe->feat & AM_FEAT_PMUV3_SS;
	bool update = !memory_mapped || !slk;

	if (v8p9 && update) {
		if (ss && s->ctl_ss) {
			update = false;
		} else if ((s->ctl_imp && !s->ctl_en) ||
			   (!s->ctl_imp && ps_pcsr_suspended(pe, s))) {
			s->valid = false;
			if (s->ctl_imp)
				s->ctl_en = true;
			else
				s->impdef_suspended = false;
		}
	}
	if (s->valid) {
		if (update)
			set_pc_sample(pe, s);
		return s->pmpcsr;
	}
	if (update)
		set_pcsr_unknown(pe, s);
	return (struct am_value){ ONES32, unknown_high(pe) };
}

struct am_value ps_read_edpcsr_lo(const struct am_pe *pe, struct ps_pcsr *s, bool memory_mapped,
				  bool slk, bool sc2, bool hv_if_zero)
{
	bool update = !memory_mapped || !slk;
	u64 sample, vid;

	if (!s->valid) {
		if (update) {
			s->edpcsr_hi = unknown(ONES32);
			s->edcidsr = unknown(ONES32);
			s->edvidsr = unknown(ONES32);
		}
		return known(ONES32);
	}

	sample = s->pc & ONES32;
	if (!update)
		return known(sample);
	if ((pe->feat & AM_FEAT_VHE) && sc2)
		s->edpcsr_hi = known((s->rw ? s->pc >> 32 & 0xFFFFFF : 0) | (u64)s->el << 29 |
				     (u64)(s->ss != PCS_STATE_SECURE) << 31);
	else
		s->edpcsr_hi = known(s->rw ? s->pc >> 32 : 0);
	s->edcidsr = known(s->contextidr);
	if ((pe->feat & (AM_FEAT_VHE | AM_FEAT_DEBUGV8P2)) && sc2) {
		s->edvidsr = s->has_el2 ? s->contextidr_el2 : unknown(ONES32);
	} else {
		vid = s->has_el2 && s->el < 2 ? s->vmid : 0;
		vid |= (u64)(s->ss != PCS_STATE_SECURE) << 31;
		vid |= (u64)(s->el == 2) << 30;
		vid |= (u64)(s->el == 3 && s->rw) << 29;
		vid |= (u64)(s->edpcsr_hi.value ? 1 : hv_if_zero) << 28;
		s->edvidsr = known(vid);
	}
	return known(sample);
}

static bool capture_enabled(const struct am_pe *pe, unsigned int sse)
{
	unsigned int el3 = pe->mdcr_el3 >> 30 & 3, el2 = pe->mdcr_el2 >> 30 & 3;

	if (!(pe->feat & AM_FEAT_PMUV3_SS) || !(pe->feat & AM_FEAT_AA64))
		return false;
	if (ps_have_el(pe, 3) && el3 != 1)
		return el3 >> 1;
	if (ps_have_el(pe, 2) && (pe->aa32 & 4))
		return false;
	if (ps_have_el(pe, 2) && el2 != 1)
		return el2 >> 1;
	if (pe->aa32 & 2)
		return false;
	return sse == 1 ? false : sse >> 1;	/* reserved 01: Constraint_DISABLED */
}

enum am_capture ps_pmu_capture(const struct am_pe *pe, unsigned int sse, bool os_lock)
{
	unsigned int el3 = pe->mdcr_el3 >> 30 & 3, el2 = pe->mdcr_el2 >> 30 & 3;
	bool allowed;

	if (!capture_enabled(pe, sse))
		return AM_CAPTURE_DISABLED;
	if (os_lock)
		allowed = false;
	else if (ps_have_el(pe, 3) && el3 != 1)
		allowed = el3 == 3;
	else if (ps_have_el(pe, 2) && el2 != 1)
		allowed = el2 == 3;
	else
		allowed = sse == 3;
	return allowed ? AM_CAPTURE_ALLOWED : AM_CAPTURE_PROHIBITED;
}

void ps_capture_pc(const struct am_pe *pe, struct ps_pcsr *s)
{
	if (!(pe->feat & AM_FEAT_PCSRV8P9) || !s->ctl_ss)
		return;
	if (s->valid && !pe->halted) {
		if (s->ctl_imp)
			s->ctl_en = true;
		set_pc_sample(pe, s);
	} else {
		s->pmpcsr.value |= ONES32;
		s->pmpcsr.unknown &= ~ONES32;
	}
}

void s0_create_pc_sample(const struct am_pe *pe, const struct am_auth *auth,
			 const struct am_pcs_insn *insn, struct ps_pcsr *s)
{
	ps_create_pc_sample(pe, auth, insn, s);
	s->has_el2 = ps_el2_enabled(pe);
	if (!s->has_el2)
		return;
	if ((pe->aa32 & 4) || !(pe->feat & AM_FEAT_VMID16) || !insn->vs)
		s->vmid = insn->vmid & 0xFF;
	else
		s->vmid = insn->vmid;
	if ((pe->feat & AM_FEAT_VHE) && !(pe->aa32 & 4))
		s->contextidr_el2 = known(insn->contextidr_el2);
	else
		s->contextidr_el2 = unknown(ONES32);
}

struct am_value s0_read_pmpcsr(const struct am_pe *pe, struct ps_pcsr *s, bool memory_mapped,
			       bool slk)
{
	bool update = !memory_mapped || !slk;
	struct am_value low = known(s->valid ? s->pc & ONES32 : ONES32);

	if (!update)
		return low;
	if (s->valid)
		set_pc_sample(pe, s);
	else
		set_pcsr_unknown(pe, s);
	return low;
}
