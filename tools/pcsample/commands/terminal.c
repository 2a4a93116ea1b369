// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/progress.h"
#include "commands/command.h"
#include "commands/terminal.h"

/* Colours */

static bool colors;

int color_when_parse(const char *text, enum color_when *when)
{
	static const char *const names[] = { "auto", "always", "never" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(text, names[i]))
			continue;
		*when = i;
		return 0;
	}
	return -EINVAL;
}

void terminal_set_color(enum color_when when)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	colors = when == COLOR_ALWAYS;
	if (when == COLOR_AUTO)
		colors = isatty(STDOUT_FILENO) && !(no_color && *no_color) && term &&
			 strcmp(term, "dumb");
}

void out_color(struct out *o, const char *sgr)
{
	if (!colors)
		return;
	out_text(o, "\033[");
	out_text(o, sgr);
	out_char(o, 'm');
}

void out_color_end(struct out *o)
{
	if (colors)
		out_text(o, "\033[m");
}

/* Progress */

/* When the first progress line appears, and how often it changes */
#define PROGRESS_AFTER_NS	1000000000
#define PROGRESS_EACH_NS	100000000

static struct {
	int fd;
	bool shares_terminal;	/* with standard output */
	bool drawn, stopped;
	u64 start, last;
	pthread_mutex_t lock;

	/* For wait_progress(): a thread draws this once PROGRESS_AFTER_NS have passed */
	bool waiting, has_thread;
	const char *what;
	char name[300];
	pthread_cond_t wake;
} line = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER };

static void draw_progress(const char *what, const char *name, u64 done, u64 total)
{
	struct winsize size = { .ws_col = 80 };
	char text[512];
	size_t n;

	n = snprintf(text, sizeof(text), "%s%s%.300s", what, name ? " " : "", name ? name : "");
	clean_text(text, n);
	if (total)
		snprintf(text + n, sizeof(text) - n, " %3.0f %%", 100.0 * min(done, total) / total);
	else if (done)
		snprintf(text + n, sizeof(text) - n, " %.1f MB", done / 1e6);
	if (ioctl(line.fd, TIOCGWINSZ, &size) || !size.ws_col)
		size.ws_col = 80;
	line.drawn = dprintf(line.fd, "\r%.*s\033[K", size.ws_col - 1, text) > 0 || line.drawn;
}

static void clear_progress(void)
{
	if (line.drawn)
		dprintf(line.fd, "\r\033[K");
	line.drawn = false;
}

/* If another thread holds the lock, skip this update: the next follows soon */
static void show_progress(const char *what, const char *name, u64 done, u64 total)
{
	u64 now = now_ns();

	if (now - line.start < PROGRESS_AFTER_NS || pthread_mutex_trylock(&line.lock))
		return;
	if (!line.stopped && now - line.last >= PROGRESS_EACH_NS) {
		draw_progress(what, name, done, total);
		line.last = now;
	}
	pthread_mutex_unlock(&line.lock);
}

static void *draw_waiting(void *unused)
{
	pthread_mutex_lock(&line.lock);
	for (;;) {
		u64 passed = now_ns() - line.start;

		if (!line.waiting) {
			pthread_cond_wait(&line.wake, &line.lock);
		} else if (passed < PROGRESS_AFTER_NS) {
			pthread_mutex_unlock(&line.lock);
			usleep((PROGRESS_AFTER_NS - passed) / 1000 + 1);
			pthread_mutex_lock(&line.lock);
		} else {
			if (!line.stopped)
				draw_progress(line.what, line.name, 0, 0);
			line.waiting = false;
		}
	}
	return NULL;
}

/* Block signals in the thread: others handle them. Without the thread, no line is drawn. */
static bool start_thread(void)
{
	sigset_t all, old;
	pthread_t thread;
	bool started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	started = !pthread_create(&thread, NULL, draw_waiting, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (started)
		pthread_detach(thread);
	return started;
}

static void wait_progress(const char *what, const char *name)
{
	pthread_mutex_lock(&line.lock);
	line.what = what;
	snprintf(line.name, sizeof(line.name), "%s", name);
	line.waiting = true;
	if (!line.has_thread)
		line.has_thread = start_thread();
	pthread_cond_signal(&line.wake);
	pthread_mutex_unlock(&line.lock);
}

static void end_progress(void)
{
	pthread_mutex_lock(&line.lock);
	line.waiting = false;
	clear_progress();
	pthread_mutex_unlock(&line.lock);
}

static void stop_progress(void)
{
	if (!line.shares_terminal)
		return;
	pthread_mutex_lock(&line.lock);
	clear_progress();
	line.stopped = true;
	pthread_mutex_unlock(&line.lock);
}

void terminal_start_progress(void)
{
	static const struct progress_listener listener = {
		.show = show_progress, .wait = wait_progress, .end = end_progress,
		.output = stop_progress,
	};
	const char *term = getenv("TERM");

	if (!isatty(STDERR_FILENO) || !term || !strcmp(term, "dumb"))
		return;
	/* Duplicate it: terminal_start_pager() may redirect standard error to the pager */
	line.fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (line.fd < 0)
		return;
	line.shares_terminal = isatty(STDOUT_FILENO);
	line.start = now_ns();
	progress_listener = &listener;
}

/* The pager */

static pid_t pager;
static const char *pager_name;
static int pager_errors = -1;		/* standard error, which may go to the pager */

/* The shell's status is 126 for a command that it cannot run, 127 for one that it does not find */
static void wait_for_pager(void)
{
	int status = 0;

	fflush(stdout);
	close(STDOUT_FILENO);
	fflush(stderr);
	close(STDERR_FILENO);
	while (waitpid(pager, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127))
		dprintf(pager_errors, "pcsample: the pager '%s' does not run; see the output with "
			"--no-pager\n", pager_name);
}

/* @died: closed by a successful execl(); gets a byte if that fails */
static void run_pager(const char *command, int input, int died)
{
	dup2(input, STDIN_FILENO);
	close(input);
	/* As in git: quit if the text fits on a screen, pass colours, do not clear the screen */
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, NULL);
	if (write(died, "", 1) != 1)
		_exit(126);
	_exit(127);
}

/* Small systems have none */
static bool have_less(void)
{
	const char *path = getenv("PATH"), *dir = path ? path : "";
	char name[PATH_MAX];
	size_t n;

	for (; *dir; dir += n + (dir[n] == ':')) {
		n = strcspn(dir, ":");
		if (snprintf(name, sizeof(name), "%.*s/less", (int)n, dir) < (int)sizeof(name) &&
		    !access(name, X_OK))
			return true;
	}
	return false;
}

static const char *pager_command(const char *command)
{
	if (!command)
		command = getenv("PCSAMPLE_PAGER");
	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = have_less() ? "less" : "";
	return *command && strcmp(command, "cat") ? command : NULL;
}

void terminal_start_pager(const char *command)
{
	int text[2], died[2];
	char c;

	command = pager_command(command);
	if (!command || !isatty(STDOUT_FILENO) || pipe2(text, O_CLOEXEC))
		return;
	if (pipe2(died, O_CLOEXEC)) {
		close(text[0]);
		close(text[1]);
		return;
	}
	fflush(stdout);
	pager = fork();
	if (!pager)
		run_pager(command, text[0], died[1]);
	close(text[0]);
	close(died[1]);
	if (pager > 0 && read(died[0], &c, 1) != 1) {
		pager_name = command;
		pager_errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		/* If the user quits the pager early, output fails with EPIPE instead of a signal */
		signal(SIGPIPE, SIG_IGN);
		dup2(text[1], STDOUT_FILENO);
		if (isatty(STDERR_FILENO))
			dup2(text[1], STDERR_FILENO);
		atexit(wait_for_pager);
	}
	close(text[1]);
	close(died[0]);
}

/* Standard output and error */

int output_end(struct out *o, const char *command)
{
	int ret = out_flush(o);

	if (ret && ret != -EPIPE)
		fprintf(stderr, "%s: standard output: %s\n", command, strerror(-ret));
	return ret ? EXIT_FAILED : EXIT_OK;
}

int complain(const char *command, const struct error *err)
{
	fprintf(stderr, "%s: %s\n", command, err->text);
	return EXIT_FAILED;
}

static void check_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return;
	if (errno != EPIPE)
		fprintf(stderr, "pcsample: standard output: %s\n", strerror(errno));
	_exit(EXIT_FAILED);
}

void output_check_at_exit(void)
{
	atexit(check_stdout);
}
