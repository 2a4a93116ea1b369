// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples come in the order of time, and those of one time as they are in the file.
 */
#include "profile/samples.h"
#include "tests/mkdata.h"
#include "tests/unit.h"

/* Samples of a round may be as old as the newest one of the round before the last */
#define ROUND_NS	1000000
#define NEWEST_NS	(ROUND_NS * 3 / 2)

static struct mkdata m;

static int setup(void **state)
{
	mkdata_init(&m, MKDATA_TYPE);
	return temp_setup(state);
}

static int teardown(void **state)
{
	mkdata_deinit(&m);
	return temp_teardown(state);
}

/* @each samples of each CPU, many at the time of another. With one each, CPUs are in no order */
static void add_round(unsigned int round, unsigned int cpus, unsigned int each, bool marked)
{
	const struct perf_event_header mark = {
		.type = PERFDATA_RECORD_FINISHED_ROUND, .size = sizeof(mark),
	};
	struct mkdata_sample s = { .ip = 0x1000, .pid = 1, .tid = 1 };
	unsigned int i;

	for (s.cpu = 0; s.cpu < cpus; s.cpu++) {
		for (i = 0; i < each; i++) {
			s.time = (u64)round * ROUND_NS + (u64)NEWEST_NS * i / each / 64 * 64;
			s.time += each == 1 ? random() % 2 * 64 : 0;
			mkdata_sample(&m, &s);
		}
	}
	if (marked)
		mkdata_bytes(&m, &mark, sizeof(mark));
}

static void assert_in_order(u64 expected)
{
	struct session_options options = { .symfs = temp_dir, .threads = 1 };
	const struct in_order_item *item;
	u64 time = 0, pos = 0, nr = 0, bad = 0;
	struct error err = { "" };
	struct in_order order;
	struct session *s;
	char path[80];
	size_t size;
	ssize_t n, i;
	u8 *p = mkdata_file(&m, &size);

	temp_write("perf.data", p, size);
	free(p);
	snprintf(path, sizeof(path), "%s/perf.data", temp_dir);
	assert_int_equal(session_open(&s, path, &options, &err), 0);
	in_order_init(&order, s);
	for (; (n = in_order_next(&order, &item)) > 0; nr += n) {
		for (i = 0; i < n; i++) {
			bad += item[i].time < time || (item[i].time == time && item[i].pos < pos) ||
			       item[i].time != load64(s->pd->data + item[i].pos +
						      s->pd->events[0].layout.time);
			time = item[i].time;
			pos = item[i].pos;
		}
	}
	in_order_deinit(&order);
	session_close(s);
	assert_int_equal(n, 0);
	assert_int_equal(bad, 0);
	assert_int_equal(nr, expected);
}

static void test_one_cpu(void **state)
{
	add_round(0, 1, 20000, true);
	add_round(1, 1, 5, true);
	assert_in_order(20005);
}

static void test_rounds_of_cpus(void **state)
{
	static const unsigned int each[] = { 6000, 5000, 1, 0, 4096, 3000, 0, 7 };
	unsigned int i;
	u64 all = 0;

	for (i = 0; i < ARRAY_SIZE(each); i++) {
		add_round(i, 5, each[i], true);
		all += 5 * each[i];
	}
	assert_in_order(all);
}

static void test_rounds_that_are_not_marked(void **state)
{
	add_round(0, 3, 9000, false);
	add_round(1, 200, 100, false);
	assert_in_order(27000 + 20000);
}

/* A run of one sample each */
static void test_samples_in_no_order(void **state)
{
	add_round(0, 5000, 1, true);
	add_round(1, 1, 5000, true);
	assert_in_order(10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_cpu, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rounds_of_cpus, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rounds_that_are_not_marked, setup, teardown),
		cmocka_unit_test_setup_teardown(test_samples_in_no_order, setup, teardown),
	};

	return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}
