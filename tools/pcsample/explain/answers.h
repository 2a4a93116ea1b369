/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An answer about a PE, and the callback that takes it.
 */
#ifndef PCSAMPLE_EXPLAIN_ANSWERS_H
#define PCSAMPLE_EXPLAIN_ANSWERS_H

/**
 * struct arch_answer - an answer and its reason
 * @question: what was asked
 * @answer: in words
 * @because: the reason as a clause; empty where a register simply says so
 * @rule: identifier of the rule, the register or the table that decided
 * @remedy: what to do about it, as a sentence; empty where nothing is wrong or nothing helps
 */
struct arch_answer {
	char question[64];
	char answer[96];
	char because[128];
	char rule[32];
	char remedy[160];
};

/* Takes the answers as they are found */
struct arch_answers {
	void (*take)(void *ctx, const struct arch_answer *answer);
	void *ctx;
};

#endif /* PCSAMPLE_EXPLAIN_ANSWERS_H */
