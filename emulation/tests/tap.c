/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Test Anything Protocol */

#include "tap.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int tests, failures;

static bool report(bool good, const char *format, va_list ap)
{
    printf("%sok %d ", good ? "" : "not ", ++tests);
    vprintf(format, ap);
    putchar('\n');
    fflush(stdout);
    failures += !good;
    return good;
}

bool tap_ok(bool good, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    report(good, format, ap);
    va_end(ap);
    return good;
}

bool tap_is(uint64_t got, uint64_t want, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    if (!report(got == want, format, ap)) {
        tap_note("  got 0x%" PRIx64 ", expected 0x%" PRIx64, got, want);
    }
    va_end(ap);
    return got == want;
}

void tap_note(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    printf("# ");
    vprintf(format, ap);
    putchar('\n');
    fflush(stdout);
    va_end(ap);
}

void tap_bail(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    printf("Bail out! ");
    vprintf(format, ap);
    putchar('\n');
    va_end(ap);
    exit(1);
}

int tap_done(void)
{
    printf("1..%d\n", tests);
    return failures ? 1 : 0;
}
