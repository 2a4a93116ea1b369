// SPDX-License-Identifier: GPL-2.0-only
#include "suites.h"

const struct am_suite am_suites[] = {
	{ "layout", am_tests_layout },
	{ "pcsr", am_tests_pcsr },
	{ "pcsr-registers", am_tests_pcsr_registers },
	{ "pcs-identify", am_tests_pcs_identify },
	{ "linux-sample", am_tests_linux_sample },
	{ "trbe", am_tests_trbe },
	{ "trbe-buffer", am_tests_trbe_buffer },
	{ "profexc", am_tests_profexc },
	{ "pmu", am_tests_pmu },
	{ "pmu-count", am_tests_pmu_count },
	{ "why", am_tests_why },
	{ "table-rows", am_tests_table_rows },
	{ "states", am_tests_states },
};

const unsigned int am_suite_count = ARRAY_LEN(am_suites);
