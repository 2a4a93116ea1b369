// SPDX-License-Identifier: GPL-2.0-only
#include <search.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/elf-file.h"
#include "base/file-ids.h"
#include "base/safe-file.h"

bool build_id_of_fd(struct build_id *id, int fd)
{
	int own = dup(fd);
	struct elf_file f;

	id->size = 0;
	if (own < 0 || elf_file_open_fd(&f, own, false))
		return false;
	*id = f.id;
	elf_file_close(&f);
	return id->size;
}

/* Files of other processes */

/* One file; the tree is ordered by dev, ino, changed */
struct cached {
	dev_t dev;
	ino_t ino;
	struct timespec changed;
	struct build_id id;
};

struct build_id_cache {
	void *tree;
};

static int compare(u64 a, u64 b)
{
	return (a > b) - (a < b);
}

static int compare_cached(const void *a, const void *b)
{
	const struct cached *x = a, *y = b;
	int c = compare(x->ino, y->ino);

	if (!c)
		c = compare(x->dev, y->dev);
	if (!c)
		c = compare(x->changed.tv_sec, y->changed.tv_sec);
	return c ? c : compare(x->changed.tv_nsec, y->changed.tv_nsec);
}

struct build_id_cache *build_id_cache_create(void)
{
	return calloc(1, sizeof(struct build_id_cache));
}

void build_id_cache_destroy(struct build_id_cache *cache)
{
	if (!cache)
		return;
	tdestroy(cache->tree, free);
	free(cache);
}

/* If memory is short, do not remember the file: it is read again the next time */
static void remember(struct build_id_cache *cache, const struct cached *cached)
{
	struct cached *copy = malloc(sizeof(*copy));

	if (!copy)
		return;
	*copy = *cached;
	if (!tsearch(copy, &cache->tree, compare_cached))
		free(copy);
}

bool build_id_of_path(struct build_id_cache *cache, struct build_id *id, const char *path,
		      u64 inode)
{
	struct cached key = { 0 }, **found;
	struct stat st;
	int fd;

	id->size = 0;
	fd = regular_open(path, &st);
	if (fd < 0)
		return false;
	if (inode && st.st_ino != inode) {
		close(fd);
		return false;
	}
	key.dev = st.st_dev;
	key.ino = st.st_ino;
	key.changed = st.st_ctim;
	found = tfind(&key, &cache->tree, compare_cached);
	if (found) {
		*id = (*found)->id;
	} else {
		build_id_of_fd(&key.id, fd);
		*id = key.id;
		remember(cache, &key);
	}
	close(fd);
	return id->size;
}
