// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload with a known profile: of the CPU time of `busy SECONDS`, seventy() gets 70 % and
 * thirty() 30 %. With a second argument it says "ready" before it begins.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

/* noipa: GCC would merge two functions with the same code */
#define SPIN(name) \
static void __attribute__((noipa)) name(unsigned int n) \
{ \
	uint64_t x = n; \
	while (n--) \
		x = x * 6364136223846793005ULL + 1442695040888963407ULL; \
	sink = x; \
}

SPIN(seventy)
SPIN(thirty)

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	uint64_t random = 1;
	struct timespec t;
	unsigned int unit;

	if (argc > 2) {
		puts("ready");
		fflush(stdout);
	}
	/* The length is random: a fixed one could stay in step with the sampling period. */
	do {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		unit = 5000 + (random >> 33) % 10000;
		seventy(7 * unit);
		thirty(3 * unit);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (t.tv_sec + t.tv_nsec / 1e9 < seconds);
	return 0;
}
