/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command of `record -- COMMAND`: forked first, executed when the capture is ready.
 */
#ifndef PCSAMPLE_CAPTURE_WORKLOAD_H
#define PCSAMPLE_CAPTURE_WORKLOAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/**
 * struct workload - a child process
 * @pid: of the child, 0 if there is none
 * @go: a pipe: a byte written to it lets the child exec
 * @failed: a pipe: gives the errno of a failed exec, or end of file
 * @ended: the child was waited for
 * @status: as of waitpid(2), valid once @ended
 */
struct workload {
	pid_t pid;
	int go;
	int failed;
	bool ended;
	int status;
};

/**
 * workload_prepare() - fork the child, which waits before it execs
 * @w: result
 * @argv: command, NULL-terminated
 * @err: message on failure
 *
 * The child has the signal mask and the ignored signals that this process has now, as nohup and the
 * like set them: the caller changes its own afterwards. It must ignore SIGPIPE for the calls below.
 */
int workload_prepare(struct workload *w, char *const *argv, struct error *err);

/** workload_start() - let it exec; 0, or the negative errno of execvp(3) */
int workload_start(struct workload *w, const char *name, struct error *err);

/** workload_started() - was it let exec? */
bool workload_started(const struct workload *w);

/** workload_ended() - is it gone? Does not wait. */
bool workload_ended(struct workload *w);

/**
 * workload_stop() - end it, unless it has ended by itself
 * @w: child; waits for it
 *
 * A child that never was started is killed; any other gets SIGTERM.
 */
void workload_stop(struct workload *w);

/** workload_exit_status() - as a shell tells it: 128 + signal for a killed child */
int workload_exit_status(const struct workload *w);

#endif /* PCSAMPLE_CAPTURE_WORKLOAD_H */
