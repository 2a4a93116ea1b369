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

#include "base/build-id.h"
#include "base/safe-file.h"
#include "profile/kernel.h"
#include "symbols/kallsyms-cache.h"

/* Is the running kernel the recorded one? */

#define KERNEL_NAME "[kernel.kallsyms]"

static bool recorded_kernel_id(const struct perfdata *pd, struct build_id *id)
{
	const char *path;
	u64 pos = 0;
	int mode;

	while ((mode = perfdata_next_build_id(pd, &pos, id, &path)) >= 0)
		if (mode == PERF_RECORD_MISC_KERNEL &&
		    !strncmp(path, KERNEL_NAME, strlen(KERNEL_NAME)))
			return id->size;
	return false;
}

bool kernel_symbols_running(const struct perfdata *pd, const struct build_id *mapped)
{
	const char *release = perfdata_string(pd, PERFDATA_OSRELEASE);
	const char *arch = perfdata_string(pd, PERFDATA_ARCH);
	struct build_id recorded = { 0 }, running = { 0 };
	struct utsname uts;

	if (!recorded_kernel_id(pd, &recorded) && mapped)
		recorded = *mapped;
	if (recorded.size && build_id_of_sysfs(&running, "/sys/kernel/notes"))
		return build_id_same(&recorded, &running);
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

/* Read the list that pcsample archive packs if the recording has none */
static void read_below(struct kallsyms *k, const char *dir, struct error *err)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/kallsyms", dir) < (int)sizeof(path) &&
	    !access(path, R_OK))
		kallsyms_read(k, path, err);
	else
		error_set(err, -ENOENT,
			  "--symfs looks only below its directory: no kernel symbols; --kallsyms FILE gives them");
}

void kernel_symbols_find(struct kallsyms *k, const struct perfdata *pd, const char *list,
			 const char *below, const struct build_id *mapped, struct error *err)
{
	const struct perfdata_span *f = &pd->feature[PERFDATA_PCS_KALLSYMS];
	const char *release = perfdata_string(pd, PERFDATA_OSRELEASE);

	if (list)
		kallsyms_read(k, list, err);
	else if (f->size)
		unpack_list(k, f, err);
	else if (below)
		read_below(k, below, err);
	else if (kernel_symbols_running(pd, mapped))
		kallsyms_read_running(k, err);
	else
		error_set(err, -ENOENT,
			  "kernel %s was recorded and does not run here: no kernel symbols; --kallsyms FILE gives them",
			  release ? release : "of unknown release");
}

/* Placing it */

#define VDSO_MAX_BYTES (1U << 20)

/* What is mapped in the kernel's address space, which has a single epoch */
static const struct epoch *kernel_epoch(const struct kernel_place *to)
{
	static const struct epoch empty;

	return to->sb->kernel.nr ? to->sb->kernel.epoch[0].e : &empty;
}

/*
 * Is it a list of code that the kernel generated while it ran: "[bpf]", "[__builtin__ftrace]" and
 * more? Such code is wherever there was room, so each symbol is a piece of its own.
 */
static bool is_made_code(const struct kallsyms_module *m)
{
	return m->name_len && ((m->name_len == 3 && !memcmp(m->name, "bpf", 3)) ||
			       (m->name_len > 2 && !memcmp(m->name, "__", 2)));
}

/*
 * Where the list has the kernel and its modules, but made code. Lists may have 100,000s of modules:
 * do not look at all of them for each.
 * @start: sorted
 * @until: for each, the last end of it and of all before it
 */
struct listed {
	struct {
		u64 start, until;
	} *code;
	size_t nr;
};

static int list_modules(struct listed *l, const struct kallsyms *k)
{
	size_t i;

	l->nr = 0;
	l->code = calloc(k->nr_modules, sizeof(*l->code));
	if (!l->code)
		return -ENOMEM;
	for (i = 0; i < k->nr_modules; i++) {
		if (is_made_code(&k->module[i]))
			continue;
		l->code[l->nr].start = k->module[i].start;
		l->code[l->nr++].until = k->module[i].end;
	}
	qsort(l->code, l->nr, sizeof(*l->code), by_first_u64);
	for (i = 1; i < l->nr; i++)
		l->code[i].until = max(l->code[i].until, l->code[i - 1].until);
	return 0;
}

/* Does a module share addresses with others of the list, or with what records tell of? */
static bool overlaps_others(const struct listed *l, const struct epoch *kernel,
			    const struct kallsyms_module *m)
{
	size_t n = nr_up_to(l->code, l->nr, start, m->start);
	const struct range *r;

	/* The one before n is the module itself, or another one that begins there */
	if ((n > 1 && l->code[n - 2].until > m->start) ||
	    (n < l->nr && l->code[n].start < m->end))
		return true;
	r = kernel->range + nr_up_to(kernel->range, kernel->nr, start, m->end - 1);
	for (; r > kernel->range && r[-1].end > m->start; r--)
		if (r[-1].dso != DSO_INDEX_KERNEL)
			return true;
	return false;
}

/* Set where a module is, or a size of 0. Return: 0 or -ENOMEM */
static int find_module(struct kernel_place *to, const struct listed *l,
		       const struct kallsyms_module *m, struct sideband_code *code)
{
	size_t next = nr_up_to(l->code, l->nr, start, m->start);
	u64 end = ALIGN_UP(m->end, 4096);
	char name[80];
	int dso;

	code->len = 0;
	if (m->name_len + 2 >= sizeof(name) || overlaps_others(l, kernel_epoch(to), m))
		return 0;
	if (next < l->nr)
		end = min(end, l->code[next].start);
	snprintf(name, sizeof(name), "[%.*s]", (int)m->name_len, m->name);
	dso = dso_table_kernel_map(to->dsos, name, strlen(name), DSO_MODULE, NULL);
	if (dso < 0)
		return dso;
	*code = (struct sideband_code){
		.start = m->start, .len = end - m->start, .dso = dso,
	};
	return 0;
}

static bool is_kernel_placed(const struct kernel_place *to)
{
	const struct epoch *kernel = kernel_epoch(to);
	size_t i;

	for (i = 0; i < kernel->nr; i++)
		if (kernel->range[i].dso == DSO_INDEX_KERNEL)
			return true;
	return false;
}

/* Where no record tells of the kernel or a module, the list does */
static int add_modules(struct kernel_place *to, const struct listed *l)
{
	const struct kallsyms *k = &to->dsos->kallsyms;
	struct sideband_code *code = calloc(l->nr, sizeof(*code));
	bool placed = is_kernel_placed(to);
	const struct kallsyms_module *m;
	size_t nr = 0;
	int ret = code ? 0 : -ENOMEM;

	for (m = k->module; !ret && m < k->module + k->nr_modules; m++) {
		if (is_made_code(m))
			continue;
		if (m->name_len) {
			ret = find_module(to, l, m, &code[nr]);
			nr += code[nr].len != 0;
		} else if (!placed) {
			code[nr++] = (struct sideband_code){
				.start = m->start + k->shift, .len = m->end - m->start,
				.dso = DSO_INDEX_KERNEL,
			};
			placed = true;
		}
	}
	if (!ret)
		ret = sideband_add_code(to->sb, code, nr);
	free(code);
	return ret;
}

/* The list does not say where programs end: assume that each extends to the next entry */
#define PROGRAM_MAX_BYTES (1U << 20)

static u64 end_of_program(const struct listed *l, const struct epoch *kernel, u64 start)
{
	u64 end = start + PROGRAM_MAX_BYTES;
	size_t n;

	n = nr_up_to(l->code, l->nr, start, start);
	if (n < l->nr)
		end = min(end, l->code[n].start);
	n = nr_up_to(kernel->range, kernel->nr, start, start);
	if (n < kernel->nr)
		end = min(end, kernel->range[n].start);
	return end;
}

/* Does a record tell of this program? */
static bool is_known_program(const struct kernel_place *to, u64 start)
{
	const struct range *r = epoch_find(kernel_epoch(to), start, TIME_MAX);

	return r && to->dsos->dso[r->dso]->kind == DSO_BPF;
}

static void find_made_code(const struct kernel_place *to, const struct kallsyms_module *m,
			   struct sideband_program *p, size_t *nr)
{
	const struct kallsyms *k = &to->dsos->kallsyms;
	size_t i;

	for (i = m->first; i < m->first + m->nr; i++) {
		if (is_known_program(to, k->syms[i].addr))
			continue;
		p[*nr].start = k->syms[i].addr;
		p[(*nr)++].name = k->text + k->syms[i].name;
	}
}

static int add_made_code(struct kernel_place *to, const struct listed *l)
{
	const struct kallsyms *k = &to->dsos->kallsyms;
	struct sideband_program *p = calloc(k->nr_syms, sizeof(*p));
	u64 next = UINT64_MAX;
	size_t i, nr = 0;
	int ret;

	if (!p)
		return -ENOMEM;
	for (i = 0; i < k->nr_modules; i++)
		if (is_made_code(&k->module[i]))
			find_made_code(to, &k->module[i], p, &nr);
	qsort(p, nr, sizeof(*p), by_first_u64);
	for (i = nr; i--; ) {
		if (i + 1 < nr && p[i + 1].start > p[i].start)
			next = p[i + 1].start;
		p[i].end = min(end_of_program(l, kernel_epoch(to), p[i].start), next);
	}
	ret = nr ? sideband_add_programs(to->sb, to->dsos, p, nr) : 0;
	free(p);
	return ret;
}

/*
 * The trampoline of arm64 (kernel page-table isolation): exceptions from EL0 enter and leave the
 * kernel through a copy of .entry.tramp.text in the fixmap. Its address there depends on the
 * kernel's configuration, which is not recorded. But samples tell it: whoever leaves runs
 * tramp_exit, so the last page of the fixmap with samples of leaving code is the page of
 * tramp_exit. Entry and exit differ in their addresses: code that enters is in vectors for
 * exceptions from a lower Exception level, in the second half of the 2 KiB of a vector table (Arm
 * ARM, D1.4.1, Table D1-5). The exit code follows the last table, so it is in the first half of the
 * next 2 KiB.
 */
#define FIXMAP_BYTES	(4ULL << 20)
#define VECTORS_BYTES	2048
#define LOWER_EL	1024

/* FIXADDR_TOP of Linux since 6.9; before that, with virtual addresses of 48 and of 39 bits */
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

/* The last page of the fixmap with samples of leaving code; 0 if there are none */
static u64 last_exit_page(struct kernel_place *to)
{
	const struct sample_layout *l;
	struct perfdata *pd = to->pd;
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

static int place_trampoline(struct kernel_place *to)
{
	const struct kallsyms *k = &to->dsos->kallsyms;
	const char *arch = perfdata_string(to->pd, PERFDATA_ARCH);
	struct sideband_code code = { .dso = DSO_INDEX_KERNEL };
	u64 start, end, exit, last;

	if (!arch || strcmp(arch, "aarch64"))
		return 0;
	start = kallsyms_find(k, "__entry_tramp_text_start");
	end = kallsyms_find(k, "__entry_tramp_text_end");
	exit = kallsyms_find(k, "tramp_exit");
	if (!start || start > exit || exit >= end)
		return 0;
	last = last_exit_page(to);
	if (!last)
		return 0;
	last -= (exit - start) & ~4095ULL;
	code.start = last;
	code.len = end - start;
	code.shift = start + k->shift - last;
	return sideband_add_code(to->sb, &code, 1);
}

/* The same kernel at another address (KASLR): its symbols all moved by as much, but not modules */
static void follow_move(struct kernel_place *to)
{
	struct kallsyms *k = &to->dsos->kallsyms;
	char name[64];
	u64 now;

	if (!to->sb->kernel_ref_addr)
		return;
	snprintf(name, sizeof(name), "%s", to->sb->kernel_ref_name);
	now = kallsyms_find(k, name);
	if (!now || now == to->sb->kernel_ref_addr)
		return;
	k->shift = to->sb->kernel_ref_addr - now;
	if (k->nr_modules > 1) {
		k->nr_modules = 1;
		to->note = "the machine was booted again since the recording: no symbols of "
			   "modules";
	}
}

/* Read the image that pcsample archive packs if the recording has none */
static bool read_vdso(struct kernel_place *to)
{
	char path[PATH_MAX], *image;
	size_t size;

	if (snprintf(path, sizeof(path), "%s/[vdso]", to->symfs) >= sizeof(path) ||
	    regular_read(path, VDSO_MAX_BYTES, &image, &size))
		return false;
	to->vdso = (u8 *)image;
	to->dsos->vdso = to->vdso;
	to->dsos->vdso_size = size;
	return true;
}

/* The vDSO of this machine, if it is the recorded machine */
static void find_vdso(struct kernel_place *to)
{
	const struct perfdata_span *f = &to->pd->feature[PERFDATA_PCS_VDSO];
	u64 start, end;
	char line[512];
	FILE *maps;

	if (f->size) {
		to->dsos->vdso = f->p;
		to->dsos->vdso_size = f->size;
		return;
	}
	if (to->symfs && read_vdso(to))
		return;
	if (to->only_symfs || !kernel_symbols_running(to->pd, &to->sb->kernel_id))
		return;
	maps = fopen("/proc/self/maps", "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "[vdso]") ||
		    sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) != 2)
			continue;
		to->vdso = malloc(end - start);
		if (to->vdso) {
			memcpy(to->vdso, (void *)(uintptr_t)start, end - start);
			to->dsos->vdso = to->vdso;
			to->dsos->vdso_size = end - start;
		}
		break;
	}
	if (maps)
		fclose(maps);
}

int kernel_symbols_place(struct kernel_place *to)
{
	struct kallsyms *k = &to->dsos->kallsyms;
	struct listed l;
	int ret;

	find_vdso(to);
	if (!k->nr_modules)
		return 0;
	follow_move(to);
	ret = list_modules(&l, k);
	if (!ret)
		ret = add_modules(to, &l);
	if (!ret)
		ret = add_made_code(to, &l);
	free(l.code);
	return ret ? ret : place_trampoline(to);
}
