// SPDX-License-Identifier: GPL-2.0-only
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "capture/mapped-dsos.h"

/* Offsets in PERF_RECORD_MMAP2 */
#define MMAP2_BUILD_ID_SIZE	40
#define MMAP2_BUILD_ID		44
#define MMAP2_NAME		72

/* A file as the section has it; @name_size includes the NUL and padding */
struct dso {
	u32 cpumode;
	u32 name_size;
	u8 build_id[20];
	u8 build_id_size;
	char name[];
};

/* A binary tree of struct dso, and a list of them in the order in which they were mapped */
struct dso_set {
	void *tree;
	struct dso **list;
	size_t nr, cap;
};

static int compare_dsos(const void *a, const void *b)
{
	const struct dso *x = a, *y = b;
	int c = memcmp(x->build_id, y->build_id, sizeof(x->build_id));

	if (!c)
		c = (x->cpumode > y->cpumode) - (x->cpumode < y->cpumode);
	return c ? c : strcmp(x->name, y->name);
}

struct dso_set *dso_set_create(void)
{
	return calloc(1, sizeof(struct dso_set));
}

static void keep(void *dso)
{
}

void dso_set_destroy(struct dso_set *set)
{
	size_t i;

	if (!set)
		return;
	tdestroy(set->tree, keep);
	for (i = 0; i < set->nr; i++)
		free(set->list[i]);
	free(set->list);
	free(set);
}

/*
 * Length of a name without the symbol that a record of the kernel has behind it:
 * "[kernel.kallsyms]_text"
 */
static size_t name_length(const char *name, size_t limit)
{
	static const char kernel[] = "[kernel.kallsyms]";

	if (limit >= sizeof(kernel) && !memcmp(name, kernel, sizeof(kernel) - 1))
		return sizeof(kernel) - 1;
	return strnlen(name, limit);
}

static struct dso *dso_of_record(const struct perf_event_header *record)
{
	const char *name = (const char *)record + MMAP2_NAME;
	size_t len = name_length(name, record->size - MMAP2_NAME);
	struct dso *dso = calloc(1, sizeof(*dso) + len + 8);

	if (!dso)
		return NULL;
	dso->cpumode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	dso->build_id_size = ((const u8 *)record)[MMAP2_BUILD_ID_SIZE];
	if (dso->build_id_size > sizeof(dso->build_id))
		dso->build_id_size = sizeof(dso->build_id);
	memcpy(dso->build_id, (const u8 *)record + MMAP2_BUILD_ID, dso->build_id_size);
	memcpy(dso->name, name, len);
	dso->name_size = (len + 8) & ~7U;
	return dso;
}

static int add(struct dso_set *set, struct dso *dso)
{
	if (mem_grow(&set->list, &set->cap, set->nr + 1) ||
	    !tsearch(dso, &set->tree, compare_dsos))
		return -ENOMEM;
	set->list[set->nr++] = dso;
	return 0;
}

int dso_set_note(struct dso_set *set, const struct perf_event_header *record)
{
	struct dso *dso;
	int ret;

	if (record->type != PERF_RECORD_MMAP2 || record->size <= MMAP2_NAME ||
	    !(record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
		return 0;
	dso = dso_of_record(record);
	if (!dso)
		return -ENOMEM;
	if (tfind(dso, &set->tree, compare_dsos)) {
		free(dso);
		return 0;
	}
	ret = add(set, dso);
	if (ret)
		free(dso);
	return ret;
}

int dso_set_write(const struct dso_set *set, struct perfdata_writer *w, struct error *err)
{
	struct perfdata_build_id entry;
	struct perfdata_blob blob = { 0 };
	size_t i;

	for (i = 0; i < set->nr; i++) {
		const struct dso *dso = set->list[i];

		memset(&entry, 0, sizeof(entry));
		entry.header.misc = dso->cpumode | PERFDATA_MISC_BUILD_ID_SIZE;
		entry.header.size = sizeof(entry) + dso->name_size;
		entry.pid = -1;
		memcpy(entry.build_id, dso->build_id, sizeof(entry.build_id));
		entry.build_id_size = dso->build_id_size;
		perfdata_blob_bytes(&blob, &entry, sizeof(entry));
		perfdata_blob_bytes(&blob, dso->name, dso->name_size);
	}
	return perfdata_write_feature(w, PERFDATA_BUILD_ID, &blob, err);
}
