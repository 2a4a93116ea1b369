/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gives each different string a small number: equal strings have equal ids.
 */
#ifndef PCSAMPLE_BASE_INTERN_H
#define PCSAMPLE_BASE_INTERN_H

#include "base/arena.h"
#include "base/idmap.h"

/*
 * Ids count from 0 in the order of first use. Texts never move, so a pointer from intern_text()
 * lives as long as the table. A table filled with zeros is empty and valid.
 */
struct intern {
	const char **texts;
	size_t nr, texts_cap;
	u32 *slots;		/* id + 1, open addressing; 0 is free */
	size_t nr_slots;	/* power of two, at least twice nr */
	struct pool pool;	/* of the texts */
};

/**
 * intern_add() - id of a string
 * @text: need not end in NUL
 * @len: its bytes
 *
 * Return: the id, or -ENOMEM.
 */
int intern_add(struct intern *in, const char *text, size_t len);

/**
 * intern_add_key() - add the text of a key that was not looked up before, as intern_key() does
 * @ids: of the keys that were looked up before; remembers the id under @key
 *
 * Return: the id, or -ENOMEM.
 */
int intern_add_key(struct intern *in, struct idmap *ids, u64 key, const char *text);

/**
 * intern_key() - id of the text of a key
 * @ids: of the keys that were looked up before
 * @text: evaluated only if @key is not in @ids, as to make a text may cost much
 *
 * Return: the id, or -ENOMEM.
 */
#define intern_key(in, ids, key, text) ({ \
	struct idmap *ids_ = (ids); \
	u64 key_ = (key); \
	u32 id_ = idmap_get(ids_, key_); \
	\
	id_ != IDMAP_NONE ? (int)id_ : intern_add_key(in, ids_, key_, text); \
})

static inline const char *intern_text(const struct intern *in, u32 id)
{
	return in->texts[id];
}

static inline size_t intern_bytes(const struct intern *in)
{
	return in->texts_cap * sizeof(*in->texts) + in->nr_slots * sizeof(*in->slots) +
	       pool_bytes(&in->pool);
}

void intern_deinit(struct intern *in);

#endif /* PCSAMPLE_BASE_INTERN_H */
