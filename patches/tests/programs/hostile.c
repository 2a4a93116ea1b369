// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a task can do about PSTATE.PM and PSTATE.PPEND (SPSR bits 32 and 33) while it is profiled:
 * nothing. Signal handlers and tracers never see the bits, and setting them does no harm.
 *
 * Usage: hostile SECONDS [ROUNDS]: each as long, or until there were ENOUGH signals and stops, with
 * ROUNDS of a loop before each system call
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define HIGH_BITS	0xffffffff00000000UL
#define ENOUGH		100

static volatile unsigned long nr_signals, nr_seen;
static unsigned long nr_rounds = 2000;

static void on_alarm(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	nr_signals++;
	if (uc->uc_mcontext.pstate & HIGH_BITS)
		nr_seen++;
	uc->uc_mcontext.pstate |= HIGH_BITS;
}

/* Branches and system calls, so that synchronous exceptions are pending often */
static void work(void)
{
	volatile unsigned long sum = 0;
	unsigned long i;

	for (i = 0; i < nr_rounds; i++)
		sum += i & 1 ? i : sum;
	getppid();
}

static int test_signals(int seconds)
{
	struct itimerval timer = { { 0, 1000 }, { 0, 1000 } };
	struct sigaction action = { .sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO };
	time_t end = time(NULL) + seconds;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (time(NULL) < end || nr_signals < ENOUGH)
		work();
	timer.it_value.tv_usec = 0;
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("# %lu signals, the bits seen in %lu\n", nr_signals, nr_seen);
	return !nr_seen;
}

static int test_ptrace(int seconds)
{
	unsigned long stops = 0, seen = 0;
	time_t end = time(NULL) + seconds;
	struct user_regs_struct regs;
	struct iovec iov = { &regs, sizeof(regs) };
	int status;
	pid_t child;

	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		for (;;)
			work();
	}
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
	       (time(NULL) < end || stops < ENOUGH)) {
		iov.iov_len = sizeof(regs);
		if (ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &iov))
			break;
		stops++;
		if (regs.pstate & HIGH_BITS)
			seen++;
		regs.pstate |= HIGH_BITS;
		ptrace(PTRACE_SETREGSET, child, NT_PRSTATUS, &iov);
		/* Single steps, and now and then a run to the next system call */
		ptrace(stops % 8 ? PTRACE_SINGLESTEP : PTRACE_SYSCALL, child, NULL, NULL);
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	printf("# %lu stops, the bits seen in %lu\n", stops, seen);
	return stops >= ENOUGH && !seen;
}

int main(int argc, char **argv)
{
	int seconds = argc > 1 ? atoi(argv[1]) : 2, signals, stops;

	if (argc > 2)
		nr_rounds = atoi(argv[2]);
	signals = test_signals(seconds);
	stops = test_ptrace(seconds);
	return !signals || !stops;
}
