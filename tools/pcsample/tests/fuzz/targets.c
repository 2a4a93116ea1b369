// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/elf-symbols.h"
#include "lib/in-order.h"
#include "lib/jitdump.h"
#include "lib/perf-map.h"
#include "lib/report.h"
#include "lib/source.h"
#include "tests/fuzz/targets.h"

/* The bytes as a file; a path of it */
static int open_bytes(const u8 *p, size_t size, char *path)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, p, size) != (ssize_t)size)
		abort();
	sprintf(path, "/proc/self/fd/%d", fd);
	return fd;
}

/* Each symbol's name, and what is found at its ends */
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

/* Recordings name files: none of this machine's is to be read */
static const struct session_options nowhere = {
	.symfs = "/proc/self/none", .kallsyms = "/dev/null", .threads = 1,
};

static void report_rows(struct session *s)
{
	char buf[REPORT_TEXT_MAX];
	struct aggregate a;
	struct report r;
	struct place p;
	struct error err;
	size_t i;

	if (aggregate_run(&a, s, BY_COMM | BY_DSO | BY_SYM | BY_ADDR | BY_EVENT | BY_EL | BY_VMID,
			  NULL, &err))
		return;
	if (!report_init(&r, s, &a, -1, NULL, true)) {
		for (i = 0; i < r.nr && i < 1000; i++) {
			aggregate_place(&a.hist, report_entry(&r, i)->key, &p);
			report_comm(s, &p, buf);
			report_symbol(&r, &p, buf);
		}
		report_deinit(&r);
	}
	aggregate_deinit(&a);
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
		report_rows(s);
		in_order_init(&order, s);
		while (in_order_next(&order, &items) > 0)
			;
		in_order_deinit(&order);
		session_close(s);
	}
	close(fd);
}

/* The DSO of a file */
static void run_file(const u8 *p, size_t size, bool lines)
{
	struct source_frame frame[SOURCE_FRAMES_MAX];
	struct intern strings = { 0 };
	struct dso_table t;
	struct dso *dso;
	char path[32];
	int fd = open_bytes(p, size, path), index;
	u32 i;

	if (dso_table_init(&t, &strings))
		abort();
	index = dso_table_map(&t, path, strlen(path), 1, NULL, 0);
	if (index < 0)
		abort();
	dso = t.dso[index];
	dso_load(&t, dso);
	use_symbols(&dso->symtab);
	for (i = 0; lines && i < dso->symtab.nr && i < 32; i++)
		source_find(dso, dso->symtab.syms[i].start, frame);
	dso_table_deinit(&t);
	intern_deinit(&strings);
	close(fd);
}

static void run_elf(const u8 *p, size_t size)
{
	run_file(p, size, false);
}

static void run_dwarf(const u8 *p, size_t size)
{
	run_file(p, size, true);
}

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

const struct fuzz_target fuzz_targets[] = {
	{ "perfdata", run_perfdata },
	{ "elf", run_elf },
	{ "dwarf", run_dwarf },
	{ "kallsyms", run_kallsyms },
	{ "perf-map", run_perf_map },
	{ "jitdump", run_jitdump },
	{ 0 }
};
