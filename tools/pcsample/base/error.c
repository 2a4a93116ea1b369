// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"

/* A character has 4 bytes at most: do not look for more of it behind the text */
static unsigned int length_within(const char *text, size_t len)
{
	char last[4] = "";

	if (len >= sizeof(last))
		return utf8_printable_length(text);
	memcpy(last, text, len);
	return utf8_printable_length(last);
}

void clean_text(char *text, size_t len)
{
	unsigned int n;

	for (; len; text += n, len -= n) {
		n = length_within(text, len);
		if (!n) {
			*text = '?';
			n = 1;
		}
	}
}

/*
 * A message of @len bytes is too long, as of a long path: the reason is at its end. Without memory,
 * @err has the beginning.
 */
static void drop_middle(struct error *err, int len, const char *format, va_list ap)
{
	static const char dots[] = "...";
	const size_t half = (sizeof(err->text) - sizeof(dots)) / 2;
	char *whole = malloc(len + 1);

	if (!whole)
		return;
	vsnprintf(whole, len + 1, format, ap);
	memcpy(err->text + half, dots, sizeof(dots) - 1);
	memcpy(err->text + half + sizeof(dots) - 1, whole + len - half, half + 1);
	free(whole);
}

int error_set(struct error *err, int code, const char *format, ...)
{
	va_list ap;
	int len;

	if (!err)
		return code;
	va_start(ap, format);
	len = vsnprintf(err->text, sizeof(err->text), format, ap);
	va_end(ap);
	if (len >= (int)sizeof(err->text)) {
		va_start(ap, format);
		drop_middle(err, len, format, ap);
		va_end(ap);
	}
	clean_text(err->text, strlen(err->text));
	return code;
}
