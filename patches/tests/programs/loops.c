// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that is in the kernel with interrupts masked for a part of its time, in the loop of
 * pcs_loop.
 *
 * Usage: loops ROUNDS USER MASKED: in each round goes through its own loop USER times, 1000
 * instructions each, and through that of the kernel MASKED times, 100 each.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void loop(unsigned long times)
{
	unsigned long work = times;

	asm volatile("1:	.rept	1000\n"
		     "		eor	%[work], %[work], %[times], lsl #7\n"
		     "		.endr\n"
		     "		subs	%[times], %[times], #1\n"
		     "		b.ne	1b\n"
		     : [times] "+r" (times), [work] "+r" (work) :: "cc");
}

int main(int argc, char **argv)
{
	int fd = open("/sys/module/pcs_loop/parameters/run", O_WRONLY), i;

	if (argc != 4 || fd < 0)
		return 2;
	for (i = 0; i < atoi(argv[1]); i++) {
		loop(atoi(argv[2]));
		if (write(fd, argv[3], strlen(argv[3])) < 0)
			return 1;
	}
	return 0;
}
