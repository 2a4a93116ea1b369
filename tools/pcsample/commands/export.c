// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample export: write a recording in the format of another tool.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic-file.h"
#include "base/output-name.h"
#include "commands/command.h"
#include "commands/input-options.h"
#include "commands/plain-options.h"
#include "export/export.h"
#include "profile/events.h"

/* Options */

struct options {
	struct input_options in;
	const char *output;
	bool json;
	const char *event;
	bool no_inline, no_chains;
	const struct export_format *format;
};

enum { OPT_EVENT = 256, OPT_NO_INLINE, OPT_NO_CALL_GRAPH, OPT_JSON };

static const struct argp_option option_table[] = {
	{ NULL, 0, NULL, 0, "Output:", 2 },
	{ "format", 'f', "FORMAT", 0,
	  "write folded, pprof, speedscope, firefox, html, csv, json or rows"
	  " (default: by the suffix of the output's name)", 0 },
	{ "output", 'o', "FILE", 0, "write to FILE (default: standard output)", 0 },
	{ "json", OPT_JSON, NULL, 0, "print JSON about what was written", 0 },
	{ "event", OPT_EVENT, "NAME", 0,
	  "use only samples of this event (default: pprof all events, others the first)", 0 },
	{ "no-inline", OPT_NO_INLINE, NULL, 0,
	  "leave out inlined functions, which need debug information", 0 },
	{ "no-call-graph", OPT_NO_CALL_GRAPH, NULL, 0,
	  "leave out callers, even if perf record -g recorded them", 0 },
	{ 0 }
};

static const struct plain_option plain[] = {
	CHILD_INPUT(struct options, in),
	SETS('o', struct options, output),
	SETS(OPT_JSON, struct options, json),
	SETS(OPT_EVENT, struct options, event),
	SETS(OPT_NO_INLINE, struct options, no_inline),
	SETS(OPT_NO_CALL_GRAPH, struct options, no_chains),
	NO_ARGUMENTS(INPUT_HINT),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'f':
		o->format = export_format_named(arg);
		if (!o->format)
			argp_error(state, "no format is called '%s'", arg);
		return 0;
	case ARGP_KEY_END:
		if (o->json && output_is_stdout(o->output))
			argp_error(state,
				   "--json describes the file of -o FILE; -f json exports as JSON");
		if (!o->format)
			o->format = export_format_of_file(o->output);
		if (!o->format)
			argp_error(state, "no --format, and no known suffix in the output's name");
		if (!o->format->write)
			argp_failure(state, EXIT_FAILED, 0,
				     "%s: built without protobuf-c; see 'pcsample version'",
				     o->format->name);
		return 0;
	}
	return plain_option(plain, key, arg, state);
}

static const struct argp_child children[] = { { &input_argp, 0, NULL, 1 }, { 0 } };

const struct argp export_argp = {
	.options = option_table,
	.parser = parse,
	.children = children,
	.doc = "Write a recording in the format of another tool, or as a page for a browser.\v"
	       "Examples:\n"
	       "  pcsample export -o profile.html\n"
	       "  pcsample export -o profile.pb.gz && go tool pprof -top profile.pb.gz\n"
	       "  pcsample export -f folded | flamegraph.pl > flame.svg",
};

/* One event */

/* A whole name counts before those that event_is_called() finds */
static bool is_named(const struct session *s, size_t i, const char *name, bool whole)
{
	const struct recorded_event *e = session_event(s, i);

	return !name || (whole ? !strcmp(name, e->name) : event_is_called(e, name));
}

/* Choose the event of --event, or the first with samples. Return: index; -1 after a message */
static int choose_event(const struct options *opt, const struct session *s,
			const struct aggregate *a)
{
	size_t nr = session_events(s), i;
	bool known = false;

	for (i = 0; i < 2 * nr; i++) {
		if (!is_named(s, i % nr, opt->event, i < nr))
			continue;
		known = true;
		if (a->blocks[i % nr].samples)
			return i % nr;
	}
	if (known && session_damage(s)[0])
		return -1;	/* input_close() reports the damage as the reason */
	if (known)
		fprintf(stderr, "pcsample export: %s: %s\n", session_path(s),
			a->left_out ? INPUT_NONE_CHOSEN :
				      "no samples to export; pcsample report says why");
	else
		fprintf(stderr, "pcsample export: %s: no event is called %s\n", session_path(s),
			opt->event);
	return -1;
}

static struct out out;

static int print_json(const struct options *opt, const struct export_job *job, u64 bytes)
{
	struct json j;
	int ret;

	out_init(&out, STDOUT_FILENO);
	json_begin(&j, &out, "pcsample-exported", 1);
	json_string(&j, "file", opt->output);
	json_string(&j, "format", opt->format->name);
	json_u64(&j, "bytes", bytes);
	json_u64(&j, "samples", export_samples(job));
	json_object(&j, "recording");
	export_recording(&j, job);
	json_object_end(&j);
	json_end(&j);
	ret = out_flush(&out);
	if (!ret)
		return EXIT_OK;
	fprintf(stderr, "pcsample export: standard output: %s\n", strerror(-ret));
	return EXIT_FAILED;
}

static int write_file(const struct options *opt, const struct export_job *job)
{
	struct output_file file;
	struct error err = { "" };
	struct stat st = { 0 };
	int ret;

	ret = output_file_open(&file, opt->output, opt->format->binary, &err);
	if (!ret) {
		out_init(&out, file.fd);
		ret = opt->format->write(job, &out, &err);
		if (!ret && out_flush(&out))
			ret = error_set(&err, out.error, "%s: %s", opt->output,
					strerror(-out.error));
		fstat(file.fd, &st);
		ret = output_file_close(&file, ret, &err);
	}
	if (!ret)
		return opt->json ? print_json(opt, job, st.st_size) : EXIT_OK;
	return ret == -EPIPE ? EXIT_FAILED : complain("pcsample export", &err);
}

/* Export callers if they were recorded and the format has a place for them */
static void choose_chains(const struct options *opt, struct export_job *job)
{
	size_t i;

	for (i = 0; i < job->nr_events; i++)
		job->chains |= callchain_recorded(session_event(job->s, job->events[i]));
	job->chains = job->chains && opt->format->stacks && !opt->no_chains;
}

static int by_samples(const void *a, const void *b, void *ctx)
{
	const struct stats_blocks *of = ctx;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	if (of[x].samples != of[y].samples)
		return of[x].samples < of[y].samples ? 1 : -1;
	return (x > y) - (x < y);
}

static int by_place(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

/*
 * List the events to export: job->event, and if the format has several and --event is not given,
 * all others with samples; if they are too many, those with the most samples, in the recording's
 * order. Return: a list from calloc(), or NULL
 */
static u32 *choose_events(const struct options *opt, struct export_job *job)
{
	size_t most = opt->event ? 0 : opt->format->events - 1, nr = 0, i;
	u32 *events = calloc(session_events(job->s) + 1, sizeof(*events)), *others = events + 1;

	if (!events)
		return NULL;
	for (i = 0; i < session_events(job->s); i++)
		if (i != job->event && job->total->blocks[i].samples)
			others[nr++] = i;
	if (nr > most) {
		qsort_r(others, nr, sizeof(*others), by_samples, job->total->blocks);
		nr = most;
		qsort(others, nr, sizeof(*others), by_place);
	}
	events[0] = job->event;
	job->events = events;
	job->nr_events = nr + 1;
	return events;
}

static void tell_not_shown(const char *line, void *ctx)
{
	fprintf(stderr, "pcsample export: not shown: %s\n", line);
}

static int export_job(const struct options *opt, struct export_job *job)
{
	u32 *events = choose_events(opt, job);
	int status = EXIT_FAILED;

	if (!events) {
		fprintf(stderr, "pcsample export: out of memory\n");
		return status;
	}
	choose_chains(opt, job);
	export_not_shown(job, tell_not_shown, NULL);
	status = write_file(opt, job);
	free(events);
	return status;
}

static int export(struct session *s, const struct options *opt)
{
	struct export_job job = {
		.s = s,
		.filter = opt->in.filtered ? &opt->in.filter : NULL,
		.demangle = opt->in.demangle,
		.inlined = !opt->no_inline,
		.table = opt->format->write == export_csv || opt->format->write == export_json,
	};
	struct error err = { "" };
	struct aggregate total;
	int status, event;

	if (input_check_output(&opt->in, opt->output, &err) ||
	    aggregate_run(&total, s, opt->format->by, job.filter, &err))
		return complain("pcsample export", &err);
	event = choose_event(opt, s, &total);
	job.total = &total;
	if (event >= 0)
		job = export_of_event(&job, event);
	status = event < 0 ? EXIT_NOTHING : export_job(opt, &job);
	aggregate_deinit(&total);
	return status;
}

int cmd_export(int argc, char **argv)
{
	struct options opt = { .output = "-" };
	int status = EXIT_FAILED;
	struct session *s;

	argp_parse(&export_argp, argc, argv, 0, NULL, &opt);
	s = input_open(&opt.in, argv[0]);
	if (s)
		status = input_close(s, argv[0], export(s, &opt));
	input_options_deinit(&opt.in);
	return status;
}
