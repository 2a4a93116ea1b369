/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of its CPU a reader may use: a leaky bucket in nanoseconds. Credit comes with the
 * clock at the given share and is spent by the time in the handler; a reader without credit
 * stays away until there is some again.
 *
 * Pure: unit tests compile it in user space.
 */
#ifndef ARM_PCSAMPLE_BUDGET_H
#define ARM_PCSAMPLE_BUDGET_H

#include <arch-model/types.h>

/* Credit of this many ns of clock may pile up, so that a burst after a quiet time passes */
#define PCS_BUDGET_WINDOW	100000000LL

/**
 * struct pcs_budget - budget of one reader
 * @last: clock of the last pcs_budget_earn(), ns
 * @credit: ns in the handler still paid for; negative: spent in advance
 */
struct pcs_budget {
	u64 last;
	s64 credit;
};

/**
 * pcs_budget_earn() - add the credit for the time since the last call
 * @budget: of the reader
 * @now: clock, ns; must not go back
 * @percent: share of the CPU, 1 to 100
 *
 * Return: whether there is credit left to work with.
 */
static inline bool pcs_budget_earn(struct pcs_budget *budget, u64 now, unsigned int percent)
{
	s64 most = PCS_BUDGET_WINDOW * percent / 100;
	u64 elapsed = now - budget->last;

	/* Bound first: after a year without an event the product must not overflow. */
	if (elapsed > 100 * PCS_BUDGET_WINDOW)
		elapsed = 100 * PCS_BUDGET_WINDOW;
	budget->last = now;
	budget->credit += (s64)(elapsed * percent / 100);
	if (budget->credit > most)
		budget->credit = most;
	return budget->credit > 0;
}

/**
 * pcs_budget_spend() - take what a run of the handler cost
 * @budget: of the reader
 * @cost: ns
 *
 * The debt is bounded too: a handler that was itself held up, by a hypervisor that did not run
 * this CPU, must not silence the reader for minutes.
 */
static inline void pcs_budget_spend(struct pcs_budget *budget, u64 cost)
{
	if (cost > PCS_BUDGET_WINDOW)
		cost = PCS_BUDGET_WINDOW;
	budget->credit -= (s64)cost;
	if (budget->credit < -PCS_BUDGET_WINDOW)
		budget->credit = -PCS_BUDGET_WINDOW;
}

/**
 * pcs_budget_wait() - how long until there is credit again
 * @budget: of the reader
 * @percent: share of the CPU, 1 to 100
 *
 * Return: ns from the last pcs_budget_earn(); 0 if there is credit.
 */
static inline u64 pcs_budget_wait(const struct pcs_budget *budget, unsigned int percent)
{
	return budget->credit > 0 ? 0 : (u64)(1 - budget->credit) * 100 / percent + 1;
}

#endif /* ARM_PCSAMPLE_BUDGET_H */
