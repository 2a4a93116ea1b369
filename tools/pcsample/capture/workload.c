// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/workload.h"

/* Wait for the parent's byte to start; an end of file means that the parent died */
static void __attribute__((noreturn)) run_child(int go, int failed, char *const *argv)
{
	ssize_t n;
	int code;
	char c;

	do {
		n = read(go, &c, 1);
	} while (n < 0 && errno == EINTR);
	if (n == 1) {
		execvp(argv[0], argv);
		code = errno;
		if (write(failed, &code, sizeof(code)) < 0)
			_exit(126);
	}
	_exit(127);
}

int workload_prepare(struct workload *w, char *const *argv, struct error *err)
{
	int go[2], failed[2];

	memset(w, 0, sizeof(*w));
	if (pipe2(go, O_CLOEXEC))
		return error_set(err, -errno, "%s: cannot make a pipe: %s", argv[0],
				 strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return error_set(err, -errno, "%s: cannot make a pipe: %s", argv[0],
				 strerror(errno));
	}
	w->pid = fork();
	if (!w->pid) {
		close(go[1]);
		close(failed[0]);
		run_child(go[0], failed[1], argv);
	}
	close(go[0]);
	close(failed[1]);
	w->go = go[1];
	w->failed = failed[0];
	if (w->pid > 0)
		return 0;
	close(w->go);
	close(w->failed);
	w->pid = 0;
	return error_set(err, -errno, "%s: cannot fork: %s", argv[0], strerror(errno));
}

int workload_start(struct workload *w, const char *name, struct error *err)
{
	int code = 0;
	ssize_t n;

	if (write(w->go, "", 1) != 1)
		return error_set(err, -errno, "%s: cannot start it: %s", name, strerror(errno));
	close(w->go);
	w->go = -1;
	do {
		n = read(w->failed, &code, sizeof(code));
	} while (n < 0 && errno == EINTR);
	close(w->failed);
	w->failed = -1;
	if (n != sizeof(code))
		return 0;
	waitpid(w->pid, &w->status, 0);
	w->ended = true;
	return error_set(err, -code, "%s: cannot run it: %s", name, strerror(code));
}

bool workload_started(const struct workload *w)
{
	return w->go < 0;
}

bool workload_ended(struct workload *w)
{
	if (!w->ended && w->pid)
		w->ended = waitpid(w->pid, &w->status, WNOHANG) == w->pid;
	return w->ended;
}

void workload_stop(struct workload *w)
{
	if (!w->pid || workload_ended(w))
		return;
	kill(w->pid, workload_started(w) ? SIGTERM : SIGKILL);
	if (!workload_started(w)) {
		close(w->go);
		close(w->failed);
	}
	while (waitpid(w->pid, &w->status, 0) < 0 && errno == EINTR)
		;
	w->ended = true;
}

int workload_exit_status(const struct workload *w)
{
	if (WIFSIGNALED(w->status))
		return 128 + WTERMSIG(w->status);
	return WEXITSTATUS(w->status);
}
