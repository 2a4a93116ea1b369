// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which files a recording keeps: those that have samples, even if their process has exited.
 */
#include "unit.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/embed-files.h"

#define START	0x7f0000000000ULL
#define SIZE	0x1000ULL

static struct build_id_cache *cache;
static struct capture_files *files;
static char gone[PATH_MAX];
static struct build_id id;

/* A copy of this program */
static int make_file(void)
{
	char command[2 * PATH_MAX];

	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", getpid(), gone);
	return system(command);
}

/* Map a copy of this program, which is then deleted: the file exists only in this process */
static int setup(void **state)
{
	void *p;
	int fd;

	if (temp_setup(state))
		return -1;
	snprintf(gone, sizeof(gone), "%s/prog", temp_dir);
	if (make_file())
		return -1;
	fd = open(gone, O_RDONLY);
	build_id_of_fd(&id, fd);
	p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	unlink(gone);
	cache = build_id_cache_create();
	files = capture_files_create(cache);
	return p == MAP_FAILED || !cache || !files ? -1 : 0;
}

static int teardown(void **state)
{
	capture_files_destroy(files);
	build_id_cache_destroy(cache);
	return temp_teardown(state);
}

/* Records */

static void note(const void *record)
{
	assert_int_equal(capture_files_note(files, record), 0);
}

static void mapped_as(const char *path, u32 pid, u64 start, u64 size)
{
	struct {
		struct perf_event_header header;
		u32 pid, tid;
		u64 start, size, offset;
		u8 build_id_size, reserved[3];
		u8 build_id[20];
		u32 prot, flags;
		char name[128];
	} m = { { .type = PERF_RECORD_MMAP2, .size = sizeof(m),
		  .misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID },
		.pid = pid, .tid = pid, .start = start, .size = size, .build_id_size = id.size };

	memcpy(m.build_id, id.bytes, id.size);
	strcpy(m.name, path);
	note(&m);
}

static void mapped(u32 pid, u64 start)
{
	mapped_as(gone, pid, start, SIZE);
}

static void task(u32 type, u32 pid, u32 ppid, u32 tid)
{
	struct {
		struct perf_event_header header;
		u32 pid, ppid, tid, ptid;
		u64 time;
	} record = { { .type = type, .size = sizeof(record) }, pid, ppid, tid, ppid, 0 };

	note(&record);
}

static void forked(u32 pid, u32 ppid)
{
	task(PERF_RECORD_FORK, pid, ppid, pid);
}

static void exited(u32 pid)
{
	task(PERF_RECORD_EXIT, pid, 1, pid);
}

static void rounds(unsigned int n)
{
	struct perf_event_header end = { .type = PERFDATA_RECORD_FINISHED_ROUND,
					 .size = sizeof(end) };

	while (n--)
		note(&end);
}

static void sampled(u32 pid, u64 ip)
{
	struct {
		struct perf_event_header header;
		u64 id, ip;
		u32 pid, tid;
		u64 time;
	} s = { { .type = PERF_RECORD_SAMPLE, .size = sizeof(s) }, 1, ip, pid, pid, 0 };

	note(&s);
}

/* Does the recording contain the file? @left_out: files that are too large or too many */
static bool is_kept_but(unsigned int left_out)
{
	static const u64 ids[] = { 1 };
	struct perfdata_event event = { .name = "e", .ids = ids, .nr_ids = 1 };
	struct perfdata_writer *w;
	unsigned int found_out;
	char out[PATH_MAX];
	struct error err;
	bool kept;

	snprintf(out, sizeof(out), "%s/out", temp_dir);
	assert_int_equal(perfdata_writer_create(&w, out, &err), 0);
	assert_int_equal(perfdata_write_events(w, &event, 1, &err), 0);
	assert_int_equal(capture_files_write(files, w, &found_out, &err), 0);
	assert_int_equal(found_out, left_out);
	assert_int_equal(perfdata_writer_finish(w, &err), 0);
	kept = perfdata_writer_size(w) > 8192;
	perfdata_writer_destroy(w);
	return kept;
}

static bool is_kept(void)
{
	return is_kept_but(0);
}

static void need_file(void)
{
	if (!id.size || geteuid())
		skip();
}

/* Tests */

static void test_samples_decide(void **state)
{
	need_file();
	mapped(getpid(), START);
	assert_false(is_kept());
	sampled(getpid(), START + SIZE);
	sampled(getpid() + 1, START);
	assert_false(is_kept());
	sampled(getpid(), START);
	assert_true(is_kept());
}

/* A child has what its parent had mapped when it forked, even after the parent's exit */
static void test_inherited(void **state)
{
	need_file();
	mapped(getpid(), START);
	forked(4000001, getpid());
	forked(4000002, 4000001);
	exited(4000001);
	rounds(3);
	sampled(4000001, START);
	assert_false(is_kept());
	sampled(4000002, START);
	assert_true(is_kept());
}

/* A process does not have what its child maps later, nor samples after its own exit */
static void test_children(void **state)
{
	need_file();
	mapped(getpid(), START);
	forked(4000001, getpid());
	forked(4000002, 4000001);
	exited(4000001);
	rounds(1);
	sampled(4000001, START + SIZE);
	rounds(1);
	sampled(4000001, START);
	assert_false(is_kept());
	mapped(4000002, START + SIZE);
	sampled(getpid(), START + SIZE);
	assert_false(is_kept());
	sampled(4000002, START + SIZE);
	assert_true(is_kept());
}

/* A pid is used again though no exit was seen: the exit was lost */
static void test_lost_exits(void **state)
{
	struct mallinfo2 before, after;
	unsigned int i;

	need_file();
	mapped(getpid(), START);
	forked(4000001, getpid());
	forked(4000001, 1);
	rounds(2);
	sampled(4000001, START);
	assert_false(is_kept());
	before = mallinfo2();
	for (i = 0; i < 100000; i++) {
		forked(4000001, getpid());
		mapped(4000001, START + SIZE);
		rounds(1);
	}
	after = mallinfo2();
	assert_true(after.uordblks < before.uordblks + 100000);
	sampled(4000001, START + SIZE);
	assert_true(is_kept());
}

/* A library that is mapped again and again */
static void test_mapped_again(void **state)
{
	struct mallinfo2 before, after;
	unsigned int i;

	need_file();
	mapped(getpid(), START);
	before = mallinfo2();
	for (i = 0; i < 100000; i++)
		mapped(getpid(), START);
	after = mallinfo2();
	assert_true(after.uordblks < before.uordblks + 100000);
	sampled(getpid(), START);
	assert_true(is_kept());
}

/* Ends with this test: a test that fails leaves no process behind */
static void *wait_for_ever(void *arg)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
	return NULL;
}

/* A process whose first thread has exited, while another one runs */
static pid_t headless(void)
{
	pid_t pid = fork();
	pthread_t thread;
	char line[256];
	FILE *f;

	if (!pid) {
		pthread_create(&thread, NULL, wait_for_ever, NULL);
		pthread_exit(NULL);
	}
	assert_true(pid > 0);
	do {
		snprintf(line, sizeof(line), "/proc/%d/stat", pid);
		f = fopen(line, "r");
		assert_non_null(f);
		assert_non_null(fgets(line, sizeof(line), f));
		fclose(f);
		usleep(1000);
	} while (!strstr(line, ") Z "));
	return pid;
}

static void test_first_thread_exits(void **state)
{
	pid_t pid;

	need_file();
	pid = headless();
	mapped(getpid(), START);
	forked(pid, getpid());
	exited(pid);
	rounds(5);
	sampled(pid, START);
	assert_true(is_kept());
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* When the last thread exits, the process is gone, too */
static void test_last_thread_exits(void **state)
{
	pid_t pid;

	need_file();
	pid = headless();
	mapped(getpid(), START);
	forked(pid, getpid());
	exited(pid);
	rounds(5);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	rounds(1);
	sampled(pid, START);
	assert_false(is_kept());
}

/* The pid of no process: its files are found by their paths alone */
#define NOBODY 4000001

/* A build deletes what it has run: a file that was at its path at the first sample is kept */
static void test_deleted_later(void **state)
{
	if (!id.size)
		skip();
	assert_int_equal(make_file(), 0);
	mapped(NOBODY, START);
	sampled(NOBODY, START);
	exited(NOBODY);
	rounds(3);
	/* Not while it is at its path: the report finds it there */
	assert_false(is_kept());
	unlink(gone);
	assert_true(is_kept());
}

static void test_deleted_without_samples(void **state)
{
	if (!id.size)
		skip();
	assert_int_equal(make_file(), 0);
	mapped(NOBODY, START);
	unlink(gone);
	assert_false(is_kept());
	/* Nobody has it any more at the first sample */
	sampled(NOBODY, START);
	assert_false(is_kept());
}

/* Nothing is copied of a file that was overwritten */
static void test_overwritten(void **state)
{
	if (!id.size)
		skip();
	assert_int_equal(make_file(), 0);
	mapped(NOBODY, START);
	sampled(NOBODY, START);
	temp_text("prog", "no program");
	assert_false(is_kept());
}

/* The recorder itself needs to open files */
static void test_few_descriptors(void **state)
{
	struct rlimit before, few;

	if (!id.size)
		skip();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 100;
	assert_int_equal(make_file(), 0);
	mapped(NOBODY, START);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	sampled(NOBODY, START);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_false(is_kept());
	unlink(gone);
	assert_false(is_kept_but(1));
}

/* Another file is mapped over the middle of one that has no samples */
static void test_mapped_over(void **state)
{
	if (!id.size)
		skip();
	assert_int_equal(make_file(), 0);
	mapped_as(gone, NOBODY, START, 3 * SIZE);
	mapped_as("/proc/self/exe", NOBODY, START + SIZE, SIZE);
	sampled(NOBODY, START - 1);
	sampled(NOBODY, START + SIZE);
	sampled(NOBODY, START + 3 * SIZE);
	unlink(gone);
	assert_false(is_kept());
	assert_int_equal(make_file(), 0);
	sampled(NOBODY, START + SIZE - 1);
	unlink(gone);
	assert_true(is_kept());
}

/* A process that maps more and more, as one that executes itself again and again */
static void test_mapped_everywhere(void **state)
{
	struct mallinfo2 before, after;
	unsigned int i;

	if (!id.size)
		skip();
	assert_int_equal(make_file(), 0);
	before = mallinfo2();
	for (i = 0; i < 100000; i++)
		mapped(NOBODY, START + 2 * i * SIZE);
	after = mallinfo2();
	assert_true(after.uordblks < before.uordblks + 100000);
	sampled(NOBODY, START + 2 * --i * SIZE);
	unlink(gone);
	assert_true(is_kept());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_samples_decide, setup, teardown),
		cmocka_unit_test_setup_teardown(test_inherited, setup, teardown),
		cmocka_unit_test_setup_teardown(test_children, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost_exits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mapped_again, setup, teardown),
		cmocka_unit_test_setup_teardown(test_first_thread_exits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_last_thread_exits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_deleted_later, setup, teardown),
		cmocka_unit_test_setup_teardown(test_deleted_without_samples, setup, teardown),
		cmocka_unit_test_setup_teardown(test_overwritten, setup, teardown),
		cmocka_unit_test_setup_teardown(test_few_descriptors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mapped_over, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mapped_everywhere, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
