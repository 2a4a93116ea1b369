// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel thread that spins 30 % of a CPU with interrupts masked (modules/pcs_spin.c): PC samples
 * show it where it is, within 4 points of the truth that the module tells.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

#define SPUN "/sys/module/pcs_spin/parameters/spun_ns"
#define ELAPSED "/sys/module/pcs_spin/parameters/elapsed_ns"

static uint64_t spin_begin, spin_end;

/* The bounds of pcs_spin_masked(): from its address to that of the next symbol */
static bool find_spin(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	uint64_t addr;
	char name[128];

	spin_begin = 0;
	spin_end = UINT64_MAX;
	while (f && fscanf(f, "%" SCNx64 " %*c %127s%*[^\n]", &addr, name) == 2)
		if (!strcmp(name, "pcs_spin_masked"))
			spin_begin = addr;
	if (f)
		rewind(f);
	while (f && fscanf(f, "%" SCNx64 " %*c %127s%*[^\n]", &addr, name) == 2)
		if (addr > spin_begin && addr < spin_end && name[0] != '$')
			spin_end = addr;
	if (f)
		fclose(f);
	return spin_begin != 0;
}

struct tally {
	int target;
	int all, masked, wrong_task;
};

static void count(const struct pcs_sample *s, void *arg)
{
	struct tally *t = arg;

	t->all++;
	if (s->ip < spin_begin || s->ip >= spin_end)
		return;
	t->masked++;
	/* A kernel thread: a process of its own */
	if (s->pid <= 0 || s->pid != s->tid || s->cpu != t->target)
		t->wrong_task++;
}

FIXTURE(masked)
{
	int target;
};

FIXTURE_SETUP(masked)
{
	cpu_set_t blocks;
	char command[64];

	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	pcs_read_cpulist("caps/blocks", &blocks);
	self->target = pcs_first_cpu(&blocks);
	snprintf(command, sizeof(command), "modprobe pcs_spin cpu=%d percent=30", self->target);
	if (system(command))
		SKIP(return, "no module pcs_spin (selftests/modules)");
}

FIXTURE_TEARDOWN(masked)
{
	syscall(SYS_delete_module, "pcs_spin", 0);
}

/*
 * In the emulated machine the reads come when the host lets the reader's CPU run, which is less
 * often while the target's spins. On a host that has other work to do that skews every share; the
 * ledger shows it, and such a run says nothing.
 */
TEST_F_TIMEOUT(masked, thirty_percent, 120)
{
	struct pcs_account before, after, since;
	double share, truth, late = 100;
	struct perf_event_attr attr;
	int tries;

	ASSERT_TRUE(find_spin());
	for (tries = 0; tries < 6 && late > 15; tries++) {
		struct tally t = { .target = self->target };
		struct pcs_event *event;
		uint64_t spun, elapsed;

		pcs_attr_init(&attr, 1000000);
		attr.config1 = 1ULL << self->target;
		event = pcs_open(&attr, pcs_reader_of(self->target), 7);
		pcs_read_account(self->target, &before);
		spun = pcs_read_number(SPUN);
		elapsed = pcs_read_number(ELAPSED);
		pcs_collect(&event, 1, 6000000000ULL, count, &t);
		truth = 100.0 * (pcs_read_number(SPUN) - spun) /
			(pcs_read_number(ELAPSED) - elapsed);
		pcs_read_account(self->target, &after);
		since = pcs_account_since(&before, &after);
		pcs_close(event);

		share = 100.0 * t.masked / t.all;
		late = 100.0 * since.late / since.planned;
		TH_LOG("%d samples, %.1f %% in pcs_spin_masked, truth %.1f %%; %.1f %% late",
		       t.all, share, truth, late);
		EXPECT_EQ(0, pcs_account_gap(&since));
		EXPECT_EQ(0, t.wrong_task);
		EXPECT_GT(t.masked, 100);
	}
	if (late > 15)
		SKIP(return, "the host is too busy: %.0f %% of the reads were late", late);
	EXPECT_GT(share, truth - 4);
	EXPECT_LT(share, truth + 4);
	EXPECT_GT(truth, 26);
	EXPECT_LT(truth, 34);
}

TEST_HARNESS_MAIN
