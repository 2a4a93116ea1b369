// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records that are written while the rings are read must not be lost, and samples that share a
 * record are delivered one by one.
 *
 * This program records its own page faults and task names. A wrapper around libperf's read function
 * causes the next record whenever a record is read, or puts several samples into a record, as
 * arm_pcsample does.
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
#include "capture/batch.h"
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

/* Samples that share a record */

#define SHARING		3
#define RECORD_SIZE	offsetof(struct arm_pcsample_record, cycles)
#define MEMBER_SIZE	offsetof(struct arm_pcsample_member, record.cycles)

/* The fields of the event in front of the raw data, and behind it */
struct front {
	struct perf_event_header header;
	u64 id, ip;
	u32 pid, tid;
	u64 time;
	u32 cpu, reserved;
	u64 period;
	u32 raw_size;
};

/* Whether to put samples into a record, and the number of the next one */
static bool sharing;
static u64 next_seq;

static u8 *add(u8 *at, const void *what, size_t size)
{
	return (u8 *)memcpy(at, what, size) + size;
}

static u8 *add_member(u8 *at, const struct front *front)
{
	struct arm_pcsample_member m = {
		.ip = front->ip, .pid = front->pid, .tid = front->tid, .period = front->period,
		.misc = front->header.misc,
		.record = {
			.size = RECORD_SIZE, .target = front->cpu, .planned = front->time,
			.seq = next_seq++,
		},
	};

	return add(at, &m, MEMBER_SIZE);
}

static union perf_event *share(union perf_event *event)
{
	struct arm_pcsample_batch batch = { .nr = SHARING, .stride = MEMBER_SIZE };
	struct arm_pcsample_record record = { .size = RECORD_SIZE };
	static u8 shared[1024] __attribute__((aligned(8)));
	const u64 cgroup = 0;
	struct front front;
	unsigned int i;
	u8 *at = shared;

	memcpy(&front, event, sizeof(front));
	at += offsetof(struct front, raw_size) + sizeof(front.raw_size);
	at = add(at, &record, RECORD_SIZE);
	at = add(at, &batch, sizeof(batch));
	for (i = 0; i < SHARING; i++)
		at = add_member(at, &front);
	front.raw_size = RECORD_SIZE + sizeof(batch) + SHARING * MEMBER_SIZE;
	if (capture_events(capture)[0].attr.sample_type & PERF_SAMPLE_CGROUP)
		at = add(at, &cgroup, sizeof(cgroup));
	front.period *= SHARING;
	front.header.size = at - shared;
	add(shared, &front, offsetof(struct front, raw_size) + sizeof(front.raw_size));
	return (union perf_event *)shared;
}

/* How long to stay in the next pass, and when it began to read */
static useconds_t stay;
static u64 reading;

static void stay_in_pass(void)
{
	if (!stay)
		return;
	reading = now_ns();
	usleep(stay);
	stay = 0;
}

union perf_event *__real_perf_mmap__read_event(struct perf_mmap *map);
union perf_event *__wrap_perf_mmap__read_event(struct perf_mmap *map);

union perf_event *__wrap_perf_mmap__read_event(struct perf_mmap *map)
{
	union perf_event *event = __real_perf_mmap__read_event(map);

	u32 type = event ? event->header.type : 0;

	stay_in_pass();
	if (sharing && type == PERF_RECORD_SAMPLE)
		return share(event);
	if (event ? type == at_record && type == PERF_RECORD_SAMPLE : at_end)
		make_fault();
	if (event ? type == at_record && type == PERF_RECORD_COMM : at_end)
		make_name();
	return event;
}

/* Capturing */

/* The markers that were delivered, and the time of the last one */
static unsigned int markers;
static u64 marked;

static int take(void *arg, const struct perf_event_header *record, struct error *err)
{
	const struct perf_record_comm *comm = (const void *)record;

	markers += record->type == PERFDATA_RECORD_FINISHED_ROUND;
	if (record->type == PERFDATA_RECORD_FINISHED_ROUND)
		marked = now_ns();
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
	sharing = false;
	next_seq = 0;
	markers = 0;
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

/* Samples that share a record */

#define DEVICE	"sys/bus/event_source/devices/arm_pcsample/"

/* This CPU is the reader of a PMU whose events are the kernel's software events */
static int setup_pmu(void **state)
{
	char cpu[16];

	if (setup(state) || temp_setup(state))
		return -1;
	snprintf(cpu, sizeof(cpu), "%d\n", sched_getcpu());
	temp_text("sys/devices/system/cpu/online", "0-4095\n");
	temp_text(DEVICE "type", "1\n");
	temp_text(DEVICE "cpumask", cpu);
	temp_text(DEVICE "caps/blocks", "0-4095\n");
	temp_text(DEVICE "format/event", "config:0-7\n");
	temp_text(DEVICE "format/seed", "config2:0-31\n");
	return 0;
}

static int teardown_pmu(void **state)
{
	return teardown(state) || temp_teardown(state);
}

/* The field makes minor page faults of migrations, so without it there are no samples */
static void batch_is_known(void)
{
	assert_int_equal(PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_CPU_MIGRATIONS | 1);
	temp_text(DEVICE "format/batch", "config:0\n");
}

/* @event: config of the event with this name, as described */
static void begin_pmu(const char *name, u64 event)
{
	struct capture_config config = {
		.root = temp_dir, .period = 1, .system_wide = true, .hands_off = true, .pages = 64,
	};
	struct error err;
	int ret;

	assert_int_equal(event_parse(&config.event, temp_dir, name, &err), 0);
	assert_int_equal(capture_create(&capture, &config, &err), 0);
	ret = capture_open(capture, NULL, 0, &err);
	if (ret == -EACCES || ret == -EPERM)
		skip();
	assert_int_equal(ret, 0);
	assert_int_equal(capture_events(capture)[0].attr.config, event);
	sharing = true;
	enable();
}

/* Samples and their numbers: those of @arg come in turn */
static int take_samples(void *arg, const struct perf_event_header *record, struct error *err)
{
	struct arm_pcsample_record hw;
	struct sample_layout l;
	u64 *seq = arg;

	if (record->type != PERF_RECORD_SAMPLE)
		return 0;
	sample_layout_init(&l, &capture_events(capture)[0].attr);
	assert_int_equal(record->size, l.size + sizeof(u32) + RECORD_SIZE + l.cgroup);
	assert_true(sample_arm_record(&l, (const u8 *)record, &hw));
	assert_int_equal(hw.seq, *seq);
	assert_int_equal(load64((const u8 *)record + l.period), 1);
	assert_int_equal(load64((const u8 *)record + l.time), hw.planned);
	(*seq)++;
	return 0;
}

static void shares(const char *name)
{
	unsigned int i;
	struct error err;
	u64 seq = 0;

	begin_pmu(name, PERF_COUNT_SW_CPU_MIGRATIONS);
	for (i = 0; i < SOME; i++)
		make_fault();
	capture_disable(capture);
	assert_true(capture_drain(capture, take_samples, &seq, &err) >= SOME * SHARING);
	assert_int_equal(seq, next_seq);
	assert_int_equal(capture_counts(capture)->samples, seq);
}

/* The event is opened with the field and described without */
static void test_shared_records(void **state)
{
	batch_is_known();
	shares("arm_pcsample/event=4/");
}

static void test_shared_records_as_asked(void **state)
{
	batch_is_known();
	shares("arm_pcsample/event=4,batch=1/");
}

/* An older driver: records are delivered as they are, and each pass ends a round */
static void test_batch_is_not_known(void **state)
{
	unsigned int i;

	begin_pmu("arm_pcsample/event=5/", PERF_COUNT_SW_PAGE_FAULTS_MIN);
	for (i = 0; i < SOME; i++) {
		make_fault();
		drain();
		assert_int_equal(markers, i + 1);
	}
	assert_int_equal(delivered.faults, SOME);
}

/* Markers come, but not soon after each other */
static void test_markers(void **state)
{
	u64 begin = now_ns(), before;
	unsigned int i;

	batch_is_known();
	begin_pmu("arm_pcsample/event=4/", PERF_COUNT_SW_CPU_MIGRATIONS);
	for (i = 0; i < 4; i = markers) {
		before = marked;
		make_fault();
		drain();
		if (i && markers > i)
			assert_true(marked - before >= BATCH_OLDEST);
		assert_in_range(now_ns() - begin, 0, 60000000000);
		usleep(2000);
	}
}

/* What counts is when a pass begins: what comes to a ring meanwhile is left for the next one */
static void test_marker_after_a_long_pass(void **state)
{
	unsigned int before;
	u64 since;

	batch_is_known();
	begin_pmu("arm_pcsample/event=4/", PERF_COUNT_SW_CPU_MIGRATIONS);
	do {
		for (before = markers; markers == before; usleep(2000)) {
			make_fault();
			drain();
		}
		before = markers;
		since = marked;
		make_fault();
		stay = BATCH_OLDEST / 1000;
		drain();
		/* Unless this process had to wait before that pass */
	} while (reading >= since + BATCH_OLDEST);
	assert_int_equal(markers, before);
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
		cmocka_unit_test_setup_teardown(test_shared_records, setup_pmu, teardown_pmu),
		cmocka_unit_test_setup_teardown(test_shared_records_as_asked, setup_pmu,
						teardown_pmu),
		cmocka_unit_test_setup_teardown(test_batch_is_not_known, setup_pmu, teardown_pmu),
		cmocka_unit_test_setup_teardown(test_markers, setup_pmu, teardown_pmu),
		cmocka_unit_test_setup_teardown(test_marker_after_a_long_pass, setup_pmu,
						teardown_pmu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
