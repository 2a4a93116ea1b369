// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample report: what the samples of a recording say.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <arch-model/pc-sample.h>

#include "builtin.h"
#include "input-options.h"
#include "lib/callchain.h"
#include "lib/out.h"
#include "lib/recording.h"
#include "lib/report.h"
#include "terminal.h"

/* Columns */

enum column_id {
	COL_COMM, COL_PID, COL_TID, COL_DSO, COL_SYM, COL_INLINE, COL_SRCLINE, COL_SRCFILE, COL_CPU,
	COL_CGROUP, COL_EL, COL_STATE, COL_VMID, COL_METHOD, COL_IDLE, NR_COLUMNS
};

static const struct column {
	const char *key, *title, *json;
	unsigned int by;
} columns[NR_COLUMNS] = {
	[COL_COMM] = { "comm", "Command", "comm", BY_COMM },
	[COL_PID] = { "pid", "Pid", "pid", BY_PID },
	[COL_TID] = { "tid", "Tid", "tid", BY_TID },
	[COL_DSO] = { "dso", "Shared Object", "dso", BY_DSO },
	[COL_SYM] = { "sym", "Symbol", "symbol", BY_SYM },
	[COL_INLINE] = { "inline", "Inlined", "inlined", BY_INLINE },
	[COL_SRCLINE] = { "srcline", "Source:Line", "srcline", BY_SRCLINE },
	[COL_SRCFILE] = { "srcfile", "Source File", "srcfile", BY_SRCFILE },
	[COL_CPU] = { "cpu", "CPU", "cpu", BY_CPU },
	[COL_CGROUP] = { "cgroup", "Cgroup", "cgroup", BY_CGROUP },
	[COL_EL] = { "el", "EL", "el", BY_EL },
	[COL_STATE] = { "state", "State", "state", BY_EL | BY_STATE },
	[COL_VMID] = { "vmid", "VMID", "vmid", BY_VMID },
	[COL_METHOD] = { "method", "Found by", "method", BY_METHOD },
	[COL_IDLE] = { "idle", "Idle", "idle", BY_IDLE },
};

/* Options */

struct options {
	struct input_options in;
	const char *sort;
	bool json, addresses, paths, period, quiet, verbose, callers;
	const char *separator;
	struct report_filter rows;
	enum column_id column[NR_COLUMNS];
	unsigned int nr_columns;
	unsigned int by;
};

enum {
	OPT_STDIO = 256, OPT_CHILDREN, OPT_NO_CHILDREN, OPT_JSON, OPT_ADDRESSES, OPT_PATHS,
	OPT_PERCENT_LIMIT, OPT_PERIOD
};

static const struct argp_option option_table[] = {
	{ NULL, 0, NULL, 0, "Rows:", 2 },
	{ "sort", 's', "KEY,...", 0,
	  "what to tell samples apart by: comm, pid, tid, dso, sym, inline, srcline, srcfile, cpu, "
	  "cgroup, el, state, vmid, method, idle (comm,dso,sym)", 0 },
	{ "addresses", OPT_ADDRESSES, NULL, 0,
	  "with sym, a row for each address that has no symbol, as perf has; else one for each "
	  "object", 0 },
	{ "full-source-path", OPT_PATHS, NULL, 0,
	  "with srcline and srcfile, files with their directories", 0 },
	{ "symbols", 'S', "NAME,...", 0, "only these symbols", 0 },
	{ "percent-limit", OPT_PERCENT_LIMIT, "PERCENT", 0, "leave smaller rows out", 0 },
	{ "children", OPT_CHILDREN, NULL, 0,
	  "count samples for what called their code, too, where perf record -g recorded that", 0 },
	{ "no-children", OPT_NO_CHILDREN, NULL, 0, "count no callers, the default", 0 },
	{ NULL, 0, NULL, 0, "Output:", 3 },
	{ "show-total-period", OPT_PERIOD, NULL, 0,
	  "a column with the sum of periods: ns of CPU time, or events", 0 },
	{ "json", OPT_JSON, NULL, 0, "print JSON", 0 },
	{ "stdio", OPT_STDIO, NULL, 0, "print text, the default; for users of perf", 0 },
	{ "show-nr-samples", 'n', NULL, 0, "print samples, as always; for users of perf", 0 },
	{ "field-separator", 't', "TEXT", 0, "between columns, which are not padded then", 0 },
	{ "quiet", 'q', NULL, 0, "no lines in front of the table", 0 },
	{ "verbose", 'v', NULL, 0, "tell for each object without symbols why", 0 },
	{ 0 }
};

static void parse_sort(struct options *o, struct argp_state *state)
{
	const char *p = o->sort;
	unsigned int i, k;
	size_t n;

	for (; *p; p += n + !!p[n]) {
		n = strcspn(p, ",");
		for (i = 0; i < NR_COLUMNS; i++)
			if ((strlen(columns[i].key) == n && !strncmp(p, columns[i].key, n)) ||
			    (i == COL_SYM && n == 6 && !strncmp(p, "symbol", n)))
				break;
		if (i == NR_COLUMNS)
			argp_error(state, "cannot sort by '%.*s'; --help lists what can be",
				   (int)n, p);
		for (k = 0; k < o->nr_columns && o->column[k] != i; k++)
			;
		if (k < o->nr_columns || i == NR_COLUMNS)
			continue;
		o->column[o->nr_columns++] = i;
		o->by |= columns[i].by;
	}
	if (!o->nr_columns)
		argp_error(state, "nothing to sort by");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->in;
		return 0;
	case 's':
		o->sort = arg;
		return 0;
	case 'S':
		o->rows.symbols = arg;
		return 0;
	case OPT_PERCENT_LIMIT:
		o->rows.least = parse_percentage(arg, state);
		return 0;
	case OPT_ADDRESSES:
		o->addresses = true;
		return 0;
	case OPT_PATHS:
		o->paths = true;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_PERIOD:
		o->period = true;
		return 0;
	case OPT_CHILDREN:
		o->callers = true;
		return 0;
	case OPT_NO_CHILDREN:
		o->callers = false;
		return 0;
	case OPT_STDIO:
	case 'n':
		return 0;
	case 't':
		o->separator = arg;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'v':
		o->verbose = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument '%s'; a recording is given with -i", arg);
		return EINVAL;
	case ARGP_KEY_END:
		parse_sort(o, state);
		if (o->callers && o->by & (BY_INLINE | BY_SRCLINE | BY_SRCFILE))
			argp_error(state, "--children has no inline, srcline and srcfile");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = { { &input_argp, 0, NULL, 1 }, { 0 } };

const struct argp report_argp = {
	.options = option_table,
	.parser = parse,
	.children = children,
	.doc = "Print which code the samples of a recording were in.\v"
	       "Each share has a 95 % interval. Examples:\n"
	       "  pcsample report\n"
	       "  pcsample report --sort comm,dso --percent-limit 1\n"
	       "  pcsample report --sort cpu,el --json",
};

static const struct aggregate_filter *filter_of(const struct options *opt)
{
	return opt->in.filtered ? &opt->in.filter : NULL;
}

/* The lines in front of the table */

static void print_recording(struct out *o, const struct session *s)
{
	const char *host = perfdata_string(s->pd, PERFDATA_HOSTNAME);
	const char *release = perfdata_string(s->pd, PERFDATA_OSRELEASE);
	const char *arch = perfdata_string(s->pd, PERFDATA_ARCH);
	const char *version = perfdata_string(s->pd, PERFDATA_VERSION);

	out_text(o, "# Recording: ");
	out_clean(o, s->pd->path, 0);
	if (version) {
		out_text(o, ", by version ");
		out_clean(o, version, 0);
	}
	if (host) {
		out_text(o, " on ");
		out_clean(o, host, 0);
	}
	if (release && arch) {
		out_text(o, ", Linux ");
		out_clean(o, release, 0);
		out_char(o, ' ');
		out_clean(o, arch, 0);
	}
	out_char(o, '\n');
}

static void print_rate(struct out *o, const struct session *s, const struct aggregate *a,
		       const struct aggregate_filter *filter, const struct recorded_event *e,
		       u64 samples)
{
	double seconds = recording_duration(s, a) / 1e9, asked = recording_asked_rate(s, e);
	struct recording_rate rate;
	bool known = recording_rate(s, a, filter, e, samples, &rate);

	out_text(o, "# Samples:   ");
	out_grouped(o, samples);
	out_text(o, " of ");
	out_clean(o, e->name, 0);
	if (seconds > 0) {
		out_text(o, " in ");
		out_fixed(o, seconds, 3, 0);
		out_text(o, " s");
	}
	if (seconds > 0 && a->cpus_seen) {
		out_text(o, " on ");
		out_u64(o, a->cpus_seen, 0);
		out_text(o, a->cpus_seen == 1 ? " CPU" : " CPUs");
	}
	if (known && rate.ran) {
		out_text(o, ", which ran it for ");
		out_fixed(o, rate.ran / 1e9, 3, 0);
		out_text(o, " s");
	}
	if (known) {
		out_text(o, ": ");
		out_fixed(o, rate.hz, 1, 0);
		out_text(o, rate.ran ? " Hz while it ran" : " Hz on each");
	}
	if (asked > 0) {
		out_text(o, ", asked for ");
		out_fixed(o, asked, 1, 0);
	} else if (e->attr.sample_period) {
		out_text(o, ", one each ");
		out_u64(o, e->attr.sample_period, 0);
		out_text(o, " events");
	}
	out_char(o, '\n');
}

static void print_note(struct out *o, const char *note, size_t len)
{
	out_text(o, "# Note:      ");
	out_bytes(o, note, len);
	out_char(o, '\n');
}

static void print_ledger(struct out *o, const struct session *s)
{
	char busy[RECORDING_NOTE_MAX];
	u64 n, planned;
	size_t i;

	if (!recording_planned(s, "planned", &planned))
		return;
	out_text(o, "# Ledger:    planned ");
	out_grouped(o, planned);
	for (i = 0; i < RECORDING_OUTCOMES; i++) {
		if (!recording_planned(s, recording_outcomes[i], &n))
			continue;
		out_text(o, i ? " + " : " = ");
		out_text(o, recording_outcomes[i]);
		out_char(o, ' ');
		out_grouped(o, n);
	}
	out_char(o, '\n');
	if (recording_busy(s, busy))
		print_note(o, busy, strlen(busy));
}

static void print_losses(struct out *o, const struct session *s, const struct aggregate *a)
{
	out_text(o, "# Lost:      ");
	out_grouped(o, s->counts.lost);
	out_text(o, " samples in full buffers");
	if (s->counts.throttled) {
		out_text(o, ", throttled ");
		out_grouped(o, s->counts.throttled);
		out_text(o, " times");
	}
	if (s->counts.unknown) {
		out_text(o, ", ");
		out_grouped(o, s->counts.unknown);
		out_text(o, " records of unknown type");
	}
	if (s->counts.malformed + a->malformed + a->stray) {
		out_text(o, ", ");
		out_grouped(o, s->counts.malformed + a->malformed + a->stray);
		out_text(o, " malformed records");
	}
	out_char(o, '\n');
}

static void print_method(struct out *o, const struct session *s, const struct recorded_event *e)
{
	const char *text;
	size_t len;

	out_text(o, "# Processes: ");
	text = perfdata_meta(s->pd, "method", &len);
	if (text) {
		out_text(o, "found by ");
		out_bytes(o, text, len);
	} else if (e->layout.tid) {
		out_text(o, "the task that the sampled CPU's interrupt found running");
	} else {
		out_text(o, "not recorded");
	}
	out_char(o, '\n');
}

static void print_notes(struct out *o, const struct session *s)
{
	const char *text;
	unsigned int i;
	size_t len;

	for (i = 0; (text = perfdata_meta_nth(s->pd, "note", i, &len)); i++)
		print_note(o, text, len);
	for (i = 0; i < s->nr_notes; i++)
		print_note(o, s->notes[i], strlen(s->notes[i]));
}

/* Why code has no names */

static void print_problems(struct out *o, const struct report *r)
{
	u64 *nameless = r->a->by & BY_SYM ? report_nameless(r) : NULL;
	const struct dso_table *dsos = &r->s->dsos;
	struct error made;
	size_t i;

	for (i = 0; i < dsos->nr; i++) {
		if (!dsos->dso[i]->problem.text[0] && !(nameless && nameless[i]))
			continue;
		out_text(o, "# Symbols:   ");
		out_clean(o, report_why_nameless(dsos->dso[i], &made), 0);
		out_char(o, '\n');
	}
	free(nameless);
}

/*
 * Shares of an event's samples, in per cent, from which it is told unasked: of DSOs that have a
 * problem, and of all, as stripped files have symbols of the functions that others call.
 */
#define PROBLEM_SHARE	1.0
#define NAMELESS_SHARE	5.0

static u64 sum_nameless(const struct dso_table *dsos, const u64 *nameless, bool problems)
{
	u64 sum = 0;
	size_t i;

	for (i = 0; i < dsos->nr; i++)
		if (!problems || dsos->dso[i]->problem.text[0])
			sum += nameless[i];
	return sum;
}

/* The same in a line, with the DSO that most samples without a name are in */
static void print_main_problem(struct out *o, const struct report *r)
{
	const struct dso_table *dsos = &r->s->dsos;
	u64 *nameless = report_nameless(r), sum;
	size_t i, most = dsos->nr;
	unsigned int files = 0;
	struct error made;
	bool problems;

	if (!nameless)
		return;
	sum = sum_nameless(dsos, nameless, false);
	problems = 100.0 * sum < NAMELESS_SHARE * r->weight;
	if (problems)
		sum = sum_nameless(dsos, nameless, true);
	for (i = 0; i < dsos->nr; i++) {
		if (!nameless[i] || (problems && !dsos->dso[i]->problem.text[0]))
			continue;
		files++;
		if (nameless[i] > nameless[most])
			most = i;
	}
	if (sum && 100.0 * sum >= PROBLEM_SHARE * r->weight) {
		out_text(o, "# Symbols:   missing for ");
		out_fixed(o, 100.0 * sum / r->weight, 1, 0);
		out_text(o, " % of the samples, in ");
		out_u64(o, files, 0);
		out_text(o, files == 1 ? " file: " : " files, most of them in: ");
		out_clean(o, report_why_nameless(dsos->dso[most], &made), 0);
		out_text(o, files == 1 ? "\n" : " (-v: the others)\n");
	}
	free(nameless);
}

/* The table */

static const char *cell_text(struct report *r, enum column_id c, const struct place *p, char *buf)
{
	switch (c) {
	case COL_COMM:
		return report_comm(r->s, p, buf);
	case COL_DSO:
		return r->s->dsos.dso[p->dso]->name;
	case COL_SYM:
		return report_symbol(r, p, buf);
	case COL_INLINE:
		return report_inlined(r, p);
	case COL_SRCLINE:
		return report_srcline(&r->names, r->s, p);
	case COL_SRCFILE:
		return report_srcfile(r->s, p);
	case COL_PID:
		snprintf(buf, REPORT_TEXT_MAX, "%d", p->pid);
		return buf;
	case COL_TID:
		snprintf(buf, REPORT_TEXT_MAX, "%d", p->tid);
		return buf;
	case COL_CPU:
		snprintf(buf, REPORT_TEXT_MAX, p->cpu == NO_CPU ? "-" : "%u", p->cpu);
		return buf;
	case COL_CGROUP:
		return report_cgroup(r->s, p);
	case COL_EL:
		snprintf(buf, REPORT_TEXT_MAX, p->el == NO_EL ? "-" : "EL%u", p->el);
		return buf;
	case COL_STATE:
		return p->el == NO_EL ? "-" : report_state(p->state);
	case COL_VMID:
		snprintf(buf, REPORT_TEXT_MAX, p->vmid == NO_VMID ? "-" : "%u", p->vmid);
		return buf;
	case COL_METHOD:
		return p->el == NO_EL ? "interrupt" : report_method(p->method);
	case COL_IDLE:
		return p->idle ? "idle" : "busy";
	case NR_COLUMNS:
		break;
	}
	return "";
}

/* The widest name of a command or an object in the rows: many rows have few of them */
static size_t name_width(const struct report *r, enum column_id c)
{
	size_t nr = c == COL_DSO ? r->s->dsos.nr : r->s->sb.comms.nr, i, width = 0;
	char buf[REPORT_TEXT_MAX], *seen = calloc(1, nr + 1);
	struct place p;
	u32 id;

	for (i = 0; seen && i < r->nr; i++) {
		id = c == COL_DSO ? aggregate_dso(report_entry(r, i)->key) :
				    aggregate_comm(report_entry(r, i)->key);
		if (id < nr && seen[id])
			continue;
		if (id < nr)
			seen[id] = 1;
		p.comm = id;
		width = max(width, strlen(c == COL_DSO ? r->s->dsos.dso[id]->name :
							 report_comm(r->s, &p, buf)));
	}
	free(seen);
	return width;
}

static size_t text_width(struct report *r, enum column_id c)
{
	char buf[REPORT_TEXT_MAX];
	size_t i, width = 0;
	struct place p;

	for (i = 0; i < r->nr; i++) {
		aggregate_place(&r->a->hist, report_entry(r, i)->key, &p);
		width = max(width, strlen(cell_text(r, c, &p, buf)));
	}
	return c == COL_SYM ? width + 4 : width;
}

/* Columns are as wide as their widest text, but for the last one */
static void find_widths(struct report *r, const struct options *opt, size_t *width)
{
	enum column_id id;
	unsigned int c;

	for (c = 0; c < opt->nr_columns; c++) {
		id = opt->column[c];
		width[c] = 0;
		if (c + 1 < opt->nr_columns)
			width[c] = max(strlen(columns[id].title),
				       id == COL_COMM || id == COL_DSO ? name_width(r, id) :
									 text_width(r, id));
	}
}

/*
 * A cell is two spaces and its text, padded. Commands and objects are few and in many rows: their
 * cells are made once, by id.
 */
struct cells {
	struct {
		char *text;
		size_t len;
	} *by_id;
	size_t nr;
	size_t width;
};

static void print_text(struct out *o, const char *text, size_t width)
{
	out_bytes(o, "  ", 2);
	out_clean(o, text, width);
}

static void print_name(struct out *o, struct report *r, enum column_id c, const struct place *p,
		       struct cells *cells)
{
	u32 id = c == COL_DSO ? p->dso : p->comm;
	char buf[REPORT_TEXT_MAX], *start;

	if (likely(id < cells->nr && cells->by_id[id].text)) {
		out_bytes(o, cells->by_id[id].text, cells->by_id[id].len);
		return;
	}
	start = out_room(o, OUT_ITEM_MAX);
	print_text(o, cell_text(r, c, p, buf), cells->width);
	if (id >= cells->nr || o->buf + o->used - start > OUT_ITEM_MAX ||
	    o->buf + o->used - start <= 0)
		return;
	cells->by_id[id].len = o->buf + o->used - start;
	cells->by_id[id].text = malloc(cells->by_id[id].len);
	if (cells->by_id[id].text)
		memcpy(cells->by_id[id].text, start, cells->by_id[id].len);
}

static void print_symbol(struct out *o, struct report *r, const struct place *p, size_t width)
{
	const char level[] = { ' ', ' ', '[', report_level(p), ']', ' ' };
	char buf[REPORT_TEXT_MAX];

	out_bytes(o, level, sizeof(level));
	width -= min(width, (size_t)4);
	if (p->named || !(r->a->by & BY_ADDR)) {
		out_clean(o, report_symbol(r, p, buf), width);
		return;
	}
	out_hex(o, p->where, 16);
	if (width > 18)
		out_spaces(o, width - 18);
}

static void print_cell(struct out *o, struct report *r, enum column_id c, const struct place *p,
		       struct cells *cells)
{
	char buf[REPORT_TEXT_MAX];

	switch (c) {
	case COL_COMM:
	case COL_DSO:
		print_name(o, r, c, p, cells);
		return;
	case COL_SYM:
		print_symbol(o, r, p, cells->width);
		return;
	default:
		print_text(o, cell_text(r, c, p, buf), cells->width);
	}
}

static void init_cells(struct cells *cells, const struct report *r, enum column_id c, size_t width)
{
	*cells = (struct cells){ .width = width };
	if (c != COL_COMM && c != COL_DSO)
		return;
	cells->nr = c == COL_DSO ? r->s->dsos.nr : r->s->sb.comms.nr;
	cells->by_id = calloc(cells->nr, sizeof(*cells->by_id));
	if (!cells->by_id)
		cells->nr = 0;
}

static void deinit_cells(struct cells *cells)
{
	while (cells->nr)
		free(cells->by_id[--cells->nr].text);
	free(cells->by_id);
}

/*
 * Share, interval and samples. Most rows of a large report have few samples: many are the same, and
 * are made once.
 */
#define NR_SHARES 32

static double share_of(const struct report *r, double whole, u64 weight)
{
	return r->weight ? whole * weight / r->weight : 0;
}

struct shares {
	char text[128];
	size_t len;
	u64 count, weight, squares;
};

static void print_shares(struct out *o, const struct report *r, const struct options *opt,
			 size_t row, struct shares *made)
{
	const struct report_self self = report_self(r, row);
	struct shares *last = &made[hash64(self.weight ^ self.squares) % NR_SHARES];
	struct stats_interval in;
	char *start;

	if (opt->callers) {
		out_fixed(o, share_of(r, 100, report_entry(r, row)->weight), 2, 9);
		out_bytes(o, "% ", 2);
	}
	if (last->len && self.count == last->count && self.weight == last->weight &&
	    self.squares == last->squares) {
		out_bytes(o, last->text, last->len);
		return;
	}
	start = out_room(o, sizeof(last->text));
	in = stats_share(&r->blocks, self.count, self.squares, self.weight);
	out_fixed(o, share_of(r, 100, self.weight), 2, 9);
	out_bytes(o, "%", 1);
	out_fixed(o, 100 * in.low, 2, 7);
	out_bytes(o, " -", 2);
	out_fixed(o, 100 * in.high, 2, 6);
	out_u64(o, self.count, 11);
	if (opt->period)
		out_u64(o, self.weight, 16);
	last->len = o->buf + o->used - start;
	memcpy(last->text, start, last->len);
	last->count = self.count;
	last->weight = self.weight;
	last->squares = self.squares;
}

/* Rows whose entries are asked for ahead: sorted by weight they are anywhere in memory */
#define AHEAD 16

static void print_table(struct out *o, struct report *r, const struct options *opt)
{
	struct shares made[NR_SHARES] = { 0 };
	struct cells cells[NR_COLUMNS];
	size_t width[NR_COLUMNS], i;
	struct place p;
	unsigned int c;

	find_widths(r, opt, width);
	out_text(o, opt->callers ? "# Children   Overhead   95 % interval    Samples" :
				   "# Overhead   95 % interval    Samples");
	if (opt->period)
		out_text(o, "          Period");
	for (c = 0; c < opt->nr_columns; c++) {
		out_text(o, "  ");
		out_left(o, columns[opt->column[c]].title, width[c]);
		init_cells(&cells[c], r, opt->column[c], width[c]);
	}
	out_text(o, "\n#\n");
	for (i = 0; i < r->nr && !o->error; i++) {
		if (i + AHEAD < r->nr) {
			__builtin_prefetch(report_entry(r, i + AHEAD));
			__builtin_prefetch(report_counts(r, i + AHEAD));
		}
		aggregate_place(&r->a->hist, report_entry(r, i)->key, &p);
		print_shares(o, r, opt, i, made);
		for (c = 0; c < opt->nr_columns; c++)
			print_cell(o, r, opt->column[c], &p, &cells[c]);
		out_char(o, '\n');
	}
	for (c = 0; c < opt->nr_columns; c++)
		deinit_cells(&cells[c]);
}

/* For other programs: the same columns, not padded */
static void print_separated(struct out *o, struct report *r, const struct options *opt)
{
	const struct hist_entry *e;
	struct stats_interval in;
	char buf[REPORT_TEXT_MAX];
	struct report_self self;
	struct place p;
	unsigned int c;
	size_t i;

	if (!opt->quiet) {
		out_text(o, "# ");
		if (opt->callers) {
			out_text(o, "Children");
			out_text(o, opt->separator);
		}
		out_text(o, "Overhead");
		out_text(o, opt->separator);
		out_text(o, "95 % interval");
		out_text(o, opt->separator);
		out_text(o, "Samples");
		if (opt->period) {
			out_text(o, opt->separator);
			out_text(o, "Period");
		}
		for (c = 0; c < opt->nr_columns; c++) {
			out_text(o, opt->separator);
			out_text(o, columns[opt->column[c]].title);
		}
		out_char(o, '\n');
	}
	for (i = 0; i < r->nr && !o->error; i++) {
		e = report_entry(r, i);
		self = report_self(r, i);
		aggregate_place(&r->a->hist, e->key, &p);
		in = stats_share(&r->blocks, self.count, self.squares, self.weight);
		if (opt->callers) {
			out_fixed(o, share_of(r, 100, e->weight), 2, 0);
			out_char(o, '%');
			out_text(o, opt->separator);
		}
		out_fixed(o, share_of(r, 100, self.weight), 2, 0);
		out_char(o, '%');
		out_text(o, opt->separator);
		out_fixed(o, 100 * in.low, 2, 0);
		out_char(o, '-');
		out_fixed(o, 100 * in.high, 2, 0);
		out_text(o, opt->separator);
		out_u64(o, self.count, 0);
		if (opt->period) {
			out_text(o, opt->separator);
			out_u64(o, self.weight, 0);
		}
		for (c = 0; c < opt->nr_columns; c++) {
			out_text(o, opt->separator);
			if (opt->column[c] == COL_SYM) {
				const char level[] = { '[', report_level(&p), ']', ' ' };

				out_bytes(o, level, sizeof(level));
			}
			out_clean(o, cell_text(r, opt->column[c], &p, buf), 0);
		}
		out_char(o, '\n');
	}
}

/* Of samples that are in the row's code, or in what it called */
static void print_json_callers(struct out *o, const struct report *r, size_t i)
{
	const struct hist_finished *counts = report_counts(r, i);
	u64 weight = report_entry(r, i)->weight;
	struct stats_interval in;

	in = stats_share(&r->blocks, counts->count, counts->squares, weight);
	out_text(o, ",\"children\":");
	out_fixed(o, share_of(r, 1, weight), 6, 0);
	out_text(o, ",\"children_low\":");
	out_fixed(o, in.low, 6, 0);
	out_text(o, ",\"children_high\":");
	out_fixed(o, in.high, 6, 0);
	out_text(o, ",\"children_samples\":");
	out_u64(o, counts->count, 0);
}

static void print_json_rows(struct out *o, struct report *r, const struct options *opt)
{
	char buf[REPORT_TEXT_MAX];
	struct stats_interval in;
	struct report_self self;
	struct place p;
	unsigned int c;
	size_t i;

	for (i = 0; i < r->nr && !o->error; i++) {
		aggregate_place(&r->a->hist, report_entry(r, i)->key, &p);
		self = report_self(r, i);
		in = stats_share(&r->blocks, self.count, self.squares, self.weight);
		out_text(o, i ? ",\n{\"share\":" : "\n{\"share\":");
		out_fixed(o, share_of(r, 1, self.weight), 6, 0);
		out_text(o, ",\"low\":");
		out_fixed(o, in.low, 6, 0);
		out_text(o, ",\"high\":");
		out_fixed(o, in.high, 6, 0);
		out_text(o, ",\"samples\":");
		out_u64(o, self.count, 0);
		out_text(o, ",\"effective_samples\":");
		out_fixed(o, in.effective, 1, 0);
		out_text(o, ",\"period\":");
		out_u64(o, self.weight, 0);
		if (opt->callers)
			print_json_callers(o, r, i);
		for (c = 0; c < opt->nr_columns; c++) {
			out_text(o, ",\"");
			out_text(o, columns[opt->column[c]].json);
			out_text(o, "\":\"");
			out_json(o, cell_text(r, opt->column[c], &p, buf));
			out_char(o, '"');
		}
		out_char(o, '}');
	}
}

static void json_known(struct json *j, const char *key, const char *text)
{
	if (text)
		json_string(j, key, text);
}

static void print_json_head(struct json *j, struct out *o, const struct session *s,
			    const struct aggregate *a)
{
	json_begin(j, o, "pcsample-report", 1);
	json_string(j, "file", s->pd->path);
	json_known(j, "recorder", perfdata_string(s->pd, PERFDATA_VERSION));
	json_known(j, "hostname", perfdata_string(s->pd, PERFDATA_HOSTNAME));
	json_known(j, "kernel", perfdata_string(s->pd, PERFDATA_OSRELEASE));
	json_known(j, "arch", perfdata_string(s->pd, PERFDATA_ARCH));
	json_u64(j, "samples", a->samples);
	json_u64(j, "duration_ns", recording_duration(s, a));
	json_u64(j, "cpus", a->cpus_seen);
	recording_json_losses(j, s, a);
	if (s->pd->damage.text[0])
		json_string(j, "damage", s->pd->damage.text);
	recording_json_ledger(j, s);
	recording_json_notes(j, s);
	json_array(j, "events");
}

static void print_json_method(struct json *j, const struct session *s,
			      const struct recorded_event *e)
{
	size_t len;
	const char *text = perfdata_meta(s->pd, "method", &len);

	if (text)
		json_part(j, "method", text, len);
	else if (e->layout.tid)
		json_string(j, "method", "interrupt");
}

/* What the text has with --verbose */
static int print_json_nameless(struct json *j, const struct report *r)
{
	const struct dso_table *dsos = &r->s->dsos;
	u64 *nameless = report_nameless(r);
	const struct dso *dso;
	struct error made;
	size_t i;

	if (!nameless)
		return -ENOMEM;
	json_object(j, "nameless");
	json_fixed(j, "share", (double)sum_nameless(dsos, nameless, false) / r->weight, 6);
	json_array(j, "objects");
	for (i = 0; i < dsos->nr; i++) {
		dso = dsos->dso[i];
		if (!nameless[i] && !dso->problem.text[0])
			continue;
		json_object(j, NULL);
		json_string(j, "dso", dso->name);
		json_fixed(j, "share", (double)nameless[i] / r->weight, 6);
		json_string(j, "why", report_why_nameless(dso, &made));
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
	free(nameless);
	return 0;
}

static int print_json_event(struct json *j, struct report *r, const struct options *opt,
			    const struct recorded_event *e)
{
	struct recording_rate rate;
	int ret = 0;

	out_char(j->o, '\n');
	json_object(j, NULL);
	json_string(j, "event", e->name);
	json_u64(j, "samples", r->samples);
	if (recording_rate(r->s, r->a, filter_of(opt), e, r->samples, &rate)) {
		if (rate.ran)
			json_u64(j, "ran_ns", rate.ran);
		json_fixed(j, "rate_hz", rate.hz, 3);
	}
	recording_json_asked(j, r->s, e);
	print_json_method(j, r->s, e);
	if (r->a->by & BY_SYM && r->weight)
		ret = print_json_nameless(j, r);
	json_array(j, "rows");
	print_json_rows(j->o, r, opt);
	json_array_end(j);
	json_object_end(j);
	return ret;
}

/* One event after the other, as perf */
static int print_events(struct out *o, struct session *s, struct aggregate *a,
			const struct options *opt, size_t *rows)
{
	unsigned int e, shown = 0;
	struct report r;
	struct json j;
	int ret = 0;

	if (opt->json)
		print_json_head(&j, o, s, a);
	else if (!opt->quiet)
		print_recording(o, s);
	for (e = 0; e < s->pd->nr_events && !ret; e++) {
		if (s->pd->only >= 0 && e != s->pd->only)
			continue;
		if (report_init(&r, s, a, s->pd->only < 0 ? (int)e : -1, &opt->rows,
				opt->in.demangle))
			return -ENOMEM;
		if (opt->json && r.samples) {
			ret = print_json_event(&j, &r, opt, &s->pd->events[e]);
		} else if (r.samples) {
			if (shown)
				out_char(o, '\n');
			if (!opt->quiet) {
				print_rate(o, s, a, filter_of(opt), &s->pd->events[e], r.samples);
				print_losses(o, s, a);
				print_ledger(o, s);
				print_method(o, s, &s->pd->events[e]);
				print_notes(o, s);
				if (opt->verbose)
					print_problems(o, &r);
				else if (a->by & BY_SYM)
					print_main_problem(o, &r);
				out_text(o, "#\n");
			}
			if (opt->separator)
				print_separated(o, &r, opt);
			else
				print_table(o, &r, opt);
		}
		shown += !!r.samples;
		*rows += r.nr;
		report_deinit(&r);
	}
	if (opt->json) {
		json_array_end(&j);
		json_end(&j);
	}
	return ret;
}

static int no_samples(const struct session *s, const struct aggregate *a)
{
	u64 planned, n, most = 0;
	const char *why = NULL;
	size_t i;

	/* That is why, and input_close() says it */
	if (s->pd->damage.text[0])
		return EXIT_NOTHING;
	fprintf(stderr, "pcsample report: %s: no samples: ", s->pd->path);
	if (a->left_out) {
		fprintf(stderr, "none of %" PRIu64
			" is of these CPUs, processes, threads and times\n",
			a->left_out);
	} else if (recording_planned(s, "planned", &planned)) {
		for (i = 1; i < RECORDING_OUTCOMES; i++) {
			if (recording_planned(s, recording_outcomes[i], &n) && n > most) {
				most = n;
				why = recording_outcomes[i];
			}
		}
		fprintf(stderr, "%" PRIu64 " reads were planned, %" PRIu64 " of them ended as %s\n",
			planned, most, why ? why : "nothing");
	} else if (s->counts.lost) {
		fprintf(stderr, "%" PRIu64 " were lost in full buffers\n", s->counts.lost);
	} else {
		fprintf(stderr, "event %s never fired; does its counter work here? "
			"try: pcsample doctor\n",
			s->pd->events[0].name);
	}
	return EXIT_NOTHING;
}

/* Are there call chains where they are asked for? What is not counted of some is noted. */
static bool see_to_chains(struct session *s, const struct options *opt)
{
	bool recorded = false;
	size_t i;

	for (i = 0; i < s->pd->nr_events; i++)
		recorded |= callchain_recorded(&s->pd->events[i]);
	if (!recorded && opt->callers) {
		fprintf(stderr, "pcsample report: %s: --children counts call chains, and it has "
			"none; perf record -g records some\n", s->pd->path);
		return false;
	}
	if (!callchain_note(s, opt->callers))
		return true;
	fprintf(stderr, "pcsample report: out of memory\n");
	return false;
}

static struct out out;

static int report(struct session *s, const struct options *opt)
{
	unsigned int by = opt->by;
	size_t rows = 0;
	struct error err = { "" };
	struct aggregate a;
	int ret;

	if (opt->rows.comms)
		by |= BY_COMM;
	if (opt->rows.dsos)
		by |= BY_DSO;
	if (opt->rows.symbols)
		by |= BY_SYM;
	if (opt->addresses && by & BY_SYM)
		by |= BY_ADDR;
	if (opt->paths)
		by |= BY_SRCPATH;
	if (s->pd->only < 0)
		by |= BY_EVENT;
	if (opt->callers)
		by |= BY_CALLERS;
	if (!see_to_chains(s, opt))
		return EXIT_FAILED;
	ret = aggregate_run(&a, s, by, filter_of(opt), &err);
	if (ret) {
		fprintf(stderr, "pcsample report: %s\n", err.text);
		return EXIT_FAILED;
	}
	if (!a.samples) {
		ret = no_samples(s, &a);
	} else {
		out_init(&out, STDOUT_FILENO);
		ret = print_events(&out, s, &a, opt, &rows);
		if (ret)
			fprintf(stderr, "pcsample report: %s\n", strerror(-ret));
		ret = ret ? EXIT_FAILED : output_end(&out, "pcsample report");
	}
	if (!ret && !rows) {
		fprintf(stderr, "pcsample report: %s: no row of %" PRIu64 " samples has these names"
			" or is that large\n", s->pd->path, a.samples);
		ret = EXIT_NOTHING;
	}
	aggregate_deinit(&a);
	return ret;
}

int cmd_report(int argc, char **argv)
{
	struct options opt = { .sort = "comm,dso,sym" };
	int status = EXIT_FAILED;
	struct session *s;

	argp_parse(&report_argp, argc, argv, 0, NULL, &opt);
	/* As perf: these choose rows, whose shares stay those of all samples */
	opt.rows.comms = opt.in.comms;
	opt.rows.dsos = opt.in.dsos;
	opt.in.comms = NULL;
	opt.in.dsos = NULL;
	s = input_open(&opt.in, argv[0]);
	if (s)
		status = input_close(s, argv[0], report(s, &opt));
	input_options_deinit(&opt.in);
	return status;
}
