/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes values from the front of a feature. If too few bytes are left, a function returns false and
 * takes nothing.
 */
#ifndef PCSAMPLE_PERFDATA_SPAN_H
#define PCSAMPLE_PERFDATA_SPAN_H

#include <stdbool.h>

#include "base/array.h"

struct perfdata_span {
	const u8 *p;
	u64 size;
};

static inline bool span_take(struct perfdata_span *s, u64 size, const u8 **p)
{
	if (size > s->size)
		return false;
	*p = s->p;
	s->p += size;
	s->size -= size;
	return true;
}

static inline bool span_take_u32(struct perfdata_span *s, u32 *v)
{
	const u8 *p;

	if (!span_take(s, 4, &p))
		return false;
	*v = load32(p);
	return true;
}

static inline bool span_take_u64(struct perfdata_span *s, u64 *v)
{
	const u8 *p;

	if (!span_take(s, 8, &p))
		return false;
	*v = load64(p);
	return true;
}

/* A u32 length, and as many bytes with a NUL in them */
static inline bool span_take_string(struct perfdata_span *s, const char **text)
{
	struct perfdata_span try = *s;
	const u8 *p;
	u32 len;

	if (!span_take_u32(&try, &len) || !span_take(&try, len, &p) || !len || !memchr(p, 0, len))
		return false;
	*s = try;
	*text = (const char *)p;
	return true;
}

#endif /* PCSAMPLE_PERFDATA_SPAN_H */
