/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was inlined where the samples are, read once for each address.
 */
#ifndef PCSAMPLE_LIB_INLINES_H
#define PCSAMPLE_LIB_INLINES_H

#include "lib/dso.h"

/**
 * struct inlined_call - a function that was inlined into another one
 * @outer: index of the call around it, or INLINED_NOTHING if that was not inlined itself
 * @name: id in @names, of the name as its file has it
 */
struct inlined_call {
	u32 outer;
	u32 name;
};

#define INLINED_NOTHING (~0U)

/*
 * Calls are a forest: the same functions in each other are one call, wherever they are.
 * @by_addr is by DSO, its values are indexes in @call, plus one; 0 for nothing.
 */
struct inlines {
	pthread_mutex_t lock;
	struct idmap *by_addr;
	size_t dsos_cap;
	struct inlined_call *call;
	size_t nr, cap;
	struct idmap by_call;
	struct intern names;
};

void inlines_init(struct inlines *in);
void inlines_deinit(struct inlines *in);

/**
 * inlines_find() - the innermost function that was inlined at an address
 * @dso: of index @dso_index, and loaded
 * @addr: as in struct resolved
 * @ret: takes an index in in->call, or INLINED_NOTHING; NULL if only its name is wanted
 * @name: takes the id of its name, or INLINED_NOTHING; may be NULL
 *
 * May be called from several threads, if nothing else asks for the source of @dso.
 *
 * Return: 0 or -ENOMEM.
 */
int inlines_find(struct inlines *in, struct dso *dso, u32 dso_index, u64 addr, u32 *ret,
		 u32 *name);

#endif /* PCSAMPLE_LIB_INLINES_H */
