/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the Profiling exceptions of each CPU go, from the registers that the module arm_profexc
 * shows: Documentation/ABI/testing/debugfs-arm_profexc.
 */
#ifndef PCSAMPLE_EXPLAIN_ROUTING_H
#define PCSAMPLE_EXPLAIN_ROUTING_H

/**
 * struct routing_lines - who takes the answer
 * @take: called for each line: "cpu0 pmu D13-1 PM=0 row 19: EL3 Msk; EL2 EL2; EL1 n/a; EL0 EL2"
 * @ctx: its first argument
 */
struct routing_lines {
	void (*take)(void *ctx, const char *line);
	void *ctx;
};

/**
 * routing_explain() - explain a copy of arm_profexc/registers
 * @text: the copy; lines that cannot be understood are passed over
 * @lines: takes the controls of each CPU as far as they are known, and the rows of the manual's
 *	   tables that apply, numbered from 1. Several rows may apply, as no kernel reads the
 *	   controls of EL3; a result in which they differ is "?".
 *
 * Return: number of CPUs that it found registers of
 */
unsigned int routing_explain(const char *text, const struct routing_lines *lines);

#endif /* PCSAMPLE_EXPLAIN_ROUTING_H */
