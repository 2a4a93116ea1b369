// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a task can do about PSTATE.PM and PSTATE.PPEND (SPSR bits 32 and 33) while it is profiled:
 * nothing. Signal handlers and tracers never see the bits, and setting them does no harm.
 *
 * Usage: hostile SECONDS [ROUNDS]: each test as long, or until there were ENOUGH signals or stops,
 * with ROUNDS of a loop before each system call
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
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
#define STEPS_TO_SIGNAL	61

/* What handlers have seen, in this process and in children */
static volatile struct {
	unsigned long signals, seen;
} *handled;
static unsigned long nr_rounds = 2000;

static void on_alarm(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	handled->signals++;
	if (uc->uc_mcontext.pstate & HIGH_BITS)
		handled->seen++;
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

/*
 * The loop starts the timer for each signal. Where a signal takes longer than the timer, as with
 * KASAN and lockdep, one that repeats by itself leaves the task no time for anything but signals.
 */
static int test_signals(int seconds)
{
	const struct itimerval off = { { 0, 0 }, { 0, 0 } }, once = { { 0, 0 }, { 0, 1000 } };
	unsigned long before = handled->signals;
	time_t end = time(NULL) + seconds;

	setitimer(ITIMER_REAL, &once, NULL);
	while (time(NULL) < end || handled->signals < ENOUGH) {
		if (handled->signals != before) {
			before = handled->signals;
			setitimer(ITIMER_REAL, &once, NULL);
		}
		work();
	}
	setitimer(ITIMER_REAL, &off, NULL);
	printf("# %lu signals, the bits seen in %lu\n", handled->signals, handled->seen);
	return !handled->seen;
}

static pid_t start_traced(void)
{
	pid_t child = fork();

	if (child)
		return child;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	for (;;)
		work();
}

static int test_ptrace(int seconds)
{
	unsigned long stops = 0, seen = 0;
	time_t end = time(NULL) + seconds;
	struct user_regs_struct regs;
	struct iovec iov = { &regs, sizeof(regs) };
	pid_t child = start_traced();
	int status;

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

/*
 * A single step ends before the synchronous exception of an overflow in it is taken. So a signal
 * that the tracer delivers there finds the bit in the registers, unless the tracer has written
 * them.
 *
 * The handler takes fewer steps than there are from one signal to the next. A signal that came
 * while it runs would wait for sigreturn(), where no exception pends.
 */
static int test_stepped_signals(int seconds)
{
	unsigned long stops = 0, before = handled->signals;
	time_t end = time(NULL) + seconds;
	pid_t child = start_traced();
	int status;

	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
	       (time(NULL) < end || handled->signals - before < ENOUGH))
		ptrace(PTRACE_SINGLESTEP, child, NULL,
		       ++stops % STEPS_TO_SIGNAL ? 0L : (long)SIGALRM);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	printf("# %lu signals after single steps, the bits seen in %lu\n",
	       handled->signals - before, handled->seen);
	return handled->signals - before >= ENOUGH && !handled->seen;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO };
	int seconds = argc > 1 ? atoi(argv[1]) : 2, signals, stops, stepped;

	if (argc > 2)
		nr_rounds = atoi(argv[2]);
	handled = mmap(NULL, sizeof(*handled), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (handled == MAP_FAILED)
		return 2;
	sigaction(SIGALRM, &action, NULL);
	signals = test_signals(seconds);
	stops = test_ptrace(seconds);
	handled->seen = 0;
	stepped = test_stepped_signals(seconds);
	return !signals || !stops || !stepped;
}
