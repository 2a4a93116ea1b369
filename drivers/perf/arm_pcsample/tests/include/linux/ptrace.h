/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PCS_TEST_PTRACE_H
#define PCS_TEST_PTRACE_H

#include <arch-model/types.h>

#define PSR_MODE_EL0t	0
#define PSR_MODE_EL1h	5

struct pt_regs {
	u64 pc, pstate;
};

#endif /* PCS_TEST_PTRACE_H */
