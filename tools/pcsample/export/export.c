// SPDX-License-Identifier: GPL-2.0-only
#include "export/export.h"
#include "lib/recording.h"

/* Formats */

/* A row of counts for these, in formats that are made of counts */
#define BY_ROW		(BY_COMM | BY_PID | BY_TID | BY_CPU | BY_DSO | BY_EL | BY_STATE | \
			 BY_VMID | BY_METHOD | BY_CGROUP | BY_EVENT)

static const struct export_format formats[] = {
	{ "folded", ".folded", export_folded, BY_EVENT, false, true },
	{ "pprof", ".pb.gz",
#if HAVE_PROTOBUF_C
	  export_pprof,
#else
	  NULL,
#endif
	  BY_ROW | BY_ADDR | BY_IDLE, true, true },
	{ "speedscope", ".speedscope.json", export_speedscope, BY_EVENT, false, true },
	{ "firefox", ".firefox.json", export_firefox, BY_EVENT, false, true },
	{ "html", ".html", export_html, BY_EVENT | BY_EL | BY_STATE | BY_VMID, false,
	  true },
	{ "csv", ".csv", export_csv, BY_ROW | BY_SYM, false, false },
	/* others end so too */
	{ "json", ".json", export_json, BY_ROW | BY_SYM, false, false },
};

const struct export_format *export_format_named(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(name, formats[i].name))
			return &formats[i];
	return NULL;
}

const struct export_format *export_format_of_file(const char *path)
{
	size_t len = strlen(path), n, i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		n = strlen(formats[i].suffix);
		if (len > n && !strcmp(path + len - n, formats[i].suffix))
			return &formats[i];
	}
	return NULL;
}

/* Words and numbers that several formats have */

u64 export_period(const struct export_job *job)
{
	const struct recorded_event *e = &job->s->pd->events[job->event];
	double rate = recording_asked_rate(job->s, e);
	const struct aggregate *a = job->total;
	u64 ns = 0;

	if (rate > 0)
		ns = 1e9 / rate + 0.5;
	else if (job->samples)
		ns = recording_duration(job->s, a) * max(a->cpus_seen, 1U) / job->samples;
	return max(ns, (u64)1);
}

u64 export_sample_weight(const struct export_job *job)
{
	const struct recorded_event *e = &job->s->pd->events[job->event];
	u64 mean = job->samples ? job->weight / job->samples : 0, period = mean;

	if (recording_in_ns(e) && recording_asked_rate(job->s, e) > 0)
		period = export_period(job);
	else if (!recording_in_ns(e) && !e->attr.freq && e->attr.sample_period)
		period = e->attr.sample_period;
	period = min(period, mean);
	return max(period, (u64)1);
}

const char *export_privilege(unsigned int mode)
{
	switch (mode) {
	case PERF_RECORD_MISC_KERNEL:
		return "kernel";
	case PERF_RECORD_MISC_USER:
		return "user";
	case PERF_RECORD_MISC_HYPERVISOR:
		return "hypervisor";
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return "guest kernel";
	case PERF_RECORD_MISC_GUEST_USER:
		return "guest user";
	}
	return "unknown";
}

const char *export_build_id(const struct build_id *id, char *buf)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int i;

	for (i = 0; i < id->size; i++) {
		buf[2 * i] = digits[id->bytes[i] >> 4];
		buf[2 * i + 1] = digits[id->bytes[i] & 0xf];
	}
	buf[2 * i] = '\0';
	return buf;
}

/* What is known of the recording as a whole */

void export_recording(struct json *j, const struct export_job *job)
{
	const struct recorded_event *e = &job->s->pd->events[job->event];
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

	json_string(j, "file", s->pd->path);
	for (i = 0; i < ARRAY_SIZE(strings); i++) {
		text = perfdata_string(s->pd, strings[i].feature);
		if (text)
			json_string(j, strings[i].key, text);
	}
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
		text = perfdata_meta(s->pd, meta[i], &len);
		if (text)
			json_part(j, meta[i], text, len);
	}
	recording_json_ledger(j, s);
	recording_json_notes(j, s);
}
