/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording says as a whole: rate, duration, ledger, notes.
 */
#ifndef PCSAMPLE_PROFILE_RECORDING_H
#define PCSAMPLE_PROFILE_RECORDING_H

#include "base/json.h"
#include "profile/aggregate.h"

/**
 * recording_duration() - ns; from the first sample that counts to the last one if the file does not
 * say, or if only a part of it was to count; 0 if the samples have no times
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
 * @hz: of each CPU that was sampled; of the time that the tasks ran, if @ran
 * @ran: ns of CPU time that the sampled tasks had; 0 if CPUs were sampled
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
 * Return: false where nobody can say: tasks run now and then, and how long the chosen ones did, or
 * those of perf, is not recorded.
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
 * recording_busy() - were the CPUs that read too busy for many of the reads?
 * @note: takes what is to be told then, in RECORDING_NOTE_MAX bytes
 */
bool recording_busy(const struct session *s, char *note);

/** recording_ledger() - the ledger's count of an outcome, or of "planned"; is there one? */
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
