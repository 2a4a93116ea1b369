/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffered text output, formatted by hand: with printf() a large report would spend most of its
 * time there.
 */
#ifndef PCSAMPLE_BASE_OUT_H
#define PCSAMPLE_BASE_OUT_H

#include "base/array.h"

#define OUT_BYTES	(1 << 16)
#define OUT_ITEM_MAX	512	/* the most that one call below writes; out_text() takes any size */

/**
 * struct out - where text goes
 * @fd: file descriptor
 * @used: bytes in @buf that are not yet written
 * @error: negative errno of the first write that failed; nothing is written after it
 */
struct out {
	int fd;
	int error;
	size_t used;
	char buf[OUT_BYTES];
};

void out_init(struct out *o, int fd);

/* Write what is buffered. Return: 0 or the negative errno of the first failure. */
int out_flush(struct out *o);

/* Room for @n <= OUT_BYTES bytes at the returned place; tell by out_took() how many were used */
static inline char *out_room(struct out *o, size_t n)
{
	if (unlikely(o->used + n > OUT_BYTES))
		out_flush(o);
	return o->buf + o->used;
}

static inline void out_took(struct out *o, size_t n)
{
	o->used += n;
}

static inline void out_char(struct out *o, char c)
{
	*out_room(o, 1) = c;
	out_took(o, 1);
}

void out_long(struct out *o, const char *text, size_t len);

static inline void out_bytes(struct out *o, const char *text, size_t len)
{
	if (unlikely(len > OUT_ITEM_MAX)) {
		out_long(o, text, len);
		return;
	}
	memcpy(out_room(o, len), text, len);
	out_took(o, len);
}

static inline void out_text(struct out *o, const char *text)
{
	out_bytes(o, text, strlen(text));
}

/* Spaces up to @n columns */
void out_spaces(struct out *o, size_t n);

/* @text, then spaces to @width columns */
void out_left(struct out *o, const char *text, size_t width);

/* Decimal, right aligned in @width columns */
void out_u64(struct out *o, u64 v, unsigned int width);
void out_s64(struct out *o, s64 v, unsigned int width);

/* A number behind a text */
static inline void out_number(struct out *o, const char *before, u64 v)
{
	out_text(o, before);
	out_u64(o, v, 0);
}

/* 0x and the last @digits digits, 16 or less */
void out_hex(struct out *o, u64 v, unsigned int digits);

/* private */
typedef u8 out_text16 __attribute__((vector_size(16)));
typedef s8 out_numbers16 __attribute__((vector_size(16)));

/* private: spread four bits to each byte, then make letters of all bytes at once */
static inline out_text16 out_hex_digits(u64 v)
{
	const u64 __attribute__((vector_size(16))) word = { __builtin_bswap64(v) };
	out_text16 bytes = (out_text16)word, nibbles;

	nibbles = __builtin_shufflevector(bytes >> 4, bytes & 15, 0, 16, 1, 17, 2, 18, 3, 19,
					  4, 20, 5, 21, 6, 22, 7, 23);
	return nibbles + '0' + ((out_text16)((out_numbers16)nibbles > 9) & ('a' - '0' - 10));
}

/* "%16x" of @v at @to, which is not terminated */
static inline void out_hex_right(char *to, u64 v)
{
	static const u8 to_space[2 * sizeof(out_text16)] = { [0 ... 15] = '0' - ' ' };
	unsigned int zeros = __builtin_clzll(v | 1) / 4;
	out_text16 digits = out_hex_digits(v), leading;

	memcpy(&leading, to_space + sizeof(leading) - zeros, sizeof(leading));
	digits -= leading;
	memcpy(to, &digits, sizeof(digits));
}

/* Decimal with thousands separators */
void out_grouped(struct out *o, u64 v);

/* A number with thousands separators between two texts */
void out_count(struct out *o, const char *before, u64 v, const char *after);

/* A number that is not negative with up to 9 @decimals, right aligned in @width columns */
void out_fixed(struct out *o, double v, unsigned int decimals, unsigned int width);

/* @text as the inside of a JSON string: escaped, and bytes that are no UTF-8 replaced */
void out_json(struct out *o, const char *text);

/*
 * @text for a terminal: bytes that control it, or are no UTF-8, replaced by '?'. The @len bytes are
 * followed by ASCII or a NUL.
 */
void out_clean_bytes(struct out *o, const char *text, size_t len);

/* The same, of a whole text, left aligned in @width columns */
void out_clean(struct out *o, const char *text, size_t width);

#endif /* PCSAMPLE_BASE_OUT_H */
