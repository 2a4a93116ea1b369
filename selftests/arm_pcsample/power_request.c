// SPDX-License-Identifier: GPL-2.0-only
/*
 * power_request=1: EDPRCR of each debug block asks for power while there are events, and holds what
 * a debugger has left there before and after that.
 *
 * Needs the emulated machine, or one whose EDPRCR and EDPRSR can be read at any time, with an
 * external debug block for each CPU; and iomem=relaxed on the kernel's command line, as the
 * registers are looked at behind the driver's back.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pcs_perf.h"

#define EDPRCR		0x310
#define CORENPDRQ	1
#define COREPURQ	8
#define REQUESTED	(CORENPDRQ | COREPURQ)
#define EDPRSR		0x314
#define PU		1
#define EDLAR		0xFB0
#define EDLAR_KEY	0xC5ACCE55
#define EDLSR		0xFB4
#define SLK		2

#define MAX_BLOCKS	8

static int load(const char *parameters)
{
	char command[128];

	snprintf(command, sizeof(command), "modprobe -r arm_pcsample && modprobe arm_pcsample %s",
		 parameters);
	return system(command);
}

static int by_address(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Addresses of the AMBA bus's debug blocks, in the order of their CPUs. Returns how many. */
static int find_blocks(uint64_t *address)
{
	glob_t found;
	int nr = 0;

	if (!glob("/sys/bus/amba/devices/*.debug", 0, NULL, &found))
		for (; nr < (int)found.gl_pathc && nr < MAX_BLOCKS; nr++)
			address[nr] = strtoull(strrchr(found.gl_pathv[nr], '/') + 1, NULL, 16);
	globfree(&found);
	qsort(address, nr, sizeof(*address), by_address);
	return nr;
}

static uint32_t read_reg(volatile void *block, unsigned int reg)
{
	return *(volatile uint32_t *)((volatile char *)block + reg);
}

static void write_reg(volatile void *block, unsigned int reg, uint32_t value)
{
	*(volatile uint32_t *)((volatile char *)block + reg) = value;
}

/* As long as the CPU has no power a write of CORENPDRQ is ignored (H9.2, EDPRCR). */
static void debugger_writes(volatile void *block, uint32_t edprcr)
{
	write_reg(block, EDLAR, EDLAR_KEY);
	write_reg(block, EDPRCR, COREPURQ);
	write_reg(block, EDPRCR, edprcr);
	write_reg(block, EDLAR, 0);
}

FIXTURE(requests)
{
	struct perf_event_attr attr;
	struct pcs_event *events[PCS_MAX_CPUS];
	volatile void *block[MAX_BLOCKS];
	uint32_t found[MAX_BLOCKS];
	int nr_blocks, nr_events;
};

FIXTURE_SETUP(requests)
{
	uint64_t address[MAX_BLOCKS];
	int mem, i;

	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	self->nr_blocks = find_blocks(address);
	if (self->nr_blocks < 4)
		SKIP(return, "needs four CPUs with external debug blocks");
	mem = open("/dev/mem", O_RDWR | O_SYNC);
	ASSERT_LE(0, mem);
	for (i = 0; i < self->nr_blocks; i++) {
		self->block[i] = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, mem,
				      address[i]);
		if (self->block[i] == MAP_FAILED)
			SKIP(return, "/dev/mem: %s; needs iomem=relaxed", strerror(errno));
	}
	close(mem);
	pcs_attr_init(&self->attr, 1000000);
	/* A debugger wants CPU 2 to keep its power. */
	self->found[2] = CORENPDRQ;
	for (i = 0; i < self->nr_blocks; i++)
		debugger_writes(self->block[i], self->found[i]);
}

FIXTURE_TEARDOWN(requests)
{
	int i;

	for (i = 0; i < self->nr_blocks; i++)
		debugger_writes(self->block[i], 0);
	load("");
}

#define open_events()								\
	do {									\
		int i_;								\
										\
		self->nr_events = pcs_open_all(&self->attr, self->events);	\
		ASSERT_LT(0, self->nr_events);					\
		for (i_ = 0; i_ < self->nr_events; i_++)			\
			pcs_enable(self->events[i_]);				\
	} while (0)

#define close_events()								\
	do {									\
		while (self->nr_events)						\
			pcs_close(self->events[--self->nr_events]);		\
	} while (0)

#define expect_requested()							\
	do {									\
		int i_;								\
										\
		for (i_ = 0; i_ < self->nr_blocks; i_++)			\
			EXPECT_TRUE(requests_power(self->block[i_]))		\
				TH_LOG("CPU %d", i_);				\
	} while (0)

#define expect_found()								\
	do {									\
		int i_;								\
										\
		for (i_ = 0; i_ < self->nr_blocks; i_++)			\
			EXPECT_EQ(self->found[i_], read_reg(self->block[i_], EDPRCR)) \
				TH_LOG("CPU %d", i_);				\
	} while (0)

/* Nor does the driver leave anything else, as it could reach all blocks at the end. */
#define expect_closed()								\
	do {									\
		int i_;								\
										\
		expect_found();							\
		for (i_ = 0; i_ < self->nr_blocks; i_++)			\
			EXPECT_EQ(SLK, read_reg(self->block[i_], EDLSR) & SLK);	\
	} while (0)

/* A CPU without power asks for it as soon as it has some: waits for 10 s. */
static bool requests_power(volatile void *block)
{
	uint64_t end = pcs_now() + 10000000000ULL;

	while (read_reg(block, EDPRCR) != REQUESTED && pcs_now() < end)
		pcs_sleep(100000);
	return read_reg(block, EDPRCR) == REQUESTED;
}

/* Looks for 3 s, or until the Core power domain of a CPU is off. Returns whether it was. */
static bool loses_power(volatile void *block)
{
	uint64_t end = pcs_now() + 3000000000ULL;

	while (pcs_now() < end) {
		if (!(read_reg(block, EDPRSR) & PU))
			return true;
		pcs_sleep(100000);
	}
	return false;
}

TEST_F(requests, none_by_default)
{
	ASSERT_EQ(0, load(""));
	open_events();
	expect_found();
	close_events();
	expect_found();
}

/* They last while any event does. Idle CPUs are woken up to give them back, and then lose power. */
TEST_F_TIMEOUT(requests, idle_cpus_keep_power, 60)
{
	int target = self->nr_blocks - 1;

	pcs_pin(0, 0);
	ASSERT_EQ(0, load("power_request=1"));
	expect_found();
	EXPECT_TRUE(loses_power(self->block[target]));
	open_events();
	expect_requested();
	EXPECT_FALSE(loses_power(self->block[target]));
	pcs_close(self->events[--self->nr_events]);
	EXPECT_EQ(REQUESTED, read_reg(self->block[target], EDPRCR));
	close_events();
	expect_closed();
	EXPECT_TRUE(loses_power(self->block[target]));
	EXPECT_FALSE(loses_power(self->block[2]));
}

/* A Cold reset makes CORENPDRQ what COREPURQ is (H9.2), whatever a debugger wrote. */
static uint32_t after_cold_reset(uint32_t edprcr)
{
	return edprcr & COREPURQ ? REQUESTED : 0;
}

/* A CPU that is taken off needs no power. Then CORENPDRQ is UNKNOWN. */
TEST_F_TIMEOUT(requests, withdrawn_when_offline, 60)
{
	int cpu, round;

	ASSERT_EQ(0, load("power_request=1"));
	open_events();
	for (round = 0; round < 5; round++) {
		for (cpu = 1; cpu < self->nr_blocks; cpu++) {
			ASSERT_EQ(0, pcs_set_online(cpu, false));
			EXPECT_EQ(self->found[cpu] & COREPURQ,
				  read_reg(self->block[cpu], EDPRCR) & COREPURQ);
			ASSERT_EQ(0, pcs_set_online(cpu, true));
			EXPECT_EQ(REQUESTED, read_reg(self->block[cpu], EDPRCR));
			self->found[cpu] = after_cold_reset(self->found[cpu]);
		}
	}
	expect_requested();
	ASSERT_EQ(0, pcs_set_online(1, false));
	close_events();
	ASSERT_EQ(0, pcs_set_online(1, true));
	expect_found();
}

/* Debug blocks have no snapshots, which is found out when they have been opened. */
TEST_F(requests, open_that_fails)
{
	struct perf_event_attr attr = self->attr;

	ASSERT_EQ(0, load("power_request=1"));
	attr.config |= PCS_SNAPSHOT;
	EXPECT_EQ(-EOPNOTSUPP, pcs_try_open(&attr, -1, 0, -1, 0));
	expect_closed();
}

/* The dump at a panic keeps blocks open until the module goes. */
TEST_F(requests, unload)
{
	ASSERT_EQ(0, load("power_request=1 panic_dump=1"));
	expect_requested();
	ASSERT_EQ(0, system("modprobe -r arm_pcsample"));
	expect_closed();
	ASSERT_EQ(0, system("modprobe arm_pcsample"));
}

/*
 * The registers are not looked at, so that this also runs where their clock is gated, as with
 * gated-clock=on of the emulated machine. There the driver must withdraw its requests while it has
 * the clock. Without a clock too, the kernel complains if the driver puts a reference to the
 * device that the bus has put.
 */
TEST(unload_while_held)
{
	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	ASSERT_EQ(0, load("power_request=1 panic_dump=1"));
	ASSERT_EQ(0, load(""));
}

TEST_HARNESS_MAIN
