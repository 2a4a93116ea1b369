/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions about a PE, their answers, and the rule or table row of the Arm manual that decided.
 */
#ifndef PCSAMPLE_EXPLAIN_TOPICS_H
#define PCSAMPLE_EXPLAIN_TOPICS_H

#include "explain/answers.h"
#include "explain/state.h"

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

#endif /* PCSAMPLE_EXPLAIN_TOPICS_H */
