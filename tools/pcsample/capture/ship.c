// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fnv.h"
#include "capture/ship.h"

#define PREFIX		"pcsample-"
#define SUFFIX		".rows.gz"

/*
 * The name of a file that was set aside. The recorder counts it as part of the spool. If the spool
 * is too large, the recorder removes it before all others, as the 0 sorts before every year.
 */
#define ASIDE_PREFIX	"pcsample-0-"
#define ASIDE_SUFFIX	".refused"

/* Set a file aside after this many refusals, if the server accepts others meanwhile */
#define REFUSED_MAX	3

static int fail(const struct ship *s, const char *name, struct error *err)
{
	return error_set(err, -errno, "%s%s%s: %s", s->path, name ? "/" : "", name ? name : "",
			 strerror(errno));
}

int ship_open(struct ship *s, struct error *err)
{
	memset(&s->refused, 0, sizeof(s->refused));
	s->lock = -1;
	s->fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->fd < 0)
		return fail(s, NULL, err);
	/* The recorder has the lock of the directory itself */
	s->lock = openat(s->fd, ".ship", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (s->lock < 0)
		return fail(s, ".ship", err);
	if (flock(s->lock, LOCK_EX | LOCK_NB))
		return error_set(err, -EBUSY, "%s: another pcsample ship sends from there",
				 s->path);
	return 0;
}

void ship_close(struct ship *s)
{
	if (s->lock >= 0)
		close(s->lock);
	if (s->fd >= 0)
		close(s->fd);
	idmap_deinit(&s->refused);
}

/* Files */

static bool is_ours(const char *name)
{
	size_t len = strlen(name), suffix = strlen(SUFFIX);

	return !strncmp(name, PREFIX, strlen(PREFIX)) && len > suffix &&
	       !strcmp(name + len - suffix, SUFFIX);
}

static int filter(const struct dirent *entry)
{
	return is_ours(entry->d_name);
}

/* One try */

enum answer { TAKEN, REFUSED, AWAY };

/* What curl printed: the answer's body, then @tail: a newline and the status in three digits */
struct said {
	char head[256], tail[4];
	size_t bytes;
};

static void take_bytes(struct said *said, const char *data, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++, said->bytes++) {
		if (said->bytes < sizeof(said->head) - 1)
			said->head[said->bytes] = data[i];
		memmove(said->tail, said->tail + 1, sizeof(said->tail) - 1);
		said->tail[sizeof(said->tail) - 1] = data[i];
	}
}

static void exec_curl(const struct ship *s, const char *name, int out)
{
	char url[4096], data[PATH_MAX + NAME_MAX], seconds[16];
	const char *argv[32] = {
		"curl", "-q", "--silent", "--show-error", "--request", "POST",
		"--connect-timeout", "10", "--max-time", seconds, "--write-out", "\n%{http_code}",
		"--header", "Content-Encoding: gzip", "--header", "Expect:",
		"--header", "Content-Type: text/tab-separated-values", "--data-binary", data,
	};
	size_t n = 20;

	snprintf(seconds, sizeof(seconds), "%u", s->timeout);
	snprintf(data, sizeof(data), "@%s/%s", s->path, name);
	snprintf(url, sizeof(url), "%s%cquery=INSERT%%20INTO%%20%s%%20FORMAT%%20TSVWithNames",
		 s->to, strchr(s->to, '?') ? '&' : '?', s->table);
	if (s->curl_config) {
		argv[n++] = "--config";
		argv[n++] = s->curl_config;
	}
	argv[n++] = "--url";
	argv[n++] = url;
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
		_exit(127);
	execvp("curl", (char **)argv);
	_exit(127);
}

/* Return: its exit status; 128 if a signal ended it; or a negative errno, also if it cannot run */
static int run_curl(const struct ship *s, const char *name, struct said *said, struct error *err)
{
	int pipes[2], status;
	char buf[4096];
	ssize_t n;
	pid_t pid;

	memset(said, 0, sizeof(*said));
	if (pipe2(pipes, O_CLOEXEC))
		return error_set(err, -errno, "pipe: %s", strerror(errno));
	pid = fork();
	if (!pid)
		exec_curl(s, name, pipes[1]);
	close(pipes[1]);
	if (pid < 0) {
		close(pipes[0]);
		return error_set(err, -EAGAIN, "cannot start curl: %s", strerror(errno));
	}
	while ((n = read(pipes[0], buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			take_bytes(said, buf, n);
	close(pipes[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_set(err, -errno, "curl: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return error_set(err, -ENOENT,
				 "cannot run curl; on Debian: apt-get install curl");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/*
 * Only ClickHouse's own answer to an INSERT counts, which is 200 and empty. A proxy may answer 200
 * with a page.
 */
static enum answer judge(int status, const struct said *said, int *reason, struct error *why)
{
	int line = strcspn(said->head, "\r\n"), code = 0;

	*reason = -status;
	if (status) {
		error_set(why, -EIO, "%.*s", line, status < 128 ? said->head : "curl was ended");
		return AWAY;
	}
	sscanf(said->tail, "\n%3d", &code);
	if (code == 200 && said->bytes == sizeof(said->tail))
		return TAKEN;
	*reason = code;
	error_set(why, -EIO, "the server answered %d: %.*s", code, line, said->head);
	switch (code) {
	case 429:	/* too many requests */
	case 502:	/* a proxy without a server */
	case 503:
	case 504:
		return AWAY;
	}
	return REFUSED;
}

/* Rounds */

static int remove_file(const struct ship *s, const char *name, struct error *err)
{
	/* The recorder may have removed it to stay within --spool-size */
	if (unlinkat(s->fd, name, 0) && errno != ENOENT)
		return fail(s, name, err);
	return 0;
}

static int set_aside(struct ship *s, const char *name, struct ship_round *round, struct error *err)
{
	u64 key = fnv_hash(name, strlen(name));
	u32 times = idmap_get(&s->refused, key);
	char aside[NAME_MAX + 32];

	times = times == IDMAP_NONE ? 1 : times + 1;
	if (times < REFUSED_MAX)
		return idmap_set(&s->refused, key, times) ?
		       error_set(err, -ENOMEM, "out of memory") : 0;
	snprintf(aside, sizeof(aside), ASIDE_PREFIX "%s" ASIDE_SUFFIX, name + strlen(PREFIX));
	if (renameat(s->fd, name, s->fd, aside) && errno != ENOENT)
		return fail(s, name, err);
	round->aside++;
	round->waiting--;
	return 0;
}

/* A server that refuses this many files and accepts none has a problem of its own */
#define REFUSED_IN_A_ROUND	3

/* @refused: receives, for each file, whether it was refused */
static int try_files(struct ship *s, const volatile int *stop, struct dirent **file, int nr,
		     bool *refused, struct ship_round *round, struct error *err)
{
	enum answer answer = TAKEN;
	size_t nr_refused = 0;
	struct error why;
	struct said said;
	struct stat st;
	int i, status, reason;

	for (i = 0; i < nr && !*stop && answer != AWAY; i++) {
		if (fstatat(s->fd, file[i]->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode)) {
			round->waiting--;
			continue;
		}
		status = run_curl(s, file[i]->d_name, &said, err);
		if (status < 0)
			return status;
		answer = judge(status, &said, &reason, &why);
		if (answer == TAKEN) {
			if (remove_file(s, file[i]->d_name, err))
				return -EIO;
			round->sent++;
			round->waiting--;
			continue;
		}
		if (!round->reason) {
			round->reason = reason;
			round->why = why;
		}
		refused[i] = answer == REFUSED;
		nr_refused += refused[i];
		if (!round->sent && nr_refused == REFUSED_IN_A_ROUND)
			break;
	}
	return 0;
}

int ship_files(struct ship *s, const volatile int *stop, struct ship_round *round,
	       struct error *err)
{
	struct dirent **file;
	int nr, i, ret;
	bool *refused;

	memset(round, 0, sizeof(*round));
	nr = scandirat(s->fd, ".", &file, filter, alphasort);
	if (nr < 0)
		return fail(s, NULL, err);
	round->waiting = nr;
	refused = calloc(nr + 1, sizeof(*refused));
	ret = refused ? try_files(s, stop, file, nr, refused, round, err) :
			error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < nr; i++) {
		if (!ret && round->sent && refused[i])
			ret = set_aside(s, file[i]->d_name, round, err);
		free(file[i]);
	}
	free(refused);
	free(file);
	return ret;
}
