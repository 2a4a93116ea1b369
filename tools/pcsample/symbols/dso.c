// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>

#include "symbols/dso.h"
#include "symbols/jitdump.h"

/* The entry of a path or name; NULL if out of memory */
static struct dso_text *text_of(struct dso_table *t, u32 id)
{
	size_t before = t->texts;

	if (unlikely(id >= before)) {
		if (mem_grow(&t->text, &t->texts, id + 1))
			return NULL;
		memset(t->text + before, 0, (t->texts - before) * sizeof(*t->text));
	}
	return &t->text[id];
}

static int add_dso(struct dso_table *t, enum dso_kind kind, const char *path, const char *name)
{
	int name_id = intern_add(t->strings, name, strlen(name));
	int path_id = intern_add(t->strings, path, strlen(path));
	struct dso *dso = calloc(1, sizeof(*dso));
	struct dso_text *text;

	if (!dso || name_id < 0 || path_id < 0 || mem_grow(&t->dso, &t->cap, t->nr + 1))
		goto no_memory;
	text = text_of(t, name_id);
	if (!text)
		goto no_memory;
	if (!text->named)
		text->named = t->nr + 1;
	dso->kind = kind;
	dso->path = path;
	dso->name = name;
	dso->alike = text->named - 1;
	text = text_of(t, path_id);
	if (!text)
		goto no_memory;
	dso->next_of_path = text->at - 1;
	text->at = t->nr + 1;
	dso->pid = -1;
	pthread_mutex_init(&dso->lock, NULL);
	t->dso[t->nr] = dso;
	return t->nr++;

no_memory:
	free(dso);
	return -ENOMEM;
}

size_t dso_table_bytes(const struct dso_table *t)
{
	return t->nr * sizeof(**t->dso) + t->cap * sizeof(*t->dso) + idmap_bytes(&t->by_key) +
	       t->texts * sizeof(*t->text) + intern_bytes(t->strings);
}

/*
 * Allocate the text only on failure: a struct error in each DSO would be larger than the rest of
 * the DSO
 */
int dso_fail(struct dso *dso, int code, const char *format, ...)
{
	char text[sizeof(((struct error *)0)->text)];
	struct error err;
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	error_set(&err, code, "%s", text);
	free(dso->problem);
	dso->problem = strdup(err.text);
	return code;
}

int dso_table_init(struct dso_table *t, struct intern *strings)
{
	memset(t, 0, sizeof(*t));
	t->strings = strings;
	if (add_dso(t, DSO_UNKNOWN, "[unknown]", "[unknown]") < 0 ||
	    add_dso(t, DSO_KERNEL, "[kernel.kallsyms]", "[kernel.kallsyms]") < 0 ||
	    add_dso(t, DSO_UNKNOWN, "[hypervisor]", "[hypervisor]") < 0 ||
	    add_dso(t, DSO_UNKNOWN, "[guest]", "[guest]") < 0)
		return -ENOMEM;
	return 0;
}

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Names the kernel gives to mappings without a file */
static enum dso_kind kind_of_path(const char *path)
{
	if (!strcmp(path, "//anon") || starts_with(path, "/dev/zero") ||
	    starts_with(path, "/anon_hugepage") || starts_with(path, "/memfd:") ||
	    starts_with(path, "[anon:"))
		return DSO_GENERATED;
	if (!strcmp(path, "[vdso]"))
		return DSO_VDSO;
	if (jitdump_is_path(path))
		return DSO_JITDUMP;
	if (path[0] == '[' || starts_with(path, "/SYSV") || starts_with(path, "anon_inode:"))
		return DSO_NONE;
	return DSO_FILE;
}

/* Keep the kind of each path: paths are few, and mapped again and again */
static int kind_of_id(struct dso_table *t, u32 path)
{
	struct dso_text *text = text_of(t, path);

	if (!text)
		return -ENOMEM;
	if (!text->kind)
		text->kind = kind_of_path(intern_text(t->strings, path)) + 1;
	return text->kind - 1;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static u64 map_key(int path, s32 pid, const struct build_id *id, u64 inode)
{
	u64 h = hash64(((u64)(u32)pid << 32) | (u32)path);
	u8 bytes[24] = { 0 };

	if (id && id->size) {
		memcpy(bytes, id->bytes, BUILD_ID_MAX);
		h = hash64(h ^ load64(bytes));
		h = hash64(h ^ load64(bytes + 8));
		return hash64(h ^ load64(bytes + 16) ^ 1);
	}
	return hash64(h ^ inode << 1);
}

int dso_table_map(struct dso_table *t, const char *path, size_t len, s32 pid, u64 mount_ns,
		  const struct build_id *id, u64 inode)
{
	int path_id = intern_add(t->strings, path, len), kind, name_id, index;
	s32 mapper = pid;
	const char *text, *name;
	char buf[64];
	u64 key;

	if (path_id < 0)
		return path_id;
	kind = kind_of_id(t, path_id);
	if (kind < 0)
		return kind;
	text = intern_text(t->strings, path_id);
	/* A program that runs from memory, as runc does; made code has no build id */
	if (kind == DSO_GENERATED && id && id->size && starts_with(text, "/memfd:"))
		kind = DSO_FILE;
	if (kind != DSO_GENERATED)
		pid = -1;
	if (kind != DSO_FILE)
		inode = 0;
	key = map_key(path_id, pid, id, inode ? inode ^ mount_ns << 32 :
			    kind == DSO_JITDUMP ? mount_ns : 0);
	index = idmap_get(&t->by_key, key);
	if (index != (int)IDMAP_NONE)
		return index;
	text = intern_text(t->strings, path_id);
	name = base_name(text);
	if (kind == DSO_GENERATED && !starts_with(text, "/memfd:")) {
		/* perf's names for it; the number is a process */
		snprintf(buf, sizeof(buf), "[JIT] tid %d", pid);
		name_id = intern_add(t->strings, buf, strlen(buf));
		snprintf(buf, sizeof(buf), "/tmp/perf-%d.map", pid);
		path_id = intern_add(t->strings, buf, strlen(buf));
		if (name_id < 0 || path_id < 0)
			return -ENOMEM;
		name = intern_text(t->strings, name_id);
		text = intern_text(t->strings, path_id);
	}
	index = add_dso(t, kind, text, name);
	if (index < 0 || idmap_set(&t->by_key, key, index))
		return -ENOMEM;
	t->dso[index]->pid = pid;
	t->dso[index]->inode = inode;
	t->dso[index]->mapper = mapper;
	t->dso[index]->mount_ns = mount_ns;
	if (id)
		t->dso[index]->build_id = *id;
	return index;
}

/* "/lib/modules/6.12.0/kernel/fs/ext4/ext4.ko.xz" is module ext4; '-' in file names is '_' */
static int module_name(struct dso_table *t, const char *path)
{
	const char *base = base_name(path), *dot = strstr(base, ".ko");
	char name[80];
	size_t i, len;

	if (base[0] == '[')
		return intern_add(t->strings, base, strlen(base));
	len = min(dot ? (size_t)(dot - base) : strlen(base), sizeof(name) - 2);
	name[0] = '[';
	for (i = 0; i < len; i++)
		name[i + 1] = base[i] == '-' ? '_' : base[i];
	name[len + 1] = ']';
	return intern_add(t->strings, name, len + 2);
}

int dso_table_kernel_map(struct dso_table *t, const char *path, size_t len, enum dso_kind kind,
			 const struct build_id *id)
{
	int path_id = intern_add(t->strings, path, len), name_id, index;
	u64 key;

	if (path_id < 0)
		return path_id;
	name_id = path_id;
	if (kind == DSO_MODULE)
		name_id = module_name(t, intern_text(t->strings, path_id));
	if (name_id < 0)
		return name_id;
	key = map_key(name_id, -2 - kind, NULL, 0);
	index = idmap_get(&t->by_key, key);
	if (index != (int)IDMAP_NONE)
		return index;
	index = add_dso(t, kind, intern_text(t->strings, path_id),
			intern_text(t->strings, name_id));
	if (index < 0 || idmap_set(&t->by_key, key, index))
		return -ENOMEM;
	if (id)
		t->dso[index]->build_id = *id;
	return index;
}

int dso_table_image(struct dso_table *t, const char *path)
{
	int path_id = intern_add(t->strings, path, strlen(path)), index;
	u64 key;

	if (path_id < 0)
		return path_id;
	path = intern_text(t->strings, path_id);
	key = map_key(path_id, -2 - DSO_IMAGE, NULL, 0);
	index = idmap_get(&t->by_key, key);
	if (index != (int)IDMAP_NONE)
		return index;
	index = add_dso(t, DSO_IMAGE, path, base_name(path));
	return index < 0 || idmap_set(&t->by_key, key, index) ? -ENOMEM : index;
}

int dso_table_set_build_id(struct dso_table *t, const char *path, const struct build_id *id)
{
	int path_id = intern_add(t->strings, path, strlen(path));
	u32 first, i;

	if (path_id < 0)
		return path_id;
	first = path_id < t->texts ? t->text[path_id].at - 1 : IDMAP_NONE;
	for (i = first; i != IDMAP_NONE; i = t->dso[i]->next_of_path)
		if (!t->dso[i]->build_id.size && t->dso[i]->kind != DSO_IMAGE &&
		    i != DSO_INDEX_UNKNOWN)
			t->dso[i]->build_id = *id;
	/*
	 * All later DSOs of the path have a build id now; cut them off, since a list may name a
	 * path again and again.
	 */
	if (first != IDMAP_NONE)
		t->dso[first]->next_of_path = IDMAP_NONE;
	return 0;
}
