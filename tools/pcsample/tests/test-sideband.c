// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which process ran what when: exec, fork, PID reuse, overlapping mappings, names of threads.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <cmocka.h>

#include "symbols/load.h"
#include "tests/rows.h"

#define USER(addr, p, t, when) \
	mkdata_sample(&m, &(struct mkdata_sample){ .ip = addr, .pid = p, .tid = t, .time = when })
#define KERNEL(addr, p, t, when) \
	mkdata_sample(&m, &(struct mkdata_sample){ .ip = addr, .pid = p, .tid = t, .time = when, \
						   .misc = PERF_RECORD_MISC_KERNEL })

static struct mkdata m;

static int setup(void **state)
{
	mkdata_init(&m, MKDATA_TYPE);
	return 0;
}

static int teardown(void **state)
{
	mkdata_deinit(&m);
	return 0;
}

static void test_exec_drops_maps_and_changes_name(void **state)
{
	mkdata_comm(&m, 10, 10, "sh", 0, false);
	mkdata_mmap(&m, 10, 0x1000, 0x1000, 0, "/none/sh", 0);
	USER(0x1010, 10, 10, 50);
	mkdata_comm(&m, 10, 10, "ls", 100, true);
	mkdata_mmap(&m, 10, 0x5000, 0x1000, 0, "/none/ls", 101);
	USER(0x1010, 10, 10, 150);
	USER(0x5010, 10, 10, 150);
	USER(0x5010, 10, 10, 99);
	assert_rows(&m, "ls [unknown] 0x0000000000001010 1\n"
			"ls ls 0x0000000000000010 1\n"
			"sh [unknown] 0x0000000000005010 1\n"
			"sh sh 0x0000000000000010 1\n");
}

static void test_fork_shares_the_parents_past_only(void **state)
{
	mkdata_comm(&m, 10, 10, "parent", 0, false);
	mkdata_mmap(&m, 10, 0x1000, 0x1000, 0, "/none/early", 0);
	mkdata_fork(&m, 10, 10, 20, 20, 100);
	mkdata_mmap(&m, 10, 0x3000, 0x1000, 0, "/none/late", 110);
	USER(0x1000, 20, 20, 120);
	USER(0x3000, 20, 20, 120);
	USER(0x3000, 10, 10, 120);
	mkdata_mmap(&m, 20, 0x1000, 0x800, 0, "/none/own", 130);
	USER(0x1004, 20, 20, 140);
	USER(0x1804, 20, 20, 140);
	USER(0x1004, 20, 20, 125);
	assert_rows(&m, "parent [unknown] 0x0000000000003000 1\n"
			"parent early 0x0000000000000000 1\n"
			"parent early 0x0000000000000004 1\n"
			"parent early 0x0000000000000804 1\n"
			"parent late 0x0000000000000000 1\n"
			"parent own 0x0000000000000004 1\n");
}

static void test_forks_of_forks(void **state)
{
	s32 pid;

	mkdata_comm(&m, 10, 10, "root", 0, false);
	mkdata_mmap(&m, 10, 0x1000, 0x1000, 0, "/none/lib", 0);
	for (pid = 11; pid < 2000; pid++)
		mkdata_fork(&m, pid - 1, pid - 1, pid, pid, pid);
	USER(0x1008, 1999, 1999, 5000);
	assert_rows(&m, "root lib 0x0000000000000008 1\n");
}

static void test_pid_reuse(void **state)
{
	mkdata_comm(&m, 10, 10, "first", 0, false);
	mkdata_mmap(&m, 10, 0x1000, 0x1000, 0, "/none/first", 0);
	mkdata_comm(&m, 5, 5, "shell", 0, false);
	USER(0x1000, 10, 10, 10);
	mkdata_fork(&m, 5, 5, 10, 10, 100);
	USER(0x1000, 10, 10, 110);
	mkdata_comm(&m, 10, 10, "second", 120, true);
	mkdata_mmap(&m, 10, 0x1000, 0x1000, 0, "/none/second", 121);
	USER(0x1000, 10, 10, 130);
	assert_rows(&m, "first first 0x0000000000000000 1\n"
			"second second 0x0000000000000000 1\n"
			"shell [unknown] 0x0000000000001000 1\n");
}

static void exits(s32 pid, s32 tid, u64 time)
{
	const struct {
		s32 pid, ppid, tid, ptid;
		u64 time;
	} body = { pid, 1, tid, 1, time };

	mkdata_record(&m, PERF_RECORD_EXIT, 0, &body, sizeof(body), pid, tid, time);
}

/*
 * An address space with few or many maps; in some processes other threads go on after the first one
 * exits
 */
static void test_maps_before_and_after_an_exit(void **state)
{
	const struct {
		s32 pid;
		u64 first, last, time;
	} maps[] = {
		{ 10, 1, 5, 10 }, { 20, 1, 13, 30 }, { 10, 6, 9, 110 }, { 20, 14, 15, 120 },
		{ 30, 1, 30, 130 },
	};
	char want[4096], path[32];
	size_t i, used = 0;
	u64 k;

	mkdata_comm(&m, 10, 10, "p", 0, true);
	mkdata_comm(&m, 20, 20, "p", 0, true);
	mkdata_comm(&m, 30, 30, "p", 0, true);
	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		for (k = maps[i].first; k <= maps[i].last; k++) {
			snprintf(path, sizeof(path), "/none/%d-%02d", maps[i].pid, (int)k);
			mkdata_mmap(&m, maps[i].pid, k << 20, 0x1000, 0, path, maps[i].time);
			USER(k << 20, maps[i].pid, maps[i].pid, 1000);
		}
		exits(maps[i].pid, 11, maps[i].time + 1);
		exits(maps[i].pid, maps[i].pid, maps[i].time + 2);
	}
	exits(40, 40, 200);
	for (i = 10; i <= 30; i += 10)
		for (k = 1; k <= (i == 10 ? 9 : i == 20 ? 15 : 30); k++)
			used += snprintf(want + used, sizeof(want) - used,
					 "p %zu-%02d 0x0000000000000000 1\n", i, (int)k);
	assert_rows(&m, want);
}

static void test_records_out_of_order(void **state)
{
	/* Another CPU's buffer is written later, so earlier records come after later samples */
	USER(0x1000, 10, 10, 200);
	USER(0x1000, 10, 10, 60);
	mkdata_comm(&m, 10, 10, "late", 150, true);
	mkdata_mmap(&m, 10, 0x1000, 0x1000, 0, "/none/late", 151);
	mkdata_comm(&m, 10, 10, "early", 50, false);
	mkdata_mmap(&m, 10, 0x1000, 0x1000, 0, "/none/early", 51);
	assert_rows(&m, "early early 0x0000000000000000 1\n"
			"late late 0x0000000000000000 1\n");
}

static void test_maps_over_each_other(void **state)
{
	mkdata_comm(&m, 10, 10, "p", 0, false);
	mkdata_mmap(&m, 10, 0x1000, 0x4000, 0x100, "/none/a", 0);
	mkdata_mmap(&m, 10, 0x2000, 0x1000, 0x200, "/none/b", 50);
	mkdata_mmap(&m, 10, 0x2800, 0x1000, 0x300, "/none/c", 60);
	USER(0x2900, 10, 10, 10);	/* a */
	USER(0x2900, 10, 10, 55);	/* b */
	USER(0x2900, 10, 10, 65);	/* c */
	USER(0x2100, 10, 10, 65);	/* b, in front of c */
	USER(0x3900, 10, 10, 65);	/* a, behind c */
	USER(0x1100, 10, 10, 65);	/* a */
	USER(0x5000, 10, 10, 65);	/* behind all */
	assert_rows(&m, "p [unknown] 0x0000000000005000 1\n"
			"p a 0x0000000000000200 1\n"
			"p a 0x0000000000001a00 1\n"
			"p a 0x0000000000002a00 1\n"
			"p b 0x0000000000000300 1\n"
			"p b 0x0000000000000b00 1\n"
			"p c 0x0000000000000400 1\n");
}

/* Random mappings, compared with the definition: the last mapping that covers the address */
static void test_maps_at_random(void **state)
{
	struct {
		u64 start, end, birth;
	} map[60];
	struct sideband sb;
	struct intern strings = { 0 };
	struct sample_layout l;
	struct dso_table dsos;
	const struct epoch *e;
	const struct range *r;
	u64 pos = 0, since, until, addr, time, malformed = 0;
	unsigned int round, i, nr;
	struct perfdata pd = { 0 };
	const u8 *rec;
	int want;

	srandom(1);
	for (round = 0; round < 200; round++) {
		char path[32];

		/* few mappings are sorted by other code than many */
		nr = round % 4 ? 60 : 1 + round / 4 % 32;
		mkdata_deinit(&m);
		mkdata_init(&m, MKDATA_TYPE);
		for (i = 0; i < nr; i++) {
			map[i].start = random() % 400 * 16;
			map[i].end = map[i].start + (1 + random() % (round % 2 ? 200 : 8)) * 16;
			map[i].birth = random() % 8 * 10;
			sprintf(path, "/none/%u", i);
			mkdata_mmap(&m, 1, map[i].start, map[i].end - map[i].start, 0, path,
				    map[i].birth);
		}
		sideband_init(&sb);
		assert_int_equal(dso_table_init(&dsos, &strings), 0);
		sample_layout_init(&l, &m.attr[0]);
		pd.data = m.data;
		pd.data_size = m.size;
		for (pos = 0; (rec = perfdata_next(&pd, &pos)); )
			assert_int_equal(sideband_add(&sb, rec, sample_tail_time(&l, rec)), 0);
		assert_int_equal(sideband_finish(&sb, &dsos, &l, false, &malformed), 0);
		for (i = 0; i < 2000; i++) {
			int k;

			addr = random() % 8000;
			time = random() % 90;
			want = -1;
			for (k = 0; k < nr; k++)
				if (addr >= map[k].start && addr < map[k].end &&
				    map[k].birth <= time &&
				    (want < 0 || map[k].birth >= map[want].birth))
					want = k;
			e = epoch_at(sideband_process(&sb, 1), time, &since, &until);
			r = epoch_find(e, addr, time);
			if (want < 0) {
				assert_null(r);
			} else {
				assert_non_null(r);
				assert_int_equal(strtol(dsos.dso[r->dso]->name, NULL, 10), want);
				assert_int_equal(addr + r->shift, addr - map[want].start);
			}
		}
		sideband_deinit(&sb);
		dso_table_deinit(&dsos);
	}
	assert_int_equal(malformed, 0);
	intern_deinit(&strings);
}

/*
 * Each mapping is within the one before: n mappings would make n * n pieces. The first mappings are
 * kept and the others counted as malformed, so that memory grows with n only.
 */
static void test_maps_in_maps(void **state)
{
	struct session_options options = { .threads = 1 };
	const unsigned int nr = 3000;
	struct error err = { "" };
	struct session *s;
	unsigned int i;
	u8 *bytes;
	size_t size;

	for (i = 0; i < nr; i++)
		mkdata_mmap(&m, 10, i * 16ULL, (2 * nr - i) * 16ULL - i * 16ULL, 0,
			    i ? "/none/inner" : "/none/outer", i);
	mkdata_comm(&m, 10, 10, "p", 0, false);
	USER(0x8, 10, 10, nr);
	bytes = mkdata_file(&m, &size);
	assert_int_equal(session_open(&s, mkdata_write(bytes, size), &options, &err), 0);
	assert_true(session_counts(s)->malformed > nr / 2);
	assert_true(session_counts(s)->malformed < nr);
	assert_true(sideband_process(&s->sb, 10)->epoch[0].e->nr < 16 * nr);
	session_close(s);
	free(bytes);
	assert_rows(&m, "p outer 0x0000000000000008 1\n");
}

/* This program is mapped by process 10, as the kernel records it without a build id */
static void maps_this_program(u16 misc, u64 inode, u64 generation)
{
	struct {
		s32 pid, tid;
		u64 start, len, pgoff;
		u32 maj, min;
		u64 ino, generation;
		u32 prot, flags;
		char path[4096];
	} body = { .pid = 10, .tid = 10, .start = 0x1000, .len = 1ULL << 30, .maj = 8, .prot = 5,
		   .ino = inode, .generation = generation };
	ssize_t n = readlink("/proc/self/exe", body.path, sizeof(body.path) - 1);

	assert_true(n > 0);
	mkdata_comm(&m, 10, 10, "p", 0, false);
	mkdata_record(&m, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | misc, &body,
		      sizeof(body) - sizeof(body.path) + n + 1, 10, 10, 0);
	USER(0x1000 + (1 << 29), 10, 10, 50);
}

/* Another event of the machine asks for build ids: the kernel sets the bit, but writes the inode */
static void test_build_id_bit_of_another_event(void **state)
{
	maps_this_program(1 << 14, 0, 0);
	assert_rows(&m, "p test-sideband 0x0000000020000000 1\n");
	assert_no_problems(&m);
}

/* A deleted file's inode number may belong to another file now, with another generation */
static void test_generation_of_an_inode(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	u32 generation[2] = { 0 };
	struct statfs fs;
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(fstatfs(fd, &fs), 0);
	if (ioctl(fd, FS_IOC_GETVERSION, generation))
		generation[0] = 0;
	close(fd);
	maps_this_program(0, st.st_ino, generation[0]);
	assert_no_problems(&m);
	mkdata_deinit(&m);
	mkdata_init(&m, MKDATA_TYPE);
	maps_this_program(0, st.st_ino, 0);
	assert_no_problems(&m);
	mkdata_deinit(&m);
	mkdata_init(&m, MKDATA_TYPE);
	maps_this_program(0, st.st_ino, generation[0] ^ 2);
	if (fs.f_type == EXT4_SUPER_MAGIC)
		assert_problem(&m, "is another file now than the recorded one (inode");
	else if (!generation[0])
		assert_no_problems(&m);
}

static void test_names_of_threads(void **state)
{
	mkdata_comm(&m, 10, 10, "main", 0, false);
	mkdata_fork(&m, 10, 10, 10, 11, 50);
	mkdata_comm(&m, 10, 11, "worker", 60, false);
	USER(1, 10, 11, 55);
	USER(1, 10, 11, 65);
	USER(1, 10, 10, 65);
	USER(1, 99, 99, 65);
	KERNEL(1, 0, 0, 65);
	USER(1, -1, -1, 65);
	assert_rows(&m, ":-1 [unknown] 0x0000000000000001 1\n"
			":99 [unknown] 0x0000000000000001 1\n"
			"main [unknown] 0x0000000000000001 2\n"
			"swapper [unknown] 0x0000000000000001 1\n"
			"worker [unknown] 0x0000000000000001 1\n");
}

static void test_kernel_modules_and_programs(void **state)
{
	const char name[] = "bpf_prog_1";
	struct {
		u64 addr;
		u32 len;
		u16 type, flags;
		char name[16];
	} ksymbol = { 0xffff0000c0000000, 0x100, 1, 0, "" };

	memcpy(ksymbol.name, name, sizeof(name));
	mkdata_kernel(&m, 0xffff000080000000, 0x40000000, 0xffff000080000000,
		      "[kernel.kallsyms]_text", 0);
	mkdata_kernel(&m, 0xffff000090000000, 0x1000, 0, "/lib/modules/6/kernel/fs/a-b.ko.xz", 0);
	mkdata_record(&m, PERF_RECORD_KSYMBOL, 0, &ksymbol, 16 + sizeof(name), 0, 0, 50);
	KERNEL(0xffff000080000010, 10, 10, 20);
	KERNEL(0xffff000090000010, 10, 10, 20);
	KERNEL(0xffff0000c0000010, 10, 10, 20);
	KERNEL(0xffff0000c0000010, 10, 10, 60);
	KERNEL(0x10, 10, 10, 60);
	assert_rows(&m, ":10 [a_b] 0xffff000090000010 1\n"
			":10 [kernel.kallsyms] 0xffff000080000010 1\n"
			":10 [unknown] 0x0000000000000010 1\n"
			":10 [unknown] 0xffff0000c0000010 1\n"
			":10 bpf_prog_1 bpf_prog_1 1\n");
}

/*
 * One program replaces another at the same address. The kernel wrote the second record for another
 * event before ours: our record's tail, with its time, is followed by as many extra bytes.
 */
static void test_programs_in_longer_records(void **state)
{
	struct {
		u64 addr;
		u32 len;
		u16 type, flags;
		char name[16];
		u64 tail[3];
	} first = { 0xffff0000c0000000, 0x100, 1, 0, "bpf_prog_1", { 0 } },
	  second = { 0xffff0000c0000000, 0x100, 1, 0, "bpf_prog_2", { 10ULL << 32 | 10, 100 } };

	mkdata_record(&m, PERF_RECORD_KSYMBOL, 0, &first, sizeof(first) - sizeof(first.tail), 10,
		      10, 50);
	mkdata_record(&m, PERF_RECORD_KSYMBOL, 0, &second, sizeof(second), 0, 0, 0);
	KERNEL(0xffff0000c0000010, 10, 10, 60);
	KERNEL(0xffff0000c0000010, 10, 10, 110);
	assert_rows(&m, ":10 bpf_prog_1 bpf_prog_1 1\n"
			":10 bpf_prog_2 bpf_prog_2 1\n");
}

/* A program from before the recording: only its end is recorded */
static void test_programs_that_end(void **state)
{
	struct {
		u64 addr;
		u32 len;
		u16 type, flags;
		char name[16];
	} ksymbol = { 0xffff0000c0000000, 0x100, 1, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
		      "bpf_prog_1" };

	KERNEL(0xffff0000c0000010, 10, 10, 60);
	mkdata_record(&m, PERF_RECORD_KSYMBOL, 0, &ksymbol, sizeof(ksymbol), 10, 10, 70);
	assert_rows(&m, ":10 bpf_prog_1 bpf_prog_1 1\n");
}

static void test_other_worlds_are_counted(void **state)
{
	static const u16 modes[] = { PERF_RECORD_MISC_HYPERVISOR, PERF_RECORD_MISC_GUEST_KERNEL,
				     PERF_RECORD_MISC_GUEST_USER, 7 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		mkdata_sample(&m, &(struct mkdata_sample){
			.ip = 16, .pid = 1, .tid = 1, .misc = modes[i],
		});
	assert_rows(&m, ":1 [guest] 0x0000000000000010 1\n"
			":1 [guest] 0x0000000000000010 1\n"
			":1 [hypervisor] 0x0000000000000010 1\n"
			":1 [unknown] 0x0000000000000010 1\n");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_exec_drops_maps_and_changes_name),
		TEST(test_fork_shares_the_parents_past_only),
		TEST(test_forks_of_forks),
		TEST(test_pid_reuse),
		TEST(test_maps_before_and_after_an_exit),
		TEST(test_records_out_of_order),
		TEST(test_maps_over_each_other),
		TEST(test_maps_at_random),
		TEST(test_maps_in_maps),
		TEST(test_build_id_bit_of_another_event),
		TEST(test_generation_of_an_inode),
		TEST(test_names_of_threads),
		TEST(test_kernel_modules_and_programs),
		TEST(test_programs_in_longer_records),
		TEST(test_programs_that_end),
		TEST(test_other_worlds_are_counted),
	};

	return cmocka_run_group_tests_name("sideband", tests, NULL, NULL);
}
