/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A running capture: the events opened on libperf, their rings, and the records that come out.
 *
 * Two events, each with rings of its own. The sampled event writes samples; the side-band event
 * (the kernel's "dummy") says what tasks, maps and kernel symbols come and go on every CPU. With
 * separate rings a flood of samples cannot push side-band out.
 *
 *	capture_create()		what is to be sampled, and where
 *	capture_open()			perf_event_open, rings; side-band runs from here on
 *	capture_enable()		samples begin
 *	capture_pump()			again and again: records go to the sink
 *	capture_disable(), capture_drain()
 *	capture_destroy()
 *
 * Order: in every round the heads of the sample rings are read first, then the side-band rings are
 * emptied, then the samples up to those heads are delivered. So a sink sees the fork, exec or mmap
 * that a sample depends on before the sample. Side-band records are delivered in the order of their
 * times, whatever rings they come from: what a process does comes behind the fork that made it.
 * PERFDATA_RECORD_FINISHED_ROUND ends a round as often as order.h allows.
 *
 * Where arm_pcsample can put several samples into one record, the event is opened like that. A sink
 * gets a record for each sample (batch.h). Such a sample is older than the record that it came in,
 * so all that it depends on is still delivered before it.
 */
#ifndef PCSAMPLE_CAPTURE_RINGS_H
#define PCSAMPLE_CAPTURE_RINGS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/cpuset.h"
#include "base/error.h"
#include "capture/config.h"
#include "perfdata/writer.h"

/**
 * typedef capture_sink - receives a record of a ring
 * @arg: as given to capture_pump()
 * @record: valid during the call, 8-byte aligned
 * @err: message on failure
 *
 * Return: 0, or a negative errno that ends the pump
 */
typedef int (*capture_sink)(void *arg, const struct perf_event_header *record, struct error *err);

/**
 * struct capture_counts - what was delivered so far
 * @samples: PERF_RECORD_SAMPLE that were delivered
 * @discarded: samples of processes that are not asked for, where the event samples CPUs
 * @side_band: other records of the kernel
 * @first: time of the first sample, ns of the capture's clock
 * @last: time of the last sample
 */
struct capture_counts {
	u64 samples;
	u64 discarded;
	u64 side_band;
	u64 first;
	u64 last;
};

struct capture;

/**
 * capture_create() - check a configuration and work out where the event has to be opened
 * @ret: the capture
 * @config: copied
 * @err: message on failure
 *
 * Return: 0, -EINVAL, -ENODEV if no CPU of @config can be sampled, -ENOMEM
 */
int capture_create(struct capture **ret, const struct capture_config *config, struct error *err);

/**
 * capture_open() - open the events and map the rings
 * @capture: capture
 * @tasks: the processes to sample, if not system-wide; later children of theirs belong to them
 * @nr: how many
 * @err: message on failure, with what to do about it
 *
 * A process that is about to exec is sampled from there on.
 */
int capture_open(struct capture *capture, const pid_t *tasks, unsigned int nr, struct error *err);

/** capture_events() - the events as a perf.data describes them: [0] sampled, [1] side-band */
const struct perfdata_event *capture_events(const struct capture *capture);
#define CAPTURE_NR_EVENTS 2

/** capture_trailer() - bytes of sample_id behind side-band records */
size_t capture_trailer(const struct capture *capture);

/** capture_cpus() - CPUs the event is opened on: the readers of arm_pcsample */
const struct cpus *capture_cpus(const struct capture *capture);

/** capture_targets() - CPUs that are sampled */
const struct cpus *capture_targets(const struct capture *capture);

/** capture_unread() - why a CPU that should be sampled is not; empty if there is none */
const char *capture_unread(const struct capture *capture);

/** capture_counts() - what was delivered so far */
const struct capture_counts *capture_counts(const struct capture *capture);

/**
 * capture_ran() - ns of CPU time that the tasks had while the event was enabled, all CPUs together
 *
 * Return: 0 if the event samples CPUs, or on a kernel that does not tell.
 */
u64 capture_ran(const struct capture *capture);

/** capture_lost() - records that the kernel dropped so far for want of room in a ring */
u64 capture_lost(const struct capture *capture);

/** capture_ring_bytes() - size of one sample ring */
size_t capture_ring_bytes(const struct capture *capture);

int capture_enable(struct capture *capture, struct error *err);
void capture_disable(struct capture *capture);

/**
 * capture_pump() - wait for records and deliver them
 * @capture: capture
 * @timeout_ms: the longest wait; a signal ends it early
 * @sink: receives the records
 * @arg: for @sink
 * @err: message on failure
 *
 * Return: number of records delivered, or the negative errno of @sink
 */
int capture_pump(struct capture *capture, int timeout_ms, capture_sink sink, void *arg,
		 struct error *err);

/** capture_drain() - deliver what is in the rings, without waiting */
int capture_drain(struct capture *capture, capture_sink sink, void *arg, struct error *err);

/** capture_tell_lost() - deliver a PERF_RECORD_LOST_SAMPLES for each event that lost some */
int capture_tell_lost(struct capture *capture, capture_sink sink, void *arg, struct error *err);

/**
 * capture_destroy() - close everything
 * @capture: may be NULL
 *
 * Waits for no CPU of @stay_off: if there are any, a child is left that may.
 */
void capture_destroy(struct capture *capture);

/* Address and process of a sample */
u64 sample_ip(const struct perf_event_header *record);
u32 sample_pid(const struct perf_event_header *record);

#endif /* PCSAMPLE_CAPTURE_RINGS_H */
