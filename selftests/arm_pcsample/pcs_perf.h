/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers of the tests of arm_pcsample: open events, read samples and the ledger.
 *
 * If a function fails for a reason outside the test, it ends the program with a message. Functions
 * whose failure a test may expect return -errno.
 */
#ifndef PCS_PERF_H
#define PCS_PERF_H

#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/arm_pcsample.h>

#define PCS_SYSFS "/sys/bus/event_source/devices/arm_pcsample/"
#define PCS_MAX_CPUS 64

/* config */
#define PCS_SNAPSHOT (1ULL << 10)
#define PCS_BATCH (1ULL << 11)

/* One PERF_RECORD_SAMPLE. Pointers point into the record, and are valid as long as it is. */
struct pcs_sample {
	uint16_t misc;
	uint64_t ip;
	int32_t pid, tid;
	uint64_t time, addr, id, stream_id;
	uint32_t cpu;
	uint64_t period;
	uint64_t count;			/* PERF_SAMPLE_READ without groups */
	uint64_t nr_chain;
	const uint64_t *chain;
	uint32_t raw_size;		/* as perf says: padding included */
	struct arm_pcsample_record raw;
	const void *raw_data;		/* all of it, with what follows the record */
	uint64_t user_abi, stack_size, intr_abi;
	uint64_t cgroup;
	uint64_t code_page_size;
};

/**
 * struct pcs_event - an open event with its ring buffer
 * @on: before and after pcs_enable() switched it on, ns of pcs_now()
 * @off: before and after pcs_disable() switched it off
 * @lost: number of lost records, by PERF_RECORD_LOST
 * @throttled: number of PERF_RECORD_THROTTLE
 */
struct pcs_event {
	struct perf_event_attr attr;
	int cpu;
	int fd;
	void *ring;
	size_t ring_size;
	uint64_t on[2], off[2];
	uint64_t lost, throttled;
};

typedef void (*pcs_each_fn)(const struct pcs_sample *sample, void *arg);

/* One file of the ledger */
struct pcs_account {
	uint64_t planned, sample, filtered, idle, prohibited, debug, no_branch, error, late,
		 preempted, buffer_full;
};

/* false, with a reason in pcs_why_not, if this machine has no PMU arm_pcsample */
bool pcs_available(void);
extern char pcs_why_not[128];
/* Is the driver part of the kernel's tree? Then perf processes its samples as those of any PMU. */
bool pcs_in_tree(void);

/* Read a file of PCS_SYSFS without the newline; returns its length, or -errno */
int pcs_read_file(const char *name, char *buf, size_t size);
int pcs_write_file(const char *name, const char *text);
/* Write any file; 0 or -errno */
int pcs_write_path(const char *path, const char *text);
uint64_t pcs_read_number(const char *path);

void pcs_read_cpulist(const char *name, cpu_set_t *set);
/* A list of /sys/devices/system/cpu; empty if the file is not there, or has none */
void pcs_read_system_cpus(const char *name, cpu_set_t *set);
/* By isolcpus= or nohz_full=: it reads only if it is told to */
bool pcs_is_isolated(int cpu);
int pcs_first_cpu(const cpu_set_t *set);
/* -1 if the set is empty */
int pcs_last_cpu(const cpu_set_t *set);
/* The CPUs that are read: no CPU reads itself, and where others are isolated one reads all. */
void pcs_read_targets(cpu_set_t *targets);
int pcs_first_target(void);
/* Take a CPU offline or online; 0 or -errno */
int pcs_set_online(int cpu, bool online);

/* The reader that reads a target: its events count time of the target */
int pcs_reader_of(int target);

/* The account of a target, or that of all targets if @cpu is -1 */
void pcs_read_account(int cpu, struct pcs_account *account);
/* @after less @before */
struct pcs_account pcs_account_since(const struct pcs_account *before,
				     const struct pcs_account *after);
/* Planned reads minus all outcomes: must be 0 */
int64_t pcs_account_gap(const struct pcs_account *account);

/* An attr for the PMU, with IP | TID | TIME | CPU | PERIOD | RAW, disabled, without guests */
void pcs_attr_init(struct perf_event_attr *attr, uint64_t period);
/*
 * Must there be snapshots? The device tree says that firmware lets this kernel take some, and there
 * is no EL2 below it, which could forbid them.
 */
bool pcs_must_have_snapshots(void);
/*
 * An attr for PMU snapshots of one CPU. Opens an event to find out whether there are any: returns
 * 0, -ENODEV if @target's block has none, or -EOPNOTSUPP if they cannot be taken here
 */
int pcs_attr_init_snapshots(struct perf_event_attr *attr, uint64_t period, int target, int reader);
/* Returns the file descriptor or -errno */
int pcs_try_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags);
/* Open an event of @cpu, and close it again: 0 or -errno */
int pcs_try(struct perf_event_attr *attr, int cpu);
/*
 * The same of a software event that stays in our context, as an event of ours was in its group
 */
int pcs_open_former_leader(struct perf_event_attr *attr, int cpu);

/*
 * Open a disabled event on one reader, with a ring buffer of 2^@order pages. Returns 0 or -errno.
 */
int pcs_try_record(const struct perf_event_attr *attr, int cpu, unsigned int order,
		   struct pcs_event **result);
/* The same, but ends the program on failure */
struct pcs_event *pcs_open(const struct perf_event_attr *attr, int cpu, unsigned int order);
void pcs_close(struct pcs_event *event);
void pcs_enable(struct pcs_event *event);
void pcs_disable(struct pcs_event *event);
uint64_t pcs_count(struct pcs_event *event);
/*
 * Lower and upper bound of the time that an event was on, ns; it must be off now. They only differ
 * if the host took the CPU away while the event was switched.
 */
uint64_t pcs_shortest_time(const struct pcs_event *event);
uint64_t pcs_longest_time(const struct pcs_event *event);

/* The next sample in the buffer, or false if there is none. Skips other records. */
bool pcs_next(struct pcs_event *event, struct pcs_sample *sample);

/*
 * The number of members of a sample with batch; 0 if it has none. Ends the program if the raw data
 * has another layout than the record, the batch and its members.
 */
unsigned int pcs_nr_members(const struct pcs_sample *sample);
/* One of them, as the sample that it would be without batch. @member->time is when it was read. */
void pcs_get_member(const struct pcs_sample *sample, unsigned int i, struct pcs_sample *member);
/* Pass each of them to @each; returns how many. */
unsigned int pcs_each_member(const struct pcs_sample *sample, pcs_each_fn each, void *arg);

/* Is a sample a PMU snapshot? */
static inline bool pcs_is_snapshot(const struct pcs_sample *sample)
{
	return sample->raw.source == ARM_PCSAMPLE_SOURCE_SNAPSHOT ||
	       sample->raw.source == ARM_PCSAMPLE_SOURCE_IMPDEF;
}

/*
 * Enable the readers' events for @ns, and pass each sample to @each. If a busy host does not run an
 * emulated reader enough, continue until half of the reads of one target in @ns have been made.
 */
void pcs_collect(struct pcs_event **events, int nr, uint64_t ns, pcs_each_fn each, void *arg);
/* The same for exactly @ns, however few reads there are */
void pcs_collect_for(struct pcs_event **events, int nr, uint64_t ns, pcs_each_fn each, void *arg);
/* Open an event on each reader; returns how many */
int pcs_open_all(const struct perf_event_attr *attr, struct pcs_event **events);

void pcs_pin(pid_t tid, int cpu);
uint64_t pcs_now(void);			/* CLOCK_MONOTONIC, ns */
void pcs_sleep(uint64_t ns);

#endif /* PCS_PERF_H */
