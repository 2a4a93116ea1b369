// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample top: show live what the CPUs execute.
 *
 * Samples are written to a temporary recording. Each refresh reads its last seconds like those of
 * any recording, so that symbols are found as in report. A large recording is replaced by a new
 * one.
 */
#include <argp.h>
#include <limits.h>
#include <locale.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/temporary.h"
#include "capture/recorder.h"
#include "commands/capture-options.h"
#include "commands/command.h"
#include "commands/plain-options.h"
#include "profile/rows.h"

/* Longest time until a key is handled, ms */
#define PUMP_MS		50
#define FILE_BYTES	(32U << 20)	/* a recording is replaced when it has grown so much */
#define BARS_MAX	8	/* lines with bars of CPUs */
#define NAME_WIDTH	16
#define OBJECT_WIDTH	24

/* Options */

struct top_options {
	struct capture_options capture;
	u64 delay, window;
	u64 iterations;
	bool json;
};

enum { OPT_WINDOW = 512, OPT_JSON };

static const struct plain_option plain[] = {
	CHILD_INPUT(struct top_options, capture),
	SETS(OPT_JSON, struct top_options, json),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct top_options *o = state->input;

	switch (key) {
	case 'd':
		if (!capture_parse_duration(&o->delay, arg))
			argp_error(state, "-d %s: not a time such as 2, 500ms", arg);
		return 0;
	case 'n':
		if (!plain_number(&o->iterations, arg, UINT64_MAX, NULL) || !o->iterations)
			argp_error(state, "-n %s: not a number of refreshes", arg);
		return 0;
	case OPT_WINDOW:
		if (!capture_parse_duration(&o->window, arg))
			argp_error(state, "--window %s: not a time such as 5, 1m", arg);
		return 0;
	}
	return plain_option(plain, key, arg, state);
}

static const struct argp_option options[] = {
	{ "delay", 'd', "TIME", 0, "refresh the screen every TIME (default: 2s)", 0 },
	{ "window", OPT_WINDOW, "TIME", 0, "show the samples of the last TIME (default: 5s)", 0 },
	{ "iterations", 'n', "N", 0, "stop after N refreshes", 0 },
	{ "json", OPT_JSON, NULL, 0,
	  "print one line of JSON at each refresh in place of the screen", 0 },
	{ 0 }
};

static const struct argp_child children[] = { { &capture_argp, 0, NULL, 0 }, { 0 } };

const struct argp top_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[-- COMMAND [ARG...]]",
	.doc = "Show live which commands, objects and functions the CPUs execute.\v"
	       "Keys: q quits; s, c, o and f sort by share, command, object and function; r reverses"
	       " the order; / filters by text; p pauses; arrows and page keys scroll.\n\n"
	       "Examples:\n"
	       "  pcsample top\n"
	       "  pcsample top -C 2 -F 1000 --window 10\n"
	       "  pcsample top -e cpu-clock\n"
	       "  pcsample top --json -n 1 --delay 1",
	.children = children,
};

/* What is shown */

struct row {
	char comm[NAME_WIDTH + 1], object[256], symbol[256];
	char level;
	u64 samples, weight;
	double share;
	struct stats_interval interval;
};

enum sort_key { BY_SHARE, BY_COMMAND, BY_OBJECT, BY_FUNCTION };

static const char *const sort_names[] = { "share", "command", "object", "function" };

struct top {
	const struct top_options *opt;
	struct recorder_config config;
	struct recorder *recorder;
	char dir[PATH_MAX - 32], path[PATH_MAX];
	unsigned int recordings;
	u64 at_start;	/* bytes of the recording before the first sample */
	struct error err;
	u64 started;

	/* as of the last refresh */
	struct row *row;
	size_t nr, cap;
	u64 samples, span;
	u64 *cpu_samples;
	size_t nr_cpus, cpus_cap;

	enum sort_key sort;
	bool reverse, paused;
	char filter[64];
	bool typing;
	size_t first;
};

/* Sampling */

static void name_recording(struct top *t)
{
	snprintf(t->path, sizeof(t->path), "%s/%u.data", t->dir, t->recordings++);
}

static int open_recording(struct top *t, const pid_t *tasks, unsigned int nr)
{
	int ret;

	name_recording(t);
	t->config.output = t->path;
	ret = recorder_create(&t->recorder, &t->config, &t->err);
	if (!ret)
		ret = recorder_open(t->recorder, tasks, nr, &t->err);
	if (!ret)
		t->at_start = recorder_bytes(t->recorder);
	return ret;
}

/* Replace a large recording by a new one; the samples of the old one are no longer counted */
static int renew_recording(struct top *t)
{
	int ret;

	unlink(t->path);
	name_recording(t);
	t->started = now_ns();
	ret = recorder_renew(t->recorder, t->path, &t->err);
	if (!ret)
		t->at_start = recorder_bytes(t->recorder);
	return ret;
}

/* Counting */

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct row *x = a, *y = b;
	const struct top *t = arg;
	int order = 0;

	if (t->sort == BY_COMMAND)
		order = strcmp(x->comm, y->comm);
	else if (t->sort == BY_OBJECT)
		order = strcmp(x->object, y->object);
	else if (t->sort == BY_FUNCTION)
		order = strcmp(x->symbol, y->symbol);
	if (!order)
		order = (y->weight > x->weight) - (y->weight < x->weight);
	return t->reverse ? -order : order;
}

static void sort_rows(struct top *t)
{
	if (t->nr)
		qsort_r(t->row, t->nr, sizeof(*t->row), compare_rows, t);
}

static bool passes(const struct top *t, const struct row *row)
{
	return strcasestr(row->comm, t->filter) || strcasestr(row->object, t->filter) ||
	       strcasestr(row->symbol, t->filter);
}

static int take_rows(struct top *t, struct report *r)
{
	char buf[REPORT_TEXT_MAX];
	struct place p;
	struct row *row;
	size_t i;

	t->nr = 0;
	if (mem_grow(&t->row, &t->cap, r->nr))
		return -ENOMEM;
	for (i = 0; i < r->nr; i++) {
		aggregate_place(&r->a->hist, report_entry(r, i)->key, &p);
		row = &t->row[t->nr++];
		snprintf(row->comm, sizeof(row->comm), "%s", report_comm(r->s, &p, buf));
		snprintf(row->object, sizeof(row->object), "%s", session_dso(r->s, p.dso)->name);
		snprintf(row->symbol, sizeof(row->symbol), "%s", report_symbol(r, &p, buf));
		row->level = report_level(&p);
		row->samples = report_counts(r, i)->count;
		row->weight = report_entry(r, i)->weight;
		row->share = r->weight ? (double)row->weight / r->weight : 0;
		row->interval = stats_share(&r->blocks, row->samples, report_counts(r, i)->squares,
					    row->weight);
	}
	return 0;
}

static int take_cpus(struct top *t, const struct aggregate *a)
{
	if (mem_grow(&t->cpu_samples, &t->cpus_cap, max(t->nr_cpus, a->nr_cpus)))
		return -ENOMEM;
	if (t->cpus_cap)
		memset(t->cpu_samples, 0, t->cpus_cap * sizeof(*t->cpu_samples));
	t->nr_cpus = max(t->nr_cpus, a->nr_cpus);
	if (a->nr_cpus)
		memcpy(t->cpu_samples, a->cpu_samples, a->nr_cpus * sizeof(*t->cpu_samples));
	t->samples = a->samples;
	return 0;
}

static int count(struct top *t, struct session *s)
{
	u64 now = now_ns(), from = max(t->started, now > t->opt->window ? now - t->opt->window : 0);
	struct aggregate_filter filter = { .from = from, .to = ~0ULL };
	struct aggregate a;
	struct report r;
	int ret;

	ret = aggregate_run(&a, s, BY_COMM | BY_DSO | BY_SYM, &filter, &t->err);
	if (ret)
		return ret;
	t->span = now - from;
	ret = take_cpus(t, &a);
	if (!ret)
		ret = report_init(&r, s, &a, -1, NULL, true);
	if (!ret) {
		ret = take_rows(t, &r);
		report_deinit(&r);
	}
	aggregate_deinit(&a);
	return ret ? error_set(&t->err, ret, "out of memory") : 0;
}

static int refresh_counts(struct top *t)
{
	struct session_options where = { .threads = 1 };
	struct session *s;
	int ret;

	ret = recorder_flush(t->recorder, &t->err);
	if (!ret)
		ret = session_open(&s, t->path, &where, &t->err);
	if (ret)
		return ret;
	ret = count(t, s);
	session_close(s);
	sort_rows(t);
	return ret;
}

/* The screen */

enum { COLOR_PAIR_USER = 1, COLOR_PAIR_KERNEL, COLOR_PAIR_HEAD };

/* Names are untrusted: do not print control characters and bytes above ASCII */
static void put_text(const char *text, int width)
{
	int i;

	for (i = 0; i < width && text[i]; i++)
		addch(text[i] < ' ' || text[i] > '~' ? '?' : text[i]);
	for (; i < width; i++)
		addch(' ');
}

static double busy(const struct top *t, unsigned int cpu)
{
	double hz = t->config.capture.freq, expected;

	if (!hz && t->config.capture.event.in_ns)
		hz = 1e9 / t->config.capture.period;
	expected = hz * t->span / 1e9;
	return expected > 0 && cpu < t->nr_cpus ? t->cpu_samples[cpu] / expected : 0;
}

static void draw_bar(const struct top *t, unsigned int cpu, int y, int x, int width)
{
	double part = min(busy(t, cpu), 1.0);
	int length = max(width - 16, 4), i;

	mvprintw(y, x, "CPU%-3u[", cpu);
	attron(COLOR_PAIR(COLOR_PAIR_USER));
	for (i = 0; i < length; i++)
		addch(i < part * length - 0.5 ? '|' : ' ');
	attroff(COLOR_PAIR(COLOR_PAIR_USER));
	printw("]%4.0f%%", part * 100);
}

/* Return: number of lines drawn */
static int draw_bars(const struct top *t, int y, int columns)
{
	const struct cpus *cpus = capture_targets(recorder_capture(t->recorder));
	int nr = cpus_count(cpus), across, lines, cpu, i = 0, width;

	across = nr > 1 && columns >= 100 ? 2 : 1;
	while (across * BARS_MAX < nr && columns / (across + 1) >= 24)
		across++;
	lines = min((nr + across - 1) / across, BARS_MAX);
	width = columns / across;
	cpus_for_each(cpu, cpus) {
		if (i >= lines * across)
			break;
		draw_bar(t, cpu, y + i % lines, i / lines * width, width);
		i++;
	}
	return lines;
}

static void draw_head(const struct top *t)
{
	mvprintw(0, 0, "pcsample top  %s  %llu samples of the last %.1f s",
		 capture_events(recorder_capture(t->recorder))[0].name,
		 (unsigned long long)t->samples, t->span / 1e9);
	printw("  sorted by %s%s", sort_names[t->sort], t->reverse ? ", reverse" : "");
	if (capture_lost(recorder_capture(t->recorder)))
		printw("  %llu lost", (unsigned long long)
		       capture_lost(recorder_capture(t->recorder)));
	if (t->paused)
		printw("  paused");
}

/* Width that remains for names beside shares, samples and gaps */
static int names_width(int columns)
{
	return max(columns - 42, 0);
}

static int comm_width(int columns)
{
	return min(names_width(columns) / 4, NAME_WIDTH);
}

static int object_width(int columns)
{
	return min(names_width(columns) / 3, OBJECT_WIDTH);
}

static void draw_titles(int y, int columns)
{
	int comm = comm_width(columns), object = object_width(columns);
	char titles[256];

	snprintf(titles, sizeof(titles),
		 "  Share   95 %% interval  Samples  %-*.*s  %-*.*s      Function", comm, comm,
		 "Command", object, object, "Object");
	mvprintw(y, 0, "%-*.*s", columns, columns, titles);
}

static void draw_row(const struct row *row, int y, int columns)
{
	move(y, 0);
	printw("%6.2f%% %6.2f -%6.2f %8llu  ", row->share * 100, row->interval.low * 100,
	       row->interval.high * 100, (unsigned long long)row->samples);
	put_text(row->comm, comm_width(columns));
	addstr("  ");
	put_text(row->object, object_width(columns));
	attron(COLOR_PAIR(row->level == '.' ? COLOR_PAIR_USER : COLOR_PAIR_KERNEL));
	printw("  [%c] ", row->level);
	attroff(COLOR_PAIR(row->level == '.' ? COLOR_PAIR_USER : COLOR_PAIR_KERNEL));
	put_text(row->symbol, max(columns - getcurx(stdscr) - 1, 0));
}

static void draw(struct top *t)
{
	int lines, columns, y;
	size_t i, shown = 0;

	getmaxyx(stdscr, lines, columns);
	erase();
	draw_head(t);
	y = 1 + draw_bars(t, 1, columns);
	attron(COLOR_PAIR(COLOR_PAIR_HEAD) | A_REVERSE);
	draw_titles(y, columns);
	attroff(COLOR_PAIR(COLOR_PAIR_HEAD) | A_REVERSE);
	for (i = 0; i < t->nr && y + 2 < lines; i++) {
		if (!passes(t, &t->row[i]) || shown++ < t->first)
			continue;
		y++;
		draw_row(&t->row[i], y, columns);
	}
	if (t->typing || t->filter[0])
		mvprintw(lines - 1, 0, "/%s%s", t->filter, t->typing ? "_" : "");
	else
		mvprintw(lines - 1, 0, "q quit  s c o f sort  r reverse  / filter  p pause");
	refresh();
}

/* JSON, a line for each refresh */

static void json_rows(struct json *j, const struct top *t)
{
	const struct row *row;
	size_t i;

	json_array(j, "rows");
	for (i = 0; i < t->nr; i++) {
		const char level[] = { t->row[i].level, 0 };

		row = &t->row[i];
		json_object(j, NULL);
		json_fixed(j, "share", row->share, 6);
		json_fixed(j, "low", row->interval.low, 6);
		json_fixed(j, "high", row->interval.high, 6);
		json_u64(j, "samples", row->samples);
		json_string(j, "comm", row->comm);
		json_string(j, "dso", row->object);
		json_string(j, "symbol", row->symbol);
		json_string(j, "level", level);
		json_object_end(j);
	}
	json_array_end(j);
}

static int print_json(struct top *t)
{
	const struct capture *capture = recorder_capture(t->recorder);
	static struct out o;
	struct json j;
	int cpu, ret;

	out_init(&o, STDOUT_FILENO);
	json_begin(&j, &o, "pcsample-top", 1);
	json_string(&j, "event", capture_events(capture)[0].name);
	json_u64(&j, "window_ns", t->span);
	json_u64(&j, "samples", t->samples);
	json_u64(&j, "lost", capture_lost(capture));
	json_array(&j, "cpus");
	cpus_for_each(cpu, capture_targets(capture)) {
		json_object(&j, NULL);
		json_u64(&j, "cpu", cpu);
		json_u64(&j, "samples", cpu < t->nr_cpus ? t->cpu_samples[cpu] : 0);
		json_fixed(&j, "busy", min(busy(t, cpu), 1.0), 4);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_rows(&j, t);
	json_end(&j);
	ret = out_flush(&o);
	return ret ? error_set(&t->err, ret, "standard output: %s", strerror(-ret)) : 0;
}

/* Keys */

static void type_filter(struct top *t, int key)
{
	size_t len = strlen(t->filter);

	if (key == '\n' || key == '\r' || key == KEY_ENTER) {
		t->typing = false;
	} else if (key == 27) {
		t->typing = false;
		t->filter[0] = '\0';
	} else if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
		t->filter[len - !!len] = '\0';
	} else if (key >= ' ' && key < 127 && len + 1 < sizeof(t->filter)) {
		t->filter[len] = key;
		t->filter[len + 1] = '\0';
	}
	t->first = 0;
}

/* Return: false to end the program */
static bool take_key(struct top *t, int key)
{
	static const char sort_keys[] = "scof";
	const char *sort = strchr(sort_keys, key);

	if (t->typing) {
		type_filter(t, key);
	} else if (key == 'q') {
		return false;
	} else if (key == '/') {
		t->typing = true;
		t->filter[0] = '\0';
	} else if (key == 'p') {
		t->paused = !t->paused;
	} else if (key == 'r') {
		t->reverse = !t->reverse;
		sort_rows(t);
	} else if (key > 0 && key < 128 && sort) {
		t->sort = sort - sort_keys;
		sort_rows(t);
	} else if (key == KEY_DOWN || key == KEY_NPAGE) {
		t->first = min(t->first + (key == KEY_DOWN ? 1 : LINES / 2), t->nr);
	} else if (key == KEY_UP || key == KEY_PPAGE) {
		t->first -= min(t->first, (size_t)(key == KEY_UP ? 1 : LINES / 2));
	} else if (key == KEY_HOME) {
		t->first = 0;
	}
	return true;
}

static void start_screen(void)
{
	setlocale(LC_CTYPE, "");
	initscr();
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	if (!has_colors() || (getenv("NO_COLOR") && *getenv("NO_COLOR")))
		return;
	start_color();
	use_default_colors();
	init_pair(COLOR_PAIR_USER, COLOR_GREEN, -1);
	init_pair(COLOR_PAIR_KERNEL, COLOR_RED, -1);
}

/* All of it */

/* Return: 0 or a negative errno with a message in t->err */
static int show(struct top *t, struct run *run)
{
	u64 next = t->opt->json ? now_ns() + t->opt->delay : 0, refreshes = 0;
	int key, ret = 0;

	while (ret >= 0 && run_goes_on(run)) {
		ret = recorder_pump(t->recorder, PUMP_MS, &t->err);
		if (ret >= 0 && now_ns() >= next && !t->paused) {
			ret = refresh_counts(t);
			next = now_ns() + t->opt->delay;
			if (!t->opt->json)
				draw(t);
			else if (!ret)
				ret = print_json(t);
			if (!ret && ++refreshes == t->opt->iterations)
				return 0;
		}
		if (ret >= 0 && recorder_bytes(t->recorder) - t->at_start > FILE_BYTES)
			ret = renew_recording(t);
		while (!t->opt->json && (key = getch()) != ERR) {
			if (!take_key(t, key))
				return 0;
			if (ret >= 0)
				draw(t);
		}
	}
	return min(ret, 0);
}

static int top(struct top *t, struct run *run)
{
	struct recorder_result result;
	struct error ignored;
	unsigned int nr;
	const pid_t *tasks = run_tasks(run, &nr);
	int ret;

	ret = temporary_directory(t->dir, sizeof(t->dir), "pcsample-top", &t->err);
	if (!ret)
		ret = open_recording(t, tasks, nr);
	if (!ret)
		ret = recorder_start(t->recorder, &t->err);
	if (!ret)
		ret = run_start(run, &t->err);
	t->started = now_ns();
	if (!ret) {
		run_keep_away(recorder_capture(t->recorder), &t->config.capture);
		if (!t->opt->json)
			start_screen();
		ret = show(t, run);
		if (!t->opt->json)
			endwin();
	}
	if (t->recorder && !ret)
		recorder_stop(t->recorder, &result, &ignored);
	recorder_destroy(t->recorder);
	unlink(t->path);
	rmdir(t->dir);
	free(t->row);
	free(t->cpu_samples);
	return ret ? complain("pcsample top", &t->err) : EXIT_OK;
}

int cmd_top(int argc, char **argv)
{
	struct top_options o = { .delay = 2000000000, .window = 5000000000 };
	static char tool[] = "pcsample", command[] = "top";
	char *line[] = { tool, command, NULL };
	struct top t = { .opt = &o };
	struct run run;
	int status;

	argp_parse(&top_argp, argc, argv, ARGP_IN_ORDER, NULL, &o);
	if (!o.json && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))) {
		fprintf(stderr, "pcsample top: needs a terminal; use --json, or pcsample record\n");
		return EXIT_FAILED;
	}
	if (capture_options_resolve(&o.capture, &t.config.capture, &t.err) ||
	    run_prepare(&run, &o.capture, &t.err))
		return complain("pcsample top", &t.err);
	t.config.argv = line;
	t.config.tool = "pcsample " PCSAMPLE_VERSION;
	status = top(&t, &run);
	free(o.capture.pids);
	run_finish(&run, 0);	/* ends the command; its exit status is ignored */
	return status;
}
