// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "terminal.h"

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

bool terminal_color(void)
{
	return colors;
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

/* The pager */

static pid_t pager;

static void wait_for_pager(void)
{
	fflush(stdout);
	close(STDOUT_FILENO);
	fflush(stderr);
	close(STDERR_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}

/* @died is closed when the pager was executed, and gets a byte when it could not be */
static void run_pager(const char *command, int input, int died)
{
	dup2(input, STDIN_FILENO);
	close(input);
	/* As git: quit if it fits on a screen, pass colours through, leave the text there */
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, NULL);
	if (write(died, "", 1) != 1)
		_exit(126);
	_exit(127);
}

static const char *pager_command(const char *command)
{
	if (!command)
		command = getenv("PCSAMPLE_PAGER");
	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = "less";
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
		/* Who leaves the pager early ends the output, not with a signal */
		signal(SIGPIPE, SIG_IGN);
		dup2(text[1], STDOUT_FILENO);
		if (isatty(STDERR_FILENO))
			dup2(text[1], STDERR_FILENO);
		atexit(wait_for_pager);
	}
	close(text[1]);
	close(died[0]);
}
