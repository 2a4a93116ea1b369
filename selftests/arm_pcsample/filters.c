// SPDX-License-Identifier: GPL-2.0-only
/*
 * exclude_user, exclude_kernel, exclude_idle.
 */
#include <stdio.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

FIXTURE(filters)
{
	struct perf_event_attr attr;
	int target, reader;
};

FIXTURE_SETUP(filters)
{
	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	self->target = pcs_first_target();
	self->reader = pcs_reader_of(self->target);
	pcs_attr_init(&self->attr, 500000);
	self->attr.config1 = 1ULL << self->target;
}

FIXTURE_TEARDOWN(filters)
{
}

struct tally {
	int all, user, kernel, idle, high, debug;
	struct pcs_account account;
};

static void count(const struct pcs_sample *s, void *arg)
{
	unsigned int mode = s->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct tally *t = arg;

	t->all++;
	t->user += mode == PERF_RECORD_MISC_USER;
	t->kernel += mode == PERF_RECORD_MISC_KERNEL;
	t->idle += s->tid == 0;
	t->debug += s->raw.source == ARM_PCSAMPLE_SOURCE_DEBUG;
	/* Addresses of the kernel are negative, those of user space are not. */
	t->high += (int64_t)s->ip < 0;
}

/* The rarer kind of samples, of those that the event does not exclude */
static int rarer(const struct perf_event_attr *attr, const struct tally *t)
{
	if (attr->exclude_kernel)
		return t->user;
	if (attr->exclude_user)
		return t->kernel;
	return t->user < t->kernel ? t->user : t->kernel;
}

/* Samples of each kind that a test wants to see */
#define ENOUGH 21

/* It takes longer on a busy host, where the load makes little progress. */
static struct tally run(struct perf_event_attr *attr, int reader, int least)
{
	struct pcs_event *event = pcs_open(attr, reader, 6);
	struct pcs_account before, after;
	struct tally t = {};
	int i;

	pcs_read_account(-1, &before);
	for (i = 0; i < 20 && (!i || rarer(attr, &t) < least); i++)
		pcs_collect(&event, 1, 700000000, count, &t);
	pcs_close(event);
	pcs_read_account(-1, &after);
	t.account = pcs_account_since(&before, &after);
	return t;
}

#define RUN(least) run(&self->attr, self->reader, least)

TEST_F(filters, all)
{
	pid_t pid = pcs_load_start(self->target, pcs_load_mixed, 0);
	struct tally t = RUN(ENOUGH);

	pcs_load_stop(pid);
	EXPECT_GE(t.user, ENOUGH);
	EXPECT_GE(t.kernel, ENOUGH);
	EXPECT_EQ(t.all, t.user + t.kernel);
	EXPECT_EQ(t.kernel, t.high);
	EXPECT_EQ(0, t.account.filtered);
	EXPECT_EQ(0, pcs_account_gap(&t.account));
}

TEST_F(filters, user_only)
{
	pid_t pid = pcs_load_start(self->target, pcs_load_mixed, 0);
	struct tally t;

	self->attr.exclude_kernel = 1;
	self->attr.exclude_hv = 1;
	t = RUN(ENOUGH);
	pcs_load_stop(pid);
	EXPECT_GE(t.user, ENOUGH);
	EXPECT_EQ(t.all, t.user);
	EXPECT_EQ(0, t.high);
	EXPECT_GT(t.account.filtered, 20);
	EXPECT_EQ(t.all, t.account.sample);
	EXPECT_EQ(0, pcs_account_gap(&t.account));
}

TEST_F(filters, kernel_only)
{
	pid_t pid = pcs_load_start(self->target, pcs_load_mixed, 0);
	struct tally t;

	self->attr.exclude_user = 1;
	self->attr.exclude_hv = 1;
	t = RUN(ENOUGH);
	pcs_load_stop(pid);
	EXPECT_GE(t.kernel, ENOUGH);
	EXPECT_EQ(t.all, t.kernel);
	EXPECT_EQ(t.all, t.high);
	EXPECT_GT(t.account.filtered, 20);
	EXPECT_EQ(t.all, t.account.sample);
	EXPECT_EQ(0, pcs_account_gap(&t.account));
}

/*
 * Without a branch since the last read, registers are UNKNOWN (H7.1.3). A CPU that waits for an
 * interrupt executes none: of the debug block only the first read of each wait is an idle sample. A
 * CPU that idles without power is not read.
 */
TEST_F(filters, not_idle)
{
	uint64_t left_out = 0;
	struct tally t;
	bool debug;
	int i;

	/* This task is on another CPU, so the target is mostly idle. */
	pcs_pin(0, self->reader);
	t = RUN(0);
	debug = t.debug;
	EXPECT_GT(t.account.idle + (debug ? t.account.no_branch : t.idle), t.account.sample / 2);
	EXPECT_EQ(t.all, t.account.sample);
	EXPECT_EQ(0, pcs_account_gap(&t.account));

	/* It takes longer on a busy host, where reads are late. */
	self->attr.exclude_idle = 1;
	for (i = 0; i < 20 && left_out <= 100; i++) {
		t = RUN(0);
		left_out += t.account.idle + (debug ? t.account.no_branch : t.account.filtered);
		EXPECT_EQ(0, t.idle);
		EXPECT_EQ(0, pcs_account_gap(&t.account));
	}
	EXPECT_GT(left_out, 100);
}

TEST_HARNESS_MAIN
