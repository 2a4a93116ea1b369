// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/demangle.h"
#include "symbols/names.h"

void names_init(struct names *n, bool demangle)
{
	memset(n, 0, sizeof(*n));
	n->demangle = demangle;
}

void names_deinit(struct names *n)
{
	while (n->nr)
		free(n->text[--n->nr]);
	free(n->text);
	free(n->line);
	idmap_deinit(&n->by_symbol);
}

/* In the key: an inlined function, not a symbol of a DSO */
#define INLINED (1ULL << 63)

/* A name that is not mangled is remembered too, as NULL */
static const char *demangled(struct names *n, u64 key, const char *name)
{
	u32 index = idmap_get(&n->by_symbol, key);
	char *text;

	if (index != IDMAP_NONE)
		return n->text[index] ? n->text[index] : name;
	text = demangle(name);
	if (mem_grow(&n->text, &n->cap, n->nr + 1) || idmap_set(&n->by_symbol, key, n->nr)) {
		free(text);
		return name;
	}
	n->text[n->nr++] = text;
	return text ? text : name;
}

const char *names_symbol(struct names *n, const struct dso *dso, u32 dso_index, u32 sym)
{
	const char *name = symtab_name(&dso->symtab, sym);

	if (!n->demangle || name[0] != '_')
		return name;
	return demangled(n, (u64)dso_index << 32 | sym, name);
}

const char *names_inlined(struct names *n, const struct inlines *in, u32 name)
{
	const char *text = intern_text(&in->names, name);

	if (!n->demangle || text[0] != '_')
		return text;
	return demangled(n, INLINED | name, text);
}
