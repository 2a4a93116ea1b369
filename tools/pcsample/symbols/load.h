/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the symbols of a DSO, from the source that its kind has.
 */
#ifndef PCSAMPLE_SYMBOLS_LOAD_H
#define PCSAMPLE_SYMBOLS_LOAD_H

#include "symbols/dso.h"

/**
 * dso_load() - make sure that a DSO's symbols are there
 *
 * May be called from several threads. Never fails: without symbols the table is empty and
 * dso->problem says why.
 */
void dso_load_slow(struct dso_table *t, struct dso *dso);

static inline void dso_load(struct dso_table *t, struct dso *dso)
{
	if (unlikely(atomic_load_explicit(&dso->state, memory_order_acquire) != DSO_LOADED))
		dso_load_slow(t, dso);
}

/* Free a table, and what dso_load() keeps open for it */
void dso_table_deinit(struct dso_table *t);

#endif /* PCSAMPLE_SYMBOLS_LOAD_H */
