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
 * @events: all @nr_events events to be written, @event first; more than one only in formats that
 *	can have several
 * @filter: NULL for all samples
 * @demangle: names as the source has them
 * @inlined: show inlined functions, too
 * @chains: show callers, too: the samples have call chains
 * @table: the format is a table of rows
 * @samples, @weight: of @event
 * @total: counts of all samples that pass @filter, told apart by what export_format.by says
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

/* The job for one of the events, for formats that write one event after the other */
struct export_job export_of_event(const struct export_job *job, u32 event);

/**
 * typedef export_fn - write a recording in a format
 * @o: where to write; a failure to write stays in @o->error
 *
 * Return: 0, or a negative errno with a message.
 */
typedef int export_fn(const struct export_job *job, struct out *o, struct error *err);

/*
 * For flamegraph.pl: process;object;function;inlined functions, and the number of samples; with
 * chains, callers instead of the object
 */
export_fn export_folded;

/* A row for each process, thread, CPU, privilege, object and function */
export_fn export_csv;
export_fn export_json;

/* Rows for a database with the profiles of many machines: text, compressed by gzip */
export_fn export_rows;

/* The file format of speedscope 0.0.1 and later: a time line for each CPU */
export_fn export_speedscope;

/* The Firefox profiler's "processed profile", version 60 */
export_fn export_firefox;

/* A page that needs only a browser */
export_fn export_html;

#if HAVE_PROTOBUF_C
/* profile.proto of pprof, compressed by gzip */
export_fn export_pprof;
#endif

/* The place of an event in @job->events; @job->nr_events if it is not exported */
size_t export_event_nr(const struct export_job *job, u32 event);

/* Samples of all events that are exported */
u64 export_samples(const struct export_job *job);

/* Nanoseconds between two samples of a CPU, as asked for, else as measured; at least 1 */
u64 export_period(const struct export_job *job);

/*
 * The weight that counts as one sample, in the unit of the event, for formats that contain counts
 * of samples. A sample that stands for three periods, as two reads before it were missed, counts
 * three times. At least 1.
 */
u64 export_sample_weight(const struct export_job *job);

/*
 * The same for formats with whole numbers. Of periods that vary without limit, as of -F, the mean
 * will not do: stacks of less than half of it would count as one sample each, which for many of
 * them is more than all others. Then it is 1: the numbers are the weights.
 */
u64 export_count_weight(const struct export_job *job);

/* Do rows of the format have sums of what PMU snapshots counted? */
bool export_has_counts(const struct export_job *job);

/* not_shown() for an export, with the events that it leaves out */
void export_not_shown(const struct export_job *job, not_shown_fn *fn, void *ctx);

/* Add to the innermost object of @j: host, event, rate, losses, ledger, notes */
void export_recording(struct json *j, const struct export_job *job);

/* "user", "kernel", "hypervisor", "guest kernel", "guest user", "unknown" */
const char *export_privilege(unsigned int mode);

#endif /* PCSAMPLE_EXPORT_JOB_H */
