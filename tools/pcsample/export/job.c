// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>

#include "export/job.h"
#include "profile/provenance.h"
#include "profile/recording.h"

size_t export_event_nr(const struct export_job *job, u32 event)
{
	size_t i;

	for (i = 0; i < job->nr_events && job->events[i] != event; i++)
		;
	return i;
}

struct export_job export_of_event(const struct export_job *job, u32 event)
{
	const struct hist *h = &job->total->hist;
	struct export_job of = *job;
	struct place p;
	size_t i;

	of.event = event;
	of.samples = job->total->blocks[event].samples;
	of.weight = 0;
	for (i = 0; i < h->nr; i++) {
		aggregate_place(h, hist_entry(h, i)->key, &p);
		if (p.event == event)
			of.weight += hist_entry(h, i)->weight;
	}
	return of;
}

u64 export_samples(const struct export_job *job)
{
	u64 samples = 0;
	size_t i;

	for (i = 0; i < job->nr_events; i++)
		samples += job->total->blocks[job->events[i]].samples;
	return samples;
}

u64 export_period(const struct export_job *job)
{
	const struct recorded_event *e = session_event(job->s, job->event);
	double rate = recording_asked_rate(job->s, e);
	const struct aggregate *a = job->total;
	u64 ns = 0;

	if (rate > 0)
		ns = 1e9 / rate + 0.5;
	else if (job->samples)
		ns = recording_duration(job->s, a) * max(a->cpus_seen, 1U) / job->samples;
	return max(ns, (u64)1);
}

/* The period that the event was to have, in its unit; 0 if the kernel was to choose it */
static u64 asked_period(const struct export_job *job)
{
	const struct recorded_event *e = session_event(job->s, job->event);

	if (recording_in_ns(e))
		return recording_asked_rate(job->s, e) > 0 ? export_period(job) : 0;
	return e->attr.freq ? 0 : e->attr.sample_period;
}

static u64 mean_period(const struct export_job *job)
{
	return job->samples ? job->weight / job->samples : 0;
}

u64 export_sample_weight(const struct export_job *job)
{
	u64 mean = mean_period(job), period = asked_period(job);

	if (period && period < mean)
		return period;
	return max(mean, (u64)1);
}

/* The mean of squares is the square of the mean only if all are the same; with rounding */
static bool periods_vary(const struct export_job *job)
{
	double weight = job->weight;

	return job->total->blocks[job->event].weight_squares * job->samples >
	       weight * weight * 1.000000001;
}

u64 export_count_weight(const struct export_job *job)
{
	u64 period = asked_period(job);

	if (periods_vary(job) && (!period || period > mean_period(job)))
		return 1;
	return export_sample_weight(job);
}

const char *export_privilege(unsigned int mode)
{
	static const char *const names[] = {
		[PERF_RECORD_MISC_CPUMODE_UNKNOWN] = "unknown",
		[PERF_RECORD_MISC_KERNEL] = "kernel",
		[PERF_RECORD_MISC_USER] = "user",
		[PERF_RECORD_MISC_HYPERVISOR] = "hypervisor",
		[PERF_RECORD_MISC_GUEST_KERNEL] = "guest kernel",
		[PERF_RECORD_MISC_GUEST_USER] = "guest user",
	};

	return names[mode < ARRAY_SIZE(names) ? mode : 0];
}

/* The recording as a whole */

bool export_has_counts(const struct export_job *job)
{
	return job->table && perfdata_event_has_counts(session_event(job->s, job->event));
}

/* Name so many events that are left out, and count the others */
#define EVENTS_TOLD	8

void export_not_shown(const struct export_job *job, not_shown_fn *fn, void *ctx)
{
	const struct session *s = job->s;
	u64 nr = 0, samples = 0;
	char line[NOT_SHOWN_MAX];
	size_t i;

	for (i = 0; i < session_events(s); i++) {
		if (export_event_nr(job, i) < job->nr_events || !job->total->blocks[i].samples)
			continue;
		if (nr++ >= EVENTS_TOLD) {
			samples += job->total->blocks[i].samples;
			continue;
		}
		snprintf(line, sizeof(line), "%" PRIu64 " samples of %s: --event %s exports them",
			 (u64)job->total->blocks[i].samples, session_event(s, i)->name,
			 session_event(s, i)->name);
		fn(line, ctx);
	}
	if (nr > EVENTS_TOLD) {
		snprintf(line, sizeof(line), "%" PRIu64 " samples of %" PRIu64 " more events: "
			 "pcsample report has tables of all", samples, nr - EVENTS_TOLD);
		fn(line, ctx);
	}
	not_shown(s, (job->chains ? SHOWS_CHAINS : 0) | (job->table ? SHOWS_COUNTS : 0), fn, ctx);
}

static void json_line(const char *line, void *ctx)
{
	json_string(ctx, NULL, line);
}

void export_recording(struct json *j, const struct export_job *job)
{
	const struct recorded_event *e = session_event(job->s, job->event);
	static const struct {
		const char *key;
		enum perfdata_feature feature;
	} strings[] = {
		{ "hostname", PERFDATA_HOSTNAME }, { "kernel", PERFDATA_OSRELEASE },
		{ "arch", PERFDATA_ARCH }, { "cpu", PERFDATA_CPUDESC },
		{ "recorder", PERFDATA_VERSION },
	};
	const struct session *s = job->s;
	static const char *const meta[] = { "method", "jitter", "seed" };
	const char *text;
	struct recording_rate rate;
	unsigned int i;
	size_t len;
	u64 n;

	json_string(j, "file", session_path(s));
	for (i = 0; i < ARRAY_SIZE(strings); i++) {
		text = session_string(s, strings[i].feature);
		if (text)
			json_string(j, strings[i].key, text);
	}
	provenance_json(j, "header", s);
	json_string(j, "event", e->name);
	json_bool(j, "period_is_ns", recording_in_ns(e));
	json_u64(j, "samples", job->samples);
	json_u64(j, "cpus", job->total->cpus_seen);
	json_u64(j, "duration_ns", recording_duration(s, job->total));
	n = recording_wall_clock(s, job->total->first);
	if (n)
		json_u64(j, "start_unix_ns", n);
	if (recording_rate(s, job->total, job->filter, e, job->samples, &rate)) {
		json_fixed(j, "rate_hz", rate.hz, 3);
		if (rate.ran)
			json_u64(j, "ran_ns", rate.ran);
	}
	recording_json_asked(j, s, e);
	recording_json_losses(j, s, job->total);
	for (i = 0; i < ARRAY_SIZE(meta); i++) {
		text = session_meta(s, meta[i], &len);
		if (text)
			json_part(j, meta[i], text, len);
	}
	recording_json_ledger(j, s);
	recording_json_notes(j, s);
	json_array(j, "not_shown");
	export_not_shown(job, json_line, j);
	json_array_end(j);
}
