// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

int error_set(struct error *err, int code, const char *format, ...)
{
	unsigned char *c;
	va_list ap;

	if (!err)
		return code;
	va_start(ap, format);
	vsnprintf(err->text, sizeof(err->text), format, ap);
	va_end(ap);
	for (c = (unsigned char *)err->text; *c; c++)
		if (*c < ' ' || *c == 0x7f)
			*c = '?';
	return code;
}
