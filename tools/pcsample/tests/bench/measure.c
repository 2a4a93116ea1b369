// SPDX-License-Identifier: GPL-2.0-only
/*
 * measure ROUNDS COMMAND...: run the shell commands in turn, ROUNDS times, output thrown away, and
 * print for each run "INDEX CPU WALL RSS", in seconds and MiB. In turn, so that what else the
 * machine does meets all of them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return t.tv_sec + t.tv_usec / 1e6;
}

static int run(int index, const char *command)
{
	struct timespec start, end;
	struct rusage usage;
	int status, null;
	pid_t pid;

	clock_gettime(CLOCK_MONOTONIC, &start);
	pid = fork();
	if (!pid) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status) {
		fprintf(stderr, "measure: failed: %s\n", command);
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%d %.6f %.6f %.1f\n", index, seconds(usage.ru_utime) + seconds(usage.ru_stime),
	       end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9,
	       usage.ru_maxrss / 1024.0);
	return 0;
}

int main(int argc, char **argv)
{
	int rounds, i;

	if (argc < 3)
		return 129;
	for (rounds = atoi(argv[1]); rounds; rounds--)
		for (i = 2; i < argc; i++)
			if (run(i - 2, argv[i]))
				return 1;
	return 0;
}
