/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ledger of the arm_pcsample driver: what became of every planned read, for each target.
 *
 * The driver gives a consistent snapshot as lines "NAME VALUE". "planned" is derived from the
 * clock; whenever no event runs, it is the sum of all other values. Names that only a newer driver
 * has are kept, and count in the sum.
 */
#ifndef PCSAMPLE_CAPTURE_LEDGER_H
#define PCSAMPLE_CAPTURE_LEDGER_H

#include <stdbool.h>

#include "base/cpuset.h"
#include "base/error.h"
#include "base/json.h"
#include "perfdata/outcomes.h"

#define LEDGER_MAX	24

/* Counts of one target, or of all */
struct ledger {
	unsigned int nr;
	struct ledger_count {
		char name[24];
		u64 value;
	} counts[LEDGER_MAX];
};

/**
 * struct ledgers - counts of all targets
 * @total: sum over the targets; see ledgers_known()
 * @targets: CPUs that have a block, as the ledger/ directory lists them
 * @of: counts of each target, in ascending order of CPU numbers
 * @nr: how many
 */
struct ledgers {
	struct ledger total;
	struct cpus targets;
	struct ledger_of {
		unsigned int cpu;
		struct ledger ledger;
	} *of;
	unsigned int nr;
};

/** ledger_parse() - read lines "NAME VALUE"; 0, -EINVAL, or -E2BIG for more than LEDGER_MAX */
int ledger_parse(struct ledger *ledger, const char *text);

/** ledger_get() - the count called @name, 0 if there is none */
u64 ledger_get(const struct ledger *ledger, const char *name);

static inline u64 ledger_outcome(const struct ledger *ledger, enum outcome outcome)
{
	return ledger_get(ledger, outcomes[outcome].name);
}

/** ledger_adds_up() - is "planned" the sum of the others? */
bool ledger_adds_up(const struct ledger *ledger);

/** ledger_json() - the counts as a member "ledger" */
void ledger_json(struct json *j, const struct ledger *ledger);

/** ledger_subtract() - make @ledger the change since @start */
void ledger_subtract(struct ledger *ledger, const struct ledger *start);

/**
 * ledgers_read() - read a snapshot of all counts
 * @ledgers: result; to be released
 * @root: where sysfs is below
 * @err: message on failure
 *
 * Return: 0, also if the counts may not be read; -ENODEV without the driver; or why reading failed
 */
int ledgers_read(struct ledgers *ledgers, const char *root, struct error *err);

/**
 * ledgers_known() - may this process read the counts?
 *
 * It needs CAP_PERFMON to read the ledger, even where it may sample without. The driver always
 * gives all names, so counts without any were not read.
 */
static inline bool ledgers_known(const struct ledgers *ledgers)
{
	return ledgers->total.nr;
}

/** ledgers_subtract() - make @ledgers the change since @start, but for targets that it lacks */
void ledgers_subtract(struct ledgers *ledgers, const struct ledgers *start);

void ledgers_release(struct ledgers *ledgers);

#endif /* PCSAMPLE_CAPTURE_LEDGER_H */
