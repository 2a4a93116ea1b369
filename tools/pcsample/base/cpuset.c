// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpuset.h"

#define NR_WORDS	(CPUS_MAX / 64)

static int parse_cpu(const char **text, unsigned int *cpu)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	errno = 0;
	value = strtoul(*text, &end, 10);
	if (errno || value >= CPUS_MAX)
		return -EINVAL;
	*text = end;
	*cpu = value;
	return 0;
}

/* "3", "0-3" or "0-14:2" */
static int parse_range(const char **text, struct cpus *cpus)
{
	unsigned int first, last, step = 1;

	if (parse_cpu(text, &first))
		return -EINVAL;
	last = first;
	if (**text == '-') {
		(*text)++;
		if (parse_cpu(text, &last) || last < first)
			return -EINVAL;
	}
	if (**text == ':') {
		(*text)++;
		if (parse_cpu(text, &step) || !step)
			return -EINVAL;
	}
	for (; first <= last; first += step)
		cpus_add(cpus, first);
	return 0;
}

int cpus_parse(struct cpus *cpus, const char *text)
{
	memset(cpus, 0, sizeof(*cpus));
	while (isspace((unsigned char)*text))
		text++;
	if (!*text)
		return 0;
	for (;;) {
		if (parse_range(&text, cpus))
			return -EINVAL;
		if (*text != ',')
			break;
		text++;
	}
	while (isspace((unsigned char)*text))
		text++;
	return *text ? -EINVAL : 0;
}

void cpus_format(const struct cpus *cpus, char *text, size_t size)
{
	size_t used = 0;
	int first, last;

	if (size)
		*text = '\0';
	for (first = cpus_next(cpus, 0); first >= 0; first = cpus_next(cpus, last + 1)) {
		for (last = first; last + 1 < CPUS_MAX && cpus_has(cpus, last + 1); last++)
			;
		if (used >= size)
			return;
		used += snprintf(text + used, size - used, "%s%d", used ? "," : "", first);
		if (last > first && used < size)
			used += snprintf(text + used, size - used, "-%d", last);
	}
}

void cpus_add(struct cpus *cpus, unsigned int cpu)
{
	if (cpu < CPUS_MAX)
		cpus->bits[cpu / 64] |= 1ULL << (cpu % 64);
}

bool cpus_has(const struct cpus *cpus, unsigned int cpu)
{
	return cpu < CPUS_MAX && (cpus->bits[cpu / 64] >> (cpu % 64) & 1);
}

unsigned int cpus_count(const struct cpus *cpus)
{
	unsigned int i, count = 0;

	for (i = 0; i < NR_WORDS; i++)
		count += __builtin_popcountll(cpus->bits[i]);
	return count;
}

void cpus_and(struct cpus *cpus, const struct cpus *other)
{
	unsigned int i;

	for (i = 0; i < NR_WORDS; i++)
		cpus->bits[i] &= other->bits[i];
}

void cpus_and_not(struct cpus *cpus, const struct cpus *other)
{
	unsigned int i;

	for (i = 0; i < NR_WORDS; i++)
		cpus->bits[i] &= ~other->bits[i];
}

bool cpus_within(const struct cpus *cpus, const struct cpus *other)
{
	unsigned int i;

	for (i = 0; i < NR_WORDS; i++)
		if (cpus->bits[i] & ~other->bits[i])
			return false;
	return true;
}

int cpus_next(const struct cpus *cpus, int from)
{
	unsigned int i;
	u64 word;

	if (from >= CPUS_MAX)
		return -1;
	word = cpus->bits[from / 64] & (~0ULL << (from % 64));
	for (i = from / 64;;) {
		if (word)
			return i * 64 + __builtin_ctzll(word);
		if (++i == NR_WORDS)
			return -1;
		word = cpus->bits[i];
	}
}
