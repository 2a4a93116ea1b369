// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample diff: compare two recordings, and tell changes from noise.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "commands/command.h"
#include "commands/habits.h"
#include "commands/input-options.h"
#include "commands/plain-options.h"
#include "commands/terminal.h"
#include "profile/compare.h"
#include "profile/events.h"
#include "profile/not-shown.h"
#include "profile/recording.h"
#include "profile/rows.h"
#include "profile/time-range.h"

struct options {
	struct input_options in;
	struct aggregate_filter filter[2];
	const char *file[2];
	unsigned int nr_files;
	const char *event;
	bool timed;
	struct time_ranges times[2];
	unsigned int by;
	bool shares, all, changed_only, exit_code, json;
	double least;
};

static const struct key {
	const char *name;
	unsigned int by;
} keys[] = {
	{ "comm", BY_COMM }, { "dso", BY_DSO }, { "sym", BY_SYM }, { "symbol", BY_SYM },
	{ "srcline", BY_SRCLINE }, { "cpu", BY_CPU }, { "cgroup", BY_CGROUP },
	{ "el", BY_EL }, { "state", BY_STATE }, { "vmid", BY_VMID },
};

#define DEFAULT_KEYS (BY_COMM | BY_DSO | BY_SYM)

/* Options */

enum { OPT_TIME = 256, OPT_NORMALIZE, OPT_CHANGED, OPT_ALL, OPT_LIMIT, OPT_EXIT_CODE, OPT_JSON,
	OPT_EVENT };

static const struct argp_option option_table[] = {
	{ NULL, 0, NULL, 0, "What to compare:", 2 },
	{ "sort", 's', "KEY,...", 0,
	  "make a row for each: comm, dso, sym, srcline, cpu, cgroup, el, state, vmid "
	  "(default: comm,dso,sym)", 0 },
	{ "normalize", OPT_NORMALIZE, "HOW", 0,
	  "compare rates per second (time) or shares of all samples (share) (default: time)", 0 },
	{ "time", OPT_TIME, "RANGE[:RANGE]", 0,
	  "compare only this part, START,STOP in seconds, 0%-50% or 10%/2, or several as in report; "
	  "RANGE behind the colon applies to the second recording", 0 },
	{ "event", OPT_EVENT, "NAME", 0,
	  "use only events with this name (default: each that has samples)", 0 },
	{ NULL, 0, NULL, 0, "Output:", 3 },
	{ "changed", OPT_CHANGED, NULL, 0, "show only rows that changed", 0 },
	{ "all", OPT_ALL, NULL, 0,
	  "show all rows, including those with too few samples to compare", 0 },
	{ "percent-limit", OPT_LIMIT, "PERCENT", 0,
	  "hide unchanged rows with a share below PERCENT in both recordings (default: 0.5)", 0 },
	{ "exit-code", OPT_EXIT_CODE, NULL, 0, "exit with status 2 if something changed", 0 },
	{ "json", OPT_JSON, NULL, 0, "print JSON", 0 },
	TAKES_BACK("no-sort", 's'),
	TAKES_BACK("no-time", OPT_TIME),
	{ 0 }
};

static unsigned int parse_keys(const char *p, struct argp_state *state)
{
	unsigned int by = 0;
	size_t n, i;

	/* As for perf, spaces separate, too */
	for (; *(p += strspn(p, ", ")); p += n) {
		n = strcspn(p, ", ");
		for (i = 0; i < ARRAY_SIZE(keys); i++)
			if (text_is(p, n, keys[i].name))
				break;
		if (i == ARRAY_SIZE(keys))
			argp_error(state, "cannot compare by '%.*s'", (int)n, p);
		else
			by |= keys[i].by;
	}
	if (!by)
		argp_error(state, "nothing to compare by");
	return by;
}

#define BEHIND_COLON "and those of the second recording after ':', "

static void parse_time(struct options *o, const char *text, struct argp_state *state)
{
	const char *colon = strchr(text, ':');
	char *first = strndup(text, colon ? (size_t)(colon - text) : strlen(text));

	if (!first)
		argp_failure(state, EXIT_FAILED, ENOMEM, "--time");
	parse_time_option(&o->times[0], first, BEHIND_COLON, state);
	parse_time_option(&o->times[1], colon ? colon + 1 : first, BEHIND_COLON, state);
	free(first);
	o->timed = true;
	o->in.timed_elsewhere = true;
}

static const struct plain_option plain[] = {
	CHILD_INPUT(struct options, in),
	SETS(OPT_CHANGED, struct options, changed_only),
	SETS(OPT_ALL, struct options, all),
	SETS(OPT_EXIT_CODE, struct options, exit_code),
	SETS(OPT_JSON, struct options, json),
	SETS(OPT_EVENT, struct options, event),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 's':
		o->by = parse_keys(arg, state);
		return 0;
	case UNSET | 's':
		o->by = DEFAULT_KEYS;
		return 0;
	case UNSET | OPT_TIME:
		o->timed = false;
		o->in.timed_elsewhere = false;
		return 0;
	case OPT_TIME:
		parse_time(o, arg, state);
		return 0;
	case OPT_NORMALIZE:
		o->shares = !strcmp(arg, "share");
		if (!o->shares && strcmp(arg, "time"))
			argp_error(state, "--normalize takes time or share, not '%s'", arg);
		return 0;
	case OPT_LIMIT:
		o->least = parse_percentage(arg, state);
		return 0;
	case ARGP_KEY_ARG:
		if (o->nr_files == 2)
			argp_error(state, "a third recording: '%s'", arg);
		o->file[o->nr_files++] = arg;
		return 0;
	}
	return plain_option(plain, key, arg, state);
}

static const struct argp_child children[] = {
	{ &input_pair_argp, 0, NULL, 1 }, { &diff_habits_argp, 0, NULL, 0 }, { 0 }
};

const struct argp diff_argp = {
	.options = option_table,
	.parser = parse,
	.args_doc = "[[OLD] NEW]",
	.children = children,
	.doc = "Compare two recordings row by row, and tell changes from noise.\v"
	       "OLD is perf.data.old and NEW is perf.data unless given. A row has changed if "
	       "chance does not explain its difference. The test takes into account that samples "
	       "depend on each other and that many rows are compared: in 95 % of comparisons of a "
	       "program with itself, no row is reported. Examples:\n"
	       "  pcsample diff before.data after.data\n"
	       "  pcsample diff --time 0%-50%:50%-100% perf.data perf.data\n"
	       "  pcsample diff --sort dso --exit-code old.data new.data",
};

/* Events: compare each with its counterpart in the other recording */

struct pair {
	u32 event[2];
};

/*
 * @list: by recording, its events with samples
 * @has: by recording and place in @list: is the event in a pair?
 * @pair: events that are compared
 * @compare: the result for each pair
 * @why: messages about pairs that were removed, since there was nothing to compare
 */
struct compared {
	struct session **s;
	struct event_list list[2];
	bool *has[2];
	struct pair *pair;
	struct compare *compare;
	size_t nr;
	struct error *why;
	size_t nr_why;
};

static bool are_alike(const struct recorded_event *a, const struct recorded_event *b, bool named)
{
	if (named)
		return !strcmp(a->name, b->name);
	return a->attr.type == b->attr.type && a->attr.config == b->attr.config;
}

static void pair_up(struct compared *all, bool named)
{
	const struct event_list *a = &all->list[0], *b = &all->list[1];
	size_t i, k;

	for (i = 0; i < a->nr; i++) {
		for (k = 0; k < b->nr && !all->has[0][i]; k++) {
			if (all->has[1][k] ||
			    !are_alike(session_event(all->s[0], a->event[i]),
				       session_event(all->s[1], b->event[k]), named))
				continue;
			all->has[0][i] = true;
			all->has[1][k] = true;
			all->pair[all->nr++] = (struct pair){ { a->event[i], b->event[k] } };
		}
	}
}

/* If each recording has one event, pair them; compare_run() checks whether they can be compared */
static void pair_only(struct compared *all)
{
	if (all->nr || all->list[0].nr != 1 || all->list[1].nr != 1)
		return;
	all->has[0][0] = true;
	all->has[1][0] = true;
	all->pair[all->nr++] = (struct pair){ { all->list[0].event[0], all->list[1].event[0] } };
}

typedef void left_out_fn(const char *line, void *ctx);

static void each_left_out(const struct compared *all, left_out_fn *fn, void *ctx)
{
	const struct event_list *l;
	char line[512];
	size_t i, k;

	for (i = 0; i < 2; i++) {
		l = &all->list[i];
		for (k = 0; k < l->nr; k++) {
			if (all->has[i][k])
				continue;
			snprintf(line, sizeof(line), "%" PRIu64 " samples of %s in %s: %s has none",
				 l->samples[l->event[k]],
				 session_event(all->s[i], l->event[k])->name,
				 session_path(all->s[i]), session_path(all->s[!i]));
			fn(line, ctx);
		}
	}
	for (k = 0; k < all->nr_why; k++)
		fn(all->why[k].text, ctx);
}

static int find_pairs(struct compared *all, const char *name, struct error *err)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < 2; i++) {
		ret = events_find(&all->list[i], all->s[i], name, err);
		all->has[i] = calloc(all->list[i].nr + 1, sizeof(*all->has[i]));
		if (!ret && !all->has[i])
			ret = error_set(err, -ENOMEM, "out of memory");
	}
	if (ret)
		return ret;
	all->pair = calloc(all->list[0].nr, sizeof(*all->pair));
	all->compare = calloc(all->list[0].nr, sizeof(*all->compare));
	all->why = calloc(all->list[0].nr, sizeof(*all->why));
	if (!all->pair || !all->compare || !all->why)
		return error_set(err, -ENOMEM, "out of memory");
	pair_up(all, true);
	pair_up(all, false);
	pair_only(all);
	if (all->nr)
		return 0;
	return error_set(err, -ENODATA, "no event has samples in both %s and %s",
			 session_path(all->s[0]), session_path(all->s[1]));
}

static void compared_deinit(struct compared *all)
{
	size_t i;

	for (i = 0; all->compare && i < all->nr; i++)
		compare_deinit(&all->compare[i]);
	for (i = 0; i < 2; i++) {
		events_free(&all->list[i]);
		free(all->has[i]);
	}
	free(all->pair);
	free(all->compare);
	free(all->why);
}

/* Text */

static const char *unit_of(const struct compare *c, const struct options *o, double *scale)
{
	if (o->shares) {
		*scale = 100;
		return "% of the samples";
	}
	if (recording_in_ns(compare_event(&c->side[0]))) {
		*scale = 1 / 1e6;
		return "ms of CPU time per second";
	}
	/* Rates of page faults and tracepoints are small: in millions they would all be 0.000 */
	*scale = max(c->total[0], c->total[1]) < 1e6 ? 1 : 1 / 1e6;
	return *scale == 1 ? "events per second" : "million events per second";
}

static void print_side(struct out *o, const char *what, const struct compare_side *side)
{
	out_text(o, what);
	out_clean(o, session_path(side->s), 0);
	out_count(o, ", ", side->samples, " of ");
	out_clean(o, session_event(side->s, side->event)->name, 0);
	out_text(o, " in ");
	out_fixed(o, side->seconds, 3, 0);
	out_text(o, " s\n");
}

static void print_head(struct out *o, const struct compare *c, const char *unit)
{
	char line[256];

	print_side(o, "# Old:       ", &c->side[0]);
	print_side(o, "# New:       ", &c->side[1]);
	out_text(o, "# Values:    ");
	out_text(o, unit);
	snprintf(line, sizeof(line), "\n# Changed:   %zu of %zu rows", c->nr_changed, c->nr_tested);
	out_text(o, line);
	snprintf(line, sizeof(line),
		 " (5 %% for any false one, corrected by Holm's method); %zu more have too few samples\n#\n",
		 c->nr - c->nr_tested);
	out_text(o, line);
}

/* A column that begins with two spaces; @width is that of its usual texts */
static void print_right(struct out *o, const char *text, size_t width)
{
	size_t len = strlen(text);

	out_spaces(o, 2 + (len < width ? width - len : 0));
	out_text(o, text);
}

static void print_names(struct out *o, const struct compare *c, const struct compare_row *r)
{
	const char level[] = { '[', r->level, ']', ' ', 0 };
	char buf[REPORT_TEXT_MAX];

	if (c->by & BY_COMM) {
		out_text(o, "  ");
		out_clean(o, r->comm, 15);
	}
	if (c->by & BY_CPU) {
		out_text(o, "  ");
		if (r->cpu == NO_CPU)
			out_text(o, "  -");
		else
			out_u64(o, r->cpu, 3);
	}
	if (c->by & BY_EL)
		print_right(o, report_el(r->el, buf), 3);
	if (c->by & BY_STATE)
		print_right(o, r->state == NO_STATE ? "-" : report_state(r->state), 10);
	if (c->by & BY_VMID)
		print_right(o, report_vmid(r->vmid, buf), 9);
	if (c->by & BY_CGROUP) {
		out_text(o, "  ");
		out_clean(o, r->cgroup, 30);
	}
	if (c->by & BY_DSO) {
		out_text(o, "  ");
		out_clean(o, r->dso, c->by & (BY_SYM | BY_SRCLINE) ? 20 : 0);
	}
	if (c->by & BY_SYM) {
		out_text(o, "  ");
		out_text(o, level);
		out_clean(o, r->symbol, c->by & BY_SRCLINE ? 30 : 0);
	}
	if (c->by & BY_SRCLINE) {
		out_text(o, "  ");
		out_clean(o, r->srcline, 0);
	}
}

static void print_row(struct out *o, const struct compare *c, const struct compare_row *r,
		      double scale)
{
	bool changed = r->p < COMPARE_LEVEL;
	char line[128];

	snprintf(line, sizeof(line), "%10.3f %10.3f %+10.3f  %+10.3f %+10.3f",
		 r->rate[0] * scale, r->rate[1] * scale, r->change.delta * scale,
		 r->change.low * scale, r->change.high * scale);
	if (changed)
		out_color(o, r->change.delta > 0 ? COLOR_RED : COLOR_GREEN);
	out_text(o, line);
	if (!r->tested)
		snprintf(line, sizeof(line), "        -  few");
	else if (r->p < 0.0001)
		snprintf(line, sizeof(line), "  <0.0001  yes");
	else
		snprintf(line, sizeof(line), "  %7.4f  %s", r->p, changed ? "yes" : "no ");
	out_text(o, line);
	if (changed)
		out_color_end(o);
	print_names(o, c, r);
	out_char(o, '\n');
}

/* Print the heading of a column, and pad it if another column follows: one of @more */
static void print_heading(struct out *o, const struct compare *c, unsigned int by,
			  const char *title, unsigned int more)
{
	size_t len = strlen(title);

	while (!(c->by & more) && title[len - 1] == ' ')
		len--;
	if (c->by & by)
		out_bytes(o, title, len);
}

static void print_title(struct out *o, const struct compare *c)
{
	out_text(o, "#      Old        New      Delta     95 % interval of it        p  changed");
	out_text(o, c->by & BY_COMM ? "  Command        " : "");
	out_text(o, c->by & BY_CPU ? "  CPU" : "");
	out_text(o, c->by & BY_EL ? "  EL " : "");
	out_text(o, c->by & BY_STATE ? "       State" : "");
	out_text(o, c->by & BY_VMID ? "       VMID" : "");
	print_heading(o, c, BY_CGROUP, "  Cgroup                        ",
		      BY_DSO | BY_SYM | BY_SRCLINE);
	print_heading(o, c, BY_DSO, "  Shared Object       ", BY_SYM | BY_SRCLINE);
	print_heading(o, c, BY_SYM, "  Symbol                            ", BY_SRCLINE);
	print_heading(o, c, BY_SRCLINE, "  Source:Line", 0);
	out_text(o, "\n#\n");
}

static bool is_shown(const struct compare *c, const struct compare_row *r, const struct options *o)
{
	if (o->all || r->p < COMPARE_LEVEL)
		return true;
	return !o->changed_only && r->tested &&
	       (r->rate[0] >= o->least * c->total[0] || r->rate[1] >= o->least * c->total[1]);
}

static void print_comparison(struct out *o, const struct compare *c, const struct options *opt)
{
	double scale, rest[2] = { 0 };
	const char *unit = unit_of(c, opt, &scale);
	char line[256];
	size_t i, left = 0;

	print_head(o, c, unit);
	print_title(o, c);
	for (i = 0; i < c->nr && !o->error; i++) {
		if (is_shown(c, &c->row[i], opt)) {
			print_row(o, c, &c->row[i], scale);
			continue;
		}
		rest[0] += c->row[i].rate[0];
		rest[1] += c->row[i].rate[1];
		left++;
	}
	if (!left)
		return;
	snprintf(line, sizeof(line), "%10.3f %10.3f %+10.3f%41s  %zu rows without a change\n",
		 rest[0] * scale, rest[1] * scale, (rest[1] - rest[0]) * scale, "", left);
	out_color(o, COLOR_FAINT);
	out_text(o, line);
	out_color_end(o);
}

static void text_line(const char *line, void *ctx)
{
	out_text(ctx, "# Not compared: ");
	out_clean(ctx, line, 0);
	out_char(ctx, '\n');
}

static void print_text(struct out *o, const struct compared *all, const struct options *opt)
{
	size_t i;

	for (i = 0; i < 2; i++)
		not_shown_print(o, all->compare[0].side[i].s, 0,
				session_path(all->compare[0].side[i].s));
	each_left_out(all, text_line, o);
	for (i = 0; i < all->nr; i++) {
		if (i)
			out_char(o, '\n');
		print_comparison(o, &all->compare[i], opt);
	}
}

/* JSON */

static void json_line(const char *line, void *ctx)
{
	json_string(ctx, NULL, line);
}

static void json_side(struct json *j, const char *key, const struct compare_side *side)
{
	json_object(j, key);
	json_string(j, "file", session_path(side->s));
	json_string(j, "event", session_event(side->s, side->event)->name);
	json_u64(j, "samples", side->samples);
	json_fixed(j, "seconds", side->seconds, 9);
	json_array(j, "not_shown");
	not_shown_json(j, side->s, 0);
	json_array_end(j);
	json_object_end(j);
}

static void json_row(struct json *j, const struct compare *c, const struct compare_row *r)
{
	const char level[] = { r->level, 0 };

	json_object(j, NULL);
	json_string(j, "event", compare_event(&c->side[0])->name);
	if (r->comm)
		json_string(j, "comm", r->comm);
	if (r->dso)
		json_string(j, "dso", r->dso);
	if (r->symbol) {
		json_string(j, "symbol", r->symbol);
		json_string(j, "level", level);
	}
	if (r->srcline)
		json_string(j, "srcline", r->srcline);
	if (r->cgroup)
		json_string(j, "cgroup", r->cgroup);
	if (c->by & BY_CPU && r->cpu != NO_CPU)
		json_u64(j, "cpu", r->cpu);
	if (c->by & BY_EL && r->el != NO_EL && r->el != EL_NOT_KNOWN)
		json_u64(j, "el", r->el);
	if (r->state != NO_STATE)
		json_string(j, "state", report_state(r->state));
	report_json_vmid(j, r->vmid);
	json_u64(j, "old_samples", r->samples[0]);
	json_u64(j, "new_samples", r->samples[1]);
	json_fixed(j, "old", r->rate[0], 6);
	json_fixed(j, "new", r->rate[1], 6);
	json_fixed(j, "delta", r->change.delta, 6);
	json_fixed(j, "low", r->change.low, 6);
	json_fixed(j, "high", r->change.high, 6);
	json_fixed(j, "p", r->p, 9);
	json_bool(j, "tested", r->tested);
	json_bool(j, "changed", r->p < COMPARE_LEVEL);
	json_object_end(j);
}

/* Members about a pair of events. Those of the first pair are repeated at the top level. */
static void json_sides(struct json *j, const struct compare *c, const struct options *opt)
{
	bool time = recording_in_ns(compare_event(&c->side[0]));

	json_side(j, "old", &c->side[0]);
	json_side(j, "new", &c->side[1]);
	json_string(j, "unit", opt->shares ? "share" : time ? "ns/s" : "events/s");
}

static void print_json(struct out *o, const struct compared *all, const struct options *opt)
{
	const struct compare *c;
	size_t i, k, tested = 0, changed = 0;
	struct json j;

	for (k = 0; k < all->nr; k++) {
		tested += all->compare[k].nr_tested;
		changed += all->compare[k].nr_changed;
	}
	json_begin(&j, o, "pcsample-diff", 1);
	json_sides(&j, &all->compare[0], opt);
	json_string(&j, "correction", "holm");
	json_fixed(&j, "level", COMPARE_LEVEL, 2);
	json_u64(&j, "rows_tested", tested);
	json_u64(&j, "rows_changed", changed);
	json_array(&j, "events");
	for (k = 0; k < all->nr; k++) {
		json_object(&j, NULL);
		json_sides(&j, &all->compare[k], opt);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_array(&j, "not_compared");
	each_left_out(all, json_line, &j);
	json_array_end(&j);
	json_array(&j, "rows");
	for (k = 0; k < all->nr; k++) {
		c = &all->compare[k];
		for (i = 0; i < c->nr && !o->error; i++)
			if (is_shown(c, &c->row[i], opt))
				json_row(&j, c, &c->row[i]);
	}
	json_array_end(&j);
	json_end(&j);
}

/* The command */

static struct out out;

/* Choose the samples of each recording */
static int set_filters(struct compare_options *co, struct options *o, struct session *s[2],
		       struct error *err)
{
	u64 first, last;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		co->filter[i] = o->filter[i];
		if (o->timed && session_span(s[i], &first, &last) &&
		    time_ranges_resolve(&o->times[i], first, last, &co->filter[i]))
			return error_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

static int compare_pairs(struct compared *all, struct options *o, struct error *err)
{
	struct compare_options co = { .by = o->by, .demangle = o->in.demangle,
				      .shares = o->shares };
	size_t i;
	int ret;

	ret = set_filters(&co, o, all->s, err);
	if (!ret)
		ret = find_pairs(all, o->event, err);
	co.family = all->nr;
	for (i = 0; !ret && i < all->nr; i += !ret) {
		memcpy(co.event, all->pair[i].event, sizeof(co.event));
		ret = compare_run(&all->compare[i], all->s[0], all->s[1], &co, err);
		if (ret != -ENODATA || all->nr == 1)
			continue;
		all->why[all->nr_why++] = *err;
		all->nr--;
		memmove(&all->pair[i], &all->pair[i + 1], (all->nr - i) * sizeof(*all->pair));
		*err = (struct error){ "" };
		ret = 0;
		i--;
	}
	return ret;
}

static int compare_both(struct options *o, struct session *s[2])
{
	struct compared all = { .s = s };
	struct error err = { "" };
	int ret, status = EXIT_OK;
	bool changed = false;
	size_t i;

	ret = compare_pairs(&all, o, &err);
	if (ret) {
		/* If a recording is damaged, input_close() reports that as the reason */
		if (ret != -ENODATA || !(session_damage(s[0])[0] || session_damage(s[1])[0]))
			fprintf(stderr, "pcsample diff: %s\n", err.text);
		status = ret == -ENODATA ? EXIT_NOTHING : EXIT_FAILED;
		goto out;
	}
	out_init(&out, STDOUT_FILENO);
	if (o->json)
		print_json(&out, &all, o);
	else
		print_text(&out, &all, o);
	status = output_end(&out, "pcsample diff");
	for (i = 0; i < all.nr; i++)
		changed |= all.compare[i].nr_changed;
	if (!status && o->exit_code && changed)
		status = EXIT_NOTHING;
out:
	compared_deinit(&all);
	return status;
}

int cmd_diff(int argc, char **argv)
{
	struct options o = { .by = DEFAULT_KEYS, .least = 0.005 };
	struct session *s[2] = { NULL };
	int status = EXIT_FAILED;
	unsigned int i;

	argp_parse(&diff_argp, argc, argv, 0, NULL, &o);
	/* As perf: one file is the new one */
	if (o.nr_files < 2) {
		o.file[1] = o.nr_files ? o.file[0] : "perf.data";
		o.file[0] = "perf.data.old";
	}
	for (i = 0; i < 2; i++) {
		o.in.input = o.file[i];
		s[i] = input_open(&o.in, argv[0]);
		if (!s[i])
			break;
		o.filter[i] = o.in.filter;
	}
	if (s[0] && s[1])
		status = compare_both(&o, s);
	for (i = 0; i < 2; i++) {
		if (s[i])
			status = input_close(s[i], argv[0], status);
		time_ranges_deinit(&o.times[i]);
	}
	input_options_deinit(&o.in);
	return status;
}
