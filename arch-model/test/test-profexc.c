// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiling exceptions: syndrome, vector, priority and time, compared with TakeException() and
 * TakeProfilingException() of the shared pseudocode (J1.1.1.49, J1.1.2.35).
 */
#include <arch-model/profexc.h>

#include "pseudo.h"
#include "test.h"

static const struct am_pe all_pe = {
	.feat = AM_FEAT_AA64 | AM_FEAT_EBEP | AM_FEAT_SEBEP | AM_FEAT_SPE_EXC | AM_FEAT_TRBE_EXC,
};

static bool bit(u64 reg, unsigned int number)
{
	return reg >> number & 1;
}

/* Rules: IPZBKW IYZZVC IZLVHR IFNPMD */
static void test_syndrome(void)
{
	struct am_pe pe = all_pe;
	struct am_verdict verdict;
	unsigned int ec, fsc, sync, f;
	bool known, ebep, sebep;
	u64 esr, random = 0;

	/* Encoding: EC 0x3D, FSC in bits [5:1], SYNC in bit 0 for the PMU only, other bits 0 */
	for (fsc = AM_PROFEXC_PMU; fsc <= AM_PROFEXC_TRBE; fsc++) {
		for (sync = 0; sync < 2; sync++) {
			esr = 0xF4000000 | fsc << 1 | (fsc ? 0 : sync);
			EXPECT_EQ(am_profexc_esr(fsc, sync), esr, "ESR_ELx");
		}
	}

	/*
	 * Decoding, with any IL, ISS2 and other ISS bits, at any level, with any levels in AArch32.
	 * f: EBEP, SEBEP, SPE_EXC, TRBE_EXC
	 */
	for (f = 0; f < 16; f++) {
		pe.feat = AM_FEAT_AA64 | (f & 1 ? AM_FEAT_EBEP : 0) | (f & 2 ? AM_FEAT_SEBEP : 0) |
			  (f & 4 ? AM_FEAT_SPE_EXC : 0) | (f & 8 ? AM_FEAT_TRBE_EXC : 0);
		for (esr = 0; esr < 64 * 64 * 2; esr++) {
			ec = esr >> 7;
			fsc = esr >> 1 & 0x1F;
			sync = esr & 1;
			ebep = f & 1;
			sebep = f & 2;
			pe.aa32 = am_random(&random) & 0xF;
			pe.el = am_random(&random) & 3;
			verdict = am_profexc_source(&pe, (u64)ec << 26 | (esr & 0x3F) |
						    (bit(esr, 6) ? 0xFFFFFF0002000000 : 0));
			known = (fsc == 0 && ebep) || (fsc == 1 && bit(f, 2)) ||
				(fsc == 2 && bit(f, 3));
			if (ec != 0x3D) {
				EXPECT(verdict.is == AM_RESERVED &&
				       verdict.why == AM_WHY_PROFEXC_NOT, "EC %#x: %d", ec,
				       verdict.is);
			} else if (!known) {
				EXPECT(verdict.is == AM_RESERVED && verdict.detail == fsc &&
				       verdict.why == AM_WHY_PROFEXC_FSC, "FSC %u: %d", fsc,
				       verdict.is);
			} else {
				sync = sync && fsc == 0 && sebep;
				EXPECT(verdict.is == (int)fsc && verdict.detail == sync &&
				       verdict.why == (sync ? AM_WHY_PROFEXC_SYNC :
						       AM_WHY_PROFEXC_ASYNC),
				       "FSC %u, features %#x: %d, reason %u", fsc, f, verdict.is,
				       verdict.why);
			}
		}
	}
}

/* Rules: IKLVCH */
static void test_vector(void)
{
	struct am_pe_walk walk = { .step = 0 };
	const struct am_pe *pe = &walk.pe;
	unsigned int target, offset, sp;
	bool lower_32;

	while (am_pe_next(&walk)) {
		if (!walk.possible)
			continue;
		for (target = pe->el ? pe->el : 1; target < 4; target++) {
			/* A level that does not exist or uses AArch32 takes no such exception */
			if (!ps_have_el(pe, target) || bit(pe->aa32, target) ||
			    (target == 2 && !ps_el2_enabled(pe)))
				continue;
			for (sp = 0; sp < 2; sp++) {
				offset = 0;
				if (target > pe->el) {
					if (target == 3)
						lower_32 = bit(pe->aa32,
							       ps_el2_enabled(pe) ? 2 : 1);
					else if (target == 2 && pe->el == 0 &&
						 ps_el_is_in_host(pe, 0))
						lower_32 = bit(pe->aa32, 0);
					else
						lower_32 = bit(pe->aa32, target - 1);
					offset += lower_32 ? 0x600 : 0x400;
				} else if (sp) {
					offset += 0x200;
				}
				EXPECT_EQ(am_profexc_vector(pe, target, sp), offset, "vector");
			}
		}
	}
}

/* Rules: IGMXLL RDKCTL RHFTPJ RYXTTY IMTLSX */
/* Reading: F3-1 */
static void test_when(void)
{
	struct am_sync_point point;
	struct am_verdict verdict;
	unsigned int n;

	/* Only the synchronous PMU exception has a priority among synchronous ones (D1.4.5.6) */
	EXPECT_EQ(am_profexc_priority(true), 5, "priority");
	EXPECT_EQ(am_profexc_priority(false), 0, "priority, IMPLEMENTATION DEFINED");

	/* It is certainly taken before C if A, B and C follow the rule and C does not mask it */
	for (n = 0; n < 16; n++) {
		point = (struct am_sync_point){
			.observed = bit(n, 0), .synchronised = bit(n, 1), .next = bit(n, 2),
			.deliverable = bit(n, 3),
		};
		verdict = am_profexc_when(&point);
		if (n < 8)
			EXPECT(verdict.is == AM_WHEN_NEVER &&
			       verdict.why == AM_WHY_WHEN_NOT_DELIVERABLE, "%#x: %d", n,
			       verdict.is);
		else if (n < 15)
			EXPECT(verdict.is == AM_WHEN_FINITE && verdict.why == AM_WHY_WHEN_FINITE,
			       "%#x: %d", n, verdict.is);
		else
			EXPECT(verdict.is == AM_WHEN_BEFORE_C &&
			       verdict.why == AM_WHY_WHEN_SYNCHRONISED, "%#x: %d", n, verdict.is);
	}
}

/* Reading: F1-13 */
static void test_pm(void)
{
	static const u64 features[] = { AM_FEAT_EBEP, AM_FEAT_SPE_EXC, AM_FEAT_TRBE_EXC };
	struct am_pe pe = { .feat = 0 };
	unsigned int n;

	/* Each feature with a Profiling exception has PSTATE.PM; no other feature does */
	for (n = 0; n < ARRAY_LEN(features); n++) {
		pe.feat = features[n];
		EXPECT_EQ(am_has_pm(&pe), true, "PSTATE.PM");
	}
	pe.feat = ~(AM_FEAT_EBEP | AM_FEAT_SPE_EXC | AM_FEAT_TRBE_EXC);
	EXPECT_EQ(am_has_pm(&pe), false, "PSTATE.PM of the others");
}

const struct am_test am_tests_profexc[] = {
	{ "syndrome", test_syndrome, 131078 },
	{ "vector", test_vector, 16696 },
	{ "when, and with which priority", test_when, 18 },
	{ "PSTATE.PM", test_pm, 4 },
	{ NULL, NULL, 0 },
};
