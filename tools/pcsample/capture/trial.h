/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A short sampling to find out whether samples are of what runs.
 */
#ifndef PCSAMPLE_CAPTURE_TRIAL_H
#define PCSAMPLE_CAPTURE_TRIAL_H

#include "base/cpuset.h"
#include "base/error.h"

/**
 * struct trial - the result
 * @stuck: CPUs that answer nothing: they are left alone, and cannot read others
 * @silent: CPUs that gave too few samples, or had too little time accounted, to decide
 * @frozen: CPUs whose samples cannot be of what ran: their registers are frozen
 * @text: one line that says why, for the first of these
 */
struct trial {
	struct cpus stuck;
	struct cpus silent;
	struct cpus frozen;
	char text[256];
};

/**
 * trial_run() - sample all CPUs while they are left alone, and again while they are busy
 * @trial: result
 * @busy: CPUs to keep busy for the second half, at the lowest priority; not those that are stuck
 * @err: message on failure
 *
 * Takes about 3 seconds, and if no CPU is stuck up to 20, where readers are late or CPUs get little
 * time. A block that froze while its CPU idled is found in the second half. One that froze while
 * its CPU ran a task is found in the first half, if the task still lives and the CPU idles for half
 * of that time.
 *
 * Return: 0, or a negative errno
 */
int trial_run(struct trial *trial, const struct cpus *busy, struct error *err);

#endif /* PCSAMPLE_CAPTURE_TRIAL_H */
