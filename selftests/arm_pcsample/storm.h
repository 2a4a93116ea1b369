/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interface between the operations of storm and its watchdog.
 *
 * A worker is a thread or process that does one operation after the other. Its n-th operation, with
 * all its random numbers, only depends on the seed, the worker and n. So a seed gives the same
 * schedule again, whatever the duration and the result of operations.
 */
#ifndef STORM_H
#define STORM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define STORM_MAX_WORKERS 16
#define STORM_MAX_OPERATIONS 12

/**
 * struct storm_flight - what one worker is doing; the watchdog reads it
 * @worker: its name
 * @what: the operation
 * @since: when it began, ns; 0 if there is none
 * @tid: its thread
 */
struct storm_flight {
	char worker[16];
	char what[104];
	volatile uint64_t since;
	volatile pid_t tid;
};

/**
 * struct storm_tally - of one kind of operation
 * @begun: how often it was drawn
 * @done: how often it did what it is for
 */
struct storm_tally {
	atomic_ullong begun;
	atomic_ullong done;
};

/**
 * struct storm - in memory that all processes of a storm share
 * @seed: of all random numbers
 * @patience: how long an operation may take before it counts as hung, ns
 * @stop: no operation may begin any more
 * @evict: the module is about to be unloaded: close all events
 * @operations: number of operations begun
 * @complaints: number of errors found
 * @first_complaint: its text
 * @samples: number of samples in the recorders
 * @moves_begun: by CPU, how often taking it off or on was begun
 * @moves_ended: by CPU, how often that was finished
 * @fail_lock: by CPU; guards what makes it fail to go off or on
 * @flight: by worker
 * @tally: by kind of worker, of its operations
 */
struct storm {
	uint64_t seed;
	uint64_t patience;
	atomic_bool stop;
	atomic_bool evict;
	atomic_ullong operations;
	atomic_ullong complaints;
	char first_complaint[160];
	atomic_ullong samples;
	atomic_ullong moves_begun[PCS_MAX_CPUS];
	atomic_ullong moves_ended[PCS_MAX_CPUS];
	pthread_mutex_t fail_lock[PCS_MAX_CPUS];
	struct storm_flight flight[STORM_MAX_WORKERS];
	struct storm_tally tally[STORM_MAX_WORKERS][STORM_MAX_OPERATIONS];
};

extern struct storm *storm;

/* One step of a worker, the source of its random numbers */
struct storm_step {
	uint64_t random;
	struct storm_flight *flight;
};

/* A random number from 0 to @n - 1 */
uint64_t storm_draw(struct storm_step *step, uint64_t n);
/* Announce the current operation, and count it */
void storm_begin(struct storm_step *step, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Report an error, in one line */
void storm_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * struct storm_operation - one kind of operation
 * @name: what it is called where it is left out
 * @weight: its share among the operations of its worker
 * @missing: returns why this machine cannot do it, or NULL; if absent, every machine can
 * @run: do it; returns whether that was possible at this moment
 * @must: a storm that tried it often, and in which it never was, has failed
 */
struct storm_operation {
	const char *name;
	unsigned int weight;
	const char *(*missing)(void);
	bool (*run)(struct storm_step *step);
	bool must;
};

/**
 * struct storm_worker - a kind of worker
 * @name: its name
 * @count: number of workers
 * @threads: the workers are threads of one process, and share its events; else they are processes
 * @operations: what they do, ended by one without a name
 * @end: called at the end, in each of its processes
 */
struct storm_worker {
	const char *name;
	unsigned int count;
	bool threads;
	const struct storm_operation *operations;
	void (*end)(void);
};

extern const struct storm_worker storm_workers[];

/* storm_ops.c: find out what this machine has; ends the program if that is not enough */
void storm_look_around(void);
/* Start tasks that sleep and wake on each CPU; they end with their parent */
void storm_start_sleepers(void);
/* Each returns whether everything is right after the storm, and complains otherwise. */
bool storm_cpus_come_online(struct storm_step *step);
bool storm_ledger_adds_up(struct storm_step *step);
bool storm_module_reloads(struct storm_step *step);
bool storm_cpus_are_sampled(struct storm_step *step);

#endif /* STORM_H */
