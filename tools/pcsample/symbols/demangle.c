// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#if HAVE_IBERTY
#include <libiberty/demangle.h>
#endif

#include "symbols/demangle.h"

/* Longer names are taken for an attack on the demangler */
#define NAME_MAX_BYTES 8192

/* Behind the names of stubs of the procedure linkage table, symbols/elf-symbols.c */
#define STUB "@plt"

#if HAVE_IBERTY
static char *demangle_source(const char *name)
{
	/* parameters are left out, as perf does: names get too long to read with them */
	const int options = DMGL_NO_OPTS;

	if (name[1] == 'R')
		return rust_demangle(name, options);
	if (name[1] == 'D')
		return dlang_demangle(name, options);
	/* Rust's older scheme is C++'s with a hash at the end, "17h" and 16 digits */
	return cplus_demangle(name, options | (strstr(name, "17h") ? DMGL_AUTO : DMGL_GNU_V3));
}

/*
 * The symbol of a PLT stub is FUNCTION@plt. The demanglers either refuse that name or silently drop
 * the suffix, and then the stub has the name of its function: so the part before the suffix is
 * demangled, and the suffix put back.
 */
static char *demangle_stub(const char *name, size_t len)
{
	char *function = strndup(name, len), *text, *longer = NULL;

	text = function ? demangle_source(function) : NULL;
	free(function);
	if (text)
		longer = realloc(text, strlen(text) + sizeof(STUB));
	if (longer)
		strcat(longer, STUB);
	else
		free(text);
	return longer;
}

char *demangle(const char *name)
{
	const size_t len = strnlen(name, NAME_MAX_BYTES), stub = sizeof(STUB) - 1;

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R' && name[1] != 'D') ||
	    len == NAME_MAX_BYTES)
		return NULL;
	if (len > stub && !strcmp(name + len - stub, STUB))
		return demangle_stub(name, len - stub);
	return demangle_source(name);
}
#else
char *demangle(const char *name)
{
	return NULL;
}
#endif
