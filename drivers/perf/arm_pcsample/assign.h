/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which reader serves which target.
 *
 * A reader is known by the CPU that the user chose for it, its seat. While that CPU is offline
 * another one may sit in for it; two readers may then even share a CPU. A target is served by
 * one reader or by none, and never by the CPU that it is.
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
 * @acting: for a reader's seat the CPU that does the reading; PCS_NOBODY where there is no reader
 * @package: physical package of a CPU
 * @is_target: the CPU has a block
 * @reader: the seat that serves a target, or PCS_NOBODY; in: before, out: now
 * @load: out: number of targets that a seat serves
 */
struct pcs_seats {
	int nr_cpus;
	int *acting;
	int *package;
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
 *
 * Return: number of targets that no reader can serve.
 */
int pcs_assign(struct pcs_seats *seats);

#endif /* ARM_PCSAMPLE_ASSIGN_H */
