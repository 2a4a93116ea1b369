/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Linux program with a loop of a known number of instructions between the markers of the TCG
 * plugin insn-count.
 *
 * Usage: marked-loop CPU ROUNDS ITERATIONS
 *
 * Each round runs on CPU: the loop unmarked for a while, so that a full dynticks kernel has time to
 * stop its tick, then marked. It prints a line "round BEGIN END" for each, the times of the marked
 * loop by CLOCK_MONOTONIC.
 */

#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

/* ITERATIONS times two instructions; setting up and the markers come on top of that */
#define LOOP(begin, end, iterations)                                            \
    do {                                                                        \
        unsigned long left = (iterations);                                      \
                                                                                \
        __asm__ volatile(begin "\n"                                             \
                         "1:\n\tsubs %0, %0, #1\n"                              \
                         "\tb.ne 1b\n"                                          \
                         end : "+r" (left) : : "cc");                           \
    } while (0)

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    unsigned long rounds, iterations;
    cpu_set_t cpus;

    if (argc != 4) {
        fprintf(stderr, "Usage: %s CPU ROUNDS ITERATIONS\n", argv[0]);
        return 2;
    }
    CPU_ZERO(&cpus);
    CPU_SET(atoi(argv[1]), &cpus);
    if (sched_setaffinity(0, sizeof(cpus), &cpus) || mlockall(MCL_CURRENT | MCL_FUTURE)) {
        perror(argv[0]);
        return 1;
    }
    rounds = strtoul(argv[2], NULL, 0);
    iterations = strtoul(argv[3], NULL, 0);

    for (unsigned long i = 0; i < rounds; i++) {
        double begin, end;

        LOOP("", "", iterations / 2);
        begin = now();
        LOOP("hint #0x6e", "hint #0x6f", iterations);
        end = now();
        printf("round %.9f %.9f\n", begin, end);
    }
    return 0;
}
