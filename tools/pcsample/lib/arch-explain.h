/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions about a PE, their answers, and the rule or table row of the Arm manual that decided.
 */
#ifndef PCSAMPLE_LIB_ARCH_EXPLAIN_H
#define PCSAMPLE_LIB_ARCH_EXPLAIN_H

#include "lib/arch-state.h"

/**
 * struct arch_answer - an answer and its reason
 * @question: what was asked
 * @answer: in words
 * @because: the reason as a clause; empty where a register simply says so
 * @rule: identifier of the rule, the register or the table that decided
 */
struct arch_answer {
	char question[64];
	char answer[96];
	char because[128];
	char rule[32];
};

/* Takes the answers as they are found */
struct arch_answers {
	void (*take)(void *ctx, const struct arch_answer *answer);
	void *ctx;
};

/**
 * struct arch_topic - what can be asked about
 * @name: a word
 * @summary: what the answers tell
 * @units: enum arch_unit: whose names matter
 * @explain: find the answers
 */
struct arch_topic {
	const char *name;
	const char *summary;
	unsigned int units;
	void (*explain)(const struct arch_state *state, const struct arch_answers *answers);
};

/* Ended by a NULL name */
extern const struct arch_topic arch_topics[];

#endif /* PCSAMPLE_LIB_ARCH_EXPLAIN_H */
