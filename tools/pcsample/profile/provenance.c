// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "profile/provenance.h"

/* @name: as in perf report --header; @text: both are valid until the function returns */
typedef void provenance_fn(const char *name, const char *text, void *ctx);

/* Collects the text of one item for @fn: add() appends to it, tell() hands it over */
struct teller {
	const struct session *s;
	provenance_fn *fn;
	void *ctx;
	char *text;
	size_t len, cap;
	bool failed;
};

static void add(struct teller *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct teller *t, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	t->failed |= n < 0 || mem_grow(&t->text, &t->cap, t->len + n + 1);
	if (t->failed)
		return;
	va_start(ap, format);
	vsnprintf(t->text + t->len, n + 1, format, ap);
	va_end(ap);
	t->len += n;
}

static void tell(struct teller *t, const char *name)
{
	if (t->len && !t->failed)
		t->fn(name, t->text, t->ctx);
	t->len = 0;
}

static struct perfdata_span feature(const struct teller *t, enum perfdata_feature f)
{
	return t->s->pd->feature[f];
}

/* The machine and the recorder */

static void tell_strings(struct teller *t)
{
	static const struct {
		const char *name;
		enum perfdata_feature feature;
	} of[] = {
		{ "hostname", PERFDATA_HOSTNAME }, { "os release", PERFDATA_OSRELEASE },
		{ "perf version", PERFDATA_VERSION }, { "arch", PERFDATA_ARCH },
		{ "cpudesc", PERFDATA_CPUDESC }, { "cpuid", PERFDATA_CPUID },
	};
	const char *text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(of); i++) {
		text = session_string(t->s, of[i].feature);
		if (text)
			add(t, "%s", text);
		tell(t, of[i].name);
	}
}

static void tell_size(struct teller *t)
{
	struct perfdata_span s = feature(t, PERFDATA_NRCPUS);
	u32 available, online;
	u64 kib;

	if (span_take_u32(&s, &available) && span_take_u32(&s, &online)) {
		add(t, "%u", online);
		tell(t, "nrcpus online");
		add(t, "%u", available);
		tell(t, "nrcpus avail");
	}
	s = feature(t, PERFDATA_TOTAL_MEM);
	if (span_take_u64(&s, &kib))
		add(t, "%" PRIu64 " kB", kib);
	tell(t, "total memory");
}

static void add_word(const char *text, void *ctx)
{
	struct teller *t = ctx;

	add(t, "%s%s", t->len ? " " : "", text);
}

/* Events with their attributes */

struct name {
	u64 bit;
	const char *name;
};

static void add_bits(struct teller *t, u64 value, const struct name *names, size_t nr)
{
	const char *before = "";
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!(value & names[i].bit))
			continue;
		add(t, "%s%s", before, names[i].name);
		before = "|";
		value &= ~names[i].bit;
	}
	if (value)
		add(t, "%s0x%" PRIx64, before, value);
}

static const struct name sample_types[] = {
	{ PERF_SAMPLE_IP, "IP" }, { PERF_SAMPLE_TID, "TID" }, { PERF_SAMPLE_TIME, "TIME" },
	{ PERF_SAMPLE_ADDR, "ADDR" }, { PERF_SAMPLE_READ, "READ" },
	{ PERF_SAMPLE_CALLCHAIN, "CALLCHAIN" }, { PERF_SAMPLE_ID, "ID" },
	{ PERF_SAMPLE_CPU, "CPU" }, { PERF_SAMPLE_PERIOD, "PERIOD" },
	{ PERF_SAMPLE_STREAM_ID, "STREAM_ID" }, { PERF_SAMPLE_RAW, "RAW" },
	{ PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK" }, { PERF_SAMPLE_REGS_USER, "REGS_USER" },
	{ PERF_SAMPLE_STACK_USER, "STACK_USER" }, { PERF_SAMPLE_WEIGHT, "WEIGHT" },
	{ PERF_SAMPLE_DATA_SRC, "DATA_SRC" }, { PERF_SAMPLE_IDENTIFIER, "IDENTIFIER" },
	{ PERF_SAMPLE_TRANSACTION, "TRANSACTION" }, { PERF_SAMPLE_REGS_INTR, "REGS_INTR" },
	{ PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR" }, { PERF_SAMPLE_AUX, "AUX" },
	{ PERF_SAMPLE_CGROUP, "CGROUP" }, { PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
	{ PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
};

static const struct name read_formats[] = {
	{ PERF_FORMAT_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED" },
	{ PERF_FORMAT_TOTAL_TIME_RUNNING, "TOTAL_TIME_RUNNING" }, { PERF_FORMAT_ID, "ID" },
	{ PERF_FORMAT_GROUP, "GROUP" }, { 1 << 4, "LOST" },
};

static void add_event(struct teller *t, const struct recorded_event *e)
{
	const struct perf_event_attr *a = &e->attr;
	const struct {
		const char *name;
		unsigned int value;
	} flags[] = {
		{ "inherit", a->inherit }, { "pinned", a->pinned }, { "exclusive", a->exclusive },
		{ "exclude_user", a->exclude_user }, { "exclude_kernel", a->exclude_kernel },
		{ "exclude_hv", a->exclude_hv }, { "exclude_idle", a->exclude_idle },
		{ "exclude_host", a->exclude_host }, { "exclude_guest", a->exclude_guest },
		{ "exclude_callchain_kernel", a->exclude_callchain_kernel },
		{ "exclude_callchain_user", a->exclude_callchain_user },
		{ "precise_ip", a->precise_ip }, { "use_clockid", a->use_clockid },
	};
	size_t i;

	add(t, "name = %s, type = %u, config = 0x%" PRIx64, e->name, a->type, (u64)a->config);
	if (a->config1)
		add(t, ", config1 = 0x%" PRIx64, (u64)a->config1);
	if (a->config2)
		add(t, ", config2 = 0x%" PRIx64, (u64)a->config2);
	add(t, ", %s = %" PRIu64, a->freq ? "sample_freq" : "sample_period", (u64)a->sample_period);
	add(t, ", sample_type = ");
	add_bits(t, a->sample_type, sample_types, ARRAY_SIZE(sample_types));
	if (a->read_format) {
		add(t, ", read_format = ");
		add_bits(t, a->read_format, read_formats, ARRAY_SIZE(read_formats));
	}
	if (a->sample_type & PERF_SAMPLE_BRANCH_STACK)
		add(t, ", branch_sample_type = 0x%" PRIx64, (u64)a->branch_sample_type);
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i].value)
			add(t, ", %s = %u", flags[i].name, flags[i].value);
	if (a->use_clockid)
		add(t, ", clockid = %d", a->clockid);
}

static void tell_pmus(struct teller *t)
{
	struct perfdata_span s = feature(t, PERFDATA_PMU_MAPPINGS);
	const char *name;
	u32 nr, type;

	if (!span_take_u32(&s, &nr))
		return;
	while (nr-- && span_take_u32(&s, &type) && span_take_string(&s, &name))
		add(t, "%s%s = %u", t->len ? ", " : "", name, type);
	tell(t, "pmu mappings");
}

/* Clocks */

#define NSEC_PER_SEC	1000000000ULL

static const char *clock_name(u64 id, char *buf)
{
	static const char *const names[] = {
		[CLOCK_REALTIME] = "realtime", [CLOCK_MONOTONIC] = "monotonic",
		[CLOCK_MONOTONIC_RAW] = "monotonic_raw", [CLOCK_BOOTTIME] = "boottime",
		[CLOCK_TAI] = "tai",
	};

	if (id < ARRAY_SIZE(names) && names[id])
		return names[id];
	sprintf(buf, "%" PRIu64, id);
	return buf;
}

static void tell_clocks(struct teller *t)
{
	struct perfdata_span s = feature(t, PERFDATA_CLOCK_DATA);
	u64 wall, clock, first, last;
	char buf[32], date[64];
	struct tm tm;
	u32 version, id;
	time_t sec;

	if (span_take_u32(&s, &version) && span_take_u32(&s, &id) && span_take_u64(&s, &wall) &&
	    span_take_u64(&s, &clock)) {
		sec = wall / NSEC_PER_SEC;
		if (gmtime_r(&sec, &tm) && strftime(date, sizeof(date), "%F %T", &tm))
			add(t, "%s.%09u UTC is %" PRIu64 ".%09u of the clock %s", date,
			    (u32)(wall % NSEC_PER_SEC), (u64)(clock / NSEC_PER_SEC),
			    (u32)(clock % NSEC_PER_SEC), clock_name(id, buf));
		tell(t, "reference time");
	}
	s = feature(t, PERFDATA_SAMPLE_TIME);
	if (!span_take_u64(&s, &first) || !span_take_u64(&s, &last))
		return;
	add(t, "%" PRIu64 ".%06u", (u64)(first / NSEC_PER_SEC), (u32)(first % NSEC_PER_SEC / 1000));
	tell(t, "time of first sample");
	add(t, "%" PRIu64 ".%06u", (u64)(last / NSEC_PER_SEC), (u32)(last % NSEC_PER_SEC / 1000));
	tell(t, "time of last sample");
	add(t, "%.3f ms", last < first ? 0 : (last - first) / 1e6);
	tell(t, "sample duration");
}

/* What takes many lines: only with @all */

static void tell_list(struct teller *t, struct perfdata_span *s, const char *name)
{
	const char *text;
	u32 nr;

	if (!span_take_u32(s, &nr))
		return;
	while (nr-- && span_take_string(s, &text)) {
		add(t, "%s", text);
		tell(t, name);
	}
}

static void tell_topology(struct teller *t)
{
	struct perfdata_span s = feature(t, PERFDATA_CPU_TOPOLOGY);
	u32 nr, node;
	u64 total, unused;
	const char *cpus;

	tell_list(t, &s, "sibling sockets");
	tell_list(t, &s, "sibling threads");
	s = feature(t, PERFDATA_NUMA_TOPOLOGY);
	if (!span_take_u32(&s, &nr))
		return;
	while (nr-- && span_take_u32(&s, &node) && span_take_u64(&s, &total) &&
	       span_take_u64(&s, &unused) && span_take_string(&s, &cpus)) {
		add(t, "node%u: CPUs %s, %" PRIu64 " kB, %" PRIu64 " kB free", node, cpus, total,
		    unused);
		tell(t, "numa node");
	}
}

/* Call @fn for each thing that the recording says; see provenance_print() for @all */
static void provenance(const struct session *s, bool all, provenance_fn *fn, void *ctx)
{
	struct teller t = { .s = s, .fn = fn, .ctx = ctx };
	size_t i;

	tell_strings(&t);
	tell_size(&t);
	perfdata_strings(s->pd, PERFDATA_CMDLINE, add_word, &t);
	tell(&t, "cmdline");
	for (i = 0; i < session_events(s); i++) {
		add_event(&t, session_event(s, i));
		tell(&t, "event");
	}
	tell_pmus(&t);
	tell_clocks(&t);
	if (all)
		tell_topology(&t);
	free(t.text);
}

static void print_line(const char *name, const char *text, void *ctx)
{
	out_text(ctx, "# ");
	out_text(ctx, name);
	out_text(ctx, " : ");
	out_clean(ctx, text, 0);
	out_char(ctx, '\n');
}

void provenance_print(struct out *o, const struct session *s, bool all)
{
	out_text(o, "# ========\n");
	provenance(s, all, print_line, o);
	out_text(o, "# ========\n#\n");
}

static void json_thing(const char *name, const char *text, void *ctx)
{
	json_object(ctx, NULL);
	json_string(ctx, "name", name);
	json_string(ctx, "value", text);
	json_object_end(ctx);
}

void provenance_json(struct json *j, const char *key, const struct session *s)
{
	json_array(j, key);
	provenance(s, true, json_thing, j);
	json_array_end(j);
}
