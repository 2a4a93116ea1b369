/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the library reports failure.
 *
 * A function that can fail returns 0 (or a count) on success and a negative errno on failure,
 * and has a struct error * as its last parameter. On failure the message is one line: what
 * failed, where (file, offset), and what the user can do about it. The library neither prints
 * nor exits; the command does.
 */
#ifndef PCSAMPLE_BASE_ERROR_H
#define PCSAMPLE_BASE_ERROR_H

#include <errno.h>
#include <stddef.h>

/**
 * struct error - one line about a failure
 * @text: the message, without newline; empty until something failed
 */
struct error {
	char text[512];
};

/*
 * Replace characters that control a terminal, and bytes that are no UTF-8, by '?', as out_clean()
 * does. The text need not end with a NUL.
 */
void clean_text(char *text, size_t len);

/**
 * error_set() - note a failure
 * @err: receives the message; NULL if the caller does not want it
 * @code: negative errno
 * @format: printf-like; the result goes through clean_text()
 *
 * Return: @code, so that a function can fail with `return error_set(err, -EINVAL, ...)`.
 */
int error_set(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* PCSAMPLE_BASE_ERROR_H */
