// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>

#include "base/proc-files.h"
#include "base/text-file.h"
#include "symbols/kallsyms-cache.h"
#include "symbols/live-names.h"
#include "symbols/load.h"

#define MAPS_MAX (64U << 20)

int live_names_init(struct live_names *l)
{
	struct kallsyms *k = &l->dsos.kallsyms;
	int ret;

	memset(l, 0, sizeof(*l));
	names_init(&l->names, true);
	ret = dso_table_init(&l->dsos, &l->strings);
	if (ret) {
		live_names_deinit(l);
		return ret;
	}
	if (kallsyms_read_running(k, &l->no_kernel))
		return 0;
	l->module = calloc(k->nr_modules, sizeof(*l->module));
	l->read = calloc(k->nr_modules, sizeof(*l->read));
	if (l->module && l->read)
		return 0;
	live_names_deinit(l);
	return -ENOMEM;
}

void live_names_deinit(struct live_names *l)
{
	size_t i;

	for (i = 0; l->module && i < l->dsos.kallsyms.nr_modules; i++)
		symtab_deinit(&l->module[i]);
	free(l->module);
	free(l->read);
	names_deinit(&l->names);
	dso_table_deinit(&l->dsos);
	intern_deinit(&l->strings);
	memset(l, 0, sizeof(*l));
}

static bool name_in(char *text, const struct symtab *st, u64 addr, const char *behind, int len)
{
	u32 sym = symtab_find(st, addr);

	if (sym == SYM_NONE)
		return false;
	snprintf(text, LIVE_NAME_MAX, "%s+0x%" PRIx64 "%.*s", symtab_name(st, sym),
		 addr - st->syms[sym].start, len, behind);
	return true;
}

bool live_name_kernel(struct live_names *l, u64 addr, char *text)
{
	const struct kallsyms *k = &l->dsos.kallsyms;
	const struct kallsyms_module *m;
	char name[80], behind[96];
	size_t i;

	text[0] = '\0';
	for (i = 0; i < k->nr_modules; i++) {
		m = &k->module[i];
		if (addr < m->start || addr >= ALIGN_UP(m->end, 4096))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)m->name_len, m->name ? m->name : "");
		if (!l->read[i])
			kallsyms_symtab(k, m->name ? name : NULL, &l->module[i]);
		l->read[i] = true;
		snprintf(behind, sizeof(behind), m->name ? " [%s]" : "%s", name);
		if (name_in(text, &l->module[i], addr, behind, sizeof(behind)))
			return true;
	}
	return false;
}

/* "aaaa0000-aaaa1000 r-xp 00000000 fe:00 1234   /usr/bin/prog" */
static bool find_map(char *text, u64 addr, u64 *offset, u64 *inode, const char **path)
{
	u64 start, end;
	char *line, exec;
	int at;

	while ((line = strsep(&text, "\n"))) {
		at = 0;
		if (sscanf(line,
			   "%" SCNx64 "-%" SCNx64 " %*c%*c%c%*c %" SCNx64 " %*s %" SCNu64 " %n",
			   &start, &end, &exec, offset, inode, &at) < 5 || !at)
			continue;
		if (addr < start || addr >= end)
			continue;
		*offset += addr - start;
		*path = line + at;
		return true;
	}
	return false;
}

bool live_name_user(struct live_names *l, s32 pid, u64 addr, char *text)
{
	struct mapped_inode inode = { 0 };
	u64 offset;
	char path[64], behind[300], number[16], *maps;
	const char *file;
	struct dso *dso;
	size_t size;
	bool found;
	int index;

	text[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	if (sysfs_slurp(&maps, &size, MAPS_MAX, path))
		return false;
	found = find_map(maps, addr, &offset, &inode.number, &file);
	file = found && *file ? file : "//anon";
	snprintf(number, sizeof(number), "%d", pid);
	index = found ? dso_table_map(&l->dsos, file, strlen(file), pid, live_mount_ns(number),
				      NULL, &inode) : -1;
	if (index >= 0) {
		dso = l->dsos.dso[index];
		dso_load(&l->dsos, dso);
		snprintf(behind, sizeof(behind), " (%s)", dso->name);
		if (!name_in(text, &dso->symtab, dso->kind == DSO_GENERATED ? addr : offset,
			     behind, sizeof(behind)))
			snprintf(text, LIVE_NAME_MAX, "0x%" PRIx64 "%s", offset, behind);
	}
	free(maps);
	return index >= 0;
}
