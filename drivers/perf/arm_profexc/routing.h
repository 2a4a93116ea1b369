/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which rows of the manual's tables apply to a CPU.
 *
 * Nobody below EL3 can read all the controls that route a Profiling exception. So each control is
 * the set of the values that it may have, and what the hardware was seen to do makes the sets
 * smaller.
 *
 * Pure: unit tests compile it in user space.
 */
#ifndef ARM_PROFEXC_ROUTING_H
#define ARM_PROFEXC_ROUTING_H

#include <arch-model/types.h>

/* Columns of the tables, all of which are one or two bits wide */
enum prx_control {
	PRX_MDCR_EL3_PMEE,
	PRX_MDCR_EL3_TRBEE,
	PRX_SCR_EL3_GPF,
	PRX_SCR_EL3_EA,
	PRX_MDCR_EL2_PMEE,
	PRX_MDCR_EL2_E2TB,
	PRX_HCR_EL2_TGE,
	PRX_HCR_EL2_GPF,
	PRX_HCR_EL2_TEA,
	PRX_TRFCR_EL2_EE,
	PRX_TRFCR_EL2_KE,
	PRX_TRFCR_EL1_EE,
	PRX_TRFCR_EL1_KE,
	PRX_PMECR_EL1_PMEE,
	PRX_PMECR_EL1_KPME,
	PRX_PSTATE_PM,
	PRX_NR_CONTROLS,
};

/* The manual's tables, by their numbers */
enum prx_table {
	PRX_TABLE_D6_5,		/* TRBSR_ELx for Granule Protection Check faults */
	PRX_TABLE_D6_6,		/* for External aborts */
	PRX_TABLE_D6_7,		/* for all else */
	PRX_TABLE_D6_8,		/* what comes of TRBSR_EL1.IRQ */
	PRX_TABLE_D6_9,		/* of TRBSR_EL2.IRQ */
	PRX_TABLE_D6_10,	/* of TRBSR_EL3.IRQ */
	PRX_TABLE_D13_1,	/* what comes of a PMU overflow */
	PRX_NR_TABLES,
};

/**
 * struct prx_controls - what is known of the controls of a CPU
 * @may: bit n is set if the control may have the value n
 * @seen_table: a table of which something was seen
 * @seen_result: title of the result column; NULL if nothing was seen
 * @seen_value: what the column says while PSTATE.PM is 0
 *
 * The sets of @may are those of single controls, and what was seen excludes combinations: with an
 * interrupt either EL3 or EL2 may be why. So that is kept beside them.
 */
struct prx_controls {
	u8 may[PRX_NR_CONTROLS];
	enum prx_table seen_table;
	const char *seen_result;
	const char *seen_value;
};

/* Each control may have each value of its width */
void prx_controls_init(struct prx_controls *controls);

/* A control has this value */
static inline void prx_control_is(struct prx_controls *controls, enum prx_control control,
				  unsigned int value)
{
	controls->may[control] = 1U << value;
}

/* Name of a control, as the tables head its column */
const char *prx_control_name(enum prx_control control);

/* "D6-5" and so on */
const char *prx_table_name(enum prx_table table);

#define PRX_MAX_RESULTS	5
#define PRX_RESULT_SIZE	8

/**
 * struct prx_result - a result column of a table
 * @name: title of the column
 * @value: what all rows that may apply say; "?" if they do not agree, "-" if there are none
 */
struct prx_result {
	char name[24];
	char value[PRX_RESULT_SIZE];
};

/**
 * struct prx_answer - what a table says
 * @rows: bit n is set if the row n may apply; the first is 1
 * @nr_results: how many @result are valid
 * @result: the table's result columns
 */
struct prx_answer {
	u64 rows;
	unsigned int nr_results;
	struct prx_result result[PRX_MAX_RESULTS];
};

/**
 * prx_look_up() - what does a table say?
 * @table: the table
 * @controls: what is known
 * @answer: filled
 *
 * Return: false if the table cannot be read, which a unit test excludes.
 */
bool prx_look_up(enum prx_table table, const struct prx_controls *controls,
		 struct prx_answer *answer);

/**
 * prx_narrow() - what was seen tells about the controls
 * @table: a table
 * @controls: what is known; the values of no row that says @value are dropped, and what was seen
 *	      is noted for prx_look_up(), in place of what was before
 * @result: title of a result column; it and @value outlive @controls
 * @value: what that column is known to say while PSTATE.PM is 0
 *
 * If no row says so the controls, which are read one by one, have changed in between: they are
 * left alone.
 *
 * Return: false in that case.
 */
bool prx_narrow(enum prx_table table, struct prx_controls *controls, const char *result,
		const char *value);

#endif /* ARM_PROFEXC_ROUTING_H */
