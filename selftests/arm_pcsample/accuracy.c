// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program executes exactly 70 % of its instructions in one loop and 30 % in another loop that
 * looks the same. Samples must show this, within 3 points in 5,000 samples: 4.6 standard deviations
 * of a perfect sampler.
 */
#include <stdio.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

#define PERIOD		1000000ULL

struct tally {
	int a, b, all, snapshots;
};

static void count(const struct pcs_sample *s, void *arg)
{
	struct tally *t = arg;

	t->all++;
	t->snapshots += pcs_is_snapshot(s);
	t->a += pcs_in_loop_a(s->ip);
	t->b += pcs_in_loop_b(s->ip);
}

FIXTURE(accuracy)
{
	int target, reader;
};

FIXTURE_SETUP(accuracy)
{
	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	self->target = pcs_first_target();
	self->reader = pcs_reader_of(self->target);
}

FIXTURE_TEARDOWN(accuracy)
{
}

/* Continues as long as needed, up to the time limit: on a busy host reads are lost. */
static struct tally sample_loops(const struct perf_event_attr *attr, int target, int reader,
				 struct pcs_account *since)
{
	pid_t pid = pcs_load_start(target, pcs_load_70_30, 0);
	struct pcs_event *event = pcs_open(attr, reader, 8);
	struct pcs_account before, after;
	struct tally t = {};

	pcs_read_account(target, &before);
	while (t.a + t.b < 5000)
		pcs_collect(&event, 1, 1000000000, count, &t);
	pcs_read_account(target, &after);
	*since = pcs_account_since(&before, &after);
	pcs_close(event);
	pcs_load_stop(pid);
	return t;
}

static void expect_shares(struct __test_metadata *_metadata, const struct tally *t,
			  const struct pcs_account *since)
{
	TH_LOG("%d samples, %d of the loops: %.2f %% : %.2f %%; %.1f %% of the reads were late",
	       t->all, t->a + t->b, 100.0 * t->a / (t->a + t->b), 100.0 * t->b / (t->a + t->b),
	       100.0 * since->late / since->planned);
	EXPECT_EQ(0, pcs_account_gap(since));
	EXPECT_GT(t->a, 0.67 * (t->a + t->b));
	EXPECT_LT(t->a, 0.73 * (t->a + t->b));
	EXPECT_GT(t->a + t->b, 0.8 * t->all);
}

TEST_F_TIMEOUT(accuracy, seventy_to_thirty, 120)
{
	struct perf_event_attr attr;
	struct pcs_account since;
	struct tally t;

	pcs_attr_init(&attr, PERIOD);
	attr.config1 = 1ULL << self->target;
	t = sample_loops(&attr, self->target, self->reader, &since);
	expect_shares(_metadata, &t, &since);
	EXPECT_EQ(0, t.snapshots);
}

TEST_F_TIMEOUT(accuracy, seventy_to_thirty_by_snapshots, 120)
{
	struct perf_event_attr attr;
	struct pcs_account since;
	struct tally t;

	if (pcs_attr_init_snapshots(&attr, PERIOD, self->target, self->reader)) {
		ASSERT_FALSE(pcs_must_have_snapshots());
		SKIP(return, "no PMU snapshots here");
	}
	t = sample_loops(&attr, self->target, self->reader, &since);
	expect_shares(_metadata, &t, &since);
	EXPECT_EQ(t.all, t.snapshots);
}

TEST_HARNESS_MAIN
