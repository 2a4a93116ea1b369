// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/safe-file.h"
#include "base/text-file.h"
#include "profile/aggregate.h"
#include "profile/archive.h"
#include "symbols/elf-symbols.h"
#include "symbols/jitdump.h"
#include "symbols/load.h"
#include "symbols/perf-map.h"

#define KALLSYMS_MAX	(256U << 20)

/* Samples of each DSO */
static u64 *count_samples(struct session *s, struct error *err)
{
	u64 *samples = calloc(s->dsos.nr, sizeof(*samples));
	struct aggregate a;
	size_t i;

	if (!samples) {
		error_set(err, -ENOMEM, "out of memory");
		return NULL;
	}
	/* BY_DSO alone would count DSOs of the same name together */
	if (aggregate_run(&a, s, BY_DSO | BY_SYM, NULL, err)) {
		free(samples);
		return NULL;
	}
	for (i = 0; i < a.hist.nr; i++)
		samples[aggregate_dso(hist_entry(&a.hist, i)->key)] +=
			hist_counts(&a.hist, i)->count;
	aggregate_deinit(&a);
	return samples;
}

/* A recording may be a directory: each of its files is packed, under its name */
static int pack_recording(struct session *s, struct tar_writer *w, struct error *err)
{
	char path[PATH_MAX], name[PATH_MAX];
	unsigned int i;
	struct stat st;
	int fd, ret = 0;

	for (i = 0; !ret && perfdata_file(s->pd, i, path); i++) {
		fd = regular_open(path, &st);
		if (fd < 0)
			return error_set(err, fd, "%s: %s", path, fd != -EINVAL ? strerror(-fd) :
					 "not a regular file, cannot be read twice");
		snprintf(name, sizeof(name), "%s%s", ARCHIVE_RECORDING,
			 path + strlen(s->pd->path));
		ret = tar_add_fd(w, name, fd, err);
		close(fd);
	}
	return ret;
}

static void name_by_id(char *name, size_t size, const struct build_id *id, const char *what)
{
	char hex[BUILD_ID_HEX];

	build_id_hex(id, hex);
	snprintf(name, size, ".build-id/%.2s/%s/%s", hex, hex + 2, what);
}

static int pack_elf(struct tar_writer *w, const struct dso *dso, const struct elf_file *f,
		    const char *what, struct error *err)
{
	char name[PATH_MAX];
	const char *bytes;
	size_t size;

	bytes = elf_rawfile(f->elf, &size);
	if (!bytes)
		return error_set(err, -EIO, "%s: %s", dso->path, elf_errmsg(-1));
	if (dso->build_id.size > 1)
		name_by_id(name, sizeof(name), &dso->build_id, what);
	else
		snprintf(name, sizeof(name), "%s", dso->path + strspn(dso->path, "/"));
	return tar_add(w, name, bytes, size, err);
}

/* Maps and dumps of generated code. Missing ones are normal: their process may be gone */
static int pack_jit(struct session *s, const struct dso *dso, struct tar_writer *w,
		    struct archive_result *r, struct error *err)
{
	char path[PATH_MAX], packed[PATH_MAX] = "";
	struct error ignored;
	const char *name;
	int fd, ret;

	if (dso->kind == DSO_JITDUMP)
		fd = jitdump_open(dso->path, s->options.symfs, dso->pid, dso->mount_ns, packed,
				  &ignored);
	else
		fd = perf_map_open_process(s->options.symfs, dso->pid, path, &ignored);
	if (fd < 0)
		return 0;
	name = *packed ? packed : dso->path;
	if (dso->kind == DSO_JITDUMP)
		snprintf(path, sizeof(path), "%s", name + strspn(name, "/"));
	else
		snprintf(path, sizeof(path), "tmp/perf-%d.map", dso->pid);
	ret = tar_add_fd(w, path, fd, err);
	r->jit_files++;
	close(fd);
	return ret;
}

/*
 * Would this DSO get the same place in the archive as an earlier one? Then only the first is
 * packed: without a build id nothing tells which of them the file at their path is.
 */
static bool packed_before(const struct session *s, size_t i, const u64 *samples, bool all)
{
	const struct dso *dso = s->dsos.dso[i], *other;
	size_t k;

	for (k = 0; k < i; k++) {
		other = s->dsos.dso[k];
		if (other->kind != dso->kind || other->pid != dso->pid || !(all || samples[k]) ||
		    other->build_id.size != dso->build_id.size)
			continue;
		if (dso->kind == DSO_GENERATED)		/* all of a process is in one map */
			return true;
		if (dso->build_id.size ? !memcmp(&other->build_id, &dso->build_id,
						 sizeof(dso->build_id)) :
					 !strcmp(other->path, dso->path))
			return true;
	}
	return false;
}

static int pack_dso(struct session *s, size_t i, u64 samples, struct tar_writer *w,
		    struct archive_result *r, struct error *err)
{
	struct dso *dso = s->dsos.dso[i];
	const struct elf_file *elf, *debug;
	int ret = 0;

	dso_load(&s->dsos, dso);
	elf = elf_symbols_file(dso, false);
	debug = elf_symbols_file(dso, true);
	if (elf) {
		ret = pack_elf(w, dso, elf, "elf", err);
		r->files++;
	} else {
		r->missing++;
		r->missing_samples += samples;
	}
	/* Without a build id nothing would find it */
	if (!ret && debug && dso->build_id.size > 1) {
		ret = pack_elf(w, dso, debug, "debug", err);
		r->debug_files++;
	}
	return ret;
}

static int pack_dsos(struct session *s, bool all, struct tar_writer *w, struct archive_result *r,
		     struct error *err)
{
	u64 *samples = count_samples(s, err);
	int ret = samples ? 0 : -ENOMEM;
	const struct dso *dso;
	size_t i;

	for (i = 0; !ret && i < s->dsos.nr; i++) {
		if (!(all || samples[i]) || packed_before(s, i, samples, all))
			continue;
		dso = s->dsos.dso[i];
		progress("packing", dso->name, i, s->dsos.nr);
		if (dso->kind == DSO_FILE)
			ret = pack_dso(s, i, samples[i], w, r, err);
		else if (dso->kind == DSO_GENERATED || dso->kind == DSO_JITDUMP)
			ret = pack_jit(s, dso, w, r, err);
	}
	progress_end();
	free(samples);
	return ret;
}

/* What reports read from this machine if the recording does not have it */
static int pack_kernel(struct session *s, struct tar_writer *w, struct error *err)
{
	const char *path = s->options.kallsyms ? s->options.kallsyms : "/proc/kallsyms";
	size_t size;
	char *text;
	int ret = 0;

	if (s->dsos.kallsyms.nr_syms && !s->pd->feature[PERFDATA_PCS_KALLSYMS].size) {
		ret = sysfs_slurp(&text, &size, KALLSYMS_MAX, path);
		if (ret)
			return error_set(err, ret, "%s: %s", path, strerror(-ret));
		ret = tar_add(w, ARCHIVE_KALLSYMS, text, size, err);
		free(text);
	}
	if (!ret && s->dsos.vdso && !s->pd->feature[PERFDATA_PCS_VDSO].size)
		ret = tar_add(w, ARCHIVE_VDSO, s->dsos.vdso, s->dsos.vdso_size, err);
	return ret;
}

int archive_pack(struct session *s, bool all, struct tar_writer *w,
		 struct archive_result *result, struct error *err)
{
	int ret;

	memset(result, 0, sizeof(*result));
	ret = pack_recording(s, w, err);
	if (!ret)
		ret = pack_dsos(s, all, w, result, err);
	return ret ? ret : pack_kernel(s, w, err);
}
