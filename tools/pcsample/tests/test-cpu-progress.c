// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which CPUs are stuck, according to made-up /proc files.
 */
#include "unit.h"

#include "capture/cpu-progress.h"

static void write_file(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/%s", temp_dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	fclose(f);
}

static void read_from(struct liveness *l, const char *interrupts, const char *stat)
{
	char path[PATH_MAX];
	struct error err;

	snprintf(path, sizeof(path), "%s/proc", temp_dir);
	mkdir(path, 0755);
	write_file("interrupts", interrupts);
	write_file("stat", stat);
	assert_int_equal(liveness_read(l, temp_dir, &err), 0);
}

static const char interrupts_before[] =
	"           CPU0       CPU1       CPU3       CPU4\n"
	" 11:       1000       2000       3000       4000     GICv3  27 Level     arch_timer\n"
	" 23:          5          0          0          0     GICv3  78 Edge      virtio0\n"
	"IPI0:        10         20         30         40       Rescheduling interrupts\n"
	"Err:          0\n";

static const char stat_before[] =
	"cpu  100 0 100 1000 0 0 0 0 0 0\n"
	"cpu0 10 0 10 100 0 0 0 0 0 0\n"
	"cpu1 20 0 20 200 0 0 0 0 0 0\n"
	"cpu3 30 0 30 300 0 0 0 0 0 0\n"
	"cpu4 40 0 40 400 0 0 0 0 0 0\n"
	"intr 12345 0 1 2\n";

/* CPU 0 takes interrupts, 1 only an IPI; 3 idles without interrupts, 4 does nothing */
static const char interrupts_after[] =
	"           CPU0       CPU1       CPU3       CPU4\n"
	" 11:       1100       2000       3000       4000     GICv3  27 Level     arch_timer\n"
	" 23:          6          0          0          0     GICv3  78 Edge      virtio0\n"
	"IPI0:        10         21         30         40       Rescheduling interrupts\n"
	"Err:          0\n";

static const char stat_after[] =
	"cpu  100 0 100 1000 0 0 0 0 0 0\n"
	"cpu0 10 0 10 100 0 0 0 0 0 0\n"
	"cpu1 20 0 20 200 0 0 0 0 0 0\n"
	"cpu3 30 0 30 350 0 0 0 0 0 0\n"
	"cpu4 40 0 40 400 0 0 0 0 0 0\n";

static void test_who_is_stuck(void **state)
{
	struct liveness before, after;
	struct cpus online, stuck;
	char text[CPUS_TEXT_MAX];

	read_from(&before, interrupts_before, stat_before);
	read_from(&after, interrupts_after, stat_after);
	assert_int_equal(cpus_parse(&online, "0-1,3-4"), 0);
	liveness_stuck(&before, &after, &online, &stuck);
	cpus_format(&stuck, text, sizeof(text));
	assert_string_equal(text, "4");
	liveness_stuck(&before, &before, &online, &stuck);
	cpus_format(&stuck, text, sizeof(text));
	assert_string_equal(text, "0-1,3-4");
	/* A CPU that went offline in between has no counts to compare */
	assert_int_equal(cpus_parse(&online, "0,7"), 0);
	liveness_stuck(&before, &after, &online, &stuck);
	assert_true(cpus_empty(&stuck));
	liveness_deinit(&before);
	liveness_deinit(&after);
}

static void test_other_texts(void **state)
{
	struct liveness l;
	struct error err;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc", temp_dir);
	mkdir(path, 0755);
	assert_int_equal(liveness_read(&l, temp_dir, &err), -ENOENT);
	write_file("interrupts", "nothing of the kind\n");
	assert_int_equal(liveness_read(&l, temp_dir, &err), -EINVAL);
	assert_non_null(strstr(err.text, "/proc/interrupts"));
	write_file("interrupts", "CPU99999999\n 1: 5\n");
	assert_int_equal(liveness_read(&l, temp_dir, &err), -EINVAL);
	write_file("interrupts", "CPU0 CPU1\n 1: 5\n 2: x y\n:\n3\n 4: 1 2 3 4 5\n");
	write_file("stat", "cpu\ncpu9 1\ncpu1\ncpux 1\ncpu0 1 2 3");
	assert_int_equal(liveness_read(&l, temp_dir, &err), 0);
	assert_int_equal(l.nr, 2);
	assert_int_equal(l.interrupts[0], 6);
	assert_int_equal(l.interrupts[1], 2);
	assert_int_equal(l.ticks[0], 6);
	assert_int_equal(l.busy[0], 6);
	assert_int_equal(l.idle[0], 0);
	liveness_deinit(&l);
	write_file("stat", "cpu0 1 20 300 4000 50000 600000 7000000 80000000 9 9\n");
	assert_int_equal(liveness_read(&l, temp_dir, &err), 0);
	assert_int_equal(l.busy[0], 7600321);
	assert_int_equal(l.idle[0], 54000);
	liveness_deinit(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_who_is_stuck, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_other_texts, temp_setup, temp_teardown),
	};

	return cmocka_run_group_tests_name("liveness", tests, NULL, NULL);
}
