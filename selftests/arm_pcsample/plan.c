// SPDX-License-Identifier: GPL-2.0-only
/*
 * When reads happen: recomputes the plan in the raw records from the seed, and tests the purpose of
 * dithering. The formula for one target is in Documentation/admin-guide/perf/arm_pcsample.rst.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

#define PERIOD 2000000ULL

static uint64_t dither(uint32_t seed, uint64_t seq)
{
	uint64_t z = (((uint64_t)seed << 32) ^ (seq + 1)) * 0x9E3779B97F4A7C15ULL;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
	z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
	return (z ^ z >> 31) % PERIOD;
}

FIXTURE(plan)
{
	struct perf_event_attr attr;
	int target, reader;
};

FIXTURE_SETUP(plan)
{
	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	self->target = pcs_first_target();
	self->reader = pcs_reader_of(self->target);
	pcs_attr_init(&self->attr, PERIOD);
	self->attr.config1 = 1ULL << self->target;
}

FIXTURE_TEARDOWN(plan)
{
}

struct tally {
	uint32_t seed;
	bool dithered;
	uint64_t start, last_seq;
	int n, off, disorder;
};

static void check(const struct pcs_sample *s, void *arg)
{
	struct tally *t = arg;
	uint64_t offset = s->raw.seq * PERIOD + (t->dithered ? dither(t->seed, s->raw.seq) : 0);

	if (!t->n++)
		t->start = s->raw.planned - offset;
	else if (s->raw.seq <= t->last_seq)
		t->disorder++;
	t->last_seq = s->raw.seq;
	if (s->raw.planned != t->start + offset)
		t->off++;
}

static void run(struct __test_metadata *_metadata, struct perf_event_attr *attr, int reader,
		struct tally *t)
{
	struct pcs_event *event = pcs_open(attr, reader, 6);

	pcs_collect(&event, 1, 1000000000, check, t);
	pcs_close(event);
	EXPECT_GT(t->n, 50);
	EXPECT_EQ(0, t->off)
		TH_LOG("%d of %d reads were not planned as the seed says", t->off, t->n);
	EXPECT_EQ(0, t->disorder);
}

TEST_F(plan, a_seed_can_be_recomputed)
{
	struct tally t = { .seed = 12345, .dithered = true };

	self->attr.config2 = t.seed;
	run(_metadata, &self->attr, self->reader, &t);
}

TEST_F(plan, jitter_on_is_the_default)
{
	struct tally t = { .seed = 0xFFFFFFFF, .dithered = true };

	self->attr.config = ARM_PCSAMPLE_JITTER_ON << 8;
	self->attr.config2 = t.seed;
	run(_metadata, &self->attr, self->reader, &t);
}

TEST_F(plan, without_jitter_reads_are_evenly_spaced)
{
	struct tally t = {};

	self->attr.config = ARM_PCSAMPLE_JITTER_OFF << 8;
	run(_metadata, &self->attr, self->reader, &t);
}

struct phases {
	int target;
	int quarter[4];
};

static void count_phase(const struct pcs_sample *s, void *arg)
{
	struct phases *phases = arg;

	if (s->raw.target == phases->target)
		phases->quarter[s->raw.planned % PERIOD * 4 / PERIOD]++;
}

/*
 * Also if the reader has other targets, each is read in any quarter of its period, so that it does
 * not seem busy or idle by when it does its work. With 100 samples a quarter is left out once in
 * 10^12 runs. All are of one plan: another may start at another time of the period.
 */
TEST_F(plan, each_of_many_targets_is_read_at_any_time)
{
	struct phases phases = { .target = self->target };
	const int *n = phases.quarter;
	struct pcs_event *event;
	cpu_set_t blocks;

	pcs_read_cpulist("caps/blocks", &blocks);
	if (CPU_COUNT(&blocks) < 6)
		SKIP(return, "needs a reader of many targets");
	self->attr.config1 = 0;
	event = pcs_open(&self->attr, self->reader, 6);
	pcs_collect(&event, 1, 2000000000, count_phase, &phases);
	pcs_close(event);
	TH_LOG("samples by quarter of the period: %d, %d, %d, %d", n[0], n[1], n[2], n[3]);
	EXPECT_GT(n[0] + n[1] + n[2] + n[3], 100);
	EXPECT_TRUE(n[0] && n[1] && n[2] && n[3]);
}

/* A new period starts a new plan, but seq continues. */
TEST_F(plan, seq_goes_on_over_a_stop)
{
	struct pcs_event *event;
	struct pcs_sample s;
	uint64_t last = 0, first_after = 0;

	event = pcs_open(&self->attr, self->reader, 6);
	pcs_enable(event);
	pcs_sleep(200000000);
	pcs_disable(event);
	while (pcs_next(event, &s))
		last = s.raw.seq;
	pcs_enable(event);
	pcs_sleep(200000000);
	pcs_disable(event);
	if (pcs_next(event, &s))
		first_after = s.raw.seq;
	pcs_close(event);
	EXPECT_GT(last, 10);
	EXPECT_GT(first_after, last);
	EXPECT_LT(first_after, last + 100);
}

static void count_loop_a(const struct pcs_sample *s, void *arg)
{
	int *n = arg;

	n[1]++;
	n[0] += pcs_in_loop_a(s->ip);
}

/*
 * Share of samples in the first 30 % of each 20 ms of a program that is in step with the clock, in
 * percent
 */
static double lockstep_share(struct perf_event_attr *attr, int target, int reader)
{
	const uint64_t period = 20000000;
	pid_t pid = pcs_load_start(target, pcs_load_lockstep, period);
	struct pcs_event *event;
	int n[2] = {};

	attr->sample_period = period;
	event = pcs_open(attr, reader, 6);
	/* Start the plan when the program is in the middle of the other 70 %. */
	pcs_sleep(period - (pcs_now() + period * 35 / 100) % period);
	pcs_collect(&event, 1, 6000000000ULL, count_loop_a, n);
	pcs_close(event);
	pcs_load_stop(pid);
	return n[1] ? 100.0 * n[0] / n[1] : -1;
}

/*
 * Without dither all reads are at the same phase of the program and miss the 30 %; with dither they
 * show 30 %. With 300 samples the standard deviation is 2.7 points; the limits are more than four
 * of them.
 */
TEST_F_TIMEOUT(plan, dither_breaks_the_lockstep, 60)
{
	double locked, free;

	self->attr.config = ARM_PCSAMPLE_JITTER_OFF << 8;
	locked = lockstep_share(&self->attr, self->target, self->reader);
	self->attr.config = ARM_PCSAMPLE_JITTER_DEFAULT << 8;
	free = lockstep_share(&self->attr, self->target, self->reader);
	TH_LOG("share of the first 30 %%: %.1f %% without dither, %.1f %% with", locked, free);
	EXPECT_GE(locked, 0);
	/* Locked to one phase: almost none of the samples, or almost all, are in the 30 %. */
	EXPECT_TRUE(locked < 15 || locked > 45);
	EXPECT_GT(free, 18);
	EXPECT_LT(free, 42);
}

TEST_HARNESS_MAIN
