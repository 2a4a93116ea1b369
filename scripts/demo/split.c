// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spends exactly 70 % of its instructions in one function and 30 % in another that is just like it.
 */
#include <stdint.h>
#include <stdlib.h>

#define ROUNDS_PER_TURN	1000000

/* Two instructions a round, whatever the compiler thinks of it */
static void spin(uint64_t rounds)
{
	asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
}

#define FUNCTION_THAT_SPINS(name)						\
	__attribute__((noinline)) void name(uint64_t turns);			\
	void name(uint64_t turns)						\
	{									\
		spin(turns * ROUNDS_PER_TURN);					\
	}

FUNCTION_THAT_SPINS(seventy)
FUNCTION_THAT_SPINS(thirty)

int main(int argc, char **argv)
{
	int turns = argc > 1 ? atoi(argv[1]) : 100;

	for (; turns > 0; turns--) {
		seventy(7);
		thirty(3);
	}
	return 0;
}
