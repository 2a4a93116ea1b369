/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What will work on this machine, what will not, and what to do about it.
 *
 * Reads sysfs, procfs and the device tree, nothing else: a CoreSight register that does not answer
 * can hang the machine for good, so none is ever touched to find out.
 */
#ifndef PCSAMPLE_LIB_CAPTURE_DOCTOR_H
#define PCSAMPLE_LIB_CAPTURE_DOCTOR_H

#include <stdbool.h>

#include "lib/capture-cpus.h"

enum finding_grade {
	FINDING_OK,
	FINDING_NOTE,		/* works, with a limit that is worth knowing */
	FINDING_BAD,		/* does not work */
	FINDING_SKIPPED,	/* no use in looking, for what came before */
};

/**
 * struct finding - result of one check
 * @check: short name, stable: scripts may look for it
 * @grade: how it is
 * @text: one line
 * @fix: what to do about it, a command where there is one; empty if nothing has to be done
 */
struct finding {
	const char *check;
	enum finding_grade grade;
	char text[256];
	char fix[256];
};

#define DOCTOR_MAX	24

/**
 * struct doctor - all findings
 * @root: where /proc, /sys, /boot and /lib are below
 * @machine: as uname -m
 * @release: as uname -r
 * @finding: results, in an order in which each depends only on those before it
 * @nr: how many
 * @pmu: the PMU arm_pcsample is there
 * @may: this user may open its event
 * @targets: CPUs that can be sampled: they have a block, and another CPU reads it
 */
struct doctor {
	const char *root;
	const char *machine;
	const char *release;
	struct finding finding[DOCTOR_MAX];
	unsigned int nr;
	bool pmu;
	bool may;
	struct cpus targets;
};

/** doctor_examine() - make all checks; @root, @machine and @release are set by the caller */
void doctor_examine(struct doctor *d);

/** doctor_can_sample() - will `pcsample record` give samples of arm_pcsample to this user? */
bool doctor_can_sample(const struct doctor *d);

#endif /* PCSAMPLE_LIB_CAPTURE_DOCTOR_H */
