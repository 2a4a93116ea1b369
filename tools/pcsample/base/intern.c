// SPDX-License-Identifier: GPL-2.0-only
#include "base/array.h"
#include "base/intern.h"

static u64 hash_text(const char *text, size_t len)
{
	u64 h = len;

	for (; len >= 8; text += 8, len -= 8)
		h = hash64(h ^ load64(text));
	while (len--)
		h = h * 31 + (unsigned char)*text++;
	return hash64(h);
}

static int grow_slots(struct intern *in)
{
	size_t nr = in->nr_slots ? in->nr_slots * 2 : 64, i, s;
	u32 *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (i = 0; i < in->nr; i++) {
		s = hash_text(in->texts[i], strlen(in->texts[i])) & (nr - 1);
		while (slots[s])
			s = (s + 1) & (nr - 1);
		slots[s] = i + 1;
	}
	free(in->slots);
	in->slots = slots;
	in->nr_slots = nr;
	return 0;
}

int intern_add(struct intern *in, const char *text, size_t len)
{
	const char *known;
	char *copy;
	size_t s;

	len = strnlen(text, len);
	if (2 * (in->nr + 1) > in->nr_slots && grow_slots(in))
		return -ENOMEM;
	for (s = hash_text(text, len) & (in->nr_slots - 1); in->slots[s];
	     s = (s + 1) & (in->nr_slots - 1)) {
		known = in->texts[in->slots[s] - 1];
		if (!strncmp(known, text, len) && !known[len])
			return in->slots[s] - 1;
	}
	if (mem_grow(&in->texts, &in->texts_cap, in->nr + 1))
		return -ENOMEM;
	copy = pool_alloc(&in->pool, len + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, len);
	in->texts[in->nr] = copy;
	in->slots[s] = in->nr + 1;
	return in->nr++;
}

int intern_add_key(struct intern *in, struct idmap *ids, u64 key, const char *text)
{
	int id = intern_add(in, text, strlen(text));

	return id < 0 || !idmap_set(ids, key, id) ? id : -ENOMEM;
}

void intern_deinit(struct intern *in)
{
	pool_deinit(&in->pool);
	free(in->texts);
	free(in->slots);
	memset(in, 0, sizeof(*in));
}
