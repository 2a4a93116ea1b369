/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdbool.h>

enum hk_type {
	HK_TYPE_DOMAIN,
	HK_TYPE_TICK,
};

bool housekeeping_test_cpu(int cpu, enum hk_type type);
