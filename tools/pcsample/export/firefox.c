// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Firefox profiler's processed profile. The profiler upgrades old versions, so 60 is written:
 * the first in which all threads share all tables (docs-developer/CHANGELOG-formats.md there).
 *
 * A table is a JSON object of columns. The tables of frames, functions and stacks have a row for
 * each struct stack_node.
 */
#include <stdio.h>

#include "export/job.h"
#include "profile/recording.h"
#include "profile/rows.h"

#define FORMAT_VERSION		60
#define GECKO_VERSION		31	/* of the format that Firefox itself writes; not used */

enum { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_HYPERVISOR, CATEGORY_GUEST };

static const struct {
	const char *name, *color;
} categories[] = {
	[CATEGORY_OTHER] = { "Other", "grey" },
	[CATEGORY_USER] = { "User", "yellow" },
	[CATEGORY_KERNEL] = { "Kernel", "orange" },
	[CATEGORY_HYPERVISOR] = { "Hypervisor", "magenta" },
	[CATEGORY_GUEST] = { "Guest", "blue" },
};

#define NO_SAMPLE (~0U)

/*
 * @next: index of the thread's next sample, or NO_SAMPLE. A list, as with many threads an array for
 * each would mostly be unused room.
 */
struct thread_sample {
	u64 time;	/* ns since the first sample */
	u64 weight;
	u32 node, next;
};

/* A thread, and its samples of one event, job->events[@event], in the order of time */
struct thread {
	s32 pid, tid;
	u32 comm, event;
	u32 first, last, nr;
};

struct firefox {
	const struct export_job *job;
	struct stacks stacks;
	struct thread *thread;
	size_t nr, cap;
	struct thread_sample *sample;
	size_t nr_samples, samples_cap;
	struct idmap by_id;	/* the threads of @event, by pid and tid */
	u32 event;
};

/* Collecting */

static struct thread *thread_of(struct firefox *f, const struct resolved *x)
{
	u64 key = (u64)(u32)x->pid << 32 | (u32)x->tid;
	u32 index = idmap_element(&f->by_id, key, &f->thread, &f->nr, &f->cap);
	struct thread *t;

	if (index == IDMAP_NONE)
		return NULL;
	t = &f->thread[index];
	if (!t->nr)
		*t = (struct thread){
			.pid = x->pid, .tid = x->tid, .event = f->event, .first = NO_SAMPLE,
		};
	t->comm = x->comm;
	return t;
}

static int take_sample(void *ctx, const struct sample_seen *sample)
{
	struct firefox *f = ctx;
	struct thread *t = thread_of(f, &sample->x);
	u64 first = f->job->total->first, time = sample->x.time;
	u32 node;

	if (!t || f->nr_samples == NO_SAMPLE || stacks_add(&f->stacks, sample, &node) ||
	    mem_grow(&f->sample, &f->samples_cap, f->nr_samples + 1))
		return -ENOMEM;
	f->sample[f->nr_samples] = (struct thread_sample){
		time > first ? time - first : 0, sample->weight, node, NO_SAMPLE,
	};
	*(t->nr++ ? &f->sample[t->last].next : &t->first) = f->nr_samples;
	t->last = f->nr_samples++;
	return 0;
}

/* Values */

static void json_null(struct json *j, const char *key)
{
	json_raw(j, key, "null");
}

static void json_ms(struct json *j, const char *key, u64 ns)
{
	json_fixed(j, key, ns / 1e6, 6);
}

/* A column in which each of @nr rows has its own number: that of the row that belongs to it */
static void row_numbers(struct json *j, const char *key, size_t nr)
{
	size_t i;

	json_array(j, key);
	for (i = 0; i < nr; i++)
		json_u64(j, NULL, i);
	json_array_end(j);
}

/* A column of @nr equal values */
static void constant(struct json *j, const char *key, size_t nr, const char *value)
{
	json_array(j, key);
	while (nr--)
		json_raw(j, NULL, value);
	json_array_end(j);
}

static unsigned int category(const struct stacks *st, u32 node)
{
	static const u8 by_mode[PERF_RECORD_MISC_CPUMODE_MASK + 1] = {
		[PERF_RECORD_MISC_USER] = CATEGORY_USER,
		[PERF_RECORD_MISC_KERNEL] = CATEGORY_KERNEL,
		[PERF_RECORD_MISC_HYPERVISOR] = CATEGORY_HYPERVISOR,
		[PERF_RECORD_MISC_GUEST_KERNEL] = CATEGORY_GUEST,
		[PERF_RECORD_MISC_GUEST_USER] = CATEGORY_GUEST,
	};

	return by_mode[st->node[node].mode];
}

/* Tables that all threads share */

static void print_stack_table(struct json *j, const struct stacks *st)
{
	u32 i;

	json_object(j, "stackTable");
	json_u64(j, "length", st->nr);
	row_numbers(j, "frame", st->nr);
	json_array(j, "prefix");
	for (i = 0; i < st->nr; i++) {
		if (st->node[i].parent == STACK_ROOT)
			json_null(j, NULL);
		else
			json_u64(j, NULL, st->node[i].parent);
	}
	json_array_end(j);
	json_object_end(j);
}

/* Inlined functions have the same address as the function that contains them, which has depth 0 */
static unsigned int inline_depth(const struct stacks *st, u32 node)
{
	unsigned int depth = 0;

	for (; st->node[node].level == STACK_INLINE; node = st->node[node].parent)
		depth++;
	return depth;
}

static void print_frame_table(struct json *j, const struct stacks *st)
{
	u32 i;

	json_object(j, "frameTable");
	json_u64(j, "length", st->nr);
	constant(j, "address", st->nr, "-1");
	json_array(j, "inlineDepth");
	for (i = 0; i < st->nr; i++)
		json_u64(j, NULL, inline_depth(st, i));
	json_array_end(j);
	json_array(j, "category");
	for (i = 0; i < st->nr; i++)
		json_u64(j, NULL, category(st, i));
	json_array_end(j);
	constant(j, "subcategory", st->nr, "0");
	row_numbers(j, "func", st->nr);
	constant(j, "nativeSymbol", st->nr, "null");
	constant(j, "innerWindowID", st->nr, "0");
	constant(j, "line", st->nr, "null");
	constant(j, "column", st->nr, "null");
	json_object_end(j);
}

static void print_func_table(struct json *j, const struct stacks *st)
{
	u32 i;

	json_object(j, "funcTable");
	json_u64(j, "length", st->nr);
	json_array(j, "name");
	for (i = 0; i < st->nr; i++)
		json_u64(j, NULL, st->node[i].text);
	json_array_end(j);
	constant(j, "isJS", st->nr, "false");
	constant(j, "relevantForJS", st->nr, "false");
	json_array(j, "resource");
	for (i = 0; i < st->nr; i++)
		json_u64(j, NULL, st->node[i].dso);
	json_array_end(j);
	constant(j, "source", st->nr, "null");
	constant(j, "lineNumber", st->nr, "null");
	constant(j, "columnNumber", st->nr, "null");
	json_object_end(j);
}

/* Resources of type 1 are libraries. Resource i is library i, which is DSO i. */
static void print_resource_table(struct json *j, const struct session *s, const u32 *text)
{
	size_t i;

	json_object(j, "resourceTable");
	json_u64(j, "length", session_dsos(s));
	row_numbers(j, "lib", session_dsos(s));
	json_array(j, "name");
	for (i = 0; i < session_dsos(s); i++)
		json_u64(j, NULL, text[i]);
	json_array_end(j);
	constant(j, "host", session_dsos(s), "null");
	constant(j, "type", session_dsos(s), "1");
	json_object_end(j);
}

static void print_empty_tables(struct json *j)
{
	json_object(j, "nativeSymbols");
	json_u64(j, "length", 0);
	constant(j, "libIndex", 0, "");
	constant(j, "address", 0, "");
	constant(j, "name", 0, "");
	constant(j, "functionSize", 0, "");
	json_object_end(j);
	json_object(j, "sources");
	json_u64(j, "length", 0);
	constant(j, "uuid", 0, "");
	constant(j, "filename", 0, "");
	json_object_end(j);
}

static void print_shared(struct json *j, const struct stacks *st, const u32 *text)
{
	size_t i;

	json_object(j, "shared");
	print_stack_table(j, st);
	print_frame_table(j, st);
	print_func_table(j, st);
	print_resource_table(j, st->s, text);
	print_empty_tables(j);
	json_array(j, "stringArray");
	for (i = 0; i < st->texts.nr; i++)
		json_string(j, NULL, intern_text(&st->texts, i));
	json_array_end(j);
	json_object_end(j);
}

/* A Breakpad id is the first 16 bytes of a build id as a GUID, its first fields byte-swapped */
static void print_breakpad_id(struct json *j, const struct build_id *id)
{
	static const u8 order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	char text[2 * 16 + 2];
	unsigned int i;

	for (i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02X", order[i] < id->size ? id->bytes[order[i]] : 0);
	strcpy(text + 32, "0");
	json_string(j, "breakpadId", id->size ? text : "");
}

static void print_libs(struct json *j, const struct session *s)
{
	const char *arch = session_string(s, PERFDATA_ARCH);
	char id[BUILD_ID_HEX];
	const struct dso *dso;
	size_t i;

	json_array(j, "libs");
	for (i = 0; i < session_dsos(s); i++) {
		dso = session_dso(s, i);
		json_object(j, NULL);
		json_string(j, "arch", arch ? arch : "");
		json_string(j, "name", dso->name);
		json_string(j, "path", dso->path);
		json_string(j, "debugName", dso->name);
		json_string(j, "debugPath", dso->path);
		print_breakpad_id(j, &dso->build_id);
		if (dso->build_id.size)
			json_string(j, "codeId", build_id_hex(&dso->build_id, id));
		else
			json_null(j, "codeId");
		json_object_end(j);
	}
	json_array_end(j);
}

/* Threads */

static const char *comm_text(const struct session *s, u32 comm, char *buf)
{
	struct place p = { .comm = comm };

	return report_comm(s, &p, buf);
}

/* A process has the name of its first thread */
static const char *process_text(const struct firefox *f, const struct thread *t, char *buf)
{
	u64 last = f->job->total->first;
	u32 comm = t->comm;

	if (t->pid != t->tid) {
		last += f->sample[t->last].time;
		comm = session_comm_at(f->job->s, t->pid, last);
		if (comm == SIDEBAND_NO_COMM)
			comm = t->comm;
	}
	return comm_text(f->job->s, comm, buf);
}

#define for_each_sample(i, f, t) for (i = (t)->first; i != NO_SAMPLE; i = (f)->sample[i].next)

static void print_samples(struct json *j, const struct firefox *f, const struct thread *t,
			  u64 unit)
{
	u32 i;

	json_object(j, "samples");
	json_u64(j, "length", t->nr);
	json_array(j, "stack");
	for_each_sample(i, f, t)
		json_u64(j, NULL, f->sample[i].node);
	json_array_end(j);
	json_array(j, "time");
	for_each_sample(i, f, t)
		json_ms(j, NULL, f->sample[i].time);
	json_array_end(j);
	json_array(j, "weight");
	for_each_sample(i, f, t)
		json_fixed(j, NULL, (double)f->sample[i].weight / unit, 3);
	json_array_end(j);
	json_string(j, "weightType", "samples");
	json_object_end(j);
}

static void print_no_markers(struct json *j)
{
	static const char *const columns[] = {
		"data", "name", "startTime", "endTime", "phase", "category",
	};
	size_t i;

	json_object(j, "markers");
	json_u64(j, "length", 0);
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		constant(j, columns[i], 0, "");
	json_object_end(j);
}

/* The profiler knows no events: with several, a thread is shown once for each, named after both */
static void print_name(struct json *j, const struct firefox *f, const struct thread *t)
{
	const char *event = session_event(f->job->s, f->job->events[t->event])->name;
	char buf[REPORT_TEXT_MAX], *text;
	const char *comm = comm_text(f->job->s, t->comm, buf);

	if (f->job->nr_events == 1) {
		json_string(j, "name", comm);
		return;
	}
	if (asprintf(&text, "%s: %s", comm, event) < 0) {
		j->o->error = -ENOMEM;
		return;
	}
	json_string(j, "name", text);
	free(text);
}

/* @first: it is the main thread of its process; with several events, the first of those */
static void print_thread(struct json *j, const struct firefox *f, const struct thread *t,
			 bool first)
{
	const struct export_job of = export_of_event(f->job, f->job->events[t->event]);
	char buf[REPORT_TEXT_MAX];

	json_object(j, NULL);
	json_string(j, "processType", "default");
	json_u64(j, "processStartupTime", 0);
	json_null(j, "processShutdownTime");
	json_u64(j, "registerTime", 0);
	json_null(j, "unregisterTime");
	json_array(j, "pausedRanges");
	json_array_end(j);
	print_name(j, f, t);
	json_bool(j, "isMainThread", first);
	json_string(j, "processName", process_text(f, t, buf));
	snprintf(buf, sizeof(buf), "%d", t->pid);
	json_string(j, "pid", buf);
	/* Make the tid of each event different: among equal ones the profiler mixes up names */
	snprintf(buf, sizeof(buf), t->event ? "%d.%u" : "%d", t->tid, t->event);
	json_string(j, "tid", buf);
	print_samples(j, f, t, export_sample_weight(&of));
	print_no_markers(j);
	json_object_end(j);
}

/* The whole */

static void print_categories(struct json *j)
{
	size_t i;

	json_array(j, "categories");
	for (i = 0; i < ARRAY_SIZE(categories); i++) {
		json_object(j, NULL);
		json_string(j, "name", categories[i].name);
		json_string(j, "color", categories[i].color);
		json_array(j, "subcategories");
		json_string(j, NULL, "Other");
		json_array_end(j);
		json_object_end(j);
	}
	json_array_end(j);
}

static void print_meta(struct json *j, const struct export_job *job)
{
	const char *release = session_string(job->s, PERFDATA_OSRELEASE);
	const char *cpu = session_string(job->s, PERFDATA_CPUDESC);
	const char *host = session_string(job->s, PERFDATA_HOSTNAME);
	char text[256];

	json_object(j, "meta");
	json_ms(j, "interval", export_period(job));
	json_ms(j, "startTime", recording_wall_clock(job->s, job->total->first));
	json_u64(j, "processType", 0);
	print_categories(j);
	json_string(j, "product", host ? host : "pcsample");
	json_u64(j, "stackwalk", job->chains);
	json_u64(j, "version", GECKO_VERSION);
	json_u64(j, "preprocessedProfileVersion", FORMAT_VERSION);
	json_string(j, "platform", "Linux");
	snprintf(text, sizeof(text), "Linux %s", release ? release : "");
	json_string(j, "oscpu", text);
	if (cpu)
		json_string(j, "CPUName", cpu);
	json_string(j, "importedFrom", "pcsample");
	json_bool(j, "symbolicated", true);
	json_bool(j, "symbolicationNotSupported", true);
	json_bool(j, "usesOnlyOneStackType", true);
	json_bool(j, "sourceCodeIsNotOnSearchfox", true);
	json_array(j, "markerSchema");
	json_array_end(j);
	json_object_end(j);
}

static int by_process(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	if (x->pid != y->pid)
		return (x->pid > y->pid) - (x->pid < y->pid);
	if (x->tid != y->tid && (x->tid == x->pid || y->tid == y->pid))	/* main thread first */
		return (y->tid == y->pid) - (x->tid == x->pid);
	if (x->tid != y->tid)
		return x->tid > y->tid ? 1 : -1;
	return (x->event > y->event) - (x->event < y->event);
}

static int print_profile(struct out *o, struct firefox *f)
{
	struct session *s = f->job->s;
	u32 *text = calloc(session_dsos(s), sizeof(*text));
	struct json j = { .o = o };
	const struct thread *t;
	size_t i;
	int id;

	for (i = 0; text && i < session_dsos(s); i++) {
		id = intern_add(&f->stacks.texts, session_dso(s, i)->name,
				strlen(session_dso(s, i)->name));
		if (id < 0) {
			free(text);
			return id;
		}
		text[i] = id;
	}
	if (!text)
		return -ENOMEM;
	qsort(f->thread, f->nr, sizeof(*f->thread), by_process);
	json_object(&j, NULL);
	print_meta(&j, f->job);
	print_libs(&j, s);
	print_shared(&j, &f->stacks, text);
	json_array(&j, "threads");
	for (i = 0; i < f->nr; i++) {
		t = &f->thread[i];
		print_thread(&j, f, t, t->pid == t->tid && !(i && t[-1].pid == t->pid));
	}
	json_array_end(&j);
	json_end(&j);
	free(text);
	return 0;
}

int export_firefox(const struct export_job *job, struct out *o, struct error *err)
{
	struct firefox f = { .job = job };
	int ret = 0;

	stacks_init(&f.stacks, job->s, STACK_FUNCTION, job->inlined, job->chains,
		    job->demangle);
	for (; !ret && f.event < job->nr_events; f.event++) {
		ret = each_sample(job->s, job->events[f.event], job->filter, take_sample, &f);
		idmap_deinit(&f.by_id);
	}
	if (!ret)
		ret = print_profile(o, &f);
	free(f.sample);
	free(f.thread);
	stacks_deinit(&f.stacks);
	return ret ? error_set(err, ret, "out of memory") : 0;
}
