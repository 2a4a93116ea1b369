// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload with a known number of instructions: `counted SECONDS` prints how many slow() and
 * fast() have executed. slow() reads the clock, which takes far longer than an instruction of
 * fast(): it has 30 % of the time, and much less of the instructions. For arm64.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FUNCTION(name, code)			\
	".globl	" name "\n"			\
	".type	" name ", %function\n"		\
	".balign	64\n"			\
	name ":\n"				\
	code					\
	"	subs	x0, x0, #1\n"		\
	"	b.ne	" name "\n"		\
	"	ret\n"				\
	".size	" name ", . - " name "\n"

asm(".pushsection .text\n" FUNCTION("slow", "	mrs	x1, cntvct_el0\n") FUNCTION("fast", "")
	".popsection\n");

void slow(uint64_t rounds);
void fast(uint64_t rounds);

#define ROUNDS		20000		/* so many that the program itself needs few instructions */
#define OF_SLOW(rounds)	(3 * (rounds) + 1)
#define OF_FAST(rounds)	(2 * (rounds) + 1)

/*
 * A snapshot's count is charged to the code at its end: at each change to the other function some
 * instructions are charged to the wrong one. So there are few changes, however long it runs.
 */
#define TURNS		4		/* of each */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double turn = (argc > 1 ? atof(argv[1]) : 1) / TURNS, end = now();
	uint64_t in_slow = 0, in_fast = 0;
	int i;

	for (i = 0; i < TURNS; i++) {
		for (end += 0.3 * turn; now() < end; in_slow += OF_SLOW(ROUNDS))
			slow(ROUNDS);
		for (end += 0.7 * turn; now() < end; in_fast += OF_FAST(ROUNDS))
			fast(ROUNDS);
	}
	printf("slow %" PRIu64 "\nfast %" PRIu64 "\n", in_slow, in_fast);
	return 0;
}
