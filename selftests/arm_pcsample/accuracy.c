// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that spends exactly 70 % of its instructions in one loop and 30 % in another just
 * like it must be seen so, within 3 points in 5,000 samples: 4.6 standard deviations of a perfect
 * sampler.
 */
#include <stdio.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

struct tally {
	int a, b, all;
};

static void count(const struct pcs_sample *s, void *arg)
{
	struct tally *t = arg;

	t->all++;
	t->a += pcs_in_loop_a(s->ip);
	t->b += pcs_in_loop_b(s->ip);
}

FIXTURE(accuracy)
{
};

FIXTURE_SETUP(accuracy)
{
	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
}

FIXTURE_TEARDOWN(accuracy)
{
}

TEST_F_TIMEOUT(accuracy, seventy_to_thirty, 120)
{
	struct perf_event_attr attr;
	struct pcs_account before, after, since;
	struct pcs_event *event;
	struct tally t = {};
	cpu_set_t blocks;
	int target;
	pid_t pid;

	pcs_read_cpulist("caps/blocks", &blocks);
	target = pcs_first_cpu(&blocks);
	pcs_attr_init(&attr, 1000000);
	attr.config1 = 1ULL << target;
	pid = pcs_load_start(target, pcs_load_70_30, 0);
	event = pcs_open(&attr, pcs_reader_of(target), 7);
	pcs_read_account(target, &before);
	/* As long as it takes, up to the time out: a busy host loses reads. */
	while (t.a + t.b < 5000)
		pcs_collect(&event, 1, 1000000000, count, &t);
	pcs_read_account(target, &after);
	since = pcs_account_since(&before, &after);
	pcs_close(event);
	pcs_load_stop(pid);

	TH_LOG("%d samples, %d of the loops: %.2f %% : %.2f %%; %.1f %% of the reads were late",
	       t.all, t.a + t.b, 100.0 * t.a / (t.a + t.b), 100.0 * t.b / (t.a + t.b),
	       100.0 * since.late / since.planned);
	EXPECT_EQ(0, pcs_account_gap(&since));
	EXPECT_GT(t.a, 0.67 * (t.a + t.b));
	EXPECT_LT(t.a, 0.73 * (t.a + t.b));
	EXPECT_GT(t.a + t.b, 0.8 * t.all);
}

TEST_HARNESS_MAIN
