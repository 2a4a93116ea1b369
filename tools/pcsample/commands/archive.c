// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample archive: pack a recording and the files with its code, to report on another machine.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "base/output-name.h"
#include "commands/command.h"
#include "commands/input-options.h"
#include "commands/plain-options.h"
#include "commands/terminal.h"
#include "profile/archive.h"

struct archive_options {
	struct input_options in;
	const char *output;
	bool all, json, quiet;
};

enum { OPT_ALL = 256, OPT_JSON };

static const struct argp_option option_table[] = {
	{ "output", 'o', "FILE", 0,
	  "write to FILE, - for standard output; a FILE.tar is not compressed (default: "
	  "INPUT.tar.zst, or perf.data.tar.zst of a pipe)", 0 },
	{ "all", OPT_ALL, NULL, 0, "also pack files that no sample, caller or branch is in", 0 },
	{ "quiet", 'q', NULL, 0, "print only errors and warnings", 0 },
	{ "json", OPT_JSON, NULL, 0, "print JSON about what was packed", 0 },
	{ 0 }
};

static const struct plain_option plain[] = {
	CHILD_INPUT(struct archive_options, in),
	SETS('o', struct archive_options, output),
	SETS('q', struct archive_options, quiet),
	SETS(OPT_ALL, struct archive_options, all),
	SETS(OPT_JSON, struct archive_options, json),
	NO_ARGUMENTS(INPUT_HINT),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct archive_options *o = state->input;

	switch (key) {
	case ARGP_KEY_END:
		if (o->json && o->output && output_is_stdout(o->output))
			argp_error(state, "--json and -o - both write to standard output");
		return 0;
	}
	return plain_option(plain, key, arg, state);
}

static const struct argp_child children[] = { { &input_whole_argp, 0, NULL, 1 }, { 0 } };

const struct argp archive_argp = {
	.options = option_table,
	.parser = parse,
	.children = children,
	.doc = "Pack a recording together with its programs, libraries and kernel symbols, for a "
	       "report on another machine.\v"
	       "Examples:\n"
	       "  pcsample archive\n"
	       "  pcsample report --archive perf.data.tar.zst\n"
	       "  pcsample archive -o - | ssh HOST pcsample report --archive -",
};

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return n >= k && !strcmp(text + n - k, end);
}

static int print_json(const char *output, const struct archive_result *r, u64 bytes)
{
	static struct out o;
	struct json j;

	out_init(&o, STDOUT_FILENO);
	json_begin(&j, &o, "pcsample-archive", 1);
	json_string(&j, "file", output);
	json_u64(&j, "bytes", bytes);
	json_u64(&j, "files", r->files);
	json_u64(&j, "debug_files", r->debug_files);
	json_u64(&j, "jit_files", r->jit_files);
	json_u64(&j, "missing", r->missing);
	json_u64(&j, "missing_samples", r->missing_samples);
	json_end(&j);
	return output_end(&o, "pcsample archive");
}

static void tell_missing(const struct session *s)
{
	size_t i;

	for (i = 0; i < session_dsos(s); i++)
		if (session_dso(s, i)->kind == DSO_FILE && dso_problem(session_dso(s, i))[0])
			fprintf(stderr, "pcsample archive: note: %s\n",
				dso_problem(session_dso(s, i)));
}

/* With a suffix, DIR/ and "." would be files in that directory, and ".." is no name, either */
static int name_input(char *name, const char *input)
{
	size_t len = strlen(input);
	const char *base;

	while (len > 1 && input[len - 1] == '/')
		len--;
	if (snprintf(name, PATH_MAX, "%.*s", (int)len, input) >= PATH_MAX)
		return -ENAMETOOLONG;
	base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	if (strcmp(base, ".") && strcmp(base, ".."))
		return 0;
	return realpath(input, name) ? 0 : -errno;
}

static int name_output(char *output, const struct archive_options *o)
{
	char name[PATH_MAX] = ARCHIVE_RECORDING;
	int n, ret = 0;

	if (o->output)
		return snprintf(output, PATH_MAX, "%s", o->output) < PATH_MAX ? 0 : -ENAMETOOLONG;
	if (!o->in.archive && strcmp(o->in.input, "-"))
		ret = name_input(name, o->in.input);
	if (ret)
		return ret;
	n = snprintf(output, PATH_MAX, "%s.tar%s", name, HAVE_ZSTD ? ".zst" : "");
	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int pack(struct session *s, const struct archive_options *o)
{
	struct archive_result r;
	struct tar_writer *w;
	struct error err;
	u64 bytes;
	char output[PATH_MAX];
	int ret, status = EXIT_OK;

	ret = name_output(output, o);
	if (ret) {
		fprintf(stderr, "pcsample archive: %s: %s\n", o->in.input, strerror(-ret));
		return EXIT_FAILED;
	}
	ret = input_check_output(&o->in, output, &err);
	if (!ret)
		ret = tar_create(&w, output, HAVE_ZSTD && !ends_in(output, ".tar"), &err);
	if (ret)
		return complain("pcsample archive", &err);
	ret = archive_pack(s, o->all, w, &r, &err);
	if (!ret)
		ret = tar_finish(w, &bytes, &err);
	tar_destroy(w);
	if (ret)
		return complain("pcsample archive", &err);
	if (o->json)
		status = print_json(output, &r, bytes);
	if (!o->quiet)
		tell_missing(s);
	if (!o->quiet && !o->json)
		fprintf(stderr,
			"[ pcsample archive: %u files and %u debug files, %u of generated code, %.1f MB in %s ]\n",
			r.files, r.debug_files, r.jit_files, bytes / 1e6, output);
	return status;
}

int cmd_archive(int argc, char **argv)
{
	struct archive_options o = { 0 };
	int status = EXIT_FAILED;
	struct session *s;

	argp_parse(&archive_argp, argc, argv, 0, NULL, &o);
	s = input_open(&o.in, argv[0]);
	if (s)
		status = input_close(s, argv[0], pack(s, &o));
	input_options_deinit(&o.in);
	return status;
}
