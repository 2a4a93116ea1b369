/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The input of all formats, the formats, and helpers that several of them use.
 */
#ifndef PCSAMPLE_EXPORT_JOB_H
#define PCSAMPLE_EXPORT_JOB_H

#include "base/json.h"
#include "profile/not-shown.h"
#include "profile/stacks.h"

/**
 * struct export_job - what to export
 * @event: index of the event whose samples are exported
 * @events: of formats that hold several events, all @nr_events of them, @event first; else it alone
 * @filter: NULL for all samples
 * @demangle: names as the source has them
 * @inlined: functions that were inlined, too
 * @chains: callers, too; the samples have some
 * @table: the format is one of rows with columns
 * @samples, @weight: of @event
 * @total: counts of all samples that pass; told apart by BY_COMM | BY_DSO | BY_SYM | BY_EVENT at
 *	least, so that rows can be made of them
 */
struct export_job {
	struct session *s;
	u32 event;
	const u32 *events;
	size_t nr_events;
	const struct aggregate_filter *filter;
	bool demangle, inlined, chains, table;
	u64 samples, weight;
	const struct aggregate *total;
};

/* The job for another event alone, in a format that has one behind the other */
struct export_job export_of_event(const struct export_job *job, u32 event);

/**
 * typedef export_fn - write a recording in a format
 * @o: where to; a failure to write stays in @o->error
 *
 * Return: 0, or a negative errno with a message.
 */
typedef int export_fn(const struct export_job *job, struct out *o, struct error *err);

/*
 * process;object;function;inlined functions, or callers in place of the object, and the samples:
 * what flamegraph.pl takes
 */
export_fn export_folded;

/* A row for each process, thread, CPU, privilege, object and function */
export_fn export_csv;
export_fn export_json;

/* Rows for a database in which many machines' profiles are, as text, compressed by gzip */
export_fn export_rows;

/* The file format of speedscope 0.0.1 and later: a time line for each CPU */
export_fn export_speedscope;

/* The Firefox profiler's "processed profile", version 60 */
export_fn export_firefox;

/* A page that needs nothing but a browser */
export_fn export_html;

#if HAVE_PROTOBUF_C
/* profile.proto of pprof, compressed by gzip */
export_fn export_pprof;
#endif

/* The place of an event in @job->events; @job->nr_events if it is not exported */
size_t export_event_nr(const struct export_job *job, u32 event);

/* Samples of all events that are exported */
u64 export_samples(const struct export_job *job);

/* Nanoseconds between two samples of a CPU, as asked for or else as found; at least 1 */
u64 export_period(const struct export_job *job);

/*
 * The weight of one sample, in the unit of the event, where formats want counts: a sample that
 * stands for three times the period, as the two reads before it were missed, counts three times.
 * At least 1.
 */
u64 export_sample_weight(const struct export_job *job);

/* Do rows have sums of what PMU snapshots counted? */
bool export_has_counts(const struct export_job *job);

/* not_shown() of an export: samples of other events, too */
void export_not_shown(const struct export_job *job, not_shown_fn *fn, void *ctx);

/* Members of the innermost object of @j: host, event, rate, losses, ledger, notes */
void export_recording(struct json *j, const struct export_job *job);

/* "user", "kernel", "hypervisor", "guest kernel", "guest user", "unknown" */
const char *export_privilege(unsigned int mode);

#endif /* PCSAMPLE_EXPORT_JOB_H */
