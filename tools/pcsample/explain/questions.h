/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers the three questions that people ask most, each by a sentence and a remedy.
 */
#ifndef PCSAMPLE_EXPLAIN_QUESTIONS_H
#define PCSAMPLE_EXPLAIN_QUESTIONS_H

#include "explain/answers.h"
#include "explain/state.h"

/**
 * conclude() - give one answer
 * @answers: takes it
 * @question: what was asked
 * @verdict: the reason of the answer; nothing is printed if it has none
 * @mend: a reason that something can be done about; AM_WHY_NONE if there is none
 * @format: the answer, in one sentence
 */
__attribute__((format(printf, 5, 6)))
void conclude(const struct arch_answers *answers, const char *question, struct am_verdict verdict,
	      enum am_why mend, const char *format, ...);

/* Why does my counter not count? */
void explain_counting(const struct arch_state *state, const struct arch_answers *answers);

/* Why does no interrupt or exception come? */
void explain_interrupt(const struct arch_state *state, const struct arch_answers *answers);

/* Why do I read all ones? */
void explain_all_ones(const struct arch_state *state, const struct arch_answers *answers);

#endif /* PCSAMPLE_EXPLAIN_QUESTIONS_H */
