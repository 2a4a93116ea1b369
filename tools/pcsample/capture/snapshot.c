// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "base/text-file.h"
#include "capture/snapshot.h"
#include "perfdata/writer.h"

#define MODULES_MAX	(16U << 20)
#define MAPS_MAX	(256U << 20)

/* pid of the host's kernel in records */
#define KERNEL_PID	((u32)-1)

/* Records */

/* Records are built in a blob whose first 8 bytes are room for the header */
static void begin_record(struct perfdata_blob *blob)
{
	blob->size = 0;
	perfdata_blob_u64(blob, 0);
}

static void add_name(struct perfdata_blob *blob, const char *name, size_t len)
{
	static const u8 zeros[8];

	perfdata_blob_bytes(blob, name, len);
	perfdata_blob_bytes(blob, zeros, 8 - len % 8);
}

static int end_record(struct synth *synth, struct perfdata_blob *blob, unsigned int type,
		      unsigned int misc, struct error *err)
{
	struct perf_event_header header = { .type = type, .misc = misc };
	size_t i;

	for (i = 0; i < synth->trailer; i += 8)
		perfdata_blob_u64(blob, 0);
	if (blob->failed)
		return error_set(err, -ENOMEM, "out of memory for the side-band");
	header.size = blob->size;
	memcpy(blob->data, &header, sizeof(header));
	return synth->sink(synth->arg, (void *)blob->data, err);
}

static int put_fork(struct synth *synth, struct perfdata_blob *blob, pid_t pid, pid_t tid,
		    pid_t ppid, struct error *err)
{
	begin_record(blob);
	perfdata_blob_u32(blob, pid);
	perfdata_blob_u32(blob, ppid);
	perfdata_blob_u32(blob, tid);
	perfdata_blob_u32(blob, ppid);
	perfdata_blob_u64(blob, 0);
	return end_record(synth, blob, PERF_RECORD_FORK, 0, err);
}

static int put_comm(struct synth *synth, struct perfdata_blob *blob, pid_t pid, pid_t tid,
		    const char *comm, struct error *err)
{
	begin_record(blob);
	perfdata_blob_u32(blob, pid);
	perfdata_blob_u32(blob, tid);
	add_name(blob, comm, strlen(comm));
	return end_record(synth, blob, PERF_RECORD_COMM, 0, err);
}

/* @id takes the place of device and inode, as when the kernel writes the record */
static int put_mmap2(struct synth *synth, struct perfdata_blob *blob, u32 pid, u32 tid,
		     const struct maps_line *map, const struct build_id *id, unsigned int misc,
		     struct error *err)
{
	size_t len = strnlen(map->path, PATH_MAX - 1);

	begin_record(blob);
	perfdata_blob_u32(blob, pid);
	perfdata_blob_u32(blob, tid);
	perfdata_blob_u64(blob, map->start);
	perfdata_blob_u64(blob, map->end - map->start);
	perfdata_blob_u64(blob, map->offset);
	if (id->size) {
		misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		perfdata_blob_u32(blob, id->size);
		perfdata_blob_bytes(blob, id->bytes, sizeof(id->bytes));
	} else {
		perfdata_blob_u32(blob, map->major);
		perfdata_blob_u32(blob, map->minor);
		perfdata_blob_u64(blob, map->inode);
		perfdata_blob_u64(blob, 0);
	}
	perfdata_blob_u32(blob, map->prot);
	perfdata_blob_u32(blob, map->flags);
	add_name(blob, map->path, len);
	return end_record(synth, blob, PERF_RECORD_MMAP2, misc, err);
}

/* Kernel image */

struct kernel_symbols {
	u64 text, stext, etext, edata;
};

/* Parse a line "ADDRESS TYPE NAME\n". There are some 100,000, so return early for most of them */
static void note_symbol(struct kernel_symbols *symbols, const char *line)
{
	const char *name = strchr(line, ' ');
	u64 address;

	if (!name || name[1] == '\0' || name[2] != ' ' || name[3] != '_')
		return;
	name += 3;
	address = strtoull(line, NULL, 16);
	if (!strcmp(name, "_text\n"))
		symbols->text = address;
	else if (!strcmp(name, "_stext\n"))
		symbols->stext = address;
	else if (!strcmp(name, "_etext\n"))
		symbols->etext = address;
	else if (!strcmp(name, "_edata\n"))
		symbols->edata = address;
}

/*
 * Bytes from _text to the end of the data, from the lines "ADDRESS-LAST : Kernel code" and the
 * like: the image is in one piece in memory, too.
 *
 * Return: 0 for users without privileges, to whom the file shows zeros as addresses.
 */
static u64 image_bytes(const char *root)
{
	unsigned long long first, last, code = 0, end = 0;
	char path[PATH_MAX], line[256], what[16];
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/iomem", root);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx-%llx : Kernel %15s", &first, &last, what) != 3)
			continue;
		if (!strcmp(what, "code"))
			code = first;
		else if (!strcmp(what, "data"))
			end = last + 1;
	}
	if (f)
		fclose(f);
	return code && end > code ? end - code : 0;
}

/*
 * kallsyms has several MiB, in the order of addresses, and the kernel takes 20 ms to make them. If
 * the size of the image is known, it is read up to _text only.
 */
static int scan_kallsyms(struct kernel_symbols *symbols, const char *root, struct error *err)
{
	u64 bytes = image_bytes(root);
	char path[PATH_MAX], line[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/kallsyms", root);
	f = fopen(path, "re");
	if (!f)
		return error_set(err, -errno, "%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f) && !(symbols->etext && symbols->edata)) {
		note_symbol(symbols, line);
		if (symbols->text && bytes) {
			symbols->edata = symbols->text + bytes;
			break;
		}
		if (strchr(line, '['))		/* modules come last */
			break;
	}
	fclose(f);
	return 0;
}

int synth_kernel(struct synth *synth, struct error *err)
{
	struct kernel_symbols symbols = { 0 };
	struct maps_line map = { .prot = PROT_EXEC };
	struct perfdata_blob blob = { 0 };
	char path[PATH_MAX], name[64];
	struct build_id id;
	int ret;

	ret = scan_kallsyms(&symbols, synth->root, err);
	if (ret)
		return ret;
	map.start = symbols.text ? symbols.text : symbols.stext;
	map.end = symbols.edata > map.start ? symbols.edata : symbols.etext;
	if (!map.start || map.end <= map.start)
		return error_set(err, -EACCES,
				 "%s/proc/kallsyms shows no addresses to this user: kernel samples stay without names; run as root or set kernel.kptr_restrict to 0",
				 synth->root);
	map.offset = map.start;		/* perf computes the KASLR offset from this record */
	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", symbols.text ? "_text" : "_stext");
	map.path = name;
	snprintf(path, sizeof(path), "%s/sys/kernel/notes", synth->root);
	build_id_of_sysfs(&id, path);
	ret = put_mmap2(synth, &blob, KERNEL_PID, 0, &map, &id, PERF_RECORD_MISC_KERNEL, err);
	perfdata_blob_release(&blob);
	return ret;
}

/* Modules */

struct module {
	struct module_line line;
	char *path;			/* NULL if modules.dep does not list it */
};

struct modules {
	struct module *list;
	size_t nr, cap;
};

bool module_line_parse(struct module_line *module, const char *line)
{
	unsigned long long size, start;

	if (sscanf(line, "%63s %llu %*s %*s %*s 0x%llx", module->name, &size, &start) != 3)
		return false;
	module->size = size;
	module->start = start;
	return true;
}

static void release_modules(struct modules *modules)
{
	size_t i;

	for (i = 0; i < modules->nr; i++)
		free(modules->list[i].path);
	free(modules->list);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct module *)a)->line.name, ((const struct module *)b)->line.name);
}

static int by_address(const void *a, const void *b)
{
	const struct module *x = a, *y = b;

	return (x->line.start > y->line.start) - (x->line.start < y->line.start);
}

/* Is a module of this name and address in the lines @text? */
static bool listed(const char *text, const struct module_line *module)
{
	struct module_line other;

	for (; text && *text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
		if (module_line_parse(&other, text) && other.start == module->start &&
		    !strcmp(other.name, module->name))
			return true;
	return false;
}

static int collect_modules(struct modules *modules, char *text, const char *before)
{
	struct module_line module;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		if (!module_line_parse(&module, line) || !module.start || listed(before, &module))
			continue;
		if (mem_grow(&modules->list, &modules->cap, modules->nr + 1))
			return -ENOMEM;
		modules->list[modules->nr++] = (struct module){ .line = module };
	}
	return 0;
}

/* "kernel/fs/ext4/ext4.ko.xz" is module ext4; a dash in a file name is an underscore */
static bool name_of_module_file(char *name, size_t size, const char *path)
{
	const char *base = strrchr(path, '/'), *end;
	char *c;

	base = base ? base + 1 : path;
	end = strstr(base, ".ko");
	if (!end || (size_t)(end - base) >= size)
		return false;
	memcpy(name, base, end - base);
	name[end - base] = '\0';
	for (c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return true;
}

/* modules.dep has a line "FILE: FILES IT NEEDS" for every module; @modules is ordered by name */
static void find_module_files(struct modules *modules, const char *root)
{
	char path[PATH_MAX], *text, *at, *line, *colon;
	struct utsname uts;
	struct module key, *module;
	size_t size;

	uname(&uts);
	snprintf(path, sizeof(path), "%s/lib/modules/%s/modules.dep", root, uts.release);
	if (sysfs_slurp(&text, &size, MODULES_MAX, path))
		return;
	at = text;
	while ((line = strsep(&at, "\n"))) {
		colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon = '\0';
		if (!name_of_module_file(key.line.name, sizeof(key.line.name), line))
			continue;
		module = bsearch(&key, modules->list, modules->nr, sizeof(key), by_name);
		if (module && !module->path &&
		    asprintf(&module->path, "%s/lib/modules/%s/%s", root, uts.release, line) < 0)
			module->path = NULL;
	}
	free(text);
}

/* /proc/modules gives the sum of all sections as the size: the next module is the limit */
static int put_module(struct synth *synth, struct perfdata_blob *blob, const struct module *module,
		      const struct module *next, struct error *err)
{
	struct maps_line map = { .prot = PROT_EXEC };
	char path[PATH_MAX], name[80];
	struct build_id id;

	map.start = module->line.start;
	map.end = map.start + module->line.size;
	if (next && map.end > next->line.start)
		map.end = next->line.start;
	map.path = module->path;
	if (!map.path) {
		snprintf(name, sizeof(name), "[%s]", module->line.name);
		map.path = name;
	}
	snprintf(path, sizeof(path), "%s/sys/module/%s/notes/.note.gnu.build-id", synth->root,
		 module->line.name);
	build_id_of_sysfs(&id, path);
	return put_mmap2(synth, blob, KERNEL_PID, 0, &map, &id, PERF_RECORD_MISC_KERNEL, err);
}

int synth_modules(struct synth *synth, const char *before, char **now, struct error *err)
{
	struct modules modules = { 0 };
	struct perfdata_blob blob = { 0 };
	char path[PATH_MAX], *text;
	size_t size, i;
	int ret;

	if (now)
		*now = NULL;
	snprintf(path, sizeof(path), "%s/proc/modules", synth->root);
	ret = sysfs_slurp(&text, &size, MODULES_MAX, path);
	if (ret == -ENOENT)	/* a kernel without modules */
		return 0;
	if (ret)
		return error_set(err, ret, "%s: %s", path, strerror(-ret));
	if (now)
		*now = strdup(text);
	ret = collect_modules(&modules, text, before);
	if (ret)
		error_set(err, ret, "%s: out of memory", path);
	if (!ret && modules.nr) {
		qsort(modules.list, modules.nr, sizeof(*modules.list), by_name);
		find_module_files(&modules, synth->root);
		qsort(modules.list, modules.nr, sizeof(*modules.list), by_address);
	}
	for (i = 0; i < modules.nr && !ret; i++)
		ret = put_module(synth, &blob, &modules.list[i],
				 i + 1 < modules.nr ? &modules.list[i + 1] : NULL, err);
	perfdata_blob_release(&blob);
	release_modules(&modules);
	free(text);
	return ret;
}

/* Cgroups */

/* Of the kernel's include/linux/exportfs.h: the handle of a file in cgroupfs is its 64-bit id */
#define FILEID_KERNFS	0xfe

static bool cgroup_id(const char *path, u64 *id)
{
	struct {
		struct file_handle fh;
		u64 id;
	} handle = { .fh.handle_bytes = sizeof(handle.id) };
	struct stat st;
	int mount_id;

	if (!name_to_handle_at(AT_FDCWD, path, &handle.fh, &mount_id, 0) &&
	    handle.fh.handle_type == FILEID_KERNFS &&
	    handle.fh.handle_bytes == sizeof(handle.id)) {
		*id = handle.id;
		return true;
	}
	/*
	 * On 64-bit kernels the inode is the same number. It is for containers that may not ask for
	 * handles.
	 */
	if (stat(path, &st))
		return false;
	*id = st.st_ino;
	return true;
}

/*
 * @path is a directory: the mount, of @skip bytes, then the kernel's name of the cgroup. Cgroups
 * that are made meanwhile are in the kernel's records; those that are removed are left out.
 */
static int put_cgroups(struct synth *synth, struct perfdata_blob *blob, char *path, size_t skip,
		       struct error *err)
{
	size_t len = strlen(path);
	struct dirent *entry;
	DIR *dir;
	u64 id;
	int ret;

	if (!cgroup_id(path, &id))
		return 0;
	begin_record(blob);
	perfdata_blob_u64(blob, id);
	if (len > skip)
		add_name(blob, path + skip, len - skip);
	else
		add_name(blob, "/", 1);
	ret = end_record(synth, blob, PERF_RECORD_CGROUP, 0, err);
	dir = ret ? NULL : opendir(path);
	while (dir && !ret && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    len + 1 + strlen(entry->d_name) >= PATH_MAX)
			continue;
		sprintf(path + len, "/%s", entry->d_name);
		ret = put_cgroups(synth, blob, path, skip, err);
		path[len] = '\0';
	}
	if (dir)
		closedir(dir);
	return ret;
}

/*
 * Find the hierarchy that perf_event uses: one of its own if that is mounted, else version 2.
 * @mount has PATH_MAX bytes.
 */
static bool find_cgroups(const char *root, char *mount)
{
	char path[PATH_MAX], line[2 * PATH_MAX];
	bool found = false, own = false;
	struct mntent entry;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/self/mounts", root);
	f = setmntent(path, "re");
	while (f && !own && getmntent_r(f, &entry, line, sizeof(line))) {
		own = !strcmp(entry.mnt_type, "cgroup") && hasmntopt(&entry, "perf_event");
		if (own || (!found && !strcmp(entry.mnt_type, "cgroup2")))
			found = snprintf(mount, PATH_MAX, "%s%s", root, entry.mnt_dir) < PATH_MAX;
	}
	if (f)
		endmntent(f);
	return found;
}

int synth_cgroups(struct synth *synth, struct error *err)
{
	struct perfdata_blob blob = { 0 };
	char path[PATH_MAX];
	int ret = 0;

	if (find_cgroups(synth->root, path))
		ret = put_cgroups(synth, &blob, path, strlen(path), err);
	perfdata_blob_release(&blob);
	return ret;
}

/* Processes */

bool stat_line_parse(struct stat_line *stat, const char *text)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	size_t len;

	if (!open || !close || close < open)
		return false;
	len = close - open - 1;
	if (len >= sizeof(stat->comm))
		len = sizeof(stat->comm) - 1;
	memcpy(stat->comm, open + 1, len);
	stat->comm[len] = '\0';
	return sscanf(close + 1, " %*c %d", &stat->ppid) == 1;
}

static void unescape_newlines(char *path)
{
	char *to = path;

	while (*path) {
		if (!strncmp(path, "\\012", 4)) {
			*to++ = '\n';
			path += 4;
		} else {
			*to++ = *path++;
		}
	}
	*to = '\0';
}

bool maps_line_parse(struct maps_line *map, char *line)
{
	unsigned long long start, end, offset, inode;
	char perms[5];
	int len = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, perms, &offset,
		   &map->major, &map->minor, &inode, &len) != 7 || !len || end <= start)
		return false;
	map->start = start;
	map->end = end;
	map->offset = offset;
	map->inode = inode;
	map->prot = (perms[0] == 'r' ? PROT_READ : 0) | (perms[1] == 'w' ? PROT_WRITE : 0) |
		    (perms[2] == 'x' ? PROT_EXEC : 0);
	map->flags = perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	map->path = line + len;
	unescape_newlines(map->path);
	return true;
}

static void find_build_id(struct synth *synth, struct build_id *id, pid_t pid,
			  const struct maps_line *map)
{
	char path[PATH_MAX + 64];

	id->size = 0;
	if (!synth->build_ids || !map->inode)
		return;
	/*
	 * Opens exactly the mapped file, even if it was deleted or is in a container; needs
	 * privileges
	 */
	snprintf(path, sizeof(path), "%s/proc/%d/map_files/%llx-%llx", synth->root, pid,
		 (unsigned long long)map->start, (unsigned long long)map->end);
	if (build_id_of_path(synth->build_ids, id, path, 0) || map->path[0] != '/')
		return;
	snprintf(path, sizeof(path), "%s/proc/%d/root%s", synth->root, pid, map->path);
	build_id_of_path(synth->build_ids, id, path, map->inode);
}

static int put_maps(struct synth *synth, struct perfdata_blob *blob, pid_t pid, struct error *err)
{
	static char anonymous[] = "//anon";
	char path[PATH_MAX], *text, *at, *line;
	struct maps_line map;
	struct build_id id;
	size_t size;
	int ret;

	snprintf(path, sizeof(path), "%s/proc/%d/maps", synth->root, pid);
	ret = sysfs_slurp(&text, &size, MAPS_MAX, path);
	if (ret) {
		synth->nr_unreadable += ret == -EACCES || ret == -EPERM;
		return 0;
	}
	at = text;
	while (!ret && (line = strsep(&at, "\n"))) {
		if (!maps_line_parse(&map, line) || !(map.prot & PROT_EXEC))
			continue;
		if (!*map.path)
			map.path = anonymous;
		find_build_id(synth, &id, pid, &map);
		ret = put_mmap2(synth, blob, pid, pid, &map, &id, PERF_RECORD_MISC_USER, err);
	}
	free(text);
	return ret;
}

/* Order as in struct perf_ns_link_info arrays: NET_NS_INDEX and on */
static const char *const namespaces[NR_NAMESPACES] = {
	[NET_NS_INDEX] = "net",
	[UTS_NS_INDEX] = "uts",
	[IPC_NS_INDEX] = "ipc",
	[PID_NS_INDEX] = "pid",
	[USER_NS_INDEX] = "user",
	[MNT_NS_INDEX] = "mnt",
	[CGROUP_NS_INDEX] = "cgroup",
};

static int put_namespaces(struct synth *synth, struct perfdata_blob *blob, pid_t pid,
			  struct error *err)
{
	char path[PATH_MAX];
	struct stat st;
	unsigned int i;

	begin_record(blob);
	perfdata_blob_u32(blob, pid);
	perfdata_blob_u32(blob, pid);
	perfdata_blob_u64(blob, NR_NAMESPACES);
	for (i = 0; i < NR_NAMESPACES; i++) {
		snprintf(path, sizeof(path), "%s/proc/%d/ns/%s", synth->root, pid, namespaces[i]);
		if (stat(path, &st))
			memset(&st, 0, sizeof(st));
		perfdata_blob_u64(blob, st.st_dev);
		perfdata_blob_u64(blob, st.st_ino);
	}
	return end_record(synth, blob, PERF_RECORD_NAMESPACES, 0, err);
}

/* All threads but the leader. The kernel reports those that start meanwhile */
static int put_threads(struct synth *synth, struct perfdata_blob *blob, pid_t pid,
		       struct error *err)
{
	char path[PATH_MAX], comm[32];
	struct dirent *entry;
	int tid, ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/proc/%d/task", synth->root, pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!ret && (entry = readdir(dir))) {
		tid = atoi(entry->d_name);
		if (tid <= 0 || tid == pid ||
		    sysfs_read(comm, sizeof(comm), "%s/%d/comm", path, tid) < 0)
			continue;
		comm[15] = '\0';
		ret = put_fork(synth, blob, pid, tid, pid, err);
		if (!ret)
			ret = put_comm(synth, blob, pid, tid, comm, err);
	}
	closedir(dir);
	return ret;
}

/* Return: 1 if there is such a process, 0 if it is gone */
static int put_leader(struct synth *synth, struct perfdata_blob *blob, pid_t pid,
		      struct error *err)
{
	struct stat_line stat;
	char text[1024];
	int ret;

	if (sysfs_read(text, sizeof(text), "%s/proc/%d/stat", synth->root, pid) < 0 ||
	    !stat_line_parse(&stat, text))
		return 0;
	synth->nr_processes++;
	ret = put_fork(synth, blob, pid, pid, stat.ppid, err);
	if (!ret)
		ret = put_namespaces(synth, blob, pid, err);
	if (!ret)
		ret = put_comm(synth, blob, pid, pid, stat.comm, err);
	return ret ? ret : 1;
}

static int put_process(struct synth *synth, struct perfdata_blob *blob, pid_t pid,
		       struct error *err)
{
	int ret = put_leader(synth, blob, pid, err);

	if (ret > 0)
		ret = put_maps(synth, blob, pid, err);
	return ret ? ret : put_threads(synth, blob, pid, err);
}

int synth_process(struct synth *synth, pid_t pid, struct error *err)
{
	struct perfdata_blob blob = { 0 };
	int ret = put_process(synth, &blob, pid, err);

	perfdata_blob_release(&blob);
	return ret;
}

int synth_newborn(struct synth *synth, pid_t pid, struct error *err)
{
	struct perfdata_blob blob = { 0 };
	int ret = put_leader(synth, &blob, pid, err);

	perfdata_blob_release(&blob);
	return ret < 0 ? ret : 0;
}

int synth_processes(struct synth *synth, struct error *err)
{
	struct perfdata_blob blob = { 0 };
	char path[PATH_MAX];
	struct dirent *entry;
	int pid, ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/proc", synth->root);
	dir = opendir(path);
	if (!dir)
		return error_set(err, -errno, "%s: %s: mount it", path, strerror(errno));
	while (!ret && (entry = readdir(dir))) {
		pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
		if (pid > 0)
			ret = put_process(synth, &blob, pid, err);
	}
	closedir(dir);
	perfdata_blob_release(&blob);
	return ret;
}
