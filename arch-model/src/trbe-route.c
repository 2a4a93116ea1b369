// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a trace buffer management event is recorded, and what becomes of it; see trbe.h.
 * Written from the rules of D6.5.
 */
#include <arch-model/control-regs.h>
#include <arch-model/trbe-regs.h>
#include <arch-model/trbe.h>

/* Controls */

static unsigned int am_trbee(const struct am_pe *pe)
{
	/* Without EL3 the field behaves as 0b01 */
	if (!am_has(pe, AM_FEAT_EL3))
		return AM_CTL_DELEGATE;
	return FIELD_GET(MDCR_EL3_TRBEE, pe->mdcr_el3);
}

/* Rules: IWKGWP */
/* Reading: F1-16 */
struct am_verdict am_trbe_ee2(const struct am_pe *pe, const struct am_trbe *trbe)
{
	unsigned int ee = FIELD_GET(TRFCR_EE, trbe->trfcr_el2);

	if (!am_has(pe, AM_FEAT_TRBE_EXC))
		return am_verdict(AM_CTL_OFF, AM_WHY_TRBE_NO_EXC);
	if (!trbe->self_hosted)
		return am_verdict(AM_CTL_OFF, AM_WHY_TRBE_EXTERNAL_MODE);
	if (am_trbee(pe) == AM_CTL_OFF)
		return am_verdict(AM_CTL_OFF, AM_WHY_TRBE_TRBEE_OFF);
	if (!am_el2_enabled(pe))
		return am_verdict(AM_CTL_DELEGATE, AM_WHY_TRBE_NO_EL2);
	return am_verdict_of(ee, AM_WHY_TRBE_EE2, ee);
}

/* Rules: RVSCDV */
/* Reading: F1-14 F1-15 */
struct am_verdict am_trbe_ee1(const struct am_pe *pe, const struct am_trbe *trbe)
{
	struct am_verdict ee2 = am_trbe_ee2(pe, trbe);
	unsigned int ee = FIELD_GET(TRFCR_EE, trbe->trfcr_el1);
	int on = ee & AM_CTL_OWN ? AM_CTL_ON : AM_CTL_OFF;

	if (ee2.is == AM_CTL_OFF)
		return ee2;
	if (on != (int)ee)
		return am_verdict_of(on, AM_WHY_TRBE_EE1_RESERVED, ee);
	return am_verdict_of(on, AM_WHY_TRBE_EE1, ee);
}

/* Owner */

/* Security state that MDCR_EL3.{NSTBE,NSTB} names: enum pcs_state; AM_RESERVED if it names none */
static int am_trbe_owning_state(const struct am_pe *pe)
{
	bool rme = am_has(pe, AM_FEAT_RME);
	unsigned int nstb = FIELD_GET(MDCR_EL3_NSTB, pe->mdcr_el3);
	bool nstbe = rme && (pe->mdcr_el3 & MDCR_EL3_NSTBE);

	if (!am_has(pe, AM_FEAT_EL3))
		return am_has(pe, AM_FEAT_SECURE_ONLY) ? PCS_STATE_SECURE : PCS_STATE_NONSECURE;
	if (nstb & 2)
		return nstbe ? PCS_STATE_REALM : PCS_STATE_NONSECURE;
	if (nstbe || (rme && !am_has(pe, AM_FEAT_SEL2)))
		return AM_RESERVED;
	return PCS_STATE_SECURE;
}

/* Rules: SXLNJY */
struct am_verdict am_trbe_owner(const struct am_pe *pe)
{
	unsigned int e2tb = FIELD_GET(MDCR_EL2_E2TB, pe->mdcr_el2);
	int state = am_trbe_owning_state(pe);

	if (state == AM_RESERVED)
		return am_verdict(AM_RESERVED, AM_WHY_TRBE_NSTB_RESERVED);
	if (!am_has(pe, AM_FEAT_EL2) || (state == PCS_STATE_SECURE && !am_secure_el2_enabled(pe)))
		return am_verdict_of(1, AM_WHY_TRBE_NO_OWNING_EL2, state);
	if (e2tb == 0)
		return am_verdict_of(2, AM_WHY_TRBE_E2TB, state);
	if (e2tb & 2)
		return am_verdict_of(1, AM_WHY_TRBE_E2TB, state);
	return am_verdict_of(AM_RESERVED, AM_WHY_TRBE_E2TB_RESERVED, state);
}

/* Why the PE is not in the owning Security state; AM_WHY_NONE if it is */
static enum am_why am_not_owning(const struct am_pe *pe)
{
	int state = am_trbe_owning_state(pe);

	if (state == AM_RESERVED)
		return AM_WHY_TRBE_NSTB_RESERVED;
	return state == (int)am_security_state(pe) ? AM_WHY_NONE : AM_WHY_TRBE_NOT_OWNING;
}

/* Recording */

static bool am_is_gpf(unsigned int fsc)
{
	return fsc >= 0x22 && fsc <= 0x28;
}

/* An asynchronous External abort, 0x11, would not be a Data Abort of a store: not one of these */
static bool am_is_sync_external(unsigned int fsc)
{
	return fsc == 0x10 || (fsc >= 0x12 && fsc <= 0x17) || fsc == 0x1B;
}

/* Rules: IKKVYZ */
/* Reading: F1-23 */
struct am_verdict am_trbe_class(const struct am_pe *pe, unsigned int ec, unsigned int fsc)
{
	bool rme = am_has(pe, AM_FEAT_RME);
	int stage2 = ec == TRBSR_EC_STAGE2 ? AM_TRBE_S2_GPF - AM_TRBE_S1_GPF : 0;

	switch (ec) {
	case TRBSR_EC_OTHER:
	case TRBSR_EC_IMPDEF:
		return am_verdict_of(AM_TRBE_OTHER, AM_WHY_TRBE_CLASS, ec);
	case TRBSR_EC_GPC:
		if (rme)
			return am_verdict_of(AM_TRBE_GPC, AM_WHY_TRBE_CLASS, ec);
		break;
	case TRBSR_EC_STAGE1:
	case TRBSR_EC_STAGE2:
		if (rme && am_is_gpf(fsc))
			return am_verdict_of(AM_TRBE_S1_GPF + stage2, AM_WHY_TRBE_CLASS, ec);
		if (am_is_sync_external(fsc))
			return am_verdict_of(AM_TRBE_S1_EXTERNAL + stage2, AM_WHY_TRBE_CLASS, ec);
		return am_verdict_of(AM_TRBE_S1_ABORT + stage2, AM_WHY_TRBE_CLASS, ec);
	}
	return am_verdict_of(AM_RESERVED, AM_WHY_TRBE_EC_RESERVED, ec);
}

/* A control and the class of abort that it takes, as MDCR_EL3.TRBEE or TRFCR_EL2.EE of 0b10 ask */
static bool am_takes(bool control, enum am_trbe_class class, enum am_trbe_class stage1)
{
	return control && (class == stage1 ||
			   class == stage1 + (AM_TRBE_S2_GPF - AM_TRBE_S1_GPF));
}

/* Would EL3 take the Data Abort, if a store at the owning Exception level made it? */
static enum am_why am_abort_is_for_el3(const struct am_pe *pe, enum am_trbe_class class)
{
	if (class == AM_TRBE_GPC)
		return AM_WHY_TRBE_EL3_GPC;
	if (am_takes(pe->scr_el3 & SCR_EL3_GPF, class, AM_TRBE_S1_GPF))
		return AM_WHY_TRBE_EL3_GPF;
	/* The Effective value of EA is 0 in Debug state */
	if (am_takes((pe->scr_el3 & SCR_EL3_EA) && !pe->halted, class, AM_TRBE_S1_EXTERNAL))
		return AM_WHY_TRBE_EL3_EA;
	return AM_WHY_NONE;
}

/* The same for EL2. The reason may be that the owner, which decides, is reserved */
static enum am_why am_abort_is_for_el2(const struct am_pe *pe, enum am_trbe_class class)
{
	struct am_verdict owner = am_trbe_owner(pe);

	if (class == AM_TRBE_OTHER)
		return AM_WHY_NONE;
	if (class == AM_TRBE_GPC)
		return AM_WHY_TRBE_EL2_GPC;
	if (class >= AM_TRBE_S2_GPF)
		return AM_WHY_TRBE_EL2_STAGE2;
	if (owner.is == 2)
		return AM_WHY_TRBE_EL2_OWNER;
	if (am_takes(pe->hcr_el2 & HCR_EL2_GPF, class, AM_TRBE_S1_GPF))
		return AM_WHY_TRBE_EL2_GPF;
	if (am_takes((pe->hcr_el2 & HCR_EL2_TEA) && am_has(pe, AM_FEAT_RAS), class,
		     AM_TRBE_S1_EXTERNAL))
		return AM_WHY_TRBE_EL2_TEA;
	return owner.is == AM_RESERVED ? owner.why : AM_WHY_NONE;
}

static bool am_is_reserved(enum am_why why)
{
	return why == AM_WHY_TRBE_NSTB_RESERVED || why == AM_WHY_TRBE_E2TB_RESERVED;
}

/* Rules: RBNQRP RHLKSG IPRSXC IHWBCW ICFYMJ ITCNHM INFZKS */
struct am_verdict am_trbe_record(const struct am_pe *pe, const struct am_trbe *trbe,
				 enum am_trbe_class class)
{
	struct am_verdict ee2 = am_trbe_ee2(pe, trbe);
	enum am_why why;

	if (!am_has(pe, AM_FEAT_TRBE_EXC) || !trbe->self_hosted)
		return am_verdict(1, ee2.why);

	if (am_has(pe, AM_FEAT_EL3) && am_trbee(pe) == AM_CTL_ON)
		return am_verdict(3, AM_WHY_TRBE_EL3_ALL);
	why = am_abort_is_for_el3(pe, class);
	if (am_trbee(pe) == AM_CTL_OWN && why)
		return am_verdict(3, why);

	if (ee2.is == AM_CTL_ON)
		return am_verdict(2, AM_WHY_TRBE_EL2_ALL);
	why = am_abort_is_for_el2(pe, class);
	if (ee2.is == AM_CTL_OWN && why)
		return am_verdict(am_is_reserved(why) ? AM_RESERVED : 2, why);

	return am_verdict(1, AM_WHY_TRBE_EL1);
}

/* Delivery */

static struct am_verdict am_masked(enum am_why why)
{
	return am_verdict(am_is_reserved(why) ? AM_RESERVED : AM_DELIVERY_MASKED, why);
}

static struct am_verdict am_trbe_delivery3(const struct am_pe *pe)
{
	if (!(am_trbee(pe) & AM_CTL_OWN))
		return am_verdict_of(AM_DELIVERY_NONE, AM_WHY_TRBE_TRBEE, am_trbee(pe));
	if (pe->halted)
		return am_masked(AM_WHY_TRBE_DEBUG);
	if (pe->el == 3)
		return am_masked(AM_WHY_TRBE_AT_EL3);
	return am_verdict(AM_DELIVERY_EL3, AM_WHY_TRBE_TAKEN_EL3);
}

static struct am_verdict am_trbe_delivery2(const struct am_pe *pe, const struct am_trbe *trbe)
{
	struct am_verdict ee2 = am_trbe_ee2(pe, trbe);
	enum am_why not_owning = am_not_owning(pe);

	if (!(ee2.is & AM_CTL_OWN))
		return am_verdict_of(AM_DELIVERY_NONE, ee2.why, ee2.detail);
	if (pe->halted)
		return am_masked(AM_WHY_TRBE_DEBUG);
	if (pe->el == 3)
		return am_masked(AM_WHY_TRBE_AT_EL3);
	if (not_owning)
		return am_masked(not_owning);
	if (pe->el < 2)
		return am_verdict(AM_DELIVERY_EL2, AM_WHY_TRBE_TAKEN_EL2);
	if (ee2.is != AM_CTL_ON)
		return am_masked(AM_WHY_TRBE_EE2_OWN);
	if (!(trbe->trfcr_el2 & TRFCR_KE))
		return am_masked(AM_WHY_TRBE_KE2);
	if (pe->pm)
		return am_verdict(AM_DELIVERY_MASKED_PM, AM_WHY_TRBE_PM);
	return am_verdict(AM_DELIVERY_EL2, AM_WHY_TRBE_TAKEN_EL2);
}

static struct am_verdict am_trbe_delivery1(const struct am_pe *pe, const struct am_trbe *trbe)
{
	struct am_verdict ee1 = am_trbe_ee1(pe, trbe);
	enum am_why not_owning = am_not_owning(pe);

	if (ee1.is == AM_CTL_OFF)
		return am_verdict_of(AM_DELIVERY_IRQ, ee1.why, ee1.detail);
	if (pe->halted)
		return am_masked(AM_WHY_TRBE_DEBUG);
	if (pe->el == 3)
		return am_masked(AM_WHY_TRBE_AT_EL3);
	if (not_owning)
		return am_masked(not_owning);
	if (pe->el == 2)
		return am_masked(AM_WHY_TRBE_AT_EL2);
	if (pe->el == 0) {
		if (am_effective_tge(pe))
			return am_verdict(AM_DELIVERY_EL2, AM_WHY_TRBE_TAKEN_TGE);
		return am_verdict(AM_DELIVERY_EL1, AM_WHY_TRBE_TAKEN_EL1);
	}
	if (!(trbe->trfcr_el1 & TRFCR_KE))
		return am_masked(AM_WHY_TRBE_KE1);
	if (pe->pm)
		return am_verdict(AM_DELIVERY_MASKED_PM, AM_WHY_TRBE_PM);
	return am_verdict(AM_DELIVERY_EL1, AM_WHY_TRBE_TAKEN_EL1);
}

/* Rules: RMFMXQ IMTLSX IWKGWP IQPKBN IKKVYZ */
/* Reading: F1-14 F1-16 */
struct am_verdict am_trbe_delivery(const struct am_pe *pe, const struct am_trbe *trbe,
				   unsigned int el)
{
	enum am_why impossible = am_pe_check(pe);
	struct am_verdict ee2 = am_trbe_ee2(pe, trbe);

	if (impossible)
		return am_verdict(AM_RESERVED, impossible);

	switch (el) {
	case 1:
		return am_trbe_delivery1(pe, trbe);
	case 2:
		return am_trbe_delivery2(pe, trbe);
	case 3:
		if (!am_has(pe, AM_FEAT_TRBE_EXC) || !trbe->self_hosted)
			return am_verdict(AM_DELIVERY_NONE, ee2.why);
		return am_trbe_delivery3(pe);
	}
	return am_verdict_of(AM_RESERVED, AM_WHY_TRBE_NO_TRBSR, el);
}

/* Rules: RMFMXQ IMTLSX IHWBCW ITCNHM */
unsigned int am_trbe_pending(const struct am_pe *pe, const struct am_trbe *trbe)
{
	unsigned int el, pending = 0;
	int delivery;

	for (el = 1; el <= 3; el++) {
		delivery = am_trbe_delivery(pe, trbe, el).is;
		if (am_is_taken(delivery) && (trbe->trbsr[el] & TRBSR_IRQ))
			pending |= 1U << (delivery - AM_DELIVERY_EL1 + 1);
	}
	return pending;
}

/* Rules: RVSCDV */
struct am_verdict am_trbirq_enabled(const struct am_pe *pe, const struct am_trbe *trbe)
{
	struct am_verdict ee1 = am_trbe_ee1(pe, trbe);

	ee1.is = ee1.is == AM_CTL_OFF;
	return ee1;
}

/* Rules: RVSCDV DLRTBP RTPPCF */
bool am_trbirq(const struct am_pe *pe, const struct am_trbe *trbe)
{
	return am_trbirq_enabled(pe, trbe).is && (trbe->trbsr[1] & TRBSR_IRQ);
}
