// SPDX-License-Identifier: GPL-2.0-only
/*
 * Security state and Effective values that all parts of the model share.
 * Arm DDI 0487 M.a.a, D24.2 (SCR_EL3, HCR_EL2) and the definition of Effective value.
 */
#include <arch-model/control-regs.h>
#include <arch-model/pe.h>

bool am_effective_ns(const struct am_pe *pe)
{
	if (!am_has(pe, AM_FEAT_EL3))
		return !am_has(pe, AM_FEAT_SECURE_ONLY);

	/* With FEAT_RME and no FEAT_SEL2 there is no Secure state (SCR_EL3.NS) */
	if (am_has(pe, AM_FEAT_RME) && !am_has(pe, AM_FEAT_SEL2))
		return true;
	return pe->scr_el3 & SCR_EL3_NS;
}

enum pcs_state am_security_state(const struct am_pe *pe)
{
	bool nse = am_has(pe, AM_FEAT_EL3 | AM_FEAT_RME) && (pe->scr_el3 & SCR_EL3_NSE);

	if (pe->el == 3)
		return am_has(pe, AM_FEAT_RME) ? PCS_STATE_ROOT : PCS_STATE_SECURE;
	return (enum pcs_state)(nse << 1 | am_effective_ns(pe));
}

bool am_secure_el2_enabled(const struct am_pe *pe)
{
	if (!am_has(pe, AM_FEAT_EL2 | AM_FEAT_SEL2))
		return false;
	if (!am_has(pe, AM_FEAT_EL3))
		return true;
	return !am_uses_aa32(pe, 3) && (pe->scr_el3 & SCR_EL3_EEL2);
}

bool am_el2_enabled(const struct am_pe *pe)
{
	if (!am_has(pe, AM_FEAT_EL2))
		return false;
	return am_effective_ns(pe) || am_secure_el2_enabled(pe);
}

bool am_effective_tge(const struct am_pe *pe)
{
	return am_el2_enabled(pe) && (pe->hcr_el2 & HCR_EL2_TGE);
}

bool am_el_is_in_host(const struct am_pe *pe, unsigned int el)
{
	if (!am_has(pe, AM_FEAT_VHE) || !am_el2_enabled(pe) || am_uses_aa32(pe, 2))
		return false;
	if (!(pe->hcr_el2 & HCR_EL2_E2H))
		return false;
	return el == 2 || (el == 0 && (pe->hcr_el2 & HCR_EL2_TGE));
}

/* Exception levels that the PE implements, bit n for ELn */
static unsigned int am_implemented(const struct am_pe *pe)
{
	return 3U | (am_has(pe, AM_FEAT_EL2) ? 4U : 0) | (am_has(pe, AM_FEAT_EL3) ? 8U : 0);
}

enum am_why am_pe_check(const struct am_pe *pe)
{
	if (pe->el > 3 || (pe->el == 3 && !am_has(pe, AM_FEAT_EL3)))
		return AM_WHY_PE_NO_EL;
	if (pe->el == 2 && !am_el2_enabled(pe))
		return AM_WHY_PE_NO_EL;
	if (pe->el < 3 && am_security_state(pe) == PCS_STATE_ROOT)
		return AM_WHY_PE_STATE;
	if (pe->el == 1 && am_effective_tge(pe))
		return AM_WHY_PE_TGE;
	/* An Exception level below one that uses AArch32 uses AArch32 */
	if (pe->aa32 & (pe->aa32 + 1))
		return AM_WHY_PE_AA32;
	if (!am_has(pe, AM_FEAT_AA64) && (am_implemented(pe) & ~pe->aa32))
		return AM_WHY_PE_NO_AA64;
	return AM_WHY_NONE;
}
