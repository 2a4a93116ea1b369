/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An open recording: what ran, what it mapped, and the symbols of it.
 */
#ifndef PCSAMPLE_LIB_SESSION_H
#define PCSAMPLE_LIB_SESSION_H

#include "lib/debug-server.h"
#include "lib/images.h"
#include "lib/inlines.h"
#include "lib/sideband.h"

/**
 * struct session_options - where to look
 * @symfs: directory in front of all file names; NULL for none
 * @ask_servers: for files that are not here, those of DEBUGINFOD_URLS
 * @images: of firmware and hypervisors
 * @kallsyms: file with the kernel's symbols; NULL to find them
 * @threads: how many to use, 1 or more
 */
struct session_options {
	const char *symfs;
	bool ask_servers;
	const struct image_option *images;
	unsigned int nr_images;
	const char *kallsyms;
	unsigned int threads;
};

/**
 * struct session_counts - what was in the file besides samples
 * @samples: PERF_RECORD_SAMPLE
 * @lost: samples that the ring buffers dropped
 * @unknown: records of a type that this version does not know
 * @malformed: records too short for what they say they hold
 * @back: rounds of the recorder that began before the end of an earlier round
 * @back_ns: by how much at most
 */
struct session_counts {
	u64 samples;
	u64 lost;
	u64 throttled;
	u64 unknown;
	u64 malformed;
	u64 back;
	u64 back_ns;
};

#define SESSION_CHUNKS_MAX 128

/**
 * struct session - a recording, ready for its samples to be looked up
 * @chunk: offsets in pd->data: chunk i goes from chunk[i] to chunk[i + 1], for i < @nr_chunks. All
 *	have the same number of samples, but for the last; they are the blocks of stats.h.
 * @notes: lines for the reader of a report: what is missing and why
 */
struct session {
	struct session_options options;
	struct perfdata *pd;
	struct sideband sb;
	struct intern strings;
	struct dso_table dsos;
	struct inlines inlines;
	struct images images;
	struct session_counts counts;
	u64 *chunk;
	size_t nr_chunks, chunks_cap;
	char **notes;
	size_t nr_notes, notes_cap;
	u8 *vdso;
};

/**
 * session_open() - open a recording and read all but its samples
 *
 * Damage in the file is no failure: look at (*ret)->pd->damage.
 *
 * Return: 0 or a negative errno.
 */
int session_open(struct session **ret, const char *path, const struct session_options *options,
		 struct error *err);
void session_close(struct session *s);

/* Add a line to s->notes. Return: 0 or -ENOMEM. */
int session_note(struct session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif /* PCSAMPLE_LIB_SESSION_H */
