// SPDX-License-Identifier: GPL-2.0-only
#include "base/utf8.h"

/* Unicode 15, table 3-7 */
unsigned int utf8_long(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	unsigned int n, i;

	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	for (i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

unsigned int utf8_printable_length(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	unsigned int n = utf8_length(text);

	if (p[0] < ' ' || p[0] == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0))
		return 0;
	return n;
}
