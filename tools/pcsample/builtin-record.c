// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample record: sample, and write a perf.data.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "capture-options.h"
#include "lib/capture-explain.h"
#include "lib/capture-recorder.h"

/* Longest time that records stay in the rings, ms */
#define PUMP_MS	100

struct record_options {
	struct capture_options capture;
	const char *output;
	bool quiet;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->capture;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "write to FILE, - for standard output (default: perf.data)",
	  0 },
	{ "quiet", 'q', NULL, 0, "say nothing unless something is wrong", 0 },
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
	       " COMMAND's; 2 if there was not a single sample; 1 if it could not be done.\n\n"
	       "Examples:\n"
	       "  pcsample record -a -- sleep 10\n"
	       "  pcsample record -C 2 -F 1000 --duration 5\n"
	       "  pcsample record -e cpu-clock -- make",
	.children = children,
};

static int complain(const struct error *err)
{
	fprintf(stderr, "pcsample record: %s\n", err->text);
	return EXIT_FAILED;
}

/* Return: exit status */
static int sum_up(const struct record_options *o, const struct recorder_config *config,
		  const struct recorder_result *result, bool complete)
{
	struct error why;

	if (!complete && result->counts.samples)
		fprintf(stderr, "pcsample record: what came before is in %s\n", config->output);
	if (result->lost)
		fprintf(stderr,
			"pcsample record: %llu records were lost: the ring buffers were full; raise -m or lower -F\n",
			(unsigned long long)result->lost);
	if (!result->counts.samples) {
		explain_no_samples(&config->capture.event, result->counts.discarded,
				   result->has_ledger ? &result->ledgers->total : NULL, &why);
		complain(&why);
		return EXIT_NOTHING;
	}
	if (!o->quiet && complete)
		fprintf(stderr, "[ pcsample record: %llu samples in %.1f s, %.1f MB in %s ]\n",
			(unsigned long long)result->counts.samples, result->duration / 1e9,
			result->bytes / 1e6, config->output);
	return EXIT_OK;
}

static void print_notes(const struct record_options *o, const struct recorder *recorder)
{
	const char *text = recorder_notes(recorder), *end;

	for (; !o->quiet && *text; text = end + 1) {
		end = strchr(text, '\n');
		fprintf(stderr, "pcsample record: note: %.*s\n", (int)(end - text), text);
	}
}

/* From the first sample to the complete file */
static int record(const struct record_options *o, const struct recorder_config *config,
		  struct recorder *recorder, struct run *run)
{
	struct recorder_result result;
	struct error err, stop_err;
	int ret, stopped, status = EXIT_OK;

	ret = recorder_start(recorder, &err);
	if (!ret)
		ret = run_start(run, &err);
	while (ret >= 0 && run_goes_on(run))
		ret = recorder_pump(recorder, PUMP_MS, &err);
	stopped = recorder_stop(recorder, &result, &stop_err);
	if (ret < 0)
		status = complain(&err);
	else if (stopped == -ENODATA)
		complain(&stop_err);
	else if (stopped)
		status = complain(&stop_err);
	if (status == EXIT_OK || result.counts.samples)
		ret = sum_up(o, config, &result, status == EXIT_OK);
	return status ? status : ret;
}

static int run_record(const struct record_options *o, struct recorder_config *config)
{
	struct recorder *recorder = NULL;
	const pid_t *tasks;
	struct error err;
	struct run run;
	unsigned int nr;
	int ret, status = EXIT_FAILED;

	ret = recorder_create(&recorder, config, &err);
	if (ret)
		return complain(&err);
	ret = run_prepare(&run, &o->capture, &err);
	if (!ret) {
		tasks = run_tasks(&run, &nr);
		ret = recorder_open(recorder, tasks, nr, &err);
	}
	if (ret) {
		complain(&err);
	} else {
		print_notes(o, recorder);
		run_keep_away(recorder_capture(recorder), &config->capture);
		status = record(o, config, recorder, &run);
	}
	recorder_destroy(recorder);
	return run_finish(&run, status);
}

/* The words of the command line: argv[0] is two of them */
static char **command_line(int argc, char **argv)
{
	static char tool[] = "pcsample", command[] = "record";
	char **line = calloc(argc + 2, sizeof(*line));

	if (!line)
		return NULL;
	line[0] = tool;
	line[1] = command;
	memcpy(line + 2, argv + 1, (argc - 1) * sizeof(*line));
	return line;
}

int cmd_record(int argc, char **argv)
{
	struct record_options o = { .output = "perf.data" };
	struct recorder_config config = { 0 };
	struct error err;
	char **line;
	int status;

	argp_parse(&record_argp, argc, argv, ARGP_IN_ORDER, NULL, &o);
	if (capture_options_resolve(&o.capture, &config.capture, &err))
		return complain(&err);
	line = command_line(argc, argv);
	if (!line)
		return EXIT_FAILED;
	config.output = o.output;
	config.argv = line;
	config.tool = "pcsample " PCSAMPLE_VERSION;
	status = run_record(&o, &config);
	free(line);
	free(o.capture.pids);
	return status;
}
