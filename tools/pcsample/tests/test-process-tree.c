// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the descendants of a process.
 */
#include "unit.h"

#include "capture/process-tree.h"

static void forked(struct process_tree *tree, u32 ppid, u32 pid, u32 tid, u64 time)
{
	struct {
		struct perf_event_header header;
		u32 pid, ppid, tid, ptid;
		u64 time;
	} record = { { .type = PERF_RECORD_FORK, .size = sizeof(record) },
		     pid, ppid, tid, ppid, time };

	assert_int_equal(process_tree_note(tree, &record.header), 0);
}

static void test_descendants(void **state)
{
	struct process_tree tree = { 0 };
	u32 pid;

	assert_false(process_tree_has(&tree, 10, 1));
	process_tree_add(&tree, 10);
	assert_true(process_tree_has(&tree, 10, 1));
	for (pid = 11; pid < 2000; pid++)
		forked(&tree, pid - 1, pid, pid, pid);
	forked(&tree, 5, 3000, 3000, 50);
	assert_true(process_tree_has(&tree, 1999, 5000));
	assert_false(process_tree_has(&tree, 3000, 5000));
	assert_false(process_tree_has(&tree, 2000, 5000));
	forked(&tree, 10, 10, 4000, 60);	/* a thread: no new process */
	assert_false(process_tree_has(&tree, 4000, 5000));
	process_tree_deinit(&tree);
}

/* A pid is used again by another process: the time of a sample says which one it belongs to */
static void test_pid_reuse(void **state)
{
	struct process_tree tree = { 0 };

	process_tree_add(&tree, 10);
	forked(&tree, 10, 20, 20, 100);
	forked(&tree, 5, 20, 20, 200);
	assert_true(process_tree_has(&tree, 20, 199));
	assert_false(process_tree_has(&tree, 20, 200));
	forked(&tree, 20, 21, 21, 300);		/* a child of a process that is not ours */
	assert_false(process_tree_has(&tree, 21, 300));
	forked(&tree, 10, 20, 20, 400);
	assert_false(process_tree_has(&tree, 20, 399));
	assert_true(process_tree_has(&tree, 20, 400));
	process_tree_deinit(&tree);
}

static void test_other_records(void **state)
{
	struct process_tree tree = { 0 };
	struct perf_event_header record = { .type = PERF_RECORD_FORK, .size = sizeof(record) };

	process_tree_add(&tree, 10);
	assert_int_equal(process_tree_note(&tree, &record), 0);
	record.type = PERF_RECORD_EXIT;
	assert_int_equal(process_tree_note(&tree, &record), 0);
	assert_true(process_tree_has(&tree, 10, 0));
	process_tree_deinit(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descendants),
		cmocka_unit_test(test_pid_reuse),
		cmocka_unit_test(test_other_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
