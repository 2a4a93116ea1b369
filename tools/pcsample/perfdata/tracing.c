// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "perfdata/tracing.h"

/*
 * The section is the beginning of a trace.dat of trace-cmd, version 0.6:
 *
 *	"\027\010\104tracing", version, NUL, u8 big-endian, u8 bytes of a long, u32 bytes of a page
 *	"header_page", NUL, u64 size, text; "header_event", NUL, u64 size, text
 *	u32 number of ftrace's own events: u64 size, format
 *	u32 number of systems: name, NUL, u32 number of events: u64 size, format
 *	u32 size, kallsyms; u32 size, printk_formats
 *	u64 size, saved_cmdlines
 *
 * Numbers have the byte order of the recorded machine, even if swap.c has converted the rest of the
 * recording.
 */
#define MAGIC "\027\010\104tracing"

struct tracing {
	struct perfdata_span s;
	bool swapped;
	tracing_fn *fn;
	void *ctx;
	int ret;
};

static bool take_word(struct perfdata_span *s, const char *word, size_t size)
{
	const u8 *p;

	return span_take(s, size, &p) && !memcmp(p, word, size);
}

static bool take_name(struct perfdata_span *s, const char **name)
{
	const u8 *p, *end = memchr(s->p, 0, s->size);

	if (!end || !span_take(s, end + 1 - s->p, &p))
		return false;
	*name = (const char *)p;
	return true;
}

static bool take_u32(struct tracing *t, u32 *v)
{
	if (!span_take_u32(&t->s, v))
		return false;
	*v = t->swapped ? __builtin_bswap32(*v) : *v;
	return true;
}

static bool take_u64(struct tracing *t, u64 *v)
{
	if (!span_take_u64(&t->s, v))
		return false;
	*v = t->swapped ? __builtin_bswap64(*v) : *v;
	return true;
}

/*
 * Read the size of a text and the text. Return: false at damage, or if the callback ended reading
 */
static bool take_format(struct tracing *t, const char *system)
{
	const u8 *text;
	u64 size;

	if (!take_u64(t, &size) || !span_take(&t->s, size, &text))
		return false;
	t->ret = t->fn(t->ctx, system, (const char *)text, size);
	return !t->ret;
}

static bool skip_file(struct tracing *t)
{
	const u8 *text;
	u64 size;

	return take_u64(t, &size) && span_take(&t->s, size, &text);
}

static bool take_head(struct tracing *t, struct tracing_head *head)
{
	const char *version;
	const u8 *p;
	u32 page;

	if (!take_word(&t->s, MAGIC, sizeof(MAGIC) - 1) || !take_name(&t->s, &version) ||
	    !span_take(&t->s, 2, &p))
		return false;
	head->big_endian = p[0];
	head->long_size = p[1];
	t->swapped = head->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return take_u32(t, &page) && take_word(&t->s, "header_page", sizeof("header_page"));
}

static bool take_systems(struct tracing *t)
{
	const char *system;
	u32 systems, events;

	if (!take_u32(t, &systems))
		return false;
	while (systems--) {
		if (!take_name(&t->s, &system) || !take_u32(t, &events))
			return false;
		while (events--)
			if (!take_format(t, system))
				return false;
	}
	return true;
}

static bool take_printk(struct tracing *t)
{
	const u8 *text;
	u32 size;

	/* Skip kallsyms, which perf leaves empty */
	if (!take_u32(t, &size) || !span_take(&t->s, size, &text))
		return false;
	if (!take_u32(t, &size) || !span_take(&t->s, size, &text))
		return false;
	t->ret = t->fn(t->ctx, NULL, (const char *)text, size);
	return !t->ret;
}

static bool take_files(struct tracing *t)
{
	u32 own;

	if (!skip_file(t) ||
	    !take_word(&t->s, "header_event", sizeof("header_event")) || !skip_file(t) ||
	    !take_u32(t, &own))
		return false;
	while (own--)
		if (!take_format(t, "ftrace"))
			return false;
	return take_systems(t) && take_printk(t);
}

int tracing_read(struct perfdata_span s, struct tracing_head *head, tracing_fn *fn, void *ctx)
{
	struct tracing t = { .s = s, .fn = fn, .ctx = ctx };

	if (!take_head(&t, head))
		return -EINVAL;
	take_files(&t);
	return t.ret;
}
