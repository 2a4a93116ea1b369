/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets of CPUs, in the kernel's list form "0-3,8".
 */
#ifndef PCSAMPLE_BASE_CPUSET_H
#define PCSAMPLE_BASE_CPUSET_H

#include <stdbool.h>
#include <stddef.h>

#include <arch-model/types.h>

/* The most that a Linux kernel can be built for today (x86 MAXSMP) */
#define CPUS_MAX	8192

/* Room for the list form of any set */
#define CPUS_TEXT_MAX	(CPUS_MAX * 3)

struct cpus {
	u64 bits[CPUS_MAX / 64];
};

/**
 * cpus_parse() - read a CPU list
 * @cpus: the set
 * @text: "0-3,8", "0-14:2", with white space at the end; an empty text is the empty set
 *
 * Return: 0, or -EINVAL
 */
int cpus_parse(struct cpus *cpus, const char *text);

/**
 * cpus_format() - write the list form
 * @cpus: the set
 * @text: receives the list, cut off where @size ends
 * @size: bytes of @text
 */
void cpus_format(const struct cpus *cpus, char *text, size_t size);

void cpus_add(struct cpus *cpus, unsigned int cpu);
bool cpus_has(const struct cpus *cpus, unsigned int cpu);
unsigned int cpus_count(const struct cpus *cpus);
void cpus_and(struct cpus *cpus, const struct cpus *other);
void cpus_and_not(struct cpus *cpus, const struct cpus *other);
bool cpus_within(const struct cpus *cpus, const struct cpus *other);
static inline bool cpus_empty(const struct cpus *cpus)
{
	return !cpus_count(cpus);
}

/* The first CPU of the set that is not below @from, or -1 */
int cpus_next(const struct cpus *cpus, int from);

#define cpus_for_each(cpu, set) \
	for ((cpu) = cpus_next(set, 0); (cpu) >= 0; (cpu) = cpus_next(set, (cpu) + 1))

#endif /* PCSAMPLE_BASE_CPUSET_H */
