// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records that are written while the rings are read must not be lost.
 *
 * This program records its own page faults and task names. A wrapper around libperf's read function
 * causes the next record whenever a record is read.
 */
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perf/core.h>
#include <perf/event.h>
#include <perf/mmap.h>

#include "base/clock.h"
#include "capture/rings.h"

/* Records in a ring when a round begins; a ring of one page has room for twice as many */
#define SOME	20

/* Upper limit of the size of touch(), in bytes */
#define TOUCH_SIZE	64

struct tally {
	unsigned int faults;
	unsigned int names;
};

static struct capture *capture;
static struct tally made, delivered;
static char *page;

/* When to make a record: after one of this type was read; after a ring was found empty */
static u32 at_record;
static bool at_end;

/* Making records */

static void __attribute__((noipa, no_sanitize("address", "undefined"))) touch(volatile char *p)
{
	*p = 1;
}

static void make_fault(void)
{
	assert_int_equal(madvise(page, 1, MADV_DONTNEED), 0);
	touch(page);
	made.faults++;
}

static void make_name(void)
{
	char name[16];

	snprintf(name, sizeof(name), "rings-%u", made.names % 1000);
	assert_int_equal(prctl(PR_SET_NAME, name), 0);
	made.names++;
}

union perf_event *__real_perf_mmap__read_event(struct perf_mmap *map);
union perf_event *__wrap_perf_mmap__read_event(struct perf_mmap *map);

union perf_event *__wrap_perf_mmap__read_event(struct perf_mmap *map)
{
	union perf_event *event = __real_perf_mmap__read_event(map);

	u32 type = event ? event->header.type : 0;

	if (event ? type == at_record && type == PERF_RECORD_SAMPLE : at_end)
		make_fault();
	if (event ? type == at_record && type == PERF_RECORD_COMM : at_end)
		make_name();
	return event;
}

/* Capturing */

static int take(void *arg, const struct perf_event_header *record, struct error *err)
{
	const struct perf_record_comm *comm = (const void *)record;

	if (record->type == PERF_RECORD_SAMPLE)
		delivered.faults += sample_ip(record) - (uintptr_t)touch < TOUCH_SIZE;
	else if (record->type == PERF_RECORD_COMM)
		delivered.names += !strncmp(comm->comm, "rings-", 6);
	return 0;
}

static void drain(void)
{
	struct error err;

	assert_true(capture_drain(capture, take, NULL, &err) >= 0);
}

/* A record goes to the ring of the CPU on which the task runs */
static void stay_on_this_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	assert_int_equal(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

static int setup(void **state)
{
	made = (struct tally) { 0 };
	delivered = made;
	at_record = 0;
	at_end = false;
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stay_on_this_cpu();
	return page == MAP_FAILED ? -1 : 0;
}

static int teardown(void **state)
{
	capture_destroy(capture);
	capture = NULL;
	return munmap(page, sysconf(_SC_PAGESIZE));
}

/* @pages: size of the rings of samples. Return: as capture_open() */
static int open_events(pid_t pid, unsigned int pages)
{
	struct capture_config config = { .root = "", .period = 1, .attach = true, .pages = pages };
	struct error err;
	int ret;

	assert_int_equal(event_parse(&config.event, "", "page-faults:u", &err), 0);
	assert_int_equal(capture_create(&capture, &config, &err), 0);
	ret = capture_open(capture, &pid, 1, &err);
	if (ret == -EACCES || ret == -EPERM)
		skip();
	return ret;
}

static void enable(void)
{
	struct error err;

	assert_int_equal(capture_enable(capture, &err), 0);
}

static void begin(unsigned int pages)
{
	assert_int_equal(open_events(getpid(), pages), 0);
	enable();
}

static void end(void)
{
	at_record = 0;
	at_end = false;
	capture_disable(capture);
	drain();
	assert_int_equal(capture_lost(capture), 0);
	assert_int_equal(delivered.faults, made.faults);
	assert_int_equal(delivered.names, made.names);
}

/* Records arrive after a ring was found empty, before the reader leaves it */
static void test_left_empty(void **state)
{
	unsigned int i;

	begin(0);
	at_end = true;
	for (i = 0; i < SOME; i++)
		drain();
	assert_true(made.faults >= SOME && made.names >= SOME);
	end();
}

/* As many records arrive as are read: the round must end, and may leave the ring full */

static void test_never_empty_of_samples(void **state)
{
	begin(1);
	while (made.faults < SOME)
		make_fault();
	at_record = PERF_RECORD_SAMPLE;
	drain();
	assert_true(made.faults > 2 * SOME);
	end();
}

static void test_never_empty_of_side_band(void **state)
{
	begin(0);
	while (made.names < SOME)
		make_name();
	at_record = PERF_RECORD_COMM;
	drain();
	assert_true(made.names > 2 * SOME);
	end();
}

/* Threads that end */

static void *fault_forever(void *arg)
{
	for (;;)
		make_fault();
	return arg;
}

/* A process whose first thread has ended; the second one makes faults. To be killed. */
static pid_t fork_without_leader(void)
{
	pthread_t thread;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pthread_create(&thread, NULL, fault_forever, NULL))
		_exit(1);
	pthread_exit(NULL);
}

static void await_zombie(pid_t pid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (state != 'Z') {
		f = fopen(path, "r");
		assert_non_null(f);
		assert_int_equal(fscanf(f, "%*d %*s %c", &state), 1);
		fclose(f);
		sched_yield();
	}
}

/* The events of a thread that has ended cannot be opened: as if it ended after it was listed */
static void test_ended_thread(void **state)
{
	pid_t pid = fork_without_leader();
	struct error err;

	await_zombie(pid);
	assert_int_equal(open_events(pid, 0), 0);
	enable();
	while (!delivered.faults)
		assert_true(capture_pump(capture, 100, take, NULL, &err) >= 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Without a thread, the events would be those of all processes */
static void test_no_thread_left(void **state)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(0);
	await_zombie(pid);
	assert_int_equal(open_events(pid, 0), -ESRCH);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static u64 pump_ns(int timeout_ms)
{
	u64 start = now_ns();
	struct error err;

	assert_true(capture_pump(capture, timeout_ms, take, NULL, &err) >= 0);
	return now_ns() - start;
}

static void *wait_for_end(void *arg)
{
	pthread_barrier_wait(arg);
	return NULL;
}

/*
 * When one of two threads has ended, to wait for records still takes time: 20 ms. It may not take
 * much longer, as then nothing wakes it up when the other thread ends.
 */
static void test_wait_after_a_thread(void **state)
{
	pthread_barrier_t barrier;
	pthread_t thread;
	unsigned int i;
	u64 ns = 0;

	assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_end, &barrier), 0);
	begin(0);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	/* Ends with the records of the thread's end, or at once, as it has ended */
	pump_ns(60000);
	for (i = 0; i < 5; i++)
		ns += pump_ns(60000);
	assert_in_range(ns, 4 * 20000000, 60000000000);
	pthread_barrier_destroy(&barrier);
}

/* The end of a process ends the wait */
static void test_wait_for_the_end(void **state)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	assert_int_equal(open_events(pid, 0), 0);
	enable();
	kill(pid, SIGKILL);
	assert_in_range(pump_ns(600000), 0, 300000000000);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_left_empty, setup, teardown),
		cmocka_unit_test_setup_teardown(test_never_empty_of_samples, setup, teardown),
		cmocka_unit_test_setup_teardown(test_never_empty_of_side_band, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ended_thread, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_thread_left, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wait_after_a_thread, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wait_for_the_end, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
