/* SPDX-License-Identifier: GPL-2.0-only */
/* Characters of texts that may be any bytes: names of threads, files and functions */
#ifndef PCSAMPLE_BASE_UTF8_H
#define PCSAMPLE_BASE_UTF8_H

/* As utf8_length(), of a text whose first byte is not ASCII */
unsigned int utf8_long(const char *text);

/* Length of the UTF-8 sequence at @text, 0 if it is none. Reads 4 bytes at most, none after NUL. */
static inline unsigned int utf8_length(const char *text)
{
	return (unsigned char)*text < 0x80 ? 1 : utf8_long(text);
}

/*
 * The same, but 0 if it controls a terminal. U+0080 to U+009F do, as ESC and a letter: U+009B is
 * what ESC [ is.
 */
unsigned int utf8_printable_length(const char *text);

#endif /* PCSAMPLE_BASE_UTF8_H */
