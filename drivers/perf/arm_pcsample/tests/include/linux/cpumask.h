/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's sets of CPUs, in user space: for as many CPUs as the test says.
 */
#ifndef PCS_TEST_CPUMASK_H
#define PCS_TEST_CPUMASK_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TEST_MAX_CPUS	512
#define TEST_WORD	(8 * sizeof(unsigned long))

/* nr_cpu_ids is a macro in the kernel, too. */
extern unsigned int test_nr_cpus;
#define nr_cpu_ids	((int)test_nr_cpus)

struct cpumask {
	unsigned long bits[TEST_MAX_CPUS / TEST_WORD];
};

/* With CONFIG_CPUMASK_OFFSTACK */
#define cpumask_var_t	struct cpumask *

static inline bool zalloc_cpumask_var(cpumask_var_t *mask, unsigned int flags)
{
	(void)flags;
	*mask = calloc(1, sizeof(**mask));
	return *mask;
}

static inline void free_cpumask_var(cpumask_var_t mask)
{
	free(mask);
}

static inline bool cpumask_test_cpu(int cpu, const struct cpumask *mask)
{
	return mask->bits[cpu / TEST_WORD] >> cpu % TEST_WORD & 1;
}

static inline void cpumask_set_cpu(int cpu, struct cpumask *mask)
{
	mask->bits[cpu / TEST_WORD] |= 1UL << cpu % TEST_WORD;
}

static inline void cpumask_clear_cpu(int cpu, struct cpumask *mask)
{
	mask->bits[cpu / TEST_WORD] &= ~(1UL << cpu % TEST_WORD);
}

static inline void cpumask_clear(struct cpumask *mask)
{
	memset(mask, 0, sizeof(*mask));
}

static inline void cpumask_copy(struct cpumask *to, const struct cpumask *from)
{
	*to = *from;
}

/* The next CPU of a set from @cpu on, or nr_cpu_ids */
static inline int test_next_cpu(int cpu, const struct cpumask *mask)
{
	while (cpu < nr_cpu_ids && !cpumask_test_cpu(cpu, mask))
		cpu++;
	return cpu;
}

static inline int test_next_cpu_andnot(int cpu, const struct cpumask *mask,
				       const struct cpumask *without)
{
	while (cpu < nr_cpu_ids &&
	       (!cpumask_test_cpu(cpu, mask) || cpumask_test_cpu(cpu, without)))
		cpu++;
	return cpu;
}

#define for_each_cpu(cpu, mask) \
	for ((cpu) = test_next_cpu(0, mask); (cpu) < nr_cpu_ids; \
	     (cpu) = test_next_cpu((cpu) + 1, mask))

#define for_each_cpu_andnot(cpu, mask, without) \
	for ((cpu) = test_next_cpu_andnot(0, mask, without); (cpu) < nr_cpu_ids; \
	     (cpu) = test_next_cpu_andnot((cpu) + 1, mask, without))

static inline int cpumask_first(const struct cpumask *mask)
{
	return test_next_cpu(0, mask);
}

static inline bool cpumask_empty(const struct cpumask *mask)
{
	return cpumask_first(mask) == nr_cpu_ids;
}

static inline bool cpumask_subset(const struct cpumask *mask, const struct cpumask *of)
{
	return test_next_cpu_andnot(0, mask, of) == nr_cpu_ids;
}

static inline void cpumask_and(struct cpumask *to, const struct cpumask *a,
			       const struct cpumask *b)
{
	unsigned int i;

	for (i = 0; i < TEST_MAX_CPUS / TEST_WORD; i++)
		to->bits[i] = a->bits[i] & b->bits[i];
}

int cpulist_parse(const char *text, struct cpumask *mask);

#endif /* PCS_TEST_CPUMASK_H */
