// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#if HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/clock.h"
#include "base/text-file.h"
#include "capture/host-info.h"

#define DEVICES		"/sys/bus/event_source/devices"
#define KALLSYMS_MAX	(512U << 20)

static int put_string(struct perfdata_writer *w, unsigned int feature, const char *text,
		      struct error *err)
{
	struct perfdata_blob blob = { 0 };

	perfdata_blob_string(&blob, text);
	return perfdata_write_feature(w, feature, &blob, err);
}

/* The machine */

/* Value of the first line "KEY : VALUE" of /proc/cpuinfo */
static bool cpuinfo(char *value, size_t size, const char *root, const char *key)
{
	char path[PATH_MAX], line[512], *colon;
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", root);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		colon = strchr(line, ':');
		found = colon && !strncmp(line, key, strlen(key));
		if (found)
			snprintf(value, size, "%.*s", (int)strcspn(colon + 1, "\n"), colon + 1);
	}
	fclose(f);
	if (found)
		memmove(value, value + (*value == ' '), strlen(value + (*value == ' ')) + 1);
	return found;
}

static void describe_cpu(char *text, size_t size, const char *root)
{
	char implementer[32], part[32];

	if (cpuinfo(text, size, root, "model name"))
		return;
	if (cpuinfo(implementer, sizeof(implementer), root, "CPU implementer") &&
	    cpuinfo(part, sizeof(part), root, "CPU part"))
		snprintf(text, size, "Arm implementer %s part %s", implementer, part);
	else
		snprintf(text, size, "unknown");
}

/* As perf: MIDR_EL1 on arm64, "vendor,family,model,stepping" on x86 */
static bool identify_cpu(char *text, size_t size, const char *root)
{
	char vendor[64], family[32], model[32], stepping[32];

	if (sysfs_read(text, size, "%s/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
		       root) > 0)
		return true;
	if (!cpuinfo(vendor, sizeof(vendor), root, "vendor_id") ||
	    !cpuinfo(family, sizeof(family), root, "cpu family") ||
	    !cpuinfo(model, sizeof(model), root, "model\t") ||
	    !cpuinfo(stepping, sizeof(stepping), root, "stepping"))
		return false;
	snprintf(text, size, "%s,%s,%s,%s", vendor, family, model, stepping);
	return true;
}

static int put_cpus(struct perfdata_writer *w, const char *root, struct error *err)
{
	struct perfdata_blob blob = { 0 };
	char text[256];
	int ret;

	perfdata_blob_u32(&blob, sysconf(_SC_NPROCESSORS_CONF));
	perfdata_blob_u32(&blob, sysconf(_SC_NPROCESSORS_ONLN));
	ret = perfdata_write_feature(w, PERFDATA_NRCPUS, &blob, err);
	describe_cpu(text, sizeof(text), root);
	if (!ret)
		ret = put_string(w, PERFDATA_CPUDESC, text, err);
	if (!ret && identify_cpu(text, sizeof(text), root))
		ret = put_string(w, PERFDATA_CPUID, text, err);
	return ret;
}

static int put_memory(struct perfdata_writer *w, struct error *err)
{
	struct perfdata_blob blob = { 0 };
	struct sysinfo info;

	if (sysinfo(&info))
		return 0;
	perfdata_blob_u64(&blob, (u64)info.totalram * info.mem_unit / 1024);
	return perfdata_write_feature(w, PERFDATA_TOTAL_MEM, &blob, err);
}

/* With these, a report on another machine can name the PMUs of events */
static int put_pmus(struct perfdata_writer *w, const char *root, struct error *err)
{
	struct perfdata_blob blob = { 0 };
	struct dirent *entry;
	char path[PATH_MAX];
	u32 nr = 0;
	u64 type;
	DIR *dir;

	snprintf(path, sizeof(path), "%s" DEVICES, root);
	dir = opendir(path);
	if (!dir)
		return 0;
	perfdata_blob_u32(&blob, 0);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' ||
		    sysfs_read_number(&type, "%s/%s/type", path, entry->d_name))
			continue;
		perfdata_blob_u32(&blob, type);
		perfdata_blob_string(&blob, entry->d_name);
		nr++;
	}
	closedir(dir);
	if (!blob.failed)
		memcpy(blob.data, &nr, sizeof(nr));
	return perfdata_write_feature(w, PERFDATA_PMU_MAPPINGS, &blob, err);
}

static int put_command_line(struct perfdata_writer *w, char *const *argv, struct error *err)
{
	struct perfdata_blob blob = { 0 };
	u32 nr = 0;

	while (argv[nr])
		nr++;
	perfdata_blob_u32(&blob, nr);
	for (; *argv; argv++)
		perfdata_blob_string(&blob, *argv);
	return perfdata_write_feature(w, PERFDATA_CMDLINE, &blob, err);
}

int host_write_features(struct perfdata_writer *w, const char *root, char *const *argv,
			struct error *err)
{
	struct utsname uts;
	int ret;

	uname(&uts);
	ret = put_string(w, PERFDATA_HOSTNAME, uts.nodename, err);
	if (!ret)
		ret = put_string(w, PERFDATA_OSRELEASE, uts.release, err);
	if (!ret)
		ret = put_string(w, PERFDATA_ARCH, uts.machine, err);
	if (!ret)
		ret = put_cpus(w, root, err);
	if (!ret)
		ret = put_memory(w, err);
	if (!ret)
		ret = put_pmus(w, root, err);
	return ret ? ret : put_command_line(w, argv, err);
}

/* Clock */

/* Read @clock and the time of day at the same moment, as well as two reads one by one allow */
static void read_both(clockid_t clock, u64 *time, u64 *of_day)
{
	u64 before, now, after, best = ~0ULL;
	unsigned int i;

	for (i = 0; i < 8; i++) {
		before = clock_ns(clock);
		now = clock_ns(CLOCK_REALTIME);
		after = clock_ns(clock);
		if (after - before > best)
			continue;
		best = after - before;
		*time = before + best / 2;
		*of_day = now;
	}
}

int host_write_clock(struct perfdata_writer *w, clockid_t clock, struct error *err)
{
	struct perfdata_blob blob = { 0 };
	u64 time = 0, of_day = 0;
	struct timespec resolution;
	int ret;

	clock_getres(clock, &resolution);
	perfdata_blob_u64(&blob, resolution.tv_sec * 1000000000ULL + resolution.tv_nsec);
	ret = perfdata_write_feature(w, PERFDATA_CLOCKID, &blob, err);
	if (ret)
		return ret;
	read_both(clock, &time, &of_day);
	perfdata_blob_u32(&blob, 1);	/* version */
	perfdata_blob_u32(&blob, clock);
	perfdata_blob_u64(&blob, of_day);
	perfdata_blob_u64(&blob, time);
	return perfdata_write_feature(w, PERFDATA_CLOCK_DATA, &blob, err);
}

/* Kernel symbols */

/* Level 1 packs kallsyms better than the default, 3: 6.4 MB to 1,293 kB, not to 1,308 kB */
#define KALLSYMS_LEVEL	1

static void put_compressed(struct perfdata_blob *blob, char *text, size_t size)
{
#if HAVE_ZSTD
	size_t bound = ZSTD_compressBound(size);

	blob->data = malloc(bound);
	blob->size = blob->data ? ZSTD_compress(blob->data, bound, text, size,
							 KALLSYMS_LEVEL) : 0;
	blob->failed = !blob->data || ZSTD_isError(blob->size);
	free(text);
#else
	blob->data = (u8 *)text;
	blob->size = size;
#endif
}

bool host_shows_addresses(const char *text)
{
	const char *line = text;
	unsigned int i;

	for (i = 0; i < 16 && line; i++) {
		if (strtoull(line, NULL, 16))
			return true;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return false;
}

int host_write_kallsyms(struct perfdata_writer *w, const char *root, struct error *err)
{
	struct perfdata_blob blob = { 0 };
	char path[PATH_MAX], *text;
	size_t size;
	int ret;

	snprintf(path, sizeof(path), "%s/proc/kallsyms", root);
	ret = sysfs_slurp(&text, &size, KALLSYMS_MAX, path);
	if (ret)
		return error_set(err, ret, "%s: %s", path, strerror(-ret));
	if (!host_shows_addresses(text)) {
		free(text);
		return error_set(err, -EACCES, "%s shows no addresses to this user", path);
	}
	put_compressed(&blob, text, size);
	return perfdata_write_feature(w, PERFDATA_PCS_KALLSYMS, &blob, err);
}

/* vDSO */

/* Bytes of the image: to the end of the last segment or of the section headers */
static size_t vdso_size(const u8 *image)
{
	const Elf64_Ehdr *ehdr = (const void *)image;
	const Elf64_Phdr *phdr = (const void *)(image + ehdr->e_phoff);
	size_t end = ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize;
	unsigned int i;

	for (i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_LOAD && phdr[i].p_offset + phdr[i].p_filesz > end)
			end = phdr[i].p_offset + phdr[i].p_filesz;
	return end;
}

int host_write_vdso(struct perfdata_writer *w, struct error *err)
{
	const u8 *image = (const u8 *)getauxval(AT_SYSINFO_EHDR);
	struct perfdata_blob blob = { 0 };

	if (!image)
		return 0;
	perfdata_blob_bytes(&blob, image, vdso_size(image));
	return perfdata_write_feature(w, PERFDATA_PCS_VDSO, &blob, err);
}
