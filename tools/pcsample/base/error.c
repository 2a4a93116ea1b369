// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

void clean_text(char *text, size_t len)
{
	for (; len--; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
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
