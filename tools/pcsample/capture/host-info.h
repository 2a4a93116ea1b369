/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The features of a perf.data that describe the machine.
 */
#ifndef PCSAMPLE_CAPTURE_HOST_INFO_H
#define PCSAMPLE_CAPTURE_HOST_INFO_H

#include <stdbool.h>
#include <time.h>

#include "base/error.h"
#include "perfdata/writer.h"

/**
 * host_write_features() - write hostname, kernel, CPUs, memory, PMUs and the command line
 * @w: writer, whose events are written already
 * @root: where /proc and /sys are below
 * @argv: the command line, NULL-terminated
 * @err: message on failure
 *
 * What cannot be found out is left out.
 */
int host_write_features(struct perfdata_writer *w, const char *root, char *const *argv,
			struct error *err);

/** host_write_clock() - write the clock of the records, and the time of day at one of its times */
int host_write_clock(struct perfdata_writer *w, clockid_t clock, struct error *err);

/**
 * host_write_kallsyms() - write the present symbols of the kernel and its modules
 * @w: writer
 * @root: where /proc is below
 * @err: message on failure
 *
 * Return: 0, -EACCES if this user does not see addresses, or another negative errno
 */
int host_write_kallsyms(struct perfdata_writer *w, const char *root, struct error *err);

/** host_shows_addresses() - has this text of kallsyms addresses? Some users see only zeros */
bool host_shows_addresses(const char *text);

/** host_write_vdso() - write the image of the vDSO, which is in no file */
int host_write_vdso(struct perfdata_writer *w, struct error *err);

#endif /* PCSAMPLE_CAPTURE_HOST_INFO_H */
