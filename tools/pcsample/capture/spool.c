// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "capture/spool.h"

#define PREFIX	"pcsample-"

static int fail(const struct spool *s, const char *name, struct error *err)
{
	return error_set(err, -errno, "%s%s%s: %s", s->path, name ? "/" : "", name ? name : "",
			 strerror(errno));
}

/* Files of ours */

struct spool_file {
	char name[NAME_MAX + 1];
	u64 bytes;
};

struct spool_list {
	struct spool_file *file;
	size_t nr, cap;
};

static int add_file(const struct spool *s, struct spool_list *list, const char *name)
{
	struct stat st;

	/* A collector may have taken the file meanwhile */
	if (fstatat(s->fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return 0;
	if (mem_grow(&list->file, &list->cap, list->nr + 1))
		return -ENOMEM;
	snprintf(list->file[list->nr].name, sizeof(list->file->name), "%s", name);
	list->file[list->nr++].bytes = st.st_blocks * 512ULL;
	return 0;
}

static int list_files(const struct spool *s, const char *prefix, struct spool_list *list,
		      struct error *err)
{
	int fd = openat(s->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	memset(list, 0, sizeof(*list));
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return fail(s, NULL, err);
	}
	while (!ret && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, prefix, strlen(prefix)))
			ret = add_file(s, list, entry->d_name);
	closedir(dir);
	return ret ? error_set(err, ret, "%s: out of memory", s->path) : 0;
}

/* Names begin with the time: the oldest comes first */
static int by_name(const void *a, const void *b)
{
	const struct spool_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Remove the oldest files while all are too large. The newest one stays, however large it is. */
static int trim(const struct spool *s, struct error *err)
{
	struct spool_list list;
	u64 bytes = 0;
	size_t i;
	int ret;

	ret = list_files(s, PREFIX, &list, err);
	if (list.nr)
		qsort(list.file, list.nr, sizeof(*list.file), by_name);
	for (i = 0; i < list.nr; i++)
		bytes += list.file[i].bytes;
	for (i = 0; i + 1 < list.nr && bytes > s->bytes_max; i++) {
		if (unlinkat(s->fd, list.file[i].name, 0) && errno != ENOENT)
			ret = fail(s, list.file[i].name, err);
		bytes -= list.file[i].bytes;
	}
	free(list.file);
	return ret;
}

/* Remove the incomplete files whose names begin so */
static int remove_parts(const struct spool *s, const char *prefix, struct error *err)
{
	struct spool_list list;
	size_t i;
	int ret;

	ret = list_files(s, prefix, &list, err);
	for (i = 0; i < list.nr; i++)
		if (unlinkat(s->fd, list.file[i].name, 0))
			ret = fail(s, list.file[i].name, err);
	free(list.file);
	return ret;
}

int spool_open(struct spool *s, struct error *err)
{
	int ret;

	if (mkdir(s->path, 0777) && errno != EEXIST) {
		s->fd = -1;
		return fail(s, NULL, err);
	}
	s->fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->fd < 0)
		return fail(s, NULL, err);
	if (flock(s->fd, LOCK_EX | LOCK_NB))
		return error_set(err, -EBUSY, "%s: another recorder writes there", s->path);
	ret = remove_parts(s, "." PREFIX, err);
	return ret ? ret : trim(s, err);
}

/* With milliseconds and the pid, so that the name is free even if the clock was set back */
void spool_part(const struct spool *s, char path[PATH_MAX])
{
	struct timespec now;
	char time[32];
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	strftime(time, sizeof(time), "%Y%m%dT%H%M%S", &tm);
	snprintf(path, PATH_MAX, "%s/." PREFIX "%s.%03ldZ-%d.data", s->path, time,
		 now.tv_nsec / 1000000, getpid());
}

/* Exporting */

/*
 * Export in another process, so that the rings are read meanwhile. It ignores the Ctrl-C that ends
 * the recorder.
 */
static pid_t start_export(const struct spool *s)
{
	pid_t child = fork();

	if (child)
		return child;
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	execl("/proc/self/exe", "pcsample", "export", "-i", s->part, "-f", s->format, "-o",
	      s->exported, NULL);
	_exit(127);
}

/* Return: 1 if it has exported everything, 0 if it has not ended, or -1 if it failed */
static int export_ended(pid_t child, bool wait)
{
	pid_t pid = child;
	int status;

	while (child > 0 && (pid = waitpid(child, &status, wait ? 0 : WNOHANG)) < 0)
		if (errno != EINTR)
			return -1;
	if (!pid)
		return 0;
	return pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status) ? 1 : -1;
}

/* The name of a complete file has no dot */
static void name_whole(struct spool *s, const char *part)
{
	snprintf(s->whole, sizeof(s->whole), "%s/%s", s->path, strrchr(part, '/') + 2);
}

/* As a file of the spool, it is not removed by spool_open(), but trim() may remove it */
static int keep_recording(struct spool *s, struct error *err)
{
	name_whole(s, s->part);
	if (rename(s->part, s->whole))
		return error_set(err, -errno, "%s: %s", s->part, strerror(errno));
	return trim(s, err);
}

/* A killed export leaves its temporary file, whose name begins with that of the result */
static int keep_unconverted(struct spool *s, struct error *err)
{
	int ret = remove_parts(s, strrchr(s->exported, '/') + 1, err);

	if (!ret)
		ret = keep_recording(s, err);
	if (ret)
		return ret;
	return error_set(err, SPOOL_UNCONVERTED,
			 "the export of a recording failed; it is kept as %s", s->whole);
}

static int keep_exported(struct spool *s, struct error *err)
{
	if (rename(s->exported, s->whole))
		return error_set(err, -errno, "%s: %s", s->exported, strerror(errno));
	if (unlink(s->part))
		return error_set(err, -errno, "%s: %s", s->part, strerror(errno));
	return trim(s, err);
}

int spool_keep(struct spool *s, const char *part, struct error *err)
{
	int len = strlen(part) - strlen(".data");

	snprintf(s->part, sizeof(s->part), "%s", part);
	if (!s->format)
		return keep_recording(s, err);
	if (snprintf(s->exported, sizeof(s->exported), "%.*s%s", len, part, s->suffix) >=
	    (int)sizeof(s->exported))
		return error_set(err, -ENAMETOOLONG, "%s: the name is too long", part);
	name_whole(s, s->exported);
	s->child = start_export(s);
	return 0;
}

int spool_finish(struct spool *s, bool wait, struct error *err)
{
	int ended;

	if (!s->child)
		return 0;
	ended = export_ended(s->child, wait);
	if (!ended)
		return SPOOL_EXPORTING;
	s->child = 0;
	return ended > 0 ? keep_exported(s, err) : keep_unconverted(s, err);
}

void spool_close(struct spool *s)
{
	if (s->fd >= 0)
		close(s->fd);
}
