// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample profexc: show support for Profiling exceptions, and what a recording of them contains.
 */
#include <argp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text-file.h"
#include "capture/event.h"
#include "commands/command.h"
#include "commands/input-options.h"
#include "commands/plain-options.h"
#include "commands/terminal.h"
#include "explain/routing.h"
#include "profile/profexc.h"
#include "symbols/names.h"

#define DEVICE	"/sys/bus/event_source/devices/" PROFEXC_PMU
#define DEBUGFS	"/sys/kernel/debug/" PROFEXC_PMU

#define DEFAULT_LIMIT	20

enum { OPT_JSON = 256, OPT_LIMIT, OPT_REGISTERS };

struct options {
	struct input_options in;
	const char *what;
	const char *registers;
	unsigned int limit;
	bool json;
};

static const struct argp_option option_table[] = {
	{ NULL, 0, NULL, 0, "Output:", 2 },
	{ "json", OPT_JSON, NULL, 0, "print JSON", 0 },
	{ "limit", OPT_LIMIT, "N", 0, "show at most N places (default: 20), 0 for all", 0 },
	{ "registers", OPT_REGISTERS, "FILE", 0,
	  "with list: explain the registers in FILE, a copy of " DEBUGFS "/registers", 0 },
	{ 0 }
};

static const struct plain_option plain[] = {
	CHILD_INPUT(struct options, in),
	SETS(OPT_JSON, struct options, json),
	SETS(OPT_REGISTERS, struct options, registers),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	u64 limit;

	switch (key) {
	case OPT_LIMIT:
		if (!plain_number(&limit, arg, UINT_MAX, NULL))
			argp_error(state, "expected a number of places, not '%s'", arg);
		o->limit = limit;
		return 0;
	case ARGP_KEY_ARG:
		if (o->what)
			argp_error(state, "unexpected argument '%s'", arg);
		o->what = arg;
		return 0;
	}
	return plain_option(plain, key, arg, state);
}

static const struct argp_child children[] = { { &input_argp, 0, NULL, 1 }, { 0 } };

const struct argp profexc_argp = {
	.options = option_table,
	.parser = parse,
	.children = children,
	.args_doc = "list\nreport\nrecord [OPTION...] [-- COMMAND [ARG...]]",
	.doc = "Show Profiling exceptions (FEAT_EBEP, FEAT_SEBEP, FEAT_TRBE_EXC), which the module"
	       " arm_profexc observes."
	       "\vlist shows what the CPUs and the kernel support, and which rows of the manual's"
	       " tables apply.\n"
	       "record runs 'pcsample record -e arm_profexc/any/' and takes its options.\n"
	       "report shows which exceptions were taken, and which code they interrupted.\n\n"
	       "Examples:\n"
	       "  pcsample profexc list\n"
	       "  pcsample profexc record -a -- sleep 10\n"
	       "  pcsample profexc report -i perf.data",
};

/* list */

static const struct {
	const char *file;
	const char *title;
} caps[] = {
	{ "ebep", "FEAT_EBEP" },
	{ "sebep", "FEAT_SEBEP" },
	{ "trbe_exc", "FEAT_TRBE_EXC" },
	{ "pmu_exceptions", "PMU overflows raise exceptions" },
	{ "trbe_exceptions", "trace buffer raises exceptions" },
};

static void read_cap(char *text, size_t size, const char *file)
{
	if (sysfs_read(text, size, DEVICE "/caps/%s", file) < 0)
		text[0] = '\0';
}

static void print_caps(struct out *o, bool kernel)
{
	char text[CPUS_TEXT_MAX];
	size_t i;

	out_text(o, "  the kernel takes Profiling exceptions  ");
	out_text(o, kernel ? "yes\n" : "no: interrupts are observed\n");
	for (i = 0; i < ARRAY_SIZE(caps); i++) {
		read_cap(text, sizeof(text), caps[i].file);
		out_text(o, "  ");
		out_left(o, caps[i].title, 38);
		out_text(o, text[0] ? " on CPUs " : " on no CPU");
		out_clean(o, text, 0);
		out_char(o, '\n');
	}
}

/* Where lines go: to an array of JSON, or indented to the text */
struct lines_out {
	struct out *o;
	struct json *j;
};

static void take_line(void *ctx, const char *line)
{
	struct lines_out *to = ctx;

	if (to->j) {
		json_string(to->j, NULL, line);
		return;
	}
	out_text(to->o, "  ");
	out_text(to->o, line);
	out_char(to->o, '\n');
}

/* Print the lines of a file in debugfs; nothing if it cannot be read */
static void print_file(struct lines_out *to, const char *path)
{
	char *text, *line, *end;
	size_t size;

	if (sysfs_slurp(&text, &size, 1 << 20, path))
		return;
	for (line = text; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		take_line(to, line);
	}
	free(text);
}

/* Routing: explain the registers that the module shows in debugfs */

/* Return: number of CPUs with registers in the file, or a negative errno */
static int explain_registers(const char *path, struct lines_out *to)
{
	const struct routing_lines lines = { .take = take_line, .ctx = to };
	size_t size;
	char *text;
	int ret;

	ret = sysfs_slurp(&text, &size, 1 << 20, path);
	if (ret)
		return ret;
	ret = routing_explain(text, &lines);
	free(text);
	return ret;
}

static int json_routing(struct json *j, const char *path)
{
	struct lines_out to = { .j = j };
	int ret;

	json_array(j, "routing");
	ret = explain_registers(path, &to);
	json_array_end(j);
	return ret;
}

static void list_json(struct out *o, bool kernel)
{
	char text[CPUS_TEXT_MAX];
	struct json j;
	size_t i;

	json_begin(&j, o, "pcsample-profexc-list", 1);
	json_bool(&j, "kernel", kernel);
	for (i = 0; i < ARRAY_SIZE(caps); i++) {
		read_cap(text, sizeof(text), caps[i].file);
		json_string(&j, caps[i].file, text);
	}
	json_routing(&j, DEBUGFS "/registers");
	json_array(&j, "stats");
	print_file(&(struct lines_out){ .j = &j }, DEBUGFS "/stats");
	json_array_end(&j);
	json_end(&j);
}

static void list_text(struct out *o, bool kernel)
{
	struct lines_out to = { .o = o };

	out_text(o, "Profiling exceptions\n");
	print_caps(o, kernel);
	if (!access(DEBUGFS "/registers", R_OK))
		out_text(o, "\nRouting\n");
	explain_registers(DEBUGFS "/registers", &to);
	if (!access(DEBUGFS "/stats", R_OK))
		out_text(o, "\nSeen since the module was loaded\n");
	print_file(&to, DEBUGFS "/stats");
}

/* list --registers: FILE may come from another machine, so print nothing about this one */
static int list_file(struct out *o, const struct options *opt)
{
	struct lines_out to = { .o = o };
	struct json j;
	int ret;

	if (opt->json) {
		json_begin(&j, o, "pcsample-profexc-list", 1);
		ret = json_routing(&j, opt->registers);
		json_end(&j);
	} else {
		ret = explain_registers(opt->registers, &to);
	}
	if (ret < 0) {
		fprintf(stderr, "pcsample profexc: %s: %s\n", opt->registers, strerror(-ret));
		return EXIT_FAILED;
	}
	if (!ret)
		fprintf(stderr, "pcsample profexc: %s: no registers in it; copy " DEBUGFS
			"/registers\n", opt->registers);
	if (output_end(o, "pcsample profexc"))
		return EXIT_FAILED;
	return ret ? EXIT_OK : EXIT_NOTHING;
}

static bool is_there(u64 *kernel)
{
	if (!sysfs_read_number(kernel, DEVICE "/caps/kernel"))
		return true;
	fprintf(stderr, "pcsample profexc: " PROFEXC_PMU " is not there: 'modprobe " PROFEXC_PMU
		"', as root\n");
	return false;
}

static int list(const struct options *opt)
{
	static struct out o;
	u64 kernel;

	out_init(&o, STDOUT_FILENO);
	if (opt->registers)
		return list_file(&o, opt);
	if (!is_there(&kernel))
		return EXIT_FAILED;
	if (opt->json)
		list_json(&o, kernel);
	else
		list_text(&o, kernel);
	return output_end(&o, "pcsample profexc");
}

/* report */

struct report {
	struct session *s;
	const struct options *opt;
	struct profexc_summary sum;
	struct names names;
	struct out out;
};

static const char *place_symbol(struct report *r, const struct profexc_place *p)
{
	if (p->sym == SYM_NONE)
		return "[unknown]";
	return names_symbol(&r->names, session_dso(r->s, p->dso), p->dso, p->sym);
}

static double share(const struct report *r, u64 events)
{
	return r->sum.events ? 100.0 * events / r->sum.events : 0;
}

static size_t shown_places(const struct report *r)
{
	return r->opt->limit ? min(r->sum.nr_places, (size_t)r->opt->limit) : r->sum.nr_places;
}

static void print_header(struct report *r)
{
	const struct profexc_summary *sum = &r->sum;
	struct out *o = &r->out;

	out_text(o, "# Recording:   ");
	out_clean(o, session_path(r->s), 0);
	out_count(o, "\n# Events:      ", sum->events, " in ");
	out_fixed(o, (sum->last - sum->first) / 1e9, 3, 0);
	out_text(o, sum->nr_cpus == 1 ? " s on 1 CPU\n" : " s on ");
	if (sum->nr_cpus != 1) {
		out_u64(o, sum->nr_cpus, 0);
		out_text(o, " CPUs\n");
	}
	if (session_counts(r->s)->lost)
		out_count(o, "# Lost:        ", session_counts(r->s)->lost,
			  ", as the ring buffers were full\n");
	if (sum->missing)
		out_count(o, "# Missing:     ", sum->missing,
			  " events in between, which were filtered or lost\n");
	if (sum->others)
		out_count(o, "# Left out:    ", sum->others, " samples of other events\n");
}

static void print_events(struct report *r)
{
	struct out *o = &r->out;
	size_t i, el;

	out_text(o, "\n   share    events       EL0       EL1       EL2  delivered  class\n");
	for (i = 0; i < r->sum.nr_events; i++) {
		const struct profexc_event *e = &r->sum.event[i];

		out_fixed(o, share(r, e->events), 2, 7);
		out_char(o, '%');
		out_u64(o, e->events, 10);
		for (el = 0; el < ARRAY_SIZE(e->el); el++)
			out_u64(o, e->el[el], 10);
		out_text(o, "  ");
		out_left(o, profexc_mode_name(e->mode), 10);
		out_char(o, ' ');
		out_text(o, profexc_class_name(e->class));
		out_char(o, '\n');
	}
}

static void print_places(struct report *r)
{
	struct out *o = &r->out;
	size_t i;

	out_text(o, "\n   share    events  exceptions  interrupted code\n");
	for (i = 0; i < shown_places(r); i++) {
		const struct profexc_place *p = &r->sum.place[i];

		out_fixed(o, share(r, p->events), 2, 7);
		out_char(o, '%');
		out_u64(o, p->events, 10);
		out_u64(o, p->exceptions, 12);
		out_text(o, "  ");
		out_clean(o, place_symbol(r, p), 0);
		out_text(o, " (");
		out_clean(o, session_dso(r->s, p->dso)->path, 0);
		out_text(o, ")\n");
	}
	if (i < r->sum.nr_places) {
		out_number(o, "# ", r->sum.nr_places - i);
		out_text(o, " more places: --limit 0 shows them\n");
	}
}

static void print_report_json(struct report *r)
{
	const struct profexc_summary *sum = &r->sum;
	struct json j;
	size_t i;

	json_begin(&j, &r->out, "pcsample-profexc-report", 1);
	json_u64(&j, "events", sum->events);
	json_u64(&j, "others", sum->others);
	json_u64(&j, "lost", session_counts(r->s)->lost);
	json_u64(&j, "missing", sum->missing);
	json_u64(&j, "cpus", sum->nr_cpus);
	json_u64(&j, "duration_ns", sum->last - sum->first);
	json_array(&j, "classes");
	for (i = 0; i < sum->nr_events; i++) {
		const struct profexc_event *e = &sum->event[i];

		json_object(&j, NULL);
		json_string(&j, "class", profexc_class_name(e->class));
		json_u64(&j, "class_id", e->class);
		json_string(&j, "delivered", profexc_mode_name(e->mode));
		json_u64(&j, "events", e->events);
		json_u64(&j, "el0", e->el[0]);
		json_u64(&j, "el1", e->el[1]);
		json_u64(&j, "el2", e->el[2]);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_array(&j, "places");
	for (i = 0; i < shown_places(r); i++) {
		const struct profexc_place *p = &sum->place[i];

		json_object(&j, NULL);
		json_string(&j, "dso", session_dso(r->s, p->dso)->path);
		if (p->sym != SYM_NONE)
			json_string(&j, "symbol", place_symbol(r, p));
		json_u64(&j, "events", p->events);
		json_u64(&j, "exceptions", p->exceptions);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_end(&j);
}

static int print_report(struct report *r)
{
	if (profexc_summarize(r->s, &r->opt->in.filter, &r->sum)) {
		fprintf(stderr, "pcsample profexc: out of memory\n");
		return EXIT_FAILED;
	}
	if (r->opt->json) {
		print_report_json(r);
	} else if (r->sum.events) {
		print_header(r);
		print_events(r);
		print_places(r);
	}
	if (output_end(&r->out, "pcsample profexc"))
		return EXIT_FAILED;
	if (r->sum.events)
		return EXIT_OK;
	/* If the recording is damaged, input_close() reports that as the reason */
	if (!session_damage(r->s)[0])
		fprintf(stderr, "pcsample profexc: %s: nothing of " PROFEXC_PMU
			" in it; record with 'pcsample profexc record'\n", session_path(r->s));
	return EXIT_NOTHING;
}

static int report(struct options *opt, const char *command)
{
	struct report *r = calloc(1, sizeof(*r));
	int status = EXIT_FAILED;

	if (!r) {
		fprintf(stderr, "pcsample profexc: out of memory\n");
		return EXIT_FAILED;
	}
	r->opt = opt;
	out_init(&r->out, STDOUT_FILENO);
	names_init(&r->names, opt->in.demangle);
	r->s = input_open(&opt->in, command);
	if (r->s)
		status = input_close(r->s, command, print_report(r));
	profexc_summary_deinit(&r->sum);
	names_deinit(&r->names);
	free(r);
	return status;
}

/* record */

static int record(int argc, char **argv)
{
#if HAVE_LIBPERF
	static char name[] = "pcsample profexc record";
	u64 kernel;
	int status;

	argv[0] = name;
	status = record_profexc(argc, argv, PROFEXC_PMU "/any/");
	if (status)
		is_there(&kernel);
	return status;
#else
	fprintf(stderr, "pcsample profexc: built without libperf: 'perf record -e " PROFEXC_PMU
		"/any/ -c 1 -R' does the same\n");
	return EXIT_FAILED;
#endif
}

int cmd_profexc(int argc, char **argv)
{
	struct options opt = { .limit = DEFAULT_LIMIT };
	int status;

	if (argc > 1 && !strcmp(argv[1], "record"))
		return record(argc - 1, argv + 1);
	argp_parse(&profexc_argp, argc, argv, 0, NULL, &opt);
	if (opt.what && !strcmp(opt.what, "list")) {
		status = list(&opt);
	} else if (opt.what && !strcmp(opt.what, "report")) {
		status = report(&opt, argv[0]);
	} else {
		fprintf(stderr, "pcsample profexc: expected list, report or record, not '%s'\n",
			opt.what ? opt.what : "");
		status = EXIT_USAGE;
	}
	input_options_deinit(&opt.in);
	return status;
}
