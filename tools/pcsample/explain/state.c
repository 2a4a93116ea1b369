// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state of a PE by the manual's names; see state.h.
 */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <arch-model/control-regs.h>
#include <arch-model/edpcsr-regs.h>
#include <arch-model/linux-sample.h>
#include <arch-model/pmpcsr-regs.h>
#include <arch-model/pmu-regs.h>
#include <arch-model/trbe-regs.h>

#include "base/array.h"
#include "explain/state.h"

/**
 * struct arch_name - what a name stands for
 * @name: the name; "<n>" in it stands for the number of an array's member
 * @offset: place in struct arch_state
 * @bytes: size of the integer or bool at that place
 * @units: enum arch_unit
 * @first: number of the array's first member that has a name
 * @count: how many have one; 0 if it is no array
 * @mask: the bits of the value
 * @words: names of the values from 0 on, separated by blanks, where the manual has no numbers
 */
struct arch_name {
	const char *name;
	unsigned short offset;
	unsigned char bytes;
	unsigned char units;
	unsigned char first;
	unsigned char count;
	u64 mask;
	const char *words;
};

#define MEMBER(m)	.offset = offsetof(struct arch_state, m), \
			.bytes = sizeof(((struct arch_state *)0)->m)
#define REG(u, n, m)		{ .name = (n), .units = (u), .mask = ~0ULL, MEMBER(m) }
#define FIELD(u, n, m, bits)	{ .name = (n), .units = (u), .mask = (bits), MEMBER(m) }
#define FEATURE(n, bit)		FIELD(ARCH_PE, n, pe.feat, bit)
#define ARRAY(u, n, m, begin, nr, bits)	{ .name = (n), .units = (u), .mask = (bits), \
				  .first = (begin), .count = (nr), MEMBER(m[0]) }

static const struct arch_name arch_names[] = {
	/* Where the PE is */
	FIELD(ARCH_PE, "PSTATE.EL", pe.el, 3),
	FIELD(ARCH_PE, "PSTATE.PM", pe.pm, 1),
	FIELD(ARCH_PE, "PSTATE.PPEND", pe.ppend, 1),
	FIELD(ARCH_PE, "EDPRSR.HALTED", pe.halted, 1),
	FIELD(ARCH_PE, "EL0.nRW", pe.aa32, 1),
	FIELD(ARCH_PE, "EL1.nRW", pe.aa32, 2),
	FIELD(ARCH_PE, "EL2.nRW", pe.aa32, 4),
	FIELD(ARCH_PE, "EL3.nRW", pe.aa32, 8),

	/* What controls it */
	REG(ARCH_PE, "SCR_EL3", pe.scr_el3),
	FIELD(ARCH_PE, "SCR_EL3.NS", pe.scr_el3, SCR_EL3_NS),
	FIELD(ARCH_PE, "SCR_EL3.EA", pe.scr_el3, SCR_EL3_EA),
	FIELD(ARCH_PE, "SCR_EL3.EEL2", pe.scr_el3, SCR_EL3_EEL2),
	FIELD(ARCH_PE, "SCR_EL3.GPF", pe.scr_el3, SCR_EL3_GPF),
	FIELD(ARCH_PE, "SCR_EL3.NSE", pe.scr_el3, SCR_EL3_NSE),
	REG(ARCH_PE, "HCR_EL2", pe.hcr_el2),
	FIELD(ARCH_PE, "HCR_EL2.TGE", pe.hcr_el2, HCR_EL2_TGE),
	FIELD(ARCH_PE, "HCR_EL2.E2H", pe.hcr_el2, HCR_EL2_E2H),
	FIELD(ARCH_PE, "HCR_EL2.TEA", pe.hcr_el2, HCR_EL2_TEA),
	FIELD(ARCH_PE, "HCR_EL2.GPF", pe.hcr_el2, HCR_EL2_GPF),
	REG(ARCH_PE, "MDCR_EL3", pe.mdcr_el3),
	FIELD(ARCH_TRBE, "MDCR_EL3.NSTB", pe.mdcr_el3, MDCR_EL3_NSTB),
	FIELD(ARCH_TRBE, "MDCR_EL3.NSTBE", pe.mdcr_el3, MDCR_EL3_NSTBE),
	FIELD(ARCH_TRBE, "MDCR_EL3.TRBEE", pe.mdcr_el3, MDCR_EL3_TRBEE),
	FIELD(ARCH_SAMPLING, "MDCR_EL3.PMSSE", pe.mdcr_el3, MDCR_EL3_PMSSE),
	FIELD(ARCH_PMU, "MDCR_EL3.SPME", pe.mdcr_el3, MDCR_EL3_SPME),
	FIELD(ARCH_PMU, "MDCR_EL3.SCCD", pe.mdcr_el3, MDCR_EL3_SCCD),
	FIELD(ARCH_PMU, "MDCR_EL3.MCCD", pe.mdcr_el3, MDCR_EL3_MCCD),
	FIELD(ARCH_PMU, "MDCR_EL3.MPMX", pe.mdcr_el3, MDCR_EL3_MPMX),
	FIELD(ARCH_PMU, "MDCR_EL3.PMEE", pe.mdcr_el3, MDCR_EL3_PMEE),
	REG(ARCH_PE, "MDCR_EL2", pe.mdcr_el2),
	FIELD(ARCH_TRBE, "MDCR_EL2.E2TB", pe.mdcr_el2, MDCR_EL2_E2TB),
	FIELD(ARCH_SAMPLING, "MDCR_EL2.PMSSE", pe.mdcr_el2, MDCR_EL2_PMSSE),
	FIELD(ARCH_PMU, "MDCR_EL2.HPMN", pe.mdcr_el2, MDCR_EL2_HPMN),
	FIELD(ARCH_PMU, "MDCR_EL2.HPME", pe.mdcr_el2, MDCR_EL2_HPME),
	FIELD(ARCH_PMU, "MDCR_EL2.HPMD", pe.mdcr_el2, MDCR_EL2_HPMD),
	FIELD(ARCH_PMU, "MDCR_EL2.HCCD", pe.mdcr_el2, MDCR_EL2_HCCD),
	FIELD(ARCH_PMU, "MDCR_EL2.HLP", pe.mdcr_el2, MDCR_EL2_HLP),
	FIELD(ARCH_PMU, "MDCR_EL2.HPMFZO", pe.mdcr_el2, MDCR_EL2_HPMFZO),
	FIELD(ARCH_PMU, "MDCR_EL2.HPMFZS", pe.mdcr_el2, MDCR_EL2_HPMFZS),
	FIELD(ARCH_PMU, "MDCR_EL2.PMEE", pe.mdcr_el2, MDCR_EL2_PMEE),
	FIELD(ARCH_PMU | ARCH_SAMPLING, "SDER32_EL3.SUNIDEN", pe.sder, SDER_SUNIDEN),

	/* Whether it may be sampled */
	FIELD(ARCH_SAMPLING, "ExternalNoninvasiveDebugEnabled", auth.noninvasive, 1),
	FIELD(ARCH_SAMPLING | ARCH_PMU, "ExternalSecureNoninvasiveDebugEnabled", auth.secure, 1),
	FIELD(ARCH_SAMPLING, "ExternalRealmNoninvasiveDebugEnabled", auth.realm, 1),
	FIELD(ARCH_SAMPLING, "ExternalRootNoninvasiveDebugEnabled", auth.root, 1),
	FIELD(ARCH_SAMPLING, "PMAUTHSTATUS", authstatus, 0xFFFFFFFF),
	FIELD(ARCH_SAMPLING, "DBGAUTHSTATUS_EL1", authstatus, 0xFFFFFFFF),
	REG(ARCH_SAMPLING, "PMPCSCTL", pcsr.pmpcsctl),
	FIELD(ARCH_SAMPLING, "PMPCSCTL.EN", pcsr.pmpcsctl, PMPCSCTL_EN),
	FIELD(ARCH_SAMPLING, "PMPCSCTL.IMP", pcsr.pmpcsctl, PMPCSCTL_IMP),
	FIELD(ARCH_SAMPLING, "PMPCSCTL.SS", pcsr.pmpcsctl, PMPCSCTL_SS),
	FIELD(ARCH_SAMPLING, "EDPRSR", edprsr, 0xFFFFFFFF),
	FIELD(ARCH_SAMPLING, "EDPRSR.PU", edprsr, EDPRSR_PU),
	FIELD(ARCH_SAMPLING, "EDPRSR.DLK", edprsr, EDPRSR_DLK),
	FIELD(ARCH_SAMPLING, "EDPRSR.OSLK", edprsr, EDPRSR_OSLK),
	FIELD(ARCH_SAMPLING, "OSLSR_EL1", oslsr, 0xFFFFFFFF),
	FIELD(ARCH_SAMPLING, "PMECR_EL1.SSE", pmu.pmecr, PMECR_SSE),

	/* A sample */
	REG(ARCH_SAMPLE, "PMPCSR", sample.pmpcsr),
	FIELD(ARCH_SAMPLE, "PMCID1SR", sample.pmcid1sr, 0xFFFFFFFF),
	FIELD(ARCH_SAMPLE, "PMCID2SR", sample.pmcid2sr, 0xFFFFFFFF),
	FIELD(ARCH_SAMPLE, "PMVIDSR", sample.pmvidsr, 0xFFFFFFFF),
	FIELD(ARCH_ED_SAMPLE, "EDPCSRlo", sample.edpcsr_lo, 0xFFFFFFFF),
	FIELD(ARCH_ED_SAMPLE, "EDPCSRhi", sample.edpcsr_hi, 0xFFFFFFFF),
	FIELD(ARCH_ED_SAMPLE, "EDVIDSR", sample.edvidsr, 0xFFFFFFFF),
	FIELD(ARCH_ED_SAMPLE, "EDSCR.SC2", sample.edscr, EDSCR_SC2),
	{ .name = "kernel", .units = ARCH_SAMPLE, .mask = 3, MEMBER(sample.kernel),
	  .words = "nvhe vhe arm" },
	FIELD(ARCH_SAMPLE, "host_vmid", sample.host_vmid, 0xFFFF),

	/* Where samples are */
	REG(ARCH_FRAME, "PMDEVARCH", frame.pmdevarch),
	REG(ARCH_FRAME, "PMDEVTYPE", frame.pmdevtype),
	REG(ARCH_FRAME, "PMDEVID", frame.pmdevid),
	REG(ARCH_FRAME | ARCH_ED_SAMPLE, "EDDEVID", frame.eddevid),
	REG(ARCH_FRAME | ARCH_ED_SAMPLE, "EDDEVID1", frame.eddevid1),

	/* The Trace Buffer Unit */
	FIELD(ARCH_TRBE, "SelfHostedTraceEnabled", trbe.self_hosted, 1),
	REG(ARCH_TRBE, "TRBLIMITR_EL1", trbe.trblimitr),
	FIELD(ARCH_TRBE, "TRBLIMITR_EL1.E", trbe.trblimitr, TRBLIMITR_E),
	FIELD(ARCH_TRBE, "TRBLIMITR_EL1.FM", trbe.trblimitr, TRBLIMITR_FM),
	FIELD(ARCH_TRBE, "TRBLIMITR_EL1.TM", trbe.trblimitr, TRBLIMITR_TM),
	FIELD(ARCH_TRBE, "TRBLIMITR_EL1.XE", trbe.trblimitr, TRBLIMITR_XE),
	REG(ARCH_TRBE, "TRBPTR_EL1", trbe.trbptr),
	REG(ARCH_TRBE, "TRBBASER_EL1", trbe.trbbaser),
	REG(ARCH_TRBE, "TRBIDR_EL1", trbe.trbidr),
	FIELD(ARCH_TRBE, "TRBIDR_EL1.Align", trbe.trbidr, TRBIDR_ALIGN),
	REG(ARCH_TRBE, "TRBTRG_EL1", trbe.trbtrg),
	ARRAY(ARCH_TRBE, "TRBSR_EL<n>", trbe.trbsr, 1, 3, ~0ULL),
	ARRAY(ARCH_TRBE, "TRBSR_EL<n>.IRQ", trbe.trbsr, 1, 3, TRBSR_IRQ),
	ARRAY(ARCH_TRBE, "TRBSR_EL<n>.S", trbe.trbsr, 1, 3, TRBSR_S),
	ARRAY(ARCH_TRBE, "TRBSR_EL<n>.TRG", trbe.trbsr, 1, 3, TRBSR_TRG),
	ARRAY(ARCH_TRBE, "TRBSR_EL<n>.WRAP", trbe.trbsr, 1, 3, TRBSR_WRAP),
	ARRAY(ARCH_TRBE, "TRBSR_EL<n>.EC", trbe.trbsr, 1, 3, TRBSR_EC),
	REG(ARCH_TRBE, "TRFCR_EL1", trbe.trfcr_el1),
	FIELD(ARCH_TRBE, "TRFCR_EL1.EE", trbe.trfcr_el1, TRFCR_EE),
	FIELD(ARCH_TRBE, "TRFCR_EL1.KE", trbe.trfcr_el1, TRFCR_KE),
	REG(ARCH_TRBE, "TRFCR_EL2", trbe.trfcr_el2),
	FIELD(ARCH_TRBE, "TRFCR_EL2.EE", trbe.trfcr_el2, TRFCR_EE),
	FIELD(ARCH_TRBE, "TRFCR_EL2.KE", trbe.trfcr_el2, TRFCR_KE),

	/* The PMU */
	FIELD(ARCH_PMU, "PMCR_EL0.N", pmu.counters, 31),
	REG(ARCH_PMU, "PMCR_EL0", pmu.pmcr),
	FIELD(ARCH_PMU, "PMCR_EL0.E", pmu.pmcr, PMCR_E),
	FIELD(ARCH_PMU, "PMCR_EL0.DP", pmu.pmcr, PMCR_DP),
	FIELD(ARCH_PMU, "PMCR_EL0.LC", pmu.pmcr, PMCR_LC),
	FIELD(ARCH_PMU, "PMCR_EL0.LP", pmu.pmcr, PMCR_LP),
	FIELD(ARCH_PMU, "PMCR_EL0.FZO", pmu.pmcr, PMCR_FZO),
	FIELD(ARCH_PMU, "PMCR_EL0.FZS", pmu.pmcr, PMCR_FZS),
	REG(ARCH_PMU, "PMCNTENSET_EL0", pmu.pmcnten),
	REG(ARCH_PMU, "PMOVSSET_EL0", pmu.pmovs),
	REG(ARCH_PMU, "PMINTENSET_EL1", pmu.pminten),
	REG(ARCH_PMU, "PMECR_EL1", pmu.pmecr),
	FIELD(ARCH_PMU, "PMECR_EL1.PMEE", pmu.pmecr, PMECR_PMEE),
	FIELD(ARCH_PMU, "PMECR_EL1.KPME", pmu.pmecr, PMECR_KPME),
	ARRAY(ARCH_PMU, "PMEVTYPER<n>_EL0", pmu.pmevtyper, 0, 31, ~0ULL),
	ARRAY(ARCH_PMU, "PMEVTYPER<n>_EL0.SYNC", pmu.pmevtyper, 0, 31, PMEVTYPER_SYNC),
	REG(ARCH_PMU, "PMCCFILTR_EL0", pmu.pmccfiltr),
	REG(ARCH_PMU, "PMICFILTR_EL0", pmu.pmicfiltr),
	REG(ARCH_PMU, "PMCCR", pmu.pmccr),
	REG(ARCH_PMU, "PMBLIMITR_EL1", pmu.pmblimitr),
	ARRAY(ARCH_PMU, "PMBSR_EL<n>", pmu.pmbsr, 1, 3, ~0ULL),
	ARRAY(ARCH_PMU, "PMBSR_EL<n>.S", pmu.pmbsr, 1, 3, PMBSR_S),
	REG(ARCH_PMU, "PMSCR_EL2", pmu.pmscr_el2),
	REG(ARCH_PMU, "EDECR", pmu.edecr),
	FIELD(ARCH_PMU, "PSTATE.SM", pmu.streaming, 1),

	/* An exception that was taken */
	REG(ARCH_SYNDROME, "ESR_ELx", esr),

	/* What is implemented */
	FEATURE("EL2", AM_FEAT_EL2),
	FEATURE("EL3", AM_FEAT_EL3),
	FEATURE("SecureOnly", AM_FEAT_SECURE_ONLY),
	FEATURE("AArch64", AM_FEAT_AA64),
	FEATURE("AArch32", AM_FEAT_AA32),
	FEATURE("FEAT_SEL2", AM_FEAT_SEL2),
	FEATURE("FEAT_RME", AM_FEAT_RME),
	FEATURE("FEAT_VHE", AM_FEAT_VHE),
	FEATURE("FEAT_VMID16", AM_FEAT_VMID16),
	FEATURE("FEAT_NV", AM_FEAT_NV),
	FEATURE("FEAT_RAS", AM_FEAT_RAS),
	FEATURE("FEAT_MOPS", AM_FEAT_MOPS),
	FEATURE("Armv9.3", AM_FEAT_V9P3),
	FEATURE("FEAT_Debugv8p1", AM_FEAT_DEBUGV8P1),
	FEATURE("FEAT_Debugv8p2", AM_FEAT_DEBUGV8P2),
	FEATURE("FEAT_Debugv8p4", AM_FEAT_DEBUGV8P4),
	FEATURE("FEAT_Debugv8p9", AM_FEAT_DEBUGV8P9),
	FEATURE("FEAT_PCSRv8", AM_FEAT_PCSRV8),
	FEATURE("FEAT_PCSRv8p2", AM_FEAT_PCSRV8P2),
	FEATURE("FEAT_PCSRv8p9", AM_FEAT_PCSRV8P9),
	FEATURE("FEAT_PMUv3_EXT64", AM_FEAT_PMUV3_EXT64),
	FEATURE("FEAT_PMUv3_EXTPMN", AM_FEAT_PMUV3_EXTPMN),
	FEATURE("FEAT_PMUv3_SS", AM_FEAT_PMUV3_SS),
	FEATURE("FEAT_PMUv3_ICNTR", AM_FEAT_PMUV3_ICNTR),
	FEATURE("FEAT_PMUv3p1", AM_FEAT_PMUV3P1),
	FEATURE("FEAT_PMUv3p5", AM_FEAT_PMUV3P5),
	FEATURE("FEAT_PMUv3p7", AM_FEAT_PMUV3P7),
	FEATURE("FEAT_PMUv3p9", AM_FEAT_PMUV3P9),
	FEATURE("FEAT_PMUv3_SME", AM_FEAT_PMUV3_SME),
	FEATURE("FEAT_HPMN0", AM_FEAT_HPMN0),
	FEATURE("FEAT_EBEP", AM_FEAT_EBEP),
	FEATURE("FEAT_SEBEP", AM_FEAT_SEBEP),
	FEATURE("FEAT_BRBE", AM_FEAT_BRBE),
	FEATURE("FEAT_SPEv1p2", AM_FEAT_SPEV1P2),
	FEATURE("FEAT_SPE_DPFZS", AM_FEAT_SPE_DPFZS),
	FEATURE("FEAT_SPE_EXC", AM_FEAT_SPE_EXC),
	FEATURE("FEAT_TRBE", AM_FEAT_TRBE),
	FEATURE("FEAT_TRBE_EXT", AM_FEAT_TRBE_EXT),
	FEATURE("FEAT_TRBE_EXC", AM_FEAT_TRBE_EXC),
};

#define for_each_name(n) \
	for ((n) = arch_names; (n) < arch_names + sizeof(arch_names) / sizeof(arch_names[0]); (n)++)

void arch_state_init(struct arch_state *state)
{
	*state = (struct arch_state){
		.pe.feat = ~(AM_FEAT_SECURE_ONLY | AM_FEAT_RME | AM_FEAT_PCSRV8 |
			     AM_FEAT_PMUV3_EXTPMN),
		.pe.scr_el3 = SCR_EL3_NS,
		.pe.mdcr_el2 = 6,	/* HPMN: reset makes it PMCR_EL0.N */
		.pe.el = 1,
		.auth = { .noninvasive = true, .secure = true, .realm = true, .root = true },
		.edprsr = EDPRSR_PU,
		.trbe.self_hosted = true,
		.sample.kernel = AM_KERNEL_VHE,
		.pmu.counters = 6,
		.esr = (u64)ESR_EC_PROFILING << 26,
	};
}

/* Values */

static u64 load(const struct arch_state *state, const struct arch_name *name, unsigned int member)
{
	const void *at = (const char *)state + name->offset + member * name->bytes;

	switch (name->bytes) {
	case 1:
		return *(const u8 *)at;
	case 4:
		return *(const u32 *)at;
	default:
		return *(const u64 *)at;
	}
}

static void store(struct arch_state *state, const struct arch_name *name, unsigned int member,
		  u64 value)
{
	void *at = (char *)state + name->offset + member * name->bytes;

	switch (name->bytes) {
	case 1:
		*(u8 *)at = value;
		break;
	case 4:
		*(u32 *)at = value;
		break;
	default:
		*(u64 *)at = value;
	}
}

static u64 lowest_bit(u64 mask)
{
	return mask & -mask;
}

static unsigned int width_of(const struct arch_name *name)
{
	u64 mask = name->mask / lowest_bit(name->mask);

	if (name->mask == ~0ULL && name->bytes < 8)
		return name->bytes * 8;
	return 64 - __builtin_clzll(mask);
}

static bool parse_number(const char *text, u64 *value)
{
	bool binary = text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*value = strtoull(binary ? text + 2 : text, &end, binary ? 2 : 0);
	return !errno && !*end && (!binary || (text[2] == '0' || text[2] == '1'));
}

/* Return: index of @text in the list @words, or -1 */
static int word_number(const char *words, const char *text)
{
	size_t length = strlen(text), n;
	int number = 0;

	for (; *words; words += n + (words[n] == ' '), number++) {
		n = strcspn(words, " ");
		if (n == length && !strncmp(words, text, n))
			return number;
	}
	return -1;
}

/* Names */

/* Does @text, of @length, spell @name? *@member is the array's member that it names */
static bool spells(const struct arch_name *name, const char *text, size_t length,
		   unsigned int *member)
{
	const char *gap = name->count ? strstr(name->name, "<n>") : NULL;
	size_t head = gap ? gap - name->name : 0, digits;

	*member = 0;
	if (!gap)
		return strlen(name->name) == length && !strncasecmp(name->name, text, length);
	if (length <= head || strncasecmp(name->name, text, head))
		return false;
	digits = strspn(text + head, "0123456789");
	if (!digits || digits > 2 || (digits == 2 && text[head] == '0'))
		return false;
	*member = strtoul(text + head, NULL, 10);
	return length == head + digits + strlen(gap + 3) &&
	       !strncasecmp(gap + 3, text + head + digits, strlen(gap + 3)) &&
	       *member >= name->first && *member < name->first + name->count;
}

static const struct arch_name *find(unsigned int units, const char *text, size_t length,
				    unsigned int *member)
{
	const struct arch_name *name;

	for_each_name(name)
		if ((name->units & units) && spells(name, text, length, member))
			return name;
	return NULL;
}

/*
 * Two registers need more than their bits. PMCR_EL0.N is the number of event counters; if N is 0,
 * keep the number, because the user copied the value for its flags alone. MDCR_EL2.HPMN follows the
 * number of counters until the user sets it.
 */
static void take(struct arch_state *state, const struct arch_name *name, unsigned int member,
		 u64 value)
{
	bool is_mdcr_el2 = name->offset == offsetof(struct arch_state, pe.mdcr_el2);
	bool is_pmcr = name->offset == offsetof(struct arch_state, pmu.pmcr);

	store(state, name, member, (load(state, name, member) & ~name->mask) |
	      value * lowest_bit(name->mask));
	if (is_mdcr_el2 && (name->mask & MDCR_EL2_HPMN))
		state->hpmn_given = true;
	if (is_pmcr && (name->mask & PMCR_N) && FIELD_GET(PMCR_N, value))
		state->pmu.counters = FIELD_GET(PMCR_N, value);
}

int arch_state_set(struct arch_state *state, unsigned int units, const char *word,
		   struct error *err)
{
	size_t length = strcspn(word, "=");
	const struct arch_name *name;
	unsigned int member, width;
	const char *text;
	int number;
	u64 value;

	if (!word[length])
		return error_set(err, -EINVAL, "'%s' is not NAME=VALUE", word);
	name = find(units, word, length, &member);
	if (!name && find(~0U, word, length, &member))
		return error_set(err, -EINVAL, "%.*s does not matter for that question",
				 (int)length, word);
	if (!name)
		return error_set(err, -EINVAL, "no register, field or feature is called '%.*s'",
				 (int)length, word);
	text = word + length + 1;
	if (name->words) {
		number = word_number(name->words, text);
		if (number < 0)
			return error_set(err, -EINVAL, "%s is one of: %s", name->name,
					 name->words);
		value = number;
	} else if (!parse_number(text, &value)) {
		return error_set(err, -EINVAL, "'%s' is not a number", text);
	}
	width = width_of(name);
	if (width < 64 && value >> width)
		return error_set(err, -EINVAL, "%.*s has %u bit%s, too few for %s", (int)length,
				 word, width, width == 1 ? "" : "s", text);
	take(state, name, member, value);
	return 0;
}

/* Ends a name or a value in a text */
static bool separates(char c)
{
	return !c || isspace((unsigned char)c) || strchr("=:,;|\"'(){}", c);
}

static size_t span(const char *text, bool separators)
{
	size_t n = 0;

	while (text[n] && separates(text[n]) == separators)
		n++;
	return n;
}

static bool take_number(const char *text, size_t length, u64 *value)
{
	char number[72];

	if (!length || length >= sizeof(number))
		return false;
	memcpy(number, text, length);
	number[length] = 0;
	return parse_number(number, value);
}

unsigned int arch_state_paste(struct arch_state *state, unsigned int units, const char *text)
{
	unsigned int taken = 0, member, width;
	const struct arch_name *name;
	const char *value_text;
	size_t length;
	u64 value;

	for (text += span(text, true); *text; text += length, text += span(text, true)) {
		length = span(text, false);
		name = find(units, text, length, &member);
		value_text = text + length + span(text + length, true);
		if (!name || name->words ||
		    !take_number(value_text, span(value_text, false), &value))
			continue;
		width = width_of(name);
		if (width < 64 && value >> width)
			continue;
		take(state, name, member, value);
		taken++;
	}
	return taken;
}

/* Conclusions */

/* Events that must support synchronous mode; for other events no register tells */
static void settle_sync_events(struct arch_state *state)
{
	unsigned int n, event;

	for (n = 0; n < state->pmu.counters && n < PMU_MAX_EVENT_COUNTERS; n++) {
		event = FIELD_GET(PMEVTYPER_EVTCOUNT, state->pmu.pmevtyper[n]);
		if (am_pmu_sync_event(&state->pe, event).is == AM_SYNC_REQUIRED)
			state->pmu.sync_events |= 1U << n;
	}
}

void arch_state_settle(struct arch_state *state)
{
	if (!state->hpmn_given) {
		state->pe.mdcr_el2 &= ~MDCR_EL2_HPMN;
		state->pe.mdcr_el2 |= FIELD_PREP(MDCR_EL2_HPMN, state->pmu.counters);
	}
	if (state->authstatus)
		state->auth = am_auth_from_status(state->authstatus);
	state->pmu.secure_noninvasive = state->auth.secure;
	if (state->oslsr & OSLSR_OSLK)
		state->edprsr |= EDPRSR_OSLK;
	state->pe.halted |= !!(state->edprsr & EDPRSR_HALTED);
	settle_sync_events(state);
}

void arch_state_each(unsigned int units, const struct arch_state *state,
		     void (*each)(void *ctx, const char *name, unsigned int bits, u64 value),
		     void *ctx)
{
	const struct arch_name *name;

	for_each_name(name)
		if (name->units & units)
			each(ctx, name->name, width_of(name),
			     (load(state, name, name->first) & name->mask) /
			     lowest_bit(name->mask));
}
