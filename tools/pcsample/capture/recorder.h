/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records a capture in a perf.data.
 *
 *	recorder_create()	checks what is asked for; nothing is opened or written
 *	recorder_open()		events and rings, the file, side-band of what exists already
 *	recorder_start()	samples begin
 *	recorder_pump()		again and again
 *	recorder_stop()		samples end; the file is made complete
 *	recorder_destroy()
 *
 * recorder_stop() completes the file also after recorder_pump() failed.
 */
#ifndef PCSAMPLE_CAPTURE_RECORDER_H
#define PCSAMPLE_CAPTURE_RECORDER_H

#include "capture/ledger.h"
#include "capture/rings.h"

/**
 * struct recorder_config - what to record, and where to
 * @capture: what to capture
 * @output: name of the file, "-" for standard output
 * @argv: the command line, for the file
 * @tool: name and version of this program
 * @keep_files: copy files into it that are not at their path here, see capture/embed-files.h
 */
struct recorder_config {
	struct capture_config capture;
	const char *output;
	char *const *argv;
	const char *tool;
	bool keep_files;
};

/**
 * struct recorder_result - what was recorded
 * @counts: samples and side-band
 * @lost: records that the kernel dropped
 * @bytes: size of the file; of a pipe, of its records
 * @duration: from the start to the stop, ns
 * @ran: as capture_ran()
 * @has_ledger: the event was of arm_pcsample, and its ledger may be read
 * @ledgers: change of its ledger meanwhile; belongs to the recorder
 */
struct recorder_result {
	struct capture_counts counts;
	u64 lost;
	u64 bytes;
	u64 duration;
	u64 ran;
	bool has_ledger;
	const struct ledgers *ledgers;
};

struct recorder;

int recorder_create(struct recorder **ret, const struct recorder_config *config, struct error *err);

/** recorder_open() - @tasks and @nr as for capture_open() */
int recorder_open(struct recorder *r, const pid_t *tasks, unsigned int nr, struct error *err);

/** recorder_capture() - for capture_cpus() and the like */
const struct capture *recorder_capture(const struct recorder *r);

int recorder_start(struct recorder *r, struct error *err);

/** recorder_pump() - as capture_pump(); a negative errno also if the file cannot be written */
int recorder_pump(struct recorder *r, int timeout_ms, struct error *err);

/**
 * recorder_renew() - go on in a new file
 * @r: recorder, after recorder_start()
 * @output: name of the file; it has to stay valid
 * @err: message on failure
 *
 * The events stay open, so that whatever is sampled still is: processes that the first ones have
 * started, and what these will start. The old file is closed and left as it is, without its end.
 * Counts go on.
 */
int recorder_renew(struct recorder *r, const char *output, struct error *err);

/** recorder_flush() - write all records so far to the file, so that it can be read up to here */
int recorder_flush(struct recorder *r, struct error *err);

/** recorder_bytes() - size of all records so far */
u64 recorder_bytes(const struct recorder *r);

/**
 * recorder_stop() - complete the file
 * @r: recorder
 * @result: filled in also on failure
 * @err: message on failure
 *
 * Return: 0, -ENODATA if a part was left out (@err says which), else a negative errno
 */
int recorder_stop(struct recorder *r, struct recorder_result *result, struct error *err);

/**
 * recorder_notes() - problems of the recording, one line each; empty if there are none
 */
const char *recorder_notes(const struct recorder *r);

void recorder_destroy(struct recorder *r);

#endif /* PCSAMPLE_CAPTURE_RECORDER_H */
