/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares two recordings row by row.
 */
#ifndef PCSAMPLE_PROFILE_COMPARE_H
#define PCSAMPLE_PROFILE_COMPARE_H

#include "profile/aggregate.h"
#include "profile/change.h"
#include "symbols/names.h"

#define COMPARE_BY	(BY_COMM | BY_DSO | BY_SYM | BY_SRCLINE | BY_CPU | \
			 BY_CGROUP | BY_EL | BY_STATE | BY_VMID)

/**
 * struct compare_spread - how the weight of a row varies over the blocks of a recording
 * @squares: sum over blocks of the square of the weight in it. The histogram has that of counts,
 *	which lacks what the periods of a row's samples add to the variance of its rate.
 * @in_block: weight in @block, the latest
 */
struct compare_spread {
	double squares, in_block;
	u32 block;
};

/**
 * struct compare_side - what was counted in one recording
 * @hist: its keys have ids of struct compare's @texts, so those of both recordings can be compared
 * @spread: of each of its entries
 * @event: index of the event compared
 * @seconds: how long it was recorded
 * @samples: of the event
 * @weight: sum of their periods; if shares are compared, equal to @samples
 * @first: time of the first one
 */
struct compare_side {
	struct session *s;
	struct hist hist;
	struct compare_spread *spread;
	size_t spread_cap;
	unsigned int event;
	double seconds;
	u64 samples;
	u64 weight;
	u64 first;
};

static inline const struct recorded_event *compare_event(const struct compare_side *side)
{
	return &side->s->pd->events[side->event];
}

/**
 * struct compare_row - a row of either recording or both
 * @comm, @dso, @symbol, @srcline, @cgroup: texts; NULL if rows are not told apart by them
 * @level: as report_level()
 * @cpu: NO_CPU if not known, or if rows are not told apart by CPU
 * @el: EL_NOT_KNOWN; NO_EL if they are no hardware samples, or as @cpu
 * @state: enum pcs_state; NO_STATE likewise
 * @vmid: VMID_NOT_KNOWN; NO_VMID if the code has none, or as @cpu
 * @samples, @rate: in the first and the second recording. A rate is the sum of periods per second;
 *	if shares are compared, it is the share of all samples.
 * @change: of the rate
 * @p: as in @change, but corrected for the number of rows and of events
 * @tested: there are enough samples for a test
 */
struct compare_row {
	const char *comm, *dso, *symbol, *srcline, *cgroup;
	char level;
	u32 cpu;
	u8 el;
	u8 state;
	u32 vmid;
	bool tested;
	u64 samples[2];
	double rate[2];
	struct change change;
	double p;
};

/**
 * struct compare - the result
 * @row: those that changed first, then by the size of the difference
 * @nr_tested: rows that there are enough samples for
 * @nr_changed: rows that changed
 * @total: rates of all samples
 */
struct compare {
	struct intern texts;
	unsigned int by;
	struct compare_side side[2];
	struct compare_row *row;
	size_t nr, cap;
	size_t nr_tested, nr_changed;
	double total[2];
};

/* A row has changed if its @p is less: chance alone gives such a result in 5 % of comparisons */
#define COMPARE_LEVEL	0.05

/**
 * struct compare_options - what to compare, and how
 * @by: some of COMPARE_BY
 * @filter: of each recording; its @to is TIME_MAX for no end
 * @event: of each recording, the index of the event
 * @family: number of comparisons that are shown together: each @p is corrected for all of them
 * @demangle: demangle names of symbols
 * @shares: compare shares of samples instead of rates
 */
struct compare_options {
	unsigned int by;
	u32 event[2];
	unsigned int family;
	struct aggregate_filter filter[2];
	bool demangle;
	bool shares;
};

/**
 * compare_run() - count and compare
 * @c: result
 * @a, @b: recordings, which live as long as @c
 *
 * Unless shares are compared, both events must count the same.
 *
 * Return: 0; -ENODATA if one of them has no samples, -EINVAL if they cannot be compared, -ENOMEM.
 */
int compare_run(struct compare *c, struct session *a, struct session *b,
		const struct compare_options *options, struct error *err);
void compare_deinit(struct compare *c);

#endif /* PCSAMPLE_PROFILE_COMPARE_H */
