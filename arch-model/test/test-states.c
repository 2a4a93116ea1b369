// SPDX-License-Identifier: GPL-2.0-only
/*
 * Independence. Other tests compare answers with a second formulation. These change everything in
 * the PE at random that a rule does not mention, and expect the same answer: a decision must not
 * depend on the Exception level, on PSTATE.PM or on a feature unless its rule says so.
 */
#include <arch-model/pc-sample.h>
#include <arch-model/pcsr.h>
#include <arch-model/pmu.h>
#include <arch-model/profexc.h>
#include <arch-model/trbe.h>

#include "pseudo.h"
#include "test.h"

/* The features that decide which states exist: the walk sets them */
#define STRUCTURE	(AM_FEAT_AA64 | AM_FEAT_EL2 | AM_FEAT_EL3 | AM_FEAT_SECURE_ONLY | \
			 AM_FEAT_SEL2 | AM_FEAT_RME | AM_FEAT_VHE)

/* Go to the next possible state, and set at random what the walk does not set */
static bool next_noisy(struct am_pe_walk *walk, struct am_pe *pe, u64 *random)
{
	do {
		if (!am_pe_next(walk))
			return false;
	} while (!walk->possible);
	*pe = walk->pe;
	pe->feat |= am_random(random) & ~STRUCTURE;
	pe->mdcr_el3 = am_random(random);
	pe->mdcr_el2 = am_random(random);
	pe->sder = am_random(random);
	pe->pm = am_random(random) & 1;
	pe->ppend = am_random(random) & 1;
	pe->halted = !(am_random(random) & 7);
	return true;
}

/* A PE at Non-secure EL1 with some of the features of @pe and nothing else of it */
static struct am_pe only_features(const struct am_pe *pe, u64 feat)
{
	return (struct am_pe){ .feat = pe->feat & feat, .el = 1, .scr_el3 = SCR_EL3_NS };
}

static bool same(struct am_verdict a, struct am_verdict b)
{
	return a.is == b.is && a.why == b.why && a.detail == b.detail;
}

/**
 * enum ignored - a part of the PE that a decision does not depend on
 * @IGNORED_EL: PSTATE.EL, also by way of am_el2_enabled()
 * @IGNORED_PM: PSTATE.PM
 * @IGNORED_PPEND: PSTATE.PPEND
 * @IGNORED_HALTED: Debug state
 * @IGNORED_SDER: SDER32_EL3
 * @IGNORED_HOST: HCR_EL2.{E2H,TGE}
 * @IGNORED_AA32: which levels use AArch32, and whether any can use AArch64
 * @IGNORED_SIGNALS: PSTATE.SM and the authentication interface, in the PMU's decisions
 */
enum ignored {
	IGNORED_EL = 1,
	IGNORED_PM = 2,
	IGNORED_PPEND = 4,
	IGNORED_HALTED = 8,
	IGNORED_SDER = 16,
	IGNORED_HOST = 32,
	IGNORED_AA32 = 64,
	IGNORED_SIGNALS = 128,
};

/* Registers of levels that are not implemented may have any value, as those of FEAT_RME */
static void change_absent(struct am_pe *pe, u64 *random)
{
	u64 any = am_random(random);

	if (!(pe->feat & AM_FEAT_EL2)) {
		pe->hcr_el2 = any;
		pe->mdcr_el2 = ~any;
	}
	if (!(pe->feat & AM_FEAT_EL3)) {
		pe->scr_el3 = any;
		pe->mdcr_el3 = ~any;
	} else if (!(pe->feat & AM_FEAT_RME)) {
		pe->scr_el3 ^= any & SCR_EL3_NSE;
	}
}

/* The PE with these parts changed at random, and all features but @feat */
static struct am_pe changed(const struct am_pe *pe, unsigned int ignored, u64 feat, u64 *random)
{
	struct am_pe other = *pe;
	u64 bits = am_random(random);

	other.feat ^= am_random(random) & ~(feat | STRUCTURE);
	if (ignored & IGNORED_EL)
		other.el = bits & 3;
	if (ignored & IGNORED_PM)
		other.pm = !pe->pm;
	if (ignored & IGNORED_PPEND)
		other.ppend = !pe->ppend;
	if (ignored & IGNORED_HALTED)
		other.halted = !pe->halted;
	if (ignored & IGNORED_SDER)
		other.sder = ~pe->sder;
	if (ignored & IGNORED_HOST)
		other.hcr_el2 ^= am_random(random) & (HCR_EL2_E2H | HCR_EL2_TGE);
	if (ignored & IGNORED_AA32) {
		other.aa32 = bits >> 2 & 0xF;
		other.feat ^= bits >> 6 & AM_FEAT_AA64;
	}
	change_absent(&other, random);
	return other;
}

/* Security states */

static void test_security_states(void)
{
	struct am_pe_walk walk = { .step = 0 };
	struct am_pe pe, other;
	unsigned int el;
	u64 random = 19;

	/* Whether the PE can be in a state, and which Security state that is */
	while (am_pe_next(&walk)) {
		pe = walk.pe;
		pe.feat ^= am_random(&random) & AM_FEAT_AA64;
		other = changed(&pe, IGNORED_PM | IGNORED_PPEND | IGNORED_HALTED | IGNORED_SDER, 0,
				&random);
		EXPECT(am_pe_check(&pe) == am_pe_check(&other), "possible");
	}

	walk.step = 0;
	while (next_noisy(&walk, &pe, &random)) {
		other = changed(&pe, IGNORED_PM | IGNORED_PPEND | IGNORED_HALTED | IGNORED_SDER, 0,
				&random);
		EXPECT(am_security_state(&pe) == am_security_state(&other), "Security state");
		other = changed(&other, IGNORED_EL, 0, &random);
		EXPECT(am_effective_ns(&pe) == am_effective_ns(&other), "Effective NS");
		EXPECT(am_el2_enabled(&pe) == am_el2_enabled(&other), "EL2 enabled");
		EXPECT(am_secure_el2_enabled(&pe) == am_secure_el2_enabled(&other), "Secure EL2");
		EXPECT(am_effective_tge(&pe) == am_effective_tge(&other), "TGE");
		for (el = 0; el < 4; el++)
			EXPECT(am_el_is_in_host(&pe, el) == am_el_is_in_host(&other, el), "host");
	}
}

/* PC sampling */

static struct am_value any_value(u64 *random)
{
	u64 unknown = am_random(random) & am_random(random) & 0xFFFFFFFF;

	return (struct am_value){ am_random(random) & ~unknown, unknown };
}

/* A random sampling state, whether or not it can be reached */
static void any_pcsr(struct am_pcsr *pcsr, u64 *random)
{
	unsigned int bits = am_random(random);

	*pcsr = (struct am_pcsr){
		.pmpcsctl = am_random(random) & 0x13,
		.suspended = bits & 1, .branch = bits & 2, .new_branch = bits & 4,
		.first = bits & 8, .obscured = !(bits >> 4 & 7),
		.sample = {
			.valid = bits & 0x80, .aa32 = bits & 0x100, .has_el2 = bits & 0x200,
			.el0_in_host = bits & 0x400, .el = bits >> 11 & 3,
			.state = (enum pcs_state)(bits >> 13 & 3), .vmid = am_random(random),
			.pc = am_random(random), .contextidr = am_random(random),
			.contextidr_el2 = any_value(random),
		},
		.pmpcsr = any_value(random), .pmcid1sr = any_value(random),
		.pmcid2sr = any_value(random), .pmvidsr = any_value(random),
		.edpcsr_hi = any_value(random), .edcidsr = any_value(random),
		.edvidsr = any_value(random),
	};
}

static bool same_sample(const struct am_pcs_sample *a, const struct am_pcs_sample *b)
{
	return a->valid == b->valid && a->aa32 == b->aa32 && a->has_el2 == b->has_el2 &&
	       a->el0_in_host == b->el0_in_host && a->el == b->el && a->state == b->state &&
	       a->vmid == b->vmid && a->pc == b->pc && a->contextidr == b->contextidr &&
	       am_same(a->contextidr_el2, b->contextidr_el2);
}

static bool same_pcsr(const struct am_pcsr *a, const struct am_pcsr *b)
{
	return a->pmpcsctl == b->pmpcsctl && a->suspended == b->suspended &&
	       a->branch == b->branch && a->new_branch == b->new_branch &&
	       a->first == b->first && a->obscured == b->obscured &&
	       same_sample(&a->sample, &b->sample) && am_same(a->pmpcsr, b->pmpcsr) &&
	       am_same(a->pmcid1sr, b->pmcid1sr) && am_same(a->pmcid2sr, b->pmcid2sr) &&
	       am_same(a->pmvidsr, b->pmvidsr) && am_same(a->edpcsr_hi, b->edpcsr_hi) &&
	       am_same(a->edcidsr, b->edcidsr) && am_same(a->edvidsr, b->edvidsr);
}

static bool same_read(const struct am_pcs_read *a, const struct am_pcs_read *b)
{
	return same(a->verdict, b->verdict) && am_same(a->value, b->value) &&
	       a->may_be_none == b->may_be_none;
}

/**
 * struct twins - a PE in any state, and one at Non-secure EL1 that may be sampled as well
 * @pe: in any state
 * @auth: its authentication interface
 * @plain: the other PE, with the features that registers depend on
 * @plain_auth: allows sampling of @plain if it is allowed for @pe
 * @pcsr: sampling state of @pe
 * @plain_pcsr: sampling state of @plain: the same, but for parts that do not matter
 */
struct twins {
	struct am_pe pe;
	struct am_auth auth;
	struct am_pe plain;
	struct am_auth plain_auth;
	struct am_pcsr pcsr;
	struct am_pcsr plain_pcsr;
};

/* PMPCSCTL decides whether sampling is suspended; the member of that name does not matter */
static bool is_state_in_ctl(const struct twins *twins)
{
	return am_pcs_mode(&twins->pe, &twins->pcsr).why != AM_WHY_PCS_IMPDEF;
}

/* Change what does not matter: whether a sample is valid follows from the branches */
static void change_unseen(struct twins *twins)
{
	twins->plain_pcsr.sample.valid = !twins->pcsr.sample.valid;
	if (is_state_in_ctl(twins))
		twins->plain_pcsr.suspended = !twins->pcsr.suspended;
}

static bool same_but_unseen(const struct twins *twins, const struct am_pcsr *a, struct am_pcsr b)
{
	b.sample.valid = a->sample.valid;
	if (is_state_in_ctl(twins))
		b.suspended = a->suspended;
	return same_pcsr(a, &b);
}

static bool next_twins(struct am_pe_walk *walk, struct twins *twins, u64 *random)
{
	unsigned int bits = am_random(random);

	if (!next_noisy(walk, &twins->pe, random))
		return false;
	twins->auth = (struct am_auth){
		.noninvasive = bits & 3, .secure = bits & 4, .realm = bits & 8, .root = bits & 16,
	};
	twins->plain = only_features(&twins->pe, AM_FEAT_EL2 | AM_FEAT_RME | AM_FEAT_VMID16 |
				     AM_FEAT_MOPS | AM_FEAT_DEBUGV8P1 | AM_FEAT_DEBUGV8P4 |
				     AM_FEAT_PCSRV8P2 | AM_FEAT_PCSRV8P9 | AM_FEAT_PMUV3_SS |
				     AM_FEAT_PMUV3_EXT64 | AM_FEAT_PMUV3_EXTPMN);
	twins->plain.feat |= AM_FEAT_AA64 | AM_FEAT_EL3;
	twins->plain.halted = twins->pe.halted;
	twins->plain_auth = (struct am_auth){
		.noninvasive = am_pcs_allowed(&twins->pe, &twins->auth).is,
	};
	any_pcsr(&twins->pcsr, random);
	twins->plain_pcsr = twins->pcsr;
	change_unseen(twins);
	return true;
}

/* Rules: S4-d S4-e S4-g S4-h S0-b */
static void test_sampling_controls(void)
{
	struct am_pe_walk walk = { .step = 0 };
	struct am_pcs_impdef impdef;
	struct am_pcsr pcsr, plain;
	struct am_pcs_access access;
	struct am_pe features;
	struct twins twins;
	u64 random = 20, n;

	while (next_twins(&walk, &twins, &random)) {
		n = am_random(&random);
		features = only_features(&twins.pe, AM_FEAT_PCSRV8P9 | AM_FEAT_PMUV3_SS);
		EXPECT(same(am_pcs_mode(&twins.pe, &twins.pcsr),
			    am_pcs_mode(&features, &twins.pcsr)), "mode");

		pcsr = twins.pcsr;
		plain = (struct am_pcsr){ .pmpcsctl = pcsr.pmpcsctl };
		am_pcsr_write_pmpcsctl(&pcsr, &twins.pe, n);
		am_pcsr_write_pmpcsctl(&plain, &features, n);
		EXPECT_EQ(pcsr.pmpcsctl, plain.pmpcsctl, "PMPCSCTL");
		/* SS = 1 makes sampling active, and a branch has to retire after it (D13.9) */
		plain = twins.pcsr;
		plain.pmpcsctl = pcsr.pmpcsctl;
		if (am_pcs_mode(&twins.pe, &pcsr).is == AM_PCS_ON_SNAPSHOT &&
		    am_pcs_mode(&twins.pe, &twins.pcsr).is != AM_PCS_ON_SNAPSHOT) {
			plain.suspended = false;
			plain.branch = false;
		}
		EXPECT(same_pcsr(&pcsr, &plain), "a write of PMPCSCTL changes more");
		pcsr = twins.pcsr;

		impdef = (struct am_pcs_impdef){ n & 1, n & 2 };
		features = only_features(&twins.pe, AM_FEAT_PCSRV8P2 | AM_FEAT_PCSRV8P9 |
					 AM_FEAT_RME | AM_FEAT_VMID16);
		/* Warm reset changes neither the registers nor what obscures them */
		plain = pcsr;
		plain.pmpcsctl = am_random(&random);
		plain.sample.aa32 = !plain.sample.aa32;
		plain.suspended = !plain.suspended;
		am_pcsr_reset(&pcsr, &twins.pe, &impdef, n & 4);
		am_pcsr_reset(&plain, &features, &impdef, n & 4);
		EXPECT(same_pcsr(&pcsr, &plain), "reset");

		access = (struct am_pcs_access){
			.core_off = !(n & 0x70), .double_lock = !(n & 0x380), .os_lock = n & 0x400,
			.oslo = n & 0x800, .most_secure = n & 0x1000, .memory_mapped = n & 0x2000,
			.software_locked = n & 0x4000,
		};
		features = only_features(&twins.pe, AM_FEAT_PMUV3_EXTPMN);
		EXPECT(same(am_pcs_accessible(&twins.pe, &access),
			    am_pcs_accessible(&features, &access)), "accessible");

		features = only_features(&twins.pe, AM_FEAT_AA64 | AM_FEAT_EL2 | AM_FEAT_EL3 |
					 AM_FEAT_PMUV3_SS);
		features.mdcr_el3 = twins.pe.mdcr_el3;
		features.mdcr_el2 = twins.pe.mdcr_el2;
		features.halted = twins.pe.halted;
		features.aa32 = twins.pe.aa32;
		EXPECT(same(am_capture_control(&twins.pe, n >> 15 & 3, n & 1, n & 2),
			    am_capture_control(&features, n >> 15 & 3, n & 1, n & 2)), "captures");
	}
}

/* Rules: S4-c */
static void test_authentication(void)
{
	struct am_pe_walk walk = { .step = 0 };
	struct am_auth_signals signals;
	struct am_auth auth, plain;
	struct am_verdict a, b;
	struct am_pe pe, other;
	u64 random = 21, n;

	while (next_noisy(&walk, &pe, &random)) {
		n = am_random(&random);
		signals = (struct am_auth_signals){ n & 1, n & 2, n & 4, n & 8, n & 16, n & 32 };
		other = only_features(&pe, AM_FEAT_EL3 | AM_FEAT_RME | AM_FEAT_SEL2 |
				      AM_FEAT_SECURE_ONLY | AM_FEAT_DEBUGV8P4);
		auth = am_auth_from_signals(&pe, &signals);
		plain = am_auth_from_signals(&other, &signals);
		EXPECT(auth.noninvasive == plain.noninvasive && auth.secure == plain.secure &&
		       auth.realm == plain.realm && auth.root == plain.root, "signals %#llx",
		       (unsigned long long)n & 63);

		other = walk.pe;
		other.sder = pe.sder;
		/* If every level uses AArch32, there need not be AArch64 */
		if (pe.aa32 == 0xF)
			other.feat &= ~AM_FEAT_AA64;
		a = am_pcs_allowed(&pe, &auth);
		b = am_pcs_allowed(&other, &auth);
		EXPECT(same(a, b), "allowed at EL%u: %d, %d", pe.el, a.is, b.is);
	}
}

/* Rules: S0-a S4-a S4-b S4-m */
static void test_sampling(void)
{
	struct am_pe_walk walk = { .step = 0 };
	struct am_pcs_sample sample;
	struct am_pcsr pcsr, plain;
	struct am_pcs_insn insn;
	struct twins twins;
	struct am_pe pe;
	u64 random = 22;

	while (next_twins(&walk, &twins, &random)) {
		insn = (struct am_pcs_insn){
			.pc = am_random(&random), .branch = am_random(&random) & 1,
			.contextidr = am_random(&random), .contextidr_el2 = am_random(&random),
			.vmid = am_random(&random), .vs = am_random(&random) & 1,
		};
		/* A sample has the level and state in which it was made */
		pe = walk.pe;
		pe.feat |= twins.pe.feat & (AM_FEAT_VMID16 | AM_FEAT_DEBUGV8P2);
		pe.halted = twins.pe.halted;
		pe.sder = twins.pe.sder;
		sample = am_pcs_create(&pe, &twins.auth, &insn);
		pcsr.sample = am_pcs_create(&twins.pe, &twins.auth, &insn);
		EXPECT(same_sample(&pcsr.sample, &sample), "sample at EL%u", pe.el);

		/* All else only depends on whether the sample could be made */
		pcsr = twins.pcsr;
		plain = twins.plain_pcsr;
		plain.obscured = !pcsr.obscured;
		am_pcsr_retire(&pcsr, &twins.pe, &twins.auth, &insn);
		am_pcsr_retire(&plain, &twins.plain, &twins.plain_auth, &insn);
		if (am_pcs_mode(&twins.pe, &twins.pcsr).is != AM_PCS_SUSPENDED)
			plain.sample = sample;
		plain.obscured = pcsr.obscured;
		EXPECT(same_but_unseen(&twins, &pcsr, plain), "an instruction at EL%u", pe.el);

		pcsr = twins.pcsr;
		plain = twins.plain_pcsr;
		am_pcsr_note_state(&pcsr, &twins.pe, &twins.auth);
		am_pcsr_note_state(&plain, &twins.plain, &twins.plain_auth);
		EXPECT(same_but_unseen(&twins, &pcsr, plain), "a change of state to EL%u", pe.el);
	}
}

/* Rules: S4-f S4-h S4-i S4-m S0-b S0-c S0-d */
static void test_reads(void)
{
	struct am_pe_walk walk = { .step = 0 };
	struct am_pcs_access access;
	struct am_pcs_read read, other;
	struct am_pcsr pcsr, plain, bare;
	enum am_pcs_reg reg;
	struct twins twins;
	u64 random = 23, n;
	unsigned int draw;
	bool sc2, hv;

	for (draw = 0; draw < 8; draw++) {
		walk.step = 0;
		while (next_twins(&walk, &twins, &random)) {
			n = am_random(&random);
			/* Most reads are of the low word, the one with side effects */
			reg = n & 1 ? AM_PCS_REG_PC_LO : n & 2 ? AM_PCS_REG_PC :
			      (enum am_pcs_reg)(n >> 2 & 15);
			access = (struct am_pcs_access){
				.memory_mapped = n & 0x40, .software_locked = n & 0x80,
				.os_lock = !(n & 0x300), .oslo = n & 0x400,
				.most_secure = n & 0x800,
			};
			pcsr = twins.pcsr;
			plain = twins.plain_pcsr;
			read = am_pmpcsr_read(&pcsr, &twins.pe, &twins.auth, &access, reg);
			other = am_pmpcsr_read(&plain, &twins.plain, &twins.plain_auth, &access,
					       reg);
			EXPECT(same_read(&read, &other) && same_but_unseen(&twins, &pcsr, plain),
			       "PMU block, register %u at EL%u", reg, twins.pe.el);

			/* RES0 and UNKNOWN bits do not change what is read */
			twins.plain.feat ^= AM_FEAT_RME | AM_FEAT_EL2;
			bare = twins.plain_pcsr;
			bare.sample.aa32 = !bare.sample.aa32;
			other = am_pmpcsr_read(&bare, &twins.plain, &twins.plain_auth, &access,
					       reg);
			twins.plain.feat ^= AM_FEAT_RME | AM_FEAT_EL2;
			EXPECT(same(read.verdict, other.verdict) &&
			       read.may_be_none == other.may_be_none &&
			       am_same(pcsr.pmcid1sr, bare.pmcid1sr) &&
			       pcsr.pmpcsctl == bare.pmpcsctl, "PMU block, register %u", reg);

			sc2 = n & 0x1000;
			hv = n & 0x2000;
			read = am_edpcsr_read(&pcsr, &twins.pe, &twins.auth, &access, reg, sc2,
					      hv);
			other = am_edpcsr_read(&plain, &twins.plain, &twins.plain_auth, &access,
					       reg, sc2, hv);
			EXPECT(same_read(&read, &other) && same_but_unseen(&twins, &pcsr, plain),
			       "debug block, register %u at EL%u", reg, twins.pe.el);
			twins.plain.feat ^= AM_FEAT_RME;
			other = am_edpcsr_read(&bare, &twins.plain, &twins.plain_auth, &access,
					       reg, sc2, hv);
			EXPECT(read.verdict.is != AM_PCS_ERROR || same_read(&read, &other),
			       "debug block, register %u without an answer", reg);
			twins.plain.feat ^= AM_FEAT_RME;

			EXPECT(same(am_pcsr_capture(&pcsr, &twins.pe, &twins.auth),
				    am_pcsr_capture(&plain, &twins.plain, &twins.plain_auth)) &&
			       same_but_unseen(&twins, &pcsr, plain),
			       "Capture event at EL%u", twins.pe.el);
		}
	}
}

/* IMPLEMENTATION DEFINED snapshots */
static void test_impdef_snapshots(void)
{
	struct am_impdef_snapshot snapshot, other;
	struct am_pe_walk walk = { .step = 0 };
	struct am_pcs_access access;
	struct am_pcs_read read, same;
	struct am_pcsr pcsr, plain;
	struct twins twins;
	unsigned int offset;
	u64 random = 29, n;

	while (next_twins(&walk, &twins, &random)) {
		n = am_random(&random);
		pcsr = twins.pcsr;
		plain = twins.plain_pcsr;
		read = am_impdef_capture(&snapshot, &pcsr, &twins.pe, &twins.auth, n & 1, n & 2);
		same = am_impdef_capture(&other, &plain, &twins.plain, &twins.plain_auth, n & 1,
					 n & 2);
		EXPECT(same_read(&read, &same) && same_but_unseen(&twins, &pcsr, plain) &&
		       snapshot.nc == other.nc && am_same(snapshot.pmpcssr, other.pmpcssr) &&
		       am_same(snapshot.pmcidssr, other.pmcidssr) &&
		       am_same(snapshot.pmcid2ssr, other.pmcid2ssr),
		       "a capture at EL%u", twins.pe.el);

		offset = 0x600 + 4 * (n >> 2 & 7);
		access = (struct am_pcs_access){
			.memory_mapped = n & 0x40, .software_locked = n & 0x80,
			.core_off = !(n & 0x300), .double_lock = !(n & 0xC00),
			.os_lock = n & 0x1000, .oslo = n & 0x2000, .most_secure = n & 0x4000,
		};
		read = am_impdef_read(&snapshot, &twins.pe, &access, offset);
		same = am_impdef_read(&other, &twins.plain, &access, offset);
		EXPECT(same_read(&read, &same), "a read of %#x at EL%u", offset, twins.pe.el);
	}
}

/* The PMU */

static struct am_verdict ask_overflow(const struct am_pe *pe, const struct am_pmu *pmu,
				      unsigned int n)
{
	return am_pmu_overflow_for(pe, pmu, (enum am_overflow_for)(n % 6));
}

static struct am_verdict ask_overflows(const struct am_pe *pe, const struct am_pmu *pmu,
				       unsigned int n)
{
	struct am_value flags = am_pmu_overflows(pe, pmu, (enum am_overflow_for)(n % 6));

	return am_verdict_of(flags.value >> 32, (enum am_why)flags.unknown, flags.value);
}

static struct am_verdict ask_irq(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return am_pmuirq(pe, pmu);
}

static struct am_verdict ask_cti(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return am_pmu_cti_trigger(pe, pmu);
}

static struct am_verdict ask_halts(const struct am_pe *pe, const struct am_pmu *pmu,
				   unsigned int n)
{
	return am_pmu_halts(pe, pmu);
}

static struct am_verdict ask_brbe(const struct am_pe *pe, const struct am_pmu *pmu, unsigned int n)
{
	return am_pmu_freezes_brbe(pe, pmu, n & 12, n & 1, n & 2);
}

static struct am_verdict ask_route(const struct am_pe *pe, const struct am_pmu *pmu,
				   unsigned int n)
{
	return am_pmu_route(pe, pmu);
}

static struct am_verdict ask_increment(const struct am_pe *pe, const struct am_pmu *pmu,
				       unsigned int n)
{
	struct am_pmu counting = *pmu;
	struct am_increment sum = am_pmu_increment(pe, &counting, n, pmu->edecr, 0x80000001);

	return am_verdict_of(sum.overflow | sum.either << 1, (enum am_why)counting.pmovs,
			     sum.value >> 32);
}

/* An existing range: without EL2 there is no second one */
static enum am_pmu_range range_of(const struct am_pe *pe, unsigned int n)
{
	if (!(pe->feat & AM_FEAT_EL2) && n % 3 == AM_RANGE_2)
		return AM_RANGE_1;
	return (enum am_pmu_range)(n % 3);
}

static struct am_verdict ask_freeze_1(const struct am_pe *pe, const struct am_pmu *pmu,
				      unsigned int n)
{
	return am_pmu_frozen_on_overflow(pe, pmu, range_of(pe, n));
}

static struct am_verdict ask_freeze_2(const struct am_pe *pe, const struct am_pmu *pmu,
				      unsigned int n)
{
	return am_pmu_frozen_on_spe(pe, pmu, range_of(pe, n));
}

static struct am_verdict ask_freeze(const struct am_pe *pe, const struct am_pmu *pmu,
				    unsigned int n)
{
	return am_pmu_frozen(pe, pmu, range_of(pe, n));
}

static struct am_verdict ask_delivery(const struct am_pe *pe, const struct am_pmu *pmu,
				      unsigned int n)
{
	return am_pmu_delivery(pe, pmu);
}

static struct am_verdict ask_exception(const struct am_pe *pe, const struct am_pmu *pmu,
				       unsigned int n)
{
	return am_pmu_exception(pe, pmu);
}

static struct am_verdict ask_return(const struct am_pe *pe, const struct am_pmu *pmu,
				    unsigned int n)
{
	return am_ppend_return(pe, pmu, n & 3, n & 4);
}

static struct am_verdict ask_debug_exit(const struct am_pe *pe, const struct am_pmu *pmu,
					unsigned int n)
{
	return am_ppend_debug_exit(pe, pmu, n & 3, n & 4);
}

static struct am_verdict ask_retire(const struct am_pe *pe, const struct am_pmu *pmu,
				    unsigned int n)
{
	struct am_retired insn = { .counted = pmu->pmovs, .eret = n & 1, .exception = !(n & 30) };
	struct am_pe after = *pe;

	after.pm = !pe->pm;
	return am_pmu_retire(pe, pmu, &after, pmu, &insn);
}

/* Features that decide to which range a counter belongs, and what stops it */
#define PARTITION	(AM_FEAT_PMUV3_EXTPMN | AM_FEAT_PMUV3_ICNTR | AM_FEAT_HPMN0)
#define COUNTING	(PARTITION | AM_FEAT_PMUV3P1 | AM_FEAT_PMUV3P5 | AM_FEAT_PMUV3P7 | \
			 AM_FEAT_PMUV3_SME | AM_FEAT_SEBEP | AM_FEAT_SPEV1P2 | AM_FEAT_SPE_EXC | \
			 AM_FEAT_SPE_DPFZS | AM_FEAT_DEBUGV8P2)
#define OVERFLOW	(PARTITION | AM_FEAT_SEBEP | AM_FEAT_EBEP)
#define ANYWHERE	(IGNORED_EL | IGNORED_PM | IGNORED_PPEND | IGNORED_HALTED | \
			 IGNORED_SDER | IGNORED_SIGNALS)
/* For decisions that do not depend on the route */
#define NO_ROUTE	(ANYWHERE | IGNORED_HOST | IGNORED_AA32)
#define AT_AN_EL	(IGNORED_PPEND | IGNORED_SDER | IGNORED_SIGNALS)

/**
 * struct independent - a decision, and what it does not depend on
 * @name: the decision
 * @ask: asks the model for it
 * @ignored: enum ignored
 * @feat: features that it depends on, besides those that decide which states exist
 */
static const struct independent {
	const char *name;
	am_pmu_decision *ask;
	unsigned int ignored;
	u64 feat;
} pmu_decisions[] = {
	{ "range", am_pmu_range, NO_ROUTE, PARTITION },
	{ "global enable", am_pmu_global_enable, NO_ROUTE, PARTITION },
	{ "synchronous", am_pmu_is_sync, NO_ROUTE, PARTITION | AM_FEAT_SEBEP },
	{ "route", ask_route, ANYWHERE, AM_FEAT_EBEP },
	{ "overflow bits", am_pmu_overflow_bits, ANYWHERE,
	  PARTITION | AM_FEAT_EBEP | AM_FEAT_PMUV3P5 | AM_FEAT_AA32 },
	{ "increment", ask_increment, ANYWHERE,
	  PARTITION | AM_FEAT_EBEP | AM_FEAT_PMUV3P5 | AM_FEAT_AA32 },
	{ "chain", am_pmu_chain, ANYWHERE,
	  PARTITION | AM_FEAT_EBEP | AM_FEAT_PMUV3P5 | AM_FEAT_PMUV3P7 | AM_FEAT_AA32 },
	{ "overflow", ask_overflow, NO_ROUTE, OVERFLOW },
	{ "flags", ask_overflows, NO_ROUTE, OVERFLOW },
	{ "PMUIRQ", ask_irq, ANYWHERE, OVERFLOW },
	{ "CTI", ask_cti, NO_ROUTE, OVERFLOW },
	{ "halt", ask_halts, NO_ROUTE,
	  OVERFLOW | AM_FEAT_PMUV3P9 | AM_FEAT_DEBUGV8P9 },
	{ "BRBE", ask_brbe, NO_ROUTE, OVERFLOW | AM_FEAT_BRBE },
	{ "freezing on overflow", ask_freeze_1, NO_ROUTE,
	  PARTITION | AM_FEAT_SEBEP | AM_FEAT_PMUV3P7 },
	{ "freezing by SPE", ask_freeze_2, ANYWHERE | IGNORED_HOST,
	  AM_FEAT_SPEV1P2 | AM_FEAT_SPE_EXC },
	{ "freezing", ask_freeze, ANYWHERE | IGNORED_HOST, COUNTING },
	{ "prohibited", am_pmu_prohibited,
	  IGNORED_PM | IGNORED_PPEND | IGNORED_HALTED | IGNORED_HOST, COUNTING },
	{ "counts", am_pmu_counts, IGNORED_PM | IGNORED_PPEND, COUNTING },
	{ "Unattributable", am_pmu_counts_unattributable, IGNORED_PM | IGNORED_PPEND, COUNTING },
	{ "delivery", ask_delivery, AT_AN_EL, AM_FEAT_EBEP },
	{ "exception", ask_exception, IGNORED_SDER | IGNORED_SIGNALS, OVERFLOW },
	{ "return", ask_return, AT_AN_EL, OVERFLOW },
	{ "exit from Debug state", ask_debug_exit, AT_AN_EL | IGNORED_PM | IGNORED_HALTED,
	  OVERFLOW },
	{ "retirement", ask_retire, AT_AN_EL, OVERFLOW },
};

/* Random registers that mostly let a counter count, and few counters */
static void any_pmu(struct am_pe *pe, struct am_pmu *pmu, u64 *random)
{
	u64 bits = am_random(random);
	unsigned int i;

	*pmu = (struct am_pmu){
		.counters = bits & 7, .pmcr = am_random(random) | (bits >> 3 & 1),
		.pmcnten = am_random(random) | am_random(random),
		.pmovs = am_random(random) & am_random(random) & 0x1FFFFFFFF,
		.pminten = am_random(random) | am_random(random),
		.pmecr = bits & 0x10 ? 7 : am_random(random) & 7,
		.pmccr = 0x80 | (am_random(random) & 7), .pmccfiltr = am_random(random),
		.pmicfiltr = am_random(random), .sync_events = am_random(random),
		.pmuserenr = am_random(random), .pmuacr = am_random(random),
		.edecr = am_random(random),
		.pmblimitr = am_random(random) | 0x21, .pmscr_el2 = am_random(random),
		.secure_noninvasive = bits & 0x20, .streaming = bits & 0x40,
	};
	for (i = 0; i < 31; i++)
		pmu->pmevtyper[i] = am_random(random) & am_random(random);
	for (i = 1; i < 4; i++)
		pmu->pmbsr[i] = am_random(random) & am_random(random);
	pe->mdcr_el2 &= ~0x18ULL;
	/* The exception is enabled in more than half of the cases */
	if (bits & 0x80)
		pe->feat |= AM_FEAT_EBEP | AM_FEAT_SEBEP;
	if (bits & 0x100)
		pe->mdcr_el3 = (pe->mdcr_el3 & ~(3ULL << 40)) | (bits & 0x200 ? 3 : 1ULL) << 40;
	if (bits & 0x400)
		pe->mdcr_el2 = (pe->mdcr_el2 & ~(3ULL << 40)) | (bits & 0x800 ? 3 : 1ULL) << 40;
}

/* Rules: RQZJKS RFBGFH RNTZHW RKBPMJ IHRJFC IZWQTX RNZLVW RGWLVY RSCBDZ S3-a S3-b S3-c S3-d */
static void test_pmu(void)
{
	static const u8 counters[] = { 0, 1, 2, 3, 4, 5, 6, AM_CYCLE_COUNTER,
				       AM_INSTRUCTION_COUNTER };
	struct am_pe_walk walk = { .step = 0 };
	const struct independent *decision;
	struct am_verdict is, other;
	struct am_pmu pmu, same_pmu;
	struct am_pe pe, moved;
	u64 random = 24;
	unsigned int i, n;

	while (next_noisy(&walk, &pe, &random)) {
		any_pmu(&pe, &pmu, &random);
		for (i = 0; i < ARRAY_LEN(pmu_decisions); i++) {
			decision = &pmu_decisions[i];
			n = counters[am_random(&random) % ARRAY_LEN(counters)];
			moved = changed(&pe, decision->ignored, decision->feat, &random);
			/* Read access at EL0 does not matter */
			same_pmu = pmu;
			same_pmu.pmuserenr = 0;
			same_pmu.pmuacr = 0;
			if (decision->ignored & IGNORED_SIGNALS) {
				same_pmu.streaming = !pmu.streaming;
				same_pmu.secure_noninvasive = !pmu.secure_noninvasive;
			}
			is = decision->ask(&pe, &pmu, n);
			other = decision->ask(&moved, &same_pmu, n);
			EXPECT(same(is, other), "%s of %u at EL%u: %d, %d", decision->name, n,
			       pe.el, is.is, other.is);
		}
		moved = changed(&pe, NO_ROUTE, AM_FEAT_PMUV3P5 | AM_FEAT_SEBEP | AM_FEAT_BRBE,
				&random);
		EXPECT_EQ(am_pmu_width(&pe, n), am_pmu_width(&moved, n), "width");
		EXPECT_EQ(am_pmu_is_precise(&pe, n, n & 1), am_pmu_is_precise(&moved, n, n & 1),
			  "precise");
		n = n & 1 ? 0x811F : n & 2 ? 0x000D : 0x0011;
		EXPECT(same(am_pmu_sync_event(&pe, n), am_pmu_sync_event(&moved, n)), "event");
	}
}

/* Rules: IPZBKW IKLVCH RBVBYS RGBQFX */
static void test_exceptions(void)
{
	const u64 kinds = AM_FEAT_EBEP | AM_FEAT_SEBEP | AM_FEAT_SPE_EXC | AM_FEAT_TRBE_EXC;
	struct am_pe_walk walk = { .step = 0 };
	struct am_debug_ppend entry, same_entry;
	struct am_pe pe, other;
	unsigned int target;
	u64 random = 25, esr, spsr, saved;

	while (next_noisy(&walk, &pe, &random)) {
		other = changed(&pe, ANYWHERE | IGNORED_HOST, kinds, &random);
		esr = am_profexc_esr((enum am_profexc_source)(walk.step % 3), walk.step & 4);
		EXPECT(same(am_profexc_source(&pe, esr), am_profexc_source(&other, esr)), "source");
		EXPECT_EQ(am_has_pm(&pe), am_has_pm(&other), "PSTATE.PM");
		other = changed(&pe, IGNORED_PM | IGNORED_PPEND | IGNORED_HALTED | IGNORED_SDER, 0,
				&random);
		for (target = pe.el ? pe.el : 1; target <= 3; target++)
			EXPECT_EQ(am_profexc_vector(&pe, target, walk.step & 1),
				  am_profexc_vector(&other, target, walk.step & 1), "vector");

		other = changed(&pe, IGNORED_PM | IGNORED_HALTED | IGNORED_SDER | IGNORED_HOST,
				AM_FEAT_SEBEP, &random);
		entry = am_ppend_debug_entry(&pe);
		same_entry = am_ppend_debug_entry(&other);
		EXPECT(entry.saved == same_entry.saved && entry.ppend == same_entry.ppend &&
		       entry.unknown == same_entry.unknown, "entry to Debug state");
		spsr = am_random(&random);
		other = changed(&pe, ANYWHERE & ~IGNORED_PPEND, AM_FEAT_SEBEP, &random);
		saved = pe.feat & AM_FEAT_SEBEP ? (spsr & ~(1ULL << 33)) | (u64)pe.ppend << 33 :
						  spsr;
		EXPECT_EQ(am_ppend_entry(&pe, spsr), saved, "SPSR_ELx");
		EXPECT_EQ(am_ppend_entry(&other, spsr), saved, "SPSR_ELx");
		EXPECT_EQ(pe.ppend, other.ppend, "PSTATE.PPEND");
	}
}

/* The trace buffer */

static void any_trbe(struct am_pe *pe, struct am_trbe *trbe, u64 *random)
{
	u64 bits = am_random(random);
	unsigned int i;

	*trbe = (struct am_trbe){
		.self_hosted = bits & 3,
		.trblimitr = 0x10000 | (bits >> 2 & 0x1E) | (bits & 1) | 0x40,
		.trbbaser = 0x8000, .trbptr = bits & 0x80 ? 0xFFFF : 0x8000 | (bits >> 8 & 0x7FFF),
		.trbtrg = bits >> 24 & 3, .trfcr_el1 = am_random(random),
		.trfcr_el2 = am_random(random),
		.flush = { .pending = bits >> 26 & 1, .stops = bits >> 27 & 1, .op = 7 },
	};
	for (i = 1; i < 4; i++)
		trbe->trbsr[i] = am_random(random) & am_random(random) & am_random(random) &
				 (0x3FULL << 26 | 1 << 22 | 1 << 21 | 1 << 20 | 1 << 17 | 0x3F);
	pe->feat |= bits >> 28 & 7 ? AM_FEAT_TRBE : 0;
	pe->scr_el3 |= am_random(random) & (SCR_EL3_GPF | SCR_EL3_EA);
	pe->hcr_el2 |= am_random(random) & (HCR_EL2_GPF | HCR_EL2_TEA);
	/* There is an owner in more than half of the cases */
	if (bits >> 31 & 1)
		pe->mdcr_el3 |= MDCR_EL3_NSTB;
	if (bits >> 32 & 1)
		pe->mdcr_el2 &= ~MDCR_EL2_E2TB;
}

static bool same_effect(struct am_trbe_effect a, struct am_trbe_effect b)
{
	return same(a.verdict, b.verdict) && a.event == b.event && a.stopped == b.stopped &&
	       a.recorded == b.recorded && a.trb_wrap == b.trb_wrap && a.trb_trig == b.trb_trig &&
	       a.trigger_op == b.trigger_op && a.flush == b.flush && a.serror == b.serror;
}

static bool same_trbe(const struct am_trbe *a, const struct am_trbe *b)
{
	unsigned int i;

	for (i = 1; i < 4; i++)
		if (a->trbsr[i] != b->trbsr[i])
			return false;
	return a->trbptr == b->trbptr && a->trbtrg == b->trbtrg &&
	       a->flush.pending == b->flush.pending && a->flush.stops == b->flush.stops &&
	       a->flush.op == b->flush.op;
}

/* One event of the unit */
static struct am_trbe_effect happen(const struct am_pe *pe, struct am_trbe *trbe, unsigned int n)
{
	const struct am_trbe_fault fault = {
		.type = (enum am_fault)(n >> 8 & 15), .level = n >> 12 & 3, .stage2 = n & 0x10000,
		.set_ea = n & 0x20000, .address = n,
	};
	const struct am_trbe_abort abort = {
		.walk = n & 0x100, .gpt = !(n & 0xE00), .stage2 = n & 0x10000,
		.level = n >> 12 & 3, .set_ea = n & 0x20000, .address = n,
	};

	switch (n & 7) {
	case 0:
	case 1:
		return am_trbe_collect(pe, trbe, n >> 8 & 7);
	case 2:
		return am_trbe_detected_trigger(pe, trbe, n >> 8 & 7, n >> 11 & 1);
	case 3:
		return am_trbe_flush_done(pe, trbe);
	case 4:
		return am_trbe_other_event(pe, trbe, n >> 8 & 3);
	case 5:
		return am_trbe_impdef_event(pe, trbe, n & 0x300, n >> 10);
	case 6:
		return am_trbe_fault(pe, trbe, &fault);
	default:
		return am_trbe_external_abort(pe, trbe, &abort,
					      (enum am_abort_policy)((n >> 18 & 15) % 5));
	}
}

/* Rules: RBNQRP RVSCDV SXLNJY RMBSHC RKSQJW RHLKSG RFSPBK RMFMXQ */
static void test_trace_buffer(void)
{
	const u64 feat = AM_FEAT_TRBE | AM_FEAT_TRBE_EXT | AM_FEAT_TRBE_EXC | AM_FEAT_RAS |
			 AM_FEAT_V9P3;
	struct am_pe_walk walk = { .step = 0 };
	struct am_trbe trbe, before, other_trbe;
	struct am_pe pe, other;
	unsigned int draw, n;
	u64 random = 26;

	while (next_noisy(&walk, &pe, &random)) {
		for (draw = 0; draw < 4; draw++) {
			n = am_random(&random);
			any_trbe(&pe, &before, &random);
			/* HCR_EL2.{E2H,TGE} only decide where an exception is taken */
			other = changed(&pe, (ANYWHERE & ~IGNORED_HALTED) | IGNORED_HOST, feat,
					&random);
			trbe = before;
			other_trbe = before;
			EXPECT(same_effect(happen(&pe, &trbe, n), happen(&other, &other_trbe, n)) &&
			       same_trbe(&trbe, &other_trbe), "event %#x at EL%u", n, pe.el);
			EXPECT(same(am_trbe_state(&pe, &before), am_trbe_state(&other, &before)),
			       "state");
			EXPECT(same(am_trbe_owner(&pe), am_trbe_owner(&other)), "owner");
			EXPECT(same(am_trbe_ee1(&pe, &before), am_trbe_ee1(&other, &before)),
			       "EE of EL1");
			EXPECT_EQ(am_trbirq(&pe, &before), am_trbirq(&other, &before), "TRBIRQ");
			other = changed(&pe, ANYWHERE | IGNORED_HOST, feat, &random);
			EXPECT(same(am_trbe_class(&pe, n >> 8 & 63, n & 63),
				    am_trbe_class(&other, n >> 8 & 63, n & 63)), "class");

			other = changed(&pe, IGNORED_PPEND | IGNORED_SDER, feat, &random);
			EXPECT(same(am_trbe_delivery(&pe, &before, n & 3),
				    am_trbe_delivery(&other, &before, n & 3)), "delivery");
			EXPECT_EQ(am_trbe_pending(&pe, &before), am_trbe_pending(&other, &before),
				  "pending");
		}
	}
}

const struct am_test am_tests_states[] = {
	{ "Security states", test_security_states, 85536 },
	{ "controls of PC sampling", test_sampling_controls, 47808 },
	{ "authentication", test_authentication, 15936 },
	{ "what is sampled", test_sampling, 23904 },
	{ "reads and captures", test_reads, 318720 },
	{ "IMPLEMENTATION DEFINED snapshots", test_impdef_snapshots, 15936 },
	{ "the PMU", test_pmu, 215136 },
	{ "Profiling exceptions", test_exceptions, 66976 },
	{ "the trace buffer", test_trace_buffer, 254976 },
	{ NULL, NULL, 0 },
};
