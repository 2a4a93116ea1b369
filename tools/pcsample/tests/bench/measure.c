// SPDX-License-Identifier: GPL-2.0-only
/*
 * measure ROUNDS COMMAND...: run the shell commands in turn, ROUNDS times, output thrown away, and
 * print for each "INDEX CPU WALL RSS", in seconds and MiB. They run in turn, so that other load of
 * the machine affects all of them alike.
 *
 * A command that takes less than a second runs several times in its turn, and the median is
 * printed. The caches are then as the command itself leaves them, not as another command left them
 * that ran for seconds. A single interruption does not change the figure.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TURN_SECONDS	1.0
#define TURN_RUNS	15

enum { CPU, WALL, RSS, NR_VALUES };

static double seconds(struct timeval t)
{
	return t.tv_sec + t.tv_usec / 1e6;
}

static int run(const char *command, double *value)
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
	value[CPU] = seconds(usage.ru_utime) + seconds(usage.ru_stime);
	value[WALL] = end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9;
	value[RSS] = usage.ru_maxrss / 1024.0;
	return 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	qsort(v, n, sizeof(*v), compare);
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

static int turn(int index, const char *command)
{
	double all[NR_VALUES][TURN_RUNS], value[NR_VALUES], taken = 0;
	int n, i;

	for (n = 0; n < TURN_RUNS && taken < TURN_SECONDS; n++) {
		if (run(command, value))
			return 1;
		taken += value[WALL];
		for (i = 0; i < NR_VALUES; i++)
			all[i][n] = value[i];
	}
	printf("%d %.6f %.6f %.1f\n", index, median(all[CPU], n), median(all[WALL], n),
	       median(all[RSS], n));
	return 0;
}

int main(int argc, char **argv)
{
	int rounds, i;

	if (argc < 3)
		return 129;
	for (rounds = atoi(argv[1]); rounds; rounds--)
		for (i = 2; i < argc; i++)
			if (turn(i - 2, argv[i]))
				return 1;
	return 0;
}
