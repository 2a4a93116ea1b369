// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/kallsyms.h"

/* Ten times the largest; a device may go on for ever */
#define LIST_MAX_BYTES (256U << 20)

/* Value of a hexadecimal digit plus one; 0 for other characters */
static const u8 hex_digits[256] = {
	['0'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
	['A'] = 11, 12, 13, 14, 15, 16,
	['a'] = 11, 12, 13, 14, 15, 16,
};

#define EACH_BYTE(b)	(0x0101010101010101ULL * (b))

/*
 * Parse eight lowercase hexadecimal digits at once, as the kernel writes them. Return: false if
 * there are other characters
 */
static bool eight_digits(const char *p, u64 *value)
{
	u64 text = be64toh(load64(p)), v, above_9;

	v = (text + (text >> 6 & EACH_BYTE(1)) * 9) & EACH_BYTE(0xf);
	above_9 = (v + EACH_BYTE(6)) >> 4 & EACH_BYTE(1);
	/* Other bytes give a value, too: write the value as digits and compare */
	if (v + EACH_BYTE('0') + above_9 * ('a' - 10 - '0') != text)
		return false;
	v = (v | v >> 4) & 0x00ff00ff00ff00ffULL;
	v = (v | v >> 8) & 0x0000ffff0000ffffULL;
	*value = (v | v >> 16) & UINT32_MAX;
	return true;
}

static bool is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* The module of the current line; lines of one module follow each other */
static struct kallsyms_module *module_of(struct kallsyms *k, const char *name, size_t len)
{
	struct kallsyms_module *m = k->nr_modules ? &k->module[k->nr_modules - 1] : NULL;

	if (m && m->name_len == len && (!len || !memcmp(m->name, name, len)))
		return m;
	if (mem_grow(&k->module, &k->modules_cap, k->nr_modules + 1))
		return NULL;
	m = &k->module[k->nr_modules++];
	*m = (struct kallsyms_module){
		.name = name, .name_len = len, .start = UINT64_MAX, .first = k->nr_syms,
	};
	return m;
}

/* "__entry_tramp_text_start" marks the beginning of a section, and does not name the code there */
static bool is_marker(const char *name, const char *end)
{
	return name[0] == '_' && name[1] == '_' && end - name > 6 && !memcmp(end - 6, "_start", 6);
}

static enum symbol_rank rank_of(char type, const char *name, const char *end)
{
	if (is_marker(name, end))
		return SYM_RANK_LABEL;
	return type == 'T' ? SYM_RANK_GLOBAL : type == 't' ? SYM_RANK_LOCAL : SYM_RANK_WEAK;
}

static int add_line(struct kallsyms *k, const struct kallsyms_symbol *s, const char *module,
		    size_t len)
{
	struct kallsyms_module *m = module_of(k, module, len);

	if (!m || mem_grow(&k->syms, &k->syms_cap, k->nr_syms + 1))
		return -ENOMEM;
	k->syms[k->nr_syms++] = *s;
	m->nr++;
	m->start = min(m->start, s->addr);
	m->end = max(m->end, s->addr + 1);
	return 0;
}

/*
 * "ADDRESS TYPE NAME" or "ADDRESS TYPE NAME\t[MODULE]". A line that is cut off is left out.
 */
static int parse_lines(struct kallsyms *k, u64 *seen)
{
	char *p = k->text, *end = k->text + k->size, *eol, *name, *tab;
	unsigned int digit;
	struct kallsyms_symbol s;
	u64 addr, digits;
	char type;
	int ret;

	for (; p < end && (eol = memchr(p, '\n', end - p)); p = eol + 1) {
		for (addr = 0; eol - p >= 8 && eight_digits(p, &digits); p += 8)
			addr = addr << 32 | digits;
		for (; (digit = hex_digits[(u8)*p]); p++)
			addr = addr << 4 | (digit - 1);
		if (eol - p < 4 || p[0] != ' ' || p[2] != ' ')
			return -EINVAL;
		type = p[1];
		name = p + 3;
		*eol = '\0';
		*seen |= addr;
		if (!is_code(type))
			continue;
		tab = memchr(name, '\t', eol - name);
		if (tab) {
			*tab++ = '\0';
			if (eol - tab < 2 || tab[0] != '[')
				return -EINVAL;
		}
		if (symbol_is_mapping(name))
			continue;
		s = (struct kallsyms_symbol){
			addr, name - k->text, rank_of(type, name, tab ? tab - 1 : eol),
		};
		ret = add_line(k, &s, tab ? tab + 1 : NULL, tab ? eol - tab - 2 : 0);
		if (ret)
			return ret;
	}
	return 0;
}

/* Typical length of a line, to allocate the symbols of a list at once */
#define LINE_BYTES 44

int kallsyms_parse(struct kallsyms *k, char *text, size_t size, struct error *err)
{
	u64 seen = 0;
	int ret;

	memset(k, 0, sizeof(*k));
	k->text = text;
	k->size = size;
	text[size] = '\0';
	ret = size > SYM_NAME_OFFSET_MASK ? -EINVAL :
	      mem_grow(&k->syms, &k->syms_cap, size / LINE_BYTES);
	if (!ret) {
		mem_touch(k->syms, size / LINE_BYTES * sizeof(*k->syms));
		ret = parse_lines(k, &seen);
	}
	if (!ret && size && !seen)
		ret = -EPERM;
	if (ret == -EPERM)
		error_set(err, ret, "kernel addresses are hidden from this user; as root, "
			  "or: sysctl kernel.kptr_restrict=0");
	else if (ret == -EINVAL)
		error_set(err, ret, "not a list of kernel symbols");
	else if (ret)
		error_set(err, ret, "out of memory");
	if (ret)
		kallsyms_deinit(k);
	return ret;
}

int kallsyms_read(struct kallsyms *k, const char *path, struct error *err)
{
	size_t size = 0, cap = 1 << 20;
	char *text = NULL, *grown;
	struct stat st;
	ssize_t n = -1;
	int fd, ret;

	memset(k, 0, sizeof(*k));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, -errno, "%s: %s", path, strerror(errno));
	/* /proc/kallsyms has no size; a copy has one, and is read at once */
	if (!fstat(fd, &st) && st.st_size > 0 && st.st_size < LIST_MAX_BYTES)
		cap = st.st_size / 2 + 1;
	do {
		cap *= 2;
		grown = realloc(text, cap + 1);
		if (!grown)
			break;
		text = grown;
		mem_touch(text + size, cap - size);
		while ((n = read(fd, text + size, cap - size)) > 0)
			size += n;
	} while (!n && size == cap && size <= LIST_MAX_BYTES);
	ret = !grown ? -ENOMEM : n < 0 ? -errno : size > LIST_MAX_BYTES ? -EFBIG : 0;
	close(fd);
	if (ret) {
		free(text);
		return error_set(err, ret, "%s: %s", path, strerror(-ret));
	}
	return kallsyms_parse(k, text, size, err);
}

u64 kallsyms_find(const struct kallsyms *k, const char *name)
{
	size_t i;

	for (i = 0; i < k->nr_syms; i++)
		if (k->text[k->syms[i].name] == name[0] && !strcmp(k->text + k->syms[i].name, name))
			return k->syms[i].addr;
	return 0;
}

/* Where code ends is not known: assume a page behind the start of its last symbol */
#define LAST_SYMBOL_BYTES 4096

static u64 last_address(const struct kallsyms *k, const struct kallsyms_module *module)
{
	u64 last = 0;
	size_t i;

	for (i = 0; i < module->nr; i++)
		last = max(last, k->syms[module->first + i].addr);
	return last;
}

int kallsyms_symtab(const struct kallsyms *k, const char *module, struct symtab *st)
{
	size_t len = module ? strlen(module) : 0, m, i;
	const struct kallsyms_symbol *s;
	struct symtab_added *to;
	bool found = false;
	u64 end, start;

	for (m = 0; m < k->nr_modules; m++) {
		if (k->module[m].name_len != len ||
		    (len && memcmp(k->module[m].name, module, len)))
			continue;
		found = true;
		end = last_address(k, &k->module[m]) + k->shift + LAST_SYMBOL_BYTES;
		if (symtab_reserve(st, k->module[m].nr))
			return -ENOMEM;
		/* As symtab_add(): the kernel has so many symbols that a check for each is felt */
		to = st->added + st->nr_added;
		st->nr_added += k->module[m].nr;
		for (i = 0; i < k->module[m].nr; i++) {
			s = &k->syms[k->module[m].first + i];
			start = s->addr + k->shift;
			/* It ends where the next one starts */
			*to++ = (struct symtab_added){
				.start = start,
				.size = symtab_size(start, 0, end),
				.name = s->name, .rank = s->rank,
			};
		}
	}
	st->strings[0].p = k->text;
	st->strings[0].size = k->size;
	return found ? symtab_finish(st) : -ENOENT;
}

void kallsyms_deinit(struct kallsyms *k)
{
	if (k->mapped) {
		munmap(k->text, k->mapped);
	} else {
		free(k->text);
		free(k->syms);
	}
	free(k->module);
	memset(k, 0, sizeof(*k));
}
