/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PCS_TEST_SLAB_H
#define PCS_TEST_SLAB_H

#include <stdlib.h>

#define GFP_KERNEL	0
#define kfree(memory)	free(memory)

static inline void *kcalloc(size_t nr, size_t size, unsigned int flags)
{
	(void)flags;
	return calloc(nr, size);
}

#define kvfree(memory)	free(memory)

static inline void *kvzalloc(size_t size, unsigned int flags)
{
	return kcalloc(1, size, flags);
}

#endif /* PCS_TEST_SLAB_H */
