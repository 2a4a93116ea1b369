// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "builtin.h"
#include "input-options.h"
#include "lib/archive.h"

enum {
	OPT_SYMFS = 0x1000, OPT_KALLSYMS, OPT_THREADS, OPT_PID, OPT_TID, OPT_NO_DEMANGLE,
	OPT_ARCHIVE
};

static const struct argp_option option_table[] = {
	{ NULL, 0, NULL, 0, "Input:", 1 },
	{ "cpu", 'C', "LIST", 0, "only samples of these CPUs, as 0,2-3", 0 },
	{ "pid", OPT_PID, "PID,...", 0, "only samples of these processes", 0 },
	{ "tid", OPT_TID, "TID,...", 0, "only samples of these threads", 0 },
	{ "symfs", OPT_SYMFS, "DIR", 0, "look for all files below DIR", 0 },
	{ "kallsyms", OPT_KALLSYMS, "FILE", 0, "symbols of the recorded kernel", 0 },
	{ "no-demangle", OPT_NO_DEMANGLE, NULL, 0, "names of symbols as their files have them", 0 },
	{ "threads", OPT_THREADS, "N", 0, "threads to read with (one for each CPU)", 0 },
	{ 0 }
};

/* What a command does not have whose recordings are arguments */
static const struct argp_option file_option_table[] = {
	{ "input", 'i', "FILE", 0, "recording to read, - for a pipe (perf.data)", 1 },
	{ "archive", OPT_ARCHIVE, "FILE", 0,
	  "recording and files that pcsample archive packed, - for a pipe", 1 },
	{ 0 }
};

/* More of a list than anybody means */
#define LIST_MAX 65536

/* "0,2-3" */
static void *parse_list(const char *text, size_t *ret_nr, struct argp_state *state)
{
	unsigned long low, high;
	s32 *list = NULL;
	size_t cap = 0, nr = 0;
	char *end;

	do {
		low = strtoul(text, &end, 10);
		high = low;
		if (*end == '-' && end > text) {
			text = end + 1;
			high = strtoul(text, &end, 10);
		}
		if (end == text || (*end && *end != ',') || high < low || high > INT32_MAX ||
		    high - low + nr >= LIST_MAX)
			argp_error(state, "expected numbers as 0,2-3, not '%s'", text);
		for (; low <= high; low++) {
			if (mem_grow(&list, &cap, nr + 1))
				argp_failure(state, EXIT_FAILED, ENOMEM, "list");
			list[nr++] = low;
		}
		text = end + 1;
	} while (*end);
	*ret_nr = nr;
	return list;
}

static void init(struct input_options *o)
{
	*o = (struct input_options){ .input = "perf.data", .filter.to = TIME_MAX,
				     .demangle = true };
	o->session.threads = max(sysconf(_SC_NPROCESSORS_ONLN), 1L);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct input_options *o = state->input;
	char *end;

	switch (key) {
	case ARGP_KEY_INIT:
		init(o);
		return 0;
	case 'C':
		free((void *)o->filter.cpus);
		o->filter.cpus = parse_list(arg, &o->filter.nr_cpus, state);
		o->filtered = true;
		return 0;
	case OPT_PID:
		free((void *)o->filter.pids);
		o->filter.pids = parse_list(arg, &o->filter.nr_pids, state);
		o->filtered = true;
		return 0;
	case OPT_TID:
		free((void *)o->filter.tids);
		o->filter.tids = parse_list(arg, &o->filter.nr_tids, state);
		o->filtered = true;
		return 0;
	case OPT_SYMFS:
		o->session.symfs = arg;
		return 0;
	case OPT_KALLSYMS:
		o->session.kallsyms = arg;
		return 0;
	case OPT_NO_DEMANGLE:
		o->demangle = false;
		return 0;
	case OPT_THREADS:
		o->session.threads = strtoul(arg, &end, 10);
		if (end == arg || *end || !o->session.threads || o->session.threads > 256)
			argp_error(state, "expected 1 to 256 threads, not '%s'", arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_file(int key, char *arg, struct argp_state *state)
{
	struct input_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = o;
		return 0;
	case 'i':
		o->input = arg;
		return 0;
	case OPT_ARCHIVE:
		o->archive = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp input_pair_argp = { .options = option_table, .parser = parse };

static const struct argp_child file_children[] = { { &input_pair_argp, 0, NULL, 0 }, { 0 } };

const struct argp input_argp = {
	.options = file_option_table,
	.parser = parse_file,
	.children = file_children,
};

void input_options_deinit(struct input_options *o)
{
	free((void *)o->filter.cpus);
	free((void *)o->filter.pids);
	free((void *)o->filter.tids);
}

/* Archives */

static char unpacked_dir[PATH_MAX];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static void remove_unpacked(void)
{
	nftw(unpacked_dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Signals that end the program leave no directory behind */
static void on_signal(int sig)
{
	remove_unpacked();
	signal(sig, SIG_DFL);
	raise(sig);
}

static int make_directory(struct error *err)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	const char *tmp = getenv("TMPDIR");
	size_t i;

	snprintf(unpacked_dir, sizeof(unpacked_dir), "%s/pcsample-XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(unpacked_dir))
		return error_set(err, -errno, "%s: %s", unpacked_dir, strerror(errno));
	atexit(remove_unpacked);
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], on_signal);
	return 0;
}

/* What is in the archive takes the place of -i, --symfs and, if it has symbols, --kallsyms */
static int unpack(struct input_options *o, struct error *err)
{
	static char input[PATH_MAX + 16], kallsyms[PATH_MAX + 16];
	int ret, dir;

	ret = make_directory(err);
	if (ret)
		return ret;
	dir = open(unpacked_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return error_set(err, -errno, "%s: %s", unpacked_dir, strerror(errno));
	ret = tar_unpack(o->archive, dir, err);
	snprintf(input, sizeof(input), "%s/" ARCHIVE_RECORDING, unpacked_dir);
	snprintf(kallsyms, sizeof(kallsyms), "%s/" ARCHIVE_KALLSYMS, unpacked_dir);
	if (!ret && faccessat(dir, ARCHIVE_RECORDING, R_OK, 0))
		ret = error_set(err, -EINVAL, "%s: has no " ARCHIVE_RECORDING, o->archive);
	close(dir);
	o->input = input;
	if (!o->session.symfs)
		o->session.symfs = unpacked_dir;
	if (!o->session.kallsyms && !access(kallsyms, R_OK))
		o->session.kallsyms = kallsyms;
	return ret;
}

double parse_percentage(const char *arg, struct argp_state *state)
{
	char *end;
	double share = strtod(arg, &end) / 100;

	if (end == arg || *end || !(share >= 0))
		argp_error(state, "expected a percentage, not '%s'", arg);
	return share;
}

struct session *input_open(struct input_options *o, const char *command)
{
	struct error err = { "" };
	struct session *s;

	if (o->archive && unpack(o, &err)) {
		fprintf(stderr, "%s: %s\n", command, err.text);
		return NULL;
	}
	if (!session_open(&s, o->input, &o->session, &err))
		return s;
	fprintf(stderr, "%s: %s\n", command, err.text);
	return NULL;
}

int input_close(struct session *s, const char *command, int status)
{
	if (s->pd->damage.text[0]) {
		fprintf(stderr, "%s: %s\n", command, s->pd->damage.text);
		status = EXIT_FAILED;
	}
	session_close(s);
	return status;
}
