/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which rows of the manual's tables apply to a CPU.
 *
 * Nobody below EL3 can read all the controls that route a Profiling exception. So each control is
 * the set of the values that it may have, and what the hardware was seen to do makes the sets
 * smaller.
 *
 * Not part of the freestanding model: link arch-model/text/table-rows.c.
 */
#ifndef ARCH_MODEL_TABLE_ROWS_H
#define ARCH_MODEL_TABLE_ROWS_H

#include <arch-model/types.h>

/* Columns of the tables, all of which are one or two bits wide */
enum am_control {
	AM_MDCR_EL3_PMEE,
	AM_MDCR_EL3_TRBEE,
	AM_SCR_EL3_GPF,
	AM_SCR_EL3_EA,
	AM_MDCR_EL2_PMEE,
	AM_MDCR_EL2_E2TB,
	AM_HCR_EL2_TGE,
	AM_HCR_EL2_GPF,
	AM_HCR_EL2_TEA,
	AM_TRFCR_EL2_EE,
	AM_TRFCR_EL2_KE,
	AM_TRFCR_EL1_EE,
	AM_TRFCR_EL1_KE,
	AM_PMECR_EL1_PMEE,
	AM_PMECR_EL1_KPME,
	AM_PSTATE_PM,
	AM_NR_CONTROLS,
};

/* The manual's tables, by their numbers */
enum am_manual_table {
	AM_TABLE_D6_5,		/* TRBSR_ELx for Granule Protection Check faults */
	AM_TABLE_D6_6,		/* for External aborts */
	AM_TABLE_D6_7,		/* for all else */
	AM_TABLE_D6_8,		/* what comes of TRBSR_EL1.IRQ */
	AM_TABLE_D6_9,		/* of TRBSR_EL2.IRQ */
	AM_TABLE_D6_10,		/* of TRBSR_EL3.IRQ */
	AM_TABLE_D13_1,		/* what comes of a PMU overflow */
	AM_NR_TABLES,
};

/**
 * struct am_controls - what is known of the controls of a CPU
 * @may: bit n is set if the control may have the value n
 * @seen_table: a table of which something was seen
 * @seen_result: title of the result column; NULL if nothing was seen
 * @seen_value: what the column says while PSTATE.PM is 0
 *
 * The sets of @may are those of single controls, and what was seen excludes combinations: with an
 * interrupt either EL3 or EL2 may be why. So that is kept beside them.
 */
struct am_controls {
	u8 may[AM_NR_CONTROLS];
	enum am_manual_table seen_table;
	const char *seen_result;
	const char *seen_value;
};

/* Each control may have each value of its width */
void am_controls_init(struct am_controls *controls);

/* A control has this value */
static inline void am_control_is(struct am_controls *controls, enum am_control control,
				 unsigned int value)
{
	controls->may[control] = 1U << value;
}

/* Name of a control, as the tables head its column */
const char *am_control_name(enum am_control control);

/* "D6-5" and so on */
const char *am_table_name(enum am_manual_table table);

#define AM_MAX_RESULTS	5
#define AM_RESULT_SIZE	8

/**
 * struct am_result - a result column of a table
 * @name: title of the column
 * @value: what all rows that may apply say; "?" if they do not agree, "-" if there are none
 */
struct am_result {
	char name[24];
	char value[AM_RESULT_SIZE];
};

/**
 * struct am_answer - what a table says
 * @rows: bit n is set if the row n may apply; the first is 1
 * @nr_results: how many @result are valid
 * @result: the table's result columns
 */
struct am_answer {
	u64 rows;
	unsigned int nr_results;
	struct am_result result[AM_MAX_RESULTS];
};

/**
 * am_table_look_up() - what does a table say?
 * @table: the table
 * @controls: what is known
 * @answer: filled
 *
 * Return: false if the table cannot be read, which a unit test excludes.
 */
bool am_table_look_up(enum am_manual_table table, const struct am_controls *controls,
		      struct am_answer *answer);

/**
 * am_table_narrow() - what was seen tells about the controls
 * @table: a table
 * @controls: what is known; the values of no row that says @value are dropped, and what was seen
 *	      is noted for am_table_look_up(), in place of what was before
 * @result: title of a result column; it and @value outlive @controls
 * @value: what that column is known to say while PSTATE.PM is 0
 *
 * If no row says so the controls, which are read one by one, have changed in between: they are
 * left alone.
 *
 * Return: false in that case.
 */
bool am_table_narrow(enum am_manual_table table, struct am_controls *controls, const char *result,
		     const char *value);

#endif /* ARCH_MODEL_TABLE_ROWS_H */
