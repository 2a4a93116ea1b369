// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the classes: the driver decodes from TRBSR what the architecture model has recorded in
 * it, and events get the records that they ask for.
 */
#include <string.h>

#include <arch-model/pmu-regs.h>
#include <arch-model/trbe-regs.h>
#include <arch-model/trbe.h>

#include "decode.h"
#include "../../arm_pcsample/tests/test.h"

/* A kernel at EL1, with a buffer of 64 KiB, aligned to 64 bytes */
static struct am_pe pe = {
	.feat = AM_FEAT_AA64 | AM_FEAT_TRBE | AM_FEAT_TRBE_EXC | AM_FEAT_RME | AM_FEAT_EBEP,
	.el = 1,
};

static struct am_trbe a_buffer(unsigned int fm, unsigned int tm)
{
	return (struct am_trbe) {
		.self_hosted = true,
		.trbbaser = 0x10000,
		.trbptr = 0x1ffff,
		.trblimitr = 0x20000 | TRBLIMITR_E | FIELD_PREP(TRBLIMITR_FM, fm) |
			     FIELD_PREP(TRBLIMITR_TM, tm),
		.trfcr_el1 = FIELD_PREP(TRFCR_EE, 3) | TRFCR_KE,
	};
}

static struct arm_profexc_record read_trbe(const struct am_trbe *trbe)
{
	struct arm_profexc_record record = {
		.source = ARM_PROFEXC_SOURCE_TRBE,
		.mode = ARM_PROFEXC_MODE_EXCEPTION,
		.pstate = 0x5,
		.trbsr = trbe->trbsr[1],
		.trblimitr = trbe->trblimitr,
	};

	prx_classify(&record, false);
	return record;
}

static void test_wrap_by_mode(void **state)
{
	static const struct {
		unsigned int fm;
		u8 class;
		u8 flags;
	} modes[] = {
		{ TRBLIMITR_FM_FILL, ARM_PROFEXC_TRBE_FULL,
		  ARM_PROFEXC_FLAG_WRAP | ARM_PROFEXC_FLAG_STOPPED },
		{ TRBLIMITR_FM_WRAP, ARM_PROFEXC_TRBE_WRAP, ARM_PROFEXC_FLAG_WRAP },
		/* No event: the driver would not be called */
		{ TRBLIMITR_FM_CIRCULAR, ARM_PROFEXC_SPURIOUS, ARM_PROFEXC_FLAG_WRAP },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		struct am_trbe trbe = a_buffer(modes[i].fm, TRBLIMITR_TM_IGNORE);
		struct arm_profexc_record record;

		assert_int_equal(am_trbe_collect(&pe, &trbe, 1).verdict.is, AM_TRBE_WRITTEN);
		record = read_trbe(&trbe);
		assert_int_equal(record.class, modes[i].class);
		assert_int_equal(record.flags, modes[i].flags);
		assert_int_equal(record.size, sizeof(record));
		assert_int_equal(record.el, 1);
	}
}

static void test_trigger_by_mode(void **state)
{
	static const unsigned int fms[] = { TRBLIMITR_FM_FILL, TRBLIMITR_FM_WRAP,
					    TRBLIMITR_FM_CIRCULAR };
	static const unsigned int tms[] = { TRBLIMITR_TM_STOP, TRBLIMITR_TM_IRQ };
	unsigned int f, t;

	(void)state;
	for (f = 0; f < ARRAY_SIZE(fms); f++) {
		for (t = 0; t < ARRAY_SIZE(tms); t++) {
			struct am_trbe trbe = a_buffer(fms[f], tms[t]);
			struct arm_profexc_record record;

			trbe.trbptr = 0x18000;
			am_trbe_detected_trigger(&pe, &trbe, 1, 0);
			am_trbe_flush_done(&pe, &trbe);
			record = read_trbe(&trbe);
			assert_int_equal(record.class, ARM_PROFEXC_TRBE_TRIGGER);
			assert_int_equal(record.flags, ARM_PROFEXC_FLAG_TRG |
					 (t ? 0 : ARM_PROFEXC_FLAG_STOPPED));
		}
	}
}

/* Circular mode: an earlier wrap was no event, so the trigger is what raises this one. */
static void test_trigger_after_a_circular_wrap(void **state)
{
	struct am_trbe trbe = a_buffer(TRBLIMITR_FM_CIRCULAR, TRBLIMITR_TM_IRQ);
	struct arm_profexc_record record;

	(void)state;
	am_trbe_collect(&pe, &trbe, 1);
	am_trbe_detected_trigger(&pe, &trbe, 2, 0);
	am_trbe_flush_done(&pe, &trbe);
	record = read_trbe(&trbe);
	assert_int_equal(record.class, ARM_PROFEXC_TRBE_TRIGGER);
	assert_int_equal(record.flags, ARM_PROFEXC_FLAG_TRG | ARM_PROFEXC_FLAG_WRAP);
}

static void check_fault(enum am_fault type, int level, bool stage2, u8 class)
{
	struct am_trbe trbe = a_buffer(TRBLIMITR_FM_FILL, TRBLIMITR_TM_IGNORE);
	struct am_trbe_fault fault = { .type = type, .level = level, .stage2 = stage2 };
	struct am_trbe_effect effect = am_trbe_fault(&pe, &trbe, &fault);

	if (effect.verdict.is == AM_RESERVED)
		return;
	assert_true(effect.event);
	assert_int_equal(read_trbe(&trbe).class, class);
}

static void test_faults(void **state)
{
	static const struct {
		enum am_fault type;
		u8 class;	/* 0: by stage */
	} faults[] = {
		{ AM_FAULT_ADDRESS_SIZE, 0 },
		{ AM_FAULT_TRANSLATION, 0 },
		{ AM_FAULT_ACCESS_FLAG, 0 },
		{ AM_FAULT_PERMISSION, 0 },
		{ AM_FAULT_TLB_CONFLICT, 0 },
		{ AM_FAULT_ATOMIC_UPDATE, 0 },
		{ AM_FAULT_EXTERNAL_WALK, ARM_PROFEXC_TRBE_EXTERNAL_ABORT },
		{ AM_FAULT_PARITY_WALK, ARM_PROFEXC_TRBE_EXTERNAL_ABORT },
		{ AM_FAULT_ALIGNMENT, ARM_PROFEXC_TRBE_ALIGNMENT },
		{ AM_FAULT_GPF, ARM_PROFEXC_TRBE_GPF },
		{ AM_FAULT_GPF_WALK, ARM_PROFEXC_TRBE_GPF },
		{ AM_FAULT_GPC, ARM_PROFEXC_TRBE_GPC },
	};
	unsigned int i;
	int level;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		for (level = -2; level <= 3; level++) {
			check_fault(faults[i].type, level, false,
				    faults[i].class ?: ARM_PROFEXC_TRBE_S1_FAULT);
			check_fault(faults[i].type, level, true,
				    faults[i].class ?: ARM_PROFEXC_TRBE_S2_FAULT);
		}
	}
}

static void test_impdef(void **state)
{
	struct am_trbe trbe = a_buffer(TRBLIMITR_FM_FILL, TRBLIMITR_TM_IGNORE);

	(void)state;
	am_trbe_impdef_event(&pe, &trbe, true, 0x1234);
	assert_int_equal(read_trbe(&trbe).class, ARM_PROFEXC_TRBE_IMPDEF);
}

/* Each value of the register has one class, with a name; without IRQ it is spurious. */
static void test_every_syndrome_has_a_class(void **state)
{
	unsigned int ec, fsc, bits;

	(void)state;
	for (ec = 0; ec < 64; ec++) {
		for (fsc = 0; fsc < 64; fsc++) {
			for (bits = 0; bits < 64; bits++) {
				struct arm_profexc_record record = {
					.source = ARM_PROFEXC_SOURCE_TRBE,
					.trbsr = FIELD_PREP(TRBSR_EC, ec) | fsc |
						 FIELD_PREP(GENMASK_ULL(22, 17), bits),
				};

				prx_classify(&record, false);
				assert_non_null(prx_class_name(record.class));
				assert_int_equal(record.class == ARM_PROFEXC_SPURIOUS,
						 !(record.trbsr & TRBSR_IRQ));
				assert_true(record.class < ARM_PROFEXC_PMU_ASYNC ||
					    record.class == ARM_PROFEXC_SPURIOUS);
			}
		}
	}
}

static void test_external_aborts(void **state)
{
	static const u64 aborts[] = {
		FIELD_PREP(TRBSR_EC, TRBSR_EC_STAGE1) | 0x10,
		FIELD_PREP(TRBSR_EC, TRBSR_EC_STAGE2) | 0x11,
		FIELD_PREP(TRBSR_EC, TRBSR_EC_STAGE1) | TRBSR_EA | 0x07,
		TRBSR_EA,
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(aborts); i++) {
		struct arm_profexc_record record = {
			.source = ARM_PROFEXC_SOURCE_TRBE,
			.trbsr = TRBSR_IRQ | TRBSR_S | aborts[i],
		};

		prx_classify(&record, false);
		assert_int_equal(record.class, ARM_PROFEXC_TRBE_EXTERNAL_ABORT);
	}
}

static void test_pmu(void **state)
{
	struct arm_profexc_record record = { .source = ARM_PROFEXC_SOURCE_PMU };

	(void)state;
	prx_classify(&record, false);
	assert_int_equal(record.class, ARM_PROFEXC_SPURIOUS);
	record.pmovs = BIT_ULL(31);
	prx_classify(&record, false);
	assert_int_equal(record.class, ARM_PROFEXC_PMU_ASYNC);
	record.pmovs = 0;
	prx_classify(&record, true);
	assert_int_equal(record.class, ARM_PROFEXC_PMU_SYNC);
}

static void test_other_sources(void **state)
{
	struct arm_profexc_record record = { .source = ARM_PROFEXC_SOURCE_SPE };

	(void)state;
	prx_classify(&record, false);
	assert_int_equal(record.class, ARM_PROFEXC_SPE);
	record.source = 31;
	prx_classify(&record, false);
	assert_int_equal(record.class, ARM_PROFEXC_SPURIOUS);
	assert_null(prx_source_name(31));
}

static void test_exception_level(void **state)
{
	static const struct {
		u64 pstate;
		u8 el;
		u8 flags;
	} levels[] = {
		{ 0x0, 0, 0 }, { 0x4, 1, 0 }, { 0x5, 1, 0 }, { 0x9, 2, 0 },
		{ 0x1f, 0, ARM_PROFEXC_FLAG_AARCH32 }, { 0x10, 0, ARM_PROFEXC_FLAG_AARCH32 },
		{ SPSR_PM | SPSR_PPEND | 0x3c5, 1, 0 },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		struct arm_profexc_record record = { .pstate = levels[i].pstate };

		prx_classify(&record, false);
		assert_int_equal(record.el, levels[i].el);
		assert_int_equal(record.flags, levels[i].flags);
	}
}

/* Events */

static bool wants(u64 config, u64 config1, struct arm_profexc_record record)
{
	struct prx_filter filter = {};

	assert_true(prx_filter_parse(config, config1, &filter));
	return prx_wants(&filter, &record, false);
}

static void test_an_event_gets_its_class_alone(void **state)
{
	unsigned int event, class, named = 0;

	(void)state;
	for (event = 1; event < PRX_NR_CLASSES; event++) {
		struct prx_filter filter = {};

		if (!prx_class_name(event)) {
			assert_false(prx_filter_parse(event, 0, &filter));
			continue;
		}
		named++;
		for (class = 0; class < PRX_NR_CLASSES; class++)
			assert_int_equal(wants(event, 0, (struct arm_profexc_record) {
						 .class = class, .mode = 1 }), class == event);
	}
	assert_int_equal(named, 15);
}

static void test_events_of_more_than_one_class(void **state)
{
	unsigned int class;

	(void)state;
	for (class = 1; class < PRX_NR_CLASSES; class++) {
		struct arm_profexc_record record = { .class = class, .mode = 2 };
		const char *name = prx_class_name(class);

		if (!name)
			continue;
		assert_true(wants(ARM_PROFEXC_EVENT_ANY, 0, record));
		assert_int_equal(wants(ARM_PROFEXC_EVENT_TRBE, 0, record),
				 !strncmp(name, "trbe_", 5));
		assert_int_equal(wants(ARM_PROFEXC_EVENT_PMU, 0, record),
				 !strncmp(name, "pmu_", 4));
	}
}

static void test_modes(void **state)
{
	struct arm_profexc_record record = { .class = ARM_PROFEXC_PMU_ASYNC };
	unsigned int asked, mode;

	(void)state;
	for (asked = 0; asked <= 2; asked++) {
		for (mode = 1; mode <= 2; mode++) {
			record.mode = mode;
			assert_int_equal(wants(0, asked, record), !asked || asked == mode);
		}
	}
}

static void test_numbers_that_mean_nothing(void **state)
{
	static const u64 configs[][2] = {
		{ 0x04, 0 }, { 0x31, 0 }, { 0x42, 0 }, { 0xff, 0 }, { 0x100, 0 },
		{ 1ULL << 63, 0 }, { 0, 3 }, { 0, 4 }, { 0, 1ULL << 63 },
	};
	struct prx_filter filter;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(configs); i++)
		assert_false(prx_filter_parse(configs[i][0], configs[i][1], &filter));
}

static void test_exclusions(void **state)
{
	unsigned int bits, el, idle;

	(void)state;
	for (bits = 0; bits < 8; bits++) {
		for (el = 0; el <= 2; el++) {
			for (idle = 0; idle < 2; idle++) {
				struct prx_filter filter = {
					.classes = ~0ULL,
					.modes = ~0,
					.exclude_user = bits & 1,
					.exclude_kernel = bits & 2,
					.exclude_idle = bits & 4,
				};
				struct arm_profexc_record record = {
					.class = ARM_PROFEXC_SPE, .mode = 1, .el = el,
				};
				bool out = (el == 0 && (bits & 1)) || (el > 0 && (bits & 2)) ||
					   (idle && (bits & 4));

				assert_int_equal(prx_wants(&filter, &record, idle), !out);
			}
		}
	}
}

static void test_kernel_addresses_are_hidden(void **state)
{
	const u64 kernel = 0xffff800012345000ULL;
	struct arm_profexc_record record = {
		.el = 0, .pc = 0x400000, .pmiar = kernel, .trbptr = kernel, .trbbaser = kernel,
		.trblimitr = kernel | TRBLIMITR_E | FIELD_PREP(TRBLIMITR_FM, 1), .trbsr = 7,
	};

	(void)state;
	prx_hide_kernel(&record);
	assert_true(record.pc == 0x400000);
	assert_true(!record.pmiar && !record.trbptr && !record.trbbaser);
	assert_true(record.trblimitr == (TRBLIMITR_E | FIELD_PREP(TRBLIMITR_FM, 1)));
	assert_true(record.trbsr == 7);
	assert_int_equal(record.flags, ARM_PROFEXC_FLAG_HIDDEN);

	record.el = 2;
	record.pc = kernel;
	prx_hide_kernel(&record);
	assert_true(!record.pc);
}

static void test_layout(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct arm_profexc_record), 92);
	assert_int_equal((sizeof(struct arm_profexc_record) + 4) % 8, 0);
	assert_int_equal(offsetof(struct arm_profexc_record, seq), 8);
	assert_int_equal(offsetof(struct arm_profexc_record, esr), 32);
	assert_int_equal(offsetof(struct arm_profexc_record, trbsr), 56);
	assert_int_equal(offsetof(struct arm_profexc_record, trbtrg), 88);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap_by_mode),
		cmocka_unit_test(test_trigger_by_mode),
		cmocka_unit_test(test_trigger_after_a_circular_wrap),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_impdef),
		cmocka_unit_test(test_every_syndrome_has_a_class),
		cmocka_unit_test(test_external_aborts),
		cmocka_unit_test(test_pmu),
		cmocka_unit_test(test_other_sources),
		cmocka_unit_test(test_exception_level),
		cmocka_unit_test(test_an_event_gets_its_class_alone),
		cmocka_unit_test(test_events_of_more_than_one_class),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_numbers_that_mean_nothing),
		cmocka_unit_test(test_exclusions),
		cmocka_unit_test(test_kernel_addresses_are_hidden),
		cmocka_unit_test(test_layout),
	};

	return cmocka_run_group_tests_name("decode", tests, NULL, NULL);
}
