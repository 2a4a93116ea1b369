/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names that choose something, as options such as --comms take them.
 */
#ifndef PCSAMPLE_BASE_NAME_LIST_H
#define PCSAMPLE_BASE_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/**
 * struct name_list - the names, sorted
 * @text: what they were read from
 */
struct name_list {
	const char *text;
	char **name;
	size_t nr, cap;
};

/* Limit on the size of a file of names */
#define NAME_FILE_MAX (16 << 20)

/**
 * name_list_new() - read "NAME,file://FILE,..."
 * @text: lives as long as the list. As for perf, a file has a name on each line, which may have
 *	commas in it.
 *
 * Return: 0 or a negative errno.
 */
int name_list_new(struct name_list **list, const char *text, struct error *err);

/* Takes NULL */
void name_list_free(struct name_list *list);

bool name_list_has(const struct name_list *list, const char *name);

#endif /* PCSAMPLE_BASE_NAME_LIST_H */
