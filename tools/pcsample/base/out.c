// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <unistd.h>

#include "base/out.h"
#include "base/progress.h"
#include "base/temporary.h"
#include "base/utf8.h"

void out_init(struct out *o, int fd)
{
	o->fd = fd;
	o->error = 0;
	o->used = 0;
}

static void write_out(struct out *o, const char *p, size_t n)
{
	if (o->fd == STDOUT_FILENO)
		progress_output();
	if (!o->error && write_all(o->fd, p, n) < n)
		o->error = -errno;
}

int out_flush(struct out *o)
{
	write_out(o, o->buf, o->used);
	o->used = 0;
	return o->error;
}

void out_long(struct out *o, const char *text, size_t len)
{
	out_flush(o);
	write_out(o, text, len);
}

void out_spaces(struct out *o, size_t n)
{
	size_t part;

	if (likely(n <= 64)) {
		memset(out_room(o, 64), ' ', 64);
		out_took(o, n);
		return;
	}
	for (; n; n -= part) {
		part = min(n, (size_t)OUT_ITEM_MAX);
		memset(out_room(o, part), ' ', part);
		out_took(o, part);
	}
}

void out_left(struct out *o, const char *text, size_t width)
{
	size_t len = strlen(text);

	out_bytes(o, text, len);
	if (len < width)
		out_spaces(o, width - len);
}

/* Is one of the eight bytes not from ' ' to '~'? */
static bool has_unprintable(u64 v)
{
	const u64 ones = 0x0101010101010101ULL, tops = ones << 7;
	u64 del = v ^ 0x7f * ones;

	return ((v - 0x20 * ones) & tops) | ((del - ones) & ~del & tops) | (v & tops);
}

void out_clean_bytes(struct out *o, const char *text, size_t len)
{
	bool unprintable = false;
	u64 last = 0x2020202020202020ULL;
	size_t i, n;

	for (i = 0; i + 8 <= len; i += 8)
		unprintable |= has_unprintable(load64(text + i));
	memcpy(&last, text + i, len - i);
	if (likely(!(unprintable | has_unprintable(last)))) {
		out_bytes(o, text, len);
		return;
	}
	for (i = 0; i < len; i += n) {
		n = utf8_printable_length(text + i);
		if (n) {
			out_bytes(o, text + i, n);
		} else {
			out_char(o, '?');
			n = 1;
		}
	}
}

void out_clean(struct out *o, const char *text, size_t width)
{
	size_t len = strlen(text);

	out_clean_bytes(o, text, len);
	if (len < width)
		out_spaces(o, width - len);
}

/* Digits of @v at the end of @end; returns where they begin */
static char *digits(char *end, u64 v)
{
	do {
		end--;
		*end = '0' + v % 10;
	} while (v /= 10);
	return end;
}

static void out_right(struct out *o, const char *text, size_t len, unsigned int width)
{
	if (len < width)
		out_spaces(o, width - len);
	out_bytes(o, text, len);
}

void out_u64(struct out *o, u64 v, unsigned int width)
{
	char buf[20], *p = digits(buf + sizeof(buf), v);

	out_right(o, p, buf + sizeof(buf) - p, width);
}

void out_s64(struct out *o, s64 v, unsigned int width)
{
	char buf[21], *p = digits(buf + sizeof(buf), v < 0 ? 0 - (u64)v : (u64)v);

	if (v < 0)
		*--p = '-';
	out_right(o, p, buf + sizeof(buf) - p, width);
}

void out_hex(struct out *o, u64 v, unsigned int nr)
{
	out_text16 digits = out_hex_digits(v);
	char *p = out_room(o, 2 + sizeof(digits));

	p[0] = '0';
	p[1] = 'x';
	memcpy(p + 2, (char *)&digits + sizeof(digits) - nr, nr);
	out_took(o, 2 + nr);
}

void out_grouped(struct out *o, u64 v)
{
	char buf[27], *p = buf + sizeof(buf);
	unsigned int n = 0;

	do {
		if (n && n % 3 == 0)
			*--p = ',';
		*--p = '0' + v % 10;
		n++;
	} while (v /= 10);
	out_bytes(o, p, buf + sizeof(buf) - p);
}

void out_count(struct out *o, const char *before, u64 v, const char *after)
{
	out_text(o, before);
	out_grouped(o, v);
	out_text(o, after);
}

void out_fixed(struct out *o, double value, unsigned int decimals, unsigned int width)
{
	static const double scale[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };
	u64 v = value * scale[decimals] + 0.5;
	char buf[32], *p = buf + sizeof(buf);
	unsigned int i;

	for (i = 0; i < decimals; i++, v /= 10)
		*--p = '0' + v % 10;
	if (decimals)
		*--p = '.';
	p = digits(p, v);
	out_right(o, p, buf + sizeof(buf) - p, width);
}

/* Behind a '<', '/' and '!' are escaped, too: no text can end the <script> that the JSON is in */
void out_json(struct out *o, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	static const char hex[] = "0123456789abcdef";
	unsigned char after = 0;
	unsigned int n;

	while (*p) {
		n = utf8_length((const char *)p);
		if (!n) {
			out_bytes(o, "\xef\xbf\xbd", 3);	/* U+FFFD */
			p++;
			continue;
		}
		if (*p == '"' || *p == '\\' || (*p == '/' && after == '<')) {
			out_char(o, '\\');
			out_char(o, *p);
		} else if (*p < ' ' || *p == 0x7f || (*p == '!' && after == '<')) {
			out_bytes(o, "\\u00", 4);
			out_char(o, hex[*p >> 4]);
			out_char(o, hex[*p & 0xf]);
		} else {
			out_bytes(o, (const char *)p, n);
		}
		after = *p;
		p += n;
	}
}
