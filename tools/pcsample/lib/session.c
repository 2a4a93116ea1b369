// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "lib/kernel-symbols.h"
#include "lib/progress.h"
#include "lib/session.h"

/* Chunks are between this many and twice as many: enough for stats.h, and for threads to share */
#define CHUNKS_MIN (SESSION_CHUNKS_MAX / 2)

static int add_note(struct session *s, const char *text)
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
 * Chunks of equal numbers of samples, when the number of all samples is not known: when there are
 * too many, two become one.
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
 * Does the clock go back? A recorder that empties all rings again and again, a round each time, has
 * records of a round that are older than some of the round before: they were written meanwhile. But
 * none is older than one of the round before that. The first sample of each round is looked at.
 */
struct rounds {
	bool begins;
	u64 newest;	/* time seen so far */
	u64 before;	/* of the rounds before this one */
	u64 floor;	/* of the rounds before that */
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
		/* Once for each time that it is set back */
		r->newest = time;
		r->before = time;
		r->floor = time;
	}
	r->newest = max(r->newest, time);
}

static int note_clock(struct session *s)
{
	if (!s->counts.back)
		return 0;
	return session_note(s, "the clock of the samples went back %" PRIu64
			    " times, by up to %.3f s: names, times and rates may be wrong",
			    s->counts.back, s->counts.back_ns / 1e9);
}

/* perf's {leader,other}:S. What the others counted is in the leader's samples */
static int note_groups(struct session *s)
{
	size_t i;

	for (i = 0; i < s->pd->nr_events; i++) {
		const struct recorded_event *e = &s->pd->events[i];

		if (e->attr.sample_type & PERF_SAMPLE_READ &&
		    e->attr.read_format & PERF_FORMAT_GROUP && !e->attr.sample_period)
			return session_note(s, "%s was counted by the samples of another event, in "
					    "a group: its counts are not shown here, perf report "
					    "shows them", e->name);
	}
	return 0;
}

static void count_other(struct session *s, const u8 *rec)
{
	u32 type = rec_type(rec), size = rec_size(rec);

	switch (type) {
	case PERF_RECORD_LOST:
		s->counts.lost += size < 24 ? 0 : load64(rec + 16);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		s->counts.lost += size < 16 ? 0 : load64(rec + 8);
		break;
	case PERF_RECORD_THROTTLE:
		s->counts.throttled++;
		break;
	default:
		/* 22: callchains that follow later, Linux 6.19 */
		if (!type || (type > 22 && type < PERFDATA_RECORD_USER) ||
		    type > PERFDATA_RECORD_COMPRESSED2)
			s->counts.unknown++;
	}
}

static u16 least_sample_size(const struct perfdata *pd)
{
	u16 size = pd->events[0].layout.size;
	size_t i;

	for (i = 1; i < pd->nr_events; i++)
		size = min(size, pd->events[i].layout.size);
	return size;
}

static int read_all_but_samples(struct session *s)
{
	u64 pos = 0, start = 0, samples = 0;
	const struct sample_layout *l;
	struct chunker chunker = { .step = 1 };
	u16 least = least_sample_size(s->pd);
	struct perfdata *pd = s->pd;
	struct rounds rounds = { 0 };
	const u8 *rec;
	int ret = 0;
	u32 type;

	while (!ret && (rec = perfdata_next(pd, &pos))) {
		type = rec_type(rec);
		if (likely(type == PERF_RECORD_SAMPLE)) {
			if (unlikely(rec_size(rec) < least)) {
				perfdata_damaged(pd, start,
						 "sample of %u bytes, expected %u or more",
						 rec_size(rec), least);
				break;
			}
			samples++;
			if (unlikely(!chunker.left--))
				ret = start_chunk(s, &chunker, start);
			if (unlikely(rounds.begins))
				look_at_clock(s, &rounds, rec);
			start = pos;
			continue;
		}
		if (is_sideband(type)) {
			/* Without times, the place in the file orders records */
			l = perfdata_tail_of(pd, rec);
			ret = sideband_add(&s->sb, rec, l->time ? sample_tail_time(l, rec) : start);
		} else if (type == PERFDATA_RECORD_FINISHED_ROUND) {
			end_round(&rounds);
		} else {
			count_other(s, rec);
		}
		start = pos;
	}
	s->counts.samples = samples;
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

/* Build ids that the recorder found when it had finished */

static void take_build_id(struct session *s, const u8 *rec, u64 size)
{
	const char *path = (const char *)rec + sizeof(struct perfdata_build_id);
	struct build_id id = { .size = BUILD_ID_MAX };
	u64 len = size - sizeof(struct perfdata_build_id);

	if (!len || !memchr(path, 0, len))
		return;
	if (rec_misc(rec) & PERFDATA_MISC_BUILD_ID_SIZE)
		id.size = min(rec[offsetof(struct perfdata_build_id, build_id_size)],
			      (u8)BUILD_ID_MAX);
	memcpy(id.bytes, rec + offsetof(struct perfdata_build_id, build_id), BUILD_ID_MAX);
	dso_table_set_build_id(&s->dsos, path, &id);
}

static void read_build_ids(struct session *s)
{
	struct perfdata_span f = s->pd->feature[PERFDATA_BUILD_ID];
	u64 size;

	while (f.size >= sizeof(struct perfdata_build_id)) {
		size = rec_size(f.p);
		if (size < sizeof(struct perfdata_build_id) || size > f.size)
			break;
		take_build_id(s, f.p, size);
		f.p += size;
		f.size -= size;
	}
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
 * The pages of the file and kernel symbols take together about as long as the first pass: they can
 * be had beside it.
 */
struct kernel_job {
	struct session *s;
	struct error err;
	pthread_t thread;
	bool running;
};

static void *find_kernel_symbols(void *arg)
{
	struct kernel_job *job = arg;

	kernel_symbols_find(&job->s->dsos.kallsyms, job->s->pd, &job->s->options, &job->err);
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
	if (job->running)
		pthread_join(job->thread, NULL);
	else
		find_kernel_symbols(job);
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
	if (ret)
		goto fail;
	if (options->ask_servers)
		ret = debug_server_open(&s->dsos.server, err);
	if (ret)
		goto fail;
	s->dsos.symfs = options->symfs;
	s->sb.symfs = options->symfs;
	s->sb.monotonic = s->pd->events[0].attr.use_clockid &&
			  s->pd->events[0].attr.clockid == CLOCK_MONOTONIC;
	start_kernel_job(&job);
	ret = read_all_but_samples(s);
	if (!ret)
		ret = sideband_finish(&s->sb, &s->dsos, s->pd->least_tail,
				      wants_build_ids(s->pd), &s->counts.malformed);
	read_build_ids(s);
	s->dsos.kept.p = s->pd->feature[PERFDATA_PCS_FILES].p;
	s->dsos.kept.size = s->pd->feature[PERFDATA_PCS_FILES].size;
	progress("reading symbols of", "the kernel", 0, 0);
	end_kernel_job(&job);
	if (!ret && job.err.text[0])
		ret = add_note(s, job.err.text);
	if (!ret)
		ret = note_clock(s);
	if (!ret)
		ret = note_groups(s);
	if (!ret)
		ret = kernel_symbols_place(s);
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

int session_note(struct session *s, const char *format, ...)
{
	struct error line;
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	error_set(&line, 0, "%s", text);
	return add_note(s, line.text);
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
	free(s->vdso);
	sideband_deinit(&s->sb);
	inlines_deinit(&s->inlines);
	images_deinit(&s->images);
	debug_server_close(s->dsos.server);
	dso_table_deinit(&s->dsos);
	intern_deinit(&s->strings);
	perfdata_close(s->pd);
	free(s);
}
