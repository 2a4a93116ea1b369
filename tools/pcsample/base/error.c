// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
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

int error_set(struct error *err, int code, const char *format, ...)
{
	va_list ap;

	if (!err)
		return code;
	va_start(ap, format);
	vsnprintf(err->text, sizeof(err->text), format, ap);
	va_end(ap);
	clean_text(err->text, strlen(err->text));
	return code;
}
