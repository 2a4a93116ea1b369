/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Explains why a system call failed, and what to do about it. Called only after it has failed.
 */
#ifndef PCSAMPLE_CAPTURE_DIAGNOSE_H
#define PCSAMPLE_CAPTURE_DIAGNOSE_H

#include <stdbool.h>

#include "base/error.h"
#include "capture/config.h"
#include "capture/ledger.h"

/** has_capability() - does this process have a capability (CAP_*) in effect? */
bool has_capability(const char *root, unsigned int capability);

/**
 * perfmon_is_not_enough() - does this process have CAP_PERFMON where the kernel wants more?
 * @root: where /proc is below
 * @paranoid: value of kernel.perf_event_paranoid
 */
bool perfmon_is_not_enough(const char *root, const char *paranoid);

/**
 * explain_open() - perf_event_open or the mmap of a ring failed
 * @config: what was asked for
 * @of_cpus: the event is of CPUs, not of a task
 * @code: negative errno
 * @err: receives the explanation
 *
 * Return: @code
 */
int explain_open(const struct capture_config *config, bool of_cpus, int code, struct error *err);

/**
 * explain_no_pmu() - there is no arm_pcsample PMU
 * @root: where sysfs is below
 * @err: receives the explanation: no hardware that the kernel knows of, or no driver
 *
 * Return: -ENODEV
 */
int explain_no_pmu(const char *root, struct error *err);

/**
 * explain_no_samples() - the capture ran and gave no sample
 * @event: what was sampled
 * @discarded: samples of processes that were not asked for
 * @ledger: change of the ledger's total meanwhile; NULL for other events than arm_pcsample, and
 *	if it may not be read
 * @err: receives the explanation
 */
void explain_no_samples(const struct event_spec *event, u64 discarded,
			const struct ledger *ledger, struct error *err);

#endif /* PCSAMPLE_CAPTURE_DIAGNOSE_H */
