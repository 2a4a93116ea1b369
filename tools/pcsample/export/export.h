/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings in the formats of other tools, one file each.
 */
#ifndef PCSAMPLE_EXPORT_H
#define PCSAMPLE_EXPORT_H

#include "lib/json.h"
#include "lib/stacks.h"

/**
 * struct export_job - what to export
 * @event: index of the event whose samples are exported
 * @filter: NULL for all samples
 * @demangle: names as the source has them
 * @inlined: functions that were inlined, too
 * @chains: callers, too; the samples have some
 * @samples, @weight: of the event
 * @total: counts of all samples that pass; told apart by BY_COMM | BY_DSO | BY_SYM | BY_EVENT at
 *	least, so that rows can be made of them
 */
struct export_job {
	struct session *s;
	u32 event;
	const struct aggregate_filter *filter;
	bool demangle, inlined, chains;
	u64 samples, weight;
	const struct aggregate *total;
};

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

/**
 * struct export_format - what can be written
 * @suffix: of the files that have it
 * @write: NULL if it was not built in
 * @by: what its counts are told apart by, BY_*
 * @binary: nothing for a terminal
 * @stacks: it has them, so that callers can be in it
 */
struct export_format {
	const char *name, *suffix;
	export_fn *write;
	unsigned int by;
	bool binary, stacks;
};

/* NULL if there is none */
const struct export_format *export_format_named(const char *name);
const struct export_format *export_format_of_file(const char *path);

/* Nanoseconds between two samples of a CPU, as asked for or else as found; at least 1 */
u64 export_period(const struct export_job *job);

/*
 * The weight of one sample, in the unit of the event, where formats want counts: a sample that
 * stands for three times the period, as the two reads before it were missed, counts three times.
 * At least 1.
 */
u64 export_sample_weight(const struct export_job *job);

/* Members of the innermost object of @j: host, event, rate, losses, ledger, notes */
void export_recording(struct json *j, const struct export_job *job);

/* "user", "kernel", "hypervisor", "guest kernel", "guest user", "unknown" */
const char *export_privilege(unsigned int mode);

/* Lowercase hexadecimal; @buf has 2 * BUILD_ID_MAX + 1 bytes. Empty if there is none */
const char *export_build_id(const struct build_id *id, char *buf);

#endif /* PCSAMPLE_EXPORT_H */
