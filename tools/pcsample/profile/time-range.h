/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of a recording, as --time gives them.
 */
#ifndef PCSAMPLE_PROFILE_TIME_RANGE_H
#define PCSAMPLE_PROFILE_TIME_RANGE_H

#include "profile/aggregate.h"

/**
 * struct time_ranges - from where to where
 * @range: @from and @to in ns of the recording's clock; with @percent in parts of its time, 0 to 1
 * @gaps: private: of time_ranges_resolve()
 */
struct time_ranges {
	struct time_range {
		double part_from, part_to;
		u64 from, to;
	} *range;
	size_t nr, cap;
	bool percent;
	struct time_window *gaps;
};

/**
 * time_ranges_parse() - read what --time takes
 * @text: "START,STOP START,STOP" in seconds, in the order of time; the first START and the last
 *	STOP may be missing. Or "A%-B%,C%-D%", or "A%/N,A%/M", the parts with these numbers of those
 *	that are A% each; "A%" is the first of them.
 *
 * Return: 0, -EINVAL or -ENOMEM. time_ranges_deinit() follows in any case.
 */
int time_ranges_parse(struct time_ranges *ranges, const char *text);
void time_ranges_deinit(struct time_ranges *ranges);

/**
 * time_ranges_resolve() - set the times of a filter
 * @first, @last: times of the recording's first and last sample
 * @filter: holds until the next call for @ranges
 *
 * Return: 0 or -ENOMEM.
 */
int time_ranges_resolve(struct time_ranges *ranges, u64 first, u64 last,
			struct aggregate_filter *filter);

/**
 * session_span() - times of the first and the last sample
 *
 * As the recording's header tells, or else by reading all of them.
 *
 * Return: false if there are no samples, or none that have a time.
 */
bool session_span(struct session *s, u64 *first, u64 *last);

#endif /* PCSAMPLE_PROFILE_TIME_RANGE_H */
