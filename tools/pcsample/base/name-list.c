// SPDX-License-Identifier: GPL-2.0-only
#include "base/array.h"
#include "base/name-list.h"
#include "base/safe-file.h"

static int add_name(struct name_list *l, const char *name, size_t len)
{
	if (mem_grow(&l->name, &l->cap, l->nr + 1))
		return -ENOMEM;
	l->name[l->nr] = strndup(name, len);
	return l->name[l->nr] && ++l->nr ? 0 : -ENOMEM;
}

/* Names that end with @end, or with the text */
static int add_names(struct name_list *l, const char *text, char end)
{
	const char ends[] = { end, '\0' };
	size_t len;
	int ret = 0;

	for (; *text && !ret; text += len + !!text[len]) {
		len = strcspn(text, ends);
		ret = add_name(l, text, len);
	}
	return ret;
}

#define FILE_PREFIX "file://"

static int add_file(struct name_list *l, const char *entry, struct error *err)
{
	const char *path = entry + strlen(FILE_PREFIX);
	char *data;
	size_t size;
	int ret = regular_read(path, NAME_FILE_MAX, &data, &size);

	if (ret)
		return error_set(err, ret, "%s: %s", entry,
				 ret == -EINVAL ? "not a regular file" :
				 ret == -EFBIG ? "larger than 16 MB" : strerror(-ret));
	ret = add_names(l, data, '\n');
	free(data);
	return ret ? error_set(err, ret, "out of memory") : 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_file(const char *name)
{
	return !strncmp(name, FILE_PREFIX, strlen(FILE_PREFIX));
}

/* Put the names of files in the place of the files */
static int read_files(struct name_list *l, struct error *err)
{
	size_t nr = l->nr, i, kept = 0;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		if (is_file(l->name[i]))
			ret = add_file(l, l->name[i], err);
	for (i = 0; i < l->nr; i++) {
		if (i < nr && is_file(l->name[i]))
			free(l->name[i]);
		else
			l->name[kept++] = l->name[i];
	}
	l->nr = kept;
	return ret;
}

int name_list_new(struct name_list **list, const char *text, struct error *err)
{
	struct name_list *l = calloc(1, sizeof(*l));
	int ret;

	if (!l || add_names(l, text, ',')) {
		name_list_free(l);
		return error_set(err, -ENOMEM, "out of memory");
	}
	l->text = text;
	ret = read_files(l, err);
	if (ret) {
		name_list_free(l);
		return ret;
	}
	if (l->nr)
		qsort(l->name, l->nr, sizeof(*l->name), compare_names);
	*list = l;
	return 0;
}

void name_list_free(struct name_list *l)
{
	while (l && l->nr)
		free(l->name[--l->nr]);
	if (l)
		free(l->name);
	free(l);
}

bool name_list_has(const struct name_list *l, const char *name)
{
	return l->nr && bsearch(&name, l->name, l->nr, sizeof(*l->name), compare_names);
}
