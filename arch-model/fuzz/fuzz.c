// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer's input as register values: for any 64-bit garbage there is an answer, without
 * undefined behaviour, and it is one that the headers define.
 *
 * The first byte of the input selects the question, the rest is state, 0 after the end of the
 * input. With replay.c this file replays inputs that were kept.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <arch-model/linux-sample.h>
#include <arch-model/pcsr.h>
#include <arch-model/pmu.h>
#include <arch-model/profexc.h>
#include <arch-model/trbe.h>
#include <arch-model/why-text.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* Answers */

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* The answer is below @answers, or reserved; if there is a reason, it has a text */
static void expect_below(struct am_verdict verdict, int answers)
{
	char text[16];

	must(verdict.is >= AM_RESERVED && verdict.is < answers);
	must((unsigned int)verdict.why < AM_WHY_COUNT);
	must((verdict.why == AM_WHY_NONE) == !am_why_rule(verdict.why)[0]);
	am_why_print(verdict, text, sizeof(text));
	must(memchr(text, 0, sizeof(text)));
}

/* The same for questions whose answer always has a reason */
static void expect(struct am_verdict verdict, int answers)
{
	expect_below(verdict, answers);
	must(verdict.why != AM_WHY_NONE);
}

/* Input */

struct input {
	const u8 *data;
	size_t size;
};

static u64 next(struct input *in, size_t bytes)
{
	u64 value = 0;

	if (bytes > in->size)
		bytes = in->size;
	memcpy(&value, in->data, bytes);
	in->data += bytes;
	in->size -= bytes;
	return value;
}

static u64 next64(struct input *in)
{
	return next(in, 8);
}

static bool bit(u64 bits, unsigned int n)
{
	return bits >> n & 1;
}

static struct am_pe next_pe(struct input *in)
{
	u64 bits = next(in, 3);

	return (struct am_pe){
		.el = bits, .aa32 = bits >> 8,
		.pm = bit(bits, 16), .ppend = bit(bits, 17), .halted = bit(bits, 18),
		.feat = next64(in), .scr_el3 = next64(in), .hcr_el2 = next64(in),
		.mdcr_el3 = next64(in), .mdcr_el2 = next64(in), .sder = next64(in),
	};
}

/* PC samples */

static void fuzz_sample(struct input *in)
{
	u64 pmpcsr = next64(in), cids = next64(in), rest = next64(in);
	struct am_linux host = { rest & 3, bit(rest, 2), bit(rest, 3) };
	unsigned int isa = rest >> 4 & 7;
	struct am_verdict world;
	struct am_ed_sample ed;

	must(pcs_el(pmpcsr) <= 3 && (unsigned int)pcs_state(pmpcsr) <= PCS_STATE_REALM);
	must(!((pcs_pc(pmpcsr) ^ pmpcsr) << 8));
	must(pcs_pc(pmpcsr) >> 55 == 0 || pcs_pc(pmpcsr) >> 55 == 0x1FF);
	must(pcs_is_none(pmpcsr) == ((pmpcsr & 0xFFFFFFFF) == 0xFFFFFFFF));
	world = am_linux_world(&host, pmpcsr, cids >> 32, rest >> 16, bit(rest, 7));
	expect(world, AM_WORLD_OTHER + 1);
	if (am_linux_has_task(&host, (enum am_world)world.is))
		(void)am_linux_tid(&host, cids, cids >> 32);
	must(!(am_linux_known(&host, pmpcsr, (enum am_world)world.is) & ~7U));

	ed = am_ed_decode(pmpcsr, pmpcsr >> 32, cids, isa & 1, isa & 2, isa & 4);
	must(ed.els && !(ed.els & ~0xF) && (unsigned int)ed.state <= PCS_STATE_NONSECURE);
}

static void fuzz_block(struct input *in)
{
	struct am_pcs_id pmu = am_pcs_identify_pmu(next64(in), next64(in), next64(in));
	struct am_pcs_id ed = am_pcs_identify_ed(next64(in), next64(in));
	unsigned int offset = next(in, 4);
	struct am_pcs_ids ids = {
		.cidr = { offset & 0x10 ? 0x0D : next(in, 4), 0x90, 0x05, 0xB1 },
		.devarch = next64(in), .devtype = next(in, 4), .devid = next(in, 4),
		.devid1 = next(in, 4),
	};

	expect(am_pcs_identify(&ids).verdict, AM_PCS_VIEW_EXT64 + 1);
	expect(pmu.verdict, AM_PCS_VIEW_EXT64 + 1);
	expect(ed.verdict, AM_PCS_VIEW_ED + 1);
	must(am_pcs_register_at(&pmu, offset, next(in, 1)) <= AM_PCS_REG_MANAGEMENT);
	must(am_pcs_register_at(&ed, offset, next(in, 1)) <= AM_PCS_REG_MANAGEMENT);
}

static void fuzz_sampling(struct input *in)
{
	struct am_pe pe = next_pe(in);
	u64 bits = next64(in);
	struct am_auth auth = am_auth_from_status(next64(in));
	struct am_pcs_access access = am_pcs_access_from_edprsr(next64(in));
	struct am_pcs_impdef impdef = { bit(bits, 0), bit(bits, 1) };
	struct am_pcs_insn insn = {
		.pc = next64(in), .branch = bit(bits, 3), .contextidr = bits,
		.contextidr_el2 = bits >> 32, .vmid = bits >> 16, .vs = bit(bits, 4),
	};
	struct am_impdef_snapshot snapshot;
	struct am_pcsr pcsr;
	struct am_pcs_read read;

	expect_below(am_pcs_allowed(&pe, &auth), 2);
	expect(am_pcs_accessible(&pe, &access), 2);
	expect_below(am_capture_control(&pe, bits >> 8 & 7, bit(bits, 5), bit(bits, 6)), 3);
	must((unsigned int)am_pcs_check(pe.feat) < AM_WHY_COUNT);

	am_pcsr_reset(&pcsr, &pe, &impdef, true);
	am_pcsr_write_pmpcsctl(&pcsr, &pe, next64(in));
	expect_below(am_pcs_mode(&pe, &pcsr), 3);
	am_pcsr_retire(&pcsr, &pe, &auth, &insn);
	access.memory_mapped = bit(bits, 7);
	access.software_locked = bit(bits, 8);
	read = am_pmpcsr_read(&pcsr, &pe, &auth, &access, bits >> 12 & 15);
	expect_below(read.verdict, AM_PCS_LATCHED + 1);
	read = am_edpcsr_read(&pcsr, &pe, &auth, &access, bits >> 16 & 15, bit(bits, 9),
			      bit(bits, 10));
	expect_below(read.verdict, AM_PCS_LATCHED + 1);
	expect_below(am_pcsr_capture(&pcsr, &pe, &auth), 2);

	am_impdef_reset(&snapshot);
	read = am_impdef_capture(&snapshot, &pcsr, &pe, &auth, bit(bits, 20), bit(bits, 21));
	expect_below(read.verdict, AM_PCS_LATCHED + 1);
	read = am_impdef_read(&snapshot, &pe, &access, bits >> 24 & 0xFFF);
	expect_below(read.verdict, AM_PCS_LATCHED + 1);
}

/* The trace buffer */

static struct am_trbe next_trbe(struct input *in)
{
	u64 bits = next(in, 1);

	return (struct am_trbe){
		.self_hosted = bit(bits, 0), .trblimitr = next64(in), .trbptr = next64(in),
		.trbbaser = next64(in), .trbidr = next64(in), .trbtrg = next(in, 4),
		.trbsr = { 0, next64(in), next64(in), next64(in) },
		.trfcr_el1 = next64(in), .trfcr_el2 = next64(in),
	};
}

static void expect_effect(struct am_trbe_effect effect)
{
	expect_below(effect.verdict, 16);
	must(effect.recorded <= 3);
}

static void fuzz_trbe(struct input *in)
{
	struct am_pe pe = next_pe(in);
	struct am_trbe trbe = next_trbe(in);
	u64 bits = next64(in);
	unsigned int el;

	expect(am_trbe_owner(&pe), 3);
	expect(am_trbe_ee1(&pe, &trbe), 4);
	expect(am_trbe_ee2(&pe, &trbe), 4);
	expect(am_trbe_class(&pe, bits & 0x3F, bits >> 6 & 0x3F), AM_TRBE_GPC + 1);
	expect(am_trbe_record(&pe, &trbe, bits >> 12 & 7), 4);
	for (el = 0; el < 5; el++)
		expect(am_trbe_delivery(&pe, &trbe, el), AM_DELIVERY_EL3 + 1);
	must(!(am_trbe_pending(&pe, &trbe) & ~0xEU));
	expect(am_trbirq_enabled(&pe, &trbe), 2);
	(void)am_trbirq(&pe, &trbe);
	expect(am_trbe_mode(&trbe), 3);
	expect(am_trigger_mode(&trbe), 3);
	expect(am_trbe_state(&pe, &trbe), 3);
	expect(am_trbe_check_pointer(&trbe), 3);
	expect(am_trbe_check_counter(&trbe), 3);
	expect(am_trbe_writable(&trbe), 2);
}

static void fuzz_trbe_events(struct input *in)
{
	struct am_pe pe = next_pe(in);
	struct am_trbe trbe = next_trbe(in);
	u64 bits = next64(in);
	struct am_trbe_fault fault = {
		.type = bits & 15, .level = (int)(bits >> 4 & 15) - 8, .stage2 = bit(bits, 8),
		.top_level = bit(bits, 9), .assured_only = bit(bits, 10),
		.overlay = bit(bits, 11), .dirty_bit = bit(bits, 12), .set_ea = bit(bits, 13),
		.address = next64(in),
	};
	struct am_trbe_abort abort = {
		.walk = bit(bits, 14), .gpt = bit(bits, 15), .stage2 = bit(bits, 16),
		.level = fault.level, .set_ea = fault.set_ea, .address = fault.address,
	};

	expect_below(am_fault_fsc(fault.type, fault.level), 64);
	expect_below(am_fault_of_fsc(bits >> 20), AM_FAULT_GPC + 1);
	expect_effect(am_trbe_collect(&pe, &trbe, bits));
	expect_effect(am_trbe_detected_trigger(&pe, &trbe, bits, bits >> 32));
	expect_effect(am_trbe_flush_done(&pe, &trbe));
	expect_effect(am_trbe_other_event(&pe, &trbe, bits >> 17 & 0x3F));
	expect_effect(am_trbe_impdef_event(&pe, &trbe, bit(bits, 18), bits >> 24));
	expect_effect(am_trbe_fault(&pe, &trbe, &fault));
	expect_effect(am_trbe_external_abort(&pe, &trbe, &abort, bits >> 20 & 7));
	expect(am_trbe_first(bits >> 23 & 7, bits >> 26 & 7), AM_TRBE_ON_IMPDEF + 1);
}

/* The PMU */

static struct am_pmu next_pmu(struct input *in)
{
	u64 bits = next(in, 2);
	unsigned int n;
	struct am_pmu pmu = {
		.counters = bits & 31, .secure_noninvasive = bit(bits, 5),
		.streaming = bit(bits, 6), .sync_events = next(in, 4), .pmcr = next64(in),
		.pmcnten = next64(in), .pmovs = next64(in), .pminten = next64(in),
		.pmecr = next64(in), .pmccr = next64(in), .pmccfiltr = next64(in),
		.pmicfiltr = next64(in), .edecr = next64(in), .pmblimitr = next64(in),
		.pmbsr = { 0, next64(in), next64(in), next64(in) }, .pmscr_el2 = next64(in),
	};

	/* Two different values are enough */
	pmu.pmevtyper[0] = next64(in);
	for (n = 1; n < 31; n++)
		pmu.pmevtyper[n] = n & 1 ? ~pmu.pmevtyper[0] : pmu.pmevtyper[0];
	return pmu;
}

static void fuzz_pmu(struct input *in)
{
	struct am_pe pe = next_pe(in);
	struct am_pmu pmu = next_pmu(in);
	u64 bits = next64(in);
	unsigned int n = bits & 63, range = bits >> 6 & 3;
	struct am_increment increment;

	expect_below(am_pmu_range(&pe, &pmu, n), 3);
	expect_below(am_pmu_global_enable(&pe, &pmu, n), 2);
	expect_below(am_pmu_counts(&pe, &pmu, n), 2);
	expect_below(am_pmu_counts_unattributable(&pe, &pmu, n), 2);
	expect_below(am_pmu_prohibited(&pe, &pmu, n), 2);
	expect_below(am_pmu_frozen(&pe, &pmu, range), 2);
	expect_below(am_pmu_overflow_bits(&pe, &pmu, n), 65);
	expect_below(am_pmu_chain(&pe, &pmu, n), 3);
	expect_below(am_pmu_is_sync(&pe, &pmu, n), 2);
	expect_below(am_pmu_sync_event(&pe, bits >> 8 & 0xFFFF), 4);
	expect_below(am_pmu_route(&pe, &pmu), AM_DELIVERY_EL3 + 1);
	expect_below(am_pmu_delivery(&pe, &pmu), AM_DELIVERY_EL3 + 1);
	expect_below(am_pmu_exception(&pe, &pmu), 3);
	expect(am_pmuirq(&pe, &pmu), 2);
	expect(am_pmu_cti_trigger(&pe, &pmu), 2);
	expect(am_pmu_halts(&pe, &pmu), 2);
	for (n = AM_OVERFLOW_IRQ; n <= AM_OVERFLOW_BRBE; n++)
		must(!(am_pmu_overflows(&pe, &pmu, n).value & ~pmu.pmovs));
	increment = am_pmu_increment(&pe, &pmu, bits & 63, next64(in), next64(in));
	(void)increment;
}

static void fuzz_ppend(struct input *in)
{
	struct am_pe pe = next_pe(in), after = next_pe(in);
	struct am_pmu pmu = next_pmu(in), pmu_after = pmu;
	u64 bits = next64(in), before = next64(in);
	struct am_value pmiar;
	struct am_retired insn = {
		.counted = next64(in), .exception = bit(bits, 0), .eret = bit(bits, 1),
	};

	pmu_after.pmovs = next64(in);
	expect_below(am_pmu_retire(&pe, &pmu, &after, &pmu_after, &insn), 3);
	expect_below(am_ppend_return(&pe, &pmu, bits >> 2 & 7, bit(bits, 5)), 2);
	expect_below(am_ppend_debug_exit(&pe, &pmu, bits >> 2 & 7, bit(bits, 5)), 2);
	(void)am_ppend_debug_entry(&pe);
	pmiar = am_pmu_pmiar(bits >> 6 & 3, before, next64(in));
	must(!(pmiar.value & pmiar.unknown));
	must(am_permits(pmiar, before) || !pmiar.unknown);
	expect_below(am_profexc_source(&pe, next64(in)), 3);
	(void)am_ppend_entry(&pe, next64(in));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static void (*const questions[])(struct input *in) = {
		fuzz_sample, fuzz_block, fuzz_sampling, fuzz_trbe, fuzz_trbe_events, fuzz_pmu,
		fuzz_ppend,
	};
	struct input in = { .data = data, .size = size };

	questions[next(&in, 1) % (sizeof(questions) / sizeof(questions[0]))](&in);
	return 0;
}
