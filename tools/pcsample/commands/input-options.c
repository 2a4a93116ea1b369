// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output-name.h"
#include "base/temporary.h"
#include "commands/command.h"
#include "commands/input-options.h"
#include "commands/plain-options.h"
#include "profile/archive.h"
#include "profile/not-shown.h"
#include "profile/rows.h"

enum {
	OPT_SYMFS = 0x1000, OPT_DEBUGINFOD, OPT_KALLSYMS, OPT_THREADS, OPT_PID, OPT_TID,
	OPT_NO_DEMANGLE, OPT_ARCHIVE, OPT_TIME, OPT_CPU, OPT_COMMS, OPT_FILTER
};

/* Which recording to read; diff takes recordings as arguments instead */
static const struct argp_option file_options[] = {
	{ "input", 'i', "FILE", 0,
	  "read this recording, - for a pipe (default: a pipe that has one, or perf.data)", 0 },
	{ "archive", OPT_ARCHIVE, "FILE", 0,
	  "read what 'pcsample archive' packed, - for a pipe", 0 },
	TAKES_BACK("no-input", 'i'),
	{ 0 }
};

/* Where to find the files with its code and symbols */
static const struct argp_option place_options[] = {
	{ "symfs", OPT_SYMFS, "DIR", 0,
	  "look for all files below DIR; el3=FILE, el2=FILE, s-el1=FILE...: use FILE as the image "
	  "of the firmware or hypervisor at that level", 0 },
	{ "debuginfod", OPT_DEBUGINFOD, "URL", OPTION_ARG_OPTIONAL,
	  "fetch missing files from debuginfod servers ($DEBUGINFOD_URLS)", 0 },
	{ "kallsyms", OPT_KALLSYMS, "FILE", 0,
	  "read the symbols of the recorded kernel from FILE", 0 },
	{ "threads", OPT_THREADS, "N", 0, "use N threads (default: one for each CPU)", 0 },
	TAKES_BACK("no-symfs", OPT_SYMFS),
	TAKES_BACK("no-kallsyms", OPT_KALLSYMS),
	TAKES_BACK("no-threads", OPT_THREADS),
	{ 0 }
};

static const struct argp_option time_options[] = {
	{ "time", OPT_TIME, "RANGE", 0,
	  "use only samples in this time range: START,STOP in seconds, 0%-50%, or 10%/2, the second "
	  "of ten parts; several: 0%-10%,30%-40%, 10%/1,10%/2, or 'START,STOP START,STOP'", 0 },
	TAKES_BACK("no-time", OPT_TIME),
	{ 0 }
};

static const struct argp_option cpu_comm_options[] = {
	{ "cpu", 'C', "LIST", 0, "use only samples of these CPUs, such as 0,2-3", 0 },
	{ "comms", 'c', "NAME,...", 0, "use only samples of these commands", 0 },
	TAKES_BACK("no-cpu", OPT_CPU),
	TAKES_BACK("no-comms", OPT_COMMS),
	{ 0 }
};

/* In perf diff, -C is --comms, and --cpu has no letter */
static const struct argp_option pair_cpu_comm_options[] = {
	{ "cpu", OPT_CPU, "LIST", 0, "use only samples of these CPUs, such as 0,2-3", 0 },
	{ "comms", 'C', "NAME,...", 0, "use only samples of these commands", 0 },
	TAKES_BACK("no-cpu", OPT_CPU),
	TAKES_BACK("no-comms", OPT_COMMS),
	{ 0 }
};

static const struct argp_option sample_options[] = {
	{ "pid", OPT_PID, "PID,...", 0, "use only samples of these processes", 0 },
	{ "tid", OPT_TID, "TID,...", 0, "use only samples of these threads", 0 },
	{ "dsos", 'd', "NAME,...", 0,
	  "use only samples in these shared objects, by name or path", 0 },
	{ "filter", OPT_FILTER, "EXPRESSION", 0,
	  "use only samples of tracepoints whose fields match, such as "
	  "'prev_pid > 100 && prev_comm =~ \"sh.*\"'", 0 },
	{ "no-demangle", OPT_NO_DEMANGLE, NULL, 0,
	  "show symbol names as in the file (mangled)", 0 },
	TAKES_BACK("no-pid", OPT_PID),
	TAKES_BACK("no-tid", OPT_TID),
	TAKES_BACK("no-dsos", 'd'),
	TAKES_BACK("demangle", OPT_NO_DEMANGLE),
	{ 0 }
};

/* Limit on the length of a list */
#define LIST_MAX 65536

/* Read a list such as "0,2-3". Return: from malloc(), the numbers as s32 */
static void *parse_list(const char *text, size_t *ret_nr, struct argp_state *state)
{
	const char *all = text, *end;
	s32 *list = NULL;
	size_t cap = 0, nr = 0;
	u64 low, high;
	bool good;

	do {
		text += strspn(text, " ");
		good = plain_number(&low, text, INT32_MAX, &end);
		high = low;
		if (good && *end == '-')
			good = plain_number(&high, end + 1, INT32_MAX, &end);
		if (!good || (*end && *end != ',') || high < low || high - low + nr >= LIST_MAX)
			argp_error(state, "expected numbers such as 0,2-3, not '%s'", all);
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

/* Return the list in @arg, NULL for none, in place of @old */
static void *replace_list(const void *old, const char *arg, size_t *ret_nr,
			  struct argp_state *state)
{
	free((void *)old);
	*ret_nr = 0;
	return arg ? parse_list(arg, ret_nr, state) : NULL;
}

static unsigned int default_threads(void)
{
	return max(sysconf(_SC_NPROCESSORS_ONLN), 1L);
}

static void init(struct input_options *o)
{
	*o = (struct input_options){ .filter.to = TIME_MAX, .demangle = true };
	o->session.threads = default_threads();
}

/* libdebuginfod reads the servers from the environment only */
static void take_servers(struct input_options *o, const char *urls, struct argp_state *state)
{
	const char *set;

	if (urls)
		setenv("DEBUGINFOD_URLS", urls, true);
	set = getenv("DEBUGINFOD_URLS");
	if (!set || !*set)
		argp_error(state, "no servers: set DEBUGINFOD_URLS, or use --debuginfod=URL");
	o->session.ask_servers = true;
}

static void free_images(struct input_options *o)
{
	while (o->session.nr_images)
		image_option_free(&o->images[--o->session.nr_images]);
}

static bool is_root(const char *dir)
{
	struct stat st, root;

	return !stat(dir, &st) && !stat("/", &root) && st.st_dev == root.st_dev &&
	       st.st_ino == root.st_ino;
}

/*
 * As in perf, the running kernel is not looked at if DIR is another place. pcsample also takes "/",
 * for files of this machine that are not the recorded ones.
 */
static void take_directory(struct input_options *o, char *dir, struct argp_state *state)
{
	char *layout = strrchr(dir, ',');
	struct stat st;

	/* perf 7.1 has DIR,LAYOUT */
	if (layout && stat(dir, &st)) {
		if (!strcmp(layout, ",flat"))
			argp_failure(state, EXIT_USAGE, 0, "--symfs %s: files are looked for below "
				     "the directory at their full paths", dir);
		if (!strcmp(layout, ",hierarchy"))
			*layout = '\0';
	}
	o->session.symfs = dir;
	o->session.only_symfs = *dir && !is_root(dir);
}

/* --symfs is DIR, or LEVEL=FILE. @arg: NULL takes all of them back */
static void take_symfs(struct input_options *o, char *arg, struct argp_state *state)
{
	struct image_option image;

	if (!arg) {
		o->session.symfs = NULL;
		o->session.only_symfs = false;
		free_images(o);
		return;
	}
	switch (image_option_parse(arg, &image)) {
	case 0:
		break;
	case -ENOMEM:
		argp_failure(state, EXIT_FAILED, ENOMEM, "--symfs");
		return;
	default:
		take_directory(o, arg, state);
		return;
	}
	if (o->session.nr_images == IMAGES_MAX)
		argp_error(state, "more than %d images", IMAGES_MAX);
	o->images[o->session.nr_images++] = image;
	o->session.images = o->images;
}

static const struct plain_option plain[] = {
	SETS('i', struct input_options, input),
	SETS(OPT_ARCHIVE, struct input_options, archive),
	SETS(OPT_FILTER, struct input_options, fields),
	SETS(OPT_KALLSYMS, struct input_options, session.kallsyms),
	{ 0 }
};

/* --no-NAME, which has no @arg, is as if --NAME had not been given */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct input_options *o = state->input;
	bool set = !(key & UNSET);
	u64 threads;

	switch (key & ~UNSET) {
	case OPT_TIME:
		if (set)
			parse_time_option(&o->times, arg, "", state);
		else
			time_ranges_deinit(&o->times);
		o->timed = set;
		return 0;
	case OPT_COMMS:
		parse_names(&o->comms, "--comms", arg, state);
		return 0;
	case 'd':
		parse_names(&o->dsos, "--dsos", arg, state);
		return 0;
	case OPT_CPU:
		o->filter.cpus = replace_list(o->filter.cpus, arg, &o->filter.nr_cpus, state);
		return 0;
	case OPT_PID:
		o->filter.pids = replace_list(o->filter.pids, arg, &o->filter.nr_pids, state);
		return 0;
	case OPT_TID:
		o->filter.tids = replace_list(o->filter.tids, arg, &o->filter.nr_tids, state);
		return 0;
	case OPT_SYMFS:
		take_symfs(o, arg, state);
		return 0;
	case OPT_DEBUGINFOD:
		take_servers(o, arg, state);
		return 0;
	case OPT_NO_DEMANGLE:
		o->demangle = !set;
		return 0;
	case OPT_THREADS:
		threads = default_threads();
		if (set && (!plain_number(&threads, arg, 256, NULL) || !threads))
			argp_error(state, "expected 1 to 256 threads, not '%s'", arg);
		o->session.threads = threads;
		return 0;
	}
	return plain_option(plain, key, arg, state);
}

static error_t parse_cpu_comm(int key, char *arg, struct argp_state *state)
{
	return parse(key == 'C' ? OPT_CPU : key == 'c' ? OPT_COMMS : key, arg, state);
}

static error_t parse_pair_cpu_comm(int key, char *arg, struct argp_state *state)
{
	return parse(key == 'C' ? OPT_COMMS : key, arg, state);
}

static const struct argp file_argp = { .options = file_options, .parser = parse };
static const struct argp place_argp = { .options = place_options, .parser = parse };
static const struct argp time_argp = { .options = time_options, .parser = parse };
static const struct argp cpu_comm_argp = {
	.options = cpu_comm_options, .parser = parse_cpu_comm
};

static const struct argp pair_cpu_comm_argp = {
	.options = pair_cpu_comm_options, .parser = parse_pair_cpu_comm
};

static const struct argp sample_argp = { .options = sample_options, .parser = parse };

/* Commands use several of these parsers, which all fill the same struct */
static error_t begin(int key, struct argp_state *state, unsigned int children)
{
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	init(state->input);
	while (children)
		state->child_inputs[--children] = state->input;
	return 0;
}

static error_t begin_two(int key, char *arg, struct argp_state *state)
{
	return begin(key, state, 2);
}

static error_t begin_three(int key, char *arg, struct argp_state *state)
{
	return begin(key, state, 3);
}

static error_t begin_five(int key, char *arg, struct argp_state *state)
{
	return begin(key, state, 5);
}

const struct argp input_argp = {
	.parser = begin_five,
	.children = (const struct argp_child[]){
		{ &file_argp, 0, "Recording:", 1 }, { &place_argp, 0, "Files of symbols:", 2 },
		{ &time_argp, 0, "Samples:", 3 }, { &cpu_comm_argp, 0, "", 4 },
		{ &sample_argp, 0, "", 4 }, { 0 }
	},
};

const struct argp input_pair_argp = {
	.parser = begin_three,
	.children = (const struct argp_child[]){
		{ &place_argp, 0, "Files of symbols:", 2 },
		{ &pair_cpu_comm_argp, 0, "Samples:", 3 }, { &sample_argp, 0, "", 4 }, { 0 }
	},
};

const struct argp input_whole_argp = {
	.parser = begin_two,
	.children = (const struct argp_child[]){
		{ &file_argp, 0, "Recording:", 1 }, { &place_argp, 0, "Files of symbols:", 2 },
		{ 0 }
	},
};

void input_options_deinit(struct input_options *o)
{
	free_images(o);
	free((void *)o->filter.cpus);
	free((void *)o->filter.pids);
	free((void *)o->filter.tids);
	while (o->nr_wanted)
		free(o->wanted[--o->nr_wanted]);
	free(o->unnamed);
	time_ranges_deinit(&o->times);
	name_list_free(o->comms);
	name_list_free(o->dsos);
	while (o->nr_tracepoints)
		tracepoints_close(o->tracepoints[--o->nr_tracepoints]);
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

/*
 * Remove the directory when a signal ends the program. A thread waits for the signals, since
 * nftw() is not safe in a signal handler.
 */
static void *wait_for_signal(void *arg)
{
	const sigset_t *signals = arg;
	int sig;

	if (sigwait(signals, &sig))
		return NULL;
	remove_unpacked();
	signal(sig, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, signals, NULL);
	raise(sig);
	return NULL;
}

/* Call before other threads start: they inherit the mask. Ignored signals stay ignored. */
static void watch_signals(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	static sigset_t signals;
	struct sigaction now;
	pthread_t thread;
	size_t i;

	/* SIGPIPE goes to the thread that writes, not to sigwait(): have write(2) fail instead */
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&signals);
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (!sigaction(ends[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaddset(&signals, ends[i]);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	if (pthread_create(&thread, NULL, wait_for_signal, &signals))
		pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
	else
		pthread_detach(thread);
}

/*
 * Unpack the archive, and use its recording in place of -i. It is also the default of --symfs, and
 * of --kallsyms if it has kernel symbols.
 */
static int unpack(struct input_options *o, struct error *err)
{
	static char input[PATH_MAX + 16], kallsyms[PATH_MAX + 16];
	int ret, dir;

	ret = temporary_directory(unpacked_dir, sizeof(unpacked_dir), "pcsample", err);
	if (ret)
		return ret;
	atexit(remove_unpacked);
	watch_signals();
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
	o->session.name = strcmp(o->archive, "-") ? o->archive : "standard input";
	if (!o->session.symfs)
		o->session.symfs = unpacked_dir;
	if (!o->session.kallsyms && !access(kallsyms, R_OK))
		o->session.kallsyms = kallsyms;
	return ret;
}

/* Filters, translated to the ids of the recording */

static bool *make_wanted(struct input_options *o, size_t nr)
{
	bool *wanted = NULL;

	if (o->nr_wanted < ARRAY_SIZE(o->wanted))
		wanted = calloc(nr + 1, sizeof(*wanted));
	if (wanted)
		o->wanted[o->nr_wanted++] = wanted;
	o->filtered = true;
	return wanted;
}

/* Find chosen threads without a name: report_comm() calls them ":TID", or "swapper" for TID 0 */
static int find_unnamed(struct input_options *o)
{
	size_t cap = 0, nr = 0, i;
	const char *p;
	s32 tid;

	if (o->unnamed)
		return 0;
	for (i = 0; i < o->comms->nr; i++) {
		p = o->comms->name[i];
		if (*p != ':' && strcmp(p, "swapper"))
			continue;
		tid = *p == ':' ? strtol(p + 1, NULL, 10) & ~COMM_UNNAMED : 0;
		if (mem_grow(&o->unnamed, &cap, nr + 1))
			return -ENOMEM;
		o->unnamed[nr++] = tid;
	}
	o->filter.unnamed = o->unnamed;
	o->filter.nr_unnamed = nr;
	return 0;
}

static int find_comms(struct input_options *o, const struct session *s)
{
	size_t nr = session_comms(s), i;
	bool *wanted = make_wanted(o, nr);

	for (i = 0; wanted && i < nr; i++)
		wanted[i] = name_list_has(o->comms, session_comm(s, i));
	o->filter.comms = wanted;
	return wanted ? find_unnamed(o) : -ENOMEM;
}

static int find_dsos(struct input_options *o, const struct session *s)
{
	bool *wanted = make_wanted(o, session_dsos(s));
	size_t i;

	for (i = 0; wanted && i < session_dsos(s); i++)
		wanted[i] = name_list_has(o->dsos, session_dso(s, i)->name) ||
			    name_list_has(o->dsos, session_dso(s, i)->path);
	o->filter.dsos = wanted;
	return wanted ? 0 : -ENOMEM;
}

int input_tracepoints(struct input_options *o, struct session *s, struct error *err)
{
	int ret;

	if (o->filter.tracepoints)
		return 0;
	ret = tracepoints_open(&o->filter.tracepoints, s, err);
	if (ret)
		return ret;
	o->tracepoints[o->nr_tracepoints++] = o->filter.tracepoints;
	o->filtered = true;
	return 0;
}

static int set_filter(struct input_options *o, struct session *s, struct error *err)
{
	u64 first = 0, last = 0;
	int ret = 0;

	o->filter.tracepoints = NULL;
	if (o->filter.nr_cpus || o->filter.nr_pids || o->filter.nr_tids)
		o->filtered = true;
	if (o->timed) {
		session_span(s, &first, &last);
		ret = time_ranges_resolve(&o->times, first, last, &o->filter);
		o->filtered = true;
	}
	if (!ret && o->comms)
		ret = find_comms(o, s);
	if (!ret && o->dsos)
		ret = find_dsos(o, s);
	if (ret)
		return error_set(err, ret, "out of memory");
	if (!o->fields)
		return 0;
	ret = input_tracepoints(o, s, err);
	return ret ? ret : tracepoints_filter(o->filter.tracepoints, o->fields, err);
}

void parse_names(struct name_list **list, const char *name, const char *arg,
		 struct argp_state *state)
{
	struct error err;

	name_list_free(*list);
	*list = NULL;
	if (arg && name_list_new(list, arg, &err))
		argp_failure(state, EXIT_FAILED, 0, "%s: %s", name, err.text);
}

void parse_time_option(struct time_ranges *r, const char *arg, const char *more,
		       struct argp_state *state)
{
	int ret;

	time_ranges_deinit(r);
	ret = time_ranges_parse(r, arg);
	if (ret == -ENOMEM)
		argp_failure(state, EXIT_FAILED, ENOMEM, "--time");
	if (ret)
		argp_error(state, "expected START,STOP, 0%%-50%% or 10%%/2, or several of a kind, "
			   "%snot '%s'", more, arg);
}

double parse_percentage(const char *arg, struct argp_state *state)
{
	char *end;
	double share = strtod(arg, &end) / 100;

	/* Not "inf", nor "-0" */
	if ((!isdigit((unsigned char)*arg) && *arg != '.') || end == arg ||
	    (*end && strcmp(end, "%")))
		argp_error(state, "expected a percentage, not '%s'", arg);
	return share;
}

size_t parse_count(const char *arg, struct argp_state *state)
{
	u64 n;

	if (!plain_number(&n, arg, SIZE_MAX, NULL) || !n)
		argp_error(state, "expected a number from 1 up, not '%s'", arg);
	return n;
}

/* Fail if a file or folder is not there: names would be missing, and only report would say so */
static int check_places(const struct input_options *o, struct error *err)
{
	const char *symfs = o->session.symfs, *kallsyms = o->session.kallsyms;
	int dir;

	if (kallsyms && access(kallsyms, R_OK))
		return error_set(err, -errno, "%s: %s", kallsyms, strerror(errno));
	if (!symfs || !*symfs)
		return 0;
	dir = open(symfs, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return error_set(err, -errno, "--symfs %s: %s", symfs, strerror(errno));
	close(dir);
	return 0;
}

/* Fields that options choose samples by, and how perf records them */
static const struct needed {
	u64 type;
	const char *option, *what, *records;
} needed[] = {
	{ PERF_SAMPLE_CPU, "--cpu", "CPU", "perf record --sample-cpu" },
	{ PERF_SAMPLE_TIME, "--time", "time", "perf record -T" },
	{ PERF_SAMPLE_TID, "--pid and --tid", "process", "perf record" },
};

static bool is_needed(const struct input_options *o, const struct needed *n)
{
	switch (n->type) {
	case PERF_SAMPLE_CPU:
		return o->filter.nr_cpus;
	case PERF_SAMPLE_TIME:
		return o->timed || o->timed_elsewhere;
	}
	return o->filter.nr_pids || o->filter.nr_tids;
}

/*
 * Do the samples have what options choose them by? As in perf it is an error if none does. If those
 * of an event do not, they are all left out: say so.
 */
static int check_field(const struct session *s, const struct needed *n, const char *command,
		       struct error *err)
{
	const struct recorded_event *e, *without = NULL;
	unsigned int nr = 0, nr_without = 0;
	size_t i;

	for (i = 0; i < session_events(s); i++) {
		e = session_event(s, i);
		if (!perfdata_event_samples(e))
			continue;
		nr++;
		if (e->attr.sample_type & n->type)
			continue;
		without = e;
		nr_without++;
	}
	if (!without)
		return 0;
	if (nr == nr_without)
		return error_set(err, -EINVAL, "%s: %s: no sample has its %s; %s records it",
				 session_path(s), n->option, n->what, n->records);
	fprintf(stderr, "%s: not shown: %s: samples of %s", command, n->option, without->name);
	if (nr_without > 1)
		fprintf(stderr, " and %u more events", nr_without - 1);
	fprintf(stderr, ", as they do not have their %s\n", n->what);
	return 0;
}

static int check_fields(const struct input_options *o, const struct session *s,
			const char *command, struct error *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < ARRAY_SIZE(needed); i++)
		if (is_needed(o, &needed[i]))
			ret = check_field(s, &needed[i], command, err);
	return ret;
}

/* The first bytes of a pipe, which stay in it. Return: how many there are by now */
static size_t peek(u64 *first)
{
	ssize_t n = 0;
	int copy[2];

	if (pipe2(copy, O_CLOEXEC))
		return 0;
	if (tee(STDIN_FILENO, copy[1], sizeof(*first), 0) > 0)
		n = read(copy[0], first, sizeof(*first));
	close(copy[0]);
	close(copy[1]);
	return max(n, (ssize_t)0);
}

#define QUIET_MS	2000
#define PEEKS_MAX	100

/* Does standard input begin as a recording does? */
static bool is_recording_piped(const char *command)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	unsigned int i;
	u64 first = 0;
	size_t n;

	if (!poll(&in, 1, QUIET_MS)) {
		fprintf(stderr, "%s: waiting for a recording on standard input; -i FILE reads a "
			"file\n", command);
		poll(&in, 1, -1);
	}
	/* Who writes it may write byte by byte */
	for (i = 0; (n = peek(&first)) && n < sizeof(first) && i < PEEKS_MAX; i++)
		usleep(10000);
	return n == sizeof(first) && perfdata_is_magic(first);
}

/*
 * As in perf, what is piped into a command is its recording: a perf.data of an earlier run is not
 * what the user asks for. But a command in the loop of a script may have the script's pipe.
 */
static const char *find_input(const char *command)
{
	struct stat st;

	if (fstat(STDIN_FILENO, &st) || !S_ISFIFO(st.st_mode))
		return "perf.data";
	if (is_recording_piped(command))
		return "-";
	fprintf(stderr, "%s: no recording is piped in: reading perf.data\n", command);
	return "perf.data";
}

struct session *input_open(struct input_options *o, const char *command)
{
	struct error err = { "" };
	struct session *s;

	if (check_places(o, &err))
		goto fail;
	if (o->archive && unpack(o, &err))
		goto fail;
	if (!o->input)
		o->input = find_input(command);
	if (!*o->input) {
		error_set(&err, -EINVAL, "the name of the recording is empty: -i FILE");
		goto fail;
	}
	if (session_open(&s, o->input, &o->session, &err))
		goto fail;
	if (!check_fields(o, s, command, &err) && !set_filter(o, s, &err))
		return s;
	session_close(s);
fail:
	complain(command, &err);
	return NULL;
}

static bool is_input(const struct input_options *o, const struct stat *st)
{
	const char *path = o->archive ? o->archive : o->input;
	struct stat in;
	int ret = strcmp(path, "-") ? stat(path, &in) : fstat(STDIN_FILENO, &in);

	return !ret && in.st_dev == st->st_dev && in.st_ino == st->st_ino;
}

int input_check_output(const struct input_options *o, const char *output, struct error *err)
{
	struct stat st;

	if (output_is_stdout(output) || stat(output, &st) || !S_ISREG(st.st_mode) ||
	    !is_input(o, &st))
		return 0;
	return error_set(err, -EEXIST, "%s: is the recording itself; give another name with -o",
			 output);
}

static void tell_not_shown(const char *line, void *ctx)
{
	fprintf(stderr, "%s: not shown: %s\n", (const char *)ctx, line);
}

void input_tell_not_shown(const struct session *s, const char *command, unsigned int shows)
{
	not_shown(s, shows, tell_not_shown, (void *)command);
}

int input_close(struct session *s, const char *command, int status)
{
	if (session_damage(s)[0]) {
		fprintf(stderr, "%s: %s\n", command, session_damage(s));
		status = EXIT_FAILED;
	}
	if (session_server_problem(s)[0])
		fprintf(stderr, "%s: %s\n", command, session_server_problem(s));
	session_close(s);
	return status;
}
