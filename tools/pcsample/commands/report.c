// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample report: print which code the samples of a recording were in.
 */
#include <argp.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <arch-model/pc-sample.h>

#include "base/fnv.h"
#include "base/out.h"
#include "commands/call-graph.h"
#include "commands/command.h"
#include "commands/habits.h"
#include "commands/input-options.h"
#include "commands/plain-options.h"
#include "commands/terminal.h"
#include "perfdata/outcomes.h"
#include "profile/callchain.h"
#include "profile/not-shown.h"
#include "profile/provenance.h"
#include "profile/recording.h"
#include "profile/rows.h"

/* Columns */

enum column_id {
	COL_COMM, COL_PID, COL_TID, COL_DSO, COL_SYM, COL_INLINE, COL_SRCLINE, COL_SRCFILE, COL_CPU,
	COL_CGROUP, COL_EL, COL_STATE, COL_VMID, COL_METHOD, COL_IDLE, COL_DSO_FROM, COL_SYM_FROM,
	COL_DSO_TO, COL_SYM_TO, COL_MISPREDICT, COL_IN_TX, COL_ABORT, COL_CYCLES, NR_COLUMNS,
	COL_FIELD = NR_COLUMNS,		/* this and the next ones: fields of tracepoints */
	COLUMNS_MAX = COL_FIELD + TRACEPOINT_KEYS_MAX
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
	[COL_STATE] = { "state", "State", "state", BY_STATE },
	[COL_VMID] = { "vmid", "VMID", "vmid", BY_VMID },
	[COL_METHOD] = { "method", "Found by", "method", BY_METHOD },
	[COL_IDLE] = { "idle", "Idle", "idle", BY_IDLE },
	[COL_DSO_FROM] = { "dso_from", "Source Shared Object", "dso_from",
			   BY_BRANCHES | BY_DSO_FROM },
	[COL_SYM_FROM] = { "symbol_from", "Source Symbol", "symbol_from",
			   BY_BRANCHES | BY_SYM_FROM },
	[COL_DSO_TO] = { "dso_to", "Target Shared Object", "dso_to", BY_BRANCHES | BY_DSO },
	[COL_SYM_TO] = { "symbol_to", "Target Symbol", "symbol_to", BY_BRANCHES | BY_SYM },
	[COL_MISPREDICT] = { "mispredict", "Branch Mispredicted", "mispredict",
			     BY_BRANCHES | BY_PREDICTED },
	[COL_IN_TX] = { "in_tx", "Branch in transaction", "in_tx", BY_BRANCHES | BY_IN_TX },
	[COL_ABORT] = { "abort", "Transaction abort", "abort", BY_BRANCHES | BY_ABORT },
	[COL_CYCLES] = { "cycles", "Basic Block Cycles", "cycles", BY_BRANCHES | BY_CYCLES },
};

/* Keys of --sort that cannot be used with -b */
#define NOT_OF_BRANCHES (BY_INLINE | BY_SRCLINE | BY_SRCFILE | BY_CGROUP | BY_FIELDS | BY_EL | \
			 BY_STATE | BY_VMID | BY_METHOD | BY_IDLE)

/* Options */

struct options {
	struct input_options in;
	const char *sort, *fields;
	char *field[TRACEPOINT_KEYS_MAX];	/* names in @sort that are no columns */
	unsigned int nr_fields;
	bool relative;
	bool json, addresses, paths, period, quiet, verbose, callers, no_callers;
	bool header, header_only, topology;
	const char *weight;	/* --weight; NULL to use periods */
	u16 counter;		/* number of the event in @weight, or 0 */
	const char *separator;
	struct report_filter rows;
	struct call_graph_options graph;
	bool graph_open;	/* the last option was -g, and the next word may be its argument */
	bool inverted;
	unsigned int column[COLUMNS_MAX];	/* enum column_id, or COL_FIELD and more */
	unsigned int nr_columns;
	unsigned int by;
};

enum {
	OPT_STDIO = 256, OPT_CHILDREN, OPT_NO_CHILDREN, OPT_JSON, OPT_ADDRESSES, OPT_PATHS,
	OPT_PERCENT_LIMIT, OPT_PERIOD, OPT_HEADER, OPT_HEADER_ONLY,
	OPT_PERCENTAGE, OPT_MAX_STACK, OPT_WEIGHT
};

static const struct argp_option option_table[] = {
	{ NULL, 0, NULL, 0, "Rows:", 2 },
	{ "sort", 's', "KEY,...", 0,
	  "print a row for each different KEY: comm, pid, tid, dso, sym, inline, srcline, srcfile, "
	  "cpu, cgroup, el, state, vmid, method, idle; trace, or the name of a field of "
	  "tracepoints; with -b also dso_from, symbol_from, dso_to, symbol_to, mispredict, in_tx, "
	  "abort, cycles (default: comm,dso,sym)", 0 },
	{ "branch-stack", 'b', NULL, 0,
	  "count the branches that the CPU recorded before each sample (perf record -b); default "
	  "of --sort: comm,dso_from,symbol_from,symbol_to,cycles", 0 },
	{ "fields", 'F', "KEY,...", 0,
	  "print these columns, as perf does: the keys of --sort, and sample, period, overhead, "
	  "overhead_children", 0 },
	{ "weight", OPT_WEIGHT, "WHAT", 0,
	  "weigh each PMU snapshot (-e arm_pcsample/snapshot=1/) by what its CPU counted since the "
	  "previous one: cycles, instructions, or the number of the counted event", 0 },
	{ "addresses", OPT_ADDRESSES, NULL, 0,
	  "print a row for each address without a symbol, as perf does (default: one row for all "
	  "of an object)", 0 },
	{ "full-source-path", OPT_PATHS, NULL, 0,
	  "show srcline and srcfile with the full path of the file", 0 },
	{ "symbols", 'S', "NAME,...", 0, "show only these symbols", 0 },
	{ "hide-unresolved", 'U', NULL, 0, "show only rows whose code has a name", 0 },
	{ "percent-limit", OPT_PERCENT_LIMIT, "PERCENT", 0, "hide rows with a smaller share", 0 },
	{ "percentage", OPT_PERCENTAGE, "HOW", 0,
	  "with -c and -d, print percentages of all samples (absolute) or of the shown samples "
	  "(relative) (default: absolute)", 0 },
	{ "children", OPT_CHILDREN, NULL, 0,
	  "count a sample for its callers, too; needs call chains (perf record -g)", 0 },
	{ "no-children", OPT_NO_CHILDREN, NULL, 0,
	  "do not count callers, the default without -g", 0 },
	{ "call-graph", 'g', "HOW", OPTION_ARG_OPTIONAL,
	  "print a call tree below each row: what the row called (caller) or what called the row "
	  "(callee) (default: graph,0.5,caller,function,percent)", 0 },
	{ "inverted", 'G', NULL, 0, "the same as -g caller", 0 },
	{ "max-stack", OPT_MAX_STACK, "N", 0,
	  "use only the first N addresses of call chains", 0 },
	{ NULL, 0, NULL, 0, "Output:", 3 },
	{ "show-total-period", OPT_PERIOD, NULL, 0,
	  "add a column with the sum of periods: ns of CPU time, or events", 0 },
	{ "json", OPT_JSON, NULL, 0, "print JSON", 0 },
	{ "stdio", OPT_STDIO, NULL, 0, "print text, the default; accepted as in perf", 0 },
	{ "show-nr-samples", 'n', NULL, 0,
	  "print numbers of samples, the default; accepted as in perf", 0 },
	{ "field-separator", 't', "TEXT", 0, "separate columns by TEXT and do not pad them", 0 },
	{ "header", OPT_HEADER, NULL, 0,
	  "print where the recording comes from: machine, command line, events", 0 },
	{ "header-only", OPT_HEADER_ONLY, NULL, 0, "print the header and nothing else", 0 },
	{ "show-info", 'I', NULL, 0, "print the header, CPU siblings and memory nodes", 0 },
	{ "quiet", 'q', NULL, 0, "print the table only", 0 },
	{ "verbose", 'v', NULL, 0, "explain why symbols are missing", 0 },
	TAKES_BACK("no-sort", 's'),
	TAKES_BACK("no-branch-stack", 'b'),
	TAKES_BACK("no-fields", 'F'),
	TAKES_BACK("no-full-source-path", OPT_PATHS),
	TAKES_BACK("no-symbols", 'S'),
	TAKES_BACK("no-hide-unresolved", 'U'),
	TAKES_BACK("no-percent-limit", OPT_PERCENT_LIMIT),
	TAKES_BACK("no-percentage", OPT_PERCENTAGE),
	TAKES_BACK("no-call-graph", 'g'),
	TAKES_BACK("no-inverted", 'G'),
	TAKES_BACK("no-max-stack", OPT_MAX_STACK),
	TAKES_BACK("no-show-total-period", OPT_PERIOD),
	TAKES_BACK("no-field-separator", 't'),
	TAKES_BACK("no-header", OPT_HEADER),
	TAKES_BACK("no-header-only", OPT_HEADER_ONLY),
	TAKES_BACK("no-show-info", 'I'),
	TAKES_BACK("no-quiet", 'q'),
	TAKES_BACK("no-verbose", 'v'),
	{ 0 }
};

/*
 * A key that is no column may be a field of tracepoints. see_to_fields() checks this once the
 * recording is open.
 */
static unsigned int add_field(struct options *o, const char *name, size_t len,
			      struct argp_state *state)
{
	const char *use;
	unsigned int i;
	bool field;

	use = habit_of_key(name, len, &field);
	if (use && !field)
		argp_failure(state, EXIT_USAGE, 0, "--sort %.*s: %s", (int)len, name, use);
	for (i = 0; i < o->nr_fields; i++)
		if (text_is(name, len, o->field[i]))
			return COL_FIELD + i;
	if (i == TRACEPOINT_KEYS_MAX)
		argp_error(state, "cannot sort by more than %d fields", TRACEPOINT_KEYS_MAX);
	o->field[i] = strndup(name, len);
	if (!o->field[i])
		argp_failure(state, EXIT_FAILED, ENOMEM, "--sort");
	o->nr_fields++;
	return COL_FIELD + i;
}

/* Keys of --fields for columns of numbers. These have fixed places in front, whatever the order. */
static bool parse_number(struct options *o, const char *key, size_t n)
{
	if (text_is(key, n, "period"))
		o->period = true;
	else if (text_is(key, n, "overhead_children"))
		o->callers = true;
	else
		return text_is(key, n, "overhead") || text_is(key, n, "sample");
	return true;
}

static bool has_column(const struct options *opt, unsigned int column)
{
	unsigned int k;

	for (k = 0; k < opt->nr_columns; k++)
		if (opt->column[k] == column)
			return true;
	return false;
}

static void add_column(struct options *o, unsigned int column)
{
	if (has_column(o, column))
		return;
	o->column[o->nr_columns++] = column;
	o->by |= column < NR_COLUMNS ? columns[column].by : BY_FIELDS;
}

/* As for perf, spaces separate, too */
static void parse_keys(struct options *o, const char *p, struct argp_state *state)
{
	unsigned int i;
	size_t n;

	for (; *(p += strspn(p, ", ")); p += n) {
		n = strcspn(p, ", ");
		if (parse_number(o, p, n))
			continue;
		for (i = 0; i < NR_COLUMNS; i++)
			if (text_is(p, n, columns[i].key) ||
			    (i == COL_SYM && text_is(p, n, "symbol")))
				break;
		if (i == NR_COLUMNS)
			i = add_field(o, p, n, state);
		add_column(o, i);
	}
}

static bool is_several(const struct name_list *names)
{
	return names && names->nr > 1;
}

/*
 * Options that choose rows by several names also tell rows apart by the name. Add a column for it:
 * without it, several rows would look alike. A single name would be the same in all rows; as in
 * perf, it gets no column. If several objects have this name, tell_objects_apart() adds a column.
 */
static void add_what_chooses(struct options *o)
{
	bool branches = o->by & BY_BRANCHES;

	if (is_several(o->rows.comms))
		add_column(o, COL_COMM);
	if (is_several(o->rows.dsos) || (branches && o->rows.dsos))
		add_column(o, branches ? COL_DSO_TO : COL_DSO);
	if (branches && o->rows.named)
		add_column(o, COL_SYM_FROM);
	if (is_several(o->rows.symbols) || o->rows.named || (branches && o->rows.symbols))
		add_column(o, branches ? COL_SYM_TO : COL_SYM);
}

/*
 * As in perf, the columns of --fields come first, then those of --sort. A list that begins with +
 * is added to the default list.
 */
static void parse_columns(struct options *o, struct argp_state *state)
{
	bool more_fields = o->fields && o->fields[0] == '+';
	bool more_keys = o->sort && o->sort[0] == '+';

	if (o->fields && !more_fields)
		parse_keys(o, o->fields, state);
	if (o->sort && !more_keys)
		parse_keys(o, o->sort, state);
	else if (!o->fields || more_fields || more_keys)
		parse_keys(o, o->by & BY_BRANCHES ?
			      "comm,dso_from,symbol_from,symbol_to,cycles" : "comm,dso,sym", state);
	if (more_fields)
		parse_keys(o, o->fields + 1, state);
	if (more_keys)
		parse_keys(o, o->sort + 1, state);
	if (!o->nr_columns)
		argp_error(state, "nothing to sort by");
}

/* Parse --weight: cycles, instructions, or the number of an event as in perf (r21) or C (0x21) */
static void parse_weight(struct options *o, const char *arg, struct argp_state *state)
{
	bool raw = arg[0] == 'r';
	char *end;
	unsigned long n;

	o->weight = arg;
	o->counter = 0;
	o->by &= ~OF_COUNTS;
	if (!strcmp(arg, "cycles")) {
		o->by |= OF_CYCLES;
		return;
	}
	if (!strcmp(arg, "instructions")) {
		o->by |= OF_INSTRUCTIONS;
		return;
	}
	n = strtoul(arg + raw, &end, raw ? 16 : 0);
	if (!isxdigit((unsigned char)arg[raw]) || !n || n > UINT16_MAX || *end)
		argp_error(state, "--weight takes cycles, instructions or the number of an event, "
			   "such as 0x21 or r21, not '%s'", arg);
	o->by |= OF_COUNTED;
	o->counter = n;
}

static error_t parse_chains(struct options *o, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case OPT_CHILDREN:
		o->callers = true;
		o->no_callers = false;
		return 0;
	case OPT_NO_CHILDREN:
		o->no_callers = true;
		return 0;
	case 'g':
		call_graph_parse(&o->graph, arg, state);
		o->graph_open = !arg;
		return 0;
	case UNSET | 'g':
		o->graph.on = false;
		o->inverted = false;
		return 0;
	case 'G':
	case UNSET | 'G':
		o->inverted = !(key & UNSET);
		return 0;
	case OPT_MAX_STACK:
		o->in.session.max_stack = parse_count(arg, state);
		return 0;
	case UNSET | OPT_MAX_STACK:
		o->in.session.max_stack = 0;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* As in perf, "-g callee" is an option with its argument, although the argument is optional */
static void parse_argument(struct options *o, const char *arg, struct argp_state *state)
{
	if (!o->graph_open)
		argp_error(state, "unexpected argument '%s'; a recording is given with -i", arg);
	call_graph_parse(&o->graph, arg, state);
	o->graph_open = false;
}

static void check_options(struct options *o, struct argp_state *state)
{
	/* As in perf, -G says the order, whatever the order of -g */
	if (o->inverted)
		call_graph_parse(&o->graph, NULL, state);
	/* As in perf, --children is the default with -g; in perf it is without -g, too */
	o->callers = (o->callers || o->graph.on) && !o->no_callers;
	if (!o->graph.ordered)
		o->graph.up = !o->callers;
	if (o->separator && *o->separator == '.')
		argp_error(state, "-t cannot begin with '.': names have a '.' in its place");
	if (o->graph.on && o->separator)
		argp_error(state, "-g does not work with -t; use --json");
	if (o->relative && (o->rows.symbols || o->rows.named))
		argp_error(state, "--percentage=relative does not work with -S and -U");
	if (o->callers && o->by & (BY_INLINE | BY_SRCLINE | BY_SRCFILE))
		argp_error(state, "--children does not work with the keys inline, srcline and "
			   "srcfile");
	if (o->by & BY_BRANCHES && o->weight)
		argp_error(state, "-b does not work with --weight: branches have no weight");
	if (o->by & BY_BRANCHES && (o->callers || o->by & NOT_OF_BRANCHES))
		argp_error(state, "-b does not count callers, and takes only the keys comm, pid, "
			   "tid, cpu, dso, sym and those that --help lists for -b");
}

static const struct plain_option plain[] = {
	CHILD_INPUT(struct options, in),
	SETS('s', struct options, sort),
	SETS('F', struct options, fields),
	SETS('U', struct options, rows.named),
	SETS(OPT_ADDRESSES, struct options, addresses),
	SETS(OPT_PATHS, struct options, paths),
	SETS(OPT_JSON, struct options, json),
	SETS(OPT_PERIOD, struct options, period),
	SETS('t', struct options, separator),
	SETS('q', struct options, quiet),
	SETS(OPT_HEADER, struct options, header),
	SETS(OPT_HEADER_ONLY, struct options, header_only),
	SETS('I', struct options, topology),
	SETS('v', struct options, verbose),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	error_t error;

	switch (key) {
	case 'b':
		o->by |= BY_BRANCHES;
		return 0;
	case UNSET | 'b':
		o->by &= ~BY_BRANCHES;
		return 0;
	case OPT_PERCENTAGE:
		o->relative = !strcmp(arg, "relative");
		if (!o->relative && strcmp(arg, "absolute"))
			argp_error(state, "--percentage takes relative or absolute, not '%s'", arg);
		return 0;
	case UNSET | OPT_PERCENTAGE:
		o->relative = false;
		return 0;
	case OPT_WEIGHT:
		parse_weight(o, arg, state);
		return 0;
	case OPT_PERCENT_LIMIT:
		o->rows.least = parse_percentage(arg, state);
		o->graph.least = o->rows.least;
		return 0;
	case UNSET | OPT_PERCENT_LIMIT:
		o->rows.least = 0;
		o->graph.least = CALL_GRAPH_LEAST;
		return 0;
	case 'S':
	case UNSET | 'S':
		parse_names(&o->rows.symbols, "--symbols", arg, state);
		return 0;
	case OPT_STDIO:
	case 'n':
		return 0;
	case ARGP_KEY_ARG:
		parse_argument(o, arg, state);
		return 0;
	case ARGP_KEY_END:
		parse_columns(o, state);
		check_options(o, state);
		return 0;
	}
	error = plain_option(plain, key, arg, state);
	return error == ARGP_ERR_UNKNOWN ? parse_chains(o, key, arg, state) : error;
}

static const struct argp_child children[] = {
	{ &input_argp, 0, NULL, 1 }, { &report_habits_argp, 0, NULL, 0 }, { 0 }
};

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
	const char *host = session_string(s, PERFDATA_HOSTNAME);
	const char *release = session_string(s, PERFDATA_OSRELEASE);
	const char *arch = session_string(s, PERFDATA_ARCH);
	const char *version = session_string(s, PERFDATA_VERSION);

	out_text(o, "# Recording: ");
	out_clean(o, session_path(s), 0);
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
		       u64 samples, u64 branches)
{
	double seconds = recording_duration(s, a) / 1e9, asked = recording_asked_rate(s, e);
	struct recording_rate rate;
	bool known = recording_rate(s, a, filter, e, samples, &rate);

	out_text(o, "# Samples:   ");
	out_grouped(o, samples);
	if (a->by & BY_BRANCHES)
		out_count(o, ", with ", branches, " branches,");
	out_text(o, " of ");
	out_clean(o, e->name, 0);
	if (seconds > 0) {
		out_text(o, " in ");
		out_fixed(o, seconds, 3, 0);
		out_text(o, " s");
	}
	if (seconds > 0 && a->cpus_seen) {
		out_number(o, " on ", a->cpus_seen);
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
		out_number(o, ", one each ", e->attr.sample_period);
		out_text(o, " events");
	}
	out_char(o, '\n');
}

static void print_weight(struct out *o, u64 uncounted, const struct options *opt)
{
	if (!opt->weight)
		return;
	out_text(o, "# Weight:    ");
	out_clean(o, opt->weight, 0);
	out_count(o, " since the previous sample; ", uncounted,
		  uncounted == 1 ? " sample has no count\n" : " samples have no count\n");
}

static void print_note(struct out *o, const char *note, size_t len)
{
	out_text(o, "# Note:      ");
	out_clean_bytes(o, note, len);
	out_char(o, '\n');
}

static void print_ledger(struct out *o, const struct session *s)
{
	char busy[RECORDING_NOTE_MAX];
	u64 n, planned;
	size_t i;

	if (!recording_ledger(s, OUTCOME_PLANNED, &planned))
		return;
	out_text(o, "# Ledger:    planned ");
	out_grouped(o, planned);
	for (i = 0; i < NR_OUTCOMES; i++) {
		if (!recording_ledger(s, outcomes[i].name, &n))
			continue;
		out_text(o, i ? " + " : " = ");
		out_text(o, outcomes[i].name);
		out_char(o, ' ');
		out_grouped(o, n);
	}
	out_char(o, '\n');
	if (recording_busy(s, busy))
		print_note(o, busy, strlen(busy));
}

static void print_losses(struct out *o, const struct session *s, const struct aggregate *a)
{
	out_count(o, "# Lost:      ", session_counts(s)->lost, " samples in full buffers");
	if (session_counts(s)->throttled)
		out_count(o, ", throttled ", session_counts(s)->throttled, " times");
	if (session_counts(s)->unknown)
		out_count(o, ", ", session_counts(s)->unknown, " records of unknown type");
	if (session_counts(s)->malformed + a->malformed + a->stray)
		out_count(o, ", ", session_counts(s)->malformed + a->malformed + a->stray,
			  " malformed records");
	out_char(o, '\n');
}

static void print_method(struct out *o, const struct session *s, const struct recorded_event *e)
{
	const char *text;
	size_t len;

	out_text(o, "# Processes: ");
	text = session_meta(s, "method", &len);
	if (text) {
		out_text(o, "found by ");
		out_clean_bytes(o, text, len);
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

	for (i = 0; (text = session_meta_nth(s, "note", i, &len)); i++)
		print_note(o, text, len);
	for (i = 0; (text = session_note_nth(s, i)); i++)
		print_note(o, text, strlen(text));
}

static u64 all_samples(const struct session *s, const struct aggregate *a)
{
	u64 nr = 0;
	size_t i;

	for (i = 0; i < session_events(s); i++)
		nr += a->of_event[i];
	return nr;
}

/* Does event @i have samples in rows, none of which has a count for --weight? */
static bool without_counts(const struct aggregate *a, size_t i)
{
	return a->uncounted[i] && a->uncounted[i] == a->of_event[i] - a->others[i].samples;
}

/* Do -b or --weight leave out event @i, which has none of that? @text: receives a line if so */
static bool without_what_counts(const struct session *s, const struct aggregate *a, size_t i,
				char text[NOT_SHOWN_MAX])
{
	const struct recorded_event *e = session_event(s, i);

	if (without_counts(a, i)) {
		snprintf(text, NOT_SHOWN_MAX, "%" PRIu64 " samples of %s, which has no such "
			 "counts: report without --weight shows them", a->uncounted[i], e->name);
		return true;
	}
	if (!(a->by & BY_BRANCHES) || !a->of_event[i] || e->layout.type & PERF_SAMPLE_BRANCH_STACK)
		return false;
	snprintf(text, NOT_SHOWN_MAX, "%" PRIu64 " samples of %s, which has no branch stacks: "
		 "report without -b counts them", a->of_event[i], e->name);
	return true;
}

static void print_events_without(struct out *o, const struct session *s, const struct aggregate *a)
{
	char text[NOT_SHOWN_MAX];
	size_t i;

	for (i = 0; i < session_events(s); i++) {
		if (!without_what_counts(s, a, i, text))
			continue;
		out_text(o, "# Not shown: ");
		out_clean(o, text, 0);
		out_char(o, '\n');
	}
}

static void json_events_without(struct json *j, const struct session *s,
				const struct aggregate *a)
{
	char text[NOT_SHOWN_MAX];
	size_t i;

	for (i = 0; i < session_events(s); i++)
		if (without_what_counts(s, a, i, text))
			json_string(j, NULL, text);
}

static unsigned int shows(const struct options *opt)
{
	return (opt->callers || opt->graph.on ? SHOWS_CHAINS : 0) |
	       (opt->by & BY_BRANCHES ? SHOWS_BRANCHES : 0) |
	       (opt->weight ? SHOWS_COUNTS : 0) |
	       (opt->nr_fields || opt->in.fields ? SHOWS_FIELDS : 0);
}

/* Why symbols are missing */

static void print_problems(struct out *o, const struct report *r)
{
	u64 *nameless = r->a->by & BY_SYM ? report_nameless(r) : NULL;
	struct error made;
	size_t i;

	for (i = 0; i < session_dsos(r->s); i++) {
		if (!dso_problem(session_dso(r->s, i))[0] && !(nameless && nameless[i]))
			continue;
		out_text(o, "# Symbols:   ");
		out_clean(o, report_why_nameless(session_dso(r->s, i), &made), 0);
		out_char(o, '\n');
	}
	free(nameless);
}

/*
 * Without -v, report missing symbols only above these percentages of an event's samples: those
 * without a symbol in objects with a problem, and all without a symbol. A stripped file does not
 * count as a problem, as it still has its dynamic symbols.
 */
#define PROBLEM_SHARE	1.0
#define NAMELESS_SHARE	5.0

static u64 sum_nameless(const struct session *s, const u64 *nameless, bool problems)
{
	u64 sum = 0;
	size_t i;

	for (i = 0; i < session_dsos(s); i++)
		if (!problems || dso_problem(session_dso(s, i))[0])
			sum += nameless[i];
	return sum;
}

/* The same in one line, for the object with the most samples without a symbol */
static void print_main_problem(struct out *o, const struct report *r)
{
	u64 *nameless = report_nameless(r), sum;
	size_t i, most = session_dsos(r->s);
	unsigned int files = 0;
	struct error made;
	bool problems;

	if (!nameless)
		return;
	sum = sum_nameless(r->s, nameless, false);
	problems = 100.0 * sum < NAMELESS_SHARE * r->weight;
	if (problems)
		sum = sum_nameless(r->s, nameless, true);
	for (i = 0; i < session_dsos(r->s); i++) {
		if (!nameless[i] || (problems && !dso_problem(session_dso(r->s, i))[0]))
			continue;
		files++;
		if (nameless[i] > nameless[most])
			most = i;
	}
	if (sum && 100.0 * sum >= PROBLEM_SHARE * r->weight) {
		out_text(o, "# Symbols:   missing for ");
		out_fixed(o, 100.0 * sum / r->weight, 1, 0);
		out_number(o, r->a->by & BY_BRANCHES ? " % of where branches went, in " :
						     " % of the samples, in ", files);
		out_text(o, files == 1 ? " file: " : " files, most of them in: ");
		out_clean(o, report_why_nameless(session_dso(r->s, most), &made), 0);
		out_text(o, files == 1 ? "\n" : " (-v: the others)\n");
	}
	free(nameless);
}

/* The table */

static const char *column_title(const struct options *opt, unsigned int c)
{
	return c < NR_COLUMNS ? columns[c].title : opt->field[c - COL_FIELD];
}

static const char *column_json(const struct options *opt, unsigned int c)
{
	return c < NR_COLUMNS ? columns[c].json : opt->field[c - COL_FIELD];
}

static const char *cell_text(struct report *r, const struct options *opt, unsigned int c,
			     const struct place *p, char *buf)
{
	const struct place source = report_source(p);

	switch (c) {
	case COL_COMM:
		return report_comm(r->s, p, buf);
	case COL_DSO:
	case COL_DSO_TO:
		return report_dso(r, p->dso);
	case COL_DSO_FROM:
		return report_dso(r, p->from.dso);
	case COL_SYM:
	case COL_SYM_TO:
		return report_symbol(r, p, buf);
	case COL_SYM_FROM:
		return report_symbol(r, &source, buf);
	case COL_MISPREDICT:
		return report_mispredicted(p);
	case COL_IN_TX:
		return p->in_tx ? "T" : ".";
	case COL_ABORT:
		return p->aborted ? "A" : ".";
	case COL_CYCLES:
		snprintf(buf, REPORT_TEXT_MAX, p->cycles ? "%u" : "-", p->cycles);
		return buf;
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
		return report_el(p->el, buf);
	case COL_STATE:
		return p->state == NO_STATE ? "-" : report_state(p->state);
	case COL_VMID:
		return report_vmid(p->vmid, buf);
	case COL_METHOD:
		return p->method == NO_METHOD ? "interrupt" : report_method(p->method);
	case COL_IDLE:
		return p->idle ? "idle" : "busy";
	default:
		return tracepoints_value(opt->in.filter.tracepoints, p->fields, c - COL_FIELD);
	}
}

/* Width of the column of commands or objects. Many rows share few names: measure each name once. */
static size_t name_width(const struct report *r, unsigned int c)
{
	size_t nr = c == COL_DSO ? session_dsos(r->s) : session_comms(r->s), i, width = 0;
	char buf[REPORT_TEXT_MAX], *seen = calloc(1, nr + 1);
	struct place p;
	u32 id;

	for (i = 0; seen && i < r->nr; i++) {
		id = c == COL_DSO ? r->row[i].dso : aggregate_comm(report_entry(r, i)->key);
		if (id < nr && seen[id])
			continue;
		if (id < nr)
			seen[id] = 1;
		p.comm = id;
		width = max(width, strlen(c == COL_DSO ? report_dso(r, id) :
							 report_comm(r->s, &p, buf)));
	}
	free(seen);
	return width;
}

static bool is_symbol(unsigned int c)
{
	return c == COL_SYM || c == COL_SYM_FROM || c == COL_SYM_TO;
}

static size_t text_width(struct report *r, const struct options *opt, unsigned int c)
{
	char buf[REPORT_TEXT_MAX];
	size_t i, width = 0;
	struct place p;

	for (i = 0; i < r->nr; i++) {
		aggregate_place(&r->a->hist, report_entry(r, i)->key, &p);
		width = max(width, strlen(cell_text(r, opt, c, &p, buf)));
	}
	return is_symbol(c) ? width + 4 : width;
}

/* Make columns as wide as their widest text, except for the last one */
static void find_widths(struct report *r, const struct options *opt, size_t *width)
{
	unsigned int id;
	unsigned int c;

	for (c = 0; c < opt->nr_columns; c++) {
		id = opt->column[c];
		width[c] = 0;
		if (c + 1 < opt->nr_columns)
			width[c] = max(strlen(column_title(opt, id)),
				       id == COL_COMM || id == COL_DSO ? name_width(r, id) :
									 text_width(r, opt, id));
	}
}

/* Columns are padded; or with -t, they are not, and a @separator is between them */
static inline void separate(struct out *o, const char *separator, const char *padding)
{
	if (unlikely(separator))
		out_text(o, separator);
	else
		out_text(o, padding);
}

/*
 * A cell is two spaces and a padded text. Many rows share few commands and objects: each of their
 * cells is formatted once, and copied after that.
 * @by_id: the cells, by the id of the command or the index of the object; none with -t
 */
struct cells {
	struct {
		char *text;
		size_t len;
	} *by_id;
	size_t nr;
	const char *separator;
	size_t width;
};

/*
 * As in perf, a name has a '.' in place of the first character of the separator, so that who splits
 * a line by the separator finds the columns.
 */
static void print_clean(struct out *o, const char *text, const char *separator, size_t width)
{
	const char *end;

	while (unlikely(separator && *separator) && (end = strchr(text, *separator))) {
		out_clean_bytes(o, text, end - text);
		out_char(o, '.');
		text = end + 1;
	}
	out_clean(o, text, width);
}

static void print_text(struct out *o, const char *text, const struct cells *cells)
{
	separate(o, cells->separator, "  ");
	print_clean(o, text, cells->separator, cells->width);
}

static void print_name(struct out *o, struct report *r, const struct options *opt, unsigned int c,
		       const struct place *p, struct cells *cells)
{
	u32 id = c == COL_DSO ? p->dso : p->comm;
	char buf[REPORT_TEXT_MAX], *start;

	if (likely(id < cells->nr && cells->by_id[id].text)) {
		out_bytes(o, cells->by_id[id].text, cells->by_id[id].len);
		return;
	}
	start = out_room(o, OUT_ITEM_MAX);
	print_text(o, cell_text(r, opt, c, p, buf), cells);
	if (id >= cells->nr || o->buf + o->used - start > OUT_ITEM_MAX ||
	    o->buf + o->used - start <= 0)
		return;
	cells->by_id[id].len = o->buf + o->used - start;
	cells->by_id[id].text = malloc(cells->by_id[id].len);
	if (cells->by_id[id].text)
		memcpy(cells->by_id[id].text, start, cells->by_id[id].len);
}

static void print_symbol(struct out *o, struct report *r, const struct place *p,
			 const struct cells *cells)
{
	const char level[] = { '[', report_level(p), ']', ' ', '\0' };
	size_t width = cells->width - min(cells->width, sizeof(level) - 1);
	char buf[REPORT_TEXT_MAX];

	separate(o, cells->separator, "  ");
	print_clean(o, level, cells->separator, 0);
	if (p->named || !(r->a->by & BY_ADDR)) {
		print_clean(o, report_symbol(r, p, buf), cells->separator, width);
		return;
	}
	out_hex(o, p->where, 16);
	if (width > 18)
		out_spaces(o, width - 18);
}

static void print_cell(struct out *o, struct report *r, const struct options *opt, unsigned int c,
		       const struct place *p, struct cells *cells)
{
	char buf[REPORT_TEXT_MAX];
	struct place source;

	switch (c) {
	case COL_COMM:
	case COL_DSO:
		print_name(o, r, opt, c, p, cells);
		return;
	case COL_SYM:
	case COL_SYM_TO:
		print_symbol(o, r, p, cells);
		return;
	case COL_SYM_FROM:
		source = report_source(p);
		print_symbol(o, r, &source, cells);
		return;
	default:
		print_text(o, cell_text(r, opt, c, p, buf), cells);
	}
}

static void init_cells(struct cells *cells, const struct report *r, const struct options *opt,
		       unsigned int c, size_t width)
{
	*cells = (struct cells){ .separator = opt->separator, .width = width };
	if (opt->separator || (c != COL_COMM && c != COL_DSO))
		return;
	cells->nr = c == COL_DSO ? session_dsos(r->s) : session_comms(r->s);
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

/* The columns in front of the cells: shares, interval, samples and period */
static void print_titles(struct out *o, const struct options *opt, const struct cells *cells)
{
	const struct {
		const char *text;
		size_t width;
		bool shown;
	} number[] = {
		{ "Children", 8, opt->callers },
		{ "Overhead", opt->callers ? 11 : 8, true },
		{ "95 % interval", 16, true },
		{ opt->by & BY_BRANCHES ? "Branches" : "Samples", 11, true },
		{ "Period", 16, opt->period },
	};
	const char *before = "# ";
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(number); i++) {
		if (!number[i].shown)
			continue;
		out_text(o, before);
		if (!opt->separator)
			out_spaces(o, number[i].width - strlen(number[i].text));
		print_clean(o, number[i].text, opt->separator, 0);
		before = opt->separator ?: "";
	}
	for (i = 0; i < opt->nr_columns; i++)
		print_text(o, column_title(opt, opt->column[i]), &cells[i]);
	out_text(o, opt->separator ? "\n" : "\n#\n");
}

static void print_share(struct out *o, const struct report *r, u64 weight, unsigned int width)
{
	out_fixed(o, report_share(r, 100, weight), 2, width);
	out_char(o, '%');
}

static void print_numbers(struct out *o, const struct report *r, const struct options *opt,
			  const struct report_self *self)
{
	const struct stats_interval in = report_interval(r, self);
	bool pad = !opt->separator;

	print_share(o, r, self->weight, pad ? 9 : 0);
	separate(o, opt->separator, "");
	out_fixed(o, 100 * in.low, 2, pad ? 7 : 0);
	out_text(o, pad ? " -" : "-");
	out_fixed(o, 100 * in.high, 2, pad ? 6 : 0);
	separate(o, opt->separator, "");
	out_u64(o, self->count, pad ? 11 : 0);
	if (opt->period) {
		separate(o, opt->separator, "");
		out_u64(o, self->weight, pad ? 16 : 0);
	}
}

/*
 * Most rows of a large report have few samples, so many of the texts of their numbers are equal:
 * keep the last ones, to copy them.
 */
#define NR_SHARES 32

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
	char *start;

	if (opt->callers) {
		print_share(o, r, report_entry(r, row)->weight, opt->separator ? 0 : 9);
		separate(o, opt->separator, " ");
	}
	/* A separator may be long */
	if (opt->separator) {
		print_numbers(o, r, opt, &self);
		return;
	}
	if (last->len && self.count == last->count && self.weight == last->weight &&
	    self.squares == last->squares) {
		out_bytes(o, last->text, last->len);
		return;
	}
	start = out_room(o, sizeof(last->text));
	print_numbers(o, r, opt, &self);
	last->len = o->buf + o->used - start;
	memcpy(last->text, start, last->len);
	last->count = self.count;
	last->weight = self.weight;
	last->squares = self.squares;
}

static int print_tree(struct out *o, struct report *r, const struct options *opt, size_t row,
		      struct call_tree *tree)
{
	bool of_row = opt->callers || opt->graph.up;

	/* As in perf, do not repeat the function that the line above begins with */
	return call_graph_print(o, r, row, tree, &opt->graph,
				of_row && opt->column[0] == COL_SYM && !opt->fields);
}

static int print_table(struct out *o, struct report *r, const struct options *opt)
{
	struct shares made[NR_SHARES] = { 0 };
	struct call_tree tree = { 0 };
	struct cells cells[COLUMNS_MAX];
	size_t width[COLUMNS_MAX] = { 0 }, i;
	struct place p;
	unsigned int c;
	int ret = 0;

	if (!opt->separator)
		find_widths(r, opt, width);
	for (c = 0; c < opt->nr_columns; c++)
		init_cells(&cells[c], r, opt, opt->column[c], width[c]);
	if (!opt->separator || !opt->quiet)
		print_titles(o, opt, cells);
	for (i = 0; i < r->nr && !o->error && !ret; i++) {
		report_prefetch(r, i);
		aggregate_place(&r->a->hist, report_entry(r, i)->key, &p);
		print_shares(o, r, opt, i, made);
		for (c = 0; c < opt->nr_columns; c++)
			print_cell(o, r, opt, opt->column[c], &p, &cells[c]);
		out_char(o, '\n');
		if (opt->graph.on)
			ret = print_tree(o, r, opt, i, &tree);
	}
	for (c = 0; c < opt->nr_columns; c++)
		deinit_cells(&cells[c]);
	call_tree_deinit(&tree);
	return ret;
}

/* JSON */

/* Counts of samples in the row's code or in code that it called */
static void print_json_callers(struct json *j, const struct report *r,
			       const struct report_self *all)
{
	const struct stats_interval in = report_interval(r, all);

	json_fixed(j, "children", report_share(r, 1, all->weight), 6);
	json_fixed(j, "children_low", in.low, 6);
	json_fixed(j, "children_high", in.high, 6);
	json_u64(j, "children_samples", all->count);
}

static int print_json_row(struct json *j, struct report *r, const struct options *opt, size_t i,
			  struct call_tree *tree)
{
	struct report_value value, *row = &value;
	char buf[REPORT_TEXT_MAX];
	unsigned int c;
	int ret = 0;

	report_value(r, i, row);
	json_object_line(j);
	json_fixed(j, "share", report_share(r, 1, row->self.weight), 6);
	json_fixed(j, "low", row->interval.low, 6);
	json_fixed(j, "high", row->interval.high, 6);
	json_u64(j, "samples", row->self.count);
	json_fixed(j, "effective_samples", row->interval.effective, 1);
	json_u64(j, "period", row->self.weight);
	if (opt->callers)
		print_json_callers(j, r, &row->children);
	for (c = 0; c < opt->nr_columns; c++)
		json_string(j, column_json(opt, opt->column[c]),
			    cell_text(r, opt, opt->column[c], &row->place, buf));
	if (opt->graph.on)
		ret = call_graph_json(j, r, i, tree, &opt->graph);
	json_object_end(j);
	return ret;
}

static int print_json_rows(struct json *j, struct report *r, const struct options *opt)
{
	struct call_tree tree = { 0 };
	int ret = 0;
	size_t i;

	json_array(j, "rows");
	for (i = 0; i < r->nr && !j->o->error && !ret; i++)
		ret = print_json_row(j, r, opt, i, &tree);
	json_array_end(j);
	call_tree_deinit(&tree);
	return ret;
}

static void json_known(struct json *j, const char *key, const char *text)
{
	if (text)
		json_string(j, key, text);
}

static void print_json_head(struct json *j, struct out *o, const struct session *s,
			    const struct aggregate *a, unsigned int shows)
{
	json_begin(j, o, "pcsample-report", 1);
	json_string(j, "file", session_path(s));
	provenance_json(j, "header", s);
	json_known(j, "recorder", session_string(s, PERFDATA_VERSION));
	json_known(j, "hostname", session_string(s, PERFDATA_HOSTNAME));
	json_known(j, "kernel", session_string(s, PERFDATA_OSRELEASE));
	json_known(j, "arch", session_string(s, PERFDATA_ARCH));
	json_u64(j, "samples", all_samples(s, a));
	json_u64(j, "duration_ns", recording_duration(s, a));
	json_u64(j, "cpus", a->cpus_seen);
	recording_json_losses(j, s, a);
	if (session_damage(s)[0])
		json_string(j, "damage", session_damage(s));
	recording_json_ledger(j, s);
	recording_json_notes(j, s);
	json_array(j, "not_shown");
	not_shown_json(j, s, shows);
	json_events_without(j, s, a);
	json_array_end(j);
	json_array(j, "events");
}

static void print_json_method(struct json *j, const struct session *s,
			      const struct recorded_event *e)
{
	size_t len;
	const char *text = session_meta(s, "method", &len);

	if (text)
		json_part(j, "method", text, len);
	else if (e->layout.tid)
		json_string(j, "method", "interrupt");
}

/* Why symbols are missing, as the text shows with --verbose */
static int print_json_nameless(struct json *j, const struct report *r)
{
	u64 *nameless = report_nameless(r);
	const struct dso *dso;
	struct error made;
	size_t i;

	if (!nameless)
		return -ENOMEM;
	json_object(j, "nameless");
	json_fixed(j, "share", (double)sum_nameless(r->s, nameless, false) / r->weight, 6);
	json_array(j, "objects");
	for (i = 0; i < session_dsos(r->s); i++) {
		dso = session_dso(r->s, i);
		if (!nameless[i] && !dso_problem(dso)[0])
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
			    const struct recorded_event *e, u64 samples)
{
	struct recording_rate rate;
	int ret = 0;

	out_char(j->o, '\n');
	json_object(j, NULL);
	json_string(j, "event", e->name);
	json_u64(j, "samples", samples);
	if (r->a->by & BY_BRANCHES)
		json_u64(j, "branches", r->samples);
	if (opt->weight) {
		json_string(j, "weight", opt->weight);
		json_u64(j, "uncounted", r->a->uncounted[e - session_event(r->s, 0)]);
	}
	if (recording_rate(r->s, r->a, filter_of(opt), e, samples, &rate)) {
		if (rate.ran)
			json_u64(j, "ran_ns", rate.ran);
		json_fixed(j, "rate_hz", rate.hz, 3);
	}
	recording_json_asked(j, r->s, e);
	print_json_method(j, r->s, e);
	if (r->a->by & BY_SYM && r->weight)
		ret = print_json_nameless(j, r);
	if (!ret)
		ret = print_json_rows(j, r, opt);
	json_object_end(j);
	return ret;
}

static void print_tree_note(struct out *o, const struct options *opt)
{
	out_text(o, "# Tree:      what ");
	out_text(o, opt->graph.up ? "called the code of a row" :
			opt->callers ? "the code of a row called" :
				       "led to the code of a row");
	out_text(o, ", if it has ");
	out_fixed(o, 100 * opt->graph.least, 2, 0);
	out_text(o, opt->graph.relative ? " % of the branch that it is in" : " % of all samples");
	out_text(o, "; ~ marks a branch with few samples: its share may be less than half\n");
}

static void print_head(struct out *o, const struct report *r, const struct options *opt,
		       const struct recorded_event *e, u64 samples)
{
	struct session *s = r->s;
	const struct aggregate *a = r->a;

	print_rate(o, s, a, filter_of(opt), e, samples, r->samples);
	print_weight(o, a->uncounted[e - session_event(s, 0)], opt);
	print_losses(o, s, a);
	print_ledger(o, s);
	print_method(o, s, e);
	if (has_column(opt, COL_PID) && !has_column(opt, COL_TID))
		out_text(o, "# Pid:       of the process; perf's pid is --sort tid,comm\n");
	if (opt->rows.named)
		out_text(o, "# Hidden:    code without names; shares count it, unlike perf\n");
	print_notes(o, s);
	not_shown_print(o, s, shows(opt), NULL);
	print_events_without(o, s, a);
	if (opt->graph.on)
		print_tree_note(o, opt);
	if (opt->verbose)
		print_problems(o, r);
	else if (a->by & BY_SYM)
		print_main_problem(o, r);
	out_text(o, "#\n");
}

/* The texts of a row, and the objects that it is of */
struct look {
	u64 texts;
	u32 dso, from;
};

static int compare_looks(const void *x, const void *y)
{
	const struct look *a = x, *b = y;

	return (a->texts > b->texts) - (a->texts < b->texts);
}

static void get_look(struct report *r, const struct options *opt, size_t row, struct look *look)
{
	char buf[REPORT_TEXT_MAX];
	const char *text;
	struct place p;
	unsigned int c;

	aggregate_place(&r->a->hist, report_entry(r, row)->key, &p);
	*look = (struct look){ p.mode, p.dso, p.from.dso };
	for (c = 0; c < opt->nr_columns; c++) {
		text = cell_text(r, opt, opt->column[c], &p, buf);
		look->texts = hash64(look->texts ^ fnv_hash(text, strlen(text)));
	}
}

/* Are there rows whose columns are the same, but not their objects? @from: those of sources */
static int look_alike(struct report *r, const struct options *opt, bool *dso, bool *from)
{
	struct look *looks = malloc((r->nr + 1) * sizeof(*looks));
	size_t i;

	if (!looks)
		return -ENOMEM;
	for (i = 0; i < r->nr; i++)
		get_look(r, opt, i, &looks[i]);
	qsort(looks, r->nr, sizeof(*looks), compare_looks);
	for (i = 1; i < r->nr; i++) {
		if (looks[i].texts != looks[i - 1].texts)
			continue;
		*dso |= looks[i].dso != looks[i - 1].dso;
		*from |= looks[i].from != looks[i - 1].from;
	}
	free(looks);
	return 0;
}

/* Do all rows that differ in their objects show it? */
static bool objects_are_shown(const struct report *r, const struct options *opt)
{
	unsigned int by = r->a->by;
	size_t i;

	if (by & BY_SYM && !has_column(opt, COL_DSO) && !has_column(opt, COL_DSO_TO))
		return false;
	if (by & BY_SYM_FROM && !has_column(opt, COL_DSO_FROM))
		return false;
	for (i = 0; by & (BY_SYM | BY_SYM_FROM) && i < session_dsos(r->s); i++)
		if (session_dso(r->s, i)->alike != i)
			return false;
	return true;
}

/*
 * The name of an object or a symbol may be that of several objects. If it chooses rows, or if rows
 * would look alike, the object is a column, and has a text that only one of them has. perf prints
 * rows that look alike.
 */
static int tell_objects_apart(struct report *r, struct options *opt)
{
	bool dso = opt->rows.dsos || opt->rows.symbols, from = false;
	size_t nr;
	int ret;

	if (!dso && !objects_are_shown(r, opt)) {
		ret = look_alike(r, opt, &dso, &from);
		if (ret)
			return ret;
	}
	if (!dso && !from)
		return 0;
	ret = report_tell_apart(r, &nr);
	if (!ret && from)
		add_column(opt, COL_DSO_FROM);
	if (!ret && dso && nr > 1)
		add_column(opt, opt->by & BY_BRANCHES ? COL_DSO_TO : COL_DSO);
	return ret;
}

/* @all: options of the command line; tell_objects_apart() adds a column for this event alone */
static int print_event(struct out *o, struct report *r, struct json *j, const struct options *all,
		       const struct recorded_event *e, u64 samples)
{
	struct options opt = *all;
	int ret = tell_objects_apart(r, &opt);

	if (ret)
		return ret;
	if (opt.json)
		return print_json_event(j, r, &opt, e, samples);
	if (!opt.quiet)
		print_head(o, r, &opt, e, samples);
	return print_table(o, r, &opt);
}

/* As in perf, print a table for each event */
static int print_events(struct out *o, struct session *s, struct aggregate *a,
			const struct options *opt, size_t *rows, double *hidden)
{
	unsigned int e, shown = 0;
	struct report r;
	struct json j;
	int ret = 0;

	if (opt->json)
		print_json_head(&j, o, s, a, shows(opt));
	else if (opt->header || opt->topology)
		provenance_print(o, s, opt->topology);
	if (!opt->json && !opt->quiet)
		print_recording(o, s);
	for (e = 0; e < session_events(s) && !ret; e++) {
		if (session_only_event(s) >= 0 && e != session_only_event(s))
			continue;
		if (without_counts(a, e))
			continue;
		if (report_init(&r, s, a, session_only_event(s) < 0 ? (int)e : -1, &opt->rows,
				opt->in.demangle))
			return -ENOMEM;
		if (r.samples && shown && !opt->json)
			out_char(o, '\n');
		if (r.samples)
			ret = print_event(o, &r, &j, opt, session_event(s, e), a->of_event[e]);
		shown += !!r.samples;
		*rows += r.nr;
		if (r.nr_small)
			*hidden = fmax(*hidden,
				       report_share(&r, 1, report_entry(&r, r.nr)->weight));
		report_deinit(&r);
	}
	if (opt->json) {
		json_array_end(&j);
		json_end(&j);
	}
	return ret;
}

/* Only a counter of the hardware may be broken */
static void tell_silence(const struct session *s)
{
	const struct recorded_event *e = NULL;
	size_t i, n = 0;

	for (i = session_events(s); i-- > 0;) {
		if (perfdata_event_is_dummy(session_event(s, i)))
			continue;
		e = session_event(s, i);
		n++;
	}
	if (!e) {
		fprintf(stderr, "event %s counts nothing: record another one with it\n",
			session_event(s, 0)->name);
		return;
	}
	fprintf(stderr, "event %s", e->name);
	if (n > 1)
		fprintf(stderr, " and %zu more", n - 1);
	fputs(" never fired", stderr);
	switch (e->attr.type) {
	case PERF_TYPE_SOFTWARE:
	case PERF_TYPE_TRACEPOINT:
	case PERF_TYPE_BREAKPOINT:
		fputs(": it did not happen, or recording was not enabled (perf record -D and -n)\n",
		      stderr);
		break;
	default:
		fputs("; does its counter work here? try: pcsample doctor\n", stderr);
	}
}

static int no_samples(const struct session *s, const struct aggregate *a)
{
	char instead[NOT_SHOWN_MAX];
	u64 planned, n, most = 0;
	const struct outcome_text *o, *why = NULL;

	/* input_close() reports what is damaged. That may be only one of the reasons. */
	if (session_damage(s)[0] && !not_shown_instead(s, instead))
		return EXIT_NOTHING;
	fprintf(stderr, "pcsample report: %s: no samples: ", session_path(s));
	if (a->left_out) {
		fprintf(stderr, "none of %" PRIu64
			" is of these CPUs, processes, threads, times and fields\n",
			a->left_out);
	} else if (all_samples(s, a)) {
		fprintf(stderr, "none of %" PRIu64 " has branches\n", all_samples(s, a));
	} else if (not_shown_instead(s, instead)) {
		fprintf(stderr, "%s\n", instead);
	} else if (recording_ledger(s, OUTCOME_PLANNED, &planned)) {
		for (o = outcomes; o < outcomes + NR_OUTCOMES; o++) {
			if (o->why && recording_ledger(s, o->name, &n) && n > most) {
				most = n;
				why = o;
			}
		}
		if (why)
			fprintf(stderr, "%" PRIu64 " of %" PRIu64 " reads were %s: %s\n", most,
				planned, why->name, why->why);
		else
			fprintf(stderr, "%" PRIu64 " reads were planned\n", planned);
	} else if (session_counts(s)->lost) {
		fprintf(stderr, "%" PRIu64 " were lost in full buffers\n", session_counts(s)->lost);
	} else {
		tell_silence(s);
	}
	return EXIT_NOTHING;
}

/* Does the recording have the call chains that --children and -g need? */
static bool see_to_chains(const struct session *s, const struct options *opt)
{
	bool recorded = false;
	size_t i;

	for (i = 0; i < session_events(s); i++)
		recorded |= callchain_recorded(session_event(s, i));
	if (!recorded && (opt->callers || opt->graph.on)) {
		fprintf(stderr, "pcsample report: %s: %s counts call chains, and it has "
			"none; perf record -g records some\n", session_path(s),
			opt->graph.on ? "-g" : "--children");
		return false;
	}
	return true;
}

static bool see_to_branches(const struct session *s, const struct options *opt)
{
	if (!(opt->by & BY_BRANCHES) || session_has_branches(s))
		return true;
	fprintf(stderr, "pcsample report: %s: -b counts the branches of branch stacks, and it has "
		"none; perf record -b records some, and perf report -b --itrace=i100usl makes some "
		"of hardware traces\n", session_path(s));
	return false;
}

/* If perf has a key of this name, say what to use instead. Return: false if it has none */
static bool answer_key(const char *key)
{
	bool field;
	const char *use = habit_of_key(key, strlen(key), &field);

	if (use)
		fprintf(stderr, "pcsample report: --sort %s: %s\n", key, use);
	return use;
}

/* Are all keys that are no columns fields of the recording's tracepoints? */
static bool see_to_fields(struct session *s, struct options *opt)
{
	struct error err = { "" };
	unsigned int i;

	if (!opt->nr_fields)
		return true;
	if (input_tracepoints(&opt->in, s, &err)) {
		for (i = 0; i < opt->nr_fields; i++)
			if (answer_key(opt->field[i]))
				return false;
		fprintf(stderr, "pcsample report: cannot sort by '%s', --help lists what can be; "
			"%s\n", opt->field[0], err.text);
		return false;
	}
	for (i = 0; i < opt->nr_fields; i++) {
		if (!tracepoints_has_field(opt->in.filter.tracepoints, opt->field[i])) {
			if (answer_key(opt->field[i]))
				return false;
			fprintf(stderr, "pcsample report: cannot sort by '%s': it is not a column "
				"(--help), and no tracepoint of %s has such a field\n",
				opt->field[i], session_path(s));
			return false;
		}
		tracepoints_tell_apart(opt->in.filter.tracepoints, opt->field[i]);
	}
	return true;
}

/* Was the event of --weight counted? */
static bool see_to_counter(const struct session *s, const struct options *opt)
{
	size_t i;

	for (i = 0; i < session_events(s) && opt->counter; i++)
		if ((u16)(session_event(s, i)->attr.config2 >> 32) == opt->counter)
			return true;
	if (!opt->counter)
		return true;
	fprintf(stderr, "pcsample report: %s: --weight=%s: that event was not counted; "
		"pcsample record -e arm_pcsample/snapshot=1,counter=0x%x/ counts it\n",
		session_path(s), opt->weight, opt->counter);
	return false;
}

static bool all_uncounted(const struct session *s, const struct aggregate *a)
{
	u64 nr = 0;
	size_t i;

	for (i = 0; i < session_events(s); i++)
		nr += a->uncounted[i];
	return nr == a->samples;
}

static int no_counts(const struct session *s, const struct options *opt)
{
	fprintf(stderr, "pcsample report: %s: --weight=%s: no sample has such a count; "
		"pcsample record -e arm_pcsample/snapshot=1/ records some, on CPUs with PMU snapshots\n",
		session_path(s), opt->weight);
	return EXIT_NOTHING;
}

/* @hidden: the share of the largest row that --percent-limit hides */
static int no_rows(const struct session *s, const struct aggregate *a, const struct options *opt,
		   double hidden)
{
	if (hidden > 0)
		fprintf(stderr, "pcsample report: %s: no such row has a share of %g %%, and the "
			"largest has %.2f %%: lower --percent-limit\n", session_path(s),
			100 * opt->rows.least, 100 * hidden);
	else
		fprintf(stderr, "pcsample report: %s: none of %" PRIu64 " %s is in a row with these"
			" names\n", session_path(s), a->samples,
			a->by & BY_BRANCHES ? "branches" : "samples");
	return EXIT_NOTHING;
}

static struct out out;

static int print_header(struct session *s, const struct options *opt)
{
	struct json j;

	out_init(&out, STDOUT_FILENO);
	if (opt->json) {
		json_begin(&j, &out, "pcsample-report-header", 1);
		provenance_json(&j, "header", s);
		json_end(&j);
	} else {
		provenance_print(&out, s, opt->topology);
	}
	return output_end(&out, "pcsample report");
}

static int report(struct session *s, struct options *opt)
{
	unsigned int by = opt->by;
	size_t rows = 0;
	double hidden = 0;
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
	if (session_only_event(s) < 0)
		by |= BY_EVENT;
	if (opt->callers)
		by |= BY_CALLERS;
	if (opt->graph.on)
		by |= opt->graph.up ? BY_CALLERS_TREE : BY_CALLED_TREE;
	if (opt->header_only)
		return print_header(s, opt);
	if (!see_to_fields(s, opt))
		return EXIT_USAGE;
	if (!see_to_chains(s, opt) || !see_to_branches(s, opt) || !see_to_counter(s, opt))
		return EXIT_FAILED;
	ret = aggregate_run(&a, s, by, filter_of(opt), &err);
	if (ret)
		return complain("pcsample report", &err);
	if (!a.samples) {
		ret = no_samples(s, &a);
	} else if (all_uncounted(s, &a)) {
		ret = no_counts(s, opt);
	} else {
		out_init(&out, STDOUT_FILENO);
		ret = print_events(&out, s, &a, opt, &rows, &hidden);
		if (ret)
			fprintf(stderr, "pcsample report: %s\n", strerror(-ret));
		ret = ret ? EXIT_FAILED : output_end(&out, "pcsample report");
	}
	if (!ret && !rows)
		ret = no_rows(s, &a, opt, hidden);
	aggregate_deinit(&a);
	return ret;
}

int cmd_report(int argc, char **argv)
{
	struct options opt = { .graph.least = CALL_GRAPH_LEAST };
	int status = EXIT_FAILED;
	struct session *s;

	/* In order: the word behind -g is its argument, and a later -G has the last word */
	argp_parse(&report_argp, argc, argv, ARGP_IN_ORDER, NULL, &opt);
	/* As in perf, -c and -d choose rows; percentages remain relative to all samples */
	if (!opt.relative) {
		opt.rows.comms = opt.in.comms;
		opt.rows.dsos = opt.in.dsos;
		opt.in.comms = NULL;
		opt.in.dsos = NULL;
		opt.in.filter.shares_of_all = true;
	}
	add_what_chooses(&opt);
	s = input_open(&opt.in, argv[0]);
	if (s)
		status = input_close(s, argv[0], report(s, &opt));
	while (opt.nr_fields)
		free(opt.field[--opt.nr_fields]);
	report_filter_deinit(&opt.rows);
	input_options_deinit(&opt.in);
	return status;
}
