// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parsing of events, of CPU lists, and of the ledger.
 */
#include "unit.h"

#include "capture/event.h"
#include "capture/ledger.h"

#define PMU "sys/bus/event_source/devices/"

/* CPU lists */

static void test_cpus_round_trip(void **state)
{
	static const char *const lists[][2] = {
		{ "", "" },		    { "0", "0" },	  { "0-3,8", "0-3,8" },
		{ "8,0-3\n", "0-3,8" },	    { "1,2,3", "1-3" },	  { "0-6:2", "0,2,4,6" },
		{ "63-64,127", "63-64,127" }, { "8191", "8191" }, { " 5 ", "5" },
	};
	char text[CPUS_TEXT_MAX];
	struct cpus cpus;
	unsigned int i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		assert_int_equal(cpus_parse(&cpus, lists[i][0]), 0);
		cpus_format(&cpus, text, sizeof(text));
		assert_string_equal(text, lists[i][1]);
	}
}

static void test_cpus_bad(void **state)
{
	static const char *const lists[] = { "a", "-1", "3-1", "1,", ",1", "1-", "0-4:0", "8192",
					     "1 2", "0x1", "99999999999999999999" };
	struct cpus cpus;
	unsigned int i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		assert_int_equal(cpus_parse(&cpus, lists[i]), -EINVAL);
}

static void test_cpus_sets(void **state)
{
	struct cpus a, b;
	char text[8];

	cpus_parse(&a, "0-3,100");
	cpus_parse(&b, "2-100");
	assert_int_equal(cpus_count(&a), 5);
	assert_false(cpus_within(&a, &b));
	cpus_and(&a, &b);
	assert_true(cpus_within(&a, &b));
	cpus_format(&a, text, sizeof(text));
	assert_string_equal(text, "2-3,100");
	cpus_and_not(&a, &b);
	assert_true(cpus_empty(&a));
	assert_int_equal(cpus_next(&b, 101), -1);

	/* A list that does not fit is cut off */
	cpus_parse(&b, "1000-2000,4000");
	cpus_format(&b, text, sizeof(text));
	assert_string_equal(text, "1000-20");
}

/* Events */

static int make_pmu(void **state)
{
	temp_setup(state);
	temp_text(PMU "arm_pcsample/type", "11\n");
	temp_text(PMU "arm_pcsample/cpumask", "0,3\n");
	temp_text(PMU "arm_pcsample/format/event", "config:0-7\n");
	temp_text(PMU "arm_pcsample/format/jitter", "config:8-9\n");
	temp_text(PMU "arm_pcsample/format/targets", "config1:0-63\n");
	temp_text(PMU "arm_pcsample/format/seed", "config2:0-31\n");
	temp_text(PMU "arm_pcsample/format/split", "config:0-3,32-35\n");
	temp_text(PMU "arm_pcsample/format/strange", "config9:0-3\n");
	temp_text(PMU "arm_pcsample/events/pc", "event=0x0,jitter=1\n");
	temp_text(PMU "cpu/type", "4\n");
	temp_text(PMU "cpu/format/event", "config:0-7\n");
	return 0;
}

static void parses(struct event_spec *event, const char *text)
{
	struct error err;

	assert_int_equal(event_parse(event, temp_dir, text, &err), 0);
}

static void fails(const char *text, int code, const char *message)
{
	struct event_spec event;
	struct error err;

	assert_int_equal(event_parse(&event, temp_dir, text, &err), code);
	if (!strstr(err.text, message))
		fail_msg("%s: '%s' does not say '%s'", text, err.text, message);
}

static void test_generic_events(void **state)
{
	struct event_spec e;

	parses(&e, "cpu-clock");
	assert_int_equal(e.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(e.config[0], PERF_COUNT_SW_CPU_CLOCK);
	assert_true(e.in_ns);
	assert_false(e.on_cpumask);
	assert_string_equal(e.name, "cpu-clock");
	parses(&e, "cycles:u");
	assert_int_equal(e.type, PERF_TYPE_HARDWARE);
	assert_true(e.exclude_kernel);
	assert_false(e.exclude_user);
	assert_false(e.in_ns);
	parses(&e, "instructions:uk");
	assert_false(e.exclude_kernel || e.exclude_user);
	parses(&e, "r1A");
	assert_int_equal(e.type, PERF_TYPE_RAW);
	assert_int_equal(e.config[0], 0x1a);
}

static void test_pmu_events(void **state)
{
	struct event_spec e;

	parses(&e, "arm_pcsample");
	assert_true(event_is_pcsample(&e));
	assert_string_equal(e.name, "arm_pcsample//");
	assert_int_equal(e.type, 11);
	assert_true(e.on_cpumask && e.in_ns);
	assert_int_equal(cpus_count(&e.cpumask), 2);
	parses(&e, "arm_pcsample/targets=0xf0,jitter=2,seed=7/k");
	assert_int_equal(e.config[0], 0x200);
	assert_int_equal(e.config[1], 0xf0);
	assert_int_equal(e.config[2], 7);
	assert_true(e.exclude_user);
	parses(&e, "arm_pcsample/pc/:u");
	assert_int_equal(e.config[0], 0x100);
	assert_true(e.exclude_kernel);
	parses(&e, "arm_pcsample:u");
	assert_string_equal(e.name, "arm_pcsample//u");
	parses(&e, "arm_pcsample/split=0x5a/");
	assert_int_equal(e.config[0], 0x50000000aULL);
	parses(&e, "arm_pcsample/config1=3/");
	assert_int_equal(e.config[1], 3);
	parses(&e, "cpu/event=0x11/");
	assert_false(e.on_cpumask || event_is_pcsample(&e));
	assert_int_equal(e.config[0], 0x11);
}

static void test_bad_events(void **state)
{
	char text[300];

	fails("bogus", -ENODEV, "no such event");
	fails("", -EINVAL, "no such event");
	fails("../x/", -EINVAL, "no such event");
	fails("rap", -ENODEV, "no such event");
	fails("cpu-clock:p", -EINVAL, "modifier 'p'");
	fails("arm_pcsample/targets=1", -EINVAL, "slash");
	fails("arm_pcsample/nothing=1/", -ENOENT, "no field 'nothing'");
	fails("arm_pcsample/jitter=4/", -ERANGE, "does not fit");
	fails("arm_pcsample/jitter=x/", -EINVAL, "not a number");
	fails("arm_pcsample/jitter=-1/", -EINVAL, "not a number");
	fails("arm_pcsample/strange=1/", -EINVAL, "cannot use format");
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	fails(text, -EINVAL, "too long");
}

/* Ledger */

#define COUNTS(planned, sample) \
	"planned " #planned "\nsample " #sample "\nfiltered 0\nidle 2\nprohibited 1\n"

static void test_ledger(void **state)
{
	struct ledger start, end;

	assert_int_equal(ledger_parse(&start, COUNTS(10, 7)), 0);
	assert_int_equal(ledger_parse(&end, COUNTS(103, 100)), 0);
	assert_true(ledger_adds_up(&start));
	assert_int_equal(ledger_get(&end, "sample"), 100);
	assert_int_equal(ledger_get(&end, "nothing"), 0);
	ledger_subtract(&end, &start);
	assert_int_equal(ledger_get(&end, "planned"), 93);
	assert_int_equal(ledger_get(&end, "sample"), 93);
	assert_true(ledger_adds_up(&end));
	assert_int_equal(ledger_parse(&end, COUNTS(11, 7)), 0);
	assert_false(ledger_adds_up(&end));
}

static void test_ledger_as_json(void **state)
{
	static const char expected[] = "{\"ledger\":{\"planned\":10,\"sample\":7,"
				       "\"filtered\":0,\"idle\":2,\"prohibited\":1}";
	static struct out o;
	struct json j = { .o = &o };
	struct ledger ledger;

	assert_int_equal(ledger_parse(&ledger, COUNTS(10, 7)), 0);
	out_init(&o, -1);
	json_object(&j, NULL);
	ledger_json(&j, &ledger);
	assert_int_equal(o.used, strlen(expected));
	assert_memory_equal(o.buf, expected, o.used);
}

static void test_bad_ledger(void **state)
{
	char text[LEDGER_MAX * 8 + 16] = "";
	struct ledger ledger;
	unsigned int i;

	assert_int_equal(ledger_parse(&ledger, "planned\n"), -EINVAL);
	assert_int_equal(ledger_parse(&ledger, "planned x\n"), -EINVAL);
	assert_int_equal(ledger_parse(&ledger, "12 planned\nx"), -EINVAL);
	for (i = 0; i <= LEDGER_MAX; i++)
		strcat(text, "abc 1\n");
	assert_int_equal(ledger_parse(&ledger, text), -E2BIG);
}

static void has_samples(const struct ledgers *ledgers, unsigned int i, unsigned int cpu, u64 nr)
{
	assert_int_equal(ledgers->of[i].cpu, cpu);
	assert_int_equal(ledger_get(&ledgers->of[i].ledger, "sample"), nr);
}

/* CPUs 5 and 12 come meanwhile, and CPU 4 goes */
static void test_ledgers(void **state)
{
	struct ledgers start, end;
	char path[PATH_MAX];
	struct error err;

	assert_int_equal(ledgers_read(&start, temp_dir, &err), -ENODEV);
	temp_text(PMU "arm_pcsample/ledger/total", COUNTS(20, 17));
	temp_text(PMU "arm_pcsample/ledger/cpu3", COUNTS(10, 7));
	temp_text(PMU "arm_pcsample/ledger/cpu4", COUNTS(10, 7));
	temp_text(PMU "arm_pcsample/ledger/cpu7", COUNTS(10, 7));
	temp_text(PMU "arm_pcsample/ledger/cpu9.old", "no ledger of a CPU");
	assert_int_equal(ledgers_read(&start, temp_dir, &err), 0);
	temp_text(PMU "arm_pcsample/ledger/total", COUNTS(60, 57));
	temp_text(PMU "arm_pcsample/ledger/cpu3", COUNTS(30, 27));
	snprintf(path, sizeof(path), "%s/" PMU "arm_pcsample/ledger/cpu4", temp_dir);
	assert_int_equal(remove(path), 0);
	temp_text(PMU "arm_pcsample/ledger/cpu5", COUNTS(12, 9));
	temp_text(PMU "arm_pcsample/ledger/cpu7", COUNTS(40, 37));
	temp_text(PMU "arm_pcsample/ledger/cpu12", COUNTS(5, 2));
	assert_int_equal(ledgers_read(&end, temp_dir, &err), 0);
	assert_int_equal(cpus_count(&end.targets), 4);
	ledgers_subtract(&end, &start);
	assert_int_equal(ledger_get(&end.total, "planned"), 40);
	assert_int_equal(end.nr, 4);
	has_samples(&end, 0, 3, 20);
	has_samples(&end, 1, 5, 9);
	has_samples(&end, 2, 7, 30);
	has_samples(&end, 3, 12, 2);
	ledgers_release(&start);
	ledgers_release(&end);
	temp_text(PMU "arm_pcsample/ledger/cpu4", "rubbish");
	assert_int_equal(ledgers_read(&end, temp_dir, &err), -EINVAL);
	assert_non_null(strstr(err.text, "ledger/cpu4"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus_round_trip),
		cmocka_unit_test(test_cpus_bad),
		cmocka_unit_test(test_cpus_sets),
		cmocka_unit_test_setup_teardown(test_generic_events, make_pmu, temp_teardown),
		cmocka_unit_test_setup_teardown(test_pmu_events, make_pmu, temp_teardown),
		cmocka_unit_test_setup_teardown(test_bad_events, make_pmu, temp_teardown),
		cmocka_unit_test(test_ledger),
		cmocka_unit_test(test_ledger_as_json),
		cmocka_unit_test(test_bad_ledger),
		cmocka_unit_test_setup_teardown(test_ledgers, temp_setup, temp_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
