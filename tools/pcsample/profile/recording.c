// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "perfdata/outcomes.h"
#include "profile/recording.h"

/* If no event records times, the times in @a are positions in the file */
static bool has_times(const struct session *s)
{
	size_t i;

	for (i = 0; i < s->pd->nr_events; i++)
		if (s->pd->events[i].layout.time)
			return true;
	return false;
}

u64 recording_duration(const struct session *s, const struct aggregate *a)
{
	u64 ns;

	if (!a->part && perfdata_meta_u64(s->pd, "duration", &ns))
		return ns;
	if (!has_times(s))
		return 0;
	return a->last > a->first ? a->last - a->first - a->gaps : 0;
}

bool recording_in_ns(const struct recorded_event *e)
{
	return (e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config <= PERF_COUNT_SW_TASK_CLOCK) ||
	       perfdata_event_is_pcsample(e);
}

double recording_asked_rate(const struct session *s, const struct recorded_event *e)
{
	u64 ns;

	if (e->attr.freq)
		return e->attr.sample_freq;
	if (perfdata_meta_u64(s->pd, "period", &ns) && ns)
		return 1e9 / ns;
	if (recording_in_ns(e) && e->attr.sample_period)
		return 1e9 / e->attr.sample_period;
	return 0;
}

/* Were tasks sampled, on whatever CPU, rather than CPUs? */
static bool samples_tasks(const struct session *s, const struct recorded_event *e)
{
	size_t len;
	const char *scope = perfdata_meta(s->pd, "scope", &len);

	if (scope)
		return len != strlen("system") || memcmp(scope, "system", len);
	/* For recordings of perf: it inherits events unless it samples CPUs */
	return e->attr.inherit || e->attr.enable_on_exec;
}

bool recording_rate(const struct session *s, const struct aggregate *a,
		    const struct aggregate_filter *filter, const struct recorded_event *e,
		    u64 samples, struct recording_rate *ret)
{
	u64 duration = recording_duration(s, a), discarded;

	ret->ran = 0;
	if (filter && (filter->nr_pids || filter->nr_tids || filter->comms || filter->dsos))
		return false;
	if (samples_tasks(s, e)) {
		/* The tasks' CPU time is known for the whole recording, not for a part of it */
		if (a->part || a->left_out)
			return false;
		if (perfdata_meta_u64(s->pd, "ran", &ret->ran) && ret->ran) {
			ret->hz = samples / (ret->ran / 1e9);
			return true;
		}
		/*
		 * arm_pcsample sampled the CPUs all the time; samples of other tasks were discarded
		 */
		if (!recording_ledger(s, OUTCOME_PLANNED, &discarded) ||
		    !perfdata_meta_u64(s->pd, "discarded", &discarded))
			return false;
		samples += discarded;
	}
	if (!duration || !a->cpus_seen)
		return false;
	ret->hz = samples / (duration / 1e9) / a->cpus_seen;
	return true;
}

/* The feature: u32 version, u32 clock, u64 time of day, u64 time of the clock at that moment */
u64 recording_wall_clock(const struct session *s, u64 time)
{
	const struct perfdata_span *f = &s->pd->feature[PERFDATA_CLOCK_DATA];

	if (!f->p || f->size < 24)
		return 0;
	return load64(f->p + 8) + (time - load64(f->p + 16));
}

bool recording_ledger(const struct session *s, const char *outcome, u64 *count)
{
	char key[64];

	snprintf(key, sizeof(key), "ledger.total.%s", outcome);
	return perfdata_meta_u64(s->pd, key, count);
}

/* Per cent of the planned reads that were too late: from here on, tell the user */
#define BUSY_SHARE	10.0

bool recording_busy(const struct session *s, char *note)
{
	u64 planned = 0, late = 0, preempted = 0;
	double share;

	recording_ledger(s, OUTCOME_PLANNED, &planned);
	recording_ledger(s, outcomes[OUTCOME_LATE].name, &late);
	recording_ledger(s, outcomes[OUTCOME_PREEMPTED].name, &preempted);
	share = planned ? 100.0 * (late + preempted) / planned : 0;
	if (share < BUSY_SHARE)
		return false;
	snprintf(note, RECORDING_NOTE_MAX, "the CPUs that read were too busy for %.0f %% of the "
		 "reads: lower -F, or let more CPUs read, or ones with less to do", share);
	return true;
}

/* JSON */

void recording_json_asked(struct json *j, const struct session *s, const struct recorded_event *e)
{
	double hz = recording_asked_rate(s, e);

	if (hz > 0)
		json_fixed(j, "asked_hz", hz, 3);
	else if (e->attr.sample_period)
		json_u64(j, "sample_period", e->attr.sample_period);
}

void recording_json_losses(struct json *j, const struct session *s, const struct aggregate *a)
{
	json_u64(j, "lost", s->counts.lost);
	json_u64(j, "throttled", s->counts.throttled);
	json_u64(j, "unknown_records", s->counts.unknown);
	json_u64(j, "malformed_records", s->counts.malformed + a->malformed + a->stray);
}

void recording_json_ledger(struct json *j, const struct session *s)
{
	unsigned int i;
	u64 n;

	if (!recording_ledger(s, OUTCOME_PLANNED, &n))
		return;
	json_object(j, "ledger");
	json_u64(j, "planned", n);
	for (i = 0; i < NR_OUTCOMES; i++)
		if (recording_ledger(s, outcomes[i].name, &n))
			json_u64(j, outcomes[i].name, n);
	json_object_end(j);
}

void recording_json_notes(struct json *j, const struct session *s)
{
	char busy[RECORDING_NOTE_MAX];
	const char *text;
	unsigned int i;
	size_t len;

	json_array(j, "notes");
	if (recording_busy(s, busy))
		json_string(j, NULL, busy);
	for (i = 0; (text = perfdata_meta_nth(s->pd, "note", i, &len)); i++)
		json_part(j, NULL, text, len);
	for (i = 0; i < s->nr_notes; i++)
		json_string(j, NULL, s->notes[i]);
	json_array_end(j);
}
