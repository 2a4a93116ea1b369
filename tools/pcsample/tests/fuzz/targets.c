// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <ftw.h>
#include <gelf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/tar.h"
#include "commands/config.h"
#include "export/export.h"
#include "profile/code.h"
#include "profile/samples.h"
#include "profile/recording.h"
#include "profile/rows.h"
#include "profile/stacks.h"
#include "symbols/disasm.h"
#include "symbols/dwarf.h"
#include "symbols/eh-frame.h"
#include "symbols/elf-symbols.h"
#include "symbols/jitdump.h"
#include "symbols/load.h"
#include "symbols/perf-map.h"
#include "symbols/plt.h"
#include "tests/fuzz/watch.h"

/* Make a file of the bytes; @path gets its name */
static int open_bytes(const u8 *p, size_t size, char *path)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, p, size) != (ssize_t)size)
		abort();
	sprintf(path, "/proc/self/fd/%d", fd);
	return fd;
}

/* Read each symbol's name, and look up the addresses where it begins and ends */
static u64 use_symbols(const struct symtab *st)
{
	u64 used = 0;
	u32 i;

	for (i = 0; i < st->nr && i < 1000; i++) {
		used += strlen(symtab_name(st, i));
		used += symtab_find(st, st->syms[i].start);
		used += symtab_find(st, st->syms[i].start + st->syms[i].size);
	}
	return used + symtab_find(st, 0) + symtab_find(st, UINT64_MAX);
}

/* Recordings */

/* Recordings name files: read none of this machine's. Kernel symbols come from the recording. */
static const struct session_options nowhere = { .symfs = "/proc/self/none", .threads = 1 };

static void report_rows(struct session *s, unsigned int callers)
{
	char buf[REPORT_TEXT_MAX];
	struct aggregate a;
	struct report r;
	struct place p;
	struct error err;
	size_t i;

	if (aggregate_run(&a, s, BY_COMM | BY_DSO | BY_SYM | BY_ADDR | BY_EVENT | BY_EL | BY_VMID |
			  callers, NULL, &err))
		return;
	recording_duration(s, &a);
	recording_wall_clock(s, a.first);
	for (i = 0; i < s->pd->nr_events; i++)
		recording_asked_rate(s, &s->pd->events[i]);
	if (!report_init(&r, s, &a, -1, NULL, true)) {
		for (i = 0; i < r.nr && i < 1000; i++) {
			aggregate_place(&a.hist, report_entry(&r, i)->key, &p);
			report_comm(s, &p, buf);
			report_symbol(&r, &p, buf);
			report_self(&r, i);
		}
		report_deinit(&r);
	}
	aggregate_deinit(&a);
}

static int add_stack(void *ctx, const struct sample_seen *sample)
{
	struct stacks *st = ctx;
	const u32 *path;
	size_t nr;
	u32 node;
	int ret;

	ret = stacks_add(st, sample, &node);
	if (ret)
		return ret;
	path = stacks_path(st, node, &nr);
	return path[nr - 1] == node ? 0 : -EINVAL;
}

static void stack_samples(struct session *s)
{
	struct stacks st;
	int ret;

	stacks_init(&st, s, STACK_PROCESS, true, true, true);
	ret = each_sample(s, 0, NULL, add_stack, &st);
	stacks_deinit(&st);
	if (ret == -EINVAL)
		abort();
}

static void run_perfdata(const u8 *p, size_t size)
{
	const struct in_order_item *items;
	struct in_order order;
	struct session *s;
	struct error err;
	char path[32];
	int fd = open_bytes(p, size, path);

	if (!session_open(&s, path, &nowhere, &err)) {
		watch_unpacked = s->pd->data_size;
		report_rows(s, 0);
		report_rows(s, BY_CALLERS);
		stack_samples(s);
		in_order_init(&order, s);
		while (in_order_next(&order, &items) > 0)
			;
		in_order_deinit(&order);
		session_close(s);
	}
	close(fd);
}

/* Export all samples of the first event that has some, with callers if it has call chains */
static void export_as(struct session *s, const struct export_format *format,
		      const struct aggregate *total, u32 event)
{
	struct export_job job = {
		.s = s, .total = total, .events = &event, .nr_events = 1, .demangle = true,
		.inlined = true,
	};
	static struct out out;
	struct error err;

	while (event < session_events(s) && !total->blocks[event].samples)
		event++;
	if (event == session_events(s))
		return;
	job = export_of_event(&job, event);
	job.chains = format->stacks && callchain_recorded(session_event(s, event));
	out_init(&out, open("/dev/null", O_WRONLY | O_CLOEXEC));
	format->write(&job, &out, &err);
	out_flush(&out);
	close(out.fd);
}

static void run_export(const u8 *p, size_t size)
{
	static const char *const names[] = {
		"folded", "pprof", "speedscope", "firefox", "html", "csv", "rows", "json",
	};
	const struct export_format *format;
	struct aggregate total;
	struct session *s;
	struct error err;
	unsigned int i;
	char path[32];
	int fd = open_bytes(p, size, path);

	if (!session_open(&s, path, &nowhere, &err)) {
		watch_unpacked = s->pd->data_size;
		for (i = 0; i < ARRAY_SIZE(names); i++) {
			format = export_format_named(names[i]);
			if (!format->write || aggregate_run(&total, s, format->by, NULL, &err))
				continue;
			export_as(s, format, &total, 0);
			aggregate_deinit(&total);
		}
		session_close(s);
	}
	close(fd);
}

/* Programs */

/* A file as the only DSO of a session */
struct program {
	struct session s;
	struct dso *dso;
	int fd, index;
	char path[32];
};

static void program_init(struct program *f, const u8 *p, size_t size)
{
	memset(f, 0, sizeof(*f));
	f->fd = open_bytes(p, size, f->path);
	inlines_init(&f->s.inlines);
	if (dso_table_init(&f->s.dsos, &f->s.strings))
		abort();
	f->index = dso_table_map(&f->s.dsos, f->path, strlen(f->path), 1, 0, NULL, NULL);
	if (f->index < 0)
		abort();
	f->dso = f->s.dsos.dso[f->index];
}

static void program_deinit(struct program *f)
{
	inlines_deinit(&f->s.inlines);
	images_deinit(&f->s.images);
	dso_table_deinit(&f->s.dsos);
	intern_deinit(&f->s.strings);
	close(f->fd);
}

static void run_elf(const u8 *p, size_t size)
{
	struct program f;

	program_init(&f, p, size);
	dso_load(&f.s.dsos, f.dso);
	use_symbols(&f.dso->symtab);
	program_deinit(&f);
}

static void run_dwarf(const u8 *p, size_t size)
{
	struct source_frame frame[SOURCE_FRAMES_MAX];
	struct source_spot spot;
	struct program f;
	u64 addr;
	u32 i;

	program_init(&f, p, size);
	dso_load(&f.s.dsos, f.dso);
	for (i = 0; i < f.dso->symtab.nr && i < 32; i++) {
		addr = f.dso->symtab.syms[i].start;
		source_find(f.dso, addr, frame);
		inlines_find(&f.s.inlines, f.dso, f.index, addr, &spot);
		inlines_find(&f.s.inlines, f.dso, f.index, addr + 4, &spot);
	}
	program_deinit(&f);
}

static int use_stub(void *ctx, u64 addr, u64 size, const char *name)
{
	*(size_t *)ctx += strlen(name);
	return 0;
}

static int use_frame(void *ctx, u64 addr, u64 size)
{
	*(u64 *)ctx += addr ^ size;
	return 0;
}

/* What has no symbol of its own: stubs, and functions of which only the bounds are known */
static void run_plt(const u8 *p, size_t size)
{
	size_t named = 0;
	struct elf_file f;
	u64 bounds = 0;

	if (elf_file_open_image(&f, p, size))
		return;
	plt_walk(f.elf, f.elf, use_stub, &named);
	eh_frame_walk(&f, use_frame, &bounds);
	elf_file_close(&f);
}

/* An image of firmware: at the address that the file has, and moved */
static void run_images(const u8 *p, size_t size)
{
	struct image_option o = { .el = 3, .states = 1 };
	struct program f;
	struct error err;

	program_init(&f, p, size);
	o.path = f.path;
	images_add(&f.s.images, &o, &f.s.dsos, &err);
	o.moved = true;
	o.base = 0x80000000;
	images_add(&f.s.images, &o, &f.s.dsos, &err);
	program_deinit(&f);
}

/* Disassemble code of a program, or of a kernel whose vmlinux is the input */
static void disassemble_at(struct program *f, u32 dso, u64 addr, size_t size, const char *vmlinux)
{
	struct instruction *instructions = NULL;
	struct code_bytes code;
	struct error err;

	if (!code_read(&f->s, dso, addr, size, vmlinux, &code, &err))
		disassemble(code.p, code.size, code.vaddr, code.machine, false, &instructions,
			    &err);
	free(instructions);
	code_deinit(&code);
}

static void run_code(const u8 *p, size_t size)
{
	static const char list[] = "ffff800008000000 T _text\n";
	struct kallsyms *k;
	struct program f;
	struct error err;
	u32 i;

	program_init(&f, p, size);
	k = &f.s.dsos.kallsyms;
	if (kallsyms_parse(k, strcpy(malloc(sizeof(list)), list), sizeof(list) - 1, &err))
		abort();
	dso_load(&f.s.dsos, f.dso);
	for (i = 0; i < f.dso->symtab.nr && i < 4; i++)
		disassemble_at(&f, f.index, f.dso->symtab.syms[i].start,
			       f.dso->symtab.syms[i].size, NULL);
	disassemble_at(&f, DSO_INDEX_KERNEL, 0xffff800008000000, 64, f.path);
	program_deinit(&f);
}

/* Lists of symbols */

static void run_kallsyms(const u8 *p, size_t size)
{
	struct symtab st = { 0 };
	struct kallsyms k;
	struct error err;
	char *text = malloc(size + 1);
	size_t i;

	if (!text)
		abort();
	memcpy(text, p, size);
	if (kallsyms_parse(&k, text, size, &err))
		return;
	for (i = 0; i < k.nr_modules && i < 16; i++) {
		char name[80];

		snprintf(name, sizeof(name), "%.*s", (int)k.module[i].name_len,
			 k.module[i].name_len ? k.module[i].name : "");
		if (!kallsyms_symtab(&k, name[0] ? name : NULL, &st))
			use_symbols(&st);
		symtab_deinit(&st);
	}
	kallsyms_find(&k, "_text");
	kallsyms_deinit(&k);
}

static void run_perf_map(const u8 *p, size_t size)
{
	struct symtab st = { 0 };

	if (!perf_map_parse(&st, (const char *)p, size))
		use_symbols(&st);
	symtab_deinit(&st);
}

static int use_code(const struct jitdump_code *code, void *ctx)
{
	const u8 *const *p = ctx;
	u8 sum = 0;
	u64 i;

	for (i = 0; code->name && i < code->size; i++)
		sum ^= (*p)[code->offset + i];
	return code->name && strlen(code->name) + sum > 1 << 30;
}

static void run_jitdump(const u8 *p, size_t size)
{
	jitdump_parse(p, size, -1, use_code, &p);
	jitdump_parse(p, size, 10, use_code, &p);
}

/* Archives */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return ftw->level ? remove(path) : 0;
}

/* The directory to unpack into; emptied after each archive, and removed at exit */
static char unpacked[64];

static void remove_unpacked(void)
{
	rmdir(unpacked);
}

static void run_tar(const u8 *p, size_t size)
{
	struct error err;
	char path[32];
	int fd = open_bytes(p, size, path), dir;

	if (!unpacked[0]) {
		strcpy(unpacked, "/tmp/pcsample-fuzz-XXXXXX");
		if (!mkdtemp(unpacked))
			abort();
		atexit(remove_unpacked);
	}
	dir = open(unpacked, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		abort();
	tar_unpack(path, dir, &err);
	nftw(unpacked, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	close(dir);
	close(fd);
}

/* The configuration file, applied to a command */

static void run_config(const u8 *p, size_t size)
{
	static const struct argp_option options[] = {
		{ "sort", 's', "KEY", 0, NULL, 0 },
		{ "addresses", 256, NULL, 0, NULL, 0 },
		{ 0 }
	};
	static const struct argp argp = { .options = options };
	char report[] = "report", word[] = "--sort=dso", *words[] = { report, word, NULL };
	char path[32], **argv = words;
	int fd = open_bytes(p, size, path), argc = 2;
	struct config config;
	struct error err;

	if (!config_read(&config, path, &err))
		config_apply(&config, "report", &argp, false, &argc, &argv, &err);
	config_get(&config, "core", "color");
	config_deinit(&config);
	close(fd);
}

const struct fuzz_target fuzz_targets[] = {
	{ .name = "perfdata", .run = run_perfdata, .bounded = true },
	{ .name = "export", .run = run_export, .bounded = true },
	{ .name = "elf", .run = run_elf },
	{ .name = "dwarf", .run = run_dwarf },
	{ .name = "plt", .run = run_plt },
	{ .name = "images", .run = run_images },
	{ .name = "code", .run = run_code },
	{ .name = "build-id", .run = fuzz_build_id },
	{ .name = "kallsyms", .run = run_kallsyms },
	{ .name = "perf-map", .run = run_perf_map },
	{ .name = "jitdump", .run = run_jitdump },
	{ .name = "tar", .run = run_tar },
	{ .name = "config", .run = run_config },
	{ 0 }
};
