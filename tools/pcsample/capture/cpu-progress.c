// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text-file.h"
#include "capture/cpu-progress.h"

#define PROC_MAX (64U << 20)

/* A CPU without progress in this time counts as stuck. */
#define WATCH_MS 500

void liveness_deinit(struct liveness *l)
{
	free(l->interrupts);
	free(l->ticks);
	free(l->idle);
	free(l->busy);
	memset(l, 0, sizeof(*l));
}

static int make_room(struct liveness *l, unsigned int cpus)
{
	l->interrupts = calloc(cpus, sizeof(*l->interrupts));
	l->ticks = calloc(cpus, sizeof(*l->ticks));
	l->idle = calloc(cpus, sizeof(*l->idle));
	l->busy = calloc(cpus, sizeof(*l->busy));
	l->nr = cpus;
	return l->interrupts && l->ticks && l->idle && l->busy ? 0 : -ENOMEM;
}

/* The columns of /proc/interrupts: "           CPU0       CPU2" names those that are online */
static unsigned int read_header(char *line, unsigned int *column)
{
	unsigned int nr = 0;
	char *p = line;

	while (nr < CPUS_MAX && (p = strstr(p, "CPU"))) {
		column[nr] = strtoul(p + 3, &p, 10);
		if (column[nr++] >= CPUS_MAX)
			return 0;
	}
	return nr;
}

/* " 11:     12345     2345   GICv3  27 Level  arch_timer"; names may begin with digits, too */
static void add_interrupts(struct liveness *l, char *line, const unsigned int *column,
			   unsigned int nr)
{
	char *p = strchr(line, ':'), *end;
	unsigned int i;
	u64 count;

	if (!p++)
		return;
	for (i = 0; i < nr; i++, p = end) {
		count = strtoull(p, &end, 10);
		if (end == p || (*end && !isspace((unsigned char)*end)))
			return;
		l->interrupts[column[i]] += count;
	}
}

/*
 * "cpu1 100 0 20 3000 5 0 0 0 0 0": user nice system idle iowait irq softirq steal, and two that
 * are part of user and nice already. Steal counts as neither idle nor busy: a hypervisor had the
 * CPU.
 */
static void add_ticks(struct liveness *l, char *line)
{
	unsigned int column;
	unsigned long cpu;
	char *p, *end;
	u64 n;

	if (strncmp(line, "cpu", 3) || !isdigit((unsigned char)line[3]))
		return;
	cpu = strtoul(line + 3, &p, 10);
	if (cpu >= l->nr)
		return;
	for (column = 0;; column++, p = end) {
		n = strtoull(p, &end, 10);
		if (end == p)
			return;
		l->ticks[cpu] += n;
		if (column == 3 || column == 4)
			l->idle[cpu] += n;
		else if (column < 7)
			l->busy[cpu] += n;
	}
}

static unsigned int count_cpus(const unsigned int *column, unsigned int nr)
{
	unsigned int most = 0, i;

	for (i = 0; i < nr; i++)
		most = max(most, column[i] + 1);
	return most;
}

static int read_interrupts(struct liveness *l, char *text)
{
	unsigned int *column = calloc(CPUS_MAX, sizeof(*column)), nr;
	char *line = strsep(&text, "\n");
	int ret = -EINVAL;

	if (!column)
		return -ENOMEM;
	nr = line ? read_header(line, column) : 0;
	if (nr)
		ret = make_room(l, count_cpus(column, nr));
	while (!ret && (line = strsep(&text, "\n")))
		add_interrupts(l, line, column, nr);
	free(column);
	return ret;
}

int liveness_read(struct liveness *l, const char *root, struct error *err)
{
	char path[PATH_MAX], *text, *rest, *line;
	size_t size;
	int ret;

	memset(l, 0, sizeof(*l));
	snprintf(path, sizeof(path), "%s/proc/interrupts", root);
	ret = sysfs_slurp(&text, &size, PROC_MAX, path);
	if (ret)
		return error_set(err, ret, "%s: %s", path, strerror(-ret));
	ret = read_interrupts(l, text);
	free(text);
	if (ret) {
		liveness_deinit(l);
		return error_set(err, ret, "%s: %s", path,
				 ret == -EINVAL ? "names no CPUs" : strerror(-ret));
	}
	snprintf(path, sizeof(path), "%s/proc/stat", root);
	ret = sysfs_slurp(&text, &size, PROC_MAX, path);
	if (ret) {
		liveness_deinit(l);
		return error_set(err, ret, "%s: %s", path, strerror(-ret));
	}
	for (rest = text; (line = strsep(&rest, "\n")); )
		add_ticks(l, line);
	free(text);
	return 0;
}

void liveness_stuck(const struct liveness *before, const struct liveness *after,
		    const struct cpus *online, struct cpus *stuck)
{
	int cpu;

	memset(stuck, 0, sizeof(*stuck));
	cpus_for_each(cpu, online)
		if (cpu < before->nr && cpu < after->nr &&
		    before->interrupts[cpu] == after->interrupts[cpu] &&
		    before->ticks[cpu] == after->ticks[cpu])
			cpus_add(stuck, cpu);
}

static int read_online(struct cpus *online, const char *root, struct error *err)
{
	char text[CPUS_TEXT_MAX];
	int ret;

	ret = sysfs_read(text, sizeof(text), "%s/sys/devices/system/cpu/online", root);
	if (ret >= 0)
		ret = cpus_parse(online, text);
	return ret < 0 ? error_set(err, ret, "%s/sys/devices/system/cpu/online: cannot read it",
				   root) : 0;
}

int liveness_watch(const char *root, struct cpus *online, struct cpus *stuck, struct error *err)
{
	struct liveness before, after;
	int ret;

	ret = read_online(online, root, err);
	if (!ret)
		ret = liveness_read(&before, root, err);
	if (ret)
		return ret;
	usleep(WATCH_MS * 1000);
	ret = liveness_read(&after, root, err);
	if (!ret) {
		liveness_stuck(&before, &after, online, stuck);
		liveness_deinit(&after);
	}
	liveness_deinit(&before);
	return ret;
}
