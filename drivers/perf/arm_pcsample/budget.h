/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of its CPU a reader may use, in nanoseconds, and for how long in one go.
 *
 * A leaky bucket: a reader earns credit at the given share of the clock, and spends it by its time
 * in the handler. An event that finds no credit books some, which the budget subtracts at once. The
 * event comes back when that much has been earned, and may work then, whatever others have spent.
 * So the events of a reader that is over its budget take turns, in the order of their bookings. An
 * event that only waited would find the credit spent, time after time, by one that looks earlier.
 *
 * A slice: the handler runs with interrupts masked. So after PCS_SLICE it stops before the next
 * read, and pauses for PCS_PAUSE, so that other interrupts are taken. Handlers that follow each
 * other without such a pause, as those of several events do, share one.
 *
 * Pure: unit tests compile it in user space.
 */
#ifndef ARM_PCSAMPLE_BUDGET_H
#define ARM_PCSAMPLE_BUDGET_H

#include <linux/math64.h>

#include <arch-model/types.h>

/* Credit of this many ns of clock may pile up, so that a burst after a quiet time passes */
#define PCS_BUDGET_WINDOW	100000000LL

/* Longest time in one go, less the last read of it, and the shortest pause after it, ns */
#define PCS_SLICE		50000ULL
#define PCS_PAUSE		10000ULL

/*
 * What an event books, ns: about what a read costs with its interrupt. It need not cover the reads
 * that the event then makes. What they cost beyond it is a debt, and who books next waits longer.
 */
#define PCS_BOOKING		2000LL

/**
 * struct pcs_budget - budget of one reader
 * @last: clock of the last pcs_budget_earn(), ns
 * @credit: ns in the handler still paid for; negative: spent in advance
 * @ended: clock when a handler last ended, ns
 * @used: ns of the slice that are used up
 */
struct pcs_budget {
	u64 last;
	s64 credit;
	u64 ended;
	u64 used;
};

/**
 * pcs_budget_unbook() - undo pcs_budget_book()
 * @budget: of the reader
 */
static inline void pcs_budget_unbook(struct pcs_budget *budget)
{
	budget->credit += PCS_BOOKING;
}

/**
 * pcs_budget_earn() - add the credit for the time since the last call
 * @budget: of the reader
 * @now: clock, ns; must not go back
 * @percent: share of the CPU, 1 to 100
 * @booked: the event has booked credit, and its time has come
 *
 * Return: whether the event has credit to work with.
 */
static inline bool pcs_budget_earn(struct pcs_budget *budget, u64 now, unsigned int percent,
				   bool booked)
{
	s64 most = PCS_BUDGET_WINDOW / 100 * percent;
	u64 elapsed = now - budget->last;

	/* Bound first: after a year without an event the product must not overflow. */
	if (elapsed > 100 * PCS_BUDGET_WINDOW)
		elapsed = 100 * PCS_BUDGET_WINDOW;
	budget->last = now;
	budget->credit += (s64)div_u64(elapsed * percent, 100);
	if (budget->credit > most)
		budget->credit = most;
	if (booked)
		pcs_budget_unbook(budget);
	return booked || budget->credit > 0;
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
 * pcs_budget_book() - book credit, for an event that finds none
 * @budget: of the reader, which has no credit
 * @percent: share of the CPU, 1 to 100
 *
 * Return: ns from the last pcs_budget_earn() until what is booked has been earned.
 */
static inline u64 pcs_budget_book(struct pcs_budget *budget, unsigned int percent)
{
	u64 missing = PCS_BOOKING - budget->credit;

	budget->credit -= PCS_BOOKING;
	return div_u64(missing * 100, percent) + 1;
}

/**
 * pcs_slice_left() - how long may a handler run that begins now?
 * @budget: of the reader
 * @now: clock, ns
 *
 * Return: ns; 0: not before pcs_slice_resumes()
 */
static inline u64 pcs_slice_left(struct pcs_budget *budget, u64 now)
{
	if (now - budget->ended >= PCS_PAUSE)
		budget->used = 0;
	return budget->used < PCS_SLICE ? PCS_SLICE - budget->used : 0;
}

/**
 * pcs_slice_use() - a handler ends
 * @budget: of the reader
 * @begin: clock when it began, ns
 * @now: clock, ns
 *
 * Return: ns that handlers have run in one go, this one included
 */
static inline u64 pcs_slice_use(struct pcs_budget *budget, u64 begin, u64 now)
{
	budget->used += now - begin;
	budget->ended = now;
	return budget->used;
}

/**
 * pcs_slice_resumes() - when may the handler do something again?
 * @budget: of the reader
 * @worked: it did something in this slice: the handlers that found nothing left of it come first
 *
 * Return: clock, ns; 0: at any time
 */
static inline u64 pcs_slice_resumes(const struct pcs_budget *budget, bool worked)
{
	return budget->used < PCS_SLICE ? 0 : budget->ended + PCS_PAUSE + worked;
}

#endif /* ARM_PCSAMPLE_BUDGET_H */
