// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "symbols/dwarf-cache.h"
#include "symbols/dwarf.h"

void inlines_init(struct inlines *in)
{
	memset(in, 0, sizeof(*in));
	pthread_mutex_init(&in->lock, NULL);
}

void inlines_deinit(struct inlines *in)
{
	size_t i;

	for (i = 0; i < in->dsos_cap; i++)
		idmap_deinit(&in->by_addr[i]);
	free(in->by_addr);
	free(in->spot);
	free(in->call);
	idmap_deinit(&in->by_call);
	intern_deinit(&in->names);
	intern_deinit(&in->files);
	pthread_mutex_destroy(&in->lock);
	memset(in, 0, sizeof(*in));
}

static struct idmap *addresses_of(struct inlines *in, u32 dso_index)
{
	size_t had = in->dsos_cap;

	if (mem_grow(&in->by_addr, &in->dsos_cap, dso_index + 1))
		return NULL;
	memset(in->by_addr + had, 0, (in->dsos_cap - had) * sizeof(*in->by_addr));
	return &in->by_addr[dso_index];
}

static int add_call(struct inlines *in, u32 outer, const char *text, u32 *ret)
{
	int name = intern_add(&in->names, text, strlen(text));
	u64 key = (u64)(outer + 1) << 32 | (u32)name;

	if (name < 0)
		return name;
	*ret = idmap_element(&in->by_call, key, &in->call, &in->nr, &in->cap);
	if (*ret == IDMAP_NONE)
		return -ENOMEM;
	in->call[*ret] = (struct inlined_call){ .outer = outer, .name = name };
	return 0;
}

static int add_file(struct inlines *in, const struct source_frame *f, struct source_spot *spot)
{
	const char *slash = strrchr(f->file, '/'), *name = slash ? slash + 1 : f->file;
	int path, file = intern_add(&in->files, name, strlen(name));
	char *full = NULL;

	if (f->dir && f->file[0] != '/' && asprintf(&full, "%s/%s", f->dir, f->file) < 0)
		return -ENOMEM;
	if (!full)
		full = strdup(f->file);
	path = full ? intern_add(&in->files, full, strlen(full)) : -ENOMEM;
	free(full);
	if (path < 0 || file < 0)
		return -ENOMEM;
	spot->path = path;
	spot->file = file;
	return 0;
}

static const struct source_spot nothing = {
	.call = INLINED_NOTHING,
	.inlined = INLINED_NOTHING,
	.path = NO_SOURCE_FILE,
	.file = NO_SOURCE_FILE,
};

static int look_up(struct inlines *in, struct dso *dso, u64 addr, struct source_spot *spot)
{
	struct source_frame frame[SOURCE_FRAMES_MAX];
	unsigned int i = source_find(dso, addr, frame);
	int err = 0;

	*spot = nothing;
	if (!i)
		return 0;
	if (frame[0].file) {
		err = add_file(in, &frame[0], spot);
		spot->line = frame[0].line;
	}
	/* The last frame is the function that the others were inlined into */
	for (i--; i-- && !err; )
		err = add_call(in, spot->call, frame[i].name ? frame[i].name : "[unknown]",
			       &spot->call);
	if (!err && spot->call != INLINED_NOTHING)
		spot->inlined = in->call[spot->call].name;
	return err;
}

static int find(struct inlines *in, struct dso *dso, u32 dso_index, u64 addr,
		struct source_spot *ret)
{
	struct idmap *known = addresses_of(in, dso_index);
	u32 index = known ? idmap_get(known, addr) : IDMAP_NONE;

	if (index != IDMAP_NONE) {
		*ret = in->spot[index];
		return 0;
	}
	if (!known || look_up(in, dso, addr, ret) ||
	    mem_grow(&in->spot, &in->spots_cap, in->nr_spots + 1) ||
	    idmap_set(known, addr, in->nr_spots))
		return -ENOMEM;
	in->spot[in->nr_spots++] = *ret;
	return 0;
}

int inlines_find(struct inlines *in, struct dso *dso, u32 dso_index, u64 addr,
		 struct source_spot *ret)
{
	int err;

	*ret = nothing;
	if (!source_known(dso))
		return 0;
	pthread_mutex_lock(&in->lock);
	err = find(in, dso, dso_index, addr, ret);
	pthread_mutex_unlock(&in->lock);
	return err;
}
