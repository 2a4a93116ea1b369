// SPDX-License-Identifier: GPL-2.0-only
/*
 * A 32-bit program to sample: branches and system calls in both of its instruction sets, of Thumb
 * with IT blocks, whose state is in the PSTATE that an exception saves. It has no C library, and
 * ends with 1 if anything that it computes is wrong.
 *
 * Usage: compat, for ROUNDS
 */
#define ROUNDS		400
#define LOOPS		20000u
#define NR_EXIT		1
#define NR_GETPPID	64

static long system_call(long number, long argument)
{
	register long r0 __asm__("r0") = argument;
	register long r7 __asm__("r7") = number;

	__asm__ volatile("svc #0" : "+r" (r0) : "r" (r7) : "memory");
	return r0;
}

/* Half of the numbers are odd, and each of these counts 3 */
__attribute__((noinline, target("arm"))) static unsigned int count_arm(void)
{
	unsigned int i, sum = 0;

	for (i = 0; i < LOOPS; i++)
		__asm__ volatile("tst	%1, #1\n\t"
				 "addne	%0, %0, #3" : "+r" (sum) : "r" (i) : "cc");
	return sum;
}

__attribute__((noinline, target("thumb"))) static unsigned int count_thumb(void)
{
	unsigned int i, sum = 0;

	for (i = 0; i < LOOPS; i++)
		__asm__ volatile("tst	%1, #1\n\t"
				 "ittt	ne\n\t"
				 "addne	%0, %0, #1\n\t"
				 "addne	%0, %0, #1\n\t"
				 "addne	%0, %0, #1" : "+r" (sum) : "r" (i) : "cc");
	return sum;
}

void _start(void)
{
	long parent = system_call(NR_GETPPID, 0);
	unsigned int round, wrong = 0;

	for (round = 0; round < ROUNDS; round++) {
		wrong |= count_arm() != LOOPS / 2 * 3;
		wrong |= count_thumb() != LOOPS / 2 * 3;
		wrong |= system_call(NR_GETPPID, 0) != parent;
	}
	for (;;)
		system_call(NR_EXIT, wrong);
}
