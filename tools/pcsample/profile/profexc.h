/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings of arm_profexc: decodes its records and sums them up.
 */
#ifndef PCSAMPLE_PROFILE_PROFEXC_H
#define PCSAMPLE_PROFILE_PROFEXC_H

#include <linux/arm_profexc.h>

#include "profile/aggregate.h"

/* Names, as in the module's sysfs files; "unknown" for values that only a newer module has */
const char *profexc_class_name(unsigned int class);
const char *profexc_mode_name(unsigned int mode);

/**
 * struct profexc_event - the samples of one class that were delivered in one way
 * @class: enum arm_profexc_class
 * @mode: enum arm_profexc_mode
 * @events: how many
 * @el: how many of these interrupted Exception level 0, 1, 2
 */
struct profexc_event {
	u8 class;
	u8 mode;
	u64 events;
	u64 el[3];
};

/**
 * struct profexc_place - code that was interrupted
 * @dso: index in the session's table
 * @sym: index in its symbols, or SYM_NONE
 * @events: how often
 * @exceptions: how many of @events were delivered as exceptions
 */
struct profexc_place {
	u32 dso;
	u32 sym;
	u64 events;
	u64 exceptions;
};

/**
 * struct profexc_summary - a recording in numbers
 * @events: all samples that have a record
 * @others: samples that have none
 * @missing: events that were not recorded: gaps in the sequence numbers of each CPU
 * @nr_cpus: CPUs that reported
 * @first: time of the first sample, ns
 * @last: time of the last sample, ns
 * @event: sorted by count
 * @place: sorted by count
 */
struct profexc_summary {
	u64 events;
	u64 others;
	u64 missing;
	unsigned int nr_cpus;
	u64 first, last;
	struct profexc_event *event;
	size_t nr_events, events_cap;
	struct profexc_place *place;
	size_t nr_places, places_cap;
};

/**
 * profexc_summarize() - read all samples
 * @s: the recording; its symbols are loaded as they are needed
 * @filter: which samples count. Those that it leaves out are counted as missing.
 * @sum: filled, freed by profexc_summary_deinit() also on failure
 *
 * Return: 0 or -ENOMEM.
 */
int profexc_summarize(struct session *s, const struct aggregate_filter *filter,
		      struct profexc_summary *sum);
void profexc_summary_deinit(struct profexc_summary *sum);

#endif /* PCSAMPLE_PROFILE_PROFEXC_H */
