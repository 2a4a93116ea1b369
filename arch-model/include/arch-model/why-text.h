/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sentences behind enum am_why. Not part of the freestanding model: link arch-model/text/why.c
 * where a person reads the answer.
 */
#ifndef ARCH_MODEL_WHY_TEXT_H
#define ARCH_MODEL_WHY_TEXT_H

#include <arch-model/why.h>

/* The rule, handle or section that decided, "RBNQRP"; "" for AM_WHY_NONE */
const char *am_why_rule(enum am_why why);

/**
 * am_why_print() - write the reason of a verdict as a clause
 * @verdict: the verdict
 * @text: where to; always ended by a zero byte if @size is not 0
 * @size: room at @text
 *
 * Return: length of the whole clause, which is longer than what was written if that is >= @size
 */
unsigned int am_why_print(struct am_verdict verdict, char *text, unsigned int size);

#endif /* ARCH_MODEL_WHY_TEXT_H */
