// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text-file.h"
#include "capture/event.h"
#include "capture/ledger.h"
#include "perfdata/outcomes.h"

#define LEDGER_DIR	"/sys/bus/event_source/devices/" PCSAMPLE_PMU "/ledger"

int ledger_parse(struct ledger *ledger, const char *text)
{
	struct ledger_count *count;
	unsigned long long value;
	int len;

	ledger->nr = 0;
	for (; *text; text += len) {
		if (ledger->nr == LEDGER_MAX)
			return -E2BIG;
		count = &ledger->counts[ledger->nr];
		len = 0;
		if (sscanf(text, "%23[a-z0-9_] %llu %n", count->name, &value, &len) != 2 || !len)
			return -EINVAL;
		count->value = value;
		ledger->nr++;
	}
	return 0;
}

u64 ledger_get(const struct ledger *ledger, const char *name)
{
	unsigned int i;

	for (i = 0; i < ledger->nr; i++)
		if (!strcmp(ledger->counts[i].name, name))
			return ledger->counts[i].value;
	return 0;
}

bool ledger_adds_up(const struct ledger *ledger)
{
	u64 planned = ledger_get(ledger, OUTCOME_PLANNED), sum = 0;
	unsigned int i;

	for (i = 0; i < ledger->nr; i++)
		sum += ledger->counts[i].value;
	return sum == 2 * planned;
}

void ledger_json(struct json *j, const struct ledger *ledger)
{
	unsigned int i;

	json_object(j, "ledger");
	for (i = 0; i < ledger->nr; i++)
		json_u64(j, ledger->counts[i].name, ledger->counts[i].value);
	json_object_end(j);
}

void ledger_subtract(struct ledger *ledger, const struct ledger *start)
{
	unsigned int i;

	for (i = 0; i < ledger->nr; i++)
		ledger->counts[i].value -= ledger_get(start, ledger->counts[i].name);
}

/* Which CPUs have a file cpuN? */
static int list_targets(struct cpus *targets, const char *dir, struct error *err)
{
	struct dirent *entry;
	unsigned int cpu;
	DIR *d;
	int len;

	d = opendir(dir);
	if (!d)
		return error_set(err, errno == ENOENT ? -ENODEV : -errno, "%s: %s: is %s loaded?",
				 dir, strerror(errno), PCSAMPLE_PMU);
	while ((entry = readdir(d))) {
		len = 0;
		if (sscanf(entry->d_name, "cpu%u%n", &cpu, &len) == 1 && !entry->d_name[len])
			cpus_add(targets, cpu);
	}
	closedir(d);
	return 0;
}

static int read_ledger(struct ledger *ledger, const char *dir, const char *name, struct error *err)
{
	char text[2048];
	int ret;

	ret = sysfs_read(text, sizeof(text), "%s/%s", dir, name);
	/* See ledgers_known() */
	if (ret == -EACCES) {
		ledger->nr = 0;
		return 0;
	}
	if (ret < 0)
		return error_set(err, ret, "%s/%s: %s", dir, name, strerror(-ret));
	ret = ledger_parse(ledger, text);
	if (ret)
		return error_set(err, ret, "%s/%s: not lines of NAME VALUE", dir, name);
	return 0;
}

int ledgers_read(struct ledgers *ledgers, const char *root, struct error *err)
{
	char dir[PATH_MAX], name[32];
	int cpu, ret;

	memset(ledgers, 0, sizeof(*ledgers));
	snprintf(dir, sizeof(dir), "%s" LEDGER_DIR, root);
	ret = list_targets(&ledgers->targets, dir, err);
	if (!ret)
		ret = read_ledger(&ledgers->total, dir, "total", err);
	if (ret)
		return ret;
	ledgers->of = calloc(cpus_count(&ledgers->targets) + 1, sizeof(*ledgers->of));
	if (!ledgers->of)
		return error_set(err, -ENOMEM, "%s: out of memory", dir);
	cpus_for_each(cpu, &ledgers->targets) {
		snprintf(name, sizeof(name), "cpu%d", cpu);
		ledgers->of[ledgers->nr].cpu = cpu;
		ret = read_ledger(&ledgers->of[ledgers->nr].ledger, dir, name, err);
		if (ret) {
			ledgers_release(ledgers);
			return ret;
		}
		ledgers->nr++;
	}
	return 0;
}

void ledgers_subtract(struct ledgers *ledgers, const struct ledgers *start)
{
	unsigned int i, j;

	ledger_subtract(&ledgers->total, &start->total);
	for (i = j = 0; i < ledgers->nr; i++) {
		while (j < start->nr && start->of[j].cpu < ledgers->of[i].cpu)
			j++;
		if (j < start->nr && start->of[j].cpu == ledgers->of[i].cpu)
			ledger_subtract(&ledgers->of[i].ledger, &start->of[j].ledger);
	}
}

void ledgers_release(struct ledgers *ledgers)
{
	free(ledgers->of);
	memset(ledgers, 0, sizeof(*ledgers));
}
