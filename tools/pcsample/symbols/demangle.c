// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#if HAVE_IBERTY
#include <libiberty/demangle.h>
#undef ARRAY_SIZE	/* base/array.h has its own */
#endif

#include "base/array.h"
#include "symbols/demangle.h"

/* Longer names are taken for an attack on the demangler */
#define NAME_MAX_BYTES 8192

/* Behind the names of stubs of the procedure linkage table, symbols/elf-symbols.c */
#define STUB "@plt"

#if HAVE_IBERTY
/*
 * A mangled name may refer to parts of itself, and these again: each of its characters can double
 * the text. So the demanglers run only until the text is longer than any that is worth reading.
 */
#define TEXT_MAX_BYTES (64UL << 10)

typedef int (*demangler)(const char *name, int options, demangle_callbackref take, void *arg);

/**
 * struct text - what a demangler has delivered so far
 * @failed: it is too long, or there is no memory for it
 */
struct text {
	char *p;
	size_t len, cap;
	bool failed;
	demangler fn;
	jmp_buf give_up;
};

/*
 * Does the demangler hold memory while it delivers this piece? Only that for Rust, for an
 * identifier that it has unpacked from Punycode. There is a character beyond ASCII in it then, and
 * nowhere else in Rust's symbols. What it delivers next is ASCII.
 */
static bool holds_memory(const struct text *t, const char *piece, size_t len)
{
	size_t i;

	for (i = 0; t->fn == rust_demangle_callback && i < len; i++)
		if (piece[i] & 0x80)
			return true;
	return false;
}

static void take_piece(const char *piece, size_t len, void *arg)
{
	struct text *t = arg;

	if (t->len + len >= TEXT_MAX_BYTES || mem_grow(&t->p, &t->cap, t->len + len + 1))
		t->failed = true;
	if (t->failed && !holds_memory(t, piece, len))
		longjmp(t->give_up, 1);
	if (t->failed)
		return;
	memcpy(t->p + t->len, piece, len);
	t->len += len;
	t->p[t->len] = '\0';
}

static bool deliver(struct text *t, const char *name)
{
	/* parameters are left out, as perf does: names get too long to read with them */
	const int options = DMGL_NO_OPTS;

	if (setjmp(t->give_up))
		return false;
	return t->fn(name, options, take_piece, t) && t->p && !t->failed;
}

static char *demangle_with(demangler fn, const char *name)
{
	struct text t = { .fn = fn };

	if (deliver(&t, name))
		return t.p;
	free(t.p);
	return NULL;
}

/* Can the text of a name in D be long? Each reference, a Q and letters, can double it. */
static bool can_grow(const char *name)
{
	const size_t most = 64UL << 20;
	unsigned int references = 0;
	const char *p;

	for (p = name; *p; p++)
		references += *p == 'Q';
	return references > 25 || strlen(name) > most >> references;
}

static char *demangle_source(const char *name)
{
	char *text = NULL;

	if (name[1] == 'R')
		return demangle_with(rust_demangle_callback, name);
	/* The one for D cannot be left on its way, and ends the program if there is no memory. */
	if (name[1] == 'D')
		return can_grow(name) ? NULL : dlang_demangle(name, DMGL_NO_OPTS);
	/* Rust's older scheme is C++'s with a hash at the end, "17h" and 16 digits */
	if (strstr(name, "17h"))
		text = demangle_with(rust_demangle_callback, name);
	return text ? text : demangle_with(cplus_demangle_v3_callback, name);
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
