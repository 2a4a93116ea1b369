// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/kallsyms-cache.h"

#define PREFIX "kallsyms-"

/* Names, sizes and addresses of the modules, but not their use counts */
static u64 hash_modules(void)
{
	char name[128], address[32];
	u64 h = 0, word;
	unsigned long size;
	const char *c;
	FILE *f;

	f = fopen("/proc/modules", "re");
	if (!f)
		return 0;
	while (fscanf(f, "%127s %lu %*s %*s %*s %31s%*[^\n]", name, &size, address) == 3) {
		memset(address + strlen(address), 0, sizeof(address) - strlen(address));
		memcpy(&word, address + 8, sizeof(word));
		h = hash64(h ^ size ^ word ^ hash64(load64(address)));
		for (c = name; *c; c++)
			h = (h ^ (u8)*c) * 0x100000001b3ULL;
	}
	fclose(f);
	return h;
}

static bool cache_dir(char *dir)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int n;

	if (base && base[0] == '/')
		n = snprintf(dir, PATH_MAX, "%s/pcsample", base);
	else if (home && home[0] == '/')
		n = snprintf(dir, PATH_MAX, "%s/.cache/pcsample", home);
	else
		return false;
	return n < PATH_MAX;
}

static bool cache_name(char *name, size_t size)
{
	char boot[40] = "";
	ssize_t n;
	int fd;

	fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, boot, 36);
	close(fd);
	if (n != 36)
		return false;
	snprintf(name, size, PREFIX "%s-%016" PRIx64, boot, hash_modules());
	return true;
}

static int open_cached(int dir, const char *name)
{
	struct stat st;
	int fd;

	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    !(st.st_mode & 022))
		return fd;
	close(fd);
	return -1;
}

/* Copies of other boots and other sets of modules */
static void remove_others(int dir, const char *name)
{
	DIR *d = fdopendir(dup(dir));
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, PREFIX, strlen(PREFIX)) && strcmp(e->d_name, name))
			unlinkat(dir, e->d_name, 0);
	if (d)
		closedir(d);
}

/* Write the lines of @k, but for symbols that change without a module being loaded */
static bool write_list(FILE *f, const struct kallsyms *k)
{
	const struct kallsyms_module *m;
	size_t i;

	for (m = k->module; m < k->module + k->nr_modules; m++) {
		if (m->name_len && (!strncmp(m->name, "bpf]", 4) || !strncmp(m->name, "__", 2)))
			continue;
		for (i = m->first; i < m->first + m->nr; i++)
			fprintf(f, "%016" PRIx64 " %c %s%s%.*s%s\n", k->syms[i].addr,
				k->syms[i].type, k->text + k->syms[i].name,
				m->name_len ? "\t[" : "", (int)m->name_len,
				m->name_len ? m->name : "", m->name_len ? "]" : "");
	}
	return !fflush(f) && !ferror(f);
}

/* A reader sees the whole file or none */
static void save(int dir, const char *name, const struct kallsyms *k)
{
	char temporary[NAME_MAX];
	bool written;
	FILE *f;
	int fd;

	snprintf(temporary, sizeof(temporary), ".%s.%d", name, getpid());
	fd = openat(dir, temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return;
	written = write_list(f, k);
	if (fclose(f) || !written || renameat(dir, temporary, dir, name))
		unlinkat(dir, temporary, 0);
	else
		remove_others(dir, name);
}

static int open_dir(const char *path)
{
	char parent[PATH_MAX];
	char *slash;

	snprintf(parent, sizeof(parent), "%s", path);
	slash = strrchr(parent, '/');
	*slash = '\0';
	mkdir(parent, 0700);
	mkdir(path, 0700);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int kallsyms_read_running(struct kallsyms *k, struct error *err)
{
	char path[PATH_MAX], name[128];
	int dir = -1, fd, ret;

	if (cache_dir(path) && cache_name(name, sizeof(name)))
		dir = open_dir(path);
	fd = dir < 0 ? -1 : open_cached(dir, name);
	ret = fd < 0 ? -ENOENT : kallsyms_read_fd(k, fd, name, err);
	if (ret) {
		if (err)
			err->text[0] = '\0';
		ret = kallsyms_read(k, "/proc/kallsyms", err);
		if (!ret && dir >= 0)
			save(dir, name, k);
	}
	if (dir >= 0)
		close(dir);
	return ret;
}
