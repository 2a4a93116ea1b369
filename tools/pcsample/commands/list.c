// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample list: events that -e takes on this machine, and the readers, targets and limits of
 * arm_pcsample.
 */
#include <argp.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text-file.h"
#include "capture/event.h"
#include "commands/command.h"
#include "commands/plain-options.h"
#include "commands/terminal.h"

#define DEVICES	"/sys/bus/event_source/devices"

/* A directory of a PMU: format/, events/ or caps/ */
struct fields {
	struct field {
		char *name;
		char value[128];
	} *list;
	size_t nr;
	size_t cap;
};

struct list_options {
	bool json;
};

static const struct plain_option plain[] = {
	SETS('j', struct list_options, json),
	NO_ARGUMENTS(""),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	return plain_option(plain, key, arg, state);
}

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ 0 }
};

const struct argp list_argp = {
	.options = options,
	.parser = parse,
	.doc = "List the events that 'pcsample record -e' takes on this machine.",
};

/* Directories */

static int compare_fields(const void *a, const void *b)
{
	return strcmp(((const struct field *)a)->name, ((const struct field *)b)->name);
}

/* Read the names in a directory, sorted; with @values, only those of files, with their contents */
static void read_fields(struct fields *fields, const char *path, bool values)
{
	struct dirent *entry;
	struct field *f;
	DIR *dir;

	memset(fields, 0, sizeof(*fields));
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' ||
		    mem_grow(&fields->list, &fields->cap, fields->nr + 1))
			continue;
		f = &fields->list[fields->nr];
		f->value[0] = '\0';
		if (values &&
		    sysfs_read(f->value, sizeof(f->value), "%s/%s", path, entry->d_name) < 0)
			continue;
		f->name = strdup(entry->d_name);
		if (f->name)
			fields->nr++;
	}
	closedir(dir);
	if (fields->nr)
		qsort(fields->list, fields->nr, sizeof(*f), compare_fields);
}

static void release_fields(struct fields *fields)
{
	while (fields->nr)
		free(fields->list[--fields->nr].name);
	free(fields->list);
}

static void read_pmu_fields(struct fields *fields, const char *pmu, const char *what)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), DEVICES "/%s/%s", pmu, what);
	read_fields(fields, path, true);
}

/* events/ has files such as cycles.unit for the attributes of cycles */
static bool is_attribute(const char *name)
{
	return strchr(name, '.');
}

/* Text */

static void print_line(struct out *o, const char *name, const char *text)
{
	out_spaces(o, 2);
	out_left(o, name, 34);
	out_text(o, " ");
	out_clean(o, text, strlen(text));
	out_char(o, '\n');
}

static void print_pcsample(struct out *o)
{
	char cpus[CPUS_TEXT_MAX];
	struct fields caps;
	size_t i;

	if (sysfs_read(cpus, sizeof(cpus), DEVICES "/" PCSAMPLE_PMU "/cpumask") < 0) {
		out_text(o, "arm_pcsample is not there: 'pcsample doctor' says why\n\n");
		return;
	}
	out_text(o, "arm_pcsample, the PC-sample registers of the CPUs (default)\n");
	print_line(o, "readers", cpus);
	read_pmu_fields(&caps, PCSAMPLE_PMU, "caps");
	for (i = 0; i < caps.nr; i++)
		print_line(o, caps.list[i].name, caps.list[i].value);
	release_fields(&caps);
	out_text(o, "\n");
}

static void print_generic(struct out *o)
{
	const struct event_name *e;

	out_text(o, "Generic events\n");
	for (e = event_names; e->name; e++)
		print_line(o, e->name, e->type == PERF_TYPE_SOFTWARE ? "software" : "hardware");
	print_line(o, "rHEX", "raw event of the CPU");
	out_text(o, "\n");
}

static void print_pmu(struct out *o, const char *pmu)
{
	struct fields events, format;
	char text[300];
	size_t i;

	read_pmu_fields(&format, pmu, "format");
	read_pmu_fields(&events, pmu, "events");
	for (i = 0; i < events.nr; i++) {
		if (is_attribute(events.list[i].name))
			continue;
		snprintf(text, sizeof(text), "%s/%s/", pmu, events.list[i].name);
		print_line(o, text, events.list[i].value);
	}
	for (i = 0; i < format.nr; i++) {
		snprintf(text, sizeof(text), "%s/%s=N/", pmu, format.list[i].name);
		print_line(o, text, format.list[i].value);
	}
	release_fields(&events);
	release_fields(&format);
}

static void print_text(struct out *o)
{
	struct fields pmus;
	size_t i;

	print_pcsample(o);
	print_generic(o);
	out_text(o, "Events and fields of the PMUs\n");
	read_fields(&pmus, DEVICES, false);
	for (i = 0; i < pmus.nr; i++)
		print_pmu(o, pmus.list[i].name);
	release_fields(&pmus);
}

/* JSON */

static void json_fields(struct json *j, const char *pmu, const char *what)
{
	struct fields fields;
	size_t i;

	read_pmu_fields(&fields, pmu, what);
	json_object(j, what);
	for (i = 0; i < fields.nr; i++)
		json_string(j, fields.list[i].name, fields.list[i].value);
	json_object_end(j);
	release_fields(&fields);
}

static void json_pmu(struct json *j, const char *pmu)
{
	char cpus[CPUS_TEXT_MAX];
	u64 type;

	if (sysfs_read_number(&type, DEVICES "/%s/type", pmu))
		return;
	json_object(j, NULL);
	json_string(j, "name", pmu);
	json_u64(j, "type", type);
	if (sysfs_read(cpus, sizeof(cpus), DEVICES "/%s/cpumask", pmu) >= 0)
		json_string(j, "cpus", cpus);
	json_fields(j, pmu, "caps");
	json_fields(j, pmu, "events");
	json_fields(j, pmu, "format");
	json_object_end(j);
}

static void print_json(struct out *o)
{
	const struct event_name *e;
	struct fields pmus;
	struct json j;
	size_t i;

	json_begin(&j, o, "pcsample-list", 1);
	json_array(&j, "events");
	for (e = event_names; e->name; e++)
		json_string(&j, NULL, e->name);
	json_array_end(&j);
	json_array(&j, "pmus");
	read_fields(&pmus, DEVICES, false);
	for (i = 0; i < pmus.nr; i++)
		json_pmu(&j, pmus.list[i].name);
	release_fields(&pmus);
	json_array_end(&j);
	json_end(&j);
}

int cmd_list(int argc, char **argv)
{
	static struct out o;
	struct list_options opt = { 0 };

	argp_parse(&list_argp, argc, argv, 0, NULL, &opt);
	out_init(&o, STDOUT_FILENO);
	if (opt.json)
		print_json(&o);
	else
		print_text(&o);
	return output_end(&o, "pcsample list");
}
