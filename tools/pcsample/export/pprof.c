// SPDX-License-Identifier: GPL-2.0-only
/*
 * pprof's profile.proto. In protobuf, encoded messages with different elements of repeated fields
 * are one message with all elements when they are concatenated. So the profile is written piece by
 * piece, and is never in memory as a whole.
 *
 * Addresses do not depend on processes: a mapping begins at an address made up for its object, and
 * is at offset 0 of the file. So processes that map a library at different addresses share
 * locations. Code that is not in files keeps its addresses.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"
#include "export/calls.h"
#include "export/gzip.h"
#include "export/job.h"
#include "export/profile.pb-c.h"
#include "perfdata/outcomes.h"
#include "profile/recording.h"
#include "profile/rows.h"
#include "symbols/demangle.h"
#include "symbols/dwarf.h"

/* Made-up addresses: the first object's, and the alignment and least distance of the others */
#define OBJECT_ALIGN	(1ULL << 21)
#define FIRST_OBJECT	(1ULL << 22)

/*
 * An object.
 *
 * @samples: in it, not in what it called
 * @low, @high: lowest and highest address in it that has samples or calls code that has
 * @base: added to an address it gives the address in the profile
 * @mapping: id of its mapping
 * @locations: ids by address
 * @functions: ids by symbol
 * @seen: @low and @high are valid
 * @source: files, lines and inlined functions are known
 */
struct object {
	u64 samples, low, high, base;
	u64 mapping;
	struct idmap locations, functions;
	bool seen, source;
};

/*
 * @strings: ids are indexes in string_table; 0 is ""
 * @inlined: ids of functions that have no symbol, by name and file
 * @packed: an encoded piece of the message
 * @calls: with call chains only
 * @location: room for the locations of a sample
 */
struct pprof {
	const struct export_job *job;
	struct gzip gz;
	struct names names;
	struct intern strings;
	struct object *object;		/* by DSO */
	struct idmap inlined;
	u32 nr_locations, nr_functions;
	u8 *packed;
	size_t packed_cap;
	struct calls calls;
	uint64_t *location;
	size_t location_cap;
	int64_t *value;		/* of a sample, two of each event */
	int ret;
};

/* Bytes */

static void write_piece(struct pprof *pp, const Profile *piece)
{
	size_t size = profile__get_packed_size(piece);

	if (!pp->ret && mem_grow(&pp->packed, &pp->packed_cap, size))
		pp->ret = -ENOMEM;
	if (pp->ret)
		return;
	profile__pack(piece, pp->packed);
	gzip_write(&pp->gz, pp->packed, size);
}

static int64_t string(struct pprof *pp, const char *text)
{
	int id = intern_add(&pp->strings, text, strlen(text));

	if (id < 0)
		pp->ret = id;
	return max(id, 0);
}

/* Values of a sample: how many, and how much of what was counted */

/*
 * Servers recognize a profile by the types "samples" and, if time is counted, "cpu": the first
 * event has these. The types of other events have the events' names.
 */
static void set_value_types(struct pprof *pp, size_t nr, ValueType *count, ValueType *amount)
{
	const struct recorded_event *e = session_event(pp->job->s, pp->job->events[nr]);
	char text[256];

	snprintf(text, sizeof(text), "samples:%s", e->name);
	value_type__init(count);
	value_type__init(amount);
	count->type = string(pp, nr ? text : "samples");
	count->unit = string(pp, "count");
	amount->type = string(pp, recording_in_ns(e) && !nr ? "cpu" : e->name);
	amount->unit = string(pp, recording_in_ns(e) ? "nanoseconds" : "count");
}

static void __attribute__((format(printf, 4, 5)))
add_comment(struct pprof *pp, int64_t *comment, size_t *nr, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	comment[(*nr)++] = string(pp, text);
}

#define COMMENTS_MAX 64

struct comments {
	struct pprof *pp;
	int64_t *comment;
	size_t *nr;
};

static void add_not_shown(const char *line, void *ctx)
{
	struct comments *c = ctx;

	if (*c->nr < COMMENTS_MAX)
		add_comment(c->pp, c->comment, c->nr, "not shown: %s", line);
}

/* Comments for the reader: how many samples there are, and what is missing */
static size_t set_comments(struct pprof *pp, int64_t *comment)
{
	const struct session *s = pp->job->s;
	size_t nr = 0, i, len;
	struct comments more = { pp, comment, &nr };
	const char *text;
	u64 n;

	add_comment(pp, comment, &nr, "%llu samples, %llu lost",
		    (unsigned long long)export_samples(pp->job),
		    (unsigned long long)session_counts(s)->lost);
	for (i = 0; i < NR_OUTCOMES; i++)
		if (recording_ledger(s, outcomes[i].name, &n))
			add_comment(pp, comment, &nr, "ledger: %s %llu", outcomes[i].name,
				    (unsigned long long)n);
	text = session_meta(s, "seed", &len);
	if (text)
		add_comment(pp, comment, &nr, "dither seed %.*s", (int)min(len, (size_t)64), text);
	for (i = 0; (text = session_note_nth(s, i)) && nr < COMMENTS_MAX; i++)
		add_comment(pp, comment, &nr, "%s", text);
	export_not_shown(pp->job, add_not_shown, &more);
	return nr;
}

/* @type: room for the types of all values; @types: room for pointers to them */
static void fill_head(struct pprof *pp, ValueType *type, ValueType **types)
{
	const struct recorded_event *e = session_event(pp->job->s, pp->job->event);
	int64_t comment[COMMENTS_MAX];
	Profile head = PROFILE__INIT;
	ValueType period;
	size_t i;

	for (i = 0; i < 2 * pp->job->nr_events; i += 2) {
		set_value_types(pp, i / 2, &type[i], &type[i + 1]);
		types[i] = &type[i];
		types[i + 1] = &type[i + 1];
	}
	period = type[1];
	head.n_sample_type = i;
	head.sample_type = types;
	head.period_type = &period;
	head.period = recording_in_ns(e) ? export_period(pp->job) :
		      e->attr.freq || !e->attr.sample_period ? 0 : e->attr.sample_period;
	head.default_sample_type = period.type;
	head.time_nanos = recording_wall_clock(pp->job->s, pp->job->total->first);
	head.duration_nanos = recording_duration(pp->job->s, pp->job->total);
	head.n_comment = set_comments(pp, comment);
	head.comment = comment;
	write_piece(pp, &head);
}

static void write_head(struct pprof *pp)
{
	size_t nr = 2 * pp->job->nr_events;
	ValueType *type = calloc(nr, sizeof(*type)), **types = calloc(nr, sizeof(*types));

	if (type && types)
		fill_head(pp, type, types);
	else
		pp->ret = -ENOMEM;
	free(types);
	free(type);
}

/* Mappings */

static const struct dso *dso_of(const struct pprof *pp, u32 dso)
{
	return session_dso(pp->job->s, dso);
}

static bool is_file(const struct dso *dso)
{
	return dso->kind == DSO_FILE || dso->kind == DSO_IMAGE || dso->kind == DSO_VDSO;
}

static void see(struct object *object, u64 addr)
{
	if (!object->seen || addr < object->low)
		object->low = addr;
	if (!object->seen || addr > object->high)
		object->high = addr;
	object->seen = true;
}

static void find_callers(struct pprof *pp)
{
	const struct calls *c = &pp->calls;
	struct place p;
	size_t i;

	for (i = 0; i < c->nr; i++)
		see(&pp->object[c->call[i].dso], c->call[i].addr);
	for (i = 0; i < c->hist.nr; i++) {
		calls_place(c, i, &p);
		pp->object[p.dso].samples += hist_counts(&c->hist, i)->count;
	}
}

static int find_objects(struct pprof *pp)
{
	const struct hist *h = &pp->job->total->hist;
	struct place p;
	size_t i;

	pp->object = calloc(session_dsos(pp->job->s), sizeof(*pp->object));
	if (!pp->object)
		return -ENOMEM;
	if (pp->job->chains) {
		find_callers(pp);
		return 0;
	}
	for (i = 0; i < h->nr; i++) {
		aggregate_place(h, hist_entry(h, i)->key, &p);
		if (export_event_nr(pp->job, p.event) == pp->job->nr_events)
			continue;
		see(&pp->object[p.dso], p.where);
		pp->object[p.dso].samples += hist_counts(h, i)->count;
	}
	return 0;
}

static void write_mapping(struct pprof *pp, u32 dso, u64 *next)
{
	struct object *object = &pp->object[dso];
	Mapping map = MAPPING__INIT, *list[] = { &map };
	const struct dso *d = dso_of(pp, dso);
	char id[BUILD_ID_HEX];
	Profile piece = PROFILE__INIT;

	session_load_dso(pp->job->s, dso);
	if (is_file(d)) {
		object->base = *next;
		map.memory_start = *next;
		map.memory_limit = *next + object->high + 1;
		*next = ALIGN_UP(map.memory_limit, OBJECT_ALIGN) + OBJECT_ALIGN;
	} else {
		map.memory_start = object->low & ~0xfffULL;
		map.memory_limit = object->high + (object->high != ~0ULL);
	}
	map.id = object->mapping;
	map.filename = string(pp, d->path);
	map.build_id = string(pp, build_id_hex(&d->build_id, id));
	object->source = pp->job->inlined && source_known(d);
	map.has_functions = d->symtab.nr;
	map.has_filenames = object->source;
	map.has_line_numbers = object->source;
	map.has_inline_frames = object->source;
	piece.n_mapping = 1;
	piece.mapping = list;
	write_piece(pp, &piece);
}

struct rank {
	bool file;
	u64 samples;
	u32 dso;
};

static int by_samples(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->file != y->file)
		return x->file ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return (x->dso > y->dso) - (x->dso < y->dso);
}

/* The file with the most samples comes first: for pprof, the first mapping is the program */
static int write_mappings(struct pprof *pp)
{
	size_t nr = session_dsos(pp->job->s), i;
	struct rank *rank = calloc(nr, sizeof(*rank));
	u64 next = FIRST_OBJECT;

	if (!rank)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		rank[i] = (struct rank){ is_file(dso_of(pp, i)), pp->object[i].samples, i };
	qsort(rank, nr, sizeof(*rank), by_samples);
	for (i = 0; i < nr; i++) {
		if (!pp->object[rank[i].dso].seen)
			continue;
		pp->object[rank[i].dso].mapping = i + 1;
		write_mapping(pp, rank[i].dso, &next);
	}
	free(rank);
	return 0;
}

/* Locations and functions, as samples need them */

static u64 write_function(struct pprof *pp, struct idmap *known, u64 key, Function *f)
{
	Profile piece = PROFILE__INIT;

	f->id = ++pp->nr_functions;
	if (idmap_set(known, key, f->id))
		pp->ret = -ENOMEM;
	piece.n_function = 1;
	piece.function = &f;
	write_piece(pp, &piece);
	return f->id;
}

/* @file: NULL if not known */
static u64 function_id(struct pprof *pp, u32 dso, u32 sym, const char *file)
{
	const struct dso *d = dso_of(pp, dso);
	struct idmap *known = &pp->object[dso].functions;
	u32 id = idmap_get(known, sym);
	Function f = FUNCTION__INIT;

	if (id != IDMAP_NONE)
		return id;
	f.name = string(pp, names_symbol(&pp->names, d, dso, sym));
	f.system_name = string(pp, symtab_name(&d->symtab, sym));
	f.filename = string(pp, file ? file : "");
	return write_function(pp, known, sym, &f);
}

/* The id of a function that was inlined, or has no symbol */
static u64 source_function_id(struct pprof *pp, const struct source_frame *frame)
{
	const char *name = frame->name ? frame->name : "[unknown]";
	char *plain = pp->names.demangle ? demangle(name) : NULL;
	Function f = FUNCTION__INIT;
	u64 key;
	u32 id;

	f.system_name = string(pp, name);
	f.name = plain ? string(pp, plain) : f.system_name;
	f.filename = string(pp, frame->file ? frame->file : "");
	free(plain);
	key = (u64)f.system_name << 32 | f.filename;
	id = idmap_get(&pp->inlined, key);
	return id != IDMAP_NONE ? id : write_function(pp, &pp->inlined, key, &f);
}

/* Fill in lines, innermost function first. Return: their number */
static size_t find_lines(struct pprof *pp, u32 dso, u64 addr, Line *line)
{
	struct dso *d = session_dso(pp->job->s, dso);
	struct source_frame frame[SOURCE_FRAMES_MAX];
	u32 sym = symtab_find(&d->symtab, addr);
	size_t nr = 0, i;

	if (pp->object[dso].source)
		nr = source_find(d, addr, frame);
	for (i = 0; i < nr; i++) {
		line__init(&line[i]);
		line[i].line = frame[i].line;
		line[i].function_id = i + 1 == nr && sym != SYM_NONE ?
			function_id(pp, dso, sym, frame[i].file) :
			source_function_id(pp, &frame[i]);
	}
	if (!nr && sym != SYM_NONE) {
		line__init(&line[nr]);
		line[nr++].function_id = function_id(pp, dso, sym, NULL);
	}
	return nr;
}

static u64 location_id(struct pprof *pp, u32 dso, u64 addr)
{
	Location l = LOCATION__INIT, *list[] = { &l };
	Line line[SOURCE_FRAMES_MAX], *lines[SOURCE_FRAMES_MAX];
	struct object *object = &pp->object[dso];
	u32 id = idmap_get(&object->locations, addr);
	Profile piece = PROFILE__INIT;
	size_t i;

	if (id != IDMAP_NONE)
		return id;
	id = ++pp->nr_locations;
	if (idmap_set(&object->locations, addr, id))
		pp->ret = -ENOMEM;
	l.id = id;
	l.mapping_id = object->mapping;
	l.address = object->base + addr;
	l.n_line = find_lines(pp, dso, addr, line);
	for (i = 0; i < l.n_line; i++)
		lines[i] = &line[i];
	l.line = lines;
	piece.n_location = 1;
	piece.location = list;
	write_piece(pp, &piece);
	return id;
}

/* Samples */

#define LABELS_MAX 12

struct labels {
	Label label[LABELS_MAX];
	struct Label *list[LABELS_MAX];
	size_t nr;
};

static Label *add_label(struct pprof *pp, struct labels *l, const char *key)
{
	Label *label = &l->label[l->nr];

	label__init(label);
	label->key = string(pp, key);
	l->list[l->nr++] = label;
	return label;
}

static void label_text(struct pprof *pp, struct labels *l, const char *key, const char *text)
{
	add_label(pp, l, key)->str = string(pp, text);
}

static void label_number(struct pprof *pp, struct labels *l, const char *key, s64 value)
{
	add_label(pp, l, key)->num = value;
}

/* perf_data_converter's names, so that the same queries work for its profiles and ours */
static const char *execution_mode(unsigned int mode)
{
	static const char *const names[] = {
		[PERF_RECORD_MISC_KERNEL] = "Host Kernel",
		[PERF_RECORD_MISC_USER] = "Host User",
		[PERF_RECORD_MISC_HYPERVISOR] = "Hypervisor",
		[PERF_RECORD_MISC_GUEST_KERNEL] = "Guest Kernel",
		[PERF_RECORD_MISC_GUEST_USER] = "Guest User",
	};

	return mode < ARRAY_SIZE(names) ? names[mode] : NULL;
}

/* For numbers that may be 0: they are written as text, as pprof ignores labels with the number 0 */
static const char *decimal(unsigned int value, char *buf)
{
	snprintf(buf, REPORT_TEXT_MAX, "%u", value);
	return buf;
}

static void add_labels(struct pprof *pp, struct labels *l, const struct place *p)
{
	const struct session *s = pp->job->s;
	struct place process = *p;
	char buf[REPORT_TEXT_MAX];

	process.comm = session_comm_at(s, p->pid, pp->job->total->last);
	if (process.comm == SIDEBAND_NO_COMM || p->pid == p->tid)
		process.comm = p->comm;
	label_number(pp, l, "pid", p->pid);
	label_number(pp, l, "tid", p->tid);
	label_text(pp, l, "comm", report_comm(s, &process, buf));
	label_text(pp, l, "thread_comm", report_comm(s, p, buf));
	if (p->cpu != NO_CPU)
		label_text(pp, l, "cpu", decimal(p->cpu, buf));
	if (execution_mode(p->mode))
		label_text(pp, l, "execution_mode", execution_mode(p->mode));
	if (p->el != NO_EL) {
		label_text(pp, l, "el", report_el(p->el, buf));
		label_text(pp, l, "security_state", report_state(p->state));
		label_text(pp, l, "attribution", report_method(p->method));
	}
	if (p->cgroup < CGROUP_UNKNOWN)
		label_text(pp, l, "cgroup", report_cgroup(s, p));
	if (p->idle)
		label_text(pp, l, "idle", "idle");
	if (p->vmid != NO_VMID)
		label_text(pp, l, "vmid", report_vmid(p->vmid, buf));
}

static void write_sample(struct pprof *pp, const struct place *p, const struct hist *h,
			 size_t entry, size_t nr_locations)
{
	Sample s = SAMPLE__INIT, *list[] = { &s };
	Profile piece = PROFILE__INIT;
	struct labels labels = { .nr = 0 };
	int64_t *value = pp->value + 2 * export_event_nr(pp->job, p->event);

	memset(pp->value, 0, 2 * pp->job->nr_events * sizeof(*pp->value));
	value[0] = hist_counts(h, entry)->count;
	value[1] = hist_entry(h, entry)->weight;
	add_labels(pp, &labels, p);
	s.n_location_id = nr_locations;
	s.location_id = pp->location;
	s.n_value = 2 * pp->job->nr_events;
	s.value = pp->value;
	s.n_label = labels.nr;
	s.label = labels.list;
	piece.n_sample = 1;
	piece.sample = list;
	write_piece(pp, &piece);
}

static int write_samples(struct pprof *pp)
{
	const struct hist *h = &pp->job->total->hist;
	struct place p;
	size_t i;

	if (mem_grow(&pp->location, &pp->location_cap, 1))
		return -ENOMEM;
	for (i = 0; i < h->nr && !pp->ret; i++) {
		aggregate_place(h, hist_entry(h, i)->key, &p);
		if (export_event_nr(pp->job, p.event) == pp->job->nr_events)
			continue;
		pp->location[0] = location_id(pp, p.dso, p.where);
		write_sample(pp, &p, h, i, 1);
	}
	return pp->ret;
}

/* Store the locations of a chain, innermost first. Return: their number */
static size_t find_locations(struct pprof *pp, u32 call)
{
	const struct call *c;
	size_t nr = 0;

	for (; call != CALL_NONE && !pp->ret; call = c->caller) {
		c = &pp->calls.call[call];
		if (mem_grow(&pp->location, &pp->location_cap, nr + 1))
			pp->ret = -ENOMEM;
		else
			pp->location[nr++] = location_id(pp, c->dso, c->addr);
	}
	return nr;
}

static int write_chains(struct pprof *pp)
{
	struct place p;
	size_t i, nr;

	for (i = 0; i < pp->calls.hist.nr && !pp->ret; i++) {
		nr = find_locations(pp, calls_place(&pp->calls, i, &p));
		write_sample(pp, &p, &pp->calls.hist, i, nr);
	}
	return pp->ret;
}

/* Strings of protobuf are UTF-8, but a thread's name may be any bytes: replace others by '?' */
static void clean(char *text)
{
	unsigned int n;

	for (; *text; text += n) {
		n = utf8_length(text);
		if (!n) {
			*text = '?';
			n = 1;
		}
	}
}

static void write_strings(struct pprof *pp)
{
	Profile piece = PROFILE__INIT;
	size_t i;
	char *text;

	piece.n_string_table = 1;
	piece.string_table = &text;
	for (i = 0; i < pp->strings.nr && !pp->ret; i++) {
		text = strdup(intern_text(&pp->strings, i));
		if (!text) {
			pp->ret = -ENOMEM;
			return;
		}
		clean(text);
		write_piece(pp, &piece);
		free(text);
	}
}

/* All of it */

static int write_profile(struct pprof *pp)
{
	int ret = 0;

	pp->value = calloc(2 * pp->job->nr_events, sizeof(*pp->value));
	if (!pp->value)
		return -ENOMEM;
	string(pp, "");
	write_head(pp);
	if (pp->job->chains)
		ret = calls_find(&pp->calls, pp->job);
	if (!ret)
		ret = find_objects(pp);
	if (!ret)
		ret = write_mappings(pp);
	if (!ret)
		ret = pp->job->chains ? write_chains(pp) : write_samples(pp);
	write_strings(pp);
	if (!ret)
		gzip_end(&pp->gz);
	return ret ? ret : pp->ret;
}

int export_pprof(const struct export_job *job, struct out *o, struct error *err)
{
	struct pprof pp = { .job = job };
	size_t i;
	int ret;

	if (gzip_init(&pp.gz, o))
		return error_set(err, -ENOMEM, "out of memory");
	names_init(&pp.names, job->demangle);
	ret = write_profile(&pp);
	gzip_deinit(&pp.gz);
	names_deinit(&pp.names);
	intern_deinit(&pp.strings);
	idmap_deinit(&pp.inlined);
	for (i = 0; pp.object && i < session_dsos(job->s); i++) {
		idmap_deinit(&pp.object[i].locations);
		idmap_deinit(&pp.object[i].functions);
	}
	calls_deinit(&pp.calls);
	free(pp.object);
	free(pp.location);
	free(pp.packed);
	free(pp.value);
	return ret ? error_set(err, ret, "out of memory") : 0;
}
