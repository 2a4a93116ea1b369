// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/capture-sysfs.h"
#include "lib/synth-buildid.h"

/* No section of notes comes near this; a hostile file may claim more */
#define NOTES_MAX	(1U << 16)

/* Notes */

struct note_header {
	u32 name_size;
	u32 data_size;
	u32 type;
};

static size_t align4(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

bool build_id_from_notes(struct build_id *id, const void *notes, size_t size)
{
	struct note_header h;
	const u8 *at = notes;
	size_t body;

	id->size = 0;
	while (size >= sizeof(h)) {
		memcpy(&h, at, sizeof(h));
		at += sizeof(h);
		size -= sizeof(h);
		if (h.name_size > NOTES_MAX || h.data_size > NOTES_MAX)
			return false;
		body = align4(h.name_size) + h.data_size;
		if (body > size)
			return false;
		if (h.type == NT_GNU_BUILD_ID && h.name_size == 4 && !memcmp(at, "GNU", 4) &&
		    h.data_size && h.data_size <= BUILD_ID_MAX) {
			memset(id->data, 0, sizeof(id->data));
			memcpy(id->data, at + 4, h.data_size);
			id->size = h.data_size;
			return true;
		}
		body = align4(body);
		if (body > size)
			return false;
		at += body;
		size -= body;
	}
	return false;
}

bool build_id_of_sysfs(struct build_id *id, const char *path)
{
	char *notes;
	size_t size;
	bool found;

	id->size = 0;
	if (sysfs_slurp(&notes, &size, NOTES_MAX, path))
		return false;
	found = build_id_from_notes(id, notes, size);
	free(notes);
	return found;
}

/* ELF files */

static bool notes_of_segment(struct build_id *id, int fd, const GElf_Phdr *segment)
{
	u8 notes[4096];
	size_t size = segment->p_filesz < sizeof(notes) ? segment->p_filesz : sizeof(notes);
	ssize_t n;

	/* With 8-byte alignment, as of .note.gnu.property, there is no build-id in it */
	if (segment->p_type != PT_NOTE || segment->p_align > 4)
		return false;
	n = pread(fd, notes, size, segment->p_offset);
	return n > 0 && build_id_from_notes(id, notes, n);
}

bool build_id_of_fd(struct build_id *id, int fd)
{
	size_t i, nr = 0;
	GElf_Phdr segment;
	bool found = false;
	Elf *elf;

	id->size = 0;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return false;
	if (elf_kind(elf) == ELF_K_ELF && !elf_getphdrnum(elf, &nr))
		for (i = 0; i < nr && !found && gelf_getphdr(elf, i, &segment); i++)
			found = notes_of_segment(id, fd, &segment);
	elf_end(elf);
	return found;
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

/* Without memory the file is read again the next time */
static void remember(struct build_id_cache *cache, const struct cached *cached)
{
	struct cached *copy = malloc(sizeof(*copy));

	if (!copy)
		return;
	*copy = *cached;
	if (!tsearch(copy, &cache->tree, compare_cached))
		free(copy);
}

/* Opening a device or a pipe does things to it, so look first and then open what was looked at */
static int open_regular(const char *path, u64 inode, struct stat *st)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (fstat(fd, st) || !S_ISREG(st->st_mode) || (inode && st->st_ino != inode)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void read_build_id(struct build_id *id, int path_fd)
{
	char self[64];
	int fd;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", path_fd);
	fd = open(self, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return;
	build_id_of_fd(id, fd);
	close(fd);
}

bool build_id_of_path(struct build_id_cache *cache, struct build_id *id, const char *path,
		      u64 inode)
{
	struct cached key = { 0 }, **found;
	struct stat st;
	int fd;

	id->size = 0;
	fd = open_regular(path, inode, &st);
	if (fd < 0)
		return false;
	key.dev = st.st_dev;
	key.ino = st.st_ino;
	key.changed = st.st_ctim;
	found = tfind(&key, &cache->tree, compare_cached);
	if (found) {
		*id = (*found)->id;
	} else {
		read_build_id(&key.id, fd);
		*id = key.id;
		remember(cache, &key);
	}
	close(fd);
	return id->size;
}
