/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about a recording as a whole: rate, duration, ledger, notes.
 */
#ifndef PCSAMPLE_PROFILE_RECORDING_H
#define PCSAMPLE_PROFILE_RECORDING_H

#include "base/json.h"
#include "profile/aggregate.h"

/**
 * recording_duration() - duration in ns
 *
 * Return: what the file says; if it does not say, or the filter of @a chose a part of the time, the
 * time from the first counted sample to the last one; 0 if the samples have no times.
 */
u64 recording_duration(const struct session *s, const struct aggregate *a);

/** recording_in_ns() - is the period of an event's samples nanoseconds? */
bool recording_in_ns(const struct recorded_event *e);

/**
 * recording_asked_rate() - samples per second and CPU that were asked for
 *
 * Return: 0 if the event does not count time.
 */
double recording_asked_rate(const struct session *s, const struct recorded_event *e);

/**
 * struct recording_rate - samples per second
 * @hz: for each sampled CPU; if @ran is not 0, per second of CPU time of the sampled tasks
 * @ran: CPU time of the sampled tasks, ns; 0 if CPUs were sampled
 */
struct recording_rate {
	double hz;
	u64 ran;
};

/**
 * recording_rate() - the rate that was achieved
 * @filter: that @a was counted with; NULL for none
 * @samples: of @e
 *
 * Return: false if the rate is not known. For tasks it takes their CPU time, which recordings of
 * perf do not have, and no recording has for tasks that @filter chose.
 */
bool recording_rate(const struct session *s, const struct aggregate *a,
		    const struct aggregate_filter *filter, const struct recorded_event *e,
		    u64 samples, struct recording_rate *ret);

/**
 * recording_wall_clock() - time of day of a sample, ns since 1970
 * @time: as the samples have it
 *
 * Return: 0 if the file does not say how the two are related.
 */
u64 recording_wall_clock(const struct session *s, u64 time);

#define RECORDING_NOTE_MAX 192

/**
 * recording_busy() - were the reading CPUs too busy for many of the planned reads?
 * @note: then receives a line about it, up to RECORDING_NOTE_MAX bytes
 */
bool recording_busy(const struct session *s, char *note);

/**
 * recording_ledger() - the ledger's count of an outcome
 * @outcome: its name, or OUTCOME_PLANNED for all planned reads
 *
 * Return: false if the recording does not have it.
 */
bool recording_ledger(const struct session *s, const char *outcome, u64 *count);

/*
 * Members of the innermost object of @j: asked_hz or sample_period; lost, throttled,
 * unknown_records, malformed_records; ledger; notes
 */
void recording_json_asked(struct json *j, const struct session *s, const struct recorded_event *e);
void recording_json_losses(struct json *j, const struct session *s, const struct aggregate *a);
void recording_json_ledger(struct json *j, const struct session *s);
void recording_json_notes(struct json *j, const struct session *s);

#endif /* PCSAMPLE_PROFILE_RECORDING_H */
