// SPDX-License-Identifier: GPL-2.0-only
#include "lib/inlines.h"
#include "lib/source.h"

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
	free(in->call);
	idmap_deinit(&in->by_call);
	intern_deinit(&in->names);
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
	*ret = idmap_get(&in->by_call, key);
	if (*ret != IDMAP_NONE)
		return 0;
	if (mem_grow(&in->call, &in->cap, in->nr + 1) || idmap_set(&in->by_call, key, in->nr))
		return -ENOMEM;
	in->call[in->nr] = (struct inlined_call){
		.outer = outer,
		.name = name,
	};
	*ret = in->nr++;
	return 0;
}

static int look_up(struct inlines *in, struct dso *dso, u64 addr, u32 *ret)
{
	struct source_frame frame[SOURCE_FRAMES_MAX];
	unsigned int i = source_find(dso, addr, frame);
	int err = 0;

	*ret = INLINED_NOTHING;
	if (!i)
		return 0;
	/* The last frame is the function that the others were inlined into */
	for (i--; i-- && !err; )
		err = add_call(in, *ret, frame[i].name ? frame[i].name : "[unknown]", ret);
	return err;
}

int inlines_find(struct inlines *in, struct dso *dso, u32 dso_index, u64 addr, u32 *ret,
		 u32 *name)
{
	u32 call = INLINED_NOTHING, value;
	struct idmap *known;
	int err = 0;

	if (name)
		*name = INLINED_NOTHING;
	if (ret)
		*ret = INLINED_NOTHING;
	if (!source_known(dso))
		return 0;
	pthread_mutex_lock(&in->lock);
	known = addresses_of(in, dso_index);
	value = known ? idmap_get(known, addr) : IDMAP_NONE;
	if (value != IDMAP_NONE) {
		call = value - 1;	/* 0 is INLINED_NOTHING */
	} else {
		err = known ? look_up(in, dso, addr, &call) : -ENOMEM;
		if (!err)
			err = idmap_set(known, addr, call + 1);
	}
	if (name && call != INLINED_NOTHING)
		*name = in->call[call].name;
	if (ret)
		*ret = call;
	pthread_mutex_unlock(&in->lock);
	return err;
}
