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
#include "profile/callchain.h"
#include "symbols/elf-symbols.h"
#include "symbols/jitdump.h"
#include "symbols/load.h"
#include "symbols/perf-map.h"

#define KALLSYMS_MAX	(256U << 20)

/* What to pack, and where to */
struct packer {
	struct session *s;
	bool all;
	struct tar_writer *w;
	struct archive_result *r;
	struct need *need;	/* of each DSO */
	struct intern names;	/* of the packed files */
};

/**
 * struct need - what a report needs a DSO for
 * @samples: samples in its code
 * @code: samples are in its code, or their callers, or their branches
 */
struct need {
	u64 samples;
	bool code;
};

static bool has_chains(const struct session *s)
{
	size_t i;

	for (i = 0; i < session_events(s); i++)
		if (callchain_recorded(session_event(s, i)))
			return true;
	return false;
}

/* Samples and call chains. BY_DSO alone would count DSOs of the same name together. */
static int need_samples(struct packer *p, struct error *err)
{
	unsigned int by = BY_DSO | BY_SYM | (has_chains(p->s) ? BY_CALLERS : 0);
	struct aggregate a;
	u32 dso;
	size_t i;

	if (aggregate_run(&a, p->s, by, NULL, err))
		return -ENOMEM;
	for (i = 0; i < a.hist.nr; i++) {
		dso = aggregate_dso(hist_entry(&a.hist, i)->key);
		p->need[dso].samples += hist_counts(&a.hist, i)->count;
		p->need[dso].code = true;
	}
	for (i = 0; i < a.callers.nr; i++)
		p->need[aggregate_dso(hist_entry(&a.callers, i)->key)].code = true;
	aggregate_deinit(&a);
	return 0;
}

/* Branch stacks: the code that each branch was in, and where it went */
static int need_branches(struct packer *p, struct error *err)
{
	unsigned int by = BY_BRANCHES | BY_DSO | BY_SYM | BY_DSO_FROM | BY_SYM_FROM;
	struct aggregate a;
	struct place place;
	size_t i;

	if (aggregate_run(&a, p->s, by, NULL, err))
		return -ENOMEM;
	for (i = 0; i < a.hist.nr; i++) {
		aggregate_place(&a.hist, hist_entry(&a.hist, i)->key, &place);
		p->need[place.dso].code = true;
		p->need[place.from.dso].code = true;
	}
	aggregate_deinit(&a);
	return 0;
}

static bool is_needed(const struct packer *p, size_t dso)
{
	return p->all || p->need[dso].code;
}

/* A recording may be a directory: then each of its files is packed, under its name */
static int pack_recording(struct session *s, struct tar_writer *w, struct error *err)
{
	char path[PATH_MAX], name[PATH_MAX];
	unsigned int i;
	struct stat st;
	int fd, ret = 0;

	if (!s->pd->directory)
		return tar_add_fd(w, ARCHIVE_RECORDING, s->pd->fd, err);
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

/*
 * Take a name in the archive. Return: 1; 0 if an earlier file has it: with two of a name the
 * archive could not be unpacked; or a negative errno
 */
static int take_name(struct packer *p, const char *name, struct error *err)
{
	size_t had = p->names.nr;

	if (intern_add(&p->names, name, strlen(name)) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	return p->names.nr > had;
}

static void name_by_path(char *name, const struct dso *dso)
{
	snprintf(name, PATH_MAX, "%s", dso->path + strspn(dso->path, "/"));
}

/* Files with such an id are looked for by it. Return: false if @id is none */
static bool name_by_id(char *name, const struct build_id *id, const char *what)
{
	char hex[BUILD_ID_HEX];

	if (id->size < 2)
		return false;
	build_id_hex(id, hex);
	snprintf(name, PATH_MAX, ".build-id/%.2s/%s/%s", hex, hex + 2, what);
	return true;
}

/* The debug file that @elf names is looked for beside it. Return: false if it names none */
static bool name_by_link(char *name, const struct dso *dso, const struct elf_file *elf)
{
	const char *path = dso->path + strspn(dso->path, "/");
	const char *slash = strrchr(path, '/');
	Elf_Data *data;
	GElf_Shdr sh;

	if (!elf_file_section(elf, ".gnu_debuglink", &sh, &data))
		return false;
	return snprintf(name, PATH_MAX, "%.*s%.*s", slash ? (int)(slash + 1 - path) : 0, path,
			(int)strnlen(data->d_buf, data->d_size), (const char *)data->d_buf) <
	       PATH_MAX;
}

/* Return: 1 if it was packed, else 0; or a negative errno */
static int pack_elf(struct packer *p, const char *name, const struct dso *dso,
		    const struct elf_file *f, struct error *err)
{
	const char *bytes;
	size_t size;
	int ret;

	bytes = elf_rawfile(f->elf, &size);
	if (!bytes)
		return error_set(err, -EIO, "%s: %s", dso->path, elf_errmsg(-1));
	ret = take_name(p, name, err);
	return ret <= 0 ? ret : tar_add(p->w, name, bytes, size, err) ?: 1;
}

/* Maps and dumps of generated code. Missing ones are normal: their process may be gone */
static int pack_jit(struct packer *p, const struct dso *dso, struct error *err)
{
	char path[PATH_MAX], packed[PATH_MAX] = "";
	const char *symfs = p->s->options.symfs;
	struct error ignored;
	const char *name;
	int fd, ret;

	if (dso->kind == DSO_JITDUMP)
		fd = jitdump_open(dso->path, symfs, dso->pid, dso->mount_ns, packed, &ignored);
	else
		fd = perf_map_open_process(symfs, dso->pid, path, &ignored);
	if (fd < 0)
		return 0;
	name = *packed ? packed : dso->path;
	if (dso->kind == DSO_JITDUMP)
		snprintf(path, sizeof(path), "%s", name + strspn(name, "/"));
	else
		snprintf(path, sizeof(path), "tmp/perf-%d.map", dso->pid);
	ret = take_name(p, path, err);
	if (ret > 0) {
		ret = tar_add_fd(p->w, path, fd, err);
		p->r->jit_files++;
	}
	close(fd);
	return ret;
}

/*
 * Would this DSO get the same place in the archive as an earlier one? Then only the first is
 * packed: without a build id nothing tells which of them the file at their path is.
 */
static bool packed_before(const struct packer *p, size_t i)
{
	const struct dso *dso = p->s->dsos.dso[i], *other;
	size_t k;

	for (k = 0; k < i; k++) {
		other = p->s->dsos.dso[k];
		if (other->kind != dso->kind || other->pid != dso->pid || !is_needed(p, k) ||
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

static int pack_main(struct packer *p, size_t i, const struct elf_file *elf, struct error *err)
{
	const struct dso *dso = p->s->dsos.dso[i];
	char name[PATH_MAX];
	int ret;

	if (!elf) {
		p->r->missing++;
		p->r->missing_samples += p->need[i].samples;
		return 0;
	}
	if (!name_by_id(name, &dso->build_id, "elf"))
		name_by_path(name, dso);
	ret = pack_elf(p, name, dso, elf, err);
	p->r->files += ret > 0;
	return min(ret, 0);
}

/*
 * A debug file is looked for by the build id in the file with the code: whether the recording has
 * it, too, does not matter.
 */
static int pack_debug(struct packer *p, size_t i, const struct elf_file *elf,
		      const struct elf_file *debug, struct error *err)
{
	const struct dso *dso = p->s->dsos.dso[i];
	const struct build_id *id = elf ? &elf->id : &dso->build_id;
	char name[PATH_MAX];
	int ret;

	if (!(build_id_same(&debug->id, id) && name_by_id(name, id, "debug")) &&
	    !(elf && name_by_link(name, dso, elf)))
		return 0;
	ret = pack_elf(p, name, dso, debug, err);
	p->r->debug_files += ret > 0;
	return min(ret, 0);
}

static int pack_dso(struct packer *p, size_t i, struct error *err)
{
	struct dso *dso = session_load_dso(p->s, i);
	const struct elf_file *elf = elf_symbols_file(dso, false);
	const struct elf_file *debug = elf_symbols_file(dso, true);
	int ret = pack_main(p, i, elf, err);

	return ret || !debug ? ret : pack_debug(p, i, elf, debug, err);
}

static int pack_needed(struct packer *p, struct error *err)
{
	const struct dso *dso;
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < p->s->dsos.nr; i++) {
		if (!is_needed(p, i) || packed_before(p, i))
			continue;
		dso = p->s->dsos.dso[i];
		progress("packing", dso->name, i, p->s->dsos.nr);
		if (dso->kind == DSO_FILE)
			ret = pack_dso(p, i, err);
		else if (dso->kind == DSO_GENERATED || dso->kind == DSO_JITDUMP)
			ret = pack_jit(p, dso, err);
	}
	progress_end();
	return ret;
}

static int pack_dsos(struct packer *p, struct error *err)
{
	int ret;

	p->need = calloc(p->s->dsos.nr, sizeof(*p->need));
	if (!p->need)
		return error_set(err, -ENOMEM, "out of memory");
	ret = need_samples(p, err);
	if (!ret && session_has_branches(p->s))
		ret = need_branches(p, err);
	if (!ret)
		ret = pack_needed(p, err);
	free(p->need);
	return ret;
}

/* What reports read from this machine if the recording does not have it */
static int pack_kernel(struct packer *p, struct error *err)
{
	const struct session *s = p->s;
	const char *path = s->options.kallsyms ? s->options.kallsyms : "/proc/kallsyms";
	size_t size;
	char *text;
	int ret = 0;

	if (s->dsos.kallsyms.nr_syms && !s->pd->feature[PERFDATA_PCS_KALLSYMS].size) {
		ret = sysfs_slurp(&text, &size, KALLSYMS_MAX, path);
		if (ret)
			return error_set(err, ret, "%s: %s", path, strerror(-ret));
		ret = tar_add(p->w, ARCHIVE_KALLSYMS, text, size, err);
		free(text);
	}
	if (!ret && s->dsos.vdso && !s->pd->feature[PERFDATA_PCS_VDSO].size)
		ret = tar_add(p->w, ARCHIVE_VDSO, s->dsos.vdso, s->dsos.vdso_size, err);
	return ret;
}

/* No mapped file gets these names, whatever paths a recording has */
static int take_own_names(struct packer *p, struct error *err)
{
	static const char *const own[] = { ARCHIVE_RECORDING, ARCHIVE_KALLSYMS, ARCHIVE_VDSO };
	size_t i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(own) && ret >= 0; i++)
		ret = take_name(p, own[i], err);
	return min(ret, 0);
}

int archive_pack(struct session *s, bool all, struct tar_writer *w,
		 struct archive_result *result, struct error *err)
{
	struct packer p = { .s = s, .all = all, .w = w, .r = result };
	int ret;

	memset(result, 0, sizeof(*result));
	ret = take_own_names(&p, err);
	if (!ret)
		ret = pack_recording(s, w, err);
	if (!ret)
		ret = pack_dsos(&p, err);
	if (!ret)
		ret = pack_kernel(&p, err);
	intern_deinit(&p.names);
	return ret;
}
