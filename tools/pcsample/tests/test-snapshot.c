// SPDX-License-Identifier: GPL-2.0-only
/*
 * Side-band of processes that already exist, from files with the formats of /proc and /sys.
 */
#include "unit.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture/snapshot.h"

#define TRAILER 32

/* Parsers */

static void test_maps_lines(void **state)
{
	char plain[] =
		"55d0c0000000-55d0c0021000 r-xp 0001f000 fe:01 1573   /usr/bin/my prog (deleted)";
	char odd[] = "ffff8000-ffff9000 -w-s 00000000 00:00 0 /tmp/a\\012b\\0121";
	char none[] = "7f00-8000 rwxp 00000000 00:00 0 ";
	char vdso[] = "7ffd1000-7ffd2000 r-xp 00000000 00:00 0                          [vdso]";
	struct maps_line map;

	assert_true(maps_line_parse(&map, plain));
	assert_int_equal(map.start, 0x55d0c0000000);
	assert_int_equal(map.end, 0x55d0c0021000);
	assert_int_equal(map.offset, 0x1f000);
	assert_int_equal(map.major, 0xfe);
	assert_int_equal(map.minor, 1);
	assert_int_equal(map.inode, 1573);
	assert_int_equal(map.prot, PROT_READ | PROT_EXEC);
	assert_int_equal(map.flags, MAP_PRIVATE);
	assert_string_equal(map.path, "/usr/bin/my prog (deleted)");
	assert_true(maps_line_parse(&map, odd));
	assert_int_equal(map.prot, PROT_WRITE);
	assert_int_equal(map.flags, MAP_SHARED);
	assert_string_equal(map.path, "/tmp/a\nb\n1");
	assert_true(maps_line_parse(&map, none));
	assert_string_equal(map.path, "");
	assert_true(maps_line_parse(&map, vdso));
	assert_string_equal(map.path, "[vdso]");
}

static void test_bad_maps_lines(void **state)
{
	static const char *const lines[] = { "", "x", "1000-2000", "1000-2000 r-xp",
					     "2000-1000 r-xp 0 00:00 0 /x",
					     "1000-1000 r-xp 0 00:00 0 /x" };
	struct maps_line map;
	char line[64];
	unsigned int i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		strcpy(line, lines[i]);
		assert_false(maps_line_parse(&map, line));
	}
}

static void test_stat_lines(void **state)
{
	struct stat_line stat;

	assert_true(stat_line_parse(&stat, "12 (cat) S 7 12"));
	assert_string_equal(stat.comm, "cat");
	assert_int_equal(stat.ppid, 7);
	assert_true(stat_line_parse(&stat, "12 (a) R 1 (b)) S 9 0 0"));
	assert_string_equal(stat.comm, "a) R 1 (b)");
	assert_int_equal(stat.ppid, 9);
	assert_true(stat_line_parse(&stat, "2 (kworker/u4:2-events_unbound) I 2"));
	assert_string_equal(stat.comm, "kworker/u4:2-ev");
	assert_false(stat_line_parse(&stat, ""));
	assert_false(stat_line_parse(&stat, "12 cat S 7"));
	assert_false(stat_line_parse(&stat, "12 )cat( S 7"));
	assert_false(stat_line_parse(&stat, "12 (cat)"));
}

static void test_module_lines(void **state)
{
	struct module_line module;

	assert_true(module_line_parse(&module, "ext4 811008 1 - Live 0xffff800001234000 (E)"));
	assert_string_equal(module.name, "ext4");
	assert_int_equal(module.size, 811008);
	assert_int_equal(module.start, 0xffff800001234000);
	assert_true(module_line_parse(&module, "jbd2 147456 1 ext4, Live 0xffff800001000000"));
	assert_false(module_line_parse(&module, ""));
	assert_false(module_line_parse(&module, "ext4 811008 1 - Live"));
}

/* Notes */

struct note {
	u32 name_size, data_size, type;
	char name[4];
	u8 data[20];
};

static struct note build_id_note(u32 size)
{
	struct note note = { 4, size, NT_GNU_BUILD_ID, "GNU", { 0xab, 0xcd, 0xef } };

	return note;
}

static void test_notes(void **state)
{
	struct {
		struct note other;
		struct note id;
	} notes = { build_id_note(20), build_id_note(20) };
	struct build_id id;
	u8 *copy;
	size_t size;

	notes.other.type = NT_GNU_ABI_TAG;
	assert_true(build_id_from_notes(&id, &notes, sizeof(notes)));
	assert_int_equal(id.size, 20);
	assert_int_equal(id.bytes[1], 0xcd);

	/* Cut anywhere: no build-id, and no read beyond the end (found by AddressSanitizer) */
	for (size = 0; size < sizeof(notes); size++) {
		copy = malloc(size + 1);
		memcpy(copy, &notes, size);
		assert_false(build_id_from_notes(&id, copy, size));
		free(copy);
	}
}

static void test_hostile_notes(void **state)
{
	static const u32 sizes[] = { 0, 21, 0x7fffffff, 0xfffffff0, 0xffffffff };
	struct build_id id;
	struct note note;
	unsigned int i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		note = build_id_note(sizes[i]);
		assert_false(build_id_from_notes(&id, &note, sizeof(note)));
		note = build_id_note(20);
		note.name_size = sizes[i];
		assert_false(build_id_from_notes(&id, &note, sizeof(note)));
	}
	note = build_id_note(8);
	assert_true(build_id_from_notes(&id, &note, sizeof(note)));
	assert_int_equal(id.size, 8);
}

/* perf has the first 20 bytes of a longer build id, too */
static void test_long_build_id(void **state)
{
	struct {
		struct note note;
		u8 rest[12];
	} notes = { build_id_note(32), { 0xff } };
	struct build_id id;

	notes.note.data[19] = 0x13;
	assert_true(build_id_from_notes(&id, &notes, sizeof(notes)));
	assert_int_equal(id.size, 20);
	assert_memory_equal(id.bytes, notes.note.data, 20);
	assert_false(build_id_from_notes(&id, &notes, sizeof(notes) - 1));
}

/* This test program, which is linked with a build-id */
static void test_build_id_of_path(void **state)
{
	struct build_id_cache *cache = build_id_cache_create();
	struct build_id id, again;
	char path[PATH_MAX], exe[PATH_MAX];
	struct stat st;

	/* By its name: for /proc/self/exe valgrind emulates readlink(), but not stat() */
	assert_non_null(realpath("/proc/self/exe", exe));
	assert_true(build_id_of_path(cache, &id, exe, 0));
	assert_int_equal(id.size, 20);
	assert_int_equal(stat(exe, &st), 0);
	assert_true(build_id_of_path(cache, &again, exe, st.st_ino));
	assert_memory_equal(&id, &again, sizeof(id));
	assert_false(build_id_of_path(cache, &id, exe, st.st_ino + 1));
	assert_int_equal(id.size, 0);
	assert_false(build_id_of_path(cache, &id, "/nowhere", 0));
	assert_false(build_id_of_path(cache, &id, temp_dir, 0));
	/* Opening a FIFO for reading would wait for a writer */
	snprintf(path, sizeof(path), "%s/fifo", temp_dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(build_id_of_path(cache, &id, path, 0));
	temp_text("text", "#!/bin/sh\n");
	snprintf(path, sizeof(path), "%s/text", temp_dir);
	assert_false(build_id_of_path(cache, &id, path, 0));
	build_id_cache_destroy(cache);
}

/* Records */

struct collected {
	struct perf_event_header *records[64];
	unsigned int nr;
};

static int collect(void *arg, const struct perf_event_header *record, struct error *err)
{
	struct collected *c = arg;

	assert_true(c->nr < 64);
	assert_int_equal(record->size % 8, 0);
	c->records[c->nr] = malloc(record->size);
	memcpy(c->records[c->nr++], record, record->size);
	return 0;
}

static void release(struct collected *c)
{
	while (c->nr)
		free(c->records[--c->nr]);
}

/* A field of a record, by its offset */
static u64 u64_at(const struct perf_event_header *record, unsigned int offset)
{
	u64 value;

	memcpy(&value, (const u8 *)record + offset, sizeof(value));
	return value;
}

static u32 u32_at(const struct perf_event_header *record, unsigned int offset)
{
	return u64_at(record, offset);
}

static const char *text_at(const struct perf_event_header *record, unsigned int offset)
{
	return (const char *)record + offset;
}

enum { MMAP2_START = 16, MMAP2_LEN = 24, MMAP2_PGOFF = 32, MMAP2_INODE = 48, MMAP2_NAME = 72 };

static struct synth synth_into(struct collected *c)
{
	struct synth synth = { .root = temp_dir, .trailer = TRAILER, .sink = collect, .arg = c };

	return synth;
}

static void test_kernel(void **state)
{
	struct collected c = { .nr = 0 };
	struct synth synth = synth_into(&c);
	struct note note = build_id_note(20);
	struct error err;

	temp_text("proc/kallsyms", "ffff800008000000 T _text\nffff800008010000 T _stext\n"
				   "ffff800008010100 t secondary_startup\n"
				   "ffff800009000000 D _etext\nffff80000a000000 D _edata\n"
				   "ffff80000b000000 t mod_text\t[mod]\n");
	temp_write("sys/kernel/notes", &note, sizeof(note));
	assert_int_equal(synth_kernel(&synth, &err), 0);
	assert_int_equal(c.nr, 1);
	assert_int_equal(c.records[0]->type, PERF_RECORD_MMAP2);
	assert_int_equal(c.records[0]->misc,
			 PERF_RECORD_MISC_KERNEL | PERF_RECORD_MISC_MMAP_BUILD_ID);
	assert_int_equal(u32_at(c.records[0], 8), (u32)-1);
	assert_int_equal(u64_at(c.records[0], MMAP2_START), 0xffff800008000000);
	assert_int_equal(u64_at(c.records[0], MMAP2_LEN), 0x2000000);
	assert_int_equal(u64_at(c.records[0], MMAP2_PGOFF), 0xffff800008000000);
	assert_string_equal(text_at(c.records[0], MMAP2_NAME), "[kernel.kallsyms]_text");
	assert_int_equal(c.records[0]->size, MMAP2_NAME + 24 + TRAILER);
	release(&c);
}

/* iomem tells where the image ends, so kallsyms is not read to its end: here it has no end */
static void test_kernel_in_memory(void **state)
{
	struct collected c = { .nr = 0 };
	struct synth synth = synth_into(&c);
	struct error err;

	temp_text("proc/kallsyms", "ffff800008000000 T _text\nffff800008010000 T _stext\n");
	temp_text("proc/iomem", "40000000-bfffffff : System RAM\n"
				"  40210000-4120ffff : Kernel code\n"
				"  41210000-4160ffff : reserved\n"
				"  41610000-4220ffff : Kernel data\n");
	assert_int_equal(synth_kernel(&synth, &err), 0);
	assert_int_equal(u64_at(c.records[0], MMAP2_START), 0xffff800008000000);
	assert_int_equal(u64_at(c.records[0], MMAP2_LEN), 0x2000000);
	release(&c);

	/* What users without root see */
	temp_text("proc/iomem", "00000000-00000000 : System RAM\n"
				"  00000000-00000000 : Kernel code\n"
				"  00000000-00000000 : Kernel data\n");
	temp_text("proc/kallsyms", "ffff800008000000 T _text\nffff800009000000 D _etext\n");
	assert_int_equal(synth_kernel(&synth, &err), 0);
	assert_int_equal(u64_at(c.records[0], MMAP2_LEN), 0x1000000);
	release(&c);
}

static void test_hidden_kernel(void **state)
{
	struct collected c = { .nr = 0 };
	struct synth synth = synth_into(&c);
	struct error err;

	temp_text("proc/kallsyms", "0000000000000000 T _text\n0000000000000000 D _etext\n");
	assert_int_equal(synth_kernel(&synth, &err), -EACCES);
	assert_non_null(strstr(err.text, "kptr_restrict"));
	assert_int_equal(c.nr, 0);
}

static void test_modules(void **state)
{
	static const char loaded[] = "foo_bar 16384 0 - Live 0xffff800001002000\n"
				     "ext4 1048576 0 - Live 0xffff800001000000\n"
				     "hidden 4096 0 - Live 0x0000000000000000\n";
	struct collected c = { .nr = 0 };
	struct synth synth = synth_into(&c);
	char path[256], expected[PATH_MAX], *now;
	struct utsname uts;
	struct error err;

	uname(&uts);
	temp_text("proc/modules", loaded);
	snprintf(path, sizeof(path), "lib/modules/%s/modules.dep", uts.release);
	temp_text(path, "kernel/fs/ext4/ext4.ko.xz: kernel/fs/jbd2/jbd2.ko.xz\n"
			"kernel/drivers/foo-bar2.ko:\nrubbish\n");
	assert_int_equal(synth_modules(&synth, NULL, &now, &err), 0);
	assert_string_equal(now, loaded);
	assert_int_equal(c.nr, 2);
	/* In the order of addresses; a module ends where the next begins */
	snprintf(expected, sizeof(expected), "%s/lib/modules/%s/kernel/fs/ext4/ext4.ko.xz",
		 temp_dir, uts.release);
	assert_string_equal(text_at(c.records[0], MMAP2_NAME), expected);
	assert_int_equal(u64_at(c.records[0], MMAP2_START), 0xffff800001000000);
	assert_int_equal(u64_at(c.records[0], MMAP2_LEN), 0x2000);
	assert_string_equal(text_at(c.records[1], MMAP2_NAME), "[foo_bar]");
	assert_int_equal(u64_at(c.records[1], MMAP2_LEN), 16384);
	release(&c);

	/* The second time only new modules */
	temp_text("proc/modules", "late 4096 0 - Live 0xffff800002000000\n"
				  "ext4 1048576 0 - Live 0xffff800001000000\n");
	assert_int_equal(synth_modules(&synth, now, NULL, &err), 0);
	assert_int_equal(c.nr, 1);
	assert_string_equal(text_at(c.records[0], MMAP2_NAME), "[late]");
	release(&c);
	free(now);
}

/* Is there a record that has the inode of a directory and this path? */
static void check_cgroup(const struct collected *c, const char *dir, const char *path)
{
	char full[PATH_MAX];
	struct stat st;
	unsigned int i;

	snprintf(full, sizeof(full), "%s/%s", temp_dir, dir);
	assert_int_equal(stat(full, &st), 0);
	for (i = 0; i < c->nr; i++)
		if (!strcmp(text_at(c->records[i], 16), path))
			break;
	assert_true(i < c->nr);
	assert_int_equal(c->records[i]->type, PERF_RECORD_CGROUP);
	assert_int_equal(u64_at(c->records[i], 8), st.st_ino);
	assert_int_equal(c->records[i]->size, 16 + strlen(path) / 8 * 8 + 8 + TRAILER);
}

static void test_cgroups(void **state)
{
	struct collected c = { .nr = 0 };
	struct synth synth = synth_into(&c);
	struct error err;

	/* No cgroup filesystem is mounted */
	assert_int_equal(synth_cgroups(&synth, &err), 0);
	temp_text("proc/self/mounts", "proc /proc proc rw 0 0\n");
	assert_int_equal(synth_cgroups(&synth, &err), 0);
	temp_text("proc/self/mounts", "cgroup2 /nowhere cgroup2 rw 0 0\n");
	assert_int_equal(synth_cgroups(&synth, &err), 0);
	assert_int_equal(c.nr, 0);

	temp_text("cg/two parts/cgroup.procs", "1\n");
	temp_text("cg/two parts/a.slice/cgroup.procs", "");
	temp_text("cg/two parts/a.slice/b/cgroup.procs", "");
	temp_text("cg/cpu/other/cgroup.procs", "");
	temp_text("proc/self/mounts", "none /cg/cpu cgroup rw,cpu,cpuacct 0 0\n"
		  "none /cg/two\\040parts cgroup2 rw,nsdelegate 0 0\n");
	assert_int_equal(synth_cgroups(&synth, &err), 0);
	assert_int_equal(c.nr, 3);
	check_cgroup(&c, "cg/two parts", "/");
	check_cgroup(&c, "cg/two parts/a.slice", "/a.slice");
	check_cgroup(&c, "cg/two parts/a.slice/b", "/a.slice/b");
	release(&c);

	/* If perf_event has its own hierarchy, samples have ids of that one */
	temp_text("proc/self/mounts", "none /cg/two\\040parts cgroup2 rw 0 0\n"
		  "none /cg/cpu cgroup rw,cpu,perf_event 0 0\n");
	assert_int_equal(synth_cgroups(&synth, &err), 0);
	assert_int_equal(c.nr, 2);
	check_cgroup(&c, "cg/cpu", "/");
	check_cgroup(&c, "cg/cpu/other", "/other");
	release(&c);
}

static void test_process(void **state)
{
	struct collected c = { .nr = 0 };
	struct synth synth = synth_into(&c);
	struct error err;

	temp_text("proc/self-not-a-pid/stat", "1 (no) S 1");
	temp_text("proc/42/stat", "42 (busy one) S 7 42 42 0 -1");
	temp_text("proc/42/maps", "1000-2000 r--p 00000000 08:01 99 /bin/busy\n"
				  "2000-5000 r-xp 00001000 08:01 99 /bin/busy\n"
				  "6000-7000 rwxp 00000000 00:00 0\x20\n");
	temp_text("proc/42/task/42/comm", "busy one\n");
	temp_text("proc/42/task/43/comm", "worker\n");
	assert_int_equal(synth_processes(&synth, &err), 0);
	assert_int_equal(synth.nr_processes, 1);
	assert_int_equal(synth.nr_unreadable, 0);
	assert_int_equal(c.nr, 7);

	assert_int_equal(c.records[0]->type, PERF_RECORD_FORK);
	assert_int_equal(u32_at(c.records[0], 8), 42);
	assert_int_equal(u32_at(c.records[0], 12), 7);
	assert_int_equal(c.records[1]->type, PERF_RECORD_NAMESPACES);
	assert_int_equal(c.records[2]->type, PERF_RECORD_COMM);
	assert_string_equal(text_at(c.records[2], 16), "busy one");
	assert_int_equal(c.records[3]->type, PERF_RECORD_MMAP2);
	assert_int_equal(u64_at(c.records[3], MMAP2_START), 0x2000);
	assert_int_equal(u64_at(c.records[3], MMAP2_PGOFF), 0x1000);
	assert_int_equal(u64_at(c.records[3], MMAP2_INODE), 99);
	assert_string_equal(text_at(c.records[3], MMAP2_NAME), "/bin/busy");
	assert_string_equal(text_at(c.records[4], MMAP2_NAME), "//anon");
	assert_int_equal(c.records[5]->type, PERF_RECORD_FORK);
	assert_int_equal(u32_at(c.records[5], 16), 43);
	assert_string_equal(text_at(c.records[6], 16), "worker");
	release(&c);
}

/* Take a snapshot of this process from the real /proc */
static void test_self(void **state)
{
	struct collected c = { .nr = 0 };
	struct synth synth = synth_into(&c);
	struct error err;

	synth.root = "";
	assert_int_equal(synth_newborn(&synth, getpid(), &err), 0);
	assert_int_equal(c.nr, 3);
	assert_int_equal(u32_at(c.records[0], 8), getpid());
	assert_int_equal(u32_at(c.records[0], 12), getppid());
	release(&c);
	assert_int_equal(synth_newborn(&synth, 0x7fffffff, &err), 0);
	assert_int_equal(c.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps_lines),
		cmocka_unit_test(test_bad_maps_lines),
		cmocka_unit_test(test_stat_lines),
		cmocka_unit_test(test_module_lines),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_hostile_notes),
		cmocka_unit_test(test_long_build_id),
		cmocka_unit_test_setup_teardown(test_build_id_of_path, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_kernel, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_kernel_in_memory, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_hidden_kernel, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_modules, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_cgroups, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_process, temp_setup, temp_teardown),
		cmocka_unit_test(test_self),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
