// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "base/progress.h"
#include "perfdata/groups.h"
#include "profile/kernel.h"
#include "profile/session.h"
#include "symbols/elf-symbols.h"
#include "symbols/load.h"

/* A long recording has this many chunks up to twice as many: enough for stats.h and for threads */
#define CHUNKS_MIN (SESSION_CHUNKS_MAX / 2)

int session_add_note(struct session *s, const char *text)
{
	char *copy = strdup(text);

	if (!copy || mem_grow(&s->notes, &s->notes_cap, s->nr_notes + 1)) {
		free(copy);
		return -ENOMEM;
	}
	s->notes[s->nr_notes++] = copy;
	return 0;
}

/* First pass: everything but samples */

/*
 * Cuts a recording into chunks of equal numbers of samples, without knowing the number of all
 * samples: when there are too many chunks, pairs of them are joined.
 */
struct chunker {
	u64 step;	/* samples in a chunk */
	u64 left;	/* samples until the next one starts */
};

static int start_chunk(struct session *s, struct chunker *c, u64 pos)
{
	size_t i;

	progress("reading", s->pd->path, pos, s->pd->data_size);
	if (s->nr_chunks == SESSION_CHUNKS_MAX) {
		for (i = 0; i < CHUNKS_MIN; i++)
			s->chunk[i] = s->chunk[2 * i];
		s->nr_chunks = CHUNKS_MIN;
		c->step *= 2;
	}
	if (mem_grow(&s->chunk, &s->chunks_cap, s->nr_chunks + 2))
		return -ENOMEM;
	s->chunk[s->nr_chunks++] = pos;
	c->left = c->step - 1;
	return 0;
}

static int end_chunks(struct session *s)
{
	if (mem_grow(&s->chunk, &s->chunks_cap, s->nr_chunks + 1))
		return -ENOMEM;
	s->chunk[s->nr_chunks] = s->pd->data_size;
	return 0;
}

/*
 * Detects a clock that goes back. A recorder empties all rings again and again, a round each time.
 * A round may have records that are older than some of the previous round, since they were written
 * meanwhile, but none older than one of the round before that. The first sample of each round is
 * compared.
 */
struct rounds {
	bool begins;	/* the next sample is the first of a round */
	u64 newest;	/* latest time so far */
	u64 before;	/* @newest when this round began */
	u64 floor;	/* @newest when the previous round began */
};

static void end_round(struct rounds *r)
{
	r->floor = r->before;
	r->before = r->newest;
	r->begins = true;
}

static void look_at_clock(struct session *s, struct rounds *r, const u8 *rec)
{
	u32 event = perfdata_event_of(s->pd, rec);
	const struct sample_layout *l = &s->pd->events[event == IDMAP_NONE ? 0 : event].layout;
	u64 time;

	if (!l->time || rec_size(rec) < l->size)
		return;
	r->begins = false;
	time = load64(rec + l->time);
	if (time < r->floor) {
		s->counts.back++;
		s->counts.back_ns = max(s->counts.back_ns, r->floor - time);
		/* Count each step back once */
		r->newest = time;
		r->before = time;
		r->floor = time;
	}
	r->newest = max(r->newest, time);
}

static int note_clock(struct session *s)
{
	char text[160];

	if (!s->counts.back)
		return 0;
	snprintf(text, sizeof(text), "the clock of the samples went back %" PRIu64
		 " times, by up to %.3f s: names, times and rates may be wrong", s->counts.back,
		 s->counts.back_ns / 1e9);
	return session_add_note(s, text);
}

/*
 * Memory that records of processes and mappings may take, as a multiple of the recording's size. In
 * real recordings they take less than half of this, but a crafted record of 40 bytes can take 800.
 * Cutting overlapping mappings takes up to 4 times the size in addition, and the whole must not be
 * more than 10 times.
 */
#define SIDEBAND_TIMES	5
#define SIDEBAND_LEAST	(2UL << 20)

/*
 * PERF_RECORD_LOST comes from the kernel, when a ring has room again. From Linux 6.0 on events
 * count their losses, too, those at the end included: recorders write these counts as
 * PERF_RECORD_LOST_SAMPLES when they stop. The kernel writes such records itself for samples that
 * the CPU lost. So in a complete recording LOST_SAMPLES have all that LOST has, as perf takes it.
 * A recorder that was killed, or an older perf, leaves only LOST, or few LOST_SAMPLES beside it.
 */
struct losses {
	u64 records;	/* sum of PERF_RECORD_LOST */
	u64 samples;	/* sum of PERF_RECORD_LOST_SAMPLES */
};

static void count_loss(struct losses *lost, const u8 *rec)
{
	u32 type = rec_type(rec), size = rec_size(rec);

	if (type == PERF_RECORD_LOST && size >= 24)
		lost->records += load64(rec + 16);
	/* Samples that a BPF filter of perf record dropped were not wanted */
	if (type == PERF_RECORD_LOST_SAMPLES && size >= 16 &&
	    !(rec_misc(rec) & PERFDATA_MISC_LOST_SAMPLES_BPF))
		lost->samples += load64(rec + 8);
}

static void count_other(struct session *s, const u8 *rec, struct losses *lost)
{
	u32 type = rec_type(rec);

	s->counts.of_type[min(type, SESSION_TYPES - 1U)]++;
	s->counts.unknown += !session_knows(type);
	switch (type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		count_loss(lost, rec);
		break;
	case PERF_RECORD_THROTTLE:
		s->counts.throttled++;
		break;
	case PERFDATA_RECORD_AUXTRACE:
		s->counts.trace_bytes += perfdata_payload(rec);
		break;
	}
}

/* Chains of user space that were recorded after their samples, PERF_RECORD_CALLCHAIN_DEFERRED */

struct deferred_record {
	struct perf_event_header header;
	u64 cookie, nr;
};

static int add_deferred(struct session *s, const u8 *rec, u64 pos)
{
	const struct sample_layout *l = perfdata_tail_of(s->pd, rec);
	struct deferred_record r;
	struct deferred_chain *d;

	if (!l->tail_tid || rec_size(rec) < sizeof(r) + l->tail_size)
		return 0;
	memcpy(&r, rec, sizeof(r));
	if (r.nr > (rec_size(rec) - sizeof(r) - l->tail_size) / 8)
		return 0;
	if (mem_grow(&s->deferred, &s->deferred_cap, s->nr_deferred + 1))
		return -ENOMEM;
	d = &s->deferred[s->nr_deferred++];
	*d = (struct deferred_chain){
		.cookie = r.cookie, .pos = pos,
		.tid = load32(rec + rec_size(rec) - l->tail_tid + 4),
	};
	return 0;
}

static int by_cookie(const void *a, const void *b)
{
	const struct deferred_chain *x = a, *y = b;

	if (x->cookie != y->cookie)
		return x->cookie < y->cookie ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

const u8 *session_deferred(const struct session *s, s32 tid, u64 cookie, u64 *nr)
{
	const struct deferred_chain key = { .cookie = cookie, .tid = tid }, *d;
	const u8 *rec;

	d = bsearch(&key, s->deferred, s->nr_deferred, sizeof(key), by_cookie);
	if (!d)
		return NULL;
	rec = s->pd->data + d->pos;
	*nr = load64(rec + offsetof(struct deferred_record, nr));
	return rec + sizeof(struct deferred_record);
}

static u16 least_sample_size(const struct perfdata *pd)
{
	u16 size = pd->events[0].layout.size;
	size_t i;

	for (i = 1; i < pd->nr_events; i++)
		size = min(size, pd->events[i].layout.size);
	return size;
}

/*
 * Skip samples that begin neither a chunk nor a round: only their number matters. Return: how many
 */
static u64 skip_samples(const struct perfdata *pd, struct chunker *c, const struct rounds *r,
			u16 least, u64 *pos)
{
	u64 most = r->begins ? 0 : c->left, nr, size;
	const u8 *rec, *end;

	/* If a pipe had no data, pd->data may be NULL */
	if (!pd->data_size)
		return 0;
	rec = pd->data + *pos;
	end = pd->data + pd->data_size;
	for (nr = 0; nr < most && (size = perfdata_sample(rec, end, least)); nr++) {
		rec += size;
		for (; most - nr > 4 && perfdata_samples_ahead(rec, end, size); nr += 4)
			rec += 4 * size;
	}
	*pos = rec - pd->data;
	c->left -= nr;
	return nr;
}

/* Do samples of some events have times, and those of others not? */
static bool has_timeless(const struct perfdata *pd)
{
	size_t i, timed = 0, timeless = 0;

	for (i = 0; i < pd->nr_events; i++) {
		timed += !!pd->events[i].layout.time;
		timeless += !pd->events[i].layout.time && perfdata_event_samples(&pd->events[i]);
	}
	return timed && timeless;
}

static u64 time_of(const struct perfdata *pd, const u8 *rec)
{
	const struct sample_layout *l;
	u32 event;

	if (rec_type(rec) == PERF_RECORD_SAMPLE) {
		event = perfdata_event_of(pd, rec);
		l = &pd->events[event == IDMAP_NONE ? 0 : event].layout;
		return rec_size(rec) < l->size ? 0 : sample_u64(rec, l->time, 0);
	}
	if (!is_sideband(rec_type(rec)))
		return 0;
	l = perfdata_tail_of(pd, rec);
	return l->time ? sample_tail_time(l, rec) : 0;
}

static int read_clock(struct session *s)
{
	u64 pos = 0, start = 0, time, newest = 0;
	const u8 *rec;

	if (!has_timeless(s->pd))
		return 0;
	for (; (rec = perfdata_next(s->pd, &pos)); start = pos) {
		time = time_of(s->pd, rec);
		if (time <= newest)
			continue;
		if (mem_grow(&s->clock, &s->clock_cap, s->nr_clock + 1))
			return -ENOMEM;
		s->clock[s->nr_clock++] = (struct session_clock){ start, time };
		newest = time;
	}
	return 0;
}

/*
 * A mapping of the kernel without a time is from the beginning: perf record --tail-synthesize
 * describes the kernel last, but it was there before.
 */
static int add_sideband(struct session *s, const u8 *rec, u64 pos)
{
	const struct sample_layout *l = perfdata_tail_of(s->pd, rec);
	u64 time = 0;

	if (l->time)
		time = sample_tail_time(l, rec);
	else if (!sideband_is_kernel_mapping(rec))
		time = session_time_at(s, pos);
	return sideband_add(&s->sb, rec, time);
}

static int read_all_but_samples(struct session *s)
{
	u64 pos = 0, start, samples = 0;
	struct chunker chunker = { .step = 1 };
	u16 least = least_sample_size(s->pd);
	struct perfdata *pd = s->pd;
	struct rounds rounds = { 0 };
	struct losses lost = { 0 };
	const u8 *rec;
	int ret = 0;
	u32 type;

	while (!ret) {
		samples += skip_samples(pd, &chunker, &rounds, least, &pos);
		start = pos;
		rec = perfdata_next(pd, &pos);
		if (!rec)
			break;
		type = rec_type(rec);
		if (likely(type == PERF_RECORD_SAMPLE)) {
			if (unlikely(rec_size(rec) < least)) {
				perfdata_damaged(pd, start,
						 "sample of %u bytes, expected %u or more",
						 rec_size(rec), least);
				break;
			}
			samples++;
			if (!chunker.left--)
				ret = start_chunk(s, &chunker, start);
			if (rounds.begins)
				look_at_clock(s, &rounds, rec);
			continue;
		}
		if (is_sideband(type)) {
			ret = add_sideband(s, rec, start);
		} else if (type == PERFDATA_RECORD_FINISHED_ROUND) {
			end_round(&rounds);
		} else {
			count_other(s, rec, &lost);
			if (type == PERFDATA_RECORD_CALLCHAIN_DEFERRED)
				ret = add_deferred(s, rec, start);
		}
	}
	if (s->nr_deferred)
		qsort(s->deferred, s->nr_deferred, sizeof(*s->deferred), by_cookie);
	s->counts.samples = samples;
	s->counts.lost = max(lost.records, lost.samples);
	return ret ? ret : end_chunks(s);
}

static bool wants_build_ids(const struct perfdata *pd)
{
	size_t i;

	for (i = 0; i < pd->nr_events; i++)
		if (pd->events[i].attr.build_id)
			return true;
	return false;
}

/* Build ids that the recorder collected at the end */

static int read_build_ids(struct session *s)
{
	struct build_id id;
	const char *path;
	u64 pos = 0;
	int ret = 0;

	while (!ret && perfdata_next_build_id(s->pd, &pos, &id, &path) >= 0)
		ret = dso_table_set_build_id(&s->dsos, path, &id);
	if (!ret && !s->dsos.symfs)
		dso_table_check_guesses(&s->dsos, elf_symbols_find);
	return ret;
}

static int add_images(struct session *s, struct error *err)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < s->options.nr_images; i++)
		ret = images_add(&s->images, &s->options.images[i], &s->dsos, err);
	return ret;
}

/*
 * Reading the file's pages and the kernel's symbols takes about as long as the first pass: do it in
 * a thread meanwhile.
 */
struct kernel_job {
	struct session *s;
	const struct build_id *mapped;	/* NULL until the first pass is done */
	struct error err;
	pthread_t thread;
	bool running;
};

static void *find_kernel_symbols(void *arg)
{
	struct kernel_job *job = arg;
	const struct session_options *o = &job->s->options;

	kernel_symbols_find(&job->s->dsos.kallsyms, job->s->pd, o->kallsyms,
			    o->only_symfs ? o->symfs : NULL, job->mapped, &job->err);
	return NULL;
}

static void *work_ahead(void *arg)
{
	struct kernel_job *job = arg;

	perfdata_populate(job->s->pd);
	return find_kernel_symbols(job);
}

static void start_kernel_job(struct kernel_job *job)
{
	if (job->s->options.threads > 1)
		job->running = !pthread_create(&job->thread, NULL, work_ahead, job);
	if (!job->running)
		perfdata_populate(job->s->pd);
}

static void end_kernel_job(struct kernel_job *job)
{
	struct session *s = job->s;

	job->mapped = &s->sb.kernel_id;
	if (!job->running) {
		find_kernel_symbols(job);
		return;
	}
	pthread_join(job->thread, NULL);
	if (kernel_symbols_running(s->pd, job->mapped) == kernel_symbols_running(s->pd, NULL))
		return;
	/* The thread did not know the build id, and was wrong about the kernel */
	kallsyms_deinit(&s->dsos.kallsyms);
	job->err.text[0] = 0;
	find_kernel_symbols(job);
}

/*
 * Does it matter that the kernel's symbols are not there? Not if no event samples the kernel, as
 * those of an ordinary user.
 */
static bool samples_kernel(const struct session *s)
{
	unsigned int i;

	for (i = 0; i < s->pd->nr_events; i++)
		if (perfdata_event_samples(&s->pd->events[i]) &&
		    !s->pd->events[i].attr.exclude_kernel)
			return true;
	return false;
}

static int note_kernel(struct session *s, const char *why)
{
	return samples_kernel(s) || s->options.kallsyms ? session_add_note(s, why) : 0;
}

static int place_kernel(struct session *s)
{
	struct kernel_place to = {
		.pd = s->pd,
		.sb = &s->sb,
		.dsos = &s->dsos,
		.symfs = s->options.symfs,
		.only_symfs = s->options.only_symfs,
	};
	int ret = kernel_symbols_place(&to);

	s->vdso = to.vdso;
	return !ret && to.note ? note_kernel(s, to.note) : ret;
}

int session_open(struct session **ret_s, const char *path, const struct session_options *options,
		 struct error *err)
{
	struct session *s = calloc(1, sizeof(*s));
	struct kernel_job job = { .s = s };
	int ret;

	if (!s)
		return error_set(err, -ENOMEM, "out of memory");
	s->options = *options;
	sideband_init(&s->sb);
	inlines_init(&s->inlines);
	ret = dso_table_init(&s->dsos, &s->strings);
	if (!ret)
		ret = perfdata_open(&s->pd, path, err);
	if (!ret)
		ret = groups_deliver(s->pd);
	if (ret)
		goto fail;
	if (options->ask_servers)
		ret = debug_server_open(&s->dsos.server, err);
	if (ret)
		goto fail;
	s->dsos.symfs = options->symfs;
	s->sb.symfs = options->symfs;
	s->sb.most_bytes = SIDEBAND_TIMES * s->pd->data_size + SIDEBAND_LEAST;
	s->sb.monotonic = s->pd->events[0].attr.use_clockid &&
			  s->pd->events[0].attr.clockid == CLOCK_MONOTONIC;
	start_kernel_job(&job);
	ret = read_clock(s);
	if (!ret)
		ret = read_all_but_samples(s);
	if (!ret)
		ret = sideband_finish(&s->sb, &s->dsos, s->pd->least_tail,
				      wants_build_ids(s->pd), &s->counts.malformed);
	s->counts.left_out = s->sb.left_out;
	if (!ret)
		ret = read_build_ids(s);
	s->dsos.kept.p = s->pd->feature[PERFDATA_PCS_FILES].p;
	s->dsos.kept.size = s->pd->feature[PERFDATA_PCS_FILES].size;
	progress("reading symbols of", "the kernel", 0, 0);
	end_kernel_job(&job);
	if (!ret && job.err.text[0])
		ret = note_kernel(s, job.err.text);
	if (!ret)
		ret = note_clock(s);
	if (!ret)
		ret = place_kernel(s);
	if (!ret)
		ret = add_images(s, err);
	if (!ret) {
		progress_end();
		*ret_s = s;
		return 0;
	}
fail:
	progress_end();
	if (ret == -ENOMEM)
		error_set(err, ret, "out of memory");
	session_close(s);
	return ret;
}

void session_close(struct session *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->nr_notes; i++)
		free(s->notes[i]);
	free(s->notes);
	free(s->chunk);
	free(s->of_event);
	free(s->event_start);
	free(s->clock);
	free(s->vdso);
	free(s->deferred);
	sideband_deinit(&s->sb);
	inlines_deinit(&s->inlines);
	images_deinit(&s->images);
	debug_server_close(s->dsos.server);
	dso_table_deinit(&s->dsos);
	intern_deinit(&s->strings);
	perfdata_close(s->pd);
	free(s);
}
