/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An open recording: what ran, what it mapped, and the symbols of it.
 */
#ifndef PCSAMPLE_PROFILE_SESSION_H
#define PCSAMPLE_PROFILE_SESSION_H

#include "profile/firmware-images.h"
#include "profile/sideband.h"
#include "symbols/debuginfod.h"
#include "symbols/dwarf-cache.h"
#include "symbols/kernel-idle.h"
#include "symbols/load.h"

/**
 * struct session_options - where to look
 * @name: of the recording, where users read it, if they did not give its path; NULL for the path
 * @symfs: directory in front of all file names; NULL for none
 * @only_symfs: do not use the running kernel and its vDSO either
 * @ask_servers: for files that are not here, those of DEBUGINFOD_URLS
 * @images: of firmware and hypervisors
 * @kallsyms: file with the kernel's symbols; NULL to look for one
 * @threads: how many to use, 1 or more
 * @max_stack: addresses of a call chain that count; 0 for all
 */
struct session_options {
	const char *name;
	const char *symfs;
	bool only_symfs;
	bool ask_servers;
	const struct image_option *images;
	unsigned int nr_images;
	const char *kallsyms;
	unsigned int threads;
	size_t max_stack;
};

#define SESSION_TYPES	128

/**
 * struct session_counts - what was in the file besides samples
 * @samples: PERF_RECORD_SAMPLE
 * @lost: samples that the ring buffers or the CPU dropped
 * @unknown: records of a type that this version does not know
 * @of_type: records other than samples, by type; the last element has those of all higher types
 * @trace_bytes: size of hardware traces, which are outside of the records
 * @malformed: records too short for their contents
 * @left_out: records of processes and mappings that would take too much memory
 * @back: how often the clock of the samples went back
 * @back_ns: by how much at most
 */
struct session_counts {
	u64 samples;
	u64 lost;
	u64 throttled;
	u64 unknown;
	u64 malformed;
	u64 left_out;
	u64 back;
	u64 back_ns;
	u64 of_type[SESSION_TYPES];
	u64 trace_bytes;
};

/* Does this version know records of a type? */
static inline bool session_knows(u32 type)
{
	return type && (type <= PERFDATA_RECORD_CALLCHAIN_DEFERRED ||
			(type >= PERFDATA_RECORD_USER && type <= PERFDATA_RECORD_COMPRESSED2));
}

#define SESSION_CHUNKS_MAX 128

/**
 * struct session - a recording, ready for its samples to be looked up
 * @of_event: offsets in pd->data of the samples of each event, one event behind the other, from
 *	@event_start of the event on; NULL until samples.c needs them
 * @chunk: offsets in pd->data: chunk i goes from chunk[i] to chunk[i + 1], for i < @nr_chunks. All
 *	but the last have the same number of samples; they are the blocks of stats.h.
 * @clock: if some records have times and others do not: where times are later than all before, and
 *	those times
 * @notes: lines to be shown with a report: what is missing and why
 *
 * Private to this folder: commands and exporters ask by the functions below, and
 * scripts/tests/rooms finds those that do not.
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
	u64 *of_event;
	size_t *event_start;
	struct session_clock {
		u64 pos, time;
	} *clock;			/* sorted by both */
	size_t nr_clock, clock_cap;
	char **notes;
	size_t nr_notes, notes_cap;
	u8 *vdso;
	struct deferred_chain {
		u64 cookie, pos;
		s32 tid;
	} *deferred;			/* sorted */
	size_t nr_deferred, deferred_cap;
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

/* The @i-th note, or NULL behind the last */
static inline const char *session_note_nth(const struct session *s, size_t i)
{
	return i < s->nr_notes ? s->notes[i] : NULL;
}

/* Add a note. Return: 0 or -ENOMEM. */
int session_add_note(struct session *s, const char *text);

/*
 * The time of a record that has none, at @pos. It is between the latest of the times before it in
 * the file and the next later one, and grows by 1 ns each 8 bytes, the size of the shortest record:
 * such records stay in the order of the file. If no record has a time, it is the position.
 */
static inline u64 session_time_at(const struct session *s, u64 pos)
{
	const struct session_clock *last;
	size_t n;

	if (likely(!s->nr_clock))
		return pos;
	n = nr_up_to(s->clock, s->nr_clock, pos, pos);
	if (!n)
		return s->clock[0].time - min((s->clock[0].pos - pos) / 8, s->clock[0].time);
	last = &s->clock[n - 1];
	return min(last->time + (pos - last->pos) / 8,
		   n < s->nr_clock ? last[1].time - 1 : TIME_MAX);
}

/* The recording */

static inline const char *session_path(const struct session *s)
{
	return s->options.name ? s->options.name : s->pd->path;
}

/* Where and how the file is damaged; empty if it is not */
static inline const char *session_damage(const struct session *s)
{
	return s->pd->damage.text;
}

static inline const struct session_counts *session_counts(const struct session *s)
{
	return &s->counts;
}

/* As perfdata_string(), perfdata_meta() and perfdata_meta_nth() */

static inline const char *session_string(const struct session *s, enum perfdata_feature feature)
{
	return perfdata_string(s->pd, feature);
}

static inline const char *session_meta(const struct session *s, const char *key, size_t *len)
{
	return perfdata_meta(s->pd, key, len);
}

static inline const char *session_meta_nth(const struct session *s, const char *key,
					   unsigned int nth, size_t *len)
{
	return perfdata_meta_nth(s->pd, key, nth, len);
}

/*
 * The chain that the kernel recorded for a sample when the thread returned to user space: @nr
 * unaligned u64, or NULL.
 */
const u8 *session_deferred(const struct session *s, s32 tid, u64 cookie, u64 *nr);

/* Events */

static inline size_t session_events(const struct session *s)
{
	return s->pd->nr_events;
}

static inline const struct recorded_event *session_event(const struct session *s, size_t i)
{
	return &s->pd->events[i];
}

/* Does an event record branch stacks? */
static inline bool session_has_branches(const struct session *s)
{
	size_t i;

	for (i = 0; i < session_events(s); i++)
		if (session_event(s, i)->layout.type & PERF_SAMPLE_BRANCH_STACK)
			return true;
	return false;
}

/* The index of the only event that has samples; -1 if several may have */
static inline int session_only_event(const struct session *s)
{
	return s->pd->only;
}

/* Names of threads, by id */

static inline size_t session_comms(const struct session *s)
{
	return s->sb.comms.nr;
}

static inline const char *session_comm(const struct session *s, u32 id)
{
	return intern_text(&s->sb.comms, id);
}

/* The name that a thread had at a time, or SIDEBAND_NO_COMM */
static inline u32 session_comm_at(const struct session *s, s32 tid, u64 time)
{
	u64 since, until;

	return sideband_comm(&s->sb, tid, time, &since, &until);
}

/* The control group of a sample, by id, for report_cgroup() */
static inline u32 session_cgroup(const struct session *s, const struct sample_layout *l,
				 const u8 *rec)
{
	return sideband_cgroup(&s->sb, sample_cgroup(l, rec));
}

/* Code */

static inline size_t session_dsos(const struct session *s)
{
	return s->dsos.nr;
}

static inline struct dso *session_dso(const struct session *s, size_t i)
{
	return s->dsos.dso[i];
}

/* The same, with its symbols loaded */
static inline struct dso *session_load_dso(struct session *s, size_t i)
{
	struct dso *dso = s->dsos.dso[i];

	dso_load(&s->dsos, dso);
	return dso;
}

/* As inlines_find(), for an address of a DSO whose symbols are loaded */
static inline int session_source(struct session *s, u32 dso, u64 addr, struct source_spot *spot)
{
	return inlines_find(&s->inlines, s->dsos.dso[dso], dso, addr, spot);
}

/* The inlined calls that session_source() found */
static inline const struct inlines *session_inlines(const struct session *s)
{
	return &s->inlines;
}

/* As kernel_idle_find(), for the recorded kernel */
static inline void session_find_idle(struct session *s, struct kernel_idle *idle)
{
	kernel_idle_find(idle, &s->dsos);
}

/* Why debuginfod is no longer asked; empty if it still is, or never was */
static inline const char *session_server_problem(const struct session *s)
{
	return debug_server_problem(s->dsos.server);
}

#endif /* PCSAMPLE_PROFILE_SESSION_H */
