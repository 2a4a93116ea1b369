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
	/* Of records with batches, each with its period for its weight */
	int records;
	double weight_a, weights, squares;
};

static void count(const struct pcs_sample *s, void *arg)
{
	struct tally *t = arg;

	t->all++;
	t->snapshots += pcs_is_snapshot(s);
	t->a += pcs_in_loop_a(s->ip);
	t->b += pcs_in_loop_b(s->ip);
}

/* Count the members; and the record itself, as a tool does that does not unpack batches. */
static void count_batch(const struct pcs_sample *s, void *arg)
{
	bool a = pcs_in_loop_a(s->ip);
	struct tally *t = arg;

	t->records += !!pcs_each_member(s, count, t);
	if (!a && !pcs_in_loop_b(s->ip))
		return;
	t->weight_a += a ? s->period : 0;
	t->weights += s->period;
	t->squares += (double)s->period * s->period;
}

/*
 * Kish's effective sample size: as many records of equal weight would have the same error. On a
 * busy host, where reads are late, some weigh far more than others.
 */
static double effective_records(const struct tally *t)
{
	return t->squares ? t->weights * t->weights / t->squares : 0;
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
				 pcs_each_fn each, struct pcs_account *since)
{
	pid_t pid = pcs_load_start(target, pcs_load_70_30, 0);
	struct pcs_event *event = pcs_open(attr, reader, 8);
	struct pcs_account before, after;
	struct tally t = {};

	pcs_read_account(target, &before);
	while (t.a + t.b < 5000 || (t.records && effective_records(&t) < 1000))
		pcs_collect(&event, 1, 1000000000, each, &t);
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
	t = sample_loops(&attr, self->target, self->reader, count, &since);
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
	t = sample_loops(&attr, self->target, self->reader, count, &since);
	expect_shares(_metadata, &t, &since);
	EXPECT_EQ(t.all, t.snapshots);
}

/*
 * The members are samples as without batches. There are fewer records: 1,000 have a standard
 * deviation of 1.4 points, and 7 points are allowed.
 */
TEST_F_TIMEOUT(accuracy, seventy_to_thirty_by_batches, 120)
{
	struct perf_event_attr attr;
	struct pcs_account since;
	struct tally t;

	pcs_attr_init(&attr, PERIOD);
	attr.config = PCS_BATCH;
	attr.config1 = 1ULL << self->target;
	t = sample_loops(&attr, self->target, self->reader, count_batch, &since);
	expect_shares(_metadata, &t, &since);
	EXPECT_EQ(t.all, since.sample);
	TH_LOG("%d records, which are %.0f of equal weight: %.2f %% in the first loop", t.records,
	       effective_records(&t), 100 * t.weight_a / t.weights);
	EXPECT_GT(t.records, 1000);
	EXPECT_GT(t.weight_a, 0.63 * t.weights);
	EXPECT_LT(t.weight_a, 0.77 * t.weights);
}

TEST_HARNESS_MAIN
