// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of CPUs whose PC never changes, against what made-up /proc files say the CPU did.
 */
#include "unit.h"

#include "capture/frozen.h"

#define CPUS 4

struct told {
	unsigned int nr;
	char text[512];
};

static void tell(void *arg, unsigned int cpu, const char *text)
{
	struct told *told = arg;

	assert_int_equal(cpu, 2);
	told->nr++;
	snprintf(told->text, sizeof(told->text), "%s", text);
}

/* /proc/stat in which all CPUs are alike */
static void write_stat(unsigned int busy, unsigned int idle)
{
	char text[512] = "";
	unsigned int cpu;

	for (cpu = 0; cpu < CPUS; cpu++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "cpu%u %u 0 0 %u 0 0 0 0 0 0\n", cpu, busy, idle);
	temp_text("proc/stat", text);
	temp_text("proc/interrupts", "CPU0 CPU1 CPU2 CPU3\n 11: 1 1 1 1\n");
}

static void note(struct frozen_watch *w, unsigned int cpu, unsigned int tid, unsigned int samples)
{
	struct {
		struct perf_event_header header;
		__u64 ip;
		__u32 pid, tid;
		__u32 cpu, reserved;
	} sample = {
		.header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(sample) },
		.pid = tid, .tid = tid, .cpu = cpu,
	};

	while (samples--) {
		sample.ip += 4;
		frozen_watch_note(w, &sample.header);
	}
}

static const struct perf_event_attr attr = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CPU,
};

static bool is_undecided(const struct frozen_watch *w, int cpu)
{
	struct cpus cpus = { 0 }, undecided;

	cpus_add(&cpus, cpu);
	frozen_watch_undecided(w, &cpus, &undecided);
	return !cpus_empty(&undecided);
}

/*
 * What is reported of @samples of task @tid after so many ticks @busy and @idle; @others are
 * samples of another task
 */
static struct told told_of(unsigned int tid, unsigned int samples, unsigned int busy,
			   unsigned int idle, unsigned int others)
{
	struct frozen_watch *w;
	struct told told = { 0 };
	struct error err;

	write_stat(1000, 1000);
	assert_int_equal(frozen_watch_create(&w, &attr, temp_dir, &err), 0);
	note(w, 2, tid, samples);
	note(w, 2, 77, others);
	assert_true(is_undecided(w, 2));
	write_stat(1000 + busy, 1000 + idle);
	assert_int_equal(is_undecided(w, 2), samples + others < 100 || busy + idle < 100);
	assert_true(is_undecided(w, 3));
	frozen_watch_end(w, tell, &told);
	frozen_watch_destroy(w);
	return told;
}

static void test_frozen(void **state)
{
	struct told told;

	told = told_of(0, 1000, 180, 20, 0);
	assert_int_equal(told.nr, 1);
	assert_non_null(strstr(told.text, "CPU 2: all 1000 samples are idle"));
	assert_non_null(strstr(told.text, "busy for 90 %"));

	told = told_of(55, 1000, 40, 160, 0);
	assert_int_equal(told.nr, 1);
	assert_non_null(strstr(told.text, "are of task 55"));
	assert_non_null(strstr(told.text, "idle for 80 %"));
}

static void test_not_frozen(void **state)
{
	/* The samples agree with what the CPU did */
	assert_int_equal(told_of(0, 1000, 20, 180, 0).nr, 0);
	assert_int_equal(told_of(55, 1000, 180, 20, 0).nr, 0);
	/* One sample is of another task */
	assert_int_equal(told_of(0, 1000, 180, 20, 1).nr, 0);
	/* Too few samples, too short a time, or no task: no verdict */
	assert_int_equal(told_of(0, 99, 180, 20, 0).nr, 0);
	assert_int_equal(told_of(0, 1000, 60, 20, 0).nr, 0);
	assert_int_equal(told_of(-1U, 1000, 20, 180, 0).nr, 0);
	/* No samples at all */
	assert_int_equal(told_of(0, 0, 180, 20, 0).nr, 0);
}

/* Short records, records of a CPU that does not exist, and records of another type */
static void test_odd_records(void **state)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(header) };
	struct frozen_watch *w;
	struct error err;
	struct told told = { 0 };

	write_stat(1000, 1000);
	assert_int_equal(frozen_watch_create(&w, &attr, temp_dir, &err), 0);
	frozen_watch_note(w, &header);
	header.type = PERF_RECORD_COMM;
	frozen_watch_note(w, &header);
	note(w, -1U, 0, 1000);
	note(w, 100, 0, 1000);
	write_stat(1180, 1020);
	frozen_watch_end(w, tell, &told);
	assert_int_equal(told.nr, 0);
	frozen_watch_destroy(w);
}

static void test_no_proc(void **state)
{
	struct frozen_watch *w;
	struct error err;

	assert_int_equal(frozen_watch_create(&w, &attr, temp_dir, &err), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_frozen, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_not_frozen, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_odd_records, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_no_proc, temp_setup, temp_teardown),
	};

	return cmocka_run_group_tests_name("frozen", tests, NULL, NULL);
}
