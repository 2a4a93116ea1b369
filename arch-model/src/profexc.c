// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiling exceptions as such; see profexc.h.
 */
#include <arch-model/pmu-regs.h>
#include <arch-model/profexc.h>

/* Rules: IPZBKW IZLVHR IFNPMD */
u64 am_profexc_esr(enum am_profexc_source source, bool synchronous)
{
	u64 esr = FIELD_PREP(ESR_EC, ESR_EC_PROFILING) | FIELD_PREP(ESR_PROFILING_FSC, source);

	if (source == AM_PROFEXC_PMU && synchronous)
		esr |= ESR_PROFILING_SYNC;
	return esr;
}

/* Rules: IPZBKW IYZZVC IZLVHR */
struct am_verdict am_profexc_source(const struct am_pe *pe, u64 esr)
{
	unsigned int fsc = FIELD_GET(ESR_PROFILING_FSC, esr);
	bool sync = esr & ESR_PROFILING_SYNC;

	if (FIELD_GET(ESR_EC, esr) != ESR_EC_PROFILING)
		return am_verdict(AM_RESERVED, AM_WHY_PROFEXC_NOT);

	if (fsc == AM_PROFEXC_PMU && am_has(pe, AM_FEAT_EBEP)) {
		if (sync && am_has(pe, AM_FEAT_SEBEP))
			return am_verdict_of(fsc, AM_WHY_PROFEXC_SYNC, 1);
		return am_verdict(fsc, AM_WHY_PROFEXC_ASYNC);
	}
	if (fsc == AM_PROFEXC_SPE && am_has(pe, AM_FEAT_SPE_EXC))
		return am_verdict(fsc, AM_WHY_PROFEXC_ASYNC);
	if (fsc == AM_PROFEXC_TRBE && am_has(pe, AM_FEAT_TRBE_EXC))
		return am_verdict(fsc, AM_WHY_PROFEXC_ASYNC);
	return am_verdict_of(AM_RESERVED, AM_WHY_PROFEXC_FSC, fsc);
}

/* Does the Exception level below @target, which decides the vector, use AArch32? */
static bool am_lower_uses_aa32(const struct am_pe *pe, unsigned int target)
{
	if (target == 3)
		return am_uses_aa32(pe, am_el2_enabled(pe) ? 2 : 1);
	if (target == 2 && pe->el == 0 && am_el_is_in_host(pe, 0))
		return am_uses_aa32(pe, 0);
	return am_uses_aa32(pe, target - 1);
}

/* Rules: IKLVCH */
unsigned int am_profexc_vector(const struct am_pe *pe, unsigned int target, bool sp_elx)
{
	if (target == pe->el)
		return sp_elx ? 0x200 : 0x000;
	return am_lower_uses_aa32(pe, target) ? 0x600 : 0x400;
}

/* Rules: IGMXLL */
unsigned int am_profexc_priority(bool synchronous)
{
	return synchronous ? 5 : 0;
}

/* Reading: F1-13 */
bool am_has_pm(const struct am_pe *pe)
{
	return pe->feat & (AM_FEAT_EBEP | AM_FEAT_SPE_EXC | AM_FEAT_TRBE_EXC);
}

/* Rules: RDKCTL RHFTPJ RYXTTY IMTLSX */
/* Reading: F3-1 */
struct am_verdict am_profexc_when(const struct am_sync_point *point)
{
	if (!point->deliverable)
		return am_verdict(AM_WHEN_NEVER, AM_WHY_WHEN_NOT_DELIVERABLE);
	if (point->observed && point->synchronised && point->next)
		return am_verdict(AM_WHEN_BEFORE_C, AM_WHY_WHEN_SYNCHRONISED);
	return am_verdict(AM_WHEN_FINITE, AM_WHY_WHEN_FINITE);
}

/* Rules: RTPPCF */
bool am_is_ppi(unsigned int intid)
{
	return (intid >= 16 && intid <= 31) || (intid >= 1056 && intid <= 1119);
}
