// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why an event cannot be opened, or gives no samples.
 */
#include "unit.h"

#include "capture/diagnose.h"

#define PMU "sys/bus/event_source/devices/arm_pcsample/"

static int make_pmu(void **state)
{
	int ret = temp_setup(state);

	temp_text(PMU "type", "11\n");
	temp_text(PMU "cpumask", "0\n");
	temp_text(PMU "format/snapshot", "config:10\n");
	temp_text(PMU "format/counter", "config2:32-47\n");
	return ret;
}

/* The text for @code, which has to have @wanted and not @unwanted */
static void says(const char *event, int code, const char *wanted, const char *unwanted)
{
	struct capture_config config = { .root = temp_dir };
	struct error err;

	assert_int_equal(event_parse(&config.event, temp_dir, event, &err), 0);
	assert_int_equal(explain_open(&config, true, -code, &err), -code);
	if (!strstr(err.text, wanted) || (unwanted && strstr(err.text, unwanted)))
		fail_msg("%s, error %d: %s", event, code, err.text);
}

/* As the table of snapshot=1 in Documentation/admin-guide/perf/arm_pcsample.rst */
static void test_snapshots(void **state)
{
	static const char with[] = "arm_pcsample/snapshot=1,counter=0x21/";
	static const char without[] = "arm_pcsample/snapshot=1/";

	says(without, EOPNOTSUPP, "has no PMU snapshots, or firmware", "virtual machine");
	says(without, EOPNOTSUPP, "'pcsample doctor' lists with -C", "counter");
	says(with, EOPNOTSUPP, "cannot count event 0x21", "virtual machine");
	says(without, EBUSY, "pinned events of others leave no counter", "counter=");
	says(without, EBUSY, "end those, or name other CPUs with -C", "another profiler");
	says(with, EBUSY, "another counter= than 0x21 is open", "another profiler");
	says(with, EINVAL, "period or these targets", NULL);
	says(with, EMFILE, "ulimit -n", NULL);
}

static void test_reads(void **state)
{
	says("arm_pcsample//", EOPNOTSUPP, "as often in a virtual machine", "snapshot");
	says("arm_pcsample//", EBUSY, "in use by another profiler", "counter");
	/* The same bit of another PMU's event means something else. */
	says("r400", EOPNOTSUPP, "as often in a virtual machine", "snapshot");
}

/* The text for a capture without samples, which has to have @wanted */
static void explains(const char *event, u64 discarded, const char *counts, const char *wanted)
{
	struct event_spec spec;
	struct ledger ledger;
	struct error err;

	assert_int_equal(event_parse(&spec, temp_dir, event, &err), 0);
	if (counts)
		assert_int_equal(ledger_parse(&ledger, counts), 0);
	explain_no_samples(&spec, discarded, counts ? &ledger : NULL, &err);
	if (!strstr(err.text, wanted))
		fail_msg("%s: %s", event, err.text);
}

static void test_no_samples(void **state)
{
	static const char event[] = "arm_pcsample//";

	explains(event, 3, "planned 3\nsample 3\n", "no samples of these processes, 3 of others");
	explains(event, 0, "planned 0\nsample 0\n", "not one read was due");
	explains(event, 0, "planned 4\nsample 4\n", "no samples of 4 reads: see 'pcsample doctor'");
	explains(event, 0, "planned 9\nidle 4\nprohibited 5\n", "5 of 9 reads were prohibited: ");
	explains(event, 0, "planned 9\nidle 5\nprohibited 4\n", "5 of 9 reads were idle: ");
	explains(event, 0, NULL, "only users with CAP_PERFMON may see why");
	explains("cpu-clock", 0, NULL, "sample for longer, or with a higher -F");
	explains("cycles", 0, NULL, "-e cpu-clock works everywhere");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_snapshots, make_pmu, temp_teardown),
		cmocka_unit_test_setup_teardown(test_reads, make_pmu, temp_teardown),
		cmocka_unit_test_setup_teardown(test_no_samples, make_pmu, temp_teardown),
	};

	return cmocka_run_group_tests_name("capture-diagnose", tests, NULL, NULL);
}
