// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample record: sample CPUs or a command, and write a perf.data.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/output-name.h"
#include "capture/diagnose.h"
#include "capture/recorder.h"
#include "capture/spool.h"
#include "commands/capture-options.h"
#include "commands/command.h"
#include "commands/plain-options.h"
#include "export/export.h"

/* Longest time that records stay in the rings, ms */
#define PUMP_MS	100

/* @unconverted: a recording of @spool could not be exported */
struct record_options {
	struct capture_options capture;
	const char *output;
	bool quiet, json, no_files;
	u64 every;
	struct spool spool;
	bool unconverted;
};

#define SPOOL_BYTES	(1ULL << 30)

enum { OPT_EVERY = 512, OPT_SPOOL, OPT_SPOOL_SIZE, OPT_FORMAT, OPT_JSON, OPT_NO_FILES };

/* Read a size such as "500M" */
static bool parse_bytes(u64 *bytes, const char *text)
{
	static const char units[] = "KMGT";
	const char *unit, *end;

	if (!plain_number(bytes, text, (1 << 24) - 1, &end))
		return false;
	unit = *end ? strchr(units, *end) : NULL;
	if (*end && (!unit || end[1]))
		return false;
	*bytes <<= unit ? 10 * (unit - units + 1) : 0;
	return *bytes;
}

static void parse_format(struct record_options *o, const char *name, struct argp_state *state)
{
	const struct export_format *format = export_format_named(name);

	o->spool.format = NULL;
	if (!strcmp(name, "data"))
		return;
	if (!format)
		argp_error(state, "no format is called '%s'", name);
	if (!format->write)
		argp_failure(state, EXIT_FAILED, 0,
			     "%s: built without what it needs; see 'pcsample version'", name);
	o->spool.format = format->name;
	o->spool.suffix = format->suffix;
}

static void check_options(const struct record_options *o, struct argp_state *state)
{
	if (o->json && output_is_stdout(o->output))
		argp_error(state, "--json and -o - both write to standard output");
	if (!!o->every != !!o->spool.path)
		argp_error(state, "--every and --spool go together");
	if (o->spool.format && !o->every)
		argp_error(state, "--format needs --spool; 'pcsample export' converts a recording");
}

static const struct plain_option plain[] = {
	CHILD_INPUT(struct record_options, capture),
	SETS('o', struct record_options, output),
	SETS('q', struct record_options, quiet),
	SETS(OPT_JSON, struct record_options, json),
	SETS(OPT_NO_FILES, struct record_options, no_files),
	SETS(OPT_SPOOL, struct record_options, spool.path),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_options *o = state->input;

	switch (key) {
	case OPT_EVERY:
		if (!capture_parse_duration(&o->every, arg))
			argp_error(state, "--every %s: not a time such as 60s, 5m", arg);
		return 0;
	case OPT_SPOOL_SIZE:
		if (!parse_bytes(&o->spool.bytes_max, arg))
			argp_error(state, "--spool-size %s: not a size such as 500M, 2G", arg);
		return 0;
	case OPT_FORMAT:
		parse_format(o, arg, state);
		return 0;
	case ARGP_KEY_END:
		check_options(o, state);
		return 0;
	}
	return plain_option(plain, key, arg, state);
}

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "write to FILE, - for standard output (default: perf.data)",
	  0 },
	{ "every", OPT_EVERY, "TIME", 0,
	  "start a new file every TIME, such as 60s or 5m; needs --spool", 0 },
	{ "spool", OPT_SPOOL, "DIR", 0, "put each complete file of --every into DIR", 0 },
	{ "spool-size", OPT_SPOOL_SIZE, "SIZE", 0,
	  "remove the oldest files when DIR exceeds SIZE, such as 500M (default: 1G)", 0 },
	{ "format", OPT_FORMAT, "FORMAT", 0,
	  "convert each file of --every to a format of 'pcsample export', such as pprof (default: "
	  "data, no conversion)", 0 },
	{ "no-files", OPT_NO_FILES, NULL, 0,
	  "do not copy deleted files and files of containers into the recording", 0 },
	{ "json", OPT_JSON, NULL, 0,
	  "print JSON about each file when it is complete, to standard output", 0 },
	{ "quiet", 'q', NULL, 0, "print only errors and warnings", 0 },
	{ 0 }
};

static const struct argp_child children[] = { { &capture_argp, 0, NULL, 0 }, { 0 } };

const struct argp record_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[-- COMMAND [ARG...]]",
	.doc = "Sample CPUs, or COMMAND, and write a perf.data for 'pcsample report' and"
	       " 'perf report'."
	       "\vWithout COMMAND it records until Ctrl-C or --duration. The exit status is"
	       " COMMAND's; 2 if there was not a single sample; 1 after an error.\n\n"
	       "Examples:\n"
	       "  pcsample record -a -- sleep 10\n"
	       "  pcsample record -C 2 -F 1000 --duration 5\n"
	       "  pcsample record -e cpu-clock -- make\n"
	       "  pcsample record -a -F 49 --every 60s --spool /var/lib/pcsample --format pprof",
	.children = children,
};

static void json_notes(struct json *j, const char *text)
{
	const char *end;
	char line[512];

	json_array(j, "notes");
	for (; *text; text = end + 1) {
		end = strchr(text, '\n');
		snprintf(line, sizeof(line), "%.*s", (int)(end - text), text);
		json_string(j, NULL, line);
	}
	json_array_end(j);
}

/* The JSON about a file that is not complete yet: programs wait for it to use the file */
static struct out announced;

static void write_json(const struct recorder *recorder, const struct recorder_result *result,
		       const char *file, bool complete)
{
	struct json j;

	out_init(&announced, STDOUT_FILENO);
	json_begin(&j, &announced, "pcsample-record", 1);
	json_string(&j, "file", file);
	json_bool(&j, "complete", complete);
	json_u64(&j, "bytes", result->bytes);
	json_string(&j, "event", capture_events(recorder_capture(recorder))[0].name);
	json_u64(&j, "duration_ns", result->duration);
	json_u64(&j, "samples", result->counts.samples);
	json_u64(&j, "discarded", result->counts.discarded);
	json_u64(&j, "lost", result->lost);
	if (result->has_ledger)
		ledger_json(&j, &result->ledgers->total);
	json_notes(&j, recorder_notes(recorder));
	json_end(&j);
}

/* Return: status */
static int print_line(void)
{
	struct error err;
	int ret;

	if (!announced.used)
		return EXIT_OK;
	ret = out_flush(&announced);
	if (!ret)
		return EXIT_OK;
	error_set(&err, ret, "standard output: %s", strerror(-ret));
	return complain("pcsample record", &err);
}

/* Report losses and the size of the recording. Return: exit status */
static int sum_up(const struct record_options *o, const struct recorder_config *config,
		  const struct recorder_result *result, bool complete)
{
	struct error why;

	if (!complete && result->counts.samples)
		fprintf(stderr, "pcsample record: the samples until then are in %s\n",
			config->output);
	if (result->lost)
		fprintf(stderr,
			"pcsample record: %llu records were lost: the ring buffers were full; raise -m or lower -F\n",
			(unsigned long long)result->lost);
	if (!result->counts.samples) {
		explain_no_samples(&config->capture.event, result->counts.discarded,
				   result->has_ledger ? &result->ledgers->total : NULL, &why);
		complain("pcsample record", &why);
		return EXIT_NOTHING;
	}
	if (!o->quiet && !o->json && complete)
		fprintf(stderr, "[ pcsample record: %llu samples in %.1f s, %.1f MB in %s ]\n",
			(unsigned long long)result->counts.samples, result->duration / 1e9,
			result->bytes / 1e6, config->output);
	return EXIT_OK;
}

/*
 * Print notes that were not printed yet.
 * @told: number of bytes of the notes that were printed; updated
 * @failure: error that ended the recording. It is among the notes, but was printed already.
 */
static void print_notes(const struct record_options *o, const struct recorder *recorder,
			size_t *told, const struct error *failure)
{
	const char *text = recorder_notes(recorder) + *told, *end;
	size_t len = strlen(failure->text);

	*told += strlen(text);
	for (; !o->quiet && *text; text = end + 1) {
		end = strchr(text, '\n');
		if (end - text != len || memcmp(text, failure->text, len))
			fprintf(stderr, "pcsample record: note: %.*s\n", (int)(end - text), text);
	}
}

/*
 * Complete the file.
 * @failure: error that ended the recording and was printed, or empty; receives an error of
 *	completing the file
 *
 * Return: exit status.
 */
static int finish(struct recorder *recorder, struct recorder_result *result,
		  struct error *failure)
{
	struct error err = { "" };
	int stopped = recorder_stop(recorder, result, &err);

	if (stopped && strcmp(err.text, failure->text)) {
		complain("pcsample record", &err);
		*failure = err;
	}
	return stopped && stopped != -ENODATA ? EXIT_FAILED : EXIT_OK;
}

/* Sample until run_goes_on() ends it, and complete the file. Return: exit status */
static int record(const struct record_options *o, const struct recorder_config *config,
		  struct recorder *recorder, struct run *run)
{
	struct recorder_result result;
	int ret, status = EXIT_OK, stopped;
	struct error err = { "" }, ended;
	size_t told = 0;

	print_notes(o, recorder, &told, &err);
	run_keep_away(recorder_capture(recorder), &config->capture);
	ret = recorder_start(recorder, &err);
	if (!ret)
		ret = run_start(run, &err);
	while (ret >= 0 && run_goes_on(run))
		ret = recorder_pump(recorder, PUMP_MS, &err);
	if (ret < 0)
		status = complain("pcsample record", &err);
	ended = err;
	stopped = finish(recorder, &result, &err);
	status = status ? status : stopped;
	print_notes(o, recorder, &told, ended.text[0] ? &ended : &err);
	if (status == EXIT_OK || result.counts.samples)
		ret = sum_up(o, config, &result, status == EXIT_OK);
	if (o->json) {
		write_json(recorder, &result, config->output, !status);
		status = print_line() ?: status;
	}
	return status ? status : ret;
}

/* --every: one recording after the other */

/*
 * The recorder and file of an interval. The next recorder is opened and started while this one
 * still samples, so that no sample is missing between two files. Opening takes longest.
 */
struct interval {
	struct recorder_config config;
	struct recorder *recorder;
	char path[PATH_MAX];
	u64 end;
};

static int begin_interval(const struct record_options *o, const struct recorder_config *config,
			  struct interval *in, struct error *err)
{
	int ret;

	in->config = *config;
	in->config.output = in->path;
	spool_part(&o->spool, in->path);
	ret = recorder_create(&in->recorder, &in->config, err);
	if (!ret)
		ret = recorder_open(in->recorder, NULL, 0, err);
	if (!ret)
		ret = recorder_start(in->recorder, err);
	in->end = now_ns() + o->every;
	if (ret) {
		recorder_destroy(in->recorder);
		in->recorder = NULL;
		unlink(in->path);
	}
	return ret;
}

/*
 * If the last file is complete, print its line.
 * @wait: until its export has ended
 *
 * An export that failed, perhaps as memory was short, does not end a recorder that is to run for
 * months: it would lose more, and its recording is kept. Return: status
 */
static int finish_file(struct record_options *o, bool wait)
{
	struct error err;
	int ret = spool_finish(&o->spool, wait, &err);

	if (ret == SPOOL_EXPORTING)
		return EXIT_OK;
	if (!ret)
		return print_line();
	out_init(&announced, STDOUT_FILENO);
	o->unconverted |= ret == SPOOL_UNCONVERTED;
	complain("pcsample record", &err);
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}

/* Put the file of an interval into the spool, or remove it if it has no samples. Return: status */
static int keep_interval(struct record_options *o, struct interval *in,
			 const struct recorder_result *result, int status)
{
	bool complete = !status;
	struct error err;

	if (result->lost)
		fprintf(stderr, "pcsample record: %s: %llu records were lost\n", in->path,
			(unsigned long long)result->lost);
	if (!result->counts.samples) {
		fprintf(stderr, "pcsample record: %s: no samples; the file was removed\n",
			in->path);
		unlink(in->path);
		return status;
	}
	status = finish_file(o, true) ?: status;
	if (spool_keep(&o->spool, in->path, &err))
		return complain("pcsample record", &err);
	if (o->json)
		write_json(in->recorder, result, o->spool.whole, complete);
	return finish_file(o, false) ?: status;
}

/* @failure: as for finish(). Return: exit status */
static int end_interval(struct record_options *o, struct interval *in, struct error *failure)
{
	struct recorder_result result;
	int status;

	status = finish(in->recorder, &result, failure);
	status = keep_interval(o, in, &result, status);
	recorder_destroy(in->recorder);
	in->recorder = NULL;
	return status;
}

static int record_intervals(struct record_options *o, const struct recorder_config *config,
			    struct run *run)
{
	struct interval in[2] = { 0 };
	unsigned int i = 0;
	size_t told = 0;
	struct error err = { "" }, ended = { "" };
	int ret, status = EXIT_OK;

	ret = begin_interval(o, config, &in[0], &err);
	if (!ret) {
		print_notes(o, in[0].recorder, &told, &err);
		run_keep_away(recorder_capture(in[0].recorder), &config->capture);
		ret = run_start(run, &err);
	}
	while (ret >= 0 && !status && run_goes_on(run)) {
		ret = recorder_pump(in[i].recorder, PUMP_MS, &err);
		status = finish_file(o, false);
		if (ret < 0 || now_ns() < in[i].end)
			continue;
		ret = begin_interval(o, config, &in[!i], &err);
		status = end_interval(o, &in[i], &ended) ?: status;
		i = !i;
	}
	if (ret < 0)
		status = complain("pcsample record", &err);
	/* Also after an error, complete the file of the last interval */
	if (in[i].recorder)
		ret = end_interval(o, &in[i], &err);
	recorder_destroy(in[0].recorder);
	recorder_destroy(in[1].recorder);
	return status ? status : ret;
}

static int run_spool(struct record_options *o, const struct recorder_config *config)
{
	int status = EXIT_FAILED;
	struct error err;
	struct run run;

	if (!config->capture.system_wide) {
		error_set(&err, -EINVAL, "--every records whole CPUs: add -a");
		return complain("pcsample record", &err);
	}
	if (spool_open(&o->spool, &err))
		return complain("pcsample record", &err);
	if (run_prepare(&run, &o->capture, &err))
		return complain("pcsample record", &err);
	status = record_intervals(o, config, &run);
	status = finish_file(o, true) ?: status;
	spool_close(&o->spool);
	if (o->unconverted)
		status = EXIT_FAILED;
	return run_finish(&run, status);
}

static int run_record(const struct record_options *o, struct recorder_config *config)
{
	struct recorder *recorder = NULL;
	const pid_t *tasks;
	struct error err;
	struct run run;
	unsigned int nr;
	int ret, status;

	ret = recorder_create(&recorder, config, &err);
	if (ret)
		return complain("pcsample record", &err);
	ret = run_prepare(&run, &o->capture, &err);
	if (!ret) {
		tasks = run_tasks(&run, &nr);
		ret = recorder_open(recorder, tasks, nr, &err);
	}
	status = ret ? complain("pcsample record", &err) : record(o, config, recorder, &run);
	recorder_destroy(recorder);
	return run_finish(&run, status);
}

/* The command line for the recording. argv[0] has two or three words, which are separate here. */
static char **command_line(int argc, char **argv, bool profexc)
{
	static char tool[] = "pcsample", group[] = "profexc", command[] = "record";
	char **line = calloc(argc + 3, sizeof(*line)), **word = line;

	if (!line)
		return NULL;
	*word++ = tool;
	if (profexc)
		*word++ = group;
	*word++ = command;
	memcpy(word, argv + 1, (argc - 1) * sizeof(*line));
	return line;
}

int record_profexc(int argc, char **argv, const char *event)
{
	struct record_options o = { .output = "perf.data", .spool.bytes_max = SPOOL_BYTES,
				    .capture.default_event = event };
	struct recorder_config config = { 0 };
	struct error err;
	char **line;
	int status;

	argp_parse(&record_argp, argc, argv, ARGP_IN_ORDER, NULL, &o);
	if (capture_options_resolve(&o.capture, &config.capture, &err))
		return complain("pcsample record", &err);
	line = command_line(argc, argv, event);
	if (!line)
		return EXIT_FAILED;
	config.output = o.output;
	config.argv = line;
	config.tool = "pcsample " PCSAMPLE_VERSION;
	config.keep_files = !o.no_files;
	status = o.every ? run_spool(&o, &config) : run_record(&o, &config);
	free(line);
	free(o.capture.pids);
	return status;
}

int cmd_record(int argc, char **argv)
{
	return record_profexc(argc, argv, NULL);
}
