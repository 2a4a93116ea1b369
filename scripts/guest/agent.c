// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the guest's /init starts. `agent setup` mounts what a Linux system has: as commands of a
 * script these would be twenty programs to start, a tenth of the time of a boot. `agent run FILE`
 * runs the command of scripts/vm and hands its output, its exit status, the files in /out and the
 * kernel log to the host, and ends the machine.
 *
 * The way out is Arm semihosting ("Semihosting for AArch32 and AArch64", version 2024Q1): a HLT
 * that QEMU carries out as a file operation of its own. It needs no driver, so it is the same for
 * every kernel. It raises no interrupt, as interrupts are what tests in the guest measure. It
 * leaves the serial line to the kernel, so that the output of the command is exactly its own.
 *
 * Host files, in the folder QEMU runs in: stdout, stderr, boot (seconds from power-on to command),
 * out.tar, dmesg, and last of all status. A run without status is one whose guest died.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* The semihosting calls */

#define SYS_OPEN	0x01
#define SYS_CLOSE	0x02
#define SYS_WRITE	0x05
#define SYS_EXIT	0x18

#define OPEN_WB		5			/* as fopen's "wb" */
#define ADP_STOPPED_APPLICATION_EXIT	0x20026

static long semihost(unsigned int op, const void *arg)
{
	register unsigned long x0 asm("x0") = op;
	register const void *x1 asm("x1") = arg;

	asm volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
	return (long)x0;
}

static long host_open(const char *name)
{
	const uint64_t arg[] = { (uintptr_t)name, OPEN_WB, strlen(name) };

	return semihost(SYS_OPEN, arg);
}

/*
 * QEMU reads the buffer through the current page table and takes no page faults. The pages are
 * present, as the buffer was just filled and the guest has no swap.
 */
static void host_write(long file, const void *buf, size_t len)
{
	const uint64_t arg[] = { file, (uintptr_t)buf, len };

	semihost(SYS_WRITE, arg);
}

static void host_close(long file)
{
	const uint64_t arg[] = { file };

	semihost(SYS_CLOSE, arg);
}

static void host_put(const char *name, const void *buf, size_t len)
{
	long file = host_open(name);

	host_write(file, buf, len);
	host_close(file);
}

static void __attribute__((noreturn)) host_exit(void)
{
	const uint64_t arg[] = { ADP_STOPPED_APPLICATION_EXIT, 0 };

	for (;;)
		semihost(SYS_EXIT, arg);
}

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "agent: %s: %s\n", what, strerror(errno));
	host_exit();
}

/* Running a program and pumping what it prints to the host */

struct stream {
	const char *name;
	int child_fd;
	int fd;
	long file;
};

static char buffer[1 << 16];

/* Copies what there is to read now. Returns false at the end of the stream. */
static bool pump(const struct stream *stream)
{
	ssize_t len = read(stream->fd, buffer, sizeof(buffer));

	if (len > 0)
		host_write(stream->file, buffer, len);
	return len > 0 || (len < 0 && (errno == EAGAIN || errno == EINTR));
}

static pid_t spawn(char **argv, const struct stream *streams, size_t nr, const int *child_ends)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;

	for (size_t i = 0; i < nr; i++)
		dup2(child_ends[i], streams[i].child_fd);
	if (setsid() < 0)
		die("setsid");
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/*
 * Runs argv until it has ended, with what it prints sent to the streams' files. What a process that
 * it left behind prints later is not waited for. Returns the status as a shell has it.
 */
static int run(char **argv, struct stream *streams, size_t nr)
{
	struct pollfd fds[3] = { 0 };
	int child_ends[2], status;
	pid_t pid;

	for (size_t i = 0; i < nr; i++) {
		int ends[2];

		if (pipe2(ends, O_CLOEXEC))
			die("pipe");
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
		streams[i].fd = ends[0];
		streams[i].file = host_open(streams[i].name);
		fds[i] = (struct pollfd){ .fd = ends[0], .events = POLLIN };
		child_ends[i] = ends[1];
	}
	pid = spawn(argv, streams, nr, child_ends);
	for (size_t i = 0; i < nr; i++)
		close(child_ends[i]);
	fds[nr] = (struct pollfd){ .fd = syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };

	while (!fds[nr].revents) {
		if (poll(fds, nr + 1, -1) < 0 && errno != EINTR)
			die("poll");
		for (size_t i = 0; i < nr; i++) {
			if (fds[i].revents && !pump(&streams[i]))
				fds[i].fd = -1;
		}
	}
	/* It has ended: what it printed last is in the pipes. */
	for (size_t i = 0; i < nr; i++) {
		while (fds[i].fd >= 0 && poll(&fds[i], 1, 0) > 0 && pump(&streams[i]))
			;
		host_close(streams[i].file);
		close(streams[i].fd);
	}
	close(fds[nr].fd);

	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* What scripts/vm asked for, and what it gets */

/* The words of the command, each ended by a NUL, as /proc/PID/cmdline has them. */
static char **read_command(const char *path)
{
	size_t len = 0, words = 0;
	struct stat st;
	char **argv, *text;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || !st.st_size)
		die(path);
	text = malloc(st.st_size);
	if (!text || read(fd, text, st.st_size) != st.st_size || text[st.st_size - 1])
		die(path);
	close(fd);

	argv = calloc(st.st_size + 1, sizeof(*argv));
	if (!argv)
		die("calloc");
	for (; len < (size_t)st.st_size; len += strlen(text + len) + 1)
		argv[words++] = text + len;
	return argv;
}

static void put_boot_time(void)
{
	struct timespec now;
	int len;

	clock_gettime(CLOCK_BOOTTIME, &now);
	len = snprintf(buffer, sizeof(buffer), "%ld.%02ld\n", (long)now.tv_sec,
		       now.tv_nsec / 10000000);
	host_put("boot", buffer, len);
}

static void put_dmesg(void)
{
	int size = klogctl(10 /* SYSLOG_ACTION_SIZE_BUFFER */, NULL, 0);
	char *log = size > 0 ? malloc(size) : NULL;
	int len = log ? klogctl(3 /* SYSLOG_ACTION_READ_ALL */, log, size) : -1;

	if (len > 0)
		host_put("dmesg", log, len);
}

static void put_out(void)
{
	static char *tar[] = { "tar", "-C", "/out", "-cf", "-", ".", NULL };
	struct stream archive = { .name = "out.tar", .child_fd = STDOUT_FILENO };

	run(tar, &archive, 1);
}

static void __attribute__((noreturn)) run_command(const char *path)
{
	struct stream output[] = {
		{ .name = "stdout", .child_fd = STDOUT_FILENO },
		{ .name = "stderr", .child_fd = STDERR_FILENO },
	};
	char **command = read_command(path);
	int status, len;

	put_boot_time();
	status = run(command, output, ARRAY_SIZE(output));
	put_out();
	put_dmesg();
	len = snprintf(buffer, sizeof(buffer), "%d\n", status);
	host_put("status", buffer, len);
	host_exit();
}

/* What a Linux system has */

/* In this order; an entry without a type is a folder to make. */
static const struct {
	const char *type, *path;
} mounts[] = {
	{ "proc", "/proc" },
	{ "sysfs", "/sys" },
	{ "devtmpfs", "/dev" },
	{ NULL, "/dev/pts" },
	{ NULL, "/dev/shm" },
	{ "devpts", "/dev/pts" },
	{ "tmpfs", "/dev/shm" },
	{ "debugfs", "/sys/kernel/debug" },
	{ "tracefs", "/sys/kernel/tracing" },
	{ "cgroup2", "/sys/fs/cgroup" },
	{ "tmpfs", "/tmp" },
};

static const struct {
	const char *target, *path;
} links[] = {
	{ "/proc/self/fd", "/dev/fd" },
	{ "fd/0", "/dev/stdin" },
	{ "fd/1", "/dev/stdout" },
	{ "fd/2", "/dev/stderr" },
};

/* Root reads addresses and profiles everything; a guest that is stuck can be asked why. */
static const struct {
	const char *path, *value;
} settings[] = {
	{ "/proc/sys/kernel/kptr_restrict", "0" },
	{ "/proc/sys/kernel/perf_event_paranoid", "-1" },
	{ "/proc/sys/kernel/sysrq", "1" },
};

static bool put_setting(const char *path, const char *value)
{
	ssize_t len = strlen(value);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, value, len) == len;

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool loopback_up(void)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool ok = fd >= 0 && !ioctl(fd, SIOCSIFFLAGS, &lo);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* What a kernel lacks is told, and the rest done all the same: a test that wants it will fail. */
static int complain(const char *what)
{
	fprintf(stderr, "agent: %s: %s\n", what, strerror(errno));
	return 1;
}

static int setup(void)
{
	static const char host_name[] = "pcsample";
	int failures = 0;

	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
		const char *type = mounts[i].type, *path = mounts[i].path;

		if (type ? mount(type, path, type, 0, NULL) : mkdir(path, 0755))
			failures += complain(path);
	}
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		if (symlink(links[i].target, links[i].path))
			failures += complain(links[i].path);
	}
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		if (!put_setting(settings[i].path, settings[i].value))
			failures += complain(settings[i].path);
	}
	if (sethostname(host_name, strlen(host_name)))
		failures += complain("host name");
	if (!loopback_up())
		failures += complain("loopback");
	return failures ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "setup"))
		return setup();
	if (argc == 3 && !strcmp(argv[1], "run"))
		run_command(argv[2]);
	fprintf(stderr, "Usage: agent setup\n       agent run FILE\n");
	return 2;
}
