/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A part of a recording, as --time gives it.
 */
#ifndef PCSAMPLE_PROFILE_TIME_RANGE_H
#define PCSAMPLE_PROFILE_TIME_RANGE_H

#include "profile/session.h"

/**
 * struct time_range - from where to where
 * @from, @to: ns of the recording's clock; where @percent, parts of its time, 0 to 1
 */
struct time_range {
	bool percent;
	double part_from, part_to;
	u64 from, to;
};

/**
 * time_range_parse() - read "START,STOP" in seconds, either of them may be empty, "A%-B%", or
 *	"A%/N", the part with that number of those that are A% each; "A%" is the first
 * @end: takes what follows; NULL if nothing may
 *
 * Return: 0 or -EINVAL.
 */
int time_range_parse(struct time_range *range, const char *text, const char **end);

/** time_range_resolve() - times of a range in a recording whose samples go from @first to @last */
void time_range_resolve(const struct time_range *range, u64 first, u64 last, u64 *from, u64 *to);

/**
 * session_span() - times of the first and the last sample
 *
 * As the recording's header tells, or else by reading all of them.
 *
 * Return: false if there are no samples, or none that have a time.
 */
bool session_span(struct session *s, u64 *first, u64 *last);

#endif /* PCSAMPLE_PROFILE_TIME_RANGE_H */
