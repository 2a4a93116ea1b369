// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs to be sampled; see pcs_load.h.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pcs_load.h"
#include "pcs_perf.h"

#define LOOP(name)					\
	".globl	" name "\n"				\
	".type	" name ", %function\n"			\
	".balign	64\n"				\
	name ":\n"					\
	"	subs	x0, x0, #1\n"			\
	"	b.ne	" name "\n"			\
	"	ret\n"					\
	".globl	" name "_end\n"				\
	name "_end:\n"					\
	".size	" name ", . - " name "\n"

asm(".pushsection .text\n" LOOP("pcs_loop_a") LOOP("pcs_loop_b") ".popsection\n");

void pcs_load_loop(uint64_t unused)
{
	for (;;)
		pcs_loop_a(1000000);
}

void pcs_load_70_30(uint64_t unused)
{
	for (;;) {
		pcs_loop_a(70000);
		pcs_loop_b(30000);
	}
}

void pcs_load_lockstep(uint64_t period)
{
	for (;;) {
		if (pcs_now() % period < period * 3 / 10)
			pcs_loop_a(20000);
		else
			pcs_loop_b(20000);
	}
}

void pcs_load_syscalls(uint64_t unused)
{
	for (;;)
		syscall(SYS_getppid);
}

void pcs_load_mixed(uint64_t unused)
{
	for (;;) {
		pcs_loop_a(1000);
		sched_yield();
	}
}

pid_t pcs_load_start(int cpu, void (*fn)(uint64_t arg), uint64_t arg)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		abort();
	pid = fork();
	if (pid < 0)
		abort();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pcs_pin(0, cpu);
		close(ready[0]);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		close(ready[1]);
		fn(arg);
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		abort();
	close(ready[0]);
	return pid;
}

void pcs_load_stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
