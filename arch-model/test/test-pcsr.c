// SPDX-License-Identifier: GPL-2.0-only
/*
 * PC sampling. Compares the model, which is written from the rules in prose, with the shared
 * pseudocode (pseudo-pcsr.c) for all inputs of both, and with the prose where the pseudocode says
 * nothing.
 */
#include <arch-model/pc-sample.h>
#include <arch-model/pcsr.h>

#include "pseudo.h"
#include "test.h"

#define LOW_ONES	0xFFFFFFFFULL

/* Rules: S4-c */
static void test_pe_states(void)
{
	struct am_pe_walk walk = { .step = 0 };
	const struct am_pe *pe = &walk.pe;
	unsigned int el;

	while (am_pe_next(&walk)) {
		EXPECT_EQ(am_pe_check(pe) == AM_WHY_NONE, walk.possible, "possible");
		EXPECT_EQ(am_effective_ns(pe), ps_effective_scr_ns(pe), "Effective SCR_EL3.NS");
		EXPECT_EQ(am_el2_enabled(pe), ps_el2_enabled(pe), "EL2 enabled");
		EXPECT_EQ(am_effective_tge(pe), ps_effective_tge(pe), "Effective TGE");
		for (el = 0; el < 4; el++)
			EXPECT_EQ(am_el_is_in_host(pe, el), ps_el_is_in_host(pe, el), "in host");
		if (walk.possible)
			EXPECT_EQ(am_security_state(pe), ps_security_state_at_el(pe, pe->el),
				  "Security state");
	}
}

/* Why a PE cannot be in a state */
static void test_impossible(void)
{
	const u64 all = AM_FEAT_AA64 | AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_RME | AM_FEAT_SEL2;
	const struct {
		struct am_pe pe;
		enum am_why why;
	} rows[] = {
		{ { .feat = AM_FEAT_AA64, .el = 3 }, AM_WHY_PE_NO_EL },
		{ { .feat = AM_FEAT_AA64, .el = 2 }, AM_WHY_PE_NO_EL },
		{ { .feat = all, .el = 4 }, AM_WHY_PE_NO_EL },
		{ { .feat = all, .el = 255 }, AM_WHY_PE_NO_EL },
		{ { .feat = all, .el = 39, .aa32 = 0xFF }, AM_WHY_PE_NO_EL },
		{ { .feat = all, .el = 2 }, AM_WHY_PE_NO_EL },
		{ { .feat = all, .scr_el3 = SCR_EL3_NSE, .el = 1 }, AM_WHY_PE_STATE },
		{ { .feat = all, .scr_el3 = SCR_EL3_NS, .hcr_el2 = HCR_EL2_TGE, .el = 1 },
		  AM_WHY_PE_TGE },
		{ { .feat = all, .scr_el3 = SCR_EL3_NS, .aa32 = 2 }, AM_WHY_PE_AA32 },
		{ { .feat = all, .scr_el3 = SCR_EL3_NS, .aa32 = 1 }, AM_WHY_NONE },
		/* without AArch64 every implemented level uses AArch32 */
		{ { .el = 1 }, AM_WHY_PE_NO_AA64 },
		{ { .el = 1, .aa32 = 1 }, AM_WHY_PE_NO_AA64 },
		{ { .el = 1, .aa32 = 3 }, AM_WHY_NONE },
		{ { .feat = AM_FEAT_EL2, .el = 1, .aa32 = 3 }, AM_WHY_PE_NO_AA64 },
		{ { .feat = AM_FEAT_EL2, .el = 1, .aa32 = 7 }, AM_WHY_NONE },
		{ { .feat = AM_FEAT_EL3, .el = 1, .aa32 = 7 }, AM_WHY_PE_NO_AA64 },
		{ { .feat = AM_FEAT_EL3, .el = 1, .aa32 = 0xF }, AM_WHY_NONE },
		/*
		 * on a Secure-only PE with EL2 and FEAT_SEL2, Secure EL2 is enabled; on others it
		 * is not
		 */
		{ { .feat = AM_FEAT_AA64 | AM_FEAT_EL2 | AM_FEAT_SEL2 | AM_FEAT_SECURE_ONLY,
		    .el = 2 }, AM_WHY_NONE },
	};
	const struct am_pe garbage = { .feat = all, .aa32 = 0xFF }, no_aa64 = { .aa32 = 0xFF };
	const struct am_auth auth = { true, true, true, true };
	const struct am_trbe trbe = { .self_hosted = true };
	const struct am_pmu pmu = { .counters = 1 };
	const struct am_pe *pe;
	bool reserved;
	unsigned int i;

	/* All decisions return AM_RESERVED for an impossible state */
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		pe = &rows[i].pe;
		reserved = rows[i].why != AM_WHY_NONE;
		EXPECT(am_pe_check(pe) == rows[i].why, "case %u: %u", i, am_pe_check(pe));
		EXPECT((am_pcs_allowed(pe, &auth).is == AM_RESERVED) == reserved, "case %u", i);
		EXPECT((am_pmu_counts(pe, &pmu, 31).is == AM_RESERVED) == reserved, "case %u", i);
		EXPECT((am_pmu_delivery(pe, &pmu).is == AM_RESERVED) == reserved, "case %u", i);
		EXPECT((am_trbe_delivery(pe, &trbe, 3).is == AM_RESERVED) == reserved, "case %u",
		       i);
	}
	/* Levels above EL3 do not use AArch32, whatever the bits say */
	for (i = 0; i < 40; i++) {
		EXPECT_EQ(am_uses_aa32(&garbage, i), i <= 3, "a level that uses AArch32");
		EXPECT_EQ(am_uses_aa32(&no_aa64, i), i <= 3, "a level of a PE without AArch64");
	}
}

static struct am_auth auth_of(unsigned int bits)
{
	return (struct am_auth){
		.noninvasive = bits & 1,
		.secure = bits & 2,
		.realm = bits & 4,
		.root = bits & 8,
	};
}

/* M-1: without EL3, H7.1.1 allows sampling whatever the interface says about Secure state */
static bool is_reading_m1(const struct am_pe *pe)
{
	return !am_has(pe, AM_FEAT_EL3) && am_has(pe, AM_FEAT_SECURE_ONLY);
}

/* Is the condition of H7.1.1 true that the reason names? */
static bool allowed_why_holds(const struct am_pe *pe, const struct am_auth *auth,
			      struct am_verdict verdict)
{
	enum pcs_state ss = ps_security_state_at_el(pe, pe->el);
	const bool enabled[] = {
		[PCS_STATE_SECURE] = auth->secure, [PCS_STATE_REALM] = auth->realm,
		[PCS_STATE_ROOT] = auth->root, [PCS_STATE_NONSECURE] = auth->noninvasive,
	};

	switch (verdict.why) {
	case AM_WHY_PCS_NOT_ENABLED:
		return !verdict.is && !auth->noninvasive;
	case AM_WHY_PCS_NONSECURE:
		return verdict.is && ss == PCS_STATE_NONSECURE;
	case AM_WHY_PCS_NO_EL3:
		return verdict.is && !ps_have_el(pe, 3);
	case AM_WHY_PCS_STATE_ENABLED:
		return verdict.is && ps_have_el(pe, 3) && ss != PCS_STATE_NONSECURE &&
		       enabled[ss] && verdict.detail == ss;
	case AM_WHY_PCS_SUNIDEN:
		return verdict.is && (pe->sder & 2) && !enabled[ss] && pe->el == 0;
	case AM_WHY_PCS_STATE_DISABLED:
		return !verdict.is && !enabled[ss] && verdict.detail == ss && auth->noninvasive;
	default:
		return false;
	}
}

/* Rules: S4-c */
/* Reading: M-1 */
static void test_allowed(void)
{
	struct am_pe_walk walk = { .step = 0 };
	unsigned long differ = 0;
	struct am_verdict verdict;
	struct am_auth auth;
	unsigned int bits;
	bool pseudo;

	while (am_pe_next(&walk)) {
		for (bits = 0; bits < 32; bits++) {
			auth = auth_of(bits);
			walk.pe.sder = bits & 16 ? SDER_SUNIDEN : 0;
			verdict = am_pcs_allowed(&walk.pe, &auth);
			if (!walk.possible) {
				EXPECT_EQ(verdict.is, AM_RESERVED, "allowed where impossible");
				continue;
			}
			EXPECT(allowed_why_holds(&walk.pe, &auth, verdict), "EL%u, auth %#x: %u",
			       walk.pe.el, bits, verdict.why);
			pseudo = ps_external_noninvasive_debug_allowed(&walk.pe, &auth);
			if (is_reading_m1(&walk.pe)) {
				EXPECT_EQ(verdict.is, auth.noninvasive, "allowed without EL3");
				differ += verdict.is != pseudo;
			} else {
				EXPECT(verdict.is == pseudo, "allowed at EL%u, auth %#x: %d",
				       walk.pe.el, bits, verdict.is);
			}
		}
	}
	EXPECT(differ, "reading M-1 makes no difference");
}

/* Rules: S4-c */
static void test_auth_signals(void)
{
	static const u64 features[] = {
		0, AM_FEAT_SECURE_ONLY, AM_FEAT_EL3, AM_FEAT_EL3 | AM_FEAT_RME,
		AM_FEAT_EL3 | AM_FEAT_RME | AM_FEAT_SEL2, AM_FEAT_EL3 | AM_FEAT_SEL2,
	};
	struct am_pe pe = { .feat = 0 };
	struct am_auth_signals in;
	struct am_auth auth;
	unsigned int i, bits;
	bool v8p4, ss, sinv, rinv;

	for (i = 0; i < 2 * ARRAY_LEN(features); i++) {
		v8p4 = i & 1;
		pe.feat = features[i / 2] | (v8p4 ? AM_FEAT_DEBUGV8P4 : 0);
		ss = ps_have_secure_state(&pe);
		for (bits = 0; bits < 64; bits++) {
			in = (struct am_auth_signals){ bits & 1, bits & 2, bits & 4, bits & 8,
						       bits & 16, bits & 32 };
			auth = am_auth_from_signals(&pe, &in);
			/*
			 * J1.3: External*InvasiveDebugEnabled(), then
			 * External*NoninvasiveDebugEnabled()
			 */
			sinv = ss && in.dbgen && in.spiden;
			rinv = pe.feat & AM_FEAT_RME && in.dbgen && in.rlpiden;
			EXPECT_EQ(auth.noninvasive, v8p4 || in.dbgen || in.niden, "noninvasive");
			EXPECT_EQ(auth.secure,
				  v8p4 ? sinv : ss && (in.dbgen || in.niden) &&
						(in.spiden || in.spniden), "secure");
			EXPECT_EQ(auth.realm, rinv, "realm");
			EXPECT_EQ(auth.root, rinv && in.rtpiden &&
				  (sinv || !(pe.feat & AM_FEAT_SEL2)), "root");
		}
	}
}

/* Rules: S4-c */
static void test_auth_status(void)
{
	static const struct {
		u64 status;
		struct am_auth auth;
	} rows[] = {
		/* RTNID 27:26, RLNID 15:14, SNID 7:6, NSNID 3:2; 2 disabled, 3 enabled */
		{ 0x00000000, { false, false, false, false } },
		{ 0x00000008, { false, false, false, false } },
		{ 0x0000000C, { true, false, false, false } },
		{ 0x00000088, { false, false, false, false } },
		{ 0x0000008C, { true, false, false, false } },
		{ 0x000000CC, { true, true, false, false } },
		{ 0x000000C0, { true, true, false, false } },	/* Secure only */
		{ 0x00000080, { false, false, false, false } },
		{ 0x0000C00C, { true, false, true, false } },
		{ 0x0800800C, { true, false, false, false } },
		{ 0x0C00C0CC, { true, true, true, true } },
		/* the fields for invasive debug do not matter */
		{ 0x03003033, { false, false, false, false } },
	};
	struct am_auth auth;
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(rows); i++) {
		auth = am_auth_from_status(rows[i].status);
		EXPECT_EQ(auth.noninvasive, rows[i].auth.noninvasive, "noninvasive");
		EXPECT_EQ(auth.secure, rows[i].auth.secure, "secure");
		EXPECT_EQ(auth.realm, rows[i].auth.realm, "realm");
		EXPECT_EQ(auth.root, rows[i].auth.root, "root");
	}
}

static const struct am_pcs_insn insns[] = {
	{ .pc = 0xFFFF800012345678, .branch = true, .contextidr = 0x11112222,
	  .contextidr_el2 = 0x33334444, .vmid = 0x5566, .vs = true },
	{ .pc = 0x0000AAAA9BCDEF00, .branch = false, .contextidr = 0xFEDCBA98,
	  .contextidr_el2 = 0x76543210, .vmid = 0xA5C3, .vs = false },
	{ .pc = 0x00000000FFFFFFFE, .branch = true, .contextidr = 0, .contextidr_el2 = ~0U,
	  .vmid = 0xFFFF, .vs = true },
};

static void expect_same_sample(const struct am_pcs_sample *sample, const struct ps_pcsr *ps,
			       bool has_el2)
{
	EXPECT_EQ(sample->valid, ps->valid, "valid");
	EXPECT_EQ(sample->pc, ps->pc, "pc");
	EXPECT_EQ(sample->el, ps->el, "el");
	EXPECT_EQ(!sample->aa32, ps->rw, "rw");
	EXPECT_EQ(sample->state, ps->ss, "ss");
	EXPECT_EQ(sample->contextidr, ps->contextidr, "contextidr");
	EXPECT_EQ(sample->has_el2, has_el2, "has_el2");
	EXPECT_EQ(sample->el0_in_host, ps->el0h, "el0h");
	if (!sample->has_el2)
		return;
	EXPECT_EQ(sample->vmid, ps->vmid, "vmid");
	EXPECT(am_same(sample->contextidr_el2, ps->contextidr_el2), "contextidr_el2 at EL%u",
	       sample->el);
}

/* Rules: S0-a */
/* Reading: F1-2 */
static void test_create(void)
{
	static const u64 extra[] = {
		0, AM_FEAT_VMID16, AM_FEAT_DEBUGV8P2, AM_FEAT_DEBUGV8P2 | AM_FEAT_VMID16,
	};
	struct am_auth on = { true, true, true, true }, off = { .noninvasive = true };
	struct am_pe_walk walk = { .step = 0 };
	unsigned long differ = 0;
	struct am_pcs_sample sample;
	struct ps_pcsr ps = { .valid = false }, s0;
	struct am_pe pe;
	unsigned int i;

	while (am_pe_next(&walk)) {
		if (!walk.possible || is_reading_m1(&walk.pe))
			continue;
		pe = walk.pe;
		for (i = 0; i < ARRAY_LEN(extra) * ARRAY_LEN(insns) * 2; i++) {
			const struct am_pcs_insn *insn = &insns[i / 2 % ARRAY_LEN(insns)];
			const struct am_auth *auth = i & 1 ? &on : &off;

			pe.feat = walk.pe.feat | extra[i / 2 / ARRAY_LEN(insns)];
			pe.halted = pe.el == 0 && i % 5 == 0;
			sample = am_pcs_create(&pe, auth, insn);
			ps_create_pc_sample(&pe, auth, insn, &ps);
			expect_same_sample(&sample, &ps, ps.has_el2);

			/* The older pseudocode differs only in has_el2 at EL3 */
			s0_create_pc_sample(&pe, auth, insn, &s0);
			if (s0.has_el2 != sample.has_el2) {
				EXPECT_EQ(pe.el, 3, "EL where S0 has an EL2");
				differ++;
			}
		}
	}
	EXPECT(differ, "reading F1-2 makes no difference");
}

/* Reads: the state of the model and that of the pseudocode, side by side */

struct pair {
	struct am_pe pe;
	struct am_auth auth;
	struct am_pcs_access access;
	struct am_pcsr model;
	struct ps_pcsr pseudo;
};

static const struct am_value old_pmpcsr = { 0x80112233A5A5A5A4, 0 };
static const struct am_value old_word = { 0x0BADCAFE, 0 };

/*
 * One combination of everything that a read of the low word depends on. Bits of @n, low to high:
 * EN, IMP, SS, suspended, branch, new branch, first, obscured, halted, allowed, lock (2), features.
 */
static void pair_setup(struct pair *p, unsigned int n)
{
	static const u64 features[] = {
		0, AM_FEAT_PCSRV8P9, AM_FEAT_PCSRV8P9 | AM_FEAT_PMUV3_SS, AM_FEAT_MOPS,
		AM_FEAT_PCSRV8P9 | AM_FEAT_PMUV3_SS | AM_FEAT_RME | AM_FEAT_MOPS | AM_FEAT_VMID16 |
			AM_FEAT_DEBUGV8P4,
		AM_FEAT_PCSRV8P9 | AM_FEAT_PMUV3_SS | AM_FEAT_PMUV3_EXT64,
	};
	bool v8p9, allowed = n >> 9 & 1;
	const struct am_pcs_insn *insn = &insns[n % 3];

	p->pe = (struct am_pe){
		.feat = AM_FEAT_AA64 | AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_VHE |
			AM_FEAT_PCSRV8P2 | features[n >> 12],
		.scr_el3 = SCR_EL3_NS,
		.el = 1,
		.halted = n >> 8 & 1,
	};
	v8p9 = am_has(&p->pe, AM_FEAT_PCSRV8P9);
	p->auth = (struct am_auth){ .noninvasive = allowed };
	p->access = (struct am_pcs_access){
		.memory_mapped = n >> 10 & 1,
		.software_locked = n >> 11 & 1,
	};

	p->pseudo = (struct ps_pcsr){
		.ctl_imp = v8p9 && (n >> 1 & 1),
		.ctl_en = v8p9 && (n >> 1 & 1) && (n & 1),
		.ctl_ss = am_has(&p->pe, AM_FEAT_PMUV3_SS) && (n >> 2 & 1),
		.pmpcsr = old_pmpcsr,
		.pmcid1sr = old_word, .pmcid2sr = old_word, .pmvidsr = old_word,
	};
	p->model = (struct am_pcsr){
		.pmpcsctl = (p->pseudo.ctl_en ? PMPCSCTL_EN : 0) |
			    (p->pseudo.ctl_imp ? PMPCSCTL_IMP : 0) |
			    (p->pseudo.ctl_ss ? PMPCSCTL_SS : 0),
		.branch = n >> 4 & 1,
		.new_branch = n >> 5 & 1,
		.first = n >> 6 & 1,
		.obscured = n >> 7 & 1,
		.pmpcsr = old_pmpcsr,
		.pmcid1sr = old_word, .pmcid2sr = old_word, .pmvidsr = old_word,
	};
	ps_create_pc_sample(&p->pe, &p->auth, insn, &p->pseudo);
	p->model.sample = am_pcs_create(&p->pe, &p->auth, insn);
	p->pseudo.impdef_suspended = !p->pseudo.ctl_imp && (n >> 3 & 1);
	p->model.suspended = p->pseudo.impdef_suspended;
}

#define PAIR_COMBINATIONS	(6 << 12)

static bool pair_is_locked(const struct pair *p)
{
	/* HaveSoftwareLock(): not with FEAT_Debugv8p4, nor in the 64-bit view */
	return p->access.memory_mapped && p->access.software_locked &&
	       !am_has(&p->pe, AM_FEAT_DEBUGV8P4) && !am_has(&p->pe, AM_FEAT_PMUV3_EXT64);
}

/* Is there no reason in the prose for an UNKNOWN value? */
static bool pair_is_plain(const struct pair *p)
{
	bool fresh = p->model.new_branch || am_has(&p->pe, AM_FEAT_MOPS);

	return p->model.branch && fresh && !p->model.first && !p->model.obscured;
}

enum reading { AS_PSEUDO, F1_3, F1_4, M_2, M_3, READINGS };

/* Which reading of the prose differs from the pseudocode here, if any */
static enum reading pair_reading(const struct pair *p)
{
	bool on_snapshot = am_pcs_mode(&p->pe, &p->model).is == AM_PCS_ON_SNAPSHOT;
	bool suspended = ps_pcsr_suspended(&p->pe, &p->pseudo);

	if (on_snapshot)
		return p->pseudo.valid ? AS_PSEUDO : F1_4;
	if (pair_is_locked(p))
		return M_2;
	if (suspended && !am_has(&p->pe, AM_FEAT_PCSRV8P9))
		return M_3;
	if (suspended && !p->auth.noninvasive)
		return F1_3;
	return AS_PSEUDO;
}

static void expect_latched(const struct pair *p, bool exact, const char *what)
{
	const struct am_value *model[] = { &p->model.pmpcsr, &p->model.pmcid1sr,
					   &p->model.pmcid2sr, &p->model.pmvidsr };
	const struct am_value *pseudo[] = { &p->pseudo.pmpcsr, &p->pseudo.pmcid1sr,
					    &p->pseudo.pmcid2sr, &p->pseudo.pmvidsr };
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(model); i++) {
		EXPECT(!(pseudo[i]->unknown & ~model[i]->unknown) &&
		       am_permits(*model[i], pseudo[i]->value), "%s: register %u", what, i);
		if (exact)
			EXPECT(am_same(*model[i], *pseudo[i]), "%s: register %u exactly", what, i);
	}
}

static void expect_unchanged(const struct am_pcsr *model)
{
	EXPECT(am_same(model->pmpcsr, old_pmpcsr), "PMPCSR changed");
	EXPECT(am_same(model->pmcid1sr, old_word), "PMCID1SR changed");
	EXPECT(am_same(model->pmcid2sr, old_word), "PMCID2SR changed");
	EXPECT(am_same(model->pmvidsr, old_word), "PMVIDSR changed");
}

/*
 * Rules: S4-d S4-e S4-f S4-h S4-i S4-l S4-m S4-n S0-c S0-d
 */
/* Reading: F1-2 F1-3 F1-4 F1-7 M-2 M-3 */
static void test_read_against_pseudocode(void)
{
	unsigned long seen[READINGS] = { 0 };
	struct am_pcs_read read;
	struct am_value pseudo;
	struct pair p, before;
	enum reading reading;
	unsigned int n;
	bool plain;

	for (n = 0; n < PAIR_COMBINATIONS; n++) {
		pair_setup(&p, n);
		before = p;
		reading = pair_reading(&p);
		plain = pair_is_plain(&p);
		seen[reading]++;

		read = am_pmpcsr_read(&p.model, &p.pe, &p.auth, &p.access, AM_PCS_REG_PC);
		pseudo = ps_read_pmpcsr(&p.pe, &p.pseudo, p.access.memory_mapped,
					p.access.software_locked && pair_is_locked(&before));

		switch (reading) {
		case AS_PSEUDO:
			/* 0xFFFFFFFF is one of the values that an UNKNOWN low word may have */
			EXPECT(!(pseudo.unknown & ~read.value.unknown) &&
			       am_permits(read.value, pseudo.value), "value of %#x", n);
			if (plain && !ps_pcsr_suspended(&before.pe, &before.pseudo))
				EXPECT(am_same(read.value, pseudo), "value of %#x exactly", n);
			expect_latched(&p, plain && !ps_pcsr_suspended(&before.pe, &before.pseudo),
				       "after a read");
			EXPECT_EQ(!!(p.model.pmpcsctl & PMPCSCTL_EN), p.pseudo.ctl_en, "EN");
			EXPECT_EQ(p.model.suspended, p.pseudo.impdef_suspended, "suspended");
			break;
		case F1_3:
			/* Not allowed: 0xFFFFFFFF, as always, and sampling is not activated */
			EXPECT_EQ(read.verdict.is, AM_PCS_NONE, "outcome");
			EXPECT_EQ(am_low(read.value).value, LOW_ONES, "low word");
			EXPECT_EQ(p.model.pmpcsctl, before.model.pmpcsctl, "PMPCSCTL");
			EXPECT_EQ(p.model.suspended, before.model.suspended, "suspended");
			EXPECT(p.pseudo.ctl_en || !p.pseudo.impdef_suspended, "no difference");
			break;
		case F1_4:
			EXPECT_EQ(read.verdict.is, AM_PCS_LATCHED, "outcome");
			EXPECT(am_same(read.value, old_pmpcsr), "not what was sampled last");
			EXPECT(!am_same(read.value, pseudo), "no difference");
			expect_unchanged(&p.model);
			break;
		case M_2:
			/* The low word is read as usual; nothing else changes */
			expect_unchanged(&p.model);
			if (plain && before.pseudo.valid && !ps_pcsr_suspended(&p.pe, &p.pseudo)) {
				EXPECT_EQ(read.value.value, insns[n % 3].pc & LOW_ONES, "low word");
				EXPECT(!am_same(am_low(read.value), am_low(pseudo)),
				       "no difference");
			}
			break;
		case M_3:
			if (p.auth.noninvasive) {
				EXPECT(!p.model.suspended, "a read did not activate");
				EXPECT_EQ(read.verdict.is,
					  p.pe.halted ? AM_PCS_NONE : AM_PCS_UNKNOWN, "outcome");
			} else {
				EXPECT(p.model.suspended, "a prohibited read activated");
				EXPECT_EQ(read.verdict.is, AM_PCS_NONE, "outcome");
			}
			EXPECT(p.pseudo.impdef_suspended, "no difference");
			break;
		case READINGS:
			break;
		}
	}
	for (n = 0; n < READINGS; n++)
		EXPECT(seen[n], "reading %u does not occur", n);
}

/* A PE that Linux could run on, at Non-secure EL1, where sampling is allowed */
static const struct am_pe linux_pe = {
	.feat = AM_FEAT_AA64 | AM_FEAT_EL3 | AM_FEAT_EL2 | AM_FEAT_VHE | AM_FEAT_VMID16 |
		AM_FEAT_DEBUGV8P4 | AM_FEAT_PCSRV8P2,
	.scr_el3 = SCR_EL3_NS,
	.el = 1,
};

static const struct am_auth allow = { true, true, true, true };
static const struct am_auth prohibit = { false, false, false, false };
static const struct am_pcs_access plain = { .memory_mapped = true };

/* Samples in all states: PMPCSR and the context registers after a read */
/* Rules: S0-a S4-b */
static void test_samples(void)
{
	static const u64 extra[] = { 0, AM_FEAT_VMID16, AM_FEAT_DEBUGV8P2 | AM_FEAT_VMID16 };
	struct am_pe_walk walk = { .step = 0 };
	struct am_pcs_read read;
	struct pair p;
	unsigned int n;

	while (am_pe_next(&walk)) {
		if (!walk.possible || is_reading_m1(&walk.pe))
			continue;
		for (n = 0; n < ARRAY_LEN(extra) * ARRAY_LEN(insns); n++) {
			const struct am_pcs_insn *insn = &insns[n % ARRAY_LEN(insns)];

			p = (struct pair){ .pe = walk.pe, .auth = allow };
			p.pe.feat |= AM_FEAT_PCSRV8P2 | extra[n / ARRAY_LEN(insns)];
			am_pcsr_retire(&p.model, &p.pe, &allow, &insns[0]);
			am_pcsr_retire(&p.model, &p.pe, &allow, insn);
			ps_create_pc_sample(&p.pe, &allow, insn, &p.pseudo);
			read = am_pmpcsr_read(&p.model, &p.pe, &allow, &plain, AM_PCS_REG_PC);
			EXPECT_EQ(read.verdict.is, AM_PCS_SAMPLE, "outcome");
			EXPECT(am_same(read.value, ps_read_pmpcsr(&p.pe, &p.pseudo, true, false)),
			       "PMPCSR at EL%u", p.pe.el);
			expect_latched(&p, true, "a sample");
		}
	}
}

static struct am_pcs_read read_low(struct am_pcsr *pcsr, const struct am_pe *pe)
{
	return am_pmpcsr_read(pcsr, pe, &allow, &plain, AM_PCS_REG_PC_LO);
}

static struct am_pcsr after_reset(const struct am_pe *pe, bool imp, bool suspended)
{
	struct am_pcs_impdef impdef = { .imp = imp, .suspended_at_reset = suspended };
	struct am_pcsr pcsr = { .obscured = true };

	am_pcsr_reset(&pcsr, pe, &impdef, true);
	return pcsr;
}

/* Rules: S4-a S4-b S4-m */
static void test_first_reads(void)
{
	struct am_pcsr pcsr = after_reset(&linux_pe, false, false);
	struct am_pcs_read read;

	/* After Cold reset everything is UNKNOWN, except RES0 bits */
	read = am_pmpcsr_read(&pcsr, &linux_pe, &allow, &plain, AM_PCS_REG_PC_HI);
	EXPECT_EQ(read.value.unknown, 0xE0FFFFFF, "PMPCSR[63:32]");
	EXPECT_EQ(pcsr.pmpcsr.unknown, 0xE0FFFFFFFFFFFFFF, "PMPCSR");
	EXPECT_EQ(pcsr.pmvidsr.unknown, 0xFFFF, "PMVIDSR");

	/* No branch has retired: UNKNOWN, even after other instructions */
	EXPECT_EQ(read_low(&pcsr, &linux_pe).verdict.is, AM_PCS_UNKNOWN, "before a branch");
	pcsr.first = true;
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[1]);
	EXPECT_EQ(read_low(&pcsr, &linux_pe).verdict.is, AM_PCS_UNKNOWN, "after a non-branch");

	/* The first read after reset may return no sample; the second one may not */
	pcsr = after_reset(&linux_pe, false, false);
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[0]);
	read = read_low(&pcsr, &linux_pe);
	EXPECT_EQ(read.verdict.is, AM_PCS_SAMPLE, "first read");
	EXPECT_EQ(read.verdict.why, AM_WHY_PCS_FIRST, "first read");
	EXPECT_EQ(read.may_be_none, true, "first read");
	EXPECT_EQ(read.value.value, 0x12345678, "low word");
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[0]);
	read = read_low(&pcsr, &linux_pe);
	EXPECT_EQ(read.verdict.why, AM_WHY_PCS_SAMPLE, "second read");
	EXPECT_EQ(read.may_be_none, false, "second read");

	/* A sample is the latest instruction with its own context, not the latest branch */
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[0]);
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[1]);
	read = am_pmpcsr_read(&pcsr, &linux_pe, &allow, &plain, AM_PCS_REG_PC);
	EXPECT_EQ(read.value.value, 0xA000AAAA9BCDEF00, "PMPCSR");
	EXPECT_EQ(pcsr.pmcid1sr.value, 0xFEDCBA98, "PMCID1SR");
	EXPECT_EQ(pcsr.pmcid2sr.value, 0x76543210, "PMCID2SR");
	EXPECT_EQ(pcsr.pmvidsr.value, 0xC3, "PMVIDSR");
}

/* Rules: S4-m */
/* Reading: F1-7 */
static void test_no_new_branch(void)
{
	struct am_pcsr pcsr = after_reset(&linux_pe, false, false);
	struct am_pe mops = linux_pe;

	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[0]);
	read_low(&pcsr, &linux_pe);
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[1]);
	EXPECT_EQ(read_low(&pcsr, &linux_pe).verdict.why, AM_WHY_PCS_SAME_BRANCH, "read again");

	mops.feat |= AM_FEAT_MOPS;
	EXPECT_EQ(read_low(&pcsr, &mops).verdict.is, AM_PCS_SAMPLE, "read again, FEAT_MOPS");
}

/* Rules: S4-m S0-d */
static void test_leaving_debug_and_prohibited(void)
{
	struct am_pcsr pcsr = after_reset(&linux_pe, false, false);
	struct am_pe halted = linux_pe;
	struct am_pcs_read read;

	halted.halted = true;
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[0]);

	read = read_low(&pcsr, &halted);
	EXPECT_EQ(read.verdict.is, AM_PCS_NONE, "in Debug state");
	EXPECT_EQ(read.verdict.why, AM_WHY_PCS_DEBUG, "in Debug state");
	EXPECT_EQ(read.value.value, LOW_ONES, "in Debug state");
	EXPECT_EQ(pcsr.pmcid1sr.unknown, LOW_ONES, "PMCID1SR in Debug state");
	EXPECT_EQ(pcsr.pmcid2sr.unknown, LOW_ONES, "PMCID2SR in Debug state");
	EXPECT_EQ(pcsr.pmvidsr.unknown, 0xFFFF, "PMVIDSR in Debug state");
	EXPECT_EQ(read_low(&pcsr, &linux_pe).verdict.is, AM_PCS_UNKNOWN, "after Debug state");
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[0]);
	EXPECT_EQ(read_low(&pcsr, &linux_pe).verdict.is, AM_PCS_SAMPLE, "after a branch");

	/* Debug state in which nothing was read */
	am_pcsr_note_state(&pcsr, &halted, &allow);
	EXPECT_EQ(read_low(&pcsr, &linux_pe).verdict.is, AM_PCS_UNKNOWN, "after Debug state");

	/* Instructions are not sampled while prohibited; a new branch is needed after that */
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[0]);
	am_pcsr_retire(&pcsr, &linux_pe, &prohibit, &insns[2]);
	read = am_pmpcsr_read(&pcsr, &linux_pe, &prohibit, &plain, AM_PCS_REG_PC_LO);
	EXPECT_EQ(read.verdict.why, AM_WHY_PCS_PROHIBITED, "prohibited");
	EXPECT_EQ(read.value.value, LOW_ONES, "prohibited");
	EXPECT_EQ(read_low(&pcsr, &linux_pe).verdict.is, AM_PCS_UNKNOWN, "after prohibited");
	am_pcsr_note_state(&pcsr, &linux_pe, &allow);
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[2]);
	EXPECT_EQ(read_low(&pcsr, &linux_pe).value.value, 0xFFFFFFFE, "after a branch");

	/* The same without a read while it is prohibited */
	am_pcsr_retire(&pcsr, &linux_pe, &prohibit, &insns[2]);
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[1]);
	EXPECT_EQ(read_low(&pcsr, &linux_pe).verdict.why, AM_WHY_PCS_NO_BRANCH, "after prohibited");

	/* The same after reset */
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[2]);
	am_pcsr_reset(&pcsr, &linux_pe, &(struct am_pcs_impdef){ false, false }, false);
	EXPECT_EQ(pcsr.branch || pcsr.new_branch || pcsr.sample.valid, false, "after reset");
	EXPECT_EQ(pcsr.first, true, "after reset");
}

/* Rules: S4-m S0-d */
static void test_ed_leaving(void)
{
	struct am_pe pe = { .feat = AM_FEAT_AA64 | AM_FEAT_PCSRV8, .el = 1 }, halted = pe;
	struct am_pcsr pcsr = after_reset(&pe, false, false);
	struct am_pcs_read read;

	halted.halted = true;
	EXPECT_EQ(pcsr.edpcsr_hi.unknown, LOW_ONES, "EDPCSR[63:32] after Cold reset");
	EXPECT_EQ(pcsr.edcidsr.unknown, LOW_ONES, "EDCIDSR after Cold reset");
	EXPECT_EQ(pcsr.edvidsr.unknown, LOW_ONES, "EDVIDSR after Cold reset");

	am_pcsr_retire(&pcsr, &pe, &allow, &insns[0]);
	read = am_edpcsr_read(&pcsr, &pe, &allow, &plain, AM_PCS_REG_PC_LO, false, false);
	EXPECT_EQ(read.verdict.why, AM_WHY_PCS_FIRST, "first read");
	EXPECT_EQ(read.may_be_none, true, "first read");
	am_pcsr_retire(&pcsr, &pe, &allow, &insns[0]);
	read = am_edpcsr_read(&pcsr, &pe, &allow, &plain, AM_PCS_REG_PC_LO, false, false);
	EXPECT_EQ(read.verdict.why, AM_WHY_PCS_SAMPLE, "second read");
	read = am_edpcsr_read(&pcsr, &pe, &allow, &plain, AM_PCS_REG_CID1, false, false);
	EXPECT_EQ(read.verdict.is, AM_PCS_LATCHED, "EDCIDSR");
	EXPECT_EQ(read.verdict.why, AM_WHY_PCS_LATCHED, "EDCIDSR");

	/* Debug state in which a read happened */
	am_pcsr_retire(&pcsr, &pe, &allow, &insns[0]);
	read = am_edpcsr_read(&pcsr, &halted, &allow, &plain, AM_PCS_REG_PC_LO, false, false);
	EXPECT_EQ(read.verdict.is, AM_PCS_NONE, "in Debug state");
	read = am_edpcsr_read(&pcsr, &pe, &allow, &plain, AM_PCS_REG_PC_LO, false, false);
	EXPECT_EQ(read.verdict.why, AM_WHY_PCS_NO_BRANCH, "after Debug state");
}

/* Rules: S4-d S4-e S4-f S4-g S4-n */
/* Reading: F1-3 M-3 */
static void test_suspended(void)
{
	struct am_pe pe = linux_pe;
	struct am_pcs_read read;
	struct am_pcsr pcsr;
	unsigned int imp;

	/* imp: 0 no FEAT_PCSRv8p9, 1 PMPCSCTL.IMP = 0, 2 PMPCSCTL.IMP = 1 */
	for (imp = 0; imp < 3; imp++) {
		pe.feat = linux_pe.feat | (imp ? AM_FEAT_PCSRV8P9 : 0);
		pcsr = after_reset(&pe, imp == 2, true);
		EXPECT_EQ(am_pcs_mode(&pe, &pcsr).is, AM_PCS_SUSPENDED, "after reset");
		EXPECT_EQ(am_pcs_mode(&pe, &pcsr).why,
			  imp == 2 ? AM_WHY_PCS_EN : AM_WHY_PCS_IMPDEF, "after reset");
		EXPECT_EQ(pcsr.pmpcsctl, imp == 2 ? PMPCSCTL_IMP : 0, "PMPCSCTL after reset");

		/* Nothing is sampled while suspended */
		am_pcsr_retire(&pcsr, &pe, &allow, &insns[0]);
		EXPECT_EQ(pcsr.sample.valid, false, "a sample while suspended");

		/* Not allowed: remains suspended */
		read = am_pmpcsr_read(&pcsr, &pe, &prohibit, &plain, AM_PCS_REG_PC_LO);
		EXPECT_EQ(read.verdict.is, AM_PCS_NONE, "suspended and prohibited");
		EXPECT_EQ(am_pcs_mode(&pe, &pcsr).is, AM_PCS_SUSPENDED, "after a prohibited read");

		/* The high word and the context registers do not activate */
		am_pmpcsr_read(&pcsr, &pe, &allow, &plain, AM_PCS_REG_PC_HI);
		am_pmpcsr_read(&pcsr, &pe, &allow, &plain, AM_PCS_REG_CID1);
		am_pmpcsr_read(&pcsr, &pe, &allow, &plain, AM_PCS_REG_CTL);
		EXPECT_EQ(am_pcs_mode(&pe, &pcsr).is, AM_PCS_SUSPENDED, "after other reads");

		/* A read of the low word does; it may return 0xFFFFFFFF until a branch retires */
		read = read_low(&pcsr, &pe);
		EXPECT_EQ(read.verdict.is, AM_PCS_UNKNOWN, "activating read");
		EXPECT_EQ(read.verdict.why, AM_WHY_PCS_ACTIVATED, "activating read");
		EXPECT_EQ(read.may_be_none, true, "activating read");
		EXPECT_EQ(am_pcs_mode(&pe, &pcsr).is, AM_PCS_ON_READ, "after the read");
		EXPECT_EQ(pcsr.pmpcsctl, imp == 2 ? PMPCSCTL_IMP | PMPCSCTL_EN : 0, "PMPCSCTL");
		EXPECT_EQ(read_low(&pcsr, &pe).verdict.why, AM_WHY_PCS_NO_BRANCH, "next read");
		am_pcsr_retire(&pcsr, &pe, &allow, &insns[0]);
		EXPECT_EQ(read_low(&pcsr, &pe).verdict.is, AM_PCS_SAMPLE, "after a branch");

		/* Suspended again: by EN, if that is writable, else only by Warm reset */
		am_pcsr_write_pmpcsctl(&pcsr, &pe, 0);
		EXPECT_EQ(am_pcs_mode(&pe, &pcsr).is,
			  imp == 2 ? AM_PCS_SUSPENDED : AM_PCS_ON_READ, "after EN = 0");
		am_pcsr_reset(&pcsr, &pe, &(struct am_pcs_impdef){ imp == 2, true }, false);
		EXPECT_EQ(am_pcs_mode(&pe, &pcsr).is, AM_PCS_SUSPENDED, "after Warm reset");
		EXPECT_EQ(pcsr.pmcid1sr.value, 0x11112222, "Warm reset keeps PMCID1SR");

		/* An implementation without EN may also be active at reset */
		pcsr = after_reset(&pe, imp == 2, false);
		EXPECT_EQ(am_pcs_mode(&pe, &pcsr).is,
			  imp == 2 ? AM_PCS_SUSPENDED : AM_PCS_ON_READ, "active at reset");
	}

	/* A read in Debug state activates too, but returns no sample */
	pe.halted = true;
	pcsr = after_reset(&pe, true, true);
	read = read_low(&pcsr, &pe);
	EXPECT_EQ(read.verdict.is, AM_PCS_NONE, "activating in Debug state");
	EXPECT_EQ(read.verdict.why, AM_WHY_PCS_DEBUG, "activating in Debug state");
	EXPECT_EQ(am_pcs_mode(&pe, &pcsr).is, AM_PCS_ON_READ, "after the read");
}

/* Rules: S4-d S4-h */
static void test_pmpcsctl_write(void)
{
	struct am_pe pe = linux_pe;
	struct am_pcsr pcsr;
	u64 writable;
	unsigned int n;

	for (n = 0; n < 64; n++) {
		bool v8p9 = n & 1, ss = n & 2, imp = n & 4;
		u64 value = (n & 8 ? PMPCSCTL_EN : 0) | (n & 16 ? PMPCSCTL_SS : 0) |
			    (n & 32 ? ~(PMPCSCTL_EN | PMPCSCTL_SS) : 0);

		pe.feat = linux_pe.feat | (v8p9 ? AM_FEAT_PCSRV8P9 : 0) |
			  (ss ? AM_FEAT_PMUV3_SS : 0);
		pcsr = after_reset(&pe, imp, true);
		am_pcsr_write_pmpcsctl(&pcsr, &pe, value);
		writable = v8p9 ? (imp ? 0x1 : 0) | (ss ? 0x10 : 0) : 0;
		EXPECT_EQ(pcsr.pmpcsctl, (value & writable) | (v8p9 && imp ? 0x2 : 0), "PMPCSCTL");
	}
}

/* Rules: S4-l */
static void test_obscured(void)
{
	struct am_pcsr pcsr = after_reset(&linux_pe, false, false);

	EXPECT_EQ(pcsr.obscured, false, "an IMPLEMENTATION DEFINED mechanism on at reset");
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[0]);
	read_low(&pcsr, &linux_pe);
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[0]);
	pcsr.obscured = true;
	EXPECT_EQ(read_low(&pcsr, &linux_pe).verdict.why, AM_WHY_PCS_OBSCURED, "obscured");
	EXPECT_EQ(pcsr.pmcid1sr.unknown, LOW_ONES, "PMCID1SR");
}

/* Rules: S4-a */
static void test_branch_target(void)
{
	struct am_pcs_branch branch = { .target = 0x1000, .next = 0x2004, .vector = 0x3200 };

	branch.taken = true;
	EXPECT_EQ(am_pcs_branch_target(&branch), 0x1000, "taken branch");
	branch.taken = false;
	EXPECT_EQ(am_pcs_branch_target(&branch), 0x2004, "conditional branch that fails");
	branch.exception = true;
	EXPECT_EQ(am_pcs_branch_target(&branch), 0x3200, "exception");
	branch.taken = true;
	EXPECT_EQ(am_pcs_branch_target(&branch), 0x3200, "exception");
}

/* Rules: S0-b */
/* Reading: F1-2 F1-9 */
static void test_accessible(void)
{
	struct am_pcs_access access;
	struct am_pcsr pcsr = after_reset(&linux_pe, false, false), before = pcsr;
	struct am_pe pe = linux_pe;
	struct am_pcs_read read;
	unsigned int n, reg;
	bool error;

	for (n = 0; n < 64; n++) {
		pe.feat = linux_pe.feat | (n & 32 ? AM_FEAT_PMUV3_EXTPMN : 0);
		access = (struct am_pcs_access){
			.core_off = n & 1, .double_lock = n & 2, .os_lock = n & 4,
			.oslo = n & 8, .most_secure = n & 16,
		};
		/* I5.3: accesses that generate an error response */
		error = access.double_lock || access.core_off ||
			((!(n & 32) || !access.most_secure || !access.oslo) && access.os_lock);
		EXPECT_EQ(am_pcs_accessible(&pe, &access).is, !error, "accessible");
		EXPECT_EQ(am_pcs_accessible(&pe, &access).why,
			  access.core_off ? AM_WHY_PCS_CORE_OFF :
			  access.double_lock ? AM_WHY_PCS_DOUBLE_LOCK :
			  !access.os_lock ? AM_WHY_PCS_ACCESSIBLE :
			  error ? AM_WHY_PCS_OS_LOCK : AM_WHY_PCS_OS_LOCK_IGNORED, "reason");
		for (reg = AM_PCS_REG_NONE; error && reg <= AM_PCS_REG_CTL; reg++) {
			read = am_pmpcsr_read(&pcsr, &pe, &allow, &access, reg);
			EXPECT_EQ(read.verdict.is, AM_PCS_ERROR, "PMU block");
			EXPECT_EQ(read.value.value, 0, "PMU block");
			read = am_edpcsr_read(&pcsr, &pe, &allow, &access, reg, false, false);
			EXPECT_EQ(read.verdict.is, AM_PCS_ERROR, "debug block");
			EXPECT_EQ(read.value.value, 0, "debug block");
		}
	}
	EXPECT_EQ(pcsr.first, before.first, "an error response had a side effect");
	EXPECT(am_same(pcsr.pmpcsr, before.pmpcsr), "an error response had a side effect");

	/* S0: EDPRSR<6:5,0> must be 001; other bits do not matter */
	for (n = 0; n < 128; n++) {
		access = am_pcs_access_from_edprsr(n);
		EXPECT_EQ(am_pcs_accessible(&linux_pe, &access).is, (n & 0x61) == 0x01, "EDPRSR");
	}
}

/* Rules: S0-b S4-i */
/* Reading: F1-8 F1-11 */
static void test_other_registers(void)
{
	struct am_pcsr pcsr = after_reset(&linux_pe, false, false), before;
	const enum am_pcs_reg regs[] = {
		AM_PCS_REG_PC_HI, AM_PCS_REG_CID1, AM_PCS_REG_CID2, AM_PCS_REG_VID,
		AM_PCS_REG_VCID, AM_PCS_REG_CCID, AM_PCS_REG_CTL,
	};
	const u64 values[] = {
		0xA0FF8000, 0x11112222, 0x33334444, 0x5566,
		0x0000556611112222, 0x3333444411112222, 0,
	};
	const u64 unknown[] = {
		0xE0FFFFFF, LOW_ONES, LOW_ONES, 0xFFFF, 0xFFFFFFFFFFFF, ~0ULL, 0,
	};
	struct am_pcs_read read;
	unsigned int i;

	/* The high word and the context registers only change with a read of the low word */
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[0]);
	for (i = 0; i < ARRAY_LEN(regs); i++) {
		read = am_pmpcsr_read(&pcsr, &linux_pe, &allow, &plain, regs[i]);
		EXPECT_EQ(read.value.unknown, unknown[i], "UNKNOWN before the low word is read");
	}
	read_low(&pcsr, &linux_pe);
	before = pcsr;
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[1]);
	for (i = 0; i < ARRAY_LEN(regs); i++) {
		read = am_pmpcsr_read(&pcsr, &linux_pe, &allow, &plain, regs[i]);
		EXPECT_EQ(read.verdict.is, AM_PCS_LATCHED, "outcome");
		EXPECT_EQ(read.value.value, values[i], "value");
		EXPECT_EQ(read.value.unknown, 0, "UNKNOWN bits");
	}
	EXPECT(am_same(pcsr.pmpcsr, before.pmpcsr), "a read without side effects changed PMPCSR");
	EXPECT_EQ(am_pmpcsr_read(&pcsr, &linux_pe, &allow, &plain, AM_PCS_REG_CID1).verdict.why,
		  AM_WHY_PCS_LATCHED, "reason");

	read = am_pmpcsr_read(&pcsr, &linux_pe, &allow, &plain, AM_PCS_REG_MANAGEMENT);
	EXPECT_EQ(read.verdict.is, AM_PCS_ERROR, "not a sample register");
	EXPECT_EQ(read.verdict.why, AM_WHY_PCS_NO_REGISTER, "not a sample register");
	EXPECT_EQ(read.value.value, 0, "not a sample register");
	read = am_edpcsr_read(&pcsr, &linux_pe, &allow, &plain, AM_PCS_REG_CID2, false, false);
	EXPECT_EQ(read.verdict.is, AM_PCS_ERROR, "not in this block");
	EXPECT_EQ(read.verdict.why, AM_WHY_PCS_NO_REGISTER, "not in this block");
	EXPECT_EQ(read.value.value, 0, "not in this block");
}

/* Snapshots */

/* Does the field that the reason names decide, and has it that value? */
static bool capture_why_holds(const struct am_pe *pe, unsigned int sse, bool os_lock,
			      struct am_verdict verdict)
{
	unsigned int el3 = pe->mdcr_el3 >> 30 & 3, el2 = pe->mdcr_el2 >> 30 & 3;
	bool asks_el2 = !ps_have_el(pe, 3) || el3 == 1;
	bool asks_el1 = asks_el2 && (!ps_have_el(pe, 2) || (el2 == 1 && !(pe->aa32 & 4)));

	switch (verdict.why) {
	case AM_WHY_CAP_NO_SS:
		return !(pe->feat & AM_FEAT_PMUV3_SS) || !(pe->feat & AM_FEAT_AA64);
	case AM_WHY_CAP_EL3:
		return !asks_el2 && verdict.detail == el3;
	case AM_WHY_CAP_EL2:
		return asks_el2 && !asks_el1 && !(pe->aa32 & 4) && verdict.detail == el2;
	case AM_WHY_CAP_EL1:
		return asks_el1 && !(pe->aa32 & 2) && sse != 1 && verdict.detail == sse;
	case AM_WHY_CAP_AA32:
		return verdict.is == AM_CAPTURE_DISABLED &&
		       (verdict.detail == 1 ? asks_el1 && (pe->aa32 & 2) :
			verdict.detail == 2 && asks_el2 && ps_have_el(pe, 2) && (pe->aa32 & 4));
	case AM_WHY_CAP_EL1_RESERVED:
		return asks_el1 && sse == 1 && verdict.detail == 1;
	case AM_WHY_CAP_OS_LOCK:
		return os_lock && verdict.is == AM_CAPTURE_PROHIBITED;
	default:
		return false;
	}
}

/* Rules: S4-h */
/* Reading: M-21 */
static void test_capture_control(void)
{
	static const u8 aa32[] = { 0, 1, 3, 7 };
	struct am_pe pe = { .feat = 0 };
	unsigned int el3, el2, sse, n;
	struct am_verdict verdict;

	for (n = 0; n < 256; n++) {
		pe.aa32 = aa32[n >> 6];
		pe.feat = (n & 1 ? AM_FEAT_EL3 : 0) | (n & 2 ? AM_FEAT_EL2 : 0) |
			  (n & 4 ? AM_FEAT_PMUV3_SS : 0) | (n & 8 ? AM_FEAT_AA64 : 0);
		for (el3 = 0; el3 < 4; el3++)
			for (el2 = 0; el2 < 4; el2++)
				for (sse = 0; sse < 4; sse++) {
					pe.mdcr_el3 = (u64)el3 << 30;
					pe.mdcr_el2 = (u64)el2 << 30;
					pe.halted = n & 32;
					verdict = am_capture_control(&pe, sse, n & 16, true);
					EXPECT_EQ(verdict.is, ps_pmu_capture(&pe, sse, n & 16),
						  "Capture events");
					EXPECT(capture_why_holds(&pe, sse, n & 16, verdict),
					       "reason %u", verdict.why);
					/* Debug state prohibits what else is allowed */
					if (!pe.halted || verdict.is != AM_CAPTURE_ALLOWED)
						continue;
					verdict = am_capture_control(&pe, sse, n & 16, false);
					EXPECT_EQ(verdict.is, AM_CAPTURE_PROHIBITED, "Debug state");
					EXPECT_EQ(verdict.why, AM_WHY_CAP_DEBUG, "reason");
				}
	}
}

/* Rules: S4-h S4-i */
/* Reading: F1-4 F1-5 F1-6 */
static void test_capture(void)
{
	unsigned long wrote = 0, none = 0, en_differs = 0;
	struct am_verdict verdict;
	struct pair p, before;
	unsigned int n;

	for (n = 0; n < PAIR_COMBINATIONS; n++) {
		pair_setup(&p, n);
		before = p;
		verdict = am_pcsr_capture(&p.model, &p.pe, &p.auth);
		if (am_pcs_mode(&p.pe, &before.model).is != AM_PCS_ON_SNAPSHOT) {
			EXPECT_EQ(verdict.is, false, "captured without PMPCSCTL.SS");
			EXPECT_EQ(verdict.why, AM_WHY_CAP_NOT_ON_SNAPSHOT, "reason");
			expect_unchanged(&p.model);
			continue;
		}
		ps_capture_pc(&p.pe, &p.pseudo);
		EXPECT_EQ(verdict.is, before.pseudo.valid && !p.pe.halted, "wrote a sample");
		EXPECT_EQ(verdict.why, verdict.is ? AM_WHY_CAP_SAMPLED : AM_WHY_CAP_NO_SAMPLE,
			  "reason");
		if (verdict.is) {
			/* That it is the first one makes no difference */
			before.model.first = false;
			expect_latched(&p, pair_is_plain(&before), "capture");
			wrote++;
		} else {
			/* Unlike after a read, all but the low word keeps its value */
			EXPECT_EQ(p.model.pmpcsr.value,
				  (old_pmpcsr.value & ~LOW_ONES) | LOW_ONES, "PMPCSR");
			EXPECT_EQ(p.model.pmpcsr.unknown, 0, "PMPCSR");
			EXPECT(am_same(p.model.pmcid1sr, old_word), "PMCID1SR changed");
			EXPECT(am_same(p.model.pmcid2sr, old_word), "PMCID2SR changed");
			EXPECT(am_same(p.model.pmvidsr, old_word), "PMVIDSR changed");
			none++;
		}
		/* A capture does not write PMPCSCTL.EN, though the pseudocode does */
		EXPECT_EQ(p.model.pmpcsctl, before.model.pmpcsctl, "PMPCSCTL");
		en_differs += p.pseudo.ctl_en != !!(p.model.pmpcsctl & PMPCSCTL_EN);
	}
	EXPECT(wrote && none, "captures: %lu with and %lu without a sample", wrote, none);
	EXPECT(en_differs, "reading F1-5 makes no difference");
}

/* Rules: S4-h S4-i */
static void test_on_snapshot(void)
{
	struct am_pe pe = linux_pe;
	struct am_pcs_read read;
	struct am_pcsr pcsr;

	/* With FEAT_MOPS the registers are not UNKNOWN for want of a new branch alone */
	pe.feat |= AM_FEAT_PCSRV8P9 | AM_FEAT_PMUV3_SS | AM_FEAT_MOPS;
	pcsr = after_reset(&pe, true, true);
	am_pcsr_write_pmpcsctl(&pcsr, &pe, PMPCSCTL_SS);
	EXPECT_EQ(am_pcs_mode(&pe, &pcsr).is, AM_PCS_ON_SNAPSHOT, "EN = 0, SS = 1");
	EXPECT_EQ(am_pcs_mode(&pe, &pcsr).why, AM_WHY_PCS_SS, "reason");
	/* PMPCSCTL has no effect without the features */
	EXPECT_EQ(am_pcs_mode(&linux_pe, &pcsr).is, AM_PCS_ON_READ, "no FEAT_PCSRv8p9");

	/* Nothing was sampled since Cold reset: the value is that of reset */
	EXPECT_EQ(read_low(&pcsr, &pe).value.unknown, LOW_ONES, "before the first capture");
	am_pcsr_retire(&pcsr, &pe, &allow, &insns[0]);
	EXPECT_EQ(read_low(&pcsr, &pe).value.unknown, LOW_ONES, "reads do not sample");

	EXPECT_EQ(am_pcsr_capture(&pcsr, &pe, &allow).is, true, "capture");
	am_pcsr_retire(&pcsr, &pe, &allow, &insns[1]);
	read = am_pmpcsr_read(&pcsr, &pe, &allow, &plain, AM_PCS_REG_PC);
	EXPECT_EQ(read.verdict.why, AM_WHY_PCS_ON_SNAPSHOT, "read");
	EXPECT_EQ(read.value.value, 0xA0FF800012345678, "captured PMPCSR");
	EXPECT_EQ(pcsr.pmpcsctl, PMPCSCTL_SS | PMPCSCTL_IMP, "a read has no side effect");

	/* In Debug state a read still returns what was captured, see F1-4 */
	pe.halted = true;
	EXPECT_EQ(read_low(&pcsr, &pe).value.value, 0x12345678, "in Debug state");
	EXPECT_EQ(am_pcsr_capture(&pcsr, &pe, &allow).why, AM_WHY_CAP_NO_SAMPLE, "Debug state");
	EXPECT_EQ(read_low(&pcsr, &pe).value.value, LOW_ONES, "after that capture");
	EXPECT_EQ(pcsr.pmcid2sr.value, 0x33334444, "the context keeps its value");
	pe.halted = false;

	/* No branch since Debug state: the capture happens, and is UNKNOWN */
	EXPECT_EQ(am_pcsr_capture(&pcsr, &pe, &allow).is, true, "after Debug state");
	EXPECT_EQ(pcsr.pmpcsr.unknown, 0xE0FFFFFFFFFFFFFF, "PMPCSR");

	/* With SS = 0 and EN = 0, suspended again */
	am_pcsr_write_pmpcsctl(&pcsr, &pe, 0);
	EXPECT_EQ(am_pcs_mode(&pe, &pcsr).is, AM_PCS_SUSPENDED, "EN = 0, SS = 0");
}

/* Capture after a branch has retired: is all of PMPCSR[31:0] UNKNOWN? */
static bool captures_unknown(struct am_pcsr *pcsr, const struct am_pe *pe)
{
	am_pcsr_capture(pcsr, pe, &allow);
	return read_low(pcsr, pe).value.unknown == LOW_ONES;
}

/* D13.9: no branch has retired since SS was set to 1, or since the previous Capture event */
/* Rules: S4-h S4-m */
static void test_captures_in_a_row(void)
{
	const struct am_pcs_insn straight = { .pc = 0x4000 };
	struct am_pe pe = linux_pe;
	struct am_pcsr pcsr;
	unsigned int mops;

	for (mops = 0; mops < 2; mops++) {
		pe.feat |= AM_FEAT_PCSRV8P9 | AM_FEAT_PMUV3_SS | (mops ? AM_FEAT_MOPS : 0);
		pcsr = after_reset(&pe, true, true);
		am_pcsr_write_pmpcsctl(&pcsr, &pe, PMPCSCTL_EN);
		am_pcsr_retire(&pcsr, &pe, &allow, &insns[0]);
		am_pcsr_write_pmpcsctl(&pcsr, &pe, PMPCSCTL_EN | PMPCSCTL_SS);
		EXPECT(captures_unknown(&pcsr, &pe), "no branch since SS = 1");
		am_pcsr_retire(&pcsr, &pe, &allow, &straight);
		EXPECT(captures_unknown(&pcsr, &pe), "only straight code since SS = 1");
		am_pcsr_retire(&pcsr, &pe, &allow, &insns[0]);
		/* Writing SS = 1 again changes nothing */
		am_pcsr_write_pmpcsctl(&pcsr, &pe, PMPCSCTL_SS);
		EXPECT(!captures_unknown(&pcsr, &pe), "a branch since SS = 1");
		EXPECT_EQ(captures_unknown(&pcsr, &pe), !mops, "no branch since a capture");
		am_pcsr_retire(&pcsr, &pe, &allow, &insns[0]);
		EXPECT(!captures_unknown(&pcsr, &pe), "a branch since a capture");
	}
}

/* IMP = 0: only reset suspends sampling that SS = 1 has activated (H7.1.1.1) */
/* Rules: S4-g S4-h */
static void test_snapshot_activates(void)
{
	struct am_pe pe = linux_pe;
	struct am_pcsr pcsr;

	pe.feat |= AM_FEAT_PCSRV8P9 | AM_FEAT_PMUV3_SS;
	pcsr = after_reset(&pe, false, true);
	EXPECT_EQ(am_pcs_mode(&pe, &pcsr).is, AM_PCS_SUSPENDED, "at reset");
	am_pcsr_write_pmpcsctl(&pcsr, &pe, 0);
	EXPECT_EQ(am_pcs_mode(&pe, &pcsr).is, AM_PCS_SUSPENDED, "SS = 0");
	am_pcsr_write_pmpcsctl(&pcsr, &pe, PMPCSCTL_SS);
	EXPECT_EQ(am_pcs_mode(&pe, &pcsr).is, AM_PCS_ON_SNAPSHOT, "SS = 1");
	am_pcsr_write_pmpcsctl(&pcsr, &pe, 0);
	EXPECT_EQ(am_pcs_mode(&pe, &pcsr).is, AM_PCS_ON_READ, "SS = 0 again");
}

/* IMPLEMENTATION DEFINED snapshots */

/* A snapshot has what the pseudocode's read of PMPCSR gives, and the state is that after a read */
static void test_impdef_capture(void)
{
	unsigned long seen[READINGS] = { 0 };
	struct am_impdef_snapshot snapshot;
	struct am_pcs_read read, other;
	struct pair p, before, as_read;
	bool activates, counts, plainly;
	unsigned int n;

	for (n = 0; n < PAIR_COMBINATIONS; n++) {
		pair_setup(&p, n);
		/* The lock has no effect, so the bits of n that set it are free for the choices */
		activates = p.access.memory_mapped;
		counts = p.access.software_locked;
		p.access = (struct am_pcs_access){ .memory_mapped = true };
		before = p;
		as_read = p;
		seen[pair_reading(&p)]++;
		plainly = pair_reading(&p) == AS_PSEUDO &&
			  am_pcs_mode(&p.pe, &p.model).is == AM_PCS_ON_READ;

		am_impdef_reset(&snapshot);
		read = am_impdef_capture(&snapshot, &p.model, &p.pe, &p.auth, activates, counts);
		other = am_pmpcsr_read(&as_read.model, &p.pe, &p.auth, &plain, AM_PCS_REG_PC);
		EXPECT_EQ(snapshot.nc, !counts, "PMSSSR.NC");
		EXPECT_EQ(read.verdict.is, other.verdict.is, "outcome");
		EXPECT(am_same(read.value, other.value), "value of %#x", n);
		expect_unchanged(&p.model);
		EXPECT_EQ(p.model.branch, as_read.model.branch, "a branch before the next one");
		EXPECT_EQ(p.model.new_branch, as_read.model.new_branch, "a new branch");
		EXPECT_EQ(p.model.first, as_read.model.first, "the first one");
		EXPECT_EQ(p.model.suspended,
			  activates ? as_read.model.suspended : before.model.suspended,
			  "suspended");
		EXPECT_EQ(p.model.pmpcsctl,
			  activates ? as_read.model.pmpcsctl : before.model.pmpcsctl, "PMPCSCTL");

		if (!plainly)
			continue;
		ps_read_pmpcsr(&p.pe, &p.pseudo, true, false);
		p.model.pmpcsr = snapshot.pmpcssr;
		p.model.pmcid1sr = snapshot.pmcidssr;
		p.model.pmcid2sr = snapshot.pmcid2ssr;
		p.model.pmvidsr = as_read.model.pmvidsr;
		expect_latched(&p, pair_is_plain(&before), "a snapshot");
	}
	EXPECT(seen[AS_PSEUDO] && seen[F1_3] && seen[M_3], "all kinds of reads");
}

static const unsigned int snapshot_words[] = { 0x600, 0x604, 0x608, 0x60C, 0x610 };

static void test_impdef_registers(void)
{
	static const u64 reset[] = { LOW_ONES, 0xE0FFFFFF, LOW_ONES, LOW_ONES, 0 };
	static const u64 values[] = { 0x12345678, 0xA0FF8000, 0x11112222, 0x33334444, 0 };
	struct am_pcsr pcsr = after_reset(&linux_pe, false, false);
	struct am_pcs_access access = plain;
	struct am_impdef_snapshot snapshot;
	struct am_pcs_read read;
	unsigned int i;

	am_impdef_reset(&snapshot);
	for (i = 0; i < ARRAY_LEN(snapshot_words); i++) {
		read = am_impdef_read(&snapshot, &linux_pe, &plain, snapshot_words[i]);
		EXPECT_EQ(read.verdict.is, AM_PCS_LATCHED, "outcome");
		EXPECT_EQ(read.verdict.why, AM_WHY_PCS_LATCHED, "reason");
		EXPECT_EQ(read.value.unknown, reset[i], "UNKNOWN bits at reset");
		EXPECT_EQ(read.value.value, snapshot_words[i] == 0x610, "value at reset");
	}

	/* The locks are no obstacle */
	access.os_lock = true;
	access.software_locked = true;
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[0]);
	am_impdef_capture(&snapshot, &pcsr, &linux_pe, &allow, false, true);
	am_pcsr_retire(&pcsr, &linux_pe, &allow, &insns[1]);
	for (i = 0; i < ARRAY_LEN(snapshot_words); i++) {
		read = am_impdef_read(&snapshot, &linux_pe, &access, snapshot_words[i]);
		EXPECT_EQ(read.value.value, values[i], "value");
		EXPECT_EQ(read.value.unknown, 0, "UNKNOWN bits");
	}
	for (i = 0; i < 0x100; i += 4) {
		if (i <= 0x10)
			continue;
		read = am_impdef_read(&snapshot, &linux_pe, &access, 0x600 + i);
		EXPECT_EQ(read.verdict.is, AM_PCS_ERROR, "no register of the PC");
		EXPECT_EQ(read.verdict.why, AM_WHY_PCS_NO_REGISTER, "no register of the PC");
		EXPECT_EQ(read.value.value, 0, "no register of the PC");
	}

	access.double_lock = true;
	read = am_impdef_read(&snapshot, &linux_pe, &access, 0x600);
	EXPECT_EQ(read.verdict.is, AM_PCS_ERROR, "double lock");
	EXPECT_EQ(read.verdict.why, AM_WHY_PCS_DOUBLE_LOCK, "double lock");
	EXPECT_EQ(read.value.value, 0, "double lock");
	access.core_off = true;
	EXPECT_EQ(am_impdef_accessible(&linux_pe, &access).is, false, "no power");
	EXPECT_EQ(am_impdef_accessible(&linux_pe, &access).why, AM_WHY_PCS_CORE_OFF, "no power");

	/* Prohibited: the counters alone */
	read = am_impdef_capture(&snapshot, &pcsr, &linux_pe, &prohibit, false, true);
	EXPECT_EQ(read.verdict.is, AM_PCS_NONE, "prohibited");
	EXPECT_EQ(snapshot.nc, false, "prohibited");
	EXPECT_EQ(snapshot.pmpcssr.value, LOW_ONES, "prohibited");
	EXPECT_EQ(snapshot.pmcidssr.unknown, LOW_ONES, "prohibited");
}

const struct am_test am_tests_pcsr[] = {
	{ "Security states and Exception levels", test_pe_states, 118560 },
	{ "impossible states", test_impossible, 170 },
	{ "sampling allowed, all states", test_allowed, 697345 },
	{ "authentication signals", test_auth_signals, 3072 },
	{ "authentication status", test_auth_status, 48 },
	{ "CreatePCSample, all states", test_create, 1421569 },
	{ "samples of all states", test_samples, 587520 },
	{ "read of PMPCSR, all states", test_read_against_pseudocode, 148477 },
	{ "first reads after reset", test_first_reads, 15 },
	{ "reads without a new branch", test_no_new_branch, 2 },
	{ "Debug state and prohibited states", test_leaving_debug_and_prohibited, 16 },
	{ "the same in the debug block", test_ed_leaving, 10 },
	{ "suspended and activated", test_suspended, 57 },
	{ "writes of PMPCSCTL", test_pmpcsctl_write, 64 },
	{ "IMPLEMENTATION DEFINED mechanisms", test_obscured, 3 },
	{ "targets that can be sampled", test_branch_target, 4 },
	{ "error responses", test_accessible, 2458 },
	{ "reads without side effects", test_other_registers, 36 },
	{ "Capture events enabled and allowed", test_capture_control, 33244 },
	{ "a Capture event, all states", test_capture, 159234 },
	{ "sampling on snapshots", test_on_snapshot, 16 },
	{ "Capture events in a row", test_captures_in_a_row, 10 },
	{ "sampling that snapshots activate", test_snapshot_activates, 4 },
	{ "IMPLEMENTATION DEFINED snapshots, all states", test_impdef_capture, 334849 },
	{ "registers of those snapshots", test_impdef_registers, 216 },
	{ NULL, NULL, 0 },
};
