// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/idmap.h"
#include "base/proc-files.h"

u64 live_mount_ns(const char *pid)
{
	char path[NAME_MAX + 16];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", pid);
	return stat(path, &st) ? 0 : st.st_ino;
}

bool live_threads(s32 pid)
{
	struct dirent *e;
	bool found = false;
	char path[64];
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	while (d && !found && (e = readdir(d)))
		found = e->d_name[0] != '.' && atoi(e->d_name) != pid;
	if (d)
		closedir(d);
	return found;
}

/* "/opt/prog" was recorded, and is "/opt/prog (deleted)" since; or the other way round */
static bool same_path(const char *a, const char *b)
{
	static const char deleted[] = " (deleted)";
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return (!a[n] || !strcmp(a + n, deleted)) && (!b[n] || !strcmp(b + n, deleted));
}

/* Needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN */
static bool find_mapping(s32 pid, const char *mapped, char *path)
{
	char line[PATH_MAX + 128], maps[64];
	bool found = false;
	u64 start, end;
	FILE *f;
	int at;

	snprintf(maps, sizeof(maps), "/proc/%d/maps", pid);
	f = fopen(maps, "re");
	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		at = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n", &start, &end,
			   &at) < 2 || !at || !same_path(line + at, mapped))
			continue;
		snprintf(path, PATH_MAX, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, start,
			 end);
		found = true;
	}
	if (f)
		fclose(f);
	return found;
}

static bool in_root(const char *pid, const char *mapped, char *path)
{
	return snprintf(path, PATH_MAX, "/proc/%s/root%s", pid, mapped) < PATH_MAX;
}

/* Limit on the mount namespaces that are searched one by one */
#define NAMESPACES_MAX 256

/*
 * A process of each mount namespace. A recording may have thousands of files of containers that are
 * gone: /proc is read at most once a second for all of them.
 */
static struct {
	pthread_mutex_t lock;
	u64 read;	/* when, ns; 0: never */
	struct idmap pid;
	u32 other[NAMESPACES_MAX];	/* processes of namespaces that are not ours */
	unsigned int nr_others;
} namespaces = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void read_namespaces(void)
{
	u64 ns, ours = live_mount_ns("self");
	DIR *dir = opendir("/proc");
	struct dirent *e;

	idmap_deinit(&namespaces.pid);
	namespaces.nr_others = 0;
	while (dir && (e = readdir(dir))) {
		ns = isdigit((unsigned char)e->d_name[0]) ? live_mount_ns(e->d_name) : 0;
		/* Without memory the namespace is not added, and its files are not found */
		if (!ns || idmap_get(&namespaces.pid, ns) != IDMAP_NONE)
			continue;
		idmap_set(&namespaces.pid, ns, atoi(e->d_name));
		if (ns != ours && namespaces.nr_others < NAMESPACES_MAX)
			namespaces.other[namespaces.nr_others++] = atoi(e->d_name);
	}
	if (dir)
		closedir(dir);
}

static void lock_namespaces(void)
{
	u64 now;

	pthread_mutex_lock(&namespaces.lock);
	now = now_ns();
	if (namespaces.read && now - namespaces.read < 1000000000)
		return;
	read_namespaces();
	namespaces.read = now;
}

bool live_file_of_namespace(unsigned int i, const char *mapped, char *path)
{
	char number[16] = "";

	lock_namespaces();
	if (i < namespaces.nr_others)
		snprintf(number, sizeof(number), "%u", namespaces.other[i]);
	pthread_mutex_unlock(&namespaces.lock);
	return *number && in_root(number, mapped, path);
}

static bool find_in_namespace(u64 mount_ns, const char *mapped, char *path)
{
	char number[16];
	u32 pid;

	lock_namespaces();
	pid = idmap_get(&namespaces.pid, mount_ns);
	pthread_mutex_unlock(&namespaces.lock);
	snprintf(number, sizeof(number), "%u", pid);
	return pid != IDMAP_NONE && in_root(number, mapped, path);
}

bool live_file(enum live_place place, s32 pid, u64 mount_ns, const char *mapped, char *path)
{
	char number[16];

	if (pid <= 0 || mapped[0] != '/')
		return false;
	snprintf(number, sizeof(number), "%d", pid);
	switch (place) {
	case LIVE_MAPPING:
		return find_mapping(pid, mapped, path);
	case LIVE_ROOT:
		return in_root(number, mapped, path);
	case LIVE_NAMESPACE:
		/* In our own namespace the file would be at its path */
		return mount_ns && mount_ns != live_mount_ns("self") &&
		       find_in_namespace(mount_ns, mapped, path);
	case NR_LIVE_PLACES:
		break;
	}
	return false;
}
