// SPDX-License-Identifier: GPL-2.0-only
/*
 * A 32-bit program is sampled like any other: at its address, in user space, as its own process.
 * All register sets can: for an instruction in AArch32 state they give the address with zeros above
 * bit 31 (CreatePCSample()). EDPCSR of an Armv8 debug block is no exception: what it does not
 * sample is the instruction set state (EDDEVID1.PCSROffset), which no address needs.
 *
 * The test makes the program itself, so that no compiler for AArch32 is needed: an ELF file with
 * two instructions.
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pcs_load.h"
#include "pcs_perf.h"

#define BASE		0x10000
#define PERIOD		1000000ULL
#define SAMPLES		500

static const uint32_t code[] = {
	0xE2800001,		/* 1: add r0, r0, #1 */
	0xEAFFFFFD,		/* b 1b */
};

static const struct program {
	Elf32_Ehdr ehdr;
	Elf32_Phdr phdr;
} headers = {
	.ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_ARM,
		.e_version = EV_CURRENT,
		.e_entry = BASE + sizeof(struct program),
		.e_phoff = offsetof(struct program, phdr),
		.e_flags = EF_ARM_EABI_VER5,
		.e_ehsize = sizeof(Elf32_Ehdr),
		.e_phentsize = sizeof(Elf32_Phdr),
		.e_phnum = 1,
	},
	.phdr = {
		.p_type = PT_LOAD,
		.p_vaddr = BASE,
		.p_filesz = sizeof(struct program) + sizeof(code),
		.p_memsz = sizeof(struct program) + sizeof(code),
		.p_flags = PF_R | PF_X,
		.p_align = 0x1000,
	},
};

#define LOOP	(BASE + sizeof(struct program))

static char path[] = "/tmp/aarch32-XXXXXX";

static bool write_program(void)
{
	int fd = mkstemp(path);
	bool good;

	if (fd < 0)
		return false;
	good = write(fd, &headers, sizeof(headers)) == sizeof(headers) &&
	       write(fd, code, sizeof(code)) == sizeof(code) && !fchmod(fd, 0700);
	close(fd);
	return good;
}

static void run_program(uint64_t unused)
{
	execl(path, path, NULL);
}

/* Does the child run the program now? If it could not, it has exited. */
static bool runs(pid_t pid)
{
	char name[64], exe[sizeof(path) + 1] = "";
	int tries;

	snprintf(name, sizeof(name), "/proc/%d/exe", pid);
	for (tries = 0; tries < 1000; tries++) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return false;
		memset(exe, 0, sizeof(exe));
		if (readlink(name, exe, sizeof(exe) - 1) > 0 && !strcmp(exe, path))
			return true;
		pcs_sleep(1000000);
	}
	return false;
}

static const char *const source_names[] = {
	[ARM_PCSAMPLE_SOURCE_UNKNOWN] = "no known set",
	[ARM_PCSAMPLE_SOURCE_PMU32] = "the external PMU, EXT32",
	[ARM_PCSAMPLE_SOURCE_PMU64] = "the external PMU, EXT64",
	[ARM_PCSAMPLE_SOURCE_FRAME32] = "a frame without PMU, EXT32",
	[ARM_PCSAMPLE_SOURCE_FRAME64] = "a frame without PMU, EXT64",
	[ARM_PCSAMPLE_SOURCE_DEBUG] = "the external debug block",
	[ARM_PCSAMPLE_SOURCE_SNAPSHOT] = "snapshots",
	[ARM_PCSAMPLE_SOURCE_IMPDEF] = "IMPLEMENTATION DEFINED snapshots",
};

struct tally {
	pid_t pid;
	unsigned int source;
	unsigned int samples, loop, elsewhere, others, wrong;
};

static void count(const struct pcs_sample *s, void *arg)
{
	struct tally *t = arg;
	bool in_loop = s->ip >= LOOP && s->ip < LOOP + sizeof(code);
	bool user = (s->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;

	t->samples++;
	t->source = s->raw.source;
	/* Non-secure EL0, the RES0 bits of PMPCSR[63:56], and the address */
	t->wrong += in_loop && s->raw.pmpcsr != (1ULL << 63 | s->ip);
	t->loop += in_loop && user && s->pid == t->pid;
	/* The program has no other code, and no other process has this code. */
	t->elsewhere += user && s->pid == t->pid && !in_loop;
	t->others += in_loop && s->pid != t->pid;
}

FIXTURE(aarch32)
{
	int target;
	pid_t pid;
};

FIXTURE_SETUP(aarch32)
{
	self->pid = 0;
	if (!pcs_available())
		SKIP(return, "%s", pcs_why_not);
	ASSERT_TRUE(write_program());
	self->target = pcs_first_target();
	self->pid = pcs_load_start(self->target, run_program, 0);
	if (!runs(self->pid)) {
		self->pid = 0;
		SKIP(return, "this CPU, or this kernel, runs no programs of 32 bits");
	}
}

FIXTURE_TEARDOWN(aarch32)
{
	if (self->pid)
		pcs_load_stop(self->pid);
	unlink(path);
}

static void expect_sampled(struct __test_metadata *_metadata, struct perf_event_attr *attr,
			   int target, pid_t pid)
{
	struct pcs_event *event = pcs_open(attr, pcs_reader_of(target), 7);
	struct tally t = { .pid = pid };

	while (t.samples < SAMPLES)
		pcs_collect(&event, 1, 500000000, count, &t);
	pcs_close(event);
	ASSERT_LT(t.source, sizeof(source_names) / sizeof(*source_names));
	TH_LOG("%u samples of %s, %u in the loop, %u of it elsewhere", t.samples,
	       source_names[t.source], t.loop, t.elsewhere);
	EXPECT_GT(t.loop, t.samples * 8 / 10);
	EXPECT_EQ(0, t.elsewhere);
	EXPECT_EQ(0, t.others);
	EXPECT_EQ(0, t.wrong);
}

TEST_F_TIMEOUT(aarch32, is_sampled, 120)
{
	struct perf_event_attr attr;

	pcs_attr_init(&attr, PERIOD);
	attr.config1 = 1ULL << self->target;
	expect_sampled(_metadata, &attr, self->target, self->pid);
}

TEST_F_TIMEOUT(aarch32, is_sampled_by_snapshots, 120)
{
	struct perf_event_attr attr;

	if (pcs_attr_init_snapshots(&attr, PERIOD, self->target, pcs_reader_of(self->target))) {
		ASSERT_FALSE(pcs_must_have_snapshots());
		SKIP(return, "no PMU snapshots here");
	}
	expect_sampled(_metadata, &attr, self->target, self->pid);
}

TEST_HARNESS_MAIN
