// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "base/progress.h"
#include "symbols/cfi.h"
#include "symbols/dwarf.h"
#include "symbols/elf-symbols.h"
#include "symbols/load.h"
#include "symbols/perf-map.h"

static void load_kernel(struct dso_table *t, struct dso *dso)
{
	char name[80];
	int ret;

	if (!t->kallsyms.nr_syms)
		return;		/* the search for the list has reported why there is none */
	if (dso->kind == DSO_MODULE)
		snprintf(name, sizeof(name), "%.*s", (int)strlen(dso->name) - 2, dso->name + 1);
	ret = kallsyms_symtab(&t->kallsyms, dso->kind == DSO_MODULE ? name : NULL, &dso->symtab);
	if (ret)
		dso_fail(dso, ret, "%s: no symbols in the list of kernel symbols",
			 dso->name);
}

static void load_vdso(struct dso_table *t, struct dso *dso)
{
	if (t->vdso)
		elf_symbols_load_image(dso, t->vdso, t->vdso_size, t->symfs, t->server);
}

void dso_load_slow(struct dso_table *t, struct dso *dso)
{
	struct error err;
	int ret;

	pthread_mutex_lock(&dso->lock);
	progress("reading symbols of", dso->name, 0, 0);
	if (atomic_load_explicit(&dso->state, memory_order_relaxed) != DSO_LOADED) {
		switch (dso->kind) {
		case DSO_FILE:
			elf_symbols_load(dso, t->symfs, &t->kept, t->server);
			break;
		case DSO_IMAGE:
			elf_symbols_load(dso, NULL, &t->kept, t->server);
			break;
		case DSO_KERNEL:
		case DSO_MODULE:
			load_kernel(t, dso);
			break;
		case DSO_VDSO:
			load_vdso(t, dso);
			break;
		case DSO_GENERATED:
			ret = perf_map_load_process(&dso->symtab, t->symfs, dso->pid, &err);
			if (ret)
				dso_fail(dso, ret, "%s", err.text);
			break;
		case DSO_BPF:
		case DSO_JITDUMP:
		case DSO_UNKNOWN:
		case DSO_NONE:
			break;
		}
		if (!dso->symtab.group)
			symtab_finish(&dso->symtab);
		atomic_store_explicit(&dso->state, DSO_LOADED, memory_order_release);
	}
	pthread_mutex_unlock(&dso->lock);
}

void dso_table_deinit(struct dso_table *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++) {
		symtab_deinit(&t->dso[i]->symtab);
		source_destroy(t->dso[i]->source);
		cfi_destroy(t->dso[i]->cfi);
		elf_symbols_release(t->dso[i]);
		pthread_mutex_destroy(&t->dso[i]->lock);
		free(t->dso[i]->problem);
		free(t->dso[i]);
	}
	free(t->dso);
	free(t->text);
	idmap_deinit(&t->by_key);
	kallsyms_deinit(&t->kallsyms);
	memset(t, 0, sizeof(*t));
}
