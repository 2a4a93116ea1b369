// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/kallsyms-cache.h"

#define COPY_MAX_BYTES (256U << 20)
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

/*
 * A copy is what the list was parsed to: to parse a list takes longer than a short report. Behind
 * this are names, symbols and modules; where a name is, is counted from the file's beginning. Zeros
 * behind the names align the symbols, which are used where they are in the mapped file.
 */
struct copy {
	char magic[8];
	u64 nr_syms, nr_modules;
};

#define COPY_MAGIC "PCSKSYM2"

/* Does this code change while no module is loaded or removed? */
static bool is_made_code(const struct kallsyms_module *m)
{
	return m->name_len && (!strncmp(m->name, "bpf]", 4) || !strncmp(m->name, "__", 2));
}

/* Return: the offset of the next name */
static u64 write_name(FILE *f, const char *name, size_t len, u64 at)
{
	fprintf(f, "%.*s%c", (int)len, name, '\0');
	return at + len + 1;
}

/*
 * Write @k to the empty file @f. @syms, @module: scratch arrays of zeros, with as many elements as
 * @k has
 */
static void write_list(FILE *f, const struct kallsyms *k, struct kallsyms_symbol *syms,
		       struct kallsyms_module *module)
{
	struct copy c = { .magic = "" };
	struct kallsyms_module *m;
	u64 at = sizeof(c);
	const char *name;
	size_t i, n;

	fwrite(&c, sizeof(c), 1, f);
	for (i = 0; i < k->nr_modules; i++) {
		if (is_made_code(&k->module[i]))
			continue;
		m = &module[c.nr_modules++];
		*m = k->module[i];
		m->name = (char *)(uintptr_t)at;
		at = write_name(f, k->module[i].name, m->name_len, at);
		m->first = c.nr_syms;
		for (n = 0; n < m->nr; n++) {
			syms[c.nr_syms] = k->syms[k->module[i].first + n];
			name = k->text + syms[c.nr_syms].name;
			syms[c.nr_syms++].name = at;
			at = write_name(f, name, strlen(name), at);
		}
	}
	for (; at % sizeof(*syms); at++)
		fputc(0, f);
	fwrite(syms, sizeof(*syms), c.nr_syms, f);
	fwrite(module, sizeof(*module), c.nr_modules, f);
	rewind(f);
	memcpy(c.magic, COPY_MAGIC, sizeof(c.magic));
	fwrite(&c, sizeof(c), 1, f);
}

static bool write_copy(FILE *f, const struct kallsyms *k)
{
	struct kallsyms_symbol *syms = calloc(k->nr_syms, sizeof(*syms));
	struct kallsyms_module *module = calloc(k->nr_modules, sizeof(*module));
	bool written = syms && module;

	if (written)
		write_list(f, k, syms, module);
	free(syms);
	free(module);
	return written && !fflush(f) && !ferror(f);
}

/* Point the names of modules into the copy. Return: false if an offset or a size is out of range */
static bool place(struct kallsyms *k)
{
	struct kallsyms_module *m;
	bool good = k->size && !k->text[k->size - 1];
	u64 name;
	size_t i;

	for (i = 0; i < k->nr_syms; i++)
		good &= k->syms[i].name < k->size;
	for (m = k->module; m < k->module + k->nr_modules; m++) {
		name = (uintptr_t)m->name;
		good &= name < k->size && m->name_len < k->size - name &&
			m->first <= k->nr_syms && m->nr <= k->nr_syms - m->first;
		m->name = m->name_len ? k->text + name : NULL;
	}
	return good;
}

/*
 * Map a copy: only names that are asked for are read. It is a file of this user, see open_cached(),
 * which save() never changes once it has its name. Return: false if it is not a valid copy
 */
static bool map_copy(struct kallsyms *k, int fd)
{
	size_t syms, modules;
	struct stat st;
	struct copy c;

	memset(k, 0, sizeof(*k));
	if (fstat(fd, &st) || st.st_size < sizeof(c) || st.st_size > COPY_MAX_BYTES)
		return false;
	k->text = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (k->text == MAP_FAILED)
		return false;
	k->mapped = st.st_size;
	memcpy(&c, k->text, sizeof(c));
	syms = min(c.nr_syms, (u64)COPY_MAX_BYTES) * sizeof(*k->syms);
	modules = min(c.nr_modules, (u64)COPY_MAX_BYTES) * sizeof(*k->module);
	if (!memcmp(c.magic, COPY_MAGIC, sizeof(c.magic)) &&
	    syms + modules <= k->mapped - sizeof(c)) {
		k->size = k->mapped - syms - modules;
		k->syms = (struct kallsyms_symbol *)(k->text + k->size);
		k->module = malloc(modules + 1);
	}
	if (k->module && k->size % sizeof(*k->syms) == 0) {
		memcpy(k->module, k->text + k->size + syms, modules);
		k->nr_syms = c.nr_syms;
		k->nr_modules = c.nr_modules;
		if (place(k))
			return true;
	}
	kallsyms_deinit(k);
	return false;
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
	written = write_copy(f, k);
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
	int dir = -1, fd, ret = -ENOENT;

	if (cache_dir(path) && cache_name(name, sizeof(name)))
		dir = open_dir(path);
	fd = dir < 0 ? -1 : open_cached(dir, name);
	if (fd >= 0) {
		ret = map_copy(k, fd) ? 0 : -ENOENT;
		close(fd);
	}
	if (ret) {
		ret = kallsyms_read(k, "/proc/kallsyms", err);
		if (!ret && dir >= 0)
			save(dir, name, k);
	}
	if (dir >= 0)
		close(dir);
	return ret;
}
