// SPDX-License-Identifier: GPL-2.0-only
/*
 * pprof's profile.proto. A message that is cut into several, each with some of the repeated fields,
 * is the same message when they are put one behind the other (protobuf, "last one wins"): so it is
 * written piece by piece, and never in memory as a whole.
 *
 * An address is that of its object: a mapping begins at an address made up for the object, and is
 * at offset 0 of the file. So processes that have one library in different places share locations.
 * Code that is not in files keeps its addresses.
 */
#include <stdarg.h>
#include <stdio.h>
#include <zlib.h>

#include "export/calls.h"
#include "export/profile.pb-c.h"
#include "lib/demangle.h"
#include "lib/recording.h"
#include "lib/report.h"
#include "lib/source.h"

/* Room between the made-up places of two objects, and where the first one is */
#define OBJECT_ALIGN	(1ULL << 21)
#define FIRST_OBJECT	(1ULL << 22)

/*
 * An object.
 *
 * @samples: in it, and not in what it called
 * @seen: it has samples, or calls something that has
 * @low, @high: of the addresses of these in the object
 * @base: what to add to them
 * @locations: ids by address, @functions: ids by symbol
 * @source: has files, lines and inlined functions
 */
struct object {
	u64 samples, low, high, base;
	u64 mapping;
	struct idmap locations, functions;
	bool seen, source;
};

/*
 * @strings: ids are indexes in string_table; 0 is ""
 * @inlined: ids of functions by name and file, of those that are no symbols
 * @packed: a piece of the message
 * @calls: where there are call chains, with room for the locations of one
 */
struct pprof {
	const struct export_job *job;
	struct out *o;
	z_stream z;
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
	int ret;
};

/* Bytes */

static void deflate_bytes(struct pprof *pp, const u8 *data, size_t size, int flush)
{
	u8 buf[OUT_ITEM_MAX];

	pp->z.next_in = (u8 *)data;
	pp->z.avail_in = size;
	do {
		pp->z.next_out = buf;
		pp->z.avail_out = sizeof(buf);
		deflate(&pp->z, flush);
		out_bytes(pp->o, (char *)buf, sizeof(buf) - pp->z.avail_out);
	} while (!pp->z.avail_out);
}

static void write_piece(struct pprof *pp, const Profile *piece)
{
	size_t size = profile__get_packed_size(piece);

	if (!pp->ret && mem_grow(&pp->packed, &pp->packed_cap, size))
		pp->ret = -ENOMEM;
	if (pp->ret)
		return;
	profile__pack(piece, pp->packed);
	deflate_bytes(pp, pp->packed, size, Z_NO_FLUSH);
}

static int64_t string(struct pprof *pp, const char *text)
{
	int id = intern_add(&pp->strings, text, strlen(text));

	if (id < 0)
		pp->ret = id;
	return max(id, 0);
}

/* Values of a sample: how many, and how much of what was counted */

static void set_value_type(struct pprof *pp, ValueType *type)
{
	const struct recorded_event *e = &pp->job->s->pd->events[pp->job->event];

	/* These words are what servers know a CPU profile by */
	type->type = string(pp, recording_in_ns(e) ? "cpu" : e->name);
	type->unit = string(pp, recording_in_ns(e) ? "nanoseconds" : "count");
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

/* For people: how many samples there are, and what is missing */
static size_t set_comments(struct pprof *pp, int64_t *comment)
{
	const struct session *s = pp->job->s;
	const char *text;
	size_t nr = 0, i, len;
	u64 n;

	add_comment(pp, comment, &nr, "%llu samples, %llu lost",
		    (unsigned long long)pp->job->samples,
		    (unsigned long long)s->counts.lost);
	for (i = 0; i < RECORDING_OUTCOMES; i++)
		if (recording_planned(s, recording_outcomes[i], &n))
			add_comment(pp, comment, &nr, "ledger: %s %llu", recording_outcomes[i],
				    (unsigned long long)n);
	text = perfdata_meta(s->pd, "seed", &len);
	if (text)
		add_comment(pp, comment, &nr, "dither seed %.*s", (int)min(len, (size_t)64), text);
	for (i = 0; i < s->nr_notes && nr < COMMENTS_MAX; i++)
		add_comment(pp, comment, &nr, "%s", s->notes[i]);
	return nr;
}

static void write_head(struct pprof *pp)
{
	ValueType count = VALUE_TYPE__INIT, amount = VALUE_TYPE__INIT, period = VALUE_TYPE__INIT;
	const struct recorded_event *e = &pp->job->s->pd->events[pp->job->event];
	ValueType *types[] = { &count, &amount };
	int64_t comment[COMMENTS_MAX];
	Profile head = PROFILE__INIT;

	count.type = string(pp, "samples");
	count.unit = string(pp, "count");
	set_value_type(pp, &amount);
	period = amount;
	head.n_sample_type = ARRAY_SIZE(types);
	head.sample_type = types;
	head.period_type = &period;
	head.period = recording_in_ns(e) ? export_period(pp->job) :
		      e->attr.freq || !e->attr.sample_period ? 0 : e->attr.sample_period;
	head.default_sample_type = amount.type;
	head.time_nanos = recording_wall_clock(pp->job->s, pp->job->total->first);
	head.duration_nanos = recording_duration(pp->job->s, pp->job->total);
	head.n_comment = set_comments(pp, comment);
	head.comment = comment;
	write_piece(pp, &head);
}

/* Mappings */

static const struct dso *dso_of(const struct pprof *pp, u32 dso)
{
	return pp->job->s->dsos.dso[dso];
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
		pp->object[p.dso].samples += hist_finished(&c->hist, i)->count;
	}
}

static int find_objects(struct pprof *pp)
{
	const struct hist *h = &pp->job->total->hist;
	struct place p;
	size_t i;

	pp->object = calloc(pp->job->s->dsos.nr, sizeof(*pp->object));
	if (!pp->object)
		return -ENOMEM;
	if (pp->job->chains) {
		find_callers(pp);
		return 0;
	}
	for (i = 0; i < h->nr; i++) {
		aggregate_place(h, hist_entry(h, i)->key, &p);
		if (p.event != pp->job->event)
			continue;
		see(&pp->object[p.dso], p.where);
		pp->object[p.dso].samples += hist_finished(h, i)->count;
	}
	return 0;
}

static void write_mapping(struct pprof *pp, u32 dso, u64 *next)
{
	struct object *object = &pp->object[dso];
	Mapping map = MAPPING__INIT, *list[] = { &map };
	const struct dso *d = dso_of(pp, dso);
	char id[2 * BUILD_ID_MAX + 1];
	Profile piece = PROFILE__INIT;

	dso_load(&pp->job->s->dsos, pp->job->s->dsos.dso[dso]);
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
	map.build_id = string(pp, export_build_id(&d->build_id, id));
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

/* The file that is sampled most comes first, as pprof takes the first for the program */
static int write_mappings(struct pprof *pp)
{
	size_t nr = pp->job->s->dsos.nr, i;
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

/* Of a function that was inlined, or has no symbol */
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

/* Innermost function first. Return: how many lines */
static size_t find_lines(struct pprof *pp, u32 dso, u64 addr, Line *line)
{
	struct dso *d = pp->job->s->dsos.dso[dso];
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

/* As perf_data_converter calls them, so that queries made for one fit the other */
static const char *execution_mode(unsigned int mode)
{
	switch (mode) {
	case PERF_RECORD_MISC_KERNEL:
		return "Host Kernel";
	case PERF_RECORD_MISC_USER:
		return "Host User";
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return "Guest Kernel";
	case PERF_RECORD_MISC_GUEST_USER:
		return "Guest User";
	case PERF_RECORD_MISC_HYPERVISOR:
		return "Hypervisor";
	}
	return NULL;
}

/* pprof takes a label of number 0 for one that is not there */
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
	u64 since, until;

	process.comm = sideband_comm(&s->sb, p->pid, pp->job->total->last, &since, &until);
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
		snprintf(buf, sizeof(buf), "EL%u", p->el);
		label_text(pp, l, "el", buf);
		label_text(pp, l, "security_state", report_state(p->state));
		label_text(pp, l, "attribution", report_method(p->method));
	}
	if (p->cgroup < CGROUP_UNKNOWN)
		label_text(pp, l, "cgroup", report_cgroup(s, p));
	if (p->idle)
		label_text(pp, l, "idle", "idle");
	if (p->vmid != NO_VMID)
		label_text(pp, l, "vmid", decimal(p->vmid, buf));
}

static void write_sample(struct pprof *pp, const struct place *p, const struct hist *h,
			 size_t entry, size_t nr_locations)
{
	Sample s = SAMPLE__INIT, *list[] = { &s };
	Profile piece = PROFILE__INIT;
	struct labels labels = { .nr = 0 };
	int64_t value[2];

	value[0] = hist_finished(h, entry)->count;
	value[1] = hist_entry(h, entry)->weight;
	add_labels(pp, &labels, p);
	s.n_location_id = nr_locations;
	s.location_id = pp->location;
	s.n_value = ARRAY_SIZE(value);
	s.value = value;
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
		if (p.event != pp->job->event)
			continue;
		pp->location[0] = location_id(pp, p.dso, p.where);
		write_sample(pp, &p, h, i, 1);
	}
	return pp->ret;
}

/* Of a chain, the innermost first. Return: how many */
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

/* A string of protobuf is UTF-8; what is not, a name of a thread may be any bytes, becomes '?' */
static void clean(char *text)
{
	unsigned int n;

	for (; *text; text += n) {
		n = out_utf8_length(text);
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
		deflate_bytes(pp, NULL, 0, Z_FINISH);
	return ret ? ret : pp->ret;
}

int export_pprof(const struct export_job *job, struct out *o, struct error *err)
{
	struct pprof pp = { .job = job, .o = o };
	size_t i;
	int ret;

	/* 16: with the header and trailer of gzip */
	if (deflateInit2(&pp.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return error_set(err, -ENOMEM, "out of memory");
	names_init(&pp.names, job->demangle);
	ret = write_profile(&pp);
	deflateEnd(&pp.z);
	names_deinit(&pp.names);
	intern_deinit(&pp.strings);
	idmap_deinit(&pp.inlined);
	for (i = 0; pp.object && i < job->s->dsos.nr; i++) {
		idmap_deinit(&pp.object[i].locations);
		idmap_deinit(&pp.object[i].functions);
	}
	calls_deinit(&pp.calls);
	free(pp.object);
	free(pp.location);
	free(pp.packed);
	return ret ? error_set(err, ret, "out of memory") : 0;
}
