/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording with all that is needed to report it on another machine. An archive contains
 *
 *	perf.data
 *	.build-id/ab/cdef.../elf	a file whose build id the recording has: as in perf's cache,
 *					so that the archive may be unpacked in ~/.debug, too
 *	.build-id/ab/cdef.../debug	the debug file of one that has this build id, in the
 *					recording or not
 *	usr/bin/prog			a file whose build id the recording does not have, under its
 *					path; beside it its debug file, if it has no build id at all
 *	tmp/perf-42.map			symbols of code that process 42 generated; a jit-42.dump is
 *					under its path
 *	kallsyms, [vdso]		if the recording itself does not have them
 *
 * After unpacking, --symfs takes the directory.
 */
#ifndef PCSAMPLE_PROFILE_ARCHIVE_H
#define PCSAMPLE_PROFILE_ARCHIVE_H

#include "base/tar.h"
#include "profile/session.h"

#define ARCHIVE_RECORDING	"perf.data"
#define ARCHIVE_KALLSYMS	"kallsyms"
#define ARCHIVE_VDSO		"[vdso]"

/**
 * struct archive_result - what was packed
 * @files: with code
 * @debug_files: with debug information only
 * @jit_files: about generated code, perf maps and jitdumps
 * @missing: files with code that no longer exist, or are not the recorded ones
 * @missing_samples: samples in these
 */
struct archive_result {
	unsigned int files, debug_files, jit_files, missing;
	u64 missing_samples;
};

/**
 * archive_pack() - put a recording and its files into an archive
 * @s: recording
 * @all: all files that were mapped, not only those with samples, their callers or branches
 * @w: archive, not to be used after a failure
 */
int archive_pack(struct session *s, bool all, struct tar_writer *w,
		 struct archive_result *result, struct error *err);

#endif /* PCSAMPLE_PROFILE_ARCHIVE_H */
