/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A directory of recordings, one for each interval, from which a collector takes them.
 *
 * The name of a file begins with a dot until the file is complete, so that pcsample-* matches
 * only complete files. The oldest files are removed when all together are too large.
 */
#ifndef PCSAMPLE_CAPTURE_SPOOL_H
#define PCSAMPLE_CAPTURE_SPOOL_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include <arch-model/types.h>

#include "base/error.h"

/**
 * struct spool - the directory of a recorder
 * @path: of the directory
 * @bytes_max: limit of the size of all complete files
 * @format: of the files, a name that `pcsample export` knows; NULL to keep recordings unconverted
 * @suffix: of files of @format, with the dot
 * @fd: the directory, locked, so that no other recorder uses it
 * @child: `pcsample export` of the last interval; 0 if there is none, -1 if it could not be started
 * @part: the last recording while its name begins with a dot
 * @exported: what an export makes of it, under such a name, too
 * @whole: the file that becomes of it
 */
struct spool {
	const char *path;
	u64 bytes_max;
	const char *format;
	const char *suffix;
	int fd;
	pid_t child;
	char part[PATH_MAX], exported[PATH_MAX], whole[PATH_MAX];
};

/**
 * spool_open() - lock the directory, and make it if it is missing
 * @s: @path, @bytes_max, @format and @suffix are set
 *
 * Removes what an earlier recorder left incomplete.
 *
 * Return: 0 or a negative errno: -EBUSY if another recorder has locked it
 */
int spool_open(struct spool *s, struct error *err);

/** spool_part() - make a name for the recording of an interval that begins now */
void spool_part(const struct spool *s, char path[PATH_MAX]);

/**
 * spool_keep() - keep a complete recording: rename it, or export it if @format is set
 * @part: as spool_part() named it
 *
 * An export runs in the background. spool_finish() has to wait for it before the next call, and at
 * the end.
 *
 * Return: 0 or a negative errno
 */
int spool_keep(struct spool *s, const char *part, struct error *err);

/* The second one is no reason to stop: the next export may succeed */
enum { SPOOL_EXPORTING = 1, SPOOL_UNCONVERTED };

/**
 * spool_finish() - complete the last file, if its export has ended
 * @wait: until it has ended
 *
 * Return: 0 if @s->whole is complete, or there is none; SPOOL_EXPORTING if the export goes on;
 * SPOOL_UNCONVERTED if it failed (@err says so), and the recording itself is a file of the spool
 * now; or a negative errno
 */
int spool_finish(struct spool *s, bool wait, struct error *err);

/** spool_close() - unlock the directory */
void spool_close(struct spool *s);

#endif /* PCSAMPLE_CAPTURE_SPOOL_H */
