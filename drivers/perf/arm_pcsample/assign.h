/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which reader serves which target: one or none, and never the CPU that it is.
 *
 * Pure: unit tests compile it in user space.
 */
#ifndef ARM_PCSAMPLE_ASSIGN_H
#define ARM_PCSAMPLE_ASSIGN_H

#include <arch-model/types.h>

#define PCS_NOBODY	(-1)

/**
 * struct pcs_seats - readers and targets, indexed by CPU
 * @nr_cpus: length of the arrays
 * @package: physical package of a CPU
 * @is_reader: the CPU reads others
 * @is_target: the CPU has a block
 * @reader: the CPU that reads a target, or PCS_NOBODY; in: before, out: now
 * @load: out: number of targets that a reader serves
 */
struct pcs_seats {
	int nr_cpus;
	int *package;
	bool *is_reader;
	bool *is_target;
	int *reader;
	int *load;
};

/**
 * pcs_assign() - find a reader for every target
 * @seats: @reader and @load are updated
 *
 * A target keeps the reader it has as long as that one can serve it. Otherwise it gets the one
 * with the fewest targets, one of its own package before others: reads then stay on the package.
 */
void pcs_assign(struct pcs_seats *seats);

#endif /* ARM_PCSAMPLE_ASSIGN_H */
