// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spends 70 % of its CPU time in one function and 30 % in another that is just like it: `split
 * SECONDS`. The split is of time, as samples show time, and not of instructions: the host may take
 * longer for the instructions of one function than of the other, and may stop in either for a
 * while.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* One to two milliseconds, beside which the system call after them costs little */
#define ROUNDS	1000000

/* Two instructions a round, whatever the compiler thinks of it */
static void spin(uint64_t rounds)
{
	asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
}

#define FUNCTION_THAT_SPINS(name)						\
	__attribute__((noinline)) void name(void);				\
	void name(void)								\
	{									\
		spin(ROUNDS);							\
	}

FUNCTION_THAT_SPINS(seventy)
FUNCTION_THAT_SPINS(thirty)

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	double in_seventy = 0, all = 0, now, then = cpu_seconds();

	while (all < seconds) {
		int seventy_is_behind = in_seventy <= 0.7 * all;

		if (seventy_is_behind)
			seventy();
		else
			thirty();
		now = cpu_seconds();
		all += now - then;
		if (seventy_is_behind)
			in_seventy += now - then;
		then = now;
	}
	return 0;
}
