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
	text->told = false;
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

/* @key: of a mapping whose generation is not known */
static u64 generation_key(u64 key, u64 generation)
{
	return hash64(key ^ generation);
}

/*
 * The DSO of an inode with this generation, or IDMAP_NONE. perf and snapshot.c write 0 as the
 * generation of what was mapped before the recording: it is taken for the one known generation.
 */
static u32 find_generation(const struct dso_table *t, u64 key, u64 generation)
{
	u32 index = idmap_get(&t->by_key, key);

	if (index == IDMAP_NONE || !generation || !t->dso[index]->generation ||
	    t->dso[index]->generation == generation)
		return index;
	return idmap_get(&t->by_key, generation_key(key, generation));
}

static bool same_number(const struct dso *a, const struct dso *b)
{
	return a->inode && a->inode == b->inode &&
	       (!a->generation || !b->generation || a->generation == b->generation);
}

bool dso_same_inode(const struct dso *a, const struct dso *b)
{
	return same_number(a, b) && (!a->device || !b->device || a->device == b->device);
}

bool dso_is_file(const struct dso *dso, const struct dso *found)
{
	return same_number(dso, found) && (!dso->twin || dso->device == found->device);
}

#define ANY_DEVICE (~0ULL)

/* @key: of a mapping whose device is not known */
static u64 device_key(u64 key, u64 device)
{
	return device ? hash64(key ^ hash64(device)) : key;
}

/* @key: of a mapping of this DSO if its device were not known */
static int find_twin(struct dso_table *t, u32 index, u64 key)
{
	u32 other;

	key = device_key(key, ANY_DEVICE);
	other = idmap_get(&t->by_key, key);
	if (other == IDMAP_NONE)
		return idmap_set(&t->by_key, key, index);
	if (t->dso[other]->device != t->dso[index]->device) {
		t->dso[other]->twin = true;
		t->dso[index]->twin = true;
	}
	return 0;
}

/* Remember a mapping of a DSO. @key leads to the one mapped last of all generations */
static int note_mapped(struct dso_table *t, u32 path, u32 index, u64 key, u64 generation)
{
	struct dso_text *text = &t->text[path];
	struct dso *dso = t->dso[index];

	if (text->mapped && dso->mapped && !dso_same_inode(dso, t->dso[text->mapped - 1]))
		text->side_by_side = true;
	text->mapped = index + 1;
	dso->mapped = true;
	if (!generation || (dso->generation == generation && idmap_get(&t->by_key, key) == index))
		return index;
	dso->generation = generation;
	if (idmap_set(&t->by_key, key, index) ||
	    idmap_set(&t->by_key, generation_key(key, generation), index))
		return -ENOMEM;
	return index;
}

int dso_table_map(struct dso_table *t, const char *path, size_t len, s32 pid, u64 mount_ns,
		  const struct build_id *id, const struct mapped_inode *inode)
{
	struct mapped_inode at = { 0 };
	int mapped_path = intern_add(t->strings, path, len), path_id = mapped_path, kind, name_id;
	s32 mapper = pid;
	const char *text, *name;
	char buf[64];
	u64 key, any_device;
	int index;

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
	if (kind == DSO_FILE && inode && inode->number)
		at = *inode;
	any_device = map_key(path_id, pid, id, at.number ? at.number ^ mount_ns << 32 :
			     kind == DSO_JITDUMP ? mount_ns : 0);
	key = device_key(any_device, at.device);
	index = find_generation(t, key, at.generation);
	if (index != (int)IDMAP_NONE)
		return note_mapped(t, path_id, index, key, at.generation);
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
	t->dso[index]->inode = at.number;
	t->dso[index]->device = at.device;
	t->dso[index]->mapper = mapper;
	t->dso[index]->mount_ns = mount_ns;
	if (id)
		t->dso[index]->build_id = *id;
	if (at.device && find_twin(t, index, any_device))
		return -ENOMEM;
	return note_mapped(t, mapped_path, index, key, at.generation);
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

/* Which DSOs of a path get the build id that the header has for it */
struct heirs {
	bool all, none;
	const struct dso *like;	/* otherwise, those with this one's inode */
};

static struct heirs heirs_of(const struct dso_table *t, const struct dso_text *text,
			     const struct build_id *id)
{
	const struct dso *last = text->mapped ? t->dso[text->mapped - 1] : NULL, *dso;
	struct heirs h = { .all = true, .like = last };
	u32 i;

	for (i = text->at - 1; i != IDMAP_NONE; i = dso->next_of_path) {
		dso = t->dso[i];
		if (dso->build_id.size && !build_id_same(&dso->build_id, id))
			h.none = true;
		if (last && last->inode && dso->inode && !dso_same_inode(dso, last))
			h.all = false;
		if (text->side_by_side)
			h.like = dso;
	}
	return h;
}

/* A DSO of the path gets the build id that the header has for it */
static void inherit(struct dso_table *t, struct dso_text *text, u32 index,
		    const struct build_id *id, bool guess)
{
	t->dso[index]->build_id = *id;
	t->dso[index]->guessed = guess;
	if (guess)
		text->guessed = index + 1;
}

/* Without a build id, files are known by their inodes */
static void take_back_guesses(struct dso_table *t, struct dso_text *text)
{
	struct dso *dso;
	u32 i;

	for (i = text->at - 1; i != IDMAP_NONE; i = dso->next_of_path) {
		dso = t->dso[i];
		if (dso->guessed)
			dso->build_id = (struct build_id){ 0 };
		dso->guessed = false;
	}
	text->guessed = 0;
}

int dso_table_set_build_id(struct dso_table *t, const char *path, const struct build_id *id)
{
	int path_id = intern_add(t->strings, path, strlen(path));
	struct dso_text *text;
	struct heirs heirs;
	struct dso *dso;
	u32 i;

	if (path_id < 0)
		return path_id;
	if (path_id >= t->texts || !t->text[path_id].at)
		return 0;
	text = &t->text[path_id];
	/*
	 * Look at the DSOs twice at most, since a list may name a path again and again. With a
	 * second build id it is that of several files, and the order of the list does not tell
	 * which is whose.
	 */
	if (text->told) {
		if (text->guessed && !build_id_same(&t->dso[text->guessed - 1]->build_id, id))
			take_back_guesses(t, text);
		return 0;
	}
	text->told = true;
	heirs = heirs_of(t, text, id);
	for (i = text->at - 1; i != IDMAP_NONE && !heirs.none; i = dso->next_of_path) {
		dso = t->dso[i];
		if (!dso->build_id.size && dso->kind != DSO_IMAGE && i != DSO_INDEX_UNKNOWN &&
		    (heirs.all || dso_same_inode(dso, heirs.like)))
			inherit(t, text, i, id, !heirs.all);
	}
	return 0;
}

/* @found: the file that is at the path now. Return: whether it is one of those of @text */
static bool identify(struct dso_table *t, const struct dso_text *text, const struct dso *found)
{
	bool is_one = false;
	struct dso *dso;
	u32 i;

	for (i = text->at - 1; i != IDMAP_NONE; i = dso->next_of_path) {
		dso = t->dso[i];
		if (!dso_is_file(dso, found) || (dso->build_id.size && !dso->guessed))
			continue;
		dso->build_id = found->build_id;
		dso->guessed = false;
		is_one = true;
	}
	return is_one;
}

void dso_table_check_guesses(struct dso_table *t,
			     bool (*find)(const char *path, struct dso *found))
{
	struct dso_text *text;
	struct dso found, *dso;
	bool was_read;
	size_t i;

	for (i = 0; i < t->texts; i++) {
		text = &t->text[i];
		if (!text->guessed)
			continue;
		dso = t->dso[text->guessed - 1];
		found = (struct dso){ 0 };
		if (!find(dso->path, &found))
			continue;
		was_read = build_id_same(&dso->build_id, &found.build_id);
		if (identify(t, text, &found) && was_read)
			take_back_guesses(t, text);
	}
}
