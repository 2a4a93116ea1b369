// SPDX-License-Identifier: GPL-2.0-only
/*
 * Enumeration of PE states; see test.h. Which states are possible is computed a second time here,
 * by the manual's SecurityStateAtEL(), EL2Enabled() and IsSecureEL2Enabled() (J1.3); the first test
 * compares am_pe_check() and its neighbours with it.
 */
#include <arch-model/control-regs.h>

#include "test.h"
#include "pseudo.h"

static const u64 am_walk_features[] = {
	AM_FEAT_AA64,
	AM_FEAT_AA64 | AM_FEAT_SECURE_ONLY,
	AM_FEAT_AA64 | AM_FEAT_EL2,
	AM_FEAT_AA64 | AM_FEAT_EL2 | AM_FEAT_SECURE_ONLY | AM_FEAT_SEL2,
	AM_FEAT_AA64 | AM_FEAT_EL3,
	AM_FEAT_AA64 | AM_FEAT_EL3 | AM_FEAT_EL2,
	AM_FEAT_AA64 | AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_SEL2,
	AM_FEAT_AA64 | AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_RME,
	AM_FEAT_AA64 | AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_RME | AM_FEAT_SEL2,
};

/* A lower Exception level uses AArch32 if a higher one does; the last value violates that */
static const u8 am_walk_aa32[] = { 0x0, 0x1, 0x3, 0x7, 0xF, 0x6 };

/* Take a value below @values off a counter */
static unsigned int am_take(unsigned int *step, unsigned int values)
{
	unsigned int value = *step % values;

	*step /= values;
	return value;
}

bool am_pe_next(struct am_pe_walk *walk)
{
	struct am_pe *pe = &walk->pe;
	unsigned int step = walk->step++;
	bool vhe;

	pe->el = am_take(&step, 4);
	pe->scr_el3 = am_take(&step, 2) ? SCR_EL3_NS : 0;
	pe->scr_el3 |= am_take(&step, 2) ? SCR_EL3_NSE : 0;
	pe->scr_el3 |= am_take(&step, 2) ? SCR_EL3_EEL2 : 0;
	pe->hcr_el2 = am_take(&step, 2) ? HCR_EL2_TGE : 0;
	pe->hcr_el2 |= am_take(&step, 2) ? HCR_EL2_E2H : 0;
	pe->aa32 = am_walk_aa32[am_take(&step, ARRAY_LEN(am_walk_aa32))];
	vhe = am_take(&step, 2);
	if (step >= ARRAY_LEN(am_walk_features))
		return false;
	pe->feat = am_walk_features[step] | (vhe ? AM_FEAT_VHE : 0);
	walk->possible = ps_is_possible(pe);
	return true;
}
