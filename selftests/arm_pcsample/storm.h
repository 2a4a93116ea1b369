/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the operations of storm and its watchdog share.
 *
 * A worker is a thread or process that does one operation after the other. What its n-th one is,
 * with all that is drawn for it, follows from the seed, the worker and n alone, so that a seed
 * gives the same schedule again, however long the operations take and whatever becomes of them.
 */
#ifndef STORM_H
#define STORM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define STORM_MAX_WORKERS 16

/**
 * struct storm_flight - what one worker is doing; the watchdog reads it
 * @worker: its name
 * @what: the operation
 * @since: when it began, ns; 0 when there is none
 * @tid: the thread
 */
struct storm_flight {
	char worker[16];
	char what[104];
	volatile uint64_t since;
	volatile pid_t tid;
};

/**
 * struct storm - in memory that all processes of a storm share
 * @seed: of everything drawn
 * @patience: after how long an operation counts as hung, ns
 * @stop: no operation is to begin any more
 * @evict: the module is about to be unloaded: nobody keeps an event open
 * @operations: how many were begun
 * @complaints: what was not as it must be
 * @first_complaint: its text
 * @unloads: how often the module was unloaded and loaded
 * @samples: what the recorders saw
 * @moves_begun: by CPU, how often somebody has begun to take it off or on
 * @moves_ended: by CPU, how often that was over
 * @fail_lock: by CPU, of what makes it fail to go or to come
 * @flight: by worker
 */
struct storm {
	uint64_t seed;
	uint64_t patience;
	atomic_bool stop;
	atomic_bool evict;
	atomic_ullong operations;
	atomic_ullong complaints;
	char first_complaint[160];
	atomic_ullong unloads;
	atomic_ullong samples;
	atomic_ullong moves_begun[PCS_MAX_CPUS];
	atomic_ullong moves_ended[PCS_MAX_CPUS];
	pthread_mutex_t fail_lock[PCS_MAX_CPUS];
	struct storm_flight flight[STORM_MAX_WORKERS];
};

extern struct storm *storm;

/* A step of a worker, from which it draws what it does */
struct storm_step {
	uint64_t random;
	struct storm_flight *flight;
};

/* 0 to @n - 1 */
uint64_t storm_draw(struct storm_step *step, uint64_t n);
/* Say what is being done from now on, and count it */
void storm_begin(struct storm_step *step, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Something is not as it must be: one line */
void storm_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * struct storm_operation - one kind of operation
 * @name: what it is called where it is left out
 * @weight: its share among those of its worker
 * @missing: returns why this machine cannot do it, or NULL; absent: it always can
 * @run: do it
 */
struct storm_operation {
	const char *name;
	unsigned int weight;
	const char *(*missing)(void);
	void (*run)(struct storm_step *step);
};

/**
 * struct storm_worker - a kind of worker
 * @name: of it
 * @count: how many of them there are
 * @threads: these are threads of one process, and share its events; else processes
 * @operations: what it does, ended by one without a name
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

/* storm_ops.c: finds out what there is here; ends the program if that is not enough */
void storm_look_around(void);
/* Tasks that sleep and wake on each CPU; they end with their parent */
void storm_start_sleepers(void);
/* Each returns whether all is as it must be after the storm; what is not it has complained of. */
bool storm_cpus_come_online(struct storm_step *step);
bool storm_ledger_adds_up(struct storm_step *step);
bool storm_module_reloads(struct storm_step *step);
bool storm_cpus_are_sampled(struct storm_step *step);

#endif /* STORM_H */
