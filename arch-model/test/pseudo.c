// SPDX-License-Identifier: GPL-2.0-only
/*
 * Security states and Exception levels as the shared pseudocode has them; see pseudo.h.
 */
#include "pseudo.h"

bool ps_have_el(const struct am_pe *pe, unsigned int el)
{
	if (el == 3)
		return pe->feat & AM_FEAT_EL3;
	if (el == 2)
		return pe->feat & AM_FEAT_EL2;
	return true;
}

bool ps_have_secure_state(const struct am_pe *pe)
{
	if (!ps_have_el(pe, 3))
		return pe->feat & AM_FEAT_SECURE_ONLY;
	if ((pe->feat & AM_FEAT_RME) && !(pe->feat & AM_FEAT_SEL2))
		return false;
	return true;
}

bool ps_effective_scr_ns(const struct am_pe *pe)
{
	if (!ps_have_secure_state(pe))
		return true;
	if (!ps_have_el(pe, 3))
		return false;
	return pe->scr_el3 & 1;
}

bool ps_is_secure_el2_enabled(const struct am_pe *pe)
{
	if (!ps_have_el(pe, 2) || !(pe->feat & AM_FEAT_SEL2))
		return false;
	if (!ps_have_el(pe, 3))
		return pe->feat & AM_FEAT_SECURE_ONLY;
	return !(pe->aa32 & 8) && (pe->scr_el3 >> 18 & 1);
}

bool ps_el2_enabled(const struct am_pe *pe)
{
	return ps_have_el(pe, 2) &&
	       (!ps_have_el(pe, 3) || ps_effective_scr_ns(pe) || ps_is_secure_el2_enabled(pe));
}

enum pcs_state ps_security_state_at_el(const struct am_pe *pe, unsigned int el)
{
	static const enum pcs_state by_nse_ns[] = {
		PCS_STATE_SECURE, PCS_STATE_NONSECURE, PCS_STATE_ROOT, PCS_STATE_REALM,
	};

	if (pe->feat & AM_FEAT_RME) {
		if (el == 3)
			return PCS_STATE_ROOT;
		return by_nse_ns[(pe->scr_el3 >> 62 & 1) * 2 + ps_effective_scr_ns(pe)];
	}
	if (!ps_have_el(pe, 3))
		return pe->feat & AM_FEAT_SECURE_ONLY ? PCS_STATE_SECURE : PCS_STATE_NONSECURE;
	if (el == 3)
		return PCS_STATE_SECURE;
	return ps_effective_scr_ns(pe) ? PCS_STATE_NONSECURE : PCS_STATE_SECURE;
}

bool ps_el_is_in_host(const struct am_pe *pe, unsigned int el)
{
	bool e2h = pe->hcr_el2 >> 34 & 1, tge = pe->hcr_el2 >> 27 & 1;

	if (!(pe->feat & AM_FEAT_VHE) || !ps_el2_enabled(pe) || (pe->aa32 & 4))
		return false;
	switch (el) {
	case 2:
		return e2h;
	case 0:
		return e2h && tge;
	}
	return false;
}

bool ps_effective_tge(const struct am_pe *pe)
{
	return ps_el2_enabled(pe) ? pe->hcr_el2 >> 27 & 1 : false;
}

bool ps_is_possible(const struct am_pe *pe)
{
	unsigned int el;

	if (!ps_have_el(pe, pe->el))
		return false;
	for (el = 1; el < 4; el++)
		if ((pe->aa32 >> el & 1) && !(pe->aa32 >> (el - 1) & 1))
			return false;
	if (pe->el == 2)
		return ps_el2_enabled(pe) && ps_security_state_at_el(pe, 2) != PCS_STATE_ROOT;
	if (pe->el < 2 && ps_security_state_at_el(pe, pe->el) == PCS_STATE_ROOT)
		return false;
	return !(pe->el == 1 && ps_effective_tge(pe));
}
