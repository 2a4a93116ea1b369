// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>
#if HAVE_ZSTD
#include <zstd.h>
#endif

#include "lib/kallsyms-cache.h"
#include "lib/kernel-symbols.h"
#include "lib/regular-file.h"

/* Is the running kernel the recorded one? */

#define KERNEL_NAME "[kernel.kallsyms]"

static bool recorded_kernel_id(const struct perfdata *pd, struct build_id *id)
{
	struct perfdata_span f = pd->feature[PERFDATA_BUILD_ID];
	u16 mode;
	u64 size;

	for (; f.size >= sizeof(struct perfdata_build_id); f.p += size, f.size -= size) {
		size = rec_size(f.p);
		mode = rec_misc(f.p) & PERF_RECORD_MISC_CPUMODE_MASK;
		if (size <= sizeof(struct perfdata_build_id) || size > f.size)
			break;
		if (mode != PERF_RECORD_MISC_KERNEL ||
		    strncmp((const char *)f.p + sizeof(struct perfdata_build_id), KERNEL_NAME,
			    min(size - sizeof(struct perfdata_build_id),
				(u64)strlen(KERNEL_NAME))))
			continue;
		id->size = BUILD_ID_MAX;
		if (rec_misc(f.p) & PERFDATA_MISC_BUILD_ID_SIZE)
			id->size = min(f.p[offsetof(struct perfdata_build_id, build_id_size)],
				       (u8)BUILD_ID_MAX);
		memcpy(id->bytes, f.p + offsetof(struct perfdata_build_id, build_id), BUILD_ID_MAX);
		return id->size;
	}
	return false;
}

/* /sys/kernel/notes: ELF notes; the build id has name "GNU" and type 3 */
static bool running_kernel_id(struct build_id *id)
{
	u8 buf[4096];
	u64 name_size, desc_size, at = 0, next;
	ssize_t n;
	int fd;

	fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, buf, sizeof(buf));
	close(fd);
	while (n > 0 && at + 12 <= n) {
		name_size = load32(buf + at);
		desc_size = load32(buf + at + 4);
		next = at + 12 + ALIGN_UP(name_size, 4) + ALIGN_UP(desc_size, 4);
		if (next > n)
			break;
		if (load32(buf + at + 8) == 3 && name_size == 4 && desc_size <= BUILD_ID_MAX &&
		    !memcmp(buf + at + 12, "GNU", 4)) {
			id->size = desc_size;
			memcpy(id->bytes, buf + at + 16, desc_size);
			return true;
		}
		at = next;
	}
	return false;
}

bool kernel_symbols_running(const struct perfdata *pd)
{
	const char *release = perfdata_string(pd, PERFDATA_OSRELEASE);
	const char *arch = perfdata_string(pd, PERFDATA_ARCH);
	struct build_id recorded = { 0 }, running = { 0 };
	struct utsname uts;

	if (recorded_kernel_id(pd, &recorded) && running_kernel_id(&running))
		return recorded.size == running.size &&
		       !memcmp(recorded.bytes, running.bytes, running.size);
	if (uname(&uts) || !release || !arch)
		return false;
	return !strcmp(release, uts.release) && !strcmp(arch, uts.machine);
}

/* The list */

#define KALLSYMS_MAX_BYTES (256U << 20)

#if HAVE_ZSTD
static void unpack_list(struct kallsyms *k, const struct perfdata_span *f, struct error *err)
{
	unsigned long long size = ZSTD_getFrameContentSize(f->p, f->size);
	char *text;

	if (size > KALLSYMS_MAX_BYTES) {
		error_set(err, -EINVAL, "the recording's list of kernel symbols is damaged");
		return;
	}
	text = malloc(size + 1);
	if (!text) {
		error_set(err, -ENOMEM, "out of memory");
		return;
	}
	if (ZSTD_decompress(text, size, f->p, f->size) != size) {
		free(text);
		error_set(err, -EINVAL, "the recording's list of kernel symbols is damaged");
		return;
	}
	kallsyms_parse(k, text, size, err);
}
#else
static void unpack_list(struct kallsyms *k, const struct perfdata_span *f, struct error *err)
{
	error_set(err, -EOPNOTSUPP, "no kernel symbols: pcsample was built without zstd");
}
#endif

void kernel_symbols_find(struct kallsyms *k, const struct perfdata *pd,
			 const struct session_options *options, struct error *err)
{
	const struct perfdata_span *f = &pd->feature[PERFDATA_PCS_KALLSYMS];
	const char *release = perfdata_string(pd, PERFDATA_OSRELEASE);

	if (options->kallsyms)
		kallsyms_read(k, options->kallsyms, err);
	else if (f->size)
		unpack_list(k, f, err);
	else if (kernel_symbols_running(pd))
		kallsyms_read_running(k, err);
	else
		error_set(err, -ENOENT,
			  "kernel %s was recorded and does not run here: no kernel symbols; --kallsyms FILE gives them",
			  release ? release : "of unknown release");
}

/* Placing it */

#define VDSO_MAX_BYTES (1U << 20)

static int cover_kernel(struct session *s, const struct kallsyms_module *m)
{
	const struct process *kernel = &s->sb.kernel;
	size_t i, e;

	for (e = 0; e < kernel->nr; e++)
		for (i = 0; i < kernel->epoch[e].e->nr; i++)
			if (kernel->epoch[e].e->range[i].dso == DSO_INDEX_KERNEL)
				return 0;
	return sideband_add_kernel(&s->sb, m->start + s->dsos.kallsyms.shift, m->end - m->start,
				   DSO_INDEX_KERNEL);
}

/*
 * Lists of what the kernel made while it ran, wherever there was room: "[bpf]",
 * "[__builtin__ftrace]" and more. Each symbol is a piece of code of its own, between others'.
 */
static bool is_made_code(const struct kallsyms_module *m)
{
	return m->name_len && ((m->name_len == 3 && !memcmp(m->name, "bpf", 3)) ||
			       (m->name_len > 2 && !memcmp(m->name, "__", 2)));
}

static bool overlaps_others(const struct session *s, const struct kallsyms_module *m)
{
	const struct kallsyms *k = &s->dsos.kallsyms;
	const struct process *kernel = &s->sb.kernel;
	const struct range *r;
	size_t i, e;

	for (i = 0; i < k->nr_modules; i++)
		if (&k->module[i] != m && !is_made_code(&k->module[i]) &&
		    k->module[i].start < m->end && m->start < k->module[i].end)
			return true;
	for (e = 0; e < kernel->nr; e++) {
		for (i = 0; i < kernel->epoch[e].e->nr; i++) {
			r = &kernel->epoch[e].e->range[i];
			if (r->dso != DSO_INDEX_KERNEL && r->start < m->end && m->start < r->end)
				return true;
		}
	}
	return false;
}

static int add_module(struct session *s, const struct kallsyms_module *m)
{
	char name[80];
	int dso;

	if (m->name_len + 2 >= sizeof(name) || overlaps_others(s, m))
		return 0;
	snprintf(name, sizeof(name), "[%.*s]", (int)m->name_len, m->name);
	dso = dso_table_kernel_map(&s->dsos, name, strlen(name), DSO_MODULE, NULL);
	if (dso < 0)
		return dso;
	return sideband_add_kernel(&s->sb, m->start, ALIGN_UP(m->end, 4096) - m->start, dso);
}

/* The list does not tell where a program ends: nothing runs between it and what follows */
#define PROGRAM_MAX_BYTES (1U << 20)

static u64 end_of_program(const struct session *s, u64 start)
{
	const struct process *kernel = &s->sb.kernel;
	const struct kallsyms *k = &s->dsos.kallsyms;
	u64 end = start + PROGRAM_MAX_BYTES;
	size_t i, e;

	for (i = 0; i < k->nr_modules; i++)
		if (!is_made_code(&k->module[i]) && k->module[i].start > start)
			end = min(end, k->module[i].start);
	for (e = 0; e < kernel->nr; e++)
		for (i = 0; i < kernel->epoch[e].e->nr; i++)
			if (kernel->epoch[e].e->range[i].start > start)
				end = min(end, kernel->epoch[e].e->range[i].start);
	return end;
}

/* Did a record tell of it? */
static bool is_known_program(const struct session *s, u64 start)
{
	const struct process *kernel = &s->sb.kernel;
	const struct range *r;
	size_t e;

	for (e = 0; e < kernel->nr; e++) {
		r = epoch_find(kernel->epoch[e].e, start, TIME_MAX);
		if (r && s->dsos.dso[r->dso]->kind == DSO_BPF)
			return true;
	}
	return false;
}

static int by_start(const void *x, const void *y)
{
	const struct sideband_program *a = x, *b = y;

	return a->start < b->start ? -1 : a->start > b->start;
}

static int add_made_code(struct session *s, const struct kallsyms_module *m)
{
	const struct kallsyms *k = &s->dsos.kallsyms;
	struct sideband_program *p = calloc(m->nr, sizeof(*p));
	size_t i, nr = 0;
	int ret;

	if (!p)
		return -ENOMEM;
	for (i = m->first; i < m->first + m->nr; i++) {
		if (is_known_program(s, k->syms[i].addr))
			continue;
		p[nr].start = k->syms[i].addr;
		p[nr++].name = k->text + k->syms[i].name;
	}
	qsort(p, nr, sizeof(*p), by_start);
	for (i = 0; i < nr; i++) {
		p[i].end = end_of_program(s, p[i].start);
		if (i + 1 < nr && p[i + 1].start > p[i].start)
			p[i].end = min(p[i].end, p[i + 1].start);
	}
	ret = sideband_add_programs(&s->sb, &s->dsos, p, nr);
	free(p);
	return ret;
}

/*
 * The trampoline of arm64 (kernel page-table isolation): exceptions from EL0 enter, and leave, by a
 * copy of .entry.tramp.text that is mapped in the fixmap. Where there depends on the kernel's
 * configuration, which a recording does not have. But each way out runs tramp_exit in its last
 * page, so the last page in which samples were on their way out tells. The ways in are vectors for
 * exceptions from a lower Exception level, in the second half of the 2 KiB of a table (Arm ARM,
 * D1.4.1, Table D1-5); the way out is in the first half of what would be the next one.
 */
#define FIXMAP_BYTES	(4ULL << 20)
#define VECTORS_BYTES	2048
#define LOWER_EL	1024

/* FIXADDR_TOP of Linux since 6.9, and before with 48 and 39 bits of address */
static const u64 fixmap_ends[] = {
	-(8ULL << 20), 0xfffffc0000000000ULL - (32ULL << 20), 0xfffffffe00000000ULL - (32ULL << 20),
};

static bool in_fixmap(u64 ip)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fixmap_ends); i++)
		if (fixmap_ends[i] - 1 - ip < FIXMAP_BYTES)
			return true;
	return false;
}

/* The highest page of the fixmap with samples on their way out; 0 if there are none */
static u64 last_exit_page(struct session *s)
{
	const struct sample_layout *l;
	struct perfdata *pd = s->pd;
	u64 pos = 0, ip, last = 0;
	const u8 *rec;
	u32 event;

	while ((rec = perfdata_next(pd, &pos))) {
		if (rec_type(rec) != PERF_RECORD_SAMPLE ||
		    (rec_misc(rec) & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL)
			continue;
		event = perfdata_event_of(pd, rec);
		l = event == IDMAP_NONE ? NULL : &pd->events[event].layout;
		if (!l || rec_size(rec) < l->size)
			continue;
		ip = sample_u64(rec, l->ip, 0);
		if (in_fixmap(ip) && ip % VECTORS_BYTES < LOWER_EL)
			last = max(last, ip & ~4095ULL);
	}
	return last;
}

static int place_trampoline(struct session *s)
{
	const struct kallsyms *k = &s->dsos.kallsyms;
	const char *arch = perfdata_string(s->pd, PERFDATA_ARCH);
	u64 start, end, exit, last;

	if (!arch || strcmp(arch, "aarch64"))
		return 0;
	start = kallsyms_find(k, "__entry_tramp_text_start");
	end = kallsyms_find(k, "__entry_tramp_text_end");
	exit = kallsyms_find(k, "tramp_exit");
	if (!start || start > exit || exit >= end)
		return 0;
	last = last_exit_page(s);
	if (!last)
		return 0;
	last -= (exit - start) & ~4095ULL;
	return sideband_add_kernel_at(&s->sb, last, end - start, DSO_INDEX_KERNEL,
				      start + k->shift - last);
}

/* The same kernel at another address: its own symbols move together, modules do not */
static int follow_move(struct session *s)
{
	struct kallsyms *k = &s->dsos.kallsyms;
	char name[64];
	u64 now;

	if (!s->sb.kernel_ref_addr)
		return 0;
	snprintf(name, sizeof(name), "%s", s->sb.kernel_ref_name);
	now = kallsyms_find(k, name);
	if (!now || now == s->sb.kernel_ref_addr)
		return 0;
	k->shift = s->sb.kernel_ref_addr - now;
	if (k->nr_modules > 1) {
		k->nr_modules = 1;
		return session_note(s, "the machine was booted again since the recording: "
				       "no symbols of modules");
	}
	return 0;
}

/* As a file: an archive of a recording that has none has it */
static bool read_vdso(struct session *s)
{
	char path[PATH_MAX], *image;
	size_t size;

	if (snprintf(path, sizeof(path), "%s/[vdso]", s->options.symfs) >= sizeof(path) ||
	    regular_read(path, VDSO_MAX_BYTES, &image, &size))
		return false;
	s->vdso = (u8 *)image;
	s->dsos.vdso = s->vdso;
	s->dsos.vdso_size = size;
	return true;
}

/* This machine's vDSO, if it is the recorded one's */
static int find_vdso(struct session *s)
{
	struct perfdata_span *f = &s->pd->feature[PERFDATA_PCS_VDSO];
	u64 start, end;
	char line[512];
	FILE *maps;

	if (f->size) {
		s->dsos.vdso = f->p;
		s->dsos.vdso_size = f->size;
		return 0;
	}
	if (s->options.symfs && read_vdso(s))
		return 0;
	if (!kernel_symbols_running(s->pd))
		return 0;
	maps = fopen("/proc/self/maps", "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "[vdso]") ||
		    sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) != 2)
			continue;
		s->vdso = malloc(end - start);
		if (s->vdso) {
			memcpy(s->vdso, (void *)(uintptr_t)start, end - start);
			s->dsos.vdso = s->vdso;
			s->dsos.vdso_size = end - start;
		}
		break;
	}
	if (maps)
		fclose(maps);
	return 0;
}

int kernel_symbols_place(struct session *s)
{
	struct kallsyms *k = &s->dsos.kallsyms;
	size_t i;
	int ret;

	ret = find_vdso(s);
	if (ret || !k->nr_modules)
		return ret;
	ret = follow_move(s);
	for (i = 0; !ret && i < k->nr_modules; i++)
		if (!is_made_code(&k->module[i]))
			ret = k->module[i].name_len ? add_module(s, &k->module[i]) :
						      cover_kernel(s, &k->module[i]);
	for (i = 0; !ret && i < k->nr_modules; i++)
		if (is_made_code(&k->module[i]))
			ret = add_made_code(s, &k->module[i]);
	return ret ? ret : place_trampoline(s);
}
