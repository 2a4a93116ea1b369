// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <string.h>
#if HAVE_IBERTY
#include <libiberty/demangle.h>
#endif

#include "lib/demangle.h"

/* Beyond this a name is somebody's attack on the demangler */
#define NAME_MAX_BYTES 8192

#if HAVE_IBERTY
char *demangle(const char *name)
{
	/* parameters are left out, as perf does: names get too long to read with them */
	const int options = DMGL_NO_OPTS;

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R' && name[1] != 'D') ||
	    strnlen(name, NAME_MAX_BYTES) == NAME_MAX_BYTES)
		return NULL;
	if (name[1] == 'R')
		return rust_demangle(name, options);
	if (name[1] == 'D')
		return dlang_demangle(name, options);
	/* Rust's older scheme is C++'s with a hash at the end */
	return cplus_demangle(name, options | DMGL_AUTO);
}
#else
char *demangle(const char *name)
{
	return NULL;
}
#endif
