/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The event that is sampled: from its name on the command line to the values of perf_event_open.
 */
#ifndef PCSAMPLE_CAPTURE_EVENT_H
#define PCSAMPLE_CAPTURE_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/cpuset.h"
#include "base/error.h"
#include "perfdata/format.h"

#define PROFEXC_PMU	"arm_profexc"

/**
 * struct event_spec - one event
 * @name: as it is shown and written to the file, "cpu-clock:u" or "arm_pcsample//"
 * @pmu: name of the PMU in sysfs, empty for the kernel's generic events
 * @type: perf_event_attr.type
 * @config: perf_event_attr.config, config1, config2
 * @exclude_user: modifier k
 * @exclude_kernel: modifier u
 * @in_ns: the period is nanoseconds, not a count of events
 * @on_cpumask: the event is opened on the CPUs that its PMU's cpumask names, for the whole system,
 *	as those of uncore PMUs
 * @cpumask: those CPUs
 */
struct event_spec {
	char name[128];
	char pmu[64];
	u32 type;
	u64 config[3];
	bool exclude_user;
	bool exclude_kernel;
	bool in_ns;
	bool on_cpumask;
	struct cpus cpumask;
};

/** event_is_pcsample() - is it an event of our PMU? */
bool event_is_pcsample(const struct event_spec *event);

/** event_is_snapshot() - are its samples PMU snapshots? */
bool event_is_snapshot(const struct event_spec *event);

/** event_counter() - number of the event that its snapshots count, or 0; term counter of our PMU */
unsigned int event_counter(const struct event_spec *event);

/** event_is_profexc() - is it one of the observer of Profiling exceptions? */
bool event_is_profexc(const struct event_spec *event);

/**
 * event_parse() - look an event up
 * @event: result
 * @root: where sysfs is below, "" for this system
 * @text: generic name ("cpu-clock"), "rHEX", or "PMU", "PMU/EVENT/", "PMU/TERM=VALUE,.../" with
 *	names as in the PMU's events/ and format/ directories; modifiers u and k after a colon, or
 *	after the last slash
 * @err: message on failure
 *
 * Return: 0, -ENODEV if there is no such PMU, -EINVAL
 */
int event_parse(struct event_spec *event, const char *root, const char *text, struct error *err);

/**
 * event_set_term() - set a named field of the event's configuration
 * @event: event of a PMU
 * @root: where sysfs is below
 * @term: name of a file in the PMU's format/ directory
 * @value: must fit into the field
 * @err: message on failure
 *
 * Return: 0, -ENOENT if the PMU has no such field, -ERANGE, -EINVAL
 */
int event_set_term(struct event_spec *event, const char *root, const char *term, u64 value,
		   struct error *err);

/** struct event_name - a generic event */
struct event_name {
	const char *name;
	u32 type;
	u64 config;
	bool in_ns;
};

/** event_names - the kernel's generic events; ends with a NULL name */
extern const struct event_name event_names[];

#endif /* PCSAMPLE_CAPTURE_EVENT_H */
