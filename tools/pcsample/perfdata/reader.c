// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#if HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/progress.h"
#include "base/safe-file.h"
#include "base/temporary.h"
#include "perfdata/reader.h"
#include "perfdata/swap.h"
#include "perfdata/tracing.h"

/* Damage */

static void note_damage(struct perfdata *pd, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Report the first damage only: later damage may follow from it */
static void note_damage(struct perfdata *pd, const char *format, ...)
{
	char text[384];
	va_list ap;

	if (pd->damage.text[0])
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	error_set(&pd->damage, -EINVAL, "%s%s: %s", pd->path, pd->part, text);
}

void perfdata_damaged(struct perfdata *pd, u64 pos, const char *format, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	note_damage(pd, "%soffset %" PRIu64 ": %s", pd->unpacked ? "unpacked " : "",
		    pd->data_offset + pos, text);
	pd->data_size = pos;
}

void perfdata_bad_record(struct perfdata *pd, u64 pos)
{
	const u8 *rec = pd->data + pos;
	u64 left = pd->data_size - pos;

	if (left < sizeof(struct perf_event_header))
		perfdata_damaged(pd, pos, "%" PRIu64 " bytes, expected a record header of 8", left);
	else if (rec_size(rec) < sizeof(struct perf_event_header))
		perfdata_damaged(pd, pos,
				 "record of type %u says it has %u bytes, expected 8 or more",
				 rec_type(rec), rec_size(rec));
	else
		perfdata_damaged(pd, pos,
				 "%" PRIu64 " bytes, expected a record of type %u and %" PRIu64
				 " bytes", left, rec_type(rec),
				 rec_size(rec) + perfdata_payload(rec));
}

/* The file in memory */

int perfdata_spool(struct error *err)
{
	const char *dir = temporary_place();
	int fd;

	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_set(err, -errno, "%s: no temporary file: %s; set TMPDIR", dir,
				 strerror(errno));
	return fd;
}

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

/* Larger files may not fit into memory together with everything else */
#define POPULATE_MAX_BYTES (1LL << 30)

static int map_fd(int fd, struct perfdata_span *ret)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st))
		return -errno;
	ret->p = NULL;
	ret->size = st.st_size;
	if (!st.st_size)
		return 0;
	p = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	ret->p = p;
	return 0;
}

int perfdata_replace(struct perfdata *pd, int fd)
{
	struct perfdata_span records;
	int ret = map_fd(fd, &records);

	if (ret)
		return ret;
	if (pd->spool.p)
		munmap((void *)pd->spool.p, pd->spool.size);
	pd->spool = records;
	pd->data = records.p;
	pd->data_size = records.size;
	pd->data_offset = 0;
	pd->unpacked = true;
	return 0;
}

/* Convert the other byte order in the mapping, which is private: the file does not change */
static int swap_input(struct perfdata *pd)
{
	if (!swap_needed(pd->map, pd->map_size))
		return 0;
	pd->swapper = calloc(1, sizeof(*pd->swapper));
	if (!pd->swapper)
		return -ENOMEM;
	if (mprotect((void *)pd->map, pd->map_size, PROT_READ | PROT_WRITE))
		return -errno;
	return swap_file(pd->swapper, (u8 *)pd->map, pd->map_size);
}

static int swap_span(struct perfdata *pd, const struct perfdata_span *s)
{
	if (!pd->swapper || !s->size)
		return 0;
	if (mprotect((void *)s->p, s->size, PROT_READ | PROT_WRITE))
		return -errno;
	return swap_records(pd->swapper, (u8 *)s->p, s->size);
}

void perfdata_populate(const struct perfdata *pd)
{
	const struct perfdata_span map = { pd->map, pd->map_size };
	const struct perfdata_span *s = pd->unpacked ? &pd->spool : &map;

	if (s->size <= POPULATE_MAX_BYTES)
		madvise((void *)s->p, s->size, MADV_POPULATE_READ);
}

bool perfdata_is_magic(u64 magic)
{
	return magic == PERFDATA_MAGIC || magic == PERFDATA_MAGIC_1 ||
	       magic == PERFDATA_MAGIC_SWAPPED;
}

/* Is it known by now that the input is no recording? Copying all of it could fill the disk. */
static bool is_no_recording(int spool)
{
	u8 magic[8];

	return pread(spool, magic, sizeof(magic), 0) == sizeof(magic) &&
	       !perfdata_is_magic(load64(magic));
}

static int copy_to_spool(int from, int to, struct error *err)
{
	static const size_t size = 1 << 18;
	char *buf = malloc(size);
	u64 done = 0;
	ssize_t n;
	int ret = 0;

	if (!buf)
		return -ENOMEM;
	while (!ret && !is_no_recording(to)) {
		n = read(from, buf, size);
		if (!n)
			break;
		if (n < 0)
			ret = errno == EINTR ? 0 : -errno;
		else
			ret = write_all(to, buf, n) == n ? 0 : -errno;
		if (ret && n > 0)
			error_set(err, ret, "%s: temporary file: %s; set TMPDIR", temporary_place(),
				  strerror(-ret));
		done += max(n, (ssize_t)0);
		progress("reading", "standard input", done, 0);
	}
	free(buf);
	return ret;
}

/* perf record --threads writes "data", which has the header, and "data.N" for each thread */
bool perfdata_file(const struct perfdata *pd, unsigned int i, char *path)
{
	if (i)
		snprintf(path, PATH_MAX, "%s/data.%u", pd->path, i - 1);
	else
		snprintf(path, PATH_MAX, "%s/data", pd->path);
	return !i || !access(path, F_OK);
}

static int open_input(struct perfdata *pd, const char *path, struct error *err)
{
	char first[PATH_MAX];
	struct stat st;
	int fd;

	if (!strcmp(path, "-")) {
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	} else if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		pd->directory = true;
		pd->part = "/data";
		perfdata_file(pd, 0, first);
		fd = regular_open(first, &st);
		if (fd < 0)
			return error_set(err, -EISDIR, "%s: is a directory, expected a perf.data"
					 " or one with a file data: %s", path,
					 fd == -EINVAL ? "that is none" : strerror(-fd));
	} else {
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	return fd < 0 ? error_set(err, -errno, "%s: %s", pd->path, strerror(errno)) : fd;
}

/* Put a copy in the place of input that cannot be mapped */
static int copy_input(struct perfdata *pd, struct error *err)
{
	int spool = perfdata_spool(err), ret;

	if (spool < 0)
		return spool;
	ret = copy_to_spool(pd->fd, spool, err);
	close(pd->fd);
	pd->fd = spool;
	return ret;
}

static int map_input(struct perfdata *pd, const char *path, struct error *err)
{
	struct perfdata_span span = { 0 };
	struct stat st;
	int ret = 0;

	pd->fd = open_input(pd, path, err);
	if (pd->fd < 0)
		return pd->fd;
	if (fstat(pd->fd, &st))
		return error_set(err, -errno, "%s: %s", pd->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		ret = copy_input(pd, err);
	if (!ret)
		ret = map_fd(pd->fd, &span);
	if (ret && !err->text[0])
		error_set(err, ret, "%s: %s", pd->path, strerror(-ret));
	pd->map = span.p;
	pd->map_size = span.size;
	return ret;
}

/* A section, cut off where the file ends */
static struct perfdata_span section(const struct perfdata *pd, u64 offset, u64 size)
{
	struct perfdata_span s = { 0 };

	if (offset < pd->map_size) {
		s.p = pd->map + offset;
		s.size = min(size, pd->map_size - offset);
	}
	return s;
}

/* Events */

static struct recorded_event *add_event(struct perfdata *pd, const u8 *attr, u64 size)
{
	struct recorded_event *e;

	if (mem_grow(&pd->events, &pd->events_cap, pd->nr_events + 1))
		return NULL;
	e = &pd->events[pd->nr_events++];
	memset(e, 0, sizeof(*e));
	memcpy(&e->attr, attr, min(size, (u64)sizeof(e->attr)));
	sample_layout_init(&e->layout, &e->attr);
	return e;
}

static int add_ids(struct perfdata *pd, struct recorded_event *e, struct perfdata_span ids)
{
	u64 i, nr = ids.size / 8, *grown;

	if (!nr)
		return 0;
	grown = reallocarray(e->ids, e->nr_ids + nr, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	e->ids = grown;
	for (i = 0; i < nr; i++) {
		if (idmap_set(&pd->event_ids, load64(ids.p + i * 8), e - pd->events))
			return -ENOMEM;
		e->ids[e->nr_ids++] = load64(ids.p + i * 8);
	}
	return 0;
}

static int read_attrs(struct perfdata *pd, const struct perfdata_header *h)
{
	struct perfdata_span attrs = section(pd, h->attrs.offset, h->attrs.size), ids;
	u64 attr_bytes = h->attr_size - sizeof(struct perfdata_section), i, offset, size;
	u64 ids_left = pd->map_size;
	struct recorded_event *e;

	if (attrs.size < h->attrs.size)
		note_damage(pd, "offset %" PRIu64 ": %" PRIu64
			    " bytes of event attributes, expected %" PRIu64, h->attrs.offset,
			    attrs.size, h->attrs.size);
	for (i = 0; i < attrs.size / h->attr_size; i++) {
		e = add_event(pd, attrs.p + i * h->attr_size, attr_bytes);
		if (!e)
			return -ENOMEM;
		offset = load64(attrs.p + i * h->attr_size + attr_bytes);
		size = load64(attrs.p + i * h->attr_size + attr_bytes + 8);
		ids = section(pd, offset, size);
		if (ids.size < size)
			note_damage(pd, "offset %" PRIu64 ": %" PRIu64
				    " bytes of event ids, expected %" PRIu64, offset, ids.size,
				    size);
		/* Events do not share ids: if all ids take more room than the file has, some do */
		if (ids.size > ids_left) {
			note_damage(pd, "offset %" PRIu64 ": the ids of event %" PRIu64
				    " are those of other events", offset, i);
			break;
		}
		ids_left -= ids.size;
		if (add_ids(pd, e, ids))
			return -ENOMEM;
	}
	return 0;
}

static const char *const software_names[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations",
	"minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy",
	"bpf-output", "cgroup-switches",
};

static const char *const hardware_names[] = {
	"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses",
	"bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};

/*
 * Modifiers such as ":u" and ":kpp", as in perf's -e: levels that are not excluded, and precision.
 * Not those for guests (G, H): perf's default has changed.
 */
static void add_modifiers(char *text, const struct perf_event_attr *attr)
{
	bool level = attr->exclude_kernel || attr->exclude_user || attr->exclude_hv;
	char *p = text;

	*p++ = ':';
	if (level && !attr->exclude_kernel)
		*p++ = 'k';
	if (level && !attr->exclude_user)
		*p++ = 'u';
	if (level && !attr->exclude_hv)
		*p++ = 'h';
	p += sprintf(p, "%.*s", attr->precise_ip, "ppp");
	*(p == text + 1 ? text : p) = '\0';
}

/* PERF_TYPE_HW_CACHE: one byte each for the cache, the operation and its result */
static bool cache_name(u64 config, char *text, size_t size)
{
	static const char *const caches[] = {
		"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
	};
	static const char *const ops[] = { "load", "store", "prefetch" };
	static const char *const all[] = { "loads", "stores", "prefetches" };
	u8 cache = config, op = config >> 8, result = config >> 16;

	if (config >> 24 || cache >= ARRAY_SIZE(caches) || op >= ARRAY_SIZE(ops) || result > 1)
		return false;
	if (result)
		snprintf(text, size, "%s-%s-misses", caches[cache], ops[op]);
	else
		snprintf(text, size, "%s-%s", caches[cache], all[op]);
	return true;
}

/* Make the name that perf uses, for an event whose name was not recorded */
static char *make_name(const struct perf_event_attr *attr)
{
	char *name = NULL, modifiers[16], cache[32];
	int ret;

	add_modifiers(modifiers, attr);
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config < ARRAY_SIZE(software_names))
		ret = asprintf(&name, "%s%s", software_names[attr->config], modifiers);
	else if (attr->type == PERF_TYPE_HARDWARE && attr->config < ARRAY_SIZE(hardware_names))
		ret = asprintf(&name, "%s%s", hardware_names[attr->config], modifiers);
	else if (attr->type == PERF_TYPE_HW_CACHE && cache_name(attr->config, cache, sizeof(cache)))
		ret = asprintf(&name, "%s%s", cache, modifiers);
	else if (attr->type == PERF_TYPE_RAW)
		ret = asprintf(&name, "raw 0x%" PRIx64 "%s", (u64)attr->config, modifiers);
	else
		ret = asprintf(&name, "type %u config 0x%" PRIx64, attr->type, (u64)attr->config);
	return ret < 0 ? NULL : name;
}

/* Feature sections */

const char *perfdata_string(const struct perfdata *pd, enum perfdata_feature feature)
{
	struct perfdata_span s = pd->feature[feature];
	const char *text;

	return span_take_string(&s, &text) ? text : NULL;
}

void perfdata_strings(const struct perfdata *pd, enum perfdata_feature feature,
		      void (*fn)(const char *text, void *ctx), void *ctx)
{
	struct perfdata_span s = pd->feature[feature];
	const char *text;
	u32 nr;

	if (!span_take_u32(&s, &nr))
		return;
	while (nr-- && span_take_string(&s, &text))
		fn(text, ctx);
}

/* Find the first line with the key at or behind @from */
static const char *find_line(const struct perfdata_span *text, const char *from, const char *key,
			     size_t *len)
{
	const char *p = from, *end = (const char *)text->p + text->size, *eol;
	size_t key_len = strlen(key);

	*len = 0;
	for (; p < end && (eol = memchr(p, '\n', end - p)); p = eol + 1) {
		if (eol - p > key_len && !memcmp(p, key, key_len) && p[key_len] == ' ') {
			*len = eol - p - key_len - 1;
			return p + key_len + 1;
		}
	}
	return NULL;
}

const char *perfdata_meta(const struct perfdata *pd, const char *key, size_t *len)
{
	const struct perfdata_span *text = &pd->feature[PERFDATA_PCS_METADATA];
	const char *p = (const char *)text->p, *found = NULL;
	size_t n;

	while (p && (p = find_line(text, p, key, &n))) {
		found = p;
		*len = n;
		p += n + 1;
	}
	return found;
}

const char *perfdata_meta_nth(const struct perfdata *pd, const char *key, unsigned int nth,
			      size_t *len)
{
	const struct perfdata_span *text = &pd->feature[PERFDATA_PCS_METADATA];
	const char *p = (const char *)text->p;

	while (p && (p = find_line(text, p, key, len)) && nth--)
		p += *len + 1;
	return p;
}

bool perfdata_event_is_pcsample(const struct recorded_event *e)
{
	return e->name && !strncmp(e->name, PCSAMPLE_PMU, strlen(PCSAMPLE_PMU));
}

bool perfdata_event_has_counts(const struct recorded_event *e)
{
	return perfdata_event_is_pcsample(e) && e->attr.config & PCSAMPLE_SNAPSHOT;
}

bool perfdata_meta_u64(const struct perfdata *pd, const char *key, u64 *ret)
{
	const char *text;
	size_t len = 0, i;
	u64 v = 0;

	text = perfdata_meta(pd, key, &len);
	if (!text || !len)
		return false;
	for (i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(v, 10ULL, &v) ||
		    __builtin_add_overflow(v, (u64)(text[i] - '0'), &v))
			return false;
	}
	*ret = v;
	return true;
}

static int read_features(struct perfdata *pd, const struct perfdata_header *h)
{
	u64 table = h->data.offset + h->data.size, bit, offset, size;
	struct perfdata_span s;

	for (bit = 0; bit < PERFDATA_FEATURE_BITS; bit++) {
		if (!(h->features[bit / 64] >> (bit % 64) & 1))
			continue;
		s = section(pd, table, sizeof(struct perfdata_section));
		if (s.size < sizeof(struct perfdata_section)) {
			note_damage(pd, "offset %" PRIu64 ": %" PRIu64
				    " bytes, expected the place of feature %" PRIu64, table,
				    s.size, bit);
			return 0;
		}
		table += sizeof(struct perfdata_section);
		offset = load64(s.p);
		size = load64(s.p + 8);
		s = section(pd, offset, size);
		if (s.size < size)
			note_damage(pd, "offset %" PRIu64 ": feature %" PRIu64 " has %" PRIu64
				    " bytes, expected %" PRIu64, offset, bit, s.size, size);
		pd->feature[bit] = s;
	}
	return 0;
}

/* Tracepoints without a name; @by_config: index of the first event of each config */
struct nameless {
	struct perfdata *pd;
	struct idmap by_config;
};

/* The format "name: switch\nID: 314\n..." of system sched says: config 314 is sched:switch */
static int name_tracepoint(void *ctx, const char *system, const char *text, size_t size)
{
	static const char name_is[] = "name: ", id_is[] = "\nID: ";
	const size_t name_len = sizeof(name_is) - 1, id_len = sizeof(id_is) - 1;
	const char *end = memchr(text, '\n', size), *p;
	struct nameless *n = ctx;
	u64 number = 0;
	char **name;
	u32 e;

	if (!system || !end || end - text < name_len || memcmp(text, name_is, name_len))
		return 0;
	p = memmem(end, text + size - end, id_is, id_len);
	if (!p)
		return 0;
	for (p += id_len; p < text + size && *p >= '0' && *p <= '9'; p++)
		number = number * 10 + *p - '0';
	e = idmap_get(&n->by_config, number);
	if (e == IDMAP_NONE || n->pd->events[e].name)
		return 0;
	name = &n->pd->events[e].name;
	if (asprintf(name, "%s:%.*s", system, (int)(end - text - name_len), text + name_len) < 0) {
		*name = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* Before perf 4.14, pipes do not have names of events, but they have formats of tracepoints */
static int name_tracepoints(struct perfdata *pd)
{
	struct nameless n = { .pd = pd };
	struct recorded_event *e;
	struct tracing_head head;
	int ret = 0;
	u32 first;

	for (e = pd->events; !ret && e < pd->events + pd->nr_events; e++)
		if (!e->name && e->attr.type == PERF_TYPE_TRACEPOINT &&
		    idmap_get(&n.by_config, e->attr.config) == IDMAP_NONE)
			ret = idmap_set(&n.by_config, e->attr.config, e - pd->events);
	if (!ret && n.by_config.nr)
		ret = tracing_read(pd->feature[PERFDATA_TRACING_DATA], &head, name_tracepoint, &n);
	for (e = pd->events; n.by_config.nr && ret != -ENOMEM && e < pd->events + pd->nr_events;
	     e++) {
		if (e->name || e->attr.type != PERF_TYPE_TRACEPOINT)
			continue;
		first = idmap_get(&n.by_config, e->attr.config);
		if (!pd->events[first].name)
			continue;
		e->name = strdup(pd->events[first].name);
		if (!e->name)
			ret = -ENOMEM;
	}
	idmap_deinit(&n.by_config);
	return ret == -ENOMEM ? ret : 0;
}

/* Take the names in PERFDATA_EVENT_DESC, by an id of the event, or by position if it has none */
static int name_events(struct perfdata *pd)
{
	struct perfdata_span s = pd->feature[PERFDATA_EVENT_DESC];
	u32 nr = 0, attr_size = 0, nr_ids, i, which;
	const char *name;
	const u8 *attr, *ids;
	size_t e;

	if (!span_take_u32(&s, &nr) || !span_take_u32(&s, &attr_size))
		nr = 0;
	for (i = 0; i < nr; i++) {
		if (!span_take(&s, attr_size, &attr) || !span_take_u32(&s, &nr_ids) ||
		    !span_take_string(&s, &name) || !span_take(&s, (u64)nr_ids * 8, &ids))
			break;
		which = nr_ids ? idmap_get(&pd->event_ids, load64(ids)) : i;
		if (which >= pd->nr_events || pd->events[which].name)
			continue;
		pd->events[which].name = strdup(name);
		if (!pd->events[which].name)
			return -ENOMEM;
	}
	if (name_tracepoints(pd))
		return -ENOMEM;
	for (e = 0; e < pd->nr_events; e++) {
		if (!pd->events[e].name)
			pd->events[e].name = make_name(&pd->events[e].attr);
		if (!pd->events[e].name)
			return -ENOMEM;
		/* They are in messages and in tables, and users give them with --event */
		clean_text(pd->events[e].name, strlen(pd->events[e].name));
	}
	return 0;
}

/* Records that cannot be read in place: compressed ones, and those of several files */

/*
 * Unpacks records. The payloads of all compressed records of a file are one zstd stream of records.
 * A record of the stream may begin in one payload and end in the next, and other records may be
 * between these: @part holds it until it is complete.
 * @fd: temporary file that receives all records
 */
struct unpacker {
	struct swapper *swapper;	/* or NULL */
	int fd;
	u8 *part;
	size_t nr_part, part_cap;
	void *stream;	/* a ZSTD_DStream, from a file's first compressed record on */
};

#if HAVE_ZSTD
static int write_whole_records(struct unpacker *u)
{
	size_t whole = 0, size;
	int ret = 0;

	while (u->nr_part - whole >= sizeof(struct perf_event_header)) {
		size = rec_size(u->part + whole);
		if (u->swapper)
			size = __builtin_bswap16(size);
		if (size < sizeof(struct perf_event_header))
			return -EINVAL;
		if (size > u->nr_part - whole)
			break;
		whole += size;
	}
	if (u->swapper)
		ret = swap_records(u->swapper, u->part, whole);
	if (!ret)
		ret = write_all(u->fd, u->part, whole) == whole ? 0 : -errno;
	u->nr_part -= whole;
	memmove(u->part, u->part + whole, u->nr_part);
	return ret;
}

static int unpack_payload(struct unpacker *u, const u8 *p, size_t size)
{
	ZSTD_inBuffer in = { p, size, 0 };
	ZSTD_outBuffer out;
	int ret = 0;

	if (!u->stream)
		u->stream = ZSTD_createDStream();
	if (!u->stream)
		return -ENOMEM;
	do {
		if (mem_grow(&u->part, &u->part_cap, u->nr_part + (1 << 18)))
			return -ENOMEM;
		out = (ZSTD_outBuffer){ u->part + u->nr_part, u->part_cap - u->nr_part, 0 };
		if (ZSTD_isError(ZSTD_decompressStream(u->stream, &out, &in)))
			return -EINVAL;
		u->nr_part += out.pos;
		ret = write_whole_records(u);
	} while (!ret && (in.pos < in.size || out.pos == out.size));
	return ret;
}

static void end_stream(struct unpacker *u)
{
	ZSTD_freeDStream(u->stream);
	u->stream = NULL;
	u->nr_part = 0;
}
#else
static int unpack_payload(struct unpacker *u, const u8 *p, size_t size)
{
	return -EOPNOTSUPP;
}

static void end_stream(struct unpacker *u)
{
}
#endif

static int unpack_record(struct unpacker *u, const u8 *rec, u64 size)
{
	u32 type = rec_type(rec), at = sizeof(struct perf_event_header);
	u64 packed;

	if (type == PERFDATA_RECORD_COMPRESSED)
		return unpack_payload(u, rec + at, size - at);
	if (type != PERFDATA_RECORD_COMPRESSED2)
		return write_all(u->fd, rec, size) == size ? 0 : -errno;
	if (size < at + 8)
		return -EINVAL;
	packed = load64(rec + at);
	return packed > size - at - 8 ? -EINVAL : unpack_payload(u, rec + at + 8, packed);
}

/* Unpack all of pd->data, to its end or to damage */
static int unpack_data(struct perfdata *pd, struct unpacker *u)
{
	u64 pos = 0, start = 0;
	const u8 *rec;
	int ret = 0;

	while (!ret && (rec = perfdata_next(pd, &pos))) {
		ret = unpack_record(u, rec, pos - start);
		if (ret == -EINVAL)
			perfdata_damaged(pd, start,
					 "compressed record, expected a zstd stream of records");
		start = pos;
	}
	if (ret == -EINVAL)
		ret = 0;
	if (!ret && u->nr_part)
		note_damage(pd, "offset %" PRIu64 ": the last of the compressed records ends with "
			    "%zu bytes of a record, expected all of it", pd->data_offset + start,
			    u->nr_part);
	end_stream(u);
	return ret;
}

/* For a directory: append the records of its other files to those of the file with the header */
static int unpack_files(struct perfdata *pd, struct unpacker *u)
{
	struct perfdata_span span;
	char path[PATH_MAX];
	struct stat st;
	unsigned int i;
	int fd, ret = 0;

	for (i = 1; !ret && perfdata_file(pd, i, path); i++) {
		pd->part = path + strlen(pd->path);
		fd = regular_open(path, &st);
		ret = fd < 0 ? fd : map_fd(fd, &span);
		if (fd >= 0)
			close(fd);
		if (!ret)
			ret = swap_span(pd, &span);
		if (ret) {
			note_damage(pd, "%s", ret == -EINVAL ? "no file" : strerror(-ret));
			ret = 0;
			continue;
		}
		pd->data = span.p;
		pd->data_size = span.size;
		pd->data_offset = 0;
		ret = unpack_data(pd, u);
		if (span.p)
			munmap((void *)span.p, span.size);
	}
	pd->part = "";
	return ret;
}

static int unpack(struct perfdata *pd, struct error *err)
{
	struct unpacker u = { .swapper = pd->swapper, .fd = perfdata_spool(err) };
	int ret = u.fd < 0 ? u.fd : 0;

	if (!ret)
		ret = unpack_data(pd, &u);
	if (!ret && pd->directory)
		ret = unpack_files(pd, &u);
	if (!ret)
		ret = perfdata_replace(pd, u.fd);
	if (ret == -EOPNOTSUPP)
		error_set(err, ret,
			  "%s: has compressed records, but pcsample was built without zstd",
			  pd->path);
	else if (ret && !err->text[0])
		error_set(err, ret, "%s: cannot unpack: %s", pd->path, strerror(-ret));
	if (u.fd >= 0)
		close(u.fd);
	free(u.part);
	return ret;
}

/* The two forms of the file */

static int pipe_attr(struct perfdata *pd, const u8 *rec)
{
	u32 at = sizeof(struct perf_event_header), left = rec_size(rec) - at, size;
	struct perfdata_span ids;
	struct recorded_event *e;

	if (left < PERFDATA_ATTR_SIZE_MIN)
		return -EINVAL;
	size = load32(rec + at + offsetof(struct perf_event_attr, size));
	if (size < PERFDATA_ATTR_SIZE_MIN || size > left)
		return -EINVAL;
	e = add_event(pd, rec + at, size);
	ids = (struct perfdata_span){ rec + at + size, left - size };
	return e ? add_ids(pd, e, ids) : -ENOMEM;
}

static int pipe_feature(struct perfdata *pd, const u8 *rec)
{
	u32 at = sizeof(struct perf_event_header);
	u64 feature;

	if (rec_size(rec) < at + 8)
		return -EINVAL;
	feature = load64(rec + at);
	if (feature < PERFDATA_FEATURE_BITS)
		pd->feature[feature] = (struct perfdata_span){ rec + at + 8,
							       rec_size(rec) - at - 8 };
	return 0;
}

/* The tracing data is the record's payload, behind it */
static int pipe_tracing(struct perfdata *pd, const u8 *rec)
{
	if (!perfdata_payload(rec))
		return -EINVAL;
	pd->feature[PERFDATA_TRACING_DATA] = (struct perfdata_span){ rec + rec_size(rec),
								     perfdata_payload(rec) };
	return 0;
}

/* Append to the buffer that replaces a feature section */
static int join(struct perfdata *pd, u64 feature, struct perfdata_joined *j, const u8 *p, u64 size)
{
	if (mem_grow(&j->p, &j->cap, j->size + size))
		return -ENOMEM;
	memcpy(j->p + j->size, p, size);
	j->size += size;
	pd->feature[feature] = (struct perfdata_span){ j->p, j->size };
	return 0;
}

/* Append the part of a feature in a struct perfdata_private; a feature may have several records */
static int join_private(struct perfdata *pd, const u8 *rec)
{
	struct perfdata_private part;
	u64 feature;

	if (rec_size(rec) < sizeof(part))
		return 0;	/* one of perf's own updates */
	memcpy(&part, rec, sizeof(part));
	feature = part.feature - (part.feature >= PERFDATA_EARLY ? PERFDATA_EARLY : 0);
	if (feature >= PERFDATA_FEATURE_BITS ||
	    (feature == part.feature && feature < PERFDATA_PCS_METADATA))
		return 0;
	if (part.size > rec_size(rec) - sizeof(part))
		return -EINVAL;
	return join(pd, feature, &pd->joined[feature], rec + sizeof(part), part.size);
}

/* If the recorder was killed, use the features that it wrote as records before the first sample */
static int read_unfinished(struct perfdata *pd)
{
	u64 pos = 0;
	const u8 *rec;
	int ret = 0;

	while (!ret && (rec = perfdata_next(pd, &pos)) && rec_type(rec) != PERF_RECORD_SAMPLE)
		if (rec_type(rec) == PERFDATA_RECORD_EVENT_UPDATE)
			ret = join_private(pd, rec);
	return ret == -ENOMEM ? ret : 0;
}

/* Look for compressed records, in a damaged file that may lack PERFDATA_COMPRESSED */
static bool has_packed(struct perfdata *pd)
{
	const u8 *rec;
	u64 pos = 0;

	while ((rec = perfdata_next(pd, &pos)))
		if (rec_type(rec) == PERFDATA_RECORD_COMPRESSED ||
		    rec_type(rec) == PERFDATA_RECORD_COMPRESSED2)
			return true;
	return false;
}

/*
 * A pipe does not say how long it is. But pcsample's metadata begins with the name of the tool, and
 * its end has the duration: without it, the recorder did not finish.
 */
static void check_pipe_ended(struct perfdata *pd)
{
	size_t len;
	u64 ns;

	if (perfdata_meta(pd, "tool", &len) && !perfdata_meta_u64(pd, "duration", &ns))
		note_damage(pd, "offset %" PRIu64 ": the pipe ends here, expected the metadata of "
			    "the end: the recorder did not finish", pd->map_size);
}

/* In a pipe, attributes and features are among the records: find them before records are used */
static int read_pipe(struct perfdata *pd, bool *compressed)
{
	u64 pos = 0, start = 0;
	const u8 *rec;
	int ret = 0;

	while ((rec = perfdata_next(pd, &pos))) {
		switch (rec_type(rec)) {
		case PERFDATA_RECORD_HEADER_ATTR:
			ret = pipe_attr(pd, rec);
			break;
		case PERFDATA_RECORD_HEADER_FEATURE:
			ret = pipe_feature(pd, rec);
			break;
		case PERFDATA_RECORD_EVENT_UPDATE:
			ret = join_private(pd, rec);
			break;
		case PERFDATA_RECORD_HEADER_BUILD_ID:
			ret = join(pd, PERFDATA_BUILD_ID, &pd->joined_ids, rec, rec_size(rec));
			break;
		case PERFDATA_RECORD_HEADER_TRACING_DATA:
			ret = pipe_tracing(pd, rec);
			break;
		case PERFDATA_RECORD_COMPRESSED:
		case PERFDATA_RECORD_COMPRESSED2:
			*compressed = true;
			break;
		}
		if (ret == -EINVAL)
			perfdata_damaged(pd, start, "record of type %u and %u bytes is too short",
					 rec_type(rec), rec_size(rec));
		if (ret)
			break;
		start = pos;
	}
	return ret == -ENOMEM ? ret : 0;
}

static int open_pipe(struct perfdata *pd, struct error *err)
{
	bool compressed = false;
	int ret;

	pd->pipe = true;
	pd->data_offset = sizeof(struct perfdata_pipe_header);
	pd->data = pd->map + pd->data_offset;
	pd->data_size = pd->map_size - pd->data_offset;
	ret = read_pipe(pd, &compressed);
	if (!ret)
		check_pipe_ended(pd);
	if (!ret && compressed)
		ret = unpack(pd, err);
	return ret;
}

static int open_file(struct perfdata *pd, struct error *err)
{
	struct perfdata_header h;
	struct perfdata_span data;
	int ret;

	if (pd->map_size < sizeof(h))
		return error_set(err, -EINVAL, "%s: offset 0: %" PRIu64
				 " bytes, expected a perf.data header of %zu", pd->path,
				 pd->map_size, sizeof(h));
	memcpy(&h, pd->map, sizeof(h));
	/* Version 1 files have no feature bitmap: its place holds something else */
	if (h.size == offsetof(struct perfdata_header, features))
		memset(h.features, 0, sizeof(h.features));
	if (h.attr_size < PERFDATA_ATTR_SIZE_MIN + sizeof(struct perfdata_section))
		return error_set(err, -EINVAL, "%s: offset 16: attributes of %" PRIu64
				 " bytes, expected 80 or more", pd->path, h.attr_size);
	data = section(pd, h.data.offset, h.data.size ? h.data.size : pd->map_size);
	pd->data = data.p;
	pd->data_size = data.size;
	pd->data_offset = h.data.offset;
	if (!h.data.size)
		note_damage(pd, "offset 48: the size of the data is 0, expected that of the "
			    "records: the recorder did not finish");
	else if (data.size < h.data.size)
		note_damage(pd, "offset %" PRIu64 ": the file ends here, expected %" PRIu64
			    " bytes more of records", pd->map_size, h.data.size - data.size);
	ret = read_attrs(pd, &h);
	if (!ret && h.data.size)
		ret = read_features(pd, &h);
	if (!ret && (pd->directory || pd->feature[PERFDATA_COMPRESSED].size ||
		     (pd->damage.text[0] && has_packed(pd))))
		ret = unpack(pd, err);
	if (!ret && !pd->feature[PERFDATA_PCS_METADATA].size)
		ret = read_unfinished(pd);
	if (!ret && h.data.size && pd->feature[PERFDATA_PCS_METADATA].size &&
	    !(h.features[0] | h.features[1] | h.features[2] | h.features[3]))
		note_damage(pd,
			    "offset 72: no features, expected some: the recorder did not finish");
	return ret;
}

bool perfdata_event_is_dummy(const struct recorded_event *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == PERF_COUNT_SW_DUMMY;
}

bool perfdata_event_samples(const struct recorded_event *e)
{
	return e->attr.sample_period && !perfdata_event_is_dummy(e);
}

static int only_event(const struct perfdata *pd)
{
	int only = -1, nr = 0;
	size_t i;

	for (i = 0; i < pd->nr_events; i++) {
		if (perfdata_event_samples(&pd->events[i])) {
			only = i;
			nr++;
		}
	}
	return nr == 1 ? only : pd->nr_events == 1 ? 0 : -1;
}

/*
 * The id that tells events apart must be at the same place in the samples of all events; perf
 * ensures this. With IDENTIFIER the id also ends all other records, so that the fields before it
 * may differ between events.
 */
static bool same_tail(const struct sample_layout *a, const struct sample_layout *b)
{
	return a->tail_size == b->tail_size && a->tail_time == b->tail_time;
}

static bool same_place(const struct sample_layout *a, const struct sample_layout *b)
{
	return a->id == b->id && (a->tail_time == b->tail_time ||
				  (a->type & b->type & PERF_SAMPLE_IDENTIFIER));
}

static int check_events(struct perfdata *pd, struct error *err)
{
	const struct sample_layout *l;
	size_t i;

	if (!pd->nr_events && pd->damage.text[0])
		return error_set(err, -EINVAL, "%s", pd->damage.text);
	if (!pd->nr_events)
		return error_set(err, -EINVAL, "%s: offset %" PRIu64
				 ": no event attributes, expected one or more", pd->path,
				 pd->pipe ? pd->map_size : offsetof(struct perfdata_header, attrs));
	l = &pd->events[0].layout;
	pd->least_tail = l;
	for (i = 1; i < pd->nr_events; i++) {
		if (!same_place(&pd->events[i].layout, l))
			return error_set(err, -EINVAL,
					 "%s: event %zu and event 0 have their ids at different places",
					 pd->path, i);
		pd->mixed_tails |= !same_tail(&pd->events[i].layout, l);
		if (pd->events[i].layout.tail_size < pd->least_tail->tail_size)
			pd->least_tail = &pd->events[i].layout;
	}
	pd->only = only_event(pd);
	return 0;
}

const struct sample_layout *perfdata_tail_of_slow(const struct perfdata *pd, const u8 *rec)
{
	const struct sample_layout *l;
	u32 event, least = sizeof(struct perf_event_header);
	size_t i;

	for (i = 0; i < pd->nr_events; i++) {
		l = &pd->events[i].layout;
		if (!l->tail_id || rec_size(rec) < least + l->tail_size)
			continue;
		event = idmap_get(&pd->event_ids,
				  load64(rec + sample_tail_end(l, rec) - l->tail_id));
		if (event != IDMAP_NONE && same_tail(&pd->events[event].layout, l))
			return &pd->events[event].layout;
	}
	return &pd->events[0].layout;
}

int perfdata_open(struct perfdata **ret_pd, const char *path, struct error *err)
{
	struct perfdata *pd = calloc(1, sizeof(*pd));
	u64 magic;
	int ret;

	if (!pd)
		return error_set(err, -ENOMEM, "out of memory");
	pd->fd = -1;
	pd->part = "";
	pd->path = strdup(strcmp(path, "-") ? path : "standard input");
	ret = pd->path ? map_input(pd, path, err) : -ENOMEM;
	if (ret)
		goto fail;
	ret = swap_input(pd);
	magic = pd->map_size < 16 ? 0 : load64(pd->map);
	if (ret)
		error_set(err, ret, "%s: %s", pd->path, strerror(-ret));
	else if (!pd->map_size)
		ret = error_set(err, -EINVAL,
				"%s: offset 0: empty, expected PERFILE2: its recorder failed",
				pd->path);
	else if (magic != PERFDATA_MAGIC && magic != PERFDATA_MAGIC_1)
		ret = error_set(err, -EINVAL, "%s: offset 0: no perf.data, expected PERFILE2",
				pd->path);
	else if (load64(pd->map + 8) == sizeof(struct perfdata_pipe_header))
		ret = open_pipe(pd, err);
	else
		ret = open_file(pd, err);
	if (!ret)
		ret = check_events(pd, err);
	if (!ret)
		ret = name_events(pd);
	if (!ret) {
		*ret_pd = pd;
		return 0;
	}
fail:
	if (ret == -ENOMEM)
		error_set(err, ret, "out of memory");
	perfdata_close(pd);
	return ret;
}

void perfdata_close(struct perfdata *pd)
{
	size_t i;

	if (!pd)
		return;
	for (i = 0; i < pd->nr_events; i++) {
		free(pd->events[i].name);
		free(pd->events[i].ids);
	}
	free(pd->events);
	for (i = 0; i < ARRAY_SIZE(pd->joined); i++)
		free(pd->joined[i].p);
	free(pd->joined_ids.p);
	idmap_deinit(&pd->event_ids);
	if (pd->map)
		munmap((void *)pd->map, pd->map_size);
	if (pd->fd >= 0)
		close(pd->fd);
	if (pd->spool.p)
		munmap((void *)pd->spool.p, pd->spool.size);
	if (pd->swapper)
		swapper_deinit(pd->swapper);
	free(pd->swapper);
	free(pd->path);
	free(pd);
}

int perfdata_next_build_id(const struct perfdata *pd, u64 *pos, struct build_id *id,
			   const char **path)
{
	const struct perfdata_span *f = &pd->feature[PERFDATA_BUILD_ID];
	const u64 fixed = sizeof(struct perfdata_build_id);
	const u8 *rec;
	u64 size;

	for (; *pos + fixed <= f->size; *pos += size) {
		rec = f->p + *pos;
		size = rec_size(rec);
		if (size < fixed || size > f->size - *pos)
			break;
		*path = (const char *)rec + fixed;
		if (!memchr(*path, 0, size - fixed))
			continue;
		id->size = BUILD_ID_MAX;
		if (rec_misc(rec) & PERFDATA_MISC_BUILD_ID_SIZE)
			id->size = min(rec[offsetof(struct perfdata_build_id, build_id_size)],
				       (u8)BUILD_ID_MAX);
		memcpy(id->bytes, rec + offsetof(struct perfdata_build_id, build_id),
		       BUILD_ID_MAX);
		*pos += size;
		return rec_misc(rec) & PERF_RECORD_MISC_CPUMODE_MASK;
	}
	return -ENOENT;
}
