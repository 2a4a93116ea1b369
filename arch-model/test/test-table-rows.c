// SPDX-License-Identifier: GPL-2.0-only
/*
 * The routing view. With all controls known, one row of a table applies, and its result is that of
 * the architecture model. With some unknown, the rows for all of their values apply.
 */
#include <arch-model/control-regs.h>
#include <arch-model/pmu-regs.h>
#include <arch-model/pmu.h>
#include <arch-model/trbe-regs.h>
#include <arch-model/table-rows.h>
#include <arch-model/trbe.h>

#include "test.h"

#define HOLDS(condition)	EXPECT(condition, "not so: %s", #condition)

static void expect_text(const char *is, const char *expected)
{
	EXPECT(am_same_text(is, expected), "%s, expected %s", is, expected);
}

/* Set controls from a number: two bits for each, less if the control has one */
static bool combination(u64 number, struct am_controls *controls, u8 value[AM_NR_CONTROLS],
			const enum am_control *which, unsigned int nr)
{
	struct am_controls any;
	unsigned int i;

	am_controls_init(&any);
	*controls = any;
	for (i = 0; i < AM_NR_CONTROLS; i++)
		value[i] = 0;
	for (i = 0; i < nr; i++) {
		value[which[i]] = (number >> (2 * i)) & 3;
		if (!(any.may[which[i]] & (1U << value[which[i]])))
			return false;
		am_control_is(controls, which[i], value[which[i]]);
	}
	return true;
}

static const char *result_of(const struct am_answer *answer, const char *name)
{
	unsigned int i;

	for (i = 0; i < answer->nr_results; i++)
		if (am_same_text(answer->result[i].name, name))
			return answer->result[i].value;
	REQUIRE(false, "no column %s", name);
	return "";
}

static void expect_one_row(const struct am_answer *answer)
{
	HOLDS(answer->rows && !(answer->rows & (answer->rows - 1)));
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

/* A PE with a Non-secure host below EL3 */
static struct am_pe a_pe(const u8 value[AM_NR_CONTROLS], unsigned int el)
{
	return (struct am_pe) {
		.feat = AM_FEAT_AA64 | AM_FEAT_EL2 | AM_FEAT_EL3 | AM_FEAT_VHE | AM_FEAT_EBEP |
			AM_FEAT_SEBEP | AM_FEAT_TRBE | AM_FEAT_TRBE_EXC | AM_FEAT_NV,
		.scr_el3 = SCR_EL3_NS | (1ULL << 18),
		.hcr_el2 = value[AM_HCR_EL2_TGE] ? HCR_EL2_TGE | HCR_EL2_E2H : 0,
		.mdcr_el3 = FIELD_PREP(MDCR_EL3_PMEE, value[AM_MDCR_EL3_PMEE]) |
			    FIELD_PREP(MDCR_EL3_TRBEE, value[AM_MDCR_EL3_TRBEE]) |
			    FIELD_PREP(MDCR_EL3_NSTB, 3),
		.mdcr_el2 = FIELD_PREP(MDCR_EL2_PMEE, value[AM_MDCR_EL2_PMEE]) |
			    FIELD_PREP(MDCR_EL2_E2TB, value[AM_MDCR_EL2_E2TB]),
		.pm = value[AM_PSTATE_PM],
		.el = el,
	};
}

static void test_d13_1_is_the_model(void)
{
	static const enum am_control which[] = {
		AM_MDCR_EL3_PMEE, AM_MDCR_EL2_PMEE, AM_HCR_EL2_TGE, AM_PMECR_EL1_PMEE,
		AM_PMECR_EL1_KPME, AM_PSTATE_PM,
	};
	static const char * const columns[] = { "EL0", "EL1", "EL2", "EL3" };
	u8 value[AM_NR_CONTROLS];
	struct am_controls controls;
	struct am_answer answer;
	unsigned int number, el, points = 0;

	for (number = 0; number < 1U << 12; number++) {
		if (!combination(number, &controls, value, which, ARRAY_LEN(which)))
			continue;
		HOLDS(am_table_look_up(AM_TABLE_D13_1, &controls, &answer));
		/* PMECR_EL1.PMEE has a reserved value that the table leaves out */
		if (!answer.rows) {
			EXPECT_EQ(value[AM_PMECR_EL1_PMEE], 1, "value");
			continue;
		}
		expect_one_row(&answer);
		for (el = 0; el <= 3; el++) {
			struct am_pe pe = a_pe(value, el);
			struct am_pmu pmu = {
				.pmecr = FIELD_PREP(PMECR_PMEE, value[AM_PMECR_EL1_PMEE]) |
					 (value[AM_PMECR_EL1_KPME] ? PMECR_KPME : 0),
			};
			const char *is = result_of(&answer, columns[el]);

			if (am_same_text(is, "n/a")) {
				HOLDS(el == 1 && value[AM_HCR_EL2_TGE]);
				continue;
			}
			expect_text(is, delivery_text(am_pmu_delivery(&pe, &pmu).is, "Msk", "Msk",
						      "IRQ"));
			points++;
		}
	}
	HOLDS(points > 500);
}

static void check_trbe_table(enum am_manual_table table, unsigned int record_el,
			     const enum am_control *which, unsigned int nr)
{
	static const char * const columns[] = { "EL0", "EL1", "EL2", "EL3" };
	u8 value[AM_NR_CONTROLS];
	struct am_controls controls;
	struct am_answer answer;
	unsigned int number, el, points = 0;

	for (number = 0; number < 1U << (2 * nr); number++) {
		if (!combination(number, &controls, value, which, nr))
			continue;
		HOLDS(am_table_look_up(table, &controls, &answer));
		expect_one_row(&answer);
		for (el = 0; el <= 3; el++) {
			struct am_pe pe = a_pe(value, el);
			struct am_trbe trbe = {
				.self_hosted = true,
				.trfcr_el1 = FIELD_PREP(TRFCR_EE, value[AM_TRFCR_EL1_EE]) |
					     (value[AM_TRFCR_EL1_KE] ? TRFCR_KE : 0),
				.trfcr_el2 = FIELD_PREP(TRFCR_EE, value[AM_TRFCR_EL2_EE]) |
					     (value[AM_TRFCR_EL2_KE] ? TRFCR_KE : 0),
			};
			const char *is = result_of(&answer, columns[el]), *model;
			int delivery;

			if (am_same_text(is, "n/a")) {
				HOLDS(el == 1 && value[AM_HCR_EL2_TGE]);
				continue;
			}
			delivery = am_trbe_delivery(&pe, &trbe, record_el).is;
			model = delivery == AM_DELIVERY_NONE ? "None" :
				delivery_text(delivery, "C", "B", "None");
			expect_text(is, model);
			points++;
		}
	}
	HOLDS(points >= 20);
}

static void test_d6_8_is_the_model(void)
{
	static const enum am_control which[] = {
		AM_MDCR_EL3_TRBEE, AM_TRFCR_EL2_EE, AM_HCR_EL2_TGE, AM_TRFCR_EL1_EE,
		AM_TRFCR_EL1_KE, AM_PSTATE_PM,
	};

	check_trbe_table(AM_TABLE_D6_8, 1, which, ARRAY_LEN(which));
}

static void test_d6_9_is_the_model(void)
{
	static const enum am_control which[] = {
		AM_MDCR_EL3_TRBEE, AM_TRFCR_EL2_EE, AM_TRFCR_EL2_KE, AM_HCR_EL2_TGE,
		AM_PSTATE_PM,
	};

	check_trbe_table(AM_TABLE_D6_9, 2, which, ARRAY_LEN(which));
}

static void test_d6_10_is_the_model(void)
{
	static const enum am_control which[] = { AM_MDCR_EL3_TRBEE, AM_HCR_EL2_TGE };

	check_trbe_table(AM_TABLE_D6_10, 3, which, ARRAY_LEN(which));
}

static void test_d6_7_is_the_model(void)
{
	static const enum am_control which[] = {
		AM_MDCR_EL3_TRBEE, AM_TRFCR_EL2_EE, AM_MDCR_EL2_E2TB,
	};
	static const struct {
		const char *column;
		enum am_trbe_class class;
	} columns[] = {
		{ "Other abort Stage 1", AM_TRBE_S1_ABORT },
		{ "Other abort Stage 2", AM_TRBE_S2_ABORT },
		{ "Other event", AM_TRBE_OTHER },
	};
	u8 value[AM_NR_CONTROLS];
	struct am_controls controls;
	struct am_answer answer;
	unsigned int number, i, left_out = 0;

	for (number = 0; number < 1U << 6; number++) {
		if (!combination(number, &controls, value, which, ARRAY_LEN(which)))
			continue;
		HOLDS(am_table_look_up(AM_TABLE_D6_7, &controls, &answer));
		/* E2TB has a reserved value */
		if (!answer.rows) {
			left_out++;
			EXPECT_EQ(value[AM_MDCR_EL2_E2TB], 1, "value");
			continue;
		}
		expect_one_row(&answer);
		for (i = 0; i < ARRAY_LEN(columns); i++) {
			struct am_pe pe = a_pe(value, 2);
			struct am_trbe trbe = {
				.self_hosted = true,
				.trfcr_el2 = FIELD_PREP(TRFCR_EE, value[AM_TRFCR_EL2_EE]),
			};
			char record[4] = { 'E', 'L', '0' + am_trbe_record(&pe, &trbe,
						columns[i].class).is };

			expect_text(result_of(&answer, columns[i].column), record);
		}
	}
	EXPECT_EQ(left_out, 2, "value");
}

/* Each table can be read to its end, and its rows have the numbers of the manual. */
static void test_all_rows_if_nothing_is_known(void)
{
	static const unsigned int rows[AM_NR_TABLES] = {
		[AM_TABLE_D6_5] = 13, [AM_TABLE_D6_6] = 13, [AM_TABLE_D6_7] = 10,
		[AM_TABLE_D6_8] = 10, [AM_TABLE_D6_9] = 12, [AM_TABLE_D6_10] = 6,
		[AM_TABLE_D13_1] = 28,
	};
	struct am_controls controls;
	struct am_answer answer;
	unsigned int table;

	am_controls_init(&controls);
	for (table = 0; table < AM_NR_TABLES; table++) {
		HOLDS(am_table_look_up(table, &controls, &answer));
		HOLDS(answer.rows == ((1ULL << (rows[table] + 1)) - 2));
	}
	HOLDS(am_table_look_up(AM_TABLE_D13_1, &controls, &answer));
	expect_text(result_of(&answer, "EL0"), "?");
}

/*
 * A VHE kernel knows its own controls, but not those of EL3. An exception that is taken to EL2
 * tells what EL3 has set.
 */
static void test_an_exception_tells_of_el3(void)
{
	struct am_controls controls;
	struct am_answer answer;

	am_controls_init(&controls);
	am_control_is(&controls, AM_MDCR_EL2_PMEE, 3);
	am_control_is(&controls, AM_HCR_EL2_TGE, 1);
	am_control_is(&controls, AM_PMECR_EL1_KPME, 1);
	am_control_is(&controls, AM_PSTATE_PM, 0);

	HOLDS(am_table_look_up(AM_TABLE_D13_1, &controls, &answer));
	HOLDS(answer.rows == ((1 << 2) | (1 << 19) | (1 << 22) | (1 << 27)));
	expect_text(result_of(&answer, "EL2"), "?");

	HOLDS(am_table_narrow(AM_TABLE_D13_1, &controls, "EL2", "EL2"));
	EXPECT_EQ(controls.may[AM_MDCR_EL3_PMEE], 1 << 1, "value");
	HOLDS(am_table_look_up(AM_TABLE_D13_1, &controls, &answer));
	HOLDS(answer.rows == 1 << 19);
	expect_text(result_of(&answer, "EL2"), "EL2");
	expect_text(result_of(&answer, "EL1"), "n/a");
}

/* The same kernel, but the overflow causes an interrupt in spite of what the kernel set */
static void test_an_interrupt_tells_of_el3(void)
{
	struct am_controls controls;
	struct am_answer answer;

	am_controls_init(&controls);
	am_control_is(&controls, AM_MDCR_EL2_PMEE, 3);
	am_control_is(&controls, AM_HCR_EL2_TGE, 1);
	HOLDS(am_table_narrow(AM_TABLE_D13_1, &controls, "EL2", "IRQ"));
	EXPECT_EQ(controls.may[AM_MDCR_EL3_PMEE], 1 << 0, "value");
	HOLDS(am_table_look_up(AM_TABLE_D13_1, &controls, &answer));
	HOLDS(answer.rows == 1 << 2);
}

/*
 * A kernel at EL1 that has tried. The interrupt may come from EL3, whatever EL2 has set, or from
 * EL2. No single control is known, but the effect of an overflow is.
 */
static void test_an_interrupt_at_el1(void)
{
	struct am_controls controls;
	struct am_answer answer;
	unsigned int pm;

	am_controls_init(&controls);
	am_control_is(&controls, AM_HCR_EL2_TGE, 0);
	am_control_is(&controls, AM_PMECR_EL1_PMEE, 0);
	HOLDS(am_table_narrow(AM_TABLE_D13_1, &controls, "EL1", "IRQ"));
	for (pm = 0; pm < 2; pm++) {
		am_control_is(&controls, AM_PSTATE_PM, pm);
		HOLDS(am_table_look_up(AM_TABLE_D13_1, &controls, &answer));
		HOLDS(answer.rows == ((1 << 1) | (1 << 3) | (1 << 5)));
		expect_text(result_of(&answer, "EL1"), "IRQ");
		expect_text(result_of(&answer, "EL0"), "IRQ");
	}
}

/* What was seen with PSTATE.PM = 0 determines what happens with PSTATE.PM = 1 */
static void test_an_exception_at_el1_with_pm(void)
{
	struct am_controls controls;
	struct am_answer answer;

	am_controls_init(&controls);
	am_control_is(&controls, AM_HCR_EL2_TGE, 0);
	HOLDS(am_table_narrow(AM_TABLE_D13_1, &controls, "EL1", "EL1"));
	am_control_is(&controls, AM_PSTATE_PM, 1);
	HOLDS(am_table_look_up(AM_TABLE_D13_1, &controls, &answer));
	HOLDS(answer.rows == 1 << 9);
	expect_text(result_of(&answer, "EL1"), "Msk");
}

static void test_what_cannot_be_is_left_alone(void)
{
	struct am_controls controls, before;
	unsigned int i;

	am_controls_init(&controls);
	am_control_is(&controls, AM_MDCR_EL3_PMEE, 0);
	before = controls;
	HOLDS(!am_table_narrow(AM_TABLE_D13_1, &controls, "EL2", "EL2"));
	HOLDS(!am_table_narrow(AM_TABLE_D13_1, &controls, "EL7", "EL2"));
	for (i = 0; i < AM_NR_CONTROLS; i++)
		EXPECT_EQ(controls.may[i], before.may[i], "values of a control");
	HOLDS(!controls.seen_result);
}

/*
 * Narrowing compared with a search of all combinations of the controls of Table D13-1: a row
 * remains if it applies to a combination that is possible, and that had the observed result with
 * PSTATE.PM = 0.
 */

/* PSTATE.PM is first, so that it is 0 in even combinations, and 1 in the next ones */
static const enum am_control d13_1_controls[] = {
	AM_PSTATE_PM, AM_MDCR_EL3_PMEE, AM_MDCR_EL2_PMEE, AM_HCR_EL2_TGE, AM_PMECR_EL1_PMEE,
	AM_PMECR_EL1_KPME,
};

static const char *const d13_1_columns[] = { "EL1", "EL2" };

/**
 * struct d13_1_case - a combination of the controls
 * @value: the values of d13_1_controls
 * @rows: the row that applies; 0 if there is none
 * @text: its results in d13_1_columns
 */
static struct d13_1_case {
	u8 value[ARRAY_LEN(d13_1_controls)];
	u64 rows;
	char text[ARRAY_LEN(d13_1_columns)][8];
} d13_1_cases[512];

static void find_d13_1_cases(void)
{
	struct d13_1_case *each = d13_1_cases;
	struct am_controls controls;
	u8 value[AM_NR_CONTROLS];
	struct am_answer answer;
	unsigned int n, i, k;
	const char *text;

	for (n = 0; n < 1U << 12; n++) {
		if (!combination(n, &controls, value, d13_1_controls, ARRAY_LEN(d13_1_controls)))
			continue;
		REQUIRE(each < d13_1_cases + ARRAY_LEN(d13_1_cases), "more combinations");
		am_table_look_up(AM_TABLE_D13_1, &controls, &answer);
		each->rows = answer.rows;
		for (i = 0; i < ARRAY_LEN(d13_1_controls); i++)
			each->value[i] = value[d13_1_controls[i]];
		for (i = 0; i < ARRAY_LEN(d13_1_columns); i++) {
			text = result_of(&answer, d13_1_columns[i]);
			for (k = 0; text[k] && k + 1 < sizeof(each->text[i]); k++)
				each->text[i][k] = text[k];
			each->text[i][k] = 0;
		}
		each++;
	}
	REQUIRE(each == d13_1_cases + ARRAY_LEN(d13_1_cases), "fewer combinations");
}

static bool may_be(const struct am_controls *controls, const struct d13_1_case *which)
{
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(d13_1_controls); i++)
		if (!(controls->may[d13_1_controls[i]] & (1U << which->value[i])))
			return false;
	return true;
}

static void expect_seen(const struct am_controls *known, unsigned int column, const char *seen)
{
	struct am_controls controls = *known;
	struct am_answer answer;
	u64 rows = 0;
	unsigned int n;

	for (n = 0; n < ARRAY_LEN(d13_1_cases); n++)
		if (may_be(known, &d13_1_cases[n]) && d13_1_cases[n & ~1U].rows &&
		    am_same_text(d13_1_cases[n & ~1U].text[column], seen))
			rows |= d13_1_cases[n].rows;
	EXPECT(am_table_narrow(AM_TABLE_D13_1, &controls, d13_1_columns[column], seen) == !!rows,
	       "%s at %s", seen, d13_1_columns[column]);
	if (!rows)
		return;
	am_table_look_up(AM_TABLE_D13_1, &controls, &answer);
	EXPECT(answer.rows == rows, "%s at %s: rows %#llx, expected %#llx", seen,
	       d13_1_columns[column], (unsigned long long)answer.rows, (unsigned long long)rows);
}

static void test_what_was_seen(void)
{
	static const char *const seen[] = { "IRQ", "Dis", "Msk", "EL1", "EL2", "EL3" };
	struct am_controls controls;
	unsigned int draw, i, value;
	u64 random = 29;

	find_d13_1_cases();
	for (draw = 0; draw < 200; draw++) {
		am_controls_init(&controls);
		for (i = 0; i < ARRAY_LEN(d13_1_controls); i++) {
			value = am_random(&random) & (controls.may[d13_1_controls[i]] == 3 ? 1 : 3);
			if (am_random(&random) & 1)
				am_control_is(&controls, d13_1_controls[i], value);
		}
		for (i = 0; i < ARRAY_LEN(seen); i++) {
			expect_seen(&controls, 0, seen[i]);
			expect_seen(&controls, 1, seen[i]);
		}
	}
}

const struct am_test am_tests_table_rows[] = {
	{ "all rows if nothing is known", test_all_rows_if_nothing_is_known, 16 },
	{ "D13-1 is the model", test_d13_1_is_the_model, 3041 },
	{ "D6-7 is the model", test_d6_7_is_the_model, 315 },
	{ "D6-8 is the model", test_d6_8_is_the_model, 3073 },
	{ "D6-9 is the model", test_d6_9_is_the_model, 769 },
	{ "D6-10 is the model", test_d6_10_is_the_model, 49 },
	{ "an exception tells of EL3", test_an_exception_tells_of_el3, 9 },
	{ "an interrupt tells of EL3", test_an_interrupt_tells_of_el3, 4 },
	{ "an interrupt at EL1", test_an_interrupt_at_el1, 9 },
	{ "an exception at EL1, with PSTATE.PM", test_an_exception_at_el1_with_pm, 4 },
	{ "what cannot be is left alone", test_what_cannot_be_is_left_alone, 19 },
	{ "what was seen, all combinations", test_what_was_seen, 3345 },
	{ NULL, NULL, 0 },
};
