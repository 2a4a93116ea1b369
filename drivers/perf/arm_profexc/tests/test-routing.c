// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the routing view: with all controls known a table has one row, which says what the
 * architecture model says; with some unknown, it has all the rows that the values would have.
 */
#include <arch-model/control-regs.h>
#include <arch-model/pmu-regs.h>
#include <arch-model/pmu.h>
#include <arch-model/trbe-regs.h>
#include <arch-model/trbe.h>

#include "routing.h"
#include "test.h"

/* The controls of a combination: two bits each, less where the control has one */
static bool combination(u64 number, struct prx_controls *controls, u8 value[PRX_NR_CONTROLS],
			const enum prx_control *which, unsigned int nr)
{
	struct prx_controls any;
	unsigned int i;

	prx_controls_init(&any);
	*controls = any;
	memset(value, 0, PRX_NR_CONTROLS);
	for (i = 0; i < nr; i++) {
		value[which[i]] = (number >> (2 * i)) & 3;
		if (!(any.may[which[i]] & (1U << value[which[i]])))
			return false;
		prx_control_is(controls, which[i], value[which[i]]);
	}
	return true;
}

static const char *result_of(const struct prx_answer *answer, const char *name)
{
	unsigned int i;

	for (i = 0; i < answer->nr_results; i++)
		if (!strcmp(answer->result[i].name, name))
			return answer->result[i].value;
	fail_msg("no column %s", name);
	return NULL;
}

static void assert_one_row(const struct prx_answer *answer)
{
	assert_true(answer->rows && !(answer->rows & (answer->rows - 1)));
}

/* What the model says at @el, in the words of the tables */
static const char *delivery_text(int delivery, const char *masked, const char *masked_pm,
				 const char *irq)
{
	switch (delivery) {
	case AM_DELIVERY_IRQ:
		return irq;
	case AM_DELIVERY_NONE:
		return "Dis";
	case AM_DELIVERY_MASKED:
		return masked;
	case AM_DELIVERY_MASKED_PM:
		return masked_pm;
	case AM_DELIVERY_EL1:
		return "EL1";
	case AM_DELIVERY_EL2:
		return "EL2";
	case AM_DELIVERY_EL3:
		return "EL3";
	}
	return "reserved";
}

/* A Non-secure host below EL3 */
static struct am_pe a_pe(const u8 value[PRX_NR_CONTROLS], unsigned int el)
{
	return (struct am_pe) {
		.feat = AM_FEAT_AA64 | AM_FEAT_EL2 | AM_FEAT_EL3 | AM_FEAT_VHE | AM_FEAT_EBEP |
			AM_FEAT_SEBEP | AM_FEAT_TRBE | AM_FEAT_TRBE_EXC | AM_FEAT_NV,
		.scr_el3 = SCR_EL3_NS | (1ULL << 18),
		.hcr_el2 = value[PRX_HCR_EL2_TGE] ? HCR_EL2_TGE | HCR_EL2_E2H : 0,
		.mdcr_el3 = FIELD_PREP(MDCR_EL3_PMEE, value[PRX_MDCR_EL3_PMEE]) |
			    FIELD_PREP(MDCR_EL3_TRBEE, value[PRX_MDCR_EL3_TRBEE]) |
			    FIELD_PREP(MDCR_EL3_NSTB, 3),
		.mdcr_el2 = FIELD_PREP(MDCR_EL2_PMEE, value[PRX_MDCR_EL2_PMEE]) |
			    FIELD_PREP(MDCR_EL2_E2TB, value[PRX_MDCR_EL2_E2TB]),
		.pm = value[PRX_PSTATE_PM],
		.el = el,
	};
}

static void test_d13_1_is_the_model(void **state)
{
	static const enum prx_control which[] = {
		PRX_MDCR_EL3_PMEE, PRX_MDCR_EL2_PMEE, PRX_HCR_EL2_TGE, PRX_PMECR_EL1_PMEE,
		PRX_PMECR_EL1_KPME, PRX_PSTATE_PM,
	};
	static const char * const columns[] = { "EL0", "EL1", "EL2", "EL3" };
	u8 value[PRX_NR_CONTROLS];
	struct prx_controls controls;
	struct prx_answer answer;
	unsigned int number, el, points = 0;

	(void)state;
	for (number = 0; number < 1U << 12; number++) {
		if (!combination(number, &controls, value, which, ARRAY_SIZE(which)))
			continue;
		assert_true(prx_look_up(PRX_TABLE_D13_1, &controls, &answer));
		/* PMECR_EL1.PMEE has a reserved value that the table leaves out */
		if (!answer.rows) {
			assert_int_equal(value[PRX_PMECR_EL1_PMEE], 1);
			continue;
		}
		assert_one_row(&answer);
		for (el = 0; el <= 3; el++) {
			struct am_pe pe = a_pe(value, el);
			struct am_pmu pmu = {
				.pmecr = FIELD_PREP(PMECR_PMEE, value[PRX_PMECR_EL1_PMEE]) |
					 (value[PRX_PMECR_EL1_KPME] ? PMECR_KPME : 0),
			};
			const char *is = result_of(&answer, columns[el]);

			if (!strcmp(is, "n/a")) {
				assert_true(el == 1 && value[PRX_HCR_EL2_TGE]);
				continue;
			}
			assert_string_equal(is, delivery_text(am_pmu_delivery(&pe, &pmu).is,
							      "Msk", "Msk", "IRQ"));
			points++;
		}
	}
	assert_true(points > 500);
}

static void check_trbe_table(enum prx_table table, unsigned int record_el,
			     const enum prx_control *which, unsigned int nr)
{
	static const char * const columns[] = { "EL0", "EL1", "EL2", "EL3" };
	u8 value[PRX_NR_CONTROLS];
	struct prx_controls controls;
	struct prx_answer answer;
	unsigned int number, el, points = 0;

	for (number = 0; number < 1U << (2 * nr); number++) {
		if (!combination(number, &controls, value, which, nr))
			continue;
		assert_true(prx_look_up(table, &controls, &answer));
		assert_one_row(&answer);
		for (el = 0; el <= 3; el++) {
			struct am_pe pe = a_pe(value, el);
			struct am_trbe trbe = {
				.self_hosted = true,
				.trfcr_el1 = FIELD_PREP(TRFCR_EE, value[PRX_TRFCR_EL1_EE]) |
					     (value[PRX_TRFCR_EL1_KE] ? TRFCR_KE : 0),
				.trfcr_el2 = FIELD_PREP(TRFCR_EE, value[PRX_TRFCR_EL2_EE]) |
					     (value[PRX_TRFCR_EL2_KE] ? TRFCR_KE : 0),
			};
			const char *is = result_of(&answer, columns[el]), *model;
			int delivery;

			if (!strcmp(is, "n/a")) {
				assert_true(el == 1 && value[PRX_HCR_EL2_TGE]);
				continue;
			}
			delivery = am_trbe_delivery(&pe, &trbe, record_el).is;
			model = delivery == AM_DELIVERY_NONE ? "None" :
				delivery_text(delivery, "C", "B", "None");
			assert_string_equal(is, model);
			points++;
		}
	}
	assert_true(points >= 20);
}

static void test_d6_8_is_the_model(void **state)
{
	static const enum prx_control which[] = {
		PRX_MDCR_EL3_TRBEE, PRX_TRFCR_EL2_EE, PRX_HCR_EL2_TGE, PRX_TRFCR_EL1_EE,
		PRX_TRFCR_EL1_KE, PRX_PSTATE_PM,
	};

	(void)state;
	check_trbe_table(PRX_TABLE_D6_8, 1, which, ARRAY_SIZE(which));
}

static void test_d6_9_is_the_model(void **state)
{
	static const enum prx_control which[] = {
		PRX_MDCR_EL3_TRBEE, PRX_TRFCR_EL2_EE, PRX_TRFCR_EL2_KE, PRX_HCR_EL2_TGE,
		PRX_PSTATE_PM,
	};

	(void)state;
	check_trbe_table(PRX_TABLE_D6_9, 2, which, ARRAY_SIZE(which));
}

static void test_d6_10_is_the_model(void **state)
{
	static const enum prx_control which[] = { PRX_MDCR_EL3_TRBEE, PRX_HCR_EL2_TGE };

	(void)state;
	check_trbe_table(PRX_TABLE_D6_10, 3, which, ARRAY_SIZE(which));
}

static void test_d6_7_is_the_model(void **state)
{
	static const enum prx_control which[] = {
		PRX_MDCR_EL3_TRBEE, PRX_TRFCR_EL2_EE, PRX_MDCR_EL2_E2TB,
	};
	static const struct {
		const char *column;
		enum am_trbe_class class;
	} columns[] = {
		{ "Other abort Stage 1", AM_TRBE_S1_ABORT },
		{ "Other abort Stage 2", AM_TRBE_S2_ABORT },
		{ "Other event", AM_TRBE_OTHER },
	};
	u8 value[PRX_NR_CONTROLS];
	struct prx_controls controls;
	struct prx_answer answer;
	unsigned int number, i, left_out = 0;

	(void)state;
	for (number = 0; number < 1U << 6; number++) {
		if (!combination(number, &controls, value, which, ARRAY_SIZE(which)))
			continue;
		assert_true(prx_look_up(PRX_TABLE_D6_7, &controls, &answer));
		/* E2TB has a reserved value */
		if (!answer.rows) {
			left_out++;
			assert_int_equal(value[PRX_MDCR_EL2_E2TB], 1);
			continue;
		}
		assert_one_row(&answer);
		for (i = 0; i < ARRAY_SIZE(columns); i++) {
			struct am_pe pe = a_pe(value, 2);
			struct am_trbe trbe = {
				.self_hosted = true,
				.trfcr_el2 = FIELD_PREP(TRFCR_EE, value[PRX_TRFCR_EL2_EE]),
			};
			char record[4] = { 'E', 'L', '0' + am_trbe_record(&pe, &trbe,
						columns[i].class).is };

			assert_string_equal(result_of(&answer, columns[i].column), record);
		}
	}
	assert_int_equal(left_out, 2);
}

/* Each table can be read to its end, and its rows have the numbers of the manual. */
static void test_all_rows_if_nothing_is_known(void **state)
{
	static const unsigned int rows[PRX_NR_TABLES] = {
		[PRX_TABLE_D6_5] = 13, [PRX_TABLE_D6_6] = 13, [PRX_TABLE_D6_7] = 10,
		[PRX_TABLE_D6_8] = 10, [PRX_TABLE_D6_9] = 12, [PRX_TABLE_D6_10] = 6,
		[PRX_TABLE_D13_1] = 28,
	};
	struct prx_controls controls;
	struct prx_answer answer;
	unsigned int table;

	(void)state;
	prx_controls_init(&controls);
	for (table = 0; table < PRX_NR_TABLES; table++) {
		assert_true(prx_look_up(table, &controls, &answer));
		assert_true(answer.rows == ((1ULL << (rows[table] + 1)) - 2));
	}
	assert_true(prx_look_up(PRX_TABLE_D13_1, &controls, &answer));
	assert_string_equal(result_of(&answer, "EL0"), "?");
}

/*
 * What a VHE kernel knows: its own controls, and nothing of EL3. An exception that was taken at
 * EL2 says what EL3 did.
 */
static void test_an_exception_tells_of_el3(void **state)
{
	struct prx_controls controls;
	struct prx_answer answer;

	(void)state;
	prx_controls_init(&controls);
	prx_control_is(&controls, PRX_MDCR_EL2_PMEE, 3);
	prx_control_is(&controls, PRX_HCR_EL2_TGE, 1);
	prx_control_is(&controls, PRX_PMECR_EL1_KPME, 1);
	prx_control_is(&controls, PRX_PSTATE_PM, 0);

	assert_true(prx_look_up(PRX_TABLE_D13_1, &controls, &answer));
	assert_true(answer.rows == ((1 << 2) | (1 << 19) | (1 << 22) | (1 << 27)));
	assert_string_equal(result_of(&answer, "EL2"), "?");

	assert_true(prx_narrow(PRX_TABLE_D13_1, &controls, "EL2", "EL2"));
	assert_int_equal(controls.may[PRX_MDCR_EL3_PMEE], 1 << 1);
	assert_true(prx_look_up(PRX_TABLE_D13_1, &controls, &answer));
	assert_true(answer.rows == 1 << 19);
	assert_string_equal(result_of(&answer, "EL2"), "EL2");
	assert_string_equal(result_of(&answer, "EL1"), "n/a");
}

/* The same kernel where the overflow comes as an interrupt in spite of what it programmed */
static void test_an_interrupt_tells_of_el3(void **state)
{
	struct prx_controls controls;
	struct prx_answer answer;

	(void)state;
	prx_controls_init(&controls);
	prx_control_is(&controls, PRX_MDCR_EL2_PMEE, 3);
	prx_control_is(&controls, PRX_HCR_EL2_TGE, 1);
	assert_true(prx_narrow(PRX_TABLE_D13_1, &controls, "EL2", "IRQ"));
	assert_int_equal(controls.may[PRX_MDCR_EL3_PMEE], 1 << 0);
	assert_true(prx_look_up(PRX_TABLE_D13_1, &controls, &answer));
	assert_true(answer.rows == 1 << 2);
}

/*
 * A kernel at EL1 that has tried: EL3 may be why there is an interrupt, whatever EL2 says then, or
 * EL2. No single control is known, but what comes of an overflow is.
 */
static void test_an_interrupt_at_el1(void **state)
{
	struct prx_controls controls;
	struct prx_answer answer;
	unsigned int pm;

	(void)state;
	prx_controls_init(&controls);
	prx_control_is(&controls, PRX_HCR_EL2_TGE, 0);
	prx_control_is(&controls, PRX_PMECR_EL1_PMEE, 0);
	assert_true(prx_narrow(PRX_TABLE_D13_1, &controls, "EL1", "IRQ"));
	for (pm = 0; pm < 2; pm++) {
		prx_control_is(&controls, PRX_PSTATE_PM, pm);
		assert_true(prx_look_up(PRX_TABLE_D13_1, &controls, &answer));
		assert_true(answer.rows == ((1 << 1) | (1 << 3) | (1 << 5)));
		assert_string_equal(result_of(&answer, "EL1"), "IRQ");
		assert_string_equal(result_of(&answer, "EL0"), "IRQ");
	}
}

/* What was seen with PSTATE.PM clear says what comes of it with PSTATE.PM set */
static void test_an_exception_at_el1_with_pm(void **state)
{
	struct prx_controls controls;
	struct prx_answer answer;

	(void)state;
	prx_controls_init(&controls);
	prx_control_is(&controls, PRX_HCR_EL2_TGE, 0);
	assert_true(prx_narrow(PRX_TABLE_D13_1, &controls, "EL1", "EL1"));
	prx_control_is(&controls, PRX_PSTATE_PM, 1);
	assert_true(prx_look_up(PRX_TABLE_D13_1, &controls, &answer));
	assert_true(answer.rows == 1 << 9);
	assert_string_equal(result_of(&answer, "EL1"), "Msk");
}

static void test_what_cannot_be_is_left_alone(void **state)
{
	struct prx_controls controls, before;

	(void)state;
	prx_controls_init(&controls);
	prx_control_is(&controls, PRX_MDCR_EL3_PMEE, 0);
	before = controls;
	assert_false(prx_narrow(PRX_TABLE_D13_1, &controls, "EL2", "EL2"));
	assert_false(prx_narrow(PRX_TABLE_D13_1, &controls, "EL7", "EL2"));
	assert_memory_equal(&controls, &before, sizeof(controls));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_rows_if_nothing_is_known),
		cmocka_unit_test(test_d13_1_is_the_model),
		cmocka_unit_test(test_d6_7_is_the_model),
		cmocka_unit_test(test_d6_8_is_the_model),
		cmocka_unit_test(test_d6_9_is_the_model),
		cmocka_unit_test(test_d6_10_is_the_model),
		cmocka_unit_test(test_an_exception_tells_of_el3),
		cmocka_unit_test(test_an_interrupt_tells_of_el3),
		cmocka_unit_test(test_an_interrupt_at_el1),
		cmocka_unit_test(test_an_exception_at_el1_with_pm),
		cmocka_unit_test(test_what_cannot_be_is_left_alone),
	};

	return cmocka_run_group_tests_name("routing", tests, NULL, NULL);
}
