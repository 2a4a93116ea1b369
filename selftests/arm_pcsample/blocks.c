// SPDX-License-Identifier: GPL-2.0-only
/*
 * What reads of a block return while its CPU, and perhaps its cluster, loses power and gets it
 * back.
 *
 * Usage: blocks [--snapshots] [CPU=WORD]...
 *
 * WORD says what is expected of the CPU's block: "samples", "errors", "frozen", "prohibited", or
 * "refused" if the driver does not use it. Without arguments all CPUs but the first two must give
 * samples. With --snapshots samples are PMU snapshots, and there are two more words. Events for
 * snapshots of that block are refused, and reads are errors ("untaken") or samples ("reads").
 *
 * CPUs 2n and 2n + 1 are a cluster; CPU 0 reads. Prints TAP, a test for each block and way to lose
 * power. On a machine where the kernel survives a read of a block without power, the account shows
 * such a read as an error; on others the output ends there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pcs_load.h"
#include "pcs_perf.h"

#define PERIOD		200000ULL
#define DEADLINE	30000000000ULL

/* Minimum number of reads of a CPU without power */
#define NR_IDLE		20
/*
 * Minimum number of samples: outlasts the lock of a block with fault=relock, which is shut for 256
 * reads
 */
#define NR_SAMPLES	400
#define NR_OTHERS	100

enum expected { SAMPLES, ERRORS, FROZEN, PROHIBITED, REFUSED, UNTAKEN, READS, NR_EXPECTED };

static const char * const words[NR_EXPECTED] = {
	[SAMPLES] = "samples",
	[ERRORS] = "errors",
	[FROZEN] = "frozen",
	[PROHIBITED] = "prohibited",
	[REFUSED] = "refused",
	[UNTAKEN] = "untaken",
	[READS] = "reads",
};

enum power { IDLE, HOTPLUG, CLUSTER_OFF, NR_POWERS };

static const char * const powers[NR_POWERS] = {
	[IDLE] = "idle",
	[HOTPLUG] = "hotplug",
	[CLUSTER_OFF] = "cluster-off",
};

struct block {
	int cpu;
	enum expected expected;
};

static bool take_snapshots;

/* Two programs that alternate: a sample in the loop of one must have the pid of that one */
struct tally {
	pid_t a, b;
	unsigned int right, wrong;
	bool snapshots;			/* are wanted, and not reads */
	unsigned int other_kind;	/* samples of the kind that is not wanted */
};

static void count(const struct pcs_sample *s, struct tally *t)
{
	pid_t pid;

	t->other_kind += pcs_is_snapshot(s) != t->snapshots;
	if (pcs_in_loop_a(s->ip))
		pid = t->a;
	else if (pcs_in_loop_b(s->ip))
		pid = t->b;
	else
		return;
	if (s->pid == pid)
		t->right++;
	else
		t->wrong++;
}

static void in_loop_b(uint64_t unused)
{
	for (;;)
		pcs_loop_b(1000000);
}

/* Move a CPU; without that the rest of the test is meaningless */
static void set_online(int cpu, bool online)
{
	int ret = pcs_set_online(cpu, online);

	if (ret) {
		printf("Bail out! CPU %d: %s\n", cpu, strerror(-ret));
		exit(1);
	}
}

/* A refused block has no account: use that of all targets. */
static struct pcs_account account_of(const struct block *block, const struct pcs_account *before)
{
	struct pcs_account now;

	pcs_read_account(block->expected == REFUSED ? -1 : block->cpu, &now);
	return before ? pcs_account_since(before, &now) : now;
}

static uint64_t idle_reads(const struct pcs_account *since)
{
	return since->idle;
}

static uint64_t all_reads(const struct pcs_account *since)
{
	return since->planned;
}

static uint64_t error_reads(const struct pcs_account *since)
{
	return since->error;
}

static uint64_t prohibited_reads(const struct pcs_account *since)
{
	return since->prohibited;
}

/* Wait for @nr of these reads; with @t, for @nr right samples */
static bool wait_for(struct pcs_event *event, const struct block *block, unsigned int nr,
		     uint64_t (*reads)(const struct pcs_account *since), struct tally *t)
{
	const struct pcs_account before = account_of(block, NULL);
	uint64_t end = pcs_now() + DEADLINE;
	struct pcs_account since;
	struct pcs_sample s;

	do {
		pcs_sleep(2000000);
		while (pcs_next(event, &s))
			if (t)
				count(&s, t);
		since = account_of(block, &before);
		if (t ? t->right + t->wrong >= nr : reads(&since) >= nr)
			return true;
	} while (pcs_now() < end);
	printf("# after %llu s: %lu reads, %lu samples, %lu idle, %lu no_branch, %lu error\n",
	       DEADLINE / 1000000000, (unsigned long)since.planned, (unsigned long)since.sample,
	       (unsigned long)since.idle, (unsigned long)since.no_branch,
	       (unsigned long)since.error);
	return false;
}

/*
 * With its neighbour offline a CPU takes the cluster along whenever it is idle, and at last when it
 * goes offline, too.
 */
static bool lose_power(struct pcs_event *event, const struct block *block, enum power power)
{
	uint64_t (*reads)(const struct pcs_account *since) =
		block->expected == REFUSED ? all_reads : idle_reads;
	int neighbour = block->cpu ^ 1;
	pid_t load = 0;
	bool good;

	if (power == IDLE)
		load = pcs_load_start(neighbour, pcs_load_loop, 0);
	else
		set_online(power == HOTPLUG ? block->cpu : neighbour, false);
	good = wait_for(event, block, NR_IDLE, reads, NULL);
	if (power == CLUSTER_OFF) {
		set_online(block->cpu, false);
		set_online(block->cpu, true);
	}
	if (power == IDLE)
		pcs_load_stop(load);
	else
		set_online(power == HOTPLUG ? block->cpu : neighbour, true);
	return good;
}

static bool run(struct pcs_event *event, const struct block *block, struct tally *t)
{
	bool good = false;

	t->a = pcs_load_start(block->cpu, pcs_load_loop, 0);
	t->b = pcs_load_start(block->cpu, in_loop_b, 0);
	switch (block->expected) {
	case SAMPLES:
	case READS:
		good = wait_for(event, block, NR_SAMPLES, NULL, t);
		break;
	case ERRORS:
	case UNTAKEN:
		good = wait_for(event, block, NR_OTHERS, error_reads, NULL);
		break;
	case PROHIBITED:
		good = wait_for(event, block, NR_OTHERS, prohibited_reads, NULL);
		break;
	default:
		good = wait_for(event, block, NR_OTHERS, all_reads, NULL);
	}
	pcs_load_stop(t->a);
	pcs_load_stop(t->b);
	return good;
}

static bool is_as_expected(const struct block *block, const struct pcs_account *since,
			   const struct tally *t)
{
	switch (block->expected) {
	case SAMPLES:
	case READS:
		return !since->error && !since->prohibited && !since->debug && !t->wrong &&
		       !t->other_kind;
	case ERRORS:
	case UNTAKEN:
		return !since->sample && !since->prohibited;
	case FROZEN:
		return !since->error && !since->prohibited && since->sample + since->no_branch;
	case PROHIBITED:
		return !since->sample && !since->error;
	default:
		return true;
	}
}

static bool is_refused(const struct block *block)
{
	struct perf_event_attr attr;
	struct pcs_event *event;
	char name[32], text[256];

	pcs_attr_init(&attr, PERIOD);
	attr.config1 = 1ULL << block->cpu;
	if (!pcs_try_record(&attr, 0, 3, &event)) {
		pcs_close(event);
		printf("# the driver has a block for CPU %d\n", block->cpu);
		return false;
	}
	snprintf(name, sizeof(name), "ledger/cpu%d", block->cpu);
	return pcs_read_file(name, text, sizeof(text)) == -ENOENT;
}

/*
 * An event for all blocks asks for snapshots of all, which broken blocks do not have. So where a
 * block is refused, sample the block of CPU 1 only.
 */
static bool make_attr(const struct block *block, struct perf_event_attr *attr)
{
	int target = block->expected == REFUSED ? 1 : block->cpu;
	bool refused = block->expected == UNTAKEN || block->expected == READS;
	int wanted = refused ? -EOPNOTSUPP : 0, ret;
	pid_t load;

	if (take_snapshots) {
		/* The driver cannot ask a CPU without power whether snapshots are taken. */
		load = pcs_load_start(target, pcs_load_loop, 0);
		ret = pcs_attr_init_snapshots(attr, PERIOD, target, 0);
		pcs_load_stop(load);
		if (ret != wanted)
			printf("# an event for snapshots: %s\n", strerror(-ret));
		if (ret != wanted || !ret)
			return ret == wanted;
	}
	pcs_attr_init(attr, PERIOD);
	if (block->expected != REFUSED)
		attr->config1 = 1ULL << block->cpu;
	return true;
}

static bool try(const struct block *block, enum power power)
{
	struct pcs_account before, since, all;
	struct perf_event_attr attr;
	struct pcs_event *event;
	struct tally t = { .snapshots = take_snapshots && block->expected != READS };
	bool good;

	if (block->expected == REFUSED && !is_refused(block))
		return false;
	if (!make_attr(block, &attr))
		return false;
	before = account_of(block, NULL);
	if (pcs_try_record(&attr, 0, 6, &event)) {
		printf("# the driver has no block for CPU %d\n", block->cpu);
		return false;
	}
	pcs_enable(event);
	good = lose_power(event, block, power) && run(event, block, &t);
	pcs_disable(event);
	since = account_of(block, &before);
	pcs_close(event);
	pcs_read_account(-1, &all);

	printf("# %lu reads, %lu samples, %lu idle, %lu no_branch, %lu error, %lu prohibited, "
	       "%lu debug, %lu late; %u right, %u wrong, %u of another kind\n",
	       (unsigned long)since.planned, (unsigned long)since.sample,
	       (unsigned long)since.idle, (unsigned long)since.no_branch,
	       (unsigned long)since.error, (unsigned long)since.prohibited,
	       (unsigned long)since.debug, (unsigned long)since.late, t.right, t.wrong,
	       t.other_kind);
	if (pcs_account_gap(&since) || pcs_account_gap(&all)) {
		printf("# the account does not add up\n");
		good = false;
	}
	return good && is_as_expected(block, &since, &t);
}

static bool parse(const char *word, struct block *block)
{
	char *end;
	int i;

	block->cpu = strtol(word, &end, 10);
	for (i = 0; *end == '=' && i < NR_EXPECTED; i++) {
		block->expected = i;
		if (!strcmp(end + 1, words[i]))
			return block->cpu >= 2 && block->cpu < PCS_MAX_CPUS;
	}
	return false;
}

static int all_blocks(struct block *blocks)
{
	cpu_set_t set;
	int cpu, nr = 0;

	pcs_read_cpulist("caps/blocks", &set);
	for (cpu = 2; cpu < PCS_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, &set) && CPU_ISSET(cpu ^ 1, &set))
			blocks[nr++] = (struct block){ .cpu = cpu, .expected = SAMPLES };
	return nr;
}

int main(int argc, char **argv)
{
	struct block blocks[PCS_MAX_CPUS];
	int nr = argc - 1, power, i, status = 0, test = 0;
	char readers[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n");
	take_snapshots = nr && !strcmp(argv[1], "--snapshots");
	nr -= take_snapshots;
	argv += take_snapshots;
	if (!pcs_available() ||
	    access("/sys/devices/system/cpu/cpu0/cpuidle/state1/usage", R_OK)) {
		printf("1..0 # SKIP %s\n", pcs_why_not[0] ? pcs_why_not : "no idle state but WFI");
		return 4;
	}
	for (i = 0; i < nr && i < PCS_MAX_CPUS; i++) {
		if (!parse(argv[1 + i], &blocks[i])) {
			printf("Bail out! what is %s?\n", argv[1 + i]);
			return 1;
		}
	}
	if (!nr)
		nr = all_blocks(blocks);
	printf("1..%d\n", nr * NR_POWERS);

	pcs_read_file("readers", readers, sizeof(readers));
	pcs_write_file("readers", "0");
	pcs_pin(0, 0);
	for (i = 0; i < nr; i++) {
		for (power = 0; power < NR_POWERS; power++) {
			bool good = try(&blocks[i], power);

			printf("%sok %d CPU %d %s %s\n", good ? "" : "not ", ++test, blocks[i].cpu,
			       powers[power], words[blocks[i].expected]);
			status |= !good;
		}
	}
	pcs_write_file("readers", readers);
	return status;
}
