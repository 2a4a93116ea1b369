// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts questions to arch-model; see topics.h. Nothing is decided here: each answer is a verdict of
 * arch-model, in words.
 */
#include <stdio.h>

#include <arch-model/control-regs.h>
#include <arch-model/edpcsr-regs.h>
#include <arch-model/linux-sample.h>
#include <arch-model/pmpcsr-regs.h>
#include <arch-model/pmu-regs.h>
#include <arch-model/trbe-regs.h>
#include <arch-model/why-text.h>

#include "explain/questions.h"
#include "explain/topics.h"

/* Answers */

static const char *const states[] = { "Secure", "Non-secure", "Root", "Realm" };

#define PICK(names, n) \
	((size_t)(n) < sizeof(names) / sizeof((names)[0]) ? (names)[n] : "reserved")

#define say(answers, question, verdict, ...) \
	conclude(answers, question, verdict, AM_WHY_NONE, __VA_ARGS__)

static void say_yes_or_no(const struct arch_answers *answers, const char *question,
			  struct am_verdict verdict)
{
	say(answers, question, verdict, "%s",
	    verdict.is == AM_RESERVED ? "reserved" : verdict.is ? "yes" : "no");
}

static void say_where(const struct arch_answers *answers, const struct am_pe *pe)
{
	say(answers, "where is the PE?", am_verdict(0, am_pe_check(pe)), "%sEL%u, %s, %s",
	    pe->halted ? "Debug state, " : "", pe->el, states[am_security_state(pe)],
	    am_uses_aa32(pe, pe->el) ? "AArch32" : "AArch64");
}

/* PC sampling */

/* What a read of the low word returns if the PE has executed a branch since the last sample */
static void say_read(const struct arch_state *state, const struct arch_answers *answers,
		     const struct am_pcs_access *access)
{
	static const char *const outcomes[] = {
		"an error response", "0xFFFFFFFF: no sample", "an UNKNOWN value", "a sample",
		"the last sample that a snapshot took",
	};
	struct am_pcsr pcsr = state->pcsr;
	struct am_pcs_read read;

	pcsr.branch = true;
	pcsr.new_branch = true;
	pcsr.sample.valid = true;
	read = am_pmpcsr_read(&pcsr, &state->pe, &state->auth, access, AM_PCS_REG_PC_LO);
	say(answers, "what does a read of PMPCSR return?", read.verdict, "%s",
	    PICK(outcomes, read.verdict.is));
}

static void explain_sampling(const struct arch_state *state, const struct arch_answers *answers)
{
	static const char *const modes[] = { "no: suspended", "on reads", "on snapshots" };
	static const char *const captures[] = { "disabled", "prohibited", "allowed" };
	struct am_pcs_access access = am_pcs_access_from_edprsr(state->edprsr);
	enum am_why together = am_pcs_check(state->pe.feat);
	struct am_verdict v;

	say_where(answers, &state->pe);
	say(answers, "can it have these features?", am_verdict(0, together), "%s",
	    together ? "no" : "yes");
	say_yes_or_no(answers, "can the sample registers be accessed?",
		      am_pcs_accessible(&state->pe, &access));
	say_yes_or_no(answers, "is PC sampling allowed?",
		      am_pcs_allowed(&state->pe, &state->auth));
	v = am_pcs_mode(&state->pe, &state->pcsr);
	say(answers, "is it active?", v, "%s", PICK(modes, v.is));
	say_read(state, answers, &access);
	v = am_capture_control(&state->pe, FIELD_GET(PMECR_SSE, state->pmu.pmecr),
			       access.os_lock, false);
	say(answers, "are snapshots captured?", v, "%s", PICK(captures, v.is));
}

/* A sample */

static const char *const worlds[] = {
	"user space", "the kernel", "a hypervisor", "user space of a guest",
	"the kernel of a guest", "EL3 or another Security state",
};

static void explain_sample(const struct arch_state *state, const struct arch_answers *answers)
{
	const struct arch_sample *s = &state->sample;
	bool has_el2 = am_has(&state->pe, AM_FEAT_EL2);
	struct am_linux host = { s->kernel, has_el2, true };
	struct am_verdict world;

	if (pcs_is_none(s->pmpcsr)) {
		say(answers, "PMPCSR", am_verdict(0, AM_WHY_NONE),
		    "no sample: prohibited, Debug state, suspended, or no branch yet");
		return;
	}
	say(answers, "PMPCSR", am_verdict(0, AM_WHY_NONE), "EL%u, %s, at 0x%016llx",
	    pcs_el(s->pmpcsr), states[pcs_state(s->pmpcsr)],
	    (unsigned long long)pcs_pc(s->pmpcsr));
	world = am_linux_world(&host, s->pmpcsr, s->pmvidsr, s->host_vmid, false);
	say(answers, "what ran?", world, "%s", PICK(worlds, world.is));
	if (am_linux_has_task(&host, world.is))
		say(answers, "which Linux task?", am_verdict(0, AM_WHY_NONE),
		    "TID %u, if CONFIG_PID_IN_CONTEXTIDR is set",
		    am_linux_tid(&host, s->pmcid1sr, s->pmcid2sr));
	else
		say(answers, "which Linux task?", am_verdict(0, AM_WHY_NONE), "none");
}

static void explain_ed_sample(const struct arch_state *state, const struct arch_answers *answers)
{
	const struct arch_sample *s = &state->sample;
	struct am_pcs_id id = am_pcs_identify_ed(state->frame.eddevid, state->frame.eddevid1);
	struct am_ed_sample ed = am_ed_decode(s->edpcsr_lo, s->edpcsr_hi, s->edvidsr,
					      s->edscr & EDSCR_SC2, id.isa_in_pc, id.has_offset);
	char els[16] = "";
	unsigned int el, n = 0;

	for (el = 0; el < 4; el++)
		if (ed.els & 1U << el)
			n += snprintf(els + n, sizeof(els) - n, "%sEL%u", n ? "/" : "", el);
	if (ed.none)
		say(answers, "EDPCSR", am_verdict(0, AM_WHY_NONE),
		    "no sample: prohibited, Debug state, or no branch yet");
	else
		say(answers, "EDPCSR", am_verdict(0, AM_WHY_NONE), "%s, %s, at 0x%016llx%s", els,
		    states[ed.state], (unsigned long long)ed.pc,
		    ed.isa_reserved ? ", reserved instruction set" : "");
}

/* Where samples are */

static void explain_block(const struct arch_answers *answers, const char *question,
			  const struct am_pcs_id *id)
{
	static const char *const views[] = {
		"none", "external debug block", "external PMU block, 32-bit view",
		"external PMU block, 64-bit view" };

	say(answers, question, id->verdict, "%s%s%s%s%s%s%s", PICK(views, id->verdict.is),
	    id->own_frame ? ", its own frame" : "", id->has_ctl ? ", PMPCSCTL" : "",
	    id->has_cid ? ", Context ID" : "", id->has_vid ? ", VMID" : "",
	    id->isa_in_pc ? ", instruction set in the PC" : "",
	    id->has_offset ? ", PC with an offset" : "");
}

static void explain_frame(const struct arch_state *state, const struct arch_answers *answers)
{
	const struct arch_frame *f = &state->frame;
	struct am_pcs_id pmu = am_pcs_identify_pmu(f->pmdevarch, f->pmdevtype, f->pmdevid);
	struct am_pcs_id ed = am_pcs_identify_ed(f->eddevid, f->eddevid1);

	explain_block(answers, "PMDEVARCH, PMDEVTYPE, PMDEVID", &pmu);
	explain_block(answers, "EDDEVID, EDDEVID1", &ed);
}

/* The trace buffer */

static const char *const deliveries[] = {
	"an interrupt", "nothing", "an exception, masked", "an exception, masked by PSTATE.PM",
	"an exception, taken to EL1", "an exception, taken to EL2", "an exception, taken to EL3",
};

/* The same, without whether the exception is masked */
static const char *const routes[] = {
	"an interrupt", "nothing", "reserved", "reserved", "an exception to EL1",
	"an exception to EL2", "an exception to EL3",
};

static void explain_trbe_modes(const struct arch_state *state, const struct arch_answers *answers)
{
	static const char *const modes[] = { "Fill", "Wrap", "Circular buffer" };
	static const char *const triggers[] = { "Stop on trigger", "IRQ on trigger", "Ignore" };
	static const char *const running[] = { "no: disabled", "no: stopped", "yes" };
	static const char *const pointers[] = { "yes", "no: not in the buffer", "no: not aligned" };
	struct am_verdict v;

	v = am_trbe_mode(&state->trbe);
	say(answers, "buffer mode", v, "%s", PICK(modes, v.is));
	v = am_trigger_mode(&state->trbe);
	say(answers, "trigger mode", v, "%s", PICK(triggers, v.is));
	v = am_trbe_state(&state->pe, &state->trbe);
	say(answers, "is trace collected?", v, "%s", PICK(running, v.is));
	v = am_trbe_check_pointer(&state->trbe);
	say(answers, "is the write pointer valid?", v, "%s", PICK(pointers, v.is));
}

static void explain_trbe_recording(const struct arch_state *state,
				   const struct arch_answers *answers)
{
	static const char *const classes[] = {
		[AM_TRBE_OTHER] = "another event",
		[AM_TRBE_S1_GPF] = "a stage 1 GPF",
		[AM_TRBE_S1_EXTERNAL] = "a stage 1 External abort",
		[AM_TRBE_S1_ABORT] = "another stage 1 abort",
		[AM_TRBE_S2_GPF] = "a stage 2 GPF",
		[AM_TRBE_S2_EXTERNAL] = "a stage 2 External abort",
		[AM_TRBE_S2_ABORT] = "another stage 2 abort",
		[AM_TRBE_GPC] = "a GPC fault that is no GPF",
	};
	char question[64];
	struct am_verdict v;
	unsigned int class;

	for (class = AM_TRBE_OTHER; class <= AM_TRBE_GPC; class++) {
		v = am_trbe_record(&state->pe, &state->trbe, class);
		snprintf(question, sizeof(question), "where is %s recorded?", classes[class]);
		if (v.is == AM_RESERVED)
			say(answers, question, v, "reserved");
		else
			say(answers, question, v, "TRBSR_EL%d", v.is);
	}
}

static void explain_trbe(const struct arch_state *state, const struct arch_answers *answers)
{
	struct am_verdict v = am_trbe_owner(&state->pe);
	unsigned int el, pending;
	char question[64];

	say_where(answers, &state->pe);
	if (v.is == AM_RESERVED)
		say(answers, "who owns the buffer?", v, "reserved");
	else
		say(answers, "who owns the buffer?", v, "EL%d, %s", v.is, states[v.detail & 3]);
	explain_trbe_modes(state, answers);
	explain_trbe_recording(state, answers);

	pending = am_trbe_pending(&state->pe, &state->trbe);
	for (el = 1; el <= 3; el++) {
		v = am_trbe_delivery(&state->pe, &state->trbe, el);
		snprintf(question, sizeof(question), "what does TRBSR_EL%u.IRQ = 1 cause?", el);
		say(answers, question, v, "%s%s", PICK(deliveries, v.is),
		    !(state->trbe.trbsr[el] & TRBSR_IRQ) ? "; it is 0" : "; it is 1");
	}
	say(answers, "exceptions that can be taken now", am_verdict(0, AM_WHY_NONE), "%s%s%s%s",
	    pending ? "to" : "none", pending & 2 ? " EL1" : "", pending & 4 ? " EL2" : "",
	    pending & 8 ? " EL3" : "");
	v = am_trbirq_enabled(&state->pe, &state->trbe);
	say(answers, "TRBIRQ", v, "%s, %s", v.is ? "enabled" : "disabled",
	    am_trbirq(&state->pe, &state->trbe) ? "HIGH" : "LOW");
}

/* The PMU */

static const char *const asserted[] = { "not asserted", "asserted" };

/* Is it PMCR_EL0.DP that lets something stop the cycle counter? */
static bool stops_by_dp(const struct arch_state *state)
{
	struct am_pmu pmu = state->pmu;

	pmu.pmcr &= ~PMCR_DP;
	return !am_pmu_counts(&state->pe, &state->pmu, AM_CYCLE_COUNTER).is &&
	       am_pmu_counts(&state->pe, &pmu, AM_CYCLE_COUNTER).is > 0;
}

static void explain_counter(const struct arch_state *state, const struct arch_answers *answers,
			    unsigned int n)
{
	static const char *const ranges[] = { "first", "second", "third" };
	struct am_verdict range = am_pmu_range(&state->pe, &state->pmu, n);
	struct am_verdict counts = am_pmu_counts(&state->pe, &state->pmu, n);
	struct am_verdict bits = am_pmu_overflow_bits(&state->pe, &state->pmu, n);
	unsigned int event = n < AM_CYCLE_COUNTER ?
		FIELD_GET(PMEVTYPER_EVTCOUNT, state->pmu.pmevtyper[n]) : 0;
	char question[64];

	if (n == AM_CYCLE_COUNTER)
		snprintf(question, sizeof(question), "does the cycle counter count?");
	else if (n == AM_INSTRUCTION_COUNTER)
		snprintf(question, sizeof(question), "does the instruction counter count?");
	else if (range.is == AM_RESERVED)
		snprintf(question, sizeof(question), "does counter %u count?", n);
	else
		snprintf(question, sizeof(question), "does counter %u, of the %s range, count?", n,
			 PICK(ranges, range.is));
	if (counts.why == AM_WHY_PMU_EVENT_NOT_SYNC &&
	    am_pmu_sync_event(&state->pe, event).is != AM_SYNC_NEVER)
		say(answers, question, am_pmu_sync_event(&state->pe, event),
		    "not if its event 0x%04x has no synchronous mode", event);
	else if (n == AM_CYCLE_COUNTER && stops_by_dp(state))
		say(answers, question, counts, "no, since PMCR_EL0.DP is 1");
	else
		say_yes_or_no(answers, question, counts);
	if (bits.is == AM_RESERVED)
		say(answers, "    how many bits overflow?", bits, "not defined");
	else
		say(answers, "    how many bits overflow?", bits, "%d", bits.is);
}

static void explain_pmu(const struct arch_state *state, const struct arch_answers *answers)
{
	static const char *const taken[] = { "no", "yes, in finite time", "yes, at once" };
	struct am_verdict v;
	unsigned int n;

	say_where(answers, &state->pe);
	for (n = 0; n < state->pmu.counters; n++)
		explain_counter(state, answers, n);
	explain_counter(state, answers, AM_CYCLE_COUNTER);
	if (am_has(&state->pe, AM_FEAT_PMUV3_ICNTR))
		explain_counter(state, answers, AM_INSTRUCTION_COUNTER);

	say_yes_or_no(answers, "is the first range frozen?",
		      am_pmu_frozen(&state->pe, &state->pmu, AM_RANGE_1));
	say_yes_or_no(answers, "is the second range frozen?",
		      am_pmu_frozen(&state->pe, &state->pmu, AM_RANGE_2));
	v = am_pmu_route(&state->pe, &state->pmu);
	say(answers, "what is an overflow for?", v, "%s", PICK(routes, v.is));
	v = am_pmu_delivery(&state->pe, &state->pmu);
	say(answers, "what does an overflow cause here?", v, "%s", PICK(deliveries, v.is));
	v = am_pmu_exception(&state->pe, &state->pmu);
	say(answers, "is an exception taken now?", v, "%s", PICK(taken, v.is));
	v = am_pmuirq(&state->pe, &state->pmu);
	say(answers, "PMUIRQ", v, "%s", PICK(asserted, v.is));
}

/* The syndrome of a Profiling exception */

static void explain_syndrome(const struct arch_state *state, const struct arch_answers *answers)
{
	static const char *const sources[] = { "the PMU", "the Profiling Buffer (SPE)",
					       "the trace buffer" };
	struct am_verdict v = am_profexc_source(&state->pe, state->esr);

	say(answers, "what caused the Profiling exception?", v, "%s", PICK(sources, v.is));
}

const struct arch_topic arch_topics[] = {
	{ "sampling", "is PC sampling allowed, and active", ARCH_PE | ARCH_SAMPLING,
	  explain_sampling },
	{ "sample", "what a sample of an external PMU block means", ARCH_PE | ARCH_SAMPLE,
	  explain_sample },
	{ "ed-sample", "what a sample of the external debug block means", ARCH_ED_SAMPLE,
	  explain_ed_sample },
	{ "frame", "which sample registers a block has", ARCH_FRAME, explain_frame },
	{ "trbe", "where trace buffer events are recorded, and what they cause",
	  ARCH_PE | ARCH_TRBE, explain_trbe },
	{ "pmu", "which counters count, and what an overflow causes", ARCH_PE | ARCH_PMU,
	  explain_pmu },
	{ "syndrome", "what caused a Profiling exception", ARCH_PE | ARCH_SYNDROME,
	  explain_syndrome },
	{ "counting", "why a counter does not count, and what to do", ARCH_PE | ARCH_PMU,
	  explain_counting },
	{ "interrupt", "why no interrupt or exception comes, and what to do",
	  ARCH_PE | ARCH_PMU | ARCH_TRBE, explain_interrupt },
	{ "all-ones", "why PMPCSR reads as all ones, and what to do", ARCH_PE | ARCH_SAMPLING,
	  explain_all_ones },
	{ NULL, NULL, 0, NULL },
};
