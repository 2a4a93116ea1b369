/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has the TCG plugin insn-count count each call of some functions of the kernel.
 *
 * Usage: marked-calls FUNCTION...
 *
 * A FUNCTION is one of /proc/kallsyms, and ends where the next one begins. The plugin numbers them
 * in this order.
 */

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *const symbols = "/proc/kallsyms";

/* The next symbol of code; false at the end of the file */
static bool next_symbol(FILE *f, uint64_t *address, char name[256])
{
    char type;

    while (fscanf(f, "%" SCNx64 " %c %255s%*[^\n]", address, &type, name) == 3) {
        /* Those with a dollar tell code from data */
        if ((type == 't' || type == 'T') && *name != '$') {
            return true;
        }
    }
    return false;
}

static bool find(const char *function, uint64_t *begin, uint64_t *end)
{
    FILE *f = fopen(symbols, "r");
    uint64_t address;
    char name[256];

    *begin = 0;
    *end = UINT64_MAX;
    while (f && next_symbol(f, &address, name)) {
        if (!strcmp(name, function)) {
            *begin = address;
        }
    }
    if (f) {
        rewind(f);
    }
    while (f && next_symbol(f, &address, name)) {
        if (address > *begin && address < *end) {
            *end = address;
        }
    }
    if (f) {
        fclose(f);
    }
    return *begin && *end != UINT64_MAX;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "Usage: %s FUNCTION...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        uint64_t begin, end;

        if (!find(argv[i], &begin, &end)) {
            fprintf(stderr, "%s: %s does not name %s\n", argv[0], symbols, argv[i]);
            return 2;
        }

        register uint64_t x0 __asm__("x0") = begin;
        register uint64_t x1 __asm__("x1") = end;

        __asm__ volatile("hint #0x70" : : "r"(x0), "r"(x1));
    }
    return 0;
}
