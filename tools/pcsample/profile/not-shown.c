// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "profile/callchain.h"
#include "profile/not-shown.h"
#include "profile/tracepoints.h"

/* Lines */

struct line {
	char text[NOT_SHOWN_MAX];
	size_t len;
};

static void add(struct line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Cut off what does not fit */
static void add(struct line *l, const char *format, ...)
{
	size_t room = sizeof(l->text) - l->len;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(l->text + l->len, room, format, ap);
	va_end(ap);
	if (n <= 0)
		return;
	n = min((size_t)n, room - 1);
	clean_text(l->text + l->len, n);
	l->len += n;
}

/* A line names so many events, and says how many more there are */
#define NAMES_MAX 4

/* Which events have the data? The names of the first ones are added to the line. */
typedef bool event_fn(const struct recorded_event *e);

static unsigned int add_events(struct line *l, const struct session *s, event_fn *has)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < s->pd->nr_events; i++) {
		if (!has(&s->pd->events[i]))
			continue;
		if (nr < NAMES_MAX)
			add(l, "%s%s", nr ? ", " : "", s->pd->events[i].name);
		nr++;
	}
	if (nr > NAMES_MAX)
		add(l, " and %u more", nr - NAMES_MAX);
	return nr;
}

/* Events */

static bool has_type(const struct recorded_event *e, u64 type)
{
	return e->attr.sample_type & type && !perfdata_event_is_dummy(e);
}

static bool has_unwound_chain(const struct recorded_event *e)
{
	return callchain_recorded(e) && !perfdata_event_is_dummy(e);
}

static bool has_user_stack(const struct recorded_event *e)
{
	return callchain_recorded(e) && has_type(e, PERF_SAMPLE_STACK_USER);
}

/* With --call-graph lbr, branch stacks are callers, and shown with call chains */
static bool has_branches(const struct recorded_event *e)
{
	return has_type(e, PERF_SAMPLE_BRANCH_STACK) &&
	       !(e->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
}

/*
 * perf's {leader,member}:S: what members counted is in the samples of the leader. simpleperf
 * --add-counter does the same, with a sample period that no counter reaches.
 */
#define NEVER_SAMPLES	(1ULL << 62)

static bool is_member(const struct recorded_event *e)
{
	return has_type(e, PERF_SAMPLE_READ) && e->attr.read_format & PERF_FORMAT_GROUP &&
	       (!e->attr.sample_period || e->attr.sample_period >= NEVER_SAMPLES);
}

static bool has_counts(const struct recorded_event *e)
{
	return has_type(e, PERF_SAMPLE_READ) && !(e->attr.read_format & PERF_FORMAT_GROUP);
}

/* Raw data that pcsample does not decode */
static bool has_raw(const struct recorded_event *e)
{
	return has_type(e, PERF_SAMPLE_RAW) && e->attr.type != PERF_TYPE_TRACEPOINT &&
	       !perfdata_event_is_pcsample(e) && !strstr(e->name, "profexc");
}

#define SAMPLE_WEIGHTS	(PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)
#define SAMPLE_MEMORY	(PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR | \
			 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)

/*
 * perf asks for the source of data with every copy of a stack, and for the data address with
 * nearly every software event, where neither has a meaning. So PERF_SAMPLE_ADDR alone does not
 * count, nor do sources of data beside copies of stacks.
 */
static bool has_weights(const struct recorded_event *e)
{
	return has_type(e, SAMPLE_WEIGHTS) ||
	       (has_type(e, SAMPLE_MEMORY) && !has_type(e, PERF_SAMPLE_STACK_USER));
}

static bool has_registers(const struct recorded_event *e)
{
	return has_type(e, PERF_SAMPLE_REGS_INTR) ||
	       (has_type(e, PERF_SAMPLE_REGS_USER) && !has_type(e, PERF_SAMPLE_STACK_USER));
}

static bool has_transactions(const struct recorded_event *e)
{
	return has_type(e, PERF_SAMPLE_TRANSACTION);
}

static bool has_aux(const struct recorded_event *e)
{
	return has_type(e, PERF_SAMPLE_AUX);
}

/*
 * In addition to SHOWS_*. UNWINDS: copies of stacks can be unwound, so they are in the call chains.
 * DELIVERS: the counts of groups were made samples of their events (perfdata/groups.h).
 */
#define UNWINDS		(1U << 31)
#define DELIVERS	(1U << 30)

/*
 * Kinds of data that samples may have. A line is @what, the names of the events, a colon, and @who,
 * which says who shows the data.
 */
static const struct kind {
	event_fn *has;
	const char *what, *who;
	unsigned int shown;	/* a command that shows one of these needs no line */
} kinds[] = {
	{ has_unwound_chain, "call chains were recorded with",
	  "they are in report --children, script, and most formats of export", SHOWS_CHAINS },
	{ has_user_stack, "callers in user space were recorded as copies of the stack "
	  "(--call-graph dwarf) with", "perf report unwinds them", UNWINDS },
	{ has_branches, "branch stacks were recorded with",
	  "report -b counts them, and script -F +brstack prints them", SHOWS_BRANCHES },
	{ is_member, "counted in the samples of the leader of their group:",
	  "perf report shows their counts, and weighs samples of the leader by its own",
	  DELIVERS },
	{ has_counts, "counts of", "perf script -D shows those in each sample", DELIVERS },
	{ tracepoints_is, "fields of tracepoints were recorded with",
	  HAVE_TRACEEVENT ? "script prints them, and report --sort takes their names" :
			    "perf script shows them, this pcsample is built without libtraceevent",
	  SHOWS_FIELDS },
	{ perfdata_event_has_counts, "counts since the CPU's previous sample were recorded with",
	  "report --weight weighs by it, script -F +counts prints it, and export -f csv and json "
	  "add it up", SHOWS_COUNTS },
	{ has_raw, "raw data of the hardware was recorded with", "perf script -D shows it", 0 },
	{ has_weights, "weights, data sources or data addresses were recorded with",
	  "perf mem report and perf script -F +weight,+data_src show them", 0 },
	{ has_registers, "registers were recorded with", "perf script -F +iregs,+uregs shows them",
	  0 },
	{ has_transactions, "states of transactions were recorded with",
	  "perf report --sort transaction shows them", 0 },
	{ has_aux, "pieces of hardware traces were recorded with",
	  "perf script --itrace decodes them", 0 },
};

static void tell_kinds(const struct session *s, unsigned int shows, not_shown_fn *fn, void *ctx)
{
	const struct kind *k;
	struct line l;

	if (unwind_possible(s))
		shows |= UNWINDS;
	if (s->pd->delivered)
		shows |= DELIVERS;
	for (k = kinds; k < kinds + ARRAY_SIZE(kinds); k++) {
		l.len = 0;
		add(&l, "%s ", k->what);
		if (k->shown & shows || !add_events(&l, s, k->has))
			continue;
		add(&l, ": %s", k->who);
		fn(l.text, ctx);
	}
}

/* Records */

static u64 records(const struct session *s, unsigned int type)
{
	return s->counts.of_type[type];
}

/* The PMU writes no samples, so find its event by name */
static bool traces(const struct recorded_event *e)
{
	static const char *const pmus[] = {
		"intel_pt", "intel_bts", "cs_etm", "arm_spe", "hisi_ptt", "s390_cpumsf",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pmus); i++)
		if (strstr(e->name, pmus[i]))
			return true;
	return false;
}

static bool add_trace(struct line *l, const struct session *s)
{
	size_t i;

	if (!records(s, PERFDATA_RECORD_AUXTRACE) && !records(s, PERF_RECORD_AUX))
		return false;
	add(l, "a hardware trace of %" PRIu64 " bytes was recorded", s->counts.trace_bytes);
	for (i = 0; i < s->pd->nr_events && !traces(&s->pd->events[i]); i++)
		;
	if (i < s->pd->nr_events) {
		add(l, " by ");
		add_events(l, s, traces);
	}
	add(l, ": perf script --itrace and perf report --itrace decode it");
	return true;
}

static bool add_number(struct line *l, u64 nr, const char *what)
{
	if (nr)
		add(l, "%" PRIu64 " %s", nr, what);
	return nr;
}

static bool add_stat(struct line *l, const struct session *s)
{
	return add_number(l, records(s, PERFDATA_RECORD_STAT),
			  "counts of perf stat record: perf stat report prints them");
}

/* perf record -s: what each thread counted, when it ends */
static bool add_reads(struct line *l, const struct session *s)
{
	return add_number(l, records(s, PERF_RECORD_READ),
			  "counts of threads that ended: perf report -T prints them");
}

static bool add_switches(struct line *l, const struct session *s)
{
	u64 nr = records(s, PERF_RECORD_SWITCH) + records(s, PERF_RECORD_SWITCH_CPU_WIDE);

	return add_number(l, nr,
			  "context switches: perf script --show-switch-events lists them");
}

/* Linux 6.19 */
static bool add_deferred(struct line *l, const struct session *s)
{
	return add_number(l, records(s, PERFDATA_RECORD_CALLCHAIN_DEFERRED),
			  "call chains of user space that the kernel recorded later (deferred): "
			  "they are in report --children, script, and most formats of export");
}

static bool add_malformed(struct line *l, const struct session *s)
{
	return add_number(l, s->counts.malformed,
			  "records of processes and mappings are too short for their contents");
}

static bool add_left_out(struct line *l, const struct session *s)
{
	return add_number(l, s->counts.left_out,
			  "records of processes and mappings: together with the earlier ones they "
			  "would take more memory than 10 times the size of the recording");
}

static bool add_unknown(struct line *l, const struct session *s)
{
	const char *before = "";
	unsigned int type;

	if (!s->counts.unknown)
		return false;
	add(l, "%" PRIu64 " records of unknown type (", s->counts.unknown);
	for (type = 0; type < SESSION_TYPES; type++) {
		if (!records(s, type) || session_knows(type))
			continue;
		add(l, "%s%" PRIu64 " of %u%s", before, records(s, type), type,
		    type == SESSION_TYPES - 1 ? " or more" : "");
		before = ", ";
	}
	add(l, "): a later perf may know them");
	return true;
}

/* For recordings whose 64-bit programs are unwound. Of others has_user_stack() tells. */
static bool add_narrow(struct line *l, const struct session *s)
{
	if (!unwind_leaves_out(s))
		return false;
	add(l, "callers in 32-bit programs were recorded as copies of the stack "
	       "(--call-graph dwarf): perf report of Linux 7.3 unwinds them");
	return true;
}

static void tell_records(const struct session *s, unsigned int shows, not_shown_fn *fn, void *ctx)
{
	static bool (*const of[])(struct line *l, const struct session *s) = {
		add_narrow, add_trace, add_stat, add_deferred, add_reads, add_switches,
		add_malformed, add_left_out, add_unknown,
	};
	struct line l;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(of); i++) {
		l.len = 0;
		if (!(of[i] == add_deferred && shows & SHOWS_CHAINS) && of[i](&l, s))
			fn(l.text, ctx);
	}
}

void not_shown(const struct session *s, unsigned int shows, not_shown_fn *fn, void *ctx)
{
	if (s->counts.samples)
		tell_kinds(s, shows, fn, ctx);
	tell_records(s, shows, fn, ctx);
}

struct head {
	struct out *o;
	const char *of;
};

static void print_line(const char *line, void *ctx)
{
	const struct head *h = ctx;

	out_text(h->o, "# Not shown: ");
	if (h->of) {
		out_clean(h->o, h->of, 0);
		out_text(h->o, ": ");
	}
	out_text(h->o, line);
	out_char(h->o, '\n');
}

void not_shown_print(struct out *o, const struct session *s, unsigned int shows, const char *of)
{
	struct head h = { o, of };

	not_shown(s, shows, print_line, &h);
}

static void json_line(const char *line, void *ctx)
{
	json_string(ctx, NULL, line);
}

void not_shown_json(struct json *j, const struct session *s, unsigned int shows)
{
	not_shown(s, shows, json_line, j);
}

bool not_shown_instead(const struct session *s, char *text)
{
	struct line l = { .len = 0 };

	if (s->counts.samples || !(add_trace(&l, s) || add_stat(&l, s)))
		return false;
	memcpy(text, l.text, l.len + 1);
	return true;
}
