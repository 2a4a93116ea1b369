// SPDX-License-Identifier: GPL-2.0-only
/*
 * Aims trinity at arm_pcsample, by LD_PRELOAD: it draws as usual, but most of its calls go to this
 * PMU. By itself, one in a thousand of its events would be of this PMU, and none of its ioctl
 * requests would be one of perf's.
 *
 * Every other event is made well-formed, so that it opens and runs; the rest are as drawn.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE	4096UL

static int pmu_type = -1;

/* A descriptor for count() that trinity does not use; -1 if there is none */
static int calls = -1;

/* Counts calls, without using trinity's random numbers */
static unsigned int turn;

/* TRINITY_AIM is the PMU's type, TRINITY_CALLS the file for the results of the calls. */
static void __attribute__((constructor)) take_aim(void)
{
	const char *text = getenv("TRINITY_AIM"), *path = getenv("TRINITY_CALLS");
	int fd;

	if (text)
		pmu_type = atoi(text);
	if (!path)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	calls = fcntl(fd, F_DUPFD_CLOEXEC, 900);
	close(fd);
}

static long call(long nr, const unsigned long *args)
{
	register unsigned long x8 asm("x8") = nr;
	register unsigned long x0 asm("x0") = args[0];
	register unsigned long x1 asm("x1") = args[1];
	register unsigned long x2 asm("x2") = args[2];
	register unsigned long x3 asm("x3") = args[3];
	register unsigned long x4 asm("x4") = args[4];
	register unsigned long x5 asm("x5") = args[5];

	asm volatile("svc #0" : "+r"(x0)
		     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}

/*
 * arm_pcsample has no counters that follow a task, and no registers or branches of sampled code.
 * trinity's structure is of this version.
 */
#define SIZE	PERF_ATTR_SIZE_VER5

static void make_well_formed(struct perf_event_attr *attr)
{
	struct perf_event_attr drawn = {}, made;

	memcpy(&drawn, attr, SIZE);
	made = (struct perf_event_attr) {
		.type = drawn.type,
		.size = SIZE,
		.config = drawn.config & 0x100,
		.config2 = drawn.config2,
		.sample_period = drawn.sample_period ? 20000 + drawn.sample_period % 1000000 : 0,
		.sample_type = drawn.sample_type &
			       (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				PERF_SAMPLE_ADDR | PERF_SAMPLE_READ | PERF_SAMPLE_ID |
				PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID |
				PERF_SAMPLE_RAW | PERF_SAMPLE_IDENTIFIER),
		.read_format = drawn.read_format & 0xf,
		.disabled = drawn.disabled,
		.pinned = drawn.pinned,
		.exclusive = drawn.exclusive,
		.exclude_user = drawn.exclude_user,
		.exclude_kernel = drawn.exclude_kernel,
		.exclude_hv = drawn.exclude_hv,
		.exclude_idle = drawn.exclude_idle,
		.mmap = drawn.mmap,
		.comm = drawn.comm,
		.task = drawn.task,
		.sample_id_all = drawn.sample_id_all,
		.exclude_host = drawn.exclude_host,
		.exclude_guest = drawn.exclude_guest,
		.context_switch = drawn.context_switch,
		.wakeup_events = drawn.wakeup_events % 100,
	};
	memcpy(attr, &made, SIZE);
}

static void aim_open(unsigned long *args)
{
	struct perf_event_attr *attr = (void *)args[0];

	if (pmu_type < 0 || !attr || turn % 8 == 7)
		return;
	attr->type = pmu_type;
	if (turn % 2)
		return;
	make_well_formed(attr);
	args[1] = -1;
	args[2] = turn / 2 % 2;	/* both are readers by default */
	if (turn % 3)
		args[3] = -1;
	args[4] &= PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_CLOEXEC;
}

static void aim_ioctl(unsigned long *args)
{
	static const unsigned long requests[] = {
		PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_REFRESH,
		PERF_EVENT_IOC_RESET, PERF_EVENT_IOC_PERIOD, PERF_EVENT_IOC_SET_OUTPUT,
		PERF_EVENT_IOC_SET_FILTER, PERF_EVENT_IOC_ID, PERF_EVENT_IOC_SET_BPF,
		PERF_EVENT_IOC_PAUSE_OUTPUT, PERF_EVENT_IOC_QUERY_BPF,
		PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
	};

	if (turn % 8 != 7)
		args[1] = requests[turn % (sizeof(requests) / sizeof(*requests))];
	if (turn % 3 == 0)
		args[2] %= 2;
}

/*
 * Append a letter to the file: the first one of the call's name, in upper case if the call failed.
 * trinity counts, too, but loses its numbers when a signal kills it, which its own calls may cause.
 */
static void count(long nr, int failed)
{
	unsigned long args[6] = { calls, 0, 1 };
	char letter;

	switch (nr) {
	case SYS_perf_event_open:
		letter = 'p';
		break;
	case SYS_ioctl:
		letter = 'i';
		break;
	case SYS_mmap:
		letter = 'm';
		break;
	case SYS_read:
		letter = 'r';
		break;
	default:
		return;
	}
	if (failed)
		letter -= 'a' - 'A';
	args[1] = (unsigned long)&letter;
	call(SYS_write, args);
}

/* Map a new buffer, because the drawn address would be that of another mapping */
static void aim_mmap(unsigned long *args)
{
	if (turn % 2 || (int)args[4] < 0)
		return;
	args[0] = 0;
	args[1] = PAGE * (1 + (1UL << turn % 6));
	args[3] = MAP_SHARED;
	args[5] = 0;
}

long syscall(long nr, ...)
{
	unsigned long args[6];
	va_list ap;
	long ret;
	int i;

	va_start(ap, nr);
	for (i = 0; i < 6; i++)
		args[i] = va_arg(ap, unsigned long);
	va_end(ap);
	turn++;
	switch (nr) {
	case SYS_perf_event_open:
		aim_open(args);
		break;
	case SYS_ioctl:
		aim_ioctl(args);
		break;
	case SYS_mmap:
		aim_mmap(args);
		break;
	}
	ret = call(nr, args);
	count(nr, ret < 0 && ret >= -4095);
	if (ret >= 0 || ret < -4095)
		return ret;
	errno = -ret;
	return -1;
}

/*
 * Only trinity calls it, to find the kind of a file before an ioctl(). It then walks a list of
 * sockets that is missing if sockets are disabled, so that each ioctl() would crash it.
 */
int fstat(int fd, struct stat *stat)
{
	(void)fd;
	(void)stat;
	errno = EBADF;
	return -1;
}
