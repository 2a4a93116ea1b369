/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks what works on this machine, what does not, and what to do about it.
 *
 * Reads only sysfs, procfs and the device tree, and no CoreSight register unless it is asked to
 * sample: one that does not respond can hang the machine.
 */
#ifndef PCSAMPLE_CAPTURE_DOCTOR_H
#define PCSAMPLE_CAPTURE_DOCTOR_H

#include <stdbool.h>

#include "base/cpuset.h"
#include "capture/blocks.h"
#include "capture/candidates.h"

enum finding_grade {
	FINDING_OK,
	FINDING_NOTE,		/* works, with a limit that is worth knowing */
	FINDING_BAD,		/* does not work */
	FINDING_SKIPPED,	/* not checked, because of an earlier finding */
};

/* Room for a sentence with a list of any CPUs */
#define FINDING_TEXT_MAX	(256 + CPUS_TEXT_MAX)

/**
 * struct finding - result of one check
 * @check: short name, stable: scripts may look for it
 * @grade: how good it is
 * @text: one line
 * @fix: what to do about it, a command where there is one; empty if nothing has to be done
 */
struct finding {
	const char *check;
	enum finding_grade grade;
	char text[FINDING_TEXT_MAX];
	char fix[FINDING_TEXT_MAX];
};

#define DOCTOR_MAX	24
#define BLOCKS_MAX	1024
#define CANDIDATES_MAX	256
#define ROMS_MAX	8

/**
 * struct rom - a value of MDRAR_EL1
 * @cpus: those that have it, as a list
 * @mdrar: the register
 */
struct rom {
	char cpus[CPUS_TEXT_MAX];
	u64 mdrar;
};

/**
 * struct authstatus - a value of PMAUTHSTATUS or DBGAUTHSTATUS_EL1
 * @cpus: those whose blocks have it
 * @value: the register
 */
struct authstatus {
	struct cpus cpus;
	u32 value;
};

#define AUTHSTATUS_MAX	16

/* MDRAR_EL1.Valid; other values than these are reserved (Arm DDI 0487 M.a.a, D24.3) */
#define MDRAR_VALID	0x3
#define MDRAR_ROMADDR	0x00fffffffffff000

static inline bool rom_is_valid(const struct rom *rom)
{
	return (rom->mdrar & MDRAR_VALID) == MDRAR_VALID;
}

/**
 * struct doctor - all findings
 * @root: where /proc, /sys, /boot and /lib are below
 * @machine: as uname -m
 * @release: as uname -r
 * @sample: take samples, to find registers that are frozen
 * @finding: results; each depends only on those before it
 * @nr: how many
 * @hangs: the driver knows that reading debug registers is dangerous on this SoC
 * @refused: so it refuses to, as nobody has overridden that
 * @pmu: the PMU arm_pcsample is there
 * @may: this user may open its event
 * @targets: CPUs that can be sampled: they have a block, another CPU reads it, and its samples
 *	are of what runs, as far as that is known
 * @usable: CPUs that have a block that the driver can use
 * @disabled: of these, those whose authentication status says that sampling is disabled
 * @authstatus: @nr_authstatus values of the authentication status, which the driver has read
 * @block: @nr_blocks blocks that are described
 * @rom: @nr_roms values of MDRAR_EL1, which the driver has read; none if it is not loaded
 * @candidate: @nr_candidates guesses where blocks of other CPUs are; nothing was read there
 */
struct doctor {
	const char *root;
	const char *machine;
	const char *release;
	bool sample;
	struct finding finding[DOCTOR_MAX];
	unsigned int nr;
	bool hangs;
	bool refused;
	bool pmu;
	bool may;
	struct cpus targets;
	struct cpus usable;
	struct cpus disabled;
	struct authstatus authstatus[AUTHSTATUS_MAX];
	unsigned int nr_authstatus;
	struct block block[BLOCKS_MAX];
	unsigned int nr_blocks;
	struct rom rom[ROMS_MAX];
	unsigned int nr_roms;
	struct candidate candidate[CANDIDATES_MAX];
	unsigned int nr_candidates;
};

/** doctor_examine() - make all checks; @root to @sample are set by the caller */
void doctor_examine(struct doctor *d);

/** doctor_has() - is this the block of its CPU that the driver uses? */
bool doctor_has(const struct doctor *d, const struct block *b);

/** doctor_authstatus() - the authentication status of a CPU's block, or NULL if it is not known */
const u32 *doctor_authstatus(const struct doctor *d, int cpu);

/** authstatus_of() - "enabled", "disabled", "not_implemented", or "reserved", of a field */
const char *authstatus_of(u32 authstatus, u32 field);

#define AUTHSTATUS_TEXT_MAX	128

/** authstatus_tell() - tell of the states besides the Non-secure one, those that the PE has */
void authstatus_tell(u32 authstatus, char text[AUTHSTATUS_TEXT_MAX]);

/** doctor_can_sample() - will `pcsample record` give samples of arm_pcsample to this user? */
bool doctor_can_sample(const struct doctor *d);

#endif /* PCSAMPLE_CAPTURE_DOCTOR_H */
